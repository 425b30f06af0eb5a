//! Traps: each shortcut that would be unsound is refused.

mod common;

use certificate::Certificate;
use certificate::check::{Refusal, Rule, check};
use certificate::claims::{
    Auxiliary, AuxiliaryId, Claims, Group, GroupId, Node, NodeId, ObjectId, Point, Shadow, SlotValues,
    Tracker, TrackerId,
};
use certificate::potential::{
    Arrival, BoundCase, Component, Next, Potential, Progress, Proof, Stage, TrackerWeight,
};
use certificate::values::Values;
use certificate::verdict::Capacities;
use common::{
    at, bound, broken, claims, global_channel, plain_group, potential, set, system, watch_all_states,
};
use system::automaton::System;

fn channel(object: u32) -> Values {
    Values::channel(ObjectId(object))
}

fn checked(system: &System, claims: &Claims, proofs: Vec<Proof>) -> Result<(), Refusal> {
    let certificate = Certificate::new(system, Capacities::Any, claims.clone(), proofs);
    check(system, &certificate).map(|_| ())
}

fn closed(potential: Potential) -> Stage {
    Stage { potential, next: Next::Closed }
}

fn split(potential: Potential, group: u32, parts: Vec<Stage>) -> Stage {
    Stage { potential, next: Next::Split { component: Component::Group(GroupId(group)), parts } }
}

fn location(system: &System, name: &str, text: &str) -> u32 {
    common::before(system, name, text).0
}

/// Trap 1: `P` may send any number of messages before it leaves its loop. Each run leaves at most once, but "once" is no
/// bound: a potential that only decreases when the loop is left shows nothing.
#[test]
fn what_each_run_does_finitely_often_is_not_bounded_over_all_runs() {
    let system = system("chan c = [1] of { byte };\nactive proctype P() { do :: c!1 :: break od }");
    let group = plain_group(&system, "P", Some(1), set(&[0]), vec![]);
    let claims = claims(vec![global_channel(0, &[&[1]])], vec![channel(0)], vec![group]);
    for weight in 0..5 {
        let start = location(&system, "P", "c!1");
        let proof = bound(0, weight as u64, potential(&[(0, 0, 1)], &[(0, start, weight)]));
        assert_eq!(broken(checked(&system, &claims, vec![proof])), Some(Rule::NothingGrows));
    }
    // Leaving the loop out of the account as something that happens once is what a split does; the loop itself remains.
    let stage =
        split(potential(&[], &[(0, location(&system, "P", "c!1"), 1)]), 0, vec![closed(potential(&[], &[]))]);
    let refusal = checked(&system, &claims, vec![Proof::AllBounded { stage }]);
    assert_eq!(broken(refusal), Some(Rule::NothingLeft));
}

const TWO_INSTANCES: &str = "chan c = [1] of { byte };
chan d = [1] of { byte };
active [2] proctype P() {
    byte x;
    if
    :: skip -> do :: c!1; d?x od
    :: skip -> do :: c?x; d!1; d!1 od
    fi
}";

fn two_instances(groups: Vec<Group>) -> Claims {
    claims(vec![global_channel(0, &[&[1]]), global_channel(1, &[&[1]])], vec![channel(0), channel(1)], groups)
}

/// Trap 3: two instances of one group stand in two parts at once; together they are unbounded, each part alone is not.
#[test]
fn two_instances_that_share_a_component_must_not_be_split() {
    let system = system(TWO_INSTANCES);
    let locals = vec![set(&[0, 1])];
    let shared = plain_group(&system, "P", Some(2), set(&[0, 1]), locals.clone());
    let claims = two_instances(vec![shared]);
    let nothing = || potential(&[], &[]);
    let stage = split(nothing(), 0, vec![closed(nothing()), closed(nothing())]);
    assert_eq!(broken(checked(&system, &claims, vec![Proof::AllBounded { stage }])), Some(Rule::EveryPart));
}

