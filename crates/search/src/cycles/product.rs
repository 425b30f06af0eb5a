//! The graph that cycles are looked for in: states of the system times locations of a monitor.

use crate::cycles::fairly::Movers;
use crate::cycles::watching::Guards;
use crate::cycles::{Runs, Wanted};
use crate::explore::expand::{Arrival, Expander, Expansion, LayoutIsFull, Shared, Sink, lock};
use crate::explore::memo::RowMemory;
use crate::monitor::Monitor;
use crate::packed::components::ComponentId;
use crate::packed::layout::Layout;
use crate::packed::nodes::Node;
use crate::reduce::Proviso;
use crate::reduce::proviso::{States, bytes_of, to_expand_fully};
use crate::report::{Cause, StopReason};
use certificate::verdict::ProgressReading;
use system::interpreter::Step;
use system::state::Pid;

/// An edge of the product.
#[derive(Clone, Copy, Debug)]
pub struct ProductEdge<const N: usize> {
    /// Where it leads.
    pub target: Node<N>,
    /// Acceptance sets that it belongs to: those of the monitor, and behind them one for each process if runs are to be fair.
    pub marks: u64,
    /// It belongs to no cycle that is looked for: progress was made.
    pub cut: bool,
    /// Which of the system's moves it is; `None` if the system has none and stays where it is.
    pub ordinal: Option<u32>,
}

/// What follows a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Followed {
    /// These edges.
    Edges,
    /// The monitor is completed by a move from here.
    Completes,
}

/// Why a node could not be followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// A new layout is needed.
    LayoutIsFull,
    /// A guard of the monitor cannot be evaluated.
    Guard,
    /// More processes than there are acceptance sets left for.
    TooManyProcesses,
    /// Whoever follows must stop.
    Stopped(StopReason),
}

/// Computes the product as it is needed.
pub struct Product<'a, 's, const N: usize> {
    shared: &'a Shared<'s>,
    monitor: &'a Monitor,
    progress: Option<ProgressReading>,
    expander: Expander<'a, 's, N>,
    /// Flags of local states, by process and number; 0 is not known yet.
    flags: Vec<Vec<u8>>,
    guards: Guards<N>,
    /// Who moves and who can, if that matters.
    movers: Option<Movers>,
    /// Whether labels of processes matter.
    looks_at_labels: bool,
    moves: SystemMoves<N>,
    /// States that must be expanded in full although some moves seem to be enough.
    in_full: States<N>,
    /// Which targets would make of the node that was followed last one that puts moves off for ever.
    put_off_by: PutOff,
}

/// Which targets of a node whose moves are enough could make a cycle of such nodes, in which other moves are put off for ever although nothing that is
/// looked for happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PutOff {
    /// None: no moves are left out, or that cycle would be what is looked for, or somebody else sees to it.
    Never,
    /// Nodes of the execution so far.
    OnExecution,
    /// Nodes that were visited before. The edges of this node are not part of the execution.
    OnVisited,
}

const KNOWN: u8 = 1;
const PROGRESS: u8 = 2;
const ACCEPT: u8 = 4;

#[derive(Default)]
pub(super) struct SystemMoves<const N: usize> {
    /// Where they arrive.
    pub(super) states: Vec<([u64; N], Arrival)>,
    /// Moves of the state at hand that do not arrive.
    pub(super) failing: Vec<Arrival>,
    /// The cause of the first problem that was met in any state.
    problem: Option<u32>,
}

impl<const N: usize> SystemMoves<N> {
    fn clear(&mut self) {
        self.states.clear();
        self.failing.clear();
    }
}

/// Why runs may end where the product says nothing about them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unclear {
    /// In an error, with this cause.
    Error(Cause),
    /// In an `atomic` sequence that may go round for ever.
    EndlessAtomic,
}

impl<const N: usize> Sink<N> for SystemMoves<N> {
    const NEEDS_MARKS: bool = true;

    fn arrive(&mut self, state: [u64; N], arrival: Arrival) {
        self.states.push((state, arrival));
    }

    fn problem(&mut self, cause: u32, arrival: Option<Arrival>) {
        self.failing.extend(arrival);
        self.problem.get_or_insert(cause);
    }
}

