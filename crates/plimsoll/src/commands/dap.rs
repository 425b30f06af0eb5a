//! `plimsoll dap`

use crate::exit;
use clap::Args;

/// Serve an editor's debugger: counterexamples and simulations, forwards and backwards
///
/// Speaks the debug adapter protocol over the standard input and output. Editors start it by themselves.
#[derive(Args, Debug)]
pub struct Arguments {}

pub fn run() -> u8 {
    match editor::dap::serve_stdio() {
        true => exit::PROVED,
        false => exit::ERROR,
    }
}
