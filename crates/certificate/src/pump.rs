//! Pumps: finite proofs that a run goes on for ever while buffers grow.
//!
//! A [`Pump`] is a run to a configuration C1 and a sequence σ of steps from C1 to C2, with unbounded buffers. [`check_pump`]
//! verifies that σ can be repeated for ever. Control states and variables of C1 and C2 are equal, so all that can make a repetition
//! different is what channels hold. For a channel that holds w at C1, and from which σ receives r and to which it sends s:
//!
//! - |s| >= |r|, and r^ω = w·s^ω if r is not empty. Then every receive of every repetition finds the message that it found in
//!   the first, and at no point does a channel hold less than at the same point of the first. If |s| = |r|, the channel holds the same
//!   at the same point of every repetition: only channels that *grow* can make a difference.
//! - Nothing may change its mind because a channel holds more: see the module `mind`.
//! - No process of C1 dies within σ (its channels would be new ones afterwards).
//!
//! **What decides nothing may be other each time**: a counter at which no statement of σ looks, a field that is thrown away. Wherever values are compared
//! here, only those parts of states and messages are that may decide something about σ, see the module `deciding`. (Not where a run is
//! asked to be fair or to violate a formula.)
//!
//! **Processes may grow, too.** If nothing in the model looks at the numbers of processes ([`crate::pids`]), C2 may have processes that C1 has
//! not: each process of C1 needs one of C2 that stands where it stood, with the same frame, and takes its part in the next repetition;
//! what is left over never moves again. It must not matter that it is there: it could be the partner of a rendezvous that was not
//! possible before, so no `else`, escape or `atomic` that gives way may depend on one. New processes are younger than all that is
//! left over, so they can still die. Such a pump is a run only where the number of processes has no limit.
//!
//! Everything else is refused. A refusal does not say that the system is bounded.

mod deciding;
mod mind;
mod moments;

use crate::pids;
use crate::potential::Progress;
use crate::trace::{Trace, TraceStep};
use crate::verdict::Fairness;
use deciding::Deciding;
use moments::Moments;
use promela::model::ChannelTypeId;
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use std::fmt;
use system::automaton::{Action, DStepNodeId, Edge, EdgeId, System};
use system::interpreter::{Capacities, Interpreter, Output, Step, Violation};
use system::state::{ChannelId, Pid, Process, State};

/// The only schema that this version reads and writes.
pub const PUMP_SCHEMA: &str = "plimsoll-pump/2";

/// A run and what is repeated at its end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pump {
    /// [`PUMP_SCHEMA`].
    pub schema: String,
    /// Fingerprint of the model: [`System::fingerprint`].
    pub model: String,
    /// From the initial state to C1.
    pub prefix: Vec<TraceStep>,
    /// σ: from C1 to C2.
    pub repeated: Vec<TraceStep>,
}

impl Pump {
    /// A pump of the model.
    pub fn new(system: &System, prefix: &[Step], repeated: &[Step]) -> Pump {
        Pump {
            schema: PUMP_SCHEMA.to_string(),
            model: system.fingerprint().to_string(),
            prefix: prefix.iter().map(|&step| step.into()).collect(),
            repeated: repeated.iter().map(|&step| step.into()).collect(),
        }
    }
}

/// What a pump is to show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PumpQuestion {
    /// Some buffer grows without bound.
    Unbounded,
    /// A run goes on for ever without progress; buffers may grow or not.
    Livelock(Progress),
    /// The same of a run that is fair.
    FairLivelock(Progress, Fairness),
    /// A run that is fair violates the formula with this name.
    Violates(String, Fairness),
}

impl PumpQuestion {
    /// What must not be repeated.
    pub fn progress(&self) -> Option<&Progress> {
        match self {
            PumpQuestion::Livelock(progress) | PumpQuestion::FairLivelock(progress, _) => Some(progress),
            PumpQuestion::Unbounded | PumpQuestion::Violates(..) => None,
        }
    }
}

/// What a pump shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pumped {
    /// Channels that grow, with the number of messages that each repetition adds.
    pub growing: Vec<(ChannelId, u64)>,
    /// How many processes each repetition adds. If it is not 0, the run goes on for ever only where their number has no limit.
    pub more_processes: u64,
    /// C1.
    pub state: State,
}

