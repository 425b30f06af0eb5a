//! A search between two layouts.
//!
//! When a component outgrows its field, all states are packed anew. The number of a component means the same under every layout, so
//! packing anew is moving fields; fields that stay neighbours are moved together.

use crate::budget::{Budget, MemoryEnds};
use crate::explore::batch::BatchInserter;
use crate::explore::breadth::{Base, Found};
use crate::explore::memo::RowMemory;
use crate::packed::components::ComponentId;
use crate::packed::layout::Layout;
use crate::packed::store::{Store, StoreReader};
use crate::packed::table::Users;
use crate::report::Counts;
use crate::threads::level::{Block, Frontier, Level};
use crate::threads::team::for_each_member;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A search between two layouts.
pub struct Suspended {
    /// The states.
    pub states: SuspendedStates,
    /// What is remembered of steps.
    pub memory: RowMemory,
    /// Figures so far.
    pub base: Base,
    /// Errors so far.
    pub found: Vec<Found>,
    /// The current level.
    pub depth: u64,
}

/// The states of a search between two layouts.
pub enum SuspendedStates {
    /// The initial state only, as numbers of components.
    Initial(Vec<u32>),
    /// States in an old layout.
    Packed(Box<dyn StatesOfAnyWidth>),
}

/// The states of a search under a layout.
#[derive(Debug)]
pub struct SettledStates<const N: usize> {
    /// All states.
    pub store: Store<N>,
    /// Those of the current level that are not expanded.
    pub level: Level<N>,
    /// Those of the next level that were found already.
    pub next: Frontier<N>,
}

/// States in a layout that is about to be replaced.
pub trait StatesOfAnyWidth: Sync {
    /// Their layout.
    fn layout(&self) -> &Layout;
    /// How many states there are.
    fn count(&self) -> usize;
    /// Into how many pieces they are cut.
    fn pieces(&self) -> usize;
    /// Calls `visit` with every state of a piece.
    fn for_each_in(&self, piece: usize, visit: &mut dyn FnMut(&[u64]));
    /// Gives the memory of a piece back.
    fn release(&self, piece: usize);
    /// Calls `visit` with every state that waits, and with where it belongs. What was visited takes no memory any more.
    fn for_each_waiting(self: Box<Self>, visit: &mut dyn FnMut(Place, &[u64]));
}

/// Where a waiting state belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In the current level.
    Current,
    /// In the next level.
    Next,
}

struct OldStates<const N: usize> {
    layout: Layout,
    states: StoreReader<N>,
    current: Level<N>,
    next: Vec<Block<N>>,
}

impl Suspended {
    /// A search that is about to begin.
    pub fn initial(initial: &[u32]) -> Suspended {
        Suspended {
            states: SuspendedStates::Initial(initial.to_vec()),
            memory: RowMemory::default(),
            base: Base { counts: Counts { states: 1, ..Counts::default() }, arrivals: 1 },
            found: Vec::new(),
            depth: 0,
        }
    }

    /// A search whose layout has become too small.
    pub fn new<const N: usize>(
        (layout, memory): (Layout, RowMemory),
        (store, level): (Store<N>, Level<N>),
        next: Vec<Block<N>>,
        counts: Counts,
        found: Vec<Found>,
        depth: u64,
    ) -> Suspended {
        let states = OldStates { layout, states: store.into_reader(), current: level, next };
        let base = Base { counts, arrivals: counts.transitions() };
        Suspended { states: SuspendedStates::Packed(Box::new(states)), memory, base, found, depth }
    }
}

impl SuspendedStates {
    /// Packs all states under a new layout, by so many threads. Old states go as new ones come, so there is at no time memory for both.
    pub fn settle<const N: usize>(
        self,
        layout: &Layout,
        threads: usize,
        budget: &Arc<Budget>,
    ) -> Result<SettledStates<N>, MemoryEnds> {
        let (mut current, mut next) = (Frontier::new(budget), Frontier::new(budget));
        let old = match self {
            SuspendedStates::Initial(numbers) => {
                let state = layout.pack::<N>(|component: ComponentId| {
                    numbers.get(component.0 as usize).copied().unwrap_or(0)
                });
                let mut store = Store::new(layout.shape(), 1, budget);
                insert_surely(&mut store, &[state], 1)?;
                current.extend([state].into_iter());
                return Ok(SettledStates { store, level: Level::new(current.take()), next });
            }
            SuspendedStates::Packed(old) => old,
        };
        let repacking = Repacking::new(old.layout(), layout);
        let mut store = Store::new(layout.shape(), old.count(), budget);
        let threads = threads.min(old.pieces().div_ceil(PIECES_WORTH_A_THREAD)).max(1);
        let users = if threads == 1 { Users::One } else { Users::Several };
        let mut settlers: Vec<Settler<N>> = (0..threads).map(|_| Settler::default()).collect();
        let next_piece = AtomicUsize::new(0);
        while next_piece.load(Ordering::Relaxed) < old.pieces() {
            let is_full = AtomicBool::new(false);
            for_each_member(&mut settlers, |settler| {
                while !is_full.load(Ordering::Relaxed) {
                    let piece = next_piece.fetch_add(1, Ordering::Relaxed);
                    if piece >= old.pieces() {
                        break;
                    }
                    old.for_each_in(piece, &mut |state| settler.states.push(repacking.repack(state)));
                    old.release(piece);
                    if !settler.flush(&store, users) {
                        is_full.store(true, Ordering::Relaxed);
                    }
                }
            });
            for settler in &mut settlers {
                insert_surely(&mut store, &settler.states, threads)?;
                settler.states.clear();
            }
        }
        old.for_each_waiting(&mut |place, state| {
            let list = if place == Place::Current { &mut current } else { &mut next };
            list.extend([repacking.repack(state)].into_iter());
        });
        Ok(SettledStates { store, level: Level::new(current.take()), next })
    }
}

