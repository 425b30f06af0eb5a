//! Whether anything in a model depends on the numbers or on the number of its processes.
//!
//! If nothing does, two processes of one proctype with equal frames at one location can change places, and a process that only waits
//! for its end may as well be gone.

use promela::model::{Expr, ExprKind, Initializer};
use system::automaton::{Action, System};

/// Whether some statement, `provided` clause or initial value looks at `_pid`, at the value of a `run`, at `_nr_pr` or `_last`, at
/// priorities, or into another process. (What the front end has noted of the model is more than that: it knows of formulas and claims, too. Initial
/// values of arrays in lists and of fields are constants, and those of globals are older than all processes.)
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
        Action::SetPriority { .. } => true,
        Action::DStep(body) => {
            let mut choices = body.nodes.iter().flat_map(|node| &node.choices);
            choices.any(|choice| action_observes(&choice.action))
        }
        _ => {
            let mut found = false;
            action.visit_expressions(&mut |expr| found |= observes(expr));
            found
        }
    }
}

fn observes(expr: &Expr) -> bool {
    let mut found = false;
    expr.visit(&mut |part| {
        found |= looks_at_numbers(part) || matches!(part.kind, ExprKind::RemoteLabel { .. });
    });
    found
}

/// Whether an operator, whatever its operands are, looks at the number of a process, at how many there are, at priorities, or at a variable
/// of a process.
pub(crate) fn looks_at_numbers(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Pid
            | ExprKind::NumberOfProcesses
            | ExprKind::Last
            | ExprKind::OwnPriority
            | ExprKind::Run { .. }
            | ExprKind::Enabled(_)
            | ExprKind::PcValue(_)
            | ExprKind::GetPriority(_)
            | ExprKind::RemoteVariable { .. }
    )
}