/// With a component each, the choice in which they stand in different parts is one of those that must be treated, and no
/// weights treat it.
#[test]
fn two_instances_with_a_component_each_have_a_part_that_no_potential_closes() {
    let system = system(TWO_INSTANCES);
    let locals = vec![set(&[0, 1])];
    let groups: Vec<Group> =
        (0..2).map(|pid| plain_group(&system, "P", Some(1), set(&[pid]), locals.clone())).collect();
    let claims = two_instances(groups);
    let leave = |group| potential(&[], &[(group, 0, 1)]);
    let rest = || closed(potential(&[], &[]));
    let inner = || split(leave(1), 1, vec![rest(), rest()]);
    let stage = split(leave(0), 0, vec![inner(), inner()]);
    let refusal = checked(&system, &claims, vec![Proof::AllBounded { stage }]);
    assert_eq!(broken(refusal), Some(Rule::NothingLeft));
}

/// One process that ends up in one of two loops, each of which is bounded on its own, is bounded: the split is right there.
#[test]
fn one_process_in_one_of_two_loops_may_be_split() {
    let system = system(
        "chan c = [1] of { byte };
         active proctype P() {
             byte x;
             if
             :: skip -> do :: c!1; c?x od
             :: skip -> do :: c!2; c?x od
             fi
         }",
    );
    let group = plain_group(&system, "P", Some(1), set(&[0]), vec![set(&[0, 1, 2])]);
    let claims = claims(vec![global_channel(0, &[&[1], &[2]])], vec![channel(0)], vec![group]);
    let automaton = &system.automata[0];
    let start = automaton.initial.0;
    let [one, two] = [location(&system, "P", "c!1"), location(&system, "P", "c!2")];
    let weights = potential(&[(0, 0, 1), (0, 1, 1)], &[(0, start, 1), (0, one, 1), (0, two, 1)]);
    // Whatever is received may have been sent in the other loop as far as the claims know, so each loop loses.
    let parts = vec![closed(weights.clone()), closed(weights.clone())];
    let leave = potential(&[], &[(0, start, 1)]);
    let result = checked(&system, &claims, vec![Proof::AllBounded { stage: split(leave, 0, parts.clone()) }]);
    assert_eq!(result, Ok(()));
    // A part that is left out is noticed.
    let leave = potential(&[], &[(0, start, 1)]);
    let stage = split(leave, 0, parts[..1].to_vec());
    let result = checked(&system, &claims, vec![Proof::AllBounded { stage }]);
    assert_eq!(broken(result), Some(Rule::EveryPart));
}

/// Trap 2, second half: with any number of processes, a split may leave processes behind that the next part pours into a buffer.
#[test]
fn any_number_of_processes_and_a_split_do_not_prove_boundedness() {
    let system = system("chan c = [1] of { byte };\nactive proctype P() { do :: c!1; c?1 od }");
    let group = plain_group(&system, "P", None, set(&[0]), vec![]);
    let claims = claims(vec![global_channel(0, &[&[1]])], vec![channel(0)], vec![group]);
    let stage = split(potential(&[], &[]), 0, vec![closed(potential(&[], &[]))]);
    assert_eq!(broken(checked(&system, &claims, vec![Proof::AllBounded { stage }])), Some(Rule::EveryPart));
}

/// Trap 4: what a `d_step` puts in and takes out again is a peak all the same.
#[test]
fn a_peak_inside_a_d_step_counts() {
    let system =
        system("chan c = [2] of { byte };\nactive proctype P() { do :: d_step { c!1; c!1; c?1; c?1 } od }");
    let mut group = plain_group(&system, "P", Some(1), set(&[0]), vec![]);
    let edge = 0;
    group.nodes.truncate(1);
    group.nodes.extend((1..4).map(|step| Node { point: Point::Inside { edge, step }, ..at(0) }));
    let claims = claims(vec![global_channel(0, &[&[1]])], vec![channel(0)], vec![group]);
    let with = |weights: [i64; 4]| {
        let nodes: Vec<(u32, u32, i64)> = (0..4).map(|node| (0, node, weights[node as usize])).collect();
        potential(&[(0, 0, 1)], &nodes)
    };
    assert_eq!(checked(&system, &claims, vec![bound(0, 2, with([2, 1, 0, 1]))]), Ok(()));
    assert!(checked(&system, &claims, vec![bound(0, 1, with([1, 0, 0, 0]))]).is_err());
    assert!(checked(&system, &claims, vec![bound(0, 0, with([0, 0, 0, 0]))]).is_err());
    // The inside cannot be left out of the graph.
    let mut without = claims.clone();
    without.groups[0].nodes.truncate(1);
    let proof = bound(0, 0, potential(&[(0, 0, 1)], &[]));
    assert_eq!(broken(checked(&system, &without, vec![proof])), Some(Rule::Arrives));
}

