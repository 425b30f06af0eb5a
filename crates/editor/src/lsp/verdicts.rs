//! What the engines say about a text: asked beside the editor's loop, shown as diagnostics, hovers and lenses.

use crate::place::{Encoding, visible_location, visible_range};
use crate::reading::{ROOT, Reading};
use crate::run::Run;
use certificate::verdict::{StopReason, Verdict};
use lsp_types::{
    CodeLens, Command, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, NumberOrString,
};
use promela::source::{FileId, Span};
use serde_json::json;
use std::sync::Arc;
use system::automaton::System;
use system::state::Pid;
use verify::{Answer, CheckReport, Counterexample, Question, hints};

/// Answers about one text, as it was when it was asked about.
#[derive(Clone, Debug)]
pub struct Verdicts {
    /// What was asked about.
    pub reading: Arc<Reading>,
    /// The answers.
    pub report: CheckReport,
}

/// Steps of a counterexample that are shown beside a diagnostic; editors list them one below the other.
const MOST_STEPS: usize = 60;

/// A diagnostic and the file in which it stands.
pub type Placed = (String, Diagnostic);

impl Verdicts {
    /// Answers to some questions take the places of older ones.
    pub fn add(&mut self, report: CheckReport) {
        let answers = &mut self.report.answers;
        answers.retain(|old| report.answers.iter().all(|new| new.question != old.question));
        answers.extend(report.answers);
    }

    /// What is violated, with the execution that shows it, and what nobody knows.
    pub fn problems(&self, encoding: Encoding) -> Vec<Placed> {
        let shown = |answer: &&Answer| !matches!(answer.question, Question::Buffer(_));
        self.report
            .answers
            .iter()
            .filter(shown)
            .filter_map(|answer| problem(self.reading.system(), answer, encoding))
            .collect()
    }
}

fn problem(system: &System, answer: &Answer, encoding: Encoding) -> Option<Placed> {
    let (severity, message, run) = match &answer.verdict {
        Verdict::Proved(_) => return None,
        Verdict::Violated(counterexample) => {
            let message = format!("{}: {}", answer.question, answer.meaning);
            (DiagnosticSeverity::ERROR, message, run_of(system, counterexample))
        }
        // Whoever stopped it knows.
        Verdict::Unknown(unknown) if unknown.reason == StopReason::Cancelled => return None,
        Verdict::Unknown(unknown) => {
            let reason = hints::reason(&unknown.reason);
            let message = format!("{}: unknown ({reason}); {}", answer.question, answer.meaning);
            (DiagnosticSeverity::INFORMATION, message, None)
        }
    };
    let span = span_of(system, answer, run.as_ref());
    let sources = &system.model.sources;
    let related = run.as_ref().map(|run| steps_of(run, encoding));
    let diagnostic = Diagnostic {
        range: visible_range(sources, span, encoding),
        severity: Some(severity),
        code: Some(NumberOrString::String(answer.question.to_string())),
        source: Some("plimsoll".into()),
        message,
        related_information: related,
        ..Diagnostic::default()
    };
    Some((sources.file(sources.visible_span(span).file).name.clone(), diagnostic))
}

/// The execution that a counterexample is.
pub fn run_of(system: &System, counterexample: &Counterexample) -> Option<Run> {
    let system = counterexample.system(system).into_owned();
    Run::of_trace(system, counterexample.trace(), counterexample.repeats_from()).ok()
}

/// Where a person looks first: the formula, the channel that grows, who waits in a deadlock, else the last statement.
fn span_of(system: &System, answer: &Answer, run: Option<&Run>) -> Span {
    let model = &system.model;
    let beginning = Span { file: ROOT, ..Span::default() };
    match &answer.question {
        Question::Formula(name) => {
            if let Some(formula) = model.formulas.iter().find(|formula| formula.name == *name) {
                return formula.span;
            }
        }
        Question::Claim(name) => {
            if let Some(claim) = model.claims.iter().find(|claim| claim.name == *name) {
                return claim.span;
            }
        }
        Question::Buffers => {
            if let Some(Counterexample::Pump { grows, .. }) = answer.counterexample()
                && let Some(span) = grows.first().and_then(|&channel| declared(system, channel))
            {
                return span;
            }
        }
        _ => {}
    }
    let Some(run) = run else { return beginning };
    if answer.question == Question::Deadlock {
        let waits = |pid: &u32| {
            let process = &run.state(run.last()).processes[*pid as usize];
            !run.system().automaton(process.automaton).location(process.location).end
        };
        let processes = run.state(run.last()).processes.len() as u32;
        if let Some(span) = (0..processes).find(waits).and_then(|pid| run.stands_at(run.last(), Pid(pid))) {
            return span;
        }
    }
    let repeated = run.repeats_from().filter(|&from| from < run.steps().len());
    match repeated.or(run.steps().len().checked_sub(1)) {
        Some(step) => run.edge(step).span,
        None => beginning,
    }
}

