//! Whether claims speak of things that exist, in the one form that they have: rules R3 to R6.

use super::refusal::Refusal;
use super::rule::Rule;
use crate::claims::{Claims, Group, GroupId, Node, ObjectPlace, Point, SlotValues};
use crate::values::Values;
use promela::model::{ChannelTypeId, Initializer, Scalar, Type, Variable};
use std::collections::{HashMap, HashSet};
use system::automaton::{Action, Automaton, Slot, System};

/// More combinations of positions of a group's shadows are refused, not computed.
const MOST_POSITIONS: usize = 100_000;

/// Verifies the form of the claims; returns the channel type of each object.
pub fn well_formed(system: &System, claims: &Claims) -> Result<Vec<ChannelTypeId>, Refusal> {
    let form = Form { system, claims };
    form.globals()?;
    for index in 0..claims.groups.len() {
        form.group(index)?;
    }
    form.auxiliaries()?;
    form.trackers()?;
    form.objects()
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

fn collect(
    system: &System,
    (slot, slots, length, ty): (u32, u32, Option<u32>, Type),
    init: &Initializer,
    found: &mut Vec<(u32, ChannelTypeId)>,
) {
    let length = length.unwrap_or(1);
    let stride = slots.checked_div(length).unwrap_or(0);
    for element in 0..length {
        let base = slot.saturating_add(element.saturating_mul(stride));
        match (init, ty) {
            (Initializer::Channel(id), _) => found.push((base, *id)),
            (Initializer::None, Type::Struct(typedef)) => {
                for field in &system.model.typedefs[typedef.0 as usize].fields {
                    let of_one = match field.ty {
                        Type::Scalar(_) => 1,
                        Type::Struct(inner) => system.model.typedefs[inner.0 as usize].slots,
                    };
                    let slots = field.length.unwrap_or(1).saturating_mul(of_one);
                    let at = base.saturating_add(field.offset);
                    collect(system, (at, slots, field.length, field.ty), &field.init, found);
                }
            }
            _ => {}
        }
    }
}

/// The claims and what they speak of.
struct Form<'a> {
    system: &'a System,
    claims: &'a Claims,
}

