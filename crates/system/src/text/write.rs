//! Systems to text.

use super::{BINARY, FEATURES, UNARY, VERSION};
use crate::automaton::{Action, Automaton, AutomatonKind, DStep, Edge, Slot, System};
use crate::limits::Limits;
use promela::model::{
    ChannelRef, Expr, ExprKind, Frame, Initializer, Model, Place, Proctype, ReceiveArgument, RemoteProcess,
    Scalar, Type, Variable,
};
use promela::source::Span;
use std::fmt::{self, Write};

/// The system as text: what is fingerprinted.
pub fn write(system: &System) -> String {
    text(system, Comments::None)
}

/// The same, with the source of each statement in a comment before it: lines that begin with `;`.
pub fn write_with_comments(system: &System) -> String {
    text(system, Comments::Statements)
}

fn text(system: &System, comments: Comments) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_to(system, comments, &mut text);
    text
}

/// Whether comments are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Comments {
    None,
    Statements,
}

/// Writes line by line, so that a fingerprint needs no room for the whole.
pub(super) fn write_to(system: &System, comments: Comments, out: &mut dyn Write) -> fmt::Result {
    Writer { model: &system.model, comments, out }.system(system)
}

struct Writer<'a> {
    model: &'a Model,
    comments: Comments,
    out: &'a mut dyn Write,
}

