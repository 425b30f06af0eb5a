//! Code for registers: what instructions do, in fewer and larger operations.
//!
//! Instructions push and pop one value at a time, and choosing what comes next costs more than doing it. How deep the stack is at each
//! instruction is known when it is compiled; so a place of the stack is a **register**, and what is only pushed to be popped again (constants,
//! variables, the outcome of a comparison) is never there at all: it is an operand of whatever pops it. Blocks are translated once, as the last part of
//! compiling. [`super::operate`] executes operations; instructions that are rare or large stay as they are and are
//! executed by [`super::machine`], with what they pop and push moved to and from its stack.
//!
//! Invariants of the translation, where a value is `d` places above the bottom of the block's stack:
//! - it is in register `d`, or is a constant or a variable, or, if it is the topmost, a comparison of two operands that are in registers
//!   `d` and `d + 1`, constants or variables;
//! - where a label is, all values are in registers: whoever jumps there puts them there;
//! - before a variable may change, no value is "that variable" any more.
//!
//! So variables are read later than the instructions read them, and not at all if nothing depends on it, but never after they have changed. That
//! instructions and operations do the same is compared wherever the search is compared with [`crate::interpreter::Interpreter::by_stack`].

use super::instruction::{Address, Instruction as I, SpanId, Whose};
use super::{Code, Print};
use promela::interrupt;
use promela::model::{BinaryOp, Frame, Scalar, UnaryOp};
use std::collections::HashMap;

/// A value that an operation takes: where it is (two bits) and which it is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Operand(u32);

impl Operand {
    const OF_STATE: u32 = 1 << 31;
    /// With [`Operand::OF_STATE`] a global variable, without it a constant; a local variable and a register if it is not there.
    const SECOND: u32 = 1 << 30;

    fn register(number: usize) -> Operand {
        Operand(number as u32)
    }

    fn variable(frame: Frame, slot: u32) -> Operand {
        match frame {
            Frame::Local => Operand(Operand::OF_STATE | slot),
            Frame::Global => Operand(Operand::OF_STATE | Operand::SECOND | slot),
        }
    }

    fn is_variable(self) -> bool {
        self.0 & Operand::OF_STATE != 0
    }

    /// Which of its kind.
    #[inline(always)]
    pub fn index(self) -> usize {
        (self.0 & !(Operand::OF_STATE | Operand::SECOND)) as usize
    }

    /// Where it is. By two questions with two answers each: a jump that depends on more is guessed wrong too often.
    #[inline(always)]
    pub fn place(self) -> (bool, bool) {
        (self.0 & Operand::OF_STATE != 0, self.0 & Operand::SECOND != 0)
    }
}

/// Which outcomes of a comparison count: bit 0 less, bit 1 equal, bit 2 greater.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Orders(u8);

impl Orders {
    fn of(op: BinaryOp) -> Option<Orders> {
        Some(Orders(match op {
            BinaryOp::Less => 0b001,
            BinaryOp::LessEqual => 0b011,
            BinaryOp::Equal => 0b010,
            BinaryOp::NotEqual => 0b101,
            BinaryOp::GreaterEqual => 0b110,
            BinaryOp::Greater => 0b100,
            _ => return None,
        }))
    }

    /// Those that do not count.
    fn others(self) -> Orders {
        Orders(self.0 ^ 0b111)
    }

    /// Whether the order of two values counts.
    #[inline(always)]
    pub fn hold(self, a: i32, b: i32) -> bool {
        (self.0 >> (u32::from(a >= b) + u32::from(a > b))) & 1 != 0
    }
}

/// What a variable keeps of a value: the lowest bits, with their sign or without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kept {
    mask: i32,
    shift: u8,
}

impl Kept {
    /// `None` for channels: how many there may be decides about them.
    fn of(scalar: Scalar) -> Option<Kept> {
        match scalar {
            Scalar::Chan => None,
            Scalar::Short => Some(Kept { mask: -1, shift: 16 }),
            other => Some(Kept { mask: other.truncate(-1), shift: 0 }),
        }
    }

