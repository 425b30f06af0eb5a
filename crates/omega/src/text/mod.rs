//! Automata as text: never claims and the Hanoi format, and the guards that both have on their edges.

mod guard;
pub mod hoa;
pub mod never;
