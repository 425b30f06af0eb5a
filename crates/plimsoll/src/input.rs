//! Reading models: files, includes, macros from the command line; and saying what is wrong with them.

use crate::{files, terminal};
use clap::Args;
use promela::diagnostic::{Diagnostic, Severity};
use promela::{IncludeLoader, Options};
use report::columns;
use report::diagnostic::render_within;
use report::trace_file::{AddedText, ModelSource};
use report::warnings;
use std::io::Read;
use std::path::{Path, PathBuf};
use system::automaton::System;

/// Diagnostics that are shown at once.
const MOST_DIAGNOSTICS: usize = 100;

/// Options that every command which reads a model has.
#[derive(Args, Clone, Debug)]
pub struct ModelArguments {
    /// The model
    pub model: PathBuf,

    #[command(flatten)]
    pub reading: ReadingArguments,
}

/// How models are read.
#[derive(Args, Clone, Debug)]
pub struct ReadingArguments {
    /// Define a macro before reading, as cc does
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = parse_define)]
    pub defines: Vec<(String, String)>,

    /// Undefine a macro before reading
    #[arg(short = 'U', value_name = "NAME")]
    pub undefines: Vec<String>,

    /// A folder to look for included files in
    #[arg(short = 'I', value_name = "DIR")]
    pub include_folders: Vec<PathBuf>,

    /// Take warnings for errors
    #[arg(long)]
    pub strict: bool,

    /// Show every warning with its place; without it they are summed up
    #[arg(long)]
    pub warnings: bool,

    /// Do not print warnings
    #[arg(long, conflicts_with_all = ["strict", "warnings"])]
    pub no_warnings: bool,
}

impl ModelArguments {
    /// What a counterexample needs to know to be replayed.
    pub fn source(&self) -> ModelSource {
        ModelSource {
            path: self.model.display().to_string(),
            defines: self.reading.defines.clone(),
            undefines: self.reading.undefines.clone(),
            include_folders: self.reading.include_folders.iter().map(|f| f.display().to_string()).collect(),
        }
    }

    /// The model of a counterexample that says which it is; what the command line adds comes after it.
    pub fn of(source: &ModelSource, reading: &ReadingArguments) -> ModelArguments {
        let mut reading = reading.clone();
        reading.defines.splice(..0, source.defines.iter().cloned());
        reading.undefines.splice(..0, source.undefines.iter().cloned());
        reading.include_folders.extend(source.include_folders.iter().map(PathBuf::from));
        ModelArguments { model: PathBuf::from(&source.path), reading }
    }
}

/// Reads `NAME` and `NAME=VALUE`.
pub fn parse_define(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let mut chars = name.chars();
    let starts_well = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if !starts_well || !chars.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(format!("`{name}` is not a name"));
    }
    Ok((name.to_string(), value.to_string()))
}

/// A model that cannot be used: what was read of it, and why.
pub struct Unusable {
    /// In one line.
    pub message: String,
    /// What was understood, if it could be read at all.
    pub system: Option<Box<System>>,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads and lowers the model and prints nothing; for many models at once.
pub fn load_quietly(arguments: &ReadingArguments, model: &Path) -> Result<System, Unusable> {
    let (system, diagnostics) = read(arguments, model, &[]).map_err(|message| Unusable {
        message,
        system: None,
        diagnostics: Vec::new(),
    })?;
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error || arguments.strict).count();
    if errors > 0 {
        let message = verify::counted(errors, "error");
        return Err(Unusable { message, system: Some(Box::new(system)), diagnostics });
    }
    Ok(system)
}

/// A model that can be used, and what is odd about it.
pub struct Loaded {
    /// The model.
    pub system: System,
    /// To be told when the answers are.
    pub warnings: Vec<Diagnostic>,
}

/// Reads and lowers the model; what is wrong or odd goes to the standard error. `Err` is the exit code of a model that cannot be used.
pub fn load(arguments: &ModelArguments) -> Result<System, u8> {
    let loaded = load_with(arguments, &[])?;
    loaded.tell_warnings(&arguments.reading);
    Ok(loaded.system)
}

/// The same with something added at the end of the model, so that the model's macros hold in it. Warnings are for later: the answer comes
/// first.
pub fn load_with(arguments: &ModelArguments, additions: &[AddedText]) -> Result<Loaded, u8> {
    let model = &arguments.model;
    let arguments = &arguments.reading;
    let (system, diagnostics) = read(arguments, model, additions).map_err(|message| {
        complain_line!("error: {message}");
        crate::exit::ERROR
    })?;
    let is_error = |d: &Diagnostic| arguments.strict || is_error(&system, d, additions);
    let (errors, warnings): (Vec<Diagnostic>, Vec<Diagnostic>) = diagnostics.into_iter().partition(is_error);
    let loaded = Loaded { system, warnings };
    if errors.is_empty() {
        return Ok(loaded);
    }
    let errors: Vec<Diagnostic> =
        errors.into_iter().map(|d| Diagnostic { severity: Severity::Error, ..d }).collect();
    show(&loaded.system, &errors);
    if !loaded.warnings.is_empty() && !arguments.no_warnings {
        complain!("\n");
    }
    loaded.tell_warnings(arguments);
    complain_line!("\n{}: {}", name_of(model), verify::counted(errors.len(), "error"));
    Err(crate::exit::ERROR)
}

/// Whether the model cannot be used because of it: a formula that is refused is its own affair, but for one that was added to be asked about.
fn is_error(system: &System, diagnostic: &Diagnostic, additions: &[AddedText]) -> bool {
    let sources = &system.model.sources;
    let file = || &sources.file(sources.visible_span(diagnostic.span).file).name;
    match diagnostic.severity {
        Severity::Error => true,
        Severity::Refused => additions.iter().any(|addition| addition.name == *file()),
        Severity::Warning => false,
    }
}

