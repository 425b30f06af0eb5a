//! What there is to say about a model as a whole: processes that never start, names that are never used, statements that
//! cannot be reached, messages that do not fit their channel, promises that are broken.

mod exclusive;
mod flow;
mod messages;
mod unused;

use crate::ast::Ast;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::model::Model;
use crate::resolve::Usage;
use crate::source::Span;

/// Warnings that mean little when there are errors.
pub(crate) const UNUSED: [&str; 4] =
    [codes::UNUSED_INLINE, codes::UNUSED_VARIABLE, codes::UNUSED_PROCTYPE, codes::UNUSED_MTYPE_NAME];

/// Adds the diagnostics. The model may have errors already.
pub(crate) fn check(model: &Model, ast: &Ast, usage: &Usage, diagnostics: &mut Vec<Diagnostic>) {
    something_runs(model, diagnostics);
    flow::check(model, diagnostics);
    messages::check(model, diagnostics);
    exclusive::check(model, diagnostics);
    unused::check(model, ast, usage, diagnostics);
}

fn something_runs(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    if model.proctypes.iter().any(|p| p.active > 0) {
        return;
    }
    let span = model.proctypes.first().map_or(Span::default(), |p| p.span);
    diagnostics.push(
        Diagnostic::error(codes::NOTHING_RUNS, span, "no process ever starts")
            .with_help("add an `init`, or write `active` before a proctype"),
    );
}
