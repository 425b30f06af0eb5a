//! Checkers that share nothing but the rules, ours, `checker/check.py` and the small `checker/core.py`, agree on every certificate that
//! they cover: the genuine ones of all our models, those changed in one place after the other and sealed anew, and forgeries of the
//! kinds that were once believed.
//!
//! Without Python there is nothing to compare, unless `PLIMSOLL_REQUIRE_PYTHON` says that there must be. With `PLIMSOLL_KEEP_CERTIFICATES`
//! all certificates stay in the folder that it names, with what our checker says of each: `checker/mutants.py` removes the checks of
//! `core.py` one by one and looks whether any of these notices.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use certificate::Certificate;
use certificate::check::check;
use certificate::verdict::Capacities;
use common::{bounds_within, progress_within, system_of};
use proofs::{BoundsOptions, ProgressOptions};
use serde_json::{Value, json};
use system::automaton::System;

/// What a checker says of a certificate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Judgement {
    Accepted,
    Refused,
    NotCovered,
}

/// How often a checker agreed with ours on what.
#[derive(Debug, Default)]
struct Tally {
    accepted: usize,
    refused: usize,
    not_covered: usize,
}

impl Tally {
    fn count(&mut self, judgement: Judgement) {
        match judgement {
            Judgement::Accepted => self.accepted += 1,
            Judgement::Refused => self.refused += 1,
            Judgement::NotCovered => self.not_covered += 1,
        }
    }
}

/// Runs all checkers on certificates.
struct Bench {
    folder: PathBuf,
    /// Whether the folder stays.
    keeps: bool,
    /// How many systems there were.
    systems: usize,
    tally: Tally,
    /// Of `checker/core.py`.
    core: Tally,
}

impl Bench {
    /// `None` if there is no Python and none is required.
    fn new(name: &str) -> Option<Bench> {
        let found = Command::new("python3").arg("--version").output().is_ok_and(|o| o.status.success());
        if !found {
            let required = std::env::var_os("PLIMSOLL_REQUIRE_PYTHON").is_some();
            assert!(!required, "python3 is required and not there");
            println!("note: there is no python3, nothing was compared");
            return None;
        }
        let kept =
            std::env::var_os("PLIMSOLL_KEEP_CERTIFICATES").map(|folder| PathBuf::from(folder).join(name));
        let keeps = kept.is_some();
        let passing = || std::env::temp_dir().join(format!("plimsoll-{name}-{}", std::process::id()));
        let folder = kept.unwrap_or_else(passing);
        Some(Bench { folder, keeps, systems: 0, tally: Tally::default(), core: Tally::default() })
    }

    /// Asks all about certificates of one system; they must agree.
    fn compare(&mut self, name: &str, system: &System, certificates: &[Value]) {
        let texts: Vec<String> = certificates.iter().map(text_of).collect();
        self.compare_texts(name, system, &texts);
    }

    /// The same of certificates as they are written.
    fn compare_texts(&mut self, name: &str, system: &System, certificates: &[String]) {
        if certificates.is_empty() {
            return;
        }
        let folder = self.folder.join(self.systems.to_string());
        self.systems += 1;
        std::fs::create_dir_all(&folder).expect("a folder for certificates");
        let automata = folder.join("system.txt");
        std::fs::write(&automata, system::text::write(system)).expect("written");
        let mut files = Vec::new();
        for (index, certificate) in certificates.iter().enumerate() {
            let file = folder.join(format!("{index}.json"));
            std::fs::write(&file, certificate).expect("written");
            files.push(file);
        }
        let second = answers_of("check.py", name, &automata, &files);
        let core = answers_of("core.py", name, &automata, &files);
        let ours: Vec<_> = certificates.iter().map(|one| judgement_of_ours(system, one)).collect();
        let lines: String = ours.iter().map(|(judgement, _)| format!("{judgement:?}\n")).collect();
        std::fs::write(folder.join("answers"), lines).expect("written");
        for (((certificate, (first, reason)), second), core) in
            certificates.iter().zip(ours).zip(second).zip(core)
        {
            for (judgement, words) in [&second, &core] {
                let agrees = *judgement == Judgement::NotCovered || *judgement == first;
                assert!(agrees, "{name}: {reason} / {words}\n{certificate}");
            }
            self.tally.count(second.0);
            self.core.count(core.0);
        }
    }
}

