//! Nobody is blocked: trees of cases, each excluded by a potential that would have grown.
//!
//! What is known of somebody who cannot move: it stands at a location where no statement is always executable. If what it could receive there is whatever may be in a
//! buffer, the buffer is empty; if it waits to send, the buffer is not. Statements of which more would have to be known say nothing.

use super::super::refusal::Refusal;
use super::super::rule::Rule;
use super::super::transition::{Tokens, Transition};
use super::watch::Standstill;
use super::{Prover, evaluates};
use crate::claims::{ClassId, GroupId, NodeId, ObjectId, ObjectPlace, Point, TrackerId};
use crate::potential::{Blocked, Component};
use crate::verdict::Fairness;
use num_bigint::BigInt;
use promela::model::{ExprKind, Frame, ReceiveArgument};
use std::collections::{BTreeMap, BTreeSet};
use system::automaton::{Action, LocationId};

/// Where everything may stand in a case.
#[derive(Clone)]
struct Case {
    /// Who cannot move; `None`: nobody can.
    idle: Option<Vec<GroupId>>,
    /// Of which buffers something is known if somebody cannot move; `None`: of all.
    steady: Option<BTreeSet<ObjectId>>,
    /// The nodes of each component of which more is known than that it exists.
    places: BTreeMap<Component, Vec<NodeId>>,
    /// Components whose node is known, and what that means.
    known: BTreeMap<Component, Standstill>,
}

impl Case {
    fn is_blocked(&self, group: GroupId) -> bool {
        self.idle.as_ref().is_none_or(|idle| idle.contains(&group))
    }
}

impl Prover<'_, '_> {
    /// R3 and R41: fairness is asked for, and the processes are always there and take no part in what is left. Several must not be moved along, either.
    pub(super) fn take_no_part(
        &self,
        label: &str,
        groups: &[GroupId],
        left: &[u32],
        fairness: Fairness,
    ) -> Result<(), Refusal> {
        let exist = groups.iter().all(|group| group.index() < self.explorer.claims.groups.len());
        let sorted = groups.windows(2).all(|pair| pair[0] < pair[1]) && !groups.is_empty();
        Rule::Exists.demand(exist && sorted, || format!("{label}: who is idle does not exist"))?;
        // Who can move is seen only where no `atomic` is under way.
        let is_seen = fairness != Fairness::None && !self.has_endless_atomic();
        let idle = groups.iter().all(|&group| self.is_idle(group, left, groups.len() > 1));
        Rule::TakesNoPart.demand(is_seen && idle, || {
            format!("{label}: somebody may take part, or nobody is obliged to be fair")
        })
    }

    /// Whether the process of the group is always there and takes no part in what is left; if it must `stand`, it is not moved along, either.
    fn is_idle(&self, group: GroupId, left: &[u32], stand: bool) -> bool {
        let takes_part = left.iter().any(|&index| {
            let transition = &self.transitions.all[index as usize];
            let moved = transition.moves.iter().any(|step| step.component == Component::Group(group));
            transition.actor.group == group
                || transition.partner.is_some_and(|partner| partner.group == group)
                || (stand && moved)
        });
        self.tokens.get(group.index()) == Some(&Tokens::One) && !takes_part
    }

