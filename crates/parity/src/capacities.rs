//! What is proved for every capacity held against searches with some: random protocols with random formulas. And certificates that were changed:
//! those that still hold must tell the truth.

use crate::generate::protocol::{Cast, protocol};
use crate::input;
use crate::random::Random;
use certificate::Certificate;
use certificate::potential::Proof;
use certificate::verdict::{Capacities as ProofCapacities, Fairness, ProgressReading, Verdict};
use promela::model::ProctypeId;
use proofs::{Budgets, Fact, FormulaOptions, Nobody, ProgressOptions};
use search::fair::{FairOptions, check_formula, check_progress, with_processes};
use search::{Control, Limits};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use system::automaton::System;
use system::capacities::{Capacities, CapacityReading};
use system::clock::Instant;
use system::progress::{ProgressAt, ProgressPlace};
use verify::{CheckOptions, FormulaChoice, Questions, Supervisor, check};

/// Capacities with which a proof is held against a search.
const SIZES: [Capacities; 6] = [
    Capacities::Fixed(1),
    Capacities::Fixed(2),
    Capacities::Fixed(3),
    Capacities::Fixed(8),
    Capacities::Declared,
    Capacities::Unbounded,
];

/// What random pairs of a model and a formula came to.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Pairs.
    pub pairs: u64,
    /// Proved by a certificate.
    pub certified: u64,
    /// Proved by search, of those that were asked.
    pub searched: u64,
    /// Violated with some capacity, of those that were asked.
    pub violated: u64,
    /// Searches that a proof was held against.
    pub compared: u64,
    /// Certificates that were changed and refused.
    pub refused: u64,
    /// Certificates that were changed and hold.
    pub changed: u64,
    /// Models of which it was proved that fair runs make progress.
    pub fairly_free: u64,
    /// Pairs that were asked for any number of processes too.
    pub counted: u64,
    /// Proved for any number of processes.
    pub of_any: u64,
    /// Proofs that a search contradicts.
    pub wrong: Vec<(u64, String)>,
}

/// Changes that are tried on each certificate.
const CHANGES: usize = 24;

/// Pairs from a seed on. Every fifth is asked with search too.
pub fn random(pairs: u64, seed: u64) -> Tally {
    let mut tally = Tally::default();
    for number in seed..seed + pairs {
        match number % 4 {
            0 => tally.any_number(number),
            1 => tally.fair_progress(number),
            _ => {}
        }
        let (text, fairness) = protocol(number, Cast::Given);
        let Ok(system) = input::read_text("model.pml", &text) else { continue };
        tally.pairs += 1;
        let certificate = certified(&system, fairness, Vec::new());
        tally.certified += u64::from(certificate.is_some());
        let mut is_proved = certificate.is_some();
        if number % 5 == 0 {
            match asked(&system, fairness) {
                "PROVED" => {
                    tally.searched += 1;
                    is_proved = true;
                }
                "VIOLATED" => {
                    tally.violated += 1;
                    if certificate.is_some() {
                        tally.wrong.push((number, format!("violated and certified ({fairness:?}):\n{text}")));
                    }
                }
                _ => {}
            }
        }
        if is_proved {
            tally.hold_against_searches(number, &text, &system, ("p", fairness));
        }
        if let Some(certificate) = certificate {
            tally.change(number, &text, &system, &certificate);
        }
    }
    tally
}

impl Tally {
    fn hold_against_searches(
        &mut self,
        number: u64,
        text: &str,
        system: &System,
        (name, fairness): (&str, Fairness),
    ) {
        for capacities in SIZES {
            self.compared += 1;
            if is_violated(system, name, capacities, fairness) {
                let what = format!("{name} is violated with {capacities:?} ({fairness:?}):\n{text}");
                self.wrong.push((number, what));
                break;
            }
        }
    }

    /// What is proved for any number of processes and every capacity, held against some of both.
    fn any_number(&mut self, number: u64) {
        let (text, fairness) = protocol(number, Cast::Counted);
        let Ok(system) = input::read_text("model.pml", &text) else { return };
        self.counted += 1;
        if certified(&system, fairness, vec!["P0".to_string()]).is_none() {
            return;
        }
        self.of_any += 1;
        for processes in 1..=3 {
            let several = with_processes(&system, &[(ProctypeId(0), processes)]);
            let text = format!("{processes} of P0:\n{text}");
            self.hold_against_searches(number, &text, &several, ("p", fairness));
        }
    }

    /// What is proved of progress of fair runs, held against searches.
    fn fair_progress(&mut self, number: u64) {
        let (text, fairness) = protocol(number, Cast::Given);
        let Ok(system) = input::read_text("model.pml", &text) else { return };
        let fairness = if fairness == Fairness::None { Fairness::Strong } else { fairness };
        let progress = ProgressAt::Places(vec![ProgressPlace::Label("lab".to_string())]);
        let nobody = Nobody::until(Instant::now() + Duration::from_secs(2));
        let budgets = Budgets { refinements: 4, ..Budgets::default() };
        let (capacities, progress_at) = (ProofCapacities::Any, progress.clone());
        let options = ProgressOptions { capacities, progress, fairness, budgets };
        proofs::progress(&system, &options, &nobody);
        if !nobody.facts().iter().any(|fact| matches!(fact, Fact::FairProgress(_))) {
            return;
        }
        self.fairly_free += 1;
        for capacities in SIZES {
            self.compared += 1;
            let (options, reading) = (limited(capacities, fairness), ProgressReading::Transition);
            let report = check_progress(&system, &progress_at, reading, &options, &Control::none());
            if matches!(report.verdict, Verdict::Violated(_)) {
                let what = format!("a fair run without progress with {capacities:?} ({fairness:?}):\n{text}");
                self.wrong.push((number, what));
                break;
            }
        }
    }

