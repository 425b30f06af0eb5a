//! Traces of what a search found, each replayed before anybody sees it.

use crate::explore::ancestry::Ancestry;
use crate::explore::breadth::{self, Found, FoundAt};
use crate::explore::expand::{Arrival, Direction, Expander, Shared, Sink, Way, lock};
use crate::explore::memo::RowMemory;
use crate::monitor::{Monitor, MonitorEdge};
use crate::options::{ErrorPolicy, Limits, SearchOptions};
use crate::packed::components::ComponentId;
use crate::packed::layout::{Layout, MOST_WORDS};
use crate::report::{Cause, ErrorGroup, StopReason};
use certificate::trace::{ReplayError, Trace, replay, violations_at_end};
use certificate::verdict::ProgressReading;
use std::collections::HashMap;
use system::automaton::{Location, System};
use system::control::Control;
use system::interpreter::{Interpreter, RuntimeError, Step, Violation};
use system::progress::{ProgressAt, ProgressStatements, stands_at};
use system::state::State;

/// Executions that show the errors that a search found; or why there is none: it does not replay, or there was no time to find it.
pub fn traces(
    shared: &Shared<'_>,
    initial: &[u32],
    found: &[Found],
    options: &SearchOptions,
    control: &Control<'_>,
) -> Vec<Result<ErrorGroup, StopReason>> {
    if found.is_empty() {
        return Vec::new();
    }
    let targets = found.iter().map(|group| match &group.place {
        FoundAt::State(numbers) => Some(numbers.clone()),
        FoundAt::Way(_) | FoundAt::Steps(_) | FoundAt::OutOfReach(_) => None,
    });
    let mut ancestry = Ancestry::of(targets.flatten(), &shared.budget);
    let mut missing = StopReason::TraceNotConfirmed;
    if !ancestry.is_satisfied() {
        let again = Some(&mut ancestry);
        let limits = Limits { deadline: options.limits.deadline, ..Limits::default() };
        let (policy, threads) = (ErrorPolicy::All, 1);
        let plan = breadth::Plan { policy, limits: &limits, threads, may_divide: false, may_execute: false };
        let explored = breadth::explore(shared, initial, plan, control, again);
        let stopped = explored.ok().and_then(|explored| explored.stopped);
        if let Some(reason @ (StopReason::Deadline | StopReason::Cancelled | StopReason::Memory(_))) = stopped
        {
            missing = reason;
        }
    }
    let mut next_target = 0;
    let directions: Vec<Option<Vec<Direction>>> = found
        .iter()
        .map(|group| match &group.place {
            FoundAt::State(_) => {
                next_target += 1;
                ancestry.directions(next_target - 1)
            }
            FoundAt::Way(directions) => Some(directions.clone()),
            FoundAt::Steps(_) | FoundAt::OutOfReach(_) => None,
        })
        .collect();
    let layout = Layout::plan(&lock(&shared.knowledge).components);
    let Some(layout) = layout else { return vec![Err(StopReason::StateTooLarge); found.len()] };
    let ways = match layout.words() {
        1 => walk_all::<1>(shared, layout, initial, &directions, found),
        2 => walk_all::<2>(shared, layout, initial, &directions, found),
        4 => walk_all::<4>(shared, layout, initial, &directions, found),
        16 => walk_all::<16>(shared, layout, initial, &directions, found),
        _ => walk_all::<MOST_WORDS>(shared, layout, initial, &directions, found),
    };
    let system = shared.interpreter.system();
    let confirmed = |(group, way): (&Found, Option<Vec<Step>>)| {
        let missing = match group.place {
            FoundAt::OutOfReach(reason) => reason,
            _ => missing,
        };
        let trace = Trace::new(system, options.capacities, &way.ok_or(missing)?, None);
        let cause = lock(&shared.knowledge).cause(group.cause).clone();
        match confirms(system, &trace, &cause) {
            true => Ok(ErrorGroup { cause, count: group.count, trace }),
            false => Err(StopReason::TraceNotConfirmed),
        }
    };
    found.iter().zip(ways).map(confirmed).collect()
}

/// Whether the trace is an execution that shows what is wrong, by the step semantics alone.
pub fn confirms(system: &System, trace: &Trace, cause: &Cause) -> bool {
    let interpreter = Interpreter::new(system, trace.capacities);
    let replayed = replay(system, trace);
    let last = trace.steps.len();
    let violated = |wanted: fn(&Violation) -> bool| {
        violations_at_end(system, trace).is_ok_and(|violations| violations.iter().any(wanted))
    };
    let steps_at_end = |state| {
        let mut steps = Vec::new();
        interpreter.steps(state, &mut steps).map(|_| steps)
    };
    match (cause, replayed) {
        (Cause::Statement { assertion: false, .. }, Err(ReplayError::Failed { step, .. })) => {
            step + 1 == last
        }
        (Cause::Statement { assertion: false, .. }, Ok(replay)) => {
            let state = replay.state_before(last);
            steps_at_end(state).is_err()
        }
        (Cause::Statement { assertion: true, .. }, _) => {
            violated(|violation| matches!(violation, Violation::AssertionFailed { .. }))
        }
        (Cause::EventTrace { .. }, _) => {
            violated(|violation| !matches!(violation, Violation::AssertionFailed { .. }))
        }
        (Cause::InvalidEndState { .. }, Ok(replay)) => {
            let state = replay.state_before(last);
            steps_at_end(state).is_ok_and(|steps| steps.is_empty())
                && !(interpreter.is_valid_end_state(state) && interpreter.event_trace_is_complete(state))
        }
        _ => false,
    }
}

