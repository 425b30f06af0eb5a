//! Depth-first search with reduction.
//!
//! Of the moves of a state those of an ample set are followed (see [`crate::reduce`]), unless they all lead back to states of
//! the execution so far: then all moves are. So every cycle of the reduced graph has a state where nobody is put off.

use crate::breadth::{Explored, Found, FoundAt};
use crate::expand::{Arrival, Direction, Expander, Expansion, LayoutIsFull, Shared, Sink, Way, lock};
use crate::layout::{Layout, MOST_WORDS};
use crate::options::{Control, ErrorPolicy, Limits, Progress};
use crate::parts::PartId;
use crate::reduce::Reducer;
use crate::report::{Counts, StopReason};
use crate::rows::RowMemory;
use crate::scout::scout;
use foldhash::quality::FixedState;
use std::collections::HashMap;
use std::time::Instant;

/// Explores a sufficient part of what is reachable from the initial state.
pub fn explore(
    shared: &Shared<'_>,
    initial: &[u32],
    policy: ErrorPolicy,
    limits: &Limits,
    control: &Control<'_>,
) -> Explored {
    let started = Instant::now();
    let mut memory = RowMemory::default();
    let mut moves_ahead = FIRST_LOOK_AHEAD;
    loop {
        let run = Run { shared, initial, policy, limits, control, started };
        let layout = Layout::plan(&lock(&shared.knowledge).parts);
        let outcome = match layout {
            None => {
                let stopped = Some(StopReason::StateTooLarge);
                return Explored { stopped, counts: Counts::default(), found: Vec::new() };
            }
            Some(layout) => match layout.words() {
                1 => run.go::<1>(layout, memory),
                2 => run.go::<2>(layout, memory),
                4 => run.go::<4>(layout, memory),
                16 => run.go::<16>(layout, memory),
                _ => run.go::<MOST_WORDS>(layout, memory),
            },
        };
        match outcome {
            Ok(explored) => return explored,
            // Begin again: looking ahead more each time makes that rare.
            Err(learned) => memory = learned,
        }
        scout(shared, initial, moves_ahead);
        moves_ahead *= 2;
    }
}

const FIRST_LOOK_AHEAD: u64 = 1 << 12;

struct Run<'r, 's> {
    shared: &'r Shared<'s>,
    initial: &'r [u32],
    policy: ErrorPolicy,
    limits: &'r Limits,
    control: &'r Control<'r>,
    started: Instant,
}

/// Whether a visited state is part of the execution so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Visited {
    OnStack,
    Done,
}

struct Frame<const N: usize> {
    state: [u64; N],
    way: Way,
    begin: usize,
    next: usize,
}

#[derive(Default)]
struct Moves<const N: usize> {
    states: Vec<[u64; N]>,
    problems: Vec<u32>,
}

impl<const N: usize> Sink<N> for Moves<N> {
    const NEEDS_MARKS: bool = false;

    fn arrive(&mut self, state: [u64; N], _arrival: Arrival) {
        self.states.push(state);
    }

    fn problem(&mut self, cause: u32, _arrival: Option<Arrival>) {
        self.problems.push(cause);
    }
}

struct Search<'a, 's, const N: usize> {
    expander: Expander<'a, 's, N>,
    visited: HashMap<[u64; N], Visited, FixedState>,
    stack: Vec<Frame<N>>,
    moves: Moves<N>,
    found: Vec<Found>,
    arrivals: u64,
    depth: usize,
}

impl Run<'_, '_> {
    /// Searches under one layout; if that is too small, gives back what was learned.
    fn go<const N: usize>(&self, layout: Layout, memory: RowMemory) -> Result<Explored, RowMemory> {
        let initial = self.initial;
        let start = layout.pack::<N>(|part: PartId| initial.get(part.0 as usize).copied().unwrap_or(0));
        let expander = {
            let knowledge = lock(&self.shared.knowledge);
            Expander::new(self.shared, layout, &knowledge.parts, memory)
        };
        let mut search = Search {
            expander,
            visited: HashMap::default(),
            stack: Vec::new(),
            moves: Moves::default(),
            found: Vec::new(),
            arrivals: 1,
            depth: 0,
        };
        let mut stopped = None;
        let mut since_check = 0;
        let mut last_report = Instant::now();
        let mut outcome = search.enter(start);
        while let Ok(()) = outcome {
            let Some(frame) = search.stack.last_mut() else { break };
            if frame.next == search.moves.states.len() {
                search.leave();
                continue;
            }
            let next = search.moves.states[frame.next];
            frame.next += 1;
            search.arrivals += 1;
            if search.visited.contains_key(&next) {
                continue;
            }
            outcome = search.enter(next);
            since_check += 1;
            if since_check == 1024 || !search.found.is_empty() {
                since_check = 0;
                let counts = self.counts(&search);
                if last_report.elapsed().as_millis() > 100 {
                    last_report = Instant::now();
                    self.report(&counts, search.stack.len());
                }
                stopped = self.reason_to_stop(&counts, &search.found);
                if stopped.is_some() {
                    break;
                }
            }
        }
        if let Err(LayoutIsFull) = outcome {
            return Err(search.expander.into_memory());
        }
        if self.policy != ErrorPolicy::All && !search.found.is_empty() {
            stopped = Some(StopReason::Error);
        }
        Ok(Explored { stopped, counts: self.counts(&search), found: search.found })
    }

