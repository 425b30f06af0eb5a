//! The papers' route over cycles held against plain exploration and against the portfolio.
//!
//! A dependency `(c, S)` is a claim about all infinite runs, so one loop of the state graph can refute it: a process goes round in c alone,
//! and of each cycle of S some statement is never executed. With a number of rounds it is a claim about finite runs too.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use system::progress::{ProgressAt, ProgressStatements};

use certificate::verdict::{Evidence, ProgressReading, Verdict};
use petgraph::graph::{DiGraph, NodeIndex};
use proofs::cycles::{
    self, Catalogue, Cause, CheckLimits, Completeness, CycleId, CycleLimits, CycleVerdict, Dependency,
    DependencyCounts, Strategy, WorldValues,
};
use system::automaton::{Action, System};
use system::interpreter::{Capacities, Step};
use system::state::State;
use verify::{Answer, CheckOptions, Question, Questions, Supervisor};

use crate::explored::Explored;

/// How far a survey goes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Elementary cycles.
    pub cycles: usize,
    /// Time of the route over cycles for each question, and of the portfolio for both.
    pub time: Duration,
    /// States of the explorations that everything is tried on.
    pub states: usize,
    /// Ask the portfolio only what the route over cycles proves: there is nothing else that it could contradict.
    pub only_what_holds: bool,
}

/// What one model shows.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Cycles, effect vectors, message types.
    pub sizes: (usize, usize, usize),
    /// The tables' figures.
    pub counts: DependencyCounts,
    /// Are all buffers bounded?
    pub buffers: Comparison,
    /// Is there progress again and again?
    pub progress: Comparison,
    /// Dependencies that were tried on the states.
    pub tried: usize,
    /// What must not be: broken inclusions, refuted dependencies, verdicts that contradict each other.
    pub wrong: Vec<String>,
}

/// What the two routes say to one question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// The route over cycles proves it.
    pub by_cycles: bool,
    /// What the portfolio says.
    pub portfolio: Portfolio,
}

/// What the portfolio says to one question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Portfolio {
    /// Proved by potentials, or some other certificate.
    Certificate,
    /// Proved by visiting all states.
    Searched,
    /// A run shows that it is not so.
    Violated,
    /// Undecided.
    Unknown,
    /// Nobody asked: the model marks no progress.
    NotAsked,
}

/// Looks at one model in every way. The error says why that was impossible.
pub fn survey(system: &System, limits: &Limits) -> Result<Survey, String> {
    let (catalogue, values) = catalogue(system, limits.cycles)?;
    let found = cycles::dependencies(&catalogue, &values, &Strategy::ALL);
    let mut wrong = cycles::inclusions_broken(&catalogue, &found);
    let tries = try_all(system, &catalogue, &found, Capacities::Declared, limits.states);
    wrong.extend(tries.refuted);
    let by_cycles = |question: cycles::Question| {
        let until = Instant::now() + limits.time;
        let is_over = || Instant::now() > until;
        let route = cycles::check(&catalogue, &values, question, CheckLimits::default(), &is_over);
        route.verdict == CycleVerdict::Holds
    };
    let is_bounded = by_cycles(cycles::Question::Boundedness);
    let has_progress = by_cycles(cycles::Question::Livelock);
    let asks = |holds: bool| holds || !limits.only_what_holds;
    let options = CheckOptions {
        questions: Questions { buffers: asks(is_bounded), progress: asks(has_progress), ..Questions::none() },
        time: Some(limits.time),
        ..CheckOptions::default()
    };
    let report = verify::check(system, &options, &Supervisor::none());
    let mut compare = |question: Question, by_cycles: bool| {
        let comparison = Comparison { by_cycles, portfolio: portfolio(report.answer(&question)) };
        if comparison.by_cycles && comparison.portfolio == Portfolio::Violated {
            wrong.push(format!("{question} holds by cycles, and the portfolio shows a run that breaks it"));
        }
        comparison
    };
    let buffers = compare(Question::Buffers, is_bounded);
    let progress = compare(Question::Progress, has_progress);
    if is_bounded || has_progress {
        for capacities in [Capacities::Unbounded, Capacities::Declared] {
            let explored = Explored::new(system, capacities, limits.states);
            if has_progress && explored.has_loop_without_progress(system, ProgressReading::Transition) {
                wrong.push(format!(
                    "there is progress by cycles, and states with {capacities:?} have a loop without"
                ));
            }
            if is_bounded {
                wrong.extend(too_small(&catalogue, &explored));
            }
        }
    }
    Ok(Survey {
        sizes: (catalogue.cycles.len(), catalogue.effect_vectors(), catalogue.message_types.len()),
        counts: DependencyCounts::of(&found),
        buffers,
        progress,
        tried: tries.tried,
        wrong,
    })
}

