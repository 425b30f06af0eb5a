//! Steps that are executed and forgotten: one after another on the same values, each taken back before the next one.
//!
//! Where hardly any step comes again what counts is how fast one is executed, not how well it is remembered. So no step has a list of what it looks at; what
//! it changes is written down while it changes ([`system::interpreter::Undo`]), and nothing else is compared or numbered. Inside of an `atomic`
//! sequence nobody needs the states, so a sequence is executed to its end and only what it arrives at is packed. Moves come in the
//! order in which they come step by step, as those of remembered sequences do.

use super::compute::Computation;
use super::sites::{Decision, Sites};
use super::{LayoutIsFull, Shared, process_line};
use crate::explore::memo::{Marks, MoveInfo};
use crate::options::Properties;
use crate::packed::components::{Components, Decoded};
use crate::packed::knowledge::{Knowledge, Watch};
use crate::packed::layout::Layout;
use std::cell::Cell;
use system::automaton::{AutomatonId, EdgeId, LocationId};
use system::interpreter::{Output, Step, Stepper, Undo, Unsuited, Violation};
use system::state::{ChannelId, Pid};

/// What executing works with.
#[derive(Clone, Debug, Default)]
pub(super) struct Execution<const N: usize> {
    undo: Undo,
    /// Statements that lead on inside of a sequence, of all states that are waiting for their turn.
    onward: Vec<EdgeId>,
    waiting: Vec<Waiting>,
    /// Where the sequence is left to others to follow, the next one last.
    left: Vec<([u64; N], MoveInfo)>,
    /// By component: when it was last numbered.
    stamps: Vec<u32>,
    now: u32,
    /// By automaton and location: whether steps can be executed so.
    suited: Vec<Vec<Option<bool>>>,
}

/// A state inside of a sequence.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// How much had changed there.
    changes: usize,
    /// Where its statements begin in the list of all.
    onward: usize,
}

/// Whose steps are executed, and how far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) pid: Pid,
    /// It is inside of a sequence: if it is blocked it gives up control.
    pub(super) inside: bool,
    /// How many states it goes on from at most.
    pub(super) most: usize,
}

/// How it went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Went {
    /// These are all moves; how many states inside of the sequence it went on from beside the first.
    Well(usize),
    /// The long way is to be taken.
    Unsuited,
}

/// Passes on what happens, and tells if something was violated.
#[derive(Debug)]
pub struct Heard<'w> {
    /// What is told.
    pub watch: &'w mut Watch,
    /// What must not be violated.
    pub properties: &'w Properties,
    /// Whether it was.
    pub is_violated: &'w Cell<bool>,
}

impl Output for Heard<'_> {
    fn sent(&mut self, process: Pid, channel: ChannelId, message: &[i32]) {
        self.watch.sent(process, channel, message);
    }

    fn holds(&mut self, channel: ChannelId, messages: usize) {
        self.watch.holds(channel, messages);
    }

    fn received(&mut self, process: Pid, channel: ChannelId, message: &[i32]) {
        self.watch.received(process, channel, message);
    }

    fn violated(&mut self, violation: Violation) {
        if self.properties.include(&violation) {
            self.is_violated.set(true);
        }
    }
}

/// What is in the way of a way.
enum Stopped {
    Unsuited,
    Full,
}

impl From<Unsuited> for Stopped {
    fn from(_: Unsuited) -> Stopped {
        Stopped::Unsuited
    }
}

impl From<LayoutIsFull> for Stopped {
    fn from(_: LayoutIsFull) -> Stopped {
        Stopped::Full
    }
}

impl<const N: usize> Execution<N> {
    /// Whether the steps of a process that stands there may be executed so.
    #[inline]
    pub(super) fn suits(
        &mut self,
        shared: &Shared<'_>,
        automaton: AutomatonId,
        location: LocationId,
    ) -> bool {
        let (index, place) = (automaton.0 as usize, location.0 as usize);
        match self.suited.get(index).and_then(|suited| suited.get(place)) {
            Some(&Some(known)) => known,
            _ => {
                let can_take_back = shared.interpreter.can_take_back(automaton, location);
                self.judge(automaton, location, can_take_back && !has_progress(shared, automaton, location))
            }
        }
    }

