//! Warnings about a whole model: what is declared and never used.

use crate::ast::Ast;
use crate::diagnostic::Diagnostic;
use crate::model::Model;
use crate::resolve::Usage;

/// Adds the warnings.
pub(crate) fn check(_model: &Model, ast: &Ast, _usage: &Usage, diagnostics: &mut Vec<Diagnostic>) {
    for inline in ast.inlines.iter().filter(|i| i.calls == 0) {
        let message = format!("inline `{}` is never called", inline.name.text);
        diagnostics.push(Diagnostic::warning("W0101", inline.name.span, message));
    }
}
