//! Follows code with what is known at each moment.
//!
//! A value is known, or known to be one of some slots or channels, or unknown. Of the state, the process's own variables are known; and global
//! variables of type `chan`, because a channel that is used is named by the use, and reading the variable is part of the footprint. What is written
//! is known as far as what is stored there is; where a condition is unknown both ways are followed, and where ways meet what they disagree about is
//! unknown. Each value can become unknown once, so this ends.

use super::Footprint;
use crate::arithmetic;
use crate::automaton::System;
use crate::code::instruction::{Address, Instruction as I, PatternId, Whose};
use crate::code::{Code, EdgeCode, Print};
use crate::state::{ChannelId, Pid, State};
use promela::model::{BinaryOp, Frame, ProctypeId, Scalar};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// What is known of the state.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub pid: Option<Pid>,
    pub locals: Option<&'a [i32]>,
    /// Slots of the process's own that may have changed since.
    pub written: Option<&'a dyn Fn(u32) -> bool>,
    pub globals: Option<&'a [i32]>,
    pub channels: usize,
    pub no_timeout: bool,
}

impl<'a> Known<'a> {
    pub fn nothing() -> Known<'a> {
        Known { pid: None, locals: None, written: None, globals: None, channels: 0, no_timeout: false }
    }

    pub fn process(state: &'a State, pid: Pid) -> Known<'a> {
        Known {
            pid: Some(pid),
            locals: Some(&state.processes[pid.0 as usize].locals),
            globals: Some(&state.globals),
            channels: state.channels.len(),
            ..Known::nothing()
        }
    }
}

/// What is known of a value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    Known(i32),
    /// A slot among these.
    Slot(Range<u32>),
    /// What one of these slots held at the beginning.
    HeldBy(Frame, Range<u32>),
    /// The number of one of these channels.
    Channels(Vec<ChannelId>),
    Unknown,
}

/// What is known at a moment.
#[derive(Clone, PartialEq, Default)]
struct Moment {
    stack: Vec<Value>,
    /// What was stored.
    stored: BTreeMap<(Frame, u32), Value>,
}

/// Follows code and writes down what it touches.
pub(super) struct Follower<'a, 'f> {
    system: &'a System,
    code: &'a Code,
    known: &'a Known<'a>,
    footprint: &'f mut Footprint,
    /// Proctypes whose first values are being followed.
    starting: Vec<ProctypeId>,
}

impl<'a, 'f> Follower<'a, 'f> {
    pub fn new(
        system: &'a System,
        code: &'a Code,
        known: &'a Known<'a>,
        footprint: &'f mut Footprint,
    ) -> Follower<'a, 'f> {
        Follower { system, code, known, footprint, starting: Vec::new() }
    }

    /// Follows a block.
    pub fn follow(&mut self, start: Address) {
        self.follow_from(start, Moment::default());
    }

    /// Follows the guard of a statement.
    pub fn follow_guard(&mut self, statement: &EdgeCode) {
        match statement.guard {
            Some(guard) => self.follow(guard),
            None => self.footprint.may_succeed = true,
        }
    }

    /// Follows a statement, its guard included.
    pub fn follow_statement(&mut self, statement: &EdgeCode) {
        self.follow_guard(statement);
        let (may_block, may_succeed) = (self.footprint.may_block, self.footprint.may_succeed);
        self.follow(statement.effect);
        // What a `d_step` does that begins by taking a message is not reached from its beginning.
        for take in &statement.takes {
            self.follow(take.channel);
            self.pattern(take.pattern);
            self.follow(take.then);
        }
        self.footprint.may_block = may_block;
        self.footprint.may_succeed = may_succeed;
    }

    /// Follows the values that a message is compared with.
    pub fn pattern(&mut self, pattern: PatternId) {
        self.pattern_at(pattern, &Moment::default());
    }

    fn pattern_at(&mut self, pattern: PatternId, moment: &Moment) {
        let code = self.code;
        for &(_, block, _) in &code.pattern(pattern).compared {
            // Whether a value can be computed is no question of whether the statement can be executed.
            let (may_block, may_succeed) = (self.footprint.may_block, self.footprint.may_succeed);
            self.follow_from(block, Moment { stack: Vec::new(), stored: moment.stored.clone() });
            self.footprint.may_block = may_block;
            self.footprint.may_succeed = may_succeed;
        }
    }

    fn follow_from(&mut self, start: Address, moment: Moment) {
        let mut ways = Ways::default();
        ways.arrive(start, moment);
        while let Some((at, moment)) = ways.next() {
            self.way(at, moment, &mut ways);
        }
    }

