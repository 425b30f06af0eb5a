//! A search on disk finds what a search in memory finds, whatever happens on the way.

mod kit;

use kit::{LARGE_VALUES, MANY_THINGS, facts, places_to_damage, read};
use search::{Control, Disk, ErrorPolicy, Limits, Outcome, SearchOptions, SearchReport, StopReason, explore};
use std::path::Path;
use system::automaton::System;

fn in_memory(system: &System) -> SearchReport {
    let options = SearchOptions { errors: ErrorPolicy::All, ..SearchOptions::full() };
    explore(system, &options, &Control::none()).expect("a first state")
}

/// With so little memory that it goes to the disk at once.
fn on_disk(system: &System, folder: &Path, resume: bool, memory: usize, states: Option<u64>) -> SearchReport {
    let limits = Limits { memory: Some(memory), states, deadline: None };
    let disk = Some(Disk { folder: folder.to_path_buf(), resume });
    let options = SearchOptions { errors: ErrorPolicy::All, limits, disk, ..SearchOptions::full() };
    explore(system, &options, &Control::none()).expect("a first state")
}

#[test]
fn everything_is_as_in_memory() {
    for text in [MANY_THINGS, LARGE_VALUES] {
        let system = read(text);
        let expected = in_memory(&system);
        assert!(expected.counts.states > 3_000 && !expected.errors.is_empty(), "{:?}", expected.counts);
        // With hardly any memory everything is a suspect and all rounds are small.
        for memory in [1, 20_000] {
            let folder = tempfile::tempdir().expect("a folder");
            let report = on_disk(&system, folder.path(), false, memory, None);
            let disk = report.disk.clone().expect("it went there");
            assert_eq!(disk.trouble, None);
            assert!(disk.rounds > 2 && disk.bytes > 0, "{disk:?}");
            assert_eq!(facts(&report), facts(&expected));
        }
    }
}

/// Small models with files of a few states: whatever happens when some of them are expanded, such as a new layout, happens to the first, to
/// the last, and to just one half.
#[test]
fn every_feature_of_the_language_is_as_in_memory() {
    let features = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/features");
    let mut compared = 0;
    for file in std::fs::read_dir(features).expect("models").flatten() {
        let text = std::fs::read_to_string(file.path()).expect("read");
        let system = read(&text);
        let expected = in_memory(&system);
        if expected.outcome != Outcome::Complete {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let report = on_disk(&system, folder.path(), false, 1, None);
        assert_eq!(facts(&report), facts(&expected), "{}", file.path().display());
        compared += 1;
    }
    assert!(compared > 30, "{compared} models");
}

/// Three counters that have all their values long before memory ends. Values that come later make fields wider, and each wider field ends a round.
#[test]
fn values_that_were_met_in_memory_are_known_on_disk_from_the_first_round_on() {
    let counter = "active [3] proctype Counter() { byte n; do :: n < 99 -> n++ :: n > 0 -> n-- od }";
    let system = read(counter);
    let folder = tempfile::tempdir().expect("a folder");
    let report = on_disk(&system, folder.path(), false, 4_000_000, Some(400_000));
    let disk = report.disk.clone().expect("it went there");
    assert_eq!((disk.trouble, report.outcome), (None, Outcome::Stopped(StopReason::States(400_000))));
    assert!(disk.rounds <= 400_000 / (4_000_000 / 8 / 8) + 2, "{} rounds", disk.rounds);
}

#[test]
fn what_was_interrupted_goes_on_to_the_same_end() {
    let system = read(MANY_THINGS);
    let expected = in_memory(&system);
    for first in [1, 700, 3_000] {
        let folder = tempfile::tempdir().expect("a folder");
        let stopped = on_disk(&system, folder.path(), false, 1, Some(first));
        assert_eq!(stopped.outcome, Outcome::Stopped(StopReason::States(first)));
        on_disk(&system, folder.path(), true, 1, Some(2 * first));
        // What a crash leaves behind.
        std::fs::write(folder.path().join("999999.states"), "half a file").expect("written");
        std::fs::write(folder.path().join("search.new"), "half a page").expect("written");
        let report = on_disk(&system, folder.path(), true, 1, None);
        assert_eq!(facts(&report), facts(&expected), "after {first} states");
    }
}

#[test]
fn a_folder_that_is_not_this_searchs_is_refused() {
    let (system, other) = (read(MANY_THINGS), read(LARGE_VALUES));
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    let trouble = |report: SearchReport| {
        assert_eq!(report.outcome, Outcome::Stopped(StopReason::Disk));
        report.disk.and_then(|disk| disk.trouble).expect("a reason")
    };
    let missing = trouble(on_disk(&system, place, true, 1, None));
    assert!(missing.contains("search.json"), "{missing}");
    on_disk(&system, place, false, 1, Some(500));
    let again = trouble(on_disk(&system, place, false, 1, None));
    assert_eq!(
        again,
        format!("`{}` holds a search already: go on with `--resume`, or empty it", place.display())
    );
    let foreign = trouble(on_disk(&other, place, true, 1, None));
    assert_eq!(foreign, format!("`{}` belongs to another model", place.display()));
}

#[test]
fn a_file_that_was_cut_or_changed_never_leads_to_an_answer() {
    let system = read(MANY_THINGS);
    let expected = in_memory(&system);
    let folder = tempfile::tempdir().expect("a folder");
    on_disk(&system, folder.path(), false, 1, Some(6_000));
    let files: Vec<_> = std::fs::read_dir(folder.path()).expect("read").flatten().collect();
    assert!(files.len() > 4);
    for file in files {
        let whole = std::fs::read(file.path()).expect("read");
        for place in places_to_damage(&whole) {
            for cut in [false, true] {
                let mut damaged = whole.clone();
                match cut {
                    true => damaged.truncate(place),
                    false => damaged[place] ^= 0x10,
                }
                let copy = tempfile::tempdir().expect("a folder");
                for other in std::fs::read_dir(folder.path()).expect("read").flatten() {
                    std::fs::copy(other.path(), copy.path().join(other.file_name())).expect("copied");
                }
                std::fs::write(copy.path().join(file.file_name()), &damaged).expect("written");
                let report = on_disk(&system, copy.path(), true, 1, None);
                let is_refused = report.outcome == Outcome::Stopped(StopReason::Disk);
                let is_harmless = facts(&report) == facts(&expected);
                assert!(is_refused || is_harmless, "{:?} at {place}: {:?}", file.file_name(), report.disk);
            }
        }
    }
}
