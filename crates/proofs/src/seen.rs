//! Values that variables have in runs: what search saw breadth first, and some walks at random, which get further.
//!
//! Nothing here is known for sure: it is where guesses come from ([`crate::barriers`]).

use std::collections::{BTreeMap, BTreeSet};

use system::automaton::{AutomatonId, System};
use system::interpreter::{Capacities, Interpreter};
use system::state::State;

use crate::explore::Exploration;
use crate::options::Control;
use crate::stalled::Traffic;

/// Values of one variable beyond which it is not looked at any more.
pub const MOST_SEEN: usize = 16;

const WALKS: u64 = 40;
const STEPS_OF_A_WALK: usize = 1_000;
/// Messages in all channels together beyond which a walk is given up: it only floods.
const MOST_HELD: usize = 2_000;

/// Values that were seen.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Of the local slots of each automaton; if there are more than [`MOST_SEEN`], they are not all.
    pub locals: BTreeMap<(AutomatonId, u32), BTreeSet<i32>>,
    /// Who talks to whom.
    pub traffic: Traffic,
}

impl Seen {
    /// What a search saw, and what walks at random add to that. Always the same for the same system.
    pub fn new(
        system: &System,
        capacities: Capacities,
        exploration: &Exploration,
        control: &Control<'_>,
    ) -> Seen {
        let mut seen = Seen::default();
        exploration.states.iter().for_each(|state| seen.look_at(state));
        for walk in 0..WALKS {
            if control.is_cancelled() {
                break;
            }
            seen.walk(system, capacities, walk);
        }
        seen
    }

    fn walk(&mut self, system: &System, capacities: Capacities, number: u64) {
        let interpreter = Interpreter::new(system, capacities);
        let Ok(mut state) = interpreter.initial_state() else { return };
        let mut steps = Vec::new();
        let mut random = Random(number.wrapping_mul(2).wrapping_add(1));
        for _ in 0..STEPS_OF_A_WALK {
            let held: usize = state.channels.iter().map(|channel| channel.contents.len()).sum();
            interpreter.steps_beside_errors(&state, &mut steps);
            if held > MOST_HELD || steps.is_empty() {
                return;
            }
            let step = steps[random.below(steps.len())];
            if interpreter.execute(&mut state, step, &(), &mut self.traffic).is_err() {
                return;
            }
            self.look_at(&state);
        }
    }

    fn look_at(&mut self, state: &State) {
        for process in &state.processes {
            for (slot, &value) in process.locals.iter().enumerate() {
                let values = self.locals.entry((process.automaton, slot as u32)).or_default();
                if values.len() <= MOST_SEEN {
                    values.insert(value);
                }
            }
        }
    }
}

/// Numbers that look random (Vigna, splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }
}
