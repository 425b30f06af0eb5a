//! Control-flow automata and the only step semantics.
