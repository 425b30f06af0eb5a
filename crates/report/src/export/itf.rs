//! The Informal Trace Format of Apalache: a trace as JSON, a state as an object with a value for every variable.

use super::variables;
use crate::names;
use crate::steps::messages;
use crate::trace_file::TraceFile;
use certificate::trace::Replay;
use serde_json::{Map, Value, json};
use system::automaton::System;
use system::state::{ChannelId, State};

/// The trace. Variables are the globals of the model, and beside them `processes` (a sequence of records) and `channels` (a map from names to
/// sequences of messages). A loop leads back to the state with the number in `loop`.
pub fn itf(system: &System, file: &TraceFile, replay: &Replay) -> Value {
    let globals = variables(system, &system.global_slots, &replay.initial.globals);
    let mut vars: Vec<String> = globals.keys().cloned().collect();
    vars.extend(["processes".to_string(), "channels".to_string()]);
    let states: Vec<Value> =
        (0..=replay.steps.len()).map(|index| state(system, index, replay.state_before(index))).collect();
    let mut out = json!({
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "description": file.shows.clone().unwrap_or_default(),
        },
        "vars": vars,
        "states": states,
    });
    // Only a loop comes back to a state: what is repeated with more messages does not.
    if let Some(start) = file.trace.loop_start.filter(|&start| start < replay.steps.len()) {
        out["loop"] = json!(start);
    }
    out
}

fn state(system: &System, index: usize, state: &State) -> Value {
    let mut out = Map::new();
    out.insert("#meta".to_string(), json!({ "index": index }));
    for (name, value) in variables(system, &system.global_slots, &state.globals) {
        out.insert(name, value);
    }
    let processes: Vec<Value> = state
        .processes
        .iter()
        .enumerate()
        .map(|(pid, process)| {
            let automaton = system.automaton(process.automaton);
            let span = automaton.location(process.location).span;
            let mut record = Map::new();
            record.insert("pid".to_string(), json!(pid));
            record.insert("proctype".to_string(), json!(automaton.name));
            record.insert("line".to_string(), json!(system.model.sources.visible_line(span)));
            record
                .insert("variables".to_string(), variables(system, &automaton.slots, &process.locals).into());
            Value::Object(record)
        })
        .collect();
    let channels: Vec<Value> = state
        .channels
        .iter()
        .enumerate()
        .map(|(index, channel)| {
            let id = ChannelId(index as u32);
            json!([names::channel(system, state, id), messages(system, state, id, channel)])
        })
        .collect();
    out.insert("processes".to_string(), json!(processes));
    out.insert("channels".to_string(), json!({ "#map": channels }));
    Value::Object(out)
}
