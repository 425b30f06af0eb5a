//! Every rule is needed: for each a certificate that is false of its model, that this rule alone refuses, and that is accepted as soon as
//! the rule is waived. So whoever removes a rule from the code makes a test fail.

use super::any_number::every_pid;
use super::rule::without;
use super::{Rule, check};
use crate::Certificate;
use crate::claims::{
    Auxiliary, AuxiliaryId, Claims, ClassId, Group, GroupId, KnownRange, LinearInvariant, MessageClass, Node,
    NodeId, Number, NumberId, NumberTerm, Object, ObjectId, ObjectPlace, Point, Shadow, SlotValues, Tracker,
    TrackerId,
};
use crate::potential::{
    Arrival, Blocked, BoundCase, BufferBound, Component, KnownLength, MessageWeight, Next, NodeWeight,
    NumberWeight, Potential, Progress, Proof, Stage, TrackerWeight,
};
use crate::values::{Interval, Values};
use crate::verdict::{Capacities, Fairness};
use promela::Options;
use promela::model::Scalar;
use system::automaton::{Slot, System};

fn system(text: &str) -> System {
    let (model, diagnostics) = promela::read("needed.pml", text, &Options::default(), &promela::NoIncludes);
    assert!(
        diagnostics.iter().all(|d| d.severity != promela::diagnostic::Severity::Error),
        "{diagnostics:?}"
    );
    system::lower::lower(model).0
}

/// The automaton of a proctype by name.
fn automaton(system: &System, name: &str) -> u32 {
    system.automata.iter().position(|a| a.name == name).expect("the proctype exists") as u32
}

fn numbers(values: &[i32]) -> Values {
    Values::integers(values.iter().copied())
}

fn any() -> Values {
    Values::interval(0, 255)
}

fn channel(object: u32) -> Values {
    Values::channel(ObjectId(object))
}

/// A channel of a global slot with classes of messages of one field.
fn buffer(slot: u32, classes: &[Values]) -> Object {
    let classes = classes.iter().map(|values| MessageClass { fields: vec![values.clone()] }).collect();
    Object { place: ObjectPlace::Global { slot }, classes }
}

fn at(location: u32) -> Node {
    Node { point: Point::At(location), locals: vec![], globals: vec![], shadows: vec![] }
}

/// The same with a set for a global slot.
fn knowing(location: u32, slot: u32, values: Values) -> Node {
    Node { globals: vec![SlotValues { slot, values }], ..at(location) }
}

/// A group with a node for each location.
fn group(system: &System, name: &str, at_most: Option<u32>, pid: Values, slots: Vec<Values>) -> Group {
    let automaton = automaton(system, name);
    let locations = system.automata[automaton as usize].locations.len() as u32;
    Group { automaton, at_most, pid, slots, shadows: vec![], nodes: (0..locations).map(at).collect() }
}

fn one(system: &System, name: &str, pid: i32, slots: Vec<Values>) -> Group {
    group(system, name, Some(1), numbers(&[pid]), slots)
}

fn run(system: &System, name: &str, at_most: Option<u32>, slots: Vec<Values>) -> Group {
    group(system, name, at_most, Values::interval(1, 254), slots)
}

/// (object, class, weight) and (group, node, weight).
fn potential(messages: &[(u32, u32, i64)], nodes: &[(u32, u32, i64)]) -> Potential {
    let message = |&(object, class, weight): &(u32, u32, i64)| MessageWeight {
        object: ObjectId(object),
        class: ClassId(class),
        weight,
    };
    let node = |&(group, node, weight): &(u32, u32, i64)| NodeWeight {
        group: GroupId(group),
        node: NodeId(node),
        weight,
    };
    Potential {
        messages: messages.iter().map(message).collect(),
        nodes: nodes.iter().map(node).collect(),
        ..Potential::default()
    }
}

/// "The buffer never holds more than this."
fn bound(object: u32, at_most: u64, potential: Potential) -> Proof {
    let case = BoundCase { after: None, denominator: 1, potential };
    Proof::Bound { object: ObjectId(object), at_most, cases: vec![case] }
}

