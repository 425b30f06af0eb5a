//! Runs that go round for ever without progress, looked for from the first state on.

use super::ground::{self, Ground, Journey, Meter, Problems, Suspended};
use super::inside::{self, Inside};
use super::stalled::LoopGraph;
use super::tree::{Grown, Id, Order, Reading, Scope, Tree};
pub use crate::cycles::product::Unclear;
use crate::cycles::{self, CycleOutcome, First, Runs, Wanted};
use crate::explore::expand::{LayoutIsFull, Shared, lock};
use crate::explore::witness::confirms_cycle;
use crate::monitor::Monitor;
use crate::options::{Limits, Properties};
use crate::prepare_with;
use crate::report::StopReason;
use certificate::trace::Trace;
use certificate::verdict::ProgressReading;
use system::automaton::System;
use system::control::Control;
use system::interpreter::{Capacities, Interpreter, RuntimeError, Step};
use system::progress::{ProgressAt, ProgressStatements};

/// What to look for, and how far.
#[derive(Clone, Debug)]
pub struct LassoOptions {
    /// How many messages fit into a channel.
    pub capacities: Capacities,
    /// Which statements and places are progress.
    pub progress: ProgressAt,
    /// In which reading.
    pub reading: ProgressReading,
    /// When to give up.
    pub limits: Limits,
}

/// What was found.
#[derive(Clone, Debug)]
pub enum LassoOutcome {
    /// A lasso without progress; it was replayed.
    Lasso(Box<Trace>),
    /// All was looked at, so many states, and there is none, except perhaps among runs that are unclear.
    None {
        /// States.
        states: u64,
        /// Moves between them.
        transitions: u64,
        /// Runs that end in an error or stay in an `atomic` sequence.
        unclear: Option<Unclear>,
    },
    /// The search ended early.
    Stopped(StopReason),
}

/// Looks for a lasso without progress. The error is that of a model without an initial state.
///
/// Two searches take turns, each turn larger than the last: depth first, where most cycles are met soon, and breadth first, which does not
/// lose itself. With unbounded queues the first would fill buffers for ever, so there is only the second, and the emptiest states come first.
pub fn find(
    system: &System,
    options: &LassoOptions,
    control: &Control<'_>,
) -> Result<LassoOutcome, RuntimeError> {
    let interpreter = Interpreter::new(system, options.capacities);
    let (mut shared, initial) = prepare_with(interpreter, Properties::none(), &options.limits, 1, None)?;
    shared.progress = ProgressStatements::new(system, &options.progress);
    shared.progress_at = options.progress.clone();
    let hunt = Hunt { shared: &shared, initial: &initial, options, control };
    let mut near = Near::new(&shared, options, control);
    let orders: &[First] = match options.capacities {
        Capacities::Unbounded => &[],
        Capacities::Declared | Capacities::Fixed(_) => &[First::Oldest, First::Youngest, First::ByTurns],
    };
    let mut suspended = Suspended::default();
    let mut size = FIRST_TURN;
    loop {
        near.most_states = size;
        let found = ground::run(&shared, &initial, &mut suspended, &mut near);
        let answer = hunt.answer_of_near(&near, found.unwrap_or_else(Seen::Stopped));
        if let Some(answer) = answer {
            return Ok(answer);
        }
        for &first in orders {
            if let Some(answer) = hunt.deep(first, size) {
                return Ok(answer);
            }
        }
        size *= NEXT_TURN;
    }
}

/// States of the first turn.
const FIRST_TURN: u64 = 1 << 10;
/// How much larger each turn is than the last.
const NEXT_TURN: u64 = 4;
/// States inside of `atomic` sequences that begin in one state beyond which nobody looks.
const MOST_INSIDE: usize = 1 << 16;
/// States between two looks at the limits.
const A_WHILE: usize = 128;
/// States with which cycles are looked for the first time.
const FIRST_LOOK: usize = 64;

