//! Potentials by longest paths, and trees of them.

use super::Composer;
use super::arcs::Arc;
use certificate::claims::{ClassId, GroupId, NodeId, ObjectId, ObjectPlace, Point, TrackerId};
use certificate::potential::{Component, MessageWeight, Next, NodeWeight, Potential, Stage, TrackerWeight};
use std::collections::{BTreeMap, HashMap};

/// What a statement adds to a potential besides its messages.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Extra {
    None,
    /// 1 for each statement that is not progress.
    NoProgress,
    /// So much for each start of a proctype.
    Start(u32, i64),
}

impl Composer<'_> {
    /// A potential in which messages have these weights and points those of the longest path; what it is at the start.
    pub(super) fn potential(
        &mut self,
        weights: &BTreeMap<(u32, u32), i64>,
        extra: Extra,
    ) -> (Potential, i64) {
        let numbers = self.number_weights();
        let mut heights: HashMap<(u32, Point), i64> = HashMap::new();
        for _ in 0..40 {
            let mut changed = false;
            for arc in &self.arcs {
                let height =
                    |automaton: u32, point: Point| heights.get(&(automaton, point)).copied().unwrap_or(0);
                let run = arc.runs.map_or(0, |callee| {
                    height(callee, Point::At(self.system.automata[callee as usize].initial.0))
                });
                let added = match extra {
                    Extra::NoProgress if !arc.progress => 1,
                    Extra::Start(callee, weight) if arc.runs == Some(callee) => weight,
                    _ => 0,
                };
                let to = arc.to.map_or(0, |to| height(arc.automaton, to));
                let moved = self.change(arc, weights) + self.numbers_change(arc, &numbers);
                let need = to + run + added + moved;
                if need > height(arc.automaton, arc.from) {
                    heights.insert((arc.automaton, arc.from), need);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        // Any number of processes weigh nothing where they begin, mostly.
        let lowers = self.random.percent(70);
        let begins = |automaton: u32| Point::At(self.system.automata[automaton as usize].initial.0);
        let lowered = |automaton: u32| match lowers && self.is_crowd(automaton) {
            true => heights.get(&(automaton, begins(automaton))).copied().unwrap_or(0),
            false => 0,
        };
        let lowered: HashMap<u32, i64> =
            self.claims.groups.iter().map(|group| (group.automaton, lowered(group.automaton))).collect();
        let noise = if self.random.percent(15) { 1 } else { 0 };
        // All nodes of a group may weigh less, as far as the transitions are concerned.
        let less = if self.random.percent(15) { 1 + self.random.below(2) as i64 } else { 0 };
        let lighter = self.random.below(self.claims.groups.len());
        let mut nodes = Vec::new();
        for (group, claimed) in (0..).map(GroupId).zip(&self.claims.groups) {
            for (node, at) in (0..).map(NodeId).zip(&claimed.nodes) {
                let mut weight = heights.get(&(claimed.automaton, at.point)).copied().unwrap_or(0)
                    - lowered[&claimed.automaton];
                if noise == 1 && self.random.percent(20) {
                    weight += self.random.below(3) as i64 - 1;
                }
                if group.index() == lighter {
                    weight -= less;
                }
                if weight != 0 {
                    nodes.push(NodeWeight { group, node, weight });
                }
            }
        }
        let messages =
            weights.iter().filter(|(_, weight)| **weight != 0).map(|(&(object, class), &weight)| {
                MessageWeight { object: ObjectId(object), class: ClassId(class), weight }
            });
        let messages: Vec<MessageWeight> = messages.collect();
        let mut trackers = Vec::new();
        for (id, tracker) in (0..).map(TrackerId).zip(&self.claims.trackers) {
            for node in (0..).map(NodeId).take(tracker.nodes.len()) {
                if self.random.percent(10) {
                    trackers.push(TrackerWeight { tracker: id, node, weight: 1 });
                }
            }
        }
        let start = self.states[0].processes.iter().map(|process| {
            let height = heights.get(&(process.automaton.0, Point::At(process.location.0))).copied();
            height.unwrap_or(0) - lowered.get(&process.automaton.0).copied().unwrap_or(0)
        });
        let initial = self.states[0];
        let members =
            (0..initial.processes.len()).filter(|&pid| self.group_of(initial, pid) == Some(lighter));
        let start = start.sum::<i64>() - less * members.count() as i64 + self.numbers_at_start(&numbers);
        (Potential { messages, nodes, trackers, numbers }, start)
    }

    fn change(&self, arc: &Arc, weights: &BTreeMap<(u32, u32), i64>) -> i64 {
        let Some((object, value, sign)) = arc.message else { return 0 };
        let fits = |class: u32, object: ObjectId| {
            let fields = &self.claims.objects[object.index()].classes[class as usize].fields;
            value.is_none_or(|value| fields.first().is_none_or(|first| first.contains(value)))
        };
        let possible = weights.iter().filter(|((of, class), _)| match object {
            Some(object) => object.0 == *of && fits(*class, object),
            None => true,
        });
        let possible = possible.map(|(_, weight)| *weight);
        match (sign, object) {
            (1, _) => possible.max().unwrap_or(0),
            (_, Some(_)) => -possible.min().unwrap_or(0),
            (_, None) => 0,
        }
    }

    pub(super) fn buffers(&self) -> Vec<u32> {
        (0..).zip(&self.claims.objects).map(|(id, _)| id).collect()
    }

    pub(super) fn weights(&mut self, question: Option<u32>) -> BTreeMap<(u32, u32), i64> {
        let mut weights = BTreeMap::new();
        for (object, claimed) in (0..).zip(&self.claims.objects) {
            let capacity = self.capacity(claimed.place);
            let base = if question.is_none_or(|of| of == object) { 1 } else { self.random.below(3) as i64 };
            for class in 0..claimed.classes.len() as u32 {
                let own = if self.random.percent(85) { base } else { self.random.below(4) as i64 - 1 };
                if capacity != Some(0) {
                    weights.insert((object, class), own);
                }
            }
        }
        weights
    }

    pub(super) fn capacity(&self, place: ObjectPlace) -> Option<u32> {
        let ObjectPlace::Global { slot } = place else { return None };
        let initial = self.states[0];
        let index = usize::try_from(initial.globals[slot as usize]).ok()?.checked_sub(1)?;
        let channel_type = initial.channels.get(index)?.channel_type;
        Some(self.system.model.channel_types[channel_type.0 as usize].capacity)
    }

    pub(super) fn stage(&mut self, extra: Extra, depth: usize) -> Stage {
        let mut weights = self.weights(None);
        if extra == Extra::NoProgress && self.random.percent(50) {
            let factor = [-4, -3, -2, -1, 0, 2][self.random.below(6)];
            weights.values_mut().for_each(|weight| *weight *= factor);
        }
        if self.random.percent(20) {
            weights.clear();
        }
        let (mut potential, _) = self.potential(&weights, extra);
        if depth == 0 || self.random.percent(70) {
            return Stage { potential, next: Next::Closed };
        }
        // A split alone says something, too.
        if self.random.percent(50) {
            potential = Potential::default();
        }
        let component = match self.claims.trackers.len() {
            count if count > 0 && self.random.percent(40) => {
                Component::Tracker(TrackerId(self.random.below(count) as u32))
            }
            _ => Component::Group(GroupId(self.random.below(self.claims.groups.len()) as u32)),
        };
        let parts = (0..self.random.below(3)).map(|_| self.stage(extra, depth - 1)).collect();
        Stage { potential, next: Next::Split { component, parts } }
    }

    /// The figure, or one beside it.
    pub(super) fn about(&mut self, figure: i64) -> u64 {
        let figure = u64::try_from(figure).unwrap_or(0);
        match self.random.below(20) {
            0 => figure.saturating_sub(1),
            1 => figure + 1,
            2 => u64::MAX,
            _ => figure,
        }
    }
}
