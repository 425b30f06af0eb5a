//! Value analysis: grows a [`World`] until no statement leads out of it.
//!
//! Flow-sensitive for local variables (each node has its own sets), flow-insensitive for globals and messages. Nodes are split by the
//! values of tracked variables; for everything else one node a point of control. Processes are grouped by the arguments they are
//! started with, so that a ring of nodes that differ in their channels is resolved exactly.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use promela::model::Frame;
use system::automaton::{AutomatonId, System};
use system::limits::Limits;
use system::progress::ProgressStatements;

use crate::refine::shadows::Shadows;
use crate::values::flow::Flow;
use crate::values::frame::{SlotStart, processes_create_channels, starts};
use crate::values::sets::Values;
use crate::values::step::StepEffect;
use crate::values::world::{
    Declared, Distinctions, Group, GroupIndex, GroupKey, NodeIndex, NodeKey, ObjectIndex, Tracking, View,
    World, value_of,
};
use launch::{new_object, proctypes_run};
use learn::{Touched, expected_distinctions};

mod alternatives;
mod grow;
mod launch;
mod learn;

pub use alternatives::{beginnings, interval};
pub use grow::{agrees_with, join_and_widen, keep_in_intervals, moved_by};

/// Changes of one node, or of the messages of one channel, after which sets jump to intervals.
const PATIENCE: u32 = 80;
/// How often a node is visited on average before the analysis is given up.
const VISITS_OF_A_NODE: usize = 10;

/// How often somebody is asked whether to go on.
const VISITS_BETWEEN_GLANCES: usize = 8;

/// Nodes of all analyses that are kept for others.
const MOST_SHARED_NODES: usize = 400_000;

/// How often whoever waits for an analysis looks for it.
const WAIT: Duration = Duration::from_millis(1);

/// How far an analysis may go.
#[derive(Clone, Copy)]
pub struct AnalysisLimits<'c> {
    /// Nodes of all groups together.
    pub nodes: usize,
    /// Groups of one proctype that differ in their arguments.
    pub groups: usize,
    /// Groups that one `run` may start processes in.
    pub groups_of_a_run: usize,
    /// Transitions of the net.
    pub transitions: usize,
    /// Asked now and then; `true` ends the work.
    pub cancelled: &'c dyn Fn() -> bool,
}

impl Default for AnalysisLimits<'_> {
    fn default() -> Self {
        AnalysisLimits {
            nodes: 400_000,
            groups: 20_000,
            groups_of_a_run: 16,
            transitions: 2_000_000,
            cancelled: &|| false,
        }
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
    /// Values that were guessed never to occur may occur, as far as potentials can tell.
    WrongGuess,
    /// Somebody stopped the work.
    Cancelled,
}

impl AnalysisError {
    /// A sentence about a model.
    pub fn in_words(&self, system: &System) -> String {
        match self {
            AnalysisError::UnknownChannel { automaton, edge } => {
                let edge = system.automaton(*automaton).edge(*edge);
                let line = system.model.sources.visible_line(edge.span);
                format!("which channel `{}` (line {line}) uses cannot be told from the text", edge.text)
            }
            AnalysisError::TooManyValues { automaton, frame, slot } => {
                let slots = match frame {
                    Frame::Local => &system.automaton(*automaton).slots,
                    Frame::Global => &system.global_slots,
                };
                format!("`{}` takes too many values", slots[*slot as usize].name)
            }
            AnalysisError::TooLarge => "there is too much to tell apart".to_string(),
            AnalysisError::WrongGuess => "a variable has more values than were tried".to_string(),
            AnalysisError::Cancelled => "the time is over".to_string(),
        }
    }
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
    most_groups: usize,
    most_groups_of_a_run: usize,
    most_nodes: usize,
    /// Parameters of each proctype that do not tell groups apart.
    merged: Vec<BTreeSet<usize>>,
    node_count: usize,
    worklist: BTreeSet<(GroupIndex, NodeIndex)>,
    /// The group whose node was visited last.
    visiting: GroupIndex,
    /// How many groups each automaton has.
    siblings: Vec<usize>,
    dependents: HashMap<Cell, BTreeSet<(GroupIndex, NodeIndex)>>,
    interferences: BTreeMap<GroupIndex, BTreeSet<Vec<Change>>>,
    observed: BTreeSet<u32>,
    /// Global slots that each group looks at or writes, from a coarser analysis; nothing: all of them.
    touched: HashMap<GroupKey, Touched>,
}

