//! Which edges of a process can be executed.

use super::evaluate::Context;
use super::{Interpreter, Observer, Partner, Partners, RuntimeError, RuntimeErrorKind, Step};
use crate::automaton::{Action, Edge, EdgeId};
use crate::state::{ChannelId, Pid, State};

/// What can be said of an edge before a partner is looked for.
enum Executability {
    Blocked,
    Enabled,
    /// A rendezvous send: executable together with a receive of this message.
    Offers {
        channel: ChannelId,
        message: Vec<i32>,
    },
}

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
        let context = self.context(state, pid, timeout, observer);
        let process = &state.processes[pid.0 as usize];
        let automaton = self.system.automaton(process.automaton);
        let mut moved = false;
        let mut escaped = 0;
        let mut outcome = Ok(());
        for (id, edge) in automaton.edges_from(process.location) {
            if escaped > 0 && escaped != edge.escape {
                break;
            }
            if matches!(partners, Partners::Only(_)) && !matches!(edge.action, Action::Send { .. }) {
                continue;
            }
            // What is offered has been done if somebody takes it, and `else` asks for that.
            if offers && !moved && partners != Partners::All && begins_with_else(&edge.action) {
                let mut meetings = Vec::new();
                for (id, edge) in automaton.edges_from(process.location).take_while(|(other, _)| *other != id)
                {
                    if let Executability::Offers { channel, message } = context.executability(edge, false)? {
                        self.partners(&context, id, channel, &message, Partners::All, &mut meetings)?;
                    }
                }
                moved = !meetings.is_empty();
            }
            match context.executability(edge, moved)? {
                Executability::Blocked => continue,
                Executability::Enabled if matches!(partners, Partners::Only(_)) => {}
                Executability::Enabled => {
                    out.push(Step { process: pid, edge: id, partner: None });
                    moved = true;
                    escaped = edge.escape;
                }
                Executability::Offers { channel, message } => {
                    offers = true;
                    let before = out.len();
                    outcome = outcome.and(self.partners(&context, id, channel, &message, partners, out));
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
    pub(super) fn could_move<O: Observer>(
        &self,
        state: &State,
        pid: Pid,
        timeout: bool,
        observer: &O,
    ) -> Result<bool, RuntimeError> {
        let context = self.context(state, pid, timeout, observer);
        let process = &state.processes[pid.0 as usize];
        for (_, edge) in self.system.automaton(process.automaton).edges_from(process.location) {
            if !matches!(context.executability(edge, false)?, Executability::Blocked) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) fn context<'a, O>(
        &'a self,
        state: &'a State,
        pid: Pid,
        timeout: bool,
        observer: &'a O,
    ) -> Context<'a, 'a, O> {
        let locals = &state.processes[pid.0 as usize].locals;
        Context { interpreter: self, state, pid: Some(pid), locals, timeout, observer, runs: None }
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
        let proctype = state.processes[pid.0 as usize].automaton.0 as usize;
        match &self.model().proctypes[proctype].provided {
            None => Ok(true),
            Some(e) => Ok(self.context(state, pid, timeout, observer).value(e)? != 0),
        }
    }

    /// The receives that can take a message that is offered in a rendezvous.
    fn partners<O: Observer>(
        &self,
        sender: &Context<'_, '_, O>,
        edge: EdgeId,
        channel: ChannelId,
        message: &[i32],
        scope: Partners,
        out: &mut Vec<Step>,
    ) -> Result<(), RuntimeError> {
        let state = sender.state;
        let Some(sender_pid) = sender.pid else { return Ok(()) };
        let count = state.processes.len() as u32;
        let candidates = match scope {
            Partners::All => {
                sender.observer.read_number_of_processes();
                0..count
            }
            Partners::Only(pid) => pid.0..(pid.0 + 1).min(count),
            Partners::None => 0..0,
        };
        let mut outcome = Ok(());
        for pid in candidates.rev().map(Pid).filter(|&pid| pid != sender_pid) {
            // One who cannot even look at his own statement keeps nobody else from receiving.
            outcome = outcome.and(self.receives(sender, edge, pid, channel, message, out));
        }
        outcome
    }

    /// The receives of one process that can take a message that is offered in a rendezvous.
    fn receives<O: Observer>(
        &self,
        sender: &Context<'_, '_, O>,
        edge: EdgeId,
        receiver: Pid,
        channel: ChannelId,
        message: &[i32],
        out: &mut Vec<Step>,
    ) -> Result<(), RuntimeError> {
        let (state, observer) = (sender.state, sender.observer);
        let Some(process) = sender.pid else { return Ok(()) };
        observer.read_process(receiver);
        if !self.may_run(state, receiver, sender.timeout, observer)? {
            return Ok(());
        }
        let context = self.context(state, receiver, sender.timeout, observer);
        let receiving = &state.processes[receiver.0 as usize];
        let mut escaped = 0;
        for (id, candidate) in self.system.automaton(receiving.automaton).edges_from(receiving.location) {
            if escaped > 0 && escaped != candidate.escape {
                break;
            }
            if context.takes(&candidate.action, channel, message)? {
                escaped = candidate.escape;
                let partner = Some(Partner { process: receiver, edge: id });
                out.push(Step { process, edge, partner });
            }
        }
        Ok(())
    }
}

/// Whether what was tried before an edge may decide about it.
fn begins_with_else(action: &Action) -> bool {
    match action {
        Action::DStep(body) => {
            body.nodes.first().is_some_and(|node| node.choices.iter().any(|c| c.action == Action::Else))
        }
        action => *action == Action::Else,
    }
}

impl<O: Observer> Context<'_, '_, O> {
    fn executability(&self, edge: &Edge, moved: bool) -> Result<Executability, RuntimeError> {
        self.action_executability(&edge.action, moved)
    }

    fn action_executability(&self, action: &Action, moved: bool) -> Result<Executability, RuntimeError> {
        let enabled = match action {
            Action::Skip
            | Action::Assign { .. }
            | Action::Assert(_)
            | Action::Printf { .. }
            | Action::Printm(_)
            | Action::SetPriority { .. } => true,
            Action::Else => !moved,
            Action::Condition(e) => self.value(e)? != 0,
            Action::Send { channel, arguments, .. } => {
                let id = self.channel(channel)?;
                if self.is_rendezvous(id) {
                    let message = self.message(id, arguments, channel.place.span)?;
                    return Ok(Executability::Offers { channel: id, message });
                }
                !self.is_full(id)
            }
            Action::Receive { channel, random, copy, arguments } => {
                let id = self.channel(channel)?;
                if self.is_rendezvous(id) {
                    if *copy {
                        return self.fail(RuntimeErrorKind::CopyFromRendezvous, channel.place.span);
                    }
                    false
                } else {
                    self.find_message(id, *random, arguments)?.is_some()
                }
            }
            Action::End => {
                self.observer.read_number_of_processes();
                self.pid.is_some_and(|p| p.0 as usize + 1 == self.state.processes.len())
            }
            Action::DStep(body) => return self.d_step_executability(body, moved),
        };
        Ok(if enabled { Executability::Enabled } else { Executability::Blocked })
    }

    /// A `d_step` is executable if one of its first statements is.
    fn d_step_executability(
        &self,
        body: &crate::automaton::DStep,
        moved: bool,
    ) -> Result<Executability, RuntimeError> {
        let choices = body.nodes.first().map_or(&[][..], |n| &n.choices);
        let only_else = choices.len() == 1;
        for choice in choices {
            // An `else` that is the whole guard looks at the options beside the `d_step`; one among others does not.
            if matches!(choice.action, Action::Else) && only_else && moved {
                return Ok(Executability::Blocked);
            }
            if self.is_executable_inside(&choice.action)? {
                return Ok(Executability::Enabled);
            }
        }
        Ok(Executability::Blocked)
    }

    /// Whether a statement inside a `d_step` can be executed, others before it having failed.
    pub(super) fn is_executable_inside(&self, action: &Action) -> Result<bool, RuntimeError> {
        match self.action_executability(action, false)? {
            Executability::Blocked => Ok(false),
            Executability::Enabled => Ok(true),
            Executability::Offers { .. } => match action {
                Action::Send { channel, .. } => {
                    self.fail(RuntimeErrorKind::RendezvousInDStep, channel.place.span)
                }
                _ => Ok(false),
            },
        }
    }

    /// Whether an action can take the message that is offered on a rendezvous channel.
    fn takes(&self, action: &Action, offered: ChannelId, message: &[i32]) -> Result<bool, RuntimeError> {
        match action {
            Action::Receive { channel, copy: false, arguments, .. } => {
                Ok(self.channel(channel)? == offered && self.matches(message, arguments)?)
            }
            Action::DStep(body) => {
                for choice in body.nodes.first().map_or(&[][..], |n| &n.choices) {
                    if self.takes(&choice.action, offered, message)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => Ok(false),
        }
    }
}
