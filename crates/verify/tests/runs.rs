//! Buffers and progress of small models, one for each trap: what is proved, and what a run shows.

use certificate::verdict::{Capacities, Evidence, Verdict};
use std::time::Duration;
use system::automaton::System;
use system::progress::{ProgressAt, ProgressPlace};
use verify::{
    Answer, Bound, CheckOptions, CheckReport, Counterexample, Question, Questions, Supervisor, check,
};

fn read(text: &str) -> System {
    system::read_text(text).expect("a model")
}

fn asked(text: &str, options: CheckOptions) -> CheckReport {
    check(&read(text), &options, &Supervisor::none())
}

fn bounds_of(text: &str) -> CheckReport {
    let questions = Questions { buffers: true, ..Questions::none() };
    asked(text, CheckOptions { questions, ..CheckOptions::default() })
}

/// However long it takes to find certificates and tight bounds.
fn thorough_bounds_of(text: &str) -> CheckReport {
    let questions = Questions { buffers: true, ..Questions::none() };
    asked(text, CheckOptions { questions, thorough: true, ..CheckOptions::default() })
}

/// What must not be proved: a wrong proof would come soon.
fn soon(text: &str) -> CheckReport {
    let questions = Questions { buffers: true, ..Questions::none() };
    asked(text, CheckOptions { questions, time: Some(Duration::from_secs(5)), ..CheckOptions::default() })
}

fn progress_with(text: &str, options: CheckOptions) -> Answer {
    let questions = Questions { progress: true, ..Questions::none() };
    let report = asked(text, CheckOptions { questions, ..options });
    report.answer(&Question::Progress).expect("an answer").clone()
}

fn progress_of(text: &str) -> Answer {
    progress_with(text, CheckOptions::default())
}

fn verdict(report: &CheckReport) -> &'static str {
    report.answer(&Question::Buffers).expect("an answer").verdict.word()
}

fn buffer<'r>(report: &'r CheckReport, name: &str) -> &'r Answer {
    report.answer(&Question::Buffer(name.to_string())).expect("a buffer")
}

fn more_processes(report: &CheckReport) -> Option<u64> {
    match report.answer(&Question::Buffers)?.counterexample()? {
        Counterexample::Pump { more_processes, .. } => Some(*more_processes),
        _ => None,
    }
}

#[test]
fn a_copying_receive_takes_nothing() {
    // Q looks at the message again and again and never takes it.
    let report = bounds_of(
        "chan c = [1] of {byte};
         active proctype P() { do :: c!1 od }
         active proctype Q() { byte x; do :: c?<x> od }",
    );
    assert_eq!(verdict(&report), "VIOLATED");
}

#[test]
fn a_byte_that_wraps_starts_again() {
    // 256 is 0 again: the loop never ends, so the buffer is flooded.
    let report = bounds_of(
        "chan c = [9] of {byte};
         active proctype P() { byte n = 1; do :: n != 0 -> c!1; n = n + 128; n = n + 128 od }",
    );
    assert_eq!(verdict(&report), "VIOLATED");
}

#[test]
fn a_step_that_each_run_takes_finitely_often_may_still_have_no_bound() {
    // Each run ends its first loop at some time, but after any number of messages.
    let report = bounds_of("chan c = [1] of {byte}; active proctype P() { do :: c!1 :: break od }");
    assert_eq!(verdict(&report), "VIOLATED");
}

#[test]
fn one_part_may_fill_what_the_next_pours_into_another_buffer() {
    // c fills up in the first loop and is poured into d in the second: each run bounds d, and all together do not.
    let report = bounds_of(
        "chan c = [1] of {byte}; chan d = [1] of {byte};
         active proctype P() { do :: c!1 :: break od; do :: c?1; d!1 od }",
    );
    assert_eq!(verdict(&report), "VIOLATED");
    assert_ne!(buffer(&report, "d").verdict.word(), "PROVED");
}

