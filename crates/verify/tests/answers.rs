//! What the portfolio says about small models.

use certificate::verdict::{Evidence, Fairness, ProgressReading, StopReason, Verdict};
use system::automaton::System;
use verify::{CheckOptions, Coverage, FormulaChoice, Question, Questions, SearchKnobs, Supervisor, check};

fn read(text: &str) -> System {
    system::read_text(text).expect("a model")
}

#[test]
fn a_rendezvous_is_no_buffer() {
    let text =
        "chan c = [0] of { byte };\nactive proctype P() { c!1 }\nactive proctype Q() { byte x; c?x }\n";
    let system = read(text);
    let questions = Questions { buffers: true, ..Questions::none() };
    let report = check(&system, &CheckOptions { questions, ..CheckOptions::default() }, &Supervisor::none());
    let answer = report.answer(&Question::Buffers).expect("an answer");
    let expected = Evidence::Nothing("the model has no buffers".to_string());
    assert!(matches!(&answer.verdict, Verdict::Proved(evidence) if *evidence == expected), "{answer:?}");
}

/// What a `d_step` puts into a buffer and takes out again is in no state, but it is a peak all the same. No proof counts here, because
/// nobody knows how often the loop sends: the exact number is the search's.
#[test]
fn a_search_sees_how_full_a_buffer_is_inside_of_a_d_step() {
    let text = "chan c = [9] of { byte }; byte n; byte x;
         active proctype P() { n = 1; do :: n < 4 -> n++ :: break od;
           d_step { do :: x < n -> c!1; x++ :: else -> break od; do :: nempty(c) -> c?_ :: else -> break od } }";
    let questions = Questions { buffers: true, ..Questions::none() };
    let report =
        check(&read(text), &CheckOptions { questions, ..CheckOptions::default() }, &Supervisor::none());
    let answer = report.answer(&Question::Buffer("c".to_string())).expect("an answer");
    assert_eq!(answer.bound.map(|bound| (bound.at_most, bound.tight)), Some((4, true)), "{answer:?}");
}

/// SPIN finds a cycle without progress here.
#[test]
fn a_progress_label_inside_of_atomic_is_executed_but_nobody_stands_at_it() {
    let system = read("active proctype P() { do :: atomic { skip; progress: skip } od }");
    let verdict = |progress| {
        let questions = Questions { progress: true, ..Questions::none() };
        let options = CheckOptions { questions, progress, ..CheckOptions::default() };
        let report = check(&system, &options, &Supervisor::none());
        report.answer(&Question::Progress).map(|answer| answer.verdict.word())
    };
    assert_eq!(verdict(ProgressReading::Transition), Some("PROVED"));
    assert_eq!(verdict(ProgressReading::State), Some("VIOLATED"));
}

#[test]
fn why_a_claim_that_assigns_is_not_searched_is_said_in_words() {
    let claim = "never { do :: i < 3 -> i++ :: i == 3 -> break od; accept: do :: true od }";
    let system = read(&format!("byte i; active proctype P() {{ do :: skip od }}\n{claim}"));
    let questions = Questions { claims: true, ..Questions::none() };
    let report = check(&system, &CheckOptions { questions, ..CheckOptions::default() }, &Supervisor::none());
    let answer = report.answer(&Question::Claim("never_0".to_string())).expect("an answer");
    let Verdict::Unknown(unknown) = &answer.verdict else { panic!("{answer:?}") };
    let what = "the claim assigns to variables, or something it asks for has no value".to_string();
    assert_eq!(unknown.reason, StopReason::Unsupported { what });
}

/// All verdicts about a model, by question.
fn verdicts(text: &str, options: CheckOptions) -> Vec<(String, &'static str)> {
    let report = check(&read(text), &options, &Supervisor::none());
    let word = |answer: &verify::Answer| (answer.question.to_string(), answer.verdict.word());
    report.answers.iter().map(word).collect()
}

