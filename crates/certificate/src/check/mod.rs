//! The checker: one pass over every statement of the model, in exact integers, with code of its own.
//!
//! [`check`] verifies that a certificate is for this model, that its claims hold at the start, that every statement that the claims
//! allow keeps them, and that its potentials show what its proofs say. It trusts the lowering to automata and the initial state of
//! `system`, and nothing else. What it does not understand it refuses.

mod environment;
mod evaluate;
mod explore;
mod guard;
mod lookup;
mod prove;
mod refusal;
mod start;
mod statement;
mod structure;
mod transition;

pub use refusal::Refusal;
pub(crate) use refusal::line_of;
pub(crate) use start::Configuration;
pub(crate) use structure::channel_slots;

use crate::claims::{Claims, GroupId, ObjectId, ObjectPlace, Point};
use crate::potential::Proof;
use crate::values::Values;
use crate::{Certificate, SCHEMA, fingerprint};
use explore::Explorer;
use prove::Prover;
use std::collections::BTreeSet;
use system::automaton::{Action, DStepNode, System};
use transition::{Assembler, Shadows, Tokens, Transitions};

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
    if certificate.schema != SCHEMA {
        return Err(Refusal::Schema { found: certificate.schema.clone() });
    }
    if certificate.seal != fingerprint::of_certificate(certificate) {
        return Err(Refusal::Seal);
    }
    if certificate.model != fingerprint::of_system(system) {
        return Err(Refusal::Model);
    }
    check_contents(system, certificate, cancelled)
}

/// Checks everything but the fingerprints.
pub(crate) fn check_contents(
    system: &System,
    certificate: &Certificate,
    cancelled: &dyn Fn() -> bool,
) -> Result<Checked, Refusal> {
    let claims = &certificate.claims;
    let channel_types = structure::well_formed(system, claims)?;
    let explorer = Explorer::new(system, claims, &channel_types, cancelled);
    let halves = explorer.halves()?;
    let beginning = Configuration::initial(system, claims)?;
    let shadows = start::shadows(&explorer, &halves, &beginning)?;
    let initial = start::initial(&explorer, &beginning, &shadows)?;
    let tokens: Vec<Tokens> = (0..claims.groups.len())
        .map(|index| tokens(system, claims, GroupId(index as u32), &initial))
        .collect();
    let transitions = Assembler::new(&explorer, &shadows, &tokens).assemble(&halves)?;
    sizes_are_shown(certificate, &transitions, &initial)?;
    channels_outlive_their_names(claims, &transitions)?;
    shadows_follow_one_sender(&explorer, &shadows, &transitions)?;
    let prover = Prover::new(&explorer, &transitions, &initial, certificate);
    for (number, bar) in claims.bars.iter().enumerate() {
        prover.bar(number, bar)?;
    }
    for (number, proof) in certificate.proofs.iter().enumerate() {
        prover.check(number, proof)?;
    }
    let groups = claims.groups.iter().map(|group| group.nodes.len());
    let others = claims.trackers.iter().map(|tracker| tracker.nodes.len());
    Ok(Checked {
        nodes: groups.chain(others).sum(),
        transitions: transitions.all.len(),
        proofs: certificate.proofs.len(),
    })
}

/// How many processes of a group there may be when another process moves.
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
        Some(1) if initial.count(id) == 1 && !ends && !is_run(system, group.automaton) => Tokens::One,
        Some(1) => Tokens::AtMostOne,
        _ => Tokens::Any,
    }
}

/// Whether some statement of the model runs the proctype.
fn is_run(system: &System, proctype: u32) -> bool {
    fn in_action(action: &Action, proctype: u32) -> bool {
        match action {
            Action::Condition(e) | Action::Assign { value: e, .. } => structure::runs(e, proctype),
            Action::DStep(body) => {
                let choices = body.nodes.iter().flat_map(|DStepNode { choices }| choices);
                choices.into_iter().any(|choice| in_action(&choice.action, proctype))
            }
            _ => false,
        }
    }
    system.process_automata().any(|(_, a)| a.edges.iter().any(|edge| in_action(&edge.action, proctype)))
}

/// Every claim about the size of a group is shown: by a proof, or because nothing starts a process in it.
fn sizes_are_shown(
    certificate: &Certificate,
    transitions: &Transitions,
    initial: &prove::Initial,
) -> Result<(), Refusal> {
    for (index, group) in certificate.claims.groups.iter().enumerate() {
        let id = GroupId(index as u32);
        let Some(at_most) = group.at_most else { continue };
        let proved = certificate
            .proofs
            .iter()
            .any(|proof| matches!(proof, Proof::Starts { group, .. } if *group == id));
        if !proved && (transitions.started.contains(&id) || initial.count(id) != at_most) {
            let what = format!("nothing shows that group {index} has at most {at_most} processes");
            return Err(Refusal::Malformed { what });
        }
    }
    Ok(())
}

/// The number of a channel is used again after the process that owns it has ended. So a channel of a process that may end must
/// be known to that process and its descendants only, which end before it.
fn channels_outlive_their_names(claims: &Claims, transitions: &Transitions) -> Result<(), Refusal> {
    let mortal: BTreeSet<ObjectId> = claims
        .objects
        .iter()
        .enumerate()
        .filter(|(_, object)| match object.place {
            ObjectPlace::Global { .. } => false,
            ObjectPlace::Local { group, .. } => transitions.ending.contains(&group),
        })
        .map(|(index, _)| ObjectId(index as u32))
        .collect();
    let fields = claims.objects.iter().flat_map(|object| &object.classes).flat_map(|class| &class.fields);
    let escapes = |values: &Values| values.channels.iter().any(|object| mortal.contains(object));
    if claims.globals.iter().chain(fields).any(escapes) {
        let what = "a channel of a process that may end is kept in a global variable or sent in a message";
        return Err(Refusal::Malformed { what: what.into() });
    }
    Ok(())
}

/// A shadow needs one channel, one sender of its classes, one receiver of them, and first-in first-out.
fn shadows_follow_one_sender(
    explorer: &Explorer,
    shadows: &Shadows,
    transitions: &Transitions,
) -> Result<(), Refusal> {
    let claims = explorer.claims;
    let alone = |group: GroupId| claims.groups[group.index()].at_most == Some(1);
    for (index, group) in claims.groups.iter().enumerate() {
        let receiver = GroupId(index as u32);
        for shadow in &group.shadows {
            let sender = claims.auxiliaries[shadow.sender.index()].group;
            let one_channel = match claims.objects[shadow.object.index()].place {
                ObjectPlace::Global { .. } => true,
                ObjectPlace::Local { group, .. } => alone(group),
            };
            let refuse = |what: &str| {
                Err(Refusal::Malformed { what: format!("the shadow of object {}: {what}", shadow.object.0) })
            };
            if !one_channel || !alone(sender) || !alone(receiver) {
                return refuse("channel, sender and receiver must each be one");
            }
            if explorer.is_rendezvous(shadow.object) || transitions.unordered.contains(&shadow.object) {
                return refuse("the channel is not first-in first-out");
            }
            for transition in &transitions.all {
                let Some(message) = transition.message else { continue };
                if message.object != shadow.object
                    || !shadows.sends(shadow.sender, message.object, message.class)
                {
                    continue;
                }
                let expected = if message.change > 0 { sender } else { receiver };
                if transition.actor.group != expected {
                    return refuse("a message of the sender's classes is sent or received by somebody else");
                }
            }
        }
    }
    Ok(())
}