    #[cold]
    fn judge(&mut self, automaton: AutomatonId, location: LocationId, suits: bool) -> bool {
        let (index, place) = (automaton.0 as usize, location.0 as usize);
        if self.suited.len() <= index {
            self.suited.resize_with(index + 1, Vec::new);
        }
        let suited = &mut self.suited[index];
        suited.resize(suited.len().max(place + 1), None);
        suited[place] = Some(suits);
        suits
    }
}

/// Whether a statement there is progress, or one inside of it: moves have no marks here.
fn has_progress(shared: &Shared<'_>, automaton: AutomatonId, location: LocationId) -> bool {
    let edges = &shared.interpreter.system().automaton(automaton).location(location).edges;
    shared.progress.iter().any(|at| at.automaton == automaton && edges.contains(&at.edge))
}

impl<const N: usize> Computation<N> {
    /// Executes the moves of a process, which stands where that suits: those of one state, or all that is left of a sequence.
    pub(super) fn run_and_forget(
        &mut self,
        execution: &mut Execution<N>,
        shared: &Shared<'_>,
        knowledge: &mut Knowledge,
        layout: &Layout,
        (way, sites): (Way, Option<&mut Sites>),
    ) -> Result<Went, LayoutIsFull> {
        self.moves.clear();
        execution.undo.clear();
        execution.onward.clear();
        execution.waiting.clear();
        execution.left.clear();
        let (decoded, scratch) = self.values.with_scratch();
        let automaton = scratch.processes[way.pid.0 as usize].automaton;
        let mut undo = std::mem::take(&mut execution.undo);
        let is_violated = Cell::new(false);
        let Knowledge { components, watch, executed, computed_steps, .. } = knowledge;
        watch.begin_step();
        let mut heard = Heard { watch, properties: &shared.properties, is_violated: &is_violated };
        let mut run = Run {
            stepper: shared.interpreter.stepper(scratch, &mut undo, way.pid, &mut heard),
            way,
            automaton,
            shared,
            sites,
            is_violated: &is_violated,
            decoded,
            layout,
            components,
            executed: &mut executed[automaton.0 as usize],
            steps: 0,
            execution,
            moves: &mut self.moves,
        };
        let went = run.go();
        *computed_steps += run.steps;
        let at = run.stepper.location();
        run.stepper.take_back(0);
        drop(run);
        execution.undo = undo;
        match went {
            Ok(links) => Ok(Went::Well(links - 1)),
            Err(Stopped::Full) => Err(LayoutIsFull),
            Err(Stopped::Unsuited) => {
                // A rendezvous is offered there, or something fails, and is likely to again.
                execution.judge(automaton, at, false);
                Ok(Went::Unsuited)
            }
        }
    }
}

/// A run of a process on the values at hand.
struct Run<'r, 's, const N: usize> {
    stepper: Stepper<'r, 's>,
    way: Way,
    automaton: AutomatonId,
    shared: &'r Shared<'s>,
    /// Where steps are executed; `None`: everywhere.
    sites: Option<&'r mut Sites>,
    is_violated: &'r Cell<bool>,
    /// The state where it began.
    decoded: &'r Decoded,
    layout: &'r Layout,
    components: &'r mut Components,
    executed: &'r mut [bool],
    steps: u64,
    execution: &'r mut Execution<N>,
    moves: &'r mut Vec<([u64; N], MoveInfo)>,
}

