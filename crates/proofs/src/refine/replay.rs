//! What a suspicious flow does to a variable. Its statements are walked through with each value on its own: if the value does not come back, or a
//! guard does not hold with what the flow itself leaves there, then part of the flow cannot be repeated, and telling the values apart is what
//! the next attempt needs.
//!
//! A hint and no more: what others do to a global variable in between is not looked at.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use promela::model::Frame;
use system::automaton::AutomatonId;

use crate::net::TransitionId;
use crate::potential::stages::strongly_connected;
use crate::refine::attempt::Attempt;
use crate::values::analysis::{beginnings, interval};
use crate::values::sets::Values;
use crate::values::step::{MessageKind, StepEffect, effects};
use crate::values::world::{GroupIndex, NodeIndex, View};

/// Values of a variable, and of a variable at all statements of a flow, that are walked through.
const MOST_VALUES: u64 = 256;
const MOST_STEPS: usize = 20_000;

/// How many transitions of an automaton's processes a flow has, and how many of them could still be repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Repeatable {
    /// Of so many.
    pub of: usize,
    /// So many.
    pub left: usize,
}

/// What would be left of the flow if the values of a slot were told apart, or the intervals between these cuts; `None` if they are too many, or nobody wants to know any more.
pub fn with_values_of(
    attempt: &Attempt<'_>,
    flow: &[TransitionId],
    automaton: AutomatonId,
    (frame, slot): (Frame, u32),
    cuts: Option<&[i32]>,
    cancelled: &dyn Fn() -> bool,
) -> Option<Repeatable> {
    let world = &attempt.analysis.world;
    let mut by_group: HashMap<GroupIndex, Vec<TransitionId>> = HashMap::new();
    for &id in flow {
        let origin = attempt.abstraction.origins[attempt.abstraction.net.transition(id).origin as usize];
        if world.group(origin.group).automaton == automaton {
            by_group.entry(origin.group).or_default().push(id);
        }
    }
    let mut sum = Repeatable { of: 0, left: 0 };
    for (group, transitions) in by_group {
        sum.of += transitions.len();
        sum.left += Walk { attempt, group, frame, slot, cuts }.repeatable(&transitions, cancelled)?;
    }
    Some(sum)
}

struct Walk<'a, 's> {
    attempt: &'a Attempt<'s>,
    group: GroupIndex,
    frame: Frame,
    slot: u32,
    cuts: Option<&'a [i32]>,
}

impl Walk<'_, '_> {
    /// How many of the transitions lie on a cycle of nodes with values.
    fn repeatable(&self, transitions: &[TransitionId], cancelled: &dyn Fn() -> bool) -> Option<usize> {
        let mut states: HashMap<(u32, i32), u32> = HashMap::new();
        let mut successors: Vec<Vec<u32>> = Vec::new();
        let mut steps: Vec<(u32, u32, TransitionId)> = Vec::new();
        let mut state = |node: u32, value: i32, successors: &mut Vec<Vec<u32>>| {
            *states.entry((node, value)).or_insert_with(|| {
                successors.push(Vec::new());
                successors.len() as u32 - 1
            })
        };
        let mut count = 0;
        for &id in transitions {
            let own = self.attempt.abstraction.net.transition(id).moves.first()?;
            let (Some(from), Some(to)) = (own.from, own.to) else { continue };
            let values = self.values_at(NodeIndex(from.0));
            let told = self.told_apart(&values)?;
            count += told.len();
            if count > MOST_STEPS || cancelled() {
                return None;
            }
            for begin in told {
                let value = self.values_from(begin).meet(&values);
                for after in self.after(id, NodeIndex(from.0), NodeIndex(to.0), value) {
                    let (one, other) =
                        (state(from.0, begin, &mut successors), state(to.0, after, &mut successors));
                    successors[one as usize].push(other);
                    steps.push((one, other, id));
                }
            }
        }
        let component = strongly_connected(&successors);
        let inside =
            steps.iter().filter(|(one, other, _)| component[*one as usize] == component[*other as usize]);
        let inside: BTreeSet<TransitionId> = inside.map(|(_, _, id)| *id).collect();
        Some(inside.len())
    }

