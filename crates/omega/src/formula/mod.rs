//! LTL formulas as their author wrote them.
//!
//! [`Formula`] keeps the operators of the source; front ends build it with the constructors below, and messages print
//! it with [`Formula::display`]. The algorithms work on the negation normal form of [`normal`], where
//! equal formulas are the same node.

pub mod lasso;
pub mod normal;
pub mod parse;
mod rewrite;
pub mod sample;

use std::fmt;

use crate::index::PropositionId;

/// A formula of linear temporal logic over opaque propositions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Formula {
    /// Holds always.
    True,
    /// Holds never.
    False,
    /// An atomic proposition.
    Proposition(PropositionId),
    /// An operator on one formula.
    Unary(UnaryOperator, Box<Formula>),
    /// An operator on two formulas.
    Binary(BinaryOperator, Box<Formula>, Box<Formula>),
}

/// The operators on one formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOperator {
    /// `!`
    Not,
    /// `X`: at the next moment.
    Next,
    /// `[]`: from now on.
    Globally,
    /// `<>`: now or later.
    Eventually,
}

/// The operators on two formulas.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOperator {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `->`
    Implies,
    /// `<->`
    Iff,
    /// `U`: the right one comes to hold, and the left one holds until just before.
    Until,
    /// `V`: the right one holds up to and including the first moment at which the left one does, or for ever.
    Release,
    /// `W`: as `U`, but the left one may also hold for ever.
    WeakUntil,
    /// `M`: as `V`, but the left one must come to hold. SPIN has no sign for it; it is printed with `U`.
    StrongRelease,
}

impl Formula {
    /// An atomic proposition.
    pub fn proposition(proposition: PropositionId) -> Formula {
        Formula::Proposition(proposition)
    }

    /// `!operand`
    #[allow(clippy::should_implement_trait)] // The constructors form one family; an operator would stand apart.
    pub fn not(operand: Formula) -> Formula {
        Formula::unary(UnaryOperator::Not, operand)
    }

    /// `X operand`
    pub fn next(operand: Formula) -> Formula {
        Formula::unary(UnaryOperator::Next, operand)
    }

    /// `[] operand`
    pub fn globally(operand: Formula) -> Formula {
        Formula::unary(UnaryOperator::Globally, operand)
    }

    /// `<> operand`
    pub fn eventually(operand: Formula) -> Formula {
        Formula::unary(UnaryOperator::Eventually, operand)
    }

    /// `left && right`
    pub fn and(left: Formula, right: Formula) -> Formula {
        Formula::binary(BinaryOperator::And, left, right)
    }

    /// `left || right`
    pub fn or(left: Formula, right: Formula) -> Formula {
        Formula::binary(BinaryOperator::Or, left, right)
    }

    /// `left -> right`
    pub fn implies(left: Formula, right: Formula) -> Formula {
        Formula::binary(BinaryOperator::Implies, left, right)
    }

    /// `left <-> right`
    pub fn iff(left: Formula, right: Formula) -> Formula {
        Formula::binary(BinaryOperator::Iff, left, right)
    }

    /// `left U right`
    pub fn until(left: Formula, right: Formula) -> Formula {
        Formula::binary(BinaryOperator::Until, left, right)
    }

    /// `left V right`
    pub fn release(left: Formula, right: Formula) -> Formula {
        Formula::binary(BinaryOperator::Release, left, right)
    }

    /// `left W right`
    pub fn weak_until(left: Formula, right: Formula) -> Formula {
        Formula::binary(BinaryOperator::WeakUntil, left, right)
    }

    /// `right U (left && right)`, the release whose left side must come to hold.
    pub fn strong_release(left: Formula, right: Formula) -> Formula {
        Formula::binary(BinaryOperator::StrongRelease, left, right)
    }

    /// An operator on one formula.
    pub fn unary(operator: UnaryOperator, operand: Formula) -> Formula {
        Formula::Unary(operator, Box::new(operand))
    }

    /// An operator on two formulas.
    pub fn binary(operator: BinaryOperator, left: Formula, right: Formula) -> Formula {
        Formula::Binary(operator, Box::new(left), Box::new(right))
    }

    /// The propositions that occur, in ascending order.
    pub fn propositions(&self) -> Vec<PropositionId> {
        let mut found = Vec::new();
        self.visit(&mut |formula| {
            if let Formula::Proposition(proposition) = formula {
                found.push(*proposition);
            }
        });
        found.sort();
        found.dedup();
        found
    }

    /// Whether the operator `X` occurs. Without it a formula cannot tell a step that changes nothing from no step,
    /// which is what reductions of the state space rely on.
    pub fn uses_next(&self) -> bool {
        let mut uses = false;
        self.visit(&mut |formula| uses |= matches!(formula, Formula::Unary(UnaryOperator::Next, _)));
        uses
    }

