//! Static proofs: value analysis, message types, components, potentials, refinement.

pub mod evaluate;
pub mod net;
pub mod potential;
pub mod values;
