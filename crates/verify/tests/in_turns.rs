//! Engines that take turns on one thread answer what engines beside each other answer.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use verify::{CheckOptions, CheckReport, Engines, Event, Question, Supervisor, check};

/// What is known so soon with engines beside each other is known in time when they take turns.
const SOON: Duration = Duration::from_millis(500);
const IN_TIME: Duration = Duration::from_secs(20);

fn in_turns(time: Duration) -> CheckOptions {
    CheckOptions { time: Some(time), engines: Engines::InTurns, ..CheckOptions::default() }
}

fn verdicts(report: &CheckReport) -> Vec<(Question, &'static str)> {
    report.answers.iter().map(|answer| (answer.question.clone(), answer.verdict.word())).collect()
}

#[test]
fn models_have_the_same_verdicts_when_engines_take_turns() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut compared = 0;
    for entry in fs::read_dir(folder).expect("our models") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "pml") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a text");
        let system = system::read_text(&text).unwrap_or_else(|_| panic!("{} is no model", path.display()));
        let options = CheckOptions { time: Some(2 * SOON), ..CheckOptions::default() };
        let at_once = check(&system, &options, &Supervisor::none());
        let decided = |(_, word): &(Question, &str)| *word != "UNKNOWN";
        if at_once.seconds > SOON.as_secs_f64() || !verdicts(&at_once).iter().all(decided) {
            continue;
        }
        let one_by_one = check(&system, &in_turns(IN_TIME), &Supervisor::none());
        assert_eq!(verdicts(&at_once), verdicts(&one_by_one), "{}", path.display());
        compared += 1;
    }
    assert!(compared > 20, "only {compared} models were done soon");
}

/// Something is known of it at once, and something else never.
const ENDLESS: &str = "chan asked = [2] of { byte }; chan small = [3] of { byte };
    active proctype client() { do :: asked!1; progress: small?1 od }
    active proctype server() { do :: asked?1; small!1 od }
    active [6] proctype counter() { byte n; do :: n < 250 -> n++; progress_up: skip :: n = n * 3; progress_more: skip od }
    ltl never_three { [] (len(small) < 3) }";

#[test]
fn a_search_without_end_leaves_the_others_their_turns_and_the_time_is_kept() {
    let system = system::read_text(ENDLESS).expect("a model");
    let time = Duration::from_secs(3);
    let begun = Instant::now();
    let report = check(&system, &in_turns(time), &Supervisor::none());
    assert!(begun.elapsed() < 2 * time, "it took {:?}", begun.elapsed());
    let word = |question: &Question| report.answer(question).map(|answer| answer.verdict.word());
    assert_eq!(word(&Question::Buffers), Some("PROVED"));
    assert_eq!(word(&Question::Deadlock), Some("UNKNOWN"));
    let deadlock = report.answer(&Question::Deadlock).expect("it was asked");
    assert!(format!("{:?}", deadlock.verdict).contains("TimeLimit"), "{:?}", deadlock.verdict);
}

#[test]
fn work_in_turns_is_stopped_by_whoever_watches_it_and_keeps_what_was_told() {
    let system = system::read_text(ENDLESS).expect("a model");
    let (stop, told) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
    let (flag, notes) = (Arc::clone(&stop), Arc::clone(&told));
    let watcher = move |event: Event| {
        if let Event::Answered(question, word) = event {
            notes.lock().expect("nobody failed").push((question, word));
            flag.store(true, Ordering::Relaxed);
        }
    };
    let control = Supervisor::none().cancelled_by(stop).watched_by(Arc::new(watcher));
    let options = CheckOptions { time: None, ..in_turns(IN_TIME) };
    let report = check(&system, &options, &control);
    assert!(report.interrupted, "the counters end by themselves");
    let told = told.lock().expect("nobody failed");
    assert!(!told.is_empty(), "nothing was told");
    for (question, word) in told.iter() {
        assert_eq!(report.answer(question).map(|answer| answer.verdict.word()), Some(*word), "{question}");
    }
}
