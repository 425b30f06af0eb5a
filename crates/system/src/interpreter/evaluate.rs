//! Values of expressions.

use super::{Interpreter, Observer, RuntimeError, RuntimeErrorKind};
use crate::arithmetic;
use crate::automaton::Automaton;
use crate::state::{ChannelId, Pid, Process, State};
use promela::model::{
    BinaryOp, ChannelRef, Expr, ExprKind, Frame, Place, ProctypeId, ReceiveArgument, RemoteProcess,
};
use promela::source::Span;
use std::cell::RefCell;

/// A process that an expression asks to be started once the statement is executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RunRequest {
    pub proctype: ProctypeId,
    pub arguments: Vec<i32>,
    pub priority: Option<i32>,
    pub span: Span,
}

/// Where an expression is evaluated.
pub(super) struct Context<'a, 's, O> {
    pub interpreter: &'a Interpreter<'s>,
    pub state: &'a State,
    pub pid: Option<Pid>,
    pub locals: &'a [i32],
    pub timeout: bool,
    pub observer: &'a O,
    /// Where `run` leaves its request. The value of `run` is known without starting anything: the number of processes.
    pub runs: Option<&'a RefCell<Vec<RunRequest>>>,
}

impl<O: Observer> Context<'_, '_, O> {
    pub fn value(&self, expr: &Expr) -> Result<i32, RuntimeError> {
        Ok(match &expr.kind {
            ExprKind::Constant { value, .. } => *value,
            ExprKind::Read(place) => {
                let slot = self.slot(place)?;
                self.read(place.frame, slot)
            }
            ExprKind::Pid => self.pid.map_or(0, |p| p.0 as i32),
            ExprKind::NumberOfProcesses => {
                self.observer.read_number_of_processes();
                self.state.processes.len() as i32
            }
            ExprKind::Last => {
                self.observer.read_last();
                self.state.last as i32
            }
            ExprKind::OwnPriority => self.pid.map_or(0, |p| self.state.processes[p.0 as usize].priority),
            ExprKind::NonProgress => i32::from(!self.some_process_at_progress()),
            ExprKind::Timeout => {
                self.observer.read_timeout();
                i32::from(self.timeout)
            }
            ExprKind::Unary(op, a) => arithmetic::unary(*op, self.value(a)?),
            ExprKind::Binary(BinaryOp::And, a, b) => i32::from(self.value(a)? != 0 && self.value(b)? != 0),
            ExprKind::Binary(BinaryOp::Or, a, b) => i32::from(self.value(a)? != 0 || self.value(b)? != 0),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                match arithmetic::binary(*op, a, b) {
                    Some(value) => value,
                    None => return self.fail(RuntimeErrorKind::DivisionByZero, expr.span),
                }
            }
            ExprKind::Conditional(c, a, b) => {
                if self.value(c)? != 0 {
                    self.value(a)?
                } else {
                    self.value(b)?
                }
            }
            ExprKind::Run { proctype, arguments, priority } => {
                let arguments = arguments.iter().map(|a| self.value(a)).collect::<Result<_, _>>()?;
                self.observer.read_number_of_processes();
                if let Some(runs) = self.runs {
                    let request =
                        RunRequest { proctype: *proctype, arguments, priority: *priority, span: expr.span };
                    runs.borrow_mut().push(request);
                }
                if self.state.processes.len() >= self.interpreter.limits.processes {
                    return self.fail(RuntimeErrorKind::TooManyProcesses, expr.span);
                }
                self.state.processes.len() as i32
            }
            ExprKind::Len(c) => self.length(c)?,
            ExprKind::Empty(c) => i32::from(self.length(c)? == 0),
            ExprKind::NotEmpty(c) => i32::from(self.length(c)? != 0),
            ExprKind::Full(c) => i32::from(self.is_full(self.channel(c)?)),
            ExprKind::NotFull(c) => i32::from(!self.is_full(self.channel(c)?)),
            ExprKind::Poll { channel, random, arguments } => {
                let id = self.channel(channel)?;
                i32::from(self.find_message(id, *random, arguments)?.is_some())
            }
            ExprKind::Enabled(pid) => {
                let pid = self.value(pid)?;
                if self.pid.is_some_and(|p| p.0 as i32 == pid) {
                    return self.fail(RuntimeErrorKind::EnabledOnSelf, expr.span);
                }
                match self.other_process(pid) {
                    Some(_) => {
                        let pid = Pid(pid as u32);
                        let enabled =
                            self.interpreter.could_move(self.state, pid, self.timeout, self.observer)?;
                        i32::from(enabled)
                    }
                    None => 0,
                }
            }
            ExprKind::PcValue(pid) => {
                let pid = self.value(pid)?;
                self.other_process(pid).map_or(0, |p| self.location_number(p) as i32)
            }
            ExprKind::GetPriority(pid) => {
                let pid = self.value(pid)?;
                self.other_process(pid).map_or(0, |p| p.priority)
            }
            ExprKind::RemoteLabel { proctype, pid, label } => self.remote_label(*proctype, pid, label)?,
            ExprKind::RemoteVariable { proctype, pid, place } => {
                let slot = self.slot(place)?;
                let process = self.remote_process(*proctype, pid)?;
                process.and_then(|p| p.locals.get(slot as usize)).copied().unwrap_or(0)
            }
        })
    }

    /// The slot of a place, its indices checked.
    pub fn slot(&self, place: &Place) -> Result<u32, RuntimeError> {
        let mut slot = place.base;
        for index in &place.indices {
            let value = self.value(&index.value)?;
            if value < 0 || value as u32 >= index.length {
                let kind = RuntimeErrorKind::IndexOutOfRange { index: value, length: index.length };
                return self.fail(kind, place.span);
            }
            slot += value as u32 * index.stride;
        }
        Ok(slot)
    }

    pub fn read(&self, frame: Frame, slot: u32) -> i32 {
        match frame {
            Frame::Global => {
                self.observer.read_global(slot);
                self.state.globals[slot as usize]
            }
            Frame::Local => self.locals[slot as usize],
        }
    }

    /// The channel that a variable holds.
    pub fn channel(&self, channel: &ChannelRef) -> Result<ChannelId, RuntimeError> {
        let slot = self.slot(&channel.place)?;
        let value = self.read(channel.place.frame, slot);
        match value {
            0 => self.fail(RuntimeErrorKind::NoChannel, channel.place.span),
            v if v as usize > self.state.channels.len() => {
                self.observer.read_number_of_channels();
                self.fail(RuntimeErrorKind::ChannelGone, channel.place.span)
            }
            v => {
                // Even its type is a fact about the state: numbers of dead channels are used again.
                let id = ChannelId(v as u32 - 1);
                self.observer.read_channel(id);
                Ok(id)
            }
        }
    }

    pub fn fields(&self, id: ChannelId) -> usize {
        let channel = &self.state.channels[id.0 as usize];
        self.interpreter.model().channel_types[channel.channel_type.0 as usize].fields.len()
    }

    /// Number of messages in a channel.
    pub fn messages(&self, id: ChannelId) -> usize {
        self.observer.read_channel(id);
        self.state.channels[id.0 as usize].contents.len() / self.fields(id).max(1)
    }

    /// Whether a send would block. A rendezvous channel is not full.
    pub fn is_full(&self, id: ChannelId) -> bool {
        let channel_type = self.state.channels[id.0 as usize].channel_type;
        match self.interpreter.capacity(channel_type) {
            Some(capacity) => self.messages(id) >= capacity.max(1) as usize,
            None => false,
        }
    }

    pub fn is_rendezvous(&self, id: ChannelId) -> bool {
        let channel_type = self.state.channels[id.0 as usize].channel_type;
        self.interpreter.capacity(channel_type) == Some(0)
    }

    /// The message that a receive would take: its position in the channel.
    pub fn find_message(
        &self,
        id: ChannelId,
        random: bool,
        arguments: &[ReceiveArgument],
    ) -> Result<Option<usize>, RuntimeError> {
        let count = self.messages(id);
        let fields = self.fields(id);
        let last = if random { count } else { count.min(1) };
        for position in 0..last {
            let message =
                &self.state.channels[id.0 as usize].contents[position * fields..(position + 1) * fields];
            if self.matches(message, arguments)? {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    /// Whether a message has the values that a receive asks for. To ask for the value of a field that it has not is an error.
    pub fn matches(&self, message: &[i32], arguments: &[ReceiveArgument]) -> Result<bool, RuntimeError> {
        for (position, argument) in arguments.iter().enumerate() {
            let ReceiveArgument::Match(e) = argument else { continue };
            match message.get(position) {
                Some(field) if self.value(e)? == *field => {}
                Some(_) => return Ok(false),
                None => return self.fail(misfit(arguments, message), e.span),
            }
        }
        Ok(true)
    }

    pub fn fail<T>(&self, kind: RuntimeErrorKind, span: Span) -> Result<T, RuntimeError> {
        self.interpreter.fail(kind, self.pid, span)
    }

    fn length(&self, channel: &ChannelRef) -> Result<i32, RuntimeError> {
        let id = self.channel(channel)?;
        Ok(self.messages(id) as i32)
    }

    fn other_process(&self, pid: i32) -> Option<&Process> {
        self.observer.read_number_of_processes();
        let process = usize::try_from(pid).ok().and_then(|p| self.state.processes.get(p))?;
        self.observer.read_process(Pid(pid as u32));
        Some(process)
    }

    fn automaton(&self, process: &Process) -> &Automaton {
        self.interpreter.system.automaton(process.automaton)
    }

    fn location_number(&self, process: &Process) -> u32 {
        self.automaton(process).location(process.location).number
    }

    fn some_process_at_progress(&self) -> bool {
        self.observer.read_number_of_processes();
        self.state.processes.iter().enumerate().any(|(i, p)| {
            self.observer.read_process(Pid(i as u32));
            self.automaton(p).location(p.location).progress
        })
    }

    /// The process that a remote reference means: by number, or the oldest of its type.
    fn remote_process(
        &self,
        proctype: ProctypeId,
        pid: &Option<Box<Expr>>,
    ) -> Result<Option<&Process>, RuntimeError> {
        match pid {
            Some(pid) => {
                let pid = self.value(pid)?;
                Ok(self.other_process(pid))
            }
            None => {
                self.observer.read_number_of_processes();
                for (i, process) in self.state.processes.iter().enumerate() {
                    self.observer.read_process(Pid(i as u32));
                    if process.automaton.0 == proctype.0 {
                        return Ok(Some(process));
                    }
                }
                Ok(None)
            }
        }
    }

    fn remote_label(
        &self,
        whose: RemoteProcess,
        pid: &Option<Box<Expr>>,
        label: &str,
    ) -> Result<i32, RuntimeError> {
        let proctype = match whose {
            RemoteProcess::Proctype(proctype) | RemoteProcess::All(proctype) => proctype,
            RemoteProcess::Claim(_) => return Ok(0),
        };
        let automaton = &self.interpreter.system.automata[proctype.0 as usize];
        let labels = &automaton.labels;
        let Ok(found) = labels.binary_search_by(|(name, _)| name.as_str().cmp(label)) else { return Ok(0) };
        let number = labels[found].1;
        if matches!(whose, RemoteProcess::All(_)) {
            self.observer.read_number_of_processes();
            let mut count = 0;
            for (i, process) in self.state.processes.iter().enumerate() {
                self.observer.read_process(Pid(i as u32));
                let is_there = process.automaton.0 == proctype.0 && self.location_number(process) == number;
                count += i32::from(is_there);
            }
            return Ok(count);
        }
        let process = self.remote_process(proctype, pid)?;
        Ok(i32::from(process.is_some_and(|p| self.location_number(p) == number)))
    }
}

/// The error of a receive that does not fit its message.
pub(super) fn misfit(arguments: &[ReceiveArgument], message: &[i32]) -> RuntimeErrorKind {
    RuntimeErrorKind::WrongNumberOfFields { given: arguments.len(), expected: message.len() }
}