#[test]
fn two_instances_may_stand_in_two_parts_at_once() {
    let text = |start: &str| {
        format!(
            "chan c = [9] of {{byte}}; chan d = [9] of {{byte}};
             proctype P() {{ if :: do :: c!1; d?1 od :: do :: c?1; d!1; d!1 od fi }}
             init {{ {start} }}"
        )
    };
    assert_eq!(verdict(&bounds_of(&text("run P()"))), "PROVED");
    assert_ne!(verdict(&soon(&text("run P(); run P()"))), "PROVED");
    assert_eq!(verdict(&bounds_of(&text("d!1; run P(); run P()"))), "VIOLATED");
}

#[test]
fn a_peak_inside_a_d_step_is_a_peak() {
    // The d_step adds nothing and reaches two.
    let report = bounds_of(
        "chan c = [9] of {byte};
         active proctype P() { byte x; do :: d_step { c!1; c!1; c?x; c?x } od }",
    );
    assert_eq!(buffer(&report, "c").bound, Some(Bound { at_most: 2, tight: true }));
}

#[test]
fn an_atomic_that_gives_way_because_a_receive_blocks_is_no_pump() {
    // B moves only while A is blocked inside its atomic; with a message more, A would not be blocked.
    let report = bounds_of(
        "chan c = [9] of {byte}; chan go = [0] of {bit};
         active proctype A() { do :: atomic { go!1; c?1 } od }
         active proctype B() { do :: go?1; c!1 od }",
    );
    assert_ne!(verdict(&report), "VIOLATED");
}

#[test]
fn a_loop_without_progress_is_shown_as_a_lasso() {
    let answer = progress_of("byte x; active proctype P() { do :: x = 1 - x :: skip; progress: skip od }");
    assert!(matches!(answer.counterexample(), Some(Counterexample::Lasso(_))), "{answer:?}");
}

#[test]
fn a_flood_without_progress_is_shown_as_a_pump() {
    let answer = progress_of(
        "chan c = [1] of {byte}; byte n;
         active proctype P() { do :: c!1 od }
         active proctype Q() { progress: n = 1 }",
    );
    assert!(matches!(answer.counterexample(), Some(Counterexample::Pump { .. })), "{answer:?}");
}

#[test]
fn without_labels_no_run_may_go_on() {
    assert_eq!(progress_of("byte x; active proctype P() { do :: x++ od }").verdict.word(), "VIOLATED");
    // Where every run ends, nothing goes on for ever without progress.
    assert_eq!(progress_of("byte x; active proctype P() { x = 1 }").verdict.word(), "PROVED");
}

/// Two processes that hand a turn to and fro; no progress label anywhere.
const TURNS: &str = "chan ping = [1] of {byte}; chan pong = [1] of {byte};
active proctype P() {
  do
  :: ping!1;
served:
     pong?1
  od }
active proctype Q() {
  do
  :: ping?1;
     pong!1
  od }
";

fn progress_at(text: &str, places: Vec<ProgressPlace>) -> &'static str {
    let progress_at = ProgressAt::Places(places);
    progress_with(text, CheckOptions { progress_at, ..CheckOptions::default() }).verdict.word()
}

#[test]
fn a_loop_that_passes_none_of_the_named_places_makes_no_progress() {
    let text = format!("{TURNS}active proctype R() {{ byte x; do :: x = 1 - x od }}\n");
    let served = ProgressPlace::Label("served".into());
    assert_eq!(progress_at(&text, vec![served.clone()]), "VIOLATED");
    // R's own loop, on line 13, does not pass the others' places, nor the others its.
    assert_eq!(progress_at(&text, vec![served, ProgressPlace::Line(13)]), "PROVED");
}

