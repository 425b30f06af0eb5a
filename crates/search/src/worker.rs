//! One thread's share of a breadth-first search.

use crate::ancestry::Ancestry;
use crate::breadth::{Found, FoundAt};
use crate::expand::{Arrival, Expander, LayoutIsFull, Shared, Sink};
use crate::layout::Layout;
use crate::parts::{PartId, Parts};
use crate::rows::RowMemory;
use crate::store::{Leaves, Store, owner_hash};

/// States that are expanded before their successors are looked up: enough to hide the way to memory.
const BATCH: usize = 64;
/// States that are expanded in a round.
const ROUND: usize = 1 << 15;

/// One thread's states, and what it needs to expand them.
#[derive(Debug)]
pub struct Worker<'a, 's, const N: usize> {
    expander: Expander<'a, 's, N>,
    parts: u32,
    store: Store<N>,
    /// States of this level; those before `position` are done.
    current: Vec<[u64; N]>,
    position: usize,
    next: Vec<[u64; N]>,
    /// Arrivals at states, whoever owns them.
    pub arrivals: u64,
    /// Errors since they were last collected.
    pub found: Vec<Found>,
    /// Successors for the other workers.
    pub outboxes: Vec<Vec<[u64; N]>>,
    /// Successors from the other workers.
    pub inbox: Vec<[u64; N]>,
    index: usize,
    /// The states that an ancestry is kept for, in its order.
    targets: Vec<[u64; N]>,
    successors: Successors<N>,
    hashes: Vec<u64>,
    leaves: Vec<Leaves<N>>,
    new: Vec<u32>,
    /// States from an earlier layout that are not in the store yet.
    settling: Vec<[u64; N]>,
}

/// The worker that a state belongs to.
#[inline(always)]
pub fn owner<const N: usize>(state: &[u64; N], threads: usize) -> usize {
    if threads == 1 { 0 } else { ((owner_hash(state) & 0xFFFF_FFFF) as usize * threads) >> 32 }
}

/// Successors of a batch.
#[derive(Debug, Default)]
struct Successors<const N: usize> {
    states: Vec<[u64; N]>,
    /// For each source of the batch, where its successors end.
    ends: Vec<usize>,
    /// Causes of the errors of the source that is being expanded.
    problems: Vec<u32>,
}

impl<const N: usize> Sink<N> for Successors<N> {
    const NEEDS_MARKS: bool = false;

    #[inline(always)]
    fn arrive(&mut self, state: [u64; N], _arrival: Arrival) {
        self.states.push(state);
    }

    fn problem(&mut self, cause: u32, _arrival: Option<Arrival>) {
        self.problems.push(cause);
    }
}

impl<'a, 's, const N: usize> Worker<'a, 's, N> {
    /// A worker without states: number `place.0` of `place.1`.
    pub fn new(
        shared: &'a Shared<'s>,
        layout: &Layout,
        parts: &Parts,
        memory: RowMemory,
        room: usize,
        place: (usize, usize),
        targets: Vec<[u64; N]>,
    ) -> Self {
        Worker {
            expander: Expander::new(shared, layout.clone(), parts, memory),
            parts: parts.len() as u32,
            store: Store::new(layout.shape(), room),
            current: Vec::new(),
            position: 0,
            next: Vec::new(),
            arrivals: 0,
            found: Vec::new(),
            outboxes: (0..place.1).map(|_| Vec::new()).collect(),
            inbox: Vec::new(),
            index: place.0,
            targets,
            successors: Successors::default(),
            hashes: Vec::new(),
            leaves: Vec::new(),
            new: Vec::new(),
            settling: Vec::new(),
        }
    }

    /// States of this level that are not expanded yet.
    pub fn waiting(&self) -> usize {
        self.current.len() - self.position
    }

    /// Nothing is left, neither in this level nor in the next.
    pub fn is_done(&self) -> bool {
        self.waiting() == 0 && self.next.is_empty()
    }

    /// Goes to the next level.
    pub fn next_level(&mut self) {
        self.current.clear();
        self.position = 0;
        std::mem::swap(&mut self.current, &mut self.next);
    }

