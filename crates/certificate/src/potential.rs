//! Potentials: integer weights for messages and for places, and what they prove.
//!
//! The potential of a configuration is Σ weight of each message + Σ over processes of the weight of the node that it
//! stands in + Σ over trackers of the weight of their node + Σ over numbers of weight times value. Weights that are not listed are 0. Everything is an exact
//! integer; a common denominator makes rationals of them. A number is in a range, so its part is never less than the least that its weight makes of the range:
//! where other weights must not be negative, what is missing to 0 is added to the initial value.
//!
//! # What each proof must satisfy (and the checker verifies)
//!
//! **Bound** of one buffer by `at_most`. For each case: no transition increases the potential; all message weights are >= 0
//! and those of the buffer's classes >= `denominator`; all node weights are >= 0, except as below. Without `after`, the case shows
//! at most floor(initial / denominator). With `after = {group, nodes}` it speaks of the moments just after a send into the
//! buffer by a process of that group which arrives at one of those nodes; it shows at most floor((initial - weight of
//! the node) / denominator), and if the group is claimed `at_most` 1, its nodes may have weights of either sign. Either there is one case
//! without `after`, or every arrival of a send into the buffer is in some case. `at_most` is exactly the largest of the cases.
//! With the reading [`crate::verdict::Capacities::Declared`] message weights of *other* channels (no others than global
//! ones, or those of processes that do not end) may be negative: a channel of capacity c whose least weight is -v adds c·v to the initial value.
//! With that reading, no case at all shows that one channel holds at most what it has room for, exactly its capacity.
//!
//! **Guarded**: a buffer holds at most `at_most`, because its only sender looks before it sends. The buffer is one channel, and all messages are put into it
//! by processes of a group that is `at_most` 1. For each node of the group there is a number, `at_most` where none is listed: the buffer never
//! holds more while the sender stands there. Others can only take messages. So it is enough that every move of the sender keeps that: from
//! a node's number (or what the guard says, if that is less: `len(q) < 3`, `empty(q)`, or an `else` beside one), one more for a send and
//! one less for a receive, to a number that is not larger.
//!
//! **Bounds** of many buffers by one potential: each as a bound with one case without `after`, whose denominator is the least weight of the buffer's
//! messages (a buffer into which nothing is ever sent holds 0). The potential is written and checked once, however many buffers there are.
//!
//! **Starts**: at most `at_most` processes of a group are ever started (those at the start count). Each start in the group adds
//! `denominator` to the potential on top of what its node weighs; no transition increases it; all weights >= 0;
//! floor((initial + denominator · number at the start) / denominator) is exactly `at_most`.
//!
//! **AllBounded** and **LivelockFree** are trees ([`Stage`]). They speak of a *loop*: a combination of transitions that returns
//! every component to where it was and takes no more messages of any class than it puts. If some buffer could grow for ever, there would
//! be a loop that leaves some message behind; if there could be a livelock, there would be a loop without progress transitions; and in such a loop a
//! component with one token stays within one strongly connected part. A stage has a potential with message weights >= 0 (either sign for
//! classes that are *settled*: from the beginning those of buffers for which the certificate has a proof **Bound** or **Guarded**, since where only
//! finitely many contents are possible there is a loop that returns to the same), weights >= 0 at the nodes of groups without `at_most`, such that no transition that is still allowed
//! increases it. (Livelock: progress transitions are not allowed from the beginning.) Then no loop contains a transition that decreases
//! it (these are no longer allowed), and no loop leaves behind messages of a class with positive weight (these are *settled*).
//! - [`Next::Closed`]. AllBounded: all classes of buffered channels are settled (as declared, every channel has a limit, so nothing is
//!   left to show). LivelockFree: no transition is allowed any more.
//! - [`Next::Split`]: `component` has one token (a group that is `at_most` 1, or a tracker). The transitions that are still allowed
//!   split its nodes into strongly connected parts; for each part that has a transition inside, in the order of their least nodes, there is one
//!   stage in which only the transitions inside that part, or not moving the component, are allowed. If no part has a transition
//!   inside there is exactly one stage, where no transition that moves the component is allowed.
//!
//! **Formula**: every run satisfies a formula of the model. The automaton of the runs that violate it ([`crate::formula::Violations`]) is one more component, the
//! *monitor*: in potentials and splits it is the tracker whose number is that of the trackers, its nodes are pairs of a state and a
//! valuation ([`crate::formula::Violations::node`]). It moves with every transition. `unreached`: potentials which no transition increases, and by which
//! some nodes of the monitor weigh more than there is at the start; what begins or ends there does not happen. `stage`: a tree for runs that go on for
//! ever, from all transitions that are left; it is closed when the transitions of some acceptance set are all gone. `ends`: runs that end stay in
//! their last moment for ever; where the monitor would accept that, not everybody is blocked. If only fair runs count, a stage may also be closed by
//! [`Next::Idle`]: processes that take no part in any transition that is still allowed would each have to be unable to move again and again, and they
//! are not.
//!
//! **Blocked**: a tree of cases in which somebody (for `ends` everybody) cannot move. In a case some components stand in known nodes. A process that cannot move at a
//! receive of whatever may be in a buffer stands before an empty one, at a send before one that is not empty. [`Blocked::Split`]: a case for each node in which the component
//! may stand. [`Blocked::Excluded`]: a potential that no transition increases is larger in every configuration of the case than at the start.
//!
//! The flat proofs of boundedness (all weights >= 1, nothing increases) and of progress (everything else decreases) are trees of one
//! stage.

