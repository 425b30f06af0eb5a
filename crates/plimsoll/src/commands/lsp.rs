//! `plimsoll lsp`

use crate::exit;
use clap::Args;

/// Serve an editor: diagnostics, names, verdicts while you type
///
/// Speaks the language server protocol over the standard input and output. Editors start it by themselves.
#[derive(Args, Debug)]
pub struct Arguments {
    /// What many clients say of their own accord; there is no other way to speak with this server
    #[arg(long, hide = true)]
    stdio: bool,
}

pub fn run() -> u8 {
    match editor::lsp::serve_stdio() {
        true => exit::PROVED,
        // The client left without saying goodbye, which the protocol calls an error.
        false => exit::ERROR,
    }
}
