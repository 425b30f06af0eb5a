//! The states that were met: one after another in the order in which they were, and a table that finds them.
//!
//! The list of all states is the queue of a breadth-first search as well, so no state is ever copied. The table holds, for each state, 32 bits of its hash and where it
//! begins; they also say where it belongs in a larger table, so that growing looks at no state.

use crate::budget::{Account, Budget, MemoryEnds};
use crate::packed::prefetch::{advise_huge_pages, prefetch};
use std::sync::Arc;

/// An exact set of states of any length.
#[derive(Debug)]
pub(super) struct Set {
    words: Vec<u64>,
    /// Hash above, one more than where the state begins below; 0 where there is none.
    table: Vec<u64>,
    /// For each state, in order, the number of the state that it was met from first.
    origins: Vec<u32>,
    account: Account,
}

/// Places of the first table.
const FIRST_PLACES: usize = 1 << 12;
/// Words of all states: one more than where a state begins has 32 bits.
const MOST_WORDS: usize = u32::MAX as usize - 1;
/// Words of the first list.
const FIRST_WORDS: usize = 1 << 13;

impl Set {
    pub fn new(budget: &Arc<Budget>) -> Set {
        let account = Account::new(budget);
        let words = Vec::with_capacity(FIRST_WORDS);
        let set = Set { words, table: vec![0; FIRST_PLACES], origins: Vec::new(), account };
        set.account.set(set.bytes());
        set
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.origins.len()
    }

    /// The number of the state that a state was met from first.
    pub fn origin(&self, number: u32) -> u32 {
        self.origins[number as usize]
    }

    /// The words of all states.
    #[inline(always)]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    pub fn bytes(&self) -> usize {
        8 * (self.words.capacity() + self.table.len()) + 4 * self.origins.capacity()
    }

    /// Asks the processor to fetch what a hash needs.
    #[inline(always)]
    pub fn prefetch(&self, hash: u32) {
        prefetch(&self.table, hash as usize & (self.table.len() - 1));
    }

    /// Adds a state that is met from another one, unless it is there.
    #[inline(always)]
    pub fn insert(&mut self, state: &[u64], hash: u32, origin: u32) -> Result<(), MemoryEnds> {
        let is_full = 4 * self.origins.len() >= 3 * self.table.len();
        if is_full || self.words.len() + state.len() > self.words.capacity().min(MOST_WORDS) {
            self.grow(state.len())?;
        }
        let mask = self.table.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            let entry = self.table[place];
            if entry == 0 {
                break;
            }
            if (entry >> 32) as u32 == hash {
                let begin = (entry as u32 - 1) as usize;
                if self.words.get(begin..begin + state.len()) == Some(state) {
                    return Ok(());
                }
            }
            place = (place + 1) & mask;
        }
        self.table[place] = u64::from(hash) << 32 | (self.words.len() as u64 + 1);
        self.words.extend_from_slice(state);
        self.origins.push(origin);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) -> Result<(), MemoryEnds> {
        if self.words.len() + more > MOST_WORDS {
            return Err(MemoryEnds);
        }
        if self.words.len() + more > self.words.capacity() {
            let wanted = (2 * (self.words.capacity() + more)).min(MOST_WORDS);
            if !self.account.allows(wanted.saturating_mul(8)) {
                return Err(MemoryEnds);
            }
            self.words.reserve_exact(wanted - self.words.len());
            advise_huge_pages(self.words.spare_capacity_mut());
        }
        if 4 * self.origins.len() >= 3 * self.table.len() {
            let places = 2 * self.table.len();
            if places as u64 >= 1 << 32 || !self.account.allows(places.saturating_mul(12)) {
                return Err(MemoryEnds);
            }
            let mut larger = vec![0; places];
            advise_huge_pages(&larger);
            for &entry in self.table.iter().filter(|entry| **entry != 0) {
                let mut place = (entry >> 32) as usize & (places - 1);
                while larger[place] != 0 {
                    place = (place + 1) & (places - 1);
                }
                larger[place] = entry;
            }
            self.table = larger;
            self.origins.reserve_exact(3 * places / 4 + 1 - self.origins.len());
        }
        self.account.set(self.bytes());
        Ok(())
    }
}

/// 32 bits of a hash of a state.
#[inline(always)]
pub(super) fn hash_of(words: &[u64]) -> u32 {
    let mut hash = 0x243F_6A88_85A3_08D3u64;
    for &word in words {
        let product = u128::from(hash ^ word) * u128::from(0x9E37_79B9_7F4A_7C15u64);
        hash = (product >> 64) as u64 ^ product as u64;
    }
    // A product with 0 says nothing more about what comes after it.
    let product = u128::from(hash ^ 0x1319_8A2E_0370_7344) * u128::from(0xA409_3822_299F_31D1u64);
    ((product >> 64) as u64 ^ product as u64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn it_holds_each_state_once_in_the_order_in_which_they_came_and_keeps_its_limit() {
        let mut set = Set::new(&Budget::new(None));
        let (mut expected, mut order, mut x) = (BTreeSet::new(), Vec::new(), 0x9876_5432_1234_5679u64);
        for number in 0..60_000 {
            let length = 1 + number % 3;
            let word = |place: usize| {
                x ^= x << 13;
                x ^= x >> 7;
                x ^= x << 17;
                // As a shape does, the first word says how long a state is.
                if place == 0 { (x % 40) << 12 | length as u64 } else { x % 30 }
            };
            let state: Vec<u64> = (0..length).map(word).collect();
            set.insert(&state, hash_of(&state), number as u32).expect("there is no limit");
            if expected.insert(state.clone()) {
                order.extend(state);
                assert_eq!(set.origin(set.len() as u32 - 1), number as u32);
            }
            assert_eq!(set.len(), expected.len());
        }
        assert_eq!(set.words(), order);
        let budget = Budget::new(Some(1 << 20));
        let mut small = Set::new(&budget);
        let fits = |number: &u64| small.insert(&[*number], hash_of(&[*number]), 0).is_ok();
        assert!((0..100_000).take_while(fits).count() < 100_000);
        assert!(!budget.is_over());
    }
}
