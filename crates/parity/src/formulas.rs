//! Temporal formulas: the verdict of each `ltl` block compared with SPIN's, for all runs (`-a`) and for weakly fair ones (`-a -f`).
//!
//! Weak fairness is compared only where the two notions are the same: SPIN's `-f` loses runs that end (they stutter, and so no
//! process moves), in a rendezvous it lets the sender alone have its turn, and it waits for ever for a process whose `provided`
//! clause is false or whose priority is too low, which cannot move. So a model in which some run ends, somebody meets somebody, somebody is provided for
//! or has a priority is compared without fairness only. And SPIN counts its own automaton of the formula in `_nr_pr`, so that to ask about a model that
//! looks at that number changes what the model does: such a model is not compared.

use crate::cycles::Answers;
use crate::generate::{self, tree::ModelTree};
use crate::graph::Settings;
use crate::shrink::shrink;
use crate::spin::{Compiler, Ending, Figures, Workplace};
use crate::{input, random::Random};
use omega::{Fairness, Formula};
use promela::model::LtlFormula;
use search::fair::explicit::ExplicitSpace;
use search::fair::space::{Space, StateNumber};
use search::fair::{FairOptions, Property, check_formula};
use search::{Control, Limits};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter};

/// How far SPIN's notion of fairness is that of the definition, for one model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparable {
    /// Every run is infinite and nobody meets in a rendezvous: SPIN's `-f` asks what weak fairness asks.
    WithFairness,
    /// Some run ends.
    SomeRunEnds,
    /// There are channels without room for a message.
    HasRendezvous,
    /// There are `provided` clauses, or priorities.
    HasProvided,
    /// That could not be found out.
    TooLarge,
}

/// Which questions about a model have one meaning.
pub fn comparable(system: &System, most_states: usize) -> Comparable {
    if system.model.channel_types.iter().any(|channel| channel.capacity == 0) {
        return Comparable::HasRendezvous;
    }
    let is_provided = system.model.proctypes.iter().any(|proctype| proctype.provided.is_some());
    if is_provided || system.model.features.priorities {
        return Comparable::HasProvided;
    }
    match some_run_ends(system, most_states) {
        Some(false) => Comparable::WithFairness,
        Some(true) => Comparable::SomeRunEnds,
        None => Comparable::TooLarge,
    }
}

/// What verifier is built for a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verifier {
    /// Without reduction: the semantics.
    Full,
    /// With SPIN's reduction, for what is too large without; never under fairness.
    Reduced,
}

/// Generates and compiles the verifiers, once for all formulas of a model.
pub fn prepare(workplace: &Workplace, settings: &Settings) -> Result<(), String> {
    if !workplace.folder().join("pan.c").is_file() {
        workplace.generate()?;
    }
    workplace.compile(Verifier::Full.binary(), settings.compiler, &["-DNOREDUCE"])
}

impl Verifier {
    fn binary(self) -> &'static str {
        match self {
            Verifier::Full => "full",
            Verifier::Reduced => "reduced",
        }
    }
}

/// Asks both whether some run, or some weakly fair run, violates a formula.
pub fn compare(
    system: &System,
    workplace: &Workplace,
    formula: &LtlFormula,
    fairness: Fairness,
    settings: &Settings,
) -> Answers {
    if system.model.features.number_of_processes {
        return Answers::NotCompared("SPIN counts the formula as a process in `_nr_pr`".to_string());
    }
    let theirs = match ask_spin(workplace, &formula.name, fairness, settings) {
        Ok(answer) => answer,
        Err(why) => return Answers::NotCompared(why),
    };
    match is_violated(system, formula, fairness, settings) {
        Ok(ours) if ours == theirs => Answers::Equal(ours),
        Ok(ours) => Answers::Different(ours, theirs),
        Err(why) => Answers::NotCompared(why),
    }
}

