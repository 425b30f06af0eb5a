//! A search that goes on on disk, as it is told about.

use plimsoll::{CheckOptions, CheckReport, Questions, Supervisor};
use std::path::Path;
use verify::{Coverage, SearchKnobs};

/// Two counters that begin again. Of each: 32 values before a choice, 31 before it is increased, one before it is set back.
const COUNTERS: &str = "byte x, y; \
    active proctype A() { do :: x < 31 -> x++ :: else -> x = 0 od } \
    active proctype B() { do :: y < 31 -> y++ :: else -> y = 0 od }";
const STATES: u64 = 64 * 64;

fn on_disk(folder: &Path, memory: usize) -> CheckOptions {
    let disk = Some(search::Disk { folder: folder.to_path_buf(), resume: false });
    let search = SearchKnobs { coverage: Coverage::Full, disk, ..SearchKnobs::default() };
    let questions = Questions { deadlock: true, ..Questions::none() };
    CheckOptions { questions, memory: Some(memory), search, threads: 1, ..CheckOptions::default() }
}

/// What a check says that has more memory than it needs, of which the program has taken so much already.
fn with_taken(resident: fn() -> Option<usize>) -> (CheckReport, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let options = CheckOptions { memory_limit: Some(LIMIT), ..on_disk(folder.path(), LIMIT) };
    let supervisor = Supervisor::none().weighed_by(resident);
    (plimsoll::check_with(COUNTERS, &options, &supervisor).expect("a model"), folder)
}

const LIMIT: usize = 64 << 20;

#[test]
fn who_takes_all_that_it_may_goes_to_the_disk_whatever_its_accounts_say() {
    let (report, _folder) = with_taken(|| Some(LIMIT));
    let disk = report.disk.expect("it went there");
    assert!(disk.rounds > 0 && disk.bytes > 10_000, "{disk:?}");
    assert_eq!(report.search.map(|counts| counts.states), Some(STATES));
}

#[test]
fn with_memory_left_nothing_goes_to_the_disk() {
    let (report, folder) = with_taken(|| Some(LIMIT / 2));
    assert_eq!(report.disk, None);
    assert_eq!(report.search.map(|counts| counts.states), Some(STATES));
    assert!(std::fs::read_dir(folder.path()).expect("a folder").next().is_none());
}

#[test]
fn figures_of_the_files_are_told_to_machines() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = plimsoll::check(COUNTERS, &on_disk(folder.path(), 10_000)).expect("a model");
    let disk = report.disk.clone().expect("it went there");
    let system = plimsoll::read(COUNTERS).expect("a model");
    let told = report::json::model("counters.pml", &system, &report, &[]);
    assert_eq!(told["search"]["disk"], serde_json::json!({ "bytes": disk.bytes, "rounds": disk.rounds }));
}
