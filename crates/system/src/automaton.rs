//! The control-flow automata that a model is lowered to: the one intermediate form of the whole tool.
//!
//! A [`System`] is what every engine works on. It owns the [`Model`] (variables, channel types, texts, spans) and adds one
//! [`Automaton`] for each proctype, never claim and event trace. Expressions are the model's own; an [`Edge`] is one
//! statement. What may be executed when, and what it does, is defined in [`crate::interpreter`] and nowhere else.

use crate::code::Code;
use crate::text::Fingerprint;
use promela::model::{ChannelRef, Expr, Model, Place, ProctypeId, ReceiveArgument, Scalar};
use promela::source::Span;

/// Index into [`System::automata`]. The automaton of a proctype has the proctype's index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AutomatonId(pub u32);
/// Index into [`Automaton::locations`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocationId(pub u32);
/// Index into [`Automaton::edges`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EdgeId(pub u32);
/// Index into [`DStep::nodes`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DStepNodeId(pub u32);

/// A model with its automata.
#[derive(Clone, Debug)]
pub struct System {
    /// The model that the automata were made from.
    pub model: Model,
    /// Proctypes first (same index as [`ProctypeId`]), then claims, then the event trace.
    pub automata: Vec<Automaton>,
    /// Automata of the never claims, in the order of [`Model::claims`].
    pub claims: Vec<AutomatonId>,
    /// Automaton of `trace` or `notrace`.
    pub event_trace: Option<AutomatonId>,
    /// Scalars of the global frame, one a slot.
    pub global_slots: Vec<Slot>,
    /// What [`System::fingerprint`] has computed.
    pub(crate) fingerprint: Fingerprint,
    /// What is executed, see [`crate::code`].
    pub code: Code,
}

/// What an automaton stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AutomatonKind {
    /// A proctype or `init`.
    Process(ProctypeId),
    /// A never claim: index into [`Model::claims`].
    Claim(u32),
    /// `trace`, or `notrace` if negated.
    EventTrace {
        /// `notrace`.
        negated: bool,
    },
}

/// The control flow of one proctype, claim or event trace.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// Its name in the source; `:init:` for `init`.
    pub name: String,
    /// What it stands for.
    pub kind: AutomatonKind,
    /// Scalars of its frame, one a slot; parameters first.
    pub slots: Vec<Slot>,
    /// Where it starts.
    pub initial: LocationId,
    /// Only locations that the initial one can reach.
    pub locations: Vec<Location>,
    /// All edges, grouped by source.
    pub edges: Vec<Edge>,
    /// The [`Location::number`] at which each label stands, sorted by name; some are at places that are no location.
    pub labels: Vec<(String, u32)>,
    /// SPIN's number of the statement that each edge executes; one that is an option does not stand at the location with its number.
    pub statement_numbers: Vec<u32>,
    /// How many numbers SPIN uses up for the body.
    pub number_count: u32,
}

/// One scalar of a frame.
#[derive(Clone, PartialEq, Debug)]
pub struct Slot {
    /// The variable with indices and fields, such as `node[2].queue`.
    pub name: String,
    /// Its type.
    pub scalar: Scalar,
    /// Nothing reads it: assignments to it are dropped, so that it is not part of the state.
    pub hidden: bool,
}

/// A point between statements.
#[derive(Clone, Debug)]
pub struct Location {
    /// SPIN's number of the state, for comparison and for `pc_value`.
    pub number: u32,
    /// Edges that leave it, in the order in which they are tried: escapes of `unless` first, `else` last.
    pub edges: Vec<EdgeId>,
    /// Labels of the source that stand here (all, in source order).
    pub labels: Vec<String>,
    /// A valid end state: an `end…` label or the closing brace.
    pub end: bool,
    /// A `progress…` label, as SPIN reads it: who stands here makes progress.
    pub progress: bool,
    /// An `accept…` label.
    pub accept: bool,
    /// The statement that stands here.
    pub span: Span,
}

/// One statement between two locations.
#[derive(Clone, Debug)]
pub struct Edge {
    /// From.
    pub source: LocationId,
    /// To. For [`Action::End`] the process is gone and this is the source.
    pub target: LocationId,
    /// What it asks for and does.
    pub action: Action,
    /// Executing it keeps (or gives) the process exclusive control, because the target lies inside the same `atomic`.
    pub atomic: bool,
    /// 0 for the statement itself; escapes of `unless` have the number of their group. If an edge of one group can be
    /// executed, edges of the groups tried after it cannot.
    pub escape: u32,
    /// Local slots that are set to zero after it, because nothing reads them before they are written again. This is
    /// SPIN's dead variable elimination; it makes states equal that differ in nothing that matters.
    pub dead: Vec<u32>,
    /// Labels of the source whose statement it is, see [`crate::progress`].
    pub labels: Vec<String>,
    /// One of them is a `progress…` label: executing it is progress.
    pub progress: bool,
    /// The statement's text as SPIN prints it.
    pub text: String,
    /// Where the statement stands.
    pub span: Span,
}

