//! A search for what proofs leave open: every state, with buffers as large as the proofs' reading has them.

use crate::answer::Question;
use crate::control::{Event, Timed};
use crate::options::CheckOptions;
use certificate::verdict::Capacities as ProofCapacities;
use certificate::verdict::ProgressReading;
use search::{Engine, ErrorPolicy, Limits, Properties, Reduction, SearchOptions, SearchReport};
use std::sync::atomic::{AtomicBool, Ordering};
use system::automaton::System;
use system::interpreter::Capacities;

/// Bytes for states, if nobody gave a limit.
const MEMORY: usize = 1 << 30;

/// Searches for the question's sake; `None` if the system cannot be searched.
pub fn search(
    system: &System,
    options: &CheckOptions,
    question: Question,
    non_progress: Option<ProgressReading>,
    control: &Timed,
) -> Option<SearchReport> {
    let capacities = match options.proof_capacities {
        ProofCapacities::Any => Capacities::Unbounded,
        ProofCapacities::Declared => Capacities::Declared,
    };
    let search_options = SearchOptions {
        capacities,
        reduction: Reduction::Full,
        properties: Properties { non_progress, ..Properties::none() },
        errors: ErrorPolicy::All,
        limits: Limits {
            states: options.search.states,
            memory: Some(options.memory.unwrap_or(MEMORY)),
            deadline: control.deadline,
        },
        threads: 1,
        engine: Engine::Fast,
        ..SearchOptions::full()
    };
    let stop = AtomicBool::new(false);
    let watcher = |progress: search::Progress| {
        if control.is_over() {
            stop.store(true, Ordering::Relaxed);
        }
        control.control.tell(Event::Searching(question.clone(), progress));
    };
    let search_control = search::Control::none().watched_by(&watcher).cancelled_by(&stop);
    search::explore(system, &search_options, &search_control).ok()
}
