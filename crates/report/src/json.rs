//! Answers for machines: schema `plimsoll/1`, described in `docs/schema/plimsoll-1.json`.

use crate::text;
use crate::trace_file::{AddedText, TraceFile};
use certificate::verdict::{Fairness, ProgressReading, Verdict};
use promela::diagnostic::Diagnostic;
use promela::source::SourceMap;
use serde::Serialize;
use serde_json::{Value, json};
use system::automaton::System;
use verify::{Answer, CheckReport, Counterexample, Question, Searched, hints};

/// The schema that this version writes.
pub const SCHEMA: &str = "plimsoll/1";

/// One model that was checked, with what was added to it when it was asked.
pub fn model(name: &str, system: &System, report: &CheckReport, added: &[AddedText]) -> Value {
    let results: Vec<Value> = report.answers.iter().map(|answer| result(system, answer, added)).collect();
    let summary = report.summary();
    let mut out = json!({
        "model": name,
        "fingerprint": system.fingerprint(),
        "results": results,
        "summary": { "proved": summary.proved, "violated": summary.violated, "unknown": summary.unknown,
            "nothing": summary.nothing },
        "seconds": report.seconds,
    });
    if let Some(counts) = &report.search {
        out["search"] = json!({
            "states": counts.states,
            "transitions": counts.transitions(),
            "depth": counts.depth,
            "atomic_steps": counts.atomic_steps,
            "state_bytes": counts.state_memory,
            "bytes": counts.memory,
            "channels": text::peaks(system, report)
                .into_iter()
                .map(|(name, peak)| json!({ "name": name, "peak": peak }))
                .collect::<Vec<Value>>(),
        });
    }
    if let Some(disk) = &report.disk {
        out["search"]["disk"] = json!({ "bytes": disk.bytes, "rounds": disk.rounds });
    }
    if let Some(cluster) = &report.cluster {
        out["search"]["cluster"] = json!({
            "processes": cluster.processes,
            "generations": cluster.generations,
            "levels": cluster.levels,
            "states": cluster.shares,
            "bytes": cluster.memory,
            "sent_states": cluster.sent,
            "wire_bytes": cluster.wire_bytes,
            "log_bytes": cluster.log_bytes,
        });
    }
    if let Some(unreached) = &report.unreached {
        let statements: Vec<Value> = unreached
            .iter()
            .map(|statement| {
                let automaton = system.automaton(statement.automaton);
                let edge = automaton.edge(statement.edge);
                json!({
                    "proctype": automaton.name,
                    "statement": edge.text,
                    "line": system.model.sources.visible_line(edge.span),
                })
            })
            .collect();
        out["unreached"] = Value::Array(statements);
    }
    if report.interrupted {
        out["interrupted"] = Value::Bool(true);
    }
    out
}

/// A model that could not be used.
pub fn unusable(name: &str, message: &str, sources: Option<&SourceMap>, diagnostics: &[Diagnostic]) -> Value {
    let listed: Vec<Value> =
        sources.map_or_else(Vec::new, |s| diagnostics.iter().map(|d| diagnostic(s, d)).collect());
    json!({ "model": name, "error": message, "diagnostics": listed })
}

/// The whole document about one model that was asked about.
pub fn one(mut model: Value) -> String {
    model["schema"] = json!(SCHEMA);
    pretty(&model)
}

/// The whole document about several models, or about what a folder holds.
pub fn several(models: Vec<Value>) -> String {
    pretty(&json!({ "schema": SCHEMA, "models": models }))
}

/// Indented, with a line break at the end.
pub fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

fn result(system: &System, answer: &Answer, added: &[AddedText]) -> Value {
    let mut out = json!({
        "question": answer.question.to_string(),
        "verdict": answer.verdict.word(),
        "meaning": answer.meaning,
        "reading": reading(answer),
        "seconds": answer.seconds,
    });
    if let Some(bound) = answer.bound {
        out["bound"] = json!(bound.at_most);
        out["tight"] = json!(bound.tight);
    }
    if let Some(figures) = answer.figures {
        out["states"] = json!(figures.states);
        out["transitions"] = json!(figures.transitions);
    }
    if let Some(any) = &answer.any_number {
        out["any_number"] = json!({ "proctypes": any.proctypes });
        if let Some(most) = any.together_at_most {
            out["any_number"]["together_at_most"] = json!(most);
        }
    }
    match &answer.verdict {
        Verdict::Proved(_) => {
            out["evidence"] = json!(answer.rests_on());
            match answer.searched {
                Some(Searched::Complete(Some(digest))) => out["digest"] = json!(digest.to_string()),
                Some(Searched::Reduced { in_full: Some((states, digest)) }) => {
                    out["in_full"] = json!({ "states": states });
                    if let Some(digest) = digest {
                        out["in_full"]["digest"] = json!(digest.to_string());
                    }
                }
                _ => {}
            }
        }
        Verdict::Violated(counterexample) => {
            out["counterexample"] = json!(text::shape(counterexample));
            if let Some(mut file) = TraceFile::of(system, answer) {
                file.added = added.to_vec();
                out["trace"] = json!(file);
            }
            if let Counterexample::Pump { grows, more_processes, .. } = counterexample {
                out["growth"] = growth(system, grows, *more_processes);
            }
        }
        Verdict::Unknown(unknown) => {
            out["reason"] = json!(hints::reason(&unknown.reason));
            out["findings"] = json!(unknown.findings);
            out["hints"] = json!(answer.hints);
        }
    }
    if !answer.notes.is_empty() || !answer.details.is_empty() {
        let notes: Vec<&String> = answer.notes.iter().chain(&answer.details).collect();
        out["notes"] = json!(notes);
    }
    out
}

/// What each repetition of a pump adds.
fn growth(system: &System, channels: &[u32], processes: u64) -> Value {
    let names = verify::channel_names(system);
    let name = |channel: &u32| names.get(*channel as usize).cloned().flatten();
    let channels: Vec<String> =
        channels.iter().map(|channel| name(channel).unwrap_or_else(|| format!("#{channel}"))).collect();
    json!({ "channels": channels, "processes": processes })
}

fn reading(answer: &Answer) -> Value {
    let mut out = json!({ "capacities": answer.reading.capacities.to_string() });
    match answer.reading.progress {
        Some(ProgressReading::State) => out["progress"] = json!("state"),
        Some(ProgressReading::Transition) => out["progress"] = json!("transition"),
        None => {}
    }
    match answer.reading.fairness {
        Some(Fairness::None) => out["fairness"] = json!("none"),
        Some(Fairness::Weak) => out["fairness"] = json!("weak"),
        Some(Fairness::Strong) => out["fairness"] = json!("strong"),
        None => {}
    }
    out
}

fn diagnostic(sources: &SourceMap, diagnostic: &Diagnostic) -> Value {
    let span = sources.visible_span(diagnostic.span);
    let at = sources.line_column(span);
    json!({
        "severity": diagnostic.severity.word(),
        "code": diagnostic.code,
        "message": diagnostic.message,
        "file": sources.file(span.file).name,
        "line": at.line,
        "column": at.column,
    })
}

/// The name of a question as part of a file's name: `ltl p0` becomes `ltl-p0`.
pub fn file_stem(question: &Question) -> String {
    question
        .to_string()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' })
        .collect()
}
