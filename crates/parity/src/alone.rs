//! Everything asked at once, against each question asked alone: whatever a single command decides `check` must decide too.

use crate::input;
use certificate::verdict::{Capacities as ProofCapacities, Verdict};
use search::{ErrorPolicy, Limits, Outcome, SearchOptions};
use std::path::Path;
use std::time::{Duration, Instant};
use system::automaton::System;
use system::interpreter::Capacities;
use verify::{Answer, CheckOptions, FormulaChoice, Question, Questions, Supervisor, check};

/// One question about a model.
#[derive(Clone, Debug)]
pub struct Row {
    /// The question.
    pub question: Question,
    /// What is said of it among all others, and after how many seconds.
    pub together: (&'static str, f64),
    /// Who decides it alone in the shortest time, what he says, and after how many seconds.
    pub alone: Option<(&'static str, &'static str, f64)>,
}

impl Row {
    /// It is decided alone, and among all others otherwise; or not at all, although there was time for it and for much else.
    pub fn is_wrong(&self, time: Duration) -> bool {
        self.alone.is_some_and(|(_, word, seconds)| {
            let is_late = seconds > time.as_secs_f64() / OTHERS_AT_WORK;
            word != self.together.0 && !(is_late && self.together.0 == "UNKNOWN")
        })
    }
}

/// How much longer something may take while others are at work.
const OTHERS_AT_WORK: f64 = 8.0;

/// All questions about a model, each asked in all the ways there are, within so much time each way.
pub fn compare(path: &Path, time: Duration) -> Option<Vec<Row>> {
    let system = input::read_file(path).ok()?;
    let together = asked(&system, Questions::all(), time);
    let alone = ways(&system, time);
    let row = |(answer, seconds): &(Answer, f64)| {
        let decided = alone.iter().filter(|(question, ..)| *question == answer.question);
        let fastest = decided.min_by(|a, b| a.3.total_cmp(&b.3));
        let alone = fastest.map(|(_, way, word, seconds)| (*way, *word, *seconds));
        Row { question: answer.question.clone(), together: (answer.verdict.word(), *seconds), alone }
    };
    Some(
        together
            .iter()
            .filter(|(answer, _)| !matches!(answer.question, Question::Buffer(_)))
            .map(row)
            .collect(),
    )
}

type Decided = (Question, &'static str, &'static str, f64);

/// What single commands decide: question, command, verdict, seconds.
fn ways(system: &System, time: Duration) -> Vec<Decided> {
    let mut decided = Vec::new();
    let commands = [
        ("bounds", Questions { buffers: true, ..Questions::none() }),
        ("progress", Questions { progress: true, ..Questions::none() }),
        ("search", Questions { deadlock: true, assertions: true, ..Questions::none() }),
        ("ltl", Questions { formulas: FormulaChoice::All, ..Questions::none() }),
    ];
    for (command, questions) in commands {
        let answers = asked(system, questions, time);
        let known = answers.into_iter().filter(|(answer, _)| !matches!(answer.verdict, Verdict::Unknown(_)));
        decided.extend(known.map(|(answer, seconds)| {
            let word = answer.verdict.word();
            (answer.question, command, word, seconds)
        }));
    }
    decided.extend(unbounded(system, time));
    decided
}

/// A graph without limits to buffers that is finite decides that all of them are bounded.
fn unbounded(system: &System, time: Duration) -> Option<Decided> {
    let started = Instant::now();
    let limits = Limits { deadline: Some(started + time), memory: Some(1 << 30), ..Limits::default() };
    let options = SearchOptions {
        capacities: Capacities::Unbounded,
        errors: ErrorPolicy::All,
        limits,
        ..SearchOptions::full()
    };
    let report = search::explore(system, &options, &search::Control::none()).ok()?;
    let is_all = report.outcome == Outcome::Complete && !report.meets_limit();
    let seconds = started.elapsed().as_secs_f64();
    is_all.then_some((Question::Buffers, "search --capacity unbounded", "PROVED", seconds))
}

fn asked(system: &System, questions: Questions, time: Duration) -> Vec<(Answer, f64)> {
    let options = CheckOptions {
        questions,
        time: Some(time),
        memory: Some(4 << 30),
        proof_capacities: ProofCapacities::Any,
        ..CheckOptions::default()
    };
    let report = check(system, &options, &Supervisor::none());
    report.answers.into_iter().map(|answer| (answer.clone(), answer.seconds)).collect()
}
