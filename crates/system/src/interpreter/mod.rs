//! The step semantics: which steps a state allows, and what they do. There is no other.
//!
//! It is that of SPIN's verifier, to the letter, with these points worth knowing:
//! - a rendezvous is one step of two processes; the receiver's edge decides whether control is exclusive afterwards;
//! - while a process executes an `atomic` sequence only it is asked; when it is blocked everybody is, and nothing remembers
//!   that it was inside;
//! - `else` looks at the process's other statements in order, but not at a rendezvous send before it;
//! - `timeout` is true only where nothing else can move at all;
//! - a process dies at its closing brace once it is the youngest.
//!
//! Every look at a part of the state is told to an [`Observer`], so that a search can remember what a step depends on.

mod enable;
mod event;
mod execute;
mod undo;

pub use crate::capacities::Capacities;
pub(crate) use event::Direction;
pub use undo::{Stepper, Touched, Undo, Unsuited};

use crate::automaton::{Action, AutomatonId, DStepNodeId, EdgeId, System};
use crate::code::Code;
use crate::code::machine::Machine;
use crate::limits::Limits;
use crate::state::{Channel, ChannelId, Pid, Process, State};
use promela::model::{ChannelTypeId, Expr, Model, ProctypeId};
use promela::source::Span;
use std::fmt;

/// One step: an edge of a process, and for a rendezvous the receiver's edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Step {
    /// Who moves.
    pub process: Pid,
    /// Along which edge.
    pub edge: EdgeId,
    /// The receiving side of a rendezvous.
    pub partner: Option<Partner>,
}

/// The receiving side of a rendezvous.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Partner {
    /// Who receives.
    pub process: Pid,
    /// Along which edge.
    pub edge: EdgeId,
}

/// How the steps of a state came to be enabled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Enabled {
    /// Only because `timeout` is true.
    pub timeout: bool,
    /// The process that had exclusive control is blocked and has lost it.
    pub released: bool,
}

/// Something that a model must not do and that has no meaningful continuation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuntimeError {
    /// What happened.
    pub kind: RuntimeErrorKind,
    /// Who did it; `None` while the first processes are set up, or in a claim.
    pub process: Option<Pid>,
    /// Where.
    pub span: Span,
}

/// What went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RuntimeErrorKind {
    /// An index outside its array.
    IndexOutOfRange {
        /// The index.
        index: i32,
        /// Number of elements.
        length: u32,
    },
    /// `/` or `%` by zero.
    DivisionByZero,
    /// A channel variable that holds no channel.
    NoChannel,
    /// A channel whose process has died.
    ChannelGone,
    /// A message with another number of fields than the channel has.
    WrongNumberOfFields {
        /// Given in the statement.
        given: usize,
        /// Fields of the channel.
        expected: usize,
    },
    /// A statement inside a `d_step`, other than the first, that cannot be executed.
    BlockedInDStep,
    /// A `d_step` that runs on and on.
    EndlessDStep,
    /// A send on a rendezvous channel inside a `d_step`.
    RendezvousInDStep,
    /// `c?<…>` on a rendezvous channel.
    CopyFromRendezvous,
    /// More processes than allowed: 255, unless the model declares more.
    TooManyProcesses,
    /// More channels than allowed: 255, unless the model declares more.
    TooManyChannels,
    /// `enabled(_pid)`.
    EnabledOnSelf,
    /// A priority outside 1..255.
    PriorityOutOfRange(i32),
}

impl RuntimeErrorKind {
    /// Whether a limit of SPIN's is met that is none of the model's: on a larger machine the run would go on.
    pub fn is_limit(&self) -> bool {
        matches!(self, RuntimeErrorKind::TooManyProcesses | RuntimeErrorKind::TooManyChannels)
    }
}

impl fmt::Display for RuntimeErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IndexOutOfRange { index, length } => {
                write!(f, "index {index} is outside an array of {length} elements")
            }
            Self::DivisionByZero => write!(f, "division by zero"),
            Self::NoChannel => write!(f, "a channel is used that was never initialised"),
            Self::ChannelGone => write!(f, "a channel is used whose process has died"),
            Self::WrongNumberOfFields { given, expected } => {
                let fields = if *given == 1 { "field" } else { "fields" };
                write!(f, "a message with {given} {fields} on a channel with {expected}")
            }
            Self::BlockedInDStep => write!(f, "a statement inside a d_step is blocked"),
            Self::EndlessDStep => write!(f, "a d_step does not end"),
            Self::RendezvousInDStep => write!(f, "a rendezvous send inside a d_step"),
            Self::CopyFromRendezvous => write!(f, "a copying receive on a rendezvous channel"),
            Self::TooManyProcesses => write!(f, "more than 255 processes"),
            Self::TooManyChannels => write!(f, "more than 255 channels"),
            Self::EnabledOnSelf => write!(f, "enabled() asks a process about itself"),
            Self::PriorityOutOfRange(p) => write!(f, "priority {p} is not within 1..255"),
        }
    }
}

