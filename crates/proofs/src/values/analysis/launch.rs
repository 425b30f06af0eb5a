//! Starting processes: which group a new process belongs to and what its variables hold at first.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use promela::model::{Frame, Initializer, Scalar};
use system::automaton::{Action, AutomatonId};

use super::alternatives::combinations;
use super::{Analysis, AnalysisError, Change, Stop};
use crate::values::flow::Flow;
use crate::values::frame::{SlotStart, starts};
use crate::values::sets::Values;
use crate::values::step::{as_channel, find_run};
use crate::values::world::{
    Declared, Group, GroupIndex, GroupKey, NodeIndex, NodeKey, Object, ObjectIndex, View, World, value_of,
};

impl<'s> Analysis<'s> {
    /// Groups that a `run` with these arguments may put a process into.
    pub fn groups_for(
        &self,
        automaton: AutomatonId,
        arguments: &[Values],
    ) -> Result<Vec<(GroupKey, Vec<Values>)>, Stop> {
        let slots = &self.system.automaton(automaton).slots;
        let arguments: Vec<Values> = arguments
            .iter()
            .zip(slots)
            .map(|(values, slot)| {
                if slot.scalar == Scalar::Chan {
                    as_channel(&self.world, values)
                } else {
                    values.truncate(slot.scalar)
                }
            })
            .collect();
        if arguments.iter().any(Values::is_empty) {
            return Ok(Vec::new());
        }
        let merged = &self.merged[automaton.0 as usize];
        let mut tuples: Vec<Vec<Option<i32>>> = vec![Vec::new()];
        for (position, values) in arguments.iter().enumerate() {
            let choices: Vec<Option<i32>> = match values.as_set() {
                _ if merged.contains(&position) => vec![None],
                Some(set) if set.len() * tuples.len() <= self.most_groups_of_a_run => {
                    set.iter().map(|&value| Some(value)).collect()
                }
                _ => return Err(Stop::Merge(automaton, position)),
            };
            tuples = tuples
                .iter()
                .flat_map(|tuple| {
                    choices.iter().map(move |&choice| {
                        let mut longer = tuple.clone();
                        longer.push(choice);
                        longer
                    })
                })
                .collect();
        }
        Ok(tuples
            .into_iter()
            .map(|tuple| {
                let known = tuple.iter().zip(&arguments).map(|(choice, values)| match choice {
                    Some(value) => Values::single(*value),
                    None => values.clone(),
                });
                (GroupKey::Run(automaton, tuple.clone()), known.collect())
            })
            .collect())
    }

