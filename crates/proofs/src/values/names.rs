//! How groups of processes and their channels are called when people read about them.

use crate::values::analysis::Analysis;
use crate::values::world::{Declared, Group, GroupKey, ObjectIndex, object_of};

/// A group's name for people: `server`, `client(0)` by its arguments, `node[2]` where several start by themselves.
pub fn group_name(analysis: &Analysis<'_>, group: &Group) -> String {
    let name = &analysis.system.automaton(group.automaton).name;
    match &group.key {
        GroupKey::Run(_, arguments) if !arguments.is_empty() => {
            let arguments: Vec<String> = arguments
                .iter()
                .map(|argument| match argument {
                    // Any that occurs.
                    None => "_".to_string(),
                    Some(value) => match object_of(*value) {
                        Some(object) => object_name(analysis, object),
                        None => value.to_string(),
                    },
                })
                .collect();
            format!("{name}({})", arguments.join(","))
        }
        GroupKey::Initial(id, pid) if analysis.system.model.proctypes[id.0 as usize].active > 1 => {
            format!("{name}[{pid}]")
        }
        _ => name.clone(),
    }
}

/// A channel's name as the model has it; channels of processes with their process.
pub fn object_name(analysis: &Analysis<'_>, object: ObjectIndex) -> String {
    match analysis.world.object(object).declared {
        Declared::Global(slot) => analysis.system.global_slots[slot as usize].name.clone(),
        Declared::Local(group, slot) => {
            let data = analysis.world.group(group);
            let automaton = analysis.system.automaton(data.automaton);
            let slot = &automaton.slots[slot as usize].name;
            match &data.key {
                GroupKey::Initial(_, pid) => format!("{}[{pid}]:{slot}", automaton.name),
                _ => format!("{}#{}:{slot}", automaton.name, group.0),
            }
        }
    }
}
