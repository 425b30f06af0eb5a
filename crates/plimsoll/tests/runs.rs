//! Runs in the forms of other tools: what they would refuse must not be written, and what they write must be read.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn plimsoll(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .current_dir(folder)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env_remove("COLUMNS")
        .args(arguments)
        .output()
        .expect("plimsoll runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), text + &String::from_utf8_lossy(&output.stderr))
}

/// Models whose runs have everything that a trail can have: options, d_steps, atomics, rendezvous, processes that are started, errors.
const MODELS: [(&str, &str); 6] = [
    ("assertion", "byte x; active proctype p() { do :: x < 3 -> x++ :: x > 1 -> break od; assert(x != 2) }"),
    (
        "rendezvous",
        "chan c = [0] of { byte }; byte n; active proctype a() { c!7; c!8; assert(false) } active proctype b() { c?n; c?n; c?n }",
    ),
    (
        "started",
        "chan c = [1] of { byte }; proctype q(byte k) { c!k; c!k } init { atomic { run q(1); run q(2) } }",
    ),
    (
        "d_step",
        "byte x, y; active proctype p() { d_step { x = 1; y = 2 }; if :: x == 1 -> skip :: else fi; atomic { y = 3; goto out }; skip; out: assert(y == 2) }",
    ),
    ("formula", "byte x; active proctype p() { do :: x < 2 -> x++ od } ltl f { [] (x < 9) }"),
    (
        "inline",
        "byte x; inline twice(a) { a++; a++ } proctype q() { x = 9 } active proctype p() { byte i; for (i : 1 .. 2) { twice(x) }; assert(x == 3) }",
    ),
];

fn folder_with(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(format!("{name}.pml"));
    std::fs::write(&path, text).expect("written");
    (folder, path)
}

fn has_spin() -> bool {
    let found = Command::new("spin").arg("-V").output().is_ok();
    assert!(found || std::env::var_os("PLIMSOLL_REQUIRE_SPIN").is_none(), "spin is not installed");
    found
}

#[test]
fn spin_replays_our_runs_to_their_end() {
    if !has_spin() {
        return;
    }
    for (name, text) in MODELS {
        let (folder, path) = folder_with(name, text);
        let (code, said) = plimsoll(folder.path(), &["search", path.to_str().expect("a path")]);
        assert_eq!(code, Some(1), "{name}: {said}");
        let (code, trail) = plimsoll(folder.path(), &["replay", "--format", "trail"]);
        assert_eq!(code, Some(0), "{name}: {trail}");
        // A note about others that are kept comes before.
        let trail: String =
            trail.lines().filter(|line| !line.starts_with("also")).map(|l| format!("{l}\n")).collect();
        std::fs::write(folder.path().join(format!("{name}.pml.trail")), &trail).expect("written");
        let output = Command::new("spin")
            .args(["-t", "-p"])
            .arg(&path)
            .current_dir(folder.path())
            .output()
            .expect("spin runs");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let at_end = format!("trail ends after {} steps", trail.lines().count());
        assert!(told.contains(&at_end) || told.contains("assertion violated"), "{name}:\n{trail}\n{told}");
        assert!(!told.contains("lost trail"), "{name}: {told}");
    }
}

#[test]
fn we_replay_the_trails_that_spin_writes() {
    if !has_spin() || Command::new("cc").arg("--version").output().is_err() {
        return;
    }
    // With a claim, SPIN looks for no deadlocks.
    for (name, text) in MODELS.into_iter().filter(|(name, _)| *name != "formula") {
        let (folder, path) = folder_with(name, text);
        let run = |program: &str, arguments: &[&str]| {
            let output = Command::new(program).args(arguments).current_dir(folder.path()).output();
            assert!(output.is_ok_and(|output| output.status.success()), "{name}: {program}");
        };
        run("spin", &["-a", path.to_str().expect("a path")]);
        run("cc", &["-w", "-o", "pan", "pan.c"]);
        run("./pan", &[]);
        let trail = format!("{name}.pml.trail");
        let (code, told) = plimsoll(folder.path(), &["replay", &trail]);
        assert_eq!(code, Some(0), "{name}: {told}");
        let wrong = told.contains("assertion violated") || told.contains("the end, after");
        assert!(wrong, "{name}: {told}");
    }
}

/// Models whose bodies SPIN numbers in another order than they come to mind: one stands in a file that is included between others, and a
/// jump is a state of its own because the claim asks for its label.
const NUMBERED: [(&str, &str); 2] = [
    (
        "included",
        "byte x; proctype a() { x = 1; x = 2 }
#include \"part.h\"
init { run a(); run b(); x == 3 -> assert(false) }",
    ),
    (
        "named",
        "byte x; active proctype q() { again: x = 1; x = 2; P1: goto again }
active proctype p() { x == 2 -> x = 7; assert(false) }
never { do :: skip :: q[0]@P1 -> break od }",
    ),
];

