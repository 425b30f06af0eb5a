//! All questions at once.
//!
//! Each engine runs in a thread of its own, so that a long search never keeps a quick proof waiting; the operating system
//! shares the cores among them. Work that waits for nothing is never queued behind work that may take the whole budget.

use crate::answer::{Answer, CheckReport, Question};
use crate::confirm::confirm;
use crate::control::{Control, Event, Timed};
use crate::options::CheckOptions;
use crate::{buffers, safety};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use system::automaton::System;

/// Asks everything that the options want and the model makes askable.
pub fn check(system: &System, options: &CheckOptions, control: &Control<'_>) -> CheckReport {
    let started = Instant::now();
    let timed = Timed { control: *control, deadline: options.time.map(|time| started + time) };
    let desk = Desk { system, options, control, answers: Mutex::new(Vec::new()) };
    let mut found = None;
    std::thread::scope(|scope| {
        if options.questions.buffers {
            scope.spawn(|| desk.ask(Question::Buffers, || buffers::answers(system, options, timed)));
        }
        if let Some(first) = safety::questions(system, options).first().cloned() {
            let search = || {
                let mut safety = safety::search(system, options, timed);
                let answers = std::mem::take(&mut safety.answers);
                found = Some(safety);
                answers
            };
            desk.ask(first, search);
        }
    });
    let mut answers = desk.answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    answers.sort_by(|a, b| rank(&a.question).cmp(&rank(&b.question)));
    let (unreached, search, peaks) = match found {
        Some(found) => (found.unreached, found.counts, found.peaks),
        None => (None, None, Vec::new()),
    };
    CheckReport {
        answers,
        unreached,
        search,
        peaks,
        seconds: started.elapsed().as_secs_f64(),
        interrupted: control.is_cancelled(),
    }
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

/// Where answers are confirmed, timed and collected.
struct Desk<'a, 'c> {
    system: &'a System,
    options: &'a CheckOptions,
    control: &'a Control<'c>,
    answers: Mutex<Vec<Answer>>,
}

impl Desk<'_, '_> {
    fn ask(&self, question: Question, work: impl FnOnce() -> Vec<Answer>) {
        self.control.tell(Event::Started(question));
        let started = Instant::now();
        let answers = work();
        let seconds = started.elapsed().as_secs_f64();
        for answer in answers {
            let mut answer = confirm(self.system, &self.options.progress_at, answer);
            answer.seconds = seconds;
            self.control.tell(Event::Answered(answer.question.clone(), answer.verdict.word()));
            self.answers.lock().unwrap_or_else(PoisonError::into_inner).push(answer);
        }
    }
}
