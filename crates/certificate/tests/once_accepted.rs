//! Kinds of certificates that were accepted once although they are false, and what a certificate may not contain.

mod common;

use certificate::Certificate;
use certificate::check::{Refusal, Rule, check};
use certificate::claims::{
    Auxiliary, AuxiliaryId, Claims, GroupId, MessageClass, NodeId, Object, ObjectId, ObjectPlace, Point,
    Shadow, Tracker,
};
use certificate::potential::{BoundCase, BufferBound, KnownLength, Next, Progress, Proof, Stage};
use certificate::values::Values;
use certificate::verdict::Capacities;
use common::{
    Draft, any_pid, at, before, bound, broken, claims, global_channel, is_at, plain_group, potential, set,
    system,
};
use serde_json::{Value, json};
use system::automaton::System;

fn channel(object: u32) -> Values {
    Values::channel(ObjectId(object))
}

fn checked(system: &System, claims: Claims, proofs: Vec<Proof>) -> Result<(), Refusal> {
    check(system, &Certificate::new(system, Capacities::Any, claims, proofs)).map(|_| ())
}

/// Says that P is stuck before its first statement, so that `c` (object 0, slot 0) stays empty.
fn says_that_it_is_stuck(text: &str) -> Option<Rule> {
    let system = system(text);
    let mut group = plain_group(&system, "P", Some(1), set(&[0]), vec![]);
    group.nodes = vec![at(system.automata[0].initial.0)];
    let numbers = system.global_slots[1..].iter().map(|_| set(&[0]));
    let globals = std::iter::once(channel(0)).chain(numbers).collect();
    let claims = claims(vec![global_channel(0, &[])], globals, vec![group]);
    broken(checked(&system, claims, vec![bound(0, 0, potential(&[], &[]))]))
}

#[test]
fn an_operand_that_is_not_evaluated_is_no_error() {
    let with = |value: &str| {
        format!(
            "chan c = [4] of {{ byte }}; byte d; byte b; active proctype P() {{ b = {value}; do :: c!1 od }}"
        )
    };
    for value in ["(d != 0 && 10 / d > 2)", "!(d == 0 || 10 / d > 2)", "(d == 0 -> 0 : 10 / d)"] {
        assert_eq!(says_that_it_is_stuck(&with(value)), Some(Rule::Arrives), "{value}");
    }
    // Here it is evaluated, and every run ends.
    for value in ["(d == 0 && 10 / d > 2)", "(d != 0 || 10 / d > 2)", "(d != 0 -> 0 : 10 / d)"] {
        assert_eq!(says_that_it_is_stuck(&with(value)), None, "{value}");
    }
}

/// The number of a channel that is gone is the number of the next one, so nobody knows whether a number is that of a channel.
#[test]
fn a_number_may_be_the_number_of_any_channel() {
    let system = system(
        "chan q = [1] of { chan }; chan c = [4] of { byte }; proctype H() { chan y = [1] of { byte }; q!y; (false) }
         active proctype Z() { byte x = 3; chan v; (_nr_pr == 1); run H(); q?v; if :: v == x -> do :: c!1 od :: else -> skip fi }
         active proctype P() { chan p = [1] of { byte }; skip }",
    );
    let local =
        |group: u32| Object { place: ObjectPlace::Local { group: GroupId(group), slot: 0 }, classes: vec![] };
    let messages =
        Object { classes: vec![MessageClass { fields: vec![channel(3)] }], ..global_channel(0, &[]) };
    let objects = vec![messages, global_channel(1, &[&[1]]), local(1), local(2)];
    let with = |x: Values| {
        let none = Values::integer(0);
        let mut groups = vec![
            plain_group(&system, "Z", Some(1), set(&[0]), vec![x.union(&none), none.union(&channel(3))]),
            plain_group(&system, "P", Some(1), set(&[1]), vec![channel(2)]),
            plain_group(&system, "H", None, any_pid(), vec![channel(3)]),
        ];
        let end = common::before(&system, "H", "-end-").0;
        groups[2].nodes.retain(|node| node.point != Point::At(end));
        claims(objects.clone(), vec![channel(0), channel(1)], groups)
    };
    let empty = || vec![bound(1, 0, potential(&[(1, 0, 1)], &[]))];
    assert_eq!(broken(checked(&system, with(channel(2)), empty())), Some(Rule::OneType));
    assert_eq!(broken(checked(&system, with(set(&[3])), empty())), Some(Rule::NothingGrows));
}

