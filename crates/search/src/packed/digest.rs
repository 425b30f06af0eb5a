//! A number that stands for a set of states, whatever order they come in.
//!
//! Each component of a state has a token: a hash of what it is, where it is and what it holds. The tokens of a state are added and the
//! sum is mixed; the results of all states are added. Who keeps states as plain values and who keeps them packed comes to the same
//! number, so that a second engine can confirm what a first one has searched.

use crate::packed::components::{Component, ComponentId, Components};
use crate::packed::layout::{Field, Layout};
use crate::packed::store::{Store, StoreReader};
use crate::threads::team::for_each_member;
use std::fmt;
use system::state::State;

/// Stands for a set of states.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct StatesDigest(u128);

impl fmt::Display for StatesDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// What a token is of.
#[derive(Clone, Copy)]
enum Kind {
    Global = 1,
    Process,
    Channel,
    Last,
    EventTrace,
}

impl StatesDigest {
    /// Of two sets that have no state in common.
    pub(crate) fn joined(self, other: StatesDigest) -> StatesDigest {
        StatesDigest(self.0.wrapping_add(other.0))
    }

    /// One that was written down.
    pub(crate) fn read(text: &str) -> Option<StatesDigest> {
        u128::from_str_radix(text, 16).ok().map(StatesDigest)
    }

    /// Adds a state.
    pub fn add(&mut self, state: &State) {
        let mut sum = token(Kind::Last, 0, [state.last as i32]);
        let event_trace = state.event_trace.map_or(-1, |location| location.0 as i32);
        sum = sum.wrapping_add(token(Kind::EventTrace, 0, [event_trace]));
        for (slot, &value) in state.globals.iter().enumerate() {
            sum = sum.wrapping_add(token(Kind::Global, slot as u32, [value]));
        }
        for (pid, process) in state.processes.iter().enumerate() {
            let head = [process.automaton.0 as i32, process.location.0 as i32, process.priority];
            let content = head.into_iter().chain(process.locals.iter().copied());
            sum = sum.wrapping_add(token(Kind::Process, pid as u32, content));
        }
        for (id, channel) in state.channels.iter().enumerate() {
            let owner = channel.owner.map_or(-1, |pid| pid.0 as i32);
            let content =
                [channel.channel_type.0 as i32, owner].into_iter().chain(channel.contents.iter().copied());
            sum = sum.wrapping_add(token(Kind::Channel, id as u32, content));
        }
        self.0 = self.0.wrapping_add(mixed(sum));
    }

    /// Of all states of a store, under its layout; a thread takes every so manyth piece.
    pub(crate) fn of_store<const N: usize>(
        store: Store<N>,
        layout: &Layout,
        components: &Components,
        threads: usize,
    ) -> StatesDigest {
        let tokens = Tokens::new(components, layout);
        let reader: StoreReader<N> = store.into_reader();
        let mut members: Vec<usize> = (0..threads.max(1)).collect();
        let sums = for_each_member(&mut members, |first| {
            let mut sum = 0u128;
            for piece in (*first..reader.pieces()).step_by(threads.max(1)) {
                reader.for_each_in(piece, |state| sum = sum.wrapping_add(tokens.of(&state)));
            }
            sum
        });
        StatesDigest(sums.into_iter().fold(0, u128::wrapping_add))
    }
}

/// What stands for packed states, one after another.
pub struct PackedDigest {
    tokens: Tokens,
    sum: u128,
}

impl PackedDigest {
    /// Of no state yet; the values of all that come, in this layout, are known.
    pub fn new(components: &Components, layout: &Layout) -> PackedDigest {
        PackedDigest { tokens: Tokens::new(components, layout), sum: 0 }
    }

    /// Adds a state.
    pub fn add<const N: usize>(&mut self, state: &[u64; N]) {
        self.sum = self.sum.wrapping_add(self.tokens.of(state));
    }

    /// Of all that were added.
    pub fn digest(&self) -> StatesDigest {
        StatesDigest(self.sum)
    }
}

