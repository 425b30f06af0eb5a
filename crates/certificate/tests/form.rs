//! What a certificate may look like: everything that it names exists, every set has one form, everything is in order, once.
//!
//! A certificate that is accepted is spoilt in one place after the other; each time the rule that forbids it must say so, whether or not
//! the claims would still be true.

mod common;

use certificate::Certificate;
use certificate::check::{Rule, check};
use certificate::claims::{
    Auxiliary, AuxiliaryId, GroupId, LinearInvariant, NodeId, ObjectId, Shadow, SlotValues, Tracker,
    TrackerId,
};
use certificate::potential::{
    Arrival, BoundCase, MessageWeight, Next, NodeWeight, Potential, Progress, ProgressStatement, Proof,
    Stage, TrackerWeight,
};
use certificate::values::{Interval, Values};
use certificate::verdict::Capacities;
use common::{broken, claims, global_channel, plain_group, potential, set, system};
use system::automaton::System;

const MODEL: &str = "chan c = [4] of { byte }; byte x; byte y;
    active proctype P() { byte n; x = 1; y = 1; c!1; (x + y + n == 2); n = 1; (n == 1); c!1; false }";

/// At most two messages, by what each location of `P` can still send.
fn genuine(system: &System) -> Certificate {
    let automaton = &system.automata[0];
    let mut left = vec![0; automaton.locations.len()];
    for _ in 0..automaton.locations.len() {
        for edge in &automaton.edges {
            let sends = i64::from(edge.text.contains("c!1"));
            left[edge.source.0 as usize] =
                left[edge.source.0 as usize].max(left[edge.target.0 as usize] + sends);
        }
    }
    let nodes: Vec<_> = left.iter().enumerate().map(|(node, left)| (0, node as u32, *left)).collect();
    let group = plain_group(system, "P", Some(1), set(&[0]), vec![set(&[0, 1])]);
    let globals = vec![Values::channel(ObjectId(0)), set(&[0, 1]), set(&[0, 1])];
    let mut claims = claims(vec![global_channel(0, &[&[1]])], globals, vec![group]);
    claims.trackers = vec![Tracker { slots: vec![1, 2], nodes: vec![vec![set(&[0, 1]), set(&[0, 1])]] }];
    let proof = common::bound(0, 2, potential(&[(0, 0, 1)], &nodes));
    Certificate::new(system, Capacities::Any, claims, vec![proof])
}

/// The rule by which the certificate is refused once it is spoilt and sealed again.
fn spoilt(spoil: impl Fn(&mut Certificate)) -> Option<Rule> {
    let system = system(MODEL);
    let mut certificate = genuine(&system);
    spoil(&mut certificate);
    let sealed = Certificate::new(&system, certificate.capacities, certificate.claims, certificate.proofs);
    broken(check(&system, &sealed))
}

fn first_case(certificate: &mut Certificate) -> &mut BoundCase {
    match &mut certificate.proofs[0] {
        Proof::Bound { cases, .. } => &mut cases[0],
        other => panic!("{other:?}"),
    }
}

fn backwards() -> Values {
    Values { integers: vec![Interval { low: 1, high: 1 }, Interval { low: 0, high: 0 }], channels: vec![] }
}

fn listing(slots: &[u32]) -> Vec<SlotValues> {
    slots.iter().map(|&slot| SlotValues { slot, values: set(&[0, 1]) }).collect()
}

type Spoil = fn(&mut Certificate);

/// Automaton, edge, and what inside of a `d_step`.
type Statement = (u32, u32, Option<(u32, u32)>);

#[test]
fn the_genuine_one_is_accepted() {
    assert_eq!(spoilt(|_| {}), None);
}

