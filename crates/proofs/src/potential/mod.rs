//! Potentials of a net, found by exact linear programming.
//!
//! A potential is a weight for each counter and a value for each node of each component; its total over a configuration is
//! `Φ = Σ weight · count + Σ value of the node of each token`. All values of nodes are at least zero. For a component with one
//! token that costs nothing, since a constant may be added to all of them; for one with any number of tokens it is what
//! keeps Φ from below.
//!
//! No potential: then the linear program's other side is a combination of transitions, the suspicious flow.

pub(crate) mod claims;
pub(crate) mod fixpoint;
pub(crate) mod guards;
pub(crate) mod invariants;
pub(crate) mod numbers;
mod program;
pub(crate) mod stages;
pub(crate) mod watched;

use std::collections::BTreeMap;

use linear::{
    Bounds, Limits, Outcome, Problem, Rational, Relation, Sense, VariableId, solve, to_small_integers,
};

use crate::net::{BufferId, ComponentId, Counted, CounterId, Net, NodeId, Transition, TransitionId};
use crate::potential::fixpoint::guess;
use crate::potential::invariants::Exit;
use crate::potential::program::{Program, Shape};

/// With more transitions than this, weights are guessed before a linear program looks for the best ones.
const MANY_TRANSITIONS: usize = 5_000;

/// Integers that prove something; see [`Question`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Potential {
    /// One per counter.
    pub weights: Vec<i64>,
    /// One per node of each component.
    pub nodes: Vec<Vec<i64>>,
}

/// What a potential is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Every message weighs at least 1 and no transition makes the total grow; the least initial total.
    AllBuffers,
    /// Every message of one buffer does; others weigh 0 or more.
    OneBuffer(BufferId),
    /// The same, but only just after this transition: its components, which have one token, need a value of at least
    /// zero only where it arrives.
    OneBufferAfter(BufferId, TransitionId),
    /// Each start of a process of this component weighs at least 1 and no transition makes the total grow.
    Starts(ComponentId),
    /// What this counter counts of a number weighs at least 1 and no transition makes the total grow.
    Number(CounterId),
    /// Every transition makes the total less by 1 at least.
    Termination,
    /// No transition makes the total grow, and the node with what is taken there weighs more than the initial total.
    NeverThere(Exit),
}

/// The answer to a [`Question`].
#[derive(Clone, Debug)]
pub enum Answer {
    /// Here it is.
    Found(Potential),
    /// There is none: these transitions, each as often as it says, leave every token where it was and take no more
    /// messages than they put.
    None(Flow),
    /// The solver was stopped.
    Stopped,
}

/// Transitions with how often each is taken.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Flow {
    /// Sorted by transition; all positive.
    pub times: Vec<(TransitionId, i64)>,
}

impl Potential {
    /// Its total at the start of the net.
    pub fn initial_total(&self, net: &Net) -> i128 {
        let counters: i128 = net
            .counters
            .iter()
            .zip(&self.weights)
            .map(|(counter, &weight)| i128::from(counter.initial) * i128::from(weight))
            .sum();
        let tokens: i128 = net
            .components
            .iter()
            .zip(&self.nodes)
            .flat_map(|(component, values)| {
                component
                    .initial
                    .iter()
                    .map(|&(node, number)| i128::from(number) * i128::from(values[node.0 as usize]))
            })
            .sum();
        counters + tokens
    }

    /// How a transition changes the total.
    pub fn change(&self, net: &Net, transition: TransitionId) -> i128 {
        let transition = net.transition(transition);
        let value = |component: usize, node: Option<NodeId>| {
            node.map_or(0, |node| i128::from(self.nodes[component][node.0 as usize]))
        };
        let moved: i128 = transition
            .moves
            .iter()
            .map(|step| {
                value(step.component.0 as usize, step.to) - value(step.component.0 as usize, step.from)
            })
            .sum();
        let counted: i128 = transition
            .effect
            .iter()
            .map(|&(counter, by)| i128::from(by) * i128::from(self.weights[counter.0 as usize]))
            .sum();
        moved + counted
    }

    /// The most messages that the buffer can hold, as far as this potential says; `None` if it weighs some of them nothing.
    pub fn bound_of(&self, net: &Net, buffer: BufferId) -> Option<u64> {
        let least = net.counters_of(buffer).map(|counter| self.weights[counter.0 as usize]).min();
        match least {
            None => Some(0),
            Some(least) if least > 0 => {
                u64::try_from(self.initial_total(net).div_euclid(i128::from(least))).ok()
            }
            Some(_) => None,
        }
    }
}

/// Programs about one net, each kept warm for the next question of its kind.
#[derive(Default)]
pub struct Programs {
    programs: BTreeMap<Shape, Program>,
}

impl Programs {
    /// Answers a question about all transitions of the net, which must be the same each time.
    pub fn find(&mut self, net: &Net, question: Question, cancelled: &dyn Fn() -> bool) -> Answer {
        let ids = asked_about(net, None, question);
        if let Some(potential) = without_program(net, &ids, question) {
            return Answer::Found(potential);
        }
        let shape = Shape::of(net, question);
        let program = self.programs.entry(shape).or_insert_with(|| Program::new(net, &ids, shape, None));
        program.ask(net, question, cancelled)
    }
}

/// Answers a question about these transitions alone.
pub fn find_among(
    net: &Net,
    ids: &[TransitionId],
    question: Question,
    cancelled: &dyn Fn() -> bool,
) -> Answer {
    Program::new(net, ids, Shape::of(net, question), None).ask(net, question, cancelled)
}

