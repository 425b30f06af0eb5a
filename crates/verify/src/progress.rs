//! Progress: proofs with potentials, lassos and pumps.

use crate::answer::{Answer, BufferCapacities, Counterexample, Figures, Question, Reading};
use crate::buffers::{self, suspicious};
use crate::control::Timed;
use crate::options::CheckOptions;
use crate::words;
use certificate::trace::{Trace, replay};
use certificate::verdict::{
    Capacities as ProofCapacities, Evidence, ProgressReading, StopReason, Unknown, Verdict,
};
use proofs::{ProgressAt, ProgressOptions, ProgressVerdict, ProofSource};
use system::automaton::System;

/// Whether there is anything to ask about.
pub fn is_asked(system: &System, options: &CheckOptions) -> bool {
    let labelled = || system.process_automata().any(|(_, a)| a.locations.iter().any(|l| l.progress));
    options.questions.progress && (options.progress_at != ProgressAt::Labels || labelled())
}

/// Does every infinite run make progress again and again?
pub fn answer(system: &System, options: &CheckOptions, control: Timed<'_>) -> Answer {
    let over = || control.is_over();
    let progress_options = ProgressOptions {
        capacities: options.proof_capacities,
        progress: options.progress_at.clone(),
        budgets: options.budgets,
    };
    let report = proofs::progress(system, &progress_options, &proofs::Control { cancelled: &over });
    let mut answer = match report.verdict {
        ProgressVerdict::Proved(source) => proved(options, &source),
        ProgressVerdict::Lasso(trace) => {
            let loop_length = trace.steps.len() - trace.loop_start.unwrap_or(0).min(trace.steps.len());
            let meaning = format!(
                "{} may go round for ever without progress, {} at a time",
                movers(system, &trace, trace.loop_start.unwrap_or(0)),
                words::steps(loop_length)
            );
            violated(system, options, Counterexample::Lasso(*trace), meaning)
        }
        ProgressVerdict::Pump(pump) => {
            let meaning = format!(
                "{} may go on for ever without progress, filling buffers",
                movers(system, &pump.trace, pump.repeat_from)
            );
            violated(system, options, buffers::counterexample(&pump), meaning)
        }
        ProgressVerdict::Unknown(reason) => {
            let stop = match reason.reason {
                StopReason::Cancelled => control.reason(options.time.map(|time| time.as_secs_f64())),
                other => other,
            };
            let mut findings: Vec<String> = reason.suspicious.iter().map(suspicious).collect();
            findings.extend(reason.findings);
            let verdict = Verdict::Unknown(Unknown { reason: stop, findings });
            let meaning = "neither a proof nor a run without progress was found";
            Answer::new(Question::Progress, verdict, reading(options, false), meaning)
        }
        ProgressVerdict::NoProgressLabels => {
            let reason = StopReason::Unsupported {
                what: "nothing is marked as progress: add a label `progress…` or use --progress-at"
                    .to_string(),
            };
            let meaning = "there is nothing to ask: no statement is marked as progress";
            Answer::unknown(Question::Progress, reading(options, false), reason, meaning)
        }
    };
    if !report.refinements.is_empty() {
        answer.notes.push(format!("refined: {}", report.refinements.join("; ")));
    }
    if report.search.states > 0 {
        answer.figures =
            Some(Figures { states: report.search.states, transitions: report.search.transitions });
    }
    answer
}

fn reading(options: &CheckOptions, by_search: bool) -> Reading {
    let capacities = match (options.proof_capacities, by_search) {
        (ProofCapacities::Declared, _) => BufferCapacities::Declared,
        (ProofCapacities::Any, true) => BufferCapacities::Unbounded,
        (ProofCapacities::Any, false) => BufferCapacities::Any,
    };
    Reading { capacities, progress: Some(options.progress), fairness: None }
}

/// A proof that labelled statements are executed again and again implies that processes stand before them again and again,
/// so it serves both readings.
fn proved(options: &CheckOptions, source: &ProofSource) -> Answer {
    let meaning = "every run that goes on for ever makes progress again and again";
    match source {
        ProofSource::Certificate(certificate) => {
            let evidence = Evidence::Certificate(Box::new((**certificate).clone()));
            Answer::new(Question::Progress, Verdict::Proved(evidence), reading(options, false), meaning)
        }
        ProofSource::Search { states, transitions } => {
            let evidence = Evidence::Search { states: *states, transitions: *transitions };
            Answer::new(Question::Progress, Verdict::Proved(evidence), reading(options, true), meaning)
        }
    }
}

/// In SPIN's reading a run is no counterexample if somebody stands at a label again and again.
fn violated(
    system: &System,
    options: &CheckOptions,
    counterexample: Counterexample,
    meaning: String,
) -> Answer {
    let reading = reading(options, true);
    if options.progress == ProgressReading::State && stands_at_progress(system, &counterexample) {
        let reason = StopReason::Unsupported {
            what: "no labelled statement is executed, but a process stands at one: progress by state"
                .to_string(),
        };
        let meaning = "there is a run without progress by transition; by state nothing is known";
        return Answer::unknown(Question::Progress, reading, reason, meaning);
    }
    Answer::new(Question::Progress, Verdict::Violated(counterexample), reading, meaning)
}

fn stands_at_progress(system: &System, counterexample: &Counterexample) -> bool {
    let trace = counterexample.trace();
    let Ok(replay) = replay(system, trace) else { return true };
    let start = counterexample.repeats_from().unwrap_or(0);
    (start..=trace.steps.len()).any(|index| {
        replay
            .state_before(index)
            .processes
            .iter()
            .any(|process| system.automaton(process.automaton).location(process.location).progress)
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
