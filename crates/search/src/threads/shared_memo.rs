//! The shared transition memo: what threads tell each other about steps that they had to compute.
//!
//! Every thread remembers steps for itself, so that remembering needs no locks. A thread that meets something unknown first
//! reads what the others have computed meanwhile: mostly they have met it already.

use crate::budget::{Account, Budget};
use crate::explore::memo::MoveInfo;
use crate::packed::components::ComponentId;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// What was computed under one layout, the newest last.
#[derive(Debug)]
pub struct SharedMemo<const N: usize> {
    list: Mutex<List<N>>,
    account: Account,
}

/// A computation: the arguments of [`crate::explore::memo::TransitionMemo::remember`].
#[derive(Clone, Debug)]
pub struct MemoEntry<const N: usize> {
    /// Which process, or pair of them.
    pub line: u32,
    /// Its local state.
    pub number: u32,
    /// The state.
    pub state: [u64; N],
    /// The components that were touched.
    pub touched: Box<[ComponentId]>,
    /// The moves.
    pub moves: Box<[([u64; N], MoveInfo)]>,
    /// Whether they are enough.
    pub ample: bool,
}

#[derive(Debug, Default)]
struct List<const N: usize> {
    entries: VecDeque<MemoEntry<N>>,
    /// How many were dropped.
    dropped: usize,
    bytes: usize,
}

/// Older entries are dropped; whoever has not read them computes for himself.
const MOST_ENTRIES: usize = 1 << 14;
/// The same for their bytes.
const MOST_BYTES: usize = 4 << 20;

impl<const N: usize> MemoEntry<N> {
    fn bytes(&self) -> usize {
        size_of::<MemoEntry<N>>() + size_of_val(&*self.touched) + size_of_val(&*self.moves) + 32
    }
}

impl<const N: usize> SharedMemo<N> {
    /// No entries.
    pub fn new(budget: &Arc<Budget>) -> SharedMemo<N> {
        SharedMemo { list: Mutex::default(), account: Account::new(budget) }
    }

    /// Calls `learn` with all entries from number `from` on that are still there; the number of the next one.
    pub fn read(&self, from: usize, mut learn: impl FnMut(&MemoEntry<N>)) -> usize {
        let list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let first = from.saturating_sub(list.dropped);
        list.entries.range(first.min(list.entries.len())..).for_each(&mut learn);
        list.dropped + list.entries.len()
    }

    /// Adds an entry; the number of the next one.
    pub fn publish(&self, entry: MemoEntry<N>) -> usize {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        while list.entries.len() == MOST_ENTRIES || list.bytes > MOST_BYTES {
            let oldest = list.entries.pop_front();
            list.bytes -= oldest.map_or(list.bytes, |oldest| oldest.bytes());
            list.dropped += 1;
        }
        list.bytes += entry.bytes();
        list.entries.push_back(entry);
        self.account.set(list.bytes);
        list.dropped + list.entries.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_gets_what_is_new_and_still_there() {
        let shared_memo = SharedMemo::<1>::new(&Budget::new(None));
        let entry = |number: usize| MemoEntry {
            line: 0,
            number: number as u32,
            state: [0],
            touched: Box::default(),
            moves: Box::default(),
            ample: false,
        };
        assert_eq!((shared_memo.publish(entry(0)), shared_memo.publish(entry(1))), (1, 2));
        let mut read = Vec::new();
        assert_eq!(shared_memo.read(1, |entry| read.push(entry.number)), 2);
        assert_eq!(read, [1]);
        for number in 2..MOST_ENTRIES + 3 {
            shared_memo.publish(entry(number));
        }
        read.clear();
        assert_eq!(shared_memo.read(2, |entry| read.push(entry.number)), MOST_ENTRIES + 3);
        assert_eq!((read.len(), read[0]), (MOST_ENTRIES, 3));
        assert_eq!(shared_memo.read(MOST_ENTRIES + 3, |_| unreachable!("nothing is new")), MOST_ENTRIES + 3);
    }
}
