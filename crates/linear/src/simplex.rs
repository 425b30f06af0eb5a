//! The bounded-variable revised simplex, for floats and for exact numbers alike.
//!
//! Computational form: for each constraint a *logical* variable stands for the value of its left side, so the system is
//! `A x - r = 0` with bounds on both `x` and `r`, and every right-hand side is a bound. Adding a row then adds one basic
//! logical, and a changed right-hand side is a changed bound: both leave a dual feasible basis dual feasible. Variables
//! `0 .. columns` are the structural ones, `columns .. columns + rows` the logical ones.
//!
//! Invariants between pivots: `basis[r]` is basic at row `r` and the factor describes these columns under these
//! labels; every nonbasic variable rests at a bound (or at zero if it is free); `values` solves the system; `reduced`
//! holds `cost - y A` of nonbasic variables and zero for basic ones. With floats all of this holds up to tolerances, and
//! nothing depends on it: the exact run re-checks whatever the float run proposes.
//!
//! There are two algorithms: the dual simplex ([`dual`]) regains primal feasibility, the primal simplex ([`primal`])
//! regains dual feasibility. A basis that is neither gets its costs shifted until it is dual feasible, which serves as
//! phase one; a composite phase one with artificial variables would be a third algorithm for the same purpose.

mod dual;
mod primal;

use std::cmp::Ordering;

use crate::basis::{Basis, Standing};
use crate::factor::{Agenda, Factor, factorise};
use crate::outcome::{Limits, StopReason};
use crate::problem::{Problem, Relation, Sense};
use crate::scalar::Scalar;
use crate::sparse::{IndexSet, Lists, Scattered};

pub(crate) use dual::DualEnd;
pub(crate) use primal::PrimalEnd;

/// Float tolerance for bounds and for signs of reduced costs.
pub(crate) const FEASIBILITY: f64 = 1e-9;
/// Entries of a pivot row or column below this are not pivots (floats).
const PIVOT: f64 = 1e-7;
/// Column exchanges before a new factorisation: so many, and one more for each so many rows.
const LEAST_UPDATES: usize = 64;
const ROWS_PER_UPDATE: usize = 100;

/// Pivots left and the wish to stop, shared by the float and the exact run of one call.
pub(crate) struct Budget<'a> {
    remaining: u64,
    cancelled: &'a dyn Fn() -> bool,
    since_asked: u32,
}

impl<'a> Budget<'a> {
    pub(crate) fn new(limits: &Limits<'a>) -> Budget<'a> {
        Budget { remaining: limits.iterations, cancelled: limits.cancelled, since_asked: 0 }
    }

    pub(crate) fn spend(&mut self) -> Result<(), StopReason> {
        if self.since_asked == 0 && (self.cancelled)() {
            return Err(StopReason::Cancelled);
        }
        self.since_asked = (self.since_asked + 1) % 16;
        self.remaining = self.remaining.checked_sub(1).ok_or(StopReason::Iterations)?;
        Ok(())
    }

    /// Splits off at most `most` pivots.
    pub(crate) fn part(&mut self, most: u64) -> Budget<'a> {
        let part = self.remaining.min(most);
        self.remaining -= part;
        Budget { remaining: part, cancelled: self.cancelled, since_asked: 0 }
    }

    pub(crate) fn give_back(&mut self, part: Budget<'a>) {
        self.remaining += part.remaining;
    }
}

/// A position of a [`Standing::Basic`] variable, or where a nonbasic one rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Row(u32),
    Lower,
    Upper,
    Zero,
}

pub(crate) struct Simplex<S> {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Structural columns, and the same entries by row.
    by_column: Lists<S>,
    by_row: Lists<S>,
    pub(crate) lower: Vec<Option<S>>,
    pub(crate) upper: Vec<Option<S>>,
    /// Costs of a minimisation.
    pub(crate) cost: Vec<S>,
    pub(crate) basis: Vec<usize>,
    pub(crate) place: Vec<Place>,
    pub(crate) values: Vec<S>,
    pub(crate) reduced: Vec<S>,
    factor: Factor<S>,
    /// Rows whose basic variable violates a bound, and nonbasic variables whose reduced cost invites them in.
    infeasible: IndexSet,
    attractive: IndexSet,
    /// By row: how far the basic variable is out of its bounds, roughly. A cache for the choice of the leaving row.
    excess: Vec<f64>,
    /// Devex reference weights by variable; only a heuristic, hence floats in both runs.
    weights: Vec<f64>,
    /// Scratch: one column of `B^-1 A` by row, one row of `B^-1` by row, one row of `B^-1 A` by variable.
    column: Scattered<S>,
    inverse_row: Scattered<S>,
    row: Scattered<S>,
    agenda: Agenda,
    /// Pivots in a row that did not change the objective.
    stalled: usize,
}

