//! One attempt after another: the loop of refinement.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use certificate::Certificate;
use certificate::check::{Refusal, check_unsealed};
use certificate::potential::{Progress, Proof};
use certificate::verdict::{Capacities, Fairness, StopReason};
use system::automaton::System;
use system::control::Control;

use crate::board::{Board, Fact, SeenValues, Stopped};
use crate::net::TransitionId;
use crate::options::Budgets;
use crate::potential::stages::{Goal, Next, NoTree, Stage};
use crate::potential::{Answer, Potential};
use crate::refine::attempt::Attempt;
use crate::refine::candidates::{Refinement, candidates, guesses, starting_tracking};
use crate::refine::cuts::cuts;
use crate::refine::shadows::wishes;
use crate::refine::suspicion;
use crate::values::analysis::{Analyses, AnalysisError, AnalysisLimits};
use crate::values::flow::Flow;
use crate::values::sets::Values;
use crate::values::world::{ObjectIndex, Tracking};

/// Refinements before anybody is asked for help.
const FIRST_REFINEMENTS: usize = 3;
/// Refinements for a system of which search has seen everything.
const REFINEMENTS_OF_A_SEARCHED_SYSTEM: usize = 7;
/// Transitions of its abstractions.
const TRANSITIONS_OF_A_SEARCHED_SYSTEM: usize = 2_500;

/// Nodes of an abstraction without any refinement, for each global slot and each process that starts by itself: what there is to look at
/// grows with what the model declares, and is not a matter of choice.
const NODES_OF_A_DECLARATION: usize = 200;
/// The same for the whole model.
const NODES_OF_THE_FIRST_ATTEMPT: usize = 1_000_000;

/// Transitions of an abstraction whose only purpose is a sharper bound.
const TRANSITIONS_WITH_SHADOWS: usize = 2_500;
/// Buffers of such an abstraction: beyond, the order in a few of them is not worth the time.
const BUFFERS_WITH_SHADOWS: usize = 32;
/// Shadows that are tried for a sharper bound.
const MOST_SHADOWS: usize = 6;

/// How a finding begins that says what a proof of a formula lacks.
const MISSING: &str = "an argument is missing about";

/// What is to be proved.
#[derive(Clone, Debug)]
pub enum Aim {
    /// Every buffer is bounded.
    AllBounded,
    /// The buffer with this name is bounded, whatever others do.
    Buffer(String),
    /// Every infinite run makes progress again and again.
    Progress(Progress),
    /// Every infinite run that is fair like this does.
    FairProgress(Progress, Fairness),
    /// Every run that counts satisfies the formula with this name.
    Formula(String, Fairness),
}

/// Somebody who tries to prove something of a system.
pub struct Prover<'a, 's> {
    /// The system.
    pub system: &'s System,
    /// Control flow, with progress marked.
    pub flows: &'s [Flow<'s>],
    /// How large buffers are.
    pub capacities: Capacities,
    /// Proctypes of which there may be any number of processes; the system has one of each.
    pub any_number: Vec<String>,
    /// How much work.
    pub budgets: Budgets,
    /// How to stop.
    pub control: Control<'a>,
    /// What others who prove something of the system have analysed.
    analyses: &'a Analyses,
    /// What went wrong on the way: a line each.
    pub findings: Vec<String>,
    /// What the last attempt kept.
    pub refinements: Vec<Refinement>,
    /// What was found to be too large or of no use.
    useless: BTreeSet<Refinement>,
    /// What made no statement less suspicious; given up first when an abstraction is too large.
    idle: BTreeSet<Refinement>,
    /// What search saw, for guesses.
    seen: SeenValues,
    tried: usize,
    /// Refinements that were chosen before any suspicion.
    starting: usize,
}

