//! An error that answers one question leaves the others open, and the search goes on for them.

use certificate::verdict::Verdict;
use verify::{Answer, CheckOptions, Question, Questions, SearchKnobs, Supervisor, check};

/// The assertion fails in the first step. All interleavings of the counters are a million states; reduced they are fewer than a hundred.
const FAILS_AT_ONCE: &str = "active proctype A() { assert(false) }
    active [5] proctype P() { byte x; do :: x < 15 -> x++ :: else -> break od }";

fn answers(text: &str, states: u64) -> Vec<Answer> {
    let system = system::read_text(text).expect("a model");
    let search = SearchKnobs { states: Some(states), ..SearchKnobs::default() };
    let options = CheckOptions { questions: Questions::all(), search, ..CheckOptions::default() };
    check(&system, &options, &Supervisor::none()).answers
}

#[test]
fn a_failed_assertion_does_not_end_the_search_for_deadlocks() {
    let answers = answers(FAILS_AT_ONCE, 2_000);
    let of = |question| answers.iter().find(|answer| answer.question == question).expect("an answer");
    assert_eq!(of(Question::Assertions).verdict.word(), "VIOLATED");
    for question in [Question::Deadlock, Question::RuntimeErrors] {
        let answer = of(question);
        assert!(matches!(answer.verdict, Verdict::Proved(_)), "{answer:?}");
    }
}
