//! Processes that search together find what one search finds. Here they are threads, each with a memory and connections of its own.

#[path = "../../search/tests/kit/mod.rs"]
mod kit;

use cluster::hosts::of_this_machine;
use cluster::{Plan, explore};
use kit::{LARGE_VALUES, MANY_THINGS, facts_by_levels, read};
use search::{Control, ErrorPolicy, Limits, Outcome, SearchOptions, SearchReport, StopReason};
use std::path::Path;
use std::time::Duration;
use system::automaton::System;
use system::capacities::Capacities;

/// Many states in few levels, so that parcels fill up and somebody is waited for.
const WIDE: &str = "
    byte a, b, c, d, e;
    active proctype P() { do :: a = (a + 1) % 9 :: b = (b + 1) % 9 :: c = (c + 1) % 9 :: d = (d + 1) % 9 :: e = (e + 1) % 5 od }";

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
            assert_eq!(facts_by_levels(first), facts_by_levels(&expected), "{processes} processes, {text}");
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
    assert_eq!(facts_by_levels(&finished[0]), facts_by_levels(&expected));
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
