//! What each thing in Promela becomes, and the traps: one small model each, with exact answers.

mod common;

use certificate::verdict::Capacities;
use common::{bounds_of, progress_of, static_bounds_of, static_progress_of, system_of};
use proofs::{
    BoundsOptions, BoundsReport, BoundsVerdict, Budgets, BufferVerdict, Control, ProgressOptions,
    ProgressReport, ProgressVerdict, ProofSource,
};
use system::progress::{ProgressAt, ProgressPlace};

/// The bound that a certificate shows for a buffer.
fn certified(report: &BoundsReport, name: &str) -> Option<u64> {
    let buffer = report.buffers.iter().find(|buffer| buffer.name == name)?;
    match &buffer.verdict {
        BufferVerdict::AtMost { bound, source: ProofSource::Certificate(_), .. } => Some(*bound),
        _ => None,
    }
}

fn is_certified(report: &BoundsReport) -> bool {
    matches!(report.verdict, BoundsVerdict::Proved(ProofSource::Certificate(_)))
}

#[test]
fn a_send_adds_one_and_a_receive_takes_one() {
    let report = static_bounds_of(
        "chan c = [1] of {byte}; chan d = [1] of {byte};
         active proctype P() { do :: c!1; d?1 od }
         active proctype Q() { do :: c?1; d!1 od }",
    );
    assert!(is_certified(&report));
    assert_eq!(certified(&report, "c"), Some(1));
    assert_eq!(certified(&report, "d"), Some(1));
}

#[test]
fn sorted_sends_and_random_receives_count_like_plain_ones() {
    let report = static_bounds_of(
        "chan c = [4] of {byte}; chan d = [4] of {byte};
         active proctype P() { byte x; do :: c!!2; c!!1; d?x od }
         active proctype Q() { do :: c??1; c??2; d!0 od }",
    );
    assert_eq!(certified(&report, "c"), Some(2));
}

#[test]
fn a_copying_receive_takes_nothing() {
    // Q looks at the message again and again and never takes it.
    let report = bounds_of(
        "chan c = [1] of {byte};
         active proctype P() { do :: c!1 od }
         active proctype Q() { byte x; do :: c?<x> od }",
    );
    assert!(matches!(report.verdict, BoundsVerdict::Violated(_)));
}

#[test]
fn a_rendezvous_keeps_sender_and_receiver_in_step() {
    // Each message into c must be asked for by a rendezvous, which Q gives only after it took the last one.
    let report = static_bounds_of(
        "chan ask = [0] of {bit}; chan c = [3] of {byte};
         active proctype P() { do :: ask?1; c!1 od }
         active proctype Q() { byte x; do :: ask!1; c?x od }",
    );
    assert!(is_certified(&report));
    assert_eq!(certified(&report, "c"), Some(1));
}

#[test]
fn processes_that_are_run_bring_their_messages() {
    let report = static_bounds_of(
        "chan c = [3] of {byte};
         proctype P(byte n) { c!n; c!n }
         init { run P(1); run P(2); run P(2) }",
    );
    assert_eq!(certified(&report, "c"), Some(6));
}

#[test]
fn a_start_up_loop_is_counted() {
    let report = static_bounds_of(
        "chan c = [3] of {byte};
         proctype P(byte n) { c!n }
         init { byte i; do :: i < 5 -> run P(i); i++ :: else -> break od }",
    );
    assert_eq!(certified(&report, "c"), Some(5));
}

#[test]
fn any_number_of_processes_that_leave_nothing_behind_is_no_harm() {
    let report = static_bounds_of(
        "chan c = [1] of {byte}; chan done = [0] of {bit};
         proctype P() { c!1; c?1; done!1 }
         init { do :: run P(); done?1 od }",
    );
    assert!(is_certified(&report), "{:?}", report.verdict);
    assert_eq!(certified(&report, "c"), Some(1));
}

