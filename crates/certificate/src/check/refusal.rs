//! Why a certificate is not accepted.

use super::rule::Rule;
use std::fmt;
use system::automaton::{Automaton, EdgeId, System};

/// Why a certificate is not accepted. None of these says that the property is false.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// An obligation is not met.
    Broken {
        /// Which.
        rule: Rule,
        /// How.
        what: String,
    },
    /// Somebody stopped the check before it was done.
    Cancelled,
}

impl Refusal {
    /// The rule that is broken.
    pub fn rule(&self) -> Option<Rule> {
        match self {
            Refusal::Broken { rule, .. } => Some(*rule),
            Refusal::Cancelled => None,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Broken { rule, what } => write!(f, "rule {rule} ({}): {what}", rule.says()),
            Refusal::Cancelled => write!(f, "the check was stopped before it was done"),
        }
    }
}

impl std::error::Error for Refusal {}

/// A statement for people: what it is and where.
pub fn statement_text(system: &System, automaton: &Automaton, edge: EdgeId) -> String {
    let edge = automaton.edge(edge);
    let line = line_of(system, edge.span);
    format!("`{}` of {} ({line})", edge.text, automaton.name)
}

/// "line 12", or "no line" for a model that was not read from a text.
pub fn line_of(system: &System, span: promela::source::Span) -> String {
    if system.model.sources.files().next().is_none() {
        return "no line".into();
    }
    format!("line {}", system.model.sources.visible_line(span))
}
