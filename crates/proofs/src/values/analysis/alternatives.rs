//! What a statement may do from a node, with the tracked variables before and after it spelled out.

use std::borrow::Cow;

use promela::model::Frame;
use system::automaton::AutomatonId;

use super::learn::global_slots;
use super::{Alternative, Analysis, AnalysisError, Change, Stop, Target, TrackedFrame};
use crate::values::flow::Arc;
use crate::values::sets::Values;
use crate::values::step::{StepEffect, Unreadable, effects};
use crate::values::world::{GroupIndex, NodeIndex, NodeKey, View};

impl<'s> Analysis<'s> {
    /// All that a statement may do from a node, with tracked variables spelled out.
    pub fn alternatives(
        &self,
        group: GroupIndex,
        node: NodeIndex,
        arc: &Arc<'_>,
    ) -> Result<Vec<Alternative>, Stop> {
        let data = self.world.group(group);
        let automaton = data.automaton;
        let current = data.node(node);
        let own_slots = &data.tracked_globals;
        let own: Vec<(u32, i32)> =
            own_slots.iter().copied().zip(current.key.globals.iter().copied()).collect();
        let base = View {
            world: &self.world,
            pid: &data.pid,
            locals: Cow::Borrowed(&current.locals),
            known_globals: own.iter().map(|&(slot, value)| (slot, Values::single(value))).collect(),
        };
        let mut results = Vec::new();
        for context in self.contexts(&base, arc, &own)? {
            let mut view = base.clone();
            view.known_globals.extend(context.iter().map(|&(slot, value)| (slot, Values::single(value))));
            let effects = effects(self.system, &view, arc).map_err(|error| match error {
                Unreadable::UnknownChannel => {
                    Stop::Error(AnalysisError::UnknownChannel { automaton, edge: arc.edge })
                }
                Unreadable::TooManyAlternatives => Stop::Error(AnalysisError::TooLarge),
            })?;
            let before: Vec<(u32, i32)> = own.iter().chain(&context).copied().collect();
            for effect in effects {
                for after in self.after(automaton, &before, &effect)? {
                    let changes: Vec<Change> = before
                        .iter()
                        .zip(&after)
                        .map(|(&(slot, before), &after)| Change { slot, before, after })
                        .collect();
                    match arc.target {
                        None => {
                            let target = Target::Ended;
                            results.push(Alternative { effect: effect.clone(), changes, target });
                        }
                        Some(point) => {
                            let globals = after[..own.len()].to_vec();
                            let places =
                                self.shadows.after(&data.key, &current.key.shadows, effect.message.as_ref());
                            let (guessed, is_right) = self.as_guessed(automaton, effect.locals.clone());
                            if !is_right {
                                results.push(Alternative {
                                    effect: effect.clone(),
                                    changes: changes.clone(),
                                    target: Target::OutOfGuess,
                                });
                            }
                            for split in self.split_locals(automaton, guessed)? {
                                let splits = std::iter::repeat_n(split, places.len());
                                results.extend(splits.zip(&places).map(|((locals, frame), shadows)| {
                                    let (globals, shadows) = (globals.clone(), shadows.clone());
                                    Alternative {
                                        effect: effect.with_locals(frame),
                                        changes: changes.clone(),
                                        target: Target::Node(NodeKey { point, locals, globals, shadows }),
                                    }
                                }));
                            }
                        }
                    }
                }
            }
        }
        Ok(results)
    }

    /// Values of the tracked globals that a statement looks at and that its own node does not know, if it writes one.
    fn contexts(
        &self,
        view: &View<'_>,
        arc: &Arc<'_>,
        own: &[(u32, i32)],
    ) -> Result<Vec<Vec<(u32, i32)>>, Stop> {
        if self.observed.is_empty() {
            return Ok(vec![Vec::new()]);
        }
        let (reads, writes) = global_slots(view, arc);
        if !writes.iter().any(|slot| self.observed.contains(slot)) {
            return Ok(vec![Vec::new()]);
        }
        let slots: Vec<u32> = reads
            .union(&writes)
            .copied()
            .filter(|slot| self.observed.contains(slot) && !own.iter().any(|(known, _)| known == slot))
            .collect();
        let known: Vec<Values> =
            slots.iter().map(|&slot| self.world.globals[slot as usize].clone()).collect();
        let all = combinations(&known)
            .ok_or_else(|| self.too_many(AutomatonId(0), Frame::Global, &slots, &known))?;
        Ok(all.into_iter().map(|values| slots.iter().copied().zip(values).collect()).collect())
    }