/// Whether the trace is a lasso that shows a cycle, by the step semantics alone.
pub fn confirms_cycle(
    system: &System,
    trace: &Trace,
    monitor: &Monitor,
    progress: Option<ProgressReading>,
    progress_at: &ProgressAt,
) -> bool {
    let Some(start) = trace.loop_start else { return false };
    let Ok(replay) = replay(system, trace) else { return false };
    let interpreter = Interpreter::new(system, trace.capacities);
    let end = trace.steps.len();
    let label = |state: &State, wanted: fn(&Location) -> bool| {
        state.processes.iter().any(|p| wanted(system.automaton(p.automaton).location(p.location)))
    };
    let stands_at_progress =
        |state: &State| state.processes.iter().any(|process| stands_at(system, progress_at, process));
    // Only where no `atomic` is under way does SPIN look at labels, and a monitor move.
    let counts = |state: &State| {
        let mut steps = Vec::new();
        let blocked =
            |pid| interpreter.steps_of(state, pid, false, &(), &mut steps).is_ok() && steps.is_empty();
        state.exclusive.is_none_or(blocked)
    };
    let stays = start == end;
    if stays && !steps_from(&interpreter, replay.state_before(end)).is_ok_and(|steps| steps.is_empty()) {
        return false;
    }
    match progress {
        Some(ProgressReading::State) => {
            !stays
                && (start..end)
                    .map(|step| replay.state_before(step))
                    .all(|state| !counts(state) || !stands_at_progress(state))
        }
        Some(ProgressReading::Transition) => {
            let marked = ProgressStatements::new(system, progress_at);
            let is_quiet = |index: usize| {
                let step = trace.steps[index].into();
                !marked.is_made_by(&interpreter, replay.state_before(index), step)
            };
            !stays && (start..end).all(is_quiet)
        }
        None => {
            let positions: Vec<usize> =
                (0..end.max(1)).filter(|&step| stays || counts(replay.state_before(step))).collect();
            let positions = if stays {
                (0..=end).filter(|&p| counts(replay.state_before(p))).collect()
            } else {
                positions
            };
            let first_of_loop = positions.iter().position(|&position| position >= start).unwrap_or(0);
            let run: Vec<&State> = positions.iter().map(|&position| replay.state_before(position)).collect();
            let accepts =
                |state: &State| monitor.process_labels_accept && label(state, |location| location.accept);
            monitor_accepts(&interpreter, monitor, &run, first_of_loop, &accepts)
        }
    }
}

fn steps_from(interpreter: &Interpreter<'_>, state: &State) -> Result<Vec<Step>, RuntimeError> {
    let mut steps = Vec::new();
    interpreter.steps(state, &mut steps).map(|_| steps)
}

/// Whether the monitor accepts the infinite word of states that goes back to `first_of_loop` after the last.
fn monitor_accepts(
    interpreter: &Interpreter<'_>,
    monitor: &Monitor,
    run: &[&State],
    first_of_loop: usize,
    accepts: &dyn Fn(&State) -> bool,
) -> bool {
    let follow = |(position, location): (usize, u32)| -> Vec<((usize, u32), u32)> {
        let state = run[position];
        let edges = &monitor.locations[location as usize].edges;
        let holds = |edge: &MonitorEdge| {
            edge.guard.iter().all(|(expression, wanted)| {
                interpreter.evaluate(state, None, expression).is_ok_and(|value| (value != 0) == *wanted)
            })
        };
        let mut enabled: Vec<&MonitorEdge> = Vec::new();
        for edge in edges {
            if if edge.otherwise { enabled.is_empty() } else { holds(edge) } {
                enabled.push(edge);
            }
        }
        let next = if position + 1 < run.len() { position + 1 } else { first_of_loop };
        let own = u32::from(accepts(state));
        enabled.iter().map(|edge| ((next, edge.target), edge.marks | own)).collect()
    };
    let mut numbers: HashMap<(usize, u32), usize> = HashMap::new();
    let mut nodes: Vec<(usize, u32)> = monitor.initial.iter().map(|&location| (0, location)).collect();
    numbers.extend(nodes.iter().enumerate().map(|(number, &node)| (node, number)));
    let mut edges: Vec<Vec<(usize, u32)>> = Vec::new();
    while edges.len() < nodes.len() {
        let followed = follow(nodes[edges.len()]);
        let numbered = followed.into_iter().map(|(next, marks)| {
            let number = *numbers.entry(next).or_insert_with(|| {
                nodes.push(next);
                nodes.len() - 1
            });
            (number, marks)
        });
        edges.push(numbered.collect());
    }
    let components = components(&edges);
    let all = (1u32 << monitor.acceptance_sets) - 1;
    let mut marks: Vec<Option<u32>> = vec![None; nodes.len()];
    for (from, list) in edges.iter().enumerate() {
        for &(to, more) in list.iter().filter(|(to, _)| components[*to] == components[from]) {
            let marks = &mut marks[components[to]];
            *marks = Some(marks.unwrap_or(0) | more);
        }
    }
    marks.into_iter().flatten().any(|marks| marks & all == all)
}

