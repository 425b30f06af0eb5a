//! Search with unbounded queues, a small engine of its own.
//!
//! If it ends, the state space is finite although no buffer has a limit: the largest occupancies are exact, and progress is
//! decided. If it does not, what it saw is a lower bound for every buffer, and a place to look for real counterexamples.
//!
//! **Of the living.** A process dies only after all younger ones, so a model that starts one process after another fills up with processes
//! that have nothing left to do but to die. If nothing looks at the numbers of processes ([`certificate::pids`]), such a process may as
//! well be gone at once: whatever the others do they can do without it, and its death changes nothing else. So
//! [`Exploration::of_the_living`] takes it away. Its states are those of the model up to that, so a search that ends is a proof, for
//! any number of processes over time; but its steps are not steps of the model, so it has no counterexamples.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};

use certificate::pids;
use system::automaton::{Action, System};
use system::interpreter::{Capacities, Interpreter, Output, Step};
use system::state::{ChannelId, Pid, Process, State};

use crate::options::Control;
use crate::report::SearchReport;

/// How much a search may see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchLimits {
    /// States.
    pub states: usize,
    /// Numbers that all states hold together.
    pub cells: usize,
    /// Numbers that are copied for all steps together: what a search costs.
    pub copies: usize,
}

impl SearchLimits {
    /// A first look, which is to cost little whatever the size of a state.
    pub fn first_look(states: usize) -> SearchLimits {
        SearchLimits { states, cells: 2_000_000, copies: 10_000_000 }
    }

    /// Where all is proved, and what is left to say is which bounds are tight.
    pub fn of_a_decided_system(states: usize) -> SearchLimits {
        SearchLimits { states, cells: 4_000_000, copies: 30_000_000 }
    }

    /// As much as the number of states allows.
    pub fn whole(states: usize) -> SearchLimits {
        SearchLimits { states, cells: 32_000_000, copies: usize::MAX }
    }
}

/// What a search saw.
pub struct Exploration {
    /// Every state was visited, with all its steps.
    pub complete: bool,
    /// States, in the order in which they were found.
    pub states: Vec<State>,
    /// How each state was found: from which, by which step. The first has none.
    pub parents: Vec<Option<(u32, Step)>>,
    /// Steps from each state, with where they lead.
    pub successors: Vec<Vec<(Step, u32)>>,
    /// How many steps were seen.
    pub transitions: u64,
    /// The most messages that each channel held, by its number; also in the middle of a step.
    pub peaks: Vec<u64>,
}

/// Counts messages while a step is executed.
struct Watch<'a> {
    now: Vec<u64>,
    peaks: &'a mut Vec<u64>,
}

impl Output for Watch<'_> {
    fn sent(&mut self, _: Pid, channel: ChannelId, _: &[i32]) {
        let index = channel.0 as usize;
        if self.now.len() <= index {
            self.now.resize(index + 1, 0);
        }
        if self.peaks.len() <= index {
            self.peaks.resize(index + 1, 0);
        }
        self.now[index] += 1;
        self.peaks[index] = self.peaks[index].max(self.now[index]);
    }

    fn received(&mut self, _: Pid, channel: ChannelId, _: &[i32]) {
        if let Some(now) = self.now.get_mut(channel.0 as usize) {
            *now = now.saturating_sub(1);
        }
    }
}

/// Finds states in a list by their hash, without a second copy of them.
#[derive(Default)]
pub struct StateIndex {
    numbers: HashMap<u64, u32>,
}

impl StateIndex {
    /// Where in the list a state is; if it is not, where it will be as the next one.
    pub fn number(&mut self, states: &[State], state: &State) -> u32 {
        let mut hasher = DefaultHasher::new();
        state.hash(&mut hasher);
        let mut key = hasher.finish();
        loop {
            match self.numbers.entry(key) {
                Entry::Occupied(entry) if states.get(*entry.get() as usize) == Some(state) => {
                    return *entry.get();
                }
                // Another state with this hash, or the one that was announced and never came.
                Entry::Occupied(entry) if (*entry.get() as usize) < states.len() => {
                    key = key.wrapping_add(1);
                }
                Entry::Occupied(mut entry) => {
                    entry.insert(states.len() as u32);
                    return states.len() as u32;
                }
                Entry::Vacant(entry) => return *entry.insert(states.len() as u32),
            }
        }
    }
}

/// Whether processes that only wait for their death are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TheEnded {
    Kept,
    TakenAway,
}

impl Exploration {
    /// Searches breadth first until all is seen or the number of states is reached.
    pub fn run(
        system: &System,
        capacities: Capacities,
        limits: SearchLimits,
        most_messages: u64,
        control: &Control<'_>,
    ) -> Exploration {
        Exploration::explore(system, capacities, (limits, most_messages), control, TheEnded::Kept)
    }

    /// The same without processes that only wait for their death; `None` if somebody would notice, or nothing that was seen
    /// so far makes it look worth while.
    pub fn of_the_living(
        &self,
        system: &System,
        capacities: Capacities,
        most_states: usize,
        control: &Control<'_>,
    ) -> Option<Exploration> {
        let ended = |state: &State| {
            let processes = state.processes.iter().filter(|process| has_ended(system, process));
            processes.count()
        };
        if self.complete || pids::are_observed(system) || !self.states.iter().any(|state| ended(state) >= 2) {
            return None;
        }
        let states = most_states.min(MOST_LIVING_STATES);
        let limits = (SearchLimits::whole(states), MOST_LIVING_MESSAGES);
        let living = Exploration::explore(system, capacities, limits, control, TheEnded::TakenAway);
        living.complete.then_some(living)
    }

