//! Where every variable and constraint stands: the memory of a solver between two calls.

use crate::problem::{Problem, VariableId};

/// Standing of a variable, or of the value of a constraint's left side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Standing {
    /// Determined by the others.
    Basic,
    AtLower,
    AtUpper,
    /// Unbounded and resting at zero.
    Free,
}

/// Where a solver left off. It fits the problem it comes from and every problem that grows from it by added rows and
/// columns and by changed bounds or objectives; what is new takes a default place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Basis {
    pub(crate) variables: Vec<Standing>,
    pub(crate) constraints: Vec<Standing>,
}

impl Basis {
    /// The basis to start from when nothing is known: every constraint's own value is basic.
    pub fn new() -> Basis {
        Basis::default()
    }

    /// The same standings for a problem that has grown. A new row is basic, so the basis stays invertible and dual
    /// feasible; a new column rests at a bound, so it stays primal feasible.
    pub(crate) fn fitted(&self, problem: &Problem) -> Basis {
        let mut basis = self.clone();
        basis.variables.truncate(problem.variable_count());
        basis.constraints.truncate(problem.constraint_count());
        for index in basis.variables.len()..problem.variable_count() {
            let bounds = problem.bounds(VariableId::from_index(index));
            basis.variables.push(match (&bounds.lower, &bounds.upper) {
                (Some(_), _) => Standing::AtLower,
                (None, Some(_)) => Standing::AtUpper,
                (None, None) => Standing::Free,
            });
        }
        basis.constraints.resize(problem.constraint_count(), Standing::Basic);
        let is_basic = |standing: &&Standing| **standing == Standing::Basic;
        let basic = basis.variables.iter().filter(is_basic).count()
            + basis.constraints.iter().filter(is_basic).count();
        if basic == problem.constraint_count() { basis } else { Basis::new().fitted(problem) }
    }
}
