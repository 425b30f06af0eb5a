//! Expressions over sets of values: every value that the expression may have, and nothing is forgotten.
//!
//! An evaluation that ends in a runtime error (a division by zero, an index out of range) ends the run, so it contributes no
//! value; an operand that is not evaluated (of `&&`, `||` and `->`) is not evaluated here either. Arithmetic is that of C's 32-bit
//! integers with wrapping, as SPIN's verifier computes. A channel that is used as a number is some number from 1 up. What this
//! module does not understand it refuses (R12).

use super::environment::Environment;
use super::rule::Broken;
use crate::claims::{Claims, ObjectId, ObjectPlace};
use crate::values::{Interval, Values};
use promela::model::{BinaryOp, ChannelRef, Expr, ExprKind, Frame, Place, RemoteProcess, Scalar, UnaryOp};
use system::automaton::System;
use system::limits::Limits;

/// Sets with more pairs of elements than this are combined by their least and largest elements.
const MOST_PAIRS: u64 = 4096;
/// A condition on slots with more combinations of values than this is not used to narrow them one by one.
const MOST_COMBINATIONS: u64 = 1024;
/// An index or a matched value with more values than this is not told apart.
const MOST_ALTERNATIVES: u64 = 4096;

/// Evaluates expressions of one system under some claims.
#[derive(Clone, Copy)]
pub struct Evaluator<'a> {
    /// The system.
    pub system: &'a System,
    /// The claims, for channels.
    pub claims: &'a Claims,
}

impl<'a> Evaluator<'a> {
    /// All values that the expression may have.
    pub fn evaluate(&self, environment: &Environment, expr: &Expr) -> Result<Values, Broken> {
        Ok(match &expr.kind {
            ExprKind::Constant { value, .. } => Values::integer(*value),
            ExprKind::Read(place) => self.read(environment, place)?,
            ExprKind::Pid => environment.pid.clone(),
            ExprKind::NumberOfProcesses | ExprKind::Last => Values::interval(0, i32::MAX),
            ExprKind::OwnPriority | ExprKind::GetPriority(_) | ExprKind::PcValue(_) => Values::all_integers(),
            ExprKind::NonProgress
            | ExprKind::Timeout
            | ExprKind::Empty(_)
            | ExprKind::NotEmpty(_)
            | ExprKind::Full(_)
            | ExprKind::NotFull(_)
            | ExprKind::Poll { .. }
            | ExprKind::Enabled(_) => Values::truth_values(),
            ExprKind::RemoteLabel { proctype, .. } => match proctype {
                RemoteProcess::All(_) => Values::interval(0, i32::MAX), // how many stand there
                RemoteProcess::Proctype(_) | RemoteProcess::Claim(_) => Values::truth_values(),
            },
            ExprKind::Len(_) => Values::interval(0, i32::MAX),
            // The process that is meant may be of another type, so the slot may be of another type than the text says.
            ExprKind::RemoteVariable { .. } => Values::all_integers(),
            ExprKind::Unary(operator, operand) => {
                let values = self.evaluate(environment, operand)?;
                match operator {
                    UnaryOp::Not => unary(*operator, &values),
                    _ => unary(*operator, &self.numbers(&values)),
                }
            }
            ExprKind::Binary(BinaryOp::And, left, right) => {
                self.short_circuit(environment, (left, right), false)?
            }
            ExprKind::Binary(BinaryOp::Or, left, right) => {
                self.short_circuit(environment, (left, right), true)?
            }
            ExprKind::Binary(operator, left, right) => {
                let left = self.evaluate(environment, left)?;
                let right = self.evaluate(environment, right)?;
                self.binary(*operator, &left, &right)
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let mut values = Values::none();
                for branch in self.narrow(environment, condition, true)? {
                    values = values.union(&self.evaluate(&branch, then)?);
                }
                for branch in self.narrow(environment, condition, false)? {
                    values = values.union(&self.evaluate(&branch, otherwise)?);
                }
                values
            }
            ExprKind::Run { .. } => return Err(Broken::not_understood("`run` inside an expression")),
        })
    }

