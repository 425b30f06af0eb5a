//! Which messages count as one type (IBOC, section 3.1; Ciclo, section VI).
//!
//! The value analysis tells messages apart by the values of their fields: classes. A message type is a set of classes of one channel,
//! and any choice of such sets is sound, because whoever counts sets of classes together only forgets which of them it was.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use promela::model::{ExprKind, Frame, Place, ReceiveArgument, Scalar};
use system::automaton::{Action, AutomatonId, System};

use super::variables::cells_of;
use super::{Counts, MessageType};
use crate::values::analysis::Analysis;
use crate::values::evaluate::{channels, evaluate};
use crate::values::names::object_name;
use crate::values::step::may_receive;
use crate::values::world::{ClassKey, Distinctions, Group, Node, ObjectIndex, View, object_of};

/// How finely messages are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MessageTypes {
    /// By the channel and the symbolic names in the message, whatever receives ask for (IBOC 3.1, the first solution).
    Coarse,
    /// By every field in which some receive asks for a constant (IBOC 3.1, the finer abstraction).
    Fine,
    /// Only what some receive tells apart (Ciclo VI-A: SENT, RECEIVE, FINAL).
    Optimal,
    /// By every constant that is sent, wherever it is passed on to, though no receive asks for it: what figure 4 of Ciclo draws and its
    /// tables count. Conditions on what was received tell such messages apart. Where that gives too many effects, as `Optimal`.
    #[default]
    Sent,
}

/// The values of fields by which the analysis is to tell messages apart, given those that receives ask for.
pub(super) fn told_apart(analysis: &Analysis<'_>, asked: Distinctions, choice: MessageTypes) -> Distinctions {
    match choice {
        MessageTypes::Coarse => symbolic_names(analysis),
        MessageTypes::Fine | MessageTypes::Optimal => with_links(analysis, asked),
        MessageTypes::Sent => with_links(analysis, with_constants(analysis, asked)),
    }
}

/// What is asked for and the constants that are sent, also after any number of stations that only pass them on.
fn with_constants(analysis: &Analysis<'_>, mut told: Distinctions) -> Distinctions {
    for (field, value) in constants(analysis) {
        tell(&mut told, field, &[value]);
    }
    let passed_on = links(analysis, Followed::OnlyReceived);
    loop {
        let mut changed = false;
        for (received, sent) in &passed_on {
            let values = told.values.get(received).cloned().unwrap_or_default();
            changed |= tell(&mut told, *sent, &values);
        }
        if !changed {
            return told;
        }
    }
}

/// Fields with the constants that some send writes into them: numbers and names, and what a process was given once for all.
fn constants(analysis: &Analysis<'_>) -> BTreeSet<(Field, i32)> {
    let mut found = BTreeSet::new();
    for group in &analysis.world.groups {
        let assigned = assigned_slots(analysis, group);
        for (node, action) in statements(analysis, group) {
            let Action::Send { channel, arguments, .. } = action else { continue };
            let view = view_of(analysis, group, node);
            let channels = channels(channel, &view);
            for object in channels.as_set().unwrap_or_default().iter().filter_map(|&value| object_of(value)) {
                for (field, argument) in arguments.iter().enumerate() {
                    let is_constant = match &argument.kind {
                        ExprKind::Constant { .. } => true,
                        ExprKind::Read(place) => {
                            place.frame == Frame::Local
                                && place.indices.is_empty()
                                && !assigned.contains(&place.base)
                        }
                        _ => false,
                    };
                    let value = is_constant.then(|| evaluate(argument, &view).as_single()).flatten();
                    found.extend(value.map(|value| ((object, field), value)));
                }
            }
        }
    }
    found
}

/// Whether more is told apart now.
fn tell(told: &mut Distinctions, field: Field, values: &[i32]) -> bool {
    let own = told.values.entry(field).or_default();
    let before = own.len();
    own.extend(values);
    own.sort_unstable();
    own.dedup();
    own.len() > before
}

fn symbolic_names(analysis: &Analysis<'_>) -> Distinctions {
    let mut told = Distinctions::default();
    for (index, object) in analysis.world.object_indices() {
        let fields = &analysis.system.model.channel_types[object.channel_type.0 as usize].fields;
        for (field, kind) in fields.iter().enumerate() {
            if matches!(kind.scalar, Scalar::Mtype(_)) {
                let values: BTreeSet<i32> = object
                    .classes
                    .values()
                    .filter_map(|values| values[field].as_set())
                    .flatten()
                    .copied()
                    .collect();
                told.values.insert((index, field), values.into_iter().collect());
            }
        }
    }
    told
}

