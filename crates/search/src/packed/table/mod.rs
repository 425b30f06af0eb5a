//! A set of integers that does not store what the place of an element already says (a quotient table).
//!
//! A key of `key_bits` bits goes through a bijection. The upper part of the result chooses a line of 64 bytes, the rest
//! is stored there, together with how many lines further than its home the element had to go. Nothing is lost:
//! every key can be computed back from its place, so the set is exact.
//!
//! Keys of more than 64 bits have an *extra*: it takes part in the bijection (a different one for each extra) and is stored in full.
//!
//! The lines lie in **segments** of a few megabytes, and the number of lines is any number of eighths of a power of two ([`Geometry`]). Elements
//! of a larger table lie in the same order as in a smaller one, so a table grows one segment after another: there are never two
//! tables at once. It doubles as long as memory is plentiful, and then grows by as little as an eighth, so that it is mostly more than four fifths full.
//! (Linear hashing splits one bucket at a time instead; but those that are not split yet are twice as full as the others, so that an exact
//! fill of nine tenths in one half means seven tenths on the average.)
//!
//! Several threads may add keys at the same time. Only growing needs the table for itself, so adding may fail for want of room.
//!
//! Invariants:
//! - an element lies in the first line of its segment, counted from its home line, that had room when it came; nothing is ever removed.
//!   So a search may stop at the first line that is not full, and two threads that add the same element meet in the same slot;
//! - a slot that is zero is free: the stored distance is one more than the real one, hence never zero;
//! - `1 + distance` is less than [`BEING_WRITTEN`]; an element that would have to go further is kept aside, and when there are many
//!   of them the table grows. All lines that such an element could lie in are full, and stay so;
//! - a slot may reach into further words. Its first word, with the distance, is written last and read first, so whoever sees a
//!   distance sees the rest as well. The slot is claimed before by the distance [`BEING_WRITTEN`].

mod geometry;
mod segment;
mod slot;

use crate::budget::{Account, Budget, MemoryEnds};
use crate::threads::team::for_each_member;
use geometry::{Geometry, Home};
use segment::{Known, Placed, Segment};
use slot::Slot;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Bits of a slot that tell how far from its home line the element lies.
const DISTANCE_BITS: u32 = 4;
/// In place of a distance: somebody is about to write this slot.
const BEING_WRITTEN: u64 = (1 << DISTANCE_BITS) - 1;
/// Largest distance that can be stored.
const FURTHEST: u64 = BEING_WRITTEN - 2;
/// A line is a cache line: eight words.
const LINE_WORDS: usize = 8;
const LINE_BYTES: usize = LINE_WORDS * 8;
/// The least number of bits of a key; shorter keys are treated as if they had zeros in front.
const LEAST_KEY_BITS: u32 = 16;
/// The table grows when one element of so many had to be kept aside.
const ONE_ASIDE_OF: usize = 64;
/// Bytes of an element that is kept aside, in a hash set that is half full.
const ASIDE_BYTES: usize = 2 * 17;
/// Segments have 8 to 15 times two to the power of this many lines, unless there is only one: 4 to 8 megabytes. Large enough for huge
/// pages, small beside the whole.
const SEGMENT_GROUP_BITS: u32 = 13;
/// Lines that are visited as one piece: those of a huge page, or, in a small table, a few.
const PIECE_LINES: usize = 1 << 15;
const SMALL_PIECE_LINES: usize = 1 << 10;
/// Groups of lines of an empty table: 2 to the power of this.
const FIRST_GROUP_BITS: u32 = 3;
/// A group has at least this many lines, and less than twice as many.
const FEWEST_GROUP_LINES: usize = 8;
/// Bits of a hash below its group that choose the line in the group; more would spread elements more evenly.
const LINE_BITS: u32 = 10;

/// An exact set of keys, each smaller than two to the power of `key_bits`, and their extras.
#[derive(Debug)]
pub struct QuotientTable {
    geometry: Geometry,
    segments: Vec<Segment>,
    length: AtomicUsize,
    /// An element found no room.
    refused: AtomicBool,
    account: Account,
}

/// There is no room for some element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoRoom;

/// Who may use a table at the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Users {
    /// One thread only, which saves it some work.
    One,
    /// Several threads.
    Several,
}

