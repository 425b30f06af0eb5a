//! Is every buffer bounded, and by how much?

use std::collections::HashMap;
use std::sync::Arc;

use certificate::Certificate;
use certificate::verdict::StopReason;
use system::automaton::System;
use system::control::Control;
use system::progress::ProgressStatements;

use crate::board::{Board, BufferName, Fact, Stopped, Wanted};
use crate::options::BoundsOptions;
use crate::refine::attempt::{Attempt, ProvedBound};
use crate::refine::prove::{Aim, Conclusion, Proved, Prover};
use crate::values::analysis::flows;
use crate::values::world::{Declared, GroupKey, ObjectIndex};

/// Publishes what can be proved about the buffers of the system: that all are bounded, then how full each gets.
pub fn bounds(system: &System, options: &BoundsOptions, board: &dyn Board) -> Stopped {
    let flows = flows(system, &ProgressStatements::default());
    let all_closed = || !board.wants(Wanted::AllBounded);
    let nothing_open = || !board.wants(Wanted::SomeBound);
    let until_closed = Control::none().cancelled_by(&all_closed);
    let mut prover =
        Prover::new(system, &flows, options.capacities, options.budgets, (until_closed, board.analyses()));
    let mut conclusion = prover.prove_with_help(&Aim::AllBounded, board);
    // A buffer may be bounded although another is not, and a bound may be asked for after all is known to be bounded.
    prover.control = Control::none().cancelled_by(&nothing_open);
    if matches!(conclusion, Err(StopReason::Cancelled)) {
        conclusion = prover.prove(&Aim::AllBounded, 0);
    }
    let conclusion = match conclusion {
        Ok(conclusion) => conclusion,
        Err(reason) => return prover.stopped(None, reason),
    };
    let named = |(object, name): (ObjectIndex, String)| {
        let channel = channel_number(&conclusion.attempt, object);
        BufferName { name, channel }
    };
    board.publish(Fact::Buffers(conclusion.attempt.buffers().into_iter().map(named).collect()));
    if let Some(proof) = &conclusion.proof {
        board.publish(Fact::AllBounded(proof.certificate.clone()));
    }
    publish_bounds(&mut prover, &conclusion, board);
    let reason = conclusion.reason.clone();
    prover.stopped(Some(&conclusion), reason)
}

/// Bounds of single buffers: of the last attempt; with refinements of its own for each that has none; with shadows where somebody wants better
/// ones.
fn publish_bounds<'s>(prover: &mut Prover<'_, 's>, conclusion: &Conclusion<'s>, board: &dyn Board) {
    let attempt = &conclusion.attempt;
    let mut known = Known { board, bounds: HashMap::new() };
    // What the common potential says costs nothing; a program for each buffer, and then for the moments after each of its sends, only where
    // that is more than any run has shown.
    known.publish(bounds_at_once(attempt, &conclusion.proof));
    for moments in [Moments::All, Moments::AfterSends] {
        let better =
            certified_bounds(prover, attempt, &conclusion.proof, moments, &|name| known.is_open(name));
        known.publish(better);
    }
    if conclusion.proof.is_none() {
        one_by_one(prover, attempt, &mut known);
    }
    let without_shadows = prover.refinements.clone();
    if attempt.buffers().iter().any(|(_, name)| known.is_open(name))
        && let Some(finer) = prover.with_shadows(attempt)
    {
        let sharper =
            certified_bounds(prover, &finer, &None, Moments::AfterSends, &|name| known.is_open(name));
        if !known.publish_of_another(&finer, sharper) {
            prover.refinements = without_shadows;
        }
    }
}

/// Where not all buffers are bounded, each that has no bound yet is a question of its own: what helps against the flood of one does not
/// help with the next.
fn one_by_one<'s>(prover: &mut Prover<'_, 's>, attempt: &Attempt<'s>, known: &mut Known<'_>) {
    let (tried, work) = (prover.refinements.clone(), attempt.abstraction.net.transitions.len());
    let buffers = attempt.buffers();
    if buffers.len().saturating_mul(work) > prover.budgets.buffer_transitions {
        return;
    }
    for (_, name) in buffers.into_iter().filter(|(object, _)| is_there_at_first(attempt, *object)) {
        if known.bounds.contains_key(&name) || !known.is_open(&name) {
            continue;
        }
        prover.begin_again();
        let Ok(found) = prover.prove(&Aim::Buffer(name), REFINEMENTS_OF_ONE_BUFFER) else { continue };
        if found.proof.is_some() {
            for moments in [Moments::All, Moments::AfterSends] {
                let is_open = |name: &str| known.is_open(name);
                let bounds = certified_bounds(prover, &found.attempt, &None, moments, &is_open);
                known.publish_of_another(&found.attempt, bounds);
            }
        }
    }
    prover.refinements = tried;
}

/// Refinements for a buffer on its own.
const REFINEMENTS_OF_ONE_BUFFER: usize = 8;

/// The best bounds so far, each published when it was found.
struct Known<'a> {
    board: &'a dyn Board,
    bounds: HashMap<String, Certified>,
}

