//! From a world to a net: one component a group, one counter a message class, and every alternative of every statement.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use promela::model::Scalar;
use system::automaton::{AutomatonId, EdgeId};
use system::interpreter::{Capacities, Interpreter};

use crate::net::{
    BufferId, Component, ComponentId, Counted, Counter, CounterId, Move, Net, NodeId, Tokens, Transition,
};
use crate::potential::invariants::Exit;
use crate::values::analysis::{
    Alternative, Analysis, AnalysisError, AnalysisLimits, Change, Stop, Target, agrees_with, moved_by,
};
use crate::values::names::group_name;
use crate::values::step::MessageKind;
use crate::values::world::{ClassKey, GroupIndex, GroupKey, NodeIndex, ObjectIndex};

/// A net and what its parts stand for.
#[derive(Clone, Debug)]
pub struct Abstraction {
    /// The net. Component `i` is group `i`, then come those of global slots; a buffer's name is its object's index.
    pub net: Net,
    /// What each transition's `origin` stands for.
    pub origins: Vec<Origin>,
    /// Other statements that are the same transition, by its `origin`.
    pub merged: HashMap<u32, Vec<Origin>>,
    /// The counter of each message class.
    pub counters: HashMap<(ObjectIndex, ClassKey), CounterId>,
    /// The counter of starts of each group that `run` starts.
    pub starts: HashMap<GroupIndex, CounterId>,
    /// Global slots that have a component of their own, after those of the groups, with their values in order.
    pub trackers: Vec<(u32, Vec<i32>)>,
    /// Statements that would lead to values that were guessed never to occur.
    pub exits: BTreeSet<Exit>,
}

/// A statement of a group at a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// Who.
    pub group: GroupIndex,
    /// Where.
    pub node: NodeIndex,
    /// Which statement.
    pub edge: EdgeId,
    /// Which node and choice of its `d_step` it is.
    pub inside: Option<(u32, u32)>,
    /// What is done with a message of which buffer, if anything.
    pub message: Option<(MessageKind, ObjectIndex)>,
}

/// The moves and effects of a transition while it is put together.
type Bundle = (Vec<Move>, Vec<(CounterId, i32)>);

/// Makes the net of an analysis. `room`: capacities are as declared, and the room that is left is counted too.
pub fn build(
    analysis: &Analysis<'_>,
    room: bool,
    limits: AnalysisLimits<'_>,
) -> Result<Abstraction, AnalysisError> {
    Builder::new(analysis, room, limits.transitions).build(limits.cancelled).map_err(Stop::into_error)
}

struct Builder<'a, 's> {
    analysis: &'a Analysis<'s>,
    result: Abstraction,
    rooms: HashMap<ObjectIndex, CounterId>,
    seen: HashMap<Transition, u32>,
    most_transitions: usize,
    /// Groups whose nodes contain globals.
    observers: Vec<GroupIndex>,
}

impl<'a, 's> Builder<'a, 's> {
    fn new(analysis: &'a Analysis<'s>, room: bool, most_transitions: usize) -> Builder<'a, 's> {
        let world = &analysis.world;
        let mut net = Net::default();
        let mut counters = HashMap::new();
        let mut rooms = HashMap::new();
        for (index, object) in world.object_indices() {
            let capacity = analysis.system.model.channel_types[object.channel_type.0 as usize].capacity;
            let buffer = BufferId(index.0);
            for class in object.classes.keys() {
                let counted = if capacity == 0 { Counted::Handshake } else { Counted::Messages(buffer) };
                let id = add_counter(&mut net, counted, 0);
                counters.insert((index, class.clone()), id);
            }
            // Channels of processes come and go, and so does their room; only what stays is counted.
            if room && capacity > 0 && matches!(object.declared, crate::values::world::Declared::Global(_)) {
                rooms.insert(index, add_counter(&mut net, Counted::Room(buffer), capacity));
            }
        }
        let mut starts = HashMap::new();
        for (index, group) in world.group_indices() {
            let alone = matches!(group.key, GroupKey::Initial(..));
            let initial = initial_tokens(analysis, index);
            if !alone {
                let counted = Counted::Starts(ComponentId(index.0));
                starts.insert(index, add_counter(&mut net, counted, 0));
            }
            net.components.push(Component {
                name: group_name(analysis, group),
                nodes: group.nodes.len() as u32,
                initial,
                tokens: if alone { Tokens::AtMostOne } else { Tokens::Any },
            });
        }
        let observers = world
            .group_indices()
            .filter(|(_, group)| !group.tracked_globals.is_empty())
            .map(|(index, _)| index)
            .collect();
        let trackers = trackers(analysis);
        for (slot, values, initial) in &trackers {
            net.components.push(Component {
                name: analysis.system.global_slots[*slot as usize].name.clone(),
                nodes: values.len() as u32,
                initial: vec![(*initial, 1)],
                tokens: Tokens::AtMostOne,
            });
        }
        let trackers = trackers.into_iter().map(|(slot, values, _)| (slot, values)).collect();
        let exits = BTreeSet::new();
        let result = Abstraction {
            net,
            origins: Vec::new(),
            merged: HashMap::new(),
            counters,
            starts,
            trackers,
            exits,
        };
        Builder { analysis, result, rooms, seen: HashMap::new(), most_transitions, observers }
    }

