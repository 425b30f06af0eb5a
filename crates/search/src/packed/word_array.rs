//! A large array of words that threads share.

use crate::packed::prefetch;
use std::sync::atomic::AtomicU64;

/// WordArray that are zero at first.
#[derive(Debug)]
pub struct WordArray(Vec<AtomicU64>);

impl WordArray {
    /// So many zeros. Pages are not touched before they are used.
    pub fn zeroed(count: usize) -> WordArray {
        let mut words = std::mem::ManuallyDrop::new(vec![0u64; count]);
        prefetch::advise_huge_pages(&words);
        const { assert!(align_of::<AtomicU64>() == align_of::<u64>(), "an atomic word lies where a word lies") };
        // SAFETY: the vector's memory is handed over, with its length and capacity. An atomic word has the size and the bits of
        // a word, and the same alignment as just asserted. Building the vector out of atomic words would write to every page.
        WordArray(unsafe { Vec::from_raw_parts(words.as_mut_ptr().cast(), words.len(), words.capacity()) })
    }

    /// The index of the first word whose address is a multiple of a number.
    pub fn first_at_multiple_of(&self, bytes: usize) -> usize {
        self.0.as_ptr().align_offset(bytes)
    }

    /// Gives the memory of some words back, which are zero afterwards; nobody may need them any more. A hint: what is no whole page
    /// stays.
    pub fn release(&self, words: std::ops::Range<usize>) {
        prefetch::release_pages(&self.0[words]);
    }

    /// Asks the processor to fetch a word.
    #[inline(always)]
    pub fn prefetch(&self, index: usize) {
        prefetch::prefetch(&self.0, index);
    }
}

impl std::ops::Deref for WordArray {
    type Target = [AtomicU64];

    #[inline(always)]
    fn deref(&self) -> &[AtomicU64] {
        &self.0
    }
}
