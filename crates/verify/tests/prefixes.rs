//! Formulas that a finite run violates, whatever follows: verdicts and lengths, with every fairness; and those that no finite run violates.

use certificate::verdict::{Fairness, Verdict};
use promela::model::ProctypeId;
use search::fair::{Counters, Numbers, ProcessNumber};
use std::time::Duration;
use system::read_text;
use verify::{
    Answer, CapacityReading, CheckOptions, Engines, FormulaChoice, Question, Questions, Supervisor, check,
};

fn answer(text: &str, fairness: Fairness) -> Answer {
    answer_with(text, CheckOptions { fairness, ..CheckOptions::default() })
}

fn answer_with(text: &str, options: CheckOptions) -> Answer {
    let system = read_text(text).expect("a model");
    let questions = Questions { formulas: FormulaChoice::All, ..Questions::none() };
    let options = CheckOptions { questions, ..options };
    let report = check(&system, &options, &Supervisor::none());
    report.answer(&Question::Formula("f".to_string())).expect("an answer").clone()
}

/// The number of steps of the run that violates the formula, and whether it has a loop.
fn run(text: &str, fairness: Fairness) -> (usize, bool) {
    run_with(text, CheckOptions { fairness, ..CheckOptions::default() })
}

fn run_with(text: &str, options: CheckOptions) -> (usize, bool) {
    let answer = answer_with(text, options);
    let Verdict::Violated(found) = &answer.verdict else { panic!("{text}: {answer:?}") };
    (found.trace().steps.len(), found.trace().loop_start.is_some())
}

const EVERY: [Fairness; 3] = [Fairness::None, Fairness::Weak, Fairness::Strong];

/// The counter comes back to nothing that it was for four thousand million steps.
#[test]
fn a_counter_that_never_comes_back_violates_its_limit() {
    let text = "int x; active proctype P() { do :: x++ od } ltl f { [] (x < 50) }";
    for fairness in EVERY {
        assert_eq!(run(text, fairness), (50, false), "{fairness:?}");
        assert_eq!(
            answer(text, fairness).meaning,
            "a run of 50 steps does not satisfy it, whatever follows",
            "{fairness:?}"
        );
    }
}

#[test]
fn the_run_ends_where_nothing_satisfies_the_formula_any_more() {
    let with = |formula: &str| {
        format!("byte x; active proctype P() {{ do :: x = (x + 1) % 4 od }} ltl f {{ {formula} }}")
    };
    for fairness in EVERY {
        assert_eq!(run(&with("x == 1"), fairness), (0, false), "{fairness:?}");
        assert_eq!(run(&with("[] (x < 3)"), fairness), (3, false), "{fairness:?}");
        assert_eq!(run(&with("[] ((x == 1) -> X (x == 1))"), fairness), (2, false), "{fairness:?}");
        assert_eq!(run(&with("(x < 2) U (x == 3)"), fairness), (2, false), "{fairness:?}");
    }
}

/// What may still come must be missed for ever.
#[test]
fn what_may_still_come_is_violated_by_a_loop_only() {
    let with = |formula: &str| {
        format!("byte x; active proctype P() {{ do :: x = (x + 1) % 4 od }} ltl f {{ {formula} }}")
    };
    for formula in ["<> (x == 7)", "[] <> (x == 7)", "(x < 9) U (x == 7)", "<> [] (x == 1)"] {
        assert!(run(&with(formula), Fairness::None).1, "{formula}");
    }
    let holds = answer(&with("[] <> (x == 3)"), Fairness::None);
    assert!(matches!(holds.verdict, Verdict::Proved(_)), "{holds:?}");
}

/// What happens later in another process does not undo it; nor does that the run can only go on to an error.
#[test]
fn an_error_that_comes_later_does_not_matter() {
    let text = "byte x, z; active proctype P() { x = 1; x = 2; x = x / z } ltl f { [] (x < 2) }";
    for fairness in EVERY {
        assert_eq!(run(text, fairness), (2, false), "{fairness:?}");
    }
}

/// A counter that decides nothing is left out of a search that lasts, and what is found without it is a run of the model.
#[test]
fn a_run_of_the_slice_is_a_run_of_the_model() {
    let text = "int idle; byte a, b, c;
        active proctype A() { do :: a = (a + 1) % 40; idle++ od }
        active proctype B() { do :: b = (b + 1) % 40; idle++ od }
        active proctype C() { do :: a == 39 && b == 39 -> c = 1 od }
        ltl f { [] (c == 0) }";
    let (length, has_loop) = run(text, Fairness::None);
    assert!(length >= 79 && !has_loop, "{length}");
}

/// The model with a second formula is searched without it.
#[test]
fn other_formulas_of_the_model_do_not_matter() {
    let text = "int x, y; active proctype P() { do :: x++; y = 1 - y od }
        ltl g { [] <> (y == 1) } ltl f { [] (x < 10) }";
    assert_eq!(run(text, Fairness::None), (19, false));
}

/// A run that ends before nothing can help stands still, and that is its loop.
#[test]
fn a_run_that_ends_first_violates_by_standing_still() {
    let ends = |formula: &str| format!("byte x; active proctype P() {{ x = 1 }} ltl f {{ {formula} }}");
    for fairness in EVERY {
        assert_eq!(run(&ends("X X X (x == 0)"), fairness), (2, true), "{fairness:?}");
        assert_eq!(run(&ends("(x < 2) U (x == 2)"), fairness), (2, true), "{fairness:?}");
        assert_eq!(run(&ends("[] (x == 0)"), fairness), (1, false), "{fairness:?}");
    }
}

