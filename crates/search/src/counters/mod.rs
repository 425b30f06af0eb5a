//! Processes that nothing tells apart, counted per local state.
//!
//! After "Fair Model Checking with Process Counter Abstraction" (Sun, Liu, Roychoudhury, Liu, Dong, 2009). Where no
//! statement and no proposition can tell two processes of a proctype apart ([`mod@symmetry`]), a state need not say which of them
//! stands where: it is enough how many stand in each local state ([`space`]). For a given number of processes this loses
//! nothing. Fairness is asked of local states instead of processes: a local state from which somebody could move all the time
//! must be left again and again (lemmas 1 and 2 there), and a counterexample is turned back into one of named processes by
//! going round the loop until everybody had his turn ([`unroll`]).
//!
//! There is no second implementation of Promela here either: a counted state is stepped by the semantics on a *representative*, a
//! state with one process for each local state that somebody is in (two, where two of them could meet in a rendezvous).

mod any;
mod space;
mod symmetry;
mod unroll;
mod variable;
mod watch;

pub use any::AnySpace;
pub use space::CounterSpace;
pub use symmetry::{Stuttering, Symmetry, symmetry};
pub use variable::{CountingVariable, counting_variables};
pub use watch::WatchSpace;
