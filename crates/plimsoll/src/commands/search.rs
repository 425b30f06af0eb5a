//! `plimsoll search MODEL`

use crate::ask::{self, OutputArguments};
use crate::input::ModelArguments;
use crate::limits::LimitArguments;
use clap::Args;
use search::ErrorPolicy;
use system::interpreter::Capacities;
use verify::{CheckOptions, Coverage, Questions};

/// Search the states: deadlocks, assertions, runtime errors, event traces
///
/// Visits every reachable state, as SPIN's verifier does, and without a C compiler. Whatever cuts the search short makes the answers
/// UNKNOWN, never a success.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll search models/perf-philosophers.pml --shortest --trace deadlock.json\n  \
    plimsoll search models/perf-peterson.pml -DN=4 --full --threads 2\n  \
    plimsoll search models/conway.pml --capacity unbounded     (a finite graph proves that the buffers are bounded)\n\n\
    With SPIN: --full is `spin -o3 -a` and `-DNOREDUCE`; --all is `-c0`; --shortest is `-i` on `-DREACH`.")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,

    /// Every statement a step and every state visited: exactly SPIN's full graph; all errors are counted
    #[arg(long)]
    full: bool,

    /// How many messages fit into a buffer: `declared`, `unbounded`, or a number
    #[arg(long, value_name = "SIZE", default_value = "declared", value_parser = parse_capacity)]
    capacity: Capacities,

    /// The error that is reached with the fewest steps
    #[arg(long, conflicts_with = "all")]
    shortest: bool,

    /// Go on after errors: count all, grouped by cause
    #[arg(long)]
    all: bool,

    /// Do not look for deadlocks (invalid end states)
    #[arg(long)]
    no_deadlock: bool,

    /// Do not look at assertions
    #[arg(long)]
    no_assertions: bool,

    #[command(flatten)]
    limits: LimitArguments,

    #[command(flatten)]
    output: OutputArguments,
}

pub fn run(arguments: &Arguments) -> u8 {
    let questions = Questions {
        deadlock: !arguments.no_deadlock,
        assertions: !arguments.no_assertions,
        event_trace: true,
        ..Questions::none()
    };
    let mut options = CheckOptions { questions, capacities: arguments.capacity, ..CheckOptions::default() };
    arguments.limits.apply(&mut options);
    // How full buffers get is known only if nothing is left out.
    let everything = arguments.full || arguments.capacity == Capacities::Unbounded;
    options.search.coverage = if everything { Coverage::Full } else { Coverage::Reduced };
    options.search.errors = match (arguments.shortest, arguments.all || arguments.full) {
        (true, _) => ErrorPolicy::Shortest,
        (false, true) => ErrorPolicy::All,
        (false, false) => ErrorPolicy::First,
    };
    ask::about_one_model(&arguments.model, &options, &arguments.output)
}

fn parse_capacity(text: &str) -> Result<Capacities, String> {
    match text {
        "declared" => Ok(Capacities::Declared),
        "unbounded" => Ok(Capacities::Unbounded),
        number => match number.parse() {
            Ok(0) => Err("a buffer of no capacity would be a rendezvous".to_string()),
            Ok(size) => Ok(Capacities::Fixed(size)),
            Err(_) => Err(format!("`{number}` is none of declared, unbounded, or a number")),
        },
    }
}