/// Trap 5: every statement of an `atomic` sequence is a step, so a peak inside counts, and others may run where it blocks.
#[test]
fn a_peak_inside_an_atomic_sequence_counts() {
    let system = system("chan c = [2] of { byte };\nactive proctype P() { do :: atomic { c!1; c?1 } od }");
    let group = plain_group(&system, "P", Some(1), set(&[0]), vec![]);
    let claims = claims(vec![global_channel(0, &[&[1]])], vec![channel(0)], vec![group]);
    let send = location(&system, "P", "c!1");
    assert_eq!(
        checked(&system, &claims, vec![bound(0, 1, potential(&[(0, 0, 1)], &[(0, send, 1)]))]),
        Ok(())
    );
    assert!(checked(&system, &claims, vec![bound(0, 0, potential(&[(0, 0, 1)], &[]))]).is_err());
}

/// Trap 6: a weight that is off by one in a billion is off.
#[test]
fn nothing_is_rounded() {
    let system = system("chan c = [2] of { byte };\nactive proctype P() { do :: c!1; c?1 od }");
    let group = plain_group(&system, "P", Some(1), set(&[0]), vec![]);
    let claims = claims(vec![global_channel(0, &[&[1]])], vec![channel(0)], vec![group]);
    let send = location(&system, "P", "c!1");
    let billion = 1_000_000_000;
    let proof = |message: i64, node: i64, at_most: u64| Proof::Bound {
        object: ObjectId(0),
        at_most,
        cases: vec![BoundCase {
            after: None,
            denominator: billion,
            potential: potential(&[(0, 0, message)], &[(0, send, node)]),
        }],
    };
    assert_eq!(checked(&system, &claims, vec![proof(billion, billion, 1)]), Ok(()));
    assert!(checked(&system, &claims, vec![proof(billion, billion - 1, 0)]).is_err());
    assert!(checked(&system, &claims, vec![proof(billion - 1, billion - 1, 0)]).is_err());
    assert!(checked(&system, &claims, vec![proof(i64::MAX, i64::MAX, 9_223_372_036)]).is_ok());
}

/// A buffer is fullest just after a send: where the sender stands then, it may have paid already.
#[test]
fn just_after_a_send_the_sender_s_other_nodes_do_not_matter() {
    let system = system("chan c = [2] of { byte };\nactive proctype P() { do :: c!1; c!1; c?1; c?1 od }");
    let group = plain_group(&system, "P", Some(1), set(&[0]), vec![]);
    let claims = claims(vec![global_channel(0, &[&[1]])], vec![channel(0)], vec![group]);
    // Nodes by how many messages are there: 0, 1, 2, 1.
    let automaton = &system.automata[0];
    let mut order = vec![automaton.initial.0];
    for _ in 0..3 {
        let last = automaton.locations[*order.last().unwrap() as usize].edges[0];
        order.push(automaton.edge(last).target.0);
    }
    let weights: Vec<(u32, u32, i64)> = order.iter().zip([0, -1, -2, -1]).map(|(&l, w)| (0, l, w)).collect();
    let case = |nodes: Vec<u32>| {
        let mut nodes: Vec<NodeId> = nodes.into_iter().map(NodeId).collect();
        nodes.sort();
        let after = Some(Arrival { group: GroupId(0), nodes });
        BoundCase { after, denominator: 1, potential: potential(&[(0, 0, 1)], &weights) }
    };
    let proof = |at_most, cases| vec![Proof::Bound { object: ObjectId(0), at_most, cases }];
    assert_eq!(checked(&system, &claims, proof(2, vec![case(vec![order[1], order[2]])])), Ok(()));
    // One arrival left out, a wrong bound, a group that may have more processes.
    assert!(checked(&system, &claims, proof(1, vec![case(vec![order[1]])])).is_err());
    assert!(checked(&system, &claims, proof(1, vec![case(vec![order[1], order[2]])])).is_err());
    let mut many = claims.clone();
    many.groups[0].at_most = None;
    assert!(checked(&system, &many, proof(2, vec![case(vec![order[1], order[2]])])).is_err());
}

