//! Proofs that speak of a number: Bound, Bounds, Starts, Guarded.

use super::super::guard::GuardReader;
use super::super::refusal::Refusal;
use super::super::rule::Rule;
use super::super::transition::Transition;
use super::weights::Weights;
use super::{Prover, room};
use crate::claims::{ClassId, Group, GroupId, NodeId, ObjectId, ObjectPlace};
use crate::potential::{Arrival, BoundCase, BufferBound, Component, KnownLength, Potential};
use crate::verdict::Capacities;
use num_bigint::BigInt;
use num_traits::Signed;
use std::collections::{BTreeSet, HashMap};

impl Prover<'_, '_> {
    /// One buffer, by one potential for all moments or one for each kind of moment.
    pub(super) fn bound(
        &self,
        label: &str,
        object: ObjectId,
        at_most: u64,
        cases: &[BoundCase],
    ) -> Result<(), Refusal> {
        self.is_buffer(label, object)?;
        self.is_told_apart(label, object)?;
        if cases.is_empty() {
            return self.has_room(label, object, at_most);
        }
        self.cases_are_the_moments(label, object, cases)?;
        let mut shown = BigInt::ZERO;
        for case in cases {
            let weights = self.weights(label, &case.potential)?;
            self.weighs_enough(label, object, case.denominator, &weights)?;
            // Just after a send it is known where the one process of the group stands.
            let groups = &self.explorer.claims.groups;
            let alone = |group: &GroupId| groups[group.index()].at_most == Some(1);
            let free = case.after.as_ref().map(|arrival| arrival.group).filter(alone);
            let most = self.most(label, &weights, (Some(object), free), |_| BigInt::ZERO)?;
            // There it is also known where numbers are.
            let room = |group: GroupId, node: NodeId| {
                let of_numbers = self.slack_of_numbers(&weights, Some((group, node)));
                of_numbers - BigInt::from(weights.of_node(group, node))
            };
            let more: Vec<BigInt> = match &case.after {
                None => vec![self.slack_of_numbers(&weights, None)],
                Some(arrival) => arrival.nodes.iter().map(|&node| room(arrival.group, node)).collect(),
            };
            let figures = more.iter().map(|more| floor(&(&most + more), case.denominator));
            shown = figures.fold(shown, BigInt::max);
        }
        shows(label, &shown, at_most)
    }

    /// R32 (and R3): one case for all moments, or the cases are exactly the moments just after a send into the buffer.
    fn cases_are_the_moments(
        &self,
        label: &str,
        object: ObjectId,
        cases: &[BoundCase],
    ) -> Result<(), Refusal> {
        let arrivals: Vec<&Arrival> = cases.iter().filter_map(|case| case.after.as_ref()).collect();
        if arrivals.len() < cases.len() {
            return Rule::Moments.demand(cases.len() == 1, || {
                format!("{label}: one case for all moments, or some cases for single ones, are needed")
            });
        }
        let mut moments = BTreeSet::new();
        for arrival in arrivals {
            let exists = arrival.group.index() < self.explorer.claims.groups.len();
            Rule::Exists
                .demand(exists, || format!("{label}: a case speaks of a group that does not exist"))?;
            let sorted = arrival.nodes.windows(2).all(|pair| pair[0] < pair[1]);
            Rule::Exists.demand(sorted, || format!("{label}: the nodes of a case are not in order"))?;
            for &node in &arrival.nodes {
                Rule::Moments.demand(moments.insert((arrival.group, node)), || {
                    format!("{label}: two cases speak of the same moments")
                })?;
            }
        }
        Rule::Moments.demand(self.arrivals(object) == moments, || {
            format!("{label}: the cases are not exactly the moments just after a send")
        })
    }

    /// R28 and R29: what the potential is at the most, in all of a run, with something extra for some transitions; what numbers lack to 0 is not in it. Messages of the buffer in
    /// question never weigh less than nothing; nodes of a group may if it is free.
    fn most(
        &self,
        label: &str,
        weights: &Weights,
        (question, free): (Option<ObjectId>, Option<GroupId>),
        extra: impl Fn(&Transition) -> BigInt,
    ) -> Result<BigInt, Refusal> {
        let slack = self.slack(label, question, weights)?;
        self.not_negative(Rule::NotNegative, label, weights, |group| Some(group) == free)?;
        self.nothing_grows(Rule::NothingGrows, label, weights, extra)?;
        Ok(self.initial_value(label, weights)? + slack)
    }

