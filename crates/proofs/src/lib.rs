//! Static proofs: value analysis, message types, components, potentials, refinement; and real counterexamples.
//!
//! [`bounds`] and [`progress`] are the two questions. Everything that they call proved has passed [`certificate::check`] (or every state
//! was searched), and everything that they call violated has been replayed.

pub mod analysis;
pub mod attempt;
pub mod barriers;
mod bounds;
mod build;
mod claims;
pub mod cycles;
pub mod evaluate;
pub mod explore;
pub mod fixpoint;
pub mod flow;
mod frame;
mod guards;
mod names;
pub mod net;
pub mod options;
pub mod parts;
pub mod potential;
mod progress;
mod prove;
pub mod pump;
mod refine;
pub mod report;
mod seen;
mod shadows;
mod stalled;
mod step;
mod suspicion;
pub mod values;
pub mod world;

pub use bounds::bounds;
pub use options::{BoundsOptions, Budgets, Control, ProgressOptions};
pub use progress::progress;
pub use report::{
    BoundsReport, BoundsVerdict, BufferReport, BufferVerdict, ProgressReport, ProgressVerdict, ProofSource,
    SearchReport, SuspiciousCycle, UnknownReason,
};
