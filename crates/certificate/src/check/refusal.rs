//! Why a certificate is not accepted.

use std::fmt;
use system::automaton::{Automaton, EdgeId, System};

/// Why a certificate is not accepted. None of these says that the property is false.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// The certificate is of another version.
    Schema {
        /// What it says.
        found: String,
    },
    /// The certificate is for another model.
    Model,
    /// The certificate was changed after it was sealed.
    Seal,
    /// The certificate does not speak of things that exist.
    Malformed {
        /// What is wrong.
        what: String,
    },
    /// A claim does not hold at the start.
    Initially {
        /// Which.
        claim: String,
    },
    /// A statement does not keep a claim, or is not understood.
    Statement {
        /// The statement and where it stands.
        statement: String,
        /// The claim, or what is not understood.
        claim: String,
    },
    /// A statement makes a potential grow.
    Grows {
        /// The statement and where it stands.
        statement: String,
        /// Which proof, from 0.
        proof: usize,
        /// By how much.
        by: i128,
        /// By how much it may.
        allowed: i128,
    },
    /// Somebody stopped the check before it was done.
    Cancelled,
    /// A proof does not show what it says, although nothing grows.
    Proof {
        /// Which, from 0.
        proof: usize,
        /// What is wrong.
        what: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Schema { found } => {
                write!(f, "the certificate's schema is `{found}`, not `{}`", crate::SCHEMA)
            }
            Refusal::Cancelled => write!(f, "the check was stopped before it was done"),
            Refusal::Model => {
                write!(f, "the certificate is for another model, or another version of this one")
            }
            Refusal::Seal => {
                write!(f, "the certificate was changed after it was written: its seal does not fit")
            }
            Refusal::Malformed { what } => write!(f, "the certificate is malformed: {what}"),
            Refusal::Initially { claim } => write!(f, "a claim does not hold at the start: {claim}"),
            Refusal::Statement { statement, claim } => write!(f, "{statement}: {claim}"),
            Refusal::Grows { statement, proof, by, allowed } => {
                write!(
                    f,
                    "{statement} changes the potential of proof {proof} by {by}; at most {allowed} is allowed"
                )
            }
            Refusal::Proof { proof, what } => write!(f, "proof {proof}: {what}"),
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
