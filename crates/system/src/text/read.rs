//! Text to systems.

use super::sexp::{Sexp, parse};
use super::{BINARY, FEATURES, UNARY, VERSION};
use crate::automaton::{
    Action, Automaton, AutomatonId, AutomatonKind, DStep, DStepChoice, DStepNode, DStepNodeId, Edge, EdgeId,
    Location, LocationId, Slot, System,
};
use crate::code::Code;
use crate::limits::Limits;
use promela::model::{
    ChannelRef, ChannelType, ChannelTypeId, Claim, EventTrace, Expr, ExprKind, Field, Frame, Index,
    Initializer, MessageField, Model, MtypeSet, MtypeSetId, Place, Proctype, ProctypeId, ReceiveArgument,
    RemoteProcess, Scalar, Sequence, Type, Typedef, TypedefId, Variable, VariableId, Visibility,
};
use promela::source::Span;
use std::fmt;
use std::str::FromStr;

/// Why a text is no system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Reads what [`super::write`] has written. Whether it is well-formed is for [`crate::validate`] to say. The system behaves as the
/// one that was written; a variable of several slots comes back as a struct with a field for each, because the text knows slots only.
pub fn read(text: &str) -> Result<System, ReadError> {
    let lines = parse(text).map_err(|(line, message)| ReadError { line, message })?;
    let mut reader = SystemReader::default();
    for (line, sexp) in &lines {
        reader.line(sexp).map_err(|message| ReadError { line: *line, message })?;
    }
    let last = lines.last().map_or(1, |(line, _)| *line);
    reader.finish().map_err(|message| ReadError { line: last, message })
}

/// What has been read so far.
#[derive(Default)]
struct SystemReader {
    limits: Option<Limits>,
    model: Model,
    global_slots: Vec<Slot>,
    automata: Vec<Automaton>,
}

impl SystemReader {
    fn line(&mut self, sexp: &Sexp) -> Result<()> {
        let (head, items) = split(sexp)?;
        if self.limits.is_none() != (head == "system") {
            return Err("expected (system …) once and first".to_string());
        }
        match head {
            "system" => self.limits = Some(limits(items)?),
            "features" => {
                for item in items {
                    let feature = FEATURES.iter().find(|(word, _)| *item == Sexp::word(word));
                    let (_, flag) = feature.ok_or_else(|| format!("`{item}` is no feature"))?;
                    *flag(&mut self.model.features) = true;
                }
            }
            "symbols" => self.model.mtype_sets.push(symbols(items)?),
            "channel" => self.model.channel_types.push(channel_type(items)?),
            "proctype" => self.proctype(items)?,
            "claim" => self.claim(items)?,
            "trace" => self.event_trace(items, false)?,
            "notrace" => self.event_trace(items, true)?,
            "variable" => self.variable(items)?,
            "slot" => self.slot(items)?,
            _ => {
                let automaton = self.automata.last_mut();
                let automaton = automaton.ok_or_else(|| format!("`{head}` is not expected here"))?;
                automaton_line(automaton, head, items)?;
            }
        }
        Ok(())
    }

    fn proctype(&mut self, items: &[Sexp]) -> Result<()> {
        let id = ProctypeId(self.model.proctypes.len() as u32);
        expect_index(items, id.0)?;
        let provided = items.get(10).map(|clause| match split(clause)? {
            ("provided", rest) => expr(item(rest, 0)?),
            (other, _) => Err(format!("`{other}` is not expected here")),
        });
        let name = text(items.get(1))?;
        self.model.proctypes.push(Proctype {
            name: name.clone(),
            span: Span::default(),
            deterministic: false,
            parameters: named(items, 2, "parameters")?,
            active: named(items, 4, "active")?,
            priority: Some(named(items, 6, "priority")?),
            locals: Vec::new(),
            slots: 0,
            provided: provided.transpose()?,
            exclusive: Vec::new(),
            named_in_calls: Vec::new(),
            body: Sequence::default(),
            end: Span::default(),
        });
        self.begin(name, AutomatonKind::Process(id), named(items, 8, "initial")?);
        Ok(())
    }

