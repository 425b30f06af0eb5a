//! Values in one list, each with a number by the order in which they came.
//!
//! A value is some machine words. All of them stand one after another in a single list, and a table with open addressing holds nothing but
//! their numbers: a value is compared where it stands. A map from values to numbers has each value twice, in pieces of memory of
//! their own; where a component has hundreds of thousands of values, making and finding those pieces was most of what a new value cost.

use foldhash::fast::FixedState;
use std::hash::BuildHasher;

/// Values and their numbers.
#[derive(Debug)]
pub struct Numbered {
    /// How many words each value has, if all have as many.
    length: Option<usize>,
    words: Vec<i32>,
    /// By number: where the value ends; empty where all have as many words.
    ends: Vec<usize>,
    /// How many there are.
    count: u32,
    /// One more than a number, or 0 where nothing is; as many as a power of two, and never full.
    slots: Box<[u32]>,
}

/// Slots of a table that has something in it, at first.
const FIRST_SLOTS: usize = 8;
/// Values up to this many words are compared one by one: calling somebody for it costs more.
const SHORT: usize = 8;

impl Numbered {
    /// No values yet. With `length` all of them will have that many words.
    pub fn new(length: Option<usize>) -> Numbered {
        Numbered { length, words: Vec::new(), ends: Vec::new(), count: 0, slots: Box::default() }
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// The value with a number.
    #[inline]
    pub fn value(&self, number: u32) -> &[i32] {
        let number = number as usize;
        match self.length {
            Some(length) => &self.words[number * length..][..length],
            None => {
                &self.words[number.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[number]]
            }
        }
    }

    /// The number of a value, which is added if it was not met.
    #[inline]
    pub fn number(&mut self, value: &[i32]) -> u32 {
        debug_assert!(self.length.is_none_or(|length| length == value.len()), "all are as long");
        match self.search(value) {
            Ok(number) => number,
            Err(free) => self.add(value, free),
        }
    }

    /// Bytes that it takes. Nobody can be told when a value is added that memory ends, so the next table is among them, which is
    /// twice as large and is there together with this one while it is filled.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<i32>()
            + self.ends.capacity() * size_of::<usize>()
            + 3 * size_of_val(&*self.slots)
    }

    /// The number of a value, or else the slot where it belongs, if there are slots.
    #[inline]
    fn search(&self, value: &[i32]) -> Result<u32, usize> {
        let Some(last) = self.slots.len().checked_sub(1) else { return Err(0) };
        let mut slot = hash(value) & last;
        // Ends because a table is never full.
        while let Some(number) = self.slots[slot].checked_sub(1) {
            if is_same(self.value(number), value) {
                return Ok(number);
            }
            slot = (slot + 1) & last;
        }
        Err(slot)
    }

    fn add(&mut self, value: &[i32], free: usize) -> u32 {
        let number = self.count;
        self.count += 1;
        self.words.extend_from_slice(value);
        if self.length.is_none() {
            self.ends.push(self.words.len());
        }
        // Up to three of four slots are taken.
        if self.len() * 4 > self.slots.len() * 3 {
            self.grow();
        } else {
            self.slots[free] = self.count;
        }
        number
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(FIRST_SLOTS);
        let mut slots = vec![0; size].into_boxed_slice();
        for number in 0..self.count {
            // All are different: nothing needs to be compared.
            let mut slot = hash(self.value(number)) & (size - 1);
            while slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            slots[slot] = number + 1;
        }
        self.slots = slots;
    }
}

#[inline]
fn hash(value: &[i32]) -> usize {
    let state = FixedState::default();
    match *value {
        [word] => state.hash_one(word) as usize,
        _ => state.hash_one(value) as usize,
    }
}

/// Whether two values are the same.
#[inline]
pub fn is_same(left: &[i32], right: &[i32]) -> bool {
    match left.len() == right.len() {
        true if left.len() <= SHORT => left.iter().zip(right).all(|(left, right)| left == right),
        true => left == right,
        false => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbered_as_they_come_and_found_again() {
        let mut values = Numbered::new(Some(2));
        for round in 0..2 {
            for number in 0..10_000u32 {
                assert_eq!(values.number(&[number as i32 % 100, number as i32]), number, "round {round}");
            }
        }
        assert_eq!(values.len(), 10_000);
        assert_eq!((values.number(&[17, 4_217]), values.number(&[18, 4_217])), (4_217, 10_000));
        assert_eq!(values.value(9_999), [99, 9_999]);
    }

    #[test]
    fn values_of_different_lengths_are_different_also_where_one_begins_like_the_other() {
        let mut values = Numbered::new(None);
        let all: Vec<Vec<i32>> = (0..40).map(|length| vec![-1; length]).collect();
        for (number, value) in all.iter().enumerate() {
            assert_eq!(values.number(value), number as u32);
        }
        for (number, value) in all.iter().enumerate() {
            assert_eq!((values.number(value), values.value(number as u32)), (number as u32, &**value));
        }
    }

    #[test]
    fn bytes_are_what_the_lists_have_place_for_and_a_table_of_twice_the_size() {
        let mut values = Numbered::new(Some(1));
        assert_eq!(values.bytes(), 0);
        for value in 0..7 {
            values.number(&[value]);
        }
        // Seven of eight would be more than three of four.
        assert_eq!(values.slots.len(), 16);
        assert_eq!(values.bytes(), 4 * values.words.capacity() + 3 * 4 * 16);
        let mut values = Numbered::new(None);
        values.number(&[1, 2, 3]);
        assert_eq!(values.bytes(), 4 * values.words.capacity() + 8 * values.ends.capacity() + 3 * 4 * 8);
    }
}
