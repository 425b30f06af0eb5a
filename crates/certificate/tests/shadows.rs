//! Shadows: a receiver follows the order in which one sender sent. Each test has a certificate that would hide a message if something about the sender
//! were forgotten.

mod common;

use certificate::check::Rule;
use certificate::claims::{Auxiliary, AuxiliaryId, MessageClass, Node, NodeId, ObjectId, Shadow, SlotValues};
use certificate::potential::Proof;
use certificate::values::Values;
use common::{Draft, before, bound, channel, is_at, set};

/// `c` is the buffer that is said to stay empty, `m` and `n` carry messages; `y` is 0.
fn model(text: &str) -> Draft {
    let text = format!(
        "chan c = [4] of {{ byte }}; chan m = [4] of {{ byte }}; chan n = [4] of {{ byte }}; byte y; {text}"
    );
    Draft::of(&text).claim("y", &[0]).classes(1, &[&[1], &[2]]).classes(2, &[&[1]])
}

/// `Q` follows the locations of `P` over these objects.
fn following(mut draft: Draft, objects: &[u32]) -> Draft {
    let sender = draft.id("P");
    let positions = draft.claims.groups[sender.index()].nodes.clone();
    let group = draft.group("Q");
    for &object in objects {
        group.shadows.push(Shadow { object: ObjectId(object), sender: AuxiliaryId(0) });
        let at = |node: &Node, position: u32| {
            let mut node = node.clone();
            node.shadows.push(NodeId(position));
            node
        };
        let all = 0..positions.len() as u32;
        group.nodes = group.nodes.iter().flat_map(|node| all.clone().map(move |p| at(node, p))).collect();
    }
    draft.claims.auxiliaries.push(Auxiliary { group: sender, nodes: positions });
    draft
}

fn says_that_q_never_sends(draft: Draft) -> Option<Rule> {
    let draft = draft.never("Q", "c!1");
    draft.refused(draft.empty(0))
}

/// The location before the statement of a process with this number.
fn place(draft: &Draft, proctype: &str, statement: usize) -> u32 {
    let automaton = &draft.system.automata[common::automaton(&draft.system, proctype) as usize];
    let mut at = automaton.initial.0;
    for _ in 0..statement {
        let edges = &automaton.locations[at as usize].edges;
        at = automaton.edge(edges[0]).target.0;
    }
    at
}

/// `Q` stands only before these of its statements while its shadow is before those of `P`.
fn only(draft: Draft, ways: &[(usize, usize)]) -> Draft {
    let places: Vec<(u32, u32)> =
        ways.iter().map(|&(own, other)| (place(&draft, "Q", own), place(&draft, "P", other))).collect();
    let q = draft.id("Q").index();
    draft.with(|claims| {
        let is_way = |node: &Node| {
            places.iter().any(|&(own, position)| is_at(node, own) && node.shadows.contains(&NodeId(position)))
        };
        claims.groups[q].nodes.retain(is_way);
    })
}

/// Between two messages the sender does something else, and sends to somebody else.
#[test]
fn the_sender_goes_on_after_a_message() {
    let takes = "active proctype Q() { m?1; m?2; c!1; (y == 9) }";
    for way in ["m!1; m!2", "m!1; skip; m!2", "m!1; n!1; m!2", "m!1; n!1; n?1; m!2"] {
        let text = format!("active proctype P() {{ {way}; (y == 9) }} {takes}");
        let draft = only(following(model(&text), &[1]), &[(0, 0), (1, 1)]);
        assert_eq!(says_that_q_never_sends(draft), Some(Rule::Arrives), "{way}");
    }
    let text = format!("active proctype P() {{ m!2; m!1; (y == 9) }} {takes}");
    let draft = only(following(model(&text), &[1]), &[(0, 0)]);
    assert_eq!(says_that_q_never_sends(draft), None, "the other way round");
}

/// What others send leaves the shadow where it is.
#[test]
fn a_message_of_somebody_else_does_not_move_the_shadow() {
    let others = "active proctype P() { m!1; (y == 9) } active proctype R() { do :: m!2 od }";
    let text = |way: &str| format!("{others} active proctype Q() {{ {way}; c!1; (y == 9) }}");
    let draft = only(following(model(&text("m?2; m?1")), &[1]), &[(0, 0)]);
    assert_eq!(says_that_q_never_sends(draft), Some(Rule::Arrives));
    let draft = following(model(&text("m?2; m?1; m?1")), &[1]);
    assert_eq!(says_that_q_never_sends(only(draft, &[(0, 0), (1, 0), (2, 1)])), None);
}

