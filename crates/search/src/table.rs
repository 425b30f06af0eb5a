//! A set of integers that does not store what the place of an element already says (a quotient table).
//!
//! A key of `key_bits` bits goes through a bijection. The upper bits of the result choose a line of 64 bytes, the lower
//! bits are stored there, together with how many lines further than its home the element had to go. Nothing is lost:
//! every key can be computed back from its place, so the set is exact.
//!
//! Keys of more than 64 bits have an *extra*: it takes part in the bijection (a different one for each extra) and is stored in full.
//!
//! Invariants:
//! - an element lies in the first line, counted from its home line, that had room when it came; nothing is ever removed.
//!   So a search may stop at the first line that is not full;
//! - a slot that is zero is free: the stored distance is one more than the real one, hence never zero;
//! - `1 + distance` fits into [`DISTANCE_BITS`] bits; an element that would have to go further is kept aside, and when there are many
//!   of them the table grows. All lines that such an element could lie in are full, and stay so.

use foldhash::quality::FixedState;
use std::collections::HashSet;

/// Bits of a slot that tell how far from its home line the element lies.
const DISTANCE_BITS: u32 = 4;
/// Largest distance that can be stored.
const FURTHEST: u64 = (1 << DISTANCE_BITS) - 2;
/// A line is a cache line: eight words.
const LINE_WORDS: usize = 8;
/// The least number of bits of a key; shorter keys are treated as if they had zeros in front.
const LEAST_KEY_BITS: u32 = 16;
/// The table grows when one element of so many had to be kept aside.
const ONE_ASIDE_OF: usize = 64;
/// Lines of an empty table: 2 to the power of this.
const FIRST_INDEX_BITS: u32 = 6;

/// An exact set of keys, each smaller than two to the power of `key_bits`, and their extras.
#[derive(Debug)]
pub struct QuotientTable {
    words: Vec<u64>,
    /// First word that lies at the beginning of a cache line.
    origin: usize,
    key_bits: u32,
    extra_bits: u32,
    index_bits: u32,
    slot_bytes: usize,
    length: usize,
    limit: usize,
    /// Elements that found no place near their home, by hash and extra.
    aside: HashSet<(u64, u64), FixedState>,
}

impl QuotientTable {
    /// An empty set with room for that many keys of so many bits, each with an extra of so many bits. Keys with extras have 64.
    pub fn with_room(key_bits: u32, extra_bits: u32, keys: usize) -> QuotientTable {
        let key_bits = if extra_bits > 0 { 64 } else { key_bits.max(LEAST_KEY_BITS) };
        let mut index_bits = FIRST_INDEX_BITS;
        while limit(key_bits + extra_bits, index_bits) < keys && index_bits < key_bits {
            index_bits += 1;
        }
        QuotientTable::with_lines(key_bits, extra_bits, index_bits)
    }

