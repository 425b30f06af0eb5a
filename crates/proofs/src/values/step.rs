//! What one statement may do from one node: the abstract reading of a step, never with fewer effects than the model has.

use std::borrow::Cow;

use promela::model::{BinaryOp, Expr, ExprKind, Frame, Place, ProctypeId, ReceiveArgument, Scalar, UnaryOp};
use system::automaton::{Action, System};

use crate::values::evaluate::{
    Environment, LARGEST_CHANNEL_NUMBER, Override, any_channel, channels, evaluate, evaluate_for, slots_of,
};
use crate::values::flow::Arc;
use crate::values::sets::Values;
use crate::values::world::{ClassKey, ObjectIndex, View, World, object_of, value_of};

/// One thing that a statement may do.
#[derive(Clone, Debug)]
pub struct StepEffect {
    /// The frame afterwards.
    pub locals: Vec<Values>,
    /// Global slots that are written.
    pub writes: Vec<(u32, Values)>,
    /// Whether every slot of [`StepEffect::writes`] is surely written; if not, it may keep its value.
    pub surely: bool,
    /// The message that is put, taken or looked at.
    pub message: Option<Message>,
    /// A process that is started.
    pub run: Option<(ProctypeId, Vec<Values>)>,
}

impl StepEffect {
    /// The same with another frame afterwards.
    pub fn with_locals(&self, locals: Vec<Values>) -> StepEffect {
        let StepEffect { locals: _, writes, surely, message, run } = self;
        let (writes, message, run) = (writes.clone(), message.clone(), run.clone());
        StepEffect { locals, writes, surely: *surely, message, run }
    }
}

/// A message that is put or taken.
#[derive(Clone, Debug)]
pub struct Message {
    /// What is done with it.
    pub kind: MessageKind,
    /// Where.
    pub object: ObjectIndex,
    /// Its class.
    pub class: ClassKey,
    /// Its fields.
    pub fields: Vec<Values>,
}

/// What is done with a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageKind {
    /// It is put.
    Send,
    /// It is taken.
    Receive,
    /// It is looked at and stays.
    Copy,
}

/// Why a statement cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unreadable {
    /// A statement uses a channel that may be any.
    UnknownChannel,
    /// A set of alternatives is too large.
    TooManyAlternatives,
}

/// Alternatives of one statement.
const MOST_ALTERNATIVES: usize = 4096;

/// All that the statement may do in this view.
pub fn effects(system: &System, view: &View<'_>, arc: &Arc<'_>) -> Result<Vec<StepEffect>, Unreadable> {
    let mut results = match arc.action {
        Action::Skip
        | Action::Printf { .. }
        | Action::Printm(_)
        | Action::SetPriority { .. }
        | Action::Assert(_)
        | Action::End => {
            vec![plain(view.locals.to_vec())]
        }
        Action::Else => after_else(view, &arc.before).map(plain).into_iter().collect(),
        Action::Condition(expr) => condition(view, expr)?,
        Action::Assign { place, value } => assign(view, place, value)?,
        Action::Send { channel, arguments, .. } => {
            let channels = channels(channel, view);
            send(system, view, &channels, arguments)?
        }
        Action::Receive { channel, copy, arguments, .. } => {
            let channels = channels(channel, view);
            receive(view, &channels, *copy, arguments)?
        }
        Action::DStep(_) => Vec::new(),
    };
    if arc.starts {
        start_inside(view, arc.action, &mut results)?;
    }
    for effect in &mut results {
        for &slot in arc.dead {
            effect.locals[slot as usize] = Values::single(0);
        }
    }
    if results.len() > MOST_ALTERNATIVES { Err(Unreadable::TooManyAlternatives) } else { Ok(results) }
}

/// The frame if the expression's truth value is `truth`; `None` if it cannot be.
pub fn assume(view: &View<'_>, expr: &Expr, truth: bool) -> Option<Vec<Values>> {
    let mut narrowed = view.clone();
    narrow(&mut narrowed, expr, truth).then(|| narrowed.locals.into_owned())
}

