//! Formulas and fair progress for every capacity, by search.

use certificate::verdict::{Capacities as ProofCapacities, Evidence, Fairness, StopReason, Verdict};
use system::capacities::CapacityReading;
use system::read_text;
use verify::{Answer, CheckOptions, Counterexample, FormulaChoice, Question, Questions, Supervisor, check};

fn ask(text: &str, capacities: CapacityReading, fairness: Fairness) -> Answer {
    let system = read_text(text).expect("a model");
    let options = CheckOptions {
        questions: Questions { formulas: FormulaChoice::All, ..Questions::none() },
        formula_capacities: capacities,
        fairness,
        ..CheckOptions::default()
    };
    check(&system, &options, &Supervisor::none()).answers.remove(0)
}

const EACH_WAITS: &str = "chan a = [8] of { byte }; chan b = [8] of { byte }; byte done;
    active proctype P() { a!1; a!1; b?_; b?_; done++ }
    active proctype Q() { b!1; b!1; a?_; a?_; done++ }
    ltl both { <> (done == 2) }";

#[test]
fn a_run_that_ends_because_buffers_are_full_violates_a_formula_for_every_capacity() {
    let answer = ask(EACH_WAITS, CapacityReading::Any, Fairness::None);
    assert!(matches!(answer.verdict, Verdict::Violated(_)), "{answer:?}");
    assert_eq!(answer.reading.capacities, CapacityReading::Fixed(1));
    for capacities in [CapacityReading::Declared, CapacityReading::Fixed(2), CapacityReading::Unbounded] {
        let answer = ask(EACH_WAITS, capacities, Fairness::None);
        assert!(matches!(answer.verdict, Verdict::Proved(_)), "{answer:?}");
    }
}

#[test]
fn what_holds_for_every_capacity_is_proved_although_buffers_fill_up() {
    let text = "chan a = [4] of { byte }; byte got;
        active proctype P() { a!1; a!2; a!3 }
        active proctype Q() { do :: got < 3 -> a?_; got++ :: else -> break od }
        ltl all { <> (got == 3) }";
    let answer = ask(text, CapacityReading::Any, Fairness::None);
    assert!(matches!(answer.verdict, Verdict::Proved(_)), "{answer:?}");
    assert_eq!(answer.reading.capacities, CapacityReading::Any);
}

#[test]
fn capacities_that_differ_are_looked_at_too() {
    let text = "chan a = [3] of { byte }; chan b = [3] of { byte }; bit bad;
        active proctype P() { a!1; b!1; if :: full(a) && nfull(b) -> bad = 1 :: else fi }
        ltl good { [] (bad == 0) }";
    let answer = ask(text, CapacityReading::Any, Fairness::None);
    let Verdict::Violated(Counterexample::Instance { rooms, .. }) = &answer.verdict else {
        panic!("{answer:?}")
    };
    assert_eq!(rooms[..], [1, 2]);
    for capacity in [1, 2, 3, 8] {
        let answer = ask(text, CapacityReading::Fixed(capacity), Fairness::None);
        assert!(matches!(answer.verdict, Verdict::Proved(_)), "{answer:?}");
    }
}

#[test]
fn fairness_does_not_oblige_who_waits_for_room() {
    let text = "chan a = [4] of { byte }; bit done, x;
        active proctype P() { a!1; a!1; done = 1 }
        active proctype Q() { do :: x = 1 - x od }
        ltl ends { <> (done == 1) }";
    let unbounded = ask(text, CapacityReading::Unbounded, Fairness::Weak);
    assert!(matches!(unbounded.verdict, Verdict::Proved(_)), "{unbounded:?}");
    let any = ask(text, CapacityReading::Any, Fairness::Weak);
    assert!(matches!(any.verdict, Verdict::Violated(_)), "{any:?}");
}

#[test]
fn without_a_limit_nothing_is_proved_of_a_buffer_that_grows() {
    let text = "chan a = [4] of { byte }; active proctype P() { do :: a!1 od } ltl few { [] (len(a) < 9) }";
    let answer = ask(text, CapacityReading::Any, Fairness::None);
    assert!(matches!(answer.verdict, Verdict::Violated(_)), "{answer:?}");
}

fn progress(text: &str, fairness: Fairness, capacities: ProofCapacities) -> Answer {
    let system = read_text(text).expect("a model");
    let options = CheckOptions {
        questions: Questions { progress: true, ..Questions::none() },
        proof_capacities: capacities,
        fairness,
        ..CheckOptions::default()
    };
    let report = check(&system, &options, &Supervisor::none());
    report.answer(&Question::Progress).expect("an answer").clone()
}

#[test]
fn a_process_that_spins_starves_nobody_if_runs_are_fair() {
    let text = "chan a = [2] of { byte }; bit x;
        active proctype P() { do :: a!1; progress: a?_ od }
        active proctype Q() { do :: x = 1 - x od }";
    for capacities in [ProofCapacities::Any, ProofCapacities::Declared] {
        let all = progress(text, Fairness::None, capacities);
        assert!(matches!(all.verdict, Verdict::Violated(_)), "{all:?}");
        for fairness in [Fairness::Weak, Fairness::Strong] {
            let fair = progress(text, fairness, capacities);
            assert!(matches!(fair.verdict, Verdict::Proved(_)), "{fair:?}");
            assert_eq!(fair.reading.fairness, Some(fairness));
        }
    }
}