impl Known<'_> {
    /// Whether somebody wants a better bound than the one that is known, and there may be one: whatever is sent to holds one message at
    /// some time.
    fn is_open(&self, name: &str) -> bool {
        self.bounds.get(name).is_none_or(|(bound, _)| *bound > 1) && self.board.wants(Wanted::Bound(name))
    }

    /// Publishes those that are better; whether there are any.
    fn publish(&mut self, bounds: HashMap<String, Certified>) -> bool {
        let mut is_better = false;
        for (name, (bound, certificate)) in bounds {
            if self.bounds.get(&name).is_none_or(|(other, _)| bound < *other) {
                is_better = true;
                let (buffer, evidence) = (name.clone(), certificate.clone());
                self.board.publish(Fact::AtMost { buffer, bound, certificate: evidence });
                self.bounds.insert(name, (bound, certificate));
            }
        }
        is_better
    }

    /// The same of another attempt: groups of started processes have other numbers there, and so have their channels.
    fn publish_of_another(&mut self, attempt: &Attempt<'_>, mut bounds: HashMap<String, Certified>) -> bool {
        let same = attempt.buffers().into_iter().filter(|(object, _)| is_there_at_first(attempt, *object));
        let same: Vec<String> = same.map(|(_, name)| name).collect();
        bounds.retain(|name, _| same.contains(name));
        self.publish(bounds)
    }
}

/// When a buffer is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moments {
    /// At all times, with one potential.
    All,
    /// Just after each send, with a potential for each, too.
    AfterSends,
}

/// A bound and where it comes from.
type Certified = (u64, Arc<Certificate>);

/// Bounds of the buffers that are asked for, by name, each with a certificate that was checked.
fn certified_bounds<'s>(
    prover: &mut Prover<'_, 's>,
    attempt: &Attempt<'s>,
    proof: &Option<Proved>,
    moments: Moments,
    is_open: &dyn Fn(&str) -> bool,
) -> HashMap<String, Certified> {
    let names = attempt.buffers();
    let work = names.len().saturating_mul(attempt.abstraction.net.transitions.len());
    if work > prover.budgets.buffer_transitions {
        return HashMap::new();
    }
    let open = |(object, name): (ObjectIndex, String)| {
        let shown =
            is_open(&name).then(|| static_bound(attempt, object, proof, moments, &prover.control))??;
        Some((object, name, shown))
    };
    let shown: Vec<(ObjectIndex, String, ProvedBound)> = names.into_iter().filter_map(open).collect();
    if shown.is_empty() {
        return HashMap::new();
    }
    let together = shown.iter().map(|(_, _, bound)| bound.proof.clone()).collect();
    if let Some(certificate) = prover.checked(attempt, together) {
        let bound = |(_, name, bound): (ObjectIndex, String, ProvedBound)| {
            (name, (bound.at_most, Arc::clone(&certificate)))
        };
        return shown.into_iter().map(bound).collect();
    }
    // Refused: one for each, so that one defect does not hide the others.
    let mut single = |(object, name, bound): (ObjectIndex, String, ProvedBound)| {
        let room = attempt.bound_by_capacity(object);
        let tries = std::iter::once(bound).chain(room);
        let mut checked = tries.filter_map(|bound| {
            let certificate = prover.checked(attempt, vec![bound.proof.clone()])?;
            Some((bound.at_most, certificate))
        });
        checked.next().map(|certified| (name, certified))
    };
    shown.into_iter().filter_map(&mut single).collect()
}

/// What the proof that all buffers are bounded says of each.
fn bounds_at_once(attempt: &Attempt<'_>, proof: &Option<Proved>) -> HashMap<String, Certified> {
    let Some(proof) = proof else { return HashMap::new() };
    let bound = |(object, name): (ObjectIndex, String)| {
        Some((name, (*proof.bounds.get(&object)?, Arc::clone(&proof.certificate))))
    };
    attempt.buffers().into_iter().filter_map(bound).collect()
}

/// The best bound that a potential shows.
fn static_bound(
    attempt: &Attempt<'_>,
    object: ObjectIndex,
    proof: &Option<Proved>,
    moments: Moments,
    control: &Control<'_>,
) -> Option<ProvedBound> {
    let cancelled = || control.is_cancelled();
    let common =
        proof.as_ref().and_then(|proof| proof.potential.as_ref()).and_then(|p| attempt.bound_from(object, p));
    let own = attempt.bound(object, &cancelled).ok().flatten();
    let is_bounded = own.is_some() && moments == Moments::AfterSends;
    let sharp = if is_bounded { attempt.bound_after_sends(object, &cancelled) } else { None };
    let all = [attempt.bound_by_capacity(object), attempt.bound_by_guard(object), own, sharp, common];
    all.into_iter().flatten().min_by_key(|bound| bound.at_most)
}

/// The number that a channel has in every state, if there is one.
fn channel_number(attempt: &Attempt<'_>, object: ObjectIndex) -> Option<u32> {
    let world = &attempt.analysis.world;
    let stays = match world.object(object).declared {
        // Global channels are the first objects, in the order in which they are created.
        Declared::Global(_) => true,
        // Then come those of the processes that start by themselves. The numbers of the dead are used again, but not if
        // nobody creates another channel.
        Declared::Local(..) => world.object_indices().all(|(object, _)| is_there_at_first(attempt, object)),
    };
    stays.then_some(object.0)
}

/// Whether a channel is a global one, or of a process that starts by itself.
fn is_there_at_first(attempt: &Attempt<'_>, object: ObjectIndex) -> bool {
    let world = &attempt.analysis.world;
    match world.object(object).declared {
        Declared::Global(_) => true,
        Declared::Local(group, _) => matches!(world.group(group).key, GroupKey::Initial(..)),
    }
}