/// A `run` starts a process wherever it stands: in an index, in what is printed, in an argument of another. It may not be reached.
fn start_inside(view: &View<'_>, action: &Action, results: &mut Vec<StepEffect>) -> Result<(), Unreadable> {
    let mut runs: Vec<(ProctypeId, &[Expr])> = Vec::new();
    action.visit_expressions(&mut |expr| {
        expr.visit(&mut |inner| {
            if let ExprKind::Run { proctype, arguments, .. } = &inner.kind {
                runs.push((*proctype, arguments));
            }
        });
    });
    match runs[..] {
        [] => Ok(()),
        [_] if results.iter().any(|effect| effect.run.is_some()) => Ok(()),
        [(proctype, arguments)] => {
            let values: Vec<Values> =
                arguments.iter().map(|argument| argument_values(view, argument)).collect();
            let started: Vec<StepEffect> = results
                .iter()
                .map(|effect| StepEffect { run: Some((proctype, values.clone())), ..effect.clone() })
                .collect();
            results.extend(started);
            Ok(())
        }
        // An effect starts one process.
        _ => Err(Unreadable::TooManyAlternatives),
    }
}

fn plain(locals: Vec<Values>) -> StepEffect {
    StepEffect { locals, writes: Vec::new(), surely: true, message: None, run: None }
}

/// The frame where nothing that is tried before an `else` can be executed; `None` if something always can.
fn after_else(view: &View<'_>, before: &[&Action]) -> Option<Vec<Values>> {
    let mut narrowed = view.clone();
    for action in before {
        match action {
            Action::Condition(expr) if find_run(expr).is_some() => {}
            Action::Condition(expr) if !narrow(&mut narrowed, expr, false) => return None,
            Action::Skip | Action::Printf { .. } | Action::Printm(_) | Action::Assert(_) => return None,
            Action::Assign { value, .. } if find_run(value).is_none() => return None,
            _ => {}
        }
    }
    Some(narrowed.locals.into_owned())
}

fn condition(view: &View<'_>, expr: &Expr) -> Result<Vec<StepEffect>, Unreadable> {
    let mut effect = match assume(view, expr, true) {
        Some(locals) => plain(locals),
        None => return Ok(Vec::new()),
    };
    match find_run(expr) {
        None => Ok(vec![effect]),
        Some((proctype, arguments)) => {
            let values = arguments.iter().map(|argument| argument_values(view, argument)).collect();
            effect.run = Some((proctype, values));
            let mut results = vec![effect];
            // `run` deep inside an expression may not be reached; alone it must have started a process to go on.
            if !matches!(expr.kind, ExprKind::Run { .. }) {
                results.push(plain(view.locals.to_vec()));
            }
            Ok(results)
        }
    }
}

/// Values of an argument of `run` before they are cut to the parameter's type.
fn argument_values(view: &View<'_>, argument: &Expr) -> Values {
    match &argument.kind {
        ExprKind::Read(place) if place.scalar == Scalar::Chan => evaluate_for(argument, Scalar::Chan, view),
        ExprKind::Conditional(..) if holds_channel(argument) => evaluate_for(argument, Scalar::Chan, view),
        _ => evaluate(argument, view),
    }
}

fn holds_channel(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Read(place) => place.scalar == Scalar::Chan,
        ExprKind::Conditional(_, yes, no) => holds_channel(yes) || holds_channel(no),
        _ => false,
    }
}

fn assign(view: &View<'_>, place: &Place, value: &Expr) -> Result<Vec<StepEffect>, Unreadable> {
    let mut results = Vec::new();
    let values = evaluate_for(value, place.scalar, view);
    if values.is_empty() {
        return Ok(results);
    }
    let mut effect = plain(view.locals.to_vec());
    if let Some((proctype, arguments)) = find_run(value) {
        let arguments = arguments.iter().map(|argument| argument_values(view, argument)).collect();
        let mut without = effect.clone();
        if store(view, &mut without, place, &values) {
            results.push(without);
        }
        effect.run = Some((proctype, arguments));
    }
    if store(view, &mut effect, place, &values) {
        results.push(effect);
    }
    Ok(results)
}

