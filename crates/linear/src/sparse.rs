//! Sparse storage: many short lists of `(index, value)` in one allocation, and index sets that are cheap to empty.

use crate::scalar::Scalar;

/// Lists of `(index, value)` pairs, numbered from zero, stored one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Lists<S> {
    starts: Vec<usize>,
    entries: Vec<(u32, S)>,
}

impl<S: Clone> Lists<S> {
    pub(crate) fn new() -> Lists<S> {
        Lists { starts: vec![0], entries: Vec::new() }
    }

    /// Adds an entry to the list that is being written.
    #[inline]
    pub(crate) fn push(&mut self, index: usize, value: S) {
        self.entries.push((index as u32, value));
    }

    /// Ends the list that is being written.
    pub(crate) fn finish(&mut self) {
        self.starts.push(self.entries.len());
    }

    #[inline]
    pub(crate) fn get(&self, list: usize) -> &[(u32, S)] {
        &self.entries[self.starts[list]..self.starts[list + 1]]
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn entry_count(&self) -> usize {
        self.entries.len()
    }

    /// The same entries by their index: list `i` of the result holds `(l, value)` for each `(i, value)` in list `l`.
    pub(crate) fn transposed(&self, width: usize) -> Lists<S> {
        let mut starts = vec![0usize; width + 1];
        for (index, _) in &self.entries {
            starts[*index as usize + 1] += 1;
        }
        for index in 0..width {
            starts[index + 1] += starts[index];
        }
        let mut order: Vec<(u32, u32)> = vec![(0, 0); self.entries.len()];
        let mut next = starts.clone();
        for list in 0..self.len() {
            for position in self.starts[list]..self.starts[list + 1] {
                let slot = &mut next[self.entries[position].0 as usize];
                order[*slot] = (list as u32, position as u32);
                *slot += 1;
            }
        }
        let entries = order
            .into_iter()
            .map(|(list, position)| (list, self.entries[position as usize].1.clone()))
            .collect();
        Lists { starts, entries }
    }
}

/// A set of small integers with constant-time insertion and removal that can be walked in the order of insertion.
#[derive(Clone, Debug)]
pub(crate) struct IndexSet {
    members: Vec<u32>,
    /// Position in `members`, or `ABSENT`.
    place: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

impl IndexSet {
    pub(crate) fn new(universe: usize) -> IndexSet {
        IndexSet { members: Vec::new(), place: vec![ABSENT; universe] }
    }

    /// Adds a member; says whether it is new.
    #[inline]
    pub(crate) fn insert(&mut self, index: usize) -> bool {
        let is_new = self.place[index] == ABSENT;
        if is_new {
            self.place[index] = self.members.len() as u32;
            self.members.push(index as u32);
        }
        is_new
    }

    #[inline]
    pub(crate) fn set(&mut self, index: usize, present: bool) {
        if present {
            self.insert(index);
        } else if self.place[index] != ABSENT {
            let place = std::mem::replace(&mut self.place[index], ABSENT);
            self.members.swap_remove(place as usize);
            if let Some(moved) = self.members.get(place as usize) {
                self.place[*moved as usize] = place;
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        for member in self.members.drain(..) {
            self.place[member as usize] = ABSENT;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    #[inline]
    pub(crate) fn members(&self) -> &[u32] {
        &self.members
    }
}

/// A dense vector that can be walked and emptied in the time of its support: every entry outside of the support is
/// zero (entries within may be zero as well).
#[derive(Clone, Debug)]
pub(crate) struct Scattered<S> {
    pub(crate) values: Vec<S>,
    pub(crate) support: IndexSet,
}

impl<S: Scalar> Scattered<S> {
    pub(crate) fn zeros(length: usize) -> Scattered<S> {
        Scattered { values: vec![S::zero(); length], support: IndexSet::new(length) }
    }

    pub(crate) fn from_dense(values: Vec<S>) -> Scattered<S> {
        let mut support = IndexSet::new(values.len());
        for (index, value) in values.iter().enumerate() {
            if !value.is_zero() {
                support.insert(index);
            }
        }
        Scattered { values, support }
    }

    pub(crate) fn set(&mut self, index: usize, value: S) {
        self.values[index] = value;
        self.support.insert(index);
    }

    pub(crate) fn clear(&mut self) {
        for index in self.support.members() {
            self.values[*index as usize] = S::zero();
        }
        self.support.clear();
    }

    /// Replaces rounding noise by zeros.
    pub(crate) fn settle(&mut self) {
        for index in self.support.members() {
            self.values[*index as usize].settle();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_twice_gives_the_same_lists() {
        let mut lists = Lists::new();
        lists.push(2, 5);
        lists.push(0, 7);
        lists.finish();
        lists.finish();
        lists.push(2, 9);
        lists.finish();
        let transposed = lists.transposed(3);
        assert_eq!(transposed.get(2), &[(0, 5), (2, 9)]);
        assert_eq!(transposed.get(1), &[]);
        assert_eq!(transposed.transposed(3).get(0), &[(0, 7), (2, 5)]);
    }

    #[test]
    fn index_set_keeps_its_places_after_removal() {
        let mut set = IndexSet::new(5);
        for index in [4, 1, 3] {
            set.set(index, true);
        }
        set.set(4, false);
        set.set(4, false);
        set.set(0, true);
        let mut members = set.members().to_vec();
        members.sort_unstable();
        assert_eq!(members, vec![0, 1, 3]);
        set.clear();
        assert!(set.is_empty());
    }
}
