//! No certificate that is false is accepted, whoever made it.

mod forger;

use forger::{Random, Subject, forge, models};

/// Eight thousand forged certificates on two hundred small models; `cargo run --release -p certificate --example forge` tries a million.
#[test]
fn a_forged_certificate_that_is_accepted_is_true() {
    let mut random = Random(12);
    let by_hand = models::BY_HAND.iter().map(|text| Subject::new(text).expect(text));
    let mut subjects: Vec<Subject> = by_hand.collect();
    while subjects.len() < 200 {
        subjects.extend(Subject::new(&models::random(&mut random)));
    }
    let tally = forge(&subjects, 8_000, 1, &mut |_, _, _| {});
    assert!(tally.false_ones.is_empty(), "{:#?}", tally.false_ones);
    // A forger that is refused everything tests nothing.
    assert!(tally.true_ones > 200, "{tally:#?}");
    assert!(tally.kinds.len() > 6 && tally.refused.len() > 15, "{tally:#?}");
}
