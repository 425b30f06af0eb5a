//! What can be settled only when the whole model is known: channel types behind variables, numbers of arguments.

use super::declaration::constant;
use super::known::Part;
use super::{FrameId, Known, Resolver};
use crate::check;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::hash::HashSet;
use crate::interrupt;
use crate::model::{
    ChannelRef, ChannelType, Expr, ExprKind, Frame, Proctype, ReceiveArgument, Scalar, Statement,
    StatementKind, Variable, VariableId,
};
use crate::parse::counted;
use crate::source::Span;
use crate::walk::{Change, change_expr, change_formula, change_initializer, change_sequence};

/// Claims and traces have no channel variables of their own whose declaration could be known.
const WITHOUT_CHANNELS: FrameId = FrameId(u32::MAX);

impl Resolver<'_> {
    /// Goes through everything that is not known from the last time, and says what is odd in it.
    pub(super) fn finish(&mut self, known: &Known) {
        let model = &mut self.model;
        let parameters: Vec<Vec<Scalar>> = model
            .proctypes
            .iter()
            .map(|p| flat_parameters(&p.locals[..p.parameters as usize], &model.typedefs))
            .collect();
        let spans: Vec<Span> = model.proctypes.iter().map(|p| p.span).collect();
        let mut finishing = Finishing {
            frame: FrameId::GLOBAL,
            in_trace: false,
            assigned: &self.assigned_channels,
            channel_types: &model.channel_types,
            parameters: &parameters,
            spans: &spans,
            diagnostics: &mut self.diagnostics,
        };
        for variable in &mut model.globals {
            change_initializer(&mut variable.init, &mut finishing);
        }
        for body in &mut self.bodies {
            let said = finishing.diagnostics.len();
            match body.part {
                _ if body.was_known() => finishing.diagnostics.extend_from_slice(known.finished(body.unit)),
                Part::Proctype(index) => {
                    let proctype = &mut model.proctypes[index];
                    finishing.frame = self.proctype_frames[index];
                    finishing.proctype(proctype);
                    check::flow(&proctype.body, finishing.diagnostics);
                    check::messages(
                        &proctype.body,
                        &model.channel_types,
                        &model.mtype_sets,
                        finishing.diagnostics,
                    );
                }
                Part::Claim(index) => {
                    finishing.frame = WITHOUT_CHANNELS;
                    change_sequence(&mut model.claims[index].body, &mut finishing);
                    check::flow(&model.claims[index].body, finishing.diagnostics);
                }
                Part::Trace => {
                    finishing.frame = WITHOUT_CHANNELS;
                    finishing.in_trace = true;
                    let trace = model.event_trace.iter_mut();
                    trace.for_each(|trace| change_sequence(&mut trace.body, &mut finishing));
                    finishing.in_trace = false;
                }
            }
            body.finished = said..finishing.diagnostics.len();
        }
        finishing.frame = WITHOUT_CHANNELS;
        for formula in &mut model.formulas {
            change_formula(&mut formula.formula, &mut finishing);
        }
    }
}

fn flat_parameters(parameters: &[Variable], typedefs: &[crate::model::Typedef]) -> Vec<Scalar> {
    let mut flat = Vec::new();
    for parameter in parameters {
        flatten(parameter.ty, 1, typedefs, &mut flat);
    }
    flat
}

fn flatten(ty: crate::model::Type, count: u32, typedefs: &[crate::model::Typedef], flat: &mut Vec<Scalar>) {
    for _ in 0..count {
        match ty {
            crate::model::Type::Scalar(scalar) => flat.push(scalar),
            crate::model::Type::Struct(id) => {
                for field in &typedefs[id.0 as usize].fields {
                    flatten(field.ty, field.length.unwrap_or(1), typedefs, flat);
                }
            }
        }
    }
}