/// Something that a model must not do, after which it goes on all the same.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Violation {
    /// An assertion was false.
    AssertionFailed {
        /// The assertion.
        span: Span,
    },
    /// The event trace has no such event here.
    EventNotInTrace {
        /// The statement that caused the event.
        span: Span,
    },
    /// All events of a `notrace` have happened.
    ForbiddenTraceCompleted {
        /// The statement that caused the last one.
        span: Span,
    },
}

/// Told of every part of the state that is looked at or written, other than where the process that is asked itself stands: two states that
/// agree in that and in all those parts have the same steps with the same effects. Whoever takes a process with all of its variables for one
/// part may leave out those of the process that is asked.
pub trait Observer {
    /// A global slot.
    fn read_global(&self, _slot: u32) {}
    /// A global slot is written. What was there before is lost: whoever remembers a step as a change must know it as well.
    fn write_global(&self, slot: u32) {
        self.read_global(slot);
    }
    /// A slot of a process is read by its own statement.
    fn read_local(&self, _pid: Pid, _slot: u32) {}
    /// A slot of a process is written by its own statement. What was there before is lost.
    fn write_local(&self, _pid: Pid, _slot: u32) {}
    /// A slot of a process becomes 0 because nothing reads it any more. What was there before is lost.
    fn clear_local(&self, _pid: Pid, _slot: u32) {}
    /// A message is put into a channel.
    fn sent(&self, _id: ChannelId) {}
    /// A message is taken from a channel, or looked at by a receive that leaves it there.
    fn received(&self, _id: ChannelId) {}
    /// A process is started.
    fn started(&self, _proctype: ProctypeId) {}
    /// A channel's contents.
    fn read_channel(&self, _id: ChannelId) {}
    /// Location, variables or priority of another process.
    fn read_process(&self, _pid: Pid) {}
    /// Type, location and priority of another process; variables that its statements read are told one by one.
    fn read_place(&self, pid: Pid) {
        self.read_process(pid);
    }
    /// How many processes there are.
    fn read_number_of_processes(&self) {}
    /// How many channels there are.
    fn read_number_of_channels(&self) {}
    /// Who moved last.
    fn read_last(&self) {}
    /// Whether nothing else can move.
    fn read_timeout(&self) {}
    /// Where the event trace stands.
    fn read_event_trace(&self) {}
}

/// Nobody looks.
impl Observer for () {}

/// Which processes are looked at for the receiving side of a rendezvous.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Partners {
    /// All.
    All,
    /// One: only rendezvous with it are given, no other steps. Together with [`Partners::None`] this gives all steps of a
    /// location without escapes of `unless` (there, a rendezvous that is possible rules out other steps).
    Only(Pid),
    /// None: only steps that are no rendezvous.
    None,
}

/// Where a running model's output goes.
pub trait Output {
    /// `printf` and `printm`.
    fn printed(&mut self, _process: Pid, _text: &str) {}
    /// A value did not fit its variable and was cut.
    fn truncated(&mut self, _process: Pid, _value: i32, _stored: i32, _span: Span) {}
    /// A message was put into a channel, or handed over.
    fn sent(&mut self, _process: Pid, _channel: ChannelId, _message: &[i32]) {}
    /// After a message was put into a channel: how many it holds.
    fn holds(&mut self, _channel: ChannelId, _messages: usize) {}
    /// A message was taken from a channel, or looked at by a receive that leaves it there.
    fn received(&mut self, _process: Pid, _channel: ChannelId, _message: &[i32]) {}
    /// The model did what it must not. The step goes on all the same.
    fn violated(&mut self, _violation: Violation) {}
    /// A statement inside of a `d_step` is executed: this choice of this node.
    fn chose(&mut self, _process: Pid, _node: DStepNodeId, _choice: u32) {}
    /// A process was started.
    fn started(&mut self, _by: Pid, _process: Pid) {}
}

/// Output that nobody wants.
impl Output for () {}

/// What a step violated, in order.
impl Output for Vec<Violation> {
    fn violated(&mut self, violation: Violation) {
        self.push(violation);
    }
}

