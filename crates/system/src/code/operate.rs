//! Executes operations on a state.

use super::instruction::Address;
use super::machine::{Ended, Machine, Memory, Registers, note_choice};
use super::registers::{Element, Kept, Operand, Operation as O};
use crate::arithmetic;
use crate::interpreter::{Observer, RuntimeError, RuntimeErrorKind, Undo, Violation};
use crate::state::{ChannelId, Pid, State};
use promela::model::{BinaryOp, Frame};
use std::cell::{Cell, RefCell};

/// The variables that a process sees.
pub(crate) trait Frames {
    /// The value of a global variable.
    fn global(&self, slot: usize) -> i32;
    /// The value of a variable of the process; 0 where there is no process.
    fn local(&self, slot: usize) -> i32;
    /// Changes a variable, unless things are only looked at.
    fn set(&self, frame: Frame, slot: usize, value: i32);
}

/// Variables that are only looked at.
pub(crate) struct Looking<'v> {
    globals: &'v [i32],
    locals: &'v [i32],
}

impl<'v> Looking<'v> {
    #[inline]
    pub fn at(state: &'v State, pid: Option<Pid>) -> Looking<'v> {
        let process = pid.and_then(|pid| state.processes.get(pid.0 as usize));
        Looking { globals: &state.globals, locals: process.map_or(&[], |process| &process.locals) }
    }
}

impl Frames for Looking<'_> {
    #[inline(always)]
    fn global(&self, slot: usize) -> i32 {
        self.globals[slot]
    }

    #[inline(always)]
    fn local(&self, slot: usize) -> i32 {
        self.locals.get(slot).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn set(&self, _frame: Frame, _slot: usize, _value: i32) {}
}

/// Variables that may change.
pub(crate) struct Changing<'v> {
    globals: &'v [Cell<i32>],
    locals: &'v [Cell<i32>],
}

impl<'v> Changing<'v> {
    #[inline]
    pub fn of(state: &'v mut State, pid: Option<Pid>) -> Changing<'v> {
        let State { globals, processes, .. } = state;
        let process = pid.and_then(|pid| processes.get_mut(pid.0 as usize));
        let locals = process.map_or(&mut [][..], |process| &mut process.locals);
        Changing {
            globals: Cell::from_mut(&mut globals[..]).as_slice_of_cells(),
            locals: Cell::from_mut(locals).as_slice_of_cells(),
        }
    }
}

impl Frames for Changing<'_> {
    #[inline(always)]
    fn global(&self, slot: usize) -> i32 {
        self.globals[slot].get()
    }

    #[inline(always)]
    fn local(&self, slot: usize) -> i32 {
        self.locals.get(slot).map_or(0, Cell::get)
    }

    #[inline(always)]
    fn set(&self, frame: Frame, slot: usize, value: i32) {
        match frame {
            Frame::Global => self.globals[slot].set(value),
            Frame::Local => self.locals.get(slot).into_iter().for_each(|cell| cell.set(value)),
        }
    }
}

/// Variables whose old values are written down before they change.
pub(crate) struct Undoing<'v> {
    variables: Changing<'v>,
    undo: RefCell<&'v mut Undo>,
}

impl<'v> Undoing<'v> {
    #[inline]
    pub fn of(state: &'v mut State, pid: Option<Pid>, undo: &'v mut Undo) -> Undoing<'v> {
        Undoing { variables: Changing::of(state, pid), undo: RefCell::new(undo) }
    }
}

impl Frames for Undoing<'_> {
    #[inline(always)]
    fn global(&self, slot: usize) -> i32 {
        self.variables.global(slot)
    }

    #[inline(always)]
    fn local(&self, slot: usize) -> i32 {
        self.variables.local(slot)
    }

    #[inline(always)]
    fn set(&self, frame: Frame, slot: usize, value: i32) {
        let was = match frame {
            Frame::Global => self.variables.global(slot),
            Frame::Local => self.variables.local(slot),
        };
        if was != value {
            self.undo.borrow_mut().slot(frame, slot as u32, was);
            self.variables.set(frame, slot, value);
        }
    }
}

