//! What statements look at: for the worklist, and for what a coarse analysis tells a finer one.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use promela::model::{Frame, Initializer, Place, ReceiveArgument, Scalar};
use system::automaton::{Action, AutomatonId, System};

use super::{Analysis, Cell};
use crate::values::evaluate::{Environment, channels, evaluate, slots_of};
use crate::values::flow::Arc;
use crate::values::sets::Values;
use crate::values::step::find_run;
use crate::values::world::{
    Distinctions, GroupIndex, GroupKey, NodeIndex, ObjectIndex, Tracking, View, object_of,
};

impl<'s> Analysis<'s> {
    /// Remembers what the node's statements look at, so that it is visited again when that grows.
    pub(super) fn register(&mut self, group: GroupIndex, node: NodeIndex) {
        let data = self.world.group(group);
        let automaton = data.automaton;
        let current = data.node(node);
        let view = View {
            world: &self.world,
            pid: &data.pid,
            locals: Cow::Borrowed(&current.locals),
            known_globals: Vec::new(),
        };
        let mut cells: BTreeSet<Cell> = BTreeSet::new();
        for arc in self.flows[automaton.0 as usize].arcs(current.key.point) {
            let (reads, writes) = global_slots(&view, arc);
            cells.extend(reads.into_iter().map(Cell::Global));
            cells.extend(writes.into_iter().filter(|slot| self.observed.contains(slot)).map(Cell::Global));
            for channel in channels_looked_at(&view, arc) {
                cells.insert(Cell::Object(channel));
            }
            if let Action::Condition(expr) | Action::Assign { value: expr, .. } = arc.action
                && let Some((proctype, _)) = find_run(expr)
            {
                cells.extend(
                    self.tracking.globals[proctype.0 as usize].iter().map(|&slot| Cell::Global(slot)),
                );
                cells.extend(
                    initializer_reads(self.system, AutomatonId(proctype.0)).into_iter().map(Cell::Global),
                );
            }
        }
        for cell in cells {
            self.dependents.entry(cell).or_default().insert((group, node));
        }
    }

    /// Global slots that each group may look at or write.
    pub(super) fn touched_globals(&self) -> HashMap<GroupKey, BTreeSet<u32>> {
        let mut touched: HashMap<GroupKey, BTreeSet<u32>> = HashMap::new();
        for group in &self.world.groups {
            let slots = touched.entry(group.key.clone()).or_default();
            for node in &group.nodes {
                let view = View {
                    world: &self.world,
                    pid: &group.pid,
                    locals: Cow::Borrowed(&node.locals),
                    known_globals: Vec::new(),
                };
                for arc in self.flows[group.automaton.0 as usize].arcs(node.key.point) {
                    let (reads, writes) = global_slots(&view, arc);
                    slots.extend(reads);
                    slots.extend(writes);
                }
            }
        }
        touched
    }

    /// Which values of message fields some receive tells apart, or some tracked variable remembers.
    pub(super) fn distinctions(&self, tracking: &Tracking) -> Distinctions {
        let mut values: HashMap<(ObjectIndex, usize), BTreeSet<i32>> = HashMap::new();
        for group in &self.world.groups {
            let automaton = group.automaton;
            for node in &group.nodes {
                for arc in self.flows[automaton.0 as usize].arcs(node.key.point) {
                    let Action::Receive { channel, arguments, .. } = arc.action else { continue };
                    let view = View {
                        world: &self.world,
                        pid: &group.pid,
                        locals: Cow::Borrowed(&node.locals),
                        known_globals: Vec::new(),
                    };
                    let Values::Set(objects) = channels(channel, &view) else { continue };
                    for object in objects.iter().filter_map(|&value| object_of(value)) {
                        for (field, argument) in arguments.iter().enumerate() {
                            let told: Vec<i32> = match argument {
                                ReceiveArgument::Match(expr) => match &expr.kind {
                                    promela::model::ExprKind::Read(place) if place.scalar == Scalar::Chan => {
                                        few(&crate::values::evaluate::read(place, &view))
                                    }
                                    _ => few(&evaluate(expr, &view)),
                                },
                                ReceiveArgument::Store(place)
                                    if is_tracked(tracking, automaton, place, &view) =>
                                {
                                    self.world
                                        .object(object)
                                        .classes
                                        .values()
                                        .flat_map(|fields| few(&fields[field]))
                                        .collect()
                                }
                                _ => Vec::new(),
                            };
                            values.entry((object, field)).or_default().extend(told);
                        }
                    }
                }
            }
        }
        let values = values
            .into_iter()
            .filter(|(_, told)| !told.is_empty())
            .map(|(key, told)| (key, told.into_iter().collect()))
            .collect();
        Distinctions { values }
    }
}

