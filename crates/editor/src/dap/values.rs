//! States as a debugger shows them, and expressions that somebody watches.

use crate::lsp::pieces::{Pieces, bytes, is};
use crate::reading::keyword;
use crate::run::Run;
use promela::model::{Ltl, Scalar};
use promela::token::Punct;
use report::names;
use report::steps::messages;
use serde_json::{Value, json};
use std::fmt::Write;
use system::automaton::Slot;
use system::state::{ChannelId, Pid, State};

/// Something with parts that can be unfolded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parts {
    /// The variables of a process.
    Locals(Pid),
    /// The global variables.
    Globals,
    /// All channels.
    Channels,
    /// The messages of a channel.
    Channel(ChannelId),
}

impl Parts {
    /// The number by which a client asks for it; 0 means nothing to it.
    pub fn number(self) -> u64 {
        let (kind, index) = match self {
            Parts::Globals => (1, 0),
            Parts::Channels => (2, 0),
            Parts::Locals(Pid(pid)) => (3, pid),
            Parts::Channel(ChannelId(id)) => (4, id),
        };
        kind | u64::from(index) << 3
    }

    /// What a number stands for.
    pub fn of(number: u64) -> Option<Parts> {
        let index = u32::try_from(number >> 3).ok()?;
        Some(match number & 7 {
            1 => Parts::Globals,
            2 => Parts::Channels,
            3 => Parts::Locals(Pid(index)),
            4 => Parts::Channel(ChannelId(index)),
            _ => return None,
        })
    }
}

/// The parts, each as the protocol has it.
pub fn parts(run: &Run, at: usize, of: Parts) -> Vec<Value> {
    let (system, state) = (run.system(), run.state(at));
    match of {
        Parts::Globals => slots(run, state, &system.global_slots, &state.globals),
        Parts::Locals(pid) => {
            let Some(process) = state.processes.get(pid.0 as usize) else { return Vec::new() };
            let automaton = system.automaton(process.automaton);
            let mut found = slots(run, state, &automaton.slots, &process.locals);
            found.push(variable("_pid", pid.0.to_string(), "pid", 0));
            if system.model.features.priorities {
                found.push(variable("_priority", process.priority.to_string(), "byte", 0));
            }
            found
        }
        Parts::Channels => {
            let ids = (0..state.channels.len() as u32).map(ChannelId);
            ids.map(|id| {
                variable(
                    &names::channel(system, state, id),
                    contents(run, state, id),
                    "chan",
                    children(state, id),
                )
            })
            .collect()
        }
        Parts::Channel(id) => {
            let Some(channel) = state.channels.get(id.0 as usize) else { return Vec::new() };
            let messages = messages(system, state, id, channel);
            messages
                .into_iter()
                .enumerate()
                .map(|(index, message)| variable(&format!("[{index}]"), message, "message", 0))
                .collect()
        }
    }
}

fn slots(run: &Run, state: &State, slots: &[Slot], values: &[i32]) -> Vec<Value> {
    let named = slots.iter().zip(values).filter(|(slot, _)| slot.name != "_");
    named.map(|(slot, &value)| shown(run, state, &slot.name, slot.scalar, value)).collect()
}

fn shown(run: &Run, state: &State, name: &str, scalar: Scalar, value: i32) -> Value {
    let id = u32::try_from(value - 1).ok().map(ChannelId).filter(|_| scalar == Scalar::Chan);
    match id {
        Some(id) => variable(name, contents(run, state, id), "chan", children(state, id)),
        None if scalar == Scalar::Chan => variable(name, "no channel".into(), "chan", 0),
        None => variable(name, names::value(run.system(), Some(scalar), value), keyword(scalar), 0),
    }
}

fn variable(name: &str, value: String, kind: &str, children: u64) -> Value {
    json!({ "name": name, "value": value, "type": kind, "variablesReference": children })
}

