//! Points in which the automata or the steps once differed from SPIN's, each in the smallest model that shows it. The
//! expected figures are SPIN's own: `spin -o3 -a m.pml; gcc -DSAFETY -DNOREDUCE -o pan pan.c; ./pan -d` for state numbers.

use promela::{NoIncludes, Options};
use system::automaton::{Automaton, Location, System};
use system::interpreter::{Capacities, Interpreter, RuntimeErrorKind};
use system::limits::Limits;
use system::state::State;

fn system(text: &str) -> System {
    let (model, diagnostics) = promela::read("test.pml", text, &Options::default(), &NoIncludes);
    assert!(
        diagnostics.iter().all(|d| d.severity != promela::diagnostic::Severity::Error),
        "{diagnostics:?}"
    );
    system::lower::lower(model).0
}

/// (source, target) of all edges, as state numbers, sorted.
fn numbered_edges(automaton: &Automaton) -> Vec<(u32, u32)> {
    let number = |id| automaton.location(id).number;
    let mut edges: Vec<_> = automaton.edges.iter().map(|e| (number(e.source), number(e.target))).collect();
    edges.sort_unstable();
    edges
}

/// Executes the only step of each state, so many times.
fn after(system: &System, steps: usize) -> State {
    let interpreter = Interpreter::new(system, Capacities::Declared);
    let mut state = interpreter.initial_state().expect("an initial state");
    for _ in 0..steps {
        let mut enabled = Vec::new();
        interpreter.steps(&state, &mut enabled).expect("no runtime error");
        assert_eq!(enabled.len(), 1, "{enabled:?}");
        interpreter.execute(&mut state, enabled[0], &(), &mut ()).expect("no runtime error");
    }
    state
}

#[test]
fn a_bit_is_cut_but_an_element_of_an_array_of_bits_is_a_byte() {
    let system = system(
        "bit b; bit a[2]; bool r; typedef T { bit f; bit g[1] } T t; active proctype P() {
           b = 3; a[1] = 3; t.f = 2; t.g[0] = 258; r = b + a[0] + t.f + t.g[0] }",
    );
    let state = after(&system, 5);
    assert_eq!(state.globals, vec![1, 0, 3, 0, 0, 2]);
}

#[test]
fn a_bit_that_is_the_whole_message_is_sent_as_a_byte() {
    let text = "chan c = [1] of { bit }; chan d = [1] of { bit, bit }; active proctype P() { c!2; d!2,3 }";
    let state = after(&system(text), 2);
    assert_eq!(state.channels[0].contents, vec![2]);
    assert_eq!(state.channels[1].contents, vec![0, 1]);
}

#[test]
fn a_select_numbers_counting_before_stopping_but_tries_to_stop_first() {
    let system = system("byte x; init { select(x : 0 .. (x + 3)); x = 7 }");
    let init = &system.automata[0];
    assert_eq!(numbered_edges(init), vec![(1, 5), (3, 5), (5, 3), (5, 8), (8, 9), (9, 9)]);
    let choice = init.locations.iter().find(|l| l.number == 5).expect("the loop");
    let targets: Vec<u32> = choice.edges.iter().map(|&e| init.location(init.edge(e).target).number).collect();
    assert_eq!(targets, vec![8, 3]);
}

#[test]
fn repeated_skips_are_dropped_in_a_written_loop_but_not_in_a_for() {
    let written = system("active proctype P() { do :: skip; skip; skip od }");
    assert_eq!(written.automata[0].edges.len(), 2);
    let counted = system("byte i; active proctype P() { for (i : 0 .. 1) { skip; skip } }");
    assert_eq!(counted.automata[0].edges.len(), 7);
}

#[test]
fn a_sorted_send_is_placed_by_its_value_before_that_is_cut() {
    let text = "chan c = [3] of { byte }; short x = 1; active proctype P() { c!7; x = -1; c!!x; c!!300 }";
    assert_eq!(after(&system(text), 4).channels[0].contents, vec![255, 7, 44]);
}

#[test]
fn the_inside_of_an_unless_is_numbered_before_its_escape_but_a_simple_statement_after_it() {
    let block = system("byte x; active proctype P() { { x = 1; x = 4 } unless { x = 2; x = 5 }; x = x + 1 }");
    let edges = [(1, 2), (1, 4), (2, 4), (2, 7), (4, 7), (7, 8), (8, 8)];
    assert_eq!(numbered_edges(&block.automata[0]), edges);
    let simple = system("byte x; active proctype P() { x = 1 unless { x = 2; x = 5 }; x = x + 1 }");
    assert_eq!(numbered_edges(&simple.automata[0]), [(2, 6), (3, 2), (3, 6), (6, 7), (7, 7)]);
}

