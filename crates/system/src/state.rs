//! Configurations of a running system.
//!
//! A [`State`] is plain data: what SPIN's verifier keeps in its state vector, one to one. Processes are numbered by age and
//! die youngest first, so a process's pid is its index; the same holds for channels, which die with the process that
//! created them.

use crate::automaton::{AutomatonId, LocationId};
use promela::model::ChannelTypeId;

/// Index into [`State::processes`], and the value of `_pid`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Pid(pub u32);

/// Index into [`State::channels`]. A variable that holds it has the value index + 1; 0 is no channel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ChannelId(pub u32);

/// A configuration.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// The global frame, hidden slots included.
    pub globals: Vec<i32>,
    /// Living processes, oldest first.
    pub processes: Vec<Process>,
    /// Existing channels, oldest first.
    pub channels: Vec<Channel>,
    /// `_last`: the process that moved last. Kept up to date only if the model mentions `_last`, otherwise 0.
    pub last: u32,
    /// The process that executes an `atomic` sequence: if it can move, only it may. SPIN does not store states in which
    /// this is set, unless that process is blocked (and then it is not set any more).
    pub exclusive: Option<Pid>,
    /// Where the event trace stands, if the model has one.
    pub event_trace: Option<LocationId>,
}

/// A living process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Process {
    /// Its control flow.
    pub automaton: AutomatonId,
    /// Where it stands.
    pub location: LocationId,
    /// Its frame.
    pub locals: Vec<i32>,
    /// Its priority; always 1 if the model mentions no priorities.
    pub priority: i32,
}

/// An existing channel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Channel {
    /// Its capacity and fields.
    pub channel_type: ChannelTypeId,
    /// The process that it dies with; `None` for a global one.
    pub owner: Option<Pid>,
    /// Messages, oldest first, all fields of one after those of the other.
    pub contents: Vec<i32>,
}
