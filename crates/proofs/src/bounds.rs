//! Is every buffer bounded, and by how much?

use std::collections::BTreeSet;
use std::sync::Arc;

use certificate::Certificate;
use certificate::potential::Proof;
use certificate::verdict::{Capacities, StopReason};
use system::automaton::System;
use system::interpreter::Capacities as RunCapacities;

use crate::analysis::{AnalysisError, AnalysisLimits, flows};
use crate::attempt::{Attempt, ProvedBound};
use crate::explore::Exploration;
use crate::flow::Flow;
use crate::net::TransitionId;
use crate::options::{BoundsOptions, Control};
use crate::parts::{Goal, NoTree};
use crate::potential::{Answer, Potential};
use crate::pump;
use crate::refine::{Refinement, candidates, starting_tracking};
use crate::report::{
    BoundsReport, BoundsVerdict, BufferReport, BufferVerdict, ProofSource, SearchReport, UnknownReason,
};
use crate::suspicion;
use crate::world::{Declared, ObjectIndex, Tracking};

/// Answers for every buffer of the system.
pub fn bounds(system: &System, options: &BoundsOptions, control: &Control<'_>) -> BoundsReport {
    let flows = flows(system, &|_, _| false);
    let capacities = match options.capacities {
        Capacities::Any => RunCapacities::Unbounded,
        Capacities::Declared => RunCapacities::Declared,
    };
    let exploration = Exploration::run(system, capacities, options.budgets.states, control);
    let search = SearchReport {
        states: exploration.states.len() as u64,
        transitions: exploration.transitions,
        complete: exploration.complete,
    };
    let mut work =
        Work { system, flows: &flows, options, control, findings: Vec::new(), refinements: Vec::new() };
    let outcome = work.refine();
    let refinements = work.refinements.iter().map(|refinement| refinement.describe(system)).collect();
    let (attempt, proof, suspicious, reason) = match outcome {
        Ok(Outcome { attempt, proof, suspicious, reason }) => (attempt, proof, suspicious, reason),
        Err(reason) => {
            let verdict = by_search(&exploration).map_or_else(
                || {
                    BoundsVerdict::Unknown(UnknownReason {
                        reason,
                        suspicious: Vec::new(),
                        findings: work.findings.clone(),
                    })
                },
                BoundsVerdict::Proved,
            );
            return BoundsReport { verdict, buffers: Vec::new(), refinements, search };
        }
    };
    let names = attempt.buffers();
    if names.is_empty() {
        return BoundsReport { verdict: BoundsVerdict::NoBuffers, buffers: Vec::new(), refinements, search };
    }
    let verdict = match &proof {
        Some(AllBounded { certificate, .. }) => {
            BoundsVerdict::Proved(ProofSource::Certificate(certificate.clone()))
        }
        None => {
            let steps = suspicion::steps_of(&attempt, &suspicious);
            let found = if options.capacities == Capacities::Any && !exploration.complete {
                pump::find_in(system, &exploration, &|_, _| true, control)
                    .or_else(|| pump::find_guided(system, &exploration, &steps, control))
                    .filter(|found| pump::check(system, found))
            } else {
                None
            };
            match (found, by_search(&exploration)) {
                (Some(found), _) => BoundsVerdict::Violated(Box::new(found)),
                (None, Some(source)) => BoundsVerdict::Proved(source),
                (None, None) => BoundsVerdict::Unknown(UnknownReason {
                    reason,
                    suspicious: suspicion::cycles_of(&attempt, &suspicious),
                    findings: work.findings.clone(),
                }),
            }
        }
    };
    let buffers = work.buffers(&attempt, names, &proof, &verdict, &exploration);
    BoundsReport { verdict, buffers, refinements, search }
}

/// A finite search with unbounded queues is a proof by itself.
fn by_search(exploration: &Exploration) -> Option<ProofSource> {
    exploration.complete.then_some(ProofSource::Search {
        states: exploration.states.len() as u64,
        transitions: exploration.transitions,
    })
}

