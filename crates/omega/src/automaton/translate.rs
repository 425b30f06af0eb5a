//! From LTL to transition-based generalised Büchi automata, on the fly.
//!
//! The tableau is that of Couvreur ("On-the-fly verification of linear temporal logic", FM 1999). A state is a set of
//! formulas that must hold from now on. Unfolding until and release once turns it into alternatives, each a cube for
//! the current letter, the formulas for the next moment, and the untils whose fulfilment it puts off. There is one
//! acceptance set for each until: the edges that do not put it off.
//!
//! Two sets of formulas with the same alternatives are the same state. That is where the tableau becomes small, and it
//! is also why sets are *not* simplified by implication between formulas: dropping `<>d` next to `X<>d` in every
//! state would hide for ever that `d` is put off.

use std::collections::HashMap;
use std::rc::Rc;

use crate::automaton::cube::Cube;
use crate::automaton::degeneralise::degeneralise;
use crate::automaton::obligation::minimal_weak_automaton;
use crate::automaton::reduce::reduce;
use crate::automaton::{Automaton, Edge};
use crate::formula::Formula;
use crate::formula::normal::{Arena, Normal, NormalId};
use crate::index::{MarkId, MarkSet, StateId, TypedIndex};

/// How large a translation may become before it is given up. A formula's automaton may be exponentially larger than
/// the formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TranslationLimits {
    /// The largest number of states of the tableau.
    pub states: usize,
    /// The largest number of alternatives of one state.
    pub alternatives: usize,
}

impl Default for TranslationLimits {
    fn default() -> Self {
        TranslationLimits { states: 20_000, alternatives: 10_000 }
    }
}

/// Why there is no automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TranslationError {
    /// The tableau has more states than allowed.
    TooManyStates(usize),
    /// A state of the tableau has more alternatives than allowed.
    TooManyAlternatives(usize),
}

impl std::fmt::Display for TranslationError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TranslationError::TooManyStates(limit) => {
                write!(formatter, "the formula's automaton has more than {limit} states")
            }
            TranslationError::TooManyAlternatives(limit) => {
                write!(formatter, "a state of the formula's automaton has more than {limit} edges")
            }
        }
    }
}

impl std::error::Error for TranslationError {}

/// A small automaton that accepts exactly the words that satisfy the formula.
pub fn translate(formula: &Formula, limits: TranslationLimits) -> Result<Automaton, TranslationError> {
    let mut arena = Arena::new();
    let (wanted, opposite) = (arena.normalise(formula), arena.normalise_negation(formula));
    translate_normal(&arena, wanted, opposite, limits)
}

/// A small automaton that accepts exactly the words that violate the formula: what a search for counterexamples
/// runs beside the system.
pub fn translate_negation(
    formula: &Formula,
    limits: TranslationLimits,
) -> Result<Automaton, TranslationError> {
    let mut arena = Arena::new();
    let (opposite, wanted) = (arena.normalise(formula), arena.normalise_negation(formula));
    translate_normal(&arena, wanted, opposite, limits)
}

/// A small Büchi automaton (one acceptance set, made of all edges that leave the accepting states) for the formula.
pub fn translate_to_buchi(
    formula: &Formula,
    limits: TranslationLimits,
) -> Result<Automaton, TranslationError> {
    Ok(degeneralise(&translate(formula, limits)?))
}

