//! Messages: what is handed over in a rendezvous, what a receive stores, matches and copies, also inside a `d_step`. Each test has a certificate that
//! says that something does not happen which does.

mod common;

use certificate::check::Rule;
use certificate::claims::{MessageClass, Node, Point, Tracker};
use common::{Draft, before, channel, is_at, set};
use system::automaton::{Action, DStepNode};

/// `c` is the buffer that is said to stay empty, `r` a rendezvous channel; `y` is 0.
fn model(text: &str) -> Draft {
    let text = format!(
        "chan c = [4] of {{ byte }}; chan r = [0] of {{ byte }}; chan b = [4] of {{ byte }}; byte x; byte y; {text}"
    );
    Draft::of(&text).claim("x", &[0, 1]).claim("y", &[0])
}

/// Says that no process of the proctype comes so far as to send to `c`.
fn says_that_it_never_sends(draft: Draft, proctype: &str) -> Option<Rule> {
    let draft = draft.never(proctype, "c!1");
    draft.refused(draft.empty(0))
}

#[test]
fn both_sides_of_a_rendezvous_arrive() {
    let text = "active proctype S() { r!1; S1: (y == 9) } active proctype R() { r?1; c!1; (y == 9) }";
    assert_eq!(says_that_it_never_sends(model(text), "R"), Some(Rule::Arrives));
    let text = "active proctype S() { r!1; c!1; (y == 9) } active proctype R() { r?1; (y == 9) }";
    assert_eq!(says_that_it_never_sends(model(text), "S"), Some(Rule::Arrives));
}

/// Two processes of one group meet; one process does not meet itself.
#[test]
fn two_of_a_kind_meet() {
    let text =
        |count: u32| format!("active [{count}] proctype P() {{ if :: r!1 :: r?1 -> c!1 fi; (y == 9) }}");
    assert_eq!(says_that_it_never_sends(model(&text(2)), "P"), Some(Rule::Arrives));
    assert_eq!(says_that_it_never_sends(model(&text(1)), "P"), None);
}

/// Both look at `x`, which a tracker follows: they agree about it.
#[test]
fn who_meets_agrees_about_what_is_tracked() {
    let text = "active proctype S() { r!x; (y == 9) } active proctype R() { r?eval(x); c!1; (y == 9) }";
    let tracked = |draft: Draft| {
        let slot = draft.slot("x");
        let nodes = vec![vec![set(&[0])], vec![set(&[1])]];
        draft.with(|claims| claims.trackers.push(Tracker { slots: vec![slot], nodes }))
    };
    assert_eq!(says_that_it_never_sends(tracked(model(text)), "R"), Some(Rule::Arrives));
}

/// The sender lists `x`, into which the receiver stores what it is given.
#[test]
fn what_the_receiver_writes_the_sender_sees() {
    let text = "active proctype S() { r!1; (x == 1); c!1; (y == 9) } active proctype R() { r?x; (y == 9) }";
    let model = |text| model(text).classes(1, &[&[1]]);
    let draft = model(text).listing("S", "x", &[0]);
    assert_eq!(says_that_it_never_sends(draft, "S"), Some(Rule::Arrives));
    let draft = model(text).listing("S", "x", &[0, 1]);
    let send = before(&draft.system, "S", "c!1").0;
    let weights = draft.weigh(&[(0, 0, 1)], |_, node| i64::from(is_at(node, send)));
    assert_eq!(draft.refused(vec![common::bound(0, 0, weights)]), Some(Rule::NothingGrows));
}

#[test]
fn what_is_received_is_stored() {
    let text = "active proctype P() { b!1; b?x; (x == 1); c!1; (y == 9) }";
    let claimed = |values| says_that_it_never_sends(model(text).classes(2, &[&[1]]).claim("x", values), "P");
    assert_eq!(claimed(&[0]), Some(Rule::ValuesClaimed));
    assert_eq!(claimed(&[0, 1]), Some(Rule::Arrives));
}

