//! The set of states that were reached.
//!
//! A state is an array of words. One word goes straight into a quotient table, and so do two if they are not too full. Otherwise
//! several words are stored as a tree of halves: each word is a number in a list of the words seen at that place, two neighbours are a pair in a list of
//! pairs, and so on; the last pair goes into the quotient table. States have most of their words in common, so the
//! lists stay short and a state costs little more than the last pair.
//!
//! Threads add states at the same time. Making room needs the set for itself, so adding may fail for want of room.

use crate::budget::{Account, Budget, MemoryEnds};
use crate::packed::table::{NoRoom, QuotientTable, Users};
use crate::packed::word_array::WordArray;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The set of states of `N` words; `N` is a power of two.
#[derive(Debug)]
pub struct Store<const N: usize> {
    /// Lists of words, then of pairs: `N` of them, then half as many, down to two. Empty if states are flat.
    levels: Vec<Vec<Interner>>,
    /// Bits of the two numbers that make the last pair.
    root_bits: [u32; 2],
    root: QuotientTable,
    /// Of the lists; the table has its own.
    account: Account,
}

/// Slots of a list of no words.
const FEWEST_SLOTS: usize = 128;

/// How the states of a layout are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StateShape {
    /// As they are: one word of so many bits, or a whole word and one of `extra_bits` bits.
    Flat {
        /// Bits of the first word.
        key_bits: u32,
        /// Bits of the second word, if there is one.
        extra_bits: u32,
    },
    /// As a tree of halves.
    #[default]
    Tree,
}

/// What a state's words are numbered as, kept so that a successor which shares words need not look them up again.
pub type Leaves<const N: usize> = [u32; N];

impl<const N: usize> Store<N> {
    /// An empty set with room for some states, if the budget allows it.
    pub fn new(shape: StateShape, room: usize, budget: &Arc<Budget>) -> Store<N> {
        debug_assert!(N.is_power_of_two());
        let root_bits = [8, 8];
        let mut levels = Vec::new();
        let root = match shape {
            StateShape::Flat { key_bits, extra_bits } => {
                debug_assert!(N == 1 && extra_bits == 0 || N == 2 && extra_bits > 0);
                QuotientTable::with_room(key_bits, extra_bits, room, budget)
            }
            StateShape::Tree => {
                let mut width = N;
                while width > 1 {
                    levels.push((0..width).map(|_| Interner::with_slots(FEWEST_SLOTS)).collect());
                    width /= 2;
                }
                QuotientTable::with_room(root_bits[0] + root_bits[1], 0, room, budget)
            }
        };
        let store = Store { levels, root_bits, root, account: Account::new(budget) };
        store.account.set(store.bytes_of_lists());
        store
    }

    /// Whether states go into the table as they are, so that nobody needs numbers of words.
    #[inline(always)]
    pub fn is_flat(&self) -> bool {
        N == 1 || (N == 2 && self.levels.is_empty())
    }

    /// How many states it holds.
    pub fn len(&self) -> usize {
        self.root.len()
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.root.bytes() + self.bytes_of_lists()
    }

    /// Bytes of the lists of words and pairs.
    pub fn bytes_of_lists(&self) -> usize {
        self.levels.iter().flatten().map(Interner::bytes).sum()
    }

    /// Asks the processor to fetch what the words of a state need, as far as `changed` marks them.
    #[inline(always)]
    pub fn prefetch_leaves(&self, state: &[u64; N], changed: &[u64; N]) {
        if N > 1 {
            for word in 0..N {
                if changed[word] != 0 {
                    self.levels[0][word].prefetch(state[word]);
                }
            }
        }
    }

    /// Numbers of the words of a state; adds words that are new.
    #[inline(always)]
    pub fn leaves(&self, state: &[u64; N]) -> Result<Leaves<N>, NoRoom> {
        self.leaves_after(state, &[1; N], &[0; N])
    }

    /// Numbers of the words of a state that differs from one with known numbers in the words that `changed` marks.
    #[inline(always)]
    pub fn leaves_after(
        &self,
        state: &[u64; N],
        changed: &[u64; N],
        before: &Leaves<N>,
    ) -> Result<Leaves<N>, NoRoom> {
        let mut leaves = *before;
        if N > 1 {
            for word in 0..N {
                if changed[word] != 0 {
                    leaves[word] = self.levels[0][word].number(state[word])?;
                }
            }
        }
        Ok(leaves)
    }

