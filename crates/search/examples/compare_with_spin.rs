//! Tables: SPIN and Plimsoll side by side, in one run on one machine.
//!
//! `compare_with_spin [FOLDER] [TABLE] [NAME…]`: FOLDER is where SPIN's examples lie (by default where Debian puts them), TABLE is one
//! of `safety`, `cycles`, `small` (all three without it), NAME selects rows. Needs `spin` and `gcc`, and is to be run from the root of
//! the repository, where `models/` is.
//!
//! - `safety`: the full graph, every statement a step, assertions and end states checked; SPIN gets `-O2 -DSAFETY -DNOREDUCE
//!   -DNOCLAIM` and a hash table that is large enough; its own time for `spin` and `gcc` is shown apart. A difference in states or
//!   transitions is marked. Rows that begin with `wide` have much data and little sharing.
//! - `cycles`: acceptance and non-progress cycles of the full graph where there are none, `-DNOREDUCE` for both; and SPIN with its
//!   reduction. Plimsoll's time is from the source to the verdict, SPIN's without `spin` and `gcc`.
//! - `small`: from the source to the verdict; SPIN's three steps with its reduction, ours with ours.

use certificate::verdict::ProgressReading;
use promela::Options;
use search::{Control, ErrorPolicy, Outcome, Properties, Reduction, SearchOptions, SearchReport};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A model: its name, the file, and lines of the form `#define NAME …` that get another value.
type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const SAFETY: [Row; 14] = [
    ("pftp", "LTL/pftp.pml", &[]),
    ("dtp", "dtp.pml", &[]),
    ("leader0 N=6", "leader0.pml", &[("N", "6"), ("L", "12")]),
    ("sort", "sort.pml", &[]),
    ("cambridge", "cambridge.pml", &[]),
    ("train N=5", "LTL/train.pml", &[("N", "5")]),
    ("leader0 N=7", "leader0.pml", &[("N", "7"), ("L", "14")]),
    ("LTL/leader N=5", "LTL/leader.pml", &[]),
    ("train N=6", "LTL/train.pml", &[("N", "6")]),
    ("peterson N=4", "LTL/petersonN.pml", &[("N", "4")]),
    ("sort N=8", "sort.pml", &[("N", "8")]),
    ("pftp DUPS", "LTL/pftp.pml", &[("DUPS", "1")]),
    ("wide table", "models/perf-wide-data.pml", &[]),
    ("wide ints", "wide ints", &[]),
];

/// Two large integers and an array: every state has values that hardly any other has.
const WIDE_INTS: &str = "
int x = 1, y = 1, a[4];
active proctype P() { do :: x < 40000000 -> x = x * 3 + 1; a[x % 4] = x :: x >= 40000000 -> x = 1 od }
active proctype Q() { do :: y < 30000000 -> y = y * 2 + 5; a[y % 4] = y + a[(y + 1) % 4] / 2 :: y >= 30000000 -> y = 1 od }
";

/// What cycles are looked for.
#[derive(Clone, Copy, PartialEq)]
enum Cycles {
    Acceptance,
    NonProgress,
}

const CYCLES: [(Row, Cycles); 8] = [
    (("pftp -l", "LTL/pftp.pml", &[]), Cycles::NonProgress),
    (("cambridge -l", "cambridge.pml", &[]), Cycles::NonProgress),
    (("dtp -l", "dtp.pml", &[]), Cycles::NonProgress),
    (("leader0 N=6 -a", "leader0.pml", &[("N", "6"), ("L", "12")]), Cycles::Acceptance),
    (("sort -a", "sort.pml", &[]), Cycles::Acceptance),
    (("cambridge -a", "cambridge.pml", &[]), Cycles::Acceptance),
    (("train N=5 -a", "LTL/train.pml", &[("N", "5")]), Cycles::Acceptance),
    (("peterson N=3 -a", "LTL/petersonN.pml", &[("N", "3")]), Cycles::Acceptance),
];

const SMALL: [Row; 8] = [
    ("leader0", "leader0.pml", &[]),
    ("snoopy", "snoopy.pml", &[]),
    ("loops", "loops.pml", &[]),
    ("sort N=4", "sort.pml", &[("N", "4")]),
    ("mobile1", "LTL/mobile1.pml", &[]),
    ("conway", "models/conway.pml", &[]),
    ("garp", "models/garp.pml", &[]),
    ("mvcc", "models/mvcc.pml", &[]),
];