    /// R3 and R44: what is left without what lets the process of the group move, for each node in which it may be blocked; if something moves it along,
    /// once for all nodes. So many are treated.
    pub(super) fn without_turns(
        &self,
        label: &str,
        (group, treated): (GroupId, usize),
        left: &[u32],
        fairness: Fairness,
    ) -> Result<Vec<Vec<u32>>, Refusal> {
        let exists = group.index() < self.explorer.claims.groups.len();
        Rule::Exists.demand(exists, || format!("{label}: who is starved does not exist"))?;
        if !exists {
            return Ok(Vec::new());
        }
        let is_seen = fairness == Fairness::Strong && !self.has_endless_atomic();
        Rule::AbleAgain.demand(is_seen && self.is_idle(group, left, false), || {
            format!("{label}: somebody may take part, or nobody is obliged to be strongly fair")
        })?;
        let component = Component::Group(group);
        let nodes = self.nodes_of(component);
        let places: Vec<Vec<NodeId>> = match self.is_idle(group, left, true) {
            true => {
                let stuck = nodes.into_iter().filter(|&node| self.standstill(group, node, false).is_some());
                stuck.map(|node| vec![node]).collect()
            }
            false => vec![nodes],
        };
        Rule::AbleAgain.demand(places.len() == treated, || {
            format!("{label}: {treated} places are treated, there are {}", places.len())
        })?;
        let lets_move = |nodes: &[NodeId], index: u32| {
            let transition = &self.transitions.all[index as usize];
            match transition.moves.iter().find(|step| step.component == component) {
                Some(step) => self.lets_move(group, step.to, transition),
                None => nodes.iter().all(|&node| self.lets_move(group, node, transition)),
            }
        };
        let stays = |nodes: &Vec<NodeId>| {
            left.iter().copied().filter(|&index| !lets_move(nodes, index)).collect::<Vec<u32>>()
        };
        Ok(places.iter().map(stays).collect())
    }

    /// Whether a transition ends in a moment at which the one process of a group can move from a node in which it stands then: there is a message now
    /// where it waits for any, room where it waits to send, or a condition has become true. Where others may keep it from moving nothing is known.
    pub(super) fn lets_move(&self, group: GroupId, node: NodeId, transition: &Transition) -> bool {
        let claims = &self.explorer.claims.groups[group.index()];
        let system = self.explorer.system;
        let proctype = &system.model.proctypes[claims.automaton as usize];
        let is_held = proctype.provided.is_some() || system.model.features.priorities;
        if is_held || !self.ends_in_a_moment(transition) {
            return false;
        }
        let Some(known) = self.standstill(group, node, false) else { return true };
        if let Some(message) = transition.message {
            let awaited = if message.change > 0 { &known.empty } else { &known.filled };
            if awaited.contains(&message.object) {
                return true;
            }
        }
        let Point::At(location) = claims.nodes[node.index()].point else { return false };
        let Some(mut environment) = self.explorer.environment(claims, &claims.nodes[node.index()]) else {
            return false;
        };
        for step in &transition.moves {
            let Component::Tracker(tracker) = step.component else { continue };
            let Some(tracker) = self.explorer.claims.trackers.get(tracker.index()) else { continue };
            for (&slot, values) in tracker.slots.iter().zip(&tracker.nodes[step.to.index()]) {
                let values = environment.get(Frame::Global, slot).intersection(values);
                environment.set(Frame::Global, slot, values);
            }
        }
        let edges = || self.explorer.automaton(group).edges_from(LocationId(location));
        let is_true = |action: &Action| {
            let Action::Condition(condition) = action else { return false };
            let values = evaluates(self.explorer, &environment, condition);
            values.is_ok_and(|values| !values.contains(0))
        };
        // Who cannot be asked whether it can move stands still. (So a condition that is never false has a value.)
        edges().all(|(_, edge)| self.explorer.can_be_asked(&environment, &edge.action))
            && edges().any(|(_, edge)| is_true(&edge.action))
    }

    /// Whether nobody who takes part is in the middle of a `d_step` or an `atomic` afterwards. (Of those who are moved along this is more than is
    /// needed: who had to wait inside of an `atomic` has lost control.)
    fn ends_in_a_moment(&self, transition: &Transition) -> bool {
        transition.many.is_empty()
            && transition.moves.iter().all(|step| {
                let Component::Group(group) = step.component else { return true };
                match self.explorer.claims.groups[group.index()].nodes[step.to.index()].point {
                    Point::Inside { .. } => false,
                    Point::At(location) => {
                        let mut edges = self.explorer.automaton(group).edges.iter();
                        !edges.any(|edge| edge.atomic && edge.target.0 == location)
                    }
                }
            })
    }

