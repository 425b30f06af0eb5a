//! What an expression may evaluate to, if variables hold one of a set of values each.
//!
//! Channels are symbolic here: a variable of type `chan` holds 0 (no channel) or `FIRST_CHANNEL` plus the index of a channel
//! of the analysis. Such values are compared and copied, never computed with; whoever computes with one gets everything.

use promela::model::{BinaryOp, ChannelRef, Expr, ExprKind, Frame, Place, Scalar};

use crate::values::sets::{Values, truth_of};

/// Value of the first channel of the analysis. Above everything that a `short` holds, so that a mistake shows.
pub const FIRST_CHANNEL: i32 = 1 << 20;

/// No channel has a larger number in any run.
pub const LARGEST_CHANNEL_NUMBER: i32 = system::limits::Limits::WIDE.channels as i32;

/// Slots that a place with unknown indices may mean before they are all taken together.
const LARGEST_PLACE: usize = 8192;

/// What variables may hold.
pub trait Environment {
    /// Values of a slot.
    fn slot(&self, frame: Frame, slot: u32) -> Values;
    /// Value of `_pid`.
    fn pid(&self) -> Values;
    /// How many messages one of these channels may hold; the range of what `len` may say.
    fn length(&self, channels: &Values) -> Values;
    /// Whether two equal values of this channel may yet be two channels (there are several of its kind).
    fn is_one_channel(&self, channel: i32) -> bool;
}

/// An environment in which one slot is known to hold other values.
pub struct Override<'a, E: Environment> {
    /// Everything else.
    pub base: &'a E,
    /// Which slot.
    pub cell: (Frame, u32),
    /// What it holds.
    pub values: Values,
}

impl<E: Environment> Environment for Override<'_, E> {
    fn slot(&self, frame: Frame, slot: u32) -> Values {
        if self.cell == (frame, slot) { self.values.clone() } else { self.base.slot(frame, slot) }
    }
    fn pid(&self) -> Values {
        self.base.pid()
    }
    fn length(&self, channels: &Values) -> Values {
        self.base.length(channels)
    }
    fn is_one_channel(&self, channel: i32) -> bool {
        self.base.is_one_channel(channel)
    }
}

/// Slots that a place may mean; empty if every index is outside its array.
pub fn slots_of<E: Environment>(place: &Place, environment: &E) -> Vec<u32> {
    let mut slots = vec![place.base];
    for index in &place.indices {
        let within = evaluate(&index.value, environment).meet(&Values::range(0, index.length as i32 - 1));
        let offsets: Vec<u32> = match &within {
            Values::Set(values) => values.iter().map(|&value| value as u32 * index.stride).collect(),
            Values::Range(low, high) => (*low..=*high).map(|value| value as u32 * index.stride).collect(),
        };
        let offsets = if slots.len() * offsets.len() > LARGEST_PLACE {
            (0..index.length).map(|i| i * index.stride).collect()
        } else {
            offsets
        };
        slots = slots.iter().flat_map(|slot| offsets.iter().map(move |offset| slot + offset)).collect();
    }
    slots
}

/// Values that a place may hold.
pub fn read<E: Environment>(place: &Place, environment: &E) -> Values {
    let mut values = Values::empty();
    for slot in slots_of(place, environment) {
        values.join_with(&environment.slot(place.frame, slot));
    }
    values
}

/// Channels (and 0) that a reference may mean.
pub fn channels<E: Environment>(channel: &ChannelRef, environment: &E) -> Values {
    if channel.place.scalar == Scalar::Chan { read(&channel.place, environment) } else { any_channel() }
}

/// No channel, or any.
pub fn any_channel() -> Values {
    Values::range(0, i32::MAX)
}

/// Values of an expression that is stored in a variable or field of type `scalar`.
pub fn evaluate_for<E: Environment>(expr: &Expr, scalar: Scalar, environment: &E) -> Values {
    if scalar == Scalar::Chan {
        return match &expr.kind {
            ExprKind::Read(place) if place.scalar == Scalar::Chan => read(place, environment),
            ExprKind::Constant { value: 0, .. } => Values::single(0),
            ExprKind::Conditional(condition, yes, no) => {
                let condition = evaluate(condition, environment);
                let mut values = Values::empty();
                if condition.may_be_true() {
                    values.join_with(&evaluate_for(yes, scalar, environment));
                }
                if condition.may_be_false() {
                    values.join_with(&evaluate_for(no, scalar, environment));
                }
                values
            }
            _ => any_channel(),
        };
    }
    evaluate(expr, environment).truncate(scalar)
}

