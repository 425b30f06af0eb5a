//! The states of the semantics as a [`Space`], on remembered steps: states are packed, and what a process can do in which circumstances is
//! looked up instead of computed wherever it was seen before (see the crate's front page).
//!
//! The same states and moves as those of [`super::explicit`], which is slow and obvious and what this is compared with.

use super::path::{Executable, Execution, Run};
use super::space::{Expansion, Move, Problem, Space, StateNumber};
use crate::budget::Budget;
use crate::cycles::product::Trouble;
use crate::cycles::watching::Guards;
use crate::explore::expand::{Arrival, Expander, Expansion as Moved, LayoutIsFull, Shared, Sink, lock};
use crate::explore::memo::RowMemory;
use crate::explore::scout::{LookAhead, scout};
use crate::monitor::Monitor;
use crate::options::Limits;
use crate::packed::components::ComponentId;
use crate::packed::layout::{Layout, MOST_WORDS};
use crate::report::Cause;
use certificate::verdict::ProgressReading;
use omega::{Fairness, Letter, ProcessId, ProcessSet, PropositionId, TypedIndex};
use std::sync::Arc;
use system::control::Control;
use system::interpreter::{RuntimeError, Step};

/// States one by one, packed.
pub struct PackedSpace<'a, 's> {
    shared: &'a Shared<'s>,
    initial: Vec<u32>,
    /// At its only location it has a move for each proposition that holds, to the location with the proposition's number.
    propositions: &'a Monitor,
    states: Box<dyn States + 'a>,
    ahead: LookAhead,
    limits: Limits,
    progress: Option<ProgressReading>,
}

/// The proposition of moves that are progress, in a question about nothing else.
pub const PROGRESS: PropositionId = PropositionId(0);

impl<'a, 's> PackedSpace<'a, 's> {
    /// The states of a system; `None` if they are too large. The monitor is [`Monitor::of_propositions`].
    pub fn new(
        shared: &'a Shared<'s>,
        initial: &[u32],
        propositions: &'a Monitor,
        limits: &Limits,
    ) -> Option<PackedSpace<'a, 's>> {
        // What a short walk meets is met later anyway, and each new layout costs.
        let control = Control::none();
        let mut ahead = LookAhead::default();
        let memory = scout(shared, initial, ahead.worth(0), RowMemory::default(), (limits, &control));
        let mut states = empty(shared, propositions, memory)?;
        states.add(initial);
        let initial = initial.to_vec();
        Some(PackedSpace { shared, initial, propositions, states, ahead, limits: *limits, progress: None })
    }

    /// The same; [`PROGRESS`] holds of moves that are progress in this reading, and of standing still for ever, which is no livelock.
    pub fn noting_progress(self, reading: ProgressReading) -> PackedSpace<'a, 's> {
        PackedSpace { progress: Some(reading), ..self }
    }

    /// Packs all states anew, unless they have become too large.
    fn widen(&mut self) -> Result<(), Problem> {
        let control = Control::none();
        let moves = self.ahead.worth(self.states.len() as u64);
        let memory = self.states.take_memory();
        let memory = scout(self.shared, &self.initial, moves, memory, (&self.limits, &control));
        let too_large = || Problem::Inexpressible("states that are too large".to_string());
        let mut wider = empty(self.shared, self.propositions, memory).ok_or_else(too_large)?;
        // For a moment there are both.
        if !self.shared.budget.allows(self.states.len() * wider.bytes_of_a_state()) {
            return Err(Problem::MemoryEnds);
        }
        self.states.for_each(&mut |numbers| {
            wider.add(numbers);
        });
        self.states = wider;
        Ok(())
    }
}

impl Space for PackedSpace<'_, '_> {
    fn initial(&mut self) -> Result<Vec<StateNumber>, RuntimeError> {
        Ok(vec![StateNumber(0)])
    }