    /// Processes that take no part are never all blocked while what is left goes on. Each is blocked again and again, at moments of its own: what
    /// is true of several at once is what never changes, their places and the buffers that nothing that is left uses.
    pub(super) fn are_never_blocked(
        &self,
        label: &str,
        groups: &[GroupId],
        left: &[u32],
        blocked: &Blocked,
    ) -> Result<(), Refusal> {
        let mut places: BTreeMap<Component, Vec<NodeId>> = BTreeMap::new();
        // The monitor moves with everything that is left, so it stands where that leads. Others may stand still elsewhere.
        if self.monitor.is_some() {
            let monitor = Component::Tracker(self.monitor_id());
            let moves = left.iter().flat_map(|&index| &self.transitions.all[index as usize].moves);
            let nodes = moves.filter(|step| step.component == monitor).map(|step| step.to);
            places.insert(monitor, nodes.collect::<BTreeSet<NodeId>>().into_iter().collect());
        }
        for &group in groups.iter().filter(|group| group.index() < self.explorer.claims.groups.len()) {
            let nodes = self.nodes_of(Component::Group(group)).into_iter();
            let stuck = nodes.filter(|&node| self.standstill(group, node, false).is_some());
            places.insert(Component::Group(group), stuck.collect());
        }
        let used: BTreeSet<ObjectId> = left
            .iter()
            .filter_map(|&index| self.transitions.all[index as usize].message)
            .map(|message| message.object)
            .collect();
        let objects = (0..).map(ObjectId).take(self.explorer.claims.objects.len());
        let steady = (groups.len() > 1).then(|| objects.filter(|object| !used.contains(object)).collect());
        let case = Case { idle: Some(groups.to_vec()), steady, places, known: BTreeMap::new() };
        self.is_excluded(label, blocked, case)
    }

    /// Where the monitor stands in one of these nodes, somebody can move.
    pub(super) fn not_everybody_is_blocked(
        &self,
        label: &str,
        ends: &Blocked,
        (allowed, first): (&[u32], u32),
        accepted: BTreeSet<NodeId>,
    ) -> Result<(), Refusal> {
        let monitor = Component::Tracker(self.monitor_id());
        let mut met = BTreeSet::from([NodeId(first)]);
        for &index in allowed {
            let moves = self.transitions.all[index as usize].moves.iter();
            met.extend(moves.filter(|step| step.component == monitor).map(|step| step.to));
        }
        let mut places: BTreeMap<Component, Vec<NodeId>> = BTreeMap::new();
        places.insert(monitor, accepted.intersection(&met).copied().collect());
        for group in (0..).map(GroupId).take(self.explorer.claims.groups.len()) {
            let component = Component::Group(group);
            if self.tokens[group.index()] == Tokens::One {
                let nodes = self.nodes_of(component).into_iter();
                let stuck = nodes.filter(|&node| self.standstill(group, node, true).is_some());
                places.insert(component, stuck.collect());
            }
        }
        self.is_excluded(label, ends, Case { idle: None, steady: None, places, known: BTreeMap::new() })
    }

