//! Statements and expressions as text, as SPIN writes them in its listings (`pan -d`, trails): every operator in
//! parentheses, structs by their fields, `goto` by its label.

use crate::model::{
    BinaryOp, ChannelRef, Expr, ExprKind, Field, Index, Ltl, Model, MtypeSetId, Place, ProctypeId,
    ReceiveArgument, RemoteProcess, StatementKind, Type, UnaryOp, Variable,
};
use std::fmt::Write as _;

/// A statement of a body whose variables are `locals`. Of `if`, `do` and blocks there is only a word.
pub fn statement_text(model: &Model, locals: &[Variable], kind: &StatementKind) -> String {
    let printer = Printer { model, locals };
    match kind {
        StatementKind::Condition(expr) => format!("({})", printer.expr(expr)),
        StatementKind::Assign { place, value } => {
            format!("{} = {}", printer.place(place), printer.expr(value))
        }
        StatementKind::Send { channel, sorted, arguments } => {
            let operator = if *sorted { "!!" } else { "!" };
            format!("{}{operator}{}", printer.channel(channel), printer.list(arguments))
        }
        StatementKind::Receive { channel, random, copy, arguments } => {
            let operator = if *random { "??" } else { "?" };
            let (open, close) = if *copy { ("<", ">") } else { ("", "") };
            format!("{}{operator}{open}{}{close}", printer.channel(channel), printer.received(arguments))
        }
        StatementKind::Assert(expr) => format!("assert({})", printer.expr(expr)),
        StatementKind::Printf { format, arguments } => {
            let mut text = format!("printf('{format}'");
            for argument in arguments {
                let _ = write!(text, ",{}", printer.expr(argument));
            }
            text + ")"
        }
        StatementKind::Printm(expr) => format!("printm({})", printer.expr(expr)),
        StatementKind::SetPriority { pid, priority } => {
            format!("set_priority({}, {})", printer.expr(pid), printer.expr(priority))
        }
        StatementKind::Else => "else".into(),
        StatementKind::Goto { label, .. } => format!("goto {label}"),
        StatementKind::Break => "break".into(),
        StatementKind::If(_) => "IF".into(),
        StatementKind::Do(_) => "DO".into(),
        StatementKind::Atomic(_) => "ATOMIC".into(),
        StatementKind::DStep(_) => "D_STEP".into(),
        StatementKind::Block(_) => "sub-sequence".into(),
        StatementKind::Unless { .. } => "unless".into(),
    }
}

/// An expression of a body whose variables are `locals`.
pub fn expr_text(model: &Model, locals: &[Variable], expr: &Expr) -> String {
    Printer { model, locals }.expr(expr)
}

/// The value as a person reads it: a symbolic name if the type has one for it, else the number.
pub fn value_text(model: &Model, set: Option<MtypeSetId>, value: i32) -> String {
    let name = set
        .and_then(|set| model.mtype_sets.get(set.0 as usize))
        .and_then(|set| set.names.iter().find(|(_, v, _)| *v == value))
        .map(|(name, ..)| name.clone());
    name.unwrap_or_else(|| value.to_string())
}

/// A temporal formula in SPIN's notation.
pub fn formula_text(model: &Model, formula: &Ltl) -> String {
    let inner = |f: &Ltl| format!("({})", formula_text(model, f));
    let both = |a: &Ltl, operator: &str, b: &Ltl| format!("{} {operator} {}", inner(a), inner(b));
    match formula {
        Ltl::Proposition(expr) => expr_text(model, &[], expr),
        Ltl::Not(a) => format!("! {}", inner(a)),
        Ltl::Next(a) => format!("X {}", inner(a)),
        Ltl::Always(a) => format!("[] {}", inner(a)),
        Ltl::Eventually(a) => format!("<> {}", inner(a)),
        Ltl::And(a, b) => both(a, "&&", b),
        Ltl::Or(a, b) => both(a, "||", b),
        Ltl::Implies(a, b) => both(a, "->", b),
        Ltl::Equivalent(a, b) => both(a, "<->", b),
        Ltl::Until(a, b) => both(a, "U", b),
        Ltl::WeakUntil(a, b) => both(a, "W", b),
        Ltl::Release(a, b) => both(a, "V", b),
    }
}

struct Printer<'a> {
    model: &'a Model,
    locals: &'a [Variable],
}

