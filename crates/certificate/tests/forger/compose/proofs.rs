//! What is said: bounds, starts, trees, some with more courage than reason.

use super::Composer;
use super::sketch::Members;
use super::weights::Extra;
use certificate::claims::{Claims, ClassId, GroupId, NodeId, ObjectId};
use certificate::potential::{
    Arrival, BoundCase, BufferBound, KnownLength, MessageWeight, Next, Potential, Progress,
    ProgressStatement, Proof, Stage,
};
use std::collections::{BTreeMap, BTreeSet};

impl Composer<'_> {
    /// A proof for each group that `run` fills and that is claimed to have a size.
    pub(super) fn starts(&mut self) -> Vec<Proof> {
        let mut proofs = Vec::new();
        for index in 0..self.groups.len() {
            let Members { automaton, any_pid: true, at_most: Some(_), ref pids, .. } = self.groups[index]
            else {
                continue;
            };
            // Some do not show it.
            if self.random.percent(20) {
                continue;
            }
            let own = pids.len() as i64;
            let (potential, start) = self.potential(&BTreeMap::new(), Extra::Start(automaton, 1));
            let at_most = u64::try_from(start + own + self.slack(&potential, None)).unwrap_or(0);
            self.claims.groups[index].at_most = u32::try_from(at_most).ok();
            proofs.push(Proof::Starts { group: GroupId(index as u32), at_most, denominator: 1, potential });
        }
        proofs
    }

    pub(super) fn proof(&mut self) -> Option<Proof> {
        let buffers = self.buffers();
        let object = self.random.pick(&buffers).copied();
        Some(match self.random.below(12) {
            0..=2 => {
                let weights = self.weights(Some(object?));
                let (potential, start) = self.potential(&weights, Extra::None);
                let at_most = self.about(start + self.slack(&potential, None));
                let case = BoundCase { after: None, denominator: 1, potential };
                Proof::Bound { object: ObjectId(object?), at_most, cases: vec![case] }
            }
            3 => self.bound_after(object?),
            4 => {
                let weights = self.weights(None);
                let (potential, start) = self.potential(&weights, Extra::None);
                let at_most = self.about(start + self.slack(&potential, None));
                let buffers = buffers
                    .iter()
                    .filter(|object| self.capacity(self.claims.objects[**object as usize].place) != Some(0))
                    .map(|&object| {
                        let nothing = self.claims.objects[object as usize].classes.is_empty();
                        let at_most = if nothing { 0 } else { at_most };
                        BufferBound { object: ObjectId(object), at_most }
                    })
                    .collect();
                Proof::Bounds { buffers, potential }
            }
            5 => {
                let group = self.who(object?, 1, 60)? as u32;
                let known = (0..).map(NodeId).take(self.claims.groups[group as usize].nodes.len());
                let at_most = 1 + self.random.below(3) as u64;
                let some = [0, 0, 30, 100][self.random.below(4)];
                let known: Vec<KnownLength> = known
                    .filter(|_| self.random.percent(some))
                    .map(|node| KnownLength { node, at_most: at_most - 1 })
                    .collect();
                let at_most = if self.random.percent(5) { u64::MAX } else { at_most };
                Proof::Guarded { object: ObjectId(object?), at_most, sender: GroupId(group), known }
            }
            6 => Proof::Bound { object: ObjectId(object?), at_most: 2, cases: vec![] },
            7 | 8 => Proof::AllBounded { stage: self.stage(Extra::None, 2) },
            _ => {
                let statements: Vec<ProgressStatement> = self
                    .arcs
                    .iter()
                    .map(|arc| ProgressStatement { automaton: arc.automaton, edge: arc.edge, inside: None })
                    .collect::<BTreeSet<_>>()
                    .into_iter()
                    .collect();
                let progress = match self.random.below(3) {
                    0 => Progress::Labels,
                    1 => Progress::At(vec![]),
                    _ => Progress::At(statements.into_iter().filter(|_| self.random.percent(50)).collect()),
                };
                for arc in &mut self.arcs {
                    if let Progress::At(statements) = &progress {
                        arc.progress =
                            statements.iter().any(|s| (s.automaton, s.edge) == (arc.automaton, arc.edge));
                    }
                }
                Proof::LivelockFree { progress, stage: self.stage(Extra::NoProgress, 2) }
            }
        })
    }

    /// Says that a group has the processes that it has at the start, if nobody starts more.
    pub(super) fn plain(&mut self) -> Option<Proof> {
        let alone = (0..self.groups.len()).filter(|&index| !self.groups[index].any_pid);
        let alone: Vec<usize> = alone.collect();
        let group = *self.random.pick(&alone)?;
        let at_most = self.claims.groups.get(group)?.at_most?.into();
        let potential = Potential::default();
        Some(Proof::Starts { group: GroupId(group as u32), at_most, denominator: 1, potential })
    }

    /// Says that nothing happens at all. Where something does, only a hole in the rules lets it pass.
    pub(super) fn audacious(&mut self) -> Option<Proof> {
        let buffers = self.buffers();
        let classes = |claims: &Claims, object: u32| {
            (0..).map(ClassId).take(claims.objects[object as usize].classes.len())
        };
        let weigh = |claims: &Claims, object: u32| -> Vec<MessageWeight> {
            let weight = |class| MessageWeight { object: ObjectId(object), class, weight: 1 };
            classes(claims, object).map(weight).collect()
        };
        Some(match self.random.below(4) {
            0 => {
                let object = *self.random.pick(&buffers)?;
                let messages = weigh(&self.claims, object);
                let potential = Potential { messages, ..Potential::default() };
                let case = BoundCase { after: None, denominator: 1, potential };
                Proof::Bound { object: ObjectId(object), at_most: 0, cases: vec![case] }
            }
            1 => {
                let messages = buffers.iter().flat_map(|&object| weigh(&self.claims, object)).collect();
                let potential = Potential { messages, ..Potential::default() };
                Proof::AllBounded { stage: Stage { potential, next: Next::Closed } }
            }
            kind => {
                // With every message things come down, if one believes that.
                let debts = buffers.iter().flat_map(|&object| weigh(&self.claims, object));
                let debts = debts.map(|weight| MessageWeight { weight: -1, ..weight });
                let messages = if kind == 2 { vec![] } else { debts.collect() };
                let potential = Potential { messages, ..Potential::default() };
                let stage = Stage { potential, next: Next::Closed };
                Proof::LivelockFree { progress: Progress::At(vec![]), stage }
            }
        })
    }

    /// A bound just after each send.
    fn bound_after(&mut self, object: u32) -> Proof {
        let weights = self.weights(Some(object));
        let mut arrivals: BTreeMap<GroupId, BTreeSet<NodeId>> = BTreeMap::new();
        for arc in &self.arcs {
            let sends =
                arc.message.is_some_and(|(to, _, sign)| sign == 1 && to.is_none_or(|to| to.0 == object));
            for (group, claimed) in (0..).map(GroupId).zip(&self.claims.groups) {
                if sends && claimed.automaton == arc.automaton {
                    let nodes = (0..).map(NodeId).zip(&claimed.nodes);
                    let there = nodes.filter(|(_, node)| Some(node.point) == arc.to).map(|(id, _)| id);
                    arrivals.entry(group).or_default().extend(there);
                }
            }
        }
        let mut most = 0;
        let cases = arrivals.into_iter().map(|(group, nodes)| {
            let (potential, start) = self.potential(&weights, Extra::None);
            for node in &nodes {
                let weight = potential.nodes.iter().find(|w| (w.group, w.node) == (group, *node));
                let slack = self.slack(&potential, Some((group, *node)));
                most = most.max(start + slack - weight.map_or(0, |w| w.weight));
            }
            let after = Some(Arrival { group, nodes: nodes.into_iter().collect() });
            BoundCase { after, denominator: 1, potential }
        });
        let cases = cases.collect();
        Proof::Bound { object: ObjectId(object), at_most: self.about(most), cases }
    }
}
