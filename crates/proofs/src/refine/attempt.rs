//! One abstraction of a system and what its potentials show. Refinement makes one attempt after another.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use certificate::Certificate;
use certificate::check::{Refusal, Watch, check_unsealed, every_pid};
use certificate::claims::{GroupId, LinearInvariant, NodeId as ClaimedNode, Number, ObjectId};
use certificate::potential::{Arrival, BoundCase, BufferBound, Next as ClaimedNext, Progress, Proof};
use certificate::verdict::{Capacities, Fairness};
use promela::model::ExprKind;
use system::automaton::{Action, AutomatonId, EdgeId, System};

use crate::net::build::{Abstraction, build};
use crate::net::{BufferId, ComponentId, Counted, Net, Tokens, Transition, TransitionId};
use crate::potential::claims;
use crate::potential::guards;
use crate::potential::invariants;
use crate::potential::numbers::{self, Numbers};
use crate::potential::stages::{Goal, Next, NoTree, Stage, find_tree};
use crate::potential::watched::{Finder, Found, Missing};
use crate::potential::{Answer, Flow as Suspicious, Potential, Programs, Question, find_among};
use crate::refine::shadows::{self, Shadows};
use crate::values::analysis::{Analyses, Analysis, AnalysisError, AnalysisLimits};
use crate::values::flow::Flow;
use crate::values::names::object_name;
use crate::values::step::MessageKind;
use crate::values::world::{GroupIndex, GroupKey, ObjectIndex, Tracking};

/// Transitions of model and formula up to which a proof is looked for.
const MOST_WATCHED: usize = 6_000;
/// Groups whose number of processes is looked for one by one; beyond, it is left open.
const MOST_COUNTED_GROUPS: usize = 64;
/// Moments after which a bound is looked for one by one; beyond, one potential serves all.
const MOST_ARRIVALS: usize = 64;

/// An abstraction of a system.
pub struct Attempt<'s> {
    /// Values, nodes, messages.
    pub analysis: Analysis<'s>,
    /// The net.
    pub abstraction: Abstraction,
    /// What excludes values that were guessed never to occur.
    invariants: Vec<Potential>,
    /// Buffers whose only sender looks before it sends.
    guarded: BTreeMap<ObjectIndex, ProvedBound>,
    /// Integers that have weights of their own, and the net without them.
    numbers: Option<(Numbers, Net)>,
    capacities: Capacities,
    /// Proctypes of which there may be any number of processes.
    any_number: Vec<String>,
    programs: RefCell<Programs>,
    starts: OnceCell<BTreeMap<GroupIndex, (u32, Proof)>>,
}

/// A bound and its proof.
#[derive(Clone, Debug)]
pub struct ProvedBound {
    /// How many messages.
    pub at_most: u64,
    /// Why.
    pub proof: Proof,
}