/// A pump that was accepted, as an execution: [`ConfirmedPump::judge`] alone makes one.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ConfirmedPump {
    /// The prefix, then once what is repeated, with unbounded buffers. It is no lasso: the state afterwards is not the same.
    pub trace: Trace,
    /// The step with which the repeated part begins.
    pub repeat_from: usize,
    /// The channels that grow.
    pub grows: Vec<ChannelId>,
    /// How many processes each repetition adds. If it is not 0, the pump is real only where their number has no limit.
    pub more_processes: u64,
}

impl ConfirmedPump {
    /// The pump that goes this way and then repeats these steps, if it shows what is asked.
    pub fn judge(
        system: &System,
        question: &PumpQuestion,
        prefix: &[Step],
        repeated: &[Step],
    ) -> Result<ConfirmedPump, PumpRefusal> {
        let pumped = check_pump(system, &Pump::new(system, prefix, repeated), question)?;
        Ok(ConfirmedPump {
            trace: Trace::new(system, Capacities::Unbounded, &[prefix, repeated].concat(), None),
            repeat_from: prefix.len(),
            grows: pumped.growing.iter().map(|(channel, _)| *channel).collect(),
            more_processes: pumped.more_processes,
        })
    }
}

/// Why a pump is not accepted. `step` counts from the first step of the prefix.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PumpRefusal {
    /// Another schema.
    Schema(String),
    /// It belongs to another model.
    OtherModel,
    /// Nothing is repeated.
    NothingRepeated,
    /// The model has a runtime error, or violates an assertion or its event trace, on the way.
    Fails {
        /// Index of the step.
        step: usize,
        /// What happens.
        what: String,
    },
    /// The state before this step does not allow it.
    NotEnabled {
        /// Index of the step.
        step: usize,
    },
    /// A step of σ may go another way when channels hold more.
    MayChangeItsMind {
        /// Index of the step.
        step: usize,
        /// Why.
        what: &'static str,
    },
    /// The state at the end of σ has other control states or variables than that at its beginning.
    NotTheSameControl,
    /// A channel has less at the end of σ than at its beginning.
    Shrinks(ChannelId),
    /// What σ receives from a channel is not what it finds there the next time.
    OtherMessages(ChannelId),
    /// No channel has more at the end of σ than at its beginning.
    NothingGrows,
    /// A step of σ is progress.
    Progress {
        /// Index of the step.
        step: usize,
    },
    /// σ stays in the middle of an `atomic` sequence, where nobody sees a state.
    NothingIsSeen,
    /// The run may satisfy the formula, or some proposition looks at what grows, or has no value, or there is no such formula.
    NoViolation,
    /// This process never moves in σ, although it may be able to; or processes come and go.
    NotFair(Pid),
}

impl PumpRefusal {
    /// The rule of `docs/certificates.md` that is broken.
    pub fn rule(&self) -> &'static str {
        match self {
            PumpRefusal::Schema(_) | PumpRefusal::OtherModel => "P1",
            PumpRefusal::NothingRepeated => "P2",
            PumpRefusal::Fails { .. } | PumpRefusal::NotEnabled { .. } => "P3",
            PumpRefusal::MayChangeItsMind { .. } => "P4",
            PumpRefusal::NotTheSameControl => "P5",
            PumpRefusal::Shrinks(_) => "P6",
            PumpRefusal::OtherMessages(_) => "P7",
            PumpRefusal::NothingGrows | PumpRefusal::Progress { .. } => "P8",
            PumpRefusal::NothingIsSeen | PumpRefusal::NoViolation => "P9",
            PumpRefusal::NotFair(_) => "P10",
        }
    }
}

impl fmt::Display for PumpRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {}: ", self.rule())?;
        match self {
            PumpRefusal::Schema(found) => {
                write!(f, "{}", crate::schema::other_version("pump", found, PUMP_SCHEMA))
            }
            PumpRefusal::OtherModel => {
                write!(f, "the pump is for another model, or another version of this one")
            }
            PumpRefusal::NothingRepeated => write!(f, "nothing is repeated"),
            PumpRefusal::Fails { step, what } => write!(f, "step {step}: {what}"),
            PumpRefusal::NotEnabled { step } => write!(f, "step {step} cannot be executed"),
            PumpRefusal::MayChangeItsMind { step, what } => {
                write!(f, "step {step} may go another way when channels hold more: {what}")
            }
            PumpRefusal::NotTheSameControl => {
                write!(f, "control states or variables differ after the repetition")
            }
            PumpRefusal::Shrinks(id) => write!(f, "channel {} holds less after the repetition", id.0),
            PumpRefusal::OtherMessages(id) => {
                write!(f, "channel {} holds other messages for the next repetition", id.0)
            }
            PumpRefusal::NothingGrows => write!(f, "no channel grows"),
            PumpRefusal::Progress { step } => write!(f, "step {step} is progress"),
            PumpRefusal::NothingIsSeen => write!(f, "an `atomic` sequence never gives way"),
            PumpRefusal::NoViolation => {
                write!(f, "the run may satisfy the formula, or the formula looks at what grows")
            }
            PumpRefusal::NotFair(pid) => write!(f, "process {} never moves, and may be able to", pid.0),
        }
    }
}

