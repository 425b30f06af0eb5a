//! Warnings about a model, summed up: what is wrong beside the answers, in a line for each kind.

use crate::columns;
use promela::diagnostic::Diagnostic;
use promela::source::{SourceMap, Span};
use std::collections::BTreeMap;
use std::fmt::Write;
use verify::counted;

/// A line for each code: the first of its kind and how many there are beside it.
pub fn summed_up(sources: &SourceMap, warnings: &[Diagnostic], width: usize) -> String {
    if warnings.is_empty() {
        return String::new();
    }
    let mut kinds: BTreeMap<&str, Vec<&Diagnostic>> = BTreeMap::new();
    for warning in warnings {
        kinds.entry(warning.code).or_default().push(warning);
    }
    let mut out = String::new();
    for (code, all) in kinds {
        let line = sources.line_column(sources.visible_span(all[0].span)).line;
        let more = match all.len() {
            1 => String::new(),
            count => format!(", and {} more like it", count - 1),
        };
        let text = format!("warning[{code}] line {line}: {}{more}", all[0].message);
        columns::indented(&mut out, "", &text, width);
    }
    let _ = writeln!(out, "{} (--warnings shows where)", counted(warnings.len(), "warning"));
    out
}

/// The warnings without those that say the same of the same macro again.
pub fn each_once(sources: &SourceMap, warnings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut met: Vec<(&str, String, Span)> = Vec::new();
    let mut kept = Vec::new();
    for warning in warnings {
        let chain = sources.expansion_chain(warning.span);
        let Some(innermost) = chain.first() else {
            kept.push(warning);
            continue;
        };
        let key = (warning.code, warning.message.clone(), innermost.defined_at);
        if !met.contains(&key) {
            met.push(key);
            kept.push(warning);
        }
    }
    kept
}
