//! Fair accepting components of explicit graphs with numbered labels.
//!
//! The same question as [`omega::fairness`] answers, on the representation of a large search: sets are numbers into
//! tables, so that a component is summed up by looking at each distinct label once. Beside fairness it knows quantities that the
//! graph does not show (see [`super::space::Move::changes`]): an edge that only ever makes one smaller is not taken again and
//! again, and is left out.
//!
//! The algorithm is that of the paper on process counters (Sun et al. 2009, figures 3 and 4): weak fairness is decided on
//! maximal components; for strong fairness nodes where somebody is enabled who never acts are pruned, and the rest is
//! searched again.

use super::product::Numbered;
use omega::component::for_each_component;
use omega::{Fairness, MarkSet, NodeId, ProcessSet, TypedIndex};
use std::ops::Range;

/// A graph to decide.
pub struct Graph<'a> {
    /// For each node who is enabled there, as a number into `sets`.
    pub enabled: &'a [u32],
    /// Which of the edges leave each node.
    pub ranges: &'a [Range<usize>],
    /// The edges.
    pub edges: &'a [GraphEdge],
    /// Acceptance marks.
    pub marks: &'a Numbered<MarkSet>,
    /// Sets of processes.
    pub sets: &'a Numbered<ProcessSet>,
    /// Changes of hidden quantities.
    pub changes: &'a Numbered<Vec<(u32, bool)>>,
}

/// One edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GraphEdge {
    /// Where it leads.
    pub target: u32,
    /// The acceptance sets that it belongs to.
    pub marks: u32,
    /// Who acts.
    pub actors: u32,
    /// Which hidden quantities change.
    pub changes: u32,
}

/// A strongly connected part in which visiting everything again and again is accepting and fair: its nodes, sorted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    /// The nodes.
    pub nodes: Vec<u32>,
}

/// Such a part, if there is one.
pub fn find_component(graph: &Graph<'_>, required: &MarkSet, fairness: Fairness) -> Option<Component> {
    let count = graph.enabled.len();
    let mut search = Search {
        graph,
        required,
        fairness,
        place: vec![OUTSIDE; count],
        removed: vec![false; if graph.changes.count() > 1 { graph.edges.len() } else { 0 }],
        seen: [graph.marks.count(), graph.sets.count(), graph.sets.count(), graph.changes.count()]
            .map(|count| vec![0; count]),
        now: 0,
    };
    let mut pending: Vec<Vec<u32>> = vec![(0..count as u32).collect()];
    while let Some(part) = pending.pop() {
        for component in search.components(&part) {
            match search.judge(&component) {
                Judgement::Good => return Some(Component { nodes: component }),
                Judgement::Hopeless => {}
                Judgement::Rest(rest) => pending.push(rest),
            }
        }
    }
    None
}

const OUTSIDE: u32 = u32::MAX;

enum Judgement {
    Good,
    Hopeless,
    /// Only within these nodes, and without what was removed.
    Rest(Vec<u32>),
}

struct Search<'g> {
    graph: &'g Graph<'g>,
    required: &'g MarkSet,
    fairness: Fairness,
    /// The position of a node in the part under examination.
    place: Vec<u32>,
    /// Edges that no run takes again and again; empty if there are no hidden quantities.
    removed: Vec<bool>,
    /// When each label was last looked at: marks, actors, enabled, changes.
    seen: [Vec<u32>; 4],
    /// The number of components summed up so far.
    now: u32,
}

/// What a component has, each label once.
struct Summary {
    edges: usize,
    marks: MarkSet,
    acted: ProcessSet,
    everywhere: Option<ProcessSet>,
    somewhere: ProcessSet,
    grows: ProcessSet,
    shrinks: ProcessSet,
}

