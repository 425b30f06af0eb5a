//! What a step does.

use super::event::Direction;
use super::{Interpreter, Observer, Output, RuntimeError, Step};
use crate::automaton::{DStepNodeId, Edge, EdgeId};
use crate::code::EdgeCode;
use crate::code::footprint::monitor::Monitor;
use crate::code::machine::{Ended, Guarded, Machine};
use crate::state::{Pid, State};

impl Interpreter<'_> {
    /// Executes a step that the state allows. What it violates on the way is told to the output, however the step ends: a `d_step` can violate
    /// several things, and fail after them.
    pub fn execute<O: Observer>(
        &self,
        state: &mut State,
        step: Step,
        observer: &O,
        output: &mut dyn Output,
    ) -> Result<(), RuntimeError> {
        let monitor = Monitor::of_step(self, state, step, observer);
        let processes = state.processes.len() as u32;
        let executed = match step.partner {
            None => self.execute_edge(state, step.process, step.edge, &monitor, output),
            Some(_) => self.rendezvous(state, step, &monitor, output),
        };
        drop(monitor);
        if self.takes_away_terminated && executed.is_ok() {
            self.take_away_terminated(state, step, processes, observer);
        }
        executed
    }

    /// Takes away processes that have just terminated: those that moved or were started by this step. All others that have terminated
    /// are gone already. Whoever is younger moves up, so that the step changes him too.
    fn take_away_terminated<O: Observer>(&self, state: &mut State, step: Step, before: u32, observer: &O) {
        let moved = [Some(step.process), step.partner.map(|partner| partner.process)];
        let started = (before..state.processes.len() as u32).map(Pid);
        let has_terminated = |pid: &Pid| {
            state.processes.get(pid.0 as usize).is_some_and(|process| self.has_terminated(process))
        };
        let touched = moved.into_iter().flatten().chain(started);
        let mut terminated: Vec<Pid> = touched.filter(has_terminated).collect();
        terminated.sort_unstable();
        terminated.dedup();
        let Some(&oldest) = terminated.first() else { return };
        observer.read_number_of_processes();
        (oldest.0..before).for_each(|pid| observer.read_process(Pid(pid)));
        for &pid in terminated.iter().rev() {
            state.processes.remove(pid.0 as usize);
            state.exclusive = match state.exclusive {
                Some(exclusive) if exclusive == pid => None,
                Some(exclusive) if exclusive > pid => Some(Pid(exclusive.0 - 1)),
                other => other,
            };
        }
    }

    fn code_of(&self, state: &State, pid: Pid, edge: EdgeId) -> (&Edge, &EdgeCode) {
        let automaton = state.processes[pid.0 as usize].automaton;
        (self.system.automaton(automaton).edge(edge), self.system.code.edge(automaton, edge))
    }

    fn execute_edge<O: Observer>(
        &self,
        state: &mut State,
        pid: Pid,
        edge: EdgeId,
        observer: &O,
        output: &mut dyn Output,
    ) -> Result<(), RuntimeError> {
        let (edge, code) = self.code_of(state, pid, edge);
        let timeout = code.asks_timeout && self.only_by_timeout(state, pid, code)?;
        let mut machine = Machine::new(self, &mut *state, Some(pid), timeout, observer, output);
        machine.run(code.effect)?;
        drop(machine);
        self.arrive(state, pid, edge, observer);
        Ok(())
    }

    /// Whether a step that the state allows is there because nothing else can move. `timeout` is true only where nothing can be executed while
    /// it is false; so it is true if this cannot.
    fn only_by_timeout(&self, state: &State, pid: Pid, code: &EdgeCode) -> Result<bool, RuntimeError> {
        let mut nobody = ();
        let mut machine = Machine::new(self, state, Some(pid), false, &(), &mut nobody);
        Ok(machine.guard(code, false)? == Guarded::Blocked)
    }

    pub(super) fn arrive<O: Observer>(&self, state: &mut State, pid: Pid, edge: &Edge, observer: &O) {
        if self.model().features.last {
            state.last = pid.0;
        }
        // A process that has died is the youngest, and arrives nowhere.
        if let Some(process) = state.processes.get_mut(pid.0 as usize) {
            process.location = edge.target;
            if !self.keeps_everything {
                for &slot in &edge.dead {
                    observer.clear_local(pid, slot);
                    process.locals[slot as usize] = 0;
                }
            }
        }
        state.exclusive = edge.atomic.then_some(pid);
    }

    fn rendezvous<O: Observer>(
        &self,
        state: &mut State,
        step: Step,
        observer: &O,
        output: &mut dyn Output,
    ) -> Result<(), RuntimeError> {
        let Some(partner) = step.partner else { return Ok(()) };
        let (sending, send) = self.code_of(state, step.process, step.edge);
        let (receiving, receive) = self.code_of(state, partner.process, partner.edge);
        let mut machine = Machine::new(self, &mut *state, Some(step.process), false, observer, &mut *output);
        let Some(guard) = send.guard else { return Ok(()) };
        let Ended::Offers(id) = machine.run(guard)? else { return Ok(()) };
        let message = machine.message().to_vec();
        machine.output.sent(step.process, id, &message);
        machine.event(Direction::Send, id, sending.span);
        drop(machine);
        self.arrive(state, step.process, sending, observer);
        let mut machine = Machine::new(self, &mut *state, Some(partner.process), false, observer, output);
        machine.hand(&message);
        machine.output.received(partner.process, id, &message);
        machine.event(Direction::Receive, id, receiving.span);
        // The first statement that takes the message is the one that was found when the step was offered.
        for take in &receive.takes {
            if machine.channel_of(take.channel)? == id && machine.matches(take.pattern, &message)? {
                if let Some(choice) = take.choice {
                    machine.output.chose(partner.process, DStepNodeId(0), choice);
                }
                machine.hand(&message);
                machine.run(take.then)?;
                break;
            }
        }
        drop(machine);
        self.arrive(state, partner.process, receiving, observer);
        Ok(())
    }
}
