//! Which formulas hold: the product of all states that were seen and the automaton of the runs that violate a formula.

use super::truth::Explored;
use certificate::formula::Violations;
use certificate::verdict::Fairness;
use promela::model::{Expr, LtlFormula};
use std::collections::{BTreeSet, HashMap};
use system::automaton::System;
use system::interpreter::{Interpreter, Step};
use system::state::State;

/// A state as a formula sees it.
struct Moment {
    /// Which propositions hold; `None` if one has no value, or if the state was not looked at.
    valuation: Option<u32>,
    /// An `atomic` sequence is under way: nobody looks.
    hidden: bool,
    /// Nothing can happen, and nothing is wrong.
    ends: bool,
    /// Who can move.
    enabled: BTreeSet<u32>,
}

/// An edge of the product.
struct Edge {
    to: usize,
    accepted: u32,
    actors: BTreeSet<u32>,
}

/// States and automaton together.
pub struct Product {
    edges: Vec<Vec<Edge>>,
    /// Who can move, where somebody looks.
    enabled: Vec<Option<BTreeSet<u32>>>,
    all: u32,
}

impl Product {
    /// Of what was seen and a formula; `None` if the formula is too large.
    pub fn new(system: &System, seen: &Explored, formula: &LtlFormula) -> Option<Product> {
        let violations = Violations::of(&system.model, &formula.formula)?;
        let interpreter = Interpreter::new(system, seen.capacities);
        let moments: Vec<Moment> = seen
            .states
            .iter()
            .take(seen.edges.len())
            .map(|s| moment(&interpreter, &violations.propositions, s))
            .collect();
        let mut nodes = HashMap::from([((0usize, 0u32), 0usize)]);
        let mut open = vec![(0usize, 0u32)];
        let mut product =
            Product { edges: Vec::new(), enabled: Vec::new(), all: u32::MAX >> (32 - violations.sets) };
        while let Some(&(at, state)) = open.get(product.edges.len()) {
            let moment = &moments[at];
            let mut number = |to: usize, state: u32| {
                let fresh = nodes.len();
                *nodes.entry((to, state)).or_insert_with(|| {
                    open.push((to, state));
                    fresh
                })
            };
            let mut edges = Vec::new();
            if let Some(valuation) = moment.valuation {
                let reads = violations.edges[state as usize].iter().filter(|edge| edge.fits(valuation));
                let reads = reads.map(|edge| (edge.target, edge.accepted));
                let ways: Vec<(u32, u32)> = if moment.hidden { vec![(state, 0)] } else { reads.collect() };
                for (target, accepted) in ways {
                    for (step, to) in seen.edges[at].iter().filter(|(_, to)| *to < moments.len()) {
                        edges.push(Edge { to: number(*to, target), accepted, actors: actors(&[*step]) });
                    }
                    if moment.ends {
                        edges.push(Edge { to: number(at, target), accepted, actors: BTreeSet::new() });
                    }
                }
            }
            product.edges.push(edges);
            product.enabled.push((!moment.hidden).then(|| moment.enabled.clone()));
        }
        Some(product)
    }

    /// Of what was seen, without the steps that are progress: every run that goes on for ever is accepted.
    pub fn without_progress(
        system: &System,
        seen: &Explored,
        is_progress: impl Fn(&State, &Step) -> bool,
    ) -> Product {
        let interpreter = Interpreter::new(system, seen.capacities);
        let mut product = Product { edges: Vec::new(), enabled: Vec::new(), all: 1 };
        for (state, steps) in seen.states.iter().zip(&seen.edges) {
            let moment = moment(&interpreter, &[], state);
            let kept = steps.iter().filter(|(step, to)| *to < seen.edges.len() && !is_progress(state, step));
            let edge = |(step, to): &(Step, usize)| Edge { to: *to, accepted: 1, actors: actors(&[*step]) };
            product.edges.push(kept.map(edge).collect());
            product.enabled.push((!moment.hidden).then_some(moment.enabled));
        }
        product
    }

