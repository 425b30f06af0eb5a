//! One table: SPIN and Plimsoll side by side, in one run on one machine.
//!
//! `compare_with_spin [FOLDER] [NAME…]`: FOLDER is where SPIN's examples lie (by default where Debian puts them), NAME selects
//! rows. Needs `spin` and `gcc`. Every row is the full graph, every statement a step, assertions and end states checked; SPIN
//! gets `-O2 -DSAFETY -DNOREDUCE -DNOCLAIM` and a hash table that is large enough, and its own time for `spin` and `gcc` is
//! shown apart. A difference in states or transitions is marked.

use promela::{IncludeLoader, Options};
use search::{Control, ErrorPolicy, SearchOptions, SearchReport};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A model: its name, the file, and lines of the form `#define NAME …` that get another value.
type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const ROWS: [Row; 12] = [
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
];

struct NoIncludes;

impl IncludeLoader for NoIncludes {
    fn load(&self, name: &str, _included_from: &str) -> Result<(String, String), String> {
        Err(format!("{name}: includes are not needed here"))
    }
}

fn main() -> Result<(), String> {
    let mut folder = PathBuf::from("/usr/share/doc/spin/examples/Examples");
    let mut names = Vec::new();
    for argument in std::env::args().skip(1) {
        if Path::new(&argument).is_dir() { folder = argument.into() } else { names.push(argument) }
    }
    println!(
        "{:15} {:>10} {:>11} | {:>7} {:>7} {:>6} | {:>7} {:>6} {:>6} {:>6} | {:>7} {:>6}",
        "model",
        "states",
        "transitions",
        "spin+cc",
        "pan s",
        "B/st",
        "1 core",
        "x SPIN",
        "M tr/s",
        "B/st",
        "2 cores",
        "x one"
    );
    for (name, file, defines) in ROWS {
        if !names.is_empty() && !names.iter().any(|wanted| name.contains(wanted.as_str())) {
            continue;
        }
        let path = folder.join(file);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let text = redefine(&text, defines);
        let spin = run_spin(&text)?;
        let (one, report) = run_plimsoll(name, &text, 1)?;
        let (two, _) = run_plimsoll(name, &text, 2)?;
        let (states, transitions) = (report.counts.states, report.counts.transitions());
        let same = (states, transitions) == (spin.states, spin.transitions);
        println!(
            "{name:15} {states:>10} {transitions:>11} | {:>7.2} {:>7.2} {:>6.0} | {:>7.3} {:>6.1} {:>6.1} {:>6.1} | {:>7.3} {:>6.2} {}",
            spin.preparing.as_secs_f64(),
            spin.running.as_secs_f64(),
            spin.bytes_per_state,
            one.as_secs_f64(),
            spin.running.as_secs_f64() / one.as_secs_f64(),
            transitions as f64 / one.as_secs_f64() / 1e6,
            report.counts.bytes_per_state(),
            two.as_secs_f64(),
            one.as_secs_f64() / two.as_secs_f64(),
            if same { String::new() } else { format!("SPIN: {} / {}", spin.states, spin.transitions) }
        );
    }
    Ok(())
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

fn run_plimsoll(name: &str, text: &str, threads: usize) -> Result<(Duration, SearchReport), String> {
    let started = Instant::now();
    let (model, diagnostics) = promela::read(name, text, &Options::default(), &NoIncludes);
    if let Some(error) = diagnostics.iter().find(|d| d.severity == promela::diagnostic::Severity::Error) {
        return Err(format!("{name}: {error:?}"));
    }
    let (system, _) = system::lower::lower(model);
    let options = SearchOptions { errors: ErrorPolicy::All, threads, ..SearchOptions::full() };
    let report =
        search::explore(&system, &options, &Control::none()).map_err(|error| format!("{name}: {error:?}"))?;
    Ok((started.elapsed(), report))
}

struct Spin {
    preparing: Duration,
    running: Duration,
    states: u64,
    transitions: u64,
    bytes_per_state: f64,
}

fn run_spin(text: &str) -> Result<Spin, String> {
    let folder = std::env::temp_dir().join(format!("compare-with-spin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    std::fs::write(folder.join("model.pml"), text).map_err(|error| error.to_string())?;
    let started = Instant::now();
    run(Command::new("spin").args(["-o3", "-a", "model.pml"]).current_dir(&folder))?;
    let options =
        ["-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DMEMLIM=12000", "-o", "pan", "pan.c"];
    run(Command::new("gcc").args(options).current_dir(&folder))?;
    let preparing = started.elapsed();
    let started = Instant::now();
    let printed = run(Command::new("./pan").args(["-n", "-c0", "-m10000000", "-w25"]).current_dir(&folder))?;
    let running = started.elapsed();
    let _ = std::fs::remove_dir_all(&folder);
    let number = |marker: &str| -> u64 {
        let line = printed.lines().find(|line| line.contains(marker)).unwrap_or("");
        line.split_whitespace().next().and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0) as u64
    };
    let megabytes = printed
        .lines()
        .find(|line| {
            line.contains("actual memory usage for states") || line.contains("equivalent memory usage")
        })
        .and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok())
        .unwrap_or(0.0);
    let states = number("states, stored");
    let bytes_per_state = megabytes * 1048576.0 / states.max(1) as f64;
    Ok(Spin { preparing, running, states, transitions: number("transitions (="), bytes_per_state })
}

fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
