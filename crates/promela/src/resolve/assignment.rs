//! What SPIN forbids in assignments: arithmetic on channels, symbolic names of another set, an index that is the array
//! itself; and where processes claim channels for themselves.

use super::known::Effect;
use super::{Context, Resolver};
use crate::ast;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::model::{Expr, ExprKind, Frame, MtypeSetId, Place, Scalar, Type, Variable, VariableId};
use crate::source::Span;

impl Resolver<'_> {
    pub(super) fn check_assignment(&mut self, place: &Place, value: &Expr, target: &ast::Reference) {
        self.check_own_index(place, target.span);
        let Type::Scalar(_) = self.variable(place).ty else { return };
        if place.scalar == Scalar::Chan && matches!(value.kind, ExprKind::Constant { .. }) {
            self.error(codes::CHANNEL_ARITHMETIC, value.span, "a number cannot be assigned to a channel");
        }
        self.check_channel_use(value, false);
        if let ExprKind::Constant { mtype: Some(set), value: number } = value.kind {
            self.check_symbol(place, set, number, value.span);
        }
    }

    /// SPIN remembers of which set the first symbolic name was that a variable without a set was given.
    fn check_symbol(&mut self, place: &Place, set: MtypeSetId, number: i32, span: Span) {
        let key = (self.frame_id(place.frame), place.variable);
        let declared = match place.scalar {
            Scalar::Mtype(set) if set != MtypeSetId(0) => Some(set),
            _ => None,
        };
        let expected = declared.or_else(|| self.symbol_sets.get(&key).copied());
        match expected {
            None if place.frame == Frame::Global => {
                self.affect(Effect::SymbolSet(place.variable, set));
            }
            None => {
                self.symbol_sets.insert(key, set);
            }
            Some(expected) if expected != set => {
                let name = crate::print::value_text(&self.model, Some(set), number);
                let message = format!(
                    "`{name}` is an {}, but the variable holds an {}",
                    self.set_text(set),
                    self.set_text(expected)
                );
                self.error(codes::WRONG_MTYPE, span, message);
            }
            Some(_) => {}
        }
    }

    pub(super) fn check_initial_symbol(&mut self, scalar: Scalar, value: &Expr) {
        if let (Scalar::Mtype(declared), ExprKind::Constant { mtype: Some(set), value: number }) =
            (scalar, &value.kind)
            && declared != MtypeSetId(0)
            && declared != *set
        {
            let name = crate::print::value_text(&self.model, Some(*set), *number);
            let message = format!(
                "`{name}` is an {}, but the variable holds an {}",
                self.set_text(*set),
                self.set_text(declared)
            );
            self.error(codes::WRONG_MTYPE, value.span, message);
        }
    }

    fn set_text(&self, set: MtypeSetId) -> String {
        match &self.model.mtype_sets[set.0 as usize].name {
            Some(name) => format!("`mtype:{name}`"),
            None => "unnamed `mtype`".into(),
        }
    }

    /// A channel may be assigned, but not be part of a larger expression.
    fn check_channel_use(&mut self, value: &Expr, inside: bool) {
        match &value.kind {
            ExprKind::Read(place) if inside && self.is_plain_channel(place) => {
                self.error(
                    codes::CHANNEL_ARITHMETIC,
                    value.span,
                    "a channel cannot be part of a larger expression in an assignment",
                );
            }
            ExprKind::Unary(_, a) => self.check_channel_use(a, true),
            ExprKind::Binary(_, a, b) => {
                self.check_channel_use(a, true);
                self.check_channel_use(b, true);
            }
            ExprKind::Conditional(a, b, c) => {
                self.check_channel_use(a, true);
                self.check_channel_use(b, true);
                self.check_channel_use(c, true);
            }
            _ => {}
        }
    }

    fn is_plain_channel(&self, place: &Place) -> bool {
        place.scalar == Scalar::Chan && matches!(self.variable(place).ty, Type::Scalar(_))
    }

    /// `a[a[1]] = 2` is what SPIN cannot undo.
    fn check_own_index(&mut self, place: &Place, span: Span) {
        let mut own = false;
        place.visit_indices(&mut |e| {
            if let ExprKind::Read(inner) = &e.kind {
                own |= inner.frame == place.frame
                    && inner.variable == place.variable
                    && inner.base == place.base
                    && !inner.indices.is_empty();
            }
        });
        if own {
            self.report(
                Diagnostic::error(
                    codes::OWN_INDEX,
                    span,
                    "an element whose index is another element of the same array cannot be assigned",
                )
                .with_help("put the index into a variable first"),
            );
        }
    }

    pub(super) fn variable(&self, place: &Place) -> &Variable {
        match place.frame {
            Frame::Global => &self.model.globals[place.variable.0 as usize],
            Frame::Local => &self.frame.variables[place.variable.0 as usize],
        }
    }

    /// The variable `_`, which can be written and never read: made when it is first needed.
    pub(super) fn write_only(&mut self, span: Span) -> Place {
        let known = self.model.globals.iter().position(|v| v.name == "_");
        let index = known.unwrap_or_else(|| {
            self.affect(Effect::WriteOnly(span));
            self.model.globals.len() - 1
        });
        let base = self.model.globals[index].slot;
        let variable = VariableId(index as u32);
        Place { frame: Frame::Global, variable, base, indices: Vec::new(), scalar: Scalar::Int, span }
    }

    /// In a `d_step` SPIN allows neither `run` nor references to other processes in conditions and assertions.
    pub(super) fn check_d_step(&mut self, expr: &Expr) {
        if self.d_steps == 0 {
            return;
        }
        let (mut runs, mut remote, mut timeouts) = (false, false, false);
        expr.visit(&mut |e| {
            runs |= matches!(e.kind, ExprKind::Run { .. });
            remote |= matches!(e.kind, ExprKind::RemoteLabel { .. } | ExprKind::RemoteVariable { .. });
            timeouts |= matches!(e.kind, ExprKind::Timeout);
        });
        if runs {
            self.error(codes::RESTRICTED_IN_D_STEP, expr.span, "`run` cannot be used in a `d_step`");
        }
        if remote {
            self.error(
                codes::RESTRICTED_IN_D_STEP,
                expr.span,
                "a reference to another process cannot be used in a `d_step`",
            );
        }
        if timeouts {
            self.report(Diagnostic::warning(codes::TIMEOUT_IN_D_STEP, expr.span, "`timeout` in a `d_step`"));
        }
    }

    /// Only one proctype can have a channel for itself.
    pub(super) fn exclusive_claim(&mut self, receive: bool, channel: &Place, span: Span) {
        let Context::Proctype(own) = self.context else { return };
        if channel.frame != Frame::Global {
            return;
        }
        match self.exclusive_claims.get(&(channel.variable, receive)) {
            Some((other, first)) if *other != own => {
                let first = *first;
                self.report(
                    Diagnostic::error(
                        codes::MISPLACED_EXCLUSIVE,
                        span,
                        "another proctype claims this channel for itself",
                    )
                    .with_related(first, "here"),
                );
            }
            _ => {
                self.affect(Effect::Exclusive(channel.variable, receive, own, span));
            }
        }
    }

    /// A `provided` clause sees globals, `_pid` and `_priority`.
    pub(super) fn check_provided(&mut self, expr: &Expr) {
        let mut wrong = false;
        expr.visit(&mut |e| {
            wrong |= match &e.kind {
                ExprKind::Read(place) => place.frame == Frame::Local,
                ExprKind::Len(c)
                | ExprKind::Empty(c)
                | ExprKind::NotEmpty(c)
                | ExprKind::Full(c)
                | ExprKind::NotFull(c) => c.place.frame == Frame::Local,
                ExprKind::Run { .. } | ExprKind::RemoteLabel { .. } | ExprKind::RemoteVariable { .. } => true,
                _ => false,
            };
        });
        if wrong {
            self.error(
                codes::BAD_PROVIDED,
                expr.span,
                "a `provided` clause can use only global variables, `_pid` and `_priority`",
            );
        }
    }
}
