//! What one round of a cycle does to the numbers of messages: all combinations that values allow.
//!
//! Values are followed along the cycle, so a field that is received and then sent on keeps its link (Ciclo, section VI-B). If all loops
//! of the process go through one point, what happens between two visits of it is one cycle, uninterrupted, and every link of a
//! round holds. Otherwise a link ends at a point that can also be reached by another way: whoever leaves the cycle there and
//! comes back may bring other values. (Coming back by the same statements brings the value of another round of the same.)

use std::borrow::Cow;
use std::collections::BTreeSet;

use promela::model::{BinaryOp, Expr, ExprKind};

use super::{ArcId, Counts, MessageType, MessageTypeId, Process};
use crate::values::analysis::{Analysis, AnalysisError};
use crate::values::flow::{Arc as FlowArc, starts};
use crate::values::sets::Values;
use crate::values::step::{MessageKind, Unreadable, effects};
use crate::values::world::View;
use system::automaton::{Action, AutomatonId};

/// Effects and sends of one round.
pub(super) struct Summary {
    pub effects: Vec<Vec<(MessageTypeId, i64)>>,
    pub sends: Vec<(MessageTypeId, Vec<Values>)>,
    /// There are more than allowed.
    pub cut: bool,
}

type Effect = std::collections::BTreeMap<MessageTypeId, i64>;

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
    let mut states: Vec<(Vec<Values>, Effect)> =
        vec![(process.locals[process.arcs[arcs[0].0 as usize].from as usize].clone(), Effect::new())];
    let mut sends: Vec<(MessageTypeId, Vec<Values>)> = Vec::new();
    let mut cut = false;
    for &id in &arcs {
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
        let mut next: Vec<(Vec<Values>, Effect)> = Vec::new();
        for (locals, effect) in &states {
            let view = View {
                world: &analysis.world,
                pid: &process.pid,
                locals: Cow::Borrowed(locals),
                known_globals: Vec::new(),
            };
            let found = effects(analysis.system, &view, &flow_arc).map_err(|e| match e {
                Unreadable::UnknownChannel => {
                    AnalysisError::UnknownChannel { automaton: process.automaton, edge: arc.edge }
                }
                Unreadable::TooManyAlternatives => AnalysisError::TooLarge,
            })?;
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
                let state = (locals, effect);
                if !next.contains(&state) {
                    next.push(state);
                }
            }
        }
        if next.len() > limit {
            // The effects are lost, but what may be sent from here on must not be: dependencies rest on it.
            cut = true;
            next = vec![(process.locals[arc.to as usize].clone(), Effect::new())];
        }
        states = next;
    }
    let effects: BTreeSet<Vec<(MessageTypeId, i64)>> =
        states.into_iter().map(|(_, effect)| effect.into_iter().filter(|(_, n)| *n != 0).collect()).collect();
    Ok(Summary { effects: effects.into_iter().collect(), sends, cut })
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
