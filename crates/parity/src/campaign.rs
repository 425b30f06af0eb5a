//! Many random models, each compared with SPIN: automata, graph, cycles; those that differ are made small.

use crate::automata;
use crate::cycles::{self, Answers};
use crate::generate::{self, tree::ModelTree};
use crate::graph::{Comparison, Settings, compare};
use crate::reference::{Extent, Limits, explore};
use crate::shrink::shrink;
use crate::spin::{Compiler, Workplace};
use crate::{input, random::Random};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Duration;
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter};

/// What a campaign does.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How many models to compare; those that cannot be compared do not count.
    pub count: u64,
    /// Gives the models' seeds.
    pub seed: u64,
    /// How many at a time.
    pub threads: usize,
    /// Stop after so many models that differ.
    pub most_differences: usize,
}

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Equal in states, transitions, atomic steps, errors.
    pub equal: u64,
    /// Equal in that both find a runtime error.
    pub runtime_errors: u64,
    /// States of all equal models together.
    pub states: u64,
    /// Not compared, by reason.
    pub skipped: std::collections::BTreeMap<String, u64>,
    /// Seeds of models that differ.
    pub different: Vec<(u64, Vec<String>, ModelTree)>,
}

/// Runs until enough models are compared. `progress` is told of every difference.
pub fn run(plan: &Plan, progress: &(dyn Fn(&Tally) + Sync)) -> Tally {
    let next = AtomicU64::new(0);
    let tally = Mutex::new(Tally::default());
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..plan.threads.max(1) {
            let (next, sender) = (&next, sender.clone());
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= plan.count.saturating_mul(4) {
                        break;
                    }
                    let seed = Random::new(Random::new(plan.seed).bits().wrapping_add(index)).bits();
                    let model = generate::model(seed);
                    let outcome = compare_model(&model, Compiler::Quick);
                    if sender.send((seed, model, outcome)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (seed, model, outcome) in &receiver {
            let mut tally = tally.lock().unwrap_or_else(|e| e.into_inner());
            match outcome {
                Comparison::Equal { states, .. } => {
                    tally.equal += 1;
                    tally.states += states;
                }
                Comparison::EqualRuntimeError => tally.runtime_errors += 1,
                Comparison::NotCompared(why) => *tally.skipped.entry(without_places(&why)).or_default() += 1,
                Comparison::Different(differences) => {
                    tally.different.push((seed, differences, model));
                    progress(&tally);
                }
            }
            let compared = tally.equal + tally.runtime_errors + tally.different.len() as u64;
            if compared >= plan.count || tally.different.len() >= plan.most_differences {
                next.store(u64::MAX / 2, Ordering::Relaxed);
                break;
            }
        }
        // Workers find nobody to send to and stop.
        drop(receiver);
    });
    tally.into_inner().unwrap_or_else(|e| e.into_inner())
}

/// Compares one model. A difference counts only if the usual compiler confirms it.
pub fn compare_model(model: &ModelTree, compiler: Compiler) -> Comparison {
    let text = model.text();
    let system = match input::read_text("model.pml", &text) {
        Ok(system) => system,
        Err(errors) => return Comparison::NotCompared(format!("we refuse it: {}", code_of(&errors))),
    };
    let limits = Limits { states: 20_000, time: Duration::from_secs(10), atomic_steps: 300 };
    // The reference is asked first, because it says at once that a model is too large.
    let ours = explore(&Interpreter::new(&system, Capacities::Declared), &limits);
    if ours.extent != Extent::Complete {
        return Comparison::NotCompared(format!("the reference gave up: {:?}", ours.extent));
    }
    let workplace = match Workplace::of_text(&text) {
        Ok(workplace) => workplace,
        Err(e) => return Comparison::NotCompared(e.to_string()),
    };
    let settings = Settings { limits, compiler, seconds: 10, depth: 50_000, table: 16 };
    let mut outcome = compare(&system, &workplace, &settings);
    if let Comparison::Equal { .. } | Comparison::EqualRuntimeError = outcome {
        // The verifier that was just built also prints its automata.
        match automata::spin_automata(&workplace, "./graph") {
            Ok(tables) => {
                let differences = automata::differences(&system, &tables);
                if !differences.is_empty() {
                    outcome = Comparison::Different(differences);
                }
            }
            Err(why) => outcome = Comparison::NotCompared(why),
        }
    }
    if let Comparison::Equal { .. } = outcome {
        let differences = differences_in_cycles(&system, &workplace, &settings);
        if !differences.is_empty() {
            outcome = Comparison::Different(differences);
        }
    }
    match (outcome, compiler) {
        (Comparison::Different(_), Compiler::Quick) => compare_model(model, Compiler::Gcc("-O0")),
        (outcome, _) => outcome,
    }
}

fn differences_in_cycles(system: &System, workplace: &Workplace, settings: &Settings) -> Vec<String> {
    let mut differences = Vec::new();
    for question in cycles::questions(system) {
        if let Answers::Different(ours, theirs) = cycles::compare(system, workplace, question, settings) {
            differences.push(format!("{question:?} cycles: {ours}, SPIN {theirs}"));
        }
    }
    differences
}

/// The smallest model that differs, and how.
pub fn shrink_difference(model: &ModelTree) -> (ModelTree, Comparison) {
    let differs = |m: &ModelTree| matches!(compare_model(m, Compiler::Quick), Comparison::Different(_));
    let small = shrink(model, &differs);
    let outcome = compare_model(&small, Compiler::Gcc("-O0"));
    (small, outcome)
}

/// Reasons that differ only in where they occurred are one.
fn without_places(why: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in why.split_whitespace() {
        if !word.contains(|c: char| c.is_ascii_digit() || c == '\'') {
            words.push(word);
        }
    }
    words.join(" ")
}

fn code_of(errors: &[String]) -> String {
    let first = errors.first().map_or("", String::as_str);
    first.split(": ").nth(1).unwrap_or(first).to_string()
}
