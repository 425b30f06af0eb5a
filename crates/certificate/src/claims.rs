//! What a certificate claims about a model, before any potential: an inductive invariant.
//!
//! The checker believes none of it. It takes the claims as the set of configurations that may occur, and goes over every
//! statement to see that the claims hold at the start and that no statement leads out of them.
//!
//! # What a configuration must look like
//!
//! - Every **channel** is one of [`Claims::objects`]: the channel of a global slot, or of a local slot of a process of a
//!   group (then the object stands for the channels of all processes of the group together).
//! - Every **message** in a buffered channel belongs to one of the object's [`MessageClass`]es: each field's value is in
//!   the class's set for that field; it counts for the first class that it fits. (On a rendezvous channel, classes say what is
//!   handed over, in the same way.)
//! - Every **global slot** holds a value of [`Claims::globals`].
//! - Every living **process** belongs to one group of [`Claims::groups`]: its automaton is the group's, its pid and its local
//!   slots have values in the group's sets. A `run P(…)` starts a process in the first group of `P` whose sets for the
//!   parameters contain the arguments (pieces of the arguments' sets may go to different groups).
//! - A process of a group stands in a **node** of the group's graph: its location is the node's, and each slot that the node
//!   lists has a value in the node's set for it. A slot that a node does not list may have any value of the group's
//!   (or the globals') set. So one node per location that lists nothing is a plain control-flow graph; a node per value of
//!   a slot is a tracked variable; a node that lists larger sets is a claim that holds at one location only. A dead
//!   variable is simply not listed. A node may list *global* slots: these are tracked jointly with the process.
//! - Each of [`Claims::trackers`] is a component of its own which follows some global slots; it is always in one of its nodes.
//!
//! # Nodes and transitions
//!
//! Transitions are nowhere listed: the checker computes them. For each node and each edge of its location it evaluates
//! the statement over the node's sets; what comes out (a set for each slot) must be covered by nodes at the target location; if
//! several nodes are needed, each takes the part that the nodes listed before it leave. Then
//! - a send adds a message to each class that meets the arguments' sets (one alternative each); a receive takes one of each
//!   class that may match, and stores that class's values;
//! - guards are used: `x < 2` at a node where `x` is 5 is no transition, and after it the sets are narrowed; `else` is narrowed
//!   by the negation of the conditions beside it;
//! - a statement that reads or writes a slot of a tracker has an alternative for each node of that tracker; if it writes the slot, or the
//!   nodes of the process list it, the transition moves the tracker (perhaps from a node to itself), and is possible only there;
//! - a write to a global slot moves, besides the process itself, the trackers of that slot, and every other process whose
//!   node lists that slot (from each of its nodes that agree with the values before);
//! - `run` puts a process at the first node that covers location `initial` and the initial frame; the closing brace takes it away;
//! - the inside of a `d_step` has nodes of its own ([`Point::Inside`]): its statements are transitions like others, so that every
//!   point inside counts (a peak inside is a peak). Entering: the edge's [`Point::At`] node has the transitions of the choices of
//!   d_step node 0, which lead to `Inside` nodes or, if a choice ends the `d_step`, to the edge's target.
//!
//! # Shadows
//!
//! A buffer is first-in first-out. If the messages of some classes of an object are sent by one process only, with `!`, and
//! received by one process only, with `?`, then what the receiver takes next follows the sender's control flow. An [`Auxiliary`]
//! graph is a second, coarser graph of the sender; a node of the receiver's graph names, for each of the group's [`Shadow`]s,
//! an auxiliary node: the one where the sender stood just after it had sent the message that was last received (or
//! its initial one). A receive of a class that the sender sends moves the shadow along any path of the auxiliary graph
//! that sends nothing to the object, followed by one transition that sends this class to the object.
//!
//! # Linear invariants
//!
//! Some values occur in no run although no single statement shows it: a sender's credits stay below a limit because credits are conserved. A
//! [`LinearInvariant`] is a potential with weights >= 0 that no transition increases; at the start it is `total`. So a process never
//! stands in a node that alone weighs more, and never takes a message that weighs more together with the node. Such statements are no transitions: they need not keep
//! the claims. All of this is one invariant: where the claims hold and every potential is at most its total, only statements that none of them
//! excludes can be executed, and these keep the claims and let none of them grow.
//!
//! # Numbers
//!
//! A [`Number`] is an integer variable, or the sum or difference of two, as Promela computes it: with 32 bits. It is always in its range, and in a smaller one
//! while a process stands in a node for which [`Number::known`] says so. The checker shows both by itself: from the guard that leads to the node, from what
//! nobody else can do meanwhile (inside of `atomic` and `d_step`), and from linear invariants that weigh the number. A number that stays in its range does not
//! wrap, so potentials may weigh it: its weight times how much it changes.

use crate::potential::Potential;
use crate::values::{Interval, Values, subtract};
use serde::{Deserialize, Serialize};
use system::automaton::System;

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into a vector.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index!(
    /// Index into [`Claims::objects`].
    ObjectId
);
index!(
    /// Index into [`Object::classes`] of some object.
    ClassId
);
index!(
    /// Index into [`Claims::groups`].
    GroupId
);
index!(
    /// Index into [`Group::nodes`], [`Tracker::nodes`] or [`Auxiliary::nodes`].
    NodeId
);
index!(
    /// Index into [`Claims::trackers`].
    TrackerId
);
index!(
    /// Index into [`Claims::auxiliaries`].
    AuxiliaryId
);
index!(
    /// Index into [`Claims::numbers`].
    NumberId
);

