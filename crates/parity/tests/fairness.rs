//! The engine for formulas under fairness against the slowest decision there is, on random models.

use omega::{Fairness, PropositionTable, TranslationLimits, translate_negation};
use parity::fair_reference::{Agreement, compare};
use parity::generate::model_with_formulas;
use parity::input::read_text;
use promela::print::expr_text;
use search::fair::{FairOptions, Property, check_claim, check_formula};
use search::{Control, Limits};

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

#[test]
fn a_formula_and_its_never_claim_get_the_same_verdict() {
    let (mut compared, mut violated) = (0, 0);
    for seed in 0..500 {
        let text = model_with_formulas(seed, 1).text();
        let Ok(system) = read_text("random.pml", &text) else { continue };
        let property = Property::new(&system.model.formulas[0].formula);
        let mut names = PropositionTable::new();
        property.propositions.iter().for_each(|expr| {
            names.intern(&expr_text(&system.model, &[], expr));
        });
        if names.len() < property.propositions.len() {
            continue;
        }
        let automaton = translate_negation(&property.formula, TranslationLimits::default()).expect("small");
        let claim = omega::write_never_claim(&omega::degeneralise(&automaton), &names, "negated");
        let text = format!("{text}{}", claim.expect("a plain automaton"));
        let system = read_text("random.pml", &text).expect("what is written can be read");
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let limits = Limits { states: Some(300), ..Limits::default() };
            let options = FairOptions { fairness, limits, diagnose: false, ..FairOptions::default() };
            let formula = check_formula(&system, &system.model.formulas[0], &options, &Control::none());
            let claim = check_claim(&system, 0, &options, &Control::none());
            let words = (formula.verdict.word(), claim.verdict.word());
            if words.0 != "UNKNOWN" && words.1 != "UNKNOWN" {
                assert_eq!(words.0, words.1, "seed {seed} {fairness:?}\n{text}");
                compared += 1;
                violated += u32::from(words.0 == "VIOLATED");
            }
        }
    }
    assert!(compared > 400 && violated > 150, "{compared} {violated}");
}
