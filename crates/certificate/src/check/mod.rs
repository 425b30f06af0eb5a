//! The checker: one pass over every statement of the model, in exact integers, with code of its own.
//!
//! [`check`] verifies that a certificate is for this model, that its claims hold at the start, that every statement that the claims
//! allow keeps them, and that its potentials show what its proofs say. It trusts the lowering to automata and the initial state of
//! `system`, and nothing else. What it does not understand it refuses. The obligations are those of `docs/certificates.md`: each
//! [`Rule`] is checked by the function that names its number.

// No sum in a proof wraps: what is not a big integer cannot leave its type, or says what happens when it does.
#![warn(clippy::arithmetic_side_effects)]

mod any_number;
mod asked;
mod environment;
mod evaluate;
mod explore;
mod guard;
mod lookup;
#[cfg(test)]
mod needed;
mod number;
mod prove;
mod refusal;
mod rule;
mod start;
mod statement;
mod structure;
mod transition;
#[cfg(test)]
mod waived;

pub use any_number::every_pid;
pub(crate) use number::value as number_value;
pub use number::{NumberReading, NumberStep, Range, Write, read_numbers};
pub use prove::atoms::global_slots;
pub use prove::watch::{Standstill, Watch, Watched};
pub use refusal::Refusal;
pub(crate) use refusal::line_of;
pub use rule::Rule;
pub(crate) use start::Configuration;
pub(crate) use structure::channel_slots;

use crate::claims::{Claims, GroupId, ObjectId, ObjectPlace, Point};
use crate::formula::Violations;
use crate::potential::{Progress, Proof};
use crate::schema::other_version;
use crate::values::Values;
use crate::verdict::Fairness;
use crate::{Certificate, SCHEMA, fingerprint};
use explore::Explorer;
use promela::model::ExprKind;
use prove::Prover;
use std::collections::BTreeSet;
use system::automaton::{Action, System};
pub use transition::{Actor, Tokens};
use transition::{Assembler, Shadows, Transitions};

/// What was checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checked {
    /// Nodes of all graphs.
    pub nodes: usize,
    /// Transitions that the claims allow, each of which was checked against every proof that it concerns.
    pub transitions: usize,
    /// Proofs.
    pub proofs: usize,
}

/// Checks a certificate against a model. `Ok` means that every proof of the certificate is true of the model.
pub fn check(system: &System, certificate: &Certificate) -> Result<Checked, Refusal> {
    check_unless(system, certificate, &|| false)
}

/// The same; ends with [`Refusal::Cancelled`] soon after `cancelled` says `true`.
pub fn check_unless(
    system: &System,
    certificate: &Certificate,
    cancelled: &dyn Fn() -> bool,
) -> Result<Checked, Refusal> {
    is_sealed(certificate)?;
    check_unsealed(system, certificate, cancelled)
}

/// The same, whatever the seal: for whoever has just made the certificate, so that nothing can have happened to it. A seal says nothing about
/// whether it is true.
pub fn check_unsealed(
    system: &System,
    certificate: &Certificate,
    cancelled: &dyn Fn() -> bool,
) -> Result<Checked, Refusal> {
    is_for(system, certificate)?;
    says_something(certificate)?;
    let system = &*any_number::one_of_each(system, certificate)?;
    let formulas: Vec<&str> = certificate.proofs.iter().filter_map(Proof::formula).collect();
    with_prover(system, certificate, &formulas, cancelled, |prover| {
        let claims = &certificate.claims;
        prover.invariants()?;
        for (number, proof) in certificate.proofs.iter().enumerate() {
            prover.check(number, proof)?;
        }
        let groups = claims.groups.iter().map(|group| group.nodes.len());
        let others = claims.trackers.iter().map(|tracker| tracker.nodes.len());
        Ok(Checked {
            nodes: groups.chain(others).sum(),
            transitions: prover.transitions.all.len(),
            proofs: certificate.proofs.len(),
        })
    })
}

/// Whether the claims of a certificate hold, with their linear invariants; nothing is said about its proofs.
pub fn check_claims(
    system: &System,
    certificate: &Certificate,
    cancelled: &dyn Fn() -> bool,
) -> Result<(), Refusal> {
    let system = &*any_number::one_of_each(system, certificate)?;
    with_prover(system, certificate, &[], cancelled, |prover| prover.invariants())
}

