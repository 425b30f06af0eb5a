//! Which proctypes' processes nothing can tell apart, and what tells the others apart.

use crate::fair::Property;
use promela::model::{Initializer, Model, ProctypeId};
use std::collections::BTreeSet;
use system::automaton::{Action, System};
use system::code::Whose;
use system::code::footprint::Footprint;

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
        let proctypes = (0..system.model.proctypes.len() as u32).map(ProctypeId);
        let footprints = proctypes.flat_map(|id| Footprint::of_proctype(system, id));
        let started: BTreeSet<ProctypeId> = footprints.flat_map(|footprint| footprint.starts).collect();
        let is_active = |id: ProctypeId| system.model.proctypes[id.0 as usize].active > 1;
        self.proctypes().into_iter().any(|id| is_active(id) || started.contains(&id))
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
    let proctypes = (0..model.proctypes.len() as u32).map(ProctypeId);
    let of_processes = proctypes.flat_map(|id| Footprint::of_proctype(system, id));
    let of_property = property.propositions.iter().map(|expr| Footprint::of_expression(system, expr));
    let footprints: Vec<Footprint> = of_processes.chain(of_property).collect();
    let mut told_apart = uses_of_numbers(system, &footprints);
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
        } else if is_named(&footprints, id) {
            Some(format!("{name} is named by a reference to the first of its kind"))
        } else {
            None
        };
        counted.push(reason.is_none());
        told_apart.extend(reason);
    }
    Symmetry { counted, told_apart }
}

/// Everything in the model that looks at the number of some process.
fn uses_of_numbers(system: &System, footprints: &[Footprint]) -> Vec<String> {
    let features = &system.model.features;
    let any = |asks: fn(&Footprint) -> bool| footprints.iter().any(asks);
    let by_number = any(|footprint| footprint.processes.by_number);
    let by_function = features.enabled || features.pc_value || features.priorities;
    let reasons = [
        (features.priorities || any(|footprint| footprint.priorities), "the model uses priorities"),
        (features.last, "the model uses _last"),
        (any(|footprint| footprint.pid), "_pid is used"),
        (any(|footprint| footprint.process_count), "_nr_pr is used"),
        (any(|footprint| footprint.last), "_last is used"),
        (by_number && features.enabled, "enabled() asks about a process by its number"),
        (by_number && features.pc_value, "pc_value() asks about a process by its number"),
        (by_number && !by_function, "a remote reference names a process by its number"),
        (any(|footprint| footprint.started_numbers), "the number that run returns is used"),
    ];
    reasons.into_iter().filter(|(is_used, _)| *is_used).map(|(_, reason)| reason.to_string()).collect()
}

fn is_named(footprints: &[Footprint], id: ProctypeId) -> bool {
    footprints.iter().map(|footprint| &footprint.processes).any(|asked| {
        asked.labels.iter().any(|(proctype, whose, _)| (*proctype, *whose) == (id, Whose::First))
            || asked.variables.contains(&(id, Whose::First))
    })
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
