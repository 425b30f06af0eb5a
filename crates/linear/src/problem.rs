//! Linear programs as data: variables with bounds, sparse constraints, an optional objective.
//!
//! Invariants: the terms of a constraint are sorted by variable, name each variable at most once and have no zero
//! coefficient; the objective has one coefficient per variable. Rows and columns are only ever added, so the
//! identifiers handed out stay valid and a [`crate::Basis`] of an earlier version of a problem still fits a later one.
//! That is all that row generation and column generation need; removing rows was left out on purpose.

use crate::rational::Rational;

/// Names a variable of one [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(u32);

/// Names a constraint of one [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConstraintId(u32);

impl VariableId {
    /// Position of the variable in vectors with one entry per variable.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn from_index(index: usize) -> VariableId {
        VariableId(u32::try_from(index).expect("fewer than 2^32 variables"))
    }
}

impl ConstraintId {
    /// Position of the constraint in vectors with one entry per constraint.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn from_index(index: usize) -> ConstraintId {
        ConstraintId(u32::try_from(index).expect("fewer than 2^32 constraints"))
    }
}

/// How the left side of a constraint compares with its right-hand side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `terms <= right-hand side`
    AtMost,
    /// `terms = right-hand side`
    Equal,
    /// `terms >= right-hand side`
    AtLeast,
}

/// Direction of the objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sense {
    /// Look for the least value.
    Minimise,
    /// Look for the greatest value.
    Maximise,
}

/// Range of a variable; an absent bound is infinite.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// Least allowed value.
    pub lower: Option<Rational>,
    /// Greatest allowed value.
    pub upper: Option<Rational>,
}

impl Bounds {
    /// Any value.
    pub fn free() -> Bounds {
        Bounds { lower: None, upper: None }
    }

    /// Zero or more.
    pub fn non_negative() -> Bounds {
        Bounds::at_least(Rational::ZERO)
    }

    /// `lower` or more.
    pub fn at_least(lower: impl Into<Rational>) -> Bounds {
        Bounds { lower: Some(lower.into()), upper: None }
    }

    /// `upper` or less.
    pub fn at_most(upper: impl Into<Rational>) -> Bounds {
        Bounds { lower: None, upper: Some(upper.into()) }
    }

    /// From `lower` to `upper`. If they cross, the problem is infeasible, which is no error.
    pub fn between(lower: impl Into<Rational>, upper: impl Into<Rational>) -> Bounds {
        Bounds { lower: Some(lower.into()), upper: Some(upper.into()) }
    }

    /// Exactly `value`.
    pub fn fixed(value: impl Into<Rational>) -> Bounds {
        let value = value.into();
        Bounds { lower: Some(value.clone()), upper: Some(value) }
    }
}

/// One constraint: a sparse sum, a relation, a right-hand side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    pub(crate) terms: Vec<(VariableId, Rational)>,
    pub(crate) relation: Relation,
    pub(crate) right_hand_side: Rational,
}

impl Constraint {
    /// Coefficients other than zero, by ascending variable.
    pub fn terms(&self) -> &[(VariableId, Rational)] {
        &self.terms
    }

    /// How the sum compares with the right-hand side.
    pub fn relation(&self) -> Relation {
        self.relation
    }

    /// The constant that the sum is compared with.
    pub fn right_hand_side(&self) -> &Rational {
        &self.right_hand_side
    }
}

/// A linear program that can grow.
#[derive(Clone, Debug)]
pub struct Problem {
    bounds: Vec<Bounds>,
    constraints: Vec<Constraint>,
    sense: Sense,
    objective: Vec<Rational>,
}

impl Default for Problem {
    fn default() -> Problem {
        Problem::new()
    }
}

impl Problem {
    /// A problem without variables, constraints or objective.
    pub fn new() -> Problem {
        Problem { bounds: Vec::new(), constraints: Vec::new(), sense: Sense::Minimise, objective: Vec::new() }
    }

    /// Adds a variable that occurs nowhere yet.
    pub fn add_variable(&mut self, bounds: Bounds) -> VariableId {
        let id = VariableId::from_index(self.bounds.len());
        self.bounds.push(bounds);
        self.objective.push(Rational::ZERO);
        id
    }

