//! What a search found.

use crate::options::Reduction;
use crate::packed::digest::StatesDigest;
use certificate::trace::Trace;
use certificate::verdict;
use std::collections::{BTreeMap, BTreeSet};
use system::automaton::{AutomatonId, EdgeId, LocationId};
use system::state::{ChannelId, Pid};

/// The result of a search.
#[derive(Clone, Debug)]
pub struct SearchReport {
    /// Whether everything was visited.
    pub outcome: Outcome,
    /// Whether moves were left out: a search that was allowed to may have found that it does not pay.
    pub reduction: Reduction,
    /// Whether it was the system without what decides nothing.
    pub sliced: bool,
    /// Figures.
    pub counts: Counts,
    /// The largest number of messages that each channel held, in a visited state or in the middle of a step. Of a reduced search
    /// this is a lower bound: the fullest state may be one that was left out.
    pub channels: Vec<ChannelPeak>,
    /// What else was seen.
    pub observed: Observed,
    /// Statements that no visited state can execute.
    pub unreached: Vec<Unreached>,
    /// Errors, grouped by cause, in the order in which they were found.
    pub errors: Vec<ErrorGroup>,
    /// What is wrong, but has no trace: because none was asked for ([`crate::Traces`]), or because it is a search without terminated processes,
    /// whose steps are not steps of the model. Of the latter it may be that the model has no such error, but what is not here is not in the model.
    pub untraced: Vec<Cause>,
    /// How much was probably missed; only of a search that keeps bits.
    pub bit_state: Option<BitStateFigures>,
    /// What stands for the set of all states; only of a search that has visited and kept them all, and had the memory left.
    pub digest: Option<StatesDigest>,
    /// Of a search that went on on disk.
    pub disk: Option<DiskFigures>,
    /// Of a search by several processes.
    pub cluster: Option<ClusterFigures>,
}

/// Figures of a search by several processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterFigures {
    /// How many there were, at the end.
    pub processes: u64,
    /// How often some began, or went on.
    pub generations: u64,
    /// States of each level.
    pub levels: Vec<u64>,
    /// States of each process.
    pub shares: Vec<u64>,
    /// Bytes of memory of each process.
    pub memory: Vec<u64>,
    /// States that one process sent to another.
    pub sent: u64,
    /// Bytes that went over all connections of the last generation.
    pub wire_bytes: u64,
    /// Bytes of all logs.
    pub log_bytes: u64,
    /// What went wrong, in words.
    pub trouble: Option<String>,
}

/// Figures of a search on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskFigures {
    /// Bytes of all states on disk.
    pub bytes: u64,
    /// How often new states were put there.
    pub rounds: u64,
    /// What went wrong with a file, in words.
    pub trouble: Option<String>,
}

/// How much a search that keeps bits has probably missed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BitStateFigures {
    /// Bytes for the bits.
    pub bytes: usize,
    /// Bits for each state.
    pub bits_per_state: u32,
    /// The share of the bits that is set.
    pub fill: f64,
    /// States that were met and probably taken for others.
    pub lost: f64,
    /// States that were not entered because the execution so far had used up the memory.
    pub too_deep: u64,
}

/// Whether everything was visited. Only [`Outcome::Complete`] without errors proves anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Every reachable state (or, when reducing, a sufficient set of them) was visited.
    Complete,
    /// The search ended early.
    Stopped(StopReason),
}

/// Why a search ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// An error was found, and one was enough.
    Error,
    /// Cancelled from outside.
    Cancelled,
    /// The limit on stored states.
    States(u64),
    /// The limit on memory, in bytes.
    Memory(usize),
    /// The deadline.
    Deadline,
    /// An error was found whose trace does not replay: a defect of this program, and nothing is claimed.
    TraceNotConfirmed,
    /// The claim does more than to look, or one of its guards cannot be evaluated.
    ClaimNotSupported,
    /// An `atomic` sequence may go round for ever, and no infinite run through it was looked at.
    EndlessAtomic,
    /// A state has too many components for the packed form.
    StateTooLarge,
    /// A file of a search on disk could not be written, read or trusted: [`DiskFigures::trouble`] says which.
    Disk,
    /// Of several processes that searched together one was lost, or has met trouble: [`ClusterFigures::trouble`] says which.
    Cluster,
    /// The search kept bits instead of states, so that some may have been taken for others: it visits a part.
    BitState,
}

impl StopReason {
    /// Why an answer is open, if this ended the search for it. Only who set the limits can say what time and what memory were meant in all.
    pub fn of_verdict(self) -> verdict::StopReason {
        use verdict::StopReason as Open;
        let unsupported = |what: &str| Open::Unsupported { what: what.to_string() };
        match self {
            StopReason::Error => Open::NotNeeded,
            StopReason::Cancelled => Open::Cancelled,
            StopReason::States(states) => Open::StateLimit { states },
            StopReason::Memory(bytes) => Open::MemoryLimit { bytes: bytes as u64 },
            StopReason::Deadline => Open::TimeLimit { seconds: 0 },
            StopReason::TraceNotConfirmed => {
                Open::ReplayFailed { what: "an error whose execution does not replay".to_string() }
            }
            StopReason::Disk => unsupported("the disk"),
            StopReason::Cluster => unsupported("the cluster"),
            StopReason::BitState => unsupported("bit-state search visits a part"),
            StopReason::EndlessAtomic => unsupported("an atomic sequence that can run for ever"),
            StopReason::StateTooLarge => unsupported("a state has too many parts"),
            StopReason::ClaimNotSupported => {
                unsupported("the claim assigns to variables, or something it asks for has no value")
            }
        }
    }
}

