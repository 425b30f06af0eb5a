//! All questions at once.
//!
//! Each engine is a stage in a thread of its own, so that a long search never keeps a quick proof waiting; the operating system
//! shares the cores among them. They publish facts on the [`Board`], and answers are what the facts say in the end. Stages are asked to stop a
//! little before the budget is used up. One that does not listen is left behind: what it has published counts, and what it still computes
//! nobody sees.

use crate::answer::{Answer, CheckReport, Question, Reading};
use crate::board::{Board, GLANCE};
use crate::confirm::Gate;
use crate::facts::Facts;
use crate::options::CheckOptions;
use crate::stages::{Stage, stages};
use crate::supervisor::{Event, Supervisor};
use crate::{buffers, consistency, progress, safety, temporal, words};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use system::automaton::System;

/// How long an engine may take to notice that it should stop.
pub(crate) const GRACE: Duration = Duration::from_millis(700);
/// How long a question that nobody marked anything for may keep the others waiting.
const ASIDE: Duration = Duration::from_secs(2);
/// Stack of an engine's thread: some recurse over large models.
const STACK: usize = 64 << 20;

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
    let at_work = AtWork::default();
    let stages = stages(&board);
    let shares: usize = stages.iter().map(|stage| stage.share).sum();
    let memory = options.memory.map(|bytes| bytes / shares.max(1));
    for stage in stages {
        start(&board, stage, memory, at_work.clone());
    }
    wait(&board, &at_work, started);
    // Whoever is still at work notices, and ends.
    board.close_everything();
    report(&board, &seen, started)
}

/// How many stages are at work for buffers, for progress, and for anything else.
#[derive(Clone, Default)]
struct AtWork {
    counts: Arc<[AtomicUsize; 3]>,
}

impl AtWork {
    fn of(&self, question: &Question) -> &AtomicUsize {
        &self.counts[match question {
            Question::Buffers => 0,
            Question::Progress => 1,
            _ => 2,
        }]
    }

    fn anybody(&self) -> bool {
        self.counts.iter().any(|count| count.load(Ordering::Acquire) > 0)
    }

    fn only_for_progress(&self) -> bool {
        let [buffers, _, others] = &*self.counts;
        buffers.load(Ordering::Acquire) == 0 && others.load(Ordering::Acquire) == 0
    }
}

/// Counts a stage as long as it lives.
struct Working {
    board: Arc<Board>,
    at_work: AtWork,
    question: Question,
}

impl Drop for Working {
    fn drop(&mut self) {
        self.at_work.of(&self.question).fetch_sub(1, Ordering::Release);
        self.board.update(|_| {});
    }
}

/// Runs one stage.
fn start(board: &Arc<Board>, stage: Stage, memory_of_a_share: Option<usize>, at_work: AtWork) {
    at_work.of(&stage.question).fetch_add(1, Ordering::Release);
    let Stage { question, share, work } = stage;
    let memory = memory_of_a_share.map(|bytes| bytes * share);
    let failed = question.clone();
    let working = Working { board: Arc::clone(board), at_work, question };
    let run = move || {
        let Working { board, question, .. } = &working;
        board.timed.supervisor.tell(Event::Started(question.clone()));
        // An engine that fails must not take the other answers with it.
        if std::panic::catch_unwind(AssertUnwindSafe(|| work(board, memory))).is_err() {
            board.update(|facts| facts.failed.push(question.clone()));
        }
    };
    // If no thread can be had nobody works, and the question stays without an answer.
    if std::thread::Builder::new().stack_size(STACK).spawn(run).is_err() {
        board.update(|facts| facts.failed.push(failed));
    }
}

/// Waits for all stages, but not longer than allowed.
fn wait(board: &Board, at_work: &AtWork, started: Instant) {
    let latest = board.options.time.map(|time| started + time);
    // Without progress labels the question is only whether every run ends: good to know, not worth a long wait.
    let is_aside = board.options.questions.progress && !progress::is_asked_for(board);
    let aside_until = Instant::now() + ASIDE;
    let mut cancelled_at: Option<Instant> = None;
    while at_work.anybody() {
        board.wait(GLANCE);
        board.timed.weigh();
        if board.timed.supervisor.is_cancelled() || board.timed.memory_is_over.load(Ordering::Relaxed) {
            cancelled_at.get_or_insert_with(Instant::now);
        }
        let only_aside = is_aside && at_work.only_for_progress() && Instant::now() >= aside_until;
        let patience_is_over = cancelled_at.is_some_and(|at| at.elapsed() >= GRACE);
        if only_aside || patience_is_over || latest.is_some_and(|latest| Instant::now() >= latest) {
            return;
        }
    }
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
    let asked = asked(board);
    for question in &asked {
        if answers.iter().all(|answer| answer.question != *question) {
            answers.push(missing(board, &facts, question.clone(), seen.load(Ordering::Relaxed)));
        }
    }
    let mut gate = Gate::new(&board.system, &board.options);
    for answer in &mut answers {
        let seconds = facts.decided.get(&answer.question).copied().unwrap_or(seconds);
        *answer = Answer { seconds, ..gate.confirm(answer.clone()) };
    }
    // Not in the order in which they were found, which is a matter of luck.
    let position = |question: &Question| asked.iter().position(|other| other == question);
    answers.sort_by_key(|answer| (rank(&answer.question), position(&answer.question)));
    consistency::enforce(&board.system, &board.options, &mut answers);
    let (unreached, search, peaks) = match facts.safety {
        Some(found) => (found.unreached, found.counts, found.peaks),
        None => (None, None, Vec::new()),
    };
    let interrupted = board.timed.supervisor.is_cancelled();
    CheckReport { answers, unreached, search, peaks, seconds, interrupted }
}

/// The questions that stages answer by themselves.
fn asked(board: &Board) -> Vec<Question> {
    let (system, options) = (&board.system, &board.options);
    let mut asked = safety::questions(system, options);
    let formulas = temporal::formulas(system, options).into_iter();
    asked.extend(formulas.map(|formula| Question::Formula(formula.name.clone())));
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