/// A second group of `Q` to which nobody belongs: "`p` of Q" would be read as the channel of the first.
#[test]
fn a_channel_of_nobody_is_not_spoken_of() {
    let system = system("active proctype Q() { chan p = [4] of { byte }; p!1; p!1; (false) }");
    let object = |group: u32, classes: &[&[i32]]| Object {
        place: ObjectPlace::Local { group: GroupId(group), slot: 0 },
        ..global_channel(0, classes)
    };
    let with = |pid: Values| {
        let mut second = plain_group(&system, "Q", Some(0), pid, vec![channel(1)]);
        second.nodes.clear();
        let groups = vec![plain_group(&system, "Q", Some(1), set(&[0]), vec![channel(0)]), second];
        claims(vec![object(0, &[&[1]]), object(1, &[])], vec![], groups)
    };
    let empty = || vec![bound(1, 0, potential(&[], &[]))];
    assert_eq!(broken(checked(&system, with(set(&[0])), empty())), Some(Rule::ToldApart));
    // With another number it is told apart, and the sentence says so.
    assert_eq!(checked(&system, with(set(&[5])), empty()), Ok(()));
    let certificate = Certificate::new(&system, Capacities::Any, with(set(&[5])), empty());
    let words = certificate::words::words(&system, &certificate);
    assert_eq!(words.last().map(String::as_str), Some("So `p of Q with _pid 5` never holds more than 0."));
}

/// Wherever `run` stands, it starts a process.
#[test]
fn a_run_inside_of_something_else_is_not_overlooked() {
    for statement in ["printf(\"%d\", run R())", "assert(run R())"] {
        let text = format!(
            "chan c = [4] of {{ byte }}; proctype R() {{ do :: c!1 od }} active proctype P() {{ {statement}; (false) }}"
        );
        let system = system(&text);
        let group = plain_group(&system, "P", Some(1), set(&[0]), vec![]);
        let claims = claims(vec![global_channel(0, &[])], vec![channel(0)], vec![group]);
        let result = checked(&system, claims, vec![bound(0, 0, potential(&[], &[]))]);
        assert_eq!(broken(result), Some(Rule::Understood), "{statement}");
    }
}

const FLOOD: &str = "chan c = [4] of { byte }; byte x; active proctype P() { do :: c!1; x = 1 - x od }";

/// A certificate with as many kinds of parts as fit.
fn full_of_parts(system: &System) -> Certificate {
    let mut group = plain_group(system, "P", Some(1), set(&[0]), vec![]);
    group.nodes[0].globals.push(certificate::claims::SlotValues { slot: 1, values: set(&[0]) });
    group.shadows.push(Shadow { object: ObjectId(0), sender: certificate::claims::AuxiliaryId(0) });
    let mut claims = claims(vec![global_channel(0, &[&[1]])], vec![channel(0), set(&[0, 1])], vec![group]);
    claims.trackers = vec![Tracker { slots: vec![1], nodes: vec![vec![set(&[0])]] }];
    claims.auxiliaries = vec![certificate::claims::Auxiliary { group: GroupId(0), nodes: vec![at(0)] }];
    claims.invariants = vec![certificate::claims::LinearInvariant {
        total: 0,
        potential: potential(&[(0, 0, 1)], &[(0, 0, 1)]),
    }];
    let stage = Stage { potential: potential(&[(0, 0, 1)], &[]), next: Next::Closed };
    let known = vec![KnownLength { node: NodeId(0), at_most: 0 }];
    let guarded = Proof::Guarded { object: ObjectId(0), at_most: 1, sender: GroupId(0), known };
    let proofs = vec![bound(0, 0, potential(&[(0, 0, 1)], &[])), guarded, Proof::AllBounded { stage }];
    Certificate::new(system, Capacities::Any, claims, proofs)
}

/// Calls `visit` with a copy of the value in which one object has one more field, for each object in turn.
fn with_an_unknown_field(value: &Value, visit: &mut dyn FnMut(Value)) {
    match value {
        Value::Object(fields) => {
            let mut more = fields.clone();
            more.insert("note".into(), json!("believe me"));
            visit(Value::Object(more));
            for (name, inner) in fields {
                with_an_unknown_field(inner, &mut |changed| {
                    let mut copy = fields.clone();
                    copy.insert(name.clone(), changed);
                    visit(Value::Object(copy));
                });
            }
        }
        Value::Array(elements) => {
            for (index, inner) in elements.iter().enumerate() {
                with_an_unknown_field(inner, &mut |changed| {
                    let mut copy = elements.clone();
                    copy[index] = changed;
                    visit(Value::Array(copy));
                });
            }
        }
        _ => {}
    }
}

