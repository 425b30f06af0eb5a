//! Statements; `for` and `select` become the loops that SPIN makes of them, element by element.

use super::declaration::constant;
use super::place::{PREDEFINED, Target};
use super::{Context, Resolver};
use crate::ast::{self, ForRange, SelectForm};
use crate::diagnostic::Diagnostic;
use crate::model::{
    BinaryOp, ChannelRef, ExclusiveUse, Expr, ExprKind, Frame, Initializer, Place, ReceiveArgument, Scalar,
    Sequence, Statement, StatementKind, StatementLabel, Type, Variable, Visibility,
};
use crate::source::Span;
use crate::suggest;
use std::rc::Rc;

/// Channels with more places than this need a wider counter in SPIN's `for`.
const LARGEST_BYTE: u32 = 255;

impl<'a> Resolver<'a> {
    /// Resolves a statement. Assignments that SPIN makes before it go into `out` first.
    pub(super) fn statement(&mut self, statement: &'a ast::Statement, out: &mut Vec<Statement>) {
        if let Some(resolved) = self.one_statement(statement, out) {
            out.push(resolved);
        }
    }

    fn one_statement(
        &mut self,
        statement: &'a ast::Statement,
        out: &mut Vec<Statement>,
    ) -> Option<Statement> {
        let span = statement.span;
        let mut labels: Vec<StatementLabel> = statement
            .labels
            .iter()
            .map(|l| StatementLabel { name: l.unique.to_string(), span: l.name.span })
            .collect();
        self.trace_allows(statement);
        let kind = match &statement.kind {
            ast::StatementKind::Declaration(declaration) => {
                self.local_declaration(declaration, out);
                return None;
            }
            ast::StatementKind::Exclusive { receive, channels } => {
                self.exclusive(*receive, channels);
                return None;
            }
            ast::StatementKind::Condition(expr) => {
                let expr = self.expr(expr);
                self.count_runs(&expr);
                StatementKind::Condition(expr)
            }
            ast::StatementKind::Assign { target, value } => self.assignment(target, value),
            ast::StatementKind::Step { target, increment } => self.step(target, *increment, span),
            ast::StatementKind::Send { channel, sorted, arguments } => {
                self.model.features.sorted_send |= sorted;
                self.no_claim_io(span);
                let channel = self.channel(channel);
                let arguments = self.arguments(arguments);
                for argument in &arguments {
                    if argument.contains_run() {
                        self.error("E0202", argument.span, "`run` cannot be used in a send");
                    }
                }
                match channel {
                    Some(channel) => {
                        let frame = self.frame_id(channel.place.frame);
                        self.usage.sent_to.insert((frame, channel.place.variable));
                        StatementKind::Send { channel, sorted: *sorted, arguments }
                    }
                    None => nothing(span),
                }
            }
            ast::StatementKind::Receive { channel, random, copy, arguments } => {
                self.model.features.random_receive |= random;
                self.no_claim_io(span);
                let channel = self.channel(channel);
                let arguments = self.receive_arguments(arguments, false);
                match channel {
                    Some(channel) => {
                        let frame = self.frame_id(channel.place.frame);
                        self.usage.received_from.insert((frame, channel.place.variable));
                        StatementKind::Receive { channel, random: *random, copy: *copy, arguments }
                    }
                    None => nothing(span),
                }
            }
            ast::StatementKind::Assert(expr) => StatementKind::Assert(self.expr(expr)),
            ast::StatementKind::Printf { format, arguments } => {
                let arguments = arguments.iter().map(|a| self.expr(a)).collect();
                StatementKind::Printf { format: format.to_string(), arguments }
            }
            ast::StatementKind::Printm(expr) => StatementKind::Printm(self.expr(expr)),
            ast::StatementKind::SetPriority { pid, priority } => {
                self.model.features.priorities = true;
                StatementKind::SetPriority { pid: self.expr(pid), priority: self.expr(priority) }
            }
            ast::StatementKind::Else => StatementKind::Else,
            ast::StatementKind::Goto { label, scope } => self.goto(label, scope),
            ast::StatementKind::Break => {
                if self.loops == 0 {
                    self.error("E0115", span, "`break` outside of a loop");
                }
                StatementKind::Break
            }
            ast::StatementKind::If(options) => StatementKind::If(self.options(options)),
            ast::StatementKind::Do(options) => {
                self.loops += 1;
                let options = self.options(options);
                self.loops -= 1;
                StatementKind::Do(options)
            }
            ast::StatementKind::Atomic(block) => StatementKind::Atomic(self.block(block)),
            ast::StatementKind::DStep(block) => {
                // A `break` inside a d_step can leave only a loop inside it.
                let loops = std::mem::take(&mut self.loops);
                self.d_steps += 1;
                let block = self.block(block);
                self.d_steps -= 1;
                self.loops = loops;
                StatementKind::DStep(block)
            }
            ast::StatementKind::Block(block) => StatementKind::Block(self.block(block)),
            ast::StatementKind::For { variable, range, body, scope } => {
                self.for_loop(variable, range, body, scope, span, out)?
            }
            ast::StatementKind::Select { variable, from, to, form } => {
                self.select(variable, from, to, *form, span, &mut labels, out)?
            }
            ast::StatementKind::Unless { main, escape } => {
                let main = self.one_statement(main, out);
                let escape = self.one_statement(escape, out);
                match (main, escape) {
                    (Some(main), Some(escape)) => {
                        StatementKind::Unless { main: Box::new(main), escape: Box::new(escape) }
                    }
                    _ => nothing(span),
                }
            }
            ast::StatementKind::Error => nothing(span),
        };
        Some(Statement { labels, kind, span })
    }

