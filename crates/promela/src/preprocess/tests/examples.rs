//! The models that come with SPIN must tokenize without an error.

use std::path::{Path, PathBuf};

use super::*;
use crate::diagnostic::Severity;

const FOLDER: &str = "/usr/share/doc/spin/examples";

struct BesideTheModel;

impl IncludeLoader for BesideTheModel {
    fn load(&self, name: &str, included_from: &str) -> Result<(String, String), String> {
        let path =
            Path::new(included_from).parent().map_or_else(|| PathBuf::from(name), |folder| folder.join(name));
        let bytes = std::fs::read(&path).map_err(|error| error.to_string())?;
        Ok((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
    }
}

fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if path.is_dir() {
            models(&path, found);
        } else if matches!(extension, "pml" | "prom" | "promela" | "h") || extension.is_empty() {
            found.push(path);
        }
    }
}

#[test]
fn the_examples_of_spin_tokenize_without_error() {
    let mut paths = Vec::new();
    models(Path::new(FOLDER), &mut paths);
    if paths.is_empty() {
        println!("skipped: no examples in {FOLDER}");
        return;
    }
    paths.sort();
    let mut failures = Vec::new();
    for path in &paths {
        let Ok(bytes) = std::fs::read(path) else { continue };
        let mut sources = SourceMap::default();
        let file = sources.add_file(path.display().to_string(), String::from_utf8_lossy(&bytes));
        let (tokens, diagnostics) = tokenize(&mut sources, file, &Options::default(), &BesideTheModel);
        assert_eq!(tokens.last().map(|t| &t.kind), Some(&TokenKind::End));
        for error in diagnostics.iter().filter(|d| d.severity == Severity::Error) {
            let line = sources.visible_line(error.span);
            failures.push(format!("{}:{line}: {} {}", path.display(), error.code, error.message));
        }
    }
    println!("{} files", paths.len());
    assert_eq!(failures, Vec::<String>::new());
}