#[test]
fn an_unknown_field_anywhere_is_refused() {
    let system = system(FLOOD);
    let value = serde_json::to_value(full_of_parts(&system)).expect("plain data");
    assert!(serde_json::from_value::<Certificate>(value.clone()).is_ok());
    let mut tried = 0;
    with_an_unknown_field(&value, &mut |changed| {
        tried += 1;
        assert!(serde_json::from_value::<Certificate>(changed.clone()).is_err(), "{changed}");
    });
    assert!(tried > 30, "{tried}");
}

#[test]
fn a_field_twice_a_number_that_does_not_fit_and_an_unknown_kind_are_refused() {
    let system = system(FLOOD);
    let text = serde_json::to_string(&full_of_parts(&system)).expect("plain data");
    for (old, new) in [
        ("\"capacities\":\"any\"", "\"capacities\":\"any\",\"capacities\":\"declared\""),
        ("\"capacities\":\"any\"", "\"capacities\":\"every\""),
        ("\"total\":0", "\"total\":9223372036854775808"),
        ("\"total\":0", "\"total\":0.0"),
        ("\"total\":0", "\"total\":1e3"),
        ("\"at_most\":1,", "\"at_most\":-1,"),
        ("\"at_most\":1,", "\"at_most\":1,\"at_most\":1,"),
        ("\"all_bounded\"", "\"all_unbounded\""),
        ("[1,1]", "[1,1,1]"),
        ("[1,1]", "[1,2147483648]"),
    ] {
        let changed = text.replacen(old, new, 1);
        assert_ne!(changed, text, "{old}");
        assert!(serde_json::from_str::<Certificate>(&changed).is_err(), "{new}");
    }
}

// New attempts of the same kinds.

/// P floods `c`, W is started by nobody.
const UNSTARTED: &str = "chan c = [4] of { byte }; active proctype P() { do :: c!1 od } proctype W() { c?_ }
    active proctype Q() { do :: false; run W() od }";

/// P follows a process, and is nowhere: whatever is said of its shadow, it does not vanish.
#[test]
fn nobody_vanishes_behind_a_shadow() {
    let tried = |follows: &str, positions: bool| {
        let mut draft = Draft::of(UNSTARTED).stuck("Q");
        let group = draft.id(follows);
        let nodes = if positions { draft.claims.groups[group.index()].nodes.clone() } else { vec![] };
        draft.claims.auxiliaries.push(Auxiliary { group, nodes });
        draft.group("P").shadows = vec![Shadow { object: ObjectId(0), sender: AuxiliaryId(0) }];
        draft.group("P").nodes.clear();
        draft.refused(draft.empty(0))
    };
    assert_eq!(tried("W", true), Some(Rule::ShadowBegins));
    assert_eq!(tried("W", false), Some(Rule::ShadowBegins));
    assert_eq!(tried("Q", false), Some(Rule::SenderGraph));
    assert_eq!(tried("Q", true), Some(Rule::PlacedAtStart));
}

#[test]
fn an_operand_that_is_not_evaluated_is_no_error_wherever_it_stands() {
    for statement in [
        "a[(d != 0 && 10 / d > 2)] = 0",
        "if :: (d != 0 && 10 / d > 2) -> (false) :: else fi",
        "d_step { b = (d != 0 && 10 / d > 2); b = 0 }",
        "(d == 0 || 10 / d > 2)",
        "assert(d == 0 || 10 / d > 2)",
    ] {
        let text = format!(
            "chan c = [4] of {{ byte }}; byte d; byte b; byte a[2]; active proctype P() {{ {statement}; do :: c!1 od }}"
        );
        assert_eq!(says_that_it_is_stuck(&text), Some(Rule::Arrives), "{statement}");
    }
}