/// A proof whose certificate was checked.
#[derive(Clone, Debug)]
pub struct Proved {
    /// The certificate.
    pub certificate: Arc<Certificate>,
    /// The potential, if there is one for all.
    pub potential: Option<Potential>,
    /// Bounds of single buffers that the certificate shows as well.
    pub bounds: HashMap<ObjectIndex, u64>,
}

impl Proved {
    fn by(certificate: Arc<Certificate>) -> Proved {
        Proved { certificate, potential: None, bounds: HashMap::new() }
    }
}

/// What looks like a counterexample.
#[derive(Default)]
struct Suspicion {
    /// Transitions with how often each is taken.
    flow: Vec<(TransitionId, i64)>,
    /// What some flow uses within one part: where refinement looks.
    core: Vec<TransitionId>,
}

impl Suspicion {
    /// Nothing in particular: everything may be the reason.
    fn of_everything(attempt: &Attempt<'_>) -> Suspicion {
        Suspicion::of(attempt.abstraction.net.transition_ids().map(|(id, _)| (id, 1)).collect())
    }

    fn of(flow: Vec<(TransitionId, i64)>) -> Suspicion {
        let core = flow.iter().map(|(id, _)| *id).collect();
        Suspicion { flow, core }
    }
}

/// How far the prover got.
pub struct Conclusion<'s> {
    /// The last abstraction.
    pub attempt: Attempt<'s>,
    /// The proof.
    pub proof: Option<Proved>,
    /// Otherwise, what looks like a counterexample.
    pub suspicious: Vec<(TransitionId, i64)>,
    /// Why it stopped.
    pub reason: StopReason,
}