    /// How many keys it holds.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.words.len() * 8 + self.aside.capacity() * 17
    }

    /// The image of a key under the bijection of its extra; to be handed to the other methods.
    #[inline(always)]
    pub fn hash(&self, key: u64, extra: u64) -> u64 {
        mix(key.wrapping_add(extra.wrapping_mul(EXTRA_FACTOR)), self.key_bits)
    }

    /// Asks the processor to fetch the line of this hash.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        let word = self.origin + self.home(hash) * LINE_WORDS;
        crate::prefetch::prefetch(&self.words, word);
    }

    /// Adds a key, given by its hash, and its extra. True if it was not there before.
    #[cfg(test)]
    pub fn insert(&mut self, hash: u64, extra: u64) -> bool {
        let mut new = Vec::new();
        self.insert_all(&[hash], |_| extra, &mut new);
        !new.is_empty()
    }

    /// Adds keys, given by their hashes and extras, and appends the indices of those that were not there before. Not inlined: it
    /// is one call for a batch, and large.
    #[inline(never)]
    pub fn insert_all(&mut self, hashes: &[u64], extra: impl Fn(usize) -> u64, new: &mut Vec<u32>) {
        self.insert_elements(hashes, extra, Known::Perhaps, new);
    }

    #[inline(always)]
    fn insert_elements(
        &mut self,
        hashes: &[u64],
        extra: impl Fn(usize) -> u64,
        known: Known,
        new: &mut Vec<u32>,
    ) {
        let mut done = 0;
        while done < hashes.len() {
            done = match self.slot_bytes {
                2 => self.insert_from::<u64, 2>(hashes, &extra, done, known, new),
                3 => self.insert_from::<u64, 3>(hashes, &extra, done, known, new),
                4 => self.insert_from::<u64, 4>(hashes, &extra, done, known, new),
                5 => self.insert_from::<u64, 5>(hashes, &extra, done, known, new),
                6 => self.insert_from::<u64, 6>(hashes, &extra, done, known, new),
                7 => self.insert_from::<u64, 7>(hashes, &extra, done, known, new),
                8 => self.insert_from::<u64, 8>(hashes, &extra, done, known, new),
                9 => self.insert_from::<u128, 9>(hashes, &extra, done, known, new),
                10 => self.insert_from::<u128, 10>(hashes, &extra, done, known, new),
                11 | 12 => self.insert_from::<u128, 12>(hashes, &extra, done, known, new),
                _ => self.insert_from::<u128, 16>(hashes, &extra, done, known, new),
            };
            if done < hashes.len() || self.length > self.limit {
                self.grow();
            }
        }
    }

    /// Adds keys until there is no room; the index of the first that was not handled.
    fn insert_from<S: Slot, const BYTES: usize>(
        &mut self,
        hashes: &[u64],
        extra: &impl Fn(usize) -> u64,
        from: usize,
        known: Known,
        new: &mut Vec<u32>,
    ) -> usize {
        for (index, &hash) in hashes.iter().enumerate().skip(from) {
            if self.length > self.limit {
                return index;
            }
            match self.try_insert::<S, BYTES>(hash, extra(index), known) {
                Placed::Found => {}
                Placed::Added => {
                    self.length += 1;
                    new.push(index as u32);
                }
                Placed::NoRoom => match self.put_aside(hash, extra(index)) {
                    Placed::Found => {}
                    Placed::Added => {
                        self.length += 1;
                        new.push(index as u32);
                    }
                    Placed::NoRoom => return index,
                },
            }
        }
        hashes.len()
    }

    /// Calls `visit` with every key and its extra.
    pub fn for_each(&self, mut visit: impl FnMut(u64, u64)) {
        self.for_each_hash(|hash, extra| {
            let key = unmix(hash, self.key_bits).wrapping_sub(extra.wrapping_mul(EXTRA_FACTOR));
            visit(key, extra);
        });
    }

    fn with_lines(key_bits: u32, extra_bits: u32, index_bits: u32) -> QuotientTable {
        let slot_bytes = slot_bytes(key_bits + extra_bits, index_bits);
        let lines = 1usize << index_bits;
        let words = vec![0u64; (lines + 1) * LINE_WORDS];
        let origin = words.as_ptr().align_offset(64).min(LINE_WORDS);
        crate::prefetch::advise_huge_pages(&words);
        let limit = limit(key_bits + extra_bits, index_bits);
        QuotientTable {
            words,
            origin,
            key_bits,
            extra_bits,
            index_bits,
            slot_bytes,
            length: 0,
            limit,
            aside: HashSet::default(),
        }
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        (hash >> (self.key_bits - self.index_bits)) as usize
    }

    #[inline(always)]
    fn try_insert<S: Slot, const BYTES: usize>(&mut self, hash: u64, extra: u64, known: Known) -> Placed {
        let lines = 1usize << self.index_bits;
        let mut line = self.home(hash);
        let mut wanted = S::first(hash, extra, self.key_bits - self.index_bits);
        let mut distance = 0;
        loop {
            let start = self.origin + line * LINE_WORDS;
            let Some(words) = self.words[start..].first_chunk_mut::<LINE_WORDS>() else {
                return Placed::NoRoom;
            };
            for slot in 0..LINE_WORDS * 8 / BYTES {
                let value = S::read::<BYTES>(words, slot);
                if known == Known::Perhaps && value == wanted {
                    return Placed::Found;
                }
                if value == S::FREE {
                    wanted.write::<BYTES>(words, slot);
                    return Placed::Added;
                }
            }
            if distance == FURTHEST {
                return Placed::NoRoom;
            }
            distance += 1;
            wanted = wanted.one_further();
            line = (line + 1) & (lines - 1);
        }
    }

    #[cold]
    #[inline(never)]
    fn put_aside(&mut self, hash: u64, extra: u64) -> Placed {
        if self.aside.contains(&(hash, extra)) {
            Placed::Found
        } else if self.aside.len() < self.length / ONE_ASIDE_OF {
            self.aside.insert((hash, extra));
            Placed::Added
        } else {
            Placed::NoRoom
        }
    }

    fn for_each_hash(&self, mut visit: impl FnMut(u64, u64)) {
        self.aside.iter().for_each(|&(hash, extra)| visit(hash, extra));
        match self.slot_bytes {
            2 => self.for_each_slot::<u64, 2>(visit),
            3 => self.for_each_slot::<u64, 3>(visit),
            4 => self.for_each_slot::<u64, 4>(visit),
            5 => self.for_each_slot::<u64, 5>(visit),
            6 => self.for_each_slot::<u64, 6>(visit),
            7 => self.for_each_slot::<u64, 7>(visit),
            8 => self.for_each_slot::<u64, 8>(visit),
            9 => self.for_each_slot::<u128, 9>(visit),
            10 => self.for_each_slot::<u128, 10>(visit),
            11 | 12 => self.for_each_slot::<u128, 12>(visit),
            _ => self.for_each_slot::<u128, 16>(visit),
        }
    }

    fn for_each_slot<S: Slot, const BYTES: usize>(&self, mut visit: impl FnMut(u64, u64)) {
        let lines = 1usize << self.index_bits;
        let rest_bits = self.key_bits - self.index_bits;
        for line in 0..lines {
            let start = self.origin + line * LINE_WORDS;
            let Some(words) = self.words[start..].first_chunk::<LINE_WORDS>() else { return };
            for slot in 0..LINE_WORDS * 8 / BYTES {
                let value = S::read::<BYTES>(words, slot);
                if value == S::FREE {
                    break;
                }
                let (distance, rest, extra) = value.contents(rest_bits);
                let home = line.wrapping_sub(distance as usize) & (lines - 1);
                visit(((home as u64) << rest_bits) | rest, extra);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let mut larger = QuotientTable::with_lines(self.key_bits, self.extra_bits, self.index_bits + 1);
        let mut inserter = Inserter::default();
        self.for_each_hash(|hash, extra| inserter.insert(&mut larger, hash, extra));
        inserter.finish(&mut larger);
        *self = larger;
    }
}

/// Adds many different keys one after another to a table without them, in batches behind the scenes so that memory has time to answer.
#[derive(Debug, Default)]
pub struct Inserter {
    hashes: Vec<u64>,
    extras: Vec<u64>,
    new: Vec<u32>,
}

impl Inserter {
    /// Adds a key by its hash, sooner or later.
    pub fn insert(&mut self, table: &mut QuotientTable, hash: u64, extra: u64) {
        table.prefetch(hash);
        self.hashes.push(hash);
        self.extras.push(extra);
        if self.hashes.len() == 64 {
            self.finish(table);
        }
    }

    /// Adds what is still waiting.
    pub fn finish(&mut self, table: &mut QuotientTable) {
        let extra = |index: usize| self.extras[index];
        table.insert_elements(&self.hashes, extra, Known::No, &mut self.new);
        self.hashes.clear();
        self.extras.clear();
        self.new.clear();
    }
}

/// Bytes of a slot for keys with extras of so many bits together. A slot never exceeds two words: a table starts with more
/// index bits than a distance needs.
fn slot_bytes(bits: u32, index_bits: u32) -> usize {
    match (bits - index_bits + DISTANCE_BITS).div_ceil(8) as usize {
        0..=2 => 2,
        11 => 12,
        bytes if bytes > 12 => 16,
        bytes => bytes,
    }
}

/// How many keys may be in a table of that size.
fn limit(bits: u32, index_bits: u32) -> usize {
    let slots = (LINE_WORDS * 8 / slot_bytes(bits, index_bits)) << index_bits;
    slots / 100 * 88 + slots % 100 / 2
}

/// Whether an element may be in the table already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Perhaps,
    No,
}