/// "The buffer is always empty", which a potential shows that says no more than that its messages weigh something.
fn empty(object: u32, classes: u32) -> Proof {
    let messages: Vec<_> = (0..classes).map(|class| (object, class, 1)).collect();
    bound(object, 0, potential(&messages, &[]))
}

/// "No run goes on for ever."
fn ends(potential: Potential) -> Proof {
    Proof::LivelockFree { progress: Progress::At(vec![]), stage: Stage { potential, next: Next::Closed } }
}

fn claims(objects: Vec<Object>, globals: Vec<Values>, groups: Vec<Group>) -> Claims {
    Claims { objects, globals, groups, ..Claims::default() }
}

/// The location at which the statement begins, and that to which it leads.
fn ends_of(system: &System, name: &str, text: &str) -> (u32, u32) {
    let automaton = &system.automata[automaton(system, name) as usize];
    let edge = automaton.edges.iter().find(|edge| edge.text.contains(text)).expect("the statement exists");
    (edge.source.0, edge.target.0)
}

/// Takes the nodes away at which the statement begins: nothing leads there, the certificate says.
fn never_before(system: &System, claims: &mut Claims, group: usize, name: &str, text: &str) {
    let (start, _) = ends_of(system, name, text);
    claims.groups[group].nodes.retain(|node| node.point != Point::At(start));
}

/// A certificate that is false of its model.
struct Forged {
    system: System,
    certificate: Certificate,
}

fn forged(text: &str, draw: impl Fn(&System) -> (Claims, Vec<Proof>)) -> Forged {
    let system = system(text);
    let (claims, proofs) = draw(&system);
    let certificate = Certificate::new(&system, Capacities::Any, claims, proofs);
    Forged { system, certificate }
}

const FLOOD: &str = "chan c = [4] of { byte }; active proctype P() { do :: c!1 od }";
const LATE_FLOOD: &str = "chan c = [4] of { byte }; active proctype P() { skip; do :: c!1 od }";
const TWO_SENDS: &str = "chan c = [4] of { byte }; active proctype P() { c!1; c!1; (false) }";
const WATCHED: &str =
    "chan c = [4] of { byte }; byte x; active proctype P() { x = 1; do :: x == 1 -> c!1 od }";

fn one_buffer(groups: Vec<Group>) -> Claims {
    claims(vec![buffer(0, &[numbers(&[1])])], vec![channel(0)], groups)
}

fn flood(system: &System) -> Claims {
    one_buffer(vec![one(system, "P", 0, vec![])])
}

fn watched(system: &System, x: Values) -> Claims {
    let group = one(system, "P", 0, vec![]);
    let mut claims = claims(vec![buffer(0, &[numbers(&[1])])], vec![channel(0), x], vec![group]);
    if system.automata[0].edges.iter().any(|edge| edge.text.contains("c!1")) {
        never_before(system, &mut claims, 0, "P", "c!1");
    }
    claims
}

/// The variable, from 0 to this.
fn integer(place: ObjectPlace, high: i32) -> Number {
    let terms = vec![NumberTerm { place, subtracted: false }];
    Number { terms, range: Interval { low: 0, high }, known: vec![] }
}

/// "Nothing is sent, since `x` is never larger than 3."
fn counted(text: &str) -> Forged {
    forged(&format!("chan c = [4] of {{ byte }}; {text}"), |s| {
        let mut claims = watched(s, Values::interval(0, 255));
        claims.numbers.push(integer(ObjectPlace::Global { slot: 1 }, 3));
        (claims, vec![empty(0, 1)])
    })
}

