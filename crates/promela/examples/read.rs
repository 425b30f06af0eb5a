//! Reads the models named on the command line and prints what there is to say about each, one line a diagnostic.

use promela::diagnostic::Severity;
use promela::{IncludeLoader, Options, read};
use std::path::Path;

struct Files;

impl IncludeLoader for Files {
    fn load(&self, name: &str, included_from: &str) -> Result<(String, String), String> {
        let path = Path::new(included_from).parent().unwrap_or(Path::new("")).join(name);
        let bytes = std::fs::read(&path).map_err(|e| e.to_string())?;
        Ok((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
    }
}

fn main() {
    for name in std::env::args().skip(1) {
        let bytes = match std::fs::read(&name) {
            Ok(bytes) => bytes,
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        let text = String::from_utf8_lossy(&bytes);
        let (model, diagnostics) = read(&name, &text, &Options::default(), &Files);
        for diagnostic in &diagnostics {
            let visible = model.sources.visible_span(diagnostic.span);
            let place = model.sources.line_column(visible);
            let file = &model.sources.file(visible.file).name;
            let severity = if diagnostic.severity == Severity::Error { "error" } else { "warning" };
            let message = &diagnostic.message;
            println!("{file}:{}:{}: {severity}[{}]: {message}", place.line, place.column, diagnostic.code);
        }
    }
}
