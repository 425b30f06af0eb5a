//! Runs that fill buffers, to look at: how full each gets along a way to its fullest.

use crate::answer::{CheckReport, Counterexample, Question};
use promela::model::Scalar;
use proofs::explore::{Exploration, SearchLimits};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter, Step};
use system::state::State;

/// How full a buffer gets along a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Filling {
    /// The buffer.
    pub buffer: String,
    /// Messages in it before the first step, and after each.
    pub messages: Vec<u32>,
    /// The run repeats from here on and never stops filling.
    pub repeats_from: Option<usize>,
}

/// States that are looked at for the fullest one.
const STATES: usize = 20_000;
/// Messages in one buffer beyond which nobody looks.
const MESSAGES: u64 = 64;
/// How often the repeated part of a run that never stops filling is shown.
const REPETITIONS: usize = 4;

/// A filling for each buffer of the report, as far as a short search finds one.
pub fn fillings(system: &System, report: &CheckReport) -> Vec<Filling> {
    let interpreter = Interpreter::new(system, Capacities::Unbounded);
    let Ok(initial) = interpreter.initial_state() else { return Vec::new() };
    let limits = SearchLimits::whole(STATES);
    let exploration =
        Exploration::run(system, Capacities::Unbounded, limits, MESSAGES, &proofs::Control::unlimited());
    let mut fillings = Vec::new();
    for answer in &report.answers {
        let Question::Buffer(name) = &answer.question else { continue };
        let Some(channel) = number_of(system, &initial, name) else { continue };
        let pumped = answer.counterexample().and_then(pumped);
        let (steps, repeats_from) = match pumped {
            Some((steps, from)) => (steps, Some(from)),
            None => {
                let fullest = (0..exploration.states.len())
                    .rev()
                    .max_by_key(|&index| held(system, &exploration.states[index], channel));
                let Some(fullest) = fullest else { continue };
                let most = held(system, &exploration.states[fullest], channel);
                // Not far enough to see what is known: then straight towards fuller buffers.
                let wanted = answer.bound.filter(|bound| bound.tight && bound.at_most > u64::from(most));
                let straight =
                    wanted.and_then(|bound| towards(system, &interpreter, &initial, channel, bound.at_most));
                (straight.unwrap_or_else(|| exploration.path_to(fullest as u32)), None)
            }
        };
        let messages = along(system, &interpreter, &initial, &steps, channel);
        fillings.push(Filling { buffer: name.clone(), messages, repeats_from });
    }
    fillings
}

/// A run that fills a buffer with so many messages: states in which it is fuller come first, and of those the ones that were reached sooner.
fn towards(
    system: &System,
    interpreter: &Interpreter<'_>,
    initial: &State,
    channel: usize,
    wanted: u64,
) -> Option<Vec<Step>> {
    // Each state with the one that it was reached from, and how.
    let mut reached: Vec<(State, Option<(usize, Step)>)> = vec![(initial.clone(), None)];
    let mut known = HashSet::from([initial.clone()]);
    let mut open = BinaryHeap::from([(held(system, initial, channel), Reverse(0))]);
    let mut enabled = Vec::new();
    while let Some((messages, Reverse(index))) = open.pop() {
        if u64::from(messages) >= wanted {
            let parents = std::iter::successors(Some(index), |&at| reached[at].1.map(|(from, _)| from));
            let mut steps: Vec<Step> = parents.filter_map(|at| reached[at].1.map(|(_, step)| step)).collect();
            steps.reverse();
            return Some(steps);
        }
        let state = reached[index].0.clone();
        interpreter.steps_beside_errors(&state, &mut enabled);
        for &step in &enabled {
            let mut next = state.clone();
            if interpreter.execute(&mut next, step, &(), &mut ()).is_err() || !known.insert(next.clone()) {
                continue;
            }
            open.push((held(system, &next, channel), Reverse(reached.len())));
            reached.push((next, Some((index, step))));
        }
        if reached.len() > STATES {
            return None;
        }
    }
    None
}

fn pumped(counterexample: &Counterexample) -> Option<(Vec<Step>, usize)> {
    let Counterexample::Pump { trace, repeat_from, .. } = counterexample else { return None };
    let mut steps: Vec<Step> = trace.steps.iter().map(|&step| step.into()).collect();
    let repeated = steps.get(*repeat_from..)?.to_vec();
    for _ in 1..REPETITIONS {
        steps.extend_from_slice(&repeated);
    }
    Some((steps, *repeat_from))
}

fn number_of(system: &System, initial: &State, name: &str) -> Option<usize> {
    let slots = system.global_slots.iter().zip(&initial.globals);
    let value = slots.into_iter().find(|(slot, _)| slot.scalar == Scalar::Chan && slot.name == name)?.1;
    usize::try_from(value - 1).ok()
}

fn held(system: &System, state: &State, channel: usize) -> u32 {
    state.channels.get(channel).map_or(0, |channel| {
        let fields = system.model.channel_types[channel.channel_type.0 as usize].fields.len().max(1);
        (channel.contents.len() / fields) as u32
    })
}

fn along(
    system: &System,
    interpreter: &Interpreter<'_>,
    initial: &State,
    steps: &[Step],
    channel: usize,
) -> Vec<u32> {
    let mut state = initial.clone();
    let mut messages = vec![held(system, &state, channel)];
    let mut enabled = Vec::new();
    for &step in steps {
        interpreter.steps_beside_errors(&state, &mut enabled);
        if !enabled.contains(&step) || interpreter.execute(&mut state, step, &(), &mut ()).is_err() {
            break;
        }
        messages.push(held(system, &state, channel));
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;
    use promela::{IncludeLoader, Options};

    struct NoIncludes;

    impl IncludeLoader for NoIncludes {
        fn load(&self, name: &str, _: &str) -> Result<(String, String), String> {
            Err(format!("no {name}"))
        }
    }

    #[test]
    fn a_run_goes_straight_to_the_fullest_state_past_clocks_that_have_nothing_to_do_with_it() {
        // Twenty steps in all directions are more than twice the states that are looked at.
        let sends = "; c!1".repeat(20);
        let text = format!(
            "chan c = [2] of {{ byte }};\nactive proctype sender() {{ skip{sends} }}\n\
             active [4] proctype clock() {{ byte n; do :: n++ od }}\n"
        );
        let (model, _) = promela::read("clocks.pml", &text, &Options::default(), &NoIncludes);
        let system = system::lower::lower(model).0;
        let interpreter = Interpreter::new(&system, Capacities::Unbounded);
        let initial = interpreter.initial_state().expect("it starts");
        let steps = towards(&system, &interpreter, &initial, 0, 20).expect("a run");
        let messages = along(&system, &interpreter, &initial, &steps, 0);
        assert_eq!(messages.last(), Some(&20));
        let aside = steps.iter().filter(|step| step.process.0 != 0).count();
        assert!(aside <= 4, "{aside} steps of the clocks");
    }
}