/// A message from one channel moves the shadow over that channel only.
#[test]
fn each_channel_has_its_own_order() {
    let text = "active proctype P() { m!1; n!1; (y == 9) } active proctype Q() { n?1; m?1; c!1; (y == 9) }";
    let mut draft = following(model(text), &[1, 2]);
    let [begin, _, done] = [0, 1, 2].map(|statement| NodeId(place(&draft, "P", statement)));
    let places = [0, 1].map(|statement| place(&draft, "Q", statement));
    let ways = [(places[0], [begin, begin]), (places[1], [begin, done]), (places[1], [done, done])];
    draft
        .group("Q")
        .nodes
        .retain(|node| ways.iter().any(|(at, seen)| is_at(node, *at) && node.shadows == seen));
    assert_eq!(says_that_q_never_sends(draft), Some(Rule::Arrives));
}

/// `init` weighs 1 until it has started `P`, so there is one at most.
fn one_is_started(draft: &mut Draft) -> Proof {
    draft.group("P").at_most = Some(1);
    let done = before(&draft.system, ":init:", "y == 9").0;
    let potential = draft.weigh(&[], |name, node| i64::from(name == ":init:" && !is_at(node, done)));
    Proof::Starts { group: draft.id("P"), at_most: 1, denominator: 1, potential }
}

/// The sender is started late; its shadow begins where it will begin.
#[test]
fn the_shadow_of_a_sender_that_is_started_begins_where_it_begins() {
    let text = "proctype P() { m!1; (y == 9) } proctype Z() { (y == 9) }
        active proctype Q() { m?1; m?1; c!1; (y == 9) } init { run Z(); run P(); (y == 9) }";
    let judged = |spoil: &dyn Fn(&mut Draft)| {
        let draft = only(following(model(text), &[1]), &[(0, 0), (1, 1)]);
        let mut draft = draft.never("Q", "c!1").never(":init:", "-end-");
        let starts = one_is_started(&mut draft);
        spoil(&mut draft);
        draft.refused([vec![starts], draft.empty(0)].concat())
    };
    assert_eq!(judged(&|_| {}), None);
    let without_beginning = |draft: &mut Draft| {
        let begin = place(draft, "P", 0);
        let nodes = &mut draft.claims.auxiliaries[0].nodes;
        nodes.iter_mut().filter(|node| is_at(node, begin)).for_each(|node| *node = common::at(begin + 1));
    };
    assert_eq!(judged(&without_beginning), Some(Rule::SenderGraph));
}

/// The receiver does not know with which argument the sender will be started: at the start it may weigh what it weighs in either case.
#[test]
fn a_receiver_has_all_beginnings_of_its_shadow() {
    let text = "proctype P(byte k) { (k == 1); m!1; (y == 9) } active proctype Q() { m?1; c!1; (y == 9) }
        init { byte i; if :: i = 1 :: skip fi; run P(i); (y == 9) }";
    let init = ":init:";
    let mut draft = model(text).claim_local(init, &[0, 1]).claim_local("P", &[0, 1]).never(init, "-end-");
    let group = draft.group("P");
    let with = |node: &Node, value: i32| {
        let mut node = node.clone();
        node.locals.push(SlotValues { slot: 0, values: set(&[value]) });
        node
    };
    group.nodes = group.nodes.iter().flat_map(|node| [with(node, 0), with(node, 1)]).collect();
    let mut draft = following(draft, &[1]);
    // Only before its message can the sender be waited for, and only with 1.
    let (begin, q) = (place(&draft, "P", 0), draft.id("Q").index());
    let (wait, send) = (place(&draft, "Q", 0), place(&draft, "Q", 1));
    let positions = draft.claims.auxiliaries[0].nodes.clone();
    let position = |node: &Node| &positions[node.shadows[0].index()];
    draft.claims.groups[q].nodes.retain(|node| !is_at(node, wait) || is_at(position(node), begin));
    let potential = draft.weigh(&[(0, 0, 1)], |name, node| {
        let with_one = |node: &Node| position(node).locals[0].values.contains(1);
        i64::from(name == "Q" && (is_at(node, send) || is_at(node, wait) && with_one(node)))
    });
    let starts = one_is_started(&mut draft);
    let judged = |at_most| draft.refused(vec![starts.clone(), bound(0, at_most, potential.clone())]);
    assert_eq!(judged(1), None);
    assert_eq!(judged(0), Some(Rule::Figure));
}

#[test]
fn a_receiver_begins_where_its_shadow_begins() {
    let text = "active proctype P() { m!1; (y == 9) } active proctype Q() { m?1; c!1; (y == 9) }";
    let draft = following(model(text), &[1]);
    let sent = NodeId(common::after(&draft.system, "P", "m!1").0);
    let q = draft.id("Q").index();
    let draft = draft.with(|claims| claims.groups[q].nodes.retain(|node| node.shadows == [sent]));
    assert_eq!(says_that_q_never_sends(draft), Some(Rule::PlacedAtStart));
}