impl Writer<'_> {
    fn system(&mut self, system: &System) -> fmt::Result {
        let model = self.model;
        let limits = Limits::of(model);
        writeln!(self.out, "(system {VERSION} processes {} channels {})", limits.processes, limits.channels)?;
        write!(self.out, "(features")?;
        for (word, get) in FEATURES {
            if *get(&mut model.features.clone()) {
                write!(self.out, " {word}")?;
            }
        }
        writeln!(self.out, ")")?;
        for (index, set) in model.mtype_sets.iter().enumerate() {
            write!(self.out, "(symbols {index} ")?;
            self.quoted(set.name.as_deref().unwrap_or(""))?;
            for (name, value, _) in &set.names {
                write!(self.out, " (")?;
                self.quoted(name)?;
                write!(self.out, " {value})")?;
            }
            writeln!(self.out, ")")?;
        }
        for (index, channel) in model.channel_types.iter().enumerate() {
            write!(self.out, "(channel {index} capacity {}", channel.capacity)?;
            for field in &channel.fields {
                write!(self.out, " ")?;
                self.scalar(field.scalar)?;
            }
            writeln!(self.out, ")")?;
        }
        self.frame(&model.globals, &system.global_slots)?;
        system.automata.iter().try_for_each(|automaton| self.automaton(automaton))
    }

    fn automaton(&mut self, automaton: &Automaton) -> fmt::Result {
        let model = self.model;
        let initial = automaton.initial.0;
        let locals: &[Variable] = match automaton.kind {
            AutomatonKind::Process(id) => {
                let proctype = &model.proctypes[id.0 as usize];
                self.proctype(id.0, proctype, initial)?;
                &proctype.locals
            }
            AutomatonKind::Claim(index) => {
                write!(self.out, "(claim {index} ")?;
                self.quoted(&automaton.name)?;
                writeln!(self.out, " initial {initial})")?;
                &model.claims[index as usize].locals
            }
            AutomatonKind::EventTrace { negated } => {
                let word = if negated { "notrace" } else { "trace" };
                writeln!(self.out, "({word} initial {initial})")?;
                &[]
            }
        };
        self.frame(locals, &automaton.slots)?;
        for (name, number) in &automaton.labels {
            write!(self.out, "(label ")?;
            self.quoted(name)?;
            writeln!(self.out, " {number})")?;
        }
        for (index, location) in automaton.locations.iter().enumerate() {
            write!(self.out, "(location {index} number {}", location.number)?;
            let marks = [(location.end, "end"), (location.progress, "progress"), (location.accept, "accept")];
            for (_, word) in marks.iter().filter(|(is_marked, _)| *is_marked) {
                write!(self.out, " {word}")?;
            }
            for label in &location.labels {
                write!(self.out, " ")?;
                self.quoted(label)?;
            }
            writeln!(self.out, ")")?;
        }
        automaton.edges.iter().try_for_each(|edge| self.edge(edge))
    }

    fn proctype(&mut self, index: u32, proctype: &Proctype, initial: u32) -> fmt::Result {
        write!(self.out, "(proctype {index} ")?;
        self.quoted(&proctype.name)?;
        let priority = proctype.priority.unwrap_or(1);
        let (parameters, active) = (proctype.parameters, proctype.active);
        write!(self.out, " parameters {parameters} active {active} priority {priority} initial {initial}")?;
        if let Some(condition) = &proctype.provided {
            write!(self.out, " (provided ")?;
            self.expr(condition)?;
            write!(self.out, ")")?;
        }
        writeln!(self.out, ")")
    }

    /// The variables of a frame, each with its slots; a slot has its own initial value.
    fn frame(&mut self, variables: &[Variable], slots: &[Slot]) -> fmt::Result {
        let model = self.model;
        for variable in variables {
            write!(self.out, "(variable ")?;
            self.quoted(&variable.name)?;
            writeln!(self.out, " {})", variable.slots)?;
            let mut initial = vec![Initial::Zero; variable.slots as usize];
            // A parameter holds its argument, whatever the fields of its type begin with elsewhere.
            if !variable.parameter {
                initial_values(model, variable.ty, variable.length, &variable.init, &mut initial);
            }
            let first = variable.slot as usize;
            for (index, (slot, initial)) in slots.iter().skip(first).zip(initial).enumerate() {
                write!(self.out, "(slot {} ", first + index)?;
                self.quoted(&slot.name)?;
                write!(self.out, " ")?;
                self.scalar(slot.scalar)?;
                if slot.hidden {
                    write!(self.out, " hidden")?;
                }
                match initial {
                    Initial::Zero => {}
                    Initial::Value(value) => {
                        write!(self.out, " (init ")?;
                        self.expr(value)?;
                        write!(self.out, ")")?;
                    }
                    Initial::Channel(channel_type) => write!(self.out, " (new {channel_type})")?,
                }
                writeln!(self.out, ")")?;
            }
        }
        Ok(())
    }

    fn comment(&mut self, span: Span, text: &str) -> fmt::Result {
        if self.comments == Comments::None {
            return Ok(());
        }
        let line = self.model.sources.visible_line(span);
        writeln!(self.out, "; line {line}: {}", text.replace(['\n', '\r'], " "))
    }

    fn edge(&mut self, edge: &Edge) -> fmt::Result {
        self.comment(edge.span, &edge.text)?;
        write!(self.out, "(edge {} {} ", edge.source.0, edge.target.0)?;
        self.action(&edge.action)?;
        if edge.atomic {
            write!(self.out, " atomic")?;
        }
        if edge.escape > 0 {
            write!(self.out, " (escape {})", edge.escape)?;
        }
        if !edge.dead.is_empty() {
            write!(self.out, " (dead")?;
            edge.dead.iter().try_for_each(|slot| write!(self.out, " {slot}"))?;
            write!(self.out, ")")?;
        }
        self.marks(edge.progress, &edge.labels)?;
        writeln!(self.out, ")")
    }

    /// What a statement is called.
    fn marks(&mut self, progress: bool, labels: &[String]) -> fmt::Result {
        if progress {
            write!(self.out, " progress")?;
        }
        for label in labels {
            write!(self.out, " ")?;
            self.quoted(label)?;
        }
        Ok(())
    }

    fn action(&mut self, action: &Action) -> fmt::Result {
        match action {
            Action::Skip => write!(self.out, "(skip)"),
            Action::Else => write!(self.out, "(else)"),
            Action::End => write!(self.out, "(end)"),
            Action::Condition(e) => self.list("when", [e]),
            Action::Assert(e) => self.list("assert", [e]),
            Action::Printm(e) => self.list("printm", [e]),
            Action::SetPriority { pid, priority } => self.list("set_priority", [pid, priority]),
            Action::Assign { place, value } => {
                write!(self.out, "(assign ")?;
                self.place(place)?;
                self.rest([value])
            }
            Action::Send { channel, sorted, arguments } => {
                write!(self.out, "(send ")?;
                self.channel(channel)?;
                write!(self.out, "{}", if *sorted { " sorted" } else { " fifo" })?;
                self.rest(arguments)
            }
            Action::Receive { channel, random, copy, arguments } => {
                write!(self.out, "(receive ")?;
                self.channel(channel)?;
                let (order, taken) = (order(*random), if *copy { "copy" } else { "take" });
                write!(self.out, " {order} {taken}")?;
                self.receive_arguments(arguments)
            }
            Action::Printf { format, arguments } => {
                write!(self.out, "(printf ")?;
                self.quoted(format)?;
                self.rest(arguments)
            }
            Action::DStep(body) => self.d_step(body),
        }
    }

    fn d_step(&mut self, body: &DStep) -> fmt::Result {
        write!(self.out, "(d_step")?;
        for node in &body.nodes {
            write!(self.out, " (node")?;
            for choice in &node.choices {
                write!(self.out, " (choice ")?;
                self.action(&choice.action)?;
                match choice.next {
                    Some(next) => write!(self.out, " {}", next.0)?,
                    None => write!(self.out, " -")?,
                }
                self.marks(choice.progress, &choice.labels)?;
                write!(self.out, ")")?;
            }
            write!(self.out, ")")?;
        }
        write!(self.out, ")")
    }

    /// A list of a word and expressions.
    fn list<'e>(&mut self, head: &str, items: impl IntoIterator<Item = &'e Expr>) -> fmt::Result {
        write!(self.out, "({head}")?;
        self.rest(items)
    }

    /// Expressions to the end of a list.
    fn rest<'e>(&mut self, items: impl IntoIterator<Item = &'e Expr>) -> fmt::Result {
        for item in items {
            write!(self.out, " ")?;
            self.expr(item)?;
        }
        write!(self.out, ")")
    }

    fn receive_arguments(&mut self, arguments: &[ReceiveArgument]) -> fmt::Result {
        for argument in arguments {
            match argument {
                ReceiveArgument::Match(value) => {
                    write!(self.out, " (match")?;
                    self.rest([value])?;
                }
                ReceiveArgument::Store(place) => {
                    write!(self.out, " (store ")?;
                    self.place(place)?;
                    write!(self.out, ")")?;
                }
                ReceiveArgument::Discard(_) => write!(self.out, " (discard)")?,
            }
        }
        write!(self.out, ")")
    }

    /// A channel is the value of a variable. What kind of channel it holds is not said: a state knows.
    fn channel(&mut self, channel: &ChannelRef) -> fmt::Result {
        self.place(&channel.place)
    }

    fn place(&mut self, place: &Place) -> fmt::Result {
        let head = match place.frame {
            Frame::Global => "global",
            Frame::Local => "local",
        };
        write!(self.out, "({head} {} {} ", place.variable.0, place.base)?;
        self.scalar(place.scalar)?;
        for index in &place.indices {
            write!(self.out, " (index ")?;
            self.expr(&index.value)?;
            write!(self.out, " {} {})", index.length, index.stride)?;
        }
        write!(self.out, ")")
    }

    fn expr(&mut self, e: &Expr) -> fmt::Result {
        match &e.kind {
            ExprKind::Constant { value, mtype: None } => write!(self.out, "{value}"),
            ExprKind::Constant { value, mtype: Some(set) } => write!(self.out, "(symbol {value} {})", set.0),
            ExprKind::Read(from) => self.place(from),
            ExprKind::Pid => write!(self.out, "_pid"),
            ExprKind::NumberOfProcesses => write!(self.out, "_nr_pr"),
            ExprKind::Last => write!(self.out, "_last"),
            ExprKind::OwnPriority => write!(self.out, "_priority"),
            ExprKind::NonProgress => write!(self.out, "np_"),
            ExprKind::Timeout => write!(self.out, "timeout"),
            ExprKind::Unary(op, a) => {
                let word = UNARY.iter().find(|(o, _)| o == op).map_or("", |(_, w)| w);
                self.list(word, [&**a])
            }
            ExprKind::Binary(op, a, b) => {
                let word = BINARY.iter().find(|(o, _)| o == op).map_or("", |(_, w)| w);
                self.list(word, [&**a, &**b])
            }
            ExprKind::Conditional(c, a, b) => self.list("cond", [&**c, &**a, &**b]),
            ExprKind::Run { proctype, arguments, priority } => {
                write!(self.out, "(run {} ", proctype.0)?;
                match priority {
                    Some(priority) => write!(self.out, "{priority}")?,
                    None => write!(self.out, "-")?,
                }
                self.rest(arguments)
            }
            ExprKind::Len(c) => self.of_channel("len", c),
            ExprKind::Empty(c) => self.of_channel("empty", c),
            ExprKind::NotEmpty(c) => self.of_channel("nempty", c),
            ExprKind::Full(c) => self.of_channel("full", c),
            ExprKind::NotFull(c) => self.of_channel("nfull", c),
            ExprKind::Poll { channel, random, arguments } => {
                write!(self.out, "(poll ")?;
                self.channel(channel)?;
                write!(self.out, " {}", order(*random))?;
                self.receive_arguments(arguments)
            }
            ExprKind::Enabled(pid) => self.list("enabled", [&**pid]),
            ExprKind::PcValue(pid) => self.list("pc_value", [&**pid]),
            ExprKind::GetPriority(pid) => self.list("get_priority", [&**pid]),
            ExprKind::RemoteLabel { proctype, pid, label } => {
                let (word, index) = match proctype {
                    RemoteProcess::Proctype(id) => ("process", id.0),
                    RemoteProcess::All(id) => ("processes", id.0),
                    RemoteProcess::Claim(index) => ("claim", *index),
                };
                write!(self.out, "(remote_label ({word} {index}) ")?;
                self.optional(pid.as_deref())?;
                write!(self.out, " ")?;
                self.quoted(label)?;
                write!(self.out, ")")
            }
            ExprKind::RemoteVariable { proctype, pid, place } => {
                write!(self.out, "(remote_variable {} ", proctype.0)?;
                self.optional(pid.as_deref())?;
                write!(self.out, " ")?;
                self.place(place)?;
                write!(self.out, ")")
            }
        }
    }

    fn of_channel(&mut self, word: &str, channel: &ChannelRef) -> fmt::Result {
        write!(self.out, "({word} ")?;
        self.channel(channel)?;
        write!(self.out, ")")
    }

    fn optional(&mut self, e: Option<&Expr>) -> fmt::Result {
        match e {
            Some(e) => self.expr(e),
            None => write!(self.out, "-"),
        }
    }

    fn scalar(&mut self, scalar: Scalar) -> fmt::Result {
        match scalar {
            Scalar::Bit => write!(self.out, "bit"),
            Scalar::Bool => write!(self.out, "bool"),
            Scalar::Byte => write!(self.out, "byte"),
            Scalar::Pid => write!(self.out, "pid"),
            Scalar::Short => write!(self.out, "short"),
            Scalar::Int => write!(self.out, "int"),
            Scalar::Unsigned(bits) => write!(self.out, "(unsigned {bits})"),
            Scalar::Mtype(set) => write!(self.out, "(mtype {})", set.0),
            Scalar::Chan => write!(self.out, "chan"),
        }
    }

    fn quoted(&mut self, text: &str) -> fmt::Result {
        write!(self.out, "\"")?;
        for c in text.chars() {
            match c {
                '"' => write!(self.out, "\\\"")?,
                '\\' => write!(self.out, "\\\\")?,
                '\n' => write!(self.out, "\\n")?,
                c => self.out.write_char(c)?,
            }
        }
        write!(self.out, "\"")
    }
}

