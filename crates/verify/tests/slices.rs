//! Data that decides nothing does not keep a model from its answers, and what a question looks at is never left out.

use certificate::verdict::Verdict;
use verify::{Answer, CheckOptions, Question, Questions, SearchKnobs, Supervisor, check};

/// Whoever counts what is sent has as many states as there are numbers; of the rest there are a few dozen.
const COUNTING: &str = "chan c = [3] of { int }; int sent; byte room = 3;
    active proctype P() { int n; do :: atomic { room > 0 -> room-- }; progress: c!n; n++; sent = sent + n od }
    active proctype Q() { int m; do :: c?m -> room++ od }";

fn answers(text: &str, states: Option<u64>) -> Vec<Answer> {
    let system = system::read_text(text).expect("a model");
    let search = SearchKnobs { states, ..SearchKnobs::default() };
    let options = CheckOptions { questions: Questions::all(), search, ..CheckOptions::default() };
    check(&system, &options, &Supervisor::none()).answers
}

fn of<'a>(answers: &'a [Answer], question: &Question) -> &'a Answer {
    answers.iter().find(|answer| answer.question == *question).expect("an answer")
}

#[test]
fn counters_that_nobody_asks_do_not_make_a_model_endless() {
    let answers = answers(&format!("{COUNTING} ltl room {{ [] (len(c) <= 3) }}"), None);
    let c = of(&answers, &Question::Buffer("c".to_string()));
    assert_eq!(c.bound.map(|bound| (bound.at_most, bound.tight)), Some((3, true)), "{c:?}");
    for question in [
        Question::Buffers,
        Question::Progress,
        Question::Deadlock,
        Question::RuntimeErrors,
        Question::Formula("room".to_string()),
    ] {
        let answer = of(&answers, &question);
        assert_eq!(answer.verdict.word(), "PROVED", "{answer:?}");
    }
    let deadlock = of(&answers, &Question::Deadlock);
    let left_out = "searched without what decides nothing here: `sent`, `P:n` and `Q:m`";
    assert!(deadlock.notes.contains(&left_out.to_string()), "{:?}", deadlock.notes);
    assert!(deadlock.figures.is_some_and(|figures| figures.sliced && figures.states < 100), "{deadlock:?}");
}

#[test]
fn what_a_formula_or_an_assertion_asks_is_not_left_out() {
    // Its violations go on for ever with other numbers each time; that a search finds none of them does not matter here.
    let formula = format!("{COUNTING} ltl few {{ [] (sent < 50) }}");
    let answers = answers(&formula, Some(10_000));
    assert_ne!(of(&answers, &Question::Formula("few".to_string())).verdict.word(), "PROVED");
    let asserted = COUNTING.replace("c?m ->", "c?m -> assert(m < 50);");
    let answers = self::answers(&asserted, Some(20_000));
    assert_eq!(of(&answers, &Question::Assertions).verdict.word(), "VIOLATED");
}

#[test]
fn an_error_that_is_found_without_what_decides_nothing_replays_in_the_model() {
    // 60,000 states of the counter before the other process is let in.
    let late = "int n; byte gate; chan c = [1] of { int };
        active proctype P() { do :: gate < 200 -> n = n + 3; gate++; c!n; c?_ :: gate == 200 -> gate = 201; break od;
            n++; assert(gate != 201) }
        active proctype Q() { int k; do :: k++ od }";
    let answers = answers(late, None);
    let answer = of(&answers, &Question::Assertions);
    let Verdict::Violated(found) = &answer.verdict else { panic!("{answer:?}") };
    assert!(found.trace().steps.len() > 600, "{}", found.trace().steps.len());
}

/// Every entry has another number, and no state comes twice.
#[test]
fn a_log_of_numbered_entries_grows_and_the_other_buffers_are_bounded() {
    let text = "chan ask = [1] of { int }; chan tell = [1] of { int }; chan log = [4] of { int, int };
        active proctype User() { int n, x; do :: ask!n; tell?x; n = x + 1 od }
        active proctype Service() { int x, t; do :: ask?x -> t++; log!t,x; progress: tell!x od }";
    let answers = answers(text, None);
    assert_eq!(of(&answers, &Question::Buffers).verdict.word(), "VIOLATED");
    assert_eq!(of(&answers, &Question::Buffer("log".to_string())).verdict.word(), "VIOLATED");
    for name in ["ask", "tell"] {
        let answer = of(&answers, &Question::Buffer(name.to_string()));
        assert_eq!(answer.bound.map(|bound| bound.at_most), Some(1), "{answer:?}");
    }
}

/// The counter decides something, but nothing on the way round looks at it.
#[test]
fn a_counter_of_who_came_does_not_keep_those_who_left_from_piling_up() {
    let text = "chan q = [2] of { bool }; int inside;
        active proctype Guest() { do :: q!true; inside++ od }
        active proctype Host() { do :: inside == 0 -> q?_ :: inside == 7 -> inside = 0 od }";
    let answers = answers(text, None);
    assert_eq!(of(&answers, &Question::Buffer("q".to_string())).verdict.word(), "VIOLATED");
}

#[test]
fn a_round_that_only_counts_makes_no_progress() {
    let text = "int x, late; active proctype P() { do :: late = x; x++ :: x > 5 -> progress: x = 0 od }";
    let answers = answers(text, None);
    let answer = of(&answers, &Question::Progress);
    assert_eq!(answer.verdict.word(), "VIOLATED", "{answer:?}");
    assert!(answer.meaning.contains("the same way each time"), "{}", answer.meaning);
}
