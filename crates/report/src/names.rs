//! How processes, channels, messages and places are called when people read about them.

use promela::model::Scalar;
use promela::source::Span;
use system::automaton::{Slot, System};
use system::state::{ChannelId, Pid, State};

/// `server(1)`
pub fn process(system: &System, state: &State, pid: Pid) -> String {
    match state.processes.get(pid.0 as usize) {
        Some(process) => format!("{}({})", system.automaton(process.automaton).name, pid.0),
        None => format!("({})", pid.0),
    }
}

/// The first variable that holds a channel, globals before locals; `#3` if none does.
pub fn channel(system: &System, state: &State, id: ChannelId) -> String {
    let value = id.0 as i32 + 1;
    let holds = |(info, held): &(&Slot, &i32)| info.scalar == Scalar::Chan && **held == value;
    if let Some((info, _)) = system.global_slots.iter().zip(&state.globals).find(holds) {
        return info.name.clone();
    }
    for (pid, process) in state.processes.iter().enumerate() {
        let automaton = system.automaton(process.automaton);
        if let Some((info, _)) = automaton.slots.iter().zip(&process.locals).find(holds) {
            return format!("{}({pid}):{}", automaton.name, info.name);
        }
    }
    format!("#{value}")
}

/// The fields of a message, symbolic names spelled out: `ack,3`.
pub fn message(system: &System, state: &State, id: ChannelId, message: &[i32]) -> String {
    let fields = state
        .channels
        .get(id.0 as usize)
        .map(|c| &system.model.channel_types[c.channel_type.0 as usize].fields[..])
        .unwrap_or_default();
    let texts: Vec<String> =
        message.iter().enumerate().map(|(i, &v)| value(system, fields.get(i).map(|f| f.scalar), v)).collect();
    texts.join(",")
}

/// A value as a variable of its type would be written.
pub fn value(system: &System, scalar: Option<Scalar>, value: i32) -> String {
    match scalar {
        Some(Scalar::Mtype(set)) if value != 0 => system::print::mtype_name(&system.model, value, Some(set)),
        _ => value.to_string(),
    }
}

/// `file:line` of a span, the file without its folders.
pub fn place(system: &System, span: Span) -> String {
    let sources = &system.model.sources;
    let visible = sources.visible_span(span);
    let name = &sources.file(visible.file).name;
    let short = name.rsplit('/').next().unwrap_or(name);
    format!("{short}:{}", sources.line_column(visible).line)
}
