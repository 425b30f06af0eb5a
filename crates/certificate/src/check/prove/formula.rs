//! Formulas: the automaton of the runs that violate one moves with every transition, as one more tracker.

use super::super::refusal::Refusal;
use super::super::rule::Rule;
use super::super::transition::{Actor, Move, Transition, Transitions};
use super::Prover;
use super::atoms::{Follower, Pairs};
use super::stages::{Acceptance, Goal};
use crate::claims::{NodeId, Point};
use crate::formula::{Violations, unanswerable};
use crate::potential::{Blocked, Component, Potential, Stage};
use crate::verdict::Fairness;
use num_bigint::BigInt;
use std::collections::{BTreeSet, HashMap, HashSet};
use system::automaton::LocationId;
use system::interpreter::{Capacities, Interpreter};

/// More transitions of model and monitor than this are refused, not computed.
const MOST_TRANSITIONS: usize = 400_000;

impl Prover<'_, '_> {
    /// A formula: what is not reached, runs that go on for ever, runs that end.
    pub(super) fn formula(
        &self,
        label: &str,
        (name, fairness): (&str, Fairness),
        unreached: &[Potential],
        (stage, ends): (&Stage, &Blocked),
    ) -> Result<(), Refusal> {
        let violations = self.violations(label, name)?;
        let Some((violations, first)) = violations else { return Ok(()) };
        let (transitions, acceptance) = self.with_monitor(label, &violations, first)?;
        let mut initial = self.initial.clone();
        initial.trackers.push(NodeId(first));
        let limits = (self.capacities, self.settled.clone(), Some(violations.nodes()));
        let both = Prover::of(self.explorer, &transitions, &initial, self.tokens, limits);
        let mut gone = HashSet::new();
        for (number, potential) in unreached.iter().enumerate() {
            both.excludes(&format!("{label}, exclusion {number}"), potential, &mut gone)?;
        }
        let monitor = Component::Tracker(both.monitor_id());
        let is_left = |transition: &Transition| {
            let mut steps = transition.moves.iter().filter(|step| step.component == monitor);
            !steps.any(|step| gone.contains(&step.from) || gone.contains(&step.to))
        };
        let left = (0..).zip(&transitions.all).filter(|(_, transition)| is_left(transition));
        let allowed: Vec<u32> = left.map(|(index, _)| index).collect();
        both.stage(label, stage, (&allowed, &self.settled), Goal::Accepts(fairness, &acceptance))?;
        let accepted: BTreeSet<NodeId> = (0..violations.nodes())
            .filter(|&node| {
                let (state, valuation) = violations.of_node(node);
                violations.accepts_standing_still(state, valuation)
            })
            .map(NodeId)
            .filter(|node| !gone.contains(node))
            .collect();
        both.not_everybody_is_blocked(&format!("{label}, runs that end"), ends, (&allowed, first), accepted)
    }

    /// R39: the automaton of the runs that violate the formula, and the node in which it begins.
    pub(super) fn violations(&self, label: &str, name: &str) -> Result<Option<(Violations, u32)>, Refusal> {
        let system = self.explorer.system;
        let refuse = |what: String| Rule::AboutFormula.refuse(format!("{label}: {what}")).map(|()| None);
        let Some(known) = system.model.formulas.iter().find(|known| known.name == name) else {
            return refuse(format!("the model has no formula `{name}`"));
        };
        if self.has_endless_atomic() {
            return refuse("an `atomic` sequence may go on for ever, so that nobody sees a state".into());
        }
        let Some(violations) = Violations::of(&system.model, &known.formula) else {
            return refuse(format!("`{name}` is too large"));
        };
        if let Some(what) = unanswerable(&system.model.features, &violations.propositions) {
            return refuse(format!("`{name}` has no value at the start: {what}"));
        }
        let interpreter = Interpreter::new(system, Capacities::Unbounded);
        let mut valuation = 0u32;
        let state = match interpreter.initial_state() {
            Ok(state) => state,
            Err(error) => return refuse(format!("there is no initial state: {}", error.kind)),
        };
        for (bit, proposition) in (0..).zip(&violations.propositions) {
            match interpreter.evaluate(&state, None, proposition) {
                Ok(0) => {}
                Ok(_) => valuation |= 1u32.checked_shl(bit).unwrap_or(0),
                Err(error) => return refuse(format!("`{name}` has no value at the start: {}", error.kind)),
            }
        }
        let first = violations.node(0, valuation);
        Ok(Some((violations, first)))
    }

    /// Whether it may go on for ever inside of `atomic` sequences, so that nobody sees a state any more: in one process, or in several of which
    /// each hands control on by a rendezvous (the receiver's statement says whether control is exclusive afterwards).
    pub(super) fn has_endless_atomic(&self) -> bool {
        let system = self.explorer.system;
        let mut places = HashMap::new();
        for (index, automaton) in system.automata.iter().enumerate() {
            for location in (0..).map(LocationId).take(automaton.locations.len()) {
                let next = places.len();
                places.insert((index, location), next);
            }
        }
        let mut onward = vec![Vec::new(); places.len()];
        for (id, automaton) in system.process_automata() {
            let place = |location| places[&(id.0 as usize, location)];
            for edge in automaton.edges.iter().filter(|edge| edge.atomic) {
                onward[place(edge.source)].push(place(edge.target));
            }
        }
        let edge_of = |actor: Actor| {
            let automaton = self.explorer.claims.groups[actor.group.index()].automaton as usize;
            (automaton, system.automata[automaton].edge(actor.edge))
        };
        for transition in &self.transitions.all {
            let Some(partner) = transition.partner else { continue };
            let ((sender, sent), (receiver, received)) = (edge_of(transition.actor), edge_of(partner));
            if received.atomic {
                onward[places[&(sender, sent.source)]].push(places[&(receiver, received.target)]);
            }
        }
        let part = super::stages::strongly_connected(&onward);
        (0..onward.len()).any(|from| onward[from].iter().any(|&to| part[to] == part[from]))
    }

