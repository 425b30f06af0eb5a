//! Questions to the engines, asked in threads of their own and stopped when nobody wants the answers any more.

use crate::reading::Reading;
use certificate::verdict::StopReason;
use crossbeam_channel::Sender;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use verify::{CheckOptions, CheckReport, FormulaChoice, Question, Questions, Supervisor};

/// How much an answer may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Wall clock time.
    pub time: Duration,
    /// Bytes.
    pub memory: usize,
}

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    /// Everything.
    Everything,
    /// One formula or claim, as [`Question`] writes it.
    One(String),
}

/// A question that is being answered.
#[derive(Debug)]
pub struct Check {
    stop: Arc<AtomicBool>,
    /// Its number.
    pub number: u64,
}

/// What came of it.
pub struct Checked {
    /// The name of the text.
    pub name: String,
    /// The number of the question.
    pub number: u64,
    /// What was asked about.
    pub reading: Arc<Reading>,
    /// The answers; none if the engines failed as a whole.
    pub report: Option<CheckReport>,
}

impl Check {
    /// Asks; the answer comes through the channel.
    pub fn start(
        number: u64,
        (name, reading): (String, Arc<Reading>),
        (asked, thorough): (Asked, bool),
        limits: Limits,
        answers: Sender<Checked>,
    ) -> Check {
        let stop = Arc::new(AtomicBool::new(false));
        let supervisor = Supervisor::none().cancelled_by(Arc::clone(&stop));
        let options = CheckOptions {
            questions: questions(&reading, &asked),
            time: Some(limits.time),
            memory: Some(limits.memory),
            memory_limit: Some(limits.memory),
            thorough,
            ..CheckOptions::default()
        };
        std::thread::spawn(move || {
            let work = || verify::check(reading.system(), &options, &supervisor);
            let report = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).ok();
            // Nobody listens any more when the editor is gone.
            let _ = answers.send(Checked { name, number, reading, report });
        });
        Check { stop, number }
    }
}

/// Nobody wants the answer any more.
impl Drop for Check {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn questions(reading: &Reading, asked: &Asked) -> Questions {
    let Asked::One(wanted) = asked else { return Questions::all() };
    let model = &reading.model;
    let mut formulas = model.formulas.iter().map(|formula| formula.name.clone());
    match formulas.find(|name| Question::Formula(name.clone()).to_string() == *wanted) {
        Some(name) => Questions { formulas: FormulaChoice::Named(vec![name]), ..Questions::none() },
        None => Questions { claims: true, ..Questions::none() },
    }
}

/// Whether the work was stopped from outside, so that its answers are not worth showing.
pub fn was_stopped(report: &CheckReport) -> bool {
    let stopped = |answer: &verify::Answer| matches!(&answer.verdict, certificate::verdict::Verdict::Unknown(unknown) if unknown.reason == StopReason::Cancelled);
    report.interrupted || report.answers.iter().any(stopped)
}
