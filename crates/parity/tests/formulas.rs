//! Formulas on random models: the searches on remembered steps, reduced and not, fair and not, against the one whose every step is
//! computed.

use certificate::trace::replay;
use certificate::verdict::Verdict;
use omega::Fairness;
use parity::generate::model_with_formulas;
use parity::input::read_text;
use search::fair::{Counters, FairOptions, Method, Patience, Representation, check_formula};
use search::{Control, Limits, Reduction};

#[test]
fn both_engines_give_the_same_verdicts_and_their_runs_replay() {
    let (mut compared, mut violated, mut smaller) = (0, 0, 0);
    for seed in 0..700 {
        let text = model_with_formulas(seed, 5).text();
        let Ok(system) = read_text("random.pml", &text) else { continue };
        for formula in &system.model.formulas {
            let ask = |method: Method, reduction: Reduction, patience: Patience| {
                let limits = Limits { states: Some(3_000), ..Limits::default() };
                let counters = Counters::Off;
                let options = FairOptions {
                    method,
                    reduction,
                    patience,
                    limits,
                    counters,
                    diagnose: false,
                    ..FairOptions::default()
                };
                let report = check_formula(&system, formula, &options, &Control::none());
                if let Verdict::Violated(found) = &report.verdict {
                    replay(&system, &found.trace).expect("a counterexample is an execution");
                }
                report
            };
            let expected = ask(Method::Computed, Reduction::Full, Patience::Straight);
            let full = ask(Method::Remembered, Reduction::Full, Patience::Straight);
            let reduced = ask(Method::Remembered, Reduction::Reduced, Patience::ShortSearchesFirst);
            let most = ask(Method::Remembered, Reduction::Reduced, Patience::Straight);
            for report in [&full, &reduced, &most] {
                if expected.verdict.word() == "UNKNOWN" || report.verdict.word() == "UNKNOWN" {
                    continue;
                }
                let name = &formula.name;
                assert_eq!(report.verdict.word(), expected.verdict.word(), "seed {seed} {name}\n{text}");
                compared += 1;
                violated += u32::from(report.verdict.word() == "VIOLATED");
            }
            let proved = [&full, &reduced, &most].iter().all(|report| report.verdict.word() == "PROVED");
            smaller += u32::from(proved && reduced.nodes < full.nodes && most.nodes < full.nodes);
        }
    }
    // There must be something to agree on, and something must have been left out.
    assert!(compared > 2500 && violated > 1200 && smaller > 50, "{compared} {violated} {smaller}");
}

#[test]
fn remembered_and_computed_steps_make_the_same_graph_under_fairness() {
    let (mut compared, mut violated, mut graphs) = (0, 0, 0);
    for seed in 1000..1300 {
        let text = model_with_formulas(seed, 2).text();
        let Ok(system) = read_text("random.pml", &text) else { continue };
        for formula in &system.model.formulas {
            for fairness in [Fairness::Weak, Fairness::Strong] {
                let ask = |method: Method| {
                    let limits = Limits { states: Some(2_000), ..Limits::default() };
                    let counters = Counters::Off;
                    let options = FairOptions {
                        fairness,
                        method,
                        limits,
                        counters,
                        diagnose: false,
                        ..FairOptions::default()
                    };
                    check_formula(&system, formula, &options, &Control::none())
                };
                let (computed, remembered) = (ask(Method::Computed), ask(Method::Remembered));
                let words = (computed.verdict.word(), remembered.verdict.word());
                // The limit is on states here and on nodes of the product there.
                if words.0 != "UNKNOWN" && words.1 != "UNKNOWN" {
                    assert_eq!(words.0, words.1, "seed {seed} {} {fairness:?}\n{text}", formula.name);
                }
                // Of all runs some were left out, and for them no graph of fair ones is made.
                let is_whole = remembered.representation != Representation::WithFormula { reduced: true };
                graphs += u32::from(is_whole && words == ("PROVED", "PROVED"));
                compared += u32::from(words.0 != "UNKNOWN" && words.1 != "UNKNOWN");
                violated += u32::from(words.0 == "VIOLATED");
            }
        }
    }
    assert!(compared > 500 && violated > 150 && graphs > 20, "{compared} {violated} {graphs}");
}
