//! Cubes (conjunctions of literals) and the few things that are asked of unions of cubes.
//!
//! An edge of an automaton carries one cube; what would be a disjunction is several edges. The test whether a cube is
//! covered by a union of others is exact (it splits on a proposition until it is obvious), so the reductions need no
//! decision diagrams.

use crate::index::{BitSet, Letter, PropositionId};

/// A conjunction of literals. Invariant: no proposition is both positive and negative.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cube {
    positive: Letter,
    negative: Letter,
}

impl Cube {
    /// The empty conjunction, which every letter satisfies.
    pub fn top() -> Cube {
        Cube::default()
    }

    /// The conjunction of the propositions in `positive` and the negations of those in `negative`, or nothing if a
    /// proposition is in both.
    pub fn new(positive: Letter, negative: Letter) -> Option<Cube> {
        (!positive.intersects(&negative)).then_some(Cube { positive, negative })
    }

    /// One literal.
    pub fn literal(proposition: PropositionId, positive: bool) -> Cube {
        let set: Letter = std::iter::once(proposition).collect();
        if positive {
            Cube { positive: set, negative: BitSet::new() }
        } else {
            Cube { positive: BitSet::new(), negative: set }
        }
    }

    /// The propositions that must hold.
    pub fn positive(&self) -> &Letter {
        &self.positive
    }

    /// The propositions that must not hold.
    pub fn negative(&self) -> &Letter {
        &self.negative
    }

    /// Whether the cube has no literals.
    pub fn is_top(&self) -> bool {
        self.positive.is_empty() && self.negative.is_empty()
    }

    /// Whether `letter` satisfies every literal.
    pub fn accepts(&self, letter: &Letter) -> bool {
        self.positive.is_subset(letter) && !self.negative.intersects(letter)
    }

    /// Whether every letter that satisfies `self` satisfies `other`.
    pub fn implies(&self, other: &Cube) -> bool {
        other.positive.is_subset(&self.positive) && other.negative.is_subset(&self.negative)
    }

    /// The conjunction of two cubes, or nothing if they contradict each other.
    pub fn and(&self, other: &Cube) -> Option<Cube> {
        if !self.is_compatible(other) {
            return None;
        }
        Some(Cube {
            positive: self.positive.union(&other.positive),
            negative: self.negative.union(&other.negative),
        })
    }

    /// Whether some letter satisfies both cubes.
    pub fn is_compatible(&self, other: &Cube) -> bool {
        !self.positive.intersects(&other.negative) && !self.negative.intersects(&other.positive)
    }

    /// The number of literals.
    pub fn literal_count(&self) -> usize {
        self.positive.len() + self.negative.len()
    }

    /// The literals as (proposition, whether positive), by proposition.
    pub fn literals(&self) -> Vec<(PropositionId, bool)> {
        let mut literals: Vec<_> = self
            .positive
            .iter()
            .map(|proposition| (proposition, true))
            .chain(self.negative.iter().map(|proposition| (proposition, false)))
            .collect();
        literals.sort();
        literals
    }

    /// The cube without any literal of `proposition`.
    pub fn without(&self, proposition: PropositionId) -> Cube {
        let mut cube = self.clone();
        cube.positive.remove(proposition);
        cube.negative.remove(proposition);
        cube
    }

    /// The letter that satisfies the cube with the fewest propositions.
    pub fn smallest_letter(&self) -> Letter {
        self.positive.clone()
    }
}

/// Whether every letter that satisfies `cube` satisfies one of `cover`.
pub fn is_covered<'c>(cube: &Cube, cover: impl IntoIterator<Item = &'c Cube>) -> bool {
    let relevant: Vec<&Cube> = cover.into_iter().filter(|candidate| candidate.is_compatible(cube)).collect();
    if relevant.iter().any(|candidate| cube.implies(candidate)) {
        return true;
    }
    // A proposition that the candidates mention with one sign only is worst when it has the other: settle all of
    // those at once. Only what occurs with both signs needs a case distinction.
    let (mut positive, mut negative) = (Letter::new(), Letter::new());
    for candidate in &relevant {
        positive.union_with(&candidate.positive);
        negative.union_with(&candidate.negative);
    }
    for literals in [&mut positive, &mut negative] {
        literals.subtract(&cube.positive);
        literals.subtract(&cube.negative);
    }
    let mut both = positive.clone();
    both.intersect_with(&negative);
    positive.subtract(&both);
    negative.subtract(&both);
    if !positive.is_empty() || !negative.is_empty() {
        let worst =
            Cube { positive: cube.positive.union(&negative), negative: cube.negative.union(&positive) };
        return is_covered(&worst, relevant.iter().copied());
    }
    let Some(proposition) = both.iter().next() else { return false };
    [true, false].into_iter().all(|positive| {
        let half =
            cube.and(&Cube::literal(proposition, positive)).expect("the proposition is open in the cube");
        is_covered(&half, relevant.iter().copied())
    })
}

/// An irredundant union of maximal cubes that is equal to the given one. The order of the result depends on the
/// order of the cubes as a set only.
pub fn minimise_cover(cubes: &[Cube]) -> Vec<Cube> {
    let mut result: Vec<Cube> = Vec::new();
    for cube in cubes {
        let mut widened = cube.clone();
        for (proposition, _) in cube.literals() {
            let candidate = widened.without(proposition);
            if is_covered(&candidate, cubes) {
                widened = candidate;
            }
        }
        result.push(widened);
    }
    result.sort_by_key(|cube| (cube.literal_count(), cube.clone()));
    result.dedup();
    // Narrow cubes first: they are the likeliest to be covered by the others.
    let mut index = result.len();
    while index > 0 {
        index -= 1;
        let candidate = result[index].clone();
        let others = result.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, cube)| cube);
        if is_covered(&candidate, others) {
            result.remove(index);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(literals: &[i32]) -> Cube {
        literals.iter().fold(Cube::top(), |cube, &literal| {
            cube.and(&Cube::literal(PropositionId(literal.unsigned_abs() - 1), literal > 0)).unwrap()
        })
    }

    #[test]
    fn a_union_may_cover_what_no_single_cube_covers() {
        assert!(is_covered(&cube(&[3]), &[cube(&[1]), cube(&[-1, 2]), cube(&[-1, -2])]));
        assert!(!is_covered(&cube(&[3]), &[cube(&[1]), cube(&[-1, 2])]));
        assert!(!is_covered(&Cube::top(), &[]));
    }

    #[test]
    fn a_minimised_cover_has_maximal_cubes() {
        assert_eq!(minimise_cover(&[cube(&[1]), cube(&[-1, 2])]), [cube(&[1]), cube(&[2])]);
        assert_eq!(minimise_cover(&[cube(&[1, 2]), cube(&[1, -2]), cube(&[-1])]), [Cube::top()]);
        assert_eq!(minimise_cover(&[cube(&[1, 2]), cube(&[-1, -2])]).len(), 2);
    }

    #[test]
    fn contradicting_cubes_have_no_conjunction() {
        assert_eq!(cube(&[1]).and(&cube(&[-1, 2])), None);
        assert_eq!(Cube::new(Letter::first(1), Letter::first(2)), None);
    }
}
