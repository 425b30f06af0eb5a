//! The command line of Plimsoll: options, files, exit codes, progress line. Thin: what is asked and answered lives below.

#[macro_use]
mod files;

mod ask;
mod commands;
mod input;
mod limits;
mod loops;
mod watch;

use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

/// Exit codes, as scripts rely on them.
///
/// 0 is chosen when everything that was asked is proved (or done), 1 when something is violated, 2 when the use or the input is
/// wrong, 3 when something is unknown and nothing is violated.
pub(crate) mod exit {
    pub const PROVED: u8 = 0;
    pub const VIOLATED: u8 = 1;
    pub const ERROR: u8 = 2;
    pub const UNKNOWN: u8 = 3;
}

#[derive(Parser)]
#[command(
    name = "plimsoll",
    version,
    about = "How full can my buffers get, does the system keep making progress, does it do what my formula says?",
    long_about = "Plimsoll verifies message-passing systems written in Promela, the language of SPIN.\n\
        Every question gets one of three answers: PROVED (with a certificate), VIOLATED (with an execution \
        that replays) or UNKNOWN (with what stopped it).",
    after_help = "Exit codes: 0 all proved, 1 something violated, 2 error in use or input, 3 something unknown."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(commands::check::Arguments),
    Search(commands::search::Arguments),
    Bounds(commands::bounds::Arguments),
    Progress(commands::progress::Arguments),
    Ltl(commands::ltl::Arguments),
    Replay(commands::replay::Arguments),
    Certify(commands::certify::Arguments),
    Simulate(commands::simulate::Arguments),
    Graph(commands::graph::Arguments),
    Cycles(commands::cycles::CyclesArguments),
    Deps(commands::cycles::DepsArguments),
    Explain(commands::explain::Arguments),
    Completions(commands::completions::Arguments),
    Man(commands::man::Arguments),
}

/// What a defect of ours looks like: a line to report, and the trace of calls only for whoever asked for it.
fn say_defects_in_a_line() {
    let full = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |defect| match std::env::var_os("RUST_BACKTRACE") {
        Some(_) => full(defect),
        None => {
            let place = defect.location().map_or_else(String::new, |place| format!(" ({place})"));
            let what = defect.payload_as_str().unwrap_or("no message");
            complain_line!("error: this is a defect of Plimsoll, please report it: {what}{place}");
        }
    }));
}

fn main() -> ExitCode {
    say_defects_in_a_line();
    let arguments = Arguments::parse();
    let code = match arguments.command {
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Search(arguments) => commands::search::run(&arguments),
        Command::Bounds(arguments) => commands::bounds::run(&arguments),
        Command::Progress(arguments) => commands::progress::run(&arguments),
        Command::Ltl(arguments) => commands::ltl::run(&arguments),
        Command::Replay(arguments) => commands::replay::run(&arguments),
        Command::Certify(arguments) => commands::certify::run(&arguments),
        Command::Simulate(arguments) => commands::simulate::run(&arguments),
        Command::Graph(arguments) => commands::graph::run(&arguments),
        Command::Cycles(arguments) => commands::cycles::run_cycles(&arguments),
        Command::Deps(arguments) => commands::cycles::run_deps(&arguments),
        Command::Explain(arguments) => commands::explain::run(&arguments),
        Command::Completions(arguments) => commands::completions::run(&arguments, Arguments::command()),
        Command::Man(arguments) => commands::man::run(&arguments, Arguments::command()),
    };
    ExitCode::from(code)
}
