//! Sparse LU factorisation of a basis, with product-form updates.
//!
//! The bases of network-like programs are almost triangular: picking columns with one remaining entry, then rows with
//! one remaining entry, orders nearly all of the matrix without arithmetic. Only the small kernel that is left needs
//! elimination, with pivots chosen by Markowitz's count (least possible fill), which for exact numbers also keeps the
//! numerators short. Exchanges of single columns are appended as eta columns until the basis is factorised again;
//! Forrest-Tomlin updates would be shorter but gain little where most columns have two to four entries.
//!
//! Invariant: basis columns are labelled by the row that they pivot on, so one index serves both sides and the
//! solves work in place. The caller reorders its basis by [`Factored::row_of_column`].

use std::collections::{BTreeSet, BinaryHeap};

use crate::scalar::Scalar;
use crate::sparse::{Lists, Scattered};

/// Smallest pivot that floats accept, and smallest share of the largest entry in its column.
const FLOAT_PIVOT: f64 = 1e-9;
const FLOAT_SHARE: f64 = 0.1;
/// Candidate lines that the Markowitz search looks at before it takes the best so far.
const SEARCHED_LINES: usize = 4;
/// A vector is swept row by row once more than one entry in so many is not zero.
const DENSE_SHARE: usize = 20;

/// Scratch of the solves: the rows yet to be visited. Empty between calls.
#[derive(Default)]
pub(crate) struct Agenda(BinaryHeap<u32>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sweep {
    Forward,
    Backward,
}

/// A factorised basis together with the label of each of its columns.
pub(crate) struct Factored<S> {
    pub(crate) factor: Factor<S>,
    /// For each column of the input the row that it pivots on; `None` if it depends on the other columns.
    pub(crate) row_of_column: Vec<Option<usize>>,
    /// Rows without a pivot; as many as there are dependent columns. The factor is usable only if there are none.
    pub(crate) unpivoted_rows: Vec<usize>,
}

/// `B = L U E1 E2 …` of a basis matrix, for solving with it and its transpose.
pub(crate) struct Factor<S> {
    /// Pivot rows in the order of elimination.
    order: Vec<u32>,
    /// Pivot value by pivot row.
    pivots: Vec<S>,
    /// Position in `order` by row.
    step_of_row: Vec<u32>,
    /// By pivot row: rows that it was subtracted from, with the multiplier.
    lower: Lists<S>,
    has_lower: bool,
    /// `lower` by the row that was subtracted from: pivot rows and multipliers.
    lower_transposed: Lists<S>,
    /// By pivot row: the rest of that row of U, by the label of the column.
    upper: Lists<S>,
    /// By column label: rows of U with an entry in it.
    upper_transposed: Lists<S>,
    etas: Vec<Eta<S>>,
    eta_entries: usize,
}

struct Eta<S> {
    row: u32,
    pivot: S,
    others: Vec<(u32, S)>,
}

impl<S: Scalar> Factor<S> {
    /// Solves `B x = b` in place: `b` by row becomes `x` by column label.
    pub(crate) fn solve(&self, vector: &mut Scattered<S>, agenda: &mut Agenda) {
        if self.has_lower {
            self.sweep(Sweep::Forward, &self.lower, None, vector, agenda);
        }
        self.sweep(Sweep::Backward, &self.upper_transposed, Some(&self.pivots), vector, agenda);
        let Scattered { values, support } = vector;
        for eta in &self.etas {
            let row = eta.row as usize;
            if !values[row].is_zero() {
                let value = values[row].over(&eta.pivot);
                for (other, entry) in &eta.others {
                    let target = &mut values[*other as usize];
                    target.subtract_product(entry, &value);
                    target.settle();
                    support.insert(*other as usize);
                }
                values[row] = value;
            }
        }
    }

    /// Solves `y B = c` in place: `c` by column label becomes `y` by row.
    pub(crate) fn solve_transposed(&self, vector: &mut Scattered<S>, agenda: &mut Agenda) {
        let Scattered { values, support } = &mut *vector;
        for eta in self.etas.iter().rev() {
            let row = eta.row as usize;
            let mut value = values[row].clone();
            for (other, entry) in &eta.others {
                let factor = &values[*other as usize];
                if !factor.is_zero() {
                    value.subtract_product(entry, factor);
                }
            }
            value.settle();
            if !value.is_zero() {
                value = value.over(&eta.pivot);
                support.insert(row);
            }
            values[row] = value;
        }
        self.sweep(Sweep::Forward, &self.upper, Some(&self.pivots), vector, agenda);
        if self.has_lower {
            self.sweep(Sweep::Backward, &self.lower_transposed, None, vector, agenda);
        }
    }

    /// Solves with one triangular factor: visits the rows in the order of elimination or against it, divides by the
    /// pivots if there are any, and subtracts multiples from the rows in their lists, which are all yet to be visited.
    ///
    /// A vector with few entries is swept by an agenda of the rows that are not zero instead of all rows, in the time of
    /// what there is to do: the solves of one pivot would otherwise cost as much as the whole basis is long.
    fn sweep(
        &self,
        direction: Sweep,
        lists: &Lists<S>,
        pivots: Option<&[S]>,
        vector: &mut Scattered<S>,
        agenda: &mut Agenda,
    ) {
        let Scattered { values, support } = vector;
        let visit = |row: usize, values: &mut [S], touched: &mut dyn FnMut(usize)| {
            if values[row].is_zero() {
                return;
            }
            if let Some(pivots) = pivots {
                values[row] = values[row].over(&pivots[row]);
                values[row].settle();
            }
            let entries = lists.get(row);
            if !entries.is_empty() {
                let value = values[row].clone();
                for (other, entry) in entries {
                    values[*other as usize].subtract_product(entry, &value);
                    touched(*other as usize);
                }
            }
        };
        if support.members().len() * DENSE_SHARE > self.order.len() {
            let mut touched = |other: usize| {
                support.insert(other);
            };
            match direction {
                Sweep::Forward => {
                    self.order.iter().for_each(|row| visit(*row as usize, values, &mut touched))
                }
                Sweep::Backward => {
                    self.order.iter().rev().for_each(|row| visit(*row as usize, values, &mut touched))
                }
            }
            return;
        }
        // The agenda yields the greatest key first.
        let key = |row: usize| match direction {
            Sweep::Forward => !self.step_of_row[row],
            Sweep::Backward => self.step_of_row[row],
        };
        agenda.0.extend(support.members().iter().map(|row| key(*row as usize)));
        while let Some(next) = agenda.0.pop() {
            let step = if direction == Sweep::Forward { !next } else { next };
            visit(self.order[step as usize] as usize, values, &mut |other| {
                if support.insert(other) {
                    agenda.0.push(key(other));
                }
            });
        }
    }

    /// Records that the column labelled `row` was replaced by one whose image under `B^-1` has the given entries.
    pub(crate) fn replace(&mut self, row: usize, image: impl Iterator<Item = (usize, S)>) {
        let mut pivot = S::zero();
        let mut others = Vec::new();
        for (index, value) in image {
            if index == row {
                pivot = value;
            } else if !value.is_zero() {
                others.push((index as u32, value));
            }
        }
        self.eta_entries += others.len() + 1;
        self.etas.push(Eta { row: row as u32, pivot, others });
    }

    pub(crate) fn update_count(&self) -> usize {
        self.etas.len()
    }

    /// Whether the updates have grown so long that a fresh factorisation pays.
    pub(crate) fn is_worn(&self, most_updates: usize) -> bool {
        let fresh = self.upper.entry_count() + self.lower.entry_count() + self.order.len();
        self.etas.len() >= most_updates || self.eta_entries > 3 * fresh + 100
    }
}

/// Factorises the square matrix whose columns are the lists of `columns`.
pub(crate) fn factorise<S: Scalar>(columns: &Lists<S>) -> Factored<S> {
    let size = columns.len();
    let rows = columns.transposed(size);
    let mut elimination = Elimination {
        row_of_column: vec![None; size],
        row_done: vec![false; size],
        order: Vec::with_capacity(size),
        pivots: vec![S::zero(); size],
        lower: Lists::new(),
        upper: vec![Vec::new(); size],
    };
    elimination.column_singletons(columns, &rows);
    elimination.row_singletons(columns, &rows);
    elimination.kernel(&rows);
    elimination.finish(size)
}

struct Elimination<S> {
    row_of_column: Vec<Option<usize>>,
    row_done: Vec<bool>,
    order: Vec<u32>,
    pivots: Vec<S>,
    lower: Lists<S>,
    /// By pivot row: the rest of the row, by the number of the column in the input.
    upper: Vec<Vec<(u32, S)>>,
}

impl<S: Scalar> Elimination<S> {
    fn pivot(&mut self, row: usize, column: usize, value: S) {
        self.row_of_column[column] = Some(row);
        self.row_done[row] = true;
        self.order.push(row as u32);
        self.pivots[row] = value;
    }

    /// Columns with one remaining row come first: nothing has to be eliminated below them.
    fn column_singletons(&mut self, columns: &Lists<S>, rows: &Lists<S>) {
        let size = columns.len();
        let mut remaining: Vec<usize> = (0..size).map(|column| columns.get(column).len()).collect();
        let mut queue: Vec<usize> = (0..size).filter(|column| remaining[*column] == 1).collect();
        while let Some(column) = queue.pop() {
            let entry = columns.get(column).iter().find(|(row, _)| !self.row_done[*row as usize]);
            let Some((row, value)) = entry else { continue };
            if !is_usable(value) {
                continue;
            }
            let row = *row as usize;
            self.pivot(row, column, value.clone());
            self.lower.finish();
            for (other, entry) in rows.get(row) {
                let other = *other as usize;
                if other != column && self.row_of_column[other].is_none() {
                    self.upper[row].push((other as u32, entry.clone()));
                    remaining[other] -= 1;
                    if remaining[other] == 1 {
                        queue.push(other);
                    }
                }
            }
        }
    }

    /// Rows with one remaining column come next: their rows of U are empty, so subtracting them causes no fill.
    fn row_singletons(&mut self, columns: &Lists<S>, rows: &Lists<S>) {
        let size = columns.len();
        let mut remaining = vec![0usize; size];
        for (row, count) in remaining.iter_mut().enumerate() {
            if !self.row_done[row] {
                *count = rows
                    .get(row)
                    .iter()
                    .filter(|(column, _)| self.row_of_column[*column as usize].is_none())
                    .count();
            }
        }
        let mut queue: Vec<usize> = (0..size).filter(|row| remaining[*row] == 1).collect();
        while let Some(row) = queue.pop() {
            let entry =
                rows.get(row).iter().find(|(column, _)| self.row_of_column[*column as usize].is_none());
            let Some((column, value)) = entry else { continue };
            if !is_usable(value) {
                continue;
            }
            let (column, value) = (*column as usize, value.clone());
            self.pivot(row, column, value.clone());
            for (other, entry) in columns.get(column) {
                let other = *other as usize;
                if !self.row_done[other] {
                    self.lower.push(other, entry.over(&value));
                    remaining[other] -= 1;
                    if remaining[other] == 1 {
                        queue.push(other);
                    }
                }
            }
            self.lower.finish();
        }
    }

    /// Gaussian elimination of what is left, least fill first.
    fn kernel(&mut self, rows: &Lists<S>) {
        let size = rows.len();
        let mut kernel = Kernel {
            rows: vec![Vec::new(); size],
            columns: vec![Vec::new(); size],
            row_counts: BTreeSet::new(),
            column_counts: BTreeSet::new(),
        };
        for row in 0..size {
            if !self.row_done[row] {
                for (column, value) in rows.get(row) {
                    if self.row_of_column[*column as usize].is_none() {
                        kernel.rows[row].push((*column, value.clone()));
                        kernel.columns[*column as usize].push(row as u32);
                    }
                }
                kernel.row_counts.insert((kernel.rows[row].len(), row));
            }
        }
        for column in 0..size {
            if self.row_of_column[column].is_none() {
                kernel.column_counts.insert((kernel.columns[column].len(), column));
            }
        }
        let mut scatter: Vec<Option<S>> = vec![None; size];
        while let Some((row, column)) = kernel.choose_pivot() {
            let pivot_row = kernel.remove_row(row);
            let others = kernel.remove_column(column);
            let Some(value) = entry_of(&pivot_row, column) else { break };
            self.pivot(row, column, value.clone());
            let rest: Vec<(u32, S)> =
                pivot_row.into_iter().filter(|(other, _)| *other as usize != column).collect();
            for other in others {
                let other = other as usize;
                let multiplier = kernel.take_entry(other, column).over(&value);
                kernel.subtract(other, &multiplier, &rest, &mut scatter);
                self.lower.push(other, multiplier);
            }
            self.lower.finish();
            self.upper[row] = rest;
        }
    }

    fn finish(self, size: usize) -> Factored<S> {
        let unpivoted_rows: Vec<usize> = (0..size).filter(|row| !self.row_done[*row]).collect();
        let mut upper = Lists::new();
        for row in self.upper {
            for (column, value) in row {
                // A dependent column has no label; the factor is not used in that case.
                if let Some(label) = self.row_of_column[column as usize] {
                    upper.push(label, value);
                }
            }
            upper.finish();
        }
        let mut step_of_row = vec![u32::MAX; size];
        for (step, row) in self.order.iter().enumerate() {
            step_of_row[*row as usize] = step as u32;
        }
        let mut lower: Lists<S> = Lists::new();
        for step in &step_of_row {
            if *step != u32::MAX {
                for (row, multiplier) in self.lower.get(*step as usize) {
                    lower.push(*row as usize, multiplier.clone());
                }
            }
            lower.finish();
        }
        let factor = Factor {
            order: self.order,
            pivots: self.pivots,
            step_of_row,
            has_lower: lower.entry_count() > 0,
            lower_transposed: lower.transposed(size),
            lower,
            upper_transposed: upper.transposed(size),
            upper,
            etas: Vec::new(),
            eta_entries: 0,
        };
        Factored { factor, row_of_column: self.row_of_column, unpivoted_rows }
    }
}

/// The active part of the matrix during elimination. Counts are kept in ordered sets, so the sparsest lines come first.
struct Kernel<S> {
    rows: Vec<Vec<(u32, S)>>,
    columns: Vec<Vec<u32>>,
    row_counts: BTreeSet<(usize, usize)>,
    column_counts: BTreeSet<(usize, usize)>,
}

impl<S: Scalar> Kernel<S> {
    /// The entry with the least `(row count - 1) * (column count - 1)` among the sparsest lines.
    fn choose_pivot(&self) -> Option<(usize, usize)> {
        let mut best: Option<(usize, usize, usize)> = None;
        let mut consider = |merit: usize, row: usize, column: usize| {
            if best.is_none_or(|(least, _, _)| merit < least) {
                best = Some((merit, row, column));
            }
        };
        let mut searched = 0;
        for (count, column) in self.column_counts.iter().filter(|(count, _)| *count > 0) {
            let largest = self.largest_in_column(*column);
            for row in &self.columns[*column] {
                let row = *row as usize;
                if self.is_stable(row, *column, largest) {
                    consider((count - 1) * (self.rows[row].len() - 1), row, *column);
                }
            }
            searched += 1;
            if searched >= SEARCHED_LINES {
                break;
            }
        }
        searched = 0;
        for (count, row) in self.row_counts.iter().filter(|(count, _)| *count > 0) {
            for (column, _) in &self.rows[*row] {
                let column = *column as usize;
                if self.is_stable(*row, column, self.largest_in_column(column)) {
                    consider((count - 1) * (self.columns[column].len() - 1), *row, column);
                }
            }
            searched += 1;
            if searched >= SEARCHED_LINES {
                break;
            }
        }
        if best.is_none() && !S::EXACT {
            best = self.largest_entry();
        }
        best.map(|(_, row, column)| (row, column))
    }

    /// Last resort of floats: any entry that is large enough to divide by.
    fn largest_entry(&self) -> Option<(usize, usize, usize)> {
        let mut largest = FLOAT_PIVOT;
        let mut found = None;
        for (_, row) in &self.row_counts {
            for (column, value) in &self.rows[*row] {
                if value.to_f64().abs() > largest {
                    largest = value.to_f64().abs();
                    found = Some((0, *row, *column as usize));
                }
            }
        }
        found
    }

    fn largest_in_column(&self, column: usize) -> f64 {
        if S::EXACT {
            return 0.0;
        }
        let entries =
            self.columns[column].iter().filter_map(|row| entry_of(&self.rows[*row as usize], column));
        entries.map(|value| value.to_f64().abs()).fold(0.0, f64::max)
    }

    fn is_stable(&self, row: usize, column: usize, largest: f64) -> bool {
        S::EXACT
            || entry_of(&self.rows[row], column).is_some_and(|value| {
                let size = value.to_f64().abs();
                size >= FLOAT_SHARE * largest && size > FLOAT_PIVOT
            })
    }

    /// Takes a row out of the active part, and its entries out of the lists of their columns.
    fn remove_row(&mut self, row: usize) -> Vec<(u32, S)> {
        let entries = std::mem::take(&mut self.rows[row]);
        self.row_counts.remove(&(entries.len(), row));
        for (column, _) in &entries {
            self.remove_from_column(*column as usize, row);
        }
        entries
    }

    fn remove_column(&mut self, column: usize) -> Vec<u32> {
        let rows = std::mem::take(&mut self.columns[column]);
        self.column_counts.remove(&(rows.len(), column));
        rows
    }

    fn remove_from_column(&mut self, column: usize, row: usize) {
        let rows = &mut self.columns[column];
        if let Some(place) = rows.iter().position(|other| *other as usize == row) {
            self.column_counts.remove(&(rows.len(), column));
            rows.swap_remove(place);
            self.column_counts.insert((rows.len(), column));
        }
    }

    /// Removes the entry in a column that has left the active part already.
    fn take_entry(&mut self, row: usize, column: usize) -> S {
        let entries = &mut self.rows[row];
        match entries.iter().position(|(other, _)| *other as usize == column) {
            Some(place) => {
                self.row_counts.remove(&(entries.len(), row));
                let (_, value) = entries.swap_remove(place);
                self.row_counts.insert((entries.len(), row));
                value
            }
            None => S::zero(),
        }
    }

    /// `row -= multiplier * pivot row`. `scatter` is all `None` before and after.
    fn subtract(&mut self, row: usize, multiplier: &S, pivot_row: &[(u32, S)], scatter: &mut [Option<S>]) {
        let mut entries = std::mem::take(&mut self.rows[row]);
        self.row_counts.remove(&(entries.len(), row));
        for (column, value) in pivot_row {
            scatter[*column as usize] = Some(value.clone());
        }
        entries.retain_mut(|(column, value)| {
            let column = *column as usize;
            let Some(other) = scatter[column].take() else { return true };
            value.subtract_product(multiplier, &other);
            value.settle();
            if value.is_zero() {
                self.remove_from_column(column, row);
            }
            !value.is_zero()
        });
        for (column, _) in pivot_row {
            if let Some(other) = scatter[*column as usize].take() {
                let column = *column as usize;
                entries.push((column as u32, multiplier.times(&other).negated()));
                let rows = &mut self.columns[column];
                self.column_counts.remove(&(rows.len(), column));
                rows.push(row as u32);
                self.column_counts.insert((rows.len(), column));
            }
        }
        self.row_counts.insert((entries.len(), row));
        self.rows[row] = entries;
    }
}

fn entry_of<S: Clone>(entries: &[(u32, S)], column: usize) -> Option<S> {
    entries.iter().find(|(other, _)| *other as usize == column).map(|(_, value)| value.clone())
}

fn is_usable<S: Scalar>(value: &S) -> bool {
    S::EXACT || value.to_f64().abs() > FLOAT_PIVOT
}
