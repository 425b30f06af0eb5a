//! All questions at once.
//!
//! Each engine runs in a thread of its own, so that a long search never keeps a quick proof waiting; the operating system
//! shares the cores among them. Work that waits for nothing is never queued behind work that may take the whole budget.

use crate::answer::{Answer, CheckReport, Question, Reading};
use crate::confirm::confirm;
use crate::control::{Control, Event, Timed};
use crate::options::CheckOptions;
use crate::{buffers, progress, safety, temporal};
use certificate::verdict::StopReason;
use std::panic::AssertUnwindSafe;
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
        if progress::is_asked(system, options) {
            scope.spawn(|| desk.ask(Question::Progress, || vec![progress::answer(system, options, timed)]));
        }
        for formula in temporal::formulas(system, options) {
            let (desk, question) = (&desk, Question::Formula(formula.name.clone()));
            let work = move || vec![temporal::formula(system, options, formula, timed)];
            scope.spawn(move || desk.ask(question, work));
        }
        if options.questions.claims {
            for claim in &system.model.claims {
                desk.ask(Question::Claim(claim.name.clone()), || vec![temporal::claim(options, &claim.name)]);
            }
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
    answers.sort_by_key(|answer| rank(&answer.question));
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
        self.control.tell(Event::Started(question.clone()));
        let started = Instant::now();
        // An engine that fails must not take the other answers with it.
        let answers = std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
            let reason =
                StopReason::Unsupported { what: "an engine failed: a defect of Plimsoll".to_string() };
            let reading = Reading::of(self.options.capacities.into());
            vec![Answer::unknown(question, reading, reason, "nothing is known")]
        });
        let seconds = started.elapsed().as_secs_f64();
        for answer in answers {
            let mut answer = confirm(self.system, self.options, answer);
            answer.seconds = seconds;
            self.control.tell(Event::Answered(answer.question.clone(), answer.verdict.word()));
            self.answers.lock().unwrap_or_else(PoisonError::into_inner).push(answer);
        }
    }
}
