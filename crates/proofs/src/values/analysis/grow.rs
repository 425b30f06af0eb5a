//! Visiting nodes until nothing is new: what a statement may do is added to the world, and whoever looked at what grew is visited again.

use std::collections::{BTreeMap, BTreeSet};

use promela::model::Scalar;

use super::alternatives::interval;
use super::{
    Alternative, Analysis, AnalysisError, Cell, Change, PATIENCE, Stop, Target, VISITS_BETWEEN_GLANCES,
    VISITS_OF_A_NODE,
};
use crate::values::sets::Values;
use crate::values::step::{Message, MessageKind};
use crate::values::world::{GroupIndex, Node, NodeIndex, NodeKey};
use system::automaton::AutomatonId;
use system::limits::Limits;

impl<'s> Analysis<'s> {
    pub(super) fn grow(&mut self, cancelled: &dyn Fn() -> bool) -> Result<(), Stop> {
        let mut visits = 0;
        while let Some((group, node)) = self.next_node() {
            visits += 1;
            if visits % VISITS_BETWEEN_GLANCES == 0 && cancelled() {
                return Err(Stop::Error(AnalysisError::Cancelled));
            }
            if visits > self.most_nodes.saturating_mul(VISITS_OF_A_NODE) {
                return Err(Stop::Error(AnalysisError::TooLarge));
            }
            self.visit(group, node)?;
        }
        Ok(())
    }

    /// The next node to visit: of the group that was visited last until nothing is left there, then of the next one, round and round.
    /// What goes round a ring of processes then arrives everywhere in a few rounds, where a queue would need one for each process.
    fn next_node(&mut self) -> Option<(GroupIndex, NodeIndex)> {
        let from = (self.visiting, NodeIndex(0));
        let next = self.worklist.range(from..).next().or_else(|| self.worklist.first()).copied()?;
        self.worklist.remove(&next);
        self.visiting = next.0;
        Some(next)
    }

    fn visit(&mut self, group: GroupIndex, node: NodeIndex) -> Result<(), Stop> {
        self.register(group, node);
        let automaton = self.world.group(group).automaton;
        let flows = self.flows;
        let point = self.world.group(group).node(node).key.point;
        for arc in flows[automaton.0 as usize].arcs(point) {
            for alternative in self.alternatives(group, node, arc)? {
                self.apply(group, alternative)?;
            }
        }
        self.interfere(group, node)
    }

    /// Moves of other processes that change globals which this node's key contains.
    fn interfere(&mut self, group: GroupIndex, node: NodeIndex) -> Result<(), Stop> {
        if self.world.group(group).node(node).key.globals.is_empty() {
            return Ok(());
        }
        let current = self.world.group(group).node(node).clone();
        let slots = &self.world.group(group).tracked_globals;
        let others = self.interferences.iter().filter(|(writer, _)| **writer != group);
        let changes = others.flat_map(|(_, changes)| changes);
        let moved: BTreeSet<Vec<i32>> =
            changes.filter_map(|change| moved_by(slots, &current.key.globals, change)).collect();
        for globals in moved {
            let key = NodeKey { globals, ..current.key.clone() };
            self.reach(group, key, &current.locals)?;
        }
        Ok(())
    }

    fn apply(&mut self, group: GroupIndex, alternative: Alternative) -> Result<(), Stop> {
        if alternative.target == Target::OutOfGuess {
            return Ok(());
        }
        let effect = &alternative.effect;
        for (slot, values) in &effect.writes {
            self.join_global(*slot, values);
        }
        if let Some(message) = &effect.message
            && message.kind == MessageKind::Send
        {
            self.join_message(message);
        }
        if let Some((proctype, arguments)) = &effect.run {
            let automaton = AutomatonId(proctype.0);
            let most_processes = Limits::of(&self.system.model).processes as i32;
            for (key, arguments) in self.groups_for(automaton, arguments)? {
                self.start_process(key, Values::range(1, most_processes), &arguments, &alternative.changes)?;
            }
        }
        if alternative.changes.iter().any(|change| change.before != change.after)
            && self.interferences.entry(group).or_default().insert(alternative.changes.clone())
        {
            for index in 0..self.world.groups.len() {
                let other = GroupIndex(index as u32);
                if other != group && !self.world.groups[index].tracked_globals.is_empty() {
                    for node in 0..self.world.groups[index].nodes.len() {
                        self.enqueue(other, NodeIndex(node as u32));
                    }
                }
            }
        }
        if let Target::Node(key) = alternative.target {
            self.reach(group, key, &effect.locals)?;
        }
        Ok(())
    }

