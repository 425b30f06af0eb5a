//! Comparison with other translators, for those who have them: `PLIMSOLL_SPIN=1 cargo test -p omega --release` runs
//! `spin -f`, `PLIMSOLL_LBT=1` runs `lbt`. Without the variables these tests say so and check nothing.

mod support;

use std::io::Write as _;
use std::process::{Command, Stdio};

use omega::sample::{Operators, Random, random_formula, random_lasso};
use omega::{
    Automaton, BinaryOperator, Formula, PropositionTable, Syntax, TranslationLimits, UnaryOperator,
    accepts_lasso, degeneralise, find_difference, holds_on_lasso, parse_formula, read_never_claim, translate,
};
use support::PATTERNS;

const SECONDS_EACH: &str = "10";

fn is_enabled(variable: &str) -> bool {
    let enabled = std::env::var_os(variable).is_some();
    if !enabled {
        eprintln!("skipped: {variable} is not set");
    }
    enabled
}

fn names() -> PropositionTable {
    let mut table = PropositionTable::new();
    for name in ["p0", "p1", "p2", "p", "q", "r", "s", "t", "z"] {
        table.intern(name);
    }
    table
}

/// `a W b` as `[]a || (a U b)`, which `spin -f` can read.
fn without_weak_until(formula: &Formula) -> Formula {
    match formula {
        Formula::True | Formula::False | Formula::Proposition(_) => formula.clone(),
        Formula::Unary(operator, operand) => Formula::unary(*operator, without_weak_until(operand)),
        Formula::Binary(operator, left, right) => {
            let (left, right) = (without_weak_until(left), without_weak_until(right));
            match operator {
                BinaryOperator::WeakUntil => {
                    Formula::or(Formula::globally(left.clone()), Formula::until(left, right))
                }
                _ => Formula::binary(*operator, left, right),
            }
        }
    }
}

/// What `spin -f` makes of a formula, or nothing if it takes too long.
fn spin(formula: &Formula, names: &PropositionTable) -> Option<Automaton> {
    let text = without_weak_until(formula).display(names).to_string();
    let output =
        Command::new("timeout").args([SECONDS_EACH, "spin", "-f", &text]).output().expect("spin can be run");
    if output.status.code() == Some(124) {
        return None;
    }
    let claim = String::from_utf8(output.stdout).expect("spin writes text");
    let mut table = names.clone();
    let automaton =
        read_never_claim(&claim, &mut table).unwrap_or_else(|error| panic!("{error}: {text}\n{claim}"));
    assert_eq!(&table, names, "the claim's atoms are the propositions: {claim}");
    Some(automaton)
}

