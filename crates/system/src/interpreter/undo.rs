//! Steps that are executed, looked at and taken back.
//!
//! Whoever remembers no step goes to and fro: it executes one, looks what has become of the state, and wants the state as it was for the next one. A copy of
//! the state for each step, or comparing all of it afterwards, costs more than most steps do. So [`Undo`] writes down what was where something is about to
//! change: that is what the step has changed, and what takes it back. Inside of an `atomic` sequence one step comes after another, and they are taken
//! back in reverse order.
//!
//! It is the same code, executed by the same machine ([`crate::code::machine`]); only where it is executed is another [`Memory`]. Some statements
//! are left to [`Interpreter::execute`]: those that start or end processes or make channels, those of a model with priorities, `provided`, `_last`,
//! `timeout` or an event trace, escapes of `unless`, and a rendezvous. What fails or violates something is told as [`Unsuited`] too, so that it is reported
//! in one place only.

use super::{Interpreter, Output};
use crate::automaton::{AutomatonId, EdgeId, LocationId};
use crate::code::machine::{Guarded, Machine, Memory};
use crate::code::operate::{Frames, Undoing};
use crate::state::{ChannelId, Pid, State};
use promela::model::Frame;

/// Something that is about to change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touched {
    /// A slot of the global frame.
    Global(u32),
    /// A slot of the frame of the process that moves.
    Local(u32),
    /// Where the process that moves stands.
    Place,
    /// The contents of a channel.
    Channel(ChannelId),
}

/// What was there before it changed, in order.
#[derive(Clone, Debug, Default)]
pub struct Undo {
    /// What changed, and what it was: a value, a location, or where its messages begin in `contents`.
    changes: Vec<(Touched, i32)>,
    contents: Vec<i32>,
    /// By slot of the global frame and of that of the process: the step in which it was written down last. Once is enough.
    steps: [Vec<u32>; 2],
    step: u32,
}

impl Undo {
    /// What has changed, some of it more than once.
    pub fn touched(&self) -> impl Iterator<Item = Touched> + '_ {
        self.changes.iter().map(|&(touched, _)| touched)
    }

    /// How much has changed.
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Whether nothing has changed.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Forgets what it was.
    pub fn clear(&mut self) {
        self.changes.clear();
        self.contents.clear();
    }

    #[inline]
    pub(crate) fn slot(&mut self, frame: Frame, slot: u32, was: i32) {
        let (touched, steps) = match frame {
            Frame::Global => (Touched::Global(slot), &mut self.steps[0]),
            Frame::Local => (Touched::Local(slot), &mut self.steps[1]),
        };
        if steps.len() <= slot as usize {
            steps.resize(slot as usize + 1, 0);
        }
        if std::mem::replace(&mut steps[slot as usize], self.step) != self.step {
            self.changes.push((touched, was));
        }
    }

    fn begin_step(&mut self) {
        if self.step == u32::MAX {
            self.steps.iter_mut().for_each(|steps| steps.fill(0));
            self.step = 0;
        }
        self.step += 1;
    }

    fn channel(&mut self, id: ChannelId, contents: &[i32]) {
        self.changes.push((Touched::Channel(id), self.contents.len() as i32));
        self.contents.extend_from_slice(contents);
    }

    /// Takes back what has changed since there were so many changes.
    fn take_back(&mut self, to: usize, state: &mut State, pid: Pid) {
        let State { globals, processes, channels, .. } = state;
        let process = &mut processes[pid.0 as usize];
        for (touched, was) in self.changes.drain(to..).rev() {
            match touched {
                Touched::Global(slot) => globals[slot as usize] = was,
                Touched::Local(slot) => process.locals[slot as usize] = was,
                Touched::Place => process.location = LocationId(was as u32),
                Touched::Channel(id) => {
                    let contents = &mut channels[id.0 as usize].contents;
                    contents.clear();
                    contents.extend(self.contents.drain(was as usize..));
                }
            }
        }
    }
}

/// A state on which every change is written down.
pub(crate) struct Tracked<'a> {
    pub state: &'a mut State,
    pub undo: &'a mut Undo,
}

impl Memory for Tracked<'_> {
    #[inline]
    fn state(&self) -> &State {
        self.state
    }

    #[inline]
    fn change(&mut self) -> Option<&mut State> {
        Some(self.state)
    }

    #[inline]
    fn frames(&mut self, pid: Option<Pid>) -> impl Frames {
        Undoing::of(self.state, pid, self.undo)
    }

    fn before_slot(&mut self, pid: Option<Pid>, frame: Frame, slot: u32) {
        let locals =
            pid.and_then(|pid| self.state.processes.get(pid.0 as usize)).map(|process| &process.locals);
        let was = match frame {
            Frame::Global => Some(self.state.globals[slot as usize]),
            Frame::Local => locals.map(|locals| locals[slot as usize]),
        };
        was.into_iter().for_each(|was| self.undo.slot(frame, slot, was));
    }

    fn before_channel(&mut self, id: ChannelId) {
        self.undo.channel(id, &self.state.channels[id.0 as usize].contents);
    }
}

