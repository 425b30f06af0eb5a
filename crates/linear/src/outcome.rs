//! What a solver may answer, and what may stop it.
//!
//! Every answer other than [`Outcome::Stopped`] carries the data that proves it; [`crate::verify`] checks that proof
//! in one pass without a solver. All numbers are exact.

use std::fmt;

use crate::rational::Rational;

/// The answer to a linear program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An optimal solution exists; here is one, with the multipliers that prove it optimal.
    Optimal(Optimum),
    /// No point satisfies all constraints and bounds.
    Infeasible(Farkas),
    /// The objective improves without end.
    Unbounded(Ray),
    /// The solver gave up; nothing is known.
    Stopped(StopReason),
}

/// An optimal solution of the problem and of its dual.
///
/// For a minimum, multipliers are at least zero on `>=` constraints and at most zero on `<=` constraints; for a maximum
/// it is the other way round. In both cases `objective = Σ dual * right-hand side + Σ reduced cost * value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Optimum {
    /// Value of the objective.
    pub objective: Rational,
    /// One value per variable.
    pub values: Vec<Rational>,
    /// One multiplier per constraint.
    pub duals: Vec<Rational>,
    /// One per variable: its objective coefficient less the multiples of its column that the duals account for.
    pub reduced_costs: Vec<Rational>,
}

/// Multipliers that add the constraints and bounds up to `0 >= something positive`.
///
/// With `y` for the constraints (at least zero on `>=`, at most zero on `<=`) and `l, u >= 0` for the bounds:
/// `yA + l - u = 0` and `Σ y * right-hand side + Σ l * lower - Σ u * upper > 0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Farkas {
    /// One multiplier per constraint.
    pub constraints: Vec<Rational>,
    /// One multiplier per variable for its lower bound; zero if it has none.
    pub lower_bounds: Vec<Rational>,
    /// One multiplier per variable for its upper bound; zero if it has none.
    pub upper_bounds: Vec<Rational>,
}

/// A feasible point and a direction in which one may walk for ever while the objective improves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ray {
    /// A feasible point, one value per variable.
    pub point: Vec<Rational>,
    /// The direction, one entry per variable.
    pub direction: Vec<Rational>,
}

/// Why a solver stopped without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StopReason {
    /// The limit on pivots was reached.
    Iterations,
    /// The limit on nodes of branch and bound was reached.
    Nodes,
    /// The caller asked to stop.
    Cancelled,
}

impl fmt::Display for StopReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            StopReason::Iterations => "the limit on pivots was reached",
            StopReason::Nodes => "the limit on nodes of branch and bound was reached",
            StopReason::Cancelled => "cancelled",
        })
    }
}

/// Where the exact solver starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Guess {
    /// From the basis at which a floating-point simplex ends.
    Float,
    /// From the given basis itself; for tests and for tiny problems.
    None,
}

/// How much work a solver may do.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// Pivots, floating-point and exact together, of one call (for branch and bound: of one node).
    pub iterations: u64,
    /// Nodes of branch and bound.
    pub nodes: u64,
    /// Asked every few pivots; `true` stops the solver.
    pub cancelled: &'a dyn Fn() -> bool,
    /// Where the exact solver starts.
    pub guess: Guess,
}

impl Limits<'_> {
    /// No limit at all.
    pub fn none() -> Limits<'static> {
        Limits { iterations: u64::MAX, nodes: u64::MAX, cancelled: &|| false, guess: Guess::Float }
    }
}

impl fmt::Debug for Limits<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Limits")
            .field("iterations", &self.iterations)
            .field("nodes", &self.nodes)
            .field("guess", &self.guess)
            .finish_non_exhaustive()
    }
}
