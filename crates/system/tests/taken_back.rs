//! Steps that are executed and taken back are the steps of a process, do what they do, and leave nothing behind: on the models of this
//! repository, along random runs.

use promela::{NoIncludes, Options};
use std::path::Path;
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter, Partners, Touched, Undo};
use system::state::{Pid, State};

fn system(text: &str) -> Option<System> {
    let (model, diagnostics) = promela::read("test.pml", text, &Options::default(), &NoIncludes);
    let is_error = |d: &promela::diagnostic::Diagnostic| d.severity == promela::diagnostic::Severity::Error;
    if diagnostics.iter().any(is_error) {
        return None;
    }
    let (system, diagnostics) = system::lower::lower(model);
    (!diagnostics.iter().any(is_error)).then_some(system)
}

/// What differs between two states has been written down, if nothing else can have changed.
fn is_written_down(before: &State, after: &State, pid: Pid, undo: &Undo) -> bool {
    let touched: Vec<Touched> = undo.touched().collect();
    let (was, is) = (&before.processes[pid.0 as usize], &after.processes[pid.0 as usize]);
    let globals = before.globals.iter().zip(&after.globals).enumerate();
    let locals = was.locals.iter().zip(&is.locals).enumerate();
    globals
        .filter(|(_, (was, is))| was != is)
        .all(|(slot, _)| touched.contains(&Touched::Global(slot as u32)))
        && locals
            .filter(|(_, (was, is))| was != is)
            .all(|(slot, _)| touched.contains(&Touched::Local(slot as u32)))
        && (was.location == is.location || touched.contains(&Touched::Place))
}

/// Executes all that a process can do and takes it back, where that goes, two steps deep; how many steps were compared.
fn compare(interpreter: &Interpreter<'_>, state: &State, pid: Pid, depth: usize) -> usize {
    let process = &state.processes[pid.0 as usize];
    if !interpreter.can_take_back(process.automaton, process.location) {
        return 0;
    }
    let mut steps = Vec::new();
    let found = interpreter.steps_with(state, pid, false, Partners::None, &(), &mut steps);
    let (mut scratch, mut undo, mut edges, mut nobody) = (state.clone(), Undo::default(), Vec::new(), ());
    let mut compared = 0;
    let mut stepper = interpreter.stepper(&mut scratch, &mut undo, pid, &mut nobody);
    if stepper.enabled(&mut edges).is_err() {
        assert!(found.is_err() || found == Ok(true), "{state:?}");
        return 0;
    }
    assert_eq!(found, Ok(false), "{state:?}");
    assert_eq!(edges, steps.iter().map(|step| step.edge).collect::<Vec<_>>(), "{state:?}");
    for step in steps {
        let mut after = state.clone();
        let done = interpreter.execute(&mut after, step, &(), &mut ());
        after.exclusive = None;
        match stepper.execute(step.edge) {
            Err(_) => assert!(done.is_err(), "{step:?} in {state:?}"),
            Ok(()) => {
                assert_eq!((done, stepper.state()), (Ok(()), &after), "{step:?}");
                assert!(is_written_down(state, &after, pid, stepper.undo()), "{step:?} in {state:?}");
                stepper.take_back(0);
                if depth > 1 {
                    compared += compare(interpreter, &after, pid, depth - 1);
                }
            }
        }
        assert_eq!(stepper.state(), state, "{step:?} was taken back");
        assert!(stepper.undo().is_empty());
        compared += 1;
    }
    compared
}

fn walk(system: &System, seed: u64) -> usize {
    let interpreter = Interpreter::new(system, Capacities::Declared);
    let Ok(mut state) = interpreter.initial_state() else { return 0 };
    let (mut random, mut compared) = (seed | 1, 0);
    for _ in 0..60 {
        let before = State { exclusive: None, ..state.clone() };
        let processes = (0..state.processes.len() as u32).map(Pid);
        compared += processes.map(|pid| compare(&interpreter, &before, pid, 2)).sum::<usize>();
        let mut steps = Vec::new();
        interpreter.steps_beside_errors(&state, &mut steps);
        let next = steps.iter().filter_map(|&step| {
            let mut after = state.clone();
            interpreter.execute(&mut after, step, &(), &mut ()).is_ok().then_some(after)
        });
        let mut next: Vec<State> = next.collect();
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
fn what_is_taken_back_was_the_same_step_and_leaves_nothing_behind() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut compared = 0;
    for folder in ["models", "benches"] {
        let files = std::fs::read_dir(root.join(folder)).expect("a folder").flatten().map(|file| file.path());
        for file in files.filter(|file| file.extension().is_some_and(|end| end == "pml")) {
            let text = std::fs::read_to_string(file).expect("a file");
            compared += system(&text).map_or(0, |system| walk(&system, 0x9E37_79B9));
        }
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn messages_arrays_and_a_step_that_fails_in_the_middle_are_taken_back() {
    let text = "
        short t[4]; int x; chan c = [2] of { byte, short }; chan d = [3] of { byte };
        active [2] proctype P() {
            byte i = 1, j;
            do
            :: d_step { nfull(c) -> c!i,x; t[i] = x; x++; t[i] = t[i] + x; d!!i }
            :: d_step { c?i,t[0]; d??eval(i); i = (i + 1) % 5; t[i] = 1; x = x / (2 - i) }
            :: atomic { c?<i,x>; j = i; i = 0; d!j }
            :: nempty(d) -> d?j; i = j
            :: i > 3 -> i = 0; j = 0
            od
        }";
    let system = system(text).expect("a model");
    let compared: usize = (1..100).map(|seed| walk(&system, seed * 0x5851_F42D)).sum();
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn who_changes_others_or_asks_about_them_is_left_to_the_long_way() {
    let locations = |text: &str| {
        let system = system(text).expect("a model");
        let interpreter = Interpreter::new(&system, Capacities::Declared);
        let (id, automaton) = system.process_automata().next().expect("a process");
        let location = automaton.initial;
        interpreter.can_take_back(id, location)
    };
    assert!(locations("byte x; active proctype P() { x = x + 1 }"));
    assert!(!locations("byte x; active proctype P() { if :: run P() :: x = 1 fi }"));
    assert!(!locations("byte x; active proctype P() { timeout -> x = 1 }"));
    assert!(!locations("byte x; active proctype P() provided (x == 0) { x = 1 }"));
    assert!(!locations("byte x; active proctype P() { { x = 1; x = 2 } unless { x == 3 } }"));
    assert!(!locations("byte x; active proctype P() { x = _last }"));
    assert!(!locations("byte x; active proctype P() { x = get_priority(_pid) }"));
    assert!(!locations("chan c = [1] of { byte }; trace { c!1 } active proctype P() { c!1 }"));
}
