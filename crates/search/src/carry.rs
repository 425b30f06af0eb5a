//! A search between two layouts.
//!
//! When a part outgrows its field, all states are packed anew. States are read as numbers of parts, which mean the same
//! under every layout, and dealt out again, because the hash that decides whose they are is one of packed states.

use crate::ancestry::Ancestry;
use crate::breadth::{Base, Found};
use crate::expand::{Shared, lock};
use crate::layout::Layout;
use crate::parts::PartId;
use crate::report::Counts;
use crate::rows::RowMemory;
use crate::store::Store;
use crate::worker::Worker;

/// A search between two layouts.
pub struct Carried {
    /// The states, and what the threads know.
    pub workers: CarriedWorkers,
    /// Figures so far.
    pub base: Base,
    /// Errors so far.
    pub found: Vec<Found>,
    /// The current level.
    pub depth: u64,
}

/// States of all threads, and what the threads know.
pub struct CarriedWorkers {
    states: Vec<Box<dyn StatesOfAnyWidth>>,
    memories: Vec<RowMemory>,
}

/// States in a layout that is about to be replaced.
trait StatesOfAnyWidth {
    /// How many states there are.
    fn count(&self) -> usize;
    /// Calls `visit` with the numbers of every state, and with where it belongs.
    fn for_each(&self, visit: &mut dyn FnMut(Place, &[u32]));
}

/// Where a state belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// Visited.
    Stored,
    /// Waiting in the current level; visited too.
    Current,
    /// Waiting for the next level; visited too.
    Next,
}

struct OldStates<const N: usize> {
    layout: Layout,
    parts: u32,
    store: Store<N>,
    current: Vec<[u64; N]>,
    next: Vec<[u64; N]>,
}

struct InitialState(Vec<u32>);

impl Carried {
    /// A search that is about to begin.
    pub fn initial(initial: &[u32], threads: usize) -> Carried {
        Carried {
            workers: CarriedWorkers {
                states: vec![Box::new(InitialState(initial.to_vec()))],
                memories: (0..threads).map(|_| RowMemory::default()).collect(),
            },
            base: Base { counts: Counts { states: 1, ..Counts::default() }, arrivals: 1 },
            found: Vec::new(),
            depth: 0,
        }
    }

    /// A search whose layout has become too small.
    pub fn new<const N: usize>(
        workers: Vec<Worker<'_, '_, N>>,
        counts: Counts,
        found: Vec<Found>,
        depth: u64,
    ) -> Carried {
        let mut states: Vec<Box<dyn StatesOfAnyWidth>> = Vec::new();
        let mut memories = Vec::new();
        for worker in workers {
            let (layout, parts, store, current, next, memory) = worker.dissolve();
            states.push(Box::new(OldStates { layout, parts, store, current, next }));
            memories.push(memory);
        }
        let base = Base { counts, arrivals: counts.transitions() };
        Carried { workers: CarriedWorkers { states, memories }, base, found, depth }
    }
}

impl CarriedWorkers {
    /// Takes what one of the threads remembers of steps: the one that remembers most.
    pub fn take_memory(&mut self) -> RowMemory {
        let largest = self.memories.iter_mut().max_by_key(|memory| memory.len());
        largest.map(std::mem::take).unwrap_or_default()
    }

    /// Lets all threads remember the same.
    pub fn share_memory(&mut self, memory: RowMemory) {
        self.memories.fill(memory);
    }

    /// Packs all states under a new layout.
    pub fn settle<'a, 's, const N: usize>(
        self,
        shared: &'a Shared<'s>,
        layout: &Layout,
        ancestry: Option<&Ancestry>,
    ) -> Vec<Worker<'a, 's, N>> {
        let threads = self.memories.len();
        let room = self.states.iter().map(|states| states.count()).sum::<usize>() / threads;
        let mut workers: Vec<Worker<'a, 's, N>> = {
            let knowledge = lock(&shared.knowledge);
            let targets: Vec<[u64; N]> = ancestry.map_or_else(Vec::new, |ancestry| ancestry.targets(layout));
            self.memories
                .into_iter()
                .enumerate()
                .map(|(index, memory)| {
                    Worker::new(
                        shared,
                        layout,
                        &knowledge.parts,
                        memory,
                        room,
                        (index, threads),
                        targets.clone(),
                    )
                })
                .collect()
        };
        for states in self.states {
            states.for_each(&mut |place, numbers| {
                let number = |part: PartId| numbers.get(part.0 as usize).copied().unwrap_or(0);
                let state = layout.pack::<N>(number);
                let worker = &mut workers[crate::worker::owner(&state, threads)];
                match place {
                    Place::Stored => worker.put_stored(state),
                    Place::Current => worker.put_current(state),
                    Place::Next => worker.put_next(state),
                }
            });
        }
        workers.iter_mut().for_each(Worker::finish_settling);
        workers
    }
}

impl<const N: usize> StatesOfAnyWidth for OldStates<N> {
    fn count(&self) -> usize {
        self.store.len()
    }

    fn for_each(&self, visit: &mut dyn FnMut(Place, &[u32])) {
        let mut numbers = vec![0; self.parts as usize];
        let mut give = |place: Place, state: &[u64; N]| {
            for (index, number) in numbers.iter_mut().enumerate() {
                *number = self.layout.number(state, PartId(index as u32));
            }
            visit(place, &numbers);
        };
        self.store.for_each(|state| give(Place::Stored, &state));
        self.current.iter().for_each(|state| give(Place::Current, state));
        self.next.iter().for_each(|state| give(Place::Next, state));
    }
}

impl StatesOfAnyWidth for InitialState {
    fn count(&self) -> usize {
        1
    }

    fn for_each(&self, visit: &mut dyn FnMut(Place, &[u32])) {
        visit(Place::Stored, &self.0);
        visit(Place::Current, &self.0);
    }
}
