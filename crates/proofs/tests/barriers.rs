//! Values that occur in no run although no single statement shows it: guessed from runs, proved by potentials.

mod common;

use certificate::claims::Claims;
use common::{bounds_of, progress_of, system_of};
use proofs::{
    BoundsOptions, BoundsReport, BoundsVerdict, BufferVerdict, Control, ProgressVerdict, ProofSource,
};

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

fn claims_of(report: &BoundsReport) -> Option<&Claims> {
    match &report.verdict {
        BoundsVerdict::Proved(ProofSource::Certificate(certificate)) => Some(&certificate.claims),
        _ => None,
    }
}

/// The answer with so little search that it sees only a part.
fn with_little_search(text: &str) -> BoundsReport {
    let mut options = BoundsOptions::default();
    options.budgets.states = 20;
    proofs::bounds(&system_of(text), &options, &Control::unlimited())
}

#[test]
fn conserved_credits_keep_a_counter_small() {
    let report = with_little_search(&credits(3, "back!kept"));
    let claims = claims_of(&report).expect("a certificate");
    assert!(!claims.bars.is_empty());
    for buffer in &report.buffers {
        assert!(matches!(buffer.verdict, BufferVerdict::AtMost { bound: 3, .. }), "{}", buffer.name);
    }
}

#[test]
fn a_sender_that_needs_credits_makes_its_receiver_go_on() {
    let report = progress_of(&credits(3, "back!kept"));
    assert!(matches!(report.verdict, ProgressVerdict::Proved(_)), "{:?}", report.verdict);
}

/// One credit too many, once in a while: then the sender has more than ever before, and nothing is bounded.
#[test]
fn credits_that_grow_are_not_conserved() {
    let report = with_little_search(&credits(2, "back!(kept+1)"));
    assert!(!matches!(report.verdict, BoundsVerdict::Proved(_)));
    let report = bounds_of(&credits(2, "back!(kept+1)"));
    assert!(!matches!(report.verdict, BoundsVerdict::Proved(_)));
}

/// A value that no short run shows: the guess is wrong, and no potential may say otherwise.
#[test]
fn a_rare_value_is_not_excluded() {
    let report = with_little_search(
        "chan c = [3] of {byte};
         active proctype P() {
            byte mode; short rounds;
            do
            :: mode == 0 && rounds < 3000 -> rounds++
            :: mode == 0 && rounds == 3000 -> mode = 1
            :: mode == 1 -> c!1
            od
         }",
    );
    assert!(!matches!(report.verdict, BoundsVerdict::Proved(_)), "{:?}", report.refinements);
}
