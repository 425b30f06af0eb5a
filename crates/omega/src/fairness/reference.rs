//! The slow and obvious decision, for tests.
//!
//! An infinite path in a finite graph takes some set of edges again and again; that set is strongly connected, and
//! every reachable strongly connected set of edges is taken again and again by some path. So: try all sets.

use super::{FairEdge, FairGraph, Fairness};
use crate::index::{MarkSet, NodeId, TypedIndex};

/// The most edges a graph may have here: there are 2^n sets of them.
pub const MAXIMUM_EDGES: usize = 20;

/// Whether some path from `initial` is accepting and fair; nothing if the graph has more than [`MAXIMUM_EDGES`].
pub fn has_fair_accepting_run(
    graph: &FairGraph,
    initial: NodeId,
    required: &MarkSet,
    fairness: Fairness,
) -> Option<bool> {
    let edges = graph.edges();
    if edges.len() > MAXIMUM_EDGES {
        return None;
    }
    let reachable = reachable_from(initial, edges.iter(), graph.node_count());
    let found = (1u32..1 << edges.len()).any(|set| {
        let chosen: Vec<&FairEdge> = edges
            .iter()
            .enumerate()
            .filter(|(index, _)| set >> index & 1 == 1)
            .map(|(_, edge)| edge)
            .collect();
        chosen.iter().all(|edge| reachable[edge.source.position()])
            && is_strongly_connected(&chosen, graph.node_count())
            && is_accepting(&chosen, required)
            && is_fair(graph, &chosen, fairness)
    });
    Some(found)
}

fn is_accepting(edges: &[&FairEdge], required: &MarkSet) -> bool {
    required.iter().all(|mark| edges.iter().any(|edge| edge.marks.contains(mark)))
}

fn is_fair(graph: &FairGraph, edges: &[&FairEdge], fairness: Fairness) -> bool {
    let everybody = edges.iter().flat_map(|edge| graph.enabled(edge.source).iter());
    everybody.into_iter().all(|process| {
        let acts = edges.iter().any(|edge| edge.actors.contains(process));
        let always_enabled = edges.iter().all(|edge| graph.enabled(edge.source).contains(process));
        match fairness {
            Fairness::None => true,
            Fairness::Weak => acts || !always_enabled,
            Fairness::Strong => acts,
        }
    })
}

fn is_strongly_connected(edges: &[&FairEdge], node_count: usize) -> bool {
    edges.iter().all(|from| {
        let reached = reachable_from(from.target, edges.iter().copied(), node_count);
        edges.iter().all(|to| reached[to.source.position()])
    })
}

fn reachable_from<'e>(
    start: NodeId,
    edges: impl Iterator<Item = &'e FairEdge> + Clone,
    node_count: usize,
) -> Vec<bool> {
    let mut reached = vec![false; node_count];
    reached[start.position()] = true;
    for _ in 0..node_count {
        for edge in edges.clone() {
            if reached[edge.source.position()] {
                reached[edge.target.position()] = true;
            }
        }
    }
    reached
}