impl<'s> Attempt<'s> {
    /// Analyses the system with these variables tracked, unless somebody else has done so.
    pub fn new(
        analyses: &Analyses,
        system: &'s System,
        flows: &'s [Flow<'s>],
        tracking: &Tracking,
        limits: AnalysisLimits<'_>,
        (capacities, any_number): (Capacities, &[String]),
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Attempt<'s>, AnalysisError> {
        let initial = initial_processes(system);
        let with = |shadows: Shadows| {
            let analysis = match shadows.is_empty() {
                true => analyses.run(system, flows, &initial, tracking, limits)?,
                false => Analysis::run(system, flows, &initial, tracking, shadows, limits)?,
            };
            let mut abstraction = build(&analysis, capacities == Capacities::Declared, limits)?;
            let invariants = invariants::exclude_exits(&mut abstraction, cancelled)
                .map_err(|_| AnalysisError::WrongGuess)?;
            let guarded = BTreeMap::new();
            let (programs, starts) = (RefCell::default(), OnceCell::new());
            let any_number = any_number.to_vec();
            let mut attempt = Attempt {
                programs,
                analysis,
                abstraction,
                invariants,
                guarded,
                numbers: None,
                capacities,
                any_number,
                starts,
            };
            attempt.find_guarded(cancelled);
            Ok(attempt)
        };
        let plain = with(Shadows::default())?;
        if tracking.shadows.is_empty() {
            return Ok(plain);
        }
        with(shadows::plan(&plain, &tracking.shadows)?)
    }

    /// Buffers whose only sender looks before it sends are known to be bounded before anything else is asked.
    fn find_guarded(&mut self, cancelled: &dyn Fn() -> bool) {
        if !looks_at_lengths(self.analysis.flows) {
            return;
        }
        let is_alone = |group: GroupIndex| {
            matches!(self.analysis.world.group(group).key, GroupKey::Initial(..))
                || self.starts(cancelled).get(&group).is_some_and(|(at_most, _)| *at_most <= 1)
        };
        let found = self.analysis.world.object_indices().filter_map(|(object, _)| {
            let (at_most, proof) = guards::bound(&self.analysis, &self.abstraction, object, &is_alone)?;
            Some((object, ProvedBound { at_most, proof }))
        });
        self.guarded = found.collect();
        if self.guarded.is_empty() {
            return;
        }
        // Every certificate will rest on them, so a refusal must not wait until then.
        let certificate = self.certificate(Vec::new(), cancelled);
        match check_unsealed(self.analysis.system, &certificate, cancelled) {
            Ok(_) => {
                let settled = self.guarded.keys().map(|object| BufferId(object.0));
                self.abstraction.net.settled = settled.collect();
            }
            Err(_) => self.guarded.clear(),
        }
    }

    /// Gives integer variables weights of their own, if their ranges can be shown; whether there are any.
    pub fn add_numbers(&mut self, cancelled: &dyn Fn() -> bool) -> bool {
        if !self.any_number.is_empty() || self.numbers.is_some() {
            return false;
        }
        let claims = self.certificate(Vec::new(), cancelled).claims;
        let Some(mut found) = numbers::find(&self.analysis, &self.abstraction, claims, cancelled) else {
            return false;
        };
        let plain = std::mem::replace(&mut self.abstraction.net, std::mem::take(&mut found.net));
        self.numbers = Some((found, plain));
        self.programs = RefCell::default();
        // Every certificate will rest on them, so a refusal must not wait until then.
        let certificate = self.certificate(Vec::new(), cancelled);
        let holds = certificate::check::check_claims(self.analysis.system, &certificate, cancelled).is_ok();
        if !holds {
            self.forget_numbers();
        }
        holds
    }

    /// Goes back to the net without numbers.
    pub fn forget_numbers(&mut self) {
        if let Some((_, plain)) = self.numbers.take() {
            self.abstraction.net = plain;
            self.programs = RefCell::default();
        }
    }

    fn claimed_numbers(&self) -> &[Number] {
        self.numbers.as_ref().map_or(&[], |(numbers, _)| &numbers.claimed)
    }

    /// Buffers (channels that can hold messages), with their names.
    pub fn buffers(&self) -> Vec<(ObjectIndex, String)> {
        self.analysis
            .world
            .object_indices()
            .filter(|(_, object)| {
                self.analysis.system.model.channel_types[object.channel_type.0 as usize].capacity > 0
            })
            .map(|(index, _)| (index, object_name(&self.analysis, index)))
            .collect()
    }

    fn find(&self, question: Question, cancelled: &dyn Fn() -> bool) -> Answer {
        self.programs.borrow_mut().find(&self.abstraction.net, question, cancelled)
    }

    /// A potential that bounds every buffer, with the least initial total.
    pub fn all_buffers(&self, cancelled: &dyn Fn() -> bool) -> Answer {
        self.find(Question::AllBuffers, cancelled)
    }

    /// A potential for livelock freedom of one stage.
    pub fn termination(&self, cancelled: &dyn Fn() -> bool) -> Answer {
        self.find(Question::Termination, cancelled)
    }

    /// A flow of these transitions alone.
    pub fn flow_among(
        &self,
        core: &[TransitionId],
        goal: Goal,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<Vec<(TransitionId, i64)>> {
        let question = match goal {
            Goal::Bounded => Question::AllBuffers,
            Goal::Progress | Goal::Accepted => Question::Termination,
        };
        match find_among(&self.abstraction.net, core, question, cancelled) {
            Answer::None(flow) => Some(flow.times),
            Answer::Found(_) | Answer::Stopped => None,
        }
    }

    /// A tree of potentials.
    pub fn tree(&self, goal: Goal, budget: usize, cancelled: &dyn Fn() -> bool) -> Result<Stage, NoTree> {
        let starts = self.starts(cancelled);
        // With any number of processes in some group, what one part leaves behind could be poured into the next (trap 2).
        let counted = |(group, data): (GroupIndex, &crate::values::world::Group)| {
            matches!(data.key, GroupKey::Initial(..)) || starts.contains_key(&group)
        };
        let may_split = goal == Goal::Progress || self.analysis.world.group_indices().all(counted);
        let one_token = |component: ComponentId| {
            may_split && starts.get(&GroupIndex(component.0)).is_some_and(|(at_most, _)| *at_most <= 1)
        };
        if may_split {
            find_tree(&self.abstraction.net, goal, &one_token, budget, cancelled)
        } else {
            Err(NoTree::Stopped)
        }
    }

    /// A tree as a proof that every buffer is bounded.
    pub fn all_bounded_by_tree(&self, stage: &Stage) -> Proof {
        Proof::AllBounded { stage: self.claimed_stage(stage) }
    }

    /// A proof that every run satisfies a formula; what is missing, with the transitions of this net that have to do with it.
    pub fn formula_proof(
        &self,
        name: &str,
        fairness: Fairness,
        stages: usize,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Proof, (String, Vec<TransitionId>)> {
        let certificate = self.certificate(Vec::new(), cancelled);
        let watch =
            certificate::check::watch(self.analysis.system, &certificate, (name, fairness), cancelled);
        self.found(watch, fairness, cancelled, |finder, one_token| {
            let Found { unreached, stage, ends } = finder.find(stages, one_token)?;
            Ok(Proof::Formula { formula: name.to_string(), fairness, unreached, stage, ends })
        })
    }

    /// The same, that every fair run makes progress.
    pub fn fair_progress_proof(
        &self,
        progress: &Progress,
        fairness: Fairness,
        stages: usize,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Proof, (String, Vec<TransitionId>)> {
        let certificate = self.certificate(Vec::new(), cancelled);
        let asked = (progress, fairness);
        let watch = certificate::check::watch_progress(self.analysis.system, &certificate, asked, cancelled);
        self.found(watch, fairness, cancelled, |finder, one_token| {
            let stage = finder.find_progress(stages, one_token)?;
            Ok(Proof::FairProgress { progress: progress.clone(), fairness, stage })
        })
    }

    fn found(
        &self,
        watch: Result<Watch, Refusal>,
        fairness: Fairness,
        cancelled: &dyn Fn() -> bool,
        find: impl Fn(&Finder<'_>, &dyn Fn(ComponentId) -> bool) -> Result<Proof, Missing>,
    ) -> Result<Proof, (String, Vec<TransitionId>)> {
        let watch = watch.map_err(|refusal| (refusal.to_string(), Vec::new()))?;
        let settled = self.abstraction.net.settled.clone();
        let too_large = || ("the abstraction is too large".to_string(), Vec::new());
        if watch.transitions.len() > MOST_WATCHED {
            return Err(too_large());
        }
        let finder = Finder::new(&watch, settled, fairness, cancelled).ok_or_else(too_large)?;
        let starts = self.starts(cancelled);
        let one_token = |component: ComponentId| {
            starts.get(&GroupIndex(component.0)).is_some_and(|(at_most, _)| *at_most <= 1)
        };
        match find(&finder, &one_token) {
            Ok(proof) => Ok(proof),
            Err(Missing::Core(core)) => {
                let own = core.iter().flat_map(|id| {
                    let (group, node, edge) = watch.transitions[id.0 as usize].actor;
                    self.transitions_at(group, node, edge)
                });
                let own: BTreeSet<TransitionId> = own.collect();
                Err(("runs that go on for ever".to_string(), own.into_iter().collect()))
            }
            Err(Missing::Standing(places)) => {
                Err((format!("runs may end or wait with {places}"), Vec::new()))
            }
            Err(Missing::Stopped) => Err(("too many cases".to_string(), Vec::new())),
        }
    }

    /// The transitions that a statement at a node is.
    fn transitions_at(&self, group: GroupId, node: ClaimedNode, edge: EdgeId) -> Vec<TransitionId> {
        let is_it = |transition: &Transition| {
            let origin = self.abstraction.origins[transition.origin as usize];
            (origin.group.0, origin.node.0, origin.edge) == (group.0, node.0, edge)
        };
        let all = self.abstraction.net.transition_ids();
        all.filter(|(_, transition)| is_it(transition)).map(|(id, _)| id).collect()
    }

    /// A tree as a proof of livelock freedom.
    pub fn livelock_proof(&self, stage: &Stage, progress: Progress) -> Proof {
        Proof::LivelockFree { progress, stage: self.claimed_stage(stage) }
    }

    /// The bound that one potential shows for a buffer, without any further work.
    pub fn bound_from(&self, object: ObjectIndex, potential: &Potential) -> Option<ProvedBound> {
        let buffer = BufferId(object.0);
        let net = &self.abstraction.net;
        let at_most = potential.bound_of(net, buffer)?;
        // What the buffer's own room weighs is no part of such a proof.
        let own_room =
            net.counter_ids().find(|(_, counter)| counter.counted == Counted::Room(buffer)).map(|(id, _)| id);
        if own_room.is_some_and(|room| potential.weights[room.0 as usize] != 0) {
            return None;
        }
        let least =
            net.counters_of(buffer).map(|counter| potential.weights[counter.0 as usize]).min().unwrap_or(1);
        let case = BoundCase {
            after: None,
            denominator: least,
            potential: claims::potential(&self.analysis, &self.abstraction, potential),
        };
        Some(ProvedBound {
            at_most,
            proof: Proof::Bound { object: ObjectId(object.0), at_most, cases: vec![case] },
        })
    }

    /// The bound of a buffer whose only sender looks before it sends.
    pub fn bound_by_guard(&self, object: ObjectIndex) -> Option<ProvedBound> {
        self.guarded.get(&object).cloned()
    }

    /// The bounds that one potential shows for all buffers whose messages it weighs, as one proof.
    pub fn bounds_from(&self, potential: &Potential) -> (HashMap<ObjectIndex, u64>, Proof) {
        let net = &self.abstraction.net;
        let mut least: HashMap<u32, i64> = HashMap::new();
        let mut rooms: HashMap<u32, i64> = HashMap::new();
        for (counter, &weight) in net.counters.iter().zip(&potential.weights) {
            match counter.counted {
                Counted::Messages(buffer) => {
                    least.entry(buffer.0).and_modify(|least| *least = weight.min(*least)).or_insert(weight);
                }
                Counted::Room(buffer) => {
                    rooms.insert(buffer.0, weight);
                }
                _ => {}
            }
        }
        let total = potential.initial_total(net);
        let mut shown = HashMap::new();
        let mut buffers = Vec::new();
        for (object, _) in self.buffers() {
            let at_most = match least.get(&object.0) {
                None => Some(0),
                Some(&least) if least > 0 => u64::try_from(total.div_euclid(i128::from(least))).ok(),
                Some(_) => None,
            };
            // What the buffer's own room weighs is no part of such a proof.
            let own_room = rooms.get(&object.0).is_some_and(|weight| *weight != 0);
            if let Some(at_most) = at_most.filter(|_| !own_room) {
                shown.insert(object, at_most);
                buffers.push(BufferBound { object: ObjectId(object.0), at_most });
            }
        }
        let potential = claims::potential(&self.analysis, &self.abstraction, potential);
        (shown, Proof::Bounds { buffers, potential })
    }

    /// What one potential says of all buffers, and the capacities of those whose declared room says more; `None` if that is nothing.
    pub fn bounds_at_once(&self, potential: &Potential) -> Option<(Vec<Proof>, HashMap<ObjectIndex, u64>)> {
        let (mut shown, common) = self.bounds_from(potential);
        let mut proofs = vec![common];
        if shown.is_empty() {
            proofs.clear();
        }
        for (object, _) in self.buffers() {
            if let Some(room) = self.bound_by_capacity(object)
                && shown.get(&object).is_none_or(|bound| room.at_most < *bound)
            {
                shown.insert(object, room.at_most);
                proofs.push(room.proof);
            }
        }
        (!shown.is_empty()).then_some((proofs, shown))
    }

    /// With capacities as declared, a global buffer holds at most what it has room for.
    pub fn bound_by_capacity(&self, object: ObjectIndex) -> Option<ProvedBound> {
        let data = self.analysis.world.object(object);
        let is_global = matches!(data.declared, crate::values::world::Declared::Global(_));
        if self.capacities != Capacities::Declared || !is_global {
            return None;
        }
        let capacity = self.analysis.system.model.channel_types[data.channel_type.0 as usize].capacity;
        let at_most = u64::from(capacity);
        let proof = Proof::Bound { object: ObjectId(object.0), at_most, cases: Vec::new() };
        Some(ProvedBound { at_most, proof })
    }

    /// The bound of a buffer on its own, with one potential for all moments; otherwise what looks as if it grew for ever.
    pub fn bound(
        &self,
        object: ObjectIndex,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Option<ProvedBound>, Suspicious> {
        match self.find(Question::OneBuffer(BufferId(object.0)), cancelled) {
            Answer::Found(potential) => Ok(self.bound_from(object, &potential)),
            Answer::None(flow) => Err(flow),
            Answer::Stopped => Ok(None),
        }
    }

    /// The bound with one potential for the moments after each send: a buffer is fullest just after one. Sharper, but dearer.
    pub fn bound_after_sends(
        &self,
        object: ObjectIndex,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<ProvedBound> {
        let net = &self.abstraction.net;
        let buffer = BufferId(object.0);
        let starts = self.starts(cancelled);
        // One program for each group and node that a send arrives at.
        let mut arrivals: BTreeMap<(GroupIndex, u32), TransitionId> = BTreeMap::new();
        for (id, transition) in net.transition_ids() {
            let origin = self.abstraction.origins[transition.origin as usize];
            if origin.message == Some((MessageKind::Send, object))
                && let Some(to) = transition.moves.first().and_then(|step| step.to)
            {
                arrivals.insert((origin.group, to.0), id);
            }
        }
        if arrivals.is_empty() || arrivals.len() > MOST_ARRIVALS {
            return None;
        }
        let mut cases = Vec::new();
        let mut shown: i128 = 0;
        for (&(group, node), &transition) in &arrivals {
            let alone = net.components[group.0 as usize].tokens == Tokens::AtMostOne
                || starts.get(&group).is_some_and(|(at_most, _)| *at_most <= 1);
            let question = if alone {
                Question::OneBufferAfter(buffer, transition)
            } else {
                Question::OneBuffer(buffer)
            };
            let Answer::Found(potential) = self.find(question, cancelled) else { return None };
            let least = net.counters_of(buffer).map(|counter| potential.weights[counter.0 as usize]).min()?;
            let here = i128::from(potential.nodes[group.0 as usize][node as usize]);
            let claimed = claims::potential(&self.analysis, &self.abstraction, &potential);
            let arrived = (GroupId(group.0), ClaimedNode(node));
            let gained = numbers::gained_at(self.claimed_numbers(), &claimed.numbers, arrived);
            let left = potential.initial_total(net) - here - gained;
            shown = shown.max(left.div_euclid(i128::from(least)));
            cases.push(BoundCase {
                after: Some(Arrival { group: GroupId(group.0), nodes: vec![ClaimedNode(node)] }),
                denominator: least,
                potential: claimed,
            });
        }
        let at_most = u64::try_from(shown).ok()?;
        Some(ProvedBound { at_most, proof: Proof::Bound { object: ObjectId(object.0), at_most, cases } })
    }

    /// How many processes of each group that `run` starts there ever are, with the proof; only where that could be shown.
    pub fn starts(&self, cancelled: &dyn Fn() -> bool) -> &BTreeMap<GroupIndex, (u32, Proof)> {
        self.starts.get_or_init(|| {
            let mut known = BTreeMap::new();
            if self.abstraction.starts.len() > MOST_COUNTED_GROUPS {
                return known;
            }
            let net = &self.abstraction.net;
            for (&group, &counter) in &self.abstraction.starts {
                let question = Question::Starts(ComponentId(group.0));
                let Answer::Found(potential) = self.find(question, cancelled) else { continue };
                let denominator = potential.weights[counter.0 as usize];
                let initial: u32 =
                    net.components[group.0 as usize].initial.iter().map(|(_, number)| number).sum();
                let total = potential.initial_total(net) + i128::from(denominator) * i128::from(initial);
                let Ok(at_most) = u32::try_from(total.div_euclid(i128::from(denominator))) else { continue };
                let proof = Proof::Starts {
                    group: GroupId(group.0),
                    at_most: u64::from(at_most),
                    denominator,
                    potential: claims::potential(&self.analysis, &self.abstraction, &potential),
                };
                known.insert(group, (at_most, proof));
            }
            known
        })
    }

    /// Whether the proofs hold whatever the number of processes in each group, so that nobody needs to count them.
    pub fn are_for_any_number(&self, proofs: &[Proof]) -> bool {
        let flat = proofs.iter().all(|proof| match proof {
            Proof::Bound { cases, .. } => cases.iter().all(|case| case.after.is_none()),
            Proof::Bounds { .. } => true,
            Proof::AllBounded { stage } | Proof::LivelockFree { stage, .. } => {
                matches!(stage.next, ClaimedNext::Closed)
            }
            Proof::Starts { .. }
            | Proof::Guarded { .. }
            | Proof::FairProgress { .. }
            | Proof::Formula { .. } => false,
        });
        let tracks = self.analysis.world.groups.iter().any(|group| !group.tracked_globals.is_empty());
        let rests_on_nothing = self.invariants.is_empty()
            && self.numbers.is_none()
            && self.guarded.is_empty()
            && self.analysis.shadows.auxiliaries.is_empty();
        flat && !tracks && self.capacities == Capacities::Any && rests_on_nothing
    }

    /// A certificate with these proofs and nothing about how many processes there are; without a seal.
    pub fn certificate_for_any_number(&self, proofs: Vec<Proof>) -> Certificate {
        let claims = claims::claims(&self.analysis, &|_| None);
        Certificate::unsealed(self.analysis.system, self.capacities, claims, proofs)
    }

    /// A certificate with these proofs and what they rest on; without a seal.
    pub fn certificate(&self, mut proofs: Vec<Proof>, cancelled: &dyn Fn() -> bool) -> Certificate {
        let starts = self.starts(cancelled);
        let mut claims =
            claims::claims(&self.analysis, &|group| starts.get(&group).map(|(at_most, _)| *at_most));
        claims.trackers = claims::trackers(&self.analysis, &self.abstraction);
        claims.numbers = self.claimed_numbers().to_vec();
        let of_numbers = self.numbers.iter().flat_map(|(numbers, _)| &numbers.invariants);
        claims.invariants.extend(self.invariants.iter().chain(of_numbers).filter_map(|invariant| {
            let total = numbers::claimed_total(&self.abstraction.net, &claims.numbers, invariant);
            let total = i64::try_from(total).ok()?;
            Some(LinearInvariant {
                total,
                potential: claims::potential(&self.analysis, &self.abstraction, invariant),
            })
        }));
        proofs.extend(starts.values().map(|(_, proof)| proof.clone()));
        let is_new = |bound: &&ProvedBound| !proofs.contains(&bound.proof);
        let guarded: Vec<Proof> = self.guarded.values().filter(is_new).map(|b| b.proof.clone()).collect();
        proofs.extend(guarded);
        let system = self.analysis.system;
        if self.any_number.is_empty() {
            return Certificate::unsealed(system, self.capacities, claims, proofs);
        }
        // Nobody is told by its number.
        for group in &mut claims.groups {
            group.pid = every_pid();
            let name = &system.model.proctypes[group.automaton as usize].name;
            group.at_most = group.at_most.filter(|_| !self.any_number.contains(name));
        }
        let mut certificate = Certificate::unsealed(system, self.capacities, claims, proofs);
        certificate.any_number.clone_from(&self.any_number);
        certificate
    }

    fn claimed_stage(&self, stage: &Stage) -> certificate::potential::Stage {
        let mut potential = claims::potential(&self.analysis, &self.abstraction, &stage.potential);
        let counted = self.abstraction.net.counters.iter().filter_map(|counter| match counter.counted {
            Counted::Messages(buffer) => Some(buffer.0),
            _ => None,
        });
        let counted: HashSet<u32> = counted.collect();
        potential.messages.retain(|entry| counted.contains(&entry.object.0));
        certificate::potential::Stage {
            potential,
            next: match &stage.next {
                Next::Closed => certificate::potential::Next::Closed,
                Next::Idle { components, blocked } => certificate::potential::Next::Idle {
                    groups: components.iter().map(|component| GroupId(component.0)).collect(),
                    blocked: blocked.clone(),
                },
                Next::Starved { component, parts } => certificate::potential::Next::Starved {
                    group: GroupId(component.0),
                    parts: parts.iter().map(|part| self.claimed_stage(part)).collect(),
                },
                Next::Split { component, parts } => certificate::potential::Next::Split {
                    component: claims::component(&self.analysis, *component),
                    parts: parts.iter().map(|part| self.claimed_stage(part)).collect(),
                },
            },
        }
    }
}

/// Whether some condition asks how much a channel holds.
fn looks_at_lengths(flows: &[Flow<'_>]) -> bool {
    flows.iter().flat_map(|flow| flow.leaving.iter().flatten()).any(|arc| {
        let mut looks = false;
        if let Action::Condition(expr) = arc.action {
            expr.visit(&mut |part| {
                looks |= matches!(
                    part.kind,
                    ExprKind::Len(_)
                        | ExprKind::Empty(_)
                        | ExprKind::NotEmpty(_)
                        | ExprKind::Full(_)
                        | ExprKind::NotFull(_)
                );
            });
        }
        looks
    })
}

/// The processes that start by themselves, oldest first.
pub fn initial_processes(system: &System) -> Vec<AutomatonId> {
    let active = |(index, proctype): (usize, &promela::model::Proctype)| {
        std::iter::repeat_n(AutomatonId(index as u32), proctype.active as usize)
    };
    system.model.proctypes.iter().enumerate().flat_map(active).collect()
}
