//! Formulas, never claims and HOA: what is written is read back as the same.

use omega::sample::{Operators, Random, random_formula, random_lasso};
use omega::{
    PropositionTable, Syntax, TranslationLimits, accepts_lasso, degeneralise, parse_formula, read_hoa,
    read_never_claim, translate, write_hoa, write_never_claim,
};

const ROUNDS: usize = 2_000;

fn table() -> PropositionTable {
    let mut table = PropositionTable::new();
    for name in ["ready", "x > 3", "len(q) == 0"] {
        table.intern(name);
    }
    table
}

#[test]
fn formulas_are_read_back_under_both_precedences() {
    let mut random = Random::new(11);
    let mut names = PropositionTable::new();
    for name in ["p", "q", "r"] {
        names.intern(name);
    }
    for round in 0..ROUNDS {
        let operators = if round % 2 == 0 { Operators::SpinCommandLine } else { Operators::All };
        let formula = random_formula(&mut random, 1 + round % 15, 3, operators);
        let text = formula.display(&names).to_string();
        for syntax in [Syntax::LtlBlock, Syntax::CommandLine] {
            let mut read_names = names.clone();
            let read = parse_formula(&text, syntax, &mut read_names).unwrap();
            assert_eq!(read.display(&names).to_string(), text);
            if operators == Operators::SpinCommandLine {
                assert_eq!(read, formula, "only strong release is printed with other operators");
            }
        }
    }
}

#[test]
fn hoa_is_read_back_unchanged() {
    let mut random = Random::new(12);
    let names = table();
    for round in 0..ROUNDS {
        let formula = random_formula(&mut random, 2 + round % 13, 3, Operators::All);
        let automaton = translate(&formula, TranslationLimits::default()).unwrap();
        let text = write_hoa(&automaton, &names, "a \"quoted\" \\ title");
        assert_eq!(read_hoa(&text, &mut names.clone()), Ok(automaton), "{text}");
    }
}

#[test]
fn never_claims_are_read_back_with_the_same_language_and_size() {
    let mut random = Random::new(13);
    let names = table();
    for round in 0..ROUNDS {
        let formula = random_formula(&mut random, 2 + round % 13, 3, Operators::All);
        let automaton = degeneralise(&translate(&formula, TranslationLimits::default()).unwrap());
        let text = write_never_claim(&automaton, &names, "some formula").unwrap();
        let mut read_names = names.clone();
        let read = read_never_claim(&text, &mut read_names).unwrap();
        assert_eq!(read_names, names);
        assert_eq!(read.state_count(), automaton.state_count(), "{text}");
        for _ in 0..10 {
            let word = random_lasso(&mut random, 3);
            assert_eq!(accepts_lasso(&read, &word), accepts_lasso(&automaton, &word), "{text}");
        }
    }
}

#[test]
fn an_automaton_with_marks_on_edges_has_no_never_claim() {
    let mut names = PropositionTable::new();
    let formula = parse_formula("[]<>p && []<>q", Syntax::LtlBlock, &mut names).unwrap();
    let automaton = translate(&formula, TranslationLimits::default()).unwrap();
    assert_eq!(automaton.mark_count(), 2);
    assert_eq!(write_never_claim(&automaton, &names, ""), None);
}
