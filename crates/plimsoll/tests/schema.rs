//! Every JSON that the program prints fits the schema in `docs/schema/`, and every SARIF has what SARIF 2.1.0 asks for.
//!
//! The validator here knows just those words of JSON Schema that our schema uses, and refuses a schema with others.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

#[test]
fn answers_about_models_fit_the_schema() {
    let commands: [&[&str]; 11] = [
        &["check", "models/client-server-progress.pml"],
        &["check", "models/alternating-bit.pml"],
        &["check", "models/two-proctype.pml"],
        &["check", "models/fair-readers-writers.pml"],
        &["check", "models/client-server.pml", "models/iboc-figure-07.pml", "README.md"],
        &["search", "models/perf-philosophers.pml", "--full"],
        &["search", "models/perf-token-ring.pml", "--states", "100"],
        &["bounds", "models/two-proctype.pml", "--capacity", "declared"],
        &["check", "README.md"],
        &["check", "spec/wrong"],
        &["ltl", "models/client-server.pml", "--formula", "[] (len(tc[0]) == 0)"],
    ];
    let schema: Value =
        serde_json::from_str(&read("docs/schema/plimsoll-1.json")).expect("the schema is JSON");
    for command in commands {
        let text = run(command, "json");
        let document: Value = serde_json::from_str(&text).expect("JSON");
        if let Err(wrong) = valid(&document, &schema, &schema) {
            panic!("{command:?}: {wrong}");
        }
    }
}

#[test]
fn a_trace_in_an_answer_has_all_that_a_replay_needs() {
    let text = run(&["ltl", "models/client-server.pml", "--formula", "[] (len(tc[0]) == 0)"], "json");
    let answers: Value = serde_json::from_str(&text).expect("JSON");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("trace.json");
    std::fs::write(&file, answers["results"][0]["trace"].to_string()).expect("written");
    let mut replay = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    replay.args(["replay", &file.display().to_string(), "models/client-server.pml"]).current_dir(root());
    assert!(replay.output().expect("plimsoll runs").status.success());
}

#[test]
fn certificates_fit_their_schema_and_nothing_else_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("certificate.json");
    let schema: Value =
        serde_json::from_str(&read("docs/schema/plimsoll-certificate-2.json")).expect("the schema is JSON");
    for (question, model) in [
        ("bounds", "client-server"),
        ("bounds", "two-proctype"),
        ("progress", "alive-client-server-alternating"),
        ("bounds", "credit-recovery"),
    ] {
        let model = format!("models/{model}.pml");
        let mut prove = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        prove.args([question, &model, "--certificate"]).arg(&file).current_dir(root());
        prove.output().expect("plimsoll runs");
        let Ok(text) = std::fs::read_to_string(&file) else { panic!("{question} {model}: no certificate") };
        let good: Value = serde_json::from_str(&text).expect("JSON");
        valid(&good, &schema, &schema).unwrap_or_else(|wrong| panic!("{question} {model}: {wrong}"));
        let mut bad = if good.is_array() { good[0].clone() } else { good };
        bad["claims"]["surprise"] = 1.into();
        assert!(valid(&bad, &schema, &schema).is_err());
        std::fs::remove_file(&file).expect("removed");
    }
    assert!(valid(&Value::Array(Vec::new()), &schema, &schema).is_err());
}

#[test]
fn what_grows_is_told_even_if_it_is_processes() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("more.pml");
    let text = "chan c = [1] of { byte };\nproctype Q() { c!1; false }\ninit { do :: run Q() od }\n";
    std::fs::write(&file, text).expect("written");
    let answers = run(&["bounds", &file.display().to_string()], "json");
    let answers: Value = serde_json::from_str(&answers).expect("JSON");
    let schema: Value = serde_json::from_str(&read("docs/schema/plimsoll-1.json")).expect("JSON");
    valid(&answers, &schema, &schema).expect("it fits the schema");
    let growth = &answers["results"][0]["growth"];
    assert_eq!(*growth, serde_json::json!({ "channels": ["c"], "processes": 1 }));
}

#[test]
fn the_validator_refuses_what_does_not_fit() {
    let schema: Value =
        serde_json::from_str(&read("docs/schema/plimsoll-1.json")).expect("the schema is JSON");
    let text = run(&["check", "models/client-server.pml"], "json");
    let good: Value = serde_json::from_str(&text).expect("JSON");
    let spoil = |change: fn(&mut Value)| {
        let mut bad = good.clone();
        change(&mut bad);
        valid(&bad, &schema, &schema).is_err()
    };
    assert!(!spoil(|_| {}));
    assert!(spoil(|document| document["schema"] = "plimsoll/2".into()));
    assert!(spoil(|document| document["surprise"] = 1.into()));
    assert!(spoil(|document| document["results"][0]["verdict"] = "MAYBE".into()));
    assert!(spoil(|document| document["results"][0]["seconds"] = "fast".into()));
    assert!(spoil(|document| {
        document["results"][0].as_object_mut().expect("an object").remove("verdict");
    }));
}

