//! `for` and `select` as the loops that SPIN makes of them, statement by statement, since its state graph depends on it.

use super::Resolver;
use super::declaration::constant;
use super::place::Target;
use super::statement::plain;
use crate::ast::{self, ForRange, SelectForm};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::model::{
    BinaryOp, ChannelRef, Expr, ExprKind, Frame, Initializer, Place, ReceiveArgument, Scalar, Sequence,
    Statement, StatementKind, StatementLabel, Type, Variable, Visibility,
};
use crate::source::Span;

/// Channels with more places than this need a wider counter in SPIN's `for`.
const LARGEST_BYTE: u32 = 255;

/// How a `for` begins: `counter = start; do :: option…`.
struct LoopHead {
    counter: Place,
    start: Expr,
    /// The condition, and what comes between it and the body.
    option: Vec<Statement>,
}

impl<'a> Resolver<'a> {
    /// `for (i : a .. b) { body }` is `i = a; do :: i <= b; body; i++ :: else -> break od`.
    pub(super) fn for_loop(
        &mut self,
        variable: &ast::Reference,
        range: &'a ForRange,
        body: &'a ast::Sequence,
        scope: &ast::ScopePath,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Option<StatementKind> {
        let head = match range {
            ForRange::Numbers { from, to } => self.loop_between(variable, from, to, span),
            ForRange::Elements(elements) => self.loop_over(variable, elements, scope, span),
        };
        self.loops += 1;
        let body = self.block(body);
        self.loops -= 1;
        let LoopHead { counter, start, mut option } = head?;
        out.push(plain(StatementKind::Assign { place: counter.clone(), value: start }, span));
        option.extend(body.statements);
        option.push(plain(increment_by_one(counter, true, span), span));
        let leave = vec![plain(StatementKind::Else, span), plain(StatementKind::Break, span)];
        Some(StatementKind::Do(vec![Sequence { statements: option }, Sequence { statements: leave }]))
    }

    fn loop_between(
        &mut self,
        variable: &ast::Reference,
        from: &ast::Expr,
        to: &ast::Expr,
        span: Span,
    ) -> Option<LoopHead> {
        let start = self.expr(from);
        let to = self.expr(to);
        if let (ExprKind::Constant { value: a, .. }, ExprKind::Constant { value: b, .. }) =
            (&start.kind, &to.kind)
            && a > b
        {
            self.error(codes::EMPTY_RANGE, span, format!("empty range {a} .. {b}"));
        }
        let counter = self.loop_variable(variable)?;
        let condition = compare(&counter, BinaryOp::LessEqual, to, span);
        Some(LoopHead { counter, start, option: vec![plain(StatementKind::Condition(condition), span)] })
    }

    /// A variable that counts: a scalar, not a channel.
    fn loop_variable(&mut self, variable: &ast::Reference) -> Option<Place> {
        let place = self.written_place(variable)?;
        self.read(&place);
        if place.scalar == Scalar::Chan {
            self.error(codes::BAD_LOOP_VARIABLE, variable.span, "a channel cannot count");
            return None;
        }
        if !variable.rest.is_empty() || !place.indices.is_empty() {
            self.error(
                codes::BAD_LOOP_VARIABLE,
                variable.span,
                "only a plain variable can count, not an element or a field",
            );
            return None;
        }
        Some(place)
    }

    fn loop_over(
        &mut self,
        variable: &ast::Reference,
        elements: &ast::Reference,
        scope: &ast::ScopePath,
        span: Span,
    ) -> Option<LoopHead> {
        if let Some(length) = self.array_length(elements) {
            let counter = self.loop_variable(variable)?;
            let to = constant(length as i32 - 1, span);
            let condition = compare(&counter, BinaryOp::LessEqual, to, span);
            let option = vec![plain(StatementKind::Condition(condition), span)];
            return Some(LoopHead { counter, start: constant(0, span), option });
        }
        let channel = self.channel_to_rotate(elements)?;
        let fields = self.fields_to_receive(variable, &channel)?;
        let ty = &self.model.channel_types[channel.declared?.0 as usize];
        if ty.capacity == 0 {
            self.error(
                codes::BAD_LOOP_RANGE,
                elements.span,
                "a rendezvous channel has no messages to go through",
            );
            return None;
        }
        let counter = self.channel_counter(scope, ty.capacity, span);
        let length = Expr { kind: ExprKind::Len(channel.clone()), span };
        let condition = StatementKind::Condition(compare(&counter, BinaryOp::Less, length, span));
        // Each message is taken out and put back, so that the channel is as before when all were seen.
        let take = StatementKind::Receive {
            channel: channel.clone(),
            random: false,
            copy: false,
            arguments: fields.iter().cloned().map(ReceiveArgument::Store).collect(),
        };
        let put_back = StatementKind::Send {
            channel,
            sorted: false,
            arguments: fields.into_iter().map(|f| Expr { kind: ExprKind::Read(f), span }).collect(),
        };
        let option = vec![plain(condition, span), plain(take, span), plain(put_back, span)];
        Some(LoopHead { counter, start: constant(0, span), option })
    }

    /// The length of an array that is a variable.
    fn array_length(&mut self, elements: &ast::Reference) -> Option<u32> {
        let (_, _, variable) = self.lookup(&elements.head().text)?;
        let whole = elements.rest.is_empty() && elements.first.index.is_none();
        if whole { variable.length } else { None }
    }

    fn channel_to_rotate(&mut self, elements: &ast::Reference) -> Option<ChannelRef> {
        let name = elements.last().text.clone();
        let (place, declared) = match self.target(elements)? {
            Target::Scalar { place, declared } if place.scalar == Scalar::Chan => (place, declared),
            Target::Array => {
                self.error(
                    codes::BAD_LOOP_RANGE,
                    elements.span,
                    format!("`{name}` is a field: only an array that is a variable will do"),
                );
                return None;
            }
            _ => {
                self.error(
                    codes::BAD_LOOP_RANGE,
                    elements.span,
                    format!("`{name}` is neither an array nor a channel"),
                );
                return None;
            }
        };
        if declared.is_none() {
            self.error(codes::BAD_LOOP_RANGE, elements.span, "it is not known what this channel carries");
            return None;
        }
        self.read(&place);
        Some(ChannelRef { place, declared })
    }

    fn fields_to_receive(&mut self, variable: &ast::Reference, channel: &ChannelRef) -> Option<Vec<Place>> {
        let Some(Target::Struct { place, typedef }) = self.target(variable) else {
            self.report(
                Diagnostic::error(
                    codes::BAD_LOOP_RANGE,
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
            self.error(codes::BAD_LOOP_RANGE, variable.span, "this struct is not what the channel carries");
            return None;
        }
        for field in &fields {
            self.assigned(field);
            self.read(field);
        }
        Some(fields)
    }

    /// SPIN's hidden counter: one for each block in which there is such a loop.
    fn channel_counter(&mut self, scope: &ast::ScopePath, capacity: u32, span: Span) -> Place {
        let scalar = if capacity > LARGEST_BYTE { Scalar::Short } else { Scalar::Byte };
        let known = self.frame.counters.get(scope).copied();
        let id = known.unwrap_or_else(|| {
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
        });
        self.deeds.usage.read.insert((self.frame.id, id));
        let variable = &mut self.frame.variables[id.0 as usize];
        // As in SPIN, the last loop of the block decides about the width.
        variable.ty = Type::Scalar(scalar);
        Place { frame: Frame::Local, variable: id, base: variable.slot, indices: Vec::new(), scalar, span }
    }

    /// `select (i : a .. b)`: one option a value if there are few and they are literal; else count up or stop.
    pub(super) fn select(
        &mut self,
        selected: &Selected<'_>,
        labels: &mut Vec<StatementLabel>,
        out: &mut Vec<Statement>,
    ) -> Option<StatementKind> {
        let span = selected.span;
        let from = self.expr(selected.from);
        let to = self.expr(selected.to);
        let place = self.loop_variable(selected.variable)?;
        self.check_range(&to, place.scalar, &selected.variable.head().text);
        if selected.form == SelectForm::Options {
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
        let literal = selected.form == SelectForm::Literal;
        let start_labels = if literal { std::mem::take(labels) } else { Vec::new() };
        out.push(Statement { labels: start_labels, kind: start, span });
        let step = increment_by_one(place, true, span);
        let count = Sequence { statements: vec![plain(condition, span), plain(step, span)] };
        let stop = Sequence { statements: vec![plain(StatementKind::Break, span)] };
        Some(StatementKind::Do(if literal { vec![count, stop] } else { vec![stop, count] }))
    }
}

/// A `select` as it was parsed.
pub(super) struct Selected<'b> {
    pub variable: &'b ast::Reference,
    pub from: &'b ast::Expr,
    pub to: &'b ast::Expr,
    pub form: SelectForm,
    pub span: Span,
}

fn compare(place: &Place, comparison: BinaryOp, with: Expr, span: Span) -> Expr {
    let read = Expr { kind: ExprKind::Read(place.clone()), span };
    Expr { kind: ExprKind::Binary(comparison, Box::new(read), Box::new(with)), span }
}

pub(super) fn increment_by_one(place: Place, increment: bool, span: Span) -> StatementKind {
    let op = if increment { BinaryOp::Add } else { BinaryOp::Subtract };
    let read = Expr { kind: ExprKind::Read(place.clone()), span };
    let value = Expr { kind: ExprKind::Binary(op, Box::new(read), Box::new(constant(1, span))), span };
    StatementKind::Assign { place, value }
}
