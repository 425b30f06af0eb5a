//! The engine for formulas under fairness against the slowest decision there is, on random models.

use parity::fair_reference::{Agreement, compare};
use parity::generate::model_with_formulas;

#[test]
fn the_engine_agrees_with_the_reference_under_every_fairness() {
    let mut all = Agreement::default();
    for seed in 0..1500 {
        let text = model_with_formulas(seed, 3).text();
        let one = compare(&text, 120);
        assert!(one.differences.is_empty(), "seed {seed}: {:?}\n{text}", one.differences);
        all.add(one);
    }
    assert_eq!(all.undecided, 0);
    // There must be something to agree on: violations, and formulas for which fairness matters.
    assert!(all.compared > 4000 && all.violated > 1500 && all.sensitive > 20, "{all:?}");
}
