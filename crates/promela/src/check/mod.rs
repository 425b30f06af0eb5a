//! What there is to say about a model as a whole: processes that never start, names that are never used, statements that
//! cannot be reached, messages that do not fit their channel, promises that are broken.

mod exclusive;
mod flow;
mod messages;
mod unused;

pub(crate) use flow::check as flow;
pub(crate) use messages::check as messages;

use crate::ast::Ast;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::model::Model;
use crate::resolve::{FrameId, Usage};
use crate::source::Span;

/// Warnings that mean little when there are errors.
pub(crate) const UNUSED: [&str; 4] =
    [codes::UNUSED_INLINE, codes::UNUSED_VARIABLE, codes::UNUSED_PROCTYPE, codes::UNUSED_MTYPE_NAME];

/// What is used of a model whose proctypes have these frames.
pub(crate) struct Used<'a> {
    pub usage: &'a Usage,
    pub frames: &'a [FrameId],
}

/// Says what there is to say about all of it; [`flow`] and [`messages`] are about one body. The model may have errors already.
pub(crate) fn check(model: &Model, ast: &Ast, used: &Used<'_>, diagnostics: &mut Vec<Diagnostic>) {
    something_runs(model, diagnostics);
    exclusive::check(model, diagnostics);
    unused::check(model, ast, used, diagnostics);
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