fn order(random: bool) -> &'static str {
    if random { "random" } else { "fifo" }
}

/// What a slot holds when its frame is made.
#[derive(Clone, Copy)]
enum Initial<'m> {
    Zero,
    Value(&'m Expr),
    Channel(u32),
}

/// Spreads the initialiser of a variable or a field over its slots, as the semantics does: element by element, field by field.
fn initial_values<'m>(
    model: &'m Model,
    ty: Type,
    length: Option<u32>,
    init: &'m Initializer,
    out: &mut [Initial<'m>],
) {
    let stride = out.len() / length.unwrap_or(1).max(1) as usize;
    for (element, slots) in out.chunks_mut(stride.max(1)).enumerate() {
        match (init, ty) {
            (Initializer::None, Type::Scalar(_)) => {}
            (Initializer::None, Type::Struct(id)) => {
                for field in &model.typedefs[id.0 as usize].fields {
                    let each = match field.ty {
                        Type::Scalar(_) => 1,
                        Type::Struct(inner) => model.typedefs[inner.0 as usize].slots,
                    };
                    let first = field.offset as usize;
                    let end = first + (each * field.length.unwrap_or(1)) as usize;
                    initial_values(model, field.ty, field.length, &field.init, &mut slots[first..end]);
                }
            }
            (Initializer::Expr(value), _) => slots[0] = Initial::Value(value),
            (Initializer::List(values), _) => {
                if let Some(value) = values.get(element).or(values.last()) {
                    slots[0] = Initial::Value(value);
                }
            }
            (Initializer::Channel(id), _) => slots[0] = Initial::Channel(id.0),
        }
    }
}
