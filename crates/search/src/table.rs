//! A set of integers that does not store what the place of an element already says (a quotient table).
//!
//! A key of `key_bits` bits goes through a bijection. The upper bits of the result choose a line of 64 bytes, the lower
//! bits are stored there, together with how many lines further than its home the element had to go. Nothing is lost:
//! every key can be computed back from its place, so the set is exact.
//!
//! Invariants:
//! - an element lies in the first line, counted from its home line, that had room when it came; nothing is ever removed.
//!   So a search may stop at the first line that is not full;
//! - a slot that is zero is free: the stored distance is one more than the real one, hence never zero;
//! - `1 + distance` fits into [`DISTANCE_BITS`] bits; an element that would have to go further makes the table grow.

/// Bits of a slot that tell how far from its home line the element lies.
const DISTANCE_BITS: u32 = 4;
/// Largest distance that can be stored.
const FURTHEST: u64 = (1 << DISTANCE_BITS) - 2;
/// A line is a cache line: eight words.
const LINE_WORDS: usize = 8;
/// The least number of bits of a key; shorter keys are treated as if they had zeros in front.
const LEAST_KEY_BITS: u32 = 16;
/// Lines of an empty table: 2 to the power of this.
const FIRST_INDEX_BITS: u32 = 6;

/// An exact set of keys, each smaller than two to the power of `key_bits`.
#[derive(Debug)]
pub struct QuotientTable {
    words: Vec<u64>,
    /// First word that lies at the beginning of a cache line.
    origin: usize,
    key_bits: u32,
    index_bits: u32,
    slot_bytes: usize,
    length: usize,
    limit: usize,
}

impl QuotientTable {
    /// An empty set with room for that many keys.
    pub fn with_room(key_bits: u32, keys: usize) -> QuotientTable {
        let key_bits = key_bits.max(LEAST_KEY_BITS);
        let mut index_bits = FIRST_INDEX_BITS;
        while QuotientTable::limit(key_bits, index_bits) < keys && index_bits < key_bits {
            index_bits += 1;
        }
        QuotientTable::with_lines(key_bits, index_bits)
    }

