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

use super::explore::Explorer;
use super::guard::GuardReader;
use super::refusal::{Refusal, statement_text};
use super::transition::{Transition, Transitions};
use crate::Certificate;
use crate::claims::{Bar, ClassId, Group, GroupId, NodeId, ObjectId, ObjectPlace, TrackerId};
use crate::potential::{
    BoundCase, BufferBound, Component, KnownLength, Next, Potential, Progress, ProgressStatement, Proof,
    Stage,
};
use crate::verdict::Capacities;
use std::collections::{BTreeSet, HashMap, HashSet};
use system::automaton::Action;

/// Where everything stands at the start.
pub struct Initial {
    /// Groups of the processes, and the nodes that each may stand in.
    pub processes: Vec<(GroupId, Vec<NodeId>)>,
    /// For each tracker its node.
    pub trackers: Vec<NodeId>,
}

impl Initial {
    /// How many processes of a group there are at the start.
    pub fn count(&self, group: GroupId) -> u32 {
        self.processes.iter().filter(|(of, _)| *of == group).count() as u32
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
    /// The reading.
    pub capacities: Capacities,
    of_group: Vec<Vec<u32>>,
    of_tracker: Vec<Vec<u32>>,
    of_object: Vec<Vec<u32>>,
    /// Classes of buffers that other proofs bound.
    settled: Settled,
}

/// Message classes of which no loop leaves anything behind.
type Settled = HashSet<(ObjectId, ClassId)>;
/// Whether nothing is left to show, given the transitions that are still allowed.
type Closed<'c> = dyn Fn(&[u32], &Settled) -> bool + 'c;

/// A potential for looking things up.
struct Weights {
    messages: HashMap<(ObjectId, ClassId), i64>,
    nodes: HashMap<(GroupId, NodeId), i64>,
    trackers: HashMap<(TrackerId, NodeId), i64>,
}

impl Weights {
    fn of_message(&self, object: ObjectId, class: ClassId) -> i128 {
        self.messages.get(&(object, class)).copied().unwrap_or(0).into()
    }

    fn of_node(&self, group: GroupId, node: NodeId) -> i128 {
        self.nodes.get(&(group, node)).copied().unwrap_or(0).into()
    }

    fn of(&self, component: Component, node: NodeId) -> i128 {
        match component {
            Component::Group(group) => self.of_node(group, node),
            Component::Tracker(tracker) => self.trackers.get(&(tracker, node)).copied().unwrap_or(0).into(),
        }
    }

    /// The most by which the transition changes the potential; `None` if there is no most.
    fn change(&self, transition: &Transition) -> Option<i128> {
        let mut change = 0;
        for step in &transition.moves {
            change += self.of(step.component, step.to) - self.of(step.component, step.from);
        }
        for step in &transition.many {
            if self.of(step.component, step.to) > self.of(step.component, step.from) {
                return None;
            }
        }
        if let Some(message) = transition.message {
            change += i128::from(message.change) * self.of_message(message.object, message.class);
        }
        if let Some((group, node)) = transition.start {
            change += self.of_node(group, node);
        }
        if let Some((group, node)) = transition.end {
            change -= self.of_node(group, node);
        }
        Some(change)
    }
}

impl<'e, 'a> Prover<'e, 'a> {
    /// Prepares.
    pub fn new(
        explorer: &'e Explorer<'a>,
        transitions: &'e Transitions,
        initial: &'e Initial,
        certificate: &Certificate,
    ) -> Self {
        let capacities = certificate.capacities;
        let claims = explorer.claims;
        let mut of_group = vec![Vec::new(); claims.groups.len()];
        let mut of_tracker = vec![Vec::new(); claims.trackers.len()];
        let mut of_object = vec![Vec::new(); claims.objects.len()];
        for (index, transition) in transitions.all.iter().enumerate() {
            let index = index as u32;
            for step in transition.moves.iter().chain(&transition.many) {
                match step.component {
                    Component::Group(group) => of_group[group.index()].push(index),
                    Component::Tracker(tracker) => of_tracker[tracker.index()].push(index),
                }
            }
            for (group, _) in transition.start.iter().chain(&transition.end) {
                of_group[group.index()].push(index);
            }
            if let Some(message) = transition.message {
                of_object[message.object.index()].push(index);
            }
        }
        let bounded = certificate.proofs.iter().flat_map(|proof| match proof {
            Proof::Bound { object, .. } | Proof::Guarded { object, .. } => vec![*object],
            Proof::Bounds { buffers, .. } => buffers.iter().map(|bound| bound.object).collect(),
            Proof::Starts { .. } | Proof::AllBounded { .. } | Proof::LivelockFree { .. } => Vec::new(),
        });
        let classes = |object: ObjectId| {
            let classes = claims.objects.get(object.index()).map_or(0, |object| object.classes.len());
            (0..classes).map(move |class| (object, ClassId(class as u32)))
        };
        let settled = bounded.flat_map(classes).collect();
        Prover { explorer, transitions, initial, capacities, of_group, of_tracker, of_object, settled }
    }

