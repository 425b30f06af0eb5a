//! Executions of a model, as data: what a search found, what a replay shows.
//!
//! A trace names steps only. Where it begins (the initial state) and what the steps do is the semantics' business, so a trace
//! is believed after [`replay`] went through it and not before.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use system::automaton::{EdgeId, System};
use system::interpreter::{Capacities, Interpreter, Partner, RuntimeError, Step, Violation};
use system::limits::Limits;
use system::state::{Pid, State};

/// The only schema that this version reads and writes.
pub const TRACE_SCHEMA: &str = "plimsoll-trace/2";

/// A finite execution, or a lasso: an execution with a loop at its end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// [`TRACE_SCHEMA`].
    pub schema: String,
    /// Fingerprint of the model: [`System::fingerprint`].
    pub model: String,
    /// How large buffers are in this execution.
    #[serde(with = "CapacitiesForm")]
    pub capacities: Capacities,
    /// The steps, from the initial state on.
    pub steps: Vec<TraceStep>,
    /// If it is a lasso: the step with which the loop begins. After the last step the state is again the one before this
    /// step. Equal to the number of steps if the loop is a state that nothing leaves, in which the system stays for ever.
    pub loop_start: Option<usize>,
    /// How many processes there may be at once, if more than SPIN's 255.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process_limit: Option<u32>,
}

/// How [`Capacities`] are written.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Capacities", deny_unknown_fields, rename_all = "snake_case")]
enum CapacitiesForm {
    Declared,
    Fixed(u32),
    Unbounded,
}

/// One step, as [`Step`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceStep {
    /// Who moves.
    pub process: u32,
    /// Along which edge of its automaton.
    pub edge: u32,
    /// The receiving side of a rendezvous: process and edge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partner: Option<(u32, u32)>,
}

/// What happened at one step of a replay.
#[derive(Clone, PartialEq, Debug)]
pub struct Replayed {
    /// The state after the step.
    pub state: State,
    /// What the step violated, in order.
    pub violations: Vec<Violation>,
}

/// Why a trace is not an execution of the model.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum ReplayError {
    /// T1: another schema.
    Schema(String),
    /// T2: it belongs to another model.
    OtherModel,
    /// T3: buffers without room, or fewer processes than SPIN allows: what it shows would not be the model's doing.
    OtherLimits,
    /// The model has no initial state.
    NoInitialState(RuntimeError),
    /// T4: the state before this step does not allow it.
    NotEnabled {
        /// Index of the step.
        step: usize,
    },
    /// This step is a runtime error. As the last step of a trace that shows just this, it is what was to be shown.
    Failed {
        /// Index of the step.
        step: usize,
        /// The error.
        error: RuntimeError,
        /// What the step violated before it failed.
        violations: Vec<Violation>,
    },
    /// T5: the loop does not close, or the state in which the system is to stay is left by something.
    LoopIsOpen,
}

/// The states of an execution.
#[derive(Clone, PartialEq, Debug)]
pub struct Replay {
    /// Where it begins.
    pub initial: State,
    /// What each step led to.
    pub steps: Vec<Replayed>,
}

impl Trace {
    /// A trace of the model.
    pub fn new(system: &System, capacities: Capacities, steps: &[Step], loop_start: Option<usize>) -> Trace {
        Trace {
            schema: TRACE_SCHEMA.to_string(),
            model: system.fingerprint().to_string(),
            capacities,
            steps: steps.iter().map(|&step| step.into()).collect(),
            loop_start,
            process_limit: None,
        }
    }

    /// Whether buffers have room, and there may be at least as many processes as in SPIN.
    fn keeps_limits(&self) -> bool {
        let enough = |processes: u32| processes as usize >= Limits::SPIN.processes;
        self.capacities != Capacities::Fixed(0) && self.process_limit.is_none_or(enough)
    }

    /// The semantics under which the trace was made.
    pub fn interpreter<'s>(&self, system: &'s System) -> Interpreter<'s> {
        let interpreter = Interpreter::new(system, self.capacities);
        match self.process_limit {
            Some(limit) => interpreter.with_process_limit(limit as usize),
            None => interpreter,
        }
    }
}

impl Replay {
    /// The state before a step; that before the step after the last is where the execution ends.
    pub fn state_before(&self, step: usize) -> &State {
        match step.checked_sub(1) {
            None => &self.initial,
            Some(previous) => &self.steps[previous].state,
        }
    }
}