impl std::error::Error for PumpRefusal {}

/// Whether the pump is a real execution that can be repeated for ever and shows what is asked.
pub fn check_pump(system: &System, pump: &Pump, question: &PumpQuestion) -> Result<Pumped, PumpRefusal> {
    if pump.schema != PUMP_SCHEMA {
        return Err(PumpRefusal::Schema(pump.schema.clone()));
    }
    if pump.model != system.fingerprint() {
        return Err(PumpRefusal::OtherModel);
    }
    if pump.repeated.is_empty() {
        return Err(PumpRefusal::NothingRepeated);
    }
    let interpreter = Interpreter::new(system, Capacities::Unbounded);
    let runner = Runner { system, interpreter, pump, question, deciding: OnceCell::new() };
    let mut state =
        interpreter.initial_state().map_err(|e| PumpRefusal::Fails { step: 0, what: e.kind.to_string() })?;
    for (index, &step) in pump.prefix.iter().enumerate() {
        runner.advance(&mut state, index, step.into())?;
    }
    let first = state.clone();
    let last = runner.last_state(&first, pump)?;
    let roles = match runner.has_the_same_processes(&first, &last) {
        true => Roles::Kept,
        false => Roles::HandedOn,
    };
    let growing = runner.growing(&first, &last)?;
    let mut traffic = vec![Traffic::default(); first.channels.len()];
    for (offset, &step) in pump.repeated.iter().enumerate() {
        let index = pump.prefix.len() + offset;
        let step: Step = step.into();
        if let Some(progress) = question.progress()
            && runner.is_progress(&state, step, progress)
        {
            return Err(PumpRefusal::Progress { step: index });
        }
        mind::keeps_its_mind(&runner, &state, &growing, index, step, roles)?;
        let events = runner.advance(&mut state, index, step)?;
        if state.processes.len() < first.processes.len() {
            let what = "a process dies";
            return Err(PumpRefusal::MayChangeItsMind { step: index, what });
        }
        for event in events {
            if let Some(traffic) = traffic.get_mut(event.channel.0 as usize) {
                let messages = if event.sent { &mut traffic.sent } else { &mut traffic.received };
                messages.push(event.message);
            }
        }
    }
    runner.same_control(&first, &state, roles)?;
    for (id, _) in &growing {
        let index = id.0 as usize;
        let (before, after) = (runner.messages(&first, index), runner.messages(&state, index));
        let channel_type = first.channels[index].channel_type;
        let alike = |one: &[i32], other: &[i32]| runner.are_alike(&first, channel_type, one, other);
        if !traffic[index].repeats(&before, &after, &alike) {
            return Err(PumpRefusal::OtherMessages(*id));
        }
    }
    if growing.is_empty() && *question == PumpQuestion::Unbounded {
        return Err(PumpRefusal::NothingGrows);
    }
    let more_processes = (state.processes.len() - first.processes.len()) as u64;
    if more_processes > 0 && *question != PumpQuestion::Unbounded {
        // Where the number of processes has a limit, and it has one in SPIN, this is no run that goes on for ever.
        return Err(PumpRefusal::NotTheSameControl);
    }
    if let PumpQuestion::FairLivelock(_, fairness) | PumpQuestion::Violates(_, fairness) = question {
        let steps = |steps: &[TraceStep]| steps.iter().map(|&step| step.into()).collect::<Vec<Step>>();
        let (prefix, repeated) = (steps(&pump.prefix), steps(&pump.repeated));
        let moments = Moments::new(&runner, &growing, (&prefix, &repeated))?;
        if roles == Roles::HandedOn {
            return Err(PumpRefusal::NotTheSameControl);
        }
        if let PumpQuestion::Violates(name, _) = question {
            moments.violate(name)?;
        }
        moments.are_fair(&repeated, *fairness)?;
    }
    Ok(Pumped { growing, more_processes, state: first })
}