struct Work<'a, 's> {
    system: &'s System,
    flows: &'s [Flow<'s>],
    options: &'a BoundsOptions,
    control: &'a Control<'a>,
    findings: Vec<String>,
    refinements: Vec<Refinement>,
}

struct AllBounded {
    certificate: Arc<Certificate>,
    potential: Option<Potential>,
}

struct Outcome<'s> {
    attempt: Attempt<'s>,
    proof: Option<AllBounded>,
    suspicious: Vec<(TransitionId, i64)>,
    reason: StopReason,
}

impl<'s> Work<'_, 's> {
    /// One attempt after another until all buffers are proved bounded or nothing is left to try.
    fn refine(&mut self) -> Result<Outcome<'s>, StopReason> {
        let cancelled = || self.control.is_cancelled();
        let mut useless: BTreeSet<Refinement> = BTreeSet::new();
        let mut chosen: Vec<Refinement> = starting_tracking(self.flows);
        let mut last: Option<Outcome<'s>> = None;
        let mut tried = 0;
        loop {
            let attempt = match self.attempt(&mut chosen, &mut useless)? {
                Some(attempt) => attempt,
                None => continue,
            };
            self.refinements = chosen.clone();
            let mut outcome = match self.all_bounded(&attempt) {
                Ok(proof) => {
                    return Ok(Outcome {
                        attempt,
                        proof: Some(proof),
                        suspicious: Vec::new(),
                        reason: StopReason::NotNeeded,
                    });
                }
                Err(suspicious) => {
                    Outcome { attempt, proof: None, suspicious, reason: StopReason::RefinementsExhausted }
                }
            };
            if cancelled() {
                outcome.reason = StopReason::Cancelled;
                return Ok(outcome);
            }
            let ids: Vec<TransitionId> = outcome.suspicious.iter().map(|(id, _)| *id).collect();
            let next = candidates(&outcome.attempt, &ids, &useless).first().copied();
            tried += 1;
            match next {
                Some(next) if tried <= self.options.budgets.refinements => {
                    chosen.push(next);
                    last = Some(outcome);
                }
                Some(_) => {
                    outcome.reason =
                        StopReason::RefinementLimit { refinements: self.options.budgets.refinements as u64 };
                    return Ok(outcome);
                }
                None => return Ok(outcome),
            }
            let _ = &last;
        }
    }

    /// An attempt with what is chosen; `None` if something had to be given up and it should be tried again.
    fn attempt(
        &mut self,
        chosen: &mut Vec<Refinement>,
        useless: &mut BTreeSet<Refinement>,
    ) -> Result<Option<Attempt<'s>>, StopReason> {
        let mut tracking = Tracking::default().for_automata(self.flows.len());
        chosen.iter().for_each(|refinement| refinement.add_to(&mut tracking));
        let limits = AnalysisLimits { nodes: self.options.budgets.nodes, ..AnalysisLimits::default() };
        match Attempt::new(self.system, self.flows, &tracking, limits, self.options.capacities) {
            Ok(attempt) => Ok(Some(attempt)),
            Err(AnalysisError::UnknownChannel { automaton, edge }) => {
                let automaton = self.system.automaton(automaton);
                let edge = automaton.edge(edge);
                Err(StopReason::Unsupported {
                    what: format!("`{}` in {}: the channel cannot be resolved", edge.text, automaton.name),
                })
            }
            Err(AnalysisError::TooManyValues { .. } | AnalysisError::TooLarge) => match chosen.pop() {
                Some(given_up) => {
                    useless.insert(given_up);
                    Ok(None)
                }
                None => Err(StopReason::Unsupported { what: "the abstraction is too large".into() }),
            },
        }
    }

    fn all_bounded(&mut self, attempt: &Attempt<'s>) -> Result<AllBounded, Vec<(TransitionId, i64)>> {
        let cancelled = || self.control.is_cancelled();
        let flow = match attempt.all_buffers(&cancelled) {
            Answer::Found(potential) => {
                let proof = attempt.all_bounded_proof(&potential);
                return match self.checked(attempt, proof) {
                    Some(certificate) => Ok(AllBounded { certificate, potential: Some(potential) }),
                    None => Err(Vec::new()),
                };
            }
            Answer::None(flow) => flow.times,
            Answer::Stopped => Vec::new(),
        };
        match attempt.tree(Goal::Bounded, self.options.budgets.stages, &cancelled) {
            Ok(stage) => {
                let proof = attempt.all_bounded_by_tree(&stage);
                match self.checked(attempt, proof) {
                    Some(certificate) => Ok(AllBounded { certificate, potential: None }),
                    None => Err(flow),
                }
            }
            Err(NoTree::Core(core)) if flow.is_empty() => Err(core.into_iter().map(|id| (id, 1)).collect()),
            Err(_) => Err(flow),
        }
    }

    /// The certificate, if the checker accepts it.
    fn checked(&mut self, attempt: &Attempt<'s>, proof: Proof) -> Option<Arc<Certificate>> {
        let certificate = attempt.certificate(vec![proof], &|| self.control.is_cancelled());
        match certificate::check::check(self.system, &certificate) {
            Ok(_) => Some(Arc::new(certificate)),
            Err(refusal) => {
                self.findings.push(format!("a certificate was refused: {refusal}"));
                None
            }
        }
    }

    fn buffers(
        &mut self,
        attempt: &Attempt<'s>,
        names: Vec<(ObjectIndex, String)>,
        proof: &Option<AllBounded>,
        verdict: &BoundsVerdict,
        exploration: &Exploration,
    ) -> Vec<BufferReport> {
        let one_by_one = names.len() <= self.options.budgets.buffers;
        let mut reports = Vec::with_capacity(names.len());
        for (object, name) in names {
            let channel = channel_number(attempt, object);
            let seen = channel.and_then(|channel| exploration.peaks.get(channel)).copied().unwrap_or(0);
            let static_bound = self.static_bound(attempt, object, proof, one_by_one);
            let verdict = match (static_bound, channel) {
                (Some((bound, source)), _) if bound == seen || !exploration.complete => {
                    BufferVerdict::AtMost { bound, tight: bound == seen, source }
                }
                (_, Some(_)) if exploration.complete => match by_search(exploration) {
                    Some(source) => BufferVerdict::AtMost { bound: seen, tight: true, source },
                    None => BufferVerdict::Unknown,
                },
                (Some((bound, source)), _) => BufferVerdict::AtMost { bound, tight: bound == seen, source },
                (None, _) => match (verdict, channel) {
                    (BoundsVerdict::Proved(source), _) => BufferVerdict::Bounded(source.clone()),
                    (BoundsVerdict::Violated(pump), Some(channel))
                        if pump.grows.contains(&(channel as u32)) =>
                    {
                        BufferVerdict::Unbounded(pump.clone())
                    }
                    _ => BufferVerdict::Unknown,
                },
            };
            reports.push(BufferReport { name, verdict, seen });
        }
        reports
    }

    fn static_bound(
        &mut self,
        attempt: &Attempt<'s>,
        object: ObjectIndex,
        proof: &Option<AllBounded>,
        one_by_one: bool,
    ) -> Option<(u64, ProofSource)> {
        let cancelled = || self.control.is_cancelled();
        let common = proof
            .as_ref()
            .and_then(|proof| proof.potential.as_ref())
            .and_then(|p| attempt.bound_from(object, p));
        let own = if one_by_one { attempt.bound(object, &cancelled).ok().flatten() } else { None };
        let ProvedBound { at_most, proof } = match (common, own) {
            (Some(common), Some(own)) => {
                if own.at_most <= common.at_most {
                    own
                } else {
                    common
                }
            }
            (common, own) => common.or(own)?,
        };
        let certificate = self.checked(attempt, proof)?;
        Some((at_most, ProofSource::Certificate(certificate)))
    }
}

/// The number that a global channel has in every state; channels of processes have none that stays.
pub fn channel_number(attempt: &Attempt<'_>, object: ObjectIndex) -> Option<usize> {
    match attempt.analysis.world.object(object).declared {
        // Global channels are the first objects, in the order in which they are created.
        Declared::Global(_) => Some(object.0 as usize),
        Declared::Local(..) => None,
    }
}
