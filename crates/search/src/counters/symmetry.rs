//! Which proctypes' processes nothing can tell apart, and what tells the others apart.

use crate::fair::Property;
use promela::model::{Initializer, Model, Proctype, ProctypeId};
use std::collections::BTreeSet;
use system::automaton::{Action, Automaton, LocationId, System};
use system::code::Whose;
use system::code::footprint::Footprint;

/// The result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symmetry {
    /// For each proctype whether its processes can be counted.
    pub counted: Vec<bool>,
    /// For each proctype whether `run` starts some of its processes.
    pub started: Vec<bool>,
    /// For each proctype whether there may ever be two processes of it.
    pub several: Vec<bool>,
    /// Whether nobody notices when a process ends, be it counted or not.
    pub ends_unseen: bool,
    /// For those that are not counted why not, in words.
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
    /// How many counted processes begin by themselves.
    pub fn active(&self, system: &System) -> u32 {
        let numbers = self.proctypes().into_iter().map(|id| system.model.proctypes[id.0 as usize].active);
        numbers.fold(0, u32::saturating_add)
    }

    /// Whether counted processes are created.
    pub fn creates(&self) -> bool {
        self.proctypes().into_iter().any(|id| self.started[id.0 as usize])
    }

    /// Whether processes are created that leave no trace when they end.
    pub fn forgets(&self, system: &System) -> bool {
        let created = self.proctypes().into_iter().filter(|id| self.started[id.0 as usize]);
        created.into_iter().any(|id| can_end(system, id))
    }

    /// Whether counting makes states fewer: some counted proctype has, or may come to have, two processes.
    pub fn pays(&self) -> bool {
        self.proctypes().into_iter().any(|id| self.several[id.0 as usize])
    }
}

/// Whether a property can tell runs apart that differ only in how often a state is repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stuttering {
    /// It cannot, as formulas without `X`.
    Unseen,
    /// It may.
    Seen,
}

/// Which proctypes can be counted when a property is checked.
///
/// Pids are lost in counting, for everybody. So nobody may look at one: neither `_pid`, nor the value of `run`, nor a remote
/// reference by number, nor `_nr_pr`, `_last`, `enabled`, `pc_value`, priorities. Beside that, a proctype is not
/// counted if its processes own channels, or are the first of their kind to a remote reference without number.
///
/// Processes die in the order of their pids, which is lost as well. But little of a process is left at its end: where its death is a step that
/// changes nothing anybody sees, the property included, everybody has died as soon as he has come to his end. Where the
/// death of somebody who is told apart can be noticed, it must be known when he can die: then nobody who is counted may end before.
pub fn symmetry(system: &System, property: &Property, stuttering: Stuttering) -> Symmetry {
    let model = &system.model;
    let proctypes = (0..model.proctypes.len() as u32).map(ProctypeId);
    let of_processes = proctypes.flat_map(|id| Footprint::of_proctype(system, id));
    let of_property = property.propositions.iter().map(|expr| Footprint::of_expression(system, expr));
    let footprints: Vec<Footprint> = of_processes.chain(of_property).collect();
    let starts: BTreeSet<ProctypeId> =
        footprints.iter().flat_map(|footprint| footprint.starts.iter().copied()).collect();
    let started = (0..model.proctypes.len() as u32).map(|id| starts.contains(&ProctypeId(id))).collect();
    let several = several(system);
    let mut told_apart = uses_of_numbers(system, &footprints);
    if !told_apart.is_empty() {
        let counted = vec![false; model.proctypes.len()];
        return Symmetry { counted, started, several, ends_unseen: false, told_apart };
    }
    let ids = (0..model.proctypes.len() as u32).map(ProctypeId);
    let noticed = ids.filter(|&id| can_end(system, id)).find(|&id| {
        // A channel goes with its owner, a reference without number goes over to the next of the kind.
        let proctype = &model.proctypes[id.0 as usize];
        proctype.provided.is_some() || owns_channels(model, proctype) || is_named(&footprints, id)
    });
    let mut counted = Vec::new();
    for (index, proctype) in model.proctypes.iter().enumerate() {
        let id = ProctypeId(index as u32);
        let name = &proctype.name;
        let can_end = can_end(system, id);
        let reason = if can_end && stuttering == Stuttering::Seen {
            Some(format!("{name} can end, and what is asked may count the steps in which processes end"))
        } else if can_end && proctype.provided.is_some() {
            Some(format!("{name} can end only when its condition allows it"))
        } else if owns_channels(model, proctype) {
            Some(format!("each {name} has a channel of its own"))
        } else if is_named(&footprints, id) {
            Some(format!("{name} is named by a reference to the first of its kind"))
        } else if let (true, Some(other)) = (can_end, noticed) {
            let other = &model.proctypes[other.0 as usize].name;
            Some(format!(
                "{name} can end, and before a younger one has ended {other} does not, which is noticed"
            ))
        } else {
            None
        };
        counted.push(reason.is_none());
        told_apart.extend(reason);
    }
    let ends_unseen = stuttering == Stuttering::Unseen && noticed.is_none();
    Symmetry { counted, started, several, ends_unseen, told_apart }
}