/// Evaluates an expression in which `S` is the type and `BYTES` the size of slots of so many bytes.
macro_rules! with_slots {
    ($slot_bytes:expr, $expression:expr) => {
        match $slot_bytes {
            2 => with_slots!(u64, 2, $expression),
            3 => with_slots!(u64, 3, $expression),
            4 => with_slots!(u64, 4, $expression),
            5 => with_slots!(u64, 5, $expression),
            6 => with_slots!(u64, 6, $expression),
            7 => with_slots!(u64, 7, $expression),
            8 => with_slots!(u64, 8, $expression),
            9 => with_slots!(u128, 9, $expression),
            10 => with_slots!(u128, 10, $expression),
            12 => with_slots!(u128, 12, $expression),
            _ => with_slots!(u128, 16, $expression),
        }
    };
    ($slot:ty, $bytes:literal, $expression:expr) => {{
        type S = $slot;
        const BYTES: usize = $bytes;
        $expression
    }};
}

impl QuotientTable {
    /// An empty set of keys of so many bits, each with an extra of so many bits. Keys with extras have 64. There is room for that many
    /// keys, or for few if the budget does not allow it.
    pub fn with_room(key_bits: u32, extra_bits: u32, keys: usize, budget: &Arc<Budget>) -> QuotientTable {
        let smallest = Geometry::smallest(key_bits, extra_bits);
        let wanted = smallest.with_room(keys);
        let geometry = if budget.allows(wanted.bytes()) { wanted } else { smallest };
        let account = Account::new(budget);
        account.set(geometry.bytes());
        QuotientTable {
            geometry,
            segments: (0..geometry.segments()).map(|_| Segment::new(&geometry)).collect(),
            length: AtomicUsize::new(0),
            refused: AtomicBool::new(false),
            account,
        }
    }

    /// How many keys it holds.
    pub fn len(&self) -> usize {
        self.length.load(Ordering::Relaxed)
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        let aside: usize = self.segments.iter().map(|segment| segment.aside().capacity()).sum();
        self.geometry.bytes() + aside * ASIDE_BYTES
    }

    /// The image of a key under the bijection of its extra; to be handed to the other methods.
    #[inline(always)]
    pub fn hash(&self, key: u64, extra: u64) -> u64 {
        mix(key.wrapping_add(extra.wrapping_mul(EXTRA_FACTOR)), self.geometry.key_bits)
    }

