//! A piece of a table that is allocated at once.

use super::geometry::Geometry;
use super::slot::{Slot, Written};
use super::{FURTHEST, LINE_BYTES, LINE_WORDS};
use crate::packed::word_array::WordArray;
use foldhash::quality::FixedState;
use std::collections::HashSet;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};

/// Lines of one allocation: the elements whose hashes begin with the same bits.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) words: WordArray,
    /// First word of the first line.
    pub(super) origin: usize,
    pub(super) lines: usize,
    /// Elements that found no place near their home, by hash and extra.
    pub(super) aside: Mutex<HashSet<(u64, u64), FixedState>>,
}

impl Segment {
    pub(super) fn new(geometry: &Geometry) -> Segment {
        const HUGE_PAGE: usize = 2 << 20;
        let lines = geometry.lines_of_segment();
        let alignment = if lines * LINE_BYTES > HUGE_PAGE { HUGE_PAGE } else { LINE_BYTES };
        // What the alignment leaves over is never touched, so it takes no memory.
        let words = WordArray::zeroed(lines * LINE_WORDS + alignment / 8);
        let origin = words.first_at_multiple_of(alignment).min(alignment / 8);
        Segment { words, origin, lines, aside: Mutex::default() }
    }

    #[inline(always)]
    pub(super) fn line(&self, line: usize) -> &[AtomicU64; LINE_WORDS] {
        let start = self.origin + line * LINE_WORDS;
        self.words[start..].first_chunk::<LINE_WORDS>().expect("there is a line for every home")
    }

    pub(super) fn aside(&self) -> std::sync::MutexGuard<'_, HashSet<(u64, u64), FixedState>> {
        self.aside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline(always)]
    pub(super) fn try_insert<S: Slot, const BYTES: usize, const SHARED: bool>(
        &self,
        home: usize,
        at_home: S,
        known: Known,
    ) -> Placed {
        let (mut line, mut wanted) = (home, at_home);
        let mut distance = 0;
        loop {
            let words = self.line(line);
            for slot in 0..LINE_BYTES / BYTES {
                let value = S::read::<BYTES, SHARED>(words, slot);
                if known == Known::Perhaps && value == wanted {
                    return Placed::Found;
                }
                if value == S::FREE {
                    match wanted.write::<BYTES, SHARED>(words, slot) {
                        Written::Yes => return Placed::Added,
                        Written::BySomebodyElse(other) if known == Known::Perhaps && other == wanted => {
                            return Placed::Found;
                        }
                        Written::BySomebodyElse(_) => {}
                    }
                }
            }
            if distance == FURTHEST {
                return Placed::NoRoomNearHome;
            }
            distance += 1;
            wanted = wanted.one_further();
            line = if line + 1 == self.lines { 0 } else { line + 1 };
        }
    }

    /// Calls `visit` with every element that lies in some lines: home line, rest of the hash, extra.
    #[inline(always)]
    pub(super) fn for_each_slot<S: Slot, const BYTES: usize>(
        &self,
        lines: std::ops::Range<usize>,
        rest_bits: u32,
        mut visit: impl FnMut(usize, u64, u64),
    ) {
        for line in lines {
            let words = self.line(line);
            for slot in 0..LINE_BYTES / BYTES {
                let value = S::read::<BYTES, false>(words, slot);
                if value == S::FREE {
                    break;
                }
                let (distance, rest, extra) = value.contents(rest_bits);
                let distance = distance as usize;
                visit(
                    if distance <= line { line - distance } else { line + self.lines - distance },
                    rest,
                    extra,
                );
            }
        }
    }
}

pub(super) enum Placed {
    Found,
    Added,
    NoRoomNearHome,
    TableIsFull,
}

/// Whether an element may be in the table already.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    Perhaps,
    No,
}