    /// Adds a variable together with its coefficient in the objective and in constraints that exist already
    /// (column generation).
    pub fn add_column<C: Into<Rational>>(
        &mut self,
        bounds: Bounds,
        objective: impl Into<Rational>,
        entries: impl IntoIterator<Item = (ConstraintId, C)>,
    ) -> VariableId {
        let id = self.add_variable(bounds);
        self.objective[id.index()] = objective.into();
        for (constraint, coefficient) in entries {
            let coefficient = coefficient.into();
            let terms = &mut self.constraints[constraint.index()].terms;
            match terms.last_mut() {
                Some((last, sum)) if *last == id => {
                    *sum += &coefficient;
                    if sum.is_zero() {
                        terms.pop();
                    }
                }
                _ if coefficient.is_zero() => {}
                _ => terms.push((id, coefficient)),
            }
        }
        id
    }

    /// Adds a constraint. Terms that name the same variable are added up.
    pub fn add_constraint<C: Into<Rational>>(
        &mut self,
        terms: impl IntoIterator<Item = (VariableId, C)>,
        relation: Relation,
        right_hand_side: impl Into<Rational>,
    ) -> ConstraintId {
        let id = ConstraintId::from_index(self.constraints.len());
        let terms = merged(terms);
        if let Some((last, _)) = terms.last() {
            assert!(last.index() < self.bounds.len(), "a constraint names a variable of another problem");
        }
        self.constraints.push(Constraint { terms, relation, right_hand_side: right_hand_side.into() });
        id
    }

    /// Replaces the objective. Without one (or with an empty one) every feasible point is optimal with value zero.
    pub fn set_objective<C: Into<Rational>>(
        &mut self,
        sense: Sense,
        terms: impl IntoIterator<Item = (VariableId, C)>,
    ) {
        self.sense = sense;
        self.objective.fill(Rational::ZERO);
        for (variable, coefficient) in terms {
            self.objective[variable.index()] += coefficient.into();
        }
    }

    /// Replaces the bounds of a variable.
    pub fn set_bounds(&mut self, variable: VariableId, bounds: Bounds) {
        self.bounds[variable.index()] = bounds;
    }

    /// Number of variables.
    pub fn variable_count(&self) -> usize {
        self.bounds.len()
    }

    /// Number of constraints.
    pub fn constraint_count(&self) -> usize {
        self.constraints.len()
    }

    /// All variables, in the order in which they were added.
    pub fn variables(&self) -> impl Iterator<Item = VariableId> + use<> {
        (0..self.bounds.len()).map(VariableId::from_index)
    }

    /// All constraints, in the order in which they were added.
    pub fn constraint_ids(&self) -> impl Iterator<Item = ConstraintId> + use<> {
        (0..self.constraints.len()).map(ConstraintId::from_index)
    }

    /// Bounds of a variable.
    pub fn bounds(&self, variable: VariableId) -> &Bounds {
        &self.bounds[variable.index()]
    }

    /// One constraint.
    pub fn constraint(&self, constraint: ConstraintId) -> &Constraint {
        &self.constraints[constraint.index()]
    }

    /// Direction of the objective.
    pub fn sense(&self) -> Sense {
        self.sense
    }

    /// Coefficients of the objective, one per variable.
    pub fn objective(&self) -> &[Rational] {
        &self.objective
    }
}

fn merged<C: Into<Rational>>(
    terms: impl IntoIterator<Item = (VariableId, C)>,
) -> Vec<(VariableId, Rational)> {
    let mut terms: Vec<(VariableId, Rational)> =
        terms.into_iter().map(|(variable, coefficient)| (variable, coefficient.into())).collect();
    terms.sort_by_key(|(variable, _)| *variable);
    terms.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            earlier.1 += &later.1;
        }
        same
    });
    terms.retain(|(_, coefficient)| !coefficient.is_zero());
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_merged_sorted_and_without_zeros() {
        let mut problem = Problem::new();
        let x = problem.add_variable(Bounds::free());
        let y = problem.add_variable(Bounds::free());
        let row = problem.add_constraint([(y, 2), (x, 1), (y, -2), (x, 3)], Relation::Equal, 5);
        assert_eq!(problem.constraint(row).terms(), &[(x, Rational::from(4))]);
        let z = problem.add_column(Bounds::free(), 7, [(row, 1), (row, 1)]);
        assert_eq!(problem.constraint(row).terms(), &[(x, Rational::from(4)), (z, Rational::from(2))]);
        problem.add_column(Bounds::free(), 7, [(row, 1), (row, -1)]);
        assert_eq!(problem.constraint(row).terms().len(), 2);
        assert_eq!(problem.objective()[z.index()], Rational::from(7));
    }
}
