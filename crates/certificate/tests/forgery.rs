//! No certificate that is false is accepted, whoever made it.

mod forger;

use forger::runs::forge_runs;
use forger::{Random, Subject, forge, models};

/// Two hundred small models.
fn subjects() -> Vec<Subject> {
    let subjects = forger::subjects(200, &mut Random(12));
    let with_formulas = subjects.iter().filter(|subject| !subject.system.model.formulas.is_empty());
    assert!(subjects.len() == 200 && with_formulas.clone().count() > 190, "{}", with_formulas.count());
    for text in models::BY_HAND {
        assert!(models::read(text).is_some(), "{text}");
    }
    subjects
}

/// Forty thousand forged certificates; `cargo run --release -p certificate --example forge` tries a million.
#[test]
fn a_forged_certificate_that_is_accepted_is_true() {
    let tally = forge(&subjects(), 40_000, 1, &mut |_, _, _| {});
    assert!(tally.false_ones.is_empty(), "{:#?}", tally.false_ones);
    // A forger that is refused everything tests nothing.
    assert!(tally.true_ones > 200, "{tally:#?}");
    assert!(tally.kinds.len() > 6 && tally.refused.len() > 15, "{tally:#?}");
    let wanted = [
        ("formula", 20),
        ("formula of fair runs", 20),
        ("with a number", 20),
        ("with a number that weighs something", 3),
    ];
    for (kind, least) in wanted {
        assert!(tally.kinds.get(kind).is_some_and(|&count| count > least), "{kind}: {tally:#?}");
    }
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