    /// Values of the known globals after an effect: one vector for each combination.
    fn after(
        &self,
        automaton: AutomatonId,
        before: &[(u32, i32)],
        effect: &StepEffect,
    ) -> Result<Vec<Vec<i32>>, Stop> {
        let known: Vec<Values> = before
            .iter()
            .map(|&(slot, value)| {
                let mut written: Option<Values> = None;
                for (_, values) in effect.writes.iter().filter(|(written, _)| *written == slot) {
                    // The last write wins if all are sure.
                    written = Some(match written {
                        Some(earlier) if !effect.surely => earlier.join(values),
                        _ => values.clone(),
                    });
                }
                match written {
                    None => Values::single(value),
                    Some(values) if effect.surely => values,
                    Some(values) => values.join(&Values::single(value)),
                }
            })
            .collect();
        let slots: Vec<u32> = before.iter().map(|(slot, _)| *slot).collect();
        combinations(&known).ok_or_else(|| self.too_many(automaton, Frame::Global, &slots, &known))
    }

    /// The frame with guessed values only, and whether it has no others.
    pub(super) fn as_guessed(&self, automaton: AutomatonId, locals: Vec<Values>) -> (Vec<Values>, bool) {
        let mut guessed = locals;
        let mut is_right = true;
        for (&slot, values) in &self.tracking.guesses[automaton.0 as usize] {
            let own = &mut guessed[slot as usize];
            if !own.is_subset(values) {
                *own = own.meet(values);
                is_right = false;
            }
        }
        (guessed, is_right)
    }

    /// The frame once for each combination of values, or of intervals, of the tracked slots.
    pub fn split_locals(
        &self,
        automaton: AutomatonId,
        locals: Vec<Values>,
    ) -> Result<Vec<TrackedFrame>, Stop> {
        let slots = &self.tracking.locals[automaton.0 as usize];
        if slots.is_empty() {
            return Ok(vec![(Vec::new(), locals)]);
        }
        let cuts = &self.tracking.cuts[automaton.0 as usize];
        let begins = |slot: u32| {
            let values = &locals[slot as usize];
            cuts.get(&slot).map_or_else(|| values.clone(), |cuts| beginnings(cuts, values))
        };
        let known: Vec<Values> = slots.iter().map(|&slot| begins(slot)).collect();
        let all =
            combinations(&known).ok_or_else(|| self.too_many(automaton, Frame::Local, slots, &known))?;
        Ok(all
            .into_iter()
            .map(|values| {
                let mut frame = locals.clone();
                for (&slot, &value) in slots.iter().zip(&values) {
                    let own = &mut frame[slot as usize];
                    *own = match cuts.get(&slot) {
                        Some(cuts) => own.meet(&interval(cuts, value)),
                        None => Values::single(value),
                    };
                }
                (values, frame)
            })
            .collect())
    }

    pub(super) fn too_many(
        &self,
        automaton: AutomatonId,
        frame: Frame,
        slots: &[u32],
        values: &[Values],
    ) -> Stop {
        match slots.iter().zip(values).max_by_key(|(_, values)| values.count()) {
            Some((&slot, _)) => Stop::Error(AnalysisError::TooManyValues { automaton, frame, slot }),
            None => Stop::Error(AnalysisError::TooLarge),
        }
    }
}

/// The intervals between cuts that some of the values are in, by where they begin.
pub fn beginnings(cuts: &[i32], values: &Values) -> Values {
    let begins = std::iter::once(i32::MIN).chain(cuts.iter().copied());
    begins
        .filter(|&begin| values.intersects(&interval(cuts, begin)))
        .map(Values::single)
        .fold(Values::empty(), |all, begin| all.join(&begin))
}

/// The interval between cuts that begins there.
pub fn interval(cuts: &[i32], begin: i32) -> Values {
    let next = cuts.iter().find(|&&cut| cut > begin);
    Values::range(begin, next.map_or(i32::MAX, |next| next - 1))
}

/// All choices of one value from each set; `None` if one of them is an interval or they are too many.
pub(super) fn combinations(known: &[Values]) -> Option<Vec<Vec<i32>>> {
    let mut all: Vec<Vec<i32>> = vec![Vec::new()];
    for values in known {
        let set = values.as_set()?;
        all = all
            .iter()
            .flat_map(|tuple| {
                set.iter().map(move |&value| {
                    let mut longer = tuple.clone();
                    longer.push(value);
                    longer
                })
            })
            .collect();
        if all.len() > 4096 {
            return None;
        }
    }
    Some(all)
}
