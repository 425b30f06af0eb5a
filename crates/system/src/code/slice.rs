//! What a question depends on, and a system that remembers nothing else.
//!
//! A variable is **needed** if its value may decide whether a statement can be executed, whether it fails, which of two ways it goes, which channel or
//! element it uses, or how a message is put in order; and if a variable, a field of messages or an argument that is needed gets its
//! value from it. Everything else is only ever copied, counted and printed. [`without_what_nobody_needs`] drops the stores to it: two systems that
//! go the same ways, since from states that agree in all that is needed the same steps are possible, and lead to states that agree again. So
//! what holds of finite runs, of infinite ones, fair or not, and of how full channels get, holds of both; and a finite run of one is a run of the
//! other, step by step. A *loop* of the system without the stores need not be one of the model, whose counters may count on.
//!
//! Who needs what is read off the instructions that are executed, by an exhaustive `match`, like what they touch. It does not
//! look at the order of statements: a variable is needed everywhere or nowhere.

use super::instruction::{Address, Instruction as I, PatternId, Whose};
use super::{Code, EdgeCode, Print};
use crate::automaton::{Automaton, System};
use promela::model::{BinaryOp, ChannelTypeId, Expr, Frame, ProctypeId, Scalar};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// A system without the stores that nobody needs.
#[derive(Clone, Debug)]
pub struct Slice {
    /// The same automata, edge by edge; only the code differs.
    pub system: System,
    /// The variables that are no longer stored to, by name.
    pub without: Vec<String>,
}

/// The system without what neither its own course nor these expressions depend on; `None` if nothing can go.
pub fn without_what_nobody_needs(system: &System, expressions: &[&Expr]) -> Option<Slice> {
    // An event trace compares all that is sent and received.
    if system.event_trace.is_some() {
        return None;
    }
    let cells = Cells::of(system);
    let mut reader = Reader {
        system,
        code: &system.code,
        sources: Sources::of(system, &cells),
        cells,
        needs: Needs::default(),
    };
    reader.system();
    for expression in expressions {
        let (code, start) = Code::of_expression(&system.model, &system.automata, expression);
        let mut apart = Reader { code: &code, ..reader };
        apart.block(start, None, None);
        reader = Reader { code: &system.code, ..apart };
    }
    let Reader { cells, needs, .. } = reader;
    let needed = needs.closed(cells.count);
    let mut slice = Slice { system: system.clone(), without: Vec::new() };
    let mut dropped = vec![false; cells.count];
    for (at, store) in &needs.stores {
        if store.scalar == Scalar::Chan || store.cells.clone().any(|cell| needed[cell]) {
            continue;
        }
        let instruction = &mut slice.system.code.instructions[at.0 as usize];
        *instruction = match *instruction {
            I::StoreAt { .. } => I::Forget,
            _ => I::Pop,
        };
        store.cells.clone().for_each(|cell| dropped[cell] = true);
    }
    if !dropped.contains(&true) {
        return None;
    }
    slice.system.code.translate();
    slice.without = cells.names(system, &dropped);
    Some(slice)
}

/// Slots of frames and fields of messages, numbered.
struct Cells {
    /// The first local slot of each automaton.
    locals: Vec<usize>,
    /// The first field of each type of channel.
    fields: Vec<usize>,
    count: usize,
}

impl Cells {
    fn of(system: &System) -> Cells {
        let mut count = system.global_slots.len();
        let mut begin = |length: usize| {
            count += length;
            count - length
        };
        let locals = system.automata.iter().map(|automaton| begin(automaton.slots.len())).collect();
        let fields = system.model.channel_types.iter().map(|channel| begin(channel.fields.len())).collect();
        Cells { locals, fields, count }
    }

    /// The cells of slots of the global frame, or of that of an automaton.
    fn slots(
        &self,
        system: &System,
        frame: Frame,
        automaton: Option<usize>,
        slots: Range<u32>,
    ) -> Range<usize> {
        let (first, length) = match (frame, automaton) {
            (Frame::Local, Some(automaton)) => {
                (self.locals[automaton], system.automata[automaton].slots.len())
            }
            (Frame::Local, None) => (0, 0),
            (Frame::Global, _) => (0, system.global_slots.len()),
        };
        let clamp = |slot: u32| first + (slot as usize).min(length);
        clamp(slots.start)..clamp(slots.end)
    }