impl Form<'_> {
    /// R3 for a set: canonical, and of channels that are claimed.
    fn is_known(&self, values: &Values) -> bool {
        values.is_canonical() && values.channels.iter().all(|id| id.index() < self.claims.objects.len())
    }

    fn globals(&self) -> Result<(), Refusal> {
        let (values, slots) = (&self.claims.globals, &self.system.global_slots);
        let fits = values.len() == slots.len() && values.iter().all(|values| self.is_known(values));
        must_fit(fits, || "the claims about global variables do not fit the model".into())?;
        one_type(values.iter().zip(slots.iter().map(|slot| slot.scalar)), "a global variable")
    }

    /// R3 and R4 for a group; R12: its shadows do not have too many positions.
    fn group(&self, index: usize) -> Result<(), Refusal> {
        let group = &self.claims.groups[index];
        let exists = (group.automaton as usize) < self.system.model.proctypes.len();
        must_fit(exists, || format!("group {index} is of no proctype"))?;
        let automaton = &self.system.automata[group.automaton as usize];
        let fits = group.slots.len() == automaton.slots.len()
            && group.slots.iter().all(|values| self.is_known(values))
            && self.is_known(&group.pid);
        must_fit(fits, || format!("the claims about variables of group {index} do not fit the model"))?;
        let name = format!("a variable of group {index}");
        one_type(group.slots.iter().zip(automaton.slots.iter().map(|slot| slot.scalar)), &name)?;
        one_type([(&group.pid, Scalar::Pid)], &format!("`_pid` of group {index}"))?;
        let shadows = group.shadows.iter().all(|shadow| {
            shadow.object.index() < self.claims.objects.len()
                && shadow.sender.index() < self.claims.auxiliaries.len()
        });
        must_fit(shadows, || format!("a shadow of group {index} is of nothing that exists"))?;
        let positions = group.shadows.iter().map(|s| self.claims.auxiliaries[s.sender.index()].nodes.len());
        let combinations = positions.fold(1, |all: usize, some| all.saturating_mul(some.max(1)));
        Rule::Understood.demand(combinations <= MOST_POSITIONS, || {
            format!("the shadows of group {index} have {combinations} combinations of positions")
        })?;
        for (position, node) in group.nodes.iter().enumerate() {
            let shadows = node.shadows.len() == group.shadows.len()
                && node.shadows.iter().zip(&group.shadows).all(|(position, shadow)| {
                    position.index() < self.claims.auxiliaries[shadow.sender.index()].nodes.len()
                });
            let fits = shadows && self.node_fits(group, automaton, node);
            must_fit(fits, || format!("node {position} of group {index} does not fit the model"))?;
        }
        let distinct: HashSet<&Node> = group.nodes.iter().collect();
        must_fit(distinct.len() == group.nodes.len(), || format!("group {index} has a node twice"))
    }

    fn auxiliaries(&self) -> Result<(), Refusal> {
        for (index, auxiliary) in self.claims.auxiliaries.iter().enumerate() {
            let Some(group) = self.claims.groups.get(auxiliary.group.index()) else {
                return must_fit(false, || format!("auxiliary graph {index} is of no group"));
            };
            let automaton = &self.system.automata[group.automaton as usize];
            let fits = auxiliary.nodes.iter().all(|node| {
                node.globals.is_empty() && node.shadows.is_empty() && self.node_fits(group, automaton, node)
            });
            must_fit(fits, || format!("a node of auxiliary graph {index} does not fit the model"))?;
        }
        Ok(())
    }

    /// R3 for a node: a point that exists; sets that are not empty and part of what is claimed (so of the type that R4 asks for).
    fn node_fits(&self, group: &Group, automaton: &Automaton, node: &Node) -> bool {
        let point = match node.point {
            Point::At(location) => (location as usize) < automaton.locations.len(),
            Point::Inside { edge, step } => {
                match automaton.edges.get(edge as usize).map(|edge| &edge.action) {
                    Some(Action::DStep(body)) => (step as usize) < body.nodes.len(),
                    _ => false,
                }
            }
        };
        let listed = |entries: &[SlotValues], claimed: &[Values]| {
            entries.windows(2).all(|pair| pair[0].slot < pair[1].slot)
                && entries.iter().all(|entry| {
                    let claimed = claimed.get(entry.slot as usize);
                    self.is_known(&entry.values)
                        && !entry.values.is_empty()
                        && claimed.is_some_and(|values| entry.values.is_subset(values))
                })
        };
        point
            && listed(&node.locals, &group.slots)
            && listed(&node.globals, &self.claims.globals)
            && node.globals.iter().all(|entry| is_shown(&self.system.global_slots, entry.slot))
    }

    /// R3 for trackers: sets for slots that are part of the state.
    fn trackers(&self) -> Result<(), Refusal> {
        for (index, tracker) in self.claims.trackers.iter().enumerate() {
            let slots = tracker.slots.windows(2).all(|pair| pair[0] < pair[1])
                && tracker.slots.iter().all(|&slot| is_shown(&self.system.global_slots, slot));
            let fits = |sets: &Vec<Values>| {
                sets.len() == tracker.slots.len()
                    && sets.iter().zip(&tracker.slots).all(|(values, &slot)| {
                        let claimed = &self.claims.globals[slot as usize];
                        self.is_known(values) && !values.is_empty() && values.is_subset(claimed)
                    })
            };
            let exists = !tracker.slots.is_empty() && slots && tracker.nodes.iter().all(fits);
            must_fit(exists, || format!("tracker {index} does not fit the model"))?;
        }
        Ok(())
    }

    /// R5 and R6: one object for each channel that is created, with classes that fit.
    fn objects(&self) -> Result<Vec<ChannelTypeId>, Refusal> {
        let created = self.created();
        let at: HashMap<ObjectPlace, ChannelTypeId> = created.iter().copied().collect();
        let mut types = Vec::new();
        for (index, object) in self.claims.objects.iter().enumerate() {
            let Some(channel_type) = at.get(&object.place) else {
                must_fit(false, || format!("object {index} is at a place where no channel is created"))?;
                continue;
            };
            types.push(*channel_type);
            let fields = &self.system.model.channel_types[channel_type.0 as usize].fields;
            for class in &object.classes {
                let known = class.fields.iter().all(|values| self.is_known(values) && !values.is_empty());
                must_fit(known, || format!("a message class of object {index} is of nothing"))?;
                Rule::Fields.demand(class.fields.len() == fields.len(), || {
                    format!("a message class of object {index} does not fit its channel")
                })?;
                let typed = class.fields.iter().zip(fields.iter().map(|field| field.scalar));
                one_type(typed, &format!("a field of object {index}"))?;
            }
        }
        let places: HashSet<ObjectPlace> = self.claims.objects.iter().map(|object| object.place).collect();
        let one_each = places.len() == self.claims.objects.len() && created.len() == places.len();
        Rule::Objects.demand(one_each, || "not every channel has exactly one object".into())?;
        Ok(types)
    }

    /// Where channels are created.
    fn created(&self) -> Vec<(ObjectPlace, ChannelTypeId)> {
        let globals = channel_slots(self.system, &self.system.model.globals).into_iter();
        let mut created: Vec<(ObjectPlace, ChannelTypeId)> =
            globals.map(|(slot, channel_type)| (ObjectPlace::Global { slot }, channel_type)).collect();
        for (group, claimed) in (0..).map(GroupId).zip(&self.claims.groups) {
            let locals = &self.system.model.proctypes[claimed.automaton as usize].locals;
            let locals: Vec<Variable> = locals.iter().filter(|v| !v.parameter).cloned().collect();
            let slots = channel_slots(self.system, &locals).into_iter();
            created
                .extend(slots.map(|(slot, channel_type)| (ObjectPlace::Local { group, slot }, channel_type)));
        }
        created
    }
}

/// R3: what is named exists and is written in its one form.
fn must_fit(fits: bool, what: impl FnOnce() -> String) -> Result<(), Refusal> {
    Rule::Exists.demand(fits, what)
}

/// R4: numbers in places for numbers; channels, and 0 for none, in places for channels. A value then means one thing only, so two
/// sets that have no element in common have no value in common.
fn one_type<'v>(sets: impl IntoIterator<Item = (&'v Values, Scalar)>, what: &str) -> Result<(), Refusal> {
    for (values, scalar) in sets {
        let fits = match scalar {
            Scalar::Chan => values.integers.iter().all(|interval| (interval.low, interval.high) == (0, 0)),
            _ => values.channels.is_empty(),
        };
        Rule::OneType.demand(fits, || match scalar {
            Scalar::Chan => format!("{what} is a channel and is claimed to be a number"),
            _ => format!("{what} is a number and is claimed to be a channel"),
        })?;
    }
    Ok(())
}

/// Whether the slot exists and is part of the state.
fn is_shown(slots: &[Slot], slot: u32) -> bool {
    slots.get(slot as usize).is_some_and(|slot| !slot.hidden)
}
