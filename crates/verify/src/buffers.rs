//! Buffers: proofs with potentials first, then search with unbounded queues where they leave something open.

use crate::answer::{Answer, Bound, BufferCapacities, Counterexample, Figures, Question, Reading};
use crate::control::Timed;
use crate::deeper;
use crate::options::CheckOptions;
use crate::words;
use certificate::verdict::{Capacities as ProofCapacities, Evidence, StopReason, Unknown, Verdict};
use proofs::pump::Pump;
use proofs::{
    BoundsOptions, BoundsReport, BoundsVerdict, BufferReport, BufferVerdict, ProofSource, SuspiciousCycle,
    UnknownReason,
};
use search::{Outcome, SearchReport};
use std::sync::Arc;
use std::time::{Duration, Instant};
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter};

/// How long it may take at least to find out which bounds are tight.
const TIGHTNESS: Duration = Duration::from_secs(3);

/// The answers about buffers: all together first, then each.
pub fn answers(system: &System, options: &CheckOptions, control: &Timed) -> Vec<Answer> {
    // Nothing to analyse, however large the rest of the model is.
    if system.model.channel_types.iter().all(|channel| channel.capacity == 0) {
        return vec![no_buffers(options)];
    }
    let over = || control.is_over();
    let began = Instant::now();
    let bounds_options = BoundsOptions { capacities: options.proof_capacities, budgets: options.budgets };
    let report = proofs::bounds(system, &bounds_options, &proofs::Control { cancelled: &over });
    let mut answers = translate(system, options, &report, control);
    let worth_it = is_open(&answers) && !control.is_over();
    let control = &limited(control, began.elapsed(), is_decided(&answers));
    if let Some(seen) =
        worth_it.then(|| deeper::search(system, options, Question::Buffers, None, control)).flatten()
    {
        improve(system, &mut answers, &seen);
    }
    answers
}

fn reading(options: &CheckOptions, by_search: bool) -> Reading {
    Reading::of(match (options.proof_capacities, by_search) {
        (ProofCapacities::Declared, _) => BufferCapacities::Declared,
        (ProofCapacities::Any, true) => BufferCapacities::Unbounded,
        (ProofCapacities::Any, false) => BufferCapacities::Any,
    })
}

fn no_buffers(options: &CheckOptions) -> Answer {
    let meaning = "the model has no buffers";
    let verdict = Verdict::Proved(Evidence::Nothing(meaning.to_string()));
    Answer::new(Question::Buffers, verdict, reading(options, false), meaning)
}

fn translate(system: &System, options: &CheckOptions, report: &BoundsReport, control: &Timed) -> Vec<Answer> {
    let whole = match &report.verdict {
        BoundsVerdict::Proved(source) => {
            proved(options, Question::Buffers, source, |searched| match searched {
                Some(states) => finite(states),
                None if options.proof_capacities == ProofCapacities::Any => {
                    "every buffer is bounded, whatever its capacity".to_string()
                }
                None => "every buffer is bounded".to_string(),
            })
        }
        BoundsVerdict::Violated(pump) => {
            let names = growing(system, pump);
            let repeated = words::repeated(pump.repeat_from, pump.trace.steps.len() - pump.repeat_from);
            let meaning = format!("{names} may grow for ever: {repeated}{}", more_processes(pump));
            Answer::new(
                Question::Buffers,
                Verdict::Violated(counterexample(pump)),
                reading(options, true),
                meaning,
            )
        }
        BoundsVerdict::Unknown(reason) => unknown(Question::Buffers, options, reason, control),
        BoundsVerdict::NoBuffers => no_buffers(options),
    };
    let mut whole = whole;
    // What was tried before a run was found says nothing about that run.
    if !report.refinements.is_empty() && !matches!(whole.verdict, Verdict::Violated(_)) {
        whole.notes.push(format!("refined: {}", report.refinements.join("; ")));
    }
    if report.search.states > 0 {
        whole.figures =
            Some(Figures { states: report.search.states, transitions: report.search.transitions });
    }
    let mut answers = vec![whole];
    answers.extend(report.buffers.iter().map(|buffer| one(options, buffer, control)));
    answers
}

