//! Receivers that follow the order of a sender, and what may be untrue about that: who sends, and when.

use super::Composer;
use super::arcs::Arc;
use super::sketch::points;
use certificate::claims::{
    Auxiliary, AuxiliaryId, Group, GroupId, MessageClass, Node, NodeId, ObjectId, Point, Shadow, SlotValues,
};
use certificate::potential::{NodeWeight, Potential, Proof};
use certificate::values::Values;
use promela::model::Scalar;
use std::collections::BTreeSet;

impl Composer<'_> {
    /// A receiver follows the order in which somebody sends.
    pub(super) fn add_shadow(&mut self) {
        let passed = self.passed_on();
        let all = self.buffers();
        let objects = if passed.is_empty() || self.random.percent(15) { &all } else { &passed };
        let Some(&object) = self.random.pick(objects) else { return };
        let (Some(sender), Some(receiver)) = (self.who(object, 1, 85), self.who(object, -1, 85)) else {
            return;
        };
        if self.random.percent(70) {
            self.tell_apart(object);
        }
        let automaton = self.claims.groups[sender].automaton;
        let mut nodes: Vec<Node> = points(&self.system.automata[automaton as usize])
            .map(|point| Node { point, locals: vec![], globals: vec![], shadows: vec![] })
            .collect();
        if self.random.percent(15) {
            nodes.clear();
        }
        let never = if self.random.percent(40) { self.make_a_hole(sender, object, &mut nodes) } else { None };
        let closed = self.random.percent(80).then(|| self.followed((automaton, never), receiver, object));
        let group = &mut self.claims.groups[receiver];
        if nodes.len() * group.nodes.len() > 400 {
            return;
        }
        let places = (0..).map(NodeId).zip(&nodes);
        let keep = |point: Point, at: Point| closed.as_ref().is_none_or(|set| set.contains(&(point, at)));
        group.nodes = (group.nodes.iter())
            .flat_map(|node| {
                let places = places.clone().filter(|(_, at)| keep(node.point, at.point));
                places.map(|(at, _)| Node { shadows: vec![at], ..node.clone() })
            })
            .collect();
        let id = AuxiliaryId(self.claims.auxiliaries.len() as u32);
        group.shadows.push(Shadow { object: ObjectId(object), sender: id });
        self.claims.auxiliaries.push(Auxiliary { group: GroupId(sender as u32), nodes });
    }

    /// Objects that somebody sends to and somebody receives from.
    fn passed_on(&self) -> Vec<u32> {
        let moved = |sign: i64| -> BTreeSet<u32> {
            let messages = self.arcs.iter().filter_map(|arc| arc.message);
            let objects = messages.filter(|(_, _, way)| *way == sign).filter_map(|(object, _, _)| object);
            objects.map(|object| object.0).collect()
        };
        moved(1).intersection(&moved(-1)).copied().collect()
    }

    /// A class for each number that is sent, if nothing but numbers is: the order of what is in one class says nothing.
    fn tell_apart(&mut self, object: u32) {
        let sends = self.arcs.iter().filter_map(|arc| match arc.message {
            Some((Some(to), value, 1)) if to.0 == object => Some(value),
            _ => None,
        });
        let Some(values) = sends.collect::<Option<BTreeSet<i32>>>() else { return };
        let claimed = &mut self.claims.objects[object as usize];
        if claimed.classes.first().is_some_and(|class| class.fields.len() == 1) {
            let class = |value| MessageClass { fields: vec![Values::integer(value)] };
            claimed.classes = values.into_iter().map(class).collect();
        }
    }

    /// The sender is said to be somewhere with one value only, which it may never have there: mostly before it sends.
    fn make_a_hole(&mut self, sender: usize, object: u32, nodes: &mut [Node]) -> Option<Point> {
        let group = &self.claims.groups[sender];
        let automaton = &self.system.automata[group.automaton as usize];
        let numbers = (0..).zip(&automaton.slots).filter(|(_, slot)| slot.scalar != Scalar::Chan);
        let numbers: Vec<(u32, Scalar)> = numbers.map(|(slot, of)| (slot, of.scalar)).collect();
        let &(slot, scalar) = self.random.pick(&numbers)?;
        let initial = Point::At(automaton.initial.0);
        let sends = self.arcs.iter().filter(|arc| {
            let to = arc.message.filter(|(_, _, sign)| *sign == 1).and_then(|(to, _, _)| to);
            arc.automaton == group.automaton && arc.from != initial && to == Some(ObjectId(object))
        });
        let before: Vec<Point> = sends.map(|arc| arc.from).collect();
        let point = match self.random.pick(&before) {
            Some(&point) if self.random.percent(75) => point,
            _ => nodes.get(self.random.below(nodes.len()))?.point,
        };
        let (low, high) = scalar.range();
        let value = match self.random.percent(75) {
            true => high,
            false => group.slots[slot as usize].hull()?.high,
        };
        if !group.slots[slot as usize].contains(value) {
            self.claims.groups[sender].slots[slot as usize] = Values::interval(low, high);
        }
        let node = nodes.iter_mut().find(|node| node.point == point)?;
        node.locals = vec![SlotValues { slot, values: Values::integer(value) }];
        Some(point)
    }

    /// Where the receiver and its shadow get, if only this sender sends to the object, only the receiver takes from it, everything
    /// in order, and the sender is never at the point.
    fn followed(
        &self,
        (sender, never): (u32, Option<Point>),
        receiver: usize,
        object: u32,
    ) -> BTreeSet<(Point, Point)> {
        let receiver = self.claims.groups[receiver].automaton;
        let concerns = |arc: &Arc, sign: i64| match arc.message {
            Some((of, value, direction)) if direction == sign && of.is_none_or(|of| of.0 == object) => {
                Some(value)
            }
            _ => None,
        };
        let of_sender = || self.arcs.iter().filter(|arc| arc.automaton == sender && arc.to != never);
        let sends = of_sender().any(|arc| concerns(arc, 1).is_some());
        let after = |at: Point, wanted: Option<i32>| -> BTreeSet<Point> {
            let (mut open, mut seen, mut found) = (vec![at], BTreeSet::from([at]), BTreeSet::new());
            while let Some(at) = open.pop() {
                for arc in of_sender().filter(|arc| arc.from == at) {
                    let Some(to) = arc.to else { continue };
                    match concerns(arc, 1) {
                        Some(value) if value == wanted || value.is_none() || wanted.is_none() => {
                            found.insert(to);
                        }
                        Some(_) => {}
                        None if seen.insert(to) => open.push(to),
                        None => {}
                    }
                }
            }
            found
        };
        let initial = |automaton: u32| Point::At(self.system.automata[automaton as usize].initial.0);
        let start = (initial(receiver), initial(sender));
        let (mut open, mut seen) = (vec![start], BTreeSet::from([start]));
        while let Some((point, at)) = open.pop() {
            for arc in self.arcs.iter().filter(|arc| arc.automaton == receiver && arc.from == point) {
                let Some(to) = arc.to else { continue };
                let places = match concerns(arc, -1) {
                    Some(wanted) if sends => after(at, wanted),
                    _ => BTreeSet::from([at]),
                };
                let next = places.into_iter().map(|at| (to, at));
                open.extend(next.filter(|place| seen.insert(*place)));
            }
        }
        seen
    }

    /// A shadow of a group that never has a process, so that the receiver has no place to begin.
    pub(super) fn follow_nobody(&mut self, receiver: usize) -> Option<Proof> {
        let object = *self.random.pick(&self.buffers())?;
        let payer = self.random.below(self.claims.groups.len());
        let nobody = Group {
            pid: Values::integer(7),
            at_most: Some(1),
            nodes: vec![],
            shadows: vec![],
            ..self.claims.groups[payer].clone()
        };
        let id = GroupId(self.claims.groups.len() as u32);
        self.claims.groups.push(nobody);
        let sender = AuxiliaryId(self.claims.auxiliaries.len() as u32);
        self.claims.auxiliaries.push(Auxiliary { group: id, nodes: vec![] });
        let group = &mut self.claims.groups[receiver];
        group.nodes.clear();
        group.shadows = vec![Shadow { object: ObjectId(object), sender }];
        let payer = GroupId(payer as u32);
        let nodes = (0..).map(NodeId).take(self.claims.groups[payer.index()].nodes.len());
        let nodes = nodes.map(|node| NodeWeight { group: payer, node, weight: 1 }).collect();
        let potential = Potential { nodes, ..Potential::default() };
        Some(Proof::Starts { group: id, at_most: 1, denominator: 1, potential })
    }
}
