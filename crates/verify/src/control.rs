//! How running work is watched and stopped from outside.

use crate::answer::Question;
use search::Progress;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// How running work is watched and stopped from outside.
#[derive(Clone, Copy, Default)]
pub struct Control<'c> {
    cancelled: Option<&'c AtomicBool>,
    watcher: Option<&'c (dyn Fn(Event) + Sync)>,
}

/// What a watcher is told.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Event {
    /// Work on a question began.
    Started(Question),
    /// A search for the answer to a question is here.
    Searching(Question, Progress),
    /// There is an answer: its verdict in one word.
    Answered(Question, &'static str),
}

impl<'c> Control<'c> {
    /// Nobody watches, nobody stops.
    pub fn none() -> Control<'c> {
        Control::default()
    }

    /// Stops when the flag is set.
    pub fn cancelled_by(mut self, flag: &'c AtomicBool) -> Control<'c> {
        self.cancelled = Some(flag);
        self
    }

    /// Tells `watcher` what happens.
    pub fn watched_by(mut self, watcher: &'c (dyn Fn(Event) + Sync)) -> Control<'c> {
        self.watcher = Some(watcher);
        self
    }

    /// Whether somebody asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    pub(crate) fn tell(&self, event: Event) {
        if let Some(watcher) = self.watcher {
            watcher(event);
        }
    }

    pub(crate) fn flag(&self) -> Option<&'c AtomicBool> {
        self.cancelled
    }
}

/// A control with a point in time at which the work ends in any case.
#[derive(Clone, Copy)]
pub(crate) struct Timed<'c> {
    pub control: Control<'c>,
    pub deadline: Option<Instant>,
}

impl Timed<'_> {
    pub fn is_over(&self) -> bool {
        self.control.is_cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Why work that was cut short was cut short.
    pub fn reason(&self, seconds: Option<f64>) -> certificate::verdict::StopReason {
        use certificate::verdict::StopReason;
        match self.control.is_cancelled() {
            true => StopReason::Cancelled,
            false => StopReason::TimeLimit { seconds: seconds.unwrap_or(0.0).round() as u64 },
        }
    }
}
