//! Formulas, never claims and acceptance labels.

use crate::answer::{Answer, Counterexample, Figures, Question, Reading};
use crate::control::{Event, Timed};
use crate::options::{CheckOptions, FormulaChoice};
use crate::words;
use certificate::verdict::{Evidence, Fairness, StopReason, Verdict};
use promela::model::LtlFormula;
use search::Limits;
use search::fair::{self, FairOptions, FairReport, Representation};
use system::automaton::System;

/// The formulas that are asked for.
pub fn formulas<'s>(system: &'s System, options: &CheckOptions) -> Vec<&'s LtlFormula> {
    let wanted = |formula: &&LtlFormula| match &options.questions.formulas {
        FormulaChoice::None => false,
        FormulaChoice::All => true,
        FormulaChoice::Named(name) => formula.name == *name,
    };
    system.model.formulas.iter().filter(wanted).collect()
}

/// Does every run satisfy the formula?
pub fn formula(system: &System, options: &CheckOptions, formula: &LtlFormula, control: Timed<'_>) -> Answer {
    let question = Question::Formula(formula.name.clone());
    let reading =
        Reading { capacities: options.capacities.into(), progress: None, fairness: Some(options.fairness) };
    let fair_options = FairOptions {
        fairness: fairness(options.fairness),
        capacities: options.capacities,
        limits: Limits { states: options.search.states, memory: options.memory, deadline: control.deadline },
        counters: options.counters,
        ..FairOptions::default()
    };
    let watcher =
        |progress: search::Progress| control.control.tell(Event::Searching(question.clone(), progress));
    let mut search_control = search::Control::none().watched_by(&watcher);
    if let Some(flag) = control.control.flag() {
        search_control = search_control.cancelled_by(flag);
    }
    let report = fair::check_formula(system, formula, &fair_options, &search_control);
    let meaning = meaning(system, options, &report);
    let verdict = match report.verdict {
        Verdict::Proved(evidence) => Verdict::Proved(evidence),
        Verdict::Violated(found) if found.processes.is_empty() => {
            Verdict::Violated(Counterexample::Lasso(found.trace))
        }
        Verdict::Violated(_) => {
            let what = "a counterexample with other numbers of processes than the model has".to_string();
            let reason = StopReason::Unsupported { what };
            return Answer::unknown(question.clone(), reading, reason, meaning);
        }
        Verdict::Unknown(mut unknown) => {
            if let StopReason::TimeLimit { seconds } = &mut unknown.reason {
                *seconds = options.time.map_or(0, |time| time.as_secs());
            }
            Verdict::Unknown(unknown)
        }
    };
    let mut answer = Answer::new(question.clone(), verdict, reading, meaning);
    answer.figures = Some(Figures { states: report.states, transitions: report.transitions });
    for premise in &report.vacuous {
        answer.notes.push(format!("holds only because `{}` never happens", premise.premise));
    }
    for remedy in &report.remedies {
        let fairness = match remedy.fairness {
            omega::Fairness::None => "no",
            omega::Fairness::Weak => "weak",
            omega::Fairness::Strong => "strong",
        };
        match remedy.holds {
            Some(true) => answer.notes.push(format!("under {fairness} fairness it holds")),
            Some(false) => answer.notes.push(format!("under {fairness} fairness it fails too")),
            None => {}
        }
    }
    answer
}

/// Never claims need a search for acceptance cycles, which is not there yet.
pub fn claim(options: &CheckOptions, name: &str) -> Answer {
    let reading =
        Reading { capacities: options.capacities.into(), progress: None, fairness: Some(options.fairness) };
    let reason = StopReason::Unsupported { what: "never claims are not searched yet".to_string() };
    let meaning = "nothing is known: never claims are not searched yet";
    Answer::unknown(Question::Claim(name.to_string()), reading, reason, meaning)
}

fn meaning(system: &System, options: &CheckOptions, report: &FairReport) -> String {
    let runs = match options.fairness {
        Fairness::None => "every run",
        Fairness::Weak => "every weakly fair run",
        Fairness::Strong => "every strongly fair run",
    };
    match &report.verdict {
        Verdict::Proved(evidence) => {
            let how = match (&report.representation, evidence) {
                (Representation::AnyNumber { proctypes, .. }, _) => {
                    let names: Vec<&str> = proctypes
                        .iter()
                        .map(|id| system.model.proctypes[id.0 as usize].name.as_str())
                        .collect();
                    format!("for any number of {}", names.join(" and "))
                }
                (_, Evidence::Search { .. }) => {
                    format!("all {} states searched", words::grouped(report.states))
                }
                _ => "shown".to_string(),
            };
            format!("{runs} satisfies it: {how}")
        }
        Verdict::Violated(found) => {
            let count = found.trace.steps.len();
            let start = found.trace.loop_start.unwrap_or(count);
            if start >= count {
                format!("a run that ends after {} does not satisfy it", words::steps(count))
            } else {
                let length = words::steps(count - start);
                format!("a run that goes round in {length} for ever does not satisfy it")
            }
        }
        Verdict::Unknown(_) => {
            format!("nothing wrong in the {} states searched", words::grouped(report.states))
        }
    }
}

/// The same word in the two crates.
pub fn fairness(fairness: Fairness) -> omega::Fairness {
    match fairness {
        Fairness::None => omega::Fairness::None,
        Fairness::Weak => omega::Fairness::Weak,
        Fairness::Strong => omega::Fairness::Strong,
    }
}