    fn block(&mut self, block: &'a ast::Sequence) -> Sequence {
        self.enter_block();
        let mut statements = Vec::new();
        for statement in block {
            self.statement(statement, &mut statements);
        }
        self.leave_block();
        Sequence { statements }
    }

    fn enter_block(&mut self) {
        let level = self.frame.block.len();
        if self.frame.block_counts.len() <= level {
            self.frame.block_counts.push(0);
        }
        self.frame.block_counts[level] += 1;
        self.frame.block.push(self.frame.block_counts[level]);
        self.frame.scopes.push(Default::default());
    }

    fn leave_block(&mut self) {
        self.frame.block.pop();
        self.frame.scopes.pop();
    }

    /// Options open no scope in SPIN: only braces do.
    fn options(&mut self, options: &'a [ast::Sequence]) -> Vec<Sequence> {
        let mut resolved = Vec::new();
        for option in options {
            let mut statements = Vec::new();
            for statement in option {
                self.statement(statement, &mut statements);
            }
            resolved.push(Sequence { statements });
        }
        resolved
    }

    fn assignment(&mut self, target: &ast::Reference, value: &ast::Expr) -> StatementKind {
        let value = self.expr(value);
        self.count_runs(&value);
        if &*target.head().text == "_priority" && target.parts.len() == 1 {
            self.model.features.priorities = true;
            let pid = Expr { kind: ExprKind::Pid, span: target.span };
            return StatementKind::SetPriority { pid, priority: value };
        }
        match self.written_place(target) {
            Some(place) => {
                self.check_range(&value, place.scalar, &target.parts[target.parts.len() - 1].name.text);
                StatementKind::Assign { place, value }
            }
            None => nothing(target.span),
        }
    }

    fn step(&mut self, target: &ast::Reference, increment: bool, span: Span) -> StatementKind {
        let Some(place) = self.written_place(target) else { return nothing(span) };
        if place.scalar == Scalar::Chan {
            self.error("E0212", span, "arithmetic on a channel");
        }
        increment_by_one(place, increment, span)
    }

    fn written_place(&mut self, target: &ast::Reference) -> Option<Place> {
        let head = target.head();
        if self.lookup(&head.text).is_none() && PREDEFINED.contains(&&*head.text) {
            self.error("E0106", head.span, format!("`{}` is predefined and cannot be assigned", head.text));
            return None;
        }
        let (place, _) = self.place(target)?;
        self.assigned(&place);
        Some(place)
    }

    fn goto(&mut self, label: &ast::Name, scope: &ast::ScopePath) -> StatementKind {
        let Some(unique) = self.label_for(label, scope) else {
            let mut diagnostic =
                Diagnostic::error("E0113", label.span, format!("there is no label `{}`", label.text));
            if let Some(similar) = suggest::closest(&label.text, self.labels.iter().map(|l| &*l.name.text)) {
                diagnostic = diagnostic.with_help(format!("did you mean `{similar}`?"));
            }
            self.report(diagnostic);
            return nothing(label.span);
        };
        self.usage.labels.insert((self.frame.id, unique.clone()));
        StatementKind::Goto { label: unique.to_string(), label_span: label.span }
    }

