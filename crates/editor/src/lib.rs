//! Plimsoll where models are written: a language server ([`lsp`]) and a debug adapter ([`dap`]).
//!
//! Both only ask: the front end knows every name, type and place, and never fails; verdicts come from `verify`, steps from the
//! interpreter of `system`. Nothing here reads Promela in its own way. *Absent on purpose:* an asynchronous runtime (a loop and a
//! channel do), a second lexer, caches between two texts (20,000 lines are read
//! again within a keystroke: `tests/speed.rs`).
//!
//! - [`reading`]: a text, what it includes (as it is in the editor, saved or not), what it means and what is wrong with it;
//! - [`place`]: places as editors count them;
//! - [`run`]: an execution that can be walked in both directions.

pub mod dap;
pub mod lsp;
pub mod place;
pub mod reading;
pub mod run;
