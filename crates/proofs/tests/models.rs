//! Every model of `models/` against what its header says is true of it.

mod common;

use std::path::PathBuf;

use proofs::{
    BoundsOptions, BoundsVerdict, Budgets, BufferVerdict, Control, ProgressOptions, ProgressVerdict,
};

/// Models that the prover does not decide yet, with the question.
const UNDECIDED: &[(&str, &str)] = &[];

fn models() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut models: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the folder of models")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "pml"))
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("a readable model"))
        })
        .collect();
    models.sort();
    models
}

fn expectations(text: &str) -> Vec<Vec<String>> {
    text.lines()
        .filter_map(|line| line.split("expect: ").nth(1))
        .map(|rest| rest.trim_end_matches("*/").split_whitespace().map(str::to_string).collect())
        .collect()
}

fn budgets() -> Budgets {
    Budgets { states: 12_000, transitions: 6_000, split_transitions: 2_500, ..Budgets::default() }
}

fn is_undecided(name: &str, question: &str) -> bool {
    UNDECIDED.contains(&(name, question))
}

#[test]
fn buffers_are_as_the_headers_say() {
    for (name, text) in models() {
        let expected = expectations(&text);
        let Some(verdict) = expected.iter().find(|words| words[0] == "buffers").map(|words| words[1].clone())
        else {
            continue;
        };
        let options = BoundsOptions { budgets: budgets(), ..BoundsOptions::default() };
        let system = common::system_of(&text);
        let report = proofs::bounds(&system, &options, &Control::unlimited());
        let said = match &report.verdict {
            BoundsVerdict::Proved(_) | BoundsVerdict::NoBuffers => "PROVED",
            BoundsVerdict::Violated(_) => "VIOLATED",
            BoundsVerdict::Unknown(reason) => {
                assert!(is_undecided(&name, "buffers"), "{name}: {:?} {:?}", reason.reason, reason.findings);
                continue;
            }
        };
        assert_eq!(said, verdict, "{name}");
        assert!(!is_undecided(&name, "buffers"), "{name} is decided now: take it off the list");
        for words in expected.iter().filter(|words| words[0] == "bound") {
            let exact: u64 = words[2].parse().expect("a number");
            let Some(buffer) = report.buffers.iter().find(|buffer| buffer.name == words[1]) else { continue };
            match &buffer.verdict {
                BufferVerdict::AtMost { bound, tight, .. } => {
                    assert!(*bound >= exact, "{name}: {} <= {bound}, but {exact} is reached", buffer.name);
                    assert!(!tight || *bound == exact, "{name}: {} <= {bound}, exact {exact}", buffer.name);
                    assert!(*tight || !report.search.complete, "{name}: {} was searched", buffer.name);
                }
                BufferVerdict::Bounded(_) | BufferVerdict::Unknown => {}
                BufferVerdict::Unbounded(_) => panic!("{name}: {} is said to be unbounded", buffer.name),
            }
        }
    }
}

#[test]
fn progress_is_as_the_headers_say() {
    for (name, text) in models() {
        let expected = expectations(&text);
        let Some(verdict) =
            expected.iter().find(|words| words[0] == "progress").map(|words| words[1].clone())
        else {
            continue;
        };
        let options = ProgressOptions { budgets: budgets(), ..ProgressOptions::default() };
        let system = common::system_of(&text);
        let report = proofs::progress(&system, &options, &Control::unlimited());
        let said = match &report.verdict {
            ProgressVerdict::Proved(_) => "PROVED",
            ProgressVerdict::Lasso(_) | ProgressVerdict::Pump(_) => "VIOLATED",
            ProgressVerdict::Unknown(reason) => {
                assert!(is_undecided(&name, "progress"), "{name}: {:?} {:?}", reason.reason, reason.findings);
                continue;
            }
        };
        assert_eq!(said, verdict, "{name}");
        assert!(!is_undecided(&name, "progress"), "{name} is decided now: take it off the list");
    }
}
