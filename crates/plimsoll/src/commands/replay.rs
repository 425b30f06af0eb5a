//! `plimsoll replay [TRACE [MODEL]]`

use crate::exit;
use crate::files;
use crate::input::{self, FileKind, ModelArguments, ReadingArguments};
use crate::kept::{self, Kept};
use crate::limits::TimeArguments;
use crate::stepper::Stepper;
use crate::terminal;
use certificate::schema::other_version;
use certificate::trace::{Replay, ReplayError, TRACE_SCHEMA};
use clap::{Args, ValueEnum};
use report::chart::chart;
use report::export::{self, trail};
use report::json;
use report::steps::{changes, describe_violation, step_line};
use report::trace_file::TraceFile;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use system::automaton::System;
use system::interpreter::Step;
use system::state::State;

/// Step through a counterexample, forwards and backwards
///
/// Executes the trace with the step semantics, so what it shows is what the model does. Every step comes with its source line and with what it
/// changed.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll check models/client-server-progress.pml\n  \
    plimsoll replay                   (the first counterexample of the last run)\n  \
    plimsoll replay progress --chart  (the one about progress)\n  \
    plimsoll replay models/client-server-progress.pml progress\n  \
    plimsoll progress models/client-server-progress.pml --trace livelock.json\n  \
    plimsoll replay livelock.json --format mermaid\n  \
    plimsoll replay livelock.json models/client-server-progress.pml --interactive")]
pub struct Arguments {
    /// The trace: a file, or the question whose counterexample was kept, or a model, of which some were kept; without it, the first that was kept
    trace: Option<PathBuf>,

    /// The model; without it, the one that the trace names. Behind a model: the question
    pub model: Option<PathBuf>,

    #[command(flatten)]
    reading: ReadingArguments,

    #[command(flatten)]
    pub time: TimeArguments,

    /// Step by hand, as in a debugger; `help` lists what can be typed
    #[arg(short, long)]
    interactive: bool,

    /// Draw a message sequence chart instead of listing the steps
    #[arg(long, conflicts_with = "interactive")]
    chart: bool,

    /// How to say it
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with_all = ["interactive", "chart"])]
    format: Format,
}

/// How to say it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// Every step with its line, its statement, what it changed and the state after it
    Json,
    /// Apalache's form
    Itf,
    /// A sequence chart for PlantUML
    Plantuml,
    /// A sequence chart for Mermaid
    Mermaid,
    /// A log with vector clocks for ShiViz
    Shiviz,
    /// For `spin -t`: write it to MODEL.trail
    Trail,
}

pub fn run(arguments: &Arguments) -> u8 {
    let found = match trail_of(arguments) {
        Some((model, text)) => match input::load_with(&model, &[]) {
            Ok(loaded) => trail::read(&loaded.system, &text)
                .map(|trace| (model, TraceFile::plain(trace), loaded.system))
                .map_err(|wrong| format!("the trail does not replay: {wrong}")),
            Err(code) => return code,
        },
        None => match choose(arguments).and_then(|file| Ok((model_of(arguments, &file)?, file))) {
            Ok((model, file)) => match input::load_with(&model, &file.added) {
                Ok(loaded) => {
                    let system = file.system(loaded.system);
                    Ok((model, file, system))
                }
                Err(code) => return code,
            },
            Err(message) => Err(message),
        },
    };
    match found {
        Ok((model, file, system)) => show(arguments, &model, &file, &system),
        Err(message) => {
            complain_line!("error: {message}");
            exit::ERROR
        }
    }
}

/// The text of SPIN's trail and its model, if that is what is given. SPIN calls it `MODEL.trail`.
fn trail_of(arguments: &Arguments) -> Option<(ModelArguments, String)> {
    let path = arguments.trace.as_ref()?;
    let text = std::fs::read_to_string(path).ok()?;
    let first = text.lines().next()?;
    let is_trail = first.split(':').count() == 3 && first.split(':').all(|word| word.parse::<i64>().is_ok());
    let beside = || path.extension().filter(|e| *e == "trail").map(|_| path.with_extension(""));
    let model = arguments.model.clone().or_else(beside)?;
    is_trail.then(|| (ModelArguments { model, reading: arguments.reading.clone() }, text))
}

