//! On which condition a statement waits: the one that is written, or what `else` stands for.

use std::collections::BTreeSet;

use promela::model::{BinaryOp, Expr, ExprKind, UnaryOp};
use system::automaton::{Action, Automaton, System};

use super::variables::{Cell, touched};
use crate::values::flow::Arc as FlowArc;

/// A condition on variables that must hold when its statement is executed.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub expr: Expr,
    /// What it looks at.
    pub reads: BTreeSet<Cell>,
    /// It looks at nothing but numbers in variables.
    pub is_arithmetic: bool,
}

/// The condition of a statement. `else` is the negation of its siblings (Ciclo, section VII-A): of those that ask for numbers in
/// variables only. What the others ask for is left out, which makes the condition weaker: whoever shows that a cycle ends on it has
/// shown that it ends.
pub(super) fn condition(system: &System, automaton: &Automaton, arc: &FlowArc<'_>) -> Option<Condition> {
    match arc.action {
        Action::Condition(expr) => {
            let touched = touched(system, automaton, arc.action);
            Some(Condition { expr: expr.clone(), reads: touched.reads, is_arithmetic: touched.is_arithmetic })
        }
        Action::Else => {
            let negations = arc.before.iter().filter_map(|sibling| {
                let Action::Condition(expr) = sibling else { return None };
                let touched = touched(system, automaton, sibling);
                let negation =
                    Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(expr.clone())), span: expr.span };
                touched.is_arithmetic.then_some((negation, touched.reads))
            });
            let both = |(a, mut reads): (Expr, BTreeSet<Cell>), (b, others): (Expr, BTreeSet<Cell>)| {
                reads.extend(others);
                let span = a.span;
                (Expr { kind: ExprKind::Binary(BinaryOp::And, Box::new(a), Box::new(b)), span }, reads)
            };
            let (expr, reads) = negations.reduce(both)?;
            Some(Condition { expr, reads, is_arithmetic: true })
        }
        _ => None,
    }
}

/// The conditions that must all hold for an expression to have a truth value, as far as they can be separated: each with the truth
/// value that it has.
pub(super) fn conjuncts(expr: &Expr, truth: bool) -> Vec<(&Expr, bool)> {
    match (&expr.kind, truth) {
        (ExprKind::Unary(UnaryOp::Not, operand), _) => conjuncts(operand, !truth),
        (ExprKind::Binary(BinaryOp::And, left, right), true)
        | (ExprKind::Binary(BinaryOp::Or, left, right), false) => {
            let mut all = conjuncts(left, truth);
            all.extend(conjuncts(right, truth));
            all
        }
        _ => vec![(expr, truth)],
    }
}
