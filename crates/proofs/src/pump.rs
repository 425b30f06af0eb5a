//! Looking for runs in which buffers grow for ever. What is found counts only after
//! [`certificate::pump::check_pump`] has accepted it, which knows all the conditions; here is only where to look.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use certificate::pids;
use certificate::pump::{PumpQuestion, check_pump};
use certificate::trace::Trace;
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter, Step};
use system::state::State;

use crate::explore::{Exploration, occupancy};
use crate::options::Control;

/// A pump that was checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pump {
    /// The way, then once what is repeated. It is no lasso: the state afterwards is not the same.
    pub trace: Trace,
    /// The step with which the repeated part begins.
    pub repeat_from: usize,
    /// The numbers of the channels that grow.
    pub grows: Vec<u32>,
    /// How many processes each repetition adds. If it is not 0, the pump is real only where their number has no limit.
    pub more_processes: u64,
}

/// Ancestors that a state is compared with.
const LONGEST_LOOP: usize = 400;
/// States from which the suspicious statements alone are tried.
const GUIDED_STARTS: usize = 3_000;
/// States of one such try.
const GUIDED_STATES: usize = 300;
/// States of all such tries together.
const ALL_GUIDED_STATES: usize = 30_000;
/// Candidates that are checked before the search is given up.
const MOST_CANDIDATES: usize = 300;

/// Checks candidates, up to a limit.
pub struct PumpFinder<'a> {
    system: &'a System,
    question: PumpQuestion,
    candidates: usize,
    /// Processes may take each other's part, and some may be left over.
    roles_may_change: bool,
}

