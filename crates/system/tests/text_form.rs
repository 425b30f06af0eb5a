//! The text form of a system says everything that the semantics depends on: what is read back is written the same and runs the same.

use promela::{IncludeLoader, Options};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter, RuntimeErrorKind, Violation};
use system::state::State;
use system::text::{read, write, write_with_comments};

struct Files;

impl IncludeLoader for Files {
    fn load(&self, name: &str, included_from: &str) -> Result<(String, String), String> {
        let path = Path::new(included_from).parent().unwrap_or(Path::new("")).join(name);
        let bytes = std::fs::read(&path).map_err(|e| e.to_string())?;
        Ok((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
    }
}

/// `None` if the text has errors.
fn lowered(name: &str, text: &str) -> Option<System> {
    let is_error = |d: &promela::diagnostic::Diagnostic| d.severity == promela::diagnostic::Severity::Error;
    let (model, diagnostics) = promela::read(name, text, &Options::default(), &Files);
    if let Some(error) = diagnostics.iter().find(|d| is_error(d)) {
        println!("{name}: {}", error.message);
        return None;
    }
    let (system, diagnostics) = system::lower::lower(model);
    (!diagnostics.iter().any(is_error)).then_some(system)
}

fn system_of(text: &str) -> System {
    lowered("model.pml", text).expect("a model without errors")
}

fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|e| e == "pml") {
            found.push(path);
        }
    }
}

/// Reads back what is written and compares texts, fingerprints, rules and some hundred states.
fn assert_survives(name: &str, system: &System) {
    let written = write(system);
    let back = read(&written).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(write(&back), written, "{name}");
    assert_eq!(back.fingerprint(), system.fingerprint(), "{name}");
    let (rules, of_back) = (system::validate::validate(system), system::validate::validate(&back));
    assert_eq!(rules, of_back, "{name}");
    assert_eq!(behaviour(system), behaviour(&back), "{name}");
}

/// The first states in some fixed order, what was violated on the way to them, and which errors there are.
fn behaviour(system: &System) -> (Vec<State>, Vec<String>) {
    const STATES: usize = 300;
    let interpreter = Interpreter::new(system, Capacities::Declared);
    let mut events = Vec::new();
    let mut states = Vec::new();
    match interpreter.initial_state() {
        Ok(state) => states.push(state),
        Err(error) => events.push(error.kind.to_string()),
    }
    let mut seen: HashSet<State> = states.iter().cloned().collect();
    let mut next = 0;
    while next < states.len() && states.len() < STATES {
        let mut steps = Vec::new();
        if let Err(error) = interpreter.steps(&states[next], &mut steps) {
            events.push(kind(&error.kind));
        }
        for step in steps {
            let mut state = states[next].clone();
            let mut violations = Vec::new();
            let executed = interpreter.execute(&mut state, step, &(), &mut violations);
            events.extend(violations.iter().map(|violation| match violation {
                Violation::AssertionFailed { .. } => "assertion".to_string(),
                _ => "trace".to_string(),
            }));
            if let Err(error) = executed {
                events.push(kind(&error.kind));
                continue;
            }
            if seen.insert(state.clone()) {
                states.push(state);
            }
        }
        next += 1;
    }
    (states, events)
}

fn kind(kind: &RuntimeErrorKind) -> String {
    kind.to_string()
}