/// What an analysis found, without whom it was asked by.
#[derive(Clone)]
struct Finished {
    world: World,
    initial: Vec<(GroupIndex, NodeIndex)>,
    merged: Vec<BTreeSet<usize>>,
    touched: HashMap<GroupKey, Touched>,
}

/// Analyses that several who prove something of the same system share. Those who begin with the same variables tracked begin with the same
/// analysis, whatever they are to prove.
#[derive(Default)]
pub struct Analyses {
    kept: Mutex<BTreeMap<AskedFor, Arc<Place>>>,
    nodes: AtomicUsize,
}

/// The system, what is tracked, and the limits on nodes, groups and groups of a run.
type AskedFor = (String, Tracking, [usize; 3]);

/// Where the result of an analysis is, or will be.
#[derive(Default)]
struct Place {
    /// Nothing, as long as nobody has come to an end.
    kept: Mutex<Option<Result<Finished, AnalysisError>>>,
    /// How many wait for it.
    waiting: AtomicUsize,
}

impl Place {
    /// The result, when nobody works on it any more; `None` if whoever waits for it is stopped before.
    fn when_free(
        &self,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<MutexGuard<'_, Option<Result<Finished, AnalysisError>>>> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let free = loop {
            match self.kept.try_lock() {
                Ok(kept) => break Some(kept),
                Err(TryLockError::Poisoned(kept)) => break Some(kept.into_inner()),
                Err(TryLockError::WouldBlock) if cancelled() => break None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(WAIT),
            }
        };
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        free
    }
}

impl fmt::Debug for Analyses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "analyses with {} nodes", self.nodes.load(Ordering::Relaxed))
    }
}

impl Analyses {
    /// What [`Analysis::run`] says without shadows. Who asks for the same at the same time waits.
    pub fn run<'s>(
        &self,
        system: &'s System,
        flows: &'s [Flow<'s>],
        initial: &[AutomatonId],
        tracking: &Tracking,
        limits: AnalysisLimits<'_>,
    ) -> Result<Analysis<'s>, AnalysisError> {
        let numbers = [limits.nodes, limits.groups, limits.groups_of_a_run];
        let asked = (system.fingerprint().to_string(), tracking.clone(), numbers);
        let place = Arc::clone(unpoisoned(&self.kept).entry(asked).or_default());
        let mut kept = place.when_free(limits.cancelled).ok_or(AnalysisError::Cancelled)?;
        match &*kept {
            Some(Ok(finished)) => {
                return Ok(Analysis::again(system, flows, tracking, finished.clone(), limits));
            }
            Some(Err(error)) => return Err(error.clone()),
            None => {}
        }
        // Whoever waits may want to know what this one does not want to know any more.
        let cancelled = || place.waiting.load(Ordering::Relaxed) == 0 && (limits.cancelled)();
        let limits = AnalysisLimits { cancelled: &cancelled, ..limits };
        let found = Analysis::run(system, flows, initial, tracking, Shadows::default(), limits);
        let finished = match &found {
            Err(AnalysisError::Cancelled) => return found,
            Err(error) => Err(error.clone()),
            Ok(analysis) => {
                let nodes = analysis.world.groups.iter().map(|group| group.nodes.len()).sum();
                if self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes > MOST_SHARED_NODES {
                    self.nodes.fetch_sub(nodes, Ordering::Relaxed);
                    return found;
                }
                Ok(analysis.finished())
            }
        };
        *kept = Some(finished);
        found
    }
}

fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a coarse analysis tells a finer one.
#[derive(Clone, Default)]
struct Learnt {
    distinctions: Distinctions,
    touched: HashMap<GroupKey, Touched>,
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
    pub effect: StepEffect,
    /// Tracked globals that it looks at or writes.
    pub changes: Vec<Change>,
    /// Where the process stands afterwards.
    pub target: Target,
}

/// Where a process stands after a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// In a node.
    Node(NodeKey),
    /// Nowhere: it has ended.
    Ended,
    /// Where a variable would have a value that was guessed never to occur.
    OutOfGuess,
}

impl Target {
    /// The node, if there is one.
    pub fn node(&self) -> Option<&NodeKey> {
        match self {
            Target::Node(key) => Some(key),
            Target::Ended | Target::OutOfGuess => None,
        }
    }
}

/// Values of the tracked slots, and the frame that has them.
pub type TrackedFrame = (Vec<i32>, Vec<Values>);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Cell {
    Global(u32),
    Object(ObjectIndex),
}

/// The control flow of every proctype.
pub fn flows<'s>(system: &'s System, progress: &ProgressStatements) -> Vec<Flow<'s>> {
    system.process_automata().map(|(id, automaton)| Flow::new(automaton, id, progress)).collect()
}

impl<'s> Analysis<'s> {
    fn finished(&self) -> Finished {
        let Analysis { world, initial, merged, touched, .. } = self;
        let (world, initial) = (world.clone(), initial.clone());
        Finished { world, initial, merged: merged.clone(), touched: touched.clone() }
    }

