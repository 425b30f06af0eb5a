//! Potentials: what may weigh less than nothing, what a figure shows, what stages leave. Each test has a certificate that is false, and most one that is true.

mod common;

use certificate::check::Rule;
use certificate::claims::{GroupId, NodeId, Object, ObjectId, ObjectPlace, Tracker, TrackerId};
use certificate::potential::{
    BoundCase, BufferBound, Component, KnownLength, Next, Potential, Progress, ProgressStatement, Proof,
    Stage,
};
use certificate::values::Values;
use certificate::verdict::Capacities;
use common::{Draft, before, bound, channel, is_at, potential, set};

fn declared(text: &str) -> Draft {
    Draft { capacities: Capacities::Declared, ..Draft::of(text) }
}

fn closed(potential: Potential) -> Stage {
    Stage { potential, next: Next::Closed }
}

fn nothing() -> Potential {
    potential(&[], &[])
}

fn split(component: Component, parts: Vec<Stage>) -> Stage {
    Stage { potential: nothing(), next: Next::Split { component, parts } }
}

/// "No run goes on for ever."
fn ends(stage: Stage) -> Vec<Proof> {
    vec![Proof::LivelockFree { progress: Progress::At(vec![]), stage }]
}

// Room: a message that weighs -1 in a channel with room for two takes off 2 at the most.

const ROOM: &str = "chan c = [2] of { byte }; chan d = [9] of { byte };
    active proctype P() { do :: c!1; d!1 od } active proctype Q() { do :: d?1; c?1 od }";

fn in_turn(draft: &Draft) -> Potential {
    let (put, take) = (before(&draft.system, "P", "d!1").0, before(&draft.system, "Q", "c?1").0);
    draft.weigh(&[(0, 0, -1), (1, 0, 1)], |name, node| match name {
        "P" => i64::from(is_at(node, put)),
        _ => i64::from(is_at(node, take)),
    })
}

#[test]
fn what_weighs_less_than_nothing_takes_off_what_there_is_room_for() {
    let draft = declared(ROOM);
    let one = |at_most| draft.refused(vec![bound(1, at_most, in_turn(&draft))]);
    let many = |at_most| {
        let buffers = vec![BufferBound { object: ObjectId(1), at_most }];
        draft.refused(vec![Proof::Bounds { buffers, potential: in_turn(&draft) }])
    };
    assert_eq!((one(2), many(2)), (None, None));
    for wrong in [0, 1, 3] {
        assert_eq!((one(wrong), many(wrong)), (Some(Rule::Figure), Some(Rule::Figure)), "{wrong}");
    }
    let any = Draft::of(ROOM);
    assert_eq!(any.refused(vec![bound(1, 2, in_turn(&any))]), Some(Rule::NotNegative));
}

/// Of two classes the one that weighs least may fill the channel.
#[test]
fn the_class_that_weighs_least_may_take_all_the_room() {
    let text = "chan c = [2] of { byte }; chan d = [9] of { byte };
        active proctype P() { do :: c!1; A: d!1 :: c!2; d!1; d!1 od }";
    let draft = declared(text).classes(0, &[&[1], &[2]]);
    let edges = &draft.system.automata[0].edges;
    let [one, two] = ["c!1", "c!2"].map(|text| common::after(&draft.system, "P", text).0);
    let last = edges.iter().find(|edge| edge.source.0 == two).expect("it sends").target.0;
    let weights = draft.weigh(&[(0, 0, -1), (0, 1, -2), (1, 0, 1)], |_, node| match node {
        node if is_at(node, two) => 2,
        node if is_at(node, one) || is_at(node, last) => 1,
        _ => 0,
    });
    assert_eq!(draft.refused(vec![bound(1, 4, weights.clone())]), None);
    assert_eq!(draft.refused(vec![bound(1, 2, weights)]), Some(Rule::Figure));
}

/// Each process has its own channel; messages vanish with a process that ends.
#[test]
fn the_room_of_all_channels_of_a_group_counts_and_only_while_they_last() {
    let text = |end: &str| {
        format!(
            "chan d = [9] of {{ byte }}; byte y;
             active [2] proctype O() {{ chan p = [2] of {{ byte }}; do :: p!1; d!1 :: {end} od }}"
        )
    };
    let judged = |end: &str, at_most: u64, spoil: &dyn Fn(&mut Draft)| {
        let mut draft = declared(&text(end)).claim("y", &[0]);
        spoil(&mut draft);
        let send = before(&draft.system, "O", "d!1").0;
        let weights = draft.weigh(&[(1, 0, -1), (0, 0, 1)], |_, node| i64::from(is_at(node, send)));
        draft.refused(vec![bound(0, at_most, weights)])
    };
    let lives = |draft: &mut Draft| {
        let end = before(&draft.system, "O", "-end-").0;
        draft.group("O").nodes.retain(|node| !is_at(node, end));
    };
    assert_eq!(judged("y == 9 -> break", 4, &lives), None);
    assert_eq!(judged("y == 9 -> break", 2, &lives), Some(Rule::Figure));
    assert_eq!(judged("break", 4, &|_| {}), Some(Rule::NotNegative));
    let uncounted = |draft: &mut Draft| {
        lives(draft);
        draft.group("O").at_most = None;
    };
    assert_eq!(judged("y == 9 -> break", 4, &uncounted), Some(Rule::NotNegative));
}