/// What ends a run of operations.
enum Left {
    /// The block.
    Ended(Ended),
    /// An instruction is to be executed, and its value, if it has one, goes into a register; then it goes on with an operation.
    Instruction { at: Address, to: Option<u32>, next: usize },
    /// Where to go on depends on whether this channel is a rendezvous.
    Rendezvous { channel: i32, no: u32, yes: u32 },
}

impl<M: Memory, Obs: Observer> Machine<'_, '_, M, Obs> {
    /// Executes a block, given by its first operation.
    pub(super) fn operate(&mut self, first: usize) -> Result<Ended, RuntimeError> {
        let begin = self.registers.used;
        let end = begin + self.code.operations.registers();
        if self.registers.values.len() < end {
            self.registers.values.resize(end, 0);
        }
        self.registers.used = end;
        let ended = self.operate_with(first, begin, end);
        self.registers.used = begin;
        ended
    }

    fn operate_with(&mut self, first: usize, begin: usize, end: usize) -> Result<Ended, RuntimeError> {
        let mut at = first;
        loop {
            match self.operations(at, begin, end)? {
                Left::Ended(ended) => return Ok(ended),
                Left::Instruction { at: mut address, to, next } => {
                    at = next;
                    if let Some(ended) = self.execute(&mut address)? {
                        return Ok(ended);
                    }
                    if let Some(to) = to {
                        let value = self.registers.stack.pop().unwrap_or(0);
                        self.registers.values[begin + to as usize] = value;
                    }
                }
                Left::Rendezvous { channel, no, yes } => {
                    let is_rendezvous = self.is_rendezvous(ChannelId(channel as u32));
                    at = if is_rendezvous { yes } else { no } as usize;
                }
            }
        }
    }

