//! Several files of states as one.

use super::Trouble;
use super::run::RunReader;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;

/// The states of several files in rising order, each once.
pub struct Merged<const N: usize> {
    readers: Vec<RunReader>,
    next: BinaryHeap<Reverse<([u64; N], usize)>>,
}

impl<const N: usize> Merged<N> {
    /// Of these files.
    pub fn open<'p>(paths: impl Iterator<Item = &'p Path>, key: u64) -> Result<Merged<N>, Trouble> {
        let mut merged = Merged { readers: Vec::new(), next: BinaryHeap::new() };
        for path in paths {
            merged.readers.push(RunReader::open(path, key, N)?);
            merged.advance(merged.readers.len() - 1)?;
        }
        Ok(merged)
    }

    /// The next state.
    pub fn next(&mut self) -> Result<Option<[u64; N]>, Trouble> {
        let Some(Reverse((state, reader))) = self.next.pop() else { return Ok(None) };
        self.advance(reader)?;
        while let Some(Reverse((same, reader))) = self.next.peek() {
            if *same != state {
                break;
            }
            let reader = *reader;
            self.next.pop();
            self.advance(reader)?;
        }
        Ok(Some(state))
    }

    fn advance(&mut self, reader: usize) -> Result<(), Trouble> {
        if let Some(state) = self.readers[reader].next()? {
            let mut words = [0; N];
            words.copy_from_slice(state);
            self.next.push(Reverse((words, reader)));
        }
        Ok(())
    }
}
