//! LTL formulas and Büchi automata over opaque propositions.
//!
//! Nothing here knows what a proposition means; the front end numbers its expressions and evaluates them. Data walks
//! through the crate in one direction:
//!
//! ```text
//! text ──parse──▶ Formula ──normal, rewrite──▶ negation normal form ──translate──▶ Automaton ──reduce──▶ Automaton
//!                    │                                                                │
//!                    └─ lasso: the meaning on ultimately periodic words               ├─ degeneralise: accepting states
//!                       (the reference of all tests)                                  └─ emptiness: products, witnesses
//! ```

pub mod automaton;
pub mod component;
pub mod cube;
pub mod degeneralise;
pub mod emptiness;
pub mod formula;
pub mod index;
pub mod lasso;
pub mod normal;
pub mod parse;
pub mod reduce;
mod rewrite;
pub mod sample;
pub mod translate;

pub use automaton::{Automaton, AutomatonError, Edge, accepts_lasso};
pub use cube::Cube;
pub use degeneralise::degeneralise;
pub use emptiness::{Difference, find_accepted_word, find_difference, intersection};
pub use formula::{
    BinaryOperator, Formula, NumberedPropositions, PropositionNames, PropositionTable, UnaryOperator,
};
pub use index::{
    BitSet, Letter, MarkId, MarkSet, NodeId, ProcessId, ProcessSet, PropositionId, StateId, TypedIndex,
};
pub use lasso::{Lasso, holds_on_lasso};
pub use normal::simplify;
pub use parse::{FormulaError, FormulaErrorKind, Syntax, parse_formula};
pub use reduce::reduce;
pub use translate::{TranslationError, TranslationLimits, translate, translate_negation, translate_to_buchi};
