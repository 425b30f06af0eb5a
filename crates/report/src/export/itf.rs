//! The Informal Trace Format of Apalache: a trace as JSON, a state as an object with a value for every variable.

use super::named;
use crate::names;
use crate::steps::messages;
use crate::trace_file::TraceFile;
use certificate::trace::Replay;
use promela::model::Scalar;
use serde_json::{Map, Value, json};
use system::automaton::{Slot, System};
use system::state::{ChannelId, State};

/// The trace. Variables are the globals of the model, and beside them `processes` (a sequence of records) and `channels` (a map from names to
/// sequences of messages). A loop leads back to the state with the number in `loop`.
pub fn itf(system: &System, file: &TraceFile, replay: &Replay) -> Value {
    let names = Beside::of(system);
    let mut vars: Vec<String> = named(&system.global_slots).map(|(_, name)| name).collect();
    vars.extend([names.processes.clone(), names.channels.clone()]);
    let states: Vec<Value> = (0..=replay.steps.len())
        .map(|index| state(system, &names, index, replay.state_before(index)))
        .collect();
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

/// What is called so beside the variables of the model, which may have taken the names.
struct Beside {
    processes: String,
    channels: String,
}

impl Beside {
    fn of(system: &System) -> Beside {
        let free = |name: &str| {
            let mut name = name.to_string();
            while system.global_slots.iter().any(|slot| slot.name == name) {
                name.push('_');
            }
            name
        };
        Beside { processes: free("processes"), channels: free("channels") }
    }
}

/// Every edition of the format takes integers in this form, and the newer ones no others.
fn integer(value: i64) -> Value {
    json!({ "#bigint": value.to_string() })
}

/// A variable has one type throughout: a symbolic name is a text even where none is held yet.
fn variables(system: &System, slots: &[Slot], values: &[i32]) -> Map<String, Value> {
    let value = |slot: &Slot, held: i32| match slot.scalar {
        Scalar::Mtype(_) => json!(names::value(system, Some(slot.scalar), held)),
        _ => integer(held.into()),
    };
    named(slots).map(|(index, name)| (name, value(&slots[index], values[index]))).collect()
}

fn state(system: &System, names: &Beside, index: usize, state: &State) -> Value {
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
            record.insert("pid".to_string(), integer(pid as i64));
            record.insert("proctype".to_string(), json!(automaton.name));
            let line = system.model.sources.visible_line(span);
            record.insert("line".to_string(), integer(line.into()));
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
    out.insert(names.processes.clone(), json!(processes));
    out.insert(names.channels.clone(), json!({ "#map": channels }));
    Value::Object(out)
}
