//! Formulas in negation normal form, hash-consed.
//!
//! Inside an [`Arena`] there are only literals, conjunctions, disjunctions, next, until and release; negation stands
//! at propositions only, and structurally equal formulas have equal ids. Every node is built through the rewriting
//! constructors of [`rewrite`](crate::formula::rewrite), so what is in the arena is already simplified.

use std::collections::HashMap;

use crate::formula::{BinaryOperator, Formula, UnaryOperator};
use crate::index::PropositionId;

/// A formula of an [`Arena`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NormalId(pub(crate) u32);

/// One node: its operator and operands. The operands of `And` and `Or` are sorted, distinct, at least two, and not
/// of the same operator.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Normal {
    /// Holds always.
    True,
    /// Holds never.
    False,
    /// A proposition or its negation.
    Literal(PropositionId, bool),
    /// All hold.
    And(Box<[NormalId]>),
    /// Some holds.
    Or(Box<[NormalId]>),
    /// Holds at the next moment.
    Next(NormalId),
    /// The second comes to hold, the first until then.
    Until(NormalId, NormalId),
    /// The second holds until the first does too, or for ever.
    Release(NormalId, NormalId),
}

/// What is known of a formula from its shape alone (Etessami and Holzmann, "Optimizing Büchi automata", section 3).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Prefixing a word of the language with anything stays in the language: `<>f` is `f`.
    pub eventual: bool,
    /// Every suffix of a word of the language is in the language: `[]f` is `f`.
    pub universal: bool,
}

/// The owner of formulas in negation normal form.
#[derive(Debug)]
pub struct Arena {
    nodes: Vec<Normal>,
    shapes: Vec<Shape>,
    ids: HashMap<Normal, NormalId>,
    negations: HashMap<NormalId, NormalId>,
    pub(crate) implications: HashMap<(NormalId, NormalId), bool>,
}

impl Default for Arena {
    fn default() -> Self {
        Arena::new()
    }
}

impl Arena {
    /// The constant true, in every arena.
    pub const TRUE: NormalId = NormalId(0);
    /// The constant false, in every arena.
    pub const FALSE: NormalId = NormalId(1);

    /// An arena with the two constants.
    pub fn new() -> Arena {
        let mut arena = Arena {
            nodes: Vec::new(),
            shapes: Vec::new(),
            ids: HashMap::new(),
            negations: HashMap::new(),
            implications: HashMap::new(),
        };
        let (top, bottom) = (arena.intern(Normal::True), arena.intern(Normal::False));
        debug_assert_eq!((top, bottom), (Arena::TRUE, Arena::FALSE));
        arena
    }

    /// The operator and operands of a formula.
    pub fn node(&self, id: NormalId) -> &Normal {
        &self.nodes[id.0 as usize]
    }

    pub(crate) fn shape(&self, id: NormalId) -> Shape {
        self.shapes[id.0 as usize]
    }

    /// A formula equivalent to `formula`, simplified.
    pub fn normalise(&mut self, formula: &Formula) -> NormalId {
        self.normalise_signed(formula, true)
    }

    /// A formula equivalent to the negation of `formula`, simplified.
    pub fn normalise_negation(&mut self, formula: &Formula) -> NormalId {
        self.normalise_signed(formula, false)
    }

    /// A formula equivalent to the negation of `id`.
    pub fn negate(&mut self, id: NormalId) -> NormalId {
        if let Some(&known) = self.negations.get(&id) {
            return known;
        }
        let result = match self.node(id).clone() {
            Normal::True => Arena::FALSE,
            Normal::False => Arena::TRUE,
            Normal::Literal(proposition, positive) => self.literal(proposition, !positive),
            Normal::And(operands) => {
                let negated = operands.iter().map(|&operand| self.negate(operand)).collect();
                self.or(negated)
            }
            Normal::Or(operands) => {
                let negated = operands.iter().map(|&operand| self.negate(operand)).collect();
                self.and(negated)
            }
            Normal::Next(operand) => {
                let negated = self.negate(operand);
                self.next(negated)
            }
            Normal::Until(left, right) => {
                let (left, right) = (self.negate(left), self.negate(right));
                self.release(left, right)
            }
            Normal::Release(left, right) => {
                let (left, right) = (self.negate(left), self.negate(right));
                self.until(left, right)
            }
        };
        self.negations.insert(id, result);
        self.negations.entry(result).or_insert(id);
        result
    }

    /// The formula with SPIN's operators, `[]`, `<>` and `W` where they fit.
    pub fn to_formula(&self, id: NormalId) -> Formula {
        let fold = |operator, operands: &[NormalId]| {
            operands
                .iter()
                .map(|&operand| self.to_formula(operand))
                .reduce(|left, right| Formula::binary(operator, left, right))
                .expect("conjunctions and disjunctions have operands")
        };
        match self.node(id) {
            Normal::True => Formula::True,
            Normal::False => Formula::False,
            Normal::Literal(proposition, true) => Formula::Proposition(*proposition),
            Normal::Literal(proposition, false) => Formula::not(Formula::Proposition(*proposition)),
            Normal::And(operands) => fold(BinaryOperator::And, operands),
            Normal::Or(operands) => fold(BinaryOperator::Or, operands),
            Normal::Next(operand) => Formula::next(self.to_formula(*operand)),
            Normal::Until(Arena::TRUE, right) => Formula::eventually(self.to_formula(*right)),
            Normal::Until(left, right) => Formula::until(self.to_formula(*left), self.to_formula(*right)),
            Normal::Release(Arena::FALSE, right) => Formula::globally(self.to_formula(*right)),
            Normal::Release(left, right) => {
                // `b V (a || b)` is `a W b`, which reads better.
                if let Normal::Or(operands) = self.node(*right)
                    && operands.contains(left)
                {
                    let rest: Vec<NormalId> =
                        operands.iter().copied().filter(|operand| operand != left).collect();
                    return Formula::weak_until(fold(BinaryOperator::Or, &rest), self.to_formula(*left));
                }
                Formula::release(self.to_formula(*left), self.to_formula(*right))
            }
        }
    }