/// Executes a system step by step.
#[derive(Clone, Copy, Debug)]
pub struct Interpreter<'s> {
    pub(crate) system: &'s System,
    pub(crate) capacities: Capacities,
    pub(crate) limits: Limits,
    pub(crate) keeps_everything: bool,
    pub(crate) takes_away_terminated: bool,
    pub(crate) by_stack: bool,
}

/// How many processes SPIN allows at once.
pub const SPIN_PROCESS_LIMIT: usize = Limits::SPIN.processes;

impl<'s> Interpreter<'s> {
    /// An interpreter of a system, with buffers of the given size.
    pub fn new(system: &'s System, capacities: Capacities) -> Self {
        Self {
            system,
            capacities,
            limits: Limits::of(&system.model),
            keeps_everything: false,
            takes_away_terminated: false,
            by_stack: false,
        }
    }

    /// The same with another limit on the number of processes, for systems that SPIN could not run.
    pub fn with_process_limit(self, process_limit: usize) -> Self {
        Self { limits: Limits { processes: process_limit, ..self.limits }, ..self }
    }

    /// The same for people: variables keep their values even where nothing reads them any more. The steps are the same; but states that
    /// differ in nothing that matters differ then, so a search wants the other.
    pub fn keeping_everything(self) -> Self {
        Self { keeps_everything: true, ..self }
    }

    /// The same without terminated processes: one that has nothing left to do but to die is taken away at once, and those after it
    /// move up. Only for models in which nothing looks at the numbers of processes and no process has channels of its own. Its steps are not
    /// those of the model, but its states are, up to processes that only wait for their death.
    pub fn taking_away_terminated(self) -> Self {
        Self { takes_away_terminated: true, ..self }
    }

    /// The same, one instruction after another: slower, and what is executed in larger pieces is compared with it.
    pub fn by_stack(self) -> Self {
        Self { by_stack: true, ..self }
    }

    /// Whether assignments to a global slot are part of the state.
    pub(crate) fn remembers_global(&self, slot: u32) -> bool {
        self.keeps_everything || !self.system.global_slots[slot as usize].hidden
    }

    /// How many processes there may be at once.
    pub fn process_limit(&self) -> usize {
        self.limits.processes
    }

