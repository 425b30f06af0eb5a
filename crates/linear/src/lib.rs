//! Exact linear programming.
//!
//! Sparse linear programs in, exact answers with their proofs out: an optimum with its dual, a combination of the
//! constraints that is contradictory, or a direction in which the objective improves for ever. [`verify`] checks each of
//! them in one pass without a solver.
//!
//! What is deliberately absent: anything of Promela, files and formats, threads, and any dependence of an answer on
//! floating-point numbers. Floats guess where to start; rationals decide.
//!
//! ```
//! use linear::{Bounds, Limits, Outcome, Problem, Rational, Relation, Sense, solve};
//!
//! let mut problem = Problem::new();
//! let x = problem.add_variable(Bounds::non_negative());
//! let y = problem.add_variable(Bounds::non_negative());
//! problem.add_constraint([(x, 2), (y, 1)], Relation::AtMost, 4);
//! problem.add_constraint([(x, 1), (y, 3)], Relation::AtMost, 6);
//! problem.set_objective(Sense::Maximise, [(x, 1), (y, 1)]);
//! let Outcome::Optimal(optimum) = solve(&problem, &Limits::none()) else { panic!("this one has an optimum") };
//! assert_eq!(optimum.objective, Rational::new(14, 5));
//! assert_eq!(optimum.duals, [Rational::new(2, 5), Rational::new(1, 5)]);
//! ```

mod basis;
mod factor;
mod integer;
mod integers;
mod outcome;
mod problem;
mod rational;
mod scalar;
mod simplex;
mod solve;
mod sparse;
mod verify;

pub use basis::Basis;
pub use integer::{IntegerOutcome, solve_integer};
pub use integers::{to_integers, to_small_integers};
pub use outcome::{Farkas, Guess, Limits, Optimum, Outcome, Ray, StopReason};
pub use problem::{Bounds, Constraint, ConstraintId, Problem, Relation, Sense, VariableId};
pub use rational::Rational;
pub use solve::{solve, solve_from};
pub use verify::{Flaw, verify, verify_point};
