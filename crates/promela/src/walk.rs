//! Going through a [`Model`]: the parts of statements and expressions, read-only and to be changed.

use crate::model::{
    ChannelRef, Expr, ExprKind, Initializer, Ltl, Model, Place, ReceiveArgument, Sequence, Statement,
    StatementKind, Type,
};
use crate::source::Span;

impl Model {
    /// Number of slots of one value of a type.
    pub fn slots_of(&self, ty: Type) -> u32 {
        match ty {
            Type::Scalar(_) => 1,
            Type::Struct(id) => self.typedefs[id.0 as usize].slots,
        }
    }
}

impl StatementKind {
    /// The sequences directly inside: options and blocks.
    pub fn sequences(&self) -> &[Sequence] {
        match self {
            StatementKind::If(options) | StatementKind::Do(options) => options,
            StatementKind::Atomic(sequence)
            | StatementKind::DStep(sequence)
            | StatementKind::Block(sequence) => std::slice::from_ref(sequence),
            _ => &[],
        }
    }

    /// The statements directly inside that are not in a sequence: both sides of an `unless`.
    pub fn statements(&self) -> Vec<&Statement> {
        match self {
            StatementKind::Unless { main, escape } => vec![main, escape],
            _ => Vec::new(),
        }
    }

    /// Calls `visitor` for each expression that the statement itself evaluates and for each one inside of those, outermost first; not for those
    /// of the statements inside.
    pub fn visit_expressions<'m>(&'m self, visitor: &mut dyn FnMut(&'m Expr)) {
        match self {
            StatementKind::Condition(expr) | StatementKind::Assert(expr) | StatementKind::Printm(expr) => {
                expr.visit(visitor);
            }
            StatementKind::Assign { place, value } => {
                place.visit_indices(visitor);
                value.visit(visitor);
            }
            StatementKind::Send { channel, arguments, .. } => {
                channel.place.visit_indices(visitor);
                arguments.iter().for_each(|argument| argument.visit(visitor));
            }
            StatementKind::Receive { channel, arguments, .. } => {
                channel.place.visit_indices(visitor);
                arguments.iter().for_each(|argument| argument.visit(visitor));
            }
            StatementKind::Printf { arguments, .. } => {
                arguments.iter().for_each(|argument| argument.visit(visitor));
            }
            StatementKind::SetPriority { pid, priority } => {
                pid.visit(visitor);
                priority.visit(visitor);
            }
            StatementKind::Else
            | StatementKind::Goto { .. }
            | StatementKind::Break
            | StatementKind::If(_)
            | StatementKind::Do(_)
            | StatementKind::Atomic(_)
            | StatementKind::DStep(_)
            | StatementKind::Block(_)
            | StatementKind::Unless { .. } => {}
        }
    }
}

impl Expr {
    /// Whether there is a `run` anywhere inside.
    pub fn contains_run(&self) -> bool {
        let mut found = false;
        self.visit(&mut |e| found |= matches!(e.kind, ExprKind::Run { .. }));
        found
    }

    /// Whether it is made of constants only, so that it has one value whenever it is asked for.
    pub fn is_constant(&self) -> bool {
        let mut constant = true;
        self.visit(&mut |e| {
            constant &= matches!(
                e.kind,
                ExprKind::Constant { .. }
                    | ExprKind::Unary(..)
                    | ExprKind::Binary(..)
                    | ExprKind::Conditional(..)
            );
        });
        constant
    }

    /// Calls `visitor` for this expression and for each one inside, outermost first.
    pub fn visit<'m>(&'m self, visitor: &mut dyn FnMut(&'m Expr)) {
        visitor(self);
        match &self.kind {
            ExprKind::Constant { .. }
            | ExprKind::Pid
            | ExprKind::NumberOfProcesses
            | ExprKind::Last
            | ExprKind::OwnPriority
            | ExprKind::NonProgress
            | ExprKind::Timeout => {}
            ExprKind::Read(place) => place.visit_indices(visitor),
            ExprKind::Unary(_, a)
            | ExprKind::Enabled(a)
            | ExprKind::PcValue(a)
            | ExprKind::GetPriority(a) => {
                a.visit(visitor);
            }
            ExprKind::Binary(_, a, b) => {
                a.visit(visitor);
                b.visit(visitor);
            }
            ExprKind::Conditional(a, b, c) => {
                a.visit(visitor);
                b.visit(visitor);
                c.visit(visitor);
            }
            ExprKind::Run { arguments, .. } => arguments.iter().for_each(|a| a.visit(visitor)),
            ExprKind::Len(channel)
            | ExprKind::Empty(channel)
            | ExprKind::NotEmpty(channel)
            | ExprKind::Full(channel)
            | ExprKind::NotFull(channel) => channel.place.visit_indices(visitor),
            ExprKind::Poll { channel, arguments, .. } => {
                channel.place.visit_indices(visitor);
                arguments.iter().for_each(|a| a.visit(visitor));
            }
            ExprKind::RemoteLabel { pid, .. } => pid.iter().for_each(|p| p.visit(visitor)),
            ExprKind::RemoteVariable { pid, place, .. } => {
                pid.iter().for_each(|p| p.visit(visitor));
                place.visit_indices(visitor);
            }
        }
    }