pub(super) fn few(values: &Values) -> Vec<i32> {
    values.as_set().map(<[i32]>::to_vec).unwrap_or_default()
}

fn is_tracked(tracking: &Tracking, automaton: AutomatonId, place: &Place, view: &View<'_>) -> bool {
    let slots = slots_of(place, view);
    match place.frame {
        Frame::Local => slots.iter().any(|slot| tracking.locals[automaton.0 as usize].contains(slot)),
        Frame::Global => {
            slots.iter().any(|slot| tracking.globals.iter().any(|tracked| tracked.contains(slot)))
        }
    }
}

fn initializer_reads(system: &System, automaton: AutomatonId) -> Vec<u32> {
    let mut slots = Vec::new();
    for variable in &system.model.proctypes[automaton.0 as usize].locals {
        let expressions: Vec<&promela::model::Expr> = match &variable.init {
            Initializer::Expr(expr) => vec![expr],
            Initializer::List(list) => list.iter().collect(),
            Initializer::None | Initializer::Channel(_) => Vec::new(),
        };
        for expr in expressions {
            expr.visit_places(&mut |place| {
                if place.frame == Frame::Global {
                    let variable = &system.model.globals[place.variable.0 as usize];
                    slots.extend(variable.slot..variable.slot + variable.slots);
                }
            });
        }
    }
    slots
}

/// Global slots that a statement may read and write.
pub(super) fn global_slots(view: &View<'_>, arc: &Arc<'_>) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let mut reads = BTreeSet::new();
    let mut writes = BTreeSet::new();
    let mut read = |place: &Place| {
        if place.frame == Frame::Global {
            reads.extend(slots_of(place, view));
        }
    };
    match arc.action {
        Action::Condition(expr) | Action::Assert(expr) | Action::Printm(expr) => expr.visit_places(&mut read),
        Action::Assign { place, value } => {
            value.visit_places(&mut read);
            place.visit_index_places(&mut read);
            if place.frame == Frame::Global {
                writes.extend(slots_of(place, view));
            }
        }
        Action::Send { channel, arguments, .. } => {
            channel.place.visit_places(&mut read);
            arguments.iter().for_each(|argument| argument.visit_places(&mut read));
        }
        Action::Receive { channel, arguments, .. } => {
            channel.place.visit_places(&mut read);
            for argument in arguments {
                match argument {
                    ReceiveArgument::Match(expr) => expr.visit_places(&mut read),
                    ReceiveArgument::Store(place) => {
                        place.visit_index_places(&mut read);
                        if place.frame == Frame::Global {
                            writes.extend(slots_of(place, view));
                        }
                    }
                    ReceiveArgument::Discard(_) => {}
                }
            }
        }
        Action::Skip
        | Action::Else
        | Action::Printf { .. }
        | Action::SetPriority { .. }
        | Action::End
        | Action::DStep(_) => {}
    }
    (reads, writes)
}

/// Objects whose contents a statement may look at.
fn channels_looked_at(view: &View<'_>, arc: &Arc<'_>) -> Vec<ObjectIndex> {
    let mut values = Values::empty();
    if let Action::Receive { channel, .. } = arc.action {
        values.join_with(&channels(channel, view));
    }
    if let Action::Condition(expr) | Action::Assign { value: expr, .. } = arc.action {
        expr.visit_places(&mut |place| {
            if place.scalar == Scalar::Chan {
                let held: Vec<u32> = slots_of(place, view);
                for slot in held {
                    values.join_with(&view.slot(place.frame, slot));
                }
            }
        });
    }
    few(&values).into_iter().filter_map(object_of).collect()
}
