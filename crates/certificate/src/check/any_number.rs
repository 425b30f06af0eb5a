//! Any number of processes (R45): a certificate may say that of some proctypes any number of processes, at least one, start by themselves,
//! whatever number the model gives.
//!
//! The claims are then about the model with one of each, and about what others like it may do: nothing looks at the numbers of processes, so they
//! can be told from it by nothing but where they stand. Their group has any number of processes, and what a potential is at the start does not depend on how
//! many there are, because they weigh nothing there.

use super::prove::Initial;
use super::refusal::Refusal;
use super::rule::Rule;
use super::structure::channel_slots;
use crate::claims::GroupId;
use crate::potential::Proof;
use crate::values::Values;
use crate::{Certificate, pids};
use promela::model::{Expr, ExprKind, Proctype, ProctypeId, RemoteProcess};
use std::borrow::Cow;
use std::collections::BTreeSet;
use system::automaton::System;

/// The most processes that there are, whatever a model declares.
const MOST_PROCESSES: i32 = 65_535;

/// All numbers that a process may have.
pub fn every_pid() -> Values {
    Values::interval(0, MOST_PROCESSES)
}

/// R3 and R45: the model with one process of each proctype of which there may be any number.
pub(super) fn one_of_each<'s>(
    system: &'s System,
    certificate: &Certificate,
) -> Result<Cow<'s, System>, Refusal> {
    let names = &certificate.any_number;
    if names.is_empty() {
        return Ok(Cow::Borrowed(system));
    }
    let numbers = proctypes(system, certificate);
    let sorted = names.windows(2).all(|pair| pair[0] < pair[1]);
    Rule::Exists.demand(sorted && numbers.len() == names.len(), || {
        "the proctypes of which there may be any number are not in order, or do not exist".into()
    })?;
    let are_active = numbers.iter().all(|(_, proctype)| proctype.active > 0);
    Rule::AnyNumber.demand(are_active && !pids::are_observed(system), || {
        "no process starts by itself, or something looks at the numbers of processes".into()
    })?;
    // Else the numbers of channels depend on how many processes there are, and so do the limits of them: a channel may be taken for its number.
    let own_channels = |proctype: &Proctype| !channel_slots(system, &proctype.locals).is_empty();
    Rule::AnyNumber.demand(!system.model.proctypes.iter().any(own_channels), || {
        "a process has a channel of its own, so how many channels there are depends on the number of processes".into()
    })?;
    Ok(Cow::Owned(system.clone().with_active(numbers.iter().map(|&(id, _)| (id, 1)))))
}

fn proctypes<'s>(system: &'s System, certificate: &Certificate) -> Vec<(ProctypeId, &'s Proctype)> {
    let proctypes = (0..).map(ProctypeId).zip(&system.model.proctypes);
    proctypes.filter(|(_, proctype)| certificate.any_number.contains(&proctype.name)).collect()
}

/// R45: the groups of which there are any number of processes at the start. Of one process of each it is known where it stands (R10).
pub(super) fn groups(
    system: &System,
    certificate: &Certificate,
    formulas: &[&str],
    initial: &Initial,
) -> Result<BTreeSet<GroupId>, Refusal> {
    let claims = &certificate.claims;
    let mut more = BTreeSet::new();
    if certificate.any_number.is_empty() {
        return Ok(more);
    }
    for (id, proctype) in proctypes(system, certificate) {
        let of_type = initial.processes.iter().map(|(group, _)| *group);
        more.extend(of_type.filter(|group| claims.groups[group.index()].automaton == id.0));
        let asks = |name: &&&str| {
            let known = system.model.formulas.iter().find(|formula| formula.name == **name);
            let mut asks = false;
            if let Some(known) = known {
                known.formula.visit_propositions(&mut |proposition| {
                    proposition.visit(&mut |part| asks |= asks_for_numbers(system, id, part));
                });
            }
            asks
        };
        let asking = formulas.iter().find(asks);
        Rule::AnyNumber.demand(asking.is_none(), || {
            format!("a formula depends on how many processes of `{}` there are at the start", proctype.name)
        })?;
    }
    let pids = claims.groups.iter().all(|group| every_pid().is_subset(&group.pid));
    Rule::AnyNumber.demand(pids, || "a group has not all numbers of processes".into())?;
    let uncounted = more.iter().all(|group| claims.groups[group.index()].at_most.is_none());
    let started = certificate.proofs.iter().any(|proof| match proof {
        Proof::Starts { group, .. } => more.contains(group),
        _ => false,
    });
    Rule::AnyNumber.demand(uncounted && !started, || {
        "it is said how many processes there are of which there may be any number".into()
    })?;
    Rule::AnyNumber.demand(claims.numbers.is_empty(), || {
        "the claims speak of numbers, and nobody has shown that these do not depend on how many processes there are".into()
    })?;
    Ok(more)
}

/// Whether the value of an expression at the start may depend on how many processes of the proctype there are, or on which numbers processes
/// have.
fn asks_for_numbers(system: &System, proctype: ProctypeId, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::RemoteLabel { pid: Some(_), .. } => true,
        ExprKind::RemoteLabel { proctype: RemoteProcess::All(of), label, .. } if *of == proctype => {
            let automaton = &system.automata[proctype.0 as usize];
            let first = automaton.locations[automaton.initial.0 as usize].number;
            automaton.labels.iter().any(|(name, number)| name == label && *number == first)
        }
        _ => pids::looks_at_numbers(expr),
    }
}
