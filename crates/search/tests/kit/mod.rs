//! Models on which searches of several kinds must agree, and what must be the same of them.

use search::{Cause, Outcome, SearchReport};
use system::automaton::System;

/// Errors of several kinds, messages, processes that come and go.
pub const MANY_THINGS: &str = "
    chan c = [2] of { byte, byte }; byte total, a[3];
    proctype Worker(byte me) { byte n; do :: n < 2 -> n++; c!me, n; a[me] = n :: else -> break od; assert(total < 8) }
    active proctype Sum() { byte who, n; do :: c?who, n -> total = total + n + who od }
    init { run Worker(1); run Worker(2); a[0] = 10 / (a[1] + a[2] - 4) }";

/// Values that nobody expects: layouts grow on the way, for each of several searchers at another time.
pub const LARGE_VALUES: &str = "
    int x, y;
    active proctype P() { do :: x < 70 -> x = x + 3 :: x > 7 -> x = x - 7 :: atomic { y < 20 -> y++ } od }
    active proctype Q() { do :: y > 2 -> y = y - 2 :: x == 23 -> assert(y != 19) od }";

/// The system of a text.
pub fn read(text: &str) -> System {
    system::read_text(text).expect("a model")
}

/// How a search ended; states, arrivals and steps inside of an `atomic`; in words the peaks, what was seen, statements that were not reached and
/// the digest of all states; the errors.
pub type Facts = (Outcome, [u64; 3], String, Vec<(Cause, u64)>);

/// What must be the same in whatever order states are met.
pub fn facts(report: &SearchReport) -> Facts {
    let counts = [report.counts.states, report.counts.matched, report.counts.atomic_steps];
    let peaks: Vec<_> = report.channels.iter().map(|peak| (peak.channel, peak.peak)).collect();
    let seen = format!("{peaks:?} {:?} {:?} {:?}", report.observed, report.unreached, report.digest);
    let mut errors: Vec<(Cause, u64)> =
        report.errors.iter().map(|group| (group.cause.clone(), group.count)).collect();
    errors.sort();
    (report.outcome, counts, seen, errors)
}

/// What must be the same of searches that go level by level: the depth too.
#[allow(dead_code, reason = "not every search has levels")]
pub fn facts_by_levels(report: &SearchReport) -> (Facts, u64) {
    (facts(report), report.counts.depth)
}

/// Where a file is cut or changed: in a file of states in the head and inside of every block, at its beginning and at its end (`disk/run.rs` has the form);
/// in others at some places.
#[allow(dead_code, reason = "not every search has files")]
pub fn places_to_damage(file: &[u8]) -> Vec<usize> {
    let mut places = vec![0, file.len() / 3, file.len() / 2, file.len() - 1];
    if file.starts_with(b"plimsoll-states") {
        let mut block = 16 + 8 + 4;
        while let Some(length) = file.get(block..block + 4) {
            let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
            let end = block + 12 + if length == 0 { 8 } else { length };
            places.extend([block, block + 4, block + 8, block + 12, (block + 12 + end) / 2, end - 1]);
            block = end;
        }
        assert_eq!(block, file.len(), "blocks follow each other to the end");
    }
    places.sort_unstable();
    places.dedup();
    places
}
