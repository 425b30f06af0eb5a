//! `plimsoll check MODEL…`

use crate::ask::{self, Format, OutputArguments};
use crate::exit;
use crate::files;
use crate::input::{self, Loaded, ModelArguments, ReadingArguments, Unusable};
use crate::limits::{LimitArguments, TimeLimit, apply_memory, taken_memory};
use crate::terminal;
use crate::watch::interrupted;
use clap::Args;
use promela::diagnostic::Severity;
use promela::interrupt::{self, Interrupted};
use report::annotations::{self, SarifResults};
use report::diagnostic::render_short;
use report::json;
use report::spin;
use report::style::Palette;
use report::table::{self, Row};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use verify::{CheckOptions, CheckReport, Control};

/// Answer every question that the model makes askable
///
/// Is every buffer bounded, and by how much? Does the system keep making progress? Can it deadlock? Do the assertions
/// hold, the never claims, the formulas? Every answer is PROVED (with a certificate, or because all states were searched),
/// VIOLATED (with an execution that replays) or UNKNOWN (with what stopped the work).
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll check models/client-server-progress.pml\n  \
    plimsoll check models/client-server-progress.pml --traces out     (to replay what is violated)\n  \
    plimsoll check models/client-server-progress.pml --html report.html\n  \
    plimsoll check models/                                            (a table, one line each)\n  \
    plimsoll check models/ --time 10s --format json > answers.json\n\n\
    Exit codes: 0 all proved, 1 something violated, 2 error in use or input, 3 something unknown.")]
pub struct Arguments {
    /// Models, and folders with models (*.pml, *.prom, *.promela, *.spin)
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<PathBuf>,

    #[command(flatten)]
    reading: ReadingArguments,

    #[command(flatten)]
    pub limits: LimitArguments,

    #[command(flatten)]
    pub output: OutputArguments,
}

impl Arguments {
    /// The model, if only one is asked about.
    pub fn one_model(&self) -> Option<&Path> {
        match &self.models[..] {
            [only] if !only.is_dir() => Some(only),
            _ => None,
        }
    }
}

pub fn run(arguments: &Arguments) -> u8 {
    let mut options = CheckOptions::default();
    arguments.limits.apply(&mut options);
    if let Some(only) = arguments.one_model() {
        let model = ModelArguments { model: only.to_path_buf(), reading: arguments.reading.clone() };
        return ask::about_one_model(&model, &options, &arguments.output);
    }
    match collect(&arguments.models) {
        Ok(_) if arguments.output.html.is_some() || arguments.output.trace.is_some() => {
            complain_line!("error: --html and --trace are for one model; for several there is --traces");
            exit::ERROR
        }
        Ok(models) => about_many_models(arguments, &options, &models),
        Err(message) => {
            complain_line!("error: {message}");
            exit::ERROR
        }
    }
}

/// Files as they are given; of folders all models in them.
fn collect(given: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut models = Vec::new();
    for path in given {
        if !path.is_dir() {
            models.push(path.clone());
            continue;
        }
        let inside = models_in(path)?;
        if inside.is_empty() {
            let folder = path.display();
            return Err(format!("there are no models in `{folder}` (*.pml, *.prom, *.promela, *.spin)"));
        }
        models.extend(inside);
    }
    Ok(models)
}

/// The models of a folder and of the folders in it, in the order of their names.
fn models_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| format!("cannot read the folder `{}`: {error}", folder.display()))?;
    let mut inside: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    inside.sort();
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = inside.into_iter().partition(|path| path.is_dir());
    let mut models: Vec<PathBuf> = files.into_iter().filter(|file| is_model(file)).collect();
    for folder in folders {
        models.extend(models_in(&folder)?);
    }
    Ok(models)
}

fn is_model(path: &Path) -> bool {
    path.extension().is_some_and(|e| ["pml", "prom", "promela", "spin"].iter().any(|known| e == *known))
}

/// What became of one of many models.
enum Outcome {
    Checked(Box<(Loaded, CheckReport)>),
    Unusable(Unusable),
    /// It could not even be read in time.
    OutOfTime,
}

/// Several models at a time, one thread each; the lines come in the order of the models.
fn about_many_models(arguments: &Arguments, options: &CheckOptions, models: &[PathBuf]) -> u8 {
    let at_once = arguments.limits.threads().min(models.len());
    let mut options = CheckOptions { started: None, threads: 1, ..options.clone() };
    apply_memory(&mut options, at_once);
    let printer = Printer::new(arguments, models);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some(path) = models.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // What is known is kept; the other models are not begun.
                    if interrupted().load(Ordering::Relaxed) {
                        break;
                    }
                    printer.done(path, about_one_of_many(arguments, &options, path));
                }
            });
        }
    });
    printer.finish()
}

/// Reads and checks one of many models, in its own time.
fn about_one_of_many(arguments: &Arguments, options: &CheckOptions, path: &Path) -> Outcome {
    let time = TimeLimit { since: Instant::now(), ..arguments.limits.time };
    let flag = interrupted();
    let is_over = move || time.is_over() || flag.load(Ordering::Relaxed);
    match interrupt::until(is_over, || input::load_quietly(&arguments.reading, path)) {
        Ok(Ok(system)) => {
            let control = Control::none().cancelled_by(interrupted()).weighed_by(taken_memory);
            let options = CheckOptions { started: Some(time.since), ..options.clone() };
            let report = verify::check(&system, &options, &control);
            Outcome::Checked(Box::new((Loaded { system, warnings: Vec::new() }, report)))
        }
        Ok(Err(unusable)) => Outcome::Unusable(unusable),
        Err(Interrupted) => Outcome::OutOfTime,
    }
}