struct Hunt<'h, 's> {
    shared: &'h Shared<'s>,
    initial: &'h [u32],
    options: &'h LassoOptions,
    control: &'h Control<'h>,
}

impl Hunt<'_, '_> {
    /// Depth first, in some order, up to so many states. `None` if these were not enough.
    fn deep(&self, first: First, size: u64) -> Option<LassoOutcome> {
        let monitor = Monitor::of_everything();
        let progress = Some(self.options.reading);
        let wanted = Wanted { monitor: &monitor, progress, runs: Runs::All, first };
        let most = self.options.limits.states.map_or(size, |limit| limit.min(size));
        let limits = Limits { states: Some(most), ..self.options.limits };
        match cycles::find(self.shared, self.initial, wanted, &limits, self.control) {
            // The search by breadth looks into them.
            CycleOutcome::None { unclear: Some(Unclear::EndlessAtomic), .. }
                if self.options.reading == ProgressReading::Transition =>
            {
                None
            }
            CycleOutcome::None { nodes: states, edges: transitions, unclear } => {
                Some(LassoOutcome::None { states, transitions, unclear })
            }
            CycleOutcome::Lasso { steps, loop_start, .. } => Some(self.confirmed(&steps, loop_start)),
            CycleOutcome::Stopped { reason: StopReason::States(limit), .. } => {
                let is_given = self.options.limits.states == Some(limit);
                is_given.then_some(LassoOutcome::Stopped(StopReason::States(limit)))
            }
            CycleOutcome::Stopped { reason, .. } => Some(LassoOutcome::Stopped(reason)),
            // A monitor that looks at nothing is never completed and cannot fail.
            CycleOutcome::Completed { .. } | CycleOutcome::GuardFails | CycleOutcome::TooManyProcesses => {
                Some(LassoOutcome::Stopped(StopReason::TraceNotConfirmed))
            }
        }
    }

    fn answer_of_near(&self, near: &Near<'_>, seen: Seen) -> Option<LassoOutcome> {
        match seen {
            Seen::NotEnough => None,
            Seen::Lasso { steps, loop_start } => Some(self.confirmed(&steps, loop_start)),
            Seen::Everything(problems) => {
                let knowledge = lock(&self.shared.knowledge);
                let error = problems.error.map(|cause| Unclear::Error(knowledge.cause(cause).clone()));
                let unclear = if problems.endless_atomic { Some(Unclear::EndlessAtomic) } else { error };
                let (states, transitions) = (near.tree.len() as u64, near.tree.edges().len() as u64);
                Some(LassoOutcome::None { states, transitions, unclear })
            }
            Seen::Stopped(reason) => Some(LassoOutcome::Stopped(reason)),
        }
    }

    fn confirmed(&self, steps: &[Step], loop_start: usize) -> LassoOutcome {
        let LassoOptions { capacities, progress, reading, .. } = self.options;
        let system = self.shared.interpreter.system();
        let trace = Trace::new(system, *capacities, steps, Some(loop_start));
        match confirms_cycle(system, &trace, &Monitor::of_everything(), Some(*reading), progress) {
            true => LassoOutcome::Lasso(Box::new(trace)),
            false => LassoOutcome::Stopped(StopReason::TraceNotConfirmed),
        }
    }
}

/// What a turn of the search by breadth came to.
enum Seen {
    Lasso { steps: Vec<Step>, loop_start: usize },
    Everything(Problems),
    NotEnough,
    Stopped(StopReason),
}

/// Breadth first, or the emptiest states first, with a look for cycles each time when there are twice as many states.
struct Near<'n> {
    tree: Tree,
    meter: Meter<'n>,
    most_states: u64,
    look_at: usize,
}