#[test]
fn an_unfinished_trace_is_an_error_only_while_a_process_lives() {
    let text = "chan c = [1] of { bit }; trace { c!1; c?1; c!1 } active proctype P() { c!1; c?1 }";
    let system = system(text);
    let interpreter = Interpreter::new(&system, Capacities::Declared);
    assert!(!interpreter.event_trace_is_complete(&after(&system, 2)));
    assert!(interpreter.event_trace_is_complete(&after(&system, 3)));
}

#[test]
fn numbers_of_channels_are_a_byte_unless_the_model_declares_more_than_fit() {
    let within = system("chan q[255] = [1] of { byte }; chan c; init { c = 256 + 3 }");
    assert_eq!(Limits::of(&within.model), Limits::SPIN);
    assert_eq!(after(&within, 1).globals[255], 3);
    let beyond = system("chan q[256] = [1] of { byte }; chan c; init { c = q[255]; c!1 }");
    assert_eq!(Limits::of(&beyond.model), Limits::WIDE);
    let state = after(&beyond, 2);
    assert_eq!(state.globals[256], 256);
    assert_eq!(state.channels[255].contents, [1]);
}

/// The numbers of the states at which SPIN lets a process stand for ever, stand again and again, or make progress.
fn marked(body: &str) -> [Vec<u32>; 3] {
    let system = system(&format!("byte x; init {{ {body} }}"));
    let automaton = &system.automata[0];
    let numbers = |is_marked: fn(&Location) -> bool| {
        let mut numbers: Vec<u32> =
            automaton.locations.iter().filter(|at| is_marked(at)).map(|at| at.number).collect();
        numbers.sort_unstable();
        numbers
    };
    [numbers(|at| at.end), numbers(|at| at.accept), numbers(|at| at.progress)]
}

#[test]
fn an_end_at_the_beginning_of_an_option_goes_over_to_what_comes_after_the_choice() {
    // The last is the closing brace.
    assert_eq!(marked("if :: end2: skip fi; (x == 1)"), [vec![4, 5], vec![], vec![]]);
    // Inside of an `atomic` sequence there is a state between.
    assert_eq!(marked("atomic { if :: end2: skip fi }; (x == 1)"), [vec![3, 5, 6], vec![], vec![]]);
    assert_eq!(marked("atomic { if :: end2: skip fi; x = 0 }; (x == 1)"), [vec![3, 4, 7], vec![], vec![]]);
    // Only an end goes over twice.
    assert_eq!(marked("atomic { if :: accept2: skip fi; x = 0 }; (x == 1)"), [vec![7], vec![3], vec![]]);
    assert_eq!(marked("atomic { if :: progress2: skip fi; x = 0 }; (x == 1)"), [vec![7], vec![], vec![3]]);
}

#[test]
fn an_else_at_the_head_of_an_option_looks_at_what_is_tried_before_it_only() {
    // The inner `else` may be taken while `b` is true, and `b -> x = 4` beside it.
    let nested = "byte x; bool b = true; active proctype P() {
        if :: if :: x == 1 -> x = 2 :: else -> x = 3 fi :: b -> x = 4 fi }";
    assert_eq!(first_steps(nested), ["else", "b"]);
    let atomic = "byte t; active proctype P() { if :: atomic { else -> t = 1 } :: t == 0 -> t = 2 fi }";
    assert_eq!(first_steps(atomic), ["else", "t == 0"]);
    let behind = "byte t; active proctype P() { if :: t == 0 -> t = 2 :: atomic { else -> t = 1 } fi }";
    assert_eq!(first_steps(behind), ["t == 0"]);
}

#[test]
fn an_else_that_is_an_option_itself_is_tried_last_wherever_it_stands() {
    let text = "byte x; active proctype P() { if :: else -> x = 1 :: if :: x == 1 :: else fi :: x == 0 fi }";
    assert_eq!(first_steps(text), ["else", "x == 0"]);
}

/// The texts of the steps that the initial state allows.
fn first_steps(text: &str) -> Vec<String> {
    let system = system(text);
    assert_eq!(system::validate::validate(&system), []);
    let interpreter = Interpreter::new(&system, Capacities::Declared);
    let state = interpreter.initial_state().expect("an initial state");
    let mut steps = Vec::new();
    interpreter.steps(&state, &mut steps).expect("no runtime error");
    let automaton = &system.automata[0];
    steps.iter().map(|step| automaton.edge(step.edge).text.clone()).collect()
}