/// The number of states of lbt's automaton without its initial pseudo-state, or nothing if it takes too long.
fn lbt_states(formula: &Formula) -> Option<usize> {
    let mut process = Command::new("timeout")
        .args([SECONDS_EACH, "lbt"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("lbt can be run");
    let mut input = process.stdin.take().expect("the input is piped");
    input.write_all(prefix_notation(formula).as_bytes()).expect("lbt reads");
    drop(input);
    let output = process.wait_with_output().expect("lbt ends");
    let text = String::from_utf8(output.stdout).expect("lbt writes text");
    if output.status.code() == Some(124) {
        return None;
    }
    let states: Option<usize> = text.split_whitespace().next().and_then(|word| word.parse().ok());
    Some(states.expect("lbt starts with the number of states") - 1)
}

fn prefix_notation(formula: &Formula) -> String {
    match formula {
        Formula::True => "t".to_owned(),
        Formula::False => "f".to_owned(),
        Formula::Proposition(proposition) => format!("p{}", proposition.0),
        Formula::Unary(operator, operand) => {
            let sign = match operator {
                UnaryOperator::Not => "!",
                UnaryOperator::Next => "X",
                UnaryOperator::Globally => "G",
                UnaryOperator::Eventually => "F",
            };
            format!("{sign} {}", prefix_notation(operand))
        }
        Formula::Binary(operator, left, right) => {
            let (left, right) = (prefix_notation(left), prefix_notation(right));
            match operator {
                BinaryOperator::And => format!("& {left} {right}"),
                BinaryOperator::Or => format!("| {left} {right}"),
                BinaryOperator::Implies => format!("i {left} {right}"),
                BinaryOperator::Iff => format!("e {left} {right}"),
                BinaryOperator::Until => format!("U {left} {right}"),
                BinaryOperator::Release => format!("V {left} {right}"),
                BinaryOperator::WeakUntil => format!("| G {left} U {left} {right}"),
                BinaryOperator::StrongRelease => format!("U {right} & {left} {right}"),
            }
        }
    }
}

fn buchi(formula: &Formula) -> Automaton {
    degeneralise(&translate(formula, TranslationLimits::default()).unwrap())
}

#[test]
fn spin_accepts_the_same_words_on_twelve_hundred_random_formulas() {
    if !is_enabled("PLIMSOLL_SPIN") {
        return;
    }
    let names = names();
    let mut random = Random::new(21);
    let (mut compared, mut slow, mut ours, mut theirs, mut larger) = (0, 0, 0, 0, 0);
    while compared < 1_200 {
        let size = 2 + random.below(9);
        let formula = random_formula(&mut random, size, 3, Operators::SpinCommandLine);
        let negation = Formula::not(formula.clone());
        let (Some(spin_positive), Some(spin_negative)) = (spin(&formula, &names), spin(&negation, &names))
        else {
            slow += 1;
            continue;
        };
        let (positive, negative) = (buchi(&formula), buchi(&negation));
        let text = formula.display(&names).to_string();
        let difference = find_difference((&positive, &negative), (&spin_positive, &spin_negative));
        assert_eq!(difference, None, "{text}");
        // The products show that neither accepts too much; that neither accepts too little is a matter of words.
        for _ in 0..100 {
            let word = random_lasso(&mut random, 3);
            let expected = holds_on_lasso(&formula, &word);
            assert_eq!(accepts_lasso(&positive, &word), expected, "{text}");
            assert_eq!(accepts_lasso(&spin_positive, &word), expected, "{text}");
            assert_eq!(accepts_lasso(&spin_negative, &word), !expected, "{text}");
        }
        compared += 1;
        for (own, other) in [(&positive, &spin_positive), (&negative, &spin_negative)] {
            ours += own.state_count();
            theirs += other.state_count();
            if own.state_count() > other.state_count() {
                larger += 1;
                eprintln!("larger: {} against {}: {text}", own.state_count(), other.state_count());
            }
        }
    }
    eprintln!(
        "{compared} formulas and negations: {ours} states, spin {theirs}; larger {larger}; spin slow {slow}"
    );
}

#[test]
fn no_pattern_has_a_larger_automaton_than_spin_or_lbt_make() {
    let (with_spin, with_lbt) = (is_enabled("PLIMSOLL_SPIN"), is_enabled("PLIMSOLL_LBT"));
    let names = names();
    let mut lbt_slow = 0;
    let (mut ours, mut spin_total, mut lbt_total, mut ours_where_spin, mut slow) = (0, 0, 0, 0, 0);
    for (pattern, formulas) in PATTERNS {
        for text in formulas {
            let formula = parse_formula(text, Syntax::LtlBlock, &mut names.clone()).unwrap();
            for formula in [formula.clone(), Formula::not(formula)] {
                let own = buchi(&formula).state_count();
                ours += own;
                if with_spin && !formula.uses_next() {
                    match spin(&formula, &names) {
                        Some(claim) => {
                            spin_total += claim.state_count();
                            ours_where_spin += own;
                            assert!(
                                own <= claim.state_count(),
                                "{pattern}: {own} > {}: {text}",
                                claim.state_count()
                            );
                        }
                        None => slow += 1,
                    }
                }
                if with_lbt {
                    match lbt_states(&formula) {
                        Some(other) => {
                            lbt_total += other;
                            assert!(own <= other, "{pattern}: {own} > {other}: {text}");
                        }
                        None => lbt_slow += 1,
                    }
                }
            }
        }
    }
    eprintln!(
        "110 formulas: {ours} states, lbt {lbt_total}, slow {lbt_slow}; without X: {ours_where_spin}, spin {spin_total}, slow {slow}"
    );
}
