//! The slow, obvious search: plain states in a hash map, breadth first, nothing remembered. What the fast one is compared with.

use crate::budget::Budget;
use crate::explore::witness;
use crate::options::{ErrorPolicy, SearchOptions};
use crate::packed::components::Divided;
use crate::packed::digest::StatesDigest;
use crate::packed::knowledge::{Knowledge, cause_of_end_state, cause_of_error, cause_of_violation};
use crate::report::{Cause, Counts, ErrorGroup, Outcome, SearchReport, StopReason};
use certificate::trace::Trace;
use std::collections::HashMap;
use system::automaton::System;
use system::control::Control;
use system::interpreter::{Interpreter, RuntimeError, Step};
use system::state::State;

/// Explores everything, for safety properties.
pub fn explore(
    system: &System,
    options: &SearchOptions,
    control: &Control<'_>,
) -> Result<SearchReport, RuntimeError> {
    let interpreter = Interpreter::new(system, options.capacities).by_stack();
    let initial = interpreter.initial_state()?;
    let mut search = Reference {
        system,
        interpreter,
        options,
        knowledge: Knowledge::new(system, &initial, &Divided::None, &Budget::new(None)),
        numbers: HashMap::from([(initial.clone(), 0)]),
        states: vec![initial],
        origins: vec![(0, Vec::new())],
        counts: Counts::default(),
        errors: Vec::new(),
        unconfirmed: false,
    };
    let mut outcome = Outcome::Complete;
    let mut level_end = 1;
    let mut index = 0;
    while index < search.states.len() {
        if index == level_end {
            search.counts.depth += 1;
            level_end = search.states.len();
        }
        search.expand(index);
        index += 1;
        let reason = if options.errors != ErrorPolicy::All && !search.errors.is_empty() {
            Some(StopReason::Error)
        } else if control.is_cancelled() {
            Some(StopReason::Cancelled)
        } else {
            options.limits.states.filter(|&limit| search.states.len() as u64 > limit).map(StopReason::States)
        };
        if let Some(reason) = reason {
            outcome = Outcome::Stopped(reason);
            break;
        }
    }
    search.counts.states = search.states.len() as u64;
    if search.unconfirmed {
        outcome = Outcome::Stopped(StopReason::TraceNotConfirmed);
    }
    let digest = (outcome == Outcome::Complete).then(|| {
        let mut digest = StatesDigest::default();
        search.states.iter().for_each(|state| digest.add(state));
        digest
    });
    Ok(SearchReport {
        digest,
        counts: search.counts,
        channels: search.knowledge.peaks(system),
        observed: search.knowledge.observed(),
        unreached: search.knowledge.unreached(system),
        errors: search.errors,
        ..SearchReport::of(outcome)
    })
}

struct Reference<'s> {
    system: &'s System,
    interpreter: Interpreter<'s>,
    options: &'s SearchOptions,
    knowledge: Knowledge,
    numbers: HashMap<State, usize>,
    states: Vec<State>,
    /// For each state its parent and the steps from there.
    origins: Vec<(usize, Vec<Step>)>,
    counts: Counts,
    errors: Vec<ErrorGroup>,
    unconfirmed: bool,
}

impl Reference<'_> {
    fn expand(&mut self, index: usize) {
        let mut chains = vec![(self.states[index].clone(), Vec::<Step>::new())];
        let mut steps = Vec::new();
        while let Some((state, way)) = chains.pop() {
            let (enabled, error) = self.interpreter.steps_beside_errors(&state, &mut steps);
            if state.exclusive.is_some() && enabled.released {
                // Blocked inside an `atomic`: a state like any other.
                self.arrive(index, State { exclusive: None, ..state }, way);
                continue;
            }
            if let Some(error) = &error {
                self.error(index, &way, cause_of_error(&state, None, error));
            } else if steps.is_empty() {
                let valid = self.interpreter.is_valid_end_state(&state)
                    && self.interpreter.event_trace_is_complete(&state);
                if self.options.properties.end_states && !valid {
                    self.error(index, &way, cause_of_end_state(&state));
                }
                continue;
            }
            for &step in &steps {
                let mut after = state.clone();
                let mut way = way.clone();
                way.push(step);
                self.knowledge.note_executed(&state, step);
                let executed = self.interpreter.execute(&mut after, step, &(), &mut self.knowledge.watch);
                for violation in self.knowledge.watch.take_violations() {
                    if self.options.properties.include(&violation) {
                        self.error(index, &way, cause_of_violation(&state, step, &violation));
                    }
                }
                if let Err(error) = executed {
                    self.error(index, &way, cause_of_error(&state, Some(step), &error));
                    continue;
                }
                if after.exclusive.is_some() {
                    self.counts.atomic_steps += 1;
                    chains.push((after, way));
                } else {
                    self.arrive(index, after, way);
                }
            }
        }
    }

    fn arrive(&mut self, from: usize, state: State, way: Vec<Step>) {
        let mut numbers = Vec::new();
        self.knowledge.components.encode(&state, &mut numbers);
        if self.numbers.contains_key(&state) {
            self.counts.matched += 1;
        } else {
            self.numbers.insert(state.clone(), self.states.len());
            self.states.push(state);
            self.origins.push((from, way));
        }
    }

    fn error(&mut self, index: usize, way: &[Step], cause: Cause) {
        if let Some(group) = self.errors.iter_mut().find(|group| group.cause == cause) {
            group.count += 1;
            return;
        }
        let mut pieces = vec![way.to_vec()];
        let mut at = index;
        while at != 0 {
            let (parent, steps) = &self.origins[at];
            pieces.push(steps.clone());
            at = *parent;
        }
        pieces.reverse();
        let trace = Trace::new(self.system, self.options.capacities, &pieces.concat(), None);
        if witness::confirms(self.system, &trace, &cause) {
            self.errors.push(ErrorGroup { cause, count: 1, trace });
        } else {
            self.unconfirmed = true;
        }
    }
}
