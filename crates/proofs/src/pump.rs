//! Runs in which a buffer grows for ever: a way to a configuration, and steps that can be repeated from there on (DESIGN.md, section 5).

use std::collections::HashSet;

use certificate::trace::Trace;
use system::automaton::{Action, Edge, EdgeId, System};
use system::interpreter::{Capacities, Interpreter, Output, Step};
use system::state::{ChannelId, Pid, State};

use promela::model::{Expr, ExprKind};

use crate::explore::{Exploration, occupancy};
use crate::options::Control;

/// A run to a configuration and steps that can be repeated from there for ever, with more messages each time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pump {
    /// The run: the way first, then once what is repeated. `loop_start` is empty: the state after is not the same.
    pub trace: Trace,
    /// The step with which the repeated part begins.
    pub repeat_from: usize,
    /// The numbers of the channels that grow.
    pub grows: Vec<u32>,
}

/// What each channel sees while steps are executed.
#[derive(Default)]
struct Traffic {
    sent: Vec<Vec<Vec<i32>>>,
    received: Vec<Vec<Vec<i32>>>,
}

impl Output for Traffic {
    fn sent(&mut self, _: Pid, channel: ChannelId, message: &[i32]) {
        at(&mut self.sent, channel).push(message.to_vec());
    }

    fn received(&mut self, _: Pid, channel: ChannelId, message: &[i32]) {
        at(&mut self.received, channel).push(message.to_vec());
    }
}

fn at(lists: &mut Vec<Vec<Vec<i32>>>, channel: ChannelId) -> &mut Vec<Vec<i32>> {
    let index = channel.0 as usize;
    if lists.len() <= index {
        lists.resize(index + 1, Vec::new());
    }
    &mut lists[index]
}

/// Ancestors that a state is compared with.
const LONGEST_LOOP: usize = 400;
/// States from which the suspicious statements alone are tried.
const GUIDED_STARTS: usize = 3_000;
/// States of one such try.
const GUIDED_STATES: usize = 300;
/// States of all such tries together.
const ALL_GUIDED_STATES: usize = 60_000;

/// Looks for a pump among the states that a search saw: a state and one of its ancestors. `only`: steps that the repeated part may use.
pub fn find_in(
    system: &System,
    exploration: &Exploration,
    only: &dyn Fn(&State, Step) -> bool,
    control: &Control<'_>,
) -> Option<Pump> {
    let interpreter = Interpreter::new(system, Capacities::Unbounded);
    for (index, state) in exploration.states.iter().enumerate() {
        if index % 512 == 0 && control.is_cancelled() {
            return None;
        }
        let mut steps: Vec<Step> = Vec::new();
        let mut at = index as u32;
        for _ in 0..LONGEST_LOOP {
            let Some((parent, step)) = exploration.parents[at as usize] else { break };
            if !only(&exploration.states[parent as usize], step) {
                break;
            }
            steps.push(step);
            at = parent;
            let before = &exploration.states[at as usize];
            if may_be_pump(system, before, state) {
                let mut repeated = steps.clone();
                repeated.reverse();
                if let Some(grows) = is_pump(&interpreter, before, &repeated) {
                    return Some(pump(system, exploration.path_to(at), &repeated, grows));
                }
            }
        }
    }
    None
}

/// Looks for a pump that repeats suspicious statements only: from each state that the search saw, a small search of its own.
pub fn find_guided(
    system: &System,
    exploration: &Exploration,
    suspicious: &dyn Fn(&State, Step) -> bool,
    control: &Control<'_>,
) -> Option<Pump> {
    let interpreter = Interpreter::new(system, Capacities::Unbounded);
    let mut visited = 0;
    for (index, start) in exploration.states.iter().enumerate().take(GUIDED_STARTS) {
        if start.exclusive.is_some() {
            continue;
        }
        if control.is_cancelled() {
            return None;
        }
        if visited > ALL_GUIDED_STATES {
            return None;
        }
        let mut seen: HashSet<State> = HashSet::from([start.clone()]);
        let mut states: Vec<State> = vec![start.clone()];
        let mut parents: Vec<Option<(usize, Step)>> = vec![None];
        let mut next = 0;
        let mut steps = Vec::new();
        while next < states.len() && states.len() < GUIDED_STATES {
            let state = states[next].clone();
            if interpreter.steps(&state, &mut steps).is_err() {
                steps.clear();
            }
            for &step in &steps {
                if !suspicious(&state, step) {
                    continue;
                }
                let mut after = state.clone();
                if interpreter.execute(&mut after, step, &(), &mut ()).is_err() || !seen.insert(after.clone())
                {
                    continue;
                }
                states.push(after);
                parents.push(Some((next, step)));
                let last = states.len() - 1;
                let mut repeated = Vec::new();
                let mut at = last;
                while let Some((parent, step)) = parents[at] {
                    repeated.push(step);
                    at = parent;
                    if may_be_pump(system, &states[at], &states[last]) {
                        let mut forwards = repeated.clone();
                        forwards.reverse();
                        if let Some(grows) = is_pump(&interpreter, &states[at], &forwards) {
                            let mut way = exploration.path_to(index as u32);
                            let mut between = Vec::new();
                            let mut back = at;
                            while let Some((parent, step)) = parents[back] {
                                between.push(step);
                                back = parent;
                            }
                            way.extend(between.into_iter().rev());
                            return Some(pump(system, way, &forwards, grows));
                        }
                    }
                }
            }
            next += 1;
        }
        visited += states.len();
    }
    None
}

