//! One thread's share of a breadth-first search.

use crate::explore::ancestry::Ancestry;
use crate::explore::batch::BatchInserter;
use crate::explore::breadth::{Found, FoundAt};
use crate::explore::expand::{Arrival, Expander, LayoutIsFull, Sink};
use crate::explore::memo::RowMemory;
use crate::packed::components::ComponentId;
use crate::packed::layout::Layout;
use crate::packed::store::Store;
use crate::packed::table::{NoRoom, Users};
use crate::threads::level::{Chunk, Frontier, Level};
use crate::threads::recent::RecentStates;

/// States that are expanded before their successors are looked up: enough to hide the way to memory.
const BATCH: usize = 64;

/// What a thread needs to expand states, and the states that it finds.
#[derive(Debug)]
pub struct Worker<'a, 's, const N: usize> {
    expander: Expander<'a, 's, N>,
    components: u32,
    /// States for the next level.
    pub next: Frontier<N>,
    /// Arrivals at states.
    pub arrivals: u64,
    /// Errors since they were last collected.
    pub found: Vec<Found>,
    /// What it had taken when the round was ended.
    unfinished: Option<Chunk>,
    /// A batch for whose successors the store has no room.
    pending: Option<Chunk>,
    successors: Successors<N>,
    inserter: BatchInserter<N>,
}

/// What the threads of a round share.
#[derive(Clone, Copy, Debug)]
pub struct Round<'r, const N: usize> {
    /// The states that are to be expanded.
    pub level: &'r Level<N>,
    /// Where new states go.
    pub store: &'r Store<N>,
    /// Who works at the same time.
    pub users: Users,
    /// The states that an ancestry is kept for, in its order.
    pub targets: &'r [[u64; N]],
}

/// Why a thread ended a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoundEnd {
    /// There are no more states, or another thread asked to end it.
    Done,
    /// There is no room for new states, and the last batch is not done; or no memory.
    Stopped,
    /// The layout has no room for a value: what could not be expanded waits on.
    LayoutIsFull,
}

/// Successors of a batch.
#[derive(Debug, Default)]
struct Successors<const N: usize> {
    states: Vec<[u64; N]>,
    /// For each source of the batch, where its successors end.
    ends: Vec<usize>,
    /// Causes of the errors of the source that is being expanded.
    problems: Vec<u32>,
    /// Arrivals at states that were met of late. They are in the store or in a batch that goes there.
    met_again: u64,
    recent: RecentStates<N>,
    /// Whether all successors are wanted, so that they can be counted.
    wants_all: bool,
}

impl<const N: usize> Sink<N> for Successors<N> {
    const NEEDS_MARKS: bool = false;

    #[inline(always)]
    fn arrive(&mut self, state: [u64; N], _arrival: Arrival) {
        if self.wants_all || !self.recent.has_met(&state) {
            self.states.push(state);
        } else {
            self.met_again += 1;
        }
    }

    fn problem(&mut self, cause: u32, _arrival: Option<Arrival>) {
        self.problems.push(cause);
    }
}

impl<'a, 's, const N: usize> Worker<'a, 's, N> {
    /// A worker without states. `components` is how many components its layout has.
    pub fn new(expander: Expander<'a, 's, N>, components: u32) -> Self {
        Worker {
            next: Frontier::new(expander.budget()),
            expander,
            components,
            arrivals: 0,
            found: Vec::new(),
            unfinished: None,
            pending: None,
            successors: Successors::default(),
            inserter: BatchInserter::default(),
        }
    }

    /// A worker that knows the same and has no states.
    pub fn fork(&self) -> Self {
        Worker::new(self.expander.fork(), self.components)
    }

    /// Steps that ended inside an `atomic`.
    pub fn atomic_steps(&self) -> u64 {
        self.expander.atomic_steps
    }

    /// The layout of its states.
    pub fn layout(&self) -> &Layout {
        self.expander.layout()
    }

    /// What is left of a worker whose layout is too small: layout and memory.
    pub fn into_memory(mut self) -> (Layout, RowMemory) {
        self.expander.catch_up();
        (self.expander.layout().clone(), self.expander.into_memory())
    }