/// The sums of these weights are less than nothing in 64 bits.
#[test]
fn no_sum_of_weights_wraps() {
    let draft = Draft::of("chan c = [4] of { byte }; active [2] proctype P() { do :: skip; c!1 od }");
    let sends = before(&draft.system, "P", "c!1").0;
    let most = i64::MAX;
    let after = draft.weigh(&[(0, 0, most)], |_, node| if is_at(node, sends) { 0 } else { most });
    let case = |denominator| BoundCase { after: None, denominator, potential: after.clone() };
    let bound =
        |at_most, denominator| Proof::Bound { object: ObjectId(0), at_most, cases: vec![case(denominator)] };
    assert_eq!(draft.refused(vec![bound(0, most)]), Some(Rule::NothingGrows));
    assert_eq!(draft.refused(vec![bound(0, i64::MIN)]), Some(Rule::WeighsEnough));
    let stage = Stage { potential: after, next: Next::Closed };
    assert_eq!(draft.refused(vec![Proof::AllBounded { stage: stage.clone() }]), Some(Rule::StageKept));
    let ends = Proof::LivelockFree { progress: Progress::At(vec![]), stage };
    assert_eq!(draft.refused(vec![ends]), Some(Rule::StageKept));
    // Two that weigh so much are twice as much at the start.
    let quiet = Draft::of("chan c = [4] of { byte }; active [2] proctype P() { do :: skip od }");
    let both = quiet.weigh(&[(0, 0, most)], |_, _| most);
    let cases = vec![BoundCase { after: None, denominator: most, potential: both }];
    let says = |at_most| Proof::Bound { object: ObjectId(0), at_most, cases: cases.clone() };
    assert_eq!(quiet.refused(vec![says(0)]), Some(Rule::Figure));
    assert_eq!(quiet.refused(vec![says(2)]), None);
}

#[test]
fn a_number_is_no_channel_and_a_channel_no_number() {
    let text = "chan c = [4] of { byte }; byte x; proctype W(byte n) { do :: c!n od }
        active proctype P() { chan v; run W(3); v = c; do :: x = 3; c!1 od }";
    let refused = |change: &dyn Fn(&mut Claims)| {
        let draft = Draft::of(text).with(change);
        draft.refused(draft.empty(0))
    };
    let own = channel(0);
    assert_eq!(refused(&|claims| claims.globals[1] = own.clone()), Some(Rule::OneType));
    assert_eq!(refused(&|claims| claims.groups[0].slots[0] = own.clone()), Some(Rule::OneType));
    assert_eq!(refused(&|claims| claims.groups[1].slots[0] = set(&[0, 3])), Some(Rule::OneType));
    assert_eq!(refused(&|claims| claims.groups[1].pid = own.clone()), Some(Rule::OneType));
    assert_eq!(refused(&|claims| claims.objects[0].classes[0].fields[0] = own.clone()), Some(Rule::OneType));
}

/// Two groups have all processes of Q together; a third has none, and its sentence would be read as one about Q.
#[test]
fn a_group_that_others_leave_nothing_for_is_not_spoken_of() {
    let mut draft = Draft::of(
        "proctype Q(byte n) { chan p = [4] of { byte }; p!1; do :: false od } active proctype P() { run Q(1); run Q(2); do :: false od }",
    );
    let of_q = draft.claims.groups[0].clone();
    let object = draft.claims.objects[0].clone();
    let third = draft.claims.groups.len() as u32 + 1;
    for (index, arguments) in [(0, vec![1]), (third - 1, vec![2]), (third, vec![1, 2])] {
        let mut group = of_q.clone();
        (group.slots[0], group.slots[1]) = (set(&arguments), channel(index));
        let place = ObjectPlace::Local { group: GroupId(index), slot: 1 };
        let classes = if index == third { vec![] } else { object.classes.clone() };
        if index == third {
            group.nodes.clear();
            group.at_most = Some(0);
        }
        let object = Object { place, classes };
        match index {
            0 => (draft.claims.groups[0], draft.claims.objects[0]) = (group, object),
            _ => {
                draft.claims.groups.push(group);
                draft.claims.objects.push(object);
            }
        }
    }
    // Objects are numbered in the order in which they were put there.
    for (object, group) in [(1, third - 1), (2, third)] {
        draft.claims.groups[group as usize].slots[1] = channel(object);
    }
    let starts =
        Proof::Starts { group: GroupId(third), at_most: 0, denominator: 1, potential: potential(&[], &[]) };
    let bounds = Proof::Bounds {
        buffers: vec![BufferBound { object: ObjectId(2), at_most: 0 }],
        potential: potential(&[], &[]),
    };
    for proof in [starts.clone(), bounds, bound(2, 0, potential(&[], &[]))] {
        assert_eq!(draft.refused(vec![proof, starts.clone()]), Some(Rule::ToldApart));
    }
}