/// The unreduced automaton of a formula in normal form.
pub fn tableau(
    arena: &Arena,
    formula: NormalId,
    limits: TranslationLimits,
) -> Result<Automaton, TranslationError> {
    let mut builder = Builder { arena, limits, expansions: HashMap::new() };
    let mut states = StateTable::default();
    let initial = states.intern(&mut builder, conjuncts(arena, formula))?;
    let mut marks: HashMap<NormalId, usize> = HashMap::new();
    let mut successors: Vec<Vec<StateId>> = Vec::new();
    while successors.len() < states.alternatives.len() {
        let alternatives = Rc::clone(&states.alternatives[successors.len()]);
        let mut targets = Vec::with_capacity(alternatives.len());
        for alternative in alternatives.iter() {
            for &until in &alternative.postponed {
                let fresh = marks.len();
                marks.entry(until).or_insert(fresh);
            }
            targets.push(states.intern(&mut builder, alternative.next.clone())?);
            if states.alternatives.len() > limits.states {
                return Err(TranslationError::TooManyStates(limits.states));
            }
        }
        successors.push(targets);
    }
    let edges = states
        .alternatives
        .iter()
        .zip(&successors)
        .map(|(alternatives, targets)| {
            let edge = |(alternative, &target): (&Alternative, &StateId)| {
                let mut fulfilled = MarkSet::first(marks.len());
                for until in &alternative.postponed {
                    fulfilled.remove(MarkId::from_position(marks[until]));
                }
                Edge { target, label: alternative.label.clone(), marks: fulfilled }
            };
            alternatives.iter().zip(targets).map(edge).collect()
        })
        .collect();
    Ok(Automaton::new(initial, marks.len(), edges).expect("the tableau is closed under successors"))
}

/// The smaller of the reduced tableau and, if the formula is an obligation, its minimal deterministic automaton. With
/// equal numbers of states the deterministic one is better: a product with it does not branch.
fn translate_normal(
    arena: &Arena,
    wanted: NormalId,
    opposite: NormalId,
    limits: TranslationLimits,
) -> Result<Automaton, TranslationError> {
    let reduced = reduce(&tableau(arena, wanted, limits)?);
    // That the negation's tableau is too large only means that there is nothing to compare with.
    let Ok(complement) = tableau(arena, opposite, limits) else { return Ok(reduced) };
    match minimal_weak_automaton(&reduced, &reduce(&complement)) {
        Some(weak) if weak.state_count() <= reduced.state_count() => Ok(reduce(&weak)),
        _ => Ok(reduced),
    }
}

/// One way to satisfy a set of formulas: a condition on the current letter, what must hold at the next moment (sorted
/// and distinct), and which untils are put off (sorted and distinct).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Alternative {
    label: Cube,
    next: Vec<NormalId>,
    postponed: Vec<NormalId>,
}

impl Alternative {
    fn and(&self, other: &Alternative) -> Option<Alternative> {
        Some(Alternative {
            label: self.label.and(&other.label)?,
            next: sorted_union(&self.next, &other.next),
            postponed: sorted_union(&self.postponed, &other.postponed),
        })
    }

    /// Whether `self` allows everything that `other` allows, and puts off no more.
    fn subsumes(&self, other: &Alternative) -> bool {
        other.label.implies(&self.label)
            && is_sorted_subset(&self.postponed, &other.postponed)
            && is_sorted_subset(&self.next, &other.next)
    }
}

#[derive(Default)]
struct StateTable {
    alternatives: Vec<Rc<[Alternative]>>,
    by_alternatives: HashMap<Rc<[Alternative]>, StateId>,
    by_formulas: HashMap<Vec<NormalId>, StateId>,
}

impl StateTable {
    fn intern(
        &mut self,
        builder: &mut Builder,
        formulas: Vec<NormalId>,
    ) -> Result<StateId, TranslationError> {
        if let Some(&known) = self.by_formulas.get(&formulas) {
            return Ok(known);
        }
        let alternatives = builder.conjunction(&formulas)?;
        let fresh = StateId::from_position(self.alternatives.len());
        let state = *self.by_alternatives.entry(Rc::clone(&alternatives)).or_insert(fresh);
        if state == fresh {
            self.alternatives.push(alternatives);
        }
        self.by_formulas.insert(formulas, state);
        Ok(state)
    }
}

struct Builder<'a> {
    arena: &'a Arena,
    limits: TranslationLimits,
    expansions: HashMap<NormalId, Rc<[Alternative]>>,
}

