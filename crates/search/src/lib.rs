//! Explicit-state search over the step semantics.
//!
//! [`explore`] visits every reachable state and reports what is wrong with the model, how many states there are, how full
//! the channels get and which statements are never executed.
//!
//! The way of a state: the semantics works on [`system::state::State`]s. Here a state is cut into **parts** ([`parts`]), each
//! part's values are numbered, and the numbers stand side by side in a few words ([`layout`]). What a process can do in
//! which circumstances is **remembered** as bits to flip ([`rows`]); only what was never seen before asks the semantics
//! ([`expand`]). Packed states go into an exact, compact set ([`store`], [`table`]), level by level, by one or several
//! threads ([`breadth`], [`worker`]). When a part outgrows its place, all states are packed anew ([`carry`]).
//!
//! Invariants:
//! - there is no second implementation of Promela here: every remembered step was computed by the semantics, and is
//!   remembered under all parts that the computation touched;
//! - a search that was cut short in any way says so in its [`Outcome`]; only a complete one proves something;
//! - every trace is replayed by the step semantics before it is reported ([`witness`]).

mod ancestry;
mod bits;
mod breadth;
mod carry;
mod expand;
pub mod fair;
mod knowledge;
mod layout;
pub mod options;
mod parts;
mod prefetch;
mod reduce;
mod reference;
pub mod report;
mod rows;
mod scout;
mod store;
mod table;
mod witness;
mod worker;

pub use options::{
    Control, Engine, ErrorPolicy, Limits, Progress, ProgressReading, Properties, Reduction, SearchOptions,
};
pub use report::{Cause, ChannelPeak, Counts, ErrorGroup, Outcome, SearchReport, StopReason, Unreached};

use expand::{Shared, lock};
use knowledge::Knowledge;
use reduce::Reducer;
use std::sync::Mutex;
use system::automaton::System;
use system::interpreter::{Interpreter, RuntimeError};

/// Explores the states of a system. The error is that of a model without an initial state.
pub fn explore(
    system: &System,
    options: &SearchOptions,
    control: &Control<'_>,
) -> Result<SearchReport, RuntimeError> {
    if options.engine == Engine::Reference {
        return reference::explore(system, options, control);
    }
    let interpreter = Interpreter::new(system, options.capacities);
    let initial_state = interpreter.initial_state()?;
    let mut knowledge = Knowledge::new(system, &initial_state);
    let mut initial = Vec::new();
    knowledge.parts.encode(&initial_state, &mut initial);
    let reducer = match options.reduction {
        Reduction::Full => None,
        Reduction::Reduced => Reducer::new(system, &options.properties),
    };
    let shared =
        Shared { interpreter, properties: options.properties, reducer, knowledge: Mutex::new(knowledge) };
    let explored =
        breadth::explore(&shared, &initial, options.errors, &options.limits, options.threads, control, None);
    let (unreached, channels) = {
        let knowledge = lock(&shared.knowledge);
        (knowledge.unreached(system), knowledge.peaks(system))
    };
    let mut outcome = explored.stopped.map_or(Outcome::Complete, Outcome::Stopped);
    let mut errors = Vec::new();
    let wanted = if options.errors == ErrorPolicy::All { usize::MAX } else { 1 };
    let found = &explored.found[..explored.found.len().min(wanted)];
    for group in witness::traces(&shared, &initial, found, options.capacities) {
        match group {
            Some(group) => errors.push(group),
            None => outcome = Outcome::Stopped(StopReason::TraceNotConfirmed),
        }
    }
    Ok(SearchReport { outcome, counts: explored.counts, channels, unreached, errors })
}