    /// The cells of a field of the messages of a channel, of whatever type it is if that is not known.
    fn field(&self, system: &System, channel: Option<ChannelTypeId>, field: u32) -> Vec<usize> {
        let types = system.model.channel_types.iter().enumerate();
        let types = types.filter(|(id, _)| channel.is_none_or(|channel| channel.0 as usize == *id));
        let has = types.filter(|(_, channel)| (field as usize) < channel.fields.len());
        has.map(|(id, _)| self.fields[id] + field as usize).collect()
    }

    /// The names of the variables that these are.
    fn names(&self, system: &System, chosen: &[bool]) -> Vec<String> {
        let of_automaton = |(automaton, &first): (&Automaton, &usize)| {
            let slots = automaton.slots.iter().enumerate();
            let chosen = slots.filter(|(slot, _)| chosen[first + slot]);
            chosen.map(|(_, slot)| format!("{}:{}", automaton.name, slot.name)).collect::<Vec<String>>()
        };
        let globals = system.global_slots.iter().enumerate().filter(|(slot, _)| chosen[*slot]);
        let locals = system.automata.iter().zip(&self.locals).flat_map(of_automaton);
        globals.map(|(_, slot)| slot.name.clone()).chain(locals).collect()
    }
}

/// By cell: the only type of channels that a variable ever holds, if it is known.
struct Sources {
    types: Vec<Option<ChannelTypeId>>,
}

impl Sources {
    /// A variable that is given a channel of its own and never assigned holds no other.
    fn of(system: &System, cells: &Cells) -> Sources {
        let mut types = vec![None; cells.count];
        let code = &system.code;
        let mut note = |start: Address, automaton: Option<usize>| {
            let mut at = start.0 as usize;
            // What is given when a process or the system starts stands in straight code.
            while at + 1 < code.instructions.len() && code.instructions[at] != I::Return {
                if let (I::CreateChannel(channel, _), I::Initialise(frame, slot)) =
                    (code.instructions[at], code.instructions[at + 1])
                {
                    for cell in cells.slots(system, frame, automaton, slot..slot + 1) {
                        types[cell] = Some(channel);
                    }
                }
                at += 1;
            }
        };
        code.globals.into_iter().for_each(|start| note(start, None));
        code.initialisers.iter().enumerate().for_each(|(automaton, &start)| note(start, Some(automaton)));
        Sources { types }
    }
}

/// A store: the cells that it may be to, on whatever way it is come to.
struct Store {
    cells: Range<usize>,
    scalar: Scalar,
}

/// What is needed at once, and what is needed if something else is.
#[derive(Default)]
struct Needs {
    always: Vec<usize>,
    /// The second are needed if one of the first is.
    sometimes: Vec<(Vec<usize>, Vec<usize>)>,
    stores: BTreeMap<Address, Store>,
}

impl Needs {
    /// By cell: whether it is needed.
    fn closed(&self, count: usize) -> Vec<bool> {
        let mut suppliers: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (index, (targets, _)) in self.sometimes.iter().enumerate() {
            targets.iter().for_each(|&cell| suppliers[cell].push(index));
        }
        let mut needed = vec![false; count];
        let mut waiting = self.always.clone();
        while let Some(cell) = waiting.pop() {
            if !std::mem::replace(&mut needed[cell], true) {
                waiting.extend(suppliers[cell].iter().flat_map(|&index| &self.sometimes[index].1));
            }
        }
        needed
    }
}

/// What is known of a value on the stack.
#[derive(Clone, PartialEq, Default)]
struct Value {
    /// The cells that it was computed from.
    from: Vec<usize>,
    constant: Option<i32>,
    /// The slots that it means, if it is one.
    slots: Option<Range<u32>>,
    /// The type of the channel that it means.
    channel: Option<ChannelTypeId>,
}

impl Value {
    fn of(from: Vec<usize>) -> Value {
        Value { from, ..Value::default() }
    }

    fn and(mut self, other: Value) -> Value {
        for cell in other.from {
            if !self.from.contains(&cell) {
                self.from.push(cell);
            }
        }
        Value::of(self.from)
    }

    /// What both have in common; the cells of both.
    fn meet(&self, other: &Value) -> Value {
        let slots = match (&self.slots, &other.slots) {
            (Some(a), Some(b)) => Some(a.start.min(b.start)..a.end.max(b.end)),
            _ => None,
        };
        let constant = self.constant.filter(|_| self.constant == other.constant);
        let channel = self.channel.filter(|_| self.channel == other.channel);
        Value { constant, slots, channel, ..self.clone().and(other.clone()) }
    }
}

