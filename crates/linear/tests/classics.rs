//! Small programs whose answers are known by hand: degenerate, cycling, unbounded, infeasible, free, empty.

use linear::{
    Bounds, Flaw, Guess, IntegerOutcome, Limits, Optimum, Outcome, Problem, Rational, Relation, Sense,
    StopReason, VariableId, solve, solve_integer, verify,
};

fn fraction(numerator: i64, denominator: i64) -> Rational {
    Rational::new(numerator, denominator)
}

/// Solves with and without the float guess, verifies both, and returns the latter.
fn solve_both(problem: &Problem) -> Outcome {
    let guessed = solve(problem, &Limits::none());
    assert_eq!(verify(problem, &guessed), Ok(()));
    let alone = solve(problem, &Limits { guess: Guess::None, ..Limits::none() });
    assert_eq!(verify(problem, &alone), Ok(()));
    assert_eq!(std::mem::discriminant(&guessed), std::mem::discriminant(&alone));
    if let (Outcome::Optimal(left), Outcome::Optimal(right)) = (&guessed, &alone) {
        assert_eq!(left.objective, right.objective);
    }
    alone
}

fn optimum(problem: &Problem) -> Optimum {
    match solve_both(problem) {
        Outcome::Optimal(optimum) => optimum,
        other => panic!("expected an optimum, found {other:?}"),
    }
}

/// Beale's example, on which the textbook rule of the steepest coefficient cycles for ever.
fn beale() -> Problem {
    let mut problem = Problem::new();
    let x: Vec<VariableId> = (0..4).map(|_| problem.add_variable(Bounds::non_negative())).collect();
    let row = |numbers: [Rational; 4]| x.iter().copied().zip(numbers).collect::<Vec<_>>();
    problem.add_constraint(
        row([fraction(1, 4), fraction(-60, 1), fraction(-1, 25), fraction(9, 1)]),
        Relation::AtMost,
        0,
    );
    problem.add_constraint(
        row([fraction(1, 2), fraction(-90, 1), fraction(-1, 50), fraction(3, 1)]),
        Relation::AtMost,
        0,
    );
    problem.add_constraint([(x[2], 1)], Relation::AtMost, 1);
    problem.set_objective(
        Sense::Minimise,
        row([fraction(-3, 4), fraction(150, 1), fraction(-1, 50), fraction(6, 1)]),
    );
    problem
}

#[test]
fn beales_cycling_example_ends_at_its_optimum() {
    let optimum = optimum(&beale());
    assert_eq!(optimum.objective, fraction(-1, 20));
    assert_eq!(optimum.values, [fraction(1, 25), Rational::ZERO, Rational::ONE, Rational::ZERO]);
}

#[test]
fn the_empty_problem_is_optimal_with_value_zero() {
    let optimum = optimum(&Problem::new());
    assert_eq!(optimum.objective, Rational::ZERO);
    assert!(optimum.values.is_empty() && optimum.duals.is_empty());
}

#[test]
fn a_constraint_without_terms_decides_by_its_right_hand_side() {
    let mut problem = Problem::new();
    problem.add_constraint([] as [(VariableId, i64); 0], Relation::AtMost, 0);
    assert_eq!(optimum(&problem).objective, Rational::ZERO);
    problem.add_constraint([] as [(VariableId, i64); 0], Relation::AtLeast, 1);
    assert!(matches!(solve_both(&problem), Outcome::Infeasible(_)));
}

#[test]
fn equalities_alone_determine_free_variables() {
    let mut problem = Problem::new();
    let x = problem.add_variable(Bounds::free());
    let y = problem.add_variable(Bounds::free());
    problem.add_constraint([(x, 2), (y, 3)], Relation::Equal, 7);
    problem.add_constraint([(x, 5), (y, -1)], Relation::Equal, 9);
    let optimum = optimum(&problem);
    assert_eq!(optimum.values, [Rational::from(2), Rational::from(1)]);
}

#[test]
fn a_contradiction_between_three_rows_is_shown_by_their_sum() {
    let mut problem = Problem::new();
    let x: Vec<VariableId> = (0..3).map(|_| problem.add_variable(Bounds::free())).collect();
    for index in 0..3 {
        // Each is at least one larger than the next, around a circle.
        problem.add_constraint([(x[index], 1), (x[(index + 1) % 3], -1)], Relation::AtLeast, 1);
    }
    let Outcome::Infeasible(farkas) = solve_both(&problem) else {
        panic!("a circle of increases is infeasible")
    };
    assert_eq!(linear::to_small_integers(&farkas.constraints), Some(vec![1, 1, 1]));
}

#[test]
fn crossed_bounds_are_infeasible_without_any_row() {
    let mut problem = Problem::new();
    problem.add_variable(Bounds::between(3, 2));
    assert!(matches!(solve_both(&problem), Outcome::Infeasible(_)));
}

#[test]
fn an_unbounded_problem_comes_with_a_point_and_a_ray() {
    let mut problem = Problem::new();
    let x = problem.add_variable(Bounds::at_least(3));
    let y = problem.add_variable(Bounds::free());
    problem.add_constraint([(x, 1), (y, -2)], Relation::Equal, 1);
    problem.set_objective(Sense::Maximise, [(y, 1)]);
    let Outcome::Unbounded(ray) = solve_both(&problem) else { panic!("y grows with x") };
    assert_eq!(linear::to_small_integers(&ray.direction), Some(vec![2, 1]));
}