    /// Checks that the claims' bars hold; `number` is for what is said about it.
    pub fn bar(&self, number: usize, bar: &Bar) -> Result<(), Refusal> {
        let refuse_bar = |refusal: Refusal| Refusal::Malformed { what: format!("bar {number}: {refusal}") };
        let holds = || {
            let weights = self.weights(number, &bar.potential)?;
            if weights.messages.values().any(|weight| *weight < 0) {
                return Err(refuse(number, "a message has a negative weight"));
            }
            self.not_negative(number, &weights, |_| false)?;
            self.nothing_grows(number, &bar.potential, &weights, |_| 0)?;
            let start = self.initial_value(&weights);
            match start == i128::from(bar.total) {
                true => Ok(()),
                false => Err(refuse(number, format!("it is {start} at the start, not {}", bar.total))),
            }
        };
        holds().map_err(refuse_bar)
    }

    /// Checks one proof; `number` is for what is said about it.
    pub fn check(&self, number: usize, proof: &Proof) -> Result<(), Refusal> {
        match proof {
            Proof::Bound { object, at_most, cases } => self.bound(number, *object, *at_most, cases),
            Proof::Guarded { object, at_most, sender, known } => {
                self.guarded(number, (*object, *at_most), *sender, known)
            }
            Proof::Bounds { buffers, potential } => self.bounds(number, buffers, potential),
            Proof::Starts { group, at_most, denominator, potential } => {
                self.starts(number, (*group, *at_most), *denominator, potential)
            }
            Proof::AllBounded { stage } => {
                let unlimited = self.explorer.claims.groups.iter().any(|group| group.at_most.is_none());
                if unlimited && matches!(stage.next, Next::Split { .. }) {
                    return Err(refuse(number, "a split with a group of any number of processes"));
                }
                let allowed: Vec<u32> = (0..self.transitions.all.len() as u32).collect();
                let declared = self.capacities == Capacities::Declared;
                self.stage(number, stage, &allowed, &self.settled, &|_, settled| {
                    declared || self.all_settled(settled)
                })
            }
            Proof::LivelockFree { progress, stage } => {
                self.progress_exists(number, progress)?;
                let allowed: Vec<u32> = (0..self.transitions.all.len() as u32)
                    .filter(|index| !self.is_progress(&self.transitions.all[*index as usize], progress))
                    .collect();
                self.stage(number, stage, &allowed, &self.settled, &|left, _| left.is_empty())
            }
        }
    }

