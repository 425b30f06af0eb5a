//! From a component to a run: the way to it, and a closed walk inside that is accepting and fair.

use super::decide::Component;
use super::product::{Explored, Product};
use super::space::{Space, StateNumber};
use omega::fairness::fair_accepting_cycle;
use omega::{Automaton, FairEdge, FairGraph, Fairness, NodeId, ProcessSet};
use system::interpreter::Step;

/// One move of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hop {
    /// From.
    pub from: StateNumber,
    /// To.
    pub to: StateNumber,
    /// Who acts: nobody if the run has ended and stutters.
    pub actors: ProcessSet,
}

/// A run that goes round for ever, or a finite one that decides whatever follows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// Up to the loop.
    pub prefix: Vec<Hop>,
    /// The loop; empty if there is none.
    pub cycle: Vec<Hop>,
}

/// Steps of named processes, and with which of them the loop begins if there is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Execution {
    /// From the initial state on.
    pub steps: Vec<Step>,
    /// As [`certificate::trace::Trace::loop_start`].
    pub loop_start: Option<usize>,
}

/// A space whose runs can be turned into executions of the model.
pub trait Executable: Space {
    /// The execution, if there is one.
    fn execution(&mut self, run: &Run, fairness: Fairness) -> Option<Execution>;

    /// What a run is that has none, in words; without such runs a missing execution is a defect.
    fn without_execution(&self) -> Option<&'static str> {
        None
    }
}

/// A run through a component that was found.
pub fn run_through<S: Space>(
    product: &Product<'_>,
    explored: &Explored<S>,
    automaton: &Automaton,
    component: &Component,
    fairness: Fairness,
) -> Option<Run> {
    // The node that is nearest comes first: the walk begins there.
    let is_inside = |node: u32| component.nodes.binary_search(&node).is_ok();
    let way = product.way_to(is_inside)?;
    let entry = component.nodes.binary_search(way.last()?).ok()?;
    let mut nodes = component.nodes.clone();
    nodes.swap(0, entry);
    let place = |node: u32| {
        let position = component.nodes.binary_search(&node).ok()?;
        Some(if position == entry {
            0
        } else if position == 0 {
            entry
        } else {
            position
        })
    };
    let mut edges = Vec::new();
    for (position, &node) in nodes.iter().enumerate() {
        for edge in product.edges(node) {
            if let Some(target) = place(edge.target) {
                edges.push(FairEdge {
                    source: NodeId(position as u32),
                    target: NodeId(target as u32),
                    actors: explored.sets().get(edge.actors).clone(),
                    marks: product.marks().get(edge.marks).clone(),
                });
            }
        }
    }
    let sets = nodes.iter().map(|&node| explored.enabled(product.node(node).0)).collect();
    let graph = FairGraph::new(sets, edges).ok()?;
    let all: Vec<NodeId> = (0..nodes.len() as u32).map(NodeId).collect();
    let cycle = fair_accepting_cycle(&graph, &all, &automaton.all_marks(), fairness)
        .into_iter()
        .map(|index| {
            let edge = &graph.edges()[index];
            Hop {
                from: product.node(nodes[edge.source.0 as usize]).0,
                to: product.node(nodes[edge.target.0 as usize]).0,
                actors: edge.actors.clone(),
            }
        })
        .collect();
    Some(Run { prefix: hops(product, explored, &way)?, cycle })
}

/// The finite run to a node.
pub fn run_to<S: Space>(product: &Product<'_>, explored: &Explored<S>, node: u32) -> Option<Run> {
    let way = product.way_to(|other| other == node)?;
    Some(Run { prefix: hops(product, explored, &way)?, cycle: Vec::new() })
}

fn hops<S: Space>(product: &Product<'_>, explored: &Explored<S>, way: &[u32]) -> Option<Vec<Hop>> {
    let pairs = way.windows(2);
    pairs
        .map(|pair| {
            let edge = product.edges(pair[0]).iter().find(|edge| edge.target == pair[1])?;
            Some(Hop {
                from: product.node(pair[0]).0,
                to: product.node(pair[1]).0,
                actors: explored.sets().get(edge.actors).clone(),
            })
        })
        .collect()
}