/// Writes values to a place; `false` if there is no such place, which ends the run.
fn store(view: &View<'_>, effect: &mut StepEffect, place: &Place, values: &Values) -> bool {
    // Indices are evaluated in the frame as it is while the statement stores, one argument after the other.
    let current = View {
        world: view.world,
        pid: view.pid,
        locals: Cow::Borrowed(&effect.locals),
        known_globals: view.known_globals.clone(),
    };
    let slots = slots_of(place, &current);
    match place.frame {
        Frame::Local => {
            for &slot in &slots {
                let old = &mut effect.locals[slot as usize];
                if slots.len() == 1 {
                    *old = values.clone();
                } else {
                    old.join_with(values);
                }
            }
        }
        Frame::Global => {
            effect.surely &= slots.len() == 1;
            effect.writes.extend(slots.iter().map(|&slot| (slot, values.clone())));
        }
    }
    !slots.is_empty()
}

fn objects(channels: &Values) -> Result<Vec<ObjectIndex>, Unreadable> {
    match channels {
        Values::Set(values) => Ok(values.iter().filter_map(|&value| object_of(value)).collect()),
        Values::Range(..) => Err(Unreadable::UnknownChannel),
    }
}

fn send(
    system: &System,
    view: &View<'_>,
    channels: &Values,
    arguments: &[Expr],
) -> Result<Vec<StepEffect>, Unreadable> {
    let mut results = Vec::new();
    for object in objects(channels)? {
        let channel_type = &system.model.channel_types[view.world.object(object).channel_type.0 as usize];
        if channel_type.fields.len() != arguments.len() {
            return Err(Unreadable::UnknownChannel);
        }
        let mut messages: Vec<(ClassKey, Vec<Values>)> = vec![(Vec::new(), Vec::new())];
        for (field, (argument, kind)) in arguments.iter().zip(&channel_type.fields).enumerate() {
            let values = evaluate_for(argument, kind.scalar, view);
            let parts = view.world.field_parts(object, field, &values);
            messages = extend(messages, if values.is_empty() { &[] } else { &parts });
            if messages.len() > MOST_ALTERNATIVES {
                return Err(Unreadable::TooManyAlternatives);
            }
        }
        for (class, fields) in messages {
            let mut effect = plain(view.locals.to_vec());
            effect.message = Some(Message { kind: MessageKind::Send, object, class, fields });
            results.push(effect);
        }
    }
    Ok(results)
}

fn extend(
    messages: Vec<(ClassKey, Vec<Values>)>,
    parts: &[(Option<i32>, Values)],
) -> Vec<(ClassKey, Vec<Values>)> {
    messages
        .iter()
        .flat_map(|(class, fields)| {
            parts.iter().map(move |(key, values)| {
                let mut class = class.clone();
                let mut fields = fields.clone();
                class.push(*key);
                fields.push(values.clone());
                (class, fields)
            })
        })
        .collect()
}

fn receive(
    view: &View<'_>,
    channels: &Values,
    copy: bool,
    arguments: &[ReceiveArgument],
) -> Result<Vec<StepEffect>, Unreadable> {
    let mut results = Vec::new();
    for object in objects(channels)? {
        'classes: for (class, fields) in &view.world.object(object).classes {
            if fields.len() != arguments.len() {
                return Err(Unreadable::UnknownChannel);
            }
            if !may_receive(view, arguments, fields) {
                continue;
            }
            let mut effect = plain(view.locals.to_vec());
            for (argument, values) in arguments.iter().zip(fields) {
                if let ReceiveArgument::Store(place) = argument {
                    let values = if place.scalar == Scalar::Chan {
                        as_channel(view.world, values)
                    } else {
                        as_number(values).truncate(place.scalar)
                    };
                    if !store(view, &mut effect, place, &values) {
                        continue 'classes;
                    }
                }
            }
            let kind = if copy { MessageKind::Copy } else { MessageKind::Receive };
            effect.message = Some(Message { kind, object, class: class.clone(), fields: fields.clone() });
            results.push(effect);
        }
    }
    Ok(results)
}