#[test]
fn duals_and_reduced_costs_of_a_maximum_have_the_documented_signs() {
    let mut problem = Problem::new();
    let x = problem.add_variable(Bounds::between(0, 10));
    let y = problem.add_variable(Bounds::non_negative());
    problem.add_constraint([(x, 1), (y, 1)], Relation::AtMost, 4);
    problem.set_objective(Sense::Maximise, [(x, 1), (y, 3)]);
    let optimum = optimum(&problem);
    assert_eq!(optimum.objective, Rational::from(12));
    assert_eq!(optimum.duals, [Rational::from(3)]);
    assert_eq!(optimum.reduced_costs, [Rational::from(-2), Rational::ZERO]);
}

#[test]
fn numbers_far_beyond_64_bits_stay_exact() {
    // x[i+1] = p * x[i] with a large prime p: the last value is p^6, which needs 378 bits.
    let mut problem = Problem::new();
    let prime = 9_223_372_036_854_775_783_i64;
    let x: Vec<VariableId> = (0..7).map(|_| problem.add_variable(Bounds::non_negative())).collect();
    problem.add_constraint([(x[0], 1)], Relation::Equal, 1);
    for pair in x.windows(2) {
        problem.add_constraint([(pair[1], 1), (pair[0], -prime)], Relation::Equal, 0);
    }
    problem.set_objective(Sense::Minimise, [(x[6], 1)]);
    let expected = (0..6).fold(Rational::ONE, |power, _| &power * &Rational::from(prime));
    assert_eq!(optimum(&problem).objective, expected);
}

#[test]
fn coefficients_that_floats_cannot_tell_apart_are_decided_exactly() {
    // x >= 1 and x <= 1 - 10^-18: a float sees the same number twice.
    let mut problem = Problem::new();
    let x = problem.add_variable(Bounds::at_least(1));
    let just_below = &Rational::ONE - &Rational::new(1, 1_000_000_000_000_000_000);
    problem.add_constraint([(x, 1)], Relation::AtMost, just_below);
    assert!(matches!(solve_both(&problem), Outcome::Infeasible(_)));
}

#[test]
fn limits_stop_the_solver_with_their_reason() {
    let problem = beale();
    let few = Limits { iterations: 0, ..Limits::none() };
    assert_eq!(solve(&problem, &few), Outcome::Stopped(StopReason::Iterations));
    let cancelled = Limits { cancelled: &|| true, ..Limits::none() };
    assert_eq!(solve(&problem, &cancelled), Outcome::Stopped(StopReason::Cancelled));
}

#[test]
fn an_optimum_with_any_one_number_changed_is_refused() {
    let problem = beale();
    let sound = optimum(&problem);
    let changed = |change: &dyn Fn(&mut Optimum)| {
        let mut copy = sound.clone();
        change(&mut copy);
        verify(&problem, &Outcome::Optimal(copy))
    };
    assert_eq!(changed(&|_| {}), Ok(()));
    assert_eq!(changed(&|optimum| optimum.objective += Rational::ONE), Err(Flaw::ObjectiveDiffers));
    for index in 0..4 {
        assert!(changed(&|optimum| optimum.values[index] += Rational::ONE).is_err());
        assert!(changed(&|optimum| optimum.reduced_costs[index] += Rational::ONE).is_err());
    }
    for index in 0..3 {
        assert!(changed(&|optimum| optimum.duals[index] += Rational::ONE).is_err());
        assert!(changed(&|optimum| optimum.duals[index] -= Rational::ONE).is_err());
    }
    assert_eq!(changed(&|optimum| drop(optimum.duals.pop())), Err(Flaw::WrongLength));
}

#[test]
fn a_knapsack_is_solved_in_integers() {
    // Values 60, 100, 120; weights 10, 20, 30; room for 50: the last two.
    let mut problem = Problem::new();
    let items: Vec<VariableId> = (0..3).map(|_| problem.add_variable(Bounds::between(0, 1))).collect();
    problem.add_constraint([(items[0], 10), (items[1], 20), (items[2], 30)], Relation::AtMost, 50);
    problem.set_objective(Sense::Maximise, [(items[0], 60), (items[1], 100), (items[2], 120)]);
    assert_eq!(optimum(&problem).objective, Rational::from(240));
    let IntegerOutcome::Optimal { objective, values } = solve_integer(&problem, &items, &Limits::none())
    else {
        panic!("there is a best packing")
    };
    assert_eq!(objective, Rational::from(220));
    assert_eq!(values, [Rational::ZERO, Rational::ONE, Rational::ONE]);
    let one_node = Limits { nodes: 1, ..Limits::none() };
    let expected = IntegerOutcome::Stopped { reason: StopReason::Nodes, best: None };
    assert_eq!(solve_integer(&problem, &items, &one_node), expected);
}

#[test]
fn parity_makes_a_feasible_relaxation_infeasible_in_integers() {
    let mut problem = Problem::new();
    let x = problem.add_variable(Bounds::between(0, 5));
    let y = problem.add_variable(Bounds::between(0, 5));
    problem.add_constraint([(x, 2), (y, -2)], Relation::Equal, 1);
    assert_eq!(solve_integer(&problem, &[x, y], &Limits::none()), IntegerOutcome::Infeasible);
    assert!(matches!(solve_integer(&problem, &[], &Limits::none()), IntegerOutcome::Optimal { .. }));
}
