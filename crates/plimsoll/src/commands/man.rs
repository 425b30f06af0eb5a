//! `plimsoll man`

use crate::{exit, files};
use clap::{Args, Command};
use std::io::Write;

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
    match manual(page) {
        Ok(text) => {
            files::print(&String::from_utf8_lossy(&text));
            exit::PROVED
        }
        Err(error) => {
            complain_line!("error: {error}");
            exit::ERROR
        }
    }
}

/// The page. Its synopsis is the usage that the help shows: the generator's own would list all options there, without what they take.
fn manual(mut command: Command) -> std::io::Result<Vec<u8>> {
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").replace('-', "\\-");
    let has_commands = command.has_subcommands();
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let page = clap_mangen::Man::new(command);
    let mut out = Vec::new();
    page.render_title(&mut out)?;
    page.render_name_section(&mut out)?;
    writeln!(out, ".SH SYNOPSIS\n{usage}")?;
    page.render_description_section(&mut out)?;
    page.render_options_section(&mut out)?;
    if has_commands {
        page.render_subcommands_section(&mut out)?;
    }
    for part in after.replace('\\', "\\e").replace('-', "\\-").split("\n\n") {
        match part.strip_prefix("Examples:\n") {
            // Line by line: they are there to be copied.
            Some(examples) => writeln!(out, ".SH EXAMPLES\n.nf\n{examples}\n.fi")?,
            None if part.is_empty() => {}
            None => writeln!(out, ".SH NOTES\n{part}")?,
        }
    }
    Ok(out)
}
