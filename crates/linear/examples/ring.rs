//! How the solver scales on rings: `cargo run --release -p linear --example ring -- 50 500 5000`.
//!
//! Each process has two places, each channel two message types, and each process fifteen random transitions that receive
//! one message, send up to three, and perhaps change place; no transition increases a hidden potential, so the ring is
//! bounded. Each question is put as one sparse program over all transitions, once as a flow and once with potentials as
//! unknowns: is the ring bounded; how full does channel 0 get; how full does it get when messages may go all the way
//! round; and is the ring bounded when one that went round comes back twice.

use std::time::Instant;

use linear::{Bounds, ConstraintId, Limits, Outcome, Problem, Rational, Relation, Sense, VariableId, solve};

const TRANSITIONS: usize = 15;
const PLACES: usize = 2;
const TYPES: usize = 2;
/// The hidden potential.
const WEIGHT: [i64; TYPES] = [1, 2];
const POTENTIAL: [i64; PLACES] = [2, 0];

struct Transition {
    from: usize,
    to: usize,
    receive: usize,
    send: Vec<usize>,
}

fn main() {
    let mut sizes: Vec<usize> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![50, 500];
    }
    println!("{:>6} {:>22} {:>8} {:>8} {:>9}  answer", "N", "question", "rows", "columns", "seconds");
    for size in sizes {
        let ring = random_ring(size);
        report(size, "bounded, flow", &bounded_by_flow(&ring));
        report(size, "bounded, potentials", &bounded_by_potentials(&ring));
        report(size, "bound, flow", &bound_by_flow(&ring));
        report(size, "bound, potentials", &bound_by_potentials(&ring));
        let circling = pass_on(ring, 1);
        report(size, "circling bound, flow", &bound_by_flow(&circling));
        report(size, "circling bound, pot.", &bound_by_potentials(&circling));
        let spoilt = pass_on(circling, 2);
        report(size, "spoilt, flow", &bounded_by_flow(&spoilt));
        report(size, "spoilt, potentials", &bounded_by_potentials(&spoilt));
    }
}

fn report(size: usize, question: &str, problem: &Problem) {
    let start = Instant::now();
    let outcome = solve(problem, &Limits::none());
    let seconds = start.elapsed().as_secs_f64();
    let answer = match outcome {
        Outcome::Optimal(optimum) => format!("optimum {}", optimum.objective),
        Outcome::Infeasible(_) => "infeasible".to_string(),
        Outcome::Unbounded(_) => "unbounded".to_string(),
        Outcome::Stopped(reason) => format!("stopped: {reason}"),
    };
    let (rows, columns) = (problem.constraint_count(), problem.variable_count());
    println!("{size:>6} {question:>22} {rows:>8} {columns:>8} {seconds:>9.3}  {answer}");
}

fn random_ring(size: usize) -> Vec<Vec<Transition>> {
    let mut state = 0x1234_5678_9abc_def1_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 13) % below as u64) as usize
    };
    let mut ring = Vec::new();
    for _ in 0..size {
        let mut process = Vec::new();
        while process.len() < TRANSITIONS {
            let (from, to) = (random(PLACES), random(PLACES));
            let receive = random(TYPES);
            let send: Vec<usize> = (0..random(4)).map(|_| random(TYPES)).collect();
            let sent: i64 = send.iter().map(|kind| WEIGHT[*kind]).sum();
            if sent + POTENTIAL[to] <= WEIGHT[receive] + POTENTIAL[from] {
                process.push(Transition { from, to, receive, send });
            }
        }
        ring.push(process);
    }
    ring
}

/// Everybody passes messages of type 0 on; the first process makes `copies` of one.
fn pass_on(mut ring: Vec<Vec<Transition>>, copies: usize) -> Vec<Vec<Transition>> {
    for (process, transitions) in ring.iter_mut().enumerate() {
        let send = vec![0; if process == 0 { copies } else { 1 }];
        transitions[0] = Transition { from: 1, to: 1, receive: 0, send };
    }
    ring
}

