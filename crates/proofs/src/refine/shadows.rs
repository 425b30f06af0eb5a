//! Shadows of senders: what a receiver takes from a first-in first-out buffer follows the control flow of who sends to it.
//!
//! An attempt without shadows says who sends and receives which classes of messages. From it comes a [`Shadows`] plan: a
//! second graph of each sender, coarser than its own (no global is known there), and how a place in that graph moves with
//! each message that the receiver takes. The next attempt splits the receiver's nodes by that place.
//!
//! The values of the plan are those of the coarser attempt. The finer one knows at least as much, so what the plan
//! leaves out cannot happen there either; and the checker goes over the graph with code of its own.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use system::automaton::Action;

use crate::net::Tokens;
use crate::refine::attempt::Attempt;
use crate::values::analysis::{Analysis, AnalysisError, Stop, join_and_widen, keep_in_intervals};
use crate::values::evaluate::channels;
use crate::values::flow::PointId;
use crate::values::sets::Values;
use crate::values::step::{Message, MessageKind, effects};
use crate::values::world::{
    ClassKey, Declared, Group, GroupIndex, GroupKey, ObjectIndex, ShadowWish, View, object_of,
};

/// Nodes of one auxiliary graph.
const LARGEST_GRAPH: usize = 2_000;
/// Changes of one of its nodes after which sets jump to intervals.
const PATIENCE: u32 = 80;

/// Which receivers follow which senders.
#[derive(Clone, Debug, Default)]
pub struct Shadows {
    /// Graphs of senders.
    pub auxiliaries: Vec<Auxiliary>,
    follows: HashMap<GroupKey, Vec<Follow>>,
}

/// A second graph of a sender.
#[derive(Clone, Debug)]
pub struct Auxiliary {
    /// Whose.
    pub sender: GroupKey,
    /// Its nodes; the first is where the sender begins.
    pub nodes: Vec<AuxiliaryNode>,
}

/// A place in the graph of a sender.
#[derive(Clone, Debug)]
pub struct AuxiliaryNode {
    /// The point of control.
    pub point: PointId,
    /// Values of every local slot.
    pub locals: Vec<Values>,
}

/// A receiver follows the order of a sender.
#[derive(Clone, Debug)]
pub struct Follow {
    /// The buffer between them.
    pub object: ObjectIndex,
    /// The sender's graph: an index into [`Shadows::auxiliaries`].
    pub auxiliary: usize,
    /// For each place where it may be after the next message of each class.
    moves: Vec<BTreeMap<ClassKey, BTreeSet<u32>>>,
}

impl Follow {
    fn sends(&self, class: &ClassKey) -> bool {
        self.moves.iter().any(|next| next.contains_key(class))
    }
}

impl Shadows {
    /// Whether nobody follows anybody.
    pub fn is_empty(&self) -> bool {
        self.auxiliaries.is_empty() && self.follows.is_empty()
    }

    /// The shadows that the nodes of a group carry.
    pub fn of(&self, receiver: &GroupKey) -> &[Follow] {
        self.follows.get(receiver).map_or(&[], Vec::as_slice)
    }

    /// Where the shadows of a new process are.
    pub fn beginning(&self, receiver: &GroupKey) -> Vec<u32> {
        vec![0; self.of(receiver).len()]
    }

    /// Where the shadows may be after a statement: one vector for each combination.
    pub fn after(&self, receiver: &GroupKey, before: &[u32], message: Option<&Message>) -> Vec<Vec<u32>> {
        let mut all = vec![Vec::new()];
        for (follow, &place) in self.of(receiver).iter().zip(before) {
            let taken = message.filter(|message| {
                message.kind == MessageKind::Receive
                    && message.object == follow.object
                    && follow.sends(&message.class)
            });
            let places: Vec<u32> = match taken {
                Some(message) => {
                    follow.moves[place as usize].get(&message.class).into_iter().flatten().copied().collect()
                }
                None => vec![place],
            };
            all = all
                .iter()
                .flat_map(|tuple: &Vec<u32>| places.iter().map(move |&p| [tuple.as_slice(), &[p]].concat()))
                .collect();
        }
        all
    }
}

/// Who may follow whom in an attempt, by automata and variables; only where a receiver tells several classes of a sender apart.
pub fn wishes(attempt: &Attempt<'_>) -> BTreeSet<ShadowWish> {
    let world = &attempt.analysis.world;
    let variables = &attempt.analysis.system.model.globals;
    let mut found = BTreeSet::new();
    for Pair { receiver, object, sender } in pairs(attempt) {
        let Declared::Global(slot) = world.object(object).declared else { continue };
        let variable = variables.iter().find(|v| (v.slot..v.slot + v.slots).contains(&slot));
        found.extend(variable.map(|variable| ShadowWish {
            receiver: world.group(receiver).automaton,
            slot: variable.slot,
            slots: variable.slots,
            sender: world.group(sender).automaton,
        }));
    }
    found
}

