//! Control-flow automata and the only step semantics.
//!
//! [`lower::lower`] turns a model into a [`automaton::System`]; [`interpreter::Interpreter`] says which steps a
//! [`state::State`] allows and what they do. Everything else in the tool (search, simulation, replay, the reading of a
//! statement by the proofs) goes through these. Deliberately absent: stores of states, properties, search orders.

pub mod arithmetic;
pub mod automaton;
pub mod blocking;
pub mod capacities;
pub mod clock;
pub mod code;
pub mod control;
pub mod interpreter;
pub mod limits;
pub mod lower;
pub mod print;
pub mod progress;
pub mod simulate;
pub mod state;
pub mod text;
pub mod validate;

use promela::diagnostic::{Diagnostic, Severity};

/// The system of a model that is all in one text; what is wrong with it otherwise.
pub fn read_text(text: &str) -> Result<automaton::System, Vec<Diagnostic>> {
    let (model, diagnostics) =
        promela::read("model.pml", text, &promela::Options::default(), &promela::NoIncludes);
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(diagnostics);
    }
    Ok(lower::lower(model).0)
}
