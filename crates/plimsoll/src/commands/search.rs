//! `plimsoll search MODEL`

use crate::ask::{self, OutputArguments};
use crate::input::ModelArguments;
use crate::limits::{DiskArguments, LimitArguments};
use clap::Args;
use search::{BitState, Engine, ErrorPolicy};
use system::capacities::{Capacities, CapacityReading};
use verify::{CheckOptions, Coverage, Questions};

/// Search the states: deadlocks, assertions, runtime errors, event traces
///
/// Visits every reachable state, as SPIN's verifier does, and without a C compiler. Whatever cuts the search short makes the answers
/// UNKNOWN, never a success.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll search models/perf-philosophers.pml --shortest --trace deadlock.json\n  \
    plimsoll search models/perf-peterson.pml -DN=4 --full --threads 2\n  \
    plimsoll search models/conway.pml --capacity unbounded  (if it ends: bounded)\n  \
    plimsoll search models/perf-token-ring.pml --bitstate=64M  (in little memory)\n\n\
    With SPIN: --full is `spin -o3 -a` and `-DNOREDUCE`; --all is `-c0`; --shortest is `-i` on `-DREACH`; \
    --bitstate is `-DBITSTATE`, SIZE its `-w`, --hashes its `-k`.")]
pub struct Arguments {
    #[command(flatten)]
    pub model: ModelArguments,

    /// Every statement a step and every state visited: exactly SPIN's full graph; all errors are counted
    #[arg(long)]
    full: bool,

    /// The error that is reached with the fewest steps
    #[arg(long, conflicts_with = "all")]
    shortest: bool,

    /// Go on after errors: count all, grouped by cause
    #[arg(long)]
    all: bool,

    /// Keep a few bits for each state instead of the state: finds errors where memory is short, but states are left out, so that
    /// what is not VIOLATED stays UNKNOWN. SIZE is for the bits (256M by default); --memory also limits how deep it goes
    #[arg(long, value_name = "SIZE", num_args = 0..=1, require_equals = true, default_missing_value = "256M",
          value_parser = crate::limits::parse_memory, conflicts_with = "shortest")]
    bitstate: Option<usize>,

    /// Bits for each state of a bit-state search, from 1 to 7
    #[arg(long, value_name = "K", default_value_t = 3, requires = "bitstate",
          value_parser = clap::value_parser!(u32).range(1..=7))]
    hashes: u32,

    #[command(flatten)]
    errors: ErrorArguments,

    #[command(flatten)]
    pub limits: LimitArguments,

    #[command(flatten)]
    disk: DiskArguments,

    #[command(flatten)]
    pub output: OutputArguments,
}

/// Which errors a search looks for, and with how much room in the buffers.
#[derive(Args, Clone, Debug)]
pub struct ErrorArguments {
    /// How many messages fit into a buffer: `declared`, `unbounded`, or a number
    #[arg(long, value_name = "SIZE", default_value = "declared", value_parser = parse_capacity)]
    pub capacity: Capacities,

    /// Do not look for deadlocks (invalid end states)
    #[arg(long)]
    pub no_deadlock: bool,

    /// Do not look at assertions
    #[arg(long)]
    pub no_assertions: bool,
}

impl ErrorArguments {
    /// What is asked.
    pub fn options(&self) -> CheckOptions {
        let questions = Questions {
            deadlock: !self.no_deadlock,
            assertions: !self.no_assertions,
            event_trace: true,
            ..Questions::none()
        };
        CheckOptions { questions, capacities: self.capacity, ..CheckOptions::default() }
    }
}

pub fn run(arguments: &Arguments) -> u8 {
    let mut options = arguments.errors.options();
    arguments.limits.apply(&mut options);
    arguments.disk.apply(&mut options);
    // How full buffers get is known only if nothing is left out.
    let everything = arguments.full || arguments.errors.capacity == Capacities::Unbounded;
    options.search.coverage = if everything { Coverage::Full } else { Coverage::Reduced };
    if let Some(bytes) = arguments.bitstate {
        options.search.engine = Engine::BitState(BitState { bytes, bits_per_state: arguments.hashes });
    }
    options.search.errors = match (arguments.shortest, arguments.all || arguments.full) {
        (true, _) => ErrorPolicy::Shortest,
        (false, true) => ErrorPolicy::All,
        (false, false) => ErrorPolicy::First,
    };
    ask::about_one_model(&arguments.model, &options, &arguments.output)
}

/// Reads how many messages fit into a buffer.
fn parse_capacity(text: &str) -> Result<Capacities, String> {
    let none = || format!("`{text}` is none of declared, unbounded, or a number");
    text.parse::<CapacityReading>()?.of_runs().ok_or_else(none)
}
