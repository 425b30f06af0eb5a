//! Which moves are enough.

use crate::options::Properties;
use system::automaton::System;
use system::interpreter::Interpreter;
use system::state::{Pid, State};

/// Tells where the moves of one process are enough.
#[derive(Debug)]
pub struct Reducer {}

impl Reducer {
    /// A reducer that is sound for the properties; `None` if there is nothing to gain.
    pub fn new(_system: &System, _properties: &Properties) -> Option<Reducer> {
        None
    }

    /// Whether the moves of a process are enough in a state.
    pub fn is_ample(&self, _interpreter: &Interpreter<'_>, _state: &State, _pid: Pid) -> bool {
        false
    }
}
