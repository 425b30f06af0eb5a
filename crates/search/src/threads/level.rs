//! The states of one level of a breadth-first search, dealt out to threads in chunks.
//!
//! They lie in blocks of a fixed size: a list of them grows without being copied, and a block goes as soon as its states are done.

use crate::budget::{Account, Budget};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// States that wait, in the order in which they were found.
#[derive(Debug)]
pub struct Frontier<const N: usize> {
    full: Vec<Block<N>>,
    open: Block<N>,
}

/// Some of them.
#[derive(Debug)]
pub struct Block<const N: usize> {
    states: Vec<[u64; N]>,
    account: Account,
}

/// Bytes of a block: enough for a mapping of its own, which is given back to the system when the block is dropped.
const BLOCK_BYTES: usize = 1 << 18;

impl<const N: usize> Block<N> {
    fn new(budget: &Arc<Budget>) -> Block<N> {
        Block { states: Vec::new(), account: Account::new(budget) }
    }

    fn take(&mut self) -> Block<N> {
        let empty = Block::new(self.account.budget());
        std::mem::replace(self, empty)
    }
}

impl<const N: usize> Frontier<N> {
    /// No states.
    pub fn new(budget: &Arc<Budget>) -> Frontier<N> {
        Frontier { full: Vec::new(), open: Block::new(budget) }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.open.states.is_empty()
    }

    /// Adds states.
    #[inline(always)]
    pub fn extend(&mut self, states: impl Iterator<Item = [u64; N]>) {
        for state in states {
            if self.open.states.len() == self.open.states.capacity() {
                self.make_room();
            }
            self.open.states.push(state);
        }
    }

    /// All of them, in blocks. None are left.
    pub fn take(&mut self) -> Vec<Block<N>> {
        let mut blocks = std::mem::take(&mut self.full);
        blocks.push(self.open.take());
        blocks
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        let most = BLOCK_BYTES / (8 * N);
        if self.open.states.len() >= most {
            self.full.push(self.open.take());
        }
        let states = &mut self.open.states;
        // Few states take little, and a block does not outgrow its size.
        states.reserve_exact(if self.full.is_empty() {
            states.len().max(16).min(most - states.len())
        } else {
            most
        });
        self.open.account.set(states.capacity() * 8 * N);
    }
}

/// The states of one level.
#[derive(Debug)]
pub struct Level<const N: usize> {
    /// The states, as the threads of the level before have found them.
    blocks: Vec<Block<N>>,
    /// How many blocks are done, and empty.
    done: usize,
    chunks: Vec<Chunk>,
    /// The first chunk that nobody has taken.
    next: AtomicUsize,
    /// Where this round ends.
    end: usize,
    stopped: AtomicBool,
}

/// Neighbouring states of a level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunk {
    block: usize,
    range: Range<usize>,
}

/// States of a chunk: many, so that taking one costs nothing; few, so that threads end at about the same time.
const CHUNK: usize = 1 << 9;

impl<const N: usize> Level<N> {
    /// A level with these states, of which no chunk is taken.
    pub fn new(blocks: Vec<Block<N>>) -> Level<N> {
        let mut chunks = Vec::new();
        for (block, Block { states, .. }) in blocks.iter().enumerate() {
            let starts = (0..states.len()).step_by(CHUNK);
            chunks.extend(starts.map(|start| Chunk { block, range: start..states.len().min(start + CHUNK) }));
        }
        Level { blocks, done: 0, chunks, next: AtomicUsize::new(0), end: 0, stopped: AtomicBool::new(false) }
    }

    /// How many states nobody has taken.
    pub fn waiting(&self) -> usize {
        self.chunks[self.position()..].iter().map(|chunk| chunk.range.len()).sum()
    }

    /// Lets threads take so many more states, roughly.
    pub fn begin_round(&mut self, states: usize) {
        self.end = self.chunks.len().min(self.position() + states.div_ceil(CHUNK));
        self.stopped = AtomicBool::new(false);
    }

    /// Takes a chunk, unless the round is over.
    pub fn take(&self) -> Option<Chunk> {
        if self.is_stopped() {
            return None;
        }
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        self.chunks[..self.end].get(index).cloned()
    }