    fn claim(&mut self, items: &[Sexp]) -> Result<()> {
        let index = self.model.claims.len() as u32;
        expect_index(items, index)?;
        let name = text(items.get(1))?;
        self.model.claims.push(Claim {
            name: name.clone(),
            span: Span::default(),
            locals: Vec::new(),
            slots: 0,
            body: Sequence::default(),
            end: Span::default(),
        });
        self.begin(name, AutomatonKind::Claim(index), named(items, 2, "initial")?);
        Ok(())
    }

    fn event_trace(&mut self, items: &[Sexp], negated: bool) -> Result<()> {
        let (body, span) = (Sequence::default(), Span::default());
        self.model.event_trace = Some(EventTrace { negated, span, body, end: span });
        let name = if negated { ":notrace:" } else { ":trace:" };
        self.begin(name.to_string(), AutomatonKind::EventTrace { negated }, named(items, 0, "initial")?);
        Ok(())
    }

    fn begin(&mut self, name: String, kind: AutomatonKind, initial: u32) {
        self.automata.push(Automaton {
            name,
            kind,
            slots: Vec::new(),
            initial: LocationId(initial),
            locations: Vec::new(),
            edges: Vec::new(),
            labels: Vec::new(),
            statement_numbers: Vec::new(),
            number_count: 0,
        });
    }

    /// The frame that is being read: its variables, their number of slots, and its slots.
    fn frame(&mut self) -> Result<(&mut Vec<Variable>, &mut u32, &mut Vec<Slot>)> {
        let model = &mut self.model;
        let Some(automaton) = self.automata.last_mut() else {
            return Ok((&mut model.globals, &mut model.global_slots, &mut self.global_slots));
        };
        let (variables, count) = match automaton.kind {
            AutomatonKind::Process(id) => {
                let proctype = &mut model.proctypes[id.0 as usize];
                (&mut proctype.locals, &mut proctype.slots)
            }
            AutomatonKind::Claim(index) => {
                let claim = &mut model.claims[index as usize];
                (&mut claim.locals, &mut claim.slots)
            }
            AutomatonKind::EventTrace { .. } => return Err("an event trace has no variables".to_string()),
        };
        Ok((variables, count, &mut automaton.slots))
    }

    fn variable(&mut self, items: &[Sexp]) -> Result<()> {
        let (name, slots) = (text(items.first())?, number(items.get(1))?);
        let parameters = match self.automata.last() {
            Some(Automaton { kind: AutomatonKind::Process(id), .. }) => {
                self.model.proctypes[id.0 as usize].parameters as usize
            }
            _ => 0,
        };
        let typedef = TypedefId(self.model.typedefs.len() as u32);
        let (variables, count, _) = self.frame()?;
        let parameter = variables.len() < parameters;
        variables.push(Variable {
            name,
            span: Span::default(),
            // The only slot says which scalar.
            ty: if slots == 1 { Type::Scalar(Scalar::Int) } else { Type::Struct(typedef) },
            length: None,
            slot: *count,
            slots,
            init: Initializer::None,
            visibility: Visibility::Plain,
            parameter,
            block: String::new(),
        });
        *count = count.checked_add(slots).ok_or("there are too many slots")?;
        if slots != 1 {
            self.model.typedefs.push(Typedef {
                name: String::new(),
                span: Span::default(),
                fields: Vec::new(),
                slots,
            });
        }
        Ok(())
    }