#[test]
fn an_else_behind_a_rendezvous_send_is_executable_only_if_nobody_receives() {
    let sender = "chan r = [0] of { byte }; byte y; active proctype R() { if :: r!1 :: else -> y = 3 fi }";
    assert_eq!(first_steps(&format!("{sender} active proctype Q() {{ byte v; r?v }}")), ["r!1"]);
    assert_eq!(first_steps(&format!("{sender} active proctype Q() {{ r?2 }}")), ["else"]);
}

/// What goes wrong in the only run of a model.
fn error_of(body: &str) -> Option<RuntimeErrorKind> {
    let text = format!(
        "byte x, y, z; chan c = [2] of {{ byte, byte }}; chan d; chan r = [0] of {{ byte, byte }};
         active proctype P() {{ {body} }}"
    );
    let system = system(&text);
    let interpreter = Interpreter::new(&system, Capacities::Declared);
    let mut state = interpreter.initial_state().expect("an initial state");
    loop {
        let mut enabled = Vec::new();
        if let Err(error) = interpreter.steps(&state, &mut enabled) {
            return Some(error.kind);
        }
        let step = *enabled.first()?;
        if let Err(error) = interpreter.execute(&mut state, step, &(), &mut ()) {
            return Some(error.kind);
        }
    }
}

#[test]
fn a_message_that_is_sent_or_taken_names_every_field() {
    let misfit = |given| Some(RuntimeErrorKind::WrongNumberOfFields { given, expected: 2 });
    assert_eq!(error_of("c!1"), misfit(1));
    assert_eq!(error_of("c!!1"), misfit(1));
    assert_eq!(error_of("c!1,2; c?x"), misfit(1));
    assert_eq!(error_of("c!1,2; c??_"), misfit(1));
    assert_eq!(error_of("c!1,2; c?1"), misfit(1));
    assert_eq!(error_of("c!1,2; c?x,y,z"), misfit(3));
    assert_eq!(error_of("c!1,2; c?1,2,3"), misfit(3));
    assert_eq!(error_of("d = c; d!1"), misfit(1));
    assert_eq!(error_of("d = c; d!1,2,3"), misfit(3));
    assert_eq!(error_of("d = c; d!1,2; d?x"), misfit(1));
    assert_eq!(error_of("d = c; d!1,2; d?x,y,z"), misfit(3));
    assert_eq!(error_of("d = c; d!1,2; d?<x,y,z>"), misfit(3));
    assert_eq!(error_of("d = c; d!1,2; d?[1,2,3]"), misfit(3));
    assert_eq!(error_of("d_step { c!1,2; c?x }"), misfit(1));
    // A rendezvous, even if there is nobody to receive.
    assert_eq!(error_of("r!1"), misfit(1));
    assert_eq!(error_of("r!1,2 } active proctype Q() { r?x"), misfit(1));
}

#[test]
fn a_receive_that_only_looks_or_does_not_match_may_name_fewer_fields() {
    for body in [
        "c!1,2; c?[x]",
        "c!1,2; c?[1]",
        "c!1,2; c?<x>",
        "c!1,2; c?2",
        "c!1,2; c?[x,y,z]",
        "c!1,2; c?x,y",
        "d = c; d!1,2; d?[1]",
        "d = c; d!1,2; d?2",
        "d = c; d!1,2; d?7,2,3",
        "r!1,2 } active proctype Q() { r?x,y",
    ] {
        assert_eq!(error_of(body), None, "{body}");
    }
}

#[test]
fn a_variable_that_the_argument_of_an_inline_names_is_part_of_the_state() {
    // SPIN reads the argument as an expression; the same assignment without the inline leaves `kept` out.
    let called = system("byte kept, x; inline clear(v) { v = 0 } active proctype P() { clear(kept); x = 1 }");
    let assigned = system("byte left, x; active proctype P() { left = 0; x = 1 }");
    assert_eq!(called.global_slots.iter().map(|s| s.hidden).collect::<Vec<_>>(), [false, true]);
    assert_eq!(assigned.global_slots.iter().map(|s| s.hidden).collect::<Vec<_>>(), [true, true]);
}

#[test]
fn a_label_of_a_loop_may_begin_a_block() {
    let system = system(
        "byte x; active proctype P() { { again: do :: x < 2 -> x++ :: x == 2 -> break od; x = 0; goto again } }",
    );
    let edges = [(2, 5), (5, 2), (5, 8), (8, 5), (10, 2), (10, 8)];
    assert_eq!(numbered_edges(&system.automata[0])[..6], edges);
}