/// For each rule a false certificate. `None`: why there is none.
fn against(rule: Rule) -> Result<Forged, &'static str> {
    Ok(match rule {
        Rule::Identity => {
            return Err("it ties the certificate to the model; what is checked is true of this one");
        }
        Rule::NumberForm => {
            let text = "chan c = [4] of { byte };
                active [2] proctype P() { byte i; do :: atomic { i < 1 -> i++ }; c!1 od }";
            forged(text, |s| {
                let both = group(s, "P", Some(2), numbers(&[0, 1]), vec![Values::interval(0, 255)]);
                let mut claims = one_buffer(vec![both]);
                let (counts, sends) = (ends_of(s, "P", "i++").0, ends_of(s, "P", "c!1").0);
                let place = ObjectPlace::Local { group: GroupId(0), slot: 0 };
                let known = vec![KnownRange {
                    group: GroupId(0),
                    node: NodeId(counts),
                    range: Interval { low: 0, high: 0 },
                }];
                claims.numbers.push(Number { known, ..integer(place, 1) });
                let numbers = vec![NumberWeight { number: NumberId(0), weight: -1 }];
                (
                    claims,
                    vec![bound(0, 1, Potential { numbers, ..potential(&[(0, 0, 1)], &[(0, sends, 1)]) })],
                )
            })
        }
        Rule::NumberStarts => counted("byte x = 5; active proctype P() { do :: x > 3 -> c!1 od }"),
        Rule::NumberKept => counted("byte x; active proctype P() { x = 5; do :: x > 3 -> c!1 od }"),
        Rule::SaysSomething => forged(FLOOD, |s| (flood(s), vec![])),
        Rule::Exists => forged(TWO_SENDS, |s| {
            let (_, first) = ends_of(s, "P", "c!1");
            let known = (0..4).filter(|node| *node >= first.min(1)).map(|node| {
                let at_most = u64::from(node);
                KnownLength { node: NodeId(node), at_most }
            });
            let known = known.filter(|k| k.node.0 > 0).take(2).collect();
            let sender = GroupId(0);
            (flood(s), vec![Proof::Guarded { object: ObjectId(0), at_most: 0, sender, known }])
        }),
        Rule::OneType => {
            forged("byte x = 1; chan a = [1] of { byte }; active proctype P() { do :: a!x od }", |s| {
                let both = numbers(&[1]).union(&channel(0));
                let mut claims = claims(
                    vec![buffer(1, &[numbers(&[1])])],
                    vec![both, channel(0)],
                    vec![one(s, "P", 0, vec![])],
                );
                for node in &mut claims.groups[0].nodes {
                    node.globals.push(SlotValues { slot: 0, values: channel(0) });
                }
                claims.trackers = vec![Tracker { slots: vec![0], nodes: vec![vec![numbers(&[1])]] }];
                (claims, vec![empty(0, 1)])
            })
        }
        Rule::Objects => forged(FLOOD, |s| {
            let mut claims = flood(s);
            claims.objects = vec![buffer(0, &[]), buffer(0, &[numbers(&[1])])];
            claims.globals = vec![channel(1)];
            (claims, vec![empty(0, 0)])
        }),
        Rule::Fields => forged(
            "chan c = [4] of { byte }; chan d = [4] of { byte }; byte x;
             active proctype P() { c!1; c?x; do :: x == 1 -> d!1 od }",
            |s| {
                let mut claims = claims(
                    vec![buffer(0, &[]), buffer(1, &[numbers(&[1])])],
                    vec![channel(0), channel(1), numbers(&[0])],
                    vec![one(s, "P", 0, vec![])],
                );
                claims.objects[0].classes.push(MessageClass { fields: vec![] });
                never_before(s, &mut claims, 0, "P", "d!1");
                (claims, vec![empty(1, 1)])
            },
        ),
        Rule::TrackersPlaced => forged(WATCHED, |s| {
            let mut claims = watched(s, numbers(&[0, 1]));
            claims.trackers = vec![Tracker { slots: vec![1], nodes: vec![] }];
            (claims, vec![empty(0, 1)])
        }),
        Rule::ToldApart => {
            forged("chan c = [4] of { byte }; proctype Q() { c!1 } init { run Q(); run Q() }", |s| {
                let claims = claims(
                    vec![buffer(0, &[numbers(&[1])])],
                    vec![channel(0)],
                    vec![
                        one(s, ":init:", 0, vec![]),
                        run(s, "Q", None, vec![]),
                        run(s, "Q", Some(0), vec![]),
                    ],
                );
                let potential = potential(&[], &[]);
                let starts = Proof::Starts { group: GroupId(2), at_most: 0, denominator: 1, potential };
                (claims, vec![starts])
            })
        }
        Rule::HoldsAtStart => forged(
            "chan c = [4] of { byte }; byte x = 1; active proctype P() { do :: x == 1 -> c!1 od }",
            |s| (watched(s, numbers(&[0])), vec![empty(0, 1)]),
        ),
        Rule::PlacedAtStart => forged(FLOOD, |s| {
            let mut claims = flood(s);
            claims.groups[0].nodes.clear();
            (claims, vec![empty(0, 1)])
        }),
        Rule::ShadowBegins => forged(
            "chan c = [4] of { byte }; active proctype P() { do :: c!1 od } active proctype Q() { byte x; do :: x = 1 - x od }",
            |s| {
                let mut claims = flood(s);
                claims.groups[0].nodes.clear();
                claims.groups[0].shadows = vec![Shadow { object: ObjectId(0), sender: AuxiliaryId(0) }];
                claims.groups.push(one(s, "Q", 1, vec![any()]));
                claims.groups.push(Group { nodes: vec![], at_most: Some(1), ..one(s, "Q", 7, vec![any()]) });
                claims.auxiliaries = vec![Auxiliary { group: GroupId(2), nodes: vec![] }];
                let pays: Vec<(u32, u32, i64)> =
                    (0..claims.groups[1].nodes.len() as u32).map(|node| (1, node, 1)).collect();
                let potential = potential(&[], &pays);
                let starts = Proof::Starts { group: GroupId(2), at_most: 1, denominator: 1, potential };
                (claims, vec![starts, empty(0, 1)])
            },
        ),
        Rule::Understood => forged(
            "chan c = [4] of { byte }; int i; byte a[6000]; active proctype P() { a[i] = 1; do :: c!1 od }",
            |s| {
                let claimed = |slot: &Slot| match slot.scalar {
                    Scalar::Chan => channel(0),
                    Scalar::Int => Values::interval(0, 5999),
                    _ => any(),
                };
                let mut claims = flood(s);
                claims.globals = s.global_slots.iter().map(claimed).collect();
                never_before(s, &mut claims, 0, "P", "c!1");
                (claims, vec![empty(0, 1)])
            },
        ),
        Rule::ValuesClaimed => forged(WATCHED, |s| (watched(s, numbers(&[0])), vec![empty(0, 1)])),
        Rule::MessageClaimed => forged(FLOOD, |s| {
            let mut claims = flood(s);
            claims.objects[0].classes.clear();
            (claims, vec![empty(0, 0)])
        }),
        Rule::Arrives => forged(LATE_FLOOD, |s| {
            let mut claims = flood(s);
            claims.groups[0].nodes = vec![at(s.automata[0].initial.0)];
            (claims, vec![empty(0, 1)])
        }),
        Rule::Started => {
            forged("chan c = [4] of { byte }; proctype Q() { do :: c!1 od } init { run Q() }", |s| {
                (one_buffer(vec![one(s, ":init:", 0, vec![])]), vec![empty(0, 1)])
            })
        }
        Rule::TrackersFollow => forged(WATCHED, |s| {
            let mut claims = watched(s, numbers(&[0, 1]));
            claims.trackers = vec![Tracker { slots: vec![1], nodes: vec![vec![numbers(&[0])]] }];
            (claims, vec![empty(0, 1)])
        }),
        Rule::OthersCarried => forged(
            "chan c = [4] of { byte }; byte x; active proctype P() { x = 1; (false) } active proctype Q() { do :: x == 1 -> c!1 od }",
            |s| {
                let mut claims = watched(s, numbers(&[0, 1]));
                let mut other = one(s, "Q", 1, vec![]);
                other.nodes = (0..other.nodes.len() as u32).map(|l| knowing(l, 1, numbers(&[0]))).collect();
                claims.groups.push(other);
                never_before(s, &mut claims, 1, "Q", "c!1");
                (claims, vec![empty(0, 1)])
            },
        ),
        Rule::StartedUnseen => {
            return Err("R18 moves every process that lists what is written, new ones included");
        }
        Rule::NamesEnd => forged(
            "chan q = [1] of { chan }; proctype H() { chan y = [1] of { byte }; q!y }
             proctype W() { chan w = [4] of { byte }; (false) }
             init { chan v; run H(); q?v; (_nr_pr == 1); run W(); v!1; (false) }",
            |s| {
                let local = |group: u32, classes: &[Values]| Object {
                    place: ObjectPlace::Local { group: GroupId(group), slot: 0 },
                    ..buffer(0, classes)
                };
                let claims = claims(
                    vec![buffer(0, &[channel(1)]), local(1, &[numbers(&[1])]), local(2, &[])],
                    vec![channel(0)],
                    vec![
                        one(s, ":init:", 0, vec![Values::integer(0).union(&channel(1))]),
                        run(s, "H", None, vec![channel(1)]),
                        run(s, "W", None, vec![channel(2)]),
                    ],
                );
                (claims, vec![empty(2, 0)])
            },
        ),
        Rule::SizesShown => forged(
            "chan c = [4] of { byte }; proctype Q() { do :: len(c) < 1 -> c!1 od } init { run Q(); run Q() }",
            |s| {
                let groups = vec![one(s, ":init:", 0, vec![]), run(s, "Q", Some(1), vec![])];
                let claims = one_buffer(groups);
                let (_, looked) = ends_of(s, "Q", "len(c)");
                let known = vec![KnownLength { node: NodeId(looked), at_most: 0 }];
                let sender = GroupId(1);
                (claims, vec![Proof::Guarded { object: ObjectId(0), at_most: 1, sender, known }])
            },
        ),
        Rule::SenderGraph => forged(ORDERED, |s| {
            let mut claims = ordered(s);
            let (second, _) = ends_of(s, "P", "c!2");
            // The sender's graph has no node for what it does before it sends 2, but for a value that does not occur.
            for node in &mut claims.auxiliaries[0].nodes {
                if node.point == Point::At(second) {
                    node.locals.push(SlotValues { slot: 0, values: numbers(&[5]) });
                }
            }
            never_before(s, &mut claims, 1, "Q", "d!1");
            let start = NodeId(s.automata[0].initial.0);
            claims.groups[1].nodes.retain(|node| node.shadows == [start]);
            (claims, vec![empty(1, 1)])
        }),
        Rule::OneSender => forged(
            "chan c = [4] of { byte }; chan d = [4] of { byte }; active proctype P() { c!1; (false) }
             active proctype R() { do :: c!1 od } active proctype Q() { c?1; c?1; d!1; (false) }",
            |s| {
                let mut claims = claims(
                    vec![buffer(0, &[numbers(&[1])]), buffer(1, &[numbers(&[1])])],
                    vec![channel(0), channel(1)],
                    vec![one(s, "P", 0, vec![]), one(s, "R", 1, vec![]), one(s, "Q", 2, vec![])],
                );
                shadowed(&mut claims, 0, 2);
                never_before(s, &mut claims, 2, "Q", "d!1");
                // What Q took first is all that P ever sends.
                let ((begin, sent), (first, second)) = (ends_of(s, "P", "c!1"), ends_of(s, "Q", "c?1"));
                let ways = [(first, begin), (second, sent)];
                claims.groups[2].nodes.retain(|node| {
                    ways.iter().any(|&(location, position)| {
                        node.point == Point::At(location) && node.shadows == [NodeId(position)]
                    })
                });
                (claims, vec![empty(1, 1)])
            },
        ),
        Rule::InvariantWeights => forged(
            "chan c = [4] of { byte }; chan d = [4] of { byte }; active proctype P() { c!1; do :: d!1 od }",
            |s| {
                let mut claims = two_buffers(s);
                let (_, after) = ends_of(s, "P", "c!1");
                claims.invariants =
                    vec![LinearInvariant { total: 0, potential: potential(&[(0, 0, -1)], &[(0, after, 1)]) }];
                (claims, vec![empty(1, 1)])
            },
        ),
        Rule::InvariantKept => forged(LATE_FLOOD, |s| {
            let mut claims = flood(s);
            let (after, _) = ends_of(s, "P", "c!1");
            claims.invariants =
                vec![LinearInvariant { total: 0, potential: potential(&[], &[(0, after, 1)]) }];
            (claims, vec![empty(0, 1)])
        }),
        Rule::InvariantTotal => forged(FLOOD, |s| {
            let mut claims = flood(s);
            let (start, _) = ends_of(s, "P", "c!1");
            claims.invariants =
                vec![LinearInvariant { total: 0, potential: potential(&[], &[(0, start, 1)]) }];
            (claims, vec![empty(0, 1)])
        }),
        Rule::IsBuffer => {
            return Err("a rendezvous channel never holds anything; a sentence about it would mislead");
        }
        Rule::NotNegative => forged(TWO_SENDS, |s| {
            let (start, first) = ends_of(s, "P", "c!1");
            let mut claims = flood(s);
            never_before(s, &mut claims, 0, "P", "-end-");
            let weight = |node: &Node| match node.point {
                Point::At(location) if location == start => 0,
                Point::At(location) if location == first => -1,
                _ => -2,
            };
            let nodes = (0..).zip(&claims.groups[0].nodes).map(|(id, node)| (0, id, weight(node)));
            let nodes: Vec<_> = nodes.filter(|(_, _, weight)| *weight != 0).collect();
            (claims, vec![bound(0, 0, potential(&[(0, 0, 1)], &nodes))])
        }),
        Rule::NothingGrows => forged(FLOOD, |s| (flood(s), vec![empty(0, 1)])),
        Rule::WeighsEnough => forged(FLOOD, |s| (flood(s), vec![bound(0, 0, potential(&[], &[]))])),
        Rule::Figure => forged("chan c = [4] of { byte }; active proctype P() { c!1; (false) }", |s| {
            let (start, _) = ends_of(s, "P", "c!1");
            (flood(s), vec![bound(0, 0, potential(&[(0, 0, 1)], &[(0, start, 1)]))])
        }),
        Rule::Moments => forged("chan c = [4] of { byte }; active proctype P() { c!1; (false) }", |s| {
            let (start, _) = ends_of(s, "P", "c!1");
            let after = Some(Arrival { group: GroupId(0), nodes: vec![] });
            let potential = potential(&[(0, 0, 1)], &[(0, start, 1)]);
            let cases = vec![BoundCase { after, denominator: 1, potential }];
            (flood(s), vec![Proof::Bound { object: ObjectId(0), at_most: 0, cases }])
        }),
        Rule::OnlySender => forged(
            "chan c = [4] of { byte }; active proctype P() { do :: c!1 od } active proctype Q() { skip; (false) }",
            |s| {
                let mut claims = flood(s);
                claims.groups.push(one(s, "Q", 1, vec![]));
                let sender = GroupId(1);
                (claims, vec![Proof::Guarded { object: ObjectId(0), at_most: 1, sender, known: vec![] }])
            },
        ),
        Rule::LengthKept => forged(FLOOD, |s| {
            let (object, sender) = (ObjectId(0), GroupId(0));
            (flood(s), vec![Proof::Guarded { object, at_most: u64::MAX, sender, known: vec![] }])
        }),
        Rule::NothingPilesUp => forged(FLOOD, |s| (flood(s), vec![ends(potential(&[(0, 0, -1)], &[]))])),
        Rule::StageKept => forged("byte x; active proctype P() { do :: x = 0; x = 1 od; assert(x) }", |s| {
            let claims = claims(vec![], vec![numbers(&[0, 1])], vec![one(s, "P", 0, vec![])]);
            let (_, between) = ends_of(s, "P", "x = 0");
            (claims, vec![ends(potential(&[], &[(0, between, 1)]))])
        }),
        Rule::NothingLeft => forged(FLOOD, |s| (flood(s), vec![ends(potential(&[], &[]))])),
        Rule::EveryPart => forged(FLOOD, |s| {
            let component = Component::Group(GroupId(0));
            let next = Next::Split { component, parts: vec![] };
            let stage = Stage { potential: potential(&[], &[]), next };
            (flood(s), vec![Proof::LivelockFree { progress: Progress::At(vec![]), stage }])
        }),
        Rule::AboutFormula => forged(FLOOD, |s| {
            (
                flood(s),
                vec![formula(vec![], Next::Closed, Blocked::Excluded { potential: potential(&[], &[]) })],
            )
        }),
        Rule::Unreached => {
            forged("byte x; active proctype P() { do :: x = 1 od } ltl p { [] (x == 0) }", |s| {
                // Where `x == 0` does not hold, and where the automaton has seen that.
                let heavy = [0, 2, 3].map(|node| TrackerWeight {
                    tracker: TrackerId(0),
                    node: NodeId(node),
                    weight: 1,
                });
                let unreached = Potential { trackers: heavy.to_vec(), ..Potential::default() };
                (of_x(s, &[0, 1]), vec![formula(vec![unreached], Next::Closed, nowhere())])
            })
        }
        Rule::TakesNoPart => forged(SPINS, |s| {
            let next = Next::Idle { groups: vec![GroupId(0)], blocked: nowhere() };
            (of_x(s, &[0, 1]), vec![formula(vec![], next, nowhere())])
        }),
        Rule::AnyNumber => {
            let mut forged = forged("chan c = [1] of { byte }; active proctype P() { c!1 }", |s| {
                let mut claims = flood(s);
                claims.groups[0].pid = every_pid();
                claims.groups[0].at_most = None;
                let (start, _) = ends_of(s, "P", "c!1");
                (claims, vec![bound(0, 1, potential(&[(0, 0, 1)], &[(0, start, 1)]))])
            });
            forged.certificate.any_number = vec!["P".to_string()];
            forged.certificate.seal();
            forged
        }
        Rule::AbleAgain => forged(SPINS, |s| {
            let next = Next::Starved { group: GroupId(0), parts: vec![] };
            (of_x(s, &[0, 1]), vec![formula(vec![], next, nowhere())])
        }),
        Rule::EveryPlace => {
            forged(STANDS, |s| (of_x(s, &[0]), vec![formula(vec![], Next::Closed, nowhere())]))
        }
        Rule::NotBlocked => forged(STANDS, |s| {
            let ends = Blocked::Excluded { potential: potential(&[], &[]) };
            (of_x(s, &[0]), vec![formula(vec![], Next::Closed, ends)])
        }),
    })
}

