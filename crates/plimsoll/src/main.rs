//! The command line of Plimsoll: options, files, exit codes, progress line. Thin: what is asked and answered lives below.

#[macro_use]
mod files;

mod ask;
mod cache;
mod commands;
mod config;
mod input;
mod judge;
mod kept;
mod limits;
mod loops;
mod stepper;
mod terminal;
mod watch;

use clap::{CommandFactory, Parser, Subcommand};
use limits::TimeLimit;
use promela::interrupt::{self, Interrupted};
use report::diagnostic::Colour;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

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
    /// Colours: on a terminal, always, or never
    #[arg(
        long,
        alias = "colour",
        value_name = "WHEN",
        value_enum,
        default_value_t,
        global = true,
        help_heading = "Output"
    )]
    color: terminal::ColourChoice,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(commands::check::Arguments),
    Search(commands::search::Arguments),
    Cluster(commands::cluster::Arguments),
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
    Lsp(commands::lsp::Arguments),
    Dap(commands::dap::Arguments),
    Play(commands::play::Arguments),
    Completions(commands::completions::Arguments),
    Man(commands::man::Arguments),
}

/// What a defect of ours looks like: a line to report, and the trace of calls only for whoever asked for it.
fn say_defects_in_a_line() {
    let full = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |defect| match std::env::var_os("RUST_BACKTRACE") {
        _ if cluster::is_about_a_connection(defect) => {}
        Some(_) => full(defect),
        None => {
            let place = defect.location().map_or_else(String::new, |place| format!(" ({place})"));
            let what = defect.payload_as_str().unwrap_or("no message");
            complain_line!("error: this is a defect of Plimsoll, please report it: {what}{place}");
        }
    }));
}

/// How long after its time a command that keeps to it may still be saying what it knows.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// Stack of a command's thread: reading recurses as deep as a model is nested.
const STACK: usize = 64 << 20;
/// What the operating system says of a program that panicked.
const PANICKED: u8 = 101;

fn main() -> ExitCode {
    say_defects_in_a_line();
    limits::give_back_what_is_freed();
    let Arguments { color, command } = Arguments::try_parse().unwrap_or_else(|wrong| refuse(&wrong));
    terminal::choose(color);
    let code = match command.time().and_then(|time| Some((time, time.end()?))) {
        Some((time, end)) => run_within(Arc::new(command), time, end),
        None => command.run(),
    };
    // What nobody can read is no success.
    ExitCode::from(if files::is_lost() { exit::ERROR } else { code })
}

/// Says what is wrong with the command line, no wider than the terminal; or the help that was asked for.
fn refuse(wrong: &clap::Error) -> ! {
    if !wrong.use_stderr() {
        wrong.exit();
    }
    let text = wrong.render();
    match terminal::colour_of_errors() {
        Colour::Styled => complain!("{}", text.ansi()),
        Colour::Plain => complain!("{text}"),
    }
    std::process::exit(wrong.exit_code())
}

/// Runs a command that has limits. Those that search and prove end by themselves with what they know; reading is stopped when
/// the time or the memory is over; whatever listens to nobody is left to itself, and ends with the program.
fn run_within(command: Arc<Command>, time: TimeLimit, end: Instant) -> u8 {
    let (sender, receiver) = channel();
    let worker = Arc::clone(&command);
    let memory = command.memory();
    let is_over = move || Instant::now() >= end || limits::memory_is_over(memory);
    let started = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let _ = sender.send(interrupt::until(is_over, || worker.run()));
    });
    if started.is_err() {
        return command.run();
    }
    match receiver.recv_timeout((end + LAST_WORDS).saturating_duration_since(Instant::now())) {
        Ok(Ok(code)) => code,
        Err(RecvTimeoutError::Disconnected) => PANICKED,
        // What is known is said to its end, and the page that was asked for is written.
        Err(RecvTimeoutError::Timeout) if limits::only_words_are_left() => match receiver.recv() {
            Ok(Ok(code)) => code,
            Ok(Err(Interrupted)) | Err(_) => PANICKED,
        },
        Ok(Err(Interrupted)) | Err(RecvTimeoutError::Timeout) => {
            let why = match memory {
                Some(bytes) if Instant::now() < end => {
                    format!("the memory limit of {} was reached", verify::bytes(bytes as u64))
                }
                _ => time.to_string(),
            };
            command.give_up(&why);
            exit::UNKNOWN
        }
    }
}