/// What a checker of `checker/` says of each file, and its words.
fn answers_of(script: &str, name: &str, automata: &Path, files: &[PathBuf]) -> Vec<(Judgement, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../checker").join(script);
    let output = Command::new("python3").arg("-B").arg(path).arg(automata).args(files).output();
    let output = output.expect("python3 runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.is_empty(), "{script} on {name}: {errors}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said.lines().count(), files.len(), "{script} on {name}: {said}");
    let answer = |(line, file): (&str, &PathBuf)| {
        // With one file its name is not always repeated.
        let words = line.strip_prefix(&format!("{}: ", file.display())).unwrap_or(line);
        let judgement = match words.split(':').next() {
            Some("accepted") => Judgement::Accepted,
            Some("not covered") => Judgement::NotCovered,
            _ => Judgement::Refused,
        };
        (judgement, words.to_string())
    };
    said.lines().zip(files).map(answer).collect()
}

/// The text of a certificate. The other checkers take the seal of the text as it stands, so fields are in their order.
fn text_of(certificate: &Value) -> String {
    match serde_json::from_value::<Certificate>(certificate.clone()) {
        Ok(typed) => serde_json::to_string(&typed).expect("JSON"),
        Err(_) => certificate.to_string(),
    }
}

/// What our checker says, and why.
fn judgement_of_ours(system: &System, certificate: &str) -> (Judgement, String) {
    match serde_json::from_str::<Certificate>(certificate) {
        Err(error) => (Judgement::Refused, error.to_string()),
        Ok(certificate) => match check(system, &certificate) {
            Ok(_) => (Judgement::Accepted, String::new()),
            Err(refusal) => (Judgement::Refused, refusal.to_string()),
        },
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        if !self.keeps {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

/// How long a prover may work at one question.
const SECONDS: u64 = 5;

/// What the prover writes about a model within a few seconds, each certificate once.
fn certificates(system: &System, capacities: &[Capacities]) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for &capacities in capacities {
        let bounds =
            bounds_within(SECONDS, system, &BoundsOptions { capacities, ..BoundsOptions::default() });
        let progress =
            progress_within(SECONDS, system, &ProgressOptions { capacities, ..ProgressOptions::default() });
        for certificate in bounds.certificates().chain(progress.certificates()) {
            let value = serde_json::to_value(&**certificate).expect("JSON");
            if !found.contains(&value) {
                found.push(value);
            }
        }
    }
    found
}

#[test]
fn all_accept_what_the_prover_writes_about_our_models() {
    let Some(mut bench) = Bench::new("genuine") else { return };
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let files = |folder: PathBuf| std::fs::read_dir(folder).expect("a folder of models");
    let entries = files(models.clone()).chain(files(models.join("formulas")));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    let mut with_numbers = 0;
    for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == "pml")) {
        let system = system_of(&std::fs::read_to_string(path).expect("readable"));
        let found = certificates(&system, &[Capacities::Any, Capacities::Declared]);
        with_numbers += found.iter().filter(|value| value["claims"].get("numbers").is_some()).count();
        bench.compare(&path.display().to_string(), &system, &found);
    }
    println!("{:?} {:?}, {with_numbers} with numbers", bench.tally, bench.core);
    assert!(bench.tally.accepted > 60, "{:?}", bench.tally);
    assert_eq!((bench.tally.refused, bench.tally.not_covered), (0, with_numbers));
    // The small one is for the core of the format, and that is most of what is written.
    assert!(bench.core.accepted * 2 > bench.tally.accepted, "{:?}", bench.core);
    assert_eq!(bench.core.refused, 0);
}

