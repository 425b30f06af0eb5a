//! `trace` and `notrace`: an automaton that follows the sends and receives of the channels it mentions.

use super::{Interpreter, Violation};
use crate::automaton::{Action, Automaton, AutomatonKind, LocationId};
use crate::state::{ChannelId, State};
use promela::model::{ChannelRef, ExprKind, Frame, ReceiveArgument};
use promela::source::Span;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Send,
    Receive,
}

impl Interpreter<'_> {
    /// Moves the event trace on an event of one of its channels; other events it does not see.
    pub(super) fn event(
        &self,
        state: &mut State,
        direction: Direction,
        channel: ChannelId,
        message: &[i32],
        span: Span,
    ) -> Option<Violation> {
        let automaton = self.system.automaton(self.system.event_trace?);
        let here = state.event_trace?;
        let in_scope = automaton.edges.iter().any(|e| self.names(state, &e.action, direction, channel));
        if !in_scope {
            return None;
        }
        let negated = matches!(automaton.kind, AutomatonKind::EventTrace { negated: true });
        let matching = automaton
            .edges_from(here)
            .find(|(_, e)| self.names(state, &e.action, direction, channel) && matches(&e.action, message));
        match matching {
            Some((_, edge)) => {
                state.event_trace = Some(edge.target);
                let at_end = automaton.edges_from(edge.target).any(|(_, e)| matches!(e.action, Action::End));
                (negated && at_end).then_some(Violation::ForbiddenTraceCompleted { span })
            }
            // Only the first attempt at a forbidden trace counts: from here on nothing is forbidden.
            None if negated => {
                state.event_trace = end_of(automaton).or(Some(here));
                None
            }
            None => Some(Violation::EventNotInTrace { span }),
        }
    }

    fn names(&self, state: &State, action: &Action, direction: Direction, channel: ChannelId) -> bool {
        match (action, direction) {
            (Action::Send { channel: c, .. }, Direction::Send)
            | (Action::Receive { channel: c, .. }, Direction::Receive) => {
                self.global_channel(state, c) == Some(channel)
            }
            _ => false,
        }
    }

    /// A trace names global channels only.
    fn global_channel(&self, state: &State, channel: &ChannelRef) -> Option<ChannelId> {
        let place = &channel.place;
        if place.frame != Frame::Global {
            return None;
        }
        let mut slot = place.base;
        for index in &place.indices {
            let value = self.evaluate(state, None, &index.value).ok()?;
            slot += u32::try_from(value).ok().filter(|&v| v < index.length)? * index.stride;
        }
        let value = state.globals[slot as usize];
        (value > 0).then(|| ChannelId(value as u32 - 1))
    }
}

/// An event matches where it gives constants; anything else in its place stands for any value.
fn matches(action: &Action, message: &[i32]) -> bool {
    let constants: Vec<Option<i32>> = match action {
        Action::Send { arguments, .. } => arguments.iter().map(|e| constant(&e.kind)).collect(),
        Action::Receive { arguments, .. } => arguments
            .iter()
            .map(|a| match a {
                ReceiveArgument::Match(e) => constant(&e.kind),
                _ => None,
            })
            .collect(),
        _ => return false,
    };
    constants.iter().zip(message).all(|(c, field)| c.is_none_or(|c| c == *field))
}

fn constant(kind: &ExprKind) -> Option<i32> {
    match kind {
        ExprKind::Constant { value, .. } => Some(*value),
        _ => None,
    }
}

fn end_of(automaton: &Automaton) -> Option<LocationId> {
    automaton.edges.iter().find(|e| matches!(e.action, Action::End)).map(|e| e.source)
}
