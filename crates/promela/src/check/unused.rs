//! What is declared and never used. Labels that nobody jumps to are not worth a word: they are how models are documented.

use super::Used;
use crate::ast::Ast;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::model::{Model, ProctypeId, Scalar, Type, Variable, VariableId};
use crate::resolve::{FrameId, Usage};

pub(super) fn check(model: &Model, ast: &Ast, used: &Used<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let usage = used.usage;
    let mut warn = |code, span, message: String| diagnostics.push(Diagnostic::warning(code, span, message));
    for inline in ast.inlines.iter().filter(|i| !i.is_called) {
        warn(
            codes::UNUSED_INLINE,
            inline.name.span,
            format!("inline `{}` is never called", inline.name.text),
        );
    }
    variables(&model.globals, FrameId::GLOBAL, usage, &mut warn);
    for (index, proctype) in model.proctypes.iter().enumerate() {
        let Some(frame) = used.frames.get(index) else { continue };
        variables(&proctype.locals, *frame, usage, &mut warn);
        if proctype.active == 0 && !usage.run.contains(&ProctypeId(index as u32)) {
            warn(codes::UNUSED_PROCTYPE, proctype.span, format!("proctype `{}` is never run", proctype.name));
        }
    }
    for set in &model.mtype_sets {
        let unused: Vec<_> =
            set.names.iter().filter(|(name, ..)| !usage.symbols.contains(name.as_str())).collect();
        // One warning for all: sets are often shared by several models.
        if let Some((name, _, span)) = unused.first() {
            let message = match unused.len() {
                1 => format!("mtype name `{name}` is never used"),
                2 => format!("mtype names `{name}` and `{}` are never used", unused[1].0),
                n => format!("mtype name `{name}` and {} others are never used", n - 1),
            };
            warn(codes::UNUSED_MTYPE_NAME, *span, message);
        }
    }
}

fn variables(
    variables: &[Variable],
    frame: FrameId,
    usage: &Usage,
    warn: &mut impl FnMut(&'static str, crate::source::Span, String),
) {
    for (index, variable) in variables.iter().enumerate() {
        let id = (frame, VariableId(index as u32));
        if variable.name == "_" || usage.read.contains(&id) {
            continue;
        }
        let what = if variable.parameter {
            "parameter"
        } else if variable.ty == Type::Scalar(Scalar::Chan) {
            "channel"
        } else {
            "variable"
        };
        if usage.written.contains(&id) {
            // Message fields are often received only to be thrown away, and globals may be there for a formula.
            continue;
        }
        warn(codes::UNUSED_VARIABLE, variable.span, format!("{what} `{}` is never used", variable.name));
    }
}
