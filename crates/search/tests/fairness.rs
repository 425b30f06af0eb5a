//! Formulas under fairness: the verdicts that the models state, SPIN's mistake that is not ours, reasons given with verdicts.

use certificate::trace::replay;
use certificate::verdict::{StopReason, Verdict};
use omega::Fairness;
use promela::model::{LtlFormula, ProctypeId};
use search::fair::{
    Counters, FairOptions, FairReport, Numbers, Patience, ProcessNumber, Representation, check_accept_labels,
    check_claim, check_formula,
};
use search::{Control, Limits, Reduction};
use system::automaton::System;

fn read(text: &str, defines: &[(&str, &str)]) -> System {
    let defines = defines.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let options = promela::Options { defines, undefines: Vec::new() };
    let (model, diagnostics) = promela::read("test.pml", text, &options, &promela::NoIncludes);
    let errors: Vec<_> =
        diagnostics.iter().filter(|d| d.severity == promela::diagnostic::Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let (system, diagnostics) = system::lower::lower(model);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    system
}

fn model(name: &str) -> String {
    let path = format!("{}/../../models/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a model of the project")
}

fn formula<'s>(system: &'s System, name: &str) -> &'s LtlFormula {
    system.model.formulas.iter().find(|formula| formula.name == name).expect("a formula of the model")
}

fn options(fairness: Fairness, counters: Counters) -> FairOptions {
    FairOptions { fairness, counters, diagnose: false, ..FairOptions::default() }
}

fn check(system: &System, name: &str, options: &FairOptions) -> FairReport {
    let report = check_formula(system, formula(system, name), options, &Control::none());
    if let Verdict::Violated(found) = &report.verdict {
        replay(system, &found.trace).expect("a counterexample is an execution");
    }
    report
}

/// The lines `expect: ltl NAME fairness=F VERDICT` of a model.
fn expectations(text: &str) -> Vec<(String, Fairness, String)> {
    let lines = text
        .lines()
        .filter_map(|line| line.trim().trim_end_matches("*/").trim().strip_prefix("expect: ltl "));
    lines
        .map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let fairness = match words[1] {
                "fairness=none" => Fairness::None,
                "fairness=weak" => Fairness::Weak,
                "fairness=strong" => Fairness::Strong,
                other => panic!("{other}"),
            };
            (words[0].to_string(), fairness, words[2].to_string())
        })
        .collect()
}

const MODELS: [&str; 8] = [
    "fair-leader-election.pml",
    "fair-leader-detector.pml",
    "fair-leader-pairs.pml",
    "fair-k-valued-register.pml",
    "fair-stack.pml",
    "fair-stack-list.pml",
    "fair-meta-lock.pml",
    "fair-readers-writers.pml",
];

#[test]
fn the_verdicts_that_the_models_state_hold_state_by_state() {
    for name in MODELS {
        let text = model(name);
        let system = read(&text, &[]);
        let expected = expectations(&text);
        assert!(expected.len() >= 3, "{name}");
        for (property, fairness, verdict) in expected {
            let report = check(&system, &property, &options(fairness, Counters::Off));
            assert_eq!(report.verdict.word(), verdict, "{name} {property} {fairness:?}");
        }
    }
}

#[test]
fn a_run_that_ends_is_not_lost_under_any_fairness() {
    let system = read("byte n = 1; active proctype P() { n = 2 } ltl b { <>[] (n == 1) }", &[]);
    for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
        let report = check(&system, "b", &options(fairness, Counters::Off));
        let Verdict::Violated(found) = report.verdict else { panic!("{fairness:?}: {:?}", report.verdict) };
        assert_eq!(found.trace.loop_start, Some(found.trace.steps.len()), "{fairness:?}");
    }
}

#[test]
fn a_formula_is_not_looked_at_inside_an_atomic_sequence() {
    let text =
        "byte n; active proctype P() { do :: atomic { n = 1; n = 0 } od } ltl never_one { [] (n == 0) }";
    let report = check(&read(text, &[]), "never_one", &options(Fairness::None, Counters::Off));
    assert_eq!(report.verdict.word(), "PROVED");
    let text = "byte n; active proctype P() { do :: n = 1; n = 0 od } ltl never_one { [] (n == 0) }";
    let report = check(&read(text, &[]), "never_one", &options(Fairness::None, Counters::Off));
    assert_eq!(report.verdict.word(), "VIOLATED");
}

#[test]
fn an_atomic_sequence_that_blocks_is_looked_at_where_it_blocks() {
    let text = "byte n; bool go; active proctype P() { atomic { n = 1; go; n = 0 } }
        active proctype Q() { go = true } ltl never_one { [] (n == 0) }";
    let report = check(&read(text, &[]), "never_one", &options(Fairness::Strong, Counters::Off));
    assert_eq!(report.verdict.word(), "VIOLATED");
}

#[test]
fn a_formula_is_not_counted_as_a_process() {
    let text = "byte x; active proctype P() { _nr_pr == 2; x = 1 } ltl f { <> (x == 1) }";
    let report = check(&read(text, &[]), "f", &options(Fairness::None, Counters::Off));
    assert_eq!(report.verdict.word(), "VIOLATED");
}

#[test]
fn weak_and_strong_fairness_differ_on_a_process_that_is_enabled_now_and_then() {
    let text = "bool open, done; active proctype Door() { do :: open = !open od }
        active proctype Guest() { open -> done = true } ltl enters { <> done }";
    let system = read(text, &[]);
    let verdict = |fairness| check(&system, "enters", &options(fairness, Counters::Off)).verdict;
    assert_eq!(verdict(Fairness::None).word(), "VIOLATED");
    assert_eq!(verdict(Fairness::Strong).word(), "PROVED");
    let Verdict::Violated(found) = verdict(Fairness::Weak) else { panic!() };
    let starving: Vec<_> = found.starving.iter().map(|who| (who.process.0, who.forbidden_by)).collect();
    assert_eq!(starving, [(1, Fairness::Strong)]);
}