/// SPIN goes on with the last state for ever; nothing of that is needed.
#[test]
fn a_run_to_a_deadlock_is_long_enough_where_the_formula_is_false() {
    let text = "byte x; active proctype P() { x = 1; x = 2; x == 9 } ltl f { [] (x < 2) }";
    for fairness in EVERY {
        assert_eq!(run(text, fairness), (2, false), "{fairness:?}");
    }
}

/// What only an `atomic` or `d_step` without end follows has happened; what happens inside of it nobody sees.
#[test]
fn a_sequence_without_end_comes_too_late_and_hides_what_is_inside() {
    let before =
        "byte x, y; active proctype P() { x = 1; atomic { do :: y = 1 - y od } } ltl f { [] (x == 0) }";
    let inside =
        "byte x, y; active proctype P() { atomic { x = 1; do :: y = 1 - y od } } ltl f { [] (x == 0) }";
    for fairness in EVERY {
        for before in [before, &before.replace("atomic", "d_step")] {
            assert_eq!(run(before, fairness), (1, false), "{fairness:?} {before}");
        }
        for inside in [inside, &inside.replace("atomic", "d_step")] {
            let answer = answer(inside, fairness);
            assert!(matches!(answer.verdict, Verdict::Unknown(_)), "{fairness:?} {answer:?}");
        }
    }
}

/// Who never has to be waited for may make the formula false, and who always can move does not prevent it.
#[test]
fn fairness_excludes_no_finite_run() {
    let text =
        "byte x, y; active proctype P() { do :: y = 1 - y od } active proctype Q() { (y == 1) -> x = 1 }
        ltl f { [] (x == 0) }";
    for fairness in EVERY {
        assert_eq!(run(text, fairness), (3, false), "{fairness:?}");
    }
    let notes = answer(text, Fairness::Weak).notes;
    assert_eq!(notes, ["under strong fairness it fails too"]);
}

/// The end of a claim that the model gives is a violation by itself; one that goes on must be followed for ever.
#[test]
fn a_claim_is_violated_at_its_end() {
    let of = |claim: &str| {
        let text = format!("int x; active proctype P() {{ do :: x++ od }} never {{ {claim} }}");
        let system = read_text(&text).expect("a model");
        let questions = Questions { claims: true, ..Questions::none() };
        let time = Some(Duration::from_secs(2));
        let options = CheckOptions { questions, time, ..CheckOptions::default() };
        check(&system, &options, &Supervisor::none()).answers.remove(0)
    };
    let ends = of("do :: x > 3 -> break :: else od");
    let Verdict::Violated(found) = &ends.verdict else { panic!("{ends:?}") };
    assert_eq!((found.trace().steps.len(), found.trace().loop_start), (4, None));
    let goes_on = of("do :: x > 3 -> break :: else od; accept_all: do :: true od");
    assert!(matches!(goes_on.verdict, Verdict::Unknown(_)), "{goes_on:?}");
}

#[test]
fn a_queue_without_a_limit_violates_what_one_with_a_limit_satisfies() {
    let text = "chan q = [3] of { byte }; active proctype P() { do :: q!1 od } ltl f { [] (len(q) < 5) }";
    let with = |formula_capacities| CheckOptions { formula_capacities, ..CheckOptions::default() };
    assert_eq!(run_with(text, with(CapacityReading::Unbounded)), (5, false));
    assert_eq!(run_with(text, with(CapacityReading::Fixed(6))), (5, false));
    let declared = answer_with(text, with(CapacityReading::Declared));
    assert!(matches!(declared.verdict, Verdict::Proved(_)), "{declared:?}");
}

#[test]
fn processes_that_are_counted_have_names_in_a_finite_run() {
    let text =
        "int idle; byte n; active [3] proctype P() { n++; n-- } active proctype Q() { do :: idle++ od }
        ltl f { [] (n < 3) }";
    for fairness in EVERY {
        for counters in [Counters::On, Counters::Off] {
            let options = CheckOptions { fairness, counters, ..CheckOptions::default() };
            assert_eq!(run_with(text, options), (3, false), "{fairness:?} {counters:?}");
        }
        let processes = vec![ProcessNumber { proctype: ProctypeId(0), number: Numbers::Any }];
        let options = CheckOptions { fairness, processes, ..CheckOptions::default() };
        assert_eq!(run_with(text, options), (3, false), "{fairness:?} any number");
        let processes = vec![ProcessNumber { proctype: ProctypeId(0), number: Numbers::Exactly(5) }];
        let options = CheckOptions { fairness, processes, ..CheckOptions::default() };
        assert_eq!(run_with(text, options), (3, false), "{fairness:?} five");
    }
}

#[test]
fn the_run_is_found_however_the_search_goes() {
    let text = "byte a, b, c; int idle;
        active proctype A() { byte i; do :: i < 5 -> i++; a++ :: else -> break od; c++ }
        active proctype B() { byte i; do :: i < 5 -> i++; b++ :: else -> break od; c++ }
        active proctype C() { do :: idle++ od }
        ltl f { [] (c < 2) }";
    let usual = CheckOptions { time: Some(Duration::from_secs(60)), ..CheckOptions::default() };
    let ways = [
        ("usual", usual.clone()),
        ("two threads", CheckOptions { threads: 2, ..usual.clone() }),
        ("in turns", CheckOptions { engines: Engines::InTurns, ..usual.clone() }),
        ("little memory", CheckOptions { memory: Some(64 << 20), ..usual }),
    ];
    for (way, options) in ways {
        let (length, has_loop) = run_with(text, options);
        assert!(length >= 24 && !has_loop, "{way}: {length}");
    }
}