/// Every kind of claim and of proof.
const SMALL: &[&str] = &[
    "chan c = [4] of {byte}; chan d = [1] of {byte};
     active proctype P() { do :: len(c) < 2 -> c!1 :: d!1; d?1 od }
     active proctype Q() { do :: c?1 od }",
    "chan toA = [1] of {byte}; chan toB = [1] of {byte}; byte home;
     active proctype A() { do :: toA?1; if :: home == 0 -> skip :: home != 0 -> toB!1 fi od }
     active proctype B() { do :: toB?1; if :: home == 1 -> skip :: home != 1 -> toA!1 fi od }
     active proctype User() { do :: true -> progress: toA!1 od }
     active proctype Mover() { do :: true -> progress_move: home = 1 - home od }",
    include_str!("../../../models/two-proctype.pml"),
    "chan c[2] = [1] of {byte}; chan d[2] = [1] of {byte};
     proctype P(byte me) { do :: c[me]!1; d[me]?1 od }
     proctype Q(byte me) { do :: c[me]?1; d[me]!1 od }
     init { byte i; do :: i < 2 -> run P(i); run Q(i); i++ :: else -> break od }",
    "chan c = [1] of {byte}; chan d = [1] of {byte};
     active proctype P() { do :: c!1; d?1 :: break od; do :: d?1; c!1 :: break od }
     active proctype Q() { do :: c?1; progress: d!1 od }",
    "chan r = [0] of {byte}; chan c = [2] of {byte, bool}; byte n;
     active [2] proctype P() { byte x; do :: r!1 :: d_step { n < 2 -> n++; c!n,true } :: c?x,_ -> n-- od }
     active proctype Q() { chan own = [1] of {byte}; do :: r?1 -> progress: own!1; own?_ od }",
];

/// The certificate with each number, text and element changed in turn: a number by one and to the ends of every width.
fn changes(value: &Value) -> Vec<Value> {
    const EDGES: [i64; 6] = [-1, 0, 255, u32::MAX as i64, i64::MIN, i64::MAX];
    let mut found = Vec::new();
    match value {
        Value::Number(number) => {
            if let Some(number) = number.as_i64() {
                found.extend([number.wrapping_sub(1), number.wrapping_add(1)].map(Value::from));
                found.extend(EDGES.into_iter().filter(|edge| *edge != number).map(Value::from));
                found.push(u64::MAX.into());
            }
        }
        Value::String(_) => found.extend(["any", "declared", "labels", "closed"].map(Value::from)),
        Value::Null => found.push(1.into()),
        Value::Bool(_) => {}
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                let mut fewer = elements.clone();
                let removed = fewer.remove(index);
                let mut twice = elements.clone();
                twice.insert(index, removed);
                found.extend([fewer, twice].map(Value::from));
                found.extend(changes(element).into_iter().map(|changed| {
                    let mut list = elements.clone();
                    list[index] = changed;
                    Value::from(list)
                }));
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields.iter().filter(|(name, _)| *name != "seal" && *name != "model") {
                let mut without = fields.clone();
                without.remove(name);
                found.push(Value::from(without));
                found.extend(changes(field).into_iter().map(|changed| {
                    let mut object = fields.clone();
                    object.insert(name.clone(), changed);
                    Value::from(object)
                }));
            }
            let mut surprise = fields.clone();
            surprise.insert("surprise".to_string(), 1.into());
            found.push(Value::from(surprise));
        }
    }
    found
}

/// The certificate under the seal that it needs; what is none stays as it is.
fn sealed(value: Value) -> Value {
    match serde_json::from_value::<Certificate>(value.clone()) {
        Ok(mut certificate) => {
            certificate.seal();
            serde_json::to_value(certificate).expect("JSON")
        }
        Err(_) => value,
    }
}

#[test]
fn all_say_the_same_of_certificates_with_one_change_under_a_new_seal() {
    const EACH: usize = 120;
    let Some(mut bench) = Bench::new("changed") else { return };
    for text in SMALL {
        let system = system_of(text);
        for certificate in certificates(&system, &[Capacities::Any, Capacities::Declared]) {
            let all = changes(&certificate);
            let every = all.len().div_ceil(EACH).max(1);
            let some: Vec<Value> = all.into_iter().step_by(every).map(sealed).collect();
            bench.compare(text, &system, &some);
        }
    }
    println!("{:?} {:?}", bench.tally, bench.core);
    let Tally { accepted, refused, not_covered } = bench.tally;
    assert!(refused > 1_000 && accepted > 50, "{:?}", bench.tally);
    assert!(not_covered * 100 <= accepted + refused, "{:?}", bench.tally);
}

