//! Runs in which a buffer grows because nobody empties it, and the loop that fills it is long.

mod common;

use common::{bounds_of, progress_of};
use proofs::{BoundsVerdict, ProgressVerdict};

/// The producer and its clerk go round in many steps, with many interleavings; only the consumer's buffer can grow, and the consumers of
/// the other lines have nothing to do with it.
const LINES: &str = "
    #define LINES 3
    chan ask[LINES] = [2] of {byte}; chan grant[LINES] = [2] of {byte}; chan goods[LINES] = [2] of {byte};
    proctype producer(byte me) {
        byte n;
        do
        :: n < 4 -> ask[me]!n; grant[me]?eval(n); goods[me]!n; n++
        :: n == 4 -> n = 0
        od
    }
    proctype clerk(byte me) { byte n; do :: ask[me]?n -> grant[me]!n od }
    proctype consumer(byte me) { do :: goods[me]?_ -> progress: skip od }
    init {
        byte i;
        atomic { for (i : 0 .. LINES - 1) { run producer(i); run clerk(i); run consumer(i) } }
    }";

#[test]
fn a_buffer_that_a_long_loop_fills_while_its_consumer_stands_still() {
    let BoundsVerdict::Violated(pump) = bounds_of(LINES).verdict else { panic!("it may grow for ever") };
    assert_eq!(pump.more_processes, 0);
    // Each round of the producer is five steps for each of the four numbers, two of the clerk, and two to begin anew.
    assert_eq!(pump.trace.steps.len() - pump.repeat_from, 4 * (5 + 2) + 2);
}

#[test]
fn the_same_without_the_consumers_progress() {
    assert!(matches!(progress_of(LINES).verdict, ProgressVerdict::Pump(_)));
}
