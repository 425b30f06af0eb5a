//! The dual simplex: from a dual feasible basis to one that is primal feasible too, or to a contradiction.
//!
//! The leaving variable is the one with the largest violation by Devex weights, the entering one keeps all reduced
//! costs on their side. When no variable can enter, the row of the inverse at hand is a combination of the
//! constraints that no point within the bounds satisfies; that conclusion does not depend on the costs, which is why
//! shifted costs may be used to get here.

use std::cmp::Ordering;

use super::{Budget, FEASIBILITY, PIVOT, Place, Side, Simplex};
use crate::outcome::StopReason;
use crate::scalar::Scalar;

/// How a run of the dual simplex ended.
pub(crate) enum DualEnd<S> {
    /// The basis is primal feasible.
    Feasible,
    /// No point exists. `leaving` is the variable that cannot be brought within its bounds, `multipliers` (one per
    /// row) combine the constraints to a contradiction.
    Infeasible {
        leaving: usize,
        multipliers: Vec<S>,
    },
    Stopped(StopReason),
    /// Floats only: no reliable pivot.
    Trouble,
}

impl<S: Scalar> Simplex<S> {
    /// `preferred` is looked at first: a variable that another run could not bring within its bounds.
    pub(crate) fn run_dual(&mut self, budget: &mut Budget<'_>, mut preferred: Option<usize>) -> DualEnd<S> {
        self.reset_run();
        loop {
            if let Err(reason) = budget.spend() {
                return DualEnd::Stopped(reason);
            }
            self.refresh_if_worn();
            let Some(row) = self.choose_leaving(preferred.take()) else { return DualEnd::Feasible };
            let Some(violation) = self.violation(row) else { return DualEnd::Trouble };
            self.compute_row(row);
            let Some(entering) = self.choose_entering(violation.side) else {
                if !S::EXACT && self.factor.update_count() > 0 {
                    self.refresh();
                    continue;
                }
                let multipliers = match violation.side {
                    Side::Above => self.inverse_row.values.clone(),
                    Side::Below => self.inverse_row.values.iter().map(S::negated).collect(),
                };
                return DualEnd::Infeasible { leaving: self.basis[row], multipliers };
            };
            self.compute_column(entering);
            if self.pivot_is_doubtful(row, entering) {
                if self.factor.update_count() == 0 {
                    return DualEnd::Trouble;
                }
                self.refresh();
                continue;
            }
            self.update_row_weights(row, entering);
            let step = violation.excess.over(&self.column.values[row]);
            let rest = match violation.side {
                Side::Above => Place::Upper,
                Side::Below => Place::Lower,
            };
            self.exchange(row, entering, &step, rest);
            self.note_changed_rows();
        }
    }

    /// Whether rounding has made the two computations of the pivot disagree, or the pivot too small.
    pub(super) fn pivot_is_doubtful(&self, row: usize, entering: usize) -> bool {
        if S::EXACT {
            return false;
        }
        let by_column = self.column.values[row].to_f64();
        let by_row = self.row.values[entering].to_f64();
        let agrees = (by_column - by_row).abs() <= 1e-6 * (1.0 + by_column.abs());
        !(agrees && by_column.abs() > PIVOT)
    }

    fn choose_leaving(&self, preferred: Option<usize>) -> Option<usize> {
        if let Some(variable) = preferred
            && let Place::Row(row) = self.place[variable]
            && self.violation(row as usize).is_some()
        {
            return Some(row as usize);
        }
        let rows = self.infeasible.members().iter().map(|row| *row as usize);
        if self.uses_bland() {
            return rows.min_by_key(|row| self.basis[*row]);
        }
        let merit = |row: usize| self.excess[row] * self.excess[row] / self.weights[self.basis[row]];
        rows.map(|row| (row, merit(row))).max_by(|left, right| left.1.total_cmp(&right.1)).map(|(row, _)| row)
    }

    /// The nonbasic variable whose reduced cost reaches zero first when the leaving variable goes to its bound.
    fn choose_entering(&self, side: Side) -> Option<usize> {
        let candidates = self.row.support.members().iter().filter_map(|index| {
            let index = *index as usize;
            let entry = &self.row.values[index];
            let sign = match (side, entry.sign(PIVOT)) {
                (Side::Above, sign) => sign,
                (Side::Below, sign) => sign.reverse(),
            };
            let may_enter = match self.place[index] {
                Place::Row(_) => false,
                Place::Lower => sign == Ordering::Greater,
                Place::Upper => sign == Ordering::Less,
                Place::Zero => sign != Ordering::Equal,
            };
            (may_enter && !self.is_fixed(index)).then_some((index, entry))
        });
        if S::EXACT {
            let bland = self.uses_bland();
            let mut best: Option<(usize, S, f64)> = None;
            for (index, entry) in candidates {
                let ratio = self.reduced[index].over(entry);
                let ratio = if side == Side::Below { ratio.negated() } else { ratio };
                let size = if bland { -(index as f64) } else { entry.to_f64().abs() };
                let better = match &best {
                    None => true,
                    // A free variable has ratio zero whatever the sign of its entry.
                    Some((_, least, largest)) => match ratio.compare(least) {
                        Ordering::Less => true,
                        Ordering::Equal => size > *largest,
                        Ordering::Greater => false,
                    },
                };
                if better {
                    best = Some((index, ratio, size));
                }
            }
            return best.map(|(index, _, _)| index);
        }
        // Two passes (Harris): how far may one go if every reduced cost may overstep by the tolerance, and which of
        // the variables met until then has the largest pivot?
        let mut furthest = f64::INFINITY;
        for (index, entry) in candidates.clone() {
            furthest =
                furthest.min((self.reduced[index].to_f64().abs() + FEASIBILITY) / entry.to_f64().abs());
        }
        let mut best: Option<(usize, f64)> = None;
        for (index, entry) in candidates {
            let size = entry.to_f64().abs();
            if self.reduced[index].to_f64().abs() / size <= furthest
                && best.is_none_or(|(_, largest)| size > largest)
            {
                best = Some((index, size));
            }
        }
        best.map(|(index, _)| index)
    }

    /// Devex weights of the dual: an approximation of the lengths of the rows of the inverse.
    fn update_row_weights(&mut self, row: usize, entering: usize) {
        let pivot = self.column.values[row].to_f64();
        let reference = self.weights[self.basis[row]];
        for index in self.column.support.members() {
            let index = *index as usize;
            if index != row {
                let ratio = self.column.values[index].to_f64() / pivot;
                let weight = &mut self.weights[self.basis[index]];
                *weight = weight.max(ratio * ratio * reference);
            }
        }
        self.weights[entering] = (reference / (pivot * pivot)).max(1.0);
    }
}
