//! Explores one model and prints the figures: `explore MODEL [-DNAME=VALUE] [key=value]…`.
//!
//! Keys: `engine=fast|reference`, `bits=MEGABYTES` (bit-state search), `memory=MEGABYTES`, `threads=N`, `capacity=declared|unbounded|N`, `reduce=yes`, `cycles=accept|claim|progress`, `errors=first|all`, `steps=executed|directly|by-reads|by-variables`, `states=N`, `digest=no`.

use certificate::verdict::ProgressReading;
use promela::{IncludeLoader, Options};
use search::{BitState, Control, Engine, ErrorPolicy, Reduction, SearchOptions, Steps};
use std::path::Path;
use system::interpreter::Capacities;

struct Files;

impl IncludeLoader for Files {
    fn load(&self, name: &str, included_from: &str) -> Result<(String, String), String> {
        let path = Path::new(included_from).parent().unwrap_or(Path::new("")).join(name);
        let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
        Ok((path.display().to_string(), text))
    }
}

fn main() -> Result<(), String> {
    let mut options = SearchOptions { errors: ErrorPolicy::All, ..SearchOptions::full() };
    let mut reading = Options::default();
    let mut file = None;
    for argument in std::env::args().skip(1) {
        if let Some(define) = argument.strip_prefix("-D") {
            let (name, value) = define.split_once('=').unwrap_or((define, "1"));
            reading.defines.push((name.to_string(), value.to_string()));
            continue;
        }
        match argument.split_once('=') {
            None => file = Some(argument),
            Some(("engine", "reference")) => options.engine = Engine::Reference,
            Some(("engine", _)) => options.engine = Engine::Fast,
            Some(("bits", megabytes)) => {
                let bytes = megabytes.parse::<usize>().map_err(|_| "bits=MEGABYTES")? << 20;
                options.engine = Engine::BitState(BitState { bytes, ..BitState::default() });
            }
            Some(("memory", megabytes)) => {
                options.limits.memory = megabytes.parse::<usize>().ok().map(|megabytes| megabytes << 20);
            }
            Some(("threads", count)) => options.threads = count.parse().map_err(|_| "threads=N")?,
            Some(("capacity", "declared")) => options.capacities = Capacities::Declared,
            Some(("capacity", "unbounded")) => options.capacities = Capacities::Unbounded,
            Some(("capacity", size)) => {
                options.capacities = Capacities::Fixed(size.parse().map_err(|_| "capacity=N")?);
            }
            Some(("cycles", "accept")) => options.properties.acceptance = true,
            Some(("cycles", "claim")) => {
                options.properties.acceptance = true;
                options.properties.claim = Some(0);
            }
            Some(("cycles", _)) => options.properties.non_progress = Some(ProgressReading::State),
            Some(("reduce", _)) => options.reduction = Reduction::Reduced,
            Some(("errors", "first")) => options.errors = ErrorPolicy::First,
            Some(("errors", _)) => options.errors = ErrorPolicy::All,
            Some(("steps", "executed")) => options.steps = Steps::Executed,
            Some(("steps", "directly")) => options.steps = Steps::Directly,
            Some(("steps", "by-reads")) => options.steps = Steps::ByReads,
            Some(("steps", "by-variables")) => options.steps = Steps::ByVariables,
            Some(("digest", _)) => options.digest = false,
            Some(("states", count)) => options.limits.states = count.parse().ok(),
            Some((key, _)) => return Err(format!("unknown key {key}")),
        }
    }
    let file = file.ok_or("which model?")?;
    let started = std::time::Instant::now();
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let (model, mut diagnostics) = promela::read(&file, &text, &reading, &Files);
    let errors = |list: &[promela::diagnostic::Diagnostic]| {
        list.iter()
            .filter(|d| d.severity == promela::diagnostic::Severity::Error)
            .map(|d| format!("{d:?}"))
            .collect::<Vec<_>>()
    };
    let found = errors(&diagnostics);
    if !found.is_empty() {
        return Err(found.join("\n"));
    }
    let (system, more) = system::lower::lower(model);
    diagnostics.extend(more);
    let found = errors(&diagnostics);
    if !found.is_empty() {
        return Err(found.join("\n"));
    }
    let read = started.elapsed();
    let report =
        search::explore(&system, &options, &Control::none()).map_err(|error| format!("{error:?}"))?;
    let seconds = started.elapsed().as_secs_f64();
    let counts = &report.counts;
    println!(
        "{:?}: {} states, {} transitions, {} atomic steps, depth {}, {} errors in {} groups",
        report.outcome,
        counts.states,
        counts.transitions(),
        counts.atomic_steps,
        counts.depth,
        report.error_count(),
        report.errors.len()
    );
    println!(
        "{seconds:.3} s ({:.1} ms to read), {:.2} M transitions/s, {:.1} bytes/state, {:.1} MB, {} computed steps",
        read.as_secs_f64() * 1e3,
        counts.transitions() as f64 / seconds / 1e6,
        counts.bytes_per_state(),
        counts.memory as f64 / 1e6,
        counts.computed_steps
    );
    if let Some(figures) = &report.bit_state {
        println!("{figures:?}, coverage {:.4}", figures.coverage(counts.states));
    }
    for group in report.errors.iter().take(5) {
        println!("  {} x {:?}: {} steps", group.count, group.cause, group.trace.steps.len());
    }
    Ok(())
}
