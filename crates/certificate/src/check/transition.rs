//! Transitions of the abstraction: what a statement does to the components and to the counts of messages.

use super::environment::Environment;
use super::explore::{Explorer, Half, STATEMENTS_BETWEEN_GLANCES, ShadowMoves, cover};
use super::number::{self, NumberStep};
use super::refusal::Refusal;
use super::rule::{Broken, Rule};
use super::statement::Effect;
use crate::claims::{AuxiliaryId, ClassId, GroupId, NodeId, ObjectId, Point, TrackerId};
use crate::potential::Component;
use crate::values::{Values, subtract};
use promela::model::Frame;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use system::automaton::EdgeId;

/// More alternatives of one statement than this are refused, not computed.
const MOST_ALTERNATIVES: usize = 100_000;

/// One statement (or rendezvous) with one choice of all nodes that have to do with it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Transition {
    /// Who executes it; in a rendezvous the sender.
    pub actor: Actor,
    /// The receiver of a rendezvous.
    pub partner: Option<Actor>,
    /// One token of each of these components moves (or stays).
    pub moves: Vec<Move>,
    /// Every token of these nodes moves at the same time; the group may have any number of tokens there.
    pub many: Vec<Move>,
    /// A message more or less.
    pub message: Option<MessageChange>,
    /// A process that appears.
    pub start: Option<(GroupId, NodeId)>,
    /// A process that disappears.
    pub end: Option<(GroupId, NodeId)>,
    /// For each number what is known of it before, and what happens to it.
    pub numbers: Vec<NumberStep>,
}

/// A process that executes a statement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Actor {
    /// Its group.
    pub group: GroupId,
    /// Where it stands.
    pub node: NodeId,
    /// The statement.
    pub edge: EdgeId,
    /// Which node and choice of its `d_step` it is.
    pub inside: Option<(u32, u32)>,
}

impl Half<'_> {
    pub(super) fn actor(&self) -> Actor {
        Actor { group: self.group, node: self.node, edge: self.edge, inside: self.inside }
    }
}

/// A token goes from one node to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Move {
    /// In which component.
    pub component: Component,
    /// From.
    pub from: NodeId,
    /// To.
    pub to: NodeId,
}

/// A message is put into a buffer or taken from it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MessageChange {
    /// The buffer.
    pub object: ObjectId,
    /// The class.
    pub class: ClassId,
    /// +1 or -1.
    pub change: i8,
}

/// What the potentials are checked against.
pub struct Transitions {
    /// All of them, without repetition.
    pub all: Vec<Transition>,
    /// Groups in which a `run` may start a process.
    pub started: BTreeSet<GroupId>,
    /// Groups of which a process may end.
    pub ending: BTreeSet<GroupId>,
    /// Buffers with a `!!` or a `??`.
    pub unordered: BTreeSet<ObjectId>,
}

/// How many tokens a group has, as far as moving others along is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tokens {
    /// Exactly one, always.
    One,
    /// One or none.
    AtMostOne,
    /// Any number.
    Any,
}

/// Where shadows are at the start, and how they move.
pub struct Shadows {
    /// For each auxiliary graph where the sender may begin.
    pub starts: Vec<BTreeSet<NodeId>>,
    /// For each auxiliary graph and object.
    pub moves: HashMap<(AuxiliaryId, ObjectId), ShadowMoves>,
}

impl Shadows {
    /// The combinations of positions in which a receiver may begin.
    pub fn beginnings(&self, explorer: &Explorer, group: GroupId) -> Vec<Vec<NodeId>> {
        let mut combinations = vec![Vec::new()];
        for shadow in &explorer.claims.groups[group.index()].shadows {
            let mut next = Vec::new();
            for combination in combinations {
                for &start in &self.starts[shadow.sender.index()] {
                    next.push([combination.clone(), vec![start]].concat());
                }
            }
            combinations = next;
        }
        combinations
    }

