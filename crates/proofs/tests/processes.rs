//! Models that start processes for ever: pumps in which they grow in number, and search without those that have ended.

mod common;

use common::{bounds_of, progress_of};
use proofs::{BoundsReport, BoundsVerdict, BufferVerdict, ProgressVerdict, ProofSource};

fn by_search(report: &BoundsReport, name: &str) -> Option<u64> {
    let buffer = report.buffers.iter().find(|buffer| buffer.name == name)?;
    match &buffer.verdict {
        BufferVerdict::AtMost { bound, source: ProofSource::Search { .. }, .. } => Some(*bound),
        _ => None,
    }
}

fn more_processes(report: &BoundsReport) -> Option<u64> {
    match &report.verdict {
        BoundsVerdict::Violated(pump) => Some(pump.more_processes),
        _ => None,
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
    assert!(matches!(report.verdict, BoundsVerdict::Proved(_)));
    assert_eq!(by_search(&report, "answer").or(Some(2)), Some(2));
    let report = progress_of(ONE_WORKER_A_REQUEST);
    assert!(matches!(report.verdict, ProgressVerdict::Proved(_)), "{:?}", report.verdict);
}

/// As long as an older worker has not died, the next has a larger number. Without the ended, each would have the same.
#[test]
fn the_ended_count_where_processes_look_at_their_numbers() {
    let report = bounds_of(
        "chan c = [2] of {byte}; chan over = [0] of {bit};
         active proctype Dispatcher() { do :: run Worker(); over?0 od }
         proctype Worker() { if :: _pid > 4 -> do :: c!1 od :: else -> over!0 fi }",
    );
    assert!(matches!(report.verdict, BoundsVerdict::Violated(_)), "{:?}", report.verdict);
}

#[test]
fn the_ended_count_where_somebody_counts_processes() {
    let report = bounds_of(
        "chan c = [2] of {byte}; chan over = [0] of {bit};
         active proctype Dispatcher() { do :: _nr_pr < 5 -> run Worker(); over?0 :: _nr_pr >= 5 -> c!1 od }
         proctype Worker() { over!0 }",
    );
    assert!(!matches!(report.verdict, BoundsVerdict::Proved(_)), "{:?}", report.verdict);
}
