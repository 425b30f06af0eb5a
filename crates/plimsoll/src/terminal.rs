//! What the terminal can do: how wide it is, and whether it has colours.

use clap::ValueEnum;
use report::columns;
use report::diagnostic::Colour;
use std::io::IsTerminal;
use std::sync::OnceLock;

/// Whether to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ColourChoice {
    /// On a terminal that has some, unless NO_COLOR is set
    #[default]
    Auto,
    /// Also into files and pipes
    Always,
    /// Nowhere
    Never,
}

static CHOICE: OnceLock<ColourChoice> = OnceLock::new();

/// Takes note of what the command line says, once.
pub fn choose(choice: ColourChoice) {
    let _ = CHOICE.set(choice);
}

fn colour(is_terminal: bool) -> Colour {
    let wanted = match CHOICE.get().copied().unwrap_or_default() {
        ColourChoice::Auto => {
            is_terminal && !is_dumb() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
        ColourChoice::Always => true,
        ColourChoice::Never => false,
    };
    if wanted { Colour::Styled } else { Colour::Plain }
}

/// A terminal that says of itself that it is one in name only: an editor's window, a log.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Whether lines of the standard error can be drawn again.
pub fn can_redraw() -> bool {
    std::io::stderr().is_terminal() && !is_dumb()
}

/// Colours for the standard error.
pub fn colour_of_errors() -> Colour {
    colour(std::io::stderr().is_terminal())
}

/// Colours for the standard output.
pub fn colour_of_output() -> Colour {
    colour(std::io::stdout().is_terminal())
}

/// How wide the standard output is; `None` if it is no terminal and nobody says (`COLUMNS`): then lines stay whole, for `grep`.
pub fn width_of_output() -> Option<usize> {
    told().or_else(|| terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0.into()))
}

/// The same for the standard error.
pub fn width_of_errors() -> Option<usize> {
    told().or_else(|| terminal_size::terminal_size_of(std::io::stderr()).map(|(width, _)| width.0.into()))
}

/// Columns for what is laid out.
pub fn columns() -> usize {
    width_of_output().map_or(columns::PLAIN, columns::usable)
}

fn told() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.parse().ok().filter(|&columns| columns > 0)
}
