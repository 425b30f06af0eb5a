//! Proofs of formulas. Where the claims hold, from what the checker says may happen beside the automaton: potentials are raised until nothing grows
//! any more, trees and cases have as many parts as there are, or not. Where they do not hold, or with too much courage: whatever the form allows.

use super::{Composer, Random};
use certificate::check::{Standstill, Tokens, Watch, Watched, watch, watch_progress};
use certificate::claims::{ClassId, GroupId, NodeId, ObjectId, TrackerId};
use certificate::potential::{
    Blocked, Component, MessageWeight, Next, NodeWeight, Potential, Progress, Proof, Stage, TrackerWeight,
};
use certificate::verdict::{Capacities, Fairness};
use std::collections::{BTreeMap, BTreeSet};

/// Rounds of raising.
const ROUNDS: usize = 30;
/// Nothing weighs more on purpose.
const MOST: i64 = 40;

impl Composer<'_> {
    pub(super) fn formula(&mut self, capacities: Capacities, proofs: &[Proof]) -> Option<Proof> {
        let name = self.random.pick(&self.system.model.formulas)?.name.clone();
        let kinds = [Fairness::None, Fairness::Weak, Fairness::Strong];
        let fairness = kinds[[0, 0, 1, 1, 2][self.random.below(5)]];
        let nothing = Proof::AllBounded { stage: nothing_left() };
        let proofs = if proofs.is_empty() { vec![nothing] } else { proofs.to_vec() };
        let certificate = self.draft(capacities, proofs);
        let watch = watch(self.system, &certificate, (&name, fairness), &|| false).ok();
        let (unreached, stage, ends) = match watch {
            // What takes long is tried often enough elsewhere.
            Some(watch) if watch.transitions.len() < 3_000 => {
                let mut drafter = Drafter { watch: &watch, random: self.random, fairness };
                drafter.draft()
            }
            _ => {
                let groups = vec![GroupId(self.random.below(self.claims.groups.len()) as u32)];
                let next = match self.random.below(3) {
                    0 => Next::Idle { groups, blocked: nowhere(groups_first()) },
                    _ => Next::Closed,
                };
                (vec![], Stage { potential: Potential::default(), next }, nowhere(groups_first()))
            }
        };
        Some(Proof::Formula { formula: name, fairness, unreached, stage, ends })
    }

    pub(super) fn fair_progress(&mut self, capacities: Capacities, proofs: &[Proof]) -> Proof {
        let fairness = if self.random.percent(50) { Fairness::Weak } else { Fairness::Strong };
        let progress = if self.random.percent(50) { Progress::Labels } else { Progress::At(vec![]) };
        let certificate = self.draft(capacities, proofs.to_vec());
        let watch = watch_progress(self.system, &certificate, (&progress, fairness), &|| false).ok();
        let stage = match watch {
            Some(watch) if watch.transitions.len() < 3_000 => {
                let left =
                    (0..watch.transitions.len()).filter(|&t| watch.transitions[t].accepted == 1).collect();
                Drafter { watch: &watch, random: self.random, fairness }.stage(left, 3)
            }
            _ => nothing_left(),
        };
        Proof::FairProgress { progress, fairness, stage }
    }
}

fn groups_first() -> Component {
    Component::Group(GroupId(0))
}

fn nowhere(component: Component) -> Blocked {
    Blocked::Split { component, parts: vec![] }
}

fn nothing_left() -> Stage {
    Stage { potential: Potential::default(), next: Next::Closed }
}

/// What everything weighs.
#[derive(Clone, Default)]
struct Weights(BTreeMap<Weighed, i64>);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weighed {
    Message(ObjectId, ClassId),
    Node(Component, NodeId),
}

impl Weights {
    fn of(&self, what: Weighed) -> i64 {
        self.0.get(&what).copied().unwrap_or(0)
    }

    fn add(&mut self, what: Weighed, more: i64) {
        *self.0.entry(what).or_insert(0) += more;
    }

