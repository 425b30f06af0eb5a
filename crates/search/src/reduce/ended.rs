//! Whether a process that can only end may do so before anybody else moves.
//!
//! A process dies once it is the youngest. Whoever is started before that has a higher number, and so have his channels: ended
//! processes pile up, up to the limit on their number, although nothing depends on them. Where no number of a process or a
//! channel is ever looked at, a state with such a process and the same state without it, all younger numbers one less, have the
//! same moves. Then dying first leaves out nothing but the pile.
//!
//! With a process its channels die, and who still knows one would use a channel that is gone. Channels are handed from parents to
//! children here and nowhere else, and children are younger: when a process is the youngest, nobody else knows its channels.

use certificate::pids;
use promela::model::{Expr, ExprKind, Frame, Initializer, Place, ProctypeId, ReceiveArgument, Scalar, Type};
use system::automaton::{Action, System};
use system::code::footprint::Footprint;

/// Whether nothing in a model depends on when a process dies that has nothing else to do.
pub fn may_die_first(system: &System) -> bool {
    let mut proctypes = (0..system.model.proctypes.len() as u32).map(ProctypeId);
    let starts =
        proctypes.any(|id| Footprint::of_proctype(system, id).any(|footprint| !footprint.starts.is_empty()));
    // Who starts with the model dies as it does: nobody comes after him.
    starts && !pids::are_observed(system) && channels_go_to_children_only(system)
}

fn channels_go_to_children_only(system: &System) -> bool {
    let statements = system.process_automata().flat_map(|(_, automaton)| &automaton.edges);
    let proctypes = &system.model.proctypes;
    let initial = proctypes.iter().flat_map(|proctype| &proctype.locals).chain(&system.model.globals);
    statements.into_iter().all(|edge| keeps_channels(system, &edge.action))
        && proctypes.iter().flat_map(|proctype| &proctype.provided).all(|expr| knows_no_channel(system, expr))
        && initial.into_iter().all(|variable| match &variable.init {
            Initializer::None | Initializer::Channel(_) => true,
            Initializer::Expr(expr) if variable.ty == Type::Scalar(Scalar::Chan) => is_channel(expr),
            Initializer::Expr(expr) => knows_no_channel(system, expr),
            Initializer::List(list) => list.iter().all(|expr| knows_no_channel(system, expr)),
        })
}

/// Whether an action gives no channel away but to a process that it starts, and does not ask which one it is.
fn keeps_channels(system: &System, action: &Action) -> bool {
    match action {
        Action::Assign { place, value } if place.scalar == Scalar::Chan => {
            place.frame == Frame::Local && is_channel(value)
        }
        Action::Receive { arguments, .. }
            if arguments.iter().any(|argument| {
                matches!(argument, ReceiveArgument::Store(Place { scalar: Scalar::Chan, .. }))
            }) =>
        {
            false
        }
        Action::DStep(body) => {
            let mut choices = body.nodes.iter().flat_map(|node| &node.choices);
            choices.all(|choice| keeps_channels(system, &choice.action))
        }
        _ => {
            let mut keeps = true;
            action.visit_expressions(&mut |expr| keeps &= knows_no_channel(system, expr));
            keeps
        }
    }
}

/// Whether an expression does not depend on which channel is which, except for what it gives to a process that it starts.
fn knows_no_channel(system: &System, expr: &Expr) -> bool {
    let is_handed_on = |expr: &Expr| match &expr.kind {
        ExprKind::Run { proctype, arguments, .. } => {
            let slots = &system.automata[proctype.0 as usize].slots;
            let fits = |(argument, slot): (&Expr, &system::automaton::Slot)| {
                is_channel(argument) == (slot.scalar == Scalar::Chan)
            };
            arguments.len() <= slots.len() && arguments.iter().zip(slots).all(fits)
        }
        _ => true,
    };
    let (mut known, mut handed_on) = (0, 0);
    let mut fits = true;
    expr.visit(&mut |inner| {
        known += usize::from(is_channel(inner));
        fits &= is_handed_on(inner);
        if let ExprKind::Run { arguments, .. } = &inner.kind {
            handed_on += arguments.iter().filter(|argument| is_channel(argument)).count();
        }
    });
    fits && known == handed_on
}

fn is_channel(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Read(place) if place.scalar == Scalar::Chan)
}
