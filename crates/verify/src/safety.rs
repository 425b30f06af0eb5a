//! One search for everything that is wrong at the end of a finite run.

use crate::answer::{Answer, Counterexample, Figures, Question, Reading, UnreachedStatement};
use crate::control::{Event, Timed};
use crate::options::CheckOptions;
use crate::words;
use certificate::trace::replay;
use certificate::verdict::{Evidence, StopReason, Verdict};
use search::{
    Cause, ChannelPeak, Counts, ErrorGroup, Limits, Outcome, Properties, Reduction, SearchOptions,
    SearchReport,
};
use system::automaton::{Action, System};
use system::interpreter::RuntimeError;

/// What a search for errors gives.
pub struct Safety {
    pub answers: Vec<Answer>,
    pub unreached: Option<Vec<UnreachedStatement>>,
    pub counts: Option<Counts>,
    pub peaks: Vec<ChannelPeak>,
}

/// The questions that such a search answers, as far as they are asked and the model makes them askable.
pub fn questions(system: &System, options: &CheckOptions) -> Vec<Question> {
    let mut questions = Vec::new();
    if options.questions.deadlock {
        questions.push(Question::Deadlock);
    }
    if options.questions.assertions {
        questions.extend([Question::Assertions, Question::RuntimeErrors]);
    }
    if options.questions.event_trace && system.event_trace.is_some() {
        questions.push(Question::EventTrace);
    }
    questions
}

/// Searches for deadlocks, failing assertions, runtime errors and departures from the event trace.
pub fn search(system: &System, options: &CheckOptions, control: Timed<'_>) -> Safety {
    let questions = questions(system, options);
    let main = questions.first().cloned().unwrap_or(Question::Deadlock);
    let watcher = |progress: search::Progress| control.control.tell(Event::Searching(main.clone(), progress));
    let search_options = SearchOptions {
        capacities: options.capacities,
        reduction: options.search.reduction,
        properties: Properties {
            assertions: questions.contains(&Question::Assertions),
            end_states: questions.contains(&Question::Deadlock),
            claim: None,
            acceptance: false,
            non_progress: None,
            event_trace: questions.contains(&Question::EventTrace),
        },
        errors: options.search.errors,
        limits: Limits { states: options.search.states, memory: options.memory, deadline: control.deadline },
        threads: options.threads,
        engine: options.search.engine,
    };
    let mut search_control = search::Control::none().watched_by(&watcher);
    if let Some(flag) = control.control.flag() {
        search_control = search_control.cancelled_by(flag);
    }
    match search::explore(system, &search_options, &search_control) {
        Ok(report) => Safety {
            answers: questions
                .into_iter()
                .map(|question| answer(system, options, question, &report))
                .collect(),
            unreached: unreached(options, &report),
            counts: Some(report.counts),
            peaks: report.channels,
        },
        Err(error) => Safety {
            answers: questions
                .into_iter()
                .map(|question| without_initial_state(system, options, question, &error))
                .collect(),
            unreached: None,
            counts: None,
            peaks: Vec::new(),
        },
    }
}

fn answer(system: &System, options: &CheckOptions, question: Question, report: &SearchReport) -> Answer {
    let reading = Reading::of(options.capacities.into());
    let figures = Figures { states: report.counts.states, transitions: report.counts.transitions() };
    let matching: Vec<&ErrorGroup> =
        report.errors.iter().filter(|group| belongs(&group.cause, &question)).collect();
    let mut answer = match matching.first() {
        Some(group) => {
            let mut answer = violated(system, question, reading, group);
            let count: u64 = matching.iter().map(|group| group.count).sum();
            if count > 1 {
                let places = if matching.len() == 1 { "place" } else { "places" };
                answer.notes.push(format!("{count} times in all, in {} {places}", matching.len()));
            }
            answer
        }
        None if question == Question::Assertions && !asserts_anything(system) => {
            let evidence = Evidence::Nothing("the model asserts nothing".to_string());
            Answer::new(question, Verdict::Proved(evidence), reading, "the model asserts nothing")
        }
        None => match stopped(report, options) {
            None => {
                let evidence = Evidence::Search { states: figures.states, transitions: figures.transitions };
                let all = match options.search.reduction {
                    Reduction::Full => format!("all {} states searched", words::grouped(figures.states)),
                    Reduction::Reduced => {
                        format!(
                            "{} states searched, the others do not matter",
                            words::grouped(figures.states)
                        )
                    }
                };
                Answer::new(question, Verdict::Proved(evidence), reading, all)
            }
            Some(reason) => {
                let meaning =
                    format!("nothing wrong in the {} states searched", words::grouped(figures.states));
                Answer::unknown(question, reading, reason, meaning)
            }
        },
    };
    answer.figures = Some(figures);
    answer
}

