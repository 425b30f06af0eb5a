//! Plimsoll for a page in a browser: texts in, texts out, no files, no threads, a clock and an ear from the host.
//!
//! A page asks by a line of JSON ([`Desk::answer`]): it speaks with the language server, as any editor does, or has a model checked. The script around it
//! (`web/`) knows nothing of Promela. [`check`] is also what the tests ask natively, to compare.
//!
//! As a module of WebAssembly (`host.rs`) this exports `room`, `ask` and the memory, and imports `now` and `tell` from `plimsoll`:
//! `docs/decisions/0012-the-page.md`.

mod check;
#[cfg(target_family = "wasm")]
mod host;

pub use check::{Check, check};

use editor::lsp::{Embedded, Message};
use serde::Deserialize;
use serde_json::{Value, json};

/// What a page asks.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Request {
    /// Something of the language server, in its protocol.
    Editor(Message),
    /// Everything about a model.
    Check(Check),
}

/// Where a page's questions are answered.
#[derive(Default)]
pub struct Desk {
    editor: Embedded,
}

impl Desk {
    /// Answers a line of JSON by another; in between, `tell` is given lines about what happens.
    pub fn answer(&mut self, request: &str, tell: fn(&str)) -> String {
        let answer = match serde_json::from_str(request) {
            Ok(Request::Editor(message)) => json!(self.editor.hear(message)),
            Ok(Request::Check(asked)) => check(&asked, tell),
            Err(error) => json!({ "refused": error.to_string() }),
        };
        Value::to_string(&answer)
    }
}
