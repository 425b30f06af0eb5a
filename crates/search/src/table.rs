//! A set of integers that does not store what the place of an element already says (a quotient table).
//!
//! A key of `key_bits` bits goes through a bijection. The upper bits of the result choose a line of 64 bytes, the lower
//! bits are stored there, together with how many lines further than its home the element had to go. Nothing is lost:
//! every key can be computed back from its place, so the set is exact.
//!
//! Keys of more than 64 bits have an *extra*: it takes part in the bijection (a different one for each extra) and is stored in full.
//!
//! Several threads may add keys at the same time. Only growing needs the table for itself, so adding may fail for want of room.
//!
//! Invariants:
//! - an element lies in the first line, counted from its home line, that had room when it came; nothing is ever removed.
//!   So a search may stop at the first line that is not full, and two threads that add the same element meet in the same slot;
//! - a slot that is zero is free: the stored distance is one more than the real one, hence never zero;
//! - `1 + distance` is less than [`BEING_WRITTEN`]; an element that would have to go further is kept aside, and when there are many
//!   of them the table grows. All lines that such an element could lie in are full, and stay so;
//! - a slot may reach into further words. Its first word, with the distance, is written last and read first, so whoever sees a
//!   distance sees the rest as well. The slot is claimed before by the distance [`BEING_WRITTEN`].

use crate::words::Words;
use foldhash::quality::FixedState;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bits of a slot that tell how far from its home line the element lies.
const DISTANCE_BITS: u32 = 4;
/// In place of a distance: somebody is about to write this slot.
const BEING_WRITTEN: u64 = (1 << DISTANCE_BITS) - 1;
/// Largest distance that can be stored.
const FURTHEST: u64 = BEING_WRITTEN - 2;
/// A line is a cache line: eight words.
const LINE_WORDS: usize = 8;
/// The least number of bits of a key; shorter keys are treated as if they had zeros in front.
const LEAST_KEY_BITS: u32 = 16;
/// The table grows when one element of so many had to be kept aside.
const ONE_ASIDE_OF: usize = 64;
/// Lines that are visited as one piece.
const PIECE_LINES: usize = 1 << 10;
/// Pieces that are worth a thread.
const PIECES_WORTH_A_THREAD: usize = 4;
/// Lines of an empty table: 2 to the power of this.
const FIRST_INDEX_BITS: u32 = 6;