/// The long way is to be taken: [`Interpreter::steps_with`] and [`Interpreter::execute`]. What had changed is taken back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unsuited;

/// Executes steps of one process and takes them back. While nothing has something to do with anybody else it may go on and on.
pub struct Stepper<'a, 's> {
    machine: Machine<'a, 's, Tracked<'a>, ()>,
    pid: Pid,
    automaton: AutomatonId,
}

impl<'s> Interpreter<'s> {
    /// Whether the steps of a process that stands there can be taken back, as far as can be said without a state.
    pub fn can_take_back(&self, automaton: AutomatonId, location: LocationId) -> bool {
        let features = &self.model().features;
        let is_alone = self.system.event_trace.is_none()
            && !features.priorities
            && !features.last
            && !self.takes_away_terminated
            && !self.by_stack
            && self.system.code.provided(automaton).is_none();
        is_alone
            && self
                .system
                .automaton(automaton)
                .edges_from(location)
                .all(|(id, edge)| edge.escape == 0 && self.system.code.can_be_taken_back(automaton, id))
    }

    /// Begins to execute steps of a process on a state.
    pub fn stepper<'a>(
        &'a self,
        state: &'a mut State,
        undo: &'a mut Undo,
        pid: Pid,
        output: &'a mut dyn Output,
    ) -> Stepper<'a, 's> {
        let automaton = state.processes[pid.0 as usize].automaton;
        let machine = Machine::new(self, Tracked { state, undo }, Some(pid), false, &(), output);
        Stepper { machine, pid, automaton }
    }
}

impl Stepper<'_, '_> {
    /// Goes on with another process. Nothing has changed, or all was taken back.
    pub fn turn_to(&mut self, pid: Pid) {
        debug_assert!(self.undo().is_empty(), "what another process did is taken back as its own");
        self.machine.pid = Some(pid);
        self.pid = pid;
        self.automaton = self.state().processes[pid.0 as usize].automaton;
    }

    /// The state as it is now.
    pub fn state(&self) -> &State {
        self.machine.memory.state
    }

    /// What was changed so far.
    pub fn undo(&self) -> &Undo {
        self.machine.memory.undo
    }

    /// Where the process stands.
    pub fn location(&self) -> LocationId {
        self.state().processes[self.pid.0 as usize].location
    }

    /// Appends the statements that can be executed, in order.
    pub fn enabled(&mut self, out: &mut Vec<EdgeId>) -> Result<(), Unsuited> {
        let interpreter = self.machine.interpreter;
        let automaton = interpreter.system.automaton(self.automaton);
        let mut moved = false;
        for &edge in &automaton.location(self.location()).edges {
            let code = interpreter.system.code.edge(self.automaton, edge);
            match self.machine.guard(code, moved) {
                Ok(Guarded::Blocked) => {}
                Ok(Guarded::Enabled) => {
                    out.push(edge);
                    moved = true;
                }
                Ok(Guarded::Offers(_)) | Err(_) => {
                    self.machine.forget();
                    return Err(Unsuited);
                }
            }
        }
        Ok(())
    }

    /// Executes a statement that can be executed.
    pub fn execute(&mut self, edge: EdgeId) -> Result<(), Unsuited> {
        let interpreter = self.machine.interpreter;
        let system = interpreter.system;
        let begin = self.undo().len();
        self.machine.memory.undo.begin_step();
        let code = system.code.edge(self.automaton, edge);
        if self.machine.run_effect(code.effect).is_err() {
            self.machine.forget();
            self.take_back(begin);
            return Err(Unsuited);
        }
        let edge = system.automaton(self.automaton).edge(edge);
        let Tracked { state, undo } = &mut self.machine.memory;
        let process = &state.processes[self.pid.0 as usize];
        undo.changes.push((Touched::Place, process.location.0 as i32));
        for &slot in &edge.dead {
            undo.slot(Frame::Local, slot, process.locals[slot as usize]);
        }
        interpreter.arrive(state, self.pid, edge, &());
        state.exclusive = None;
        Ok(())
    }

    /// Takes back what was changed since there were so many changes.
    pub fn take_back(&mut self, to: usize) {
        let Tracked { state, undo } = &mut self.machine.memory;
        undo.take_back(to, state, self.pid);
    }
}
