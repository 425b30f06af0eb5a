//! Which proctypes' processes nothing can tell apart, and what tells the others apart.

use crate::fair::Property;
use promela::model::{Expr, ExprKind, Initializer, Model, ProctypeId, RemoteProcess};
use system::automaton::{Action, System};

/// The result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symmetry {
    /// For each proctype whether its processes can be counted.
    pub counted: Vec<bool>,
    /// For the others why not, in words.
    pub told_apart: Vec<String>,
}

impl Symmetry {
    /// The proctypes whose processes can be counted.
    pub fn proctypes(&self) -> Vec<ProctypeId> {
        let indices = (0..self.counted.len()).filter(|&index| self.counted[index]);
        indices.map(|index| ProctypeId(index as u32)).collect()
    }
}

impl Symmetry {
    /// Whether counting makes states fewer: some counted proctype has, or may come to have, two processes.
    pub fn pays(&self, system: &System) -> bool {
        let runs = |id: ProctypeId| {
            let mut found = false;
            for automaton in &system.automata {
                for edge in &automaton.edges {
                    visit_action(&edge.action, &mut |expr, _| {
                        expr.visit(&mut |inner| {
                            found |= matches!(inner.kind, ExprKind::Run { proctype, .. } if proctype == id);
                        });
                    });
                }
            }
            found
        };
        self.proctypes().into_iter().any(|id| system.model.proctypes[id.0 as usize].active > 1 || runs(id))
    }
}

/// Which proctypes can be counted when a property is checked.
///
/// Pids are lost in counting, for everybody. So nobody may look at one: neither `_pid`, nor the value of `run`, nor a remote
/// reference by number, nor `_nr_pr`, `_last`, `enabled`, `pc_value`, priorities. Beside that, a proctype is not
/// counted if its processes die (they die in the order of their pids), own channels, or are the first of their kind to
/// a remote reference without number.
pub fn symmetry(system: &System, property: &Property) -> Symmetry {
    let model = &system.model;
    let mut told_apart = Vec::new();
    for reason in uses_of_numbers(system, property) {
        if !told_apart.contains(&reason) {
            told_apart.push(reason);
        }
    }
    if !told_apart.is_empty() {
        return Symmetry { counted: vec![false; model.proctypes.len()], told_apart };
    }
    let mut counted = Vec::new();
    for (index, proctype) in model.proctypes.iter().enumerate() {
        let id = ProctypeId(index as u32);
        let automaton = &system.automata[index];
        let name = &proctype.name;
        let reason = if automaton.edges.iter().any(|edge| edge.action == Action::End) {
            Some(format!("{name} can end, and processes end in the order of their numbers"))
        } else if proctype.locals.iter().any(|local| owns_channel(model, &local.init, local.ty)) {
            Some(format!("each {name} has a channel of its own"))
        } else if is_named(system, property, id) {
            Some(format!("{name} is named by a reference to the first of its kind"))
        } else {
            None
        };
        counted.push(reason.is_none());
        told_apart.extend(reason);
    }
    Symmetry { counted, told_apart }
}

/// Goes over every expression of the processes and of the property. The flag says whether the expression is a condition of its
/// own, where only being zero or not matters.
pub(super) fn visit_everything(system: &System, property: &Property, visitor: &mut dyn FnMut(&Expr, bool)) {
    for (index, proctype) in system.model.proctypes.iter().enumerate() {
        for edge in &system.automata[index].edges {
            match &edge.action {
                // What is printed is no part of any state.
                Action::Printf { arguments, .. } => {
                    let looked_at = arguments.iter().filter(|expr| expr.kind != ExprKind::Pid);
                    looked_at.for_each(|expr| visitor(expr, false));
                }
                action => visit_action(action, visitor),
            }
        }
        proctype.provided.iter().for_each(|expr| visitor(expr, true));
        for local in &proctype.locals {
            match &local.init {
                Initializer::Expr(expr) => visitor(expr, false),
                Initializer::List(list) => list.iter().for_each(|expr| visitor(expr, false)),
                Initializer::None | Initializer::Channel(_) => {}
            }
        }
    }
    property.propositions.iter().for_each(|expr| visitor(expr, true));
}

/// Goes over the expressions of an action.
pub(super) fn visit_action(action: &Action, visitor: &mut dyn FnMut(&Expr, bool)) {
    match action {
        Action::DStep(body) => {
            let choices = body.nodes.iter().flat_map(|node| &node.choices);
            choices.for_each(|choice| visit_action(&choice.action, visitor));
        }
        _ => {
            let is_condition = matches!(action, Action::Condition(_) | Action::Assert(_));
            action.visit_expressions(&mut |expr| visitor(expr, is_condition));
        }
    }
}

/// Everything in the model that looks at the number of some process.
fn uses_of_numbers(system: &System, property: &Property) -> Vec<String> {
    let mut reasons = Vec::new();
    if system.model.features.priorities {
        reasons.push("the model uses priorities".to_string());
    }
    if system.model.features.last {
        reasons.push("the model uses _last".to_string());
    }
    visit_everything(system, property, &mut |expr, is_condition| {
        let is_plain_run = is_condition && matches!(expr.kind, ExprKind::Run { .. });
        let mut outermost = true;
        expr.visit(&mut |inner| {
            let is_outermost = std::mem::replace(&mut outermost, false);
            let reason = match &inner.kind {
                ExprKind::Pid => Some("_pid is used"),
                ExprKind::NumberOfProcesses => Some("_nr_pr is used"),
                ExprKind::Last => Some("_last is used"),
                ExprKind::OwnPriority => Some("_priority is used"),
                ExprKind::Enabled(_) => Some("enabled() asks about a process by its number"),
                ExprKind::PcValue(_) => Some("pc_value() asks about a process by its number"),
                ExprKind::GetPriority(_) => Some("get_priority() asks about a process by its number"),
                ExprKind::RemoteLabel { pid: Some(_), .. }
                | ExprKind::RemoteVariable { pid: Some(_), .. } => {
                    Some("a remote reference names a process by its number")
                }
                ExprKind::Run { .. } if !(is_plain_run && is_outermost) => {
                    Some("the number that run returns is used")
                }
                _ => None,
            };
            reasons.extend(reason.map(str::to_string));
        });
    });
    reasons
}

fn is_named(system: &System, property: &Property, id: ProctypeId) -> bool {
    let mut named = false;
    visit_everything(system, property, &mut |expr, _| {
        expr.visit(&mut |inner| {
            named |= match &inner.kind {
                ExprKind::RemoteLabel { proctype, pid: None, .. } => *proctype == RemoteProcess::Proctype(id),
                ExprKind::RemoteVariable { proctype, pid: None, .. } => *proctype == id,
                _ => false,
            };
        });
    });
    named
}

fn owns_channel(model: &Model, init: &Initializer, ty: promela::model::Type) -> bool {
    match (init, ty) {
        (Initializer::Channel(_), _) => true,
        (_, promela::model::Type::Struct(id)) => model.typedefs[id.0 as usize]
            .fields
            .iter()
            .any(|field| owns_channel(model, &field.init, field.ty)),
        _ => false,
    }
}
