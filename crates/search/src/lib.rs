//! Explicit-state search over the step semantics.
//!
//! [`explore()`] visits every reachable state and reports what is wrong with the model, how many states there are, how full
//! the channels get and which statements are never executed.
//!
//! The way of a state: the semantics works on [`system::state::State`]s. Here a state is cut into **components**, each
//! component's values are numbered, and the numbers stand side by side in a few words, in an exact, compact set ([`packed`]). What a
//! process can do in which circumstances is **remembered** as bits to flip; only what was never seen before asks the semantics
//! ([`mod@explore`]). Several threads share the set, take their shares of a level and tell each other what they had to ask ([`threads`]).
//! When a component outgrows its place, all states are packed anew ([`explore::repack`]). Where some states are enough ([`reduce`]), or on
//! request as many as fit into a table of bits, the search is depth first ([`explore::depth`]). Infinite runs are cycles of the
//! product with an automaton ([`cycles`], [`fair`]); many processes of the same kind are counted ([`counters`]); and some searches go straight
//! for something ([`pumps`]). Where one machine is too small, several members search together ([`members`]).
//!
//! Invariants:
//! - there is no second implementation of Promela here: every remembered step was computed by the semantics, and is
//!   remembered under all components that the computation touched;
//! - a search that was cut short in any way says so in its [`Outcome`]; only a complete one proves something;
//! - every trace is replayed by the step semantics before it is reported ([`witness`]).

mod budget;
pub mod counters;
mod cycles;
mod disk;
mod explore;
pub mod fair;
pub mod members;
pub mod monitor;
pub mod options;
mod packed;
pub mod pumps;
mod reduce;
mod reference;
pub mod repeats;
pub mod report;
mod threads;

pub use options::{
    BitState, Disk, Engine, ErrorPolicy, Limits, Properties, Reduction, SearchOptions, Steps, Terminated,
    Traces,
};
pub use packed::digest::StatesDigest;
pub use pumps::{fullest, lassos};
pub use report::{
    BitStateFigures, Cause, ChannelPeak, ClusterFigures, Counts, DiskFigures, ErrorGroup, Observed, Outcome,
    SearchReport, StopReason, Traffic, Unreached,
};
pub use system::control::{Control, Status};

use budget::Budget;
use certificate::pids;
use certificate::trace::Trace;
use certificate::verdict::ProgressReading;
use cycles::product::Unclear;
use cycles::{CycleOutcome, First, Wanted};
use explore::breadth::Explored;
use explore::expand::{Shared, lock};
use explore::memo::RowMemory;
use explore::{breadth, depth, scout, witness};
use monitor::Monitor;
use packed::knowledge::Knowledge;
use promela::model::Initializer;
use reduce::Reducer;
use std::sync::Mutex;
use system::automaton::{Action, System};
use system::interpreter::{Capacities, Interpreter, RuntimeError};
use system::progress::{ProgressAt, ProgressStatements};

/// Moves of random walks that show a reducer who uses what before it relies on anything.
const MOVES_TO_LEARN_FROM: u64 = 1 << 12;