impl<'n> Near<'n> {
    fn new(shared: &Shared<'_>, options: &'n LassoOptions, control: &'n Control<'n>) -> Near<'n> {
        let order = match options.capacities {
            Capacities::Unbounded => Order::Emptiest,
            Capacities::Declared | Capacities::Fixed(_) => Order::Breadth,
        };
        let reading = match options.reading {
            ProgressReading::State => Reading::ByState,
            ProgressReading::Transition => Reading::ByStatement,
        };
        let tree = Tree::new(Scope { reading, ..Scope::default() }, order, true, &shared.budget);
        let meter = Meter::new(&options.limits, &shared.budget, control);
        Near { tree, meter, most_states: 0, look_at: FIRST_LOOK }
    }

    fn look<const N: usize>(&self, ground: &mut Ground<'_, '_, N>) -> Result<Option<Seen>, LayoutIsFull> {
        if let Some(reason) = self.meter.lacks(LoopGraph::bytes_of(&self.tree)) {
            return Ok(Some(Seen::Stopped(reason)));
        }
        let graph = LoopGraph::of(&self.tree);
        let Some(edge) = self.tree.edges().iter().find(|edge| graph.is_inside(edge)) else { return Ok(None) };
        let mut steps = self.tree.path(ground, None, edge.from)?;
        let loop_start = steps.len();
        steps.extend(graph.way_round(ground, &self.tree, edge)?.unwrap_or_default());
        Ok(Some(Seen::Lasso { steps, loop_start }))
    }
}

/// An `atomic` sequence goes through more states than anybody wants to look at.
struct TooLarge;

impl Near<'_> {
    /// Looks for a run that stays in the middle of an `atomic` sequence, from every state on.
    fn look_inside<const N: usize>(
        &self,
        ground: &mut Ground<'_, '_, N>,
    ) -> Result<Result<Option<Seen>, TooLarge>, LayoutIsFull> {
        let shared = ground.shared();
        for id in 0..self.tree.len() as Id {
            if let Some(reason) = self.meter.exhausted() {
                return Ok(Ok(Some(Seen::Stopped(reason))));
            }
            let start = ground.decode(&self.tree.state(id)).clone();
            match inside::look(&shared.interpreter, &start, &shared.progress, MOST_INSIDE) {
                Inside::Nothing => {}
                Inside::TooLarge => return Ok(Err(TooLarge)),
                Inside::Lasso { steps: round, loop_start } => {
                    let mut steps = self.tree.path(ground, None, id)?;
                    let loop_start = steps.len() + loop_start;
                    steps.extend(round);
                    return Ok(Ok(Some(Seen::Lasso { steps, loop_start })));
                }
            }
        }
        Ok(Ok(None))
    }
}

impl Journey for Near<'_> {
    type End = Seen;

    fn trees(&mut self) -> Vec<&mut Tree> {
        vec![&mut self.tree]
    }

    fn travel<const N: usize>(&mut self, ground: &mut Ground<'_, '_, N>) -> Result<Seen, LayoutIsFull> {
        self.tree.plant(ground)?;
        // The limits are looked at first of all: layouts may become too small one after another.
        for expanded in 0.. {
            if self.tree.len() >= self.look_at {
                if let Some(seen) = self.look(ground)? {
                    return Ok(seen);
                }
                self.look_at = 2 * self.tree.len();
            }
            if expanded % A_WHILE == 0
                && let Some(reason) = self.meter.over(self.tree.len() as u64)
            {
                return Ok(Seen::Stopped(reason));
            }
            if self.tree.grow(ground)? == Grown::Exhausted {
                break;
            }
            if self.tree.len() as u64 >= self.most_states {
                return Ok(Seen::NotEnough);
            }
        }
        if let Some(found) = self.look(ground)? {
            return Ok(found);
        }
        let mut problems = ground.problems();
        if problems.endless_atomic && self.tree.scope().reading == Reading::ByStatement {
            match self.look_inside(ground)? {
                Ok(Some(found)) => return Ok(found),
                Ok(None) => problems.endless_atomic = false,
                Err(TooLarge) => {}
            }
        }
        Ok(Seen::Everything(problems))
    }
}