    /// Asks the processor to fetch the line of this hash.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        let home = self.geometry.home(hash);
        let segment = &self.segments[home.segment];
        segment.words.prefetch(segment.origin + home.line * LINE_WORDS);
    }

    /// Adds keys, given by their hashes and extras, and appends the indices of those that were not there before. If there is no
    /// room for one of them, those after it are not added either. Not inlined: it is one call for a batch, and large.
    #[inline(never)]
    pub fn insert_all(
        &self,
        users: Users,
        hashes: &[u64],
        extra: impl Fn(usize) -> u64,
        new: &mut Vec<u32>,
    ) -> Result<(), NoRoom> {
        let done = match users {
            Users::One => self.insert_elements::<false>(hashes, &extra, new),
            Users::Several => self.insert_elements::<true>(hashes, &extra, new),
        };
        if done == hashes.len() { Ok(()) } else { Err(NoRoom) }
    }

    /// Whether it is too full, or refused an element.
    pub fn wants_room(&self) -> bool {
        self.refused.load(Ordering::Relaxed) || self.len() > self.geometry.limit()
    }

    /// Adds keys as long as there is room; how many of them were handled.
    #[inline(always)]
    fn insert_elements<const SHARED: bool>(
        &self,
        hashes: &[u64],
        extra: &impl Fn(usize) -> u64,
        new: &mut Vec<u32>,
    ) -> usize {
        with_slots!(self.geometry.slot_bytes, self.insert_into::<S, BYTES, SHARED>(hashes, extra, new))
    }

    fn insert_into<S: Slot, const BYTES: usize, const SHARED: bool>(
        &self,
        hashes: &[u64],
        extra: &impl Fn(usize) -> u64,
        new: &mut Vec<u32>,
    ) -> usize {
        let geometry = &self.geometry;
        let room = (geometry.limit() + 1).saturating_sub(self.len());
        let before = new.len();
        let mut done = hashes.len();
        for (index, &hash) in hashes.iter().enumerate() {
            let home = geometry.home(hash);
            let mut placed = match new.len() - before < room {
                true => self.segments[home.segment].try_insert::<S, BYTES, SHARED>(
                    home.line,
                    S::first(home.rest, extra(index), geometry.rest_bits()),
                    Known::Perhaps,
                ),
                false => Placed::TableIsFull,
            };
            if let Placed::NoRoomNearHome = placed {
                placed = self.put_aside(home.segment, hash, extra(index));
            }
            match placed {
                Placed::Found => {}
                Placed::Added => new.push(index as u32),
                Placed::NoRoomNearHome | Placed::TableIsFull => {
                    self.refused.store(true, Ordering::Relaxed);
                    done = index;
                    break;
                }
            }
        }
        let added = new.len() - before;
        if SHARED {
            self.length.fetch_add(added, Ordering::Relaxed);
        } else {
            self.length.store(self.len() + added, Ordering::Relaxed);
        }
        done
    }

    fn lines_of_piece(&self) -> usize {
        if self.geometry.segments() > 1 { PIECE_LINES } else { SMALL_PIECE_LINES }
    }

    fn pieces_of_segment(&self) -> usize {
        self.geometry.lines_of_segment().div_ceil(self.lines_of_piece())
    }

    /// Into how many pieces [`QuotientTable::for_each_in`] cuts it.
    pub fn pieces(&self) -> usize {
        self.pieces_of_segment() * self.geometry.segments()
    }

    /// The segment that a piece lies in, and its lines there.
    fn piece(&self, piece: usize) -> (usize, std::ops::Range<usize>) {
        let (segment, piece) = (piece / self.pieces_of_segment(), piece % self.pieces_of_segment());
        let first = piece * self.lines_of_piece();
        (segment, first..(first + self.lines_of_piece()).min(self.geometry.lines_of_segment()))
    }

    /// Calls `visit` with every key, and its extra, of a piece. Nobody may be adding keys.
    pub fn for_each_in(&self, piece: usize, mut visit: impl FnMut(u64, u64)) {
        let (segment, lines) = self.piece(piece);
        self.for_each_hash_in(segment, lines, |hash, extra| {
            let key = unmix(hash, self.geometry.key_bits).wrapping_sub(extra.wrapping_mul(EXTRA_FACTOR));
            visit(key, extra);
        });
    }

    /// Gives the memory of a piece back, which nobody needs any more.
    pub fn release(&self, piece: usize) {
        let (segment, lines) = self.piece(piece);
        let Segment { words, origin, .. } = &self.segments[segment];
        words.release(origin + lines.start * LINE_WORDS..origin + lines.end * LINE_WORDS);
        self.account.give_back(lines.len() * LINE_BYTES);
    }

    /// Makes a larger table out of it, by so many threads. If the budget does not allow it, nothing is changed.
    #[cold]
    #[inline(never)]
    pub fn grow(&mut self, threads: usize) -> Result<(), MemoryEnds> {
        let old = self.geometry;
        let least = old.larger().unwrap_or(old);
        // As much as pays where that is a small part of what is left; where memory is short, as little as helps.
        for (more, component) in [(self.len(), 4), (self.len() / 5, 1), (0, 1)] {
            let geometry = least.with_room(self.len() + more);
            // While a thread moves the elements of a segment there is an old one and what it becomes.
            let at_once = geometry.bytes_of_segment().max(old.bytes_of_segment()) * threads.max(1);
            let needed = geometry.bytes().saturating_sub(old.bytes()) + at_once;
            if self.account.allows(component * needed) {
                self.grow_to(geometry, threads);
                return Ok(());
            }
        }
        Err(MemoryEnds)
    }

    fn grow_to(&mut self, geometry: Geometry, threads: usize) {
        let old = self.geometry;
        let mut shares: Vec<Vec<(usize, Segment)>> = Vec::new();
        let mut segments = std::mem::take(&mut self.segments).into_iter().enumerate().peekable();
        let share = old.segments().div_ceil(threads.max(1));
        while segments.peek().is_some() {
            shares.push(segments.by_ref().take(share).collect());
        }
        let moved = for_each_member(&mut shares, |share| {
            let segments =
                share.drain(..).flat_map(|(index, segment)| moved(index, segment, &old, &geometry));
            segments.collect::<Vec<Segment>>()
        });
        self.segments = moved.into_iter().flatten().collect();
        self.geometry = geometry;
        self.refused = AtomicBool::new(false);
        self.account.set(self.bytes());
    }

    #[cold]
    #[inline(never)]
    fn put_aside(&self, segment: usize, hash: u64, extra: u64) -> Placed {
        let mut aside = self.segments[segment].aside();
        if aside.contains(&(hash, extra)) {
            Placed::Found
        } else if aside.len() < self.len() / self.geometry.segments() / ONE_ASIDE_OF {
            aside.insert((hash, extra));
            Placed::Added
        } else {
            Placed::TableIsFull
        }
    }

    fn for_each_hash_in(
        &self,
        segment: usize,
        lines: std::ops::Range<usize>,
        mut visit: impl FnMut(u64, u64),
    ) {
        let (index, geometry, segment) = (segment, self.geometry, &self.segments[segment]);
        if lines.start == 0 {
            segment.aside().iter().for_each(|&(hash, extra)| visit(hash, extra));
        }
        let give = |line: usize, rest: u64, extra: u64| {
            visit(geometry.hash(Home { segment: index, line, rest }), extra);
        };
        with_slots!(geometry.slot_bytes, segment.for_each_slot::<S, BYTES>(lines, geometry.rest_bits(), give))
    }
}

