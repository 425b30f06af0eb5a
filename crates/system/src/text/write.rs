//! Automata to text.

use super::sexp::Sexp;
use super::{BINARY, UNARY};
use crate::automaton::{Action, Automaton, AutomatonKind, DStep};
use promela::model::{ChannelRef, Expr, ExprKind, Frame, Place, ReceiveArgument, RemoteProcess, Scalar};
use std::fmt::Write;

/// An automaton as text.
pub fn write(automaton: &Automaton) -> String {
    let mut out = String::new();
    let mut line = |sexp: Sexp| {
        let _ = writeln!(out, "{sexp}");
    };
    let kind = match automaton.kind {
        AutomatonKind::Process(id) => Sexp::list("process", [Sexp::word(id.0)]),
        AutomatonKind::Claim(index) => Sexp::list("claim", [Sexp::word(index)]),
        AutomatonKind::EventTrace { negated } => Sexp::list(if negated { "notrace" } else { "trace" }, []),
    };
    let name = Sexp::Text(automaton.name.clone());
    line(Sexp::list("automaton", [name, kind, Sexp::word("initial"), Sexp::word(automaton.initial.0)]));
    for (index, slot) in automaton.slots.iter().enumerate() {
        let mut items = vec![Sexp::word(index), Sexp::Text(slot.name.clone()), scalar(slot.scalar)];
        items.extend(slot.hidden.then(|| Sexp::word("hidden")));
        line(Sexp::list("slot", items));
    }
    for (name, number) in &automaton.labels {
        line(Sexp::list("label", [Sexp::Text(name.clone()), Sexp::word(number)]));
    }
    for (index, location) in automaton.locations.iter().enumerate() {
        let mut items = vec![Sexp::word(index), Sexp::word("number"), Sexp::word(location.number)];
        items.extend(location.end.then(|| Sexp::word("end")));
        items.extend(location.progress.then(|| Sexp::word("progress")));
        items.extend(location.accept.then(|| Sexp::word("accept")));
        items.extend(location.labels.iter().cloned().map(Sexp::Text));
        line(Sexp::list("location", items));
    }
    for edge in &automaton.edges {
        let mut items = vec![
            Sexp::word(edge.source.0),
            Sexp::word(edge.target.0),
            Sexp::Text(edge.text.clone()),
            action(&edge.action),
        ];
        items.extend(edge.atomic.then(|| Sexp::word("atomic")));
        if edge.escape > 0 {
            items.push(Sexp::list("escape", [Sexp::word(edge.escape)]));
        }
        if !edge.dead.is_empty() {
            items.push(Sexp::list("dead", edge.dead.iter().map(Sexp::word)));
        }
        items.extend(edge.progress.then(|| Sexp::word("progress")));
        items.extend(edge.labels.iter().cloned().map(Sexp::Text));
        line(Sexp::list("edge", items));
    }
    out
}

fn scalar(scalar: Scalar) -> Sexp {
    match scalar {
        Scalar::Bit => Sexp::word("bit"),
        Scalar::Bool => Sexp::word("bool"),
        Scalar::Byte => Sexp::word("byte"),
        Scalar::Pid => Sexp::word("pid"),
        Scalar::Short => Sexp::word("short"),
        Scalar::Int => Sexp::word("int"),
        Scalar::Unsigned(bits) => Sexp::list("unsigned", [Sexp::word(bits)]),
        Scalar::Mtype(set) => Sexp::list("mtype", [Sexp::word(set.0)]),
        Scalar::Chan => Sexp::word("chan"),
    }
}

fn action(action: &Action) -> Sexp {
    match action {
        Action::Skip => Sexp::list("skip", []),
        Action::Else => Sexp::list("else", []),
        Action::Condition(e) => Sexp::list("when", [expr(e)]),
        Action::Assign { place: to, value } => Sexp::list("assign", [place(to), expr(value)]),
        Action::Send { channel, sorted, arguments } => {
            let order = Sexp::word(if *sorted { "sorted" } else { "fifo" });
            Sexp::list("send", [chan(channel), order].into_iter().chain(arguments.iter().map(expr)))
        }
        Action::Receive { channel, random, copy, arguments } => {
            let order = Sexp::word(if *random { "random" } else { "fifo" });
            let taken = Sexp::word(if *copy { "copy" } else { "take" });
            let items = [chan(channel), order, taken].into_iter().chain(arguments.iter().map(argument));
            Sexp::list("receive", items)
        }
        Action::Assert(e) => Sexp::list("assert", [expr(e)]),
        Action::Printf { format, arguments } => Sexp::list(
            "printf",
            std::iter::once(Sexp::Text(format.clone())).chain(arguments.iter().map(expr)),
        ),
        Action::Printm(e) => Sexp::list("printm", [expr(e)]),
        Action::SetPriority { pid, priority } => Sexp::list("set_priority", [expr(pid), expr(priority)]),
        Action::End => Sexp::list("end", []),
        Action::DStep(body) => d_step(body),
    }
}

