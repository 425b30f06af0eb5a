//! From expressions and actions to code.

use super::instruction::{Address, Failure, Instruction as I, PatternId, PrintId, SpanId, Whose};
use super::{Code, EdgeCode, Pattern, Print, Take};
use crate::automaton::{Action, Automaton, DStep};
use promela::interrupt;
use promela::model::{
    BinaryOp, ChannelRef, Expr, ExprKind, Frame, Initializer, Model, MtypeSetId, Place, ReceiveArgument,
    RemoteProcess, Scalar, Type, TypedefId, UnaryOp, Variable,
};
use promela::source::Span;

impl Code {
    /// The code of a system with these automata.
    pub fn compile(model: &Model, automata: &[Automaton]) -> Code {
        let mut compiler = Compiler { model, automata, code: Code::default() };
        let globals = compiler.block(|c| c.variables(&model.globals, Frame::Global));
        compiler.code.globals = Some(globals);
        for proctype in &model.proctypes {
            let own: Vec<Variable> = proctype.locals.iter().filter(|v| !v.parameter).cloned().collect();
            let initialiser = compiler.block(|c| c.variables(&own, Frame::Local));
            let provided = proctype.provided.as_ref().map(|e| compiler.block(|c| c.expression(e)));
            compiler.code.initialisers.push(initialiser);
            compiler.code.provided.push(provided);
        }
        for automaton in automata {
            let edges =
                automaton.edges.iter().map(|edge| compiler.statement(&edge.action, edge.span)).collect();
            compiler.code.edges.push(edges);
        }
        compiler.code.translate();
        compiler.code
    }

    /// The code of an expression that is no part of a system, and where it begins.
    pub(crate) fn of_expression(model: &Model, automata: &[Automaton], e: &Expr) -> (Code, Address) {
        let mut compiler = Compiler { model, automata, code: Code::default() };
        let start = compiler.block(|c| c.expression(e));
        (compiler.code, start)
    }

    /// The code of a statement wherever it stands, also inside of a `d_step`.
    pub(crate) fn of_statement(model: &Model, automata: &[Automaton], action: &Action) -> (Code, EdgeCode) {
        let mut compiler = Compiler { model, automata, code: Code::default() };
        let statement = compiler.statement(action, Span::default());
        (compiler.code, statement)
    }
}

struct Compiler<'m> {
    model: &'m Model,
    automata: &'m [Automaton],
    code: Code,
}

/// A place in the code that is not known yet: the jumps to it are filled in when it is.
#[derive(Default)]
struct Label {
    jumps: Vec<usize>,
}

