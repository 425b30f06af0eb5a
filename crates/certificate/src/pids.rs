//! Whether anything in a model depends on the numbers or on the number of its processes.
//!
//! If nothing does, two processes of one proctype with equal frames at one location can change places, and a process that only waits
//! for its end may as well be gone.

use promela::model::{Expr, ExprKind, Initializer, Place, ReceiveArgument};
use system::automaton::{Action, System};

/// Whether some statement, `provided` clause or initial value looks at `_pid`, at the value of a `run`, at `_nr_pr` or `_last`, at
/// priorities, or into another process.
pub fn are_observed(system: &System) -> bool {
    let features = &system.model.features;
    let by_feature = features.last
        || features.enabled
        || features.pc_value
        || features.priorities
        || features.number_of_processes;
    let in_statements = || {
        let mut edges = system.process_automata().flat_map(|(_, automaton)| &automaton.edges);
        edges.any(|edge| action_observes(&edge.action))
    };
    let in_declarations = || {
        let initial = |init: &Initializer| match init {
            Initializer::Expr(e) => observes(e),
            Initializer::List(list) => list.iter().any(observes),
            Initializer::None | Initializer::Channel(_) => false,
        };
        let locals = system.model.proctypes.iter().flat_map(|proctype| &proctype.locals);
        locals.chain(&system.model.globals).any(|variable| initial(&variable.init))
            || system.model.proctypes.iter().any(|proctype| proctype.provided.as_ref().is_some_and(observes))
    };
    by_feature || in_statements() || in_declarations()
}

fn action_observes(action: &Action) -> bool {
    match action {
        // Alone, `run` is only asked whether it started a process.
        Action::Condition(Expr { kind: ExprKind::Run { arguments, .. }, .. }) => {
            arguments.iter().any(observes)
        }
        Action::Condition(e) | Action::Assert(e) | Action::Printm(e) => observes(e),
        Action::Assign { place, value } => place_observes(place) || observes(value),
        Action::Send { channel, arguments, .. } => {
            place_observes(&channel.place) || arguments.iter().any(observes)
        }
        Action::Receive { channel, arguments, .. } => {
            place_observes(&channel.place) || arguments.iter().any(argument_observes)
        }
        Action::Printf { arguments, .. } => arguments.iter().any(observes),
        Action::SetPriority { .. } => true,
        Action::DStep(body) => {
            let mut choices = body.nodes.iter().flat_map(|node| &node.choices);
            choices.any(|choice| action_observes(&choice.action))
        }
        Action::Skip | Action::Else | Action::End => false,
    }
}

fn argument_observes(argument: &ReceiveArgument) -> bool {
    match argument {
        ReceiveArgument::Match(e) => observes(e),
        ReceiveArgument::Store(place) => place_observes(place),
        ReceiveArgument::Discard(_) => false,
    }
}

fn place_observes(place: &Place) -> bool {
    place.indices.iter().any(|index| observes(&index.value))
}

fn observes(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Pid
        | ExprKind::NumberOfProcesses
        | ExprKind::Last
        | ExprKind::OwnPriority
        | ExprKind::Run { .. }
        | ExprKind::Enabled(_)
        | ExprKind::PcValue(_)
        | ExprKind::GetPriority(_)
        | ExprKind::RemoteLabel { .. }
        | ExprKind::RemoteVariable { .. } => true,
        ExprKind::Constant { .. } | ExprKind::NonProgress | ExprKind::Timeout => false,
        ExprKind::Read(place) => place_observes(place),
        ExprKind::Unary(_, a) => observes(a),
        ExprKind::Binary(_, a, b) => observes(a) || observes(b),
        ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().any(|e| observes(e)),
        ExprKind::Len(channel)
        | ExprKind::Empty(channel)
        | ExprKind::NotEmpty(channel)
        | ExprKind::Full(channel)
        | ExprKind::NotFull(channel) => place_observes(&channel.place),
        ExprKind::Poll { channel, arguments, .. } => {
            place_observes(&channel.place) || arguments.iter().any(argument_observes)
        }
    }
}
