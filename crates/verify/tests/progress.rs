//! What counts as progress, in both readings.

use certificate::verdict::{Capacities, ProgressReading};
use system::automaton::System;
use system::progress::{ProgressAt, ProgressPlace};
use verify::{CheckOptions, Question, Questions, Supervisor, check};

fn read(text: &str) -> System {
    system::read_text(text).expect("a model")
}

fn verdict(text: &str, progress: ProgressReading, progress_at: ProgressAt) -> &'static str {
    let questions = Questions { progress: true, ..Questions::none() };
    // With buffers as declared, so that a search can decide what proofs leave open.
    let proof_capacities = Capacities::Declared;
    let options =
        CheckOptions { questions, progress, progress_at, proof_capacities, ..CheckOptions::default() };
    let system = read(text);
    assert_eq!(verify::not_there(&system, &options), None);
    let report = check(&system, &options, &Supervisor::none());
    report.answer(&Question::Progress).map_or("no answer", |answer| answer.verdict.word())
}

fn by_statement(text: &str) -> &'static str {
    verdict(text, ProgressReading::Transition, ProgressAt::Labels)
}

fn by_state(text: &str) -> &'static str {
    verdict(text, ProgressReading::State, ProgressAt::Labels)
}

fn at_line(text: &str, line: u32) -> &'static str {
    let place = ProgressAt::Places(vec![ProgressPlace::Line(line)]);
    verdict(text, ProgressReading::Transition, place)
}

const OPTION: &str =
    "mtype = { ping, pong }; chan a = [1] of { mtype }; chan b = [1] of { mtype }; byte pongs;
    active proctype S() { do :: a!ping :: progress: b!pong od }
    active proctype R() { do :: a?ping :: b?pong -> pongs = 1 - pongs od }";

#[test]
fn the_label_of_an_option_marks_its_statement_and_not_the_other_options() {
    assert_eq!(by_statement(OPTION), "VIOLATED");
    assert_eq!(by_state(OPTION), "PROVED");
}

#[test]
fn the_label_of_a_loop_marks_whatever_it_can_begin_with() {
    let text = "byte x; active proctype P() { progress: do :: x = 1 :: x = 2 -> x = 3 od }";
    assert_eq!(by_statement(text), "PROVED");
}

#[test]
fn the_label_of_an_atomic_sequence_marks_its_first_statement() {
    let text = "byte x; active proctype P() { do :: progress: atomic { x = 1; x = 2 } od }";
    assert_eq!(by_statement(text), "PROVED");
    let stuck = "byte x; active proctype P() { progress: atomic { x = 1; do :: x = 2 od } }";
    assert_eq!(by_statement(stuck), "VIOLATED");
}

#[test]
fn a_label_inside_of_a_d_step_marks_what_is_executed_there_and_nothing_else() {
    let both = "byte x; active proctype P() { do :: d_step { if :: x == 0 -> progress: x = 1 :: else -> x = 0 fi } od }";
    assert_eq!(by_statement(both), "PROVED");
    let never = "byte x; active proctype P() { do :: d_step { if :: x == 7 -> progress: x = 1 :: else -> x = 0 fi } od }";
    assert_eq!(by_statement(never), "VIOLATED");
    let whole = "byte x; active proctype P() { do :: progress: d_step { x = 1; x = 0 } od }";
    assert_eq!(by_statement(whole), "PROVED");
}

#[test]
fn progress_at_a_line_means_the_statements_on_it() {
    let text = "byte x;\nactive proctype P() {\n do\n :: x = 1\n :: x == 9 -> x = 2\n od\n}\n";
    assert_eq!(at_line(text, 5), "VIOLATED");
    assert_eq!(at_line(text, 4), "PROVED");
    assert_eq!(at_line(text, 3), "PROVED");
}

#[test]
fn where_nothing_is_marked_a_run_that_goes_on_beside_a_failing_guard_is_without_progress() {
    for failing in ["byte z; active proctype P() { 1 / z == 0 }", "active proctype P() { chan v; v?_ }"] {
        let text = format!("chan c = [5] of {{ byte }}; {failing} active proctype Q() {{ do :: c!1 od }}");
        let questions = Questions { progress: true, ..Questions::none() };
        let options = CheckOptions { questions, ..CheckOptions::default() };
        let report = check(&read(&text), &options, &Supervisor::none());
        let word = report.answer(&Question::Progress).map(|answer| answer.verdict.word());
        assert_eq!(word, Some("VIOLATED"), "{failing}");
    }
}

/// Without limits there is always room, and every run ends; in a buffer of one message there is none, and the loop goes on for ever.
#[test]
fn where_an_escape_waits_for_room_what_holds_without_limits_does_not_hold_for_every_capacity() {
    let text = "chan c = [1] of { bit }; byte x;
        active proctype P() { c!0; { do :: x = 1 :: x = 2 od } unless { nfull(c) } }";
    let questions = Questions { buffers: true, progress: true, ..Questions::none() };
    let report =
        check(&read(text), &CheckOptions { questions, ..CheckOptions::default() }, &Supervisor::none());
    let answer = report.answer(&Question::Progress).expect("an answer");
    let is_for_every_capacity = answer.reading.capacities == verify::CapacityReading::Any;
    assert!(!(answer.verdict.word() == "PROVED" && is_for_every_capacity), "{answer:?}");
}
