//! What one process writes moves others: trackers, and processes whose nodes list a global. Each test has a certificate that is false, and would
//! be accepted if one of these moves were forgotten, and one that is true.

mod common;

use certificate::check::Rule;
use certificate::claims::{NodeId, SlotValues, Tracker, TrackerId};
use certificate::potential::{Potential, Proof, TrackerWeight};
use certificate::values::Values;
use common::{Draft, before, bound, is_at, listed, potential, set};

/// `W` writes `x`. `y` is 0, so that nobody gets beyond `y == 9`.
fn model(writer: &str, others: &str) -> Draft {
    let text = format!(
        "chan c = [4] of {{ byte }}; byte x; byte y; active proctype W() {{ {writer}; (y == 9) }} {others}"
    );
    Draft::of(&text).claim("x", &[0, 1]).claim("y", &[0]).never("W", "-end-")
}

const ONE: &str = "active proctype Q() { (x == 1); c!1; (y == 9) }";
const TWO: &str = "active [2] proctype Q() { (x == 1); c!1; (y == 9) }";

/// A message weighs 1, and so does who is going to send it. `W` weighs `first` before it writes, and who has not been told `untold`.
fn debts(draft: &Draft, (first, untold): (i64, i64)) -> Potential {
    let at = |name, text| before(&draft.system, name, text).0;
    let (write, look, send, x) = (at("W", "x = 1"), at("Q", "x == 1"), at("Q", "c!1"), draft.slot("x"));
    draft.weigh(&[(0, 0, 1)], |name, node| match name {
        "W" if is_at(node, write) => first,
        "Q" if is_at(node, look) && listed(node, x) == Some(0) => untold,
        "Q" if is_at(node, look) || is_at(node, send) => 1,
        _ => 0,
    })
}

#[test]
fn a_process_that_is_told_something_weighs_what_it_weighs_then() {
    let draft = model("x = 1", ONE).never("Q", "-end-").listing("Q", "x", &[0, 1]);
    assert_eq!(draft.refused(vec![bound(0, 0, debts(&draft, (0, 0)))]), Some(Rule::NothingGrows));
    assert_eq!(draft.refused(vec![bound(0, 1, debts(&draft, (1, 0)))]), None);
    // It lists something else besides, which nobody writes.
    let draft = draft.listing("Q", "y", &[0]);
    assert_eq!(draft.refused(vec![bound(0, 0, debts(&draft, (0, 0)))]), Some(Rule::NothingGrows));
    assert_eq!(draft.refused(vec![bound(0, 1, debts(&draft, (1, 0)))]), None);
}

/// One look is told to all who look.
#[test]
fn any_number_of_processes_may_be_told_at_once() {
    let draft = model("x = 1", TWO).never("Q", "-end-").listing("Q", "x", &[0, 1]);
    assert_eq!(draft.refused(vec![bound(0, 1, debts(&draft, (1, 0)))]), Some(Rule::NothingGrows));
    assert_eq!(draft.refused(vec![bound(0, 2, debts(&draft, (0, 1)))]), None);
    assert_eq!(draft.refused(vec![bound(0, 4, debts(&draft, (0, 2)))]), None);
}

/// Another process of the group of him who writes.
#[test]
fn a_brother_is_told_too() {
    let text = "chan c = [4] of { byte }; byte x; byte y;
        active [2] proctype Q() { if :: x == 0 -> x = 1 :: x == 1 -> c!1 fi; (y == 9) }";
    let draft = Draft::of(text).claim("x", &[0, 1]).claim("y", &[0]).never("Q", "c!1");
    let (start, slot) = (before(&draft.system, "Q", "x == 0").0, draft.slot("x"));
    let draft = draft.with(|claims| {
        let nodes = claims.groups[0].nodes.iter_mut().filter(|node| is_at(node, start));
        nodes.for_each(|node| node.globals.push(SlotValues { slot, values: set(&[0]) }));
    });
    assert_eq!(draft.refused(draft.empty(0)), Some(Rule::OthersCarried));
}

/// `W` writes once, from 0 to 1, and sends then; it says so in its nodes.
fn writes_and_sends(others: &str) -> Draft {
    let draft = model("x = 1; c!1", others).listing("W", "x", &[0, 1]);
    let (write, x) = (before(&draft.system, "W", "x = 1").0, draft.slot("x"));
    draft.with(|claims| {
        claims.groups[0].nodes.retain(|node| is_at(node, write) == (listed(node, x) == Some(0)));
    })
}

/// `W` takes over what `Q` weighs while `x` is 0, and then its message does.
fn handed_over(draft: &Draft) -> Potential {
    let (send, x) = (before(&draft.system, "W", "c!1").0, draft.slot("x"));
    draft.weigh(&[(0, 0, 1)], |name, node| match name {
        "W" => i64::from(is_at(node, send)),
        _ => i64::from(listed(node, x) == Some(0)),
    })
}

/// Whoever may not be there cannot be counted on.
#[test]
fn only_a_process_that_is_there_can_hand_something_over() {
    let there = writes_and_sends("active proctype Q() { (x == 2) }").stuck("Q").listing("Q", "x", &[0, 1]);
    assert_eq!(there.refused(vec![bound(0, 1, handed_over(&there))]), None);
    let mut absent = writes_and_sends("proctype Q() { (x == 2) }").stuck("Q").listing("Q", "x", &[0, 1]);
    absent.group("Q").at_most = Some(1);
    let (group, everywhere) = (absent.id("Q"), absent.weigh(&[], |name, _| i64::from(name == "W")));
    let starts = Proof::Starts { group, at_most: 1, denominator: 1, potential: everywhere };
    let proofs = vec![starts, bound(0, 0, handed_over(&absent))];
    assert_eq!(absent.refused(proofs), Some(Rule::NothingGrows));
}

