//! `plimsoll completions SHELL`

use crate::{exit, files};
use clap::{Args, Command};
use clap_complete::Shell;

/// Print completions for a shell
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll completions bash > /etc/bash_completion.d/plimsoll\n  \
    plimsoll completions fish > ~/.config/fish/completions/plimsoll.fish")]
pub struct Arguments {
    /// Which shell
    shell: Shell,
}

pub fn run(arguments: &Arguments, mut command: Command) -> u8 {
    let mut out = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "plimsoll", &mut out);
    files::print(&String::from_utf8_lossy(&out));
    exit::PROVED
}
