//! The portfolio: all questions about a model, asked of all engines at once, within a budget.
//!
//! [`check`] asks everything that a model makes askable and returns one [`Answer`] a question. Engines do not own questions: they are
//! stages ([`stages`]) that read and publish facts ([`facts`]) on a blackboard ([`board`]). Facts imply facts ([`rules`]), and answers
//! are what the facts say when the work ends, for whatever reason it ends ([`buffers`], [`progress`]).
//!
//! Invariants:
//! - every `PROVED` by a certificate was accepted by the checker before it was published and says what is answered, and every `VIOLATED` is
//!   replayed once more before it is returned ([`confirm`]); what does not pass becomes `UNKNOWN` with the reason;
//! - no two answers about a model contradict each other ([`consistency`]); if they do, neither counts;
//! - what was cut short by a limit or by somebody is `UNKNOWN`, never a success.
//!
//! Deliberately absent: files, formats, terminals.

mod answer;
mod at_once;
mod board;
mod buffers;
mod check;
pub mod confirm;
pub mod consistency;
mod every_capacity;
mod facts;
mod fillings;
mod fullness;
pub mod hints;
mod in_turns;
mod lane;
mod options;
mod progress;
mod rules;
mod safety;
mod stages;
mod supervisor;
mod temporal;
mod walks;
mod words;

pub use answer::{
    Answer, AnyNumber, Bound, CheckReport, Counterexample, Figures, Question, Reading, Searched, Summary,
    UnreachedStatement, with_formula_alone,
};
pub use buffers::channel_names;
pub use check::check;
pub use fillings::{Filling, fillings};
pub use options::{CheckOptions, Coverage, Engines, Explorer, FormulaChoice, Questions, SearchKnobs};
pub use progress::not_there;
pub use supervisor::{Event, Supervisor};
pub use system::capacities::CapacityReading;
pub use words::{after, bytes, counted, grouped};