#[test]
fn the_report_says_which_fairness_would_help_and_who_starves() {
    let text = "byte n; active proctype A() { do :: n = 0 od } active proctype B() { n = 1; n = 2 }
        ltl ends { <> (n == 2) } ltl settles { <>[] (n == 2) }";
    let system = read(text, &[]);
    let options = FairOptions { counters: Counters::Off, ..FairOptions::default() };
    let report = check(&system, "ends", &options);
    let Verdict::Violated(found) = &report.verdict else { panic!() };
    assert_eq!(found.starving.iter().map(|who| who.process.0).collect::<Vec<_>>(), [1]);
    let holds: Vec<_> = report.remedies.iter().map(|remedy| (remedy.fairness, remedy.holds)).collect();
    assert_eq!(holds, [(Fairness::Weak, Some(true)), (Fairness::Strong, Some(true))]);
    let report = check(&system, "settles", &options);
    let holds: Vec<_> = report.remedies.iter().map(|remedy| remedy.holds).collect();
    assert_eq!(holds, [Some(false), Some(false)]);
}

#[test]
fn a_premise_that_never_happens_is_named() {
    let text = "byte n; active proctype A() { do :: n = 1 - n od }
        ltl idle { [] (n == 7 -> <> (n == 3)) } ltl busy { [] (n == 1 -> <> (n == 1 || n == 0)) }";
    let system = read(text, &[]);
    let options = FairOptions { counters: Counters::Off, ..FairOptions::default() };
    let report = check(&system, "idle", &options);
    assert_eq!(report.verdict.word(), "PROVED");
    assert_eq!(report.vacuous.len(), 1);
    assert!(report.vacuous[0].premise.contains('7'), "{}", report.vacuous[0].premise);
    let report = check(&system, "busy", &options);
    assert_eq!((report.verdict.word(), report.vacuous.len()), ("PROVED", 0));
}

#[test]
fn a_limit_or_a_runtime_error_proves_nothing() {
    let text = "byte n; active proctype A() { do :: n++ od } ltl always { [] (n < 255 || n == 255) }";
    let system = read(text, &[]);
    let mut few = options(Fairness::None, Counters::Off);
    few.limits.states = Some(10);
    let Verdict::Unknown(unknown) = check(&system, "always", &few).verdict else { panic!() };
    assert_eq!(unknown.reason, StopReason::StateLimit { states: 10 });
    let text = "byte n, a[2]; active proctype A() { do :: a[n] = 1; n++ od } ltl always { [] (n < 9) }";
    let report = check(&read(text, &[]), "always", &options(Fairness::None, Counters::Off));
    let Verdict::Unknown(unknown) = report.verdict else { panic!("{:?}", report.verdict) };
    assert!(matches!(unknown.reason, StopReason::Unsupported { .. }));
}

/// Nobody but P can ever move, so time is out, and then P can (SPIN says so, too): the value of `enabled` in the state alone is another.
#[test]
fn whether_somebody_who_waits_for_timeout_is_enabled_is_not_answered() {
    let text = "active proctype P() { timeout -> (false) } active proctype Q() { (false) } ltl f { [] ! enabled(0) }";
    let report = check(&read(text, &[]), "f", &options(Fairness::None, Counters::Off));
    let Verdict::Unknown(unknown) = report.verdict else { panic!("{:?}", report.verdict) };
    let what = "`enabled` in a formula over a model with `timeout`".to_string();
    assert_eq!(unknown.reason, StopReason::Unsupported { what });
}

/// Whoever can begin an `atomic` that never ends can move, but arrives nowhere: then it is not known which runs are fair.
#[test]
fn an_atomic_sequence_without_end_leaves_open_what_is_fair() {
    let text = "byte g; active proctype P() { do :: skip od }
                active proctype Q() { atomic { skip; here: skip; goto here } }
                ltl f { <> (g > 0) } ltl at_once { g > 0 }";
    let system = read(text, &[]);
    for fairness in [Fairness::Weak, Fairness::Strong] {
        // What the state at the start violates, every run violates, whichever are fair. So says SPIN with `-f`, where P and Q flip bits: it refuses loops of `skip`.
        let at_once = check(&system, "at_once", &options(fairness, Counters::Off));
        let Verdict::Violated(found) = &at_once.verdict else { panic!("{at_once:?}") };
        assert_eq!((found.trace.steps.len(), found.trace.loop_start), (0, None));
        let Verdict::Unknown(unknown) = check(&system, "f", &options(fairness, Counters::Off)).verdict else {
            panic!("nothing is known about fair runs")
        };
        let what = "an atomic sequence that can run for ever".to_string();
        assert_eq!(unknown.reason, StopReason::Unsupported { what });
    }
}

#[test]
fn next_counts_stored_steps() {
    let text = "byte n; active proctype P() { n = 1; atomic { n = 2; n = 3 } }
        ltl steps { n == 0 && X (n == 1 && X (n == 3)) }";
    assert_eq!(
        check(&read(text, &[]), "steps", &options(Fairness::None, Counters::Off)).verdict.word(),
        "PROVED"
    );
}

