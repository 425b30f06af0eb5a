//! The primal simplex: from a primal feasible basis to an optimal one, or to a direction without end.

use std::cmp::Ordering;

use super::{Budget, FEASIBILITY, PIVOT, Place, Side, Simplex};
use crate::outcome::StopReason;
use crate::scalar::Scalar;

/// How a run of the primal simplex ended.
pub(crate) enum PrimalEnd<S> {
    Optimal,
    /// The objective improves without end when `entering` moves; `direction` has one entry per variable of the
    /// computational form.
    Unbounded {
        entering: usize,
        direction: Vec<S>,
    },
    Stopped(StopReason),
    /// Floats only: no reliable pivot.
    Trouble,
}

/// What stops the entering variable.
enum Obstacle<S> {
    /// The basic variable of this row comes to rest there, after a move of this length.
    Row(usize, Place, S),
    /// Its own other bound.
    OtherBound(S),
    Nothing,
}

impl<S: Scalar> Simplex<S> {
    /// `preferred` is looked at first: a variable that another run found to improve the objective without end.
    pub(crate) fn run_primal(
        &mut self,
        budget: &mut Budget<'_>,
        mut preferred: Option<usize>,
    ) -> PrimalEnd<S> {
        self.reset_run();
        loop {
            if let Err(reason) = budget.spend() {
                return PrimalEnd::Stopped(reason);
            }
            self.refresh_if_worn();
            let Some((entering, side)) = self.choose_attractive(preferred.take()) else {
                return PrimalEnd::Optimal;
            };
            self.compute_column(entering);
            match self.first_obstacle(entering, side) {
                Obstacle::Nothing => {
                    if !S::EXACT && self.factor.update_count() > 0 {
                        self.refresh();
                        continue;
                    }
                    return PrimalEnd::Unbounded { entering, direction: self.direction(entering, side) };
                }
                Obstacle::OtherBound(length) => self.move_to_other_bound(entering, side, &length),
                Obstacle::Row(row, rest, length) => {
                    self.compute_row(row);
                    if self.pivot_is_doubtful(row, entering) {
                        if self.factor.update_count() == 0 {
                            return PrimalEnd::Trouble;
                        }
                        self.refresh();
                        continue;
                    }
                    let leaving = self.basis[row];
                    self.update_column_weights(row, entering);
                    let step = if side == Side::Above { length } else { length.negated() };
                    self.exchange(row, entering, &step, rest);
                    self.note_changed_costs(leaving);
                }
            }
        }
    }

    fn choose_attractive(&self, preferred: Option<usize>) -> Option<(usize, Side)> {
        if let Some(variable) = preferred
            && let Some(side) = self.attraction(variable)
        {
            return Some((variable, side));
        }
        let members = self.attractive.members().iter().map(|variable| *variable as usize);
        let chosen = if self.uses_bland() {
            members.min()
        } else {
            let merit = |variable: usize| {
                let reduced = self.reduced[variable].to_f64();
                reduced * reduced / self.weights[variable]
            };
            members
                .map(|variable| (variable, merit(variable)))
                .max_by(|left, right| left.1.total_cmp(&right.1))
                .map(|(variable, _)| variable)
        };
        chosen.and_then(|variable| self.attraction(variable).map(|side| (variable, side)))
    }

    fn first_obstacle(&self, entering: usize, side: Side) -> Obstacle<S> {
        let own_range = match (&self.lower[entering], &self.upper[entering]) {
            (Some(lower), Some(upper)) => Some(upper.minus(lower)),
            _ => None,
        };
        let nearest = if S::EXACT { self.nearest_row_exact(side) } else { self.nearest_row_float(side) };
        match (nearest, own_range) {
            (Some((_, _, length)), Some(range)) if range.compare(&length) != Ordering::Greater => {
                Obstacle::OtherBound(range)
            }
            (Some((row, rest, length)), _) => Obstacle::Row(row, rest, length),
            (None, Some(range)) => Obstacle::OtherBound(range),
            (None, None) => Obstacle::Nothing,
        }
    }

