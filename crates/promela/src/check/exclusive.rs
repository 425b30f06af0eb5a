//! Promises that a channel is nobody else's, where others are seen to use it.
//!
//! A promise is about channels, and processes get theirs as parameters, too: so a parameter stands for the channels that each `run`
//! hands over to it, through as many proctypes as they go. What goes another way (by assignment, in a message, as an element
//! whose number is computed) is not followed, and of that nothing is said.

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::hash::HashMap;
use crate::model::{
    ExclusiveUse, Expr, ExprKind, Frame, Initializer, Model, Place, Sequence, Statement, StatementKind,
    VariableId,
};
use crate::source::Span;
use std::collections::BTreeSet;

/// Where a channel is declared: the proctype of a local one, the variable, the slot.
type Channel = (Option<usize>, VariableId, u32);

/// What others may not do to a channel that is claimed.
struct Use<'m> {
    user: usize,
    place: &'m Place,
    span: Span,
    does: Does,
    breaks: Breaks,
}

#[derive(Clone, Copy)]
enum Does {
    Receive,
    Send,
    Look,
}

/// Which promise.
#[derive(Clone, Copy, PartialEq)]
enum Breaks {
    Receiving,
    Sending,
    Both,
}

pub(super) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    if model.proctypes.iter().all(|proctype| proctype.exclusive.is_empty()) {
        return;
    }
    let seen = Seen::of(model);
    for (index, proctype) in model.proctypes.iter().enumerate() {
        diagnostics.extend(proctype.exclusive.iter().filter_map(|claimed| seen.broken(index, claimed)));
    }
}

struct Seen<'m> {
    model: &'m Model,
    uses: Vec<Use<'m>>,
    /// The channels of a proctype's parameter.
    handed: HashMap<(usize, VariableId), BTreeSet<Channel>>,
}

