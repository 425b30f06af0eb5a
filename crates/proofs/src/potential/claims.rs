//! A world in the words of a certificate.

use certificate::claims::{
    Auxiliary, AuxiliaryId, Claims, GroupId, MessageClass, Node, NodeId, NumberId, ObjectId, ObjectPlace,
    Point, Shadow, SlotValues, Tracker, TrackerId,
};
use certificate::potential::{Component, MessageWeight, NodeWeight, NumberWeight, TrackerWeight};
use certificate::values::Values as Claimed;
use promela::model::Scalar;
use system::automaton::AutomatonId;

use crate::net::build::Abstraction;
use crate::net::{ComponentId, Counted};
use crate::potential::Potential;
use crate::values::analysis::Analysis;
use crate::values::flow::{FlowPoint, PointId};
use crate::values::sets::Values;
use crate::values::world::{Declared, GroupIndex, GroupKey, Object, ObjectIndex, World, object_of};

/// Global slots that have components of their own.
pub fn trackers(analysis: &Analysis<'_>, abstraction: &Abstraction) -> Vec<Tracker> {
    let of_slot = |(slot, values): &(u32, Vec<i32>)| {
        let scalar = analysis.system.global_slots[*slot as usize].scalar;
        let node = |&value: &i32| vec![claimed(&analysis.world, &Values::single(value), scalar)];
        Tracker { slots: vec![*slot], nodes: values.iter().map(node).collect() }
    };
    abstraction.trackers.iter().map(of_slot).collect()
}

/// What the analysis claims. `at_most` says how many processes of a group are ever started, where that is claimed.
pub fn claims(analysis: &Analysis<'_>, at_most: &dyn Fn(GroupIndex) -> Option<u32>) -> Claims {
    let world = &analysis.world;
    let objects = world
        .object_indices()
        .map(|(index, object)| certificate::claims::Object {
            place: match object.declared {
                Declared::Global(slot) => ObjectPlace::Global { slot },
                Declared::Local(group, slot) => ObjectPlace::Local { group: GroupId(group.0), slot },
            },
            classes: classes(analysis, index, object),
        })
        .collect();
    let globals = world
        .globals
        .iter()
        .zip(&analysis.system.global_slots)
        .map(|(values, slot)| claimed(world, values, slot.scalar))
        .collect();
    let groups = world.group_indices().map(|(index, _)| group(analysis, index, at_most(index))).collect();
    let auxiliaries = analysis.shadows.auxiliaries.iter().filter_map(|graph| auxiliary(analysis, graph));
    Claims {
        objects,
        globals,
        groups,
        trackers: Vec::new(),
        auxiliaries: auxiliaries.collect(),
        invariants: Vec::new(),
        numbers: Vec::new(),
    }
}

/// The second graph of a sender. Its sets are those of a coarser analysis, so they are cut down to what the group's own
/// graph shows.
fn auxiliary(analysis: &Analysis<'_>, graph: &crate::refine::shadows::Auxiliary) -> Option<Auxiliary> {
    let world = &analysis.world;
    let index = *world.group_index.get(&graph.sender)?;
    let automaton = world.group(index).automaton;
    let slots = &analysis.system.automaton(automaton).slots;
    let all = all_locals(analysis, index);
    let nodes = graph.nodes.iter().map(|node| {
        let locals = node.locals.iter().enumerate().filter_map(|(slot, values)| {
            let values = claimed(world, values, slots[slot].scalar).intersection(&all[slot]);
            let is_smaller = values != all[slot] && !values.is_empty();
            is_smaller.then_some(SlotValues { slot: slot as u32, values })
        });
        Node {
            point: point(analysis, automaton, node.point),
            locals: locals.collect(),
            globals: Vec::new(),
            shadows: Vec::new(),
        }
    });
    Some(Auxiliary { group: GroupId(index.0), nodes: nodes.collect() })
}

/// Everything that each local slot of a group may hold.
fn all_locals(analysis: &Analysis<'_>, index: GroupIndex) -> Vec<Claimed> {
    let data = analysis.world.group(index);
    let slots = &analysis.system.automaton(data.automaton).slots;
    let mut all: Vec<Claimed> = vec![Claimed::none(); slots.len()];
    for node in &data.nodes {
        for (slot, values) in node.locals.iter().enumerate() {
            all[slot] = all[slot].union(&claimed(&analysis.world, values, slots[slot].scalar));
        }
    }
    all
}

fn point(analysis: &Analysis<'_>, automaton: AutomatonId, point: PointId) -> Point {
    match analysis.flows[automaton.0 as usize].points[point.0 as usize] {
        FlowPoint::At(location) => Point::At(location.0),
        FlowPoint::Inside(edge, step) => Point::Inside { edge: edge.0, step: step.0 },
    }
}

/// A component of the net in the words of a certificate.
pub fn component(analysis: &Analysis<'_>, component: ComponentId) -> Component {
    match component.0.checked_sub(analysis.world.groups.len() as u32) {
        None => Component::Group(GroupId(component.0)),
        Some(tracker) => Component::Tracker(TrackerId(tracker)),
    }
}

