//! Searches every model of a folder for errors and replays every execution that shows one: `replay_all [FOLDER]…`.
//!
//! By default the folder is where Debian puts SPIN's examples. For each model that has an error, in the full search, in the
//! reduced one, in a bit-state search and in a search for cycles, every trace is stepped through by the semantics, on its own. The
//! last line counts; a trace that does not replay makes the exit code 1.

use certificate::trace::{ReplayError, replay};
use certificate::verdict::ProgressReading;
use promela::{IncludeLoader, Options};
use search::{
    BitState, Cause, Control, Engine, ErrorPolicy, Limits, Outcome, Properties, Reduction, SearchOptions,
    StopReason,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use system::automaton::System;

struct Files;

impl IncludeLoader for Files {
    fn load(&self, name: &str, included_from: &str) -> Result<(String, String), String> {
        let path = Path::new(included_from).parent().unwrap_or(Path::new("")).join(name);
        let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
        Ok((path.display().to_string(), text))
    }
}

fn main() -> ExitCode {
    let mut folders: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    if folders.is_empty() {
        folders.push("/usr/share/doc/spin/examples/Examples".into());
    }
    let (mut violated, mut replayed, mut failed) = (0, 0, 0);
    let mut files = Vec::new();
    folders.iter().for_each(|folder| collect(folder, &mut files));
    files.sort();
    for file in &files {
        let Some(system) = read(file) else { continue };
        let (good, bad) = replay_errors(&system);
        violated += usize::from(good + bad > 0);
        replayed += good;
        failed += bad;
        if good + bad > 0 {
            println!(
                "{:60} {good:>5} replayed{}",
                file.display(),
                if bad > 0 { format!(", {bad} NOT") } else { String::new() }
            );
        }
    }
    println!("{} models, {violated} with errors: {replayed} traces replayed, {failed} not", files.len());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries.for_each(|entry| collect(&entry.path(), files));
    } else if path.extension().is_some_and(|extension| extension == "pml") {
        files.push(path.to_path_buf());
    }
}

fn read(file: &Path) -> Option<System> {
    let text = std::fs::read_to_string(file).ok()?;
    let (model, diagnostics) = promela::read(&file.display().to_string(), &text, &Options::default(), &Files);
    let wrong = |list: &[promela::diagnostic::Diagnostic]| {
        list.iter().any(|d| d.severity == promela::diagnostic::Severity::Error)
    };
    if wrong(&diagnostics) {
        return None;
    }
    let (system, diagnostics) = system::lower::lower(model);
    (!wrong(&diagnostics)).then_some(system)
}

/// How many traces of errors replay, and how many do not.
fn replay_errors(system: &System) -> (usize, usize) {
    let safety = Properties::safety();
    let claim = (!system.claims.is_empty()).then_some(0);
    let questions = [
        (safety, Reduction::Full, Engine::Fast, ErrorPolicy::All),
        (safety, Reduction::Reduced, Engine::Fast, ErrorPolicy::All),
        (safety, Reduction::Full, Engine::Fast, ErrorPolicy::Shortest),
        (safety, Reduction::Full, Engine::BitState(BitState::default()), ErrorPolicy::First),
        (Properties { acceptance: true, claim, ..safety }, Reduction::Full, Engine::Fast, ErrorPolicy::All),
        (
            Properties { non_progress: Some(ProgressReading::State), ..safety },
            Reduction::Full,
            Engine::Fast,
            ErrorPolicy::All,
        ),
    ];
    let (mut good, mut bad) = (0, 0);
    for (properties, reduction, engine, errors) in questions {
        let deadline = Some(Instant::now() + Duration::from_secs(5));
        let limits = Limits { states: Some(300_000), memory: Some(1 << 30), deadline };
        let options =
            SearchOptions { properties, reduction, engine, errors, limits, ..SearchOptions::full() };
        let Ok(report) = search::explore(system, &options, &Control::none()) else { continue };
        bad += usize::from(report.outcome == Outcome::Stopped(StopReason::TraceNotConfirmed));
        for group in &report.errors {
            let ends_in_error = matches!(group.cause, Cause::Statement { assertion: false, .. });
            match replay(system, &group.trace) {
                Ok(_) => good += 1,
                Err(ReplayError::Failed { step, .. })
                    if ends_in_error && step + 1 == group.trace.steps.len() =>
                {
                    good += 1
                }
                Err(_) => bad += 1,
            }
        }
    }
    (good, bad)
}
