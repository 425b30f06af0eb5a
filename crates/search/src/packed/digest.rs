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
use system::automaton::AutomatonId;
use system::state::{Channel, ChannelId, Pid, Process, State};

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
        let processes = state.processes.iter().enumerate();
        sum = processes.fold(sum, |sum, (pid, process)| sum.wrapping_add(token_of_process(pid, process)));
        let channels = state.channels.iter().enumerate();
        sum = channels.fold(sum, |sum, (id, channel)| sum.wrapping_add(token_of_channel(id, channel)));
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

fn token_of_process(pid: usize, process: &Process) -> u128 {
    let head = [process.automaton.0 as i32, process.location.0 as i32, process.priority];
    token(Kind::Process, pid as u32, head.into_iter().chain(process.locals.iter().copied()))
}

fn token_of_channel(id: usize, channel: &Channel) -> u128 {
    let head = [channel.channel_type.0 as i32, channel.owner.map_or(-1, |pid| pid.0 as i32)];
    token(Kind::Channel, id as u32, head.into_iter().chain(channel.contents.iter().copied()))
}

/// What stands for states of which each is told by how it differs from the one before.
#[derive(Debug, Default)]
pub(crate) struct Changing {
    /// Of the tokens of what no process and no channel is.
    sum: u128,
    processes: Vec<u128>,
    channels: Vec<u128>,
    changed_processes: Vec<Pid>,
    changed_channels: Vec<ChannelId>,
    digest: StatesDigest,
}

impl Changing {
    /// Begins with a state.
    pub fn begin(&mut self, state: &State) {
        let event_trace = state.event_trace.map_or(-1, |location| location.0 as i32);
        self.sum = token(Kind::Last, 0, [state.last as i32]);
        self.sum = self.sum.wrapping_add(token(Kind::EventTrace, 0, [event_trace]));
        let globals = state.globals.iter().enumerate();
        self.sum = globals.fold(self.sum, |sum, (slot, &value)| {
            sum.wrapping_add(token(Kind::Global, slot as u32, [value]))
        });
        let processes = state.processes.iter().enumerate();
        self.processes = processes.map(|(pid, process)| token_of_process(pid, process)).collect();
        let channels = state.channels.iter().enumerate();
        self.channels = channels.map(|(id, channel)| token_of_channel(id, channel)).collect();
        self.changed_processes.clear();
        self.changed_channels.clear();
    }

    /// A global slot has changed.
    pub fn global(&mut self, slot: u32, was: i32, is: i32) {
        let token = |value| token(Kind::Global, slot, [value]);
        self.sum = self.sum.wrapping_sub(token(was)).wrapping_add(token(is));
    }

    /// Something of a process has changed.
    pub fn process(&mut self, pid: Pid) {
        if self.changed_processes.last() != Some(&pid) {
            self.changed_processes.push(pid);
        }
    }

    /// What is in a channel has changed.
    pub fn channel(&mut self, id: ChannelId) {
        if self.changed_channels.last() != Some(&id) {
            self.changed_channels.push(id);
        }
    }

    /// Adds the state, which all changes have led to.
    pub fn add(&mut self, state: &State) {
        for pid in self.changed_processes.drain(..) {
            let index = pid.0 as usize;
            self.processes[index] = token_of_process(index, &state.processes[index]);
        }
        for id in self.changed_channels.drain(..) {
            let index = id.0 as usize;
            self.channels[index] = token_of_channel(index, &state.channels[index]);
        }
        let tokens = self.processes.iter().chain(&self.channels);
        let sum = tokens.fold(self.sum, |sum, token| sum.wrapping_add(*token));
        self.digest.0 = self.digest.0.wrapping_add(mixed(sum));
    }

