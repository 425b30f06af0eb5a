//! What statements look at: for the worklist, and for what a coarse analysis tells a finer one.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use promela::model::{ChannelTypeId, ExprKind, Frame, Initializer, Place, ReceiveArgument, Scalar};
use system::automaton::{Action, AutomatonId, System};

use super::{Analysis, Cell};
use crate::values::evaluate::{Environment, channels, evaluate, slots_of};
use crate::values::flow::{Arc, Flow, PointId};
use crate::values::frame::{global_channels, processes_create_channels};
use crate::values::sets::Values;
use crate::values::step::find_run;
use crate::values::world::{
    Distinctions, GroupIndex, GroupKey, NodeIndex, ObjectIndex, Tracking, View, object_of,
};

/// What a group has to do with globals.
#[derive(Clone, Debug, Default)]
pub(super) struct Touched {
    /// Slots that it may look at or write.
    pub(super) all: BTreeSet<u32>,
    /// Slots whose values its nodes are worth being split by. Whoever writes to one element of an array or another, and looks at neither, need not know
    /// what all of them hold: of what it changes it is said what it was and what it is.
    pub(super) remembered: BTreeSet<u32>,
}

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
    pub(super) fn touched_globals(&self) -> HashMap<GroupKey, Touched> {
        let mut touched: HashMap<GroupKey, Touched> = HashMap::new();
        for group in &self.world.groups {
            let Touched { all, remembered } = touched.entry(group.key.clone()).or_default();
            let mut written: BTreeMap<(PointId, usize), BTreeSet<u32>> = BTreeMap::new();
            for node in &group.nodes {
                let view = View {
                    world: &self.world,
                    pid: &group.pid,
                    locals: Cow::Borrowed(&node.locals),
                    known_globals: Vec::new(),
                };
                let arcs = self.flows[group.automaton.0 as usize].arcs(node.key.point);
                for (position, arc) in arcs.iter().enumerate() {
                    let (reads, writes) = global_slots(&view, arc);
                    all.extend(reads.union(&writes));
                    remembered.extend(reads);
                    written.entry((node.key.point, position)).or_default().extend(writes);
                }
            }
            remembered.extend(written.into_values().filter(|slots| slots.len() == 1).flatten());
        }
        touched
    }

    /// Whether the messages that may be sent are told apart just as these distinctions would have it.
    pub(super) fn tells_apart_what_is(&self, asked: &Distinctions) -> bool {
        let own = &self.world.distinctions;
        let tells = |distinctions: &Distinctions, place: &(ObjectIndex, usize), value: i32| {
            let told = distinctions.values.get(place);
            told.is_some_and(|told| told.binary_search(&value).is_ok())
        };
        let all_asked =
            asked.values.iter().all(|(place, told)| told.iter().all(|&value| tells(own, place, value)));
        let objects = (0..).map(ObjectIndex).zip(&self.world.objects);
        let mut keys = objects.flat_map(|(index, object)| object.classes.keys().map(move |key| (index, key)));
        all_asked
            && keys.all(|(object, key)| {
                let mut fields = key.iter().enumerate();
                fields.all(|(field, told)| told.is_none_or(|value| tells(asked, &(object, field), value)))
            })
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
                                    ExprKind::Read(place) if place.scalar == Scalar::Chan => {
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

/// What the text alone says about which values of message fields are told apart: constants that are received, in every channel that may be
/// meant. `None` where what is received depends on variables, or where channels come and go.
pub(super) fn expected_distinctions(
    system: &System,
    flows: &[Flow<'_>],
    tracking: &Tracking,
) -> Option<Distinctions> {
    if processes_create_channels(&system.model) || tracking.globals.iter().any(|slots| !slots.is_empty()) {
        return None;
    }
    let types = &system.model.channel_types;
    let mut told: BTreeMap<(ChannelTypeId, usize), BTreeSet<i32>> = BTreeMap::new();
    for (index, flow) in flows.iter().enumerate() {
        for arc in flow.leaving.iter().flatten() {
            let Action::Receive { channel, arguments, .. } = arc.action else { continue };
            // Which channel type it is the declaration says, or else the number of fields as far as it can.
            let meant: Vec<ChannelTypeId> = match channel.declared {
                Some(declared) => vec![declared],
                None => (0..types.len())
                    .filter(|&index| types[index].fields.len() == arguments.len())
                    .map(|index| ChannelTypeId(index as u32))
                    .collect(),
            };
            for (field, argument) in arguments.iter().enumerate() {
                match argument {
                    ReceiveArgument::Match(expr) => {
                        let ExprKind::Constant { value, .. } = expr.kind else { return None };
                        for &channel_type in &meant {
                            told.entry((channel_type, field)).or_default().insert(value);
                        }
                    }
                    ReceiveArgument::Store(place) => {
                        let last: u32 =
                            place.indices.iter().map(|index| (index.length - 1) * index.stride).sum();
                        let slots = place.base..=place.base + last;
                        let automaton = AutomatonId(index as u32);
                        let is_tracked = |slot: u32| tracking.is_exact(automaton, slot);
                        if place.frame == Frame::Local && slots.into_iter().any(is_tracked) {
                            return None;
                        }
                    }
                    ReceiveArgument::Discard(_) => {}
                }
            }
        }
    }
    let mut values = HashMap::new();
    for (object, channel_type) in (0..).map(ObjectIndex).zip(global_channels(&system.model)) {
        for ((_, field), told) in told.range((channel_type, 0)..=(channel_type, usize::MAX)) {
            values.insert((object, *field), told.iter().copied().collect());
        }
    }
    Some(Distinctions { values })
}

pub(super) fn few(values: &Values) -> Vec<i32> {
    values.as_set().map(<[i32]>::to_vec).unwrap_or_default()
}

fn is_tracked(tracking: &Tracking, automaton: AutomatonId, place: &Place, view: &View<'_>) -> bool {
    let slots = slots_of(place, view);
    match place.frame {
        Frame::Local => slots.iter().any(|&slot| tracking.is_exact(automaton, slot)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refine::attempt::initial_processes;
    use crate::refine::shadows::Shadows;
    use crate::values::analysis::{AnalysisLimits, flows};
    use crate::values::world::ClassKey;
    use system::progress::ProgressStatements;

    /// The classes of messages in each channel: found at once, if that is possible, and in two steps.
    fn classes(text: &str) -> (bool, [Vec<Vec<ClassKey>>; 2]) {
        let system = system::read_text(text).expect("a model");
        let flows = flows(&system, &ProgressStatements::default());
        let initial = initial_processes(&system);
        let tracking = Tracking::default().for_automata(flows.len());
        let (shadows, limits) = (Shadows::default(), AnalysisLimits::default());
        let expected = expected_distinctions(&system, &flows, &tracking);
        let at_once = Analysis::run(&system, &flows, &initial, &tracking, shadows.clone(), limits);
        let as_asked = |_: &Analysis<'_>, asked| asked;
        let in_two =
            Analysis::run_telling_apart(&system, &flows, &initial, &tracking, shadows, limits, &as_asked);
        let classes = [at_once, in_two].map(|analysis| {
            let objects = analysis.expect("it is small").world.objects;
            objects.iter().map(|object| object.classes.keys().cloned().collect()).collect()
        });
        (expected.is_some(), classes)
    }

    #[test]
    fn what_the_text_tells_apart_is_told_apart_at_once() {
        let (is_expected, [at_once, in_two]) = classes(
            "mtype = { ask, tell, stop }; chan in = [2] of { mtype, byte }; chan out[2] = [2] of { mtype };
             proctype P(chan c; byte i) { byte v; do :: c?ask(v); out[i]!tell :: c?stop(_) -> out[i]!stop; break od }
             init { run P(in, 0); run P(in, 1); in!ask(7); in!stop(3); in!tell(2); out[0]?tell; out[1]?stop }",
        );
        assert!(is_expected);
        assert_eq!(at_once, in_two);
        assert_eq!(at_once.iter().map(Vec::len).collect::<Vec<usize>>(), [3, 2, 2]);
    }

    #[test]
    fn what_the_text_tells_apart_elsewhere_is_not_told_apart() {
        let (is_expected, [at_once, in_two]) = classes(
            "mtype = { tell, stop }; chan out[2] = [2] of { mtype };
             active [2] proctype P() { out[_pid]!tell; out[_pid]!stop }
             active proctype Q() { out[0]?tell; out[1]?_ }",
        );
        assert!(is_expected);
        assert_eq!(at_once, in_two);
        assert_eq!(at_once.iter().map(Vec::len).collect::<Vec<usize>>(), [2, 1]);
    }

    #[test]
    fn what_variables_ask_for_is_learnt_first() {
        let text = "chan c = [2] of { byte }; byte key;
             active proctype P() { do :: c!1 :: c!2 :: c!3 od }
             active proctype Q() { do :: key = 1 :: key = 2 :: c?eval(key) od }";
        let (is_expected, [at_once, in_two]) = classes(text);
        assert!(!is_expected);
        assert_eq!(at_once, in_two);
    }
}
