//! The steps to what was found: states along the way are known, and the steps from one to the next are found again.

use crate::packed::knowledge::{cause_of_end_state, cause_of_error, cause_of_violation};
use crate::report::Cause;
use system::interpreter::{Interpreter, Step, Violation};
use system::state::{Pid, State};

/// Where steps are to lead.
#[derive(Clone, Copy)]
pub(super) enum Goal<'g> {
    State(&'g State),
    /// To something that is wrong.
    Cause(&'g Cause),
}

/// Steps that lead from a state to a goal, by what is done at once: a step, or an `atomic` sequence.
pub(super) fn steps_to(interpreter: &Interpreter<'_>, from: &State, goal: Goal<'_>) -> Option<Vec<Step>> {
    let is_cause = |cause: Cause| matches!(goal, Goal::Cause(wanted) if *wanted == cause);
    let is_state = |state: &State| matches!(goal, Goal::State(wanted) if wanted == state);
    let mut inside = vec![(from.clone(), Vec::new())];
    let mut steps = Vec::new();
    while let Some((state, way)) = inside.pop() {
        let (enabled, error) = interpreter.steps_beside_errors(&state, &mut steps);
        if state.exclusive.is_some() && enabled.released {
            // Blocked inside of the sequence: a state like any other.
            if is_state(&State { exclusive: None, ..state }) {
                return Some(way);
            }
            continue;
        }
        let is_wrong = match error {
            // Of several errors it is the first.
            Some(_) => (0..state.processes.len() as u32).any(|pid| {
                let failed = interpreter.steps_of(&state, Pid(pid), enabled.timeout, &(), &mut Vec::new());
                failed.is_err_and(|error| is_cause(cause_of_error(&state, None, &error)))
            }),
            None => steps.is_empty() && is_cause(cause_of_end_state(&state)),
        };
        if is_wrong {
            return Some(way);
        }
        for &step in &steps {
            let (mut after, mut violations) = (state.clone(), Vec::<Violation>::new());
            let outcome = interpreter.execute(&mut after, step, &(), &mut violations);
            let way = [&way[..], &[step]].concat();
            let mut violated = violations.iter().map(|violation| cause_of_violation(&state, step, violation));
            if violated.any(is_cause) {
                return Some(way);
            }
            match outcome {
                Err(error) if is_cause(cause_of_error(&state, Some(step), &error)) => return Some(way),
                Err(_) => {}
                Ok(()) if after.exclusive.is_some() => inside.push((after, way)),
                Ok(()) if is_state(&after) => return Some(way),
                Ok(()) => {}
            }
        }
    }
    None
}
