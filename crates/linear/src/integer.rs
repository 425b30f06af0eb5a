//! Branch and bound: small programs in which some variables must be integers.
//!
//! Depth first, on the exact simplex, warm from the parent's basis. Only integrality proved by exact relaxations
//! prunes anything, so the answer is as exact as theirs. Cutting planes and clever branching were left out: the
//! integer programs of this project are small.

use crate::basis::Basis;
use crate::outcome::{Farkas, Limits, Outcome, Ray, StopReason};
use crate::problem::{Bounds, Problem, Sense, VariableId};
use crate::rational::Rational;
use crate::solve::solve_from;

/// The answer to a linear program with integer variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IntegerOutcome {
    /// The best point with the required integers.
    Optimal {
        /// Value of the objective.
        objective: Rational,
        /// One value per variable.
        values: Vec<Rational>,
    },
    /// No point exists, with or without integers.
    RelaxationInfeasible(Farkas),
    /// Points exist, but none with the required integers.
    Infeasible,
    /// The objective of the relaxation improves without end. With rational data the same holds for the integers as soon
    /// as there is one integer point, which is not looked for here.
    RelaxationUnbounded(Ray),
    /// The solver gave up; the best point found so far, if any, is feasible but perhaps not optimal.
    Stopped {
        /// Why.
        reason: StopReason,
        /// Values of the best point so far, one per variable.
        best: Option<Vec<Rational>>,
    },
}

/// Solves a problem in which the given variables must be integers. `limits.nodes` counts relaxations.
///
/// Without bounds on the variables the search need not end; set a limit then.
pub fn solve_integer(problem: &Problem, integers: &[VariableId], limits: &Limits<'_>) -> IntegerOutcome {
    let mut best: Option<(Rational, Vec<Rational>)> = None;
    // Bounds of the branched variables in a node, on top of those of the problem.
    let mut open: Vec<(Vec<(VariableId, Bounds)>, Basis)> = vec![(Vec::new(), Basis::new())];
    let mut scratch = problem.clone();
    let mut nodes = 0;
    while let Some((branch, mut basis)) = open.pop() {
        if nodes >= limits.nodes {
            return IntegerOutcome::Stopped {
                reason: StopReason::Nodes,
                best: best.map(|(_, values)| values),
            };
        }
        let is_root = nodes == 0;
        nodes += 1;
        for (variable, bounds) in &branch {
            scratch.set_bounds(*variable, bounds.clone());
        }
        let outcome = solve_from(&scratch, &mut basis, limits);
        match outcome {
            Outcome::Stopped(reason) => {
                return IntegerOutcome::Stopped { reason, best: best.map(|(_, values)| values) };
            }
            Outcome::Infeasible(farkas) if is_root => return IntegerOutcome::RelaxationInfeasible(farkas),
            Outcome::Unbounded(ray) if is_root => return IntegerOutcome::RelaxationUnbounded(ray),
            Outcome::Infeasible(_) => {}
            Outcome::Unbounded(_) => unreachable!("tighter bounds do not make a bounded objective unbounded"),
            Outcome::Optimal(optimum) => {
                let improves = match (&best, problem.sense()) {
                    (None, _) => true,
                    (Some((value, _)), Sense::Minimise) => optimum.objective < *value,
                    (Some((value, _)), Sense::Maximise) => optimum.objective > *value,
                };
                let fractional =
                    integers.iter().find(|variable| !optimum.values[variable.index()].is_integer());
                match (improves, fractional) {
                    (false, _) => {}
                    (true, None) => best = Some((optimum.objective, optimum.values)),
                    (true, Some(variable)) => {
                        let value = &optimum.values[variable.index()];
                        let present = scratch.bounds(*variable);
                        let children = [
                            Bounds { lower: present.lower.clone(), upper: Some(value.floor()) },
                            Bounds { lower: Some(value.ceil()), upper: present.upper.clone() },
                        ];
                        open.extend(children.into_iter().map(|bounds| {
                            let mut branch = branch.clone();
                            branch.retain(|(other, _)| other != variable);
                            branch.push((*variable, bounds));
                            (branch, basis.clone())
                        }));
                    }
                }
            }
        }
        for (variable, _) in &branch {
            scratch.set_bounds(*variable, problem.bounds(*variable).clone());
        }
    }
    match best {
        Some((objective, values)) => IntegerOutcome::Optimal { objective, values },
        None => IntegerOutcome::Infeasible,
    }
}
