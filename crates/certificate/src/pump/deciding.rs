//! Which variables and fields of messages may decide anything about σ: whether one of its statements can be executed, whether it fails, which way it goes,
//! which channel, element or process it uses, which message it takes and in which order messages lie. Everything else is only copied, computed with
//! and printed, or looked at by statements that σ does not execute, and what it holds makes no difference: from two states that differ in nothing
//! else σ can be executed or not in both, and leads to states that differ in nothing else. So it may leave other values there (P5, P7).
//!
//! What σ depends on are the statements that it executes, the `provided` clauses of who moves, and what must not be executable: the statements before an
//! `else`, and escapes that come first. Where a step happens because of `timeout`, or because an `atomic` sequence gives way, and
//! where a send stands before an `else`, it is the whole model. And nobody who is asked on the way what it can do may fail where it did not: a process that
//! fails does not move, nor does who waits for its answer in a rendezvous.
//!
//! This is read off the statements, by an exhaustive `match`. Nothing is known of their order: a cell decides everywhere or nowhere.

use super::Runner;
use super::mind::has_else_first;
use crate::trace::TraceStep;
use promela::model::{
    BinaryOp, ChannelRef, Expr, ExprKind, Frame, Initializer, Place, ReceiveArgument, Scalar, Variable,
};
use std::collections::{BTreeMap, BTreeSet};
use system::automaton::{Action, AutomatonId, DStep, EdgeId, System};
use system::interpreter::Step;
use system::state::{Pid, State};

/// A slot of a frame, or a field of the messages of a type of channels.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Cell {
    Global(u32),
    Local(u32, u32),
    Field(u32, u32),
}

/// The cells that may decide something.
pub(super) struct Deciding {
    /// `None`: all.
    cells: Option<BTreeSet<Cell>>,
}

impl Deciding {
    /// Every cell: two states are alike if they are equal.
    pub(super) fn all() -> Deciding {
        Deciding { cells: None }
    }

    /// Those that decide something about these steps from a state on.
    pub(super) fn about(runner: &Runner<'_>, first: &State, repeated: &[TraceStep]) -> Deciding {
        // An event trace compares all that is sent and received.
        if runner.system.event_trace.is_some() {
            return Deciding::all();
        }
        let mut needed = Needed { runner, statements: BTreeSet::new(), asked: BTreeSet::new() };
        if needed.by_all(first, repeated).is_none() {
            needed.statements = every_statement(runner.system);
            needed.asked.clear();
        }
        let (cells, into) = (BTreeSet::new(), BTreeMap::new());
        let mut reader = Reader { system: runner.system, automaton: 0, cells, into };
        reader.read(&needed.statements, &needed.asked);
        Deciding { cells: Some(reader.closed()) }
    }

    /// The state with 0 in all other cells.
    pub(super) fn part_of(&self, mut state: State) -> State {
        self.keep(&mut state.globals, Cell::Global);
        for process in &mut state.processes {
            let automaton = process.automaton.0;
            self.keep(&mut process.locals, |slot| Cell::Local(automaton, slot));
        }
        state
    }

    /// The message of a channel of this type with 0 in all other fields.
    pub(super) fn part_of_message(&self, channel_type: u32, mut message: Vec<i32>) -> Vec<i32> {
        self.keep(&mut message, |field| Cell::Field(channel_type, field));
        message
    }

    fn keep(&self, values: &mut [i32], cell: impl Fn(u32) -> Cell) {
        let Some(cells) = &self.cells else { return };
        for (index, value) in (0..).zip(values) {
            if !cells.contains(&cell(index)) {
                *value = 0;
            }
        }
    }
}

/// A statement: of which automaton, and which.
type Statement = (AutomatonId, EdgeId);

fn every_statement(system: &System) -> BTreeSet<Statement> {
    let automata = system.process_automata();
    let all = automata
        .flat_map(|(id, automaton)| (0..automaton.edges.len() as u32).map(move |edge| (id, EdgeId(edge))));
    all.collect()
}

/// Collects the statements that it depends on whether steps can be executed.
struct Needed<'r, 's> {
    runner: &'r Runner<'s>,
    statements: BTreeSet<Statement>,
    /// Those of which it is asked whether they can be executed, and which may fail then.
    asked: BTreeSet<Statement>,
}

impl Needed<'_, '_> {
    /// What these steps need; `None`: perhaps everything.
    fn by_all(&mut self, first: &State, repeated: &[TraceStep]) -> Option<()> {
        let mut state = first.clone();
        for &step in repeated {
            self.by(&state, step.into())?;
            self.runner.advance(&mut state, 0, step.into()).ok()?;
        }
        Some(())
    }

