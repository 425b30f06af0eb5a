//! Who waits for whom in a state in which nothing moves.
//!
//! An explanation, not a verdict: for each process that is stuck, what it waits for and which of the others could still bring it. Who
//! could is read off the statements that a process can still come to, with the values that it has now where nothing changes them. For a
//! variable, whoever wrote it last in the run is meant, if it can write it again: that is who holds a lock.

use crate::columns::shortened;
use crate::names;
use certificate::trace::{Replay, Trace};
use promela::model::Scalar;
use std::collections::{BTreeSet, VecDeque};
use system::automaton::{EdgeId, System};
use system::code::footprint::Footprint;
use system::interpreter::Interpreter;
use system::state::{ChannelId, Pid, State};
use verify::grouped;

/// One process that cannot move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    /// Which one.
    pub process: Pid,
    /// `client(0)`
    pub name: String,
    /// The statement at which it stands.
    pub statement: String,
    /// `model.pml:12`
    pub place: String,
    /// What is missing: `a message in ask`.
    pub missing: String,
    /// Who could bring it.
    pub on: Vec<Pid>,
}

/// A state in which nothing moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// Everybody who is stuck.
    pub waits: Vec<Wait>,
    /// Processes of which each waits for the next, and the last for the first; no process is in two of these circles.
    pub circles: Vec<Vec<Pid>>,
    names: Vec<String>,
}

/// What a stuck process lacks.
#[derive(Default)]
struct Lacks {
    /// Messages in these.
    messages: BTreeSet<ChannelId>,
    /// Room in these, or somebody who takes the message.
    room: BTreeSet<ChannelId>,
    /// Other values of these.
    globals: BTreeSet<u32>,
    /// It waits for the death of younger processes.
    deaths: bool,
}

/// Who waits for whom at the end of a run.
pub fn waiting(system: &System, trace: &Trace, replay: &Replay) -> Waiting {
    let interpreter = &trace.interpreter(system);
    let state = replay.state_before(replay.steps.len());
    let names: Vec<String> =
        (0..state.processes.len()).map(|pid| names::process(system, state, Pid(pid as u32))).collect();
    let later: Vec<Vec<Footprint>> =
        (0..state.processes.len()).map(|pid| later(interpreter, state, Pid(pid as u32))).collect();
    let mut waits = Vec::new();
    let mut on: Vec<Vec<Pid>> = Vec::new();
    for (index, process) in state.processes.iter().enumerate() {
        let pid = Pid(index as u32);
        let automaton = system.automaton(process.automaton);
        let location = automaton.location(process.location);
        let lacks = lacks(interpreter, state, pid);
        let helpers = helpers(&lacks, pid, &later, &|slot| last_writer(trace, replay, slot));
        on.push(helpers.clone());
        if location.end {
            continue;
        }
        let edge = location.edges.first().map(|&edge| automaton.edge(edge));
        waits.push(Wait {
            process: pid,
            name: names[index].clone(),
            statement: edge.map_or_else(|| "the end".to_string(), |edge| edge.text.clone()),
            place: names::place(system, edge.map_or(location.span, |edge| edge.span)),
            missing: missing(system, state, &lacks),
            on: helpers,
        });
    }
    let mut circles: Vec<Vec<Pid>> = Vec::new();
    for wait in &waits {
        let is_new = |circle: &Vec<Pid>| !circle.iter().any(|pid| circles.iter().flatten().any(|p| p == pid));
        let circle = circle_through(wait.process, &on).filter(is_new);
        circles.extend(circle);
    }
    Waiting { waits, circles, names }
}

