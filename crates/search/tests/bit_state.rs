//! Bit-state search: finds real errors, never proves, keeps to the memory it was given.

use certificate::trace::replay;
use promela::{NoIncludes, Options};
use search::{
    BitState, Cause, Control, Engine, ErrorPolicy, Limits, Outcome, Properties, Reduction, SearchOptions,
    SearchReport, StopReason, explore,
};
use system::automaton::System;

fn system(text: &str) -> System {
    let (model, diagnostics) = promela::read("test.pml", text, &Options::default(), &NoIncludes);
    let errors = diagnostics.iter().filter(|d| d.severity == promela::diagnostic::Severity::Error);
    assert_eq!(errors.count(), 0, "{diagnostics:?}");
    system::lower::lower(model).0
}

fn run(system: &System, options: &SearchOptions) -> SearchReport {
    explore(system, options, &Control::none()).unwrap_or_else(|error| panic!("no initial state: {error:?}"))
}

fn options(bytes: usize, reduction: Reduction) -> SearchOptions {
    let engine = Engine::BitState(BitState { bytes, bits_per_state: 3 });
    SearchOptions { engine, reduction, errors: ErrorPolicy::All, ..SearchOptions::full() }
}

fn causes(report: &SearchReport) -> Vec<Cause> {
    let mut causes: Vec<Cause> = report.errors.iter().map(|group| group.cause.clone()).collect();
    causes.sort();
    causes
}

/// Values that outgrow their fields several times while the search is on its way, and two errors that only show late.
const COUNTING: &str = "
    byte a, b; short wide[3]; chan c = [3] of { byte };
    active proctype A() { do :: a < 90 -> a++; wide[a % 3] = 100 * a :: a == 90 -> break od; assert(b != 70) }
    active proctype B() { byte v; do :: b < 80 -> c!b; b++ :: b == 80 -> break od; c!200 }
    active proctype C() { byte v; do :: c?v :: c?200 -> break od }
";

const ATOMIC_AND_RENDEZVOUS: &str = "
    chan c = [0] of { byte }; byte n;
    active [2] proctype S() { byte i; do :: i < 5 -> atomic { n++; c!i; i++ } :: else -> break od; assert(n < 9) }
    active proctype R() { byte v; do :: c?v -> n = (v > n -> v : n) od }
";

#[test]
fn a_large_table_visits_what_an_exact_search_visits() {
    for text in [COUNTING, ATOMIC_AND_RENDEZVOUS] {
        let system = system(text);
        let exact = run(&system, &SearchOptions { errors: ErrorPolicy::All, ..SearchOptions::full() });
        assert_eq!(exact.outcome, Outcome::Complete);
        let bits = run(&system, &options(64 << 20, Reduction::Full));
        assert_eq!(bits.counts.states, exact.counts.states);
        assert_eq!(bits.counts.transitions(), exact.counts.transitions());
        assert_eq!(bits.counts.atomic_steps, exact.counts.atomic_steps);
        assert_eq!(causes(&bits), causes(&exact));
        let reduced = SearchOptions { reduction: Reduction::Reduced, ..options(64 << 20, Reduction::Full) };
        let exact_reduced = run(&system, &SearchOptions { engine: Engine::Fast, ..reduced.clone() });
        let bits_reduced = run(&system, &reduced);
        assert_eq!(bits_reduced.counts.states, exact_reduced.counts.states);
        assert_eq!(causes(&bits_reduced), causes(&exact_reduced));
    }
}

#[test]
fn every_error_found_replays() {
    for text in [COUNTING, ATOMIC_AND_RENDEZVOUS] {
        let system = system(text);
        for bytes in [1 << 10, 1 << 13, 1 << 20] {
            for reduction in [Reduction::Full, Reduction::Reduced] {
                for errors in [ErrorPolicy::First, ErrorPolicy::All] {
                    let report = run(&system, &SearchOptions { errors, ..options(bytes, reduction) });
                    assert!(report.errors.iter().all(|group| replay(&system, &group.trace).is_ok()));
                    assert_ne!(report.outcome, Outcome::Stopped(StopReason::TraceNotConfirmed));
                }
            }
        }
    }
}

#[test]
fn nothing_is_ever_proved_not_even_where_nothing_was_lost() {
    let right = system("byte n; active [2] proctype P() { n = 1 - n }");
    for reduction in [Reduction::Full, Reduction::Reduced] {
        let report = run(&right, &options(1 << 20, reduction));
        assert_eq!(report.outcome, Outcome::Stopped(StopReason::BitState));
        assert!(!report.proves());
        assert!(report.errors.is_empty());
    }
    let cycles = Properties { acceptance: true, ..Properties::safety() };
    let report = run(&right, &SearchOptions { properties: cycles, ..options(1 << 20, Reduction::Full) });
    assert_eq!(report.outcome, Outcome::Stopped(StopReason::BitState));
}

#[test]
fn a_table_that_is_too_small_loses_states_and_says_how_many() {
    let system = system(COUNTING);
    let all = run(&system, &options(64 << 20, Reduction::Full));
    let part = run(&system, &options(1 << 12, Reduction::Full));
    assert!(part.counts.states < all.counts.states);
    let (Some(all_bits), Some(part_bits)) = (all.bit_state, part.bit_state) else { panic!("no figures") };
    assert!(all_bits.coverage(all.counts.states) > 0.9999);
    assert!(part_bits.coverage(part.counts.states) < 0.99);
    assert!(part_bits.lost > 100.0);
}

#[test]
fn the_memory_is_what_was_asked_for() {
    let system = system(COUNTING);
    let report = run(&system, &options(100_000, Reduction::Full));
    assert!(report.bit_state.is_some_and(|figures| figures.bytes <= 100_000));
    // A run of some hundred thousand steps that must not be followed to its end.
    let deep = "byte x, y; short n; active proctype P() { do :: n < 30000 -> n++; x = n % 7; y = n % 5 od }";
    let system = self::system(deep);
    let memory = 16 << 20;
    let limits = Limits { memory: Some(memory), ..Limits::default() };
    let report = run(&system, &SearchOptions { limits, ..options(1 << 30, Reduction::Full) });
    assert!(report.counts.memory <= memory, "{}", report.counts.memory);
    assert!(report.bit_state.is_some_and(|figures| figures.bytes <= memory / 2));
}

#[test]
fn an_execution_that_is_too_long_for_the_memory_is_cut_and_the_search_goes_on() {
    let deep = "
        byte a, b, c;
        active proctype P() { do :: a++ :: b++ :: c++ od }
        active proctype Q() { a == 200 && b == 3; assert(false) }";
    let system = system(deep);
    let limits = Limits { memory: Some(6 << 20), ..Limits::default() };
    let report = run(&system, &SearchOptions { limits, ..options(2 << 20, Reduction::Full) });
    assert_eq!(report.outcome, Outcome::Stopped(StopReason::BitState));
    assert!(report.bit_state.is_some_and(|figures| figures.too_deep > 1000));
    assert!(report.counts.memory <= 6 << 20, "{}", report.counts.memory);
}
