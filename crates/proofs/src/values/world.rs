//! What an analysis knows of a system: channels, groups of processes, their nodes, and what is in variables and buffers.
//!
//! A [`World`] is grown by [`crate::values::analysis`] to a fixed point and then only read. It mirrors the claims of a certificate:
//! what is written here is claimed there, and checked with code of its own.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use promela::model::{ChannelTypeId, Frame};
use system::automaton::AutomatonId;

use crate::values::evaluate::{Environment, FIRST_CHANNEL};
use crate::values::flow::PointId;
use crate::values::sets::Values;

/// Index into [`World::objects`]: a channel, or the channels of one slot of all processes of a group.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ObjectIndex(pub u32);
/// Index into [`World::groups`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct GroupIndex(pub u32);
/// Index into [`Group::nodes`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeIndex(pub u32);

/// Which variables the nodes of each automaton are split by.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Tracking {
    /// Local slots, ascending, for each automaton.
    pub locals: Vec<Vec<u32>>,
    /// Global slots, ascending, for each automaton (only where groups have one process).
    pub globals: Vec<Vec<u32>>,
    /// For each automaton, tracked local slots of which only intervals are told apart: where each but the first begins, ascending.
    pub cuts: Vec<BTreeMap<u32, Vec<i32>>>,
    /// For each automaton, tracked local slots that are guessed to have no other values than these, sorted.
    pub guesses: Vec<BTreeMap<u32, Values>>,
    /// Receivers that follow the order of their sender.
    pub shadows: Vec<ShadowWish>,
}

/// A receiver that is to follow the order in which a sender sent to a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ShadowWish {
    /// Who receives.
    pub receiver: AutomatonId,
    /// From which variable: its first slot.
    pub slot: u32,
    /// How many slots it has; each is a buffer of its own.
    pub slots: u32,
    /// Who sends.
    pub sender: AutomatonId,
}

/// Values of message fields that are told apart, for each field of each object.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Distinctions {
    /// Sorted values; everything else is "the rest".
    pub values: HashMap<(ObjectIndex, usize), Vec<i32>>,
}

/// Everything that is known.
#[derive(Clone, Debug)]
pub struct World {
    /// Channels.
    pub objects: Vec<Object>,
    /// Processes.
    pub groups: Vec<Group>,
    /// Values of each global slot.
    pub globals: Vec<Values>,
    /// Groups by what makes them one.
    pub group_index: HashMap<GroupKey, GroupIndex>,
    /// Objects by where they are declared.
    pub object_index: HashMap<Declared, ObjectIndex>,
    /// Which values of message fields are told apart.
    pub distinctions: Distinctions,
    /// All channels are declared globally, so that there are no others, however the world grows.
    pub creates_no_channels: bool,
}

/// Where a channel is declared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Declared {
    /// At a global slot.
    Global(u32),
    /// At a local slot of a group.
    Local(GroupIndex, u32),
}

/// A channel of the analysis.
#[derive(Clone, Debug)]
pub struct Object {
    /// Where it is declared.
    pub declared: Declared,
    /// Its type.
    pub channel_type: ChannelTypeId,
    /// The messages that may be in it, by class.
    pub classes: BTreeMap<ClassKey, Vec<Values>>,
    /// How often the classes have changed, for widening.
    pub changes: u32,
}

/// For each field the value that the class has there, or `None` for all that are not told apart.
pub type ClassKey = Vec<Option<i32>>;

/// What makes processes one group.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum GroupKey {
    /// Started by itself: automaton and pid.
    Initial(AutomatonId, i32),
    /// Started by `run` with these arguments; `None` where any that occurs is meant.
    Run(AutomatonId, Vec<Option<i32>>),
}

/// Processes that the analysis does not tell apart.
#[derive(Clone, Debug)]
pub struct Group {
    /// Their control flow.
    pub automaton: AutomatonId,
    /// What makes them one group.
    pub key: GroupKey,
    /// Their `_pid`.
    pub pid: Values,
    /// Their parameters' values (they grow where the key says `None`).
    pub arguments: Vec<Values>,
    /// Global slots that their nodes are split by: of those wished for, the ones that these processes look at or write.
    pub tracked_globals: Vec<u32>,
    /// Where they may stand.
    pub nodes: Vec<Node>,
    /// Where new processes stand.
    pub start: BTreeSet<NodeIndex>,
    /// Values of every local slot of a new process.
    pub first: Vec<Values>,
    /// Nodes by key.
    pub node_index: HashMap<NodeKey, NodeIndex>,
}

