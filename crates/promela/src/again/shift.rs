//! A piece of syntax that stands elsewhere than it did.

use crate::ast::{
    Active, ArrayLength, Body, Declaration, Expr, ExprKind, ForRange, Init, Name, ReceiveArgument, Reference,
    Statement, StatementKind, TypeName, Unit,
};
use crate::diagnostic::Diagnostic;
use crate::model::{self, Claim, EventTrace, Proctype};
use crate::names::Mention;
use crate::source::{FileId, Span};
use crate::walk::{Change, change_expr, change_initializer, change_place, change_sequence};

/// Everything in a file from one byte on stands so many bytes further.
#[derive(Clone, Copy)]
pub(crate) struct Shift {
    pub file: FileId,
    pub from: u32,
    pub by: i32,
}

impl Change for Shift {
    fn span(&mut self, span: &mut Span) {
        *span = Shift::span(self, *span);
    }
}

impl Shift {
    pub fn offset(&self, offset: u32) -> u32 {
        if offset >= self.from { offset.wrapping_add_signed(self.by) } else { offset }
    }

    pub fn span(&self, span: Span) -> Span {
        if span.file != self.file || span.start < self.from {
            return span;
        }
        Span { start: self.offset(span.start), end: self.offset(span.end), ..span }
    }

    pub fn unit(&self, unit: &mut Unit) {
        match unit {
            Unit::Mtype { set, names } => set.iter_mut().chain(names).for_each(|name| self.name(name)),
            Unit::Typedef { name, fields } => {
                self.name(name);
                fields.iter_mut().for_each(|field| self.declaration(field));
            }
            Unit::Declaration(declaration) => self.declaration(declaration),
            Unit::Proctype(proctype) => {
                self.name(&mut proctype.name);
                match &mut proctype.active {
                    Active::Count(_, span) => self.place(span),
                    Active::Variable(name) => self.name(name),
                }
                proctype.parameters.iter_mut().for_each(|parameter| self.declaration(parameter));
                proctype.provided.iter_mut().for_each(|provided| self.expr(provided));
                self.body(&mut proctype.body);
            }
            Unit::Claim { name, span, body } => {
                name.iter_mut().for_each(|name| self.name(name));
                self.place(span);
                self.body(body);
            }
            Unit::Trace { negated: _, span, body } => {
                self.place(span);
                self.body(body);
            }
            Unit::Ltl { name, span, formula } => {
                name.iter_mut().for_each(|name| self.name(name));
                self.place(span);
                self.expr(formula);
            }
        }
    }

    pub fn body(&self, body: &mut Body) {
        if self.by == 0 {
            return;
        }
        self.place(&mut body.open);
        self.place(&mut body.end);
        body.labels.names_mut().for_each(|name| self.name(name));
        self.sequence(&mut body.sequence);
    }

    pub fn mention(&self, mention: &Mention) -> Mention {
        Mention { span: self.span(mention.span), declared: self.span(mention.declared), ..*mention }
    }

    pub fn diagnostic(&self, diagnostic: &mut Diagnostic) {
        self.place(&mut diagnostic.span);
        diagnostic.related.iter_mut().for_each(|label| self.place(&mut label.span));
        diagnostic.fix.iter_mut().for_each(|fix| self.place(&mut fix.span));
    }

    pub fn proctype(&self, proctype: &mut Proctype) {
        self.place(&mut proctype.span);
        self.place(&mut proctype.end);
        self.variables(&mut proctype.locals);
        let shift = &mut { *self };
        proctype.provided.iter_mut().for_each(|provided| change_expr(provided, shift));
        proctype.exclusive.iter_mut().for_each(|exclusive| change_place(&mut exclusive.channel, shift));
        change_sequence(&mut proctype.body, shift);
    }

    pub fn claim(&self, claim: &mut Claim) {
        self.place(&mut claim.span);
        self.place(&mut claim.end);
        self.variables(&mut claim.locals);
        change_sequence(&mut claim.body, &mut { *self });
    }

    pub fn event_trace(&self, trace: &mut EventTrace) {
        self.place(&mut trace.span);
        self.place(&mut trace.end);
        change_sequence(&mut trace.body, &mut { *self });
    }

    fn variables(&self, variables: &mut [model::Variable]) {
        for variable in variables {
            self.place(&mut variable.span);
            change_initializer(&mut variable.init, &mut { *self });
        }
    }

    fn place(&self, span: &mut Span) {
        *span = self.span(*span);
    }

    fn name(&self, name: &mut Name) {
        self.place(&mut name.span);
    }

    fn sequence(&self, sequence: &mut [Statement]) {
        sequence.iter_mut().for_each(|statement| self.statement(statement));
    }

