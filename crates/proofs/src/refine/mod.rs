//! One abstraction after another: an [`attempt`] at what was chosen so far; what fails names the [`candidates`] for the next; [`prove`]
//! goes round until there is a proof or nothing is left to try.

pub(crate) mod attempt;
pub(crate) mod candidates;
mod cuts;
pub(crate) mod prove;
mod replay;
pub(crate) mod shadows;
pub(crate) mod suspicion;
