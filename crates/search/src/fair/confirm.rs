//! The last word on a counterexample with a loop: the execution is replayed by the step semantics, and that it goes round, violates the
//! formula and is fair is decided from the definitions, by none of the code that found it.

use super::formula::Property;
use omega::{Automaton, Fairness, Formula, Lasso, accepts_lasso, holds_on_lasso};
use std::collections::BTreeSet;
use system::automaton::AutomatonId;
use system::interpreter::{Interpreter, Step};
use system::state::{Pid, State};

/// What a replay showed of the loop.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Confirmed {
    /// Processes that could move at every moment of the loop and never do: weak fairness forbids this run.
    pub always_enabled: Vec<Pid>,
    /// Processes that could move at some moment of the loop and never do: strong fairness forbids this run.
    pub again_and_again_enabled: Vec<Pid>,
    /// What each process is where the loop begins, by pid.
    pub kinds: Vec<AutomatonId>,
}

/// What a run must do.
#[derive(Clone, Copy)]
pub enum Requirement<'r> {
    /// It satisfies the formula.
    Satisfy(&'r Formula),
    /// The automaton does not accept it.
    NotBeAccepted(&'r Automaton),
}

impl Requirement<'_> {
    fn holds(self, word: &Lasso) -> bool {
        match self {
            Requirement::Satisfy(formula) => holds_on_lasso(formula, word),
            Requirement::NotBeAccepted(automaton) => !accepts_lasso(automaton, word),
        }
    }
}

/// Replays an execution with a loop that violates what is required; `property` says what the propositions are.
pub fn confirm(
    interpreter: &Interpreter<'_>,
    property: &Property,
    requirement: Requirement<'_>,
    steps: &[Step],
    loop_start: usize,
    fairness: Fairness,
) -> Result<Confirmed, String> {
    let mut state = interpreter.initial_state().map_err(|error| error.kind.to_string())?;
    let mut letters = Vec::new();
    let mut letters_before_loop = 0;
    let mut at_loop: Option<State> = None;
    let mut always: Option<BTreeSet<Pid>> = None;
    let mut sometimes: BTreeSet<Pid> = BTreeSet::new();
    let mut acted: BTreeSet<Pid> = BTreeSet::new();
    let mut enabled = Vec::new();
    let mut fails = false;
    for index in 0..=steps.len() {
        let (found, error) = interpreter.steps_beside_errors(&state, &mut enabled);
        fails = error.is_some();
        if found.released {
            state.exclusive = None;
        }
        let observable = state.exclusive.is_none();
        if index == loop_start {
            if !observable {
                return Err("the loop begins inside an atomic sequence".to_string());
            }
            letters_before_loop = letters.len();
            at_loop = Some(state.clone());
        }
        if index == steps.len() {
            break;
        }
        let step = steps[index];
        if !enabled.contains(&step) {
            return Err(format!("step {index} is not enabled"));
        }
        if observable {
            letters.push(property.letter(interpreter, &state).map_err(|error| error.kind.to_string())?);
        }
        if index >= loop_start {
            acted.extend(participants(step));
            if observable {
                let able: BTreeSet<Pid> = enabled.iter().flat_map(|&step| participants(step)).collect();
                sometimes.extend(&able);
                always = Some(match always {
                    None => able,
                    Some(before) => before.intersection(&able).copied().collect(),
                });
            }
        }
        interpreter
            .execute(&mut state, step, &(), &mut ())
            .map_err(|error| format!("step {index}: {}", error.kind))?;
    }
    if at_loop.as_ref() != Some(&state) {
        return Err("the loop does not close".to_string());
    }
    if loop_start == steps.len() {
        if !enabled.is_empty() || fails {
            return Err("the last state is not the end of the run".to_string());
        }
        letters.push(property.letter(interpreter, &state).map_err(|error| error.kind.to_string())?);
    }
    let cycle = letters.split_off(letters_before_loop);
    let word = Lasso::new(letters, cycle).ok_or("the loop has no observable moment")?;
    if requirement.holds(&word) {
        return Err("what is required holds on the run".to_string());
    }
    let confirmed = Confirmed {
        always_enabled: always.unwrap_or_default().difference(&acted).copied().collect(),
        again_and_again_enabled: sometimes.difference(&acted).copied().collect(),
        kinds: state.processes.iter().map(|process| process.automaton).collect(),
    };
    match fairness {
        Fairness::Weak if !confirmed.always_enabled.is_empty() => {
            Err("the run is not weakly fair".to_string())
        }
        Fairness::Strong if !confirmed.again_and_again_enabled.is_empty() => {
            Err("the run is not strongly fair".to_string())
        }
        _ => Ok(confirmed),
    }
}

fn participants(step: Step) -> impl Iterator<Item = Pid> {
    [Some(step.process), step.partner.map(|partner| partner.process)].into_iter().flatten()
}
