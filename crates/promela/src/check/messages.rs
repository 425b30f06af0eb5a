//! Messages against the channel that they are for, where its declaration is known.

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::interrupt;
use crate::model::{
    ChannelRef, ChannelType, Expr, ExprKind, MessageField, MtypeSet, MtypeSetId, ReceiveArgument, Scalar,
    Sequence, StatementKind,
};
use crate::source::Span;

/// Says which messages of a proctype's body do not fit.
pub(crate) fn check(
    body: &Sequence,
    channel_types: &[ChannelType],
    mtype_sets: &[MtypeSet],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut checking = Checking { channel_types, mtype_sets, diagnostics };
    body.visit(&mut |statement| checking.statement(&statement.kind));
}

struct Checking<'a> {
    channel_types: &'a [ChannelType],
    mtype_sets: &'a [MtypeSet],
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Checking<'a> {
    fn statement(&mut self, kind: &StatementKind) {
        interrupt::point();
        match kind {
            StatementKind::Send { channel, arguments, .. } => {
                for (field, argument) in self.fields(channel).iter().zip(arguments) {
                    self.value(field, argument);
                }
            }
            StatementKind::Receive { channel, arguments, .. } => {
                for (field, argument) in self.fields(channel).iter().zip(arguments) {
                    match argument {
                        ReceiveArgument::Match(value) => self.value(field, value),
                        ReceiveArgument::Store(place) => {
                            self.channel_or_not(field.scalar, place.scalar, place.span);
                            if let (Scalar::Mtype(wanted), Scalar::Mtype(given)) =
                                (place.scalar, field.scalar)
                            {
                                self.same_set(wanted, given, place.span);
                            }
                        }
                        ReceiveArgument::Discard(_) => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn fields(&self, channel: &ChannelRef) -> &'a [MessageField] {
        channel.declared.map_or(&[], |id| &self.channel_types[id.0 as usize].fields)
    }

    fn value(&mut self, field: &MessageField, value: &Expr) {
        match &value.kind {
            ExprKind::Read(place) => {
                self.channel_or_not(field.scalar, place.scalar, value.span);
                if let (Scalar::Mtype(wanted), Scalar::Mtype(given)) = (field.scalar, place.scalar) {
                    self.same_set(wanted, given, value.span);
                }
            }
            ExprKind::Constant { value: number, mtype } => {
                if let (Scalar::Mtype(wanted), Some(given)) = (field.scalar, mtype) {
                    self.same_set(wanted, *given, value.span);
                }
                let stored = field.scalar.truncate(*number);
                if stored != *number {
                    let (least, most) = field.scalar.range();
                    let message = format!(
                        "{number} does not fit into the message field ({least} to {most}): it becomes {stored}"
                    );
                    self.diagnostics.push(Diagnostic::warning(
                        codes::VALUE_OUT_OF_RANGE,
                        value.span,
                        message,
                    ));
                }
            }
            _ => {}
        }
    }

    fn channel_or_not(&mut self, field: Scalar, argument: Scalar, span: Span) {
        let message = match (field == Scalar::Chan, argument == Scalar::Chan) {
            (true, false) => "this message field is a channel, but the variable is not",
            (false, true) => "this variable is a channel, but the message field is not",
            _ => return,
        };
        self.diagnostics.push(Diagnostic::warning(codes::CHANNEL_MISMATCH, span, message));
    }

    fn same_set(&mut self, wanted: MtypeSetId, given: MtypeSetId, span: Span) {
        if wanted == given {
            return;
        }
        let name = |set: MtypeSetId| match &self.mtype_sets[set.0 as usize].name {
            Some(name) => format!("`mtype:{name}`"),
            None => "unnamed `mtype`".to_string(),
        };
        let message = format!("this is an {}, but an {} is expected", name(given), name(wanted));
        self.diagnostics.push(Diagnostic::warning(codes::MTYPE_MISMATCH, span, message));
    }
}
