//! The sizes of the automata of the usual specification patterns, so that a change of the reductions that makes them
//! larger is noticed.

mod support;

use omega::{
    Formula, PropositionTable, Syntax, TranslationLimits, degeneralise, find_accepted_word, intersection,
    parse_formula, translate,
};
use support::PATTERNS;

/// States/transitions of the Büchi automaton of the formula, and of its negation.
fn sizes(text: &str) -> String {
    let formula = parse_formula(text, Syntax::LtlBlock, &mut PropositionTable::new()).unwrap();
    let automata = [formula.clone(), Formula::not(formula)]
        .map(|formula| degeneralise(&translate(&formula, TranslationLimits::default()).unwrap()));
    assert_eq!(find_accepted_word(&intersection(&automata[0], &automata[1])), None, "{text}");
    let [positive, negative] = automata.map(|a| format!("{}/{}", a.state_count(), a.transition_count()));
    format!("{positive} {negative}")
}

const EXPECTED: [[&str; 5]; 11] = [
    ["1/1 2/3", "3/5 3/5", "2/3 3/6", "3/7 4/9", "2/4 3/7"],
    ["2/3 1/1", "2/3 2/3", "3/6 2/3", "2/4 3/6", "2/4 3/5"],
    ["5/9 6/11", "7/17 7/13", "6/12 7/14", "7/19 8/21", "6/17 7/19"],
    ["1/1 2/3", "3/5 3/5", "2/3 3/6", "3/7 4/9", "2/4 3/7"],
    ["2/3 2/3", "3/5 3/5", "5/11 3/7", "3/7 4/9", "2/4 3/7"],
    ["2/4 2/3", "3/6 3/6", "3/7 3/6", "3/8 4/10", "3/8 4/8"],
    ["3/5 3/6", "4/9 4/8", "4/8 4/10", "4/13 5/15", "3/9 4/13"],
    ["3/5 3/5", "4/8 4/7", "4/9 4/8", "4/10 5/12", "3/8 4/10"],
    ["9/39 3/5", "6/24 4/8", "10/42 4/8", "16/90 5/11", "25/189 4/8"],
    ["5/19 3/6", "4/11 4/11", "4/11 4/9", "4/14 5/17", "7/28 9/30"],
    ["5/19 3/7", "4/11 4/11", "4/11 4/10", "4/14 5/17", "8/32 13/60"],
];

#[test]
fn every_pattern_has_the_expected_number_of_states_and_transitions() {
    let found = PATTERNS.map(|(_, formulas)| formulas.map(sizes));
    for ((pattern, formulas), (found, expected)) in PATTERNS.iter().zip(found.iter().zip(&EXPECTED)) {
        for ((text, found), expected) in formulas.iter().zip(found).zip(expected) {
            assert_eq!(found, expected, "{pattern}: {text}");
        }
    }
}
