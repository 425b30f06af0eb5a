//! A certificate with any one number, name or element changed is refused. Under a new seal it is refused, or what it says is still true:
//! a change that only makes a claim weaker, or a weight larger where nothing depends on it, does no harm.
//!
//! Every kind of claim and of proof takes part, as the prover writes them; invariants and
//! bounds for the moments after each send have tests of their own beside the checker.

mod common;

use std::collections::{BTreeSet, HashSet, VecDeque};

use certificate::Certificate;
use certificate::check::check;
use certificate::monitor::Monitor;
use certificate::verdict::Capacities;
use common::{bounds_with, progress_with, system_of};
use proofs::{BoundsOptions, Budgets, ProgressOptions};
use serde_json::Value;
use system::automaton::System;
use system::interpreter::{Capacities as RunCapacities, Interpreter};

/// Models that together need every kind, with the kinds that each is here for.
const MODELS: &[(&str, &[&str])] = &[
    (
        "chan c = [4] of {byte}; chan d = [1] of {byte};
         active proctype P() { do :: len(c) < 2 -> c!1 :: d!1; d?1 od }
         active proctype Q() { do :: c?1 od }",
        &["guarded"],
    ),
    (
        "chan toA = [1] of {byte}; chan toB = [1] of {byte}; byte home;
         active proctype A() { do :: toA?1; if :: home == 0 -> skip :: home != 0 -> toB!1 fi od }
         active proctype B() { do :: toB?1; if :: home == 1 -> skip :: home != 1 -> toA!1 fi od }
         active proctype User() { do :: true -> progress: toA!1 od }
         active proctype Mover() { do :: true -> progress_move: home = 1 - home od }",
        &["trackers", "livelock_free"],
    ),
    (include_str!("../../../models/two-proctype.pml"), &["auxiliaries", "bound"]),
    (
        "chan c[2] = [1] of {byte}; chan d[2] = [1] of {byte};
         proctype P(byte me) { do :: c[me]!1; d[me]?1 od }
         proctype Q(byte me) { do :: c[me]?1; d[me]!1 od }
         init { byte i; do :: i < 2 -> run P(i); run Q(i); i++ :: else -> break od }",
        &["starts", "all_bounded", "at_most"],
    ),
    (
        "chan c = [1] of {byte}; chan d = [1] of {byte};
         active proctype P() {
             do :: c!1; d?1 :: break od;
             do :: d?1; c!1 :: break od
         }
         active proctype Q() { do :: c?1; progress: d!1 od }",
        &["all_bounded", "livelock_free"],
    ),
    (
        "chan c = [1] of {byte}; chan d = [1] of {byte};
         active proctype P() { do :: c!1 -> c?1 :: break od; do :: d!1 -> d?1 :: skip -> progress: skip od }
         active proctype Q() { byte x; do :: x == 0 -> x = 1 :: x == 1 -> break od }",
        &["bounds"],
    ),
];

/// Changes of one certificate.
const MOST_CHANGES: usize = 250;

/// Certificates for everything that is proved of a model, in every way of writing bounds down.
fn certificates(system: &System) -> Vec<Certificate> {
    let mut found: Vec<Certificate> = Vec::new();
    for capacities in [Capacities::Any, Capacities::Declared] {
        for buffer_transitions in [0, Budgets::default().buffer_transitions] {
            let budgets = Budgets { buffer_transitions, ..Budgets::default() };
            let report = bounds_with(system, &BoundsOptions { capacities, budgets });
            found.extend(report.certificates().map(|certificate| Certificate::clone(certificate)));
        }
    }
    let report = progress_with(system, &ProgressOptions::default());
    found.extend(report.livelock_free().map(|certificate| Certificate::clone(certificate)));
    let mut texts = HashSet::new();
    found.retain(|certificate| texts.insert(serde_json::to_string(certificate).expect("JSON")));
    found
}

/// One change of a JSON value.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// Adds to a number.
    Add(i64),
    /// Another text, something instead of nothing, the other truth.
    Other,
    /// Takes an element of a list away.
    Remove(usize),
}

/// Every place in a JSON value where a number, a text or an element can be changed.
fn changes(value: &Value, path: &str, found: &mut Vec<(String, Change)>) {
    match value {
        Value::Number(_) => found.extend([-1, 1].map(|by| (path.to_string(), Change::Add(by)))),
        Value::String(_) | Value::Null | Value::Bool(_) => found.push((path.to_string(), Change::Other)),
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                found.push((path.to_string(), Change::Remove(index)));
                changes(element, &format!("{path}/{index}"), found);
            }
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(key, field)| changes(field, &format!("{path}/{key}"), found));
        }
    }
}

