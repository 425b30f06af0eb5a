//! Sizes as the papers count them: control flow by proctype, as it is written, before values rule anything out (IBOC, table 2; Ciclo, tables
//! II and III).

use std::collections::BTreeSet;

use promela::model::ExprKind;
use system::automaton::Action;

use super::effects::{Conditions, summarise};
use super::enumerate::{elementary_cycles, loop_heads};
use super::{Arc, Catalogue, CycleLimits, Process};
use crate::values::analysis::{Analysis, AnalysisError};
use crate::values::sets::Values;
use crate::values::world::Group;

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
    /// Effect vectors, cycle by cycle and process by process (those with equal arguments are one). Of conditions, only those on symbolic
    /// names rule some out, as the papers follow no other variables before they refine. `None` if there are more than allowed.
    pub vectors: Option<usize>,
}

impl Sizes {
    pub(super) fn of(
        analysis: &Analysis<'_>,
        catalogue: &Catalogue,
        limits: CycleLimits,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Sizes, AnalysisError> {
        let system = analysis.system;
        let counted: Option<Vec<u64>> = catalogue.processes.iter().map(|process| process.count).collect();
        let mut sizes = Sizes {
            processes: counted.map(|counts| counts.into_iter().sum()),
            buffers: analysis.world.objects.len(),
            cycles: Some(0),
            vectors: Some(0),
            ..Sizes::default()
        };
        for (_, automaton) in system.process_automata() {
            sizes.proctypes += 1;
            // Nobody gets past `assert(false)`: the papers count neither the statement nor a point that only it leaves.
            let passed = || automaton.edges.iter().filter(|edge| !never_passes(&edge.action));
            let stopped: BTreeSet<u32> = automaton
                .edges
                .iter()
                .filter(|edge| never_passes(&edge.action))
                .map(|edge| edge.source.0)
                .filter(|&point| passed().all(|edge| edge.source.0 != point))
                .collect();
            sizes.states += automaton.locations.len() - stopped.len();
            sizes.transitions += passed().count();
            let going_on = passed().filter(|edge| edge.action != Action::End);
            let ends = going_on.map(|edge| (edge.source.0, edge.target.0));
            let found = elementary_cycles(automaton.locations.len(), ends, limits.cycles);
            sizes.cycles =
                sizes.cycles.filter(|_| found.len() <= limits.cycles).map(|cycles| cycles + found.len());
        }
        for group in &analysis.world.groups {
            let written = as_written(analysis, group);
            let ends = written.arcs.iter().map(|arc| (arc.from, arc.to));
            let found = elementary_cycles(written.points as usize, ends, limits.cycles);
            if found.len() > limits.cycles {
                sizes.vectors = None;
            }
            for cycle in found.into_iter().take(limits.cycles) {
                if cancelled() {
                    return Err(AnalysisError::Cancelled);
                }
                let types = &catalogue.message_types;
                let done = summarise(analysis, &written, &cycle, types, limits.effects, Conditions::OnNames);
                // Values may rule a cycle out; as it is written it does something all the same.
                let counted = match done {
                    Ok(done) if done.cut => None,
                    Ok(done) => Some(done.effects.len().max(1)),
                    Err(_) => Some(1),
                };
                sizes.vectors = sizes.vectors.zip(counted).map(|(all, more)| all + more);
            }
        }
        Ok(sizes)
    }
}

/// The control flow of the processes of a group before values rule anything out.
fn as_written(analysis: &Analysis<'_>, group: &Group) -> Process {
    let flow = &analysis.flows[group.automaton.0 as usize];
    let slots = group.first.len();
    let mut locals: Vec<Vec<Values>> = vec![vec![Values::all(); slots]; flow.points.len()];
    for node in &group.nodes {
        locals[node.key.point.0 as usize].clone_from(&node.locals);
    }
    let mut arcs = Vec::new();
    for (from, leaving) in flow.leaving.iter().enumerate() {
        for arc in leaving.iter().filter(|arc| !never_passes(arc.action)) {
            let Some(target) = arc.target else { continue };
            arcs.push(Arc {
                from: from as u32,
                to: target.0,
                edge: arc.edge,
                action: arc.action.clone(),
                progress: arc.progress,
                replication: false,
                text: String::new(),
                line: 0,
                dead: arc.dead.to_vec(),
                before: arc.before.iter().copied().cloned().collect(),
                starts: BTreeSet::new(),
                takes: Vec::new(),
                puts: Vec::new(),
                reads: BTreeSet::new(),
                writes: BTreeSet::new(),
                condition: None,
            });
        }
    }
    let mut process = Process {
        name: String::new(),
        automaton: group.automaton,
        single: false,
        count: None,
        starts_at: BTreeSet::new(),
        arcs,
        points: flow.points.len() as u32,
        locals,
        pid: group.pid.clone(),
        heads: Vec::new(),
        through: Vec::new(),
    };
    process.heads = loop_heads(&process);
    process
}

/// Whether nobody gets past a statement: the papers' runs end where an assertion fails.
pub(super) fn never_passes(action: &Action) -> bool {
    matches!(action, Action::Assert(expr) if matches!(expr.kind, ExprKind::Constant { value: 0, .. }))
}
