//! An execution that can be walked in both directions: a counterexample, or a simulation that grows step by step.
//!
//! States are kept, so going back is a look at an earlier one. Steps are those of the interpreter, and a counterexample is one that
//! `certificate` has replayed.

use certificate::trace::{Replay, ReplayError, Trace, replay_to_show};
use promela::source::Span;
use report::names;
use report::steps::describe_violation;
use system::automaton::{Edge, System};
use system::interpreter::{Capacities, Interpreter, Output, Step, Violation};
use system::simulate::Halt;
use system::state::{Pid, State};

/// An execution.
#[derive(Clone, Debug)]
pub struct Run {
    system: System,
    capacities: Capacities,
    process_limit: Option<usize>,
    /// One more than steps, unless the last step fails.
    states: Vec<State>,
    steps: Vec<Taken>,
    /// Why it cannot go on behind the last step, as far as that is known.
    failure: Option<String>,
    repeats_from: Option<usize>,
}

/// A step that was taken.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The step.
    pub step: Step,
    /// What the model printed.
    pub printed: String,
    /// What it violated, in words.
    pub violations: Vec<String>,
}

impl Run {
    /// The execution that a trace is; `repeats_from` is the step with which a part begins that goes on for ever.
    pub fn of_trace(system: System, trace: &Trace, repeats_from: Option<usize>) -> Result<Run, ReplayError> {
        let (replay, failure) = replay_as_far_as_it_goes(&system, trace)?;
        let mut states = vec![replay.initial];
        let mut steps = Vec::new();
        for (index, &step) in trace.steps.iter().enumerate() {
            let violations = match replay.steps.get(index) {
                Some(replayed) => {
                    states.push(replayed.state.clone());
                    replayed.violations.iter().map(|v| describe_violation(&system, v)).collect()
                }
                None => failure.iter().cloned().collect(),
            };
            steps.push(Taken { step: step.into(), printed: String::new(), violations });
        }
        let process_limit = trace.process_limit.map(|limit| limit as usize);
        let capacities = trace.capacities;
        Ok(Run { system, capacities, process_limit, states, steps, failure, repeats_from })
    }

    /// The beginning of a run of the model.
    pub fn begin(system: System) -> Result<Run, String> {
        let begin = Interpreter::new(&system, Capacities::Declared).keeping_everything().initial_state();
        let initial = begin.map_err(|error| error.kind.to_string())?;
        Ok(Run {
            system,
            capacities: Capacities::Declared,
            process_limit: None,
            states: vec![initial],
            steps: Vec::new(),
            failure: None,
            repeats_from: None,
        })
    }

    /// The model that runs.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The semantics under which it runs.
    pub fn interpreter(&self) -> Interpreter<'_> {
        let interpreter = Interpreter::new(&self.system, self.capacities).keeping_everything();
        match self.process_limit {
            Some(limit) => interpreter.with_process_limit(limit),
            None => interpreter,
        }
    }

    /// The steps that were taken.
    pub fn steps(&self) -> &[Taken] {
        &self.steps
    }

    /// The step with which a part begins that goes on for ever.
    pub fn repeats_from(&self) -> Option<usize> {
        self.repeats_from
    }

    /// The last place that can be looked at: after so many steps there is a state.
    pub fn last(&self) -> usize {
        self.states.len() - 1
    }

    /// The state after so many steps.
    pub fn state(&self, at: usize) -> &State {
        &self.states[at.min(self.last())]
    }

    /// What can happen after so many steps.
    pub fn choices(&self, at: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        let _ = self.interpreter().steps_beside_errors(self.state(at), &mut steps);
        steps
    }

    /// Why nothing can happen at the end, if nothing can.
    pub fn halt(&self) -> Option<Halt> {
        let mut steps = Vec::new();
        let interpreter = self.interpreter();
        match interpreter.steps(self.state(self.last()), &mut steps) {
            Err(error) => Some(Halt::Error(error)),
            Ok(_) if !steps.is_empty() => None,
            Ok(_) if interpreter.is_valid_end_state(self.state(self.last())) => Some(Halt::Finished),
            Ok(_) => Some(Halt::Deadlock),
        }
    }

    /// What went wrong in the last step, so that there is no state behind it.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Takes a step at the end.
    pub fn take(&mut self, step: Step) {
        let mut state = self.state(self.last()).clone();
        let mut heard = Heard::default();
        let done = self.interpreter().execute(&mut state, step, &(), &mut heard);
        let mut violations: Vec<String> =
            heard.violations.iter().map(|violation| describe_violation(&self.system, violation)).collect();
        match done {
            Ok(()) => self.states.push(state),
            Err(error) => {
                violations.push(error.kind.to_string());
                self.failure = Some(error.kind.to_string());
            }
        }
        self.steps.push(Taken { step, printed: heard.printed, violations });
    }

    /// Forgets everything behind so many steps, so that something else can happen there.
    pub fn forget_from(&mut self, at: usize) {
        self.steps.truncate(at);
        self.states.truncate(at + 1);
        self.failure = None;
    }

    /// The statement of a step.
    pub fn edge(&self, index: usize) -> &Edge {
        let step = self.steps[index].step;
        let process = &self.state(index).processes[step.process.0 as usize];
        self.system.automaton(process.automaton).edge(step.edge)
    }

    /// A step for people: who does what.
    pub fn describe(&self, index: usize) -> String {
        let state = self.state(index);
        let step = self.steps[index].step;
        let mut text =
            format!("{}: {}", names::process(&self.system, state, step.process), self.edge(index).text);
        if let Some(partner) = step.partner {
            text.push_str(&format!(" with {}", names::process(&self.system, state, partner.process)));
        }
        text
    }

    /// Where a process stands after so many steps.
    pub fn stands_at(&self, at: usize, pid: Pid) -> Option<Span> {
        let process = self.state(at).processes.get(pid.0 as usize)?;
        Some(self.system.automaton(process.automaton).location(process.location).span)
    }
}

/// A trace whose last step is the runtime error that it shows is replayed up to there.
fn replay_as_far_as_it_goes(system: &System, trace: &Trace) -> Result<(Replay, Option<String>), ReplayError> {
    match replay_to_show(system, trace) {
        Ok(replay) => Ok((replay, None)),
        Err(ReplayError::Failed { step, error, .. }) if step + 1 == trace.steps.len() => {
            let mut shorter = trace.clone();
            shorter.steps.pop();
            Ok((replay_to_show(system, &shorter)?, Some(error.kind.to_string())))
        }
        Err(error) => Err(error),
    }
}

#[derive(Default)]
struct Heard {
    printed: String,
    violations: Vec<Violation>,
}

impl Output for Heard {
    fn printed(&mut self, _process: Pid, text: &str) {
        self.printed.push_str(text);
    }

    fn violated(&mut self, violation: Violation) {
        self.violations.push(violation);
    }
}