    /// The round is over; what was taken but not expanded waits on.
    pub fn end_round(&mut self, unfinished: impl Iterator<Item = Chunk>) {
        let end = self.position();
        let mut position = end;
        for chunk in unfinished {
            // It was taken from before this place, so there is a place for it.
            position -= 1;
            self.chunks[position] = chunk;
        }
        self.next = AtomicUsize::new(position);
        // Chunks lie in the order of their blocks, except for those that wait on.
        let waiting = self.chunks[position..].iter().take(end + 1 - position).map(|chunk| chunk.block);
        let done = waiting.min().unwrap_or(self.blocks.len());
        for block in &mut self.blocks[self.done..done] {
            block.take();
        }
        self.done = done;
    }

    /// Asks all threads to end the round.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has asked to end the round.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// The states of a chunk.
    #[inline(always)]
    pub fn states(&self, chunk: &Chunk) -> &[[u64; N]] {
        &self.blocks[chunk.block].states[chunk.range.clone()]
    }

    /// Calls `visit` with all states that nobody has taken, in their order.
    pub fn for_each_waiting(mut self, mut visit: impl FnMut(&[u64; N])) {
        self.end = self.chunks.len();
        for position in self.position()..self.chunks.len() {
            self.states(&self.chunks[position]).iter().for_each(&mut visit);
            self.next = AtomicUsize::new(position + 1);
            self.end_round(std::iter::empty());
        }
    }

    /// The first chunk that nobody has taken: asking for one when the round is over counts on.
    fn position(&self) -> usize {
        self.next.load(Ordering::Relaxed).min(self.end)
    }
}

impl Chunk {
    /// The chunk without its first states.
    pub fn without_first(&self, states: usize) -> Chunk {
        Chunk { range: self.range.start + states..self.range.end, ..self.clone() }
    }

    /// The first states of a chunk.
    pub fn first(&self, states: usize) -> Chunk {
        Chunk { range: self.range.start..self.range.start + states, ..self.clone() }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_back_is_given_out_again_and_nothing_twice() {
        let budget = Budget::new(None);
        let states = |range: Range<u64>| {
            let mut frontier = Frontier::<1>::new(&budget);
            frontier.extend(range.map(|number| [number]));
            frontier.take()
        };
        let ranges = [0..1000, 1000..1001, 1001..1001, 1001..3000];
        let mut level = Level::new(ranges.into_iter().flat_map(states).collect());
        let mut seen = Vec::new();
        assert_eq!(level.waiting(), 3000);
        while level.waiting() > 0 {
            level.begin_round(1100);
            let mut unfinished = Vec::new();
            while let Some(chunk) = level.take() {
                // Of every chunk of the first round, only a half is done.
                let done = if seen.len() < 500 {
                    level.states(&chunk).len().div_ceil(2)
                } else {
                    level.states(&chunk).len()
                };
                seen.extend(level.states(&chunk.first(done)).iter().map(|state| state[0]));
                unfinished.extend(Some(chunk.without_first(done)).filter(|rest| !rest.is_empty()));
            }
            level.end_round(unfinished.into_iter());
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..3000).collect::<Vec<u64>>());
        assert_eq!(budget.used(), 0, "a block whose states are done is given back");
    }

    #[test]
    fn a_frontier_keeps_its_order_over_many_blocks_and_gives_them_back_one_by_one() {
        let budget = Budget::new(None);
        let mut frontier = Frontier::<4>::new(&budget);
        let most = BLOCK_BYTES as u64 / 32;
        frontier.extend((0..5 * most).map(|number| [number; 4]));
        assert!((5 * BLOCK_BYTES..=6 * BLOCK_BYTES).contains(&budget.used()));
        let (mut next, mut least) = (0, usize::MAX);
        Level::new(frontier.take()).for_each_waiting(|state| {
            assert_eq!(*state, [next; 4]);
            next += 1;
            least = least.min(budget.used());
        });
        assert_eq!((next, budget.used()), (5 * most, 0));
        assert!(least <= BLOCK_BYTES);
    }
}