impl<S: Scalar> Simplex<S> {
    /// Loads a problem and factorises the given basis of it; dependent columns make way for logical ones.
    pub(crate) fn load(problem: &Problem, basis: &Basis) -> Simplex<S> {
        let (rows, columns) = (problem.constraint_count(), problem.variable_count());
        let mut by_row = Lists::new();
        let (mut lower, mut upper): (Vec<Option<S>>, Vec<Option<S>>) = (Vec::new(), Vec::new());
        for variable in problem.variables() {
            let bounds = problem.bounds(variable);
            lower.push(bounds.lower.as_ref().map(S::from_rational));
            upper.push(bounds.upper.as_ref().map(S::from_rational));
        }
        for id in problem.constraint_ids() {
            let constraint = problem.constraint(id);
            for (variable, coefficient) in constraint.terms() {
                by_row.push(variable.index(), S::from_rational(coefficient));
            }
            by_row.finish();
            let bound = Some(S::from_rational(constraint.right_hand_side()));
            let relation = constraint.relation();
            lower.push(if relation == Relation::AtMost { None } else { bound.clone() });
            upper.push(if relation == Relation::AtLeast { None } else { bound });
        }
        let standings = basis.variables.iter().chain(&basis.constraints);
        let place = standings
            .map(|standing| match standing {
                Standing::Basic => Place::Row(0),
                Standing::AtLower => Place::Lower,
                Standing::AtUpper => Place::Upper,
                Standing::Free => Place::Zero,
            })
            .collect();
        let total = rows + columns;
        let mut simplex = Simplex {
            rows,
            columns,
            by_column: by_row.transposed(columns),
            by_row,
            lower,
            upper,
            cost: Vec::new(),
            basis: Vec::new(),
            place,
            values: vec![S::zero(); total],
            reduced: vec![S::zero(); total],
            factor: factorise(&Lists::new()).factor,
            infeasible: IndexSet::new(rows),
            attractive: IndexSet::new(total),
            excess: vec![0.0; rows],
            weights: vec![1.0; total],
            column: Scattered::zeros(rows),
            inverse_row: Scattered::zeros(rows),
            row: Scattered::zeros(total),
            agenda: Agenda::default(),
            stalled: 0,
        };
        simplex.basis = (0..total).filter(|variable| simplex.is_basic(*variable)).collect();
        simplex.set_true_costs(problem);
        simplex.refactorise();
        simplex.rest_nonbasic();
        simplex
    }

    /// The standings, to be kept by the caller or handed to another run.
    pub(crate) fn standings(&self) -> Basis {
        let standing = |place: &Place| match place {
            Place::Row(_) => Standing::Basic,
            Place::Lower => Standing::AtLower,
            Place::Upper => Standing::AtUpper,
            Place::Zero => Standing::Free,
        };
        Basis {
            variables: self.place[..self.columns].iter().map(standing).collect(),
            constraints: self.place[self.columns..].iter().map(standing).collect(),
        }
    }

    pub(crate) fn set_true_costs(&mut self, problem: &Problem) {
        self.cost = problem
            .objective()
            .iter()
            .map(|coefficient| match problem.sense() {
                Sense::Minimise => S::from_rational(coefficient),
                Sense::Maximise => S::from_rational(coefficient).negated(),
            })
            .collect();
        self.cost.resize(self.columns + self.rows, S::zero());
    }

    pub(crate) fn set_true_bounds(&mut self, problem: &Problem) {
        for variable in problem.variables() {
            let bounds = problem.bounds(variable);
            self.lower[variable.index()] = bounds.lower.as_ref().map(S::from_rational);
            self.upper[variable.index()] = bounds.upper.as_ref().map(S::from_rational);
        }
        for id in problem.constraint_ids() {
            let constraint = problem.constraint(id);
            let bound = Some(S::from_rational(constraint.right_hand_side()));
            let logical = self.columns + id.index();
            let relation = constraint.relation();
            self.lower[logical] = if relation == Relation::AtMost { None } else { bound.clone() };
            self.upper[logical] = if relation == Relation::AtLeast { None } else { bound };
        }
    }