/// A channel with room for two keeps `init` from starting a third process.
#[test]
fn room_limits_starts() {
    let text = "chan c = [2] of { byte }; byte y; proctype Z() { (y == 9) } init { do :: c!1; run Z() od }";
    let judged = |at_most: u32| {
        let mut draft = declared(text).claim("y", &[0]);
        draft.group("Z").at_most = Some(at_most);
        let run = before(&draft.system, ":init:", "run Z").0;
        let potential =
            draft.weigh(&[(0, 0, -1)], |name, node| i64::from(name == ":init:" && is_at(node, run)));
        let (group, at_most) = (draft.id("Z"), at_most.into());
        draft.refused(vec![Proof::Starts { group, at_most, denominator: 1, potential }])
    };
    assert_eq!(judged(2), None);
    assert_eq!(judged(0), Some(Rule::Figure));
    assert_eq!(judged(3), Some(Rule::Figure));
}

#[test]
fn one_channel_holds_what_it_has_room_for_and_two_hold_more() {
    let judged = |count: u32| {
        let text = format!("active [{count}] proctype O() {{ chan p = [2] of {{ byte }}; do :: p!1 od }}");
        declared(&text).refused(vec![Proof::Bound { object: ObjectId(0), at_most: 2, cases: vec![] }])
    };
    assert_eq!(judged(1), None);
    assert_eq!(judged(2), Some(Rule::Moments));
}

// Figures.

const FLOOD: &str = "chan c = [4] of { byte }; active proctype P() { do :: c!1 od }";

#[test]
fn messages_that_weigh_nothing_show_nothing() {
    let draft = Draft::of(FLOOD);
    for denominator in [0, -1, i64::MIN] {
        let cases = vec![BoundCase { after: None, denominator, potential: nothing() }];
        let proof = Proof::Bound { object: ObjectId(0), at_most: 0, cases };
        assert_eq!(draft.refused(vec![proof]), Some(Rule::WeighsEnough), "{denominator}");
    }
    let buffers = vec![BufferBound { object: ObjectId(0), at_most: 0 }];
    assert_eq!(
        draft.refused(vec![Proof::Bounds { buffers, potential: nothing() }]),
        Some(Rule::WeighsEnough)
    );
}

#[test]
fn bounds_speak_of_buffers_that_exist_and_of_processes_that_can() {
    let draft = Draft::of(FLOOD);
    let buffers = |object| vec![BufferBound { object: ObjectId(object), at_most: 0 }];
    let proof = Proof::Bounds { buffers: buffers(1), potential: nothing() };
    assert_eq!(draft.refused(vec![proof]), Some(Rule::Exists));
    // Nobody belongs to a second group with the same numbers.
    let mut draft = Draft::of("active proctype Q() { chan p = [4] of { byte }; p!1; p!1; (false) }");
    let mut second = draft.claims.groups[0].clone();
    (second.at_most, second.slots) = (Some(0), vec![channel(1)]);
    second.nodes.clear();
    draft.claims.groups.push(second);
    let place = ObjectPlace::Local { group: GroupId(1), slot: 0 };
    draft.claims.objects.push(Object { place, classes: vec![] });
    let proof = Proof::Bounds { buffers: buffers(1), potential: nothing() };
    assert_eq!(draft.refused(vec![proof]), Some(Rule::ToldApart));
}

/// A rendezvous channel holds nothing, so nothing is said of it.
#[test]
fn a_rendezvous_channel_is_no_buffer() {
    let draft = Draft::of(
        "chan r = [0] of { byte }; chan c = [1] of { byte }; active proctype S() { r!1; (false) }
         active proctype R() { r?1; (false) }",
    );
    let buffers = vec![BufferBound { object: ObjectId(0), at_most: 0 }];
    let weights = || potential(&[(0, 0, 1)], &[]);
    let guarded = Proof::Guarded { object: ObjectId(0), at_most: 0, sender: GroupId(0), known: vec![] };
    for proof in [
        bound(0, 0, nothing()),
        guarded,
        Proof::Bounds { buffers, potential: nothing() },
        bound(1, 0, potential(&[(0, 0, 1), (1, 0, 1)], &[])),
        Proof::AllBounded { stage: closed(weights()) },
    ] {
        assert_eq!(draft.refused(vec![proof.clone()]), Some(Rule::IsBuffer), "{proof:?}");
    }
    // But all buffers are bounded, whatever goes through it.
    let stage = closed(potential(&[(1, 0, 1)], &[]));
    assert_eq!(draft.refused(vec![Proof::AllBounded { stage }]), None);
}

