//! What each thing in Promela becomes, and the traps: one small model each, with exact answers.

mod common;

use certificate::verdict::{Capacities, StopReason};
use common::{bounds_of, bounds_with, progress_of, progress_with, system_of};
use proofs::{Analyses, Board, BoundsOptions, Budgets, Fact, Nobody, ProgressOptions, SeenValues, Wanted};
use std::sync::Arc;
use system::progress::{ProgressAt, ProgressPlace};

#[test]
fn a_send_adds_one_and_a_receive_takes_one() {
    let report = bounds_of(
        "chan c = [1] of {byte}; chan d = [1] of {byte};
         active proctype P() { do :: c!1; d?1 od }
         active proctype Q() { do :: c?1; d!1 od }",
    );
    assert!(report.all_bounded().is_some());
    assert_eq!(report.bound("c"), Some(1));
    assert_eq!(report.bound("d"), Some(1));
}

#[test]
fn sorted_sends_and_random_receives_count_like_plain_ones() {
    let report = bounds_of(
        "chan c = [4] of {byte}; chan d = [4] of {byte};
         active proctype P() { byte x; do :: c!!2; c!!1; d?x od }
         active proctype Q() { do :: c??1; c??2; d!0 od }",
    );
    assert_eq!(report.bound("c"), Some(2));
}

#[test]
fn a_rendezvous_keeps_sender_and_receiver_in_step() {
    // Each message into c must be asked for by a rendezvous, which Q gives only after it took the last one.
    let report = bounds_of(
        "chan ask = [0] of {bit}; chan c = [3] of {byte};
         active proctype P() { do :: ask?1; c!1 od }
         active proctype Q() { byte x; do :: ask!1; c?x od }",
    );
    assert!(report.all_bounded().is_some());
    assert_eq!(report.bound("c"), Some(1));
}

#[test]
fn processes_that_are_run_bring_their_messages() {
    let report = bounds_of(
        "chan c = [3] of {byte};
         proctype P(byte n) { c!n; c!n }
         init { run P(1); run P(2); run P(2) }",
    );
    assert_eq!(report.bound("c"), Some(6));
}

#[test]
fn a_start_up_loop_is_counted() {
    let report = bounds_of(
        "chan c = [3] of {byte};
         proctype P(byte n) { c!n }
         init { byte i; do :: i < 5 -> run P(i); i++ :: else -> break od }",
    );
    assert_eq!(report.bound("c"), Some(5));
}

#[test]
fn any_number_of_processes_that_leave_nothing_behind_is_no_harm() {
    let report = bounds_of(
        "chan c = [1] of {byte}; chan done = [0] of {bit};
         proctype P() { c!1; c?1; done!1 }
         init { do :: run P(); done?1 od }",
    );
    assert!(report.all_bounded().is_some(), "{:?}", report.stopped);
    assert_eq!(report.bound("c"), Some(1));
}

#[test]
fn a_tracked_local_bounds_what_a_loop_sends() {
    let report = bounds_of(
        "chan c = [9] of {byte};
         active proctype P() { byte n; do :: n < 4 -> c!n; n++ :: else -> break od }",
    );
    assert_eq!(report.bound("c"), Some(4));
}

#[test]
fn a_tracked_global_is_followed_jointly_with_the_process_that_tests_it() {
    let report = bounds_of(
        "bit free = 1; chan c = [2] of {byte};
         active proctype P() { do :: free -> free = 0; c!1 od }
         active proctype Q() { do :: c?1; free = 1 od }",
    );
    assert!(report.all_bounded().is_some(), "{:?}", report.stopped);
    assert_eq!(report.bound("c"), Some(1));
}

#[test]
fn unless_goto_break_atomic_and_d_step_are_plain_transitions() {
    let report = bounds_of(
        "chan c = [9] of {byte}; byte x;
         active proctype P() {
           { c!1; c!2 } unless { x == 1 };
           atomic { c!3; goto out };
           c!9;
         out: d_step { c!4; c!5 } }",
    );
    assert_eq!(report.bound("c"), Some(5));
}

