//! Every model of `models/` says in its header what is true of it; `plimsoll check` must never say otherwise.
//!
//! `UNKNOWN` is no contradiction, since the budget of a test is short; but what is listed in [`MUST_BE_DECIDED`] must be decided.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Small models for which every expectation must be met within the test's budget.
const MUST_BE_DECIDED: [&str; 18] = [
    "alive-client-server-alternating.pml",
    "alive-client-server.pml",
    "alternating-bit.pml",
    "ciclo-figure-4.pml",
    "ciclo-figure-5.pml",
    "client-server-progress.pml",
    "client-server.pml",
    "dependencies-figure-1.pml",
    "dependencies-figure-3.pml",
    "fair-readers-writers.pml",
    "iboc-figure-03.pml",
    "iboc-figure-04.pml",
    "iboc-figure-07.pml",
    "translated-calls-in-a-loop.pml",
    "translated-mutex.pml",
    "translated-nested-calls.pml",
    "translated-wait-group.pml",
    "two-proctype.pml",
];

#[test]
fn no_answer_contradicts_what_is_true_of_a_model() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["check", "models", "--time", "4s", "--format", "json"])
        .current_dir(&root)
        .output()
        .expect("plimsoll runs");
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let models = document["models"].as_array().expect("several models");
    assert!(models.len() >= 57, "only {} models", models.len());
    let mut contradictions = Vec::new();
    let mut decided = 0;
    for model in models {
        let path = model["model"].as_str().expect("a name");
        let text = std::fs::read_to_string(root.join(path)).expect("a model");
        for expectation in text.lines().filter_map(|line| line.split_once("expect: ")).map(|(_, rest)| rest) {
            let words: Vec<&str> = expectation.trim_end_matches("*/").split_whitespace().collect();
            match judge(&words, model) {
                Judgement::Met => decided += 1,
                Judgement::Open => {
                    let name = path.rsplit('/').next().unwrap_or(path);
                    if MUST_BE_DECIDED.contains(&name) {
                        contradictions.push(format!("{path}: {} is not decided", words.join(" ")));
                    }
                }
                Judgement::NotAsked => {}
                Judgement::Contradicted(found) => {
                    contradictions.push(format!("{path}: expected {}, found {found}", words.join(" ")));
                }
            }
        }
    }
    assert!(contradictions.is_empty(), "{}", contradictions.join("\n"));
    assert!(decided >= 200, "only {decided} expectations were decided");
}

#[test]
fn formulas_hold_and_fail_under_fairness_as_the_models_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut decided = 0;
    for entry in std::fs::read_dir(root.join("models")).expect("models") {
        let path = entry.expect("a model").path();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        for fairness in ["weak", "strong"] {
            let expected = expectations(&text, fairness);
            if expected.is_empty() {
                continue;
            }
            let output = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
                .args(["ltl", "--time", "60s", "--format", "json", "--fair", fairness])
                .arg(&path)
                .output()
                .expect("plimsoll runs");
            let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            let results = document["results"].as_array().expect("results");
            for (name, truth) in expected {
                let question = format!("ltl {name}");
                let result = results.iter().find(|result| result["question"] == question.as_str());
                let result =
                    result.unwrap_or_else(|| panic!("{}: {question} is not answered", path.display()));
                assert_eq!(result["verdict"], truth.as_str(), "{}: {question} {fairness}", path.display());
                assert_eq!(result["reading"]["fairness"], fairness);
                decided += 1;
            }
        }
    }
    assert!(decided >= 12, "only {decided} expectations");
}

/// The names and verdicts of the lines `expect: ltl NAME fairness=F VERDICT`.
fn expectations(text: &str, fairness: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for line in text.lines().filter_map(|line| line.split_once("expect: ")).map(|(_, rest)| rest) {
        let words: Vec<&str> = line.trim_end_matches("*/").split_whitespace().collect();
        if let ["ltl", name, condition, truth] = words[..]
            && condition == format!("fairness={fairness}")
        {
            found.push((name.to_string(), truth.to_string()));
        }
    }
    found
}

enum Judgement {
    Met,
    Open,
    NotAsked,
    Contradicted(String),
}

fn judge(words: &[&str], model: &Value) -> Judgement {
    let result = |question: &str| {
        let results = model["results"].as_array().expect("results");
        results.iter().find(|result| result["question"] == question).cloned()
    };
    match words {
        ["bound", name, number] => {
            let truth: u64 = number.parse().expect("a number");
            let Some(result) = result(&format!("buffer {name}")) else { return Judgement::Open };
            match (result["bound"].as_u64(), result["tight"].as_bool()) {
                (Some(bound), _) if bound < truth => Judgement::Contradicted(format!("at most {bound}")),
                (Some(bound), Some(true)) if bound != truth => {
                    Judgement::Contradicted(format!("tight {bound}"))
                }
                (Some(bound), _) if bound == truth => Judgement::Met,
                _ if result["verdict"] == "VIOLATED" => Judgement::Contradicted("unbounded".to_string()),
                _ => Judgement::Open,
            }
        }
        ["states", states, "transitions", transitions] => {
            let search = &model["search"];
            let everything =
                result("deadlock").is_some_and(|r| r["meaning"].as_str().unwrap_or("").starts_with("all "));
            let found = (search["states"].to_string(), search["transitions"].to_string());
            match everything {
                true if found == (states.to_string(), transitions.to_string()) => Judgement::Met,
                true => Judgement::Contradicted(format!("{} and {}", found.0, found.1)),
                false => Judgement::Open,
            }
        }
        ["ltl", name, "fairness=none", truth] => verdict(result(&format!("ltl {name}")), truth),
        // By the test below.
        ["ltl", _, "fairness=weak" | "fairness=strong", _] => Judgement::NotAsked,
        // Counted as SPIN counts them, by the crate that compares with SPIN.
        ["errors", _, "atomic-steps", _] => Judgement::NotAsked,
        [question, truth] => verdict(result(question), truth),
        other => Judgement::Contradicted(format!("an expectation that nobody understands: {other:?}")),
    }
}

fn verdict(result: Option<Value>, truth: &str) -> Judgement {
    let Some(result) = result else { return Judgement::Open };
    match result["verdict"].as_str().unwrap_or("") {
        found if found == truth => Judgement::Met,
        "UNKNOWN" => Judgement::Open,
        found => Judgement::Contradicted(found.to_string()),
    }
}
