//! `plimsoll check MODEL…`

use super::ltl::FairnessChoice;
use crate::ask::{self, Format, OutputArguments};
use crate::cache;
use crate::config::{self, Config, Job};
use crate::exit;
use crate::files;
use crate::input::{self, Loaded, ModelArguments, ReadingArguments, Unusable};
use crate::judge::{self, Judge};
use crate::kept::OfMany;
use crate::limits::{DiskArguments, LimitArguments, TimeLimit, apply_memory, taken_memory};
use crate::terminal;
use crate::watch::{FolderLine, interrupted};
use clap::Args;
use promela::interrupt::{self, Interrupted};
use report::annotations::{self, SarifResults};
use report::expect::Expectation;
use report::html;
use report::json;
use report::junit::Junit;
use report::spin;
use report::style::Palette;
use report::table::{self, Row};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use verify::{CheckOptions, CheckReport, Supervisor};

/// Answer every question that the model makes askable
///
/// Is every buffer bounded, and by how much? Does the system keep making progress? Can it deadlock? Do the assertions
/// hold, the never claims, the formulas? Every answer is PROVED (with a certificate, or because all states were searched),
/// VIOLATED (with an execution that replays) or UNKNOWN (with what stopped the work).
///
/// Without a model, `plimsoll.toml` says what to check, and what is as expected is a success.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll check models/client-server-progress.pml\n  \
    plimsoll check models/client-server-progress.pml --traces out  (to replay)\n  \
    plimsoll check models/client-server-progress.pml --html report.html\n  \
    plimsoll check models/  (a table, one line each)\n  \
    plimsoll check models/ --time 10s --format json > answers.json\n  \
    plimsoll check models/ --expect --cache --format junit  (in a build)\n\n\
    Exit codes: 0 all proved, 1 something violated, 2 error in use or input, 3 something unknown.")]
pub struct Arguments {
    /// Models, and folders with models (*.pml, *.prom, *.promela, *.spin); `-` is the standard input
    #[arg(value_name = "MODEL")]
    models: Vec<PathBuf>,

    #[command(flatten)]
    reading: ReadingArguments,

    /// Which runs count for progress, formulas and claims
    #[arg(long, value_enum, default_value_t = FairnessChoice::None)]
    fair: FairnessChoice,

    #[command(flatten)]
    pub limits: LimitArguments,

    #[command(flatten)]
    disk: DiskArguments,

    #[command(flatten)]
    pub output: OutputArguments,

    /// What to check if no model is named
    #[arg(long, value_name = "FILE", default_value = config::NAME, help_heading = "Builds")]
    config: PathBuf,

    /// Keep answers of several models, and use those of models that have not changed
    #[arg(long, help_heading = "Builds")]
    cache: bool,
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
    let mut options = CheckOptions { fairness: arguments.fair.into(), ..CheckOptions::default() };
    arguments.limits.apply(&mut options);
    arguments.disk.apply(&mut options);
    if let Some(only) = arguments.one_model() {
        let model = ModelArguments { model: only.to_path_buf(), reading: arguments.reading.clone() };
        return ask::about_one_model(&model, &options, &arguments.output);
    }
    match run_of(arguments, options) {
        Ok(run) => about_many_models(arguments, &run),
        Err(message) => {
            complain_line!("error: {message}");
            exit::ERROR
        }
    }
}

/// Many models, and how to judge what comes out.
struct Run {
    jobs: Vec<Job>,
    judge: Judge,
    cache: bool,
    /// Bytes for everything.
    memory: Option<usize>,
}

