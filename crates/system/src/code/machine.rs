//! Executes code on a state.
//!
//! A guard is executed on a state that is only looked at ([`Memory::change`] gives nothing): what would change it is left out, so that the value of
//! `run` is known without starting anything. Every look is told to the observer.

use super::instruction::{Address, Failure, Instruction as I, PatternId, SpanId, Whose};
use super::operate::{Changing, Frames, Looking};
use super::{Code, EdgeCode, Print};
use crate::arithmetic;
use crate::automaton::DStepNodeId;
use crate::interpreter::{
    Direction, Interpreter, Observer, Output, RuntimeError, RuntimeErrorKind, Violation,
};
use crate::state::{ChannelId, Pid, Process, State};
use promela::model::{Frame, ProctypeId, Scalar};
use promela::source::Span;
use std::cell::RefCell;

/// A `d_step` of more statements than this is taken for endless.
const LONGEST_D_STEP: usize = 1_000_000;

/// Where code is executed.
pub(crate) trait Memory {
    /// What is looked at.
    fn state(&self) -> &State;
    /// What is changed; `None` if nothing is.
    fn change(&mut self) -> Option<&mut State>;
    /// The variables that a process sees.
    fn frames(&mut self, pid: Option<Pid>) -> impl Frames;
    /// A slot is about to change, other than by [`Memory::frames`].
    fn before_slot(&mut self, _pid: Option<Pid>, _frame: Frame, _slot: u32) {}
    /// What is in a channel is about to change.
    fn before_channel(&mut self, _id: ChannelId) {}
}

impl Memory for &State {
    #[inline]
    fn state(&self) -> &State {
        self
    }

    #[inline]
    fn change(&mut self) -> Option<&mut State> {
        None
    }

    #[inline]
    fn frames(&mut self, pid: Option<Pid>) -> impl Frames {
        Looking::at(self, pid)
    }
}

impl Memory for &mut State {
    #[inline]
    fn state(&self) -> &State {
        self
    }

    #[inline]
    fn change(&mut self) -> Option<&mut State> {
        Some(self)
    }

    #[inline]
    fn frames(&mut self, pid: Option<Pid>) -> impl Frames {
        Changing::of(self, pid)
    }
}

/// How a block ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// At its end; its value, if it has one, is on the stack.
    Returned,
    /// The statement cannot be executed.
    Blocked,
    /// The message that was computed is offered on this channel.
    Offers(ChannelId),
}

/// Something that executes code.
pub(crate) struct Machine<'a, 's, M, O> {
    pub interpreter: &'a Interpreter<'s>,
    pub code: &'a Code,
    pub memory: M,
    /// As whom; `None`: as a claim or a formula does.
    pub pid: Option<Pid>,
    pub timeout: bool,
    /// A statement before this one can be executed.
    pub moved: bool,
    pub observer: &'a O,
    pub output: &'a mut dyn Output,
    pub(super) registers: Registers,
    pub(super) chosen: usize,
}

/// What a machine works with, used again by the next one of the thread.
#[derive(Default)]
pub(super) struct Registers {
    pub(super) stack: Vec<i32>,
    pub(super) message: Vec<i32>,
    /// Registers of operations.
    pub(super) values: Vec<i32>,
    /// Where those of the next block begin: a block may execute another one.
    pub(super) used: usize,
}

impl Registers {
    fn clear(&mut self) {
        self.stack.clear();
        self.message.clear();
        self.used = 0;
    }
}

thread_local! {
    static SPARE: RefCell<Vec<Registers>> = const { RefCell::new(Vec::new()) };
}

impl<M, O> Drop for Machine<'_, '_, M, O> {
    fn drop(&mut self) {
        let mut registers = std::mem::take(&mut self.registers);
        registers.clear();
        SPARE.with_borrow_mut(|spare| spare.push(registers));
    }
}

impl<'a, 's, M: Memory, O: Observer> Machine<'a, 's, M, O> {
    pub fn new(
        interpreter: &'a Interpreter<'s>,
        memory: M,
        pid: Option<Pid>,
        timeout: bool,
        observer: &'a O,
        output: &'a mut dyn Output,
    ) -> Self {
        let registers = SPARE.with_borrow_mut(Vec::pop).unwrap_or_default();
        let code = &interpreter.system.code;
        let (moved, chosen) = (false, 0);
        Machine { interpreter, code, memory, pid, timeout, moved, observer, output, registers, chosen }
    }