    /// Stored states.
    pub fn stored(&self) -> usize {
        self.store.len()
    }

    /// Steps that ended inside an `atomic`.
    pub fn atomic_steps(&self) -> u64 {
        self.expander.atomic_steps
    }

    /// Bytes for the stored states.
    pub fn state_bytes(&self) -> usize {
        self.store.bytes()
    }

    /// Bytes for everything.
    pub fn bytes(&self) -> usize {
        let waiting = self.current.capacity()
            + self.next.capacity()
            + self.inbox.capacity()
            + self.outboxes.iter().map(Vec::capacity).sum::<usize>();
        self.store.bytes() + self.expander.bytes() + waiting * 8 * N
    }

    /// Takes a state that was visited under an earlier layout.
    pub fn put_stored(&mut self, state: [u64; N]) {
        self.settling.push(state);
        if self.settling.len() == 4 * BATCH {
            self.finish_settling();
        }
    }

    /// All states from an earlier layout have come.
    pub fn finish_settling(&mut self) {
        let states = std::mem::take(&mut self.settling);
        self.look_up_leaves(&states, None);
        self.hash_all(&states);
        self.new.clear();
        self.store.insert_hashes(&states, &self.hashes, &mut self.new);
        self.settling = states;
        self.settling.clear();
    }

    /// Takes a state that waits in this level.
    pub fn put_current(&mut self, state: [u64; N]) {
        self.current.push(state);
    }

    /// Takes a state that waits for the next level.
    pub fn put_next(&mut self, state: [u64; N]) {
        self.next.push(state);
    }

    /// What is left of a worker whose layout is too small: layout, number of parts in it, states, those that wait, memory.
    #[allow(clippy::type_complexity)]
    pub fn dissolve(mut self) -> (Layout, u32, Store<N>, Vec<[u64; N]>, Vec<[u64; N]>, RowMemory) {
        self.current.drain(..self.position);
        let layout = self.expander.layout().clone();
        (layout, self.parts, self.store, self.current, self.next, self.expander.into_memory())
    }

    /// Expands some states of this level. True if the layout is too small: what could not be expanded waits on.
    pub fn expand_round(&mut self, mut ancestry: Option<&mut Ancestry>) -> bool {
        let end = self.current.len().min(self.position + ROUND);
        while self.position < end {
            let batch = self.position..end.min(self.position + BATCH);
            let full = self.expand_batch(batch.clone());
            let done = self.successors.ends.len();
            self.insert_batch(batch.start, ancestry.as_deref_mut());
            self.position += done;
            if let Some(ancestry) = ancestry.as_deref_mut() {
                ancestry.note_expanded(&self.current[batch.start..batch.start + done], &self.targets);
            }
            if full {
                return true;
            }
        }
        false
    }

    /// Takes in what other workers have put aside for this one.
    pub fn take_in(&mut self) {
        let inbox = std::mem::take(&mut self.inbox);
        for batch in inbox.chunks(4 * BATCH) {
            self.look_up_leaves(batch, None);
            self.hash_all(batch);
            self.new.clear();
            self.store.insert_hashes(batch, &self.hashes, &mut self.new);
            self.next.extend(self.new.iter().map(|&index| batch[index as usize]));
        }
        self.inbox = inbox;
        self.inbox.clear();
    }

    #[inline(always)]
    fn expand_batch(&mut self, batch: std::ops::Range<usize>) -> bool {
        self.successors.states.clear();
        self.successors.ends.clear();
        for index in batch {
            let state = self.current[index];
            let atomic_steps = self.expander.atomic_steps;
            match self.expander.expand_fully(&state, &mut self.successors) {
                Ok(_) => {}
                Err(LayoutIsFull) => {
                    // As if this state had not been touched.
                    let begin = self.successors.ends.last().copied().unwrap_or(0);
                    self.successors.states.truncate(begin);
                    self.successors.problems.clear();
                    self.expander.atomic_steps = atomic_steps;
                    return true;
                }
            }
            self.successors.ends.push(self.successors.states.len());
            if !self.successors.problems.is_empty() {
                self.note_problems(&state);
            }
        }
        false
    }

