//! The claims at the start, and concrete configurations seen through the claims.

use super::explore::{Explorer, Half};
use super::number;
use super::prove::Initial;
use super::refusal::Refusal;
use super::rule::Rule;
use super::statement::Effect;
use super::structure::channel_slots;
use super::transition::Shadows;
use crate::claims::{AuxiliaryId, Claims, Group, GroupId, Node, NodeId, ObjectId, ObjectPlace, Point};
use crate::values::Values;
use promela::model::Variable;
use std::collections::{BTreeSet, HashMap};
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter};
use system::state::State;

/// A state of the interpreter, seen through claims: which group each process is in, which object each channel is.
pub(crate) struct Configuration {
    /// The state.
    pub state: State,
    /// For each process its group.
    pub groups: Vec<GroupId>,
    /// For each channel its object.
    pub objects: Vec<ObjectId>,
}

impl Configuration {
    /// R10: the initial state, each process in a group.
    pub fn initial(system: &System, claims: &Claims) -> Result<Self, Refusal> {
        let interpreter = Interpreter::new(system, Capacities::Unbounded);
        let placed = match interpreter.initial_state() {
            Ok(state) => Configuration::of(system, claims, state, &[]),
            Err(error) => Err(format!("there is no initial state: {}", error.kind)),
        };
        placed.map_err(|what| Refusal::Broken { rule: Rule::PlacedAtStart, what })
    }

    /// A state whose older processes are known to be in these groups; the others are in the first group that they fit.
    pub fn of(system: &System, claims: &Claims, state: State, known: &[GroupId]) -> Result<Self, String> {
        let places: HashMap<ObjectPlace, ObjectId> =
            claims.objects.iter().enumerate().map(|(i, object)| (object.place, ObjectId(i as u32))).collect();
        let mut configuration = Configuration { state, groups: known.to_vec(), objects: Vec::new() };
        let object_at = |place| places.get(&place).copied().ok_or("a channel is no object of the claims");
        for (slot, _) in channel_slots(system, &system.model.globals) {
            configuration.objects.push(object_at(ObjectPlace::Global { slot })?);
        }
        // Channels are numbered in the order of their creation, which is that of the processes; arguments are older.
        for index in 0..configuration.state.processes.len() {
            if index == configuration.groups.len() {
                configuration.groups.push(configuration.find_group(system, claims, index)?);
            }
            let automaton = configuration.state.processes[index].automaton;
            let locals = &system.model.proctypes[automaton.0 as usize].locals;
            let locals: Vec<Variable> = locals.iter().filter(|v| !v.parameter).cloned().collect();
            for (slot, _) in channel_slots(system, &locals) {
                let group = configuration.groups[index];
                configuration.objects.push(object_at(ObjectPlace::Local { group, slot })?);
            }
        }
        match configuration.objects.len() == configuration.state.channels.len() {
            true => Ok(configuration),
            false => Err("the channels of the state are not those of its processes".into()),
        }
    }

    /// Whether the set contains a value of the state: as a number, or as the channel with that number.
    pub fn allows(&self, values: &Values, value: i32) -> bool {
        let object =
            usize::try_from(value).ok().and_then(|v| v.checked_sub(1)).and_then(|v| self.objects.get(v));
        values.contains(value) || object.is_some_and(|object| values.contains_channel(*object))
    }

    /// The first claim about variables or pids that does not hold.
    pub fn broken_claim(&self, system: &System, claims: &Claims) -> Option<String> {
        for (slot, values) in claims.globals.iter().enumerate() {
            if !self.allows(values, self.state.globals[slot]) {
                return Some(format!("`{}` is {}", system.global_slots[slot].name, self.state.globals[slot]));
            }
        }
        for (index, process) in self.state.processes.iter().enumerate() {
            let group = &claims.groups[self.groups[index].index()];
            let automaton = system.automaton(process.automaton);
            if !group.pid.contains(index as i32) {
                return Some(format!("{} has pid {index}", automaton.name));
            }
            for (slot, values) in group.slots.iter().enumerate() {
                if !self.allows(values, process.locals[slot]) {
                    let name = &automaton.slots[slot].name;
                    return Some(format!("`{name}` of {} is {}", automaton.name, process.locals[slot]));
                }
            }
        }
        None
    }

    /// Whether a process may be in a node, as far as location and variables are concerned.
    pub fn is_in_node(&self, process: usize, node: &Node) -> bool {
        let standing = &self.state.processes[process];
        node.point == Point::At(standing.location.0)
            && node
                .locals
                .iter()
                .all(|entry| self.allows(&entry.values, standing.locals[entry.slot as usize]))
            && node
                .globals
                .iter()
                .all(|entry| self.allows(&entry.values, self.state.globals[entry.slot as usize]))
    }

    fn find_group(&self, system: &System, claims: &Claims, index: usize) -> Result<GroupId, String> {
        let process = &self.state.processes[index];
        let parameters = system.model.proctypes[process.automaton.0 as usize].parameters as usize;
        let fits = |group: &&Group| {
            group.automaton == process.automaton.0
                && group.pid.contains(index as i32)
                && group.slots[..parameters.min(group.slots.len())]
                    .iter()
                    .zip(&process.locals)
                    .all(|(values, &value)| self.allows(values, value))
        };
        let position = claims.groups.iter().position(|group| fits(&group));
        position.map(|position| GroupId(position as u32)).ok_or_else(|| {
            format!("process {index} of {} is in no group", system.automaton(process.automaton).name)
        })
    }
}

