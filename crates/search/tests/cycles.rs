//! Searches for cycles on small models, with SPIN's verdicts.

use certificate::trace::replay;
use certificate::verdict::ProgressReading;
use promela::{NoIncludes, Options};
use search::{Cause, Control, ErrorGroup, Outcome, Properties, SearchOptions, StopReason, explore};
use system::automaton::System;

fn system(text: &str) -> System {
    let (model, diagnostics) = promela::read("test.pml", text, &Options::default(), &NoIncludes);
    assert!(
        diagnostics.iter().all(|d| d.severity != promela::diagnostic::Severity::Error),
        "{diagnostics:?}"
    );
    system::lower::lower(model).0
}

fn errors(text: &str, properties: Properties) -> Vec<ErrorGroup> {
    let system = system(text);
    let options = SearchOptions { properties, ..SearchOptions::full() };
    let Ok(report) = explore(&system, &options, &Control::none()) else { panic!("no initial state") };
    // One error is enough, and in small models every cycle is near.
    let expected = match report.errors.is_empty() {
        true => Outcome::Complete,
        false => Outcome::Stopped(StopReason::Error),
    };
    assert_eq!(report.outcome, expected);
    for error in &report.errors {
        assert!(replay(&system, &error.trace).is_ok());
    }
    report.errors
}

fn liveness() -> Properties {
    Properties { end_states: false, ..Properties::safety() }
}

fn non_progress(text: &str, reading: ProgressReading) -> Vec<ErrorGroup> {
    errors(text, Properties { non_progress: Some(reading), ..liveness() })
}

fn acceptance(text: &str) -> Vec<ErrorGroup> {
    errors(text, Properties { acceptance: true, ..liveness() })
}

fn claim(text: &str) -> Vec<ErrorGroup> {
    errors(text, Properties { acceptance: true, claim: Some(0), ..liveness() })
}

#[test]
fn a_loop_through_a_progress_label_is_progress() {
    let text = "byte x; active proctype A() { do :: x == 0 -> progress: x = 1 :: x == 1 -> x = 0 od }";
    assert!(non_progress(text, ProgressReading::State).is_empty());
    assert!(non_progress(text, ProgressReading::Transition).is_empty());
}

#[test]
fn a_loop_beside_a_progress_label_is_a_lasso() {
    let text = "byte x; active proctype A() { do :: x == 0 -> progress: x = 1 :: x == 1 -> x = 0 :: x == 0 -> x = 0 od }";
    for reading in [ProgressReading::State, ProgressReading::Transition] {
        let errors = non_progress(text, reading);
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].cause, Cause::NonProgressCycle);
        assert_eq!((errors[0].trace.steps.len(), errors[0].trace.loop_start), (2, Some(0)));
    }
}

#[test]
fn waiting_at_a_progress_label_is_progress_to_spin_and_none_to_the_papers() {
    let text = "
        byte x, y;
        active proctype Waits() { progress: x == 1 }
        active proctype Runs() { do :: y = 1 - y; y == y od }
    ";
    assert!(non_progress(text, ProgressReading::State).is_empty());
    assert_eq!(non_progress(text, ProgressReading::Transition).len(), 1);
}

#[test]
fn nothing_is_said_about_infinite_runs_if_one_may_stay_in_an_atomic() {
    // By state the label does not count, since nobody ever stands there: between the steps of an `atomic` there is no state.
    let text = "active proctype P() { bit x; x = 1; atomic { skip; progress: x = 1 - x; goto progress } }";
    for reading in [ProgressReading::State, ProgressReading::Transition] {
        let properties = Properties { non_progress: Some(reading), ..Properties::none() };
        let options = SearchOptions { properties, ..SearchOptions::full() };
        let report = explore(&system(text), &options, &Control::none()).expect("it can be begun");
        assert_eq!(report.outcome, Outcome::Stopped(StopReason::EndlessAtomic));
    }
}

#[test]
fn a_deadlock_is_no_cycle_without_progress() {
    assert!(non_progress("byte x; active proctype A() { x == 1 }", ProgressReading::State).is_empty());
    assert!(non_progress("active proctype A() { skip }", ProgressReading::State).is_empty());
}

#[test]
fn an_accept_label_on_a_cycle_is_found() {
    let text = "byte x; active proctype A() { do :: x == 0 -> x = 1 :: x == 1 -> accept: x = 0 od }";
    let errors = acceptance(text);
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].cause, Cause::AcceptanceCycle);
    assert!(errors[0].trace.loop_start.is_some());
    assert!(acceptance("byte x; active proctype A() { accept: x = 1; do :: x == 1 od }").is_empty());
}

#[test]
fn being_stuck_at_an_accept_label_is_an_acceptance_cycle() {
    // SPIN calls it "accept stutter".
    let errors = acceptance("byte x; active proctype A() { accept: x == 1 }");
    assert_eq!(errors.len(), 1);
    assert_eq!((errors[0].trace.steps.len(), errors[0].trace.loop_start), (0, Some(0)));
}

#[test]
fn a_never_claim_runs_in_lock_step() {
    let model = "byte x; active proctype A() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }";
    let always_again = format!(
        "{model} never {{ do :: true :: x != 2 -> goto accept_all od; accept_all: do :: x != 2 od }}"
    );
    assert!(claim(&always_again).is_empty());
    let sometimes_two = format!("{model} never {{ do :: x == 2 -> break :: else od }}");
    let errors = claim(&sometimes_two);
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].cause, Cause::ClaimCompleted);
    assert_eq!(errors[0].trace.steps.len(), 4);
    let again_and_again = format!(
        "{model} never {{ T0: do :: x == 2 -> goto accept :: true od; accept: do :: true -> goto T0 od }}"
    );
    let errors = claim(&again_and_again);
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].cause, Cause::AcceptanceCycle);
}

#[test]
fn a_claim_goes_on_where_the_system_has_stopped() {
    let model = "byte x; active proctype A() { x = 1 }";
    let finally_one =
        format!("{model} never {{ do :: true :: x == 1 -> goto accept od; accept: do :: x == 1 od }}");
    let errors = claim(&finally_one);
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].trace.loop_start, Some(errors[0].trace.steps.len()));
}
