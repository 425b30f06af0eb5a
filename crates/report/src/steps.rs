//! The steps of an execution, for people: which statement, where, and what it changed.

use crate::names;
use promela::model::Scalar;
use std::fmt::Write;
use system::automaton::{Slot, System};
use system::interpreter::{Step, Violation};
use system::state::{Channel, ChannelId, State};

/// One line for a step, as SPIN prints it.
pub fn step_line(system: &System, state: &State, number: usize, step: Step) -> String {
    let process = &state.processes[step.process.0 as usize];
    let automaton = system.automaton(process.automaton);
    let edge = automaton.edge(step.edge);
    let mut line = format!(
        "{number:>4}: proc {:>2} ({}) {} (state {})  [{}]",
        step.process.0,
        automaton.name,
        names::place(system, edge.span),
        automaton.location(edge.source).number,
        edge.text
    );
    if let Some(partner) = step.partner {
        let process = &state.processes[partner.process.0 as usize];
        let automaton = system.automaton(process.automaton);
        let edge = automaton.edge(partner.edge);
        let (pid, name) = (partner.process.0, &automaton.name);
        line.push_str(&format!(
            "  with proc {pid} ({name}) {} [{}]",
            names::place(system, edge.span),
            edge.text
        ));
    }
    line
}

/// What differs after a step: variables, channel contents, processes.
pub fn changes(system: &System, before: &State, after: &State) -> Vec<String> {
    let mut out = Vec::new();
    for (slot, info) in system.global_slots.iter().enumerate() {
        if before.globals[slot] != after.globals[slot] {
            out.push(format!(
                "{} = {}",
                info.name,
                names::value(system, Some(info.scalar), after.globals[slot])
            ));
        }
    }
    for (pid, process) in after.processes.iter().enumerate() {
        let automaton = system.automaton(process.automaton);
        let Some(old) = before.processes.get(pid).filter(|p| p.automaton == process.automaton) else {
            out.push(format!("{}({pid}) is started", automaton.name));
            continue;
        };
        for (slot, info) in automaton.slots.iter().enumerate() {
            if old.locals[slot] != process.locals[slot] {
                let value = names::value(system, Some(info.scalar), process.locals[slot]);
                out.push(format!("{}({pid}):{} = {value}", automaton.name, info.name));
            }
        }
    }
    for pid in after.processes.len()..before.processes.len() {
        let automaton = system.automaton(before.processes[pid].automaton);
        out.push(format!("{}({pid}) dies", automaton.name));
    }
    for (id, channel) in after.channels.iter().enumerate() {
        let old = before.channels.get(id).map_or(&[][..], |c| &c.contents);
        if old != channel.contents {
            let messages = messages(system, after, ChannelId(id as u32), channel);
            out.push(format!(
                "channel {} holds [{}]",
                names::channel(system, after, ChannelId(id as u32)),
                messages.join("] [")
            ));
        }
    }
    out
}

/// What a step violated.
pub fn describe_violation(system: &System, violation: &Violation) -> String {
    match violation {
        Violation::AssertionFailed { span } => {
            let text = system.model.sources.text(system.model.sources.visible_span(*span));
            format!("assertion violated: {text} ({})", names::place(system, *span))
        }
        Violation::EventNotInTrace { span } => {
            format!("the event trace does not allow this event ({})", names::place(system, *span))
        }
        Violation::ForbiddenTraceCompleted { span } => {
            format!("the forbidden event trace is complete ({})", names::place(system, *span))
        }
        other => format!("violation: {other:?}"),
    }
}

/// A state as a whole: all variables, where everybody stands, with parameters and locals, and what the channels hold.
pub fn full_state(system: &System, state: &State) -> String {
    let mut out = String::new();
    variables(&mut out, system, &system.global_slots, &state.globals, "  ");
    for (pid, process) in state.processes.iter().enumerate() {
        let automaton = system.automaton(process.automaton);
        let place = names::place(system, automaton.location(process.location).span);
        let _ = writeln!(out, "  {}({pid}) at {place}", automaton.name);
        variables(&mut out, system, &automaton.slots, &process.locals, "    ");
    }
    for (id, channel) in state.channels.iter().enumerate() {
        let id = ChannelId(id as u32);
        let messages = messages(system, state, id, channel);
        let _ = match messages.is_empty() {
            true => writeln!(out, "  {} is empty", names::channel(system, state, id)),
            false => {
                writeln!(out, "  {} holds [{}]", names::channel(system, state, id), messages.join("] ["))
            }
        };
    }
    out
}

/// Variables with their values; the elements of an array on one line.
fn variables(out: &mut String, system: &System, slots: &[Slot], values: &[i32], indent: &str) {
    let shown = slots.iter().zip(values).filter(|(slot, _)| !slot.hidden && slot.scalar != Scalar::Chan);
    let mut rows: Vec<(&str, bool, Vec<String>)> = Vec::new();
    for (slot, &held) in shown {
        let value = names::value(system, Some(slot.scalar), held);
        let array = slot.name.strip_suffix(']').and_then(|name| name.rsplit_once('[')).map(|(name, _)| name);
        let name = array.unwrap_or(&slot.name);
        match rows.last_mut() {
            Some((known, true, values)) if array.is_some() && *known == name => values.push(value),
            _ => rows.push((name, array.is_some(), vec![value])),
        }
    }
    for (name, is_array, values) in rows {
        let _ = match is_array {
            true => writeln!(out, "{indent}{name} = [{}]", values.join(" ")),
            false => writeln!(out, "{indent}{name} = {}", values.concat()),
        };
    }
}

/// The messages in a channel, oldest first.
pub fn messages(system: &System, state: &State, id: ChannelId, channel: &Channel) -> Vec<String> {
    let fields = system.model.channel_types[channel.channel_type.0 as usize].fields.len().max(1);
    channel.contents.chunks(fields).map(|message| names::message(system, state, id, message)).collect()
}