    /// The system that it executes.
    pub fn system(&self) -> &'s System {
        self.system
    }

    /// How many messages fit into a channel.
    pub fn capacities(&self) -> Capacities {
        self.capacities
    }

    /// How many messages fit into channels of a type; `None` is any number.
    pub fn capacity(&self, id: ChannelTypeId) -> Option<u32> {
        match (self.model().channel_types[id.0 as usize].capacity, self.capacities) {
            (0, _) => Some(0),
            (declared, Capacities::Declared) => Some(declared),
            (_, Capacities::Fixed(n)) => Some(n),
            (_, Capacities::Unbounded) => None,
        }
    }

    /// The state in which a run begins: globals initialised, active processes and `init` started in declaration order.
    pub fn initial_state(&self) -> Result<State, RuntimeError> {
        let model = self.model();
        let mut state = State {
            globals: vec![0; model.global_slots as usize],
            processes: Vec::new(),
            channels: Vec::new(),
            last: 0,
            exclusive: None,
            event_trace: self.system.event_trace.map(|t| self.system.automaton(t).initial),
        };
        if let Some(first_values) = self.system.code.globals() {
            Machine::new(self, &mut state, None, false, &(), &mut ()).run(first_values)?;
        }
        for (index, proctype) in model.proctypes.iter().enumerate() {
            for _ in 0..proctype.active {
                let arguments = vec![0; proctype.parameters as usize];
                let id = ProctypeId(index as u32);
                let priority = proctype.priority.unwrap_or(1);
                self.start(&mut state, id, &arguments, priority, None, proctype.span, &())?;
            }
        }
        if self.takes_away_terminated {
            state.processes.retain(|process| !self.has_terminated(process));
        }
        Ok(state)
    }

    /// Whether a process has nothing left to do but to die.
    pub fn has_terminated(&self, process: &Process) -> bool {
        let automaton = self.system.automaton(process.automaton);
        let edges = &automaton.location(process.location).edges;
        matches!(edges[..], [edge] if matches!(automaton.edge(edge).action, Action::End))
    }

    /// All steps of a state, in SPIN's order (youngest process first), if everything that is asked there has a value.
    pub fn steps(&self, state: &State, out: &mut Vec<Step>) -> Result<Enabled, RuntimeError> {
        match self.steps_beside_errors(state, out) {
            (enabled, None) => Ok(enabled),
            (_, Some(error)) => Err(error),
        }
    }

    /// All steps of a state, in SPIN's order (youngest process first), and the first error of those who ask what has no value.
    /// What one process does wrong does not keep the others from moving, so whoever explores must ask this.
    pub fn steps_beside_errors(&self, state: &State, out: &mut Vec<Step>) -> (Enabled, Option<RuntimeError>) {
        out.clear();
        let mut enabled = Enabled::default();
        if let Some(pid) = state.exclusive {
            let error = self.steps_of(state, pid, false, &(), out).err();
            if !out.is_empty() || error.is_some() {
                return (enabled, error);
            }
            enabled.released = true;
        }
        let mut error = None;
        for timeout in [false, true] {
            for pid in (0..state.processes.len() as u32).rev() {
                let failed = self.steps_of(state, Pid(pid), timeout, &(), out).err();
                error = error.or(failed);
            }
            enabled.timeout = timeout;
            if error.is_some() || !out.is_empty() || !self.model().features.timeout {
                break;
            }
        }
        enabled.timeout &= !out.is_empty();
        (enabled, error)
    }

    /// The value of an expression, as a process sees it (`None`: as a claim or a formula does).
    pub fn evaluate(&self, state: &State, pid: Option<Pid>, expr: &Expr) -> Result<i32, RuntimeError> {
        self.evaluate_observed(state, pid, expr, &())
    }

    /// Like [`Interpreter::evaluate`], with an observer.
    pub fn evaluate_observed<O: Observer>(
        &self,
        state: &State,
        pid: Option<Pid>,
        expr: &Expr,
        observer: &O,
    ) -> Result<i32, RuntimeError> {
        let (code, start) = Code::of_expression(self.model(), &self.system.automata, expr);
        let mut nobody = ();
        let mut machine = Machine::new(self, state, pid, false, observer, &mut nobody);
        machine.code = &code;
        machine.value(start)
    }

    /// Whether every process stands at a valid end.
    pub fn is_valid_end_state(&self, state: &State) -> bool {
        state.processes.iter().all(|p| self.system.automaton(p.automaton).location(p.location).end)
    }

    /// Whether the event trace, if there is one, may stop where it stands. SPIN asks only while some process lives.
    pub fn event_trace_is_complete(&self, state: &State) -> bool {
        if state.processes.is_empty() {
            return true;
        }
        match (self.system.event_trace, state.event_trace) {
            (Some(trace), Some(location)) => {
                let negated = matches!(
                    self.system.automaton(trace).kind,
                    crate::automaton::AutomatonKind::EventTrace { negated: true }
                );
                negated || self.system.automaton(trace).location(location).end
            }
            _ => true,
        }
    }

    pub(crate) fn model(&self) -> &'s Model {
        &self.system.model
    }

    pub(crate) fn fail<T>(
        &self,
        kind: RuntimeErrorKind,
        process: Option<Pid>,
        span: Span,
    ) -> Result<T, RuntimeError> {
        Err(RuntimeError { kind, process, span })
    }

    /// Starts a process; its arguments fill the first slots of its frame.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn start<O: Observer>(
        &self,
        state: &mut State,
        proctype: ProctypeId,
        arguments: &[i32],
        priority: i32,
        by: Option<Pid>,
        span: Span,
        observer: &O,
    ) -> Result<Pid, RuntimeError> {
        if state.processes.len() >= self.limits.processes {
            return self.fail(RuntimeErrorKind::TooManyProcesses, by, span);
        }
        let automaton = AutomatonId(proctype.0);
        let declaration = &self.model().proctypes[proctype.0 as usize];
        let pid = Pid(state.processes.len() as u32);
        let priority = if self.model().features.priorities { priority } else { 1 };
        let location = self.system.automaton(automaton).initial;
        let mut locals = vec![0; declaration.slots as usize];
        for (slot, (&value, info)) in
            arguments.iter().zip(&self.system.automaton(automaton).slots).enumerate()
        {
            locals[slot] = self.limits.stored(info.scalar, value);
        }
        state.processes.push(Process { automaton, location, locals, priority });
        let first_values = self.system.code.initialiser(proctype);
        Machine::new(self, state, Some(pid), false, observer, &mut ()).run(first_values)?;
        Ok(pid)
    }

    pub(crate) fn create_channel(
        &self,
        state: &mut State,
        channel_type: ChannelTypeId,
        owner: Option<Pid>,
        span: Span,
    ) -> Result<i32, RuntimeError> {
        if state.channels.len() >= self.limits.channels {
            return self.fail(RuntimeErrorKind::TooManyChannels, owner, span);
        }
        state.channels.push(Channel { channel_type, owner, contents: Vec::new() });
        Ok(state.channels.len() as i32)
    }
}