/// How shadows begin and move: R11 and R22.
pub fn shadows<'a>(
    explorer: &Explorer<'a>,
    halves: &[Half<'a>],
    beginning: &Configuration,
) -> Result<Shadows, Refusal> {
    let claims = explorer.claims;
    let mut starts: Vec<BTreeSet<NodeId>> = vec![BTreeSet::new(); claims.auxiliaries.len()];
    for ((id, auxiliary), starts) in (0..).map(AuxiliaryId).zip(&claims.auxiliaries).zip(&mut starts) {
        for (process, group) in beginning.groups.iter().enumerate() {
            if *group == auxiliary.group {
                let node = (0..).map(NodeId).zip(&auxiliary.nodes);
                let node = { node }.find(|(_, node)| beginning.is_in_node(process, node));
                Rule::SenderGraph.demand(node.is_some(), || {
                    format!("process {process} is in no node of auxiliary graph {}", id.0)
                })?;
                starts.extend(node.map(|(id, _)| id));
            }
        }
        for half in halves {
            let Effect::Start { proctype, arguments } = &half.effect else { continue };
            if proctype.0 != claims.groups[auxiliary.group.index()].automaton {
                continue;
            }
            let begun = explorer.started_environments(*proctype, arguments, &half.before);
            let nodes = begun.and_then(|begun| {
                let mut nodes = Vec::new();
                for (_, environment) in begun.iter().filter(|(group, _)| *group == auxiliary.group) {
                    nodes.extend(explorer.auxiliary_start(id, environment)?);
                }
                Ok(nodes)
            });
            match nodes {
                Ok(nodes) => starts.extend(nodes),
                Err(broken) => explorer.refuse(half.group, half.edge, broken)?,
            }
        }
    }
    let mut moves = HashMap::new();
    for shadow in claims.groups.iter().flat_map(|group| &group.shadows) {
        let begins = !starts[shadow.sender.index()].is_empty();
        Rule::ShadowBegins.demand(begins, || {
            let sender = claims.auxiliaries[shadow.sender.index()].group;
            format!("a shadow follows group {}, of which no process is ever started", sender.0)
        })?;
        let key = (shadow.sender, shadow.object);
        if let std::collections::hash_map::Entry::Vacant(entry) = moves.entry(key) {
            entry.insert(explorer.shadow_moves(shadow.sender, shadow.object)?);
        }
    }
    Ok(Shadows { starts, moves })
}

/// Where every component stands at the start; all claims hold there.
pub fn initial(
    explorer: &Explorer,
    beginning: &Configuration,
    shadows: &Shadows,
) -> Result<Initial, Refusal> {
    claims_hold(explorer, beginning)?;
    let processes = processes_at_start(explorer, beginning, shadows)?;
    let trackers = trackers_at_start(explorer.claims, beginning)?;
    let numbers = number::at_start(explorer, beginning, &processes)?;
    Ok(Initial { processes, trackers, more: BTreeSet::new(), numbers })
}

/// R9: every variable and every `_pid` begins with what is claimed of it.
fn claims_hold(explorer: &Explorer, beginning: &Configuration) -> Result<(), Refusal> {
    let broken = beginning.broken_claim(explorer.system, explorer.claims);
    Rule::HoldsAtStart.demand(broken.is_none(), || broken.unwrap_or_default())
}

/// R10: each process stands in a node, wherever its shadows begin.
fn processes_at_start(
    explorer: &Explorer,
    beginning: &Configuration,
    shadows: &Shadows,
) -> Result<Vec<(GroupId, Vec<NodeId>)>, Refusal> {
    let mut processes = Vec::new();
    for (process, &id) in beginning.groups.iter().enumerate() {
        let group = &explorer.claims.groups[id.index()];
        let mut nodes = Vec::new();
        for combination in shadows.beginnings(explorer, id) {
            let fits = |node: &Node| node.shadows == combination && beginning.is_in_node(process, node);
            let node = (0..).map(NodeId).zip(&group.nodes).find(|(_, node)| fits(node));
            Rule::PlacedAtStart
                .demand(node.is_some(), || format!("process {process} is in no node of group {}", id.0))?;
            nodes.extend(node.map(|(id, _)| id));
        }
        processes.push((id, nodes));
    }
    Ok(processes)
}

/// R7: each tracker has a node.
fn trackers_at_start(claims: &Claims, beginning: &Configuration) -> Result<Vec<NodeId>, Refusal> {
    let mut trackers = Vec::new();
    for (index, tracker) in claims.trackers.iter().enumerate() {
        let holds = |sets: &Vec<Values>| {
            let mut slots = tracker.slots.iter().zip(sets);
            slots.all(|(&slot, values)| beginning.allows(values, beginning.state.globals[slot as usize]))
        };
        let node = (0..).map(NodeId).zip(&tracker.nodes).find(|(_, sets)| holds(sets));
        Rule::TrackersPlaced.demand(node.is_some(), || format!("tracker {index} is in no node"))?;
        trackers.push(node.map_or(NodeId(0), |(node, _)| node));
    }
    Ok(trackers)
}
