//! Sizes as the papers count them: control flow by proctype, as it is written, before values rule anything out (IBOC, table 2; Ciclo, tables
//! II and III).

use std::collections::{BTreeMap, BTreeSet};

use system::automaton::{Action, AutomatonId, EdgeId};

use super::enumerate::elementary_cycles;
use super::{Catalogue, CycleLimits, MessageTypeId};
use crate::values::analysis::Analysis;

/// How large a model is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sizes {
    /// Proctypes, `init` among them.
    pub proctypes: usize,
    /// Processes that run; `None` where the text does not say how many.
    pub processes: Option<u64>,
    /// Points of control of all proctypes.
    pub states: usize,
    /// Statements of all proctypes, the closing braces among them.
    pub transitions: usize,
    /// Channels.
    pub buffers: usize,
    /// Elementary cycles of all proctypes; `None` if there are more than allowed.
    pub cycles: Option<usize>,
    /// Effect vectors, cycle by cycle: what a round may do in some process of the proctype.
    pub vectors: usize,
}

type Effect = Vec<(MessageTypeId, i64)>;

impl Sizes {
    pub(super) fn of(analysis: &Analysis<'_>, catalogue: &Catalogue, limits: CycleLimits) -> Sizes {
        let system = analysis.system;
        let counted: Option<Vec<u64>> = catalogue.processes.iter().map(|process| process.count).collect();
        let mut sizes = Sizes {
            processes: counted.map(|counts| counts.into_iter().sum()),
            buffers: analysis.world.objects.len(),
            cycles: Some(0),
            ..Sizes::default()
        };
        let effects = effects_by_proctype(catalogue);
        for (id, automaton) in system.process_automata() {
            sizes.proctypes += 1;
            sizes.states += automaton.locations.len();
            sizes.transitions += automaton.edges.len();
            let going_on = || {
                let edges = automaton.edges.iter().enumerate();
                edges.filter(|(_, edge)| edge.action != Action::End)
            };
            let edges: Vec<EdgeId> = going_on().map(|(index, _)| EdgeId(index as u32)).collect();
            let ends = going_on().map(|(_, edge)| (edge.source.0, edge.target.0));
            let found = elementary_cycles(automaton.locations.len(), ends, limits.cycles);
            sizes.cycles =
                sizes.cycles.filter(|_| found.len() <= limits.cycles).map(|cycles| cycles + found.len());
            for cycle in found {
                let cycle = cycle.iter().map(|arc| edges[arc.0 as usize]).collect();
                // Values may rule a cycle out; as it is written it does something all the same.
                sizes.vectors += effects.get(&(id, first_to_last(cycle))).map_or(1, BTreeSet::len);
            }
        }
        sizes
    }
}

/// What the cycles of each proctype do, in all its processes.
fn effects_by_proctype(catalogue: &Catalogue) -> BTreeMap<(AutomatonId, Vec<EdgeId>), BTreeSet<&Effect>> {
    let mut all: BTreeMap<(AutomatonId, Vec<EdgeId>), BTreeSet<&Effect>> = BTreeMap::new();
    for (_, cycle) in catalogue.cycle_ids() {
        let mut edges: Vec<EdgeId> =
            cycle.arcs.iter().map(|&arc| catalogue.arc(cycle.process, arc).edge).collect();
        // The statements of a `d_step` are one.
        edges.dedup();
        let key = (catalogue.processes[cycle.process].automaton, first_to_last(edges));
        all.entry(key).or_default().extend(&cycle.effects);
    }
    all
}

/// The same cycle, beginning with its least edge.
fn first_to_last(mut cycle: Vec<EdgeId>) -> Vec<EdgeId> {
    let least = cycle.iter().enumerate().min_by_key(|(_, edge)| **edge).map_or(0, |(index, _)| index);
    cycle.rotate_left(least);
    cycle
}