    pub(crate) fn intern(&mut self, node: Normal) -> NormalId {
        if let Some(&known) = self.ids.get(&node) {
            return known;
        }
        let id = NormalId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 formulas"));
        self.shapes.push(self.shape_of(&node));
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    fn shape_of(&self, node: &Normal) -> Shape {
        let all = |operands: &[NormalId], what: fn(Shape) -> bool| {
            operands.iter().all(|&operand| what(self.shape(operand)))
        };
        match node {
            Normal::True | Normal::False => Shape { eventual: true, universal: true },
            Normal::Literal(..) => Shape { eventual: false, universal: false },
            Normal::And(operands) | Normal::Or(operands) => Shape {
                eventual: all(operands, |shape| shape.eventual),
                universal: all(operands, |shape| shape.universal),
            },
            Normal::Next(operand) => self.shape(*operand),
            Normal::Until(left, right) => Shape {
                eventual: *left == Arena::TRUE || self.shape(*right).eventual,
                universal: all(&[*left, *right], |shape| shape.universal),
            },
            Normal::Release(left, right) => Shape {
                eventual: all(&[*left, *right], |shape| shape.eventual),
                universal: *left == Arena::FALSE || self.shape(*right).universal,
            },
        }
    }

    /// The normal form of the formula, or of its negation if `positive` is false.
    fn normalise_signed(&mut self, formula: &Formula, positive: bool) -> NormalId {
        match formula {
            Formula::True => constant(positive),
            Formula::False => constant(!positive),
            Formula::Proposition(proposition) => self.literal(*proposition, positive),
            Formula::Unary(UnaryOperator::Not, operand) => self.normalise_signed(operand, !positive),
            Formula::Unary(UnaryOperator::Next, operand) => {
                let operand = self.normalise_signed(operand, positive);
                self.next(operand)
            }
            Formula::Unary(UnaryOperator::Globally, operand) => {
                let operand = self.normalise_signed(operand, positive);
                if positive { self.release(Arena::FALSE, operand) } else { self.until(Arena::TRUE, operand) }
            }
            Formula::Unary(UnaryOperator::Eventually, operand) => {
                let operand = self.normalise_signed(operand, positive);
                if positive { self.until(Arena::TRUE, operand) } else { self.release(Arena::FALSE, operand) }
            }
            Formula::Binary(BinaryOperator::Iff, left, right) => {
                let same = self.normalise_signed(left, true);
                let other = self.normalise_signed(right, positive);
                let (not_same, not_other) = (self.negate(same), self.negate(other));
                let both = self.and(vec![same, other]);
                let neither = self.and(vec![not_same, not_other]);
                self.or(vec![both, neither])
            }
            Formula::Binary(operator, left, right) => {
                let left_sign = positive != (*operator == BinaryOperator::Implies);
                let left = self.normalise_signed(left, left_sign);
                let right = self.normalise_signed(right, positive);
                match (operator, positive) {
                    (BinaryOperator::And, true) | (BinaryOperator::Or | BinaryOperator::Implies, false) => {
                        self.and(vec![left, right])
                    }
                    (BinaryOperator::And, false) | (BinaryOperator::Or | BinaryOperator::Implies, true) => {
                        self.or(vec![left, right])
                    }
                    (BinaryOperator::Until, true) | (BinaryOperator::Release, false) => {
                        self.until(left, right)
                    }
                    (BinaryOperator::Until, false) | (BinaryOperator::Release, true) => {
                        self.release(left, right)
                    }
                    // a W b = b V (a || b), and a M b = b U (a && b).
                    (BinaryOperator::WeakUntil, true) => {
                        let either = self.or(vec![left, right]);
                        self.release(right, either)
                    }
                    (BinaryOperator::WeakUntil, false) => {
                        let both = self.and(vec![left, right]);
                        self.until(right, both)
                    }
                    (BinaryOperator::StrongRelease, true) => {
                        let both = self.and(vec![left, right]);
                        self.until(right, both)
                    }
                    (BinaryOperator::StrongRelease, false) => {
                        let either = self.or(vec![left, right]);
                        self.release(right, either)
                    }
                    (BinaryOperator::Iff, _) => unreachable!("handled above"),
                }
            }
        }
    }
}

/// A formula equivalent to `formula`, by rewriting alone.
pub fn simplify(formula: &Formula) -> Formula {
    let mut arena = Arena::new();
    let id = arena.normalise(formula);
    arena.to_formula(id)
}

fn constant(value: bool) -> NormalId {
    if value { Arena::TRUE } else { Arena::FALSE }
}
