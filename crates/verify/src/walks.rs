//! Walks at random, which get further than a short search: values that they see are where provers' guesses come from.

use proofs::SeenValues;
use search::report::MOST_VALUES;
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter};
use system::simulate::Dice;
use system::state::{Process, State};

const WALKS: u64 = 40;
/// So many walks in a row that show nothing new are the last ones.
const WALKS_IN_VAIN: u64 = 10;
const STEPS_OF_A_WALK: usize = 1_000;
/// Messages in all channels together beyond which a walk is given up: it only floods.
const MOST_HELD: usize = 2_000;

/// Adds the values that local variables have on walks: the same ones every time.
pub fn look(system: &System, capacities: Capacities, is_over: &dyn Fn() -> bool, seen: &mut SeenValues) {
    let interpreter = Interpreter::new(system, capacities);
    let Ok(initial) = interpreter.initial_state() else { return };
    let mut in_vain = 0;
    for number in 0..WALKS {
        if in_vain >= WALKS_IN_VAIN || is_over() {
            return;
        }
        in_vain = if walk(&interpreter, initial.clone(), number, seen) { 0 } else { in_vain + 1 };
    }
}

/// Walks once; whether there was something new.
fn walk(interpreter: &Interpreter<'_>, mut state: State, number: u64, seen: &mut SeenValues) -> bool {
    let mut dice = Dice::new(2 * number + 1);
    let mut steps = Vec::new();
    let mut is_new = false;
    for _ in 0..STEPS_OF_A_WALK {
        let held: usize = state.channels.iter().map(|channel| channel.contents.len()).sum();
        interpreter.steps_beside_errors(&state, &mut steps);
        if held > MOST_HELD || steps.is_empty() {
            break;
        }
        let step = steps[dice.roll(steps.len())];
        let before = state.processes.len();
        if interpreter.execute(&mut state, step, &(), &mut ()).is_err() {
            break;
        }
        // Nobody else's variables have changed.
        let movers = [Some(step.process), step.partner.map(|partner| partner.process)];
        let moved = movers.into_iter().flatten().filter_map(|pid| state.processes.get(pid.0 as usize));
        for process in moved.chain(state.processes.iter().skip(before)) {
            is_new |= note(process, seen);
        }
    }
    is_new
}

fn note(process: &Process, seen: &mut SeenValues) -> bool {
    let mut is_new = false;
    for (slot, &value) in process.locals.iter().enumerate() {
        let values = seen.entry((process.automaton, slot as u32)).or_default();
        is_new |= values.len() <= MOST_VALUES && values.insert(value);
    }
    is_new
}
