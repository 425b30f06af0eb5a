//! Conditions taken apart.

use promela::model::{BinaryOp, Expr, ExprKind, Frame};
use system::interpreter::Interpreter;
use system::state::{Pid, State};

/// The parts of a condition that must all hold, in the order in which they are evaluated.
pub fn conjuncts(condition: &Expr) -> Vec<&Expr> {
    match &condition.kind {
        ExprKind::Binary(BinaryOp::And, left, right) => {
            let mut parts = conjuncts(left);
            parts.extend(conjuncts(right));
            parts
        }
        _ => vec![condition],
    }
}

/// Whether a condition is false until the process itself moves, which it can: one part of it depends on its own variables
/// only and is false, or asks for `timeout`. The parts before that one must not fail, which would be a move.
pub fn is_false_for_now(interpreter: &Interpreter<'_>, state: &State, pid: Pid, condition: &Expr) -> bool {
    for part in conjuncts(condition) {
        if is_local(part) {
            match interpreter.evaluate(state, Some(pid), part) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(_) => return false,
            }
        } else {
            match &part.kind {
                ExprKind::Timeout => return true,
                ExprKind::NotEmpty(channel) | ExprKind::NotFull(channel)
                    if channel.place.frame == Frame::Local && channel.place.indices.is_empty() => {}
                _ => return false,
            }
        }
    }
    false
}

/// Whether the value depends on the process's own variables only.
pub fn is_local(expression: &Expr) -> bool {
    match &expression.kind {
        ExprKind::Constant { .. } | ExprKind::Pid => true,
        ExprKind::Read(place) => {
            place.frame == Frame::Local && place.indices.iter().all(|index| is_local(&index.value))
        }
        ExprKind::Unary(_, a) => is_local(a),
        ExprKind::Binary(_, a, b) => is_local(a) && is_local(b),
        ExprKind::Conditional(c, a, b) => is_local(c) && is_local(a) && is_local(b),
        _ => false,
    }
}

/// Whether an expression asks whether nothing else can move.
pub fn asks_for_timeout(expression: &Expr) -> bool {
    let mut asks = false;
    expression.visit(&mut |inner| asks |= matches!(inner.kind, ExprKind::Timeout));
    asks
}
