//! What statements touch, as the code that is executed tells; and what people are shown.

use promela::{NoIncludes, Options};
use system::automaton::{AutomatonId, EdgeId, System};
use system::code::footprint::Footprint;
use system::interpreter::{Capacities, Interpreter, Output};
use system::simulate::Simulation;
use system::state::{ChannelId, Pid};

fn system(text: &str) -> System {
    let (model, _) = promela::read("test.pml", text, &Options::default(), &NoIncludes);
    system::lower::lower(model).0
}

/// The footprint of the first statement of the first process, at the beginning.
fn first(text: &str) -> Footprint {
    let system = system(text);
    let interpreter = Interpreter::new(&system, Capacities::Declared);
    let state = interpreter.initial_state().expect("an initial state");
    interpreter.footprint(&state, Pid(0), EdgeId(0))
}

fn written(footprint: &Footprint) -> Vec<u32> {
    footprint.writes.iter().collect()
}

#[test]
fn an_index_that_was_just_set_is_known() {
    let footprint = first("byte a[3]; active proctype P() { byte i; d_step { i = 1; a[i] = 1 } }");
    assert_eq!(written(&footprint), [1]);
    assert!(footprint.local_reads.contains(0) && footprint.local_writes.contains(0));
}

#[test]
fn an_index_that_was_received_may_be_any() {
    let footprint =
        first("byte a[3]; chan c = [1] of { byte, byte }; active proctype P() { byte i; c?i,a[i] }");
    assert_eq!(written(&footprint), [0, 1, 2]);
    assert_eq!(footprint.receives.known, [ChannelId(0)]);
}

#[test]
fn both_ways_of_an_unknown_condition_are_followed_but_one_of_a_known_one() {
    let unknown = first(
        "byte g; byte a[3]; active proctype P() { d_step { if :: g > 0 -> a[1] = 1 :: else -> a[2] = 1 fi } }",
    );
    assert_eq!(written(&unknown), [2, 3]);
    let known = first(
        "byte a[3]; active proctype P() { byte i = 1; d_step { if :: i > 0 -> a[1] = 1 :: else -> a[2] = 1 fi } }",
    );
    assert_eq!(written(&known), [1]);
}

#[test]
fn where_ways_meet_again_only_what_they_agree_on_is_known() {
    let footprint = first(
        "byte g; byte a[3]; active proctype P() { byte i; byte j = 2;
           d_step { if :: g > 0 -> i = 1; j = 0 :: else -> i = 2; j = 0 fi; a[j] = 1; a[i] = 1 } }",
    );
    assert_eq!(written(&footprint).into_iter().collect::<std::collections::BTreeSet<_>>(), [1, 2, 3].into());
    let agreed = first(
        "byte g; byte a[3]; active proctype P() { byte i;
           d_step { if :: g > 0 -> i = 1 :: else -> i = 1 fi; a[i] = 1 } }",
    );
    assert_eq!(written(&agreed), [2]);
}

#[test]
fn who_starts_a_process_computes_its_first_values() {
    let footprint = first(
        "byte g; byte h; chan c = [1] of { byte }; active proctype P() { run Q(g) }
         proctype Q(byte a) { byte v = h; byte w = len(c); skip }",
    );
    assert!(footprint.reads.contains(0) && footprint.reads.contains(1));
    assert_eq!(footprint.looks.known, [ChannelId(0)]);
    assert_eq!(footprint.starts.len(), 1);
}

#[test]
fn in_any_state_nothing_is_known() {
    let system = system("byte a[3]; active proctype P() { byte i = 1; a[i] = 1 }");
    let interpreter = Interpreter::new(&system, Capacities::Declared);
    assert_eq!(written(&interpreter.static_footprint(AutomatonId(0), EdgeId(0))), [0, 1, 2]);
}

#[derive(Default)]
struct Printed(String);

impl Output for Printed {
    fn printed(&mut self, _process: Pid, text: &str) {
        self.0.push_str(text);
    }
}

#[test]
fn people_are_shown_values_that_nothing_reads_any_more() {
    let system = system(
        "byte x = 5; byte y; active proctype P() { byte l;
           x = 7; y = x; l = 3; printf(\"y=%d \", y); x = 9; printf(\"x=%d y=%d l=%d\", x, y, l) }",
    );
    let interpreter = Interpreter::new(&system, Capacities::Declared).keeping_everything();
    let mut simulation = Simulation::new(interpreter).expect("an initial state");
    let mut printed = Printed::default();
    while simulation.halt().is_none() {
        simulation.take(0, &mut printed);
    }
    assert_eq!(printed.0, "y=7 x=9 y=7 l=3");
}
