//! Solving: a floating-point guess, then the exact answer.
//!
//! A float simplex of our own runs first, with perturbed costs and bounds against the heavy degeneracy of homogeneous
//! network programs. All that is taken from it is a basis and, for infeasible or unbounded problems, the variable that
//! showed it. The exact simplex factorises that basis in rationals and usually finds it final; whatever is
//! wrong with it is repaired by exact pivots. So floats decide how long it takes, never what the answer is.

use crate::basis::Basis;
use crate::outcome::{Farkas, Guess, Limits, Optimum, Outcome, Ray};
use crate::problem::{ConstraintId, Problem, Sense};
use crate::rational::Rational;
use crate::scalar::Scalar;
use crate::simplex::{Budget, DualEnd, Flip, Place, PrimalEnd, Simplex};
use crate::verify::verify;

/// Solves a problem from scratch.
pub fn solve(problem: &Problem, limits: &Limits<'_>) -> Outcome {
    solve_from(problem, &mut Basis::new(), limits)
}

/// Solves a problem from where an earlier call left off, and leaves the new basis there. After rows were added few
/// pivots of the dual simplex remain to be done, after columns were added few of the primal simplex.
pub fn solve_from(problem: &Problem, basis: &mut Basis, limits: &Limits<'_>) -> Outcome {
    if let Some(farkas) = crossed_bounds(problem) {
        return Outcome::Infeasible(farkas);
    }
    let mut budget = Budget::new(limits);
    *basis = basis.fitted(problem);
    let mut hint = None;
    if limits.guess == Guess::Float {
        (*basis, hint) = float_guess(problem, basis, &mut budget);
    }
    let mut simplex = Simplex::<Rational>::load(problem, basis);
    let outcome = exact_answer(problem, &mut simplex, hint, &mut budget);
    *basis = simplex.standings();
    debug_assert_eq!(verify(problem, &outcome), Ok(()));
    outcome
}

/// The variable that showed a float run that the problem is infeasible or unbounded.
type Hint = Option<usize>;

/// Rounds of the float run; the first one is perturbed, the others clean up after it.
const FLOAT_ROUNDS: usize = 3;

fn float_guess(problem: &Problem, basis: &Basis, budget: &mut Budget<'_>) -> (Basis, Hint) {
    let mut simplex = Simplex::<f64>::load(problem, basis);
    let size = (simplex.rows + simplex.columns) as u64;
    // The guess is worth only so much: without a cap, rounding errors could make the float run cycle.
    let mut allowance = budget.part(20 * size + 1000);
    let mut random = Random::new();
    let mut hint = None;
    for round in 0..FLOAT_ROUNDS {
        simplex.recompute(Flip::Never);
        if !simplex.is_primal_feasible() {
            simplex.recompute(Flip::ToDualFeasible);
        }
        if !simplex.is_primal_feasible() {
            make_dual_feasible(&mut simplex, &mut random, round == 0);
            let end = simplex.run_dual(&mut allowance, None);
            simplex.set_true_costs(problem);
            simplex.recompute(Flip::Never);
            match end {
                DualEnd::Feasible => {}
                DualEnd::Infeasible { leaving, .. } => {
                    hint = Some(leaving);
                    break;
                }
                DualEnd::Stopped(_) | DualEnd::Trouble => break,
            }
        }
        if simplex.is_dual_feasible() {
            break;
        }
        if round == 0 {
            relax_bounds(&mut simplex, &mut random);
            simplex.recompute(Flip::Never);
        }
        let end = simplex.run_primal(&mut allowance, None);
        simplex.set_true_bounds(problem);
        match end {
            PrimalEnd::Optimal => {}
            PrimalEnd::Unbounded { entering, .. } => {
                hint = Some(entering);
                // Perturbed bounds may have let a point through that is none; the clean-up below finds one.
                simplex.recompute(Flip::Never);
                if simplex.is_primal_feasible() {
                    break;
                }
            }
            PrimalEnd::Stopped(_) | PrimalEnd::Trouble => break,
        }
    }
    budget.give_back(allowance);
    (simplex.standings(), hint)
}