    #[inline(always)]
    pub fn of_value(self, value: i32) -> i32 {
        ((value << self.shift) >> self.shift) & self.mask
    }
}

/// Where operations go on.
pub(crate) type Target = u32;

/// An element of an array with one slot for each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Element {
    pub frame: Frame,
    /// The slot of the first.
    pub base: u32,
    pub length: u32,
    /// The place.
    pub span: SpanId,
}

/// An operation. `to` is a register. Which it is stands in a byte of its own: it is asked more often than anything else.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(u8)]
pub(crate) enum Operation {
    Move {
        a: Operand,
        to: u32,
    },
    Pid {
        to: u32,
    },
    Otherwise {
        to: u32,
    },
    Field {
        field: u32,
        to: u32,
    },
    Unary {
        op: UnaryOp,
        a: Operand,
        to: u32,
    },
    Truth {
        a: Operand,
        to: u32,
    },
    Add {
        a: Operand,
        b: Operand,
        to: u32,
    },
    Subtract {
        a: Operand,
        b: Operand,
        to: u32,
    },
    Multiply {
        a: Operand,
        b: Operand,
        to: u32,
    },
    Divide {
        a: Operand,
        b: Operand,
        to: u32,
        span: SpanId,
    },
    Remainder {
        a: Operand,
        b: Operand,
        to: u32,
        span: SpanId,
    },
    Binary {
        op: BinaryOp,
        a: Operand,
        b: Operand,
        to: u32,
        span: SpanId,
    },
    Compare {
        orders: Orders,
        a: Operand,
        b: Operand,
        to: u32,
    },
    /// The slot of an element.
    Index {
        base: Operand,
        a: Operand,
        length: u32,
        stride: u32,
        to: u32,
        span: SpanId,
    },
    Load {
        frame: Frame,
        slot: Operand,
        to: u32,
    },
    LoadElement {
        element: Element,
        a: Operand,
        to: u32,
    },
    Store {
        frame: Frame,
        slot: u32,
        kept: Kept,
        a: Operand,
        span: SpanId,
    },
    StoreAt {
        frame: Frame,
        slot: Operand,
        kept: Kept,
        a: Operand,
        span: SpanId,
    },
    StoreElement {
        element: Element,
        kept: Kept,
        index: Operand,
        a: Operand,
    },
    Assert {
        a: Operand,
        span: SpanId,
    },
    Chose {
        node: u32,
        choice: u32,
    },
    Jump {
        to: Target,
    },
    Branch {
        a: Operand,
        zero: Target,
        other: Target,
    },
    BranchCompare {
        orders: Orders,
        a: Operand,
        b: Operand,
        no: Target,
        yes: Target,
    },
    BranchRendezvous {
        channel: Operand,
        no: Target,
        yes: Target,
    },
    Require {
        a: Operand,
    },
    RequireCompare {
        orders: Orders,
        a: Operand,
        b: Operand,
    },
    Return,
    ReturnValue {
        a: Operand,
    },
    /// Pushes a value on the stack of instructions.
    Push {
        a: Operand,
    },
    /// Executes an instruction, and pops its value into a register if it has one.
    Instruction {
        at: Address,
        to: Option<u32>,
    },
}

/// The operations of a system.
#[derive(Clone, Debug, Default)]
pub(crate) struct Operations {
    list: Vec<Operation>,
    constants: Vec<i32>,
    /// By address where a block begins: one more than its first operation, or 0.
    starts: Vec<u32>,
    /// How many registers a block needs at most.
    registers: usize,
}

impl Operations {
    /// The first operation of a block, if it was translated.
    #[inline]
    pub fn start(&self, block: Address) -> Option<usize> {
        match self.starts.get(block.0 as usize) {
            Some(&start @ 1..) => Some(start as usize - 1),
            _ => None,
        }
    }

    #[inline(always)]
    pub fn list(&self) -> &[Operation] {
        &self.list
    }

