//! Texts on which the front end once panicked or hung; each must now be refused with a message.

use promela::diagnostic::Severity;
use promela::model::Scalar;
use promela::{Options, read};

fn is_refused(text: &str) {
    let (_, diagnostics) = read("case.pml", text, &Options::default(), &promela::NoIncludes);
    assert!(diagnostics.iter().any(|d| d.severity == Severity::Error), "{text}");
}

#[test]
fn embedded_c_before_a_separator_that_was_pulled_forward() {
    is_refused("never{N::c_expr;");
}

#[test]
fn an_unsigned_of_31_bits_is_truncated_without_overflow() {
    is_refused("unsigned u:33=");
    for (bits, kept) in [(1, 1), (8, 255), (30, 0x3fff_ffff), (31, i32::MAX), (32, -1)] {
        assert_eq!(Scalar::Unsigned(bits).truncate(-1), kept, "{bits}");
    }
}

#[test]
fn a_closing_word_that_closes_nothing_behind_an_error_is_passed_over() {
    is_refused("proctype r(chan t){b=fi");
    is_refused("proctype r(chan t){b= :: od fi }");
}