impl Compiler<'_> {
    fn here(&self) -> Address {
        Address(self.code.instructions.len() as u32)
    }

    fn emit(&mut self, instruction: I) {
        interrupt::point();
        self.code.instructions.push(instruction);
    }

    fn span(&mut self, span: Span) -> SpanId {
        self.code.spans.push(span);
        SpanId(self.code.spans.len() as u32 - 1)
    }

    fn block(&mut self, content: impl FnOnce(&mut Self)) -> Address {
        let start = self.here();
        content(self);
        self.emit(I::Return);
        start
    }

    fn jump(&mut self, jump: fn(Address) -> I, label: &mut Label) {
        label.jumps.push(self.code.instructions.len());
        self.emit(jump(Address(u32::MAX)));
    }

    /// Puts a label here. What comes before jumps to it, too.
    fn put(&mut self, mut label: Label) -> Address {
        self.jump(I::Jump, &mut label);
        let here = self.here();
        for at in label.jumps {
            let jump = &mut self.code.instructions[at];
            *jump = match *jump {
                I::JumpIfZero(_) => I::JumpIfZero(here),
                I::JumpIfRendezvous(_) => I::JumpIfRendezvous(here),
                _ => I::Jump(here),
            };
        }
        here
    }

    fn expression(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Constant { value, .. } => self.emit(I::Constant(*value)),
            ExprKind::Read(place) => self.read(place),
            ExprKind::Pid => self.emit(I::Pid),
            ExprKind::NumberOfProcesses => self.emit(I::NumberOfProcesses),
            ExprKind::Last => self.emit(I::Last),
            ExprKind::OwnPriority => self.emit(I::OwnPriority),
            ExprKind::NonProgress => self.emit(I::NonProgress),
            ExprKind::Timeout => self.emit(I::Timeout),
            ExprKind::Unary(op, a) => {
                self.expression(a);
                self.emit(I::Unary(*op));
            }
            ExprKind::Binary(BinaryOp::And, a, b) => {
                self.choice(a, |c| c.truth(b), |c| c.emit(I::Constant(0)))
            }
            ExprKind::Binary(BinaryOp::Or, a, b) => {
                self.choice(a, |c| c.emit(I::Constant(1)), |c| c.truth(b))
            }
            ExprKind::Binary(op, a, b) => {
                self.expression(a);
                self.expression(b);
                let span = self.span(e.span);
                self.emit(I::Binary(*op, span));
            }
            ExprKind::Conditional(c, a, b) => self.choice(c, |c| c.expression(a), |c| c.expression(b)),
            ExprKind::Run { proctype, arguments, priority } => {
                arguments.iter().for_each(|argument| self.expression(argument));
                let (count, priority) = (arguments.len() as u32, priority.unwrap_or(1));
                let span = self.span(e.span);
                self.emit(I::Run { proctype: *proctype, count, priority, span });
            }
            ExprKind::Len(c) => {
                self.channel(c);
                self.emit(I::Length);
            }
            ExprKind::Empty(c) => {
                self.channel(c);
                self.emit(I::Length);
                self.emit(I::Unary(UnaryOp::Not));
            }
            ExprKind::NotEmpty(c) => {
                self.channel(c);
                self.emit(I::Length);
                self.emit(I::Truth);
            }
            ExprKind::Full(c) => {
                self.channel(c);
                self.emit(I::Full);
            }
            ExprKind::NotFull(c) => {
                self.channel(c);
                self.emit(I::Full);
                self.emit(I::Unary(UnaryOp::Not));
            }
            ExprKind::Poll { channel, random, arguments } => {
                self.channel(channel);
                self.find(arguments, *random, true);
                self.is_found();
            }
            ExprKind::Enabled(pid) => {
                self.expression(pid);
                let span = self.span(e.span);
                self.emit(I::Enabled(span));
            }
            ExprKind::PcValue(pid) => {
                self.expression(pid);
                self.emit(I::PcValue);
            }
            ExprKind::GetPriority(pid) => {
                self.expression(pid);
                self.emit(I::GetPriority);
            }
            ExprKind::RemoteLabel { proctype, pid, label } => {
                self.remote_label(*proctype, pid.as_deref(), label)
            }
            ExprKind::RemoteVariable { proctype, pid, place } => {
                self.slot(place);
                let whose = self.whose(pid.as_deref());
                self.emit(I::RemoteVariable { proctype: *proctype, whose });
            }
        }
    }

    fn truth(&mut self, e: &Expr) {
        self.expression(e);
        self.emit(I::Truth);
    }

    /// One thing if the condition holds, another if not.
    fn choice(&mut self, condition: &Expr, then: impl FnOnce(&mut Self), otherwise: impl FnOnce(&mut Self)) {
        let (mut not, mut end) = (Label::default(), Label::default());
        self.expression(condition);
        self.jump(I::JumpIfZero, &mut not);
        then(self);
        self.jump(I::Jump, &mut end);
        self.put(not);
        otherwise(self);
        self.put(end);
    }

    fn remote_label(&mut self, whose: RemoteProcess, pid: Option<&Expr>, label: &str) {
        let (proctype, all) = match whose {
            RemoteProcess::Proctype(proctype) => (proctype, false),
            RemoteProcess::All(proctype) => (proctype, true),
            RemoteProcess::Claim(_) => return self.emit(I::Constant(0)),
        };
        let labels = &self.automata[proctype.0 as usize].labels;
        let number = labels.iter().find(|(name, _)| name == label).map(|(_, number)| *number);
        let whose = if all { Whose::All } else { self.whose(pid) };
        self.emit(I::RemoteLabel { proctype, whose, number });
    }

    fn whose(&mut self, pid: Option<&Expr>) -> Whose {
        match pid {
            Some(pid) => {
                self.expression(pid);
                Whose::Numbered
            }
            None => Whose::First,
        }
    }

    fn read(&mut self, place: &Place) {
        if place.indices.is_empty() {
            return self.emit(I::Load(place.frame, place.base));
        }
        self.slot(place);
        self.emit(I::LoadAt(place.frame));
    }

    fn slot(&mut self, place: &Place) {
        self.emit(I::Constant(place.base as i32));
        for index in &place.indices {
            self.expression(&index.value);
            let span = self.span(place.span);
            self.emit(I::Index { length: index.length, stride: index.stride, span });
        }
    }

    /// Pops a value into a place.
    fn store(&mut self, place: &Place) {
        let (frame, scalar) = (place.frame, place.scalar);
        if !place.indices.is_empty() {
            self.slot(place);
            let span = self.span(place.span);
            return self.emit(I::StoreAt { frame, scalar, span });
        }
        let span = self.span(place.span);
        self.emit(I::Store { frame, slot: place.base, scalar, span });
    }

    fn channel(&mut self, channel: &ChannelRef) {
        self.read(&channel.place);
        let span = self.span(channel.place.span);
        self.emit(I::Channel(span));
    }

    fn find(&mut self, arguments: &[ReceiveArgument], random: bool, poll: bool) {
        let pattern = self.pattern(arguments);
        self.emit(I::Find { pattern, random, poll });
    }

    fn is_found(&mut self) {
        self.emit(I::Constant(-1));
        let span = self.span(Span::default());
        self.emit(I::Binary(BinaryOp::NotEqual, span));
    }

    fn pattern(&mut self, arguments: &[ReceiveArgument]) -> PatternId {
        let mut after = Label::default();
        self.jump(I::Jump, &mut after);
        let mut compared = Vec::new();
        for (field, argument) in arguments.iter().enumerate() {
            if let ReceiveArgument::Match(e) = argument {
                let span = self.span(e.span);
                compared.push((field as u32, self.block(|c| c.expression(e)), span));
            }
        }
        self.put(after);
        self.code.patterns.push(Pattern { compared, given: arguments.len() as u32 });
        PatternId(self.code.patterns.len() as u32 - 1)
    }

    fn statement(&mut self, action: &Action, span: Span) -> EdgeCode {
        let start = self.code.instructions.len();
        let guard = self.guard(action);
        let channel = match action {
            Action::Send { channel, .. } | Action::Receive { channel, .. } => {
                Some(self.block(|c| c.channel(channel)))
            }
            _ => None,
        };
        let sends = matches!(action, Action::Send { .. });
        let mut takes = Vec::new();
        let effect = self.here();
        match action {
            Action::DStep(body) => self.d_step(body, span, &mut takes),
            _ => {
                self.effect(action, span, None, &mut takes);
                self.emit(I::Return);
            }
        }
        let asks_timeout = self.code.instructions[start..].contains(&I::Timeout);
        let begins_with_else = match action {
            Action::DStep(body) => {
                let choices = body.nodes.first().map_or(&[][..], |node| &node.choices);
                choices.iter().any(|choice| choice.action == Action::Else)
            }
            _ => *action == Action::Else,
        };
        EdgeCode { guard, effect, begins_with_else, sends, asks_timeout, channel, takes }
    }

    fn guard(&mut self, action: &Action) -> Option<Address> {
        match action {
            Action::Skip
            | Action::Assign { .. }
            | Action::Assert(_)
            | Action::Printf { .. }
            | Action::Printm(_)
            | Action::SetPriority { .. } => None,
            Action::Else => Some(self.block(|c| c.emit(I::Otherwise))),
            Action::Condition(e) => Some(self.block(|c| {
                c.require(e);
                c.emit(I::Constant(1));
            })),
            Action::Send { channel, arguments, .. } => Some(self.block(|c| {
                let mut rendezvous = Label::default();
                c.channel(channel);
                c.jump(I::JumpIfRendezvous, &mut rendezvous);
                c.emit(I::HasRoom);
                c.emit(I::Return);
                c.put(rendezvous);
                c.message(arguments, channel.place.span);
                c.emit(I::Offer { count: arguments.len() as u32 });
            })),
            Action::Receive { channel, random, copy, arguments } => {
                Some(self.block(|c| c.would_receive(channel, *random, *copy, arguments)))
            }
            Action::End => Some(self.block(|c| c.emit(I::Youngest))),
            Action::DStep(body) => Some(self.block(|c| {
                let choices = body.nodes.first().map_or(&[][..], |node| &node.choices);
                let mut end = Label::default();
                for choice in choices {
                    // An `else` that is the whole guard looks at the options beside the `d_step`; one among others does not.
                    let mut next = Label::default();
                    match (&choice.action, choices.len()) {
                        (Action::Else, 1) => c.emit(I::Otherwise),
                        (action, _) => c.is_executable_inside(action),
                    }
                    c.jump(I::JumpIfZero, &mut next);
                    c.emit(I::Constant(1));
                    c.jump(I::Jump, &mut end);
                    c.put(next);
                }
                c.emit(I::Constant(0));
                c.put(end);
            })),
        }
    }

    /// A condition, one part after the other: as soon as one does not hold the statement is blocked.
    fn require(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Binary(BinaryOp::And, left, right) => {
                self.require(left);
                self.require(right);
            }
            ExprKind::NotEmpty(c) => {
                self.channel(c);
                self.emit(I::AwaitMessage);
            }
            ExprKind::NotFull(c) => {
                self.channel(c);
                self.emit(I::AwaitRoom);
            }
            _ => {
                self.expression(e);
                self.emit(I::Require);
            }
        }
    }

    fn would_receive(
        &mut self,
        channel: &ChannelRef,
        random: bool,
        copy: bool,
        arguments: &[ReceiveArgument],
    ) {
        let (mut rendezvous, mut end) = (Label::default(), Label::default());
        self.channel(channel);
        self.jump(I::JumpIfRendezvous, &mut rendezvous);
        self.find(arguments, random, false);
        self.is_found();
        self.jump(I::Jump, &mut end);
        self.put(rendezvous);
        if copy {
            let span = self.span(channel.place.span);
            self.emit(I::Fail(Failure::CopyFromRendezvous, span));
        }
        self.emit(I::Pop);
        self.emit(I::Constant(0));
        self.put(end);
    }

    /// Pushes whether a statement inside a `d_step` can be executed, others before it having failed.
    fn is_executable_inside(&mut self, action: &Action) {
        match action {
            Action::Skip
            | Action::Else
            | Action::Assign { .. }
            | Action::Assert(_)
            | Action::Printf { .. }
            | Action::Printm(_)
            | Action::SetPriority { .. }
            | Action::End
            | Action::DStep(_) => self.emit(I::Constant(1)),
            Action::Condition(e) => self.truth(e),
            Action::Send { channel, .. } => {
                let (mut rendezvous, mut end) = (Label::default(), Label::default());
                self.channel(channel);
                self.jump(I::JumpIfRendezvous, &mut rendezvous);
                self.emit(I::HasRoom);
                self.jump(I::Jump, &mut end);
                self.put(rendezvous);
                let span = self.span(channel.place.span);
                self.emit(I::Fail(Failure::RendezvousInDStep, span));
                self.put(end);
            }
            Action::Receive { channel, random, copy, arguments } => {
                self.would_receive(channel, *random, *copy, arguments);
            }
        }
    }

    /// The values of a message, above its channel.
    fn message(&mut self, arguments: &[Expr], span: Span) {
        let span = self.span(span);
        self.emit(I::CheckFields { given: arguments.len() as u32, span });
        arguments.iter().for_each(|argument| self.expression(argument));
    }

    fn effect(&mut self, action: &Action, span: Span, choice: Option<u32>, takes: &mut Vec<Take>) {
        match action {
            Action::Skip | Action::Else | Action::DStep(_) => {}
            Action::End => self.emit(I::Die),
            Action::Condition(e) => {
                if contains_run(e) {
                    self.expression(e);
                    self.emit(I::Pop);
                }
            }
            Action::Assign { place, value } => {
                self.expression(value);
                self.store(place);
            }
            Action::Send { channel, sorted, arguments } => {
                self.channel(channel);
                self.message(arguments, span);
                let span = self.span(span);
                self.emit(I::Send { count: arguments.len() as u32, sorted: *sorted, span });
            }
            Action::Receive { channel, random, copy, arguments } => {
                let place = self.block_apart(|c| c.channel(channel));
                self.channel(channel);
                self.emit(I::Duplicate);
                let pattern = self.pattern(arguments);
                self.emit(I::Find { pattern, random: *random, poll: false });
                let span = self.span(span);
                self.emit(I::Receive { copy: *copy, span });
                let then = self.put(Label::default());
                self.emit(I::CheckReceived { given: arguments.len() as u32, copy: *copy, span });
                if !copy {
                    takes.push(Take { choice, channel: place, pattern, then });
                }
                for (field, argument) in arguments.iter().enumerate() {
                    if let ReceiveArgument::Store(place) = argument {
                        self.emit(I::Field(field as u32));
                        self.store(place);
                    }
                }
            }
            Action::Assert(e) => {
                self.expression(e);
                let span = self.span(span);
                self.emit(I::Assert(span));
            }
            Action::Printf { format, arguments } => {
                arguments.iter().for_each(|argument| self.shown(argument));
                let sets = arguments.iter().map(mtype_set).collect();
                self.print(Print::Formatted { format: format.clone(), sets });
            }
            Action::Printm(e) => {
                self.shown(e);
                self.print(Print::Name(mtype_set(e)));
            }
            Action::SetPriority { pid, priority } => {
                self.expression(pid);
                self.expression(priority);
                let span = self.span(span);
                self.emit(I::SetPriority(span));
            }
        }
    }

    /// A value that is printed. What can fail or start a process is a value like others.
    fn shown(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Read(place) if place.indices.is_empty() => self.emit(I::Show(place.frame, place.base)),
            ExprKind::Pid => self.emit(I::ShowPid),
            _ => self.expression(e),
        }
    }

    fn print(&mut self, print: Print) {
        self.code.prints.push(print);
        self.emit(I::Print(PrintId(self.code.prints.len() as u32 - 1)));
    }

    /// A block in the middle of other code, which jumps over it.
    fn block_apart(&mut self, content: impl FnOnce(&mut Self)) -> Address {
        let mut after = Label::default();
        self.jump(I::Jump, &mut after);
        let block = self.block(content);
        self.put(after);
        block
    }

    fn d_step(&mut self, body: &DStep, span: Span, takes: &mut Vec<Take>) {
        let mut labels: Vec<Label> = body.nodes.iter().map(|_| Label::default()).collect();
        let mut places = vec![Address(0); body.nodes.len()];
        let mut jumps: Vec<(usize, usize)> = Vec::new();
        for (number, node) in body.nodes.iter().enumerate() {
            places[number] = self.put(std::mem::take(&mut labels[number]));
            for (position, choice) in node.choices.iter().enumerate() {
                let mut next = Label::default();
                self.is_executable_inside(&choice.action);
                self.jump(I::JumpIfZero, &mut next);
                self.emit(I::Chose { node: number as u32, choice: position as u32 });
                let mut taken = Vec::new();
                self.effect(&choice.action, choice.span, Some(position as u32), &mut taken);
                if number == 0 {
                    takes.append(&mut taken);
                }
                match choice.next {
                    Some(to) => {
                        jumps.push((self.code.instructions.len(), to.0 as usize));
                        self.emit(I::Jump(Address(u32::MAX)));
                    }
                    None => self.emit(I::Return),
                }
                self.put(next);
            }
            let span = self.span(node.choices.first().map_or(span, |choice| choice.span));
            self.emit(I::Fail(Failure::BlockedInDStep, span));
        }
        for (at, node) in jumps {
            self.code.instructions[at] = I::Jump(places[node]);
        }
    }

    fn variables(&mut self, variables: &[Variable], frame: Frame) {
        for variable in variables {
            let length = variable.length.unwrap_or(1);
            let stride = variable.slots / length.max(1);
            for element in 0..length {
                let slot = variable.slot + element * stride;
                self.initial_value(&variable.init, variable.ty, element, slot, frame, variable.span);
            }
        }
    }

    fn initial_value(
        &mut self,
        init: &Initializer,
        ty: Type,
        element: u32,
        slot: u32,
        frame: Frame,
        span: Span,
    ) {
        match (init, ty) {
            (Initializer::None, Type::Struct(id)) => return self.fields(id, slot, frame),
            (Initializer::None, Type::Scalar(_)) => return,
            (Initializer::Expr(e), _) => self.expression(e),
            (Initializer::List(list), _) => match list.get(element as usize).or(list.last()) {
                Some(e) => self.expression(e),
                None => return,
            },
            (Initializer::Channel(id), _) => {
                let span = self.span(span);
                self.emit(I::CreateChannel(*id, span));
            }
        }
        self.emit(I::Initialise(frame, slot));
    }

    fn fields(&mut self, id: TypedefId, base: u32, frame: Frame) {
        let model = self.model;
        for field in &model.typedefs[id.0 as usize].fields {
            let stride = match field.ty {
                Type::Scalar(_) => 1,
                Type::Struct(inner) => model.typedefs[inner.0 as usize].slots,
            };
            for element in 0..field.length.unwrap_or(1) {
                let slot = base + field.offset + element * stride;
                self.initial_value(&field.init, field.ty, element, slot, frame, field.span);
            }
        }
    }
}

fn contains_run(e: &Expr) -> bool {
    let mut found = false;
    e.visit(&mut |inner| found |= matches!(inner.kind, ExprKind::Run { .. }));
    found
}

/// The set of symbolic names that an expression's value belongs to, for printing.
fn mtype_set(e: &Expr) -> Option<MtypeSetId> {
    match &e.kind {
        ExprKind::Constant { mtype, .. } => *mtype,
        ExprKind::Read(Place { scalar: Scalar::Mtype(set), .. }) => Some(*set),
        _ => None,
    }
}
