//! What all threads of a search learn together: values of components, causes of errors, which statements were executed.
//!
//! It is touched only when something new is computed, never when a remembered step is used, so one lock is enough.

use crate::budget::Budget;
use crate::packed::components::{Components, Divided, Reach};
use crate::report::{Cause, ChannelPeak, MOST_VALUES, Observed, Traffic, Unreached};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use system::automaton::{AutomatonId, EdgeId, LocationId, System};
use system::interpreter::{Output, RuntimeError, Step, Violation};
use system::state::{ChannelId, Pid, State};

use crate::packed::components::Component;

/// What was learned.
#[derive(Debug)]
pub struct Knowledge {
    /// Values of the components of states.
    pub components: Components,
    causes: Vec<Cause>,
    cause_numbers: HashMap<Cause, u32>,
    /// By automaton and edge: whether it was ever executed.
    pub executed: Vec<Vec<bool>>,
    /// Steps that the semantics computed.
    pub computed_steps: u64,
    /// What happened inside of these steps.
    pub watch: Watch,
    /// Values of local variables that were seen in states that have no numbers.
    locals: BTreeMap<(AutomatonId, u32), BTreeSet<i32>>,
}

/// What was learned beside values and causes, as plain numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    /// Automata and edges that were executed.
    executed: Vec<(u32, u32)>,
    /// The most messages, by channel.
    peaks: Vec<u32>,
    /// Processes and the channels that they sent to.
    sent: Vec<(u32, u32)>,
    /// Processes and the channels that they received from.
    received: Vec<(u32, u32)>,
    /// Processes that started others.
    starters: Vec<u32>,
    /// Steps that the semantics computed.
    pub computed_steps: u64,
}

impl Seen {
    /// What two have learned.
    pub fn join(&mut self, other: &Seen) {
        let union = |ours: &mut Vec<(u32, u32)>, theirs: &[(u32, u32)]| {
            ours.extend(theirs);
            ours.sort_unstable();
            ours.dedup();
        };
        union(&mut self.executed, &other.executed);
        union(&mut self.sent, &other.sent);
        union(&mut self.received, &other.received);
        self.starters.extend(&other.starters);
        self.starters.sort_unstable();
        self.starters.dedup();
        self.peaks.resize(self.peaks.len().max(other.peaks.len()), 0);
        self.peaks.iter_mut().zip(&other.peaks).for_each(|(ours, theirs)| *ours = (*ours).max(*theirs));
        self.computed_steps += other.computed_steps;
    }
}

/// Sees what happens inside of steps that the semantics computes. A remembered step was computed once, under all components that it touches,
/// so what is seen then is all that ever happens in it; and what was seen before a step failed, or before a place was too small for what it
/// led to, has happened in a run all the same.
#[derive(Debug, Default)]
pub struct Watch {
    /// The most messages, by channel.
    peaks: Vec<u32>,
    traffic: Traffic,
    /// What the step at hand has violated so far.
    violations: Vec<Violation>,
    /// The channels that the step at hand has used.
    channels: Vec<ChannelId>,
    /// It has started a process.
    has_started: bool,
}

impl Watch {
    /// A step begins.
    pub fn begin_step(&mut self) {
        self.channels.clear();
        self.has_started = false;
    }

    /// What the step that has ended can have changed beside global variables; `None`: anything. Where priorities are used one process
    /// can change another.
    pub fn reach_of(&mut self, step: Step, has_priorities: bool) -> Option<Reach<'_>> {
        self.channels.sort_unstable();
        self.channels.dedup();
        let partner = step.partner.map_or(step.process, |partner| partner.process);
        let processes = [step.process.min(partner), step.process.max(partner)];
        (!self.has_started && !has_priorities).then_some(Reach { processes, channels: &self.channels })
    }

    /// What was violated since this was asked last.
    pub fn take_violations(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.violations)
    }
}

impl Output for Watch {
    fn sent(&mut self, process: Pid, channel: ChannelId, _: &[i32]) {
        self.channels.push(channel);
        self.traffic.sent.insert((process, channel));
    }

