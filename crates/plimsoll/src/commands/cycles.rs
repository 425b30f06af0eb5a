//! `plimsoll cycles MODEL` and `plimsoll deps MODEL`: the control-flow cycles that a system lives from, and how they depend on each other.

use crate::ask;
use crate::files;
use crate::input::{self, ModelArguments};
use crate::limits::{TimeArguments, TimeLimit};
use crate::loops;
use clap::Args;
use proofs::cycles::{
    Catalogue, Cause, CheckLimits, Completeness, Counts, CycleId, CycleLimits, CycleVerdict, Dependency,
    Question, RouteReport, Strategy, WorldValues, check, dependencies,
};
use report::boxes::svg;
use report::json;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use system::automaton::System;
use system::progress::{ProgressAt, ProgressStatements};
use verify::counted;

/// List the elementary cycles of every process and what a round of each does to the buffers
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  plimsoll cycles models/client-server.pml\n  \
    plimsoll cycles models/conway.pml --stats      (the counts of the papers' tables)")]
pub struct CyclesArguments {
    #[command(flatten)]
    pub model: ModelArguments,

    #[command(flatten)]
    pub shared: Shared,
}

/// Show which cycle can go on only if which others do
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  plimsoll deps models/dependencies-figure-1.pml\n  \
    plimsoll deps models/conway.pml --strategy pc --format dot | dot -Tsvg > deps.svg")]
pub struct DepsArguments {
    #[command(flatten)]
    pub model: ModelArguments,

    #[command(flatten)]
    pub shared: Shared,

    /// How cycles that make a condition true again are looked for
    #[arg(long, value_enum, default_value_t = StrategyName::Improved)]
    strategy: StrategyName,
}

#[derive(Args, Debug)]
pub struct Shared {
    #[command(flatten)]
    pub time: TimeArguments,

    /// Give up beyond so many cycles
    #[arg(long, default_value_t = 20_000)]
    max_cycles: usize,

    /// Print only the counts of the papers' tables
    #[arg(long)]
    stats: bool,

    /// How to show it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For machines
    Json,
    /// For Graphviz
    Dot,
    /// A picture
    Svg,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum StrategyName {
    /// Every cycle that modifies a variable of the condition
    Mc,
    /// Next door
    Nd,
    /// Preemptive cycles
    Pc,
    /// Preemptive cycles that do not share the code of the cycle itself
    Improved,
}

/// Runs `plimsoll cycles`.
pub fn run_cycles(arguments: &CyclesArguments) -> u8 {
    with_catalogue(&arguments.model, &arguments.shared, |catalogue, values| {
        if arguments.shared.stats {
            return stats(catalogue, values);
        }
        match arguments.shared.format {
            Format::Text => cycles_as_text(catalogue),
            Format::Json => format!("{:#}\n", cycles_as_json(catalogue)),
            Format::Dot => deps_as_dot(catalogue, &[]),
            Format::Svg => svg(&loops::columns(catalogue), &[]),
        }
    })
}

/// Runs `plimsoll deps`.
pub fn run_deps(arguments: &DepsArguments) -> u8 {
    with_catalogue(&arguments.model, &arguments.shared, |catalogue, values| {
        if arguments.shared.stats {
            return stats(catalogue, values);
        }
        let strategy = match arguments.strategy {
            StrategyName::Mc => Strategy::Modifying,
            StrategyName::Nd => Strategy::NextDoor,
            StrategyName::Pc => Strategy::Preemptive,
            StrategyName::Improved => Strategy::Improved,
        };
        let found = dependencies(catalogue, values, &[strategy]);
        match arguments.shared.format {
            Format::Text => deps_as_text(catalogue, &found),
            Format::Json => format!("{:#}\n", deps_as_json(catalogue, &found)),
            Format::Dot => deps_as_dot(catalogue, &found),
            Format::Svg => svg(&loops::columns(catalogue), &loops::arrows(&found)),
        }
    })
}

/// The papers' own check, for `bounds --by cycles` and `progress --by cycles`. Its verdicts carry no certificate and are called by the
/// papers' names.
pub fn by_cycles(model: &ModelArguments, question: Question, time: TimeLimit, format: ask::Format) -> u8 {
    let system = match input::load(model) {
        Ok(system) => system,
        Err(code) => return code,
    };
    let (catalogue, values) = match catalogue_of(&system, CycleLimits::default()) {
        Ok(found) => found,
        Err(code) => return code,
    };
    let report = check(&catalogue, &values, question, CheckLimits::default(), &|| time.is_over());
    match format {
        ask::Format::Text => say!("{}", route_as_text(&catalogue, question, &report)),
        _ => {
            let name = model.model.display().to_string();
            files::print(&json::pretty(&route_as_json(&name, &catalogue, question, &report)));
        }
    }
    match report.verdict {
        CycleVerdict::Holds => crate::exit::PROVED,
        _ => crate::exit::UNKNOWN,
    }
}

fn catalogue_of(system: &System, limits: CycleLimits) -> Result<(Catalogue, WorldValues), u8> {
    let progress = ProgressStatements::new(system, &ProgressAt::Labels);
    Catalogue::new(system, &progress, limits).map_err(|error| {
        complain_line!("error: the model could not be analysed: {error:?}");
        crate::exit::UNKNOWN
    })
}

fn with_catalogue(
    model: &ModelArguments,
    shared: &Shared,
    show: impl FnOnce(&Catalogue, &WorldValues) -> String,
) -> u8 {
    let system = match input::load(model) {
        Ok(system) => system,
        Err(code) => return code,
    };
    let limits = CycleLimits { cycles: shared.max_cycles, ..CycleLimits::default() };
    let (catalogue, values) = match catalogue_of(&system, limits) {
        Ok(found) => found,
        Err(code) => return code,
    };
    let text = show(&catalogue, &values);
    match shared.format {
        Format::Text => files::print_fitted(&text),
        Format::Json | Format::Dot | Format::Svg => files::print(&text),
    }
    warn_if_cut(&catalogue);
    crate::exit::PROVED
}

fn warn_if_cut(catalogue: &Catalogue) {
    match catalogue.completeness {
        Completeness::All => {}
        Completeness::TooManyCycles(limit) => {
            complain_line!(
                "warning: there are more than {limit} cycles, and dependencies need them all; raise --max-cycles"
            );
        }
        Completeness::TooManyEffects(id) => {
            complain_line!("warning: {} has too many effects to list", catalogue.describe(id));
        }
    }
}

fn cycles_as_text(catalogue: &Catalogue) -> String {
    let mut out = String::new();
    for (id, cycle) in catalogue.cycle_ids() {
        let mark = if cycle.progress { "  progress" } else { "" };
        let _ = writeln!(out, "C{} {}{mark}", id.0 + 1, catalogue.describe(id));
        let texts: Vec<&str> =
            cycle.arcs.iter().map(|&a| catalogue.arc(cycle.process, a).text.as_str()).collect();
        let _ = writeln!(out, "    {}", texts.join("; "));
        for effect in &cycle.effects {
            let _ = writeln!(out, "    {}", effect_in_words(catalogue, effect));
        }
    }
    let _ = writeln!(
        out,
        "{}, {}, {}",
        counted(catalogue.cycles.len(), "cycle"),
        counted(catalogue.effect_vectors(), "effect vector"),
        counted(catalogue.message_types.len(), "message type")
    );
    out
}

fn effect_in_words(catalogue: &Catalogue, effect: &[(proofs::cycles::MessageTypeId, i64)]) -> String {
    if effect.is_empty() {
        return "leaves all buffers as they are".to_string();
    }
    let parts: Vec<String> = effect
        .iter()
        .map(|(t, n)| {
            let name = &catalogue.message_types[t.0 as usize].name;
            let verb = if *n > 0 { "puts" } else { "takes" };
            format!("{verb} {} × [{name}]", n.unsigned_abs())
        })
        .collect();
    parts.join(", ")
}

fn cycles_as_json(catalogue: &Catalogue) -> Value {
    let cycles: Vec<Value> = catalogue
        .cycle_ids()
        .map(|(id, cycle)| {
            let statements: Vec<Value> = cycle
                .arcs
                .iter()
                .map(|&a| catalogue.arc(cycle.process, a))
                .map(|arc| json!({ "line": arc.line, "text": arc.text }))
                .collect();
            let effects: Vec<Value> = cycle
                .effects
                .iter()
                .map(|effect| {
                    let entries = effect
                        .iter()
                        .map(|(t, n)| (catalogue.message_types[t.0 as usize].name.clone(), Value::from(*n)));
                    Value::Object(entries.collect())
                })
                .collect();
            json!({
                "cycle": format!("C{}", id.0 + 1),
                "process": catalogue.processes[cycle.process].name,
                "statements": statements,
                "effects": effects,
                "progress": cycle.progress,
            })
        })
        .collect();
    json!({ "schema": "plimsoll-cycles/1", "complete": catalogue.completeness == Completeness::All, "cycles": cycles })
}

fn deps_as_text(catalogue: &Catalogue, found: &[Dependency]) -> String {
    let mut out = String::new();
    let mut said = BTreeSet::new();
    for dependency in found {
        let sentence = format!("{}  {}", notation(dependency), dependency.in_words(catalogue));
        // What the neighbours and the helpers say is often the same.
        if said.insert(sentence.clone()) {
            let _ = writeln!(out, "{sentence}");
        }
    }
    let _ = writeln!(out, "{} cycles, {} dependencies", catalogue.cycles.len(), said.len());
    out
}

/// `(3, C2, {C1, C3})`
fn notation(dependency: &Dependency) -> String {
    let on: Vec<String> = dependency.on.iter().map(|c| format!("C{}", c.0 + 1)).collect();
    let cycle = dependency.cycle.0 + 1;
    match dependency.rounds {
        Some(n) => format!("({n}, C{cycle}, {{{}}})", on.join(", ")),
        None => format!("(C{cycle}, {{{}}})", on.join(", ")),
    }
}

fn deps_as_json(catalogue: &Catalogue, found: &[Dependency]) -> Value {
    let name = |c: CycleId| format!("C{}", c.0 + 1);
    let list: Vec<Value> = found
        .iter()
        .map(|d| {
            let cause = match &d.cause {
                Cause::Neighbours { .. } => "neighbours",
                Cause::Condition { .. } => "condition",
                Cause::Receive { .. } => "receive",
                Cause::Message { .. } => "message",
            };
            json!({
                "cycle": name(d.cycle),
                "on": d.on.iter().map(|&c| name(c)).collect::<Vec<_>>(),
                "rounds": d.rounds,
                "cause": cause,
                "local": d.is_local(catalogue),
                "text": d.in_words(catalogue),
            })
        })
        .collect();
    json!({ "schema": "plimsoll-dependencies/1", "dependencies": list, "catalogue": cycles_as_json(catalogue) })
}

fn deps_as_dot(catalogue: &Catalogue, found: &[Dependency]) -> String {
    let mut out = String::from("digraph dependencies {\n  node [shape=box, fontname=monospace];\n");
    for (index, process) in catalogue.processes.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{index} {{\n    label=\"{}\";", process.name);
        for (id, _) in catalogue.cycle_ids().filter(|(_, c)| c.process == index) {
            let _ = writeln!(out, "    c{} [label=\"C{}\\n{}\"];", id.0, id.0 + 1, catalogue.describe(id));
        }
        out.push_str("  }\n");
    }
    for dependency in found {
        for on in &dependency.on {
            let label = dependency.rounds.map(|n| n.to_string()).unwrap_or_default();
            let _ = writeln!(out, "  c{} -> c{} [label=\"{label}\"];", dependency.cycle.0, on.0);
        }
    }
    out.push_str("}\n");
    out
}

/// The counts of the papers' tables.
fn stats(catalogue: &Catalogue, values: &WorldValues) -> String {
    let found = dependencies(catalogue, values, &Strategy::ALL);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "cycles {}   effect vectors {}   message types {}",
        catalogue.cycles.len(),
        catalogue.effect_vectors(),
        catalogue.message_types.len()
    );
    let counts = Counts::of(&found);
    let _ = write!(out, "dependencies: neighbours {}", counts.neighbours.dependencies);
    for (strategy, count) in Strategy::ALL.iter().zip(&counts.conditions) {
        let _ = write!(out, "   {} {} (size {})", strategy.name(), count.dependencies, count.size);
    }
    let receives = counts.senders.dependencies;
    let _ = writeln!(out, "\nreceives {receives}   SC {}   FC {}", counts.senders.size, counts.fastened.size);
    for question in [Question::Boundedness, Question::Livelock] {
        let report = check(catalogue, values, question, CheckLimits::default(), &|| false);
        out.push_str(&route_as_text(catalogue, question, &report));
    }
    out
}

/// The word of the papers for what came out.
fn verdict_word(verdict: &CycleVerdict, question: Question) -> &'static str {
    match (verdict, question) {
        (CycleVerdict::Holds, Question::Boundedness) => "BOUNDED",
        (CycleVerdict::Holds, Question::Livelock) => "LIVELOCK-FREE",
        _ => "UNKNOWN",
    }
}

