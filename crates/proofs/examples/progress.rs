//! Prints what is proved of the progress of models, for a look while working on the prover.

use proofs::{Control, ProgressOptions, ProgressVerdict, ProofSource, progress};

struct FromFiles;
impl promela::IncludeLoader for FromFiles {
    fn load(&self, name: &str, from: &str) -> Result<(String, String), String> {
        let path = std::path::Path::new(from).parent().map(|p| p.join(name)).unwrap_or(name.into());
        std::fs::read_to_string(&path)
            .map(|text| (path.display().to_string(), text))
            .map_err(|e| e.to_string())
    }
}

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let expected: Vec<&str> = text.lines().filter(|line| line.contains("expect: progress")).collect();
        println!("== {path} {expected:?}");
        let (model, diagnostics) = promela::read(&path, &text, &promela::Options::default(), &FromFiles);
        if diagnostics.iter().any(|d| d.severity == promela::diagnostic::Severity::Error) {
            println!("  unreadable: {:?}", diagnostics.iter().map(|d| &d.message).collect::<Vec<_>>());
            continue;
        }
        let (system, _) = system::lower::lower(model);
        let started = std::time::Instant::now();
        let late = || started.elapsed().as_secs() >= 20;
        let report = progress(&system, &ProgressOptions::default(), &Control { cancelled: &late });
        match &report.verdict {
            ProgressVerdict::Proved(ProofSource::Certificate(_)) => println!("  PROVED by certificate"),
            ProgressVerdict::Proved(ProofSource::Search { states, .. }) => {
                println!("  PROVED by search {states}")
            }
            ProgressVerdict::Lasso(trace) => {
                println!("  VIOLATED lasso {} {:?}", trace.steps.len(), trace.loop_start)
            }
            ProgressVerdict::Pump(pump) => {
                println!("  VIOLATED pump {} {}", pump.repeat_from, pump.trace.steps.len() - pump.repeat_from)
            }
            ProgressVerdict::Unknown(reason) => {
                println!("  UNKNOWN {:?} {:?}", reason.reason, reason.findings);
                for cycle in &reason.suspicious {
                    println!("    {} x {} {:?}", cycle.times, cycle.process, cycle.statements);
                }
            }
        }
        println!("  {:?} {:?} {:?}", report.refinements, report.search, started.elapsed());
    }
}
