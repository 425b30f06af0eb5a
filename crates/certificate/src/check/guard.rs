//! What a guard says about how much a buffer holds: `len(q) < 3`, `empty(q)`, and `else` beside them.

use super::environment::Environment;
use super::evaluate::Evaluator;
use super::rule::Broken;
use crate::claims::{ObjectId, Point};
use promela::model::{BinaryOp, ChannelRef, Expr, ExprKind, UnaryOp};
use system::automaton::{Action, Automaton, EdgeId};

/// Reads guards in one environment.
pub struct GuardReader<'e, 'a> {
    /// Evaluates what lengths are compared with.
    pub evaluator: Evaluator<'a>,
    /// What is known where the process stands.
    pub environment: &'e Environment<'a>,
    /// The buffer.
    pub object: ObjectId,
}

impl GuardReader<'_, '_> {
    /// The most that the buffer holds when the statement is executed at this point, if the statement says anything about it.
    pub fn most(&self, automaton: &Automaton, point: Point, edge: EdgeId) -> Result<Option<u64>, Broken> {
        let Point::At(location) = point else { return Ok(None) };
        match &automaton.edge(edge).action {
            Action::Condition(condition) => self.where_it_is(condition, true),
            // None of those before it is executable; what comes after it may be.
            Action::Else => {
                let mut most = None;
                let edges = &automaton.locations[location as usize].edges;
                for &other in edges.iter().take_while(|other| **other != edge) {
                    if let Action::Condition(condition) = &automaton.edge(other).action {
                        most = least(most, self.where_it_is(condition, false)?);
                    }
                }
                Ok(most)
            }
            _ => Ok(None),
        }
    }

    fn where_it_is(&self, expr: &Expr, truth: bool) -> Result<Option<u64>, Broken> {
        Ok(match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, operand) => self.where_it_is(operand, !truth)?,
            ExprKind::Binary(operator @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let (left, right) = (self.where_it_is(left, truth)?, self.where_it_is(right, truth)?);
                // `a && b` is true, or `a || b` false, only if both sides are.
                match (*operator == BinaryOp::And) == truth {
                    true => least(left, right),
                    false => left.zip(right).map(|(left, right)| left.max(right)),
                }
            }
            ExprKind::Empty(channel) if truth && self.is_the_buffer(channel)? => Some(0),
            ExprKind::NotEmpty(channel) if !truth && self.is_the_buffer(channel)? => Some(0),
            ExprKind::Binary(operator, left, right) => {
                let (operator, channel, other) = match (&left.kind, &right.kind) {
                    (ExprKind::Len(channel), _) => (*operator, channel, right),
                    (_, ExprKind::Len(channel)) => (mirrored(*operator), channel, left),
                    _ => return Ok(None),
                };
                if !self.is_the_buffer(channel)? {
                    return Ok(None);
                }
                let values = self.evaluator.evaluate(self.environment, other)?;
                let Some(hull) = values.hull().filter(|_| values.channels.is_empty()) else {
                    return Ok(None);
                };
                let most = match (operator, truth) {
                    (BinaryOp::Less, true) | (BinaryOp::GreaterEqual, false) => {
                        i64::from(hull.high).saturating_sub(1)
                    }
                    (BinaryOp::LessEqual | BinaryOp::Equal, true)
                    | (BinaryOp::Greater | BinaryOp::NotEqual, false) => i64::from(hull.high),
                    _ => return Ok(None),
                };
                Some(u64::try_from(most).unwrap_or(0))
            }
            _ => None,
        })
    }

    /// Whether the channel can be no other than the buffer.
    fn is_the_buffer(&self, channel: &ChannelRef) -> Result<bool, Broken> {
        let found = self.evaluator.resolve(self.environment, channel)?;
        Ok(found.iter().all(|(object, _)| *object == self.object))
    }
}

fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// The comparison with its sides exchanged.
pub fn mirrored(operator: BinaryOp) -> BinaryOp {
    match operator {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        other => other,
    }
}