/// The sender looks at one of two channels that have one name here.
#[test]
fn a_look_at_one_channel_says_nothing_of_all() {
    let text = "chan q = [2] of { chan }; byte y; active [2] proctype O() { chan p = [4] of { byte }; q!p; (y == 9) }
        active proctype S() { chan v; do :: q?v; len(v) < 1 -> v!1 od }";
    let mut draft = Draft::of(text).claim("y", &[0]).never("O", "-end-");
    draft.claims.objects[0].classes[0].fields = vec![channel(1)];
    draft.group("S").slots = vec![Values::integer(0).union(&channel(1))];
    let (sender, node) = (draft.id("S"), NodeId(before(&draft.system, "S", "v!1").0));
    let known = vec![KnownLength { node, at_most: 0 }];
    let proof = Proof::Guarded { object: ObjectId(1), at_most: 1, sender, known };
    assert_eq!(draft.refused(vec![proof]), Some(Rule::OnlySender));
}

#[test]
fn the_sender_that_looks_and_its_buffer_exist() {
    let draft = Draft::of(FLOOD);
    let guarded = |object, sender| {
        let (object, sender) = (ObjectId(object), GroupId(sender));
        draft.refused(vec![Proof::Guarded { object, at_most: 9, sender, known: vec![] }])
    };
    assert_eq!(guarded(0, 1), Some(Rule::Exists));
    assert_eq!(guarded(1, 0), Some(Rule::Exists));
}

// Stages.

#[test]
fn a_part_that_goes_on_is_not_closed() {
    let draft = Draft::of(FLOOD);
    let group = Component::Group(GroupId(0));
    assert_eq!(draft.refused(ends(split(group, vec![closed(nothing())]))), Some(Rule::NothingLeft));
    assert_eq!(draft.refused(ends(split(group, vec![]))), Some(Rule::EveryPart));
}

/// A tracker that never moves has one part, in which everything else goes on.
#[test]
fn what_never_moves_has_one_part() {
    let text = "chan c = [4] of { byte }; byte x; active proctype P() { do :: x == 0 -> c!1 od }";
    let mut draft = Draft::of(text).claim("x", &[0]);
    draft.claims.trackers = vec![Tracker { slots: vec![1], nodes: vec![vec![set(&[0])]] }];
    let tracker = Component::Tracker(TrackerId(0));
    assert_eq!(draft.refused(ends(split(tracker, vec![]))), Some(Rule::EveryPart));
    assert_eq!(draft.refused(ends(split(tracker, vec![closed(nothing())]))), Some(Rule::NothingLeft));
}

/// `init` starts processes for ever; each of them ends.
#[test]
fn a_start_of_another_process_stays_in_its_part() {
    let judged = |init: &str| {
        let draft = Draft::of(&format!("proctype Q() {{ skip }} init {{ {init} }}"));
        let (skip, end) = (before(&draft.system, "Q", "skip").0, before(&draft.system, "Q", "-end-").0);
        let weights = draft.weigh(&[], |name, node| match name {
            "Q" if is_at(node, skip) => 2,
            "Q" if is_at(node, end) => 1,
            _ => 0,
        });
        draft.refused(ends(split(Component::Group(draft.id(":init:")), vec![closed(weights)])))
    };
    assert_eq!(judged("do :: run Q() od"), Some(Rule::StageKept));
    // Once it has come to its end, what it has started ends, too. (It may be any number of processes.)
    assert_eq!(judged("run Q(); run Q()"), None);
}

#[test]
fn one_group_of_any_number_is_enough_to_forbid_a_split() {
    let draft = Draft::of("chan c = [4] of { byte }; proctype Q() { c!1 } init { run Q() }");
    let stage = split(Component::Group(draft.id(":init:")), vec![closed(potential(&[(0, 0, 1)], &[]))]);
    assert_eq!(draft.refused(vec![Proof::AllBounded { stage }]), Some(Rule::EveryPart));
}

