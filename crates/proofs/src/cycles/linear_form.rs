//! Expressions as sums of variables with factors, and comparisons of them.

use std::collections::BTreeMap;

use promela::model::{BinaryOp, Expr, ExprKind};

use super::variables::{Cell, cells_of};

/// A comparison of a linear expression with a number.
pub(super) struct Bound {
    /// Each variable with its factor; none is zero.
    pub terms: BTreeMap<Cell, i64>,
    pub relation: Relation,
    /// `terms <= constant`, or `terms == constant`.
    pub constant: i64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    AtMost,
    Equal,
}

/// An expression as a sum of variables with factors and a constant; `None` if it is something else.
pub(super) fn linear(expr: &Expr) -> Option<(BTreeMap<Cell, i64>, i64)> {
    let add = |a: &Expr, b: &Expr, sign: i64| {
        let (mut terms, constant) = linear(a)?;
        let (others, more) = linear(b)?;
        for (cell, factor) in others {
            *terms.entry(cell).or_default() += sign * factor;
        }
        terms.retain(|_, factor| *factor != 0);
        Some((terms, constant.checked_add(sign * more)?))
    };
    match &expr.kind {
        ExprKind::Constant { value, .. } => Some((BTreeMap::new(), i64::from(*value))),
        ExprKind::Read(place) => match cells_of(place)[..] {
            [cell] => Some((BTreeMap::from([(cell, 1)]), 0)),
            _ => None,
        },
        ExprKind::Binary(BinaryOp::Add, a, b) => add(a, b, 1),
        ExprKind::Binary(BinaryOp::Subtract, a, b) => add(a, b, -1),
        _ => None,
    }
}

/// The least and the largest value of a linear expression; `None` if a part of it may wrap.
pub(super) fn interval(expr: &Expr, values: &BTreeMap<Cell, (i64, i64)>) -> Option<(i64, i64)> {
    let (low, high) = match &expr.kind {
        ExprKind::Constant { value, .. } => (i64::from(*value), i64::from(*value)),
        ExprKind::Read(place) => match cells_of(place)[..] {
            [cell] => *values.get(&cell)?,
            _ => return None,
        },
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), a, b) => {
            let (a, b) = (interval(a, values)?, interval(b, values)?);
            if *op == BinaryOp::Add { (a.0 + b.0, a.1 + b.1) } else { (a.0 - b.1, a.1 - b.0) }
        }
        _ => return None,
    };
    (low >= i64::from(i32::MIN) && high <= i64::from(i32::MAX)).then_some((low, high))
}

/// A comparison of linear expressions that has a truth value, as a bound.
pub(super) fn comparison(expr: &Expr, truth: bool, values: &BTreeMap<Cell, (i64, i64)>) -> Option<Bound> {
    let ExprKind::Binary(op, a, b) = &expr.kind else { return None };
    interval(a, values)?;
    interval(b, values)?;
    let (left, right) = (linear(a)?, linear(b)?);
    let op = match (op, truth) {
        (op, true) => *op,
        (BinaryOp::Less, false) => BinaryOp::GreaterEqual,
        (BinaryOp::LessEqual, false) => BinaryOp::Greater,
        (BinaryOp::Greater, false) => BinaryOp::LessEqual,
        (BinaryOp::GreaterEqual, false) => BinaryOp::Less,
        (BinaryOp::NotEqual, false) => BinaryOp::Equal,
        _ => return None,
    };
    // smaller - larger <= slack
    let (smaller, larger, slack) = match op {
        BinaryOp::Less => (left, right, -1),
        BinaryOp::LessEqual | BinaryOp::Equal => (left, right, 0),
        BinaryOp::Greater => (right, left, -1),
        BinaryOp::GreaterEqual => (right, left, 0),
        _ => return None,
    };
    let mut terms = smaller.0;
    for (cell, factor) in larger.0 {
        *terms.entry(cell).or_default() -= factor;
    }
    terms.retain(|_, factor| *factor != 0);
    let relation = if op == BinaryOp::Equal { Relation::Equal } else { Relation::AtMost };
    Some(Bound { terms, relation, constant: larger.1 - smaller.1 + slack })
}
