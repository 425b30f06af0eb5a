//! Random models of groups of processes that nothing tells apart: states against counters, and proofs for any number against
//! every small instance.

use certificate::trace::replay;
use certificate::verdict::{ProgressReading, Verdict};
use omega::Fairness;
use promela::model::ProctypeId;
use search::counters::{CounterSpace, Stuttering, symmetry};
use search::fair::explicit::ExplicitSpace;
use search::fair::space::{Space, StateNumber};
use search::fair::{
    Counters, FairOptions, Method, Numbers, ProcessNumber, Property, Representation, check_formula,
    check_progress, with_processes,
};
use search::{Control, Limits};
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter};
use system::progress::{ProgressAt, ProgressPlace};

/// A small generator of numbers, the same everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }

    fn pick<'t>(&mut self, choices: &[&'t str]) -> &'t str {
        choices[self.below(choices.len() as u64) as usize]
    }
}

const GUARDS: [&str; 17] = [
    "true",
    "flag",
    "!flag",
    "n == 0",
    "n > 0",
    "n < 2",
    "n > 1",
    "mode == 1",
    "mode != 2",
    "x == 0",
    "x == 1",
    "n == 1",
    "r?0",
    "r!0",
    "c?x",
    "c!1",
    "timeout",
];
/// The guards that need nobody else.
const PLAIN_GUARDS: usize = 12;
const EFFECTS: [&str; 9] = [
    "skip",
    "n++",
    "n--",
    "flag = true",
    "flag = false",
    "mode = (mode + 1) % 3",
    "x = 1 - x",
    "x = flag",
    "n++; x = 1",
];
const FORMULAS: [&str; 16] = [
    "[] (n < 2)",
    "<> (n > 0)",
    "[]<> (n == 0)",
    "<>[] (n == 1)",
    "[] (flag -> <> !flag)",
    "<>[] flag",
    "[]<> (mode == 1)",
    "[] (n > 0 -> <> (n == 0))",
    "(n == 0) U flag",
    "[]<> (n > 1) -> []<> flag",
    "[] (P[*]@s0 > 0)",
    "[]<> (P[*]@s0 == 1)",
    "<> (P[*]@s0 < 2)",
    "[] (P[*]@s0 > 1 -> <> (P[*]@s0 <= 1))",
    "<>[] (len(c) == 1)",
    "[]<> (len(c) == 0 || flag)",
];
const HOST: [&str; 8] = ["r!0", "r?0", "n++", "n--", "flag = !flag", "c!1", "mode = 1", "n > 0"];

/// What a random model may have beside plain guards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flavour {
    /// Nothing: the abstractions for any number are at their best here.
    Plain,
    /// Rendezvous, a buffer, `timeout`, and somebody who is not like the others.
    Meeting,
    /// The same, and processes come to an end; sometimes others are started.
    Ending,
}

fn random_model(dice: &mut Dice, processes: u32, flavour: Flavour) -> String {
    let number = dice.pick(&["int", "byte"]);
    let mut text = format!(
        "{number} n; bool flag; byte mode; chan c = [1] of {{ bit }};\n{}",
        if flavour == Flavour::Plain { "" } else { "chan r = [0] of { bit };\n" }
    );
    let guards = if flavour == Flavour::Plain { &GUARDS[..PLAIN_GUARDS] } else { &GUARDS[..] };
    let ends = flavour == Flavour::Ending;
    for name in ["P", "Q"].iter().take(1 + dice.below(2) as usize) {
        text += &format!("active [{processes}] proctype {name}() {{ bit x;\n");
        let states = 1 + dice.below(3);
        for state in 0..states {
            text += &format!("  s{state}: if\n");
            for _ in 0..1 + dice.below(3) {
                let target = match dice.below(states + u64::from(ends)) {
                    last if last == states => "out".to_string(),
                    number => format!("s{number}"),
                };
                let (guard, effect) = (dice.pick(guards), dice.pick(&EFFECTS));
                if dice.below(3) > 0 {
                    text += &format!("    :: atomic {{ {guard} -> {effect} }}; goto {target}\n");
                } else {
                    text += &format!("    :: {guard} -> {effect}; goto {target}\n");
                }
            }
            text += "  fi;\n";
        }
        text += if ends { "  goto s0; out: skip }\n" } else { "  goto s0 }\n" };
    }
    if ends && dice.below(4) == 0 {
        let (guard, again) = (dice.pick(&["n < 2", "flag", "mode == 0"]), dice.pick(&["od", "od; n++"]));
        text += &format!(
            "active proctype Source() {{ byte k; do :: atomic {{ {guard} && k < 3 -> k++; run P() }} :: n > 1 -> break {again} }}\n"
        );
    }
    if flavour != Flavour::Plain {
        let steps: Vec<&str> = (0..1 + dice.below(4)).map(|_| dice.pick(&HOST)).collect();
        let sequence = steps.join("; ");
        text += &match dice.below(4) {
            0 => String::new(),
            1 => format!("active proctype Host() {{ {sequence} }}\n"),
            2 => format!("active proctype Host() {{ atomic {{ {sequence} }} }}\n"),
            _ => format!("active proctype Host() {{ do :: atomic {{ {sequence} }} od }}\n"),
        };
    }
    let formula = dice.pick(&FORMULAS);
    text + &format!("ltl f {{ {formula} }}\n")
}