#[test]
fn with_declared_capacities_a_flooded_buffer_holds_what_it_has_room_for() {
    let text = "chan c = [3] of {byte}; active proctype P() { do :: c!1 od }";
    assert_eq!(verdict(&bounds_of(text)), "VIOLATED");
    let questions = Questions { buffers: true, ..Questions::none() };
    let proof_capacities = Capacities::Declared;
    let report = asked(text, CheckOptions { questions, proof_capacities, ..CheckOptions::default() });
    assert_eq!(verdict(&report), "PROVED");
    assert_eq!(buffer(&report, "c").bound, Some(Bound { at_most: 3, tight: true }));
}

#[test]
fn with_declared_capacities_a_sender_that_must_wait_makes_progress_possible() {
    // P fills c and then waits for Q, whose receive is progress; without a limit P goes on alone for ever.
    let text = "chan c = [2] of {byte};
         active proctype P() { do :: c!1 od }
         active proctype Q() { do :: progress: c?1 od }";
    assert_eq!(progress_of(text).verdict.word(), "VIOLATED");
    let declared = CheckOptions { proof_capacities: Capacities::Declared, ..CheckOptions::default() };
    assert_eq!(progress_with(text, declared).verdict.word(), "PROVED");
}

#[test]
fn channels_of_a_process_that_starts_by_itself_have_exact_bounds() {
    let report = bounds_of("init { chan c = [3] of {byte}; byte v; c!1; c!2; c?v; c?v }");
    assert_eq!(buffer(&report, ":init:[0]:c").bound, Some(Bound { at_most: 2, tight: true }));
}

#[test]
fn run_starts_a_process_wherever_it_stands() {
    for statement in ["assert(run R())", "printf(\"%d\\n\", run R())", "a[run R()] = 1", "x = 1 + run R()"] {
        let text = format!(
            "chan c = [4] of {{ byte }}; byte a[200]; byte x; proctype R() {{ do :: c!1 od }} init {{ {statement} }}"
        );
        assert_eq!(buffer(&bounds_of(&text), "c").verdict.word(), "VIOLATED", "{statement}");
    }
}

#[test]
fn processes_that_create_themselves_flood_where_their_number_has_no_limit() {
    let report = bounds_of("chan c = [2] of {byte}; active proctype P() { c!1; run P() }");
    assert_eq!(more_processes(&report), Some(1));
}

#[test]
fn a_flooder_that_leaves_waiting_processes_behind() {
    let report = bounds_of(
        "chan c = [2] of {byte}; chan d = [2] of {byte};
         active proctype P() { do :: run Q(); c!1 od }
         proctype Q() { d?1 }",
    );
    assert_eq!(more_processes(&report), Some(1));
}

/// Each process may end before the next begins (IBOC, figure 8): then their number does not grow, which says more.
#[test]
fn a_pump_without_more_processes_is_preferred() {
    let report = bounds_of(
        "chan c = [2] of {byte};
         active proctype P() { do :: run Q() od }
         proctype Q() { c!1 }",
    );
    assert_eq!(more_processes(&report), Some(0));
}

/// The tail of the answer belongs to an older request than its head may be taken for: only the order of the buffer tells. One
/// worker is started for each request, and the ended ones pile up.
const ONE_WORKER_A_REQUEST: &str = "mtype = { more, last };
    chan ask = [1] of {byte}; chan answer = [2] of {mtype}; chan over = [0] of {bit};
    active proctype Dispatcher() { do :: progress: run Worker(); over?0 od }
    proctype Worker() {
        ask!1;
        do :: answer?more :: answer?last -> break od;
        over!0
    }
    active proctype Server() { do :: ask?1; if :: answer!more :: skip fi; answer!last od }";

#[test]
fn one_process_after_another_is_searched_without_the_ended() {
    let report = bounds_of(ONE_WORKER_A_REQUEST);
    assert_eq!(verdict(&report), "PROVED");
    assert_eq!(buffer(&report, "answer").bound, Some(Bound { at_most: 2, tight: true }));
    assert_eq!(progress_of(ONE_WORKER_A_REQUEST).verdict.word(), "PROVED");
}

