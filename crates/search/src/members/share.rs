//! The states of one member, under one layout.

use super::log::LevelLog;
use super::numbering::Numbering;
use super::owners::{Owners, Ownership};
use super::parcel::{self, Parcel};
use super::{Common, number_in};
use crate::budget::{Account, MemoryEnds};
use crate::disk::Trouble;
use crate::disk::run::read_state;
use crate::explore::batch::BatchInserter;
use crate::explore::expand::{Arrival, Expander, LayoutIsFull, Shared, Sink, lock};
use crate::explore::memo::RowMemory;
use crate::explore::repack::{SettledStates, Suspended, SuspendedStates};
use crate::packed::components::Components;
use crate::packed::digest::StatesDigest;
use crate::packed::layout::{Layout, MOST_WORDS};
use crate::packed::store::Store;
use crate::packed::table::Users;
use crate::report::Counts;
use crate::threads::level::{Frontier, Level};
use crate::threads::recent::RecentStates;

/// Why something was not done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interruption {
    /// The layout has no room for a value.
    LayoutIsFull,
    /// There is no memory.
    MemoryEnds,
    /// What is to be read makes no sense.
    Garbled,
}

/// States that are expanded before their successors are looked up.
const BATCH: usize = 64;
/// States that are added at a time.
const ADDED: usize = 256;
/// States of a parcel: many, so that neighbours are near and repetitions are noticed.
const PARCEL: usize = 1 << 13;

/// A share, however many words its states have.
pub trait AnyShare {
    /// Expands so many states of the level, roughly; whether there are more.
    fn expand(&mut self, states: usize, common: &mut Common) -> Result<bool, Interruption>;
    /// Makes parcels of what waits to be sent.
    fn flush(&mut self, common: &mut Common);
    /// Takes what somebody has sent.
    fn take(&mut self, theirs: &mut Numbering, layout: u32, parcel: &Parcel<'_>) -> Result<(), Interruption>;
    /// Adds a state from a log, if it belongs here; `waits`: it is to be expanded.
    fn add_logged(&mut self, theirs: &mut Numbering, words: &[u64], waits: bool) -> Result<(), Interruption>;
    /// Whether all values have room.
    fn fits(&self, components: &Components) -> bool;
    /// Who owns a state.
    fn owner_of(&mut self, numbers: &[u32]) -> usize;
    /// Adds a state.
    fn add_numbers(&mut self, numbers: &[u32]) -> Result<(), Interruption>;
    /// What was found is the level, sorted.
    fn close_level(&mut self);
    /// Writes the level down; layouts have numbers.
    fn log_level(&mut self, depth: u64, layout: u32, log: &mut LevelLog) -> Result<(), Trouble>;
    /// States of the level.
    fn level(&self) -> u64;
    /// All states.
    fn states(&self) -> u64;
    /// Steps that ended inside of an `atomic`.
    fn atomic_steps(&self) -> u64;
    /// Bytes for states.
    fn bytes(&self) -> usize;
    /// Bytes more that it takes to go through all states.
    fn bytes_to_go_through(&self) -> usize;
    /// What is left for another layout.
    fn suspend(self: Box<Self>) -> (SuspendedStates, RowMemory);
    /// What stands for its states.
    fn digest(self: Box<Self>, components: &Components) -> StatesDigest;
}

/// The states of one member.
pub struct Share<'a, 's, const N: usize> {
    shared: &'a Shared<'s>,
    /// Which member this is.
    here: usize,
    expander: Expander<'a, 's, N>,
    owners: Owners<N>,
    store: Store<N>,
    /// The level that is expanded, sorted.
    level: Vec<[u64; N]>,
    /// How many of it are expanded.
    expanded: usize,
    /// The next one.
    next: Vec<[u64; N]>,
    account: Account,
    successors: Successors<N>,
    /// Successors of a batch that belong here, and where those of each source end.
    own: Vec<[u64; N]>,
    ends: Vec<usize>,
    /// Received states.
    received: Vec<[u64; N]>,
    inserter: BatchInserter<N>,
    /// By member: what waits to be sent.
    outboxes: Vec<Vec<[u64; N]>>,
}

/// What an expansion leads to.
#[derive(Default)]
struct Successors<const N: usize> {
    states: Vec<[u64; N]>,
    problems: Vec<u32>,
    /// Arrivals at states that were met of late: they are here, or on their way to their owner.
    met_again: u64,
    recent: RecentStates<N>,
}

impl<const N: usize> Sink<N> for Successors<N> {
    const NEEDS_MARKS: bool = false;

    #[inline(always)]
    fn arrive(&mut self, state: [u64; N], _arrival: Arrival) {
        match self.recent.has_met(&state) {
            true => self.met_again += 1,
            false => self.states.push(state),
        }
    }

