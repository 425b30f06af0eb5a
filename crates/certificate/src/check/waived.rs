//! How strong the forger is: with a rule waived, does it find a certificate that is accepted and false (or makes the checker panic)?

#[allow(clippy::arithmetic_side_effects, missing_docs)]
#[path = "../../tests/forger/mod.rs"]
mod forger;

use super::Rule;
use super::rule::without;
use forger::{Random, forge};

/// What the forger makes use of soon if nobody asks for it.
const RULES: [&str; 10] = ["R9", "R10", "R13", "R14", "R15", "R26", "R31", "R37", "R47", "R48"];
/// Certificates for each rule, at the most.
const TRIES: u64 = 40_000;
/// Certificates between two looks.
const AT_ONCE: u64 = 200;

#[test]
fn the_forger_finds_what_rules_are_for() {
    let subjects = forger::subjects(200, &mut Random(12));
    std::panic::set_hook(Box::new(|_| {}));
    let is_found = |rule: Rule| {
        let mut rounds = 1..=TRIES / AT_ONCE;
        rounds.any(|round| {
            let tally = without(rule, || forge(&subjects, AT_ONCE, round, &mut |_, _, _| {}));
            !tally.false_ones.is_empty()
        })
    };
    let asked = Rule::ALL.iter().copied().filter(|rule| RULES.contains(&rule.to_string().as_str()));
    let missed: Vec<Rule> = asked.filter(|&rule| !is_found(rule)).collect();
    let _ = std::panic::take_hook();
    assert!(missed.is_empty(), "{missed:?}");
}
