//! Numbers: variables, sums and differences in the ranges in which they were seen, or beside them, and what they weigh.

use super::Composer;
use super::arcs::Arc;
use super::sketch::points;
use certificate::claims::{
    GroupId, KnownRange, MessageClass, Node, NodeId, Number, NumberId, NumberTerm, ObjectPlace, Point,
};
use certificate::potential::{NumberWeight, Potential};
use certificate::values::{Interval, Values};
use promela::model::{Frame, Scalar};
use system::automaton::Action;
use system::state::State;

impl Composer<'_> {
    pub(super) fn add_numbers(&mut self) {
        if self.random.percent(75) {
            self.know_nothing_else();
        }
        for _ in 0..1 + self.random.below(3) {
            let places = self.integers();
            let Some(&first) = self.random.pick(&places) else { return };
            let mut chosen = vec![first];
            if self.random.percent(35) {
                chosen.extend(self.random.pick(&places));
            }
            chosen.sort_unstable();
            chosen.dedup();
            let mut term = |(index, &place): (usize, &ObjectPlace)| NumberTerm {
                place,
                subtracted: index > 0 && self.random.percent(60),
            };
            let terms: Vec<NumberTerm> = chosen.iter().enumerate().map(&mut term).collect();
            let number = self.in_range(terms);
            self.claims.numbers.extend(number);
        }
    }

    /// Every other integer may be anything, so that nothing else is what is refused.
    fn know_nothing_else(&mut self) {
        let all = |scalar: Scalar| Values::interval(scalar.range().0, scalar.range().1);
        for (values, slot) in self.claims.globals.iter_mut().zip(&self.system.global_slots) {
            if slot.scalar != Scalar::Chan {
                *values = all(slot.scalar);
            }
        }
        for group in &mut self.claims.groups {
            let automaton = &self.system.automata[group.automaton as usize];
            for (values, slot) in group.slots.iter_mut().zip(&automaton.slots) {
                if slot.scalar != Scalar::Chan {
                    *values = all(slot.scalar);
                }
            }
            let node = |point| Node { point, locals: vec![], globals: vec![], shadows: vec![] };
            group.nodes = points(automaton).map(node).collect();
        }
        for object in &mut self.claims.objects {
            let has_channels = |class: &MessageClass| class.fields.iter().any(|f| !f.channels.is_empty());
            let ObjectPlace::Global { slot } = object.place else { continue };
            let channel = self.states[0].globals[slot as usize] as usize - 1;
            let channel_type = self.states[0].channels[channel].channel_type;
            if !object.classes.iter().any(has_channels) {
                let fields = &self.system.model.channel_types[channel_type.0 as usize].fields;
                object.classes =
                    vec![MessageClass { fields: fields.iter().map(|field| all(field.scalar)).collect() }];
            }
        }
    }

    /// Global integers, and those of groups, mostly of such that always have one process.
    fn integers(&mut self) -> Vec<ObjectPlace> {
        let mut places: Vec<ObjectPlace> =
            self.numbers().into_iter().map(|slot| ObjectPlace::Global { slot }).collect();
        let any = self.random.percent(10);
        for (group, members) in (0..).map(GroupId).zip(&self.groups) {
            let automaton = &self.system.automata[members.automaton as usize];
            let ends = automaton.edges.iter().any(|edge| matches!(edge.action, Action::End));
            if !any && (ends || members.any_pid || members.pids.len() != 1) {
                continue;
            }
            let integers = (0..).zip(&automaton.slots).filter(|(_, slot)| slot.scalar != Scalar::Chan);
            places.extend(integers.map(|(slot, _)| ObjectPlace::Local { group, slot }));
        }
        places
    }

    /// The sum with the range that was seen, or one beside it; and the same for nodes.
    fn in_range(&mut self, terms: Vec<NumberTerm>) -> Option<Number> {
        let mut range = hull(self.states.iter().filter_map(|state| self.sum(state, &terms)))?;
        match self.random.below(10) {
            0 => range.high = range.high.saturating_add(1),
            1 => range.high = range.high.saturating_sub(1),
            2 => range.low = range.low.saturating_add(1).min(range.high),
            3 => range = Interval { low: i32::MIN, high: i32::MAX },
            4 => range = Interval { low: range.low.min(0), high: range.high.max(255) },
            _ => {}
        }
        let mut known = Vec::new();
        let percent = [0, 60, 90, 100][self.random.below(4)];
        for index in 0..self.claims.groups.len() {
            let nodes = self.claims.groups[index].nodes.clone();
            for (node, at) in (0..).map(NodeId).zip(&nodes) {
                let found = match at.point {
                    Point::At(location) => self.while_at(index, location, &terms),
                    Point::Inside { .. } => Some(Interval { high: range.high.saturating_sub(1), ..range }),
                };
                let Some(mut seen) = found.filter(|_| self.random.percent(percent)) else { continue };
                if self.random.percent(4) {
                    seen.high = seen.high.saturating_sub(1);
                }
                let seen = Interval { low: seen.low.max(range.low), high: seen.high.min(range.high) };
                if seen != range && seen.low <= seen.high {
                    known.push(KnownRange { group: GroupId(index as u32), node, range: seen });
                }
            }
        }
        Some(Number { terms, range, known })
    }

    /// Where the sum was while a process of the group was at the location.
    fn while_at(&self, group: usize, location: u32, terms: &[NumberTerm]) -> Option<Interval> {
        let is_there = |state: &&&State| {
            (0..state.processes.len()).any(|pid| {
                state.processes[pid].location.0 == location && self.group_of(state, pid) == Some(group)
            })
        };
        hull(self.states.iter().filter(is_there).filter_map(|state| self.sum(state, terms)))
    }

    fn sum(&self, state: &State, terms: &[NumberTerm]) -> Option<i32> {
        terms.iter().try_fold(0i32, |sum, term| {
            let value = match term.place {
                ObjectPlace::Global { slot } => state.globals[slot as usize],
                ObjectPlace::Local { group, slot } => {
                    let mut pids = 0..state.processes.len();
                    let pid = pids.find(|&pid| self.group_of(state, pid) == Some(group.index()))?;
                    state.processes[pid].locals[slot as usize]
                }
            };
            Some(if term.subtracted { sum.wrapping_sub(value) } else { sum.wrapping_add(value) })
        })
    }

    /// What some of the numbers weigh.
    pub(super) fn number_weights(&mut self) -> Vec<NumberWeight> {
        let mut weights = Vec::new();
        for number in (0..).map(NumberId).take(self.claims.numbers.len()) {
            if self.random.percent(65) {
                let weight = [-1, -1, -1, -2, 1, 1, 2][self.random.below(7)];
                weights.push(NumberWeight { number, weight });
            }
        }
        weights
    }

    /// The most by which a statement changes what the numbers weigh.
    pub(super) fn numbers_change(&self, arc: &Arc, weights: &[NumberWeight]) -> i64 {
        let mut change = 0;
        for entry in weights {
            let number = &self.claims.numbers[entry.number.index()];
            for term in &number.terms {
                let is_it = |(frame, slot, _): &&(Frame, u32, Option<i64>)| match term.place {
                    ObjectPlace::Global { slot: own } => *frame == Frame::Global && *slot == own,
                    ObjectPlace::Local { group, slot: own } => {
                        let automaton = self.claims.groups[group.index()].automaton;
                        *frame == Frame::Local && *slot == own && automaton == arc.automaton
                    }
                };
                let width = i64::from(number.range.high) - i64::from(number.range.low);
                change += match arc.stores.iter().find(is_it) {
                    None => 0,
                    Some((_, _, Some(by))) => entry.weight * if term.subtracted { -by } else { *by },
                    Some((_, _, None)) => entry.weight.abs() * width.min(1_000),
                };
            }
        }
        change
    }

    /// What the numbers weigh at the start.
    pub(super) fn numbers_at_start(&self, weights: &[NumberWeight]) -> i64 {
        let value = |entry: &NumberWeight| {
            let terms = &self.claims.numbers[entry.number.index()].terms;
            entry.weight * i64::from(self.sum(self.states[0], terms).unwrap_or(0))
        };
        weights.iter().map(value).sum()
    }

    /// What they lack to 0 at the most, while a process stands in the node (or at all times).
    pub(super) fn slack(&self, potential: &Potential, at: Option<(GroupId, NodeId)>) -> i64 {
        let least = |entry: &NumberWeight| {
            let Interval { low, high } = self.claims.numbers[entry.number.index()].range_at(at);
            (entry.weight * i64::from(low)).min(entry.weight * i64::from(high))
        };
        -potential.numbers.iter().map(least).sum::<i64>()
    }
}

fn hull(values: impl Iterator<Item = i32>) -> Option<Interval> {
    values
        .map(|value| Interval { low: value, high: value })
        .reduce(|one, other| Interval { low: one.low.min(other.low), high: one.high.max(other.high) })
}
