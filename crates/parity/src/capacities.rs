//! What is proved for every capacity held against searches with some: random protocols with random formulas. And progress of fair runs held against
//! SPIN's `-DNP -l -f`.
//!
//! The protocols are small on purpose, a few loops that send, receive, look and set, so that potentials prove something about every third of them.

use crate::formulas::{Comparable, comparable};
use crate::generate;
use crate::graph::Settings;
use crate::input;
use crate::random::Random;
use crate::reference::Limits as ReferenceLimits;
use crate::spin::{Compiler, Workplace};
use crate::verdicts;
use certificate::verdict::{Capacities as ProofCapacities, Fairness, ProgressReading, Verdict};
use proofs::{Budgets, Fact, FormulaOptions, Nobody};
use search::fair::{FairOptions, check_formula, check_progress};
use search::{Control, Limits};
use std::time::Duration;
use system::automaton::System;
use system::capacities::{Capacities, CapacityReading};
use system::clock::Instant;
use system::progress::ProgressAt;
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
    /// Proofs that a search contradicts.
    pub wrong: Vec<(u64, String)>,
}

/// Pairs from a seed on. Every fifth is asked with search too.
pub fn random(pairs: u64, seed: u64) -> Tally {
    let mut tally = Tally::default();
    for number in seed..seed + pairs {
        let (text, fairness) = protocol(number);
        let Ok(system) = input::read_text("model.pml", &text) else { continue };
        tally.pairs += 1;
        let is_certified = certified(&system, fairness);
        tally.certified += u64::from(is_certified);
        let mut is_proved = is_certified;
        if number % 5 == 0 {
            match asked(&system, fairness) {
                "PROVED" => {
                    tally.searched += 1;
                    is_proved = true;
                }
                "VIOLATED" => {
                    tally.violated += 1;
                    if is_certified {
                        tally.wrong.push((number, format!("violated and certified ({fairness:?}):\n{text}")));
                    }
                }
                _ => {}
            }
        }
        if !is_proved {
            continue;
        }
        for capacities in SIZES {
            tally.compared += 1;
            if is_violated(&system, capacities, fairness) {
                tally.wrong.push((number, format!("violated with {capacities:?} ({fairness:?}):\n{text}")));
                break;
            }
        }
    }
    tally
}

fn certified(system: &System, fairness: Fairness) -> bool {
    let nobody = Nobody::until(Instant::now() + Duration::from_secs(2));
    let budgets = Budgets { refinements: 4, ..Budgets::default() };
    let options =
        FormulaOptions { capacities: ProofCapacities::Any, name: "p".to_string(), fairness, budgets };
    proofs::formula(system, &options, &nobody);
    nobody.facts().iter().any(|fact| matches!(fact, Fact::Formula { .. }))
}

fn asked(system: &System, fairness: Fairness) -> &'static str {
    let options = CheckOptions {
        questions: Questions { formulas: FormulaChoice::All, ..Questions::none() },
        formula_capacities: CapacityReading::Any,
        fairness,
        time: Some(Duration::from_secs(3)),
        ..CheckOptions::default()
    };
    let report = check(system, &options, &Supervisor::none());
    report.answers.first().map_or("UNKNOWN", |answer| answer.verdict.word())
}

fn is_violated(system: &System, capacities: Capacities, fairness: Fairness) -> bool {
    let options = FairOptions {
        fairness: of_omega(fairness),
        capacities,
        diagnose: false,
        limits: Limits {
            states: Some(if capacities == Capacities::Unbounded { 1_000 } else { 20_000 }),
            memory: Some(1 << 30),
            deadline: Some(Instant::now() + Duration::from_secs(3)),
        },
        ..FairOptions::default()
    };
    let report = check_formula(system, &system.model.formulas[0], &options, &Control::none());
    matches!(report.verdict, Verdict::Violated(_))
}

fn of_omega(fairness: Fairness) -> omega::Fairness {
    match fairness {
        Fairness::None => omega::Fairness::None,
        Fairness::Weak => omega::Fairness::Weak,
        Fairness::Strong => omega::Fairness::Strong,
    }
}

/// A protocol with one formula, and the runs that count.
fn protocol(seed: u64) -> (String, Fairness) {
    let mut random = Random::new(seed.wrapping_mul(0x5851_f42d_4c95_7f2d));
    let channels = 1 + random.below(3);
    let variables = random.below(3);
    let processes = 1 + random.below(3);
    let mut maker = Maker { random, channels, variables, processes };
    let mut text = String::new();
    for channel in 0..channels {
        let size = if maker.random.percent(12) { 0 } else { 1 + maker.random.below(3) };
        text += &format!("chan c{channel} = [{size}] of {{ byte }};\n");
    }
    for variable in 0..variables {
        text += &format!("byte x{variable};\n");
    }
    for process in 0..processes {
        let body = maker.body(2);
        let body = match maker.random.below(10) {
            0 => format!("{body}; lab: skip; {}", maker.body(1)),
            1 => format!("{body}; do :: skip; lab: skip od"),
            _ => format!("do :: {body}; lab: {} od", maker.statement(0)),
        };
        text += &format!("active proctype P{process}() {{ {body} }}\n");
    }
    let formula = maker.formula();
    text += &format!("ltl p {{ {formula} }}\n");
    let fairness = match maker.random.below(4) {
        0 => Fairness::Weak,
        1 => Fairness::Strong,
        _ => Fairness::None,
    };
    (text, fairness)
}

struct Maker {
    random: Random,
    channels: usize,
    variables: usize,
    processes: usize,
}

impl Maker {
    fn body(&mut self, depth: usize) -> String {
        let count = 1 + self.random.below(3);
        let statements: Vec<String> = (0..count).map(|_| self.statement(depth)).collect();
        statements.join("; ")
    }