/// Estimates that a state exceeds: a sentence each.
fn too_small(catalogue: &Catalogue, explored: &Explored) -> Vec<String> {
    let estimates = cycles::estimates(catalogue).unwrap_or_default();
    let exceeded = estimates.iter().filter_map(|estimate| {
        let (held, at_most) = (*explored.occupancy.get(&estimate.buffer)?, estimate.at_most?);
        (held > at_most).then(|| format!("{} is estimated at {at_most} and holds {held}", estimate.buffer))
    });
    exceeded.collect()
}

/// How many dependencies were tried, and those that a run refutes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tries {
    /// Dependencies.
    pub tried: usize,
    /// A sentence each.
    pub refuted: Vec<String>,
}

/// Tries every dependency of a model on its first states. The error says why there are none.
pub fn try_dependencies(system: &System, capacities: Capacities, states: usize) -> Result<Tries, String> {
    let (catalogue, values) = catalogue(system, 500)?;
    let found = cycles::dependencies(&catalogue, &values, &Strategy::ALL);
    Ok(try_all(system, &catalogue, &found, capacities, states))
}

/// How one of the first states' runs refutes a dependency, if one does.
pub fn refute(
    system: &System,
    catalogue: &Catalogue,
    dependency: &Dependency,
    states: usize,
) -> Option<String> {
    Moves::new(&Explored::new(system, Capacities::Declared, states)).refute(catalogue, dependency)
}

fn catalogue(system: &System, most: usize) -> Result<(Catalogue, WorldValues), String> {
    let progress = ProgressStatements::new(system, &ProgressAt::Labels);
    let limits = CycleLimits { cycles: most, ..CycleLimits::default() };
    let found = Catalogue::new(system, &progress, limits).map_err(|error| error.in_words(system))?;
    match found.0.completeness {
        Completeness::TooManyCycles(limit) => Err(format!("more than {limit} cycles")),
        Completeness::All | Completeness::TooManyEffects(_) => Ok(found),
    }
}

fn portfolio(answer: Option<&Answer>) -> Portfolio {
    match answer.map(|a| &a.verdict) {
        None => Portfolio::NotAsked,
        Some(Verdict::Proved(Evidence::Certificate(_))) => Portfolio::Certificate,
        Some(Verdict::Proved(_)) => Portfolio::Searched,
        Some(Verdict::Violated(_)) => Portfolio::Violated,
        Some(Verdict::Unknown(_)) => Portfolio::Unknown,
    }
}

fn try_all(
    system: &System,
    catalogue: &Catalogue,
    found: &[Dependency],
    capacities: Capacities,
    states: usize,
) -> Tries {
    let mut tries = Tries::default();
    if found.is_empty() {
        return tries;
    }
    let moves = Moves::new(&Explored::new(system, capacities, states));
    let mut seen: Vec<&Dependency> = Vec::new();
    for dependency in found {
        let same = |d: &&Dependency| {
            (d.cycle, &d.on, d.rounds) == (dependency.cycle, &dependency.on, dependency.rounds)
        };
        if seen.iter().any(same) || !can_be_told(system, catalogue, dependency.cycle) {
            continue;
        }
        seen.push(dependency);
        tries.tried += 1;
        if let Some(how) = moves.refute(catalogue, dependency) {
            tries.refuted.push(format!("{how}: {}", dependency.in_words(catalogue)));
        }
    }
    tries
}

/// A step tells of which automaton it is, not which arguments its process was started with, nor which way it took inside a `d_step`.
fn can_be_told(system: &System, catalogue: &Catalogue, id: CycleId) -> bool {
    let cycle = catalogue.cycle(id);
    let automaton = catalogue.processes[cycle.process].automaton;
    let same = catalogue.processes.iter().filter(|p| p.automaton == automaton).count();
    let d_step = cycle.arcs.iter().any(|&a| {
        let edge = catalogue.arc(cycle.process, a).edge;
        matches!(system.automaton(automaton).edge(edge).action, Action::DStep(_))
    });
    let replicated = cycle.arcs.iter().any(|&a| catalogue.arc(cycle.process, a).replication);
    same == 1 && !d_step && !replicated
}

/// A statement: its automaton and its edge.
type Statement = (u32, u32);

/// Which process executes which statement.
type Side = (u32, Statement);

/// The steps of the state graph, with who executes what in each.
struct Moves {
    states: usize,
    moves: Vec<(usize, usize, Vec<Side>)>,
}

impl Moves {
    fn new(explored: &Explored) -> Moves {
        let states = explored.states.len();
        let mut moves = Vec::new();
        for (from, steps) in explored.edges.iter().enumerate().take(states) {
            for (step, to) in steps.iter().filter(|(_, to)| *to < states) {
                moves.push((from, *to, sides(&explored.states[from], step)));
            }
        }
        Moves { states, moves }
    }

