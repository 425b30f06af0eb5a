//! The portfolio's verdicts held against plain exploration of random models: no proved bound is exceeded, no proved progress is missing, no
//! violation is claimed that does not exist.
//!
//! The exploration has unbounded buffers and a limit. What it has seen is real even if it has not seen everything, so a bound can be
//! refuted by a part of the states.

use crate::explored::Explored;
use certificate::verdict::Verdict;
use system::automaton::System;
use system::interpreter::Capacities;
use verify::{CheckOptions, Control, Question, Questions, check};

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

/// Asks the portfolio and explores up to `states` states.
pub fn judge(system: &System, states: usize) -> Judgement {
    let questions = Questions { buffers: true, progress: true, ..Questions::none() };
    let budgets =
        proofs::Budgets { states: 3_000, refinements: 6, nodes: 5_000, ..proofs::Budgets::default() };
    let time = Some(std::time::Duration::from_secs(3));
    let options = CheckOptions { questions, budgets, time, ..CheckOptions::default() };
    let report = check(system, &options, &Control::none());
    let seen = Explored::new(system, Capacities::Unbounded, states);
    let mut judgement = Judgement { complete: seen.complete, ..Judgement::default() };
    for answer in &report.answers {
        match &answer.question {
            Question::Buffer(name) => {
                if let (Verdict::Proved(_), Some(bound)) = (&answer.verdict, answer.bound) {
                    judgement.bounds += 1;
                    let most = seen.occupancy.get(name).copied().unwrap_or(0);
                    if most > bound.at_most {
                        let text =
                            format!("{name} is said to hold {} at most, and holds {most}", bound.at_most);
                        judgement.contradictions.push(text);
                    }
                }
            }
            Question::Buffers => {
                judgement.verdicts.push(format!("buffers {}", answer.verdict.word()));
                if matches!(answer.verdict, Verdict::Violated(_)) && seen.complete {
                    let text =
                        "a buffer is said to grow for ever, but there are finitely many states".to_string();
                    judgement.contradictions.push(text);
                }
            }
            Question::Progress => {
                judgement.verdicts.push(format!("progress {}", answer.verdict.word()));
                let livelock = seen.has_loop_without_progress(system);
                let text = match &answer.verdict {
                    Verdict::Proved(_) if livelock => "progress is said to be certain, but a loop has none",
                    Verdict::Violated(_) if seen.complete && !livelock => {
                        "progress is said to fail, but no loop is without it"
                    }
                    _ => continue,
                };
                judgement.contradictions.push(text.to_string());
            }
            _ => {}
        }
    }
    judgement
}
