//! The papers' own route: elementary cycles of control flow, their effects, the dependencies between them, and the integer programs over
//! them (IBOC; aLive section 5; Ciclo sections IV to VII; the dependency study).
//!
//! A designer learns from it which loops a system lives from and which loop needs which. What it concludes are the papers' verdicts,
//! by the papers' theorems; it writes no certificate, so nothing here is ever called `PROVED`.

mod check;
mod condition;
mod counts;
mod dependency;
mod effects;
mod enumerate;
mod termination;
mod variables;

pub use check::{CheckLimits, CycleVerdict, Question, RouteReport, check};
pub use counts::{Count, Counts, inclusions_broken};
pub use dependency::{Cause, Dependency, Strategy, dependencies};
pub use termination::Iterations;

use std::collections::BTreeSet;

use system::automaton::{Action, AutomatonId, EdgeId, System};
use system::progress::ProgressStatements;

use crate::refine::attempt::initial_processes;
use crate::values::analysis::{Analysis, AnalysisError, AnalysisLimits, Stop, flows};
use crate::values::flow::Flow;
use crate::values::names::{group_name, object_name};
use crate::values::sets::Values;
use crate::values::step::MessageKind;
use crate::values::world::{GroupIndex, GroupKey, NodeIndex, ObjectIndex, Tracking};

/// Index into [`Catalogue::cycles`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CycleId(pub u32);
/// Index into [`Catalogue::message_types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MessageTypeId(pub u32);
/// Index into [`Process::arcs`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ArcId(pub u32);

/// How far the enumeration goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CycleLimits {
    /// Elementary cycles of all processes together.
    pub cycles: usize,
    /// Effect vectors of one cycle.
    pub effects: usize,
}

impl Default for CycleLimits {
    fn default() -> CycleLimits {
        CycleLimits { cycles: 20_000, effects: 4_096 }
    }
}

/// All elementary cycles of a system.
#[derive(Clone, Debug)]
pub struct Catalogue {
    /// Processes (instances with equal arguments are one), with their control flow.
    pub processes: Vec<Process>,
    /// The cycles, process by process.
    pub cycles: Vec<Cycle>,
    /// Classes of messages that no receive tells apart.
    pub message_types: Vec<MessageType>,
    /// Whether these are all the cycles, and all their effects.
    pub completeness: Completeness,
}

/// Whether the enumeration came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Completeness {
    /// Everything is there.
    All,
    /// The limit on cycles was hit.
    TooManyCycles(usize),
    /// The limit on the effect vectors of a cycle was hit.
    TooManyEffects(CycleId),
}

/// A process and its control flow as far as values allow it.
#[derive(Clone, Debug)]
pub struct Process {
    /// For people: `client(0)`.
    pub name: String,
    /// Its automaton.
    pub automaton: AutomatonId,
    /// There is never more than one such process.
    pub single: bool,
    /// Statements between points of control.
    pub arcs: Vec<Arc>,
    /// Number of points of control.
    pub points: u32,
    /// For each point the values of each local slot there.
    locals: Vec<Vec<Values>>,
    pid: Values,
    /// Points that all loops around them go through.
    heads: Vec<bool>,
}

/// A statement between two points of control.
#[derive(Clone, Debug)]
pub struct Arc {
    /// From where.
    pub from: u32,
    /// To where.
    pub to: u32,
    /// The edge of the automaton that it belongs to.
    pub edge: EdgeId,
    /// What it does.
    pub action: Action,
    /// It is progress.
    pub progress: bool,
    /// As people read it.
    pub text: String,
    /// Its line in the source.
    pub line: u32,
    dead: Vec<u32>,
    /// What is tried before it, if it is `else`.
    before: Vec<Action>,
    /// Automata of processes that it may start.
    starts: BTreeSet<AutomatonId>,
    /// Message types that it may take.
    takes: Vec<MessageTypeId>,
    /// What it may look at.
    reads: BTreeSet<variables::Cell>,
    /// What it may modify.
    writes: BTreeSet<variables::Cell>,
    /// What must hold for it to be executed, if that is a matter of variables.
    condition: Option<condition::Condition>,
}

/// A class of messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageType {
    /// For people: `ts[0]: req`.
    pub name: String,
    /// The channel has no buffer: what is sent is received in the same step.
    pub rendezvous: bool,
    object: ObjectIndex,
    class: Vec<Option<i32>>,
}