    /// The environments in which the expression is true (or false), narrowed by that. Together they cover all cases.
    pub fn narrow(
        &self,
        environment: &Environment<'a>,
        expr: &Expr,
        truth: bool,
    ) -> Result<Vec<Environment<'a>>, Broken> {
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, operand) => return self.narrow(environment, operand, !truth),
            ExprKind::Binary(BinaryOp::And, left, right) => {
                return self.narrow_both(environment, (left, right), true, truth);
            }
            ExprKind::Binary(BinaryOp::Or, left, right) => {
                return self.narrow_both(environment, (left, right), false, truth);
            }
            _ => {}
        }
        let by_bounds = || match &expr.kind {
            ExprKind::Binary(operator, left, right) => {
                self.narrow_by_bounds(environment, (*operator, left, right), truth)
            }
            _ => Ok(None),
        };
        // Of two different variables, and of a variable and a constant, the ends say all that trying would.
        if is_plain(expr)
            && let Some(narrowed) = by_bounds()?
        {
            return Ok(narrowed);
        }
        if let Some(narrowed) = self.narrow_by_trying(environment, expr, truth)? {
            return Ok(narrowed);
        }
        if let Some(narrowed) = by_bounds()? {
            return Ok(narrowed);
        }
        let values = self.evaluate(environment, expr)?;
        let possible = if truth { may_be_true(&values) } else { values.contains(0) };
        Ok(if possible { vec![environment.clone()] } else { Vec::new() })
    }

    /// Alternatives in which the expression has one known integer value each.
    pub fn determine(
        &self,
        environment: &Environment<'a>,
        expr: &Expr,
    ) -> Result<Vec<(i32, Environment<'a>)>, Broken> {
        let values = self.evaluate(environment, expr)?;
        if !values.channels.is_empty() {
            return Err(Broken::not_understood("a channel is used as a number"));
        }
        if let Some(value) = values.single_integer() {
            return Ok(vec![(value, environment.clone())]);
        }
        if values.count() > MOST_ALTERNATIVES {
            return Err(Broken::not_understood(format!("an index with {} possible values", values.count())));
        }
        let mut alternatives = Vec::new();
        for value in values.iter_integers() {
            let constant = Expr { kind: ExprKind::Constant { value, mtype: None }, span: expr.span };
            let kind = ExprKind::Binary(BinaryOp::Equal, Box::new(expr.clone()), Box::new(constant));
            for narrowed in self.narrow(environment, &Expr { kind, span: expr.span }, true)? {
                alternatives.push((value, narrowed));
            }
        }
        Ok(alternatives)
    }

    /// Alternatives in which the place is one known slot.
    pub fn locate(
        &self,
        environment: &Environment<'a>,
        place: &Place,
    ) -> Result<Vec<(u32, Environment<'a>)>, Broken> {
        let mut found = vec![(place.base, environment.clone())];
        for index in &place.indices {
            let mut next = Vec::new();
            for (slot, environment) in found {
                for (value, narrowed) in self.determine(&environment, &index.value)? {
                    // An index out of range is a runtime error: the run ends here.
                    if (0..i64::from(index.length)).contains(&i64::from(value)) {
                        next.push((element(slot, value, index.stride)?, narrowed));
                    }
                }
            }
            found = next;
        }
        Ok(found)
    }

    /// Alternatives in which the channel is one known object. The value 0 is no channel: a runtime error.
    pub fn resolve(
        &self,
        environment: &Environment<'a>,
        channel: &ChannelRef,
    ) -> Result<Vec<(ObjectId, Environment<'a>)>, Broken> {
        let mut found = Vec::new();
        for (slot, environment) in self.locate(environment, &channel.place)? {
            let frame = channel.place.frame;
            let values = environment.get(frame, slot);
            if values.integers.iter().any(|interval| (interval.low, interval.high) != (0, 0)) {
                return Err(Broken::not_understood(
                    "a channel variable may hold a number that is no known channel",
                ));
            }
            for &object in &values.channels {
                let mut narrowed = environment.clone();
                narrowed.set(frame, slot, Values::channel(object));
                found.push((object, narrowed));
            }
        }
        Ok(found)
    }

    fn read(&self, environment: &Environment, place: &Place) -> Result<Values, Broken> {
        let mut slots = vec![place.base];
        for index in &place.indices {
            let values = self.evaluate(environment, &index.value)?;
            if !values.channels.is_empty() {
                return Err(Broken::not_understood("a channel is used as an index"));
            }
            let last = i32::try_from(index.length).unwrap_or(i32::MAX).saturating_sub(1);
            let inside = values.intersection(&Values::interval(0, last));
            let mut next = Vec::new();
            for slot in slots {
                for value in inside.iter_integers() {
                    next.push(element(slot, value, index.stride)?);
                }
            }
            slots = next;
        }
        let mut values = Values::none();
        for slot in slots {
            if place.frame == Frame::Global
                && self.system.global_slots.get(slot as usize).is_some_and(|s| s.hidden)
            {
                // A hidden variable is not part of the state, so nothing that it held can be relied on.
                if place.scalar == Scalar::Chan {
                    return Err(Broken::not_understood("a hidden channel variable is read"));
                }
                let (low, high) = place.scalar.range();
                return Ok(Values::interval(low, high));
            }
            values = values.union(&environment.get(place.frame, slot));
        }
        Ok(values)
    }

    /// Narrowing by `a && b` (`conjunction`) or `a || b`.
    fn narrow_both(
        &self,
        environment: &Environment<'a>,
        (left, right): (&Expr, &Expr),
        conjunction: bool,
        truth: bool,
    ) -> Result<Vec<Environment<'a>>, Broken> {
        let mut narrowed = Vec::new();
        // For `a && b` to be true both must be; to be false, `a` is false, or `a` is true and `b` false. `||` is the same
        // with the truth values exchanged.
        if conjunction != truth {
            narrowed.extend(self.narrow(environment, left, truth)?);
        }
        for environment in self.narrow(environment, left, conjunction)? {
            narrowed.extend(self.narrow(&environment, right, truth)?);
        }
        Ok(narrowed)
    }

    /// Tries every combination of values of the slots that the expression reads, if they are few and known.
    fn narrow_by_trying(
        &self,
        environment: &Environment<'a>,
        expr: &Expr,
        truth: bool,
    ) -> Result<Option<Vec<Environment<'a>>>, Broken> {
        let mut places = Vec::new();
        if !collect_places(expr, &mut places) {
            return Ok(None);
        }
        let mut slots: Vec<(Frame, u32, Values)> = Vec::new();
        let mut combinations: u64 = 1;
        for place in places {
            let hidden = place.frame == Frame::Global
                && self.system.global_slots.get(place.base as usize).is_some_and(|slot| slot.hidden);
            if !place.indices.is_empty() || hidden {
                return Ok(None);
            }
            if slots.iter().any(|(frame, slot, _)| (*frame, *slot) == (place.frame, place.base)) {
                continue;
            }
            let values = environment.get(place.frame, place.base);
            combinations = combinations.saturating_mul(values.count());
            slots.push((place.frame, place.base, values));
        }
        if combinations > MOST_COMBINATIONS {
            return Ok(None);
        }
        let mut kept = vec![Values::none(); slots.len()];
        let mut possible = false;
        for mut number in 0..combinations {
            let mut trial = environment.clone();
            let mut chosen = Vec::with_capacity(slots.len());
            for (frame, slot, values) in &slots {
                let count = values.count();
                let value = nth(values, number.checked_rem(count).unwrap_or(0));
                number = number.checked_div(count).unwrap_or(0);
                trial.set(*frame, *slot, value.clone());
                chosen.push(value);
            }
            let result = self.evaluate(&trial, expr)?;
            if if truth { may_be_true(&result) } else { result.contains(0) } {
                possible = true;
                for (kept, value) in kept.iter_mut().zip(&chosen) {
                    *kept = kept.union(value);
                }
            }
        }
        if !possible {
            return Ok(Some(Vec::new()));
        }
        let mut narrowed = environment.clone();
        for ((frame, slot, _), kept) in slots.into_iter().zip(kept) {
            narrowed.set(frame, slot, kept);
        }
        Ok(Some(vec![narrowed]))
    }

    /// Narrows a variable that is compared with something, by the other side's least and largest value.
    fn narrow_by_bounds(
        &self,
        environment: &Environment<'a>,
        (operator, left, right): (BinaryOp, &Expr, &Expr),
        truth: bool,
    ) -> Result<Option<Vec<Environment<'a>>>, Broken> {
        let Some(operator) = (if truth { Some(operator) } else { negated(operator) }) else {
            return Ok(None);
        };
        let mut narrowed = environment.clone();
        let mut understood = false;
        for (this, operator, other) in [(left, Some(operator), right), (right, mirrored(operator), left)] {
            let (ExprKind::Read(place), Some(operator)) = (&this.kind, operator) else { continue };
            let hidden = place.frame == Frame::Global
                && self.system.global_slots.get(place.base as usize).is_some_and(|slot| slot.hidden);
            let values = self.evaluate(&narrowed, other)?;
            let Some(Interval { low, high }) = values.hull() else { continue };
            if !place.indices.is_empty() || hidden || !values.channels.is_empty() {
                continue;
            }
            let allowed = match operator {
                BinaryOp::Less if high == i32::MIN => Values::none(),
                BinaryOp::Less => Values::interval(i32::MIN, high.saturating_sub(1)),
                BinaryOp::LessEqual => Values::interval(i32::MIN, high),
                BinaryOp::Greater if low == i32::MAX => Values::none(),
                BinaryOp::Greater => Values::interval(low.saturating_add(1), i32::MAX),
                BinaryOp::GreaterEqual => Values::interval(low, i32::MAX),
                BinaryOp::Equal => values.clone(),
                BinaryOp::NotEqual if low == high => Values::all_integers().difference(&values),
                // Whatever it is, something else among several values differs from it.
                BinaryOp::NotEqual => Values::all_integers(),
                _ => continue,
            };
            let before = narrowed.get(place.frame, place.base);
            if !before.channels.is_empty() {
                continue;
            }
            understood = true;
            let after = before.intersection(&allowed);
            if after.is_empty() {
                return Ok(Some(Vec::new()));
            }
            narrowed.set(place.frame, place.base, after);
        }
        Ok(understood.then(|| vec![narrowed]))
    }

    /// The values of `a && b` (the value that `decides` alone is false) or `a || b` (true): `b` is evaluated only where `a` does not
    /// decide.
    fn short_circuit(
        &self,
        environment: &Environment,
        (left, right): (&Expr, &Expr),
        decides: bool,
    ) -> Result<Values, Broken> {
        let mut results = Vec::new();
        if truth_values_of(&self.evaluate(environment, left)?).contains(&decides) {
            results.push(i32::from(decides));
        }
        for branch in self.narrow(environment, left, !decides)? {
            let values = self.evaluate(&branch, right)?;
            results.extend(truth_values_of(&values).into_iter().map(i32::from));
        }
        Ok(Values::integers(results))
    }

    fn binary(&self, operator: BinaryOp, left: &Values, right: &Values) -> Values {
        if left.is_empty() || right.is_empty() {
            return Values::none();
        }
        let has_channels = !(left.channels.is_empty() && right.channels.is_empty());
        if has_channels && matches!(operator, BinaryOp::Equal | BinaryOp::NotEqual) {
            return self.compare_channels(operator, left, right);
        }
        let (left, right) = (self.numbers(left), self.numbers(right));
        if let Some(truths) = compare(operator, &left, &right) {
            return truths;
        }
        if left.count().saturating_mul(right.count()) <= MOST_PAIRS {
            let mut results = Vec::new();
            for a in left.iter_integers() {
                results.extend(right.iter_integers().filter_map(|b| compute(operator, a, b)));
            }
            return Values::integers(results);
        }
        match (left.hull(), right.hull()) {
            (Some(a), Some(b)) => combine_hulls(operator, a, b),
            _ => Values::all_integers(),
        }
    }

    /// The values as numbers: of a channel nothing is known but that its number is not 0.
    fn numbers(&self, values: &Values) -> Values {
        if values.channels.is_empty() {
            return values.clone();
        }
        let integers = Values { integers: values.integers.clone(), channels: Vec::new() };
        integers.union(&channel_numbers(self.system))
    }

    /// Whether two values are equal of which one may be a channel. Channels of different objects are different, since the names of
    /// a channel end with it (R20); a number may be the number of any channel.
    fn compare_channels(&self, operator: BinaryOp, left: &Values, right: &Values) -> Values {
        let mut equal = false;
        let mut different = false;
        for object in left.channels.iter().filter(|object| right.contains_channel(**object)) {
            equal = true;
            let place = self.claims.objects.get(object.index()).map(|object| object.place);
            different |= !matches!(place, Some(ObjectPlace::Global { .. }));
        }
        different |= left.channels.iter().any(|a| right.channels.iter().any(|b| a != b));
        // A channel is never 0; another number may be the number of a channel.
        for (channels, numbers) in [(left, right), (right, left)] {
            if !channels.channels.is_empty() && !numbers.integers.is_empty() {
                different = true;
                equal |= !numbers.difference(&Values::integer(0)).integers.is_empty();
            }
        }
        equal |= !left.intersection(right).integers.is_empty();
        let truth = |holds: bool| i32::from(holds == (operator == BinaryOp::Equal));
        let mut results = Vec::new();
        if equal {
            results.push(truth(true));
        }
        if different {
            results.push(truth(false));
        }
        Values::integers(results)
    }
}