    /// Expands states of a level until the round ends.
    pub fn expand_round(&mut self, round: &Round<'_, N>, mut ancestry: Option<&mut Ancestry>) -> RoundEnd {
        let level = round.level;
        self.successors.wants_all = ancestry.is_some();
        while let Some(chunk) = level.take() {
            let states = level.states(&chunk);
            let mut position = 0;
            while position < states.len() {
                if level.is_stopped() {
                    self.unfinished = Some(chunk.without_first(position));
                    return RoundEnd::Done;
                }
                let is_full = self.expand_batch(&states[position..states.len().min(position + BATCH)]);
                let done = self.successors.ends.len();
                let batch = chunk.without_first(position).first(done);
                position += done;
                let inserted = self.insert_batch(round, batch, ancestry.as_deref_mut());
                // Whoever takes a little at a time has done so before anybody could ask.
                let memory_ends = self.expander.budget().is_over();
                if is_full || memory_ends || inserted.is_err() {
                    level.stop();
                    self.unfinished = Some(chunk.without_first(position)).filter(|rest| !rest.is_empty());
                    return if is_full { RoundEnd::LayoutIsFull } else { RoundEnd::Stopped };
                }
            }
        }
        RoundEnd::Done
    }

    /// The rest of the chunk that it had taken when the round was ended.
    pub fn take_unfinished(&mut self) -> Option<Chunk> {
        self.unfinished.take()
    }

    /// Whether there was no room for the successors of a batch.
    pub fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Adds what there was no room for.
    pub fn finish_pending(&mut self, round: &Round<'_, N>, ancestry: Option<&mut Ancestry>) {
        if let Some(batch) = self.pending.take() {
            // If there is still no room it is pending again.
            let _ = self.insert_batch(round, batch, ancestry);
        }
    }

    #[inline(always)]
    fn expand_batch(&mut self, batch: &[[u64; N]]) -> bool {
        self.successors.states.clear();
        self.successors.ends.clear();
        self.successors.met_again = 0;
        let mut is_full = false;
        for state in batch {
            let (atomic_steps, met_again) = (self.expander.atomic_steps, self.successors.met_again);
            if let Err(LayoutIsFull) = self.expander.expand_fully(state, &mut self.successors) {
                // As if this state had not been touched.
                let begin = self.successors.ends.last().copied().unwrap_or(0);
                self.successors.states.truncate(begin);
                self.successors.met_again = met_again;
                self.successors.recent.clear();
                self.successors.problems.clear();
                self.expander.atomic_steps = atomic_steps;
                is_full = true;
                break;
            }
            self.successors.ends.push(self.successors.states.len());
            if !self.successors.problems.is_empty() {
                self.note_problems(state);
            }
        }
        self.arrivals += self.successors.states.len() as u64 + self.successors.met_again;
        is_full
    }

    /// Adds the successors of a batch. If there is no room for all, the batch is pending.
    #[inline(always)]
    fn insert_batch(
        &mut self,
        round: &Round<'_, N>,
        batch: Chunk,
        ancestry: Option<&mut Ancestry>,
    ) -> Result<(), NoRoom> {
        let Successors { states, ends, .. } = &self.successors;
        let sources = round.level.states(&batch);
        let outcome = self.inserter.insert(round.store, round.users, states, Some((sources, ends)));
        self.next.extend(self.inserter.new.iter().map(|&index| states[index as usize]));
        if let Some(ancestry) = ancestry {
            let mut source = 0;
            for &index in &self.inserter.new {
                while ends[source] <= index as usize {
                    source += 1;
                }
                let begin = if source == 0 { 0 } else { ends[source - 1] };
                ancestry.note_new(source, index as usize - begin);
            }
            if outcome.is_ok() {
                ancestry.note_expanded(sources, round.targets);
            }
        }
        if outcome.is_err() {
            self.pending = Some(batch);
        }
        outcome
    }

    fn note_problems(&mut self, state: &[u64; N]) {
        let layout = self.expander.layout();
        for cause in self.successors.problems.drain(..) {
            match self.found.iter_mut().find(|group| group.cause == cause) {
                Some(group) => group.count += 1,
                None => {
                    let source = (0..self.components)
                        .map(|component| layout.number(state, ComponentId(component)))
                        .collect();
                    self.found.push(Found { cause, count: 1, depth: 0, place: FoundAt::State(source) });
                }
            }
        }
    }
}
