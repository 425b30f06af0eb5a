//! Asking about one model and saying what the answers are: what `check` and the single questions have in common.

use crate::exit;
use crate::files;
use crate::input::{self, Loaded, ModelArguments, STDIN, Unusable};
use crate::judge::{self, JudgeArguments, Judged};
use crate::kept;
use crate::limits;
use crate::terminal;
use crate::watch::{ProgressLine, interrupted};
use certificate::Certificate;
use certificate::verdict::Verdict;
use clap::{Args, ValueEnum};
use promela::diagnostic::{Diagnostic, Severity};
use promela::interrupt;
use promela::source::SourceMap;
use report::annotations::{self, SarifResults};
use report::columns;
use report::diagnostic::render_short;
use report::html;
use report::json;
use report::junit::Junit;
use report::spin;
use report::style::Palette;
use report::text::{self, Detail, TextOptions};
use report::trace_file::{AddedText, TraceFile};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use system::automaton::System;
use system::progress::{ProgressAt, ProgressStatements};
use verify::{Answer, CheckOptions, CheckReport, Event, Question, Summary, Supervisor};

/// How to say it, and what to write.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub struct OutputArguments {
    /// How to say it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Verdicts only
    #[arg(short, long)]
    pub quiet: bool,

    /// Everything that is known: each buffer, how proofs were found, all suspicious cycles, whole runs
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,

    /// Do not keep counterexamples for `plimsoll replay`
    #[arg(long)]
    pub no_keep: bool,

    /// Write the first counterexample here, for `plimsoll replay`
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// Write every counterexample into this folder
    #[arg(long, value_name = "DIR")]
    pub traces: Option<PathBuf>,

    /// Write a report to look at: one page with charts, a stepper, plots and graphs; for several models a folder of pages
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// List the statements that no run executes
    #[arg(long)]
    pub unreached: bool,

    #[command(flatten)]
    pub judge: JudgeArguments,
}

/// How to say it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For machines: docs/schema/plimsoll-1.json
    Json,
    /// The block of figures that SPIN's verifier prints
    Spin,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of a hosted build
    Github,
    /// Test results for build servers: a suite for each model, a case for each question
    Junit,
}

/// Checks one model as the options say, prints and writes what is wanted, and chooses the exit code.
pub fn about_one_model(model: &ModelArguments, options: &CheckOptions, output: &OutputArguments) -> u8 {
    about_one_model_with_certificate(model, options, output, None)
}

/// The same, and writes the certificates of what is proved, one or a list of them.
pub fn about_one_model_with_certificate(
    model: &ModelArguments,
    options: &CheckOptions,
    output: &OutputArguments,
    certificate: Option<&Path>,
) -> u8 {
    // Whoever asks for a certificate waits for it.
    let options = &CheckOptions { thorough: options.thorough || certificate.is_some(), ..options.clone() };
    let loaded = match output.format {
        Format::Text | Format::Spin => input::load_with(model, &[]),
        // A program reads this: what is wrong with the model comes in the form that was asked for.
        Format::Json | Format::Sarif | Format::Github | Format::Junit => {
            input::load_quietly(&model.reading, &model.model)
                .map(|system| Loaded { system, warnings: Vec::new() })
                .map_err(|unusable| {
                    files::print(&unusable_as(output.format, &input::name_of(&model.model), &unusable));
                    exit::ERROR
                })
        }
    };
    match loaded {
        Ok(loaded) => {
            about_system(&Subject { model, loaded: &loaded, added: &[] }, options, output, certificate)
        }
        Err(code) => code,
    }
}

/// There was not even enough time or memory to say what is known.
pub fn give_up(format: Format, name: &str, why: &str) {
    let unusable = Unusable { message: format!("UNKNOWN: {why}"), system: None, diagnostics: Vec::new() };
    files::print(&unusable_as(format, name, &unusable));
}

