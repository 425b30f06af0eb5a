//! Two answers that cannot both be true: neither counts. The answers here are forged, since true ones never do this.

use certificate::trace::Trace;
use certificate::verdict::{Evidence, StopReason, Verdict};
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter, Step};
use verify::consistency::enforce;
use verify::{Answer, Bound, CapacityReading, CheckOptions, CheckReport, Counterexample, Question, Reading};

fn read(text: &str) -> System {
    system::read_text(text).expect("a model")
}

/// The first so many steps that the model can make, always the first possible one.
fn steps(system: &System, count: usize, capacities: Capacities) -> Vec<Step> {
    let interpreter = Interpreter::new(system, capacities);
    let mut state = interpreter.initial_state().expect("a state");
    let mut taken = Vec::new();
    let mut enabled = Vec::new();
    for _ in 0..count {
        interpreter.steps(&state, &mut enabled).expect("no error");
        let step = enabled[0];
        interpreter.execute(&mut state, step, &(), &mut ()).expect("no error");
        taken.push(step);
    }
    taken
}

fn proved(question: Question, capacities: CapacityReading) -> Answer {
    let evidence = Evidence::Search { states: 1, transitions: 1 };
    Answer::new(question, Verdict::Proved(evidence), Reading::of(capacities), "forged")
}

fn violated(question: Question, counterexample: Counterexample) -> Answer {
    let reading = Reading::of(CapacityReading::Declared);
    Answer::new(question, Verdict::Violated(counterexample), reading, "forged")
}

fn run(system: &System, count: usize) -> Counterexample {
    let taken = steps(system, count, Capacities::Declared);
    let trace = Trace::new(system, Capacities::Declared, &taken, None);
    Counterexample::Run { trace, problem: "forged".to_string() }
}

fn lasso(system: &System, before: usize, count: usize) -> Counterexample {
    let taken = steps(system, before + count, Capacities::Declared);
    Counterexample::Lasso(Trace::new(system, Capacities::Declared, &taken, Some(before)))
}

/// Whether both are withdrawn; neither if not both.
fn contradict(text: &str, proof: Answer, refutation: impl Fn(&System) -> Answer) -> bool {
    let system = read(text);
    let mut answers = vec![proof, refutation(&system)];
    enforce(&system, &CheckOptions::default(), &mut answers);
    let is_withdrawn = |answer: &Answer| match &answer.verdict {
        Verdict::Unknown(unknown) => {
            assert!(answer.meaning.contains("this is a defect"), "{answer:?}");
            matches!(unknown.reason, StopReason::Contradiction { .. })
        }
        _ => false,
    };
    assert_eq!(is_withdrawn(&answers[0]), is_withdrawn(&answers[1]), "both or neither");
    let withdrawn = is_withdrawn(&answers[0]);
    let report = CheckReport {
        answers,
        unreached: None,
        search: None,
        peaks: Vec::new(),
        cluster: None,
        disk: None,
        seconds: 0.0,
        interrupted: false,
    };
    assert_eq!(report.is_contradictory(), withdrawn);
    withdrawn
}

const DECLARED: CapacityReading = CapacityReading::Declared;

#[test]
fn one_question_is_not_answered_both_ways() {
    let text = "bool b; active proctype P() { do :: b = !b od } ltl f { [] !b }";
    let formula = || Question::Formula("f".to_string());
    assert!(contradict(text, proved(formula(), DECLARED), |system| violated(formula(), lasso(system, 0, 2))));
    // Of another question, or with other buffers, nothing is known.
    let other = proved(Question::Formula("g".to_string()), DECLARED);
    assert!(!contradict(text, other, |system| violated(formula(), lasso(system, 0, 2))));
    let unbounded = proved(formula(), CapacityReading::Unbounded);
    assert!(!contradict(text, unbounded, |system| violated(formula(), lasso(system, 0, 2))));
}

#[test]
fn a_run_that_fails_an_assertion_excludes_that_all_hold() {
    let text = "byte x; active proctype P() { do :: x = 1; assert(x == 0); x = 0 od } ltl f { [] (x == 0) }";
    let wrong = |system: &System| violated(Question::Formula("f".to_string()), lasso(system, 0, 3));
    assert!(contradict(text, proved(Question::Assertions, DECLARED), wrong));
    assert!(!contradict(text, proved(Question::Deadlock, DECLARED), wrong));
}

#[test]
fn a_run_that_goes_on_without_progress_excludes_progress() {
    let quiet = "bool b; active proctype P() { do :: b = !b od } ltl f { [] !b }";
    let loud = "bool b; active proctype P() { do :: progress: b = !b od } ltl f { [] !b }";
    let wrong = |system: &System| violated(Question::Formula("f".to_string()), lasso(system, 0, 2));
    let every = || proved(Question::Progress, CapacityReading::Any);
    assert!(contradict(quiet, every(), wrong));
    assert!(!contradict(loud, every(), wrong));
}

#[test]
fn a_run_that_fills_a_buffer_excludes_a_smaller_bound() {
    let text = "chan c = [3] of { byte }; active proctype P() { c!1; c!2; assert(false) }";
    let bound = |at_most: u64| {
        let mut answer = proved(Question::Buffer("c".to_string()), CapacityReading::Any);
        answer.bound = Some(Bound { at_most, tight: false });
        answer
    };
    let wrong = |system: &System| violated(Question::Assertions, run(system, 3));
    assert!(contradict(text, bound(1), wrong));
    assert!(!contradict(text, bound(2), wrong));
}

#[test]
fn a_run_that_ends_badly_excludes_that_none_deadlocks() {
    let text = "byte x; active proctype P() { x = 1; x == 2 } ltl f { [] (x == 0) }";
    let wrong = |system: &System| violated(Question::Formula("f".to_string()), lasso(system, 1, 0));
    assert!(contradict(text, proved(Question::Deadlock, DECLARED), wrong));
    assert!(!contradict(text, proved(Question::Assertions, DECLARED), wrong));
}
