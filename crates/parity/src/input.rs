//! Reading models from files and from texts.

use promela::diagnostic::Severity;
use promela::{IncludeLoader, Options};
use std::path::{Path, PathBuf};
use system::automaton::System;

/// Where Debian's package `spin` keeps its examples.
pub const EXAMPLES: &str = "/usr/share/doc/spin/examples/Examples";

/// All models below a folder, sorted.
pub fn models_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(folder, &mut found);
    found.sort();
    found
}

/// Reads and lowers a model; the error is what is wrong with it, one line each.
pub fn read_file(path: &Path) -> Result<System, Vec<String>> {
    let bytes = std::fs::read(path).map_err(|e| vec![format!("{}: {e}", path.display())])?;
    read_text(&path.display().to_string(), &String::from_utf8_lossy(&bytes))
}

/// Reads and lowers a model that is given as text.
pub fn read_text(name: &str, text: &str) -> Result<System, Vec<String>> {
    let (model, mut diagnostics) = promela::read(name, text, &Options::default(), &BesideTheModel);
    let (system, more) = system::lower::lower(model);
    diagnostics.extend(more);
    let errors: Vec<String> = diagnostics
        .iter()
        // SPIN knows no formula that is refused alone.
        .filter(|d| d.severity > Severity::Warning)
        .map(|d| format!("{}:{}: {} {}", name, system.model.sources.visible_line(d.span), d.code, d.message))
        .collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    match system::validate::validate(&system).first() {
        Some(broken) => Err(vec![format!("{name}: the validator says: {broken}")]),
        None => Ok(system),
    }
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|e| e == "pml") {
            found.push(path);
        }
    }
}

struct BesideTheModel;

impl IncludeLoader for BesideTheModel {
    fn load(&self, name: &str, included_from: &str) -> Result<(String, String), String> {
        let path = Path::new(included_from).parent().unwrap_or(Path::new("")).join(name);
        let bytes = std::fs::read(&path).map_err(|e| e.to_string())?;
        Ok((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
    }
}
