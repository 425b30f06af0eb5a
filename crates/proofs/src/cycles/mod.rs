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
mod estimate;
mod instances;
mod linear_form;
mod relations;
mod sizes;
mod termination;
mod types;
mod variables;

pub use check::{CheckLimits, CycleVerdict, Question, RouteReport, check};
pub use counts::{Count, DependencyCounts, inclusions_broken};
pub use dependency::{Cause, Dependency, Strategy, dependencies};
pub use estimate::{Estimate, NoEstimate, estimates};
pub use sizes::Sizes;
pub use termination::Iterations;
pub use types::MessageTypes;

use std::collections::BTreeSet;

use system::automaton::{Action, AutomatonId, EdgeId, System};
use system::progress::ProgressStatements;

use effects::Conditions;

use crate::refine::attempt::initial_processes;
use crate::values::analysis::{Analysis, AnalysisError, AnalysisLimits, Stop, flows};
use crate::values::names::group_name;
use crate::values::sets::Values;
use crate::values::step::MessageKind;
use crate::values::world::{ClassKey, GroupIndex, GroupKey, NodeIndex, ObjectIndex, Tracking};

/// Index into [`Catalogue::cycles`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CycleId(pub u32);
/// Index into [`Catalogue::message_types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MessageTypeId(pub u32);
/// Index into [`Process::arcs`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ArcId(pub u32);

/// Kinds of processes that one `run` may start, by their arguments: each has cycles of its own.
const MOST_INSTANCES_OF_A_RUN: usize = 256;

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
    /// The sizes as the papers count them: by proctype, and nothing left out.
    pub sizes: Sizes,
    /// Lines with an `assert(false)`: no cycle goes through one, because a run ends there.
    pub ends: BTreeSet<u32>,
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
    /// How many there are at the most, where the text says it.
    pub count: Option<u64>,
    /// Where new ones stand.
    starts_at: BTreeSet<u32>,
    /// Statements between points of control.
    pub arcs: Vec<Arc>,
    /// Number of points of control.
    pub points: u32,
    /// For each point the values of each local slot there.
    locals: Vec<Vec<Values>>,
    pid: Values,
    /// Points that all loops around them go through.
    heads: Vec<bool>,
    /// For each point the cycles that go through it, in order.
    through: Vec<Vec<CycleId>>,
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
    /// No statement: where any number of processes are started, the next one begins where this one stands (IBOC, section 3.7).
    pub replication: bool,
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
    /// Message types that it may put.
    puts: Vec<MessageTypeId>,
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
    /// What is counted.
    pub counts: Counts,
    object: Option<ObjectIndex>,
    classes: Vec<ClassKey>,
}

/// What a message type counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counts {
    /// Messages in a buffer.
    Messages,
    /// Halves of a rendezvous: what is sent is received in the same step.
    Meetings,
    /// No messages, but processes of this proctype that have been started, where any number of them may be.
    Processes(AutomatonId),
}

impl MessageType {
    fn holds(&self, object: ObjectIndex, class: &ClassKey) -> bool {
        self.object == Some(object) && self.classes.contains(class)
    }

    /// The name of its channel.
    pub fn buffer(&self) -> &str {
        self.name.split(": ").next().unwrap_or(&self.name)
    }
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
    /// Enumerates the cycles of a system, with message types as the papers' tool counts them.
    pub fn new(
        system: &System,
        progress: &ProgressStatements,
        limits: CycleLimits,
    ) -> Result<(Catalogue, WorldValues), AnalysisError> {
        Catalogue::with_types(system, progress, limits, MessageTypes::default(), &|| false)
    }