fn read(text: &str) -> System {
    let (model, diagnostics) =
        promela::read("random.pml", text, &promela::Options::default(), &promela::NoIncludes);
    let is_error = |d: &&promela::diagnostic::Diagnostic| d.severity == promela::diagnostic::Severity::Error;
    assert!(diagnostics.iter().find(is_error).is_none(), "{diagnostics:?}\n{text}");
    system::lower::lower(model).0
}

fn verdict(system: &System, options: &FairOptions, text: &str) -> &'static str {
    let report = check_formula(system, &system.model.formulas[0], options, &Control::none());
    if let Verdict::Unknown(unknown) = &report.verdict {
        let defect = matches!(unknown.reason, certificate::verdict::StopReason::ReplayFailed { .. });
        assert!(!defect, "{:?} {options:?}\n{text}", unknown.reason);
    }
    report.verdict.word()
}

fn limits(states: u64) -> Limits {
    Limits { states: Some(states), ..Limits::default() }
}

/// How many states there are, one by one and as counters that stand for them; nothing if there are too many. Whoever ends is not counted: the
/// dead and those about to die would be one.
fn numbers_of_states(system: &System) -> Option<(u64, u128)> {
    const MOST: usize = 1000;
    fn walk<S: Space>(space: &mut S) -> Option<usize> {
        space.initial().ok()?;
        let mut next = 0;
        while next < space.states() {
            let expansion = space.expand(StateNumber(next as u32));
            if next > MOST || expansion.problem.is_some() {
                return None;
            }
            next += 1;
        }
        Some(next)
    }
    let property = Property::new(&system.model.formulas[0].formula);
    let interpreter = Interpreter::new(system, Capacities::Declared);
    let mut plain = ExplicitSpace::new(interpreter, &property);
    let mut counted =
        CounterSpace::new(interpreter, &property, &symmetry(system, &property, Stuttering::Seen));
    let states = walk(&mut plain)?;
    let counters = walk(&mut counted)?;
    let expanded = (0..counters as u32).map(|number| counted.concrete_states(StateNumber(number))).sum();
    Some((states as u64, expanded))
}

/// Holds names and counters against each other under every fairness: how often both decide, and how often something is violated.
fn agree_on_fair_runs(system: &System, text: &str) -> (u32, u32) {
    let (mut decided, mut violated) = (0, 0);
    for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
        let options = |counters| FairOptions {
            fairness,
            counters,
            diagnose: false,
            limits: limits(600),
            cutoff: 0,
            ..FairOptions::default()
        };
        let plain = verdict(system, &options(Counters::Off), text);
        let counted = verdict(system, &options(Counters::On), text);
        if plain != "UNKNOWN" && counted != "UNKNOWN" {
            assert_eq!(plain, counted, "{fairness:?}\n{text}");
            decided += 1;
            violated += u32::from(plain == "VIOLATED");
        }
    }
    (decided, violated)
}

#[test]
fn states_and_counters_agree_on_random_groups() {
    let (mut decided, mut counted_models, mut violated) = (0, 0, 0);
    for seed in 0..400 {
        let mut dice = Dice(seed * 7919 + 1);
        let flavour = if seed % 3 == 0 { Flavour::Plain } else { Flavour::Meeting };
        let text = random_model(&mut dice, 3, flavour);
        let system = read(&text);
        if let Some((states, expanded)) = numbers_of_states(&system) {
            assert_eq!(u128::from(states), expanded, "seed {seed}\n{text}");
            counted_models += 1;
        }
        let agreed = agree_on_fair_runs(&system, &text);
        decided += agreed.0;
        violated += agreed.1;
    }
    assert!(decided > 800 && counted_models > 250 && violated > 250, "{decided} {counted_models} {violated}");
}

/// They end in the order of their numbers, which counters do not know.
#[test]
fn states_and_counters_agree_on_groups_whose_processes_end() {
    let (mut decided, mut violated) = (0, 0);
    for seed in 0..200 {
        let mut dice = Dice(seed * 7349 + 3);
        let text = random_model(&mut dice, 3, Flavour::Ending);
        let system = read(&text);
        let agreed = agree_on_fair_runs(&system, &text);
        decided += agreed.0;
        violated += agreed.1;
    }
    assert!(decided > 300 && violated > 100, "{decided} {violated}");
}