/// The invariant. See the module's text for what it means.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    /// Every channel that may exist.
    pub objects: Vec<Object>,
    /// For each slot of the global frame, in order, the values that it may hold.
    pub globals: Vec<Values>,
    /// Every process that may exist.
    pub groups: Vec<Group>,
    /// Global slots that are followed in components of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trackers: Vec<Tracker>,
    /// Coarser graphs of groups, for shadows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub auxiliaries: Vec<Auxiliary>,
    /// Potentials that exclude nodes and receives.
    #[serde(rename = "bars", default, skip_serializing_if = "Vec::is_empty")]
    pub invariants: Vec<LinearInvariant>,
    /// Integers that stay in a range and that potentials may weigh.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<Number>,
}

impl Claims {
    /// Whether a process can belong to the group at all. A process belongs to the first group of its proctype whose sets for `_pid` and
    /// for the parameters contain its number and its arguments, so a group behind others that contain all of its own is empty.
    pub fn can_have_members(&self, system: &System, group: GroupId) -> bool {
        let members = |group: &Group| -> Vec<Values> {
            let parameters = system.model.proctypes[group.automaton as usize].parameters as usize;
            std::iter::once(&group.pid).chain(group.slots.iter().take(parameters)).cloned().collect()
        };
        let Some(claimed) = self.groups.get(group.index()) else { return false };
        let mut rest = vec![members(claimed)];
        for other in self.groups[..group.index()].iter().filter(|g| g.automaton == claimed.automaton) {
            let taken = members(other);
            let mut left = Vec::new();
            for part in rest {
                subtract(&part, &taken, &mut left);
            }
            rest = left;
        }
        rest.iter().any(|part| !part.iter().any(Values::is_empty))
    }
}

/// What weighs more than there ever is, is never there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinearInvariant {
    /// Its value at the start, exactly.
    pub total: i64,
    /// No transition increases it; all weights >= 0.
    pub potential: Potential,
}

/// An integer variable, or two of them added or subtracted, with the range that it never leaves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Number {
    /// One variable or two, ascending; the first is added.
    pub terms: Vec<NumberTerm>,
    /// The range.
    pub range: Interval,
    /// Smaller ranges for the time that a process stands in a node, ascending by group and node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<KnownRange>,
}

impl Number {
    /// The range while a process stands in the node, or at all times.
    pub fn range_at(&self, at: Option<(GroupId, NodeId)>) -> Interval {
        let is_there = |known: &&KnownRange| Some((known.group, known.node)) == at;
        self.known.iter().find(is_there).map_or(self.range, |known| known.range)
    }
}

/// A variable of a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumberTerm {
    /// Its slot; if it is a local one, that of the only process of a group that has one from the start and for ever.
    pub place: ObjectPlace,
    /// It is subtracted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub subtracted: bool,
}

/// What is known of a number while some process of the group stands in the node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownRange {
    /// The group.
    pub group: GroupId,
    /// The node.
    pub node: NodeId,
    /// The range.
    pub range: Interval,
}

/// A channel, or the channels of all processes of a group that are declared at one slot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Object {
    /// Where it is declared.
    pub place: ObjectPlace,
    /// What may be in it (or, on a rendezvous channel, handed over).
    pub classes: Vec<MessageClass>,
}

/// A slot: that whose initialiser creates a channel, or that of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum ObjectPlace {
    /// A slot of the global frame.
    Global {
        /// The slot.
        slot: u32,
    },
    /// A local slot of the processes of a group.
    Local {
        /// The group.
        group: GroupId,
        /// The slot.
        slot: u32,
    },
}

/// Messages that the proof does not tell apart: those with each field in the field's set.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageClass {
    /// One set for each field of the channel's type.
    pub fields: Vec<Values>,
}

/// Processes of one automaton that the proof does not tell apart, and their control-flow graph.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Index of the automaton in the system.
    pub automaton: u32,
    /// How many processes of the group are ever started, if that is claimed. It needs a proof
    /// ([`crate::potential::Proof::Starts`]) unless no `run` may start one; then it must be the number at the start.
    pub at_most: Option<u32>,
    /// Values of `_pid`. What a `run` starts may have any pid from 1 up: that of the last process that there may be.
    pub pid: Values,
    /// For each slot of the frame, in order, the values that it may hold.
    pub slots: Vec<Values>,
    /// Shadows that the nodes carry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shadows: Vec<Shadow>,
    /// The graph.
    pub nodes: Vec<Node>,
}

/// A place in a graph.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Where the process stands.
    pub point: Point,
    /// Local slots with sets smaller than the group's, in ascending order of slots.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locals: Vec<SlotValues>,
    /// Global slots that are tracked jointly, in ascending order of slots. Empty in an [`Auxiliary`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub globals: Vec<SlotValues>,
    /// For each of the group's shadows the node of its auxiliary graph. Empty in an [`Auxiliary`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shadows: Vec<NodeId>,
}

/// A point of control.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Point {
    /// A location of the automaton.
    At(u32),
    /// Inside the `d_step` of an edge, at one of its nodes (not at node 0: that is the edge's source, unless
    /// the `d_step` loops back to it).
    Inside {
        /// The edge.
        edge: u32,
        /// The node of the `d_step`.
        step: u32,
    },
}

/// The values of one slot.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlotValues {
    /// The slot of the frame.
    pub slot: u32,
    /// Its values.
    pub values: Values,
}

/// A component that follows global slots and no process.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tracker {
    /// Global slots, ascending.
    pub slots: Vec<u32>,
    /// For each node a set for each of the slots.
    pub nodes: Vec<Vec<Values>>,
}

/// A second graph of a group: what a shadow moves on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Auxiliary {
    /// The group whose processes it follows.
    pub group: GroupId,
    /// The graph.
    pub nodes: Vec<Node>,
}

/// A receiver follows the order in which a sender sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shadow {
    /// The buffer between them.
    pub object: ObjectId,
    /// The graph of the sender.
    pub sender: AuxiliaryId,
}
