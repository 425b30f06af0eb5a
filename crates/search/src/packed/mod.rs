//! States as a few machine words, and exact sets of them.
//!
//! A state is cut into components ([`components`]), the values of each are numbered ([`numbered`]), and the numbers stand side by side in a few words
//! ([`layout`]). Packed states go into an exact, compact set ([`store`], [`table`]).

pub(crate) mod bits;
pub(crate) mod prefetch;
mod word_array;

pub(crate) mod bit_table;
pub(crate) mod components;
pub(crate) mod digest;
pub(crate) mod knowledge;
pub(crate) mod layout;
pub(crate) mod nodes;
mod numbered;
pub(crate) mod store;
pub(crate) mod table;
