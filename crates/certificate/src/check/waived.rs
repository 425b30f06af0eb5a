//! How strong the forger is: with a rule waived, does it find a certificate that is accepted and false (or makes the checker panic)?

#[allow(clippy::arithmetic_side_effects, missing_docs)]
#[path = "../../tests/forger/mod.rs"]
mod forger;

use super::Rule;
use super::rule::without;
use forger::{Random, forge};
use std::fmt::Write;

/// Certificates for each rule.
const TRIES: u64 = 40_000;
/// Certificates between two looks.
const AT_ONCE: u64 = 500;

/// `cargo test -p certificate --lib forger_finds -- --ignored --nocapture` says which, and after how many.
#[test]
#[ignore = "takes minutes"]
fn the_forger_finds_what_most_rules_are_for() {
    let subjects = forger::subjects(200, &mut Random(12));
    std::panic::set_hook(Box::new(|_| {}));
    let (mut found, mut missed) = (Vec::new(), Vec::new());
    // Some rules only, if somebody is in a hurry: `RULES=R17,R18`.
    let asked = std::env::var("RULES").ok();
    let is_asked =
        |rule: &&Rule| asked.as_ref().is_none_or(|asked| asked.split(',').any(|r| r == rule.to_string()));
    for &rule in Rule::ALL.iter().filter(is_asked) {
        let mut line = String::new();
        for round in 1..=TRIES / AT_ONCE {
            let tally = without(rule, || forge(&subjects, AT_ONCE, round, &mut |_, _, _| {}));
            if let Some((what, ..)) = tally.false_ones.first() {
                let tried = (round - 1) * AT_ONCE + tally.tried;
                let _ = write!(line, "{rule}: after at most {tried}: {what}");
                break;
            }
        }
        match line.is_empty() {
            true => missed.push(rule),
            false => found.push(rule),
        }
        println!("{}", if line.is_empty() { format!("{rule}: nothing") } else { line });
    }
    let _ = std::panic::take_hook();
    println!("found without {} rules of {}; not without {missed:?}", found.len(), Rule::ALL.len());
    assert!(asked.is_some() || found.len() >= LEAST, "{missed:?}");
}

/// So many rules at the least; which ones depends on the numbers drawn.
const LEAST: usize = 28;
