//! Wrong and dubious models under `spec/wrong`: each diagnostic stands as a comment on the line that it is about,
//! `// error[E0101]: message` or `// warning[W0102]: message`, and there are no others.
//!
//! Where `spin` is installed, it must reject exactly the models with an error; a model whose first line says
//! `// SPIN accepts this` is one on which we are stricter on purpose.

use promela::{Options, read};
use std::path::{Path, PathBuf};
use std::process::Command;

fn models() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/wrong");
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder with wrong models")
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|e| e == "pml"))
        .collect();
    found.sort();
    found
}

fn expected(text: &str) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for comment in line.split("// ").skip(1) {
            if comment.starts_with("error[") || comment.starts_with("warning[") {
                found.push((index as u32 + 1, comment.trim().to_string()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn each_wrong_model_gets_its_messages_on_the_offending_lines() {
    let models = models();
    assert!(models.len() >= 60, "only {} wrong models", models.len());
    let mut wrong = Vec::new();
    for path in &models {
        let text = std::fs::read_to_string(path).expect("a model");
        let (model, diagnostics) = read("model.pml", &text, &Options::default(), &promela::NoIncludes);
        let mut got: Vec<(u32, String)> = diagnostics
            .iter()
            .map(|d| {
                let word = d.severity.word();
                (model.sources.visible_line(d.span), format!("{word}[{}]: {}", d.code, d.message))
            })
            .collect();
        got.sort();
        let expected = expected(&text);
        assert!(!expected.is_empty(), "{} expects nothing", path.display());
        if got != expected {
            wrong.push(format!("{}:\n  expected {expected:#?}\n  got {got:#?}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_code_that_a_wrong_model_shows_is_explained() {
    for path in models() {
        let text = std::fs::read_to_string(&path).expect("a model");
        for (_, message) in expected(&text) {
            let code = message.split(['[', ']']).nth(1).expect("a code in brackets");
            assert!(promela::codes::find(code).is_some(), "{code} in {} is not in the table", path.display());
        }
    }
}

#[test]
fn spin_rejects_exactly_the_models_with_an_error() {
    if Command::new("spin").arg("-V").output().is_err() {
        println!("note: spin is not installed, nothing was compared");
        return;
    }
    let folder = std::env::temp_dir().join(format!("plimsoll-wrong-models-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for SPIN's output");
    let mut differ = Vec::new();
    for path in models() {
        let text = std::fs::read_to_string(&path).expect("a model");
        std::fs::write(folder.join("model.pml"), &text).expect("a copy of the model");
        let output =
            Command::new("spin").args(["-a", "model.pml"]).current_dir(&folder).output().expect("spin runs");
        let accepted_on_purpose = text.starts_with("// SPIN accepts this");
        let we_reject = expected(&text).iter().any(|(_, message)| message.starts_with("error["));
        if output.status.success() == (we_reject && !accepted_on_purpose) {
            differ.push(path.display().to_string());
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
    assert!(differ.is_empty(), "SPIN sees it differently: {differ:?}");
}