    fn problem(&mut self, cause: u32, _arrival: Option<Arrival>) {
        self.problems.push(cause);
    }
}

impl<'a, 's, const N: usize> Share<'a, 's, N> {
    /// Brings states into a layout; without any, it begins empty.
    pub fn settle(
        shared: &'a Shared<'s>,
        layout: Layout,
        memory: RowMemory,
        states: Option<SuspendedStates>,
        (here, ownership): (usize, &Ownership),
    ) -> Result<Box<dyn AnyShare + 'a>, MemoryEnds> {
        let budget = &shared.budget;
        let (mut level, mut next) = (Vec::new(), Vec::new());
        let store = match states {
            None => Store::new(layout.shape(), 1, budget),
            Some(states) => {
                let SettledStates { store, level: current, next: mut later } =
                    states.settle::<N>(&layout, 1, budget)?;
                current.for_each_waiting(|state| level.push(*state));
                Level::new(later.take()).for_each_waiting(|state| next.push(*state));
                store
            }
        };
        let knowledge = lock(&shared.knowledge);
        let owners = Owners::new(ownership, &layout, &knowledge.components);
        let expander = Expander::new(shared, layout, &knowledge.components, memory);
        drop(knowledge);
        Ok(Box::new(Share {
            shared,
            here,
            expander,
            owners,
            store,
            level,
            expanded: 0,
            next,
            account: Account::new(budget),
            successors: Successors::default(),
            own: Vec::new(),
            ends: Vec::new(),
            received: Vec::new(),
            inserter: BatchInserter::default(),
            outboxes: vec![Vec::new(); ownership.members()],
        }))
    }

    /// Expands the next states of the level and says which successors belong here; whether one had no room.
    fn expand_batch(&mut self, batch: usize, common: &mut Common) -> Result<(), Interruption> {
        self.own.clear();
        self.ends.clear();
        let alone = common.ownership.members() == 1;
        for place in self.expanded..self.expanded + batch {
            let source = self.level[place];
            let atomic_steps = self.expander.atomic_steps;
            if let Err(LayoutIsFull) = self.expander.expand_fully(&source, &mut self.successors) {
                // As if this state had not been touched.
                self.successors.states.clear();
                self.successors.problems.clear();
                self.successors.met_again = 0;
                self.successors.recent.clear();
                self.expander.atomic_steps = atomic_steps;
                return Err(Interruption::LayoutIsFull);
            }
            let met_again = std::mem::take(&mut self.successors.met_again);
            common.arrivals += self.successors.states.len() as u64 + met_again;
            if alone {
                self.own.append(&mut self.successors.states);
            } else {
                self.share_out(&source, common);
            }
            self.ends.push(self.own.len());
            for cause in self.successors.problems.drain(..) {
                match common.found.iter_mut().find(|known| known.0 == cause) {
                    Some(known) => known.1 += 1,
                    None => common.found.push((cause, 1, common.depth)),
                }
            }
        }
        Ok(())
    }

    /// Gives each successor to its owner.
    fn share_out(&mut self, source: &[u64; N], common: &mut Common) {
        let states = std::mem::take(&mut self.successors.states);
        for state in &states {
            // Whoever expands a state owns it.
            if self.owners.agree(source, state) {
                self.own.push(*state);
                continue;
            }
            let owner = self.owner(state);
            if owner == common.index {
                self.own.push(*state);
                continue;
            }
            self.outboxes[owner].push(*state);
            if self.outboxes[owner].len() >= PARCEL {
                self.send(owner, common);
            }
        }
        self.successors.states = states;
        self.successors.states.clear();
    }

    /// The owner of a state, whose values are known.
    fn owner(&mut self, state: &[u64; N]) -> usize {
        loop {
            match self.owners.owner(state) {
                Some(owner) => break owner,
                // What is missing is their tokens.
                None => self.owners.learn(&lock(&self.shared.knowledge).components),
            }
        }
    }

    /// Makes a parcel for a member.
    fn send(&mut self, to: usize, common: &mut Common) {
        let outbox = &mut self.outboxes[to];
        outbox.sort_unstable();
        outbox.dedup();
        let knowledge = lock(&self.shared.knowledge);
        let layout = (self.expander.layout(), common.layouts);
        let parcel = parcel::close(outbox, layout, &knowledge.components, &mut common.told[to]);
        common.sent += outbox.len() as u64;
        common.sent_bytes += parcel.len() as u64;
        outbox.clear();
        common.outgoing.push((to, parcel));
    }

    /// Adds states; those that are new are for the next level, if they wait.
    fn insert(&mut self, states: &[[u64; N]], with_sources: bool, waits: bool) -> Result<(), Interruption> {
        loop {
            let sources = with_sources
                .then(|| (&self.level[self.expanded..self.expanded + self.ends.len()], &self.ends[..]));
            let outcome = self.inserter.insert(&self.store, Users::One, states, sources);
            if waits {
                self.next.extend(self.inserter.new.iter().map(|&index| states[index as usize]));
            }
            if outcome.is_ok() {
                break;
            }
            self.store.make_room(1).map_err(|MemoryEnds| Interruption::MemoryEnds)?;
        }
        self.note_bytes();
        match self.shared.budget.is_over() {
            true => Err(Interruption::MemoryEnds),
            false => Ok(()),
        }
    }

