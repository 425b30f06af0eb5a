//! Formulas about all runs, or about weakly fair ones, on remembered steps: depth first, so that what is wrong is found before everything is
//! explored, and reduced where all runs count and the formula does not ask for the next moment.
//!
//! Which order is lucky differs from model to model, so a few short searches in different orders come before the one that goes
//! through everything.

use super::check::interpreter_of;
use super::numbers::at_most;
use super::path::Execution;
use super::report::{FairOptions, Patience};
use crate::cycles::product::Unclear;
use crate::cycles::{self, CycleOutcome, First, Runs, Wanted};
use crate::explore::expand::Shared;
use crate::monitor::Monitor;
use crate::options::{Limits, Properties, Reduction};
use crate::prepare_with;
use crate::reduce::{self, Proviso, Reducer};
use crate::report::{Cause, StopReason};
use omega::{Automaton, BitSet, StateId};
use promela::model::Expr;
use system::automaton::System;
use system::control::Control;
use system::interpreter::RuntimeError;

/// One search of several.
struct Stage {
    first: First,
    proviso: Proviso,
    /// Nodes of the product that it may visit; `None`: as many as there are.
    nodes: Option<u64>,
}

/// The searches without reduction.
const FULL_STAGES: [Stage; 4] = [
    Stage { first: First::Oldest, proviso: Proviso::ForErrors, nodes: Some(1 << 14) },
    Stage { first: First::Youngest, proviso: Proviso::ForErrors, nodes: Some(1 << 14) },
    Stage { first: First::ByTurns, proviso: Proviso::ForErrors, nodes: Some(1 << 14) },
    Stage { first: First::Oldest, proviso: Proviso::ForErrors, nodes: None },
];
/// The searches with reduction. The second way to reduce leaves out more, but finds nothing in its first half.
const REDUCED_STAGES: [Stage; 6] = [
    Stage { first: First::Oldest, proviso: Proviso::ByControlFlow, nodes: Some(1 << 14) },
    Stage { first: First::Youngest, proviso: Proviso::ByControlFlow, nodes: Some(1 << 14) },
    Stage { first: First::ByTurns, proviso: Proviso::ByControlFlow, nodes: Some(1 << 14) },
    Stage { first: First::Oldest, proviso: Proviso::ByStates, nodes: Some(1 << 18) },
    Stage { first: First::Oldest, proviso: Proviso::ByControlFlow, nodes: Some(1 << 19) },
    Stage { first: First::Oldest, proviso: Proviso::ByStates, nodes: None },
];

/// What came out.
pub(super) struct Answered {
    pub outcome: Outcome,
    /// Pairs of a state and an automaton's state that were visited.
    pub nodes: u64,
    /// Moves between them.
    pub edges: u64,
    /// Whether some states were left out.
    pub reduced: bool,
}

pub(super) enum Outcome {
    /// A run that the automaton accepts, or the part of one after which it accepts everything; not confirmed yet.
    Run(Execution),
    /// There is none.
    Nothing,
    /// None was found, but some runs have no meaning: in words why.
    Unclear(String),
    /// The search ended early.
    Stopped(StopReason),
    /// This search cannot answer the question.
    CannotAsk,
}

/// What accepts the runs that are looked for.
#[derive(Clone, Copy)]
pub(super) struct Sought<'q> {
    pub propositions: &'q [Expr],
    pub automaton: &'q Automaton,
    /// The automaton's states from which everything is accepted, if a way to one of them is enough.
    pub universal: Option<&'q BitSet<StateId>>,
    /// Which runs count. If not all do, none is left out.
    pub runs: Runs,
}

