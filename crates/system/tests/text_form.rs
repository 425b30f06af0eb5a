//! The text form of automata is read back as it was written.

use promela::{IncludeLoader, Options};
use std::path::Path;
use system::automaton::System;
use system::text::{read, write};

struct NoIncludes;

impl IncludeLoader for NoIncludes {
    fn load(&self, name: &str, _: &str) -> Result<(String, String), String> {
        Err(format!("no {name}"))
    }
}

fn system_of(name: &str, text: &str) -> System {
    let (model, diagnostics) = promela::read(name, text, &Options::default(), &NoIncludes);
    let errors: Vec<_> =
        diagnostics.iter().filter(|d| d.severity == promela::diagnostic::Severity::Error).collect();
    assert!(errors.is_empty(), "{name}: {errors:?}");
    let (system, diagnostics) = system::lower::lower(model);
    assert!(diagnostics.is_empty(), "{name}: {diagnostics:?}");
    system
}

#[test]
fn every_automaton_of_our_models_survives_writing_and_reading() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut automata = 0;
    for entry in std::fs::read_dir(folder).expect("models/ is there") {
        let path = entry.expect("readable").path();
        if path.extension().is_none_or(|e| e != "pml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("readable");
        let name = path.display().to_string();
        for automaton in &system_of(&name, &text).automata {
            let written = write(automaton);
            let back = read(&written).unwrap_or_else(|e| panic!("{name}: {e}\n{written}"));
            assert_eq!(write(&back), written, "{name}");
            automata += 1;
        }
    }
    assert!(automata > 100, "only {automata} automata were compared");
}

#[test]
fn every_kind_of_statement_survives_writing_and_reading() {
    let system = system_of(
        "all.pml",
        "mtype = { a, b }; mtype:fruit = { apple };
         typedef T { byte x[2]; unsigned u : 3 }; T t; mtype:fruit f; int big; short s; bool yes;
         chan c = [2] of { mtype, byte }; chan r = [0] of { byte };
         proctype Q(byte n; chan d) { byte m; end: d?a,m }
         active proctype P() provided (yes || 1) {
            byte i; pid p;
            here: t.x[i] = t.u + (i > 1 -> 2 : 3);
            p = run Q(i, c);
            do
            :: c!b,i :: c!!a,1 :: c?a,eval(i) :: c??b,_ :: c?<a,i> :: c?[b,i] && len(c) < 2
            :: nfull(c) -> r!i :: nempty(c) || timeout -> break
            :: atomic { i++; s = -s; big = ~big; (i % 2 == 1 && !yes) }
            :: d_step { if :: i > 3 -> i = 0 :: else -> i-- fi; printf(\"%d \\\"x\\\"\\n\", i) }
            :: f = apple; printm(f); assert(_nr_pr >= 1)
            od unless { enabled(p) -> skip };
            (pc_value(p) > 0)
         }
         active proctype R() { P[1]@here; (P[1]:i > 0); P@here }",
    );
    for automaton in &system.automata {
        let written = write(automaton);
        let back = read(&written).unwrap_or_else(|e| panic!("{e}\n{written}"));
        assert_eq!(write(&back), written);
    }
}

#[test]
fn a_broken_text_is_refused_with_its_line() {
    let error =
        read("(automaton \"p\" (process 0) initial 0)\n(location 0 number 1)\n(edge 0 9x \"\" (skip))");
    let error = error.expect_err("9x is no number");
    assert_eq!((error.line, error.message.as_str()), (3, "`9x` is not a fitting number"));
    assert_eq!(read("").expect_err("empty").message, "the text is empty");
    assert_eq!(read("(slot").expect_err("open").message, "a `)` is missing");
    let nested = "(".repeat(100_000);
    assert_eq!(read(&nested).expect_err("deep").message, "nested too deeply");
}