    /// Many buffers by one potential (R2: at least one; R3: each once).
    pub(super) fn bounds(
        &self,
        label: &str,
        buffers: &[BufferBound],
        potential: &Potential,
    ) -> Result<(), Refusal> {
        Rule::SaysSomething.demand(!buffers.is_empty(), || format!("{label} speaks of no buffer"))?;
        let sorted = buffers.windows(2).all(|pair| pair[0].object < pair[1].object);
        Rule::Exists.demand(sorted, || format!("{label}: the buffers are not in order"))?;
        let weights = self.weights(label, potential)?;
        // Every buffer that is asked for weighs something, so what weighs less than nothing is another one.
        let most = self.most(label, &weights, (None, None), |_| BigInt::ZERO)?
            + self.slack_of_numbers(&weights, None);
        for BufferBound { object, at_most } in buffers {
            self.is_buffer(label, *object)?;
            self.is_told_apart(label, *object)?;
            let classes = self.classes(*object);
            match classes.map(|class| weights.of_message(*object, class)).min() {
                None => shows(label, &BigInt::ZERO, *at_most)?,
                Some(least) => {
                    self.weighs_enough(label, *object, least, &weights)?;
                    shows(label, &floor(&most, least), *at_most)?;
                }
            }
        }
        Ok(())
    }

    /// How many processes of a group are ever started: R21, with R3 and R30 for what it speaks of.
    pub(super) fn starts(
        &self,
        label: &str,
        (group, at_most): (GroupId, u64),
        denominator: i64,
        potential: &Potential,
    ) -> Result<(), Refusal> {
        let claimed = self.explorer.claims.groups.get(group.index());
        Rule::Exists.demand(claimed.is_some(), || format!("{label}: the group does not exist"))?;
        let claimed = claimed.and_then(|group| group.at_most).map(u64::from);
        Rule::SizesShown.demand(claimed == Some(at_most), || {
            format!("{label}: the proof and the claim about the group's size differ")
        })?;
        self.can_have_members(label, group)?;
        Rule::WeighsEnough.demand(denominator >= 1, || format!("{label}: a start weighs less than 1"))?;
        let weights = self.weights(label, potential)?;
        let starts = |transition: &Transition| match transition.start {
            Some((started, _)) if started == group => BigInt::from(denominator),
            _ => BigInt::ZERO,
        };
        let own = BigInt::from(denominator) * self.initial.count(group);
        let numbers = self.slack_of_numbers(&weights, None);
        let most = self.most(label, &weights, (None, None), starts)? + own + numbers;
        shows(label, &floor(&most, denominator), at_most)
    }

    /// R34 (and R3): a buffer whose only sender looks before it sends.
    pub(super) fn guarded(
        &self,
        label: &str,
        (object, at_most): (ObjectId, u64),
        sender: GroupId,
        known: &[KnownLength],
    ) -> Result<(), Refusal> {
        self.is_buffer(label, object)?;
        self.has_only_sender(label, object, sender)?;
        let group = &self.explorer.claims.groups[sender.index()];
        let sorted = known.windows(2).all(|pair| pair[0].node < pair[1].node);
        let fits = known.iter().all(|k| k.node.index() < group.nodes.len() && k.at_most < at_most);
        Rule::Exists.demand(sorted && fits, || {
            format!("{label}: the known lengths are not sorted, not less, or of no node")
        })?;
        let of_node: HashMap<NodeId, u64> = known.iter().map(|k| (k.node, k.at_most)).collect();
        let held_at = |node: NodeId| of_node.get(&node).copied().unwrap_or(at_most);
        for &index in &self.of_group[sender.index()] {
            let transition = &self.transitions.all[index as usize];
            // With one process there are no others that move along.
            for step in transition.moves.iter().filter(|step| step.component == Component::Group(sender)) {
                let mut held = BigInt::from(held_at(step.from));
                if transition.actor.group == sender {
                    if let Some(most) = self.guard(group, transition, object)? {
                        held = held.min(BigInt::from(most));
                    }
                    let change = transition.message.filter(|message| message.object == object);
                    match change.map(|message| message.change) {
                        Some(1..) => held += 1u32,
                        Some(_) => held = BigInt::max(held - 1u32, BigInt::ZERO),
                        None => {}
                    }
                }
                Rule::LengthKept.demand(held <= BigInt::from(held_at(step.to)), || {
                    format!("{label}: after {} the buffer may hold {held}", self.text(index))
                })?;
            }
        }
        Ok(())
    }

    /// R33 (and R3): the sender is one process, the buffer one channel, and nobody else sends.
    fn has_only_sender(&self, label: &str, object: ObjectId, sender: GroupId) -> Result<(), Refusal> {
        let claims = self.explorer.claims;
        let exists = sender.index() < claims.groups.len();
        Rule::Exists.demand(exists, || format!("{label}: the sender does not exist"))?;
        let global = matches!(claims.objects[object.index()].place, ObjectPlace::Global { .. });
        let alone = claims.groups[sender.index()].at_most == Some(1);
        Rule::OnlySender.demand(global && alone, || {
            format!("{label}: the buffer is not a global one, or the sender not one process")
        })?;
        for &index in &self.of_object[object.index()] {
            let transition = &self.transitions.all[index as usize];
            let puts = transition.message.is_some_and(|message| message.change > 0);
            Rule::OnlySender.demand(!puts || transition.actor.group == sender, || {
                format!("{label}: {} sends, too", self.text(index))
            })?;
        }
        Ok(())
    }

