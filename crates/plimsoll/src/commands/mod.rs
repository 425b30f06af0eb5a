//! One file a command.

pub mod bounds;
pub mod certify;
pub mod check;
pub mod explain;
pub mod graph;
pub mod replay;
pub mod search;
pub mod simulate;