/// What a transition adds to each type and takes from or brings to each place, as `(line, change)`.
fn changes(size: usize, process: usize, transition: &Transition) -> Vec<(usize, i64)> {
    let place = |index: usize| process * (PLACES + TYPES) + index;
    let kind = |channel: usize, index: usize| (channel % size) * (PLACES + TYPES) + PLACES + index;
    let mut changes = vec![(place(transition.from), -1), (place(transition.to), 1)];
    changes.push((kind(process, transition.receive), -1));
    changes.extend(transition.send.iter().map(|sent| (kind(process + 1, *sent), 1)));
    changes
}

fn transitions(ring: &[Vec<Transition>]) -> impl Iterator<Item = Vec<(usize, i64)>> {
    let size = ring.len();
    ring.iter().enumerate().flat_map(move |(process, list)| {
        list.iter().map(move |transition| changes(size, process, transition))
    })
}

fn bounded_by_flow(ring: &[Vec<Transition>]) -> Problem {
    let mut problem = Problem::new();
    let mut rows: Vec<ConstraintId> = Vec::new();
    for line in 0..ring.len() * (PLACES + TYPES) {
        let is_place = line % (PLACES + TYPES) < PLACES;
        let relation = if is_place { Relation::Equal } else { Relation::AtLeast };
        rows.push(problem.add_constraint([] as [(VariableId, i64); 0], relation, 0));
    }
    let mut gain = Vec::new();
    for changes in transitions(ring) {
        let kinds = changes.iter().filter(|(line, _)| line % (PLACES + TYPES) >= PLACES);
        let total: i64 = kinds.map(|(_, change)| change).sum();
        let entries = changes.iter().map(|(line, change)| (rows[*line], *change));
        gain.push((problem.add_column(Bounds::non_negative(), 0, entries), total));
    }
    problem.set_objective(Sense::Maximise, gain);
    problem
}

fn bounded_by_potentials(ring: &[Vec<Transition>]) -> Problem {
    let mut problem = Problem::new();
    let lines = 0..ring.len() * (PLACES + TYPES);
    let unknowns: Vec<VariableId> = lines
        .map(|line| {
            let is_place = line % (PLACES + TYPES) < PLACES;
            problem.add_variable(if is_place { Bounds::free() } else { Bounds::at_least(1) })
        })
        .collect();
    for changes in transitions(ring) {
        let terms = changes.iter().map(|(line, change)| (unknowns[*line], *change));
        problem.add_constraint(terms, Relation::AtMost, 0);
    }
    problem
}

fn bound_by_flow(ring: &[Vec<Transition>]) -> Problem {
    let mut problem = Problem::new();
    let mut rows: Vec<ConstraintId> = Vec::new();
    for line in 0..ring.len() * (PLACES + TYPES) {
        // Every process starts in its first place; a place is never left more often than it is entered.
        let start = i64::from(line % (PLACES + TYPES) == 0) + i64::from(line % (PLACES + TYPES) == PLACES);
        rows.push(problem.add_constraint([] as [(VariableId, i64); 0], Relation::AtLeast, -start));
    }
    for changes in transitions(ring) {
        let entries = changes.iter().map(|(line, change)| (rows[*line], *change));
        problem.add_column(Bounds::non_negative(), 0, entries);
    }
    let left: Vec<VariableId> = (0..TYPES)
        .map(|kind| problem.add_column(Bounds::non_negative(), 0, [(rows[PLACES + kind], -1)]))
        .collect();
    problem.set_objective(Sense::Maximise, left.into_iter().map(|variable| (variable, 1)));
    problem
}

fn bound_by_potentials(ring: &[Vec<Transition>]) -> Problem {
    let mut problem = Problem::new();
    let mut unknowns: Vec<VariableId> = Vec::new();
    let mut initial: Vec<(VariableId, Rational)> = Vec::new();
    for line in 0..ring.len() * (PLACES + TYPES) {
        let wanted = (PLACES..PLACES + TYPES).contains(&line);
        let variable = problem.add_variable(Bounds::at_least(i64::from(wanted)));
        if line % (PLACES + TYPES) == 0 || line % (PLACES + TYPES) == PLACES {
            initial.push((variable, Rational::ONE));
        }
        unknowns.push(variable);
    }
    for changes in transitions(ring) {
        let terms = changes.iter().map(|(line, change)| (unknowns[*line], *change));
        problem.add_constraint(terms, Relation::AtMost, 0);
    }
    problem.set_objective(Sense::Minimise, initial);
    problem
}
