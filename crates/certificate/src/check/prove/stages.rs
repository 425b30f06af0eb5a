//! Trees of stages: AllBounded, LivelockFree, FairProgress and Formula.

use super::super::refusal::Refusal;
use super::super::rule::Rule;
use super::weights::Weights;
use super::{Prover, Settled};
use crate::claims::{ClassId, ObjectId};
use crate::potential::{Component, Next, Stage};
use crate::verdict::{Capacities, Fairness};
use num_bigint::BigInt;

/// What a tree is to show.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal<'g> {
    /// No buffer grows for ever.
    Bounded,
    /// Nothing happens for ever in a run that is fair like this.
    Ends(Fairness),
    /// No run that is fair like this takes transitions of each acceptance set again and again.
    Accepts(Fairness, &'g Acceptance),
}

/// Which transitions are in which acceptance sets.
#[derive(PartialEq, Eq)]
pub(super) struct Acceptance {
    /// For each transition its sets, as bits.
    pub accepted: Vec<u32>,
    /// How many sets there are.
    pub sets: u32,
}

impl Goal<'_> {
    fn fairness(self) -> Fairness {
        match self {
            Goal::Bounded => Fairness::None,
            Goal::Ends(fairness) | Goal::Accepts(fairness, _) => fairness,
        }
    }
}

impl Prover<'_, '_> {
    /// One node of a tree, given the transitions that are still allowed and the classes that are settled.
    pub(super) fn stage(
        &self,
        label: &str,
        stage: &Stage,
        (allowed, settled): (&[u32], &Settled),
        goal: Goal<'_>,
    ) -> Result<(), Refusal> {
        self.explorer.go_on()?;
        let weights = self.weights(label, &stage.potential)?;
        self.nothing_piles_up(label, &weights, settled)?;
        let left = self.left(label, &weights, allowed)?;
        let mut settled = settled.clone();
        settled.extend(weights.messages.iter().filter(|(_, weight)| **weight > 0).map(|(class, _)| *class));
        match &stage.next {
            Next::Closed => self.nothing_left(label, &left, &settled, goal),
            Next::Split { component, parts } => {
                let choices = self.parts(label, (*component, parts.len()), &left, goal)?;
                for (allowed, stage) in choices.iter().zip(parts) {
                    self.stage(label, stage, (allowed, &settled), goal)?;
                }
                Ok(())
            }
            Next::Idle { groups, blocked } => {
                self.take_no_part(label, groups, &left, goal.fairness())?;
                self.are_never_blocked(label, groups, &left, blocked)
            }
            Next::Starved { group, parts } => {
                let choices = self.without_turns(label, (*group, parts.len()), &left, goal.fairness())?;
                for (allowed, stage) in choices.iter().zip(parts) {
                    self.stage(label, stage, (allowed, &settled), goal)?;
                }
                Ok(())
            }
        }
    }

    /// R35: a loop that leaves more of something behind must not look as if it came down.
    fn nothing_piles_up(&self, label: &str, weights: &Weights, settled: &Settled) -> Result<(), Refusal> {
        for (&(object, class), &weight) in &weights.messages {
            // What has limited room cannot pile up for ever either; but any number of channels have no limited room.
            let limited = self.capacities == Capacities::Declared && self.channels_of(object).is_some();
            let free = settled.contains(&(object, class)) || limited;
            Rule::NothingPilesUp.demand(weight >= 0 || (free && self.outlives_messages(object)), || {
                format!("{label}: a message that may be left behind has a negative weight")
            })?;
        }
        for (&(group, _), &weight) in &weights.nodes {
            let counted = self.explorer.claims.groups[group.index()].at_most.is_some();
            Rule::NothingPilesUp.demand(weight >= 0 || counted, || {
                format!("{label}: a node has a negative weight and any number of processes")
            })?;
        }
        Ok(())
    }