/// A model that cannot be used, as a whole document.
fn unusable_as(format: Format, name: &str, unusable: &Unusable) -> String {
    let Unusable { message, system, diagnostics } = unusable;
    let sources = system.as_ref().map(|system| &system.model.sources);
    match format {
        Format::Text | Format::Spin => format!("{name}: {message}\n"),
        Format::Json => json::one(json::unusable(name, message, sources, diagnostics)),
        Format::Sarif => {
            let mut sarif = SarifResults::default();
            sarif.add_unusable(name, message, sources, diagnostics);
            sarif.document()
        }
        Format::Github => annotations::github_unusable(name, message, sources, diagnostics),
        Format::Junit => {
            let mut junit = Junit::default();
            junit.add_unusable(name, &in_short(message, sources, diagnostics));
            junit.document()
        }
    }
}

/// What is asked about.
pub struct Subject<'a> {
    /// The model as it was named.
    pub model: &'a ModelArguments,
    /// What was read.
    pub loaded: &'a Loaded,
    /// What was added to it.
    pub added: &'a [AddedText],
}

/// What is wrong with a model, in a line.
pub fn in_short(message: &str, sources: Option<&SourceMap>, diagnostics: &[Diagnostic]) -> String {
    let error = diagnostics.iter().find(|d| d.severity == Severity::Error).or(diagnostics.first());
    sources.zip(error).map_or_else(|| message.to_string(), |(sources, error)| render_short(sources, error))
}

/// The same for a model that was read already, with what was added to it.
pub fn about_system(
    subject: &Subject<'_>,
    options: &CheckOptions,
    output: &OutputArguments,
    certificate: Option<&Path>,
) -> u8 {
    // From here on the time is kept by whoever searches and proves, so that what is known can still be said.
    interrupt::undisturbed(|| ask_and_say(subject, options, output, certificate))
}

fn ask_and_say(
    subject: &Subject<'_>,
    options: &CheckOptions,
    output: &OutputArguments,
    certificate: Option<&Path>,
) -> u8 {
    let (model, system) = (subject.model.model.as_path(), &subject.loaded.system);
    let judge = match verify::not_there(system, options).map_or_else(|| output.judge.read(), Err) {
        Ok(judge) => judge,
        Err(message) => {
            complain_line!("error: {message}");
            return exit::ERROR;
        }
    };
    let report = watched(system, options, output.quiet);
    // What cannot be written is no reason to keep back what was found.
    let mut failures: Vec<String> = Vec::new();
    let mut attempt = |written: Result<(), String>| failures.extend(written.err());
    attempt(certificate.map_or(Ok(()), |path| write_certificates(path, &report)));
    let traces = counterexamples(subject, &report);
    let mut written = write_traces(model, &traces, output).unwrap_or_else(|message| {
        failures.push(message);
        Vec::new()
    });
    if !output.no_keep && written.is_empty() {
        written = kept::keep(model, &traces);
    }
    let name = input::name_of(model);
    let document = json::model(&name, system, &report, subject.added);
    let expected = judge::expectations(system, &[]);
    let judged = judge.judge(&name, &document, &expected, exit_code_of(&report));
    say(&name, system, &report, output, &written, document, &judged);
    if output.format == Format::Text && !output.quiet {
        subject.loaded.tell_warnings(&subject.model.reading);
    }
    // Last, because the page looks for runs of its own to show.
    if let Some(path) = &output.html {
        match write_html(path, model, system, &report) {
            Ok(()) => tell_page(path, output),
            Err(message) => failures.push(message),
        }
    }
    failures.iter().for_each(|message| complain_line!("error: {message}"));
    match failures.is_empty() {
        true => judged.code,
        false => exit::ERROR,
    }
}

/// Where the page is, for somebody who sits there and waits for it.
pub fn tell_page(path: &Path, output: &OutputArguments) {
    if output.format == Format::Text && !output.quiet && terminal::can_redraw() {
        complain_line!("the page: {}", path.display());
    }
}