#[test]
fn what_is_said_of_any_number_is_true_of_every_small_one() {
    let (mut proved, mut violated) = (0, 0);
    for seed in 0..300 {
        let mut dice = Dice(seed * 104_729 + 5);
        let flavour = match seed % 4 {
            0 => Flavour::Meeting,
            1 => Flavour::Ending,
            _ => Flavour::Plain,
        };
        let text = random_model(&mut dice, 2, flavour);
        let system = read(&text);
        let is_group =
            |id: &ProctypeId| ["P", "Q"].contains(&system.model.proctypes[id.0 as usize].name.as_str());
        let groups: Vec<ProctypeId> =
            (0..system.model.proctypes.len() as u32).map(ProctypeId).filter(is_group).collect();
        let instance =
            |number: u32| with_processes(&system, &groups.iter().map(|&id| (id, number)).collect::<Vec<_>>());
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let processes =
                groups.iter().map(|&proctype| ProcessNumber { proctype, number: Numbers::Any }).collect();
            let options = FairOptions {
                fairness,
                processes,
                diagnose: false,
                limits: limits(600),
                cutoff: 2,
                ..FairOptions::default()
            };
            let report = check_formula(&system, &system.model.formulas[0], &options, &Control::none());
            match &report.verdict {
                Verdict::Unknown(_) => {}
                Verdict::Violated(found) => {
                    violated += 1;
                    let changed = with_processes(&system, &found.processes);
                    let replayed = replay(&changed, &found.trace);
                    assert!(replayed.is_ok(), "seed {seed} {fairness:?} {replayed:?}\n{text}");
                }
                Verdict::Proved(_) => {
                    assert!(matches!(report.representation, Representation::AnyNumber { .. }));
                    proved += 1;
                    for number in 1..=4 {
                        let plain = FairOptions {
                            fairness,
                            counters: if number < 4 { Counters::Off } else { Counters::On },
                            diagnose: false,
                            limits: limits(600),
                            cutoff: 0,
                            ..FairOptions::default()
                        };
                        let found = verdict(&instance(number), &plain, &text);
                        assert_ne!(found, "VIOLATED", "seed {seed} {fairness:?} {number}\n{text}");
                    }
                }
            }
        }
    }
    assert!(proved > 100 && violated > 200, "{proved} proved, {violated} violated");
}

/// Depth first with a set of edges for each process, and breadth first with all that is known of who moves: the same verdicts on formulas and progress.
#[test]
fn fair_runs_are_the_same_depth_first_and_state_by_state() {
    let progress = ProgressAt::Places(vec![ProgressPlace::Label("s0".to_string())]);
    let (mut decided, mut violated, mut by_fairness) = (0, 0, 0);
    for seed in 0..180u64 {
        let mut dice = Dice(seed * 7919 + 11);
        let flavour = [Flavour::Plain, Flavour::Meeting, Flavour::Ending][seed as usize % 3];
        let text = random_model(&mut dice, 1 + seed as u32 % 3, flavour);
        let system = read(&text);
        let mut of_formula = Vec::new();
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let options = |method| FairOptions {
                fairness,
                method,
                counters: Counters::Off,
                diagnose: false,
                limits: limits(300),
                ..FairOptions::default()
            };
            let both = [Method::Remembered, Method::Computed].map(|method| {
                let options = options(method);
                let of_progress = [ProgressReading::State, ProgressReading::Transition].map(|reading| {
                    let report = check_progress(&system, &progress, reading, &options, &Control::none());
                    let Verdict::Unknown(unknown) = &report.verdict else { return report.verdict.word() };
                    let defect =
                        matches!(unknown.reason, certificate::verdict::StopReason::ReplayFailed { .. });
                    assert!(!defect, "{unknown:?} {options:?} {reading:?}\n{text}");
                    "UNKNOWN"
                });
                [verdict(&system, &options, &text), of_progress[0], of_progress[1]]
            });
            for (remembered, computed) in both[0].into_iter().zip(both[1]) {
                if remembered != "UNKNOWN" && computed != "UNKNOWN" {
                    assert_eq!(remembered, computed, "seed {seed} {fairness:?}\n{text}");
                    decided += 1;
                    violated += u32::from(remembered == "VIOLATED");
                }
            }
            of_formula.push(both[0][0]);
        }
        by_fairness += u32::from(of_formula[0] == "VIOLATED" && of_formula.contains(&"PROVED"));
    }
    assert!(decided > 900 && violated > 200 && by_fairness > 3, "{decided} {violated} {by_fairness}");
}
