//! Whether a control-flow cycle can be repeated for ever without others: cycle dependencies decided on all states (the dependency study,
//! section 3: decidable for finite models).
//!
//! A run of a process is a way through its automaton that is cut down to elementary cycles as it goes: whenever it comes back to a
//! location of the way that is left, the part since then is a cycle that has been gone round once. A state here is a state of the model with
//! what is left of the way of each process that matters. A dependency is refuted by a strongly connected part of these
//! in which c is gone round and no step ends a round of one of the others.

use std::collections::HashMap;

use system::automaton::{AutomatonId, EdgeId, System};
use system::interpreter::{Capacities, Interpreter, Step};
use system::state::State;

use crate::explore::witness::components;

/// An elementary cycle of an automaton: its edges in order, whichever comes first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalCycle {
    /// Whose.
    pub automaton: AutomatonId,
    /// Its edges.
    pub edges: Vec<EdgeId>,
}

/// What the states say of a dependency.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dependence {
    /// Nobody repeats the cycle for ever without one of the others: all states were visited.
    Holds,
    /// Somebody does.
    Refuted,
    /// Not all states were visited.
    Unknown,
}

/// Decides with the declared capacities whether `cycle` is repeated for ever only if one of `on` is; and on how many states.
pub fn depends(
    system: &System,
    cycle: &LocalCycle,
    on: &[LocalCycle],
    most_states: usize,
    cancelled: &dyn Fn() -> bool,
) -> (Dependence, usize) {
    let interpreter = Interpreter::new(system, Capacities::Declared);
    let Ok(initial) = interpreter.initial_state() else { return (Dependence::Unknown, 0) };
    let matters = |automaton: AutomatonId| {
        automaton == cycle.automaton || on.iter().any(|other| other.automaton == automaton)
    };
    let mut nodes: Vec<(State, Ways)> = vec![(initial, Ways::new())];
    let mut index: HashMap<(State, Ways), usize> = HashMap::from([(nodes[0].clone(), 0)]);
    // Steps that end no round of the others: where they lead, and 1 if they end one of the cycle.
    let mut edges: Vec<Vec<(usize, u32)>> = Vec::new();
    let mut steps: Vec<Step> = Vec::new();
    while edges.len() < nodes.len() {
        if nodes.len() > most_states || (edges.len().is_multiple_of(1024) && cancelled()) {
            break;
        }
        let (state, ways) = nodes[edges.len()].clone();
        let mut out = Vec::new();
        // Whoever cannot evaluate its guard does not keep the others from moving.
        let _ = interpreter.steps_beside_errors(&state, &mut steps);
        for &step in &steps {
            let mut next = state.clone();
            if interpreter.execute(&mut next, step, &(), &mut ()).is_err() {
                continue;
            }
            let mut ways = ways.clone();
            let (mut is_round, mut is_other) = (0, false);
            let partner = step.partner.map(|partner| (partner.process.0, partner.edge));
            for (pid, edge) in std::iter::once((step.process.0, step.edge)).chain(partner) {
                let automaton = state.processes[pid as usize].automaton;
                if !matters(automaton) {
                    continue;
                }
                if let Some(edges) = go(system, automaton, ways.entry(pid), edge) {
                    let done = LocalCycle { automaton, edges };
                    is_round |= u32::from(is_same(&done, cycle));
                    is_other |= on.iter().any(|other| is_same(&done, other));
                }
            }
            ways.forget_from(next.processes.len() as u32);
            let found = (next, ways);
            let target = *index.entry(found.clone()).or_insert_with(|| {
                nodes.push(found);
                nodes.len() - 1
            });
            if !is_other {
                out.push((target, is_round));
            }
        }
        edges.push(out);
    }
    let complete = edges.len() == nodes.len();
    edges.resize(nodes.len(), Vec::new());
    let component = components(&edges);
    let goes_round = edges
        .iter()
        .enumerate()
        .any(|(from, list)| list.iter().any(|&(to, round)| round == 1 && component[from] == component[to]));
    let dependence = match (goes_round, complete) {
        (true, _) => Dependence::Refuted,
        (false, true) => Dependence::Holds,
        (false, false) => Dependence::Unknown,
    };
    (dependence, nodes.len())
}

/// What is left of the way of each process, by pid.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Ways(Vec<(u32, Vec<EdgeId>)>);

impl Ways {
    fn new() -> Ways {
        Ways(Vec::new())
    }

    fn entry(&mut self, pid: u32) -> &mut Vec<EdgeId> {
        let at = self.0.partition_point(|(other, _)| *other < pid);
        if self.0.get(at).is_none_or(|(other, _)| *other != pid) {
            self.0.insert(at, (pid, Vec::new()));
        }
        &mut self.0[at].1
    }

    /// Processes from this pid on have ended.
    fn forget_from(&mut self, pid: u32) {
        self.0.retain(|(other, _)| *other < pid);
    }
}

/// Goes on along an edge; the cycle that this ends, if it ends one.
fn go(system: &System, automaton: AutomatonId, way: &mut Vec<EdgeId>, edge: EdgeId) -> Option<Vec<EdgeId>> {
    let automaton = system.automaton(automaton);
    way.push(edge);
    let target = automaton.edge(edge).target;
    let back = way.iter().position(|&edge| automaton.edge(edge).source == target)?;
    Some(way.split_off(back))
}

fn is_same(a: &LocalCycle, b: &LocalCycle) -> bool {
    let length = a.edges.len();
    let rotated = |shift: usize| a.edges.iter().cycle().skip(shift).take(length).eq(&b.edges);
    a.automaton == b.automaton && length == b.edges.len() && (0..length).any(rotated)
}
