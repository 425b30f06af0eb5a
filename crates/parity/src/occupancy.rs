//! What is proved of buffers and progress, model by model, held against exhaustive search.
//!
//! The portfolio answers first. Then a search of its own, with buffers that have no limit and nothing left out, says how full each buffer gets: a bound below
//! that is a contradiction. A buffer that is said to grow for ever must pass the pump's checker, and a loop without progress must replay.

use std::time::{Duration, Instant};

use certificate::pump::{Pump, PumpQuestion, check_pump};
use certificate::verdict::{Evidence, Verdict};
use search::{Engine, ErrorPolicy, Limits, Outcome, Properties, Reduction, SearchOptions};
use system::automaton::System;
use system::interpreter::{Capacities, Step};
use verify::{Answer, CheckOptions, Counterexample, Question, Questions, Supervisor, check};

/// Memory of the search that bounds are held against.
const MEMORY: usize = 1 << 30;

/// One model.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// `PROVED by certificate`, `VIOLATED`, `UNKNOWN: …`.
    pub buffers: String,
    /// For each buffer what is known: `q[0] <= 5`, `c unbounded`, `d unknown`.
    pub bounds: Vec<String>,
    /// What was added to the abstraction.
    pub refinements: Vec<String>,
    /// As for buffers.
    pub progress: String,
    /// How long the portfolio took.
    pub seconds: f64,
    /// What the search saw: `all 120 states` or `1000000 states, not all`.
    pub searched: String,
    /// Bounds that were compared with what the search saw, and how many of them it reached.
    pub compared: (usize, usize),
    /// What cannot both be true.
    pub contradictions: Vec<String>,
}

/// Whether the model has a channel that holds messages.
pub fn has_buffers(system: &System) -> bool {
    system.model.channel_types.iter().any(|channel_type| channel_type.capacity > 0)
}

/// Asks the portfolio about buffers and progress, then a search, each with this much time.
pub fn judge(system: &System, time: Duration) -> Row {
    let questions = Questions { buffers: true, progress: true, ..Questions::none() };
    let options = CheckOptions { questions, time: Some(time), ..CheckOptions::default() };
    let started = Instant::now();
    let report = check(system, &options, &Supervisor::none());
    let mut row = Row { seconds: started.elapsed().as_secs_f64(), ..Row::default() };
    let seen = peaks(system, time);
    row.searched = seen.words;
    for answer in &report.answers {
        if let Some(counterexample) = answer.counterexample()
            && let Err(what) = shows(system, &answer.question, counterexample)
        {
            row.contradictions.push(format!("{}: {what}", answer.question));
        }
        match &answer.question {
            Question::Buffers => {
                row.buffers = words(answer);
                row.refinements
                    .extend(answer.details.iter().filter(|note| note.starts_with("refined")).cloned());
                if matches!(answer.verdict, Verdict::Violated(_)) && seen.complete {
                    let text = "a buffer is said to grow for ever, but there are finitely many states";
                    row.contradictions.push(text.to_string());
                }
            }
            Question::Buffer(name) => {
                let peak = seen.peaks.iter().find(|(known, _)| known == name).map(|(_, peak)| *peak);
                row.bounds.push(match (&answer.verdict, answer.bound) {
                    (Verdict::Proved(_), Some(bound)) => {
                        let peak = peak.unwrap_or(0);
                        row.compared.0 += 1;
                        row.compared.1 += usize::from(peak == bound.at_most);
                        if peak > bound.at_most {
                            let text = format!("{name} <= {} is proved, and it holds {peak}", bound.at_most);
                            row.contradictions.push(text);
                        }
                        match (peak == bound.at_most || bound.tight, seen.complete) {
                            (true, _) => format!("{name} = {}", bound.at_most),
                            (false, true) => format!("{name} <= {} (truly {peak})", bound.at_most),
                            (false, false) => format!("{name} <= {}", bound.at_most),
                        }
                    }
                    (Verdict::Proved(_), None) => format!("{name} bounded"),
                    (Verdict::Violated(_), _) => format!("{name} unbounded"),
                    (Verdict::Unknown(_), _) => format!("{name} unknown"),
                });
            }
            Question::Progress => row.progress = words(answer),
            _ => {}
        }
    }
    row
}

fn words(answer: &Answer) -> String {
    match &answer.verdict {
        Verdict::Proved(Evidence::Certificate(_)) => "PROVED by certificate".to_string(),
        Verdict::Proved(Evidence::Search { states, .. }) => format!("PROVED by search of {states} states"),
        Verdict::Proved(Evidence::Nothing(why)) => format!("PROVED: {why}"),
        Verdict::Violated(_) => "VIOLATED".to_string(),
        Verdict::Unknown(unknown) => format!("UNKNOWN: {} ({:?})", answer.meaning, unknown.reason),
    }
}

/// Whether the execution is what it says.
fn shows(system: &System, question: &Question, counterexample: &Counterexample) -> Result<(), String> {
    match (question, counterexample) {
        (Question::Buffers | Question::Buffer(_), Counterexample::Pump { trace, repeat_from, .. }) => {
            let steps: Vec<Step> = trace.steps.iter().map(|&step| step.into()).collect();
            let (prefix, repeated) = steps.split_at_checked(*repeat_from).ok_or("nothing is repeated")?;
            let pump = Pump::new(system, prefix, repeated);
            check_pump(system, &pump, &PumpQuestion::Unbounded).map(|_| ()).map_err(|e| e.to_string())
        }
        (_, Counterexample::Lasso(trace) | Counterexample::Pump { trace, .. }) => {
            certificate::trace::replay(system, trace).map(|_| ()).map_err(|e| e.to_string())
        }
        _ => Err("it is no run that goes on for ever".to_string()),
    }
}

/// How full buffers get.
struct Seen {
    peaks: Vec<(String, u64)>,
    complete: bool,
    words: String,
}

fn peaks(system: &System, time: Duration) -> Seen {
    let options = SearchOptions {
        capacities: Capacities::Unbounded,
        reduction: Reduction::Full,
        properties: Properties::none(),
        errors: ErrorPolicy::All,
        limits: Limits { states: None, memory: Some(MEMORY), deadline: Some(Instant::now() + time) },
        threads: 1,
        engine: Engine::Fast,
        ..SearchOptions::full()
    };
    let Ok(report) = search::explore(system, &options, &search::Control::none()) else {
        return Seen { peaks: Vec::new(), complete: false, words: "not searched".to_string() };
    };
    let names = verify::channel_names(system);
    let peaks = report.channels.iter().filter_map(|channel| {
        let name = names.get(channel.channel.0 as usize)?.clone()?;
        Some((name, u64::from(channel.peak)))
    });
    let complete = report.outcome == Outcome::Complete && report.errors.is_empty();
    let all = if complete { "all" } else { "not all" };
    Seen { peaks: peaks.collect(), complete, words: format!("{} states, {all}", report.counts.states) }
}
