//! All questions at once.
//!
//! Each engine runs in a thread of its own, so that a long search never keeps a quick proof waiting; the operating system
//! shares the cores among them. Engines are asked to stop a little before the budget is used up. One that does not listen is left behind: its
//! question is `UNKNOWN`, and what it still computes nobody sees.

use crate::answer::{Answer, BufferCapacities, CheckReport, Question, Reading};
use crate::confirm::Gate;
use crate::control::{Control, Event, Timed};
use crate::options::CheckOptions;
use crate::safety::Safety;
use crate::{buffers, consistency, progress, safety, temporal, words};
use certificate::verdict::StopReason;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use system::automaton::System;

/// How long an engine may take to notice that it should stop.
const GRACE: Duration = Duration::from_millis(700);
/// How long a question that nobody marked anything for may keep the others waiting.
const ASIDE: Duration = Duration::from_secs(2);
/// How often to look whether somebody asked to stop.
const GLANCE: Duration = Duration::from_millis(50);
/// Stack of an engine's thread: some recurse over large models.
const STACK: usize = 64 << 20;

/// Asks everything that the options want and the model makes askable.
pub fn check(system: &System, options: &CheckOptions, control: &Control) -> CheckReport {
    let started = options.started.unwrap_or_else(Instant::now);
    let budget = options.time.map(|time| time.saturating_sub(GRACE.min(time / 10)));
    let timed = Timed {
        control: control.clone(),
        deadline: budget.map(|time| started + time),
        abandoned: Arc::default(),
        seconds: options.time.map_or(0.0, |time| time.as_secs_f64()),
    };
    // How far the search for errors came is worth knowing even if it does not come back in time.
    let seen = Arc::new(AtomicU64::new(0));
    let timed = Timed { control: noting(control, &seen), ..timed };
    let shared = Arc::new(Shared { system: system.clone(), options: options.clone(), timed, seen });
    let (sender, receiver) = channel();
    let mut jobs = jobs(&shared);
    for (number, (question, work)) in jobs.iter_mut().enumerate() {
        if let Some(work) = work.take() {
            start(&shared, number, question.clone(), work, sender.clone());
        }
    }
    drop(sender);
    let questions: Vec<Question> = jobs.into_iter().map(|(question, _)| question).collect();
    let latest = options.time.map(|time| started + time);
    // Without progress labels the question is only whether every run ends: good to know, not worth a long wait.
    let aside = questions.iter().position(|question| {
        *question == Question::Progress && options.questions.deadlock && !progress::is_marked(system, options)
    });
    let results =
        collect(&shared, &receiver, questions.len(), latest, aside.map(|job| (job, Instant::now() + ASIDE)));
    // Whoever is still at work notices, and ends.
    shared.timed.abandoned.store(true, Ordering::Relaxed);
    report(&shared, questions, results, started)
}

/// What all engines read.
struct Shared {
    system: System,
    options: CheckOptions,
    timed: Timed,
    /// States that the search for errors has told of.
    seen: Arc<AtomicU64>,
}

/// The same control, and the number of states that a search for errors tells of is noted.
fn noting(control: &Control, seen: &Arc<AtomicU64>) -> Control {
    let (inner, seen) = (control.clone(), Arc::clone(seen));
    control.clone().watched_by(Arc::new(move |event| {
        if let Event::Searching(Question::Deadlock | Question::Assertions, progress) = &event {
            seen.fetch_max(progress.states, Ordering::Relaxed);
        }
        inner.tell(event);
    }))
}

/// What an engine brings back.
#[derive(Default)]
struct Findings {
    answers: Vec<Answer>,
    safety: Option<Safety>,
}

type Work = Box<dyn FnOnce(&Shared) -> Findings + Send>;

