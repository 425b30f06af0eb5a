//! Independent check of an outcome against its problem.
//!
//! Nothing here knows how the answer was found: one pass over the constraints and the variables, in exact
//! arithmetic, straight from the definitions in [`crate::outcome`]. The solver runs it on every answer in debug builds.

use std::cmp::Ordering;
use std::fmt;

use crate::outcome::{Farkas, Optimum, Outcome, Ray};
use crate::problem::{Bounds, ConstraintId, Problem, Relation, Sense, VariableId};
use crate::rational::Rational;

/// What is wrong with an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// A vector has not one entry per variable or constraint.
    WrongLength,
    /// The point violates a bound of the variable.
    BoundViolated(VariableId),
    /// The point violates the constraint.
    ConstraintViolated(ConstraintId),
    /// The multiplier of the constraint has the wrong sign.
    MultiplierSign(ConstraintId),
    /// The multiplier of a bound of the variable has the wrong sign, or belongs to an absent bound.
    BoundMultiplier(VariableId),
    /// The reduced cost is not what the duals say, or has the wrong sign for where the variable stands.
    ReducedCost(VariableId),
    /// The multiplier of the constraint is not zero although it is not tight.
    NotComplementary(ConstraintId),
    /// The objective is not the value of the point or not that of the dual.
    ObjectiveDiffers,
    /// The multipliers do not cancel the variable.
    VariableRemains(VariableId),
    /// The multipliers add up to something that is no contradiction.
    NoContradiction,
    /// The direction leaves the constraint.
    RayLeavesConstraint(ConstraintId),
    /// The direction leaves the bounds of the variable.
    RayLeavesBounds(VariableId),
    /// The direction does not improve the objective.
    RayDoesNotImprove,
}

impl fmt::Display for Flaw {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the answer of the linear solver does not hold: {self:?}")
    }
}

impl std::error::Error for Flaw {}

/// Checks the proof that an outcome carries. An outcome that claims nothing passes.
pub fn verify(problem: &Problem, outcome: &Outcome) -> Result<(), Flaw> {
    match outcome {
        Outcome::Optimal(optimum) => verify_optimum(problem, optimum),
        Outcome::Infeasible(farkas) => verify_farkas(problem, farkas),
        Outcome::Unbounded(ray) => verify_ray(problem, ray),
        Outcome::Stopped(_) => Ok(()),
    }
}

/// Checks that a point satisfies every bound and every constraint.
pub fn verify_point(problem: &Problem, point: &[Rational]) -> Result<(), Flaw> {
    expect(point.len() == problem.variable_count(), Flaw::WrongLength)?;
    for variable in problem.variables() {
        let Bounds { lower, upper } = problem.bounds(variable);
        let value = &point[variable.index()];
        let above = lower.as_ref().is_none_or(|lower| value >= lower);
        let below = upper.as_ref().is_none_or(|upper| value <= upper);
        expect(above && below, Flaw::BoundViolated(variable))?;
    }
    for id in problem.constraint_ids() {
        let constraint = problem.constraint(id);
        let ordering = row_value(problem, id, point).cmp(&constraint.right_hand_side);
        expect(allows(constraint.relation, ordering), Flaw::ConstraintViolated(id))?;
    }
    Ok(())
}

fn verify_optimum(problem: &Problem, optimum: &Optimum) -> Result<(), Flaw> {
    verify_point(problem, &optimum.values)?;
    expect(optimum.duals.len() == problem.constraint_count(), Flaw::WrongLength)?;
    expect(optimum.reduced_costs.len() == problem.variable_count(), Flaw::WrongLength)?;
    let mut accounted = column_sums(problem, &optimum.duals);
    let mut dual_objective = Rational::ZERO;
    for id in problem.constraint_ids() {
        let constraint = problem.constraint(id);
        let dual = &optimum.duals[id.index()];
        expect(sign_fits(constraint.relation, problem.sense(), dual), Flaw::MultiplierSign(id))?;
        let tight = row_value(problem, id, &optimum.values) == constraint.right_hand_side;
        expect(dual.is_zero() || tight, Flaw::NotComplementary(id))?;
        dual_objective += dual * &constraint.right_hand_side;
    }
    let mut objective = Rational::ZERO;
    for variable in problem.variables() {
        let index = variable.index();
        let cost = &problem.objective()[index];
        let reduced = &optimum.reduced_costs[index];
        accounted[index] += reduced;
        expect(accounted[index] == *cost, Flaw::ReducedCost(variable))?;
        let Bounds { lower, upper } = problem.bounds(variable);
        let value = &optimum.values[index];
        let worsens = match problem.sense() {
            Sense::Minimise => reduced.clone(),
            Sense::Maximise => -reduced,
        };
        // Where moving up would improve the objective, the upper bound must hold the variable; and likewise below.
        let held = match worsens.sign() {
            Ordering::Equal => true,
            Ordering::Greater => lower.as_ref() == Some(value),
            Ordering::Less => upper.as_ref() == Some(value),
        };
        expect(held, Flaw::ReducedCost(variable))?;
        objective += cost * value;
        dual_objective += reduced * value;
    }
    expect(objective == optimum.objective && dual_objective == objective, Flaw::ObjectiveDiffers)
}