impl Builder<'_> {
    fn conjunction(&mut self, formulas: &[NormalId]) -> Result<Rc<[Alternative]>, TranslationError> {
        let mut expansions =
            formulas.iter().map(|&formula| self.expand(formula)).collect::<Result<Vec<_>, _>>()?;
        // The largest first, because it often makes others redundant: `[]<>p` next to `<>p`. The result is the same
        // in any order.
        expansions.sort_by_key(|expansion| std::cmp::Reverse(expansion.len()));
        let mut result = vec![Alternative { label: Cube::top(), next: Vec::new(), postponed: Vec::new() }];
        for expansion in expansions {
            let adds_nothing =
                result.iter().all(|alternative| expansion.iter().any(|other| other.subsumes(alternative)));
            if !adds_nothing {
                result = self.product(&result, &expansion)?;
            }
        }
        Ok(result.into())
    }

    fn expand(&mut self, formula: NormalId) -> Result<Rc<[Alternative]>, TranslationError> {
        if let Some(known) = self.expansions.get(&formula) {
            return Ok(Rc::clone(known));
        }
        let plain = |label, next| Alternative { label, next, postponed: Vec::new() };
        let result: Rc<[Alternative]> = match self.arena.node(formula).clone() {
            Normal::True => vec![plain(Cube::top(), Vec::new())].into(),
            Normal::False => Vec::new().into(),
            Normal::Literal(proposition, positive) => {
                vec![plain(Cube::literal(proposition, positive), Vec::new())].into()
            }
            Normal::And(operands) => self.conjunction(&operands)?,
            Normal::Or(operands) => {
                let mut union = Vec::new();
                for &operand in &operands {
                    union.extend_from_slice(&self.expand(operand)?);
                }
                self.prune(union)?.into()
            }
            Normal::Next(operand) => vec![plain(Cube::top(), conjuncts(self.arena, operand))].into(),
            Normal::Until(left, right) => {
                let mut union = self.expand(right)?.to_vec();
                let again = Alternative { label: Cube::top(), next: vec![formula], postponed: vec![formula] };
                let left = self.expand(left)?;
                union.extend(self.product(&left, &[again])?);
                self.prune(union)?.into()
            }
            Normal::Release(left, right) => {
                let (left, right) = (self.expand(left)?, self.expand(right)?);
                let mut union = self.product(&left, &right)?;
                union.extend(self.product(&right, &[plain(Cube::top(), vec![formula])])?);
                self.prune(union)?.into()
            }
        };
        self.expansions.insert(formula, Rc::clone(&result));
        Ok(result)
    }

    fn product(
        &self,
        left: &[Alternative],
        right: &[Alternative],
    ) -> Result<Vec<Alternative>, TranslationError> {
        // The limit is on what remains, but a product far beyond it would take too long to prune.
        if left.len().saturating_mul(right.len()) > self.limits.alternatives.saturating_mul(16) {
            return Err(TranslationError::TooManyAlternatives(self.limits.alternatives));
        }
        let all = left.iter().flat_map(|first| right.iter().filter_map(|second| first.and(second))).collect();
        self.prune(all)
    }

    /// The alternatives that no other subsumes, sorted.
    fn prune(&self, mut alternatives: Vec<Alternative>) -> Result<Vec<Alternative>, TranslationError> {
        // What subsumes has fewer literals and formulas, so it comes first in this order.
        let weight = |alternative: &Alternative| {
            alternative.label.literal_count() + alternative.next.len() + alternative.postponed.len()
        };
        alternatives
            .sort_by(|first, second| weight(first).cmp(&weight(second)).then_with(|| first.cmp(second)));
        let mut kept: Vec<Alternative> = Vec::new();
        for alternative in alternatives {
            if !kept.iter().any(|other| other.subsumes(&alternative)) {
                kept.push(alternative);
                if kept.len() > self.limits.alternatives {
                    return Err(TranslationError::TooManyAlternatives(self.limits.alternatives));
                }
            }
        }
        kept.sort();
        Ok(kept)
    }
}

/// The formulas whose conjunction is the given one, sorted.
fn conjuncts(arena: &Arena, formula: NormalId) -> Vec<NormalId> {
    match arena.node(formula) {
        Normal::True => Vec::new(),
        Normal::And(operands) => operands.to_vec(),
        _ => vec![formula],
    }
}

fn sorted_union(left: &[NormalId], right: &[NormalId]) -> Vec<NormalId> {
    let mut union: Vec<NormalId> = left.iter().chain(right).copied().collect();
    union.sort();
    union.dedup();
    union
}

fn is_sorted_subset(small: &[NormalId], large: &[NormalId]) -> bool {
    small.iter().all(|member| large.binary_search(member).is_ok())
}
