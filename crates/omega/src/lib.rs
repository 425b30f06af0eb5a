//! LTL formulas and Büchi automata over opaque propositions.
//!
//! Nothing here knows what a proposition means; the front end numbers its expressions and evaluates them. Data walks
//! through the crate in one direction:
//!
//! ```text
//! text ──parse──▶ Formula ──normal, rewrite──▶ negation normal form ──translate──▶ Automaton ──reduce──▶ Automaton
//!                    │                                                                │
//!                    └─ lasso: the meaning on ultimately periodic words               ├─ degeneralise: accepting states
//!                       (the reference of all tests)                                  ├─ emptiness: products, witnesses
//!                                                                                     └─ never, hoa: as text
//! ```
//!
//! Beside that, [`fairness`] decides whether an explicit graph has an accepting and fair run, component by component.

mod automaton;
pub mod component;
pub mod fairness;
mod formula;
mod index;
mod text;

pub use automaton::cube::Cube;
pub use automaton::degeneralise::degeneralise;
pub use automaton::emptiness::{Difference, find_accepted_word, find_difference, intersection};
pub use automaton::reduce::reduce;
pub use automaton::translate;
pub use automaton::translate::{
    TranslationError, TranslationLimits, translate, translate_negation, translate_to_buchi,
};
pub use automaton::{Automaton, AutomatonError, Edge, accepts_lasso};
pub use fairness::{FairEdge, FairGraph, FairLasso, Fairness};
pub use formula::lasso::{Lasso, holds_on_lasso};
pub use formula::normal::simplify;
pub use formula::parse::{FormulaError, FormulaErrorKind, Syntax, parse_formula};
pub use formula::{
    BinaryOperator, Formula, NumberedPropositions, PropositionNames, PropositionTable, UnaryOperator,
};
pub use formula::{normal, sample};
pub use index::{
    BitSet, Letter, MarkId, MarkSet, NodeId, ProcessId, ProcessSet, PropositionId, StateId, TypedIndex,
};
pub use text::hoa::{HoaError, read_hoa, write_hoa};
pub use text::never::{NeverClaimError, read_never_claim, write_never_claim};
