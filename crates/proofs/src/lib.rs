//! Static proofs: value analysis, message types, components, potentials, refinement.

pub mod analysis;
pub mod attempt;
mod build;
mod claims;
pub mod evaluate;
pub mod flow;
mod frame;
pub mod net;
pub mod parts;
pub mod potential;
mod step;
pub mod values;
pub mod world;