fn run_of(arguments: &Arguments, options: CheckOptions) -> Result<Run, String> {
    if arguments.output.trace.is_some() {
        return Err("--trace is for one model; for several there is --traces".to_string());
    }
    if options.search.disk.is_some() {
        return Err("--disk and --resume are for one model".to_string());
    }
    if let Some(folder) = &arguments.output.html {
        if folder.is_file() {
            let file = folder.display();
            return Err(format!("`{file}` is a file; for several models --html names a folder"));
        }
        files::make_folder(folder)?;
    }
    let mut judge = arguments.output.judge.read()?;
    let memory = options.memory_limit;
    let usual = Job {
        path: PathBuf::new(),
        name: String::new(),
        reading: arguments.reading.clone(),
        options: CheckOptions { started: None, threads: 1, ..options },
        time: arguments.limits.time,
        expected: Vec::new(),
    };
    if !arguments.models.is_empty() {
        let models = collect(&arguments.models)?.into_iter();
        let job = |path: PathBuf| Job { name: path.display().to_string(), path, ..usual.clone() };
        return Ok(Run { jobs: models.map(job).collect(), judge, cache: arguments.cache, memory });
    }
    if !arguments.config.exists() {
        let config = arguments.config.display();
        return Err(format!("no model is named, and there is no `{config}` that says what to check"));
    }
    let config = Config::read(&arguments.config)?;
    let folder = arguments.config.parent().unwrap_or(Path::new(""));
    judge.expect = true;
    let jobs = config.jobs(folder, &usual, collect)?;
    let memory = arguments.limits.memory.or(config.memory()?).or(memory);
    Ok(Run { jobs, judge, cache: arguments.cache || config.cache, memory })
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
    let entries = std::fs::read_dir(folder).map_err(|error| {
        let why = files::why(&error, "there is no such folder");
        format!("cannot read the folder `{}`: {why}", folder.display())
    })?;
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
    Checked(Box<Checked>),
    Unusable(Unusable),
    /// It could not even be read in time.
    OutOfTime,
}

/// The answers about one of many models.
struct Checked {
    /// In the form that machines read.
    document: Value,
    /// What its comments say to expect.
    expected: Vec<Result<Expectation, String>>,
    /// What was found; `None` if the answers were known before.
    found: Option<(Loaded, CheckReport)>,
}

/// Several models at a time, one thread each; the lines come in the order of the models.
fn about_many_models(arguments: &Arguments, run: &Run) -> u8 {
    let at_once = arguments.limits.threads().min(run.jobs.len()).max(1);
    let printer = Printer::new(arguments, run);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = run.jobs.get(index) else { break };
                    // What is known is kept; the other models are not begun.
                    if interrupted().load(Ordering::Relaxed) {
                        break;
                    }
                    printer.line.begin(&job.name);
                    let outcome = about_one_of_many(arguments, run, at_once, job);
                    printer.line.end(&job.name);
                    printer.done(index, outcome);
                }
            });
        }
    });
    printer.finish()
}

/// Reads and checks one of many models, in its own time.
fn about_one_of_many(arguments: &Arguments, run: &Run, at_once: usize, job: &Job) -> Outcome {
    let time = TimeLimit { since: Instant::now(), ..job.time };
    let flag = interrupted();
    let is_over = move || time.is_over() || flag.load(Ordering::Relaxed);
    let system = match interrupt::until(is_over, || input::load_quietly(&job.reading, &job.path)) {
        Ok(Ok(system)) => system,
        Ok(Err(unusable)) => return Outcome::Unusable(unusable),
        Err(Interrupted) => return Outcome::OutOfTime,
    };
    let mut options = CheckOptions {
        started: Some(time.since),
        memory_limit: run.memory,
        threads: 1,
        ..job.options.clone()
    };
    apply_memory(&mut options, at_once);
    let expected = judge::expectations(&system, &job.expected);
    // Only these forms can be made of answers that were kept.
    let can_be_known = matches!(arguments.output.format, Format::Text | Format::Json | Format::Junit)
        && arguments.output.traces.is_none()
        && arguments.output.html.is_none();
    let place = (run.cache && can_be_known).then(|| cache::place(job, &system)).flatten();
    if let Some(document) = place.as_deref().and_then(cache::known) {
        return Outcome::Checked(Box::new(Checked { document, expected, found: None }));
    }
    let supervisor = Supervisor::none().cancelled_by(interrupted()).weighed_by(taken_memory);
    let report = verify::check(&system, &options, &supervisor);
    let document = json::model(&job.name, &system, &report, &[]);
    if let Some(place) = &place {
        cache::keep(place, &document);
    }
    let loaded = Loaded { system, warnings: Vec::new() };
    Outcome::Checked(Box::new(Checked { document, expected, found: Some((loaded, report)) }))
}

/// A model's name in the table: the folder, if there is only one, is known.
fn short(arguments: &Arguments, name: &str) -> String {
    match &arguments.models[..] {
        [folder] => {
            let folder = folder.display().to_string();
            let inside = name.strip_prefix(&folder).map(|inside| inside.trim_start_matches('/'));
            inside.unwrap_or(name).to_string()
        }
        _ => name.to_string(),
    }
}