/// An exact set of keys, each smaller than two to the power of `key_bits`, and their extras.
#[derive(Debug)]
pub struct QuotientTable {
    words: Words,
    /// First word that lies at the beginning of a cache line.
    origin: usize,
    key_bits: u32,
    extra_bits: u32,
    index_bits: u32,
    slot_bytes: usize,
    length: AtomicUsize,
    limit: usize,
    /// An element found no room.
    refused: AtomicBool,
    /// Elements that found no place near their home, by hash and extra.
    aside: Mutex<HashSet<(u64, u64), FixedState>>,
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
        self.length.load(Ordering::Relaxed)
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.words.len() * 8 + self.aside().capacity() * 17
    }

    /// The image of a key under the bijection of its extra; to be handed to the other methods.
    #[inline(always)]
    pub fn hash(&self, key: u64, extra: u64) -> u64 {
        mix(key.wrapping_add(extra.wrapping_mul(EXTRA_FACTOR)), self.key_bits)
    }

    /// Asks the processor to fetch the line of this hash.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        self.words.prefetch(self.origin + self.home(hash) * LINE_WORDS);
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
            Users::One => self.insert_elements::<false>(hashes, extra, Known::Perhaps, new),
            Users::Several => self.insert_elements::<true>(hashes, extra, Known::Perhaps, new),
        };
        if done == hashes.len() { Ok(()) } else { Err(NoRoom) }
    }

    /// Whether it is too full, or refused an element.
    pub fn wants_room(&self) -> bool {
        self.refused.load(Ordering::Relaxed) || self.len() > self.limit
    }

    /// Adds keys as long as there is room; how many of them were handled.
    #[inline(always)]
    fn insert_elements<const SHARED: bool>(
        &self,
        hashes: &[u64],
        extra: impl Fn(usize) -> u64,
        known: Known,
        new: &mut Vec<u32>,
    ) -> usize {
        match self.slot_bytes {
            2 => self.insert_into::<u64, 2, SHARED>(hashes, &extra, known, new),
            3 => self.insert_into::<u64, 3, SHARED>(hashes, &extra, known, new),
            4 => self.insert_into::<u64, 4, SHARED>(hashes, &extra, known, new),
            5 => self.insert_into::<u64, 5, SHARED>(hashes, &extra, known, new),
            6 => self.insert_into::<u64, 6, SHARED>(hashes, &extra, known, new),
            7 => self.insert_into::<u64, 7, SHARED>(hashes, &extra, known, new),
            8 => self.insert_into::<u64, 8, SHARED>(hashes, &extra, known, new),
            9 => self.insert_into::<u128, 9, SHARED>(hashes, &extra, known, new),
            10 => self.insert_into::<u128, 10, SHARED>(hashes, &extra, known, new),
            11 | 12 => self.insert_into::<u128, 12, SHARED>(hashes, &extra, known, new),
            _ => self.insert_into::<u128, 16, SHARED>(hashes, &extra, known, new),
        }
    }

    fn insert_into<S: Slot, const BYTES: usize, const SHARED: bool>(
        &self,
        hashes: &[u64],
        extra: &impl Fn(usize) -> u64,
        known: Known,
        new: &mut Vec<u32>,
    ) -> usize {
        let room = (self.limit + 1).saturating_sub(self.len());
        let before = new.len();
        let mut done = hashes.len();
        for (index, &hash) in hashes.iter().enumerate() {
            let mut placed = match new.len() - before < room {
                true => self.try_insert::<S, BYTES, SHARED>(hash, extra(index), known),
                false => Placed::TableIsFull,
            };
            if let Placed::NoRoomNearHome = placed {
                placed = self.put_aside(hash, extra(index));
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

    /// Into how many pieces [`QuotientTable::for_each_in`] cuts it.
    pub fn pieces(&self) -> usize {
        (1usize << self.index_bits).div_ceil(PIECE_LINES)
    }

    fn words_of(&self, piece: usize) -> std::ops::Range<usize> {
        let line = |line: usize| self.origin + line.min(1 << self.index_bits) * LINE_WORDS;
        line(piece * PIECE_LINES)..line((piece + 1) * PIECE_LINES)
    }

    /// Bytes that are in use more after it has grown.
    pub fn bytes_to_grow(&self) -> usize {
        self.words.len() * 8
    }

    /// Calls `visit` with every key, and its extra, of a piece. Nobody may be adding keys.
    pub fn for_each_in(&self, piece: usize, mut visit: impl FnMut(u64, u64)) {
        self.for_each_hash_in(piece, |hash, extra| {
            let key = unmix(hash, self.key_bits).wrapping_sub(extra.wrapping_mul(EXTRA_FACTOR));
            visit(key, extra);
        });
    }

    /// Makes a table of twice the size out of it, by so many threads.
    #[cold]
    #[inline(never)]
    pub fn grow(&mut self, threads: usize) {
        let larger = QuotientTable::with_lines(self.key_bits, self.extra_bits, self.index_bits + 1);
        self.move_hashes_to(larger, threads, |hash, _| hash);
    }

    /// Moves all keys, which have no extras, to another table, by so many threads. `rehash` says what the hash of a key is there.
    pub fn move_to(
        &mut self,
        other: QuotientTable,
        threads: usize,
        rehash: impl Fn(u64, &QuotientTable) -> u64 + Sync,
    ) {
        let key_bits = self.key_bits;
        self.move_hashes_to(other, threads, |hash, other| rehash(unmix(hash, key_bits), other));
    }

    fn move_hashes_to(
        &mut self,
        mut other: QuotientTable,
        threads: usize,
        rehash: impl Fn(u64, &QuotientTable) -> u64 + Sync,
    ) {
        let threads = threads.min(self.pieces().div_ceil(PIECES_WORTH_A_THREAD)).max(1);
        let next_piece = AtomicUsize::new(0);
        let refused = Mutex::new(Vec::new());
        crate::team::together(threads, |_| {
            let mut inserter = Inserter::new(&other, if threads == 1 { Users::One } else { Users::Several });
            loop {
                let piece = next_piece.fetch_add(1, Ordering::Relaxed);
                if piece >= self.pieces() {
                    break;
                }
                self.for_each_hash_in(piece, |hash, extra| inserter.insert(rehash(hash, &other), extra));
                // What was moved takes no memory twice: the larger table is used from its beginning on.
                self.words.release(self.words_of(piece));
            }
            refused.lock().unwrap_or_else(PoisonError::into_inner).append(&mut inserter.finish());
        });
        for (hash, extra) in refused.into_inner().unwrap_or_else(PoisonError::into_inner) {
            while other.insert_elements::<false>(&[hash], |_| extra, Known::No, &mut Vec::new()) == 0 {
                other.grow(1);
            }
        }
        *self = other;
    }

    fn with_lines(key_bits: u32, extra_bits: u32, index_bits: u32) -> QuotientTable {
        let slot_bytes = slot_bytes(key_bits + extra_bits, index_bits);
        let lines = 1usize << index_bits;
        let words = Words::zeroed((lines + 1) * LINE_WORDS);
        let origin = words.first_at_multiple_of(64).min(LINE_WORDS);
        let limit = limit(key_bits + extra_bits, index_bits);
        QuotientTable {
            words,
            origin,
            key_bits,
            extra_bits,
            index_bits,
            slot_bytes,
            length: AtomicUsize::new(0),
            limit,
            refused: AtomicBool::new(false),
            aside: Mutex::default(),
        }
    }

    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        (hash >> (self.key_bits - self.index_bits)) as usize
    }

    #[inline(always)]
    fn line(&self, line: usize) -> &[AtomicU64; LINE_WORDS] {
        let start = self.origin + line * LINE_WORDS;
        self.words[start..].first_chunk::<LINE_WORDS>().expect("there is a line for every index")
    }

    #[inline(always)]
    fn try_insert<S: Slot, const BYTES: usize, const SHARED: bool>(
        &self,
        hash: u64,
        extra: u64,
        known: Known,
    ) -> Placed {
        let lines = 1usize << self.index_bits;
        let mut line = self.home(hash);
        let mut wanted = S::first(hash, extra, self.key_bits - self.index_bits);
        let mut distance = 0;
        loop {
            let words = self.line(line);
            for slot in 0..LINE_WORDS * 8 / BYTES {
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
            line = (line + 1) & (lines - 1);
        }
    }

    fn aside(&self) -> std::sync::MutexGuard<'_, HashSet<(u64, u64), FixedState>> {
        self.aside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cold]
    #[inline(never)]
    fn put_aside(&self, hash: u64, extra: u64) -> Placed {
        let mut aside = self.aside();
        if aside.contains(&(hash, extra)) {
            Placed::Found
        } else if aside.len() < self.len() / ONE_ASIDE_OF {
            aside.insert((hash, extra));
            Placed::Added
        } else {
            Placed::TableIsFull
        }
    }

    fn for_each_hash_in(&self, piece: usize, mut visit: impl FnMut(u64, u64)) {
        if piece == 0 {
            self.aside().iter().for_each(|&(hash, extra)| visit(hash, extra));
        }
        let first = piece * PIECE_LINES;
        let lines = first..(first + PIECE_LINES).min(1 << self.index_bits);
        match self.slot_bytes {
            2 => self.for_each_slot::<u64, 2>(lines, visit),
            3 => self.for_each_slot::<u64, 3>(lines, visit),
            4 => self.for_each_slot::<u64, 4>(lines, visit),
            5 => self.for_each_slot::<u64, 5>(lines, visit),
            6 => self.for_each_slot::<u64, 6>(lines, visit),
            7 => self.for_each_slot::<u64, 7>(lines, visit),
            8 => self.for_each_slot::<u64, 8>(lines, visit),
            9 => self.for_each_slot::<u128, 9>(lines, visit),
            10 => self.for_each_slot::<u128, 10>(lines, visit),
            11 | 12 => self.for_each_slot::<u128, 12>(lines, visit),
            _ => self.for_each_slot::<u128, 16>(lines, visit),
        }
    }

    fn for_each_slot<S: Slot, const BYTES: usize>(
        &self,
        lines: std::ops::Range<usize>,
        mut visit: impl FnMut(u64, u64),
    ) {
        let last_line = (1usize << self.index_bits) - 1;
        let rest_bits = self.key_bits - self.index_bits;
        for line in lines {
            let words = self.line(line);
            for slot in 0..LINE_WORDS * 8 / BYTES {
                let value = S::read::<BYTES, false>(words, slot);
                if value == S::FREE {
                    break;
                }
                let (distance, rest, extra) = value.contents(rest_bits);
                let home = line.wrapping_sub(distance as usize) & last_line;
                visit(((home as u64) << rest_bits) | rest, extra);
            }
        }
    }
}

/// Adds many different keys one after another to a table without them, in batches behind the scenes so that memory has time to answer.
#[derive(Debug)]
struct Inserter<'t> {
    table: &'t QuotientTable,
    users: Users,
    hashes: Vec<u64>,
    extras: Vec<u64>,
    new: Vec<u32>,
    refused: Vec<(u64, u64)>,
}