    fn by(&mut self, state: &State, step: Step) -> Option<()> {
        let mut enabled = Vec::new();
        let (how, _) = self.runner.interpreter.steps_beside_errors(state, &mut enabled);
        if how.timeout || (how.released && state.exclusive.is_some()) {
            return None;
        }
        for process in &state.processes {
            let edges = self.runner.system.automaton(process.automaton).edges_from(process.location);
            self.asked.extend(edges.map(|(edge, _)| (process.automaton, edge)));
        }
        self.by_actor(state, step.process, step.edge)?;
        step.partner.map_or(Some(()), |partner| self.by_actor(state, partner.process, partner.edge))
    }

    fn by_actor(&mut self, state: &State, pid: Pid, edge: EdgeId) -> Option<()> {
        let process = state.processes.get(pid.0 as usize)?;
        let automaton = self.runner.system.automaton(process.automaton);
        let own = automaton.edge(edge);
        self.statements.insert((process.automaton, edge));
        let is_else = match &own.action {
            Action::Else => true,
            Action::DStep(body) => has_else_first(body),
            _ => false,
        };
        for (id, other) in automaton.edges_from(process.location).take_while(|(id, _)| *id != edge) {
            if is_else || other.escape != own.escape {
                if matches!(other.action, Action::Send { .. }) {
                    return None;
                }
                self.statements.insert((process.automaton, id));
            }
        }
        Some(())
    }
}

/// Reads statements.
struct Reader<'s> {
    system: &'s System,
    /// Whose frame the local one is.
    automaton: u32,
    /// What decides something by itself.
    cells: BTreeSet<Cell>,
    /// What a cell may get its value from: if it decides something, so do these.
    into: BTreeMap<Cell, BTreeSet<Cell>>,
}