    /// The hash of a state whose words have these numbers, with its line on the way into the cache.
    #[inline(always)]
    pub fn hash(&self, state: &[u64; N], leaves: &Leaves<N>) -> Result<u64, NoRoom> {
        let (key, extra) = if self.is_flat() { (state[0], extra_of(state)) } else { (self.key(leaves)?, 0) };
        let hash = self.root.hash(key, extra);
        self.root.prefetch(hash);
        Ok(hash)
    }

    /// Adds the states, which have these hashes, and appends the indices of those that are new. If there is no room for one of
    /// them, those after it are not added either.
    #[inline(always)]
    pub fn insert_hashes(
        &self,
        users: Users,
        states: &[[u64; N]],
        hashes: &[u64],
        new: &mut Vec<u32>,
    ) -> Result<(), NoRoom> {
        if N == 2 && self.is_flat() {
            self.root.insert_all(users, hashes, |index| extra_of(&states[index]), new)
        } else {
            self.root.insert_all(users, hashes, |_| 0, new)
        }
    }

    /// Bits of the numbers that make the last pair, where there are too few.
    fn needed_root_bits(&self) -> Option<[u32; 2]> {
        let last = self.levels.last()?;
        let bits_of = |interner: &Interner| u32::BITS - interner.len().leading_zeros();
        let needed = [bits_of(&last[0]), bits_of(&last[1])];
        (0..2).any(|side| needed[side] > self.root_bits[side]).then_some(needed)
    }

    /// Makes room where there is too little, by so many threads, as far as the budget allows it.
    pub fn make_room(&mut self, threads: usize) -> Result<(), MemoryEnds> {
        for interner in self.levels.iter_mut().flatten().filter(|interner| interner.wants_room()) {
            interner.grow(&self.account)?;
        }
        self.account.set(self.bytes_of_lists());
        if let Some(needed) = self.needed_root_bits() {
            self.widen_root(needed)?;
        }
        if self.root.wants_room() {
            self.root.grow(threads)?;
        }
        Ok(())
    }

    /// Its states, to be gone through.
    pub fn into_reader(self) -> StoreReader<N> {
        let words =
            self.levels.into_iter().map(|level| level.into_iter().map(Interner::into_words).collect());
        let words: Vec<Vec<Vec<u64>>> = words.collect();
        self.account.set(words.iter().flatten().map(|words| words.capacity() * 8).sum());
        StoreReader { words, root_bits: self.root_bits, root: self.root, account: self.account }
    }

    #[inline(always)]
    fn key(&self, leaves: &Leaves<N>) -> Result<u64, NoRoom> {
        let mut numbers = *leaves;
        let mut width = N;
        while width > 2 {
            width /= 2;
            let level = N.ilog2() - width.ilog2();
            for place in 0..width {
                let pair = (u64::from(numbers[2 * place]) << 32) | u64::from(numbers[2 * place + 1]);
                numbers[place] = self.levels[level as usize][place].number(pair)?;
            }
        }
        let (left, right) = (u64::from(numbers[0]), u64::from(numbers[1]));
        if left >> self.root_bits[0] != 0 || right >> self.root_bits[1] != 0 {
            return Err(NoRoom);
        }
        Ok((left << self.root_bits[1]) | right)
    }

    /// Numbers have grown, so all keys have become longer. The old table goes as the new one comes.
    #[cold]
    #[inline(never)]
    fn widen_root(&mut self, needed: [u32; 2]) -> Result<(), MemoryEnds> {
        let wider = [0, 1].map(|side: usize| self.root_bits[side].max((needed[side] + 1).min(32)));
        let budget = self.account.budget();
        let mut root = QuotientTable::with_room(wider[0] + wider[1], 0, self.root.len(), budget);
        let old_right = self.root_bits[1];
        let (mut hashes, mut new) = (Vec::new(), Vec::new());
        for piece in 0..self.root.pieces() {
            self.root.for_each_in(piece, |key, _| {
                let (left, right) = (key >> old_right, key & ((1u64 << old_right) - 1));
                hashes.push(root.hash((left << wider[1]) | right, 0));
            });
            self.root.release(piece);
            for batch in hashes.chunks(64) {
                batch.iter().for_each(|&hash| root.prefetch(hash));
                // Those of the batch that are there already are found.
                while root.insert_all(Users::One, batch, |_| 0, &mut new).is_err() {
                    root.grow(1)?;
                }
                new.clear();
            }
            hashes.clear();
        }
        (self.root, self.root_bits) = (root, wider);
        Ok(())
    }
}