struct Finishing<'a> {
    frame: FrameId,
    /// Statements are events that others cause.
    in_trace: bool,
    assigned: &'a HashSet<(FrameId, VariableId)>,
    channel_types: &'a [ChannelType],
    /// The scalars of each proctype's parameters.
    parameters: &'a [Vec<Scalar>],
    spans: &'a [Span],
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Finishing<'_> {
    fn proctype(&mut self, proctype: &mut Proctype) {
        for variable in &mut proctype.locals {
            change_initializer(&mut variable.init, self);
        }
        for exclusive in &mut proctype.exclusive {
            for index in &mut exclusive.channel.indices {
                change_expr(&mut index.value, self);
            }
        }
        if let Some(provided) = &mut proctype.provided {
            change_expr(provided, self);
        }
        change_sequence(&mut proctype.body, self);
    }

    /// Compares a message with what its channel carries. A send, and a receive that takes the message, must name every field: it
    /// is an error when it is executed, so nothing is changed here. What only looks may name the first fields.
    fn fit<T>(
        &mut self,
        channel: &ChannelRef,
        arguments: &mut Vec<T>,
        action: &str,
        span: Span,
        missing: Option<fn(Span) -> T>,
    ) {
        let Some(id) = channel.declared else { return };
        let ty = &self.channel_types[id.0 as usize];
        let (given, wanted) = (arguments.len(), ty.fields.len());
        if given == wanted {
            return;
        }
        let message = format!(
            "{action} {} on a channel whose messages have {}",
            counted(given, "value"),
            counted(wanted, "field")
        );
        let most = self.channel_types.iter().map(|t| t.fields.len()).max().unwrap_or(0);
        if action == "send of" && given > most {
            self.diagnostics.push(
                Diagnostic::error(codes::TOO_MANY_FIELDS, span, message).with_related(ty.span, "the channel"),
            );
            arguments.truncate(wanted);
            return;
        }
        let effect = match missing {
            Some(_) if given < wanted => "the other fields are not looked at",
            _ => "executing this is an error",
        };
        self.diagnostics.push(
            Diagnostic::warning(codes::MESSAGE_ARITY, span, message)
                .with_related(ty.span, "the channel")
                .with_label(effect),
        );
        if let Some(missing) = missing {
            arguments.extend((given..wanted).map(|_| missing(span)));
        }
    }
}

impl Change for Finishing<'_> {
    fn channel(&mut self, channel: &mut ChannelRef) {
        let frame = match channel.place.frame {
            Frame::Global => FrameId::GLOBAL,
            Frame::Local => self.frame,
        };
        if self.assigned.contains(&(frame, channel.place.variable)) {
            channel.declared = None;
        }
    }

    fn statement(&mut self, statement: &mut Statement) {
        interrupt::point();
        let span = statement.span;
        match &mut statement.kind {
            StatementKind::Send { channel, arguments, .. } => {
                let missing = self.in_trace.then_some((|span| constant(0, span)) as fn(Span) -> Expr);
                self.fit(channel, arguments, "send of", span, missing);
            }
            StatementKind::Receive { channel, copy, arguments, .. } => {
                let looks = *copy || self.in_trace;
                let missing = looks.then_some(ReceiveArgument::Discard as fn(Span) -> ReceiveArgument);
                self.fit(channel, arguments, "receive of", span, missing);
            }
            _ => {}
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        let span = expr.span;
        match &mut expr.kind {
            ExprKind::Poll { channel, arguments, .. } => {
                self.fit(channel, arguments, "receive of", span, Some(ReceiveArgument::Discard));
            }
            ExprKind::Run { proctype, arguments, .. } => {
                let parameters = &self.parameters[proctype.0 as usize];
                if arguments.len() != parameters.len() {
                    let message = format!(
                        "this proctype takes {}, but {} given",
                        counted(parameters.len(), "argument"),
                        if arguments.len() == 1 { "1 is".into() } else { format!("{} are", arguments.len()) }
                    );
                    self.diagnostics.push(
                        Diagnostic::error(codes::RUN_ARGUMENTS, span, message)
                            .with_related(self.spans[proctype.0 as usize], "declared here"),
                    );
                    arguments.truncate(parameters.len());
                    while arguments.len() < parameters.len() {
                        arguments.push(constant(0, span));
                    }
                }
            }
            _ => {}
        }
    }
}
