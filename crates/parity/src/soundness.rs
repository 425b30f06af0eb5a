//! The portfolio's verdicts held against plain exploration of random models: no proved bound is exceeded, no proved progress is missing, no
//! violation is claimed that does not exist.
//!
//! A proof for every capacity is held against buffers without limit, against those that are declared and against small ones. Each
//! exploration has a limit. What it has seen is real even if it has not seen everything, so a bound can be refuted by a part of
//! the states.

use crate::everything::{Finding, is_a_defect};
use crate::explored::Explored;
use certificate::verdict::{Capacities as ProofCapacities, ProgressReading, Verdict};
use search::{Engine, ErrorPolicy};
use std::cell::OnceCell;
use system::automaton::System;
use system::interpreter::Capacities;
use verify::{
    Answer, CapacityReading, CheckOptions, Coverage, Question, Questions, SearchKnobs, Supervisor, check,
};

/// For each of the questions that go together: small models are decided within it, and a certificate that takes longer is left to other seeds.
pub(crate) const TIME: std::time::Duration = std::time::Duration::from_millis(60);

/// The searches of small models.
pub(crate) const SHORT_SEARCH: SearchKnobs = SearchKnobs {
    coverage: Coverage::FullWhileSmall,
    errors: ErrorPolicy::All,
    engine: Engine::Fast,
    states: Some(2_000),
    disk: None,
    explorer: None,
};

/// All ways to ask: for buffers of any capacity and for those that are declared, in both readings of progress.
pub const ALL_READINGS: [(ProofCapacities, ProgressReading); 4] = [
    (ProofCapacities::Any, ProgressReading::Transition),
    (ProofCapacities::Declared, ProgressReading::Transition),
    (ProofCapacities::Any, ProgressReading::State),
    (ProofCapacities::Declared, ProgressReading::State),
];

/// Asks the portfolio in one way, and explores up to `states` states with each capacity.
pub fn judge(
    system: &System,
    states: usize,
    budgets: &proofs::Budgets,
    (proof_capacities, progress): (ProofCapacities, ProgressReading),
) -> Finding {
    let capacities = [
        Capacities::Unbounded,
        Capacities::Declared,
        Capacities::Fixed(1),
        Capacities::Fixed(2),
        Capacities::Fixed(3),
    ];
    // Only with those that an answer speaks of.
    let explorations = capacities.map(|capacities| (capacities, OnceCell::new()));
    let options = CheckOptions {
        questions: Questions { buffers: true, progress: true, ..Questions::none() },
        budgets: *budgets,
        time: Some(TIME),
        proof_capacities,
        progress,
        search: SHORT_SEARCH,
        ..CheckOptions::default()
    };
    let mut finding = Finding::default();
    for answer in &check(system, &options, &Supervisor::none()).answers {
        if let Verdict::Unknown(unknown) = &answer.verdict {
            if is_a_defect(&unknown.reason) {
                finding.contradictions.push(format!("{}: {unknown:?}", answer.question));
            }
            continue;
        }
        for (capacities, seen) in explorations.iter().filter(|(capacities, _)| speaks_of(answer, *capacities))
        {
            let seen = seen.get_or_init(|| Explored::new(system, *capacities, states));
            finding.compared += 1;
            if let Some(text) = contradiction(system, answer, seen, progress) {
                let asked = format!("{capacities:?}, {progress:?}, asked for {proof_capacities:?}");
                finding.contradictions.push(format!("{text} ({asked})"));
            }
        }
    }
    finding
}

/// Whether an answer promises something for buffers of these capacities.
fn speaks_of(answer: &Answer, capacities: Capacities) -> bool {
    match answer.reading.capacities {
        CapacityReading::Any => true,
        CapacityReading::Unbounded => capacities == Capacities::Unbounded,
        CapacityReading::Declared => capacities == Capacities::Declared,
        CapacityReading::Fixed(size) => capacities == Capacities::Fixed(size),
    }
}

/// Why an answer and what was seen cannot both be true.
fn contradiction(
    system: &System,
    answer: &Answer,
    seen: &Explored,
    progress: ProgressReading,
) -> Option<String> {
    match (&answer.question, &answer.verdict) {
        (Question::Buffer(name), Verdict::Proved(_)) => {
            let at_most = answer.bound?.at_most;
            let most = seen.occupancy.get(name).copied().unwrap_or(0);
            (most > at_most).then(|| format!("{name} is said to hold {at_most} at most, and holds {most}"))
        }
        (Question::Buffers, Verdict::Violated(_)) => seen
            .complete
            .then(|| "a buffer is said to grow for ever, but there are finitely many states".to_string()),
        (Question::Progress, Verdict::Proved(_)) => seen
            .has_loop_without_progress(system, progress)
            .then(|| "progress is said to be certain, but a loop has none".to_string()),
        (Question::Progress, Verdict::Violated(_)) => (seen.complete
            && !seen.has_loop_without_progress(system, progress))
        .then(|| "progress is said to fail, but no loop is without it".to_string()),
        _ => None,
    }
}