#[test]
fn our_models_survive_writing_and_reading() {
    let mut found = Vec::new();
    models(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models"), &mut found);
    assert!(found.len() > 50, "only {} models were compared", found.len());
    for path in found {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("readable");
        assert_survives(&name, &lowered(&name, &text).unwrap_or_else(|| panic!("{name} has errors")));
    }
}

#[test]
fn the_examples_of_spin_survive_writing_and_reading() {
    let mut found = Vec::new();
    models(Path::new("/usr/share/doc/spin/examples"), &mut found);
    let mut compared = 0;
    for path in &found {
        let name = path.display().to_string();
        let text = String::from_utf8_lossy(&std::fs::read(path).expect("readable")).into_owned();
        if let Some(system) = lowered(&name, &text) {
            assert_survives(&name, &system);
            compared += 1;
        }
    }
    assert!(found.is_empty() || compared > 20, "only {compared} of {} examples", found.len());
}

const EVERYTHING: &str = "mtype = { a, b }; mtype:fruit = { apple };
    typedef T { byte x[2]; unsigned u : 3 = 5; chan d[2] = [1] of { short } }; T t; T ts[2]; mtype:fruit f; int big = 1 + 2;
    short s; bool yes; byte list[4] = { 3, 2 }; bit bits[2] = 1; byte unread;
    chan c = [2] of { mtype, byte }; chan r = [0] of { byte };
    proctype Q(byte n; chan d) { byte m = n + len(d); end: d?a,m }
    active [2] proctype P() provided (yes || 1) {
       byte i; pid p;
       here: t.x[i] = t.u + (i > 1 -> 2 : 3);
       p = run Q(i, c);
       do
       :: c!b,i :: c!!a,1 :: c?a,eval(i) :: c??b,_ :: c?<a,i> :: c?[b,i] && len(c) < 2
       :: nfull(c) -> r!i :: nempty(c) || timeout -> break :: ts[i].d[1]!list[i] :: unread = 3
       :: atomic { i++; s = -s; big = ~big; (i % 2 == 1 && !yes) }
       :: d_step { if :: i > 3 -> i = 0 :: else -> i-- fi; printf(\"%d \\\"x\\\"\\n\", i) }
       :: f = apple; printm(f); assert(_nr_pr >= 1)
       :: progress: skip
       od unless { enabled(p) -> skip };
       (pc_value(p) > 0)
    }
    active proctype R() priority 3 { P[1]@here; (P[1]:i > 0); P@here; r?bits[0]; set_priority(_pid, 2) }
    never { do :: skip :: np_ && _last == 0 -> break od; accept: skip }
    trace { do :: c!a,_ :: c!b,_ od }";

#[test]
fn every_kind_of_statement_survives_writing_and_reading() {
    assert_survives("everything", &system_of(EVERYTHING));
}

/// A `typedef` says what its fields begin with; a parameter of that type begins with its argument.
#[test]
fn a_parameter_makes_no_channel() {
    let text = "typedef T { byte n = 3; chan c = [1] of { byte } }; T g;
                proctype P(T t) { t.n = 1 } init { run P(g) }";
    if let Some(system) = lowered("parameter.pml", text) {
        let written = write(&system);
        assert_eq!(written.matches("(new ").count(), 1, "{written}");
        assert_survives("parameter", &system);
    }
}

#[test]
fn comments_are_lines_that_are_no_part_of_the_system() {
    let system = system_of(EVERYTHING);
    let (plain, commented) = (write(&system), write_with_comments(&system));
    assert!(commented.contains("\n; line 9: p = run Q(i, c)\n"), "{commented}");
    let without: String =
        commented.lines().filter(|l| !l.starts_with(';')).map(|l| format!("{l}\n")).collect();
    assert_eq!(without, plain);
    assert_eq!(write(&read(&commented).expect("comments are skipped")), plain);
}

#[test]
fn the_fingerprint_is_that_of_what_a_model_does_and_is_called() {
    let model = "byte n = 1; active proctype P() { do :: n < 3 -> n++ od }";
    let same = "/* moved */\n byte n = 1;\n active [1] proctype P()\n { do :: (n<3) -> n = n + 1 od }";
    let fingerprint = |text: &str| system_of(text).fingerprint().to_string();
    assert_eq!(fingerprint(model), fingerprint(same));
    for (from, to) in [
        ("n = 1", "n = 2"),
        ("byte", "short"),
        ("n < 3", "n < 4"),
        ("active", "active [2]"),
        ("do", "progress: do"),
        ("do", "end: do"),
        ("P()", "P() provided (n)"),
        ("P()", "P() priority 2"),
        ("P()", "Q()"),
    ] {
        assert_ne!(fingerprint(model), fingerprint(&model.replacen(from, to, 1)), "{from} -> {to}");
    }
}

/// As `sha256sum` has it.
#[test]
fn the_fingerprint_is_the_sha_256_of_the_text() {
    let system = system_of("active proctype P() { skip }");
    assert_eq!(
        write(&system),
        "(system 1 processes 255 channels 255)\n\
         (features)\n\
         (symbols 0 \"\")\n\
         (proctype 0 \"P\" parameters 0 active 1 priority 1 initial 0)\n\
         (location 0 number 1)\n\
         (location 1 number 2 end)\n\
         (edge 0 1 (skip))\n\
         (edge 1 1 (end))\n"
    );
    assert_eq!(system.fingerprint(), "1d92aae89276d526f387edaf21e48f619f00554ebc1996d443fb547f4a9d17d6");
}

#[test]
fn other_numbers_of_processes_are_another_system() {
    let system = system_of("active [2] proctype P() { skip }");
    let before = system.fingerprint().to_string();
    let three = system.with_active([(promela::model::ProctypeId(0), 3)]);
    assert_ne!(before, three.fingerprint());
}

#[test]
fn a_broken_text_is_refused_with_its_line() {
    let head = "(system 1 processes 255 channels 255)";
    let process = "(proctype 0 \"p\" parameters 0 active 1 priority 1 initial 0)";
    let error = read(&format!("{head}\n{process}\n(location 0 number 1)\n(edge 0 9x (skip))"));
    let error = error.expect_err("9x is no number");
    assert_eq!((error.line, error.message.as_str()), (4, "`9x` is not a fitting number"));
    let message = |text: &str| read(text).expect_err("broken").message;
    assert_eq!(message(""), "the text is empty");
    assert_eq!(message("(slot"), "a `)` is missing");
    assert_eq!(message("(slot 0)"), "expected (system …) once and first");
    assert_eq!(message("(system 7)"), "version 7 of the text form is not known, only 1");
    assert_eq!(message(&format!("{head}\n(edge 0 0 (skip))")), "`edge` is not expected here");
    assert_eq!(message(&format!("{head}\n(slot 0 \"x\" int)")), "this slot belongs to no variable");
    assert_eq!(
        message("(system 1 processes 65535 channels 65535)"),
        "the limits do not follow from what is declared"
    );
    assert_eq!(message(&"(".repeat(100_000)), "nested too deeply");
}