/// The plan for these wishes, from an attempt without shadows.
pub fn plan(attempt: &Attempt<'_>, wishes: &[ShadowWish]) -> Result<Shadows, AnalysisError> {
    let world = &attempt.analysis.world;
    let mut shadows = Shadows::default();
    let mut graphs: HashMap<GroupIndex, (usize, Graph)> = HashMap::new();
    for Pair { receiver, object, sender } in pairs(attempt) {
        let Declared::Global(slot) = world.object(object).declared else { continue };
        let is_wished = wishes.iter().any(|wish| {
            wish.receiver == world.group(receiver).automaton
                && wish.sender == world.group(sender).automaton
                && (wish.slot..wish.slot + wish.slots).contains(&slot)
        });
        if !is_wished {
            continue;
        }
        if let std::collections::hash_map::Entry::Vacant(entry) = graphs.entry(sender) {
            let Some(graph) = Graph::of(&attempt.analysis, sender).map_err(Stop::into_error)? else {
                continue;
            };
            entry.insert((shadows.auxiliaries.len(), graph.clone()));
            shadows
                .auxiliaries
                .push(Auxiliary { sender: world.group(sender).key.clone(), nodes: graph.nodes });
        }
        let (auxiliary, graph) = &graphs[&sender];
        let follow = Follow { object, auxiliary: *auxiliary, moves: graph.moves(object) };
        shadows.follows.entry(world.group(receiver).key.clone()).or_default().push(follow);
    }
    Ok(shadows)
}

/// A receiver, a buffer, and a sender whose classes nobody else sends or receives there.
struct Pair {
    receiver: GroupIndex,
    object: ObjectIndex,
    sender: GroupIndex,
}

fn pairs(attempt: &Attempt<'_>) -> Vec<Pair> {
    let abstraction = &attempt.abstraction;
    let mut classes: HashMap<u32, &(ObjectIndex, ClassKey)> = HashMap::new();
    classes.extend(abstraction.counters.iter().map(|(class, counter)| (counter.0, class)));
    type Traffic<'a> = BTreeMap<&'a ClassKey, (BTreeSet<GroupIndex>, BTreeSet<GroupIndex>)>;
    let mut traffic: BTreeMap<ObjectIndex, Traffic<'_>> = BTreeMap::new();
    for transition in &abstraction.net.transitions {
        let origin = abstraction.origins[transition.origin as usize];
        for &(counter, by) in &transition.effect {
            let Some((object, class)) = classes.get(&counter.0) else { continue };
            let (senders, receivers) = traffic.entry(*object).or_default().entry(class).or_default();
            if by > 0 { senders } else { receivers }.insert(origin.group);
        }
    }
    let unordered = unordered(&attempt.analysis);
    let system = attempt.analysis.system;
    let mut found = Vec::new();
    for (object, traffic) in traffic {
        let channel_type = attempt.analysis.world.object(object).channel_type;
        if system.model.channel_types[channel_type.0 as usize].capacity == 0 || unordered.contains(&object) {
            continue;
        }
        let senders: BTreeSet<GroupIndex> =
            traffic.values().flat_map(|(senders, _)| senders.iter().copied()).collect();
        for sender in senders {
            let own: Vec<_> = traffic.values().filter(|(senders, _)| senders.contains(&sender)).collect();
            let receivers: BTreeSet<GroupIndex> =
                own.iter().flat_map(|(_, receivers)| receivers.iter().copied()).collect();
            let is_exclusive = own.len() >= 2 && own.iter().all(|(senders, _)| senders.len() == 1);
            let mut receivers = receivers.into_iter();
            if is_exclusive
                && let (Some(receiver), None) = (receivers.next(), receivers.next())
                && is_alone(attempt, sender)
                && is_alone(attempt, receiver)
            {
                found.push(Pair { receiver, object, sender });
            }
        }
    }
    found
}

fn is_alone(attempt: &Attempt<'_>, group: GroupIndex) -> bool {
    attempt.abstraction.net.components[group.0 as usize].tokens == Tokens::AtMostOne
        || attempt.starts(&|| false).get(&group).is_some_and(|(at_most, _)| *at_most <= 1)
}

/// Buffers that some `!!` or `??` uses.
fn unordered(analysis: &Analysis<'_>) -> BTreeSet<ObjectIndex> {
    let mut found = BTreeSet::new();
    for group in &analysis.world.groups {
        for node in &group.nodes {
            for arc in analysis.flows[group.automaton.0 as usize].arcs(node.key.point) {
                if let Action::Send { channel, sorted: true, .. }
                | Action::Receive { channel, random: true, .. } = arc.action
                {
                    let used = channels(channel, &view_of(analysis, group, &node.locals));
                    found.extend(used.as_set().into_iter().flatten().filter_map(|&value| object_of(value)));
                }
            }
        }
    }
    found
}

/// What a process sees that knows nothing of the globals but what always holds.
fn view_of<'w>(analysis: &'w Analysis<'_>, group: &'w Group, locals: &'w [Values]) -> View<'w> {
    let locals = Cow::Borrowed(locals);
    View { world: &analysis.world, pid: &group.pid, locals, known_globals: Vec::new() }
}

