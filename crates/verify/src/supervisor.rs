//! Who asked: is told what happens, and can stop the work.

use crate::answer::Question;
use crate::check::GRACE;
use certificate::verdict::StopReason;
use search::Status;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use system::clock::Instant;

/// Who asked: is told what happens, and can stop the work. Engines are given a [`search::Control`] made of it.
#[derive(Clone, Default)]
pub struct Supervisor {
    cancelled: Arc<AtomicBool>,
    watcher: Option<Arc<dyn Fn(Event) + Send + Sync>>,
    resident: Option<fn() -> Option<usize>>,
}

/// What a watcher is told.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Event {
    /// Work on a question began.
    Started(Question),
    /// A search for the answer to a question is here.
    Searching(Question, Status),
    /// There is an answer: its verdict in one word.
    Answered(Question, &'static str),
    /// All engines have ended or are left behind: what was found is judged, and told in the report.
    Ended,
}

impl Supervisor {
    /// Nobody watches, nobody stops.
    pub fn none() -> Supervisor {
        Supervisor::default()
    }

    /// Stops when the flag is set.
    pub fn cancelled_by(mut self, flag: Arc<AtomicBool>) -> Supervisor {
        self.cancelled = flag;
        self
    }

    /// Tells `watcher` what happens. It may be told a little longer than the check takes.
    pub fn watched_by(mut self, watcher: Arc<dyn Fn(Event) + Send + Sync>) -> Supervisor {
        self.watcher = Some(watcher);
        self
    }

    /// `resident` says how many bytes the program takes. Searches count what they take; whoever does not is stopped by this when all
    /// together take more than allowed.
    pub fn weighed_by(mut self, resident: fn() -> Option<usize>) -> Supervisor {
        self.resident = Some(resident);
        self
    }

    /// How many bytes the program takes, if anybody knows.
    pub(crate) fn resident(&self) -> Option<usize> {
        self.resident.and_then(|resident| resident())
    }

    /// Whether somebody asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub(crate) fn tell(&self, event: Event) {
        if let Some(watcher) = &self.watcher {
            watcher(event);
        }
    }
}

/// A supervisor with a point in time at which the work ends in any case.
#[derive(Clone)]
pub(crate) struct Timed {
    pub supervisor: Supervisor,
    pub everything_ends: Option<Instant>,
    /// Whose turn it is, where engines take turns.
    pub turn: Option<Arc<Mutex<Turn>>>,
    /// Set when nobody waits for an answer any more.
    pub abandoned: Arc<AtomicBool>,
    /// The whole budget, for the words about it.
    pub seconds: f64,
    /// Bytes that the program may take.
    pub memory: Option<usize>,
    /// Whether a search can go on on disk.
    pub has_disk: bool,
    /// Since when it takes more.
    pub takes_too_much_since: Arc<Mutex<Option<Instant>>>,
    /// Set when it takes more, and will not give it back.
    pub memory_is_over: Arc<AtomicBool>,
}

/// The turn of an engine, where they take turns.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Turn {
    pub ends: Option<Instant>,
    /// Whether it has another: what it does not find now it may find then.
    pub has_another: bool,
    /// Whether somebody would have needed more time than there is.
    pub time_lacked: bool,
}

impl Timed {
    /// Whether nobody may work any longer.
    pub fn everything_is_over(&self) -> bool {
        self.supervisor.is_cancelled()
            || self.is_abandoned()
            || self.memory_is_over.load(Ordering::Relaxed)
            || self.everything_ends.is_some_and(|end| Instant::now() >= end)
    }

    /// Whether the one at work should stop.
    pub fn is_over(&self) -> bool {
        self.everything_is_over() || self.turn_is_over()
    }

    /// When the one at work should stop.
    pub fn deadline(&self) -> Option<Instant> {
        let turn = self.turn().and_then(|turn| turn.ends);
        turn.into_iter().chain(self.everything_ends).min()
    }

    /// Whose turn it is, where engines take turns.
    pub fn turn(&self) -> Option<Turn> {
        self.turn.as_ref().map(|turn| *lock(turn))
    }

    /// Begins a turn; until when, and whether the same engine has another one.
    pub fn begin_turn(&self, ends: Instant, has_another: bool) {
        let Some(turn) = &self.turn else { return };
        let mut turn = lock(turn);
        *turn = Turn { ends: Some(ends), has_another, ..*turn };
    }

    /// Ends a turn; whether it was over before the work was done. If there is no time for another, time is what that work lacks.
    pub fn end_turn(&self, no_time_for_another: bool) -> bool {
        let was_over = self.turn_is_over();
        if let Some(turn) = &self.turn {
            let mut turn = lock(turn);
            turn.ends = None;
            turn.time_lacked |= was_over && no_time_for_another;
        }
        was_over
    }

    /// Whether the one at work stops only until it is asked again.
    pub fn has_another_turn(&self) -> bool {
        self.turn().is_some_and(|turn| turn.has_another) && self.turn_is_over() && !self.everything_is_over()
    }

    fn turn_is_over(&self) -> bool {
        self.turn().and_then(|turn| turn.ends).is_some_and(|end| Instant::now() >= end)
    }

    /// Whether nobody waits for an answer any more: what was found before the time was over may still be checked until then.
    pub fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed)
    }

    /// Looks whether the program takes more than it may. Searches fill what they are given to the last page, so a fiftieth above is none of
    /// anybody's doing. Who can go on on disk gives back what it took, in a moment.
    pub fn weigh(&self) {
        let takes_more =
            |bytes: usize| self.supervisor.resident().is_some_and(|taken| taken > bytes + bytes / 50);
        let mut since = self.takes_too_much_since.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.memory.is_some_and(takes_more) {
            *since = None;
            return;
        }
        let since = *since.get_or_insert_with(Instant::now);
        if !self.has_disk || since.elapsed() > GRACE {
            self.memory_is_over.store(true, Ordering::Relaxed);
        }
    }

    /// How many bytes the program may still take.
    pub fn memory_left(&self) -> usize {
        let taken = self.supervisor.resident().unwrap_or(0);
        self.memory.map_or(usize::MAX, |bytes| bytes.saturating_sub(taken))
    }

    /// Why the work was cut short, if it was: that nobody waits any more is no reason.
    pub fn cut_short(&self) -> Option<StopReason> {
        let over = self.deadline().is_some_and(|deadline| Instant::now() >= deadline)
            || self.turn().is_some_and(|turn| turn.time_lacked);
        match self.memory {
            _ if self.supervisor.is_cancelled() => Some(StopReason::Cancelled),
            Some(bytes) if self.memory_is_over.load(Ordering::Relaxed) => {
                Some(StopReason::MemoryLimit { bytes: bytes as u64 })
            }
            _ => over.then(|| StopReason::TimeLimit { seconds: self.seconds.round() as u64 }),
        }
    }

    /// Why a question has no answer: the work was cut short, or nothing more was known to try.
    pub fn reason(&self) -> StopReason {
        self.cut_short().unwrap_or(StopReason::RefinementsExhausted)
    }
}

/// Half of the time that is left.
pub fn half_way(deadline: Option<Instant>) -> Option<Instant> {
    let now = Instant::now();
    deadline.map(|deadline| now + deadline.saturating_duration_since(now) / 2)
}

fn lock(turn: &Mutex<Turn>) -> MutexGuard<'_, Turn> {
    turn.lock().unwrap_or_else(PoisonError::into_inner)
}