    fn change(&self, transition: &Watched) -> i64 {
        let node = |component, node| self.of(Weighed::Node(component, node));
        let moves =
            transition.moves.iter().map(|&(component, from, to)| node(component, to) - node(component, from));
        let message = transition.message.map_or(0, |message| {
            self.of(Weighed::Message(message.object, message.class)) * i64::from(message.change)
        });
        let start = transition.start.map_or(0, |(group, at)| node(Component::Group(group), at));
        let end = transition.end.map_or(0, |(group, at)| node(Component::Group(group), at));
        moves.sum::<i64>() + message + start - end
    }

    fn potential(&self) -> Potential {
        let mut potential = Potential::default();
        for (&what, &weight) in self.0.iter().filter(|(_, weight)| **weight != 0) {
            match what {
                Weighed::Message(object, class) => {
                    potential.messages.push(MessageWeight { object, class, weight });
                }
                Weighed::Node(Component::Group(group), node) => {
                    potential.nodes.push(NodeWeight { group, node, weight });
                }
                Weighed::Node(Component::Tracker(tracker), node) => {
                    potential.trackers.push(TrackerWeight { tracker, node, weight });
                }
            }
        }
        potential
    }
}

/// Who is blocked, and where everything may stand.
#[derive(Clone)]
struct Case {
    all: bool,
    idle: Vec<GroupId>,
    places: BTreeMap<Component, Vec<NodeId>>,
}

struct Drafter<'d> {
    watch: &'d Watch,
    random: &'d mut Random,
    fairness: Fairness,
}