/// All states of a space, as a search with a formula that every state satisfies sees them.
fn explored_states(system: &System) -> (u64, u128) {
    use search::counters::{CounterSpace, symmetry};
    use search::fair::Property;
    use search::fair::explicit::ExplicitSpace;
    use search::fair::space::{Space, StateNumber};
    let property = Property::new(&promela::model::Ltl::Proposition(promela::model::Expr {
        kind: promela::model::ExprKind::Constant { value: 1, mtype: None },
        span: system.model.proctypes[0].span,
    }));
    fn visit<S: Space>(space: &mut S) -> u32 {
        space.initial().expect("an initial state");
        let mut next = 0;
        while (next as usize) < space.states() {
            space.expand(StateNumber(next));
            next += 1;
        }
        next
    }
    let interpreter =
        system::interpreter::Interpreter::new(system, system::interpreter::Capacities::Declared);
    let plain = visit(&mut ExplicitSpace::new(interpreter, &property));
    let symmetry = symmetry(system, &property, search::counters::Stuttering::Unseen);
    assert!(!symmetry.proctypes().is_empty(), "{:?}", symmetry.told_apart);
    let mut counted = CounterSpace::new(interpreter, &property, &symmetry);
    let count = visit(&mut counted);
    (plain.into(), (0..count).map(|number| counted.concrete_states(StateNumber(number))).sum())
}

const RENDEZVOUS: &str = "chan meet = [0] of { byte }; byte met;
    active [4] proctype Peer() { byte x; do :: meet!1 :: meet?x; met = (met + x) % 3 od }
    ltl again { []<> (met == 0) } ltl stays { <>[] (met == 0) }";

const BUFFERS: &str = "chan q = [2] of { byte }; byte got;
    active [3] proctype Producer() { byte i; do :: q!i; i = (i + 1) % 2 :: q!2 od }
    active [2] proctype Consumer() { byte x; do :: q?x; got = x od }
    ltl gets_two { <> (got == 2) } ltl alternates { []<> (got == 0) -> []<> (got == 1) }";

const UNDER_INIT: &str = "byte busy, rounds; bool open;
    proctype Worker() { do :: atomic { busy == 0 -> busy = 1 }; busy = 0 od }
    init { atomic { run Worker(); run Worker(); run Worker() }; open = true; do :: rounds < 3 -> rounds++ :: else -> break od }
    ltl works { []<> (busy == 1) } ltl opens { <> open } ltl three { <> (rounds == 3) }";

#[test]
fn counting_loses_nothing() {
    let mut systems: Vec<(String, System)> =
        MODELS.iter().map(|name| (name.to_string(), read(&model(name), &[]))).collect();
    for (name, text) in [("rendezvous", RENDEZVOUS), ("buffers", BUFFERS), ("init", UNDER_INIT)] {
        systems.push((name.to_string(), read(text, &[])));
    }
    for (name, system) in &systems {
        let (plain, expanded) = explored_states(system);
        assert_eq!(u128::from(plain), expanded, "{name}");
        for formula in &system.model.formulas {
            for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
                let plain = check(system, &formula.name, &options(fairness, Counters::Off));
                let counted = check(system, &formula.name, &options(fairness, Counters::On));
                assert_eq!(
                    plain.verdict.word(),
                    counted.verdict.word(),
                    "{name} {} {fairness:?}: {:?}",
                    formula.name,
                    counted.verdict
                );
                assert_ne!(plain.verdict.word(), "UNKNOWN", "{name} {} {fairness:?}", formula.name);
            }
        }
    }
}

const WORKERS_END: &str = "byte busy, done;
    active [3] proctype Worker() { atomic { busy == 0 -> busy = 1 }; busy = 0; done++ }
    active proctype Waiter() { done == 3; do :: busy = 2; busy = 0 od }
    ltl all_done { <> (done == 3) } ltl goes_on { []<> (busy == 2) } ltl never_two { [] (done < 2) }";

const REQUESTS_END: &str = "byte open, served, started; chan q = [2] of { byte };
    proctype Request() { atomic { open++; q!1 }; atomic { served > 0 -> served--; open-- } }
    active proctype Source() { do :: atomic { started < 3 -> started++; run Request() } :: started == 3 -> break od }
    active proctype Server() { do :: q?_; served++ od }
    ltl answered { [] ((open > 0) -> <> (open == 0)) } ltl again { []<> (open > 0) } ltl few { [] (open <= 2) }";

/// There is no end of workers.
const POOL: &str = "byte working; bool busy;
    proctype Worker() { atomic { !busy -> busy = true }; busy = false; working-- }
    active proctype Pool() { do :: atomic { working < 2 -> working++; run Worker() } od }
    ltl few { [] (working <= 2) } ltl finished { [] (busy -> <> !busy) } ltl again { []<> busy } ltl ends { <>[] !busy }";

const ENDS_BESIDE_A_CHANNEL: &str = "chan ask = [1] of { chan }; byte n;
    active proctype Owner() { chan mine = [1] of { byte }; ask!mine; mine?n }
    active [2] proctype P() { chan c; n++; if :: ask?c -> c!9 :: n > 1 -> n = 5 fi }
    ltl nine { <> (n == 9) } ltl five { <> (n == 5) } ltl small { [] (n < 9) }";

/// In all of these somebody ends while others, older and younger, go on.
#[test]
fn processes_that_end_are_counted() {
    let pool = model("fair-worker-pool.pml");
    for (name, text) in [("workers", WORKERS_END), ("requests", REQUESTS_END), ("pool", &pool)] {
        let system = read(text, &[]);
        for formula in &system.model.formulas {
            for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
                let plain = check(&system, &formula.name, &options(fairness, Counters::Off));
                let counted = check(&system, &formula.name, &options(fairness, Counters::On));
                let words = (plain.verdict.word(), counted.verdict.word());
                assert_eq!(words.0, words.1, "{name} {} {fairness:?}: {counted:?}", formula.name);
                assert!(matches!(counted.representation, Representation::Counted { .. }), "{name}");
            }
        }
    }
}

