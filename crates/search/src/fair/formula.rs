//! From a model's formula to one over numbered propositions.

use omega::{Formula, Letter, PropositionId, TypedIndex};
use promela::model::{Expr, ExprKind, Ltl};
use system::interpreter::{Interpreter, RuntimeError};
use system::state::State;

/// A formula whose propositions are expressions of the model.
#[derive(Clone, Debug)]
pub struct Property {
    /// The formula over numbers.
    pub formula: Formula,
    /// What each number means.
    pub propositions: Vec<Expr>,
}

impl Property {
    /// Numbers the propositions; equal expressions are one proposition.
    pub fn new(formula: &Ltl) -> Property {
        let mut propositions = Vec::new();
        let formula = number(formula, &mut propositions);
        Property { formula, propositions }
    }

    /// The propositions that hold in a state.
    pub fn letter(&self, interpreter: &Interpreter<'_>, state: &State) -> Result<Letter, RuntimeError> {
        let mut letter = Letter::new();
        for (index, proposition) in self.propositions.iter().enumerate() {
            if interpreter.evaluate(state, None, proposition)? != 0 {
                letter.insert(PropositionId::from_position(index));
            }
        }
        Ok(letter)
    }
}

/// Whether an expression, or one inside it, is of a kind.
pub fn mentions(expr: &Expr, wanted: &mut dyn FnMut(&ExprKind) -> bool) -> bool {
    let mut found = false;
    expr.visit(&mut |inner| found |= wanted(&inner.kind));
    found
}

fn number(formula: &Ltl, propositions: &mut Vec<Expr>) -> Formula {
    let mut of = |inner: &Ltl| number(inner, propositions);
    match formula {
        Ltl::Proposition(expr) => match &expr.kind {
            ExprKind::Constant { value: 0, .. } => Formula::False,
            ExprKind::Constant { .. } => Formula::True,
            _ => {
                let known = propositions.iter().position(|other| same(other, expr));
                let position = known.unwrap_or_else(|| {
                    propositions.push(expr.clone());
                    propositions.len() - 1
                });
                Formula::proposition(PropositionId::from_position(position))
            }
        },
        Ltl::Not(inner) => Formula::not(of(inner)),
        Ltl::Next(inner) => Formula::next(of(inner)),
        Ltl::Always(inner) => Formula::globally(of(inner)),
        Ltl::Eventually(inner) => Formula::eventually(of(inner)),
        Ltl::And(left, right) => Formula::and(of(left), of(right)),
        Ltl::Or(left, right) => Formula::or(of(left), of(right)),
        Ltl::Implies(left, right) => Formula::implies(of(left), of(right)),
        Ltl::Equivalent(left, right) => Formula::iff(of(left), of(right)),
        Ltl::Until(left, right) => Formula::until(of(left), of(right)),
        Ltl::WeakUntil(left, right) => Formula::weak_until(of(left), of(right)),
        Ltl::Release(left, right) => Formula::release(of(left), of(right)),
    }
}

/// Whether two expressions say the same, wherever they stand. Only simple ones are compared; others count as different,
/// which costs a proposition and nothing else.
fn same(left: &Expr, right: &Expr) -> bool {
    match (&left.kind, &right.kind) {
        (ExprKind::Constant { value: a, .. }, ExprKind::Constant { value: b, .. }) => a == b,
        (ExprKind::Read(a), ExprKind::Read(b)) => {
            a.frame == b.frame && a.base == b.base && a.indices.is_empty() && b.indices.is_empty()
        }
        (ExprKind::Unary(a, inner_a), ExprKind::Unary(b, inner_b)) => a == b && same(inner_a, inner_b),
        (ExprKind::Binary(a, left_a, right_a), ExprKind::Binary(b, left_b, right_b)) => {
            a == b && same(left_a, left_b) && same(right_a, right_b)
        }
        (
            ExprKind::RemoteLabel { proctype: a, pid: None, label: label_a },
            ExprKind::RemoteLabel { proctype: b, pid: None, label: label_b },
        ) => a == b && label_a == label_b,
        _ => false,
    }
}
