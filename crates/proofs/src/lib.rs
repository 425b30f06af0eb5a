//! Static proofs: value analysis, message types, components, potentials, refinement.
//!
//! [`bounds`], [`progress`] and [`formula`] are the questions. They publish what they prove on a [`Board`] the moment it has passed
//! [`certificate::check`], and look there whether somebody still wants to know. Nothing is searched here, and no run is looked for: that is
//! the `search` crate's.
//!
//! Rooms: `values` (what variables and messages can be), `net` (what statements do to counts), `potential` (why counts stay bounded, and the
//! certificate that says so), `refine` (what to tell apart when there is none), [`cycles`] (the papers' own route).

mod board;
mod bounds;
pub mod cycles;
mod formula;
mod net;
mod options;
mod potential;
mod progress;
mod refine;
mod values;

pub use board::{Board, BufferName, Fact, Nobody, SeenValues, Stopped, SuspiciousCycle, Wanted};
pub use bounds::bounds;
pub use formula::formula;
pub use options::{BoundsOptions, Budgets, FormulaOptions, ProgressOptions};
pub use progress::progress;
pub use values::analysis::{Analyses, AnalysisError};