fn route_as_json(name: &str, catalogue: &Catalogue, question: Question, report: &RouteReport) -> Value {
    let mut out = json!({
        "schema": "plimsoll-by-cycles/1",
        "model": name,
        "verdict": verdict_word(&report.verdict, question),
        "programs": report.programs,
        "counterexamples": report.counterexamples,
        "spurious": report.spurious,
        "refined_by": report.used.iter().map(|used| used.in_words(catalogue)).collect::<Vec<_>>(),
    });
    match &report.verdict {
        CycleVerdict::Holds => {}
        CycleVerdict::Counterexample(cycles) => {
            let suspicious = cycles
                .iter()
                .map(|(cycle, times)| json!({ "cycle": catalogue.describe(*cycle), "times": times }));
            out["suspicious"] = suspicious.collect();
        }
        CycleVerdict::Undecided(reason) => out["reason"] = json!(reason),
    }
    out
}

fn route_as_text(catalogue: &Catalogue, question: Question, report: &RouteReport) -> String {
    let mut out = String::new();
    let word = verdict_word(&report.verdict, question);
    let _ = writeln!(
        out,
        "{word} by cycles (no certificate): {}, {}, {} of them spurious",
        counted(report.programs, "program"),
        counted(report.counterexamples, "counterexample"),
        report.spurious
    );
    for dependency in &report.used {
        let _ = writeln!(out, "  refined by {}", dependency.in_words(catalogue));
    }
    match &report.verdict {
        CycleVerdict::Holds => {}
        CycleVerdict::Counterexample(cycles) => {
            for (cycle, times) in cycles {
                let _ = writeln!(out, "  suspicious: {times} × {}", catalogue.describe(*cycle));
            }
        }
        CycleVerdict::Undecided(reason) => {
            let _ = writeln!(out, "  {reason}");
        }
    }
    out
}
