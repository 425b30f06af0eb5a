//! Potentials for formulas and for fair progress: the model, with the automaton of the runs that violate a formula, as the checker of certificates
//! sees both ([`certificate::check::Watch`]).
//!
//! What is looked for: potentials that exclude nodes of the monitor; a tree for runs that go on for ever ([`super::stages`]); for runs that end, and for
//! processes that fairness would oblige to move, cases of being blocked with a potential against each.

use std::collections::{BTreeMap, BTreeSet};

use certificate::check::{Standstill, Tokens as Number, Watch};
use certificate::claims::{ClassId, GroupId, NodeId as ClaimedNode, ObjectId, TrackerId};
use certificate::potential as claimed;
use certificate::verdict::Fairness;
use linear::{Bounds, Limits, Outcome, Relation, Sense, VariableId, solve};

use crate::net::{
    BufferId, Component, ComponentId, Counted, Counter, CounterId, Move, Net, NodeId, Tokens, Transition,
    TransitionId,
};
use crate::potential::invariants::Exit;
use crate::potential::stages::{Accepting, Next, NoTree, Stage, Starved, find_accepting_tree};
use crate::potential::{Answer, CoreProgram, Potential, find_exclusion};

/// Linear programs about being blocked that are worth their time.
const MOST_CASES: usize = 400;

/// A proof, but for the name of the formula.
pub struct Found {
    /// What is not reached.
    pub unreached: Vec<claimed::Potential>,
    /// Runs that go on for ever.
    pub stage: claimed::Stage,
    /// Runs that end.
    pub ends: claimed::Blocked,
}

/// Why there is none.
pub enum Missing {
    /// Transitions of the watch that may go on for ever.
    Core(Vec<TransitionId>),
    /// Runs may end, or wait, like this.
    Standing(String),
    /// Somebody stopped it, or it is too large.
    Stopped,
}

/// A case of being blocked.
#[derive(Clone, Default)]
struct Case {
    /// Who cannot move; `None`: nobody can.
    idle: Option<Vec<usize>>,
    /// Of which buffers something is known if somebody cannot move; `None`: of all.
    steady: Option<BTreeSet<ObjectId>>,
    /// Where components may stand.
    places: BTreeMap<usize, Vec<u32>>,
    /// What is known because of where some stand.
    known: BTreeMap<usize, Standstill>,
}

/// What goes on while some transitions are allowed.
#[derive(Default)]
struct Activity {
    /// Groups whose processes act.
    acting: BTreeSet<usize>,
    /// Components that are moved.
    moved: BTreeSet<usize>,
    /// Buffers whose messages are put or taken.
    used: BTreeSet<ObjectId>,
    /// Nodes of the monitor to which it leads.
    met: BTreeSet<u32>,
}

/// The net of a watch.
pub struct Finder<'w> {
    watch: &'w Watch,
    net: Net,
    accepted: Vec<u32>,
    counters: BTreeMap<(ObjectId, ClassId), CounterId>,
    fairness: Fairness,
    cancelled: &'w dyn Fn() -> bool,
}