/// A number that is stored in a variable for channels may be that of any channel: of any that is declared, where none is created later.
pub fn as_channel(world: &World, values: &Values) -> Values {
    match values {
        _ if are_channels(values) => values.clone(),
        _ if world.creates_no_channels => {
            let declared = world.object_indices().map(|(index, _)| value_of(index));
            Values::from_values(std::iter::once(0).chain(declared).collect())
        }
        _ => any_channel(),
    }
}

/// Whether there is no number among the values.
pub fn are_channels(values: &Values) -> bool {
    let is_channel = |&value: &i32| value == 0 || object_of(value).is_some();
    values.as_set().is_some_and(|set| set.iter().all(is_channel))
}

/// A channel that is stored in a number may be any number.
pub fn as_number(values: &Values) -> Values {
    match values {
        Values::Set(set) if set.iter().any(|&value| object_of(value).is_some()) => {
            Values::range(0, LARGEST_CHANNEL_NUMBER)
        }
        _ => values.clone(),
    }
}

/// Whether a receive with these arguments may take a message with these fields.
pub fn may_receive(view: &View<'_>, arguments: &[ReceiveArgument], fields: &[Values]) -> bool {
    arguments.iter().zip(fields).all(|(argument, field)| match argument {
        ReceiveArgument::Match(expr) => may_match(view, expr, field),
        ReceiveArgument::Store(_) | ReceiveArgument::Discard(_) => true,
    })
}

fn may_match(view: &View<'_>, expr: &Expr, field: &Values) -> bool {
    let wanted = match &expr.kind {
        ExprKind::Read(place) if place.scalar == Scalar::Chan => evaluate_for(expr, Scalar::Chan, view),
        _ => evaluate(expr, view),
    };
    wanted.intersects(field)
        || is_channel_beside_number(&wanted, field)
        || is_channel_beside_number(field, &wanted)
}

/// Whether some value is a channel and some other one a number, which may be that of the channel.
fn is_channel_beside_number(channels: &Values, numbers: &Values) -> bool {
    let is_channel = |set: &[i32]| set.iter().any(|&value| object_of(value).is_some());
    let is_number = match numbers {
        Values::Set(set) => set.iter().any(|&value| value != 0 && object_of(value).is_none()),
        Values::Range(..) => true,
    };
    is_number && channels.as_set().is_some_and(is_channel)
}

/// Narrows the view to where the expression may have the truth value; `false` if it cannot have it.
fn narrow(view: &mut View<'_>, expr: &Expr, truth: bool) -> bool {
    match (&expr.kind, truth) {
        (ExprKind::Unary(UnaryOp::Not, operand), _) => return narrow(view, operand, !truth),
        (ExprKind::Binary(BinaryOp::And, left, right), true)
        | (ExprKind::Binary(BinaryOp::Or, left, right), false) => {
            return narrow(view, left, truth) && narrow(view, right, truth);
        }
        _ => {}
    }
    let values = evaluate(expr, view);
    if !(if truth { values.may_be_true() } else { values.may_be_false() }) {
        return false;
    }
    let mut places: Vec<&Place> = Vec::new();
    expr.visit_places(&mut |place| places.push(place));
    for place in places {
        // The checker learns nothing about elements of arrays from a condition, so neither is it claimed here.
        if place.frame != Frame::Local || !place.indices.is_empty() {
            continue;
        }
        let slots = slots_of(place, view);
        let [slot] = slots[..] else { continue };
        let old = view.slot(Frame::Local, slot);
        let kept = match (&old, compared(view, expr, truth, place)) {
            (Values::Set(values), Some((op, other))) if values.len() > 1 => {
                Values::Set(values.iter().copied().filter(|&value| may_hold(value, op, &other)).collect())
            }
            (Values::Set(values), None) if values.len() > 1 => Values::Set(
                values
                    .iter()
                    .copied()
                    .filter(|&value| {
                        let single = Override {
                            base: view,
                            cell: (Frame::Local, slot),
                            values: Values::single(value),
                        };
                        let effect = evaluate(expr, &single);
                        if truth { effect.may_be_true() } else { effect.may_be_false() }
                    })
                    .collect(),
            ),
            (Values::Set(_), _) => continue,
            (Values::Range(..), None) => continue,
            (Values::Range(low, high), Some((op, other))) => narrow_range((*low, *high), op, &other),
        };
        if kept.is_empty() {
            return false;
        }
        view.locals.to_mut()[slot as usize] = kept;
    }
    true
}

