//! `plimsoll progress MODEL`

use super::bounds::{ProofArguments, Route};
use super::ltl::FairnessChoice;
use crate::ask::{self, OutputArguments};
use crate::input::ModelArguments;
use crate::limits::LimitArguments;
use certificate::verdict::ProgressReading;
use clap::{Args, ValueEnum};
use proofs::cycles::Question;
use system::progress::{ProgressAt, ProgressPlace};
use verify::{CheckOptions, Questions};

/// Does the system keep making progress?
///
/// Proves that every run that goes on for ever makes progress again and again, or finds one that does not. Progress is what stands at a
/// label that begins with `progress`, or what --progress-at names.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll progress models/client-server-progress.pml --trace livelock.json\n  \
    plimsoll progress models/dependencies-figure-1.pml --certificate progress.json\n  \
    plimsoll progress models/client-server-progress.pml --fair weak\n  \
    plimsoll progress models/client-server.pml --progress-at 32  (on line 32)\n\n\
    With SPIN: `--progress state` is the reading of `-DNP` and `./pan -l`, and with `--fair weak` that of `./pan -l -f`.")]
pub struct Arguments {
    #[command(flatten)]
    pub model: ModelArguments,

    /// Progress is here and nowhere else: a label or a line; may be given several times
    #[arg(long, value_name = "LABEL|LINE", conflicts_with = "by")]
    progress_at: Vec<String>,

    /// What counts as progress
    #[arg(long, value_enum, default_value_t = ReadingChoice::Transition)]
    progress: ReadingChoice,

    /// Which runs count
    #[arg(long, value_enum, default_value_t = FairnessChoice::None)]
    fair: FairnessChoice,

    #[command(flatten)]
    proof: ProofArguments,

    #[command(flatten)]
    pub limits: LimitArguments,

    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ReadingChoice {
    /// A labelled statement is executed
    Transition,
    /// A process stands at a label (SPIN's reading)
    State,
}

pub fn run(arguments: &Arguments) -> u8 {
    if arguments.proof.by == Route::Cycles {
        let (time, format) = (arguments.limits.time, arguments.output.format);
        return super::cycles::by_cycles(&arguments.model, Question::Livelock, time, format);
    }
    let progress_at = match arguments.progress_at.is_empty() {
        true => ProgressAt::Labels,
        false => ProgressAt::Places(arguments.progress_at.iter().map(|text| place(text)).collect()),
    };
    let progress = match arguments.progress {
        ReadingChoice::Transition => ProgressReading::Transition,
        ReadingChoice::State => ProgressReading::State,
    };
    let mut options = CheckOptions {
        questions: Questions { progress: true, ..Questions::none() },
        proof_capacities: arguments.proof.capacity.into(),
        fairness: arguments.fair.into(),
        progress,
        progress_at,
        ..CheckOptions::default()
    };
    arguments.limits.apply(&mut options);
    let certificate = arguments.proof.certificate.as_deref();
    ask::about_one_model_with_certificate(&arguments.model, &options, &arguments.output, certificate)
}

fn place(text: &str) -> ProgressPlace {
    text.parse().map_or_else(|_| ProgressPlace::Label(text.to_string()), ProgressPlace::Line)
}
