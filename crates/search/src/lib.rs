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
pub use reduce::pays as reduction_pays;
pub use report::{
    BitStateFigures, Cause, ChannelPeak, ClusterFigures, Counts, DiskFigures, ErrorGroup, Observed, Outcome,
    SearchReport, StopReason, Traffic, Unreached,
};
pub use system::control::{Control, Status};

use budget::Budget;
use certificate::pids;
use cycles::asked::{Answered, CycleQuestion, Violated};
use explore::breadth::{Better, Explored};
use explore::expand::{Shared, lock};
use explore::memo::RowMemory;
use explore::{breadth, depth, direct, scout, witness};
use monitor::Monitor;
use packed::components::Divided;
use packed::knowledge::Knowledge;
use promela::model::Initializer;
use reduce::Reducer;
use std::sync::{Mutex, PoisonError};
use system::automaton::{Action, System};
use system::code::slice::without_what_nobody_needs;
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
    if options.slice {
        let options = SearchOptions { slice: false, ..options.clone() };
        return match without_what_nobody_needs(system, &[]) {
            None => explore(system, &options, control),
            Some(slice) => {
                let report = explore(&slice.system, &options, control)?;
                // Its states are not the model's.
                Ok(SearchReport { sliced: true, digest: None, ..report })
            }
        };
    }
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
        Reduction::Reduced if !reduce::pays(system) => None,
        // What one process does changes the numbers of others.
        Reduction::Reduced if !has_traces => None,
        // The nearest error is found by breadth-first search only, and that does not reduce.
        Reduction::Reduced if options.errors == ErrorPolicy::Shortest && bits.is_none() => None,
        // What a claim looks at may be anything, and it may count steps.
        Reduction::Reduced if options.properties.claim.is_some() => None,
        Reduction::Reduced => Reducer::for_errors(system, options.capacities),
    };
    let is_reduced = options.reduction == Reduction::Reduced && errors != ErrorPolicy::Shortest && has_traces;
    let asks_for_depth = is_reduced && !reduce::pays(system);
    let mut questions = cycles::asked::questions(system, &options.properties);
    let mut nodes_nearby = 0;
    if bits.is_none() && errors == ErrorPolicy::First && !questions.is_empty() {
        let report = look_nearby(system, options, control, &mut questions)?;
        if !report.errors.is_empty() {
            return Ok(report);
        }
        nodes_nearby = report.counts.product_nodes;
    }
    let (mut shared, mut initial) = prepare(system, options, reducer)?;
    let wanted = match (options.errors, options.traces) {
        (ErrorPolicy::All, Traces::OfEachCause) => usize::MAX,
        (ErrorPolicy::All, Traces::OfTheFirst) | (ErrorPolicy::First | ErrorPolicy::Shortest, _) => 1,
    };
    let (limits, threads) = (&options.limits, options.threads);
    let goes_on = options.disk.as_ref().is_some_and(|disk| disk.resume);
    let reduced = match &shared.reducer {
        _ if goes_on => Some(Explored::nothing(StopReason::Memory(0))),
        Some(_) => explore_reduced(&shared, &initial, errors, limits, control, bits),
        // With nothing to leave out, whoever asks for less than everything asks for what lies deep.
        None if bits.is_some() || asks_for_depth => {
            depth::explore(&shared, &initial, errors, limits, control, bits).ok()
        }
        None => None,
    };
    let mut explored = match reduced {
        Some(explored) => explored,
        None => {
            if shared.reducer.is_some() {
                (shared, initial) = prepare(system, options, None)?;
            }
            // Who asks about infinite runs goes on with what is known, in ways that know processes with all of their variables.
            let is_free = has_traces && !options.properties.ask_for_cycles();
            let is_measured = is_free && options.steps == Steps::Measured;
            let mut plan = breadth::Plan {
                policy: errors,
                limits,
                threads,
                may_divide: is_measured,
                may_execute: is_measured && direct::suits(&shared),
            };
            let mut is_executed = is_free && options.steps == Steps::Directly && direct::suits(&shared);
            loop {
                if std::mem::take(&mut is_executed)
                    && let Ok(explored) = direct::explore(&shared, plan, wanted, control)
                {
                    break explored;
                }
                match breadth::explore(&shared, &initial, plan, control, None) {
                    Ok(explored) => break explored,
                    Err(Better::Divided(these)) => {
                        (shared, initial) = prepare_divided(system, options, None, &Divided::These(these))?;
                        plan.may_divide = false;
                    }
                    Err(Better::Executed) => {
                        plan.may_execute = false;
                        is_executed = true;
                    }
                }
            }
        }
    };
    let mut on_disk = None;
    if let (Some(disk), Some(StopReason::Memory(_))) = (&options.disk, explored.stopped) {
        // Nothing is left out there, and what was known goes; but values, which are few beside states, make the layout right from the beginning.
        let known = shared.knowledge.into_inner().unwrap_or_else(PoisonError::into_inner).components;
        (shared, initial) = prepare(system, options, None)?;
        let memory = disk::memory(limits, control);
        shared.budget_for_steps = memory / 8;
        if known.bytes() <= memory / 8 {
            lock(&shared.knowledge).components.adopt(&known);
        }
        drop(known);
        let limits = Limits { memory: Some(memory), ..*limits };
        let question = question(options);
        let (found, figures) = disk::explore(&shared, &initial, disk, &question, errors, &limits, control);
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
    let counts = Counts { product_nodes: nodes_nearby, ..explored.counts };
    // What stands for a set of states stands for one of the model's.
    let (bit_state, digest) = (explored.bit_state, explored.digest.filter(|_| has_traces));
    let is_on_disk = on_disk.is_some();
    let reduction = if shared.reducer.is_some() { Reduction::Reduced } else { Reduction::Full };
    let mut report = SearchReport {
        outcome,
        reduction,
        sliced: false,
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
    if is_on_disk && !questions.is_empty() && report.outcome == Outcome::Complete {
        // The product would not fit into memory either.
        report.outcome = Outcome::Stopped(StopReason::Memory(limits.memory.unwrap_or(0)));
    }
    let done = report.outcome == Outcome::Complete && !is_on_disk;
    if done && (report.errors.is_empty() || options.errors == ErrorPolicy::All) {
        for question in &questions {
            question.ask(&mut shared, &initial, options, control, &mut report);
        }
    }
    Ok(report)
}

/// Explores states that are enough; `None` if all are searched sooner.
fn explore_reduced(
    shared: &Shared<'_>,
    initial: &[u32],
    errors: ErrorPolicy,
    limits: &Limits,
    control: &Control<'_>,
    bits: Option<BitState>,
) -> Option<Explored> {
    let reducer = shared.reducer.as_ref()?;
    loop {
        // What is remembered here rests on less than will be known when the search begins, so it is dropped.
        scout::scout(shared, initial, MOVES_TO_LEARN_FROM, RowMemory::default(), (limits, control));
        reducer.begin();
        let explored = depth::explore(shared, initial, errors, limits, control, bits).ok()?;
        // If two processes share what was thought to be one's own: begin again, knowing better.
        if !reducer.is_broken() {
            return Some(explored);
        }
    }
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

/// Nodes of a product within which a cycle is near.
const NEARBY: u64 = 1 << 14;

/// Asks the questions about infinite runs, depth first and not far: where one error is enough, what is near the beginning is met long before
/// everything else has been searched. What is answered need not be asked again.
fn look_nearby(
    system: &System,
    options: &SearchOptions,
    control: &Control<'_>,
    questions: &mut Vec<CycleQuestion>,
) -> Result<SearchReport, RuntimeError> {
    let (mut shared, initial) = prepare(system, options, None)?;
    let mut report = SearchReport::of(Outcome::Stopped(StopReason::Error));
    let states = Some(options.limits.states.map_or(NEARBY, |limit| limit.min(NEARBY)));
    let nearby = SearchOptions { limits: Limits { states, ..options.limits }, ..options.clone() };
    questions.retain(|question| {
        question.ask(&mut shared, &initial, &nearby, control, &mut report) == Answered::Not
    });
    let knowledge = lock(&shared.knowledge);
    report.channels = knowledge.peaks(system);
    report.observed = knowledge.observed();
    report.unreached = knowledge.unreached(system);
    report.counts.states = report.counts.product_nodes;
    report.outcome = Outcome::Stopped(StopReason::Error);
    drop(knowledge);
    Ok(report)
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
    let monitor = Some(monitor.clone());
    let question = CycleQuestion { monitor, progress: None, cause, is_about_labels: false };
    let (_, answer) = question.answer(&shared, &initial, options, control);
    Ok(answer.map(|violated| match violated {
        Some(Violated::Shown(error)) => Some(error),
        // Monitors may look at processes, so none is taken away.
        Some(Violated::Untraced(_)) | None => None,
    }))
}

/// Whether the search is to do without terminated processes, and nobody could notice.
pub(crate) fn takes_away_terminated(system: &System, options: &SearchOptions) -> bool {
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
    let is_plain = reducer.is_none()
        && options.engine == Engine::Fast
        && options.disk.is_none()
        && !options.properties.ask_for_cycles();
    let is_divided =
        is_plain && options.steps == Steps::ByVariables && !takes_away_terminated(system, options);
    let divided = if is_divided { Divided::All } else { Divided::None };
    prepare_divided(system, options, reducer, &divided)
}

/// The same, with the frames of some processes divided.
fn prepare_divided<'s>(
    system: &'s System,
    options: &SearchOptions,
    reducer: Option<Reducer>,
    divided: &Divided,
) -> Result<(Shared<'s>, Vec<u32>), RuntimeError> {
    let interpreter = Interpreter::new(system, options.capacities);
    let interpreter = match takes_away_terminated(system, options) {
        true => interpreter.taking_away_terminated(),
        false => interpreter,
    };
    let (properties, limits) = (options.properties, &options.limits);
    let (mut shared, initial) =
        prepare_all(interpreter, properties, limits, options.threads, reducer, divided)?;
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
    prepare_all(interpreter, properties, limits, threads, reducer, &Divided::None)
}

fn prepare_all<'s>(
    interpreter: Interpreter<'s>,
    properties: Properties,
    limits: &Limits,
    threads: usize,
    reducer: Option<Reducer>,
    divided: &Divided,
) -> Result<(Shared<'s>, Vec<u32>), RuntimeError> {
    let system = interpreter.system();
    let initial_state = interpreter.initial_state()?;
    let budget = Budget::new(limits.memory);
    let mut knowledge = Knowledge::new(system, &initial_state, divided, &budget);
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