fn is_violated(
    system: &System,
    formula: &LtlFormula,
    fairness: Fairness,
    settings: &Settings,
) -> Result<bool, String> {
    let options = FairOptions {
        fairness,
        diagnose: false,
        limits: Limits {
            states: Some(settings.limits.states),
            memory: Some(2 << 30),
            deadline: Some(Instant::now() + settings.limits.time),
        },
        ..FairOptions::default()
    };
    let report = check_formula(system, formula, &options, &Control::none());
    match report.verdict.word() {
        "PROVED" => Ok(false),
        "VIOLATED" => Ok(true),
        _ => Err(format!("not decided here: {:?}", report.verdict)),
    }
}

/// Whether SPIN finds a run that violates the formula.
fn ask_spin(
    workplace: &Workplace,
    name: &str,
    fairness: Fairness,
    settings: &Settings,
) -> Result<bool, String> {
    let answer = ask_verifier(workplace, Verifier::Full, name, fairness, settings);
    if answer.is_ok() || fairness != Fairness::None {
        return answer;
    }
    workplace.compile(Verifier::Reduced.binary(), settings.compiler, &[])?;
    ask_verifier(workplace, Verifier::Reduced, name, fairness, settings)
}

fn ask_verifier(
    workplace: &Workplace,
    verifier: Verifier,
    name: &str,
    fairness: Fairness,
    settings: &Settings,
) -> Result<bool, String> {
    let (depth, table) = (format!("-m{}", settings.depth), format!("-w{}", settings.table));
    let mut arguments = vec!["-a", "-n", depth.as_str(), table.as_str(), "-N", name];
    if fairness == Fairness::Weak {
        arguments.push("-f");
    }
    let answer = verdict_of(workplace, verifier, &arguments, settings)?;
    match answer {
        Some(violated) => Ok(violated),
        // The first error is an assertion of the model, which is asked for elsewhere: look for others.
        None => {
            arguments.push("-c0");
            let found = verdict_of(workplace, verifier, &arguments, settings)?;
            Ok(found.unwrap_or(false))
        }
    }
}

/// Runs the verifier; nothing if it only found errors that have nothing to do with a formula.
fn verdict_of(
    workplace: &Workplace,
    verifier: Verifier,
    arguments: &[&str],
    settings: &Settings,
) -> Result<Option<bool>, String> {
    let program = format!("./{}", verifier.binary());
    let run = workplace.run(&program, arguments, settings.seconds).map_err(|e| e.to_string())?;
    match run.ending {
        Ending::TimedOut => return Err(format!("SPIN needs more than {} s", settings.seconds)),
        Ending::Crashed => return Err("the verifier crashed".to_string()),
        Ending::Exited(_) => {}
    }
    let figures = Figures::parse(&run.output).ok_or("the verifier stopped")?;
    // The claim of a formula that is violated by a finite run asserts `!(…)` at its end; those of others end, or have a cycle.
    let of_formula = |m: &String| {
        m.contains("acceptance cycle")
            || m.contains("claim violated")
            || m.starts_with("assertion violated  !(")
    };
    let of_model = |m: &String| m.starts_with("assertion violated");
    if figures.messages.iter().any(of_formula) {
        Ok(Some(true))
    } else if figures.depth_exceeded {
        Err("deeper than SPIN's stack".to_string())
    } else if figures.errors == 0 {
        Ok(Some(false))
    } else if figures.messages.iter().all(of_model) {
        Ok(None)
    } else {
        Err(format!("another error: {:?}", figures.messages))
    }
}

/// Whether some run ends; nothing if there are too many states, or a run ends in an error.
fn some_run_ends(system: &System, most_states: usize) -> Option<bool> {
    let property = Property { formula: Formula::True, propositions: Vec::new() };
    let interpreter = Interpreter::new(system, Capacities::Declared);
    let mut space = ExplicitSpace::new(interpreter, &property);
    space.initial().ok()?;
    let mut next = 0;
    while next < space.states() {
        if next > most_states {
            return None;
        }
        let expansion = space.expand(StateNumber(next as u32));
        if expansion.problem.is_some() {
            return None;
        }
        if expansion.moves.iter().any(|step| step.actors.is_empty()) {
            return Some(true);
        }
        next += 1;
    }
    Some(false)
}