    /// Whether a statement can be executed.
    pub fn guard(&mut self, edge: &EdgeCode, moved: bool) -> Result<Guarded, RuntimeError> {
        let Some(guard) = edge.guard else { return Ok(Guarded::Enabled) };
        self.moved = moved;
        Ok(match self.run(guard)? {
            Ended::Returned if self.pop() != 0 => Guarded::Enabled,
            Ended::Returned => Guarded::Blocked,
            Ended::Blocked => {
                self.registers.stack.clear();
                Guarded::Blocked
            }
            Ended::Offers(channel) => Guarded::Offers(channel),
        })
    }

    /// The value of a block.
    pub fn value(&mut self, block: Address) -> Result<i32, RuntimeError> {
        self.run(block)?;
        Ok(self.pop())
    }

    /// The message that was offered or received.
    pub fn message(&self) -> &[i32] {
        &self.registers.message
    }

    /// Hands a message over.
    pub fn hand(&mut self, message: &[i32]) {
        self.registers.message.clear();
        self.registers.message.extend_from_slice(message);
    }

    /// Executes what a statement does, which is as if no other had been executed before it.
    pub fn run_effect(&mut self, start: Address) -> Result<Ended, RuntimeError> {
        self.chosen = 0;
        self.run(start)
    }

    /// Forgets what a block has left that did not come to its end.
    pub fn forget(&mut self) {
        self.registers.clear();
    }

    /// Executes a block.
    pub fn run(&mut self, start: Address) -> Result<Ended, RuntimeError> {
        match self.code.operations.start(start) {
            Some(first) if !self.interpreter.by_stack => self.operate(first),
            _ => {
                let mut at = start;
                loop {
                    if let Some(ended) = self.execute(&mut at)? {
                        return Ok(ended);
                    }
                }
            }
        }
    }