    /// Follows one way until it ends or meets another.
    fn way(&mut self, mut at: Address, mut moment: Moment, ways: &mut Ways) {
        loop {
            let instruction = self.code.instruction(at);
            at.0 += 1;
            match instruction {
                I::Constant(value) => moment.push(Value::Known(value)),
                I::Load(frame, slot) => {
                    let value = self.load(&moment, frame, slot..slot + 1);
                    moment.push(value);
                }
                I::Show(..) | I::ShowPid => moment.push(Value::Unknown),
                I::LoadAt(frame) => {
                    let slots = self.slots(frame, moment.pop());
                    let value = self.load(&moment, frame, slots);
                    moment.push(value);
                }
                I::Index { length, stride, span: _ } => {
                    let (index, slot) = (moment.pop(), moment.pop());
                    let (first, last) = match slot {
                        Value::Known(slot) => (slot as u32, slot as u32),
                        Value::Slot(slots) => (slots.start, slots.end - 1),
                        _ => (0, u32::MAX / 2),
                    };
                    moment.push(match index {
                        Value::Known(index) if index >= 0 && (index as u32) < length => {
                            let offset = index as u32 * stride;
                            match first == last {
                                true => Value::Known((first + offset) as i32),
                                false => Value::Slot(first + offset..last + offset + 1),
                            }
                        }
                        Value::Known(_) => {
                            self.footprint.may_fail = true;
                            return;
                        }
                        _ => {
                            self.footprint.may_fail = true;
                            Value::Slot(first..last + (length.max(1) - 1) * stride + 1)
                        }
                    });
                }
                I::Pid => {
                    self.footprint.pid = true;
                    moment.push(self.known.pid.map_or(Value::Unknown, |pid| Value::Known(pid.0 as i32)));
                }
                I::NumberOfProcesses | I::Youngest => {
                    self.footprint.number_of_processes = true;
                    self.footprint.process_count |= instruction == I::NumberOfProcesses;
                    moment.push(Value::Unknown);
                }
                I::Last => {
                    self.footprint.last = true;
                    moment.push(Value::Unknown);
                }
                I::OwnPriority => {
                    self.footprint.priorities = true;
                    moment.push(Value::Unknown);
                }
                I::NonProgress => {
                    self.ask_anything();
                    moment.push(Value::Unknown);
                }
                I::Timeout => {
                    self.footprint.timeout = true;
                    moment.push(if self.known.no_timeout { Value::Known(0) } else { Value::Unknown });
                }
                I::Unary(op) => {
                    let value = match moment.pop() {
                        Value::Known(value) => Value::Known(arithmetic::unary(op, value)),
                        _ => Value::Unknown,
                    };
                    moment.push(value);
                }
                I::Binary(op, _) => {
                    let (b, a) = (moment.pop(), moment.pop());
                    let value = match (&a, &b) {
                        (Value::Known(a), Value::Known(b)) => match arithmetic::binary(op, *a, *b) {
                            Some(value) => Value::Known(value),
                            None => {
                                self.footprint.may_fail = true;
                                return;
                            }
                        },
                        _ => Value::Unknown,
                    };
                    let divides = matches!(op, BinaryOp::Divide | BinaryOp::Remainder);
                    let divisor_is_safe = matches!(b, Value::Known(divisor) if divisor != 0);
                    self.footprint.may_fail |= divides && !divisor_is_safe;
                    moment.push(value);
                }
                I::Truth => {
                    let value = match moment.pop() {
                        Value::Known(value) => Value::Known(i32::from(value != 0)),
                        _ => Value::Unknown,
                    };
                    moment.push(value);
                }
                I::Pop => {
                    moment.pop();
                }
                I::Duplicate => {
                    let value = moment.pop();
                    moment.push(value.clone());
                    moment.push(value);
                }
                I::Jump(to) => return ways.arrive(to, moment),
                I::JumpIfZero(to) => match moment.pop() {
                    Value::Known(0) => return ways.arrive(to, moment),
                    Value::Known(_) => {}
                    _ => ways.arrive(to, moment.clone()),
                },
                I::Return => {
                    match moment.stack.last() {
                        Some(Value::Known(0)) => self.footprint.may_block = true,
                        Some(Value::Known(_)) | None => self.footprint.may_succeed = true,
                        Some(_) => {
                            self.footprint.may_block = true;
                            self.footprint.may_succeed = true;
                        }
                    }
                    return;
                }
                I::Require => match moment.pop() {
                    Value::Known(0) => {
                        self.footprint.may_block = true;
                        return;
                    }
                    Value::Known(_) => {}
                    _ => self.footprint.may_block = true,
                },
                I::Otherwise => moment.push(Value::Unknown),
                I::Fail(..) => {
                    self.footprint.may_fail = true;
                    return;
                }
                I::Channel(_) => {
                    let channels = self.channels(&moment.pop());
                    moment.push(channels);
                }
                I::JumpIfRendezvous(to) => ways.arrive(to, moment.clone()),
                I::Length | I::Full => {
                    let channels = moment.pop();
                    self.footprint.looks.insert(&channels);
                    moment.push(Value::Unknown);
                }
                I::HasRoom => {
                    let channels = moment.pop();
                    self.footprint.sends.insert(&channels);
                    moment.push(Value::Unknown);
                }
                I::AwaitMessage => {
                    let channels = moment.pop();
                    self.footprint.awaits_message.insert(&channels);
                    self.footprint.may_block = true;
                }
                I::AwaitRoom => {
                    let channels = moment.pop();
                    self.footprint.awaits_room.insert(&channels);
                    self.footprint.may_block = true;
                }
                I::Find { pattern, random, poll } => {
                    let channels = moment.pop();
                    if !poll {
                        self.footprint.receives.insert(&channels);
                    }
                    if poll || random {
                        self.footprint.looks.insert(&channels);
                    }
                    self.pattern_at(pattern, &moment);
                    moment.push(Value::Unknown);
                }
                I::CheckFields { .. } | I::CheckReceived { .. } => self.footprint.may_fail = true,
                I::Offer { count } => {
                    moment.pop_many(count);
                    let channels = moment.pop();
                    self.footprint.sends.insert(&channels);
                    self.footprint.may_block = true;
                    self.footprint.may_succeed = true;
                    return;
                }
                I::Send { count, sorted, span: _ } => {
                    moment.pop_many(count);
                    let channels = moment.pop();
                    self.footprint.sends.insert(&channels);
                    if sorted {
                        self.footprint.looks.insert(&channels);
                    }
                    self.note_event();
                }
                I::Receive { .. } => {
                    moment.pop();
                    let channels = moment.pop();
                    self.footprint.receives.insert(&channels);
                    self.note_event();
                }
                I::Field(_) => moment.push(Value::Unknown),
                I::Store { frame, slot, scalar, span: _ } => {
                    let value = self.cut(moment.pop(), scalar);
                    self.store(&mut moment, frame, slot..slot + 1, value);
                }
                I::StoreAt { frame, scalar, span: _ } => {
                    let slots = self.slots(frame, moment.pop());
                    let value = self.cut(moment.pop(), scalar);
                    self.store(&mut moment, frame, slots, value);
                }
                I::Forget => {
                    moment.pop_many(2);
                }
                I::Initialise(frame, slot) => {
                    moment.pop();
                    moment.stored.insert((frame, slot), Value::Unknown);
                }
                I::CreateChannel(..) => {
                    self.footprint.number_of_channels = true;
                    self.footprint.may_fail = true;
                    moment.push(Value::Unknown);
                }
                I::Run { proctype, count, priority: _, span: _ } => {
                    let arguments = moment.pop_many(count);
                    self.start(proctype, &arguments);
                    // Who goes on like this asks whether it is zero, or nothing.
                    let next = self.code.instruction(at);
                    let is_a_condition = matches!(next, I::Require | I::Truth | I::Assert(_) | I::Pop);
                    self.footprint.started_numbers |= !is_a_condition;
                    moment.push(Value::Unknown);
                }
                I::Enabled(_) => {
                    moment.pop();
                    self.footprint.processes.by_number = true;
                    self.ask_anything();
                    self.footprint.may_fail = true;
                    moment.push(Value::Unknown);
                }
                I::PcValue => {
                    moment.pop();
                    self.footprint.processes.by_number = true;
                    self.ask_anything();
                    moment.push(Value::Unknown);
                }
                I::GetPriority => {
                    moment.pop();
                    self.footprint.processes.by_number = true;
                    self.ask_anything();
                    self.footprint.priorities = true;
                    moment.push(Value::Unknown);
                }
                I::RemoteLabel { proctype, whose, number } => {
                    if whose == Whose::Numbered {
                        self.footprint.processes.by_number = true;
                        moment.pop();
                    }
                    self.footprint.number_of_processes = true;
                    self.footprint.processes.labels.extend(number.map(|number| (proctype, whose, number)));
                    moment.push(Value::Unknown);
                }
                I::RemoteVariable { proctype, whose } => {
                    if whose == Whose::Numbered {
                        self.footprint.processes.by_number = true;
                        moment.pop();
                    }
                    moment.pop();
                    self.footprint.number_of_processes = true;
                    self.footprint.processes.variables.push((proctype, whose));
                    moment.push(Value::Unknown);
                }
                I::SetPriority(_) => {
                    moment.pop_many(2);
                    self.footprint.processes.by_number = true;
                    self.ask_anything();
                    self.footprint.priorities = true;
                    self.footprint.may_fail = true;
                }
                I::Die => self.footprint.ends = true,
                I::Assert(_) => {
                    moment.pop();
                }
                I::Print(id) => {
                    let count = match self.code.print(id) {
                        Print::Formatted { sets, .. } => sets.len(),
                        Print::Name(_) => 1,
                    };
                    moment.pop_many(count as u32);
                }
                I::Chose { .. } => {}
            }
        }
    }

