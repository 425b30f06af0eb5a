//! One file a command.

pub mod explain;
pub mod graph;
pub mod simulate;
