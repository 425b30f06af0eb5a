//! Several threads at one search: their shares of a level, and what they tell each other.

pub(crate) mod level;
pub mod recent;
pub(crate) mod shared_memo;
pub(crate) mod team;
pub(crate) mod worker;
