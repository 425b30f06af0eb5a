//! The portfolio's verdicts held against plain exploration of random models: no proved bound is exceeded, no proved progress is missing, no
//! violation is claimed that does not exist.
//!
//! A proof for every capacity is held against buffers without limit, against those that are declared and against small ones. Each
//! exploration has a limit. What it has seen is real even if it has not seen everything, so a bound can be refuted by a part of
//! the states.

use crate::explored::Explored;
use certificate::verdict::{Capacities as ProofCapacities, Verdict};
use system::automaton::System;
use system::interpreter::Capacities;
use verify::{Answer, BufferCapacities, CheckOptions, Control, Question, Questions, check};

/// What became of one model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Judgement {
    /// `buffers PROVED`, `progress UNKNOWN`, and so on.
    pub verdicts: Vec<String>,
    /// Bounds that were compared with what exploration saw.
    pub bounds: usize,
    /// What cannot both be true.
    pub contradictions: Vec<String>,
    /// Everything was explored.
    pub complete: bool,
}

/// Asks the portfolio for buffers of any capacity and for those that are declared, and explores up to `states` states in each reading.
pub fn judge(system: &System, states: usize) -> Judgement {
    let explored = |capacities| (capacities, Explored::new(system, capacities, states));
    let readings = [Capacities::Unbounded, Capacities::Declared, Capacities::Fixed(1), Capacities::Fixed(2)];
    let seen = readings.map(explored);
    let mut judgement =
        Judgement { complete: seen.iter().all(|(_, seen)| seen.complete), ..Judgement::default() };
    for proof_capacities in [ProofCapacities::Any, ProofCapacities::Declared] {
        let questions = Questions { buffers: true, progress: true, ..Questions::none() };
        let budgets =
            proofs::Budgets { states: 3_000, refinements: 6, nodes: 5_000, ..proofs::Budgets::default() };
        let time = Some(std::time::Duration::from_secs(3));
        let options = CheckOptions { questions, budgets, time, proof_capacities, ..CheckOptions::default() };
        for answer in &check(system, &options, &Control::none()).answers {
            judgement.hear(answer);
            for (capacities, seen) in &seen {
                if speaks_of(answer, *capacities) {
                    let reading = |text| format!("{text} ({capacities:?}, asked for {proof_capacities:?})");
                    judgement.contradictions.extend(contradiction(system, answer, seen).map(reading));
                }
            }
        }
    }
    judgement
}

impl Judgement {
    fn hear(&mut self, answer: &Answer) {
        let word = answer.verdict.word();
        match &answer.question {
            Question::Buffer(_) => {
                self.bounds += usize::from(word == "PROVED" && answer.bound.is_some());
            }
            Question::Buffers => self.verdicts.push(format!("buffers {word}")),
            Question::Progress => self.verdicts.push(format!("progress {word}")),
            _ => {}
        }
    }
}

/// Whether an answer promises something for buffers of these capacities.
fn speaks_of(answer: &Answer, capacities: Capacities) -> bool {
    match answer.reading.capacities {
        BufferCapacities::Any => true,
        BufferCapacities::Unbounded => capacities == Capacities::Unbounded,
        BufferCapacities::Declared => capacities == Capacities::Declared,
        BufferCapacities::Fixed(size) => capacities == Capacities::Fixed(size),
    }
}

/// Why an answer and what was seen cannot both be true.
fn contradiction(system: &System, answer: &Answer, seen: &Explored) -> Option<String> {
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
            .has_loop_without_progress(system)
            .then(|| "progress is said to be certain, but a loop has none".to_string()),
        (Question::Progress, Verdict::Violated(_)) => (seen.complete
            && !seen.has_loop_without_progress(system))
        .then(|| "progress is said to fail, but no loop is without it".to_string()),
        _ => None,
    }
}
