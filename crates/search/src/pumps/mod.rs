//! Runs in which buffers grow for ever.

pub mod fullest;
pub mod lassos;

use crate::options::{Control, Limits};
use crate::report::StopReason;
use certificate::pump::{ConfirmedPump, PumpQuestion};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use system::automaton::{AutomatonId, EdgeId, System};
use system::interpreter::RuntimeError;
use system::state::ChannelId;

/// What to look for, and how far.
pub struct PumpOptions<'o> {
    /// What a pump is to show. Where it is a livelock, only steps without progress are repeated.
    pub question: PumpQuestion,
    /// Which buffers still want a pump that makes them grow. Asked anew all the time; where none is open, the search ends.
    pub is_open: &'o dyn Fn(ChannelId) -> bool,
    /// Statements that a proof could not exclude, if there are such: what is repeated may be made of them.
    pub suspicious: BTreeSet<(AutomatonId, EdgeId)>,
    /// When to give up.
    pub limits: Limits,
}

/// How a search towards something ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DirectedOutcome {
    /// With what was wanted, or because nobody wants more.
    Reached,
    /// All that it could look at was looked at. Of a search for pumps this proves nothing.
    Exhausted,
    /// Early.
    Stopped(StopReason),
}

/// Figures of a search for pumps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PumpReport {
    /// How it ended.
    pub outcome: DirectedOutcome,
    /// States that were visited, by all strategies together.
    pub states: u64,
    /// Runs that were judged.
    pub candidates: u64,
}

/// Looks for pumps and tells each that was confirmed, until `found` says that it is enough or nothing is open any more. The error is that of
/// a model without an initial state.
pub fn find(
    system: &System,
    options: &PumpOptions<'_>,
    control: &Control<'_>,
    found: &mut dyn FnMut(ConfirmedPump) -> ControlFlow<()>,
) -> Result<PumpReport, RuntimeError> {
    let _ = (system, options, control, found);
    Ok(PumpReport { outcome: DirectedOutcome::Stopped(StopReason::Cancelled), states: 0, candidates: 0 })
}
