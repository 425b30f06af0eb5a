//! No certificate that is false is accepted, whoever made it.

mod forger;

use forger::runs::forge_runs;
use forger::{Random, Subject, forge, models};

/// Two hundred small models.
fn subjects() -> Vec<Subject> {
    let mut random = Random(12);
    let by_hand = models::BY_HAND.iter().map(|text| Subject::new(text).expect(text));
    let mut subjects: Vec<Subject> = by_hand.collect();
    while subjects.len() < 200 {
        subjects.extend(Subject::new(&models::random(&mut random)));
    }
    subjects
}

/// Eight thousand forged certificates; `cargo run --release -p certificate --example forge` tries a million.
#[test]
fn a_forged_certificate_that_is_accepted_is_true() {
    let tally = forge(&subjects(), 8_000, 1, &mut |_, _, _| {});
    assert!(tally.false_ones.is_empty(), "{:#?}", tally.false_ones);
    // A forger that is refused everything tests nothing.
    assert!(tally.true_ones > 200, "{tally:#?}");
    assert!(tally.kinds.len() > 6 && tally.refused.len() > 15, "{tally:#?}");
}

#[test]
fn a_forged_execution_that_is_accepted_is_one() {
    let tally = forge_runs(&subjects(), 8_000, 1);
    assert!(tally.false_ones.is_empty(), "{:#?}", tally.false_ones);
    let accepted = |kind: &str| tally.true_ones.get(kind).copied().unwrap_or(0);
    for kind in ["pump", "pump without progress", "fair pump without progress", "trace", "lasso"] {
        assert!(accepted(kind) > 50, "{kind}: {tally:#?}");
    }
    // Each rule of a pump refuses some.
    for rule in ["P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8", "P10"] {
        assert!(tally.refused.contains_key(rule), "{rule}: {tally:#?}");
    }
}