    fn bound(
        &self,
        number: usize,
        object: ObjectId,
        at_most: u64,
        cases: &[BoundCase],
    ) -> Result<(), Refusal> {
        let claims = self.explorer.claims;
        if object.index() >= claims.objects.len() || self.explorer.is_rendezvous(object) {
            return Err(refuse(number, "the object is not a buffer"));
        }
        if cases.is_empty() && self.capacities == Capacities::Declared && self.channels_of(object) == Some(1)
        {
            let room = u64::from(self.explorer.capacity(object));
            return match at_most == room {
                true => Ok(()),
                false => Err(refuse(number, format!("there is room for {room}, the proof says {at_most}"))),
            };
        }
        let always = cases.iter().any(|case| case.after.is_none());
        if cases.is_empty() || (always && cases.len() > 1) {
            return Err(refuse(
                number,
                "one case for all moments, or some cases for single ones, are needed",
            ));
        }
        let mut arrivals: BTreeSet<(GroupId, NodeId)> = BTreeSet::new();
        let mut shown: i128 = 0;
        for case in cases {
            let denominator = i128::from(case.denominator);
            if denominator < 1 {
                return Err(refuse(number, "the denominator is less than 1"));
            }
            let weights = self.weights(number, &case.potential)?;
            for class in 0..claims.objects[object.index()].classes.len() {
                if weights.of_message(object, ClassId(class as u32)) < denominator {
                    return Err(refuse(number, "a message of the buffer weighs less than the denominator"));
                }
            }
            let slack = self.slack(number, Some(object), &weights)?;
            let free = match &case.after {
                Some(arrival) if arrival.group.index() >= claims.groups.len() => {
                    return Err(refuse(number, "a case speaks of a group that does not exist"));
                }
                Some(arrival) => {
                    (claims.groups[arrival.group.index()].at_most == Some(1)).then_some(arrival.group)
                }
                None => None,
            };
            self.not_negative(number, &weights, |group| Some(group) == free)?;
            self.nothing_grows(number, &case.potential, &weights, |_| 0)?;
            let start = self.initial_value(&weights) + slack;
            match &case.after {
                None => shown = shown.max(start.div_euclid(denominator)),
                Some(arrival) => {
                    if !arrival.nodes.windows(2).all(|pair| pair[0] < pair[1]) {
                        return Err(refuse(number, "the nodes of a case are not in order"));
                    }
                    for &node in &arrival.nodes {
                        let left = start - weights.of_node(arrival.group, node);
                        shown = shown.max(left.div_euclid(denominator));
                        if !arrivals.insert((arrival.group, node)) {
                            return Err(refuse(number, "two cases speak of the same moments"));
                        }
                    }
                }
            }
        }
        if !always {
            let real = self.arrivals(object);
            if real != arrivals {
                return Err(refuse(number, "the cases are not exactly the moments just after a send"));
            }
        }
        match shown == i128::from(at_most) {
            true => Ok(()),
            false => Err(refuse(number, format!("the potential shows {shown}, the proof says {at_most}"))),
        }
    }

    fn guarded(
        &self,
        number: usize,
        (object, at_most): (ObjectId, u64),
        sender: GroupId,
        known: &[KnownLength],
    ) -> Result<(), Refusal> {
        let claims = self.explorer.claims;
        let is_buffer = claims
            .objects
            .get(object.index())
            .is_some_and(|object| matches!(object.place, ObjectPlace::Global { .. }));
        if !is_buffer || self.explorer.is_rendezvous(object) {
            return Err(refuse(number, "the object is not a global buffer"));
        }
        let Some(group) = claims.groups.get(sender.index()).filter(|group| group.at_most == Some(1)) else {
            return Err(refuse(number, "the sender is not one process"));
        };
        let sorted = known.windows(2).all(|pair| pair[0].node < pair[1].node);
        if !sorted || known.iter().any(|k| k.node.index() >= group.nodes.len() || k.at_most >= at_most) {
            return Err(refuse(number, "the known lengths are not sorted, not less, or of no node"));
        }
        let of_node: HashMap<NodeId, u64> = known.iter().map(|k| (k.node, k.at_most)).collect();
        let held_at = |node: NodeId| of_node.get(&node).copied().unwrap_or(at_most);
        for &index in &self.of_object[object.index()] {
            let transition = &self.transitions.all[index as usize];
            let puts =
                transition.message.is_some_and(|message| message.object == object && message.change > 0);
            if puts && transition.actor.group != sender {
                return Err(refuse(number, format!("{} sends, too", self.text(index))));
            }
        }
        for &index in &self.of_group[sender.index()] {
            let transition = &self.transitions.all[index as usize];
            // With one token there are no others that move along.
            for step in transition.moves.iter().filter(|step| step.component == Component::Group(sender)) {
                let mut held = held_at(step.from);
                if transition.actor.group == sender {
                    if let Some(most) = self.guard(group, transition, object)? {
                        held = held.min(most);
                    }
                    let change = transition.message.filter(|message| message.object == object);
                    held = match change.map(|message| message.change) {
                        Some(1..) => held + 1,
                        Some(_) => held.saturating_sub(1),
                        None => held,
                    };
                }
                if held > held_at(step.to) {
                    let what = format!("after {} the buffer may hold {held}", self.text(index));
                    return Err(refuse(number, what));
                }
            }
        }
        Ok(())
    }