#[test]
fn a_tracked_local_bounds_what_a_loop_sends() {
    let report = static_bounds_of(
        "chan c = [9] of {byte};
         active proctype P() { byte n; do :: n < 4 -> c!n; n++ :: else -> break od }",
    );
    assert_eq!(certified(&report, "c"), Some(4));
}

#[test]
fn a_byte_that_wraps_starts_again() {
    // 256 is 0 again: the loop never ends, so the buffer is flooded.
    let report = bounds_of(
        "chan c = [9] of {byte};
         active proctype P() { byte n = 1; do :: n != 0 -> c!1; n = n + 128; n = n + 128 od }",
    );
    assert!(matches!(report.verdict, BoundsVerdict::Violated(_)));
}

#[test]
fn a_tracked_global_is_followed_jointly_with_the_process_that_tests_it() {
    let report = static_bounds_of(
        "bit free = 1; chan c = [2] of {byte};
         active proctype P() { do :: free -> free = 0; c!1 od }
         active proctype Q() { do :: c?1; free = 1 od }",
    );
    assert!(is_certified(&report), "{:?}", report.verdict);
    assert_eq!(certified(&report, "c"), Some(1));
}

#[test]
fn unless_goto_break_atomic_and_d_step_are_plain_transitions() {
    let report = static_bounds_of(
        "chan c = [9] of {byte}; byte x;
         active proctype P() {
           { c!1; c!2 } unless { x == 1 };
           atomic { c!3; goto out };
           c!9;
         out: d_step { c!4; c!5 } }",
    );
    assert_eq!(certified(&report, "c"), Some(5));
}

#[test]
fn a_channel_in_a_message_is_followed() {
    let report = static_bounds_of(
        "chan c = [1] of {chan}; chan a = [1] of {byte}; chan b = [1] of {byte};
         active proctype P() { c!a; c!b }
         active proctype Q() { chan x; c?x; x!1; c?x; x!1 }",
    );
    assert_eq!(certified(&report, "c"), Some(2));
    // Order is forgotten, so both may be meant twice.
    assert_eq!(certified(&report, "a"), Some(2));
}

#[test]
fn a_local_channel_is_one_object_for_its_process() {
    let report = static_bounds_of(
        "active proctype P() { chan mine = [2] of {byte}; byte x; do :: mine!1; mine!2; mine?x; mine?x od }",
    );
    assert!(is_certified(&report));
    assert_eq!(certified(&report, "P[0]:mine"), Some(2));
}

#[test]
fn what_was_received_is_linked_to_what_is_sent_on() {
    // Ciclo, section VI-B: an `ack` that comes in goes out as an `ack`.
    let report = static_bounds_of(
        "mtype = {ack, rej}; chan a = [1] of {mtype}; chan b = [1] of {mtype};
         active proctype Medium() { mtype m; do :: a?m -> b!m od }
         active proctype User() { do :: a!ack; b?ack :: a!rej; b?rej od }",
    );
    assert!(is_certified(&report));
    assert_eq!(certified(&report, "b"), Some(1));
}

#[test]
fn a_step_that_each_run_takes_finitely_often_may_still_have_no_bound() {
    // Trap 1: each run ends its first loop at some time, but after any number of messages.
    let report = bounds_of(
        "chan c = [1] of {byte};
         active proctype P() { do :: c!1 :: break od }",
    );
    assert!(matches!(report.verdict, BoundsVerdict::Violated(_)));
}

#[test]
fn one_part_may_fill_what_the_next_pours_into_another_buffer() {
    // Trap 2: bounded in no single part is d; c fills up in the first loop and is poured into d in the second.
    let report = bounds_of(
        "chan c = [1] of {byte}; chan d = [1] of {byte};
         active proctype P() { do :: c!1 :: break od; do :: c?1; d!1 od }",
    );
    assert!(matches!(report.verdict, BoundsVerdict::Violated(_)));
    let d = report.buffers.iter().find(|buffer| buffer.name == "d").expect("d");
    assert!(
        !matches!(d.verdict, BufferVerdict::AtMost { .. } | BufferVerdict::Bounded(_)),
        "{:?}",
        d.verdict
    );
}