    /// R3, R42 and R43: one node of a tree of cases.
    fn is_excluded(&self, label: &str, blocked: &Blocked, case: Case) -> Result<(), Refusal> {
        self.explorer.go_on()?;
        // Somebody who would have to be blocked has no place for it.
        if case.places.values().any(Vec::is_empty) {
            return Ok(());
        }
        match blocked {
            Blocked::Split { component, parts } => {
                let exists = match component {
                    Component::Group(group) => group.index() < self.explorer.claims.groups.len(),
                    Component::Tracker(tracker) => self.tracker_nodes(*tracker).is_some(),
                };
                Rule::Exists.demand(exists, || format!("{label}: what is split does not exist"))?;
                if !exists {
                    return Ok(());
                }
                let everywhere = || self.nodes_of(*component);
                let nodes = case.places.get(component).cloned().unwrap_or_else(everywhere);
                let fits = self.has_one_token(*component) && nodes.len() == parts.len();
                Rule::EveryPlace.demand(fits, || {
                    format!("{label}: {} places are treated, there are {}", parts.len(), nodes.len())
                })?;
                for (&node, part) in nodes.iter().zip(parts) {
                    let mut standstill = match component {
                        Component::Group(group) if case.is_blocked(*group) => {
                            self.standstill(*group, node, case.idle.is_none()).unwrap_or_default()
                        }
                        _ => Standstill::default(),
                    };
                    if let Some(steady) = &case.steady {
                        standstill.empty.retain(|object| steady.contains(object));
                        standstill.filled.retain(|object| steady.contains(object));
                    }
                    let mut part_case = case.clone();
                    part_case.places.insert(*component, vec![node]);
                    part_case.known.insert(*component, standstill);
                    self.is_excluded(label, part, part_case)?;
                }
                Ok(())
            }
            Blocked::Excluded { potential } => {
                let weights = self.weights(label, potential)?;
                self.weighs_no_number(label, &weights)?;
                self.nothing_grows(Rule::NotBlocked, label, &weights, |_| BigInt::ZERO)?;
                let start = self.initial_value(label, &weights)?;
                let least = self.least(&weights, &case, &start);
                Rule::NotBlocked.demand(least.as_ref().is_none_or(|least| *least > start), || {
                    format!("{label}: somebody may be blocked: the potential is {start} at the start, and may be so there")
                })
            }
        }
    }

    /// The least value of a potential in the configurations of a case; `None` if there is no such configuration. A potential that may be
    /// as small as it likes is as small as at the start.
    fn least(&self, weights: &super::Weights, case: &Case, start: &BigInt) -> Option<BigInt> {
        let empty: BTreeSet<ObjectId> = case.known.values().flat_map(|known| known.empty.clone()).collect();
        let filled: BTreeSet<ObjectId> = case.known.values().flat_map(|known| known.filled.clone()).collect();
        if empty.intersection(&filled).next().is_some() {
            return None;
        }
        // If nobody can move nobody stands where it could, with what is known of buffers.
        let can_stand = |group: GroupId, node: NodeId| {
            case.idle.is_some()
                || self
                    .standstill(group, node, true)
                    .is_some_and(|known| known.empty.is_disjoint(&filled) && known.filled.is_disjoint(&empty))
        };
        let mut least = BigInt::ZERO;
        for group in (0..).map(GroupId).take(self.explorer.claims.groups.len()) {
            let component = Component::Group(group);
            let everywhere = || {
                let nodes = self.nodes_of(component).into_iter();
                nodes.filter(|&node| can_stand(group, node)).collect()
            };
            let nodes: Vec<NodeId> = case.places.get(&component).cloned().unwrap_or_else(everywhere);
            let lightest = nodes.iter().map(|&node| weights.of_node(group, node)).min().unwrap_or(0);
            match self.tokens[group.index()] {
                Tokens::One => least += lightest,
                Tokens::AtMostOne => least += lightest.min(0),
                Tokens::Any if lightest >= 0 => {}
                Tokens::Any => return Some(start.clone()),
            }
        }
        let trackers = self.explorer.claims.trackers.len() as u32;
        let monitor = self.monitor.map(|_| self.monitor_id());
        for tracker in (0..trackers).map(TrackerId).chain(monitor) {
            let component = Component::Tracker(tracker);
            let everywhere = || self.nodes_of(component);
            let nodes = case.places.get(&component).cloned().unwrap_or_else(everywhere);
            least += nodes.iter().map(|&node| weights.of(component, node)).min().unwrap_or(0);
        }
        if weights.messages.iter().any(|((object, _), weight)| *weight < 0 && !empty.contains(object)) {
            return Some(start.clone());
        }
        for object in filled {
            let classes = self.explorer.claims.objects[object.index()].classes.len();
            let weight = |class| weights.of_message(object, class);
            least += (0..).map(ClassId).take(classes).map(weight).min().unwrap_or(0);
        }
        Some(least)
    }