    /// The values one by one, or where the intervals begin that they are in; `None` if they are too many.
    fn told_apart(&self, values: &Values) -> Option<Vec<i32>> {
        if let Some(cuts) = self.cuts {
            return beginnings(cuts, values).as_set().map(<[i32]>::to_vec);
        }
        let (low, high) = values.bounds().filter(|_| values.count() <= MOST_VALUES)?;
        Some((low..=high).filter(|&value| values.contains(value)).collect())
    }

    /// What such a beginning stands for.
    fn values_from(&self, begin: i32) -> Values {
        self.cuts.map_or_else(|| Values::single(begin), |cuts| interval(cuts, begin))
    }

    fn values_at(&self, node: NodeIndex) -> Values {
        let world = &self.attempt.analysis.world;
        match self.frame {
            Frame::Local => world.group(self.group).node(node).locals[self.slot as usize].clone(),
            Frame::Global => world.globals[self.slot as usize].clone(),
        }
    }

    /// The values, or the beginnings of intervals, that the variable can have after the transition.
    fn after(&self, id: TransitionId, from: NodeIndex, to: NodeIndex, value: Values) -> BTreeSet<i32> {
        let analysis = &self.attempt.analysis;
        let data = analysis.world.group(self.group);
        let (node, target) = (data.node(from), data.node(to));
        let globals = data.tracked_globals.iter().copied().zip(&node.key.globals);
        let mut view = View {
            world: &analysis.world,
            pid: &data.pid,
            locals: Cow::Borrowed(&node.locals),
            known_globals: globals.map(|(slot, &known)| (slot, Values::single(known))).collect(),
        };
        match self.frame {
            Frame::Local => view.locals.to_mut()[self.slot as usize] = value.clone(),
            Frame::Global => view.known_globals.insert(0, (self.slot, value.clone())),
        }
        let transition = self.attempt.abstraction.net.transition(id);
        let edge = self.attempt.abstraction.origins[transition.origin as usize].edge;
        let arcs = analysis.flows[data.automaton.0 as usize].arcs(node.key.point).iter();
        let arcs = arcs.filter(|arc| arc.edge == edge && arc.target == Some(target.key.point));
        let all = self.values_at(to);
        let mut found = BTreeSet::new();
        for effect in arcs.filter_map(|arc| effects(analysis.system, &view, arc).ok()).flatten() {
            if self.is_of(&effect, id) {
                let after = self.value_after(&effect, &value).meet(&all);
                let told = self.cuts.and_then(|_| self.told_apart(&after));
                if let Some(told) = told {
                    found.extend(told);
                    continue;
                }
                // Many are as good as all that are walked through.
                let (low, high) = after.bounds().unwrap_or((1, 0));
                found.extend((low..=high).filter(|&value| after.contains(value)).take(MOST_VALUES as usize));
            }
        }
        found
    }

    /// Whether the transition does with messages what the effect does.
    fn is_of(&self, effect: &StepEffect, id: TransitionId) -> bool {
        let abstraction = &self.attempt.abstraction;
        let by = |kind: MessageKind| match kind {
            MessageKind::Send => 1,
            MessageKind::Receive => -1,
            MessageKind::Copy => 0,
        };
        effect.message.as_ref().is_none_or(|message| {
            let counter = abstraction.counters.get(&(message.object, message.class.clone()));
            let own = |counter| abstraction.net.transition(id).effect.contains(&(counter, by(message.kind)));
            message.kind == MessageKind::Copy || counter.is_some_and(|&counter| own(counter))
        })
    }

    fn value_after(&self, effect: &StepEffect, value: &Values) -> Values {
        match self.frame {
            Frame::Local => effect.locals[self.slot as usize].clone(),
            Frame::Global => {
                let written = effect.writes.iter().filter(|(slot, _)| *slot == self.slot);
                let before = if effect.surely { None } else { Some(value) };
                let last = written.map(|(_, values)| values).next_back();
                match (last, before) {
                    (None, _) => value.clone(),
                    (Some(values), None) => values.clone(),
                    (Some(values), Some(before)) => values.join(before),
                }
            }
        }
    }
}