/// Explores the states of a system. The error is that of a model without an initial state.
pub fn explore(
    system: &System,
    options: &SearchOptions,
    control: &Control<'_>,
) -> Result<SearchReport, RuntimeError> {
    if options.engine == Engine::Reference {
        return reference::explore(system, options, control);
    }
    let bits = match options.engine {
        Engine::BitState(bits) => Some(bits),
        Engine::Fast | Engine::Reference => None,
    };
    let has_traces = !takes_away_terminated(system, options);
    // Without traces one error is as good as none.
    let errors = if has_traces { options.errors } else { ErrorPolicy::All };
    let reducer = match options.reduction {
        Reduction::Full => None,
        // What one process does changes the numbers of others.
        Reduction::Reduced if !has_traces => None,
        // The nearest error is found by breadth-first search only, and that does not reduce.
        Reduction::Reduced if options.errors == ErrorPolicy::Shortest && bits.is_none() => None,
        Reduction::Reduced => Reducer::new(system, &options.properties, options.capacities),
    };
    if bits.is_none() && errors == ErrorPolicy::First && asks_for_cycles(&options.properties) {
        let report = look_nearby(system, options, control)?;
        if !report.errors.is_empty() {
            return Ok(report);
        }
    }
    let (mut shared, mut initial) = prepare(system, options, reducer)?;
    let (limits, threads) = (&options.limits, options.threads);
    let goes_on = options.disk.as_ref().is_some_and(|disk| disk.resume);
    let mut explored = match &shared.reducer {
        _ if goes_on => Explored::nothing(StopReason::Memory(0)),
        Some(reducer) => loop {
            // What is remembered here rests on less than will be known when the search begins, so it is dropped.
            scout::scout(&shared, &initial, MOVES_TO_LEARN_FROM, RowMemory::default(), (limits, control));
            reducer.begin();
            let explored = depth::explore(&shared, &initial, errors, limits, control, bits);
            // If two processes share what was thought to be one's own: begin again, knowing better.
            if !reducer.is_broken() {
                break explored;
            }
        },
        None if bits.is_some() => depth::explore(&shared, &initial, errors, limits, control, bits),
        None => breadth::explore(&shared, &initial, errors, limits, threads, control, None),
    };
    let mut on_disk = None;
    if let (Some(disk), Some(StopReason::Memory(_))) = (&options.disk, explored.stopped) {
        // Nothing is left out there, and what was known goes.
        (shared, initial) = prepare(system, options, None)?;
        let question = question(options);
        let (found, figures) = disk::explore(&shared, &initial, disk, &question, errors, limits, control);
        (explored, on_disk) = (found, Some(figures));
    }
    let (unreached, channels, observed) = {
        let knowledge = lock(&shared.knowledge);
        (knowledge.unreached(system), knowledge.peaks(system), knowledge.observed())
    };
    let is_death =
        |at: &Unreached| matches!(system.automaton(at.automaton).edge(at.edge).action, Action::End);
    let unreached = unreached.into_iter().filter(|at| has_traces || !is_death(at)).collect();
    let mut outcome = explored.stopped.map_or(Outcome::Complete, Outcome::Stopped);
    let (mut errors, mut untraced) = (Vec::new(), Vec::new());
    let wanted = match (options.errors, options.traces) {
        (ErrorPolicy::All, Traces::OfEachCause) => usize::MAX,
        (ErrorPolicy::All, Traces::OfTheFirst) | (ErrorPolicy::First | ErrorPolicy::Shortest, _) => 1,
    };
    let (found, others) = explored.found.split_at(explored.found.len().min(wanted));
    if has_traces {
        let knowledge = lock(&shared.knowledge);
        untraced.extend(others.iter().map(|group| knowledge.cause(group.cause).clone()));
        drop(knowledge);
        for group in witness::traces(&shared, &initial, found, options, control) {
            match group {
                Ok(group) => errors.push(group),
                Err(reason) => outcome = Outcome::Stopped(reason),
            }
        }
    } else {
        let knowledge = lock(&shared.knowledge);
        untraced.extend(explored.found.iter().map(|group| knowledge.cause(group.cause).clone()));
    }
    let counts = explored.counts;
    // What stands for a set of states stands for one of the model's.
    let (bit_state, digest) = (explored.bit_state, explored.digest.filter(|_| has_traces));
    let is_on_disk = on_disk.is_some();
    let mut report = SearchReport {
        outcome,
        counts,
        channels,
        observed,
        unreached,
        errors,
        untraced,
        bit_state,
        digest,
        disk: on_disk,
        cluster: None,
    };
    if is_on_disk && asks_for_cycles(&options.properties) && report.outcome == Outcome::Complete {
        // The product would not fit into memory either.
        report.outcome = Outcome::Stopped(StopReason::Memory(limits.memory.unwrap_or(0)));
    }
    let done = report.outcome == Outcome::Complete && !is_on_disk;
    if done && (report.errors.is_empty() || options.errors == ErrorPolicy::All) {
        look_for_cycles(&shared, &initial, options, control, &mut report);
    }
    Ok(report)
}

/// The number of all states and what stands for the set of them, by the slow engine that packs and remembers nothing: what the
/// evidence of a complete search says must be the same. `None` if there are more than `most`.
pub fn count_slowly(
    system: &System,
    capacities: Capacities,
    most: u64,
    control: &Control<'_>,
) -> Result<Option<(u64, StatesDigest)>, RuntimeError> {
    let limits = Limits { states: Some(most), ..Limits::default() };
    let (properties, errors) = (Properties::none(), ErrorPolicy::All);
    let options = SearchOptions { capacities, properties, errors, limits, ..SearchOptions::full() };
    let report = reference::explore(system, &options, control)?;
    Ok(report.digest.map(|digest| (report.counts.states, digest)))
}

/// Whether something is asked about infinite runs.
fn asks_for_cycles(properties: &Properties) -> bool {
    properties.claim.is_some() || properties.acceptance || properties.non_progress.is_some()
}