const SPINS: &str = "byte x; active proctype P() { do :: x = 1 - x od } ltl p { <> (x == 2) }";
const STANDS: &str = "byte x; active proctype P() { do :: x == 1 od } ltl p { <> (x == 2) }";

/// One process, and `x`.
fn of_x(system: &System, x: &[i32]) -> Claims {
    claims(vec![], vec![numbers(x)], vec![one(system, "P", 0, vec![])])
}

/// "Every run satisfies `p`."
fn formula(unreached: Vec<Potential>, next: Next, ends: Blocked) -> Proof {
    let stage = Stage { potential: potential(&[], &[]), next };
    Proof::Formula { formula: "p".to_string(), fairness: Fairness::None, unreached, stage, ends }
}

/// "Nobody can be blocked anywhere."
fn nowhere() -> Blocked {
    Blocked::Split { component: Component::Group(GroupId(0)), parts: vec![] }
}

const ORDERED: &str = "chan c = [4] of { byte }; chan d = [4] of { byte };
    active proctype P() { byte x; do :: c!1; c!2; x = 1 - x od }
    active proctype Q() { do :: c?1 :: c?2 -> d!1 od }";

/// Q follows the order in which P sends.
fn ordered(system: &System) -> Claims {
    let mut claims = claims(
        vec![buffer(0, &[numbers(&[1]), numbers(&[2])]), buffer(1, &[numbers(&[1])])],
        vec![channel(0), channel(1)],
        vec![one(system, "P", 0, vec![any()]), one(system, "Q", 1, vec![])],
    );
    shadowed(&mut claims, 0, 1);
    claims
}

