//! Formulas, never claims and acceptance labels.

use crate::answer::{Answer, Counterexample, Figures, Question, Reading};
use crate::control::{Event, Timed};
use crate::options::{CheckOptions, FormulaChoice};
use crate::safety::stop_reason;
use crate::words;
use certificate::verdict::{Evidence, Fairness, StopReason, Verdict};
use promela::model::LtlFormula;
use search::fair::{self, FairOptions, FairReport, Representation};
use search::{Cause, Engine, ErrorGroup, ErrorPolicy, Limits, Outcome, Properties, Reduction, SearchOptions};
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
pub fn formula(system: &System, options: &CheckOptions, formula: &LtlFormula, control: &Timed) -> Answer {
    let question = Question::Formula(formula.name.clone());
    let reading =
        Reading { capacities: options.capacities.into(), progress: None, fairness: Some(options.fairness) };
    let fair_options = FairOptions {
        fairness: fairness(options.fairness),
        capacities: options.capacities,
        limits: Limits { states: options.search.states, memory: options.memory, deadline: control.deadline },
        counters: options.counters,
        processes: options.processes.clone(),
        ..FairOptions::default()
    };
    let watcher =
        |progress: search::Progress| control.control.tell(Event::Searching(question.clone(), progress));
    let search_control = search::Control::none().watched_by(&watcher).cancelled_by(control.control.flag());
    let report = fair::check_formula(system, formula, &fair_options, &search_control);
    let meaning = meaning(system, options, &report);
    let verdict = match report.verdict {
        Verdict::Proved(evidence) => Verdict::Proved(evidence),
        Verdict::Violated(found) if found.processes.is_empty() => {
            Verdict::Violated(Counterexample::Lasso(found.trace))
        }
        Verdict::Violated(found) => {
            Verdict::Violated(Counterexample::Instance { trace: found.trace, processes: found.processes })
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

/// What is watched for acceptance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Acceptance {
    /// The never claim with this index.
    Claim(usize),
    /// The `accept…` labels of processes.
    Labels,
}

impl Acceptance {
    /// The question that it answers.
    pub fn question(self, system: &System) -> Question {
        match self {
            Acceptance::Claim(index) => Question::Claim(system.model.claims[index].name.clone()),
            Acceptance::Labels => Question::AcceptanceCycles,
        }
    }
}

/// Never claims, and the labels of processes if there are any and no claim has a word about them.
pub fn claims(system: &System, options: &CheckOptions) -> Vec<Acceptance> {
    if !options.questions.claims {
        return Vec::new();
    }
    let mut all: Vec<Acceptance> = (0..system.model.claims.len()).map(Acceptance::Claim).collect();
    let labelled = system.process_automata().any(|(_, a)| a.locations.iter().any(|l| l.accept));
    if labelled && all.is_empty() {
        all.push(Acceptance::Labels);
    }
    all
}

/// Is there no run that the claim accepts?
pub fn claim(system: &System, options: &CheckOptions, watched: Acceptance, control: &Timed) -> Answer {
    let question = watched.question(system);
    let reading =
        Reading { capacities: options.capacities.into(), progress: None, fairness: Some(Fairness::None) };
    if options.fairness != Fairness::None {
        let what = "never claims under fairness; write the property as an `ltl` formula".to_string();
        return Answer::unknown(question, reading, StopReason::Unsupported { what }, "not looked for");
    }
    let search_options = SearchOptions {
        capacities: options.capacities,
        reduction: Reduction::Full,
        properties: Properties {
            assertions: false,
            end_states: false,
            claim: match watched {
                Acceptance::Claim(index) => Some(index),
                Acceptance::Labels => None,
            },
            acceptance: true,
            non_progress: None,
            event_trace: false,
        },
        errors: ErrorPolicy::All,
        limits: Limits { states: options.search.states, memory: options.memory, deadline: control.deadline },
        threads: 1,
        engine: Engine::Fast,
    };
    let asked = question.clone();
    let watcher =
        |progress: search::Progress| control.control.tell(Event::Searching(asked.clone(), progress));
    let search_control = search::Control::none().watched_by(&watcher).cancelled_by(control.control.flag());
    let report = match search::explore(system, &search_options, &search_control) {
        Ok(report) => report,
        Err(error) => {
            let what = format!("the model has no initial state: {}", error.kind);
            return Answer::unknown(question, reading, StopReason::Unsupported { what }, "not looked for");
        }
    };
    let figures = Figures { states: report.counts.states, transitions: report.counts.transitions() };
    let found = report
        .errors
        .iter()
        .find(|group| matches!(group.cause, Cause::AcceptanceCycle | Cause::ClaimCompleted));
    let mut answer = match found {
        Some(group) => accepted(question, reading, group),
        // A run that ends in a runtime error might have gone on: then nothing is proved.
        None if report.outcome == Outcome::Complete && report.errors.is_empty() => {
            let evidence = Evidence::Search { states: figures.states, transitions: figures.transitions };
            let searched = words::all_states(figures.states);
            let meaning = match watched {
                Acceptance::Claim(_) => format!("no run satisfies it: {searched}"),
                Acceptance::Labels => {
                    format!("no run passes an accept label again and again: {searched}")
                }
            };
            Answer::new(question, Verdict::Proved(evidence), reading, meaning)
        }
        None => {
            let reason = match report.outcome {
                Outcome::Stopped(reason) => stop_reason(reason, options),
                Outcome::Complete => StopReason::Unsupported { what: "some runs end in errors".to_string() },
            };
            let states = words::grouped(figures.states);
            Answer::unknown(
                question,
                reading,
                reason,
                format!("nothing wrong in the {states} states searched"),
            )
        }
    };
    answer.figures = Some(figures);
    answer
}

fn accepted(question: Question, reading: Reading, group: &ErrorGroup) -> Answer {
    let trace = group.trace.clone();
    let count = trace.steps.len();
    let (counterexample, meaning) = match trace.loop_start {
        Some(start) => {
            let length = words::steps(count.saturating_sub(start));
            (Counterexample::Lasso(trace), format!("a run that goes round in {length} for ever is accepted"))
        }
        None => {
            let problem = "the never claim is completed".to_string();
            let meaning = format!("a run of {} completes it", words::steps(count));
            (Counterexample::Run { trace, problem }, meaning)
        }
    };
    Answer::new(question, Verdict::Violated(counterexample), reading, meaning)
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
                (Representation::AnyNumber { proctypes, up_to, .. }, _) => {
                    let names: Vec<&str> = proctypes
                        .iter()
                        .map(|id| system.model.proctypes[id.0 as usize].name.as_str())
                        .collect();
                    let limit =
                        up_to.map_or(String::new(), |most| format!(" up to {}", words::grouped(most)));
                    format!("for any number of {}{limit}", names.join(" and "))
                }
                (_, Evidence::Search { .. }) => words::all_states(report.states),
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