    fn slot(&mut self, items: &[Sexp]) -> Result<()> {
        let mut slot = Slot { name: text(items.get(1))?, scalar: scalar(item(items, 2)?)?, hidden: false };
        let mut init = Initializer::None;
        for mark in items.iter().skip(3) {
            if *mark == Sexp::word("hidden") {
                slot.hidden = true;
                continue;
            }
            init = match split(mark)? {
                ("init", rest) => Initializer::Expr(expr(item(rest, 0)?)?),
                ("new", rest) => Initializer::Channel(ChannelTypeId(number(rest.first())?)),
                (other, _) => return Err(format!("`{other}` is no mark of a slot")),
            };
        }
        let (variables, _, slots) = self.frame()?;
        let index = slots.len() as u32;
        expect_index(items, index)?;
        let variable = variables.last_mut().filter(|v| index < v.slot + v.slots);
        let variable = variable.ok_or("this slot belongs to no variable")?;
        let (name, ty) = (slot.name.clone(), Type::Scalar(slot.scalar));
        slots.push(slot);
        let offset = index - variable.slot;
        match variable.ty {
            Type::Scalar(_) => (variable.ty, variable.init) = (ty, init),
            Type::Struct(id) => {
                let field = Field { name, span: Span::default(), ty, length: None, offset, init };
                self.model.typedefs[id.0 as usize].fields.push(field);
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<System> {
        let Some(limits) = self.limits else { return Err("the text is empty".to_string()) };
        if limits != Limits::of(&self.model) {
            return Err("the limits do not follow from what is declared".to_string());
        }
        let event_trace =
            self.automata.iter().position(|a| matches!(a.kind, AutomatonKind::EventTrace { .. }));
        let is_claim = |(_, a): &(usize, &Automaton)| matches!(a.kind, AutomatonKind::Claim(_));
        let id = |index: usize| AutomatonId(index as u32);
        let claims = self.automata.iter().enumerate().filter(is_claim).map(|(index, _)| id(index)).collect();
        let event_trace = event_trace.map(id);
        let SystemReader { model, automata, global_slots, .. } = self;
        let code = Code::compile(&model, &automata);
        let fingerprint = Default::default();
        Ok(System { model, automata, claims, event_trace, global_slots, fingerprint, code })
    }
}

type Result<T, E = String> = std::result::Result<T, E>;

fn split(sexp: &Sexp) -> Result<(&str, &[Sexp])> {
    match sexp {
        Sexp::List(items) => match items.split_first() {
            Some((Sexp::Word(head), rest)) => Ok((head, rest)),
            _ => Err(format!("expected a word after `(` in {sexp}")),
        },
        _ => Err(format!("expected a list, found {sexp}")),
    }
}

fn number<T: FromStr>(sexp: Option<&Sexp>) -> Result<T> {
    match sexp {
        Some(Sexp::Word(word)) => word.parse().map_err(|_| format!("`{word}` is not a fitting number")),
        Some(other) => Err(format!("expected a number, found {other}")),
        None => Err("a number is missing".to_string()),
    }
}

fn text(sexp: Option<&Sexp>) -> Result<String> {
    match sexp {
        Some(Sexp::Text(text)) => Ok(text.clone()),
        Some(other) => Err(format!("expected a text in quotes, found {other}")),
        None => Err("a text in quotes is missing".to_string()),
    }
}

fn item(items: &[Sexp], index: usize) -> Result<&Sexp> {
    items.get(index).ok_or_else(|| "something is missing at the end".to_string())
}

/// `-` is none.
fn optional<T>(sexp: &Sexp, read: impl FnOnce(&Sexp) -> Result<T>) -> Result<Option<T>> {
    if *sexp == Sexp::word("-") { Ok(None) } else { read(sexp).map(Some) }
}

/// One of two words: whether it is the second.
fn flag(sexp: &Sexp, no: &str, yes: &str) -> Result<bool> {
    match sexp {
        Sexp::Word(word) if word == no => Ok(false),
        Sexp::Word(word) if word == yes => Ok(true),
        other => Err(format!("expected `{no}` or `{yes}`, found {other}")),
    }
}

/// The number of a line among its kind: they come in order.
fn expect_index(items: &[Sexp], index: u32) -> Result<()> {
    match number::<u32>(items.first())? {
        found if found == index => Ok(()),
        found => Err(format!("number {found} where {index} is next")),
    }
}

/// The number after a word.
fn named<T: FromStr>(items: &[Sexp], at: usize, word: &str) -> Result<T> {
    if items.get(at) != Some(&Sexp::word(word)) {
        return Err(format!("expected `{word}`"));
    }
    number(items.get(at + 1))
}

fn limits(items: &[Sexp]) -> Result<Limits> {
    let version: u32 = number(items.first())?;
    if version != VERSION {
        return Err(format!("version {version} of the text form is not known, only {VERSION}"));
    }
    Ok(Limits { processes: named(items, 1, "processes")?, channels: named(items, 3, "channels")? })
}

fn symbols(items: &[Sexp]) -> Result<MtypeSet> {
    let name = text(items.get(1))?;
    let pair = |sexp: &Sexp| match sexp {
        Sexp::List(pair) => Ok((text(pair.first())?, number(pair.get(1))?, Span::default())),
        other => Err(format!("expected a name and its value, found {other}")),
    };
    let names = items.iter().skip(2).map(pair).collect::<Result<_>>()?;
    Ok(MtypeSet { name: (!name.is_empty()).then_some(name), names })
}

fn channel_type(items: &[Sexp]) -> Result<ChannelType> {
    let field = |sexp: &Sexp| Ok(MessageField { scalar: scalar(sexp)?, name: None });
    Ok(ChannelType {
        capacity: named(items, 1, "capacity")?,
        fields: items.iter().skip(3).map(field).collect::<Result<_>>()?,
        span: Span::default(),
    })
}

fn automaton_line(automaton: &mut Automaton, head: &str, items: &[Sexp]) -> Result<()> {
    match head {
        "label" => automaton.labels.push((text(items.first())?, number(items.get(1))?)),
        "location" => {
            expect_index(items, automaton.locations.len() as u32)?;
            automaton.locations.push(location(items)?);
        }
        "edge" => {
            let edge = edge(items)?;
            let id = EdgeId(automaton.edges.len() as u32);
            let source = automaton.locations.get_mut(edge.source.0 as usize);
            let source = source.ok_or_else(|| format!("there is no location {}", edge.source.0))?;
            source.edges.push(id);
            automaton.edges.push(edge);
        }
        other => return Err(format!("`{other}` is not expected here")),
    }
    Ok(())
}

fn location(items: &[Sexp]) -> Result<Location> {
    let mut location = Location {
        number: named(items, 1, "number")?,
        edges: Vec::new(),
        labels: Vec::new(),
        end: false,
        progress: false,
        accept: false,
        span: Span::default(),
    };
    for mark in items.iter().skip(3) {
        match mark {
            Sexp::Text(label) => location.labels.push(label.clone()),
            Sexp::Word(word) if word == "end" => location.end = true,
            Sexp::Word(word) if word == "progress" => location.progress = true,
            Sexp::Word(word) if word == "accept" => location.accept = true,
            other => return Err(format!("`{other}` is no mark of a location")),
        }
    }
    Ok(location)
}

fn edge(items: &[Sexp]) -> Result<Edge> {
    let mut edge = Edge {
        source: LocationId(number(items.first())?),
        target: LocationId(number(items.get(1))?),
        text: String::new(),
        action: action(item(items, 2)?)?,
        atomic: false,
        escape: 0,
        dead: Vec::new(),
        labels: Vec::new(),
        progress: false,
        span: Span::default(),
    };
    for mark in items.iter().skip(3) {
        match mark {
            Sexp::Word(word) if word == "atomic" => edge.atomic = true,
            Sexp::Word(word) if word == "progress" => edge.progress = true,
            Sexp::Text(label) => edge.labels.push(label.clone()),
            mark => match split(mark)? {
                ("escape", rest) => edge.escape = number(rest.first())?,
                ("dead", rest) => edge.dead = rest.iter().map(|s| number(Some(s))).collect::<Result<_>>()?,
                (other, _) => return Err(format!("`{other}` is no mark of an edge")),
            },
        }
    }
    Ok(edge)
}

fn scalar(sexp: &Sexp) -> Result<Scalar> {
    if let Sexp::Word(word) = sexp {
        return Ok(match word.as_str() {
            "bit" => Scalar::Bit,
            "bool" => Scalar::Bool,
            "byte" => Scalar::Byte,
            "pid" => Scalar::Pid,
            "short" => Scalar::Short,
            "int" => Scalar::Int,
            "chan" => Scalar::Chan,
            other => return Err(format!("`{other}` is no type")),
        });
    }
    match split(sexp)? {
        ("unsigned", rest) => Ok(Scalar::Unsigned(number(rest.first())?)),
        ("mtype", rest) => Ok(Scalar::Mtype(MtypeSetId(number(rest.first())?))),
        (other, _) => Err(format!("`{other}` is no type")),
    }
}

fn action(sexp: &Sexp) -> Result<Action> {
    let (head, items) = split(sexp)?;
    let expr_at = |index: usize| expr(item(items, index)?);
    Ok(match head {
        "skip" => Action::Skip,
        "else" => Action::Else,
        "when" => Action::Condition(expr_at(0)?),
        "assign" => Action::Assign { place: place(item(items, 0)?)?, value: expr_at(1)? },
        "send" => Action::Send {
            channel: chan(item(items, 0)?)?,
            sorted: flag(item(items, 1)?, "fifo", "sorted")?,
            arguments: items.iter().skip(2).map(expr).collect::<Result<_>>()?,
        },
        "receive" => Action::Receive {
            channel: chan(item(items, 0)?)?,
            random: flag(item(items, 1)?, "fifo", "random")?,
            copy: flag(item(items, 2)?, "take", "copy")?,
            arguments: items.iter().skip(3).map(argument).collect::<Result<_>>()?,
        },
        "assert" => Action::Assert(expr_at(0)?),
        "printf" => Action::Printf {
            format: text(items.first())?,
            arguments: items.iter().skip(1).map(expr).collect::<Result<_>>()?,
        },
        "printm" => Action::Printm(expr_at(0)?),
        "set_priority" => Action::SetPriority { pid: expr_at(0)?, priority: expr_at(1)? },
        "end" => Action::End,
        "d_step" => Action::DStep(DStep { nodes: items.iter().map(d_step_node).collect::<Result<_>>()? }),
        other => return Err(format!("`{other}` is no action")),
    })
}

fn d_step_node(sexp: &Sexp) -> Result<DStepNode> {
    let ("node", items) = split(sexp)? else { return Err("expected (node …)".to_string()) };
    let choice = |sexp: &Sexp| {
        let ("choice", items) = split(sexp)? else { return Err("expected (choice …)".to_string()) };
        let next = optional(item(items, 1)?, |s| number(Some(s)).map(DStepNodeId))?;
        let mut choice = DStepChoice {
            action: action(item(items, 0)?)?,
            next,
            labels: Vec::new(),
            progress: false,
            span: Span::default(),
        };
        for mark in items.iter().skip(2) {
            match mark {
                Sexp::Word(word) if word == "progress" => choice.progress = true,
                Sexp::Text(label) => choice.labels.push(label.clone()),
                other => return Err(format!("`{other}` is no mark of a choice")),
            }
        }
        Ok(choice)
    };
    Ok(DStepNode { choices: items.iter().map(choice).collect::<Result<_>>()? })
}

fn argument(sexp: &Sexp) -> Result<ReceiveArgument> {
    let (head, items) = split(sexp)?;
    Ok(match head {
        "match" => ReceiveArgument::Match(expr(item(items, 0)?)?),
        "store" => ReceiveArgument::Store(place(item(items, 0)?)?),
        "discard" => ReceiveArgument::Discard(Span::default()),
        other => return Err(format!("`{other}` is no argument of a receive")),
    })
}

/// Which channel types a variable may hold is what the front end knows: no part of the text.
fn chan(sexp: &Sexp) -> Result<ChannelRef> {
    Ok(ChannelRef { place: place(sexp)?, declared: None })
}

fn place(sexp: &Sexp) -> Result<Place> {
    let (head, items) = split(sexp)?;
    let frame = match head {
        "global" => Frame::Global,
        "local" => Frame::Local,
        other => return Err(format!("`{other}` is no frame")),
    };
    let index = |sexp: &Sexp| {
        let ("index", items) = split(sexp)? else { return Err("expected (index …)".to_string()) };
        Ok(Index {
            value: expr(item(items, 0)?)?,
            length: number(items.get(1))?,
            stride: number(items.get(2))?,
        })
    };
    Ok(Place {
        frame,
        variable: VariableId(number(items.first())?),
        base: number(items.get(1))?,
        scalar: scalar(item(items, 2)?)?,
        indices: items.iter().skip(3).map(index).collect::<Result<_>>()?,
        span: Span::default(),
    })
}

fn expr(sexp: &Sexp) -> Result<Expr> {
    Ok(Expr { kind: expr_kind(sexp)?, span: Span::default() })
}

fn expr_kind(sexp: &Sexp) -> Result<ExprKind> {
    if let Sexp::Word(word) = sexp {
        return Ok(match word.as_str() {
            "_pid" => ExprKind::Pid,
            "_nr_pr" => ExprKind::NumberOfProcesses,
            "_last" => ExprKind::Last,
            "_priority" => ExprKind::OwnPriority,
            "np_" => ExprKind::NonProgress,
            "timeout" => ExprKind::Timeout,
            _ => ExprKind::Constant { value: number(Some(sexp))?, mtype: None },
        });
    }
    let (head, items) = split(sexp)?;
    let boxed = |index: usize| Ok::<_, String>(Box::new(expr(item(items, index)?)?));
    let channel = || chan(item(items, 0)?);
    if let (Some((op, _)), 2) = (BINARY.iter().find(|(_, w)| *w == head), items.len()) {
        return Ok(ExprKind::Binary(*op, boxed(0)?, boxed(1)?));
    }
    if let (Some((op, _)), 1) = (UNARY.iter().find(|(_, w)| *w == head), items.len()) {
        return Ok(ExprKind::Unary(*op, boxed(0)?));
    }
    Ok(match head {
        "global" | "local" => ExprKind::Read(place(sexp)?),
        "symbol" => ExprKind::Constant {
            value: number(items.first())?,
            mtype: Some(MtypeSetId(number(items.get(1))?)),
        },
        "cond" => ExprKind::Conditional(boxed(0)?, boxed(1)?, boxed(2)?),
        "run" => ExprKind::Run {
            proctype: ProctypeId(number(items.first())?),
            priority: optional(item(items, 1)?, |s| number(Some(s)))?,
            arguments: items.iter().skip(2).map(expr).collect::<Result<_>>()?,
        },
        "len" => ExprKind::Len(channel()?),
        "empty" => ExprKind::Empty(channel()?),
        "nempty" => ExprKind::NotEmpty(channel()?),
        "full" => ExprKind::Full(channel()?),
        "nfull" => ExprKind::NotFull(channel()?),
        "poll" => ExprKind::Poll {
            channel: channel()?,
            random: flag(item(items, 1)?, "fifo", "random")?,
            arguments: items.iter().skip(2).map(argument).collect::<Result<_>>()?,
        },
        "enabled" => ExprKind::Enabled(boxed(0)?),
        "pc_value" => ExprKind::PcValue(boxed(0)?),
        "get_priority" => ExprKind::GetPriority(boxed(0)?),
        "remote_label" => {
            let proctype = match split(item(items, 0)?)? {
                ("process", rest) => RemoteProcess::Proctype(ProctypeId(number(rest.first())?)),
                ("processes", rest) => RemoteProcess::All(ProctypeId(number(rest.first())?)),
                ("claim", rest) => RemoteProcess::Claim(number(rest.first())?),
                (other, _) => return Err(format!("`{other}` has no labels")),
            };
            let pid = optional(item(items, 1)?, |s| expr(s).map(Box::new))?;
            ExprKind::RemoteLabel { proctype, pid, label: text(items.get(2))? }
        }
        "remote_variable" => ExprKind::RemoteVariable {
            proctype: ProctypeId(number(items.first())?),
            pid: optional(item(items, 1)?, |s| expr(s).map(Box::new))?,
            place: place(item(items, 2)?)?,
        },
        other => return Err(format!("`{other}` is no expression")),
    })
}