impl<const N: usize> Run<'_, '_, N> {
    /// Goes all ways; from how many states.
    fn go(&mut self) -> Result<usize, Stopped> {
        let mut links = 1;
        self.enter(None)?;
        // From here on what is inside of the sequence is left to others, in the order in which they would come to it.
        let mut is_left = self.way.most <= links;
        while let Some(&Waiting { changes, onward }) = self.execution.waiting.last() {
            self.stepper.take_back(changes);
            if self.execution.onward.len() == onward {
                self.execution.waiting.pop();
                continue;
            }
            let Some(edge) = self.execution.onward.pop() else { break };
            self.execute(edge)?;
            is_left |= links == self.way.most || !self.goes_on();
            if is_left {
                let link = self.arrival(Some(edge), Some(self.way.pid))?;
                self.execution.left.push(link);
            } else {
                links += 1;
                self.enter(Some(edge))?;
            }
        }
        self.moves.extend(self.execution.left.drain(..).rev());
        Ok(links)
    }

    /// Whether the steps from where the process is now are executed as well.
    fn goes_on(&mut self) -> bool {
        let location = self.stepper.location();
        let line = process_line(self.way.pid.0, false);
        let decision = self.sites.as_mut().map_or(Decision::Execute, |sites| sites.decide(line, location));
        decision == Decision::Execute && self.execution.suits(self.shared, self.automaton, location)
    }

    /// Tries what can be done where the process is now. What leads out of the sequence arrives at once.
    fn enter(&mut self, by: Option<EdgeId>) -> Result<(), Stopped> {
        let waiting = Waiting { changes: self.stepper.undo().len(), onward: self.execution.onward.len() };
        self.stepper.enabled(&mut self.execution.onward)?;
        if self.execution.onward.len() == waiting.onward {
            if self.way.inside {
                // Blocked: control is given up.
                let arrival = self.arrival(by, None)?;
                self.moves.push(arrival);
            }
            return Ok(());
        }
        let mut kept = waiting.onward;
        for place in waiting.onward..self.execution.onward.len() {
            let edge = self.execution.onward[place];
            if self.shared.interpreter.system().automaton(self.automaton).edge(edge).atomic {
                self.execution.onward[kept] = edge;
                kept += 1;
            } else {
                self.execute(edge)?;
                let arrival = self.arrival(Some(edge), None)?;
                self.moves.push(arrival);
                self.stepper.take_back(waiting.changes);
            }
        }
        self.execution.onward.truncate(kept);
        if kept > waiting.onward {
            self.execution.waiting.push(waiting);
        }
        Ok(())
    }

    fn execute(&mut self, edge: EdgeId) -> Result<(), Stopped> {
        self.stepper.execute(edge)?;
        self.steps += 1;
        self.executed[edge.0 as usize] = true;
        if self.is_violated.get() { Err(Stopped::Unsuited) } else { Ok(()) }
    }

    /// The move from where it began to where it is now.
    fn arrival(
        &mut self,
        by: Option<EdgeId>,
        exclusive: Option<Pid>,
    ) -> Result<([u64; N], MoveInfo), LayoutIsFull> {
        let Execution { stamps, now, .. } = &mut *self.execution;
        if *now == u32::MAX {
            stamps.fill(0);
            *now = 0;
        }
        *now += 1;
        let after = self.stepper.state();
        let mut change = [0; N];
        for touched in self.stepper.undo().touched() {
            let Some(component) = self.components.of_touched(touched, self.way.pid, self.automaton) else {
                continue;
            };
            let index = component.0 as usize;
            if stamps.len() <= index {
                stamps.resize(index + 1, 0);
            }
            if std::mem::replace(&mut stamps[index], *now) == *now {
                continue;
            }
            let Some(new) = self.components.number_if_changed(component, &self.decoded.state, after) else {
                continue;
            };
            if !self.layout.fits(component, new) {
                return Err(LayoutIsFull);
            }
            let old = self.decoded.numbers.get(index).copied().unwrap_or(0);
            self.layout.field(component).flip(&mut change, old ^ new);
        }
        let step = by.map(|edge| Step { process: self.way.pid, edge, partner: None });
        let marks = Marks::default();
        let info = MoveInfo {
            step,
            exclusive,
            problem: None,
            arrives: true,
            closes_loop: false,
            dies: false,
            marks,
            inner: 0,
        };
        Ok((change, info))
    }
}
