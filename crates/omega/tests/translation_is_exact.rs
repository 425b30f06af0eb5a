//! Random formulas on random words: every stage from the formula to the Büchi automaton has the same language.

use omega::sample::{Operators, Random, random_formula, random_lasso};
use omega::translate::tableau;
use omega::{
    Automaton, Formula, NumberedPropositions, TranslationLimits, accepts_lasso, degeneralise,
    find_accepted_word, holds_on_lasso, intersection, normal, simplify, translate, translate_negation,
};

const FORMULAS: usize = 4_000;
const WORDS_EACH: usize = 25;
const PROPOSITIONS: usize = 3;

fn for_random_formulas(seed: u64, mut check: impl FnMut(&Formula, &mut Random)) {
    let mut random = Random::new(seed);
    for round in 0..FORMULAS {
        let formula = random_formula(&mut random, 2 + round % 13, PROPOSITIONS, Operators::All);
        check(&formula, &mut random);
    }
}

fn translated(formula: &Formula) -> Automaton {
    translate(formula, TranslationLimits::default()).expect("small formulas have small automata")
}

#[test]
fn simplification_preserves_the_meaning() {
    for_random_formulas(1, |formula, random| {
        let simple = simplify(formula);
        for _ in 0..WORDS_EACH {
            let word = random_lasso(random, PROPOSITIONS);
            assert_eq!(
                holds_on_lasso(formula, &word),
                holds_on_lasso(&simple, &word),
                "{} became {} on {word:?}",
                formula.display(&NumberedPropositions),
                simple.display(&NumberedPropositions),
            );
        }
    });
}

#[test]
fn the_tableau_the_reduced_and_the_degeneralised_automaton_accept_the_models_of_the_formula() {
    for_random_formulas(2, |formula, random| {
        let mut arena = normal::Arena::new();
        let id = arena.normalise(formula);
        let raw = tableau(&arena, id, TranslationLimits::default()).unwrap();
        let reduced = translated(formula);
        let buchi = degeneralise(&reduced);
        assert!(reduced.state_count() <= raw.state_count());
        assert!(buchi.is_state_based() && buchi.mark_count() <= 1);
        for _ in 0..WORDS_EACH {
            let word = random_lasso(random, PROPOSITIONS);
            let expected = holds_on_lasso(formula, &word);
            for (stage, automaton) in [("tableau", &raw), ("reduced", &reduced), ("Büchi", &buchi)] {
                assert_eq!(
                    accepts_lasso(automaton, &word),
                    expected,
                    "{stage} of {} on {word:?}",
                    formula.display(&NumberedPropositions),
                );
            }
        }
    });
}

#[test]
fn no_word_satisfies_a_formula_and_its_negation() {
    for_random_formulas(3, |formula, _| {
        let positive = translated(formula);
        let negative = translate_negation(formula, TranslationLimits::default()).unwrap();
        assert_eq!(
            find_accepted_word(&intersection(&positive, &negative)),
            None,
            "{}",
            formula.display(&NumberedPropositions)
        );
    });
}

#[test]
fn a_witness_is_accepted_and_satisfies_the_formula() {
    let mut satisfiable = 0;
    for_random_formulas(4, |formula, _| {
        let automaton = translated(formula);
        if let Some(word) = find_accepted_word(&automaton) {
            satisfiable += 1;
            assert!(accepts_lasso(&automaton, &word));
            assert!(holds_on_lasso(formula, &word), "{}", formula.display(&NumberedPropositions));
        } else {
            assert_eq!(automaton.state_count(), 1, "an empty language has the automaton without edges");
        }
    });
    assert!(satisfiable > FORMULAS / 2);
}

#[test]
fn translation_is_deterministic() {
    for_random_formulas(5, |formula, _| assert_eq!(translated(formula), translated(formula)));
}

#[test]
fn a_formula_with_more_than_sixty_four_propositions_is_translated() {
    let all = (0..100)
        .map(|id| Formula::eventually(Formula::proposition(omega::PropositionId(id))))
        .reduce(|left, right| Formula::globally(Formula::or(left, right)))
        .unwrap();
    let automaton = translated(&all);
    let mut letters = vec![omega::Letter::new(); 2];
    letters[1].insert(omega::PropositionId(99));
    let word = omega::Lasso::new(Vec::new(), letters).unwrap();
    assert_eq!(accepts_lasso(&automaton, &word), holds_on_lasso(&all, &word));
}

#[test]
fn a_formula_whose_automaton_is_too_large_is_refused() {
    let until = |id: u32| {
        Formula::until(
            Formula::proposition(omega::PropositionId(2 * id)),
            Formula::proposition(omega::PropositionId(2 * id + 1)),
        )
    };
    let all = (0..30).map(until).reduce(Formula::and).unwrap();
    let limits = TranslationLimits { states: 100, alternatives: 1_000 };
    assert!(translate(&all, limits).is_err());
}