impl<'a> PumpFinder<'a> {
    /// Somebody who looks for pumps that answer this question.
    pub fn new(system: &'a System, question: PumpQuestion) -> PumpFinder<'a> {
        PumpFinder { system, question, candidates: 0, roles_may_change: false }
    }

    /// The same for pumps in which processes may grow in number: weaker, since they are real only where that has no limit. `None` if
    /// somebody would notice.
    pub fn with_more_processes(system: &'a System) -> Option<PumpFinder<'a>> {
        let question = PumpQuestion::Unbounded;
        let finder = PumpFinder { system, question, candidates: 0, roles_may_change: true };
        (!pids::are_observed(system)).then_some(finder)
    }

    /// Looks among the states that a search saw: a state and one of its ancestors. `only`: steps that may be repeated.
    pub fn among(
        &mut self,
        exploration: &Exploration,
        only: &dyn Fn(&State, Step) -> bool,
        control: &Control<'_>,
    ) -> Option<Pump> {
        let mut outlines = Vec::with_capacity(exploration.states.len());
        for (index, state) in exploration.states.iter().enumerate() {
            if (index % 64 == 0 && control.is_cancelled()) || self.candidates > MOST_CANDIDATES {
                return None;
            }
            outlines.push(Outline::of(self.system, state));
            let mut steps: Vec<Step> = Vec::new();
            let mut at = index as u32;
            for _ in 0..LONGEST_LOOP {
                let Some((parent, step)) = exploration.parents[at as usize] else { break };
                if !only(&exploration.states[parent as usize], step) {
                    break;
                }
                steps.push(step);
                at = parent;
                if self.may_be_pump(&outlines[at as usize], &outlines[index]) {
                    let repeated: Vec<Step> = steps.iter().rev().copied().collect();
                    let found = self.checked(&exploration.path_to(at), &repeated);
                    if found.is_some() {
                        return found;
                    }
                }
            }
        }
        None
    }

    /// Looks for a pump that repeats suspicious statements only: from each state that the search saw, a small search of its own.
    pub fn guided(
        &mut self,
        exploration: &Exploration,
        suspicious: &dyn Fn(&State, Step) -> bool,
        control: &Control<'_>,
    ) -> Option<Pump> {
        let interpreter = Interpreter::new(self.system, Capacities::Unbounded);
        let mut visited = 0;
        for (index, start) in exploration.states.iter().enumerate().take(GUIDED_STARTS) {
            if start.exclusive.is_some() {
                continue;
            }
            if control.is_cancelled() || visited > ALL_GUIDED_STATES || self.candidates > MOST_CANDIDATES {
                return None;
            }
            let mut tree = Tree::new(self.system, start.clone());
            let mut next = 0;
            let mut steps = Vec::new();
            while next < tree.states.len() && tree.states.len() < GUIDED_STATES {
                let state = tree.states[next].clone();
                interpreter.steps_beside_errors(&state, &mut steps);
                for &step in steps.iter().filter(|step| suspicious(&state, **step)) {
                    let mut after = state.clone();
                    if interpreter.execute(&mut after, step, &(), &mut ()).is_err()
                        || !tree.add(self.system, after, next, step)
                    {
                        continue;
                    }
                    let last = tree.states.len() - 1;
                    let mut ancestor = last;
                    while let Some((parent, _)) = tree.parents[ancestor] {
                        ancestor = parent;
                        if self.may_be_pump(&tree.outlines[ancestor], &tree.outlines[last]) {
                            let mut way = exploration.path_to(index as u32);
                            way.extend(tree.path(0, ancestor));
                            let found = self.checked(&way, &tree.path(ancestor, last));
                            if found.is_some() {
                                return found;
                            }
                        }
                    }
                }
                next += 1;
            }
            visited += tree.states.len();
        }
        None
    }

    /// The pump that goes this way and repeats these steps, if it is one.
    pub fn checked(&mut self, way: &[Step], repeated: &[Step]) -> Option<Pump> {
        self.candidates += 1;
        let pump = certificate::pump::Pump::new(self.system, way, repeated);
        let pumped = check_pump(self.system, &pump, &self.question).ok()?;
        let steps = [way, repeated].concat();
        Some(Pump {
            trace: Trace::new(self.system, Capacities::Unbounded, &steps, None),
            repeat_from: way.len(),
            grows: pumped.growing.iter().map(|(channel, _)| channel.0).collect(),
            more_processes: pumped.more_processes,
        })
    }

    /// Same control and variables, and no channel has fewer messages but some has more: quick, before the real test.
    fn may_be_pump(&self, before: &Outline, after: &Outline) -> bool {
        before.is_interruptible
            && after.is_interruptible
            && before.variables == after.variables
            && (before.processes == after.processes
                || (self.roles_may_change && has_all(&after.processes, &before.processes)))
            && before.held != after.held
            && before.held.len() == after.held.len()
            && before.held.iter().zip(&after.held).all(|(before, after)| before <= after)
    }
}

/// What a state must have in common with another for a pump between them, as numbers that are quickly compared.
struct Outline {
    /// Nobody runs alone.
    is_interruptible: bool,
    /// Globals, hashed.
    variables: u64,
    /// Each process, hashed.
    processes: Vec<u64>,
    /// How many messages each channel holds.
    held: Vec<u64>,
}

impl Outline {
    fn of(system: &System, state: &State) -> Outline {
        Outline {
            is_interruptible: state.exclusive.is_none(),
            variables: hash_of(&state.globals),
            processes: state.processes.iter().map(hash_of).collect(),
            held: state.channels.iter().map(|channel| occupancy(system, channel)).collect(),
        }
    }
}

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// States with how they were reached from the first.
struct Tree {
    states: Vec<State>,
    outlines: Vec<Outline>,
    parents: Vec<Option<(usize, Step)>>,
    seen: HashSet<State>,
}

impl Tree {
    fn new(system: &System, start: State) -> Tree {
        let outlines = vec![Outline::of(system, &start)];
        Tree { seen: HashSet::from([start.clone()]), states: vec![start], outlines, parents: vec![None] }
    }

    /// Adds a state; `false` if it is there already.
    fn add(&mut self, system: &System, state: State, parent: usize, step: Step) -> bool {
        if !self.seen.insert(state.clone()) {
            return false;
        }
        self.outlines.push(Outline::of(system, &state));
        self.states.push(state);
        self.parents.push(Some((parent, step)));
        true
    }

    /// The steps from an ancestor of a state to it.
    fn path(&self, ancestor: usize, state: usize) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        let mut at = state;
        while at != ancestor
            && let Some((parent, step)) = self.parents[at]
        {
            steps.push(step);
            at = parent;
        }
        steps.reverse();
        steps
    }
}

/// Whether all of `wanted` are there, each as often.
fn has_all(there: &[u64], wanted: &[u64]) -> bool {
    let count = |among: &[u64], process: u64| among.iter().filter(|other| **other == process).count();
    wanted.len() <= there.len()
        && wanted.iter().all(|&process| count(there, process) >= count(wanted, process))
}