/// One piece of work for each engine that has something to do.
fn jobs(shared: &Shared) -> Vec<(Question, Option<Work>)> {
    let Shared { system, options, .. } = shared;
    let mut jobs: Vec<(Question, Option<Work>)> = Vec::new();
    let mut add = |question: Question, work: Work| jobs.push((question, Some(work)));
    let errors = safety::questions(system, options).first().cloned();
    let formulas: Vec<_> = temporal::formulas(system, options).into_iter().cloned().collect();
    let claims = temporal::claims(system, options);
    let others = usize::from(options.questions.buffers)
        + usize::from(options.questions.progress)
        + formulas.len()
        + claims.len();
    let (for_errors, for_each) = shares_of_memory(options.memory, errors.is_some(), others);
    let memory_limit = options.memory_limit.or(options.memory);
    let of_errors = CheckOptions { memory: for_errors, memory_limit, ..options.clone() };
    let options = CheckOptions { memory: for_each, ..of_errors.clone() };
    if let Some(first) = errors {
        add(
            first,
            Box::new(move |shared| {
                let mut safety = safety::search(&shared.system, &of_errors, &shared.timed);
                Findings { answers: std::mem::take(&mut safety.answers), safety: Some(safety) }
            }),
        );
    }
    if options.questions.buffers {
        let options = options.clone();
        let work = move |shared: &Shared| buffers::answers(&shared.system, &options, &shared.timed);
        add(Question::Buffers, Box::new(move |shared| Findings { answers: work(shared), safety: None }));
    }
    if options.questions.progress {
        let options = options.clone();
        let work = move |shared: &Shared| progress::answers(&shared.system, &options, &shared.timed);
        add(Question::Progress, Box::new(move |shared| Findings { answers: work(shared), safety: None }));
    }
    for formula in formulas {
        let options = options.clone();
        add(
            Question::Formula(formula.name.clone()),
            Box::new(move |shared| {
                let answer = temporal::formula(&shared.system, &options, &formula, &shared.timed);
                Findings { answers: vec![answer], safety: None }
            }),
        );
    }
    for never in claims {
        let options = options.clone();
        add(
            never.question(system),
            Box::new(move |shared| {
                let answer = temporal::claim(&shared.system, &options, never, &shared.timed);
                Findings { answers: vec![answer], safety: None }
            }),
        );
    }
    jobs
}

/// Memory for the search for errors and for each other piece of work, which go on at the same time. The shares are fixed: what one of them can
/// answer must not depend on how far the others have come.
fn shares_of_memory(all: Option<usize>, errors: bool, others: usize) -> (Option<usize>, Option<usize>) {
    let for_errors = all.map(|bytes| if others > 0 { bytes / 2 } else { bytes });
    let for_others = all.map(|bytes| if errors { bytes / 2 } else { bytes });
    (for_errors, for_others.map(|bytes| bytes / others.max(1)))
}

/// Runs one piece of work; its answers are confirmed before anybody sees them.
fn start(
    shared: &Arc<Shared>,
    number: usize,
    question: Question,
    work: Work,
    sender: Sender<(usize, Findings)>,
) {
    let shared = Arc::clone(shared);
    let run = move || {
        let control = &shared.timed.control;
        control.tell(Event::Started(question.clone()));
        let started = Instant::now();
        // An engine that fails must not take the other answers with it.
        let work = AssertUnwindSafe(|| {
            let mut findings = work(&shared);
            let seconds = started.elapsed().as_secs_f64();
            let mut gate = Gate::new(&shared.system, &shared.options, &shared.timed);
            for answer in &mut findings.answers {
                *answer = Answer { seconds, ..gate.confirm(answer.clone()) };
            }
            findings
        });
        let findings = std::panic::catch_unwind(work).unwrap_or_else(|_| {
            let what = "a defect of Plimsoll".to_string();
            let failed = |question| Answer {
                meaning: "Plimsoll failed at this question, please report it".to_string(),
                ..missing(&shared, question, StopReason::Unsupported { what: what.clone() })
            };
            let answers = answered_together(&shared, question.clone()).into_iter().map(failed).collect();
            Findings { answers, safety: None }
        });
        for answer in &findings.answers {
            control.tell(Event::Answered(answer.question.clone(), answer.verdict.word()));
        }
        let _ = sender.send((number, findings));
    };
    // If no thread can be had the sender is dropped, and the question stays without an answer.
    let _ = std::thread::Builder::new().stack_size(STACK).spawn(run);
}