/// The tokens of all components, for states in one layout.
struct Tokens {
    /// Of those without bits: they are the same in all states.
    always: u128,
    groups: Vec<Group>,
}

/// Components whose fields are neighbours, with the sum of their tokens for each combination of numbers.
struct Group {
    field: Field,
    sums: Vec<u128>,
}

/// Fields are put together up to this many bits: few look-ups, and lists that stay near.
const GROUP_BITS: u32 = 8;

impl Tokens {
    fn new(components: &Components, layout: &Layout) -> Tokens {
        let mut always = 0u128;
        let mut fields = Vec::new();
        for component in components.ids() {
            let (field, tokens) = (layout.field(component), tokens_of(components, component, 0));
            match field.width {
                0 => always = always.wrapping_add(tokens[0]),
                _ => fields.push((field, tokens)),
            }
        }
        fields.sort_by_key(|(field, _)| (field.word, field.shift));
        let mut groups: Vec<Group> = Vec::new();
        for (field, tokens) in fields {
            let is_next = |group: &&mut Group| {
                let Field { word, shift, width } = group.field;
                (word, shift + width) == (field.word, field.shift) && width + field.width <= GROUP_BITS
            };
            match groups.last_mut().filter(is_next) {
                Some(group) => {
                    let sums =
                        tokens.iter().map(|token| group.sums.iter().map(|sum| sum.wrapping_add(*token)));
                    group.sums = sums.flatten().collect();
                    group.field.width += field.width;
                }
                None => groups.push(Group { field, sums: tokens }),
            }
            // Numbers that no value has do not occur; there is a place for them where more is to be put before it.
            if let Some(group) = groups.last_mut().filter(|group| group.field.width <= GROUP_BITS) {
                group.sums.resize(1 << group.field.width, 0);
            }
        }
        Tokens { always, groups }
    }

    #[inline]
    fn of<const N: usize>(&self, state: &[u64; N]) -> u128 {
        let add = |sum: u128, group: &Group| sum.wrapping_add(group.sums[group.field.get(state) as usize]);
        mixed(self.groups.iter().fold(self.always, add))
    }
}

/// The tokens of the values of a component, from a number on.
pub fn tokens_of(components: &Components, component: ComponentId, first: usize) -> Vec<u128> {
    let token_of = |value: &[i32]| {
        let content = value.iter().copied();
        match components.kind(component) {
            Component::Shape => 0,
            Component::Last => token(Kind::Last, 0, content),
            Component::EventTrace => token(Kind::EventTrace, 0, content),
            Component::Globals { first, .. } => content
                .enumerate()
                .map(|(offset, value)| token(Kind::Global, first + offset as u32, [value]))
                .fold(0, u128::wrapping_add),
            // A process or a channel that is not there.
            Component::Process(_) | Component::Channel(_) if value.is_empty() => 0,
            Component::Process(pid) => token(Kind::Process, pid.0, content),
            Component::Channel(id) => token(Kind::Channel, id.0, content),
        }
    };
    (first..components.values(component))
        .map(|number| token_of(components.value(component, number as u32)))
        .collect()
}

fn token(kind: Kind, index: u32, content: impl IntoIterator<Item = i32>) -> u128 {
    let mut lanes = [kind as u64, !(kind as u64)].map(|seed| scrambled(seed << 32 | u64::from(index)));
    for word in content {
        let word = u64::from(word as u32) + 1;
        lanes = [scrambled(lanes[0] ^ word), scrambled(lanes[1].wrapping_add(word << 32 | word))];
    }
    u128::from(lanes[0]) << 64 | u128::from(lanes[1])
}

/// Nonlinear: otherwise two sets whose states hold the same values in other combinations would have one digest.
pub fn mixed(sum: u128) -> u128 {
    let (high, low) = ((sum >> 64) as u64, sum as u64);
    let first = scrambled(high ^ scrambled(low));
    let second = scrambled(low ^ scrambled(first.wrapping_add(high)));
    u128::from(first) << 64 | u128::from(second)
}

/// A bijection whose outputs look independent (the finisher of Steele's SplitMix).
fn scrambled(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}