/// What is known at a place in the code: the stack, and of which type the channel is whose message was received.
#[derive(Clone, PartialEq, Default)]
struct Moment {
    stack: Vec<Value>,
    received_from: Option<ChannelTypeId>,
}

impl Moment {
    fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or_default()
    }

    fn pop_many(&mut self, count: usize) -> Vec<Value> {
        self.stack.split_off(self.stack.len().saturating_sub(count))
    }

    fn push(&mut self, value: Value) {
        self.stack.push(value);
    }

    fn meet(&self, other: &Moment) -> Moment {
        let stack = self.stack.iter().zip(&other.stack).map(|(mine, theirs)| mine.meet(theirs));
        let received_from = self.received_from.filter(|_| self.received_from == other.received_from);
        Moment { stack: stack.collect(), received_from }
    }
}

/// Reads code for who needs what.
struct Reader<'s, 'c> {
    system: &'s System,
    code: &'c Code,
    cells: Cells,
    sources: Sources,
    needs: Needs,
}

impl Reader<'_, '_> {
    /// All code of the system.
    fn system(&mut self) {
        let code = self.code;
        // Nobody else must hold what a variable is given once it is assigned to, so stores are read first.
        for round in [Round::Assigned, Round::Needs] {
            self.needs = Needs::default();
            if let Some(start) = code.globals {
                self.block(start, None, None);
            }
            for (automaton, &start) in code.initialisers.iter().enumerate() {
                self.block(start, Some(automaton), None);
                if let Some(start) = code.provided[automaton] {
                    self.block(start, Some(automaton), None);
                }
            }
            for (automaton, edges) in code.edges.iter().enumerate() {
                edges.iter().for_each(|edge| self.statement(edge, automaton));
            }
            if round == Round::Assigned {
                for store in self.needs.stores.values() {
                    store.cells.clone().for_each(|cell| self.sources.types[cell] = None);
                }
            }
        }
    }

    fn statement(&mut self, edge: &EdgeCode, automaton: usize) {
        let automaton = Some(automaton);
        for start in edge.guard.into_iter().chain([edge.effect]).chain(edge.channel) {
            self.block(start, automaton, None);
        }
        for take in &edge.takes {
            let channel = self.block(take.channel, automaton, None);
            self.pattern(take.pattern, automaton, channel);
            self.block(take.then, automaton, channel);
        }
    }

    /// The fields that are compared, and what they are compared with.
    fn pattern(&mut self, pattern: PatternId, automaton: Option<usize>, channel: Option<ChannelTypeId>) {
        let code = self.code;
        for &(field, block, _) in &code.pattern(pattern).compared {
            self.needs.always.extend(self.cells.field(self.system, channel, field));
            self.block(block, automaton, None);
        }
    }

    /// Reads a block; gives the type of the channel that it leaves on the stack, if that is known.
    fn block(
        &mut self,
        start: Address,
        automaton: Option<usize>,
        received_from: Option<ChannelTypeId>,
    ) -> Option<ChannelTypeId> {
        let mut known: HashMap<Address, Moment> = HashMap::new();
        let mut waiting = vec![(start, Moment { stack: Vec::new(), received_from })];
        let mut left = Vec::new();
        while let Some((at, moment)) = waiting.pop() {
            let moment = match known.get(&at) {
                Some(before) => {
                    let both = before.meet(&moment);
                    if both == *before {
                        continue;
                    }
                    both
                }
                None => moment,
            };
            known.insert(at, moment.clone());
            left.extend(self.way(at, moment, automaton, &mut waiting));
        }
        match left[..] {
            [first, ..] if left.iter().all(|&other| other == first) => first,
            _ => None,
        }
    }

    fn need(&mut self, value: Value) {
        self.needs.always.extend(value.from);
    }

    /// A value goes to these cells.
    fn supply(&mut self, cells: Vec<usize>, value: Value) {
        if !value.from.is_empty() {
            self.needs.sometimes.push((cells, value.from));
        }
    }

    fn load(&mut self, frame: Frame, automaton: Option<usize>, slots: Range<u32>) -> Value {
        let cells: Vec<usize> = self.cells.slots(self.system, frame, automaton, slots).collect();
        let first = cells.first().and_then(|&cell| self.sources.types[cell]);
        let channel = first.filter(|_| cells.iter().all(|&cell| self.sources.types[cell] == first));
        Value { channel, ..Value::of(cells) }
    }