fn belongs(cause: &Cause, question: &Question) -> bool {
    matches!(
        (cause, question),
        (Cause::InvalidEndState { .. }, Question::Deadlock)
            | (Cause::Statement { assertion: true, .. }, Question::Assertions)
            | (Cause::Statement { assertion: false, .. }, Question::RuntimeErrors)
            | (Cause::EventTrace { .. }, Question::EventTrace)
    )
}

fn violated(system: &System, question: Question, reading: Reading, group: &ErrorGroup) -> Answer {
    let steps = words::steps(group.trace.steps.len());
    let (meaning, problem) = match &group.cause {
        Cause::InvalidEndState { .. } => {
            let waiting = replay(system, &group.trace)
                .ok()
                .map(|replay| words::who_waits(system, replay.state_before(group.trace.steps.len())));
            let waiting = waiting.unwrap_or_default();
            (format!("after {steps} nothing can move: {waiting}"), format!("deadlock: {waiting}"))
        }
        Cause::Statement { automaton, edge, message, .. } => {
            let place = edge.map(|edge| words::statement(system, *automaton, edge));
            let place = place.unwrap_or_else(|| system.automaton(*automaton).name.clone());
            (format!("{message} after {steps}: {place}"), format!("{message}: {place}"))
        }
        Cause::EventTrace { message } => (format!("{message}, after {steps}"), message.clone()),
        other => (format!("{other:?}"), format!("{other:?}")),
    };
    let counterexample = Counterexample::Run { trace: group.trace.clone(), problem };
    Answer::new(question, Verdict::Violated(counterexample), reading, meaning)
}

/// The error is that of a model whose first state cannot be set up: no run, so no trace.
fn without_initial_state(
    system: &System,
    options: &CheckOptions,
    question: Question,
    error: &RuntimeError,
) -> Answer {
    let reading = Reading::of(options.capacities.into());
    let place = words::line(system, error.span);
    let meaning = format!("the model has no initial state: {} ({place})", error.kind);
    match question {
        Question::RuntimeErrors => {
            let trace = certificate::trace::Trace::new(system, options.capacities, &[], None);
            let counterexample = Counterexample::Run { trace, problem: meaning.clone() };
            Answer::new(question, Verdict::Violated(counterexample), reading, meaning)
        }
        question => {
            let reason = StopReason::Unsupported { what: "the model has no initial state".to_string() };
            Answer::unknown(question, reading, reason, meaning)
        }
    }
}

/// Why the search proves nothing; `None` if it does.
fn stopped(report: &SearchReport, options: &CheckOptions) -> Option<StopReason> {
    match report.outcome {
        Outcome::Complete => None,
        Outcome::Stopped(reason) => Some(stop_reason(reason, options)),
    }
}

pub fn stop_reason(reason: search::StopReason, options: &CheckOptions) -> StopReason {
    match reason {
        search::StopReason::Error => StopReason::NotNeeded,
        search::StopReason::Cancelled => StopReason::Cancelled,
        search::StopReason::States(states) => StopReason::StateLimit { states },
        search::StopReason::Memory(bytes) => StopReason::MemoryLimit { bytes: bytes as u64 },
        search::StopReason::Deadline => {
            StopReason::TimeLimit { seconds: options.time.map_or(0, |time| time.as_secs()) }
        }
        search::StopReason::BitState => {
            StopReason::Unsupported { what: "a bit-state search may miss states".to_string() }
        }
        search::StopReason::TraceNotConfirmed => {
            StopReason::ReplayFailed { what: "an error whose execution does not replay".to_string() }
        }
        search::StopReason::StateTooLarge => {
            StopReason::Unsupported { what: "a state has too many parts".to_string() }
        }
        other => StopReason::Unsupported { what: format!("{other:?}") },
    }
}

/// Only a complete search of everything knows what is never executed.
fn unreached(options: &CheckOptions, report: &SearchReport) -> Option<Vec<UnreachedStatement>> {
    let everything = report.outcome == Outcome::Complete && options.search.reduction == Reduction::Full;
    everything.then(|| {
        report
            .unreached
            .iter()
            .map(|unreached| UnreachedStatement { automaton: unreached.automaton, edge: unreached.edge })
            .collect()
    })
}

fn asserts_anything(system: &System) -> bool {
    fn asserts(action: &Action) -> bool {
        match action {
            Action::Assert(_) => true,
            Action::DStep(body) => {
                body.nodes.iter().flat_map(|node| &node.choices).any(|choice| asserts(&choice.action))
            }
            _ => false,
        }
    }
    system.automata.iter().flat_map(|automaton| &automaton.edges).any(|edge| asserts(&edge.action))
}