enum Placed {
    Found,
    Added,
    NoRoom,
}

/// What stands in a slot: from the low end the distance plus one, what the home does not say of the hash, the extra.
trait Slot: Copy + PartialEq {
    const FREE: Self;
    /// Of an element in its home line.
    fn first(hash: u64, extra: u64, rest_bits: u32) -> Self;
    /// Of the same element one line further.
    fn one_further(self) -> Self;
    /// Distance, rest of the hash, extra.
    fn contents(self, rest_bits: u32) -> (u64, u64, u64);
    fn read<const BYTES: usize>(line: &[u64; LINE_WORDS], slot: usize) -> Self;
    /// Into a slot that is free, so that setting bits is writing.
    fn write<const BYTES: usize>(self, line: &mut [u64; LINE_WORDS], slot: usize);
}

impl Slot for u64 {
    const FREE: u64 = 0;

    #[inline(always)]
    fn first(hash: u64, extra: u64, rest_bits: u32) -> u64 {
        let rest = hash & ((1u64 << rest_bits) - 1);
        // An extra of no bits is 0, and then there may be no room to shift it to.
        ((extra.unbounded_shl(rest_bits) | rest) << DISTANCE_BITS) | 1
    }

    #[inline(always)]
    fn one_further(self) -> u64 {
        self + 1
    }

    fn contents(self, rest_bits: u32) -> (u64, u64, u64) {
        let distance = (self & ((1 << DISTANCE_BITS) - 1)) - 1;
        let element = self >> DISTANCE_BITS;
        (distance, element & ((1u64 << rest_bits) - 1), element >> rest_bits)
    }

