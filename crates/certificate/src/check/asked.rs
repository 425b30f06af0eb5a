//! Whether it can be asked if a statement is executable, without an error. What one process does wrong does not keep the others from moving: who
//! cannot be asked stands still while they go on.

use super::environment::Environment;
use super::explore::Explorer;
use super::rule::Broken;
use crate::values::Values;
use promela::model::{BinaryOp, ChannelRef, Expr, ExprKind, Place, ReceiveArgument};
use system::automaton::Action;

impl<'a> Explorer<'a> {
    /// Whether the question if the action is executable always has an answer; no if that is not known.
    pub fn can_be_asked(&self, environment: &Environment<'a>, action: &Action) -> bool {
        self.answers(environment, action, false).unwrap_or(false)
    }

    fn answers(
        &self,
        environment: &Environment<'a>,
        action: &Action,
        in_d_step: bool,
    ) -> Result<bool, Broken> {
        let is_rendezvous = |channel| -> Result<bool, Broken> {
            let found = self.evaluator().resolve(environment, channel)?;
            Ok(found.iter().any(|(object, _)| self.is_rendezvous(*object)))
        };
        Ok(match action {
            Action::Skip
            | Action::Else
            | Action::End
            | Action::Assign { .. }
            | Action::Assert(_)
            | Action::Printf { .. }
            | Action::Printm(_)
            | Action::SetPriority { .. } => true,
            Action::Condition(condition) => self.has_a_value(environment, condition)?,
            Action::Send { channel, arguments, .. } => {
                self.is_there(environment, channel)?
                    && self.have_values(environment, arguments.iter())?
                    && !(in_d_step && is_rendezvous(channel)?)
            }
            Action::Receive { channel, copy, arguments, .. } => {
                self.can_be_matched(environment, channel, arguments)? && !(*copy && is_rendezvous(channel)?)
            }
            Action::DStep(body) => {
                for choice in body.nodes.first().into_iter().flat_map(|node| &node.choices) {
                    if !self.answers(environment, &choice.action, true)? {
                        return Ok(false);
                    }
                }
                true
            }
        })
    }

    fn has_a_value(&self, environment: &Environment<'a>, expr: &Expr) -> Result<bool, Broken> {
        let each = |environments: Vec<Environment<'a>>, expr: &Expr| -> Result<bool, Broken> {
            for environment in environments {
                if !self.has_a_value(&environment, expr)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let narrow = |condition: &Expr, truth| self.evaluator().narrow(environment, condition, truth);
        Ok(match &expr.kind {
            ExprKind::Constant { .. }
            | ExprKind::Pid
            | ExprKind::NumberOfProcesses
            | ExprKind::Last
            | ExprKind::NonProgress
            | ExprKind::Timeout
            | ExprKind::OwnPriority => true,
            ExprKind::Read(place) => self.is_inside(environment, place)?,
            ExprKind::Unary(_, a) | ExprKind::PcValue(a) | ExprKind::GetPriority(a) => {
                self.has_a_value(environment, a)?
            }
            ExprKind::Binary(operator @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                self.has_a_value(environment, a)? && each(narrow(a, *operator == BinaryOp::And)?, b)?
            }
            ExprKind::Binary(operator, a, b) => {
                let divides = matches!(operator, BinaryOp::Divide | BinaryOp::Remainder);
                self.has_a_value(environment, a)?
                    && self.has_a_value(environment, b)?
                    && !(divides && self.evaluator().evaluate(environment, b)?.contains(0))
            }
            ExprKind::Conditional(condition, a, b) => {
                self.has_a_value(environment, condition)?
                    && each(narrow(condition, true)?, a)?
                    && each(narrow(condition, false)?, b)?
            }
            ExprKind::Len(channel)
            | ExprKind::Empty(channel)
            | ExprKind::NotEmpty(channel)
            | ExprKind::Full(channel)
            | ExprKind::NotFull(channel) => self.is_there(environment, channel)?,
            ExprKind::Poll { channel, arguments, .. } => {
                self.can_be_matched(environment, channel, arguments)?
            }
            ExprKind::RemoteLabel { pid, .. } => self.have_values(environment, pid.as_deref().into_iter())?,
            // Asking about oneself is an error; a process may be of another type, with other slots; starting may be one too many.
            ExprKind::Enabled(_) | ExprKind::RemoteVariable { .. } | ExprKind::Run { .. } => false,
        })
    }

    fn have_values<'e>(
        &self,
        environment: &Environment<'a>,
        mut exprs: impl Iterator<Item = &'e Expr>,
    ) -> Result<bool, Broken> {
        exprs.try_fold(true, |all, expr| Ok(all && self.has_a_value(environment, expr)?))
    }

    fn can_be_matched(
        &self,
        environment: &Environment<'a>,
        channel: &ChannelRef,
        arguments: &[ReceiveArgument],
    ) -> Result<bool, Broken> {
        let matched = arguments.iter().filter_map(|argument| match argument {
            ReceiveArgument::Match(value) => Some(value),
            ReceiveArgument::Store(_) | ReceiveArgument::Discard(_) => None,
        });
        Ok(self.is_there(environment, channel)? && self.have_values(environment, matched)?)
    }

    /// Whether every index of a place is within its array.
    fn is_inside(&self, environment: &Environment<'a>, place: &Place) -> Result<bool, Broken> {
        for index in &place.indices {
            let last = i32::try_from(index.length).unwrap_or(i32::MAX).saturating_sub(1);
            let values = self.evaluator().evaluate(environment, &index.value)?;
            let inside =
                self.has_a_value(environment, &index.value)? && values.is_subset(&Values::interval(0, last));
            if !inside {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a channel is one, and not 0.
    fn is_there(&self, environment: &Environment<'a>, channel: &ChannelRef) -> Result<bool, Broken> {
        let places = self.evaluator().locate(environment, &channel.place)?;
        let mut values = places.iter().map(|(slot, part)| part.get(channel.place.frame, *slot));
        Ok(self.is_inside(environment, &channel.place)? && values.all(|values| values.integers.is_empty()))
    }
}