/// What σ sends to a channel and receives from it.
#[derive(Clone, Default)]
struct Traffic {
    sent: Vec<Vec<i32>>,
    received: Vec<Vec<i32>>,
}

impl Traffic {
    /// Whether σ finds messages in the channel every time that are alike.
    fn repeats(
        &self,
        before: &[Vec<i32>],
        after: &[Vec<i32>],
        alike: &dyn Fn(&[i32], &[i32]) -> bool,
    ) -> bool {
        // First-in first-out, seen from outside: what was there and what was sent is what was received and what is there.
        let through = before.iter().chain(&self.sent);
        if !through.eq(self.received.iter().chain(after)) {
            return false;
        }
        if self.received.is_empty() {
            return true;
        }
        // Two infinite words that are periodic from some point on are equal if they agree up to there and as far beyond as
        // both periods together (Fine and Wilf).
        let enough = before.len() + self.sent.len() + self.received.len();
        let mut found = before.iter().chain(self.sent.iter().cycle()).take(enough);
        let wanted = self.received.iter().cycle().take(enough);
        wanted.into_iter().all(|wanted| found.next().is_some_and(|found| alike(found, wanted)))
    }
}

/// Who repeats what a process did.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Roles {
    /// The same process.
    Kept,
    /// Possibly another one, and some may be left over.
    HandedOn,
}

struct Runner<'s> {
    system: &'s System,
    interpreter: Interpreter<'s>,
    pump: &'s Pump,
    question: &'s PumpQuestion,
    /// Made when something differs: most pumps leave everything as it was.
    deciding: OnceCell<Deciding>,
}

/// A message that was put into a buffer or taken from it.
struct Event {
    sent: bool,
    channel: ChannelId,
    message: Vec<i32>,
}

#[derive(Default)]
struct Events {
    events: Vec<Event>,
    violation: Option<Violation>,
}

impl Output for Events {
    fn sent(&mut self, _process: Pid, channel: ChannelId, message: &[i32]) {
        self.events.push(Event { sent: true, channel, message: message.to_vec() });
    }

    fn received(&mut self, _process: Pid, channel: ChannelId, message: &[i32]) {
        self.events.push(Event { sent: false, channel, message: message.to_vec() });
    }

    fn violated(&mut self, violation: Violation) {
        self.violation.get_or_insert(violation);
    }
}

