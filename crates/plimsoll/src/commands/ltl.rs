//! `plimsoll ltl MODEL`

use crate::ask::{self, OutputArguments};
use crate::input::{self, ModelArguments};
use crate::limits::LimitArguments;
use certificate::verdict::Fairness;
use clap::{Args, ValueEnum};
use promela::model::ProctypeId;
use search::fair::{Counters, Numbers, ProcessNumber};
use verify::{CheckOptions, FormulaChoice, Questions};

/// Does every run satisfy the model's formulas?
///
/// Checks the `ltl` blocks of a model: for every run, or only for fair ones. Weak fairness: a process that can move for ever moves again and
/// again. Strong fairness: a process that can move again and again moves again and again.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll ltl models/fair-readers-writers.pml\n  \
    plimsoll ltl models/fair-readers-writers.pml --formula reading_again_and_again --fair strong\n  \
    plimsoll ltl models/fair-leader-election.pml --fair weak --processes 'Node=*'     (for any number)\n\n\
    With SPIN: `./pan -a` is this without fairness, `./pan -a -f` with weak fairness.")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,

    /// Only the formula with this name
    #[arg(long, value_name = "NAME")]
    formula: Option<String>,

    /// Which runs count
    #[arg(long, value_enum, default_value_t = FairnessChoice::None)]
    fair: FairnessChoice,

    /// Whether processes that nothing tells apart are counted instead of named
    #[arg(long, value_enum, default_value_t = CounterChoice::Auto)]
    counters: CounterChoice,

    /// Another number of processes than `active [N]` says: `P=7`, or `P=*` for any number
    #[arg(long, value_name = "PROCTYPE=N|*", value_parser = parse_processes)]
    processes: Vec<(String, Numbers)>,

    #[command(flatten)]
    limits: LimitArguments,

    #[command(flatten)]
    output: OutputArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum FairnessChoice {
    /// All
    None,
    /// Those in which a process that can move for ever moves again and again
    Weak,
    /// Those in which a process that can move again and again moves again and again
    Strong,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum CounterChoice {
    /// Where it is exact and there is something to count
    Auto,
    /// Always
    On,
    /// Never
    Off,
}

pub fn run(arguments: &Arguments) -> u8 {
    let formulas = arguments.formula.clone().map_or(FormulaChoice::All, FormulaChoice::Named);
    let mut options = CheckOptions {
        questions: Questions { formulas, ..Questions::none() },
        fairness: match arguments.fair {
            FairnessChoice::None => Fairness::None,
            FairnessChoice::Weak => Fairness::Weak,
            FairnessChoice::Strong => Fairness::Strong,
        },
        counters: match arguments.counters {
            CounterChoice::Auto => Counters::Auto,
            CounterChoice::On => Counters::On,
            CounterChoice::Off => Counters::Off,
        },
        ..CheckOptions::default()
    };
    arguments.limits.apply(&mut options);
    let system = match input::load(&arguments.model) {
        Ok(system) => system,
        Err(code) => return code,
    };
    let names: Vec<&str> = system.model.formulas.iter().map(|formula| formula.name.as_str()).collect();
    let wrong = match &arguments.formula {
        _ if names.is_empty() => Some("the model has no formula: write `ltl name { … }`".to_string()),
        Some(name) if !names.contains(&name.as_str()) => {
            Some(format!("there is no formula `{name}`; there are {}", names.join(", ")))
        }
        _ => None,
    };
    let wrong = wrong.or_else(|| {
        let known = |name: &String| system.model.proctypes.iter().any(|proctype| proctype.name == *name);
        let unknown = arguments.processes.iter().map(|(name, _)| name).find(|name| !known(name))?;
        Some(format!("there is no proctype `{unknown}`"))
    });
    for (name, number) in &arguments.processes {
        let position = system.model.proctypes.iter().position(|proctype| proctype.name == *name);
        options.processes.extend(
            position.map(|index| ProcessNumber { proctype: ProctypeId(index as u32), number: *number }),
        );
    }
    if let Some(message) = wrong {
        complain_line!("error: {message}");
        return crate::exit::ERROR;
    }
    ask::about_system(&arguments.model.model, &system, &options, &arguments.output, None)
}

fn parse_processes(text: &str) -> Result<(String, Numbers), String> {
    let wrong = || format!("`{text}` is not of the form P=7 or P=*");
    let (name, number) = text.split_once('=').ok_or_else(wrong)?;
    let number = match number {
        "*" => Numbers::Any,
        number => Numbers::Exactly(number.parse().map_err(|_| wrong())?),
    };
    Ok((name.to_string(), number))
}