impl Reader<'_> {
    fn read(&mut self, statements: &BTreeSet<Statement>, asked: &BTreeSet<Statement>) {
        let system = self.system;
        self.channels();
        for &(automaton, edge) in statements {
            self.automaton = automaton.0;
            let proctype = &system.model.proctypes[automaton.0 as usize];
            proctype.provided.iter().for_each(|clause| self.decides(clause));
            self.action(&system.automaton(automaton).edge(edge).action);
        }
        // To compute a value notes what decides whether there is one.
        for &(automaton, edge) in asked.difference(statements) {
            self.automaton = automaton.0;
            let proctype = &system.model.proctypes[automaton.0 as usize];
            proctype.provided.iter().for_each(|clause| {
                self.value(clause);
            });
            self.asked(&system.automaton(automaton).edge(edge).action);
        }
    }

    /// What decides something, with all that it may come from.
    fn closed(mut self) -> BTreeSet<Cell> {
        let mut waiting: Vec<Cell> = self.cells.iter().copied().collect();
        while let Some(cell) = waiting.pop() {
            let sources = self.into.remove(&cell).unwrap_or_default();
            waiting.extend(sources.into_iter().filter(|source| self.cells.insert(*source)));
        }
        self.cells
    }

    /// Which channel it is always decides something.
    fn channels(&mut self) {
        let system = self.system;
        let of_globals = (0..).zip(&system.global_slots).filter(|(_, slot)| slot.scalar == Scalar::Chan);
        self.cells.extend(of_globals.map(|(slot, _)| Cell::Global(slot)));
        for (index, automaton) in (0..).zip(&system.automata) {
            let own = (0..).zip(&automaton.slots).filter(|(_, slot)| slot.scalar == Scalar::Chan);
            self.cells.extend(own.map(|(slot, _)| Cell::Local(index, slot)));
        }
        for (index, channel) in (0..).zip(&system.model.channel_types) {
            let fields = (0..).zip(&channel.fields).filter(|(_, field)| field.scalar == Scalar::Chan);
            self.cells.extend(fields.map(|(field, _)| Cell::Field(index, field)));
        }
    }

    /// The variables of a process that is started.
    fn started(&mut self, proctype: u32, arguments: &[Expr]) {
        let locals = &self.system.model.proctypes[proctype as usize].locals;
        for (parameter, argument) in locals.iter().zip(arguments) {
            let sources = self.value(argument);
            self.supply(BTreeSet::from([Cell::Local(proctype, parameter.slot)]), &sources);
        }
        let starter = std::mem::replace(&mut self.automaton, proctype);
        locals.iter().for_each(|variable| self.initial(variable));
        self.automaton = starter;
    }

    fn initial(&mut self, variable: &Variable) {
        let values = match &variable.init {
            Initializer::None | Initializer::Channel(_) => return,
            Initializer::Expr(expr) => std::slice::from_ref(expr),
            Initializer::List(list) => list,
        };
        for value in values {
            let sources = self.value(value);
            let slots = (variable.slot..).take(variable.slots as usize);
            self.supply(slots.map(|slot| Cell::Local(self.automaton, slot)).collect(), &sources);
        }
    }

    fn action(&mut self, action: &Action) {
        match action {
            Action::Skip | Action::Else | Action::End => {}
            Action::Condition(expr) | Action::Assert(expr) => self.decides(expr),
            Action::Assign { place, value } => {
                let (cells, sources) = (self.place(place), self.value(value));
                self.supply(cells, &sources);
            }
            Action::Send { channel, sorted, arguments } => {
                self.channel(channel);
                for (field, argument) in (0..).zip(arguments) {
                    let (cells, sources) = (self.fields(channel, field), self.value(argument));
                    if *sorted {
                        self.cells.extend(&cells);
                    }
                    self.supply(cells, &sources);
                }
            }
            Action::Receive { channel, arguments, .. } => self.receive(channel, arguments),
            // Who is printed decides nothing, but to compute it may fail.
            Action::Printf { arguments, .. } => arguments.iter().for_each(|argument| {
                self.value(argument);
            }),
            Action::Printm(expr) => {
                self.value(expr);
            }
            Action::SetPriority { pid, priority } => {
                self.decides(pid);
                self.decides(priority);
            }
            Action::DStep(DStep { nodes }) => {
                nodes.iter().flat_map(|node| &node.choices).for_each(|choice| self.action(&choice.action));
            }
        }
    }

    /// A statement of which it is asked whether it can be executed: what decides whether the answer is an error.
    fn asked(&mut self, action: &Action) {
        match action {
            Action::Skip | Action::Else | Action::End => {}
            Action::Condition(expr) | Action::Assert(expr) | Action::Printm(expr) => {
                self.value(expr);
            }
            Action::Assign { place, value } => {
                self.place(place);
                self.value(value);
            }
            Action::Send { channel, arguments, .. } => {
                self.place(&channel.place);
                arguments.iter().for_each(|argument| {
                    self.value(argument);
                });
            }
            Action::Receive { channel, arguments, .. } => {
                self.place(&channel.place);
                for argument in arguments {
                    match argument {
                        ReceiveArgument::Match(expr) => self.value(expr),
                        ReceiveArgument::Store(place) => self.place(place),
                        ReceiveArgument::Discard(_) => continue,
                    };
                }
            }
            Action::Printf { arguments, .. } => arguments.iter().for_each(|argument| {
                self.value(argument);
            }),
            Action::SetPriority { pid, priority } => {
                self.decides(pid);
                self.decides(priority);
            }
            Action::DStep(DStep { nodes }) => {
                nodes.iter().flat_map(|node| &node.choices).for_each(|choice| self.asked(&choice.action));
            }
        }
    }

    fn receive(&mut self, channel: &ChannelRef, arguments: &[ReceiveArgument]) {
        self.channel(channel);
        for (field, argument) in (0..).zip(arguments) {
            let fields = self.fields(channel, field);
            match argument {
                ReceiveArgument::Match(expr) => {
                    self.cells.extend(fields);
                    self.decides(expr);
                }
                ReceiveArgument::Store(place) => {
                    let cells = self.place(place);
                    self.supply(cells, &fields);
                }
                ReceiveArgument::Discard(_) => {}
            }
        }
    }

    /// Everything that the value of the expression depends on decides something.
    fn decides(&mut self, expr: &Expr) {
        let cells = self.value(expr);
        self.cells.extend(cells);
    }

    /// What the value of an expression comes from. Whatever decides whether it has a value decides something.
    fn value(&mut self, expr: &Expr) -> BTreeSet<Cell> {
        match &expr.kind {
            ExprKind::Constant { .. }
            | ExprKind::Pid
            | ExprKind::NumberOfProcesses
            | ExprKind::Last
            | ExprKind::OwnPriority
            | ExprKind::NonProgress
            | ExprKind::Timeout => BTreeSet::new(),
            ExprKind::Read(place) => self.place(place),
            ExprKind::Unary(_, operand) => self.value(operand),
            ExprKind::Binary(operator, left, right) => {
                match operator {
                    BinaryOp::Divide | BinaryOp::Remainder => {
                        self.decides(left);
                        self.decides(right);
                    }
                    // Whether the right side is evaluated.
                    BinaryOp::And | BinaryOp::Or if may_fail(right) => self.decides(left),
                    _ => {}
                }
                let mut sources = self.value(left);
                sources.extend(self.value(right));
                sources
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                if may_fail(then) || may_fail(otherwise) {
                    self.decides(condition);
                }
                let mut sources = self.value(condition);
                sources.extend(self.value(then));
                sources.extend(self.value(otherwise));
                sources
            }
            ExprKind::Run { proctype, arguments, .. } => {
                self.started(proctype.0, arguments);
                BTreeSet::new()
            }
            ExprKind::Len(channel)
            | ExprKind::Empty(channel)
            | ExprKind::NotEmpty(channel)
            | ExprKind::Full(channel)
            | ExprKind::NotFull(channel) => {
                self.channel(channel);
                BTreeSet::new()
            }
            ExprKind::Poll { channel, arguments, .. } => {
                self.receive(channel, arguments);
                BTreeSet::new()
            }
            ExprKind::Enabled(pid) | ExprKind::PcValue(pid) | ExprKind::GetPriority(pid) => {
                self.decides(pid);
                BTreeSet::new()
            }
            ExprKind::RemoteLabel { pid, .. } => {
                pid.iter().for_each(|pid| self.decides(pid));
                BTreeSet::new()
            }
            ExprKind::RemoteVariable { pid, place, .. } => {
                pid.iter().for_each(|pid| self.decides(pid));
                place.indices.iter().for_each(|index| self.decides(&index.value));
                // Whose variable it is may not be known: by its number a process of another type may be meant.
                let automata = (0..).zip(&self.system.automata);
                let slots = automata.flat_map(|(index, automaton)| {
                    (0..automaton.slots.len() as u32).map(move |slot| Cell::Local(index, slot))
                });
                slots.collect()
            }
        }
    }

    /// The variable in which a channel is, and what chooses it.
    fn channel(&mut self, channel: &ChannelRef) {
        let cells = self.place(&channel.place);
        self.cells.extend(cells);
    }

    /// The fields that a statement puts or takes: of every type of channels, if it is not known which it is.
    fn fields(&self, channel: &ChannelRef, field: u32) -> BTreeSet<Cell> {
        let types = (0..).zip(&self.system.model.channel_types);
        let meant = types.filter(|(index, _)| channel.declared.is_none_or(|known| known.0 == *index));
        let has = meant.filter(|(_, channel)| (field as usize) < channel.fields.len());
        has.map(|(index, _)| Cell::Field(index, field)).collect()
    }

    /// The slots that a place may be. Whether an index is within the array decides whether the statement fails, and which element it is where
    /// a value goes.
    fn place(&mut self, place: &Place) -> BTreeSet<Cell> {
        let mut slots = vec![place.base];
        for index in &place.indices {
            self.decides(&index.value);
            let elements: Vec<u32> = match index.value.kind {
                ExprKind::Constant { value, .. } => u32::try_from(value).into_iter().collect(),
                _ => (0..index.length).collect(),
            };
            let offsets = |slot: u32| {
                elements.iter().map(move |element| slot.saturating_add(element.saturating_mul(index.stride)))
            };
            slots = slots.into_iter().flat_map(offsets).collect();
        }
        let cell = |slot: u32| match place.frame {
            Frame::Global => Cell::Global(slot),
            Frame::Local => Cell::Local(self.automaton, slot),
        };
        slots.into_iter().map(cell).collect()
    }

    fn supply(&mut self, cells: BTreeSet<Cell>, sources: &BTreeSet<Cell>) {
        for cell in cells {
            self.into.entry(cell).or_default().extend(sources);
        }
    }
}

/// Whether an expression may have no value: something in it divides, is an element with a computed index, or asks for more than variables.
fn may_fail(expr: &Expr) -> bool {
    let mut may_fail = false;
    expr.visit(&mut |part| {
        may_fail |= match &part.kind {
            ExprKind::Constant { .. } | ExprKind::Unary(..) | ExprKind::Conditional(..) => false,
            ExprKind::Read(place) => !place.indices.is_empty(),
            ExprKind::Binary(operator, ..) => matches!(operator, BinaryOp::Divide | BinaryOp::Remainder),
            _ => true,
        };
    });
    may_fail
}