pub fn write_html(file: &Path, model: &Path, system: &System, report: &CheckReport) -> Result<(), String> {
    let fillings = verify::fillings(system, report);
    let loops = crate::loops::loops(system);
    let name = model.display().to_string();
    files::write(file, &html::page(&name, system, report, &fillings, loops.as_ref()))
}

/// Runs a check with the progress line and Ctrl-C.
pub fn watched(system: &System, options: &CheckOptions, quiet: bool) -> CheckReport {
    // By now the model is read.
    let mut options = options.clone();
    limits::apply_memory(&mut options, 1);
    let line = ProgressLine::start(quiet, aside(system, &options));
    let told = Arc::clone(&line);
    let supervisor = Supervisor::none()
        .cancelled_by(interrupted())
        .weighed_by(limits::taken_memory)
        .watched_by(Arc::new(move |event| match event {
            Event::Ended => limits::the_rest_is_words(),
            event => told.event(event),
        }));
    let report = verify::check(system, &options, &supervisor);
    line.clear();
    report
}

/// Questions that `check` asks because their answers are good to know, and leaves out if there is nothing to ask about.
fn aside(system: &System, options: &CheckOptions) -> Vec<Question> {
    let among_all = options.questions.deadlock;
    let has_buffers = system.model.channel_types.iter().any(|channel| channel.capacity > 0);
    let is_marked = options.progress_at != ProgressAt::Labels
        || !ProgressStatements::new(system, &ProgressAt::Labels).is_empty();
    let mut aside = Vec::new();
    aside.extend((among_all && !has_buffers).then_some(Question::Buffers));
    aside.extend((among_all && !is_marked).then_some(Question::Progress));
    aside
}

/// The exit code of one model. Where answers contradict each other there is a defect, and no other answer is worth more than that.
pub fn exit_code_of(report: &CheckReport) -> u8 {
    if report.is_contradictory() { exit::UNKNOWN } else { exit_code(&report.summary()) }
}

/// 0 if everything is proved, 1 if something is violated, 3 if something is unknown and nothing is violated.
fn exit_code(summary: &Summary) -> u8 {
    match (summary.violated, summary.unknown) {
        (0, 0) => exit::PROVED,
        (0, _) => exit::UNKNOWN,
        _ => exit::VIOLATED,
    }
}

fn say(
    name: &str,
    system: &System,
    report: &CheckReport,
    output: &OutputArguments,
    written: &[Written],
    document: Value,
    judged: &Judged,
) {
    match output.format {
        Format::Text => {
            files::print(&as_text(name, system, report, output, written));
            judged.lines.iter().for_each(|line| say_line!("{line}"));
        }
        Format::Json => files::print(&json::one(document)),
        Format::Junit => {
            let mut junit = Junit::default();
            junit.add(name, &document, &judged.comparison);
            files::print(&junit.document());
        }
        Format::Spin => files::print(&spin::block(system, report)),
        Format::Sarif => {
            let mut sarif = SarifResults::default();
            sarif.add(name, system, report);
            files::print(&sarif.document());
        }
        Format::Github => {
            files::print(&annotations::github(name, system, report, &judged.comparison));
        }
    }
}

fn as_text(
    name: &str,
    system: &System,
    report: &CheckReport,
    output: &OutputArguments,
    written: &[Written],
) -> String {
    let palette = Palette::new(terminal::colour_of_output());
    let width = terminal::columns();
    let show_command = |answer: &Answer| {
        let question = answer.question.to_string();
        written.iter().find(|written| written.question == question).map(|written| written.command.clone())
    };
    let detail = match (output.quiet, output.verbose) {
        (true, _) => Detail::Verdicts,
        (false, true) => Detail::Everything,
        (false, false) => Detail::Usual,
    };
    // A search on its own is asked for its figures too; in a check they would only be in the way.
    let figures = report.search.is_some() && report.answer(&Question::Buffers).is_none();
    let options = TextOptions { palette, width, show_command: &show_command, detail, figures };
    let mut out = text::report(name, system, report, &options);
    if output.unreached {
        out.push_str(&columns::fitted(&text::unreached(system, report), width));
    }
    if !output.quiet && written.is_empty() && report.summary().violated > 0 {
        out.push_str(&columns::fitted("to see how: add --traces DIR, then plimsoll replay FILE\n", width));
    }
    out
}

