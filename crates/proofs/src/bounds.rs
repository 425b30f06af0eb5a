//! Is every buffer bounded, and by how much?

use std::collections::HashMap;

use certificate::potential::Proof;
use certificate::pump::PumpQuestion;
use certificate::verdict::Capacities;
use system::automaton::System;
use system::interpreter::Capacities as RunCapacities;
use system::progress::ProgressStatements;

use crate::analysis::flows;
use crate::attempt::{Attempt, ProvedBound};
use crate::explore::{Exploration, SearchLimits};
use crate::options::{BoundsOptions, Control};
use crate::prove::{Aim, Outcome, Proved, Prover};
use crate::pump::{Pump, PumpFinder};
use crate::report::{
    BoundsReport, BoundsVerdict, BufferReport, BufferVerdict, ProofSource, SearchReport, UnknownReason,
};
use crate::seen::Seen;
use crate::stalled::{self, Traffic};
use crate::suspicion;
use crate::world::{Declared, GroupKey, ObjectIndex};

/// Refinements before the first search.
const FIRST_REFINEMENTS: usize = 3;
/// States of the search that looks for plain flooders before anything larger is done.
const FIRST_LOOK: usize = 3_000;
/// Messages in one buffer beyond which the search does not go on.
const MOST_MESSAGES: u64 = 300;

/// Answers for every buffer of the system.
pub fn bounds(system: &System, options: &BoundsOptions, control: &Control<'_>) -> BoundsReport {
    let flows = flows(system, &ProgressStatements::default());
    let capacities = match options.capacities {
        Capacities::Any => RunCapacities::Unbounded,
        Capacities::Declared => RunCapacities::Declared,
    };
    let mut prover = Prover::new(system, &flows, options.capacities, options.budgets, control);
    let all = options.budgets.refinements;
    // A few refinements first, then search, and only then whatever else there is to try.
    let mut outcome = prover.prove(&Aim::AllBounded, all.min(FIRST_REFINEMENTS));
    let is_proved = |outcome: &Result<Outcome<'_>, _>| matches!(outcome, Ok(Outcome { proof: Some(_), .. }));
    let may_pump = options.capacities == Capacities::Any;
    let first = FIRST_LOOK.min(options.budgets.states);
    let look = match is_proved(&outcome) {
        true => SearchLimits::of_a_decided_system(options.budgets.states / 2),
        false => SearchLimits::first_look(first),
    };
    let is_first_look = !is_proved(&outcome);
    let mut exploration = Exploration::run(system, capacities, look, MOST_MESSAGES, control);
    let mut found = None;
    if !is_proved(&outcome) && !exploration.complete {
        let seen = Seen::new(system, capacities, &exploration, control);
        if may_pump {
            found = find_pump(
                system,
                &exploration,
                outcome.as_ref().ok(),
                Some((&seen.traffic, options.budgets.states)),
                control,
            );
        }
        if found.is_none()
            && let Ok(Outcome { attempt, proof: None, .. }) = &outcome
            && prover.guess(attempt, seen)
        {
            outcome = prover.prove(&Aim::AllBounded, all.min(2 * FIRST_REFINEMENTS));
        }
    }
    if found.is_none() && !is_proved(&outcome) {
        let most = options.budgets.states;
        let living = exploration.of_the_living(system, capacities, most, control);
        exploration = living.unwrap_or(exploration);
    }
    if found.is_none() && !exploration.complete && is_first_look && first < options.budgets.states {
        let most = match is_proved(&outcome) {
            true => SearchLimits::of_a_decided_system(options.budgets.states / 2),
            false => SearchLimits::whole(options.budgets.states),
        };
        exploration = Exploration::run(system, capacities, most, MOST_MESSAGES, control);
        if may_pump && !is_proved(&outcome) && !exploration.complete {
            found = find_pump(system, &exploration, None, None, control);
        }
    }
    if found.is_none() && !is_proved(&outcome) && outcome.is_ok() {
        let more = prover.go_on(exploration.complete);
        outcome = prover.prove(&Aim::AllBounded, more);
    }
    let refinements = |prover: &Prover<'_, '_>| -> Vec<String> {
        prover.refinements.iter().map(|refinement| refinement.describe(system)).collect()
    };
    let search = exploration.report();
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(reason) => {
            let refinements = refinements(&prover);
            let unknown = UnknownReason { reason, suspicious: Vec::new(), findings: prover.findings };
            let verdict = match (found, by_search(&exploration)) {
                (Some(found), _) => BoundsVerdict::Violated(Box::new(found)),
                (None, Some(source)) => BoundsVerdict::Proved(source),
                (None, None) => BoundsVerdict::Unknown(unknown),
            };
            return BoundsReport { verdict, buffers: Vec::new(), refinements, search };
        }
    };
    let names = outcome.attempt.buffers();
    if names.is_empty() {
        let refinements = refinements(&prover);
        return BoundsReport { verdict: BoundsVerdict::NoBuffers, buffers: Vec::new(), refinements, search };
    }
    let verdict = match (&outcome.proof, found, by_search(&exploration)) {
        (Some(proof), _, _) => BoundsVerdict::Proved(ProofSource::Certificate(proof.certificate.clone())),
        (None, Some(found), _) => BoundsVerdict::Violated(Box::new(found)),
        (None, None, Some(source)) => BoundsVerdict::Proved(source),
        (None, None, None) => BoundsVerdict::Unknown(UnknownReason {
            reason: outcome.reason.clone(),
            suspicious: suspicion::cycles_of(&outcome.attempt, &outcome.suspicious),
            findings: prover.findings.clone(),
        }),
    };
    let buffers = buffers(&mut prover, &outcome, names, &verdict, &exploration);
    BoundsReport { verdict, buffers, refinements: refinements(&prover), search }
}