/// Figures of a search.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Counts {
    /// Stored states.
    pub states: u64,
    /// Arrivals at a state that was stored before.
    pub matched: u64,
    /// Steps that ended inside an `atomic`, whose states are not stored.
    pub atomic_steps: u64,
    /// Most moves from the initial state.
    pub depth: u64,
    /// Bytes for the states alone.
    pub state_memory: usize,
    /// Bytes for everything, at its largest.
    pub memory: usize,
    /// Steps that the semantics computed, the rest being remembered.
    pub computed_steps: u64,
    /// Nodes of the products that were searched for cycles.
    pub product_nodes: u64,
}

/// How full a channel got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelPeak {
    /// Its index among the channels of a state.
    pub channel: ChannelId,
    /// Where it was declared, as an index into the model's channel types; the first type if the index was reused.
    pub channel_type: promela::model::ChannelTypeId,
    /// The largest number of messages.
    pub peak: u32,
}

/// What was seen while states were visited. All of it is true of some run, but it is all there is only if the search is complete and
/// not reduced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// Values of the local slots of each automaton; where there are more than [`MOST_VALUES`], one more than that.
    pub locals: BTreeMap<(AutomatonId, u32), BTreeSet<i32>>,
    /// Who talks to whom.
    pub traffic: Traffic,
}

/// Values of one local slot that are listed in [`Observed::locals`].
pub const MOST_VALUES: usize = 16;

/// Who was seen to send to which channel and to receive from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Senders, also by rendezvous.
    pub sent: BTreeSet<(Pid, ChannelId)>,
    /// Receivers, also those that leave the message where it is.
    pub received: BTreeSet<(Pid, ChannelId)>,
    /// Processes that started others.
    pub starters: BTreeSet<Pid>,
}

/// A statement that was never executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Unreached {
    /// Of which proctype.
    pub automaton: AutomatonId,
    /// The location before it.
    pub location: LocationId,
    /// The statement.
    pub edge: EdgeId,
}

/// Errors with one cause.
#[derive(Clone, Debug)]
pub struct ErrorGroup {
    /// What is wrong.
    pub cause: Cause,
    /// How often it occurred.
    pub count: u64,
    /// An execution that shows it; it was replayed.
    pub trace: Trace,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Cause {
    /// A violation or a runtime error of a statement.
    Statement {
        /// The proctype.
        automaton: AutomatonId,
        /// The statement.
        edge: Option<EdgeId>,
        /// In words.
        message: String,
        /// A violated `assert`, as opposed to an error.
        assertion: bool,
        /// A limit of SPIN's on the number of processes or channels, which is none of the model's.
        limit: bool,
    },
    /// Nothing can move, and these processes are not at a valid end.
    InvalidEndState {
        /// Where each living process stands.
        locations: Vec<(AutomatonId, LocationId)>,
    },
    /// The never claim ran to its end.
    ClaimCompleted,
    /// A cycle through an `accept…` label.
    AcceptanceCycle,
    /// A cycle without progress.
    NonProgressCycle,
    /// The event trace was left, or a `notrace` ran to its end.
    EventTrace {
        /// In words.
        message: String,
    },
}

impl Counts {
    /// Arrivals at states, the initial one included: SPIN's transitions.
    pub fn transitions(&self) -> u64 {
        self.states + self.matched
    }

    /// Bytes for each stored state.
    pub fn bytes_per_state(&self) -> f64 {
        self.state_memory as f64 / self.states.max(1) as f64
    }
}

impl BitStateFigures {
    /// The estimated share of the visited states among those that were met.
    pub fn coverage(&self, states: u64) -> f64 {
        let states = states as f64;
        states / (states + self.lost + self.too_deep as f64).max(1.0)
    }
}

impl SearchReport {
    /// One that has nothing to say but how the search ended.
    pub fn of(outcome: Outcome) -> SearchReport {
        SearchReport {
            outcome,
            reduction: Reduction::Full,
            sliced: false,
            counts: Counts::default(),
            channels: Vec::new(),
            observed: Observed::default(),
            unreached: Vec::new(),
            errors: Vec::new(),
            untraced: Vec::new(),
            bit_state: None,
            digest: None,
            disk: None,
            cluster: None,
        }
    }

    /// Everything was visited and nothing is wrong.
    pub fn proves(&self) -> bool {
        self.outcome == Outcome::Complete && self.errors.is_empty() && self.untraced.is_empty()
    }

    /// Whether a limit on the number of processes or channels kept some runs from going on.
    pub fn meets_limit(&self) -> bool {
        let mut causes = self.errors.iter().map(|group| &group.cause).chain(&self.untraced);
        causes.any(|cause| matches!(cause, Cause::Statement { limit: true, .. }))
    }

    /// How many errors there are.
    pub fn error_count(&self) -> u64 {
        self.errors.iter().map(|group| group.count).sum()
    }
}