fn verify_farkas(problem: &Problem, farkas: &Farkas) -> Result<(), Flaw> {
    expect(farkas.constraints.len() == problem.constraint_count(), Flaw::WrongLength)?;
    expect(farkas.lower_bounds.len() == problem.variable_count(), Flaw::WrongLength)?;
    expect(farkas.upper_bounds.len() == problem.variable_count(), Flaw::WrongLength)?;
    let mut contradiction = Rational::ZERO;
    for id in problem.constraint_ids() {
        let constraint = problem.constraint(id);
        let multiplier = &farkas.constraints[id.index()];
        expect(sign_fits(constraint.relation, Sense::Minimise, multiplier), Flaw::MultiplierSign(id))?;
        contradiction += multiplier * &constraint.right_hand_side;
    }
    let sums = column_sums(problem, &farkas.constraints);
    for variable in problem.variables() {
        let index = variable.index();
        let Bounds { lower, upper } = problem.bounds(variable);
        let (below, above) = (&farkas.lower_bounds[index], &farkas.upper_bounds[index]);
        let absent = Rational::ZERO;
        let allowed = |multiplier: &Rational, bound: &Option<Rational>| {
            multiplier.is_zero() || (multiplier.is_positive() && bound.is_some())
        };
        expect(allowed(below, lower) && allowed(above, upper), Flaw::BoundMultiplier(variable))?;
        expect((&(&sums[index] + below) - above).is_zero(), Flaw::VariableRemains(variable))?;
        contradiction += below * lower.as_ref().unwrap_or(&absent);
        contradiction -= above * upper.as_ref().unwrap_or(&absent);
    }
    expect(contradiction.is_positive(), Flaw::NoContradiction)
}

fn verify_ray(problem: &Problem, ray: &Ray) -> Result<(), Flaw> {
    verify_point(problem, &ray.point)?;
    expect(ray.direction.len() == problem.variable_count(), Flaw::WrongLength)?;
    let mut change = Rational::ZERO;
    for variable in problem.variables() {
        let Bounds { lower, upper } = problem.bounds(variable);
        let entry = &ray.direction[variable.index()];
        let leaves = match entry.sign() {
            Ordering::Equal => false,
            Ordering::Greater => upper.is_some(),
            Ordering::Less => lower.is_some(),
        };
        expect(!leaves, Flaw::RayLeavesBounds(variable))?;
        change += &problem.objective()[variable.index()] * entry;
    }
    for id in problem.constraint_ids() {
        let sign = row_value(problem, id, &ray.direction).sign();
        expect(allows(problem.constraint(id).relation, sign), Flaw::RayLeavesConstraint(id))?;
    }
    let improves = match problem.sense() {
        Sense::Minimise => change.is_negative(),
        Sense::Maximise => change.is_positive(),
    };
    expect(improves, Flaw::RayDoesNotImprove)
}

fn expect(holds: bool, flaw: Flaw) -> Result<(), Flaw> {
    if holds { Ok(()) } else { Err(flaw) }
}

fn allows(relation: Relation, ordering: Ordering) -> bool {
    match relation {
        Relation::AtMost => ordering != Ordering::Greater,
        Relation::Equal => ordering == Ordering::Equal,
        Relation::AtLeast => ordering != Ordering::Less,
    }
}

fn sign_fits(relation: Relation, sense: Sense, multiplier: &Rational) -> bool {
    match (relation, sense) {
        (Relation::Equal, _) => true,
        (Relation::AtLeast, Sense::Minimise) | (Relation::AtMost, Sense::Maximise) => {
            !multiplier.is_negative()
        }
        (Relation::AtMost, Sense::Minimise) | (Relation::AtLeast, Sense::Maximise) => {
            !multiplier.is_positive()
        }
    }
}

fn row_value(problem: &Problem, constraint: ConstraintId, point: &[Rational]) -> Rational {
    let terms = problem.constraint(constraint).terms();
    terms.iter().map(|(variable, coefficient)| coefficient * &point[variable.index()]).sum()
}

/// For each variable the sum of its coefficients times the multipliers of the constraints.
fn column_sums(problem: &Problem, multipliers: &[Rational]) -> Vec<Rational> {
    let mut sums = vec![Rational::ZERO; problem.variable_count()];
    for id in problem.constraint_ids() {
        let multiplier = &multipliers[id.index()];
        if !multiplier.is_zero() {
            for (variable, coefficient) in problem.constraint(id).terms() {
                sums[variable.index()] += multiplier * coefficient;
            }
        }
    }
    sums
}
