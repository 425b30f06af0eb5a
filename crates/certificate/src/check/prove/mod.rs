//! Potentials against transitions: does one of them grow, and does it show what the proof says?
//!
//! Why the trees of [`crate::potential`] prove what they say. Let a configuration be the nodes of all tokens and the counts of messages; with
//! finitely many transitions and infinitely many reachable configurations there is an infinite run through distinct ones
//! (König). Far enough along it, only transitions that are taken again and again are left, and a component with one token
//! stays in one strongly connected part of what they move. Counts are well-quasi-ordered, so the tail has two
//! configurations with equal control of which the second has no less of anything: a *loop*. A potential with weights >= 0 on what may
//! grow does not decrease over a loop; if no transition increases it, none in the loop decreases it, and nothing with a positive weight has grown. The
//! same holds for an infinite run without progress transitions. With unlimited groups the *tokens* are counts, too, and could be
//! poured from one part's leavings into the next part's buffers (trap 2 of the design), so a split proof of boundedness refuses them.

pub mod atoms;
mod blocked;
mod bounds;
mod formula;
mod stages;
pub mod watch;
mod weights;

use super::environment::Environment;
use super::explore::Explorer;
use super::refusal::{Refusal, statement_text};
use super::rule::Rule;
use super::transition::{Tokens, Transition, Transitions};
use crate::Certificate;
use crate::claims::{Claims, ClassId, GroupId, LinearInvariant, NodeId, ObjectId, ObjectPlace, TrackerId};
use crate::potential::{Component, Progress, ProgressStatement, Proof, Stage};
use crate::values::Values;
use crate::verdict::{Capacities, Fairness};
use num_bigint::BigInt;
use promela::model::Expr;
use stages::Goal;
use std::collections::{BTreeSet, HashSet};
use system::automaton::Action;
use weights::Weights;

/// Where everything stands at the start.
#[derive(Clone)]
pub struct Initial {
    /// Groups of the processes, and the nodes that each may stand in.
    pub processes: Vec<(GroupId, Vec<NodeId>)>,
    /// For each tracker its node.
    pub trackers: Vec<NodeId>,
    /// Groups of which there may be any number more, each where one of them is.
    pub more: BTreeSet<GroupId>,
    /// For each number its value.
    pub numbers: Vec<i64>,
}

impl Initial {
    /// How many processes of a group there are at the start.
    pub fn count(&self, group: GroupId) -> usize {
        self.processes.iter().filter(|(of, _)| *of == group).count()
    }
}

/// Checks proofs.
pub struct Prover<'e, 'a> {
    /// The system and the claims.
    pub explorer: &'e Explorer<'a>,
    /// What may happen.
    pub transitions: &'e Transitions,
    /// The start.
    pub initial: &'e Initial,
    /// How many processes each group has.
    pub tokens: &'e [Tokens],
    /// The reading.
    pub capacities: Capacities,
    /// How many nodes the monitor of a formula has, which is one more tracker.
    monitor: Option<u32>,
    of_group: Vec<Vec<u32>>,
    of_tracker: Vec<Vec<u32>>,
    of_object: Vec<Vec<u32>>,
    of_number: Vec<Vec<u32>>,
    starting: Vec<u32>,
    /// Classes of buffers that other proofs bound.
    settled: Settled,
}

/// Message classes of which no loop leaves anything behind.
type Settled = HashSet<(ObjectId, ClassId)>;

impl<'e, 'a> Prover<'e, 'a> {
    /// Prepares.
    pub fn new(
        explorer: &'e Explorer<'a>,
        transitions: &'e Transitions,
        initial: &'e Initial,
        tokens: &'e [Tokens],
        certificate: &Certificate,
    ) -> Self {
        let settled = settled(explorer.claims, certificate);
        Prover::of(explorer, transitions, initial, tokens, (certificate.capacities, settled, None))
    }