fn verdict_on(question: &str, verdicts: &[(String, &'static str)]) -> &'static str {
    verdicts.iter().find(|(asked, _)| asked == question).map_or("nothing", |(_, verdict)| verdict)
}

/// One process divides by zero in a guard, or asks a channel that was never initialised; the other fills a buffer for ever.
#[test]
fn a_guard_that_fails_does_not_stop_the_other_processes() {
    let flooder = "chan c = [5] of { byte }; active proctype Q() { do :: c!1 od }
                   active proctype M() { progress: skip }";
    let failing = [
        "byte z; active proctype P() { 1 / z == 0 }",
        "active proctype P() { chan v; v?_ }",
        "byte z; chan r = [0] of { byte }; active proctype P() { r?eval(1 / z) }
         active proctype S() { r!1 } active proctype R() { r?_ }",
        "byte z; active proctype P() { atomic { skip; 1 / z == 0 } }",
        "byte z; active proctype P() provided (1 / z == 0) { skip }",
    ];
    for failing in failing {
        for text in [format!("{failing} {flooder}"), format!("{flooder} {failing}")] {
            let questions = Questions { deadlock: false, ..Questions::all() };
            let found = verdicts(&text, CheckOptions { questions, ..CheckOptions::default() });
            for question in ["buffers", "buffer c", "progress", "errors"] {
                assert_eq!(verdict_on(question, &found), "VIOLATED", "{question} of\n{text}\n{found:?}");
            }
        }
    }
}

#[test]
fn a_formula_is_refuted_beside_a_guard_that_fails() {
    let text = "byte z; bool b; active proctype P() { 1 / z == 0 }
                active proctype Q() { do :: b = !b od } ltl f { [] !b } ltl g { <> [] b }";
    for fairness in [Fairness::None, Fairness::Weak] {
        let found = verdicts(text, CheckOptions { fairness, ..CheckOptions::default() });
        assert_eq!(verdict_on("ltl f", &found), "VIOLATED", "{found:?}");
        assert_eq!(verdict_on("ltl g", &found), "VIOLATED", "{found:?}");
    }
}

/// Every way round starts a process that ends; nobody waits for its death, only for its last message.
const ENDED_CHILDREN: &str = "
    proctype child(chan done) { if :: true -> goto stop :: true fi; stop: done!0 }
    proctype caller(chan done) {
        chan d = [1] of { int };
        do
        :: true -> if :: true -> goto stop :: true fi;
            do :: true -> run child(d); d?0; if :: true -> goto stop :: true fi :: true -> break od
        :: true -> break
        od;
    stop: done!0
    }
    init { chan c = [1] of { int }; do :: run caller(c); c?0 :: true -> break od }";

#[test]
fn ended_processes_do_not_pile_up_where_nothing_depends_on_them() {
    let started = std::time::Instant::now();
    let found = verdicts(ENDED_CHILDREN, CheckOptions::default());
    assert_eq!(verdict_on("deadlock", &found), "PROVED", "{found:?}");
    assert_eq!(verdict_on("errors", &found), "PROVED", "{found:?}");
    assert!(started.elapsed().as_secs() < 50, "an answer comes long before the time is over");
}

#[test]
fn a_limit_of_spins_is_told_from_the_models_errors() {
    let search = SearchKnobs { coverage: Coverage::Full, ..SearchKnobs::default() };
    let options = CheckOptions { search, ..CheckOptions::default() };
    let text = "proctype child(chan done) { done!0 }
                init { chan c = [1] of { int }; do :: run child(c); c?0 :: true -> break od }";
    let report = check(&read(text), &options, &Supervisor::none());
    let errors = report.answer(&Question::RuntimeErrors).expect("an answer");
    assert!(errors.meaning.contains("a limit of SPIN's, not of the model"), "{errors:?}");
    let deadlock = report.answer(&Question::Deadlock).expect("an answer");
    assert!(
        matches!(deadlock.verdict, Verdict::Unknown(_)),
        "what comes after the limit was not seen: {deadlock:?}"
    );
}

/// In each of these somebody notices when a process dies, so that must not be done first.
#[test]
fn processes_do_not_die_first_where_somebody_notices() {
    let noticed = [
        // The number of processes is looked at.
        "proctype P() { skip } init { run P(); assert(_nr_pr == 1) }",
        // The number of a process that is started after one has ended.
        "byte n; proctype P() { skip } init { run P(); n = run P(); assert(n == 1) }",
        // A channel is handed to an older process and dies with its owner.
        "chan up = [1] of { chan }; proctype P() { chan c = [1] of { byte }; up!c }
         init { chan c; run P(); up?c; c!1; c?1 }",
        "chan g; proctype P() { chan c = [1] of { byte }; g = c } bool b;
         init { run P(); do :: g != 0 -> break od; g!1; b = true; assert(!b) }",
    ];
    for text in noticed {
        for coverage in [Coverage::Full, Coverage::Reduced] {
            let search = SearchKnobs { coverage, ..SearchKnobs::default() };
            let found = verdicts(text, CheckOptions { search, ..CheckOptions::default() });
            let wrong = [verdict_on("assertions", &found), verdict_on("errors", &found)];
            assert!(wrong.contains(&"VIOLATED"), "{text}\n{coverage:?}: {found:?}");
        }
    }
}

/// Each free choice inside an `atomic` doubles the number of ways through it, but not the number of states.
#[test]
fn free_choices_inside_of_atomic_do_not_multiply() {
    let choices = "if :: x = 1 :: x = 2 fi; ".repeat(40);
    let text = format!(
        "byte x; bool b; active proctype P() {{ do :: atomic {{ {choices} b = !b }} od }} ltl f {{ [] (x < 3) }}"
    );
    for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
        let found = verdicts(&text, CheckOptions { fairness, ..CheckOptions::default() });
        assert_eq!(verdict_on("ltl f", &found), "PROVED", "{found:?}");
        assert_eq!(verdict_on("deadlock", &found), "PROVED", "{found:?}");
    }
}

const EVERY_FAIRNESS: [Fairness; 3] = [Fairness::None, Fairness::Weak, Fairness::Strong];

#[test]
fn an_assertion_inside_a_claim_is_checked_whatever_the_fairness() {
    let process = "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }";
    let claims = [
        ("never { do :: assert(x < 3) od }", "VIOLATED"),
        ("never { do :: assert(x < 4) od }", "PROVED"),
        ("never { do :: x == 2 -> assert(x >= 2) :: else od }", "PROVED"),
        ("never { do :: atomic { x == 2 -> assert(x == 3) } :: else od }", "VIOLATED"),
        ("never { do :: assert(x < 3) :: else -> break od }", "VIOLATED"),
    ];
    for (claim, truth) in claims {
        for fairness in EVERY_FAIRNESS {
            let options = CheckOptions { fairness, ..CheckOptions::default() };
            let found = verdicts(&format!("{process} {claim}"), options);
            assert_eq!(verdict_on("claim never_0", &found), truth, "{claim} {fairness:?}: {found:?}");
        }
    }
}

#[test]
fn a_claim_that_comes_to_its_end_is_violated_whatever_the_fairness() {
    let text = "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
                never { do :: x == 3 -> break :: else od }";
    for fairness in EVERY_FAIRNESS {
        let found = verdicts(text, CheckOptions { fairness, ..CheckOptions::default() });
        assert_eq!(verdict_on("claim never_0", &found), "VIOLATED", "{fairness:?}: {found:?}");
    }
}

/// Only the second formula reads `served`, which has four thousand million values.
#[test]
fn a_formula_that_was_not_asked_for_costs_nothing() {
    let text = "int served; bool s; active proctype P() { do :: s = !s; served++ od }
                ltl f { <>[] s } ltl g { [] (served >= 0) }";
    let system = read(text);
    for formulas in [FormulaChoice::Named(vec!["f".to_string()]), FormulaChoice::All] {
        for fairness in EVERY_FAIRNESS {
            let questions = Questions { formulas: formulas.clone(), ..Questions::none() };
            let time = Some(std::time::Duration::from_secs(5));
            let options = CheckOptions { questions, fairness, time, ..CheckOptions::default() };
            let report = check(&system, &options, &Supervisor::none());
            let answer = report.answer(&Question::Formula("f".to_string())).expect("an answer");
            let run = answer.counterexample().unwrap_or_else(|| panic!("{fairness:?}: {answer:?}"));
            assert!(certificate::trace::replay(&run.system(&system), run.trace()).is_ok());
            assert!(answer.figures.is_some_and(|figures| figures.states < 100), "{answer:?}");
        }
    }
}

/// A thousand states without fairness, reduced; many times as many with it.
#[test]
fn what_holds_for_all_runs_is_not_proved_again_for_fair_ones() {
    let process = "{ byte i; do :: i < 5 -> i++ :: i == 5 -> i = 0 od }";
    let text = format!("byte x; active [5] proctype P() {process} ltl f {{ [] (x == 0) }}");
    let states = |fairness| {
        let counters = search::fair::Counters::Off;
        let questions = Questions { formulas: FormulaChoice::All, ..Questions::none() };
        let options = CheckOptions { questions, fairness, counters, ..CheckOptions::default() };
        let report = check(&read(&text), &options, &Supervisor::none());
        let answer = report.answer(&Question::Formula("f".to_string())).expect("an answer");
        assert_eq!(answer.verdict.word(), "PROVED", "{answer:?}");
        answer.figures.map(|figures| figures.states)
    };
    assert_eq!(states(Fairness::Weak), states(Fairness::None));
    assert_eq!(states(Fairness::Strong), states(Fairness::None));
}

#[test]
fn answers_come_in_the_order_of_their_questions_and_not_as_they_are_found() {
    let slow = "((x > 3) -> <> (x < 3)) && [] <> (x == 1)";
    let text = format!(
        "byte x; active proctype P() {{ do :: x++ :: x = 0 od }}
         ltl a_slow {{ [] {slow} }} ltl b_quick {{ true }} ltl c_slow {{ [] ({slow}) }} ltl d_quick {{ [] (x < 256) }}"
    );
    let questions = Questions { formulas: FormulaChoice::All, ..Questions::none() };
    let options = CheckOptions { questions, ..CheckOptions::default() };
    for _ in 0..10 {
        let report = check(&read(&text), &options, &Supervisor::none());
        let names: Vec<String> = report.answers.iter().map(|answer| answer.question.to_string()).collect();
        assert_eq!(names, ["ltl a_slow", "ltl b_quick", "ltl c_slow", "ltl d_quick"]);
    }
}

/// What a step has violated stays violated when more goes wrong in it.
#[test]
fn everything_that_one_d_step_violates_is_reported() {
    let verdicts = |text: &str| {
        let report = check(&read(text), &CheckOptions::default(), &Supervisor::none());
        let asked = [Question::Assertions, Question::EventTrace, Question::RuntimeErrors];
        asked.map(|question| report.answer(&question).map(|answer| answer.verdict.word()))
    };
    let trace_and_assertion = "chan c = [1] of { byte }; byte x;
        active proctype P() { c!1; d_step { c?x; assert(x == 2) } }
        trace { c!1; c?2 }";
    assert_eq!(verdicts(trace_and_assertion), [Some("VIOLATED"), Some("VIOLATED"), Some("PROVED")]);
    let assertion_and_error = "byte x, a[2];
        active proctype P() { d_step { x = 5; assert(x == 2); a[x] = 1 } }";
    assert_eq!(verdicts(assertion_and_error), [Some("VIOLATED"), None, Some("VIOLATED")]);
}

/// A run ends at a runtime error: what would come after it is nobody's to say.
#[test]
fn beside_a_runtime_error_a_proof_says_how_far_it_goes() {
    let text = "byte i, a[2]; active proctype P() { i = 5; a[i] = 1; assert(false) }";
    let report = check(&read(text), &CheckOptions::default(), &Supervisor::none());
    let notes = |question| report.answer(&question).map(|answer| answer.notes.clone());
    let note = "up to the first runtime error of a run, not beyond it".to_string();
    assert_eq!(notes(Question::Assertions), Some(vec![note]));
}

#[test]
fn deadlocks_in_which_the_same_statements_wait_are_one_kind() {
    let text = "chan a = [0] of { byte }; active [3] proctype P() { a!1 } active proctype Q() { a?1 }";
    let report = check(&read(text), &CheckOptions::default(), &Supervisor::none());
    let answer = report.answer(&Question::Deadlock).expect("an answer");
    // Two of three wait, whichever they are; and one of the three that sent has ended or is about to.
    assert_eq!(answer.verdict.word(), "VIOLATED");
    assert!(answer.notes.iter().any(|note| note.ends_with("times in all, in 1 place")), "{answer:?}");
    assert_eq!(answer.details.len(), 1, "{answer:?}");
}

/// What is said of a model that goes wrong, of the question that is asked.
fn said(text: &str, question: &Question) -> String {
    let questions = Questions { assertions: true, ..Questions::none() };
    let report =
        check(&read(text), &CheckOptions { questions, ..CheckOptions::default() }, &Supervisor::none());
    report.answer(question).expect("an answer").meaning.clone()
}

#[test]
fn an_assertion_inside_of_a_d_step_is_named() {
    let text = "byte x, y;\nactive proctype P() {\n  d_step {\n    x = 1;\n    assert(x == 1);\n    y = 2;\n    assert(y\n == 3)\n  }\n}";
    let expected = "assertion violated after 1 step: `assert(y == 3)` of P (line 7)";
    assert_eq!(said(text, &Question::Assertions), expected);
}

#[test]
fn a_runtime_error_inside_of_a_d_step_has_its_statement() {
    let text = "byte x, a[2];\nactive proctype P() {\n  d_step {\n    x = 2;\n    a[x] = 1\n  }\n}";
    let expected = "index 2 is outside an array of 2 elements after 1 step: `a[x] = 1` of P (line 5)";
    assert_eq!(said(text, &Question::RuntimeErrors), expected);
}

#[test]
fn a_runtime_error_in_a_guard_has_its_statement() {
    let text = "byte a[2], m;\nactive proctype Q() {\n  m = 2;\n  do\n  :: m == 1 -> break\n  :: a[m] == 0 && m > 1 -> skip\n  od\n}";
    let expected =
        "index 2 is outside an array of 2 elements after 1 step: `a[m] == 0 && m > 1` of Q (line 6)";
    assert_eq!(said(text, &Question::RuntimeErrors), expected);
}

#[test]
fn walks_go_all_the_way_round_a_ring_that_no_search_of_all_states_goes_round() {
    let text = "chan link[30] = [1] of { bit };
         proctype Station(byte me) {
           bool wants;
           do
           :: !wants -> wants = true
           :: link[me]?_ -> wants = false; link[(me + 1) % 30]!0
           od }
         init { byte i; atomic { do :: i < 30 -> run Station(i); i++ :: else -> break od; link[0]!0 } }";
    let questions = Questions { buffers: true, ..Questions::none() };
    let report =
        check(&read(text), &CheckOptions { questions, ..CheckOptions::default() }, &Supervisor::none());
    for link in 0..30 {
        let answer = report.answer(&Question::Buffer(format!("link[{link}]"))).expect("an answer");
        assert_eq!(answer.bound.map(|bound| (bound.at_most, bound.tight)), Some((1, true)), "{answer:?}");
    }
}

#[test]
fn nobody_waits_for_bounds_when_those_who_look_for_them_have_stopped() {
    let text = "chan c = [3] of { int }; int x, y;
         active proctype A() { do :: x*x*x - 3*x*y == 17 -> c!x :: x = x + y*y; y++ :: y = y - x od }
         active proctype B() { int v; do :: c?v; x = v od }";
    let questions = Questions { buffers: true, ..Questions::none() };
    let search = SearchKnobs { states: Some(2_000), ..SearchKnobs::default() };
    let time = Some(std::time::Duration::from_secs(100));
    let options = CheckOptions { questions, search, time, ..CheckOptions::default() };
    let report = check(&read(text), &options, &Supervisor::none());
    let answer = report.answer(&Question::Buffers).expect("an answer");
    assert_eq!(answer.verdict.word(), "UNKNOWN");
    assert!(report.seconds < 50.0, "an answer comes long before the time is over");
}
