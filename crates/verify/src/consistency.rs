//! The answers about one model never contradict each other.
//!
//! Each answer has passed its own check before it comes here. Two that cannot both be true show that some check is wrong, and
//! nobody knows which: so neither counts. What excludes what stands in [`RULES`], one line each.

use crate::answer::{Answer, Counterexample, Question};
use crate::buffers::channel_names;
use crate::options::CheckOptions;
use certificate::trace::{Replay, replay};
use certificate::verdict::{ProgressReading, StopReason, Unknown, Verdict};
use system::automaton::System;
use system::capacities::CapacityReading;
use system::interpreter::{Interpreter, Violation};
use system::progress::ProgressAt;

/// A run that shows a violation, replayed.
struct Run<'a> {
    counterexample: &'a Counterexample,
    /// The system that it is a run of.
    system: std::borrow::Cow<'a, System>,
    replay: Replay,
    capacities: CapacityReading,
}

/// What is known when two answers are compared.
struct Comparison<'a> {
    system: &'a System,
    options: &'a CheckOptions,
    proved: &'a Answer,
    violated: &'a Answer,
    run: &'a Run<'a>,
}

type Rule = (&'static str, fn(&Comparison<'_>) -> bool);

/// What a proof excludes. Each rule is asked about a proof and a run that shows something else, where the proof is about the
/// capacities that the run has.
const RULES: [Rule; 7] = [
    ("the same question is answered both ways", |c| c.proved.question == c.violated.question),
    ("all buffers are bounded, and one grows for ever", |c| {
        let grows = matches!(c.violated.question, Question::Buffers | Question::Buffer(_));
        c.proved.question == Question::Buffers && grows
    }),
    ("a buffer is bounded, and grows for ever", |c| match (&c.proved.question, c.run.counterexample) {
        (Question::Buffer(name), Counterexample::Pump { grows, .. }) => {
            let names = channel_names(c.system);
            grows.iter().any(|&channel| names.get(channel as usize).cloned().flatten().as_ref() == Some(name))
        }
        _ => false,
    }),
    ("a buffer holds more than its bound", |c| match (&c.proved.question, c.proved.bound) {
        (Question::Buffer(name), Some(bound)) => held(c, name).is_some_and(|most| most > bound.at_most),
        _ => false,
    }),
    ("every run makes progress, and one goes on for ever without", |c| {
        c.proved.question == Question::Progress && goes_on_without_progress(c)
    }),
    ("every assertion holds, and one fails", |c| {
        let fails = |violation: &Violation| matches!(violation, Violation::AssertionFailed { .. });
        let mut steps = c.run.replay.steps.iter();
        c.proved.question == Question::Assertions && steps.any(|step| step.violations.iter().any(fails))
    }),
    ("no run deadlocks, and one does", |c| c.proved.question == Question::Deadlock && deadlocks(c)),
];

/// Withdraws all answers that contradict each other.
pub fn enforce(system: &System, options: &CheckOptions, answers: &mut [Answer]) {
    let mut withdrawn: Vec<(usize, String)> = Vec::new();
    for (against, violated) in answers.iter().enumerate() {
        let Some(run) = violated.counterexample().and_then(|run| replayed(system, run)) else { continue };
        for (number, proved) in answers.iter().enumerate() {
            let is_about_it = covers(proved.reading.capacities, run.capacities);
            if !matches!(proved.verdict, Verdict::Proved(_)) || !is_about_it {
                continue;
            }
            let comparison = Comparison { system, options, proved, violated, run: &run };
            if let Some((what, _)) = RULES.iter().find(|(_, excludes)| excludes(&comparison)) {
                withdrawn.push((number, format!("{what} (`{}` says so)", violated.question)));
                withdrawn.push((against, format!("{what} (`{}` says otherwise)", proved.question)));
            }
        }
    }
    withdrawn.into_iter().for_each(|(number, what)| withdraw(&mut answers[number], &what));
}

/// An answer that does not count because of another one.
pub fn withdraw(answer: &mut Answer, what: &str) {
    let reason = StopReason::Contradiction { what: what.to_string() };
    answer.verdict = Verdict::Unknown(Unknown { reason, findings: Vec::new() });
    answer.bound = None;
    answer.searched = None;
    answer.any_number = None;
    answer.meaning = format!("this is a defect of Plimsoll: {what}");
}

/// Whether what is proved under one reading is proved under another.
fn covers(proved: CapacityReading, of_run: CapacityReading) -> bool {
    proved == CapacityReading::Any || proved == of_run
}

/// The run, if it is one of the model's own processes: with other numbers of them, or other capacities, other things are true.
fn replayed<'a>(system: &'a System, counterexample: &'a Counterexample) -> Option<Run<'a>> {
    if let Counterexample::Instance { processes, rooms, .. } = counterexample
        && !(processes.is_empty() && rooms.is_empty())
    {
        return None;
    }
    let of = counterexample.system(system);
    let trace = counterexample.trace();
    let replay = replay(&of, trace).ok()?;
    let capacities = trace.capacities.into();
    Some(Run { counterexample, system: of, replay, capacities })
}

/// The most messages that a buffer holds along the run.
fn held(c: &Comparison<'_>, name: &str) -> Option<u64> {
    let number = channel_names(c.system).iter().position(|known| known.as_deref() == Some(name))?;
    let states =
        std::iter::once(&c.run.replay.initial).chain(c.run.replay.steps.iter().map(|step| &step.state));
    let messages = states.filter_map(|state| {
        let channel = state.channels.get(number)?;
        let fields = c.system.model.channel_types[channel.channel_type.0 as usize].fields.len().max(1);
        Some((channel.contents.len() / fields) as u64)
    });
    messages.max()
}

fn goes_on_without_progress(c: &Comparison<'_>) -> bool {
    let is_lasso = matches!(c.run.counterexample, Counterexample::Lasso(_) | Counterexample::Instance { .. });
    let trace = c.run.counterexample.trace();
    let start = trace.loop_start.unwrap_or(trace.steps.len());
    let transition = c.options.progress == ProgressReading::Transition;
    // In the other readings the check of the answer itself has to do.
    if !is_lasso || start >= trace.steps.len() || !transition || c.options.progress_at != ProgressAt::Labels {
        return false;
    }
    let is_progress = |index: usize| {
        let state = c.run.replay.state_before(index);
        let step = trace.steps[index];
        let sides = std::iter::once((step.process, step.edge)).chain(step.partner);
        sides.into_iter().any(|(pid, edge)| {
            let automaton = c.run.system.automaton(state.processes[pid as usize].automaton);
            let edge = &automaton.edges[edge as usize];
            // What a `d_step` does inside counts as progress for this purpose: when in doubt, no contradiction.
            edge.progress || matches!(edge.action, system::automaton::Action::DStep(_))
        })
    };
    !(start..trace.steps.len()).any(is_progress)
}

fn deadlocks(c: &Comparison<'_>) -> bool {
    let trace = c.run.counterexample.trace();
    let last = c.run.replay.state_before(trace.steps.len());
    let interpreter = Interpreter::new(&c.run.system, trace.capacities);
    let mut steps = Vec::new();
    let (_, error) = interpreter.steps_beside_errors(last, &mut steps);
    steps.is_empty() && error.is_none() && !interpreter.is_valid_end_state(last)
}
