//! What the tests share: reading models and asking the two questions.

use proofs::{BoundsOptions, BoundsReport, Control, ProgressOptions, ProgressReport};
use system::automaton::System;

/// The system of a text; a test's text is right.
pub fn system_of(text: &str) -> System {
    struct None;
    impl promela::IncludeLoader for None {
        fn load(&self, name: &str, _: &str) -> Result<(String, String), String> {
            Err(format!("{name} is not at hand"))
        }
    }
    let (model, diagnostics) = promela::read("test.pml", text, &promela::Options::default(), &None);
    let errors: Vec<_> = diagnostics
        .iter()
        .filter(|d| d.severity == promela::diagnostic::Severity::Error)
        .map(|d| &d.message)
        .collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let (system, _) = system::lower::lower(model);
    system
}

/// The answer about buffers.
#[allow(dead_code)]
pub fn bounds_of(text: &str) -> BoundsReport {
    proofs::bounds(&system_of(text), &BoundsOptions::default(), &Control::unlimited())
}

/// The answer about buffers without any search: what potentials alone show.
#[allow(dead_code)]
pub fn static_bounds_of(text: &str) -> BoundsReport {
    let mut options = BoundsOptions::default();
    options.budgets.states = 0;
    proofs::bounds(&system_of(text), &options, &Control::unlimited())
}

/// The answer about progress.
#[allow(dead_code)]
pub fn progress_of(text: &str) -> ProgressReport {
    proofs::progress(&system_of(text), &ProgressOptions::default(), &Control::unlimited())
}

/// The answer about progress without any search.
#[allow(dead_code)]
pub fn static_progress_of(text: &str) -> ProgressReport {
    let mut options = ProgressOptions::default();
    options.budgets.states = 0;
    proofs::progress(&system_of(text), &options, &Control::unlimited())
}