    /// Enumerates the cycles of a system, as long as somebody waits for them.
    pub fn with_types(
        system: &System,
        progress: &ProgressStatements,
        limits: CycleLimits,
        types: MessageTypes,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(Catalogue, WorldValues), AnalysisError> {
        let found = Catalogue::with_these_types(system, progress, limits, types, cancelled);
        let is_too_fine = match &found {
            Ok((catalogue, _)) => matches!(catalogue.completeness, Completeness::TooManyEffects(_)),
            Err(error) => *error == AnalysisError::TooLarge,
        };
        if is_too_fine && types == MessageTypes::Sent {
            return Catalogue::with_these_types(system, progress, limits, MessageTypes::Optimal, cancelled);
        }
        found
    }

    fn with_these_types(
        system: &System,
        progress: &ProgressStatements,
        limits: CycleLimits,
        types: MessageTypes,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(Catalogue, WorldValues), AnalysisError> {
        let flows = flows(system, progress);
        let tracking = Tracking::default().for_automata(system.model.proctypes.len());
        let analysis = Analysis::run_telling_apart(
            system,
            &flows,
            &initial_processes(system),
            &tracking,
            crate::refine::shadows::Shadows::default(),
            AnalysisLimits {
                groups_of_a_run: MOST_INSTANCES_OF_A_RUN,
                cancelled,
                ..AnalysisLimits::default()
            },
            &|coarse, asked| types::told_apart(coarse, asked, types),
        )?;
        let values = WorldValues { globals: analysis.world.globals.clone() };
        let mut message_types = types::message_types(&analysis, types);
        let finite = Catalogue::of(&analysis, &message_types, &BTreeSet::new(), limits, cancelled)?;
        let endless = dependency::started_for_ever(&finite, &values);
        if endless.is_empty() {
            return Ok((finite, values));
        }
        message_types.extend(endless.iter().map(|&automaton| types::processes_started(system, automaton)));
        Ok((Catalogue::of(&analysis, &message_types, &endless, limits, cancelled)?, values))
    }

    /// The cycles of an analysed system, with replication transitions for these proctypes.
    fn of(
        analysis: &Analysis<'_>,
        message_types: &[MessageType],
        replicated: &BTreeSet<AutomatonId>,
        limits: CycleLimits,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Catalogue, AnalysisError> {
        let counts = instances::running(analysis).filter(|_| replicated.is_empty());
        let mut catalogue = Catalogue {
            processes: Vec::new(),
            cycles: Vec::new(),
            message_types: message_types.to_vec(),
            completeness: Completeness::All,
            sizes: Sizes::default(),
            ends: lines_nobody_passes(analysis),
        };
        for (group, data) in analysis.world.group_indices() {
            let mut process = process(analysis, group, message_types).map_err(Stop::into_error)?;
            process.count = counts.as_ref().map(|counts| counts.get(&group).copied().unwrap_or(0));
            if replicated.contains(&data.automaton) {
                process.replicate();
            }
            process.heads = enumerate::loop_heads(&process);
            let index = catalogue.processes.len();
            let room = limits.cycles.saturating_sub(catalogue.cycles.len());
            let ends = process.arcs.iter().map(|arc| (arc.from, arc.to));
            let found = enumerate::elementary_cycles(process.points as usize, ends, room);
            if found.len() > room {
                catalogue.completeness = Completeness::TooManyCycles(limits.cycles);
            }
            for arcs in found.into_iter().take(room) {
                if cancelled() {
                    return Err(AnalysisError::Cancelled);
                }
                let id = CycleId(catalogue.cycles.len() as u32);
                let summary = effects::summarise(
                    analysis,
                    &process,
                    &arcs,
                    message_types,
                    limits.effects,
                    Conditions::Asked,
                )?;
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
            process.through = vec![Vec::new(); process.points as usize];
            for (id, cycle) in catalogue.cycle_ids().filter(|(_, cycle)| cycle.process == index) {
                for arc in &cycle.arcs {
                    process.through[process.arcs[arc.0 as usize].from as usize].push(id);
                }
            }
            catalogue.processes.push(process);
        }
        catalogue.sizes = Sizes::of(analysis, &catalogue, limits, cancelled)?;
        Ok(catalogue)
    }

    /// What is missing, if not all is there.
    pub fn missing(&self) -> Option<String> {
        match self.completeness {
            Completeness::All => None,
            Completeness::TooManyCycles(limit) => Some(format!("there are more than {limit} cycles")),
            Completeness::TooManyEffects(id) => {
                Some(format!("{} has too many effects to list", self.describe(id)))
            }
        }
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

    /// The edges of a cycle in order, the statements of a `d_step` as one; `None` if it is none of the automaton as it is written, or if
    /// processes of other kinds run the same automaton, so that its steps would not tell whose cycle it is.
    pub fn edges(&self, id: CycleId) -> Option<(AutomatonId, Vec<EdgeId>)> {
        let cycle = self.cycle(id);
        let automaton = self.processes[cycle.process].automaton;
        let is_only = self.processes.iter().filter(|p| p.automaton == automaton).count() == 1;
        let arcs = || cycle.arcs.iter().map(|&arc| self.arc(cycle.process, arc));
        let mut edges: Vec<EdgeId> = arcs().map(|arc| arc.edge).collect();
        edges.dedup();
        let is_whole = edges.len() > 1 || arcs().count() == 1;
        (is_only && is_whole && arcs().all(|arc| !arc.replication)).then_some((automaton, edges))
    }

    /// The points of control that a cycle goes through.
    pub fn points(&self, id: CycleId) -> BTreeSet<u32> {
        let cycle = self.cycle(id);
        cycle.arcs.iter().map(|&a| self.arc(cycle.process, a).from).collect()
    }

    /// Cycles of the same process that share a point of control with this one.
    pub fn neighbours(&self, id: CycleId) -> BTreeSet<CycleId> {
        let process = &self.processes[self.cycle(id).process];
        let meet = self.points(id).into_iter().flat_map(|point| &process.through[point as usize]);
        meet.copied().filter(|&other| other != id).collect()
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

    /// Proctypes whose processes may start one of their own kind, directly or through others: then even a process without a loop may go
    /// on for ever.
    fn automata_that_start_their_own(&self) -> BTreeSet<AutomatonId> {
        let starts_its_own = |first: AutomatonId| {
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
        };
        self.processes.iter().map(|p| p.automaton).filter(|&automaton| starts_its_own(automaton)).collect()
    }

    /// How many types of messages there are.
    pub fn message_type_count(&self) -> usize {
        self.message_types.iter().filter(|t| !matches!(t.counts, Counts::Processes(_))).count()
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

impl Process {
    /// Adds replication transitions: from wherever a process may stand back to where the next one begins, all its variables as at first
    /// (IBOC, section 3.7, figures 8 to 10; local ones also where processes of several kinds start each other).
    fn replicate(&mut self) {
        let locals = self.locals.first().map_or(0, Vec::len) as u32;
        let writes: BTreeSet<variables::Cell> =
            (0..locals).map(|slot| (promela::model::Frame::Local, slot)).collect();
        for from in (0..self.points).filter(|point| !self.starts_at.contains(point)) {
            // Where it leaves from has a statement, if only the closing brace.
            let Some(place) = self.arcs.iter().find(|arc| arc.from == from || arc.to == from) else {
                continue;
            };
            let (edge, line) = (place.edge, place.line);
            for &to in &self.starts_at {
                self.arcs.push(Arc {
                    from,
                    to,
                    edge,
                    action: Action::Skip,
                    progress: false,
                    replication: true,
                    text: "(the next process)".to_string(),
                    line,
                    dead: Vec::new(),
                    before: Vec::new(),
                    starts: BTreeSet::new(),
                    takes: Vec::new(),
                    puts: Vec::new(),
                    reads: BTreeSet::new(),
                    writes: writes.clone(),
                    condition: None,
                });
            }
        }
    }
}

fn process(analysis: &Analysis<'_>, group: GroupIndex, types: &[MessageType]) -> Result<Process, Stop> {
    let system = analysis.system;
    let data = analysis.world.group(group);
    let automaton = system.automaton(data.automaton);
    let flow = &analysis.flows[data.automaton.0 as usize];
    let mut arcs = Vec::new();
    for node in 0..data.nodes.len() as u32 {
        let point = data.node(NodeIndex(node)).key.point;
        let leaving = flow.arcs(point);
        for arc in leaving.iter().filter(|arc| !sizes::never_passes(arc.action)) {
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
                    replication: false,
                    text: edge.text.clone(),
                    line: system.model.sources.visible_line(edge.span),
                    dead: arc.dead.to_vec(),
                    before: arc.before.iter().copied().cloned().collect(),
                    starts: alternatives
                        .iter()
                        .filter_map(|a| a.effect.run.as_ref())
                        .map(|(proctype, _)| AutomatonId(proctype.0))
                        .collect(),
                    takes: touched_types(types, &alternatives, MessageKind::Receive),
                    puts: touched_types(types, &alternatives, MessageKind::Send),
                });
            }
        }
    }
    Ok(Process {
        name: group_name(analysis, data),
        automaton: data.automaton,
        single: matches!(data.key, GroupKey::Initial(..)),
        arcs,
        points: data.nodes.len() as u32,
        locals: data.nodes.iter().map(|n| n.locals.clone()).collect(),
        pid: data.pid.clone(),
        heads: Vec::new(),
        through: Vec::new(),
        count: None,
        starts_at: data.start.iter().map(|node| node.0).collect(),
    })
}

fn lines_nobody_passes(analysis: &Analysis<'_>) -> BTreeSet<u32> {
    let system = analysis.system;
    let mut lines = BTreeSet::new();
    for group in &analysis.world.groups {
        let flow = &analysis.flows[group.automaton.0 as usize];
        let edges = group.nodes.iter().flat_map(|node| flow.arcs(node.key.point));
        for arc in edges.filter(|arc| sizes::never_passes(arc.action)) {
            let span = system.automaton(group.automaton).edge(arc.edge).span;
            lines.insert(system.model.sources.visible_line(span));
        }
    }
    lines
}

/// The message types that the alternatives of a statement take or put.
fn touched_types(
    types: &[MessageType],
    alternatives: &[crate::values::analysis::Alternative],
    kind: MessageKind,
) -> Vec<MessageTypeId> {
    let messages = alternatives.iter().filter_map(|a| a.effect.message.as_ref());
    let touched: BTreeSet<u32> = messages
        .filter(|message| message.kind == kind)
        .filter_map(|message| types.iter().position(|t| t.holds(message.object, &message.class)))
        .map(|index| index as u32)
        .collect();
    touched.into_iter().map(MessageTypeId).collect()
}
