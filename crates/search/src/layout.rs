//! Where in a packed state the number of each part stands.
//!
//! A packed state is an array of words; each part has a field of bits inside one word. A field is as wide as the values
//! seen so far need, with some room; when a part outgrows its field, a new layout is made and all states are packed anew.

use crate::parts::{PartId, Parts};

/// The place of a part's number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Field {
    /// Which word.
    pub word: u32,
    /// First bit.
    pub shift: u32,
    /// How many bits; a field without bits is always 0.
    pub width: u32,
}

/// The places of all parts.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    fields: Vec<Field>,
    words: usize,
    /// Bits in use of the first word, when there is only one.
    key_bits: u32,
}

/// The most words that a packed state may have; 1, 2, 4 and 16 are the other widths.
pub const MOST_WORDS: usize = 64;

impl Layout {
    /// A layout in which every number fits; `None` if the states are too large.
    pub fn plan(parts: &Parts) -> Option<Layout> {
        let mut order: Vec<PartId> = parts.ids().collect();
        order.sort_by_key(|&part| parts.neighbourhood(part));
        let values = |part: PartId| parts.values(part) as u64;
        let mut widths: Vec<u32> =
            parts.ids().map(|part| 64 - values(part).saturating_sub(1).leading_zeros()).collect();
        let total: u32 = widths.iter().sum();
        if total <= 64 {
            // A single word is worth more than spare bits. What is left goes to the fields that are fullest: each bit more is
            // a new layout less.
            let mut left = (64 - total).min(order.len() as u32);
            while left > 0 {
                let spare = order.iter().copied().filter(|&part| values(part) > 1);
                // Compares values / 2^width without fractions; a field gets one spare bit, not two.
                let fullest = spare
                    .filter(|&part| values(part) << 1 > 1 << widths[part.0 as usize])
                    .max_by_key(|&part| values(part) << (40 - widths[part.0 as usize].min(40)));
                let Some(fullest) = fullest else { break };
                widths[fullest.0 as usize] += 1;
                left -= 1;
            }
            return Layout::fill(&order, &widths, 1, 64);
        }
        for part in parts.ids().filter(|&part| values(part) > 1) {
            widths[part.0 as usize] += 1;
        }
        let total: u32 = widths.iter().sum();
        let mut words = 2;
        while words <= MOST_WORDS {
            // Even halves first, then as full as it gets.
            for target in [total.div_ceil(words as u32), 64] {
                if let Some(layout) = Layout::fill(&order, &widths, words, target.min(64)) {
                    return Some(layout);
                }
            }
            words *= if words == 2 { 2 } else { 4 };
        }
        None
    }

    /// How many words a packed state has.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Bits in use when there is one word.
    pub fn key_bits(&self) -> u32 {
        self.key_bits
    }

    /// The place of a part; parts that are younger than the layout have no bits.
    #[inline(always)]
    pub fn field(&self, part: PartId) -> Field {
        self.fields.get(part.0 as usize).copied().unwrap_or_default()
    }

    /// The places of all parts that it knows.
    pub fn fields(&self) -> impl Iterator<Item = (PartId, Field)> + '_ {
        self.fields.iter().enumerate().map(|(part, &field)| (PartId(part as u32), field))
    }

    /// The number of a part.
    #[inline(always)]
    pub fn number<const N: usize>(&self, state: &[u64; N], part: PartId) -> u32 {
        self.field(part).get(state)
    }

    /// Whether a number fits into a part's field.
    pub fn fits(&self, part: PartId, number: u32) -> bool {
        u64::from(number) >> self.field(part).width == 0
    }

    /// A state in this layout out of the numbers of its parts.
    pub fn pack<const N: usize>(&self, numbers: impl Fn(PartId) -> u32) -> [u64; N] {
        let mut state = [0; N];
        for (index, field) in self.fields.iter().enumerate() {
            if field.width > 0 {
                state[field.word as usize] |= u64::from(numbers(PartId(index as u32))) << field.shift;
            }
        }
        state
    }

    /// Places fields one after another and goes on to the next word at `target` bits.
    fn fill(order: &[PartId], widths: &[u32], words: usize, target: u32) -> Option<Layout> {
        let mut fields = vec![Field::default(); order.len()];
        let (mut word, mut shift) = (0, 0);
        for &part in order {
            let width = widths[part.0 as usize];
            if width == 0 {
                continue;
            }
            let next_exists = word + 1 < words;
            if shift + width > 64 || (shift >= target && next_exists) {
                word += 1;
                shift = 0;
            }
            if word >= words {
                return None;
            }
            fields[part.0 as usize] = Field { word: word as u32, shift, width };
            shift += width;
        }
        let key_bits = if words == 1 { shift } else { 64 };
        Some(Layout { fields, words, key_bits })
    }
}

impl Field {
    /// The number that stands in this field.
    #[inline(always)]
    pub fn get<const N: usize>(self, state: &[u64; N]) -> u32 {
        let word = if N == 1 { state[0] } else { state[self.word as usize] };
        ((word >> self.shift) & self.mask_low()) as u32
    }

    /// The bits of this field, in its word.
    pub fn mask(self) -> u64 {
        self.mask_low() << self.shift
    }

    #[inline(always)]
    fn mask_low(self) -> u64 {
        (1u64 << self.width) - 1
    }
}