    fn of(
        explorer: &'e Explorer<'a>,
        transitions: &'e Transitions,
        initial: &'e Initial,
        tokens: &'e [Tokens],
        (capacities, settled, monitor): (Capacities, Settled, Option<u32>),
    ) -> Self {
        let claims = explorer.claims;
        let mut of_group = vec![Vec::new(); claims.groups.len()];
        let mut of_tracker = vec![Vec::new(); claims.trackers.len().saturating_add(1)];
        let mut of_object = vec![Vec::new(); claims.objects.len()];
        let mut of_number = vec![Vec::new(); claims.numbers.len()];
        let mut starting = Vec::new();
        for (index, transition) in (0..).zip(&transitions.all) {
            for step in transition.moves.iter().chain(&transition.many) {
                match step.component {
                    Component::Group(group) => of_group[group.index()].push(index),
                    Component::Tracker(tracker) => of_tracker[tracker.index()].push(index),
                }
            }
            if transition.start.is_some() {
                starting.push(index);
            }
            for (group, _) in transition.start.iter().chain(&transition.end) {
                of_group[group.index()].push(index);
            }
            if let Some(message) = transition.message {
                of_object[message.object.index()].push(index);
            }
            for step in transition.numbers.iter().filter(|step| step.is_write()) {
                of_number[step.number.index()].push(index);
            }
        }
        Prover {
            explorer,
            transitions,
            initial,
            tokens,
            capacities,
            monitor,
            of_group,
            of_tracker,
            of_object,
            of_number,
            starting,
            settled,
        }
    }

    /// Checks the invariants of the claims.
    pub fn invariants(&self) -> Result<(), Refusal> {
        let mut all = self.explorer.claims.invariants.iter().enumerate();
        all.try_for_each(|(number, invariant)| self.invariant(number, invariant))
    }

    /// R24, R25 and R26: checks an invariant of the claims.
    fn invariant(&self, number: usize, invariant: &LinearInvariant) -> Result<(), Refusal> {
        let label = format!("invariant {number}");
        let weights = self.weights(&label, &invariant.potential)?;
        let messages = weights.messages.values().all(|weight| *weight >= 0);
        Rule::InvariantWeights.demand(messages, || format!("{label}: a message has a negative weight"))?;
        self.not_negative(Rule::InvariantWeights, &label, &weights, |_| false)?;
        self.nothing_grows(Rule::InvariantKept, &label, &weights, |_| BigInt::ZERO)?;
        let start = self.initial_value(&label, &weights)?;
        Rule::InvariantTotal.demand(start == BigInt::from(invariant.total), || {
            format!("{label} is {start} at the start, not {}", invariant.total)
        })
    }

    /// Checks one proof; `number` is for what is said about it.
    pub fn check(&self, number: usize, proof: &Proof) -> Result<(), Refusal> {
        let label = format!("proof {number}");
        match proof {
            Proof::Bound { object, at_most, cases } => self.bound(&label, *object, *at_most, cases),
            Proof::Guarded { object, at_most, sender, known } => {
                self.guarded(&label, (*object, *at_most), *sender, known)
            }
            Proof::Bounds { buffers, potential } => self.bounds(&label, buffers, potential),
            Proof::Starts { group, at_most, denominator, potential } => {
                self.starts(&label, (*group, *at_most), *denominator, potential)
            }
            Proof::AllBounded { stage } => {
                let allowed: Vec<u32> = (0..).zip(&self.transitions.all).map(|(index, _)| index).collect();
                self.stage(&label, stage, (&allowed, &self.settled), Goal::Bounded)
            }
            Proof::LivelockFree { progress, stage } => {
                self.without_progress(&label, progress, stage, Fairness::None)
            }
            Proof::FairProgress { progress, fairness, stage } => {
                self.without_progress(&label, progress, stage, *fairness)
            }
            Proof::Formula { formula, fairness, unreached, stage, ends } => {
                self.formula(&label, (formula, *fairness), unreached, (stage, ends))
            }
        }
    }