impl<'t> Inserter<'t> {
    fn new(table: &'t QuotientTable, users: Users) -> Inserter<'t> {
        let (hashes, extras, new, refused) = Default::default();
        Inserter { table, users, hashes, extras, new, refused }
    }

    /// Adds a key by its hash, sooner or later.
    #[inline(always)]
    fn insert(&mut self, hash: u64, extra: u64) {
        self.table.prefetch(hash);
        self.hashes.push(hash);
        self.extras.push(extra);
        if self.hashes.len() == 64 {
            self.flush();
        }
    }

    /// Adds what is still waiting; what there was no room for.
    fn finish(mut self) -> Vec<(u64, u64)> {
        self.flush();
        self.refused
    }

    #[inline(never)]
    fn flush(&mut self) {
        let mut first = 0;
        while first < self.hashes.len() {
            let (hashes, extra) = (&self.hashes[first..], |index: usize| self.extras[first + index]);
            first += match self.users {
                Users::One => self.table.insert_elements::<false>(hashes, extra, Known::No, &mut self.new),
                Users::Several => self.table.insert_elements::<true>(hashes, extra, Known::No, &mut self.new),
            };
            if first < self.hashes.len() {
                self.refused.push((self.hashes[first], self.extras[first]));
                first += 1;
            }
        }
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
    NoRoomNearHome,
    TableIsFull,
}

/// Whether a free slot was written.
enum Written<S> {
    Yes,
    /// It was not free any more: this stands there now.
    BySomebodyElse(S),
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
    /// What a slot holds. If the table is shared, waits for somebody who is writing it.
    fn read<const BYTES: usize, const SHARED: bool>(line: &[AtomicU64; LINE_WORDS], slot: usize) -> Self;
    /// Into a slot that is free, so that setting bits is writing.
    fn write<const BYTES: usize, const SHARED: bool>(
        self,
        line: &[AtomicU64; LINE_WORDS],
        slot: usize,
    ) -> Written<Self>;
}

/// The first word of a slot and where in it the slot begins.
#[inline(always)]
fn place_of<const BYTES: usize>(slot: usize) -> (usize, usize) {
    (slot * BYTES / 8, slot * BYTES % 8 * 8)
}

/// The first word of a slot, shifted so that the slot begins at its low end; once nobody is writing the slot, if `shared`.
#[inline(always)]
fn read_first_word(word: &AtomicU64, shift: usize, shared: bool) -> u64 {
    let value = word.load(if shared { Ordering::Acquire } else { Ordering::Relaxed }) >> shift;
    if shared && value & BEING_WRITTEN == BEING_WRITTEN {
        return wait_for_writer(word, shift);
    }
    value
}

#[cold]
#[inline(never)]
fn wait_for_writer(word: &AtomicU64, shift: usize) -> u64 {
    loop {
        let value = word.load(Ordering::Acquire) >> shift;
        if value & BEING_WRITTEN != BEING_WRITTEN {
            return value;
        }
        std::hint::spin_loop();
    }
}

/// Sets bits of a word in a free slot of a shared table; false if the slot (its distance) is not free any more.
#[inline(always)]
fn claim(word: &AtomicU64, shift: usize, bits: u64) -> bool {
    let mut seen = word.load(Ordering::Relaxed);
    loop {
        if (seen >> shift) & BEING_WRITTEN != 0 {
            return false;
        }
        match word.compare_exchange_weak(seen, seen | bits, Ordering::AcqRel, Ordering::Relaxed) {
            Ok(_) => return true,
            Err(other) => seen = other,
        }
    }
}

#[inline(always)]
fn set_bits(word: &AtomicU64, bits: u64) {
    word.store(word.load(Ordering::Relaxed) | bits, Ordering::Relaxed);
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
    fn read<const BYTES: usize, const SHARED: bool>(line: &[AtomicU64; LINE_WORDS], slot: usize) -> u64 {
        let (word, shift) = place_of::<BYTES>(slot);
        let reaches_over = shift + BYTES * 8 > 64;
        let mut value = read_first_word(&line[word], shift, SHARED && reaches_over);
        if reaches_over {
            if SHARED && value & BEING_WRITTEN == 0 {
                // Free when the first word was read, whatever the second says by now.
                return 0;
            }
            value |= line[word + 1].load(Ordering::Relaxed) << (64 - shift);
        }
        if BYTES == 8 { value } else { value & ((1u64 << (BYTES * 8 % 64)) - 1) }
    }

    #[inline(always)]
    fn write<const BYTES: usize, const SHARED: bool>(
        self,
        line: &[AtomicU64; LINE_WORDS],
        slot: usize,
    ) -> Written<u64> {
        let (word, shift) = place_of::<BYTES>(slot);
        let reaches_over = shift + BYTES * 8 > 64;
        if !SHARED {
            set_bits(&line[word], self << shift);
            if reaches_over {
                set_bits(&line[word + 1], self >> (64 - shift));
            }
            return Written::Yes;
        }
        let first = if reaches_over { BEING_WRITTEN } else { self };
        if !claim(&line[word], shift, first << shift) {
            return Written::BySomebodyElse(Self::read::<BYTES, SHARED>(line, slot));
        }
        if reaches_over {
            line[word + 1].fetch_or(self >> (64 - shift), Ordering::Relaxed);
            line[word].fetch_xor((self ^ BEING_WRITTEN) << shift, Ordering::Release);
        }
        Written::Yes
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
    fn read<const BYTES: usize, const SHARED: bool>(line: &[AtomicU64; LINE_WORDS], slot: usize) -> u128 {
        let (word, shift) = place_of::<BYTES>(slot);
        let mut value = u128::from(read_first_word(&line[word], shift, SHARED));
        if SHARED && value as u64 & BEING_WRITTEN == 0 {
            // Free when the first word was read, whatever the others say by now.
            return 0;
        }
        value |= u128::from(line[word + 1].load(Ordering::Relaxed)) << (64 - shift);
        if shift + BYTES * 8 > 128 {
            value |= u128::from(line[word + 2].load(Ordering::Relaxed)) << (128 - shift);
        }
        if BYTES == 16 { value } else { value & ((1u128 << (BYTES * 8 % 128)) - 1) }
    }

    #[inline(always)]
    fn write<const BYTES: usize, const SHARED: bool>(
        self,
        line: &[AtomicU64; LINE_WORDS],
        slot: usize,
    ) -> Written<u128> {
        let (word, shift) = place_of::<BYTES>(slot);
        let (second, third) = ((self >> (64 - shift)) as u64, (self >> 1 >> (127 - shift)) as u64);
        if !SHARED {
            set_bits(&line[word], (self << shift) as u64);
            set_bits(&line[word + 1], second);
            if shift + BYTES * 8 > 128 {
                set_bits(&line[word + 2], third);
            }
            return Written::Yes;
        }
        if !claim(&line[word], shift, BEING_WRITTEN << shift) {
            return Written::BySomebodyElse(Self::read::<BYTES, SHARED>(line, slot));
        }
        line[word + 1].fetch_or(second, Ordering::Relaxed);
        if shift + BYTES * 8 > 128 {
            line[word + 2].fetch_or(third, Ordering::Relaxed);
        }
        line[word].fetch_xor((self as u64 ^ BEING_WRITTEN) << shift, Ordering::Release);
        Written::Yes
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
                self.grow(1);
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
        let mut table = QuotientTable::with_room(key_bits, extra_bits, 0);
        let expected: BTreeSet<(u64, u64)> = elements.iter().copied().collect();
        let mut new = 0;
        for batch in elements.chunks(4000) {
            loop {
                let added = AtomicUsize::new(0);
                let full = AtomicBool::new(false);
                crate::team::together(3, |index| {
                    let mut mine = batch.to_vec();
                    mine.rotate_left(index * batch.len() / 7);
                    for part in mine.chunks(64) {
                        let hashes: Vec<u64> =
                            part.iter().map(|&(key, extra)| table.hash(key, extra)).collect();
                        let mut new = Vec::new();
                        let outcome =
                            table.insert_all(Users::Several, &hashes, |index| part[index].1, &mut new);
                        added.fetch_add(new.len(), Ordering::Relaxed);
                        full.fetch_or(outcome.is_err(), Ordering::Relaxed);
                    }
                });
                new += added.into_inner();
                if !full.into_inner() {
                    break;
                }
                table.grow(3);
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
            let mut table = QuotientTable::with_room(bits, 0, 0);
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
            assert_eq!(table.contents(), expected);
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
