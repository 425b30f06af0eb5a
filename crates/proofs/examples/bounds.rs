//! Prints what is proved of the buffers of a model, for a look while working on the prover.

use proofs::analysis::{AnalysisLimits, flows};
use proofs::attempt::Attempt;
use proofs::potential::Answer;
use proofs::world::Tracking;

struct NoIncludes;
impl promela::IncludeLoader for NoIncludes {
    fn load(&self, name: &str, _: &str) -> Result<(String, String), String> {
        std::fs::read_to_string(name).map(|text| (name.to_string(), text)).map_err(|e| e.to_string())
    }
}

fn main() {
    for path in std::env::args().skip(1) {
        println!("== {path}");
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let (model, diagnostics) = promela::read(&path, &text, &promela::Options::default(), &NoIncludes);
        if diagnostics.iter().any(|d| d.severity == promela::diagnostic::Severity::Error) {
            println!("  unreadable: {:?}", diagnostics.iter().map(|d| &d.message).collect::<Vec<_>>());
            continue;
        }
        let (system, _) = system::lower::lower(model);
        let flows = flows(&system, &|a, l| system.automaton(a).location(l).progress);
        let tracking = Tracking::default().for_automata(flows.len());
        let started = std::time::Instant::now();
        match Attempt::new(&system, &flows, &tracking, AnalysisLimits::default(), Default::default()) {
            Err(error) => println!("  {error:?}"),
            Ok(attempt) => {
                let net = &attempt.abstraction.net;
                println!("  {} groups {} transitions {:?}", net.components.len(), net.transitions.len(), started.elapsed());
                match attempt.all_buffers(&|| false) {
                    Answer::Found(_) => println!("  bounded"),
                    Answer::None(flow) => println!("  suspicious: {} transitions", flow.times.len()),
                    Answer::Stopped => println!("  stopped"),
                }
                for (object, name) in attempt.buffers() {
                    let bound = attempt.bound(object, &|| false);
                    println!("  {name} <= {:?}", bound.map(|b| b.map(|b| b.at_most)).map_err(|f| f.times.len()));
                }
                println!("  {:?}", started.elapsed());
            }
        }
    }
}