/// What a statement sends, and where to.
type Sent = (ObjectIndex, ClassKey);

/// An auxiliary graph while it grows.
#[derive(Clone, Debug)]
struct Graph {
    nodes: Vec<AuxiliaryNode>,
    index: HashMap<(PointId, Vec<i32>), u32>,
    changes: Vec<u32>,
    /// For each node where its statements lead, and what they send.
    arcs: Vec<Vec<(Option<Sent>, u32)>>,
}

impl Graph {
    /// The graph of a group without globals; `None` if the group may begin at several nodes, or the graph is too large.
    fn of(analysis: &Analysis<'_>, sender: GroupIndex) -> Result<Option<Graph>, Stop> {
        let group = analysis.world.group(sender);
        let automaton = group.automaton;
        // What always holds of the sender's variables may be used: its own graph shows it.
        let mut always: Vec<Values> = vec![Values::empty(); analysis.system.automaton(automaton).slots.len()];
        for node in &group.nodes {
            always.iter_mut().zip(&node.locals).for_each(|(all, values)| {
                all.join_with(values);
            });
        }
        let mut graph =
            Graph { nodes: Vec::new(), index: HashMap::new(), changes: Vec::new(), arcs: Vec::new() };
        let mut open = VecDeque::new();
        for &start in &group.start {
            let node = group.node(start);
            graph.reach(analysis, group, node.key.point, &node.key.locals, &node.locals, &mut open);
        }
        if graph.nodes.len() != 1 {
            return Ok(None);
        }
        while let Some(from) = open.pop_front() {
            if graph.nodes.len() > LARGEST_GRAPH {
                return Ok(None);
            }
            let AuxiliaryNode { point, locals } = graph.nodes[from as usize].clone();
            let view = view_of(analysis, group, &locals);
            let mut arcs = Vec::new();
            for arc in analysis.flows[automaton.0 as usize].arcs(point) {
                let Some(target) = arc.target else { continue };
                let results =
                    effects(analysis.system, &view, arc).map_err(|_| Stop::Error(AnalysisError::TooLarge))?;
                for effect in results {
                    let after: Vec<Values> =
                        effect.locals.iter().zip(&always).map(|(values, all)| values.meet(all)).collect();
                    if after.iter().any(Values::is_empty) {
                        continue;
                    }
                    let sent = effect.message.filter(|message| message.kind == MessageKind::Send);
                    for (tracked, frame) in analysis.split_locals(automaton, after)? {
                        let to = graph.reach(analysis, group, target, &tracked, &frame, &mut open);
                        let sent = sent.as_ref().map(|message| (message.object, message.class.clone()));
                        arcs.push((sent, to));
                    }
                }
            }
            graph.arcs[from as usize] = arcs;
        }
        Ok(Some(graph))
    }

    fn reach(
        &mut self,
        analysis: &Analysis<'_>,
        group: &Group,
        point: PointId,
        tracked: &[i32],
        locals: &[Values],
        open: &mut VecDeque<u32>,
    ) -> u32 {
        let next = self.nodes.len() as u32;
        let index = *self.index.entry((point, tracked.to_vec())).or_insert(next);
        if index == next {
            self.nodes.push(AuxiliaryNode { point, locals: locals.to_vec() });
            self.changes.push(0);
            self.arcs.push(Vec::new());
            open.push_back(index);
            return index;
        }
        let slots = &analysis.system.automaton(group.automaton).slots;
        let changes = &mut self.changes[index as usize];
        let mut changed = false;
        for ((own, new), slot) in self.nodes[index as usize].locals.iter_mut().zip(locals).zip(slots) {
            changed |= join_and_widen(own, new, slot.scalar, *changes > PATIENCE);
        }
        let (slots, cuts) = analysis.tracking.of(group.automaton);
        keep_in_intervals(slots, cuts, tracked, &mut self.nodes[index as usize].locals);
        if changed {
            *changes += 1;
            open.push_back(index);
        }
        index
    }

    /// For each node, where a shadow may be after the next message to the object: along any path that sends nothing to it,
    /// then over one arc that does.
    fn moves(&self, object: ObjectIndex) -> Vec<BTreeMap<ClassKey, BTreeSet<u32>>> {
        let from_each = |start: u32| {
            let mut next: BTreeMap<ClassKey, BTreeSet<u32>> = BTreeMap::new();
            let mut reached = BTreeSet::from([start]);
            let mut open = vec![start];
            while let Some(node) = open.pop() {
                for (sent, to) in &self.arcs[node as usize] {
                    match sent {
                        Some((to_object, class)) if *to_object == object => {
                            next.entry(class.clone()).or_default().insert(*to);
                        }
                        _ if reached.insert(*to) => open.push(*to),
                        _ => {}
                    }
                }
            }
            next
        };
        (0..self.nodes.len() as u32).map(from_each).collect()
    }
}