    fn ask_anything(&mut self) {
        self.footprint.processes.anything = true;
        self.footprint.number_of_processes = true;
    }

    fn note_event(&mut self) {
        self.footprint.event_trace |= self.system.event_trace.is_some();
    }

    /// The slots that a value means.
    fn slots(&self, frame: Frame, value: Value) -> Range<u32> {
        match value {
            Value::Known(slot) => slot as u32..slot as u32 + 1,
            Value::Slot(slots) => slots,
            _ => match frame {
                Frame::Global => 0..self.system.global_slots.len() as u32,
                Frame::Local => {
                    0..self.system.automata.iter().map(|a| a.slots.len() as u32).max().unwrap_or(0)
                }
            },
        }
    }

    fn load(&mut self, moment: &Moment, frame: Frame, slots: Range<u32>) -> Value {
        match frame {
            Frame::Global => self.footprint.reads.insert(slots.clone()),
            Frame::Local if self.starting.is_empty() => self.footprint.local_reads.insert(slots.clone()),
            Frame::Local => {}
        }
        let is_stored = |slot: u32| moment.stored.contains_key(&(frame, slot));
        if slots.len() == 1 && is_stored(slots.start) {
            return moment.stored[&(frame, slots.start)].clone();
        }
        if slots.clone().any(is_stored) {
            return Value::Unknown;
        }
        Value::HeldBy(frame, slots).simplified(self.known)
    }