#[test]
fn two_instances_may_stand_in_two_parts_at_once() {
    // Trap 3: bounded in each part, unbounded together.
    let text = |start: &str| {
        format!(
            "chan c = [9] of {{byte}}; chan d = [9] of {{byte}};
             proctype P() {{ if :: do :: c!1; d?1 od :: do :: c?1; d!1; d!1 od fi }}
             init {{ {start} }}"
        )
    };
    let one = bounds_of(&text("run P()"));
    assert!(matches!(one.verdict, BoundsVerdict::Proved(_)));
    let two = bounds_of(&text("run P(); run P()"));
    assert!(!matches!(two.verdict, BoundsVerdict::Proved(_)), "{:?}", two.verdict);
    let with_a_start = bounds_of(&text("d!1; run P(); run P()"));
    assert!(matches!(with_a_start.verdict, BoundsVerdict::Violated(_)));
}

#[test]
fn a_single_process_stands_in_one_part() {
    let report = static_bounds_of(
        "chan c = [9] of {byte}; chan d = [9] of {byte};
         active proctype P() { if :: do :: c!1; d?1 od :: do :: c?1; d!1; d!1 od fi }",
    );
    assert!(is_certified(&report), "{:?}", report.verdict);
}

#[test]
fn a_peak_inside_a_d_step_is_a_peak() {
    // Trap 4: the d_step adds nothing and reaches two.
    let text = "chan c = [9] of {byte};
         active proctype P() { byte x; do :: d_step { c!1; c!1; c?x; c?x } od }";
    let alone = static_bounds_of(text);
    assert_eq!(certified(&alone, "c"), Some(2));
    let searched = bounds_of(text);
    assert_eq!(searched.buffers[0].seen, 2);
}

#[test]
fn an_atomic_that_gives_way_because_a_receive_blocks_is_no_pump() {
    // Section 5: B moves only while A is blocked inside its atomic; with a message more, A would not be blocked.
    let report = bounds_of(
        "chan c = [9] of {byte}; chan go = [0] of {bit};
         active proctype A() { do :: atomic { go!1; c?1 } od }
         active proctype B() { do :: go?1; c!1 od }",
    );
    assert!(!matches!(report.verdict, BoundsVerdict::Violated(_)));
}

#[test]
fn a_loop_without_progress_is_shown_as_a_lasso() {
    let report = progress_of("byte x; active proctype P() { do :: x = 1 - x :: skip; progress: skip od }");
    assert!(matches!(report.verdict, ProgressVerdict::Lasso(_)));
}

#[test]
fn progress_that_every_round_makes_is_proved() {
    let report = static_progress_of(
        "chan c = [1] of {byte};
         active proctype P() { do :: c!1 od }
         active proctype Q() { do :: c?1; progress: skip od }",
    );
    // P alone may go on for ever where buffers have no limit.
    assert!(!matches!(report.verdict, ProgressVerdict::Proved(_)));
    let report = static_progress_of(
        "chan c = [1] of {byte}; chan d = [1] of {byte};
         active proctype P() { do :: c!1; d?1 od }
         active proctype Q() { do :: c?1; d!1; progress: skip od }",
    );
    assert!(matches!(report.verdict, ProgressVerdict::Proved(ProofSource::Certificate(_))));
}

#[test]
fn a_flood_without_progress_is_shown_as_a_pump() {
    let report = progress_of(
        "chan c = [1] of {byte}; byte n;
         active proctype P() { do :: c!1 od }
         active proctype Q() { progress: n = 1 }",
    );
    assert!(matches!(report.verdict, ProgressVerdict::Pump(_)), "{:?}", report.verdict);
}