/// The model with something added that was typed: what is wrong with that is said in a line.
pub fn load_addition(arguments: &ModelArguments, additions: &[AddedText]) -> Result<System, String> {
    let (system, diagnostics) = read(&arguments.reading, &arguments.model, additions)?;
    match diagnostics.into_iter().find(|d| is_error(&system, d, additions)) {
        Some(Diagnostic { message, help: Some(help), .. }) => Err(format!("{message}: {help}")),
        Some(Diagnostic { message, .. }) => Err(message),
        None => Ok(system),
    }
}

impl Loaded {
    /// Says what is odd about the model, as much of it as is wanted.
    pub fn tell_warnings(&self, arguments: &ReadingArguments) {
        let sources = &self.system.model.sources;
        let (refusals, warnings): (Vec<Diagnostic>, Vec<Diagnostic>) =
            self.warnings.iter().cloned().partition(|d| d.severity == Severity::Refused);
        show(&self.system, &refusals);
        if arguments.no_warnings {
            return;
        }
        let warnings = warnings::each_once(sources, warnings);
        match arguments.warnings {
            true => show(&self.system, &warnings),
            false => {
                let width = terminal::width_of_errors().map_or(usize::MAX, columns::usable);
                complain!("{}", warnings::summed_up(sources, &warnings, width));
            }
        }
    }
}

/// Shows diagnostics with their places. Whoever has a hundred has one, many times over.
fn show(system: &System, diagnostics: &[Diagnostic]) {
    let shown = &diagnostics[..diagnostics.len().min(MOST_DIAGNOSTICS)];
    let width = terminal::width_of_errors();
    complain!("{}", render_within(&system.model.sources, shown, terminal::colour_of_errors(), width));
    if diagnostics.len() > shown.len() {
        complain_line!("\nand {} more", verify::grouped((diagnostics.len() - shown.len()) as u64));
    }
}

fn read(
    arguments: &ReadingArguments,
    model: &Path,
    additions: &[AddedText],
) -> Result<(System, Vec<Diagnostic>), String> {
    let name = name_of(model);
    let mut text = read_text(model)?;
    if text.contains('\0') {
        return Err(format!("`{name}` is no text, so it is no model"));
    }
    for number in 0..additions.len() {
        text.push_str(&format!("\n#include \"{ADDITION}{number}\""));
    }
    let options = Options { defines: arguments.defines.clone(), undefines: arguments.undefines.clone() };
    let loader = Folders { include_folders: &arguments.include_folders, additions };
    let (model, mut diagnostics) = promela::read(&name, &text, &options, &loader);
    let (system, from_lowering) = system::lower::lower(model);
    diagnostics.extend(from_lowering);
    let usable = !diagnostics.iter().any(|d| d.severity == Severity::Error);
    if usable && let Some(broken) = system::validate::validate(&system).first() {
        return Err(format!("this is a defect of Plimsoll, please report it: {broken}"));
    }
    Ok((system, diagnostics))
}

/// What the standard input is called on the command line.
pub const STDIN: &str = "-";

/// What a model is called in what is printed.
pub fn name_of(model: &Path) -> String {
    if model == Path::new(STDIN) { "stdin".to_string() } else { model.display().to_string() }
}

pub fn read_text(path: &Path) -> Result<String, String> {
    let bytes = match path == Path::new(STDIN) {
        true => {
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
        }
        false => std::fs::read(path),
    };
    let bytes = bytes.map_err(|error| {
        let missing = match path.to_string_lossy().contains(['*', '?']) {
            true => "there is no such file (name the folder to check all models in it)",
            false => "there is no such file",
        };
        let why = files::why(&error, missing);
        format!("cannot read `{}`: {why}", path.display())
    })?;
    // Old models have comments in old encodings; a byte that is no UTF-8 becomes a replacement character.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What a JSON file of ours is, by its schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// `plimsoll-certificate/…`, or a list of them.
    Certificate,
    /// `plimsoll-trace/…`
    Trace,
    /// `plimsoll/…`
    Answers,
}

/// Which of our files a text is, with its schema; so a mistaken one can be named.
pub fn kind_of(text: impl std::io::Read) -> Option<(FileKind, String)> {
    let schema = certificate::schema::named_in(text)?;
    let kind = match schema.split('/').next()? {
        "plimsoll-certificate" => FileKind::Certificate,
        "plimsoll-trace" => FileKind::Trace,
        "plimsoll" => FileKind::Answers,
        _ => return None,
    };
    Some((kind, schema))
}

/// Includes are looked for beside the including file, then in the folders given with `-I`.
struct Folders<'a> {
    include_folders: &'a [PathBuf],
    additions: &'a [AddedText],
}

/// How additions are named where they are included; no file has a name with this in it.
const ADDITION: &str = "\u{1}addition";

impl IncludeLoader for Folders<'_> {
    fn load(&self, name: &str, included_from: &str) -> Result<(String, String), String> {
        let number = name.strip_prefix(ADDITION).and_then(|number| number.parse::<usize>().ok());
        if let Some(addition) = number.and_then(|number| self.additions.get(number)) {
            return Ok((addition.name.clone(), addition.text.clone()));
        }
        let beside = Path::new(included_from).parent().map(Path::to_path_buf).unwrap_or_default();
        let folders = std::iter::once(&beside).chain(self.include_folders);
        let found = folders.map(|f| f.join(name)).find(|p| p.is_file());
        match found {
            Some(path) => Ok((path.display().to_string(), read_text(&path)?)),
            None => Err("there is no such file beside this one, nor in a folder named by -I".to_string()),
        }
    }
}
