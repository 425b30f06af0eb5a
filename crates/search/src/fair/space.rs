//! What a product search needs of a state space, whether its states are those of the semantics or counters of processes.

use crate::budget::Budget;
use omega::{Letter, ProcessSet};
use std::sync::Arc;
use system::interpreter::RuntimeError;

/// A state by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateNumber(pub u32);

/// A graph that is made while it is searched.
pub trait Space {
    /// The states in which runs begin: one, unless the space stands for several systems.
    fn initial(&mut self) -> Result<Vec<StateNumber>, RuntimeError>;

    /// Everything about one state.
    fn expand(&mut self, state: StateNumber) -> Expansion;

    /// How many states were met so far.
    fn states(&self) -> usize;

    /// Bytes of memory in use that stand on no account of its budget.
    fn memory(&self) -> usize;

    /// What a search of it takes its memory from; `None`: from nothing that the space knows of.
    fn budget(&self) -> Option<&Arc<Budget>> {
        None
    }
}

/// What is to be known of a state. A state that nothing leaves has a move to itself on which nobody acts, so that runs that end
/// stutter for ever in their last state.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    /// The propositions that hold.
    pub letter: Letter,
    /// Who could act: processes, or local states of counted processes. Where a space is an abstraction, those who certainly
    /// could.
    pub enabled: ProcessSet,
    /// Where it goes on.
    pub moves: Vec<Move>,
    /// Something that has no meaning: an error while it was expanded. A search that met one proves nothing.
    pub problem: Option<Problem>,
}

impl Expansion {
    /// Of a state in which the formula has no meaning. No run through it is a counterexample, and nothing is proved.
    pub fn without_meaning(problem: Problem) -> Expansion {
        Expansion { problem: Some(problem), ..Expansion::default() }
    }
}

/// One move: a step, or a whole `atomic` chain of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// Where it leads.
    pub target: StateNumber,
    /// Who acted.
    pub actors: ProcessSet,
    /// Quantities that the state does not show exactly and that the move made larger (`true`) or smaller; sorted. They are finite
    /// in every instance of an abstraction, so no run makes one smaller again and again without making it larger.
    pub changes: Vec<(u32, bool)>,
    /// Propositions that hold of the move, beside those of the state that it leaves.
    pub letter: Letter,
}

/// Why a search that is complete may still not prove anything.
#[derive(Clone, PartialEq, Debug)]
pub enum Problem {
    /// A runtime error of the model.
    Error(RuntimeError),
    /// An `atomic` sequence that can run for ever: a run without another observable moment.
    EndlessAtomic,
    /// Something that the representation cannot express.
    Inexpressible(String),
    /// There is no memory for the moves of a state.
    MemoryEnds,
}