/// Flooders first, then loops of what looks suspicious, then buffers that nobody empties, then loops with more processes each time; only
/// what the checker accepts.
fn find_pump(
    system: &System,
    exploration: &Exploration,
    outcome: Option<&Outcome<'_>>,
    traffic: Option<(&Traffic, usize)>,
    control: &Control<'_>,
) -> Option<Pump> {
    let mut finder = PumpFinder::new(system, PumpQuestion::Unbounded);
    let found = finder.among(exploration, &|_, _| true, control);
    let guided = found.or_else(|| {
        let outcome = outcome?;
        finder.guided(exploration, &suspicion::steps_of(&outcome.attempt, &outcome.suspicious), control)
    });
    let stalled = guided.or_else(|| {
        let (traffic, states) = traffic?;
        stalled::find(system, &PumpQuestion::Unbounded, traffic, states, &|_, _| true, control)
    });
    stalled.or_else(|| PumpFinder::with_more_processes(system)?.among(exploration, &|_, _| true, control))
}

/// A finite search with unbounded queues is a proof by itself.
fn by_search(exploration: &Exploration) -> Option<ProofSource> {
    let SearchReport { states, transitions, complete } = exploration.report();
    complete.then_some(ProofSource::Search { states, transitions })
}

fn buffers<'s>(
    prover: &mut Prover<'_, 's>,
    outcome: &Outcome<'s>,
    names: Vec<(ObjectIndex, String)>,
    verdict: &BoundsVerdict,
    exploration: &Exploration,
) -> Vec<BufferReport> {
    let attempt = &outcome.attempt;
    let seen_in = |object: ObjectIndex| {
        let channel = channel_number(attempt, object);
        channel.and_then(|channel| exploration.peaks.get(channel)).copied().unwrap_or(0)
    };
    let mut known = certified_bounds(prover, attempt, &outcome.proof);
    let is_sharp = |(object, name): &(ObjectIndex, String), known: &HashMap<String, Certified>| {
        known.get(name).is_some_and(|(bound, _)| *bound == seen_in(*object))
    };
    let without_shadows = prover.refinements.clone();
    if !names.iter().all(|buffer| is_sharp(buffer, &known))
        && let Some(finer) = prover.with_shadows(attempt)
    {
        let mut is_of_use = false;
        let mut sharper = certified_bounds(prover, &finer, &None);
        // Groups of started processes have other numbers in another attempt, and so have their channels.
        let same = finer.buffers().into_iter().filter(|(object, _)| is_there_at_first(&finer, *object));
        for (_, name) in same {
            let Some((bound, source)) = sharper.remove(&name) else { continue };
            if known.get(&name).is_none_or(|(other, _)| bound < *other) {
                known.insert(name, (bound, source));
                is_of_use = true;
            }
        }
        if !is_of_use {
            prover.refinements = without_shadows;
        }
    }
    let mut reports = Vec::with_capacity(names.len());
    for (object, name) in names {
        let channel = channel_number(attempt, object);
        let seen = seen_in(object);
        let certified = known.remove(&name);
        let searched = by_search(exploration).filter(|_| channel.is_some());
        let verdict = match (certified, searched) {
            (Some((bound, source)), None) => BufferVerdict::AtMost { bound, tight: bound == seen, source },
            (Some((bound, source)), Some(_)) if bound == seen => {
                BufferVerdict::AtMost { bound, tight: true, source }
            }
            (_, Some(source)) => BufferVerdict::AtMost { bound: seen, tight: true, source },
            (None, None) => match (verdict, channel) {
                (BoundsVerdict::Proved(source), _) => BufferVerdict::Bounded(source.clone()),
                (BoundsVerdict::Violated(pump), Some(channel)) if pump.grows.contains(&(channel as u32)) => {
                    BufferVerdict::Unbounded(pump.clone())
                }
                _ => BufferVerdict::Unknown,
            },
        };
        reports.push(BufferReport { name, verdict, seen });
    }
    reports
}

/// A bound and where it comes from.
type Certified = (u64, ProofSource);

