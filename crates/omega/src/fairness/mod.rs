//! Fair accepting runs of explicit graphs.
//!
//! A node says which processes are enabled there, an edge which processes act and which acceptance sets it belongs to.
//! An infinite path is *weakly fair* if every process that is enabled from some moment on acts again and again, and
//! *strongly fair* if every process that is enabled again and again acts again and again (Sun, Liu, Roychoudhury, Liu,
//! Dong, "Fair model checking with process counter abstraction", section 2).
//!
//! Everything is decided on strongly connected components, because the nodes and edges that a path visits again and
//! again form one. For weak fairness and acceptance the largest components decide: a process that is enabled
//! everywhere and acts nowhere in a component does so in all its parts. For strong fairness a process that is enabled
//! somewhere and acts nowhere forbids the nodes where it is enabled, and what is left is searched again.
//!
//! Runs that end stutter in their last state: [`FairGraph::with_stuttering`] adds the loops. No process is enabled there and
//! none acts, so they are fair, and a property that only a finished run violates is not missed.
//!
//! [`reference`](mod@reference) decides the same by trying every set of edges, to test this module and its users.

use std::collections::VecDeque;

use crate::component::strongly_connected_components;
use crate::index::{MarkSet, NodeId, ProcessSet, TypedIndex};

pub mod reference;

/// Which infinite runs count.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Fairness {
    /// All of them.
    #[default]
    None,
    /// Those in which every process that stays enabled acts again and again.
    Weak,
    /// Those in which every process that is enabled again and again acts again and again.
    Strong,
}

/// One step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FairEdge {
    /// Where it starts.
    pub source: NodeId,
    /// Where it leads.
    pub target: NodeId,
    /// Who acts: nobody, one process, or both sides of a rendezvous.
    pub actors: ProcessSet,
    /// The acceptance sets that the step belongs to.
    pub marks: MarkSet,
}

/// A graph (often one strongly connected component of a larger one) whose runs are asked about.
///
/// Invariant: the ends of every edge are nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FairGraph {
    enabled: Vec<ProcessSet>,
    edges: Vec<FairEdge>,
    /// `outgoing[starts[n] .. starts[n + 1]]` are the indices of the edges that leave node `n`.
    starts: Vec<u32>,
    outgoing: Vec<u32>,
}

/// A run that repeats itself, as indices into [`FairGraph::edges`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FairLasso {
    /// From the start to the first node of the cycle.
    pub prefix: Vec<usize>,
    /// The closed walk; not empty.
    pub cycle: Vec<usize>,
}

/// An edge with an end that is not a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DanglingEdge(pub usize);

impl std::fmt::Display for DanglingEdge {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "edge {} has an end that is not a node", self.0)
    }
}

impl std::error::Error for DanglingEdge {}

impl FairGraph {
    /// The graph with these nodes, each given by the processes enabled there, and edges.
    pub fn new(enabled: Vec<ProcessSet>, edges: Vec<FairEdge>) -> Result<FairGraph, DanglingEdge> {
        let count = enabled.len();
        if let Some(index) =
            edges.iter().position(|edge| edge.source.position() >= count || edge.target.position() >= count)
        {
            return Err(DanglingEdge(index));
        }
        let mut starts = vec![0u32; count + 1];
        for edge in &edges {
            starts[edge.source.position() + 1] += 1;
        }
        for node in 0..count {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut outgoing = vec![0; edges.len()];
        for (index, edge) in edges.iter().enumerate() {
            let slot = &mut next[edge.source.position()];
            outgoing[*slot as usize] = index as u32;
            *slot += 1;
        }
        Ok(FairGraph { enabled, edges, starts, outgoing })
    }

    /// The same graph in which nodes without a successor have a loop on which nobody acts, in all of `marks`.
    pub fn with_stuttering(mut self, marks: &MarkSet) -> FairGraph {
        for node in 0..self.enabled.len() {
            if self.starts[node] == self.starts[node + 1] {
                let end = NodeId::from_position(node);
                self.enabled[node] = ProcessSet::new();
                self.edges.push(FairEdge {
                    source: end,
                    target: end,
                    actors: ProcessSet::new(),
                    marks: marks.clone(),
                });
            }
        }
        FairGraph::new(self.enabled, self.edges).expect("the ends of the loops are nodes")
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.enabled.len()
    }

    /// The edges, in the order in which they were given.
    pub fn edges(&self) -> &[FairEdge] {
        &self.edges
    }

    /// The processes enabled at a node.
    pub fn enabled(&self, node: NodeId) -> &ProcessSet {
        &self.enabled[node.position()]
    }

    /// The indices of the edges that leave a node.
    pub fn outgoing(&self, node: NodeId) -> impl Iterator<Item = usize> + '_ {
        let (start, end) = (self.starts[node.position()], self.starts[node.position() + 1]);
        self.outgoing[start as usize..end as usize].iter().map(|&index| index as usize)
    }
}