    fn counts<const N: usize>(&self, search: &Search<'_, '_, N>) -> Counts {
        let states = search.visited.len() as u64;
        let state_memory = search.visited.capacity() * (size_of::<([u64; N], Visited)>() + 1);
        let stack = search.stack.capacity() * size_of::<Frame<N>>() + search.moves.states.capacity() * 8 * N;
        let knowledge = lock(&self.shared.knowledge);
        Counts {
            states,
            matched: search.arrivals - states.min(search.arrivals),
            atomic_steps: search.expander.atomic_steps,
            depth: search.depth as u64,
            state_memory,
            memory: state_memory + stack + search.expander.bytes() + knowledge.parts.bytes(),
            computed_steps: knowledge.computed_steps,
            product_nodes: 0,
        }
    }

    fn reason_to_stop(&self, counts: &Counts, found: &[Found]) -> Option<StopReason> {
        if self.policy != ErrorPolicy::All && !found.is_empty() {
            return Some(StopReason::Error);
        }
        // What was relied on does not hold: whoever asked for this search will ask again.
        if self.control.is_cancelled() || self.shared.reducer.as_ref().is_some_and(Reducer::is_broken) {
            return Some(StopReason::Cancelled);
        }
        if let Some(limit) = self.limits.states.filter(|&limit| counts.states > limit) {
            return Some(StopReason::States(limit));
        }
        if let Some(limit) = self.limits.memory.filter(|&limit| counts.memory > limit) {
            return Some(StopReason::Memory(limit));
        }
        self.limits.deadline.filter(|&deadline| Instant::now() > deadline).map(|_| StopReason::Deadline)
    }

    fn report(&self, counts: &Counts, waiting: usize) {
        self.control.report(Progress {
            states: counts.states,
            transitions: counts.transitions(),
            depth: counts.depth,
            waiting: waiting as u64,
            memory: counts.memory,
            rate: counts.states as f64 / self.started.elapsed().as_secs_f64().max(1e-9),
        });
    }
}

impl<const N: usize> Search<'_, '_, N> {
    /// Goes to a state that was not visited before.
    fn enter(&mut self, state: [u64; N]) -> Result<(), LayoutIsFull> {
        self.visited.insert(state, Visited::OnStack);
        let begin = self.moves.states.len();
        let mut way = Way::Expand;
        let atomic_steps = self.expander.atomic_steps;
        if self.expander.expand(&state, &mut self.moves)? == Expansion::Reduced {
            let on_stack = |next: &[u64; N]| self.visited.get(next) == Some(&Visited::OnStack);
            if self.moves.states[begin..].iter().all(on_stack) {
                self.moves.states.truncate(begin);
                self.moves.problems.clear();
                self.expander.atomic_steps = atomic_steps;
                way = Way::ExpandFully;
                self.expander.expand_fully(&state, &mut self.moves)?;
            }
        }
        self.stack.push(Frame { state, way, begin, next: begin });
        self.depth = self.depth.max(self.stack.len() - 1);
        if !self.moves.problems.is_empty() {
            self.note_problems();
        }
        Ok(())
    }

    fn leave(&mut self) {
        if let Some(frame) = self.stack.pop() {
            self.moves.states.truncate(frame.begin);
            self.visited.insert(frame.state, Visited::Done);
        }
    }

    fn note_problems(&mut self) {
        for cause in std::mem::take(&mut self.moves.problems) {
            match self.found.iter_mut().find(|group| group.cause == cause) {
                Some(group) => group.count += 1,
                None => {
                    let taken = &self.stack[..self.stack.len() - 1];
                    let directions: Vec<Direction> = taken
                        .iter()
                        .map(|frame| (frame.way, (frame.next - 1 - frame.begin) as u32))
                        .collect();
                    let depth = directions.len() as u64;
                    self.found.push(Found { cause, count: 1, depth, place: FoundAt::Way(directions) });
                }
            }
        }
    }
}
