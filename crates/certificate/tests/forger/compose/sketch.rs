//! The sketch: groups, channels, values and nodes as they were seen while the model ran.

use super::super::Random;
use super::Composer;
use certificate::check::every_pid;
use certificate::claims::{
    Group, GroupId, MessageClass, Node, Object, ObjectId, ObjectPlace, Point, SlotValues,
};
use certificate::values::Values;
use promela::model::{ExprKind, Scalar};
use std::collections::BTreeSet;
use system::automaton::{Action, Automaton, System};
use system::state::State;

/// Which processes a group is to have.
#[derive(Clone)]
pub(super) struct Members {
    pub(super) automaton: u32,
    /// `None`: any that `run` starts, and these.
    pub(super) pids: Vec<u32>,
    pub(super) any_pid: bool,
    pub(super) at_most: Option<u32>,
    /// The value of the first parameter, if groups are told apart by it.
    pub(super) argument: Option<i32>,
}

impl<'a> Composer<'a> {
    pub(super) fn choose_groups(&mut self) {
        let initial = self.states[0];
        for (id, automaton) in self.system.process_automata() {
            let pids: Vec<u32> = (0..)
                .zip(&initial.processes)
                .filter(|(_, p)| p.automaton == id)
                .map(|(pid, _)| pid)
                .collect();
            let members = |pids: Vec<u32>, at_most| Members {
                automaton: id.0,
                pids,
                any_pid: false,
                at_most,
                argument: None,
            };
            if !self.any_number.is_empty() {
                // Numbers of processes tell nobody apart, so a proctype has one group.
                let count = pids.len() as u32;
                let at_most = match self.is_crowd(id.0) || is_run(self.system, id.0) {
                    true => self.random.percent(5).then_some(count),
                    false => Some(count),
                };
                self.groups.push(Members { any_pid: true, ..members(pids, at_most) });
            } else if is_run(self.system, id.0) {
                let at_most = self.random.percent(40).then(|| 1 + self.random.below(3) as u32);
                let all = Members { any_pid: true, ..members(pids, at_most) };
                let has_argument = self.system.model.proctypes[id.0 as usize].parameters > 0;
                if has_argument && self.random.percent(40) {
                    let mut seen = BTreeSet::new();
                    for process in self.states.iter().flat_map(|state| &state.processes) {
                        if process.automaton == id && process.location == automaton.initial {
                            seen.insert(process.locals[0]);
                        }
                    }
                    self.groups.extend(
                        seen.into_iter()
                            .take(3)
                            .map(|value| Members { argument: Some(value), ..all.clone() }),
                    );
                } else {
                    self.groups.push(all);
                }
            } else if pids.len() > 1 && self.random.percent(30) {
                let count = pids.len() as u32;
                self.groups.push(members(pids, Some(count)));
            } else {
                self.groups.extend(pids.into_iter().map(|pid| members(vec![pid], Some(1))));
            }
        }
        if self.random.percent(10)
            && let Some(group) = self.random.pick(&self.groups).cloned()
        {
            // A second group of the same proctype, perhaps for others, perhaps for nobody.
            let at_most = [Some(0), Some(1), None][self.random.below(3)];
            let pids = if self.random.percent(50) { group.pids.clone() } else { vec![7] };
            let at = self.random.below(self.groups.len() + 1);
            self.groups.insert(at, Members { at_most, pids, ..group });
        }
    }

    pub(super) fn group_of(&self, state: &State, pid: usize) -> Option<usize> {
        let process = &state.processes[pid];
        self.groups.iter().position(|group| {
            group.automaton == process.automaton.0
                && (group.any_pid || group.pids.contains(&(pid as u32)))
                && group.argument.is_none_or(|value| process.locals.first() == Some(&value))
        })
    }

    /// Channels of global slots, then of local slots of each group.
    pub(super) fn choose_objects(&mut self) {
        let initial = self.states[0];
        let mut globals: Vec<(i32, u32)> = (0..)
            .zip(self.system.global_slots.iter().zip(&initial.globals))
            .filter(|(_, (slot, value))| slot.scalar == Scalar::Chan && **value > 0)
            .map(|(slot, (_, value))| (*value, slot))
            .collect();
        globals.sort_unstable();
        globals.dedup_by_key(|(value, _)| *value);
        self.objects.extend(globals.into_iter().map(|(_, slot)| ObjectPlace::Global { slot }));
        for (group, members) in (0..).map(GroupId).zip(&self.groups) {
            let slots = self.local_channels(members.automaton);
            self.objects.extend(slots.into_iter().map(|slot| ObjectPlace::Local { group, slot }));
        }
    }

    fn local_channels(&self, automaton: u32) -> Vec<u32> {
        let initial = self.system.automata[automaton as usize].initial;
        for state in &self.states {
            for (pid, process) in (0..).zip(&state.processes) {
                if process.automaton.0 == automaton && process.location == initial {
                    let owned =
                        (1..).zip(&state.channels).filter(|(_, c)| c.owner.is_some_and(|o| o.0 == pid));
                    let slot = |value: i32| process.locals.iter().position(|local| *local == value);
                    return owned.filter_map(|(value, _)| slot(value)).map(|slot| slot as u32).collect();
                }
            }
        }
        Vec::new()
    }