/// A comparison of a variable with something else, seen from the variable: how, and with what. `None` if it is none.
fn compared(view: &View<'_>, expr: &Expr, truth: bool, place: &Place) -> Option<(BinaryOp, Values)> {
    let ExprKind::Binary(op, left, right) = &expr.kind else { return None };
    let is_place = |side: &Expr| matches!(&side.kind, ExprKind::Read(other) if other == place);
    let (op, other) = if is_place(left) {
        (*op, right)
    } else if is_place(right) {
        (mirrored(*op), left)
    } else {
        return None;
    };
    let is_comparison = op.is_comparison();
    let mut is_elsewhere = true;
    other.visit_places(&mut |other| is_elsewhere &= other.frame != place.frame || other.base != place.base);
    let op = if truth { op } else { negated(op) };
    (is_comparison && is_elsewhere).then(|| (op, evaluate(other, view)))
}

/// Whether a comparison of a value with one of the others may hold.
fn may_hold(value: i32, op: BinaryOp, others: &Values) -> bool {
    let Some((least, largest)) = others.bounds() else { return false };
    match op {
        BinaryOp::Less => value < largest,
        BinaryOp::LessEqual => value <= largest,
        BinaryOp::Greater => value > least,
        BinaryOp::GreaterEqual => value >= least,
        BinaryOp::Equal => others.contains(value),
        BinaryOp::NotEqual => least != largest || value != least,
        _ => true,
    }
}

/// Narrows an interval by a comparison of the variable with something else.
fn narrow_range(range: (i32, i32), op: BinaryOp, others: &Values) -> Values {
    let all = Values::range(range.0, range.1);
    let Some((least, largest)) = others.bounds() else { return Values::empty() };
    match op {
        BinaryOp::Less => all.meet(&Values::range(i32::MIN, largest.saturating_sub(1))),
        BinaryOp::LessEqual => all.meet(&Values::range(i32::MIN, largest)),
        BinaryOp::Greater => all.meet(&Values::range(least.saturating_add(1), i32::MAX)),
        BinaryOp::GreaterEqual => all.meet(&Values::range(least, i32::MAX)),
        BinaryOp::Equal => all.meet(&Values::range(least, largest)),
        BinaryOp::NotEqual if least == largest && least == range.0 => Values::range(range.0 + 1, range.1),
        BinaryOp::NotEqual if least == largest && largest == range.1 => Values::range(range.0, range.1 - 1),
        _ => all,
    }
}

fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        other => other,
    }
}

fn negated(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::LessEqual,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        // Not a comparison: nothing is known of the variable.
        _ => BinaryOp::Or,
    }
}

/// Whether a statement may start a process.
pub fn starts_a_process(action: &Action) -> bool {
    let mut found = false;
    action.visit_expressions(&mut |expr| {
        expr.visit(&mut |inner| found |= matches!(inner.kind, ExprKind::Run { .. }));
    });
    found
}

/// The `run` inside an expression, if there is one.
pub fn find_run(expr: &Expr) -> Option<(ProctypeId, &[Expr])> {
    match &expr.kind {
        ExprKind::Run { proctype, arguments, .. } => Some((*proctype, arguments)),
        ExprKind::Unary(_, operand) => find_run(operand),
        ExprKind::Binary(_, left, right) => find_run(left).or_else(|| find_run(right)),
        ExprKind::Conditional(condition, yes, no) => {
            find_run(condition).or_else(|| find_run(yes)).or_else(|| find_run(no))
        }
        _ => None,
    }
}