#[test]
fn the_sender_s_second_graph_has_its_beginning() {
    let text = "active proctype P() { m!1; (y == 9) } active proctype Q() { m?1; c!1; (y == 9) }";
    let draft = following(model(text), &[1]);
    let begin = before(&draft.system, "P", "m!1").0;
    let draft = draft.with(|claims| {
        claims.auxiliaries[0]
            .nodes
            .iter_mut()
            .filter(|n| is_at(n, begin))
            .for_each(|n| *n = common::at(begin + 1));
    });
    assert_eq!(says_that_q_never_sends(draft), Some(Rule::SenderGraph));
}

/// The second graph knows less of the sender than the first: so little that a statement is not understood.
#[test]
fn what_is_not_understood_in_the_second_graph_is_not_left_out() {
    let text =
        "byte a[6000]; active proctype P() { int i; m!1; a[i] = 1; m!2; a[i] = 2; (y == 9 && a[0] == i) }
        active proctype Q() { m?1; m?2; c!1; (y == 9) }";
    let mut draft = following(model(text), &[1]);
    let group = draft.group("P");
    group.slots[0] = Values::interval(0, 5999);
    let known = SlotValues { slot: 0, values: set(&[0]) };
    group.nodes.iter_mut().for_each(|node| node.locals.push(known.clone()));
    assert_eq!(says_that_q_never_sends(draft), Some(Rule::Understood));
}

/// What one of two receivers takes the other does not see.
#[test]
fn the_receiver_must_be_one_process() {
    let text = "active proctype P() { m!1; m!2; (y == 9) }
        active [2] proctype Q() { if :: m?1 :: m?2 -> c!1 fi; (y == 9) }";
    let mut draft = following(model(text), &[1]);
    let (begin, sent) = (NodeId(place(&draft, "P", 0)), NodeId(place(&draft, "P", 1)));
    let start = place(&draft, "Q", 0);
    // Whoever waits has seen nothing, whoever is done has seen the first.
    let seen = |node: &Node| node.shadows[0] == if is_at(node, start) { begin } else { sent };
    draft.group("Q").nodes.retain(seen);
    assert_eq!(says_that_q_never_sends(draft), Some(Rule::OneSender));
}

/// Two channels of one name: what is sent first to one is not received before what is sent second to the other.
#[test]
fn the_channel_must_be_one() {
    let text = "chan q = [2] of { chan }; chan s = [2] of { chan };
        active [2] proctype O() { chan p = [2] of { byte }; q!p; s!p; (y == 9) }
        active proctype P() { chan a; chan b; q?a; q?b; a!1; b!2; (y == 9) }
        active proctype Q() { chan e; chan f; s?e; s?f; f?2; c!1; (y == 9) }";
    let mut draft = model(text).classes(5, &[&[1], &[2]]).never("O", "-end-");
    let name = Values::integer(0).union(&channel(5));
    for object in [3, 4] {
        draft.claims.objects[object].classes = vec![MessageClass { fields: vec![channel(5)] }];
    }
    draft.group("P").slots = vec![name.clone(), name.clone()];
    draft.group("Q").slots = vec![name.clone(), name];
    let ways = [(0, 0), (1, 0), (2, 0)];
    assert_eq!(says_that_q_never_sends(only(following(draft, &[5]), &ways)), Some(Rule::OneSender));
}

#[test]
fn a_shadow_follows_a_buffer_that_exists_and_is_at_a_place_that_exists() {
    let text = "chan r = [0] of { byte }; active proctype P() { m!1; r!1; (y == 9) }
        active proctype Q() { m?1; r?1; (y == 9) }";
    let judged = |object: u32, spoil: &dyn Fn(&mut Draft)| {
        let mut draft = following(model(text), &[object]);
        spoil(&mut draft);
        draft.refused(draft.empty(0))
    };
    assert_eq!(judged(1, &|_| {}), None);
    assert_eq!(judged(3, &|_| {}), Some(Rule::OneSender), "a rendezvous has no order to follow");
    assert_eq!(judged(4, &|_| {}), Some(Rule::Exists));
    let beyond = |draft: &mut Draft| {
        let last = draft.claims.auxiliaries[0].nodes.len() as u32;
        let q = draft.id("Q").index();
        draft.claims.groups[q].nodes[0].shadows[0] = NodeId(last);
    };
    assert_eq!(judged(1, &beyond), Some(Rule::Exists));
}