/// What a complete search says whose buffers have no limit: finitely many states, so finitely many messages.
fn finite(states: u64) -> String {
    format!("every buffer is bounded: {}, without a limit to any buffer", words::all_states(states))
}

fn proved(
    options: &CheckOptions,
    question: Question,
    source: &ProofSource,
    meaning: impl Fn(Option<u64>) -> String,
) -> Answer {
    match source {
        ProofSource::Certificate(certificate) => {
            let evidence = Evidence::Certificate(Arc::clone(certificate));
            Answer::new(question, Verdict::Proved(evidence), reading(options, false), meaning(None))
        }
        ProofSource::Search { states, transitions } => {
            let evidence = Evidence::Search { states: *states, transitions: *transitions };
            Answer::new(question, Verdict::Proved(evidence), reading(options, true), meaning(Some(*states)))
        }
    }
}

fn one(options: &CheckOptions, buffer: &BufferReport, control: &Timed) -> Answer {
    let question = Question::Buffer(buffer.name.clone());
    match &buffer.verdict {
        BufferVerdict::AtMost { bound, tight, source } => {
            let mut answer = proved(options, question, source, |_| {
                format!("never holds more than {bound}{}", if *tight { ", and sometimes does" } else { "" })
            });
            answer.bound = Some(Bound { at_most: *bound, tight: *tight });
            answer
        }
        BufferVerdict::Bounded(source) => {
            proved(options, question, source, |_| "bounded, but no number is known".to_string())
        }
        BufferVerdict::Unbounded(pump) => {
            let verdict = Verdict::Violated(counterexample(pump));
            Answer::new(question, verdict, reading(options, true), "may grow for ever")
        }
        BufferVerdict::Unknown => {
            let reason = match control.is_over() {
                true => control.reason(),
                false => StopReason::RefinementsExhausted,
            };
            let seen = format!("held up to {} in what was searched", buffer.seen);
            Answer::unknown(question, reading(options, false), reason, seen)
        }
    }
}

fn unknown(question: Question, options: &CheckOptions, reason: &UnknownReason, control: &Timed) -> Answer {
    let stop = match &reason.reason {
        StopReason::Cancelled => control.reason(),
        other => other.clone(),
    };
    let mut findings: Vec<String> = reason.suspicious.iter().map(suspicious).collect();
    findings.extend(reason.findings.iter().cloned());
    let meaning = match reason.suspicious.len() {
        0 => "neither a proof nor a run that fills a buffer for ever was found".to_string(),
        count => format!("no proof excludes {}", words::counted(count, "suspicious cycle")),
    };
    let verdict = Verdict::Unknown(Unknown { reason: stop, findings });
    Answer::new(question, verdict, reading(options, false), meaning)
}

/// `server 2 times: ts[0]?req (line 12), tc[0]!ack (line 13)`
pub fn suspicious(cycle: &SuspiciousCycle) -> String {
    let statements: Vec<String> =
        cycle.statements.iter().map(|(text, line)| format!("`{text}` (line {line})")).collect();
    let times = if cycle.times == 1 { "once".to_string() } else { format!("{} times", cycle.times) };
    format!("{} {times}: {}", cycle.process, statements.join(", "))
}

pub fn counterexample(pump: &Pump) -> Counterexample {
    Counterexample::Pump {
        trace: pump.trace.clone(),
        repeat_from: pump.repeat_from,
        grows: pump.grows.clone(),
        more_processes: pump.more_processes,
    }
}

/// What has to be said where each repetition leaves processes behind.
pub fn more_processes(pump: &Pump) -> &'static str {
    match pump.more_processes {
        0 => "",
        _ => ", with more processes each time: so it is where their number has no limit (SPIN's is 255)",
    }
}

fn growing(system: &System, pump: &Pump) -> String {
    let names = channel_names(system);
    let texts: Vec<String> = pump
        .grows
        .iter()
        .map(|&channel| {
            names.get(channel as usize).cloned().flatten().unwrap_or_else(|| "a buffer".to_string())
        })
        .collect();
    texts.join(", ")
}