/// Each value of the variable that is matched is one that may be there.
#[test]
fn a_message_that_may_match_is_taken() {
    let text = "active proctype P() { b!1; b?eval(x); c!1; (y == 9) }";
    let with = |class: &[i32], x: &[i32]| {
        says_that_it_never_sends(model(text).classes(2, &[class]).claim("x", x), "P")
    };
    assert_eq!(with(&[1], &[0, 1]), Some(Rule::Arrives));
    assert_eq!(with(&[0, 1, 2], &[0, 1]), Some(Rule::Arrives));
    assert_eq!(with(&[1], &[0]), None);
}

/// A receive that leaves its message where it is happens all the same, and may name fewer fields.
#[test]
fn a_copy_goes_on() {
    let copy = "active proctype P() { b!1; b?<1>; c!1; (y == 9) }";
    assert_eq!(says_that_it_never_sends(model(copy), "P"), Some(Rule::Arrives));
    let fewer = "chan w = [2] of { byte, byte }; active proctype P() { w!1,2; w?<1>; c!1; (y == 9) }";
    assert_eq!(says_that_it_never_sends(model(fewer), "P"), Some(Rule::Arrives));
    // From a rendezvous channel it is an error.
    let error = "active proctype S() { r!1; (y == 9) } active proctype R() { r?<1>; c!1; (y == 9) }";
    assert_eq!(says_that_it_never_sends(model(error), "R"), None);
}

/// A receive inside a `d_step` is taken in a rendezvous, whatever stands before it.
#[test]
fn a_d_step_accepts_with_any_of_its_first_receives() {
    let text = "active proctype S() { r!1; (y == 9) }
        active proctype R() { d_step { if :: x == 0 -> skip :: r?1 -> x = 1 fi }; (x == 1); c!1; (y == 9) }";
    let draft = model(text).claim("x", &[0]);
    // It is said that it never comes so far as to write `x`.
    let writes = |step: &DStepNode| matches!(step.choices[0].action, Action::Assign { .. });
    let edges = draft.system.automata[1].edges.iter().filter_map(|edge| match &edge.action {
        Action::DStep(body) => body.nodes.iter().position(writes),
        _ => None,
    });
    let write = { edges }.next().expect("it writes") as u32;
    let is_there = |node: &Node| matches!(node.point, Point::Inside { step, .. } if step == write);
    let draft = draft.with(|claims| claims.groups[1].nodes.retain(|node| !is_there(node)));
    assert_eq!(says_that_it_never_sends(draft, "R"), Some(Rule::Arrives));
}

#[test]
fn what_is_not_understood_inside_a_d_step_is_not_left_out() {
    let text = "byte a[6000]; int i; active proctype P() { d_step { skip; a[i] = 1; x = 1 }; (x == 1); c!1; (y == 9) }";
    assert_eq!(says_that_it_never_sends(model(text).claim("x", &[0]), "P"), Some(Rule::Understood));
}

/// A number may be the number of any channel: whether they are equal is not known.
#[test]
fn a_channel_may_match_a_number() {
    let number = "chan q = [2] of { chan }; active proctype P() { q!b; q?eval(x); c!1; (y == 9) }";
    let holds_b = |draft: Draft| {
        draft.with(|claims| claims.objects[3].classes = vec![MessageClass { fields: vec![channel(2)] }])
    };
    assert_eq!(
        says_that_it_never_sends(holds_b(model(number).claim("x", &[0, 3])), "P"),
        Some(Rule::Arrives)
    );
    let name = "chan n = [2] of { byte }; active proctype P() { n!1; n?eval(c); c!1; (y == 9) }";
    assert_eq!(says_that_it_never_sends(model(name).classes(3, &[&[1]]), "P"), Some(Rule::Arrives));
    // Of two channels it is known.
    let other = "chan q = [2] of { chan }; active proctype P() { q!b; q?eval(r); c!1; (y == 9) }";
    assert_eq!(says_that_it_never_sends(holds_b(model(other)), "P"), None);
    let same = "chan q = [2] of { chan }; active proctype P() { q!b; q?eval(b); c!1; (y == 9) }";
    assert_eq!(says_that_it_never_sends(holds_b(model(same)), "P"), Some(Rule::Arrives));
}