#[test]
fn sarif_has_what_sarif_asks_for() {
    let text = run(&["check", "models/client-server-progress.pml", "models/two-proctype.pml"], "sarif");
    let log: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "Plimsoll");
    let rules: Vec<&Value> = run["tool"]["driver"]["rules"].as_array().expect("rules").iter().collect();
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 2, "{text}");
    for result in results {
        assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]));
        assert!(!result["message"]["text"].as_str().expect("a message").is_empty());
        let place = &result["locations"][0]["physicalLocation"];
        assert!(place["region"]["startLine"].as_u64().expect("a line") >= 1);
        assert!(place["artifactLocation"]["uri"].as_str().expect("a file").ends_with(".pml"));
        let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("a flow");
        assert!(flow.len() >= 5);
    }
    assert_eq!(results[0]["ruleId"], "progress");
    assert_eq!(results[1]["ruleId"], "deadlock");
}

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).expect("a file of the repository")
}

fn run(command: &[&str], format: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(command)
        .args(["--format", format])
        .current_dir(root())
        .output()
        .expect("plimsoll runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Whether a value fits a schema; `root` is where references lead.
fn valid(value: &Value, schema: &Value, root: &Value) -> Result<(), String> {
    for (word, rule) in schema.as_object().expect("a schema is an object") {
        match word.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" => {}
            "$ref" => {
                let path = rule.as_str().and_then(|path| path.strip_prefix('#')).expect("a local reference");
                valid(value, root.pointer(path).expect("the reference leads somewhere"), root)?;
            }
            "const" if value != rule => return Err(format!("{value} is not {rule}")),
            "enum" if !rule.as_array().expect("a list").contains(value) => {
                return Err(format!("{value} is none of {rule}"));
            }
            "const" | "enum" => {}
            "oneOf" => {
                let tried: Vec<Result<(), String>> =
                    rule.as_array().expect("a list").iter().map(|rule| valid(value, rule, root)).collect();
                if tried.iter().filter(|result| result.is_ok()).count() != 1 {
                    return Err(format!("not exactly one fits: {tried:?}"));
                }
            }
            "type" => {
                let types: Vec<&str> = match rule {
                    Value::String(one) => vec![one],
                    rule => rule.as_array().expect("types").iter().filter_map(Value::as_str).collect(),
                };
                if !types.iter().any(|name| has_type(value, name)) {
                    return Err(format!("{value} is no {rule}"));
                }
            }
            "required" => {
                for name in rule.as_array().expect("names").iter().filter_map(Value::as_str) {
                    if value.get(name).is_none() {
                        return Err(format!("`{name}` is missing"));
                    }
                }
            }
            "properties" => {
                for (name, inner) in rule.as_object().expect("properties") {
                    if let Some(found) = value.get(name) {
                        valid(found, inner, root).map_err(|wrong| format!("{name}: {wrong}"))?;
                    }
                }
            }
            "additionalProperties" => {
                let known = schema["properties"].as_object().expect("properties");
                let names = value.as_object().into_iter().flat_map(|object| object.keys());
                if let Some(unknown) = names.into_iter().find(|name| !known.contains_key(*name)) {
                    return Err(format!("`{unknown}` is not in the schema"));
                }
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    valid(item, rule, root).map_err(|wrong| format!("{index}: {wrong}"))?;
                }
            }
            "minItems" | "maxItems" => {
                let count = value.as_array().map_or(0, Vec::len) as u64;
                let limit = rule.as_u64().expect("a number");
                if if word == "minItems" { count < limit } else { count > limit } {
                    return Err(format!("{count} items, {word} {limit}"));
                }
            }
            "minimum" | "maximum" => {
                let number =
                    |value: &Value| value.as_i64().map(i128::from).or(value.as_u64().map(i128::from));
                let (Some(number), Some(limit)) = (number(value), number(rule)) else { continue };
                if if word == "minimum" { number < limit } else { number > limit } {
                    return Err(format!("{number}, {word} {limit}"));
                }
            }
            other => panic!("this validator does not know `{other}`"),
        }
    }
    Ok(())
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "null" => value.is_null(),
        other => panic!("this validator does not know the type `{other}`"),
    }
}