    /// R36: no transition that is allowed increases the potential; those that do not decrease it are left.
    fn left(&self, label: &str, weights: &Weights, allowed: &[u32]) -> Result<Vec<u32>, Refusal> {
        let mut left = Vec::new();
        for &index in allowed {
            let change = weights.change(&self.transitions.all[index as usize]);
            match change {
                Some(change) if change < BigInt::ZERO => {}
                Some(change) if change == BigInt::ZERO => left.push(index),
                change => self.grows(Rule::StageKept, label, index, change)?,
            }
        }
        Ok(left)
    }

    /// R37.
    fn nothing_left(
        &self,
        label: &str,
        left: &[u32],
        settled: &Settled,
        goal: Goal<'_>,
    ) -> Result<(), Refusal> {
        match goal {
            // Where every channel has a limit there is nothing to show.
            Goal::Bounded => {
                let declared = self.capacities == Capacities::Declared;
                Rule::NothingLeft.demand(declared || self.all_settled(settled), || {
                    format!("{label}: some messages may still pile up")
                })
            }
            Goal::Accepts(_, acceptance) => {
                let is_left = |set: u32| {
                    left.iter().any(|&index| {
                        acceptance.accepted[index as usize].checked_shr(set).unwrap_or(0) & 1 == 1
                    })
                };
                Rule::NothingLeft.demand(!(0..acceptance.sets).all(is_left), || {
                    format!("{label}: a run that violates the formula may still go on for ever")
                })
            }
            Goal::Ends(_) => match left.first() {
                None => Ok(()),
                Some(&index) => Rule::NothingLeft
                    .refuse(format!("{label}: {} may still go on for ever", self.text(index))),
            },
        }
    }

    fn all_settled(&self, settled: &Settled) -> bool {
        (0..).map(ObjectId).zip(&self.explorer.claims.objects).all(|(id, object)| {
            let mut classes = (0..).map(ClassId).take(object.classes.len());
            self.explorer.is_rendezvous(id) || classes.all(|class| settled.contains(&(id, class)))
        })
    }

    /// R38 (and R3): the transitions that are allowed while the component stays in one strongly connected part, for each part; so many are
    /// treated. The component has one token; with any number of processes somewhere, a split says nothing about what piles up.
    fn parts(
        &self,
        label: &str,
        (component, treated): (Component, usize),
        left: &[u32],
        goal: Goal<'_>,
    ) -> Result<Vec<Vec<u32>>, Refusal> {
        let claims = self.explorer.claims;
        let unlimited = claims.groups.iter().any(|group| group.at_most.is_none());
        Rule::EveryPart.demand(goal != Goal::Bounded || !unlimited, || {
            format!("{label}: a split with a group of any number of processes")
        })?;
        let (nodes, tokens) = match component {
            Component::Group(group) => {
                let group = claims.groups.get(group.index());
                (group.map(|group| group.nodes.len()), group.and_then(|group| group.at_most))
            }
            Component::Tracker(tracker) => (self.tracker_nodes(tracker), Some(1)),
        };
        Rule::Exists.demand(nodes.is_some(), || format!("{label}: what is split does not exist"))?;
        Rule::EveryPart.demand(tokens == Some(1), || {
            format!("{label}: only a group of at most one process may be split")
        })?;
        let parts = self.split(component, nodes.unwrap_or_default(), left);
        Rule::EveryPart.demand(parts.len() == treated, || {
            format!("{label}: {} parts are left, {treated} are treated", parts.len())
        })?;
        Ok(parts)
    }