/// The names of the channels that exist from the beginning, by number.
pub fn channel_names(system: &System) -> Vec<Option<String>> {
    let Ok(state) = Interpreter::new(system, Capacities::Unbounded).initial_state() else {
        return Vec::new();
    };
    let mut names = vec![None; state.channels.len()];
    for (slot, &value) in system.global_slots.iter().zip(&state.globals) {
        if slot.scalar == promela::model::Scalar::Chan
            && let Some(name) = usize::try_from(value - 1).ok().and_then(|index| names.get_mut(index))
        {
            name.get_or_insert_with(|| slot.name.clone());
        }
    }
    names
}

/// Time for a search after proofs that took so long: as much must be left for checking them once more. Where all is proved and only
/// the tightness of bounds is open, nobody should wait much longer than for the proofs.
fn limited(control: &Timed, spent: Duration, decided: bool) -> Timed {
    let now = Instant::now();
    let left = control.deadline.map(|deadline| deadline.saturating_duration_since(now).saturating_sub(spent));
    let enough = decided.then(|| TIGHTNESS.max(spent * 2));
    let deadline = left.into_iter().chain(enough).min().map(|time| now + time);
    Timed { deadline, ..control.clone() }
}

/// Whether every buffer has a bound.
fn is_decided(answers: &[Answer]) -> bool {
    answers.iter().all(|answer| match answer.question {
        Question::Buffer(_) => answer.bound.is_some(),
        _ => matches!(answer.verdict, Verdict::Proved(_)),
    })
}

/// Whether a deeper search may still improve something. It never ends if some buffer grows for ever.
fn is_open(answers: &[Answer]) -> bool {
    let grows = |answer: &Answer| matches!(answer.verdict, Verdict::Violated(_));
    if answers.iter().any(grows) {
        return false;
    }
    answers.iter().any(|answer| match (&answer.question, &answer.verdict) {
        (Question::Buffers, Verdict::Unknown(_)) => true,
        (Question::Buffer(_), Verdict::Proved(_)) => answer.bound.is_none_or(|bound| !bound.tight),
        (Question::Buffer(_), Verdict::Unknown(_)) => true,
        _ => false,
    })
}

/// Takes over what a search with unbounded queues saw: exact maxima if it saw everything, tightness if it reached a bound.
fn improve(system: &System, answers: &mut [Answer], seen: &SearchReport) {
    // A run that ends in a runtime error (too many processes, say) might have gone on: then nothing is proved.
    let complete = seen.outcome == Outcome::Complete && seen.errors.is_empty();
    let names = channel_names(system);
    let figures = Figures { states: seen.counts.states, transitions: seen.counts.transitions() };
    let evidence = Evidence::Search { states: figures.states, transitions: figures.transitions };
    for answer in answers {
        match &answer.question {
            Question::Buffers if complete && matches!(answer.verdict, Verdict::Unknown(_)) => {
                answer.verdict = Verdict::Proved(evidence.clone());
                answer.reading = by_search_instead(answer.reading);
                answer.meaning = finite(figures.states);
                answer.figures = Some(figures);
            }
            Question::Buffer(name) => {
                let number = names.iter().position(|n| n.as_ref() == Some(name));
                let Some(number) = number else { continue };
                let peak = seen.channels.iter().find(|c| c.channel.0 as usize == number);
                let peak = peak.map_or(0, |peak| u64::from(peak.peak));
                if let Some(bound) = &mut answer.bound
                    && bound.at_most == peak
                {
                    bound.tight = true;
                    answer.meaning = format!("never holds more than {peak}, and sometimes does");
                } else if complete && !matches!(answer.verdict, Verdict::Violated(_)) {
                    if let Some(bound) = answer.bound {
                        answer.notes.push(format!("for every capacity: at most {}", bound.at_most));
                    }
                    answer.verdict = Verdict::Proved(evidence.clone());
                    answer.reading = by_search_instead(answer.reading);
                    answer.bound = Some(Bound { at_most: peak, tight: true });
                    answer.meaning = format!("never holds more than {peak}, and sometimes does");
                    answer.figures = Some(figures);
                }
            }
            _ => {}
        }
    }
}

fn by_search_instead(reading: Reading) -> Reading {
    match reading.capacities {
        BufferCapacities::Any => Reading::of(BufferCapacities::Unbounded),
        _ => reading,
    }
}