    /// Of all that were added.
    pub fn digest(&self) -> StatesDigest {
        self.digest
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
    divided: Vec<DividedProcess>,
}

/// A process whose frame is divided: its token is made of its pieces, one after another.
struct DividedProcess {
    field: Field,
    /// By number: what is in the process itself, and which frame comes after that; `None` where its token is known as a whole.
    heads: Vec<Option<(Lanes, usize)>>,
    /// Pieces in the order of their slots.
    frames: Vec<Vec<Piece>>,
}

/// A piece of a divided frame: its field, and its values by number.
type Piece = (Field, Vec<Box<[i32]>>);

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
        let (mut fields, mut divided) = (Vec::new(), Vec::new());
        for component in components.ids() {
            let (field, tokens) = (layout.field(component), tokens_of(components, component, 0));
            divided.extend(DividedProcess::of(components, component, layout));
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
        Tokens { always, groups, divided }
    }

    #[inline]
    fn of<const N: usize>(&self, state: &[u64; N]) -> u128 {
        let add = |sum: u128, group: &Group| sum.wrapping_add(group.sums[group.field.get(state) as usize]);
        let sum = self.groups.iter().fold(self.always, add);
        mixed(self.divided.iter().fold(sum, |sum, process| sum.wrapping_add(process.token(state))))
    }
}

impl DividedProcess {
    /// `None` if the component is no process with a divided frame.
    fn of(components: &Components, component: ComponentId, layout: &Layout) -> Option<DividedProcess> {
        let Component::Process(pid) = components.kind(component) else { return None };
        let (mut types, mut frames) = (Vec::new(), Vec::new());
        let head = |number| {
            let (automaton, _) = components.place(component, number)?;
            if !components.is_divided(automaton) {
                return None;
            }
            let at = types.iter().position(|other| *other == automaton).unwrap_or_else(|| {
                let piece = |&piece: &ComponentId| {
                    let values = 0..components.values(piece) as u32;
                    let values = values.map(|number| components.value(piece, number).into());
                    (layout.field(piece), values.collect())
                };
                types.push(automaton);
                frames.push(components.pieces_of(pid, automaton).iter().map(piece).collect());
                frames.len() - 1
            });
            let content = components.value(component, number).iter().copied();
            Some((lanes(Kind::Process, pid.0, content), at))
        };
        let heads: Vec<_> = (0..components.values(component) as u32).map(head).collect();
        (!frames.is_empty()).then(|| DividedProcess { field: layout.field(component), heads, frames })
    }

    fn token<const N: usize>(&self, state: &[u64; N]) -> u128 {
        let Some((head, frame)) = self.heads[self.field.get(state) as usize] else { return 0 };
        let pieces = self.frames[frame].iter();
        joined(pieces.fold(head, |lanes, (field, values)| {
            values[field.get(state) as usize].iter().fold(lanes, |lanes, &value| with(lanes, value))
        }))
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
            // Its token is that of the whole process, which no piece of it has.
            Component::Locals { .. } => 0,
            Component::Process(_) if components.is_divided(AutomatonId(value[0] as u32)) => 0,
            Component::Process(pid) => token(Kind::Process, pid.0, content),
            Component::Channel(id) => token(Kind::Channel, id.0, content),
        }
    };
    (first..components.values(component))
        .map(|number| token_of(components.value(component, number as u32)))
        .collect()
}

/// A token in the making.
type Lanes = [u64; 2];

fn token(kind: Kind, index: u32, content: impl IntoIterator<Item = i32>) -> u128 {
    joined(lanes(kind, index, content))
}

fn lanes(kind: Kind, index: u32, content: impl IntoIterator<Item = i32>) -> Lanes {
    let lanes = [kind as u64, !(kind as u64)].map(|seed| scrambled(seed << 32 | u64::from(index)));
    content.into_iter().fold(lanes, with)
}

/// Goes on with a number.
fn with(lanes: Lanes, value: i32) -> Lanes {
    let word = u64::from(value as u32) + 1;
    [scrambled(lanes[0] ^ word), scrambled(lanes[1].wrapping_add(word << 32 | word))]
}

fn joined(lanes: Lanes) -> u128 {
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