fn children(state: &State, id: ChannelId) -> u64 {
    let is_empty = state.channels.get(id.0 as usize).is_none_or(|channel| channel.contents.is_empty());
    if is_empty { 0 } else { Parts::Channel(id).number() }
}

/// `2 of 3: [ack,1] [nak,2]`
fn contents(run: &Run, state: &State, id: ChannelId) -> String {
    let Some(channel) = state.channels.get(id.0 as usize) else { return "gone".into() };
    let held = messages(run.system(), state, id, channel);
    let mut text = match run.interpreter().capacity(channel.channel_type) {
        Some(0) => return "rendezvous".into(),
        Some(room) => format!("{} of {room}", held.len()),
        None => held.len().to_string(),
    };
    if !held.is_empty() {
        let _ = write!(text, ": [{}]", held.join("] ["));
    }
    text
}

/// The value of an expression, as a process sees it: the name of a variable or channel, or anything that a formula may ask for.
pub fn evaluate(run: &Run, at: usize, pid: Option<Pid>, text: &str) -> Result<Value, String> {
    let text = text.trim();
    let scopes = pid.map(Parts::Locals).into_iter().chain([Parts::Globals, Parts::Channels]);
    for scope in scopes {
        if let Some(found) = parts(run, at, scope).into_iter().find(|part| part["name"] == text) {
            return Ok(found);
        }
    }
    let value = number(run, at, pid, text)?;
    Ok(variable(text, value.to_string(), "int", 0))
}

/// The value of an expression as a number.
pub fn number(run: &Run, at: usize, pid: Option<Pid>, text: &str) -> Result<i32, String> {
    let text = seen_from_outside(run, at, pid, text)?;
    let mut model = run.system().model.clone();
    let options = promela::Options::default();
    let formula = promela::read_formula(&mut model, "expression", &text, &options, &promela::NoIncludes);
    let formula = formula.map_err(|found| {
        found.first().map_or_else(|| "this is no expression".into(), |diagnostic| diagnostic.message.clone())
    })?;
    let Ltl::Proposition(expr) = formula else { return Err("a formula has no value in one state".into()) };
    run.interpreter().evaluate(run.state(at), None, &expr).map_err(|error| error.kind.to_string())
}

/// The expression with the process's own variables as others name them: formulas see processes from outside.
fn seen_from_outside(run: &Run, at: usize, pid: Option<Pid>, text: &str) -> Result<String, String> {
    let process = pid.and_then(|pid| Some((pid, run.state(at).processes.get(pid.0 as usize)?)));
    let Some((pid, process)) = process else { return Ok(text.to_string()) };
    let automaton = run.system().automaton(process.automaton);
    let proctype = run.system().model.proctypes.get(process.automaton.0 as usize);
    let pieces = Pieces::of(text);
    let mut out = String::new();
    let mut end = 0;
    for (index, piece) in pieces.all().iter().enumerate() {
        let name = pieces.text(piece);
        let before = index.checked_sub(1).map(|before| &pieces.all()[before]);
        let part_of_another =
            before.is_some_and(|b| is(b, Punct::Dot) || is(b, Punct::Colon) || is(b, Punct::At));
        if !pieces.is_name(piece) || part_of_another {
            continue;
        }
        let local = proctype.is_some_and(|p| p.locals.iter().any(|variable| variable.name == name));
        let replaced = match name {
            "_pid" => pid.0.to_string(),
            _ if local && automaton.name.starts_with(':') => {
                // Nobody can name a variable of `init` from outside, but its value is known.
                let slot = automaton.slots.iter().position(|slot| slot.name == name);
                match slot {
                    Some(slot) => format!("({})", process.locals[slot]),
                    None => {
                        return Err(format!("`{name}` of `init` can only be asked for element by element"));
                    }
                }
            }
            _ if local => format!("{}[{}]:{name}", automaton.name, pid.0),
            _ => continue,
        };
        out.push_str(&text[end..bytes(piece).start]);
        out.push_str(&replaced);
        end = bytes(piece).end;
    }
    out.push_str(&text[end..]);
    Ok(out)
}