#[test]
fn a_channel_in_a_message_is_followed() {
    let report = bounds_of(
        "chan c = [1] of {chan}; chan a = [1] of {byte}; chan b = [1] of {byte};
         active proctype P() { c!a; c!b }
         active proctype Q() { chan x; c?x; x!1; c?x; x!1 }",
    );
    assert_eq!(report.bound("c"), Some(2));
    // Order is forgotten, so both may be meant twice.
    assert_eq!(report.bound("a"), Some(2));
}

#[test]
fn a_local_channel_is_one_object_for_its_process() {
    let report = bounds_of(
        "active proctype P() { chan mine = [2] of {byte}; byte x; do :: mine!1; mine!2; mine?x; mine?x od }",
    );
    assert!(report.all_bounded().is_some());
    assert_eq!(report.bound("P[0]:mine"), Some(2));
}

#[test]
fn what_was_received_is_linked_to_what_is_sent_on() {
    // Ciclo, section VI-B: an `ack` that comes in goes out as an `ack`.
    let report = bounds_of(
        "mtype = {ack, rej}; chan a = [1] of {mtype}; chan b = [1] of {mtype};
         active proctype Medium() { mtype m; do :: a?m -> b!m od }
         active proctype User() { do :: a!ack; b?ack :: a!rej; b?rej od }",
    );
    assert!(report.all_bounded().is_some());
    assert_eq!(report.bound("b"), Some(1));
}

#[test]
fn a_single_process_stands_in_one_part() {
    let report = bounds_of(
        "chan c = [9] of {byte}; chan d = [9] of {byte};
         active proctype P() { if :: do :: c!1; d?1 od :: do :: c?1; d!1; d!1 od fi }",
    );
    assert!(report.all_bounded().is_some(), "{:?}", report.stopped);
}

#[test]
fn progress_that_every_round_makes_is_proved() {
    let report = progress_of(
        "chan c = [1] of {byte};
         active proctype P() { do :: c!1 od }
         active proctype Q() { do :: c?1; progress: skip od }",
    );
    // P alone may go on for ever where buffers have no limit.
    assert!(report.livelock_free().is_none());
    let report = progress_of(
        "chan c = [1] of {byte}; chan d = [1] of {byte};
         active proctype P() { do :: c!1; d?1 od }
         active proctype Q() { do :: c?1; d!1; progress: skip od }",
    );
    assert!(report.livelock_free().is_some());
}

#[test]
fn the_shadow_of_a_sender_recovers_the_order_that_counting_forgets() {
    // IBOC, figure 11: the paper's estimates are 20 and 6, counting gives 13 and 4; B never gets its first `a`.
    let report = bounds_of(include_str!("../../../models/two-proctype.pml"));
    assert_eq!(report.bound("AB"), Some(7));
    assert_eq!(report.bound("BA"), Some(2));
    assert_eq!(report.stopped.refinements, ["followed the order of A in `AB` jointly with B"]);
}

#[test]
fn a_shadow_that_sharpens_nothing_is_not_reported() {
    // Q takes whatever comes, so the order of P's messages says nothing.
    let report = bounds_of(
        "chan c = [9] of {byte};
         active proctype P() { c!1; c!2 }
         active proctype Q() { do :: c?1 :: c?2 od }",
    );
    assert_eq!(report.bound("c"), Some(2));
    assert_eq!(report.stopped.refinements, [""; 0]);
}

/// S alternates, so R does; counting alone lets R take only the first kind, and `d` grow.
const ALTERNATING: &str = "chan c = [9] of {byte}; chan d = [9] of {byte};
     active proctype S() { do :: c!1; c!2 od }
     active proctype R() { do :: c?1 -> d!1 :: c?2 -> d?1 od }";

#[test]
fn a_receiver_alternates_because_its_sender_does() {
    let report = bounds_of(ALTERNATING);
    assert_eq!(report.bound("c"), None);
    assert_eq!(report.bound("d"), Some(1));
}

#[test]
fn there_is_no_shadow_where_the_order_is_not_the_senders() {
    let others = [("c!1; c!2 od", "c!1; c!!2 od"), ("c?2 ->", "c??2 ->"), ("d!1 ::", "d!1; c!1 ::")];
    for (old, new) in others {
        let report = bounds_of(&ALTERNATING.replace(old, new));
        assert_eq!(report.bound("d"), None, "{new}");
    }
    // Two senders, each in order, together in none.
    let report = bounds_of(&ALTERNATING.replace("active proctype S", "active [2] proctype S"));
    assert_eq!(report.bound("d"), None);
}

