//! Pumps whose buffers grow because those who should empty them stand still.
//!
//! Let nobody receive from a buffer. Then what it holds makes no difference to anybody, so it may be left out of the state; and if the rest
//! is finite, a loop of what is left that sends to the buffer is found although it is long. To keep the rest small, only those
//! processes move that the senders of the buffer depend on: who sends to it, who sends to those, and so on. Buffers that
//! none of them empties are left out of the state, too.
//!
//! Who talks to whom is known from runs only, and somebody may look at a buffer without receiving. So what is found here is a guess
//! like every other, which [`certificate::pump::check_pump`] judges.

use std::collections::{BTreeSet, HashMap, VecDeque};

use certificate::pump::PumpQuestion;
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter, Output, Step};
use system::state::{ChannelId, Pid, State};

use crate::explore::{StateIndex, occupancy, path_to};
use crate::options::Control;
use crate::parts::strongly_connected;
use crate::pump::{Pump, PumpFinder};

/// States of one search.
const MOST_STATES: usize = 8_000;
/// States of all searches together.
const ALL_STATES: usize = 100_000;
/// Messages in a buffer that is not left out beyond which a search does not go on.
const MOST_MESSAGES: u64 = 12;
/// Loops of one search that are judged.
const MOST_LOOPS: usize = 8;

/// Who was seen to send to which channel and to receive from it.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    sent: BTreeSet<(Pid, ChannelId)>,
    received: BTreeSet<(Pid, ChannelId)>,
    /// Processes that started others.
    starters: BTreeSet<Pid>,
}

impl Output for Traffic {
    fn sent(&mut self, process: Pid, channel: ChannelId, _: &[i32]) {
        self.sent.insert((process, channel));
    }

    fn received(&mut self, process: Pid, channel: ChannelId, _: &[i32]) {
        self.received.insert((process, channel));
    }

    fn started(&mut self, by: Pid, _: Pid) {
        self.starters.insert(by);
    }
}

impl Traffic {
    /// Those on whom the senders of a channel depend, and they themselves; and those who start processes, without whom there is nobody.
    fn feeders(&self, channel: ChannelId) -> BTreeSet<Pid> {
        let senders_of = |channel: ChannelId| {
            self.sent.iter().filter(move |(_, other)| *other == channel).map(|(pid, _)| *pid)
        };
        let mut feeders = BTreeSet::new();
        let mut queue: Vec<Pid> = senders_of(channel).collect();
        while let Some(pid) = queue.pop() {
            if feeders.insert(pid) {
                let from = self.received.iter().filter(|(other, from)| *other == pid && *from != channel);
                queue.extend(from.flat_map(|(_, from)| senders_of(*from)));
            }
        }
        feeders.union(&self.starters).copied().collect()
    }

    fn channels(&self) -> BTreeSet<ChannelId> {
        self.sent.iter().map(|(_, channel)| *channel).collect()
    }

    fn is_received_by(&self, channel: ChannelId, processes: &BTreeSet<Pid>) -> bool {
        self.received.iter().any(|(pid, other)| *other == channel && processes.contains(pid))
    }
}

/// Looks for a pump in which nobody empties some buffer. `quiet`: steps that may be repeated.
pub fn find(
    system: &System,
    question: &PumpQuestion,
    traffic: &Traffic,
    most_states: usize,
    quiet: &dyn Fn(&State, Step) -> bool,
    control: &Control<'_>,
) -> Option<Pump> {
    let everybody: BTreeSet<Pid> =
        traffic.sent.iter().chain(&traffic.received).map(|(pid, _)| *pid).collect();
    let everybody: BTreeSet<Pid> = everybody.union(&traffic.starters).copied().collect();
    let mut visited = 0;
    let mut tried = BTreeSet::new();
    for who in [Who::Feeders, Who::Everybody] {
        for channel in traffic.channels() {
            let moving = match who {
                Who::Feeders => traffic.feeders(channel),
                Who::Everybody => everybody.clone(),
            };
            let left_out: BTreeSet<ChannelId> = traffic
                .channels()
                .into_iter()
                .filter(|&other| other == channel || !traffic.is_received_by(other, &moving))
                .collect();
            if visited >= ALL_STATES.min(most_states) || control.is_cancelled() {
                return None;
            }
            if !tried.insert((moving.clone(), left_out.clone())) {
                continue;
            }
            let mut search = Search::new(system, moving, left_out);
            search.run(quiet, control);
            visited += search.states.len();
            if let Some(found) = search.find_loop(question) {
                return Some(found);
            }
        }
    }
    None
}

#[derive(Clone, Copy)]
enum Who {
    Feeders,
    Everybody,
}

/// What an edge of the search is.
struct Lead {
    step: Step,
    to: u32,
    /// It sends to a buffer that is left out.
    sends: bool,
    /// It may be repeated.
    quiet: bool,
}