/// Nodes of a product within which a cycle is near.
const NEARBY: u64 = 1 << 14;

/// Asks the questions about infinite runs, depth first and not far: where one error is enough, what is near the beginning is met long before
/// everything else has been searched.
fn look_nearby(
    system: &System,
    options: &SearchOptions,
    control: &Control<'_>,
) -> Result<SearchReport, RuntimeError> {
    let (shared, initial) = prepare(system, options, None)?;
    let mut report = SearchReport::of(Outcome::Complete);
    let states = Some(options.limits.states.map_or(NEARBY, |limit| limit.min(NEARBY)));
    let nearby = SearchOptions { limits: Limits { states, ..options.limits }, ..options.clone() };
    look_for_cycles(&shared, &initial, &nearby, control, &mut report);
    let knowledge = lock(&shared.knowledge);
    report.channels = knowledge.peaks(system);
    report.observed = knowledge.observed();
    report.unreached = knowledge.unreached(system);
    report.counts.states = report.counts.product_nodes;
    report.outcome = Outcome::Stopped(StopReason::Error);
    drop(knowledge);
    Ok(report)
}

/// Asks the questions about infinite runs. The safety search before has met all values, so packed states have their room.
fn look_for_cycles(
    shared: &Shared<'_>,
    initial: &[u32],
    options: &SearchOptions,
    control: &Control<'_>,
    report: &mut SearchReport,
) {
    let system = shared.interpreter.system();
    let properties = &options.properties;
    let mut questions: Vec<(Monitor, Option<ProgressReading>, Cause)> = Vec::new();
    if let Some(claim) = properties.claim {
        match Monitor::of_claim(system, claim) {
            Some(mut monitor) => {
                if !properties.acceptance {
                    // Only its completion is asked for: no cycle belongs to a set that nothing belongs to.
                    monitor.locations.iter_mut().flat_map(|l| &mut l.edges).for_each(|edge| edge.marks = 0);
                    monitor.process_labels_accept = false;
                }
                questions.push((monitor, None, Cause::AcceptanceCycle));
            }
            None => report.outcome = Outcome::Stopped(StopReason::ClaimNotSupported),
        }
    } else if properties.acceptance {
        questions.push((Monitor::of_accept_labels(), None, Cause::AcceptanceCycle));
    }
    if let Some(reading) = properties.non_progress {
        questions.push((Monitor::of_everything(), Some(reading), Cause::NonProgressCycle));
    }
    for (monitor, progress, cause) in questions {
        let (nodes, answer) = check_monitor_in(shared, initial, options, control, &monitor, progress, cause);
        report.counts.product_nodes += nodes;
        match answer {
            Ok(None) => {}
            Ok(Some(Violated::Shown(error))) => report.errors.push(error),
            Ok(Some(Violated::Untraced(cause))) => report.untraced.push(cause),
            Err(reason) => report.outcome = Outcome::Stopped(reason),
        }
    }
}

/// A run of the system that a monitor accepts, as an error with the given cause; `None` if there is none.
pub fn check_monitor(
    system: &System,
    options: &SearchOptions,
    control: &Control<'_>,
    monitor: &Monitor,
    cause: Cause,
) -> Result<Result<Option<ErrorGroup>, StopReason>, RuntimeError> {
    let (shared, initial) = prepare(system, options, None)?;
    let (_, answer) = check_monitor_in(&shared, &initial, options, control, monitor, None, cause);
    Ok(answer.map(|violated| match violated {
        Some(Violated::Shown(error)) => Some(error),
        // Monitors may look at processes, so none is taken away.
        Some(Violated::Untraced(_)) | None => None,
    }))
}

/// A run that is not as it should be.
enum Violated {
    /// With its trace.
    Shown(ErrorGroup),
    /// Of a search without terminated processes, whose steps are not those of the model.
    Untraced(Cause),
}

/// Whether the search is to do without terminated processes, and nobody could notice.
fn takes_away_terminated(system: &System, options: &SearchOptions) -> bool {
    let model = &system.model;
    let has_own_channels = || {
        let mut locals = model.proctypes.iter().flat_map(|proctype| &proctype.locals);
        locals.any(|variable| matches!(variable.init, Initializer::Channel(_)))
    };
    // A claim may look into processes by their numbers.
    let is_watched = options.properties.claim.is_some() || options.properties.acceptance;
    options.terminated == Terminated::TakenAway
        && !is_watched
        && !pids::are_observed(system)
        && !has_own_channels()
}