/// Counting costs much for each state, and an `init` that starts one of each kind, as most models have it, leaves nothing to count.
#[test]
fn one_process_of_each_kind_is_searched_by_its_name() {
    let text = "byte n, m;
        proctype A() { do :: n < 150 -> n++ :: n = 0 od }
        proctype B() { do :: m < 150 -> m++ :: m = 0 od }
        init { atomic { run A(); run B() } }
        ltl small { [] (n < 151 && m < 151) }";
    let system = read(text, &[]);
    let report = check(&system, "small", &options(Fairness::None, Counters::Auto));
    assert_eq!(report.verdict.word(), "PROVED", "{report:?}");
    assert!(matches!(report.representation, Representation::WithFormula { .. }), "{report:?}");
    assert!(report.states > 20_000, "{report:?}");
}

#[test]
fn processes_that_are_started_without_end_are_counted() {
    let system = read(POOL, &[]);
    for (name, fairness, word) in [
        ("few", Fairness::None, "PROVED"),
        ("finished", Fairness::None, "PROVED"),
        ("again", Fairness::Weak, "PROVED"),
        ("ends", Fairness::None, "VIOLATED"),
        ("ends", Fairness::Strong, "VIOLATED"),
    ] {
        let report = check(&system, name, &options(fairness, Counters::On));
        assert_eq!(report.verdict.word(), word, "{name} {fairness:?}: {report:?}");
        assert!(report.leaves_out_crowds);
    }
}

#[test]
fn any_number_of_processes_may_end() {
    let text = "byte busy, done; active [2] proctype Worker() { atomic { busy == 0 -> busy = 1 }; done = 1; busy = 0 }
        ltl one_at_a_time { [] (busy <= 1) } ltl somebody { <> (done == 1) } ltl nobody { [] (done == 0) }";
    let system = read(text, &[]);
    let processes = vec![ProcessNumber { proctype: promela::model::ProctypeId(0), number: Numbers::Any }];
    for (name, fairness, word) in [
        ("one_at_a_time", Fairness::None, "PROVED"),
        ("somebody", Fairness::Weak, "PROVED"),
        ("nobody", Fairness::Weak, "VIOLATED"),
    ] {
        let options = FairOptions { fairness, processes: processes.clone(), ..FairOptions::default() };
        let report = check_formula(&system, formula(&system, name), &options, &Control::none());
        assert_eq!(report.verdict.word(), word, "{name}: {report:?}");
    }
}

/// Somebody who is told apart and older than a process that is counted dies once that one is dead, whoever else is counted and lives. Where that
/// could be noticed nobody who ends is counted.
#[test]
fn who_is_told_apart_dies_when_those_that_are_younger_have_died() {
    let nothing_to_count = "UNKNOWN";
    for (counted, text) in [
        (
            nothing_to_count,
            "byte n; bool shut; active proctype Blocked() { n == 1 } active proctype Between() provided (!shut) { skip }
            active proctype Last() { skip } ltl f { [] (n > 0) }",
        ),
        (
            nothing_to_count,
            "byte n; chan c = [1] of { bool }; active proctype Blocked() { n == 2 } proctype Last(byte p) { skip }
            init { chan own = [1] of { byte }; run Last(0) } ltl f { [] (len(c) > 0) }",
        ),
        (
            nothing_to_count,
            "byte n; active proctype Blocked() { n == 1 } active proctype Between() { here: skip }
            active [2] proctype Last() { skip } ltl f { [] (n > 0 || Between@here) }",
        ),
        (
            "VIOLATED",
            "byte n; active proctype Loop() { do :: skip od } active proctype Owner() { chan own = [1] of { byte }; skip }
            active proctype Last() { skip } ltl f { [] (n > 0) }",
        ),
        (
            "VIOLATED",
            "byte n; active proctype Empty() { byte x } active [2] proctype Blocked() { n == 1 } active proctype None() { byte x }
            ltl f { [] (n > 0) }",
        ),
    ] {
        let system = read(text, &[]);
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            for (counters, word) in [(Counters::Off, "VIOLATED"), (Counters::On, counted)] {
                let report = check(&system, "f", &options(fairness, counters));
                assert_eq!(report.verdict.word(), word, "{fairness:?}, {counters:?}, {text}: {report:?}");
            }
        }
    }
}

/// A channel goes with its owner. When the owner can die must be known, so nobody who is counted ends before.
#[test]
fn an_end_that_is_noticed_keeps_those_apart_that_end_before() {
    let system = read(ENDS_BESIDE_A_CHANNEL, &[]);
    let property = search::fair::Property::new(&system.model.formulas[0].formula);
    let found = search::counters::symmetry(&system, &property, search::counters::Stuttering::Unseen);
    assert_eq!(found.proctypes(), []);
    let why = "P can end, and before a younger one has ended Owner does not, which is noticed";
    assert_eq!(found.told_apart, ["each Owner has a channel of its own", why]);
}

#[test]
fn what_sees_the_step_of_a_death_keeps_processes_apart() {
    let text = "byte n; active [2] proctype P() { n++ } ltl f { [] ((n == 2) -> X (n == 2)) }";
    let report = check(&read(text, &[]), "f", &options(Fairness::None, Counters::On));
    assert_eq!(
        report.told_apart,
        ["P can end, and what is asked may count the steps in which processes end"]
    );
}