    fn build(mut self, cancelled: &dyn Fn() -> bool) -> Result<Abstraction, Stop> {
        for (group, data) in self.analysis.world.group_indices() {
            if cancelled() {
                return Err(Stop::Error(AnalysisError::Cancelled));
            }
            for node in 0..data.nodes.len() {
                let node = NodeIndex(node as u32);
                for arc in self.analysis.flows[data.automaton.0 as usize].arcs(data.node(node).key.point) {
                    for alternative in self.analysis.alternatives(group, node, arc)? {
                        self.add((group, node), (arc.edge, arc.inside), arc.progress, &alternative)?;
                    }
                }
            }
        }
        Ok(self.result)
    }

    fn add(
        &mut self,
        (group, node): (GroupIndex, NodeIndex),
        (edge, inside): (EdgeId, Option<(u32, u32)>),
        progress: bool,
        alternative: &Alternative,
    ) -> Result<(), Stop> {
        let data = self.analysis.world.group(group);
        let to = match &alternative.target {
            Target::OutOfGuess => {
                let taken = alternative.effect.message.as_ref().filter(|m| m.kind == MessageKind::Receive);
                let taken = taken.and_then(|m| self.result.counters.get(&(m.object, m.class.clone())));
                let taken = taken.copied().filter(|&counter| self.result.net.counts_messages(counter));
                let (component, node) = (ComponentId(group.0), NodeId(node.0));
                self.result.exits.insert(Exit { component, node, taken });
                return Ok(());
            }
            Target::Ended => None,
            // A node is missing only if the fixed point was not reached.
            Target::Node(key) => Some(*data.node_index.get(key).ok_or(Stop::Error(AnalysisError::TooLarge))?),
        };
        let own = Move {
            component: ComponentId(group.0),
            from: Some(NodeId(node.0)),
            to: to.map(|node| NodeId(node.0)),
        };
        let mut effect: Vec<(CounterId, i32)> = Vec::new();
        let message = alternative.effect.message.as_ref();
        if let Some(message) = message {
            let by = match message.kind {
                MessageKind::Send => 1,
                MessageKind::Receive => -1,
                MessageKind::Copy => 0,
            };
            let counter = self.result.counters.get(&(message.object, message.class.clone()));
            let counter = *counter.ok_or(Stop::Error(AnalysisError::TooLarge))?;
            if by != 0 {
                effect.push((counter, by));
                if let Some(&room) = self.rooms.get(&message.object) {
                    effect.push((room, -by));
                }
            }
        }
        let mut moves = vec![own];
        moves.extend(self.tracker_moves(group, alternative)?);
        let mut bundles: Vec<Bundle> = vec![(moves, effect)];
        if let Some((proctype, arguments)) = &alternative.effect.run {
            let mut started = Vec::new();
            for (key, _) in self.analysis.groups_for(AutomatonId(proctype.0), arguments)? {
                let Some(&target) = self.analysis.world.group_index.get(&key) else { continue };
                for &start in &self.analysis.world.group(target).start {
                    if !self.start_agrees(target, start, &alternative.changes) {
                        continue;
                    }
                    let arrival =
                        Move { component: ComponentId(target.0), from: None, to: Some(NodeId(start.0)) };
                    for (moves, effect) in &bundles {
                        let (mut moves, mut effect) = (moves.clone(), effect.clone());
                        moves.push(arrival);
                        if let Some(&counter) = self.result.starts.get(&target) {
                            effect.push((counter, 1));
                        }
                        started.push((moves, effect));
                    }
                }
            }
            bundles = started;
        }
        if alternative.changes.iter().any(|change| change.before != change.after) {
            for index in 0..self.observers.len() {
                let observer = self.observers[index];
                if observer != group {
                    bundles = self.with_observer(bundles, observer, &alternative.changes)?;
                }
            }
        }
        let message = message.map(|message| (message.kind, message.object));
        let origin = Origin { group, node, edge, inside, message };
        for (moves, mut effect) in bundles {
            effect.sort_unstable();
            let moves: Vec<Move> = moves;
            let transition = Transition { moves, effect, progress, origin: 0 };
            let next = self.result.origins.len() as u32;
            match *self.seen.entry(transition.clone()).or_insert(next) {
                known if known == next => {
                    self.result.origins.push(origin);
                    self.result.net.transitions.push(Transition { origin: next, ..transition });
                }
                known => {
                    let merged = self.result.merged.entry(known).or_default();
                    if self.result.origins[known as usize] != origin && !merged.contains(&origin) {
                        merged.push(origin);
                    }
                }
            }
        }
        if self.result.net.transitions.len() > self.most_transitions {
            return Err(Stop::Error(AnalysisError::TooLarge));
        }
        Ok(())
    }