/// `Q` begins where it does not look at `x`, so the write may find it there.
#[test]
fn a_process_may_be_in_a_node_that_lists_nothing() {
    let draft = writes_and_sends("active proctype Q() { (x == 1); (x == 2) }").never("Q", "-end-");
    let (second, slot) = (before(&draft.system, "Q", "x == 2").0, draft.slot("x"));
    let draft = draft.with(|claims| {
        let nodes = claims.groups[1].nodes.iter().flat_map(|node| {
            let values: &[i32] = if is_at(node, second) { &[0, 1] } else { &[] };
            let with = |value: &i32| {
                let mut node = node.clone();
                node.globals.push(SlotValues { slot, values: set(&[*value]) });
                node
            };
            if values.is_empty() { vec![node.clone()] } else { values.iter().map(with).collect() }
        });
        claims.groups[1].nodes = nodes.collect();
    });
    assert_eq!(draft.refused(vec![bound(0, 0, handed_over(&draft))]), Some(Rule::NothingGrows));
}

/// Nine processes that each may be told one of two things in two states: what is not computed is refused.
#[test]
fn too_many_at_once_are_not_left_out() {
    let names: Vec<String> = (0..9).map(|n| format!("Q{n}")).collect();
    let others: String = names.iter().map(|q| format!("active proctype {q}() {{ (x == 2) }} ")).collect();
    let text = format!(
        "chan c = [4] of {{ byte }}; byte x; byte y; byte z; active proctype W() {{ x = y; c!1; (z == 9) }} {others}"
    );
    let draft = Draft::of(&text).claim("x", &[0, 1]).claim("y", &[0, 1]).claim("z", &[0]);
    let draft = names.iter().fold(draft, |draft, q| draft.stuck(q).listing(q, "x", &[0, 1]));
    let send = before(&draft.system, "W", "c!1").0;
    let weights = draft.weigh(&[(0, 0, 1)], |_, node| i64::from(is_at(node, send)));
    assert_eq!(draft.refused(vec![bound(0, 0, weights)]), Some(Rule::Understood));
}

/// R19: the new process stands in its node before its number is written.
#[test]
fn who_starts_a_process_does_not_write_what_it_lists() {
    let draft =
        Draft::of("byte x; byte y; proctype Z() { (x == 2) } active proctype W() { x = run Z(); (y == 9) }");
    let (slot, z) = (draft.slot("x"), draft.id("Z").index());
    let lists = draft.with(|claims| {
        let any = SlotValues { slot, values: Values::interval(0, 255) };
        claims.groups[z].nodes.iter_mut().for_each(|node| node.globals.push(any.clone()));
    });
    let ends = Proof::AllBounded {
        stage: certificate::potential::Stage {
            potential: potential(&[], &[]),
            next: certificate::potential::Next::Closed,
        },
    };
    assert_eq!(lists.refused(vec![ends]), Some(Rule::StartedUnseen));
}

fn tracked(draft: Draft, names: &[&str], nodes: &[&[i32]]) -> Draft {
    let slots = names.iter().map(|name| draft.slot(name)).collect();
    let nodes = nodes.iter().map(|values| values.iter().map(|&value| set(&[value])).collect()).collect();
    draft.with(|claims| claims.trackers.push(Tracker { slots, nodes }))
}

fn with_tracker(mut weights: Potential, of_nodes: &[(u32, i64)]) -> Potential {
    let weigh =
        |&(node, weight): &(u32, i64)| TrackerWeight { tracker: TrackerId(0), node: NodeId(node), weight };
    weights.trackers = of_nodes.iter().map(weigh).collect();
    weights
}

#[test]
fn a_tracker_weighs_something_from_the_start_on() {
    let looks = "active proctype Q() { (x == 2) }";
    let draft = tracked(writes_and_sends(looks).stuck("Q"), &["x"], &[&[0], &[1]]);
    let hands_over = |of_nodes: &[(u32, i64)]| with_tracker(handed_over(&draft), of_nodes);
    assert_eq!(draft.refused(vec![bound(0, 1, hands_over(&[(0, 1)]))]), None);
    assert_eq!(draft.refused(vec![bound(0, 0, hands_over(&[(0, 1)]))]), Some(Rule::Figure));
    // One that weighs less than nothing would hide a message.
    assert_eq!(draft.refused(vec![bound(0, 0, hands_over(&[(1, -1)]))]), Some(Rule::NotNegative));
    assert_eq!(draft.refused(vec![bound(0, 1, hands_over(&[(0, 1), (2, 1)]))]), Some(Rule::Exists));
}

#[test]
fn a_tracker_of_two_variables_begins_where_both_are() {
    let starts_at = |nodes: &[&[i32]]| {
        let draft = tracked(model("(x == 2)", ""), &["x", "y"], nodes);
        draft.refused(draft.empty(0))
    };
    assert_eq!(starts_at(&[&[1, 0], &[0, 0]]), None);
    assert_eq!(starts_at(&[&[1, 0]]), Some(Rule::TrackersPlaced));
}