/// Executes a trace with the step semantics.
pub fn replay(system: &System, trace: &Trace) -> Result<Replay, ReplayError> {
    if trace.schema != TRACE_SCHEMA {
        return Err(ReplayError::Schema(trace.schema.clone()));
    }
    if trace.model != system.fingerprint() {
        return Err(ReplayError::OtherModel);
    }
    if !trace.keeps_limits() {
        return Err(ReplayError::OtherLimits);
    }
    let interpreter = trace.interpreter(system);
    let replay = execute(&interpreter, trace)?;
    if let Some(start) = trace.loop_start {
        let end = trace.steps.len();
        let closes = match start.cmp(&end) {
            Ordering::Less => {
                released(&interpreter, replay.state_before(start))
                    == released(&interpreter, replay.state_before(end))
            }
            Ordering::Equal => is_left_by_nothing(&interpreter, replay.state_before(end)),
            Ordering::Greater => false,
        };
        if !closes {
            return Err(ReplayError::LoopIsOpen);
        }
    }
    Ok(replay)
}

/// The same for people: variables show their values even where nothing reads them any more.
pub fn replay_to_show(system: &System, trace: &Trace) -> Result<Replay, ReplayError> {
    replay(system, trace)?;
    execute(&trace.interpreter(system).keeping_everything(), trace)
}

fn execute(interpreter: &Interpreter<'_>, trace: &Trace) -> Result<Replay, ReplayError> {
    let initial = interpreter.initial_state().map_err(ReplayError::NoInitialState)?;
    let mut replay = Replay { initial, steps: Vec::new() };
    let mut enabled = Vec::new();
    for (index, &step) in trace.steps.iter().enumerate() {
        let mut state = replay.state_before(index).clone();
        interpreter.steps_beside_errors(&state, &mut enabled);
        if !enabled.contains(&step.into()) {
            return Err(ReplayError::NotEnabled { step: index });
        }
        let mut violations = Vec::new();
        if let Err(error) = interpreter.execute(&mut state, step.into(), &(), &mut violations) {
            return Err(ReplayError::Failed { step: index, error, violations });
        }
        replay.steps.push(Replayed { state, violations });
    }
    Ok(replay)
}

/// What the last step of a trace violates, whether it fails afterwards or not.
pub fn violations_at_end(system: &System, trace: &Trace) -> Result<Vec<Violation>, ReplayError> {
    match replay(system, trace) {
        Ok(mut replay) => Ok(replay.steps.pop().map_or(Vec::new(), |last| last.violations)),
        Err(ReplayError::Failed { step, violations, .. }) if step + 1 == trace.steps.len() => Ok(violations),
        Err(error) => Err(error),
    }
}

/// Whether the system can stay in the state for ever: nothing can be executed, and nothing fails.
fn is_left_by_nothing(interpreter: &Interpreter<'_>, state: &State) -> bool {
    let mut steps = Vec::new();
    interpreter.steps(state, &mut steps).is_ok() && steps.is_empty()
}

/// The state without the exclusive control of a process that is blocked and so has lost it.
fn released(interpreter: &Interpreter<'_>, state: &State) -> State {
    let mut released = state.clone();
    if let Some(pid) = state.exclusive {
        let mut steps = Vec::new();
        if interpreter.steps_of(state, pid, false, &(), &mut steps).is_ok() && steps.is_empty() {
            released.exclusive = None;
        }
    }
    released
}

impl From<Step> for TraceStep {
    fn from(step: Step) -> TraceStep {
        TraceStep {
            process: step.process.0,
            edge: step.edge.0,
            partner: step.partner.map(|partner| (partner.process.0, partner.edge.0)),
        }
    }
}

impl From<TraceStep> for Step {
    fn from(step: TraceStep) -> Step {
        let partner =
            step.partner.map(|(process, edge)| Partner { process: Pid(process), edge: EdgeId(edge) });
        Step { process: Pid(step.process), edge: EdgeId(step.edge), partner }
    }
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Schema(found) => {
                write!(f, "{}", crate::schema::other_version("trace", found, TRACE_SCHEMA))
            }
            ReplayError::OtherModel => write!(f, "the trace belongs to another model"),
            ReplayError::OtherLimits => {
                write!(f, "the trace asks for buffers without room, or for fewer processes than SPIN allows")
            }
            ReplayError::NoInitialState(error) => write!(f, "the model has no initial state: {}", error.kind),
            ReplayError::NotEnabled { step } => {
                write!(f, "the state before step {} does not allow it", step + 1)
            }
            ReplayError::Failed { step, error, .. } => write!(f, "step {} fails: {}", step + 1, error.kind),
            ReplayError::LoopIsOpen => write!(f, "the loop does not end where it begins"),
        }
    }
}
