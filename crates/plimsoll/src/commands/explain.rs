//! `plimsoll explain CODE`

use clap::Args;

/// What a diagnostic's code means, with an example
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  plimsoll explain\n  plimsoll explain E0101")]
pub struct Arguments {
    /// The code, such as E0101; without it, a list of all codes
    code: Option<String>,
}

pub fn run(arguments: &Arguments) -> u8 {
    let Some(wanted) = &arguments.code else {
        for code in promela::codes::ALL {
            say_line!("{}  {}", code.code, code.title);
        }
        return crate::exit::PROVED;
    };
    let found = promela::codes::ALL.iter().find(|c| c.code.eq_ignore_ascii_case(wanted));
    match found {
        Some(code) => {
            say_line!("{}: {}\n\n{}", code.code, code.title, code.explanation.trim_end());
            crate::exit::PROVED
        }
        None => {
            complain_line!("error: there is no code `{wanted}`; `plimsoll explain` lists them all");
            crate::exit::ERROR
        }
    }
}