/// A forgery: the model, what is wrong, and the number of the rule that it breaks.
struct Forgery {
    why: &'static str,
    model: &'static str,
    capacities: &'static str,
    claims: Value,
    proofs: Value,
    rule: u32,
}

const FLOOD: &str = "chan c = [2] of { byte };
    active proctype Flood() { do :: c!7 od }
    active proctype Idle() { byte x; do :: x = 1 - x od }";

fn one(number: i64) -> Value {
    json!({ "integers": [[number, number]] })
}

fn at(locations: u32) -> Value {
    (0..locations).map(|location| json!({ "point": { "at": location } })).collect()
}

fn bound(object: u32, at_most: u64, weight: i64) -> Value {
    let potential = json!({ "messages": [{ "object": object, "class": 0, "weight": weight }], "nodes": [] });
    json!({ "bound": { "object": object, "at_most": at_most, "cases": [{ "denominator": 1, "potential": potential }] } })
}

fn forgeries() -> Vec<Forgery> {
    let flooded = json!([{ "place": { "global": { "slot": 0 } }, "classes": [[one(7)]] }]);
    let idle = json!({ "automaton": 1, "at_most": 1, "pid": one(1), "slots": [{ "integers": [[0, 1]] }], "nodes": at(1) });
    let flood = json!({ "automaton": 0, "at_most": 1, "pid": one(0), "slots": [], "nodes": at(1) });
    let everything = json!({ "integers": [[-2147483648, 2147483647]] });
    vec![
        Forgery {
            why: "a process vanishes: its shadow follows a sender that never begins, so it needs no node",
            model: FLOOD,
            capacities: "any",
            claims: json!({
                "objects": flooded, "globals": [{ "channels": [0] }],
                "groups": [
                    { "automaton": 0, "at_most": 1, "pid": one(0), "slots": [],
                      "shadows": [{ "object": 0, "sender": 0 }], "nodes": [] },
                    idle,
                    { "automaton": 1, "at_most": 1, "pid": one(2), "slots": [{ "integers": [[0, 1]] }], "nodes": [] }
                ],
                "auxiliaries": [{ "group": 2, "nodes": [] }]
            }),
            proofs: json!([bound(0, 0, 1)]),
            rule: 11,
        },
        Forgery {
            why: "one more than the largest number is nothing",
            model: FLOOD,
            capacities: "any",
            claims: json!({ "objects": flooded, "globals": [{ "channels": [0] }], "groups": [flood, idle] }),
            proofs: json!([{ "guarded": { "object": 0, "at_most": u64::MAX, "sender": 0, "known": [] } }]),
            rule: 34,
        },
        Forgery {
            why: "weights whose sum wraps",
            model: FLOOD,
            capacities: "any",
            claims: json!({ "objects": flooded, "globals": [{ "channels": [0] }], "groups": [flood, idle] }),
            proofs: json!([bound(0, 0, i64::MAX)]),
            rule: 29,
        },
        Forgery {
            why: "an operand that is never evaluated is taken for an error, after which nothing happens",
            model: "chan c = [2] of { byte }; byte d; bool b;
                    active proctype P() { b = (d != 0 && 10 / d > 2); do :: c!7 od }",
            capacities: "any",
            claims: json!({
                "objects": [{ "place": { "global": { "slot": 0 } }, "classes": [] }],
                "globals": [{ "channels": [0] }, one(0), one(0)],
                "groups": [{ "automaton": 0, "at_most": 1, "pid": one(0), "slots": [], "nodes": at(1) }]
            }),
            proofs: json!([bound_of_nothing()]),
            rule: 15,
        },
        Forgery {
            why: "a number is claimed to be a channel",
            model: "chan c = [2] of { byte }; chan d = [1] of { byte };
                    active proctype P() { byte x = 2; chan v; v = c; if :: v == x -> do :: c!7 od :: else fi }",
            capacities: "any",
            claims: json!({
                "objects": [
                    { "place": { "global": { "slot": 0 } }, "classes": [[one(7)]] },
                    { "place": { "global": { "slot": 1 } }, "classes": [] }
                ],
                "globals": [{ "channels": [0] }, { "channels": [1] }],
                "groups": [{ "automaton": 0, "at_most": 1, "pid": one(0),
                             "slots": [{ "channels": [1] }, { "integers": [[0, 0]], "channels": [0] }], "nodes": at(3) }]
            }),
            proofs: json!([bound(0, 0, 1)]),
            rule: 4,
        },
        Forgery {
            why: "true of an empty second group, and read as if it were about the first",
            model: "active proctype Q() { chan p = [4] of { byte }; p!7; p!7; (false) }",
            capacities: "any",
            claims: json!({
                "objects": [
                    { "place": { "local": { "group": 0, "slot": 0 } }, "classes": [[one(7)]] },
                    { "place": { "local": { "group": 1, "slot": 0 } }, "classes": [[one(7)]] }
                ],
                "globals": [],
                "groups": [
                    { "automaton": 0, "at_most": 1, "pid": everything, "slots": [{ "channels": [0] }], "nodes": at(4) },
                    { "automaton": 0, "at_most": 0, "pid": one(0), "slots": [{ "channels": [1] }], "nodes": at(4) }
                ]
            }),
            proofs: json!([bound(1, 0, 1)]),
            rule: 8,
        },
        Forgery {
            why: "an assertion starts a process, of which no group is claimed",
            model: "chan c = [2] of { byte };
                    proctype Q() { do :: c!7 od }
                    active proctype P() { assert(run Q() > 0) }",
            capacities: "any",
            claims: json!({
                "objects": [{ "place": { "global": { "slot": 0 } }, "classes": [] }], "globals": [{ "channels": [0] }],
                "groups": [{ "automaton": 1, "at_most": 1, "pid": one(0), "slots": [], "nodes": at(2) }]
            }),
            proofs: json!([bound_of_nothing()]),
            rule: 12,
        },
        Forgery {
            why: "nothing is proved",
            model: FLOOD,
            capacities: "any",
            claims: json!({ "objects": flooded, "globals": [{ "channels": [0] }], "groups": [flood, idle] }),
            proofs: json!([]),
            rule: 2,
        },
    ]
}