impl<'a, 's, const N: usize> Product<'a, 's, N> {
    /// The product under a layout. With progress, edges that make it are cut. `memory` is what is known of steps.
    pub fn new(shared: &'a Shared<'s>, layout: Layout, wanted: Wanted<'a>, memory: RowMemory) -> Self {
        let Wanted { monitor, progress, runs, .. } = wanted;
        let knowledge = lock(&shared.knowledge);
        let mut expander = Expander::new(shared, layout, &knowledge.components, memory);
        let movers = match runs {
            Runs::All => None,
            Runs::WeaklyFair => Some(Movers::beside(monitor)),
        };
        expander.keep_log = movers.is_some();
        Product {
            shared,
            monitor,
            progress,
            expander,
            movers,
            flags: vec![Vec::new(); knowledge.components.process_slots()],
            guards: Guards::new(monitor),
            looks_at_labels: monitor.process_labels_accept || progress == Some(ProgressReading::State),
            moves: SystemMoves::default(),
            in_full: States::default(),
            put_off_by: PutOff::Never,
        }
    }

    /// Sees to it that the reduced graph has a run for each run of the system up to stuttering, if the reducer leaves that to the search.
    pub fn keep_cycles(
        &mut self,
        initial: &[u32],
        reason_to_stop: &dyn Fn(usize) -> Option<StopReason>,
    ) -> Result<(), Trouble> {
        let reducer = self.shared.reducer.as_ref();
        if reducer.is_some_and(|reducer| reducer.proviso() == Proviso::ByStates) {
            let layout = self.expander.layout();
            let state = layout
                .pack::<N>(|component: ComponentId| initial.get(component.0 as usize).copied().unwrap_or(0));
            self.in_full = to_expand_fully(&mut self.expander, state, reason_to_stop)?;
        }
        Ok(())
    }

    /// The nodes to start from.
    pub fn initial(&self, initial: &[u32]) -> Vec<Node<N>> {
        let layout = self.expander.layout();
        let state = layout
            .pack::<N>(|component: ComponentId| initial.get(component.0 as usize).copied().unwrap_or(0));
        self.monitor.initial.iter().map(|&location| (state, location)).collect()
    }

    /// What is known of steps, to be used under another layout.
    pub fn into_memory(self) -> RowMemory {
        self.expander.into_memory()
    }

    /// The acceptance sets that a cycle must belong to.
    pub fn all_marks(&self) -> u64 {
        let of_processes = self.movers.as_ref().map_or(0, Movers::all);
        of_processes | ((1 << self.monitor.acceptance_sets) - 1)
    }

    /// Bytes for what is known of states and of the monitor; remembered steps have an account of their own.
    pub fn bytes(&self) -> usize {
        bytes_of(&self.in_full) + self.flags.iter().map(Vec::capacity).sum::<usize>() + self.guards.bytes()
    }

    /// What was met on the way that the product says nothing about.
    pub fn unclear(&self) -> Option<Unclear> {
        // An error is reported elsewhere too, an endless `atomic` only here: it comes first.
        if self.expander.chain_came_back {
            return Some(Unclear::EndlessAtomic);
        }
        self.moves.problem.map(|cause| Unclear::Error(lock(&self.shared.knowledge).cause(cause).clone()))
    }

