//! The plainest exploration there is: whole states in a hash set, every step asked of the step semantics.
//!
//! Counts what SPIN's verifier counts: a state is stored unless it lies inside an `atomic` whose process can go on; every
//! arrival at a stored state is a transition, the arrival of the initial state included; every step that ends inside an
//! `atomic` is an atomic step.

use foldhash::fast::RandomState;
use std::collections::{HashSet, VecDeque};
use std::rc::Rc;
use std::time::{Duration, Instant};
use system::interpreter::{Interpreter, Output, RuntimeError, Step, Violation};
use system::state::State;

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// Stored states.
    pub stored: u64,
    /// Arrivals at states that were stored before.
    pub matched: u64,
    /// Steps that ended inside an `atomic`.
    pub atomic_steps: u64,
    /// Violated assertions, each time.
    pub assertions: u64,
    /// Violations of an event trace, each time.
    pub trace_violations: u64,
    /// States in which nothing can move and somebody is not at a valid end.
    pub invalid_end_states: u64,
    /// Runtime errors, without repetitions. What comes after one is not explored.
    pub runtime_errors: Vec<String>,
    /// Whether all states were visited.
    pub extent: Extent,
}

/// How far an exploration went.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Extent {
    /// Everywhere.
    #[default]
    Complete,
    /// Too many states.
    States,
    /// Too long.
    Time,
    /// An `atomic` that goes on and on.
    EndlessAtomic,
}

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Stored states.
    pub states: u64,
    /// Time.
    pub time: Duration,
    /// Steps in a row within one `atomic`.
    pub atomic_steps: u32,
}

/// Visits all states.
pub fn explore(interpreter: &Interpreter<'_>, limits: &Limits) -> Exploration {
    let mut search = Search {
        interpreter,
        limits,
        started: Instant::now(),
        stored: HashSet::default(),
        waiting: VecDeque::new(),
        found: Exploration::default(),
    };
    match interpreter.initial_state() {
        Ok(initial) => search.arrive(initial),
        Err(error) => search.note(error),
    }
    search.run();
    search.found
}

/// A step can violate several assertions: a `d_step` with more than one.
#[derive(Default)]
struct Violations {
    assertions: u64,
    of_traces: u64,
}

impl Output for Violations {
    fn violated(&mut self, violation: Violation) {
        match violation {
            Violation::AssertionFailed { .. } => self.assertions += 1,
            _ => self.of_traces += 1,
        }
    }
}

struct Search<'a, 's> {
    interpreter: &'a Interpreter<'s>,
    limits: &'a Limits,
    started: Instant,
    stored: HashSet<Rc<State>, RandomState>,
    waiting: VecDeque<Rc<State>>,
    found: Exploration,
}

impl Search<'_, '_> {
    fn run(&mut self) {
        let mut steps = Vec::new();
        while let Some(state) = self.waiting.pop_front() {
            if self.found.stored > self.limits.states {
                self.found.extent = Extent::States;
            } else if self.found.stored.is_multiple_of(256) && self.started.elapsed() > self.limits.time {
                self.found.extent = Extent::Time;
            }
            if self.found.extent != Extent::Complete {
                return;
            }
            match self.interpreter.steps(&state, &mut steps) {
                Ok(_) if steps.is_empty() && self.is_invalid_end(&state) => {
                    self.found.invalid_end_states += 1;
                }
                Ok(_) => {}
                // Whoever cannot evaluate its guard does not keep the others from moving.
                Err(error) => self.note(error),
            }
            self.follow(&state, &steps, 0);
        }
    }

    fn is_invalid_end(&self, state: &State) -> bool {
        let ends_well =
            self.interpreter.is_valid_end_state(state) && self.interpreter.event_trace_is_complete(state);
        !state.processes.is_empty() && !ends_well
    }

    fn follow(&mut self, state: &State, steps: &[Step], atomic_steps: u32) {
        for &step in steps {
            if self.found.extent != Extent::Complete {
                return;
            }
            let mut next = state.clone();
            let mut violations = Violations::default();
            match self.interpreter.execute(&mut next, step, &(), &mut violations) {
                Ok(()) => self.go_on(next, atomic_steps),
                Err(error) => self.note(error),
            }
            self.found.assertions += violations.assertions;
            self.found.trace_violations += violations.of_traces;
        }
    }

    fn go_on(&mut self, mut state: State, atomic_steps: u32) {
        if state.exclusive.is_none() {
            return self.arrive(state);
        }
        self.found.atomic_steps += 1;
        // Ways through `atomic` sequences multiply.
        let too_many = self.found.atomic_steps > self.limits.states.saturating_mul(1_000);
        if too_many || atomic_steps >= self.limits.atomic_steps {
            self.found.extent = Extent::EndlessAtomic;
            return;
        }
        let mut steps = Vec::new();
        match self.interpreter.steps(&state, &mut steps) {
            Ok(enabled) if enabled.released => {
                state.exclusive = None;
                self.arrive(state);
            }
            Ok(_) => self.follow(&state, &steps, atomic_steps + 1),
            Err(error) => self.note(error),
        }
    }

    fn arrive(&mut self, state: State) {
        let state = Rc::new(state);
        if self.stored.insert(Rc::clone(&state)) {
            self.found.stored += 1;
            self.waiting.push_back(state);
        } else {
            self.found.matched += 1;
        }
    }

    fn note(&mut self, error: RuntimeError) {
        let message = error.kind.to_string();
        if !self.found.runtime_errors.contains(&message) {
            self.found.runtime_errors.push(message);
        }
    }
}
