//! Random formulas and words for differential tests, the same for the same seed on every machine.

use crate::formula::lasso::Lasso;
use crate::formula::{BinaryOperator, Formula, UnaryOperator};
use crate::index::{Letter, PropositionId};

/// A small generator of pseudo-random numbers (SplitMix64). Not for anything but tests.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The generator with this seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which must not be zero.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound as u64) as usize
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// Which operators a random formula may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operators {
    /// All of them.
    All,
    /// Those that `spin -f` reads: all but next, weak until and strong release.
    SpinCommandLine,
}

/// A formula with about `size` nodes over the first `propositions` propositions.
pub fn random_formula(
    random: &mut Random,
    size: usize,
    propositions: usize,
    operators: Operators,
) -> Formula {
    if size <= 1 {
        return match random.below(12) {
            0 => Formula::True,
            1 => Formula::False,
            _ => Formula::Proposition(PropositionId(random.below(propositions) as u32)),
        };
    }
    let unary: &[UnaryOperator] = match operators {
        Operators::All => {
            &[UnaryOperator::Not, UnaryOperator::Globally, UnaryOperator::Eventually, UnaryOperator::Next]
        }
        Operators::SpinCommandLine => {
            &[UnaryOperator::Not, UnaryOperator::Globally, UnaryOperator::Eventually]
        }
    };
    let binary: &[BinaryOperator] = &[
        BinaryOperator::And,
        BinaryOperator::Or,
        BinaryOperator::Until,
        BinaryOperator::Release,
        BinaryOperator::Implies,
        BinaryOperator::Iff,
        BinaryOperator::WeakUntil,
        BinaryOperator::StrongRelease,
    ];
    let binary = match operators {
        Operators::All => binary,
        Operators::SpinCommandLine => &binary[..6],
    };
    if size == 2 || random.below(unary.len() + binary.len()) < unary.len() {
        let operator = unary[random.below(unary.len())];
        return Formula::unary(operator, random_formula(random, size - 1, propositions, operators));
    }
    let operator = binary[random.below(binary.len())];
    let left = 1 + random.below(size - 2);
    Formula::binary(
        operator,
        random_formula(random, left, propositions, operators),
        random_formula(random, size - 1 - left, propositions, operators),
    )
}

/// A word with a prefix of up to four and a cycle of one to four letters over the first `propositions` (at most 64)
/// propositions.
pub fn random_lasso(random: &mut Random, propositions: usize) -> Lasso {
    let mask = if propositions >= 64 { u64::MAX } else { (1 << propositions) - 1 };
    let mut letters =
        |count: usize| (0..count).map(|_| Letter::from_low_word(random.bits() & mask)).collect::<Vec<_>>();
    let (prefix, cycle) = (letters(4), letters(4));
    let (prefix_length, cycle_length) = (random.below(5), 1 + random.below(4));
    Lasso::new(prefix[..prefix_length].to_vec(), cycle[..cycle_length].to_vec())
        .expect("the cycle has at least one letter")
}
