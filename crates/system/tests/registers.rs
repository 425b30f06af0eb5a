//! Statements do the same in large pieces and one instruction after another: on the models of this repository, along random runs.

use promela::{NoIncludes, Options};
use std::path::Path;
use system::automaton::{DStepNodeId, System};
use system::interpreter::{Capacities, Interpreter, Output, Violation};
use system::state::{ChannelId, Pid, State};

/// All that happens inside of a step, as text.
#[derive(Default, PartialEq, Debug)]
struct Events(Vec<String>);

impl Output for Events {
    fn printed(&mut self, process: Pid, text: &str) {
        self.0.push(format!("{process:?} prints {text}"));
    }

    fn truncated(&mut self, process: Pid, value: i32, stored: i32, span: promela::source::Span) {
        self.0.push(format!("{process:?} stores {stored} for {value} at {span:?}"));
    }

    fn sent(&mut self, process: Pid, channel: ChannelId, message: &[i32]) {
        self.0.push(format!("{process:?} sends {message:?} to {channel:?}"));
    }

    fn received(&mut self, process: Pid, channel: ChannelId, message: &[i32]) {
        self.0.push(format!("{process:?} receives {message:?} from {channel:?}"));
    }

    fn violated(&mut self, violation: Violation) {
        self.0.push(format!("{violation:?}"));
    }

    fn chose(&mut self, process: Pid, node: DStepNodeId, choice: u32) {
        self.0.push(format!("{process:?} chooses {choice} of {node:?}"));
    }

    fn started(&mut self, by: Pid, process: Pid) {
        self.0.push(format!("{by:?} starts {process:?}"));
    }
}

fn system(text: &str) -> Option<System> {
    let (model, diagnostics) = promela::read("test.pml", text, &Options::default(), &NoIncludes);
    let is_error = |d: &promela::diagnostic::Diagnostic| d.severity == promela::diagnostic::Severity::Error;
    if diagnostics.iter().any(is_error) {
        return None;
    }
    let (system, diagnostics) = system::lower::lower(model);
    (!diagnostics.iter().any(is_error)).then_some(system)
}

/// Walks at random, and does everything that a state allows in both ways. How many steps were compared.
fn compare(name: &str, system: &System, seed: u64) -> usize {
    let operations = Interpreter::new(system, Capacities::Declared);
    let instructions = operations.by_stack();
    let Ok(mut state) = operations.initial_state() else { return 0 };
    let (mut random, mut compared) = (seed | 1, 0);
    for _ in 0..60 {
        let (mut steps, mut others) = (Vec::new(), Vec::new());
        let found = operations.steps_beside_errors(&state, &mut steps);
        assert_eq!(found, instructions.steps_beside_errors(&state, &mut others), "{name}: {state:?}");
        assert_eq!(steps, others, "{name}: {state:?}");
        let mut next: Vec<State> = Vec::new();
        for step in steps {
            let outcome = |interpreter: &Interpreter<'_>| {
                let (mut after, mut events) = (state.clone(), Events::default());
                let done = interpreter.execute(&mut after, step, &(), &mut events);
                (done, events, after)
            };
            let (done, events, after) = outcome(&operations);
            let (other_done, other_events, other_after) = outcome(&instructions);
            assert_eq!((&done, &events), (&other_done, &other_events), "{name}: {step:?} in {state:?}");
            if done.is_ok() {
                assert_eq!(after, other_after, "{name}: {step:?} in {state:?}");
                next.push(after);
            }
            compared += 1;
        }
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        match next.len() {
            0 => break,
            count => state = next.swap_remove((random >> 20) as usize % count),
        }
    }
    compared
}

#[test]
fn operations_do_what_instructions_do() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut compared = 0;
    for folder in ["models", "benches"] {
        let mut files: Vec<_> = std::fs::read_dir(root.join(folder))
            .expect("a folder")
            .flatten()
            .map(|file| file.path())
            .collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "pml")) {
            let text = std::fs::read_to_string(file).expect("a file");
            let name = file.display().to_string();
            if let Some(system) = system(&text) {
                compared += (1..4).map(|seed| compare(&name, &system, seed * 0x9E37_79B9)).sum::<usize>();
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn what_is_computed_before_a_variable_changes_keeps_its_value() {
    let text = "
        short a = 3, t[4]; bit b; int x; chan c = [2] of { byte, short }; typedef R { byte f[2]; byte g } R r[3];
        active proctype P() {
            byte i = 1, j;
            do
            :: d_step { a = (a - x) * (a < 7 && x >= 0 || !(b == 1)) + t[i] % 5; t[(i + 1) % 4] = a * 20000; x++; b = x }
            :: d_step { nfull(c) -> c!i,a + x; r[i].f[j] = x + i; j = 1 - j }
            :: d_step { c?i,t[0]; i = i % 3; if :: i > 1 -> i = 0 :: i == 1 -> skip :: else -> a = -a fi }
            :: c?[1,a] -> assert(a / x != 2 -> t[3] < 5 : r[2].g == (x > 3))
            :: (a & 3) == 1 || len(c) > 1 && t[i] <= x -> c?j,a; j = j & 1
            :: x > 100000 -> t[a] = x / (a - 5)
            :: else -> a = a % 9; r[(i * 2) % 3].g = r[i].f[j] - 1
            od
        }";
    let system = system(text).expect("a model");
    let compared: usize = (1..200).map(|seed| compare("test", &system, seed * 0x5851_F42D)).sum();
    assert!(compared > 10_000, "{compared}");
}
