//! Network programs: what the crate is for, and where other algorithms know the answer.

mod common;

use common::Random;
use linear::{
    Basis, Bounds, Guess, IntegerOutcome, Limits, Outcome, Problem, Rational, Relation, Sense, VariableId,
    solve, solve_from, solve_integer, verify,
};

struct Edge {
    from: usize,
    to: usize,
    weight: i64,
}

fn random_graph(random: &mut Random, nodes: usize, edges: usize, least: i64, greatest: i64) -> Vec<Edge> {
    (0..edges)
        .map(|_| Edge {
            from: random.between(0, nodes as i64 - 1) as usize,
            to: random.between(0, nodes as i64 - 1) as usize,
            weight: random.between(least, greatest),
        })
        .collect()
}

/// Shortest distances from everywhere at once; `None` if some cycle is negative.
fn bellman_ford(nodes: usize, edges: &[Edge]) -> Option<Vec<i64>> {
    let mut distance = vec![0; nodes];
    for _ in 0..=nodes {
        let mut changed = false;
        for edge in edges {
            let through = distance[edge.from] + edge.weight;
            if through < distance[edge.to] {
                distance[edge.to] = through;
                changed = true;
            }
        }
        if !changed {
            return Some(distance);
        }
    }
    None
}

/// `x[to] - x[from] <= weight` for each edge, and `x <= 0`; the largest sum is that of the shortest distances.
fn difference_constraints(nodes: usize, edges: &[Edge]) -> (Problem, Vec<VariableId>) {
    let mut problem = Problem::new();
    let potential: Vec<VariableId> = (0..nodes).map(|_| problem.add_variable(Bounds::at_most(0))).collect();
    for edge in edges {
        problem.add_constraint(
            [(potential[edge.to], 1), (potential[edge.from], -1)],
            Relation::AtMost,
            edge.weight,
        );
    }
    problem.set_objective(Sense::Maximise, potential.iter().map(|variable| (*variable, 1)));
    (problem, potential)
}

#[test]
fn difference_constraints_agree_with_bellman_ford() {
    let (mut feasible, mut infeasible) = (0, 0);
    for seed in 0..600 {
        let mut random = Random::new(seed + 10);
        let nodes = random.between(2, 25) as usize;
        let edges = random.between(1, 60) as usize;
        let graph = random_graph(&mut random, nodes, edges, -2, 9);
        let (problem, _) = difference_constraints(nodes, &graph);
        let guess = if seed % 2 == 0 { Guess::Float } else { Guess::None };
        let outcome = solve(&problem, &Limits { guess, ..Limits::none() });
        assert_eq!(verify(&problem, &outcome), Ok(()));
        match (outcome, bellman_ford(nodes, &graph)) {
            (Outcome::Optimal(optimum), Some(distances)) => {
                let expected: Vec<Rational> = distances.into_iter().map(Rational::from).collect();
                assert_eq!(optimum.values, expected);
                feasible += 1;
            }
            (Outcome::Infeasible(farkas), None) => {
                // The contradiction is a negative cycle: a circulation.
                assert!(linear::to_small_integers(&farkas.constraints).is_some());
                infeasible += 1;
            }
            (outcome, distances) => panic!("{outcome:?} but Bellman-Ford says {distances:?}"),
        }
    }
    assert!(feasible > 100 && infeasible > 100, "{feasible} feasible, {infeasible} infeasible");
}

#[test]
fn rows_added_one_at_a_time_give_the_same_distances() {
    for seed in 0..60 {
        let mut random = Random::new(seed + 900);
        let nodes = random.between(2, 20) as usize;
        let graph = random_graph(&mut random, nodes, 40, -1, 9);
        let (full, potential) = difference_constraints(nodes, &graph);
        let mut lazy = Problem::new();
        for variable in &potential {
            lazy.add_variable(full.bounds(*variable).clone());
        }
        lazy.set_objective(Sense::Maximise, potential.iter().map(|variable| (*variable, 1)));
        let mut basis = Basis::new();
        loop {
            let outcome = solve_from(&lazy, &mut basis, &Limits::none());
            let Outcome::Optimal(optimum) = outcome else {
                assert!(matches!(outcome, Outcome::Infeasible(_)));
                assert_eq!(bellman_ford(nodes, &graph), None);
                break;
            };
            let violated = graph.iter().find(|edge| {
                let rise = &optimum.values[edge.to] - &optimum.values[edge.from];
                rise > Rational::from(edge.weight)
            });
            match violated {
                Some(edge) => {
                    let terms = [(potential[edge.to], 1), (potential[edge.from], -1)];
                    lazy.add_constraint(terms, Relation::AtMost, edge.weight);
                }
                None => {
                    let distances = bellman_ford(nodes, &graph).expect("the program has a solution");
                    assert_eq!(optimum.values, distances.into_iter().map(Rational::from).collect::<Vec<_>>());
                    break;
                }
            }
        }
    }
}