    /// What is known if the one process of a group cannot move in a node, and nobody else can, either, if `all`; `None` if it always can.
    pub(super) fn standstill(&self, group: GroupId, node: NodeId, all: bool) -> Option<Standstill> {
        let claims = &self.explorer.claims.groups[group.index()];
        let system = self.explorer.system;
        let node = &claims.nodes[node.index()];
        let Point::At(location) = node.point else { return None };
        let environment = self.explorer.environment(claims, node)?;
        let mut known = Standstill::default();
        // Where others may keep a process from moving nothing is known.
        let proctype = &system.model.proctypes[claims.automaton as usize];
        if proctype.provided.is_some() || system.model.features.priorities {
            return Some(known);
        }
        let automaton = self.explorer.automaton(group);
        // Who cannot be asked whether it can move stands still while others go on. (If nobody goes on, the run ends in an error.)
        let edges = || automaton.edges_from(LocationId(location));
        if !all && !edges().all(|(_, edge)| self.explorer.can_be_asked(&environment, &edge.action)) {
            return Some(known);
        }
        let mut received: BTreeMap<ObjectId, BTreeSet<ClassId>> = BTreeMap::new();
        for (_, edge) in edges() {
            match &edge.action {
                Action::Skip
                | Action::Else
                | Action::Assign { .. }
                | Action::Assert(_)
                | Action::Printf { .. }
                | Action::Printm(_) => return None,
                Action::Condition(condition) => {
                    // If nobody can move, time is out.
                    if all && matches!(condition.kind, ExprKind::Timeout) {
                        return None;
                    }
                    // What is not understood may be false.
                    let values = evaluates(self.explorer, &environment, condition);
                    if values.is_ok_and(|values| !values.contains(0)) {
                        return None;
                    }
                }
                Action::Send { channel, .. } => {
                    if let Ok(objects) = self.explorer.evaluator().resolve(&environment, channel)
                        && let [(object, _)] = objects[..]
                        && self.is_one_buffer(object)
                    {
                        known.filled.insert(object);
                    }
                }
                Action::Receive { channel, arguments, .. } => {
                    if let Ok(objects) = self.explorer.evaluator().resolve(&environment, channel)
                        && let [(object, _)] = objects[..]
                        && self.is_one_buffer(object)
                    {
                        let classes = &self.explorer.claims.objects[object.index()].classes;
                        for (class, of_class) in (0..).map(ClassId).zip(classes) {
                            let matches = arguments.iter().zip(&of_class.fields).all(|(argument, field)| {
                                let ReceiveArgument::Match(value) = argument else { return true };
                                let value = evaluates(self.explorer, &environment, value).ok();
                                let value = value.and_then(|value| value.single_integer());
                                value.is_some() && field.single_integer() == value
                            });
                            if matches {
                                received.entry(object).or_default().insert(class);
                            }
                        }
                    }
                }
                Action::SetPriority { .. } | Action::End | Action::DStep(_) => {}
            }
        }
        for (object, classes) in received {
            if classes.len() == self.explorer.claims.objects[object.index()].classes.len() {
                known.empty.insert(object);
            }
        }
        Some(known)
    }

    /// Whether an object is one channel that is a buffer, always.
    fn is_one_buffer(&self, object: ObjectId) -> bool {
        let is_one = match self.explorer.claims.objects[object.index()].place {
            ObjectPlace::Global { .. } => true,
            ObjectPlace::Local { group, .. } => self.tokens[group.index()] == Tokens::One,
        };
        is_one && !self.explorer.is_rendezvous(object)
    }

    fn has_one_token(&self, component: Component) -> bool {
        match component {
            Component::Group(group) => self.tokens.get(group.index()) == Some(&Tokens::One),
            Component::Tracker(_) => true,
        }
    }

    fn nodes_of(&self, component: Component) -> Vec<NodeId> {
        let count = match component {
            Component::Group(group) => self.explorer.claims.groups[group.index()].nodes.len(),
            Component::Tracker(tracker) => self.tracker_nodes(tracker).unwrap_or(0),
        };
        (0..count as u32).map(NodeId).collect()
    }
}
