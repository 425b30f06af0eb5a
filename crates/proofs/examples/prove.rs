//! What the provers say of models on their own, without any search, and how long it takes them on one core.
//!
//! `cargo run --release -p proofs --example prove -- [--seconds N] models/*.pml` prints a line for each question:
//! the verdict, how many buffers have a bound, CPU milliseconds, refinements. Two versions are compared with `diff`, or with `join`.

use std::time::{Duration, Instant};

use proofs::{BoundsOptions, Fact, Nobody, ProgressOptions, Stopped};
use system::automaton::System;

fn main() {
    let mut seconds = 10;
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if(|argument| argument == "--seconds").is_some() {
        seconds = arguments.next().and_then(|number| number.parse().ok()).unwrap_or(seconds);
    }
    println!("{:<36} {:<8} {:<6} {:>9} {:>8}  refinements", "model", "question", "answer", "buffers", "ms");
    for path in arguments {
        let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
        let Some(system) = read(&path) else {
            println!("{name:<36} not read");
            continue;
        };
        let time = Duration::from_secs(seconds);
        if !system.model.channel_types.iter().all(|channel| channel.capacity == 0) {
            let options = BoundsOptions::default();
            show(&name, "buffers", time, |board| proofs::bounds(&system, &options, board));
        }
        let options = ProgressOptions::default();
        show(&name, "progress", time, |board| proofs::progress(&system, &options, board));
    }
}

fn read(path: &str) -> Option<System> {
    let text = std::fs::read_to_string(path).ok()?;
    let (model, diagnostics) = promela::read(path, &text, &promela::Options::default(), &promela::NoIncludes);
    let is_error = |d: &promela::diagnostic::Diagnostic| d.severity == promela::diagnostic::Severity::Error;
    (!diagnostics.iter().any(is_error)).then(|| system::lower::lower(model).0)
}

fn show(name: &str, question: &str, time: Duration, ask: impl FnOnce(&Nobody) -> Stopped) {
    let board = Nobody::until(Instant::now() + time);
    let before = cpu_seconds();
    let stopped = ask(&board);
    let milliseconds = 1000.0 * (cpu_seconds() - before);
    let facts = board.facts();
    let is_proof = |fact: &Fact| matches!(fact, Fact::AllBounded(_) | Fact::LivelockFree(_));
    let answer = if facts.iter().any(is_proof) { "proved" } else { "open" };
    let mut buffers = 0;
    let mut bounds = std::collections::BTreeMap::new();
    for fact in facts {
        match fact {
            Fact::Buffers(names) => buffers = names.len(),
            Fact::AtMost { buffer, bound, .. } => {
                bounds
                    .entry(buffer)
                    .and_modify(|least: &mut u64| *least = bound.min(*least))
                    .or_insert(bound);
            }
            _ => {}
        }
    }
    let sum: u64 = bounds.values().sum();
    let bounded =
        if question == "buffers" { format!("{}/{buffers} {sum}", bounds.len()) } else { String::new() };
    let refinements = stopped.refinements.join("; ");
    println!("{name:<36} {question:<8} {answer:<6} {bounded:>9} {milliseconds:>8.1}  {refinements}");
    for line in stopped.findings {
        println!("    {line}");
    }
}

/// Seconds that this process has spent on its cores.
fn cpu_seconds() -> f64 {
    let nanoseconds = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    nanoseconds.split(' ').next().and_then(|number| number.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}