    /// Rows whose basic variable runs towards a bound, with that bound's place and the way left to it.
    fn approaching(&self, side: Side) -> impl Iterator<Item = (usize, Place, &S, S)> + Clone {
        self.column.support.members().iter().filter_map(move |row| {
            let row = *row as usize;
            let entry = &self.column.values[row];
            let falls = match (side, entry.sign(PIVOT)) {
                (_, Ordering::Equal) => return None,
                (Side::Above, sign) => sign == Ordering::Greater,
                (Side::Below, sign) => sign == Ordering::Less,
            };
            let variable = self.basis[row];
            let value = &self.values[variable];
            if falls {
                self.lower[variable].as_ref().map(|lower| (row, Place::Lower, entry, value.minus(lower)))
            } else {
                self.upper[variable].as_ref().map(|upper| (row, Place::Upper, entry, upper.minus(value)))
            }
        })
    }

    fn nearest_row_exact(&self, side: Side) -> Option<(usize, Place, S)> {
        let bland = self.uses_bland();
        let mut best: Option<(usize, Place, S, f64)> = None;
        for (row, rest, entry, way) in self.approaching(side) {
            let ratio = way.over(entry);
            let length = if ratio.sign(0.0) == Ordering::Less { ratio.negated() } else { ratio };
            let size = if bland { -(self.basis[row] as f64) } else { entry.to_f64().abs() };
            let better = match &best {
                None => true,
                Some((_, _, least, largest)) => match length.compare(least) {
                    Ordering::Less => true,
                    Ordering::Equal => size > *largest,
                    Ordering::Greater => false,
                },
            };
            if better {
                best = Some((row, rest, length, size));
            }
        }
        best.map(|(row, rest, length, _)| (row, rest, length))
    }

    /// Two passes (Harris), as in the dual ratio test.
    fn nearest_row_float(&self, side: Side) -> Option<(usize, Place, S)> {
        let mut furthest = f64::INFINITY;
        for (_, _, entry, way) in self.approaching(side) {
            furthest = furthest.min((way.to_f64().max(0.0) + FEASIBILITY) / entry.to_f64().abs());
        }
        let mut best: Option<(usize, Place, S, f64)> = None;
        for (row, rest, entry, way) in self.approaching(side) {
            let size = entry.to_f64().abs();
            let within = way.to_f64().max(0.0) / size <= furthest;
            if within && best.as_ref().is_none_or(|(_, _, _, largest)| size > *largest) {
                let way = if way.sign(0.0) == Ordering::Less { S::zero() } else { way };
                let length = if entry.sign(0.0) == Ordering::Less {
                    way.over(&entry.negated())
                } else {
                    way.over(entry)
                };
                best = Some((row, rest, length, size));
            }
        }
        best.map(|(row, rest, length, _)| (row, rest, length))
    }

    fn move_to_other_bound(&mut self, entering: usize, side: Side, length: &S) {
        let step = if side == Side::Above { length.clone() } else { length.negated() };
        for index in self.column.support.members() {
            let index = *index as usize;
            self.values[self.basis[index]].subtract_product(&step, &self.column.values[index]);
        }
        let (place, bound) = match side {
            Side::Above => (Place::Upper, self.upper[entering].clone()),
            Side::Below => (Place::Lower, self.lower[entering].clone()),
        };
        self.place[entering] = place;
        self.values[entering] = bound.unwrap_or_else(S::zero);
        self.stalled = 0;
        self.attractive.set(entering, false);
    }

    fn direction(&self, entering: usize, side: Side) -> Vec<S> {
        let mut direction = vec![S::zero(); self.place.len()];
        let forward = side == Side::Above;
        direction[entering] = if forward { S::one() } else { S::one().negated() };
        for index in self.column.support.members() {
            let index = *index as usize;
            let entry = &self.column.values[index];
            direction[self.basis[index]] = if forward { entry.negated() } else { entry.clone() };
        }
        direction
    }

    /// Devex weights of the primal: an approximation of the lengths of the edges.
    fn update_column_weights(&mut self, row: usize, entering: usize) {
        let pivot = self.column.values[row].to_f64();
        let reference = self.weights[entering];
        for index in self.row.support.members() {
            let index = *index as usize;
            let ratio = self.row.values[index].to_f64() / pivot;
            let weight = &mut self.weights[index];
            *weight = weight.max(ratio * ratio * reference);
        }
        self.weights[self.basis[row]] = (reference / (pivot * pivot)).max(1.0);
    }
}