impl Runner<'_> {
    /// Executes a step that the state must allow; the messages that went into channels and out of them. (Those handed over in a
    /// rendezvous are among them: such a channel never grows, and nobody asks.)
    fn advance(&self, state: &mut State, index: usize, step: Step) -> Result<Vec<Event>, PumpRefusal> {
        let fails = |what: String| PumpRefusal::Fails { step: index, what };
        let mut enabled = Vec::new();
        self.interpreter.steps_beside_errors(state, &mut enabled);
        if !enabled.contains(&step) {
            return Err(PumpRefusal::NotEnabled { step: index });
        }
        let copies =
            matches!(self.edge(state, step.process, step.edge).action, Action::Receive { copy: true, .. });
        let mut output = Events::default();
        let executed = self.interpreter.execute(state, step, &(), &mut output);
        executed.map_err(|error| fails(error.kind.to_string()))?;
        if let Some(violation) = output.violation {
            return Err(fails(format!("{violation:?}")));
        }
        if copies {
            return Ok(Vec::new());
        }
        Ok(output.events)
    }

    fn edge(&self, state: &State, pid: Pid, edge: EdgeId) -> &Edge {
        self.system.automaton(state.processes[pid.0 as usize].automaton).edge(edge)
    }

    fn messages(&self, state: &State, channel: usize) -> Vec<Vec<i32>> {
        let channel = &state.channels[channel];
        let fields = self.system.model.channel_types[channel.channel_type.0 as usize].fields.len();
        channel.contents.chunks(fields.max(1)).map(<[i32]>::to_vec).collect()
    }

    /// The state after σ; that its steps are right is checked elsewhere.
    fn last_state(&self, first: &State, pump: &Pump) -> Result<State, PumpRefusal> {
        let mut state = first.clone();
        for (offset, &step) in pump.repeated.iter().enumerate() {
            self.advance(&mut state, pump.prefix.len() + offset, step.into())?;
        }
        Ok(state)
    }

    /// The channels that hold more after σ, with how many more. Every other must hold the same.
    fn growing(&self, first: &State, last: &State) -> Result<Vec<(ChannelId, u64)>, PumpRefusal> {
        let mut growing = Vec::new();
        for index in 0..first.channels.len().min(last.channels.len()) {
            let id = ChannelId(index as u32);
            let (before, after) = (self.messages(first, index), self.messages(last, index));
            let channel_type = first.channels[index].channel_type;
            let mut pairs = before.iter().zip(&after);
            match after.len().checked_sub(before.len()) {
                None => return Err(PumpRefusal::Shrinks(id)),
                Some(0) if pairs.any(|(one, other)| !self.are_alike(first, channel_type, one, other)) => {
                    return Err(PumpRefusal::OtherMessages(id));
                }
                Some(0) => {}
                Some(more) => growing.push((id, more as u64)),
            }
        }
        Ok(growing)
    }

    fn deciding(&self, first: &State) -> &Deciding {
        self.deciding.get_or_init(|| match self.question {
            PumpQuestion::Unbounded | PumpQuestion::Livelock(_) => {
                Deciding::about(self, first, &self.pump.repeated)
            }
            // Propositions look at whatever they like.
            PumpQuestion::FairLivelock(..) | PumpQuestion::Violates(..) => Deciding::all(),
        })
    }

    /// Whether two messages of a channel differ in nothing that may decide something.
    fn are_alike(&self, first: &State, channel_type: ChannelTypeId, one: &[i32], other: &[i32]) -> bool {
        let part = |message: &[i32]| self.deciding(first).part_of_message(channel_type.0, message.to_vec());
        one == other || part(one) == part(other)
    }

    /// Whether the same processes stand where they stood, and nothing that they know differs that may decide something.
    fn has_the_same_processes(&self, first: &State, last: &State) -> bool {
        let part = |state: &State| self.deciding(first).part_of(state.clone()).processes;
        first.processes == last.processes || part(first) == part(last)
    }

    fn same_control(&self, first: &State, last: &State, roles: Roles) -> Result<(), PumpRefusal> {
        let (first, last) = match first == last {
            true => (first.clone(), last.clone()),
            false => {
                let deciding = self.deciding(first);
                (deciding.part_of(first.clone()), deciding.part_of(last.clone()))
            }
        };
        let (first, last) = (&first, &last);
        let without_contents = |state: &State| {
            let mut state = state.clone();
            state.channels.iter_mut().for_each(|channel| channel.contents.clear());
            if roles == Roles::HandedOn {
                state.processes.clear();
            }
            state
        };
        let owned = |state: &State| state.channels.iter().any(|channel| channel.owner.is_some());
        let processes = match roles {
            Roles::Kept => true,
            // Equal processes can change places, so it does not matter which of them is chosen. A channel of a process would
            // tell them apart.
            Roles::HandedOn => {
                let mut free: Vec<&Process> = last.processes.iter().collect();
                let all_found = first.processes.iter().all(|process| {
                    let found = free.iter().position(|other| *other == process);
                    found.map(|at| free.swap_remove(at)).is_some()
                });
                let alone = first.exclusive.is_none() && last.exclusive.is_none();
                all_found && alone && !owned(first) && !owned(last) && !pids::are_observed(self.system)
            }
        };
        match processes && without_contents(first) == without_contents(last) {
            true => Ok(()),
            false => Err(PumpRefusal::NotTheSameControl),
        }
    }

    /// Whether a step executes a statement that is progress. It is one that can be executed.
    fn is_progress(&self, state: &State, step: Step, progress: &Progress) -> bool {
        let partner = step.partner.map(|partner| (partner.process, partner.edge));
        let movers = [Some((step.process, step.edge)), partner];
        let mut chosen = Chosen::default();
        let executed = self.interpreter.execute(&mut state.clone(), step, &(), &mut chosen);
        movers.into_iter().flatten().any(|(pid, edge)| {
            let Some(process) = state.processes.get(pid.0 as usize) else { return false };
            let insides =
                chosen.choices.iter().filter(|(who, _)| *who == pid).map(|&(_, inside)| Some(inside));
            let is_progress = |inside| progress.contains(self.system, process.automaton.0, edge, inside);
            is_progress(None) || (executed.is_ok() && insides.into_iter().any(is_progress))
        })
    }
}

/// Which statements inside of `d_step`s were executed.
#[derive(Default)]
struct Chosen {
    choices: Vec<(Pid, (u32, u32))>,
}

impl Output for Chosen {
    fn chose(&mut self, process: Pid, node: DStepNodeId, choice: u32) {
        self.choices.push((process, (node.0, choice)));
    }
}
