//! What the stepper of a counterexample needs, as data for the page's script.

use crate::chart::escape;
use crate::names;
use crate::steps::{changes, describe_violation, messages};
use certificate::trace::{Trace, replay_to_show};
use promela::model::Scalar;
use promela::source::Span;
use serde_json::{Value, json};
use std::fmt::Write;
use system::automaton::System;
use system::interpreter::Step;
use system::state::{ChannelId, State};
use verify::Counterexample;

/// Steps that a page shows at the most; a longer run is cut in the middle of nowhere otherwise.
const MOST_STEPS: usize = 3_000;

/// Steps and states of a counterexample.
pub fn data(system: &System, counterexample: &Counterexample) -> Value {
    let mut trace: Trace = counterexample.trace().clone();
    let total = trace.steps.len();
    trace.loop_start = None;
    trace.steps.truncate(MOST_STEPS);
    let mut ending = None;
    let replayed = match replay_to_show(system, &trace) {
        Ok(replayed) => Some(replayed),
        Err(certificate::trace::ReplayError::Failed { step, error, .. }) if step + 1 == trace.steps.len() => {
            ending = Some(error.kind.to_string());
            let mut shorter = trace.clone();
            shorter.steps.pop();
            replay_to_show(system, &shorter).ok()
        }
        Err(_) => None,
    };
    let Some(replayed) = replayed else { return json!({ "steps": [], "states": [] }) };
    let mut steps = Vec::new();
    let mut states = vec![state(system, &replayed.initial)];
    for (index, &step) in trace.steps.iter().enumerate() {
        let step: Step = step.into();
        let before = replayed.state_before(index);
        let process = &before.processes[step.process.0 as usize];
        let edge = system.automaton(process.automaton).edge(step.edge);
        let mut entry = json!({
            "who": names::process(system, before, step.process),
            "text": edge.text,
            "at": place(system, edge.span),
        });
        if let Some(partner) = step.partner {
            let process = &before.processes[partner.process.0 as usize];
            let edge = system.automaton(process.automaton).edge(partner.edge);
            entry["with"] = json!({
                "who": names::process(system, before, partner.process),
                "text": edge.text,
                "at": place(system, edge.span),
            });
        }
        match replayed.steps.get(index) {
            Some(after) => {
                entry["changes"] = json!(changes(system, before, &after.state));
                let violations =
                    after.violations.iter().map(|violation| describe_violation(system, violation));
                if !after.violations.is_empty() {
                    entry["violation"] = json!(violations.collect::<Vec<_>>().join("; "));
                }
                states.push(state(system, &after.state));
            }
            None => {
                entry["violation"] = json!(ending);
                states.push(state(system, before));
            }
        }
        steps.push(entry);
    }
    json!({
        "steps": steps,
        "states": states,
        "loop": counterexample.repeats_from().filter(|&start| start < trace.steps.len()),
        "cut": (total > MOST_STEPS).then_some(total),
    })
}

/// The same steps as a list: for paper, and for whoever has no script.
pub fn list(data: &Value, most: usize) -> String {
    let steps = data["steps"].as_array().map_or(&[] as &[Value], Vec::as_slice);
    let start = data["loop"].as_u64();
    let mut items = String::new();
    for (index, step) in steps.iter().take(most).enumerate() {
        let word = |of: &Value, key: &str| escape(of[key].as_str().unwrap_or_default());
        let with = match &step["with"] {
            Value::Null => String::new(),
            with => format!(" with {} <code>{}</code>", word(with, "who"), word(with, "text")),
        };
        let changes: Vec<String> =
            step["changes"].as_array().into_iter().flatten().filter_map(Value::as_str).map(escape).collect();
        let changes = if changes.is_empty() { String::new() } else { format!(" → {}", changes.join(", ")) };
        let violation = match step["violation"].as_str() {
            None => String::new(),
            Some(violation) => format!(" <span class=\"wrong\">{}</span>", escape(violation)),
        };
        let begins = if start == Some(index as u64) { " <em>(here the loop begins)</em>" } else { "" };
        let (who, text) = (word(step, "who"), word(step, "text"));
        let _ = writeln!(items, "<li>{who} <code>{text}</code>{with}{changes}{violation}{begins}</li>");
    }
    let rest = match steps.len().saturating_sub(most) {
        0 => String::new(),
        rest => format!("<p>and {rest} more</p>"),
    };
    format!("<ol>{items}</ol>{rest}")
}

/// File (by its number) and line.
fn place(system: &System, span: Span) -> Value {
    let sources = &system.model.sources;
    let visible = sources.visible_span(span);
    json!([visible.file.0, sources.line_column(visible).line])
}

fn state(system: &System, state: &State) -> Value {
    let mut variables = Vec::new();
    for (slot, info) in system.global_slots.iter().enumerate() {
        if info.scalar != Scalar::Chan && !info.hidden {
            let value = names::value(system, Some(info.scalar), state.globals[slot]);
            variables.push(json!([info.name, value]));
        }
    }
    let mut processes = Vec::new();
    for (pid, process) in state.processes.iter().enumerate() {
        let automaton = system.automaton(process.automaton);
        let name = format!("{}({pid})", automaton.name);
        let location = automaton.location(process.location);
        let span = location.edges.first().map_or(location.span, |&edge| automaton.edge(edge).span);
        processes.push(json!([name, place(system, span)]));
        for (slot, info) in automaton.slots.iter().enumerate().filter(|(_, info)| info.scalar != Scalar::Chan)
        {
            let value = names::value(system, Some(info.scalar), process.locals[slot]);
            variables.push(json!([format!("{name}:{}", info.name), value]));
        }
    }
    let channels: Vec<Value> = state
        .channels
        .iter()
        .enumerate()
        .filter(|(_, channel)| system.model.channel_types[channel.channel_type.0 as usize].capacity > 0)
        .map(|(index, channel)| {
            let id = ChannelId(index as u32);
            json!([names::channel(system, state, id), messages(system, state, id, channel)])
        })
        .collect();
    json!({ "variables": variables, "processes": processes, "channels": channels })
}
