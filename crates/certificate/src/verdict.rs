//! Verdicts: the three answers, the readings under which they hold, and the reasons to stop without one.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use system::capacities::CapacityReading;

/// The answer to a question; `C` is the kind of counterexample that the question has (a trace, a lasso, a pump).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict<C> {
    /// It holds.
    Proved(Evidence),
    /// It does not: an execution of the model shows it.
    Violated(C),
    /// Neither could be shown.
    Unknown(Unknown),
}

impl<C> Verdict<C> {
    /// The word that reports use.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Proved(_) => "PROVED",
            Verdict::Violated(_) => "VIOLATED",
            Verdict::Unknown(_) => "UNKNOWN",
        }
    }
}

/// Why something is proved.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// A certificate was checked.
    Certificate(#[serde(with = "shared")] Arc<crate::Certificate>),
    /// All states were searched.
    Search {
        /// How many states.
        states: u64,
        /// How many transitions.
        transitions: u64,
    },
    /// There is nothing to prove, for the reason given: no buffers, no infinite behaviour.
    Nothing(String),
}

/// What is known when neither could be shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Unknown {
    /// What ended the work.
    pub reason: StopReason,
    /// What was tried, what looked suspicious: a line each.
    pub findings: Vec<String>,
}

/// What ended the work.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// The time allowed was used up.
    TimeLimit {
        /// In seconds.
        seconds: u64,
    },
    /// The memory allowed was used up.
    MemoryLimit {
        /// In bytes.
        bytes: u64,
    },
    /// The number of states allowed was reached.
    StateLimit {
        /// How many.
        states: u64,
    },
    /// The number of elementary cycles allowed was reached.
    CycleLimit {
        /// How many.
        cycles: u64,
    },
    /// Every refinement that is known was tried.
    RefinementsExhausted,
    /// The number of refinements allowed was reached.
    RefinementLimit {
        /// How many.
        refinements: u64,
    },
    /// The model uses something that the engine does not treat.
    Unsupported {
        /// What, and where.
        what: String,
    },
    /// A proof was found but the checker refused it: a defect of the prover, never a verdict.
    CertificateRefused {
        /// What the checker said.
        refusal: String,
    },
    /// A counterexample was found but does not replay: a defect, never a verdict.
    ReplayFailed {
        /// At which step and why.
        what: String,
    },
    /// Another answer about the same model says the opposite: a defect, never a verdict.
    Contradiction {
        /// Which answer, and how.
        what: String,
    },
    /// Somebody asked to stop.
    Cancelled,
    /// The answer to another question made this one moot.
    NotNeeded,
}

/// How large buffers are. A channel that is declared with capacity 0 is a rendezvous in every reading.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capacities {
    /// Whatever they are: a proof holds for every capacity of every channel.
    #[default]
    Any,
    /// As declared in the model.
    Declared,
}

impl From<Capacities> for CapacityReading {
    fn from(capacities: Capacities) -> CapacityReading {
        match capacities {
            Capacities::Any => CapacityReading::Any,
            Capacities::Declared => CapacityReading::Declared,
        }
    }
}

/// What is meant by progress.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgressReading {
    /// A labelled statement is executed (the papers' reading; implies the other, but for labels inside of `atomic`).
    #[default]
    Transition,
    /// A process stands at a label (SPIN's reading).
    State,
}

/// Which runs count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fairness {
    /// All.
    #[default]
    None,
    /// A process that can move for ever moves again and again.
    Weak,
    /// A process that can move again and again moves again and again.
    Strong,
}

/// A certificate that many answers share is written as itself.
mod shared {
    use crate::Certificate;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::sync::Arc;

    pub fn serialize<S: Serializer>(
        certificate: &Arc<Certificate>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        certificate.as_ref().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<Certificate>, D::Error> {
        Certificate::deserialize(deserializer).map(Arc::new)
    }
}
