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
use promela::model::{Expr, ExprKind};

/// Whether something can happen because a send waits.
pub fn is_noticed(system: &System) -> bool {
    let features = &system.model.features;
    if features.timeout || features.enabled || features.priorities {
        return true;
    }
    let looks = |instruction: &Instruction| matches!(instruction, Instruction::Full | Instruction::Timeout);
    if system.code.instructions().any(|instruction| looks(&instruction)) {
        return true;
    }
    // A process that may not go on gives way in the middle of an `atomic`.
    if system.model.proctypes.iter().flat_map(|proctype| &proctype.provided).any(asks_for_room) {
        return true;
    }
    system.process_automata().any(|(_, automaton)| is_noticed_in(automaton))
}

fn is_noticed_in(automaton: &Automaton) -> bool {
    let d_steps = automaton.edges.iter().filter_map(|edge| match &edge.action {
        Action::DStep(body) => Some(body),
        _ => None,
    });
    if d_steps.into_iter().any(has_other_choice) {
        return true;
    }
    (0..automaton.locations.len()).any(|index| {
        let location = LocationId(index as u32);
        let edges = || automaton.edges_from(location).map(|(_, edge)| edge);
        if !edges().any(|edge| may_wait(&edge.action)) {
            return false;
        }
        let has_else = edges().any(|edge| begins_with_else(&edge.action));
        let has_escape = edges().any(|edge| edge.escape > 0);
        let inside_atomic = automaton.edges.iter().any(|edge| edge.atomic && edge.target == location);
        has_else || has_escape || inside_atomic
    })
}

/// Whether a statement waits for room in a buffer. (Whatever asks for room and does not wait has the instruction `Full`.)
fn may_wait(action: &Action) -> bool {
    match action {
        Action::Send { .. } => true,
        Action::Condition(condition) => asks_for_room(condition),
        Action::DStep(body) => body.nodes[0].choices.iter().any(|choice| may_wait(&choice.action)),
        _ => false,
    }
}

fn asks_for_room(condition: &Expr) -> bool {
    let mut asks = false;
    condition.visit(&mut |inner| asks |= matches!(inner.kind, ExprKind::NotFull(_)));
    asks
}

fn begins_with_else(action: &Action) -> bool {
    match action {
        Action::Else => true,
        Action::DStep(body) => body.nodes[0].choices.iter().any(|choice| begins_with_else(&choice.action)),
        _ => false,
    }
}

/// Whether somewhere in a `d_step` something else is done if a send finds no room.
fn has_other_choice(body: &DStep) -> bool {
    body.nodes
        .iter()
        .any(|node| node.choices.len() > 1 && node.choices.iter().any(|choice| may_wait(&choice.action)))
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
