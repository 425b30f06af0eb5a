//! Temporal formulas: what has no temporal operator inside is one proposition, as in SPIN.

use super::{Context, Resolver};
use crate::ast::{self, ExprKind, TemporalBinary, TemporalUnary};
use crate::model::{BinaryOp, Ltl, UnaryOp};

impl Resolver<'_> {
    pub(super) fn formula(&mut self, formula: &ast::Expr) -> Ltl {
        self.context = Context::Global;
        self.temporal(formula)
    }

    fn temporal(&mut self, formula: &ast::Expr) -> Ltl {
        if !is_temporal(formula) {
            return Ltl::Proposition(self.expr(&without_implication(formula)));
        }
        match &formula.kind {
            ExprKind::Unary(UnaryOp::Not, a) => Ltl::Not(Box::new(self.temporal(a))),
            ExprKind::Binary(BinaryOp::And, a, b) => {
                Ltl::And(Box::new(self.temporal(a)), Box::new(self.temporal(b)))
            }
            ExprKind::Binary(BinaryOp::Or, a, b) => {
                Ltl::Or(Box::new(self.temporal(a)), Box::new(self.temporal(b)))
            }
            ExprKind::TemporalUnary(op, a) => {
                let a = Box::new(self.temporal(a));
                match op {
                    TemporalUnary::Always => Ltl::Always(a),
                    TemporalUnary::Eventually => Ltl::Eventually(a),
                    TemporalUnary::Next => Ltl::Next(a),
                }
            }
            ExprKind::TemporalBinary(op, a, b) => {
                let a = Box::new(self.temporal(a));
                let b = Box::new(self.temporal(b));
                match op {
                    TemporalBinary::Until => Ltl::Until(a, b),
                    TemporalBinary::WeakUntil => Ltl::WeakUntil(a, b),
                    TemporalBinary::Release => Ltl::Release(a, b),
                    TemporalBinary::Implies => Ltl::Implies(a, b),
                    TemporalBinary::Equivalent => Ltl::Equivalent(a, b),
                }
            }
            // A temporal operator below an arithmetic one; reported there.
            _ => Ltl::Proposition(self.expr(formula)),
        }
    }
}

/// Has a temporal operator inside, or an equivalence, which a state expression cannot express.
fn is_temporal(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ExprKind::TemporalUnary(..) => true,
        ExprKind::TemporalBinary(op, a, b) => {
            *op != TemporalBinary::Implies || is_temporal(a) || is_temporal(b)
        }
        ExprKind::Unary(_, a) => is_temporal(a),
        ExprKind::Binary(_, a, b) => is_temporal(a) || is_temporal(b),
        ExprKind::Conditional(a, b, c) => is_temporal(a) || is_temporal(b) || is_temporal(c),
        _ => false,
    }
}

/// `a -> b` as `!a || b`, so that `b` is evaluated only where `a` holds.
fn without_implication(expr: &ast::Expr) -> ast::Expr {
    let rebuilt = |kind| ast::Expr { kind, ..expr.clone() };
    match &expr.kind {
        ExprKind::TemporalBinary(TemporalBinary::Implies, a, b) => {
            let not = rebuilt(ExprKind::Unary(UnaryOp::Not, Box::new(without_implication(a))));
            rebuilt(ExprKind::Binary(BinaryOp::Or, Box::new(not), Box::new(without_implication(b))))
        }
        ExprKind::Unary(op, a) => rebuilt(ExprKind::Unary(*op, Box::new(without_implication(a)))),
        ExprKind::Binary(op, a, b) => {
            rebuilt(ExprKind::Binary(*op, Box::new(without_implication(a)), Box::new(without_implication(b))))
        }
        _ => expr.clone(),
    }
}
