//! Control-flow automata and the only step semantics.

pub mod automaton;
pub mod state;