fn show(arguments: &Arguments, model: &ModelArguments, file: &TraceFile, system: &System) -> u8 {
    let (replay, failure) = match replay_as_far_as_it_goes(system, file) {
        Ok(replayed) => replayed,
        Err(error) => {
            complain_line!("error: the trace does not replay: {error}");
            return exit::ERROR;
        }
    };
    let interpreter = file.trace.interpreter(system).keeping_everything();
    let steps: Vec<Step> = file.trace.steps.iter().map(|&step| step.into()).collect();
    let drawn = || chart(&interpreter, &steps, file.repeats_from());
    if arguments.interactive {
        let stepper = Stepper::new(system, interpreter, model, &file.added, &steps, file.repeats_from());
        match stepper {
            Ok(mut stepper) => {
                files::print_fitted(&heading(file));
                stepper.run();
            }
            Err(message) => complain_line!("error: {message}"),
        }
        return exit::PROVED;
    }
    match arguments.format {
        Format::Text if arguments.chart => {
            if arguments.trace.is_none() {
                files::print_fitted(&heading(file));
            }
            files::print(&drawn().as_text(terminal::columns()));
        }
        Format::Text => files::print_fitted(&Story { system, file, replay, failure }.listing()),
        Format::Json => files::print(&json::pretty(&export::steps(system, file, &replay))),
        Format::Itf => files::print(&json::pretty(&export::itf(system, file, &replay))),
        Format::Plantuml => files::print(&export::plantuml(&drawn())),
        Format::Mermaid => files::print(&export::mermaid(&drawn())),
        Format::Shiviz => files::print(&export::shiviz(&drawn())),
        Format::Trail => match trail::write(system, &file.trace) {
            Some(text) => files::print(&text),
            None => {
                complain_line!(
                    "error: SPIN cannot run this: its buffers have other capacities than the model's"
                );
                return exit::ERROR;
            }
        },
    }
    exit::PROVED
}

/// The trace that is meant: a file, or one that was kept.
fn choose(arguments: &Arguments) -> Result<TraceFile, String> {
    let name = |path: &PathBuf| path.display().to_string();
    match &arguments.trace {
        Some(model) if is_model_with_question(arguments, model) => {
            let kept = kept::of(model);
            if kept.is_empty() {
                let model = name(model);
                return Err(format!(
                    "no counterexample of `{model}` is kept: plimsoll check {model} looks for some"
                ));
            }
            among(kept, arguments.model.as_ref().map(name))
        }
        Some(path) if arguments.model.is_some() || path.exists() => read(path),
        asked => among(kept::last(), asked.as_ref().map(name)),
    }
}

/// Whether the first argument is a model, and behind it stands a question or nothing.
fn is_model_with_question(arguments: &Arguments, first: &Path) -> bool {
    // Traces are JSON, and SPIN's trails begin with a number.
    let begins_as_text = |c: char| c.is_alphabetic() || c == '/' || c == '#';
    let is_model = || input::read_text(first).is_ok_and(|text| text.trim_start().starts_with(begins_as_text));
    first.is_file() && arguments.model.as_ref().is_none_or(|second| !second.exists()) && is_model()
}

/// One of those that are kept: the one about a question, or the first.
fn among(mut kept: Vec<Kept>, question: Option<String>) -> Result<TraceFile, String> {
    let questions: Vec<String> = kept.iter().map(|kept| kept.stem.clone()).collect();
    let Some(name) = question else {
        if kept.is_empty() {
            return Err("no counterexample is kept: plimsoll check MODEL looks for some".to_string());
        }
        if let [_, others @ ..] = &questions[..]
            && !others.is_empty()
        {
            complain_line!("also kept: {} (plimsoll replay QUESTION)", others.join(", "));
        }
        return Ok(kept.swap_remove(0).trace);
    };
    let is_meant =
        |stem: &String| *stem == name || stem.split_once('-').is_some_and(|(_, rest)| rest == name);
    match questions.iter().position(is_meant) {
        Some(index) => Ok(kept.swap_remove(index).trace),
        None if questions.is_empty() => Err(format!("cannot read `{name}`: there is no such file")),
        None => {
            let kept = questions.join(", ");
            Err(format!("`{name}` is no file, and no counterexample that is kept; kept: {kept}"))
        }
    }
}

/// The model that is named, or the one that the trace was made from.
fn model_of(arguments: &Arguments, file: &TraceFile) -> Result<ModelArguments, String> {
    let named = arguments
        .model
        .as_ref()
        .filter(|_| arguments.trace.as_ref().is_none_or(|first| !is_model_with_question(arguments, first)));
    match (named, &file.source) {
        (Some(model), _) => Ok(ModelArguments { model: model.clone(), reading: arguments.reading.clone() }),
        (None, Some(source)) => Ok(ModelArguments::of(source, &arguments.reading)),
        (None, None) => {
            Err("the trace does not say of which model it is: name the model behind it".to_string())
        }
    }
}