/// For each node the number of its strongly connected component, by two depth-first searches (Kosaraju).
pub fn components(edges: &[Vec<(usize, u32)>]) -> Vec<usize> {
    let mut backwards: Vec<Vec<(usize, u32)>> = vec![Vec::new(); edges.len()];
    for (from, list) in edges.iter().enumerate() {
        list.iter().for_each(|&(to, marks)| backwards[to].push((from, marks)));
    }
    let mut seen = vec![false; edges.len()];
    let mut finished = Vec::new();
    for root in 0..edges.len() {
        finish(root, edges, &mut seen, &mut finished);
    }
    let mut seen = vec![false; edges.len()];
    let mut component = vec![0; edges.len()];
    for &root in finished.iter().rev() {
        let mut members = Vec::new();
        finish(root, &backwards, &mut seen, &mut members);
        members.into_iter().for_each(|member| component[member] = root);
    }
    component
}

/// Appends what is reachable from a node and not seen before, in the order in which it is finished.
fn finish(root: usize, edges: &[Vec<(usize, u32)>], seen: &mut [bool], finished: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[root], true) {
        return;
    }
    let mut stack = vec![(root, 0)];
    while let Some((node, next)) = stack.last_mut() {
        match edges[*node].get(*next) {
            None => {
                finished.push(*node);
                stack.pop();
            }
            Some(&(to, _)) => {
                *next += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
        }
    }
}

/// Moves of one state, all of them.
#[derive(Default)]
struct Collected<const N: usize> {
    arrivals: Vec<([u64; N], Arrival)>,
    problems: Vec<(u32, Option<Arrival>)>,
}

impl<const N: usize> Sink<N> for Collected<N> {
    const NEEDS_MARKS: bool = false;

    fn arrive(&mut self, state: [u64; N], arrival: Arrival) {
        self.arrivals.push((state, arrival));
    }

    fn problem(&mut self, cause: u32, arrival: Option<Arrival>) {
        self.problems.push((cause, arrival));
    }
}

/// The steps to each error.
fn walk_all<const N: usize>(
    shared: &Shared<'_>,
    layout: Layout,
    initial: &[u32],
    directions: &[Option<Vec<Direction>>],
    found: &[Found],
) -> Vec<Option<Vec<Step>>> {
    let start =
        layout.pack::<N>(|component: ComponentId| initial.get(component.0 as usize).copied().unwrap_or(0));
    let mut expander = {
        let knowledge = lock(&shared.knowledge);
        Expander::<N>::new(shared, layout, &knowledge.components, RowMemory::default())
    };
    expander.keep_log = true;
    let each = found.iter().zip(directions);
    each.map(|(group, directions)| match &group.place {
        FoundAt::Steps(steps) => Some(steps.clone()),
        _ => walk(&mut expander, start, directions.as_ref()?, group.cause),
    })
    .collect()
}

/// The steps of the way that `directions` describes, and then to the error.
fn walk<const N: usize>(
    expander: &mut Expander<'_, '_, N>,
    start: [u64; N],
    directions: &[Direction],
    cause: u32,
) -> Option<Vec<Step>> {
    let mut state = start;
    let mut steps = Vec::new();
    for &(way, direction) in directions {
        let mut collected = Collected::default();
        expander.log.clear();
        match way {
            Way::Expand => expander.expand(&state, &mut collected).ok()?,
            Way::ExpandFully => expander.expand_fully(&state, &mut collected).ok()?,
        };
        let &(next, arrival) = collected.arrivals.get(direction as usize)?;
        steps.extend(expander.steps_to(arrival));
        state = next;
    }
    for way in [Way::Expand, Way::ExpandFully] {
        let mut collected = Collected::default();
        expander.log.clear();
        match way {
            Way::Expand => expander.expand(&state, &mut collected).ok()?,
            Way::ExpandFully => expander.expand_fully(&state, &mut collected).ok()?,
        };
        if let Some(&(_, arrival)) = collected.problems.iter().find(|(number, _)| *number == cause) {
            steps.extend(arrival.map(|arrival| expander.steps_to(arrival)).unwrap_or_default());
            return Some(steps);
        }
    }
    None
}
