//! Runs in the forms of other tools: what they would refuse must not be written, and what they write must be read.

use serde_json::{Value, json};
use std::collections::BTreeSet;
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

/// What ADR-015 of Apalache asks for, where its editions differ the strictest: names of variables, each once, and in each state a value for
/// each of them and for nothing else; values are integers as `#bigint`, texts, truth values, lists, records whose fields do not begin with
/// `#`, or an object with just one of the names that do; the keys of a map differ; `#meta` is an object; a loop begins at a state.
fn is_itf(trace: &Value) -> bool {
    fn is_integer(text: &str) -> bool {
        let digits = text.strip_prefix('-').unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    }
    fn is_value(value: &Value) -> bool {
        match value {
            Value::Null | Value::Number(_) => false,
            Value::Array(list) => list.iter().all(is_value),
            Value::Object(fields) if fields.keys().any(|key| key.starts_with('#')) => {
                let pairs = |value: &Value| {
                    let pairs = value.as_array();
                    let keys = || pairs.into_iter().flatten().map(|pair| &pair[0]);
                    pairs.is_some_and(|pairs| {
                        pairs.iter().all(|pair| {
                            pair.as_array().is_some_and(|pair| pair.len() == 2 && pair.iter().all(is_value))
                        })
                    }) && keys().all(|key| keys().filter(|other| *other == key).count() == 1)
                };
                fields.len() == 1
                    && fields.iter().all(|(key, value)| match key.as_str() {
                        "#bigint" => value.as_str().is_some_and(is_integer),
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
    let names: BTreeSet<&str> = vars.iter().filter_map(Value::as_str).collect();
    let is_meta = |meta: &Value| meta.is_null() || meta.is_object();
    let known = ["#meta", "params", "vars", "states", "loop"];
    let fields = trace.as_object().into_iter().flat_map(|fields| fields.keys());
    let complete = |state: &Value| {
        let Some(fields) = state.as_object() else { return false };
        let is_known = |(key, value): (&String, &Value)| match key.as_str() {
            "#meta" => is_meta(value),
            name => names.contains(name) && is_value(value),
        };
        names.iter().all(|name| fields.contains_key(*name)) && fields.iter().all(is_known)
    };
    let loops =
        trace["loop"].is_null() || trace["loop"].as_u64().is_some_and(|at| (at as usize) < states.len());
    let known = fields.into_iter().all(|field| known.contains(&field.as_str())) && is_meta(&trace["#meta"]);
    known && names.len() == vars.len() && !states.is_empty() && states.iter().all(complete) && loops
}

#[test]
fn what_the_format_of_apalache_does_not_have_is_refused() {
    let state = |value: Value| json!({ "vars": ["x"], "states": [{ "#meta": { "index": 0 }, "x": value }] });
    let good = state(json!({ "#map": [["a", { "#bigint": "-3" }], ["b", { "#set": [true, "t", []] }]] }));
    assert!(is_itf(&good), "{good}");
    let mut twice = good.clone();
    twice["vars"] = json!(["x", "x"]);
    let mut looped = good.clone();
    looped["loop"] = json!(1);
    let mut missing = good.clone();
    missing["vars"] = json!(["x", "y"]);
    let mut added = good.clone();
    added["states"][0]["z"] = json!("w");
    let mut other = good.clone();
    other["steps"] = json!([]);
    let wrong = [
        twice,
        looped,
        missing,
        added,
        other,
        state(json!(3)),
        state(json!(null)),
        state(json!({ "#bigint": "3.0" })),
        state(json!({ "#bigint": 3 })),
        state(json!({ "#map": [["a", "b"], ["a", "c"]] })),
        state(json!({ "#map": [["a"]] })),
        state(json!({ "#queue": [] })),
        state(json!({ "field": 1.5 })),
        json!({ "vars": [], "states": [] }),
    ];
    for trace in wrong {
        assert!(!is_itf(&trace), "{trace}");
    }
}

#[test]
fn variables_may_have_the_names_that_the_export_gives_to_processes_and_channels() {
    let text =
        "byte processes, channels_; int channels = -4; mtype = { on }; mtype m; chan c = [1] of { mtype };
        active proctype p() { c!on; m = on; processes = 7; assert(channels > channels_ + processes + m) }";
    let (folder, path) = folder_with("named", text);
    let here = folder.path();
    plimsoll(here, &["search", path.to_str().expect("a path")]);
    let (_, told) = plimsoll(here, &["replay", "assertions", "--format", "itf"]);
    let itf: Value = serde_json::from_str(&told).expect("JSON");
    assert!(is_itf(&itf), "{itf:#}");
    let vars = ["processes", "channels_", "channels", "m", "processes_", "channels__"];
    assert_eq!(itf["vars"], json!(vars));
    let last = &itf["states"].as_array().expect("states").last().expect("a state");
    assert_eq!(last["channels"], json!({ "#bigint": "-4" }));
    assert_eq!(last["channels__"], json!({ "#map": [["c", ["on"]]] }));
    // A text where it holds a name, and a text where it holds none yet.
    assert_eq!((&itf["states"][0]["m"], &last["m"]), (&json!("0"), &json!("on")));
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

/// Replays a trail that stands beside its model, as SPIN leaves it.
fn replayed(name: &str, model: &str, trail: &str) -> (Option<i32>, String) {
    let (folder, _) = folder_with(name, model);
    let lines: String = trail.split_whitespace().map(|line| format!("{line}\n")).collect();
    std::fs::write(folder.path().join(format!("{name}.pml.trail")), lines).expect("written");
    plimsoll(folder.path(), &["replay", &format!("{name}.pml.trail")])
}

/// SPIN merges the statements of an atomic sequence: one line stands for all of them, also the last line of a trail.
#[test]
fn a_trail_that_ends_with_an_atomic_sequence_ends_behind_it() {
    let model = "bool t[2];
active [2] proctype P() { atomic { !t[_pid] -> t[_pid] = true }; atomic { !t[1 - _pid] -> skip } }";
    let (code, told) = replayed("stuck", model, "-4:-4:-4 1:1:0 2:1:3 3:1:4 4:1:6 5:0:0");
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("t[0] = 1") && told.contains("the end, after 7 steps"), "{told}");
}

#[test]
fn a_loop_of_a_trail_begins_behind_the_atomic_sequence_before_it() {
    let model = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/fair-readers-writers.pml"),
    );
    let trail = "-2:3:-2 -4:-4:-4 1:0:26 2:4:8 -1:-1:-1 3:0:33 4:4:11 5:0:33 6:4:8";
    let (code, told) = replayed("writers", &model.expect("a model"), trail);
    assert_eq!(code, Some(0), "{told}");
    let (before, behind) = told.split_once("<<< the loop begins >>>").expect("a loop");
    assert!(before.contains("writing = 1") && !before.contains("writing = 0"), "{told}");
    assert!(behind.contains("after step 5 it goes on with step 3"), "{told}");
    // And of another process than the one that goes on.
    let model = "int n; active proctype Q() { do :: n > 0 od }
active [2] proctype P() { atomic { n < 2 -> n++ }; n == 5 }
ltl f { <> [] (n == 0) }";
    let trail = "-2:2:-2 -4:-4:-4 1:0:12 2:3:5 3:0:10 4:2:5 -1:-1:-1 5:0:17 6:1:0 7:0:10 8:1:0";
    let (code, told) = replayed("other", model, trail);
    let (before, _) = told.split_once("<<< the loop begins >>>").unwrap_or_else(|| panic!("{code:?} {told}"));
    assert!(before.contains("n = 2"), "{told}");
}

#[test]
fn whoever_has_no_line_in_a_trail_has_not_moved() {
    let model =
        "byte x; active proctype p() { byte i; i = 1; i = 2; x = i } active proctype q() { x = 5; x == 9 }";
    let (code, told) = replayed("resting", model, "-4:-4:-4 1:1:4");
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("the end, after 1 step\n") && !told.contains("i = 1"), "{told}");
}

/// `break` out of an atomic sequence is a jump to a jump, and SPIN's line has the number of the second.
#[test]
fn a_jump_to_a_jump_is_one_step() {
    let model = "chan c = [1] of { byte }; byte x;
active proctype s() { byte y; bit toggle; do :: atomic { c?y -> if :: (y != toggle) :: (y == toggle) -> break fi } :: timeout -> x = 3 od; toggle = 1 - toggle; x = 7; assert(false) }
active proctype r() { c!0 }";
    let trail = "-4:-4:-4 1:1:16 2:1:17 3:0:0 4:0:2 5:0:11 6:0:12 7:0:13 8:0:14";
    let (code, told) = replayed("jump", model, trail);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("x = 7") && told.contains("assertion violated"), "{told}");
}

#[test]
fn an_event_that_no_trace_allows_stands_twice_in_a_trail() {
    let model = "mtype = { a, b }; chan c = [2] of { mtype };
trace { do :: c!a; c?a od }
active proctype P() { c!a; c!a }
active proctype Q() { c?a; c?a }";
    let (code, told) = replayed("events", model, "-4:-4:-4 1:0:6 2:0:7 3:0:7");
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("the event trace does not allow this event"), "{told}");
    assert!(told.contains("the end, after 2 steps"), "{told}");
    // Anything else that cannot be taken is still wrong.
    let (code, told) = replayed("events", model, "-4:-4:-4 1:0:6 2:0:6");
    assert_eq!(code, Some(2), "{told}");
}

/// What a session says in which these lines are typed.
fn typed(folder: &Path, command: &[&str], words: &str) -> String {
    let script = folder.join("typed.txt");
    std::fs::write(&script, words).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .current_dir(folder)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env_remove("COLUMNS")
        .args(command)
        .stdin(std::fs::File::open(script).expect("a file"))
        .output()
        .expect("plimsoll runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn where_there_is_no_choice_a_run_goes_on_by_itself_until_something_is_wrong() {
    let text = "byte x; active proctype p() { if :: x = 1 :: x = 2 fi; x = x + 1; assert(x == 3); x = 9 }";
    let (folder, _) = folder_with("chosen", text);
    let session = |words: &str| typed(folder.path(), &["simulate", "-i", "chosen.pml"], words);
    let told = session("1\n");
    assert!(told.contains("assertion") && !told.contains("[x = 9]\n        x"), "{told}");
    let told = session("2\n");
    assert!(told.contains("        x = 9") && told.contains("finished"), "{told}");
    // A breakpoint comes first, and one step is one step.
    let told = session("break x == 3\n2\nn\n");
    assert!(told.contains("stopped: x == 3") && !told.contains("finished"), "{told}");
}

#[test]
fn what_can_be_chosen_is_shown_again_to_whoever_goes_on_without_choosing() {
    let text = "byte x; active proctype p() { if :: x = 1 :: x = 2 fi }";
    let (folder, _) = folder_with("chosen", text);
    for go_on in ["n\n", "c\n", "until x == 7\n"] {
        let told = typed(folder.path(), &["simulate", "-i", "chosen.pml"], go_on);
        assert!(told.contains("choose a step\n   1) proc  0"), "{told}");
        assert_eq!(told.matches("[x = 2]").count(), 2, "{told}");
    }
}

#[test]
fn a_variable_of_a_process_is_named_with_its_process() {
    let text =
        "byte x; active [2] proctype p() { byte here; here = x } active proctype q() { byte other; skip }";
    let (folder, _) = folder_with("held", text);
    let session = |words: &str| typed(folder.path(), &["simulate", "-i", "held.pml"], words);
    let told = session("p here + 1\n");
    assert!(
        told.contains("`here` is not declared for all; of a process it is `p[0]:here`, `p[1]:here`\n"),
        "{told}"
    );
    assert!(session("p p[1]:here + 1\n").contains("p[1]:here + 1 = 1\n"));
    let told = session("p nobody\n");
    assert!(told.contains("`nobody` is not declared\n"), "{told}");
}

#[test]
fn a_session_says_with_which_error_a_run_ends() {
    let text = "byte a[2]; byte i; active proctype p() { if :: i = 2 :: i = 3 fi; a[i] = 1; i = 0 }";
    let (folder, _) = folder_with("outside", text);
    let here = folder.path();
    let told = typed(here, &["simulate", "-i", "outside.pml"], "2\nn\nb\nn\n");
    assert_eq!(told.matches("   2: error: ").count(), 2, "{told}");
    assert!(told.contains("the run ends with an error") && !told.contains("i = 0\n"), "{told}");
    plimsoll(here, &["check", "outside.pml"]);
    let told = typed(here, &["replay", "errors", "-i"], "c\nn\n");
    assert!(told.contains("   2: error: ") && told.contains("the run ends with an error"), "{told}");
}

/// The state has both variables of one name, and a debugger's commands say what they did not do.
#[test]
fn what_is_saved_can_be_loaded_and_what_is_no_run_cannot() {
    let text = "byte x; active proctype p() { x = 1; x = 2; x = 3 } active proctype q() { x == 9 }";
    let (folder, _) = folder_with("counted", text);
    let here = folder.path();
    let typed = |words: &str| typed(here, &["simulate", "-i", "counted.pml"], words);
    let told = typed("n 2\nsave run.json\nb 2\nload run.json\np x\n");
    assert!(told.contains("written: plimsoll replay run.json") && told.contains("2> x = 2"), "{told}");
    let saved = std::fs::read_to_string(here.join("run.json")).expect("saved");
    std::fs::write(here.join("forged.json"), saved.replace("\"edge\": 1", "\"edge\": 77")).expect("written");
    let told =
        typed("load forged.json\nload\nload nowhere.json\nn many\ndelete 3\nunwatch 1\nbreaks\nbreak 7\n");
    for said in [
        "`forged.json` does not replay: the state before step 2 does not allow it",
        "a file is missing: load FILE",
        "cannot read `nowhere.json`",
        "`many` is no number of steps",
        "delete takes the number of a breakpoint (breaks lists them)",
        "unwatch takes the number before what is watched",
        "no breakpoints (break 12, break x > 2)",
        "no statement begins on line 7",
    ] {
        assert!(told.contains(said), "{said}: {told}");
    }
}

#[test]
fn variables_of_one_name_in_several_blocks_are_told_apart() {
    let text =
        "byte x; active proctype p() { { byte n; n = 3; x = n }; { byte n; n = 5; x = n }; assert(x == 3) }";
    let (folder, path) = folder_with("blocks", text);
    let here = folder.path();
    plimsoll(here, &["search", path.to_str().expect("a path")]);
    let (_, told) = plimsoll(here, &["replay", "assertions", "--format", "json"]);
    let json: Value = serde_json::from_str(&told).expect("JSON");
    let last = json["steps"].as_array().and_then(|steps| steps.last()).expect("steps");
    let variables = &last["state"]["processes"][0]["variables"];
    assert_eq!(*variables, json!({ "n": 3, "n (2)": 5 }));
}
