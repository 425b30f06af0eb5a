//! Prints what is proved of the buffers of models, for a look while working on the prover.

use proofs::{BoundsOptions, BoundsVerdict, BufferVerdict, Control, ProofSource, bounds};

struct FromFiles;
impl promela::IncludeLoader for FromFiles {
    fn load(&self, name: &str, from: &str) -> Result<(String, String), String> {
        let path = std::path::Path::new(from).parent().map(|p| p.join(name)).unwrap_or(name.into());
        std::fs::read_to_string(&path)
            .map(|text| (path.display().to_string(), text))
            .map_err(|e| e.to_string())
    }
}

fn source(source: &ProofSource) -> String {
    match source {
        ProofSource::Certificate(_) => "certificate".into(),
        ProofSource::Search { states, .. } => format!("search {states}"),
    }
}

fn main() {
    for path in std::env::args().skip(1) {
        println!("== {path}");
        let text = std::fs::read_to_string(&path).expect("a readable file");
        for line in text.lines().filter(|line| line.contains("expect: b")) {
            println!("   [{}]", line.trim());
        }
        let (model, diagnostics) = promela::read(&path, &text, &promela::Options::default(), &FromFiles);
        if diagnostics.iter().any(|d| d.severity == promela::diagnostic::Severity::Error) {
            println!("  unreadable: {:?}", diagnostics.iter().map(|d| &d.message).collect::<Vec<_>>());
            continue;
        }
        let (system, _) = system::lower::lower(model);
        let started = std::time::Instant::now();
        let late = || started.elapsed().as_secs() >= 20;
        let report = bounds(&system, &BoundsOptions::default(), &Control { cancelled: &late });
        match &report.verdict {
            BoundsVerdict::Proved(by) => println!("  PROVED by {}", source(by)),
            BoundsVerdict::Violated(found) => {
                println!(
                    "  VIOLATED {} steps, then {} again and again",
                    found.repeat_from,
                    found.trace.steps.len() - found.repeat_from
                );
            }
            BoundsVerdict::Unknown(reason) => {
                println!("  UNKNOWN {:?} {:?}", reason.reason, reason.findings);
                for cycle in &reason.suspicious {
                    println!("    {} x {} {:?}", cycle.times, cycle.process, cycle.statements);
                }
            }
            BoundsVerdict::NoBuffers => println!("  no buffers"),
        }
        for buffer in &report.buffers {
            match &buffer.verdict {
                BufferVerdict::AtMost { bound, tight, source: by } => {
                    println!(
                        "    {} <= {bound}{} ({})",
                        buffer.name,
                        if *tight { " tight" } else { "" },
                        source(by)
                    );
                }
                BufferVerdict::Bounded(by) => println!("    {} bounded ({})", buffer.name, source(by)),
                BufferVerdict::Unbounded(_) => println!("    {} unbounded", buffer.name),
                BufferVerdict::Unknown => println!("    {} unknown, seen {}", buffer.name, buffer.seen),
            }
        }
        println!("  {:?} {:?} {:?}", report.refinements, report.search, started.elapsed());
    }
}