/// The receiver gets a shadow of the sender's locations over object 0.
fn shadowed(claims: &mut Claims, sender: usize, receiver: usize) {
    let nodes = claims.groups[sender].nodes.clone();
    let positions = (0..nodes.len() as u32).map(NodeId);
    let group = &mut claims.groups[receiver];
    group.shadows = vec![Shadow { object: ObjectId(0), sender: AuxiliaryId(0) }];
    group.nodes = group
        .nodes
        .iter()
        .flat_map(|node| positions.clone().map(|at| Node { shadows: vec![at], ..node.clone() }))
        .collect();
    claims.auxiliaries = vec![Auxiliary { group: GroupId(sender as u32), nodes }];
}

fn two_buffers(system: &System) -> Claims {
    claims(
        vec![buffer(0, &[numbers(&[1])]), buffer(1, &[numbers(&[1])])],
        vec![channel(0), channel(1)],
        vec![one(system, "P", 0, vec![])],
    )
}

#[test]
fn each_rule_refuses_something_false_that_is_accepted_without_it() {
    let mut needed = 0;
    let mut wrong = Vec::new();
    for &rule in Rule::ALL {
        let Ok(Forged { system, certificate }) = against(rule) else { continue };
        let refusal = check(&system, &certificate);
        if refusal.as_ref().err().and_then(|refusal| refusal.rule()) != Some(rule) {
            wrong.push(format!("{rule} is not the one that refuses: {refusal:?}"));
        }
        let waived = without(rule, || check(&system, &certificate));
        if waived.is_err() {
            wrong.push(format!("{rule} is not the only one that refuses: {waived:?}"));
        }
        needed += 1;
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(needed, Rule::ALL.len() - 3, "all rules but those that `against` gives a reason for");
}

/// What is not asked for by a rule's own certificate: the other things that R2 says.
#[test]
fn bounds_of_no_buffer_say_nothing() {
    let forged = forged(FLOOD, |s| {
        let buffers: Vec<BufferBound> = vec![];
        (flood(s), vec![Proof::Bounds { buffers, potential: potential(&[], &[]) }])
    });
    let broken = check(&forged.system, &forged.certificate).err().and_then(|refusal| refusal.rule());
    assert_eq!(broken, Some(Rule::SaysSomething));
}

/// The page has each rule, in order, and no other.
#[test]
fn the_page_lists_the_rules() {
    let page = include_str!("../../../../docs/certificates.md");
    for rule in Rule::ALL {
        assert!(page.contains(&format!("**{rule}**")), "{rule} is not on the page");
    }
    assert!(!page.contains(&format!("**R{}**", Rule::ALL.len() + 1)));
}

/// All code of the checker, but that of the rules themselves and of tests.
fn sources() -> Vec<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/check");
    let files = [&folder, &folder.join("prove")].map(|folder| {
        let entries = std::fs::read_dir(folder).expect("the folder of the checker");
        entries.map(|entry| entry.expect("a file").path()).collect::<Vec<_>>()
    });
    let is_code = |path: &std::path::PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.ends_with(".rs") && !["rule.rs", "needed.rs", "waived.rs"].contains(&name)
    };
    let paths = files.into_iter().flatten().filter(is_code);
    paths.map(|path| std::fs::read_to_string(path).expect("a text")).collect()
}

