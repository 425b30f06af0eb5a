//! Executions in forms that other tools read.

mod diagram;
mod itf;
mod shiviz;
pub mod trail;

pub use diagram::{mermaid, plantuml};
pub use itf::itf;
pub use shiviz::shiviz;

use crate::names;
use crate::steps::messages;
use crate::trace_file::TraceFile;
use certificate::trace::Replay;
use promela::model::Scalar;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use system::automaton::{Slot, System};
use system::interpreter::Step;
use system::state::{ChannelId, Pid, State};

/// The schema of [`steps`].
pub const STEPS_SCHEMA: &str = "plimsoll-steps/1";

/// Every step with its line, its statement, what it changed and the state after it.
pub fn steps(system: &System, file: &TraceFile, replay: &Replay) -> Value {
    let mut steps = Vec::new();
    for (index, replayed) in replay.steps.iter().enumerate() {
        let before = replay.state_before(index);
        let step: Step = file.trace.steps[index].into();
        let mut told = json!({ "number": index + 1, "process": process(system, before, step.process) });
        let place = statement(system, before, step.process, step.edge.0);
        for (key, value) in place {
            told[key] = value;
        }
        if let Some(partner) = step.partner {
            let mut with = json!({ "process": process(system, before, partner.process) });
            for (key, value) in statement(system, before, partner.process, partner.edge.0) {
                with[key] = value;
            }
            told["with"] = with;
        }
        told["changes"] = json!(crate::steps::changes(system, before, &replayed.state));
        if !replayed.violations.is_empty() {
            let violations = replayed.violations.iter();
            let texts: Vec<String> =
                violations.map(|violation| crate::steps::describe_violation(system, violation)).collect();
            told["violations"] = json!(texts);
        }
        told["state"] = state(system, &replayed.state);
        steps.push(told);
    }
    let mut out = json!({
        "schema": STEPS_SCHEMA,
        "question": file.question,
        "shows": file.shows,
        "initial": state(system, &replay.initial),
        "steps": steps,
    });
    if let Some(from) = file.repeats_from() {
        out["repeats_from"] = json!(from + 1);
    }
    out
}

fn process(system: &System, before: &State, pid: Pid) -> Value {
    let process = &before.processes[pid.0 as usize];
    json!({ "pid": pid.0, "proctype": system.automaton(process.automaton).name })
}

fn statement(system: &System, before: &State, pid: Pid, edge: u32) -> Map<String, Value> {
    let automaton = system.automaton(before.processes[pid.0 as usize].automaton);
    let edge = &automaton.edges[edge as usize];
    let sources = &system.model.sources;
    let visible = sources.visible_span(edge.span);
    let mut out = Map::new();
    out.insert("file".to_string(), json!(sources.file(visible.file).name));
    out.insert("line".to_string(), json!(sources.line_column(visible).line));
    out.insert("statement".to_string(), json!(edge.text));
    out
}

/// A state with all its values: variables, processes and where they stand, channels and what they hold.
pub fn state(system: &System, state: &State) -> Value {
    let processes: Vec<Value> = (0..state.processes.len())
        .map(|pid| {
            let process = &state.processes[pid];
            let automaton = system.automaton(process.automaton);
            let span = automaton.location(process.location).span;
            json!({
                "pid": pid,
                "proctype": automaton.name,
                "line": system.model.sources.visible_line(span),
                "variables": variables(system, &automaton.slots, &process.locals),
            })
        })
        .collect();
    let mut channels = Map::new();
    for (index, channel) in state.channels.iter().enumerate() {
        let id = ChannelId(index as u32);
        channels.insert(names::channel(system, state, id), json!(messages(system, state, id, channel)));
    }
    json!({
        "variables": variables(system, &system.global_slots, &state.globals),
        "processes": processes,
        "channels": channels,
    })
}

fn variables(system: &System, slots: &[Slot], values: &[i32]) -> Map<String, Value> {
    named(slots).map(|(index, name)| (name, value(system, slots[index].scalar, values[index]))).collect()
}

/// The places of the variables that are shown, each with a name of its own: blocks may declare a name again, `n (2)` is the second.
fn named(slots: &[Slot]) -> impl Iterator<Item = (usize, String)> {
    let mut met: BTreeMap<&str, usize> = BTreeMap::new();
    let shown = slots.iter().enumerate().filter(|(_, slot)| slot.scalar != Scalar::Chan && !slot.hidden);
    shown.map(move |(index, slot)| {
        let times = met.entry(&slot.name).or_default();
        *times += 1;
        match times {
            1 => (index, slot.name.clone()),
            times => (index, format!("{} ({times})", slot.name)),
        }
    })
}

/// Numbers as numbers, symbolic names as texts.
fn value(system: &System, scalar: Scalar, held: i32) -> Value {
    match scalar {
        Scalar::Mtype(_) if held != 0 => json!(names::value(system, Some(scalar), held)),
        _ => json!(held),
    }
}