    fn store(&mut self, moment: &mut Moment, frame: Frame, slots: Range<u32>, value: Value) {
        match frame {
            Frame::Global => self.footprint.writes.insert(slots.clone()),
            Frame::Local => self.footprint.local_writes.insert(slots.clone()),
        }
        let value = if slots.len() == 1 { value } else { Value::Unknown };
        for slot in slots {
            moment.stored.insert((frame, slot), value.clone());
        }
    }

    /// What is left of a value in a variable of the type.
    fn cut(&self, value: Value, scalar: Scalar) -> Value {
        match value {
            Value::Known(value) => {
                let limits = crate::limits::Limits::of(&self.system.model);
                Value::Known(limits.stored(scalar, value))
            }
            Value::HeldBy(..) if scalar == Scalar::Chan => value,
            _ => Value::Unknown,
        }
    }

    /// The channels that a value of a channel variable may mean.
    fn channels(&mut self, value: &Value) -> Value {
        let id = |value: i32| {
            let number = u32::try_from(value - 1).ok()?;
            ((number as usize) < self.known.channels).then_some(ChannelId(number))
        };
        let held = match value {
            Value::Known(value) => id(*value).map(|id| vec![id]),
            Value::HeldBy(Frame::Global, slots) => self.known.globals.map(|globals| {
                let values = slots.clone().map(|slot| globals[slot as usize]);
                values.filter_map(id).collect()
            }),
            Value::HeldBy(Frame::Local, slots) => {
                let changed = |slot| self.known.written.is_some_and(|written| written(slot));
                let locals = self.known.locals.filter(|_| !slots.clone().any(changed));
                locals.map(|locals| slots.clone().filter_map(|slot| id(locals[slot as usize])).collect())
            }
            Value::Slot(_) | Value::Channels(_) | Value::Unknown => None,
        };
        // A variable may hold no channel, or one that is gone; a global one may do so later.
        let is_own = !matches!(value, Value::HeldBy(Frame::Global, _));
        match held {
            Some(ids) if !ids.is_empty() => {
                let count = if let Value::HeldBy(_, slots) = value { slots.len() } else { 1 };
                self.footprint.may_fail |= !is_own || ids.len() < count;
                Value::Channels(ids)
            }
            _ => {
                self.footprint.may_fail = true;
                Value::Unknown
            }
        }
    }

