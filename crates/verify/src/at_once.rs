//! Stages beside each other, each in a thread of its own, so that a long search never keeps a quick proof waiting; the operating system shares the
//! cores among them. One that does not stop when it should is left behind: what it has published counts, and what it still computes nobody
//! sees.

use crate::answer::Question;
use crate::board::{Board, GLANCE};
use crate::check::{ASIDE, GRACE};
use crate::progress;
use crate::stages::Stage;
use crate::supervisor::Event;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use system::clock::Instant;

/// Stack of an engine's thread: some recurse over large models.
const STACK: usize = 64 << 20;

/// Starts all stages and waits for them, but not longer than allowed.
pub fn work(board: &Arc<Board>, stages: Vec<Stage>, started: Instant) {
    let at_work = AtWork::default();
    let shares: usize = stages.iter().map(|stage| stage.share).sum();
    let memory = board.options.memory.map(|bytes| bytes / shares.max(1));
    for stage in stages {
        start(board, stage, memory, at_work.clone());
    }
    wait(board, &at_work, started);
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
    stage: Stage,
}

impl Drop for Working {
    fn drop(&mut self) {
        self.at_work.of(&self.stage.question).fetch_sub(1, Ordering::Release);
        self.board.update(|_| {});
    }
}

/// Runs one stage.
fn start(board: &Arc<Board>, stage: Stage, memory_of_a_share: Option<usize>, at_work: AtWork) {
    at_work.of(&stage.question).fetch_add(1, Ordering::Release);
    let memory = memory_of_a_share.map(|bytes| bytes * stage.share);
    let failed = stage.question.clone();
    let working = Working { board: Arc::clone(board), at_work, stage };
    let run = move || {
        let Working { board, stage, .. } = &working;
        board.timed.supervisor.tell(Event::Started(stage.question.clone()));
        stage.run(board, memory);
    };
    // If no thread can be had nobody works, and the question stays without an answer.
    if std::thread::Builder::new().stack_size(STACK).spawn(run).is_err() {
        board.update(|facts| facts.failed.push(failed));
    }
}

/// Waits for all stages, but not longer than allowed.
fn wait(board: &Board, at_work: &AtWork, started: Instant) {
    let latest = board.options.time.map(|time| started + time);
    let is_aside = progress::is_aside(board);
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