/// Prints what is ready in the order of the models.
struct Printer<'a> {
    arguments: &'a Arguments,
    run: &'a Run,
    layout: table::Layout,
    line: Arc<FolderLine>,
    started: Instant,
    state: Mutex<Printed>,
}

#[derive(Default)]
struct Printed {
    waiting: Vec<(usize, Outcome)>,
    next: usize,
    documents: Vec<Value>,
    sarif: SarifResults,
    junit: Junit,
    pages: Vec<(String, String, Value)>,
    /// Models that have none, with the reason.
    unusable: Vec<(String, String)>,
    totals: table::Totals,
    kept: OfMany,
    codes: Vec<u8>,
}

impl<'a> Printer<'a> {
    fn new(arguments: &'a Arguments, run: &'a Run) -> Printer<'a> {
        let palette = Palette::new(terminal::colour_of_output());
        let names = run.jobs.iter().map(|job| short(arguments, &job.name));
        let layout = table::Layout::new(names, palette, terminal::columns());
        if arguments.output.format == Format::Text {
            files::print(&layout.head());
        }
        let line = FolderLine::start(run.jobs.len(), arguments.output.quiet);
        Printer {
            arguments,
            run,
            layout,
            line,
            started: Instant::now(),
            state: Mutex::new(Printed::default()),
        }
    }

    fn done(&self, index: usize, outcome: Outcome) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting.push((index, outcome));
        while let Some(position) = state.waiting.iter().position(|(index, _)| *index == state.next) {
            let (index, outcome) = state.waiting.swap_remove(position);
            state.next += 1;
            self.line.make_way(|| self.print(&self.run.jobs[index], outcome, &mut state));
        }
    }

    fn print(&self, job: &Job, outcome: Outcome, state: &mut Printed) {
        match outcome {
            Outcome::Checked(checked) => self.print_checked(job, *checked, state),
            Outcome::OutOfTime => {
                let message = format!("UNKNOWN: {}", job.time);
                let unusable = Unusable { message, system: None, diagnostics: Vec::new() };
                state.totals.answers.unknown += 1;
                state.codes.push(exit::UNKNOWN);
                self.print_unusable(job, &unusable, state);
            }
            Outcome::Unusable(unusable) => {
                state.totals.unusable += 1;
                state.codes.push(exit::ERROR);
                self.print_unusable(job, &unusable, state);
            }
        }
    }

    fn print_checked(&self, job: &Job, checked: Checked, state: &mut Printed) {
        let output = &self.arguments.output;
        let Checked { document, expected, found } = checked;
        let name = &job.name;
        if let Some((loaded, report)) = &found {
            let model = ModelArguments { model: job.path.clone(), reading: job.reading.clone() };
            let subject = ask::Subject { model: &model, loaded, added: &[] };
            let found = ask::counterexamples(&subject, report);
            match ask::write_traces(&job.path, &found, output) {
                Ok(written) if written.is_empty() && !output.no_keep => state.kept.keep(&job.path, &found),
                Ok(_) => {}
                Err(message) => {
                    complain_line!("error: {message}");
                    state.codes.push(exit::ERROR);
                }
            }
        } else if code_of(&document) == exit::VIOLATED {
            state.kept.known(&job.path);
        }
        if let (Some(folder), Some((loaded, report))) = (&output.html, &found) {
            let file = format!("{:03}-{}.html", state.pages.len() + 1, page_name(name));
            if let Err(message) = ask::write_html(&folder.join(&file), &job.path, &loaded.system, report) {
                complain_line!("error: {message}");
                state.codes.push(exit::ERROR);
            }
            state.pages.push((name.clone(), file, document.clone()));
        }
        state.totals.count(&document);
        let usual =
            found.as_ref().map_or_else(|| code_of(&document), |(_, report)| ask::exit_code_of(report));
        let judged = self.run.judge.judge(name, &document, &expected, usual);
        state.codes.push(judged.code);
        match (output.format, &found) {
            (Format::Text, _) => {
                let row = Row::of(&short(self.arguments, name), &document);
                let row = if found.is_none() { row.known_before() } else { row };
                files::print(&self.layout.row(&row));
                judged.lines.iter().for_each(|line| files::print(&self.layout.remark(line)));
            }
            (Format::Json, _) => state.documents.push(document),
            (Format::Junit, _) => state.junit.add(name, &document, &judged.comparison),
            (Format::Spin, Some((loaded, report))) => {
                files::print(&format!("{name}\n{}", spin::block(&loaded.system, report)));
            }
            (Format::Sarif, Some((loaded, report))) => state.sarif.add(name, &loaded.system, report),
            (Format::Github, Some((loaded, report))) => {
                files::print(&annotations::github(name, &loaded.system, report, &judged.comparison));
            }
            (Format::Spin | Format::Sarif | Format::Github, None) => {}
        }
    }

    fn print_unusable(&self, job: &Job, unusable: &Unusable, state: &mut Printed) {
        let Unusable { message, system, diagnostics } = unusable;
        let name = &job.name;
        let sources = system.as_ref().map(|system| &system.model.sources);
        state.unusable.push((name.clone(), ask::in_short(message, sources, diagnostics)));
        match self.arguments.output.format {
            Format::Text => {
                // The name stands before it already.
                let message = ask::in_short(message, sources, diagnostics);
                let message = message.replacen(&format!("{}:", job.path.display()), "", 1);
                files::print(&self.layout.unusable(&short(self.arguments, name), &message));
            }
            Format::Json => state.documents.push(json::unusable(name, message, sources, diagnostics)),
            Format::Spin => files::print(&format!("{name}: {message}\n")),
            Format::Sarif => state.sarif.add_unusable(name, message, sources, diagnostics),
            Format::Junit => state.junit.add_unusable(name, &ask::in_short(message, sources, diagnostics)),
            Format::Github => {
                files::print(&annotations::github_unusable(name, message, sources, diagnostics));
            }
        }
    }

    fn finish(self) -> u8 {
        self.line.finish();
        // After an interruption there are gaps, and what comes behind them still waits.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut behind_gaps = std::mem::take(&mut state.waiting);
        behind_gaps.sort_by_key(|(index, _)| *index);
        let jobs = &self.run.jobs;
        let missing = jobs.len() - state.next - behind_gaps.len();
        for (index, outcome) in behind_gaps {
            self.print(&jobs[index], outcome, &mut state);
        }
        if let Some(folder) = &self.arguments.output.html {
            let index = folder.join("index.html");
            match files::write(&index, &html::index(&state.pages, &state.unusable)) {
                Ok(()) => ask::tell_page(&index, &self.arguments.output),
                Err(message) => {
                    complain_line!("error: {message}");
                    state.codes.push(exit::ERROR);
                }
            }
        }
        match self.arguments.output.format {
            Format::Text => {
                state.totals.seconds = self.started.elapsed().as_secs_f64();
                files::print_fitted(&format!("{}\n", state.totals));
                if let Some(command) = state.kept.command().filter(|_| !self.arguments.output.quiet) {
                    files::print_fitted(&format!("to see how: {command}\n"));
                }
            }
            Format::Json => files::print(&json::several(std::mem::take(&mut state.documents))),
            Format::Sarif => files::print(&std::mem::take(&mut state.sarif).document()),
            Format::Junit => files::print(&state.junit.document()),
            Format::Spin | Format::Github => {}
        }
        if missing > 0 {
            complain_line!("interrupted: {missing} of {} models were not checked", jobs.len());
            state.codes.push(exit::UNKNOWN);
        }
        // Something violated outranks an unreadable neighbour only if everything could be read: 2 says that the input is wrong.
        let worst = [exit::ERROR, exit::VIOLATED, exit::UNKNOWN];
        worst.into_iter().find(|code| state.codes.contains(code)).unwrap_or(exit::PROVED)
    }
}

/// A model's name as part of a file's name.
fn page_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '-' }).collect()
}

/// The exit code of answers that were kept.
fn code_of(document: &Value) -> u8 {
    let of = |word: &str| document["summary"][word].as_u64().unwrap_or(0) > 0;
    match (of("violated"), of("unknown")) {
        (true, _) => exit::VIOLATED,
        (false, true) => exit::UNKNOWN,
        (false, false) => exit::PROVED,
    }
}
