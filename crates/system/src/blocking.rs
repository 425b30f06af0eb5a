//! Whether a model can notice that a send has to wait.
//!
//! If it cannot, buffers of any capacity only take runs away: whatever can happen in a state when buffers have limits can happen in the
//! same state, with the same effect, when they have none. So every run with limits is a run without, and what is true of all states
//! or of all infinite runs without limits is true for every capacity. (What is said about runs that end is not: a send that waits can end one.)
//!
//! What waits for room is a send, or `nfull`. A wait is noticed by whatever can be executed *because* of it: `full`, `timeout`, `enabled`, an
//! `else` or a later choice of a `d_step` beside what waits, the rest of an `unless` whose escape waits, a process of a lower priority, and everybody
//! else if it stands in the middle of an `atomic`, which gives way.

use crate::automaton::{Action, Automaton, DStep, LocationId, System};
use crate::code::Instruction;
use crate::code::footprint::Footprint;
use std::collections::HashSet;

/// Whether something can happen because a send waits.
pub fn is_noticed(system: &System) -> bool {
    let features = &system.model.features;
    if features.timeout || features.enabled || features.priorities {
        return true;
    }
    let looks = |instruction: Instruction| matches!(instruction, Instruction::Full | Instruction::Timeout);
    system.code.instructions().any(looks)
        || system.process_automata().any(|(_, automaton)| is_noticed_in(system, automaton))
}

/// Whether something can happen, or not happen, because a buffer is just full, although no send waits: somebody asks for room.
pub fn is_fullness_noticed(system: &System) -> bool {
    let features = &system.model.features;
    let looks = |instruction: Instruction| matches!(instruction, Instruction::Full);
    let waits = |action: &Action| !Footprint::of_statement(system, action).awaits_room.is_empty();
    let mut edges = system.process_automata().flat_map(|(_, automaton)| &automaton.edges);
    features.enabled
        || features.priorities
        || system.code.instructions().any(looks)
        || edges.any(|edge| waits(&edge.action))
}

fn is_noticed_in(system: &System, automaton: &Automaton) -> bool {
    let inside_atomic: HashSet<LocationId> =
        automaton.edges.iter().filter(|edge| edge.atomic).map(|edge| edge.target).collect();
    let has_other_choice = |action: &Action| match action {
        Action::DStep(body) => has_other_choice(system, body),
        _ => false,
    };
    automaton.edges.iter().any(|edge| has_other_choice(&edge.action))
        || (0..automaton.locations.len() as u32).map(LocationId).any(|location| {
            let edges = || automaton.edges_from(location).map(|(_, edge)| edge);
            let can_tell = inside_atomic.contains(&location)
                || edges().any(|edge| edge.escape > 0 || begins_with_else(&edge.action));
            can_tell && edges().any(|edge| may_wait(system, &edge.action))
        })
}

/// Whether a statement, or something in it, waits for room in a buffer. (What asks for room and does not wait has the instruction `Full`.)
fn may_wait(system: &System, action: &Action) -> bool {
    let footprint = Footprint::of_statement(system, action);
    !footprint.sends.is_empty() || !footprint.awaits_room.is_empty()
}

fn begins_with_else(action: &Action) -> bool {
    match action {
        Action::Else => true,
        Action::DStep(body) => body.nodes[0].choices.iter().any(|choice| begins_with_else(&choice.action)),
        _ => false,
    }
}

/// Whether somewhere in a `d_step` something else is done if a send finds no room.
fn has_other_choice(system: &System, body: &DStep) -> bool {
    body.nodes.iter().any(|node| {
        node.choices.len() > 1 && node.choices.iter().any(|choice| may_wait(system, &choice.action))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noticed(body: &str) -> bool {
        let text = format!("chan c = [1] of {{ byte }}; byte x; active proctype P() {{ {body} }}");
        is_noticed(&crate::read_text(&text).expect("a model"))
    }

    #[test]
    fn plain_sends_and_looking_at_what_is_there_notice_nothing() {
        for body in [
            "do :: c!1 :: c?_ od",
            "c!1; if :: len(c) == 1 -> x = 1 :: else fi",
            "atomic { c!1; x = 1 }",
            "do :: c?[1] -> c?_ :: empty(c) -> c!1 od",
            "nfull(c) -> c!1",
            "{ x == 0 -> x = 1 } unless { x == 2 }; c!1",
            "d_step { c!1; x = 1 }",
        ] {
            assert!(!noticed(body), "{body}");
        }
    }

    #[test]
    fn whatever_happens_because_a_send_waits_notices_it() {
        for body in [
            "if :: c!1 :: else -> x = 1 fi",
            "if :: full(c) -> x = 1 :: c!1 fi",
            "do :: c!1 :: timeout -> break od",
            "atomic { x = 1; c!1 }",
            "{ x = 1; x = 2 } unless { c!1 }",
            "{ x = 1; x = 2 } unless { nfull(c) }",
            "{ x = 1; x = 2 } unless { x < 3 && nfull(c) }",
            "if :: nfull(c) -> c!1 :: else -> x = 1 fi",
            "atomic { x = 1; nfull(c); x = 2 }",
            "d_step { if :: nfull(c) -> x = 1 :: x == 0 fi }",
            "d_step { x = 1; if :: c!1 :: else -> x = 2 fi }",
            "d_step { if :: c!1 :: x == 0 fi }; x = 1",
            "if :: d_step { c!1; x = 1 } :: else fi",
            "x = enabled(_pid); c!1",
            "set_priority(_pid, 3); c!1",
        ] {
            assert!(noticed(body), "{body}");
        }
    }
}