/// What a statement asks for and does.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Always executable, does nothing: `skip`, and a `goto` or `break` that is an option of its own.
    Skip,
    /// Executable if no edge is that is tried before it: one that stands earlier at the location. Edges after it are tried
    /// regardless, and there may be several.
    Else,
    /// Executable if the value is not zero. May contain `run`.
    Condition(Expr),
    /// `place = value`
    Assign {
        /// What is assigned to.
        place: Place,
        /// The value.
        value: Expr,
    },
    /// A send; on a channel of capacity 0 together with a receive of another process.
    Send {
        /// To which channel.
        channel: ChannelRef,
        /// `!!`
        sorted: bool,
        /// One for each field of the channel's type.
        arguments: Vec<Expr>,
    },
    /// A receive.
    Receive {
        /// From which channel.
        channel: ChannelRef,
        /// `??`
        random: bool,
        /// `?<…>`: the message stays.
        copy: bool,
        /// One for each field of the channel's type.
        arguments: Vec<ReceiveArgument>,
    },
    /// `assert`
    Assert(Expr),
    /// `printf`
    Printf {
        /// As written.
        format: String,
        /// The values.
        arguments: Vec<Expr>,
    },
    /// `printm`
    Printm(Expr),
    /// `set_priority`
    SetPriority {
        /// Whose.
        pid: Expr,
        /// The new one.
        priority: Expr,
    },
    /// The closing brace: the process dies, once all processes that are younger have died.
    End,
    /// A `d_step` sequence: executed as one step, options tried in order.
    DStep(DStep),
}

/// The inside of a `d_step`: a small graph that is run to its end in one go. Node 0 is where it starts.
#[derive(Clone, PartialEq, Debug)]
pub struct DStep {
    /// Its points.
    pub nodes: Vec<DStepNode>,
}

/// A point inside a `d_step`. The first executable choice is taken; none at node 0 means that the step is not
/// executable, none elsewhere is a runtime error.
#[derive(Clone, PartialEq, Debug)]
pub struct DStepNode {
    /// In order; `else` last.
    pub choices: Vec<DStepChoice>,
}

/// A statement inside a `d_step`.
#[derive(Clone, PartialEq, Debug)]
pub struct DStepChoice {
    /// What it does; never `End` or `DStep`.
    pub action: Action,
    /// Where it leads; `None` is the end of the `d_step`.
    pub next: Option<DStepNodeId>,
    /// Labels of the source whose statement it is.
    pub labels: Vec<String>,
    /// One of them is a `progress…` label.
    pub progress: bool,
    /// Where it stands.
    pub span: Span,
}

impl System {
    /// The automaton with this id.
    pub fn automaton(&self, id: AutomatonId) -> &Automaton {
        &self.automata[id.0 as usize]
    }

    /// The system with other numbers of active processes.
    pub fn with_active(mut self, numbers: impl IntoIterator<Item = (ProctypeId, u32)>) -> System {
        for (proctype, number) in numbers {
            self.model.proctypes[proctype.0 as usize].active = number;
        }
        self.fingerprint = Fingerprint::default();
        self
    }

    /// The system with other capacities of its buffers: one number for each declaration of channels, in their order. Rendezvous channels stay
    /// what they are.
    pub fn with_capacities(mut self, rooms: &[u32]) -> System {
        for (channel, &room) in self.model.channel_types.iter_mut().zip(rooms) {
            if channel.capacity > 0 {
                channel.capacity = room.max(1);
            }
        }
        self.fingerprint = Fingerprint::default();
        self
    }

    /// The automata of processes (proctypes and `init`), with their ids.
    pub fn process_automata(&self) -> impl Iterator<Item = (AutomatonId, &Automaton)> {
        let count = self.model.proctypes.len();
        self.automata.iter().take(count).enumerate().map(|(i, a)| (AutomatonId(i as u32), a))
    }
}

impl Automaton {
    /// The location with this id.
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.0 as usize]
    }

    /// The edge with this id.
    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.0 as usize]
    }

    /// The edges that leave a location, in the order in which they are tried.
    pub fn edges_from(&self, id: LocationId) -> impl Iterator<Item = (EdgeId, &Edge)> {
        self.location(id).edges.iter().map(|&e| (e, self.edge(e)))
    }
}

impl Action {
    /// Calls `visitor` for every expression of the statement, the outermost ones only; those in indices and inside a `d_step` are among
    /// them.
    pub fn visit_expressions<'s>(&'s self, visitor: &mut dyn FnMut(&'s Expr)) {
        match self {
            Action::Condition(expr) | Action::Assert(expr) | Action::Printm(expr) => visitor(expr),
            Action::Assign { place, value } => {
                visit_indices(place, visitor);
                visitor(value);
            }
            Action::Send { channel, arguments, .. } => {
                visit_indices(&channel.place, visitor);
                arguments.iter().for_each(visitor);
            }
            Action::Receive { channel, arguments, .. } => {
                visit_indices(&channel.place, visitor);
                for argument in arguments {
                    match argument {
                        ReceiveArgument::Match(expr) => visitor(expr),
                        ReceiveArgument::Store(place) => visit_indices(place, visitor),
                        ReceiveArgument::Discard(_) => {}
                    }
                }
            }
            Action::Printf { arguments, .. } => arguments.iter().for_each(visitor),
            Action::SetPriority { pid, priority } => {
                visitor(pid);
                visitor(priority);
            }
            Action::DStep(body) => {
                let choices = body.nodes.iter().flat_map(|node| &node.choices);
                choices.for_each(|choice| choice.action.visit_expressions(visitor));
            }
            Action::Skip | Action::Else | Action::End => {}
        }
    }
}

fn visit_indices<'s>(place: &'s Place, visitor: &mut dyn FnMut(&'s Expr)) {
    place.indices.iter().for_each(|index| visitor(&index.value));
}