fn main() -> Result<(), String> {
    let mut folder = PathBuf::from("/usr/share/doc/spin/examples/Examples");
    let (mut names, mut tables) = (Vec::new(), Vec::new());
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "safety" | "cycles" | "small" => tables.push(argument),
            _ if Path::new(&argument).is_dir() => folder = argument.into(),
            _ => names.push(argument),
        }
    }
    let wanted = |table: &str| tables.is_empty() || tables.iter().any(|other| other == table);
    let selected = |name: &str| names.is_empty() || names.iter().any(|wanted| name.contains(wanted.as_str()));
    if wanted("safety") {
        safety(&folder, &selected)?;
    }
    if wanted("cycles") {
        cycles(&folder, &selected)?;
    }
    if wanted("small") {
        small(&folder, &selected)?;
    }
    Ok(())
}

fn safety(folder: &Path, selected: &dyn Fn(&str) -> bool) -> Result<(), String> {
    println!(
        "{:15} {:>10} {:>11} | {:>7} {:>7} {:>6} | {:>7} {:>6} {:>6} {:>6} | {:>7} {:>6} {:>6}",
        "model",
        "states",
        "transitions",
        "spin+cc",
        "pan s",
        "B/st",
        "1 core",
        "x SPIN",
        "M st/s",
        "B/st",
        "2 cores",
        "M st/s",
        "x one"
    );
    for (name, file, defines) in SAFETY.into_iter().filter(|(name, ..)| selected(name)) {
        let text = read(folder, file, defines)?;
        let flags = ["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM"];
        let spin = run_spin(&text, "-o3", &flags, &["-n", "-c0", "-m10000000", "-w25"])?;
        let options = SearchOptions { errors: ErrorPolicy::All, ..SearchOptions::full() };
        let (one, report) = run_plimsoll(name, &text, &options)?;
        let (two, _) = run_plimsoll(name, &text, &SearchOptions { threads: 2, ..options })?;
        let (states, transitions) = (report.counts.states, report.counts.transitions());
        let same = (states, transitions) == (spin.states, spin.transitions);
        println!(
            "{name:15} {states:>10} {transitions:>11} | {:>7.2} {:>7.2} {:>6.0} | {:>7.3} {:>6.1} {:>6.2} {:>6.1} | {:>7.3} {:>6.2} {:>6.2} {}",
            spin.preparing.as_secs_f64(),
            spin.running.as_secs_f64(),
            spin.bytes_per_state,
            one.as_secs_f64(),
            spin.running.as_secs_f64() / one.as_secs_f64(),
            states as f64 / one.as_secs_f64() / 1e6,
            report.counts.bytes_per_state(),
            two.as_secs_f64(),
            states as f64 / two.as_secs_f64() / 1e6,
            one.as_secs_f64() / two.as_secs_f64(),
            if same { String::new() } else { format!("SPIN: {} / {}", spin.states, spin.transitions) }
        );
    }
    Ok(())
}

fn cycles(folder: &Path, selected: &dyn Fn(&str) -> bool) -> Result<(), String> {
    println!(
        "\n{:15} {:>10} | {:>8} {:>10} {:>9} | {:>8} {:>10} {:>6} {:>9} {:>10}",
        "cycles",
        "states",
        "pan full",
        "reduced",
        "verdict",
        "ours",
        "nodes",
        "x full",
        "x reduced",
        "verdict"
    );
    for ((name, file, defines), cycles) in CYCLES.into_iter().filter(|((name, ..), _)| selected(name)) {
        let text = read(folder, file, defines)?;
        let (define, flag) = match cycles {
            Cycles::Acceptance => ("-DNOCLAIM", "-a"),
            Cycles::NonProgress => ("-DNP", "-l"),
        };
        let full = run_spin(&text, "-o3", &["-DNOREDUCE", define], &["-n", flag, "-m10000000", "-w25"])?;
        let reduced = run_spin(&text, "-o1", &[define], &["-n", flag, "-m10000000", "-w25"])?;
        let safety = Properties { end_states: true, ..Properties::safety() };
        let properties = match cycles {
            Cycles::Acceptance => Properties { acceptance: true, ..safety },
            Cycles::NonProgress => Properties { non_progress: Some(ProgressReading::State), ..safety },
        };
        let options = SearchOptions { properties, errors: ErrorPolicy::All, ..SearchOptions::full() };
        let (ours, report) = run_plimsoll(name, &text, &options)?;
        let verdict = |wrong: bool| if wrong { "cycle" } else { "none" };
        println!(
            "{name:15} {:>10} | {:>8.2} {:>10.2} {:>9} | {:>8.3} {:>10} {:>6.1} {:>9.1} {:>10}",
            report.counts.states,
            full.running.as_secs_f64(),
            reduced.running.as_secs_f64(),
            verdict(full.errors > 0),
            ours.as_secs_f64(),
            report.counts.product_nodes,
            full.running.as_secs_f64() / ours.as_secs_f64(),
            reduced.running.as_secs_f64() / ours.as_secs_f64(),
            match report.outcome {
                Outcome::Complete => verdict(!report.errors.is_empty()),
                Outcome::Stopped(_) => "unfinished",
            }
        );
    }
    Ok(())
}

