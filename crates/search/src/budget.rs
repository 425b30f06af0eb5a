//! How much memory a search has taken, and how much it may take.
//!
//! Whoever keeps something that grows with the search has an [`Account`] in which its bytes stand, and asks before it takes many at
//! once (a larger table, another block of states). So a limit is kept before it is passed, not noticed afterwards. What grows by a little
//! at a time is noted now and then, and whoever watches the limits looks at [`Budget::is_over`].

use crate::packed::prefetch::give_back_what_is_freed;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What all accounts of a search have taken together, and may take.
#[derive(Debug)]
pub struct Budget {
    limit: Option<usize>,
    used: AtomicUsize,
    /// Somebody had much.
    was_large: AtomicBool,
}

/// The bytes of one owner; they are given back when it is dropped.
#[derive(Debug)]
pub struct Account {
    budget: Arc<Budget>,
    bytes: AtomicUsize,
}

/// What a small piece of memory really takes: an allocator rounds up and keeps a word beside it.
pub fn bytes_of_small(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { (bytes + 8).next_multiple_of(16).max(32) }
}

/// Bytes of an account beyond which it is worth while to give back what an allocator keeps.
const MUCH: usize = 1 << 22;

/// There is no memory for what was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryEnds;

impl Budget {
    /// A budget of so many bytes, of which nothing is taken.
    pub fn new(limit: Option<usize>) -> Arc<Budget> {
        Arc::new(Budget { limit, used: AtomicUsize::new(0), was_large: AtomicBool::new(false) })
    }

    /// Bytes that may be taken in all.
    pub fn limit(&self) -> Option<usize> {
        self.limit
    }

    /// Bytes that were taken.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Whether so many more bytes may be taken.
    pub fn allows(&self, more: usize) -> bool {
        self.limit.is_none_or(|limit| self.used().saturating_add(more) <= limit)
    }

    /// Whether more was taken than there is.
    pub fn is_over(&self) -> bool {
        !self.allows(0)
    }
}

impl Account {
    /// An account without bytes.
    pub fn new(budget: &Arc<Budget>) -> Account {
        Account { budget: budget.clone(), bytes: AtomicUsize::new(0) }
    }

    /// Whose account it is a part of.
    pub fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// Its owner has so many bytes now.
    pub fn set(&self, bytes: usize) {
        let before = self.bytes.swap(bytes, Ordering::Relaxed);
        self.budget.used.fetch_add(bytes.wrapping_sub(before), Ordering::Relaxed);
        if before > MUCH && bytes == 0 {
            self.budget.was_large.store(true, Ordering::Relaxed);
        }
    }

    /// Whether its owner may take so many more bytes.
    pub fn allows(&self, more: usize) -> bool {
        self.budget.allows(more)
    }

    /// Its owner has given some bytes back.
    pub fn give_back(&self, bytes: usize) {
        let less = |had: usize| Some(had.saturating_sub(bytes));
        if let Ok(had) = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) {
            self.budget.used.fetch_sub(had.min(bytes), Ordering::Relaxed);
        }
    }
}

/// The account of a copy.
impl Clone for Account {
    fn clone(&self) -> Account {
        let account = Account::new(&self.budget);
        account.set(self.bytes.load(Ordering::Relaxed));
        account
    }
}

/// Nobody has an account any more. What comes next may take other pieces, and what is kept for pieces of this size would come on top.
impl Drop for Budget {
    fn drop(&mut self) {
        if self.was_large.load(Ordering::Relaxed) {
            give_back_what_is_freed();
        }
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_accounts_have_is_taken_from_the_budget_until_they_are_dropped() {
        let budget = Budget::new(Some(100));
        let account = Account::new(&budget);
        account.set(60);
        let copy = account.clone();
        assert!(budget.is_over() && budget.used() == 120);
        account.set(30);
        assert!(copy.allows(10) && !copy.allows(11));
        copy.give_back(20);
        assert_eq!(budget.used(), 70);
        drop(copy);
        assert_eq!(budget.used(), 30);
    }
}