/// Who refuses because of a rule says so: the comment on the function has the rule's number.
#[test]
fn a_function_that_refuses_by_a_rule_carries_its_number() {
    let mut refusing = std::collections::BTreeSet::new();
    let mut silent = Vec::new();
    for text in sources() {
        let (mut comment, mut carried, mut function) = (String::new(), String::new(), "");
        for line in text.lines().map(str::trim) {
            if line.starts_with("///") {
                comment = comment + line + " ";
                continue;
            }
            if line.starts_with("fn ") || line.starts_with("pub") && line.contains(" fn ") {
                (carried, function) = (std::mem::take(&mut comment), line);
            }
            if !line.starts_with("#[") {
                comment.clear();
            }
            for &rule in Rule::ALL {
                let named = line.match_indices(&format!("Rule::{rule:?}")).any(|(at, found)| {
                    !line[at + found.len()..].starts_with(|next: char| next.is_alphanumeric())
                });
                if named {
                    refusing.insert(rule);
                    let has_number =
                        carried.split(|c: char| !c.is_alphanumeric()).any(|word| word == rule.to_string());
                    if !has_number {
                        silent.push(format!("{rule} in {function}"));
                    }
                }
            }
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
    assert!(Rule::ALL.iter().all(|rule| refusing.contains(rule)), "{refusing:?}");
}