    /// Where the shadows of a receiver may be after it has taken a message.
    fn after(&self, explorer: &Explorer, group: GroupId, node: NodeId, effect: &Effect) -> Vec<Vec<NodeId>> {
        let group = &explorer.claims.groups[group.index()];
        let mut combinations = vec![Vec::new()];
        for (shadow, &position) in group.shadows.iter().zip(&group.nodes[node.index()].shadows) {
            let positions: Vec<NodeId> = match effect {
                Effect::Take { object, class, .. }
                    if *object == shadow.object && self.sends(shadow.sender, *object, *class) =>
                {
                    let moves = &self.moves[&(shadow.sender, *object)][position.index()];
                    moves.get(class).into_iter().flatten().copied().collect()
                }
                _ => vec![position],
            };
            let mut next = Vec::new();
            for combination in combinations {
                next.extend(positions.iter().map(|&p| [combination.clone(), vec![p]].concat()));
            }
            combinations = next;
        }
        combinations
    }

    /// Whether the sender sends messages of the class to the object.
    pub fn sends(&self, sender: AuxiliaryId, object: ObjectId, class: ClassId) -> bool {
        self.moves.get(&(sender, object)).is_some_and(|moves| moves.iter().any(|m| m.contains_key(&class)))
    }
}

/// Puts halves together: trackers, other processes, rendezvous.
pub struct Assembler<'e, 'a> {
    /// The system and the claims.
    pub explorer: &'e Explorer<'a>,
    /// The shadows.
    pub shadows: &'e Shadows,
    /// For each group.
    pub tokens: &'e [Tokens],
    /// Global slots that formulas look at.
    watched: BTreeSet<u32>,
    listing: HashMap<u32, BTreeSet<GroupId>>,
    trackers_of: HashMap<u32, BTreeSet<TrackerId>>,
}

/// What one statement or rendezvous does, in the making.
struct Draft<'a> {
    transition: Transition,
    /// The mover whose environment says what is written.
    writer: Environment<'a>,
}

impl<'e, 'a> Assembler<'e, 'a> {
    /// Prepares.
    pub fn new(
        explorer: &'e Explorer<'a>,
        shadows: &'e Shadows,
        tokens: &'e [Tokens],
        watched: BTreeSet<u32>,
    ) -> Self {
        let mut listing: HashMap<u32, BTreeSet<GroupId>> = HashMap::new();
        for (index, group) in explorer.claims.groups.iter().enumerate() {
            for entry in group.nodes.iter().flat_map(|node| &node.globals) {
                listing.entry(entry.slot).or_default().insert(GroupId(index as u32));
            }
        }
        let mut trackers_of: HashMap<u32, BTreeSet<TrackerId>> = HashMap::new();
        for (index, tracker) in explorer.claims.trackers.iter().enumerate() {
            for &slot in &tracker.slots {
                trackers_of.entry(slot).or_default().insert(TrackerId(index as u32));
            }
        }
        Assembler { explorer, shadows, tokens, watched, listing, trackers_of }
    }