    #[inline(always)]
    pub fn constants(&self) -> &[i32] {
        &self.constants
    }

    pub fn registers(&self) -> usize {
        self.registers
    }
}

impl Code {
    /// Translates all blocks that steps execute.
    pub(super) fn translate(&mut self) {
        let mut starts: Vec<Address> = self.provided.iter().flatten().copied().collect();
        for edge in self.edges.iter().flatten() {
            starts.extend(edge.guard);
            starts.push(edge.effect);
            starts.extend(edge.takes.iter().map(|take| take.then));
        }
        starts.extend(self.patterns.iter().flat_map(|pattern| pattern.compared.iter().map(|field| field.1)));
        let mut operations = Operations { starts: vec![0; self.instructions.len()], ..Operations::default() };
        let mut numbers = HashMap::new();
        for start in starts {
            let begin = operations.list.len();
            let mut block = Block {
                code: self,
                operations: &mut operations,
                numbers: &mut numbers,
                labels: HashMap::new(),
                waiting: Vec::new(),
            };
            match block.translate(start) {
                Some(()) => operations.starts[start.0 as usize] = begin as u32 + 1,
                None => operations.list.truncate(begin),
            }
        }
        self.operations = operations;
    }
}

/// A value on the stack of a block.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Value {
    Operand(Operand),
    Constant(i32),
    Comparison(Orders, Operand, Operand),
}

struct Block<'c> {
    code: &'c Code,
    operations: &'c mut Operations,
    /// Of constants.
    numbers: &'c mut HashMap<i32, u32>,
    /// By address: its operation, and how deep the stack is there.
    labels: HashMap<u32, (Target, usize)>,
    /// Labels without operations so far, and how deep the stack is there.
    waiting: Vec<(Address, usize)>,
}

/// What comes after an instruction.
enum Next {
    Goes(Address),
    Ends,
}