/// Looks for a run of the system that the automaton, over these propositions, accepts. With reduction, the automaton must not tell
/// runs apart that differ by stuttering.
pub(super) fn find_run(
    system: &System,
    sought: Sought<'_>,
    options: &FairOptions,
    limits: &Limits,
    control: &Control<'_>,
) -> Result<Answered, RuntimeError> {
    let interpreter = interpreter_of(system, options);
    let Sought { propositions, automaton, universal, runs } = sought;
    let Some(monitor) = Monitor::of_automaton(automaton, propositions) else {
        return Ok(Answered::CANNOT_ASK);
    };
    let monitor = match universal {
        Some(universal) => monitor.completed_at(universal),
        None => monitor,
    };
    let initial_state = interpreter.initial_state()?;
    let reducer = |proviso: Proviso| {
        Reducer::for_formula(&interpreter, &initial_state, propositions, options.capacities, proviso)
    };
    let reduced = options.reduction == Reduction::Reduced
        && runs == Runs::All
        && reduce::pays(system)
        && reducer(Proviso::ByControlFlow).is_some();
    let stages: &[Stage] = if reduced { &REDUCED_STAGES } else { &FULL_STAGES };
    let stages = match options.patience {
        Patience::ShortSearchesFirst => stages,
        Patience::Straight => &stages[stages.len() - 1..],
    };
    // What a reducer relies on it must learn from all states, also from those where the automaton has nothing more to look for.
    let watching_on = monitor.clone().watching_on();
    let mut searched = 0;
    let mut prepared: Option<(Proviso, Shared<'_>, Vec<u32>)> = None;
    for stage in stages {
        let (shared, initial) = match &mut prepared {
            Some((proviso, shared, initial)) if *proviso == stage.proviso => (shared, initial),
            other => {
                let reducer = if reduced { reducer(stage.proviso) } else { None };
                let (shared, initial) = prepare_with(interpreter, Properties::none(), limits, 1, reducer)?;
                let (_, shared, initial) = other.insert((stage.proviso, shared, initial));
                (shared, initial)
            }
        };
        let stage_limits = stage.nodes.map_or(*limits, |nodes| at_most(limits, nodes));
        let is_shorter = stage_limits.states != limits.states;
        let monitor = match stage.proviso {
            Proviso::ByControlFlow => &watching_on,
            // All states were met before the search.
            Proviso::ByStates | Proviso::ForErrors | Proviso::InSearch => &monitor,
        };
        let wanted = Wanted { monitor, progress: None, runs, first: stage.first };
        let (outcome, nodes, edges) = match cycles::find(shared, initial, wanted, &stage_limits, control) {
            CycleOutcome::Lasso { steps, loop_start, nodes } => {
                (Outcome::Run(Execution { steps, loop_start: Some(loop_start) }), nodes, nodes)
            }
            CycleOutcome::Completed { steps, nodes } => {
                (Outcome::Run(Execution { steps, loop_start: None }), nodes, nodes)
            }
            CycleOutcome::None { nodes, edges, unclear } => {
                let words = unclear.map(|unclear| in_words(&unclear));
                (words.map_or(Outcome::Nothing, Outcome::Unclear), nodes, edges)
            }
            CycleOutcome::Stopped { reason: StopReason::States(_), nodes } if is_shorter => {
                searched = searched.max(nodes);
                continue;
            }
            CycleOutcome::Stopped { reason, nodes } => (Outcome::Stopped(reason), nodes.max(searched), 0),
            CycleOutcome::GuardFails | CycleOutcome::TooManyProcesses => return Ok(Answered::CANNOT_ASK),
        };
        return Ok(Answered { outcome, nodes, edges, reduced });
    }
    Ok(Answered::CANNOT_ASK)
}

impl Answered {
    const CANNOT_ASK: Answered = Answered { outcome: Outcome::CannotAsk, nodes: 0, edges: 0, reduced: false };
}

pub(super) fn in_words(unclear: &Unclear) -> String {
    match unclear {
        Unclear::Error(Cause::Statement { message, .. }) => format!("a run that ends in an error: {message}"),
        Unclear::Error(_) => "a run that ends in an error".to_string(),
        Unclear::EndlessAtomic => "an atomic sequence that can run for ever".to_string(),
    }
}