#[test]
fn numbers_of_processes_at_a_label_are_counted() {
    let text = "active [3] proctype P() { do :: atomic { true; }; here: true od }
        ltl never_all { [] !(P[*]@here == 3) } ltl at_most { [] (P[*]@here <= 3) } ltl again { []<> (P[*]@here == 0) }";
    let system = read(text, &[]);
    for counters in [Counters::Off, Counters::On] {
        let verdict =
            |name, fairness| check(&system, name, &options(fairness, counters)).verdict.word().to_string();
        assert_eq!(verdict("never_all", Fairness::Strong), "VIOLATED", "{counters:?}");
        assert_eq!(verdict("at_most", Fairness::None), "PROVED", "{counters:?}");
        assert_eq!(verdict("again", Fairness::Strong), "VIOLATED", "{counters:?}");
    }
}

#[test]
fn what_tells_processes_apart_is_named() {
    let reasons = |text: &str| {
        let system = read(text, &[]);
        let property = search::fair::Property::new(&system.model.formulas[0].formula);
        let found = search::counters::symmetry(&system, &property, search::counters::Stuttering::Seen);
        assert!(found.proctypes().is_empty(), "{text}");
        found.told_apart.join("; ")
    };
    for (text, word) in [
        ("byte n; active [2] proctype P() { do :: n = _pid od } ltl f { [] (n < 9) }", "_pid"),
        ("byte n; active [2] proctype P() { n = 1 } ltl f { [] (n < 9) }", "can end"),
        ("byte n; active [2] proctype P() provided (n < 3) { n = 1 } ltl f { [] (n < 9) }", "can end"),
        (
            "byte n; active [2] proctype P() { chan c = [1] of { byte }; do :: c!1; c?n od } ltl f { [] (n < 9) }",
            "own",
        ),
        (
            "byte n; active [2] proctype P() { do :: here: n = 1 od } ltl f { [] !P@here }",
            "first of its kind",
        ),
        ("byte n; active [2] proctype P() { do :: here: n = 1 od } ltl f { [] !P[1]@here }", "by its number"),
        ("byte n; active [2] proctype P() { do :: n = _nr_pr od } ltl f { [] (n < 9) }", "_nr_pr"),
        (
            "byte n; proctype Q() { do :: n = 1 od } active [2] proctype P() { do :: n < 3 -> n = run Q() od } ltl f { [] (n < 9) }",
            "run returns",
        ),
    ] {
        assert!(reasons(text).contains(word), "{}", reasons(text));
    }
}

#[test]
fn a_thousand_readers_are_no_problem_for_a_counterexample() {
    use search::fair::{Numbers, ProcessNumber};
    let system = read(&model("fair-readers-writers.pml"), &[]);
    let proctype = promela::model::ProctypeId(0);
    let processes = vec![ProcessNumber { proctype, number: Numbers::Exactly(1000) }];
    let options = FairOptions { processes, diagnose: false, ..FairOptions::default() };
    let report =
        check_formula(&system, formula(&system, "reading_again_and_again"), &options, &Control::none());
    let Verdict::Violated(found) = &report.verdict else { panic!("{:?}", report.verdict) };
    assert_eq!(found.processes, [(proctype, 1000)]);
    let larger = search::fair::with_processes(&system, &found.processes);
    replay(&larger, &found.trace).expect("a counterexample is an execution");
}

#[test]
fn any_number_of_processes_is_decided() {
    use search::fair::{Numbers, ProcessNumber, Representation};
    let any = |system: &System, name: &str, fairness: Fairness, proctypes: &[&str]| {
        let index = |wanted: &str| {
            let position = system.model.proctypes.iter().position(|proctype| proctype.name == wanted);
            promela::model::ProctypeId(position.expect("a proctype") as u32)
        };
        let processes = proctypes
            .iter()
            .map(|name| ProcessNumber { proctype: index(name), number: Numbers::Any })
            .collect();
        let options = FairOptions { fairness, processes, diagnose: false, ..FairOptions::default() };
        check_formula(system, formula(system, name), &options, &Control::none())
    };
    for (file, name, proctypes, verdicts) in [
        ("fair-leader-election.pml", "one_leader", &["Node"][..], ["VIOLATED", "PROVED", "PROVED"]),
        ("fair-leader-pairs.pml", "one_leader", &["Node"], ["VIOLATED", "PROVED", "PROVED"]),
        ("fair-meta-lock.pml", "access_again_and_again", &["Thread"], ["PROVED", "PROVED", "PROVED"]),
        ("fair-meta-lock.pml", "exclusive", &["Thread"], ["PROVED", "PROVED", "PROVED"]),
        ("fair-readers-writers.pml", "exclusion", &["Reader", "Writer"], ["PROVED", "PROVED", "PROVED"]),
        (
            "fair-readers-writers.pml",
            "reading_again_and_again",
            &["Reader", "Writer"],
            ["VIOLATED", "VIOLATED", "PROVED"],
        ),
        ("fair-stack.pml", "push_returns", &["Other"], ["VIOLATED", "VIOLATED", "VIOLATED"]),
    ] {
        let system = read(&model(file), &[]);
        for (fairness, verdict) in
            [Fairness::None, Fairness::Weak, Fairness::Strong].into_iter().zip(verdicts)
        {
            let report = any(&system, name, fairness, proctypes);
            assert_eq!(report.verdict.word(), verdict, "{file} {name} {fairness:?}: {:?}", report.verdict);
            let is_abstract = matches!(report.representation, Representation::AnyNumber { .. });
            assert_eq!(is_abstract, verdict == "PROVED", "{file} {name} {fairness:?}");
        }
    }
}