    pub(super) fn reach(
        &mut self,
        group: GroupIndex,
        key: NodeKey,
        locals: &[Values],
    ) -> Result<NodeIndex, Stop> {
        let automaton = self.world.group(group).automaton;
        let (tracked, cuts) = self.tracking.of(automaton);
        let data = &mut self.world.groups[group.0 as usize];
        let index = match data.node_index.get(&key) {
            Some(&index) => {
                let node = &mut data.nodes[index.0 as usize];
                let mut changed = false;
                let impatient = node.changes > PATIENCE;
                for (slot, (own, new)) in node.locals.iter_mut().zip(locals).enumerate() {
                    let scalar = self.system.automata[automaton.0 as usize].slots[slot].scalar;
                    changed |= join_and_widen(own, new, scalar, impatient);
                }
                keep_in_intervals(tracked, cuts, &node.key.locals, &mut node.locals);
                if !changed {
                    return Ok(index);
                }
                node.changes += 1;
                index
            }
            None => {
                self.node_count += 1;
                if self.node_count > self.most_nodes {
                    return Err(Stop::Error(AnalysisError::TooLarge));
                }
                let index = NodeIndex(data.nodes.len() as u32);
                data.nodes.push(Node { key: key.clone(), locals: locals.to_vec(), changes: 0 });
                data.node_index.insert(key, index);
                index
            }
        };
        self.enqueue(group, index);
        Ok(index)
    }

    pub(super) fn enqueue(&mut self, group: GroupIndex, node: NodeIndex) {
        self.worklist.insert((group, node));
    }

    fn wake(&mut self, cell: Cell) {
        if let Some(nodes) = self.dependents.get(&cell) {
            self.worklist.extend(nodes);
        }
    }

    fn join_global(&mut self, slot: u32, values: &Values) {
        let scalar = self.system.global_slots[slot as usize].scalar;
        if join_and_widen(&mut self.world.globals[slot as usize], values, scalar, false) {
            self.wake(Cell::Global(slot));
        }
    }

    fn join_message(&mut self, message: &Message) {
        let object = &mut self.world.objects[message.object.0 as usize];
        let fields = &self.system.model.channel_types[object.channel_type.0 as usize].fields;
        let impatient = object.changes > PATIENCE;
        let changed = match object.classes.get_mut(&message.class) {
            None => {
                object.classes.insert(message.class.clone(), message.fields.clone());
                true
            }
            Some(known) => {
                let mut changed = false;
                for ((own, new), field) in known.iter_mut().zip(&message.fields).zip(fields) {
                    changed |= join_and_widen(own, new, field.scalar, impatient);
                }
                changed
            }
        };
        if changed {
            object.changes += 1;
            self.wake(Cell::Object(message.object));
        }
    }
}

/// What was widened does not leave the intervals that the node is about.
pub fn keep_in_intervals(
    tracked: &[u32],
    cuts: &BTreeMap<u32, Vec<i32>>,
    key: &[i32],
    locals: &mut [Values],
) {
    for (slot, &begin) in tracked.iter().zip(key) {
        if let Some(cuts) = cuts.get(slot) {
            let own = &mut locals[*slot as usize];
            *own = own.meet(&interval(cuts, begin));
        }
    }
}

/// The globals of a node's key after a statement of another process; `None` if the node does not agree with what was before or
/// stays as it is.
pub fn moved_by(slots: &[u32], globals: &[i32], changes: &[Change]) -> Option<Vec<i32>> {
    let mut after = globals.to_vec();
    for change in changes {
        if let Ok(position) = slots.binary_search(&change.slot) {
            if globals[position] != change.before {
                return None;
            }
            after[position] = change.after;
        }
    }
    (after != globals).then_some(after)
}

/// Whether a node of the key agrees with the values before a statement of another process.
pub fn agrees_with(slots: &[u32], globals: &[i32], changes: &[Change]) -> bool {
    changes.iter().all(|change| match slots.binary_search(&change.slot) {
        Ok(position) => globals[position] == change.before,
        Err(_) => true,
    })
}

/// Adds values; an interval that grows (or anything, if one is impatient) jumps to the next step of its type, so that
/// every chain is short.
pub fn join_and_widen(own: &mut Values, new: &Values, scalar: Scalar, impatient: bool) -> bool {
    if new.is_subset(own) {
        return false;
    }
    let was_range = impatient || matches!(own, Values::Range(..));
    *own = own.join(new);
    if was_range && scalar != Scalar::Chan {
        *own = own.widen(scalar);
    }
    true
}