fn bound_of_nothing() -> Value {
    json!({ "bounds": { "buffers": [{ "object": 0, "at_most": 0 }], "potential": { "messages": [], "nodes": [] } } })
}

#[test]
fn all_refuse_forgeries_by_the_same_rule() {
    let Some(mut bench) = Bench::new("forged") else { return };
    for forgery in forgeries() {
        let system = system_of(forgery.model);
        let value = json!({
            "schema": certificate::SCHEMA, "model": system.fingerprint(), "seal": "",
            "capacities": forgery.capacities, "claims": forgery.claims, "proofs": forgery.proofs
        });
        let forged: Certificate = serde_json::from_value(value.clone()).expect(forgery.why);
        let rule = format!("rule R{} ", forgery.rule);
        let mut forged_and_sealed = forged;
        forged_and_sealed.seal();
        let refusal = check(&system, &forged_and_sealed).expect_err(forgery.why).to_string();
        assert!(refusal.starts_with(&rule), "{}: {refusal}", forgery.why);
        bench.compare(forgery.why, &system, &[sealed(value)]);
    }
    assert_eq!((bench.tally.refused, bench.core.accepted), (forgeries().len(), 0), "{:?}", bench.core);
}

/// The certificate with some places changed, under the seal that it needs, as text; then the text changed without a new seal.
fn changed(certificate: &Value, change: &Value) -> String {
    let mut value = certificate.clone();
    for (place, new) in change["put"].as_object().into_iter().flatten() {
        let (around, name) = place.rsplit_once('/').expect("a place");
        let around = value.pointer_mut(around).unwrap_or_else(|| panic!("{place}"));
        match around {
            Value::Array(list) => list[name.parse::<usize>().expect("an index")] = new.clone(),
            around => around[name] = new.clone(),
        }
    }
    let text = text_of(&sealed(value));
    match (change["text"][0].as_str(), change["text"][1].as_str()) {
        (Some(from), Some(to)) => text.replacen(from, to, 1),
        _ => text,
    }
}