#[test]
fn any_number_of_processes_may_create_others_that_end() {
    use search::fair::{Numbers, ProcessNumber, Representation};
    let ask = |scalar: &str| {
        let text = format!(
            "{scalar} working;
             proctype Worker() {{ atomic {{ working == 0 -> working++ }}; working-- }}
             active [2] proctype Starter() {{ run Worker() }}
             ltl one {{ [] (working <= 1) }}"
        );
        let system = read(&text, &[]);
        let starter = system.model.proctypes.iter().position(|proctype| proctype.name == "Starter");
        let proctype = promela::model::ProctypeId(starter.expect("a proctype") as u32);
        let processes = vec![ProcessNumber { proctype, number: Numbers::Any }];
        let options = FairOptions { processes, diagnose: false, ..FairOptions::default() };
        check_formula(&system, formula(&system, "one"), &options, &Control::none())
    };
    let report = ask("int");
    assert_eq!(report.verdict.word(), "PROVED", "{:?}", report.verdict);
    assert!(report.leaves_out_crowds);
    let Representation::AnyNumber { together, .. } = report.representation else { panic!("{report:?}") };
    assert_eq!(together, Some(65_535), "more there are never at once");
    // More than a byte can count may be there at once.
    assert_eq!(ask("byte").verdict.word(), "UNKNOWN");
}

#[test]
fn a_variable_that_wraps_limits_the_number_for_which_a_proof_holds() {
    use search::fair::{Numbers, ProcessNumber, Representation};
    let text =
        "byte inside; active [2] proctype P() { do :: inside++; inside-- od } ltl f { [] (inside >= 0) }";
    let system = read(text, &[]);
    let number = |number| ProcessNumber { proctype: promela::model::ProctypeId(0), number };
    let options =
        |numbers| FairOptions { processes: vec![number(numbers)], diagnose: false, ..FairOptions::default() };
    let report = check_formula(&system, formula(&system, "f"), &options(Numbers::Any), &Control::none());
    let Representation::AnyNumber { together, .. } = report.representation else { panic!("{report:?}") };
    assert_eq!((report.verdict.word(), together), ("PROVED", Some(255)));
}

/// Everybody adds one to a variable of few bits, and nobody may see it wrap.
#[test]
fn the_limit_on_any_number_is_one_on_all_counted_processes_together() {
    use search::fair::{Numbers, ProcessNumber, Representation};
    let counts = |active: u32, name: &str| {
        let body = "{ v++; if :: v == 0 -> bad = 1 :: else fi; do :: skip od }";
        format!("active [{active}] proctype {name}() {body} ")
    };
    let text = |bits: u32, processes: &str| {
        format!("unsigned v : {bits}; bit bad; {processes} ltl f {{ [] (bad == 0) }}")
    };
    let asked = |text: &str, numbers: &[Numbers]| {
        let system = read(text, &[]);
        let number = |(index, &number): (usize, &Numbers)| ProcessNumber {
            proctype: promela::model::ProctypeId(index as u32),
            number,
        };
        let processes = numbers.iter().enumerate().map(number).collect();
        let options = FairOptions { processes, diagnose: false, ..FairOptions::default() };
        let report = check_formula(&system, formula(&system, "f"), &options, &Control::none());
        let together = match report.representation {
            Representation::AnyNumber { together, .. } => together,
            _ => None,
        };
        (report.verdict.word(), together)
    };
    let any = Numbers::Any;
    let beside = text(5, &(counts(1, "P") + &counts(20, "Q")));
    assert_eq!(asked(&beside, &[any]), ("PROVED", Some(11)));
    assert_eq!(asked(&beside, &[Numbers::Exactly(11)]).0, "PROVED");
    assert_eq!(asked(&beside, &[Numbers::Exactly(12)]).0, "VIOLATED");
    let two = text(3, &(counts(1, "P") + &counts(1, "Q")));
    assert_eq!(asked(&two, &[any, any]), ("PROVED", Some(7)));
    assert_eq!(asked(&two, &[Numbers::Exactly(4), Numbers::Exactly(4)]).0, "VIOLATED");
    let three = text(4, &(counts(1, "P") + &counts(1, "Q") + &counts(3, "R")));
    assert_eq!(asked(&three, &[any, any]), ("PROVED", Some(12)));
    assert_eq!(asked(&three, &[any, Numbers::Exactly(5)]), ("PROVED", Some(7)));
    // So many beside that none is left: whatever is said, it is no proof.
    let full = text(3, &(counts(1, "P") + &counts(20, "Q")));
    assert_ne!(asked(&full, &[any]).0, "PROVED");
}

#[test]
fn the_automaton_may_need_several_moments_after_the_end_of_a_run() {
    let text = "byte n; active [2] proctype P() { n > 3 } ltl f { !(X X (n == 0)) }";
    for counters in [Counters::Off, Counters::Auto] {
        let report = check(&read(text, &[]), "f", &options(Fairness::None, counters));
        assert_eq!(report.verdict.word(), "VIOLATED");
    }
}

#[test]
fn a_formula_that_has_no_value_in_some_state_is_an_error_of_the_formula_and_no_counterexample() {
    let system = read("chan c; active proctype P() { skip } ltl f { [] (len(c) == 0) }", &[]);
    for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
        let report = check(&system, "f", &options(fairness, Counters::Off));
        let Verdict::Unknown(unknown) = report.verdict else { panic!("{:?}", report.verdict) };
        let StopReason::Unsupported { what } = unknown.reason else { panic!("{:?}", unknown.reason) };
        assert_eq!(what, "a run that ends in an error: a channel is used that was never initialised");
    }
}

