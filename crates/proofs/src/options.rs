//! What a caller may ask for, and how much work it may cost.

use certificate::verdict::{Capacities, Fairness};

/// Budgets of the prover; all are counts, so that a run can be repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budgets {
    /// Refinements that may be tried for one question.
    pub refinements: usize,
    /// Nodes of an abstraction.
    pub nodes: usize,
    /// Transitions of a refined abstraction; a refinement that leads to more is given up.
    pub transitions: usize,
    /// Transitions up to which an abstraction is split into parts.
    pub split_transitions: usize,
    /// Stages of a tree of potentials.
    pub stages: usize,
    /// Buffers times transitions up to which a bound is looked for buffer by buffer; beyond, one potential serves all.
    pub buffer_transitions: usize,
}

impl Default for Budgets {
    fn default() -> Budgets {
        Budgets {
            refinements: 24,
            nodes: 60_000,
            transitions: 12_000,
            split_transitions: 4_000,
            stages: 200,
            buffer_transitions: 60_000,
        }
    }
}

/// What to ask about buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BoundsOptions {
    /// How large buffers are.
    pub capacities: Capacities,
    /// How much work.
    pub budgets: Budgets,
}

/// What to ask about a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormulaOptions {
    /// How large buffers are.
    pub capacities: Capacities,
    /// Its name.
    pub name: String,
    /// Which runs count.
    pub fairness: Fairness,
    /// Proctypes of which there may be any number of processes instead of as many as the model says; ascending.
    pub any_number: Vec<String>,
    /// How much work.
    pub budgets: Budgets,
}

/// What to ask about progress.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProgressOptions {
    /// How large buffers are.
    pub capacities: Capacities,
    /// Which statements are progress.
    pub progress: system::progress::ProgressAt,
    /// Which runs count.
    pub fairness: Fairness,
    /// How much work.
    pub budgets: Budgets,
}