/// Whether a pump is what it says: replayed from the start, with all conditions of DESIGN.md, section 5.
pub fn check(system: &System, pump: &Pump) -> bool {
    let interpreter = Interpreter::new(system, Capacities::Unbounded);
    let Ok(mut state) = interpreter.initial_state() else { return false };
    let steps: Vec<Step> = pump.trace.steps.iter().map(|&step| step.into()).collect();
    let Some((way, repeated)) = steps.split_at_checked(pump.repeat_from) else { return false };
    let mut enabled = Vec::new();
    for &step in way {
        if interpreter.steps(&state, &mut enabled).is_err() || !enabled.contains(&step) {
            return false;
        }
        if interpreter.execute(&mut state, step, &(), &mut ()).is_err() {
            return false;
        }
    }
    is_pump(&interpreter, &state, repeated).is_some_and(|grows| grows == pump.grows)
}

fn pump(system: &System, way: Vec<Step>, repeated: &[Step], grows: Vec<u32>) -> Pump {
    let repeat_from = way.len();
    let mut steps = way;
    steps.extend_from_slice(repeated);
    Pump { trace: Trace::new(system, Capacities::Unbounded, &steps, None), repeat_from, grows }
}

/// Same control and variables, and no channel has fewer messages: quick, before the real test.
fn may_be_pump(system: &System, before: &State, after: &State) -> bool {
    before.exclusive.is_none()
        && before.exclusive == after.exclusive
        && before.channels.len() == after.channels.len()
        && before.last == after.last
        && before.event_trace == after.event_trace
        && before.globals == after.globals
        && before.processes == after.processes
        && before
            .channels
            .iter()
            .zip(&after.channels)
            .all(|(b, a)| occupancy(system, a) >= occupancy(system, b))
        && before
            .channels
            .iter()
            .zip(&after.channels)
            .any(|(b, a)| occupancy(system, a) > occupancy(system, b))
}

/// The channels that grow when the steps are repeated from the state for ever; `None` if that is not certain.
fn is_pump(interpreter: &Interpreter<'_>, before: &State, steps: &[Step]) -> Option<Vec<u32>> {
    let system = interpreter.system();
    if system.model.features.priorities || before.exclusive.is_some() {
        return None;
    }
    let mut state = before.clone();
    let mut traffic = Traffic::default();
    let mut enabled = Vec::new();
    for &step in steps {
        interpreter.steps(&state, &mut enabled).ok().filter(|_| enabled.contains(&step))?;
        if !stays_enabled(system, &state, step) {
            return None;
        }
        interpreter.execute(&mut state, step, &(), &mut traffic).ok()?;
    }
    if !may_be_pump(system, before, &state) {
        return None;
    }
    let mut grows = Vec::new();
    for (index, channel) in before.channels.iter().enumerate() {
        let id = ChannelId(index as u32);
        let fields = system.model.channel_types[channel.channel_type.0 as usize].fields.len().max(1);
        if system.model.channel_types[channel.channel_type.0 as usize].capacity == 0 {
            continue;
        }
        let sent = at(&mut traffic.sent, id).clone();
        let received = at(&mut traffic.received, id).clone();
        let held: Vec<Vec<i32>> = channel.contents.chunks(fields).map(<[i32]>::to_vec).collect();
        if sent.len() < received.len() {
            return None;
        }
        // What is received for ever must be what is there followed by what is sent for ever. Two words that are periodic in the
        // end are equal if they agree on the part before and the two periods (Fine and Wilf).
        if !received.is_empty() {
            let length = held.len() + received.len() + sent.len();
            let agrees = (0..length).all(|position| {
                let there = match position.checked_sub(held.len()) {
                    None => &held[position],
                    Some(beyond) => &sent[beyond % sent.len()],
                };
                received[position % received.len()] == *there
            });
            if !agrees {
                return None;
            }
        }
        if sent.len() > received.len() {
            grows.push(index as u32);
        }
    }
    (!grows.is_empty()).then_some(grows)
}