    /// A process is started: its first values are computed at once.
    fn start(&mut self, proctype: ProctypeId, arguments: &[Value]) {
        self.footprint.number_of_processes = true;
        self.footprint.number_of_channels = true;
        self.footprint.may_fail = true;
        if !self.footprint.starts.contains(&proctype) {
            self.footprint.starts.push(proctype);
        }
        // One that starts another of its own type is followed twice, the second time with nothing known, which stands for all further times.
        let times = self.starting.iter().filter(|&&started| started == proctype).count();
        if times > 1 {
            return;
        }
        let system = self.system;
        let frame = &system.automata[proctype.0 as usize].slots;
        let mut moment = Moment::default();
        for (slot, scalar) in frame.iter().map(|slot| slot.scalar).enumerate() {
            let first = match arguments.get(slot) {
                Some(value) if times == 0 => self.cut(value.clone(), scalar),
                Some(_) => Value::Unknown,
                None => Value::Known(0),
            };
            // What is held by a slot is held by one of the starter's.
            let first =
                if matches!(first, Value::HeldBy(Frame::Local, _)) { self.resolved(first) } else { first };
            moment.stored.insert((Frame::Local, slot as u32), first);
        }
        let (may_block, may_succeed) = (self.footprint.may_block, self.footprint.may_succeed);
        self.starting.push(proctype);
        let known = Known { pid: None, locals: None, ..*self.known };
        let mut inner = Follower {
            system,
            code: &system.code,
            known: &known,
            footprint: &mut *self.footprint,
            starting: std::mem::take(&mut self.starting),
        };
        inner.follow_from(system.code.initialiser(proctype), moment);
        self.starting = std::mem::take(&mut inner.starting);
        self.starting.pop();
        self.footprint.may_block = may_block;
        self.footprint.may_succeed = may_succeed;
    }

    /// A value that does not speak of a frame.
    fn resolved(&self, value: Value) -> Value {
        match (&value, self.known.locals) {
            (Value::HeldBy(Frame::Local, slots), Some(locals)) if slots.len() == 1 => {
                Value::Known(locals[slots.start as usize])
            }
            _ => Value::Unknown,
        }
    }
}

impl Value {
    /// A variable of the process's own that has not changed has a value; of global ones it is only known where it is.
    fn simplified(self, known: &Known<'_>) -> Value {
        match (&self, known.locals) {
            (Value::HeldBy(Frame::Local, slots), Some(locals)) if slots.len() == 1 => {
                match known.written.is_some_and(|written| written(slots.start)) {
                    true => Value::Unknown,
                    false => Value::Known(locals[slots.start as usize]),
                }
            }
            _ => self,
        }
    }
}

impl Moment {
    fn push(&mut self, value: Value) {
        self.stack.push(value);
    }

    fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Value::Unknown)
    }

    fn pop_many(&mut self, count: u32) -> Vec<Value> {
        self.stack.split_off(self.stack.len().saturating_sub(count as usize))
    }

    /// Forgets what the other does not know; tells whether anything was forgotten.
    fn meet(&mut self, other: &Moment) -> bool {
        let mut forgotten = false;
        for (mine, theirs) in self.stack.iter_mut().zip(&other.stack) {
            if *mine != *theirs && *mine != Value::Unknown {
                *mine = match (&*mine, theirs) {
                    (Value::Slot(mine), Value::Slot(theirs)) => {
                        Value::Slot(mine.start.min(theirs.start)..mine.end.max(theirs.end))
                    }
                    _ => Value::Unknown,
                };
                forgotten = true;
            }
        }
        for (slot, theirs) in &other.stored {
            let mine = self.stored.get(slot);
            if mine.is_none_or(|mine| mine != theirs && *mine != Value::Unknown) {
                self.stored.insert(*slot, Value::Unknown);
                forgotten = true;
            }
        }
        for (slot, mine) in &mut self.stored {
            if *mine != Value::Unknown && !other.stored.contains_key(slot) {
                *mine = Value::Unknown;
                forgotten = true;
            }
        }
        forgotten
    }
}

/// Ways that are still to be followed.
#[derive(Default)]
struct Ways {
    moments: HashMap<Address, Moment>,
    waiting: Vec<Address>,
}

impl Ways {
    fn arrive(&mut self, at: Address, moment: Moment) {
        let changed = match self.moments.get_mut(&at) {
            Some(known) => known.meet(&moment),
            None => {
                self.moments.insert(at, moment);
                true
            }
        };
        if changed && !self.waiting.contains(&at) {
            self.waiting.push(at);
        }
    }

    fn next(&mut self) -> Option<(Address, Moment)> {
        let at = self.waiting.pop()?;
        Some((at, self.moments[&at].clone()))
    }
}