    /// Changes a certificate in turn, at random places; what is not refused and says something else is held against searches.
    fn change(&mut self, number: u64, text: &str, system: &System, certificate: &Certificate) {
        let Ok(whole) = serde_json::to_value(certificate) else { return };
        let said = told(certificate);
        let mut known = said.clone();
        let mut random = Random::new(number);
        for _ in 0..CHANGES {
            let mut changed = whole.clone();
            change(&mut changed, &mut random);
            if changed == whole {
                continue;
            }
            let Ok(mut changed) = serde_json::from_value::<Certificate>(changed) else {
                self.refused += 1;
                continue;
            };
            changed.seal();
            if certificate::check::check(system, &changed).is_err() {
                self.refused += 1;
                continue;
            }
            self.changed += 1;
            for (name, fairness) in told(&changed) {
                if !known.contains(&(name.clone(), fairness)) {
                    self.hold_against_searches(number, text, system, (&name, fairness));
                    known.push((name, fairness));
                }
            }
        }
    }
}

/// What a certificate says about formulas.
fn told(certificate: &Certificate) -> Vec<(String, Fairness)> {
    let formulas = certificate.proofs.iter().filter_map(|proof| match proof {
        Proof::Formula { formula, fairness, .. } => Some((formula.clone(), *fairness)),
        _ => None,
    });
    formulas.collect()
}

/// Changes a number, leaves something out, writes it twice, or claims something else.
fn change(certificate: &mut Value, random: &mut Random) {
    if random.percent(25) {
        let proofs = certificate["proofs"].as_array_mut();
        let formulas = proofs.into_iter().flatten().filter_map(|proof| proof.get_mut("formula"));
        for formula in formulas.filter_map(Value::as_object_mut) {
            match random.below(2) {
                0 => formula.insert("formula".to_string(), Value::from("q")),
                _ => formula.remove("fairness"),
            };
        }
        return;
    }
    let part = if random.percent(75) { "proofs" } else { "claims" };
    let mut places = Vec::new();
    collect(&certificate[part], String::new(), &mut places);
    let Some(place) = random.pick(&places) else { return };
    match certificate[part].pointer_mut(place) {
        Some(Value::Array(list)) if !list.is_empty() => {
            let at = random.below(list.len());
            match random.below(3) {
                0 => list.insert(at, list[at].clone()),
                _ => {
                    list.remove(at);
                }
            }
        }
        Some(value) => {
            if let Some(number) = value.as_i64() {
                *value = Value::from([number - 1, number + 1, 0, -number, 2 * number][random.below(5)]);
            }
        }
        None => {}
    }
}

/// The places of numbers and of lists with something in them.
fn collect(value: &Value, place: String, places: &mut Vec<String>) {
    match value {
        Value::Number(_) => places.push(place),
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                collect(value, format!("{place}/{index}"), places);
            }
            if !list.is_empty() {
                places.push(place);
            }
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| collect(value, format!("{place}/{name}"), places));
        }
        _ => {}
    }
}

fn certified(system: &System, fairness: Fairness, any_number: Vec<String>) -> Option<Arc<Certificate>> {
    let nobody = Nobody::until(Instant::now() + Duration::from_secs(2));
    let budgets = Budgets { refinements: 4, ..Budgets::default() };
    let options = FormulaOptions {
        capacities: ProofCapacities::Any,
        name: "p".to_string(),
        fairness,
        any_number,
        budgets,
    };
    proofs::formula(system, &options, &nobody);
    nobody.facts().into_iter().find_map(|fact| match fact {
        Fact::Formula { certificate, .. } => Some(certificate),
        _ => None,
    })
}

fn asked(system: &System, fairness: Fairness) -> &'static str {
    let options = CheckOptions {
        questions: Questions { formulas: FormulaChoice::Named(vec!["p".to_string()]), ..Questions::none() },
        formula_capacities: CapacityReading::Any,
        fairness,
        time: Some(Duration::from_secs(3)),
        ..CheckOptions::default()
    };
    let report = check(system, &options, &Supervisor::none());
    report.answers.first().map_or("UNKNOWN", |answer| answer.verdict.word())
}

fn is_violated(system: &System, name: &str, capacities: Capacities, fairness: Fairness) -> bool {
    let Some(formula) = system.model.formulas.iter().find(|formula| formula.name == name) else {
        return false;
    };
    let options = limited(capacities, fairness);
    let report = check_formula(system, formula, &options, &Control::none());
    matches!(report.verdict, Verdict::Violated(_))
}

/// A search with these capacities that does not take long.
fn limited(capacities: Capacities, fairness: Fairness) -> FairOptions {
    FairOptions {
        fairness: of_omega(fairness),
        capacities,
        diagnose: false,
        limits: Limits {
            states: Some(if capacities == Capacities::Unbounded { 1_000 } else { 20_000 }),
            memory: Some(1 << 30),
            deadline: Some(Instant::now() + Duration::from_secs(3)),
        },
        ..FairOptions::default()
    }
}

fn of_omega(fairness: Fairness) -> omega::Fairness {
    match fairness {
        Fairness::None => omega::Fairness::None,
        Fairness::Weak => omega::Fairness::Weak,
        Fairness::Strong => omega::Fairness::Strong,
    }
}
