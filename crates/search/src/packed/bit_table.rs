//! A set of hashes that forgets which hashes it holds: a few bits for each (Bloom's filter, in lines of the cache).
//!
//! A hash chooses a line of 64 bytes and some bits in it, so that asking for it is one visit to memory. What was added is always
//! found; what was not may be found as well, and the more often the fuller the table is. The table keeps account of how
//! many hashes it has probably lost in this way.

/// WordArray of a line: a line is a cache line.
const LINE_WORDS: usize = 8;
const LINE_BITS: u32 = 512;
/// Bits of a hash that choose a bit of a line.
const BITS_PER_CHOICE: u32 = 9;
/// Most bits that are set for one hash: as many choices as one number has room for.
pub const MOST_BITS: u32 = 64 / BITS_PER_CHOICE;

/// The set.
#[derive(Debug)]
pub struct BitTable {
    words: Vec<u64>,
    /// First word that lies at the beginning of a cache line.
    origin: usize,
    lines: u64,
    bits_per_hash: u32,
    added: u64,
    set_bits: u64,
    lost: f64,
}

impl BitTable {
    /// An empty table of at most that many bytes (but at least a few lines).
    pub fn new(bytes: usize, bits_per_hash: u32) -> BitTable {
        let lines = (bytes / (8 * LINE_WORDS)).saturating_sub(1).max(4);
        let words = vec![0u64; (lines + 1) * LINE_WORDS];
        let origin = words.as_ptr().align_offset(64).min(LINE_WORDS);
        crate::packed::prefetch::advise_huge_pages(&words);
        let bits_per_hash = bits_per_hash.clamp(1, MOST_BITS);
        BitTable { words, origin, lines: lines as u64, bits_per_hash, added: 0, set_bits: 0, lost: 0.0 }
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.words.len() * 8
    }

    /// How many hashes were added.
    pub fn added(&self) -> u64 {
        self.added
    }

    /// Bits that are set for each hash.
    pub fn bits_per_hash(&self) -> u32 {
        self.bits_per_hash
    }

    /// The share of its bits that is set.
    pub fn fill(&self) -> f64 {
        self.set_bits as f64 / (self.lines * u64::from(LINE_BITS)) as f64
    }

    /// How many hashes were probably taken for others. For each hash that was added with a chance of `p` to be taken for another,
    /// `p / (1 - p)` others were: the expectation of how often that happens before a success.
    pub fn lost(&self) -> f64 {
        self.lost
    }

    /// Whether a hash was added, or is taken for others that were.
    #[inline(always)]
    pub fn contains(&self, hash: u64) -> bool {
        let (line, mut choices) = self.place(hash);
        let words = &self.words[line..line + LINE_WORDS];
        for _ in 0..self.bits_per_hash {
            let (word, bit) = choice(choices);
            if words[word] & bit == 0 {
                return false;
            }
            choices >>= BITS_PER_CHOICE;
        }
        true
    }

    /// Adds a hash.
    #[inline(always)]
    pub fn add(&mut self, hash: u64) {
        let (line, mut choices) = self.place(hash);
        let words = &mut self.words[line..line + LINE_WORDS];
        let before: u32 = words.iter().map(|word| word.count_ones()).sum();
        for _ in 0..self.bits_per_hash {
            let (word, bit) = choice(choices);
            words[word] |= bit;
            choices >>= BITS_PER_CHOICE;
        }
        let after: u32 = words.iter().map(|word| word.count_ones()).sum();
        self.added += 1;
        self.set_bits += u64::from(after - before);
        let chance = (f64::from(before) / f64::from(LINE_BITS)).powi(self.bits_per_hash as i32);
        self.lost += chance / (1.0 - chance).max(1e-9);
    }

    /// Asks the processor to fetch what a hash needs.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        crate::packed::prefetch::prefetch(&self.words, self.place(hash).0);
    }

    /// The first word of a hash's line, and the choices of bits in it.
    #[inline(always)]
    fn place(&self, hash: u64) -> (usize, u64) {
        let first = mix(hash);
        let line = ((u128::from(first) * u128::from(self.lines)) >> 64) as usize;
        (self.origin + line * LINE_WORDS, mix(first ^ 0x9E37_79B9_7F4A_7C15))
    }
}

#[inline(always)]
fn choice(choices: u64) -> (usize, u64) {
    ((choices >> 6) as usize % LINE_WORDS, 1 << (choices & 63))
}

/// A bijection that spreads every bit over all.
#[inline(always)]
fn mix(value: u64) -> u64 {
    let mut x = value;
    x = (x ^ (x >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x = (x ^ (x >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x ^ (x >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_found() {
        for bits in 1..=MOST_BITS {
            let mut table = BitTable::new(1 << 12, bits);
            for hash in 0..2000 {
                table.add(hash * hash);
                assert!(table.contains(hash * hash));
            }
            assert!((0..2000).all(|hash| table.contains(hash * hash)));
            assert_eq!(table.added(), 2000);
        }
    }

    #[test]
    fn a_table_takes_no_more_memory_than_it_was_given() {
        for bytes in [1 << 10, 5000, 1 << 20, (1 << 20) + 77] {
            assert!(BitTable::new(bytes, 3).bytes() <= bytes);
        }
    }

    #[test]
    fn the_account_of_what_was_lost_is_close_to_the_truth() {
        for (bytes, bits) in [(1 << 14, 3), (1 << 15, 3), (1 << 15, 5), (1 << 13, 2)] {
            let mut table = BitTable::new(bytes, bits);
            let mut truly_lost = 0u32;
            for hash in 0..20_000u64 {
                let hash = hash.wrapping_mul(0xA24B_AED4_963E_E407);
                if table.contains(hash) {
                    truly_lost += 1;
                } else {
                    table.add(hash);
                }
            }
            let truth = f64::from(truly_lost);
            assert!((table.lost() - truth).abs() <= 0.1 * truth + 10.0, "{} for {truth}", table.lost());
        }
    }
}
