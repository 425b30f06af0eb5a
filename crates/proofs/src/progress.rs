//! Does every infinite run make progress again and again?
//!
//! Progress is the papers' reading: a marked statement is executed. A proof of it implies SPIN's reading.

use certificate::potential::{Progress, ProgressStatement as ClaimedStatement};
use certificate::pump::PumpQuestion;
use certificate::trace::Trace;
use certificate::verdict::Capacities;
use system::automaton::System;
use system::interpreter::{Capacities as RunCapacities, Interpreter, Step};
use system::progress::{ProgressAt, ProgressStatements};
use system::state::State;

use crate::analysis::flows;
use crate::explore::{Exploration, SearchLimits};
use crate::options::{Control, ProgressOptions};
use crate::parts::strongly_connected;
use crate::prove::{Aim, Outcome, Prover};
use crate::pump::PumpFinder;
use crate::report::{ProgressReport, ProgressVerdict, ProofSource, UnknownReason};
use crate::seen::Seen;
use crate::stalled;
use crate::suspicion;

/// States of the search that looks for plain loops before anything larger is done.
const FIRST_LOOK: usize = 3_000;
/// Refinements before the larger search.
const FIRST_REFINEMENTS: usize = 3;
/// Messages in one buffer beyond which the search does not go on.
const MOST_MESSAGES: u64 = 300;

/// Answers for the whole system.
pub fn progress(system: &System, options: &ProgressOptions, control: &Control<'_>) -> ProgressReport {
    let marked = ProgressStatements::new(system, &options.progress);
    let claimed = match &options.progress {
        ProgressAt::Labels => Progress::Labels,
        ProgressAt::Places(_) => Progress::At(marked.iter().map(ClaimedStatement::from).collect()),
    };
    let flows = flows(system, &marked);
    let capacities = match options.capacities {
        Capacities::Any => RunCapacities::Unbounded,
        Capacities::Declared => RunCapacities::Declared,
    };
    let interpreter = Interpreter::new(system, capacities);
    let quiet = |state: &State, step: Step| !marked.is_made_by(&interpreter, state, step);
    // Real loops are often short: a first look costs less than a proof that cannot succeed.
    let look = SearchLimits::first_look(FIRST_LOOK.min(options.budgets.states));
    let mut exploration = Exploration::run(system, capacities, look, MOST_MESSAGES, control);
    if let Some(lasso) = find_lasso(system, capacities, &exploration, &quiet) {
        return report(ProgressVerdict::Lasso(Box::new(lasso)), Vec::new(), &exploration);
    }
    let mut prover = Prover::new(system, &flows, options.capacities, options.budgets, control);
    let all = options.budgets.refinements;
    let aim = Aim::Progress(claimed.clone());
    let first = prover.prove(&aim, all.min(FIRST_REFINEMENTS));
    let mut outcome = first;
    for round in 0.. {
        let refinements: Vec<String> =
            prover.refinements.iter().map(|refinement| refinement.describe(system)).collect();
        if let Ok(outcome) = &outcome
            && let Some(proof) = &outcome.proof
        {
            let source = ProofSource::Certificate(proof.certificate.clone());
            return report(ProgressVerdict::Proved(source), refinements, &exploration);
        }
        if round > 0 {
            break;
        }
        let seen = (!exploration.complete).then(|| Seen::new(system, capacities, &exploration, control));
        if options.capacities == Capacities::Any
            && let Some(seen) = &seen
        {
            let question = PumpQuestion::Livelock(claimed.clone());
            let mut finder = PumpFinder::new(system, question.clone());
            let found = finder.among(&exploration, &quiet, control).or_else(|| {
                let outcome = outcome.as_ref().ok()?;
                let steps = suspicion::steps_of(&outcome.attempt, &outcome.suspicious);
                finder.guided(&exploration, &|state, step| quiet(state, step) && steps(state, step), control)
            });
            let states = options.budgets.states;
            let found =
                found.or_else(|| stalled::find(system, &question, &seen.traffic, states, &quiet, control));
            if let Some(found) = found {
                return report(ProgressVerdict::Pump(Box::new(found)), refinements, &exploration);
            }
        }
        if let Some(seen) = seen
            && let Ok(Outcome { attempt, .. }) = &outcome
            && prover.guess(attempt, seen)
        {
            outcome = prover.prove(&aim, all.min(2 * FIRST_REFINEMENTS));
            if matches!(outcome, Ok(Outcome { proof: Some(_), .. })) {
                continue;
            }
        }
        // Loops of the living may be no loops of the model, but where they have none it has none.
        let living = exploration.of_the_living(system, capacities, options.budgets.states, control);
        if let Some(living) = living.filter(|living| quiet_loop(living, &quiet).is_none()) {
            exploration = living;
        }
        if !exploration.complete {
            let whole = SearchLimits::whole(options.budgets.states);
            exploration = Exploration::run(system, capacities, whole, MOST_MESSAGES, control);
            if let Some(lasso) = find_lasso(system, capacities, &exploration, &quiet) {
                return report(ProgressVerdict::Lasso(Box::new(lasso)), refinements, &exploration);
            }
        }
        if outcome.is_ok() {
            let more = prover.go_on(exploration.complete);
            outcome = prover.prove(&aim, more);
        }
    }
    let refinements: Vec<String> =
        prover.refinements.iter().map(|refinement| refinement.describe(system)).collect();
    if exploration.complete {
        // Every state was seen and no loop without progress: so there is none.
        let source = ProofSource::Search {
            states: exploration.states.len() as u64,
            transitions: exploration.transitions,
        };
        return report(ProgressVerdict::Proved(source), refinements, &exploration);
    }
    let (reason, suspicious) = match outcome {
        Ok(outcome) => {
            let cycles = suspicion::cycles_of(&outcome.attempt, &outcome.suspicious);
            (outcome.reason, cycles)
        }
        Err(reason) => (reason, Vec::new()),
    };
    let unknown = UnknownReason { reason, suspicious, findings: prover.findings };
    report(ProgressVerdict::Unknown(unknown), refinements, &exploration)
}

