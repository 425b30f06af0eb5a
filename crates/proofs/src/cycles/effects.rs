//! What one round of a cycle does to the numbers of messages: all combinations that values allow.
//!
//! Values are followed along the cycle, so a field that is received and then sent on keeps its link (Ciclo, section VI-B). If all loops
//! of the process go through one point, what happens between two visits of it is one cycle, uninterrupted, and every link of a
//! round holds. Otherwise a link ends at a point that can also be reached by another way: whoever leaves the cycle there and
//! comes back may bring other values. (Coming back by the same statements brings the value of another round of the same.)
//!
//! A local variable that says where a message goes or what is in it says the same to the statements that come after: `to[i]!request` and
//! `from[i]?answer` in one round are about one `i`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use promela::model::{BinaryOp, Expr, ExprKind, Frame};

use super::variables::Cell;
use super::{Arc, ArcId, Counts, MessageType, MessageTypeId, Process};
use crate::values::analysis::{Analysis, AnalysisError};
use crate::values::flow::{Arc as FlowArc, starts};
use crate::values::sets::Values;
use crate::values::step::{MessageKind, StepEffect, Unreadable, effects};
use crate::values::world::{ClassKey, ObjectIndex, View};
use system::automaton::{Action, AutomatonId};

/// Effects and sends of one round.
pub(super) struct Summary {
    pub effects: Vec<Vec<(MessageTypeId, i64)>>,
    pub sends: Vec<(MessageTypeId, Vec<Values>)>,
    /// There are more than allowed.
    pub cut: bool,
}

type Effect = BTreeMap<MessageTypeId, i64>;

/// Whether conditions of a round rule effects out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Conditions {
    /// What they do not let pass is left out.
    Asked,
    /// Only those on symbolic names are asked; the others let everything pass, as after the papers' code abstraction (IBOC, section 3.2).
    OnNames,
}

/// Whether a condition compares variables with symbolic names and does nothing else.
fn is_on_names(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
            is_on_names(left) && is_on_names(right)
        }
        ExprKind::Binary(BinaryOp::Equal, left, right) => {
            let is_name = |side: &Expr| matches!(side.kind, ExprKind::Constant { mtype: Some(_), .. });
            let is_variable = |side: &Expr| matches!(side.kind, ExprKind::Read(_));
            (is_name(left) && is_variable(right)) || (is_variable(left) && is_name(right))
        }
        _ => false,
    }
}

pub(super) fn summarise(
    analysis: &Analysis<'_>,
    process: &Process,
    cycle: &[ArcId],
    types: &[MessageType],
    limit: usize,
    conditions: Conditions,
) -> Result<Summary, AnalysisError> {
    let (arcs, uninterrupted) = rotated(process, cycle);
    let at_first = process.locals[process.arcs[arcs[0].0 as usize].from as usize].clone();
    let mut states = BTreeSet::from([(at_first, Effect::new())]);
    let mut sends: Vec<(MessageTypeId, Vec<Values>)> = Vec::new();
    let mut cut = false;
    for (position, &id) in arcs.iter().enumerate() {
        let arc = &process.arcs[id.0 as usize];
        let passes = match &arc.action {
            Action::Condition(expr) => !is_on_names(expr),
            Action::Else => true,
            _ => false,
        };
        if passes && conditions == Conditions::OnNames {
            continue;
        }
        let flow_arc = FlowArc {
            target: None,
            action: &arc.action,
            edge: arc.edge,
            inside: None,
            dead: &arc.dead,
            progress: arc.progress,
            starts: starts(&arc.action),
            before: arc.before.iter().collect(),
        };
        let forget = arc.replication || (!uninterrupted && entering(process, arc.to) > 1);
        let alternatives = |locals: &[Values]| {
            let view = View {
                world: &analysis.world,
                pid: &process.pid,
                locals: Cow::Borrowed(locals),
                known_globals: Vec::new(),
            };
            effects(analysis.system, &view, &flow_arc).map_err(|e| match e {
                Unreadable::UnknownChannel => {
                    AnalysisError::UnknownChannel { automaton: process.automaton, edge: arc.edge }
                }
                Unreadable::TooManyAlternatives => AnalysisError::TooLarge,
            })
        };
        let linked = linked(process, arc, &arcs[position + 1..]);
        let mut next: BTreeSet<(Vec<Values>, Effect)> = BTreeSet::new();
        for (locals, effect) in &states {
            let mut found = Vec::new();
            for locals in told_apart(locals, &linked, alternatives)? {
                found.extend(alternatives(&locals)?);
            }
            for done in found {
                let mut effect = effect.clone();
                let mut processes = |automaton: AutomatonId, n: i64| {
                    let counts = Counts::Processes(automaton);
                    if let Some(index) = types.iter().position(|t| t.counts == counts) {
                        *effect.entry(MessageTypeId(index as u32)).or_default() += n;
                    }
                };
                if let Some((proctype, _)) = &done.run {
                    processes(AutomatonId(proctype.0), 1);
                }
                if arc.replication {
                    processes(process.automaton, -1);
                }
                if let Some(message) = &done.message {
                    let index = types.iter().position(|t| t.holds(message.object, &message.class));
                    if let Some(index) = index {
                        let id = MessageTypeId(index as u32);
                        match message.kind {
                            MessageKind::Send => {
                                *effect.entry(id).or_default() += 1;
                                let send = (id, message.fields.clone());
                                if !sends.contains(&send) {
                                    sends.push(send);
                                }
                            }
                            MessageKind::Receive => *effect.entry(id).or_default() -= 1,
                            MessageKind::Copy => {}
                        }
                    }
                }
                let locals = if forget { process.locals[arc.to as usize].clone() } else { done.locals };
                next.insert((locals, effect));
            }
        }
        let forgotten = || process.locals[arc.to as usize].clone();
        if next.len() > limit {
            // What variables hold is forgotten before effects are lost.
            next = next.into_iter().map(|(_, effect)| (forgotten(), effect)).collect();
        }
        if next.len() > limit {
            // The effects are lost, but what may be sent from here on must not be: dependencies rest on it.
            cut = true;
            next = BTreeSet::from([(forgotten(), Effect::new())]);
        }
        states = next;
    }
    let effects: BTreeSet<Vec<(MessageTypeId, i64)>> =
        states.into_iter().map(|(_, effect)| effect.into_iter().filter(|(_, n)| *n != 0).collect()).collect();
    Ok(Summary { effects: effects.into_iter().collect(), sends, cut })
}