fn d_step(body: &DStep) -> Sexp {
    let nodes = body.nodes.iter().map(|node| {
        let choices = node.choices.iter().map(|choice| {
            let next = choice.next.map_or(Sexp::word("-"), |n| Sexp::word(n.0));
            let mut items = vec![action(&choice.action), next];
            items.extend(choice.progress.then(|| Sexp::word("progress")));
            items.extend(choice.labels.iter().cloned().map(Sexp::Text));
            Sexp::list("choice", items)
        });
        Sexp::list("node", choices)
    });
    Sexp::list("d_step", nodes)
}

fn argument(argument: &ReceiveArgument) -> Sexp {
    match argument {
        ReceiveArgument::Match(e) => Sexp::list("match", [expr(e)]),
        ReceiveArgument::Store(to) => Sexp::list("store", [place(to)]),
        ReceiveArgument::Discard(_) => Sexp::list("discard", []),
    }
}

fn chan(channel: &ChannelRef) -> Sexp {
    let declared = channel.declared.map_or(Sexp::word("-"), |d| Sexp::word(d.0));
    Sexp::list("chan", [place(&channel.place), declared])
}

fn place(place: &Place) -> Sexp {
    let head = match place.frame {
        Frame::Global => "global",
        Frame::Local => "local",
    };
    let mut items = vec![Sexp::word(place.variable.0), Sexp::word(place.base), scalar(place.scalar)];
    items.extend(place.indices.iter().map(|index| {
        Sexp::list("index", [expr(&index.value), Sexp::word(index.length), Sexp::word(index.stride)])
    }));
    Sexp::list(head, items)
}

fn expr(e: &Expr) -> Sexp {
    let optional = |pid: &Option<Box<Expr>>| pid.as_ref().map_or(Sexp::word("-"), |e| expr(e));
    match &e.kind {
        ExprKind::Constant { value, mtype: None } => Sexp::word(value),
        ExprKind::Constant { value, mtype: Some(set) } => {
            Sexp::list("symbol", [Sexp::word(value), Sexp::word(set.0)])
        }
        ExprKind::Read(from) => place(from),
        ExprKind::Pid => Sexp::word("_pid"),
        ExprKind::NumberOfProcesses => Sexp::word("_nr_pr"),
        ExprKind::Last => Sexp::word("_last"),
        ExprKind::OwnPriority => Sexp::word("_priority"),
        ExprKind::NonProgress => Sexp::word("np_"),
        ExprKind::Timeout => Sexp::word("timeout"),
        ExprKind::Unary(op, a) => {
            let word = UNARY.iter().find(|(o, _)| o == op).map_or("", |(_, w)| w);
            Sexp::list(word, [expr(a)])
        }
        ExprKind::Binary(op, a, b) => {
            let word = BINARY.iter().find(|(o, _)| o == op).map_or("", |(_, w)| w);
            Sexp::list(word, [expr(a), expr(b)])
        }
        ExprKind::Conditional(c, a, b) => Sexp::list("cond", [expr(c), expr(a), expr(b)]),
        ExprKind::Run { proctype, arguments, priority } => {
            let priority = priority.map_or(Sexp::word("-"), Sexp::word);
            let items = [Sexp::word(proctype.0), priority].into_iter().chain(arguments.iter().map(expr));
            Sexp::list("run", items)
        }
        ExprKind::Len(c) => Sexp::list("len", [chan(c)]),
        ExprKind::Empty(c) => Sexp::list("empty", [chan(c)]),
        ExprKind::NotEmpty(c) => Sexp::list("nempty", [chan(c)]),
        ExprKind::Full(c) => Sexp::list("full", [chan(c)]),
        ExprKind::NotFull(c) => Sexp::list("nfull", [chan(c)]),
        ExprKind::Poll { channel, random, arguments } => {
            let order = Sexp::word(if *random { "random" } else { "fifo" });
            Sexp::list("poll", [chan(channel), order].into_iter().chain(arguments.iter().map(argument)))
        }
        ExprKind::Enabled(pid) => Sexp::list("enabled", [expr(pid)]),
        ExprKind::PcValue(pid) => Sexp::list("pc_value", [expr(pid)]),
        ExprKind::GetPriority(pid) => Sexp::list("get_priority", [expr(pid)]),
        ExprKind::RemoteLabel { proctype, pid, label } => {
            let whose = match proctype {
                RemoteProcess::Proctype(id) => Sexp::list("process", [Sexp::word(id.0)]),
                RemoteProcess::All(id) => Sexp::list("processes", [Sexp::word(id.0)]),
                RemoteProcess::Claim(index) => Sexp::list("claim", [Sexp::word(index)]),
            };
            Sexp::list("remote_label", [whose, optional(pid), Sexp::Text(label.clone())])
        }
        ExprKind::RemoteVariable { proctype, pid, place: from } => {
            Sexp::list("remote_variable", [Sexp::word(proctype.0), optional(pid), place(from)])
        }
    }
}
