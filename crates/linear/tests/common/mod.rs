//! Shared by the tests: a reproducible source of random numbers and a second, deliberately simple solver.
//!
//! The second solver has nothing in common with the crate: a dense tableau in big rationals of dashu, two phases with
//! artificial variables, Bland's rule throughout.
#![allow(dead_code)]

use dashu::rational::RBig;
use linear::{Problem, Relation, Sense};

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number from `least` to `greatest`, both included.
    pub fn between(&mut self, least: i64, greatest: i64) -> i64 {
        least + ((self.next() >> 11) % (greatest - least + 1) as u64) as i64
    }

    pub fn chance(&mut self, percent: i64) -> bool {
        self.between(1, 100) <= percent
    }
}

#[derive(Debug, PartialEq, Eq)]
pub enum Reference {
    Optimal(RBig),
    Infeasible,
    Unbounded,
}

/// Solves by a dense two-phase tableau.
pub fn reference_solve(problem: &Problem) -> Reference {
    let zero = RBig::ZERO;
    // Each variable becomes positive part minus negative part; each bound becomes a row.
    let split = 2 * problem.variable_count();
    let mut rows: Vec<(Vec<RBig>, Relation, RBig)> = Vec::new();
    for id in problem.constraint_ids() {
        let constraint = problem.constraint(id);
        let mut row = vec![zero.clone(); split];
        for (variable, coefficient) in constraint.terms() {
            row[2 * variable.index()] = RBig::from(coefficient);
            row[2 * variable.index() + 1] = -RBig::from(coefficient);
        }
        rows.push((row, constraint.relation(), RBig::from(constraint.right_hand_side())));
    }
    for variable in problem.variables() {
        let bounds = problem.bounds(variable);
        for (bound, relation) in [(&bounds.lower, Relation::AtLeast), (&bounds.upper, Relation::AtMost)] {
            if let Some(bound) = bound {
                let mut row = vec![zero.clone(); split];
                row[2 * variable.index()] = RBig::ONE;
                row[2 * variable.index() + 1] = -RBig::ONE;
                rows.push((row, relation, RBig::from(bound)));
            }
        }
    }
    let (slacks, artificials) = (rows.len(), rows.len());
    let width = split + slacks + artificials;
    let mut tableau: Vec<Vec<RBig>> = Vec::new();
    for (index, (row, relation, right)) in rows.iter().enumerate() {
        let mut line = row.clone();
        line.resize(width + 1, zero.clone());
        match relation {
            Relation::AtMost => line[split + index] = RBig::ONE,
            Relation::AtLeast => line[split + index] = -RBig::ONE,
            Relation::Equal => {}
        }
        line[width] = right.clone();
        if line[width] < zero {
            for entry in &mut line {
                *entry = -entry.clone();
            }
        }
        line[split + slacks + index] = RBig::ONE;
        tableau.push(line);
    }
    let mut basis: Vec<usize> = (0..rows.len()).map(|index| split + slacks + index).collect();
    let mut phase_one = vec![zero.clone(); width];
    for cost in &mut phase_one[split + slacks..] {
        *cost = RBig::ONE;
    }
    minimise(&mut tableau, &mut basis, &phase_one, width).expect("phase one is bounded");
    if value_of(&tableau, &basis, &phase_one) != zero {
        return Reference::Infeasible;
    }
    let mut phase_two = vec![zero.clone(); width];
    for variable in problem.variables() {
        let cost = RBig::from(&problem.objective()[variable.index()]);
        let cost = if problem.sense() == Sense::Maximise { -cost } else { cost };
        phase_two[2 * variable.index()] = cost.clone();
        phase_two[2 * variable.index() + 1] = -cost;
    }
    // Artificial variables that are still basic are zero; drive them out, or drop their row if it is all zeros.
    let mut row = 0;
    while row < tableau.len() {
        if basis[row] >= split + slacks {
            match (0..split + slacks).find(|column| tableau[row][*column] != zero) {
                Some(column) => pivot(&mut tableau, &mut basis, row, column),
                None => {
                    tableau.remove(row);
                    basis.remove(row);
                    continue;
                }
            }
        }
        row += 1;
    }
    match minimise(&mut tableau, &mut basis, &phase_two, split + slacks) {
        None => Reference::Unbounded,
        Some(()) => {
            let value = value_of(&tableau, &basis, &phase_two);
            Reference::Optimal(if problem.sense() == Sense::Maximise { -value } else { value })
        }
    }
}

fn value_of(tableau: &[Vec<RBig>], basis: &[usize], cost: &[RBig]) -> RBig {
    let right = cost.len();
    tableau.iter().zip(basis).fold(RBig::ZERO, |sum, (row, column)| sum + &cost[*column] * &row[right])
}

/// Bland's rule on the first `usable` columns; `None` if unbounded.
fn minimise(tableau: &mut [Vec<RBig>], basis: &mut [usize], cost: &[RBig], usable: usize) -> Option<()> {
    let right = cost.len();
    loop {
        let entering = (0..usable).find(|column| {
            let through = tableau
                .iter()
                .zip(&*basis)
                .fold(RBig::ZERO, |sum, (row, basic)| sum + &cost[*basic] * &row[*column]);
            cost[*column] < through
        });
        let Some(column) = entering else { return Some(()) };
        let mut best: Option<(RBig, usize)> = None;
        for (index, row) in tableau.iter().enumerate() {
            if row[column] > RBig::ZERO {
                let ratio = &row[right] / &row[column];
                let better = match &best {
                    None => true,
                    Some((least, chosen)) => {
                        ratio < *least || (ratio == *least && basis[index] < basis[*chosen])
                    }
                };
                if better {
                    best = Some((ratio, index));
                }
            }
        }
        let (_, row) = best?;
        pivot(tableau, basis, row, column);
    }
}

fn pivot(tableau: &mut [Vec<RBig>], basis: &mut [usize], row: usize, column: usize) {
    let divisor = tableau[row][column].clone();
    for entry in &mut tableau[row] {
        *entry /= &divisor;
    }
    let line = tableau[row].clone();
    for (index, other) in tableau.iter_mut().enumerate() {
        if index != row && other[column] != RBig::ZERO {
            let factor = other[column].clone();
            for (entry, subtrahend) in other.iter_mut().zip(&line) {
                *entry -= &factor * subtrahend;
            }
        }
    }
    basis[row] = column;
}