use crate::claims::{ClassId, GroupId, NodeId, NumberId, ObjectId, TrackerId};
use crate::verdict::Fairness;
use serde::{Deserialize, Serialize};
use system::automaton::{Action, EdgeId, System};
use system::progress::StatementId;

/// Weights; whatever is not listed weighs 0. Entries are sorted, distinct, and not 0.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Potential {
    /// Of messages.
    pub messages: Vec<MessageWeight>,
    /// Of nodes of groups.
    pub nodes: Vec<NodeWeight>,
    /// Of nodes of trackers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trackers: Vec<TrackerWeight>,
    /// Of numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<NumberWeight>,
}

/// Each message of a class weighs this much. On a rendezvous channel no message ever stays, so no weight is needed there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageWeight {
    /// The channel.
    pub object: ObjectId,
    /// The class.
    pub class: ClassId,
    /// The weight.
    pub weight: i64,
}

/// Each process of the group that stands in the node weighs this much.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeWeight {
    /// The group.
    pub group: GroupId,
    /// The node.
    pub node: NodeId,
    /// The weight.
    pub weight: i64,
}

/// The tracker weighs this much while it is in the node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrackerWeight {
    /// The tracker.
    pub tracker: TrackerId,
    /// The node.
    pub node: NodeId,
    /// The weight.
    pub weight: i64,
}

/// The number weighs this much times its value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumberWeight {
    /// The number.
    pub number: NumberId,
    /// The weight.
    pub weight: i64,
}

/// What is proved, and how.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Proof {
    /// The buffer never holds more messages than this.
    Bound {
        /// The buffer. If it stands for the channels of several processes: all of them together.
        object: ObjectId,
        /// How many.
        at_most: u64,
        /// See the module's text.
        cases: Vec<BoundCase>,
    },
    /// The buffer never holds more messages than this, because its only sender looks at its length.
    Guarded {
        /// The buffer.
        object: ObjectId,
        /// How many.
        at_most: u64,
        /// The group of the only sender.
        sender: GroupId,
        /// Nodes of the sender where the buffer holds less, ascending.
        known: Vec<KnownLength>,
    },
    /// Each of these buffers never holds more messages than it says: one potential for all of them.
    Bounds {
        /// Ascending by buffer.
        buffers: Vec<BufferBound>,
        /// See the module's text.
        potential: Potential,
    },
    /// No more processes of the group than this are ever started.
    Starts {
        /// The group.
        group: GroupId,
        /// How many.
        at_most: u64,
        /// What a start weighs.
        denominator: i64,
        /// The potential.
        potential: Potential,
    },
    /// Every buffer is bounded.
    AllBounded {
        /// The first stage.
        stage: Stage,
    },
    /// Every infinite run executes progress statements again and again.
    LivelockFree {
        /// Which these are.
        progress: Progress,
        /// The first stage.
        stage: Stage,
    },
    /// Every fair infinite run executes progress statements again and again. Apart from `LivelockFree`, so that nobody takes what fair runs do
    /// for what all runs do.
    FairProgress {
        /// Which these are.
        progress: Progress,
        /// Which runs count.
        fairness: Fairness,
        /// The first stage.
        stage: Stage,
    },
    /// Every run satisfies the formula.
    Formula {
        /// Its name.
        formula: String,
        /// Which runs count.
        #[serde(default, skip_serializing_if = "counts_all")]
        fairness: Fairness,
        /// Each excludes nodes of the monitor.
        unreached: Vec<Potential>,
        /// The first stage, for runs that go on for ever.
        stage: Stage,
        /// For runs that end.
        ends: Blocked,
    },
}