    fn explore(
        system: &System,
        capacities: Capacities,
        (limits, most_messages): (SearchLimits, u64),
        control: &Control<'_>,
        the_ended: TheEnded,
    ) -> Exploration {
        let interpreter = Interpreter::new(system, capacities);
        let mut result = Exploration {
            complete: false,
            states: Vec::new(),
            parents: Vec::new(),
            successors: Vec::new(),
            transitions: 0,
            peaks: Vec::new(),
        };
        let Ok(initial) = interpreter.initial_state() else {
            return result;
        };
        let mut index = StateIndex::default();
        index.number(&result.states, &initial);
        result.states.push(initial);
        result.parents.push(None);
        let mut steps = Vec::new();
        let mut next = 0;
        let mut cut = false;
        let mut cells = 0;
        let mut copies: usize = 0;
        while next < result.states.len() {
            if next % 16 == 0 && control.is_cancelled() {
                return result;
            }
            let state = result.states[next].clone();
            if state.channels.iter().any(|channel| occupancy(system, channel) > most_messages) {
                if the_ended == TheEnded::TakenAway {
                    return result; // It is of use only if it sees everything.
                }
                cut = true;
                result.successors.push(Vec::new());
                next += 1;
                continue;
            }
            let mut leads: Vec<(Step, u32)> = Vec::new();
            let (_, error) = interpreter.steps_beside_errors(&state, &mut steps);
            cut |= error.is_some_and(|error| error.kind.is_limit());
            copies = copies.saturating_add(size_of(&state).saturating_mul(steps.len()));
            if copies > limits.copies {
                return result;
            }
            for &step in &steps {
                let mut after = state.clone();
                let now = state.channels.iter().map(|channel| occupancy(system, channel)).collect();
                let mut watch = Watch { now, peaks: &mut result.peaks };
                if let Err(error) = interpreter.execute(&mut after, step, &(), &mut watch) {
                    // A limit of SPIN's is none of the model's: there the search has not seen everything.
                    cut |= error.kind.is_limit();
                    continue;
                }
                result.transitions += 1;
                if the_ended == TheEnded::TakenAway {
                    take_away_the_ended(system, &mut after);
                }
                let number = index.number(&result.states, &after);
                if number as usize == result.states.len() {
                    cells += size_of(&after);
                    if result.states.len() >= limits.states || cells > limits.cells {
                        return result;
                    }
                    result.states.push(after);
                    result.parents.push(Some((next as u32, step)));
                }
                leads.push((step, number));
            }
            result.successors.push(leads);
            next += 1;
        }
        result.complete = !cut;
        result
    }

    /// How much was seen.
    pub fn report(&self) -> SearchReport {
        SearchReport {
            states: self.states.len() as u64,
            transitions: self.transitions,
            complete: self.complete,
        }
    }

    /// The steps that lead to a state.
    pub fn path_to(&self, state: u32) -> Vec<Step> {
        path_to(&self.parents, state)
    }
}

/// The steps that lead to a state, if for each is known by which step from which other it was found.
pub fn path_to(parents: &[Option<(u32, Step)>], mut state: u32) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some((parent, step)) = parents[state as usize] {
        steps.push(step);
        state = parent;
    }
    steps.reverse();
    steps
}

/// Whether a process can do nothing any more but die.
fn has_ended(system: &System, process: &Process) -> bool {
    let automaton = system.automaton(process.automaton);
    let edges = &automaton.location(process.location).edges;
    matches!(edges[..], [edge] if matches!(automaton.edge(edge).action, Action::End))
}

/// Takes away processes that have ended. Not while somebody runs alone or owns a channel: these are known by their numbers.
fn take_away_the_ended(system: &System, state: &mut State) {
    let owned = state.channels.iter().any(|channel| channel.owner.is_some());
    if state.exclusive.is_none() && !owned {
        state.processes.retain(|process| !has_ended(system, process));
    }
}

/// States of a search of the living.
const MOST_LIVING_STATES: usize = 20_000;
/// Messages in one buffer at which such a search is given up.
const MOST_LIVING_MESSAGES: u64 = 40;

fn size_of(state: &State) -> usize {
    let processes: usize = state.processes.iter().map(|process| process.locals.len() + 8).sum();
    let channels: usize = state.channels.iter().map(|channel| channel.contents.len() + 8).sum();
    state.globals.len() + processes + channels
}

/// How many messages a channel holds.
pub fn occupancy(system: &System, channel: &system::state::Channel) -> u64 {
    let fields = system.model.channel_types[channel.channel_type.0 as usize].fields.len().max(1);
    (channel.contents.len() / fields) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_has_the_number_of_its_place_and_a_new_one_the_next() {
        let state = |global: i32| State {
            globals: vec![global],
            processes: Vec::new(),
            channels: Vec::new(),
            last: 0,
            exclusive: None,
            event_trace: None,
        };
        let mut index = StateIndex::default();
        let mut states = Vec::new();
        for number in 0..100 {
            assert_eq!(index.number(&states, &state(number)), number as u32);
            states.push(state(number));
        }
        // Announced twice, never added: the place is still free.
        assert_eq!(index.number(&states, &state(-1)), 100);
        assert_eq!(index.number(&states, &state(-2)), 100);
        states.push(state(-2));
        assert_eq!(index.number(&states, &state(-1)), 101);
        assert_eq!(index.number(&states, &state(-2)), 100);
        assert_eq!(index.number(&states, &state(7)), 7);
    }
}