/// With more and more processes that weigh less than nothing everything would come down.
#[test]
fn only_counted_processes_weigh_less_than_nothing() {
    let draft = Draft::of("byte y; proctype Q() { (y == 9) } init { do :: run Q() od }").claim("y", &[0]);
    let weights = draft.weigh(&[], |name, _| -i64::from(name == "Q"));
    assert_eq!(draft.refused(ends(closed(weights))), Some(Rule::NothingPilesUp));
    let draft = Draft::of("byte y; active proctype Q() { skip; (y == 9) }").claim("y", &[0]);
    let wait = before(&draft.system, "Q", "y == 9").0;
    let weights = draft.weigh(&[], |_, node| -i64::from(is_at(node, wait)));
    let draft = draft.never("Q", "-end-");
    assert_eq!(draft.refused(ends(closed(weights))), None);
}

/// What piles up may weigh less than nothing only if there is an end to it.
#[test]
fn only_what_cannot_pile_up_weighs_less_than_nothing() {
    let text = "chan c = [4] of { byte }; active proctype P() { do :: len(c) < 2 -> c!1 od }";
    let draft = Draft::of(text);
    let send = before(&draft.system, "P", "c!1").0;
    let weights = || closed(draft.weigh(&[(0, 0, -2)], |_, node| -i64::from(is_at(node, send))));
    let known = vec![KnownLength { node: NodeId(send), at_most: 1 }];
    let guarded = Proof::Guarded { object: ObjectId(0), at_most: 2, sender: GroupId(0), known };
    assert_eq!(draft.refused(ends(weights())), Some(Rule::NothingPilesUp));
    assert_eq!(draft.refused([vec![guarded], ends(weights())].concat()), None);
    assert_eq!(declared(text).refused(ends(weights())), None);
    // The message vanishes with its channel.
    let mortal = declared("active proctype O() { chan p = [2] of { byte }; p!1 }");
    assert_eq!(mortal.refused(ends(closed(potential(&[(0, 0, -1)], &[])))), Some(Rule::NothingPilesUp));
}

/// `init` and each new process take turns for ever, and every one of them leaves a message in a channel of its own.
#[test]
fn any_number_of_channels_have_no_limited_room() {
    let text = "chan g = [1] of { byte }; byte y;
        proctype Q() { chan p = [1] of { byte }; p!1; g!1; (y == 9) } init { do :: run Q(); g?1 od }";
    let draft = declared(text).claim("y", &[0]).never("Q", "-end-");
    let (waits, sends) = (before(&draft.system, ":init:", "g?1").0, before(&draft.system, "Q", "g!1").0);
    let weights = draft.weigh(&[(0, 0, 2), (1, 0, -4)], |name, node| match name {
        "Q" if is_at(node, sends) => 3,
        ":init:" if is_at(node, waits) => -1,
        _ => 0,
    });
    assert_eq!(draft.refused(ends(closed(weights))), Some(Rule::NothingPilesUp));
}

// Progress.

#[test]
fn a_statement_inside_a_d_step_may_be_progress() {
    let draft = Draft::of("byte x; active proctype P() { do :: d_step { skip; x = 1 - x } od }");
    let edges = (0..).zip(&draft.system.automata[0].edges);
    let is_d_step = |action: &_| matches!(action, system::automaton::Action::DStep(_));
    let (edge, _) = { edges }.find(|(_, edge)| is_d_step(&edge.action)).expect("there is one");
    let start = draft.system.automata[0].initial.0;
    let judged = |inside| {
        let progress = Progress::At(vec![ProgressStatement { automaton: 0, edge, inside: Some(inside) }]);
        let stage = closed(draft.weigh(&[], |_, node| i64::from(is_at(node, start))));
        draft.refused(vec![Proof::LivelockFree { progress, stage }])
    };
    assert_eq!(judged((1, 0)), None);
    assert_eq!(judged((0, 0)), Some(Rule::StageKept));
    assert_eq!(judged((1, 1)), Some(Rule::Exists));
    assert_eq!(judged((9, 0)), Some(Rule::Exists));
}

/// In a rendezvous the progress of one is that of both.
#[test]
fn one_side_of_a_rendezvous_may_be_the_one_that_is_progress() {
    let draft = Draft::of(
        "chan r = [0] of { byte }; active proctype S() { do :: r!1 od } active proctype R() { do :: r?1 od }",
    );
    let judged = |statements: &[(u32, u32)]| {
        let place = |&(automaton, edge): &(u32, u32)| ProgressStatement { automaton, edge, inside: None };
        let progress = Progress::At(statements.iter().map(place).collect());
        draft.refused(vec![Proof::LivelockFree { progress, stage: closed(nothing()) }])
    };
    let edge = |automaton: usize| {
        let edges = &draft.system.automata[automaton].edges;
        edges.iter().position(|edge| edge.text.contains('r')).expect("it is there") as u32
    };
    assert_eq!(judged(&[(0, edge(0))]), None);
    assert_eq!(judged(&[(1, edge(1))]), None);
    assert_eq!(judged(&[]), Some(Rule::NothingLeft));
}