    /// R12 and R39: every transition with every move of the monitor that goes with it.
    pub(super) fn with_monitor(
        &self,
        label: &str,
        violations: &Violations,
        first: u32,
    ) -> Result<(Transitions, Acceptance), Refusal> {
        let follower = Follower::new(self.explorer, self.tokens);
        let atoms: Vec<_> = violations.propositions.iter().map(|expr| follower.atom(expr)).collect();
        let mut pairs: Vec<Vec<Pairs>> = Vec::with_capacity(self.transitions.all.len());
        for transition in &self.transitions.all {
            let of_atoms = atoms.iter().map(|atom| follower.pairs(atom, transition));
            pairs.push(of_atoms.collect::<Result<_, _>>()?);
        }
        let looks: Vec<Looks> =
            self.transitions.all.iter().map(|transition| self.looks(transition)).collect();
        let component = Component::Tracker(self.monitor_id());
        let mut found: Vec<(Transition, u32)> = Vec::new();
        let mut reached = BTreeSet::from([first]);
        let mut open = vec![first];
        while let Some(node) = open.pop() {
            self.explorer.go_on()?;
            let (state, valuation) = violations.of_node(node);
            for (index, transition) in self.transitions.all.iter().enumerate() {
                let next = next_valuations(valuation, &pairs[index]);
                if next.is_empty() {
                    continue;
                }
                let mut moves: BTreeSet<(u32, u32)> = BTreeSet::new();
                if looks[index].reads {
                    let edges = violations.edges[state as usize].iter().filter(|edge| edge.fits(valuation));
                    moves.extend(edges.map(|edge| (edge.target, edge.accepted)));
                }
                if looks[index].skips {
                    moves.insert((state, 0));
                }
                for &(target, accepted) in &moves {
                    for &valuation in &next {
                        let to = violations.node(target, valuation);
                        if reached.insert(to) {
                            open.push(to);
                        }
                        let mut transition = transition.clone();
                        transition.moves.push(Move { component, from: NodeId(node), to: NodeId(to) });
                        found.push((transition, accepted));
                    }
                }
                Rule::Understood.demand(found.len() <= MOST_TRANSITIONS, || {
                    format!("{label}: more than {MOST_TRANSITIONS} transitions of model and formula")
                })?;
            }
        }
        let (all, accepted) = found.into_iter().unzip();
        let Transitions { started, ending, unordered, .. } = self.transitions;
        let (started, ending, unordered) = (started.clone(), ending.clone(), unordered.clone());
        let transitions = Transitions { all, started, ending, unordered };
        Ok((transitions, Acceptance { accepted, sets: violations.sets }))
    }

    /// Whether the monitor reads the moment before a transition. Inside a `d_step` there is none, inside an `atomic` there is one only if somebody
    /// had to wait. (A receiver in the middle of one has; that it might not have been seen does no harm.)
    fn looks(&self, transition: &Transition) -> Looks {
        let mut looks = Looks { reads: true, skips: false };
        for actor in [Some(transition.actor), transition.partner].into_iter().flatten() {
            let automaton = self.explorer.automaton(actor.group);
            match self.explorer.claims.groups[actor.group.index()].nodes[actor.node.index()].point {
                Point::Inside { .. } => return Looks { reads: false, skips: true },
                Point::At(location) => {
                    looks.skips |=
                        automaton.edges.iter().any(|edge| edge.atomic && edge.target.0 == location);
                }
            }
        }
        looks
    }

    /// R40: nodes of the monitor that weigh more than there is, beside whatever else there must be. Where it was already, nothing begins.
    fn excludes(
        &self,
        label: &str,
        potential: &Potential,
        gone: &mut HashSet<NodeId>,
    ) -> Result<(), Refusal> {
        let weights = self.weights(label, potential)?;
        self.weighs_no_number(label, &weights)?;
        let messages = weights.messages.values().all(|weight| *weight >= 0);
        Rule::Unreached.demand(messages, || format!("{label}: a message has a negative weight"))?;
        self.not_negative(Rule::Unreached, label, &weights, |_| false)?;
        let monitor = Component::Tracker(self.monitor_id());
        for (index, transition) in (0..).zip(&self.transitions.all) {
            let is_gone = |step: &Move| step.component == monitor && gone.contains(&step.from);
            if transition.moves.iter().any(is_gone) {
                continue;
            }
            let change = weights.change(transition);
            if change.as_ref().is_none_or(|change| *change > BigInt::ZERO) {
                self.grows(Rule::Unreached, label, index, change)?;
            }
        }
        let start = self.initial_value(label, &weights)?;
        let nodes = (0..self.monitor.unwrap_or(0)).map(NodeId);
        gone.extend(nodes.filter(|&node| BigInt::from(weights.of(monitor, node)) > start));
        Ok(())
    }
}

/// What the monitor does with the moment before a transition.
#[derive(Clone, Copy)]
struct Looks {
    reads: bool,
    skips: bool,
}

/// The valuations that may follow one.
fn next_valuations(valuation: u32, pairs: &[Pairs]) -> Vec<u32> {
    let mut next = vec![0u32];
    for (bit, pairs) in (0..).zip(pairs) {
        let bit = 1u32.checked_shl(bit).unwrap_or(0);
        let was = valuation & bit != 0;
        let mut more = Vec::new();
        for is in [false, true].into_iter().filter(|&is| pairs.contains(was, is)) {
            more.extend(next.iter().map(|&valuation| if is { valuation | bit } else { valuation }));
        }
        next = more;
    }
    next
}