/// What is stored when one of the values is assigned to a scalar of this type: channels stay channels in a `chan` and become
/// numbers elsewhere. A number does not become a channel (R4).
pub fn truncate(system: &System, scalar: Scalar, values: &Values) -> Result<Values, Broken> {
    if scalar == Scalar::Chan {
        let numbers = Values { integers: values.integers.clone(), channels: Vec::new() };
        return match numbers.is_subset(&Values::integer(0)) {
            true => Ok(values.clone()),
            false => Err(Broken::not_understood("a number is stored in a channel variable")),
        };
    }
    let mut integers = Values { integers: values.integers.clone(), channels: Vec::new() };
    if !values.channels.is_empty() {
        integers = integers.union(&channel_numbers(system));
    }
    let (low, high) = scalar.range();
    let range = Values::interval(low, high);
    let limits = Limits::of(&system.model);
    Ok(if integers.is_subset(&range) {
        integers
    } else if integers.count() <= MOST_PAIRS {
        Values::integers(integers.iter_integers().map(|value| limits.stored(scalar, value)))
    } else {
        range
    })
}

/// Numbers that a channel may have.
fn channel_numbers(system: &System) -> Values {
    Values::interval(1, i32::try_from(Limits::of(&system.model).channels).unwrap_or(i32::MAX))
}