    /// As SPIN chooses: a label of the same block, else the first of an enclosing one, else the last anywhere.
    fn label_for(&self, label: &ast::Name, scope: &ast::ScopePath) -> Option<Rc<str>> {
        let named = || self.labels.iter().filter(|l| l.name.text == label.text);
        named()
            .rev()
            .find(|l| l.scope == *scope)
            .or_else(|| named().find(|l| scope.starts_with(&l.scope)))
            .or_else(|| named().next_back())
            .map(|l| l.unique.clone())
    }

    fn exclusive(&mut self, receive: bool, channels: &[ast::Reference]) {
        self.model.features.exclusive_channels = true;
        if !matches!(self.context, Context::Proctype(_)) {
            let span = channels.first().map_or(Span::default(), |c| c.span);
            self.error("E0204", span, "`xr` and `xs` can be used only in a proctype");
        }
        for reference in channels {
            let Some((channel, _)) = self.place(reference) else { continue };
            if channel.scalar != Scalar::Chan {
                let name = &reference.parts[reference.parts.len() - 1].name.text;
                self.error("E0204", reference.span, format!("`{name}` is not a channel"));
                continue;
            }
            self.frame.exclusive.push(ExclusiveUse { receive, channel });
        }
    }

    /// SPIN allows one `run` in an expression and nothing beside it that could make it not executable.
    fn count_runs(&mut self, expr: &Expr) {
        let mut runs = 0;
        expr.visit(&mut |e| runs += u32::from(matches!(e.kind, ExprKind::Run { .. })));
        if runs > 1 {
            self.error("E0202", expr.span, "at most one `run` can be used in an expression");
        } else if runs == 1 && matches!(expr.kind, ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..)) {
            self.error("E0202", expr.span, "`run` cannot be used below `&&` or `||`");
        }
    }

    fn no_claim_io(&mut self, span: Span) {
        if self.context == Context::Claim {
            self.error("E0205", span, "a never claim cannot send or receive");
        }
    }

    /// A trace has only sends, receives and control.
    fn trace_allows(&mut self, statement: &ast::Statement) {
        if self.context != Context::Trace {
            return;
        }
        let event = matches!(
            statement.kind,
            ast::StatementKind::Send { sorted: false, .. }
                | ast::StatementKind::Receive { random: false, copy: false, .. }
                | ast::StatementKind::If(_)
                | ast::StatementKind::Do(_)
                | ast::StatementKind::Goto { .. }
                | ast::StatementKind::Break
                | ast::StatementKind::Error
        ) || matches!(&statement.kind, ast::StatementKind::Condition(e)
                if matches!(e.kind, ast::ExprKind::Number(1)) && !statement.labels.is_empty());
        if !event {
            self.error(
                "E0206",
                statement.span,
                "a trace can contain only sends, receives, `if`, `do`, `goto` and `break`",
            );
        }
    }

    fn for_loop(
        &mut self,
        variable: &ast::Reference,
        range: &'a ForRange,
        body: &'a ast::Sequence,
        scope: &ast::ScopePath,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Option<StatementKind> {
        let (counter, first_steps) = match range {
            ForRange::Numbers { from, to } => {
                let from = self.expr(from);
                let to = self.expr(to);
                let counter = self.loop_variable(variable);
                if let (ExprKind::Constant { value: a, .. }, ExprKind::Constant { value: b, .. }) =
                    (&from.kind, &to.kind)
                    && a > b
                {
                    self.error("E0301", span, format!("empty range {a} .. {b}"));
                }
                (counter, self.start(out, from, BinaryOp::LessEqual, to, span))
            }
            ForRange::Elements(elements) => self.loop_over(variable, elements, scope, span)?,
        };
        self.loops += 1;
        let body = self.block(body);
        self.loops -= 1;
        let counter = counter?;
        let (start, mut option) = first_steps(&counter);
        out.push(start);
        option.extend(body.statements);
        option.push(plain(increment_by_one(counter, true, span), span));
        let leave = vec![plain(StatementKind::Else, span), plain(StatementKind::Break, span)];
        Some(StatementKind::Do(vec![Sequence { statements: option }, Sequence { statements: leave }]))
    }

    /// The assignment before a loop that counts, and the condition that begins its option, for a counter known later.
    #[allow(clippy::type_complexity)]
    fn start(
        &self,
        _out: &[Statement],
        from: Expr,
        comparison: BinaryOp,
        to: Expr,
        span: Span,
    ) -> Box<dyn FnOnce(&Place) -> (Statement, Vec<Statement>)> {
        Box::new(move |counter: &Place| {
            let assignment = StatementKind::Assign { place: counter.clone(), value: from };
            let condition = compare(counter, comparison, to, span);
            (plain(assignment, span), vec![plain(StatementKind::Condition(condition), span)])
        })
    }

    /// A variable that counts: a scalar, not a channel.
    fn loop_variable(&mut self, variable: &ast::Reference) -> Option<Place> {
        let place = self.written_place(variable)?;
        self.read(&place);
        if place.scalar == Scalar::Chan {
            self.error("E0213", variable.span, "a channel cannot count");
            return None;
        }
        Some(place)
    }

    #[allow(clippy::type_complexity)]
    fn loop_over(
        &mut self,
        variable: &ast::Reference,
        elements: &ast::Reference,
        scope: &ast::ScopePath,
        span: Span,
    ) -> Option<(Option<Place>, Box<dyn FnOnce(&Place) -> (Statement, Vec<Statement>)>)> {
        if let Some(Target::Array { length, .. }) = self.array(elements) {
            let counter = self.loop_variable(variable);
            let to = constant(length as i32 - 1, span);
            let start = self.start(&[], constant(0, span), BinaryOp::LessEqual, to, span);
            return Some((counter, start));
        }
        let channel = self.channel_to_rotate(elements)?;
        let Some(Target::Struct { place, typedef }) = self.target(variable) else {
            self.report(
                Diagnostic::error(
                    "E0214",
                    variable.span,
                    "a loop over a channel needs a struct to receive into",
                )
                .with_help("declare it with the typedef that is the channel's only field"),
            );
            return None;
        };
        let mut fields = Vec::new();
        self.flatten(&place, typedef, &mut fields);
        let ty = &self.model.channel_types[channel.declared?.0 as usize];
        let same = ty.fields.len() == fields.len()
            && ty.fields.iter().zip(&fields).all(|(a, b)| a.scalar == b.scalar);
        if !same {
            self.error("E0214", variable.span, "this struct is not what the channel carries");
            return None;
        }
        if ty.capacity == 0 {
            self.error("E0214", elements.span, "a rendezvous channel has no messages to go through");
            return None;
        }
        let counter = self.channel_counter(scope, ty.capacity, span);
        for field in &fields {
            self.assigned(field);
            self.read(field);
        }
        let frame = self.frame_id(channel.place.frame);
        self.usage.received_from.insert((frame, channel.place.variable));
        self.usage.sent_to.insert((frame, channel.place.variable));
        let steps = move |counter: &Place| {
            let assignment = StatementKind::Assign { place: counter.clone(), value: constant(0, span) };
            let length = Expr { kind: ExprKind::Len(channel.clone()), span };
            let condition = compare(counter, BinaryOp::Less, length, span);
            let take = StatementKind::Receive {
                channel: channel.clone(),
                random: false,
                copy: false,
                arguments: fields.iter().cloned().map(ReceiveArgument::Store).collect(),
            };
            let put_back = StatementKind::Send {
                channel: channel.clone(),
                sorted: false,
                arguments: fields.iter().map(|f| Expr { kind: ExprKind::Read(f.clone()), span }).collect(),
            };
            let option = vec![
                plain(StatementKind::Condition(condition), span),
                plain(take, span),
                plain(put_back, span),
            ];
            (plain(assignment, span), option)
        };
        Some((Some(counter), Box::new(steps)))
    }

    fn array(&mut self, elements: &ast::Reference) -> Option<Target> {
        let (_, _, variable) = self.lookup(&elements.head().text)?;
        let whole =
            elements.parts.len() > 1 || (variable.length.is_some() && elements.parts[0].index.is_none());
        if whole { self.target(elements) } else { None }
    }

    fn channel_to_rotate(&mut self, elements: &ast::Reference) -> Option<ChannelRef> {
        let (place, declared) = self.place(elements)?;
        if place.scalar != Scalar::Chan {
            let name = &elements.parts[elements.parts.len() - 1].name.text;
            self.error("E0214", elements.span, format!("`{name}` is neither an array nor a channel"));
            return None;
        }
        if declared.is_none() {
            self.error("E0214", elements.span, "it is not known what this channel carries");
            return None;
        }
        self.read(&place);
        Some(ChannelRef { place, declared })
    }

    /// SPIN's hidden counter: one for each block in which there is such a loop.
    fn channel_counter(&mut self, scope: &ast::ScopePath, capacity: u32, span: Span) -> Place {
        let scalar = if capacity > LARGEST_BYTE { Scalar::Short } else { Scalar::Byte };
        let known = self.frame.counters.get(scope).copied();
        let id = match known {
            Some(id) => id,
            None => {
                let path: Vec<String> = scope.iter().map(u32::to_string).collect();
                let name = format!("_f0r_t3mp_{}_", path.join("_"));
                let variable = Variable {
                    name: name.clone(),
                    span,
                    ty: Type::Scalar(scalar),
                    length: None,
                    slot: self.frame.slots,
                    slots: 1,
                    init: Initializer::None,
                    visibility: Visibility::Plain,
                    parameter: false,
                    block: String::new(),
                };
                let id = self.add_local(name.into(), variable);
                self.frame.counters.insert(scope.clone(), id);
                id
            }
        };
        self.usage.read.insert((self.frame.id, id));
        let variable = &self.frame.variables[id.0 as usize];
        Place { frame: Frame::Local, variable: id, base: variable.slot, indices: Vec::new(), scalar, span }
    }

    #[allow(clippy::too_many_arguments)]
    fn select(
        &mut self,
        variable: &ast::Reference,
        from: &ast::Expr,
        to: &ast::Expr,
        form: SelectForm,
        span: Span,
        labels: &mut Vec<StatementLabel>,
        out: &mut Vec<Statement>,
    ) -> Option<StatementKind> {
        let from = self.expr(from);
        let to = self.expr(to);
        let place = self.loop_variable(variable)?;
        let name = &variable.parts[variable.parts.len() - 1].name.text;
        self.check_range(&to, place.scalar, name);
        if form == SelectForm::Options {
            let (ExprKind::Constant { value: from, .. }, ExprKind::Constant { value: to, .. }) =
                (from.kind, to.kind)
            else {
                return None;
            };
            let options = (from..=to.max(from))
                .map(|value| {
                    let assignment =
                        StatementKind::Assign { place: place.clone(), value: constant(value, span) };
                    Sequence { statements: vec![plain(assignment, span)] }
                })
                .collect();
            return Some(StatementKind::If(options));
        }
        let condition = StatementKind::Condition(compare(&place, BinaryOp::Less, to, span));
        let start = StatementKind::Assign { place: place.clone(), value: from };
        // When SPIN writes the loop out before parsing, the label belongs to the assignment.
        let start_labels = if form == SelectForm::Literal { std::mem::take(labels) } else { Vec::new() };
        out.push(Statement { labels: start_labels, kind: start, span });
        let count = Sequence {
            statements: vec![plain(condition, span), plain(increment_by_one(place, true, span), span)],
        };
        let stop = Sequence { statements: vec![plain(StatementKind::Break, span)] };
        Some(StatementKind::Do(match form {
            SelectForm::Loop => vec![stop, count],
            _ => vec![count, stop],
        }))
    }
}

fn compare(place: &Place, comparison: BinaryOp, with: Expr, span: Span) -> Expr {
    let read = Expr { kind: ExprKind::Read(place.clone()), span };
    Expr { kind: ExprKind::Binary(comparison, Box::new(read), Box::new(with)), span }
}

fn increment_by_one(place: Place, increment: bool, span: Span) -> StatementKind {
    let op = if increment { BinaryOp::Add } else { BinaryOp::Subtract };
    let read = Expr { kind: ExprKind::Read(place.clone()), span };
    let value = Expr { kind: ExprKind::Binary(op, Box::new(read), Box::new(constant(1, span))), span };
    StatementKind::Assign { place, value }
}

fn plain(kind: StatementKind, span: Span) -> Statement {
    Statement { labels: Vec::new(), kind, span }
}

/// In place of something that is in error.
fn nothing(span: Span) -> StatementKind {
    StatementKind::Condition(constant(1, span))
}
