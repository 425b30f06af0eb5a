//! Buffers whose only sender looks before it sends: `len(q) < 3 -> q!x` (see `Guarded` in [`certificate::potential`]).
//!
//! Nobody else puts anything into the buffer, so what it holds can be followed along the control flow of its sender: one more for each send,
//! one less for each receive of its own, and no more than a guard has just seen. What others take only makes it less.

use std::borrow::Cow;

use certificate::claims::{GroupId, NodeId as ClaimedNode, ObjectId};
use certificate::potential::{KnownLength, Proof};
use promela::model::{BinaryOp, ChannelRef, Expr, ExprKind, UnaryOp};
use system::automaton::{Action, EdgeId};

use crate::net::ComponentId;
use crate::net::build::Abstraction;
use crate::values::analysis::Analysis;
use crate::values::evaluate::{channels, evaluate};
use crate::values::step::MessageKind;
use crate::values::world::{Declared, GroupIndex, NodeIndex, ObjectIndex, View, value_of};

/// A buffer that is said to hold more is not bounded by guards.
const MOST_HELD: u64 = 64;

/// A move of the sender: what the buffer holds at the most afterwards.
struct Move {
    from: usize,
    to: usize,
    guard: Option<u64>,
    change: i8,
}

/// The bound of a buffer whose only sender, one process, looks at its length; with the proof.
pub fn bound(
    analysis: &Analysis<'_>,
    abstraction: &Abstraction,
    object: ObjectIndex,
    is_alone: &dyn Fn(GroupIndex) -> bool,
) -> Option<(u64, Proof)> {
    let data = analysis.world.object(object);
    let capacity = analysis.system.model.channel_types[data.channel_type.0 as usize].capacity;
    let mut senders = abstraction.origins.iter().filter(|o| o.message == Some((MessageKind::Send, object)));
    let sender = senders.next()?.group;
    let is_global = matches!(data.declared, Declared::Global(_));
    if !is_global || capacity == 0 || senders.any(|origin| origin.group != sender) {
        return None;
    }
    let moves = moves(analysis, abstraction, object, sender);
    if moves.iter().all(|step| step.guard.is_none()) || !is_alone(sender) {
        return None;
    }
    let held = longest(analysis.world.group(sender).nodes.len(), &moves)?;
    let at_most = held.iter().copied().max()?;
    let known = held.iter().enumerate().filter(|(_, held)| **held < at_most);
    let known = known.map(|(node, &at_most)| KnownLength { node: ClaimedNode(node as u32), at_most });
    let proof = Proof::Guarded {
        object: ObjectId(object.0),
        at_most,
        sender: GroupId(sender.0),
        known: known.collect(),
    };
    Some((at_most, proof))
}

fn moves(
    analysis: &Analysis<'_>,
    abstraction: &Abstraction,
    object: ObjectIndex,
    sender: GroupIndex,
) -> Vec<Move> {
    let mut moves = Vec::new();
    for transition in &abstraction.net.transitions {
        let origin = abstraction.origins[transition.origin as usize];
        for step in transition.moves.iter().filter(|step| step.component == ComponentId(sender.0)) {
            let (Some(from), Some(to)) = (step.from, step.to) else { continue };
            let own = origin.group == sender;
            let guard = if own { guard(analysis, sender, origin.node, origin.edge, object) } else { None };
            let change = match origin.message {
                Some((MessageKind::Send, sent)) if own && sent == object => 1,
                Some((MessageKind::Receive, received)) if own && received == object => -1,
                _ => 0,
            };
            moves.push(Move { from: from.0 as usize, to: to.0 as usize, guard, change });
        }
    }
    moves
}

/// For each node the most that the buffer can hold while the sender stands there; `None` if it has no limit.
fn longest(nodes: usize, moves: &[Move]) -> Option<Vec<u64>> {
    let mut leaving: Vec<Vec<&Move>> = vec![Vec::new(); nodes];
    moves.iter().for_each(|step| leaving[step.from].push(step));
    // Wherever the sender begins, nothing was sent yet.
    let mut held = vec![0; nodes];
    let mut open: Vec<usize> = (0..nodes).collect();
    while let Some(node) = open.pop() {
        for step in &leaving[node] {
            let before = step.guard.map_or(held[node], |most| most.min(held[node]));
            let after = before.saturating_add_signed(step.change.into());
            if after > MOST_HELD {
                return None;
            }
            if after > held[step.to] {
                held[step.to] = after;
                open.push(step.to);
            }
        }
    }
    Some(held)
}

/// The most that the buffer holds when the statement is executed, if the statement says anything about it.
fn guard(
    analysis: &Analysis<'_>,
    group: GroupIndex,
    node: NodeIndex,
    edge: EdgeId,
    object: ObjectIndex,
) -> Option<u64> {
    let data = analysis.world.group(group);
    let node = data.node(node);
    let globals = data.tracked_globals.iter().zip(&node.key.globals);
    let view = View {
        world: &analysis.world,
        pid: &data.pid,
        locals: Cow::Borrowed(&node.locals),
        known_globals: globals
            .map(|(&slot, &value)| (slot, crate::values::sets::Values::single(value)))
            .collect(),
    };
    let arcs = analysis.flows[data.automaton.0 as usize].arcs(node.key.point);
    let own = arcs.iter().find(|arc| arc.edge == edge)?;
    match own.action {
        Action::Condition(condition) => most_where(&view, condition, true, object),
        Action::Else => {
            let conditions = own.before.iter().filter_map(|action| match action {
                Action::Condition(condition) => most_where(&view, condition, false, object),
                _ => None,
            });
            conditions.min()
        }
        _ => None,
    }
}

fn most_where(view: &View<'_>, expr: &Expr, truth: bool, object: ObjectIndex) -> Option<u64> {
    let is_object = |channel: &ChannelRef| channels(channel, view).as_single() == Some(value_of(object));
    match (&expr.kind, truth) {
        (ExprKind::Unary(UnaryOp::Not, operand), _) => most_where(view, operand, !truth, object),
        (ExprKind::Binary(BinaryOp::And, left, right), true)
        | (ExprKind::Binary(BinaryOp::Or, left, right), false) => {
            let sides = [left, right].into_iter().filter_map(|side| most_where(view, side, truth, object));
            sides.min()
        }
        (ExprKind::Empty(channel), true) | (ExprKind::NotEmpty(channel), false) => {
            is_object(channel).then_some(0)
        }
        (ExprKind::Binary(operator, left, right), _) => {
            let (channel, other, is_left) = match (&left.kind, &right.kind) {
                (ExprKind::Len(channel), _) => (channel, right, true),
                (_, ExprKind::Len(channel)) => (channel, left, false),
                _ => return None,
            };
            let (_, high) = evaluate(other, view).bounds().filter(|_| is_object(channel))?;
            let less = match (operator, is_left, truth) {
                (BinaryOp::Less, true, true) | (BinaryOp::Greater, false, true) => 1,
                (BinaryOp::GreaterEqual, true, false) | (BinaryOp::LessEqual, false, false) => 1,
                (BinaryOp::LessEqual, true, true) | (BinaryOp::GreaterEqual, false, true) => 0,
                (BinaryOp::Greater, true, false) | (BinaryOp::Less, false, false) => 0,
                (BinaryOp::Equal, _, true) | (BinaryOp::NotEqual, _, false) => 0,
                _ => return None,
            };
            Some(u64::try_from(i64::from(high) - less).unwrap_or(0))
        }
        _ => None,
    }
}