/// What the statements lack at which a process stands.
fn lacks(interpreter: &Interpreter<'_>, state: &State, pid: Pid) -> Lacks {
    let system = interpreter.system();
    let process = &state.processes[pid.0 as usize];
    let mut lacks = Lacks::default();
    for (edge, _) in system.automaton(process.automaton).edges_from(process.location) {
        let guard = interpreter.guard_footprint(state, pid, edge);
        lacks.messages.extend(&guard.receives.known);
        lacks.messages.extend(&guard.awaits_message.known);
        lacks.room.extend(&guard.sends.known);
        lacks.room.extend(&guard.awaits_room.known);
        lacks.messages.extend(&guard.looks.known);
        lacks.globals.extend(guard.reads.iter());
        lacks.deaths |= interpreter.has_terminated(process);
    }
    // Whatever names a channel in a message is read as well; a channel variable is hardly what is waited for.
    lacks.globals.retain(|&slot| {
        system.global_slots.get(slot as usize).is_some_and(|slot| slot.scalar != Scalar::Chan)
    });
    lacks
}

/// What a process may still do: a footprint for each statement that it can come to.
fn later(interpreter: &Interpreter<'_>, state: &State, pid: Pid) -> Vec<Footprint> {
    let process = &state.processes[pid.0 as usize];
    let automaton = interpreter.system().automaton(process.automaton);
    let mut met = BTreeSet::from([process.location]);
    let mut open = vec![process.location];
    let mut edges: Vec<EdgeId> = Vec::new();
    while let Some(location) = open.pop() {
        for (id, edge) in automaton.edges_from(location) {
            edges.push(id);
            if met.insert(edge.target) {
                open.push(edge.target);
            }
        }
    }
    let written: BTreeSet<u32> = edges
        .iter()
        .flat_map(|&edge| {
            let footprint = interpreter.static_footprint(process.automaton, edge);
            footprint.local_writes.iter().collect::<Vec<u32>>()
        })
        .collect();
    let is_written = |slot: u32| written.contains(&slot);
    edges.iter().map(|&edge| interpreter.later_footprint(state, pid, edge, &is_written)).collect()
}

fn helpers(
    lacks: &Lacks,
    pid: Pid,
    later: &[Vec<Footprint>],
    last_writer: &dyn Fn(u32) -> Option<Pid>,
) -> Vec<Pid> {
    let others = || (0..later.len() as u32).map(Pid).filter(|&other| other != pid);
    let does = |other: Pid, wanted: &dyn Fn(&Footprint) -> bool| later[other.0 as usize].iter().any(wanted);
    let mut found: BTreeSet<Pid> = BTreeSet::new();
    if lacks.deaths {
        found.extend(others().rfind(|other| *other > pid));
        return found.into_iter().collect();
    }
    for channel in &lacks.messages {
        found.extend(
            others().filter(|&other| {
                does(other, &|step| step.sends.known.contains(channel) || step.sends.others)
            }),
        );
    }
    for channel in &lacks.room {
        found.extend(others().filter(|&other| {
            does(other, &|step| step.receives.known.contains(channel) || step.receives.others)
        }));
    }
    for &slot in &lacks.globals {
        let writers: Vec<Pid> =
            others().filter(|&other| does(other, &|step| step.writes.contains(slot))).collect();
        match last_writer(slot).filter(|last| writers.contains(last)) {
            Some(holder) => found.extend([holder]),
            None => found.extend(writers),
        }
    }
    found.into_iter().collect()
}

/// Who moved when a global variable changed for the last time.
fn last_writer(trace: &Trace, replay: &Replay, slot: u32) -> Option<Pid> {
    let value = |step: usize| replay.state_before(step).globals.get(slot as usize);
    let changed = (0..replay.steps.len()).rev().find(|&step| value(step) != value(step + 1))?;
    trace.steps.get(changed).map(|step| Pid(step.process))
}