    /// Factorises the basis; dependent columns are replaced by the logical variables of the rows left over.
    fn refactorise(&mut self) {
        let mut attempts = 0;
        loop {
            attempts += 1;
            if !S::EXACT && attempts > 5 {
                // Rounding keeps finding dependent columns; the basis of all logical variables has none.
                for variable in std::mem::take(&mut self.basis) {
                    self.place[variable] = self.resting_place(variable, &Place::Lower);
                }
                self.basis = (self.columns..self.columns + self.rows).collect();
            }
            let mut columns = Lists::new();
            for variable in &self.basis {
                if *variable < self.columns {
                    for (row, coefficient) in self.by_column.get(*variable) {
                        columns.push(*row as usize, coefficient.clone());
                    }
                } else {
                    columns.push(variable - self.columns, S::one().negated());
                }
                columns.finish();
            }
            let factored = factorise(&columns);
            let mut basis = vec![0; self.rows];
            let mut spare = factored.unpivoted_rows.iter();
            for (position, row) in factored.row_of_column.iter().enumerate() {
                let variable = self.basis[position];
                match row {
                    Some(row) => {
                        basis[*row] = variable;
                        self.place[variable] = Place::Row(*row as u32);
                    }
                    None => {
                        self.place[variable] = self.resting_place(variable, &self.place[variable]);
                        let row = spare.next().expect("as many free rows as dependent columns");
                        basis[*row] = self.columns + row;
                    }
                }
            }
            for row in &factored.unpivoted_rows {
                self.place[self.columns + row] = Place::Row(*row as u32);
            }
            self.basis = basis;
            if factored.unpivoted_rows.is_empty() {
                self.factor = factored.factor;
                return;
            }
        }
    }

    /// A place that the bounds of a nonbasic variable allow: the present one if possible.
    fn resting_place(&self, variable: usize, present: &Place) -> Place {
        match (&self.lower[variable], &self.upper[variable], present) {
            (_, Some(_), Place::Upper) => Place::Upper,
            (Some(_), _, _) => Place::Lower,
            (None, Some(_), _) => Place::Upper,
            (None, None, _) => Place::Zero,
        }
    }

    fn rest_nonbasic(&mut self) {
        for variable in 0..self.place.len() {
            if !self.is_basic(variable) {
                self.place[variable] = self.resting_place(variable, &self.place[variable]);
            }
        }
    }

    /// Recomputes values and reduced costs from the basis, the bounds and the costs. Nonbasic variables with two bounds
    /// go to the one that suits their reduced cost if `flip` says so.
    pub(crate) fn recompute(&mut self, flip: Flip) {
        self.rest_nonbasic();
        self.recompute_reduced();
        if flip == Flip::ToDualFeasible {
            for variable in 0..self.place.len() {
                if !self.is_basic(variable)
                    && self.lower[variable].is_some()
                    && self.upper[variable].is_some()
                {
                    match self.reduced[variable].sign(FEASIBILITY) {
                        Ordering::Less => self.place[variable] = Place::Upper,
                        Ordering::Greater => self.place[variable] = Place::Lower,
                        Ordering::Equal => {}
                    }
                }
            }
        }
        self.recompute_values();
        self.infeasible.clear();
        for row in 0..self.rows {
            self.note_feasibility(row);
        }
        self.attractive.clear();
        for variable in 0..self.place.len() {
            self.note_attraction(variable);
        }
    }

    fn recompute_values(&mut self) {
        let mut right = vec![S::zero(); self.rows];
        for variable in 0..self.place.len() {
            let resting = match self.place[variable] {
                Place::Row(_) => continue,
                Place::Lower => self.lower[variable].clone(),
                Place::Upper => self.upper[variable].clone(),
                Place::Zero => None,
            };
            let value = resting.unwrap_or_else(S::zero);
            if !value.is_zero() {
                if variable < self.columns {
                    for (row, coefficient) in self.by_column.get(variable) {
                        right[*row as usize].subtract_product(coefficient, &value);
                    }
                } else {
                    let target = &mut right[variable - self.columns];
                    *target = target.plus(&value);
                }
            }
            self.values[variable] = value;
        }
        let mut right = Scattered::from_dense(right);
        self.factor.solve(&mut right, &mut self.agenda);
        for (row, value) in right.values.into_iter().enumerate() {
            self.values[self.basis[row]] = value;
        }
    }

