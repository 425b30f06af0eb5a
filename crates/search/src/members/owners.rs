//! Which member a state belongs to.
//!
//! A few components decide ([`Ownership`]), chosen so that most steps change none of them ([`super::locality`]): a successor of a state that is
//! here is then here as well, and one look at the bits that changed says so. Every value of a component has a token: a hash of what it is,
//! where it is and what it holds, so it is the same for all members whatever number they have given to the value. The tokens of the values that
//! decide are added; who owns a state follows from the sum.

use crate::packed::components::{Component, ComponentId, Components};
use crate::packed::digest::{mixed, tokens_of};
use crate::packed::layout::{Field, Layout};
use foldhash::quality::FixedState;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::hash::BuildHasher;

/// What all members of a generation agree on: which states belong to whom.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ownership {
    /// How many members.
    members: usize,
    /// Components that decide; if there are none, all do.
    deciding: Vec<Decider>,
    /// Owners of states whose deciding values come to these sums; a hash of the sum decides about others.
    assigned: Vec<(u64, u32)>,
}

/// A component as all members call it: what it is, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decider(u8, u32);

impl Decider {
    /// Of a component.
    pub fn of(component: Component) -> Decider {
        match component {
            Component::Shape => Decider(0, 0),
            Component::Last => Decider(1, 0),
            Component::EventTrace => Decider(2, 0),
            Component::Globals { first, .. } => Decider(3, first),
            // A member divides no frames.
            Component::Process(pid) | Component::Locals { pid, .. } => Decider(4, pid.0),
            Component::Channel(channel) => Decider(5, channel.0),
        }
    }
}

impl Ownership {
    /// So many members, who share states by a hash of everything.
    pub fn by_hash(members: usize) -> Ownership {
        Ownership { members, ..Ownership::default() }
    }

    /// So many members, who share states by a few components.
    pub fn by_components(members: usize, deciding: Vec<Decider>, assigned: Vec<(u64, u32)>) -> Ownership {
        Ownership { members, deciding, assigned }
    }

    /// How many members.
    pub fn members(&self) -> usize {
        self.members
    }
}

/// What stands for a sum of tokens in an [`Ownership`].
pub fn key_of(sum: u128) -> u64 {
    mixed(sum) as u64
}

/// The member that a hash gives a state to.
pub fn by_hash(key: u64, members: usize) -> usize {
    ((u128::from(key) * members as u128) >> 64) as usize
}

/// Owners that are remembered; a power of two.
const REMEMBERED: usize = 1 << 10;

/// Knows the owners of states in one layout.
pub struct Owners<const N: usize> {
    members: usize,
    /// Fields that decide.
    fields: Vec<(ComponentId, Field)>,
    /// Their bits.
    mask: [u64; N],
    /// By field and number.
    tokens: Vec<Vec<u128>>,
    /// Of components that decide and have no bits: their value is always the same.
    always: u128,
    assigned: HashMap<u64, u32, FixedState>,
    /// Deciding bits, and whose they are.
    remembered: Vec<Option<([u64; N], usize)>>,
}

impl<const N: usize> Owners<N> {
    /// As was agreed, in a layout.
    pub fn new(ownership: &Ownership, layout: &Layout, components: &Components) -> Owners<N> {
        let decides = |component: ComponentId| {
            let decider = Decider::of(components.kind(component));
            ownership.deciding.is_empty() || ownership.deciding.contains(&decider)
        };
        let (fields, without): (Vec<_>, Vec<_>) = layout
            .fields()
            .filter(|&(component, _)| decides(component))
            .partition(|(_, field)| field.width > 0);
        let mut mask = [0; N];
        fields.iter().for_each(|(_, field)| mask[field.word as usize] |= field.mask());
        let always = without
            .iter()
            .map(|&(component, _)| tokens_of(components, component, 0).first().copied().unwrap_or(0))
            .fold(0u128, u128::wrapping_add);
        let members = ownership.members;
        let is_one = |&&(_, member): &&(u64, u32)| (member as usize) < members;
        let assigned = ownership.assigned.iter().filter(is_one).copied().collect();
        let tokens = vec![Vec::new(); fields.len()];
        let remembered = vec![None; REMEMBERED];
        let mut owners = Owners { members, fields, mask, tokens, always, assigned, remembered };
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

    /// Whether two states surely have one owner.
    #[inline]
    pub fn agree(&self, one: &[u64; N], other: &[u64; N]) -> bool {
        (0..N).all(|word| (one[word] ^ other[word]) & self.mask[word] == 0)
    }

    /// The member that owns a state; `None` if a value is not known yet.
    #[inline]
    pub fn owner(&mut self, state: &[u64; N]) -> Option<usize> {
        let deciding: [u64; N] = std::array::from_fn(|word| state[word] & self.mask[word]);
        let place = FixedState::default().hash_one(deciding) as usize % REMEMBERED;
        if let Some((_, owner)) = self.remembered[place].filter(|(known, _)| *known == deciding) {
            return Some(owner);
        }
        let key = key_of(self.sum(state)?);
        let assigned = self.assigned.get(&key).map(|&member| member as usize);
        let owner = assigned.unwrap_or_else(|| by_hash(key, self.members));
        self.remembered[place] = Some((deciding, owner));
        Some(owner)
    }

    fn sum(&self, state: &[u64; N]) -> Option<u128> {
        let mut sum = self.always;
        for ((_, field), tokens) in self.fields.iter().zip(&self.tokens) {
            sum = sum.wrapping_add(*tokens.get(field.get(state) as usize)?);
        }
        Some(sum)
    }
}
