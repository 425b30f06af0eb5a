//! Plain exploration, to hold the engines against. It shares nothing with them but the step semantics: states in a hash map, breadth first,
//! with a limit. What it has seen is real even if it has not seen everything.

use std::collections::HashMap;
use std::rc::Rc;

use certificate::verdict::ProgressReading;
use promela::model::Scalar;
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter, Step};
use system::progress::{ProgressAt, ProgressStatements};
use system::state::State;

/// What plain exploration has seen.
pub struct Explored {
    capacities: Capacities,
    /// For each state its steps and where they lead.
    pub edges: Vec<Vec<(Step, usize)>>,
    /// The states.
    pub states: Vec<Rc<State>>,
    /// The most messages in each global channel.
    pub occupancy: HashMap<String, u64>,
    /// These are all states.
    pub complete: bool,
}

impl Explored {
    /// Explores breadth first, up to `limit` states.
    pub fn new(system: &System, capacities: Capacities, limit: usize) -> Explored {
        let interpreter = Interpreter::new(system, capacities);
        let mut explored = Explored {
            capacities,
            edges: Vec::new(),
            states: Vec::new(),
            occupancy: HashMap::new(),
            complete: false,
        };
        let Ok(initial) = interpreter.initial_state().map(Rc::new) else { return explored };
        // The channels that global variables hold at the start are theirs for good unless they are assigned, which names no buffer.
        let names: Vec<(usize, String)> = system
            .global_slots
            .iter()
            .zip(&initial.globals)
            .filter(|(slot, value)| slot.scalar == Scalar::Chan && **value > 0)
            .map(|(slot, value)| (*value as usize - 1, slot.name.clone()))
            .collect();
        let mut index = foldhash::HashMap::default();
        index.insert(Rc::clone(&initial), 0);
        explored.states.push(initial);
        let mut steps = Vec::new();
        while explored.edges.len() < explored.states.len() {
            let at = explored.edges.len();
            let state = Rc::clone(&explored.states[at]);
            for (channel, name) in &names {
                let fields =
                    system.model.channel_types[state.channels[*channel].channel_type.0 as usize].fields.len();
                let held = (state.channels[*channel].contents.len() / fields.max(1)) as u64;
                if explored.occupancy.get(name).is_none_or(|&most| most < held) {
                    explored.occupancy.insert(name.clone(), held);
                }
            }
            let mut out = Vec::new();
            // Whoever cannot evaluate its guard does not keep the others from moving.
            let _ = interpreter.steps(&state, &mut steps);
            for &step in &steps {
                let mut next = State::clone(&state);
                if interpreter.execute(&mut next, step, &(), &mut ()).is_err() {
                    continue;
                }
                let new = explored.states.len();
                let target = match index.get(&next) {
                    Some(&known) => known,
                    None => {
                        let next = Rc::new(next);
                        index.insert(Rc::clone(&next), new);
                        explored.states.push(next);
                        new
                    }
                };
                out.push((step, target));
            }
            explored.edges.push(out);
            if explored.states.len() > limit {
                explored.states.truncate(explored.edges.len());
                return explored;
            }
        }
        explored.complete = true;
        explored
    }

    /// Whether some loop among the explored states makes no progress: executes no statement with a `progress…` label, or passes no state
    /// in which somebody stands at one. States in the middle of an `atomic` sequence are none to stand in.
    pub fn has_loop_without_progress(&self, system: &System, reading: ProgressReading) -> bool {
        let marked = ProgressStatements::new(system, &ProgressAt::Labels);
        let interpreter = Interpreter::new(system, self.capacities);
        let stands = |at: usize| {
            let state = &self.states[at];
            let mut processes = state.processes.iter();
            state.exclusive.is_none()
                && processes.any(|p| system.automaton(p.automaton).location(p.location).progress)
        };
        let makes_progress = |at: usize, step: Step, to: usize| match reading {
            ProgressReading::State => stands(at) || stands(to),
            ProgressReading::Transition => marked.is_made_by(&interpreter, &self.states[at], step),
        };
        // Depth-first over the steps without progress: a step back to the path closes a loop.
        let count = self.states.len();
        let mut colour = vec![0u8; count];
        for root in 0..count {
            if colour[root] != 0 {
                continue;
            }
            let mut path = vec![(root, 0)];
            colour[root] = 1;
            while let Some((at, next)) = path.last_mut() {
                let at = *at;
                let Some((step, to)) = self.edges.get(at).and_then(|e| e.get(*next)) else {
                    colour[at] = 2;
                    path.pop();
                    continue;
                };
                *next += 1;
                if *to >= count || makes_progress(at, *step, *to) {
                    continue;
                }
                match colour[*to] {
                    0 => {
                        colour[*to] = 1;
                        path.push((*to, 0));
                    }
                    1 => return true,
                    _ => {}
                }
            }
        }
        false
    }
}