/// The receiver of `c` alternates because its sender does; counting alone does not know that, the shadow does.
#[test]
fn the_shadow_of_a_sender_recovers_the_order() {
    let text = "chan c = [9] of { byte };
        chan d = [9] of { byte };
        active proctype S() { do :: c!1; c!2 od }
        active proctype R() { do :: c?1 -> d!1 :: c?2 -> d?1 od }";
    let system = system(text);
    let objects = vec![global_channel(0, &[&[1], &[2]]), global_channel(1, &[&[1]])];
    let sender = plain_group(&system, "S", Some(1), set(&[0]), vec![]);
    let mut receiver = plain_group(&system, "R", Some(1), set(&[1]), vec![]);
    let [first, second] = [location(&system, "S", "c!1"), location(&system, "S", "c!2")];
    let [idle, send, take] =
        [location(&system, "R", "c?1"), location(&system, "R", "d!1"), location(&system, "R", "d?1")];
    receiver.shadows = vec![Shadow { object: ObjectId(0), sender: AuxiliaryId(0) }];
    // The shadow is where the sender stood after it had sent what was received last.
    let with = |location, shadow| Node { shadows: vec![NodeId(shadow)], ..at(location) };
    receiver.nodes = vec![with(idle, first), with(send, second), with(idle, second), with(take, first)];
    let mut claims = claims(objects, vec![channel(0), channel(1)], vec![sender.clone(), receiver]);
    claims.auxiliaries = vec![Auxiliary { group: GroupId(0), nodes: sender.nodes }];
    let weights = |w: [i64; 4]| {
        let nodes: Vec<(u32, u32, i64)> = (0..4).map(|n| (1, n, w[n as usize])).collect();
        potential(&[(1, 0, 1)], &nodes)
    };
    let proof = bound(1, 1, weights([1, 1, 0, 0]));
    assert_eq!(checked(&system, &claims, vec![proof.clone()]), Ok(()));
    assert!(checked(&system, &claims, vec![bound(1, 0, weights([0, 0, 0, 0]))]).is_err());

    // Without the shadow there is no such graph, and no bound.
    let mut blind = claims.clone();
    blind.groups[1] = plain_group(&system, "R", Some(1), set(&[1]), vec![]);
    blind.auxiliaries.clear();
    let nodes = [(1, idle, 1), (1, send, 1)];
    assert!(checked(&system, &blind, vec![bound(1, 1, potential(&[(1, 0, 1)], &nodes))]).is_err());

    // A second sender of the same messages, `!!` or `??`: the shadow does not know the order any more.
    let changed = |old: &str, new: &str| common::system(&text.replace(old, new));
    for other in
        [changed("c!2 od", "c!!2 od"), changed("c?2 ->", "c??2 ->"), changed("d!1 ::", "c!2; d!1 ::")]
    {
        assert!(checked(&other, &claims, vec![proof.clone()]).is_err());
    }
    let mut two = claims.clone();
    two.groups[0].at_most = None;
    assert!(checked(&system, &two, vec![proof]).is_err());
}