#[test]
fn a_process_that_loops_alone_is_found_among_many_interleavings() {
    let text = "byte a[4]; active [4] proctype P() { byte i; again: i = 0; do :: i < 40 -> a[_pid] = i; i++ \
                :: else -> break od; goto again } ltl f { []<> (a[0] == 39) }";
    let system = read(text, &[]);
    let limits = Limits { states: Some(20_000), ..Limits::default() };
    let report = check(&system, "f", &FairOptions { limits, ..options(Fairness::None, Counters::Off) });
    assert_eq!(report.verdict.word(), "VIOLATED");
}

#[test]
fn an_atomic_sequence_that_meets_many_in_one_local_state_meets_as_many_as_there_are() {
    // Who is met goes on within the sequence and meets the next.
    let text = "chan r = [0] of { bit }; byte met;
        active [5] proctype P() { atomic { r?0 -> met++; r!0 }; do :: skip od }
        active proctype Host() { r!0; do :: skip od }
        ltl all { [] (met == 0 || met == 5) } ltl some { <> (met > 0) }";
    let system = read(text, &[]);
    for counters in [Counters::Off, Counters::On] {
        let all = check(&system, "all", &options(Fairness::None, counters));
        assert_eq!(all.verdict.word(), "PROVED", "{counters:?}");
        let some = check(&system, "some", &options(Fairness::Weak, counters));
        assert_eq!(some.verdict.word(), "PROVED", "{counters:?}");
    }
}

#[test]
fn a_comparison_of_two_numbers_of_processes_beyond_the_cutoff_proves_nothing() {
    let text = "bit go; active [2] proctype P() { a: do :: !go -> goto b od; b: do :: go = 1 od }
        ltl f { [] (P[*]@a <= P[*]@b + 1 || P[*]@b == 0) } ltl g { [] (P[*]@a != 100) }";
    let system = read(text, &[]);
    for name in ["f", "g"] {
        let any = vec![ProcessNumber { proctype: ProctypeId(0), number: Numbers::Any }];
        let options = FairOptions { processes: any, ..FairOptions::default() };
        let report = check_formula(&system, formula(&system, name), &options, &Control::none());
        assert_ne!(report.verdict.word(), "PROVED", "{name}");
    }
}

#[test]
fn accept_labels_are_asked_under_fairness_with_and_without_a_claim() {
    let processes = "active proctype P() { byte n; do :: n = 1 - n od }
        active proctype Q() { accept_wait: (1); (0) }";
    let claim = "never { do :: true od }";
    let labels = read(processes, &[]);
    let both = read(&format!("{processes} {claim}"), &[]);
    for (fairness, expected) in
        [(Fairness::None, "VIOLATED"), (Fairness::Weak, "PROVED"), (Fairness::Strong, "PROVED")]
    {
        let options = options(fairness, Counters::Off);
        let report = check_accept_labels(&labels, &options, &Control::none());
        assert_eq!(report.verdict.word(), expected, "{fairness:?}");
        let report = check_claim(&both, 0, &options, &Control::none());
        assert_eq!(report.verdict.word(), expected, "{fairness:?} with a claim");
    }
    let none = check_accept_labels(
        &read("active proctype P() { skip }", &[]),
        &options(Fairness::Weak, Counters::Off),
        &Control::none(),
    );
    assert_eq!(none.verdict.word(), "UNKNOWN");
}

#[test]
fn labels_and_variables_that_a_formula_looks_at_are_seen_by_a_reduced_search() {
    let text = "byte other; chan c = [1] of { byte };
        active [2] proctype P() { byte n; n = 1; a: n = 2; b: n = 3; n = 4 }
        active proctype Q() { other = 1; c!1; other = 2 }
        ltl both_at_a { [] !(P[0]@a && P[1]@a) }
        ltl first_before_second { (!P[1]@b) U P[0]@b }
        ltl counted { [] (P[*]@a < 2) }
        ltl variables { [] !(P[0]:n == 2 && P[1]:n == 2) }
        ltl message_last { [] (len(c) == 0 || P[0]@b) }
        ltl passes_a { <> P[0]@a }
        ltl ends { <> (P[0]:n == 4 && len(c) == 1) }";
    let system = read(text, &[]);
    let violated = ["both_at_a", "first_before_second", "counted", "variables", "message_last"];
    for (names, expected) in [(&violated[..], "VIOLATED"), (&["passes_a", "ends"], "PROVED")] {
        for name in names {
            for reduction in [Reduction::Full, Reduction::Reduced] {
                let options = FairOptions { reduction, ..options(Fairness::None, Counters::Off) };
                let report = check(&system, name, &options);
                assert_eq!(report.verdict.word(), expected, "{name} {reduction:?}");
            }
        }
    }
}

#[test]
fn a_reduced_search_leaves_out_orders_that_the_formula_cannot_see() {
    let text = "bool seen;
        active [3] proctype P() { byte n; do :: n < 2 -> n++ :: else -> break od }
        active proctype Q() { seen = true }
        ltl sees { <> seen }
        ltl next { <> X seen }";
    let system = read(text, &[]);
    let nodes = |name: &str, reduction: Reduction| {
        let patience = Patience::Straight;
        let options = FairOptions { reduction, patience, ..options(Fairness::None, Counters::Off) };
        let report = check(&system, name, &options);
        assert_eq!(report.verdict.word(), "PROVED", "{name} {reduction:?}");
        (report.nodes, report.in_full)
    };
    let (few, in_full) = nodes("sees", Reduction::Reduced);
    let (all, _) = nodes("sees", Reduction::Full);
    assert!(few * 4 < all);
    assert_eq!(
        in_full,
        Some(all),
        "what is proved with some left out is confirmed with all, where all are few"
    );
    assert_eq!(nodes("next", Reduction::Reduced), nodes("next", Reduction::Full));
}

