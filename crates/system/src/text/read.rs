//! Text to automata.

use super::sexp::{Sexp, parse};
use super::{BINARY, UNARY};
use crate::automaton::{
    Action, Automaton, AutomatonKind, DStep, DStepChoice, DStepNode, DStepNodeId, Edge, EdgeId, Location,
    LocationId, Slot,
};
use promela::model::{
    ChannelRef, ChannelTypeId, Expr, ExprKind, Frame, Index, MtypeSetId, Place, ProctypeId, ReceiveArgument,
    RemoteProcess, Scalar, VariableId,
};
use promela::source::Span;
use std::fmt;
use std::str::FromStr;

/// Why a text is no automaton.
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

/// Reads what [`super::write`] has written. Whether it is well-formed is for [`crate::validate`] to say.
pub fn read(text: &str) -> Result<Automaton, ReadError> {
    let lines = parse(text).map_err(|(line, message)| ReadError { line, message })?;
    let mut automaton: Option<Automaton> = None;
    for (line, sexp) in &lines {
        let at = |message: String| ReadError { line: *line, message };
        let (head, items) = split(sexp).map_err(at)?;
        match (head, &mut automaton) {
            ("automaton", slot @ None) => *slot = Some(header(items).map_err(at)?),
            (_, None) => return Err(at("expected (automaton …) first".to_string())),
            ("slot", Some(a)) => a.slots.push(slot(items).map_err(at)?),
            ("label", Some(a)) => a.labels.push(label(items).map_err(at)?),
            ("location", Some(a)) => a.locations.push(location(items).map_err(at)?),
            ("edge", Some(a)) => {
                let edge = edge(items).map_err(at)?;
                let id = EdgeId(a.edges.len() as u32);
                let Some(source) = a.locations.get_mut(edge.source.0 as usize) else {
                    return Err(at(format!("there is no location {}", edge.source.0)));
                };
                source.edges.push(id);
                a.edges.push(edge);
            }
            (other, Some(_)) => return Err(at(format!("`{other}` is not expected here"))),
        }
    }
    automaton.ok_or(ReadError { line: 1, message: "the text is empty".to_string() })
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

fn header(items: &[Sexp]) -> Result<Automaton> {
    let (kind, rest) = split(item(items, 1)?)?;
    let kind = match kind {
        "process" => AutomatonKind::Process(ProctypeId(number(rest.first())?)),
        "claim" => AutomatonKind::Claim(number(rest.first())?),
        "trace" => AutomatonKind::EventTrace { negated: false },
        "notrace" => AutomatonKind::EventTrace { negated: true },
        other => return Err(format!("`{other}` is no kind of automaton")),
    };
    Ok(Automaton {
        name: text(items.first())?,
        kind,
        slots: Vec::new(),
        initial: LocationId(number(items.get(3))?),
        locations: Vec::new(),
        edges: Vec::new(),
        labels: Vec::new(),
    })
}

fn slot(items: &[Sexp]) -> Result<Slot> {
    let hidden = items.get(3) == Some(&Sexp::word("hidden"));
    Ok(Slot { name: text(items.get(1))?, scalar: scalar(item(items, 2)?)?, hidden })
}

fn label(items: &[Sexp]) -> Result<(String, u32)> {
    Ok((text(items.first())?, number(items.get(1))?))
}

fn location(items: &[Sexp]) -> Result<Location> {
    let mut location = Location {
        number: number(items.get(2))?,
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
        text: text(items.get(2))?,
        action: action(item(items, 3)?)?,
        atomic: false,
        escape: 0,
        dead: Vec::new(),
        labels: Vec::new(),
        progress: false,
        span: Span::default(),
    };
    for mark in items.iter().skip(4) {
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

fn chan(sexp: &Sexp) -> Result<ChannelRef> {
    let ("chan", items) = split(sexp)? else { return Err("expected (chan …)".to_string()) };
    let declared = optional(item(items, 1)?, |s| number(Some(s)).map(ChannelTypeId))?;
    Ok(ChannelRef { place: place(item(items, 0)?)?, declared })
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