impl Printer<'_> {
    fn expr(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Constant { value, mtype } => value_text(self.model, *mtype, *value),
            ExprKind::Read(place) => self.place(place),
            ExprKind::Pid => "_pid".into(),
            ExprKind::NumberOfProcesses => "_nr_pr".into(),
            ExprKind::Last => "_last".into(),
            ExprKind::OwnPriority => "_priority".into(),
            ExprKind::NonProgress => "np_".into(),
            ExprKind::Timeout => "timeout".into(),
            ExprKind::Unary(op, a) => format!("{}({})", unary_text(*op), self.expr(a)),
            ExprKind::Binary(op, a, b) => format!("({}{}{})", self.expr(a), binary_text(*op), self.expr(b)),
            ExprKind::Conditional(a, b, c) => {
                format!("( ({}) -> ({}) : ({}) )", self.expr(a), self.expr(b), self.expr(c))
            }
            ExprKind::Run { proctype, arguments, .. } => {
                format!("run {}({})", self.proctype(*proctype), self.list(arguments))
            }
            ExprKind::Len(channel) => format!("len({})", self.channel(channel)),
            ExprKind::Empty(channel) => format!("empty({})", self.channel(channel)),
            ExprKind::NotEmpty(channel) => format!("nempty({})", self.channel(channel)),
            ExprKind::Full(channel) => format!("full({})", self.channel(channel)),
            ExprKind::NotFull(channel) => format!("nfull({})", self.channel(channel)),
            ExprKind::Poll { channel, random, arguments } => {
                let operator = if *random { "??" } else { "?" };
                format!("{}{operator}[{}]", self.channel(channel), self.received(arguments))
            }
            ExprKind::Enabled(pid) => format!("enabled({})", self.expr(pid)),
            ExprKind::PcValue(pid) => format!("pc_value({})", self.expr(pid)),
            ExprKind::GetPriority(pid) => format!("get_priority({})", self.expr(pid)),
            ExprKind::RemoteLabel { proctype, pid, label } => {
                let name = match proctype {
                    RemoteProcess::Proctype(id) => self.proctype(*id),
                    RemoteProcess::All(id) => return format!("({}[*]@{label})", self.proctype(*id)),
                    RemoteProcess::Claim(index) => {
                        self.model.claims.get(*index as usize).map_or("?", |c| c.name.as_str())
                    }
                };
                format!("({name}{}@{label})", self.index(pid.as_deref()))
            }
            ExprKind::RemoteVariable { proctype, pid, place } => {
                let locals = self.model.proctypes.get(proctype.0 as usize).map_or(&[][..], |p| &p.locals);
                let remote = locals.get(place.variable.0 as usize).map_or_else(
                    || "?".to_string(),
                    // Indices are written in terms of the variables here, the rest in terms of those there.
                    |variable| self.path(variable, place),
                );
                format!("{}{}:{remote}", self.proctype(*proctype), self.index(pid.as_deref()))
            }
        }
    }

    fn proctype(&self, id: ProctypeId) -> &str {
        self.model.proctypes.get(id.0 as usize).map_or("?", |p| p.name.as_str())
    }

    fn index(&self, pid: Option<&Expr>) -> String {
        pid.map_or(String::new(), |pid| format!("[{}]", self.expr(pid)))
    }

    fn channel(&self, channel: &ChannelRef) -> String {
        self.place(&channel.place)
    }

    fn list(&self, expressions: &[Expr]) -> String {
        expressions.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(",")
    }

    fn received(&self, arguments: &[ReceiveArgument]) -> String {
        let text = |argument: &ReceiveArgument| match argument {
            ReceiveArgument::Match(expr) if is_constant(expr) => self.expr(expr),
            ReceiveArgument::Match(expr) => format!("eval({})", self.expr(expr)),
            ReceiveArgument::Store(place) => self.place(place),
            ReceiveArgument::Discard(_) => "_".into(),
        };
        arguments.iter().map(text).collect::<Vec<_>>().join(",")
    }

    fn place(&self, place: &Place) -> String {
        let variables = match place.frame {
            crate::model::Frame::Global => &self.model.globals,
            crate::model::Frame::Local => self.locals,
        };
        variables
            .get(place.variable.0 as usize)
            .map_or_else(|| "?".into(), |variable| self.path(variable, place))
    }

    fn path(&self, variable: &Variable, place: &Place) -> String {
        let mut text = variable.name.clone();
        let mut rest = place.base.saturating_sub(variable.slot);
        let mut indices: std::slice::Iter<'_, Index> = place.indices.iter();
        let (mut ty, mut length) = (variable.ty, variable.length);
        loop {
            if length.is_some()
                && let Some(index) = indices.next()
            {
                let _ = write!(text, "[{}]", self.expr(&index.value));
            }
            let Some(field) = field_at(self.model, ty, rest) else { return text };
            let _ = write!(text, ".{}", field.name);
            rest -= field.offset;
            (ty, length) = (field.ty, field.length);
        }
    }
}

/// The field that a slot of a struct belongs to; `None` for a scalar.
fn field_at(model: &Model, ty: Type, slot: u32) -> Option<&Field> {
    let Type::Struct(id) = ty else { return None };
    model.typedefs.get(id.0 as usize)?.fields.iter().rev().find(|f| f.offset <= slot)
}

fn is_constant(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Constant { .. })
}

fn unary_text(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Negate => "-",
        UnaryOp::Complement => "~",
        UnaryOp::Not => "!",
    }
}

fn binary_text(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
    }
}
