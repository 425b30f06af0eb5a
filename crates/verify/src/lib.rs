//! The portfolio: all questions about a model, asked of all engines at once, within a budget.
//!
//! [`check`] asks everything that a model makes askable and returns one [`Answer`] a question. What one engine finds helps or stops
//! the others: proved bounds are compared with what search sees, a search that ends although no buffer has a limit decides the
//! buffers, and whoever answers first ends the work on a question.
//!
//! Invariants:
//! - every `PROVED` by a certificate is checked once more, and every `VIOLATED` is replayed once more, before it is returned
//!   ([`confirm`]); what does not pass becomes `UNKNOWN` with the reason;
//! - no two answers about a model contradict each other ([`consistency`]); if they do, neither counts;
//! - what was cut short by a limit or by somebody is `UNKNOWN`, never a success.
//!
//! Deliberately absent: files, formats, terminals.

mod answer;
mod buffers;
mod check;
pub mod confirm;
pub mod consistency;
mod control;
mod deeper;
pub mod hints;
mod options;
mod progress;
mod safety;
mod temporal;
mod words;
mod worst;

pub use answer::{
    Answer, AnyNumber, Bound, BufferCapacities, CheckReport, Counterexample, Figures, Question, Reading,
    Searched, Summary, UnreachedStatement, with_formula_alone,
};
pub use buffers::channel_names;
pub use check::check;
pub use control::{Control, Event};
pub use options::{CheckOptions, Coverage, FormulaChoice, Questions, SearchKnobs};
pub use progress::not_there;
pub use words::{counted, grouped};
pub use worst::{Filling, fillings};
