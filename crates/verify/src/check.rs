//! All questions at once.
//!
//! Each engine is a stage that publishes facts on the [`Board`], and answers are what the facts say in the end. Whether stages work beside each
//! other or take turns is a matter of the platform ([`Engines`]); they are asked to stop a little before the budget is used up.

use crate::answer::{Answer, CheckReport, Question, Reading};
use crate::board::Board;
use crate::confirm::Gate;
use crate::facts::Facts;
use crate::options::{CheckOptions, Engines};
use crate::stages::stages;
use crate::supervisor::{Event, Supervisor};
use crate::{at_once, buffers, consistency, in_turns, progress, safety, temporal, words};
use certificate::verdict::{Evidence, Verdict};
use promela::model::Expr;
use search::fair::Property;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use system::automaton::System;
use system::clock::Instant;
use system::code::slice::without_what_nobody_needs;

/// How long an engine may take to notice that it should stop.
pub(crate) const GRACE: Duration = Duration::from_millis(700);
/// How long a question that nobody marked anything for may keep the others waiting.
pub(crate) const ASIDE: Duration = Duration::from_secs(2);

/// Asks everything that the options want and the model makes askable.
pub fn check(system: &System, options: &CheckOptions, supervisor: &Supervisor) -> CheckReport {
    let started = options.started.unwrap_or_else(Instant::now);
    // How far the search for errors came is worth knowing even if it does not come back in time.
    let seen = Arc::new(AtomicU64::new(0));
    let board = Arc::new(Board::new(system, options, noting(supervisor, &seen), started));
    if !board.asks_for_buffers() {
        // There is nothing to find out.
        let seconds = board.elapsed().as_secs_f64();
        board.update(|facts| {
            facts.decided.insert(Question::Buffers, seconds);
        });
    }
    match options.engines {
        Engines::AtOnce => at_once::work(&board, stages(&board), started),
        Engines::InTurns => in_turns::work(&board, stages(&board)),
    }
    // Whoever is still at work notices, and ends.
    board.close_everything();
    supervisor.tell(Event::Ended);
    report(&board, &seen, started)
}

/// The same supervisor, and the number of states that a search for errors tells of is noted.
fn noting(supervisor: &Supervisor, seen: &Arc<AtomicU64>) -> Supervisor {
    let (inner, seen) = (supervisor.clone(), Arc::clone(seen));
    supervisor.clone().watched_by(Arc::new(move |event| {
        if let Event::Searching(Question::Deadlock | Question::Assertions, progress) = &event {
            seen.fetch_max(progress.states, Ordering::Relaxed);
        }
        inner.tell(event);
    }))
}

/// What the facts say; every answer passes the gate before anybody sees it.
fn report(board: &Board, seen: &AtomicU64, started: Instant) -> CheckReport {
    let mut facts = std::mem::take(&mut *board.facts());
    let seconds = started.elapsed().as_secs_f64();
    let mut answers = std::mem::take(&mut facts.answers);
    let questions = &board.options.questions;
    if questions.buffers {
        answers.extend(buffers::answers(board, &facts));
    }
    if questions.progress {
        answers.extend(progress::answers(board, &facts));
    }
    answers.extend(temporal::refused(&board.system, &board.options));
    let asked = asked(board);
    for question in &asked {
        if answers.iter().all(|answer| answer.question != *question) {
            answers.push(missing(board, &facts, question.clone(), seen.load(Ordering::Relaxed)));
        }
    }
    let mut gate = Gate::new(&board.system, &board.options);
    for answer in &mut answers {
        answer.notes.extend(left_out(board, answer));
        let seconds = facts.decided.get(&answer.question).copied().unwrap_or(seconds);
        *answer = Answer { seconds, ..gate.confirm(answer.clone()) };
    }
    // Not in the order in which they were found, which is a matter of luck.
    let position = |question: &Question| asked.iter().position(|other| other == question);
    answers.sort_by_key(|answer| (rank(&answer.question), position(&answer.question)));
    consistency::enforce(&board.system, &board.options, &mut answers);
    let (unreached, search, peaks, cluster, disk) = match facts.safety {
        Some(found) => (found.unreached, found.counts, found.peaks, found.cluster, found.disk),
        None => (None, None, Vec::new(), None, None),
    };
    let interrupted = board.timed.supervisor.is_cancelled();
    CheckReport { answers, unreached, search, peaks, cluster, disk, seconds, interrupted }
}

/// What a search did without, if it proves something.
fn left_out(board: &Board, answer: &Answer) -> Option<String> {
    let is_proved = matches!(answer.verdict, Verdict::Proved(Evidence::Search { .. }));
    answer.figures.filter(|figures| is_proved && figures.sliced)?;
    let formulas = board.system.model.formulas.iter();
    let asked = formulas.filter(|formula| answer.question == Question::Formula(formula.name.clone()));
    let propositions: Vec<Expr> =
        asked.flat_map(|formula| Property::new(&formula.formula).propositions).collect();
    let slice = without_what_nobody_needs(&board.system, &propositions.iter().collect::<Vec<&Expr>>())?;
    Some(format!("searched without what decides nothing here: {}", words::some_names(&slice.without)))
}

/// The questions that stages answer by themselves.
fn asked(board: &Board) -> Vec<Question> {
    let (system, options) = (&board.system, &board.options);
    let mut asked = safety::questions(system, options);
    let formulas = temporal::formulas(system, options).into_iter();
    asked.extend(formulas.map(|formula| Question::Formula(formula.name.clone())));
    let refused = temporal::refused(system, options).into_iter();
    asked.extend(refused.map(|answer| answer.question));
    asked.extend(temporal::claims(system, options).into_iter().map(|never| never.question(system)));
    asked
}

/// The answer to a question whose stage has not come back.
fn missing(board: &Board, facts: &Facts, question: Question, seen: u64) -> Answer {
    let reading = Reading::of(board.options.capacities.into());
    if facts.failed.iter().any(|failed| answered_together(board, failed).contains(&question)) {
        return Answer::unknown(question, reading, words::a_defect(), words::FAILED);
    }
    let is_about_errors =
        matches!(question, Question::Deadlock | Question::Assertions | Question::RuntimeErrors);
    let meaning = match seen {
        seen if seen > 0 && is_about_errors => {
            format!("no answer yet; nothing was reported in the first {} states", words::grouped(seen))
        }
        _ => "no answer yet".to_string(),
    };
    Answer::unknown(question, reading, board.timed.reason(), meaning)
}

/// The questions that the work on this one answers.
fn answered_together(board: &Board, question: &Question) -> Vec<Question> {
    match question {
        Question::Deadlock | Question::Assertions | Question::EventTrace => {
            safety::questions(&board.system, &board.options)
        }
        question => vec![question.clone()],
    }
}

/// The order in which answers are shown; within a kind, the order in which they are asked.
fn rank(question: &Question) -> u32 {
    match question {
        Question::Buffers => 0,
        Question::Buffer(_) => 1,
        Question::Progress => 2,
        Question::Deadlock => 3,
        Question::Assertions => 4,
        Question::RuntimeErrors => 5,
        Question::EventTrace => 6,
        Question::AcceptanceCycles => 7,
        Question::Claim(_) => 8,
        Question::Formula(_) => 9,
    }
}
