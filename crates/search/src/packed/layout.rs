//! Where in a packed state the number of each component stands.
//!
//! A packed state is an array of words; each component has a field of bits inside one word. A field is as wide as the values
//! seen so far need, with some room; when a component outgrows its field, a new layout is made and all states are packed anew.

use crate::packed::components::{ComponentId, Components, Family};
use crate::packed::store::StateShape;
use std::collections::HashMap;

/// The place of a component's number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Field {
    /// Which word.
    pub word: u32,
    /// First bit.
    pub shift: u32,
    /// How many bits; a field without bits is always 0.
    pub width: u32,
}

/// The places of all components.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    fields: Vec<Field>,
    words: usize,
    shape: StateShape,
}

/// The most words that a packed state may have; 1, 2, 4 and 16 are the other widths.
pub const MOST_WORDS: usize = 64;

/// States of two words with at most this many bits are stored as they are: a tree of halves would be smaller still, but each
/// number of a half costs two visits to memory that nothing can be done about, and more than half of the time.
pub const MOST_FLAT_BITS: u32 = 88;
/// Bits that may be lost because a field does not go over the border between two words.
const LOST_AT_BORDER: u32 = 8;
/// Bits that such states should have to spare.
const FRUGAL_SPARE_BITS: u32 = 2;

impl Layout {
    /// A layout in which every number fits; `None` if the states are too large.
    pub fn plan(components: &Components) -> Option<Layout> {
        Layout::plan_with_spare(components, FRUGAL_SPARE_BITS)
    }

    /// The same with so many bits to spare, where states are stored as they are.
    pub fn plan_with_spare(components: &Components, spare: u32) -> Option<Layout> {
        let mut order: Vec<ComponentId> = components.ids().collect();
        order.sort_by_key(|&component| components.neighbourhood(component));
        let values = |component: ComponentId| components.values(component) as u64;
        let mut widths: Vec<u32> = components
            .ids()
            .map(|component| 64 - values(component).saturating_sub(1).leading_zeros())
            .collect();
        let total: u32 = widths.iter().sum();
        let wishes = as_wide_as_relatives(components, &widths);
        if total <= 64 {
            // A single word is worth more than spare bits. What is left goes to the fields that are fullest, then to those that are likely
            // to need it: each bit more is a new layout less.
            share_out(&mut widths, (64 - total).min(order.len() as u32), &order, &values);
            let total: u32 = widths.iter().sum();
            grant(&mut widths, &wishes, 64 - total, &order);
            return Layout::fill(&order, &widths, 1, 64);
        }
        let frugal = total + spare <= MOST_FLAT_BITS;
        if frugal {
            // Where states are stored as they are every bit counts; up to a whole byte they are free.
            let left = (total + spare).next_multiple_of(8) - total;
            share_out(&mut widths, left, &order, &values);
        } else {
            let has_spare = |component: &ComponentId| values(*component) > 1;
            order.iter().copied().filter(has_spare).for_each(|component| widths[component.0 as usize] += 1);
            // Words are there or not: up to the last of them bits are free.
            let total: u32 = widths.iter().sum();
            let words = u32::try_from(words_for(total)).unwrap_or(u32::MAX);
            grant(&mut widths, &wishes, (words * 64 * 7 / 8).saturating_sub(total), &order);
        }
        let total: u32 = widths.iter().sum();
        let mut words = 2;
        while words <= MOST_WORDS {
            // Even halves first, then as full as it gets.
            let even = total.div_ceil(words as u32);
            if words == 2
                && total <= MOST_FLAT_BITS
                && let Some(layout) = Layout::fill_first(&order, &widths)
            {
                return Some(layout);
            }
            for target in [even, 64] {
                if let Some(layout) = Layout::fill(&order, &widths, words, target.min(64)) {
                    return Some(layout);
                }
            }
            words *= if words == 2 { 2 } else { 4 };
        }
        None
    }

