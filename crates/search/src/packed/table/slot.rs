//! The bits of one element inside a line, and how threads agree on who writes them.

use super::{BEING_WRITTEN, DISTANCE_BITS, LINE_WORDS};
use std::sync::atomic::{AtomicU64, Ordering};

/// Whether a free slot was written.
pub(super) enum Written<S> {
    Yes,
    /// It was not free any more: this stands there now.
    BySomebodyElse(S),
}

/// What stands in a slot: from the low end the distance plus one, what the home does not say of the hash, the extra.
pub(super) trait Slot: Copy + PartialEq {
    const FREE: Self;
    /// Of an element in its home line, whose hash has this rest.
    fn first(rest: u64, extra: u64, rest_bits: u32) -> Self;
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
pub(super) fn place_of<const BYTES: usize>(slot: usize) -> (usize, usize) {
    (slot * BYTES / 8, slot * BYTES % 8 * 8)
}

/// The first word of a slot, shifted so that the slot begins at its low end; once nobody is writing the slot, if `shared`.
#[inline(always)]
pub(super) fn read_first_word(word: &AtomicU64, shift: usize, shared: bool) -> u64 {
    let value = word.load(if shared { Ordering::Acquire } else { Ordering::Relaxed }) >> shift;
    if shared && value & BEING_WRITTEN == BEING_WRITTEN {
        return wait_for_writer(word, shift);
    }
    value
}

#[cold]
#[inline(never)]
pub(super) fn wait_for_writer(word: &AtomicU64, shift: usize) -> u64 {
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
pub(super) fn claim(word: &AtomicU64, shift: usize, bits: u64) -> bool {
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
pub(super) fn set_bits(word: &AtomicU64, bits: u64) {
    word.store(word.load(Ordering::Relaxed) | bits, Ordering::Relaxed);
}

impl Slot for u64 {
    const FREE: u64 = 0;

    #[inline(always)]
    fn first(rest: u64, extra: u64, rest_bits: u32) -> u64 {
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
    fn first(rest: u64, extra: u64, rest_bits: u32) -> u128 {
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
