//! Typed indices and sets of them.
//!
//! A proposition, an automaton's state, an acceptance mark and a process are all small numbers; giving each its own
//! type keeps one from being used as another. [`BitSet`] is the set type of all of them: sixty-four members without
//! a heap allocation, any number with one.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// A dense, zero-based index with a type of its own.
pub trait TypedIndex: Copy {
    /// The index with the given position.
    fn from_position(position: usize) -> Self;
    /// The position of this index.
    fn position(self) -> usize;
}

macro_rules! typed_index {
    ($(#[$documentation:meta])* $name:ident) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl TypedIndex for $name {
            fn from_position(position: usize) -> Self {
                $name(u32::try_from(position).expect("fewer than 2^32 indices of one kind"))
            }
            fn position(self) -> usize {
                self.0 as usize
            }
        }
    };
}

typed_index! {
    /// An atomic proposition. What it means is known to the caller only.
    PropositionId
}
typed_index! {
    /// A state of an [`Automaton`](crate::Automaton).
    StateId
}
typed_index! {
    /// One of the acceptance sets of a generalised Büchi automaton.
    MarkId
}
typed_index! {
    /// A process, as far as fairness is concerned.
    ProcessId
}
typed_index! {
    /// A node of an explicit graph.
    NodeId
}

/// The set of propositions that hold at one moment: a letter of a word.
pub type Letter = BitSet<PropositionId>;
/// The acceptance sets that an edge belongs to.
pub type MarkSet = BitSet<MarkId>;
/// A set of processes.
pub type ProcessSet = BitSet<ProcessId>;

/// A set of typed indices.
///
/// Invariant: `high` never ends in a zero word, so that equal sets are equal (and hash equally) word by word.
pub struct BitSet<I> {
    low: u64,
    high: Vec<u64>,
    kind: PhantomData<fn() -> I>,
}

impl<I: TypedIndex> BitSet<I> {
    /// The empty set.
    pub fn new() -> Self {
        Self::from_low_word(0)
    }

    /// The set whose members are the bits of `word`.
    pub fn from_low_word(word: u64) -> Self {
        BitSet { low: word, high: Vec::new(), kind: PhantomData }
    }

    /// The members as the bits of one word, if all are below 64.
    pub fn as_word(&self) -> Option<u64> {
        self.high.is_empty().then_some(self.low)
    }

    /// The set `{0, …, count - 1}`.
    pub fn first(count: usize) -> Self {
        (0..count).map(I::from_position).collect()
    }

    /// Adds a member.
    pub fn insert(&mut self, member: I) {
        let position = member.position();
        if position < 64 {
            self.low |= 1 << position;
        } else {
            let word = position / 64 - 1;
            if self.high.len() <= word {
                self.high.resize(word + 1, 0);
            }
            self.high[word] |= 1 << (position % 64);
        }
    }

    /// Removes a member, if it is one.
    pub fn remove(&mut self, member: I) {
        let position = member.position();
        if position < 64 {
            self.low &= !(1 << position);
        } else if let Some(word) = self.high.get_mut(position / 64 - 1) {
            *word &= !(1 << (position % 64));
            self.trim();
        }
    }

    /// Whether `member` is in the set.
    pub fn contains(&self, member: I) -> bool {
        let position = member.position();
        self.word(position / 64) >> (position % 64) & 1 == 1
    }