/// Pieces of a store that are worth a thread.
const PIECES_WORTH_A_THREAD: usize = 4;
/// States that are added at a time.
const BATCH: usize = 256;

/// Puts states of an old layout into the store of a new one.
#[derive(Debug, Default)]
struct Settler<const N: usize> {
    /// States of a piece, none of which is left behind when it is full: there are few pieces without room.
    states: Vec<[u64; N]>,
    inserter: BatchInserter<N>,
}

impl<const N: usize> Settler<N> {
    /// Adds the states. False if there is no room for all; they stay here, whether they were added or not.
    fn flush(&mut self, store: &Store<N>, users: Users) -> bool {
        let mut batches = self.states.chunks(BATCH);
        let settled = batches.all(|batch| self.inserter.insert(store, users, batch, None).is_ok());
        if settled {
            self.states.clear();
        }
        settled
    }
}

/// Adds states, and makes room for them where needed.
fn insert_surely<const N: usize>(
    store: &mut Store<N>,
    states: &[[u64; N]],
    threads: usize,
) -> Result<(), MemoryEnds> {
    let mut inserter = BatchInserter::default();
    for batch in states.chunks(BATCH) {
        while inserter.insert(store, Users::One, batch, None).is_err() {
            store.make_room(threads)?;
        }
    }
    Ok(())
}

/// How states of one layout become states of another one.
#[derive(Debug)]
pub struct Repacking {
    transfers: Vec<Transfer>,
}

/// Neighbouring bits that stay neighbours.
#[derive(Clone, Copy, Debug)]
struct Transfer {
    from: (u32, u32),
    to: (u32, u32),
    bits: u32,
}

impl Repacking {
    /// From one layout to another.
    pub fn new(old: &Layout, new: &Layout) -> Repacking {
        let mut fields: Vec<_> = old.fields().filter(|(_, field)| field.width > 0).collect();
        fields.sort_by_key(|(_, field)| (field.word, field.shift));
        let mut transfers: Vec<Transfer> = Vec::new();
        for (component, from) in fields {
            // What one of the two fields cannot hold is 0: every number that was seen fits into both.
            let to = new.field(component);
            let bits = from.width.min(to.width);
            if bits == 0 {
                continue;
            }
            match transfers.last_mut() {
                // Whatever lies between two neighbours of the old layout is 0.
                Some(last)
                    if (last.from.0, last.to.0) == (from.word, to.word)
                        && to.shift >= last.to.1
                        && from.shift - last.from.1 == to.shift - last.to.1 =>
                {
                    last.bits = from.shift - last.from.1 + bits;
                }
                _ => {
                    transfers.push(Transfer { from: (from.word, from.shift), to: (to.word, to.shift), bits })
                }
            }
        }
        Repacking { transfers }
    }

    /// A state in the new layout.
    #[inline(always)]
    pub fn repack<const N: usize>(&self, old: &[u64]) -> [u64; N] {
        let mut new = [0; N];
        for transfer in &self.transfers {
            let bits =
                (old[transfer.from.0 as usize] >> transfer.from.1) & (u64::MAX >> (64 - transfer.bits));
            new[transfer.to.0 as usize] |= bits << transfer.to.1;
        }
        new
    }
}

impl<const N: usize> StatesOfAnyWidth for OldStates<N> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn count(&self) -> usize {
        self.states.len()
    }

    fn pieces(&self) -> usize {
        self.states.pieces()
    }

    fn for_each_in(&self, piece: usize, visit: &mut dyn FnMut(&[u64])) {
        self.states.for_each_in(piece, |state| visit(&state));
    }

    fn release(&self, piece: usize) {
        self.states.release(piece);
    }

    fn for_each_waiting(self: Box<Self>, visit: &mut dyn FnMut(Place, &[u64])) {
        let OldStates { current, next, .. } = *self;
        current.for_each_waiting(|state| visit(Place::Current, state));
        Level::new(next).for_each_waiting(|state| visit(Place::Next, state));
    }
}