    fn holds(&mut self, channel: ChannelId, messages: usize) {
        let index = channel.0 as usize;
        if self.peaks.len() <= index {
            self.peaks.resize(index + 1, 0);
        }
        self.peaks[index] = self.peaks[index].max(u32::try_from(messages).unwrap_or(u32::MAX));
    }

    fn received(&mut self, process: Pid, channel: ChannelId, _: &[i32]) {
        self.channels.push(channel);
        self.traffic.received.insert((process, channel));
    }

    fn started(&mut self, by: Pid, _: Pid) {
        self.has_started = true;
        self.traffic.starters.insert(by);
    }

    fn violated(&mut self, violation: Violation) {
        self.violations.push(violation);
    }
}

impl Knowledge {
    /// What is known at the beginning.
    pub fn new(system: &System, initial: &State, divided: &Divided, budget: &Arc<Budget>) -> Knowledge {
        Knowledge {
            components: Components::new(system, initial, divided, budget),
            causes: Vec::new(),
            cause_numbers: HashMap::new(),
            executed: system.automata.iter().map(|automaton| vec![false; automaton.edges.len()]).collect(),
            computed_steps: 0,
            watch: Watch::default(),
            locals: BTreeMap::new(),
        }
    }

    /// The number of a cause.
    pub fn number_of(&mut self, cause: Cause) -> u32 {
        if let Some(&number) = self.cause_numbers.get(&cause) {
            return number;
        }
        let number = self.causes.len() as u32;
        self.causes.push(cause.clone());
        self.cause_numbers.insert(cause, number);
        number
    }

    /// The cause with a number.
    pub fn cause(&self, number: u32) -> &Cause {
        &self.causes[number as usize]
    }

    /// Notes that a step was executed from a state.
    pub fn note_executed(&mut self, state: &State, step: Step) {
        self.computed_steps += 1;
        let sides =
            [Some((step.process, step.edge)), step.partner.map(|partner| (partner.process, partner.edge))];
        for (pid, edge) in sides.into_iter().flatten() {
            let automaton = state.processes[pid.0 as usize].automaton;
            self.executed[automaton.0 as usize][edge.0 as usize] = true;
        }
    }

    /// Notes values that a slot has had, all of them or more than are listed.
    pub fn note_values(&mut self, automaton: AutomatonId, slot: u32, values: &[i32]) {
        self.locals.entry((automaton, slot)).or_default().extend(values);
    }

    /// What was learned so far, to be kept for later.
    pub fn seen(&self) -> Seen {
        let edges = |(automaton, executed): (usize, &Vec<bool>)| {
            let edges = executed.iter().enumerate().filter(|(_, executed)| **executed);
            edges.map(|(edge, _)| (automaton as u32, edge as u32)).collect::<Vec<_>>()
        };
        let Traffic { sent, received, starters } = &self.watch.traffic;
        let pair = |&(pid, channel): &(Pid, ChannelId)| (pid.0, channel.0);
        Seen {
            executed: self.executed.iter().enumerate().flat_map(edges).collect(),
            peaks: self.watch.peaks.clone(),
            sent: sent.iter().map(pair).collect(),
            received: received.iter().map(pair).collect(),
            starters: starters.iter().map(|pid| pid.0).collect(),
            computed_steps: self.computed_steps,
        }
    }

    /// What was kept is known again.
    pub fn restore(&mut self, seen: &Seen) {
        for &(automaton, edge) in &seen.executed {
            let edges = self.executed.get_mut(automaton as usize);
            if let Some(executed) = edges.and_then(|edges| edges.get_mut(edge as usize)) {
                *executed = true;
            }
        }
        for (channel, &peak) in seen.peaks.iter().enumerate() {
            self.watch.holds(ChannelId(channel as u32), peak as usize);
        }
        let pair = |&(pid, channel): &(u32, u32)| (Pid(pid), ChannelId(channel));
        self.watch.traffic.sent.extend(seen.sent.iter().map(pair));
        self.watch.traffic.received.extend(seen.received.iter().map(pair));
        self.watch.traffic.starters.extend(seen.starters.iter().map(|&pid| Pid(pid)));
        self.computed_steps += seen.computed_steps;
    }