    /// A layout whose states are not in a store: their places are all that counts.
    pub fn restored(fields: Vec<Field>, words: usize) -> Layout {
        Layout { fields, words, shape: StateShape::default() }
    }

    /// How many words a packed state has.
    pub fn words(&self) -> usize {
        self.words
    }

    /// How many bits of a packed state are in use.
    pub fn bits(&self) -> u32 {
        self.fields.iter().map(|field| field.width).sum()
    }

    /// How its states are stored.
    pub fn shape(&self) -> StateShape {
        self.shape
    }

    /// The place of a component; components that are younger than the layout have no bits.
    #[inline(always)]
    pub fn field(&self, component: ComponentId) -> Field {
        self.fields.get(component.0 as usize).copied().unwrap_or_default()
    }

    /// The places of all components that it knows.
    pub fn fields(&self) -> impl Iterator<Item = (ComponentId, Field)> + '_ {
        self.fields.iter().enumerate().map(|(component, &field)| (ComponentId(component as u32), field))
    }

    /// Which component each bit of a state belongs to; any component where it belongs to none.
    pub fn components_of_bits<const N: usize>(&self) -> Box<[[ComponentId; 64]; N]> {
        let mut components = Box::new([[ComponentId(0); 64]; N]);
        for (component, field) in self.fields() {
            let first = field.shift as usize;
            components[field.word as usize][first..first + field.width as usize].fill(component);
        }
        components
    }

    /// The number of a component.
    #[inline(always)]
    pub fn number<const N: usize>(&self, state: &[u64; N], component: ComponentId) -> u32 {
        self.field(component).get(state)
    }

    /// Whether a number fits into a component's field.
    pub fn fits(&self, component: ComponentId, number: u32) -> bool {
        u64::from(number) >> self.field(component).width == 0
    }

    /// A state in this layout out of the numbers of its components.
    pub fn pack<const N: usize>(&self, numbers: impl Fn(ComponentId) -> u32) -> [u64; N] {
        let mut state = [0; N];
        for (index, field) in self.fields.iter().enumerate() {
            if field.width > 0 {
                state[field.word as usize] |= u64::from(numbers(ComponentId(index as u32))) << field.shift;
            }
        }
        state
    }

    /// Two words, the first as full as it gets: a state is stored as it is, and every bit that is left free in between costs.
    fn fill_first(order: &[ComponentId], widths: &[u32]) -> Option<Layout> {
        // By place in the order: which sums up to 64 the widths from there on can make.
        let mut sums = vec![1u128; order.len() + 1];
        for (place, &component) in order.iter().enumerate().rev() {
            let later = sums[place + 1];
            sums[place] = (later | later.unbounded_shl(widths[component.0 as usize])) & ((1 << 65) - 1);
        }
        let mut left = 127 - sums[0].leading_zeros();
        let mut fields = vec![Field::default(); order.len()];
        let mut filled = [0, 0];
        for (place, &component) in order.iter().enumerate() {
            let width = widths[component.0 as usize];
            // As many of the first as possible: neighbours stay neighbours.
            let word = usize::from(width > left || (sums[place + 1] >> (left - width)) & 1 == 0);
            if filled[word] + width > 64 {
                return None;
            }
            if width > 0 {
                fields[component.0 as usize] = Field { word: word as u32, shift: filled[word], width };
                filled[word] += width;
                left -= if word == 0 { width } else { 0 };
            }
        }
        let shape = StateShape::Flat { key_bits: 64, extra_bits: filled[1] };
        let fits = filled[1] > 0 && 64 + filled[1] <= MOST_FLAT_BITS + LOST_AT_BORDER;
        fits.then_some(Layout { fields, words: 2, shape })
    }

    /// Places fields one after another and goes on to the next word at `target` bits.
    fn fill(order: &[ComponentId], widths: &[u32], words: usize, target: u32) -> Option<Layout> {
        let mut fields = vec![Field::default(); order.len()];
        let (mut word, mut shift) = (0, 0);
        for &component in order {
            let width = widths[component.0 as usize];
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
            fields[component.0 as usize] = Field { word: word as u32, shift, width };
            shift += width;
        }
        let shape = match words {
            1 => StateShape::Flat { key_bits: shift, extra_bits: 0 },
            _ => StateShape::Tree,
        };
        Some(Layout { fields, words, shape })
    }
}

