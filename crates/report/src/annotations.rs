//! Answers where others expect them: annotations of a hosted build, and SARIF 2.1.0 for code scanning.

use crate::expect::Comparison;
use crate::names;
use crate::waiting::waiting;
use certificate::trace::{ReplayError, Trace, replay};
use certificate::verdict::Verdict;
use promela::diagnostic::Diagnostic;
use promela::source::{SourceMap, Span};
use serde_json::{Value, json};
use std::fmt::Write;
use system::automaton::System;
use system::interpreter::Step;
use verify::{Answer, CheckReport, Question, hints};

/// One workflow command a line for everything that is not proved and that nobody expects to be so, and for what is expected in vain.
pub fn github(model: &str, system: &System, report: &CheckReport, expected: &Comparison) -> String {
    let mut out = String::new();
    let is_met = |answer: &Answer| expected.met.contains(&answer.question.to_string());
    for answer in report.answers.iter().filter(|answer| is_shown(answer) && !is_met(answer)) {
        let level = if matches!(answer.verdict, Verdict::Violated(_)) { "error" } else { "warning" };
        let line = place(system, answer).map_or(1, |place| place.line);
        let title = format!("{} {}", answer.question, answer.verdict.word());
        let _ = writeln!(
            out,
            "::{level} file={},line={line},title={}::{}",
            property(model),
            property(&title),
            message(&explained(answer))
        );
    }
    for line in &expected.wrong {
        let _ = writeln!(out, "::error file={},title=expectation::{}", property(model), message(line));
    }
    out
}

/// One workflow command a line for what is wrong with a model.
pub fn github_unusable(model: &str, text: &str, sources: Option<&SourceMap>, found: &[Diagnostic]) -> String {
    let Some(sources) = sources else {
        return format!("::error file={}::{}\n", property(model), message(text));
    };
    let mut out = String::new();
    for diagnostic in found {
        let span = sources.visible_span(diagnostic.span);
        let at = sources.line_column(span);
        let level = diagnostic.severity.word();
        let _ = writeln!(
            out,
            "::{level} file={},line={},col={},title={}::{}",
            property(&sources.file(span.file).name),
            at.line,
            at.column,
            property(diagnostic.code),
            message(&diagnostic.message)
        );
    }
    out
}

/// What SARIF says of one model.
#[derive(Clone, Debug, Default)]
pub struct SarifResults {
    results: Vec<Value>,
}

impl SarifResults {
    /// Adds the answers that are not proved.
    pub fn add(&mut self, model: &str, system: &System, report: &CheckReport) {
        for answer in report.answers.iter().filter(|answer| is_shown(answer)) {
            let violated = matches!(answer.verdict, Verdict::Violated(_));
            let at = place(system, answer).unwrap_or_else(|| Place::beginning(model));
            let mut result = json!({
                "ruleId": rule(&answer.question),
                "level": if violated { "error" } else { "warning" },
                "kind": if violated { "fail" } else { "open" },
                "message": { "text": explained(answer) },
                "locations": [ location(&at, None) ],
            });
            // "open" results carry no level but "none" in SARIF 2.1.0, section 3.27.9.
            if !violated {
                result["level"] = json!("none");
            }
            if let Some(counterexample) = answer.counterexample() {
                let flow = thread_flow(&counterexample.system(system), counterexample.trace());
                if !flow.is_empty() {
                    result["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow }] }]);
                }
            }
            self.results.push(result);
        }
    }

    /// Adds what is wrong with a model that cannot be used.
    pub fn add_unusable(
        &mut self,
        model: &str,
        text: &str,
        sources: Option<&SourceMap>,
        found: &[Diagnostic],
    ) {
        let Some(sources) = sources.filter(|_| !found.is_empty()) else {
            self.results.push(json!({
                "ruleId": "input",
                "level": "error",
                "message": { "text": text },
                "locations": [ location(&Place::beginning(model), None) ],
            }));
            return;
        };
        for diagnostic in found {
            let at = Place::of(sources, diagnostic.span);
            let level = diagnostic.severity.word();
            self.results.push(json!({
                "ruleId": diagnostic.code,
                "level": level,
                "message": { "text": diagnostic.message },
                "locations": [ location(&at, None) ],
            }));
        }
    }

    /// The whole log.
    pub fn document(self) -> String {
        let mut rules: Vec<Value> = Vec::new();
        for result in &self.results {
            let id = &result["ruleId"];
            if !rules.iter().any(|rule| rule["id"] == *id) {
                rules.push(json!({ "id": id, "shortDescription": { "text": description(id.as_str().unwrap_or("")) } }));
            }
        }
        let log = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "Plimsoll",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                }},
                "columnKind": "unicodeCodePoints",
                "results": self.results,
            }],
        });
        crate::json::pretty(&log)
    }
}

/// A place in a source file.
struct Place {
    file: String,
    line: u32,
    column: u32,
}

impl Place {
    fn of(sources: &SourceMap, span: Span) -> Place {
        let span = sources.visible_span(span);
        let at = sources.line_column(span);
        Place { file: sources.file(span.file).name.clone(), line: at.line.max(1), column: at.column.max(1) }
    }

    fn beginning(model: &str) -> Place {
        Place { file: model.to_string(), line: 1, column: 1 }
    }
}

/// Each buffer is part of the answer about all of them.
fn is_shown(answer: &Answer) -> bool {
    !matches!(answer.verdict, Verdict::Proved(_)) && !matches!(answer.question, Question::Buffer(_))
}