    /// How a run refutes the dependency, if one does.
    fn refute(&self, catalogue: &Catalogue, dependency: &Dependency) -> Option<String> {
        let cycle = catalogue.cycle(dependency.cycle);
        let automaton = catalogue.processes[cycle.process].automaton.0;
        let statement = |process: usize, arc| -> Statement {
            (catalogue.processes[process].automaton.0, catalogue.arc(process, arc).edge.0)
        };
        let own: BTreeSet<Statement> = cycle.arcs.iter().map(|&a| statement(cycle.process, a)).collect();
        // A cycle of S is not repeated if one of its statements is not: the one that fewest other cycles share.
        let mut used: BTreeMap<Statement, usize> = BTreeMap::new();
        for (_, other) in catalogue.cycle_ids() {
            for statement in other.arcs.iter().map(|&a| statement(other.process, a)) {
                *used.entry(statement).or_default() += 1;
            }
        }
        let omitted: BTreeSet<Statement> = dependency
            .on
            .iter()
            .filter_map(|&on| {
                let on = catalogue.cycle(on);
                on.arcs.iter().map(|&a| statement(on.process, a)).min_by_key(|s| used[s])
            })
            .collect();
        let condition = match (&dependency.cause, dependency.rounds) {
            (Cause::Neighbours { condition } | Cause::Condition { condition, .. }, Some(_)) => {
                Some(statement(cycle.process, *condition))
            }
            _ => None,
        };
        let pids: BTreeSet<u32> = self
            .moves
            .iter()
            .flat_map(|(_, _, sides)| sides)
            .filter(|(_, statement)| statement.0 == automaton)
            .map(|(pid, _)| *pid)
            .collect();
        pids.into_iter().find_map(|pid| {
            let allowed = |sides: &[Side]| {
                sides.iter().all(|(who, statement)| {
                    if *who == pid { own.contains(statement) } else { !omitted.contains(statement) }
                })
            };
            let own_step = |sides: &[Side]| sides.iter().any(|(who, _)| *who == pid);
            let kept = self.kept(&allowed);
            let parts = parts(&kept);
            let of = |node: NodeIndex| parts[node.index()];
            let again = kept.edge_indices().find(|&e| {
                let (from, to) = kept.edge_endpoints(e).expect("the edge exists");
                of(from) == of(to) && own_step(&self.moves[kept[e]].2)
            });
            if again.is_some() {
                return Some(format!("process {pid} goes on alone"));
            }
            let (condition, rounds) = (condition?, dependency.rounds?);
            let counts = |at: usize| self.moves[at].2.contains(&(pid, condition));
            let most = longest(&kept, &parts, &counts);
            (most > rounds).then(|| format!("process {pid} goes round {most} times"))
        })
    }

    fn kept(&self, allowed: &dyn Fn(&[Side]) -> bool) -> DiGraph<(), usize> {
        let mut graph = DiGraph::with_capacity(self.states, self.moves.len());
        (0..self.states).for_each(|_| {
            graph.add_node(());
        });
        for (index, (from, to, sides)) in self.moves.iter().enumerate() {
            if allowed(sides) {
                graph.add_edge(NodeIndex::new(*from), NodeIndex::new(*to), index);
            }
        }
        graph
    }
}

fn sides(state: &State, step: &Step) -> Vec<Side> {
    let side = |pid: u32, edge: u32| (pid, (state.processes[pid as usize].automaton.0, edge));
    let partner = step.partner.map(|p| side(p.process.0, p.edge.0));
    std::iter::once(side(step.process.0, step.edge.0)).chain(partner).collect()
}

/// The strongly connected part of each node; a part has a smaller number than those that lead to it.
fn parts(graph: &DiGraph<(), usize>) -> Vec<usize> {
    let mut part = vec![0; graph.node_count()];
    for (number, members) in petgraph::algo::tarjan_scc(graph).into_iter().enumerate() {
        members.into_iter().for_each(|n| part[n.index()] = number);
    }
    part
}

/// The most counted steps on any way; none of them lies within a part.
fn longest(graph: &DiGraph<(), usize>, parts: &[usize], counts: &dyn Fn(usize) -> bool) -> u64 {
    let mut by_part: Vec<Vec<(usize, u64)>> = vec![Vec::new(); parts.iter().max().map_or(0, |m| m + 1)];
    for edge in graph.edge_indices() {
        let (from, to) = graph.edge_endpoints(edge).expect("the edge exists");
        let (from, to) = (parts[from.index()], parts[to.index()]);
        if from != to {
            by_part[from].push((to, u64::from(counts(graph[edge]))));
        }
    }
    let mut most: Vec<u64> = Vec::with_capacity(by_part.len());
    for leaving in by_part {
        let best = leaving.into_iter().map(|(to, weight)| most[to] + weight).max().unwrap_or(0);
        most.push(best);
    }
    most.into_iter().max().unwrap_or(0)
}
