//! `plimsoll ltl MODEL`

use crate::ask::{self, OutputArguments};
use crate::files;
use crate::input::{self, Loaded, ModelArguments};
use crate::limits::LimitArguments;
use certificate::verdict::Fairness;
use clap::{Args, ValueEnum};
use omega::{PropositionTable, TranslationLimits, translate_negation};
use promela::model::ProctypeId;
use promela::print::{expr_text, formula_text};
use promela::suggest::closest;
use report::trace_file::AddedText;
use search::fair::{Counters, Numbers, ProcessNumber, Property};
use std::path::PathBuf;
use system::automaton::System;
use verify::{CapacityReading, CheckOptions, FormulaChoice, Questions};

/// Does every run satisfy the model's formulas?
///
/// Checks the `ltl` blocks of a model: for every run, or only for fair ones. Weak fairness: a process that can move for ever moves again and
/// again. Strong fairness: a process that can move again and again moves again and again.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll ltl models/fair-readers-writers.pml\n  \
    plimsoll ltl models/fair-readers-writers.pml \\\n    \
    \x20 --formula reading_again_and_again --fair strong\n  \
    plimsoll ltl models/fair-leader-election.pml --fair weak --processes 'Node=*'\n  \
    plimsoll ltl models/client-server.pml \\\n    \
    \x20 --formula '[] (len(tc[0]) == 1 -> <> (len(tc[0]) == 0))'\n  \
    plimsoll ltl models/client-server.pml --capacity any \\\n    \
    \x20 --formula '[] (len(tc[0]) <= 1)'\n  \
    plimsoll ltl models/fair-readers-writers.pml \\\n    \
    \x20 --formula exclusion --automaton hoa\n\n\
    With SPIN: `./pan -a` is this without fairness, `./pan -a -f` with weak fairness.")]
pub struct Arguments {
    #[command(flatten)]
    pub model: ModelArguments,

    /// Only this formula: the name of an `ltl` block, or a formula such as '[] (n > 0 -> <> P@done)'; may be given several times
    #[arg(long, value_name = "NAME|FORMULA")]
    formula: Vec<String>,

    /// An automaton that no run may be accepted by: a file with a never claim, or in the HOA format
    #[arg(long, value_name = "FILE")]
    claim: Option<PathBuf>,

    /// How large buffers are: `declared`, `unbounded`, a number for all of them, or `any` for whatever they are
    #[arg(long, value_name = "SIZE", default_value = "declared")]
    capacity: CapacityReading,

    /// Write the certificates of what is proved for any capacity here, for `plimsoll certify`
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,

    /// Which runs count
    #[arg(long, value_enum, default_value_t = FairnessChoice::None)]
    fair: FairnessChoice,

    /// Whether processes that nothing tells apart are counted instead of named
    #[arg(long, value_enum, default_value_t = CounterChoice::Auto)]
    counters: CounterChoice,

    /// Another number of processes than `active [N]` says: `P=7`, or `P=*` for any number
    #[arg(long, value_name = "PROCTYPE=N|*", value_parser = parse_processes)]
    processes: Vec<(String, Numbers)>,

    /// For any number: how many processes in one local state are counted exactly, at most; begins with 1 and is raised as long as there is no answer
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=64))]
    cutoff: u32,

    /// Do not check anything: print the automaton of the runs that violate each formula
    #[arg(long, value_name = "FORM", value_enum)]
    automaton: Option<AutomatonForm>,

    #[command(flatten)]
    pub limits: LimitArguments,

    #[command(flatten)]
    pub output: OutputArguments,
}

/// Which runs count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FairnessChoice {
    /// All
    None,
    /// Those in which a process that can move for ever moves again and again
    Weak,
    /// Those in which a process that can move again and again moves again and again
    Strong,
}

