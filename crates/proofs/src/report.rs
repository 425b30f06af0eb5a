//! What the prover answers.

use std::sync::Arc;

use certificate::Certificate;
use certificate::verdict::StopReason;

use crate::pump::Pump;

/// The answer about buffers.
#[derive(Clone, Debug)]
pub struct BoundsReport {
    /// Is every buffer bounded?
    pub verdict: BoundsVerdict,
    /// Each buffer on its own.
    pub buffers: Vec<BufferReport>,
    /// What was added to the abstraction, in order.
    pub refinements: Vec<String>,
    /// What the search with unbounded queues saw.
    pub search: SearchReport,
}

/// Is every buffer bounded?
#[derive(Clone, Debug)]
pub enum BoundsVerdict {
    /// Yes.
    Proved(ProofSource),
    /// No: this goes on for ever.
    Violated(Box<Pump>),
    /// Neither could be shown.
    Unknown(UnknownReason),
    /// The model has no buffers.
    NoBuffers,
}

/// Where a proof comes from.
#[derive(Clone, Debug)]
pub enum ProofSource {
    /// A certificate, already checked; it holds for every capacity (or the declared ones, as it says).
    Certificate(Arc<Certificate>),
    /// All states with unbounded queues were searched.
    Search {
        /// How many.
        states: u64,
        /// How many steps.
        transitions: u64,
    },
}

/// One buffer.
#[derive(Clone, Debug)]
pub struct BufferReport {
    /// Its name in the model.
    pub name: String,
    /// What is known.
    pub verdict: BufferVerdict,
    /// The most messages that search saw in it.
    pub seen: u64,
}

/// What is known of one buffer.
#[derive(Clone, Debug)]
pub enum BufferVerdict {
    /// It never holds more.
    AtMost {
        /// How many messages.
        bound: u64,
        /// Search saw as many.
        tight: bool,
        /// Why.
        source: ProofSource,
    },
    /// It is bounded, but no number is known.
    Bounded(ProofSource),
    /// It grows for ever in this run.
    Unbounded(Box<Pump>),
    /// Nothing is known.
    Unknown,
}

/// What a search saw.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchReport {
    /// States.
    pub states: u64,
    /// Steps.
    pub transitions: u64,
    /// Everything was seen.
    pub complete: bool,
}

/// Why nothing could be shown.
#[derive(Clone, Debug)]
pub struct UnknownReason {
    /// What ended the work.
    pub reason: StopReason,
    /// The suspicious cycles of the last attempt.
    pub suspicious: Vec<SuspiciousCycle>,
    /// What else is worth knowing: a line each.
    pub findings: Vec<String>,
}

/// An elementary cycle of a process that a suspicious flow uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SuspiciousCycle {
    /// Whose: the process's name.
    pub process: String,
    /// Its statements in order, with their lines.
    pub statements: Vec<(String, u32)>,
    /// How often it is taken.
    pub times: i64,
}

/// The answer about progress.
#[derive(Clone, Debug)]
pub struct ProgressReport {
    /// Does every infinite run make progress again and again?
    pub verdict: ProgressVerdict,
    /// What was added to the abstraction, in order.
    pub refinements: Vec<String>,
    /// What the search with unbounded queues saw.
    pub search: SearchReport,
}

/// Does every infinite run make progress again and again? Where nothing is marked as progress: does every run end?
#[derive(Clone, Debug)]
pub enum ProgressVerdict {
    /// Yes.
    Proved(ProofSource),
    /// No: a run that ends in a loop without progress.
    Lasso(Box<certificate::trace::Trace>),
    /// No: a run without progress in which buffers grow.
    Pump(Box<Pump>),
    /// Neither could be shown.
    Unknown(UnknownReason),
}