/// The nodes (in ascending order) of a strongly connected part of the graph in which visiting everything again and
/// again is accepting (an edge of each set of `required` is taken) and fair; nothing if no run of the graph is both.
///
/// All nodes of the graph count as reachable. Meant to be called with one strongly connected component of a search;
/// a graph of several components is as good.
pub fn fair_accepting_subcomponent(
    graph: &FairGraph,
    required: &MarkSet,
    fairness: Fairness,
) -> Option<Vec<NodeId>> {
    let everything: Vec<NodeId> = (0..graph.node_count()).map(NodeId::from_position).collect();
    search_within(graph, everything, required, fairness)
}

/// A closed walk inside the part of the graph that [`fair_accepting_subcomponent`] found, starting and ending at its
/// first node, that is itself accepting and fair when repeated for ever. As indices of edges.
pub fn fair_accepting_cycle(
    graph: &FairGraph,
    component: &[NodeId],
    required: &MarkSet,
    fairness: Fairness,
) -> Vec<usize> {
    let inside = |node: NodeId| component.binary_search(&node).is_ok();
    let inner: Vec<usize> = component
        .iter()
        .flat_map(|&node| graph.outgoing(node))
        .filter(|&index| inside(graph.edges[index].target))
        .collect();
    let mut missing_marks = required.clone();
    let mut missing_actors = ProcessSet::new();
    // Every process that acts in the component at all shall act in the walk: then the walk is fair to it whatever
    // else it visits. The others are never enabled here (strong), or not everywhere (weak).
    if fairness != Fairness::None {
        for &index in &inner {
            missing_actors.union_with(&graph.edges[index].actors);
        }
    }
    let mut missing_pauses = ProcessSet::new();
    if fairness == Fairness::Weak {
        for &node in component {
            missing_pauses.union_with(graph.enabled(node));
        }
        missing_pauses.subtract(&missing_actors);
    }
    let start = component[0];
    let mut current = start;
    let mut walk = Vec::new();
    let pause_at = |node: NodeId, missing: &mut ProcessSet| missing.intersect_with(graph.enabled(node));
    pause_at(start, &mut missing_pauses);
    loop {
        let complete = missing_marks.is_empty() && missing_actors.is_empty() && missing_pauses.is_empty();
        if complete && current == start && !walk.is_empty() {
            return walk;
        }
        let helps = |index: usize| {
            let edge = &graph.edges[index];
            if complete {
                return edge.target == start;
            }
            edge.marks.intersects(&missing_marks)
                || edge.actors.intersects(&missing_actors)
                || !missing_pauses.is_subset(graph.enabled(edge.target))
        };
        let steps = nearest(graph, current, inside, helps).expect(
            "in a strongly connected part every edge can be reached, and every wish is met by some edge",
        );
        for index in steps {
            let edge = &graph.edges[index];
            missing_marks.subtract(&edge.marks);
            missing_actors.subtract(&edge.actors);
            pause_at(edge.target, &mut missing_pauses);
            current = edge.target;
            walk.push(index);
        }
    }
}

/// An accepting and fair run from `initial`, or nothing if there is none.
pub fn find_fair_lasso(
    graph: &FairGraph,
    initial: NodeId,
    required: &MarkSet,
    fairness: Fairness,
) -> Option<FairLasso> {
    let mut seen = vec![false; graph.node_count()];
    *seen.get_mut(initial.position())? = true;
    let mut reachable = vec![initial];
    let mut next = 0;
    while next < reachable.len() {
        for index in graph.outgoing(reachable[next]) {
            let target = graph.edges[index].target;
            if !std::mem::replace(&mut seen[target.position()], true) {
                reachable.push(target);
            }
        }
        next += 1;
    }
    reachable.sort();
    let component = search_within(graph, reachable, required, fairness)?;
    let entry = component[0];
    let prefix = if entry == initial {
        Vec::new()
    } else {
        nearest(graph, initial, |_| true, |index| graph.edges[index].target == entry)
            .expect("only reachable nodes were searched")
    };
    Some(FairLasso { prefix, cycle: fair_accepting_cycle(graph, &component, required, fairness) })
}