#[test]
fn a_model_without_buffers_gets_a_word_and_without_labels_no_run_may_go_on() {
    assert!(matches!(bounds_of("byte x; active proctype P() { x = 1 }").verdict, BoundsVerdict::NoBuffers));
    assert!(matches!(
        progress_of("byte x; active proctype P() { do :: x++ od }").verdict,
        ProgressVerdict::Lasso(_)
    ));
    // Where every run ends, nothing goes on for ever without progress.
    assert!(matches!(
        progress_of("byte x; active proctype P() { x = 1 }").verdict,
        ProgressVerdict::Proved(_)
    ));
}

#[test]
fn the_shadow_of_a_sender_recovers_the_order_that_counting_forgets() {
    // IBOC, figure 11: the paper's estimates are 20 and 6, counting gives 13 and 4; B never gets its first `a`.
    let report = static_bounds_of(include_str!("../../../models/two-proctype.pml"));
    assert_eq!(certified(&report, "AB"), Some(7));
    assert_eq!(certified(&report, "BA"), Some(2));
    assert_eq!(report.refinements, ["followed the order of A in `AB` jointly with B"]);
}

#[test]
fn a_shadow_that_sharpens_nothing_is_not_reported() {
    // Q takes whatever comes, so the order of P's messages says nothing.
    let report = static_bounds_of(
        "chan c = [9] of {byte};
         active proctype P() { c!1; c!2 }
         active proctype Q() { do :: c?1 :: c?2 od }",
    );
    assert_eq!(certified(&report, "c"), Some(2));
    assert_eq!(report.refinements, [""; 0]);
}

/// S alternates, so R does; counting alone lets R take only the first kind, and `d` grow.
const ALTERNATING: &str = "chan c = [9] of {byte}; chan d = [9] of {byte};
     active proctype S() { do :: c!1; c!2 od }
     active proctype R() { do :: c?1 -> d!1 :: c?2 -> d?1 od }";

#[test]
fn a_receiver_alternates_because_its_sender_does() {
    let report = static_bounds_of(ALTERNATING);
    assert_eq!(certified(&report, "c"), None);
    assert_eq!(certified(&report, "d"), Some(1));
}

#[test]
fn there_is_no_shadow_where_the_order_is_not_the_senders() {
    let others = [("c!1; c!2 od", "c!1; c!!2 od"), ("c?2 ->", "c??2 ->"), ("d!1 ::", "d!1; c!1 ::")];
    for (old, new) in others {
        let report = static_bounds_of(&ALTERNATING.replace(old, new));
        assert_eq!(certified(&report, "d"), None, "{new}");
    }
    // Two senders, each in order, together in none.
    let report = static_bounds_of(&ALTERNATING.replace("active proctype S", "active [2] proctype S"));
    assert_eq!(certified(&report, "d"), None);
}