/// Whether a step that is enabled here is enabled in every state that differs only by more messages behind those that are there.
fn stays_enabled(system: &System, state: &State, step: Step) -> bool {
    // Another process moves although one has exclusive control: only because that one is blocked, and with more messages it may not be.
    if state.exclusive.is_some_and(|exclusive| exclusive != step.process) {
        return false;
    }
    let sides = [(step.process, step.edge)]
        .into_iter()
        .chain(step.partner.map(|partner| (partner.process, partner.edge)));
    for (pid, edge) in sides {
        let automaton_id = state.processes[pid.0 as usize].automaton;
        let automaton = system.automaton(automaton_id);
        let provided = &system.model.proctypes[automaton_id.0 as usize].provided;
        if provided.as_ref().is_some_and(looks_at_channels) || !edge_stays_enabled(automaton, edge) {
            return false;
        }
    }
    true
}

fn edge_stays_enabled(automaton: &system::automaton::Automaton, id: EdgeId) -> bool {
    let edge = automaton.edge(id);
    let others: Vec<&Edge> =
        automaton.edges_from(edge.source).filter(|(other, _)| *other != id).map(|(_, edge)| edge).collect();
    // An escape that becomes executable takes the statement's place.
    if others.iter().any(|other| other.escape != edge.escape) {
        return false;
    }
    match &edge.action {
        Action::Skip | Action::Printf { .. } | Action::Printm(_) | Action::Assert(_) | Action::End => true,
        Action::Else => others.iter().all(|other| match &other.action {
            Action::Condition(expr) => !looks_at_channels(expr),
            _ => false,
        }),
        Action::Condition(expr) => !looks_at_channels(expr),
        Action::Assign { value, .. } => !looks_at_channels(value),
        Action::Send { sorted, arguments, .. } => !sorted && !arguments.iter().any(looks_at_channels),
        Action::Receive { random, copy, .. } => !random && !copy,
        Action::SetPriority { .. } => false,
        Action::DStep(step) => {
            step.nodes.iter().flat_map(|node| &node.choices).all(|choice| match &choice.action {
                Action::Skip | Action::Printf { .. } | Action::Printm(_) | Action::Assert(_) => true,
                Action::Condition(expr) | Action::Assign { value: expr, .. } => !looks_at_channels(expr),
                Action::Send { sorted, arguments, .. } => !sorted && !arguments.iter().any(looks_at_channels),
                // The choices beside it are all of this list's kinds, so `else` hangs on variables only.
                Action::Else => true,
                _ => false,
            })
        }
    }
}

/// Whether the value may change because a channel holds more, or because others are (not) blocked.
fn looks_at_channels(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Constant { .. }
        | ExprKind::Pid
        | ExprKind::NumberOfProcesses
        | ExprKind::Last
        | ExprKind::OwnPriority => false,
        ExprKind::NonProgress
        | ExprKind::Timeout
        | ExprKind::Len(_)
        | ExprKind::Empty(_)
        | ExprKind::NotEmpty(_)
        | ExprKind::Full(_)
        | ExprKind::NotFull(_)
        | ExprKind::Poll { .. }
        | ExprKind::Enabled(_)
        | ExprKind::GetPriority(_) => true,
        ExprKind::Read(place) => place.indices.iter().any(|index| looks_at_channels(&index.value)),
        ExprKind::Unary(_, operand) | ExprKind::PcValue(operand) => looks_at_channels(operand),
        ExprKind::Binary(_, left, right) => looks_at_channels(left) || looks_at_channels(right),
        ExprKind::Conditional(condition, yes, no) => {
            looks_at_channels(condition) || looks_at_channels(yes) || looks_at_channels(no)
        }
        ExprKind::Run { arguments, .. } => arguments.iter().any(looks_at_channels),
        ExprKind::RemoteLabel { pid, .. } | ExprKind::RemoteVariable { pid, .. } => {
            pid.as_ref().is_some_and(|pid| looks_at_channels(pid))
        }
    }
}