    fn expand(&mut self, state: StateNumber) -> Expansion {
        loop {
            match self.states.expand(state.0, self.propositions, self.progress) {
                Ok(expansion) => return expansion,
                Err(LayoutIsFull) => {
                    if let Err(problem) = self.widen() {
                        return Expansion::without_meaning(problem);
                    }
                }
            }
        }
    }

    fn states(&self) -> usize {
        self.states.len()
    }

    fn memory(&self) -> usize {
        self.states.memory()
    }

    fn budget(&self) -> Option<&Arc<Budget>> {
        Some(&self.shared.budget)
    }
}

impl Executable for PackedSpace<'_, '_> {
    fn execution(&mut self, run: &Run, _: Fairness) -> Option<Execution> {
        let mut steps = Vec::new();
        for hop in run.prefix.iter().filter(|hop| !hop.actors.is_empty()) {
            steps.extend(self.states.steps_between(hop.from.0, hop.to.0, &hop.actors)?);
        }
        let loop_start = (!run.cycle.is_empty()).then_some(steps.len());
        // Where nobody acts the run has ended: no steps, though the automaton may still go on to its loop.
        for hop in run.cycle.iter().filter(|hop| !hop.actors.is_empty()) {
            steps.extend(self.states.steps_between(hop.from.0, hop.to.0, &hop.actors)?);
        }
        Some(Execution { steps, loop_start })
    }
}

/// States under one layout, whatever its width.
trait States {
    fn expand(
        &mut self,
        number: u32,
        propositions: &Monitor,
        progress: Option<ProgressReading>,
    ) -> Result<Expansion, LayoutIsFull>;
    fn steps_between(&mut self, from: u32, to: u32, actors: &ProcessSet) -> Option<Vec<Step>>;
    fn len(&self) -> usize;
    fn memory(&self) -> usize;
    /// Bytes that each state takes, at most.
    fn bytes_of_a_state(&self) -> usize;
    /// Adds the state whose components have these numbers, which is not there yet.
    fn add(&mut self, numbers: &[u32]);
    /// The numbers of the components of all states, in their order.
    fn for_each(&self, visit: &mut dyn FnMut(&[u32]));
    /// What is remembered of steps, to be used under another layout.
    fn take_memory(&mut self) -> RowMemory;
}

/// No states, under a layout that fits all values that were met so far.
fn empty<'a>(
    shared: &'a Shared<'_>,
    propositions: &Monitor,
    memory: RowMemory,
) -> Option<Box<dyn States + 'a>> {
    let layout = Layout::plan(&lock(&shared.knowledge).components)?;
    Some(match layout.words() {
        1 => Box::new(Packed::<1>::new(shared, layout, propositions, memory)),
        2 => Box::new(Packed::<2>::new(shared, layout, propositions, memory)),
        4 => Box::new(Packed::<4>::new(shared, layout, propositions, memory)),
        16 => Box::new(Packed::<16>::new(shared, layout, propositions, memory)),
        _ => Box::new(Packed::<MOST_WORDS>::new(shared, layout, propositions, memory)),
    })
}

struct Packed<'a, 's, const N: usize> {
    shared: &'a Shared<'s>,
    /// There until its memory is taken.
    expander: Option<Expander<'a, 's, N>>,
    layout: Layout,
    guards: Guards<N>,
    states: Vec<[u64; N]>,
    /// Open addressing, a power of two long: a number plus one, or 0 where nothing is.
    table: Vec<u32>,
    moves: Moves<N>,
}

#[derive(Default)]
struct Moves<const N: usize> {
    arrivals: Vec<([u64; N], Arrival)>,
    problems: Vec<(u32, Option<Arrival>)>,
}

impl<const N: usize> Sink<N> for Moves<N> {
    const NEEDS_MARKS: bool = true;

    fn arrive(&mut self, state: [u64; N], arrival: Arrival) {
        self.arrivals.push((state, arrival));
    }

    fn problem(&mut self, cause: u32, arrival: Option<Arrival>) {
        self.problems.push((cause, arrival));
    }
}

