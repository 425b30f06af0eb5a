//! Progress: proofs with potentials, lassos and pumps.

use crate::answer::{Answer, BufferCapacities, Counterexample, Figures, Question, Reading};
use crate::buffers::{self, suspicious};
use crate::control::Timed;
use crate::deeper;
use crate::options::CheckOptions;
use crate::words;
use certificate::trace::{Trace, replay};
use certificate::verdict::{
    Capacities as ProofCapacities, Evidence, ProgressReading, StopReason, Unknown, Verdict,
};
use proofs::{ProgressOptions, ProgressVerdict, ProofSource};
use search::{Cause, Outcome};
use std::sync::Arc;
use system::automaton::System;
use system::progress::{ProgressAt, ProgressPlace, ProgressStatements, stands_at};

/// Whether something is marked as progress.
pub fn is_marked(system: &System, options: &CheckOptions) -> bool {
    options.progress_at != ProgressAt::Labels
        || !ProgressStatements::new(system, &ProgressAt::Labels).is_empty()
}

/// Whether an answer is missed if there is none. Among all questions, a model that marks nothing does not ask this one.
pub fn is_asked_for(system: &System, options: &CheckOptions) -> bool {
    is_marked(system, options) || !options.questions.deadlock
}

/// Does every infinite run make progress again and again? Where nothing is marked this asks whether every run ends, and there is no answer
/// if that cannot be shown: nobody asked for it.
pub fn answers(system: &System, options: &CheckOptions, control: &Timed) -> Vec<Answer> {
    let answer = answer(system, options, control);
    match &answer.verdict {
        Verdict::Proved(_) if !is_marked(system, options) => {
            let meaning = match answer.verdict {
                Verdict::Proved(Evidence::Search { states, .. }) => {
                    format!("every run ends: {}", words::all_states(states))
                }
                _ => "every run ends".to_string(),
            };
            vec![Answer { meaning, ..answer }]
        }
        _ if !is_asked_for(system, options) => Vec::new(),
        _ if !is_marked(system, options) => {
            let mut answer = answer;
            let help = "nothing is marked as progress: a label `progress…` or --progress-at does that";
            answer.notes.push(help.to_string());
            vec![answer]
        }
        _ => vec![answer],
    }
}

fn answer(system: &System, options: &CheckOptions, control: &Timed) -> Answer {
    let over = || control.is_over();
    let progress_options = ProgressOptions {
        capacities: options.proof_capacities,
        progress: options.progress_at.clone(),
        budgets: options.budgets,
    };
    let report = proofs::progress(system, &progress_options, &proofs::Control { cancelled: &over });
    let mut answer = translate(system, options, report.verdict, control);
    // What was tried before a run was found says nothing about that run.
    if !report.refinements.is_empty() && !matches!(answer.verdict, Verdict::Violated(_)) {
        answer.notes.push(format!("refined: {}", report.refinements.join("; ")));
    }
    if report.search.states > 0 {
        answer.figures =
            Some(Figures { states: report.search.states, transitions: report.search.transitions });
    }
    let undecided = matches!(answer.verdict, Verdict::Unknown(_)) && is_marked(system, options);
    if undecided && options.progress_at == ProgressAt::Labels && !control.is_over() {
        answer = by_search(system, options, control).unwrap_or(answer);
    }
    answer
}

/// What the options name and the model does not have: a label or a line without a statement.
pub fn not_there(system: &System, options: &CheckOptions) -> Option<String> {
    let ProgressAt::Places(places) = &options.progress_at else { return None };
    let absent = places.iter().find(|&place| {
        ProgressStatements::new(system, &ProgressAt::Places(vec![place.clone()])).is_empty()
    })?;
    Some(match absent {
        ProgressPlace::Label(label) => format!("there is no label `{label}`"),
        ProgressPlace::Line(line) => format!("no statement begins on line {line}"),
    })
}

fn translate(system: &System, options: &CheckOptions, verdict: ProgressVerdict, control: &Timed) -> Answer {
    match verdict {
        ProgressVerdict::Proved(_)
            if options.progress == ProgressReading::State
                && ProgressStatements::new(system, &options.progress_at)
                    .some_are_hidden(system, &options.progress_at) =>
        {
            let reason = StopReason::Unsupported {
                what: "a label lies inside of `atomic`, where nobody stands: progress by state".to_string(),
            };
            let meaning = "every run makes progress by transition; by state nothing is known";
            Answer::unknown(Question::Progress, reading(options, false), reason, meaning)
        }
        ProgressVerdict::Proved(source) => proved(options, &source),
        ProgressVerdict::Lasso(trace) => lasso(system, options, *trace),
        ProgressVerdict::Pump(pump) => {
            let meaning = format!(
                "{} may go on for ever without progress, filling buffers{}",
                movers(system, &pump.trace, pump.repeat_from),
                buffers::more_processes(&pump)
            );
            violated(system, options, buffers::counterexample(&pump), meaning)
        }
        ProgressVerdict::Unknown(reason) => {
            let stop = match reason.reason {
                StopReason::Cancelled => control.reason(),
                other => other,
            };
            let mut findings: Vec<String> = reason.suspicious.iter().map(suspicious).collect();
            findings.extend(reason.findings);
            let verdict = Verdict::Unknown(Unknown { reason: stop, findings });
            let meaning = "neither a proof nor a run without progress was found";
            Answer::new(Question::Progress, verdict, reading(options, false), meaning)
        }
    }
}

