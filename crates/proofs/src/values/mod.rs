//! Which values variables, parameters and message fields can have, and where processes can stand.
//!
//! [`flow`] is the control flow with the insides of `d_step`s laid open, [`sets`] are sets of values, [`evaluate`] what expressions make of
//! them, [`step`] what one statement may do. [`analysis`] grows a [`world`] with them until nothing is new.

pub(crate) mod analysis;
pub(crate) mod evaluate;
pub(crate) mod flow;
mod frame;
mod members;
pub(crate) mod names;
pub(crate) mod sets;
pub(crate) mod step;
pub(crate) mod world;