    /// No run that is fair like this goes on for ever without progress.
    fn without_progress(
        &self,
        label: &str,
        progress: &Progress,
        stage: &Stage,
        fairness: Fairness,
    ) -> Result<(), Refusal> {
        self.progress_exists(label, progress)?;
        let others = (0..).zip(&self.transitions.all);
        let allowed: Vec<u32> = others
            .filter(|(_, transition)| !self.is_progress(transition, progress))
            .map(|(index, _)| index)
            .collect();
        self.stage(label, stage, (&allowed, &self.settled), Goal::Ends(fairness))
    }

    /// The number of the monitor as a tracker.
    fn monitor_id(&self) -> TrackerId {
        TrackerId(self.explorer.claims.trackers.len() as u32)
    }

    /// How many nodes a tracker has, or the monitor; `None` if it does not exist.
    fn tracker_nodes(&self, tracker: TrackerId) -> Option<usize> {
        let claimed = self.explorer.claims.trackers.get(tracker.index()).map(|tracker| tracker.nodes.len());
        let monitor = self.monitor.filter(|_| tracker == self.monitor_id());
        claimed.or(monitor.map(|nodes| nodes as usize))
    }

    /// R3 for statements that are progress.
    fn progress_exists(&self, label: &str, progress: &Progress) -> Result<(), Refusal> {
        let Progress::At(statements) = progress else { return Ok(()) };
        let sorted = statements.windows(2).all(|pair| pair[0] < pair[1]);
        let system = self.explorer.system;
        let exists = |statement: &ProgressStatement| {
            let is_process = (statement.automaton as usize) < system.model.proctypes.len();
            let automaton = system.automata.get(statement.automaton as usize).filter(|_| is_process);
            let edge = automaton.and_then(|automaton| automaton.edges.get(statement.edge as usize));
            match (edge.map(|edge| &edge.action), statement.inside) {
                (Some(_), None) => true,
                (Some(Action::DStep(body)), Some((node, choice))) => {
                    let node = body.nodes.get(node as usize);
                    node.is_some_and(|node| (choice as usize) < node.choices.len())
                }
                _ => false,
            }
        };
        Rule::Exists.demand(sorted && statements.iter().all(exists), || {
            format!("{label}: the statements that are progress are not in order or do not exist")
        })
    }

    /// Whether one of those who take part executes a statement of progress.
    fn is_progress(&self, transition: &Transition, progress: &Progress) -> bool {
        [Some(transition.actor), transition.partner].into_iter().flatten().any(|actor| {
            let automaton = self.explorer.claims.groups[actor.group.index()].automaton;
            progress.contains(self.explorer.system, automaton, actor.edge, actor.inside)
        })
    }

    /// How many channels the object stands for, if that is claimed.
    fn channels_of(&self, object: ObjectId) -> Option<u32> {
        match self.explorer.claims.objects[object.index()].place {
            ObjectPlace::Global { .. } => Some(1),
            ObjectPlace::Local { group, .. } => self.explorer.claims.groups[group.index()].at_most,
        }
    }

    /// Whether the object's messages never disappear with the process that owns the channel.
    fn outlives_messages(&self, object: ObjectId) -> bool {
        match self.explorer.claims.objects[object.index()].place {
            ObjectPlace::Global { .. } => true,
            ObjectPlace::Local { group, .. } => !self.transitions.ending.contains(&group),
        }
    }

    /// R24 and R28 for nodes, but for those of groups that are free.
    fn not_negative(
        &self,
        rule: Rule,
        label: &str,
        weights: &Weights,
        free: impl Fn(GroupId) -> bool,
    ) -> Result<(), Refusal> {
        let nodes = weights.nodes.iter().all(|((group, _), weight)| *weight >= 0 || free(*group));
        let trackers = weights.trackers.values().all(|weight| *weight >= 0);
        rule.demand(nodes && trackers, || format!("{label}: a node has a negative weight"))
    }

