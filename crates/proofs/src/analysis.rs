//! Value analysis: grows a [`World`] until no statement leads out of it.
//!
//! Flow-sensitive for local variables (each node has its own sets), flow-insensitive for globals and messages. Nodes are split by the
//! values of tracked variables; for everything else one node a point of control. Processes are grouped by the arguments they are
//! started with, so that a ring of nodes that differ in their channels is resolved exactly.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use promela::model::{Frame, Initializer, Place, ReceiveArgument, Scalar};
use system::automaton::{Action, AutomatonId, System};

use crate::evaluate::{Environment, channels, evaluate, slots_of, visit_place, visit_places};
use crate::flow::{Arc, Flow};
use crate::frame::{SlotStart, starts};
use crate::shadows::Shadows;
use crate::step::{Message, MessageKind, Outcome, Unreadable, find_run, outcomes};
use crate::values::Values;
use crate::world::{
    Declared, Distinctions, Group, GroupIndex, GroupKey, Node, NodeIndex, NodeKey, Object, ObjectIndex,
    Tracking, View, World, object_of, value_of,
};

/// Groups that one `run` may start processes in.
const MOST_GROUPS_OF_A_RUN: usize = 16;

/// Changes of one node, or of the messages of one channel, after which sets jump to intervals.
const PATIENCE: u32 = 80;
/// How often a node is visited on average before the analysis is given up.
const VISITS_OF_A_NODE: usize = 10;

/// How far an analysis may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AnalysisLimits {
    /// Nodes of all groups together.
    pub nodes: usize,
    /// Groups of one proctype that differ in their arguments.
    pub groups: usize,
    /// Transitions of the net.
    pub transitions: usize,
}

impl Default for AnalysisLimits {
    fn default() -> AnalysisLimits {
        AnalysisLimits { nodes: 400_000, groups: 20_000, transitions: 2_000_000 }
    }
}

/// Why an analysis has no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AnalysisError {
    /// A statement uses a channel that cannot be resolved, at this edge.
    UnknownChannel {
        /// Where.
        automaton: AutomatonId,
        /// The statement.
        edge: system::automaton::EdgeId,
    },
    /// A tracked local variable has too many values.
    TooManyValues {
        /// Whose.
        automaton: AutomatonId,
        /// Which frame.
        frame: Frame,
        /// Which slot.
        slot: u32,
    },
    /// The limit on nodes, groups or alternatives was reached.
    TooLarge,
}

/// A system under analysis.
pub struct Analysis<'s> {
    /// The system.
    pub system: &'s System,
    /// Control flow of each automaton of a process.
    pub flows: &'s [Flow<'s>],
    /// What is known.
    pub world: World,
    /// What nodes are split by.
    pub tracking: Tracking,
    /// Which receivers follow which senders.
    pub shadows: Shadows,
    /// The group and node of each process that starts by itself.
    pub initial: Vec<(GroupIndex, NodeIndex)>,
    limits: AnalysisLimits,
    /// Parameters of each proctype that do not tell groups apart.
    merged: Vec<BTreeSet<usize>>,
    node_count: usize,
    worklist: VecDeque<(GroupIndex, NodeIndex)>,
    queued: HashSet<(GroupIndex, NodeIndex)>,
    dependents: HashMap<Cell, BTreeSet<(GroupIndex, NodeIndex)>>,
    interferences: BTreeMap<GroupIndex, BTreeSet<Vec<Change>>>,
    observed: BTreeSet<u32>,
    /// Global slots that each group looks at or writes, from a coarser analysis; nothing: all of them.
    touched: HashMap<GroupKey, BTreeSet<u32>>,
}

/// What a coarse analysis tells a finer one.
#[derive(Clone, Default)]
struct Learnt {
    distinctions: Distinctions,
    touched: HashMap<GroupKey, BTreeSet<u32>>,
    shadows: Shadows,
}

/// A tracked global slot before and after a statement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Change {
    /// The global slot.
    pub slot: u32,
    /// Its value before.
    pub before: i32,
    /// Its value after.
    pub after: i32,
}

/// One thing that a statement may do, with the tracked globals spelled out.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// What it does.
    pub outcome: Outcome,
    /// Tracked globals that it looks at or writes.
    pub changes: Vec<Change>,
    /// Where the process stands afterwards; `None`: it has ended.
    pub target: Option<NodeKey>,
}