/// An elementary cycle.
#[derive(Clone, Debug)]
pub struct Cycle {
    /// Whose: index into [`Catalogue::processes`].
    pub process: usize,
    /// Its statements in order.
    pub arcs: Vec<ArcId>,
    /// What one round may do to the number of messages of each type: sorted, none zero.
    pub effects: Vec<Vec<(MessageTypeId, i64)>>,
    /// One of its statements is progress.
    pub progress: bool,
    /// Messages that one round may send: type and values of the fields.
    sends: Vec<(MessageTypeId, Vec<Values>)>,
    /// It starts processes.
    pub starts_processes: bool,
}

impl Catalogue {
    /// Enumerates the cycles of a system.
    pub fn new(
        system: &System,
        progress: &ProgressStatements,
        limits: CycleLimits,
    ) -> Result<(Catalogue, WorldValues), AnalysisError> {
        let flows = flows(system, progress);
        let tracking = Tracking::default().for_automata(system.model.proctypes.len());
        let initial = initial_processes(system);
        let analysis = Analysis::run(
            system,
            &flows,
            &initial,
            &tracking,
            crate::refine::shadows::Shadows::default(),
            AnalysisLimits::default(),
        )?;
        let mut catalogue = Catalogue {
            processes: Vec::new(),
            cycles: Vec::new(),
            message_types: message_types(&analysis),
            completeness: Completeness::All,
        };
        for (group, _) in analysis.world.group_indices() {
            let process =
                process(&analysis, &flows, group, &catalogue.message_types).map_err(Stop::into_error)?;
            let index = catalogue.processes.len();
            let room = limits.cycles.saturating_sub(catalogue.cycles.len());
            let found = enumerate::elementary_cycles(&process, room);
            if found.len() > room {
                catalogue.completeness = Completeness::TooManyCycles(limits.cycles);
            }
            for arcs in found.into_iter().take(room) {
                let id = CycleId(catalogue.cycles.len() as u32);
                let summary =
                    effects::summarise(&analysis, &process, &arcs, &catalogue.message_types, limits.effects)?;
                if summary.cut && catalogue.completeness == Completeness::All {
                    catalogue.completeness = Completeness::TooManyEffects(id);
                }
                catalogue.cycles.push(Cycle {
                    process: index,
                    progress: arcs.iter().any(|a| process.arcs[a.0 as usize].progress),
                    starts_processes: arcs.iter().any(|a| !process.arcs[a.0 as usize].starts.is_empty()),
                    arcs,
                    effects: summary.effects,
                    sends: summary.sends,
                });
            }
            catalogue.processes.push(process);
        }
        let values = WorldValues { globals: analysis.world.globals.clone() };
        Ok((catalogue, values))
    }

    /// All cycles with their ids.
    pub fn cycle_ids(&self) -> impl Iterator<Item = (CycleId, &Cycle)> {
        self.cycles.iter().enumerate().map(|(i, c)| (CycleId(i as u32), c))
    }

    /// The cycle with this id.
    pub fn cycle(&self, id: CycleId) -> &Cycle {
        &self.cycles[id.0 as usize]
    }

    /// A statement of a cycle's process.
    pub fn arc(&self, process: usize, id: ArcId) -> &Arc {
        &self.processes[process].arcs[id.0 as usize]
    }

    /// The points of control that a cycle goes through.
    pub fn points(&self, id: CycleId) -> BTreeSet<u32> {
        let cycle = self.cycle(id);
        cycle.arcs.iter().map(|&a| self.arc(cycle.process, a).from).collect()
    }

    /// Cycles of the same process that share a point of control with this one.
    pub fn neighbours(&self, id: CycleId) -> BTreeSet<CycleId> {
        let own = self.points(id);
        let process = self.cycle(id).process;
        self.cycle_ids()
            .filter(|(other, cycle)| *other != id && cycle.process == process)
            .filter(|(other, _)| !self.points(*other).is_disjoint(&own))
            .map(|(other, _)| other)
            .collect()
    }

    /// A cycle in words: its process and the lines of its statements, `client line 8` or `Reader lines 36-37-45`.
    pub fn describe(&self, id: CycleId) -> String {
        let cycle = self.cycle(id);
        let mut lines: Vec<u32> = cycle.arcs.iter().map(|&a| self.arc(cycle.process, a).line).collect();
        lines.dedup();
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        let word = if lines.len() == 1 { "line" } else { "lines" };
        format!("{} {word} {}", self.processes[cycle.process].name, lines.join("-"))
    }

