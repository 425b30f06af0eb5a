//! The language server: `plimsoll lsp`.
//!
//! One loop ([`server`]) owns all texts. A keystroke only changes a text; when nothing else waits, the text is read again, and that is given up
//! when something new arrives. Questions to the engines run beside the loop ([`checks`]) and are stopped when their text changes.
//! A program with a loop of its own asks the same server without one ([`Embedded`]). What requests need is in rooms of their own, functions of a [`Reading`](crate::reading::Reading).

mod channels;
mod checks;
mod complete;
mod embedded;
pub mod format;
mod hover;
mod names;
pub mod pieces;
mod problems;
mod server;
mod symbols;
mod tokens;
mod verdicts;

pub use embedded::Embedded;
pub use lsp_server::Message;
pub use server::{serve, serve_stdio};