/// The slot of an element.
fn element(base: u32, index: i32, stride: u32) -> Result<u32, Broken> {
    let offset = u32::try_from(index).ok().and_then(|index| index.checked_mul(stride));
    let slot = offset.and_then(|offset| base.checked_add(offset));
    slot.ok_or_else(|| Broken::not_understood("an index beyond all slots"))
}

/// Whether one of the values counts as true.
pub fn may_be_true(values: &Values) -> bool {
    !values.difference(&Values::integer(0)).is_empty()
}

fn truth_values_of(values: &Values) -> Vec<bool> {
    let mut truths = Vec::new();
    if values.contains(0) {
        truths.push(false);
    }
    if may_be_true(values) {
        truths.push(true);
    }
    truths
}

fn nth(values: &Values, mut index: u64) -> Values {
    for interval in &values.integers {
        let length = interval.count();
        if index < length {
            return Values::integer(interval.low.wrapping_add_unsigned(index as u32));
        }
        index = index.saturating_sub(length);
    }
    Values::channel(values.channels[index as usize])
}

/// Places that the expression reads; false if its value depends on anything else than these.
fn collect_places<'e>(expr: &'e Expr, places: &mut Vec<&'e Place>) -> bool {
    match &expr.kind {
        ExprKind::Constant { .. } => true,
        ExprKind::Read(place) => {
            places.push(place);
            true
        }
        ExprKind::Unary(_, operand) => collect_places(operand, places),
        ExprKind::Binary(_, left, right) => collect_places(left, places) && collect_places(right, places),
        ExprKind::Conditional(a, b, c) => {
            collect_places(a, places) && collect_places(b, places) && collect_places(c, places)
        }
        _ => false,
    }
}