    /// Appends the edges that leave a node: all, or where the system's search is reduced those that are enough.
    pub fn follow(&mut self, node: &Node<N>, out: &mut Vec<ProductEdge<N>>) -> Result<Followed, Trouble> {
        let (state, location) = *node;
        self.put_off_by = PutOff::Never;
        let watching = self.guards.watch(self.monitor, &mut self.expander, &state, location)?;
        if self.guards.list(watching).completes {
            return Ok(Followed::Completes);
        }
        if self.guards.list(watching).edges.is_empty() {
            return Ok(Followed::Edges);
        }
        let expanded = self.expand(&state);
        let expansion = expanded.map_err(|LayoutIsFull| Trouble::LayoutIsFull)?;
        let idle = match &mut self.movers {
            Some(movers) => movers.watch(&self.expander, &self.moves)?,
            None => 0,
        };
        let here = if self.looks_at_labels { self.flags_of(&state) } else { 0 };
        if expansion == Expansion::Reduced {
            self.put_off_by = self.put_off_at(here);
        }
        let own = u64::from(self.monitor.process_labels_accept && here & ACCEPT != 0) | idle;
        let watching = self.guards.list(watching);
        if expansion == Expansion::DeadEnd {
            // Where nothing can move the monitor goes on alone; but standing still is no cycle without progress.
            if self.progress.is_none() {
                out.extend(watching.edges.iter().map(|&(target, marks)| ProductEdge {
                    target: (state, target),
                    marks: u64::from(marks) | own,
                    cut: false,
                    ordinal: None,
                }));
            }
            return Ok(Followed::Edges);
        }
        for (index, (next, arrival)) in self.moves.states.iter().enumerate() {
            let cut = match self.progress {
                None => false,
                Some(ProgressReading::Transition) => arrival.marks.progress,
                // No cycle goes through a state that no edge leaves, so it is enough to look at the source.
                Some(ProgressReading::State) => here & PROGRESS != 0,
            };
            let own = own | self.movers.as_ref().map_or(0, |movers| movers.acted[index]);
            out.extend(watching.edges.iter().map(|&(target, marks)| ProductEdge {
                target: (*next, target),
                marks: u64::from(marks) | own,
                cut,
                ordinal: Some(index as u32),
            }));
        }
        Ok(Followed::Edges)
    }

    /// Which targets would make of the node that was followed last one that puts moves off for ever.
    #[inline(always)]
    pub fn put_off_by(&self) -> PutOff {
        self.put_off_by
    }

    /// From now on all moves of a state are followed.
    pub fn follow_fully(&mut self, state: &[u64; N]) {
        self.in_full.insert(*state);
    }

    /// Moves that are enough change no label that is looked at. So in a cycle of them a label stands in all states or in none, and if that is what is
    /// looked for, it was found.
    fn put_off_at(&self, here: u8) -> PutOff {
        if self.shared.reducer.as_ref().is_none_or(|reducer| reducer.proviso() != Proviso::InSearch) {
            return PutOff::Never;
        }
        match self.progress {
            None if here & ACCEPT != 0 => PutOff::Never,
            None => PutOff::OnExecution,
            // What leaves a place that is progress is cut, and so the search does not go along it.
            Some(ProgressReading::State) if here & PROGRESS != 0 => PutOff::OnVisited,
            Some(ProgressReading::State | ProgressReading::Transition) => PutOff::Never,
        }
    }

    /// The steps of the system's move with a number.
    pub fn steps(&mut self, state: &[u64; N], ordinal: u32) -> Option<Vec<Step>> {
        self.expander.keep_log = true;
        let expanded = self.expand(state);
        self.expander.keep_log = self.movers.is_some();
        expanded.ok()?;
        let &(_, arrival) = self.moves.states.get(ordinal as usize)?;
        Some(self.expander.steps_to(arrival))
    }

    #[inline(always)]
    fn expand(&mut self, state: &[u64; N]) -> Result<Expansion, LayoutIsFull> {
        self.moves.clear();
        self.expander.log.clear();
        if !self.in_full.is_empty() && self.in_full.contains(state) {
            self.expander.expand_fully(state, &mut self.moves)
        } else {
            self.expander.expand(state, &mut self.moves)
        }
    }

    /// Labels that stand where the processes of a state stand.
    fn flags_of(&mut self, state: &[u64; N]) -> u8 {
        let mut flags = 0;
        for pid in 0..self.flags.len() {
            let number = self.expander.process_number(pid, state) as usize;
            if number == 0 {
                break;
            }
            if self.flags[pid].get(number).is_none_or(|&known| known == 0) {
                self.learn_flags(pid, number);
            }
            flags |= self.flags[pid][number];
        }
        flags
    }

    fn learn_flags(&mut self, pid: usize, number: usize) {
        let knowledge = lock(&self.shared.knowledge);
        let mut flags = KNOWN;
        let component = knowledge.components.process(Pid(pid as u32));
        let place = component.and_then(|component| knowledge.components.place(component, number as u32));
        if let Some((automaton, location)) = place {
            let accept = self.shared.interpreter.system().automaton(automaton).location(location).accept;
            let progress = self.shared.is_progress(automaton, location);
            flags |= if progress { PROGRESS } else { 0 } | if accept { ACCEPT } else { 0 };
        }
        if self.flags[pid].len() <= number {
            self.flags[pid].resize(number + 1, 0);
        }
        self.flags[pid][number] = flags;
    }
}