    /// R25 and R29: no transition makes the potential grow, `extra` added.
    fn nothing_grows(
        &self,
        rule: Rule,
        label: &str,
        weights: &Weights,
        extra: impl Fn(&Transition) -> BigInt,
    ) -> Result<(), Refusal> {
        self.explorer.go_on()?;
        for index in self.concerned(weights).chain(self.starting()) {
            let transition = &self.transitions.all[index as usize];
            let change = weights.change(transition).map(|change| change + extra(transition));
            if change.as_ref().is_none_or(|change| *change > BigInt::ZERO) {
                self.grows(rule, label, index, change)?;
            }
        }
        Ok(())
    }

    /// Transitions that have to do with something that has a weight. Others leave the potential as it is.
    fn concerned(&self, weights: &Weights) -> impl Iterator<Item = u32> {
        let groups = weights.nodes.keys().map(|(group, _)| group.index()).collect::<BTreeSet<_>>();
        let trackers = weights.trackers.keys().map(|(tracker, _)| tracker.index()).collect::<BTreeSet<_>>();
        let objects = weights.messages.keys().map(|(object, _)| object.index()).collect::<BTreeSet<_>>();
        let groups = groups.into_iter().flat_map(|group| &self.of_group[group]);
        let trackers = trackers.into_iter().flat_map(|tracker| &self.of_tracker[tracker]);
        let objects = objects.into_iter().flat_map(|object| &self.of_object[object]);
        let numbers = weights.numbers.keys().map(|number| number.index()).collect::<BTreeSet<_>>();
        let numbers = numbers.into_iter().flat_map(|number| &self.of_number[number]);
        groups.chain(trackers).chain(objects).chain(numbers).copied()
    }

    /// Transitions that start a process, which may weigh something by itself.
    fn starting(&self) -> impl Iterator<Item = u32> {
        self.starting.iter().copied()
    }

    fn grows(&self, rule: Rule, label: &str, index: u32, change: Option<BigInt>) -> Result<(), Refusal> {
        let statement = self.text(index);
        rule.refuse(match change {
            Some(by) => format!("{statement} changes the potential of {label} by {by}"),
            None => format!("{statement} raises the weight of any number of processes in {label}"),
        })
    }

    fn text(&self, index: u32) -> String {
        let actor = self.transitions.all[index as usize].actor;
        statement_text(self.explorer.system, self.explorer.automaton(actor.group), actor.edge)
    }
}

/// All values of an expression in an environment; R12 if it is not understood.
fn evaluates(explorer: &Explorer<'_>, environment: &Environment<'_>, expr: &Expr) -> Result<Values, Refusal> {
    let values = explorer.evaluator().evaluate(environment, expr);
    values.map_err(|broken| Refusal::Broken { rule: broken.rule, what: broken.what })
}

/// Classes of buffers that some proof bounds.
fn settled(claims: &Claims, certificate: &Certificate) -> Settled {
    let bounded = certificate.proofs.iter().flat_map(|proof| match proof {
        Proof::Bound { object, .. } | Proof::Guarded { object, .. } => vec![*object],
        Proof::Bounds { buffers, .. } => buffers.iter().map(|bound| bound.object).collect(),
        Proof::Starts { .. }
        | Proof::AllBounded { .. }
        | Proof::LivelockFree { .. }
        | Proof::FairProgress { .. }
        | Proof::Formula { .. } => Vec::new(),
    });
    let classes = |object: ObjectId| {
        let classes = claims.objects.get(object.index()).map_or(0, |object| object.classes.len());
        (0..).map(ClassId).take(classes).map(move |class| (object, class))
    };
    bounded.flat_map(classes).collect()
}

/// How many messages so many channels of this capacity hold.
fn room(capacity: u32, channels: u32) -> BigInt {
    BigInt::from(capacity) * BigInt::from(channels)
}