/// Values of an expression; a channel counts as any small number.
pub fn evaluate<E: Environment>(expr: &Expr, environment: &E) -> Values {
    match &expr.kind {
        ExprKind::Constant { value, .. } => Values::single(*value),
        ExprKind::Read(place) if place.scalar == Scalar::Chan => {
            // The number of a channel is nothing to compute with, but whether there is one is known.
            match read(place, environment) {
                values if values.is_empty() => values,
                values if values == Values::single(0) => values,
                values if values.contains(0) => Values::range(0, LARGEST_CHANNEL_NUMBER),
                _ => Values::range(1, LARGEST_CHANNEL_NUMBER),
            }
        }
        ExprKind::Read(place) => read(place, environment),
        ExprKind::Pid => environment.pid(),
        ExprKind::NumberOfProcesses | ExprKind::Last | ExprKind::OwnPriority => Values::all(),
        ExprKind::NonProgress | ExprKind::Timeout | ExprKind::Enabled(_) => Values::truth(),
        ExprKind::PcValue(_) | ExprKind::GetPriority(_) => Values::all(),
        ExprKind::RemoteLabel { .. } => Values::truth(),
        ExprKind::RemoteVariable { place, .. } => Values::of_type(place.scalar),
        ExprKind::Unary(op, operand) => evaluate(operand, environment).unary(*op),
        ExprKind::Binary(op, left, right) => evaluate_binary(*op, left, right, environment),
        ExprKind::Conditional(condition, yes, no) => {
            let condition = evaluate(condition, environment);
            let mut values = Values::empty();
            if condition.may_be_true() {
                values.join_with(&evaluate(yes, environment));
            }
            if condition.may_be_false() {
                values.join_with(&evaluate(no, environment));
            }
            values
        }
        // The pid of the new process, or 0 where there is no room for another one.
        ExprKind::Run { .. } => Values::all(),
        ExprKind::Len(channel) => environment.length(&channels(channel, environment)),
        ExprKind::Empty(channel) => {
            let length = environment.length(&channels(channel, environment));
            truth_of(length.contains(0), length.may_be_true())
        }
        ExprKind::NotEmpty(channel) => {
            let length = environment.length(&channels(channel, environment));
            truth_of(length.may_be_true(), length.contains(0))
        }
        ExprKind::Full(_) | ExprKind::NotFull(_) => Values::truth(),
        ExprKind::Poll { channel, .. } => {
            truth_of(environment.length(&channels(channel, environment)).may_be_true(), true)
        }
    }
}

fn evaluate_binary<E: Environment>(op: BinaryOp, left: &Expr, right: &Expr, environment: &E) -> Values {
    match op {
        // The right side is not evaluated, so may well be an error, where the left side decides.
        BinaryOp::And | BinaryOp::Or => {
            let first = evaluate(left, environment);
            let goes_on = if op == BinaryOp::And { first.may_be_true() } else { first.may_be_false() };
            let decided = if op == BinaryOp::And { first.may_be_false() } else { first.may_be_true() };
            let second = if goes_on { evaluate(right, environment) } else { Values::empty() };
            match op {
                BinaryOp::And => truth_of(second.may_be_true(), decided || second.may_be_false()),
                _ => truth_of(decided || second.may_be_true(), second.may_be_false()),
            }
        }
        BinaryOp::Equal | BinaryOp::NotEqual => match (channel_operand(left), channel_operand(right)) {
            (Some(a), Some(b)) => {
                let (a, b) = (read(a, environment), read(b, environment));
                let may_be_equal = a.intersects(&b);
                let may_differ = match (a.as_single(), b.as_single()) {
                    (Some(a), Some(b)) => a != b || (a != 0 && !environment.is_one_channel(a)),
                    _ => !a.is_empty() && !b.is_empty(),
                };
                if op == BinaryOp::Equal {
                    truth_of(may_be_equal, may_differ)
                } else {
                    truth_of(may_differ, may_be_equal)
                }
            }
            _ => evaluate(left, environment).binary(op, &evaluate(right, environment)),
        },
        _ => evaluate(left, environment).binary(op, &evaluate(right, environment)),
    }
}

fn channel_operand(expr: &Expr) -> Option<&Place> {
    match &expr.kind {
        ExprKind::Read(place) if place.scalar == Scalar::Chan => Some(place),
        _ => None,
    }
}