    fn bounds(&self, number: usize, buffers: &[BufferBound], potential: &Potential) -> Result<(), Refusal> {
        if !buffers.windows(2).all(|pair| pair[0].object < pair[1].object) {
            return Err(refuse(number, "the buffers are not in order"));
        }
        let weights = self.weights(number, potential)?;
        // Every buffer that is asked for weighs something, so what weighs less than nothing is another one.
        let slack = self.slack(number, None, &weights)?;
        self.not_negative(number, &weights, |_| false)?;
        self.nothing_grows(number, potential, &weights, |_| 0)?;
        let start = self.initial_value(&weights) + slack;
        for BufferBound { object, at_most } in buffers {
            let Some(claimed) = self.explorer.claims.objects.get(object.index()) else {
                return Err(refuse(number, "a buffer does not exist"));
            };
            if self.explorer.is_rendezvous(*object) {
                return Err(refuse(number, "the object is not a buffer"));
            }
            let classes = 0..claimed.classes.len() as u32;
            let shown = match classes.map(|class| weights.of_message(*object, ClassId(class))).min() {
                None => 0,
                Some(least) if least >= 1 => start.div_euclid(least),
                Some(_) => return Err(refuse(number, "a message of a buffer weighs nothing")),
            };
            if shown != i128::from(*at_most) {
                let what =
                    format!("the potential shows {shown} for object {}, the proof says {at_most}", object.0);
                return Err(refuse(number, what));
            }
        }
        Ok(())
    }

    /// What the guard of a transition says about how much the buffer holds.
    fn guard(
        &self,
        group: &'a Group,
        transition: &Transition,
        object: ObjectId,
    ) -> Result<Option<u64>, Refusal> {
        let node = &group.nodes[transition.actor.node.index()];
        let Some(environment) = self.explorer.environment(group, node) else { return Ok(None) };
        let reader = GuardReader { evaluator: self.explorer.evaluator(), environment: &environment, object };
        let automaton = self.explorer.automaton(transition.actor.group);
        reader
            .most(automaton, node.point, transition.actor.edge)
            .map_err(|what| self.explorer.refuse(transition.actor.group, transition.actor.edge, what))
    }

    /// Groups and nodes in which a process arrives with a send into the buffer.
    fn arrivals(&self, object: ObjectId) -> BTreeSet<(GroupId, NodeId)> {
        let mut arrivals = BTreeSet::new();
        for &index in &self.of_object[object.index()] {
            let transition = &self.transitions.all[index as usize];
            if transition.message.is_some_and(|message| message.object == object && message.change > 0) {
                let to = transition.moves.first().map(|step| (transition.actor.group, step.to));
                arrivals.extend(to);
            }
        }
        arrivals
    }

    fn starts(
        &self,
        number: usize,
        (group, at_most): (GroupId, u64),
        denominator: i64,
        potential: &Potential,
    ) -> Result<(), Refusal> {
        let Some(claimed) = self.explorer.claims.groups.get(group.index()) else {
            return Err(refuse(number, "the group does not exist"));
        };
        if claimed.at_most.map(u64::from) != Some(at_most) {
            return Err(refuse(number, "the proof and the claim about the group's size differ"));
        }
        let denominator = i128::from(denominator);
        if denominator < 1 {
            return Err(refuse(number, "the denominator is less than 1"));
        }
        let weights = self.weights(number, potential)?;
        let slack = self.slack(number, None, &weights)?;
        self.not_negative(number, &weights, |_| false)?;
        let starts = |transition: &Transition| match transition.start {
            Some((started, _)) if started == group => denominator,
            _ => 0,
        };
        self.nothing_grows(number, potential, &weights, starts)?;
        for &index in &self.of_group[group.index()] {
            self.does_not_grow(number, &weights, index, &starts)?;
        }
        let start =
            self.initial_value(&weights) + slack + denominator * i128::from(self.initial.count(group));
        let shown = start.div_euclid(denominator);
        match shown == i128::from(at_most) {
            true => Ok(()),
            false => {
                Err(refuse(number, format!("the potential shows {shown} starts, the proof says {at_most}")))
            }
        }
    }