#[test]
fn what_does_not_exist_or_is_not_in_its_one_form_is_refused() {
    let cases: &[(&str, Spoil)] = &[
        ("a global without a set", |c| {
            c.claims.globals.pop();
        }),
        ("a set that is not in order", |c| c.claims.globals[1] = backwards()),
        ("an unknown channel", |c| c.claims.globals[0] = Values::channel(ObjectId(1))),
        ("a local without a set", |c| c.claims.groups[0].slots.clear()),
        ("a local's set that is not in order", |c| c.claims.groups[0].slots[0] = backwards()),
        ("a set of numbers of processes that is not in order", |c| c.claims.groups[0].pid = backwards()),
        ("an automaton that does not exist", |c| c.claims.groups[0].automaton = 9),
        ("a node twice", |c| {
            let node = c.claims.groups[0].nodes[0].clone();
            c.claims.groups[0].nodes.push(node);
        }),
        ("a node that lists a slot twice", |c| c.claims.groups[0].nodes[0].globals = listing(&[1, 1])),
        ("a node that lists slots in another order", |c| {
            c.claims.groups[0].nodes[0].globals = listing(&[2, 1])
        }),
        ("a node that lists a slot that does not exist", |c| {
            c.claims.groups[0].nodes[0].globals = listing(&[9])
        }),
        ("a node that lists nothing for a slot", |c| {
            c.claims.groups[0].nodes[0].globals = vec![SlotValues { slot: 1, values: Values::none() }];
        }),
        ("a node that lists a set that is not in order", |c| {
            c.claims.groups[0].nodes[0].globals = vec![SlotValues { slot: 1, values: backwards() }];
        }),
        ("a node that lists a local that does not exist", |c| {
            c.claims.groups[0].nodes[0].locals = listing(&[1])
        }),
        ("a node with the position of a shadow that there is not", |c| {
            c.claims.groups[0].nodes[0].shadows = vec![NodeId(0)];
        }),
        ("a shadow of an object that does not exist", |c| {
            c.claims.auxiliaries = vec![Auxiliary { group: GroupId(0), nodes: vec![common::at(0)] }];
            c.claims.groups[0].shadows = vec![Shadow { object: ObjectId(1), sender: AuxiliaryId(0) }];
        }),
        ("a shadow of a sender that does not exist", |c| {
            c.claims.groups[0].shadows = vec![Shadow { object: ObjectId(0), sender: AuxiliaryId(0) }];
        }),
        ("a second graph of no group", |c| {
            c.claims.auxiliaries = vec![Auxiliary { group: GroupId(1), nodes: vec![common::at(0)] }];
        }),
        ("a second graph whose nodes list globals", |c| {
            let node = certificate::claims::Node { globals: listing(&[1]), ..common::at(0) };
            c.claims.auxiliaries = vec![Auxiliary { group: GroupId(0), nodes: vec![node] }];
        }),
        ("a second graph whose nodes have shadows", |c| {
            let node = certificate::claims::Node { shadows: vec![NodeId(0)], ..common::at(0) };
            c.claims.auxiliaries = vec![Auxiliary { group: GroupId(0), nodes: vec![node] }];
        }),
        ("a second graph at a location that does not exist", |c| {
            c.claims.auxiliaries = vec![Auxiliary { group: GroupId(0), nodes: vec![common::at(99)] }];
        }),
        ("a tracker of nothing", |c| c.claims.trackers[0] = Tracker { slots: vec![], nodes: vec![vec![]] }),
        ("a tracker whose slots are in another order", |c| c.claims.trackers[0].slots = vec![2, 1]),
        ("a tracker of a slot twice", |c| c.claims.trackers[0].slots = vec![1, 1]),
        ("a tracker of a slot that does not exist", |c| c.claims.trackers[0].slots = vec![1, 9]),
        ("a tracker's node with a set too few", |c| {
            c.claims.trackers[0].nodes[0].pop();
        }),
        ("a tracker's node with an empty set", |c| {
            c.claims.trackers[0].nodes.push(vec![set(&[0]), Values::none()])
        }),
        ("a tracker's node with a set that is not in order", |c| {
            c.claims.trackers[0].nodes.push(vec![set(&[0]), backwards()]);
        }),
        ("a tracker's node with more than is claimed", |c| {
            c.claims.trackers[0].nodes.push(vec![set(&[0]), set(&[0, 7])]);
        }),
        ("a class without a value", |c| c.claims.objects[0].classes[0].fields[0] = Values::none()),
        ("a class whose set is not in order", |c| c.claims.objects[0].classes[0].fields[0] = backwards()),
        ("weights of messages twice", |c| {
            let weight =
                MessageWeight { object: ObjectId(0), class: certificate::claims::ClassId(0), weight: 2 };
            first_case(c).potential.messages.push(weight);
        }),
        ("weights of nodes in another order", |c| first_case(c).potential.nodes.reverse()),
        ("a weight that is 0", |c| {
            let nodes = &mut first_case(c).potential.nodes;
            nodes.push(NodeWeight { group: GroupId(0), node: NodeId(9_000), weight: 0 });
        }),
        ("a weight 0 of a message", |c| first_case(c).potential.messages[0].weight = 0),
        ("a weight of a class that does not exist", |c| {
            let weight =
                MessageWeight { object: ObjectId(0), class: certificate::claims::ClassId(1), weight: 1 };
            first_case(c).potential.messages.push(weight);
        }),
        ("a weight of a node that does not exist", |c| {
            let node = NodeId(c.claims.groups[0].nodes.len() as u32);
            first_case(c).potential.nodes.push(NodeWeight { group: GroupId(0), node, weight: 1 });
        }),
        ("a weight of a tracker's node that does not exist", |c| {
            let weight = TrackerWeight { tracker: TrackerId(0), node: NodeId(1), weight: 1 };
            first_case(c).potential.trackers = vec![weight];
        }),
        ("a weight of a tracker that does not exist", |c| {
            let weight = TrackerWeight { tracker: TrackerId(1), node: NodeId(0), weight: 1 };
            first_case(c).potential.trackers = vec![weight];
        }),
        ("weights of a tracker twice", |c| {
            let weight = TrackerWeight { tracker: TrackerId(0), node: NodeId(0), weight: 1 };
            first_case(c).potential.trackers = vec![weight, weight];
        }),
        ("a tracker's weight that is 0", |c| {
            let weight = TrackerWeight { tracker: TrackerId(0), node: NodeId(0), weight: 0 };
            first_case(c).potential.trackers = vec![weight];
        }),
        ("a case of a group that does not exist", |c| {
            first_case(c).after = Some(Arrival { group: GroupId(1), nodes: vec![NodeId(0)] });
        }),
        ("a case whose nodes are in another order", |c| {
            first_case(c).after = Some(Arrival { group: GroupId(0), nodes: vec![NodeId(1), NodeId(0)] });
        }),
    ];
    for (what, spoil) in cases {
        assert_eq!(spoilt(spoil), Some(Rule::Exists), "{what}");
    }
}