/// States of a search that decides what proofs leave open; `None` if it does not.
fn by_search(system: &System, options: &CheckOptions, control: &Timed) -> Option<Answer> {
    let reading = match options.proof_capacities {
        ProofCapacities::Any => reading(options, true),
        ProofCapacities::Declared => reading(options, false),
    };
    let report = deeper::search(system, options, Question::Progress, Some(options.progress), control)?;
    let figures = Figures { states: report.counts.states, transitions: report.counts.transitions() };
    let found = report.errors.iter().find(|group| group.cause == Cause::NonProgressCycle);
    let mut answer = match found {
        Some(group) => lasso(system, options, group.trace.clone()),
        // A run that ends in a runtime error might have gone on: then nothing is proved.
        None if report.outcome == Outcome::Complete && report.errors.is_empty() => {
            let evidence = Evidence::Search { states: figures.states, transitions: figures.transitions };
            Answer::new(Question::Progress, Verdict::Proved(evidence), reading, searched(figures.states))
        }
        None => return None,
    };
    answer.figures = Some(figures);
    Some(answer)
}

fn lasso(system: &System, options: &CheckOptions, trace: Trace) -> Answer {
    let start = trace.loop_start.unwrap_or(0).min(trace.steps.len());
    let meaning = format!(
        "{} may go round for ever without progress, {} at a time",
        movers(system, &trace, start),
        words::steps(trace.steps.len() - start)
    );
    violated(system, options, Counterexample::Lasso(trace), meaning)
}

fn reading(options: &CheckOptions, by_search: bool) -> Reading {
    let capacities = match (options.proof_capacities, by_search) {
        (ProofCapacities::Declared, _) => BufferCapacities::Declared,
        (ProofCapacities::Any, true) => BufferCapacities::Unbounded,
        (ProofCapacities::Any, false) => BufferCapacities::Any,
    };
    Reading { capacities, progress: Some(options.progress), fairness: None }
}

/// A proof that labelled statements are executed again and again implies that processes stand before them again and again, if
/// none is hidden; so it serves both readings.
fn proved(options: &CheckOptions, source: &ProofSource) -> Answer {
    match source {
        ProofSource::Certificate(certificate) => {
            let meaning = "every run that goes on for ever makes progress again and again";
            let evidence = Evidence::Certificate(Arc::clone(certificate));
            Answer::new(Question::Progress, Verdict::Proved(evidence), reading(options, false), meaning)
        }
        ProofSource::Search { states, transitions } => {
            let evidence = Evidence::Search { states: *states, transitions: *transitions };
            let reading = reading(options, true);
            Answer::new(Question::Progress, Verdict::Proved(evidence), reading, searched(*states))
        }
    }
}

fn searched(states: u64) -> String {
    format!("no run goes on for ever without progress: {}", words::all_states(states))
}

/// In SPIN's reading a run is no counterexample if somebody stands at a label again and again.
fn violated(
    system: &System,
    options: &CheckOptions,
    counterexample: Counterexample,
    meaning: String,
) -> Answer {
    let reading = reading(options, true);
    if options.progress == ProgressReading::State
        && stands_at_progress(system, &options.progress_at, &counterexample)
    {
        let reason = StopReason::Unsupported {
            what: "no labelled statement is executed, but a process stands at one: progress by state"
                .to_string(),
        };
        let meaning = "there is a run without progress by transition; by state nothing is known";
        return Answer::unknown(Question::Progress, reading, reason, meaning);
    }
    Answer::new(Question::Progress, Verdict::Violated(counterexample), reading, meaning)
}

/// Whether somebody stands at what counts as progress while the steps are repeated.
pub fn stands_at_progress(
    system: &System,
    progress_at: &ProgressAt,
    counterexample: &Counterexample,
) -> bool {
    let trace = counterexample.trace();
    let Ok(replay) = replay(system, trace) else { return true };
    let start = counterexample.repeats_from().unwrap_or(0);
    // Where the loop ends is where it begins. In the middle of an atomic sequence nobody stands anywhere.
    (start..trace.steps.len()).any(|index| {
        let state = replay.state_before(index);
        let is_within_a_step = state.exclusive.is_some_and(|pid| pid.0 == trace.steps[index].process);
        !is_within_a_step && state.processes.iter().any(|process| stands_at(system, progress_at, process))
    })
}

/// Who takes part in the loop: `client(1) and server(3)`.
fn movers(system: &System, trace: &Trace, start: usize) -> String {
    let Ok(replay) = replay(system, trace) else { return "the system".to_string() };
    let mut pids: Vec<u32> = Vec::new();
    for step in &trace.steps[start.min(trace.steps.len())..] {
        pids.extend(std::iter::once(step.process).chain(step.partner.map(|(process, _)| process)));
    }
    pids.sort_unstable();
    pids.dedup();
    let state = replay.state_before(start.min(trace.steps.len()));
    let mut names: Vec<String> = pids
        .iter()
        .filter_map(|&pid| {
            let process = state.processes.get(pid as usize)?;
            Some(format!("{}({pid})", system.automaton(process.automaton).name))
        })
        .collect();
    match names.len() {
        0 => "the system".to_string(),
        1 => names.remove(0),
        2 | 3 => {
            let last = names.pop().unwrap_or_default();
            format!("{} and {last}", names.join(", "))
        }
        count => format!("{count} processes"),
    }
}