/// Whether repeating the cycle for ever is a run that is accepting and fair. Decided from the definitions alone, so
/// that it can check what the search found.
pub fn is_fair_accepting_cycle(
    graph: &FairGraph,
    cycle: &[usize],
    required: &MarkSet,
    fairness: Fairness,
) -> bool {
    let Some(edges) = cycle.iter().map(|&index| graph.edges.get(index)).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let closed = (0..edges.len()).all(|at| edges[at].target == edges[(at + 1) % edges.len()].source);
    !edges.is_empty() && closed && is_fair_and_accepting(graph, &edges, required, fairness)
}

/// Whether a path that takes exactly these edges again and again is accepting and fair.
fn is_fair_and_accepting(
    graph: &FairGraph,
    edges: &[&FairEdge],
    required: &MarkSet,
    fairness: Fairness,
) -> bool {
    let mut marks = MarkSet::new();
    let mut acted = ProcessSet::new();
    let mut enabled_somewhere = ProcessSet::new();
    let mut enabled_everywhere: Option<ProcessSet> = None;
    for edge in edges {
        marks.union_with(&edge.marks);
        acted.union_with(&edge.actors);
        let enabled = graph.enabled(edge.source);
        enabled_somewhere.union_with(enabled);
        match &mut enabled_everywhere {
            Some(set) => set.intersect_with(enabled),
            None => enabled_everywhere = Some(enabled.clone()),
        }
    }
    required.is_subset(&marks)
        && match fairness {
            Fairness::None => true,
            Fairness::Weak => enabled_everywhere.unwrap_or_default().is_subset(&acted),
            Fairness::Strong => enabled_somewhere.is_subset(&acted),
        }
}

fn search_within(
    graph: &FairGraph,
    nodes: Vec<NodeId>,
    required: &MarkSet,
    fairness: Fairness,
) -> Option<Vec<NodeId>> {
    // The position of a node in the part under examination.
    const OUTSIDE: u32 = u32::MAX;
    let mut local = vec![OUTSIDE; graph.node_count()];
    let mut pending = vec![nodes];
    while let Some(part) = pending.pop() {
        for (position, node) in part.iter().enumerate() {
            local[node.position()] = position as u32;
        }
        let components = strongly_connected_components(part.len(), |node, successors| {
            for index in graph.outgoing(part[node.position()]) {
                let target = local[graph.edges[index].target.position()];
                if target != OUTSIDE {
                    successors.push(NodeId(target));
                }
            }
        });
        for node in &part {
            local[node.position()] = OUTSIDE;
        }
        for component in components {
            let members: Vec<NodeId> = component.iter().map(|node| part[node.position()]).collect();
            for node in &members {
                local[node.position()] = 0;
            }
            let edges: Vec<&FairEdge> = members
                .iter()
                .flat_map(|&node| graph.outgoing(node))
                .map(|index| &graph.edges[index])
                .filter(|edge| local[edge.target.position()] != OUTSIDE)
                .collect();
            for node in &members {
                local[node.position()] = OUTSIDE;
            }
            if edges.is_empty() {
                continue;
            }
            if is_fair_and_accepting(graph, &edges, required, fairness) {
                return Some(members);
            }
            if fairness != Fairness::Strong {
                continue;
            }
            let mut acted = ProcessSet::new();
            let mut marks = MarkSet::new();
            for edge in &edges {
                acted.union_with(&edge.actors);
                marks.union_with(&edge.marks);
            }
            // Without the marks no part will do. Otherwise only starving processes are in the way.
            if required.is_subset(&marks) {
                let rest: Vec<NodeId> =
                    members.into_iter().filter(|&node| graph.enabled(node).is_subset(&acted)).collect();
                if !rest.is_empty() {
                    pending.push(rest);
                }
            }
        }
    }
    None
}

/// A shortest path from `start` through admitted nodes whose last edge is wanted; not empty.
fn nearest(
    graph: &FairGraph,
    start: NodeId,
    inside: impl Fn(NodeId) -> bool,
    wanted: impl Fn(usize) -> bool,
) -> Option<Vec<usize>> {
    let mut arrived_by: std::collections::HashMap<NodeId, Option<usize>> =
        std::collections::HashMap::from([(start, None)]);
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for index in graph.outgoing(node).filter(|&index| inside(graph.edges[index].target)) {
            if wanted(index) {
                let mut path = vec![index];
                let mut at = node;
                while let Some(before) = arrived_by[&at] {
                    path.push(before);
                    at = graph.edges[before].source;
                }
                path.reverse();
                return Some(path);
            }
            let target = graph.edges[index].target;
            if let std::collections::hash_map::Entry::Vacant(slot) = arrived_by.entry(target) {
                slot.insert(Some(index));
                queue.push_back(target);
            }
        }
    }
    None
}
