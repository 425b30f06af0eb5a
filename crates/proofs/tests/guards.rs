//! Buffers whose only sender looks at their length.

mod common;

use common::static_bounds_of;
use proofs::{BoundsReport, BoundsVerdict, BufferVerdict, ProofSource};

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
fn a_look_before_each_send_bounds_the_buffer_and_potentials_the_rest() {
    let report = static_bounds_of(
        "chan c = [4] of {byte}; chan d = [1] of {byte}; chan e = [1] of {byte};
         active proctype P() { do :: len(c) < 3 -> c!1 :: d!1; e?1 od }
         active proctype Q() { do :: c?1 :: d?1; e!1 od }",
    );
    assert!(is_certified(&report));
    assert_eq!(certified(&report, "c"), Some(3));
    assert_eq!(certified(&report, "d"), Some(1));
    assert_eq!(certified(&report, "e"), Some(1));
}

#[test]
fn an_else_beside_a_look_is_a_look() {
    let report = static_bounds_of(
        "chan c = [4] of {byte};
         active proctype P() { do :: if :: len(c) >= 2 -> skip :: else -> c!1; c!1 fi od }
         active proctype Q() { do :: c?1 od }",
    );
    assert_eq!(certified(&report, "c"), Some(3));
}

#[test]
fn a_buffer_of_an_array_is_looked_at_by_its_own_sender() {
    let report = static_bounds_of(
        "chan c[2] = [4] of {byte};
         proctype P(byte me) { do :: len(c[me]) < 2 -> c[me]!1 od }
         active proctype Q() { do :: c[0]?1 :: c[1]?1 od }
         init { atomic { run P(0); run P(1) } }",
    );
    assert!(is_certified(&report));
    assert_eq!(certified(&report, "c[0]"), Some(2));
    assert_eq!(certified(&report, "c[1]"), Some(2));
}

/// Each of the two may have looked when the other sends: 3 are reached.
#[test]
fn two_senders_that_look_may_send_one_too_many() {
    for two in
        ["active [2] proctype P()", "active proctype R() { do :: len(c) < 2 -> c!1 od } active proctype P()"]
    {
        let report = static_bounds_of(&format!(
            "chan c = [4] of {{byte}};
             {two} {{ do :: len(c) < 2 -> c!1 od }}
             active proctype Q() {{ do :: c?1 od }}"
        ));
        assert!(certified(&report, "c").is_none_or(|bound| bound >= 3), "{two}");
        assert!(!is_certified(&report), "{two}");
    }
}

#[test]
fn a_look_at_another_buffer_bounds_nothing() {
    let report = static_bounds_of(
        "chan c = [4] of {byte}; chan d = [4] of {byte};
         active proctype P() { do :: len(d) < 2 -> c!1 od }
         active proctype Q() { do :: c?1 od }",
    );
    assert!(!is_certified(&report));
    assert_eq!(certified(&report, "c"), None);
}
