//! Runs of a system: one step after another, chosen at random or by somebody.

use crate::interpreter::{Enabled, Interpreter, Output, RuntimeError, Step};
use crate::state::State;

/// Why a run cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Halt {
    /// Every process has died, or stands at a valid end.
    Finished,
    /// Nothing can move, and not everybody stands at a valid end.
    Deadlock,
    /// The model did what no model may do.
    Error(RuntimeError),
}

/// A run in the making.
#[derive(Clone, Debug)]
pub struct Simulation<'s> {
    interpreter: Interpreter<'s>,
    state: State,
    steps: Vec<Step>,
    enabled: Enabled,
    halt: Option<Halt>,
}

impl<'s> Simulation<'s> {
    /// Stands at the beginning.
    pub fn new(interpreter: Interpreter<'s>) -> Result<Self, RuntimeError> {
        let state = interpreter.initial_state()?;
        let mut simulation =
            Self { interpreter, state, steps: Vec::new(), enabled: Enabled::default(), halt: None };
        simulation.look();
        Ok(simulation)
    }

    /// Where the run stands.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What can happen next; empty if and only if [`Simulation::halt`] says why.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Why the run cannot go on.
    pub fn halt(&self) -> Option<&Halt> {
        self.halt.as_ref()
    }

    /// Takes the step at a position of [`Simulation::steps`]. A position beyond the end is no step.
    pub fn take(&mut self, position: usize, output: &mut dyn Output) {
        let Some(&step) = self.steps.get(position) else { return };
        match self.interpreter.execute(&mut self.state, step, &(), output) {
            Ok(()) => self.look(),
            Err(error) => self.stop(Halt::Error(error)),
        }
    }

    fn look(&mut self) {
        match self.interpreter.steps(&self.state, &mut self.steps) {
            Ok(enabled) => {
                self.enabled = enabled;
                if self.steps.is_empty() {
                    let ended = self.interpreter.is_valid_end_state(&self.state);
                    self.stop(if ended { Halt::Finished } else { Halt::Deadlock });
                }
            }
            Err(error) => self.stop(Halt::Error(error)),
        }
    }

    fn stop(&mut self, halt: Halt) {
        self.steps.clear();
        self.halt = Some(halt);
    }
}

/// A small generator of random numbers that gives the same run for the same seed on every machine.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// A generator that starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `sides`, which must not be zero.
    pub fn roll(&mut self, sides: usize) -> usize {
        // SplitMix64 (Steele, Lea, Flood 2014): passes the usual tests and needs no warm-up.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % sides as u64) as usize
    }
}