impl Drafter<'_> {
    fn draft(&mut self) -> (Vec<Potential>, Stage, Blocked) {
        let mut left: Vec<usize> = (0..self.watch.transitions.len()).collect();
        let mut unreached = Vec::new();
        let mut gone = BTreeSet::new();
        while unreached.len() < 2 && self.random.percent(50) {
            let weights = self.heavy_monitor(&left);
            let start = self.start(&weights);
            let nodes = (0..self.monitor_nodes()).map(NodeId);
            let heavy = |node: &NodeId| weights.of(Weighed::Node(self.monitor(), *node)) > start;
            gone.extend(nodes.filter(heavy));
            left.retain(|&index| {
                let step = self.monitor_move(index);
                !gone.contains(&step.0) && !gone.contains(&step.1)
            });
            unreached.push(weights.potential());
        }
        let stage = self.stage(left.clone(), 3);
        let mut met: BTreeSet<NodeId> = left.iter().map(|&index| self.monitor_move(index).1).collect();
        met.extend(self.watch.trackers.last().map(|(_, first)| *first));
        let accepting = self.watch.accepts_standing_still.difference(&gone).copied().collect::<BTreeSet<_>>();
        let mut places = BTreeMap::from([(self.monitor(), accepting.intersection(&met).copied().collect())]);
        for group in self.alone() {
            places.insert(Component::Group(group), stuck(&self.watch.if_all_are_blocked[group.index()]));
        }
        let ends = self.blocked(Case { all: true, idle: vec![], places }, 3);
        (unreached, stage, ends)
    }

    fn monitor(&self) -> Component {
        Component::Tracker(TrackerId((self.watch.trackers.len() as u32).saturating_sub(1)))
    }

    fn monitor_nodes(&self) -> u32 {
        self.watch.trackers.last().map_or(0, |(nodes, _)| *nodes as u32)
    }

    fn monitor_move(&self, index: usize) -> (NodeId, NodeId) {
        let moves = &self.watch.transitions[index].moves;
        let own = moves.iter().find(|(component, ..)| *component == self.monitor());
        own.map_or((NodeId(0), NodeId(0)), |&(_, from, to)| (from, to))
    }

    /// Groups with exactly one process.
    fn alone(&self) -> Vec<GroupId> {
        let groups = (0..).map(GroupId).zip(&self.watch.tokens);
        groups.filter(|(_, tokens)| **tokens == Tokens::One).map(|(group, _)| group).collect()
    }

    fn nodes(&self, component: Component) -> usize {
        match component {
            Component::Group(group) => self.watch.nodes[group.index()],
            Component::Tracker(tracker) => self.watch.trackers[tracker.index()].0,
        }
    }

    /// Raises weights where a transition comes from until none makes the sum grow, or, where it should, each makes it smaller.
    fn settle(&mut self, weights: &mut Weights, left: &[usize], lower: impl Fn(usize) -> bool) -> bool {
        for _ in 0..ROUNDS {
            let mut settled = true;
            for &index in left {
                let transition = &self.watch.transitions[index];
                let excess = weights.change(transition) + i64::from(lower(index));
                if excess <= 0 {
                    continue;
                }
                let moves = transition.moves.iter().filter(|(_, from, to)| from != to);
                let mut moves: Vec<_> = moves.map(|&(component, from, _)| (component, from)).collect();
                // Any number of processes weigh nothing where they begin, mostly.
                if self.random.percent(80) {
                    moves.retain(|&(component, from)| !self.begins(component, from));
                }
                let Some(&(component, from)) = self.random.pick(&moves) else { return false };
                let what = Weighed::Node(component, from);
                if weights.of(what) + excess > MOST {
                    return false;
                }
                weights.add(what, excess);
                settled = false;
            }
            if settled {
                return true;
            }
        }
        false
    }

    /// Whether any number of processes are in the node at the start.
    fn begins(&self, component: Component, node: NodeId) -> bool {
        let Component::Group(group) = component else { return false };
        let mut starts = self.watch.processes.iter();
        self.watch.more.contains(&group) && starts.any(|(of, nodes)| *of == group && nodes.contains(&node))
    }

    fn start(&self, weights: &Weights) -> i64 {
        let of = |component, node: NodeId| weights.of(Weighed::Node(component, node));
        let processes = self.watch.processes.iter().map(|(group, nodes)| {
            nodes.iter().map(|&node| of(Component::Group(*group), node)).max().unwrap_or(0)
        });
        let trackers = (0..).map(TrackerId).zip(&self.watch.trackers);
        processes.sum::<i64>()
            + trackers.map(|(id, (_, first))| of(Component::Tracker(id), *first)).sum::<i64>()
    }

    /// Some nodes of the monitor weigh more than there seems to be.
    fn heavy_monitor(&mut self, left: &[usize]) -> Weights {
        let mut weights = self.messages(&[0, 0, 1]);
        for node in (0..self.monitor_nodes()).map(NodeId) {
            if self.random.percent(40) {
                weights.add(Weighed::Node(self.monitor(), node), 1);
            }
        }
        // Some do not ask whether it grows.
        if self.random.percent(75) {
            self.settle(&mut weights, left, |_| false);
        }
        weights
    }

    fn messages(&mut self, choices: &[i64]) -> Weights {
        let mut weights = Weights::default();
        for (object, classes) in (0..).map(ObjectId).zip(&self.watch.classes) {
            for class in (0..).map(ClassId).take(classes.unwrap_or(0)) {
                let weight = self.random.pick(choices).copied().unwrap_or(0);
                weights.add(Weighed::Message(object, class), weight);
            }
        }
        weights
    }

    fn stage(&mut self, left: Vec<usize>, depth: usize) -> Stage {
        let (transitions, sets) = (&self.watch.transitions, self.watch.sets);
        let set = self.random.below(sets as usize) as u32;
        let accepted = |index: usize| transitions[index].accepted >> set & 1 == 1;
        let choices = [&[0][..], &[0, 1], &[1], &[-1, 0]][self.random.below(4)];
        let mut weights = self.messages(choices);
        let closes = self.settle(&mut weights, &left, accepted);
        if closes || depth == 0 {
            return Stage { potential: weights.potential(), next: Next::Closed };
        }
        let mut weights = self.messages(&[0, 0, 0, 1]);
        if self.random.percent(50) || !self.settle(&mut weights, &left, |index| index % 3 == 0) {
            weights = Weights::default();
        }
        let left: Vec<usize> =
            left.into_iter().filter(|&index| weights.change(&transitions[index]) == 0).collect();
        let potential = weights.potential();
        if self.fairness == Fairness::Strong && self.random.percent(40) {
            return Stage { potential, next: self.starved(&left, depth) };
        }
        if self.fairness != Fairness::None && self.random.percent(60) {
            return Stage { potential, next: self.idle(&left) };
        }
        let trackers = (0..self.watch.trackers.len() as u32).map(|id| Component::Tracker(TrackerId(id)));
        let components: Vec<Component> =
            self.alone().into_iter().map(Component::Group).chain(trackers).collect();
        let component = self.random.pick(&components).copied().unwrap_or(groups_first());
        let mut parts: Vec<Stage> =
            self.split(component, &left).into_iter().map(|left| self.stage(left, depth - 1)).collect();
        if self.random.percent(15) {
            parts.pop();
        }
        Stage { potential, next: Next::Split { component, parts } }
    }

    /// The transitions of each part in which the component may go round.
    fn split(&self, component: Component, left: &[usize]) -> Vec<Vec<usize>> {
        let nodes = self.nodes(component);
        let mut reaches = vec![vec![false; nodes]; nodes];
        let steps = |index: usize| {
            let moves = &self.watch.transitions[index].moves;
            moves
                .iter()
                .filter(move |(of, ..)| *of == component)
                .map(|&(_, from, to)| (from.index(), to.index()))
        };
        for (from, to) in left.iter().flat_map(|&index| steps(index)) {
            reaches[from][to] = true;
        }
        for middle in 0..nodes {
            for from in 0..nodes {
                for to in 0..nodes {
                    reaches[from][to] |= reaches[from][middle] && reaches[middle][to];
                }
            }
        }
        let together = |a: usize, b: usize| a == b || (reaches[a][b] && reaches[b][a]);
        let roots = (0..nodes).filter(|&node| reaches[node][node]);
        let roots: Vec<usize> = roots.filter(|&node| (0..node).all(|other| !together(other, node))).collect();
        let stays = |index: usize, root: Option<usize>| {
            steps(index).all(|(from, to)| root.is_some_and(|root| together(root, from) && together(root, to)))
        };
        let of = |root| left.iter().copied().filter(|&index| stays(index, root)).collect();
        if roots.is_empty() { vec![of(None)] } else { roots.into_iter().map(|root| of(Some(root))).collect() }
    }

    /// Without what lets somebody move who takes no part, or almost.
    fn starved(&mut self, left: &[usize], depth: usize) -> Next {
        let group = self.random.pick(&self.alone()).copied().unwrap_or(GroupId(0));
        let component = Component::Group(group);
        let moved = |index: usize| {
            let mut moves = self.watch.transitions[index].moves.iter();
            moves.find(|(of, ..)| *of == component).map(|(.., to)| *to)
        };
        let everywhere = (0..self.nodes(component) as u32).map(NodeId).collect::<Vec<_>>();
        let places: Vec<Vec<NodeId>> = match left.iter().any(|&index| moved(index).is_some()) {
            true => vec![everywhere],
            false => stuck(&self.watch.if_one_is_blocked[group.index()])
                .into_iter()
                .map(|node| vec![node])
                .collect(),
        };
        let lets_move = |nodes: &[NodeId], index: usize| {
            let lets = |node: NodeId| self.watch.transitions[index].lets_move.contains(&(group, node));
            moved(index).map_or_else(|| nodes.iter().all(|&node| lets(node)), lets)
        };
        let rest =
            |nodes: &Vec<NodeId>| left.iter().copied().filter(|&index| !lets_move(nodes, index)).collect();
        let rests: Vec<Vec<usize>> = places.iter().map(rest).collect();
        let mut parts: Vec<Stage> = rests.into_iter().map(|left| self.stage(left, depth - 1)).collect();
        if self.random.percent(15) {
            parts.pop();
        }
        Next::Starved { group, parts }
    }

    fn idle(&mut self, left: &[usize]) -> Next {
        let acts = |group: &GroupId| {
            left.iter().any(|&index| {
                let transition = &self.watch.transitions[index];
                transition.actor.0 == *group || transition.partner == Some(*group)
            })
        };
        let mut groups: Vec<GroupId> = self.alone();
        if self.random.percent(70) {
            groups.retain(|group| !acts(group));
        }
        let several = self.random.percent(40);
        if !several && let Some(&one) = self.random.pick(&groups) {
            groups = vec![one];
        }
        let monitor = left.iter().map(|&index| self.monitor_move(index).1).collect::<BTreeSet<_>>();
        let mut places = BTreeMap::new();
        if self.watch.has_monitor {
            places.insert(self.monitor(), monitor.into_iter().collect::<Vec<_>>());
        }
        for &group in &groups {
            places.insert(Component::Group(group), stuck(&self.watch.if_one_is_blocked[group.index()]));
        }
        let blocked = self.blocked(Case { all: false, idle: groups.clone(), places }, 3);
        Next::Idle { groups, blocked }
    }

    fn blocked(&mut self, case: Case, depth: usize) -> Blocked {
        if let Some((&component, _)) = case.places.iter().find(|(_, nodes)| nodes.is_empty()) {
            return nowhere(component);
        }
        if depth == 0 || self.random.percent(35) {
            return Blocked::Excluded { potential: self.excluding(&case) };
        }
        let trackers = (0..self.watch.trackers.len() as u32).map(|id| Component::Tracker(TrackerId(id)));
        let components: Vec<Component> =
            self.alone().into_iter().map(Component::Group).chain(trackers).collect();
        let component = self.random.pick(&components).copied().unwrap_or(groups_first());
        let everywhere = || (0..self.nodes(component) as u32).map(NodeId).collect();
        let nodes: Vec<NodeId> = case.places.get(&component).cloned().unwrap_or_else(everywhere);
        let mut parts: Vec<Blocked> = Vec::new();
        for node in nodes {
            let mut of_node = case.clone();
            of_node.places.insert(component, vec![node]);
            parts.push(self.blocked(of_node, depth - 1));
        }
        if self.random.percent(15) {
            parts.pop();
        }
        Blocked::Split { component, parts }
    }

    /// Where they stand weighs something, and what fills a buffer; what is sure not to be there weighs less than nothing.
    fn excluding(&mut self, case: &Case) -> Potential {
        let mut weights = self.messages(&[0, 0, 0, 1]);
        for (&component, nodes) in &case.places {
            if self.random.percent(60) {
                nodes.iter().for_each(|&node| weights.add(Weighed::Node(component, node), 1));
            }
        }
        let tables = if case.all { &self.watch.if_all_are_blocked } else { &self.watch.if_one_is_blocked };
        for (component, nodes) in &case.places {
            let (Component::Group(group), [node]) = (component, &nodes[..]) else { continue };
            let Some(known) = &tables[group.index()][node.index()] else { continue };
            for object in &known.empty {
                let classes = self.watch.classes[object.index()].unwrap_or(0);
                for class in (0..).map(ClassId).take(classes) {
                    weights.0.insert(Weighed::Message(*object, class), -1);
                }
            }
        }
        let all: Vec<usize> = (0..self.watch.transitions.len()).collect();
        self.settle(&mut weights, &all, |_| false);
        weights.potential()
    }
}

fn stuck(nodes: &[Option<Standstill>]) -> Vec<NodeId> {
    (0..).map(NodeId).zip(nodes).filter(|(_, known)| known.is_some()).map(|(node, _)| node).collect()
}