/// Bounds of buffers by name, each with a certificate that was checked.
fn certified_bounds<'s>(
    prover: &mut Prover<'_, 's>,
    attempt: &Attempt<'s>,
    proof: &Option<Proved>,
) -> HashMap<String, Certified> {
    let names = attempt.buffers();
    let work = names.len().saturating_mul(attempt.abstraction.net.transitions.len());
    if work > prover.budgets.buffer_transitions {
        return bounds_at_once(prover, attempt, proof, names);
    }
    let mut shown: Vec<Option<ProvedBound>> =
        names.iter().map(|&(object, _)| static_bound(attempt, object, proof, prover.control)).collect();
    let mut sources = certified(prover, attempt, &shown);
    for (((object, _), shown), source) in names.iter().zip(&mut shown).zip(&mut sources) {
        if source.is_none()
            && let Some(by_capacity) = attempt.bound_by_capacity(*object)
            && let Some(certificate) = prover.checked(attempt, vec![by_capacity.proof.clone()])
        {
            *shown = Some(by_capacity);
            *source = Some(ProofSource::Certificate(certificate));
        }
    }
    let bounds = names.into_iter().zip(shown.into_iter().zip(sources));
    bounds.filter_map(|((_, name), (shown, source))| Some((name, (shown?.at_most, source?)))).collect()
}

/// One potential for all buffers: where they are many, one program for each would take long, and one proof for each would repeat
/// the potential as often.
fn bounds_at_once<'s>(
    prover: &mut Prover<'_, 's>,
    attempt: &Attempt<'s>,
    proof: &Option<Proved>,
    names: Vec<(ObjectIndex, String)>,
) -> HashMap<String, Certified> {
    let Some(potential) = proof.as_ref().and_then(|proof| proof.potential.as_ref()) else {
        return HashMap::new();
    };
    let (mut shown, common) = attempt.bounds_from(potential);
    let mut proofs = vec![common];
    for (object, _) in &names {
        // As declared, a buffer's room may say more.
        if let Some(room) = attempt.bound_by_capacity(*object)
            && shown.get(object).is_none_or(|bound| room.at_most < *bound)
        {
            shown.insert(*object, room.at_most);
            proofs.push(room.proof);
        }
    }
    let Some(certificate) = prover.checked(attempt, proofs) else { return HashMap::new() };
    let source = ProofSource::Certificate(certificate);
    let bound = |(object, name): (ObjectIndex, String)| Some((name, (*shown.get(&object)?, source.clone())));
    names.into_iter().filter_map(bound).collect()
}

/// One certificate for all bounds; if it is refused, one for each, so that one defect does not hide the others.
fn certified<'s>(
    prover: &mut Prover<'_, 's>,
    attempt: &Attempt<'s>,
    shown: &[Option<ProvedBound>],
) -> Vec<Option<ProofSource>> {
    let proofs: Vec<Proof> = shown.iter().flatten().map(|bound| bound.proof.clone()).collect();
    if proofs.is_empty() {
        return vec![None; shown.len()];
    }
    if let Some(certificate) = prover.checked(attempt, proofs) {
        let source = ProofSource::Certificate(certificate);
        return shown.iter().map(|bound| bound.as_ref().map(|_| source.clone())).collect();
    }
    let single = |bound: &Option<ProvedBound>| {
        let certificate = prover.checked(attempt, vec![bound.as_ref()?.proof.clone()])?;
        Some(ProofSource::Certificate(certificate))
    };
    shown.iter().map(single).collect()
}

/// The best bound that a potential shows.
fn static_bound(
    attempt: &Attempt<'_>,
    object: ObjectIndex,
    proof: &Option<Proved>,
    control: &Control<'_>,
) -> Option<ProvedBound> {
    let cancelled = || control.is_cancelled();
    let common =
        proof.as_ref().and_then(|proof| proof.potential.as_ref()).and_then(|p| attempt.bound_from(object, p));
    let own = attempt.bound(object, &cancelled).ok().flatten();
    let all = [attempt.bound_by_capacity(object), attempt.bound_by_guard(object), own, common];
    all.into_iter().flatten().min_by_key(|bound| bound.at_most)
}

/// The number that a channel has in every state, if there is one.
fn channel_number(attempt: &Attempt<'_>, object: ObjectIndex) -> Option<usize> {
    let world = &attempt.analysis.world;
    let stays = match world.object(object).declared {
        // Global channels are the first objects, in the order in which they are created.
        Declared::Global(_) => true,
        // Then come those of the processes that start by themselves. The numbers of the dead are used again, but not if
        // nobody creates another channel.
        Declared::Local(..) => world.object_indices().all(|(object, _)| is_there_at_first(attempt, object)),
    };
    stays.then_some(object.0 as usize)
}

/// Whether a channel is a global one, or of a process that starts by itself.
fn is_there_at_first(attempt: &Attempt<'_>, object: ObjectIndex) -> bool {
    let world = &attempt.analysis.world;
    match world.object(object).declared {
        Declared::Global(_) => true,
        Declared::Local(group, _) => matches!(world.group(group).key, GroupKey::Initial(..)),
    }
}