    /// Calls `visitor` for each place that is read in the frame of the process or among the globals, outermost first. The variable of a
    /// remote reference is not among them; what is read to find it is.
    pub fn visit_places<'m>(&'m self, visitor: &mut dyn FnMut(&'m Place)) {
        self.visit(&mut |e| e.kind.place().into_iter().for_each(&mut *visitor));
    }
}

impl ExprKind {
    /// The place that the outermost operator looks at: a variable's, or that of a channel.
    pub fn place(&self) -> Option<&Place> {
        match self {
            ExprKind::Read(place) => Some(place),
            ExprKind::Len(channel)
            | ExprKind::Empty(channel)
            | ExprKind::NotEmpty(channel)
            | ExprKind::Full(channel)
            | ExprKind::NotFull(channel)
            | ExprKind::Poll { channel, .. } => Some(&channel.place),
            _ => None,
        }
    }
}

impl Ltl {
    /// Calls `visitor` for each proposition.
    pub fn visit_propositions<'m>(&'m self, visitor: &mut dyn FnMut(&'m Expr)) {
        match self {
            Ltl::Proposition(expr) => visitor(expr),
            Ltl::Not(a) | Ltl::Next(a) | Ltl::Always(a) | Ltl::Eventually(a) => a.visit_propositions(visitor),
            Ltl::And(a, b)
            | Ltl::Or(a, b)
            | Ltl::Implies(a, b)
            | Ltl::Equivalent(a, b)
            | Ltl::Until(a, b)
            | Ltl::WeakUntil(a, b)
            | Ltl::Release(a, b) => {
                a.visit_propositions(visitor);
                b.visit_propositions(visitor);
            }
        }
    }
}

impl Place {
    /// Calls `visitor` for this place and each that its indices read.
    pub fn visit_places<'m>(&'m self, visitor: &mut dyn FnMut(&'m Place)) {
        visitor(self);
        self.visit_index_places(visitor);
    }

    /// Calls `visitor` for each place that the indices read.
    pub fn visit_index_places<'m>(&'m self, visitor: &mut dyn FnMut(&'m Place)) {
        self.indices.iter().for_each(|i| i.value.visit_places(visitor));
    }

    /// Calls `visitor` for each expression in the indices.
    pub fn visit_indices<'m>(&'m self, visitor: &mut dyn FnMut(&'m Expr)) {
        self.indices.iter().for_each(|i| i.value.visit(visitor));
    }
}

impl ReceiveArgument {
    /// Calls `visitor` for each expression in the argument.
    pub fn visit<'m>(&'m self, visitor: &mut dyn FnMut(&'m Expr)) {
        match self {
            ReceiveArgument::Match(expr) => expr.visit(visitor),
            ReceiveArgument::Store(place) => place.visit_indices(visitor),
            ReceiveArgument::Discard(_) => {}
        }
    }
}

impl Sequence {
    /// Calls `visitor` for each statement in the sequence and inside those, outermost first.
    pub fn visit<'m>(&'m self, visitor: &mut dyn FnMut(&'m Statement)) {
        self.statements.iter().for_each(|s| s.visit(visitor));
    }
}

impl Statement {
    /// Calls `visitor` for this statement and for each one inside, outermost first.
    pub fn visit<'m>(&'m self, visitor: &mut dyn FnMut(&'m Statement)) {
        visitor(self);
        self.kind.sequences().iter().for_each(|s| s.visit(visitor));
        self.kind.statements().into_iter().for_each(|s| s.visit(visitor));
    }
}

/// What is changed by [`change_statement`] and the others, innermost first.
pub(crate) trait Change {
    /// A statement, after its parts.
    fn statement(&mut self, _: &mut Statement) {}
    /// An expression, after its parts.
    fn expr(&mut self, _: &mut Expr) {}
    /// A channel.
    fn channel(&mut self, _: &mut ChannelRef) {}
    /// Where any of this stands.
    fn span(&mut self, _: &mut Span) {}
}

pub(crate) fn change_sequence(sequence: &mut Sequence, change: &mut dyn Change) {
    sequence.statements.iter_mut().for_each(|s| change_statement(s, change));
}