impl<'w> Finder<'w> {
    /// Prepares; `None` if the net cannot say what the watch says. `settled`: buffers that are known to be bounded.
    pub fn new(
        watch: &'w Watch,
        settled: BTreeSet<BufferId>,
        fairness: Fairness,
        cancelled: &'w dyn Fn() -> bool,
    ) -> Option<Finder<'w>> {
        let mut net = Net { settled, ..Net::default() };
        for (group, (&nodes, &number)) in watch.nodes.iter().zip(&watch.tokens).enumerate() {
            let mut initial: Vec<(NodeId, u32)> = Vec::new();
            for (_, places) in watch.processes.iter().filter(|(of, _)| of.index() == group) {
                let [place] = places[..] else { return None };
                match initial.iter_mut().find(|(node, _)| node.0 == place.0) {
                    Some((_, count)) => *count += 1,
                    None => initial.push((NodeId(place.0), 1)),
                }
            }
            let tokens = if number == Number::Any { Tokens::Any } else { Tokens::AtMostOne };
            net.components.push(Component { name: String::new(), nodes: nodes as u32, initial, tokens });
        }
        for &(nodes, initial) in &watch.trackers {
            let (initial, tokens) = (vec![(NodeId(initial.0), 1)], Tokens::AtMostOne);
            net.components.push(Component { name: String::new(), nodes: nodes as u32, initial, tokens });
        }
        let mut counters = BTreeMap::new();
        for (object, classes) in (0..).map(ObjectId).zip(&watch.classes) {
            for class in (0..).map(ClassId).take(classes.unwrap_or(0)) {
                counters.insert((object, class), CounterId(net.counters.len() as u32));
                net.counters.push(Counter { counted: Counted::Messages(BufferId(object.0)), initial: 0 });
            }
        }
        let groups = watch.nodes.len() as u32;
        let component = |component: claimed::Component| match component {
            claimed::Component::Group(group) => ComponentId(group.0),
            claimed::Component::Tracker(tracker) => ComponentId(groups + tracker.0),
        };
        for (index, transition) in watch.transitions.iter().enumerate() {
            if transition.moves_many {
                return None;
            }
            let node = |node: ClaimedNode| Some(NodeId(node.0));
            let moves = transition.moves.iter().map(|&(of, from, to)| Move {
                component: component(of),
                from: node(from),
                to: node(to),
            });
            let mut moves: Vec<Move> = moves.collect();
            if let Some((group, at)) = transition.start {
                moves.push(Move { component: ComponentId(group.0), from: None, to: node(at) });
            }
            if let Some((group, at)) = transition.end {
                moves.push(Move { component: ComponentId(group.0), from: node(at), to: None });
            }
            let effect = match transition.message {
                Some(message) => {
                    vec![(*counters.get(&(message.object, message.class))?, i32::from(message.change))]
                }
                None => Vec::new(),
            };
            net.transitions.push(Transition { moves, effect, progress: false, origin: index as u32 });
        }
        let mut accepted: Vec<u32> = watch.transitions.iter().map(|transition| transition.accepted).collect();
        // One more at the start must weigh nothing wherever it matters how much there is then; it never happens afterwards.
        for component in watch.more.iter().map(|group| ComponentId(group.0)) {
            for (node, _) in net.components[component.0 as usize].initial.clone() {
                let moves = vec![Move { component, from: None, to: Some(node) }];
                let origin = net.transitions.len() as u32;
                net.transitions.push(Transition { moves, effect: Vec::new(), progress: false, origin });
                accepted.push(0);
            }
        }
        Some(Finder { watch, net, accepted, counters, fairness, cancelled })
    }

    /// The automaton of a formula.
    fn monitor(&self) -> Option<ComponentId> {
        let last = ComponentId(self.net.components.len() as u32).0.checked_sub(1).map(ComponentId);
        last.filter(|_| self.watch.has_monitor)
    }

    /// Looks for a proof that nothing of what is accepted goes on for ever.
    pub fn find_progress(
        &self,
        stages: usize,
        one_token: &dyn Fn(ComponentId) -> bool,
    ) -> Result<claimed::Stage, Missing> {
        let allowed = self.accepted.iter().map(|&accepted| accepted != 0).collect();
        Ok(self.claimed_stage(&self.tree(allowed, stages, one_token)?))
    }

    fn tree(
        &self,
        allowed: Vec<bool>,
        stages: usize,
        one_token: &dyn Fn(ComponentId) -> bool,
    ) -> Result<Stage, Missing> {
        let (accepted, sets) = (&self.accepted[..], self.watch.sets);
        let idle = |allowed: &[bool]| self.idle(allowed);
        let starved = |allowed: &[bool]| self.starved(allowed);
        let accepting = Accepting { accepted, sets, idle: &idle, starved: &starved };
        let tree = find_accepting_tree(&self.net, &accepting, allowed, one_token, stages, self.cancelled);
        tree.map_err(|missing| match missing {
            NoTree::Core(core) => Missing::Core(core),
            NoTree::Stopped => Missing::Stopped,
        })
    }

    /// Looks for a proof that nothing is accepted.
    pub fn find(&self, stages: usize, one_token: &dyn Fn(ComponentId) -> bool) -> Result<Found, Missing> {
        let Some(monitor) = self.monitor() else { return Err(Missing::Stopped) };
        let own =
            |transition: &Transition| transition.moves.iter().find(|step| step.component == monitor).copied();
        let mut gone: BTreeSet<u32> = BTreeSet::new();
        let mut unreached = Vec::new();
        for &node in &self.watch.accepts_standing_still {
            let node = NodeId(node.0);
            let is_entered = |transition: &Transition| {
                own(transition).is_some_and(|step| {
                    step.to == Some(node) && !step.from.is_some_and(|from| gone.contains(&from.0))
                })
            };
            if gone.contains(&node.0) || !self.net.transitions.iter().any(is_entered) {
                continue;
            }
            let active: Vec<bool> = self
                .net
                .transitions
                .iter()
                .map(|transition| {
                    own(transition).is_none_or(|step| !step.from.is_some_and(|from| gone.contains(&from.0)))
                })
                .collect();
            let exit = Exit { component: monitor, node, taken: None };
            match find_exclusion(&self.net, &active, exit, self.cancelled) {
                Answer::Found(potential) => {
                    let start = potential.initial_total(&self.net);
                    let weights = &potential.nodes[monitor.0 as usize];
                    let heavy = |node: &u32| i128::from(weights[*node as usize]) > start;
                    gone.extend((0..weights.len() as u32).filter(heavy));
                    unreached.push(self.claimed(&potential));
                }
                Answer::None(_) => {}
                Answer::Stopped => return Err(Missing::Stopped),
            }
        }
        let is_gone = |node: Option<NodeId>| node.is_some_and(|node| gone.contains(&node.0));
        let allowed: Vec<bool> = self
            .net
            .transitions
            .iter()
            .map(|transition| own(transition).is_some_and(|step| !is_gone(step.from) && !is_gone(step.to)))
            .collect();
        let stage = self.tree(allowed.clone(), stages, one_token)?;
        let mut met = BTreeSet::from([self.watch.trackers.last().map_or(0, |(_, first)| first.0)]);
        for (transition, _) in self.net.transitions.iter().zip(&allowed).filter(|(_, allowed)| **allowed) {
            met.extend(own(transition).and_then(|step| step.to).map(|node| node.0));
        }
        let mut places: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        let stands = self.watch.accepts_standing_still.iter().map(|node| node.0);
        places.insert(
            monitor.0 as usize,
            stands.filter(|node| met.contains(node) && !gone.contains(node)).collect(),
        );
        for (group, nodes) in self.watch.if_all_are_blocked.iter().enumerate() {
            if self.watch.tokens[group] == Number::One {
                places.insert(group, stuck(nodes));
            }
        }
        let mut left = MOST_CASES;
        let ends = self.blocked(Case { places, ..Case::default() }, &mut left)?;
        Ok(Found { unreached, stage: self.claimed_stage(&stage), ends })
    }

    /// Who acts in what is allowed, and what that moves and uses.
    fn activity(&self, allowed: &[bool]) -> Activity {
        let mut activity = Activity::default();
        for (index, _) in allowed.iter().enumerate().filter(|(_, allowed)| **allowed) {
            let transition = &self.watch.transitions[index];
            activity.acting.insert(transition.actor.0.index());
            activity.acting.extend(transition.partner.map(GroupId::index));
            activity.used.extend(transition.message.map(|message| message.object));
            for step in &self.net.transitions[index].moves {
                activity.moved.insert(step.component.0 as usize);
                let is_monitor = Some(step.component) == self.monitor();
                activity.met.extend(step.to.filter(|_| is_monitor).map(|node| node.0));
            }
        }
        activity
    }

    /// Those who take no part in what is allowed although some of it lets them move, and what is left without that.
    fn starved(&self, allowed: &[bool]) -> Vec<Starved> {
        if self.fairness != Fairness::Strong {
            return Vec::new();
        }
        let Activity { acting, moved, .. } = self.activity(allowed);
        let is_idle = |group: &usize| self.watch.tokens[*group] == Number::One && !acting.contains(group);
        let mut starved = Vec::new();
        for group in (0..self.watch.nodes.len()).filter(is_idle) {
            let component = ComponentId(group as u32);
            let lets = |nodes: &[u32], index: usize| {
                let lets = &self.watch.transitions[index].lets_move;
                let lets = |node: u32| lets.contains(&(GroupId(group as u32), ClaimedNode(node)));
                let mut steps = self.net.transitions[index].moves.iter();
                match steps.find(|step| step.component == component).and_then(|step| step.to) {
                    Some(to) => lets(to.0),
                    None => nodes.iter().all(|&node| lets(node)),
                }
            };
            let places: Vec<Vec<u32>> = match moved.contains(&group) {
                false => {
                    let stuck = stuck(&self.watch.if_one_is_blocked[group]);
                    stuck.into_iter().map(|node| vec![node]).collect()
                }
                true => vec![(0..self.watch.nodes[group] as u32).collect()],
            };
            let without = |nodes: &Vec<u32>| -> Vec<bool> {
                (0..allowed.len()).map(|index| allowed[index] && !lets(nodes, index)).collect()
            };
            let places: Vec<Vec<bool>> = places.iter().map(without).collect();
            if places.iter().any(|place| place != allowed) {
                starved.push((component, places));
            }
        }
        starved
    }

    /// Processes that take no part in what is left although they are not all blocked: one of them, or all together.
    fn idle(&self, allowed: &[bool]) -> Option<(Vec<ComponentId>, claimed::Blocked)> {
        if self.fairness == Fairness::None {
            return None;
        }
        let Activity { acting, moved, used, met } = self.activity(allowed);
        let is_idle = |group: &usize| self.watch.tokens[*group] == Number::One && !acting.contains(group);
        let alone: Vec<Vec<usize>> =
            (0..self.watch.nodes.len()).filter(is_idle).map(|group| vec![group]).collect();
        let all: Vec<usize> =
            alone.iter().flatten().copied().filter(|group| !moved.contains(group)).collect();
        let together = Some(all).filter(|all| all.len() > 1);
        let objects = (0..).map(ObjectId).take(self.watch.classes.len());
        let steady: BTreeSet<ObjectId> = objects.filter(|object| !used.contains(object)).collect();
        for idle in alone.into_iter().chain(together) {
            let mut places: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
            if let Some(monitor) = self.monitor() {
                places.insert(monitor.0 as usize, met.iter().copied().collect());
            }
            for &group in &idle {
                places.insert(group, stuck(&self.watch.if_one_is_blocked[group]));
            }
            let steady = (idle.len() > 1).then(|| steady.clone());
            let components = idle.iter().map(|&group| ComponentId(group as u32)).collect();
            let case = Case { idle: Some(idle), steady, places, known: BTreeMap::new() };
            let mut left = MOST_CASES / 4;
            if let Ok(blocked) = self.blocked(case, &mut left) {
                return Some((components, blocked));
            }
        }
        None
    }

    /// A tree of cases against being blocked.
    fn blocked(&self, case: Case, left: &mut usize) -> Result<claimed::Blocked, Missing> {
        // The checker asks for no case where somebody has no place at all.
        if case.places.values().any(Vec::is_empty) {
            return Ok(claimed::Blocked::Excluded { potential: claimed::Potential::default() });
        }
        *left = left.checked_sub(1).ok_or(Missing::Stopped)?;
        if let Some(potential) = self.exclusion(&case) {
            return Ok(claimed::Blocked::Excluded { potential: self.claimed(&potential) });
        }
        let groups = self.watch.nodes.len();
        let is_one = |component: usize| component >= groups || self.watch.tokens[component] == Number::One;
        let size = |component: usize| {
            case.places.get(&component).map_or(self.net.components[component].nodes as usize, Vec::len)
        };
        let matters = |component: usize| {
            component < groups && case.idle.as_ref().is_none_or(|idle| idle.contains(&component))
        };
        // Whoever is blocked says most; then where there is the least choice.
        let next = (0..self.net.components.len())
            .filter(|&component| is_one(component) && !case.known.contains_key(&component))
            .filter(|&component| size(component) > 1 || matters(component))
            .min_by_key(|&component| (!matters(component), size(component)));
        let Some(component) = next else { return Err(Missing::Standing(self.told(&case.places))) };
        let everywhere = || (0..self.net.components[component].nodes).collect();
        let nodes = case.places.get(&component).cloned().unwrap_or_else(everywhere);
        let mut parts = Vec::with_capacity(nodes.len());
        for node in nodes {
            let mut standstill = Standstill::default();
            if matters(component) {
                let known = match case.idle {
                    None => &self.watch.if_all_are_blocked,
                    Some(_) => &self.watch.if_one_is_blocked,
                };
                standstill = known[component][node as usize].clone().unwrap_or_default();
            }
            if let Some(steady) = &case.steady {
                standstill.empty.retain(|object| steady.contains(object));
                standstill.filled.retain(|object| steady.contains(object));
            }
            let mut part = case.clone();
            part.places.insert(component, vec![node]);
            part.known.insert(component, standstill);
            parts.push(self.blocked(part, left)?);
        }
        let component = self.claimed_component(ComponentId(component as u32));
        Ok(claimed::Blocked::Split { component, parts })
    }

    /// A potential that no transition increases and that is larger in every configuration of the case than at the start.
    fn exclusion(&self, Case { idle, places, known, .. }: &Case) -> Option<Potential> {
        let everybody = idle.is_none();
        let empty: BTreeSet<ObjectId> = known.values().flat_map(|known| known.empty.clone()).collect();
        let filled: BTreeSet<ObjectId> = known.values().flat_map(|known| known.filled.clone()).collect();
        let net = &self.net;
        if empty.intersection(&filled).next().is_some() {
            let nodes = net.components.iter().map(|component| vec![0; component.nodes as usize]);
            return Some(Potential { weights: vec![0; net.counters.len()], nodes: nodes.collect() });
        }
        let mut program = CoreProgram::new(net);
        for (id, _) in net.transition_ids() {
            let terms = program.change_terms(net, id);
            program.problem.add_constraint(terms, Relation::AtMost, 0);
        }
        for ((object, _), counter) in &self.counters {
            if empty.contains(object) {
                program.problem.set_bounds(program.weights[counter.0 as usize], Bounds::free());
            }
        }
        // If nobody can move nobody stands where it could: a weight there is no matter, and may be less than nothing.
        let can_stand =
            |known: &Standstill| known.empty.is_disjoint(&filled) && known.filled.is_disjoint(&empty);
        let mut unoccupied: BTreeSet<VariableId> = BTreeSet::new();
        for (group, nodes) in self.watch.if_all_are_blocked.iter().enumerate() {
            if everybody && self.watch.tokens[group] != Number::One {
                let left = nodes.iter().zip(&program.nodes[group]);
                let left = left.filter(|(known, _)| !known.as_ref().is_some_and(can_stand));
                unoccupied.extend(left.map(|(_, &weight)| weight));
            }
        }
        for &weight in &unoccupied {
            program.problem.set_bounds(weight, Bounds::free());
        }
        // What there is at the least, without what there is at the start.
        let mut terms: Vec<(VariableId, i32)> = Vec::new();
        for (index, component) in net.components.iter().enumerate() {
            for &(node, count) in &component.initial {
                terms.push((program.nodes[index][node.0 as usize], -(count as i32)));
            }
            let is_there = index >= self.watch.nodes.len() || self.watch.tokens[index] == Number::One;
            if !is_there {
                continue;
            }
            let least = program.problem.add_variable(Bounds::non_negative());
            let nodes = places.get(&index).cloned().unwrap_or_else(|| (0..component.nodes).collect());
            for node in nodes {
                let weight = program.nodes[index][node as usize];
                program.problem.add_constraint([(weight, 1), (least, -1)], Relation::AtLeast, 0);
            }
            terms.push((least, 1));
        }
        for object in &filled {
            let least = program.problem.add_variable(Bounds::non_negative());
            for ((_, _), counter) in self.counters.iter().filter(|((of, _), _)| of == object) {
                let weight = program.weights[counter.0 as usize];
                program.problem.add_constraint([(weight, 1), (least, -1)], Relation::AtLeast, 0);
            }
            terms.push((least, 1));
        }
        let mut merged: BTreeMap<VariableId, i32> = BTreeMap::new();
        terms.into_iter().for_each(|(variable, by)| *merged.entry(variable).or_default() += by);
        program.problem.add_constraint(merged, Relation::AtLeast, 1);
        let all = program.nodes.iter().flatten().filter(|variable| !unoccupied.contains(variable));
        let all: Vec<(VariableId, i32)> = all.map(|&variable| (variable, 1)).collect();
        program.problem.set_objective(Sense::Minimise, all);
        match solve(&program.problem, &Limits { cancelled: self.cancelled, ..Limits::none() }) {
            Outcome::Optimal(optimum) => program.potential(net, &optimum.values),
            Outcome::Infeasible(_) | Outcome::Unbounded(_) | Outcome::Stopped(_) => None,
        }
    }

    /// Who stands where.
    fn told(&self, places: &BTreeMap<usize, Vec<u32>>) -> String {
        let groups = places.iter().filter(|(component, _)| **component < self.watch.nodes.len());
        let texts =
            groups.map(|(group, nodes)| format!("group {group} in node {}", nodes.first().unwrap_or(&0)));
        texts.collect::<Vec<_>>().join(", ")
    }

    fn claimed_component(&self, component: ComponentId) -> claimed::Component {
        match component.0.checked_sub(self.watch.nodes.len() as u32) {
            None => claimed::Component::Group(GroupId(component.0)),
            Some(tracker) => claimed::Component::Tracker(TrackerId(tracker)),
        }
    }

    fn claimed(&self, potential: &Potential) -> claimed::Potential {
        let mut result = claimed::Potential::default();
        for (&(object, class), counter) in &self.counters {
            let weight = potential.weights[counter.0 as usize];
            if weight != 0 {
                result.messages.push(claimed::MessageWeight { object, class, weight });
            }
        }
        for (component, weights) in (0..).map(ComponentId).zip(&potential.nodes) {
            for (node, &weight) in (0..).map(ClaimedNode).zip(weights).filter(|(_, weight)| **weight != 0) {
                match self.claimed_component(component) {
                    claimed::Component::Group(group) => {
                        result.nodes.push(claimed::NodeWeight { group, node, weight });
                    }
                    claimed::Component::Tracker(tracker) => {
                        result.trackers.push(claimed::TrackerWeight { tracker, node, weight });
                    }
                }
            }
        }
        result
    }

    fn claimed_stage(&self, stage: &Stage) -> claimed::Stage {
        let next = match &stage.next {
            Next::Closed => claimed::Next::Closed,
            Next::Idle { components, blocked } => claimed::Next::Idle {
                groups: components.iter().map(|component| GroupId(component.0)).collect(),
                blocked: blocked.clone(),
            },
            Next::Starved { component, parts } => claimed::Next::Starved {
                group: GroupId(component.0),
                parts: parts.iter().map(|part| self.claimed_stage(part)).collect(),
            },
            Next::Split { component, parts } => claimed::Next::Split {
                component: self.claimed_component(*component),
                parts: parts.iter().map(|part| self.claimed_stage(part)).collect(),
            },
        };
        claimed::Stage { potential: self.claimed(&stage.potential), next }
    }
}

/// Nodes in which a process may be blocked.
fn stuck(nodes: &[Option<Standstill>]) -> Vec<u32> {
    let stuck = (0..).zip(nodes).filter(|(_, standstill)| standstill.is_some());
    stuck.map(|(node, _)| node).collect()
}