    #[inline(always)]
    fn read<const BYTES: usize>(line: &[u64; LINE_WORDS], slot: usize) -> u64 {
        let byte = slot * BYTES;
        let (word, shift) = (byte / 8, (byte % 8) * 8);
        let mut value = line[word] >> shift;
        if shift + BYTES * 8 > 64 {
            value |= line[word + 1] << (64 - shift);
        }
        if BYTES == 8 { value } else { value & ((1u64 << (BYTES * 8 % 64)) - 1) }
    }

    #[inline(always)]
    fn write<const BYTES: usize>(self, line: &mut [u64; LINE_WORDS], slot: usize) {
        let byte = slot * BYTES;
        let (word, shift) = (byte / 8, (byte % 8) * 8);
        line[word] |= self << shift;
        if shift + BYTES * 8 > 64 {
            line[word + 1] |= self >> (64 - shift);
        }
    }
}

impl Slot for u128 {
    const FREE: u128 = 0;

    #[inline(always)]
    fn first(hash: u64, extra: u64, rest_bits: u32) -> u128 {
        let rest = hash & ((1u64 << rest_bits) - 1);
        (((u128::from(extra) << rest_bits) | u128::from(rest)) << DISTANCE_BITS) | 1
    }

    #[inline(always)]
    fn one_further(self) -> u128 {
        self + 1
    }

    fn contents(self, rest_bits: u32) -> (u64, u64, u64) {
        let distance = (self as u64 & ((1 << DISTANCE_BITS) - 1)) - 1;
        let element = self >> DISTANCE_BITS;
        (distance, element as u64 & ((1u64 << rest_bits) - 1), (element >> rest_bits) as u64)
    }

    #[inline(always)]
    fn read<const BYTES: usize>(line: &[u64; LINE_WORDS], slot: usize) -> u128 {
        let byte = slot * BYTES;
        let (word, shift) = (byte / 8, (byte % 8) * 8);
        let mut value = u128::from(line[word]) >> shift;
        value |= u128::from(line[word + 1]) << (64 - shift);
        if shift + BYTES * 8 > 128 {
            value |= u128::from(line[word + 2]) << (128 - shift);
        }
        if BYTES == 16 { value } else { value & ((1u128 << (BYTES * 8 % 128)) - 1) }
    }

    #[inline(always)]
    fn write<const BYTES: usize>(self, line: &mut [u64; LINE_WORDS], slot: usize) {
        let byte = slot * BYTES;
        let (word, shift) = (byte / 8, (byte % 8) * 8);
        line[word] |= (self << shift) as u64;
        line[word + 1] |= (self >> (64 - shift)) as u64;
        if shift + BYTES * 8 > 128 {
            line[word + 2] |= (self >> (128 - shift)) as u64;
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

    #[test]
    fn a_table_is_the_set_of_what_was_put_in() {
        for bits in [16, 17, 23, 32, 41, 48, 55, 63, 64] {
            let mut table = QuotientTable::with_room(bits, 0, 0);
            let mut expected = BTreeSet::new();
            for key in numbers(60_000, bits) {
                assert_eq!(table.insert(table.hash(key, 0), 0), expected.insert(key));
            }
            assert_eq!(table.len(), expected.len());
            let mut found = BTreeSet::new();
            table.for_each(|key, extra| assert!(extra == 0 && found.insert(key)));
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn keys_with_extras_of_any_width_are_kept_apart() {
        for bits in [1, 5, 8, 14, 20, 27, 30, 38, 47, 58, 60, 64] {
            let mut table = QuotientTable::with_room(64, bits, 0);
            let mut expected = BTreeSet::new();
            // Few different keys, so that often only the extra tells two elements apart.
            for (key, extra) in
                numbers(60_000, 11).into_iter().zip(numbers(120_000, bits).into_iter().skip(7))
            {
                let key = key.wrapping_mul(0x0123_4567_89AB_CDEF);
                assert_eq!(table.insert(table.hash(key, extra), extra), expected.insert((key, extra)));
            }
            assert_eq!(table.len(), expected.len());
            let mut found = BTreeSet::new();
            table.for_each(|key, extra| assert!(found.insert((key, extra))));
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_table_can_hold_every_number_of_its_width() {
        let mut table = QuotientTable::with_room(16, 0, 0);
        for key in 0..1u64 << 16 {
            assert!(table.insert(table.hash(key, 0), 0));
        }
        for key in 0..1u64 << 16 {
            assert!(!table.insert(table.hash(key, 0), 0));
        }
        assert_eq!(table.len(), 1 << 16);
    }
}