fn folder_with_part(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let (folder, path) = folder_with(name, text);
    std::fs::write(folder.path().join("part.h"), "proctype b() { x == 2 -> x = 3; x == 9 }\n")
        .expect("written");
    (folder, path)
}

#[test]
fn transitions_have_the_numbers_that_spin_gives_them() {
    if !has_spin() || Command::new("cc").arg("--version").output().is_err() {
        return;
    }
    for (name, text) in NUMBERED {
        let (folder, path) = folder_with_part(name, text);
        let here = folder.path();
        let run = |program: &str, arguments: &[&str]| {
            let output = Command::new(program).args(arguments).current_dir(here).output();
            assert!(output.is_ok_and(|output| output.status.success()), "{name}: {program}");
        };
        run("spin", &["-a", path.to_str().expect("a path")]);
        run("cc", &["-w", "-o", "pan", "pan.c"]);
        run("./pan", &["-E"]);
        let trail = format!("{name}.pml.trail");
        let (code, told) = plimsoll(here, &["replay", &trail]);
        assert_eq!(code, Some(0), "{name}: {told}");
        assert!(told.contains("assertion violated"), "{name}: {told}");
        // And ours.
        let (code, said) = plimsoll(here, &["search", path.to_str().expect("a path"), "--no-deadlock"]);
        assert_eq!(code, Some(1), "{name}: {said}");
        let (_, written) = plimsoll(here, &["replay", "assertions", "--format", "trail"]);
        std::fs::write(here.join(&trail), &written).expect("written");
        let output = Command::new("spin").args(["-t", "-p"]).arg(&path).current_dir(here).output();
        let told = String::from_utf8_lossy(&output.expect("spin runs").stdout).into_owned();
        assert!(
            told.contains("assertion violated") && !told.contains("lost trail"),
            "{name}: {written}{told}"
        );
    }
}

/// What the format asks for: names of variables, and in each state a value for each of them; values are numbers, texts, truth values, lists,
/// records, or an object with one of the names that begin with `#`.
fn is_itf(trace: &Value) -> bool {
    fn is_value(value: &Value) -> bool {
        match value {
            Value::Null => false,
            Value::Number(number) => number.is_i64(),
            Value::Array(list) => list.iter().all(is_value),
            Value::Object(fields) if fields.keys().any(|key| key.starts_with('#')) => {
                let pairs = |value: &Value| {
                    let pairs = value.as_array();
                    pairs.is_some_and(|pairs| {
                        pairs.iter().all(|pair| {
                            pair.as_array().is_some_and(|pair| pair.len() == 2 && pair.iter().all(is_value))
                        })
                    })
                };
                fields.len() == 1
                    && fields.iter().all(|(key, value)| match key.as_str() {
                        "#bigint" => value.is_string(),
                        "#tup" | "#set" => value.as_array().is_some_and(|list| list.iter().all(is_value)),
                        "#map" => pairs(value),
                        _ => false,
                    })
            }
            Value::Object(fields) => fields.values().all(is_value),
            Value::Bool(_) | Value::String(_) => true,
        }
    }
    let (Some(vars), Some(states)) = (trace["vars"].as_array(), trace["states"].as_array()) else {
        return false;
    };
    let names: Vec<&str> = vars.iter().filter_map(Value::as_str).collect();
    let complete = |state: &Value| {
        let Some(fields) = state.as_object() else { return false };
        names.iter().all(|name| fields.contains_key(*name))
            && fields
                .iter()
                .all(|(key, value)| key == "#meta" || (names.contains(&key.as_str()) && is_value(value)))
    };
    let loops =
        trace["loop"].is_null() || trace["loop"].as_u64().is_some_and(|at| (at as usize) < states.len());
    names.len() == vars.len() && !states.is_empty() && states.iter().all(complete) && loops
}

#[test]
fn every_counterexample_can_be_written_for_apalache_and_as_json() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let models =
        ["client-server-progress.pml", "perf-philosophers.pml", "sleep-wakeup.pml", "two-proctype.pml"];
    let mut checked = 0;
    for name in models {
        let text = std::fs::read_to_string(root.join("models").join(name)).expect("a model");
        let (folder, path) = folder_with(name.trim_end_matches(".pml"), &text);
        let here = folder.path();
        plimsoll(here, &["check", path.to_str().expect("a path"), "--time", "5s", "--traces", "out"]);
        for entry in std::fs::read_dir(here.join("out")).expect("violations") {
            let trace = entry.expect("a file").path();
            let file = trace.to_str().expect("a path");
            let (_, itf) = plimsoll(here, &["replay", file, "--format", "itf"]);
            let itf: Value = serde_json::from_str(&itf).expect("JSON");
            assert!(is_itf(&itf), "{name}: {itf:#}");
            let (_, json) = plimsoll(here, &["replay", file, "--format", "json"]);
            let json: Value = serde_json::from_str(&json).expect("JSON");
            let steps = json["steps"].as_array().expect("steps");
            assert_eq!(steps.len() + 1, itf["states"].as_array().map_or(0, Vec::len));
            assert!(steps.iter().all(|step| step["line"].is_u64() && step["statement"].is_string()));
            checked += 1;
        }
    }
    assert!(checked >= 4, "{checked}");
}