    /// A process of the group comes to exist, just after these changes of tracked globals.
    pub(super) fn start_process(
        &mut self,
        key: GroupKey,
        pid: Values,
        arguments: &[Values],
        changes: &[Change],
    ) -> Result<Option<(GroupIndex, NodeIndex)>, Stop> {
        let automaton = match &key {
            GroupKey::Initial(automaton, _) | GroupKey::Run(automaton, _) => *automaton,
        };
        let group = match self.world.group_index.get(&key) {
            Some(&group) => group,
            None => {
                if self.siblings[automaton.0 as usize] >= self.most_groups {
                    // The parameter that is not merged yet and comes first: some order is as good as any other.
                    let merged = &self.merged[automaton.0 as usize];
                    let next = (0..arguments.len()).find(|position| !merged.contains(position));
                    return Err(next
                        .map_or(Stop::Error(AnalysisError::TooLarge), |next| Stop::Merge(automaton, next)));
                }
                self.siblings[automaton.0 as usize] += 1;
                let index = GroupIndex(self.world.groups.len() as u32);
                let wished = &self.tracking.globals[automaton.0 as usize];
                let touched = self.touched.get(&key);
                let tracked_globals = wished
                    .iter()
                    .copied()
                    .filter(|slot| touched.is_none_or(|touched| touched.remembered.contains(slot)))
                    .collect();
                self.world.groups.push(Group {
                    tracked_globals,
                    automaton,
                    key: key.clone(),
                    pid: Values::empty(),
                    arguments: arguments.to_vec(),
                    nodes: Vec::new(),
                    start: BTreeSet::new(),
                    first: Vec::new(),
                    node_index: HashMap::new(),
                });
                self.world.group_index.insert(key, index);
                index
            }
        };
        let data = &mut self.world.groups[group.0 as usize];
        let mut changed = data.pid.join_with(&pid);
        for (own, new) in data.arguments.iter_mut().zip(arguments) {
            changed |= own.join_with(new);
        }
        if changed {
            for node in 0..data.nodes.len() {
                self.enqueue(group, NodeIndex(node as u32));
            }
        }
        let locals = self.initial_locals(group);
        let first = &mut self.world.groups[group.0 as usize].first;
        first.resize(locals.len(), Values::empty());
        first.iter_mut().zip(&locals).for_each(|(own, new)| {
            own.join_with(new);
        });
        let tracked_globals = self.world.group(group).tracked_globals.clone();
        let shadows = self.shadows.beginning(&self.world.group(group).key);
        let known: Vec<Values> = tracked_globals
            .iter()
            .map(|&slot| match changes.iter().rev().find(|change| change.slot == slot) {
                Some(change) => Values::single(change.after),
                None => self.world.globals[slot as usize].clone(),
            })
            .collect();
        let point = self.flows[automaton.0 as usize].initial;
        let mut started = None;
        let (locals, is_right) = self.as_guessed(automaton, locals);
        if !is_right {
            return Err(Stop::Error(AnalysisError::WrongGuess));
        }
        for (tracked, locals) in self.split_locals(automaton, locals)? {
            for globals in combinations(&known)
                .ok_or_else(|| self.too_many(automaton, Frame::Global, &tracked_globals, &known))?
            {
                let key = NodeKey { point, locals: tracked.clone(), globals, shadows: shadows.clone() };
                let node = self.reach(group, key, &locals)?;
                self.world.groups[group.0 as usize].start.insert(node);
                started = Some((group, node));
            }
        }
        Ok(started)
    }

    /// The frame of a new process of a group. Channels that it creates become objects.
    fn initial_locals(&mut self, group: GroupIndex) -> Vec<Values> {
        let automaton = self.world.group(group).automaton;
        let proctype = &self.system.model.proctypes[automaton.0 as usize];
        let pid = self.world.group(group).pid.clone();
        let mut locals = vec![Values::single(0); self.system.automaton(automaton).slots.len()];
        let arguments = self.world.group(group).arguments.clone();
        locals[..arguments.len()].clone_from_slice(&arguments);
        for variable in proctype.locals.iter().filter(|variable| !variable.parameter) {
            let created: Vec<SlotStart> = if matches!(variable.init, Initializer::None)
                && matches!(variable.ty, promela::model::Type::Scalar(_))
            {
                Vec::new()
            } else {
                let view = View {
                    world: &self.world,
                    pid: &pid,
                    locals: Cow::Borrowed(&locals),
                    known_globals: Vec::new(),
                };
                starts(&self.system.model, variable.ty, variable.length, &variable.init, &view)
            };
            for (offset, start) in created.into_iter().enumerate() {
                let slot = variable.slot + offset as u32;
                locals[slot as usize] = match start {
                    SlotStart::Values(values) => values,
                    SlotStart::Channel(channel_type) => Values::single(value_of(new_object(
                        &mut self.world,
                        Declared::Local(group, slot),
                        channel_type,
                    ))),
                };
            }
        }
        locals
    }
}

pub(super) fn new_object(
    world: &mut World,
    declared: Declared,
    channel_type: promela::model::ChannelTypeId,
) -> ObjectIndex {
    if let Some(&object) = world.object_index.get(&declared) {
        return object;
    }
    let index = ObjectIndex(world.objects.len() as u32);
    world.objects.push(Object { declared, channel_type, classes: BTreeMap::new(), changes: 0 });
    world.object_index.insert(declared, index);
    index
}

pub(super) fn proctypes_run(flows: &[Flow<'_>]) -> Vec<bool> {
    let mut run = vec![false; flows.len()];
    for arc in flows.iter().flat_map(|flow| flow.leaving.iter().flatten()) {
        if let Action::Condition(expr) | Action::Assign { value: expr, .. } = arc.action
            && let Some((proctype, _)) = find_run(expr)
        {
            run[proctype.0 as usize] = true;
        }
    }
    run
}
