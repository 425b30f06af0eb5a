//! Random models of groups of processes that nothing tells apart: states against counters, and proofs for any number against
//! every small instance.

use certificate::verdict::Verdict;
use omega::Fairness;
use promela::model::ProctypeId;
use search::fair::{
    Counters, FairOptions, Numbers, ProcessNumber, Representation, check_formula, with_processes,
};
use search::{Control, Limits};
use system::automaton::System;

struct NoIncludes;

impl promela::IncludeLoader for NoIncludes {
    fn load(&self, _: &str, _: &str) -> Result<(String, String), String> {
        Err("no includes".to_string())
    }
}

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

const GUARDS: [&str; 12] = [
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
];
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
const FORMULAS: [&str; 10] = [
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
];

fn random_model(dice: &mut Dice, processes: u32) -> String {
    let mut text = "int n; bool flag; byte mode;\n".to_string();
    for name in ["P", "Q"].iter().take(1 + dice.below(2) as usize) {
        text += &format!("active [{processes}] proctype {name}() {{ bit x;\n");
        let states = 1 + dice.below(3);
        for state in 0..states {
            text += &format!("  s{state}: if\n");
            for _ in 0..1 + dice.below(3) {
                let target = dice.below(states);
                let (guard, effect) = (dice.pick(&GUARDS), dice.pick(&EFFECTS));
                if dice.below(3) > 0 {
                    text += &format!("    :: atomic {{ {guard} -> {effect} }}; goto s{target}\n");
                } else {
                    text += &format!("    :: {guard} -> {effect}; goto s{target}\n");
                }
            }
            text += "  fi;\n";
        }
        text += "  goto s0 }\n";
    }
    let formula = dice.pick(&FORMULAS);
    text + &format!("ltl f {{ {formula} }}\n")
}

fn read(text: &str) -> System {
    let (model, diagnostics) = promela::read("random.pml", text, &promela::Options::default(), &NoIncludes);
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

#[test]
fn states_and_counters_agree_on_random_groups() {
    let mut decided = 0;
    for seed in 0..150 {
        let mut dice = Dice(seed * 7919 + 1);
        let text = random_model(&mut dice, 3);
        let system = read(&text);
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let options = |counters| FairOptions {
                fairness,
                counters,
                diagnose: false,
                limits: limits(3000),
                cutoff: 0,
                ..FairOptions::default()
            };
            let plain = verdict(&system, &options(Counters::Off), &text);
            let counted = verdict(&system, &options(Counters::On), &text);
            if plain != "UNKNOWN" && counted != "UNKNOWN" {
                assert_eq!(plain, counted, "seed {seed} {fairness:?}\n{text}");
                decided += 1;
            }
        }
    }
    assert!(decided > 200, "{decided}");
}

#[test]
fn what_is_proved_for_any_number_holds_for_every_small_one() {
    let mut proved = 0;
    for seed in 0..40 {
        let mut dice = Dice(seed * 104729 + 5);
        let text = random_model(&mut dice, 2);
        let system = read(&text);
        let groups: Vec<ProctypeId> = (0..system.model.proctypes.len() as u32).map(ProctypeId).collect();
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            let processes =
                groups.iter().map(|&proctype| ProcessNumber { proctype, number: Numbers::Any }).collect();
            let options = FairOptions {
                fairness,
                processes,
                diagnose: false,
                limits: limits(2000),
                cutoff: 2,
                ..FairOptions::default()
            };
            let report = check_formula(&system, &system.model.formulas[0], &options, &Control::none());
            if report.verdict.word() != "PROVED" {
                continue;
            }
            assert!(matches!(report.representation, Representation::AnyNumber { .. }));
            proved += 1;
            for (first, second) in [(1, 1), (2, 2), (3, 1), (1, 3), (4, 4), (5, 2)] {
                let numbers: Vec<(ProctypeId, u32)> = groups.iter().copied().zip([first, second]).collect();
                let instance = with_processes(&system, &numbers);
                let exact = FairOptions {
                    fairness,
                    counters: Counters::On,
                    diagnose: false,
                    limits: limits(4000),
                    cutoff: 0,
                    ..FairOptions::default()
                };
                assert_ne!(
                    verdict(&instance, &exact, &text),
                    "VIOLATED",
                    "seed {seed} {fairness:?} {numbers:?}\n{text}"
                );
            }
        }
    }
    assert!(proved > 12, "{proved}");
}
