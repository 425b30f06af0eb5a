//! `plimsoll bounds MODEL`

use crate::ask::{self, OutputArguments};
use crate::input::ModelArguments;
use crate::limits::LimitArguments;
use certificate::verdict::Capacities;
use clap::{Args, ValueEnum};
use proofs::cycles::Question;
use std::path::PathBuf;
use verify::{CheckOptions, Questions};

/// How full can the buffers get?
///
/// Proves, for every capacity and without looking at interleavings, that each buffer is bounded, and by how much; or finds a run that can
/// fill one for ever.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll bounds models/client-server.pml\n  \
    plimsoll bounds models/client-server.pml --certificate bounds.json\n  \
    plimsoll certify bounds.json models/client-server.pml")]
pub struct Arguments {
    #[command(flatten)]
    pub model: ModelArguments,

    #[command(flatten)]
    proof: ProofArguments,

    #[command(flatten)]
    pub limits: LimitArguments,

    #[command(flatten)]
    pub output: OutputArguments,
}

/// How a static question is answered.
#[derive(Args, Debug)]
pub struct ProofArguments {
    /// For which capacities
    #[arg(long, value_enum, default_value_t = CapacityChoice::Any)]
    pub capacity: CapacityChoice,

    /// By which route: potentials with a certificate, or the papers' programs over elementary cycles (without one)
    #[arg(long, value_enum, default_value_t = Route::Potentials)]
    pub by: Route,

    /// Write the certificate here, for `plimsoll certify`
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
}

/// By which route a question is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Route {
    /// Potentials, search and refinement; what is proved has a certificate
    Potentials,
    /// The papers' check over elementary cycles and their dependencies
    Cycles,
}

/// For which capacities.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum CapacityChoice {
    /// Whatever they are
    Any,
    /// Those that the model declares
    Declared,
}

impl From<CapacityChoice> for Capacities {
    fn from(choice: CapacityChoice) -> Capacities {
        match choice {
            CapacityChoice::Any => Capacities::Any,
            CapacityChoice::Declared => Capacities::Declared,
        }
    }
}

pub fn run(arguments: &Arguments) -> u8 {
    if arguments.proof.by == Route::Cycles {
        let (time, format) = (arguments.limits.time, arguments.output.format);
        return super::cycles::by_cycles(&arguments.model, Question::Boundedness, time, format);
    }
    let questions = Questions { buffers: true, ..Questions::none() };
    let proof_capacities = arguments.proof.capacity.into();
    let mut options = CheckOptions { questions, proof_capacities, ..CheckOptions::default() };
    arguments.limits.apply(&mut options);
    ask::about_one_model_with_certificate(
        &arguments.model,
        &options,
        &arguments.output,
        arguments.proof.certificate.as_deref(),
    )
}
