//! `plimsoll man`

use crate::{exit, files};
use clap::{Args, Command};

/// Print the manual page, of Plimsoll or of one command
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  plimsoll man | man -l -\n  plimsoll man check | man -l -")]
pub struct Arguments {
    /// Of which command
    command: Option<String>,
}

pub fn run(arguments: &Arguments, mut command: Command) -> u8 {
    command.build();
    let page = match &arguments.command {
        None => Some(command),
        Some(name) => command.find_subcommand(name).cloned(),
    };
    let Some(page) = page else {
        let name = arguments.command.as_deref().unwrap_or_default();
        complain_line!("error: there is no command `{name}`; `plimsoll help` lists them all");
        return exit::ERROR;
    };
    let mut out = Vec::new();
    match clap_mangen::Man::new(page).render(&mut out) {
        Ok(()) => {
            files::print(&String::from_utf8_lossy(&out));
            exit::PROVED
        }
        Err(error) => {
            complain_line!("error: {error}");
            exit::ERROR
        }
    }
}
