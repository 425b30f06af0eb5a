//! `trace` and `notrace`: an automaton that follows the sends and receives of the channels it mentions.

use super::{Interpreter, Violation};
use crate::automaton::{Action, Automaton, AutomatonId, AutomatonKind, EdgeId, LocationId};
use crate::code::machine::Machine;
use crate::state::{ChannelId, State};
use promela::model::{ExprKind, ReceiveArgument};
use promela::source::Span;

/// Which side of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    Send,
    Receive,
}

impl Interpreter<'_> {
    /// Moves the event trace on an event of one of its channels; other events it does not see.
    pub(crate) fn event(
        &self,
        state: &mut State,
        direction: Direction,
        channel: ChannelId,
        message: &[i32],
        span: Span,
    ) -> Option<Violation> {
        let id = self.system.event_trace?;
        let automaton = self.system.automaton(id);
        let here = state.event_trace?;
        let names = |edge: EdgeId| self.names(state, (id, edge), direction, channel);
        let in_scope = (0..automaton.edges.len()).any(|edge| names(EdgeId(edge as u32)));
        if !in_scope {
            return None;
        }
        let negated = matches!(automaton.kind, AutomatonKind::EventTrace { negated: true });
        let matching =
            automaton.edges_from(here).find(|(id, edge)| names(*id) && matches(&edge.action, message));
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

    /// Whether a statement of the event trace names the event. A trace names global channels only.
    fn names(
        &self,
        state: &State,
        (automaton, edge): (AutomatonId, EdgeId),
        direction: Direction,
        channel: ChannelId,
    ) -> bool {
        let names_side = match self.system.automaton(automaton).edge(edge).action {
            Action::Send { .. } => direction == Direction::Send,
            Action::Receive { .. } => direction == Direction::Receive,
            _ => false,
        };
        let Some(block) = self.system.code.edge(automaton, edge).channel.filter(|_| names_side) else {
            return false;
        };
        let mut nobody = ();
        let mut machine = Machine::new(self, state, None, false, &(), &mut nobody);
        machine.channel_of(block) == Ok(channel)
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