fn report(verdict: ProgressVerdict, refinements: Vec<String>, exploration: &Exploration) -> ProgressReport {
    let search = exploration.report();
    ProgressReport { verdict, refinements, search }
}

/// A run that ends in a loop of quiet steps, replayed.
fn find_lasso(
    system: &System,
    capacities: RunCapacities,
    exploration: &Exploration,
    quiet: &dyn Fn(&State, Step) -> bool,
) -> Option<Trace> {
    let (start, part) = quiet_loop(exploration, quiet)?;
    // Breadth first within the part, from the first state of it back to itself.
    let mut came: std::collections::HashMap<u32, (u32, Step)> = std::collections::HashMap::new();
    let mut queue = std::collections::VecDeque::from([start as u32]);
    'search: while let Some(at) = queue.pop_front() {
        let state = &exploration.states[at as usize];
        for &(step, to) in exploration.successors.get(at as usize).into_iter().flatten() {
            if part[to as usize] != part[start] || !quiet(state, step) || came.contains_key(&to) {
                continue;
            }
            came.insert(to, (at, step));
            if to == start as u32 {
                break 'search;
            }
            queue.push_back(to);
        }
    }
    let mut repeated = Vec::new();
    let mut at = start as u32;
    loop {
        let &(before, step) = came.get(&at)?;
        repeated.push(step);
        at = before;
        if at == start as u32 {
            break;
        }
    }
    repeated.reverse();
    let mut steps = exploration.path_to(start as u32);
    let loop_start = steps.len();
    steps.extend(repeated);
    let trace = Trace::new(system, capacities, &steps, Some(loop_start));
    let replayed = certificate::trace::replay(system, &trace).ok()?;
    let is_quiet = (loop_start..steps.len()).all(|index| quiet(replayed.state_before(index), steps[index]));
    is_quiet.then_some(trace)
}

/// A state from which quiet steps lead back to it, and the strongly connected part of every state.
fn quiet_loop(exploration: &Exploration, quiet: &dyn Fn(&State, Step) -> bool) -> Option<(usize, Vec<u32>)> {
    let count = exploration.states.len();
    let mut successors: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (from, steps) in exploration.successors.iter().enumerate() {
        let state = &exploration.states[from];
        successors[from] = steps.iter().filter(|(step, _)| quiet(state, *step)).map(|(_, to)| *to).collect();
    }
    let part = strongly_connected(&successors);
    let start =
        (0..count).find(|&from| successors[from].iter().any(|&to| part[to as usize] == part[from]))?;
    Some((start, part))
}