    /// Executes an instruction, and tells how the block ended if it did.
    pub(super) fn execute(&mut self, at: &mut Address) -> Result<Option<Ended>, RuntimeError> {
        let instruction = self.code.instruction(*at);
        at.0 += 1;
        match instruction {
            I::Constant(value) => self.push(value),
            I::Load(frame, slot) => self.load(frame, slot),
            I::Show(Frame::Global, slot) => self.push(self.memory.state().globals[slot as usize]),
            I::Show(Frame::Local, slot) => self.load(Frame::Local, slot),
            I::LoadAt(frame) => {
                let slot = self.pop() as u32;
                self.load(frame, slot);
            }
            I::Index { length, stride, span } => {
                let value = self.pop();
                if value < 0 || value as u32 >= length {
                    return self.fail(RuntimeErrorKind::IndexOutOfRange { index: value, length }, span);
                }
                let slot = self.pop() as u32 + value as u32 * stride;
                self.push(slot as i32);
            }
            I::Pid | I::ShowPid => self.push(self.pid.map_or(0, |pid| pid.0 as i32)),
            I::NumberOfProcesses => {
                self.observer.read_number_of_processes();
                self.push(self.memory.state().processes.len() as i32);
            }
            I::Last => {
                self.observer.read_last();
                self.push(self.memory.state().last as i32);
            }
            I::OwnPriority => self.push(self.process().map_or(0, |process| process.priority)),
            I::NonProgress => {
                let value = i32::from(!self.some_process_at_progress());
                self.push(value);
            }
            I::Timeout => {
                self.observer.read_timeout();
                self.push(i32::from(self.timeout));
            }
            I::Unary(op) => {
                let value = arithmetic::unary(op, self.pop());
                self.push(value);
            }
            I::Binary(op, span) => {
                let (b, a) = (self.pop(), self.pop());
                match arithmetic::binary(op, a, b) {
                    Some(value) => self.push(value),
                    None => return self.fail(RuntimeErrorKind::DivisionByZero, span),
                }
            }
            I::Truth => {
                let value = self.pop();
                self.push(i32::from(value != 0));
            }
            I::Pop => {
                self.pop();
            }
            I::Duplicate => {
                let value = self.pop();
                self.push(value);
                self.push(value);
            }
            I::Jump(to) => *at = to,
            I::JumpIfZero(to) => {
                if self.pop() == 0 {
                    *at = to;
                }
            }
            I::Return => return Ok(Some(Ended::Returned)),
            I::Require => {
                if self.pop() == 0 {
                    return Ok(Some(Ended::Blocked));
                }
            }
            I::Otherwise => self.push(i32::from(!self.moved)),
            I::Youngest => {
                self.observer.read_number_of_processes();
                let count = self.memory.state().processes.len();
                self.push(i32::from(self.pid.is_some_and(|pid| pid.0 as usize + 1 == count)));
            }
            I::Fail(failure, span) => {
                let kind = match failure {
                    Failure::BlockedInDStep => RuntimeErrorKind::BlockedInDStep,
                    Failure::RendezvousInDStep => RuntimeErrorKind::RendezvousInDStep,
                    Failure::CopyFromRendezvous => RuntimeErrorKind::CopyFromRendezvous,
                };
                return self.fail(kind, span);
            }
            I::Channel(span) => self.channel(span)?,
            I::JumpIfRendezvous(to) => {
                let id = self.pop_channel();
                self.push(id.0 as i32);
                if self.is_rendezvous(id) {
                    *at = to;
                }
            }
            I::Length => {
                let id = self.pop_channel();
                let messages = self.messages(id);
                self.push(messages as i32);
            }
            I::Full => {
                let id = self.pop_channel();
                let full = self.is_full(id);
                self.push(i32::from(full));
            }
            I::HasRoom => {
                let id = self.pop_channel();
                let full = self.is_full(id);
                self.push(i32::from(!full));
            }
            I::AwaitMessage => {
                let id = self.pop_channel();
                if self.messages(id) == 0 {
                    return Ok(Some(Ended::Blocked));
                }
            }
            I::AwaitRoom => {
                let id = self.pop_channel();
                if self.is_full(id) {
                    return Ok(Some(Ended::Blocked));
                }
            }
            I::Find { pattern, random, poll: _ } => {
                let id = self.pop_channel();
                let found = self.find(id, pattern, random)?;
                self.push(found.map_or(-1, |position| position as i32));
            }
            I::CheckFields { given, span } => {
                let id = self.pop_channel();
                self.push(id.0 as i32);
                let expected = self.fields(id);
                if expected != given as usize {
                    let kind = RuntimeErrorKind::WrongNumberOfFields { given: given as usize, expected };
                    return self.fail(kind, span);
                }
            }
            I::Offer { count } => {
                let id = self.pop_message(count as usize, false);
                return Ok(Some(Ended::Offers(id)));
            }
            I::Send { count, sorted, span } => self.send(count as usize, sorted, span),
            I::Receive { copy, span } => self.receive(copy, span)?,
            I::CheckReceived { given, copy, span } => {
                let (given, expected) = (given as usize, self.registers.message.len());
                if given > expected || (given < expected && !copy) {
                    return self.fail(RuntimeErrorKind::WrongNumberOfFields { given, expected }, span);
                }
            }
            I::Field(field) => self.push(self.registers.message[field as usize]),
            I::Store { frame, slot, scalar, span } => {
                let value = self.pop();
                self.store(frame, slot, scalar, value, span);
            }
            I::StoreAt { frame, scalar, span } => {
                let (slot, value) = (self.pop() as u32, self.pop());
                self.store(frame, slot, scalar, value, span);
            }
            I::Forget => {
                self.pop();
                self.pop();
            }
            I::Initialise(frame, slot) => {
                let value = self.pop();
                self.initialise(frame, slot, value);
            }
            I::CreateChannel(channel_type, span) => {
                let span = self.code.span(span);
                let (interpreter, pid) = (self.interpreter, self.pid);
                let Some(state) = self.memory.change() else { return Ok(None) };
                let value = interpreter.create_channel(state, channel_type, pid, span)?;
                self.push(value);
            }
            I::Run { proctype, count, priority, span } => {
                let pid = self.start(proctype, count as usize, priority, span)?;
                self.push(pid);
            }
            I::Enabled(span) => {
                let pid = self.pop();
                if self.pid.is_some_and(|own| own.0 as i32 == pid) {
                    return self.fail(RuntimeErrorKind::EnabledOnSelf, span);
                }
                let enabled = match self.other_process(pid) {
                    Some(_) => {
                        let (state, pid) = (self.memory.state(), Pid(pid as u32));
                        self.interpreter.could_move(state, pid, self.timeout, self.observer)?
                    }
                    None => false,
                };
                self.push(i32::from(enabled));
            }
            I::PcValue => {
                let pid = self.pop();
                let number = self.other_process(pid).map_or(0, |process| self.location_number(process));
                self.push(number as i32);
            }
            I::GetPriority => {
                let pid = self.pop();
                let priority = self.other_process(pid).map_or(0, |process| process.priority);
                self.push(priority);
            }
            I::RemoteLabel { proctype, whose, number } => {
                let count = self.remote_label(proctype, whose, number);
                self.push(count);
            }
            I::RemoteVariable { proctype, whose } => {
                let pid = if whose == Whose::Numbered { self.pop() } else { 0 };
                let slot = self.pop() as usize;
                let process = self.remote_process(proctype, whose, pid);
                let value = process.and_then(|process| process.locals.get(slot)).copied().unwrap_or(0);
                self.push(value);
            }
            I::SetPriority(span) => self.set_priority(span)?,
            I::Die => {
                if let (Some(pid), Some(state)) = (self.pid, self.memory.change()) {
                    state.processes.truncate(pid.0 as usize);
                    while state.channels.last().is_some_and(|channel| channel.owner == Some(pid)) {
                        state.channels.pop();
                    }
                }
            }
            I::Assert(span) => {
                if self.pop() == 0 {
                    self.output.violated(Violation::AssertionFailed { span: self.code.span(span) });
                }
            }
            I::Print(id) => self.print(self.code.print(id)),
            I::Chose { node, choice } => {
                note_choice(self.interpreter, self.pid, &mut self.chosen, self.output, node, choice)?;
            }
        }
        Ok(None)
    }