    /// How many keys it holds.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.words.len() * 8
    }

    /// The image of a key under the bijection; to be handed to the other methods.
    #[inline(always)]
    pub fn hash(&self, key: u64) -> u64 {
        mix(key, self.key_bits)
    }

    /// Asks the processor to fetch the line of this hash.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        let word = self.origin + self.home(hash) * LINE_WORDS;
        crate::prefetch::prefetch(&self.words, word);
    }

    /// Adds a key, given by its hash. True if it was not there before.
    #[cfg(test)]
    pub fn insert(&mut self, hash: u64) -> bool {
        let mut new = Vec::new();
        self.insert_all(&[hash], &mut new);
        !new.is_empty()
    }

    /// Adds keys, given by their hashes, and appends the indices of those that were not there before. Not inlined: it is one
    /// call for a batch, and large.
    #[inline(never)]
    pub fn insert_all(&mut self, hashes: &[u64], new: &mut Vec<u32>) {
        let mut done = 0;
        while done < hashes.len() {
            done = match self.slot_bytes {
                2 => self.insert_from::<2>(hashes, done, new),
                3 => self.insert_from::<3>(hashes, done, new),
                4 => self.insert_from::<4>(hashes, done, new),
                5 => self.insert_from::<5>(hashes, done, new),
                6 => self.insert_from::<6>(hashes, done, new),
                7 => self.insert_from::<7>(hashes, done, new),
                _ => self.insert_from::<8>(hashes, done, new),
            };
            if done < hashes.len() || self.length > self.limit {
                self.grow();
            }
        }
    }

    /// Adds keys until there is no room; the index of the first that was not handled.
    fn insert_from<const BYTES: usize>(&mut self, hashes: &[u64], from: usize, new: &mut Vec<u32>) -> usize {
        for (index, &hash) in hashes.iter().enumerate().skip(from) {
            if self.length > self.limit {
                return index;
            }
            match self.try_insert::<BYTES>(hash) {
                Placed::Found => {}
                Placed::Added => {
                    self.length += 1;
                    new.push(index as u32);
                }
                Placed::NoRoom => return index,
            }
        }
        hashes.len()
    }

    /// Calls `visit` with every key.
    pub fn for_each(&self, mut visit: impl FnMut(u64)) {
        self.for_each_hash(|hash| visit(unmix(hash, self.key_bits)));
    }

    fn with_lines(key_bits: u32, index_bits: u32) -> QuotientTable {
        let slot_bytes = slot_bytes(key_bits, index_bits);
        let lines = 1usize << index_bits;
        let words = vec![0u64; (lines + 1) * LINE_WORDS];
        let origin = words.as_ptr().align_offset(64).min(LINE_WORDS);
        crate::prefetch::advise_huge_pages(&words);
        let limit = QuotientTable::limit(key_bits, index_bits);
        QuotientTable { words, origin, key_bits, index_bits, slot_bytes, length: 0, limit }
    }

    /// How many keys may be in a table of that size.
    fn limit(key_bits: u32, index_bits: u32) -> usize {
        let slots = (LINE_WORDS * 8 / slot_bytes(key_bits, index_bits)) << index_bits;
        slots / 100 * 88 + slots % 100 / 2
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        (hash >> (self.key_bits - self.index_bits)) as usize
    }

    #[inline(always)]
    fn remainder(&self, hash: u64) -> u64 {
        hash & ((1u64 << (self.key_bits - self.index_bits)) - 1)
    }

    #[inline(always)]
    fn try_insert<const BYTES: usize>(&mut self, hash: u64) -> Placed {
        let lines = 1usize << self.index_bits;
        let mut line = self.home(hash);
        let mut wanted = (self.remainder(hash) << DISTANCE_BITS) | 1;
        let last = wanted + FURTHEST;
        loop {
            let start = self.origin + line * LINE_WORDS;
            let Some(words) = self.words[start..].first_chunk_mut::<LINE_WORDS>() else {
                return Placed::NoRoom;
            };
            for slot in 0..LINE_WORDS * 8 / BYTES {
                let value = read_slot::<BYTES>(words, slot);
                if value == wanted {
                    return Placed::Found;
                }
                if value == 0 {
                    write_slot::<BYTES>(words, slot, wanted);
                    return Placed::Added;
                }
            }
            if wanted == last {
                return Placed::NoRoom;
            }
            wanted += 1;
            line = (line + 1) & (lines - 1);
        }
    }

    fn for_each_hash(&self, visit: impl FnMut(u64)) {
        match self.slot_bytes {
            2 => self.for_each_slot::<2>(visit),
            3 => self.for_each_slot::<3>(visit),
            4 => self.for_each_slot::<4>(visit),
            5 => self.for_each_slot::<5>(visit),
            6 => self.for_each_slot::<6>(visit),
            7 => self.for_each_slot::<7>(visit),
            _ => self.for_each_slot::<8>(visit),
        }
    }

    fn for_each_slot<const BYTES: usize>(&self, mut visit: impl FnMut(u64)) {
        let lines = 1usize << self.index_bits;
        for line in 0..lines {
            let start = self.origin + line * LINE_WORDS;
            let Some(words) = self.words[start..].first_chunk::<LINE_WORDS>() else { return };
            for slot in 0..LINE_WORDS * 8 / BYTES {
                let value = read_slot::<BYTES>(words, slot);
                if value == 0 {
                    break;
                }
                let distance = (value & ((1 << DISTANCE_BITS) - 1)) - 1;
                let home = line.wrapping_sub(distance as usize) & (lines - 1);
                visit(((home as u64) << (self.key_bits - self.index_bits)) | (value >> DISTANCE_BITS));
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let mut larger = QuotientTable::with_lines(self.key_bits, self.index_bits + 1);
        let mut inserter = Inserter::default();
        self.for_each_hash(|hash| inserter.insert(&mut larger, hash));
        inserter.finish(&mut larger);
        *self = larger;
    }
}

/// Adds many keys one after another, in batches behind the scenes so that memory has time to answer.
#[derive(Debug, Default)]
pub struct Inserter {
    hashes: Vec<u64>,
    new: Vec<u32>,
}

impl Inserter {
    /// Adds a key by its hash, sooner or later.
    pub fn insert(&mut self, table: &mut QuotientTable, hash: u64) {
        table.prefetch(hash);
        self.hashes.push(hash);
        if self.hashes.len() == 64 {
            self.finish(table);
        }
    }

    /// Adds what is still waiting.
    pub fn finish(&mut self, table: &mut QuotientTable) {
        table.insert_all(&self.hashes, &mut self.new);
        self.hashes.clear();
        self.new.clear();
    }
}

/// A slot never exceeds a word: a table starts with more index bits than a distance needs.
fn slot_bytes(key_bits: u32, index_bits: u32) -> usize {
    ((key_bits - index_bits + DISTANCE_BITS).div_ceil(8) as usize).max(2)
}

enum Placed {
    Found,
    Added,
    NoRoom,
}

#[inline(always)]
fn read_slot<const BYTES: usize>(line: &[u64; LINE_WORDS], slot: usize) -> u64 {
    let byte = slot * BYTES;
    let (word, shift) = (byte / 8, (byte % 8) * 8);
    let mut value = line[word] >> shift;
    if shift + BYTES * 8 > 64 {
        value |= line[word + 1] << (64 - shift);
    }
    if BYTES == 8 { value } else { value & ((1u64 << (BYTES * 8 % 64)) - 1) }
}

#[inline(always)]
fn write_slot<const BYTES: usize>(line: &mut [u64; LINE_WORDS], slot: usize, value: u64) {
    // The slot is zero, so setting bits is writing.
    let byte = slot * BYTES;
    let (word, shift) = (byte / 8, (byte % 8) * 8);
    line[word] |= value << shift;
    if shift + BYTES * 8 > 64 {
        line[word + 1] |= value >> (64 - shift);
    }
}

const FIRST_FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
const SECOND_FACTOR: u64 = 0xD6E8_FEB8_6659_FD93;

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
            let mut table = QuotientTable::with_room(bits, 0);
            let mut expected = BTreeSet::new();
            for key in numbers(60_000, bits) {
                assert_eq!(table.insert(table.hash(key)), expected.insert(key));
            }
            assert_eq!(table.len(), expected.len());
            let mut found = BTreeSet::new();
            table.for_each(|key| assert!(found.insert(key)));
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_table_can_hold_every_number_of_its_width() {
        let mut table = QuotientTable::with_room(16, 0);
        for key in 0..1u64 << 16 {
            assert!(table.insert(table.hash(key)));
        }
        for key in 0..1u64 << 16 {
            assert!(!table.insert(table.hash(key)));
        }
        assert_eq!(table.len(), 1 << 16);
    }
}