/// Whether two different variables are combined here, or a variable and a constant.
fn is_plain(expr: &Expr) -> bool {
    let ExprKind::Binary(_, left, right) = &expr.kind else { return false };
    let is_simple = |expr: &Expr| matches!(&expr.kind, ExprKind::Read(place) if place.indices.is_empty());
    match (&left.kind, &right.kind) {
        (ExprKind::Read(a), ExprKind::Read(b)) => {
            is_simple(left) && is_simple(right) && (a.frame, a.base) != (b.frame, b.base)
        }
        (ExprKind::Constant { .. }, _) => is_simple(right),
        (_, ExprKind::Constant { .. }) => is_simple(left),
        _ => false,
    }
}

fn unary(operator: UnaryOp, values: &Values) -> Values {
    if operator == UnaryOp::Not {
        return Values::integers(truth_values_of(values).into_iter().map(|truth| i32::from(!truth)));
    }
    let apply = |value: i32| match operator {
        UnaryOp::Negate => value.wrapping_neg(),
        _ => !value,
    };
    if values.count() <= MOST_PAIRS {
        return Values::integers(values.iter_integers().map(apply));
    }
    // Both operators turn the order round; only the least integer wraps, and it is its own negative.
    match values.hull() {
        Some(hull) if operator == UnaryOp::Complement || hull.low > i32::MIN => {
            Values::interval(apply(hull.high), apply(hull.low))
        }
        _ => Values::all_integers(),
    }
}