/// Local variables that a send or receive looks at, and statements of the round after it too.
fn linked(process: &Process, arc: &Arc, after: &[ArcId]) -> Vec<u32> {
    let looks_at = |arc: &Arc, cell: &Cell| match arc.action {
        Action::Send { .. } | Action::Receive { .. } | Action::Condition(_) => arc.reads.contains(cell),
        _ => false,
    };
    if !matches!(arc.action, Action::Send { .. } | Action::Receive { .. }) {
        return Vec::new();
    }
    let again = |cell: &&Cell| after.iter().any(|later| looks_at(&process.arcs[later.0 as usize], cell));
    let local = arc.reads.iter().filter(|(frame, _)| *frame == Frame::Local);
    local.filter(again).map(|&(_, slot)| slot).collect()
}

/// The frame, taken apart by what the statement does to messages for each value of these variables.
fn told_apart(
    locals: &[Values],
    linked: &[u32],
    alternatives: impl Fn(&[Values]) -> Result<Vec<StepEffect>, AnalysisError>,
) -> Result<Vec<Vec<Values>>, AnalysisError> {
    let mut frames = vec![locals.to_vec()];
    for &slot in linked {
        let mut finer = Vec::new();
        for frame in frames {
            let values = frame[slot as usize].as_set().filter(|values| values.len() > 1);
            let mut parts: BTreeMap<BTreeSet<(ObjectIndex, ClassKey)>, Vec<i32>> = BTreeMap::new();
            for &value in values.unwrap_or_default() {
                let mut with_one = frame.clone();
                with_one[slot as usize] = Values::single(value);
                let messages = alternatives(&with_one)?.into_iter().filter_map(|done| done.message);
                let touched = messages.map(|message| (message.object, message.class)).collect();
                parts.entry(touched).or_default().push(value);
            }
            if parts.is_empty() {
                finer.push(frame);
                continue;
            }
            for part in parts.into_values() {
                let mut narrowed = frame.clone();
                narrowed[slot as usize] = Values::from_values(part);
                finer.push(narrowed);
            }
        }
        frames = finer;
    }
    Ok(frames)
}

/// The cycle, beginning where nothing is known but what is known of the point: where all loops meet (then a round is not interrupted), or
/// else where several ways do.
fn rotated(process: &Process, cycle: &[ArcId]) -> (Vec<ArcId>, bool) {
    let from = |a: &ArcId| process.arcs[a.0 as usize].from;
    let head = cycle.iter().position(|a| process.heads[from(a) as usize]);
    let start = head.or_else(|| cycle.iter().position(|a| entering(process, from(a)) > 1)).unwrap_or(0);
    let mut arcs = cycle.to_vec();
    arcs.rotate_left(start);
    (arcs, head.is_some())
}

/// How many statements lead to a point.
fn entering(process: &Process, point: u32) -> usize {
    process.arcs.iter().filter(|a| a.to == point).count()
}
