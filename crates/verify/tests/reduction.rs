//! What a reduced search must not leave out: statements that read, write and look more than one sees at a glance.

use certificate::trace::replay;
use search::{Cause, Control, ErrorPolicy, Outcome, Reduction, SearchOptions, explore};
use system::automaton::System;
use verify::{CheckOptions, Question, Questions, Supervisor, check};

fn read(text: &str) -> System {
    system::read_text(text).expect("a model")
}

/// Whether a search finds a failing assertion: reduced and full, which must agree.
fn fails(text: &str) -> bool {
    let system = read(text);
    let found = |reduction: Reduction| {
        let options = SearchOptions { errors: ErrorPolicy::All, reduction, ..SearchOptions::full() };
        let report = explore(&system, &options, &Control::none()).expect("an initial state");
        assert_eq!(report.outcome, Outcome::Complete);
        report.errors.iter().any(|group| {
            assert!(replay(&system, &group.trace).is_ok(), "{:?}", group.cause);
            matches!(group.cause, Cause::Statement { assertion: true, .. })
        })
    };
    let (reduced, full) = (found(Reduction::Reduced), found(Reduction::Full));
    assert_eq!(reduced, full, "reduced and full");
    full
}

fn formula(text: &str) -> &'static str {
    let questions = Questions { formulas: verify::FormulaChoice::All, ..Questions::none() };
    let report =
        check(&read(text), &CheckOptions { questions, ..CheckOptions::default() }, &Supervisor::none());
    report.answer(&Question::Formula("p".to_string())).map_or("no answer", |answer| answer.verdict.word())
}

#[test]
fn an_argument_of_run_is_read() {
    assert!(fails(
        "byte g; proctype P(byte v) { assert(v == 1) }
         active proctype A() { run P(g) } active proctype B() { g = 1 }"
    ));
}

#[test]
fn the_first_values_of_a_process_are_computed_by_who_starts_it() {
    let value = "byte g; byte bad; proctype P() { byte v = g; bad = 1 - v }
         active proctype A() { run P() } active proctype B() { g = 1 } ltl p { [] (bad == 0) }";
    assert_eq!(formula(value), "VIOLATED");
    let length = "chan c = [2] of { byte }; byte bad; proctype P() { byte v = len(c); bad = 1 - v }
         active proctype A() { run P() } active proctype B() { c!1 } ltl p { [] (bad == 0) }";
    assert_eq!(formula(length), "VIOLATED");
}

#[test]
fn an_index_that_a_d_step_sets_is_used_with_its_new_value() {
    assert!(fails(
        "bit ga[2]; active proctype A() { byte i; d_step { i = 1; ga[i] = 1 } }
         active proctype B() { byte x; x = ga[1]; assert(x == 0) }"
    ));
    assert!(fails(
        "chan ca[2] = [2] of { byte }; active proctype A() { byte i; d_step { i = 1; ca[i]!7 } }
         active proctype B() { byte x; ca[1]!5; ca[1]?x; assert(x == 5) }"
    ));
    let text = "bit ga[2]; byte bad; active proctype A() { byte i; d_step { i = 1; ga[i] = 1 } }
         active proctype B() { byte x; x = ga[1]; bad = x } ltl p { [] (bad == 0) }";
    assert_eq!(formula(text), "VIOLATED");
}

#[test]
fn a_channel_variable_that_a_d_step_sets_is_used_with_its_new_value() {
    assert!(fails(
        "chan c0 = [2] of { byte }; chan c1 = [2] of { byte };
         active proctype A() { chan v = c0; d_step { v = c1; v!7 } }
         active proctype B() { byte x; c1!5; c1?x; assert(x == 5) }"
    ));
}

#[test]
fn an_index_that_a_receive_sets_is_used_with_its_new_value() {
    assert!(fails(
        "bit ga[2]; chan c = [2] of { byte, byte }; active proctype A() { byte i; c!1,1; c?i,ga[i] }
         active proctype B() { byte x; x = ga[1]; assert(x == 1) }"
    ));
    let text = "bit ga[2]; byte bad; chan c = [2] of { byte, byte };
         active proctype A() { byte i; c!1,1; c?i,ga[i] }
         active proctype B() { byte x; x = ga[1]; bad = 1 - x } ltl p { [] (bad == 0) }";
    assert_eq!(formula(text), "VIOLATED");
}

#[test]
fn what_is_printed_matters_where_it_cannot_be_computed() {
    let system = read(
        "byte g = 1; active proctype A() { printf(\"%d\\n\", 1 / g) }
         active proctype B() { g = 0; g = 1 }",
    );
    let options =
        SearchOptions { reduction: Reduction::Reduced, errors: ErrorPolicy::All, ..SearchOptions::full() };
    let report = explore(&system, &options, &Control::none()).expect("an initial state");
    assert_eq!(report.errors.len(), 1);
}

/// All searches of a model, reduced and full, find these numbers of errors.
fn errors(text: &str) -> usize {
    let system = read(text);
    let found = |reduction: Reduction| {
        let options = SearchOptions { errors: ErrorPolicy::All, reduction, ..SearchOptions::full() };
        let report = explore(&system, &options, &Control::none()).expect("an initial state");
        report.errors.len()
    };
    assert_eq!(found(Reduction::Reduced), found(Reduction::Full));
    found(Reduction::Full)
}

#[test]
fn a_d_step_may_begin_with_timeout() {
    let text = "byte x; active proctype P() { d_step { timeout; x = 1 }; x = 2 } active proctype Q() { x == 2; x = 3 }";
    assert_eq!(errors(text), 0);
    let system = read(text);
    let report = explore(&system, &SearchOptions::full(), &Control::none()).expect("a start");
    assert_eq!(report.counts.states, 7);
    assert!(fails("byte x; active proctype P() { d_step { timeout; x = 1 }; assert(false) }"));
}

#[test]
fn a_d_step_that_begins_with_a_rendezvous_send_is_an_error() {
    let text = "chan r = [0] of { byte }; byte g; active proctype P0() { d_step { r!1; g = 2 } }
         active proctype P1() { byte l; l = 1; l = 2 }";
    assert_eq!(errors(text), 1);
}

#[test]
fn a_copying_receive_is_no_event_of_a_trace() {
    let text = "chan q = [2] of { byte }; byte x; trace { q?2 }
         active proctype Q() { q!2; q?<x>; x = 0; q?x }";
    assert_eq!(errors(text), 0);
}

#[test]
fn run_starts_a_process_wherever_it_stands() {
    for statement in
        ["assert(run R())", "printf(\"%d\\n\", run R())", "set_priority(run R(), 3)", "a[run R()] = 1"]
    {
        let text = format!(
            "chan c = [4] of {{ byte }}; byte a[200]; proctype R() {{ c!1; c!1; c!1; assert(len(c) < 3) }}
             init {{ {statement} }}"
        );
        assert!(fails(&text), "{statement}");
    }
}

#[test]
fn a_number_that_is_used_again_is_another_process() {
    assert!(fails(
        "byte g; proctype P(byte p) { g = p }
         init { run P(1); run P(2); _nr_pr == 1; assert(g == 2) }"
    ));
    // Here processes are started again and again, and nobody asks how many there are.
    assert!(fails(
        "byte g; byte n; proctype P(byte p) { g = p }
         init { do :: n < 2 -> n++; run P(n) :: n == 2 -> break od; g == 1; assert(false) }
         active proctype Q() { n == 2; g == 2; g = 3 }"
    ));
}