impl Block<'_> {
    /// Translates a block; `None` if the depth of its stack is not known or it has an instruction whose effect on the stack is not.
    fn translate(&mut self, start: Address) -> Option<()> {
        let begin = self.operations.list.len();
        self.waiting.push((start, 0));
        while let Some((at, depth)) = self.waiting.pop() {
            match self.labels.get(&at.0) {
                Some(&(_, known)) if known == depth => {}
                Some(_) => return None,
                None => self.straight_on(at, depth)?,
            }
        }
        let labels = &self.labels;
        let resolve = |target: &mut Target| *target = labels.get(target).map_or(*target, |label| label.0);
        for operation in &mut self.operations.list[begin..] {
            match operation {
                Operation::Jump { to } => resolve(to),
                Operation::Branch { zero: no, other: yes, .. }
                | Operation::BranchCompare { no, yes, .. }
                | Operation::BranchRendezvous { no, yes, .. } => {
                    resolve(no);
                    resolve(yes);
                }
                _ => {}
            }
        }
        Some(())
    }

    fn straight_on(&mut self, at: Address, depth: usize) -> Option<()> {
        let mut stack: Vec<Value> = (0..depth).map(|d| Value::Operand(Operand::register(d))).collect();
        self.labels.insert(at.0, (self.operations.list.len() as Target, depth));
        let mut at = at;
        loop {
            interrupt::point();
            self.operations.registers = self.operations.registers.max(stack.len() + 2);
            match self.instruction(at, &mut stack)? {
                Next::Goes(to) => at = to,
                Next::Ends => return Some(()),
            }
        }
    }

    fn emit(&mut self, operation: Operation) {
        self.operations.list.push(operation);
    }

    fn constant(&mut self, value: i32) -> Operand {
        let constants = &mut self.operations.constants;
        let number = *self.numbers.entry(value).or_insert_with(|| {
            constants.push(value);
            constants.len() as u32 - 1
        });
        Operand(Operand::SECOND | number)
    }

    /// What an operation takes for the value at a depth.
    fn operand(&mut self, value: Value, depth: usize) -> Operand {
        match value {
            Value::Operand(operand) => operand,
            Value::Constant(value) => self.constant(value),
            Value::Comparison(orders, a, b) => {
                self.emit(Operation::Compare { orders, a, b, to: depth as u32 });
                Operand::register(depth)
            }
        }
    }

    fn pop(&mut self, stack: &mut Vec<Value>) -> Option<Operand> {
        let value = stack.pop()?;
        Some(self.operand(value, stack.len()))
    }

    fn push(&mut self, stack: &mut Vec<Value>, value: Value) {
        // Only the topmost is a comparison.
        if let Some(&top @ Value::Comparison(..)) = stack.last() {
            let depth = stack.len() - 1;
            stack[depth] = Value::Operand(self.operand(top, depth));
        }
        stack.push(value);
    }

    /// Emits an operation whose value is the next one on the stack.
    fn produce(&mut self, stack: &mut Vec<Value>, operation: impl FnOnce(u32) -> Operation) {
        self.push(stack, Value::Operand(Operand::register(stack.len())));
        self.emit(operation(stack.len() as u32 - 1));
    }

    /// Puts values into their registers: all of them, or those that are variables.
    fn settle(&mut self, stack: &mut [Value], all: bool) {
        for (depth, value) in stack.iter_mut().enumerate() {
            let is_settled = match *value {
                Value::Operand(operand) if operand.is_variable() => false,
                Value::Operand(operand) => operand == Operand::register(depth),
                Value::Constant(_) => !all,
                Value::Comparison(..) => false,
            };
            if !is_settled {
                let a = self.operand(*value, depth);
                if a != Operand::register(depth) {
                    self.emit(Operation::Move { a, to: depth as u32 });
                }
                *value = Value::Operand(Operand::register(depth));
            }
        }
    }

    /// A label that operations go on from, with so many values on the stack.
    fn label(&mut self, at: Address, depth: usize) -> Target {
        self.waiting.push((at, depth));
        at.0
    }

    /// Goes on elsewhere. What only asks for the topmost value is done here, where that is known.
    fn jump(&mut self, to: Address, stack: &mut [Value]) -> Next {
        let asks = matches!(self.code.instruction(to), I::Jump(_) | I::JumpIfZero(_) | I::Return | I::Truth);
        if asks && !stack.is_empty() {
            return Next::Goes(to);
        }
        self.settle(stack, true);
        if self.labels.contains_key(&to.0) {
            let target = self.label(to, stack.len());
            self.emit(Operation::Jump { to: target });
            return Next::Ends;
        }
        self.labels.insert(to.0, (self.operations.list.len() as Target, stack.len()));
        Next::Goes(to)
    }

    fn instruction(&mut self, at: Address, stack: &mut Vec<Value>) -> Option<Next> {
        let next = Address(at.0 + 1);
        match self.code.instruction(at) {
            I::Constant(value) => self.push(stack, Value::Constant(value)),
            I::Load(frame, slot) => self.push(stack, Value::Operand(Operand::variable(frame, slot))),
            I::LoadAt(frame) => {
                let slot = self.pop(stack)?;
                self.produce(stack, |to| Operation::Load { frame, slot, to });
            }
            I::Index { length, stride, span } => return self.index(next, stack, (length, stride, span)),
            I::Pid => self.produce(stack, |to| Operation::Pid { to }),
            I::Otherwise => self.produce(stack, |to| Operation::Otherwise { to }),
            I::Field(field) => self.produce(stack, |to| Operation::Field { field, to }),
            I::Unary(op) => match (op, stack.pop()?) {
                (UnaryOp::Not, Value::Comparison(orders, a, b)) => {
                    stack.push(Value::Comparison(orders.others(), a, b));
                }
                (op, Value::Constant(value)) => {
                    stack.push(Value::Constant(crate::arithmetic::unary(op, value)));
                }
                (op, value) => {
                    let a = self.operand(value, stack.len());
                    self.produce(stack, |to| Operation::Unary { op, a, to });
                }
            },
            I::Binary(op, span) => {
                let (b, a) = (self.pop(stack)?, self.pop(stack)?);
                match (op, Orders::of(op)) {
                    (_, Some(orders)) => self.push(stack, Value::Comparison(orders, a, b)),
                    (BinaryOp::Add, _) => self.produce(stack, |to| Operation::Add { a, b, to }),
                    (BinaryOp::Subtract, _) => self.produce(stack, |to| Operation::Subtract { a, b, to }),
                    (BinaryOp::Multiply, _) => self.produce(stack, |to| Operation::Multiply { a, b, to }),
                    (BinaryOp::Divide, _) => self.produce(stack, |to| Operation::Divide { a, b, to, span }),
                    (BinaryOp::Remainder, _) => {
                        self.produce(stack, |to| Operation::Remainder { a, b, to, span });
                    }
                    _ => self.produce(stack, |to| Operation::Binary { op, a, b, to, span }),
                }
            }
            I::Truth => match stack.pop()? {
                value @ Value::Comparison(..) => stack.push(value),
                Value::Constant(value) => stack.push(Value::Constant(i32::from(value != 0))),
                value => {
                    let a = self.operand(value, stack.len());
                    self.produce(stack, |to| Operation::Truth { a, to });
                }
            },
            I::Pop => {
                stack.pop()?;
            }
            I::Duplicate => {
                let a = self.pop(stack)?;
                let value = Value::Operand(a);
                stack.push(value);
                match a == Operand::register(stack.len() - 1) {
                    true => self.produce(stack, |to| Operation::Move { a, to }),
                    false => stack.push(value),
                }
            }
            I::Jump(to) => return Some(self.jump(to, stack)),
            I::JumpIfZero(to) => return self.branch(next, to, stack),
            I::JumpIfRendezvous(to) => {
                self.settle(stack, true);
                let depth = stack.len();
                let channel = Operand::register(depth.checked_sub(1)?);
                let (yes, no) = (self.label(to, depth), self.label(next, depth));
                self.emit(Operation::BranchRendezvous { channel, no, yes });
                return Some(Next::Ends);
            }
            I::Return => {
                match stack.pop() {
                    Some(value) => {
                        let a = self.operand(value, stack.len());
                        self.emit(Operation::ReturnValue { a });
                    }
                    None => self.emit(Operation::Return),
                }
                return Some(Next::Ends);
            }
            I::Require => match stack.pop()? {
                Value::Comparison(orders, a, b) => self.emit(Operation::RequireCompare { orders, a, b }),
                value => {
                    let a = self.operand(value, stack.len());
                    self.emit(Operation::Require { a });
                }
            },
            I::Assert(span) => {
                let a = self.pop(stack)?;
                self.emit(Operation::Assert { a, span });
            }
            I::Chose { node, choice } => self.emit(Operation::Chose { node, choice }),
            I::Store { frame, slot, scalar, span } if Kept::of(scalar).is_some() => {
                let (a, kept) = (self.pop(stack)?, Kept::of(scalar)?);
                self.settle(stack, false);
                self.emit(Operation::Store { frame, slot, kept, a, span });
            }
            I::StoreAt { frame, scalar, span } if Kept::of(scalar).is_some() => {
                let (slot, a, kept) = (self.pop(stack)?, self.pop(stack)?, Kept::of(scalar)?);
                self.settle(stack, false);
                self.emit(Operation::StoreAt { frame, slot, kept, a, span });
            }
            instruction => return self.as_it_is(at, instruction, stack),
        }
        Some(Next::Goes(next))
    }

    /// The slot of an element, together with what is done with it, if that comes next and each element has one slot.
    fn index(
        &mut self,
        next: Address,
        stack: &mut Vec<Value>,
        (length, stride, span): (u32, u32, SpanId),
    ) -> Option<Next> {
        let a = self.pop(stack)?;
        let after = Address(next.0 + 1);
        if let (Some(&Value::Constant(base)), 1) = (stack.last(), stride) {
            let base = base as u32;
            match self.code.instruction(next) {
                I::LoadAt(frame) => {
                    stack.pop();
                    let element = Element { frame, base, length, span };
                    self.produce(stack, |to| Operation::LoadElement { element, a, to });
                    return Some(Next::Goes(after));
                }
                I::StoreAt { frame, scalar, .. } => {
                    if let Some(kept) = Kept::of(scalar) {
                        stack.pop();
                        let (index, value) = (a, self.pop(stack)?);
                        self.settle(stack, false);
                        let element = Element { frame, base, length, span };
                        self.emit(Operation::StoreElement { element, kept, index, a: value });
                        return Some(Next::Goes(after));
                    }
                }
                _ => {}
            }
        }
        let base = self.pop(stack)?;
        self.produce(stack, |to| Operation::Index { base, a, length, stride, to, span });
        Some(Next::Goes(next))
    }

    fn branch(&mut self, next: Address, to: Address, stack: &mut Vec<Value>) -> Option<Next> {
        let value = stack.pop()?;
        if let Value::Constant(value) = value {
            return Some(if value == 0 { self.jump(to, stack) } else { Next::Goes(next) });
        }
        let depth = stack.len();
        self.settle(stack, true);
        let (no, yes) = (self.label(to, depth), self.label(next, depth));
        match value {
            Value::Comparison(orders, a, b) => {
                self.emit(Operation::BranchCompare { orders, a, b, no, yes });
            }
            value => {
                let a = self.operand(value, depth);
                self.emit(Operation::Branch { a, zero: no, other: yes });
            }
        }
        Some(Next::Ends)
    }

    /// An instruction that is executed as it is.
    fn as_it_is(&mut self, at: Address, instruction: I, stack: &mut Vec<Value>) -> Option<Next> {
        let (pops, pushes) = self.effect(instruction)?;
        let first = stack.len().checked_sub(pops)?;
        // A comparison is the last of them, so its registers are those of nobody else.
        let operands: Vec<Operand> =
            (first..stack.len()).map(|depth| self.operand(stack[depth], depth)).collect();
        stack.truncate(first);
        self.settle(stack, false);
        operands.into_iter().for_each(|a| self.emit(Operation::Push { a }));
        let to = pushes.then_some(first as u32);
        self.emit(Operation::Instruction { at, to });
        if pushes {
            stack.push(Value::Operand(Operand::register(first)));
        }
        match instruction {
            I::Fail(..) | I::Offer { .. } => Some(Next::Ends),
            _ => Some(Next::Goes(Address(at.0 + 1))),
        }
    }

    /// How many values an instruction pops, and whether it pushes one.
    fn effect(&self, instruction: I) -> Option<(usize, bool)> {
        Some(match instruction {
            I::Show(..)
            | I::ShowPid
            | I::NumberOfProcesses
            | I::Last
            | I::OwnPriority
            | I::NonProgress
            | I::Timeout
            | I::Youngest => (0, true),
            I::Fail(..) | I::CheckReceived { .. } | I::Die => (0, false),
            I::Channel(_)
            | I::Length
            | I::Full
            | I::HasRoom
            | I::Find { .. }
            | I::CheckFields { .. }
            | I::Enabled(_)
            | I::PcValue
            | I::GetPriority => (1, true),
            I::AwaitMessage | I::AwaitRoom | I::Store { .. } => (1, false),
            I::Receive { .. } | I::SetPriority(_) | I::StoreAt { .. } | I::Forget => (2, false),
            I::Offer { count } | I::Send { count, .. } => (count as usize + 1, false),
            I::Run { count, .. } => (count as usize, true),
            I::RemoteLabel { whose, .. } => (usize::from(whose == Whose::Numbered), true),
            I::RemoteVariable { whose, .. } => (1 + usize::from(whose == Whose::Numbered), true),
            I::Print(id) => match self.code.print(id) {
                Print::Formatted { sets, .. } => (sets.len(), false),
                Print::Name(_) => (1, false),
            },
            _ => return None,
        })
    }
}