/// What the claims of a certificate allow together with the automaton of a formula, as the checker sees it: where whoever looks for a proof
/// begins. Nothing is said about the certificate's proofs. Under strong fairness it is said whom each transition lets move.
pub fn watch(
    system: &System,
    certificate: &Certificate,
    (formula, fairness): (&str, Fairness),
    cancelled: &dyn Fn() -> bool,
) -> Result<Watch, Refusal> {
    let strongly = fairness == Fairness::Strong;
    let system = &*any_number::one_of_each(system, certificate)?;
    with_prover(system, certificate, &[formula], cancelled, |prover| prover.watch(formula, strongly))
}

/// The same for progress.
pub fn watch_progress(
    system: &System,
    certificate: &Certificate,
    (progress, fairness): (&Progress, Fairness),
    cancelled: &dyn Fn() -> bool,
) -> Result<Watch, Refusal> {
    let strongly = fairness == Fairness::Strong;
    let system = &*any_number::one_of_each(system, certificate)?;
    with_prover(system, certificate, &[], cancelled, |prover| Ok(prover.watch_progress(progress, strongly)))
}

/// Checks the claims, and hands on what they allow, seen as these formulas look at it.
fn with_prover<T>(
    system: &System,
    certificate: &Certificate,
    formulas: &[&str],
    cancelled: &dyn Fn() -> bool,
    work: impl FnOnce(&Prover<'_, '_>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let claims = &certificate.claims;
    let channel_types = structure::well_formed(system, claims)?;
    number::well_formed(system, claims)?;
    clauses_are_understood(system)?;
    let explorer = Explorer::new(system, claims, &channel_types, cancelled);
    let halves = explorer.halves()?;
    let beginning = Configuration::initial(system, claims)?;
    let shadows = start::shadows(&explorer, &halves, &beginning)?;
    let mut initial = start::initial(&explorer, &beginning, &shadows)?;
    initial.more = any_number::groups(system, certificate, formulas, &initial)?;
    let tokens: Vec<Tokens> = (0..)
        .map(GroupId)
        .take(claims.groups.len())
        .map(|group| tokens(system, claims, group, &initial))
        .collect();
    number::are_always_there(claims, &tokens)?;
    let watched = watched(system, formulas);
    let transitions = Assembler::new(&explorer, &shadows, &tokens, watched).assemble(&halves)?;
    sizes_are_shown(certificate, &transitions, &initial)?;
    names_end_with_channels(claims, &transitions)?;
    shadows_follow_one_sender(&explorer, &shadows, &transitions)?;
    work(&Prover::new(&explorer, &transitions, &initial, &tokens, certificate))
}

/// R1: schema and seal fit.
fn is_sealed(certificate: &Certificate) -> Result<(), Refusal> {
    is_of_this_version(certificate)?;
    Rule::Identity.demand(certificate.seal == fingerprint::of_certificate(certificate), || {
        "the certificate was changed after it was written: its seal does not fit".into()
    })
}

/// R1: the schema fits.
fn is_of_this_version(certificate: &Certificate) -> Result<(), Refusal> {
    let found = &certificate.schema;
    Rule::Identity.demand(found == SCHEMA, || other_version("certificate", found, SCHEMA))
}

/// R1: schema and fingerprint of the model fit.
fn is_for(system: &System, certificate: &Certificate) -> Result<(), Refusal> {
    is_of_this_version(certificate)?;
    Rule::Identity.demand(certificate.model == system.fingerprint(), || {
        "the certificate is for another model, or another version of this one".into()
    })
}

/// R2: there is a proof. (That each says something is for the proofs to check.)
fn says_something(certificate: &Certificate) -> Result<(), Refusal> {
    Rule::SaysSomething
        .demand(!certificate.proofs.is_empty(), || "the certificate proves nothing".to_string())
}

/// R12 for `provided`, which is evaluated beside all statements: it may stop a process, but starts none.
fn clauses_are_understood(system: &System) -> Result<(), Refusal> {
    for proctype in &system.model.proctypes {
        let mut runs = false;
        if let Some(clause) = &proctype.provided {
            clause.visit(&mut |part| runs |= matches!(part.kind, ExprKind::Run { .. }));
        }
        Rule::Understood
            .demand(!runs, || format!("the `provided` clause of {} starts a process", proctype.name))?;
    }
    Ok(())
}

/// Global slots that formulas look at.
fn watched(system: &System, names: &[&str]) -> BTreeSet<u32> {
    let mut slots = BTreeSet::new();
    for formula in system.model.formulas.iter().filter(|formula| names.contains(&formula.name.as_str())) {
        let violations = Violations::of(&system.model, &formula.formula);
        for proposition in violations.iter().flat_map(|violations| &violations.propositions) {
            slots.extend(prove::atoms::global_slots(proposition).into_iter().flatten());
        }
    }
    slots
}

/// How many processes of a group there may be when another process moves. (One that is there at the start and does not end is there
/// always, and if there is never a second, it is the only one.)
fn tokens(system: &System, claims: &Claims, id: GroupId, initial: &prove::Initial) -> Tokens {
    let group = &claims.groups[id.index()];
    let automaton = &system.automata[group.automaton as usize];
    let ends = group.nodes.iter().any(|node| match node.point {
        Point::At(location) => {
            let edges = &automaton.locations[location as usize].edges;
            edges.iter().any(|&edge| matches!(automaton.edge(edge).action, Action::End))
        }
        Point::Inside { .. } => false,
    });
    match group.at_most {
        Some(1) if initial.count(id) == 1 && !ends => Tokens::One,
        Some(1) => Tokens::AtMostOne,
        _ => Tokens::Any,
    }
}

/// R21: every claim about the size of a group is shown: by a proof, or because nothing starts a process in it.
fn sizes_are_shown(
    certificate: &Certificate,
    transitions: &Transitions,
    initial: &prove::Initial,
) -> Result<(), Refusal> {
    for (id, group) in (0..).map(GroupId).zip(&certificate.claims.groups) {
        let Some(at_most) = group.at_most else { continue };
        let proved = certificate
            .proofs
            .iter()
            .any(|proof| matches!(proof, Proof::Starts { group, .. } if *group == id));
        let plain = !transitions.started.contains(&id) && initial.count(id) == at_most as usize;
        Rule::SizesShown.demand(proved || plain, || {
            format!("nothing shows that group {} has at most {at_most} processes", id.0)
        })?;
    }
    Ok(())
}

/// R20: the number of a channel is used again after the process that owns it has ended. So a channel of a process that may end must
/// be known to that process and its descendants only, which end before it.
fn names_end_with_channels(claims: &Claims, transitions: &Transitions) -> Result<(), Refusal> {
    let mortal: BTreeSet<ObjectId> = (0..)
        .map(ObjectId)
        .zip(&claims.objects)
        .filter(|(_, object)| match object.place {
            ObjectPlace::Global { .. } => false,
            ObjectPlace::Local { group, .. } => transitions.ending.contains(&group),
        })
        .map(|(id, _)| id)
        .collect();
    let fields = claims.objects.iter().flat_map(|object| &object.classes).flat_map(|class| &class.fields);
    let escapes = |values: &Values| values.channels.iter().any(|object| mortal.contains(object));
    Rule::NamesEnd.demand(!claims.globals.iter().chain(fields).any(escapes), || {
        "a channel of a process that may end is kept in a global variable or sent in a message".into()
    })
}

/// R23: a shadow needs one channel, one sender of its classes, one receiver of them, and first-in first-out.
fn shadows_follow_one_sender(
    explorer: &Explorer,
    shadows: &Shadows,
    transitions: &Transitions,
) -> Result<(), Refusal> {
    let claims = explorer.claims;
    let alone = |group: GroupId| claims.groups[group.index()].at_most == Some(1);
    for (receiver, group) in (0..).map(GroupId).zip(&claims.groups) {
        for shadow in &group.shadows {
            let sender = claims.auxiliaries[shadow.sender.index()].group;
            let one_channel = match claims.objects[shadow.object.index()].place {
                ObjectPlace::Global { .. } => true,
                ObjectPlace::Local { group, .. } => alone(group),
            };
            let demand = |holds: bool, what: &str| {
                Rule::OneSender.demand(holds, || format!("the shadow of object {}: {what}", shadow.object.0))
            };
            demand(
                one_channel && alone(sender) && alone(receiver),
                "channel, sender and receiver must each be one",
            )?;
            let in_order =
                !explorer.is_rendezvous(shadow.object) && !transitions.unordered.contains(&shadow.object);
            demand(in_order, "the channel is not first-in first-out")?;
            for transition in &transitions.all {
                let Some(message) = transition.message else { continue };
                if message.object != shadow.object
                    || !shadows.sends(shadow.sender, message.object, message.class)
                {
                    continue;
                }
                let expected = if message.change > 0 { sender } else { receiver };
                demand(
                    transition.actor.group == expected,
                    "a message of the sender's classes is sent or received by somebody else",
                )?;
            }
        }
    }
    Ok(())
}
