//! The states of one level of a breadth-first search, dealt out to threads in chunks.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The states of one level.
#[derive(Debug)]
pub struct Level<const N: usize> {
    /// The states, as the threads of the level before have found them.
    segments: Vec<Vec<[u64; N]>>,
    chunks: Vec<Chunk>,
    /// The first chunk that nobody has taken.
    next: AtomicUsize,
    /// Where this round ends.
    end: usize,
    stopped: AtomicBool,
}

/// Neighbouring states of a level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunk {
    segment: usize,
    range: Range<usize>,
}

/// States of a chunk: many, so that taking one costs nothing; few, so that threads end at about the same time.
const CHUNK: usize = 1 << 9;

impl<const N: usize> Level<N> {
    /// A level with these states, of which no chunk is taken.
    pub fn new(segments: Vec<Vec<[u64; N]>>) -> Level<N> {
        let mut chunks = Vec::new();
        for (segment, states) in segments.iter().enumerate() {
            let starts = (0..states.len()).step_by(CHUNK);
            chunks
                .extend(starts.map(|start| Chunk { segment, range: start..states.len().min(start + CHUNK) }));
        }
        Level { segments, chunks, next: AtomicUsize::new(0), end: 0, stopped: AtomicBool::new(false) }
    }

    /// How many states nobody has taken.
    pub fn waiting(&self) -> usize {
        self.chunks[self.position()..].iter().map(|chunk| chunk.range.len()).sum()
    }

    /// Bytes of memory for the states.
    pub fn bytes(&self) -> usize {
        self.segments.iter().map(|states| states.capacity() * 8 * N).sum()
    }

    /// Lets threads take so many more states, roughly.
    pub fn begin_round(&mut self, states: usize) {
        self.end = self.chunks.len().min(self.position() + states.div_ceil(CHUNK));
        self.stopped = AtomicBool::new(false);
    }

    /// Takes a chunk, unless the round is over.
    pub fn take(&self) -> Option<Chunk> {
        if self.is_stopped() {
            return None;
        }
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        self.chunks[..self.end].get(index).cloned()
    }

    /// The round is over; what was taken but not expanded waits on.
    pub fn end_round(&mut self, unfinished: impl Iterator<Item = Chunk>) {
        let mut position = self.position();
        for chunk in unfinished {
            // It was taken from before this place, so there is a place for it.
            position -= 1;
            self.chunks[position] = chunk;
        }
        self.next = AtomicUsize::new(position);
    }

    /// Asks all threads to end the round.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has asked to end the round.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// The states of a chunk.
    #[inline(always)]
    pub fn states(&self, chunk: &Chunk) -> &[[u64; N]] {
        &self.segments[chunk.segment][chunk.range.clone()]
    }

    /// All states that nobody has taken.
    pub fn into_waiting(self) -> Vec<[u64; N]> {
        let chunks = &self.chunks[self.position()..];
        chunks.iter().flat_map(|chunk| self.states(chunk)).copied().collect()
    }

    /// The first chunk that nobody has taken: asking for one when the round is over counts on.
    fn position(&self) -> usize {
        self.next.load(Ordering::Relaxed).min(self.end)
    }
}

impl Chunk {
    /// The chunk without its first states.
    pub fn without_first(&self, states: usize) -> Chunk {
        Chunk { range: self.range.start + states..self.range.end, ..self.clone() }
    }

    /// The first states of a chunk.
    pub fn first(&self, states: usize) -> Chunk {
        Chunk { range: self.range.start..self.range.start + states, ..self.clone() }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_back_is_given_out_again_and_nothing_twice() {
        let states = |range: Range<u64>| range.map(|number| [number]).collect::<Vec<[u64; 1]>>();
        let mut level = Level::new(vec![states(0..1000), states(1000..1001), Vec::new(), states(1001..3000)]);
        let mut seen = Vec::new();
        assert_eq!(level.waiting(), 3000);
        while level.waiting() > 0 {
            level.begin_round(1100);
            let mut unfinished = Vec::new();
            while let Some(chunk) = level.take() {
                // Of every chunk of the first round, only a half is done.
                let done = if seen.len() < 500 {
                    level.states(&chunk).len().div_ceil(2)
                } else {
                    level.states(&chunk).len()
                };
                seen.extend(level.states(&chunk.first(done)).iter().map(|state| state[0]));
                unfinished.extend(Some(chunk.without_first(done)).filter(|rest| !rest.is_empty()));
            }
            level.end_round(unfinished.into_iter());
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..3000).collect::<Vec<u64>>());
    }
}