#[test]
fn statements_that_are_progress_exist_and_are_in_order() {
    let progress = |statements: &[Statement]| {
        let statements: Vec<_> = statements
            .iter()
            .map(|&(automaton, edge, inside)| ProgressStatement { automaton, edge, inside })
            .collect();
        spoilt(move |c| {
            let potential = Potential::default();
            let stage = Stage { potential, next: Next::Closed };
            c.proofs = vec![Proof::LivelockFree { progress: Progress::At(statements.clone()), stage }];
        })
    };
    let edges = system(MODEL).automata[0].edges.len() as u32;
    let all: Vec<_> = (0..edges).map(|edge| (0, edge, None)).collect();
    assert_eq!(progress(&all), None, "if every statement is progress, every run makes progress");
    for wrong in [(1, 0, None), (0, edges, None), (0, 0, Some((0, 0)))] {
        let mut with = all.clone();
        with.push(wrong);
        with.sort();
        assert_eq!(progress(&with), Some(Rule::Exists), "{wrong:?}");
    }
    let mut twice = all.clone();
    twice.push(all[all.len() - 1]);
    assert_eq!(progress(&twice), Some(Rule::Exists));
    let mut reversed = all.clone();
    reversed.reverse();
    assert_eq!(progress(&reversed), Some(Rule::Exists));
}