/// Moves that a reduced search puts off are in no run that it finds, and the run is judged on the whole model.
#[test]
fn a_finite_run_is_enough_for_a_reduced_search_too() {
    let text = "byte a, b, c, idle;
        active proctype A() { byte i; do :: i < 9 -> i++ :: else -> break od; c++ }
        active proctype B() { byte i; do :: i < 9 -> i++ :: else -> break od; c++ }
        active proctype C() { byte i; do :: i = (i + 1) % 9 od }
        ltl f { [] (c < 2) }";
    let system = read(text, &[]);
    for reduction in [Reduction::Reduced, Reduction::Full] {
        for patience in [Patience::ShortSearchesFirst, Patience::Straight] {
            let options = FairOptions { reduction, patience, ..options(Fairness::Strong, Counters::Off) };
            let report = check(&system, "f", &options);
            let Verdict::Violated(found) = &report.verdict else { panic!("{report:?}") };
            let reduced = reduction == Reduction::Reduced;
            assert_eq!(report.representation, Representation::WithFormula { reduced });
            assert!(found.trace.loop_start.is_none() && found.trace.steps.len() >= 40, "{found:?}");
        }
    }
}

/// One part of the states is enough to prove what all runs do; what only fair runs do is proved on all of them, and neither is computed state by state.
#[test]
fn fair_runs_are_searched_on_remembered_steps() {
    let text = "byte x; bool seen;
        active proctype P() { do :: x = (x + 1) % 5 od }
        active proctype Q() { seen = true }
        ltl sees { <> seen }
        ltl small { [] (x < 5) }";
    let system = read(text, &[]);
    for (name, fairness, verdict, representation) in [
        ("sees", Fairness::None, "VIOLATED", Representation::WithFormula { reduced: true }),
        ("sees", Fairness::Weak, "PROVED", Representation::WithFormula { reduced: false }),
        ("sees", Fairness::Strong, "PROVED", Representation::WithFormula { reduced: false }),
        ("small", Fairness::Weak, "PROVED", Representation::WithFormula { reduced: true }),
    ] {
        let report = check(&system, name, &options(fairness, Counters::Off));
        assert_eq!(report.verdict.word(), verdict, "{name} {fairness:?}");
        assert_eq!(report.representation, representation, "{name} {fairness:?}");
    }
}

/// Who can move now and then only is excused under weak fairness and not under strong fairness, which is asked state by state.
#[test]
fn a_weakly_fair_run_need_not_be_strongly_fair() {
    let text = "bool open, went;
        active proctype Door() { do :: open = 1 - open od }
        active proctype Guest() { open -> went = true }
        ltl goes { <> went }";
    let system = read(text, &[]);
    let found = check(&system, "goes", &options(Fairness::Weak, Counters::Off));
    let Verdict::Violated(found) = &found.verdict else { panic!("{found:?}") };
    assert_eq!(found.starving.len(), 1);
    assert_eq!(found.starving[0].forbidden_by, Fairness::Strong);
    assert_eq!(check(&system, "goes", &options(Fairness::Strong, Counters::Off)).verdict.word(), "PROVED");
}

/// Each process has an acceptance set of its own, of which there are 64 with those of the formula. With more the states are searched one by one.
#[test]
fn more_processes_than_acceptance_sets_are_no_obstacle() {
    for (others, reduced) in [(60, Some(false)), (63, None), (80, None)] {
        let text = format!(
            "byte x; bool seen; active [{others}] proctype Idle() {{ false }}
            active proctype P() {{ do :: x = 1 - x od }} active proctype Q() {{ seen = true }}
            ltl sees {{ <> seen }}"
        );
        let report = check(&read(&text, &[]), "sees", &options(Fairness::Weak, Counters::Off));
        assert_eq!(report.verdict.word(), "PROVED", "{others}");
        let expected =
            reduced.map_or(Representation::Explicit, |reduced| Representation::WithFormula { reduced });
        assert_eq!(report.representation, expected, "{others}");
    }
}

/// Both sides of a rendezvous move, and whoever moves inside of an `atomic` sequence does.
#[test]
fn partners_and_those_who_are_handed_control_take_part() {
    let text = "chan c = [0] of { bit }; bit x; bool late;
        active proctype A() { do :: atomic { c!1; x = 0 } od }
        active proctype B() { bit b; do :: c?b; x = b od }
        active proctype C() { late = true }
        ltl turns { [] <> (x == 1) }
        ltl comes { <> late }";
    let system = read(text, &[]);
    for name in ["turns", "comes"] {
        for fairness in [Fairness::Weak, Fairness::Strong] {
            assert_eq!(
                check(&system, name, &options(fairness, Counters::Off)).verdict.word(),
                "PROVED",
                "{name}"
            );
        }
    }
}

/// Where a sequence is long each state inside of it is followed once; with whom it had its rendezvous matters all the same.
#[test]
fn the_ways_through_a_long_sequence_are_told_apart_by_who_takes_part() {
    let other = "do :: atomic { c?_; d!0 } :: atomic { left = true; break } od";
    let text = format!(
        "chan c = [0] of {{ bit }}; chan d = [0] of {{ bit }}; bool left; short i;
        active proctype P() {{
            do :: atomic {{ do :: i < 2500 -> i++ :: else -> break od; c!0; d?_; i = 0 }} od
        }}
        active proctype Q() {{ {other} }} active proctype R() {{ {other} }}
        ltl leaves {{ <> left }}"
    );
    let system = read(&text, &[]);
    for fairness in [Fairness::Weak, Fairness::Strong] {
        let report = check(&system, "leaves", &options(fairness, Counters::Off));
        assert_eq!(report.verdict.word(), "VIOLATED", "{fairness:?}: {:?}", report.verdict);
    }
}
