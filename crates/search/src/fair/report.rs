//! Questions and answers.

use crate::options::{Limits, Reduction};
use certificate::trace::Trace;
use certificate::verdict::Verdict;
use omega::Fairness;
use promela::model::ProctypeId;
use system::automaton::{AutomatonId, System};
use system::interpreter::Capacities;
use system::state::Pid;

/// How a formula is checked.
#[derive(Clone, Debug)]
pub struct FairOptions {
    /// Which runs count.
    pub fairness: Fairness,
    /// How many messages fit into a channel.
    pub capacities: Capacities,
    /// When to stop although there is more to do.
    pub limits: Limits,
    /// Whether processes that nothing tells apart are counted.
    pub counters: Counters,
    /// How states are explored.
    pub method: Method,
    /// Whether states may be left out whose absence no formula without `next` notices. Not under fairness.
    pub reduction: Reduction,
    /// Whether short searches come before the one through everything.
    pub patience: Patience,
    /// Other numbers of processes than the model says.
    pub processes: Vec<ProcessNumber>,
    /// The largest number of processes in one local state that an abstraction for any number keeps exactly.
    pub cutoff: u32,
    /// Whether to look for the reasons of a verdict too: premises that never happen, and which fairness would help.
    pub diagnose: bool,
}

/// Whether processes that nothing tells apart are counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Counters {
    /// Where it is exact and there is something to count.
    #[default]
    Auto,
    /// Always; without a proctype that can be counted the verdict is unknown.
    On,
    /// Never.
    Off,
}

/// How states are explored where no processes are counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Method {
    /// On remembered steps; depth first if all runs count.
    #[default]
    Remembered,
    /// Each step computed by the semantics, and the whole product asked for components: slow and obvious, what the other is
    /// compared with.
    Computed,
}

/// Whether a search on remembered steps begins with short searches in different orders, which often find what is wrong at once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Patience {
    /// Yes.
    #[default]
    ShortSearchesFirst,
    /// No: straight to the one through everything, in the way that leaves out most.
    Straight,
}

/// How many processes of a proctype start by themselves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessNumber {
    /// Which proctype.
    pub proctype: ProctypeId,
    /// How many.
    pub number: Numbers,
}

/// A number of processes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Numbers {
    /// This many.
    Exactly(u32),
    /// Any number: a proof must hold for all.
    Any,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct FairReport {
    /// The answer.
    pub verdict: Verdict<Counterexample>,
    /// Under which fairness.
    pub fairness: Fairness,
    /// What the states were.
    pub representation: Representation,
    /// States that were expanded.
    pub states: u64,
    /// Their moves.
    pub transitions: u64,
    /// Nodes of the product with the formula's automaton.
    pub nodes: u64,
    /// Where some were left out and nothing was found: nodes of a search through all that found nothing, either.
    pub in_full: Option<u64>,
    /// States of the automaton of the formula's negation.
    pub automaton_states: usize,
    /// Implications inside a formula that holds whose premises never happen.
    pub vacuous: Vec<VacuousPremise>,
    /// For a formula that fails: whether more fairness would help.
    pub remedies: Vec<Remedy>,
    /// What keeps proctypes from being counted, in words.
    pub told_apart: Vec<String>,
    /// Whether runs are left out that would end because there are too many processes at once: it was not counted how many there are.
    pub leaves_out_crowds: bool,
}

/// What the states of a search were.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Representation {
    /// States of the semantics.
    Explicit,
    /// Pairs of a state of the semantics and one of the formula's automaton; where it is `reduced`, as many as are enough.
    WithFormula {
        /// Whether some were left out.
        reduced: bool,
    },
    /// For these proctypes, how many processes are in each local state; exact.
    Counted {
        /// Which.
        proctypes: Vec<ProctypeId>,
    },
    /// An abstraction that covers every number of processes of these proctypes.
    AnyNumber {
        /// Which.
        proctypes: Vec<ProctypeId>,
        /// Up to this many in one local state were counted exactly; `None`: one process was watched among any others.
        cutoff: Option<u32>,
        /// The largest number of all of them together for which it holds, where a variable of the model has a range; `None` for all.
        together: Option<u64>,
        /// The counted processes beside them, whose numbers are given.
        beside: Vec<(ProctypeId, u32)>,
    },
}

/// A run that violates the formula; it was replayed and judged by the step semantics.
#[derive(Clone, PartialEq, Debug)]
pub struct Counterexample {
    /// The run.
    pub trace: Trace,
    /// With how many active processes of each proctype, where that differs from the model.
    pub processes: Vec<(ProctypeId, u32)>,
    /// Who starves in the loop.
    pub starving: Vec<Starving>,
}

/// A process that could move in the loop of a counterexample and never does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Starving {
    /// Who.
    pub process: Pid,
    /// What it is.
    pub kind: AutomatonId,
    /// Which fairness forbids it: weak if it could move all the time, strong if only now and then.
    pub forbidden_by: Fairness,
}

/// An implication that holds because its premise never happens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VacuousPremise {
    /// The premise in words of the model.
    pub premise: String,
}

/// The verdict under more fairness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Remedy {
    /// Under this fairness
    pub fairness: Fairness,
    /// it holds (`Some(true)`), fails too, or that could not be found out within the limits.
    pub holds: Option<bool>,
}

impl Default for FairOptions {
    fn default() -> FairOptions {
        FairOptions {
            fairness: Fairness::None,
            capacities: Capacities::Declared,
            limits: Limits::default(),
            counters: Counters::Auto,
            method: Method::Remembered,
            reduction: Reduction::Reduced,
            patience: Patience::ShortSearchesFirst,
            processes: Vec::new(),
            cutoff: 3,
            diagnose: true,
        }
    }
}

/// The system with other numbers of active processes.
pub fn with_processes(system: &System, numbers: &[(ProctypeId, u32)]) -> System {
    system.clone().with_active(numbers.iter().copied())
}