    /// What the guard of a transition says about how much the buffer holds.
    fn guard(
        &self,
        group: &Group,
        transition: &Transition,
        object: ObjectId,
    ) -> Result<Option<u64>, Refusal> {
        let node = &group.nodes[transition.actor.node.index()];
        let Some(environment) = self.explorer.environment(group, node) else { return Ok(None) };
        let reader = GuardReader { evaluator: self.explorer.evaluator(), environment: &environment, object };
        let automaton = self.explorer.automaton(transition.actor.group);
        match reader.most(automaton, node.point, transition.actor.edge) {
            Ok(most) => Ok(most),
            Err(broken) => {
                self.explorer.refuse(transition.actor.group, transition.actor.edge, broken)?;
                Ok(None)
            }
        }
    }

    /// R27 (and R3).
    fn is_buffer(&self, label: &str, object: ObjectId) -> Result<(), Refusal> {
        let exists = object.index() < self.explorer.claims.objects.len();
        Rule::Exists.demand(exists, || format!("{label}: object {} does not exist", object.0))?;
        Rule::IsBuffer.demand(!self.explorer.is_rendezvous(object), || {
            format!("{label}: object {} is not a buffer", object.0)
        })
    }

    /// R8 for the group that owns an object.
    fn is_told_apart(&self, label: &str, object: ObjectId) -> Result<(), Refusal> {
        match self.explorer.claims.objects[object.index()].place {
            ObjectPlace::Global { .. } => Ok(()),
            ObjectPlace::Local { group, .. } => self.can_have_members(label, group),
        }
    }

    /// R8: a statement about processes that cannot exist would be read as one about others.
    fn can_have_members(&self, label: &str, group: GroupId) -> Result<(), Refusal> {
        let possible = self.explorer.claims.can_have_members(self.explorer.system, group);
        Rule::ToldApart.demand(possible, || {
            format!("{label}: every process of group {} belongs to a group before it", group.0)
        })
    }

    /// R30.
    fn weighs_enough(
        &self,
        label: &str,
        object: ObjectId,
        denominator: i64,
        weights: &Weights,
    ) -> Result<(), Refusal> {
        let mut classes = self.classes(object);
        let enough = classes.all(|class| weights.of_message(object, class) >= denominator);
        Rule::WeighsEnough.demand(denominator >= 1 && enough, || {
            format!("{label}: a message of the buffer weighs less than {}", denominator.max(1))
        })
    }

    /// R31 and R32 without a potential: one channel holds what it has room for.
    fn has_room(&self, label: &str, object: ObjectId, at_most: u64) -> Result<(), Refusal> {
        let declared = self.capacities == Capacities::Declared && self.channels_of(object) == Some(1);
        Rule::Moments.demand(declared, || format!("{label}: there is no case"))?;
        shows(label, &BigInt::from(self.explorer.capacity(object)), at_most)
    }

    /// Groups and nodes in which a process arrives with a send into the buffer.
    fn arrivals(&self, object: ObjectId) -> BTreeSet<(GroupId, NodeId)> {
        let mut arrivals = BTreeSet::new();
        for &index in &self.of_object[object.index()] {
            let transition = &self.transitions.all[index as usize];
            if transition.message.is_some_and(|message| message.change > 0) {
                // Who moves comes first.
                let own = transition.moves.first();
                arrivals.extend(own.map(|step| (transition.actor.group, step.to)));
            }
        }
        arrivals
    }

    /// R28 for messages: what negative weights of other channels' messages add to the initial value, since there are at most as many as fit.
    fn slack(&self, label: &str, question: Option<ObjectId>, weights: &Weights) -> Result<BigInt, Refusal> {
        let mut least: HashMap<ObjectId, i64> = HashMap::new();
        for (&(object, _), &weight) in &weights.messages {
            if weight < 0 {
                let entry = least.entry(object).or_insert(0);
                *entry = weight.min(*entry);
            }
        }
        let mut slack = BigInt::ZERO;
        for (object, weight) in least {
            let limited = self.capacities == Capacities::Declared
                && Some(object) != question
                && self.outlives_messages(object);
            let channels = self.channels_of(object).filter(|_| limited);
            Rule::NotNegative
                .demand(channels.is_some(), || format!("{label}: a message has a negative weight"))?;
            let channels = channels.unwrap_or_default();
            slack += room(self.explorer.capacity(object), channels) * BigInt::from(weight).abs();
        }
        Ok(slack)
    }

    fn classes(&self, object: ObjectId) -> impl Iterator<Item = ClassId> + use<> {
        let classes = self.explorer.claims.objects[object.index()].classes.len();
        (0..).map(ClassId).take(classes)
    }
}

/// R31: the figure is exactly what is shown.
fn shows(label: &str, shown: &BigInt, at_most: u64) -> Result<(), Refusal> {
    Rule::Figure.demand(*shown == BigInt::from(at_most), || {
        format!("{label}: the potential shows {shown}, the proof says {at_most}")
    })
}

/// The quotient by a denominator that R30 has seen, rounded down. (Below 0 it is rounded up, but then there is nothing that could be
/// counted, and no figure is less than 0.)
fn floor(value: &BigInt, denominator: i64) -> BigInt {
    value / BigInt::from(denominator.max(1))
}