fn small(folder: &Path, selected: &dyn Fn(&str) -> bool) -> Result<(), String> {
    println!(
        "\n{:15} {:>8} | {:>9} {:>9} | {:>9} {:>7}",
        "small", "states", "spin+cc s", "pan s", "ours ms", "x SPIN"
    );
    for (name, file, defines) in SMALL.into_iter().filter(|(name, ..)| selected(name)) {
        let text = read(folder, file, defines)?;
        let spin = run_spin(&text, "-o1", &["-DSAFETY", "-DNOCLAIM"], &["-m1000000"])?;
        let options = SearchOptions { reduction: Reduction::Reduced, ..SearchOptions::full() };
        let (ours, report) = run_plimsoll(name, &text, &options)?;
        println!(
            "{name:15} {:>8} | {:>9.2} {:>9.2} | {:>9.2} {:>7.0}",
            report.counts.states,
            spin.preparing.as_secs_f64(),
            spin.running.as_secs_f64(),
            ours.as_secs_f64() * 1e3,
            (spin.preparing + spin.running).as_secs_f64() / ours.as_secs_f64()
        );
    }
    Ok(())
}

/// The text of a model: SPIN's, our own, or one of this file.
fn read(folder: &Path, file: &str, defines: &[(&str, &str)]) -> Result<String, String> {
    if file == "wide ints" {
        return Ok(WIDE_INTS.to_string());
    }
    let path = if file.starts_with("models/") { PathBuf::from(file) } else { folder.join(file) };
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(redefine(&text, defines))
}

fn redefine(text: &str, defines: &[(&str, &str)]) -> String {
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some("#define"), Some(name)) => match defines.iter().find(|(other, _)| *other == name) {
                Some((name, value)) => format!("#define {name} {value}"),
                None => line.to_string(),
            },
            _ => line.to_string(),
        }
    };
    text.lines().map(|l| line(l) + "\n").collect()
}

fn run_plimsoll(name: &str, text: &str, options: &SearchOptions) -> Result<(Duration, SearchReport), String> {
    let started = Instant::now();
    let (model, diagnostics) = promela::read(name, text, &Options::default(), &promela::NoIncludes);
    if let Some(error) = diagnostics.iter().find(|d| d.severity == promela::diagnostic::Severity::Error) {
        return Err(format!("{name}: {error:?}"));
    }
    let (system, _) = system::lower::lower(model);
    let report =
        search::explore(&system, options, &Control::none()).map_err(|error| format!("{name}: {error:?}"))?;
    Ok((started.elapsed(), report))
}

struct Spin {
    preparing: Duration,
    running: Duration,
    states: u64,
    transitions: u64,
    errors: u64,
    bytes_per_state: f64,
}

fn run_spin(text: &str, level: &str, defines: &[&str], options: &[&str]) -> Result<Spin, String> {
    let folder = std::env::temp_dir().join(format!("compare-with-spin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    std::fs::write(folder.join("model.pml"), text).map_err(|error| error.to_string())?;
    let started = Instant::now();
    run(Command::new("spin").args([level, "-a", "model.pml"]).current_dir(&folder))?;
    let gcc = ["-O2", "-w", "-DMEMLIM=12000", "-o", "pan", "pan.c"];
    run(Command::new("gcc").args(defines).args(gcc).current_dir(&folder))?;
    let preparing = started.elapsed();
    let started = Instant::now();
    let printed = run(Command::new("./pan").args(options).current_dir(&folder))?;
    let running = started.elapsed();
    let _ = std::fs::remove_dir_all(&folder);
    let number = |marker: &str| -> u64 {
        let line = printed.lines().find(|line| line.contains(marker)).unwrap_or("");
        line.split_whitespace().next().and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0) as u64
    };
    let errors = printed
        .lines()
        .find_map(|line| line.split_once("errors:"))
        .and_then(|(_, count)| count.trim().parse().ok());
    let megabytes = printed
        .lines()
        .find(|line| {
            line.contains("actual memory usage for states") || line.contains("equivalent memory usage")
        })
        .and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok())
        .unwrap_or(0.0);
    let states = number("states, stored");
    Ok(Spin {
        preparing,
        running,
        states,
        transitions: number("transitions (="),
        errors: errors.unwrap_or(0),
        bytes_per_state: megabytes * 1048576.0 / states.max(1) as f64,
    })
}

fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