/// What is received into a variable and sent on is told apart as finely as what is sent (Ciclo VI-B, figure 4), over any number of
/// stations.
fn with_links(analysis: &Analysis<'_>, mut told: Distinctions) -> Distinctions {
    let links = links(analysis, Followed::All);
    loop {
        let mut changed = false;
        for (received, sent) in &links {
            let wanted = told.values.get(sent).cloned().unwrap_or_default();
            changed |= tell(&mut told, *received, &wanted);
        }
        if !changed {
            told.values.retain(|_, values| !values.is_empty());
            return told;
        }
    }
}

/// A field of the messages of a channel.
type Field = (ObjectIndex, usize);

/// Which variables link what is received to what is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Followed {
    /// All.
    All,
    /// Those that nothing is assigned to: they hold what was received.
    OnlyReceived,
}

/// Local slots that an assignment of these processes may modify.
fn assigned_slots(analysis: &Analysis<'_>, group: &Group) -> BTreeSet<u32> {
    let places = statements(analysis, group).filter_map(|(_, action)| match action {
        Action::Assign { place, .. } if place.frame == Frame::Local => Some(place),
        _ => None,
    });
    places.flat_map(cells_of).map(|(_, slot)| slot).collect()
}

/// Fields that are received into a local variable from which another one is sent.
fn links(analysis: &Analysis<'_>, followed: Followed) -> BTreeSet<(Field, Field)> {
    let mut links = BTreeSet::new();
    for group in &analysis.world.groups {
        let assigned = match followed {
            Followed::All => BTreeSet::new(),
            Followed::OnlyReceived => assigned_slots(analysis, group),
        };
        let mut received: Vec<(Field, &Place)> = Vec::new();
        let mut sent: Vec<(Field, &Place)> = Vec::new();
        for (node, action) in statements(analysis, group) {
            let view = view_of(analysis, group, node);
            match action {
                Action::Receive { channel, arguments, .. } => {
                    let places = arguments.iter().map(|argument| match argument {
                        ReceiveArgument::Store(place) => Some(place),
                        _ => None,
                    });
                    received.extend(fields(&channels(channel, &view), places));
                }
                Action::Send { channel, arguments, .. } => {
                    let places = arguments.iter().map(|argument| match &argument.kind {
                        ExprKind::Read(place) => Some(place),
                        _ => None,
                    });
                    sent.extend(fields(&channels(channel, &view), places));
                }
                _ => {}
            }
        }
        for (to, place) in &sent {
            let is_same = |other: &Place| {
                (other.frame, other.base) == (place.frame, place.base)
                    && other.indices.is_empty()
                    && place.indices.is_empty()
                    && !(place.frame == Frame::Local && assigned.contains(&place.base))
            };
            let from = received.iter().filter(|(_, other)| is_same(other));
            links.extend(from.map(|(from, _)| (*from, *to)));
        }
    }
    links
}

fn fields<'s>(
    channels: &crate::values::sets::Values,
    places: impl Iterator<Item = Option<&'s Place>>,
) -> Vec<(Field, &'s Place)> {
    let objects: Vec<ObjectIndex> =
        channels.as_set().unwrap_or_default().iter().filter_map(|&value| object_of(value)).collect();
    let places: Vec<(usize, &Place)> =
        places.enumerate().filter_map(|(field, place)| Some((field, place?))).collect();
    let of_one = |object| places.iter().map(move |&(field, place)| ((object, field), place));
    objects.into_iter().flat_map(of_one).collect()
}

fn statements<'a>(
    analysis: &'a Analysis<'_>,
    group: &'a Group,
) -> impl Iterator<Item = (&'a Node, &'a Action)> {
    let flow = &analysis.flows[group.automaton.0 as usize];
    group
        .nodes
        .iter()
        .flat_map(move |node| flow.arcs(node.key.point).iter().map(move |arc| (node, arc.action)))
}

fn view_of<'a>(analysis: &'a Analysis<'_>, group: &'a Group, node: &'a Node) -> View<'a> {
    let locals = Cow::Borrowed(&node.locals[..]);
    View { world: &analysis.world, pid: &group.pid, locals, known_globals: Vec::new() }
}