/// A potential of the net in the words of a certificate. What room weighs is taken off the messages that would fill it.
pub fn potential(
    analysis: &Analysis<'_>,
    abstraction: &Abstraction,
    potential: &Potential,
) -> certificate::potential::Potential {
    let mut rooms: std::collections::HashMap<u32, i64> = std::collections::HashMap::new();
    for (counter, &weight) in abstraction.net.counters.iter().zip(&potential.weights) {
        if let Counted::Room(buffer) = counter.counted {
            rooms.insert(buffer.0, weight);
        }
    }
    let mut messages = Vec::new();
    for (index, object) in analysis.world.object_indices() {
        for (class, key) in object.classes.keys().enumerate() {
            let Some(counter) = abstraction.counters.get(&(index, key.clone())) else { continue };
            if abstraction.net.counters[counter.0 as usize].counted == Counted::Handshake {
                continue;
            }
            let weight = potential.weights[counter.0 as usize] - rooms.get(&index.0).copied().unwrap_or(0);
            if weight != 0 {
                let class = certificate::claims::ClassId(class as u32);
                messages.push(MessageWeight { object: ObjectId(index.0), class, weight });
            }
        }
    }
    let mut nodes = Vec::new();
    let mut trackers = Vec::new();
    for (component, values) in potential.nodes.iter().enumerate() {
        for (node, &weight) in values.iter().enumerate().filter(|(_, weight)| **weight != 0) {
            let node = NodeId(node as u32);
            match self::component(analysis, ComponentId(component as u32)) {
                Component::Group(group) => nodes.push(NodeWeight { group, node, weight }),
                Component::Tracker(tracker) => trackers.push(TrackerWeight { tracker, node, weight }),
            }
        }
    }
    let mut weights: std::collections::BTreeMap<NumberId, i64> = std::collections::BTreeMap::new();
    for (counter, &weight) in abstraction.net.counters.iter().zip(&potential.weights) {
        if let Counted::Number { number, above } = counter.counted {
            *weights.entry(NumberId(number)).or_default() += if above { weight } else { -weight };
        }
    }
    let weights = weights.into_iter().filter(|(_, weight)| *weight != 0);
    let numbers = weights.map(|(number, weight)| NumberWeight { number, weight }).collect();
    certificate::potential::Potential { messages, nodes, trackers, numbers }
}

fn group(analysis: &Analysis<'_>, index: GroupIndex, at_most: Option<u32>) -> certificate::claims::Group {
    let world = &analysis.world;
    let data = world.group(index);
    let automaton = data.automaton;
    let scalars: Vec<Scalar> =
        analysis.system.automaton(automaton).slots.iter().map(|slot| slot.scalar).collect();
    let all = all_locals(analysis, index);
    let tracked = &data.tracked_globals;
    let nodes = data
        .nodes
        .iter()
        .map(|node| {
            let locals = node
                .locals
                .iter()
                .enumerate()
                .filter_map(|(slot, values)| {
                    let values = claimed(world, values, scalars[slot]);
                    (values != all[slot]).then_some(SlotValues { slot: slot as u32, values })
                })
                .collect();
            let globals = tracked
                .iter()
                .zip(&node.key.globals)
                .map(|(&slot, &value)| {
                    let scalar = analysis.system.global_slots[slot as usize].scalar;
                    SlotValues { slot, values: claimed(world, &Values::single(value), scalar) }
                })
                .collect();
            Node {
                point: point(analysis, automaton, node.key.point),
                locals,
                globals,
                shadows: node.key.shadows.iter().map(|&place| NodeId(place)).collect(),
            }
        })
        .collect();
    let shadows = analysis.shadows.of(&data.key).iter().map(|follow| Shadow {
        object: ObjectId(follow.object.0),
        sender: AuxiliaryId(follow.auxiliary as u32),
    });
    certificate::claims::Group {
        automaton: automaton.0,
        at_most: if matches!(data.key, GroupKey::Initial(..)) { Some(1) } else { at_most },
        pid: claimed(world, &data.pid, Scalar::Pid),
        slots: all,
        shadows: shadows.collect(),
        nodes,
    }
}

fn classes(analysis: &Analysis<'_>, index: ObjectIndex, object: &Object) -> Vec<MessageClass> {
    let fields = &analysis.system.model.channel_types[object.channel_type.0 as usize].fields;
    object
        .classes
        .iter()
        .map(|(key, values)| {
            let fields = key
                .iter()
                .zip(values)
                .zip(fields)
                .enumerate()
                .map(|(position, ((told, values), field))| match told {
                    Some(value) => claimed(&analysis.world, &Values::single(*value), field.scalar),
                    None => {
                        let distinct = analysis.world.distinctions.values.get(&(index, position));
                        let except = distinct.cloned().unwrap_or_default();
                        let all = claimed(&analysis.world, values, field.scalar);
                        all.difference(&claimed(&analysis.world, &Values::from_values(except), field.scalar))
                    }
                })
                .collect();
            MessageClass { fields }
        })
        .collect()
}

/// A set of values in the certificate's form: channels by name.
fn claimed(world: &World, values: &Values, scalar: Scalar) -> Claimed {
    if scalar != Scalar::Chan {
        return match values {
            Values::Set(set) => Claimed::integers(set.iter().copied()),
            Values::Range(low, high) => Claimed::interval(*low, *high),
        };
    }
    match values {
        Values::Set(set) => {
            let mut channels: Vec<ObjectId> =
                set.iter().filter_map(|&value| object_of(value)).map(|o| ObjectId(o.0)).collect();
            channels.sort_unstable();
            let numbers = set.iter().copied().filter(|&value| object_of(value).is_none());
            Claimed { channels, ..Claimed::integers(numbers) }
        }
        // Any channel, or none: a number that is neither is never stored where channels are.
        Values::Range(..) => Claimed {
            channels: (0..world.objects.len() as u32).map(ObjectId).collect(),
            ..Claimed::integer(0)
        },
    }
}
