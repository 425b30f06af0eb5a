//! Texts on which the front end once panicked or hung; each must now be refused with a message.

use promela::diagnostic::Severity;
use promela::{IncludeLoader, Options, read};

struct NoFiles;

impl IncludeLoader for NoFiles {
    fn load(&self, _name: &str, _included_from: &str) -> Result<(String, String), String> {
        Err("no such file".to_owned())
    }
}

fn is_refused(text: &str) {
    let (_, diagnostics) = read("case.pml", text, &Options::default(), &NoFiles);
    assert!(diagnostics.iter().any(|d| d.severity == Severity::Error), "{text}");
}

#[test]
fn embedded_c_before_a_separator_that_was_pulled_forward() {
    is_refused("never{N::c_expr;");
}