fn check_monitor_in(
    shared: &Shared<'_>,
    initial: &[u32],
    options: &SearchOptions,
    control: &Control<'_>,
    monitor: &Monitor,
    progress: Option<ProgressReading>,
    cause: Cause,
) -> (u64, Result<Option<Violated>, StopReason>) {
    let system = shared.interpreter.system();
    let error = |trace: Trace, cause: Cause, confirmed: bool| match confirmed {
        true => Ok(Some(Violated::Shown(ErrorGroup { cause, count: 1, trace }))),
        false => Err(StopReason::TraceNotConfirmed),
    };
    let wanted = Wanted { monitor, progress, first: First::Oldest };
    match cycles::find(shared, initial, wanted, &options.limits, control) {
        // Whoever stays in an `atomic` sequence for ever passes no state of the product: it says nothing about that run.
        CycleOutcome::None { nodes, unclear: Some(Unclear::EndlessAtomic), .. } => {
            (nodes, Err(StopReason::EndlessAtomic))
        }
        // A run that ends in an error is no infinite one; the error itself is the safety search's to report.
        CycleOutcome::None { nodes, unclear: None | Some(Unclear::Error(_)), .. } => (nodes, Ok(None)),
        CycleOutcome::Lasso { nodes, .. } if takes_away_terminated(system, options) => {
            (nodes, Ok(Some(Violated::Untraced(cause))))
        }
        CycleOutcome::Lasso { steps, loop_start, nodes } => {
            let trace = Trace::new(system, options.capacities, &steps, Some(loop_start));
            let confirmed = witness::confirms_cycle(system, &trace, monitor, progress, &shared.progress_at);
            (nodes, error(trace, cause, confirmed))
        }
        CycleOutcome::Completed { steps, nodes } => {
            let trace = Trace::new(system, options.capacities, &steps, None);
            let confirmed = certificate::trace::replay(system, &trace).is_ok();
            (nodes, error(trace, Cause::ClaimCompleted, confirmed))
        }
        CycleOutcome::GuardFails => (0, Err(StopReason::ClaimNotSupported)),
        CycleOutcome::Stopped { reason, nodes } => (nodes, Err(reason)),
    }
}

/// What tells searches apart that would not have the same states.
fn question(options: &SearchOptions) -> String {
    format!("{:?}, {:?}, {:?}", options.capacities, options.properties, options.terminated)
}

/// What threads share, and the numbers of the initial state's components.
fn prepare<'s>(
    system: &'s System,
    options: &SearchOptions,
    reducer: Option<Reducer>,
) -> Result<(Shared<'s>, Vec<u32>), RuntimeError> {
    let interpreter = Interpreter::new(system, options.capacities);
    let interpreter = match takes_away_terminated(system, options) {
        true => interpreter.taking_away_terminated(),
        false => interpreter,
    };
    let (properties, limits) = (options.properties, &options.limits);
    let (mut shared, initial) = prepare_with(interpreter, properties, limits, options.threads, reducer)?;
    shared.progress = ProgressStatements::new(system, &options.progress);
    shared.progress_at = options.progress.clone();
    shared.digest = options.digest;
    shared.steps = match options.engine {
        Engine::BitState(_) => Steps::ByMasks,
        Engine::Fast | Engine::Reference => options.steps,
    };
    Ok((shared, initial))
}

/// The same for a given semantics. Progress is what is labelled so.
fn prepare_with<'s>(
    interpreter: Interpreter<'s>,
    properties: Properties,
    limits: &Limits,
    threads: usize,
    reducer: Option<Reducer>,
) -> Result<(Shared<'s>, Vec<u32>), RuntimeError> {
    let system = interpreter.system();
    let initial_state = interpreter.initial_state()?;
    let budget = Budget::new(limits.memory);
    let mut knowledge = Knowledge::new(system, &initial_state, &budget);
    let mut initial = Vec::new();
    knowledge.components.encode(&initial_state, &mut initial);
    let budget_for_steps = limits.memory.map_or(usize::MAX, |bytes| bytes / 4 / threads.max(1));
    let shared = Shared {
        interpreter,
        properties,
        progress: ProgressStatements::new(system, &ProgressAt::Labels),
        progress_at: ProgressAt::Labels,
        steps: Steps::Measured,
        digest: true,
        reducer,
        budget,
        budget_for_steps,
        knowledge: Mutex::new(knowledge),
    };
    Ok((shared, initial))
}
