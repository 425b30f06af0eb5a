//! Where the values of a variable part: the constants that it is compared with.
//!
//! A clock with two hundred values that is asked only whether it is 0 has two sorts of values. Nodes are then split by which of the intervals between such
//! constants a value is in; within an interval the value analysis goes on as it does without.

use promela::model::{BinaryOp, Expr, ExprKind, Frame, UnaryOp};
use system::arithmetic;
use system::automaton::Action;

use crate::values::flow::Flow;

/// More intervals than this are not told apart.
const MOST_CUTS: usize = 16;

/// Where each interval but the first begins, ascending; empty if the variable is compared with no constant, or with too many.
pub fn cuts(flow: &Flow<'_>, slot: u32) -> Vec<i32> {
    let mut found: Vec<i32> = Vec::new();
    for arc in flow.leaving.iter().flatten() {
        match arc.action {
            Action::Condition(expr) => {
                truth(expr, slot, &mut found);
                expr.visit(&mut |part| compared(part, slot, &mut found));
            }
            Action::Assign { value, .. } => value.visit(&mut |part| compared(part, slot, &mut found)),
            Action::Send { arguments, .. } => {
                arguments.iter().for_each(|value| value.visit(&mut |part| compared(part, slot, &mut found)));
            }
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    if found.len() > MOST_CUTS { Vec::new() } else { found }
}

/// What one part of an expression compares the variable with.
fn compared(part: &Expr, slot: u32, found: &mut Vec<i32>) {
    match &part.kind {
        ExprKind::Binary(op, left, right) if op.is_comparison() => {
            let constant = match (is_it(left, slot), is_it(right, slot)) {
                (true, false) => constant(right),
                (false, true) => constant(left),
                _ => None,
            };
            constant.into_iter().for_each(|constant| part_at(constant, found));
        }
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
            truth(left, slot, found);
            truth(right, slot, found);
        }
        ExprKind::Unary(UnaryOp::Not, inner) => truth(inner, slot, found),
        ExprKind::Conditional(condition, ..) => truth(condition, slot, found),
        _ => {}
    }
}

/// A variable as a condition is compared with 0.
fn truth(expr: &Expr, slot: u32, found: &mut Vec<i32>) {
    if is_it(expr, slot) {
        part_at(0, found);
    }
}

/// What is less, equal and more are three sorts.
fn part_at(constant: i32, found: &mut Vec<i32>) {
    found.push(constant);
    found.extend(constant.checked_add(1));
}

fn is_it(expr: &Expr, slot: u32) -> bool {
    matches!(&expr.kind, ExprKind::Read(place)
        if place.frame == Frame::Local && place.base == slot && place.indices.is_empty())
}

/// The value of an expression of constants.
fn constant(expr: &Expr) -> Option<i32> {
    match &expr.kind {
        ExprKind::Constant { value, .. } => Some(*value),
        ExprKind::Unary(op, inner) => Some(arithmetic::unary(*op, constant(inner)?)),
        ExprKind::Binary(op, left, right) => arithmetic::binary(*op, constant(left)?, constant(right)?),
        _ => None,
    }
}