/// Runs that go round for ever: without progress, accepted by a formula, by labels, by a claim; and what `pan` is asked.
const LASSOS: [(&str, &str, &str, &str); 5] = [
    (
        "livelock",
        "chan c = [1] of { byte }; byte x; active proctype p() { x = 1; do :: c!1; c?_ :: x = 2; progress: x = 1 od } active proctype q() { byte i; do :: i < 3 -> i++ :: else -> i = 0 od }",
        "-DNP",
        "-l",
    ),
    (
        // What SPIN merges ends just before the loop begins.
        "merged",
        "chan c = [0] of { byte }; active proctype p() { byte days, year; c?days; S: do :: days > 3 -> if :: year == 2 -> if :: days > 9 -> skip :: else fi :: else -> days = days - 1; year++ fi :: else -> break od; E: skip } init { c!9 } ltl f { [] (p@S -> <> p@E) }",
        "-DMEMLIM=512",
        "-a",
    ),
    (
        "temporal",
        "chan c = [0] of { byte }; byte x; active proctype p() { x = 1; do :: c!1; x = 3 - x od } active proctype q() { do :: c?_ od } ltl f { <> [] (x == 1) }",
        "-DMEMLIM=512",
        "-a",
    ),
    (
        "labelled",
        "byte x; active proctype p() { skip; do :: x = 1; accept: x = 0 :: x = 2 od } active proctype q() { do :: atomic { x == 2 -> x = 3; x = 2 } od }",
        "-DMEMLIM=512",
        "-a",
    ),
    (
        "claim",
        "byte x; active proctype p() { do :: x = 1 - x od } never { T0: do :: true :: x == 1 -> goto accept od; accept: do :: true od }",
        "-DMEMLIM=512",
        "-a",
    ),
];

#[test]
fn spin_replays_our_lassos_with_their_cycle() {
    if !has_spin() {
        return;
    }
    for (name, text, ..) in LASSOS {
        let (folder, path) = folder_with(name, text);
        let (code, said) = plimsoll(folder.path(), &["check", path.to_str().expect("a path")]);
        assert_eq!(code, Some(1), "{name}: {said}");
        let (code, trail) = plimsoll(folder.path(), &["replay", "--format", "trail"]);
        assert_eq!(code, Some(0), "{name}: {trail}");
        let trail: String =
            trail.lines().filter(|line| !line.starts_with("also")).map(|l| format!("{l}\n")).collect();
        assert!(trail.contains("-1:-1:-1\n"), "{name}: {trail}");
        std::fs::write(folder.path().join(format!("{name}.pml.trail")), &trail).expect("written");
        let output = Command::new("spin").args(["-t", "-p"]).arg(&path).current_dir(folder.path()).output();
        let told = String::from_utf8_lossy(&output.expect("spin runs").stdout).into_owned();
        let at_end = format!("trail ends after {} steps", trail.lines().count() - 1);
        assert!(told.contains(&at_end) && told.contains("START OF CYCLE"), "{name}:\n{trail}\n{told}");
        assert!(!told.contains("lost trail"), "{name}: {told}");
        // And back: what SPIN replays, we replay.
        let (code, told) = plimsoll(folder.path(), &["replay", &format!("{name}.pml.trail")]);
        assert_eq!(code, Some(0), "{name}: {told}");
        assert!(told.contains("the loop begins"), "{name}: {told}");
    }
}

#[test]
fn we_replay_the_lassos_that_spin_writes() {
    if !has_spin() || Command::new("cc").arg("--version").output().is_err() {
        return;
    }
    for (name, text, compile, search) in LASSOS {
        let (folder, path) = folder_with(name, text);
        let run = |program: &str, arguments: &[&str]| {
            let output = Command::new(program).args(arguments).current_dir(folder.path()).output();
            assert!(output.is_ok_and(|output| output.status.success()), "{name}: {program}");
        };
        run("spin", &["-a", path.to_str().expect("a path")]);
        run("cc", &["-w", compile, "-o", "pan", "pan.c"]);
        run("./pan", &[search]);
        // It replays only if the state at the end is the one at the beginning of the loop.
        let (code, told) = plimsoll(folder.path(), &["replay", &format!("{name}.pml.trail")]);
        assert_eq!(code, Some(0), "{name}: {told}");
        assert!(told.contains("it goes on with step"), "{name}: {told}");
    }
}