/// The states of a store that nobody adds to any more.
#[derive(Debug)]
pub struct StoreReader<const N: usize> {
    /// By level, place and number; empty if states are flat.
    words: Vec<Vec<Vec<u64>>>,
    root_bits: [u32; 2],
    root: QuotientTable,
    /// Of the words.
    #[allow(dead_code, reason = "dropping it gives the bytes back")]
    account: Account,
}

impl<const N: usize> StoreReader<N> {
    /// How many states there are.
    pub fn len(&self) -> usize {
        self.root.len()
    }

    /// Into how many pieces [`StoreReader::for_each_in`] cuts them.
    pub fn pieces(&self) -> usize {
        self.root.pieces()
    }

    /// Gives the memory of a piece back, which nobody needs any more.
    pub fn release(&self, piece: usize) {
        self.root.release(piece);
    }

    /// Calls `visit` with every state of a piece.
    pub fn for_each_in(&self, piece: usize, mut visit: impl FnMut([u64; N])) {
        let [_, right_bits] = self.root_bits;
        self.root.for_each_in(piece, |key, extra| {
            let mut state = [0u64; N];
            if self.words.is_empty() {
                state[0] = key;
                if N == 2 {
                    state[1] = extra;
                }
            } else {
                let mut width = 2;
                state[0] = key >> right_bits;
                state[1] = key & ((1u64 << right_bits) - 1);
                for level in self.words.iter().rev() {
                    for place in (0..width).rev() {
                        let content = level[place][state[place] as usize];
                        if level.len() == N {
                            state[place] = content;
                        } else {
                            state[2 * place] = content >> 32;
                            state[2 * place + 1] = content & u64::from(u32::MAX);
                        }
                    }
                    width *= 2;
                }
            }
            visit(state);
        });
    }
}

#[inline(always)]
fn extra_of<const N: usize>(state: &[u64; N]) -> u64 {
    if N == 2 { state[1 % N] } else { 0 }
}

/// Numbers words in the order in which they come.
#[derive(Debug)]
struct Interner {
    /// Open addressing: a word, and beside it, so that a look-up is one visit to memory, its number plus one; zero is free. The word is
    /// written first, so whoever sees the number sees the word.
    slots: WordArray,
    length: AtomicU32,
    adding: Mutex<()>,
}

impl Interner {
    fn with_slots(slots: usize) -> Interner {
        Interner { slots: WordArray::zeroed(2 * slots), length: AtomicU32::new(0), adding: Mutex::new(()) }
    }

    fn len(&self) -> u32 {
        self.length.load(Ordering::Relaxed)
    }

    fn bytes(&self) -> usize {
        self.slots.len() * 8
    }

    /// Slots, not words.
    #[inline(always)]
    fn mask(&self) -> usize {
        self.slots.len() / 2 - 1
    }

    fn wants_room(&self) -> bool {
        self.len() as usize * 3 >= self.mask() * 2
    }

    /// Asks the processor to fetch what a word needs.
    #[inline(always)]
    fn prefetch(&self, word: u64) {
        self.slots.prefetch(2 * (hash_word(word) & self.mask()));
    }

    #[inline(always)]
    fn number(&self, word: u64) -> Result<u32, NoRoom> {
        let mask = self.mask();
        let mut place = hash_word(word) & mask;
        loop {
            let number = self.slots[2 * place + 1].load(Ordering::Acquire);
            if number == 0 {
                return self.add(word, place);
            }
            if self.slots[2 * place].load(Ordering::Relaxed) == word {
                return Ok(number as u32 - 1);
            }
            place = (place + 1) & mask;
        }
    }

