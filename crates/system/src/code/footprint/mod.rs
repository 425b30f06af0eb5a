//! What a statement reads, writes and asks, besides where its process stands.
//!
//! It is found by following the code that is executed, in a given state or in any, with what is known at each moment ([`follow`]). Whoever needs to
//! know what a statement may do to others, or others to it, asks here and walks over no expression.

mod follow;
pub(crate) mod monitor;

use crate::automaton::{Action, AutomatonId, EdgeId, System};
use crate::interpreter::Interpreter;
use crate::state::{ChannelId, Pid, State};
use follow::{Follower, Known};
use promela::model::{Expr, ProctypeId};
use std::ops::Range;

use super::{Code, Whose};

/// What code may touch.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Footprint {
    /// Global slots that are read.
    pub reads: Slots,
    /// Global slots that are written.
    pub writes: Slots,
    /// Slots of the process's own that are read.
    pub local_reads: Slots,
    /// Slots of the process's own that are written.
    pub local_writes: Slots,
    /// Channels that it sends to, or asks for room to send.
    pub sends: Channels,
    /// Channels that it receives from, or asks for a message to receive.
    pub receives: Channels,
    /// Channels whose contents it looks at in another way: how many messages there are, or which beside the first.
    pub looks: Channels,
    /// Channels that must not be empty: a condition `nempty(c)`.
    pub awaits_message: Channels,
    /// Channels that must not be full: a condition `nfull(c)`.
    pub awaits_room: Channels,
    /// It asks how many processes there are, or whether its own is the youngest.
    pub number_of_processes: bool,
    /// It asks for `_nr_pr`.
    pub process_count: bool,
    /// It asks which number a process has that it starts, and not only whether it was started.
    pub started_numbers: bool,
    /// It asks how many channels there are.
    pub number_of_channels: bool,
    /// It asks for its own number.
    pub pid: bool,
    /// It asks who moved last.
    pub last: bool,
    /// It asks for a priority, or sets one.
    pub priorities: bool,
    /// It asks whether nothing else can move.
    pub timeout: bool,
    /// It asks for, or changes, where the event trace stands.
    pub event_trace: bool,
    /// What it asks other processes.
    pub processes: Asked,
    /// Proctypes of processes that it starts; what their first values are computed from is part of this footprint.
    pub starts: Vec<ProctypeId>,
    /// The process dies, and its channels.
    pub ends: bool,
    /// It may have to wait.
    pub may_block: bool,
    /// It may be executed, or offers a rendezvous.
    pub may_succeed: bool,
    /// It may end in a runtime error.
    pub may_fail: bool,
}

/// What is asked about processes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Asked {
    /// Whether they stand at the location with a number.
    pub labels: Vec<(ProctypeId, Whose, u32)>,
    /// The values of their variables.
    pub variables: Vec<(ProctypeId, Whose)>,
    /// Something else: what they can do, where they stand, which priority they have.
    pub anything: bool,
    /// Some are meant by their numbers.
    pub by_number: bool,
}

impl Asked {
    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.variables.is_empty() && !self.anything
    }
}

/// Slots of a frame.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Slots {
    ranges: Vec<Range<u32>>,
}

impl Slots {
    fn insert(&mut self, range: Range<u32>) {
        if !self.ranges.iter().any(|known| known.start <= range.start && range.end <= known.end) {
            self.ranges.push(range);
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether a slot is one of them.
    pub fn contains(&self, slot: u32) -> bool {
        self.ranges.iter().any(|range| range.contains(&slot))
    }

    /// All of them; some may come twice.
    #[allow(clippy::iter_without_into_iter)]
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.ranges.iter().cloned().flatten()
    }
}

/// Channels of a state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Channels {
    /// These.
    pub known: Vec<ChannelId>,
    /// And some of which nothing is known.
    pub others: bool,
}

impl Channels {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty() && !self.others
    }

    fn insert(&mut self, channels: &follow::Value) {
        match channels {
            follow::Value::Channels(ids) => {
                for id in ids {
                    if !self.known.contains(id) {
                        self.known.push(*id);
                    }
                }
            }
            _ => self.others = true,
        }
    }

    fn contains(&self, id: ChannelId) -> bool {
        self.others || self.known.contains(&id)
    }
}

impl Footprint {
    /// What a statement may touch in any state, wherever it stands: also one inside of a `d_step`.
    pub fn of_statement(system: &System, action: &Action) -> Footprint {
        let (code, statement) = Code::of_statement(&system.model, &system.automata, action);
        let mut footprint = Footprint::default();
        Follower::new(system, &code, &Known::nothing(), &mut footprint).follow_statement(&statement);
        footprint
    }

    /// What the value of an expression may be made of in any state.
    pub fn of_expression(system: &System, expr: &Expr) -> Footprint {
        let (code, start) = Code::of_expression(&system.model, &system.automata, expr);
        let mut footprint = Footprint::default();
        Follower::new(system, &code, &Known::nothing(), &mut footprint).follow(start);
        footprint
    }