    /// What a statement does to the components of global slots that it knows or writes.
    fn tracker_moves(&self, group: GroupIndex, alternative: &Alternative) -> Result<Vec<Move>, Stop> {
        let own = &self.analysis.world.group(group).tracked_globals;
        let groups = self.analysis.world.groups.len();
        let mut moves = Vec::new();
        for change in &alternative.changes {
            let position = self.result.trackers.iter().position(|(slot, _)| *slot == change.slot);
            let written = alternative.effect.writes.iter().any(|(slot, _)| *slot == change.slot);
            let Some(position) = position.filter(|_| written || own.binary_search(&change.slot).is_ok())
            else {
                continue;
            };
            let values = &self.result.trackers[position].1;
            let node = |value: i32| match values.binary_search(&value) {
                Ok(index) => Ok(Some(NodeId(index as u32))),
                Err(_) => Err(Stop::Error(AnalysisError::TooLarge)),
            };
            let component = ComponentId((groups + position) as u32);
            moves.push(Move { component, from: node(change.before)?, to: node(change.after)? });
        }
        Ok(moves)
    }

    fn start_agrees(&self, group: GroupIndex, start: NodeIndex, changes: &[Change]) -> bool {
        let data = self.analysis.world.group(group);
        let slots = &data.tracked_globals;
        let globals = &data.node(start).key.globals;
        changes.iter().all(|change| match slots.binary_search(&change.slot) {
            Ok(position) => globals[position] == change.after,
            Err(_) => true,
        })
    }

    /// Each bundle once for each node of the observer that the change may move, and once without if it may not be there. Every observer
    /// multiplies the bundles, so the limit is asked before.
    fn with_observer(
        &self,
        bundles: Vec<Bundle>,
        observer: GroupIndex,
        changes: &[Change],
    ) -> Result<Vec<Bundle>, Stop> {
        let data = self.analysis.world.group(observer);
        let slots = &data.tracked_globals;
        if !changes
            .iter()
            .any(|change| change.before != change.after && slots.binary_search(&change.slot).is_ok())
        {
            return Ok(bundles);
        }
        let mut steps: Vec<Move> = Vec::new();
        for (index, node) in data.nodes.iter().enumerate() {
            if !agrees_with(slots, &node.key.globals, changes) {
                continue;
            }
            if let Some(globals) = moved_by(slots, &node.key.globals, changes) {
                let key = crate::values::world::NodeKey { globals, ..node.key.clone() };
                if let Some(target) = data.node_index.get(&key) {
                    steps.push(Move {
                        component: ComponentId(observer.0),
                        from: Some(NodeId(index as u32)),
                        to: Some(NodeId(target.0)),
                    });
                }
            }
        }
        if bundles.len().saturating_mul(steps.len() + 1) > self.most_transitions {
            return Err(Stop::Error(AnalysisError::TooLarge));
        }
        let mut results = Vec::new();
        for (moves, effect) in bundles {
            for &step in &steps {
                let mut moves = moves.clone();
                moves.push(step);
                results.push((moves, effect.clone()));
            }
            // The observer may not have been started yet, or have ended.
            results.push((moves, effect));
        }
        Ok(results)
    }
}

/// Global slots that several groups have in their nodes: a component of its own makes them agree. With each slot its values in
/// order, and the node that it begins in.
fn trackers(analysis: &Analysis<'_>) -> Vec<(u32, Vec<i32>, NodeId)> {
    let mut watchers: BTreeMap<u32, usize> = BTreeMap::new();
    for slot in analysis.world.groups.iter().flat_map(|group| &group.tracked_globals) {
        *watchers.entry(*slot).or_default() += 1;
    }
    let Ok(initial) = Interpreter::new(analysis.system, Capacities::Unbounded).initial_state() else {
        return Vec::new();
    };
    let shared = watchers.into_iter().filter(|&(slot, watchers)| {
        let data = &analysis.system.global_slots[slot as usize];
        watchers >= 2 && data.scalar != Scalar::Chan && !data.hidden
    });
    let known = shared.filter_map(|(slot, _)| {
        let values = analysis.world.globals[slot as usize].as_set()?.to_vec();
        let start = values.binary_search(&initial.globals[slot as usize]).ok()?;
        Some((slot, values, NodeId(start as u32)))
    });
    known.collect()
}

fn add_counter(net: &mut Net, counted: Counted, initial: u32) -> CounterId {
    net.counters.push(Counter { counted, initial });
    CounterId(net.counters.len() as u32 - 1)
}

/// Tokens that stand in a group's nodes before anything has happened.
fn initial_tokens(analysis: &Analysis<'_>, group: GroupIndex) -> Vec<(NodeId, u32)> {
    analysis.initial.iter().filter(|(initial, _)| *initial == group).fold(
        Vec::new(),
        |mut tokens: Vec<(NodeId, u32)>, &(_, node)| {
            match tokens.iter_mut().find(|(known, _)| known.0 == node.0) {
                Some((_, number)) => *number += 1,
                None => tokens.push((NodeId(node.0), 1)),
            }
            tokens
        },
    )
}