    /// All transitions.
    pub fn assemble(&self, halves: &[Half<'a>]) -> Result<Transitions, Refusal> {
        let mut found = Transitions {
            all: Vec::new(),
            started: BTreeSet::new(),
            ending: BTreeSet::new(),
            unordered: BTreeSet::new(),
        };
        let mut accepts: HashMap<(ObjectId, ClassId), Vec<&Half<'a>>> = HashMap::new();
        for half in halves {
            self.keeps_claims(half)?;
            match half.effect {
                Effect::Accept(object, class) => accepts.entry((object, class)).or_default().push(half),
                Effect::Put { object, sorted: true, .. } | Effect::Take { object, random: true, .. } => {
                    found.unordered.insert(object);
                }
                _ => {}
            }
            if half.target.is_none() {
                found.ending.insert(half.group);
            }
        }
        for (index, half) in halves.iter().enumerate() {
            if index % STATEMENTS_BETWEEN_GLANCES == 0 {
                self.explorer.go_on()?;
            }
            match half.effect {
                Effect::Accept(..) => {}
                Effect::Offer(object, class) => {
                    for accept in accepts.get(&(object, class)).into_iter().flatten() {
                        let alone = self.tokens[half.group.index()] != Tokens::Any;
                        if !(alone && half.group == accept.group) {
                            self.rendezvous(half, accept, &mut found)?;
                        }
                    }
                }
                _ => self.single(half, &mut found)?,
            }
        }
        if !self.explorer.claims.numbers.is_empty() {
            found.all = self.keeps_numbers(found.all)?;
        }
        found.all.sort_unstable();
        found.all.dedup();
        Ok(found)
    }

    /// R13: every value that the statement leaves behind is claimed.
    fn keeps_claims(&self, half: &Half<'a>) -> Result<(), Refusal> {
        let name = |frame: Frame, slot: u32| match frame {
            Frame::Local => self.explorer.automaton(half.group).slots[slot as usize].name.clone(),
            Frame::Global => self.explorer.system.global_slots[slot as usize].name.clone(),
        };
        if half.target.is_none() {
            return Ok(());
        }
        for frame in [Frame::Local, Frame::Global] {
            for (slot, values) in half.after.known(frame) {
                if !values.is_subset(&half.after.claimed(frame, *slot)) {
                    let what =
                        format!("`{}` may become {values:?}, which is not claimed", name(frame, *slot));
                    let broken = Broken { rule: Rule::ValuesClaimed, what };
                    self.explorer.refuse(half.group, half.edge, broken)?;
                }
            }
        }
        Ok(())
    }

    fn single(&self, half: &Half<'a>, found: &mut Transitions) -> Result<(), Refusal> {
        let actor = half.actor();
        let message = match half.effect {
            Effect::Put { object, class, .. } => Some(MessageChange { object, class, change: 1 }),
            Effect::Take { object, class, .. } => Some(MessageChange { object, class, change: -1 }),
            _ => None,
        };
        let starts: Vec<Option<(GroupId, NodeId)>> = match &half.effect {
            Effect::Start { proctype, arguments } => {
                let beginnings = |group| self.shadows.beginnings(self.explorer, group);
                match self.explorer.started(*proctype, arguments, &half.before, &beginnings) {
                    Ok(started) => {
                        self.starts_unseen(half, &started)?;
                        found.started.extend(started.iter().map(|(group, _)| *group));
                        started.into_iter().map(Some).collect()
                    }
                    Err(broken) => {
                        self.explorer.refuse(half.group, half.edge, broken)?;
                        Vec::new()
                    }
                }
            }
            _ => vec![None],
        };
        let mut drafts = Vec::new();
        for start in starts {
            let numbers = half.numbers.clone();
            let blank = Transition {
                actor,
                partner: None,
                moves: vec![],
                many: vec![],
                message,
                start,
                end: None,
                numbers,
            };
            match half.target {
                None => {
                    let transition = Transition { end: Some((half.group, half.node)), ..blank };
                    drafts.push(Draft { transition, writer: half.after.clone() });
                }
                Some(point) => {
                    for (to, after) in self.destinations(half, point, &half.after)? {
                        let component = Component::Group(half.group);
                        let moves = vec![Move { component, from: half.node, to }];
                        drafts
                            .push(Draft { transition: Transition { moves, ..blank.clone() }, writer: after });
                    }
                }
            }
        }
        self.finish(drafts, half, &half.trackers, &[half.group], found)
    }

    /// R19: the new process stands in its node before the statement writes its number, so it must not list what is written.
    fn starts_unseen(&self, half: &Half<'a>, started: &[(GroupId, NodeId)]) -> Result<(), Refusal> {
        let lists = |slot: &u32| {
            let groups = self.listing.get(slot);
            groups.is_some_and(|groups| started.iter().any(|(group, _)| groups.contains(group)))
        };
        if half.written.iter().any(lists) {
            let what = "writes a global that the process it starts has tracked".into();
            self.explorer.refuse(half.group, half.edge, Broken { rule: Rule::StartedUnseen, what })?;
        }
        Ok(())
    }

    fn rendezvous(
        &self,
        offer: &Half<'a>,
        accept: &Half<'a>,
        found: &mut Transitions,
    ) -> Result<(), Refusal> {
        let mut trackers = offer.trackers.clone();
        for (&tracker, &node) in &accept.trackers {
            if *trackers.entry(tracker).or_insert(node) != node {
                return Ok(());
            }
        }
        let numbers = match number::together(&offer.numbers, &accept.numbers) {
            Ok(Some(numbers)) => numbers,
            Ok(None) => return Ok(()),
            Err(broken) => return self.explorer.refuse(accept.group, accept.edge, broken),
        };
        // Both see the same globals; what the receiver writes, the sender sees afterwards.
        let mut sender = offer.after.clone();
        let mut receiver = accept.after.clone();
        for (slot, values) in accept.after.known(Frame::Global) {
            let shared = if accept.written.contains(slot) {
                values.clone()
            } else {
                values.intersection(&sender.get(Frame::Global, *slot))
            };
            if shared.is_empty() {
                return Ok(());
            }
            sender.set(Frame::Global, *slot, shared.clone());
            receiver.set(Frame::Global, *slot, shared);
        }
        let (Some(sender_point), Some(receiver_point)) = (offer.target, accept.target) else { return Ok(()) };
        let mut drafts = Vec::new();
        for (sender_to, sender_after) in self.destinations(offer, sender_point, &sender)? {
            for (receiver_to, receiver_after) in self.destinations(accept, receiver_point, &receiver)? {
                let disjoint = sender_after.known(Frame::Global).iter().any(|(slot, values)| {
                    values.intersection(&receiver_after.get(Frame::Global, *slot)).is_empty()
                });
                if disjoint {
                    continue;
                }
                let (actor, partner) = (offer.actor(), accept.actor());
                let moves = vec![
                    Move { component: Component::Group(offer.group), from: offer.node, to: sender_to },
                    Move { component: Component::Group(accept.group), from: accept.node, to: receiver_to },
                ];
                let transition = Transition {
                    actor,
                    partner: Some(partner),
                    moves,
                    many: vec![],
                    message: None,
                    start: None,
                    end: None,
                    numbers: numbers.clone(),
                };
                drafts.push(Draft { transition, writer: receiver_after });
            }
        }
        self.finish(drafts, accept, &trackers, &[offer.group, accept.group], found)
    }

    /// R15: the nodes in which a process may stand after its statement.
    fn destinations(
        &self,
        half: &Half<'a>,
        point: Point,
        after: &Environment<'a>,
    ) -> Result<Vec<(NodeId, Environment<'a>)>, Refusal> {
        let mut found = Vec::new();
        for shadows in self.shadows.after(self.explorer, half.group, half.node, &half.effect) {
            let lookup = &self.explorer.lookups[half.group.index()];
            let candidates = lookup.candidates(point, shadows, after);
            let nodes = &self.explorer.claims.groups[half.group.index()].nodes;
            match cover(nodes, candidates, after) {
                Ok(covered) => found.extend(covered),
                Err(what) => {
                    let what = format!("leads to {point:?}: {what}");
                    self.explorer.refuse(half.group, half.edge, Broken { rule: Rule::Arrives, what })?;
                }
            }
        }
        Ok(found)
    }

    /// Moves trackers and the other processes along, and keeps the result.
    fn finish(
        &self,
        drafts: Vec<Draft<'a>>,
        writer: &Half<'a>,
        trackers: &BTreeMap<TrackerId, NodeId>,
        movers: &[GroupId],
        found: &mut Transitions,
    ) -> Result<(), Refusal> {
        let written: BTreeSet<u32> = writer.written.iter().copied().collect();
        let mut drafts = drafts;
        let stays = self.trackers_that_stay(&written, trackers, movers);
        for draft in &mut drafts {
            draft.transition.moves.extend(&stays);
        }
        if written.is_empty() {
            found.all.extend(drafts.into_iter().map(|draft| draft.transition));
            return Ok(());
        }
        let refuse = |broken: Broken| self.explorer.refuse(writer.group, writer.edge, broken);
        for draft in drafts {
            let mut alternatives = vec![draft.transition];
            let affected: BTreeSet<TrackerId> =
                written.iter().filter_map(|slot| self.trackers_of.get(slot)).flatten().copied().collect();
            for tracker in affected {
                let targets = self.tracker_targets(tracker, trackers, &written, &draft.writer);
                let (from, targets) = match targets {
                    Ok(found) => found,
                    Err(broken) => {
                        refuse(broken)?;
                        continue;
                    }
                };
                let component = Component::Tracker(tracker);
                let add = |transition: &mut Transition, &to: &NodeId| {
                    transition.moves.push(Move { component, from, to });
                };
                alternatives = match product(alternatives, &targets, add) {
                    Ok(alternatives) => alternatives,
                    Err(broken) => return refuse(broken),
                };
            }
            let others: BTreeSet<GroupId> =
                written.iter().filter_map(|slot| self.listing.get(slot)).flatten().copied().collect();
            for other in others {
                let tokens = self.tokens[other.index()];
                if movers.contains(&other) && tokens != Tokens::Any {
                    continue;
                }
                let (moved, unmoved) = match self.carried(other, &written, writer, &draft.writer) {
                    Ok(carried) => carried,
                    Err(broken) => {
                        refuse(broken)?;
                        continue;
                    }
                };
                let component = Component::Group(other);
                if tokens == Tokens::Any {
                    for transition in &mut alternatives {
                        transition.many.extend(moved.iter().map(|&(from, to)| Move { component, from, to }));
                    }
                    continue;
                }
                let mut options: Vec<Option<(NodeId, NodeId)>> = moved.into_iter().map(Some).collect();
                if unmoved || tokens == Tokens::AtMostOne {
                    options.push(None);
                }
                let add = |transition: &mut Transition, option: &Option<(NodeId, NodeId)>| {
                    if let Some((from, to)) = *option {
                        transition.moves.push(Move { component, from, to });
                    }
                };
                alternatives = match product(alternatives, &options, add) {
                    Ok(alternatives) => alternatives,
                    Err(broken) => return refuse(broken),
                };
            }
            found.all.extend(alternatives);
        }
        Ok(())
    }

    /// Trackers of slots that a mover's nodes list, or that a formula looks at, and that nobody writes: they stay where they are, and only there is
    /// the transition possible. (Whoever only reads a slot has an alternative for each node of its tracker, but these do not differ.)
    fn trackers_that_stay(
        &self,
        written: &BTreeSet<u32>,
        trackers: &BTreeMap<TrackerId, NodeId>,
        movers: &[GroupId],
    ) -> Vec<Move> {
        let listed = |slot: &u32| {
            self.listing.get(slot).is_some_and(|groups| movers.iter().any(|mover| groups.contains(mover)))
        };
        let stays = trackers.iter().filter(|(tracker, _)| {
            let slots = &self.explorer.claims.trackers[tracker.index()].slots;
            let matters = |slot: &u32| listed(slot) || self.watched.contains(slot);
            !slots.iter().any(|slot| written.contains(slot)) && slots.iter().any(matters)
        });
        stays.map(|(&id, &at)| Move { component: Component::Tracker(id), from: at, to: at }).collect()
    }

    /// R17: where a tracker is, and where it may go.
    fn tracker_targets(
        &self,
        id: TrackerId,
        trackers: &BTreeMap<TrackerId, NodeId>,
        written: &BTreeSet<u32>,
        after: &Environment<'a>,
    ) -> Result<(NodeId, Vec<NodeId>), Broken> {
        let lost = |what| Broken { rule: Rule::TrackersFollow, what };
        let Some(&from) = trackers.get(&id) else {
            return Err(lost(format!("it writes a slot of tracker {} unseen", id.0)));
        };
        let tracker = &self.explorer.claims.trackers[id.index()];
        let mut rest: Vec<Vec<Values>> = vec![
            tracker
                .slots
                .iter()
                .zip(&tracker.nodes[from.index()])
                .map(|(slot, values)| match written.contains(slot) {
                    true => after.get(Frame::Global, *slot),
                    false => after.get(Frame::Global, *slot).intersection(values),
                })
                .collect(),
        ];
        let mut targets = Vec::new();
        for (index, sets) in tracker.nodes.iter().enumerate() {
            let mut left = Vec::new();
            let mut meets = false;
            for part in rest {
                meets |= subtract(&part, sets, &mut left);
            }
            rest = left;
            if meets {
                targets.push(NodeId(index as u32));
            }
        }
        match rest.first() {
            Some(part) => Err(lost(format!("tracker {} has no node for {part:?}", id.0))),
            None => Ok((from, targets)),
        }
    }

    /// R18: nodes of another group that list a written slot and agree with what was there before, each with the nodes that it
    /// may become; and whether a process of the group may be in a node that does not list one. A process inside a `d_step`
    /// is never carried: nobody else moves meanwhile.
    fn carried(
        &self,
        other: GroupId,
        written: &BTreeSet<u32>,
        writer: &Half<'a>,
        after: &Environment<'a>,
    ) -> Result<(Vec<(NodeId, NodeId)>, bool), Broken> {
        let group = &self.explorer.claims.groups[other.index()];
        let mut moved = Vec::new();
        let mut unmoved = false;
        for (index, node) in group.nodes.iter().enumerate() {
            if matches!(node.point, Point::Inside { .. }) {
                continue;
            }
            if !node.globals.iter().any(|entry| written.contains(&entry.slot)) {
                unmoved = true;
                continue;
            }
            let Some(mut environment) = self.explorer.environment(group, node) else { continue };
            let mut possible = true;
            for entry in &node.globals {
                let seen = match written.contains(&entry.slot) {
                    true => writer.before.get(Frame::Global, entry.slot),
                    false => after.get(Frame::Global, entry.slot),
                };
                possible &= !seen.intersection(&entry.values).is_empty();
            }
            if !possible {
                continue;
            }
            for (slot, values) in after.known(Frame::Global) {
                let values = match written.contains(slot) {
                    true => values.clone(),
                    false => values.intersection(&environment.get(Frame::Global, *slot)),
                };
                environment.set(Frame::Global, *slot, values);
            }
            let lookup = &self.explorer.lookups[other.index()];
            let candidates = lookup.candidates(node.point, node.shadows.clone(), &environment);
            let covered = cover(&group.nodes, candidates, &environment).map_err(|what| {
                let what = format!("carries node {index} of group {} along: {what}", other.0);
                Broken { rule: Rule::OthersCarried, what }
            })?;
            moved.extend(covered.into_iter().map(|(to, _)| (NodeId(index as u32), to)));
        }
        Ok((moved, unmoved))
    }
}

/// Every transition with every option.
fn product<T>(
    transitions: Vec<Transition>,
    options: &[T],
    apply: impl Fn(&mut Transition, &T),
) -> Result<Vec<Transition>, Broken> {
    if transitions.len().saturating_mul(options.len()) > MOST_ALTERNATIVES {
        return Err(Broken::not_understood(format!("more than {MOST_ALTERNATIVES} alternatives")));
    }
    let mut result = Vec::new();
    for transition in transitions {
        for option in options {
            let mut copy = transition.clone();
            apply(&mut copy, option);
            result.push(copy);
        }
    }
    Ok(result)
}