#[test]
fn weak_fairness_does_not_help_who_can_move_only_now_and_then() {
    let text = "bit x;
        active proctype P() { do :: x == 1 -> progress: skip od }
        active proctype Q() { do :: x = 1 - x od }";
    let weak = progress(text, Fairness::Weak, ProofCapacities::Declared);
    assert!(matches!(weak.verdict, Verdict::Violated(_)), "{weak:?}");
    let strong = progress(text, Fairness::Strong, ProofCapacities::Declared);
    assert!(matches!(strong.verdict, Verdict::Proved(_)), "{strong:?}");
}

#[test]
fn a_run_that_ends_is_no_fair_livelock() {
    let text = "active proctype P() { bit x; x = 1 }";
    let weak = progress(text, Fairness::Weak, ProofCapacities::Declared);
    assert!(matches!(weak.verdict, Verdict::Proved(_)), "{weak:?}");
}

/// A proof by potentials does not speak of such runs, and a formula has no value where one ends.
#[test]
fn a_model_with_a_run_that_ends_in_a_runtime_error_satisfies_no_formula_for_every_capacity() {
    let text = "chan c = [1] of { byte }; byte z; bool p;
        active proctype P() { byte y; c!1; y = 1 / z; c!y; p = 1 }
        active proctype Q() { byte x; do :: c?x od }
        ltl f { <> p }";
    for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
        let answer = ask(text, CapacityReading::Any, fairness);
        let Verdict::Unknown(unknown) = &answer.verdict else { panic!("{answer:?}") };
        let what = "a run that ends in an error: division by zero".to_string();
        assert_eq!(unknown.reason, StopReason::Unsupported { what });
    }
}

#[test]
fn where_a_runtime_error_is_not_excluded_a_proof_says_so() {
    // Without limits the log grows for ever, so that no search comes to an end.
    let text = "chan request = [2] of { byte }; chan reply = [2] of { byte }; chan log = [2] of { byte };
        active proctype Client() { do :: request!1; log!1; waiting: reply?_ od }
        active proctype Server() { do :: request?_; reply!1 od }
        active proctype Reader() { do :: log?_ od }
        ltl answered { [] (Client@waiting -> <> !Client@waiting) }";
    let answer = ask(text, CapacityReading::Any, Fairness::None);
    assert!(matches!(answer.verdict, Verdict::Proved(Evidence::Certificate(_))), "{answer:?}");
    assert_eq!(answer.meaning, "every run satisfies it, unless it ends in a runtime error");
}

/// Every capacity makes P wait for Q at last; without limits nothing does.
const FLOOD: &str = "chan c = [2] of { byte };
    active proctype P() { do :: c!1 od }
    active proctype Q() { do :: c?_; taken: skip od }
    ltl taken { [] <> (Q@taken) }";

#[test]
fn a_flood_without_limits_violates_what_every_capacity_satisfies() {
    for capacities in [CapacityReading::Any, CapacityReading::Unbounded] {
        let answer = ask(FLOOD, capacities, Fairness::None);
        assert!(matches!(answer.verdict, Verdict::Violated(Counterexample::Pump { .. })), "{answer:?}");
        assert_eq!(answer.reading.capacities, CapacityReading::Unbounded);
    }
    for capacity in [1, 2, 3] {
        let answer = ask(FLOOD, CapacityReading::Fixed(capacity), Fairness::None);
        assert!(matches!(answer.verdict, Verdict::Proved(_)), "{answer:?}");
    }
    let fairly = ask(FLOOD, CapacityReading::Any, Fairness::Weak);
    assert!(!matches!(fairly.verdict, Verdict::Violated(_)), "{fairly:?}");
}

#[test]
fn a_fair_run_that_fills_a_buffer_for_ever_violates_a_formula() {
    let text = "chan c = [4] of { byte }; chan d = [4] of { byte };
        active proctype P() { do :: c!1; c!1; d?_ od }
        active proctype Q() { do :: c?_; d!1 od }
        ltl empties { [] <> (len(c) == 0) }";
    let answer = ask(text, CapacityReading::Unbounded, Fairness::Strong);
    assert!(matches!(answer.verdict, Verdict::Violated(Counterexample::Pump { .. })), "{answer:?}");
}

#[test]
fn a_fair_run_that_fills_a_buffer_for_ever_may_make_no_progress() {
    let text = "chan c = [4] of { byte }; bit go;
        active proctype P() { do :: c!1; c!1 :: go == 1 -> progress: skip od }
        active proctype Q() { do :: c?_ od }
        active proctype R() { go == 1 }";
    for fairness in [Fairness::Weak, Fairness::Strong] {
        let answer = progress(text, fairness, ProofCapacities::Any);
        assert!(matches!(answer.verdict, Verdict::Violated(_)), "{answer:?}");
    }
}