    fn statement(&mut self, depth: usize) -> String {
        let channel = self.random.below(self.channels);
        let value = self.random.below(2);
        match self.random.below(14) {
            0..=3 => format!("c{channel}!{value}"),
            4..=6 => format!("c{channel}?_"),
            7 => format!("c{channel}?{value}"),
            8 if self.variables > 0 => format!("x{} = {value}", self.random.below(self.variables)),
            9 if self.variables > 0 => format!("x{} == {value}", self.random.below(self.variables)),
            10 => {
                ["skip", "timeout", "nempty(c0)", "empty(c0)", "nfull(c0)"][self.random.below(5)].to_string()
            }
            11 if depth > 0 => {
                let (one, other) = (self.body(depth - 1), self.body(depth - 1));
                let last = if self.random.percent(30) { ":: else" } else { "" };
                format!("if :: {one} :: {other} {last} fi")
            }
            12 if depth > 0 => format!("atomic {{ {} }}", self.body(depth - 1)),
            13 if self.variables > 0 => {
                let variable = self.random.below(self.variables);
                format!("d_step {{ x{variable} = {value}; x{variable} = 1 - x{variable} }}")
            }
            _ => format!("c{channel}!{value}"),
        }
    }

    fn atom(&mut self) -> String {
        let channel = self.random.below(self.channels);
        match self.random.below(8) {
            0..=2 => format!("(P{}@lab)", self.random.below(self.processes)),
            3 if self.variables > 0 => {
                format!("(x{} == {})", self.random.below(self.variables), self.random.below(2))
            }
            4 => format!("empty(c{channel})"),
            5 => format!("(len(c{channel}) <= {})", self.random.below(3)),
            6 => format!("nempty(c{channel})"),
            _ => format!("(P{}@lab)", self.random.below(self.processes)),
        }
    }

    fn formula(&mut self) -> String {
        let (a, b, c) = (self.atom(), self.atom(), self.atom());
        match self.random.below(13) {
            0 => format!("[] {a}"),
            1 => format!("[] !({a} && {b})"),
            2 => format!("[] <> {a}"),
            3 => format!("<> [] {a}"),
            4..=6 => format!("[] ({a} -> <> {b})"),
            7 => format!("!{a} W {b}"),
            8 => format!("!{a} U {b}"),
            9 => format!("([] <> {a}) -> ([] <> {b})"),
            10 => format!("[] ({a} -> ({b} W {c}))"),
            11 => format!("[] ({a} -> X {b})"),
            _ => format!("<> ({a} || [] {b})"),
        }
    }
}

/// What random models, or given ones, came to where only fair runs count.
#[derive(Clone, Debug, Default)]
pub struct FairTally {
    /// Both say that there is no livelock.
    pub free: u64,
    /// Both say that there is one.
    pub livelocks: u64,
    /// One of the two was not asked or has no answer.
    pub open: u64,
    /// Models about which they cannot both be right.
    pub different: Vec<String>,
}

impl FairTally {
    fn add(&mut self, name: &str, ours: Option<bool>, theirs: Result<bool, String>) {
        match (ours, theirs) {
            (Some(true), Ok(true)) => self.livelocks += 1,
            (Some(false), Ok(false)) => self.free += 1,
            (None, _) | (_, Err(_)) => self.open += 1,
            (Some(ours), Ok(theirs)) => self.different.push(format!("{name}: {ours}, SPIN: {theirs}")),
        }
    }
}

/// Random models under weak fairness.
pub fn random_fair_progress(count: u64, seed: u64) -> FairTally {
    let mut tally = FairTally::default();
    let mut number = seed;
    while tally.free + tally.livelocks + (tally.different.len() as u64) < count && number < seed + 20 * count
    {
        let mut model = generate::model(number);
        model.formulas.clear();
        let text = model.text();
        number += 1;
        if let (Ok(system), Ok(workplace)) = (input::read_text("model.pml", &text), Workplace::of_text(&text))
        {
            let settings = Settings {
                limits: ReferenceLimits { states: 20_000, time: Duration::from_secs(3), atomic_steps: 300 },
                compiler: Compiler::Quick,
                seconds: 5,
                depth: 50_000,
                table: 16,
            };
            let name = format!("model {}", number - 1);
            fair_progress(&name, &system, &workplace, &settings, &mut tally);
        }
    }
    tally
}

/// One model. Where SPIN's fairness is another ([`comparable`]) nobody is asked.
pub fn fair_progress(
    name: &str,
    system: &System,
    workplace: &Workplace,
    settings: &Settings,
    tally: &mut FairTally,
) {
    let has_claim = !system.claims.is_empty() || !system.model.formulas.is_empty();
    let is_comparable = comparable(system, settings.limits.states as usize) == Comparable::WithFairness;
    if has_claim || !is_comparable || system.model.features.number_of_processes {
        tally.open += 1;
        return;
    }
    let options = FairOptions {
        fairness: omega::Fairness::Weak,
        diagnose: false,
        limits: Limits {
            states: Some(settings.limits.states),
            memory: Some(1 << 30),
            deadline: Some(Instant::now() + settings.limits.time),
        },
        ..FairOptions::default()
    };
    let report =
        check_progress(system, &ProgressAt::Labels, ProgressReading::State, &options, &Control::none());
    let ours = match report.verdict {
        Verdict::Proved(_) => Some(false),
        Verdict::Violated(_) => Some(true),
        Verdict::Unknown(_) => None,
    };
    if ours.is_some() {
        tally.add(name, ours, verdicts::fair_non_progress(workplace, settings));
    } else {
        tally.open += 1;
    }
}