    fn recompute_reduced(&mut self) {
        let multipliers = self.multipliers();
        for variable in 0..self.columns {
            let mut reduced = self.cost[variable].clone();
            if !self.is_basic(variable) {
                for (row, coefficient) in self.by_column.get(variable) {
                    let multiplier = &multipliers[*row as usize];
                    if !multiplier.is_zero() {
                        reduced.subtract_product(coefficient, multiplier);
                    }
                }
                reduced.settle();
            } else {
                reduced = S::zero();
            }
            self.reduced[variable] = reduced;
        }
        for (row, multiplier) in multipliers.into_iter().enumerate() {
            let logical = self.columns + row;
            // The column of a logical variable is minus a unit vector.
            self.reduced[logical] =
                if self.is_basic(logical) { S::zero() } else { self.cost[logical].plus(&multiplier) };
        }
    }

    /// One multiplier per row: the costs of the basic variables times the inverse of the basis.
    pub(crate) fn multipliers(&self) -> Vec<S> {
        let costs = self.basis.iter().map(|variable| self.cost[*variable].clone()).collect();
        let mut multipliers = Scattered::from_dense(costs);
        self.factor.solve_transposed(&mut multipliers, &mut Agenda::default());
        multipliers.values
    }

    pub(crate) fn is_primal_feasible(&self) -> bool {
        self.infeasible.is_empty()
    }

    pub(crate) fn is_dual_feasible(&self) -> bool {
        self.attractive.is_empty()
    }

    #[inline]
    pub(crate) fn is_basic(&self, variable: usize) -> bool {
        matches!(self.place[variable], Place::Row(_))
    }

    fn is_fixed(&self, variable: usize) -> bool {
        match (&self.lower[variable], &self.upper[variable]) {
            (Some(lower), Some(upper)) => lower.compare(upper) != Ordering::Less,
            _ => false,
        }
    }

    /// Which bound the basic variable of a row violates, if any.
    fn violation(&self, row: usize) -> Option<Violation<S>> {
        let variable = self.basis[row];
        let value = &self.values[variable];
        if let Some(lower) = &self.lower[variable] {
            let excess = value.minus(lower);
            if excess.sign(FEASIBILITY) == Ordering::Less {
                return Some(Violation { side: Side::Below, excess });
            }
        }
        if let Some(upper) = &self.upper[variable] {
            let excess = value.minus(upper);
            if excess.sign(FEASIBILITY) == Ordering::Greater {
                return Some(Violation { side: Side::Above, excess });
            }
        }
        None
    }

    fn note_feasibility(&mut self, row: usize) {
        let violation = self.violation(row);
        self.infeasible.set(row, violation.is_some());
        self.excess[row] = violation.map_or(0.0, |violation| violation.excess.to_f64());
    }

    /// In which direction a nonbasic variable improves the objective, if in any.
    fn attraction(&self, variable: usize) -> Option<Side> {
        let sign = match self.place[variable] {
            Place::Row(_) => return None,
            _ => self.reduced[variable].sign(FEASIBILITY),
        };
        let direction = match (self.place[variable], sign) {
            (Place::Lower | Place::Zero, Ordering::Less) => Side::Above,
            (Place::Upper | Place::Zero, Ordering::Greater) => Side::Below,
            _ => return None,
        };
        if self.is_fixed(variable) { None } else { Some(direction) }
    }

    fn note_attraction(&mut self, variable: usize) {
        let attractive = self.attraction(variable).is_some();
        self.attractive.set(variable, attractive);
    }

    /// Computes the column of `B^-1 A` of a variable into `self.column`.
    fn compute_column(&mut self, variable: usize) {
        self.column.clear();
        if variable < self.columns {
            for (row, coefficient) in self.by_column.get(variable) {
                self.column.set(*row as usize, coefficient.clone());
            }
        } else {
            self.column.set(variable - self.columns, S::one().negated());
        }
        self.factor.solve(&mut self.column, &mut self.agenda);
        self.column.settle();
    }