    /// What somebody else found, seen with these flows. Nothing is left to be visited.
    fn again(
        system: &'s System,
        flows: &'s [Flow<'s>],
        tracking: &Tracking,
        finished: Finished,
        limits: AnalysisLimits<'_>,
    ) -> Analysis<'s> {
        let Finished { world, initial, merged, touched } = finished;
        Analysis {
            system,
            flows,
            world,
            initial,
            merged,
            touched,
            observed: tracking.globals.iter().flatten().copied().collect(),
            tracking: tracking.clone(),
            shadows: Shadows::default(),
            most_groups: limits.groups,
            most_groups_of_a_run: limits.groups_of_a_run,
            most_nodes: limits.nodes,
            node_count: 0,
            worklist: BTreeSet::new(),
            visiting: GroupIndex(0),
            siblings: Vec::new(),
            dependents: HashMap::new(),
            interferences: BTreeMap::new(),
        }
    }

    /// Whether at most one group looks at the global slot or writes it.
    pub fn is_private(&self, slot: u32) -> bool {
        let touches =
            |group: &&Group| self.touched.get(&group.key).is_none_or(|touched| touched.all.contains(&slot));
        self.world.groups.iter().filter(touches).count() <= 1
    }

    /// Analyses a system: at once, if the text says which message fields are told apart; else first coarsely, to learn that, then with that
    /// knowledge.
    pub fn run(
        system: &'s System,
        flows: &'s [Flow<'s>],
        initial: &[AutomatonId],
        tracking: &Tracking,
        shadows: Shadows,
        limits: AnalysisLimits<'_>,
    ) -> Result<Analysis<'s>, AnalysisError> {
        if let Some(expected) = expected_distinctions(system, flows, tracking) {
            let learnt = Learnt { distinctions: expected, shadows: shadows.clone(), ..Learnt::default() };
            let found = Analysis::fixed_point(system, flows, initial, tracking, learnt, limits)?;
            if found.tells_apart_what_is(&found.distinctions(tracking)) {
                return Ok(Analysis { touched: found.touched_globals(), ..found });
            }
        }
        let as_asked = |_: &Analysis<'s>, asked| asked;
        Analysis::run_telling_apart(system, flows, initial, tracking, shadows, limits, &as_asked)
    }

    /// The same in any case in two steps, with somebody else's word on which message fields are told apart: who sees the coarse analysis and what receives ask
    /// for.
    pub fn run_telling_apart(
        system: &'s System,
        flows: &'s [Flow<'s>],
        initial: &[AutomatonId],
        tracking: &Tracking,
        shadows: Shadows,
        limits: AnalysisLimits<'_>,
        told_apart: &dyn Fn(&Analysis<'s>, Distinctions) -> Distinctions,
    ) -> Result<Analysis<'s>, AnalysisError> {
        let plain = Tracking {
            locals: tracking.locals.clone(),
            cuts: tracking.cuts.clone(),
            guesses: tracking.guesses.clone(),
            ..Tracking::default()
        };
        let plain = plain.for_automata(flows.len());
        let coarse = Analysis::fixed_point(system, flows, initial, &plain, Learnt::default(), limits)?;
        let learnt = Learnt {
            distinctions: told_apart(&coarse, coarse.distinctions(tracking)),
            touched: coarse.touched_globals(),
            shadows,
        };
        let tells_nothing = learnt.distinctions.values.is_empty() && learnt.shadows.is_empty();
        if tells_nothing && tracking.globals.iter().all(Vec::is_empty) {
            // The finer one would find the same.
            let Learnt { touched, shadows, .. } = learnt;
            return Ok(Analysis { tracking: tracking.clone(), touched, shadows, ..coarse });
        }
        Analysis::fixed_point(system, flows, initial, tracking, learnt, limits)
    }

    fn fixed_point(
        system: &'s System,
        flows: &'s [Flow<'s>],
        initial: &[AutomatonId],
        tracking: &Tracking,
        learnt: Learnt,
        limits: AnalysisLimits<'_>,
    ) -> Result<Analysis<'s>, AnalysisError> {
        let mut merged: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); flows.len()];
        loop {
            let mut analysis =
                Analysis::start(system, flows, initial, tracking, learnt.clone(), limits, merged.clone())?;
            match analysis.grow(limits.cancelled) {
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
        limits: AnalysisLimits<'_>,
        merged: Vec<BTreeSet<usize>>,
    ) -> Result<Analysis<'s>, AnalysisError> {
        let mut world = World {
            objects: Vec::new(),
            groups: Vec::new(),
            globals: vec![Values::single(0); system.global_slots.len()],
            group_index: HashMap::new(),
            object_index: HashMap::new(),
            distinctions,
            creates_no_channels: !processes_create_channels(&system.model),
        };
        let nobody = Values::single(0);
        for variable in &system.model.globals {
            let view =
                View { world: &world, pid: &nobody, locals: Cow::default(), known_globals: Vec::new() };
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
        let most_processes = Limits::of(&system.model).processes as i32;
        let mut analysis = Analysis {
            system,
            flows,
            world,
            observed: tracking.globals.iter().flatten().copied().collect(),
            tracking: tracking.clone(),
            shadows,
            initial: Vec::new(),
            most_groups: limits.groups,
            most_groups_of_a_run: limits.groups_of_a_run,
            most_nodes: limits.nodes,
            merged,
            node_count: 0,
            worklist: BTreeSet::new(),
            visiting: GroupIndex(0),
            siblings: vec![0; flows.len()],
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
                (key, Values::range(0, most_processes))
            } else {
                (GroupKey::Initial(automaton, pid as i32), Values::single(pid as i32))
            };
            let started = analysis.start_process(key, pids, &arguments, &[]).map_err(Stop::into_error)?;
            analysis.initial.extend(started);
        }
        Ok(analysis)
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
        self.cuts.resize(automata, BTreeMap::new());
        self.guesses.resize(automata, BTreeMap::new());
        self
    }

    /// The tracked local slots of an automaton, and the cuts of those of which intervals are told apart.
    pub fn of(&self, automaton: AutomatonId) -> (&[u32], &BTreeMap<u32, Vec<i32>>) {
        (&self.locals[automaton.0 as usize], &self.cuts[automaton.0 as usize])
    }

    /// Whether the values of a local slot are told apart one by one.
    pub fn is_exact(&self, automaton: AutomatonId, slot: u32) -> bool {
        let automaton = automaton.0 as usize;
        self.locals[automaton].contains(&slot) && !self.cuts[automaton].contains_key(&slot)
    }
}
