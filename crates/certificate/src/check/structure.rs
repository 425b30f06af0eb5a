//! Whether claims speak of things that exist, in the one form that they have.

use super::refusal::Refusal;
use crate::claims::{Claims, Group, Node, ObjectPlace, Point, SlotValues};
use crate::values::Values;
use promela::model::{ChannelTypeId, Expr, ExprKind, Initializer, Type, Variable};
use std::collections::{HashMap, HashSet};
use system::automaton::{Action, Automaton, System};

/// Verifies the form of the claims; returns the channel type of each object.
pub fn well_formed(system: &System, claims: &Claims) -> Result<Vec<ChannelTypeId>, Refusal> {
    let known = |values: &Values| {
        values.is_canonical() && values.channels.iter().all(|id| id.index() < claims.objects.len())
    };
    if claims.globals.len() != system.global_slots.len() || !claims.globals.iter().all(known) {
        return malformed("the claims about global variables do not fit the model");
    }
    for (index, group) in claims.groups.iter().enumerate() {
        if group.automaton as usize >= system.model.proctypes.len() {
            return malformed(format!("group {index} is of no proctype"));
        }
        let automaton = &system.automata[group.automaton as usize];
        if group.slots.len() != automaton.slots.len() || !group.slots.iter().all(known) || !known(&group.pid)
        {
            return malformed(format!("the claims about variables of group {index} do not fit the model"));
        }
        for shadow in &group.shadows {
            let exists = shadow.object.index() < claims.objects.len()
                && shadow.sender.index() < claims.auxiliaries.len();
            if !exists {
                return malformed(format!("a shadow of group {index} is of nothing that exists"));
            }
        }
        for (position, node) in group.nodes.iter().enumerate() {
            let shadows = node.shadows.len() == group.shadows.len()
                && node.shadows.iter().zip(&group.shadows).all(|(position, shadow)| {
                    position.index() < claims.auxiliaries[shadow.sender.index()].nodes.len()
                });
            if !shadows || !node_fits(system, claims, group, automaton, node, &known) {
                return malformed(format!("node {position} of group {index} does not fit the model"));
            }
        }
        let distinct: HashSet<&Node> = group.nodes.iter().collect();
        if distinct.len() != group.nodes.len() {
            return malformed(format!("group {index} has a node twice"));
        }
    }
    for (index, auxiliary) in claims.auxiliaries.iter().enumerate() {
        let Some(group) = claims.groups.get(auxiliary.group.index()) else {
            return malformed(format!("auxiliary graph {index} is of no group"));
        };
        let automaton = &system.automata[group.automaton as usize];
        for node in &auxiliary.nodes {
            let plain = node.globals.is_empty() && node.shadows.is_empty();
            if !plain || !node_fits(system, claims, group, automaton, node, &known) {
                return malformed(format!("a node of auxiliary graph {index} does not fit the model"));
            }
        }
    }
    trackers(system, claims, &known)?;
    objects(system, claims, &known)
}

/// The slots of a frame at which channels are created, with their types, in the order in which they are created.
pub fn channel_slots(system: &System, variables: &[Variable]) -> Vec<(u32, ChannelTypeId)> {
    let mut slots = Vec::new();
    for variable in variables {
        collect(
            system,
            (variable.slot, variable.slots, variable.length, variable.ty),
            &variable.init,
            &mut slots,
        );
    }
    slots
}

/// Whether evaluating the expression may run the proctype.
pub fn runs(expr: &Expr, proctype: u32) -> bool {
    match &expr.kind {
        ExprKind::Run { proctype: run, .. } => run.0 == proctype,
        ExprKind::Unary(_, a) => runs(a, proctype),
        ExprKind::Binary(_, a, b) => runs(a, proctype) || runs(b, proctype),
        ExprKind::Conditional(a, b, c) => [a, b, c].iter().any(|e| runs(e, proctype)),
        _ => false,
    }
}

fn collect(
    system: &System,
    (slot, slots, length, ty): (u32, u32, Option<u32>, Type),
    init: &Initializer,
    found: &mut Vec<(u32, ChannelTypeId)>,
) {
    let length = length.unwrap_or(1);
    let stride = slots / length.max(1);
    for element in 0..length {
        let base = slot + element * stride;
        match (init, ty) {
            (Initializer::Channel(id), _) => found.push((base, *id)),
            (Initializer::None, Type::Struct(typedef)) => {
                for field in &system.model.typedefs[typedef.0 as usize].fields {
                    let of_one = match field.ty {
                        Type::Scalar(_) => 1,
                        Type::Struct(inner) => system.model.typedefs[inner.0 as usize].slots,
                    };
                    let slots = field.length.unwrap_or(1) * of_one;
                    collect(system, (base + field.offset, slots, field.length, field.ty), &field.init, found);
                }
            }
            _ => {}
        }
    }
}

