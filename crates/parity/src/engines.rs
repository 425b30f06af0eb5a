//! The engines of `search`, asked the same as SPIN and the reference.

use crate::reference::{Exploration, Extent, Limits};
use certificate::verdict::ProgressReading;
use search::{
    Cause, Control, Engine, ErrorPolicy, Outcome, Properties, Reduction, SearchOptions, SearchReport,
    StopReason,
};
use std::time::Instant;
use system::automaton::System;
use system::interpreter::{Capacities, RuntimeError};

/// What is asked about infinite runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CycleQuestion {
    /// Is there a cycle through an `accept…` label of a process?
    Acceptance,
    /// Is there a cycle without progress, in SPIN's reading?
    NonProgress,
    /// Does the first never claim accept a run, or come to its end?
    Claim,
}

/// A search by the fast engine. The error is that of a model without an initial state.
pub fn search(
    system: &System,
    reduction: Reduction,
    properties: Properties,
    errors: ErrorPolicy,
    limits: &Limits,
) -> Result<SearchReport, RuntimeError> {
    search::explore(system, &options(reduction, properties, errors, limits), &Control::none())
}

/// The whole graph, by the fast engine.
pub fn full(system: &System, limits: &Limits) -> Exploration {
    match search(system, Reduction::Full, Properties::safety(), ErrorPolicy::All, limits) {
        Ok(report) => as_exploration(&report),
        Err(error) => Exploration { runtime_errors: vec![error.kind.to_string()], ..Exploration::default() },
    }
}

/// What the fast engine counts differently.
pub fn differences(reference: &Exploration, fast: &Exploration) -> Vec<String> {
    let mut different = Vec::new();
    let both_fail = !reference.runtime_errors.is_empty() && !fast.runtime_errors.is_empty();
    if both_fail {
        return different;
    }
    let mut check = |what: &str, reference: u64, fast: u64| {
        if reference != fast {
            different.push(format!("{what}: {fast} by the fast engine, {reference} by the reference"));
        }
    };
    check("has a runtime error", flag(&reference.runtime_errors), flag(&fast.runtime_errors));
    check(
        "complete",
        u64::from(reference.extent == Extent::Complete),
        u64::from(fast.extent == Extent::Complete),
    );
    check("states", reference.stored, fast.stored);
    check("transitions", reference.stored + reference.matched, fast.stored + fast.matched);
    check("atomic steps", reference.atomic_steps, fast.atomic_steps);
    check("invalid end states", reference.invalid_end_states, fast.invalid_end_states);
    // A step that violates two assertions is one error to the engine.
    check("has violated assertions", u64::from(reference.assertions > 0), u64::from(fast.assertions > 0));
    check(
        "has violated traces",
        u64::from(reference.trace_violations > 0),
        u64::from(fast.trace_violations > 0),
    );
    different
}

/// Whether a search that leaves states out finds other kinds of errors, or needs more states.
pub fn differences_when_reduced(system: &System, reference: &Exploration, limits: &Limits) -> Vec<String> {
    let options = options(Reduction::Reduced, Properties::safety(), ErrorPolicy::All, limits);
    let Ok(report) = search::explore(system, &options, &Control::none()) else {
        return vec!["the reduced search finds no initial state".to_string()];
    };
    let reduced = as_exploration(&report);
    let mut different = Vec::new();
    if reduced.extent != Extent::Complete {
        // It had its time; what it did not find says nothing.
        return different;
    }
    let mut check = |what: &str, full: u64, reduced: u64| {
        if (full > 0) != (reduced > 0) {
            different.push(format!("{what}: {full} in the full graph, {reduced} in the reduced one"));
        }
    };
    check("invalid end states", reference.invalid_end_states, reduced.invalid_end_states);
    check("violated assertions", reference.assertions, reduced.assertions);
    check("violated traces", reference.trace_violations, reduced.trace_violations);
    if reduced.stored > reference.stored {
        different.push(format!("{} states reduced, {} in full", reduced.stored, reference.stored));
    }
    different
}

/// Whether there is such a run; the error says why there is no answer.
pub fn has_cycle(
    system: &System,
    question: CycleQuestion,
    reduction: Reduction,
    limits: &Limits,
) -> Result<bool, String> {
    let nothing = Properties::none();
    let properties = match question {
        CycleQuestion::Acceptance => Properties { acceptance: true, ..nothing },
        CycleQuestion::NonProgress => Properties { non_progress: Some(ProgressReading::State), ..nothing },
        CycleQuestion::Claim => Properties { acceptance: true, claim: Some(0), ..nothing },
    };
    let options = options(reduction, properties, ErrorPolicy::First, limits);
    let report = search::explore(system, &options, &Control::none())
        .map_err(|e| format!("runtime error: {}", e.kind))?;
    let found = report.errors.iter().find(|group| {
        matches!(group.cause, Cause::AcceptanceCycle | Cause::NonProgressCycle | Cause::ClaimCompleted)
    });
    match (found, report.errors.first(), report.outcome) {
        (Some(_), ..) => Ok(true),
        (None, Some(other), _) => Err(format!("another error: {:?}", other.cause)),
        (None, None, Outcome::Complete) => Ok(false),
        (None, None, Outcome::Stopped(reason)) => Err(format!("the search stopped: {reason:?}")),
    }
}

/// What the fast engine is asked, within the limits of the reference.
pub fn options(
    reduction: Reduction,
    properties: Properties,
    errors: ErrorPolicy,
    limits: &Limits,
) -> SearchOptions {
    SearchOptions {
        capacities: Capacities::Declared,
        reduction,
        properties,
        errors,
        limits: search::Limits {
            // The reference stops after the state with which it has too many.
            states: Some(limits.states.saturating_mul(100)),
            memory: Some(2 << 30),
            deadline: Some(Instant::now() + limits.time),
        },
        threads: 1,
        engine: Engine::Fast,
        ..SearchOptions::full()
    }
}

/// What a search counts, as the reference counts it.
pub fn as_exploration(report: &SearchReport) -> Exploration {
    let mut found = Exploration {
        stored: report.counts.states,
        matched: report.counts.matched,
        atomic_steps: report.counts.atomic_steps,
        ..Exploration::default()
    };
    for group in &report.errors {
        match &group.cause {
            Cause::Statement { assertion: true, .. } => found.assertions += group.count,
            Cause::Statement { message, .. } => found.runtime_errors.push(message.clone()),
            Cause::InvalidEndState { .. } => found.invalid_end_states += group.count,
            Cause::EventTrace { .. } => found.trace_violations += group.count,
            _ => {}
        }
    }
    found.extent = match report.outcome {
        Outcome::Complete => Extent::Complete,
        Outcome::Stopped(StopReason::Deadline) => Extent::Time,
        Outcome::Stopped(_) => Extent::States,
    };
    found
}

fn flag(errors: &[String]) -> u64 {
    u64::from(!errors.is_empty())
}
