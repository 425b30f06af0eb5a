//! The portfolio's verdicts held against plain exploration of random models: no proved bound is exceeded, no proved progress is missing, no
//! violation is claimed that does not exist.
//!
//! The exploration here shares nothing with the engines but the step semantics: states in a hash map, breadth first, with unbounded buffers and
//! a limit. What it has seen is real even if it has not seen everything, so a bound can be refuted by a part of the states.

use std::collections::HashMap;

use certificate::verdict::Verdict;
use promela::model::Scalar;
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter, Step};
use system::state::State;
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
    let seen = Explored::new(system, states);
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

/// What plain exploration has seen.
struct Explored {
    edges: Vec<Vec<(Step, usize)>>,
    states: Vec<State>,
    /// The most messages in each global channel.
    occupancy: HashMap<String, u64>,
    complete: bool,
}

impl Explored {
    fn new(system: &System, limit: usize) -> Explored {
        let interpreter = Interpreter::new(system, Capacities::Unbounded);
        let mut explored =
            Explored { edges: Vec::new(), states: Vec::new(), occupancy: HashMap::new(), complete: false };
        let Ok(initial) = interpreter.initial_state() else { return explored };
        // The channels that global variables hold at the start are theirs for good unless they are assigned, which names no buffer.
        let names: Vec<(usize, String)> = system
            .global_slots
            .iter()
            .zip(&initial.globals)
            .filter(|(slot, value)| slot.scalar == Scalar::Chan && **value > 0)
            .map(|(slot, value)| (*value as usize - 1, slot.name.clone()))
            .collect();
        let mut index = HashMap::from([(initial.clone(), 0)]);
        explored.states.push(initial);
        let mut steps = Vec::new();
        while explored.edges.len() < explored.states.len() {
            let at = explored.edges.len();
            let state = explored.states[at].clone();
            for (channel, name) in &names {
                let fields =
                    system.model.channel_types[state.channels[*channel].channel_type.0 as usize].fields.len();
                let held = (state.channels[*channel].contents.len() / fields.max(1)) as u64;
                let most = explored.occupancy.entry(name.clone()).or_default();
                *most = held.max(*most);
            }
            let mut out = Vec::new();
            if interpreter.steps(&state, &mut steps).is_ok() {
                for &step in &steps {
                    let mut next = state.clone();
                    if interpreter.execute(&mut next, step, &(), &mut ()).is_err() {
                        continue;
                    }
                    let new = explored.states.len();
                    let target = *index.entry(next.clone()).or_insert(new);
                    if target == new {
                        explored.states.push(next);
                    }
                    out.push((step, target));
                }
            }
            explored.edges.push(out);
            if explored.states.len() > limit {
                explored.states.truncate(explored.edges.len());
                return explored;
            }
        }
        explored.complete = true;
        explored
    }

    /// Whether some loop among the explored states executes no statement at a `progress…` label.
    fn has_loop_without_progress(&self, system: &System) -> bool {
        let is_progress = |state: &State, step: &Step| {
            let sides = std::iter::once(step.process).chain(step.partner.map(|p| p.process));
            sides.into_iter().any(|pid| {
                let process = &state.processes[pid.0 as usize];
                system.automaton(process.automaton).location(process.location).progress
            })
        };
        // Depth-first over the steps without progress: a step back to the path closes a loop.
        let count = self.states.len();
        let mut colour = vec![0u8; count];
        for root in 0..count {
            if colour[root] != 0 {
                continue;
            }
            let mut path = vec![(root, 0)];
            colour[root] = 1;
            while let Some((at, next)) = path.last_mut() {
                let at = *at;
                let Some((step, to)) = self.edges.get(at).and_then(|e| e.get(*next)) else {
                    colour[at] = 2;
                    path.pop();
                    continue;
                };
                *next += 1;
                if *to >= count || is_progress(&self.states[at], step) {
                    continue;
                }
                match colour[*to] {
                    0 => {
                        colour[*to] = 1;
                        path.push((*to, 0));
                    }
                    1 => return true,
                    _ => {}
                }
            }
        }
        false
    }
}
