//! Walks at random, which get further than a short search: values that they see are where provers' guesses come from.

use proofs::SeenValues;
use search::report::MOST_VALUES;
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter};
use system::simulate::Dice;
use system::state::State;

const WALKS: u64 = 40;
const STEPS_OF_A_WALK: usize = 1_000;
/// Messages in all channels together beyond which a walk is given up: it only floods.
const MOST_HELD: usize = 2_000;

/// Adds the values that local variables have on walks: the same ones every time.
pub fn look(system: &System, capacities: Capacities, is_over: &dyn Fn() -> bool, seen: &mut SeenValues) {
    let interpreter = Interpreter::new(system, capacities);
    let Ok(initial) = interpreter.initial_state() else { return };
    for number in 0..WALKS {
        if is_over() {
            return;
        }
        walk(&interpreter, initial.clone(), number, seen);
    }
}

fn walk(interpreter: &Interpreter<'_>, mut state: State, number: u64, seen: &mut SeenValues) {
    let mut dice = Dice::new(2 * number + 1);
    let mut steps = Vec::new();
    for _ in 0..STEPS_OF_A_WALK {
        let held: usize = state.channels.iter().map(|channel| channel.contents.len()).sum();
        interpreter.steps_beside_errors(&state, &mut steps);
        if held > MOST_HELD || steps.is_empty() {
            return;
        }
        let step = steps[dice.roll(steps.len())];
        if interpreter.execute(&mut state, step, &(), &mut ()).is_err() {
            return;
        }
        note(&state, seen);
    }
}

fn note(state: &State, seen: &mut SeenValues) {
    for process in &state.processes {
        for (slot, &value) in process.locals.iter().enumerate() {
            let values = seen.entry((process.automaton, slot as u32)).or_default();
            if values.len() <= MOST_VALUES {
                values.insert(value);
            }
        }
    }
}