impl Proof {
    /// The formula that it is about.
    pub fn formula(&self) -> Option<&str> {
        match self {
            Proof::Formula { formula, .. } => Some(formula),
            _ => None,
        }
    }
}

fn counts_all(fairness: &Fairness) -> bool {
    *fairness == Fairness::None
}

/// Why somebody is not blocked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Blocked {
    /// No transition increases the potential, and it is larger wherever they are blocked.
    Excluded {
        /// The potential.
        potential: Potential,
    },
    /// A case for each node in which the component may stand, ascending.
    Split {
        /// A group with exactly one process, a tracker, or the monitor.
        component: Component,
        /// The cases.
        parts: Vec<Blocked>,
    },
}

/// While the sender stands in the node, the buffer holds at most this many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownLength {
    /// The node.
    pub node: NodeId,
    /// How many.
    pub at_most: u64,
}

/// A buffer and what it holds at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferBound {
    /// The buffer. If it stands for the channels of several processes: all of them together.
    pub object: ObjectId,
    /// How many messages.
    pub at_most: u64,
}

/// One potential for a bound.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoundCase {
    /// At which moments, if not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Arrival>,
    /// What the buffer's messages weigh at the least; at least 1.
    pub denominator: i64,
    /// The potential.
    pub potential: Potential,
}

/// Just after a send by a process of the group that arrives at one of the nodes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arrival {
    /// The group.
    pub group: GroupId,
    /// The nodes, ascending.
    pub nodes: Vec<NodeId>,
}

/// Which statements are progress (in a rendezvous, one of the two suffices).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Progress {
    /// Statements at a label `progress…`.
    Labels,
    /// These statements and no others.
    At(Vec<ProgressStatement>),
}

impl Progress {
    /// Whether executing a statement is progress: an edge, or with `inside` a choice of a node of its `d_step`.
    pub(crate) fn contains(
        &self,
        system: &System,
        automaton: u32,
        edge: EdgeId,
        inside: Option<(u32, u32)>,
    ) -> bool {
        match self {
            Progress::Labels => {
                let edge = system.automata[automaton as usize].edge(edge);
                edge.progress
                    || match (&edge.action, inside) {
                        (Action::DStep(body), Some((node, choice))) => {
                            body.nodes[node as usize].choices[choice as usize].progress
                        }
                        _ => false,
                    }
            }
            Progress::At(statements) => {
                let is_meant =
                    |inside| statements.contains(&ProgressStatement { automaton, edge: edge.0, inside });
                is_meant(None) || is_meant(inside)
            }
        }
    }
}

/// A statement that is progress.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgressStatement {
    /// Index of the automaton.
    pub automaton: u32,
    /// Index of the edge. A `d_step` as a whole is progress whatever it executes.
    pub edge: u32,
    /// Inside a `d_step`: index of the node and of its choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<(u32, u32)>,
}

impl From<StatementId> for ProgressStatement {
    fn from(statement: StatementId) -> Self {
        let inside = statement.inside.map(|(node, choice)| (node.0, choice));
        ProgressStatement { automaton: statement.automaton.0, edge: statement.edge.0, inside }
    }
}

/// A node of the tree.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// No allowed transition increases it.
    pub potential: Potential,
    /// What is left to show.
    pub next: Next,
}

/// What follows a stage.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Next {
    /// Nothing is left.
    Closed,
    /// One part at a time.
    Split {
        /// The component that stays in one of its parts.
        component: Component,
        /// One stage for each part.
        parts: Vec<Stage>,
    },
    /// The processes of the groups take no part in what is left, and are not all blocked: that is not fair.
    Idle {
        /// The groups, ascending.
        groups: Vec<GroupId>,
        /// Why they are not blocked.
        blocked: Blocked,
    },
    /// The process of the group takes no part in what is left, and some of that lets it move: strong fairness allows this only finitely often.
    Starved {
        /// The group.
        group: GroupId,
        /// For each of its nodes in which it may be blocked, ascending, a stage with what does not let it move there; if it is moved along, one for all
        /// nodes.
        parts: Vec<Stage>,
    },
}

/// A component of the abstraction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Component {
    /// The processes of a group.
    Group(GroupId),
    /// A tracker.
    Tracker(TrackerId),
}
