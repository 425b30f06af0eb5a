//! Which edges of a process can be executed.

use super::{Interpreter, Observer, Partner, Partners, RuntimeError, Step};
use crate::automaton::EdgeId;
use crate::code::footprint::monitor::Monitor;
use crate::code::machine::{Guarded, Machine};
use crate::state::{ChannelId, Pid, State};

impl Interpreter<'_> {
    /// The steps of one process, given whether `timeout` is true. Appends to `out`.
    pub fn steps_of<O: Observer>(
        &self,
        state: &State,
        pid: Pid,
        timeout: bool,
        observer: &O,
        out: &mut Vec<Step>,
    ) -> Result<(), RuntimeError> {
        self.steps_with(state, pid, timeout, Partners::All, observer, out).map(|_| ())
    }

    /// Like [`Interpreter::steps_of`], with some partners of a rendezvous only. Tells whether the process offers a rendezvous.
    pub fn steps_with<O: Observer>(
        &self,
        state: &State,
        pid: Pid,
        timeout: bool,
        partners: Partners,
        observer: &O,
        out: &mut Vec<Step>,
    ) -> Result<bool, RuntimeError> {
        let mut offers = false;
        if !self.may_run(state, pid, timeout, observer)? {
            return Ok(offers);
        }
        let process = &state.processes[pid.0 as usize];
        let automaton = self.system.automaton(process.automaton);
        let mut nobody = ();
        let monitor = Monitor::of_guards(self, state, pid, observer);
        let mut machine = Machine::new(self, state, Some(pid), timeout, &monitor, &mut nobody);
        let mut moved = false;
        let mut escaped = 0;
        let mut outcome = Ok(());
        for (id, edge) in automaton.edges_from(process.location) {
            if escaped > 0 && escaped != edge.escape {
                break;
            }
            let code = self.system.code.edge(process.automaton, id);
            if matches!(partners, Partners::Only(_)) && !code.sends {
                continue;
            }
            // What is offered has been done if somebody takes it, and `else` asks for that.
            if offers && !moved && partners != Partners::All && code.begins_with_else {
                let mut meetings = Vec::new();
                for (id, _) in automaton.edges_from(process.location).take_while(|(other, _)| *other != id) {
                    let code = self.system.code.edge(process.automaton, id);
                    if let Guarded::Offers(channel) = machine.guard(code, false)? {
                        let offer =
                            Offer { sender: pid, edge: id, channel, message: machine.message(), timeout };
                        self.partners(state, offer, Partners::All, observer, &mut meetings)?;
                    }
                }
                moved = !meetings.is_empty();
            }
            match machine.guard(code, moved)? {
                Guarded::Blocked => continue,
                Guarded::Enabled if matches!(partners, Partners::Only(_)) => {}
                Guarded::Enabled => {
                    out.push(Step { process: pid, edge: id, partner: None });
                    moved = true;
                    escaped = edge.escape;
                }
                Guarded::Offers(channel) => {
                    offers = true;
                    let before = out.len();
                    let offer = Offer { sender: pid, edge: id, channel, message: machine.message(), timeout };
                    outcome = outcome.and(self.partners(state, offer, partners, observer, out));
                    if out.len() > before {
                        moved = true;
                        escaped = edge.escape;
                    }
                }
            }
        }
        outcome.map(|()| offers)
    }

    /// Whether a process has an executable statement, as `enabled()` asks: a rendezvous send counts without a partner.
    pub(crate) fn could_move<O: Observer>(
        &self,
        state: &State,
        pid: Pid,
        timeout: bool,
        observer: &O,
    ) -> Result<bool, RuntimeError> {
        let process = &state.processes[pid.0 as usize];
        let mut nobody = ();
        let mut machine = Machine::new(self, state, Some(pid), timeout, observer, &mut nobody);
        for &edge in &self.system.automaton(process.automaton).location(process.location).edges {
            let code = self.system.code.edge(process.automaton, edge);
            if machine.guard(code, false)? != Guarded::Blocked {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// `provided`, and no process of higher priority that can move.
    fn may_run<O: Observer>(
        &self,
        state: &State,
        pid: Pid,
        timeout: bool,
        observer: &O,
    ) -> Result<bool, RuntimeError> {
        if !self.is_provided(state, pid, timeout, observer)? {
            return Ok(false);
        }
        if !self.model().features.priorities {
            return Ok(true);
        }
        observer.read_number_of_processes();
        let own = state.processes[pid.0 as usize].priority;
        for (i, other) in state.processes.iter().enumerate() {
            let other_pid = Pid(i as u32);
            if other_pid == pid {
                continue;
            }
            observer.read_process(other_pid);
            if other.priority > own
                && self.is_provided(state, other_pid, timeout, observer)?
                && self.could_move(state, other_pid, timeout, observer)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_provided<O: Observer>(
        &self,
        state: &State,
        pid: Pid,
        timeout: bool,
        observer: &O,
    ) -> Result<bool, RuntimeError> {
        match self.system.code.provided(state.processes[pid.0 as usize].automaton) {
            None => Ok(true),
            Some(block) => {
                let value = Machine::new(self, state, Some(pid), timeout, observer, &mut ()).value(block)?;
                Ok(value != 0)
            }
        }
    }

    /// The receives that can take a message that is offered in a rendezvous.
    fn partners<O: Observer>(
        &self,
        state: &State,
        offer: Offer<'_>,
        scope: Partners,
        observer: &O,
        out: &mut Vec<Step>,
    ) -> Result<(), RuntimeError> {
        let count = state.processes.len() as u32;
        let candidates = match scope {
            Partners::All => {
                observer.read_number_of_processes();
                0..count
            }
            Partners::Only(pid) => pid.0..(pid.0 + 1).min(count),
            Partners::None => 0..0,
        };
        let mut outcome = Ok(());
        for pid in candidates.rev().map(Pid).filter(|&pid| pid != offer.sender) {
            // One who cannot even look at his own statement keeps nobody else from receiving.
            outcome = outcome.and(self.receives(state, &offer, pid, observer, out));
        }
        outcome
    }

    /// The receives of one process that can take a message that is offered in a rendezvous.
    fn receives<O: Observer>(
        &self,
        state: &State,
        offer: &Offer<'_>,
        receiver: Pid,
        observer: &O,
        out: &mut Vec<Step>,
    ) -> Result<(), RuntimeError> {
        observer.read_place(receiver);
        if !self.may_run(state, receiver, offer.timeout, observer)? {
            return Ok(());
        }
        let process = &state.processes[receiver.0 as usize];
        let mut escaped = 0;
        for (id, candidate) in self.system.automaton(process.automaton).edges_from(process.location) {
            if escaped > 0 && escaped != candidate.escape {
                break;
            }
            if self.takes(state, receiver, id, offer, observer)? {
                escaped = candidate.escape;
                let partner = Some(Partner { process: receiver, edge: id });
                out.push(Step { process: offer.sender, edge: offer.edge, partner });
            }
        }
        Ok(())
    }

    /// Whether a statement can take the message that is offered.
    fn takes<O: Observer>(
        &self,
        state: &State,
        pid: Pid,
        edge: EdgeId,
        offer: &Offer<'_>,
        observer: &O,
    ) -> Result<bool, RuntimeError> {
        let code = self.system.code.edge(state.processes[pid.0 as usize].automaton, edge);
        if code.takes.is_empty() {
            return Ok(false);
        }
        let mut nobody = ();
        let mut machine = Machine::new(self, state, Some(pid), offer.timeout, observer, &mut nobody);
        for take in &code.takes {
            if machine.channel_of(take.channel)? == offer.channel
                && machine.matches(take.pattern, offer.message)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A message that is offered in a rendezvous.
struct Offer<'a> {
    sender: Pid,
    edge: EdgeId,
    channel: ChannelId,
    message: &'a [i32],
    timeout: bool,
}
