//! Potentials as tables, and by how much a transition changes them. All sums are big integers: nothing wraps.

use super::super::refusal::Refusal;
use super::super::rule::Rule;
use super::super::transition::Transition;
use super::Prover;
use crate::claims::{ClassId, GroupId, NodeId, NumberId, ObjectId, TrackerId};
use crate::potential::{Component, Potential};
use num_bigint::BigInt;
use std::collections::HashMap;

/// A potential for looking things up.
pub struct Weights {
    /// Of messages.
    pub messages: HashMap<(ObjectId, ClassId), i64>,
    /// Of nodes of groups.
    pub nodes: HashMap<(GroupId, NodeId), i64>,
    /// Of nodes of trackers.
    pub trackers: HashMap<(TrackerId, NodeId), i64>,
    /// Of numbers.
    pub numbers: HashMap<NumberId, i64>,
}

impl Weights {
    /// What a message of the class weighs.
    pub fn of_message(&self, object: ObjectId, class: ClassId) -> i64 {
        self.messages.get(&(object, class)).copied().unwrap_or(0)
    }

    /// What a process in the node weighs.
    pub fn of_node(&self, group: GroupId, node: NodeId) -> i64 {
        self.nodes.get(&(group, node)).copied().unwrap_or(0)
    }

    /// What a component in the node weighs.
    pub fn of(&self, component: Component, node: NodeId) -> i64 {
        match component {
            Component::Group(group) => self.of_node(group, node),
            Component::Tracker(tracker) => self.trackers.get(&(tracker, node)).copied().unwrap_or(0),
        }
    }

    /// The most by which the transition changes the potential; `None` if there is no most.
    pub fn change(&self, transition: &Transition) -> Option<BigInt> {
        let mut change = BigInt::ZERO;
        for step in &transition.moves {
            change += self.of(step.component, step.to);
            change -= self.of(step.component, step.from);
        }
        for step in &transition.many {
            if self.of(step.component, step.to) > self.of(step.component, step.from) {
                return None;
            }
        }
        if let Some(message) = transition.message {
            let weight = self.of_message(message.object, message.class);
            match message.change > 0 {
                true => change += weight,
                false => change -= weight,
            }
        }
        if let Some((group, node)) = transition.start {
            change += self.of_node(group, node);
        }
        if let Some((group, node)) = transition.end {
            change -= self.of_node(group, node);
        }
        for step in transition.numbers.iter().filter(|_| !self.numbers.is_empty()) {
            let weight = BigInt::from(self.numbers.get(&step.number).copied().unwrap_or(0));
            let by = step.by();
            change += (&weight * by.low).max(weight * by.high);
        }
        Some(change)
    }
}

impl Prover<'_, '_> {
    /// R3 and R27: the potential as tables, if it is in its one form and speaks of buffers and nodes that exist.
    pub(super) fn weights(&self, label: &str, potential: &Potential) -> Result<Weights, Refusal> {
        let claims = self.explorer.claims;
        let messages: Vec<_> = potential.messages.iter().map(|m| (m.object, m.class)).collect();
        let nodes: Vec<_> = potential.nodes.iter().map(|n| (n.group, n.node)).collect();
        let trackers: Vec<_> = potential.trackers.iter().map(|t| (t.tracker, t.node)).collect();
        let numbers: Vec<_> = potential.numbers.iter().map(|n| n.number).collect();
        let sorted = messages.windows(2).all(|pair| pair[0] < pair[1])
            && nodes.windows(2).all(|pair| pair[0] < pair[1])
            && trackers.windows(2).all(|pair| pair[0] < pair[1])
            && numbers.windows(2).all(|pair| pair[0] < pair[1]);
        let zero = potential.messages.iter().any(|m| m.weight == 0)
            || potential.nodes.iter().any(|n| n.weight == 0)
            || potential.trackers.iter().any(|t| t.weight == 0)
            || potential.numbers.iter().any(|n| n.weight == 0);
        let exist = messages.iter().all(|(object, class)| {
            claims.objects.get(object.index()).is_some_and(|object| class.index() < object.classes.len())
        }) && nodes.iter().all(|(group, node)| {
            claims.groups.get(group.index()).is_some_and(|group| node.index() < group.nodes.len())
        }) && trackers
            .iter()
            .all(|(tracker, node)| self.tracker_nodes(*tracker).is_some_and(|nodes| node.index() < nodes))
            && numbers.iter().all(|number| number.index() < claims.numbers.len());
        Rule::Exists.demand(sorted && !zero && exist, || {
            format!("{label}: weights are not sorted, or weigh nothing, or weigh what does not exist")
        })?;
        let buffers = messages.iter().all(|(object, _)| !self.explorer.is_rendezvous(*object));
        Rule::IsBuffer
            .demand(buffers, || format!("{label}: messages of a rendezvous channel have a weight"))?;
        Ok(Weights {
            messages: messages.into_iter().zip(potential.messages.iter().map(|m| m.weight)).collect(),
            nodes: nodes.into_iter().zip(potential.nodes.iter().map(|n| n.weight)).collect(),
            trackers: trackers.into_iter().zip(potential.trackers.iter().map(|t| t.weight)).collect(),
            numbers: potential.numbers.iter().map(|n| (n.number, n.weight)).collect(),
        })
    }

    /// What the potential is at the start, at the most. R45: however many processes there are of which there may be any number.
    pub(super) fn initial_value(&self, label: &str, weights: &Weights) -> Result<BigInt, Refusal> {
        let mut value = BigInt::ZERO;
        for (group, nodes) in &self.initial.processes {
            let own = nodes.iter().map(|&node| weights.of_node(*group, node)).max().unwrap_or(0);
            Rule::AnyNumber.demand(own <= 0 || !self.initial.more.contains(group), || {
                format!("{label}: processes of which there may be any number weigh {own} each at the start")
            })?;
            value += own;
        }
        for (tracker, &node) in (0..).map(TrackerId).zip(&self.initial.trackers) {
            value += weights.of(Component::Tracker(tracker), node);
        }
        for (number, &at_first) in (0..).map(NumberId).zip(&self.initial.numbers) {
            value += BigInt::from(weights.numbers.get(&number).copied().unwrap_or(0)) * at_first;
        }
        Ok(value)
    }

    /// R28 for numbers: what is missing to 0 where they weigh the least, while a process stands in the node (or at all times).
    pub(super) fn slack_of_numbers(&self, weights: &Weights, at: Option<(GroupId, NodeId)>) -> BigInt {
        let mut slack = BigInt::ZERO;
        for (number, weight) in &weights.numbers {
            let range = self.explorer.claims.numbers[number.index()].range_at(at);
            let weight = BigInt::from(*weight);
            slack -= (&weight * range.low).min(weight * range.high);
        }
        slack
    }

    /// R46: that no number has a weight, where they are not spoken of.
    pub(super) fn weighs_no_number(&self, label: &str, weights: &Weights) -> Result<(), Refusal> {
        Rule::NumberForm.demand(weights.numbers.is_empty(), || {
            format!("{label}: a number has a weight in such a potential")
        })
    }
}