/// What tells nodes of a group apart.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeKey {
    /// Where the process stands.
    pub point: PointId,
    /// Values of the tracked local slots; where intervals are told apart, the least value of the interval.
    pub locals: Vec<i32>,
    /// Values of the tracked global slots.
    pub globals: Vec<i32>,
    /// Where each shadow stands: an index into the nodes of the sender's auxiliary graph.
    pub shadows: Vec<u32>,
}

/// A place where a process of a group may stand.
#[derive(Clone, Debug)]
pub struct Node {
    /// What tells it apart.
    pub key: NodeKey,
    /// Values of every local slot.
    pub locals: Vec<Values>,
    /// How often they changed, for widening.
    pub changes: u32,
}

impl World {
    /// The object with this index.
    pub fn object(&self, index: ObjectIndex) -> &Object {
        &self.objects[index.0 as usize]
    }

    /// The group with this index.
    pub fn group(&self, index: GroupIndex) -> &Group {
        &self.groups[index.0 as usize]
    }

    /// All groups with their indices.
    pub fn group_indices(&self) -> impl Iterator<Item = (GroupIndex, &Group)> {
        self.groups.iter().enumerate().map(|(index, group)| (GroupIndex(index as u32), group))
    }

    /// All objects with their indices.
    pub fn object_indices(&self) -> impl Iterator<Item = (ObjectIndex, &Object)> {
        self.objects.iter().enumerate().map(|(index, object)| (ObjectIndex(index as u32), object))
    }

    /// The class of messages that a tuple of single choices belongs to, field by field: each part of the field's values with its key.
    pub fn field_parts(
        &self,
        object: ObjectIndex,
        field: usize,
        values: &Values,
    ) -> Vec<(Option<i32>, Values)> {
        let Some(distinct) = self.distinctions.values.get(&(object, field)) else {
            return vec![(None, values.clone())];
        };
        let mut parts: Vec<(Option<i32>, Values)> = Vec::new();
        match values {
            Values::Set(set) => {
                let (told, rest): (Vec<i32>, Vec<i32>) =
                    set.iter().partition(|value| distinct.binary_search(value).is_ok());
                parts.extend(told.into_iter().map(|value| (Some(value), Values::single(value))));
                if !rest.is_empty() {
                    parts.push((None, Values::Set(rest.into())));
                }
            }
            Values::Range(low, high) => {
                parts.extend(
                    distinct
                        .iter()
                        .filter(|value| values.contains(**value))
                        .map(|&value| (Some(value), Values::single(value))),
                );
                parts.push((None, Values::Range(*low, *high)));
            }
        }
        parts
    }
}

impl Group {
    /// The node with this index.
    pub fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index.0 as usize]
    }
}

/// What a process of a group sees while it stands in a node.
#[derive(Clone, Debug)]
pub struct View<'w> {
    /// The world.
    pub world: &'w World,
    /// The process's pid.
    pub pid: &'w Values,
    /// The process's frame; mostly the node's own.
    pub locals: Cow<'w, [Values]>,
    /// Global slots of which more is known here.
    pub known_globals: Vec<(u32, Values)>,
}

impl Environment for View<'_> {
    fn slot(&self, frame: Frame, slot: u32) -> Values {
        match frame {
            Frame::Local => self.locals.get(slot as usize).cloned().unwrap_or_else(Values::all),
            Frame::Global => match self.known_globals.iter().find(|(known, _)| *known == slot) {
                Some((_, values)) => values.clone(),
                None => self.world.globals[slot as usize].clone(),
            },
        }
    }

    fn pid(&self) -> Values {
        self.pid.clone()
    }

    fn length(&self, channels: &Values) -> Values {
        match channels {
            Values::Set(values) => {
                let may_hold = values.iter().any(|&value| {
                    object_of(value).is_some_and(|object| !self.world.object(object).classes.is_empty())
                });
                if may_hold { Values::range(0, i32::MAX) } else { Values::single(0) }
            }
            Values::Range(..) => Values::range(0, i32::MAX),
        }
    }

    fn is_one_channel(&self, channel: i32) -> bool {
        object_of(channel).is_some_and(|object| match self.world.object(object).declared {
            Declared::Global(_) => true,
            Declared::Local(group, _) => matches!(self.world.group(group).key, GroupKey::Initial(..)),
        })
    }
}

/// The object that a channel's value stands for; `None` for "no channel".
pub fn object_of(value: i32) -> Option<ObjectIndex> {
    (value >= FIRST_CHANNEL).then(|| ObjectIndex((value - FIRST_CHANNEL) as u32))
}

/// The value of a variable that denotes the object.
pub fn value_of(object: ObjectIndex) -> i32 {
    FIRST_CHANNEL + object.0 as i32
}
