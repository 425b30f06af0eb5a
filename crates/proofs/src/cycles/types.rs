//! Which messages count as one type (IBOC, section 3.1; Ciclo, section VI).
//!
//! The value analysis tells messages apart by the values of their fields: classes. A message type is a set of classes of one channel,
//! and any choice of such sets is sound, because whoever counts sets of classes together only forgets which of them it was.

use std::collections::{BTreeMap, BTreeSet};

use promela::model::{ExprKind, Place, ReceiveArgument, Scalar};
use system::automaton::{Action, AutomatonId, System};

use super::{Counts, MessageType};
use crate::values::analysis::Analysis;
use crate::values::evaluate::channels;
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
    #[default]
    Optimal,
}

/// The values of fields by which the analysis is to tell messages apart, given those that receives ask for.
pub(super) fn told_apart(analysis: &Analysis<'_>, asked: Distinctions, choice: MessageTypes) -> Distinctions {
    match choice {
        MessageTypes::Coarse => symbolic_names(analysis),
        MessageTypes::Fine | MessageTypes::Optimal => with_links(analysis, asked),
    }
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
    let links = links(analysis);
    loop {
        let mut changed = false;
        for (received, sent) in &links {
            let wanted = told.values.get(sent).cloned().unwrap_or_default();
            let own = told.values.entry(*received).or_default();
            let before = own.len();
            own.extend(wanted);
            own.sort_unstable();
            own.dedup();
            changed |= own.len() > before;
        }
        if !changed {
            told.values.retain(|_, values| !values.is_empty());
            return told;
        }
    }
}

/// A field of the messages of a channel.
type Field = (ObjectIndex, usize);

/// Fields that are received into a local variable from which another one is sent.
fn links(analysis: &Analysis<'_>) -> BTreeSet<(Field, Field)> {
    let mut links = BTreeSet::new();
    for group in &analysis.world.groups {
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

fn view_of<'a>(analysis: &'a Analysis<'_>, group: &'a Group, node: &Node) -> View<'a> {
    View { world: &analysis.world, pid: &group.pid, locals: node.locals.clone(), known_globals: Vec::new() }
}

/// The message types of an analysed system.
pub(super) fn message_types(analysis: &Analysis<'_>, choice: MessageTypes) -> Vec<MessageType> {
    let system = analysis.system;
    let answers = if choice == MessageTypes::Optimal { answers(analysis) } else { BTreeMap::new() };
    let mut out = Vec::new();
    for (index, object) in analysis.world.object_indices() {
        let channel_type = &system.model.channel_types[object.channel_type.0 as usize];
        let mut sets: BTreeMap<(Option<&Answers>, Option<&ClassKey>), Vec<ClassKey>> = BTreeMap::new();
        for class in object.classes.keys() {
            let key = match choice {
                MessageTypes::Optimal => (answers.get(&(index, class.clone())), None),
                MessageTypes::Coarse | MessageTypes::Fine => (None, Some(class)),
            };
            sets.entry(key).or_default().push(class.clone());
        }
        for classes in sets.into_values() {
            let fields: Vec<String> = channel_type
                .fields
                .iter()
                .enumerate()
                .map(|(field, kind)| match classes[0][field] {
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
    let passed_on: BTreeSet<Field> = links(analysis).into_iter().map(|(received, _)| received).collect();
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