    /// Whether a message has the values that a receive asks for.
    pub fn matches(&mut self, pattern: PatternId, message: &[i32]) -> Result<bool, RuntimeError> {
        let code = self.code;
        for &(field, block, span) in &code.pattern(pattern).compared {
            let Some(&field) = message.get(field as usize) else {
                return self.misfit(pattern, message.len(), span);
            };
            if self.value(block)? != field {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The channel that a block leaves on the stack.
    pub fn channel_of(&mut self, block: Address) -> Result<ChannelId, RuntimeError> {
        self.run(block)?;
        Ok(self.pop_channel())
    }

    /// An event that an event trace may know.
    pub fn event(&mut self, direction: Direction, id: ChannelId, span: Span) {
        if self.interpreter.system.event_trace.is_none() {
            return;
        }
        self.observer.read_event_trace();
        let (interpreter, message) = (self.interpreter, &self.registers.message);
        let Some(state) = self.memory.change() else { return };
        if let Some(violation) = interpreter.event(state, direction, id, message, span) {
            self.output.violated(violation);
        }
    }

    #[inline]
    fn push(&mut self, value: i32) {
        self.registers.stack.push(value);
    }

    #[inline]
    fn pop(&mut self) -> i32 {
        debug_assert!(!self.registers.stack.is_empty(), "code pops what it has pushed");
        self.registers.stack.pop().unwrap_or(0)
    }

    fn pop_channel(&mut self) -> ChannelId {
        ChannelId(self.pop() as u32)
    }

    fn fail<T>(&self, kind: RuntimeErrorKind, span: SpanId) -> Result<T, RuntimeError> {
        self.interpreter.fail(kind, self.pid, self.code.span(span))
    }

    #[inline]
    fn process(&self) -> Option<&Process> {
        self.pid.and_then(|pid| self.memory.state().processes.get(pid.0 as usize))
    }

    #[inline]
    fn load(&mut self, frame: Frame, slot: u32) {
        let value = match frame {
            Frame::Global => {
                self.observer.read_global(slot);
                self.memory.state().globals[slot as usize]
            }
            Frame::Local => {
                self.pid.into_iter().for_each(|pid| self.observer.read_local(pid, slot));
                self.process().map_or(0, |process| process.locals[slot as usize])
            }
        };
        self.push(value);
    }

    fn store(&mut self, frame: Frame, slot: u32, scalar: Scalar, value: i32, span: SpanId) {
        let (interpreter, pid) = (self.interpreter, self.pid);
        let stored = interpreter.limits.stored(scalar, value);
        if let (true, Some(pid)) = (stored != value, pid) {
            self.output.truncated(pid, value, stored, self.code.span(span));
        }
        match frame {
            Frame::Global if !interpreter.remembers_global(slot) => {}
            Frame::Global => {
                self.observer.write_global(slot);
                self.memory.before_slot(pid, frame, slot);
                if let Some(state) = self.memory.change() {
                    state.globals[slot as usize] = stored;
                }
            }
            Frame::Local => {
                pid.into_iter().for_each(|pid| self.observer.write_local(pid, slot));
                self.memory.before_slot(pid, frame, slot);
                if let (Some(pid), Some(state)) = (pid, self.memory.change()) {
                    state.processes[pid.0 as usize].locals[slot as usize] = stored;
                }
            }
        }
    }

    fn initialise(&mut self, frame: Frame, slot: u32, value: i32) {
        let (interpreter, pid) = (self.interpreter, self.pid);
        let Some(state) = self.memory.change() else { return };
        match (frame, pid) {
            (Frame::Global, _) => {
                let scalar = interpreter.system.global_slots[slot as usize].scalar;
                state.globals[slot as usize] = interpreter.limits.stored(scalar, value);
            }
            (Frame::Local, Some(pid)) => {
                let process = &mut state.processes[pid.0 as usize];
                let scalar = interpreter.system.automaton(process.automaton).slots[slot as usize].scalar;
                process.locals[slot as usize] = interpreter.limits.stored(scalar, value);
            }
            (Frame::Local, None) => {}
        }
    }

    /// The channel that a variable holds.
    fn channel(&mut self, span: SpanId) -> Result<(), RuntimeError> {
        match self.pop() {
            0 => self.fail(RuntimeErrorKind::NoChannel, span),
            value if value as usize > self.memory.state().channels.len() => {
                self.observer.read_number_of_channels();
                self.fail(RuntimeErrorKind::ChannelGone, span)
            }
            value => {
                // Even its type is a fact about the state: numbers of dead channels are used again.
                self.observer.read_channel(ChannelId(value as u32 - 1));
                self.push(value - 1);
                Ok(())
            }
        }
    }

    fn fields(&self, id: ChannelId) -> usize {
        let channel = &self.memory.state().channels[id.0 as usize];
        self.interpreter.model().channel_types[channel.channel_type.0 as usize].fields.len()
    }

    fn messages(&self, id: ChannelId) -> usize {
        self.observer.read_channel(id);
        self.held(id)
    }

    /// How many messages a channel holds, which nothing that the model does depends on.
    fn held(&self, id: ChannelId) -> usize {
        self.memory.state().channels[id.0 as usize].contents.len() / self.fields(id).max(1)
    }

    /// Whether a send would block. A rendezvous channel is not full.
    fn is_full(&self, id: ChannelId) -> bool {
        let channel_type = self.memory.state().channels[id.0 as usize].channel_type;
        match self.interpreter.capacity(channel_type) {
            Some(capacity) => self.messages(id) >= capacity.max(1) as usize,
            None => false,
        }
    }

    pub(super) fn is_rendezvous(&self, id: ChannelId) -> bool {
        let channel_type = self.memory.state().channels[id.0 as usize].channel_type;
        self.interpreter.capacity(channel_type) == Some(0)
    }

    /// The message that a receive would take: its position in the channel.
    fn find(
        &mut self,
        id: ChannelId,
        pattern: PatternId,
        random: bool,
    ) -> Result<Option<usize>, RuntimeError> {
        let (count, fields, code) = (self.messages(id), self.fields(id), self.code);
        let last = if random { count } else { count.min(1) };
        'messages: for position in 0..last {
            for &(field, block, span) in &code.pattern(pattern).compared {
                if field as usize >= fields {
                    return self.misfit(pattern, fields, span);
                }
                let value = self.value(block)?;
                let contents = &self.memory.state().channels[id.0 as usize].contents;
                if contents[position * fields + field as usize] != value {
                    continue 'messages;
                }
            }
            return Ok(Some(position));
        }
        Ok(None)
    }

    /// A receive that asks for the value of a field that its message has not.
    fn misfit<T>(&self, pattern: PatternId, expected: usize, span: SpanId) -> Result<T, RuntimeError> {
        let given = self.code.pattern(pattern).given as usize;
        self.fail(RuntimeErrorKind::WrongNumberOfFields { given, expected }, span)
    }

    /// Pops a message, cut to the channel's fields, and its channel. With `keep` the values as they were stay on the stack.
    fn pop_message(&mut self, count: usize, keep: bool) -> ChannelId {
        let first = self.registers.stack.len() - count;
        let id = ChannelId(self.registers.stack[first - 1] as u32);
        let channel_type = self.memory.state().channels[id.0 as usize].channel_type;
        let fields = &self.interpreter.model().channel_types[channel_type.0 as usize].fields;
        let Registers { stack, message, .. } = &mut self.registers;
        let limits = self.interpreter.limits;
        message.clear();
        message.extend(
            stack[first..].iter().zip(fields).map(|(&value, field)| limits.stored(field.scalar, value)),
        );
        if !keep {
            stack.truncate(first - 1);
        }
        id
    }

    /// Puts a message behind the others, or before the first that is larger.
    fn send(&mut self, count: usize, sorted: bool, span: SpanId) {
        let id = self.pop_message(count, true);
        let Registers { stack, message, .. } = &mut self.registers;
        let first = stack.len() - count;
        self.observer.sent(id);
        self.memory.before_channel(id);
        if let Some(state) = self.memory.change() {
            let contents = &mut state.channels[id.0 as usize].contents;
            let mut at = contents.len();
            if sorted && !message.is_empty() {
                // As in SPIN, the place is found with the values before they are cut to their fields.
                let order = &stack[first..];
                let position = contents.chunks(message.len()).position(|old| order < old);
                at = position.map_or(at, |position| position * message.len());
            }
            contents.splice(at..at, message.iter().copied());
        }
        stack.truncate(first - 1);
        if let Some(pid) = self.pid {
            self.output.sent(pid, id, &self.registers.message);
            self.output.holds(id, self.held(id));
        }
        self.event(Direction::Send, id, self.code.span(span));
    }

    fn receive(&mut self, copy: bool, span: SpanId) -> Result<(), RuntimeError> {
        let (position, id) = (self.pop(), self.pop_channel());
        let Ok(position) = usize::try_from(position) else {
            return self.fail(RuntimeErrorKind::BlockedInDStep, span);
        };
        let fields = self.fields(id);
        let range = position * fields..(position + 1) * fields;
        self.registers.message.clear();
        self.registers
            .message
            .extend_from_slice(&self.memory.state().channels[id.0 as usize].contents[range.clone()]);
        self.observer.received(id);
        if !copy {
            self.memory.before_channel(id);
        }
        if let (false, Some(state)) = (copy, self.memory.change()) {
            state.channels[id.0 as usize].contents.drain(range);
        }
        if let Some(pid) = self.pid {
            self.output.received(pid, id, &self.registers.message);
        }
        // As in SPIN, a message that stays is no event.
        if !copy {
            self.event(Direction::Receive, id, self.code.span(span));
        }
        Ok(())
    }

    fn start(
        &mut self,
        proctype: ProctypeId,
        count: usize,
        priority: i32,
        span: SpanId,
    ) -> Result<i32, RuntimeError> {
        self.observer.read_number_of_processes();
        let (interpreter, pid, observer) = (self.interpreter, self.pid, self.observer);
        let number = self.memory.state().processes.len();
        if number >= interpreter.limits.processes {
            return self.fail(RuntimeErrorKind::TooManyProcesses, span);
        }
        let span = self.code.span(span);
        let Registers { stack, .. } = &mut self.registers;
        let first = stack.len() - count;
        if let Some(state) = self.memory.change() {
            observer.started(proctype);
            observer.read_number_of_channels();
            let arguments = &stack[first..];
            let started = interpreter.start(state, proctype, arguments, priority, pid, span, observer)?;
            if let Some(pid) = pid {
                self.output.started(pid, started);
            }
        }
        stack.truncate(first);
        Ok(number as i32)
    }

    fn other_process(&self, pid: i32) -> Option<&Process> {
        self.observer.read_number_of_processes();
        let process = usize::try_from(pid).ok().and_then(|p| self.memory.state().processes.get(p))?;
        self.observer.read_process(Pid(pid as u32));
        Some(process)
    }

    fn location_number(&self, process: &Process) -> u32 {
        self.interpreter.system.automaton(process.automaton).location(process.location).number
    }

    fn some_process_at_progress(&self) -> bool {
        self.observer.read_number_of_processes();
        self.memory.state().processes.iter().enumerate().any(|(i, p)| {
            self.observer.read_process(Pid(i as u32));
            self.interpreter.system.automaton(p.automaton).location(p.location).progress
        })
    }

    fn remote_process(&self, proctype: ProctypeId, whose: Whose, pid: i32) -> Option<&Process> {
        match whose {
            Whose::Numbered => self.other_process(pid),
            Whose::First | Whose::All => {
                self.observer.read_number_of_processes();
                let mut processes = self.memory.state().processes.iter().enumerate();
                let found = processes.find(|(i, process)| {
                    self.observer.read_process(Pid(*i as u32));
                    process.automaton.0 == proctype.0
                });
                found.map(|(_, process)| process)
            }
        }
    }

    fn remote_label(&mut self, proctype: ProctypeId, whose: Whose, number: Option<u32>) -> i32 {
        let pid = if whose == Whose::Numbered { self.pop() } else { 0 };
        let Some(number) = number else { return 0 };
        let is_there = |process: &Process| self.location_number(process) == number;
        if whose == Whose::All {
            self.observer.read_number_of_processes();
            let processes = self.memory.state().processes.iter().enumerate();
            let standing = processes.filter(|(i, process)| {
                self.observer.read_process(Pid(*i as u32));
                process.automaton.0 == proctype.0 && is_there(process)
            });
            return standing.count() as i32;
        }
        i32::from(self.remote_process(proctype, whose, pid).is_some_and(is_there))
    }

    fn set_priority(&mut self, span: SpanId) -> Result<(), RuntimeError> {
        let (priority, whose) = (self.pop(), self.pop());
        self.observer.read_number_of_processes();
        if usize::try_from(whose).is_ok_and(|w| w < self.memory.state().processes.len()) {
            self.observer.read_process(Pid(whose as u32));
            if !(1..=255).contains(&priority) {
                return self.fail(RuntimeErrorKind::PriorityOutOfRange(priority), span);
            }
            if let Some(state) = self.memory.change() {
                state.processes[whose as usize].priority = priority;
            }
        }
        Ok(())
    }

    fn print(&mut self, print: &Print) {
        let model = self.interpreter.model();
        let text = match print {
            Print::Formatted { format, sets } => {
                let first = self.registers.stack.len() - sets.len();
                let values = self.registers.stack.drain(first..).zip(sets.iter().copied());
                crate::print::format(model, format, &values.collect::<Vec<_>>())
            }
            Print::Name(set) => crate::print::mtype_name(model, self.pop(), *set),
        };
        if let Some(pid) = self.pid {
            self.output.printed(pid, &text);
        }
    }
}

/// Notes that a choice of a node of a `d_step` is executed, which must not go on for ever.
pub(super) fn note_choice(
    interpreter: &Interpreter<'_>,
    pid: Option<Pid>,
    chosen: &mut usize,
    output: &mut dyn Output,
    node: u32,
    choice: u32,
) -> Result<(), RuntimeError> {
    *chosen += 1;
    if *chosen > LONGEST_D_STEP {
        return interpreter.fail(RuntimeErrorKind::EndlessDStep, pid, Span::default());
    }
    if let Some(pid) = pid {
        output.chose(pid, DStepNodeId(node), choice);
    }
    Ok(())
}

/// What can be said of a statement before a partner is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Guarded {
    Blocked,
    Enabled,
    /// A rendezvous send: executable together with a receive of the machine's message.
    Offers(ChannelId),
}