impl<'a, 's> Prover<'a, 's> {
    /// A prover that has tried nothing yet.
    pub fn new(
        system: &'s System,
        flows: &'s [Flow<'s>],
        capacities: Capacities,
        budgets: Budgets,
        (control, analyses): (Control<'a>, &'a Analyses),
    ) -> Prover<'a, 's> {
        Prover {
            system,
            flows,
            capacities,
            any_number: Vec::new(),
            budgets,
            control,
            analyses,
            findings: Vec::new(),
            starting: starting_tracking(system, flows).len(),
            refinements: starting_tracking(system, flows),
            useless: BTreeSet::new(),
            idle: BTreeSet::new(),
            seen: SeenValues::default(),
            tried: 0,
        }
    }

    /// A few refinements, then with what runs have shown, then whatever else there is to try.
    pub fn prove_with_help(&mut self, aim: &Aim, board: &dyn Board) -> Result<Conclusion<'s>, StopReason> {
        let all = self.budgets.refinements;
        let conclusion = self.prove(aim, all.min(FIRST_REFINEMENTS))?;
        if conclusion.proof.is_some() {
            return Ok(conclusion);
        }
        let suspicious = suspicion::statements_of(&conclusion.attempt, &conclusion.suspicious);
        board.publish(Fact::Suspicious(suspicious));
        if let Some(seen) = board.seen()
            && self.guess(&conclusion.attempt, seen)
        {
            let conclusion = self.prove(aim, all.min(2 * FIRST_REFINEMENTS))?;
            if conclusion.proof.is_some() {
                return Ok(conclusion);
            }
        }
        let more = self.go_on(board.is_searched());
        self.prove(aim, more)
    }

    /// Why the work ended, and with what.
    pub fn stopped(self, conclusion: Option<&Conclusion<'s>>, reason: StopReason) -> Stopped {
        let suspicious =
            conclusion.map_or_else(Vec::new, |o| suspicion::cycles_of(&o.attempt, &o.suspicious));
        let refinements =
            self.refinements.iter().map(|refinement| refinement.describe(self.system)).collect();
        Stopped { reason, suspicious, findings: self.findings, refinements }
    }

    /// One attempt after another until there is a proof, nothing is left to try, or this many refinements were tried. Called again, it
    /// goes on from where it was.
    pub fn prove(&mut self, aim: &Aim, refinements: usize) -> Result<Conclusion<'s>, StopReason> {
        let mut chosen: Vec<Refinement> = self.refinements.clone();
        let mut suspected = usize::MAX;
        loop {
            let Some(mut attempt) = self.attempt(&mut chosen)? else { continue };
            self.refinements = chosen.clone();
            let suspicious = match self.proof(&attempt, aim) {
                Ok(proof) => {
                    let proof = Some(proof);
                    return Ok(Conclusion {
                        attempt,
                        proof,
                        suspicious: Vec::new(),
                        reason: StopReason::NotNeeded,
                    });
                }
                Err(suspicious) => suspicious,
            };
            if let Some(proof) = self.proof_with_numbers(&mut attempt, aim) {
                let (proof, reason) = (Some(proof), StopReason::NotNeeded);
                return Ok(Conclusion { attempt, proof, suspicious: Vec::new(), reason });
            }
            let Suspicion { flow: suspicious, core } = suspicious;
            let times: Vec<(TransitionId, i64)> = core.iter().map(|&id| (id, 1)).collect();
            let statements = suspicion::statements_of(&attempt, &times).len();
            if statements >= suspected && chosen.len() > self.starting {
                self.idle.extend(chosen.last());
            }
            suspected = statements;
            let flow: Vec<TransitionId> = suspicious.iter().map(|(id, _)| *id).collect();
            // What helped nothing before may help together with others, but is tried again last.
            let all = candidates(&attempt, &flow, &self.useless, &|| self.control.is_cancelled());
            let next = all.iter().find(|refinement| !self.idle.contains(refinement)).or(all.first()).copied();
            let reason = match next {
                _ if self.control.is_cancelled() => StopReason::Cancelled,
                Some(next) if self.tried < refinements => {
                    self.tried += 1;
                    chosen.push(next);
                    continue;
                }
                Some(_) => StopReason::RefinementLimit { refinements: refinements as u64 },
                None => StopReason::RefinementsExhausted,
            };
            return Ok(Conclusion { attempt, proof: None, suspicious, reason });
        }
    }

    /// Forgets what was chosen for other questions.
    pub fn begin_again(&mut self) {
        self.refinements.truncate(self.starting);
        self.idle.clear();
        self.tried = 0;
    }

    /// How many refinements to try after search had its share. A system of which search has seen everything is decided
    /// already, so a certificate for every capacity is worth less work.
    pub fn go_on(&mut self, searched: bool) -> usize {
        if searched {
            self.budgets.transitions = self.budgets.transitions.min(TRANSITIONS_OF_A_SEARCHED_SYSTEM);
            self.budgets.refinements.min(REFINEMENTS_OF_A_SEARCHED_SYSTEM)
        } else {
            self.budgets.refinements
        }
    }

    /// Guesses that variables have no other values than search saw; whether potentials can show that. If so, what is proved next
    /// relies on it.
    pub fn guess(&mut self, attempt: &Attempt<'s>, seen: SeenValues) -> bool {
        self.seen = seen;
        let guesses = guesses(attempt, &self.seen);
        if guesses.is_empty() || self.control.is_cancelled() {
            return false;
        }
        let guessed = |refinement: &Refinement| match *refinement {
            Refinement::Local { automaton, slot } | Refinement::Intervals { automaton, slot } => {
                guesses.contains(&Refinement::Guess { automaton, slot })
            }
            _ => false,
        };
        // That values never occur may hang on what was refined already.
        let refined = self.refinements.iter().copied().filter(|refinement| !guessed(refinement));
        let mut refined: Vec<Refinement> = refined.collect();
        let mut plain: Vec<Refinement> = self.refinements.iter().take(self.starting).copied().collect();
        let is_the_same = refined.len() <= plain.len();
        for chosen in [&mut plain, &mut refined] {
            chosen.extend(&guesses);
            let all = chosen.len();
            // Fewer are left where it was too large and had to give some up.
            if matches!(self.attempt(chosen), Ok(Some(_))) && chosen.len() == all {
                self.refinements = std::mem::take(chosen);
                return true;
            }
            if is_the_same {
                break;
            }
        }
        false
    }

    /// What was tried last, with receivers that follow the order of their senders; `None` if nobody can, or it is too large.
    pub fn with_shadows(&mut self, attempt: &Attempt<'s>) -> Option<Attempt<'s>> {
        if attempt.abstraction.net.transitions.len() > TRANSITIONS_WITH_SHADOWS
            || attempt.buffers().len() > BUFFERS_WITH_SHADOWS
        {
            return None;
        }
        self.budgets.transitions = self.budgets.transitions.min(TRANSITIONS_WITH_SHADOWS);
        let shadows: Vec<Refinement> = wishes(attempt)
            .into_iter()
            .take(MOST_SHADOWS)
            .map(Refinement::Shadow)
            .filter(|shadow| !self.refinements.contains(shadow) && !self.useless.contains(shadow))
            .collect();
        let without = self.refinements.clone();
        // If the first is too large, so are the others; if it is not, all at once cost as much as one more.
        let first = self.finer(&mut [&without[..], shadows.get(..1)?].concat())?;
        if let Some(all) = self.finer(&mut [&without[..], &shadows[..]].concat()) {
            return Some(all);
        }
        let mut best = first;
        for &shadow in &shadows[1..] {
            let mut chosen = self.refinements.clone();
            chosen.push(shadow);
            best = self.finer(&mut chosen).unwrap_or(best);
        }
        Some(best)
    }

    /// An attempt with what is chosen, which then is what the last attempt kept; `None` if something had to be given up.
    fn finer(&mut self, chosen: &mut Vec<Refinement>) -> Option<Attempt<'s>> {
        if chosen.len() == self.refinements.len() {
            return None;
        }
        let finer = self.attempt(chosen).ok().flatten()?;
        self.refinements = chosen.clone();
        Some(finer)
    }

    /// The certificate with these proofs, if the checker accepts it.
    pub fn checked(&mut self, attempt: &Attempt<'s>, proofs: Vec<Proof>) -> Option<Arc<Certificate>> {
        let cancelled = || self.control.is_cancelled();
        if attempt.are_for_any_number(&proofs) {
            let certificate = attempt.certificate_for_any_number(proofs.clone());
            if check_unsealed(self.system, &certificate, &cancelled).is_ok() {
                return Some(sealed(certificate));
            }
        }
        let certificate = attempt.certificate(proofs, &cancelled);
        match check_unsealed(self.system, &certificate, &cancelled) {
            Ok(_) => Some(sealed(certificate)),
            Err(Refusal::Cancelled) => None,
            Err(refusal) => {
                let finding = format!("a certificate was refused: {refusal}");
                if !self.findings.contains(&finding) {
                    self.findings.push(finding);
                }
                None
            }
        }
    }

    /// An attempt with what is chosen; `None` if something had to be given up and it should be tried again.
    fn attempt(&mut self, chosen: &mut Vec<Refinement>) -> Result<Option<Attempt<'s>>, StopReason> {
        let mut tracking = Tracking::default().for_automata(self.flows.len());
        chosen.iter().for_each(|refinement| refinement.add_to(&mut tracking));
        for refinement in chosen.iter() {
            if let Refinement::Intervals { automaton, slot } = *refinement {
                let cuts = cuts(&self.flows[automaton.0 as usize], slot);
                tracking.cuts[automaton.0 as usize].insert(slot, cuts);
            }
            if let Refinement::Guess { automaton, slot } = *refinement {
                let values = self.seen.get(&(automaton, slot)).into_iter().flatten().copied().collect();
                tracking.guesses[automaton.0 as usize].insert(slot, Values::from_values(values));
            }
        }
        let refined = chosen.len() > self.starting;
        let limits = AnalysisLimits {
            nodes: if refined {
                self.budgets.nodes
            } else {
                let active = self.system.model.proctypes.iter().map(|proctype| proctype.active as usize);
                let declared = self.system.global_slots.len() + active.sum::<usize>();
                let nodes = (NODES_OF_A_DECLARATION * declared).min(NODES_OF_THE_FIRST_ATTEMPT);
                self.budgets.nodes + nodes
            },
            transitions: if refined { self.budgets.transitions } else { usize::MAX },
            cancelled: &|| self.control.is_cancelled(),
            ..AnalysisLimits::default()
        };
        let reading = (self.capacities, &self.any_number[..]);
        match Attempt::new(self.analyses, self.system, self.flows, &tracking, limits, reading, &|| {
            self.control.is_cancelled()
        }) {
            Ok(attempt) => Ok(Some(attempt)),
            Err(AnalysisError::UnknownChannel { automaton, edge }) => {
                let automaton = self.system.automaton(automaton);
                let edge = automaton.edge(edge);
                Err(StopReason::Unsupported {
                    what: format!("`{}` in {}: the channel cannot be resolved", edge.text, automaton.name),
                })
            }
            Err(AnalysisError::Cancelled) => Err(StopReason::Cancelled),
            Err(AnalysisError::TooLarge) if self.drop_idle(chosen) => Ok(None),
            Err(
                AnalysisError::TooManyValues { .. } | AnalysisError::TooLarge | AnalysisError::WrongGuess,
            ) => match chosen.pop() {
                Some(given_up) => {
                    self.useless.insert(given_up);
                    Ok(None)
                }
                None => Err(StopReason::Unsupported { what: "the abstraction is too large".into() }),
            },
        }
    }

    /// Gives up what helped nothing before the last one was chosen; whether there was anything.
    fn drop_idle(&self, chosen: &mut Vec<Refinement>) -> bool {
        let Some(last) = chosen.pop() else { return false };
        let before = chosen.len();
        chosen.retain(|refinement| !self.idle.contains(refinement));
        let is_less = chosen.len() < before;
        chosen.push(last);
        is_less
    }

    fn proof(&mut self, attempt: &Attempt<'s>, aim: &Aim) -> Result<Proved, Suspicion> {
        let cancelled = || self.control.is_cancelled();
        let (answer, goal) = match aim {
            Aim::AllBounded => (attempt.all_buffers(&cancelled), Goal::Bounded),
            Aim::Progress(_) => (attempt.termination(&cancelled), Goal::Progress),
            Aim::Buffer(name) => return self.proof_of_bound(attempt, name),
            Aim::Formula(name, fairness) => {
                let found = attempt.formula_proof(name, *fairness, self.budgets.stages, &cancelled);
                return self.watched_proof(attempt, found);
            }
            Aim::FairProgress(progress, fairness) => {
                let found = attempt.fair_progress_proof(progress, *fairness, self.budgets.stages, &cancelled);
                return self.watched_proof(attempt, found);
            }
        };
        let as_proof = |stage: &Stage| match aim {
            Aim::Progress(progress) => attempt.livelock_proof(stage, progress.clone()),
            Aim::AllBounded | Aim::Buffer(_) | Aim::Formula(..) | Aim::FairProgress(..) => {
                attempt.all_bounded_by_tree(stage)
            }
        };
        let flow = match answer {
            Answer::Found(potential) => {
                let stage = Stage { potential: potential.clone(), next: Next::Closed };
                if goal == Goal::Bounded
                    && let Some((proofs, bounds)) = attempt.bounds_at_once(&potential)
                {
                    // What one potential says of each buffer costs nothing beside what it says of all: one certificate is checked once.
                    let all = std::iter::once(as_proof(&stage)).chain(proofs).collect();
                    if let Some(certificate) = self.checked(attempt, all) {
                        return Ok(Proved { certificate, potential: Some(potential), bounds });
                    }
                }
                return match self.checked(attempt, vec![as_proof(&stage)]) {
                    Some(certificate) => Ok(Proved { potential: Some(potential), ..Proved::by(certificate) }),
                    // The checker sees less than the analysis did; with more told apart it may see enough.
                    None => Err(Suspicion::of_everything(attempt)),
                };
            }
            Answer::None(flow) => flow.times,
            Answer::Stopped => return Err(Suspicion::default()),
        };
        if attempt.abstraction.net.transitions.len() > self.budgets.split_transitions {
            return Err(Suspicion::of(flow));
        }
        match attempt.tree(goal, self.budgets.stages, &cancelled) {
            Ok(stage) => match self.checked(attempt, vec![as_proof(&stage)]) {
                Some(certificate) => Ok(Proved::by(certificate)),
                None => Err(Suspicion::of(flow)),
            },
            // What is left in a part that cannot be split is closer to the truth than any first flow.
            Err(NoTree::Core(core)) if !core.is_empty() => {
                let flow = attempt.flow_among(&core, goal, &cancelled).unwrap_or(flow);
                Err(Suspicion { flow, core })
            }
            Err(_) => Err(Suspicion::of(flow)),
        }
    }

    /// The same with integer variables that have weights of their own. Without a proof the attempt is what it was.
    fn proof_with_numbers(&mut self, attempt: &mut Attempt<'s>, aim: &Aim) -> Option<Proved> {
        let is_weighed = matches!(aim, Aim::AllBounded | Aim::Buffer(_) | Aim::Progress(_));
        if !is_weighed || !attempt.add_numbers(&|| self.control.is_cancelled()) {
            return None;
        }
        let proof = self.proof(attempt, aim).ok();
        if proof.is_none() {
            attempt.forget_numbers();
        }
        proof
    }

    /// A formula, or progress of fair runs. Where runs may end or wait, or nothing is known, everything may be the reason.
    fn watched_proof(
        &mut self,
        attempt: &Attempt<'s>,
        found: Result<Proof, (String, Vec<TransitionId>)>,
    ) -> Result<Proved, Suspicion> {
        match found {
            Ok(proof) => match self.checked(attempt, vec![proof]) {
                Some(certificate) => Ok(Proved::by(certificate)),
                None => Err(Suspicion::of_everything(attempt)),
            },
            Err((missing, core)) => {
                self.findings.retain(|finding| !finding.starts_with(MISSING));
                self.findings.push(format!("{MISSING} {missing}"));
                match core.is_empty() {
                    true => Err(Suspicion::of_everything(attempt)),
                    false => Err(Suspicion::of(core.into_iter().map(|id| (id, 1)).collect())),
                }
            }
        }
    }

    /// Tracks these from the beginning, too.
    pub fn also_track(&mut self, more: Vec<Refinement>) {
        self.refinements.extend(more);
        self.starting = self.refinements.len();
    }

    /// One buffer on its own. No tree: another buffer may fill up in one part and be poured into this one in the next (trap 2).
    fn proof_of_bound(&mut self, attempt: &Attempt<'s>, name: &str) -> Result<Proved, Suspicion> {
        let cancelled = || self.control.is_cancelled();
        let object = attempt.buffers().into_iter().find(|(_, own)| own == name).map(|(object, _)| object);
        let bound = match object.map(|object| attempt.bound(object, &cancelled)) {
            Some(Ok(Some(bound))) => bound,
            Some(Err(flow)) => return Err(Suspicion::of(flow.times)),
            Some(Ok(None)) | None => return Err(Suspicion::default()),
        };
        match self.checked(attempt, vec![bound.proof]) {
            Some(certificate) => Ok(Proved::by(certificate)),
            None => Err(Suspicion::of_everything(attempt)),
        }
    }
}

fn sealed(mut certificate: Certificate) -> Arc<Certificate> {
    certificate.seal();
    Arc::new(certificate)
}
