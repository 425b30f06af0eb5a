//! What there is to weigh, for whoever looks for a proof of a formula or of fair progress: plain data, nothing of which is trusted when the proof is checked.

use super::super::refusal::Refusal;
use super::super::rule::Rule;
use super::super::transition::{MessageChange, Tokens, Transition};
use super::Prover;
use crate::claims::{GroupId, NodeId, ObjectId};
use crate::potential::{Component, Progress};
use std::collections::BTreeSet;

/// Components, transitions and what is accepted, with the monitor of a formula as the last tracker.
pub struct Watch {
    /// How many processes each group has.
    pub tokens: Vec<Tokens>,
    /// For each group how many nodes it has.
    pub nodes: Vec<usize>,
    /// Where each process may stand at the start.
    pub processes: Vec<(GroupId, Vec<NodeId>)>,
    /// Groups of which there may be any number more at the start, each where one of them is.
    pub more: Vec<GroupId>,
    /// For each tracker how many nodes it has and in which it begins.
    pub trackers: Vec<(usize, NodeId)>,
    /// Whether the last of them is the monitor of a formula.
    pub has_monitor: bool,
    /// For each object how many classes it has; `None` for rendezvous channels.
    pub classes: Vec<Option<usize>>,
    /// What may happen.
    pub transitions: Vec<Watched>,
    /// How many acceptance sets there are.
    pub sets: u32,
    /// Nodes of the monitor that accept standing still for ever.
    pub accepts_standing_still: BTreeSet<NodeId>,
    /// For each group and node what is known if everybody is blocked; `None` where the process never is.
    pub if_all_are_blocked: Vec<Vec<Option<Standstill>>>,
    /// The same if only this process is blocked.
    pub if_one_is_blocked: Vec<Vec<Option<Standstill>>>,
}

/// One transition with a move of the monitor.
pub struct Watched {
    /// Who takes part: group, node and edge of the one who acts, and the receiver's group.
    pub actor: (GroupId, NodeId, system::automaton::EdgeId),
    /// In a rendezvous.
    pub partner: Option<GroupId>,
    /// From where to where.
    pub moves: Vec<(Component, NodeId, NodeId)>,
    /// Whether it moves any number of processes at once.
    pub moves_many: bool,
    /// A message more or less.
    pub message: Option<MessageChange>,
    /// A process appears.
    pub start: Option<(GroupId, NodeId)>,
    /// A process disappears.
    pub end: Option<(GroupId, NodeId)>,
    /// The acceptance sets that it is in, as bits.
    pub accepted: u32,
    /// Who could move just after it, from which node; only where that was asked for.
    pub lets_move: Vec<(GroupId, NodeId)>,
}

/// What is known where a process cannot move.
#[derive(Clone, Debug, Default)]
pub struct Standstill {
    /// Buffers with nothing in them.
    pub empty: BTreeSet<ObjectId>,
    /// Buffers with something in them.
    pub filled: BTreeSet<ObjectId>,
}

impl Prover<'_, '_> {
    /// The same that [`Prover::formula`] looks at (R39). `strongly`: also whom each transition lets move.
    pub fn watch(&self, formula: &str, strongly: bool) -> Result<Watch, Refusal> {
        let nothing =
            || Refusal::Broken { rule: Rule::AboutFormula, what: "there is no such formula".into() };
        let (violations, first) = self.violations(formula, formula)?.ok_or_else(nothing)?;
        let (transitions, acceptance) = self.with_monitor(formula, &violations, first)?;
        let accepts = |node: &NodeId| {
            let (state, valuation) = violations.of_node(node.0);
            violations.accepts_standing_still(state, valuation)
        };
        let mut watch = self.watch_of(&transitions.all, acceptance.accepted, strongly);
        watch.trackers.push((violations.nodes() as usize, NodeId(first)));
        watch.has_monitor = true;
        watch.sets = violations.sets;
        watch.accepts_standing_still = (0..violations.nodes()).map(NodeId).filter(accepts).collect();
        Ok(watch)
    }

    /// What a proof of progress looks at: whatever is no progress is accepted, and there is no monitor.
    pub fn watch_progress(&self, progress: &Progress, strongly: bool) -> Watch {
        let transitions = &self.transitions.all;
        let accepted = transitions.iter().map(|t| u32::from(!self.is_progress(t, progress)));
        self.watch_of(transitions, accepted.collect(), strongly)
    }

    fn watch_of(&self, transitions: &[Transition], accepted: Vec<u32>, strongly: bool) -> Watch {
        let claims = self.explorer.claims;
        let trackers = claims.trackers.iter().map(|tracker| tracker.nodes.len());
        let classes = (0..)
            .map(ObjectId)
            .zip(&claims.objects)
            .map(|(id, object)| (!self.explorer.is_rendezvous(id)).then_some(object.classes.len()));
        let nodes_of = |id: GroupId| {
            let nodes = claims.groups[id.index()].nodes.len() as u32;
            (0..nodes).map(NodeId)
        };
        let groups = || (0..).map(GroupId).take(claims.groups.len());
        let standstills = |all: bool| {
            let of_group = |id: GroupId| nodes_of(id).map(|node| self.standstill(id, node, all)).collect();
            groups().map(of_group).collect::<Vec<Vec<_>>>()
        };
        let places: Vec<(GroupId, NodeId)> = match strongly {
            true => groups().flat_map(|id| nodes_of(id).map(move |node| (id, node))).collect(),
            false => Vec::new(),
        };
        let watched = |(transition, accepted): (&Transition, u32)| Watched {
            actor: (transition.actor.group, transition.actor.node, transition.actor.edge),
            partner: transition.partner.map(|partner| partner.group),
            moves: transition.moves.iter().map(|step| (step.component, step.from, step.to)).collect(),
            moves_many: !transition.many.is_empty(),
            message: transition.message,
            start: transition.start,
            end: transition.end,
            accepted,
            lets_move: {
                let places = places.iter().copied();
                places.filter(|&(group, node)| self.lets_move(group, node, transition)).collect()
            },
        };
        Watch {
            tokens: self.tokens.to_vec(),
            nodes: claims.groups.iter().map(|group| group.nodes.len()).collect(),
            processes: self.initial.processes.clone(),
            more: self.initial.more.iter().copied().collect(),
            trackers: trackers.zip(self.initial.trackers.iter().copied()).collect(),
            has_monitor: false,
            classes: classes.collect(),
            transitions: transitions.iter().zip(accepted).map(watched).collect(),
            sets: 1,
            accepts_standing_still: BTreeSet::new(),
            if_all_are_blocked: standstills(true),
            if_one_is_blocked: standstills(false),
        }
    }
}