    fn statement(&self, statement: &mut Statement) {
        self.place(&mut statement.span);
        statement.labels.iter_mut().for_each(|label| self.name(&mut label.name));
        match &mut statement.kind {
            StatementKind::Declaration(declaration) => self.declaration(declaration),
            StatementKind::Exclusive { receive: _, channels } => {
                channels.iter_mut().for_each(|channel| self.reference(channel));
            }
            StatementKind::Condition(expr) | StatementKind::Assert(expr) | StatementKind::Printm(expr) => {
                self.expr(expr);
            }
            StatementKind::Assign { target, value } => {
                self.reference(target);
                self.expr(value);
            }
            StatementKind::Step { target, increment: _ } => self.reference(target),
            StatementKind::Send { channel, sorted: _, arguments } => {
                self.reference(channel);
                self.exprs(arguments);
            }
            StatementKind::Receive { channel, random: _, copy: _, arguments } => {
                self.reference(channel);
                self.received(arguments);
            }
            StatementKind::Printf { format: _, arguments } => self.exprs(arguments),
            StatementKind::SetPriority { pid, priority } => {
                self.expr(pid);
                self.expr(priority);
            }
            StatementKind::Goto { label, scope: _, d_step: _ } => self.name(label),
            StatementKind::If(options) | StatementKind::Do(options) => {
                options.iter_mut().for_each(|option| self.sequence(option));
            }
            StatementKind::Atomic(inner) | StatementKind::DStep(inner) | StatementKind::Block(inner) => {
                self.sequence(inner);
            }
            StatementKind::Call { arguments, body } => {
                arguments.iter_mut().for_each(|(name, _)| self.name(name));
                self.sequence(body);
            }
            StatementKind::For { variable, range, body, scope: _ } => {
                self.reference(variable);
                match &mut **range {
                    ForRange::Numbers { from, to } => {
                        self.expr(from);
                        self.expr(to);
                    }
                    ForRange::Elements(elements) => self.reference(elements),
                }
                self.sequence(body);
            }
            StatementKind::Select { variable, from, to, form: _ } => {
                self.reference(variable);
                self.expr(from);
                self.expr(to);
            }
            StatementKind::Unless { main, escape } => {
                self.statement(main);
                self.statement(escape);
            }
            StatementKind::Else | StatementKind::Break | StatementKind::Error => {}
        }
    }

    fn declaration(&self, declaration: &mut Declaration) {
        self.place(&mut declaration.span);
        self.type_name(&mut declaration.ty);
        for variable in &mut declaration.variables {
            self.name(&mut variable.name);
            if let Some((_, span)) = &mut variable.width {
                self.place(span);
            }
            match &mut variable.length {
                Some(ArrayLength::Constant(_, span)) => self.place(span),
                Some(ArrayLength::Variable(name)) => self.name(name),
                None => {}
            }
            match &mut variable.init {
                Some(Init::Expr(expr)) => self.expr(expr),
                Some(Init::List(exprs, span)) => {
                    self.exprs(exprs);
                    self.place(span);
                }
                Some(Init::Channel { capacity: _, fields, span }) => {
                    fields.iter_mut().for_each(|field| self.type_name(field));
                    self.place(span);
                }
                None => {}
            }
        }
    }

    fn type_name(&self, ty: &mut TypeName) {
        match ty {
            TypeName::Mtype(Some(name)) | TypeName::User(name) => self.name(name),
            TypeName::Bit
            | TypeName::Bool
            | TypeName::Byte
            | TypeName::Pid
            | TypeName::Short
            | TypeName::Int
            | TypeName::Unsigned
            | TypeName::Chan
            | TypeName::Mtype(None) => {}
        }
    }

    fn reference(&self, reference: &mut Reference) {
        self.place(&mut reference.span);
        for part in std::iter::once(&mut reference.first).chain(&mut reference.rest) {
            self.name(&mut part.name);
            if let Some(index) = &mut part.index {
                self.expr(index);
            }
        }
    }

    fn received(&self, arguments: &mut [ReceiveArgument]) {
        for argument in arguments {
            match argument {
                ReceiveArgument::Reference(reference) => self.reference(reference),
                ReceiveArgument::Eval(expr) | ReceiveArgument::Constant(expr) => self.expr(expr),
            }
        }
    }

    fn exprs(&self, exprs: &mut [Expr]) {
        exprs.iter_mut().for_each(|expr| self.expr(expr));
    }

    fn expr(&self, expr: &mut Expr) {
        self.place(&mut expr.span);
        match &mut expr.kind {
            ExprKind::Number(_)
            | ExprKind::Symbol(_)
            | ExprKind::Timeout
            | ExprKind::NonProgress
            | ExprKind::Error => {}
            ExprKind::Reference(reference) | ExprKind::Channel(_, reference) => self.reference(reference),
            ExprKind::Unary(_, inner)
            | ExprKind::Enabled(inner)
            | ExprKind::PcValue(inner)
            | ExprKind::GetPriority(inner)
            | ExprKind::TemporalUnary(_, inner) => self.expr(inner),
            ExprKind::Binary(_, left, right) | ExprKind::TemporalBinary(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                self.expr(condition);
                self.expr(then);
                self.expr(otherwise);
            }
            ExprKind::Run { name, arguments, priority: _ } => {
                self.name(name);
                self.exprs(arguments);
            }
            ExprKind::Poll { channel, random: _, arguments } => {
                self.reference(channel);
                self.received(arguments);
            }
            ExprKind::RemoteLabel { proctype, all: _, pid, label } => {
                self.name(proctype);
                self.name(label);
                pid.iter_mut().for_each(|pid| self.expr(pid));
            }
            ExprKind::RemoteVariable { proctype, pid, variable, index } => {
                self.name(proctype);
                self.name(variable);
                pid.iter_mut().chain(index).for_each(|expr| self.expr(expr));
            }
        }
    }
}