/// A global that is tracked in a component of its own, and one that is tracked with the process that tests it.
#[test]
fn a_tracked_global_bounds_what_may_be_sent() {
    let text = "chan c = [9] of { byte };\nbool busy;
        active proctype P() { do :: !busy -> atomic { busy = 1; c!1 } od }
        active proctype Q() { do :: c?1 -> busy = 0 od }";
    let system = system(text);
    let p = plain_group(&system, "P", Some(1), set(&[0]), vec![]);
    let q = plain_group(&system, "Q", Some(1), set(&[1]), vec![]);
    let [test, mark, send] =
        [location(&system, "P", "busy"), location(&system, "P", "busy = 1"), location(&system, "P", "c!1")];
    let clear = location(&system, "Q", "busy = 0");
    let mut separate =
        claims(vec![global_channel(0, &[&[1]])], vec![channel(0), set(&[0, 1])], vec![p.clone(), q.clone()]);
    separate.trackers = vec![Tracker { slots: vec![1], nodes: vec![vec![set(&[0])], vec![set(&[1])]] }];
    let tracked = |clear_weight: i64| Potential {
        trackers: vec![TrackerWeight { tracker: TrackerId(0), node: NodeId(0), weight: 1 }],
        ..potential(&[(0, 0, 1)], &[(0, send, 1), (1, clear, clear_weight)])
    };
    // As a component of its own it cannot know that `busy` is 0 when P sets it.
    assert!(checked(&system, &separate, vec![bound(0, 1, tracked(1))]).is_err());
    // Jointly with P it does.
    let mut joint = separate.clone();
    joint.trackers.clear();
    let with = |location, values: &[i32]| Node {
        globals: vec![SlotValues { slot: 1, values: set(values) }],
        ..at(location)
    };
    joint.groups[0].nodes =
        vec![with(test, &[0]), with(test, &[1]), with(mark, &[0]), with(send, &[1]), with(send, &[0])];
    let weights = potential(&[(0, 0, 1)], &[(0, 0, 1), (0, 2, 1), (0, 3, 1), (0, 4, 2), (1, clear, 1)]);
    assert_eq!(checked(&system, &joint, vec![bound(0, 1, weights.clone())]), Ok(()));
    // A node that the others' writes lead to cannot be left out.
    let mut hole = joint.clone();
    hole.groups[0].nodes.remove(4);
    let proofs = vec![bound(0, 1, weights.clone())];
    assert_eq!(broken(checked(&system, &hole, proofs)), Some(Rule::OthersCarried));
    let certificate = Certificate::new(&system, Capacities::Any, joint, vec![bound(0, 1, weights)]);
    watch_all_states(&system, &certificate, 1000);
}

#[test]
fn livelock_freedom_needs_every_other_statement_to_lose() {
    let system = system(
        "chan c = [9] of { byte };
         active proctype P() { do :: c!1; progress: c?1 od }",
    );
    let group = plain_group(&system, "P", Some(1), set(&[0]), vec![]);
    let claims = claims(vec![global_channel(0, &[&[1]])], vec![channel(0)], vec![group]);
    let send = location(&system, "P", "c!1");
    let proof = |progress, weight| Proof::LivelockFree {
        progress,
        stage: closed(potential(&[], &[(0, send, weight)])),
    };
    assert_eq!(checked(&system, &claims, vec![proof(Progress::Labels, 1)]), Ok(()));
    assert!(checked(&system, &claims, vec![proof(Progress::At(vec![]), 1)]).is_err());
    assert!(checked(&system, &claims, vec![proof(Progress::Labels, -1)]).is_err());
}

/// The integers of the model wrap: an `i` that is claimed to stay below 4 does not.
#[test]
fn a_counter_that_wraps_breaks_its_claim() {
    let system =
        system("chan c = [1] of { byte };\nbyte i;\nactive proctype P() { do :: i++ od; assert(i) }");
    let with = |high: i32| {
        claims(
            vec![global_channel(0, &[])],
            vec![channel(0), Values::interval(0, high)],
            vec![plain_group(&system, "P", Some(1), set(&[0]), vec![])],
        )
    };
    let empty = || vec![bound(0, 0, potential(&[], &[]))];
    assert_eq!(checked(&system, &with(255), empty()), Ok(()));
    let refusal = checked(&system, &with(254), empty()).unwrap_err();
    assert!(refusal.to_string().contains("`i` may become"), "{refusal}");
}