    /// The object of a channel by its number in a state.
    pub(super) fn object(&self, state: &State, number: i32) -> Option<ObjectId> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        let channel = state.channels.get(index)?;
        let place = |position: usize| Some(ObjectId(position as u32));
        let Some(owner) = channel.owner else {
            return self.objects.iter().position(|o| matches!(o, ObjectPlace::Global { .. })).and_then(
                |first| {
                    let before = state.channels[..index].iter().filter(|c| c.owner.is_none()).count();
                    place(first + before)
                },
            );
        };
        let group = self.group_of(state, owner.0 as usize)?;
        let nth = state.channels[..index].iter().filter(|c| c.owner == Some(owner)).count();
        let own = self
            .objects
            .iter()
            .enumerate()
            .filter(|(_, o)| matches!(o, ObjectPlace::Local { group: of, .. } if of.index() == group));
        own.map(|(position, _)| position).nth(nth).and_then(place)
    }

    pub(super) fn see_values(&mut self) {
        let mut globals = vec![Seen::default(); self.system.global_slots.len()];
        let mut locals: Vec<Vec<Seen>> =
            self.groups.iter().map(|g| vec![Seen::default(); self.automaton(g).slots.len()]).collect();
        let mut messages: Vec<BTreeSet<Vec<Element>>> = vec![BTreeSet::new(); self.objects.len()];
        for state in &self.states {
            for (slot, &value) in state.globals.iter().enumerate() {
                let element = self.element(state, self.system.global_slots[slot].scalar, value);
                globals[slot].0.insert(element);
            }
            for (pid, process) in state.processes.iter().enumerate() {
                let Some(group) = self.group_of(state, pid) else { continue };
                for (slot, &value) in process.locals.iter().enumerate() {
                    let scalar = self.system.automaton(process.automaton).slots[slot].scalar;
                    locals[group][slot].0.insert(self.element(state, scalar, value));
                }
            }
            for (number, channel) in (1..).zip(&state.channels) {
                let Some(object) = self.object(state, number) else { continue };
                let fields = &self.system.model.channel_types[channel.channel_type.0 as usize].fields;
                for message in channel.contents.chunks(fields.len().max(1)) {
                    let scalars = fields.iter().map(|field| field.scalar);
                    let seen = message.iter().zip(scalars).map(|(&v, s)| self.element(state, s, v)).collect();
                    messages[object.index()].insert(seen);
                }
            }
        }
        self.claims.globals = (globals.into_iter().zip(&self.system.global_slots))
            .map(|(seen, slot)| seen.values(slot.scalar, self.random))
            .collect();
        for (index, members) in self.groups.clone().iter().enumerate() {
            let scalars: Vec<Scalar> = self.automaton(members).slots.iter().map(|slot| slot.scalar).collect();
            let slots = locals[index].iter().zip(scalars);
            let slots = slots.map(|(seen, scalar)| seen.values(scalar, self.random)).collect();
            let pids = Values::integers(members.pids.iter().map(|&pid| pid as i32));
            let pid = match members.any_pid {
                true if !self.any_number.is_empty() && self.random.percent(95) => every_pid(),
                true => pids.union(&Values::interval(1, 254)),
                false => pids,
            };
            self.claims.groups.push(Group {
                automaton: members.automaton,
                at_most: members.at_most,
                pid,
                slots,
                shadows: vec![],
                nodes: vec![],
            });
        }
        for (place, messages) in self.objects.iter().zip(messages) {
            let merge = self.random.percent(40);
            let mut classes = classes(messages, merge);
            // One class for whatever a number may be.
            if self.random.percent(40)
                && classes.iter().flat_map(|c| &c.fields).all(|f| f.channels.is_empty())
            {
                let fields = classes.first().map_or(1, |class| class.fields.len());
                classes = vec![MessageClass { fields: vec![Values::interval(0, 255); fields] }];
            }
            self.claims.objects.push(Object { place: *place, classes });
        }
    }

    fn element(&self, state: &State, scalar: Scalar, value: i32) -> Element {
        match scalar {
            // The name of a channel that is gone is nothing.
            Scalar::Chan => self.object(state, value).map_or(Element::Number(0), Element::Channel),
            _ => Element::Number(value),
        }
    }

    fn automaton(&self, members: &Members) -> &'a Automaton {
        &self.system.automata[members.automaton as usize]
    }

    /// Every point, or the points times the values of a slot or two.
    pub(super) fn draw_nodes(&mut self) {
        for index in 0..self.claims.groups.len() {
            let group = &self.claims.groups[index];
            let few = |values: &Values| values.channels.is_empty() && (2..=4).contains(&values.count());
            let local: Vec<u32> =
                (0..).zip(&group.slots).filter(|(_, v)| few(v)).map(|(slot, _)| slot).collect();
            let global: Vec<u32> = (0..)
                .zip(&self.claims.globals)
                .filter(|(slot, v)| few(v) && !self.system.global_slots[*slot as usize].hidden)
                .map(|(slot, _)| slot)
                .collect();
            let local = if self.random.percent(45) { self.random.pick(&local).copied() } else { None };
            // Some believe that a global stays what it is at the start.
            let (global, stays) = match self.random.below(100) {
                0..30 => (self.random.pick(&global).copied(), false),
                30..40 => (self.random.pick(&self.numbers()).copied(), true),
                _ => (None, false),
            };
            let split = |slot: Option<u32>, claimed: &[Values]| -> Vec<Vec<SlotValues>> {
                match slot {
                    None => vec![vec![]],
                    Some(slot) => claimed[slot as usize]
                        .iter_integers()
                        .map(|value| vec![SlotValues { slot, values: Values::integer(value) }])
                        .collect(),
                }
            };
            let mut nodes = Vec::new();
            for point in points(&self.system.automata[group.automaton as usize]) {
                for locals in split(local, &group.slots) {
                    let known = match global {
                        Some(slot) if stays => vec![vec![SlotValues { slot, values: self.at_start(slot) }]],
                        _ => split(global, &self.claims.globals),
                    };
                    for globals in known {
                        nodes.push(Node { point, locals: locals.clone(), globals, shadows: vec![] });
                    }
                }
            }
            if self.random.percent(6) {
                let keep = self.random.below(nodes.len() + 1);
                nodes.truncate(keep);
            }
            self.claims.groups[index].nodes = nodes;
        }
    }

    /// Global slots that hold numbers which are part of the state.
    pub(super) fn numbers(&self) -> Vec<u32> {
        let is_number = |slot: &system::automaton::Slot| slot.scalar != Scalar::Chan && !slot.hidden;
        (0..).zip(&self.system.global_slots).filter(|(_, slot)| is_number(slot)).map(|(id, _)| id).collect()
    }

    /// What a global number is at the start.
    pub(super) fn at_start(&self, slot: u32) -> Values {
        Values::integer(self.states[0].globals[slot as usize])
    }
}