    fn split(&self, component: Component, nodes: usize, left: &[u32]) -> Vec<Vec<u32>> {
        let mut edges: Vec<Vec<usize>> = vec![Vec::new(); nodes];
        let steps = |index: u32| {
            let moves = &self.transitions.all[index as usize].moves;
            moves.iter().filter(move |step| step.component == component)
        };
        for &index in left {
            for step in steps(index) {
                edges[step.from.index()].push(step.to.index());
            }
        }
        let part_of = strongly_connected(&edges);
        let inside = |index: u32, part: Option<usize>| {
            let transition = &self.transitions.all[index as usize];
            // With one token at most there is one start at most and one end: none of them again and again.
            let mut comings = transition.start.iter().chain(&transition.end);
            !comings.any(|(group, _)| Component::Group(*group) == component)
                && steps(index).all(|step| {
                    let (from, to) = (part_of[step.from.index()], part_of[step.to.index()]);
                    from == to && Some(from) == part
                })
        };
        let has_a_move = |&node: &usize| edges[node].iter().any(|&to| part_of[to] == part_of[node]);
        // Parts are named by their least node.
        let mut used: Vec<usize> = (0..nodes).filter(has_a_move).map(|node| part_of[node]).collect();
        used.sort_unstable();
        used.dedup();
        let choose = |part| left.iter().copied().filter(|&index| inside(index, part)).collect();
        match used.is_empty() {
            true => vec![choose(None)],
            false => used.into_iter().map(|part| choose(Some(part))).collect(),
        }
    }
}

/// For each node the least node of its strongly connected part: Kosaraju's algorithm, with stacks of its own.
pub(super) fn strongly_connected(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut reversed: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
    for (from, targets) in edges.iter().enumerate() {
        for &to in targets {
            reversed[to].push(from);
        }
    }
    let mut visited = vec![false; edges.len()];
    let mut finished = Vec::with_capacity(edges.len());
    for root in 0..edges.len() {
        let mut stack = vec![(root, 0)];
        if std::mem::replace(&mut visited[root], true) {
            continue;
        }
        while let Some((node, next)) = stack.pop() {
            match edges[node].get(next) {
                None => finished.push(node),
                Some(&to) => {
                    stack.push((node, next.saturating_add(1)));
                    if !std::mem::replace(&mut visited[to], true) {
                        stack.push((to, 0));
                    }
                }
            }
        }
    }
    let mut part = vec![usize::MAX; edges.len()];
    for &root in finished.iter().rev() {
        if part[root] != usize::MAX {
            continue;
        }
        let mut members = Vec::new();
        let mut stack = vec![root];
        part[root] = root;
        while let Some(node) = stack.pop() {
            members.push(node);
            for &to in &reversed[node] {
                if part[to] == usize::MAX {
                    part[to] = root;
                    stack.push(to);
                }
            }
        }
        let least = members.iter().copied().min().unwrap_or(root);
        for member in members {
            part[member] = least;
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_by_their_least_node() {
        // 0 -> 1 <-> 2, 3 alone with a loop, 2 -> 3
        let edges = vec![vec![1], vec![2], vec![1, 3], vec![3]];
        assert_eq!(strongly_connected(&edges), vec![0, 1, 1, 3]);
    }

    /// Two nodes are in one part if each can be reached from the other.
    #[test]
    fn parts_are_what_can_be_reached_both_ways() {
        let mut random = 1u64;
        let mut draw = move |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33).checked_rem(below).unwrap_or(0) as usize
        };
        for _ in 0..300 {
            let nodes = draw(7).saturating_add(1);
            let mut edges = vec![Vec::new(); nodes];
            for _ in 0..draw(14) {
                let from = draw(nodes as u64);
                edges[from].push(draw(nodes as u64));
            }
            let reached = |from: usize| {
                let mut seen = vec![from];
                let mut next = 0;
                while let Some(&node) = seen.get(next) {
                    seen.extend(
                        edges[node].iter().filter(|to| !seen.contains(to)).copied().collect::<Vec<_>>(),
                    );
                    next = next.saturating_add(1);
                }
                seen
            };
            let together = |a: usize, b: usize| reached(a).contains(&b) && reached(b).contains(&a);
            let least = |a: usize| (0..nodes).find(|&b| together(a, b));
            let expected: Vec<Option<usize>> = (0..nodes).map(least).collect();
            let found: Vec<Option<usize>> = strongly_connected(&edges).into_iter().map(Some).collect();
            assert_eq!(found, expected, "{edges:?}");
        }
    }
}