impl<'a, 's, const N: usize> Packed<'a, 's, N> {
    fn new(shared: &'a Shared<'s>, layout: Layout, propositions: &Monitor, memory: RowMemory) -> Self {
        let knowledge = lock(&shared.knowledge);
        Packed {
            shared,
            expander: Some(Expander::new(shared, layout.clone(), &knowledge.components, memory)),
            layout,
            guards: Guards::new(propositions),
            states: Vec::new(),
            table: vec![0; 1 << 10],
            moves: Moves::default(),
        }
    }

    /// Finds the moves of a state, with all their steps in the log.
    fn find_moves(&mut self, state: &[u64; N]) -> Result<Moved, LayoutIsFull> {
        let expander = self.expander.as_mut().ok_or(LayoutIsFull)?;
        self.moves.arrivals.clear();
        self.moves.problems.clear();
        expander.keep_log = true;
        expander.log.clear();
        expander.expand_fully(state, &mut self.moves)
    }

    fn intern(&mut self, state: &[u64; N]) -> u32 {
        if (self.states.len() + 1) * 4 > self.table.len() * 3 {
            self.grow();
        }
        let place = self.find(state);
        match self.table[place] {
            0 => {
                self.states.push(*state);
                self.table[place] = self.states.len() as u32;
                self.states.len() as u32 - 1
            }
            entry => entry - 1,
        }
    }

    fn find(&self, state: &[u64; N]) -> usize {
        let mask = self.table.len() - 1;
        let mut place = hash(state) & mask;
        while self.table[place] != 0 && self.states[self.table[place] as usize - 1] != *state {
            place = (place + 1) & mask;
        }
        place
    }

    fn grow(&mut self) {
        self.table = vec![0; self.table.len() * 2];
        for number in 0..self.states.len() {
            let place = self.find(&self.states[number]);
            self.table[place] = number as u32 + 1;
        }
    }
}

impl<const N: usize> States for Packed<'_, '_, N> {
    fn expand(
        &mut self,
        number: u32,
        propositions: &Monitor,
        progress: Option<ProgressReading>,
    ) -> Result<Expansion, LayoutIsFull> {
        let state = self.states[number as usize];
        let moved = self.find_moves(&state)?;
        let Some(expander) = &mut self.expander else { return Err(LayoutIsFull) };
        let letter: Letter = match self.guards.watch(propositions, expander, &state, 0) {
            Ok(holding) => {
                let holding = self.guards.list(holding).edges.iter();
                holding.map(|&(proposition, _)| PropositionId::from_position(proposition as usize)).collect()
            }
            Err(Trouble::LayoutIsFull) => return Err(LayoutIsFull),
            Err(Trouble::Guard | Trouble::TooManyProcesses | Trouble::Stopped(_)) => {
                let edges = &propositions.locations[0].edges;
                let error = expander.observe(&state, &mut Vec::new(), |interpreter, values, _| {
                    let expressions = edges.iter().flat_map(|edge| &edge.guard);
                    expressions
                        .map(|(expr, _)| interpreter.evaluate(values, None, expr))
                        .find_map(Result::err)
                });
                let unknown = || Problem::Inexpressible("a formula without a value".to_string());
                return Ok(Expansion::without_meaning(error.map_or_else(unknown, Problem::Error)));
            }
        };
        let mut expansion = Expansion { letter, ..Expansion::default() };
        let mut actors = Vec::with_capacity(self.moves.arrivals.len());
        for (_, arrival) in &self.moves.arrivals {
            actors.push(actors_of(expander, *arrival, &mut expansion.enabled));
        }
        for (cause, arrival) in &self.moves.problems {
            if let Some(arrival) = arrival {
                actors_of(expander, *arrival, &mut expansion.enabled);
            }
            let words = match lock(&self.shared.knowledge).cause(*cause) {
                Cause::Statement { message, .. } => format!("a run that ends in an error: {message}"),
                _ => "a run that ends in an error".to_string(),
            };
            expansion.problem = Some(Problem::Inexpressible(words));
        }
        if expander.chain_came_back {
            expansion.problem = Some(Problem::EndlessAtomic);
        }
        let stands = progress == Some(ProgressReading::State) && expander.stands_at_progress(&state);
        let noted = |is_made: bool| is_made.then_some(PROGRESS).into_iter().collect::<Letter>();
        for (index, actors) in actors.into_iter().enumerate() {
            let (after, arrival) = self.moves.arrivals[index];
            let target = StateNumber(self.intern(&after));
            let letter = match progress {
                None => Letter::new(),
                Some(ProgressReading::State) => noted(stands),
                Some(ProgressReading::Transition) => noted(arrival.marks.progress),
            };
            expansion.moves.push(Move { target, actors, changes: Vec::new(), letter });
        }
        if moved == Moved::DeadEnd {
            let (target, actors) = (StateNumber(number), ProcessSet::new());
            let letter = noted(progress.is_some());
            expansion.moves.push(Move { target, actors, changes: Vec::new(), letter });
        }
        Ok(expansion)
    }

