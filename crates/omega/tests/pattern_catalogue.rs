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
    ["1/1 2/3", "4/7 3/5", "2/3 3/6", "3/6 4/8", "2/4 3/6"],
    ["2/3 1/1", "2/3 2/3", "5/11 2/3", "2/4 3/5", "2/4 3/5"],
    ["5/9 6/11", "8/20 7/13", "8/17 7/14", "9/25 8/16", "9/33 7/14"],
    ["1/1 2/3", "4/7 3/5", "2/3 3/6", "3/6 4/8", "2/4 3/6"],
    ["2/3 2/3", "4/7 3/5", "5/11 3/7", "3/6 4/8", "2/4 3/6"],
    ["2/4 2/3", "5/11 3/5", "3/7 3/6", "4/10 4/8", "3/8 4/8"],
    ["5/9 3/6", "5/11 4/8", "7/16 4/10", "7/29 5/12", "7/29 4/10"],
    ["5/10 3/5", "6/14 4/7", "7/18 4/8", "6/16 5/10", "7/22 4/8"],
    ["9/39 3/5", "11/47 4/8", "10/42 4/8", "16/90 5/11", "25/189 4/8"],
    ["5/19 3/6", "6/17 4/9", "4/11 4/9", "5/16 5/13", "7/28 9/30"],
    ["5/19 3/7", "7/21 4/10", "4/11 4/10", "6/20 5/14", "8/32 13/60"],
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