/// Greatest flow from node 0 to the last node by augmenting paths.
fn augmenting_paths(nodes: usize, edges: &[Edge]) -> i64 {
    let mut residual = vec![vec![0i64; nodes]; nodes];
    for edge in edges {
        if edge.from != edge.to {
            residual[edge.from][edge.to] += edge.weight;
        }
    }
    let mut total = 0;
    loop {
        let mut parent = vec![usize::MAX; nodes];
        parent[0] = 0;
        let mut queue = std::collections::VecDeque::from([0]);
        while let Some(node) = queue.pop_front() {
            for next in 0..nodes {
                if parent[next] == usize::MAX && residual[node][next] > 0 {
                    parent[next] = node;
                    queue.push_back(next);
                }
            }
        }
        if parent[nodes - 1] == usize::MAX {
            return total;
        }
        let mut path = Vec::new();
        let mut node = nodes - 1;
        while node != 0 {
            path.push((parent[node], node));
            node = parent[node];
        }
        let room = path.iter().map(|(from, to)| residual[*from][*to]).min().expect("source and sink differ");
        for (from, to) in path {
            residual[from][to] -= room;
            residual[to][from] += room;
        }
        total += room;
    }
}

#[test]
fn greatest_circulations_agree_with_augmenting_paths_and_are_integral() {
    for seed in 0..300 {
        let mut random = Random::new(seed + 5000);
        let nodes = random.between(2, 15) as usize;
        let edges = random.between(5, 60) as usize;
        let graph = random_graph(&mut random, nodes, edges, 0, 7);
        let mut problem = Problem::new();
        let flows: Vec<VariableId> =
            graph.iter().map(|edge| problem.add_variable(Bounds::between(0, edge.weight))).collect();
        let back = problem.add_variable(Bounds::non_negative());
        for node in 0..nodes {
            let mut terms: Vec<(VariableId, i64)> = Vec::new();
            for (edge, flow) in graph.iter().zip(&flows) {
                terms.extend((edge.to == node).then_some((*flow, 1)));
                terms.extend((edge.from == node).then_some((*flow, -1)));
            }
            terms.extend((node == 0).then_some((back, 1)));
            terms.extend((node == nodes - 1).then_some((back, -1)));
            problem.add_constraint(terms, Relation::Equal, 0);
        }
        problem.set_objective(Sense::Maximise, [(back, 1)]);
        let outcome = solve(&problem, &Limits::none());
        assert_eq!(verify(&problem, &outcome), Ok(()));
        let Outcome::Optimal(optimum) = outcome else { panic!("capacities bound the flow: {outcome:?}") };
        assert_eq!(optimum.objective, Rational::from(augmenting_paths(nodes, &graph)));
        assert!(optimum.values.iter().all(Rational::is_integer));
    }
}

#[test]
fn integer_programs_agree_with_trying_every_point() {
    let mut solved = 0;
    for seed in 0..200 {
        let mut random = Random::new(seed + 31);
        let mut problem = Problem::new();
        let x: Vec<VariableId> = (0..3).map(|_| problem.add_variable(Bounds::between(-2, 3))).collect();
        let mut rows = Vec::new();
        for _ in 0..3 {
            let row: Vec<i64> = (0..3).map(|_| random.between(-4, 4)).collect();
            let right = random.between(-5, 6);
            let equal = random.chance(25);
            let relation = if equal { Relation::Equal } else { Relation::AtMost };
            problem.add_constraint(x.iter().copied().zip(row.iter().copied()), relation, right);
            rows.push((row, right, equal));
        }
        let cost: Vec<i64> = (0..3).map(|_| random.between(-5, 5)).collect();
        problem.set_objective(Sense::Minimise, x.iter().copied().zip(cost.iter().copied()));
        let mut best: Option<i64> = None;
        for code in 0..216 {
            let point = [code % 6 - 2, code / 6 % 6 - 2, code / 36 - 2];
            let product = |row: &[i64]| row.iter().zip(&point).map(|(a, b)| a * b).sum::<i64>();
            let feasible = rows.iter().all(|(row, right, equal)| {
                let left = product(row);
                if *equal { left == *right } else { left <= *right }
            });
            if feasible {
                best = Some(best.map_or(product(&cost), |value| value.min(product(&cost))));
            }
        }
        match (solve_integer(&problem, &x, &Limits::none()), best) {
            (IntegerOutcome::Optimal { objective, .. }, Some(best)) => {
                assert_eq!(objective, Rational::from(best));
                solved += 1;
            }
            (IntegerOutcome::Infeasible | IntegerOutcome::RelaxationInfeasible(_), None) => {}
            (outcome, best) => panic!("{outcome:?} but the best of all points is {best:?}"),
        }
    }
    assert!(solved > 60, "{solved}");
}