/// Where the channel with a number is declared.
fn declared(system: &System, channel: u32) -> Option<Span> {
    let names = verify::channel_names(system);
    let name = names.get(channel as usize)?.as_ref()?;
    let name = name.split(['[', '.']).next()?;
    system.model.globals.iter().find(|global| global.name == name).map(|global| global.span)
}

fn steps_of(run: &Run, encoding: Encoding) -> Vec<DiagnosticRelatedInformation> {
    let sources = &run.system().model.sources;
    let mut steps = Vec::new();
    for index in 0..run.steps().len().min(MOST_STEPS) {
        let Some(location) = visible_location(sources, run.edge(index).span, encoding) else { continue };
        let again = if run.repeats_from() == Some(index) { "again and again from here: " } else { "" };
        let message = format!("step {}: {again}{}", index + 1, run.describe(index));
        steps.push(DiagnosticRelatedInformation { location, message });
    }
    let state = run.state(run.last());
    for pid in 0..state.processes.len() as u32 {
        let place = run.stands_at(run.last(), Pid(pid)).filter(|_| run.repeats_from().is_none());
        if let Some(location) = place.and_then(|span| visible_location(sources, span, encoding)) {
            let who = report::names::process(run.system(), state, Pid(pid));
            let message = format!("after step {}: {who} stands here", run.steps().len());
            steps.push(DiagnosticRelatedInformation { location, message });
        }
    }
    steps
}

/// Above processes and formulas what can be asked, and what was answered.
pub fn lenses(
    reading: &Reading,
    file: FileId,
    verdicts: Option<&Verdicts>,
    uri: &str,
    encoding: Encoding,
) -> Vec<CodeLens> {
    let model = &reading.model;
    let mut lenses = Vec::new();
    let mut lens = |span: Span, title: String, command: &str, question: Option<String>| {
        let arguments = std::iter::once(json!(uri)).chain(question.map(|question| json!(question)));
        let command = Command { title, command: command.into(), arguments: Some(arguments.collect()) };
        let range = visible_range(reading.sources(), span, encoding);
        lenses.push(CodeLens { range, command: Some(command), data: None });
    };
    if !reading.is_usable() {
        return Vec::new();
    }
    let answer = |question: &Question| verdicts.and_then(|verdicts| verdicts.report.answer(question));
    for proctype in model.proctypes.iter().filter(|proctype| proctype.span.file == file) {
        let title = match verdicts.map(|verdicts| verdicts.report.summary()) {
            Some(summary) => format!("check: {}", report::text::summary(&summary)),
            None => "check".into(),
        };
        lens(proctype.span, title, CHECK, None);
        lens(proctype.span, "simulate".into(), SIMULATE, None);
        lens(proctype.span, "prove".into(), PROVE, None);
    }
    let formulas = model.formulas.iter().map(|f| (f.span, Question::Formula(f.name.clone())));
    let claims = model.claims.iter().map(|c| (c.span, Question::Claim(c.name.clone())));
    for (span, question) in formulas.chain(claims).filter(|(span, _)| span.file == file) {
        let title = match answer(&question) {
            Some(answer) => format!("check: {} {}", answer.verdict.word(), answer.meaning),
            None => "check".into(),
        };
        lens(span, title, CHECK, Some(question.to_string()));
        lens(span, "prove".into(), PROVE, Some(question.to_string()));
        if answer(&question).is_some_and(|answer| answer.counterexample().is_some()) {
            lens(span, "step through".into(), DEBUG, Some(question.to_string()));
        }
    }
    for answer in verdicts.into_iter().flat_map(|verdicts| &verdicts.report.answers) {
        let Question::Buffer(name) = &answer.question else { continue };
        let variable = name.split(['[', '.']).next().unwrap_or(name);
        let declared = model.globals.iter().find(|g| g.name == variable && g.span.file == file);
        if let (Some(declared), Some(bound)) = (declared, answer.bound) {
            let tight = if bound.tight { " (tight)" } else { "" };
            lens(declared.span, format!("{name} <= {}{tight}", bound.at_most), CHECK, None);
        }
    }
    lenses
}

/// Ask everything, or one question.
pub const CHECK: &str = "plimsoll.check";
/// The same, and go on for certificates and tight bounds.
pub const PROVE: &str = "plimsoll.prove";
/// Run the model.
pub const SIMULATE: &str = "plimsoll.simulate";
/// Step through a counterexample.
pub const DEBUG: &str = "plimsoll.debug";
