//! Dependencies between cycles are tried on states, and the trial notices a wrong one.

use parity::dependencies::{refute, try_dependencies};
use parity::input::read_text;
use proofs::cycles::{Catalogue, CycleLimits, Dependency, Strategy, dependencies};
use std::collections::BTreeSet;
use system::automaton::System;
use system::interpreter::Capacities;
use system::progress::ProgressStatements;

/// Three messages, then one comes back.
const WINDOW: &str = "
chan there = [3] of { byte };
chan back = [1] of { byte };
active proctype sender() {
    byte n;
    do
    :: n < 3 -> there!1; n++
    :: n == 3 -> back?_; n = 0
    od
}
active proctype receiver() {
    do
    :: there?_
    :: back!1
    od
}
";

fn window() -> (System, Catalogue, Vec<Dependency>) {
    let system = read_text("window.pml", WINDOW).expect("it is right");
    let (catalogue, values) =
        Catalogue::new(&system, &ProgressStatements::default(), CycleLimits::default()).expect("it is small");
    let found = dependencies(&catalogue, &values, &Strategy::ALL);
    (system, catalogue, found)
}

#[test]
fn what_is_found_stands_the_trial() {
    let (system, _, found) = window();
    let tries = try_dependencies(&system, Capacities::Declared, 1_000).expect("it is small");
    assert_eq!(tries.refuted, Vec::<String>::new());
    assert!(tries.tried >= 4, "{found:?}");
}

#[test]
fn a_dependency_with_too_few_rounds_is_refuted() {
    let (system, catalogue, found) = window();
    let right = found.iter().find(|d| d.rounds == Some(3)).expect("three rounds of sending");
    assert_eq!(refute(&system, &catalogue, right, 1_000), None);
    let wrong = Dependency { rounds: Some(2), ..right.clone() };
    assert_eq!(refute(&system, &catalogue, &wrong, 1_000).as_deref(), Some("process 0 goes round 3 times"));
}

#[test]
fn a_dependency_on_the_wrong_cycle_is_refuted() {
    let (system, catalogue, found) = window();
    let waiting = found.iter().find(|d| !d.is_local(&catalogue)).expect("somebody waits for the other");
    assert_eq!(refute(&system, &catalogue, waiting, 1_000), None);
    let text = "active proctype free() { do :: skip :: printf(\"x\") od }";
    let system = read_text("free.pml", text).expect("it is right");
    let (catalogue, _) =
        Catalogue::new(&system, &ProgressStatements::default(), CycleLimits::default()).expect("it is small");
    let ids: Vec<_> = catalogue.cycle_ids().map(|(id, _)| id).collect();
    let wrong = Dependency {
        cycle: ids[0],
        on: BTreeSet::from([ids[1]]),
        rounds: None,
        cause: waiting.cause.clone(),
    };
    assert_eq!(refute(&system, &catalogue, &wrong, 1_000).as_deref(), Some("process 0 goes on alone"));
}

#[test]
fn no_dependency_of_a_random_model_is_refuted() {
    let mut tried = 0;
    for seed in 1..=400 {
        let text = parity::generate::model(seed).text();
        let Ok(system) = read_text("random.pml", &text) else { continue };
        let Ok(tries) = try_dependencies(&system, Capacities::Declared, 1_000) else { continue };
        assert_eq!(tries.refuted, Vec::<String>::new(), "model {seed}\n{text}");
        tried += tries.tried;
    }
    assert!(tried > 50, "only {tried} dependencies were tried");
}