    /// Adds the successors of a batch whose first source is given.
    #[inline(always)]
    fn insert_batch(&mut self, first: usize, ancestry: Option<&mut Ancestry>) {
        self.arrivals += self.successors.states.len() as u64;
        let mut successors = std::mem::take(&mut self.successors);
        if self.outboxes.len() > 1 {
            self.deal_out(&mut successors.states);
            self.look_up_leaves(&successors.states, None);
        } else {
            self.look_up_leaves(&successors.states, Some((first, &successors.ends)));
        }
        self.hash_all(&successors.states);
        self.new.clear();
        self.store.insert_hashes(&successors.states, &self.hashes, &mut self.new);
        self.next.extend(self.new.iter().map(|&index| successors.states[index as usize]));
        if let Some(ancestry) = ancestry {
            let mut source = 0;
            for &index in &self.new {
                while successors.ends[source] <= index as usize {
                    source += 1;
                }
                let begin = if source == 0 { 0 } else { successors.ends[source - 1] };
                ancestry.note_new(source, index as usize - begin);
            }
        }
        self.successors = successors;
    }

    /// Puts successors that belong to others into their boxes and keeps the rest.
    fn deal_out(&mut self, states: &mut Vec<[u64; N]>) {
        let threads = self.outboxes.len();
        let mut kept = 0;
        for index in 0..states.len() {
            let state = states[index];
            let to = owner(&state, threads);
            if to == self.index {
                states[kept] = state;
                kept += 1;
            } else {
                self.outboxes[to].push(state);
            }
        }
        states.truncate(kept);
    }

    /// Numbers of the words of all successors, out of those of their sources where these are known.
    #[inline(always)]
    fn look_up_leaves(&mut self, states: &[[u64; N]], sources: Option<(usize, &[usize])>) {
        if self.store.is_flat() {
            return;
        }
        self.leaves.clear();
        let Some((first, ends)) = sources else {
            states.iter().for_each(|state| self.store.prefetch_leaves(state, &[1; N]));
            for state in states {
                let leaves = self.store.leaves(state);
                self.leaves.push(leaves);
            }
            return;
        };
        let mut begin = 0;
        for (source, &end) in ends.iter().enumerate() {
            let source = self.current[first + source];
            self.store.prefetch_leaves(&source, &[1; N]);
            for state in &states[begin..end] {
                let changed = std::array::from_fn(|word| state[word] ^ source[word]);
                self.store.prefetch_leaves(state, &changed);
            }
            begin = end;
        }
        let mut begin = 0;
        for (source, &end) in ends.iter().enumerate() {
            let source = self.current[first + source];
            let known = self.store.leaves(&source);
            for state in &states[begin..end] {
                let changed = std::array::from_fn(|word| state[word] ^ source[word]);
                let leaves = self.store.leaves_after(state, &changed, &known);
                self.leaves.push(leaves);
            }
            begin = end;
        }
    }

    #[inline(always)]
    fn hash_all(&mut self, states: &[[u64; N]]) {
        let flat = self.store.is_flat();
        loop {
            let epoch = self.store.epoch();
            self.hashes.clear();
            for (index, state) in states.iter().enumerate() {
                let leaves = if flat { [0; N] } else { self.leaves[index] };
                let hash = self.store.hash(state, &leaves);
                self.hashes.push(hash);
            }
            if self.store.epoch() == epoch {
                return;
            }
        }
    }

    fn note_problems(&mut self, state: &[u64; N]) {
        let layout = self.expander.layout();
        for cause in self.successors.problems.drain(..) {
            match self.found.iter_mut().find(|group| group.cause == cause) {
                Some(group) => group.count += 1,
                None => {
                    let source = (0..self.parts).map(|part| layout.number(state, PartId(part))).collect();
                    self.found.push(Found { cause, count: 1, depth: 0, place: FoundAt::State(source) });
                }
            }
        }
    }
}
