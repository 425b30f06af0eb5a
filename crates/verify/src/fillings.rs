//! Runs that fill buffers, to look at: how full each gets along a way to its fullest.

use crate::answer::{Answer, CheckReport, Counterexample, Question};
use promela::model::Scalar;
use search::pumps::fullest;
use search::{Control, Limits};
use std::cmp::Reverse;
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter, Step};
use system::state::{ChannelId, State};

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
const STATES: u64 = 20_000;
/// Messages in one buffer beyond which nobody looks.
const MESSAGES: u32 = 64;
/// Buffers beyond which nobody looks: those that are flooded come first, then the fullest.
const BUFFERS: usize = 40;
/// How often the repeated part of a run that never stops filling is shown.
const REPETITIONS: usize = 4;

/// A filling for each buffer of the report, or for [`BUFFERS`] of them, as far as a short search finds one.
pub fn fillings(system: &System, report: &CheckReport) -> Vec<Filling> {
    let interpreter = Interpreter::new(system, Capacities::Unbounded);
    let Ok(initial) = interpreter.initial_state() else { return Vec::new() };
    let mut buffers: Vec<(&str, &Answer)> = report.answers.iter().filter_map(buffer).collect();
    buffers.sort_by_key(|(_, answer)| Reverse(answer.bound.map_or(u64::MAX, |bound| bound.at_most)));
    buffers.sort_by_key(|(_, answer)| answer.counterexample().is_none());
    buffers.truncate(BUFFERS);
    let mut fillings = Vec::new();
    for (name, answer) in buffers {
        let Some(channel) = number_of(system, &initial, name) else { continue };
        let (steps, repeats_from) = match answer.counterexample().and_then(pumped) {
            Some((steps, from)) => (steps, Some(from)),
            None => {
                let wanted = answer.bound.map_or(MESSAGES, |bound| bound.at_most.min(MESSAGES.into()) as u32);
                (towards(system, channel, wanted), None)
            }
        };
        let messages = along(system, &interpreter, &initial, &steps, channel);
        fillings.push(Filling { buffer: name.to_string(), messages, repeats_from });
    }
    fillings
}

fn buffer(answer: &Answer) -> Option<(&str, &Answer)> {
    match &answer.question {
        Question::Buffer(name) => Some((name, answer)),
        _ => None,
    }
}

/// A run that fills a buffer with so many messages, or with as many as a short search finds.
fn towards(system: &System, channel: usize, wanted: u32) -> Vec<Step> {
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    let channel = ChannelId(channel as u32);
    let found = fullest::find(system, Capacities::Unbounded, channel, wanted, &limits, &Control::none());
    found.map_or_else(|_| Vec::new(), |found| found.steps)
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

    #[test]
    fn a_run_goes_straight_to_the_fullest_state_past_clocks_that_have_nothing_to_do_with_it() {
        // Twenty steps in all directions are more than twice the states that are looked at.
        let sends = "; c!1".repeat(20);
        let text = format!(
            "chan c = [2] of {{ byte }};\nactive proctype sender() {{ skip{sends} }}\n\
             active [4] proctype clock() {{ byte n; do :: n++ od }}\n"
        );
        let system = system::read_text(&text).expect("a model");
        let interpreter = Interpreter::new(&system, Capacities::Unbounded);
        let initial = interpreter.initial_state().expect("it starts");
        let steps = towards(&system, 0, 20);
        let messages = along(&system, &interpreter, &initial, &steps, 0);
        assert_eq!(messages.last(), Some(&20));
        let aside = steps.iter().filter(|step| step.process.0 != 0).count();
        assert!(aside <= 4, "{aside} steps of the clocks");
    }

    #[test]
    fn of_many_buffers_the_flooded_one_and_the_fullest_are_shown() {
        let text = "chan few[60] = [1] of { byte }; chan two = [2] of { byte }; chan flood = [3] of { byte };
            active proctype sender() {
                byte i; two!1; two!2;
                do :: i < 60 -> few[i]!1; few[i]?_; i++ :: else -> break od;
                do :: flood!1 od
            }";
        let system = system::read_text(text).expect("a model");
        let report = crate::check(&system, &crate::CheckOptions::default(), &crate::Supervisor::none());
        let names: Vec<String> = fillings(&system, &report).into_iter().map(|found| found.buffer).collect();
        assert_eq!((names.len(), &names[0][..], &names[1][..]), (BUFFERS, "flood", "two"));
    }
}