    /// Whether a process may start one of its own kind, directly or through others: then even a process without a loop may go on for
    /// ever.
    pub fn processes_start_each_other(&self) -> bool {
        let automata: BTreeSet<AutomatonId> = self.processes.iter().map(|p| p.automaton).collect();
        automata.iter().any(|&first| {
            let mut seen = BTreeSet::new();
            let mut work = vec![first];
            while let Some(automaton) = work.pop() {
                let of_it = self.processes.iter().filter(|p| p.automaton == automaton);
                for started in of_it.flat_map(|p| p.arcs.iter().flat_map(|a| &a.starts)) {
                    if *started == first {
                        return true;
                    }
                    if seen.insert(*started) {
                        work.push(*started);
                    }
                }
            }
            false
        })
    }

    /// The distinct effect vectors of all cycles together.
    pub fn effect_vectors(&self) -> usize {
        let all: BTreeSet<_> = self.cycles.iter().flat_map(|c| &c.effects).collect();
        all.len()
    }
}

/// Values of global variables, from the analysis that found the cycles.
#[derive(Clone, Debug)]
pub struct WorldValues {
    globals: Vec<Values>,
}

fn message_types(analysis: &Analysis<'_>) -> Vec<MessageType> {
    let mut out = Vec::new();
    for (index, object) in analysis.world.object_indices() {
        let channel_type = &analysis.system.model.channel_types[object.channel_type.0 as usize];
        for class in object.classes.keys() {
            let fields: Vec<String> = class
                .iter()
                .zip(&channel_type.fields)
                .map(|(value, field)| match value {
                    None => "_".to_string(),
                    Some(value) => field_text(analysis.system, field.scalar, *value),
                })
                .collect();
            let name = format!("{}: {}", object_name(analysis, index), fields.join(","));
            let rendezvous = channel_type.capacity == 0;
            out.push(MessageType { name, rendezvous, object: index, class: class.clone() });
        }
    }
    out
}

fn field_text(system: &System, scalar: promela::model::Scalar, value: i32) -> String {
    match scalar {
        promela::model::Scalar::Mtype(set) => promela::print::value_text(&system.model, Some(set), value),
        _ => value.to_string(),
    }
}

fn process(
    analysis: &Analysis<'_>,
    flows: &[Flow<'_>],
    group: GroupIndex,
    types: &[MessageType],
) -> Result<Process, Stop> {
    let system = analysis.system;
    let data = analysis.world.group(group);
    let automaton = system.automaton(data.automaton);
    let flow = &flows[data.automaton.0 as usize];
    let mut arcs = Vec::new();
    for node in 0..data.nodes.len() as u32 {
        let point = data.node(NodeIndex(node)).key.point;
        let leaving = flow.arcs(point);
        for arc in leaving {
            let alternatives = analysis.alternatives(group, NodeIndex(node), arc)?;
            let targets: BTreeSet<u32> = alternatives
                .iter()
                .filter_map(|a| a.target.node())
                .filter_map(|key| data.node_index.get(key))
                .map(|n| n.0)
                .collect();
            let edge = automaton.edge(arc.edge);
            let touched = variables::touched(system, automaton, arc.action);
            let condition = condition::condition(system, automaton, arc);
            for to in targets {
                arcs.push(Arc {
                    reads: touched.reads.clone(),
                    writes: touched.writes.clone(),
                    condition: condition.clone(),
                    from: node,
                    to,
                    edge: arc.edge,
                    action: arc.action.clone(),
                    progress: arc.progress,
                    text: edge.text.clone(),
                    line: system.model.sources.visible_line(edge.span),
                    dead: arc.dead.to_vec(),
                    before: arc.before.iter().copied().cloned().collect(),
                    starts: alternatives
                        .iter()
                        .filter_map(|a| a.effect.run.as_ref())
                        .map(|(proctype, _)| AutomatonId(proctype.0))
                        .collect(),
                    takes: taken(types, &alternatives),
                });
            }
        }
    }
    let mut process = Process {
        name: group_name(analysis, data),
        automaton: data.automaton,
        single: matches!(data.key, GroupKey::Initial(..)),
        arcs,
        points: data.nodes.len() as u32,
        locals: data.nodes.iter().map(|n| n.locals.clone()).collect(),
        pid: data.pid.clone(),
        heads: Vec::new(),
    };
    process.heads = enumerate::loop_heads(&process);
    Ok(process)
}

/// The message types that the alternatives of a receive take.
fn taken(types: &[MessageType], alternatives: &[crate::values::analysis::Alternative]) -> Vec<MessageTypeId> {
    let messages = alternatives.iter().filter_map(|a| a.effect.message.as_ref());
    let taken: BTreeSet<u32> = messages
        .filter(|m| m.kind == MessageKind::Receive)
        .filter_map(|m| types.iter().position(|t| t.object == m.object && t.class == m.class))
        .map(|index| index as u32)
        .collect();
    taken.into_iter().map(MessageTypeId).collect()
}