fn changed(value: &Value, path: &str, change: Change) -> Value {
    let mut result = value.clone();
    let place = result.pointer_mut(path).expect("a place that was found");
    match (change, &mut *place) {
        (Change::Add(by), Value::Number(number)) => {
            *place = Value::from(number.as_i64().expect("integers only") + by);
        }
        (Change::Remove(index), Value::Array(elements)) => {
            elements.remove(index);
        }
        (_, Value::String(text)) => text.push('x'),
        (_, Value::Bool(truth)) => *truth = !*truth,
        _ => *place = Value::from(1),
    }
    result
}

/// The names of all fields that are in use.
fn kinds(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(elements) => elements.iter().for_each(|element| kinds(element, found)),
        Value::Object(fields) => {
            for (key, field) in fields {
                found.insert(key.clone());
                kinds(field, found);
            }
        }
        _ => {}
    }
}

/// What a certificate says, watched in the first states of a model.
fn watch(system: &System, certificate: &Certificate, path_of_change: &str) {
    let capacities = match certificate.capacities {
        Capacities::Any => RunCapacities::Unbounded,
        Capacities::Declared => RunCapacities::Declared,
    };
    let interpreter = Interpreter::new(system, capacities);
    let initial = interpreter.initial_state().expect("an initial state");
    let mut seen = HashSet::from([initial.clone()]);
    let mut open = VecDeque::from([vec![initial]]);
    while let Some(path) = open.pop_front() {
        let mut monitor = Monitor::new(system, certificate);
        for state in &path {
            assert_eq!(monitor.observe(state), Ok(()), "{path_of_change}");
        }
        let mut steps = Vec::new();
        let last = path.last().expect("a path has a state");
        interpreter.steps(last, &mut steps).expect("no runtime error");
        for step in steps {
            let mut next = last.clone();
            interpreter.execute(&mut next, step, &(), &mut ()).expect("no runtime error");
            if seen.len() < 60 && seen.insert(next.clone()) {
                open.push_back([path.clone(), vec![next]].concat());
            }
        }
    }
}

#[test]
fn any_one_change_is_refused_and_under_a_new_seal_refused_or_still_true() {
    let mut all_kinds = BTreeSet::new();
    let (mut refused, mut accepted) = (0, Vec::new());
    for (text, wanted) in MODELS {
        let system = system_of(text);
        let mut own_kinds = BTreeSet::new();
        let certificates = certificates(&system);
        for certificate in &certificates {
            assert_eq!(check(&system, certificate).err(), None, "{text}");
            let json = serde_json::to_value(certificate).expect("JSON");
            kinds(&json, &mut own_kinds);
            let mut all = Vec::new();
            changes(&json, "", &mut all);
            // Claims come again in every certificate of a model; what is large is changed in many places, not in all.
            let every = all.len().div_ceil(MOST_CHANGES).max(1);
            let all: Vec<_> = all.into_iter().step_by(every).collect();
            for (path, change) in all {
                let value = changed(&json, &path, change);
                let Ok(changed) = serde_json::from_value::<Certificate>(value) else { continue };
                if changed == *certificate {
                    continue;
                }
                assert!(check(&system, &changed).is_err(), "{path}\n{text}");
                let mut changed = changed;
                changed.seal();
                match check(&system, &changed) {
                    Err(_) => refused += 1,
                    Ok(_) if changed == *certificate => {}
                    Ok(_) => {
                        watch(&system, &changed, &path);
                        accepted.push(format!("{path} {change:?}"));
                    }
                }
            }
        }
        for kind in *wanted {
            assert!(own_kinds.contains(*kind), "{kind} is not among {own_kinds:?}\n{text}");
        }
        all_kinds.extend(own_kinds);
    }
    let every = ["bound", "bounds", "guarded", "starts", "all_bounded", "livelock_free", "split"];
    for kind in every.into_iter().chain(["trackers", "auxiliaries"]) {
        assert!(all_kinds.contains(kind), "{kind} is not among {all_kinds:?}");
    }
    assert!(refused > 5 * accepted.len(), "{refused} refused, {} accepted: {accepted:#?}", accepted.len());
}
