//! The set of states that were reached.
//!
//! A state is an array of words. One word goes straight into a quotient table, and so do two if they are not too full. Otherwise
//! several words are stored as a tree of halves: each word is a number in a list of the words seen at that place, two neighbours are a pair in a list of
//! pairs, and so on; the last pair goes into the quotient table. States have most of their words in common, so the
//! lists stay short and a state costs little more than the last pair.

use crate::table::{Inserter, QuotientTable};
use foldhash::quality::FixedState;
use std::hash::{BuildHasher, Hasher};

/// The set of states of `N` words; `N` is a power of two.
#[derive(Debug)]
pub struct Store<const N: usize> {
    /// Lists of words, then of pairs: `N` of them, then half as many, down to two. Empty if states are flat.
    levels: Vec<Vec<Interner>>,
    /// Bits of the two numbers that make the last pair.
    root_bits: [u32; 2],
    root: QuotientTable,
}

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
    /// An empty set with room for some states.
    pub fn new(shape: StateShape, room: usize) -> Store<N> {
        debug_assert!(N.is_power_of_two());
        let root_bits = [8, 8];
        let mut levels = Vec::new();
        let root = match shape {
            StateShape::Flat { key_bits, extra_bits } => {
                debug_assert!(N == 1 && extra_bits == 0 || N == 2 && extra_bits > 0);
                QuotientTable::with_room(key_bits, extra_bits, room)
            }
            StateShape::Tree => {
                let mut width = N;
                while width > 1 {
                    levels.push((0..width).map(|_| Interner::default()).collect());
                    width /= 2;
                }
                QuotientTable::with_room(root_bits[0] + root_bits[1], 0, room)
            }
        };
        Store { levels, root_bits, root }
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
        self.root.bytes() + self.levels.iter().flatten().map(Interner::bytes).sum::<usize>()
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
    pub fn leaves(&mut self, state: &[u64; N]) -> Leaves<N> {
        let mut leaves = [0; N];
        if N > 1 {
            for word in 0..N {
                leaves[word] = self.levels[0][word].number(state[word]);
            }
        }
        leaves
    }

    /// Numbers of the words of a state that differs from one with known numbers in the words that `changed` marks.
    #[inline(always)]
    pub fn leaves_after(&mut self, state: &[u64; N], changed: &[u64; N], before: &Leaves<N>) -> Leaves<N> {
        let mut leaves = *before;
        if N > 1 {
            for word in 0..N {
                if changed[word] != 0 {
                    leaves[word] = self.levels[0][word].number(state[word]);
                }
            }
        }
        leaves
    }

    /// The hash of a state whose words have these numbers, with its line on the way into the cache.
    #[inline(always)]
    pub fn hash(&mut self, state: &[u64; N], leaves: &Leaves<N>) -> u64 {
        let (key, extra) = if self.is_flat() { (state[0], extra_of(state)) } else { (self.key(leaves), 0) };
        let hash = self.root.hash(key, extra);
        self.root.prefetch(hash);
        hash
    }

    /// Changes whenever hashes that were computed earlier are no longer valid.
    #[inline(always)]
    pub fn epoch(&self) -> [u32; 2] {
        self.root_bits
    }

    /// Adds the states, which have these hashes, and appends the indices of those that are new.
    #[inline(always)]
    pub fn insert_hashes(&mut self, states: &[[u64; N]], hashes: &[u64], new: &mut Vec<u32>) {
        if N == 2 && self.is_flat() {
            self.root.insert_all(hashes, |index| extra_of(&states[index]), new);
        } else {
            self.root.insert_all(hashes, |_| 0, new);
        }
    }

    /// Adds a state. True if it is new.
    #[cfg(test)]
    pub fn insert(&mut self, state: &[u64; N]) -> bool {
        let leaves = if self.is_flat() { [0; N] } else { self.leaves(state) };
        let hash = self.hash(state, &leaves);
        let mut new = Vec::new();
        self.insert_hashes(std::slice::from_ref(state), &[hash], &mut new);
        !new.is_empty()
    }

    /// Calls `visit` with every state.
    pub fn for_each(&self, mut visit: impl FnMut([u64; N])) {
        let [_, right_bits] = self.root_bits;
        self.root.for_each(|key, extra| {
            let mut state = [0u64; N];
            if self.is_flat() {
                state[0] = key;
                if N == 2 {
                    state[1] = extra;
                }
            } else {
                let mut width = 2;
                state[0] = key >> right_bits;
                state[1] = key & ((1u64 << right_bits) - 1);
                for level in self.levels.iter().rev() {
                    for place in (0..width).rev() {
                        let content = level[place].keys[state[place] as usize];
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

    #[inline(always)]
    fn key(&mut self, leaves: &Leaves<N>) -> u64 {
        let mut numbers = *leaves;
        let mut width = N;
        while width > 2 {
            width /= 2;
            let level = N.ilog2() - width.ilog2();
            for place in 0..width {
                let pair = (u64::from(numbers[2 * place]) << 32) | u64::from(numbers[2 * place + 1]);
                numbers[place] = self.levels[level as usize][place].number(pair);
            }
        }
        let (left, right) = (u64::from(numbers[0]), u64::from(numbers[1]));
        if left >> self.root_bits[0] != 0 || right >> self.root_bits[1] != 0 {
            self.widen_root();
        }
        (left << self.root_bits[1]) | right
    }

    #[cold]
    #[inline(never)]
    fn widen_root(&mut self) {
        let Some(last) = self.levels.last() else { return };
        let wider = [0, 1].map(|side: usize| {
            let needed = usize::BITS - last[side].keys.len().leading_zeros();
            self.root_bits[side].max((needed + 1).min(32))
        });
        let mut root = QuotientTable::with_room(wider[0] + wider[1], 0, self.root.len());
        let old_right = self.root_bits[1];
        let mut inserter = Inserter::default();
        self.root.for_each(|key, _| {
            let (left, right) = (key >> old_right, key & ((1u64 << old_right) - 1));
            let hash = root.hash((left << wider[1]) | right, 0);
            inserter.insert(&mut root, hash, 0);
        });
        inserter.finish(&mut root);
        self.root = root;
        self.root_bits = wider;
    }
}

#[inline(always)]
fn extra_of<const N: usize>(state: &[u64; N]) -> u64 {
    if N == 2 { state[1 % N] } else { 0 }
}

/// Numbers words in the order in which they come.
#[derive(Debug, Default)]
struct Interner {
    keys: Vec<u64>,
    /// Open addressing. The word stands beside its number, so that a look-up is one visit to memory.
    slots: Vec<NumberedWord>,
}

#[derive(Clone, Copy, Debug, Default)]
struct NumberedWord {
    word: u64,
    /// Plus one; zero is free.
    number: u32,
}

impl Interner {
    fn bytes(&self) -> usize {
        self.keys.capacity() * 8 + self.slots.len() * size_of::<NumberedWord>()
    }

    /// Asks the processor to fetch what a word needs.
    #[inline(always)]
    fn prefetch(&self, word: u64) {
        crate::prefetch::prefetch(&self.slots, hash_word(word) & self.slots.len().wrapping_sub(1));
    }

    #[inline(always)]
    fn number(&mut self, word: u64) -> u32 {
        if self.keys.len() * 3 >= self.slots.len() * 2 {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut place = hash_word(word) & mask;
        loop {
            let slot = self.slots[place];
            if slot.number == 0 {
                self.keys.push(word);
                let number = self.keys.len() as u32;
                self.slots[place] = NumberedWord { word, number };
                return number - 1;
            }
            if slot.word == word {
                return slot.number - 1;
            }
            place = (place + 1) & mask;
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        self.slots = vec![NumberedWord::default(); size];
        for (number, &word) in self.keys.iter().enumerate() {
            let mut place = hash_word(word) & (size - 1);
            while self.slots[place].number != 0 {
                place = (place + 1) & (size - 1);
            }
            self.slots[place] = NumberedWord { word, number: number as u32 + 1 };
        }
    }
}

#[inline(always)]
fn hash_word(key: u64) -> usize {
    let product = u128::from(key ^ 0x243F_6A88_85A3_08D3) * u128::from(0x9E37_79B9_7F4A_7C15u64);
    ((product >> 64) as u64 ^ product as u64) as usize
}

/// The hash by which states are dealt out to threads: independent of the one inside the tables.
#[inline(always)]
pub fn owner_hash<const N: usize>(state: &[u64; N]) -> u64 {
    if N == 1 {
        return state[0].wrapping_mul(0xA24B_AED4_963E_E407) >> 32;
    }
    let mut hasher = FixedState::with_seed(7).build_hasher();
    for &word in state {
        hasher.write_u64(word);
    }
    hasher.finish() >> 32
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

    fn holds_what_was_put_in<const N: usize>(shape: StateShape) {
        let mut store = Store::<N>::new(shape, 0);
        let mut expected = BTreeSet::new();
        for state in states::<N>(30_000) {
            assert_eq!(store.insert(&state), expected.insert(state));
        }
        assert_eq!(store.len(), expected.len());
        let mut found = BTreeSet::new();
        store.for_each(|state| assert!(found.insert(state)));
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
