//! Our own models, one for each feature of the language: their whole graphs have exactly the sizes that SPIN 6.5.2 gives.
//!
//! The figures stand in the models' headers. They are SPIN's: `spin -o3 -a m.pml; gcc -DSAFETY -DNOREDUCE -DNOCLAIM -o pan pan.c;
//! ./pan -n -c0`. Nothing but this workspace is needed to run the test; `parity graph models/features/*.pml` asks SPIN again.

use parity::engines;
use parity::input::{models_below, read_file};
use parity::reference::{Exploration, Extent, Limits, explore};
use std::path::Path;
use std::time::Duration;
use system::interpreter::{Capacities, Interpreter};

const LIMITS: Limits = Limits { states: 100_000, time: Duration::from_secs(600), atomic_steps: 1000 };

/// The numbers of the `expect:` lines, in order: states, transitions, errors, atomic steps.
fn expected(path: &Path) -> Vec<u64> {
    let text = std::fs::read_to_string(path).expect("a file that was just listed");
    let lines = text.lines().filter_map(|l| l.strip_prefix("// expect: "));
    lines.flat_map(str::split_whitespace).filter_map(|word| word.parse().ok()).collect()
}

fn found(e: &Exploration) -> Vec<u64> {
    let errors = e.assertions + e.invalid_end_states + e.trace_violations;
    vec![e.stored, e.stored + e.matched, errors, e.atomic_steps]
}

#[test]
fn graphs_of_all_features_have_the_sizes_that_spin_gives() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/features");
    let models = models_below(&folder);
    assert!(models.len() >= 40, "{}", models.len());
    let mut wrong = Vec::new();
    for path in models {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let system = read_file(&path).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let reference = explore(&Interpreter::new(&system, Capacities::Declared), &LIMITS);
        assert_eq!(reference.extent, Extent::Complete, "{name}");
        assert_eq!(reference.runtime_errors, Vec::<String>::new(), "{name}");
        if found(&reference) != expected(&path) {
            wrong.push(format!("{name}: {:?}, SPIN {:?}", found(&reference), expected(&path)));
        }
        let fast = engines::full(&system, &LIMITS);
        wrong.extend(engines::differences(&reference, &fast).into_iter().map(|d| format!("{name}: {d}")));
        let reduced = engines::differences_when_reduced(&system, &reference, &LIMITS);
        wrong.extend(reduced.into_iter().map(|d| format!("{name}: {d}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_engines_agree_with_the_reference_on_random_models() {
    let limits = Limits { states: 3000, ..LIMITS };
    let mut compared = 0;
    for seed in 0..300 {
        let text = parity::generate::model(seed).text();
        let Ok(system) = parity::input::read_text("model.pml", &text) else { continue };
        let reference = explore(&Interpreter::new(&system, Capacities::Declared), &limits);
        if reference.extent != Extent::Complete || !reference.runtime_errors.is_empty() {
            continue;
        }
        compared += 1;
        let fast = engines::full(&system, &limits);
        let mut different = engines::differences(&reference, &fast);
        different.extend(engines::differences_when_reduced(&system, &reference, &limits));
        assert_eq!(different, Vec::<String>::new(), "seed {seed}\n{text}");
    }
    assert!(compared > 200, "{compared}");
}