    fn note_bytes(&self) {
        let waiting: usize = self.outboxes.iter().map(Vec::capacity).sum();
        self.account.set((self.level.capacity() + self.next.capacity() + waiting) * 8 * N);
    }

    fn add(&mut self, state: [u64; N], waits: bool) -> Result<(), Interruption> {
        self.insert(&[state], false, waits)
    }

    fn pack(&self, numbers: &[u32]) -> [u64; N] {
        self.expander.layout().pack(number_in(numbers))
    }
}

impl<const N: usize> AnyShare for Share<'_, '_, N> {
    fn expand(&mut self, states: usize, common: &mut Common) -> Result<bool, Interruption> {
        let end = self.level.len().min(self.expanded + states);
        while self.expanded < end {
            let batch = BATCH.min(end - self.expanded);
            let outcome = self.expand_batch(batch, common);
            let own = std::mem::take(&mut self.own);
            let inserted = self.insert(&own, true, true);
            self.own = own;
            self.expanded += self.ends.len();
            inserted?;
            outcome?;
        }
        Ok(self.expanded < self.level.len())
    }

    fn flush(&mut self, common: &mut Common) {
        for to in 0..self.outboxes.len() {
            if !self.outboxes[to].is_empty() {
                self.send(to, common);
            }
        }
    }

    fn take(&mut self, theirs: &mut Numbering, layout: u32, parcel: &Parcel<'_>) -> Result<(), Interruption> {
        theirs.aim(self.expander.layout(), layout)?;
        let mut words = [0; MOST_WORDS];
        let words = &mut words[..theirs.words()];
        let mut position = 0;
        let mut received = std::mem::take(&mut self.received);
        let mut taken = Ok(());
        for left in (0..parcel.count).rev() {
            let read = read_state(parcel.states, &mut position, words);
            let state = read.map_err(|_| Interruption::Garbled).and_then(|()| theirs.translate(words));
            taken = state.map(|state| received.push(state));
            if taken.is_ok() && (received.len() == ADDED || left == 0) {
                taken = self.insert(&received, false, true);
                received.clear();
            }
            if taken.is_err() {
                break;
            }
        }
        received.clear();
        self.received = received;
        taken?;
        if position == parcel.states.len() { Ok(()) } else { Err(Interruption::Garbled) }
    }

    fn add_logged(&mut self, theirs: &mut Numbering, words: &[u64], waits: bool) -> Result<(), Interruption> {
        // There is one layout as long as logs are read.
        theirs.aim(self.expander.layout(), 1)?;
        let state = theirs.translate(words)?;
        let owner = self.owners.owner(&state).ok_or(Interruption::Garbled)?;
        match owner == self.here {
            true => self.add(state, waits),
            false => Ok(()),
        }
    }

    fn fits(&self, components: &Components) -> bool {
        let layout = self.expander.layout();
        components.ids().all(|component| layout.fits(component, components.values(component) as u32 - 1))
    }

    fn owner_of(&mut self, numbers: &[u32]) -> usize {
        let state = self.pack(numbers);
        self.owners.owner(&state).unwrap_or(0)
    }

    fn add_numbers(&mut self, numbers: &[u32]) -> Result<(), Interruption> {
        self.add(self.pack(numbers), true)
    }

    fn close_level(&mut self) {
        self.level = std::mem::take(&mut self.next);
        // What is expanded together is similar, and so is what lies together in a log.
        self.level.sort_unstable();
        self.expanded = 0;
        self.note_bytes();
    }

    fn log_level(&mut self, depth: u64, layout: u32, log: &mut LevelLog) -> Result<(), Trouble> {
        log.write_level(depth, &self.level, (self.expander.layout(), layout))
    }

    fn level(&self) -> u64 {
        self.level.len() as u64
    }

    fn states(&self) -> u64 {
        self.store.len() as u64
    }

    fn atomic_steps(&self) -> u64 {
        self.expander.atomic_steps
    }

    fn bytes(&self) -> usize {
        self.store.bytes()
    }

    fn bytes_to_go_through(&self) -> usize {
        self.store.bytes_of_lists()
    }

    fn suspend(self: Box<Self>) -> (SuspendedStates, RowMemory) {
        let Share { expander, store, level, expanded, next, shared, .. } = *self;
        let blocks = |states: &[[u64; N]]| {
            let mut frontier = Frontier::new(&shared.budget);
            frontier.extend(states.iter().copied());
            frontier.take()
        };
        let layout = expander.layout().clone();
        let level = Level::new(blocks(&level[expanded..]));
        let known = (layout, expander.into_memory());
        let suspended =
            Suspended::new(known, (store, level), blocks(&next), Counts::default(), Vec::new(), 0);
        (suspended.states, suspended.memory)
    }

    fn digest(self: Box<Self>, components: &Components) -> StatesDigest {
        StatesDigest::of_store(self.store, self.expander.layout(), components, 1)
    }
}