/// Values of the tracked slots, and the frame that has them.
pub type TrackedFrame = (Vec<i32>, Vec<Values>);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Cell {
    Global(u32),
    Object(ObjectIndex),
}

/// The control flow of every proctype.
pub fn flows<'s>(
    system: &'s System,
    progress: &dyn Fn(AutomatonId, system::automaton::LocationId) -> bool,
) -> Vec<Flow<'s>> {
    system
        .process_automata()
        .map(|(id, automaton)| Flow::new(automaton, &|location| progress(id, location)))
        .collect()
}

impl<'s> Analysis<'s> {
    /// Analyses a system: first coarsely, to learn which message fields are told apart, then with that knowledge.
    pub fn run(
        system: &'s System,
        flows: &'s [Flow<'s>],
        initial: &[AutomatonId],
        tracking: &Tracking,
        shadows: Shadows,
        limits: AnalysisLimits,
    ) -> Result<Analysis<'s>, AnalysisError> {
        let plain = Tracking { locals: tracking.locals.clone(), ..Tracking::default() };
        let plain = plain.for_automata(flows.len());
        let coarse = Analysis::fixed_point(system, flows, initial, &plain, Learnt::default(), limits)?;
        let learnt = Learnt {
            distinctions: coarse.distinctions(tracking),
            touched: coarse.touched_globals(),
            shadows,
        };
        Analysis::fixed_point(system, flows, initial, tracking, learnt, limits)
    }

    fn fixed_point(
        system: &'s System,
        flows: &'s [Flow<'s>],
        initial: &[AutomatonId],
        tracking: &Tracking,
        learnt: Learnt,
        limits: AnalysisLimits,
    ) -> Result<Analysis<'s>, AnalysisError> {
        let mut merged: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); flows.len()];
        loop {
            let mut analysis =
                Analysis::start(system, flows, initial, tracking, learnt.clone(), limits, merged.clone())?;
            match analysis.grow() {
                Ok(()) => return Ok(analysis),
                Err(Stop::Merge(automaton, parameter)) => {
                    if !merged[automaton.0 as usize].insert(parameter) {
                        return Err(AnalysisError::TooLarge);
                    }
                }
                Err(Stop::Error(error)) => return Err(error),
            }
        }
    }

    fn start(
        system: &'s System,
        flows: &'s [Flow<'s>],
        initial: &[AutomatonId],
        tracking: &Tracking,
        Learnt { distinctions, touched, shadows }: Learnt,
        limits: AnalysisLimits,
        merged: Vec<BTreeSet<usize>>,
    ) -> Result<Analysis<'s>, AnalysisError> {
        let mut world = World {
            objects: Vec::new(),
            groups: Vec::new(),
            globals: vec![Values::single(0); system.global_slots.len()],
            group_index: HashMap::new(),
            object_index: HashMap::new(),
            distinctions,
        };
        let nobody = Values::single(0);
        for variable in &system.model.globals {
            let view = View { world: &world, pid: &nobody, locals: Vec::new(), known_globals: Vec::new() };
            let slots = starts(&system.model, variable.ty, variable.length, &variable.init, &view);
            for (offset, start) in slots.into_iter().enumerate() {
                let slot = variable.slot + offset as u32;
                world.globals[slot as usize] = match start {
                    SlotStart::Values(values) => values,
                    SlotStart::Channel(channel_type) => {
                        Values::single(value_of(new_object(&mut world, Declared::Global(slot), channel_type)))
                    }
                };
            }
        }
        let run_somewhere = proctypes_run(flows);
        let mut analysis = Analysis {
            system,
            flows,
            world,
            observed: tracking.globals.iter().flatten().copied().collect(),
            tracking: tracking.clone(),
            shadows,
            initial: Vec::new(),
            limits,
            merged,
            node_count: 0,
            worklist: VecDeque::new(),
            queued: HashSet::new(),
            dependents: HashMap::new(),
            interferences: BTreeMap::new(),
            touched,
        };
        for (pid, &automaton) in initial.iter().enumerate() {
            let parameters = system.model.proctypes[automaton.0 as usize].parameters as usize;
            let arguments = vec![Values::single(0); parameters];
            let (key, pids) = if run_somewhere[automaton.0 as usize] {
                let merged = &analysis.merged[automaton.0 as usize];
                let key =
                    (0..parameters).map(|position| (!merged.contains(&position)).then_some(0)).collect();
                let key = GroupKey::Run(automaton, key);
                (key, Values::range(0, 255))
            } else {
                (GroupKey::Initial(automaton, pid as i32), Values::single(pid as i32))
            };
            let globals = analysis.world.globals.clone();
            let started =
                analysis.start_process(key, pids, &arguments, &globals).map_err(Stop::into_error)?;
            analysis.initial.extend(started);
        }
        Ok(analysis)
    }

    fn grow(&mut self) -> Result<(), Stop> {
        let mut visits = 0;
        while let Some((group, node)) = self.worklist.pop_front() {
            visits += 1;
            if visits > self.limits.nodes.saturating_mul(VISITS_OF_A_NODE) {
                return Err(Stop::Error(AnalysisError::TooLarge));
            }
            self.queued.remove(&(group, node));
            self.visit(group, node)?;
        }
        Ok(())
    }

    fn visit(&mut self, group: GroupIndex, node: NodeIndex) -> Result<(), Stop> {
        self.register(group, node);
        let automaton = self.world.group(group).automaton;
        let flows = self.flows;
        let key = self.world.group(group).node(node).key.clone();
        for arc in flows[automaton.0 as usize].arcs(key.point) {
            for alternative in self.alternatives(group, node, arc)? {
                self.apply(group, &alternative)?;
            }
        }
        self.interfere(group, node)
    }

    /// Moves of other processes that change globals which this node's key contains.
    fn interfere(&mut self, group: GroupIndex, node: NodeIndex) -> Result<(), Stop> {
        let current = self.world.group(group).node(node).clone();
        if current.key.globals.is_empty() {
            return Ok(());
        }
        let slots = self.world.group(group).tracked_globals.clone();
        let changes: Vec<Vec<Change>> = self
            .interferences
            .iter()
            .filter(|(writer, _)| **writer != group)
            .flat_map(|(_, changes)| changes.iter().cloned())
            .collect();
        for change in changes {
            if let Some(globals) = moved_by(&slots, &current.key.globals, &change) {
                let key = NodeKey { globals, ..current.key.clone() };
                self.reach(group, key, &current.locals)?;
            }
        }
        Ok(())
    }

    fn apply(&mut self, group: GroupIndex, alternative: &Alternative) -> Result<(), Stop> {
        let outcome = &alternative.outcome;
        for (slot, values) in &outcome.writes {
            self.join_global(*slot, values);
        }
        if let Some(message) = &outcome.message
            && message.kind == MessageKind::Send
        {
            self.join_message(message);
        }
        if let Some((proctype, arguments)) = &outcome.run {
            let mut globals = self.world.globals.clone();
            for change in &alternative.changes {
                globals[change.slot as usize] = Values::single(change.after);
            }
            let automaton = AutomatonId(proctype.0);
            for (key, arguments) in self.groups_for(automaton, arguments)? {
                self.start_process(key, Values::range(1, 255), &arguments, &globals)?;
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
        if let Some(key) = &alternative.target {
            self.reach(group, key.clone(), &outcome.locals)?;
        }
        Ok(())
    }

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
            .map(
                |(values, slot)| {
                    if slot.scalar == Scalar::Chan { values.clone() } else { values.truncate(slot.scalar) }
                },
            )
            .collect();
        if arguments.iter().any(Values::is_empty) {
            return Ok(Vec::new());
        }
        let merged = &self.merged[automaton.0 as usize];
        let mut tuples: Vec<Vec<Option<i32>>> = vec![Vec::new()];
        for (position, values) in arguments.iter().enumerate() {
            let choices: Vec<Option<i32>> = match values.as_set() {
                _ if merged.contains(&position) => vec![None],
                Some(set) if set.len() * tuples.len() <= MOST_GROUPS_OF_A_RUN => {
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

    fn start_process(
        &mut self,
        key: GroupKey,
        pid: Values,
        arguments: &[Values],
        globals: &[Values],
    ) -> Result<Option<(GroupIndex, NodeIndex)>, Stop> {
        let automaton = match &key {
            GroupKey::Initial(automaton, _) | GroupKey::Run(automaton, _) => *automaton,
        };
        let group = match self.world.group_index.get(&key) {
            Some(&group) => group,
            None => {
                let siblings = self.world.groups.iter().filter(|group| group.automaton == automaton).count();
                if siblings >= self.limits.groups {
                    // The parameter that is not merged yet and comes first: some order is as good as any other.
                    let merged = &self.merged[automaton.0 as usize];
                    let next = (0..arguments.len()).find(|position| !merged.contains(position));
                    return Err(next
                        .map_or(Stop::Error(AnalysisError::TooLarge), |next| Stop::Merge(automaton, next)));
                }
                let index = GroupIndex(self.world.groups.len() as u32);
                let wished = &self.tracking.globals[automaton.0 as usize];
                let touched = self.touched.get(&key);
                let tracked_globals = wished
                    .iter()
                    .copied()
                    .filter(|slot| touched.is_none_or(|touched| touched.contains(slot)))
                    .collect();
                self.world.groups.push(Group {
                    tracked_globals,
                    automaton,
                    key: key.clone(),
                    pid: Values::empty(),
                    arguments: arguments.to_vec(),
                    nodes: Vec::new(),
                    start: BTreeSet::new(),
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
        let tracked_globals = self.world.group(group).tracked_globals.clone();
        let shadows = self.shadows.beginning(&self.world.group(group).key);
        let known: Vec<Values> = tracked_globals.iter().map(|&slot| globals[slot as usize].clone()).collect();
        let point = self.flows[automaton.0 as usize].initial;
        let mut started = None;
        for (tracked, locals) in self.split_locals(automaton, &locals)? {
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
                let view =
                    View { world: &self.world, pid: &pid, locals: locals.clone(), known_globals: Vec::new() };
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

    fn reach(&mut self, group: GroupIndex, key: NodeKey, locals: &[Values]) -> Result<NodeIndex, Stop> {
        let automaton = self.world.group(group).automaton;
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
                if !changed {
                    return Ok(index);
                }
                node.changes += 1;
                index
            }
            None => {
                self.node_count += 1;
                if self.node_count > self.limits.nodes {
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

    fn enqueue(&mut self, group: GroupIndex, node: NodeIndex) {
        if self.queued.insert((group, node)) {
            self.worklist.push_back((group, node));
        }
    }

    fn wake(&mut self, cell: Cell) {
        if let Some(nodes) = self.dependents.get(&cell) {
            for (group, node) in nodes.clone() {
                self.enqueue(group, node);
            }
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

    /// All that a statement may do from a node, with tracked variables spelled out.
    pub fn alternatives(
        &self,
        group: GroupIndex,
        node: NodeIndex,
        arc: &Arc<'_>,
    ) -> Result<Vec<Alternative>, Stop> {
        let data = self.world.group(group);
        let automaton = data.automaton;
        let current = data.node(node);
        let own_slots = &data.tracked_globals;
        let own: Vec<(u32, i32)> =
            own_slots.iter().copied().zip(current.key.globals.iter().copied()).collect();
        let base = View {
            world: &self.world,
            pid: &data.pid,
            locals: current.locals.clone(),
            known_globals: own.iter().map(|&(slot, value)| (slot, Values::single(value))).collect(),
        };
        let siblings = self.flows[automaton.0 as usize].arcs(current.key.point);
        let mut results = Vec::new();
        for context in self.contexts(&base, arc, &own)? {
            let mut view = base.clone();
            view.known_globals.extend(context.iter().map(|&(slot, value)| (slot, Values::single(value))));
            let outcomes = outcomes(self.system, &view, arc, siblings).map_err(|error| match error {
                Unreadable::UnknownChannel => {
                    Stop::Error(AnalysisError::UnknownChannel { automaton, edge: arc.edge })
                }
                Unreadable::TooManyAlternatives => Stop::Error(AnalysisError::TooLarge),
            })?;
            let before: Vec<(u32, i32)> = own.iter().chain(&context).copied().collect();
            for outcome in outcomes {
                for after in self.after(automaton, &before, &outcome)? {
                    let changes: Vec<Change> = before
                        .iter()
                        .zip(&after)
                        .map(|(&(slot, before), &after)| Change { slot, before, after })
                        .collect();
                    match arc.target {
                        None => results.push(Alternative { outcome: outcome.clone(), changes, target: None }),
                        Some(point) => {
                            let globals = after[..own.len()].to_vec();
                            let places =
                                self.shadows.after(&data.key, &current.key.shadows, outcome.message.as_ref());
                            for (locals, frame) in self.split_locals(automaton, &outcome.locals)? {
                                results.extend(places.iter().map(|shadows| Alternative {
                                    outcome: Outcome { locals: frame.clone(), ..outcome.clone() },
                                    changes: changes.clone(),
                                    target: Some(NodeKey {
                                        point,
                                        locals: locals.clone(),
                                        globals: globals.clone(),
                                        shadows: shadows.clone(),
                                    }),
                                }));
                            }
                        }
                    }
                }
            }
        }
        Ok(results)
    }

    /// Values of the tracked globals that a statement looks at and that its own node does not know, if it writes one.
    fn contexts(
        &self,
        view: &View<'_>,
        arc: &Arc<'_>,
        own: &[(u32, i32)],
    ) -> Result<Vec<Vec<(u32, i32)>>, Stop> {
        if self.observed.is_empty() {
            return Ok(vec![Vec::new()]);
        }
        let (reads, writes) = global_slots(view, arc);
        if !writes.iter().any(|slot| self.observed.contains(slot)) {
            return Ok(vec![Vec::new()]);
        }
        let slots: Vec<u32> = reads
            .union(&writes)
            .copied()
            .filter(|slot| self.observed.contains(slot) && !own.iter().any(|(known, _)| known == slot))
            .collect();
        let known: Vec<Values> =
            slots.iter().map(|&slot| self.world.globals[slot as usize].clone()).collect();
        let all = combinations(&known)
            .ok_or_else(|| self.too_many(AutomatonId(0), Frame::Global, &slots, &known))?;
        Ok(all.into_iter().map(|values| slots.iter().copied().zip(values).collect()).collect())
    }

    /// Values of the known globals after an outcome: one vector for each combination.
    fn after(
        &self,
        automaton: AutomatonId,
        before: &[(u32, i32)],
        outcome: &Outcome,
    ) -> Result<Vec<Vec<i32>>, Stop> {
        let known: Vec<Values> = before
            .iter()
            .map(|&(slot, value)| {
                let mut written: Option<Values> = None;
                for (_, values) in outcome.writes.iter().filter(|(written, _)| *written == slot) {
                    // The last write wins if all are sure.
                    written = Some(match written {
                        Some(earlier) if !outcome.surely => earlier.join(values),
                        _ => values.clone(),
                    });
                }
                match written {
                    None => Values::single(value),
                    Some(values) if outcome.surely => values,
                    Some(values) => values.join(&Values::single(value)),
                }
            })
            .collect();
        let slots: Vec<u32> = before.iter().map(|(slot, _)| *slot).collect();
        combinations(&known).ok_or_else(|| self.too_many(automaton, Frame::Global, &slots, &known))
    }

    /// The frame once for each combination of values of the tracked slots.
    pub fn split_locals(&self, automaton: AutomatonId, locals: &[Values]) -> Result<Vec<TrackedFrame>, Stop> {
        let slots = &self.tracking.locals[automaton.0 as usize];
        if slots.is_empty() {
            return Ok(vec![(Vec::new(), locals.to_vec())]);
        }
        let known: Vec<Values> = slots.iter().map(|&slot| locals[slot as usize].clone()).collect();
        let all =
            combinations(&known).ok_or_else(|| self.too_many(automaton, Frame::Local, slots, &known))?;
        Ok(all
            .into_iter()
            .map(|values| {
                let mut frame = locals.to_vec();
                for (&slot, &value) in slots.iter().zip(&values) {
                    frame[slot as usize] = Values::single(value);
                }
                (values, frame)
            })
            .collect())
    }

    fn too_many(&self, automaton: AutomatonId, frame: Frame, slots: &[u32], values: &[Values]) -> Stop {
        match slots.iter().zip(values).max_by_key(|(_, values)| values.count()) {
            Some((&slot, _)) => Stop::Error(AnalysisError::TooManyValues { automaton, frame, slot }),
            None => Stop::Error(AnalysisError::TooLarge),
        }
    }

    /// Remembers what the node's statements look at, so that it is visited again when that grows.
    fn register(&mut self, group: GroupIndex, node: NodeIndex) {
        let data = self.world.group(group);
        let automaton = data.automaton;
        let current = data.node(node);
        let view = View {
            world: &self.world,
            pid: &data.pid,
            locals: current.locals.clone(),
            known_globals: Vec::new(),
        };
        let mut cells: BTreeSet<Cell> = BTreeSet::new();
        for arc in self.flows[automaton.0 as usize].arcs(current.key.point) {
            let (reads, writes) = global_slots(&view, arc);
            cells.extend(reads.into_iter().map(Cell::Global));
            cells.extend(writes.into_iter().filter(|slot| self.observed.contains(slot)).map(Cell::Global));
            for channel in channels_looked_at(&view, arc) {
                cells.insert(Cell::Object(channel));
            }
            if let Action::Condition(expr) | Action::Assign { value: expr, .. } = arc.action
                && let Some((proctype, _)) = find_run(expr)
            {
                cells.extend(
                    self.tracking.globals[proctype.0 as usize].iter().map(|&slot| Cell::Global(slot)),
                );
                cells.extend(
                    initializer_reads(self.system, AutomatonId(proctype.0)).into_iter().map(Cell::Global),
                );
            }
        }
        for cell in cells {
            self.dependents.entry(cell).or_default().insert((group, node));
        }
    }

    /// Global slots that each group may look at or write.
    fn touched_globals(&self) -> HashMap<GroupKey, BTreeSet<u32>> {
        let mut touched: HashMap<GroupKey, BTreeSet<u32>> = HashMap::new();
        for group in &self.world.groups {
            let slots = touched.entry(group.key.clone()).or_default();
            for node in &group.nodes {
                let view = View {
                    world: &self.world,
                    pid: &group.pid,
                    locals: node.locals.clone(),
                    known_globals: Vec::new(),
                };
                for arc in self.flows[group.automaton.0 as usize].arcs(node.key.point) {
                    let (reads, writes) = global_slots(&view, arc);
                    slots.extend(reads);
                    slots.extend(writes);
                }
            }
        }
        touched
    }

    /// Which values of message fields some receive tells apart, or some tracked variable remembers.
    fn distinctions(&self, tracking: &Tracking) -> Distinctions {
        let mut values: HashMap<(ObjectIndex, usize), BTreeSet<i32>> = HashMap::new();
        for group in &self.world.groups {
            let automaton = group.automaton;
            for node in &group.nodes {
                for arc in self.flows[automaton.0 as usize].arcs(node.key.point) {
                    let Action::Receive { channel, arguments, .. } = arc.action else { continue };
                    let view = View {
                        world: &self.world,
                        pid: &group.pid,
                        locals: node.locals.clone(),
                        known_globals: Vec::new(),
                    };
                    let Values::Set(objects) = channels(channel, &view) else { continue };
                    for object in objects.iter().filter_map(|&value| object_of(value)) {
                        for (field, argument) in arguments.iter().enumerate() {
                            let told: Vec<i32> = match argument {
                                ReceiveArgument::Match(expr) => match &expr.kind {
                                    promela::model::ExprKind::Read(place) if place.scalar == Scalar::Chan => {
                                        few(&crate::evaluate::read(place, &view))
                                    }
                                    _ => few(&evaluate(expr, &view)),
                                },
                                ReceiveArgument::Store(place)
                                    if is_tracked(tracking, automaton, place, &view) =>
                                {
                                    self.world
                                        .object(object)
                                        .classes
                                        .values()
                                        .flat_map(|fields| few(&fields[field]))
                                        .collect()
                                }
                                _ => Vec::new(),
                            };
                            values.entry((object, field)).or_default().extend(told);
                        }
                    }
                }
            }
        }
        let values = values
            .into_iter()
            .filter(|(_, told)| !told.is_empty())
            .map(|(key, told)| (key, told.into_iter().collect()))
            .collect();
        Distinctions { values }
    }
}

/// Why growing stopped.
#[derive(Debug)]
pub enum Stop {
    /// This parameter of the proctype must not tell groups apart.
    Merge(AutomatonId, usize),
    /// It cannot be done.
    Error(AnalysisError),
}

impl Stop {
    /// The error that it is for somebody who cannot start again.
    pub fn into_error(self) -> AnalysisError {
        match self {
            Stop::Merge(..) => AnalysisError::TooLarge,
            Stop::Error(error) => error,
        }
    }
}

impl Tracking {
    /// The same, with a list for each automaton.
    pub fn for_automata(mut self, automata: usize) -> Tracking {
        self.locals.resize(automata, Vec::new());
        self.globals.resize(automata, Vec::new());
        self
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

fn new_object(
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

/// All choices of one value from each set; `None` if one of them is an interval or they are too many.
fn combinations(known: &[Values]) -> Option<Vec<Vec<i32>>> {
    let mut all: Vec<Vec<i32>> = vec![Vec::new()];
    for values in known {
        let set = values.as_set()?;
        all = all
            .iter()
            .flat_map(|tuple| {
                set.iter().map(move |&value| {
                    let mut longer = tuple.clone();
                    longer.push(value);
                    longer
                })
            })
            .collect();
        if all.len() > 4096 {
            return None;
        }
    }
    Some(all)
}

fn few(values: &Values) -> Vec<i32> {
    values.as_set().map(<[i32]>::to_vec).unwrap_or_default()
}

fn is_tracked(tracking: &Tracking, automaton: AutomatonId, place: &Place, view: &View<'_>) -> bool {
    let slots = slots_of(place, view);
    match place.frame {
        Frame::Local => slots.iter().any(|slot| tracking.locals[automaton.0 as usize].contains(slot)),
        Frame::Global => {
            slots.iter().any(|slot| tracking.globals.iter().any(|tracked| tracked.contains(slot)))
        }
    }
}

fn proctypes_run(flows: &[Flow<'_>]) -> Vec<bool> {
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

fn initializer_reads(system: &System, automaton: AutomatonId) -> Vec<u32> {
    let mut slots = Vec::new();
    for variable in &system.model.proctypes[automaton.0 as usize].locals {
        let expressions: Vec<&promela::model::Expr> = match &variable.init {
            Initializer::Expr(expr) => vec![expr],
            Initializer::List(list) => list.iter().collect(),
            Initializer::None | Initializer::Channel(_) => Vec::new(),
        };
        for expr in expressions {
            visit_places(expr, &mut |place| {
                if place.frame == Frame::Global {
                    let variable = &system.model.globals[place.variable.0 as usize];
                    slots.extend(variable.slot..variable.slot + variable.slots);
                }
            });
        }
    }
    slots
}

/// Global slots that a statement may read and write.
fn global_slots(view: &View<'_>, arc: &Arc<'_>) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let mut reads = BTreeSet::new();
    let mut writes = BTreeSet::new();
    let mut read = |place: &Place| {
        if place.frame == Frame::Global {
            reads.extend(slots_of(place, view));
        }
    };
    match arc.action {
        Action::Condition(expr) | Action::Assert(expr) | Action::Printm(expr) => {
            visit_places(expr, &mut read)
        }
        Action::Assign { place, value } => {
            visit_places(value, &mut read);
            place.indices.iter().for_each(|index| visit_places(&index.value, &mut read));
            if place.frame == Frame::Global {
                writes.extend(slots_of(place, view));
            }
        }
        Action::Send { channel, arguments, .. } => {
            visit_place(&channel.place, &mut read);
            arguments.iter().for_each(|argument| visit_places(argument, &mut read));
        }
        Action::Receive { channel, arguments, .. } => {
            visit_place(&channel.place, &mut read);
            for argument in arguments {
                match argument {
                    ReceiveArgument::Match(expr) => visit_places(expr, &mut read),
                    ReceiveArgument::Store(place) => {
                        place.indices.iter().for_each(|index| visit_places(&index.value, &mut read));
                        if place.frame == Frame::Global {
                            writes.extend(slots_of(place, view));
                        }
                    }
                    ReceiveArgument::Discard(_) => {}
                }
            }
        }
        Action::Skip
        | Action::Else
        | Action::Printf { .. }
        | Action::SetPriority { .. }
        | Action::End
        | Action::DStep(_) => {}
    }
    (reads, writes)
}

/// Objects whose contents a statement may look at.
fn channels_looked_at(view: &View<'_>, arc: &Arc<'_>) -> Vec<ObjectIndex> {
    let mut values = Values::empty();
    if let Action::Receive { channel, .. } = arc.action {
        values.join_with(&channels(channel, view));
    }
    if let Action::Condition(expr) | Action::Assign { value: expr, .. } = arc.action {
        visit_places(expr, &mut |place| {
            if place.scalar == Scalar::Chan {
                let held: Vec<u32> = slots_of(place, view);
                for slot in held {
                    values.join_with(&view.slot(place.frame, slot));
                }
            }
        });
    }
    few(&values).into_iter().filter_map(object_of).collect()
}
