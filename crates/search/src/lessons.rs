//! What threads tell each other about steps that they had to compute.
//!
//! Every thread remembers steps for itself, so that remembering needs no locks. A thread that meets something unknown first
//! reads what the others have computed meanwhile: mostly they have met it already.

use crate::budget::{Account, Budget};
use crate::parts::PartId;
use crate::rows::MoveInfo;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// What was computed under one layout, the newest last.
#[derive(Debug)]
pub struct Lessons<const N: usize> {
    list: Mutex<List<N>>,
    account: Account,
}

/// A computation: the arguments of [`crate::rows::Rows::remember`].
#[derive(Clone, Debug)]
pub struct Lesson<const N: usize> {
    /// Which process, or pair of them.
    pub line: u32,
    /// Its local state.
    pub number: u32,
    /// The state.
    pub state: [u64; N],
    /// The parts that were touched.
    pub touched: Box<[PartId]>,
    /// The moves.
    pub moves: Box<[([u64; N], MoveInfo)]>,
    /// Whether they are enough.
    pub ample: bool,
}

#[derive(Debug, Default)]
struct List<const N: usize> {
    lessons: VecDeque<Lesson<N>>,
    /// How many were dropped.
    dropped: usize,
    bytes: usize,
}

/// Older lessons are dropped; whoever has not read them computes for himself.
const MOST_LESSONS: usize = 1 << 14;
/// The same for their bytes.
const MOST_BYTES: usize = 4 << 20;

impl<const N: usize> Lesson<N> {
    fn bytes(&self) -> usize {
        size_of::<Lesson<N>>() + size_of_val(&*self.touched) + size_of_val(&*self.moves) + 32
    }
}

impl<const N: usize> Lessons<N> {
    /// No lessons.
    pub fn new(budget: &Arc<Budget>) -> Lessons<N> {
        Lessons { list: Mutex::default(), account: Account::new(budget) }
    }

    /// Calls `learn` with all lessons from number `from` on that are still there; the number of the next one.
    pub fn read(&self, from: usize, mut learn: impl FnMut(&Lesson<N>)) -> usize {
        let list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let first = from.saturating_sub(list.dropped);
        list.lessons.range(first.min(list.lessons.len())..).for_each(&mut learn);
        list.dropped + list.lessons.len()
    }

    /// Adds a lesson; the number of the next one.
    pub fn teach(&self, lesson: Lesson<N>) -> usize {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        while list.lessons.len() == MOST_LESSONS || list.bytes > MOST_BYTES {
            let oldest = list.lessons.pop_front();
            list.bytes -= oldest.map_or(list.bytes, |oldest| oldest.bytes());
            list.dropped += 1;
        }
        list.bytes += lesson.bytes();
        list.lessons.push_back(lesson);
        self.account.set(list.bytes);
        list.dropped + list.lessons.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_gets_what_is_new_and_still_there() {
        let lessons = Lessons::<1>::new(&Budget::new(None));
        let lesson = |number: usize| Lesson {
            line: 0,
            number: number as u32,
            state: [0],
            touched: Box::default(),
            moves: Box::default(),
            ample: false,
        };
        assert_eq!((lessons.teach(lesson(0)), lessons.teach(lesson(1))), (1, 2));
        let mut read = Vec::new();
        assert_eq!(lessons.read(1, |lesson| read.push(lesson.number)), 2);
        assert_eq!(read, [1]);
        for number in 2..MOST_LESSONS + 3 {
            lessons.teach(lesson(number));
        }
        read.clear();
        assert_eq!(lessons.read(2, |lesson| read.push(lesson.number)), MOST_LESSONS + 3);
        assert_eq!((read.len(), read[0]), (MOST_LESSONS, 3));
        assert_eq!(lessons.read(MOST_LESSONS + 3, |_| unreachable!("nothing is new")), MOST_LESSONS + 3);
    }
}