/// How many words a state of so many bits has, if it has more than one.
fn words_for(bits: u32) -> usize {
    [2, 4, 16].into_iter().find(|&words| bits as usize <= 64 * words).unwrap_or(MOST_WORDS)
}

/// For each component the width of the widest of its family: what is true of one element of an array will be true of the others.
fn as_wide_as_relatives(components: &Components, widths: &[u32]) -> Vec<u32> {
    let families: Vec<Option<Family>> =
        components.ids().map(|component| components.family(component)).collect();
    let mut widest: HashMap<Family, u32> = HashMap::new();
    for (family, &width) in families.iter().zip(widths) {
        if let Some(family) = family {
            let known = widest.entry(*family).or_default();
            *known = width.max(*known);
        }
    }
    let width_of = |(family, &width): (&Option<Family>, &u32)| match family {
        Some(family) => widest[family],
        None => width,
    };
    families.iter().zip(widths).map(width_of).collect()
}

/// Makes fields as wide as wished, as long as there are bits; how many were given.
fn grant(widths: &mut [u32], wishes: &[u32], bits: u32, order: &[ComponentId]) -> u32 {
    let mut given = 0;
    for component in order {
        let (width, wish) = (&mut widths[component.0 as usize], wishes[component.0 as usize]);
        let more = wish.saturating_sub(*width);
        if given + more <= bits {
            given += more;
            *width += more;
        }
    }
    given
}

/// Gives spare bits to the fields that are fullest, one each.
fn share_out(widths: &mut [u32], bits: u32, order: &[ComponentId], values: &impl Fn(ComponentId) -> u64) {
    for _ in 0..bits {
        let spare = order.iter().copied().filter(|&component| values(component) > 1);
        // Compares values / 2^width without fractions; a field gets one spare bit, not two.
        let fullest = spare
            .filter(|&component| values(component) << 1 > 1 << widths[component.0 as usize])
            .max_by_key(|&component| values(component) << (40 - widths[component.0 as usize].min(40)));
        let Some(fullest) = fullest else { break };
        widths[fullest.0 as usize] += 1;
    }
}

impl Field {
    /// The number that stands in this field.
    #[inline(always)]
    pub fn get<const N: usize>(self, state: &[u64; N]) -> u32 {
        let word = if N == 1 { state[0] } else { state[self.word as usize] };
        ((word >> self.shift) & self.mask_low()) as u32
    }

    /// Flips bits of the number that stands in this field.
    pub fn flip<const N: usize>(self, state: &mut [u64; N], bits: u32) {
        if self.width > 0 {
            state[self.word as usize] ^= u64::from(bits) << self.shift;
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_two_words_is_filled_to_the_last_bit_if_the_widths_allow_it() {
        let widths = [13, 13, 13, 13, 9, 7, 5, 2];
        let order: Vec<ComponentId> = (0..8).map(ComponentId).collect();
        let layout = Layout::fill_first(&order, &widths).expect("75 bits fit into two words");
        assert_eq!(layout.shape(), StateShape::Flat { key_bits: 64, extra_bits: 11 });
        let mut used = [0u64; 2];
        for (component, field) in layout.fields() {
            assert_eq!(field.width, widths[component.0 as usize]);
            assert_eq!(used[field.word as usize] & field.mask(), 0, "fields do not overlap");
            used[field.word as usize] |= field.mask();
        }
        assert_eq!(used, [u64::MAX, (1 << 11) - 1]);
    }
}