fn exact_answer(
    problem: &Problem,
    simplex: &mut Simplex<Rational>,
    hint: Hint,
    budget: &mut Budget<'_>,
) -> Outcome {
    simplex.recompute(Flip::Never);
    if !simplex.is_primal_feasible() {
        simplex.recompute(Flip::ToDualFeasible);
    }
    if !simplex.is_primal_feasible() {
        let shifted = !simplex.is_dual_feasible() || problem.objective().iter().all(Rational::is_zero);
        if shifted {
            make_dual_feasible(simplex, &mut Random::new(), false);
        }
        match simplex.run_dual(budget, hint) {
            DualEnd::Feasible => {}
            DualEnd::Infeasible { multipliers, .. } => {
                return Outcome::Infeasible(farkas(problem, multipliers));
            }
            DualEnd::Stopped(reason) => return Outcome::Stopped(reason),
            DualEnd::Trouble => unreachable!("exact pivots are never in doubt"),
        }
        if shifted {
            simplex.set_true_costs(problem);
            simplex.recompute(Flip::Never);
        }
    }
    match simplex.run_primal(budget, hint) {
        PrimalEnd::Optimal => Outcome::Optimal(optimum(problem, simplex)),
        PrimalEnd::Unbounded { mut direction, .. } => {
            direction.truncate(simplex.columns);
            Outcome::Unbounded(Ray { point: simplex.values[..simplex.columns].to_vec(), direction })
        }
        PrimalEnd::Stopped(reason) => Outcome::Stopped(reason),
        PrimalEnd::Trouble => unreachable!("exact pivots are never in doubt"),
    }
}

fn optimum(problem: &Problem, simplex: &Simplex<Rational>) -> Optimum {
    let values = simplex.values[..simplex.columns].to_vec();
    let mut duals = simplex.multipliers();
    let mut reduced_costs = simplex.reduced[..simplex.columns].to_vec();
    if problem.sense() == Sense::Maximise {
        for number in duals.iter_mut().chain(&mut reduced_costs) {
            *number = -&*number;
        }
    }
    let objective = problem.objective().iter().zip(&values).map(|(cost, value)| cost * value).sum();
    Optimum { objective, values, duals, reduced_costs }
}

fn farkas(problem: &Problem, multipliers: Vec<Rational>) -> Farkas {
    let mut sums = vec![Rational::ZERO; problem.variable_count()];
    for (row, multiplier) in multipliers.iter().enumerate() {
        if !multiplier.is_zero() {
            for (variable, coefficient) in problem.constraint(ConstraintId::from_index(row)).terms() {
                sums[variable.index()] += multiplier * coefficient;
            }
        }
    }
    let zero = || Rational::ZERO;
    Farkas {
        constraints: multipliers,
        lower_bounds: sums.iter().map(|sum| if sum.is_negative() { -sum } else { zero() }).collect(),
        upper_bounds: sums.into_iter().map(|sum| if sum.is_positive() { sum } else { zero() }).collect(),
    }
}

/// A variable whose bounds exclude every value makes the problem infeasible by itself.
fn crossed_bounds(problem: &Problem) -> Option<Farkas> {
    let crossed = problem.variables().find(|variable| {
        let bounds = problem.bounds(*variable);
        matches!((&bounds.lower, &bounds.upper), (Some(lower), Some(upper)) if lower > upper)
    })?;
    let mut bounds = vec![Rational::ZERO; problem.variable_count()];
    bounds[crossed.index()] = Rational::ONE;
    Some(Farkas {
        constraints: vec![Rational::ZERO; problem.constraint_count()],
        lower_bounds: bounds.clone(),
        upper_bounds: bounds,
    })
}

