//! Trackers, invariants, and attempts to make a process, a message or a value vanish.

use super::Composer;
use super::arcs::Arc;
use super::weights::Extra;
use certificate::claims::{
    ClassId, GroupId, LinearInvariant, Node, NodeId, ObjectId, ObjectPlace, Point, SlotValues, Tracker,
};
use certificate::potential::{BoundCase, MessageWeight, NodeWeight, Potential, Proof};
use certificate::values::Values;
use promela::model::Scalar;
use std::collections::BTreeSet;

impl Composer<'_> {
    pub(super) fn add_tracker(&mut self) {
        let few = |slot: u32, values: &Values| {
            values.channels.is_empty()
                && values.count() <= 4
                && !self.system.global_slots[slot as usize].hidden
        };
        let slots: Vec<u32> =
            (0..).zip(&self.claims.globals).filter(|(slot, v)| few(*slot, v)).map(|(slot, _)| slot).collect();
        // Some know of the start only.
        if self.random.percent(30) {
            let Some(&slot) = self.random.pick(&self.numbers()) else { return };
            let nodes = vec![vec![self.at_start(slot)]];
            self.claims.trackers.push(Tracker { slots: vec![slot], nodes });
            return;
        }
        let Some(&slot) = self.random.pick(&slots) else { return };
        let values = &self.claims.globals[slot as usize];
        let nodes = values.iter_integers().map(|value| vec![Values::integer(value)]).collect();
        self.claims.trackers.push(Tracker { slots: vec![slot], nodes });
    }

    pub(super) fn add_bar(&mut self) {
        if self.random.percent(50) {
            self.add_debt();
            return;
        }
        let weights = self.weights(None);
        let (potential, total) = self.potential(&weights, Extra::None);
        let total = if self.random.percent(25) { self.random.below(3) as i64 } else { total };
        self.claims.invariants.push(LinearInvariant { total, potential });
    }

    /// Whoever has sent to a buffer weighs something, which the message that it sent makes up for.
    fn add_debt(&mut self) {
        let Some(&object) = self.random.pick(&self.buffers()) else { return };
        let sends = |arc: &&Arc| {
            arc.message.is_some_and(|(to, _, sign)| sign == 1 && to.is_none_or(|to| to.0 == object))
        };
        let senders: BTreeSet<u32> = self.arcs.iter().filter(sends).map(|arc| arc.automaton).collect();
        let mut nodes = Vec::new();
        for (group, claimed) in (0..).map(GroupId).zip(&self.claims.groups) {
            let initial = Point::At(self.system.automata[claimed.automaton as usize].initial.0);
            let (mut open, mut before) = (vec![initial], BTreeSet::from([initial]));
            while let Some(at) = open.pop() {
                let arcs =
                    self.arcs.iter().filter(|arc| arc.automaton == claimed.automaton && arc.from == at);
                let next = arcs.filter(|arc| !sends(arc)).filter_map(|arc| arc.to);
                open.extend(next.filter(|to| before.insert(*to)));
            }
            let owes = |node: &Node| senders.contains(&claimed.automaton) && !before.contains(&node.point);
            let owing = (0..).map(NodeId).zip(&claimed.nodes).filter(|(_, node)| owes(node));
            nodes.extend(owing.map(|(node, _)| NodeWeight { group, node, weight: 1 }));
        }
        let classes = (0..).map(ClassId).take(self.claims.objects[object as usize].classes.len());
        let messages =
            classes.map(|class| MessageWeight { object: ObjectId(object), class, weight: -1 }).collect();
        let potential = Potential { messages, nodes, ..Potential::default() };
        self.claims.invariants.push(LinearInvariant { total: 0, potential });
    }

    /// Tries to make a process, a message or a value vanish.
    pub(super) fn attack(&mut self) -> Option<Proof> {
        let group = self.random.below(self.claims.groups.len());
        match self.random.below(8) {
            0 => self.claims.groups[group].nodes.clear(),
            1 => return self.follow_nobody(group),
            2 => {
                self.take_a_number_for_a_channel();
                return self.audacious();
            }
            3 => return self.double_an_object(),
            4 => {
                let classes = self.claims.objects.iter_mut().flat_map(|object| &mut object.classes);
                classes.for_each(|class| class.fields.truncate(0));
            }
            5 => self.claims.trackers.iter_mut().for_each(|tracker| tracker.nodes.clear()),
            6 => {
                let slots = self.claims.globals.iter_mut().chain(&mut self.claims.groups[group].slots);
                let start = Values::integer(0);
                slots.filter(|values| values.contains(0)).for_each(|values| *values = start.clone());
            }
            _ => {
                let initial = self.system.automata[self.claims.groups[group].automaton as usize].initial.0;
                self.claims.groups[group].nodes.retain(|node| node.point == Point::At(initial));
            }
        }
        None
    }

    /// A channel has two objects, one of which nobody names: that one is always empty.
    fn double_an_object(&mut self) -> Option<Proof> {
        let old = ObjectId(self.random.below(self.claims.objects.len()) as u32);
        let new = ObjectId(self.claims.objects.len() as u32);
        let object = self.claims.objects.get(old.index())?.clone();
        self.claims.objects.push(object);
        self.claims.objects[old.index()].classes.clear();
        let rename = |values: &mut Values| {
            if values.contains_channel(old) {
                *values = values.difference(&Values::channel(old)).union(&Values::channel(new));
            }
        };
        self.claims.globals.iter_mut().for_each(rename);
        self.claims.groups.iter_mut().flat_map(|group| &mut group.slots).for_each(rename);
        let classes = self.claims.objects.iter_mut().flat_map(|object| &mut object.classes);
        classes.flat_map(|class| &mut class.fields).for_each(rename);
        let case = BoundCase { after: None, denominator: 1, potential: Potential::default() };
        Some(Proof::Bound { object: old, at_most: 0, cases: vec![case] })
    }

    /// Says that nobody has a channel but in the variable where it is declared.
    pub(super) fn forget_a_channel(&mut self) {
        let is_local = |place: &ObjectPlace| matches!(place, ObjectPlace::Local { .. });
        let some: Vec<usize> = (0..self.objects.len()).filter(|&at| is_local(&self.objects[at])).collect();
        let Some(&object) = self.random.pick(&some) else { return };
        let place = self.objects[object];
        let forgotten = Values::channel(ObjectId(object as u32));
        let forget = |values: &mut Values| *values = values.difference(&forgotten);
        for (slot, values) in (0..).zip(&mut self.claims.globals) {
            if place != (ObjectPlace::Global { slot }) {
                forget(values);
            }
        }
        for (group, claimed) in (0..).map(GroupId).zip(&mut self.claims.groups) {
            for (slot, values) in (0..).zip(&mut claimed.slots) {
                if place != (ObjectPlace::Local { group, slot }) {
                    forget(values);
                }
            }
        }
        let classes = self.claims.objects.iter_mut().flat_map(|object| &mut object.classes);
        classes.flat_map(|class| &mut class.fields).for_each(forget);
    }

    /// A number that is the number of a channel is claimed to be that channel by some and a number by others.
    fn take_a_number_for_a_channel(&mut self) {
        let initial = self.states[0];
        let puns: Vec<(u32, ObjectId, i32)> = (0..)
            .zip(self.system.global_slots.iter().zip(&initial.globals))
            .filter(|(_, (slot, _))| slot.scalar != Scalar::Chan && !slot.hidden)
            .filter_map(|(slot, (_, &value))| Some((slot, self.object(initial, value)?, value)))
            .collect();
        let Some(&(slot, object, value)) = self.random.pick(&puns) else { return };
        let claimed = &mut self.claims.globals[slot as usize];
        *claimed = claimed.union(&Values::channel(object));
        self.claims.trackers = vec![Tracker { slots: vec![slot], nodes: vec![vec![Values::integer(value)]] }];
        for node in self.claims.groups.iter_mut().flat_map(|group| &mut group.nodes) {
            node.globals = vec![SlotValues { slot, values: Values::channel(object) }];
        }
    }
}