#[test]
fn a_bar_has_weights_that_exist_and_are_not_negative() {
    let invariant = |weight: i64, total: i64| {
        spoilt(move |c| {
            let nodes = vec![NodeWeight { group: GroupId(0), node: NodeId(0), weight }];
            let potential = Potential { nodes, ..Potential::default() };
            c.claims.invariants = vec![LinearInvariant { potential, total }];
        })
    };
    assert_eq!(invariant(-1, 0), Some(Rule::InvariantWeights));
    assert_eq!(invariant(0, 0), Some(Rule::Exists));
}

#[test]
fn a_number_is_no_channel_wherever_it_stands() {
    let cases: &[(&str, Spoil)] = &[
        ("the number of a process", |c| {
            c.claims.groups[0].pid = c.claims.groups[0].pid.union(&Values::channel(ObjectId(0)));
        }),
        ("a field of a message", |c| {
            let field = &mut c.claims.objects[0].classes[0].fields[0];
            *field = field.union(&Values::channel(ObjectId(0)));
        }),
        ("a channel variable", |c| c.claims.globals[0] = c.claims.globals[0].union(&set(&[1]))),
    ];
    for (what, spoil) in cases {
        assert_eq!(spoilt(spoil), Some(Rule::OneType), "{what}");
    }
}

#[test]
fn every_channel_has_one_object() {
    assert_eq!(spoilt(|c| c.claims.objects.clear()), Some(Rule::Exists), "it is a value of `c`");
    let missing = |c: &mut Certificate| {
        c.claims.objects.clear();
        c.claims.globals[0] = set(&[0]);
        c.proofs =
            vec![Proof::AllBounded { stage: Stage { potential: Potential::default(), next: Next::Closed } }];
    };
    assert_eq!(spoilt(missing), Some(Rule::Objects));
    assert_eq!(spoilt(|c| c.claims.objects.push(c.claims.objects[0].clone())), Some(Rule::Objects));
    // Channels may be fields of a struct, in an array.
    let draft = common::Draft::of(
        "typedef T { byte n; chan c = [1] of { byte } }; T t[2]; active proctype P() { t[1].c!1; (false) }",
    );
    let with = |objects: &[u32]| {
        let mut claims = draft.claims.clone();
        claims.objects = objects.iter().map(|&slot| global_channel(slot, &[&[1]])).collect();
        claims.globals =
            vec![set(&[0]), Values::channel(ObjectId(0)), set(&[0]), Values::channel(ObjectId(1))];
        let stage = Stage { potential: potential(&[(0, 0, 1), (1, 0, 1)], &[(0, 0, 1)]), next: Next::Closed };
        let certificate =
            Certificate::new(&draft.system, Capacities::Any, claims, vec![Proof::AllBounded { stage }]);
        broken(check(&draft.system, &certificate))
    };
    assert_eq!(with(&[1, 3]), None);
    assert_eq!(with(&[1, 2]), Some(Rule::Exists));
}

/// A variable that nothing reads is no part of the state; a point inside a `d_step` is one that the `d_step` has.
#[test]
fn nodes_and_trackers_are_of_what_there_is() {
    let draft =
        common::Draft::of("byte h; byte x; active proctype P() { d_step { h = 1; x = 2 }; (x == 1) }");
    let edges = (0..).zip(&draft.system.automata[0].edges);
    let is_d_step = |action: &_| matches!(action, system::automaton::Action::DStep(_));
    let (edge, _) = { edges }.find(|(_, edge)| is_d_step(&edge.action)).expect("there is one");
    let spoilt = |node: certificate::claims::Node| {
        let mut claims = draft.claims.clone();
        claims.groups[0].nodes.push(node);
        let stage = Stage { potential: Potential::default(), next: Next::Closed };
        let certificate =
            Certificate::new(&draft.system, Capacities::Any, claims, vec![Proof::AllBounded { stage }]);
        broken(check(&draft.system, &certificate))
    };
    let lists = |slot| certificate::claims::Node { globals: listing(&[slot]), ..common::at(0) };
    let inside = |edge, step| {
        let point = certificate::claims::Point::Inside { edge, step };
        certificate::claims::Node { point, ..common::at(0) }
    };
    assert_eq!(spoilt(lists(draft.slot("x"))), None);
    assert_eq!(spoilt(lists(draft.slot("h"))), Some(Rule::Exists));
    assert_eq!(spoilt(inside(edge, 0)), None);
    assert_eq!(spoilt(inside(edge, 2)), Some(Rule::Exists));
    assert_eq!(spoilt(inside(edge + 1, 0)), Some(Rule::Exists));
}