    /// Statements of processes that were never executed.
    pub fn unreached(&self, system: &System) -> Vec<Unreached> {
        let mut unreached = Vec::new();
        for (id, automaton) in system.process_automata() {
            for (index, edge) in automaton.edges.iter().enumerate() {
                if !self.executed[id.0 as usize][index] {
                    let edge_id = EdgeId(index as u32);
                    unreached.push(Unreached { automaton: id, location: edge.source, edge: edge_id });
                }
            }
        }
        unreached
    }

    /// Who was seen to talk to whom.
    pub fn traffic(&self) -> &Traffic {
        &self.watch.traffic
    }

    /// What else was seen.
    pub fn observed(&self) -> Observed {
        let mut observed = Observed { traffic: self.watch.traffic.clone(), locals: self.locals.clone() };
        let mut note = |automaton, slot, value| {
            let values = observed.locals.entry((automaton, slot)).or_default();
            if values.len() <= MOST_VALUES {
                values.insert(value);
            }
        };
        let components = &self.components;
        for id in components.ids() {
            let kind = components.kind(id);
            if !matches!(kind, Component::Process(_) | Component::Locals { .. }) {
                continue;
            }
            for number in (0..components.values(id) as u32).filter(|&number| components.was_met(id, number)) {
                let (automaton, first, values) = match kind {
                    Component::Locals { automaton, first, .. } => {
                        (automaton, first, components.value(id, number))
                    }
                    _ => {
                        let Some((automaton, locals)) = components.frame(id, number) else { continue };
                        (automaton, 0, locals)
                    }
                };
                for (slot, &value) in (first..).zip(values) {
                    note(automaton, slot, value);
                }
            }
        }
        observed
    }

    /// How full each channel got, also in the middle of steps.
    pub fn peaks(&self, system: &System) -> Vec<ChannelPeak> {
        let mut peaks = Vec::new();
        for id in self.components.ids() {
            let Component::Channel(channel) = self.components.kind(id) else { continue };
            let inside = self.watch.peaks.get(channel.0 as usize).copied().unwrap_or(0);
            let mut peak: Option<ChannelPeak> = None;
            for number in 1..self.components.values(id) as u32 {
                let value = self.components.value(id, number);
                let channel_type = promela::model::ChannelTypeId(value[0] as u32);
                let messages = self.components.messages(system, id, number);
                let peak = peak.get_or_insert(ChannelPeak { channel, channel_type, peak: inside });
                peak.peak = peak.peak.max(messages);
            }
            peaks.extend(peak);
        }
        peaks
    }
}

/// The cause that a violation of a step is.
pub fn cause_of_violation(state: &State, step: Step, violation: &Violation) -> Cause {
    match violation {
        Violation::EventNotInTrace { .. } => {
            Cause::EventTrace { message: "an event that the trace does not have here".to_string() }
        }
        Violation::ForbiddenTraceCompleted { .. } => {
            Cause::EventTrace { message: "the forbidden trace was completed".to_string() }
        }
        _ => Cause::Statement {
            automaton: state.processes[step.process.0 as usize].automaton,
            edge: Some(step.edge),
            message: "assertion violated".to_string(),
            assertion: true,
            limit: false,
        },
    }
}

/// The cause that a runtime error is; `step` is known if it occurred in executing one.
pub fn cause_of_error(state: &State, step: Option<Step>, error: &RuntimeError) -> Cause {
    let process = step.map(|step| step.process).or(error.process);
    let automaton =
        process.and_then(|pid| state.processes.get(pid.0 as usize)).map(|process| process.automaton);
    Cause::Statement {
        automaton: automaton.unwrap_or(AutomatonId(0)),
        edge: step.map(|step| step.edge),
        message: error.kind.to_string(),
        assertion: false,
        limit: error.kind.is_limit(),
    }
}

/// The cause that an invalid end state is.
pub fn cause_of_end_state(state: &State) -> Cause {
    let locations: Vec<(AutomatonId, LocationId)> =
        state.processes.iter().map(|process| (process.automaton, process.location)).collect();
    Cause::InvalidEndState { locations }
}
