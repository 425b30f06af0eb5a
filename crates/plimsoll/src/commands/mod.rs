//! One file a command.

pub mod bounds;
pub mod certify;
pub mod check;
pub mod cluster;
pub mod completions;
pub mod cycles;
pub mod dap;
pub mod explain;
pub mod graph;
pub mod lsp;
pub mod ltl;
pub mod man;
pub mod play;
pub mod progress;
mod recount;
pub mod replay;
pub mod search;
pub mod simulate;
