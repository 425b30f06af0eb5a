//! Every example of Debian's package `spin` that SPIN itself accepts is read without an error.

use promela::diagnostic::Severity;
use promela::{IncludeLoader, Options, read};
use std::path::{Path, PathBuf};

const FOLDER: &str = "/usr/share/doc/spin/examples";

/// One formula of it is refused, with this code: SPIN refuses the file.
const REFUSED: &[(&str, &str)] = &[("LTL/patterns.pml", "E0401")];

struct Files;

impl IncludeLoader for Files {
    fn load(&self, name: &str, included_from: &str) -> Result<(String, String), String> {
        let path = Path::new(included_from).parent().unwrap_or(Path::new("")).join(name);
        let bytes = std::fs::read(&path).map_err(|e| e.to_string())?;
        Ok((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
    }
}

fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|e| e == "pml") {
            found.push(path);
        }
    }
}

#[test]
fn every_example_without_embedded_c_is_read() {
    let mut found = Vec::new();
    models(Path::new(FOLDER), &mut found);
    if found.is_empty() {
        println!("note: {FOLDER} has no models, nothing was tested");
        return;
    }
    found.sort();
    let mut with_c = Vec::new();
    let mut wrong = Vec::new();
    for path in &found {
        let text =
            String::from_utf8_lossy(&std::fs::read(path).expect("a file that was just listed")).into_owned();
        let name = path.display().to_string();
        let (model, diagnostics) = read(&name, &text, &Options::default(), &Files);
        let errors: Vec<_> = diagnostics.iter().filter(|d| d.severity > Severity::Warning).collect();
        let expected = REFUSED.iter().find(|(end, _)| name.ends_with(end)).map(|(_, code)| *code);
        if errors.iter().any(|d| d.code == "E0002") {
            with_c.push(name);
        } else if errors.first().map(|d| d.code) != expected {
            wrong.push(format!("{name}: {errors:?}"));
        } else if expected.is_none() {
            assert!(!model.proctypes.is_empty() || !model.formulas.is_empty(), "{name} is empty");
        }
    }
    println!("{} models, {} refused because of embedded C: {with_c:?}", found.len(), with_c.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