    /// Numbers a word that was not there, all places before `place` being taken by others.
    #[inline(never)]
    fn add(&self, word: u64, mut place: usize) -> Result<u32, NoRoom> {
        let _alone = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let number = self.slots[2 * place + 1].load(Ordering::Relaxed);
            if number == 0 {
                break;
            }
            if self.slots[2 * place].load(Ordering::Relaxed) == word {
                return Ok(number as u32 - 1);
            }
            place = (place + 1) & self.mask();
        }
        if self.wants_room() {
            return Err(NoRoom);
        }
        let number = self.len();
        self.length.store(number + 1, Ordering::Relaxed);
        self.slots[2 * place].store(word, Ordering::Relaxed);
        self.slots[2 * place + 1].store(u64::from(number) + 1, Ordering::Release);
        Ok(number)
    }

    /// All words by their numbers.
    fn into_words(self) -> Vec<u64> {
        let mut words = vec![0; self.len() as usize];
        for slot in self.slots.chunks_exact(2) {
            if let Some(number) = slot[1].load(Ordering::Relaxed).checked_sub(1) {
                words[number as usize] = slot[0].load(Ordering::Relaxed);
            }
        }
        words
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, account: &Account) -> Result<(), MemoryEnds> {
        // While its words are copied there are both.
        if !account.allows(2 * self.bytes()) {
            return Err(MemoryEnds);
        }
        let larger = Interner::with_slots(2 * (self.mask() + 1));
        for slot in self.slots.chunks_exact(2) {
            let number = slot[1].load(Ordering::Relaxed);
            if number != 0 {
                let word = slot[0].load(Ordering::Relaxed);
                let mut place = hash_word(word) & larger.mask();
                while larger.slots[2 * place + 1].load(Ordering::Relaxed) != 0 {
                    place = (place + 1) & larger.mask();
                }
                larger.slots[2 * place].store(word, Ordering::Relaxed);
                larger.slots[2 * place + 1].store(number, Ordering::Relaxed);
            }
        }
        larger.length.store(self.len(), Ordering::Relaxed);
        *self = larger;
        Ok(())
    }
}

#[inline(always)]
fn hash_word(key: u64) -> usize {
    let product = u128::from(key ^ 0x243F_6A88_85A3_08D3) * u128::from(0x9E37_79B9_7F4A_7C15u64);
    ((product >> 64) as u64 ^ product as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn states<const N: usize>(count: usize) -> Vec<[u64; N]> {
        let mut x = 0x9876_5432_1234_5679u64;
        (0..count)
            .map(|_| {
                std::array::from_fn(|word| {
                    x ^= x << 13;
                    x ^= x >> 7;
                    x ^= x << 17;
                    x % (3 + 40 * (word as u64 % 3))
                })
            })
            .collect()
    }

    impl<const N: usize> Store<N> {
        fn insert(&mut self, state: &[u64; N]) -> bool {
            let mut new = Vec::new();
            while self.try_insert(state, &mut new).is_err() {
                self.make_room(1).expect("there is no limit");
            }
            !new.is_empty()
        }

        fn try_insert(&self, state: &[u64; N], new: &mut Vec<u32>) -> Result<(), NoRoom> {
            let leaves = if self.is_flat() { [0; N] } else { self.leaves(state)? };
            let hash = self.hash(state, &leaves)?;
            self.insert_hashes(Users::One, std::slice::from_ref(state), &[hash], new)
        }
    }

    fn holds_what_was_put_in<const N: usize>(shape: StateShape) {
        let mut store = Store::<N>::new(shape, 0, &Budget::new(None));
        let mut expected = BTreeSet::new();
        for state in states::<N>(30_000) {
            assert_eq!(store.insert(&state), expected.insert(state));
        }
        assert_eq!(store.len(), expected.len());
        let mut found = BTreeSet::new();
        let reader = store.into_reader();
        (0..reader.pieces())
            .for_each(|piece| reader.for_each_in(piece, |state| assert!(found.insert(state))));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_store_of_any_width_is_an_exact_set() {
        holds_what_was_put_in::<1>(StateShape::Flat { key_bits: 20, extra_bits: 0 });
        holds_what_was_put_in::<2>(StateShape::Flat { key_bits: 64, extra_bits: 7 });
        holds_what_was_put_in::<2>(StateShape::Tree);
        holds_what_was_put_in::<4>(StateShape::Tree);
        holds_what_was_put_in::<8>(StateShape::Tree);
    }
}