#[test]
fn a_shadow_follows_a_sender_that_run_starts() {
    let report = static_bounds_of(
        "chan c = [9] of {byte}; chan d = [9] of {byte};
         proctype S(byte rounds) { byte n; do :: n < rounds -> c!1; c!2; n++ od }
         proctype R(byte unused) { do :: c?1 -> d!1 :: c?2 -> d?1 od }
         init { run R(0); run S(100) }",
    );
    assert_eq!(certified(&report, "d"), Some(1));
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

fn progress_at(text: &str, places: Vec<ProgressPlace>, budgets: Budgets) -> ProgressReport {
    let options =
        ProgressOptions { progress: ProgressAt::Places(places), budgets, ..ProgressOptions::default() };
    proofs::progress(&system_of(text), &options, &Control::unlimited())
}

fn without_search() -> Budgets {
    Budgets { states: 0, ..Budgets::default() }
}

#[test]
fn progress_may_be_named_by_a_label_or_a_line() {
    let label = ProgressPlace::Label("served".into());
    for place in [label, ProgressPlace::Line(4), ProgressPlace::Line(6), ProgressPlace::Line(11)] {
        let report = progress_at(TURNS, vec![place.clone()], without_search());
        assert!(
            matches!(report.verdict, ProgressVerdict::Proved(ProofSource::Certificate(_))),
            "{place:?}: {:?}",
            report.verdict
        );
    }
}

#[test]
fn a_loop_that_passes_none_of_the_named_places_is_a_lasso() {
    let text = format!("{TURNS}active proctype R() {{ byte x; do :: x = 1 - x od }}\n");
    let report = progress_at(&text, vec![ProgressPlace::Label("served".into())], Budgets::default());
    assert!(matches!(report.verdict, ProgressVerdict::Lasso(_)), "{:?}", report.verdict);
    // R's own loop, on line 13, does not pass the others' places, nor the others its.
    let both = vec![ProgressPlace::Label("served".into()), ProgressPlace::Line(13)];
    let report = progress_at(&text, both, Budgets::default());
    assert!(matches!(report.verdict, ProgressVerdict::Proved(_)), "{:?}", report.verdict);
}

#[test]
fn a_named_place_that_does_not_exist_marks_nothing() {
    for place in [ProgressPlace::Label("nowhere".into()), ProgressPlace::Line(99)] {
        let report = progress_at(TURNS, vec![place], Budgets::default());
        assert!(matches!(report.verdict, ProgressVerdict::Lasso(_)), "{:?}", report.verdict);
    }
}

fn declared_bounds_of(text: &str, budgets: Budgets) -> BoundsReport {
    let options = BoundsOptions { capacities: Capacities::Declared, budgets };
    proofs::bounds(&system_of(text), &options, &Control::unlimited())
}

#[test]
fn with_declared_capacities_a_flooded_buffer_holds_what_it_has_room_for() {
    let text = "chan c = [3] of {byte}; active proctype P() { do :: c!1 od }";
    assert!(matches!(bounds_of(text).verdict, BoundsVerdict::Violated(_)));
    let report = declared_bounds_of(text, without_search());
    assert!(is_certified(&report), "{:?}", report.verdict);
    assert_eq!(certified(&report, "c"), Some(3));
}

#[test]
fn the_room_in_one_buffer_bounds_what_is_poured_into_another() {
    // d gets two for each that is put into c and never taken: three times two.
    let text = "chan c = [3] of {byte}; chan d = [9] of {byte};
         active proctype P() { do :: c!1; d!1; d!1 od }";
    let report = declared_bounds_of(text, without_search());
    assert!(is_certified(&report), "{:?}", report.verdict);
    assert_eq!(certified(&report, "c"), Some(3));
    assert_eq!(certified(&report, "d"), Some(6));
    let searched = declared_bounds_of(text, Budgets::default());
    assert_eq!(searched.buffers.iter().map(|buffer| buffer.seen).collect::<Vec<_>>(), [3, 6]);
}

#[test]
fn with_declared_capacities_a_sender_that_must_wait_makes_progress_possible() {
    // P fills c and then waits for Q, whose receive is progress; without a limit P goes on alone for ever.
    let text = "chan c = [2] of {byte};
         active proctype P() { do :: c!1 od }
         active proctype Q() { do :: progress: c?1 od }";
    assert!(matches!(progress_of(text).verdict, ProgressVerdict::Pump(_)));
    let options = ProgressOptions {
        capacities: Capacities::Declared,
        budgets: without_search(),
        ..ProgressOptions::default()
    };
    let report = proofs::progress(&system_of(text), &options, &Control::unlimited());
    assert!(
        matches!(report.verdict, ProgressVerdict::Proved(ProofSource::Certificate(_))),
        "{:?}",
        report.verdict
    );
}

/// A ring in which each process passes on what it gets, once it has sent something of its own.
fn ring(processes: usize) -> String {
    format!(
        "chan q[{processes}] = [1] of {{ int }};
         proctype node(chan inp, out; int mine) {{
           int v;
           out!mine;
         again: do :: inp?v; out!v od
         }}
         init {{ int i = 0; do :: i < {processes} -> run node(q[i], q[(i + 1) % {processes}], i); i++ :: else -> break od }}"
    )
}

#[test]
fn a_ring_of_more_channels_than_spin_can_number_has_a_bound_for_each_buffer() {
    let report = static_bounds_of(&ring(300));
    assert!(is_certified(&report), "{:?}", report.verdict);
    assert_eq!(report.buffers.len(), 300);
    assert_eq!(certified(&report, "q[0]"), Some(300));
    assert_eq!(certified(&report, "q[299]"), Some(300));
    let options = ProgressOptions {
        progress: ProgressAt::Places(vec![ProgressPlace::Label("again".into())]),
        ..ProgressOptions::default()
    };
    let report = proofs::progress(&system_of(&ring(300)), &options, &Control::unlimited());
    assert!(matches!(report.verdict, ProgressVerdict::Proved(ProofSource::Certificate(_))));
}

#[test]
fn channels_of_a_process_that_starts_by_itself_have_exact_bounds() {
    let report = bounds_of("init { chan c = [3] of {byte}; byte v; c!1; c!2; c?v; c?v }");
    let BufferVerdict::AtMost { bound: 2, tight: true, .. } = report.buffers[0].verdict else {
        panic!("{:?}", report.buffers[0])
    };
    assert_eq!(report.buffers[0].name, ":init:[0]:c");
}

#[test]
fn a_prover_that_is_stopped_proves_nothing() {
    let stopped = Control { cancelled: &|| true };
    let report = proofs::bounds(&system_of(&ring(300)), &BoundsOptions::default(), &stopped);
    assert!(matches!(report.verdict, BoundsVerdict::Unknown(_)), "{:?}", report.verdict);
}

#[test]
fn what_had_to_be_given_up_at_the_start_is_not_asked_for_again() {
    // `i` decides how many processes start, but has too many values to be tracked.
    let system = system_of(
        "chan c = [1] of {int}; int all;
         proctype Q() { int k; do :: c?k -> if :: k == 0 -> all++ :: k > 5 -> break fi od }
         active proctype P() { int i; do :: i < 8 -> i = i + all; run Q(); c!all od }",
    );
    let budgets = Budgets { states: 300, ..Budgets::default() };
    let options = ProgressOptions { budgets, ..ProgressOptions::default() };
    let report = proofs::progress(&system, &options, &Control::unlimited());
    assert!(matches!(report.verdict, ProgressVerdict::Unknown(_)), "{:?}", report.verdict);
}

#[test]
fn suspicious_cycles_are_named_by_their_processes() {
    let system = system_of(
        "chan c = [1] of {byte};
         proctype Q(byte n) { do :: n == 7 -> c!n od }
         active proctype P() { run Q(7); run Q(8) }",
    );
    let budgets = Budgets { refinements: 0, states: 0, ..Budgets::default() };
    let options = BoundsOptions { budgets, ..BoundsOptions::default() };
    let report = proofs::bounds(&system, &options, &Control::unlimited());
    let BoundsVerdict::Unknown(unknown) = report.verdict else { panic!("{:?}", report.verdict) };
    let names: Vec<&str> = unknown.suspicious.iter().map(|cycle| cycle.process.as_str()).collect();
    assert_eq!(names, ["Q(7)"]);
}

#[test]
fn run_starts_a_process_wherever_it_stands() {
    for statement in ["assert(run R())", "printf(\"%d\\n\", run R())", "a[run R()] = 1", "x = 1 + run R()"] {
        let text = format!(
            "chan c = [4] of {{ byte }}; byte a[200]; byte x; proctype R() {{ do :: c!1 od }} init {{ {statement} }}"
        );
        for report in [bounds_of(&text), static_bounds_of(&text)] {
            let verdict = &report.buffers[0].verdict;
            assert!(!matches!(verdict, BufferVerdict::AtMost { .. }), "{statement}: {verdict:?}");
        }
    }
}