    /// The number of operators, propositions and constants.
    pub fn size(&self) -> usize {
        let mut size = 0;
        self.visit(&mut |_| size += 1);
        size
    }

    /// The formula in SPIN's syntax, fully parenthesised wherever SPIN's two parsers differ.
    pub fn display<'a, N: PropositionNames>(&'a self, names: &'a N) -> impl fmt::Display + 'a {
        DisplayFormula { formula: self, names }
    }

    fn visit(&self, visitor: &mut dyn FnMut(&Formula)) {
        visitor(self);
        match self {
            Formula::True | Formula::False | Formula::Proposition(_) => {}
            Formula::Unary(_, operand) => operand.visit(visitor),
            Formula::Binary(_, left, right) => {
                left.visit(visitor);
                right.visit(visitor);
            }
        }
    }
}

impl BinaryOperator {
    /// The operator's sign. `M` is not SPIN's.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOperator::And => "&&",
            BinaryOperator::Or => "||",
            BinaryOperator::Implies => "->",
            BinaryOperator::Iff => "<->",
            BinaryOperator::Until => "U",
            BinaryOperator::Release => "V",
            BinaryOperator::WeakUntil => "W",
            BinaryOperator::StrongRelease => "M",
        }
    }
}

/// Gives each proposition its text.
pub trait PropositionNames {
    /// Writes the name of one proposition.
    fn write_name(&self, proposition: PropositionId, formatter: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// The propositions of a text by name, numbered in the order of their first appearance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PropositionTable {
    names: Vec<String>,
}

impl PropositionTable {
    /// An empty table.
    pub fn new() -> PropositionTable {
        PropositionTable::default()
    }

    /// The proposition of this name, which is added if it is new.
    pub fn intern(&mut self, name: &str) -> PropositionId {
        self.get(name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            PropositionId(self.names.len() as u32 - 1)
        })
    }

    /// The proposition of this name.
    pub fn get(&self, name: &str) -> Option<PropositionId> {
        self.names.iter().position(|known| known == name).map(|position| PropositionId(position as u32))
    }

    /// The name of a proposition of this table.
    pub fn name(&self, proposition: PropositionId) -> Option<&str> {
        self.names.get(proposition.0 as usize).map(String::as_str)
    }

    /// The number of propositions.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no propositions.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

impl PropositionNames for PropositionTable {
    fn write_name(&self, proposition: PropositionId, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name(proposition) {
            Some(name) => formatter.write_str(name),
            None => write!(formatter, "p{}", proposition.0),
        }
    }
}

/// Names proposition 3 `p3`.
#[derive(Clone, Copy, Debug, Default)]
pub struct NumberedPropositions;

impl PropositionNames for NumberedPropositions {
    fn write_name(&self, proposition: PropositionId, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "p{}", proposition.0)
    }
}

struct DisplayFormula<'a, N> {
    formula: &'a Formula,
    names: &'a N,
}

impl<N: PropositionNames> fmt::Display for DisplayFormula<'_, N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_formula(self.formula, self.names, formatter)
    }
}

fn write_formula<N: PropositionNames>(
    formula: &Formula,
    names: &N,
    formatter: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    match formula {
        Formula::True => formatter.write_str("true"),
        Formula::False => formatter.write_str("false"),
        Formula::Proposition(proposition) => names.write_name(*proposition, formatter),
        Formula::Unary(operator, operand) => {
            formatter.write_str(match operator {
                UnaryOperator::Not => "!",
                UnaryOperator::Next => "X ",
                UnaryOperator::Globally => "[]",
                UnaryOperator::Eventually => "<>",
            })?;
            write_operand(operand, names, formatter)
        }
        Formula::Binary(BinaryOperator::StrongRelease, left, right) => {
            write_operand(right, names, formatter)?;
            formatter.write_str(" U (")?;
            write_operand(left, names, formatter)?;
            formatter.write_str(" && ")?;
            write_operand(right, names, formatter)?;
            formatter.write_str(")")
        }
        Formula::Binary(operator, left, right) => {
            write_operand(left, names, formatter)?;
            write!(formatter, " {} ", operator.symbol())?;
            write_operand(right, names, formatter)
        }
    }
}

fn write_operand<N: PropositionNames>(
    operand: &Formula,
    names: &N,
    formatter: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    if matches!(operand, Formula::Binary(..)) {
        formatter.write_str("(")?;
        write_formula(operand, names, formatter)?;
        formatter.write_str(")")
    } else {
        write_formula(operand, names, formatter)
    }
}