/// The message types of an analysed system.
pub(super) fn message_types(analysis: &Analysis<'_>, choice: MessageTypes) -> Vec<MessageType> {
    let system = analysis.system;
    let answers = if choice == MessageTypes::Optimal { answers(analysis) } else { BTreeMap::new() };
    let waited_for = waited_for(analysis);
    let mut out = Vec::new();
    for (index, object) in analysis.world.object_indices() {
        let channel_type = &system.model.channel_types[object.channel_type.0 as usize];
        let mut sets: BTreeMap<(Option<&Answers>, Option<&ClassKey>), Vec<ClassKey>> = BTreeMap::new();
        for class in object.classes.keys() {
            let key = match choice {
                MessageTypes::Optimal => (answers.get(&(index, class.clone())), None),
                MessageTypes::Coarse | MessageTypes::Fine | MessageTypes::Sent => (None, Some(class)),
            };
            sets.entry(key).or_default().push(class.clone());
        }
        if choice == MessageTypes::Sent && sets.is_empty() && waited_for.contains(&index) {
            sets.insert((None, None), Vec::new());
        }
        for classes in sets.into_values() {
            let fields: Vec<String> = channel_type
                .fields
                .iter()
                .enumerate()
                .map(|(field, kind)| match classes.first().and_then(|class| class[field]) {
                    Some(value) if classes.iter().all(|class| class[field] == Some(value)) => {
                        field_text(system, kind.scalar, value)
                    }
                    _ => "_".to_string(),
                })
                .collect();
            let name = format!("{}: {}", object_name(analysis, index), fields.join(","));
            let counts = match channel_type.capacity {
                0 => Counts::Meetings,
                _ => Counts::Messages,
            };
            out.push(MessageType { name, counts, object: Some(index), classes });
        }
    }
    out
}

/// Channels from which somebody receives. What nobody sends to them is a type all the same (Ciclo VI-A: RECEIVE is part of FINAL).
fn waited_for(analysis: &Analysis<'_>) -> BTreeSet<ObjectIndex> {
    let mut found = BTreeSet::new();
    for group in &analysis.world.groups {
        for (node, action) in statements(analysis, group) {
            let Action::Receive { channel, .. } = action else { continue };
            let objects = channels(channel, &view_of(analysis, group, node));
            found.extend(objects.as_set().unwrap_or_default().iter().filter_map(|&value| object_of(value)));
        }
    }
    found
}

/// What counts how many processes of a proctype are started and not begun yet: a cycle that starts one puts one, and a replication
/// transition takes one. The papers leave the two unrelated; without that more is proved.
pub(super) fn processes_started(system: &System, automaton: AutomatonId) -> MessageType {
    MessageType {
        name: format!("processes: {}", system.automaton(automaton).name),
        counts: Counts::Processes(automaton),
        object: None,
        classes: Vec::new(),
    }
}

fn field_text(system: &System, scalar: Scalar, value: i32) -> String {
    match scalar {
        Scalar::Mtype(set) => promela::print::value_text(&system.model, Some(set), value),
        _ => value.to_string(),
    }
}

/// How each receive answers to a class: not at all, or by these values of the fields that it asks for or passes on.
type Answers = Vec<Option<Vec<Option<i32>>>>;

/// What all receives make of each class: classes with equal answers are told apart by none.
fn answers(analysis: &Analysis<'_>) -> BTreeMap<(ObjectIndex, ClassKey), Answers> {
    let passed_on: BTreeSet<Field> =
        links(analysis, Followed::All).into_iter().map(|(received, _)| received).collect();
    let mut answers: BTreeMap<(ObjectIndex, ClassKey), Answers> = BTreeMap::new();
    for group in &analysis.world.groups {
        for (node, action) in statements(analysis, group) {
            let Action::Receive { channel, arguments, .. } = action else { continue };
            let view = view_of(analysis, group, node);
            let objects = channels(channel, &view);
            let objects = objects.as_set().unwrap_or_default().iter().filter_map(|&value| object_of(value));
            for object in objects {
                for (class, fields) in &analysis.world.object(object).classes {
                    let asked = arguments.iter().enumerate().filter(|(field, argument)| match argument {
                        ReceiveArgument::Match(_) => true,
                        _ => passed_on.contains(&(object, *field)),
                    });
                    let answer = may_receive(&view, arguments, fields)
                        .then(|| asked.map(|(field, _)| class[field]).collect());
                    answers.entry((object, class.clone())).or_default().push(answer);
                }
            }
        }
    }
    answers
}