/// For each proctype whether there may ever be two processes of it. A statement that no process comes back to is executed at most once by
/// each; an `init` that starts one process of each kind, as most models have it, starts one of each.
fn several(system: &System) -> Vec<bool> {
    let kinds = 0..system.model.proctypes.len();
    let starts: Vec<Vec<(ProctypeId, bool)>> = kinds.clone().map(|kind| starts_of(system, kind)).collect();
    let active = |kind: usize| system.model.proctypes[kind].active.min(2);
    let mut most: Vec<u32> = kinds.clone().map(active).collect();
    // Never more than two of a kind, so it comes to an end.
    loop {
        let mut next: Vec<u32> = kinds.clone().map(active).collect();
        for (starter, starts) in starts.iter().enumerate() {
            for &(started, is_repeated) in starts {
                let times = if is_repeated { 2 * most[starter] } else { most[starter] };
                let count = &mut next[started.0 as usize];
                *count = (*count + times).min(2);
            }
        }
        if next == most {
            return most.into_iter().map(|count| count > 1).collect();
        }
        most = next;
    }
}

/// The proctypes that processes of a kind start, statement by statement, and whether a statement may start more than one of them.
fn starts_of(system: &System, kind: usize) -> Vec<(ProctypeId, bool)> {
    let automaton = &system.automata[kind];
    let mut all = Vec::new();
    for (index, footprint) in Footprint::of_proctype(system, ProctypeId(kind as u32)).enumerate() {
        if footprint.starts.is_empty() {
            continue;
        }
        // What is no edge belongs to the declaration of the process.
        let is_repeated = automaton.edges.get(index).is_none_or(|edge| {
            matches!(edge.action, Action::DStep(_)) || leads_to(automaton, edge.target, edge.source)
        });
        all.extend(footprint.starts.iter().map(|&started| (started, is_repeated)));
    }
    all
}

/// Whether a process at a location may come to another one.
fn leads_to(automaton: &Automaton, from: LocationId, to: LocationId) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut waiting = vec![from];
    while let Some(at) = waiting.pop() {
        if at == to {
            return true;
        }
        let next = automaton.edges_from(at).map(|(_, edge)| edge.target);
        waiting.extend(next.filter(|&target| seen.insert(target)));
    }
    false
}

fn can_end(system: &System, id: ProctypeId) -> bool {
    system.automata[id.0 as usize].edges.iter().any(|edge| edge.action == Action::End)
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

fn owns_channels(model: &Model, proctype: &Proctype) -> bool {
    proctype.locals.iter().any(|local| owns_channel(model, &local.init, local.ty))
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
