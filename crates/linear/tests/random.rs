//! Random small programs: the answer agrees with a second solver, and its proof holds.

mod common;

use common::{Random, Reference, reference_solve};
use dashu::rational::RBig;
use linear::{
    Basis, Bounds, Guess, Limits, Outcome, Problem, Rational, Relation, Sense, VariableId, solve, solve_from,
    verify,
};

struct Shape {
    variables: i64,
    constraints: i64,
    coefficient: i64,
    /// Per cent of coefficients that are not zero.
    density: i64,
    /// Per cent of right-hand sides and bounds that are zero, so that degenerate programs occur.
    zeros: i64,
}

const SHAPES: [Shape; 4] = [
    Shape { variables: 3, constraints: 3, coefficient: 3, density: 80, zeros: 30 },
    Shape { variables: 6, constraints: 6, coefficient: 1, density: 40, zeros: 70 },
    Shape { variables: 8, constraints: 5, coefficient: 9, density: 50, zeros: 20 },
    Shape { variables: 4, constraints: 9, coefficient: 2, density: 60, zeros: 50 },
];

fn number(random: &mut Random, shape: &Shape) -> Rational {
    if random.chance(shape.zeros) {
        Rational::ZERO
    } else if random.chance(20) {
        Rational::new(random.between(-9, 9), random.between(1, 7))
    } else {
        Rational::from(random.between(-6, 9))
    }
}

fn random_bounds(random: &mut Random, shape: &Shape) -> Bounds {
    let first = number(random, shape);
    let second = number(random, shape);
    match random.between(0, 9) {
        0 => Bounds::free(),
        1 => Bounds::at_most(first),
        2 => Bounds::fixed(first),
        3 | 4 if first <= second => Bounds::between(first, second),
        3 | 4 if random.chance(90) => Bounds::between(second, first),
        3 | 4 => Bounds::between(first, second),
        5 => Bounds::at_least(first),
        _ => Bounds::non_negative(),
    }
}

fn random_terms(random: &mut Random, shape: &Shape, variables: &[VariableId]) -> Vec<(VariableId, i64)> {
    let mut terms = Vec::new();
    for variable in variables {
        if random.chance(shape.density) {
            terms.push((*variable, random.between(-shape.coefficient, shape.coefficient)));
        }
    }
    terms
}

fn add_random_constraint(problem: &mut Problem, random: &mut Random, shape: &Shape) {
    let variables: Vec<VariableId> = problem.variables().collect();
    let terms = random_terms(random, shape, &variables);
    let relation = match random.between(0, 3) {
        0 => Relation::Equal,
        1 => Relation::AtLeast,
        _ => Relation::AtMost,
    };
    let right = number(random, shape);
    problem.add_constraint(terms, relation, right);
}

fn random_problem(random: &mut Random, shape: &Shape) -> Problem {
    let mut problem = Problem::new();
    for _ in 0..random.between(0, shape.variables) {
        let bounds = random_bounds(random, shape);
        problem.add_variable(bounds);
    }
    for _ in 0..random.between(0, shape.constraints) {
        add_random_constraint(&mut problem, random, shape);
    }
    let variables: Vec<VariableId> = problem.variables().collect();
    let sense = if random.chance(50) { Sense::Minimise } else { Sense::Maximise };
    if random.chance(85) {
        let terms = random_terms(random, shape, &variables);
        problem.set_objective(sense, terms);
    }
    problem
}

fn summary(outcome: &Outcome) -> Reference {
    match outcome {
        Outcome::Optimal(optimum) => Reference::Optimal(RBig::from(&optimum.objective)),
        Outcome::Infeasible(_) => Reference::Infeasible,
        Outcome::Unbounded(_) => Reference::Unbounded,
        Outcome::Stopped(reason) => panic!("stopped without a limit: {reason}"),
    }
}

fn check(problem: &Problem, outcome: &Outcome) -> Reference {
    assert_eq!(verify(problem, outcome), Ok(()), "{problem:#?}");
    let found = summary(outcome);
    assert_eq!(found, reference_solve(problem), "{problem:#?}");
    found
}