impl From<FairnessChoice> for Fairness {
    fn from(choice: FairnessChoice) -> Fairness {
        match choice {
            FairnessChoice::None => Fairness::None,
            FairnessChoice::Weak => Fairness::Weak,
            FairnessChoice::Strong => Fairness::Strong,
        }
    }
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

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum AutomatonForm {
    /// The Hanoi Omega-Automata format
    Hoa,
    /// A never claim, as `spin -f` writes it
    Never,
}

pub fn run(arguments: &Arguments) -> u8 {
    match asked(arguments) {
        Ok((loaded, added)) => answer(arguments, &loaded, &added),
        Err(Refusal::Said(code)) => code,
        Err(Refusal::Because(message)) => {
            complain_line!("error: {message}");
            crate::exit::ERROR
        }
    }
}

/// Why nothing is asked.
enum Refusal {
    /// It was said already.
    Said(u8),
    /// For this reason.
    Because(String),
}

/// The model with what the command line adds to it; the names in the options are names of the model.
fn asked(arguments: &Arguments) -> Result<(Loaded, Vec<AddedText>), Refusal> {
    let mut additions = Vec::new();
    for (number, text) in written_formulas(arguments) {
        let text = format!("ltl {} {{ {text} }}", written_name(number));
        additions.push(AddedText { name: "--formula".to_string(), text });
    }
    if let Some(path) = &arguments.claim {
        let text = input::read_text(path).map_err(Refusal::Because)?;
        let name = path.display().to_string();
        let text = claim_text(&text).map_err(|message| Refusal::Because(format!("{name}: {message}")))?;
        additions.push(AddedText { name, text });
    }
    if arguments.certificate.is_some() && !additions.is_empty() {
        let what =
            "a certificate is about what the model says: write the formula into it, as `ltl name { … }`";
        return Err(Refusal::Because(what.to_string()));
    }
    let loaded = input::load_with(&arguments.model, &additions).map_err(Refusal::Said)?;
    let system = &loaded.system;
    let names: Vec<&str> = system.model.formula_names().collect();
    if names.is_empty() && !asks_for_acceptance(system) {
        let what = "the model has no formula, no never claim and no accept label: write `ltl name { … }`, or give --formula '…'";
        return Err(Refusal::Because(what.to_string()));
    }
    let wanted = arguments.formula.iter().filter(|formula| is_name(formula));
    if let Some(name) = wanted.into_iter().find(|name| !names.contains(&name.as_str())) {
        let written = |known: &&str| !known.starts_with(WRITTEN);
        let names: Vec<&str> = names.into_iter().filter(written).collect();
        return Err(Refusal::Because(unknown("formula", name, &names)));
    }
    let proctypes: Vec<&str> = system.model.proctypes.iter().map(|proctype| proctype.name.as_str()).collect();
    match arguments.processes.iter().find(|(name, _)| !proctypes.contains(&name.as_str())) {
        Some((name, _)) => Err(Refusal::Because(unknown("proctype", name, &proctypes))),
        None => Ok((loaded, additions)),
    }
}

/// Whether the model has a never claim, or `accept…` labels of processes.
fn asks_for_acceptance(system: &System) -> bool {
    let labelled =
        system.process_automata().any(|(_, automaton)| automaton.locations.iter().any(|l| l.accept));
    labelled || !system.model.claims.is_empty()
}

fn answer(arguments: &Arguments, loaded: &Loaded, added: &[AddedText]) -> u8 {
    let system = &loaded.system;
    let wanted: Vec<String> = arguments
        .formula
        .iter()
        .enumerate()
        .map(|(number, formula)| if is_name(formula) { formula.clone() } else { written_name(number) })
        .collect();
    let formulas = match (wanted.is_empty(), &arguments.claim) {
        (true, None) => FormulaChoice::All,
        (true, Some(_)) => FormulaChoice::None,
        (false, _) => FormulaChoice::Named(wanted),
    };
    if let Some(form) = arguments.automaton {
        return print_automata(system, &formulas, form);
    }
    let claims = asks_for_acceptance(system) && (arguments.formula.is_empty() || arguments.claim.is_some());
    let mut options = CheckOptions {
        questions: Questions { formulas, claims, ..Questions::none() },
        cutoff: arguments.cutoff,
        formula_capacities: arguments.capacity,
        fairness: arguments.fair.into(),
        counters: match arguments.counters {
            CounterChoice::Auto => Counters::Auto,
            CounterChoice::On => Counters::On,
            CounterChoice::Off => Counters::Off,
        },
        ..CheckOptions::default()
    };
    arguments.limits.apply(&mut options);
    for (name, number) in &arguments.processes {
        let position = system.model.proctypes.iter().position(|proctype| proctype.name == *name);
        options.processes.extend(
            position.map(|index| ProcessNumber { proctype: ProctypeId(index as u32), number: *number }),
        );
    }
    let subject = ask::Subject { model: &arguments.model, loaded, added };
    // Whoever asks for a certificate waits for it.
    options.thorough |= arguments.certificate.is_some();
    ask::about_system(&subject, &options, &arguments.output, arguments.certificate.as_deref())
}

/// How formulas that are written on the command line are called.
const WRITTEN: &str = "formula_";

fn written_name(number: usize) -> String {
    format!("{WRITTEN}{}", number + 1)
}

/// The formulas that are no names, with their positions.
fn written_formulas(arguments: &Arguments) -> impl Iterator<Item = (usize, &String)> {
    arguments.formula.iter().enumerate().filter(|(_, formula)| !is_name(formula))
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// What to say of a name that does not exist.
fn unknown(what: &str, name: &str, names: &[&str]) -> String {
    let there = if names.is_empty() {
        "there is none".to_string()
    } else {
        format!("there are {}", names.join(", "))
    };
    let there = if names.len() == 1 { format!("there is {}", names[0]) } else { there };
    match closest(name, names.iter().copied()) {
        Some(meant) => format!("there is no {what} `{name}`: did you mean `{meant}`? {there}"),
        None => format!("there is no {what} `{name}`; {there}"),
    }
}

/// A never claim as it is, an automaton in the HOA format as one.
fn claim_text(text: &str) -> Result<String, String> {
    if !text.trim_start().starts_with("HOA:") {
        return Ok(text.to_string());
    }
    let mut propositions = PropositionTable::new();
    let automaton = omega::read_hoa(text, &mut propositions).map_err(|error| {
        let before = &text.as_bytes()[..error.offset.min(text.len())];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        format!("line {line}: {error}")
    })?;
    let plain = omega::degeneralise(&automaton);
    omega::write_never_claim(&plain, &propositions, "from HOA")
        .ok_or_else(|| "this automaton has no never claim".to_string())
}

/// The automaton of the runs that violate each formula, in a form that other tools read.
fn print_automata(system: &System, formulas: &FormulaChoice, form: AutomatonForm) -> u8 {
    let wanted = |name: &String| match formulas {
        FormulaChoice::All => true,
        FormulaChoice::None => false,
        FormulaChoice::Named(names) => names.contains(name),
    };
    for formula in system.model.formulas.iter().filter(|formula| wanted(&formula.name)) {
        let property = Property::new(&formula.formula);
        let mut names = PropositionTable::new();
        for proposition in &property.propositions {
            // Each its own name, even if two of them read the same.
            let mut text = expr_text(&system.model, &[], proposition);
            while names.get(&text).is_some() {
                text = format!("({text})");
            }
            names.intern(&text);
        }
        let automaton = match translate_negation(&property.formula, TranslationLimits::default()) {
            Ok(automaton) => automaton,
            Err(error) => {
                complain_line!("error: {}: {error}", formula.name);
                return crate::exit::ERROR;
            }
        };
        let title = format!("!({})", formula_text(&system.model, &formula.formula));
        let text = match form {
            AutomatonForm::Hoa => Some(omega::write_hoa(&automaton, &names, &title)),
            AutomatonForm::Never => {
                omega::write_never_claim(&omega::degeneralise(&automaton), &names, &title)
            }
        };
        let Some(text) = text else {
            complain_line!("error: {}: this automaton has no never claim", formula.name);
            return crate::exit::ERROR;
        };
        files::print(&text);
    }
    crate::exit::PROVED
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
