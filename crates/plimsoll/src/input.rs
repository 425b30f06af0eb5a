//! Reading models: files, includes, macros from the command line; and saying what is wrong with them.

use clap::Args;
use promela::diagnostic::{Diagnostic, Severity};
use promela::{IncludeLoader, Options};
use report::diagnostic::{Colour, render};
use report::trace_file::AddedText;
use std::io::IsTerminal;
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

    /// Do not print warnings
    #[arg(long, conflicts_with = "strict")]
    pub no_warnings: bool,
}

fn parse_define(text: &str) -> Result<(String, String), String> {
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

/// Reads and lowers the model; diagnostics go to the standard error. `Err` is the exit code of a model that cannot be used.
pub fn load(arguments: &ModelArguments) -> Result<System, u8> {
    load_with(arguments, &[])
}

/// The same with something added at the end of the model, so that the model's macros hold in it.
pub fn load_with(arguments: &ModelArguments, additions: &[AddedText]) -> Result<System, u8> {
    let model = &arguments.model;
    let arguments = &arguments.reading;
    let (system, diagnostics) = read(arguments, model, additions).map_err(|message| {
        complain_line!("error: {message}");
        crate::exit::ERROR
    })?;
    let unusable = diagnostics.iter().any(|d| d.severity == Severity::Error || arguments.strict);
    let mut shown: Vec<Diagnostic> = diagnostics
        .into_iter()
        .filter(|d| d.severity == Severity::Error || !arguments.no_warnings)
        .map(|d| if arguments.strict { Diagnostic { severity: Severity::Error, ..d } } else { d })
        .collect();
    let errors = shown.iter().filter(|d| d.severity == Severity::Error).count();
    let left_out = shown.len().saturating_sub(MOST_DIAGNOSTICS);
    // Whoever has a hundred has one, many times over. Of too many, warnings are the first that nobody needs.
    if left_out > 0 {
        shown.sort_by_key(|d| d.severity != Severity::Error);
        shown.truncate(MOST_DIAGNOSTICS);
    }
    complain!("{}", render(&system.model.sources, &shown, colour_of_errors()));
    if left_out > 0 {
        complain_line!("\nand {left_out} more");
    }
    if unusable {
        complain_line!("\n{}: {}", model.display(), verify::counted(errors, "error"));
        return Err(crate::exit::ERROR);
    }
    Ok(system)
}

fn read(
    arguments: &ReadingArguments,
    model: &Path,
    additions: &[AddedText],
) -> Result<(System, Vec<Diagnostic>), String> {
    let name = model.display().to_string();
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

pub fn read_text(path: &Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("cannot read `{}`: {e}", path.display()))?;
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
            None => Err(format!("cannot find `{name}`")),
        }
    }
}

pub fn colour_of_errors() -> Colour {
    if std::io::stderr().is_terminal() { Colour::Styled } else { Colour::Plain }
}

/// Colours for the standard output.
pub fn colour_of_output() -> Colour {
    if std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        Colour::Styled
    } else {
        Colour::Plain
    }
}
