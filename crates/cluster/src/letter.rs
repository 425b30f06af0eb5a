//! What processes tell each other.

use search::StopReason;
use search::members::Count;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Something for one process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Letter {
    /// For whom.
    pub to: u32,
    /// From whom.
    pub from: u32,
    /// What.
    pub body: Body,
}

/// What a letter says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Body {
    /// States that the receiver owns.
    Parcel(Bytes),
    /// So many parcels more were taken: whoever has sent them may send others.
    Taken(u32),
    /// Where the sender is, now and then.
    Pulse(Figures),
    /// The sender has expanded its part of the level.
    Word(Word),
}

/// Figures of one process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// States of the level.
    pub level: u64,
    /// All of its states.
    pub states: u64,
    /// Arrivals at states.
    pub arrivals: u64,
    /// Different errors.
    pub found: u64,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes that went over its connections.
    pub wire_bytes: u64,
}

impl Figures {
    /// Out of what a member counts.
    pub fn of(count: Count, wire_bytes: u64) -> Figures {
        let Count { level, states, arrivals, found, memory } = count;
        Figures { level, states, arrivals, found, memory, wire_bytes }
    }
}

/// What a process says when it has expanded its part of a level, or cannot.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Word {
    /// Its figures.
    pub figures: Figures,
    /// Why it wants everybody to stop.
    pub stop: Option<Stop>,
    /// Whether it has not expanded everything, so that the next level cannot be complete.
    pub left_some: bool,
    /// Whether everybody is to commit the next level; only the first process says so.
    pub commit: bool,
}

/// Why everybody has to stop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// Cancelled from outside.
    Cancelled,
    /// No memory, of so many bytes.
    Memory(u64),
    /// No time.
    Deadline,
    /// A state is too large for the packed form.
    StateTooLarge,
    /// In words.
    Trouble(String),
}

impl Stop {
    /// Of a reason, and words if it has some.
    pub fn of(reason: StopReason, trouble: Option<String>) -> Stop {
        match (trouble, reason) {
            (Some(trouble), _) => Stop::Trouble(trouble),
            (None, StopReason::Cancelled) => Stop::Cancelled,
            (None, StopReason::Memory(bytes)) => Stop::Memory(bytes as u64),
            (None, StopReason::Deadline) => Stop::Deadline,
            (None, StopReason::StateTooLarge) => Stop::StateTooLarge,
            (None, other) => Stop::Trouble(format!("{other:?}")),
        }
    }

    /// As a search says it.
    pub fn reason(&self) -> StopReason {
        match self {
            Stop::Cancelled => StopReason::Cancelled,
            Stop::Memory(bytes) => StopReason::Memory(usize::try_from(*bytes).unwrap_or(usize::MAX)),
            Stop::Deadline => StopReason::Deadline,
            Stop::StateTooLarge => StopReason::StateTooLarge,
            Stop::Trouble(_) => StopReason::Cluster,
        }
    }
}

/// Bytes that go over the wire as they are, and not one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'d> Deserialize<'d> for Bytes {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Bytes, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Bytes;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Bytes, E> {
                Ok(Bytes(bytes))
            }
        }
        deserializer.deserialize_byte_buf(Visitor)
    }
}
