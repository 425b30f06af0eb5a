//! The abstraction of a system that linear programs see: components, counters, transitions.
//!
//! A [`Component`] is a finite graph on which tokens stand; a [`Counter`] counts the messages of one type; a [`Transition`]
//! moves a token of each component that it names and adds to counters. Nothing of Promela is left here. The net has never fewer
//! behaviours than the model it stands for, so what is shown of all its runs holds for all runs of the model.

pub(crate) mod build;

use std::collections::BTreeSet;

/// Index into [`Net::components`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ComponentId(pub u32);
/// A node of one component.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u32);
/// Index into [`Net::counters`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CounterId(pub u32);
/// Index into [`Net::transitions`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TransitionId(pub u32);
/// Names a buffer of the analysis: all counters of one buffer have the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BufferId(pub u32);

/// Components, counters and the transitions between their values.
#[derive(Clone, Debug, Default)]
pub struct Net {
    /// Graphs on which tokens stand.
    pub components: Vec<Component>,
    /// Message types.
    pub counters: Vec<Counter>,
    /// What may happen.
    pub transitions: Vec<Transition>,
    /// Buffers that are known to be bounded already.
    pub settled: BTreeSet<BufferId>,
}

/// How many tokens a component can have at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tokens {
    /// Never more than one.
    AtMostOne,
    /// Any number.
    Any,
}

/// A finite graph; its edges are the transitions that move a token of it.
#[derive(Clone, Debug)]
pub struct Component {
    /// For people.
    pub name: String,
    /// How many nodes it has.
    pub nodes: u32,
    /// Where tokens stand at the start, with their number.
    pub initial: Vec<(NodeId, u32)>,
    /// How many tokens there can be at once.
    pub tokens: Tokens,
}

/// What a counter counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Counted {
    /// Messages of one type in a buffer: never negative.
    Messages(BufferId),
    /// Sends without their receives on a channel without a buffer: always zero between steps, so its weight may have either sign.
    Handshake,
    /// Room left in a buffer of known capacity: never negative.
    Room(BufferId),
    /// How far a number is above its least value, or below its largest: never negative.
    Number {
        /// Which, in the order of the certificate.
        number: u32,
        /// Above the least.
        above: bool,
    },
    /// Processes of a component that were ever started: only grows, and weighs nothing unless asked for.
    Starts(ComponentId),
}

/// Counts messages of one type.
#[derive(Clone, Debug)]
pub struct Counter {
    /// What it counts.
    pub counted: Counted,
    /// Value at the start.
    pub initial: u32,
}

/// A token of a component goes from one node to another; `None` is outside: it comes or leaves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Move {
    /// Whose token.
    pub component: ComponentId,
    /// From where.
    pub from: Option<NodeId>,
    /// To where.
    pub to: Option<NodeId>,
}

/// Something that may happen.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Transition {
    /// Tokens that move.
    pub moves: Vec<Move>,
    /// What is added to which counter; sorted by counter, none zero.
    pub effect: Vec<(CounterId, i32)>,
    /// It is progress (for the question of livelock).
    pub progress: bool,
    /// What it stands for, as an index into a table of whoever made the net.
    pub origin: u32,
}

impl Net {
    /// All transitions with their names.
    pub fn transition_ids(&self) -> impl Iterator<Item = (TransitionId, &Transition)> {
        self.transitions
            .iter()
            .enumerate()
            .map(|(index, transition)| (TransitionId(index as u32), transition))
    }

    /// The transition of this name.
    pub fn transition(&self, id: TransitionId) -> &Transition {
        &self.transitions[id.0 as usize]
    }

    /// All counters with their names.
    pub fn counter_ids(&self) -> impl Iterator<Item = (CounterId, &Counter)> {
        self.counters.iter().enumerate().map(|(index, counter)| (CounterId(index as u32), counter))
    }

    /// Whether the counter counts messages in a buffer.
    pub fn counts_messages(&self, id: CounterId) -> bool {
        matches!(self.counters[id.0 as usize].counted, Counted::Messages(_))
    }

    /// Whether the counter counts messages in a buffer that is known to be bounded already.
    pub fn is_settled(&self, counter: &Counter) -> bool {
        matches!(counter.counted, Counted::Messages(buffer) if self.settled.contains(&buffer))
    }

    /// Counters of the messages in a buffer.
    pub fn counters_of(&self, buffer: BufferId) -> impl Iterator<Item = CounterId> {
        self.counter_ids()
            .filter(move |(_, counter)| counter.counted == Counted::Messages(buffer))
            .map(|(id, _)| id)
    }
}
