//! Which member a state belongs to.
//!
//! Every value of a component has a token: a hash of what it is, where it is and what it holds, so it is the same for all members whatever
//! number they have given to the value. The tokens of a state are added; who owns it follows from the sum. A successor differs from its
//! source in a few components, so its sum is that of the source with a few tokens exchanged.

use crate::packed::components::{ComponentId, Components};
use crate::packed::digest::{mixed, tokens_of};
use crate::packed::layout::{Field, Layout};

/// Knows the owners of states in one layout.
pub struct Owners<const N: usize> {
    members: u64,
    fields: Vec<(ComponentId, Field)>,
    /// Which of the fields each bit belongs to.
    field_of_bit: Box<[[u16; 64]; N]>,
    /// By field and number.
    tokens: Vec<Vec<u128>>,
    /// Of components without bits, whose value is always the same.
    always: u128,
}

impl<const N: usize> Owners<N> {
    /// For so many members.
    pub fn new(members: usize, layout: &Layout, components: &Components) -> Owners<N> {
        let fields: Vec<(ComponentId, Field)> =
            layout.fields().filter(|(_, field)| field.width > 0).collect();
        let mut field_of_bit = Box::new([[0; 64]; N]);
        for (place, (_, field)) in fields.iter().enumerate() {
            let first = field.shift as usize;
            field_of_bit[field.word as usize][first..first + field.width as usize].fill(place as u16);
        }
        let without = components.ids().filter(|&component| layout.field(component).width == 0);
        let always = without
            .map(|component| tokens_of(components, component, 0).first().copied().unwrap_or(0))
            .fold(0u128, u128::wrapping_add);
        let tokens = vec![Vec::new(); fields.len()];
        let mut owners = Owners { members: members as u64, fields, field_of_bit, tokens, always };
        owners.learn(components);
        owners
    }

    /// Learns the tokens of values that are new.
    pub fn learn(&mut self, components: &Components) {
        for ((component, _), tokens) in self.fields.iter().zip(&mut self.tokens) {
            if tokens.len() < components.values(*component) {
                tokens.extend(tokens_of(components, *component, tokens.len()));
            }
        }
    }

    /// The sum of a state; `None` if a value is not known yet.
    #[inline]
    pub fn sum(&self, state: &[u64; N]) -> Option<u128> {
        let mut sum = self.always;
        for ((_, field), tokens) in self.fields.iter().zip(&self.tokens) {
            sum = sum.wrapping_add(*tokens.get(field.get(state) as usize)?);
        }
        Some(sum)
    }

    /// The sum of a successor of a state whose sum is known; `None` if a value is not known yet.
    #[inline]
    pub fn sum_after(&self, sum: u128, source: &[u64; N], state: &[u64; N]) -> Option<u128> {
        let mut sum = sum;
        for word in 0..N {
            let mut changed = source[word] ^ state[word];
            while changed != 0 {
                let place = self.field_of_bit[word][changed.trailing_zeros() as usize] as usize;
                let (_, field) = self.fields[place];
                let tokens = &self.tokens[place];
                sum = sum
                    .wrapping_sub(*tokens.get(field.get(source) as usize)?)
                    .wrapping_add(*tokens.get(field.get(state) as usize)?);
                changed &= !field.mask();
            }
        }
        Some(sum)
    }

    /// The member that owns a state with this sum.
    #[inline]
    pub fn owner(&self, sum: u128) -> usize {
        ((u128::from(mixed(sum) as u64) * u128::from(self.members)) >> 64) as usize
    }
}