impl Search<'_> {
    /// The components of a part that have an edge inside.
    fn components(&mut self, part: &[u32]) -> Vec<Vec<u32>> {
        for (position, &node) in part.iter().enumerate() {
            self.place[node as usize] = position as u32;
        }
        let mut components = Vec::new();
        let successors = |position: NodeId, successors: &mut Vec<NodeId>| {
            for (_, target) in self.inner_edges(part[position.position()]) {
                successors.push(NodeId(self.place[target as usize]));
            }
        };
        for_each_component(part.len(), successors, |component| {
            let first = part[component[0].position()];
            if component.len() > 1 || self.inner_edges(first).any(|(_, target)| target == first) {
                components.push(component.iter().map(|position| part[position.position()]).collect());
            }
        });
        for &node in part {
            self.place[node as usize] = OUTSIDE;
        }
        components
    }

    /// The edges of a node that stay in the part under examination.
    fn inner_edges(&self, node: u32) -> impl Iterator<Item = (usize, u32)> + '_ {
        let range = self.graph.ranges[node as usize].clone();
        range.filter_map(|index| {
            let target = self.graph.edges[index].target;
            let inside = self.place.get(target as usize).is_some_and(|&place| place != OUTSIDE)
                && !self.removed.get(index).copied().unwrap_or(false);
            inside.then_some((index, target))
        })
    }

    fn judge(&mut self, nodes: &[u32]) -> Judgement {
        for &node in nodes {
            self.place[node as usize] = 0;
        }
        let judgement = self.judge_placed(nodes);
        for &node in nodes {
            self.place[node as usize] = OUTSIDE;
        }
        judgement
    }

    fn judge_placed(&mut self, nodes: &[u32]) -> Judgement {
        let summary = self.summary(nodes);
        if summary.edges == 0 || !self.required.is_subset(&summary.marks) {
            return Judgement::Hopeless;
        }
        // A quantity that only grows or only shrinks here does neither again and again.
        let mut one_sided = summary.grows.union(&summary.shrinks);
        let mut both = summary.grows.clone();
        both.intersect_with(&summary.shrinks);
        one_sided.subtract(&both);
        if !one_sided.is_empty() {
            let doomed: Vec<usize> = nodes
                .iter()
                .flat_map(|&node| self.inner_edges(node))
                .map(|(index, _)| index)
                .filter(|&index| {
                    let changes = self.graph.changes.get(self.graph.edges[index].changes);
                    changes.iter().any(|&(quantity, _)| one_sided.contains(omega::ProcessId(quantity)))
                })
                .collect();
            for index in doomed {
                self.removed[index] = true;
            }
            return Judgement::Rest(nodes.to_vec());
        }
        match self.fairness {
            Fairness::None => Judgement::Good,
            Fairness::Weak => {
                let always = summary.everywhere.unwrap_or_default();
                if always.is_subset(&summary.acted) { Judgement::Good } else { Judgement::Hopeless }
            }
            Fairness::Strong if summary.somewhere.is_subset(&summary.acted) => Judgement::Good,
            Fairness::Strong => {
                let fair = |set: u32| self.graph.sets.get(set).is_subset(&summary.acted);
                let rest: Vec<u32> =
                    nodes.iter().copied().filter(|&node| fair(self.graph.enabled[node as usize])).collect();
                if rest.is_empty() { Judgement::Hopeless } else { Judgement::Rest(rest) }
            }
        }
    }

    fn summary(&mut self, nodes: &[u32]) -> Summary {
        let graph = self.graph;
        self.now += 1;
        let now = self.now;
        let [mut seen_marks, mut seen_actors, mut seen_enabled, mut seen_changes] =
            std::mem::take(&mut self.seen);
        // Each label counts once a component.
        let fresh =
            |seen: &mut Vec<u32>, number: u32| std::mem::replace(&mut seen[number as usize], now) != now;
        let mut summary = Summary {
            edges: 0,
            marks: MarkSet::new(),
            acted: ProcessSet::new(),
            everywhere: None,
            somewhere: ProcessSet::new(),
            grows: ProcessSet::new(),
            shrinks: ProcessSet::new(),
        };
        for &node in nodes {
            let enabled = graph.enabled[node as usize];
            if fresh(&mut seen_enabled, enabled) {
                let set = graph.sets.get(enabled);
                summary.somewhere.union_with(set);
                match &mut summary.everywhere {
                    Some(everywhere) => everywhere.intersect_with(set),
                    None => summary.everywhere = Some(set.clone()),
                }
            }
            for (index, _) in self.inner_edges(node) {
                let edge = &graph.edges[index];
                summary.edges += 1;
                if fresh(&mut seen_marks, edge.marks) {
                    summary.marks.union_with(graph.marks.get(edge.marks));
                }
                if fresh(&mut seen_actors, edge.actors) {
                    summary.acted.union_with(graph.sets.get(edge.actors));
                }
                if fresh(&mut seen_changes, edge.changes) {
                    for &(quantity, larger) in graph.changes.get(edge.changes) {
                        let side = if larger { &mut summary.grows } else { &mut summary.shrinks };
                        side.insert(omega::ProcessId(quantity));
                    }
                }
            }
        }
        self.seen = [seen_marks, seen_actors, seen_enabled, seen_changes];
        summary
    }
}

#[cfg(test)]
mod tests;