    /// Executes operations up to one that needs more than variables.
    #[inline]
    fn operations(&mut self, first: usize, begin: usize, end: usize) -> Result<Left, RuntimeError> {
        let Machine { interpreter, code, memory, pid, moved, observer, output, registers, chosen, .. } = self;
        let Registers { stack, message, values, .. } = registers;
        let registers = &mut values[begin..end];
        let (operations, constants) = (code.operations.list(), code.operations.constants());
        let pid = *pid;
        let frames = memory.frames(pid);
        let fail = |kind, span| interpreter.fail(kind, pid, code.span(span));
        let load = |frame, slot: usize| match frame {
            Frame::Global => {
                observer.read_global(slot as u32);
                frames.global(slot)
            }
            Frame::Local => {
                pid.into_iter().for_each(|pid| observer.read_local(pid, slot as u32));
                frames.local(slot)
            }
        };
        macro_rules! value {
            ($operand:expr) => {{
                let operand: Operand = $operand;
                match operand.place() {
                    (false, false) => registers[operand.index()],
                    (false, true) => constants[operand.index()],
                    (true, second) => {
                        load(if second { Frame::Global } else { Frame::Local }, operand.index())
                    }
                }
            }};
        }
        macro_rules! set {
            ($to:expr, $value:expr) => {{
                let value: i32 = $value;
                registers[$to as usize] = value;
            }};
        }
        macro_rules! binary {
            ($op:expr, $a:expr, $b:expr, $to:expr, $span:expr) => {
                match arithmetic::binary($op, value!($a), value!($b)) {
                    Some(value) => set!($to, value),
                    None => return fail(RuntimeErrorKind::DivisionByZero, $span),
                }
            };
        }
        macro_rules! element {
            ($element:expr, $index:expr) => {{
                let (Element { base, length, span, .. }, index) = ($element, value!($index));
                if index as u32 >= length {
                    return fail(RuntimeErrorKind::IndexOutOfRange { index, length }, span);
                }
                base as usize + index as usize
            }};
        }
        macro_rules! store {
            ($frame:expr, $slot:expr, $kept:expr, $value:expr, $span:expr) => {{
                let (frame, slot, value): (Frame, usize, i32) = ($frame, $slot, $value);
                let stored = Kept::of_value($kept, value);
                if let (true, Some(pid)) = (stored != value, pid) {
                    output.truncated(pid, value, stored, code.span($span));
                }
                match frame {
                    Frame::Global if !interpreter.remembers_global(slot as u32) => {}
                    Frame::Global => {
                        observer.write_global(slot as u32);
                        frames.set(frame, slot, stored);
                    }
                    Frame::Local => {
                        pid.into_iter().for_each(|pid| observer.write_local(pid, slot as u32));
                        frames.set(frame, slot, stored);
                    }
                }
            }};
        }
        let mut next = first;
        loop {
            let operation = &operations[next];
            next += 1;
            match *operation {
                O::Move { a, to } => set!(to, value!(a)),
                O::Pid { to } => set!(to, pid.map_or(0, |pid| pid.0 as i32)),
                O::Otherwise { to } => set!(to, i32::from(!*moved)),
                O::Field { field, to } => set!(to, message[field as usize]),
                O::Unary { op, a, to } => set!(to, arithmetic::unary(op, value!(a))),
                O::Truth { a, to } => set!(to, i32::from(value!(a) != 0)),
                O::Add { a, b, to } => set!(to, value!(a).wrapping_add(value!(b))),
                O::Subtract { a, b, to } => set!(to, value!(a).wrapping_sub(value!(b))),
                O::Multiply { a, b, to } => set!(to, value!(a).wrapping_mul(value!(b))),
                O::Divide { a, b, to, span } => binary!(BinaryOp::Divide, a, b, to, span),
                O::Remainder { a, b, to, span } => binary!(BinaryOp::Remainder, a, b, to, span),
                O::Binary { op, a, b, to, span } => binary!(op, a, b, to, span),
                O::Compare { orders, a, b, to } => set!(to, i32::from(orders.hold(value!(a), value!(b)))),
                O::Index { base, a, length, stride, to, span } => {
                    let (base, index) = (value!(base), value!(a));
                    if index as u32 >= length {
                        return fail(RuntimeErrorKind::IndexOutOfRange { index, length }, span);
                    }
                    set!(to, (base as u32 + index as u32 * stride) as i32);
                }
                O::Load { frame, slot, to } => {
                    let slot = value!(slot) as u32;
                    set!(to, load(frame, slot as usize));
                }
                O::LoadElement { element, a, to } => {
                    let slot = element!(element, a);
                    set!(to, load(element.frame, slot));
                }
                O::Store { frame, slot, kept, a, span } => {
                    store!(frame, slot as usize, kept, value!(a), span);
                }
                O::StoreAt { frame, slot, kept, a, span } => {
                    let (slot, value) = (value!(slot) as u32, value!(a));
                    store!(frame, slot as usize, kept, value, span);
                }
                O::StoreElement { element, kept, index, a } => {
                    let slot = element!(element, index);
                    store!(element.frame, slot, kept, value!(a), element.span);
                }
                O::Assert { a, span } => {
                    if value!(a) == 0 {
                        output.violated(Violation::AssertionFailed { span: code.span(span) });
                    }
                }
                O::Chose { node, choice } => note_choice(interpreter, pid, chosen, *output, node, choice)?,
                O::Jump { to } => next = to as usize,
                O::Branch { a, zero, other } => next = if value!(a) == 0 { zero } else { other } as usize,
                O::BranchCompare { orders, a, b, no, yes } => {
                    next = if orders.hold(value!(a), value!(b)) { yes } else { no } as usize;
                }
                O::BranchRendezvous { channel, no, yes } => {
                    return Ok(Left::Rendezvous { channel: value!(channel), no, yes });
                }
                O::Require { a } => {
                    if value!(a) == 0 {
                        return Ok(Left::Ended(Ended::Blocked));
                    }
                }
                O::RequireCompare { orders, a, b } => {
                    if !orders.hold(value!(a), value!(b)) {
                        return Ok(Left::Ended(Ended::Blocked));
                    }
                }
                O::Return => return Ok(Left::Ended(Ended::Returned)),
                O::ReturnValue { a } => {
                    stack.push(value!(a));
                    return Ok(Left::Ended(Ended::Returned));
                }
                O::Push { a } => stack.push(value!(a)),
                O::Instruction { at, to } => return Ok(Left::Instruction { at, to, next }),
            }
        }
    }
}