fn explained(answer: &Answer) -> String {
    match &answer.verdict {
        Verdict::Unknown(unknown) => {
            format!("{}: unknown ({}); {}", answer.question, hints::reason(&unknown.reason), answer.meaning)
        }
        _ => format!("{}: {}", answer.question, answer.meaning),
    }
}

/// Where a counterexample ends: the statement of its last step; in a deadlock, where the first one waits.
fn place(system: &System, answer: &Answer) -> Option<Place> {
    let counterexample = answer.counterexample()?;
    let trace = counterexample.trace();
    if answer.question == Question::Deadlock
        && let Some(place) = place_of_waiting(&counterexample.system(system), trace)
    {
        return Some(place);
    }
    if answer.question == Question::RuntimeErrors
        && let Some(place) = place_of_error(&counterexample.system(system), trace)
    {
        return Some(place);
    }
    let last = trace.steps.len().checked_sub(1)?;
    statement_at(&counterexample.system(system), trace, last)
}

/// What goes wrong may be something that nobody has done yet: a guard that cannot be evaluated.
fn place_of_error(system: &System, trace: &Trace) -> Option<Place> {
    let error = match replay(system, trace) {
        Err(ReplayError::Failed { error, .. }) => error,
        Err(_) => return None,
        Ok(replay) => {
            let state = replay.state_before(trace.steps.len());
            trace.interpreter(system).steps(state, &mut Vec::new()).err()?
        }
    };
    Some(Place::of(&system.model.sources, error.span))
}

fn place_of_waiting(system: &System, trace: &Trace) -> Option<Place> {
    let replay = replay(system, trace).ok()?;
    let waiting = waiting(system, trace, &replay);
    let pid =
        waiting.circles.iter().flatten().next().copied().or_else(|| Some(waiting.waits.first()?.process))?;
    let process = replay.state_before(replay.steps.len()).processes.get(pid.0 as usize)?;
    let location = system.automaton(process.automaton).location(process.location);
    Some(Place::of(&system.model.sources, location.span))
}

fn statement_at(system: &System, trace: &Trace, index: usize) -> Option<Place> {
    let mut shorter = trace.clone();
    shorter.steps.truncate(index);
    shorter.loop_start = None;
    let before = replay(system, &shorter).ok()?;
    let step: Step = trace.steps[index].into();
    let process = before.state_before(index).processes.get(step.process.0 as usize)?;
    let edge = system.automaton(process.automaton).edge(step.edge);
    Some(Place::of(&system.model.sources, edge.span))
}

fn thread_flow(system: &System, trace: &Trace) -> Vec<Value> {
    // The last step may be the runtime error that the trace shows: then everything before it replays.
    let mut shorter = trace.clone();
    shorter.loop_start = None;
    shorter.steps.pop();
    let Ok(replay) = replay(system, &shorter) else { return Vec::new() };
    let mut flow = Vec::new();
    for (index, &step) in trace.steps.iter().enumerate() {
        let step: Step = step.into();
        let state = replay.state_before(index);
        let Some(process) = state.processes.get(step.process.0 as usize) else { break };
        let edge = system.automaton(process.automaton).edge(step.edge);
        let who = names::process(system, state, step.process);
        let at = Place::of(&system.model.sources, edge.span);
        flow.push(json!({ "location": location(&at, Some(&format!("{who}: {}", edge.text))) }));
    }
    flow
}

fn location(place: &Place, text: Option<&str>) -> Value {
    let mut out = json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(&place.file) },
            "region": { "startLine": place.line, "startColumn": place.column },
        },
    });
    if let Some(text) = text {
        out["message"] = json!({ "text": text });
    }
    out
}

/// A relative path as a URI: what may not stand there is escaped.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(byte as char)
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

fn rule(question: &Question) -> &'static str {
    match question {
        Question::Buffers | Question::Buffer(_) => "buffers",
        Question::Progress => "progress",
        Question::Deadlock => "deadlock",
        Question::Assertions => "assertions",
        Question::RuntimeErrors => "errors",
        Question::EventTrace => "trace",
        Question::Claim(_) => "claim",
        Question::AcceptanceCycles => "acceptance",
        Question::Formula(_) => "ltl",
        _ => "other",
    }
}

fn description(rule: &str) -> String {
    let text = match rule {
        "buffers" => "Every buffer is bounded",
        "progress" => "Every run that goes on for ever makes progress again and again",
        "deadlock" => "The system never stands still before its end",
        "assertions" => "Every assertion holds",
        "errors" => "No statement does what no model may do",
        "trace" => "Every run follows the event trace",
        "claim" => "No run satisfies the never claim",
        "acceptance" => "No run passes an accept label again and again",
        "ltl" => "Every run satisfies the formula",
        "input" => "The model can be read",
        code => {
            return promela::codes::ALL.iter().find(|c| c.code == code).map_or(code, |c| c.title).to_string();
        }
    };
    text.to_string()
}

/// Workflow commands end at a line break and separate properties by commas and colons.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_ends_a_workflow_command() {
        assert_eq!(property("a,b:c%\n"), "a%2Cb%3Ac%25%0A");
        assert_eq!(message("a,b:c%\n"), "a,b:c%25%0A");
    }

    #[test]
    fn blanks_in_paths_are_escaped() {
        assert_eq!(uri("my models/a.pml"), "my%20models/a.pml");
    }
}