/// A model's name in the table: the folder, if there is only one, is known.
fn short(arguments: &Arguments, path: &Path) -> String {
    let inside = match &arguments.models[..] {
        [folder] => path.strip_prefix(folder).unwrap_or(path),
        _ => path,
    };
    inside.display().to_string()
}

/// Prints what is ready in the order of the models.
struct Printer<'a> {
    arguments: &'a Arguments,
    models: &'a [PathBuf],
    layout: table::Layout,
    started: Instant,
    state: Mutex<Printed>,
}

#[derive(Default)]
struct Printed {
    waiting: Vec<(usize, Outcome)>,
    next: usize,
    documents: Vec<serde_json::Value>,
    sarif: SarifResults,
    totals: table::Totals,
    failed: bool,
}

impl<'a> Printer<'a> {
    fn new(arguments: &'a Arguments, models: &'a [PathBuf]) -> Printer<'a> {
        let palette = Palette::new(terminal::colour_of_output());
        let layout = table::Layout::new(
            models.iter().map(|path| short(arguments, path)),
            palette,
            terminal::columns(),
        );
        if arguments.output.format == Format::Text {
            files::print(&layout.head());
        }
        Printer { arguments, models, layout, started: Instant::now(), state: Mutex::new(Printed::default()) }
    }

    fn done(&self, path: &Path, outcome: Outcome) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let index = self.models.iter().position(|p| p == path).unwrap_or(0);
        state.waiting.push((index, outcome));
        while let Some(position) = state.waiting.iter().position(|(index, _)| *index == state.next) {
            let (index, outcome) = state.waiting.swap_remove(position);
            state.next += 1;
            self.print(&self.models[index], outcome, &mut state);
        }
    }

    fn print(&self, path: &Path, outcome: Outcome, state: &mut Printed) {
        let name = path.display().to_string();
        let output = &self.arguments.output;
        let is_out_of_time = matches!(outcome, Outcome::OutOfTime);
        let outcome = match outcome {
            Outcome::OutOfTime => {
                let message = format!("UNKNOWN: {}", self.arguments.limits.time);
                Outcome::Unusable(Unusable { message, system: None, diagnostics: Vec::new() })
            }
            other => other,
        };
        match outcome {
            Outcome::Checked(checked) => {
                let (loaded, report) = *checked;
                let system = &loaded.system;
                let model =
                    ModelArguments { model: path.to_path_buf(), reading: self.arguments.reading.clone() };
                let subject = ask::Subject { model: &model, loaded: &loaded, added: &[] };
                if let Err(message) =
                    ask::write_traces(path, &ask::counterexamples(&subject, &report), output)
                {
                    complain_line!("error: {message}");
                    state.failed = true;
                }
                state.totals.count(&report.summary());
                match output.format {
                    Format::Text => {
                        files::print(&self.layout.row(&Row::of(&short(self.arguments, path), &report)))
                    }
                    Format::Json => state.documents.push(json::model(&name, system, &report, &[])),
                    Format::Spin => files::print(&format!("{name}\n{}", spin::block(system, &report))),
                    Format::Sarif => state.sarif.add(&name, system, &report),
                    Format::Github => files::print(&annotations::github(&name, system, &report)),
                }
            }
            Outcome::OutOfTime => {}
            Outcome::Unusable(Unusable { message, system, diagnostics }) => {
                match is_out_of_time {
                    true => state.totals.answers.unknown += 1,
                    false => state.totals.unusable += 1,
                }
                let sources = system.as_ref().map(|system| &system.model.sources);
                match output.format {
                    Format::Text => {
                        let errors = diagnostics.iter().find(|d| d.severity == Severity::Error);
                        let first = sources
                            .zip(errors.or(diagnostics.first()))
                            .map(|(sources, first)| render_short(sources, first));
                        // The name stands before it already.
                        let message = first.unwrap_or(message).replacen(&format!("{name}:"), "", 1);
                        files::print(&self.layout.unusable(&short(self.arguments, path), &message));
                    }
                    Format::Json => {
                        state.documents.push(json::unusable(&name, &message, sources, &diagnostics));
                    }
                    Format::Spin => files::print(&format!("{name}: {message}\n")),
                    Format::Sarif => state.sarif.add_unusable(&name, &message, sources, &diagnostics),
                    Format::Github => {
                        files::print(&annotations::github_unusable(&name, &message, sources, &diagnostics));
                    }
                }
            }
        }
    }

    fn finish(self) -> u8 {
        // After an interruption there are gaps, and what comes behind them still waits.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut behind_gaps = std::mem::take(&mut state.waiting);
        behind_gaps.sort_by_key(|(index, _)| *index);
        let missing = self.models.len() - state.next - behind_gaps.len();
        for (index, outcome) in behind_gaps {
            self.print(&self.models[index], outcome, &mut state);
        }
        match self.arguments.output.format {
            Format::Text => {
                state.totals.seconds = self.started.elapsed().as_secs_f64();
                files::print_fitted(&format!("{}\n", state.totals));
            }
            Format::Json => files::print(&json::several(std::mem::take(&mut state.documents))),
            Format::Sarif => files::print(&std::mem::take(&mut state.sarif).document()),
            Format::Spin | Format::Github => {}
        }
        if missing > 0 {
            complain_line!("interrupted: {missing} of {} models were not checked", self.models.len());
        }
        // Something violated outranks an unreadable neighbour only if everything could be read: 2 says that the input is wrong.
        match (state.totals.unusable, state.failed) {
            (0, false) => match ask::exit_code(&state.totals.answers) {
                exit::PROVED if missing > 0 => exit::UNKNOWN,
                code => code,
            },
            _ => exit::ERROR,
        }
    }
}
