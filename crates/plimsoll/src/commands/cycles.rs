//! `plimsoll cycles MODEL` and `plimsoll deps MODEL`: the control-flow cycles that a system lives from, and how they depend on each other.

use crate::ask;
use crate::files;
use crate::input::{self, ModelArguments};
use crate::limits::{TimeArguments, TimeLimit};
use crate::loops;
use clap::Args;
use proofs::cycles::{
    Catalogue, Cause, CheckLimits, Completeness, CycleId, CycleLimits, CycleVerdict, Dependency,
    DependencyCounts, MessageTypes, NoEstimate, Question, RouteReport, Strategy, WorldValues, check,
    dependencies, estimates,
};
use report::boxes::svg;
use report::json;
use search::repeats::{Dependence, LocalCycle, depends};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::{Duration, Instant};
use system::automaton::System;
use system::progress::{ProgressAt, ProgressStatements};
use verify::{CheckOptions, Questions, Supervisor, counted, grouped};

/// List the elementary cycles of every process and what a round of each does to the buffers
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  plimsoll cycles models/client-server.pml\n  \
    plimsoll cycles models/conway.pml --stats  (the counts of the papers' tables)")]
pub struct CyclesArguments {
    #[command(flatten)]
    pub model: ModelArguments,

    #[command(flatten)]
    pub shared: Shared,
}

/// Show which cycle can go on only if which others do
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  plimsoll deps models/dependencies-figure-1.pml\n  \
    plimsoll deps models/conway.pml --strategy pc --format dot | dot -Tsvg > d.svg")]
pub struct DepsArguments {
    #[command(flatten)]
    pub model: ModelArguments,

    #[command(flatten)]
    pub shared: Shared,

    /// How cycles that make a condition true again are looked for
    #[arg(long, value_enum, default_value_t = StrategyName::Improved)]
    strategy: StrategyName,

    /// Ask all states with the declared capacities whether this dependency holds, such as '(C1, {C2, C3})'
    #[arg(long, value_name = "DEPENDENCY", conflicts_with_all = ["strategy", "stats"])]
    holds: Option<String>,

    /// Give up beyond so many states
    #[arg(long, default_value_t = 1_000_000, requires = "holds")]
    max_states: usize,
}

#[derive(Args, Debug)]
pub struct Shared {
    #[command(flatten)]
    pub time: TimeArguments,

    /// Give up beyond so many cycles
    #[arg(long, default_value_t = 20_000)]
    max_cycles: usize,

    /// Print only the figures of the papers' tables
    #[arg(long)]
    stats: bool,

    /// Which messages count as one type
    #[arg(long, value_enum, default_value_t = TypesName::Sent)]
    types: TypesName,

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
enum TypesName {
    /// By channel and symbolic name
    Coarse,
    /// By every field in which a receive asks for a constant
    Fine,
    /// Only what some receive tells apart
    Optimal,
    /// By every constant that is sent
    Sent,
}

impl From<TypesName> for MessageTypes {
    fn from(name: TypesName) -> MessageTypes {
        match name {
            TypesName::Coarse => MessageTypes::Coarse,
            TypesName::Fine => MessageTypes::Fine,
            TypesName::Optimal => MessageTypes::Optimal,
            TypesName::Sent => MessageTypes::Sent,
        }
    }
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
    with_catalogue(&arguments.model, &arguments.shared, |found| {
        let catalogue = &found.catalogue;
        if arguments.shared.stats {
            return stats(found);
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
    if let Some(wanted) = &arguments.holds {
        return holds(arguments, wanted);
    }
    with_catalogue(&arguments.model, &arguments.shared, |found| {
        let (catalogue, values) = (&found.catalogue, &found.values);
        if arguments.shared.stats {
            return stats(found);
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

/// Decides a dependency that somebody writes down (the study, section 3: decidable where there are finitely many states).
fn holds(arguments: &DepsArguments, wanted: &str) -> u8 {
    let system = match input::load(&arguments.model) {
        Ok(system) => system,
        Err(code) => return code,
    };
    let limits = CycleLimits { cycles: arguments.shared.max_cycles, ..CycleLimits::default() };
    let found = match Found::new(&system, limits, arguments.shared.types.into(), arguments.shared.time.time) {
        Ok(found) => found,
        Err(code) => return code,
    };
    let catalogue = &found.catalogue;
    let (cycle, on) = match named_dependency(wanted, catalogue.cycles.len()) {
        Ok(dependency) => dependency,
        Err(why) => {
            complain_line!(
                "error: {why}; write it as '(C1, {{C2, C3}})', with cycles that `plimsoll cycles` lists"
            );
            return crate::exit::ERROR;
        }
    };
    let local = |id: CycleId| match catalogue.edges(id) {
        Some((automaton, edges)) => Ok(LocalCycle { automaton, edges }),
        None => Err(catalogue.describe(id)),
    };
    let cycles: Result<Vec<LocalCycle>, String> =
        std::iter::once(&cycle).chain(&on).map(|&id| local(id)).collect();
    let cycles = match cycles {
        Ok(cycles) => cycles,
        Err(which) => {
            complain_line!("error: the steps of a run do not tell who goes round in {which}");
            return crate::exit::UNKNOWN;
        }
    };
    let time = arguments.shared.time.time;
    let (dependence, states) =
        depends(&system, &cycles[0], &cycles[1..], arguments.max_states, &|| time.is_over());
    let dependency = notation_of(None, cycle, &on);
    let on_states = format!("{} with what is left of each way", counted(states, "state"));
    match dependence {
        Dependence::Holds => {
            say!("PROVED    {dependency} holds with the declared capacities: all {on_states}\n");
            crate::exit::PROVED
        }
        Dependence::Refuted => {
            let alone = catalogue.describe(cycle);
            say!(
                "VIOLATED  {dependency} does not hold: {alone} goes on for ever without them ({on_states})\n"
            );
            crate::exit::VIOLATED
        }
        Dependence::Unknown => {
            say!("UNKNOWN   {dependency}: not within {on_states}\n");
            crate::exit::UNKNOWN
        }
    }
}

/// `(C1, {C2, C3})` read back.
fn named_dependency(text: &str, cycles: usize) -> Result<(CycleId, BTreeSet<CycleId>), String> {
    let inner = text.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let (first, rest) =
        inner.and_then(|inner| inner.split_once(',')).ok_or(format!("`{text}` is no dependency"))?;
    let set = rest.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let set = set.ok_or(format!("`{}` is no set of cycles", rest.trim()))?;
    let cycle = |name: &str| -> Result<CycleId, String> {
        let number = name.trim().strip_prefix('C').and_then(|digits| digits.parse::<u32>().ok());
        match number {
            Some(n) if n >= 1 && n as usize <= cycles => Ok(CycleId(n - 1)),
            _ => Err(format!("there is no cycle `{}`", name.trim())),
        }
    };
    let names = set.split(',').filter(|name| !name.trim().is_empty());
    Ok((cycle(first)?, names.map(cycle).collect::<Result<_, _>>()?))
}

/// The papers' own check, for `bounds --by cycles` and `progress --by cycles`. Its verdicts carry no certificate and are called by the
/// papers' names.
pub fn by_cycles(model: &ModelArguments, question: Question, time: TimeLimit, format: ask::Format) -> u8 {
    let system = match input::load(model) {
        Ok(system) => system,
        Err(code) => return code,
    };
    let found = match Found::new(&system, CycleLimits::default(), MessageTypes::default(), time) {
        Ok(found) => found,
        Err(code) => return code,
    };
    let catalogue = &found.catalogue;
    let report = check(catalogue, &found.values, question, CheckLimits::default(), &|| time.is_over());
    let is_decided = !matches!(report.verdict, CycleVerdict::Undecided(_));
    let estimates =
        (question == Question::Boundedness && is_decided).then(|| estimated(&system, catalogue, time));
    match format {
        ask::Format::Text => {
            let text = route_as_text(catalogue, question, &report);
            let holds = report.verdict == CycleVerdict::Holds;
            let estimates = estimates.as_ref().map(|e| estimates_as_text(e, holds)).unwrap_or_default();
            say!("{text}{estimates}");
        }
        _ => {
            let name = model.model.display().to_string();
            let mut value = route_as_json(&name, catalogue, question, &report);
            if let Some(Ok(estimates)) = estimates {
                let one = |e: &Estimated| {
                    (e.buffer.clone(), json!({ "estimate": e.by_cycles, "potential": e.by_potentials }))
                };
                value["buffers"] = Value::Object(estimates.iter().map(one).collect());
            }
            files::print(&json::pretty(&value));
        }
    }
    match report.verdict {
        CycleVerdict::Holds => crate::exit::PROVED,
        _ => crate::exit::UNKNOWN,
    }
}

/// How full one buffer gets, by both routes.
struct Estimated {
    buffer: String,
    by_cycles: Option<u64>,
    by_potentials: Option<u64>,
}

/// The papers' estimates, where they give some, beside the bounds that are proved. They hold whether or not all buffers are bounded: each
/// buffer has a program of its own (IBOC, section 2).
fn estimated(system: &System, catalogue: &Catalogue, time: TimeLimit) -> Result<Vec<Estimated>, NoEstimate> {
    let estimates = estimates(catalogue)?;
    let questions = Questions { buffers: true, ..Questions::none() };
    let options = CheckOptions { questions, time: time.limit, ..CheckOptions::default() };
    let proved = verify::check(system, &options, &Supervisor::none());
    let of_one = |estimate: proofs::cycles::Estimate| {
        let answer = proved.answer(&verify::Question::Buffer(estimate.buffer.clone()));
        Estimated {
            by_cycles: estimate.at_most,
            by_potentials: answer.and_then(|answer| answer.bound).map(|bound| bound.at_most),
            buffer: estimate.buffer,
        }
    };
    Ok(estimates.into_iter().map(of_one).collect())
}

fn estimates_as_text(estimates: &Result<Vec<Estimated>, NoEstimate>, holds: bool) -> String {
    let mut out = String::new();
    let estimates = match estimates {
        Ok(estimates) => estimates,
        Err(why) if holds => return format!("  no estimates of buffers: {why}\n"),
        Err(_) => return out,
    };
    for estimate in estimates {
        let Some(by_cycles) = estimate.by_cycles else { continue };
        let _ = write!(out, "  {} <= {} by ways and cycles", estimate.buffer, grouped(by_cycles));
        if let Some(bound) = estimate.by_potentials {
            let _ = write!(out, ", <= {} by `plimsoll bounds`", grouped(bound));
        }
        out.push('\n');
    }
    let without: Vec<&str> =
        estimates.iter().filter(|e| e.by_cycles.is_none()).map(|e| e.buffer.as_str()).collect();
    if holds && !without.is_empty() {
        let names = without.join(", ");
        let _ = writeln!(
            out,
            "  no estimate of {names}: the proof needs dependencies, which estimates leave out"
        );
    }
    out
}

/// The cycles of a model, and how long it took to find them.
struct Found {
    catalogue: Catalogue,
    values: WorldValues,
    time: Duration,
    /// How long all of it may take.
    limit: TimeLimit,
}

impl Found {
    fn new(system: &System, limits: CycleLimits, types: MessageTypes, time: TimeLimit) -> Result<Found, u8> {
        let since = Instant::now();
        let progress = ProgressStatements::new(system, &ProgressAt::Labels);
        let (catalogue, values) = Catalogue::with_types(system, &progress, limits, types, &|| time.is_over())
            .map_err(|error| {
                complain_line!("error: the cycles cannot be found: {}", error.in_words(system));
                crate::exit::UNKNOWN
            })?;
        Ok(Found { catalogue, values, time: since.elapsed(), limit: time })
    }
}

fn with_catalogue(model: &ModelArguments, shared: &Shared, show: impl FnOnce(&Found) -> String) -> u8 {
    let system = match input::load(model) {
        Ok(system) => system,
        Err(code) => return code,
    };
    let limits = CycleLimits { cycles: shared.max_cycles, ..CycleLimits::default() };
    let found = match Found::new(&system, limits, shared.types.into(), shared.time.time) {
        Ok(found) => found,
        Err(code) => return code,
    };
    let text = show(&found);
    match shared.format {
        Format::Text => files::print_fitted(&text),
        Format::Json | Format::Dot | Format::Svg => files::print(&text),
    }
    warn_if_cut(&found.catalogue);
    crate::exit::PROVED
}

fn warn_if_cut(catalogue: &Catalogue) {
    let Some(missing) = catalogue.missing() else { return };
    match catalogue.completeness {
        Completeness::TooManyCycles(_) => {
            complain_line!("warning: {missing}, and dependencies need them all; raise --max-cycles");
        }
        _ => complain_line!("warning: {missing}"),
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
        counted(catalogue.message_type_count(), "message type")
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
    let dependencies = plural(said.len(), "dependency", "dependencies");
    let _ = writeln!(out, "{}, {dependencies}", counted(catalogue.cycles.len(), "cycle"));
    out
}

/// `(3, C2, {C1, C3})`
fn notation(dependency: &Dependency) -> String {
    notation_of(dependency.rounds, dependency.cycle, &dependency.on)
}

fn notation_of(rounds: Option<u64>, cycle: CycleId, on: &BTreeSet<CycleId>) -> String {
    let on: Vec<String> = on.iter().map(|c| format!("C{}", c.0 + 1)).collect();
    let cycle = cycle.0 + 1;
    match rounds {
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

/// The figures of the papers' tables: IBOC 2; Ciclo II, III, IV, VI; the study 1, 2, 3. As the papers count: by proctype, as it is written.
/// In a line of its own what is left of it after values have ruled out what they can, for each process.
fn stats(found: &Found) -> String {
    let catalogue = &found.catalogue;
    let sizes = &catalogue.sizes;
    let mut out = String::new();
    let mut line = |name: &str, text: String| {
        let _ = writeln!(out, "{name:<13} {text}");
    };
    let processes = match sizes.processes {
        Some(1) => "1 process".to_string(),
        Some(n) => format!("{} processes", grouped(n)),
        None => "any number of processes".to_string(),
    };
    line(
        "model",
        format!(
            "{}, {processes}, {}, {}, {}",
            counted(sizes.proctypes, "proctype"),
            counted(sizes.states, "state"),
            counted(sizes.transitions, "transition"),
            counted(sizes.buffers, "channel")
        ),
    );
    let cycles = sizes.cycles.map_or("too many cycles".to_string(), |cycles| counted(cycles, "cycle"));
    line(
        "as written",
        format!(
            "{cycles}, {}, {}",
            sizes.vectors.map_or("too many effect vectors".to_string(), |n| counted(n, "effect vector")),
            counted(catalogue.message_type_count(), "message type")
        ),
    );
    line(
        "as analysed",
        format!(
            "{}, {}",
            counted(catalogue.cycles.len(), "cycle"),
            counted(catalogue.effect_vectors(), "distinct effect vector")
        ),
    );
    let mut times = vec![("abstraction", found.time)];
    for (name, question) in [("buffers", Question::Boundedness), ("progress", Question::Livelock)] {
        let since = Instant::now();
        let report =
            check(catalogue, &found.values, question, CheckLimits::default(), &|| found.limit.is_over());
        times.push((name, since.elapsed()));
        line(
            name,
            format!(
                "{}: {}, {}, {} spurious, {} analysed in them, {}, {} used",
                verdict_word(&report.verdict, question),
                counted(report.programs, "program"),
                counted(report.counterexamples, "counterexample"),
                report.spurious,
                counted(report.analysed_cycles, "cycle"),
                counted(report.analysed_statements, "statement"),
                plural(report.used.len(), "dependency", "dependencies")
            ),
        );
    }
    let since = Instant::now();
    let list = match estimates(catalogue) {
        Ok(list) => list
            .iter()
            .map(|e| match e.at_most {
                Some(n) => format!("{} <= {n}", e.buffer),
                None => format!("{} any number", e.buffer),
            })
            .collect::<Vec<_>>()
            .join(", "),
        Err(why) => format!("none: {why}"),
    };
    times.push(("estimates", since.elapsed()));
    line("estimates", list);
    let since = Instant::now();
    let found = dependencies(catalogue, &found.values, &Strategy::ALL);
    times.push(("dependencies", since.elapsed()));
    let counts = DependencyCounts::of(&found);
    let [mc, nd, pc, improved] = counts.conditions;
    let all = counts.neighbours.dependencies + mc.dependencies + counts.senders.dependencies;
    line(
        "dependencies",
        format!(
            "{all}: {} on neighbours, {} by conditions, {} by receives",
            counts.neighbours.dependencies, mc.dependencies, counts.senders.dependencies
        ),
    );
    let less = |n: usize, of: usize| {
        format!("{:.1} % less", if of == 0 { 0.0 } else { (of - n) as f64 * 100.0 / of as f64 })
    };
    line(
        "conditions",
        format!(
            "MC {}, ND {} ({}), PC {} ({}), improved {} ({})",
            grouped(mc.size as u64),
            grouped(nd.size as u64),
            less(nd.size, mc.size),
            grouped(pc.size as u64),
            less(pc.size, mc.size),
            grouped(improved.size as u64),
            less(improved.size, mc.size)
        ),
    );
    let (sc, fc) = (counts.senders.size, counts.fastened.size);
    line("receives", format!("SC {}, FC {} ({})", grouped(sc as u64), grouped(fc as u64), less(fc, sc)));
    let times: Vec<String> = times
        .iter()
        .map(|(name, time)| format!("{name} {}", report::text::duration(time.as_secs_f64())))
        .collect();
    line("times", times.join(", "));
    out
}

fn plural(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
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
        "ends_at": catalogue.ends,
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
    if report.verdict == CycleVerdict::Holds && !catalogue.ends.is_empty() {
        let word = if catalogue.ends.len() == 1 { "line" } else { "lines" };
        let lines: Vec<String> = catalogue.ends.iter().map(ToString::to_string).collect();
        let _ =
            writeln!(out, "  a run that comes to `assert(false)` ({word} {}) has ended", lines.join(", "));
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