/// The same model with a rendezvous: nothing stays in the channel, and both sides move at once.
#[test]
fn a_rendezvous_moves_both_sides() {
    let system = system(
        "chan r = [0] of { byte };
         chan c = [9] of { byte };
         active proctype P() { do :: r!1; c!1 od }
         active proctype Q() { do :: c?1; r?1 od }",
    );
    let groups = vec![
        plain_group(&system, "P", Some(1), set(&[0]), vec![]),
        plain_group(&system, "Q", Some(1), set(&[1]), vec![]),
    ];
    let objects = vec![global_channel(0, &[&[1]]), global_channel(1, &[&[1]])];
    let claims = claims(objects, vec![channel(0), channel(1)], groups);
    let [give, take] = [location(&system, "P", "c!1"), location(&system, "Q", "r?1")];
    // Q gets a token when it takes a message, hands it to P in the rendezvous, and P pays its message with it.
    let weights = potential(&[(1, 0, 1)], &[(0, give, 1), (1, take, 1)]);
    assert_eq!(checked(&system, &claims, vec![bound(1, 0, weights)]), Ok(()));
    assert!(checked(&system, &claims, vec![bound(1, 0, potential(&[(1, 0, 1)], &[(0, give, 1)]))]).is_err());
    assert!(checked(&system, &claims, vec![bound(0, 0, potential(&[], &[]))]).is_err());
}

fn checked_as_declared(system: &System, claims: &Claims, proofs: Vec<Proof>) -> Result<(), Refusal> {
    let certificate = Certificate::new(system, Capacities::Declared, claims.clone(), proofs);
    check(system, &certificate).map(|_| ())
}

/// As declared, a channel holds at most what it has room for: exactly that, and only under that reading.
#[test]
fn the_declared_capacity_is_a_bound_only_where_capacities_are_declared() {
    let system = system("chan c = [3] of { byte };\nactive proctype P() { do :: c!1 od }");
    let p = plain_group(&system, "P", Some(1), set(&[0]), vec![]);
    let claims = claims(vec![global_channel(0, &[&[1]])], vec![channel(0)], vec![p]);
    let by_room = |at_most| vec![Proof::Bound { object: ObjectId(0), at_most, cases: vec![] }];
    assert_eq!(checked_as_declared(&system, &claims, by_room(3)), Ok(()));
    assert!(checked_as_declared(&system, &claims, by_room(2)).is_err());
    assert!(checked_as_declared(&system, &claims, by_room(4)).is_err());
    assert!(checked(&system, &claims, by_room(3)).is_err());
    let all = || vec![Proof::AllBounded { stage: closed(potential(&[], &[])) }];
    assert_eq!(checked_as_declared(&system, &claims, all()), Ok(()));
    assert!(checked(&system, &claims, all()).is_err());
}

/// P waits for ever with its own channel full. Each channel has room for one, but there is no limit on how many channels there are, so
/// what their messages take off the total is no reason for the loop of `init` to end.
#[test]
fn the_room_in_any_number_of_channels_has_no_limit() {
    let text = "chan g = [1] of { byte };
        proctype P() { chan mine = [1] of { byte }; mine!1; g!1; false }
        init { do :: run P(); g?1 od }";
    let system = system(text);
    let mine = certificate::claims::Object {
        place: certificate::claims::ObjectPlace::Local { group: GroupId(0), slot: 0 },
        classes: vec![certificate::claims::MessageClass { fields: vec![set(&[1])] }],
    };
    let objects = vec![global_channel(0, &[&[1]]), mine];
    let group = |at_most| {
        plain_group(&system, "P", at_most, certificate::values::Values::interval(1, 255), vec![channel(1)])
    };
    let init = plain_group(&system, ":init:", Some(1), set(&[0]), vec![]);
    let after = |text| location(&system, "P", text);
    let weights = potential(&[(0, 0, 1), (1, 0, -1)], &[(0, after("g!1"), 1)]);
    let stage = closed(weights);
    let progress = certificate::potential::Progress::Labels;
    let proof = vec![Proof::LivelockFree { progress, stage }];
    let claims = claims(objects, vec![channel(0)], vec![group(None), init]);
    let refusal = checked_as_declared(&system, &claims, proof).expect_err("a livelock");
    assert!(refusal.to_string().contains("negative weight"), "{refusal}");
}
