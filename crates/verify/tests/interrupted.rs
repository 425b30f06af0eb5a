//! Whoever stops the work, and when, keeps all that was found until then.

use certificate::verdict::{StopReason, Verdict};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use system::simulate::Dice;
use verify::{CheckOptions, Event, Question, Supervisor, check};

/// Something is known of it within a millisecond, and something else never: the counters go through more states than anybody can visit.
const MODEL: &str = "chan asked = [2] of { byte }; chan flood = [1] of { byte }; chan small = [3] of { byte };
    active proctype client() { do :: asked!1; progress: small?1 od }
    active proctype server() { do :: asked?1; small!1 od }
    active proctype flooder() { do :: flood!1; progress_too: skip od }
    active [6] proctype counter() { byte n; do :: n < 250 -> n++; progress_up: skip :: n = n * 3; progress_more: skip od }
    ltl never_three { [] (len(small) < 3) }";

#[test]
fn at_whatever_moment_the_work_is_stopped_what_was_answered_stays_answered() {
    let system = system::read_text(MODEL).expect("a model");
    let mut dice = Dice::new(20);
    let mut answered_before_the_end = 0;
    for _ in 0..20 {
        let (stop, told) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let notes = Arc::clone(&told);
        let watcher = move |event: Event| {
            if let Event::Answered(question, word) = event {
                notes.lock().expect("nobody failed").push((question, word));
            }
        };
        let supervisor = Supervisor::none().cancelled_by(Arc::clone(&stop)).watched_by(Arc::new(watcher));
        let moment = Duration::from_micros(dice.roll(400_000) as u64);
        let stopper = std::thread::spawn(move || {
            std::thread::sleep(moment);
            stop.store(true, Ordering::Relaxed);
        });
        let report = check(&system, &CheckOptions { time: None, ..CheckOptions::default() }, &supervisor);
        stopper.join().expect("it stops");
        assert!(report.interrupted, "the counters end by themselves");
        for (question, word) in told.lock().expect("nobody failed").iter() {
            let answer = report.answer(question).unwrap_or_else(|| panic!("no answer to {question}"));
            // A verdict may come later, but none may go.
            assert!(
                *word == "UNKNOWN" || answer.verdict.word() == *word,
                "{question}: {word}, then {answer:?}"
            );
            answered_before_the_end += usize::from(*word != "UNKNOWN" && *question != Question::Progress);
        }
    }
    assert!(answered_before_the_end > 0, "every run was stopped before anything was known");
}

#[test]
fn a_formula_that_has_no_answer_in_time_was_stopped_by_the_time() {
    let text = "byte n[8]; active [8] proctype P() { do :: n[_pid]++ :: n[_pid] = n[_pid] * 3 od }
        ltl small { [] (n[0] + n[1] < 600) }";
    let system = system::read_text(text).expect("a model");
    let options = CheckOptions { time: Some(Duration::from_secs(1)), ..CheckOptions::default() };
    let report = check(&system, &options, &Supervisor::none());
    let answer = report.answer(&Question::Formula("small".to_string())).expect("it is asked");
    let Verdict::Unknown(unknown) = &answer.verdict else { panic!("{answer:?}") };
    assert_eq!(unknown.reason, StopReason::TimeLimit { seconds: 1 });
    let answer = report.answer(&Question::Assertions).expect("it is asked");
    assert_eq!(answer.meaning, "the model asserts nothing");
}

#[test]
fn a_verdict_is_told_once_and_its_reasons_come_with_the_report() {
    let text = "bool a, b; active proctype P() { a = true } active proctype Q() { do :: b = !b od }
        ltl comes { <> a } ltl stays { [] (a -> [] a) } ltl goes { []<> !b }";
    let system = system::read_text(text).expect("a model");
    let told = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&told);
    let watcher = move |event: Event| {
        if let Event::Answered(Question::Formula(name), word) = event {
            notes.lock().expect("nobody failed").push((name, word));
        }
    };
    let supervisor = Supervisor::none().watched_by(Arc::new(watcher));
    let report = check(&system, &CheckOptions::default(), &supervisor);
    let mut told = told.lock().expect("nobody failed").clone();
    told.sort();
    let expected = [("comes", "VIOLATED"), ("goes", "PROVED"), ("stays", "PROVED")];
    assert_eq!(told, expected.map(|(name, word)| (name.to_string(), word)));
    let notes = |name: &str| {
        let answer = report.answer(&Question::Formula(name.to_string())).expect("it is asked");
        answer.notes.clone()
    };
    let starving = "in the loop P(0) could move all the time and never does";
    assert_eq!(notes("comes"), [starving, "under weak and strong fairness it holds"]);
    assert_eq!(notes("stays"), [""; 0]);
}