/// What a place held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Element {
    Number(i32),
    Channel(ObjectId),
}

#[derive(Clone, Default)]
struct Seen(BTreeSet<Element>);

impl Seen {
    /// What was seen, or something around it.
    fn values(&self, scalar: Scalar, random: &mut Random) -> Values {
        let exact = set(self.0.iter().copied());
        if scalar == Scalar::Chan {
            let none = if random.percent(50) { Values::none() } else { Values::integer(0) };
            return exact.union(&none);
        }
        let (low, high) = scalar.range();
        match (random.below(10), exact.hull()) {
            (0..=3, _) | (_, None) => exact,
            (4, Some(hull)) => Values::interval(hull.low, hull.high),
            (5..=8, Some(_)) => Values::interval(low, high),
            (_, Some(hull)) => Values::interval(hull.low, hull.high.saturating_sub(random.below(2) as i32)),
        }
    }
}

fn set(elements: impl Iterator<Item = Element>) -> Values {
    elements.fold(Values::none(), |values, element| match element {
        Element::Number(value) => values.union(&Values::integer(value)),
        Element::Channel(object) => values.union(&Values::channel(object)),
    })
}

/// One class for each message, or one for all.
fn classes(messages: BTreeSet<Vec<Element>>, merge: bool) -> Vec<MessageClass> {
    let single = |message: &Vec<Element>| MessageClass {
        fields: message.iter().map(|element| set([*element].into_iter())).collect(),
    };
    let mut classes: Vec<MessageClass> = messages.iter().map(single).collect();
    if merge || classes.len() > 6 {
        let all = classes.into_iter().reduce(|one, other| MessageClass {
            fields: one.fields.iter().zip(&other.fields).map(|(a, b)| a.union(b)).collect(),
        });
        classes = all.into_iter().collect();
    }
    classes
}

/// Every place where a process may stand.
pub(super) fn points(automaton: &Automaton) -> impl Iterator<Item = Point> {
    let locations = (0..).take(automaton.locations.len()).map(Point::At);
    let inside = (0..).zip(&automaton.edges).flat_map(|(edge, action)| {
        let steps = match &action.action {
            Action::DStep(body) => body.nodes.len(),
            _ => 0,
        };
        (0..).take(steps).map(move |step| Point::Inside { edge, step })
    });
    locations.chain(inside)
}

fn is_run(system: &System, automaton: u32) -> bool {
    let mut found = false;
    for edge in system.process_automata().flat_map(|(_, automaton)| &automaton.edges) {
        edge.action.visit_expressions(&mut |expr| {
            expr.visit(&mut |part| {
                found |= matches!(&part.kind, ExprKind::Run { proctype, .. } if proctype.0 == automaton);
            });
        });
    }
    found
}
