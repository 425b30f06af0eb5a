//! What the facts say about progress.

use crate::answer::{Answer, Counterexample, Question, Reading, Searched};
use crate::board::Board;
use crate::facts::Facts;
use crate::options::CheckOptions;
use crate::{buffers, consistency, rules, temporal, words};
use certificate::trace::{Trace, replay};
use certificate::verdict::{Evidence, Fairness, ProgressReading, Unknown, Verdict};
use std::sync::Arc;
use system::automaton::System;
use system::capacities::CapacityReading;
use system::progress::{ProgressAt, ProgressPlace, ProgressStatements, stands_at};

/// Whether something is marked as progress.
pub fn is_marked(system: &System, options: &CheckOptions) -> bool {
    options.progress_at != ProgressAt::Labels
        || !ProgressStatements::new(system, &ProgressAt::Labels).is_empty()
}

/// Whether an answer is missed if there is none. Among all questions, a model that marks nothing does not ask this one.
pub fn is_asked_for(board: &Board) -> bool {
    board.is_marked() || !board.options.questions.deadlock
}

/// Whether it is only asked whether every run ends: good to know, not worth a long wait.
pub fn is_aside(board: &Board) -> bool {
    board.options.questions.progress && !is_asked_for(board)
}

/// Whether marks lie where nobody ever stands, so that a proof that marked statements are executed says nothing in SPIN's reading.
pub fn is_hidden(system: &System, options: &CheckOptions) -> bool {
    options.progress == ProgressReading::State
        && ProgressStatements::new(system, &options.progress_at).some_are_hidden(system, &options.progress_at)
}

/// Does every infinite run make progress again and again? Where nothing is marked this asks whether every run ends, and there is no answer
/// if that cannot be shown: nobody asked for it.
pub fn answers(board: &Board, facts: &Facts) -> Vec<Answer> {
    let mut answer = answer(board, facts);
    if rules::progress_contradicts(facts, board.livelock_free(facts)) {
        consistency::withdraw(&mut answer, "there is a run without progress, and a proof that there is none");
    }
    if board.is_marked() {
        return vec![answer];
    }
    match &answer.verdict {
        Verdict::Proved(evidence) => {
            let meaning = match evidence {
                Evidence::Search { .. } if board.options.fairness != Fairness::None => answer.meaning.clone(),
                Evidence::Search { states, .. } => format!("every run ends: {}", words::all_states(*states)),
                _ if board.options.fairness != Fairness::None => {
                    format!("{} ends", temporal::runs(&board.options))
                }
                _ => "every run ends".to_string(),
            };
            vec![Answer { meaning, ..answer }]
        }
        _ if !is_asked_for(board) => Vec::new(),
        _ => {
            let help = "nothing is marked as progress: a label `progress…` or --progress-at does that";
            answer.notes.push(help.to_string());
            vec![answer]
        }
    }
}

fn answer(board: &Board, facts: &Facts) -> Answer {
    let options = &board.options;
    if let Some(certificate) = board.progress_certificate(facts) {
        let evidence = Evidence::Certificate(Arc::clone(certificate));
        let meaning =
            format!("{} that goes on for ever makes progress again and again", temporal::runs(options));
        let mut answer =
            Answer::new(Question::Progress, Verdict::Proved(evidence), reading(options, None), meaning);
        if let Some(stopped) = &facts.progress_stopped
            && !stopped.refinements.is_empty()
        {
            answer.details.push(format!("refined: {}", stopped.refinements.join("; ")));
        }
        return answer;
    }
    if let Some(run) = &facts.without_progress {
        let meaning = match run {
            Counterexample::Pump { trace, repeat_from, grows, more_processes } => format!(
                "{} may go on for ever without progress, {}{}{}",
                movers(&board.system, trace, *repeat_from),
                if grows.is_empty() { "the same way each time" } else { "filling buffers" },
                if options.fairness == Fairness::None { "" } else { ", fairly" },
                if *more_processes > 0 { buffers::MORE_PROCESSES } else { "" }
            ),
            other => goes_round(&board.system, other.trace()),
        };
        let capacities = run.trace().capacities.into();
        let reading = reading(options, Some(capacities));
        return Answer::new(Question::Progress, Verdict::Violated(run.clone()), reading, meaning);
    }
    if let Some(figures) = facts.progress_searched {
        let capacities = rules::searched_capacities(options.proof_capacities);
        let verdict =
            Verdict::Proved(Evidence::Search { states: figures.states, transitions: figures.transitions });
        let meaning =
            format!("no run goes on for ever without progress: {}", words::all_states(figures.states));
        let reading = reading(options, Some(board.reach(capacities)));
        let mut answer = Answer::new(Question::Progress, verdict, reading, meaning);
        answer.figures = Some(figures);
        answer.searched = Some(Searched::Complete(None));
        return answer;
    }
    if let Some(answer) = &facts.fair_progress {
        return answer.clone();
    }
    let (reason, findings, _) = buffers::why(board, facts, &Question::Progress);
    let meaning = match facts.failed.contains(&Question::Progress) {
        true => words::FAILED,
        false => "neither a proof nor a run without progress was found",
    };
    let verdict = Verdict::Unknown(Unknown { reason, findings });
    let mut answer = Answer::new(Question::Progress, verdict, reading(options, None), meaning);
    answer.figures = facts.searched;
    answer
}

/// The reading of an answer; for these capacities, or for those that were asked for.
fn reading(options: &CheckOptions, capacities: Option<CapacityReading>) -> Reading {
    let capacities = capacities.unwrap_or(options.proof_capacities.into());
    let fairness = Some(options.fairness).filter(|fairness| *fairness != Fairness::None);
    Reading { capacities, progress: Some(options.progress), fairness }
}

/// Who goes round in a fair run, and how far.
pub fn goes_round_fairly(system: &System, trace: &Trace) -> String {
    let start = trace.loop_start.unwrap_or(0).min(trace.steps.len());
    let length = words::steps(trace.steps.len() - start);
    format!("{} may go round for ever, {length} at a time, fairly", movers(system, trace, start))
}

fn goes_round(system: &System, trace: &Trace) -> String {
    let start = trace.loop_start.unwrap_or(0).min(trace.steps.len());
    format!(
        "{} may go round for ever without progress, {} at a time",
        movers(system, trace, start),
        words::steps(trace.steps.len() - start)
    )
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