fn objects(
    system: &System,
    claims: &Claims,
    known: &dyn Fn(&Values) -> bool,
) -> Result<Vec<ChannelTypeId>, Refusal> {
    let mut created: Vec<(ObjectPlace, ChannelTypeId)> = Vec::new();
    for (slot, channel_type) in channel_slots(system, &system.model.globals) {
        created.push((ObjectPlace::Global { slot }, channel_type));
    }
    for (index, group) in claims.groups.iter().enumerate() {
        let locals = &system.model.proctypes[group.automaton as usize].locals;
        let locals: Vec<Variable> = locals.iter().filter(|v| !v.parameter).cloned().collect();
        for (slot, channel_type) in channel_slots(system, &locals) {
            let group = crate::claims::GroupId(index as u32);
            created.push((ObjectPlace::Local { group, slot }, channel_type));
        }
    }
    let at: HashMap<ObjectPlace, ChannelTypeId> = created.iter().copied().collect();
    let mut types = Vec::new();
    for (index, object) in claims.objects.iter().enumerate() {
        let Some(channel_type) = at.get(&object.place) else {
            return malformed(format!("object {index} is at a place where no channel is created"));
        };
        let fields = system.model.channel_types[channel_type.0 as usize].fields.len();
        for class in &object.classes {
            let sets = class.fields.iter().all(|values| known(values) && !values.is_empty());
            if class.fields.len() != fields || !sets {
                return malformed(format!("a message class of object {index} does not fit its channel"));
            }
        }
        for (position, class) in object.classes.iter().enumerate() {
            let meets = |other: &crate::claims::MessageClass| {
                class.fields.iter().zip(&other.fields).all(|(a, b)| !a.intersection(b).is_empty())
            };
            if object.classes[..position].iter().any(meets) {
                return malformed(format!("two message classes of object {index} overlap"));
            }
        }
        types.push(*channel_type);
    }
    let places: HashSet<ObjectPlace> = claims.objects.iter().map(|object| object.place).collect();
    if places.len() != claims.objects.len() || created.len() != claims.objects.len() {
        return malformed("not every channel has exactly one object");
    }
    Ok(types)
}

fn trackers(system: &System, claims: &Claims, known: &dyn Fn(&Values) -> bool) -> Result<(), Refusal> {
    for (index, tracker) in claims.trackers.iter().enumerate() {
        let slots = tracker.slots.windows(2).all(|pair| pair[0] < pair[1])
            && tracker.slots.iter().all(|&slot| is_shown(system, slot));
        let fits = |sets: &Vec<Values>| {
            sets.len() == tracker.slots.len()
                && sets.iter().zip(&tracker.slots).all(|(values, &slot)| {
                    known(values) && !values.is_empty() && values.is_subset(&claims.globals[slot as usize])
                })
        };
        if tracker.slots.is_empty() || !slots || !tracker.nodes.iter().all(fits) {
            return malformed(format!("tracker {index} does not fit the model"));
        }
        for (position, sets) in tracker.nodes.iter().enumerate() {
            let meets =
                |other: &Vec<Values>| sets.iter().zip(other).all(|(a, b)| !a.intersection(b).is_empty());
            if tracker.nodes[..position].iter().any(meets) {
                return malformed(format!("two nodes of tracker {index} overlap"));
            }
        }
    }
    Ok(())
}

fn node_fits(
    system: &System,
    claims: &Claims,
    group: &Group,
    automaton: &Automaton,
    node: &Node,
    known: &dyn Fn(&Values) -> bool,
) -> bool {
    let point = match node.point {
        Point::At(location) => (location as usize) < automaton.locations.len(),
        Point::Inside { edge, step } => match automaton.edges.get(edge as usize).map(|edge| &edge.action) {
            Some(Action::DStep(body)) => (step as usize) < body.nodes.len(),
            _ => false,
        },
    };
    let listed = |entries: &[SlotValues], claimed: &[Values]| {
        entries.windows(2).all(|pair| pair[0].slot < pair[1].slot)
            && entries.iter().all(|entry| {
                known(&entry.values)
                    && !entry.values.is_empty()
                    && claimed.get(entry.slot as usize).is_some_and(|values| entry.values.is_subset(values))
            })
    };
    point
        && listed(&node.locals, &group.slots)
        && listed(&node.globals, &claims.globals)
        && node.globals.iter().all(|entry| is_shown(system, entry.slot))
}

/// Whether the slot exists and is part of the state.
fn is_shown(system: &System, slot: u32) -> bool {
    system.global_slots.get(slot as usize).is_some_and(|slot| !slot.hidden)
}

fn malformed<T>(what: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Malformed { what: what.into() })
}
