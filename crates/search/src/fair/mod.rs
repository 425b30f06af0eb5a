//! Temporal formulas under fairness.
//!
//! [`check_formula`] decides whether every run of a system satisfies a formula ([`check_claim`], [`check_accept_labels`]: whether none is what a never claim or `accept…` labels describe): every run, every weakly fair one (a
//! process that can move for ever moves again and again), or every strongly fair one (a process that can move again and again
//! moves again and again). Runs that end stay in their last state for ever; such a run is fair, since nobody could move.
//!
//! The way of a question: the formula's expressions become numbered propositions ([`formula`]), its negation an automaton
//! (crate `omega`); the product of the automaton and a [`space::Space`] is explored breadth first ([`product`]) and asked
//! for fair accepting components ([`decide`]); a component becomes a run ([`path`]), the run an execution of named processes,
//! and the execution is replayed and judged anew ([`confirm`]) before anybody sees it. Where nobody is counted and all runs count, or all weakly fair
//! ones, the product is searched depth first on remembered steps instead ([`quick`], [`remembered`]), which is much faster, and strong fairness is asked
//! state by state only where these do not answer. Both end as soon as the automaton of the
//! negation comes to a state from which it accepts everything: then a finite run is enough, which `certificate::prefix` judges, and which no fairness
//! excludes.
//!
//! Invariants:
//! - a space is either exact or an abstraction that has a run for every run of every instance; only an exact one yields
//!   counterexamples, both yield proofs;
//! - nothing is proved by a search that was cut short or that met a runtime error;
//! - no counterexample leaves without having been confirmed by the step semantics.

mod check;
pub mod claim;
pub mod confirm;
pub mod decide;
pub mod explicit;
pub mod formula;
pub(crate) mod interner;
mod numbers;
mod packed;
pub mod path;
pub mod product;
mod quick;
mod remembered;
mod report;
pub mod space;

pub use check::{check_accept_labels, check_claim, check_formula, check_progress, diagnose_formula};
pub use formula::Property;
pub use report::{
    Counterexample, Counters, FairOptions, FairReport, Method, Numbers, Patience, ProcessNumber, Remedy,
    Representation, Starving, VacuousPremise, with_processes,
};