pub(crate) fn change_statement(statement: &mut Statement, change: &mut dyn Change) {
    match &mut statement.kind {
        StatementKind::Condition(expr) | StatementKind::Assert(expr) | StatementKind::Printm(expr) => {
            change_expr(expr, change);
        }
        StatementKind::Assign { place, value } => {
            change_place(place, change);
            change_expr(value, change);
        }
        StatementKind::Send { channel, arguments, .. } => {
            change_channel(channel, change);
            arguments.iter_mut().for_each(|a| change_expr(a, change));
        }
        StatementKind::Receive { channel, arguments, .. } => {
            change_channel(channel, change);
            arguments.iter_mut().for_each(|a| change_argument(a, change));
        }
        StatementKind::Printf { arguments, .. } => arguments.iter_mut().for_each(|a| change_expr(a, change)),
        StatementKind::SetPriority { pid, priority } => {
            change_expr(pid, change);
            change_expr(priority, change);
        }
        StatementKind::Goto { label_span, .. } => change.span(label_span),
        StatementKind::Else | StatementKind::Break => {}
        StatementKind::If(options) | StatementKind::Do(options) => {
            options.iter_mut().for_each(|o| change_sequence(o, change));
        }
        StatementKind::Atomic(inner) | StatementKind::DStep(inner) | StatementKind::Block(inner) => {
            change_sequence(inner, change);
        }
        StatementKind::Unless { main, escape } => {
            change_statement(main, change);
            change_statement(escape, change);
        }
    }
    statement.labels.iter_mut().for_each(|label| change.span(&mut label.span));
    change.span(&mut statement.span);
    change.statement(statement);
}

pub(crate) fn change_expr(expr: &mut Expr, change: &mut dyn Change) {
    match &mut expr.kind {
        ExprKind::Constant { .. }
        | ExprKind::Pid
        | ExprKind::NumberOfProcesses
        | ExprKind::Last
        | ExprKind::OwnPriority
        | ExprKind::NonProgress
        | ExprKind::Timeout => {}
        ExprKind::Read(place) => change_place(place, change),
        ExprKind::Unary(_, a) | ExprKind::Enabled(a) | ExprKind::PcValue(a) | ExprKind::GetPriority(a) => {
            change_expr(a, change);
        }
        ExprKind::Binary(_, a, b) => {
            change_expr(a, change);
            change_expr(b, change);
        }
        ExprKind::Conditional(a, b, c) => {
            change_expr(a, change);
            change_expr(b, change);
            change_expr(c, change);
        }
        ExprKind::Run { arguments, .. } => arguments.iter_mut().for_each(|a| change_expr(a, change)),
        ExprKind::Len(channel)
        | ExprKind::Empty(channel)
        | ExprKind::NotEmpty(channel)
        | ExprKind::Full(channel)
        | ExprKind::NotFull(channel) => change_channel(channel, change),
        ExprKind::Poll { channel, arguments, .. } => {
            change_channel(channel, change);
            arguments.iter_mut().for_each(|a| change_argument(a, change));
        }
        ExprKind::RemoteLabel { pid, .. } => pid.iter_mut().for_each(|p| change_expr(p, change)),
        ExprKind::RemoteVariable { pid, place, .. } => {
            pid.iter_mut().for_each(|p| change_expr(p, change));
            change_place(place, change);
        }
    }
    change.span(&mut expr.span);
    change.expr(expr);
}

pub(crate) fn change_formula(formula: &mut Ltl, change: &mut dyn Change) {
    match formula {
        Ltl::Proposition(expr) => change_expr(expr, change),
        Ltl::Not(a) | Ltl::Next(a) | Ltl::Always(a) | Ltl::Eventually(a) => change_formula(a, change),
        Ltl::And(a, b)
        | Ltl::Or(a, b)
        | Ltl::Implies(a, b)
        | Ltl::Equivalent(a, b)
        | Ltl::Until(a, b)
        | Ltl::WeakUntil(a, b)
        | Ltl::Release(a, b) => {
            change_formula(a, change);
            change_formula(b, change);
        }
    }
}

pub(crate) fn change_initializer(init: &mut Initializer, change: &mut dyn Change) {
    match init {
        Initializer::None | Initializer::Channel(_) => {}
        Initializer::Expr(expr) => change_expr(expr, change),
        Initializer::List(values) => values.iter_mut().for_each(|v| change_expr(v, change)),
    }
}

fn change_argument(argument: &mut ReceiveArgument, change: &mut dyn Change) {
    match argument {
        ReceiveArgument::Match(expr) => change_expr(expr, change),
        ReceiveArgument::Store(place) => change_place(place, change),
        ReceiveArgument::Discard(span) => change.span(span),
    }
}

fn change_channel(channel: &mut ChannelRef, change: &mut dyn Change) {
    change_place(&mut channel.place, change);
    change.channel(channel);
}

pub(crate) fn change_place(place: &mut Place, change: &mut dyn Change) {
    change.span(&mut place.span);
    place.indices.iter_mut().for_each(|i| change_expr(&mut i.value, change));
}
