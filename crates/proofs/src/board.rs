//! What a prover tells others while it works, and hears from them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use system::clock::Instant;

use certificate::Certificate;
use certificate::verdict::StopReason;
use system::automaton::{AutomatonId, EdgeId};

use crate::values::analysis::Analyses;

/// Where everybody who works on a model writes what they found, as a prover sees it.
pub trait Board: Sync {
    /// Whether somebody still wants to know. Asked often; what is not wanted any more is not worked on.
    fn wants(&self, what: Wanted<'_>) -> bool;
    /// Values that local variables have in runs, as far as somebody has looked; nothing is known for sure.
    fn seen(&self) -> Option<SeenValues>;
    /// Whether all states were searched: then all is decided, and a certificate is worth less work.
    fn is_searched(&self) -> bool;
    /// Writes down what was found.
    fn publish(&self, fact: Fact);
    /// What the provers that work on the same model have analysed.
    fn analyses(&self) -> &Analyses;
}

/// What somebody may want to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted<'n> {
    /// Whether all buffers are bounded.
    AllBounded,
    /// How full the buffer with this name gets.
    Bound(&'n str),
    /// How full any buffer gets.
    SomeBound,
    /// Whether every infinite run makes progress again and again.
    Progress,
    /// Whether every run satisfies the formula with this name.
    Formula(&'n str),
}

/// Values of the local slots of each automaton.
pub type SeenValues = BTreeMap<(AutomatonId, u32), BTreeSet<i32>>;

/// What a prover found. Every certificate has been accepted by the checker.
#[derive(Clone, Debug)]
pub enum Fact {
    /// The buffers of the model.
    Buffers(Vec<BufferName>),
    /// All of them are bounded.
    AllBounded(Arc<Certificate>),
    /// One of them never holds more.
    AtMost {
        /// Its name.
        buffer: String,
        /// How many messages.
        bound: u64,
        /// Why.
        certificate: Arc<Certificate>,
    },
    /// Every infinite run makes progress again and again.
    LivelockFree(Arc<Certificate>),
    /// Every infinite run that counts does.
    FairProgress(Arc<Certificate>),
    /// Every run that counts satisfies the formula.
    Formula {
        /// Its name.
        name: String,
        /// Why.
        certificate: Arc<Certificate>,
    },
    /// These statements are used by what looks like a counterexample.
    Suspicious(BTreeSet<(AutomatonId, EdgeId)>),
}

/// A buffer of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BufferName {
    /// Its name.
    pub name: String,
    /// The number that the channel has in every state, if there is one.
    pub channel: Option<u32>,
}

/// Where a prover stopped.
#[derive(Clone, Debug)]
pub struct Stopped {
    /// Why.
    pub reason: StopReason,
    /// The suspicious cycles of the last attempt; none if it succeeded.
    pub suspicious: Vec<SuspiciousCycle>,
    /// What else is worth knowing: a line each.
    pub findings: Vec<String>,
    /// What was added to the abstraction, in order.
    pub refinements: Vec<String>,
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

/// A board for a prover that works alone: everything is wanted, nobody has seen anything, and what it finds is kept.
#[derive(Debug, Default)]
pub struct Nobody {
    facts: Mutex<Vec<Fact>>,
    until: Option<Instant>,
    analyses: Analyses,
}

impl Nobody {
    /// One that wants nothing any more from some time on.
    pub fn until(end: Instant) -> Nobody {
        Nobody { until: Some(end), ..Nobody::default() }
    }

    /// What was published.
    pub fn facts(&self) -> Vec<Fact> {
        self.facts.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

impl Board for Nobody {
    fn wants(&self, _: Wanted<'_>) -> bool {
        self.until.is_none_or(|end| Instant::now() < end)
    }

    fn seen(&self) -> Option<SeenValues> {
        None
    }

    fn is_searched(&self) -> bool {
        false
    }

    fn publish(&self, fact: Fact) {
        self.facts.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(fact);
    }

    fn analyses(&self) -> &Analyses {
        &self.analyses
    }
}