/// Waits for all engines, but not longer than allowed.
fn collect(
    shared: &Shared,
    receiver: &Receiver<(usize, Findings)>,
    expected: usize,
    latest: Option<Instant>,
    aside: Option<(usize, Instant)>,
) -> Vec<Option<Findings>> {
    let mut results: Vec<Option<Findings>> = (0..expected).map(|_| None).collect();
    let mut missing = expected;
    let mut cancelled_at: Option<Instant> = None;
    while missing > 0 {
        match receiver.recv_timeout(GLANCE) {
            Ok((number, findings)) => {
                results[number] = Some(findings);
                missing -= 1;
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                if shared.timed.control.is_cancelled() {
                    cancelled_at.get_or_insert_with(Instant::now);
                }
                let only_aside = aside.is_some_and(|(job, until)| {
                    missing == 1 && results[job].is_none() && Instant::now() >= until
                });
                let patience_is_over = cancelled_at.is_some_and(|at| at.elapsed() >= GRACE);
                if only_aside || patience_is_over || latest.is_some_and(|latest| Instant::now() >= latest) {
                    break;
                }
            }
        }
    }
    results
}

fn report(
    shared: &Shared,
    questions: Vec<Question>,
    results: Vec<Option<Findings>>,
    started: Instant,
) -> CheckReport {
    let seconds = started.elapsed().as_secs_f64();
    let mut answers = Vec::new();
    let mut found = None;
    for (question, findings) in questions.into_iter().zip(results) {
        match findings {
            Some(findings) => {
                answers.extend(findings.answers);
                found = findings.safety.or(found);
            }
            None => {
                let left_behind = answered_together(shared, question);
                answers.extend(
                    left_behind.into_iter().map(|question| Answer {
                        seconds,
                        ..missing(shared, question, shared.timed.reason())
                    }),
                );
            }
        }
    }
    answers.sort_by_key(|answer| rank(&answer.question));
    consistency::enforce(&shared.system, &shared.options, &mut answers);
    let (unreached, search, peaks) = match found {
        Some(found) => (found.unreached, found.counts, found.peaks),
        None => (None, None, Vec::new()),
    };
    let interrupted = shared.timed.control.is_cancelled();
    CheckReport { answers, unreached, search, peaks, seconds, interrupted }
}

/// The questions that the work on this one answers. Where nothing is marked as progress nobody asked for it.
fn answered_together(shared: &Shared, question: Question) -> Vec<Question> {
    match question {
        Question::Deadlock | Question::Assertions | Question::EventTrace => {
            safety::questions(&shared.system, &shared.options)
        }
        Question::Progress if !progress::is_asked_for(&shared.system, &shared.options) => Vec::new(),
        question => vec![question],
    }
}

fn missing(shared: &Shared, question: Question, reason: StopReason) -> Answer {
    let reading = match question {
        Question::Buffers | Question::Buffer(_) | Question::Progress => Reading::of(BufferCapacities::Any),
        _ => Reading::of(shared.options.capacities.into()),
    };
    let seen = match question {
        Question::Deadlock | Question::Assertions | Question::RuntimeErrors => {
            shared.seen.load(Ordering::Relaxed)
        }
        _ => 0,
    };
    let meaning = match seen {
        0 => "no answer in time".to_string(),
        seen => {
            format!("no answer in time; nothing was reported in the first {} states", words::grouped(seen))
        }
    };
    let answer = Answer::unknown(question, reading, reason, meaning);
    Gate::new(&shared.system, &shared.options, &shared.timed).confirm(answer)
}

/// The order in which answers are shown; within a kind, the order in which the engine gave them.
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