struct Search<'s> {
    system: &'s System,
    moving: BTreeSet<Pid>,
    left_out: BTreeSet<ChannelId>,
    /// Without what the buffers that are left out hold.
    states: Vec<State>,
    parents: Vec<Option<(u32, Step)>>,
    leads: Vec<Vec<Lead>>,
}

/// What a step does with the buffers that are left out.
struct Watch<'a> {
    left_out: &'a BTreeSet<ChannelId>,
    sends: bool,
    receives: bool,
}

impl Output for Watch<'_> {
    fn sent(&mut self, _: Pid, channel: ChannelId, _: &[i32]) {
        self.sends |= self.left_out.contains(&channel);
    }

    fn received(&mut self, _: Pid, channel: ChannelId, _: &[i32]) {
        self.receives |= self.left_out.contains(&channel);
    }
}

impl<'s> Search<'s> {
    fn new(system: &'s System, moving: BTreeSet<Pid>, left_out: BTreeSet<ChannelId>) -> Search<'s> {
        let (states, parents, leads) = (Vec::new(), Vec::new(), Vec::new());
        Search { system, moving, left_out, states, parents, leads }
    }

    fn run(&mut self, quiet: &dyn Fn(&State, Step) -> bool, control: &Control<'_>) {
        let interpreter = Interpreter::new(self.system, Capacities::Unbounded);
        let Ok(initial) = interpreter.initial_state() else { return };
        let mut index = StateIndex::default();
        index.number(&self.states, &initial);
        self.states.push(initial);
        self.parents.push(None);
        let mut steps = Vec::new();
        let mut next = 0;
        while next < self.states.len() && !(next % 16 == 0 && control.is_cancelled()) {
            let state = self.states[next].clone();
            let mut leads = Vec::new();
            interpreter.steps_beside_errors(&state, &mut steps);
            if self.is_too_full(&state) {
                steps.clear();
            }
            for &step in steps.iter().filter(|step| self.moving.contains(&step.process)) {
                let mut after = state.clone();
                let mut watch = Watch { left_out: &self.left_out, sends: false, receives: false };
                if interpreter.execute(&mut after, step, &(), &mut watch).is_err() || watch.receives {
                    continue;
                }
                let sends = watch.sends;
                for id in &self.left_out {
                    if let Some(channel) = after.channels.get_mut(id.0 as usize) {
                        channel.contents.clear();
                    }
                }
                let to = index.number(&self.states, &after);
                if to as usize == self.states.len() {
                    if self.states.len() >= MOST_STATES {
                        continue;
                    }
                    self.states.push(after);
                    self.parents.push(Some((next as u32, step)));
                }
                leads.push(Lead { step, to, sends, quiet: quiet(&state, step) });
            }
            self.leads.push(leads);
            next += 1;
        }
        self.leads.resize_with(self.states.len(), Vec::new);
    }

    fn is_too_full(&self, state: &State) -> bool {
        state.channels.iter().any(|channel| occupancy(self.system, channel) > MOST_MESSAGES)
    }

    fn find_loop(&self, question: &PumpQuestion) -> Option<Pump> {
        let quiet = |leads: &Vec<Lead>| leads.iter().filter(|lead| lead.quiet).map(|lead| lead.to).collect();
        let part = strongly_connected(&self.leads.iter().map(quiet).collect::<Vec<Vec<u32>>>());
        let mut finder = PumpFinder::new(self.system, question.clone());
        let mut tried = BTreeSet::new();
        for (from, leads) in self.leads.iter().enumerate() {
            for lead in leads.iter().filter(|lead| lead.quiet && lead.sends) {
                if part[from] != part[lead.to as usize] || !tried.insert(part[from]) {
                    continue;
                }
                if tried.len() > MOST_LOOPS {
                    return None;
                }
                let Some(mut repeated) = self.way_within(&part, lead.to, from as u32) else { continue };
                repeated.insert(0, lead.step);
                let found = finder.checked(&path_to(&self.parents, from as u32), &repeated);
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// The shortest way from one state to another of the same part, by steps that may be repeated.
    fn way_within(&self, part: &[u32], from: u32, to: u32) -> Option<Vec<Step>> {
        let mut came: HashMap<u32, (u32, Step)> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            for lead in self.leads[at as usize].iter().filter(|lead| lead.quiet) {
                let is_new = lead.to != from && !came.contains_key(&lead.to);
                if is_new && part[lead.to as usize] == part[to as usize] {
                    came.insert(lead.to, (at, lead.step));
                    queue.push_back(lead.to);
                }
            }
        }
        let mut steps = Vec::new();
        let mut at = to;
        while at != from {
            let &(before, step) = came.get(&at)?;
            steps.push(step);
            at = before;
        }
        steps.reverse();
        Some(steps)
    }
}
