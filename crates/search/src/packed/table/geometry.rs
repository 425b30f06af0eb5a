//! How hashes are turned into places of a table, and places into hashes.

use super::{
    DISTANCE_BITS, FEWEST_GROUP_LINES, FIRST_GROUP_BITS, LEAST_KEY_BITS, LINE_BITS, LINE_BYTES,
    SEGMENT_GROUP_BITS,
};

/// How hashes are turned into places.
///
/// The upper `group_bits` of a hash choose a group of `group_lines` lines; the bits below choose one of these by multiplication and
/// are stored less the least number that chooses the same line. A group has 8 to 15 lines, so that three bits are saved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Geometry {
    pub(super) key_bits: u32,
    pub(super) extra_bits: u32,
    pub(super) group_bits: u32,
    pub(super) group_lines: usize,
    /// Of the bits below the group, how many choose the line.
    line_bits: u32,
    /// By line of a group: the least bits that choose it.
    starts: [u32; 2 * FEWEST_GROUP_LINES],
    pub(super) slot_bytes: usize,
    /// Bits of a hash that are stored as they are.
    lower_bits: u32,
    /// For a division by `group_lines`.
    reciprocal: u64,
    /// By how much, and by one more, a hash is shifted to be the number of its segment.
    pub(super) segment_shift: u32,
    pub(super) segment_lines: usize,
}

/// Enough for an exact division of what has [`LINE_BITS`] bits by a number below 16.
pub(super) const RECIPROCAL_BITS: u32 = 20;

/// Where an element belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Home {
    pub(super) segment: usize,
    pub(super) line: usize,
    /// What the line does not say of the hash.
    pub(super) rest: u64,
}

impl Geometry {
    /// With the fewest lines.
    pub(super) fn smallest(key_bits: u32, extra_bits: u32) -> Geometry {
        let key_bits = if extra_bits > 0 { 64 } else { key_bits.max(LEAST_KEY_BITS) };
        Geometry::with_groups(key_bits, extra_bits, FIRST_GROUP_BITS, FEWEST_GROUP_LINES)
    }

    pub(super) fn with_groups(
        key_bits: u32,
        extra_bits: u32,
        group_bits: u32,
        group_lines: usize,
    ) -> Geometry {
        let line_bits = LINE_BITS.min(key_bits - group_bits);
        let mut starts = [0; 2 * FEWEST_GROUP_LINES];
        for (line, start) in starts.iter_mut().enumerate() {
            *start = (line << line_bits).div_ceil(group_lines) as u32;
        }
        let mut geometry = Geometry {
            key_bits,
            extra_bits,
            group_bits,
            group_lines,
            line_bits,
            starts,
            slot_bytes: 0,
            lower_bits: key_bits - group_bits - line_bits,
            reciprocal: (1u64 << RECIPROCAL_BITS).div_ceil(group_lines as u64),
            segment_shift: 0,
            segment_lines: 0,
        };
        geometry.segment_shift = key_bits - geometry.segment_bits() - 1;
        geometry.segment_lines = geometry.lines_of_segment();
        // A slot never exceeds two words: a table starts with more lines than a distance needs bits.
        geometry.slot_bytes = match (geometry.rest_bits() + extra_bits + DISTANCE_BITS).div_ceil(8) as usize {
            0..=2 => 2,
            11 => 12,
            bytes if bytes > 12 => 16,
            bytes => bytes,
        };
        geometry
    }

    /// The next larger one; `None` if there is a line for every hash.
    pub(super) fn larger(&self) -> Option<Geometry> {
        // What is small doubles.
        let doubles = self.group_bits < SEGMENT_GROUP_BITS || self.group_lines + 1 == 2 * FEWEST_GROUP_LINES;
        let (group_bits, group_lines) = match doubles {
            true => (self.group_bits + 1, FEWEST_GROUP_LINES),
            false => (self.group_bits, self.group_lines + 1),
        };
        (group_bits + 4 <= self.key_bits)
            .then(|| Geometry::with_groups(self.key_bits, self.extra_bits, group_bits, group_lines))
    }

    /// The smallest one, from this one on, that has room for so many keys.
    pub(super) fn with_room(self, keys: usize) -> Geometry {
        let mut geometry = self;
        while geometry.limit() < keys
            && let Some(larger) = geometry.larger()
        {
            geometry = larger;
        }
        geometry
    }

    /// Bits of a hash that a slot stores.
    #[inline(always)]
    pub(super) fn rest_bits(&self) -> u32 {
        self.key_bits - self.group_bits - FEWEST_GROUP_LINES.ilog2()
    }

    pub(super) fn segment_bits(&self) -> u32 {
        self.group_bits.saturating_sub(SEGMENT_GROUP_BITS)
    }

    pub(super) fn segments(&self) -> usize {
        1 << self.segment_bits()
    }

    pub(super) fn lines_of_segment(&self) -> usize {
        self.group_lines << (self.group_bits - self.segment_bits())
    }

    pub(super) fn bytes_of_segment(&self) -> usize {
        self.lines_of_segment() * LINE_BYTES
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes_of_segment() * self.segments()
    }

    /// How many keys may be in the table.
    pub(super) fn limit(&self) -> usize {
        let slots = (LINE_BYTES / self.slot_bytes) * (self.group_lines << self.group_bits);
        slots / 100 * 88 + slots % 100 / 2
    }

    #[inline(always)]
    pub(super) fn home(&self, hash: u64) -> Home {
        // The line is a product's upper part; the lower part tells the hashes of a line apart, in steps of the factor.
        let product = (hash >> self.lower_bits) * self.group_lines as u64;
        let among = product & ((1 << self.line_bits) - 1);
        let rest = (((among * self.reciprocal) >> RECIPROCAL_BITS) << self.lower_bits)
            | (hash & ((1 << self.lower_bits) - 1));
        let segment = (hash >> 1 >> self.segment_shift) as usize;
        let line = (product >> self.line_bits) as usize - segment * self.segment_lines;
        Home { segment, line, rest }
    }

    /// The hash with this home.
    #[inline(always)]
    pub(super) fn hash(&self, home: Home) -> u64 {
        let below = self.key_bits - self.group_bits;
        // A division that costs little: there are less than 2^28 lines.
        let reciprocal = (1u64 << 32).div_ceil(self.group_lines as u64);
        let group = (home.line as u64 * reciprocal) >> 32;
        let line = home.line - group as usize * self.group_lines;
        let lower = home.rest + (u64::from(self.starts[line]) << (below - self.line_bits));
        let bits_in_segment = self.group_bits.min(SEGMENT_GROUP_BITS);
        (((home.segment as u64) << bits_in_segment | group) << below) | lower
    }
}