/// Whether the node with what is taken there can weigh more than there is at the start, if no transition that is `active` makes the total grow.
pub fn find_exclusion(net: &Net, active: &[bool], exit: Exit, cancelled: &dyn Fn() -> bool) -> Answer {
    let question = Question::NeverThere(exit);
    let ids = asked_about(net, Some(active), question);
    Program::new(net, &ids, Shape::NoGrowth, Some(exit)).ask(net, question, cancelled)
}

/// The transitions that a question is about.
fn asked_about(net: &Net, active: Option<&[bool]>, question: Question) -> Vec<TransitionId> {
    let is_asked = |(id, transition): &(TransitionId, &Transition)| {
        active.is_none_or(|active| active[id.0 as usize])
            && !(question == Question::Termination && transition.progress)
    };
    net.transition_ids().filter(is_asked).map(|(id, _)| id).collect()
}

/// A potential with the simplest weights, where these are as good as any or a linear program would take long. Its total is
/// not always the least.
fn without_program(net: &Net, ids: &[TransitionId], question: Question) -> Option<Potential> {
    match question {
        Question::Starts(component) => {
            let potential = guess(net, ids, question)?;
            let initial: u32 = net.components[component.0 as usize].initial.iter().map(|(_, n)| n).sum();
            // Nothing is better than one.
            (potential.initial_total(net) + i128::from(initial) <= 1).then_some(potential)
        }
        Question::AllBuffers | Question::Termination if ids.len() > MANY_TRANSITIONS => {
            guess(net, ids, question)
        }
        _ => None,
    }
}

/// A potential that no active transition makes grow, that as many of them as possible make less and that gives as many
/// of the `wanted` counters as possible a positive weight. Counters that are `settled` may weigh less than nothing. Potentials can be added
/// up, so the best one does all at once what any of them does. `None` if the solver was stopped.
pub fn least_core(
    net: &Net,
    active: &[bool],
    settled: &[bool],
    wanted: &[bool],
    cancelled: &dyn Fn() -> bool,
) -> Option<Potential> {
    let mut program = CoreProgram::new(net);
    let mut goals: Vec<(VariableId, i32)> = Vec::new();
    for (id, _) in net.transition_ids().filter(|(id, _)| active[id.0 as usize]) {
        let decrease = program.problem.add_variable(Bounds::between(0, 1));
        let mut terms = program.change_terms(net, id);
        terms.push((decrease, 1));
        program.problem.add_constraint(terms, Relation::AtMost, 0);
        goals.push((decrease, 1));
    }
    for (index, &weight) in program.weights.clone().iter().enumerate() {
        if settled[index] {
            program.problem.set_bounds(weight, Bounds::free());
        } else if wanted[index] {
            let share = program.problem.add_variable(Bounds::between(0, 1));
            program.problem.add_constraint([(weight, 1), (share, -1)], Relation::AtLeast, 0);
            goals.push((share, 1));
        }
    }
    program.problem.set_objective(Sense::Maximise, goals);
    match solve(&program.problem, &Limits { cancelled, ..Limits::none() }) {
        Outcome::Optimal(optimum) => program.potential(net, &optimum.values),
        Outcome::Infeasible(_) | Outcome::Unbounded(_) | Outcome::Stopped(_) => None,
    }
}

/// A row for each transition, none left out: every one may be the one that gets less.
struct CoreProgram {
    problem: Problem,
    weights: Vec<VariableId>,
    nodes: Vec<Vec<VariableId>>,
}

impl CoreProgram {
    fn new(net: &Net) -> CoreProgram {
        let mut problem = Problem::new();
        let bounds = |counted: Counted| match counted {
            Counted::Handshake => Bounds::free(),
            Counted::Starts(_) => Bounds::fixed(0),
            Counted::Messages(_) | Counted::Room(_) | Counted::Number { .. } => Bounds::non_negative(),
        };
        let counters = net.counters.iter();
        let weights = counters.map(|counter| problem.add_variable(bounds(counter.counted))).collect();
        let mut nodes: Vec<Vec<VariableId>> = Vec::with_capacity(net.components.len());
        for component in &net.components {
            nodes.push((0..component.nodes).map(|_| problem.add_variable(Bounds::non_negative())).collect());
        }
        CoreProgram { problem, weights, nodes }
    }

    fn change_terms(&self, net: &Net, id: TransitionId) -> Vec<(VariableId, i32)> {
        let transition = net.transition(id);
        let mut terms: Vec<(VariableId, i32)> = Vec::new();
        for step in &transition.moves {
            let values = &self.nodes[step.component.0 as usize];
            if let Some(to) = step.to {
                terms.push((values[to.0 as usize], 1));
            }
            if let Some(from) = step.from {
                terms.push((values[from.0 as usize], -1));
            }
        }
        terms.extend(transition.effect.iter().map(|&(counter, by)| (self.weights[counter.0 as usize], by)));
        terms
    }

    fn potential(&self, net: &Net, values: &[Rational]) -> Option<Potential> {
        let wanted: Vec<Rational> = self
            .weights
            .iter()
            .chain(self.nodes.iter().flatten())
            .map(|variable| values[variable.index()].clone())
            .collect();
        let integers = to_small_integers(&wanted)?;
        let mut rest = integers[self.weights.len()..].iter().copied();
        let nodes = net
            .components
            .iter()
            .map(|component| rest.by_ref().take(component.nodes as usize).collect())
            .collect();
        Some(Potential { weights: integers[..self.weights.len()].to_vec(), nodes })
    }
}