    /// Whether some run that is fair like this is accepted.
    pub fn accepts(&self, fairness: Fairness) -> bool {
        let mut pending: Vec<Vec<usize>> = vec![(0..self.edges.len()).collect()];
        while let Some(nodes) = pending.pop() {
            for part in self.parts(&nodes) {
                let inside = || {
                    let edges = part.iter().flat_map(|&node| &self.edges[node]);
                    edges.filter(|edge| part.contains(&edge.to))
                };
                if inside().next().is_none()
                    || inside().fold(0, |bits, edge| bits | edge.accepted) != self.all
                {
                    continue;
                }
                let acting: BTreeSet<u32> = inside().flat_map(|edge| edge.actors.iter().copied()).collect();
                let seen = || part.iter().filter_map(|&node| self.enabled[node].as_ref());
                let idle = |process: &&u32| !acting.contains(process);
                let wronged: BTreeSet<u32> = match fairness {
                    Fairness::None => BTreeSet::new(),
                    Fairness::Weak => {
                        let always = |process: &&u32| seen().all(|enabled| enabled.contains(process));
                        seen().flatten().filter(idle).filter(always).copied().collect()
                    }
                    Fairness::Strong => seen().flatten().filter(idle).copied().collect(),
                };
                if wronged.is_empty() {
                    return true;
                }
                if fairness == Fairness::Strong {
                    let wrongs = |node: &usize| {
                        self.enabled[*node].as_ref().is_some_and(|enabled| !enabled.is_disjoint(&wronged))
                    };
                    pending.push(part.iter().copied().filter(|node| !wrongs(node)).collect());
                }
            }
        }
        false
    }

    /// Strongly connected parts of some nodes (Tarjan's, with a stack of its own).
    fn parts(&self, nodes: &[usize]) -> Vec<BTreeSet<usize>> {
        let among: BTreeSet<usize> = nodes.iter().copied().collect();
        let mut index: HashMap<usize, usize> = HashMap::new();
        let mut low: HashMap<usize, usize> = HashMap::new();
        let (mut stack, mut on_stack, mut parts) = (Vec::new(), BTreeSet::new(), Vec::new());
        for &root in nodes {
            if index.contains_key(&root) {
                continue;
            }
            let mut path = vec![(root, 0)];
            while let Some((node, next)) = path.pop() {
                if next == 0 {
                    low.insert(node, index.len());
                    index.insert(node, index.len());
                    stack.push(node);
                    on_stack.insert(node);
                }
                let mut targets = self.edges[node].iter().map(|edge| edge.to).filter(|to| among.contains(to));
                match targets.nth(next) {
                    Some(to) => {
                        path.push((node, next + 1));
                        if !index.contains_key(&to) {
                            path.push((to, 0));
                        } else if on_stack.contains(&to) {
                            let least = low[&node].min(index[&to]);
                            low.insert(node, least);
                        }
                    }
                    None => {
                        if let Some((parent, _)) = path.last() {
                            let least = low[parent].min(low[&node]);
                            low.insert(*parent, least);
                        }
                        if low[&node] == index[&node] {
                            let mut part = BTreeSet::new();
                            while let Some(member) = stack.pop() {
                                on_stack.remove(&member);
                                part.insert(member);
                                if member == node {
                                    break;
                                }
                            }
                            parts.push(part);
                        }
                    }
                }
            }
        }
        parts
    }
}

fn actors(steps: &[Step]) -> BTreeSet<u32> {
    let both =
        steps.iter().flat_map(|step| [Some(step.process), step.partner.map(|partner| partner.process)]);
    both.flatten().map(|pid| pid.0).collect()
}

fn moment(interpreter: &Interpreter<'_>, propositions: &[Expr], state: &State) -> Moment {
    let mut steps = Vec::new();
    let (enabled, error) = interpreter.steps_beside_errors(state, &mut steps);
    let values = propositions.iter().map(|expr| interpreter.evaluate(state, None, expr));
    let bits = (0..).zip(values).map(|(bit, value)| value.map(|value| u32::from(value != 0) << bit));
    Moment {
        valuation: bits.sum::<Result<u32, _>>().ok(),
        hidden: state.exclusive.is_some() && !enabled.released,
        ends: steps.is_empty() && error.is_none(),
        enabled: actors(&steps),
    }
}