impl Command {
    fn run(&self) -> u8 {
        match self {
            Command::Check(arguments) => commands::check::run(arguments),
            Command::Search(arguments) => commands::search::run(arguments),
            Command::Cluster(arguments) => commands::cluster::run(arguments),
            Command::Bounds(arguments) => commands::bounds::run(arguments),
            Command::Progress(arguments) => commands::progress::run(arguments),
            Command::Ltl(arguments) => commands::ltl::run(arguments),
            Command::Replay(arguments) => commands::replay::run(arguments),
            Command::Certify(arguments) => commands::certify::run(arguments),
            Command::Simulate(arguments) => commands::simulate::run(arguments),
            Command::Graph(arguments) => commands::graph::run(arguments),
            Command::Cycles(arguments) => commands::cycles::run_cycles(arguments),
            Command::Deps(arguments) => commands::cycles::run_deps(arguments),
            Command::Explain(arguments) => commands::explain::run(arguments),
            Command::Lsp(_) => commands::lsp::run(),
            Command::Dap(_) => commands::dap::run(),
            Command::Play(arguments) => commands::play::run(arguments),
            Command::Completions(arguments) => commands::completions::run(arguments, Arguments::command()),
            Command::Man(arguments) => commands::man::run(arguments, Arguments::command()),
        }
    }

    /// The time that the whole command may take; of several models each has its own.
    fn time(&self) -> Option<TimeLimit> {
        match self {
            Command::Check(arguments) => arguments.one_model().map(|_| arguments.limits.time),
            Command::Search(arguments) => Some(arguments.limits.time),
            // What was found until then is committed by all, and that may take a while.
            Command::Cluster(_) => None,
            Command::Bounds(arguments) => Some(arguments.limits.time),
            Command::Progress(arguments) => Some(arguments.limits.time),
            Command::Ltl(arguments) => Some(arguments.limits.time),
            Command::Replay(arguments) => Some(arguments.time.time),
            Command::Certify(arguments) => Some(arguments.time.time),
            Command::Simulate(arguments) => Some(arguments.time.time),
            Command::Graph(arguments) => Some(arguments.time.time),
            Command::Cycles(arguments) => Some(arguments.shared.time.time),
            Command::Deps(arguments) => Some(arguments.shared.time.time),
            Command::Explain(_)
            | Command::Lsp(_)
            | Command::Dap(_)
            | Command::Play(_)
            | Command::Completions(_)
            | Command::Man(_) => None,
        }
    }

    /// The memory that the program may take.
    fn memory(&self) -> Option<usize> {
        match self {
            Command::Check(arguments) => arguments.limits.memory(),
            Command::Search(arguments) => arguments.limits.memory(),
            Command::Cluster(arguments) => arguments.limits.memory(),
            Command::Bounds(arguments) => arguments.limits.memory(),
            Command::Progress(arguments) => arguments.limits.memory(),
            Command::Ltl(arguments) => arguments.limits.memory(),
            _ => None,
        }
    }

    /// Says, in the form that was asked for, that there was not enough time or memory.
    fn give_up(&self, why: &str) {
        let (model, output) = match self {
            Command::Check(arguments) => (arguments.one_model(), Some(&arguments.output)),
            Command::Search(arguments) => (Some(&*arguments.model.model), Some(&arguments.output)),
            Command::Cluster(arguments) => (Some(&*arguments.model.model), Some(&arguments.output)),
            Command::Bounds(arguments) => (Some(&*arguments.model.model), Some(&arguments.output)),
            Command::Progress(arguments) => (Some(&*arguments.model.model), Some(&arguments.output)),
            Command::Ltl(arguments) => (Some(&*arguments.model.model), Some(&arguments.output)),
            Command::Replay(arguments) => (arguments.model.as_deref(), None),
            Command::Certify(arguments) => (Some(&*arguments.model.model), None),
            Command::Simulate(arguments) => (Some(&*arguments.model.model), None),
            Command::Graph(arguments) => (Some(&*arguments.model.model), None),
            Command::Cycles(arguments) => (Some(&*arguments.model.model), None),
            Command::Deps(arguments) => (Some(&*arguments.model.model), None),
            Command::Explain(_)
            | Command::Lsp(_)
            | Command::Dap(_)
            | Command::Play(_)
            | Command::Completions(_)
            | Command::Man(_) => (None, None),
        };
        let model = model.map_or_else(String::new, |path| path.display().to_string());
        match output {
            Some(output) => ask::give_up(output.format, &model, why),
            None => complain_line!("{model}: UNKNOWN: {why}"),
        }
    }
}