    fn steps_between(&mut self, from: u32, to: u32, actors: &ProcessSet) -> Option<Vec<Step>> {
        let (from, to) = (self.states[from as usize], self.states[to as usize]);
        self.find_moves(&from).ok()?;
        let expander = self.expander.as_ref()?;
        let is_it = |arrival: Arrival| actors_of(expander, arrival, &mut ProcessSet::new()) == *actors;
        let arrivals = self.moves.arrivals.iter().filter(|(state, arrival)| *state == to && is_it(*arrival));
        // Of two moves that differ in nothing else, nobody looks for the one that is progress.
        let found = arrivals.min_by_key(|(_, arrival)| arrival.marks.progress);
        found.map(|(_, arrival)| expander.steps_to(*arrival))
    }

    fn len(&self) -> usize {
        self.states.len()
    }

    fn memory(&self) -> usize {
        // Also while the table is copied. Steps and components have accounts.
        self.states.capacity() * 8 * N + 3 * self.table.capacity() * 4 + self.guards.bytes()
    }

    fn bytes_of_a_state(&self) -> usize {
        // A list and a table that have just grown.
        2 * 8 * N + 3 * 4
    }

    fn add(&mut self, numbers: &[u32]) {
        let state = self
            .layout
            .pack::<N>(|component: ComponentId| numbers.get(component.0 as usize).copied().unwrap_or(0));
        self.intern(&state);
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u32])) {
        let mut numbers = vec![0; self.layout.fields().count()];
        for state in &self.states {
            for (index, number) in numbers.iter_mut().enumerate() {
                *number = self.layout.number(state, ComponentId(index as u32));
            }
            visit(&numbers);
        }
    }

    fn take_memory(&mut self) -> RowMemory {
        self.expander.take().map_or_else(RowMemory::default, Expander::into_memory)
    }
}

/// Everybody who takes part in the steps to an arrival; who takes part in the first of them is enabled.
fn actors_of<const N: usize>(
    expander: &Expander<'_, '_, N>,
    arrival: Arrival,
    enabled: &mut ProcessSet,
) -> ProcessSet {
    let mut actors = ProcessSet::new();
    let mut first = None;
    expander.visit_steps_back(arrival, &mut |step| {
        participants(step).for_each(|process| actors.insert(process));
        first = Some(step);
    });
    first.into_iter().flat_map(participants).for_each(|process| enabled.insert(process));
    actors
}

fn participants(step: Step) -> impl Iterator<Item = ProcessId> {
    let partner = step.partner.map(|partner| partner.process);
    [Some(step.process), partner].into_iter().flatten().map(|pid| ProcessId(pid.0))
}

#[inline(always)]
fn hash<const N: usize>(state: &[u64; N]) -> usize {
    let mut mixed = 0u64;
    for &word in state {
        let product = u128::from(mixed ^ word) * u128::from(0x9E37_79B9_7F4A_7C15u64);
        mixed = (product >> 64) as u64 ^ product as u64;
    }
    mixed as usize
}
