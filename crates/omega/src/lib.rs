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

pub mod automaton;
pub mod component;
pub mod cube;
pub mod degeneralise;
pub mod emptiness;
pub mod fairness;
pub mod formula;
mod guard;
pub mod hoa;
pub mod index;
pub mod lasso;
pub mod never;
pub mod normal;
mod obligation;
pub mod parse;
pub mod reduce;
mod rewrite;
pub mod sample;
pub mod translate;

pub use automaton::{Automaton, AutomatonError, Edge, accepts_lasso};
pub use cube::Cube;
pub use degeneralise::degeneralise;
pub use emptiness::{Difference, find_accepted_word, find_difference, intersection};
pub use fairness::{FairEdge, FairGraph, FairLasso, Fairness};
pub use formula::{
    BinaryOperator, Formula, NumberedPropositions, PropositionNames, PropositionTable, UnaryOperator,
};
pub use hoa::{HoaError, read_hoa, write_hoa};
pub use index::{
    BitSet, Letter, MarkId, MarkSet, NodeId, ProcessId, ProcessSet, PropositionId, StateId, TypedIndex,
};
pub use lasso::{Lasso, holds_on_lasso};
pub use never::{NeverClaimError, read_never_claim, write_never_claim};
pub use normal::simplify;
pub use parse::{FormulaError, FormulaErrorKind, Syntax, parse_formula};
pub use reduce::reduce;
pub use translate::{TranslationError, TranslationLimits, translate, translate_negation, translate_to_buchi};
