//! Formulas one after the other.
//!
//! Twenty searches beside each other on two cores are all half done when the time is over, and in each other's way until then. So as many as there are
//! cores are at work at a time. Nobody knows which of them takes long, so nobody waits for ever for his turn: who is further back in the line waits
//! longer.

use crate::supervisor::Timed;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use system::clock::Instant;

/// How long the second in the line waits, and each one after him longer than the one before.
const WAIT: Duration = Duration::from_millis(500);

/// Who is at work.
#[derive(Debug, Default)]
pub struct Lane {
    at_work: Mutex<usize>,
    left: Condvar,
}

/// Somebody at work, until it is dropped.
#[derive(Debug)]
pub struct AtWork<'l> {
    lane: &'l Lane,
}

impl Lane {
    /// Enters: at once if fewer are at work than there are cores, else when somebody leaves or it was time enough to wait. Where engines take
    /// turns there is nobody to wait for.
    pub fn enter(&self, timed: &Timed, place: usize) -> AtWork<'_> {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let until = Instant::now() + WAIT * place as u32;
        let mut at_work = self.at_work();
        while *at_work >= cores && timed.turn.is_none() && !timed.is_over() {
            let rest = until.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                break;
            }
            let waited = self.left.wait_timeout(at_work, rest.min(crate::board::GLANCE));
            (at_work, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        *at_work += 1;
        AtWork { lane: self }
    }

    fn at_work(&self) -> MutexGuard<'_, usize> {
        self.at_work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        *self.lane.at_work() -= 1;
        self.lane.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::options::CheckOptions;
    use crate::supervisor::Supervisor;

    #[test]
    fn who_finds_the_lane_full_enters_when_somebody_leaves() {
        let system = system::read_text("active proctype P() { skip }").expect("a model");
        let options = CheckOptions { time: None, ..CheckOptions::default() };
        let board = Board::new(&system, &options, Supervisor::none(), Instant::now());
        let lane = Lane::default();
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        // The first of the line never waits.
        let mut inside: Vec<AtWork<'_>> = (0..=cores).map(|_| lane.enter(&board.timed, 0)).collect();
        assert_eq!(*lane.at_work(), cores + 1);
        std::thread::scope(|scope| {
            let last = scope.spawn(|| drop(lane.enter(&board.timed, usize::MAX >> 40)));
            inside.truncate(1);
            last.join().expect("it enters");
        });
        assert_eq!(*lane.at_work(), 1);
    }
}