/// What a segment becomes in a larger table. Its elements keep their order, so both are gone through from their beginning to their end.
fn moved(index: usize, segment: Segment, old: &Geometry, new: &Geometry) -> Vec<Segment> {
    let times = new.segments() / old.segments();
    let segments: Vec<Segment> = (0..times).map(|_| Segment::new(new)).collect();
    let mut batch = Vec::with_capacity(MOVED_AT_ONCE);
    let flush = |batch: &mut Vec<(u64, u64)>| {
        with_slots!(new.slot_bytes, place_all::<S, BYTES>(batch, &segments, index * times, new));
        batch.clear();
    };
    let mut give = |line: usize, rest: u64, extra: u64| {
        batch.push((old.hash(Home { segment: index, line, rest }), extra));
        if batch.len() == MOVED_AT_ONCE {
            flush(&mut batch);
        }
    };
    with_slots!(
        old.slot_bytes,
        segment.for_each_slot::<S, BYTES>(0..segment.lines, old.rest_bits(), &mut give)
    );
    batch.extend(segment.aside().drain());
    flush(&mut batch);
    segments
}

/// Elements that are read before they are placed.
const MOVED_AT_ONCE: usize = 256;

/// Adds different elements, given by their hashes and extras, to segments without them, of which the first has this index.
fn place_all<S: Slot, const BYTES: usize>(
    elements: &[(u64, u64)],
    segments: &[Segment],
    first: usize,
    geometry: &Geometry,
) {
    for &(hash, extra) in elements {
        let home = geometry.home(hash);
        let segment = &segments[home.segment - first];
        let slot = S::first(home.rest, extra, geometry.rest_bits());
        if let Placed::NoRoomNearHome = segment.try_insert::<S, BYTES, false>(home.line, slot, Known::No) {
            segment.aside().insert((hash, extra));
        }
    }
}

const FIRST_FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
const SECOND_FACTOR: u64 = 0xD6E8_FEB8_6659_FD93;
const EXTRA_FACTOR: u64 = 0xA24B_AED4_963E_E407;

/// A bijection on the numbers of `bits` bits: multiplications by odd numbers, and shifts by at least half the width, which
/// are their own inverse.
#[inline(always)]
fn mix(key: u64, bits: u32) -> u64 {
    let shift = bits.div_ceil(2);
    let mask = u64::MAX >> (64 - bits);
    let mut x = key;
    x ^= x >> shift;
    x = x.wrapping_mul(FIRST_FACTOR) & mask;
    x ^= x >> shift;
    x = x.wrapping_mul(SECOND_FACTOR) & mask;
    x ^ (x >> shift)
}