    /// One node of a tree; `closed` says when nothing is left to show.
    fn stage(
        &self,
        number: usize,
        stage: &Stage,
        allowed: &[u32],
        settled: &Settled,
        closed: &Closed,
    ) -> Result<(), Refusal> {
        let claims = self.explorer.claims;
        let weights = self.weights(number, &stage.potential)?;
        for (&(object, class), &weight) in &weights.messages {
            // What has limited room cannot pile up for ever either; but any number of channels have no limited room.
            let limited = self.capacities == Capacities::Declared && self.channels_of(object).is_some();
            let free = settled.contains(&(object, class)) || limited;
            if weight < 0 && !(free && self.outlives_messages(object)) {
                return Err(refuse(number, "a message that may be left behind has a negative weight"));
            }
        }
        for (&(group, _), &weight) in &weights.nodes {
            if weight < 0 && claims.groups[group.index()].at_most.is_none() {
                return Err(refuse(number, "a node has a negative weight and any number of processes"));
            }
        }
        let mut left = Vec::new();
        self.explorer.go_on()?;
        for &index in allowed {
            match weights.change(&self.transitions.all[index as usize]) {
                Some(0) => left.push(index),
                Some(change) if change < 0 => {}
                change => return Err(self.grows(number, index, change, 0)),
            }
        }
        let mut settled = settled.clone();
        settled.extend(weights.messages.iter().filter(|(_, weight)| **weight > 0).map(|(class, _)| *class));
        match &stage.next {
            Next::Closed => match closed(&left, &settled) {
                true => Ok(()),
                false => Err(match left.first() {
                    Some(&index) if !self.is_about_messages(&left, &settled) => {
                        refuse(number, format!("{} may still go on for ever", self.text(index)))
                    }
                    _ => refuse(number, "some messages may still pile up"),
                }),
            },
            Next::Split { component, parts } => {
                let nodes = match component {
                    Component::Group(group) => match claims.groups.get(group.index()) {
                        Some(group) if group.at_most == Some(1) => group.nodes.len(),
                        _ => return Err(refuse(number, "only a group of at most one process may be split")),
                    },
                    Component::Tracker(tracker) => match claims.trackers.get(tracker.index()) {
                        Some(tracker) => tracker.nodes.len(),
                        None => return Err(refuse(number, "the tracker that is split does not exist")),
                    },
                };
                let choices = self.parts(*component, nodes, &left);
                if choices.len() != parts.len() {
                    let what = format!("{} parts are left, {} are treated", choices.len(), parts.len());
                    return Err(refuse(number, what));
                }
                for (allowed, stage) in choices.iter().zip(parts) {
                    self.stage(number, stage, allowed, &settled, closed)?;
                }
                Ok(())
            }
        }
    }

    /// The transitions that are allowed while the component stays in one strongly connected part, for each part.
    fn parts(&self, component: Component, nodes: usize, left: &[u32]) -> Vec<Vec<u32>> {
        let mut edges: Vec<Vec<usize>> = vec![Vec::new(); nodes];
        let steps = |index: u32| {
            let moves = &self.transitions.all[index as usize].moves;
            moves.iter().filter(move |step| step.component == component)
        };
        for &index in left {
            for step in steps(index) {
                edges[step.from.index()].push(step.to.index());
            }
        }
        let part_of = strongly_connected(&edges);
        let inside = |index: u32, part: Option<usize>| {
            let transition = &self.transitions.all[index as usize];
            // With one token at most there is one start at most and one end: none of them again and again.
            let comes_or_goes = transition
                .start
                .iter()
                .chain(&transition.end)
                .any(|(group, _)| Component::Group(*group) == component);
            !comes_or_goes
                && steps(index).all(|step| {
                    let (from, to) = (part_of[step.from.index()], part_of[step.to.index()]);
                    from == to && Some(from) == part
                })
        };
        let mut used: Vec<usize> = Vec::new();
        for node in 0..nodes {
            let part = part_of[node];
            let moves_inside = edges[node].iter().any(|&to| part_of[to] == part);
            if moves_inside && !used.contains(&part) {
                used.push(part);
            }
        }
        // Parts are named by their least node.
        used.sort_unstable();
        let choose = |part| left.iter().copied().filter(|&index| inside(index, part)).collect();
        match used.is_empty() {
            true => vec![choose(None)],
            false => used.into_iter().map(|part| choose(Some(part))).collect(),
        }
    }