fn read(path: &Path) -> Result<TraceFile, String> {
    let text = input::read_text(path)?;
    TraceFile::from_json(&text).map_err(|error| {
        let wrong = format!("`{}` is no trace", path.display());
        match input::kind_of(text.as_bytes()) {
            Some((FileKind::Certificate, _)) => {
                format!("{wrong} but a certificate: plimsoll certify checks it")
            }
            Some((FileKind::Answers, _)) => format!("{wrong} but answers; --trace or --traces writes traces"),
            None => format!("{wrong} (the trace comes first, then the model)"),
            Some((FileKind::Trace, found)) if found != TRACE_SCHEMA => {
                format!("`{}`: {}", path.display(), other_version("trace", &found, TRACE_SCHEMA))
            }
            Some((FileKind::Trace, _)) => format!("{wrong}: {error}"),
        }
    })
}

/// A trace whose last step is the runtime error that it shows is replayed up to there.
fn replay_as_far_as_it_goes(
    system: &System,
    file: &TraceFile,
) -> Result<(Replay, Option<String>), ReplayError> {
    match certificate::trace::replay_to_show(system, &file.trace) {
        Ok(replay) => Ok((replay, None)),
        Err(ReplayError::Failed { step, error, .. }) if step + 1 == file.trace.steps.len() => {
            let mut shorter = file.trace.clone();
            shorter.steps.pop();
            let replay = certificate::trace::replay_to_show(system, &shorter)?;
            Ok((replay, Some(error.kind.to_string())))
        }
        Err(error) => Err(error),
    }
}

struct Story<'a> {
    system: &'a System,
    file: &'a TraceFile,
    replay: Replay,
    failure: Option<String>,
}

impl Story<'_> {
    fn length(&self) -> usize {
        self.file.trace.steps.len()
    }

    fn listing(&self) -> String {
        let mut out = heading(self.file);
        for index in 0..self.length() {
            out.push_str(&self.step(index));
        }
        out.push_str(&self.ending());
        out
    }

    fn step(&self, index: usize) -> String {
        let mut out = String::new();
        if self.file.repeats_from() == Some(index) {
            let what = match self.file.repeat_from {
                Some(_) => "what follows can be repeated for ever",
                None => "the loop begins",
            };
            let _ = writeln!(out, "   <<< {what} >>>");
        }
        let before = self.replay.state_before(index);
        let step: Step = self.file.trace.steps[index].into();
        let _ = writeln!(out, "{}", step_line(self.system, before, index + 1, step));
        match self.replay.steps.get(index) {
            Some(replayed) => {
                for change in changes(self.system, before, &replayed.state) {
                    let _ = writeln!(out, "        {change}");
                }
                for violation in &replayed.violations {
                    let _ = writeln!(out, "{:>4}: {}", index + 1, describe_violation(self.system, violation));
                }
            }
            None => {
                let failure = self.failure.as_deref().unwrap_or("the step fails");
                let _ = writeln!(out, "{:>4}: error: {failure}", index + 1);
            }
        }
        out
    }

    fn ending(&self) -> String {
        match (self.file.repeat_from, self.file.trace.loop_start) {
            (Some(from), _) => format!(
                "after step {} it goes on with step {}, with more messages\n",
                self.length(),
                from + 1
            ),
            (None, Some(start)) if start < self.length() => {
                format!("after step {} it goes on with step {}\n", self.length(), start + 1)
            }
            (None, Some(_)) => "and so it stays for ever\n".to_string(),
            (None, None) => {
                let mut out = format!("the end, {}\n", verify::after(self.length()));
                if self.failure.is_none() {
                    out.push_str(&where_everybody_stands(
                        self.system,
                        self.replay.state_before(self.length()),
                    ));
                }
                out
            }
        }
    }
}

/// What the run shows, and of which model it is: whoever did not name one may mean another.
fn heading(file: &TraceFile) -> String {
    let model = file.source.as_ref().map(|source| Path::new(&source.path)).and_then(Path::file_name);
    let model = model.map_or_else(String::new, |model| format!("{}: ", model.to_string_lossy()));
    match (&file.question, &file.shows) {
        (Some(question), Some(shows)) => format!("{model}{question}: {shows}\n"),
        _ => String::new(),
    }
}

fn where_everybody_stands(system: &System, state: &State) -> String {
    let mut out = String::new();
    for (pid, process) in state.processes.iter().enumerate() {
        let automaton = system.automaton(process.automaton);
        let location = automaton.location(process.location);
        let end = if location.end { "  valid end" } else { "" };
        let place = report::names::place(system, location.span);
        let _ = writeln!(out, "  proc {pid:>2} ({}) at {place}{end}", automaton.name);
    }
    out
}
