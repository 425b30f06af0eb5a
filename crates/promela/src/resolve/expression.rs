//! Expressions.

use super::place::PREDEFINED;
use super::{Context, Resolver};
use crate::ast::{self, ChannelQuery};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::interrupt;
use crate::model::{
    Expr, ExprKind, Frame, Index, Place, ProctypeId, ReceiveArgument, RemoteProcess, Scalar, Type, VariableId,
};
use crate::names::{NameKind, Role};
use crate::source::Span;

impl Resolver<'_> {
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Expr {
        interrupt::point();
        let span = expr.span;
        let kind = self.expr_kind(expr).unwrap_or(ExprKind::Constant { value: 0, mtype: None });
        Expr { kind, span }
    }

    /// `None` where something is wrong, which is reported.
    fn expr_kind(&mut self, expr: &ast::Expr) -> Option<ExprKind> {
        Some(match &expr.kind {
            ast::ExprKind::Number(value) => ExprKind::Constant { value: *value, mtype: None },
            ast::ExprKind::Symbol(name) => {
                self.deeds.usage.symbols.insert(name.clone());
                let (set, value, declared) = *self.symbols.get(name)?;
                self.mention(expr.span, declared, NameKind::Symbol);
                ExprKind::Constant { value, mtype: Some(set) }
            }
            ast::ExprKind::Reference(reference) => return self.read_reference(reference),
            ast::ExprKind::Timeout => {
                self.model.features.timeout = true;
                ExprKind::Timeout
            }
            ast::ExprKind::NonProgress => {
                if !matches!(self.context, Context::Claim | Context::Global) {
                    self.error(codes::MISPLACED_NP, expr.span, "`np_` can be used only in a never claim");
                }
                self.model.features.np = true;
                ExprKind::NonProgress
            }
            ast::ExprKind::Unary(op, a) => ExprKind::Unary(*op, Box::new(self.expr(a))),
            ast::ExprKind::Binary(op, a, b) => {
                ExprKind::Binary(*op, Box::new(self.expr(a)), Box::new(self.expr(b)))
            }
            ast::ExprKind::Conditional(a, b, c) => {
                ExprKind::Conditional(Box::new(self.expr(a)), Box::new(self.expr(b)), Box::new(self.expr(c)))
            }
            ast::ExprKind::Run { name, arguments, priority } => {
                return self.run(expr.span, name, arguments, *priority);
            }
            ast::ExprKind::Channel(query, channel) => {
                let channel = self.channel(channel)?;
                match query {
                    ChannelQuery::Len => ExprKind::Len(channel),
                    ChannelQuery::Empty => ExprKind::Empty(channel),
                    ChannelQuery::NotEmpty => ExprKind::NotEmpty(channel),
                    ChannelQuery::Full => ExprKind::Full(channel),
                    ChannelQuery::NotFull => ExprKind::NotFull(channel),
                }
            }
            ast::ExprKind::Poll { channel, random, arguments } => {
                self.model.features.random_receive |= random;
                let channel = self.channel(channel);
                let arguments = self.receive_arguments(arguments, true);
                ExprKind::Poll { channel: channel?, random: *random, arguments }
            }
            ast::ExprKind::Enabled(pid) => {
                self.model.features.enabled = true;
                ExprKind::Enabled(Box::new(self.expr(pid)))
            }
            ast::ExprKind::PcValue(pid) => {
                self.model.features.pc_value = true;
                ExprKind::PcValue(Box::new(self.expr(pid)))
            }
            ast::ExprKind::GetPriority(pid) => {
                self.model.features.priorities = true;
                ExprKind::GetPriority(Box::new(self.expr(pid)))
            }
            ast::ExprKind::RemoteLabel { proctype, all, pid, label } => {
                let pid = pid.as_ref().map(|p| Box::new(self.expr(p)));
                let id = self.remote_proctype(proctype)?;
                let label = self.remote_label(id, label)?;
                if *all && self.context != super::Context::Global {
                    let message = "the number of processes at a label in a statement";
                    self.report(
                        Diagnostic::error(codes::COUNT_OUTSIDE_FORMULA, expr.span, message)
                            .with_help("only formulas can ask for it"),
                    );
                    return None;
                }
                let whose = if *all { RemoteProcess::All(id) } else { RemoteProcess::Proctype(id) };
                ExprKind::RemoteLabel { proctype: whose, pid, label }
            }
            ast::ExprKind::RemoteVariable { proctype, pid, variable, index } => {
                let pid = pid.as_ref().map(|p| Box::new(self.expr(p)));
                let index = index.as_ref().map(|i| self.expr(i));
                let id = self.remote_proctype(proctype)?;
                let place = self.remote_place(id, variable, index, expr.span)?;
                ExprKind::RemoteVariable { proctype: id, pid, place }
            }
            ast::ExprKind::TemporalUnary(..) | ast::ExprKind::TemporalBinary(..) => {
                self.report(
                    Diagnostic::error(codes::TEMPORAL_IN_EXPRESSION, expr.span, "a temporal operator inside of an expression")
                        .with_help("temporal operators bind tighter than comparisons: write `[] (x == 1)`, not `[] x == 1`"),
                );
                return None;
            }
            ast::ExprKind::Error => return None,
        })
    }

    fn read_reference(&mut self, reference: &ast::Reference) -> Option<ExprKind> {
        let head = reference.head();
        if self.lookup(&head.text).is_none() && PREDEFINED.contains(&&*head.text) && reference.rest.is_empty()
        {
            return self.predefined(head);
        }
        let (place, _) = self.place(reference)?;
        self.read(&place);
        Some(ExprKind::Read(place))
    }

    fn predefined(&mut self, name: &ast::Name) -> Option<ExprKind> {
        Some(match &*name.text {
            "_pid" => ExprKind::Pid,
            "_nr_pr" => {
                self.model.features.number_of_processes = true;
                ExprKind::NumberOfProcesses
            }
            "_last" => {
                self.model.features.last = true;
                ExprKind::Last
            }
            "_priority" => {
                self.model.features.priorities = true;
                ExprKind::OwnPriority
            }
            "_" if self.context == Context::Trace => {
                // In the events of a trace `_` stands for any value; it reads the variable that nobody writes.
                ExprKind::Read(self.write_only(name.span))
            }
            _ => {
                self.error(codes::PREDEFINED_MISUSED, name.span, format!("`{}` has no value", name.text));
                return None;
            }
        })
    }

    fn run(
        &mut self,
        span: Span,
        name: &ast::Name,
        arguments: &[ast::Expr],
        priority: Option<i32>,
    ) -> Option<ExprKind> {
        if !matches!(self.context, Context::Proctype(_)) {
            self.error(codes::MISPLACED_RUN, span, "`run` can be used only in a proctype");
        }
        if priority.is_some() {
            self.model.features.priorities = true;
        }
        let arguments = self.arguments(arguments);
        if arguments.iter().any(Expr::contains_run) {
            self.error(codes::MISPLACED_RUN, span, "`run` cannot be used in the arguments of `run`");
        }
        let Some(&proctype) = self.proctypes.get(&name.text) else {
            let mut diagnostic = Diagnostic::error(
                codes::UNDECLARED,
                name.span,
                format!("there is no proctype `{}`", name.text),
            );
            if let Some(similar) = self.similar(&name.text, self.proctypes.keys().map(|name| &**name)) {
                diagnostic = diagnostic.with_suggestion(similar);
            }
            self.report(diagnostic);
            return None;
        };
        self.deeds.usage.run.insert(proctype);
        self.mention(name.span, self.headers[proctype.0 as usize].span, NameKind::Proctype);
        Some(ExprKind::Run { proctype, arguments, priority })
    }

    /// Arguments in a list: a struct stands for its fields.
    pub(super) fn arguments(&mut self, arguments: &[ast::Expr]) -> Vec<Expr> {
        let mut flat = Vec::with_capacity(arguments.len());
        for argument in arguments {
            if let ast::ExprKind::Reference(reference) = &argument.kind
                && self.lookup(&reference.head().text).is_some()
            {
                let Some(places) = self.places(reference) else {
                    flat.push(self.nowhere(argument.span));
                    continue;
                };
                for place in places {
                    self.read(&place);
                    flat.push(Expr { kind: ExprKind::Read(place), span: argument.span });
                }
            } else {
                flat.push(self.expr(argument));
            }
        }
        flat
    }

    pub(super) fn receive_arguments(
        &mut self,
        arguments: &[ast::ReceiveArgument],
        poll: bool,
    ) -> Vec<ReceiveArgument> {
        let mut flat = Vec::with_capacity(arguments.len());
        for argument in arguments {
            match argument {
                ast::ReceiveArgument::Eval(expr) | ast::ReceiveArgument::Constant(expr) => {
                    let value = self.expr(expr);
                    if value.contains_run() {
                        self.error(codes::MISPLACED_RUN, expr.span, "`run` cannot be used in a receive");
                    }
                    flat.push(ReceiveArgument::Match(value));
                }
                ast::ReceiveArgument::Reference(reference) => {
                    let head = reference.head();
                    if &*head.text == "_" && reference.rest.is_empty() {
                        flat.push(ReceiveArgument::Discard(reference.span));
                        continue;
                    }
                    let Some(places) = self.places(reference) else {
                        flat.push(ReceiveArgument::Discard(reference.span));
                        continue;
                    };
                    for place in places {
                        if poll {
                            self.read(&place);
                        } else {
                            self.assigned(&place);
                            self.done_with(reference, Role::Written);
                        }
                        flat.push(ReceiveArgument::Store(place));
                    }
                }
            }
        }
        flat
    }

    fn remote_proctype(&mut self, name: &ast::Name) -> Option<ProctypeId> {
        // The parser knows the name as a proctype; it is missing only if its declaration was in error.
        let id = self.proctypes.get(&name.text).copied();
        self.deeds.looked_into.extend(id);
        self.unrepeatable |= id.is_none();
        if id.is_none() && self.diagnostics.is_empty() {
            self.error(codes::UNDECLARED, name.span, format!("there is no proctype `{}`", name.text));
        }
        if let Some(id) = id {
            self.mention(name.span, self.headers[id.0 as usize].span, NameKind::Proctype);
        }
        id
    }

    fn remote_label(&mut self, proctype: ProctypeId, label: &ast::Name) -> Option<String> {
        let header = &self.headers[proctype.0 as usize];
        let Some((unique, declared)) = header.labels.get(&label.text) else {
            let mut diagnostic = Diagnostic::error(
                codes::NO_SUCH_LABEL,
                label.span,
                format!("there is no label `{}` in this proctype", label.text),
            )
            .with_related(header.span, "declared here");
            if let Some(similar) = self.similar(&label.text, header.labels.keys().map(|name| &**name)) {
                diagnostic = diagnostic.with_suggestion(similar);
            }
            self.report(diagnostic);
            return None;
        };
        let (unique, declared) = (unique.clone(), *declared);
        self.mention(label.span, declared, NameKind::Label);
        Some(unique.to_string())
    }

    fn remote_place(
        &mut self,
        proctype: ProctypeId,
        name: &ast::Name,
        index: Option<Expr>,
        span: Span,
    ) -> Option<Place> {
        let own = self.context == Context::Proctype(proctype);
        let locals = if own {
            &self.frame.variables
        } else {
            self.model.proctypes.get(proctype.0 as usize).map_or(&[][..], |p| &p.locals)
        };
        let found = locals.iter().enumerate().find(|(_, v)| *v.name == *name.text && v.block.is_empty());
        let Some((id, variable)) = found else {
            let message = format!("there is no variable `{}` in this proctype", name.text);
            let mut diagnostic = Diagnostic::error(codes::UNDECLARED, name.span, message);
            if let Some(similar) = self.similar(&name.text, locals.iter().map(|v| v.name.as_str())) {
                diagnostic = diagnostic.with_suggestion(similar);
            }
            self.report(diagnostic);
            return None;
        };
        let id = VariableId(id as u32);
        let (ty, length, base, declared) = (variable.ty, variable.length, variable.slot, variable.span);
        self.mention(name.span, declared, NameKind::Variable);
        if let Some(frame) = self.proctype_frames.get(proctype.0 as usize) {
            self.deeds.usage.read.insert((*frame, id));
        }
        let Type::Scalar(scalar) = ty else {
            self.error(codes::REMOTE_STRUCT, span, "a remote reference cannot name a struct");
            return None;
        };
        let indices = match (index, length) {
            (Some(value), Some(length)) => vec![Index { value, length, stride: 1 }],
            (None, Some(_)) => {
                self.error(
                    codes::MISSING_INDEX,
                    name.span,
                    format!("the array `{}` needs an index", name.text),
                );
                return None;
            }
            (Some(value), None) => {
                self.error(codes::NOT_AN_ARRAY, value.span, format!("`{}` is not an array", name.text));
                Vec::new()
            }
            (None, None) => Vec::new(),
        };
        let scalar: Scalar = if length.is_some() { scalar.in_array() } else { scalar };
        Some(Place { frame: Frame::Local, variable: id, base, indices, scalar, span })
    }
}