/// `checker/forgeries/core.json`: true certificates, and changes of each. A change is refused for one reason, by the rule that it names; where
/// `core` says so, the small checker does not cover it. So a check that is removed from `core.py` is missed by one of these
/// (`checker/mutants.py`).
#[test]
fn all_refuse_what_is_false_for_one_reason() {
    let Some(mut bench) = Bench::new("changed-by-hand") else { return };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../checker/forgeries/core.json");
    let bases: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("readable")).expect("JSON");
    let (mut refused, mut beyond) = (0, 0);
    for base in bases.as_array().expect("a list") {
        let system = system_of(base["model"].as_str().expect("a model"));
        let certificate = json!({
            "schema": certificate::SCHEMA, "model": system.fingerprint(), "seal": "",
            "capacities": base["capacities"], "claims": base["claims"], "proofs": base["proofs"]
        });
        let mut texts = vec![changed(&certificate, &Value::Null)];
        let forgeries = base["forgeries"].as_array().expect("a list");
        texts.extend(forgeries.iter().map(|change| changed(&certificate, change)));
        for (index, (one, text)) in std::iter::once(base).chain(forgeries).zip(&texts).enumerate() {
            let (judgement, reason) = judgement_of_ours(&system, text);
            let is_true = index == 0 && one["rule"].is_null();
            assert_eq!(judgement == Judgement::Accepted, is_true, "{}: {reason}\n{text}", one["why"]);
            if let Some(rule) = one["rule"].as_u64() {
                assert!(reason.starts_with(&format!("rule R{rule} ")), "{}: {reason}", one["why"]);
            }
            refused += usize::from(!is_true);
            beyond += usize::from(!one["core"].is_null());
        }
        bench.compare_texts(&base["why"].to_string(), &system, &texts);
    }
    println!("{:?} {:?}", bench.tally, bench.core);
    assert_eq!((bench.tally.refused, bench.core.not_covered), (refused, beyond));
}

/// Formulas, fair runs and any number of processes are beyond it. All three certificates are true.
#[test]
fn the_second_checker_says_what_it_does_not_cover() {
    let Some(mut bench) = Bench::new("beyond") else { return };
    let system = system_of("byte x; active proctype P() { do :: x < 1 -> x = 0 od } ltl p { [] (x == 0) }");
    let stage = json!({ "potential": { "messages": [], "nodes": [] }, "next": "closed" });
    let ends = json!({ "split": { "component": { "tracker": 0 }, "parts": [] } });
    let formula = json!({ "formula": {
        "formula": "p", "fairness": "none", "unreached": [], "stage": stage, "ends": ends
    } });
    let edges = system.automata[0].edges.len() as u32;
    let all: Vec<Value> = (0..edges).map(|edge| json!({ "automaton": 0, "edge": edge })).collect();
    let fair = json!({ "fair_progress": { "progress": { "at": all }, "fairness": "weak", "stage": stage } });
    let certificate = |any_number: Value, at_most: Value, pid: Value, proof: &Value| {
        let nodes = at(system.automata[0].locations.len() as u32);
        let group = json!({ "automaton": 0, "at_most": at_most, "pid": pid, "slots": [], "nodes": nodes });
        sealed(json!({
            "schema": certificate::SCHEMA, "model": system.fingerprint(), "seal": "", "capacities": "any",
            "any_number": any_number, "claims": { "objects": [], "globals": [one(0)], "groups": [group] },
            "proofs": [proof]
        }))
    };
    let every_pid = json!({ "integers": [[0, 65_535]] });
    let beyond = [
        certificate(json!([]), 1.into(), one(0), &formula),
        certificate(json!([]), 1.into(), one(0), &fair),
        certificate(json!(["P"]), Value::Null, every_pid, &formula),
    ];
    for value in &beyond {
        let certificate: Certificate = serde_json::from_value(value.clone()).expect("a certificate");
        assert!(check(&system, &certificate).is_ok(), "{:?}", check(&system, &certificate));
    }
    bench.compare("beyond", &system, &beyond);
    assert_eq!(bench.tally.not_covered, beyond.len(), "{:?}", bench.tally);
    assert_eq!(bench.core.not_covered, beyond.len(), "{:?}", bench.core);
}