    /// Computes a row of `B^-1` into `self.inverse_row` and the same row of `B^-1 A` into `self.row`.
    fn compute_row(&mut self, row: usize) {
        self.inverse_row.clear();
        self.inverse_row.set(row, S::one());
        self.factor.solve_transposed(&mut self.inverse_row, &mut self.agenda);
        self.inverse_row.settle();
        self.row.clear();
        for index in self.inverse_row.support.members() {
            let index = *index as usize;
            let factor = self.inverse_row.values[index].negated();
            if factor.is_zero() {
                continue;
            }
            for (column, coefficient) in self.by_row.get(index) {
                let column = *column as usize;
                self.row.values[column].subtract_product(coefficient, &factor);
                self.row.support.insert(column);
            }
            self.row.set(self.columns + index, factor);
        }
    }

    /// Exchanges the basic variable of `row` with `entering`, whose column and row are in scratch. `step` is how far
    /// the entering variable moves; the leaving variable comes to rest at `rest`.
    fn exchange(&mut self, row: usize, entering: usize, step: &S, rest: Place) {
        let leaving = self.basis[row];
        let pivot = self.column.values[row].clone();
        let dual_step = self.reduced[entering].over(&pivot);
        let degenerate = dual_step.is_zero() || step.is_zero();
        self.stalled = if degenerate { self.stalled + 1 } else { 0 };

        if !step.is_zero() {
            for index in self.column.support.members() {
                let index = *index as usize;
                self.values[self.basis[index]].subtract_product(step, &self.column.values[index]);
            }
            self.values[entering] = self.values[entering].plus(step);
        }
        let bound = match rest {
            Place::Upper => self.upper[leaving].clone(),
            Place::Lower => self.lower[leaving].clone(),
            Place::Row(_) | Place::Zero => None,
        };
        if let Some(bound) = bound {
            self.values[leaving] = bound;
        }

        if !dual_step.is_zero() {
            for index in self.row.support.members() {
                let index = *index as usize;
                if matches!(self.place[index], Place::Row(_)) {
                    continue;
                }
                self.reduced[index].subtract_product(&dual_step, &self.row.values[index]);
                self.reduced[index].settle();
            }
        }
        self.reduced[leaving] = dual_step.negated();
        self.reduced[entering] = S::zero();

        self.place[leaving] = rest;
        self.place[entering] = Place::Row(row as u32);
        self.basis[row] = entering;
        let column = &self.column;
        self.factor.replace(
            row,
            column.support.members().iter().map(|index| {
                let index = *index as usize;
                (index, column.values[index].clone())
            }),
        );
    }

    /// Refreshes the set of infeasible rows after an exchange of the dual simplex. It keeps the other set empty.
    fn note_changed_rows(&mut self) {
        for place in 0..self.column.support.members().len() {
            let row = self.column.support.members()[place] as usize;
            self.note_feasibility(row);
        }
    }

    /// Refreshes the set of attractive variables after an exchange of the primal simplex. It keeps the other set empty.
    fn note_changed_costs(&mut self, leaving: usize) {
        for place in 0..self.row.support.members().len() {
            let variable = self.row.support.members()[place] as usize;
            self.note_attraction(variable);
        }
        self.note_attraction(leaving);
    }

    /// Factorises anew when the updates have grown too long. Floats are recomputed at the same time.
    fn refresh_if_worn(&mut self) {
        if self.factor.is_worn(LEAST_UPDATES + self.rows / ROWS_PER_UPDATE) {
            self.refresh();
        }
    }

    fn refresh(&mut self) {
        self.refactorise();
        if S::EXACT {
            // Values and reduced costs are exact, but rows have new labels.
            self.infeasible.clear();
            for row in 0..self.rows {
                self.note_feasibility(row);
            }
        } else {
            self.recompute(Flip::Never);
        }
    }

    /// After many pivots without progress the rule of Bland takes over until there is some: it cannot cycle. It is slow,
    /// so floats, whose perturbed programs hardly stall, wait longer. Unit tests do not wait at all.
    fn uses_bland(&self) -> bool {
        let patience = match (cfg!(test), S::EXACT) {
            (true, _) => 0,
            (false, true) => 100 + self.rows.min(200),
            (false, false) => 100 + self.rows.min(20_000),
        };
        self.stalled > patience
    }

    fn reset_run(&mut self) {
        self.weights.fill(1.0);
        self.stalled = 0;
    }
}

/// Whether nonbasic variables with two bounds may be moved to the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flip {
    ToDualFeasible,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Below,
    Above,
}

struct Violation<S> {
    side: Side,
    /// Value less the violated bound.
    excess: S,
}
