//! Ultimately periodic words, and the meaning of formulas on them.
//!
//! This is the reference against which everything else in the crate is tested, so it is written to be obviously
//! right: the truth of every subformula at every position, by iteration to the fixed point that defines it.

use crate::formula::{BinaryOperator, Formula, UnaryOperator};
use crate::index::Letter;

/// The infinite word `prefix · cycle · cycle · …`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    prefix: Vec<Letter>,
    cycle: Vec<Letter>,
}

impl Lasso {
    /// A word, or nothing if the cycle is empty.
    pub fn new(prefix: Vec<Letter>, cycle: Vec<Letter>) -> Option<Lasso> {
        (!cycle.is_empty()).then_some(Lasso { prefix, cycle })
    }

    /// What comes once.
    pub fn prefix(&self) -> &[Letter] {
        &self.prefix
    }

    /// What comes again and again; not empty.
    pub fn cycle(&self) -> &[Letter] {
        &self.cycle
    }

    /// The number of distinct positions: those of the prefix, then those of the cycle.
    pub fn position_count(&self) -> usize {
        self.prefix.len() + self.cycle.len()
    }

    /// The letter at one of the distinct positions.
    pub fn letter(&self, position: usize) -> &Letter {
        self.prefix.get(position).unwrap_or_else(|| &self.cycle[position - self.prefix.len()])
    }

    /// The position after `position`: the last one is followed by the first of the cycle.
    pub fn successor(&self, position: usize) -> usize {
        if position + 1 == self.position_count() { self.prefix.len() } else { position + 1 }
    }
}

/// Whether the word satisfies the formula.
pub fn holds_on_lasso(formula: &Formula, word: &Lasso) -> bool {
    truth(formula, word)[0]
}

/// The truth of the formula at each of the word's distinct positions.
fn truth(formula: &Formula, word: &Lasso) -> Vec<bool> {
    let positions = word.position_count();
    match formula {
        Formula::True => vec![true; positions],
        Formula::False => vec![false; positions],
        Formula::Proposition(proposition) => {
            (0..positions).map(|position| word.letter(position).contains(*proposition)).collect()
        }
        Formula::Unary(operator, operand) => {
            let operand = truth(operand, word);
            match operator {
                UnaryOperator::Not => operand.iter().map(|holds| !holds).collect(),
                UnaryOperator::Next => {
                    (0..positions).map(|position| operand[word.successor(position)]).collect()
                }
                UnaryOperator::Globally => fixed_point(word, true, |now, next| operand[now] && next),
                UnaryOperator::Eventually => fixed_point(word, false, |now, next| operand[now] || next),
            }
        }
        Formula::Binary(operator, left, right) => {
            let left = truth(left, word);
            let right = truth(right, word);
            let pointwise = |combine: fn(bool, bool) -> bool| {
                left.iter().zip(&right).map(|(&left, &right)| combine(left, right)).collect()
            };
            match operator {
                BinaryOperator::And => pointwise(|left, right| left && right),
                BinaryOperator::Or => pointwise(|left, right| left || right),
                BinaryOperator::Implies => pointwise(|left, right| !left || right),
                BinaryOperator::Iff => pointwise(|left, right| left == right),
                BinaryOperator::Until => {
                    fixed_point(word, false, |now, next| right[now] || left[now] && next)
                }
                BinaryOperator::WeakUntil => {
                    fixed_point(word, true, |now, next| right[now] || left[now] && next)
                }
                BinaryOperator::Release => {
                    fixed_point(word, true, |now, next| right[now] && (left[now] || next))
                }
                BinaryOperator::StrongRelease => {
                    fixed_point(word, false, |now, next| right[now] && (left[now] || next))
                }
            }
        }
    }
}

/// The least (`start` false) or greatest (`start` true) solution of `value[i] = step(i, value[successor of i])`.
fn fixed_point(word: &Lasso, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut value = vec![start; word.position_count()];
    loop {
        let next: Vec<bool> =
            (0..value.len()).map(|position| step(position, value[word.successor(position)])).collect();
        if next == value {
            return value;
        }
        value = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::PropositionId;

    fn word(prefix: &[u64], cycle: &[u64]) -> Lasso {
        let letters = |words: &[u64]| words.iter().map(|&word| Letter::from_low_word(word)).collect();
        Lasso::new(letters(prefix), letters(cycle)).unwrap()
    }

    #[test]
    fn the_operators_mean_what_their_definitions_say() {
        let p = || Formula::proposition(PropositionId(0));
        let q = || Formula::proposition(PropositionId(1));
        let p_then_q = word(&[1, 1], &[2]);
        let p_for_ever = word(&[], &[1]);
        let alternating = word(&[], &[1, 0]);
        for (formula, expected) in [
            (Formula::until(p(), q()), [true, false, false]),
            (Formula::weak_until(p(), q()), [true, true, false]),
            (Formula::release(q(), p()), [false, true, false]),
            (Formula::strong_release(p(), p()), [true, true, true]),
            (Formula::strong_release(q(), p()), [false, false, false]),
            (Formula::globally(Formula::eventually(p())), [false, true, true]),
            (Formula::eventually(Formula::globally(p())), [false, true, false]),
            (Formula::next(p()), [true, true, false]),
            (Formula::iff(p(), Formula::next(Formula::not(p()))), [false, false, true]),
        ] {
            let found = [&p_then_q, &p_for_ever, &alternating].map(|word| holds_on_lasso(&formula, word));
            assert_eq!(found, expected, "{formula:?}");
        }
    }

    #[test]
    fn a_word_has_a_cycle() {
        assert_eq!(Lasso::new(vec![Letter::new()], Vec::new()), None);
    }
}