/// The result for two integers; `None` is a runtime error.
fn compute(operator: BinaryOp, a: i32, b: i32) -> Option<i32> {
    Some(match operator {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Subtract => a.wrapping_sub(b),
        BinaryOp::Multiply => a.wrapping_mul(b),
        BinaryOp::Divide | BinaryOp::Remainder if b == 0 => return None,
        BinaryOp::Divide => a.checked_div(b).unwrap_or(a),
        BinaryOp::Remainder => a.checked_rem(b).unwrap_or(0),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::ShiftLeft => a.wrapping_shl(b as u32),
        BinaryOp::ShiftRight => a.wrapping_shr(b as u32),
        BinaryOp::Less => i32::from(a < b),
        BinaryOp::LessEqual => i32::from(a <= b),
        BinaryOp::Greater => i32::from(a > b),
        BinaryOp::GreaterEqual => i32::from(a >= b),
        BinaryOp::Equal => i32::from(a == b),
        BinaryOp::NotEqual => i32::from(a != b),
        BinaryOp::And => i32::from(a != 0 && b != 0),
        BinaryOp::Or => i32::from(a != 0 || b != 0),
    })
}

/// The truth values of a comparison, exactly: an order is decided by the least and largest elements, equality by what the
/// sets have in common.
fn compare(operator: BinaryOp, left: &Values, right: &Values) -> Option<Values> {
    let (Some(a), Some(b)) = (left.hull(), right.hull()) else { return None };
    let equal = || !left.intersection(right).integers.is_empty();
    let different = || a.low != a.high || b.low != b.high || a.low != b.low;
    let (can_hold, can_fail) = match operator {
        BinaryOp::Less => (a.low < b.high, a.high >= b.low),
        BinaryOp::LessEqual => (a.low <= b.high, a.high > b.low),
        BinaryOp::Greater => (a.high > b.low, a.low <= b.high),
        BinaryOp::GreaterEqual => (a.high >= b.low, a.low < b.high),
        BinaryOp::Equal => (equal(), different()),
        BinaryOp::NotEqual => (different(), equal()),
        _ => return None,
    };
    Some(Values::integers(
        [(0, can_fail), (1, can_hold)].iter().filter(|(_, can)| *can).map(|(truth, _)| *truth),
    ))
}

/// The result of an operator that is no comparison for large sets, by their least and largest elements.
fn combine_hulls(operator: BinaryOp, a: Interval, b: Interval) -> Values {
    let wide = |value: i32| i64::from(value);
    let within = |low: i64, high: i64| match (i32::try_from(low), i32::try_from(high)) {
        (Ok(low), Ok(high)) => Values::interval(low, high),
        _ => Values::all_integers(),
    };
    match operator {
        BinaryOp::Add => {
            within(wide(a.low).saturating_add(wide(b.low)), wide(a.high).saturating_add(wide(b.high)))
        }
        BinaryOp::Subtract => {
            within(wide(a.low).saturating_sub(wide(b.high)), wide(a.high).saturating_sub(wide(b.low)))
        }
        BinaryOp::Multiply => {
            let products = [a.low, a.high].map(|x| [b.low, b.high].map(|y| wide(x).saturating_mul(wide(y))));
            let all = products.concat();
            within(
                all.iter().copied().min().unwrap_or(i64::MIN),
                all.iter().copied().max().unwrap_or(i64::MAX),
            )
        }
        BinaryOp::Remainder if b.low > 0 => {
            let most = wide(b.high).saturating_sub(1);
            within(if a.low < 0 { most.saturating_neg() } else { 0 }, if a.high > 0 { most } else { 0 })
        }
        BinaryOp::Divide if b.low > 0 => within(wide(a.low).min(0), wide(a.high).max(0)),
        BinaryOp::BitAnd if a.low >= 0 || b.low >= 0 => {
            let most = [a, b].iter().filter(|i| i.low >= 0).map(|i| i.high).min().unwrap_or(i32::MAX);
            Values::interval(0, most)
        }
        _ => Values::all_integers(),
    }
}

pub(super) fn negated(operator: BinaryOp) -> Option<BinaryOp> {
    Some(match operator {
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::LessEqual,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        _ => return None,
    })
}

pub(super) fn mirrored(operator: BinaryOp) -> Option<BinaryOp> {
    Some(match operator {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        BinaryOp::Equal | BinaryOp::NotEqual => operator,
        _ => return None,
    })
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects)]
mod tests;
