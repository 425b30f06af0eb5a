//! Random formulas over random models, decided here and by SPIN: `spin_formulas MODELS [SEED]`.
//!
//! Each model comes with twenty formulas. Without fairness every pair is compared; with weak fairness (`-f`) those of models in
//! which every run is infinite and nobody meets in a rendezvous, because there SPIN's notion is another. Needs `spin` and
//! `gcc`. Prints each difference with the model and ends with the figures; the exit code says whether there was a difference.

use omega::Fairness;
use search::fair::explicit::ExplicitSpace;
use search::fair::space::{Space, StateNumber};
use search::fair::{Counters, FairOptions, Property, check_formula};
use search::{Control, Limits};
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, ExitCode};
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter};

const FORMULAS: usize = 20;
const MOST_STATES: usize = 20_000;

struct NoIncludes;

impl promela::IncludeLoader for NoIncludes {
    fn load(&self, _: &str, _: &str) -> Result<(String, String), String> {
        Err("no includes".to_string())
    }
}

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

const SIMPLE: [&str; 14] = [
    "a = (a + 1) % 3",
    "b = 1 - b",
    "f = !f",
    "f",
    "a == 1",
    "a != 2",
    "b == 0",
    "skip",
    "c!a",
    "c!1",
    "c?x",
    "c?1",
    "x = (x + 1) % 2",
    "x == 0",
];
const MEETING: [&str; 3] = ["r!a", "r?x", "r?1"];
const PROPOSITIONS: [&str; 8] =
    ["a == 0", "a == 1", "a == 2", "b == 1", "f", "len(c) == 0", "len(c) == 2", "a > b"];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let models: u64 = arguments.next().and_then(|word| word.parse().ok()).unwrap_or(10);
    let seed: u64 = arguments.next().and_then(|word| word.parse().ok()).unwrap_or(1);
    let folder = std::env::temp_dir().join(format!("spin-formulas-{}", std::process::id()));
    if let Err(error) = std::fs::create_dir_all(&folder) {
        eprintln!("{}: {error}", folder.display());
        return ExitCode::from(2);
    }
    let mut figures = Figures::default();
    for number in 0..models {
        let mut dice = Dice((seed + number).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let meets = dice.below(3) == 0;
        let text = random_model(&mut dice, meets);
        compare(&text, meets, &folder, &mut figures);
        if number % 10 == 9 {
            eprintln!("{} models: {figures:?}", number + 1);
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    println!("{figures:?}");
    if figures.different > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

#[derive(Debug, Default)]
struct Figures {
    pairs: u64,
    fair_pairs: u64,
    violated: u64,
    different: u64,
    skipped: u64,
}

fn compare(text: &str, meets: bool, folder: &Path, figures: &mut Figures) {
    let (model, diagnostics) = promela::read("random.pml", text, &promela::Options::default(), &NoIncludes);
    let is_error = |severity| severity == promela::diagnostic::Severity::Error;
    if diagnostics.iter().any(|diagnostic| is_error(diagnostic.severity)) {
        eprintln!("refused: {diagnostics:?}\n{text}");
        figures.skipped += FORMULAS as u64;
        return;
    }
    let system = system::lower::lower(model).0;
    let Some(ends) = some_run_ends(&system) else {
        figures.skipped += FORMULAS as u64;
        return;
    };
    if !build(text, folder) {
        eprintln!("SPIN refused:\n{text}");
        figures.skipped += FORMULAS as u64;
        return;
    }
    for formula in &system.model.formulas {
        for fairness in [Fairness::None, Fairness::Weak] {
            if fairness == Fairness::Weak && (ends || meets) {
                continue;
            }
            let options = FairOptions {
                fairness,
                counters: Counters::Auto,
                diagnose: false,
                limits: Limits { states: Some(100_000), ..Limits::default() },
                ..FairOptions::default()
            };
            let report = check_formula(&system, formula, &options, &Control::none());
            let ours = match report.verdict.word() {
                "PROVED" => false,
                "VIOLATED" => true,
                _ => {
                    eprintln!("unknown: {:?} {}\n{text}", report.verdict, formula.name);
                    figures.skipped += 1;
                    continue;
                }
            };
            let Some(theirs) = spin_finds_an_error(folder, &formula.name, fairness) else {
                figures.skipped += 1;
                continue;
            };
            figures.pairs += 1;
            figures.fair_pairs += u64::from(fairness == Fairness::Weak);
            figures.violated += u64::from(ours);
            if ours != theirs {
                figures.different += 1;
                println!(
                    "DIFFERENT {} {fairness:?}: violated here: {ours}, SPIN: {theirs}\n{text}",
                    formula.name
                );
            }
        }
    }
}

/// Whether some run ends; nothing if there are too many states.
fn some_run_ends(system: &System) -> Option<bool> {
    let property = Property { formula: omega::Formula::True, propositions: Vec::new() };
    let interpreter = Interpreter::new(system, Capacities::Declared);
    let mut space = ExplicitSpace::new(interpreter, &property);
    space.initial().ok()?;
    let mut next = 0;
    let mut ends = false;
    while next < space.states() {
        if next > MOST_STATES {
            return None;
        }
        let expansion = space.expand(StateNumber(next as u32));
        if expansion.problem.is_some() {
            return None;
        }
        ends |= expansion.moves.iter().any(|step| step.actors.is_empty());
        next += 1;
    }
    Some(ends)
}

fn build(text: &str, folder: &Path) -> bool {
    let run = |program: &str, arguments: &[&str]| {
        Command::new(program)
            .args(arguments)
            .current_dir(folder)
            .output()
            .is_ok_and(|output| output.status.success())
    };
    std::fs::write(folder.join("random.pml"), text).is_ok()
        && run("spin", &["-o3", "-a", "random.pml"])
        && run("gcc", &["-O0", "-w", "-DNOREDUCE", "-o", "pan", "pan.c"])
}

fn spin_finds_an_error(folder: &Path, name: &str, fairness: Fairness) -> Option<bool> {
    let mut arguments = vec!["-a", "-n", "-m200000", "-N", name];
    if fairness == Fairness::Weak {
        arguments.push("-f");
    }
    let output = Command::new(folder.join("pan")).args(arguments).current_dir(folder).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    if text.contains("max search depth too small") {
        return None;
    }
    let (_, after) = text.split_once("errors: ")?;
    Some(!after.starts_with("0"))
}

fn random_model(dice: &mut Dice, meets: bool) -> String {
    let mut text = "byte a, b; bool f; chan c = [2] of { byte }; chan r = [0] of { byte };\n".to_string();
    for name in ["P", "Q", "R"].iter().take(1 + dice.below(3) as usize) {
        let number = 1 + dice.below(2);
        let _ = writeln!(text, "active [{number}] proctype {name}() {{ byte x;");
        let loops = dice.below(4) > 0;
        if loops {
            text += "  do\n";
            for _ in 0..1 + dice.below(3) {
                let _ = writeln!(text, "  :: {}", sequence(dice, 2, meets));
            }
            text += "  od\n}\n";
        } else {
            let _ = writeln!(text, "  {}\n}}", sequence(dice, 2, meets));
        }
    }
    for number in 0..FORMULAS {
        let _ = writeln!(text, "ltl f{number} {{ {} }}", formula(dice, 3));
    }
    text
}

fn sequence(dice: &mut Dice, depth: u32, meets: bool) -> String {
    let count = 1 + dice.below(3);
    (0..count).map(|_| statement(dice, depth, meets)).collect::<Vec<_>>().join("; ")
}

fn statement(dice: &mut Dice, depth: u32, meets: bool) -> String {
    match dice.below(if depth == 0 { 6 } else { 9 }) {
        6 => format!("atomic {{ {} }}", sequence(dice, depth - 1, meets)),
        7 => {
            let first = sequence(dice, depth - 1, meets);
            format!("if :: {first} :: {} fi", sequence(dice, depth - 1, meets))
        }
        8 => {
            let first = sequence(dice, depth - 1, meets);
            format!("if :: {first} :: else -> {} fi", sequence(dice, depth - 1, meets))
        }
        5 if meets => dice.pick(&MEETING).to_string(),
        _ => dice.pick(&SIMPLE).to_string(),
    }
}

fn formula(dice: &mut Dice, depth: u32) -> String {
    if depth == 0 || dice.below(6) == 0 {
        return format!("({})", dice.pick(&PROPOSITIONS));
    }
    let left = formula(dice, depth - 1);
    match dice.below(9) {
        0 => format!("(! {left})"),
        1 | 2 => format!("([] {left})"),
        3 | 4 => format!("(<> {left})"),
        5 => format!("({left} && {})", formula(dice, depth - 1)),
        6 => format!("({left} || {})", formula(dice, depth - 1)),
        7 => format!("({left} -> {})", formula(dice, depth - 1)),
        _ => format!("({left} U {})", formula(dice, depth - 1)),
    }
}
