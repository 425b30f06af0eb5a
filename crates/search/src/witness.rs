//! Traces of what a search found, each replayed before anybody sees it.

use crate::ancestry::Ancestry;
use crate::breadth::{self, Found};
use crate::expand::{Arrival, Expander, Shared, Sink, lock};
use crate::layout::{Layout, MOST_WORDS};
use crate::options::{Control, ErrorPolicy, Limits};
use crate::parts::PartId;
use crate::report::{Cause, ErrorGroup};
use crate::rows::RowMemory;
use certificate::trace::{ReplayError, Trace, replay};
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter, Step, Violation};

/// Executions that show the errors that a breadth-first search found; `None` for one that does not replay.
pub fn traces(
    shared: &Shared<'_>,
    initial: &[u32],
    found: &[Found],
    capacities: Capacities,
) -> Vec<Option<ErrorGroup>> {
    if found.is_empty() {
        return Vec::new();
    }
    let mut ancestry = Ancestry::of(found.iter().map(|group| group.source.clone()));
    let again = Some(&mut ancestry);
    breadth::explore(shared, initial, ErrorPolicy::All, &Limits::default(), 1, &Control::none(), again);
    let layout = Layout::plan(&lock(&shared.knowledge).parts);
    let Some(layout) = layout else { return vec![None; found.len()] };
    let ways = match layout.words() {
        1 => walk_all::<1>(shared, layout, initial, &ancestry, found),
        2 => walk_all::<2>(shared, layout, initial, &ancestry, found),
        4 => walk_all::<4>(shared, layout, initial, &ancestry, found),
        16 => walk_all::<16>(shared, layout, initial, &ancestry, found),
        _ => walk_all::<MOST_WORDS>(shared, layout, initial, &ancestry, found),
    };
    let system = shared.interpreter.system();
    let confirmed = |(group, way): (&Found, Option<Vec<Step>>)| {
        let trace = Trace::new(system, capacities, &way?, None);
        let cause = lock(&shared.knowledge).cause(group.cause).clone();
        confirms(system, &trace, &cause).then_some(ErrorGroup { cause, count: group.count, trace })
    };
    found.iter().zip(ways).map(confirmed).collect()
}

/// Whether the trace is an execution that shows what is wrong, by the step semantics alone.
pub fn confirms(system: &System, trace: &Trace, cause: &Cause) -> bool {
    let interpreter = Interpreter::new(system, trace.capacities.into());
    let replayed = replay(system, trace);
    let last = trace.steps.len();
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
        (Cause::Statement { assertion: true, .. }, Ok(replay)) => {
            let last = replay.steps.last().and_then(|step| step.violation.as_ref());
            matches!(last, Some(Violation::AssertionFailed { .. }))
        }
        (Cause::EventTrace { .. }, Ok(replay)) => {
            let last = replay.steps.last().and_then(|step| step.violation.as_ref());
            last.is_some_and(|violation| !matches!(violation, Violation::AssertionFailed { .. }))
        }
        (Cause::InvalidEndState { .. }, Ok(replay)) => {
            let state = replay.state_before(last);
            steps_at_end(state).is_ok_and(|steps| steps.is_empty())
                && !(interpreter.is_valid_end_state(state) && interpreter.event_trace_is_complete(state))
        }
        _ => false,
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
    ancestry: &Ancestry,
    found: &[Found],
) -> Vec<Option<Vec<Step>>> {
    let start = layout.pack::<N>(|part: PartId| initial.get(part.0 as usize).copied().unwrap_or(0));
    let mut expander = {
        let knowledge = lock(&shared.knowledge);
        Expander::<N>::new(shared, layout, &knowledge.parts, RowMemory::default())
    };
    expander.keep_log = true;
    let each = found.iter().enumerate();
    each.map(|(index, group)| walk(&mut expander, start, &ancestry.directions(index)?, group.cause)).collect()
}

/// The steps of the way that `directions` describes, and then to the error.
fn walk<const N: usize>(
    expander: &mut Expander<'_, '_, N>,
    start: [u64; N],
    directions: &[u32],
    cause: u32,
) -> Option<Vec<Step>> {
    let mut state = start;
    let mut steps = Vec::new();
    for &direction in directions {
        let mut collected = Collected::default();
        expander.log.clear();
        expander.expand(&state, &mut collected).ok()?;
        let &(next, arrival) = collected.arrivals.get(direction as usize)?;
        steps.extend(expander.steps_to(arrival));
        state = next;
    }
    let mut collected = Collected::default();
    expander.log.clear();
    expander.expand(&state, &mut collected).ok()?;
    let &(_, arrival) = collected.problems.iter().find(|(number, _)| *number == cause)?;
    if let Some(arrival) = arrival {
        steps.extend(expander.steps_to(arrival));
    }
    Some(steps)
}