fn missing(system: &System, state: &State, lacks: &Lacks) -> String {
    let channels = |ids: &BTreeSet<ChannelId>| {
        let names: Vec<String> = ids.iter().map(|&id| names::channel(system, state, id)).collect();
        listed(&names, "or")
    };
    let is_rendezvous = |id: &&ChannelId| {
        let channel = &state.channels[id.0 as usize];
        system.model.channel_types[channel.channel_type.0 as usize].capacity == 0
    };
    let mut parts = Vec::new();
    if lacks.deaths {
        parts.push("the death of younger processes".to_string());
    }
    if !lacks.messages.is_empty() {
        parts.push(format!("a message in {}", channels(&lacks.messages)));
    }
    if !lacks.room.is_empty() {
        let meeting = lacks.room.iter().all(|id| is_rendezvous(&id));
        let what = if meeting { "a receiver at" } else { "room in" };
        parts.push(format!("{what} {}", channels(&lacks.room)));
    }
    if !lacks.globals.is_empty() && !lacks.deaths {
        let names: Vec<String> = lacks
            .globals
            .iter()
            .map(|&slot| {
                let info = &system.global_slots[slot as usize];
                let value = names::value(system, Some(info.scalar), state.globals[slot as usize]);
                format!("{} (is {value})", info.name)
            })
            .collect();
        parts.push(format!("another value of {}", listed(&names, "or")));
    }
    parts.join(", or ")
}

/// The shortest way from a process back to itself, along who waits for whom.
fn circle_through(start: Pid, on: &[Vec<Pid>]) -> Option<Vec<Pid>> {
    let mut from: Vec<Option<Pid>> = vec![None; on.len()];
    let mut open = VecDeque::from([start]);
    while let Some(pid) = open.pop_front() {
        for &next in &on[pid.0 as usize] {
            if next == start {
                let mut way = vec![pid];
                while let Some(previous) = from[way[way.len() - 1].0 as usize] {
                    way.push(previous);
                }
                way.reverse();
                return Some(way);
            }
            if from[next.0 as usize].is_none() {
                from[next.0 as usize] = Some(pid);
                open.push_back(next);
            }
        }
    }
    None
}

/// Columns of a statement.
const STATEMENT: usize = 40;

/// Names that one list shows.
const NAMED: usize = 4;

/// `a, b or c`, and of many only the first.
fn listed(names: &[String], word: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        many if many.len() > NAMED => {
            format!("{} {word} {} more", many[..NAMED].join(", "), many.len() - NAMED)
        }
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

impl Waiting {
    /// A line for each process that is stuck, and one for each circle.
    pub fn lines(&self, most: usize) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let in_circle = |wait: &&Wait| self.circles.iter().flatten().any(|pid| *pid == wait.process);
        let (first, rest): (Vec<&Wait>, Vec<&Wait>) = self.waits.iter().partition(in_circle);
        let shown = first.into_iter().chain(rest);
        for wait in shown.take(most) {
            let Wait { name, place, statement, missing, .. } = wait;
            let line = place.split_once(':').map_or(place.as_str(), |(_, line)| line);
            let whom = match (missing.is_empty(), wait.on.is_empty()) {
                (true, _) => String::new(),
                (false, true) => format!(" for {missing}, which nobody can bring"),
                (false, false) => format!(" for {}", self.named(&wait.on)),
            };
            lines.push(format!("{name} waits{whom}: `{}` (line {line})", shortened(statement, STATEMENT)));
        }
        if self.waits.len() > most {
            lines.push(format!("and {} more", grouped((self.waits.len() - most) as u64)));
        }
        for circle in self.circles.iter().take(most) {
            let names: Vec<&str> = circle.iter().chain(circle.first()).map(|pid| self.name(*pid)).collect();
            lines.push(format!("waiting in a circle: {}", names.join(" -> ")));
        }
        lines
    }

    fn name(&self, pid: Pid) -> &str {
        self.names.get(pid.0 as usize).map_or("?", String::as_str)
    }

    fn named(&self, pids: &[Pid]) -> String {
        let names: Vec<String> = pids.iter().map(|&pid| self.name(pid).to_string()).collect();
        listed(&names, "or")
    }
}