    /// Whether the set has no members.
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.is_empty()
    }

    /// Bytes of memory beside the set itself.
    pub fn bytes(&self) -> usize {
        self.high.capacity() * size_of::<u64>()
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.words().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether every member is also in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.words().enumerate().all(|(index, word)| word & !other.word(index) == 0)
    }

    /// Whether some member is also in `other`.
    pub fn intersects(&self, other: &Self) -> bool {
        self.words().enumerate().any(|(index, word)| word & other.word(index) != 0)
    }

    /// Adds all members of `other`.
    pub fn union_with(&mut self, other: &Self) {
        self.low |= other.low;
        if self.high.len() < other.high.len() {
            self.high.resize(other.high.len(), 0);
        }
        for (word, added) in self.high.iter_mut().zip(&other.high) {
            *word |= added;
        }
    }

    /// Keeps only the members that are also in `other`.
    pub fn intersect_with(&mut self, other: &Self) {
        self.low &= other.low;
        self.high.truncate(other.high.len());
        for (word, kept) in self.high.iter_mut().zip(&other.high) {
            *word &= kept;
        }
        self.trim();
    }

    /// Removes all members of `other`.
    pub fn subtract(&mut self, other: &Self) {
        self.low &= !other.low;
        for (word, removed) in self.high.iter_mut().zip(&other.high) {
            *word &= !removed;
        }
        self.trim();
    }

    /// The union of two sets.
    pub fn union(&self, other: &Self) -> Self {
        let mut result = self.clone();
        result.union_with(other);
        result
    }

    /// The members, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        self.words().enumerate().flat_map(|(index, word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                Some(I::from_position(index * 64 + bit))
            })
        })
    }

    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.low).chain(self.high.iter().copied())
    }

    fn word(&self, index: usize) -> u64 {
        if index == 0 { self.low } else { self.high.get(index - 1).copied().unwrap_or(0) }
    }

    fn trim(&mut self) {
        while self.high.last() == Some(&0) {
            self.high.pop();
        }
    }
}

impl<I: TypedIndex> FromIterator<I> for BitSet<I> {
    fn from_iter<T: IntoIterator<Item = I>>(members: T) -> Self {
        let mut set = BitSet::new();
        for member in members {
            set.insert(member);
        }
        set
    }
}

// Written by hand because derives would ask the same of the index type, which is only a phantom here.
impl<I> Clone for BitSet<I> {
    fn clone(&self) -> Self {
        BitSet { low: self.low, high: self.high.clone(), kind: PhantomData }
    }
}
impl<I: TypedIndex> Default for BitSet<I> {
    fn default() -> Self {
        BitSet::new()
    }
}
impl<I> PartialEq for BitSet<I> {
    fn eq(&self, other: &Self) -> bool {
        self.low == other.low && self.high == other.high
    }
}
impl<I> Eq for BitSet<I> {}
impl<I> Hash for BitSet<I> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.low.hash(state);
        self.high.hash(state);
    }
}
impl<I> PartialOrd for BitSet<I> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<I> Ord for BitSet<I> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (&self.high, self.low).cmp(&(&other.high, other.low))
    }
}
impl<I: TypedIndex> fmt::Debug for BitSet<I> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.iter().map(|member| member.position())).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_beyond_the_first_word_are_kept_and_forgotten() {
        let mut set: Letter = [3, 64, 200].into_iter().map(PropositionId).collect();
        assert_eq!(set.len(), 3);
        assert_eq!(set.iter().map(|member| member.0).collect::<Vec<_>>(), [3, 64, 200]);
        assert_eq!(set.as_word(), None);
        set.remove(PropositionId(200));
        set.remove(PropositionId(64));
        assert_eq!(set, Letter::from_low_word(8), "equal sets have equal words");
        assert!(!set.contains(PropositionId(200)));
    }

    #[test]
    fn set_operations_work_across_words() {
        let left = Letter::first(130);
        let right: Letter = [1, 129, 300].into_iter().map(PropositionId).collect();
        let mut both = right.clone();
        both.intersect_with(&left);
        assert_eq!(both.iter().map(|member| member.0).collect::<Vec<_>>(), [1, 129]);
        assert!(both.is_subset(&left) && both.is_subset(&right) && !right.is_subset(&left));
        let mut rest = right.clone();
        rest.subtract(&left);
        assert_eq!(rest.iter().map(|member| member.0).collect::<Vec<_>>(), [300]);
        assert!(!rest.intersects(&left));
        assert_eq!(left.union(&right).len(), 131);
    }
}
