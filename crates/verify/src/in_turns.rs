//! Stages one after the other on the thread of the caller, for where there is no other.
//!
//! Nobody knows beforehand which engine answers, and none of them can be put aside half done. So each has a short turn first, in which most models are
//! done; whoever was not done begins again in a turn that is several times as long, and so on until the time is over. What is done twice is a
//! small part of what is done, and a quick proof never waits for the end of a long search. (Rejected: threads of our own making on one stack, which
//! engines would have to be written for.)

use crate::answer::Question;
use crate::board::Board;
use crate::check::ASIDE;
use crate::progress;
use crate::stages::Stage;
use crate::supervisor::Event;
use std::sync::atomic::Ordering;
use std::time::Duration;
use system::clock::Instant;

/// The first turn of each is this part of the time, within these limits.
const PART_OF_THE_TIME: u32 = 300;
const SHORTEST_TURN: Duration = Duration::from_millis(50);
const LONGEST_FIRST_TURN: Duration = Duration::from_secs(60);
/// How much longer each turn is than the one before.
const LONGER_EACH_TIME: u32 = 8;
/// Another round must have turns longer than this one's by so much, or this one is the last.
const WORTH_ANOTHER: u32 = 2;

/// Runs the stages until all are done, or the time is over.
pub fn work(board: &Board, stages: Vec<Stage>) {
    let mut left = stages;
    for stage in &left {
        board.timed.supervisor.tell(Event::Started(stage.question.clone()));
    }
    let mut turn =
        (board.options.time.unwrap_or_default() / PART_OF_THE_TIME).clamp(SHORTEST_TURN, LONGEST_FIRST_TURN);
    let mut ends = board.timed.everything_ends;
    let is_aside = progress::is_aside(board);
    let mut aside_began = false;
    while !left.is_empty() && !board.timed.everything_is_over() {
        if is_aside && !aside_began && left.iter().all(|stage| stage.question == Question::Progress) {
            aside_began = true;
            ends = ends.into_iter().chain([Instant::now() + ASIDE]).min();
        }
        left = round(board, left, turn, ends);
        turn = turn.saturating_mul(LONGER_EACH_TIME);
    }
}

/// Gives each a turn; those that were not done and may have another.
fn round(board: &Board, stages: Vec<Stage>, turn: Duration, ends: Option<Instant>) -> Vec<Stage> {
    let share = |waiting: usize| {
        let rest = ends.map(|ends| ends.saturating_duration_since(Instant::now()));
        rest.map(|rest| rest / waiting.max(1) as u32)
    };
    let mut waiting = stages.len();
    let is_last = share(waiting).is_some_and(|share| share < turn.saturating_mul(1 + WORTH_ANOTHER));
    let mut next = Vec::new();
    for stage in stages {
        let turn = share(waiting).filter(|_| is_last).unwrap_or(turn);
        waiting -= 1;
        // What is decided is worth one more turn.
        let mut questions = std::iter::once(&stage.question).chain(&stage.also);
        let patience = questions.try_fold(Duration::ZERO, |most, q| Some(most.max(board.patience(q)?)));
        let has_another = !is_last && patience.is_none();
        let serves_both = matches!(stage.question, Question::Buffers | Question::Progress);
        let is_closed = serves_both && board.closed().both.load(Ordering::Relaxed);
        if is_closed || board.timed.everything_is_over() {
            continue;
        }
        board.timed.begin_turn(Instant::now() + patience.map_or(turn, |most| most.min(turn)), has_another);
        // What others take is given back before the next one begins.
        stage.run(board, board.options.memory);
        board.timed.weigh();
        let lacks_time = is_last && ends == board.timed.everything_ends;
        if board.timed.end_turn(lacks_time) && has_another {
            next.push(stage);
        }
    }
    next
}