/// What random formulas over random models came to.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Pairs of a model and a formula that were compared.
    pub pairs: u64,
    /// How many of them under weak fairness.
    pub fair_pairs: u64,
    /// In how many both find a run that violates the formula.
    pub violated: u64,
    /// Pairs that were not compared.
    pub skipped: u64,
    /// Models with their seeds, and what differs.
    pub different: Vec<(u64, Vec<String>, ModelTree)>,
}

/// Compares formulas over random models until there are so many pairs.
pub fn random(pairs: u64, seed: u64, threads: usize) -> Tally {
    const FORMULAS: usize = 12;
    let tally = Mutex::new(Tally::default());
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let enough = |tally: &Tally| tally.pairs >= pairs || tally.different.len() >= 5;
                    if index > pairs || enough(&tally.lock().unwrap_or_else(|e| e.into_inner())) {
                        break;
                    }
                    let seed = Random::new(Random::new(seed).bits().wrapping_add(index)).bits();
                    let model = generate::model_with_formulas(seed, FORMULAS);
                    let one = compare_model(&model, Compiler::Quick);
                    let mut tally = tally.lock().unwrap_or_else(|e| e.into_inner());
                    tally.pairs += one.pairs;
                    tally.fair_pairs += one.fair_pairs;
                    tally.violated += one.violated;
                    tally.skipped += FORMULAS as u64 - one.pairs.saturating_sub(one.fair_pairs);
                    if !one.differences.is_empty() {
                        tally.different.push((seed, one.differences, model));
                    }
                }
            });
        }
    });
    tally.into_inner().unwrap_or_else(|e| e.into_inner())
}

/// The smallest model that differs, and how.
pub fn shrink_difference(model: &ModelTree) -> (ModelTree, Vec<String>) {
    let differs = |m: &ModelTree| !compare_model(m, Compiler::Quick).differences.is_empty();
    let small = shrink(model, &differs);
    let differences = compare_model(&small, Compiler::Gcc("-O0")).differences;
    (small, differences)
}

/// What the formulas of one model came to.
#[derive(Default)]
pub(crate) struct OneModel {
    pub(crate) pairs: u64,
    fair_pairs: u64,
    violated: u64,
    pub(crate) differences: Vec<String>,
}

/// Compares all formulas of a model. A difference counts only if the usual compiler confirms it.
pub(crate) fn compare_model(model: &ModelTree, compiler: Compiler) -> OneModel {
    const MOST_STATES: usize = 5_000;
    let text = model.text();
    let mut one = OneModel::default();
    let Ok(system) = input::read_text("model.pml", &text) else { return one };
    let comparable = comparable(&system, MOST_STATES);
    // Some models were not explored by the question, so that is done here.
    let is_small = comparable != Comparable::TooLarge && some_run_ends(&system, MOST_STATES).is_some();
    let Ok(workplace) = Workplace::of_text(&text) else { return one };
    let limits = crate::reference::Limits {
        states: 4 * MOST_STATES as u64,
        time: Duration::from_secs(10),
        atomic_steps: 300,
    };
    let settings = Settings { limits, compiler, seconds: 10, depth: 100_000, table: 16 };
    if !is_small || prepare(&workplace, &settings).is_err() {
        return one;
    }
    let fairness: &[Fairness] = match comparable {
        Comparable::WithFairness => &[Fairness::None, Fairness::Weak],
        _ => &[Fairness::None],
    };
    for formula in &system.model.formulas {
        for &fairness in fairness {
            match compare(&system, &workplace, formula, fairness, &settings) {
                Answers::Equal(violated) => {
                    one.pairs += 1;
                    one.fair_pairs += u64::from(fairness == Fairness::Weak);
                    one.violated += u64::from(violated);
                }
                Answers::Different(ours, theirs) => {
                    one.pairs += 1;
                    let name = &formula.name;
                    let difference = format!("{name} {fairness:?}: violated here {ours}, SPIN {theirs}");
                    one.differences.push(difference);
                }
                Answers::NotCompared(_) => {}
            }
        }
    }
    if compiler == Compiler::Quick && !one.differences.is_empty() {
        return compare_model(model, Compiler::Gcc("-O0"));
    }
    one
}
