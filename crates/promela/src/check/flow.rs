//! Control flow: what comes after a jump, and jumps that lead only to jumps.

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::hash::HashMap;
use crate::interrupt;
use crate::model::{Sequence, Statement, StatementKind};
use crate::source::Span;

/// With one of these beginnings a label makes a state of its own, so that a jump to a jump is no loop for SPIN.
const STATE_LABELS: [&str; 3] = ["accept", "end", "progress"];

/// Says what is odd about the ways through a body.
pub(crate) fn check(body: &Sequence, diagnostics: &mut Vec<Diagnostic>) {
    unreachable(body, diagnostics);
    jumps_to_jumps(body, diagnostics);
}

fn unreachable(body: &Sequence, diagnostics: &mut Vec<Diagnostic>) {
    for pair in body.statements.windows(2) {
        let [before, after] = pair else { continue };
        if leaves(before) && !can_be_entered(after) {
            diagnostics.push(
                Diagnostic::warning(codes::UNREACHABLE, after.span, "this statement can never be reached")
                    .with_related(before.span, "nothing goes on after this"),
            );
        }
    }
    for statement in &body.statements {
        interrupt::point();
        statement.kind.sequences().iter().for_each(|s| unreachable(s, diagnostics));
        for inner in statement.kind.statements() {
            inner.kind.sequences().iter().for_each(|s| unreachable(s, diagnostics));
        }
    }
}

/// Never goes on to the next statement: a jump, or a loop without `break`. Options that were not understood may have had a way on.
fn leaves(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Goto { .. } | StatementKind::Break => true,
        StatementKind::Do(options) | StatementKind::If(options) if options.is_empty() => false,
        StatementKind::Do(options) => !options.iter().any(has_break),
        StatementKind::If(options) => options.iter().all(|o| o.statements.last().is_some_and(leaves)),
        StatementKind::Atomic(inner) | StatementKind::DStep(inner) | StatementKind::Block(inner) => {
            inner.statements.last().is_some_and(leaves)
        }
        _ => false,
    }
}

/// A `break` that leaves the loop around the sequence.
fn has_break(sequence: &Sequence) -> bool {
    sequence.statements.iter().any(breaks)
}

fn breaks(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Break => true,
        StatementKind::Do(_) => false,
        kind => kind.sequences().iter().any(has_break) || kind.statements().into_iter().any(breaks),
    }
}

fn can_be_entered(statement: &Statement) -> bool {
    interrupt::point();
    let mut labelled = false;
    statement.visit(&mut |s| labelled |= !s.labels.is_empty());
    labelled
}

/// SPIN refuses a `goto` from which only further `goto`s are reached.
fn jumps_to_jumps(body: &Sequence, diagnostics: &mut Vec<Diagnostic>) {
    let mut next: HashMap<String, (String, Span)> = HashMap::default();
    body.visit(&mut |statement| {
        let StatementKind::Goto { label, label_span } = &statement.kind else { return };
        let makes_state = statement.labels.iter().any(|l| STATE_LABELS.iter().any(|s| l.name.starts_with(s)));
        if !makes_state {
            for own in &statement.labels {
                next.insert(own.name.clone(), (label.clone(), *label_span));
            }
        }
    });
    let mut starts: Vec<&String> = next.keys().collect();
    starts.sort();
    for start in starts {
        let mut at = start;
        for _ in 0..=next.len() {
            interrupt::point();
            match next.get(at) {
                Some((target, span)) if target == start => {
                    diagnostics.push(Diagnostic::error(
                        codes::GOTO_LOOP,
                        *span,
                        "this `goto` leads only to itself",
                    ));
                    break;
                }
                Some((target, _)) => at = target,
                None => break,
            }
        }
    }
}