    fn progress_exists(&self, number: usize, progress: &Progress) -> Result<(), Refusal> {
        let Progress::At(statements) = progress else { return Ok(()) };
        if !statements.windows(2).all(|pair| pair[0] < pair[1]) {
            return Err(refuse(number, "the statements that are progress are not in order"));
        }
        let exists = |statement: &ProgressStatement| {
            let automata = self.explorer.system.process_automata().map(|(_, automaton)| automaton);
            let automaton = automata.into_iter().nth(statement.automaton as usize);
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
        match statements.iter().all(exists) {
            true => Ok(()),
            false => Err(refuse(number, "a statement that is progress does not exist")),
        }
    }

    fn is_progress(&self, transition: &Transition, progress: &Progress) -> bool {
        [Some(transition.actor), transition.partner].into_iter().flatten().any(|actor| {
            let automaton = self.explorer.claims.groups[actor.group.index()].automaton;
            progress.contains(self.explorer.system, automaton, actor.edge, actor.inside)
        })
    }

    fn all_settled(&self, settled: &Settled) -> bool {
        self.explorer.claims.objects.iter().enumerate().all(|(index, object)| {
            let id = ObjectId(index as u32);
            self.explorer.is_rendezvous(id)
                || (0..object.classes.len()).all(|class| settled.contains(&(id, ClassId(class as u32))))
        })
    }

    fn is_about_messages(&self, left: &[u32], settled: &Settled) -> bool {
        left.is_empty() || !self.all_settled(settled)
    }

    /// What negative weights of other channels' messages add to the initial value: they are at most as many as fit.
    fn slack(&self, number: usize, question: Option<ObjectId>, weights: &Weights) -> Result<i128, Refusal> {
        let mut least: HashMap<ObjectId, i64> = HashMap::new();
        for (&(object, _), &weight) in &weights.messages {
            if weight < 0 {
                let entry = least.entry(object).or_insert(0);
                *entry = weight.min(*entry);
            }
        }
        let mut slack = 0;
        for (object, weight) in least {
            let channels = self.channels_of(object);
            let declared = self.capacities == Capacities::Declared && Some(object) != question;
            match channels {
                Some(channels) if declared && self.outlives_messages(object) => {
                    let room = i128::from(self.explorer.capacity(object)) * i128::from(channels);
                    slack += room * -i128::from(weight);
                }
                _ => return Err(refuse(number, "a message has a negative weight")),
            }
        }
        Ok(slack)
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

    fn not_negative(
        &self,
        number: usize,
        weights: &Weights,
        free: impl Fn(GroupId) -> bool,
    ) -> Result<(), Refusal> {
        let node = weights.nodes.iter().any(|((group, _), weight)| *weight < 0 && !free(*group));
        if node || weights.trackers.values().any(|weight| *weight < 0) {
            return Err(refuse(number, "a node has a negative weight"));
        }
        Ok(())
    }

    /// No transition that has to do with the potential makes it grow, `extra` added.
    fn nothing_grows(
        &self,
        number: usize,
        potential: &Potential,
        weights: &Weights,
        extra: impl Fn(&Transition) -> i128,
    ) -> Result<(), Refusal> {
        self.explorer.go_on()?;
        let mut seen = HashSet::new();
        let groups: BTreeSet<GroupId> = potential.nodes.iter().map(|entry| entry.group).collect();
        let trackers: BTreeSet<TrackerId> = potential.trackers.iter().map(|entry| entry.tracker).collect();
        let objects: BTreeSet<ObjectId> = potential.messages.iter().map(|entry| entry.object).collect();
        let concerned = (groups.iter().map(|id| &self.of_group[id.index()]))
            .chain(trackers.iter().map(|id| &self.of_tracker[id.index()]))
            .chain(objects.iter().map(|id| &self.of_object[id.index()]));
        for &index in concerned.flatten() {
            if seen.insert(index) {
                self.does_not_grow(number, weights, index, &extra)?;
            }
        }
        Ok(())
    }

    fn does_not_grow(
        &self,
        number: usize,
        weights: &Weights,
        index: u32,
        extra: &impl Fn(&Transition) -> i128,
    ) -> Result<(), Refusal> {
        let transition = &self.transitions.all[index as usize];
        match weights.change(transition).map(|change| change + extra(transition)) {
            Some(change) if change <= 0 => Ok(()),
            change => Err(self.grows(number, index, change, 0)),
        }
    }

    fn initial_value(&self, weights: &Weights) -> i128 {
        let processes: i128 = self
            .initial
            .processes
            .iter()
            .map(|(group, nodes)| nodes.iter().map(|&node| weights.of_node(*group, node)).max().unwrap_or(0))
            .sum();
        let trackers: i128 = self
            .initial
            .trackers
            .iter()
            .enumerate()
            .map(|(index, &node)| weights.of(Component::Tracker(TrackerId(index as u32)), node))
            .sum();
        processes + trackers
    }

    /// The potential as tables, if it is in canonical form and speaks of things that exist.
    fn weights(&self, number: usize, potential: &Potential) -> Result<Weights, Refusal> {
        let claims = self.explorer.claims;
        let messages: Vec<_> = potential.messages.iter().map(|m| (m.object, m.class)).collect();
        let nodes: Vec<_> = potential.nodes.iter().map(|n| (n.group, n.node)).collect();
        let trackers: Vec<_> = potential.trackers.iter().map(|t| (t.tracker, t.node)).collect();
        let sorted = messages.windows(2).all(|pair| pair[0] < pair[1])
            && nodes.windows(2).all(|pair| pair[0] < pair[1])
            && trackers.windows(2).all(|pair| pair[0] < pair[1]);
        let zero = potential.messages.iter().any(|m| m.weight == 0)
            || potential.nodes.iter().any(|n| n.weight == 0)
            || potential.trackers.iter().any(|t| t.weight == 0);
        let exist = messages.iter().all(|(object, class)| {
            claims.objects.get(object.index()).is_some_and(|object| class.index() < object.classes.len())
        }) && nodes.iter().all(|(group, node)| {
            claims.groups.get(group.index()).is_some_and(|group| node.index() < group.nodes.len())
        }) && trackers.iter().all(|(tracker, node)| {
            claims.trackers.get(tracker.index()).is_some_and(|tracker| node.index() < tracker.nodes.len())
        });
        if !sorted || zero || !exist {
            return Err(refuse(
                number,
                "the weights are not sorted, or weigh nothing, or weigh what does not exist",
            ));
        }
        if messages.iter().any(|(object, _)| self.explorer.is_rendezvous(*object)) {
            return Err(refuse(number, "messages of a rendezvous channel have a weight"));
        }
        Ok(Weights {
            messages: messages.into_iter().zip(potential.messages.iter().map(|m| m.weight)).collect(),
            nodes: nodes.into_iter().zip(potential.nodes.iter().map(|n| n.weight)).collect(),
            trackers: trackers.into_iter().zip(potential.trackers.iter().map(|t| t.weight)).collect(),
        })
    }

    fn grows(&self, number: usize, index: u32, change: Option<i128>, allowed: i128) -> Refusal {
        match change {
            Some(by) => Refusal::Grows { statement: self.text(index), proof: number, by, allowed },
            None => {
                refuse(number, format!("{} raises the weight of any number of processes", self.text(index)))
            }
        }
    }

    fn text(&self, index: u32) -> String {
        let actor = self.transitions.all[index as usize].actor;
        statement_text(self.explorer.system, self.explorer.automaton(actor.group), actor.edge)
    }
}

fn refuse(proof: usize, what: impl Into<String>) -> Refusal {
    Refusal::Proof { proof, what: what.into() }
}

/// For each node the least node of its strongly connected part: Kosaraju's algorithm, with stacks of its own.
fn strongly_connected(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut reversed: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
    for (from, targets) in edges.iter().enumerate() {
        for &to in targets {
            reversed[to].push(from);
        }
    }
    let mut visited = vec![false; edges.len()];
    let mut finished = Vec::with_capacity(edges.len());
    for root in 0..edges.len() {
        let mut stack = vec![(root, 0)];
        if std::mem::replace(&mut visited[root], true) {
            continue;
        }
        while let Some((node, next)) = stack.pop() {
            match edges[node].get(next) {
                None => finished.push(node),
                Some(&to) => {
                    stack.push((node, next + 1));
                    if !std::mem::replace(&mut visited[to], true) {
                        stack.push((to, 0));
                    }
                }
            }
        }
    }
    let mut part = vec![usize::MAX; edges.len()];
    for &root in finished.iter().rev() {
        if part[root] != usize::MAX {
            continue;
        }
        let mut members = Vec::new();
        let mut stack = vec![root];
        part[root] = root;
        while let Some(node) = stack.pop() {
            members.push(node);
            for &to in &reversed[node] {
                if part[to] == usize::MAX {
                    part[to] = root;
                    stack.push(to);
                }
            }
        }
        let least = members.iter().copied().min().unwrap_or(root);
        for member in members {
            part[member] = least;
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_by_their_least_node() {
        // 0 -> 1 <-> 2, 3 alone with a loop, 2 -> 3
        let edges = vec![vec![1], vec![2], vec![1, 3], vec![3]];
        assert_eq!(strongly_connected(&edges), vec![0, 1, 1, 3]);
    }
}