    fn store(
        &mut self,
        at: Address,
        frame: Frame,
        automaton: Option<usize>,
        slots: Range<u32>,
        scalar: Scalar,
        value: Value,
    ) {
        let cells = self.cells.slots(self.system, frame, automaton, slots);
        self.supply(cells.clone().collect(), value);
        let known = self.needs.stores.entry(at).or_insert(Store { cells: cells.clone(), scalar });
        known.cells = known.cells.start.min(cells.start)..known.cells.end.max(cells.end);
    }

    fn send(&mut self, channel: Option<ChannelTypeId>, message: Vec<Value>, sorted: bool) {
        for (field, value) in message.into_iter().enumerate() {
            let cells = self.cells.field(self.system, channel, field as u32);
            if sorted {
                self.needs.always.extend(&cells);
            }
            self.supply(cells, value);
        }
    }

    /// The slots that a value means: all of a frame, if it is not known.
    fn meant(value: &Value) -> Range<u32> {
        match (value.constant, &value.slots) {
            (Some(slot), _) => slot as u32..slot as u32 + 1,
            (None, Some(slots)) => slots.clone(),
            (None, None) => 0..u32::MAX,
        }
    }

    /// Reads one way until it ends or meets others; if it ends with something on the stack, the type of the channel which that means.
    fn way(
        &mut self,
        mut at: Address,
        mut moment: Moment,
        automaton: Option<usize>,
        waiting: &mut Vec<(Address, Moment)>,
    ) -> Option<Option<ChannelTypeId>> {
        loop {
            let here = at;
            let instruction = self.code.instruction(at);
            at.0 += 1;
            match instruction {
                I::Constant(value) => moment.push(Value { constant: Some(value), ..Value::default() }),
                I::Load(frame, slot) => {
                    let value = self.load(frame, automaton, slot..slot + 1);
                    moment.push(value);
                }
                I::LoadAt(frame) => {
                    let slot = moment.pop();
                    let value = self.load(frame, automaton, Self::meant(&slot));
                    moment.push(value);
                }
                // What only people see nobody needs; the rest depends on where processes stand, which is never dropped.
                I::Show(..)
                | I::ShowPid
                | I::Pid
                | I::NumberOfProcesses
                | I::Last
                | I::OwnPriority
                | I::NonProgress
                | I::Timeout
                | I::Otherwise
                | I::Youngest => moment.push(Value::default()),
                I::Index { length, stride, span: _ } => {
                    let (index, slot) = (moment.pop(), moment.pop());
                    let first = Self::meant(&slot);
                    let is_within = index.constant.filter(|&index| index >= 0 && (index as u32) < length);
                    let slots = match is_within {
                        Some(index) => {
                            let offset = index as u32 * stride;
                            first.start.saturating_add(offset)..first.end.saturating_add(offset)
                        }
                        None => {
                            first.start..first.end.saturating_add((length.max(1) - 1).saturating_mul(stride))
                        }
                    };
                    // Whether it is within the array decides whether the statement fails.
                    self.need(index);
                    moment.push(Value { slots: Some(slots), ..Value::default() });
                }
                I::Unary(_) | I::Truth => {
                    let value = moment.pop();
                    moment.push(Value::of(value.from));
                }
                I::Binary(op, _) => {
                    let (b, a) = (moment.pop(), moment.pop());
                    let divides = matches!(op, BinaryOp::Divide | BinaryOp::Remainder);
                    if divides && b.constant.is_none_or(|divisor| divisor <= 0) {
                        self.need(a.clone());
                        self.need(b.clone());
                    }
                    moment.push(Value::of(a.from).and(b));
                }
                I::Pop => {
                    moment.pop();
                }
                I::Forget => {
                    moment.pop_many(2);
                }
                I::Duplicate => {
                    let value = moment.pop();
                    moment.push(value.clone());
                    moment.push(value);
                }
                I::Jump(to) => {
                    waiting.push((to, moment));
                    return None;
                }
                I::JumpIfZero(to) => {
                    let value = moment.pop();
                    self.need(value);
                    waiting.push((to, moment.clone()));
                }
                I::JumpIfRendezvous(to) => waiting.push((to, moment.clone())),
                I::Return => {
                    // What a block leaves decides: whether a statement can be executed, what a message must be, which channel it is.
                    let top = moment.stack.last().map(|value| value.channel);
                    moment.stack.drain(..).for_each(|value| self.need(value));
                    return top;
                }
                I::Require | I::Assert(_) => {
                    let value = moment.pop();
                    self.need(value);
                }
                I::Fail(..) => return None,
                I::Channel(_) => {
                    let value = moment.pop();
                    let channel = value.channel;
                    self.need(value);
                    moment.push(Value { channel, ..Value::default() });
                }
                I::Length | I::Full | I::HasRoom => {
                    moment.pop();
                    moment.push(Value::default());
                }
                I::AwaitMessage | I::AwaitRoom => {
                    moment.pop();
                }
                I::Find { pattern, random: _, poll: _ } => {
                    let channel = moment.pop().channel;
                    self.pattern(pattern, automaton, channel);
                    moment.push(Value::default());
                }
                I::CheckFields { .. } | I::CheckReceived { .. } | I::Die | I::Chose { .. } => {}
                I::Offer { count } => {
                    let message = moment.pop_many(count as usize);
                    let channel = moment.pop().channel;
                    self.send(channel, message, false);
                    return None;
                }
                I::Send { count, sorted, span: _ } => {
                    let message = moment.pop_many(count as usize);
                    let channel = moment.pop().channel;
                    self.send(channel, message, sorted);
                }
                I::Receive { .. } => {
                    moment.pop();
                    moment.received_from = moment.pop().channel;
                }
                I::Field(field) => {
                    let cells = self.cells.field(self.system, moment.received_from, field);
                    moment.push(Value::of(cells));
                }
                I::Store { frame, slot, scalar, span: _ } => {
                    let value = moment.pop();
                    self.store(here, frame, automaton, slot..slot + 1, scalar, value);
                }
                I::StoreAt { frame, scalar, span: _ } => {
                    let (slot, value) = (moment.pop(), moment.pop());
                    self.store(here, frame, automaton, Self::meant(&slot), scalar, value);
                }
                I::Initialise(frame, slot) => {
                    let value = moment.pop();
                    let cells = self.cells.slots(self.system, frame, automaton, slot..slot + 1);
                    self.supply(cells.collect(), value);
                }
                I::CreateChannel(channel, _) => {
                    moment.push(Value { channel: Some(channel), ..Value::default() });
                }
                I::Run { proctype, count, .. } => {
                    let arguments = moment.pop_many(count as usize);
                    self.start(proctype, arguments);
                    moment.push(Value::default());
                }
                I::Enabled(_) | I::PcValue | I::GetPriority => {
                    let value = moment.pop();
                    self.need(value);
                    moment.push(Value::default());
                }
                I::RemoteLabel { whose, .. } => {
                    if whose == Whose::Numbered {
                        let value = moment.pop();
                        self.need(value);
                    }
                    moment.push(Value::default());
                }
                I::RemoteVariable { proctype, whose } => {
                    if whose == Whose::Numbered {
                        let value = moment.pop();
                        self.need(value);
                    }
                    let slot = moment.pop();
                    // Whose variable it is may not be known before: by its number a process of another type may be meant.
                    let value = match whose {
                        Whose::First | Whose::All => {
                            self.load(Frame::Local, Some(proctype.0 as usize), Self::meant(&slot))
                        }
                        Whose::Numbered => {
                            let all = (0..self.system.automata.len()).map(|automaton| {
                                self.load(Frame::Local, Some(automaton), Self::meant(&slot))
                            });
                            all.collect::<Vec<Value>>().into_iter().fold(Value::default(), Value::and)
                        }
                    };
                    moment.push(value);
                }
                I::SetPriority(_) => moment.pop_many(2).into_iter().for_each(|value| self.need(value)),
                I::Print(id) => {
                    let count = match self.code.print(id) {
                        Print::Formatted { sets, .. } => sets.len(),
                        Print::Name(_) => 1,
                    };
                    moment.pop_many(count);
                }
            }
        }
    }