fn unmix(hash: u64, bits: u32) -> u64 {
    let shift = bits.div_ceil(2);
    let mask = u64::MAX >> (64 - bits);
    let mut x = hash;
    x ^= x >> shift;
    x = x.wrapping_mul(inverse(SECOND_FACTOR)) & mask;
    x ^= x >> shift;
    x = x.wrapping_mul(inverse(FIRST_FACTOR)) & mask;
    x ^ (x >> shift)
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration: each round doubles the number of correct bits.
const fn inverse(factor: u64) -> u64 {
    let mut x = factor;
    let mut round = 0;
    while round < 6 {
        x = x.wrapping_mul(2u64.wrapping_sub(factor.wrapping_mul(x)));
        round += 1;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn numbers(count: usize, bits: u32) -> Vec<u64> {
        let mut x = 0x1234_5678_9ABC_DEF1u64;
        (0..count)
            .map(|_| {
                x ^= x << 13;
                x ^= x >> 7;
                x ^= x << 17;
                x >> (64 - bits)
            })
            .collect()
    }

    #[test]
    fn the_bijection_can_be_undone_for_every_width() {
        for bits in LEAST_KEY_BITS..=64 {
            for key in numbers(50, bits) {
                assert_eq!(unmix(mix(key, bits), bits), key);
            }
        }
    }

    impl QuotientTable {
        fn insert(&mut self, hash: u64, extra: u64) -> bool {
            let mut new = Vec::new();
            while self.insert_all(Users::One, &[hash], |_| extra, &mut new).is_err() {
                assert!(self.wants_room());
                self.grow(1).expect("there is no limit");
            }
            !new.is_empty()
        }

        fn contents(&self) -> BTreeSet<(u64, u64)> {
            let mut found = BTreeSet::new();
            for piece in 0..self.pieces() {
                self.for_each_in(piece, |key, extra| assert!(found.insert((key, extra))));
            }
            found
        }
    }

    /// Several threads put overlapping sets in, in different orders; each key must be new exactly once.
    fn threads_agree(key_bits: u32, extra_bits: u32) {
        let keys = numbers(20_000, key_bits);
        let elements: Vec<(u64, u64)> =
            keys.iter().map(|&key| (key, (key >> 3) & ((1 << extra_bits) - 1))).collect();
        let mut table = QuotientTable::with_room(key_bits, extra_bits, 0, &Budget::new(None));
        let expected: BTreeSet<(u64, u64)> = elements.iter().copied().collect();
        let mut new = 0;
        for batch in elements.chunks(4000) {
            loop {
                let added = AtomicUsize::new(0);
                let full = AtomicBool::new(false);
                for_each_member(&mut [0, 1, 2], |index| {
                    let mut mine = batch.to_vec();
                    mine.rotate_left(*index * batch.len() / 7);
                    for component in mine.chunks(64) {
                        let hashes: Vec<u64> =
                            component.iter().map(|&(key, extra)| table.hash(key, extra)).collect();
                        let mut new = Vec::new();
                        let outcome =
                            table.insert_all(Users::Several, &hashes, |index| component[index].1, &mut new);
                        added.fetch_add(new.len(), Ordering::Relaxed);
                        full.fetch_or(outcome.is_err(), Ordering::Relaxed);
                    }
                });
                new += added.into_inner();
                if !full.into_inner() {
                    break;
                }
                table.grow(3).expect("there is no limit");
            }
        }
        assert_eq!(
            (new, table.len()),
            (expected.len(), expected.len()),
            "{key_bits} bits, {extra_bits} extra"
        );
        assert_eq!(table.contents(), expected);
    }

    #[test]
    fn threads_that_add_the_same_keys_agree_on_who_was_first() {
        for key_bits in [16, 20, 24, 30, 36, 44, 52, 60, 64] {
            threads_agree(key_bits, 0);
        }
        for extra_bits in [1, 8, 14, 22, 30, 50] {
            threads_agree(64, extra_bits);
        }
    }

    #[test]
    fn a_table_is_the_set_of_what_was_put_in() {
        for bits in [16, 17, 23, 32, 41, 48, 55, 63, 64] {
            let mut table = QuotientTable::with_room(bits, 0, 0, &Budget::new(None));
            let mut expected = BTreeSet::new();
            for key in numbers(60_000, bits) {
                assert_eq!(table.insert(table.hash(key, 0), 0), expected.insert(key));
            }
            assert_eq!(table.len(), expected.len());
            assert_eq!(table.contents(), expected.into_iter().map(|key| (key, 0)).collect());
        }
    }

    #[test]
    fn keys_with_extras_of_any_width_are_kept_apart() {
        for bits in [1, 5, 8, 14, 20, 27, 30, 38, 47, 58, 60, 64] {
            let mut table = QuotientTable::with_room(64, bits, 0, &Budget::new(None));
            let mut expected = BTreeSet::new();
            // Few different keys, so that often only the extra tells two elements apart.
            for (key, extra) in
                numbers(60_000, 11).into_iter().zip(numbers(120_000, bits).into_iter().skip(7))
            {
                let key = key.wrapping_mul(0x0123_4567_89AB_CDEF);
                assert_eq!(table.insert(table.hash(key, extra), extra), expected.insert((key, extra)));
            }
            assert_eq!(table.len(), expected.len());
            assert_eq!(table.contents(), expected);
        }
    }

    #[test]
    fn a_table_can_hold_every_number_of_its_width() {
        let mut table = QuotientTable::with_room(16, 0, 0, &Budget::new(None));
        for key in 0..1u64 << 16 {
            assert!(table.insert(table.hash(key, 0), 0));
        }
        for key in 0..1u64 << 16 {
            assert!(!table.insert(table.hash(key, 0), 0));
        }
        assert_eq!(table.len(), 1 << 16);
    }
}
