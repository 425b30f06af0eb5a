//! Processes that search together find what one search finds. Here they are threads, each with a memory and connections of its own.

use cluster::hosts::of_this_machine;
use cluster::{Plan, explore};
use search::{Cause, Control, ErrorPolicy, Limits, Outcome, SearchOptions, SearchReport, StopReason};
use std::path::Path;
use std::time::Duration;
use system::automaton::System;
use system::capacities::Capacities;

/// Errors of several kinds, messages, processes that come and go.
const MANY_THINGS: &str = "
    chan c = [2] of { byte, byte }; byte total, a[3];
    proctype Worker(byte me) { byte n; do :: n < 2 -> n++; c!me, n; a[me] = n :: else -> break od; assert(total < 8) }
    active proctype Sum() { byte who, n; do :: c?who, n -> total = total + n + who od }
    init { run Worker(1); run Worker(2); a[0] = 10 / (a[1] + a[2] - 4) }";

/// Values that nobody expects: layouts grow on the way, for each process at another time.
const LARGE_VALUES: &str = "
    int x, y;
    active proctype P() { do :: x < 70 -> x = x + 3 :: x > 7 -> x = x - 7 :: atomic { y < 20 -> y++ } od }
    active proctype Q() { do :: y > 2 -> y = y - 2 :: x == 23 -> assert(y != 19) od }";

/// Many states in few levels, so that parcels fill up and somebody is waited for.
const WIDE: &str = "
    byte a, b, c, d, e;
    active proctype P() { do :: a = (a + 1) % 9 :: b = (b + 1) % 9 :: c = (c + 1) % 9 :: d = (d + 1) % 9 :: e = (e + 1) % 5 od }";

fn read(text: &str) -> System {
    system::read_text(text).expect("a model")
}

fn options() -> SearchOptions {
    SearchOptions { errors: ErrorPolicy::All, capacities: Capacities::Declared, ..SearchOptions::full() }
}

/// The reports of all processes.
fn together(system: &System, options: &[SearchOptions], folder: &Path, resume: bool) -> Vec<SearchReport> {
    let hosts = of_this_machine(options.len()).expect("addresses");
    std::thread::scope(|scope| {
        let start = |(index, options): (usize, &SearchOptions)| {
            let (hosts, options, folder) = (hosts.clone(), options.clone(), folder.to_path_buf());
            let (wait, commit_every) = (Duration::from_secs(60), Duration::from_millis(5));
            let plan = Plan { hosts, index, folder, resume, wait, commit_every };
            scope.spawn(move || {
                explore(system, &options, &plan, &Control::none(), &|told| panic!("{told}"))
                    .expect("a first state")
            })
        };
        let processes: Vec<_> = options.iter().enumerate().map(start).collect();
        processes.into_iter().map(|process| process.join().expect("no panic")).collect()
    })
}

/// Everything that must be the same.
fn facts(report: &SearchReport) -> (Outcome, [u64; 4], String, Vec<(Cause, u64)>) {
    let counts = &report.counts;
    let counts = [counts.states, counts.matched, counts.atomic_steps, counts.depth];
    let peaks: Vec<_> = report.channels.iter().map(|peak| (peak.channel, peak.peak)).collect();
    let seen = format!("{peaks:?} {:?} {:?} {:?}", report.observed.traffic, report.unreached, report.digest);
    let mut errors: Vec<(Cause, u64)> =
        report.errors.iter().map(|group| (group.cause.clone(), group.count)).collect();
    errors.sort();
    (report.outcome, counts, seen, errors)
}

#[test]
fn any_number_of_processes_finds_what_one_search_finds() {
    for text in [MANY_THINGS, LARGE_VALUES, WIDE] {
        let system = read(text);
        let expected = search::explore(&system, &options(), &Control::none()).expect("a first state");
        for processes in [1, 2, 3, 4] {
            let folder = tempfile::tempdir().expect("a folder");
            let reports = together(&system, &vec![options(); processes], folder.path(), false);
            let first = &reports[0];
            let figures = first.cluster.as_ref().expect("figures");
            assert_eq!(figures.trouble, None);
            assert_eq!(facts(first), facts(&expected), "{processes} processes, {text}");
            assert_eq!(figures.levels.iter().sum::<u64>(), first.counts.states);
            assert_eq!(figures.shares.iter().sum::<u64>(), first.counts.states);
            assert!(processes == 1 || (figures.sent > 0 && figures.wire_bytes > figures.sent), "{figures:?}");
            assert!(reports[1..].iter().all(|report| report.outcome == Outcome::Complete));
        }
    }
}

#[test]
fn what_stops_one_process_stops_all_and_they_go_on_later() {
    let system = read(WIDE);
    let expected = search::explore(&system, &options(), &Control::none()).expect("a first state");
    let folder = tempfile::tempdir().expect("a folder");
    // The third one has no memory.
    let little = Limits { memory: Some(200_000), ..Limits::default() };
    let mut team = vec![options(); 3];
    team[2].limits = little;
    let stopped = together(&system, &team, folder.path(), false);
    for report in &stopped {
        assert_eq!(report.outcome, Outcome::Stopped(StopReason::Memory(200_000)));
    }
    assert!(stopped[0].counts.states > 0 && stopped[0].counts.states < expected.counts.states);
    let few = Limits { states: Some(stopped[0].counts.states + 1000), ..Limits::default() };
    let team = vec![SearchOptions { limits: few, ..options() }; 2];
    let limited = together(&system, &team, folder.path(), true);
    assert!(
        matches!(limited[0].outcome, Outcome::Stopped(StopReason::States(_))),
        "{:?}",
        limited[0].outcome
    );
    let finished = together(&system, &vec![options(); 4], folder.path(), true);
    assert_eq!(facts(&finished[0]), facts(&expected));
    assert!(finished[0].cluster.as_ref().is_some_and(|figures| figures.generations == 3));
}

#[test]
fn a_folder_that_is_not_this_searchs_is_refused() {
    let (system, other) = (read(MANY_THINGS), read(LARGE_VALUES));
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    let trouble = |reports: Vec<SearchReport>| {
        assert_eq!(reports[0].outcome, Outcome::Stopped(StopReason::Cluster));
        reports[0].cluster.clone().and_then(|figures| figures.trouble).expect("a reason")
    };
    let one = [options()];
    let missing = trouble(together(&system, &one, place, true));
    assert!(missing.contains("cluster.json"), "{missing}");
    together(&system, &one, place, false);
    let again = trouble(together(&system, &one, place, false));
    assert_eq!(
        again,
        format!("`{}` holds a search already: go on with `--resume`, or empty it", place.display())
    );
    let foreign = trouble(together(&other, &one, place, true));
    assert_eq!(foreign, format!("`{}` belongs to another model", place.display()));
}