    /// A process is started with these arguments.
    fn start(&mut self, proctype: ProctypeId, arguments: Vec<Value>) {
        for (slot, value) in arguments.into_iter().enumerate() {
            let slots = slot as u32..slot as u32 + 1;
            let cells = self.cells.slots(self.system, Frame::Local, Some(proctype.0 as usize), slots);
            self.supply(cells.collect(), value);
        }
    }
}

/// What code is read for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    /// Which variables are assigned to.
    Assigned,
    Needs,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What goes if nothing but the course of the system matters.
    fn without(text: &str) -> Vec<String> {
        let system = crate::read_text(text).expect("a model");
        without_what_nobody_needs(&system, &[]).map(|slice| slice.without).unwrap_or_default()
    }

    #[test]
    fn what_is_only_counted_copied_and_printed_goes() {
        let text = "chan c = [2] of { int }; int sent, got; byte room[2];
            active proctype P() { int n; do :: c!n; n++; sent = sent + n; room[1] = n od }
            active proctype Q() { int m; do :: c?m -> got = m; printf(\"%d\\n\", got) od }";
        assert_eq!(without(text), ["sent", "got", "room[1]", "P:n", "Q:m"]);
    }

    #[test]
    fn what_decides_stays() {
        for text in [
            "int x; active proctype P() { do :: x < 3 -> x++ od }",
            "int x; active proctype P() { x++; assert(x == 1) }",
            "int x, y; active proctype P() { x++; y = x; y == 1 }",
            "int x; byte a[3]; active proctype P() { x++; a[x] == 0 }",
            "int x, y; active proctype P() { x++; y = 7 / x; y == 3 }",
            "int x; chan c[2] = [1] of { bit }; active proctype P() { x++; c[x]!0 }",
            "int x; active proctype P() { x++; run Q(x) } proctype Q(int n) { n == 1 }",
            "int x; active proctype P() provided (x < 2) { x++; x++ }",
            "int x; active proctype P() { x++ } never { do :: x == 0 od }",
            "active proctype P() { int x; x++ } active proctype Q() { P:x == 1 }",
            "active [2] proctype P() { int x; x++ } active proctype Q() { P[1]:x == 1 }",
            "int x; active proctype P() { x++; enabled(x) }",
            "int x; active proctype P() { x++; (x == 1 -> 1 : 0) }",
            "int x; chan c = [0] of { int }; active proctype P() { x++; c!x } active proctype Q() { c?1 }",
            "int x; chan c = [2] of { int }; active proctype P() { x++; c!x; c?[2] }",
            "int x; chan c = [2] of { int }; active proctype P() { x++; c!!x; c!!0; c?_ }",
            "int x; chan c = [2] of { int }; active proctype P() { int y; x++; c!x; c?y; y == 1 }",
            "int x; chan c = [1] of { bit }; active proctype P() { x++; c!0 } trace { c!0 }",
        ] {
            assert_eq!(without(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn only_who_fails_needs_what_it_fails_by() {
        let indexed = "int x, y; byte a[3]; active proctype P() { x++; y++; a[x] = y }";
        assert_eq!(without(indexed), ["y", "a[0]", "a[1]", "a[2]"]);
        let divided = "int x, y, z; active proctype P() { x++; y++; z = (x / 2) + (1 / y) }";
        assert_eq!(without(divided), ["x", "z"]);
    }

    /// The place is read once for each way that the index is come by, and one of them is needed.
    #[test]
    fn an_element_that_is_chosen_in_two_ways_is_stored_if_one_of_them_is_needed() {
        for index in ["(x -> 0 : 1)", "(x -> 1 : 0)"] {
            let text = format!(
                "bit x; byte a[2]; active proctype P() {{ x = 1 - x; a[{index}] = 5; assert(a[1] == 0) }}"
            );
            assert_eq!(without(&text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn messages_are_told_apart_by_their_channels_where_these_are_known() {
        let model = |assigned: &str| {
            format!(
                "chan c = [1] of {{ int }}; chan d = [1] of {{ int }}; int x, y, z;
                 active proctype P() {{ {assigned}; x++; c!x; y++; d!y }}
                 active proctype Q() {{ d?1; c?z }}"
            )
        };
        assert_eq!(without(&model("skip")), ["x", "z"]);
        // Now `c` may be `d`, and so may what is received from it.
        assert_eq!(without(&model("c = d")), ["z"]);
    }

    #[test]
    fn what_a_question_looks_at_stays() {
        let system =
            crate::read_text("int x, y; active proctype P() { x++; y = x; x != 5 }").expect("a model");
        let nobody = crate::read_text("int x, y; active proctype P() { x++; y = x }").expect("a model");
        let slice = |system: &System, also: &[&Expr]| {
            without_what_nobody_needs(system, also).map(|slice| slice.without)
        };
        assert_eq!(slice(&nobody, &[]), Some(vec!["x".to_string(), "y".to_string()]));
        let conditions = system.automata[0].edges.iter().filter_map(|edge| match &edge.action {
            crate::automaton::Action::Condition(condition) => Some(condition),
            _ => None,
        });
        let conditions: Vec<&Expr> = conditions.collect();
        assert_eq!(slice(&nobody, &conditions), Some(vec!["y".to_string()]));
    }
}
