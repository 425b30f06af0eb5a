//! What to search for, how far, and how to watch and stop it.

use certificate::verdict::ProgressReading;
use std::path::PathBuf;
use system::clock::Instant;
use system::interpreter::{Capacities, Violation};
use system::progress::ProgressAt;

/// What a search does.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// How many messages fit into a channel.
    pub capacities: Capacities,
    /// Whether states may be left out that matter for no property that is checked.
    pub reduction: Reduction,
    /// What is checked.
    pub properties: Properties,
    /// When to stop because of errors.
    pub errors: ErrorPolicy,
    /// Which of them get traces.
    pub traces: Traces,
    /// When to stop although there is more to do.
    pub limits: Limits,
    /// How many threads; 0 counts as 1.
    pub threads: usize,
    /// How the search works.
    pub engine: Engine,
    /// Whether the system first loses what decides nothing ([`system::code::slice`]). Runs are the same, step by step, but there may be fewer states,
    /// and loops that are none of the model: who wants to see one must not ask for this.
    pub slice: bool,
    /// Which statements and places are progress; asked with [`Properties::non_progress`].
    pub progress: ProgressAt,
    /// Whether processes are kept that have nothing left to do but to die.
    pub terminated: Terminated,
    /// Where to go on when memory ends.
    pub disk: Option<Disk>,
    /// How steps are made.
    pub steps: Steps,
    /// Whether a complete search makes the number that stands for the set of its states ([`crate::StatesDigest`]). It takes about a tenth of the time
    /// of a search.
    pub digest: bool,
}

/// A search that goes on on disk when memory ends. It leaves nothing out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disk {
    /// A folder for its files.
    pub folder: PathBuf,
    /// Whether the folder holds a search that goes on.
    pub resume: bool,
}

/// How steps are made. What is found does not depend on it, only how fast.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Steps {
    /// They are remembered where measurements say that it pays, in the form that seems best, and executed elsewhere.
    #[default]
    Measured,
    /// None is remembered, unless moves are left out by reduction.
    Executed,
    /// All are remembered, each under what it read, unless moves are left out by reduction.
    ByReads,
    /// All are remembered, under all that the steps of a location have ever touched. Searches that reduce work so, and those that keep bits: they
    /// share out their memory to the last byte.
    ByMasks,
    /// All are executed, on states that are the values of their variables side by side, by one thread; unless moves are left out by reduction,
    /// something is asked about infinite runs, or the model has something that is not made for it. Otherwise that comes where steps are hardly
    /// ever found again.
    Directly,
    /// Each under what it read, where that pays, with every variable of a process a component of its own from the beginning, unless moves are left out by
    /// reduction or something is asked about infinite runs. Otherwise that comes when a process is found to have many local states and steps
    /// are hardly ever found again.
    ByVariables,
}

/// Whether terminated processes are kept: those that have nothing left to do but to die.
///
/// A process dies only after all younger ones, so a model that starts one process after another fills up with terminated ones. If
/// nothing looks at the numbers of processes ([`certificate::pids`]) and no process has channels of its own, a terminated process may as well be gone at
/// once: whatever the others do they can do without it, and its death changes nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Terminated {
    /// Until they die.
    #[default]
    Kept,
    /// They are taken away at once, unless somebody could notice. The states are those of the model up to that, so a
    /// complete search says how full buffers get and which runs there are not, for any number of processes over time. But its steps
    /// are not steps of the model: there are no traces ([`crate::SearchReport::untraced`]), and nothing is left out by reduction.
    TakenAway,
}

/// Whether states may be left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// Every statement is a step and every state is visited: exactly SPIN's graph (`spin -o3`, `-DNOREDUCE`).
    Full,
    /// Local statements are merged, and of independent statements one order is tried. Sound for everything in
    /// [`Properties`]; switches itself off where it would not be.
    Reduced,
}

/// What is checked. Runtime errors always are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Properties {
    /// `assert` statements.
    pub assertions: bool,
    /// States where nothing can move and some process is not at a valid end.
    pub end_states: bool,
    /// The never claim with this index in the model: its completion, and (with `acceptance`) its acceptance cycles.
    pub claim: Option<usize>,
    /// Cycles through an `accept…` label, of the claim or of a process.
    pub acceptance: bool,
    /// Cycles without progress, in one of two readings.
    pub non_progress: Option<ProgressReading>,
    /// The model's `trace` or `notrace`.
    pub event_trace: bool,
}

impl Properties {
    /// Whether a violation is one of what is asked for.
    pub(crate) fn include(&self, violation: &Violation) -> bool {
        match violation {
            Violation::AssertionFailed { .. } => self.assertions,
            _ => self.event_trace,
        }
    }

    /// Whether something about infinite runs is asked.
    pub(crate) fn ask_for_cycles(&self) -> bool {
        self.claim.is_some() || self.acceptance || self.non_progress.is_some()
    }
}

/// When to stop because of errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorPolicy {
    /// At the first one.
    First,
    /// At the first one, and it is reached with the fewest moves.
    Shortest,
    /// Never: all are counted, grouped by cause, with a trace for each cause.
    All,
}

/// Which errors get traces. A search keeps no way to any state, so whoever wants a trace pays for a second search that goes as far as the
/// first one had gone when it met the error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Traces {
    /// One of each cause.
    OfEachCause,
    /// The first that was met; the other causes are in [`crate::SearchReport::untraced`].
    OfTheFirst,
}

/// When to stop although there is more to do. Whatever is hit, the outcome says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Stored states.
    pub states: Option<u64>,
    /// Bytes of memory for states and what belongs to them.
    pub memory: Option<usize>,
    /// A point in time.
    pub deadline: Option<Instant>,
}

/// How the search works.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// Interned components and remembered steps.
    Fast,
    /// The same, depth first, with a few bits for each visited state: states may be taken for others and left out, so it finds
    /// errors but proves nothing. Asks no questions about cycles.
    BitState(BitState),
    /// Plain states in a hash map: slow and obvious, what the others are compared with.
    Reference,
}

/// How visited states are kept as bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitState {
    /// Bytes for the bits. With a limit on memory, they never take more than half of it.
    pub bytes: usize,
    /// Bits for each state, from 1 to 7.
    pub bits_per_state: u32,
}

impl SearchOptions {
    /// Everything that makes sense without a choice: capacities as declared, all states, assertions and end states, one
    /// thread, until the first error.
    pub fn full() -> SearchOptions {
        SearchOptions {
            capacities: Capacities::Declared,
            reduction: Reduction::Full,
            properties: Properties::safety(),
            errors: ErrorPolicy::First,
            traces: Traces::OfEachCause,
            limits: Limits::default(),
            threads: 1,
            engine: Engine::Fast,
            slice: false,
            progress: ProgressAt::Labels,
            terminated: Terminated::Kept,
            disk: None,
            steps: Steps::Measured,
            digest: true,
        }
    }
}

impl Properties {
    /// Assertions, end states and the event trace.
    pub fn safety() -> Properties {
        Properties {
            assertions: true,
            end_states: true,
            claim: None,
            acceptance: false,
            non_progress: None,
            event_trace: true,
        }
    }

    /// Runtime errors alone, which are always looked for: for questions about runs, and for nothing but the states.
    pub const fn none() -> Properties {
        Properties {
            assertions: false,
            end_states: false,
            claim: None,
            acceptance: false,
            non_progress: None,
            event_trace: false,
        }
    }
}

impl Default for BitState {
    fn default() -> BitState {
        BitState { bytes: 256 << 20, bits_per_state: 3 }
    }
}