#[test]
fn random_programs_agree_with_a_dense_tableau_and_all_three_outcomes_occur() {
    let mut counts = [0usize; 3];
    for seed in 0..6000u64 {
        let mut random = Random::new(seed + 1);
        let shape = &SHAPES[seed as usize % SHAPES.len()];
        let problem = random_problem(&mut random, shape);
        let found = check(&problem, &solve(&problem, &Limits::none()));
        counts[match found {
            Reference::Optimal(_) => 0,
            Reference::Infeasible => 1,
            Reference::Unbounded => 2,
        }] += 1;
        let alone = Limits { guess: Guess::None, ..Limits::none() };
        check(&problem, &solve(&problem, &alone));
    }
    assert!(counts.iter().all(|count| *count > 500), "{counts:?}");
}

#[test]
fn programs_that_grow_by_rows_and_columns_are_solved_again_from_their_basis() {
    for seed in 0..800u64 {
        let mut random = Random::new(seed + 77_000);
        let shape = &SHAPES[seed as usize % SHAPES.len()];
        let mut problem = random_problem(&mut random, shape);
        let guess = if seed % 2 == 0 { Guess::Float } else { Guess::None };
        let limits = Limits { guess, ..Limits::none() };
        let mut basis = Basis::new();
        for _ in 0..6 {
            check(&problem, &solve_from(&problem, &mut basis, &limits));
            match random.between(0, 3) {
                0 | 1 => add_random_constraint(&mut problem, &mut random, shape),
                2 => {
                    let mut entries = Vec::new();
                    for id in problem.constraint_ids() {
                        if random.chance(shape.density) {
                            entries.push((id, random.between(-2, 2)));
                        }
                    }
                    let bounds = random_bounds(&mut random, shape);
                    problem.add_column(bounds, random.between(-3, 3), entries);
                }
                _ => {
                    if problem.variable_count() > 0 {
                        let index = random.between(0, problem.variable_count() as i64 - 1) as usize;
                        let variable = problem.variables().nth(index).expect("index is in range");
                        let bounds = random_bounds(&mut random, shape);
                        problem.set_bounds(variable, bounds);
                    }
                }
            }
        }
    }
}

#[test]
fn larger_programs_that_refactorise_and_stall_give_the_same_value_with_and_without_floats() {
    let shape = Shape { variables: 0, constraints: 0, coefficient: 2, density: 2, zeros: 60 };
    let mut counts = [0usize; 3];
    for seed in 0..60u64 {
        let mut random = Random::new(seed + 400);
        let mut problem = Problem::new();
        // Many equalities make it infeasible, few constraints unbounded.
        let (rows, equalities) = [(200, 15), (200, 2), (60, 2)][seed as usize % 3];
        for _ in 0..220 {
            // Few free or fixed variables: with as many as above nearly every large program is infeasible.
            let bounds = if random.chance(70) { Bounds::non_negative() } else { Bounds::between(0, 9) };
            problem.add_variable(bounds);
        }
        let variables: Vec<VariableId> = problem.variables().collect();
        for _ in 0..rows {
            let terms = random_terms(&mut random, &shape, &variables);
            let right = if random.chance(shape.zeros) { 0 } else { random.between(0, 9) };
            let relation = if random.chance(equalities) { Relation::Equal } else { Relation::AtMost };
            problem.add_constraint(terms, relation, right);
        }
        let terms = random_terms(&mut random, &shape, &variables);
        problem.set_objective(Sense::Maximise, terms);
        let guessed = solve(&problem, &Limits::none());
        assert_eq!(verify(&problem, &guessed), Ok(()));
        let alone = solve(&problem, &Limits { guess: Guess::None, ..Limits::none() });
        assert_eq!(verify(&problem, &alone), Ok(()));
        assert_eq!(summary(&guessed), summary(&alone));
        counts[match summary(&alone) {
            Reference::Optimal(_) => 0,
            Reference::Infeasible => 1,
            Reference::Unbounded => 2,
        }] += 1;
    }
    assert!(counts.iter().all(|count| *count > 3), "{counts:?}");
}