impl<'m> Seen<'m> {
    fn of(model: &'m Model) -> Seen<'m> {
        let mut uses = Vec::new();
        let mut runs = Vec::new();
        for (user, proctype) in model.proctypes.iter().enumerate() {
            proctype.body.visit(&mut |statement| {
                uses.extend(used_by(user, statement));
                statement.kind.visit_expressions(&mut |expr| {
                    uses.extend(looked_into(user, expr));
                    runs.extend(started_by(expr).map(|run| (user, run)));
                });
            });
            for local in &proctype.locals {
                if let Initializer::Expr(value) = &local.init {
                    value.visit(&mut |expr| runs.extend(started_by(expr).map(|run| (user, run))));
                }
            }
        }
        let mut seen = Seen { model, uses, handed: HashMap::default() };
        while seen.hand_over(&runs) {}
        seen
    }

    /// Whether a parameter has got a channel that it did not have before.
    fn hand_over(&mut self, runs: &[(usize, (usize, &'m [Expr]))]) -> bool {
        let mut more = false;
        for (by, (started, arguments)) in runs {
            for (number, argument) in (0..).zip(*arguments) {
                let channels = self.channels_of(*by, argument);
                let known = self.handed.entry((*started, VariableId(number))).or_default();
                more |= channels.into_iter().fold(false, |more, channel| known.insert(channel) | more);
            }
        }
        more
    }

    fn channels_of(&self, proctype: usize, expr: &Expr) -> BTreeSet<Channel> {
        match &expr.kind {
            ExprKind::Read(place) => self.channels_at(proctype, place),
            _ => BTreeSet::new(),
        }
    }

    fn channels_at(&self, proctype: usize, place: &Place) -> BTreeSet<Channel> {
        let own = match place.frame {
            Frame::Global => None,
            Frame::Local if place.variable.0 < self.model.proctypes[proctype].parameters => {
                return self.handed.get(&(proctype, place.variable)).cloned().unwrap_or_default();
            }
            Frame::Local => Some(proctype),
        };
        slot_of(place).map(|slot| (own, place.variable, slot)).into_iter().collect()
    }

    fn broken(&self, index: usize, claimed: &ExclusiveUse) -> Option<Diagnostic> {
        let word = if claimed.receive { "xr" } else { "xs" };
        let allowed = if claimed.receive { Breaks::Sending } else { Breaks::Receiving };
        let channels = self.channels_at(index, &claimed.channel);
        let shared = |used: &Use<'_>| {
            let theirs = self.channels_at(used.user, used.place);
            theirs.intersection(&channels).copied().collect::<Vec<_>>()
        };
        let breaking = || self.uses.iter().filter(|used| used.breaks != allowed);
        let by_another = breaking().filter(|used| used.user != index).find_map(|used| {
            let channel = shared(used).into_iter().find(|_| !self.has_been_said(used.user, claimed))?;
            let (user, name) = (&self.model.proctypes[used.user].name, self.name_of(channel));
            Some((
                used.span,
                match used.does {
                    Does::Receive => format!("`{user}` receives from `{name}` too"),
                    Does::Send => format!("`{user}` sends to `{name}` too"),
                    Does::Look => format!("`{user}` looks into `{name}`"),
                },
            ))
        });
        let by_its_like = || {
            breaking().filter(|used| used.user == index).find_map(|used| {
                let channel = shared(used).into_iter().find(|&channel| self.is_of_two(index, channel))?;
                let (user, name) = (&self.model.proctypes[index].name, self.name_of(channel));
                Some((used.span, format!("several processes of `{user}` have `{name}`")))
            })
        };
        let (span, why) = by_another.or_else(by_its_like)?;
        let message = format!("`{word}` is broken: {why}");
        let warning = Diagnostic::warning(codes::EXCLUSIVE_BROKEN, claimed.channel.span, message);
        Some(warning.with_related(span, "here"))
    }

    /// Two proctypes that claim one global channel are an error, and that has been said.
    fn has_been_said(&self, user: usize, claimed: &ExclusiveUse) -> bool {
        claimed.channel.frame == Frame::Global
            && self.model.proctypes[user].exclusive.iter().any(|other| {
                other.receive == claimed.receive
                    && (other.channel.frame, other.channel.variable)
                        == (claimed.channel.frame, claimed.channel.variable)
            })
    }

    /// Whether two processes of a proctype have a channel: a global one that it names, or one that it is given.
    fn is_of_two(&self, index: usize, channel: Channel) -> bool {
        let started: usize = (0..self.model.proctypes.len())
            .map(|by| {
                let proctype = &self.model.proctypes[by];
                let times = if channel.0 == Some(by) { 1 } else { (proctype.active as usize).max(1) };
                times * most(&proctype.body, &|statement| self.starts(by, statement, index, channel))
            })
            .sum();
        started + self.model.proctypes[index].active as usize > 1
    }

    /// How many processes of a proctype a statement starts that have a channel.
    fn starts(&self, by: usize, statement: &Statement, wanted: usize, channel: Channel) -> usize {
        let names_it = channel.0.is_none()
            && self.uses.iter().any(|used| {
                used.user == wanted
                    && used.place.frame == Frame::Global
                    && self.channels_at(wanted, used.place).contains(&channel)
            });
        let mut count = 0;
        statement.kind.visit_expressions(&mut |expr| {
            count += started_by(expr).map_or(0, |(started, arguments)| {
                let is_given = || arguments.iter().any(|a| self.channels_of(by, a).contains(&channel));
                usize::from(started == wanted && (names_it || is_given()))
            });
        });
        count
    }

    fn name_of(&self, (owner, variable, slot): Channel) -> String {
        let variables = owner.map_or(&self.model.globals, |owner| &self.model.proctypes[owner].locals);
        let variable = &variables[variable.0 as usize];
        match variable.length {
            Some(length) if length == variable.slots => {
                format!("{}[{}]", variable.name, slot - variable.slot)
            }
            _ => variable.name.clone(),
        }
    }
}

fn used_by(user: usize, statement: &Statement) -> Option<Use<'_>> {
    let (channel, does, breaks) = match &statement.kind {
        StatementKind::Send { channel, .. } => (channel, Does::Send, Breaks::Sending),
        StatementKind::Receive { channel, .. } => (channel, Does::Receive, Breaks::Receiving),
        _ => return None,
    };
    Some(Use { user, place: &channel.place, span: statement.span, does, breaks })
}

/// As SPIN 6.5.2 has it: beside a claim to send others may ask `nempty`, beside one to receive `nfull`, and nothing else.
fn looked_into(user: usize, expr: &Expr) -> Option<Use<'_>> {
    let breaks = match &expr.kind {
        ExprKind::NotEmpty(_) => Breaks::Receiving,
        ExprKind::NotFull(_) => Breaks::Sending,
        ExprKind::Len(_) | ExprKind::Empty(_) | ExprKind::Full(_) | ExprKind::Poll { .. } => Breaks::Both,
        _ => return None,
    };
    Some(Use { user, place: expr.kind.place()?, span: expr.span, does: Does::Look, breaks })
}

fn started_by(expr: &Expr) -> Option<(usize, &[Expr])> {
    match &expr.kind {
        ExprKind::Run { proctype, arguments, .. } => Some((proctype.0 as usize, arguments)),
        _ => None,
    }
}

/// The slot of a place whose indices are numbers.
fn slot_of(place: &Place) -> Option<u32> {
    place.indices.iter().try_fold(place.base, |slot, index| match index.value.kind {
        ExprKind::Constant { value, .. } => Some(slot + u32::try_from(value).ok()? * index.stride),
        _ => None,
    })
}

/// The most that all statements of a sequence count to when each is executed once: of several options there is one.
fn most(sequence: &Sequence, count: &dyn Fn(&Statement) -> usize) -> usize {
    sequence.statements.iter().map(|statement| most_of(statement, count)).sum()
}

fn most_of(statement: &Statement, count: &dyn Fn(&Statement) -> usize) -> usize {
    match &statement.kind {
        StatementKind::If(options) | StatementKind::Do(options) => {
            options.iter().map(|option| most(option, count)).max().unwrap_or(0)
        }
        StatementKind::Unless { main, escape } => most_of(main, count).max(most_of(escape, count)),
        StatementKind::Atomic(inner) | StatementKind::DStep(inner) | StatementKind::Block(inner) => {
            most(inner, count)
        }
        _ => count(statement),
    }
}
