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

/// An execution that shows an error that a breadth-first search found; `None` if there is none that replays.
pub fn trace(
    shared: &Shared<'_>,
    initial: &[u32],
    found: &Found,
    capacities: Capacities,
) -> Option<ErrorGroup> {
    let mut ancestry = Ancestry::of(&found.source);
    let again = Some(&mut ancestry);
    breadth::explore(shared, initial, ErrorPolicy::All, &Limits::default(), 1, &Control::none(), again);
    let directions = ancestry.directions()?;
    let (layout, cause) = {
        let knowledge = lock(&shared.knowledge);
        (Layout::plan(&knowledge.parts)?, knowledge.cause(found.cause).clone())
    };
    let steps = match layout.words() {
        1 => walk::<1>(shared, layout, initial, &directions, found.cause),
        2 => walk::<2>(shared, layout, initial, &directions, found.cause),
        4 => walk::<4>(shared, layout, initial, &directions, found.cause),
        16 => walk::<16>(shared, layout, initial, &directions, found.cause),
        MOST_WORDS => walk::<MOST_WORDS>(shared, layout, initial, &directions, found.cause),
        _ => None,
    }?;
    let system = shared.interpreter.system();
    let trace = Trace::new(system, capacities, &steps, None);
    confirms(system, &trace, &cause).then_some(ErrorGroup { cause, count: found.count, trace })
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

/// The steps of the way that `directions` describes, and then to the error.
fn walk<const N: usize>(
    shared: &Shared<'_>,
    layout: Layout,
    initial: &[u32],
    directions: &[u32],
    cause: u32,
) -> Option<Vec<Step>> {
    let mut state = layout.pack::<N>(|part: PartId| initial.get(part.0 as usize).copied().unwrap_or(0));
    let mut expander = {
        let knowledge = lock(&shared.knowledge);
        Expander::<N>::new(shared, layout, &knowledge.parts, RowMemory::default())
    };
    expander.keep_log = true;
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
