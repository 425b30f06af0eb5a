//! Static proofs: value analysis, message types, components, potentials, refinement.
//!
//! [`bounds`] and [`progress`] are the two questions. They publish what they prove on a [`Board`] the moment it has passed
//! [`certificate::check`], and look there whether somebody still wants to know. Nothing is searched here, and no run is looked for: that is
//! the `search` crate's.

pub mod analysis;
pub mod attempt;
pub mod barriers;
mod board;
mod bounds;
mod build;
mod claims;
pub mod cycles;
pub mod evaluate;
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
mod refine;
mod shadows;
mod step;
mod suspicion;
pub mod values;
pub mod world;

pub use board::{Board, BufferName, Fact, Nobody, SeenValues, Stopped, SuspiciousCycle, Wanted};
pub use bounds::bounds;
pub use options::{BoundsOptions, Budgets, Control, ProgressOptions};
pub use progress::progress;