/// What another version wrote may mean something else.
#[test]
fn another_schema_is_refused_whatever_it_says() {
    let system = system(MODEL);
    let mut certificate = genuine(&system);
    certificate.schema = "plimsoll-certificate/1".into();
    certificate.seal();
    assert_eq!(broken(check(&system, &certificate)), Some(Rule::Identity));
}

/// Whoever wants the work to end is heard in every part of it.
#[test]
fn a_check_can_be_stopped_at_every_stage() {
    let system = system(MODEL);
    let mut certificate = genuine(&system);
    let stage = Stage { potential: Potential::default(), next: Next::Closed };
    certificate.capacities = Capacities::Declared;
    certificate.proofs.push(Proof::AllBounded { stage });
    certificate.seal();
    let stopped_at = |glance: usize| {
        let glances = std::cell::Cell::new(0);
        let cancelled = || glances.replace(glances.get() + 1) == glance;
        (certificate::check::check_unless(&system, &certificate, &cancelled), glances.get())
    };
    let (result, glances) = stopped_at(usize::MAX);
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(glances, 4, "statements, transitions, a potential, a stage");
    for glance in 0..glances {
        assert_eq!(stopped_at(glance).0, Err(certificate::check::Refusal::Cancelled), "{glance}");
    }
}

/// The schema has every kind of proof, of what follows a stage and of a case, and no other. Who adds a kind meets these matches.
#[test]
fn the_schema_knows_every_kind() {
    let of_proof = |proof: &Proof| match proof {
        Proof::Bound { .. } => "bound",
        Proof::Guarded { .. } => "guarded",
        Proof::Bounds { .. } => "bounds",
        Proof::Starts { .. } => "starts",
        Proof::AllBounded { .. } => "all_bounded",
        Proof::LivelockFree { .. } => "livelock_free",
        Proof::FairProgress { .. } => "fair_progress",
        Proof::Formula { .. } => "formula",
    };
    let of_next = |next: &Next| match next {
        Next::Closed => "closed",
        Next::Split { .. } => "split",
        Next::Idle { .. } => "idle",
        Next::Starved { .. } => "starved",
    };
    let _ = (of_proof, of_next);
    let text = include_str!("../../../docs/schema/plimsoll-certificate-2.json");
    let schema: serde_json::Value = serde_json::from_str(text).expect("the schema is JSON");
    let names = |kinds: &serde_json::Value| -> Vec<String> {
        let kinds = kinds.as_array().expect("a list of kinds").iter();
        let name =
            |kind: &serde_json::Value| kind.get("required").or(kind.get("enum")).map(|list| list[0].clone());
        kinds.filter_map(name).filter_map(|name| name.as_str().map(str::to_string)).collect()
    };
    let proofs =
        ["bound", "guarded", "bounds", "starts", "all_bounded", "livelock_free", "fair_progress", "formula"];
    assert_eq!(names(&schema["$defs"]["proof"]["oneOf"]), proofs);
    let follows = ["closed", "split", "idle", "starved"];
    assert_eq!(names(&schema["$defs"]["stage"]["properties"]["next"]["oneOf"]), follows);
    assert_eq!(names(&schema["$defs"]["blocked"]["oneOf"]), ["excluded", "split"]);
}