#[test]
fn a_shadow_follows_a_sender_that_run_starts() {
    let report = bounds_of(
        "chan c = [9] of {byte}; chan d = [9] of {byte};
         proctype S(byte rounds) { byte n; do :: n < rounds -> c!1; c!2; n++ od }
         proctype R(byte unused) { do :: c?1 -> d!1 :: c?2 -> d?1 od }
         init { run R(0); run S(100) }",
    );
    assert_eq!(report.bound("d"), Some(1));
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

#[test]
fn progress_may_be_named_by_a_label_or_a_line() {
    let label = ProgressPlace::Label("served".into());
    for place in [label, ProgressPlace::Line(4), ProgressPlace::Line(6), ProgressPlace::Line(11)] {
        let progress = ProgressAt::Places(vec![place.clone()]);
        let options = ProgressOptions { progress, ..ProgressOptions::default() };
        let report = progress_with(&system_of(TURNS), &options);
        assert!(report.livelock_free().is_some(), "{place:?}: {:?}", report.stopped);
    }
}

#[test]
fn the_room_in_one_buffer_bounds_what_is_poured_into_another() {
    // d gets two for each that is put into c and never taken: three times two.
    let text = "chan c = [3] of {byte}; chan d = [9] of {byte};
         active proctype P() { do :: c!1; d!1; d!1 od }";
    let options = BoundsOptions { capacities: Capacities::Declared, ..BoundsOptions::default() };
    let report = bounds_with(&system_of(text), &options);
    assert!(report.all_bounded().is_some(), "{:?}", report.stopped);
    assert_eq!(report.bound("c"), Some(3));
    assert_eq!(report.bound("d"), Some(6));
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
    let report = bounds_of(&ring(300));
    assert!(report.all_bounded().is_some(), "{:?}", report.stopped);
    assert_eq!(report.bound("q[0]"), Some(300));
    assert_eq!(report.bound("q[299]"), Some(300));
    let options = ProgressOptions {
        progress: ProgressAt::Places(vec![ProgressPlace::Label("again".into())]),
        ..ProgressOptions::default()
    };
    let report = progress_with(&system_of(&ring(300)), &options);
    assert!(report.livelock_free().is_some());
}

/// Nobody wants to know anything.
#[derive(Default)]
struct Closed(Analyses);

impl Board for Closed {
    fn wants(&self, _: Wanted<'_>) -> bool {
        false
    }

    fn seen(&self) -> Option<SeenValues> {
        None
    }

    fn is_searched(&self) -> bool {
        false
    }

    fn publish(&self, fact: Fact) {
        panic!("nobody asked for {fact:?}");
    }

    fn analyses(&self) -> &Analyses {
        &self.0
    }
}

#[test]
fn a_prover_that_nobody_listens_to_proves_nothing() {
    let stopped = proofs::bounds(&system_of(&ring(300)), &BoundsOptions::default(), &Closed::default());
    assert_eq!(stopped.reason, StopReason::Cancelled);
}

#[test]
fn what_had_to_be_given_up_at_the_start_is_not_asked_for_again() {
    // `i` decides how many processes start, but has too many values to be tracked.
    let system = system_of(
        "chan c = [1] of {int}; int all;
         proctype Q() { int k; do :: c?k -> if :: k == 0 -> all++ :: k > 5 -> break fi od }
         active proctype P() { int i; do :: i < 8 -> i = i + all; run Q(); c!all od }",
    );
    let report = progress_with(&system, &ProgressOptions::default());
    assert!(report.livelock_free().is_none(), "{:?}", report.stopped);
}

#[test]
fn suspicious_cycles_are_named_by_their_processes() {
    let system = system_of(
        "chan c = [1] of {byte};
         proctype Q(byte n) { do :: n == 7 -> c!n od }
         active proctype P() { run Q(7); run Q(8) }",
    );
    let budgets = Budgets { refinements: 0, ..Budgets::default() };
    let report = bounds_with(&system, &BoundsOptions { budgets, ..BoundsOptions::default() });
    let names: Vec<&str> = report.stopped.suspicious.iter().map(|cycle| cycle.process.as_str()).collect();
    assert_eq!(names, ["Q(7)"]);
}

#[test]
fn the_variable_that_stops_a_suspicious_loop_is_tracked_first() {
    // The sequence number has fewer values and comes back; what is not acknowledged yet is what guards the sends.
    let report = bounds_of(
        "chan data = [4] of {byte}; chan ack = [4] of {byte};
         active proctype S() {
           byte out, n, a;
           do :: out < 4 -> data!n; n = (n + 1) % 8; out++ :: ack?a -> out-- od
         }
         active proctype R() { byte n; do :: data?n -> ack!n od }",
    );
    assert!(report.all_bounded().is_some());
    assert_eq!(report.bound("data"), Some(4));
    assert_eq!(report.stopped.refinements, ["tracked `out` in S"]);
}

#[test]
fn a_global_that_one_process_counts_with_is_as_good_as_a_local() {
    let report = bounds_of(
        "chan c = [9] of {bit}; chan back = [9] of {bit}; byte n;
         active [4] proctype P() { do :: c!1; back?1 od }
         active proctype Q() {
           byte i;
           do
           :: c?1 -> n++;
              if
              :: n == 4 -> n = 0; i = 0; do :: i < 4 -> back!1; i++ :: else -> break od
              :: else
              fi
           od
         }",
    );
    assert!(report.all_bounded().is_some(), "{:?}", report.stopped);
    assert_eq!(report.bound("c"), Some(4));
}

#[test]
fn a_flood_elsewhere_does_not_keep_a_buffer_from_its_bound() {
    // Nothing helps against the alarms; what guards the sends of data is found all the same.
    let report = bounds_of(
        "chan alarm = [1] of {bit}; chan data = [4] of {bit}; chan ack = [4] of {bit};
         active proctype Env() { do :: alarm!1 od }
         active proctype S() { byte out; do :: out < 4 -> data!1; out++ :: ack?1 -> out-- od }
         active proctype R() { do :: data?1 -> ack!1 :: alarm?1 od }",
    );
    assert!(report.all_bounded().is_none());
    assert_eq!(report.bound("alarm"), None);
    assert_eq!(report.bound("data"), Some(4));
    assert_eq!(report.bound("ack"), Some(4));
}

#[test]
fn what_the_checker_cannot_follow_is_told_apart_further() {
    // The first potential rests on a value that only the analysis sees in an array's index.
    let report = progress_of(include_str!("../../../models/dependencies-figure-6.pml"));
    assert!(report.livelock_free().is_some(), "{:?}", report.stopped);
}

#[test]
fn provers_that_share_their_analyses_prove_what_each_proves_alone() {
    let system = system_of(&ring(20));
    let bounds_alone = bounds_with(&system, &BoundsOptions::default());
    let options = ProgressOptions {
        progress: ProgressAt::Places(vec![ProgressPlace::Label("again".into())]),
        ..ProgressOptions::default()
    };
    let progress_alone = progress_with(&system, &options);
    let shared = Nobody::default();
    proofs::bounds(&system, &BoundsOptions::default(), &shared);
    proofs::progress(&system, &options, &shared);
    let together: Vec<String> = shared.facts().iter().map(|fact| format!("{fact:?}")).collect();
    let alone = bounds_alone.facts.iter().chain(&progress_alone.facts).map(|fact| format!("{fact:?}"));
    // Bounds come in no particular order.
    let sorted = |mut facts: Vec<String>| {
        facts.sort_unstable();
        facts
    };
    assert_eq!(sorted(together), sorted(alone.collect()));
    // Of another system nothing is known.
    let other = system_of(&ring(3));
    proofs::bounds(&other, &BoundsOptions::default(), &shared);
    let facts = shared.facts();
    let buffers = facts.iter().rev().find_map(|fact| match fact {
        Fact::Buffers(buffers) => Some(buffers.len()),
        _ => None,
    });
    assert_eq!(buffers, Some(3));
}

#[test]
fn one_certificate_says_that_all_buffers_are_bounded_and_how_full_each_gets() {
    let found = bounds_of(&ring(70));
    let all_bounded = found.all_bounded().expect("a ring is bounded");
    assert!(found.certificates().all(|certificate| Arc::ptr_eq(certificate, all_bounded)));
    assert_eq!(found.bound("q[69]"), Some(70));
}