    /// What all processes of a type may touch in any state: one footprint for each statement, one for its `provided` clause and one for the
    /// first values of its variables.
    pub fn of_proctype(system: &System, proctype: ProctypeId) -> impl Iterator<Item = Footprint> + '_ {
        let code = &system.code;
        let statements = code.edges[proctype.0 as usize].iter().map(move |statement| {
            let mut footprint = Footprint::default();
            Follower::new(system, code, &Known::nothing(), &mut footprint).follow_statement(statement);
            footprint
        });
        let declared = code.provided(AutomatonId(proctype.0)).into_iter().chain([code.initialiser(proctype)]);
        let declared = declared.map(move |block| {
            let mut footprint = Footprint::default();
            Follower::new(system, code, &Known::nothing(), &mut footprint).follow(block);
            footprint
        });
        statements.chain(declared)
    }

    /// Whether its effect or its condition is more than a matter of variables and channels: processes come and go, or are asked.
    pub fn is_about_processes(&self) -> bool {
        self.number_of_processes
            || self.last
            || self.priorities
            || !self.processes.is_empty()
            || self.event_trace
            || self.ends
            || !self.starts.is_empty()
    }

    /// Whether it uses a channel of which nothing is known.
    pub fn uses_unknown_channels(&self) -> bool {
        [&self.sends, &self.receives, &self.looks, &self.awaits_message, &self.awaits_room]
            .into_iter()
            .any(|channels| channels.others)
    }
}

impl Interpreter<'_> {
    /// What a statement touches in a state, its guard included, where the process stands before it.
    pub fn footprint(&self, state: &State, pid: Pid, edge: EdgeId) -> Footprint {
        let automaton = state.processes[pid.0 as usize].automaton;
        let mut footprint = Footprint::default();
        self.follow_edge(&Known::process(state, pid), automaton, edge, &mut footprint);
        footprint
    }

    /// What a statement touches that the process comes to later without letting others move, when its variables may have other values: those that
    /// are never written are known.
    pub fn later_footprint(
        &self,
        state: &State,
        pid: Pid,
        edge: EdgeId,
        written: &dyn Fn(u32) -> bool,
    ) -> Footprint {
        let automaton = state.processes[pid.0 as usize].automaton;
        let mut footprint = Footprint::default();
        let known = Known { written: Some(written), ..Known::process(state, pid) };
        self.follow_edge(&known, automaton, edge, &mut footprint);
        footprint
    }

    /// What the guard of a statement touches in a state in which `timeout` is false.
    pub fn guard_footprint(&self, state: &State, pid: Pid, edge: EdgeId) -> Footprint {
        let automaton = state.processes[pid.0 as usize].automaton;
        let mut footprint = Footprint::default();
        let known = Known { no_timeout: true, ..Known::process(state, pid) };
        self.follow_guard(&known, automaton, edge, &mut footprint);
        footprint
    }

    /// What a process's `provided` clause touches.
    pub fn provided_footprint(&self, state: &State, pid: Pid) -> Footprint {
        let automaton = state.processes[pid.0 as usize].automaton;
        let mut footprint = Footprint::default();
        if let Some(block) = self.system.code.provided(automaton) {
            let known = Known::process(state, pid);
            Follower::new(self.system, &self.system.code, &known, &mut footprint).follow(block);
        }
        footprint
    }

    /// What a `provided` clause may touch in any state.
    pub fn static_provided_footprint(&self, automaton: AutomatonId) -> Footprint {
        let mut footprint = Footprint::default();
        if let Some(block) = self.system.code.provided(automaton) {
            Follower::new(self.system, &self.system.code, &Known::nothing(), &mut footprint).follow(block);
        }
        footprint
    }

    /// What a statement may touch in any state.
    pub fn static_footprint(&self, automaton: AutomatonId, edge: EdgeId) -> Footprint {
        let mut footprint = Footprint::default();
        self.follow_edge(&Known::nothing(), automaton, edge, &mut footprint);
        footprint
    }

    /// What a formula's proposition touches; channel variables have the values that they have in the state.
    pub fn proposition_footprint(&self, state: &State, proposition: &Expr) -> Footprint {
        let (code, start) = Code::of_expression(self.model(), &self.system.automata, proposition);
        let mut footprint = Footprint::default();
        let known =
            Known { globals: Some(&state.globals), channels: state.channels.len(), ..Known::nothing() };
        Follower::new(self.system, &code, &known, &mut footprint).follow(start);
        footprint
    }

    fn follow_guard(&self, known: &Known<'_>, automaton: AutomatonId, edge: EdgeId, to: &mut Footprint) {
        let code = &self.system.code;
        Follower::new(self.system, code, known, to).follow_guard(code.edge(automaton, edge));
    }

    fn follow_edge(&self, known: &Known<'_>, automaton: AutomatonId, edge: EdgeId, to: &mut Footprint) {
        let code = &self.system.code;
        Follower::new(self.system, code, known, to).follow_statement(code.edge(automaton, edge));
    }
}
