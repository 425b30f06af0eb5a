//! Finite runs after which nothing satisfies a formula: what the judge accepts, and one thing for each reason to refuse.

mod common;

use certificate::prefix::{PrefixRefusal, judge_prefix};
use certificate::trace::{ReplayError, Trace, TraceStep};
use common::system;
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter, Step};

/// The first steps of the run in which always the first process that can moves.
fn run(system: &System, length: usize) -> Trace {
    let interpreter = Interpreter::new(system, Capacities::Declared);
    let mut state = interpreter.initial_state().expect("an initial state");
    let mut taken: Vec<Step> = Vec::new();
    let mut steps = Vec::new();
    while taken.len() < length {
        interpreter.steps_beside_errors(&state, &mut steps);
        let step = *steps.first().expect("a step");
        interpreter.execute(&mut state, step, &(), &mut ()).expect("no error");
        taken.push(step);
    }
    Trace::new(system, Capacities::Declared, &taken, None)
}

fn judged(text: &str, formula: &str, length: usize) -> Result<(), PrefixRefusal> {
    let system = system(&format!("{text} ltl f {{ {formula} }}"));
    judge_prefix(&system, "f", &run(&system, length))
}

const COUNTS: &str = "int x; active proctype P() { do :: x++ od }";
const MAY: Result<(), PrefixRefusal> = Err(PrefixRefusal::MaySatisfy);

#[test]
fn the_last_state_counts_and_so_does_the_first() {
    assert_eq!(judged(COUNTS, "[] (x < 5)", 4), MAY);
    assert_eq!(judged(COUNTS, "[] (x < 5)", 5), Ok(()));
    assert_eq!(judged(COUNTS, "[] (x < 5)", 7), Ok(()), "what was violated stays violated");
    assert_eq!(judged(COUNTS, "x == 1", 0), Ok(()));
    assert_eq!(judged(COUNTS, "X (x == 0)", 0), MAY);
    assert_eq!(judged(COUNTS, "X (x == 0)", 1), Ok(()));
    assert_eq!(judged(COUNTS, "(x < 3) U (x > 4)", 2), MAY);
    assert_eq!(judged(COUNTS, "(x < 3) U (x > 4)", 3), Ok(()));
    assert_eq!(judged(COUNTS, "(x < 3) W (x > 4)", 3), Ok(()));
    assert_eq!(judged(COUNTS, "[] ((x == 2) -> X (x == 2))", 3), Ok(()));
}

#[test]
fn what_may_still_come_is_no_violation() {
    for formula in ["<> (x < 0)", "[] <> (x < 0)", "(x >= 0) U (x < 0)", "<> [] (x < 3)", "[] (x >= 0)"] {
        assert_eq!(judged(COUNTS, formula, 6), MAY, "{formula}");
    }
}

/// No continuation satisfies it although none of its parts has failed yet: the judge asks whether anything is accepted, not whether what is left reads `false`.
#[test]
fn a_formula_that_nothing_can_satisfy_any_more_is_violated() {
    assert_eq!(judged(COUNTS, "[] ((x == 1) -> (X (x == 5) && X !(x == 5)))", 0), MAY);
    assert_eq!(judged(COUNTS, "[] ((x == 1) -> (X (x == 5) && X !(x == 5)))", 1), Ok(()));
    assert_eq!(judged(COUNTS, "([] <> (x == 3)) && ([] !(x == 3))", 0), Ok(()));
}

/// Inside of an `atomic` sequence nobody looks.
#[test]
fn states_inside_of_an_atomic_do_not_count() {
    let text = "byte x; active proctype P() { do :: atomic { x = 9; x = 0 } od }";
    for length in 0..6 {
        assert_eq!(judged(text, "[] (x == 0)", length), MAY, "{length}");
    }
}

#[test]
fn what_is_no_run_without_a_loop_is_refused() {
    let system = system(&format!("{COUNTS} ltl f {{ [] (x < 2) }}"));
    let good = run(&system, 3);
    assert_eq!(judge_prefix(&system, "f", &good), Ok(()));
    assert_eq!(judge_prefix(&system, "g", &good), Err(PrefixRefusal::NoFormula));
    let looped = Trace { loop_start: Some(0), ..good.clone() };
    assert_eq!(judge_prefix(&system, "f", &looped), Err(PrefixRefusal::Loop));
    let other = Trace { model: "another".to_string(), ..good.clone() };
    assert_eq!(judge_prefix(&system, "f", &other), Err(PrefixRefusal::NoRun(ReplayError::OtherModel)));
    let mut invented = good;
    invented.steps[1] = TraceStep { process: 4, ..invented.steps[1] };
    let not_enabled = ReplayError::NotEnabled { step: 1 };
    assert_eq!(judge_prefix(&system, "f", &invented), Err(PrefixRefusal::NoRun(not_enabled)));
}

#[test]
fn a_proposition_without_a_value_decides_nothing() {
    let fails_at_2 = "6 / (2 - x) > 0";
    assert_eq!(judged(COUNTS, &format!("[] ({fails_at_2})"), 2), MAY);
    assert_eq!(judged(COUNTS, &format!("[] (x == 2 || {fails_at_2})"), 2), MAY);
    assert_eq!(judged(COUNTS, &format!("[] (x != 2 && {fails_at_2})"), 2), Ok(()));
    assert_eq!(judged(COUNTS, &format!("[] (x == 2 || {fails_at_2})"), 3), Ok(()), "6 / -1");
}

#[test]
fn a_formula_that_is_too_large_is_refused() {
    let many = (0..9).map(|value| format!("[] !(x == {value})")).collect::<Vec<_>>().join(" && ");
    assert_eq!(judged(COUNTS, &many, 1), Err(PrefixRefusal::NoJudge));
}