/// Changes costs so that every reduced cost has the sign that its variable's place asks for. Ties between zero costs
/// are broken at random, which is what makes feasibility problems without an objective quick. With `perturb` the
/// other costs are moved a little as well.
fn make_dual_feasible<S: Scalar>(simplex: &mut Simplex<S>, random: &mut Random, perturb: bool) {
    for variable in 0..simplex.place.len() {
        if simplex.is_basic(variable) {
            continue;
        }
        let reduced = simplex.reduced[variable].clone();
        let size = reduced.to_f64().abs();
        let suits = match simplex.place[variable] {
            Place::Lower => reduced.sign(1e-9) == std::cmp::Ordering::Greater,
            Place::Upper => reduced.sign(1e-9) == std::cmp::Ordering::Less,
            Place::Zero | Place::Row(_) => false,
        };
        let target = match (suits, simplex.place[variable]) {
            (_, Place::Zero | Place::Row(_)) => S::zero(),
            (true, _) if !perturb => continue,
            (true, place) => {
                let moved = Rational::new(random.between(1, 1000), 50_000_000);
                let factor = S::one().plus(&S::from_rational(&Rational::from((size + 1.0) as i64)));
                let change = S::from_rational(&moved).times(&factor);
                if place == Place::Lower { reduced.plus(&change) } else { reduced.minus(&change) }
            }
            (false, place) => {
                let cost = S::from_rational(&Rational::from(random.between(1, 1000)));
                if place == Place::Lower { cost } else { cost.negated() }
            }
        };
        simplex.cost[variable] = simplex.cost[variable].plus(&target).minus(&reduced);
    }
    simplex.recompute(Flip::Never);
}

/// Relaxes the bounds of the basic variables by small random amounts: the basis stays feasible, and vertices in which
/// many bounds meet fall apart.
fn relax_bounds(simplex: &mut Simplex<f64>, random: &mut Random) {
    for variable in 0..simplex.place.len() {
        if simplex.is_basic(variable) {
            let mut slack = |bound: f64| (1.0 + bound.abs()) * 1e-7 * random.between(100, 1000) as f64;
            if let Some(lower) = simplex.lower[variable] {
                simplex.lower[variable] = Some(lower - slack(lower));
            }
            if let Some(upper) = simplex.upper[variable] {
                simplex.upper[variable] = Some(upper + slack(upper));
            }
        }
    }
}

/// Xorshift: the same numbers on every run, so that a result can be reproduced.
struct Random(u64);

impl Random {
    fn new() -> Random {
        Random(0x9e37_79b9_7f4a_7c15)
    }

    fn between(&mut self, least: i64, greatest: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        least + (self.0 % (greatest - least + 1) as u64) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Bounds, Relation, VariableId};

    #[test]
    fn blands_rule_ends_degenerate_programs_in_all_three_ways() {
        let mut random = Random::new();
        let mut counts = [0; 3];
        for round in 0..600 {
            let mut problem = Problem::new();
            let variables: Vec<VariableId> = (0..10)
                .map(|index| {
                    problem.add_variable(if index < 8 {
                        Bounds::non_negative()
                    } else {
                        Bounds::at_least(index - 8)
                    })
                })
                .collect();
            let row = |random: &mut Random| -> Vec<(VariableId, i64)> {
                variables.iter().map(|variable| (*variable, random.between(-4, 4) / 3)).collect()
            };
            for _ in 0..8 {
                let relation = if random.between(0, 3) == 0 { Relation::Equal } else { Relation::AtMost };
                let terms = row(&mut random);
                problem.add_constraint(terms, relation, 0);
            }
            let terms = row(&mut random);
            problem.set_objective(Sense::Maximise, terms);
            let guess = if round % 2 == 0 { Guess::None } else { Guess::Float };
            let outcome = solve(&problem, &Limits { guess, ..Limits::none() });
            assert_eq!(verify(&problem, &outcome), Ok(()));
            counts[match outcome {
                Outcome::Optimal(_) => 0,
                Outcome::Infeasible(_) => 1,
                Outcome::Unbounded(_) => 2,
                Outcome::Stopped(reason) => panic!("stopped without a limit: {reason}"),
            }] += 1;
        }
        assert!(counts.iter().all(|count| *count > 30), "{counts:?}");
    }
}
