//! Statements.

use super::declaration::constant;
use super::loops::{Selected, increment_by_one};
use super::place::PREDEFINED;
use super::{Context, Resolver};
use crate::ast;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::interrupt;
use crate::model::{
    ExclusiveUse, Expr, ExprKind, Frame, Place, Scalar, Sequence, Statement, StatementKind, StatementLabel,
};
use crate::names::{NameKind, Role};
use crate::source::Span;

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
        interrupt::point();
        self.mentioned_before = self.mentions.len();
        let span = statement.span;
        let mut labels: Vec<StatementLabel> = statement
            .labels
            .iter()
            .map(|l| StatementLabel { name: l.unique.to_string(), span: l.name.span })
            .collect();
        self.trace_allows(statement);
        self.warn_of_hidden_acceptance(statement);
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
                self.count_runs(&expr, true);
                self.check_d_step(&expr);
                StatementKind::Condition(expr)
            }
            ast::StatementKind::Assign { target, value } => self.assignment(target, value),
            ast::StatementKind::Step { target, increment } => self.step(target, *increment, span),
            ast::StatementKind::Send { channel, sorted, arguments } => {
                self.model.features.sorted_send |= sorted;
                self.no_claim_io(span);
                let reference = channel;
                let channel = self.channel(reference);
                self.done_with(reference, Role::Sent);
                let arguments = self.arguments(arguments);
                for argument in &arguments {
                    if argument.contains_run() {
                        self.error(codes::MISPLACED_RUN, argument.span, "`run` cannot be used in a send");
                    }
                }
                match channel {
                    Some(channel) => StatementKind::Send { channel, sorted: *sorted, arguments },
                    None => nothing(span),
                }
            }
            ast::StatementKind::Receive { channel, random, copy, arguments } => {
                self.model.features.random_receive |= random;
                self.no_claim_io(span);
                let reference = channel;
                let channel = self.channel(reference);
                self.done_with(reference, Role::Received);
                let arguments = self.receive_arguments(arguments, false);
                match channel {
                    Some(channel) => {
                        StatementKind::Receive { channel, random: *random, copy: *copy, arguments }
                    }
                    None => nothing(span),
                }
            }
            ast::StatementKind::Assert(expr) => {
                let expr = self.expr(expr);
                self.check_d_step(&expr);
                StatementKind::Assert(expr)
            }
            ast::StatementKind::Printf { format, arguments } => {
                let arguments = arguments.iter().map(|a| self.expr(a)).collect();
                StatementKind::Printf { format: format.to_string(), arguments }
            }
            ast::StatementKind::Printm(expr) => {
                if matches!(expr.kind, ast::ExprKind::Number(_)) {
                    self.error(
                        codes::PRINTM_OF_NUMBER,
                        expr.span,
                        "`printm` prints the name of an mtype value, not a number",
                    );
                }
                StatementKind::Printm(self.expr(expr))
            }
            ast::StatementKind::SetPriority { pid, priority } => {
                self.model.features.priorities = true;
                StatementKind::SetPriority {
                    pid: Box::new(self.expr(pid)),
                    priority: Box::new(self.expr(priority)),
                }
            }
            ast::StatementKind::Else => {
                if self.guard != Some(span) {
                    self.report(
                        Diagnostic::warning(
                            codes::ELSE_NOT_GUARD,
                            span,
                            "`else` is not the first statement of an option",
                        )
                        .with_label("there is nothing else to choose: it can always be executed"),
                    );
                }
                StatementKind::Else
            }
            ast::StatementKind::Goto { label, scope, d_step } => self.goto(label, scope, *d_step),
            ast::StatementKind::Break => {
                if self.loops == 0 {
                    self.error(codes::MISPLACED_BREAK, span, "`break` outside of a loop");
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
            ast::StatementKind::Atomic(block) => {
                self.atomics += 1;
                let block = self.block(block);
                self.atomics -= 1;
                StatementKind::Atomic(block)
            }
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
            ast::StatementKind::Call { arguments, body } => {
                self.call_arguments(arguments);
                StatementKind::Block(self.block(body))
            }
            ast::StatementKind::For { variable, range, body, scope } => {
                self.for_loop(variable, range, body, scope, span, out)?
            }
            ast::StatementKind::Select { variable, from, to, form } => {
                let selected = Selected { variable, from, to, form: *form, span };
                self.select(&selected, &mut labels, out)?
            }
            ast::StatementKind::Unless { main, escape } => {
                if self.d_steps > 0 {
                    self.report(Diagnostic::warning(
                        codes::UNLESS_IN_D_STEP,
                        span,
                        "`unless` has no effect in a `d_step`",
                    ));
                }
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

    /// A label at the beginning of the sequence is refused elsewhere, so each of these is passed within a step.
    fn warn_of_hidden_acceptance(&mut self, statement: &ast::Statement) {
        if self.atomics + self.d_steps == 0 {
            return;
        }
        for label in statement.labels.iter().filter(|label| label.name.text.starts_with("accept")) {
            let word = if self.d_steps > 0 { "d_step" } else { "atomic" };
            let message = format!("label `{}` inside of `{word}` is not seen", label.name.text);
            self.report(
                Diagnostic::warning(codes::HIDDEN_ACCEPTANCE, label.name.span, message)
                    .with_help(format!("put it before or after the `{word}`, which is one step")),
            );
        }
    }

    pub(super) fn block(&mut self, block: &'a ast::Sequence) -> Sequence {
        self.enter_block();
        // The first statement of a block that is the first of an option is tried like the option's.
        let is_guard = self.guard.is_some();
        let mut statements = Vec::with_capacity(block.len());
        for (position, statement) in block.iter().enumerate() {
            self.guard = (is_guard && position == 0).then_some(statement.span);
            self.statement(statement, &mut statements);
        }
        self.guard = None;
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
        let mut resolved = Vec::with_capacity(options.len());
        for option in options {
            let mut statements = Vec::with_capacity(option.len());
            for (position, statement) in option.iter().enumerate() {
                self.guard = (position == 0).then_some(statement.span);
                self.statement(statement, &mut statements);
            }
            self.guard = None;
            resolved.push(Sequence { statements });
        }
        self.check_else(&resolved);
        resolved
    }

    fn check_else(&mut self, options: &[Sequence]) {
        let first =
            |option: &Sequence| option.statements.first().map(|s| (s.span, s.kind == StatementKind::Else));
        let mut elses =
            options.iter().filter_map(first).filter(|(_, is_else)| *is_else).map(|(span, _)| span);
        let Some(span) = elses.next() else { return };
        if let Some(second) = elses.next() {
            self.report(
                Diagnostic::error(
                    codes::ELSE_TWICE,
                    second,
                    "there is already an `else` among these options",
                )
                .with_related(span, "the first one"),
            );
        }
        let mut guards = options.iter().filter_map(|o| o.statements.first());
        if let Some(always) = guards.clone().find(|s| matches!(s.kind, StatementKind::Assign { .. })) {
            self.report(
                Diagnostic::warning(codes::ELSE_NEVER_TAKEN, span, "this `else` is never taken")
                    .with_related(always.span, "this assignment can always be executed")
                    .with_help("`=` assigns, `==` compares"),
            );
        }
        let channels = guards.any(|s| uses_channel(&s.kind));
        if channels && self.model.features.exclusive_channels {
            self.error(
                codes::ELSE_WITH_EXCLUSIVE,
                span,
                "`else` beside a send or receive cannot be combined with `xr` and `xs`",
            );
        } else if channels {
            self.report(
                Diagnostic::warning(codes::ELSE_WITH_MESSAGES, span, "`else` beside a send or receive")
                    .with_label("whether it can be executed depends on the other side of the channel"),
            );
        }
    }

    fn assignment(&mut self, target: &ast::Reference, value: &ast::Expr) -> StatementKind {
        let value = self.expr(value);
        self.count_runs(&value, false);
        if &*target.head().text == "_priority" && target.rest.is_empty() {
            self.model.features.priorities = true;
            let pid = Expr { kind: ExprKind::Pid, span: target.span };
            return StatementKind::SetPriority { pid: Box::new(pid), priority: Box::new(value) };
        }
        match self.written_place(target) {
            Some(place) => {
                self.check_assignment(&place, &value, target);
                self.check_range(&value, place.scalar, &target.last().text);
                StatementKind::Assign { place, value }
            }
            None => nothing(target.span),
        }
    }

    fn step(&mut self, target: &ast::Reference, increment: bool, span: Span) -> StatementKind {
        let Some(place) = self.written_place(target) else { return nothing(span) };
        if place.scalar == Scalar::Chan {
            self.error(codes::CHANNEL_ARITHMETIC, span, "arithmetic on a channel");
        }
        increment_by_one(place, increment, span)
    }

    pub(super) fn written_place(&mut self, target: &ast::Reference) -> Option<Place> {
        let head = target.head();
        if self.lookup(&head.text).is_none() && &*head.text == "_" && target.rest.is_empty() {
            return Some(self.write_only(target.span));
        }
        if self.lookup(&head.text).is_none() && PREDEFINED.contains(&&*head.text) {
            self.error(
                codes::PREDEFINED_MISUSED,
                head.span,
                format!("`{}` is predefined and cannot be assigned", head.text),
            );
            return None;
        }
        let (place, _) = self.place(target)?;
        self.assigned(&place);
        self.done_with(target, Role::Written);
        if self.context == Context::Claim && place.frame == Frame::Global {
            let message = format!("the never claim assigns to `{}`", head.text);
            self.report(
                Diagnostic::warning(codes::CLAIM_ASSIGNS, target.span, message)
                    .with_label("only the claim is asked with this; all else is answered as if it did not"),
            );
        }
        Some(place)
    }

    fn goto(&mut self, label: &ast::Name, scope: &ast::ScopePath, d_step: u32) -> StatementKind {
        let Some(target) = self.label_for(label, scope) else {
            let mut diagnostic = Diagnostic::error(
                codes::NO_SUCH_LABEL,
                label.span,
                format!("there is no label `{}`", label.text),
            );
            if let Some(similar) = self.similar(&label.text, self.labels().map(|l| &*l.name.text)) {
                diagnostic = diagnostic.with_suggestion(similar);
            }
            self.report(diagnostic);
            return nothing(label.span);
        };
        let unique = target.unique.clone();
        self.mention(label.span, target.name.span, NameKind::Label);
        if target.d_step != d_step {
            let place = target.name.span;
            let message = if d_step == 0 { "a jump into a `d_step`" } else { "a jump out of a `d_step`" };
            self.report(
                Diagnostic::error(codes::JUMP_ACROSS_D_STEP, label.span, message)
                    .with_related(place, "the label"),
            );
        }
        StatementKind::Goto { label: unique.to_string(), label_span: label.span }
    }

    /// As SPIN chooses: a label of the same block, else the first of an enclosing one, else the last anywhere.
    fn label_for(&self, label: &ast::Name, scope: &ast::ScopePath) -> Option<&'a ast::LabelPlace> {
        let labels = self.labels?;
        let named = || labels.named(&label.text);
        named()
            .rev()
            .find(|l| l.scope == *scope)
            .or_else(|| named().find(|l| scope.starts_with(&l.scope)))
            .or_else(|| named().next_back())
    }

    fn exclusive(&mut self, receive: bool, channels: &[ast::Reference]) {
        self.model.features.exclusive_channels = true;
        if !matches!(self.context, Context::Proctype(_)) {
            let span = channels.first().map_or(Span::default(), |c| c.span);
            self.error(codes::MISPLACED_EXCLUSIVE, span, "`xr` and `xs` can be used only in a proctype");
        }
        for reference in channels {
            let Some((channel, _)) = self.place(reference) else { continue };
            self.exclusive_claim(receive, &channel, reference.span);
            if channel.scalar != Scalar::Chan {
                let name = &reference.last().text;
                self.error(codes::MISPLACED_EXCLUSIVE, reference.span, format!("`{name}` is not a channel"));
                continue;
            }
            if !channel.indices.is_empty() {
                let message = "`xr` and `xs` claim no element of an array";
                self.report(
                    Diagnostic::error(codes::MISPLACED_EXCLUSIVE, reference.span, message)
                        .with_help("hand the channel over as a parameter, and claim that"),
                );
                continue;
            }
            self.frame.exclusive.push(ExclusiveUse { receive, channel });
        }
    }

    /// As a statement, `run` must stand alone.
    fn count_runs(&mut self, expr: &Expr, statement: bool) {
        let mut runs = 0;
        expr.visit(&mut |e| runs += u32::from(matches!(e.kind, ExprKind::Run { .. })));
        if runs > 1 {
            let message = "there can be only one `run` in an expression";
            self.report(
                Diagnostic::error(codes::MISPLACED_RUN, expr.span, message)
                    .with_help("each is a statement of its own: `run A(); run B()`"),
            );
        } else if runs == 1 && statement && !matches!(expr.kind, ExprKind::Run { .. }) {
            self.report(
                Diagnostic::error(
                    codes::MISPLACED_RUN,
                    expr.span,
                    "`run` cannot be part of a larger condition",
                )
                .with_help("assign its value to a variable first"),
            );
        }
    }

    /// SPIN reads the arguments of an inline once before it puts them into the body.
    fn call_arguments(&mut self, arguments: &[(ast::Name, bool)]) {
        for (name, continued) in arguments {
            let known =
                self.lookup(&name.text).map(|(frame, id, variable)| (frame, id, variable.length.is_some()));
            if let Some((Frame::Global, id, _)) = known {
                self.frame.named_in_calls.push(id);
            }
            match known {
                Some((.., true)) if !continued => {
                    self.error(
                        codes::MISSING_INDEX,
                        name.span,
                        format!("the array `{}` needs an index", name.text),
                    );
                }
                Some(_) => {}
                None => {
                    let label = self.label_named(&name.text).is_some();
                    let other = PREDEFINED.contains(&&*name.text)
                        || self.symbols.contains_key(&name.text)
                        || self.proctypes.contains_key(&name.text);
                    if !label && !other {
                        self.undeclared(name);
                    }
                }
            }
        }
    }

    fn no_claim_io(&mut self, span: Span) {
        if self.context == Context::Claim {
            self.error(codes::CLAIM_WITH_MESSAGES, span, "a never claim cannot send or receive");
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
                codes::NOT_AN_EVENT,
                statement.span,
                "a trace can contain only sends, receives, `if`, `do`, `goto` and `break`",
            );
        }
    }
}

/// Sends, receives, and conditions with `full`, `empty` and their negations, as SPIN looks for them beside `else`.
fn uses_channel(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Send { .. } | StatementKind::Receive { .. } => true,
        StatementKind::Condition(expr) => {
            let mut found = false;
            expr.visit(&mut |e| {
                found |= matches!(
                    e.kind,
                    ExprKind::Full(_) | ExprKind::NotFull(_) | ExprKind::Empty(_) | ExprKind::NotEmpty(_)
                );
            });
            found
        }
        _ => false,
    }
}

pub(super) fn plain(kind: StatementKind, span: Span) -> Statement {
    Statement { labels: Vec::new(), kind, span }
}

/// In place of something that is in error.
fn nothing(span: Span) -> StatementKind {
    StatementKind::Condition(constant(1, span))
}