/// As long as an older worker has not died, the next has a larger number. Without the ended, each would have the same.
#[test]
fn the_ended_count_where_processes_look_at_their_numbers() {
    let report = bounds_of(
        "chan c = [2] of {byte}; chan over = [0] of {bit};
         active proctype Dispatcher() { do :: run Worker(); over?0 od }
         proctype Worker() { if :: _pid > 4 -> do :: c!1 od :: else -> over!0 fi }",
    );
    assert_eq!(verdict(&report), "VIOLATED");
}

#[test]
fn the_ended_count_where_somebody_counts_processes() {
    let report = soon(
        "chan c = [2] of {byte}; chan over = [0] of {bit};
         active proctype Dispatcher() { do :: _nr_pr < 5 -> run Worker(); over?0 :: _nr_pr >= 5 -> c!1 od }
         proctype Worker() { over!0 }",
    );
    assert_ne!(verdict(&report), "PROVED");
}

/// The producer and its clerk go round in many steps, with many interleavings; only the consumer's buffer can grow, and the consumers of
/// the other lines have nothing to do with it.
const LINES: &str = "
    #define LINES 3
    chan ask[LINES] = [2] of {byte}; chan grant[LINES] = [2] of {byte}; chan goods[LINES] = [2] of {byte};
    proctype producer(byte me) {
        byte n;
        do
        :: n < 4 -> ask[me]!n; grant[me]?eval(n); goods[me]!n; n++
        :: n == 4 -> n = 0
        od
    }
    proctype clerk(byte me) { byte n; do :: ask[me]?n -> grant[me]!n od }
    proctype consumer(byte me) { do :: goods[me]?_ -> progress: skip od }
    init {
        byte i;
        atomic { for (i : 0 .. LINES - 1) { run producer(i); run clerk(i); run consumer(i) } }
    }";

#[test]
fn a_buffer_that_a_long_loop_fills_while_its_consumer_stands_still() {
    let report = thorough_bounds_of(LINES);
    assert_eq!(more_processes(&report), Some(0));
    for line in 0..3 {
        assert_eq!(buffer(&report, &format!("goods[{line}]")).verdict.word(), "VIOLATED");
        assert_eq!(buffer(&report, &format!("ask[{line}]")).bound, Some(Bound { at_most: 1, tight: true }));
    }
    assert_eq!(progress_of(LINES).verdict.word(), "VIOLATED");
}

/// A sender spends credits, which come back one by one or several at once; one message can never be told from another by its text.
fn credits(credits: u32, back: &str) -> String {
    format!(
        "chan frames = [3] of {{byte}}; chan back = [3] of {{byte}};
         active proctype Sender() {{
            byte left = {credits}; byte given;
            do :: left > 0 -> frames!1; left-- :: back?given -> left = left + given od
         }}
         active proctype Receiver() {{
            byte kept;
            do :: frames?1 -> progress: if :: back!1 :: kept++ fi :: kept > 0 -> {back}; kept = 0 od
         }}"
    )
}

#[test]
fn conserved_credits_keep_a_counter_small() {
    let report = thorough_bounds_of(&credits(3, "back!kept"));
    let answer = report.answer(&Question::Buffers).expect("an answer");
    let Verdict::Proved(Evidence::Certificate(certificate)) = &answer.verdict else { panic!("{answer:?}") };
    // Values that were seen are shown to be all there are.
    assert!(!certificate.claims.invariants.is_empty());
    for name in ["frames", "back"] {
        assert_eq!(buffer(&report, name).bound, Some(Bound { at_most: 3, tight: true }), "{name}");
    }
    assert_eq!(progress_of(&credits(3, "back!kept")).verdict.word(), "PROVED");
}

/// One credit too many, once in a while: then the sender has more than ever before, and nothing is bounded.
#[test]
fn credits_that_grow_are_not_conserved() {
    assert_ne!(verdict(&soon(&credits(2, "back!(kept+1)"))), "PROVED");
}