/// As a shell reads it as one word.
pub fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    match !path.is_empty() && path.chars().all(plain) {
        true => path.to_string(),
        false => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

/// A counterexample, and the question that it answers.
pub struct Found {
    /// The question's name as part of a file's name.
    pub stem: String,
    /// The run.
    pub trace: TraceFile,
}

/// Where a counterexample can be seen.
pub struct Written {
    /// Of which question.
    pub question: String,
    /// What to type.
    pub command: String,
}

/// All counterexamples of a report; each knows how the model was read.
pub fn counterexamples(subject: &Subject<'_>, report: &CheckReport) -> Vec<Found> {
    let violated = report.answers.iter().filter(|a| matches!(a.verdict, Verdict::Violated(_)));
    let found = violated.filter_map(|answer| {
        let mut trace = TraceFile::of(&subject.loaded.system, answer)?;
        trace.added = subject.added.to_vec();
        trace.source = (subject.model.model != Path::new(STDIN)).then(|| subject.model.source());
        Some(Found { stem: json::file_stem(&answer.question), trace })
    });
    found.collect()
}

/// Writes the counterexamples that are wanted; returns which question's is where.
pub fn write_traces(model: &Path, found: &[Found], output: &OutputArguments) -> Result<Vec<Written>, String> {
    let mut written = Vec::new();
    let mut note = |found: &Found, path: &Path| {
        let command = format!("plimsoll replay {}", quoted(&path.display().to_string()));
        written.push(Written { question: found.trace.question.clone().unwrap_or_default(), command });
    };
    if let Some(path) = &output.trace {
        match found.first() {
            Some(first) => {
                files::write(path, &first.trace.to_json())?;
                note(first, path);
            }
            None => complain_line!("note: `{}` is not written: there is no counterexample", path.display()),
        }
    }
    if let Some(folder) = &output.traces
        && !found.is_empty()
    {
        files::make_folder(folder)?;
        let stem = model.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        for found in found {
            let path = folder.join(format!("{stem}.{}.json", found.stem));
            files::write(&path, &found.trace.to_json())?;
            note(found, &path);
        }
    }
    Ok(written)
}

/// All certificates of a report, each once, on a line of its own without blanks (laid out, a large one takes five times the room); nothing
/// is written if there is none.
fn write_certificates(path: &Path, report: &CheckReport) -> Result<(), String> {
    let mut certificates: Vec<&Certificate> = Vec::new();
    for certificate in report.answers.iter().filter_map(Answer::certificate) {
        if !certificates.iter().any(|known| std::ptr::eq(*known, certificate) || *known == certificate) {
            certificates.push(certificate);
        }
    }
    let lines: Vec<String> = certificates
        .iter()
        .map(|certificate| serde_json::to_string(certificate).unwrap_or_default())
        .collect();
    match &lines[..] {
        [] => {
            complain_line!("note: `{}` is not written: nothing was proved by a certificate", path.display());
            Ok(())
        }
        [one] => files::write(path, &format!("{one}\n")),
        several => files::write(path, &format!("[\n{}\n]\n", several.join(",\n"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_blanks_and_quotes_can_be_pasted_into_a_shell() {
        assert_eq!(quoted("out/ping-2.json"), "out/ping-2.json");
        assert_eq!(quoted("my models/a.pml"), "'my models/a.pml'");
        assert_eq!(quoted("it's.pml"), "'it'\\''s.pml'");
    }
}
