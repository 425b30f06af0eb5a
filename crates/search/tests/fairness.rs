//! Formulas under fairness: the verdicts that the models state, SPIN's mistake that is not ours, reasons given with verdicts.

use certificate::trace::replay;
use certificate::verdict::{StopReason, Verdict};
use omega::Fairness;
use promela::model::LtlFormula;
use search::Control;
use search::fair::{Counters, FairOptions, FairReport, check_formula};
use system::automaton::System;

struct NoIncludes;

impl promela::IncludeLoader for NoIncludes {
    fn load(&self, _: &str, _: &str) -> Result<(String, String), String> {
        Err("no includes".to_string())
    }
}

fn read(text: &str, defines: &[(&str, &str)]) -> System {
    let defines = defines.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let options = promela::Options { defines, undefines: Vec::new() };
    let (model, diagnostics) = promela::read("test.pml", text, &options, &NoIncludes);
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

const MODELS: [&str; 5] = [
    "fair-leader-election.pml",
    "fair-k-valued-register.pml",
    "fair-stack.pml",
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

#[test]
fn next_counts_stored_steps() {
    let text = "byte n; active proctype P() { n = 1; atomic { n = 2; n = 3 } }
        ltl steps { n == 0 && X (n == 1 && X (n == 3)) }";
    assert_eq!(
        check(&read(text, &[]), "steps", &options(Fairness::None, Counters::Off)).verdict.word(),
        "PROVED"
    );
}
