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
pub(crate) mod stages;

use linear::{
    Bounds, Limits, Outcome, Problem, Rational, Relation, Sense, VariableId, solve, to_small_integers,
};

use crate::net::{BufferId, ComponentId, Counted, Net, NodeId, TransitionId};
use crate::potential::fixpoint::guess;
use crate::potential::invariants::Exit;

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

/// Answers a question about the transitions that are `active` (`None`: all).
pub fn find(net: &Net, active: Option<&[bool]>, question: Question, cancelled: &dyn Fn() -> bool) -> Answer {
    let ids: Vec<TransitionId> = net
        .transition_ids()
        .filter(|(id, transition)| {
            active.is_none_or(|active| active[id.0 as usize])
                && !(question == Question::Termination && transition.progress)
        })
        .map(|(id, _)| id)
        .collect();
    if let Some(potential) = without_program(net, &ids, question) {
        return Answer::Found(potential);
    }
    let mut program = Program::new(net, question);
    for &id in &ids {
        program.add_transition(net, id, question);
    }
    if let Question::NeverThere(exit) = question {
        program.exclude(net, exit);
    }
    program.minimise_initial_total(net);
    let limits = Limits { cancelled, ..Limits::none() };
    match solve(&program.problem, &limits) {
        Outcome::Optimal(optimum) => match program.potential(net, &optimum.values) {
            Some(potential) => Answer::Found(potential),
            None => Answer::Stopped,
        },
        Outcome::Infeasible(farkas) => {
            let multipliers: Vec<Rational> = farkas.constraints.iter().map(Rational::abs).collect();
            match to_small_integers(&multipliers) {
                Some(times) => Answer::None(Flow {
                    times: ids.iter().copied().zip(times).filter(|&(_, times)| times > 0).collect(),
                }),
                None => Answer::Stopped,
            }
        }
        Outcome::Unbounded(_) | Outcome::Stopped(_) => Answer::Stopped,
    }
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
    let mut program = Program::new(net, Question::Termination);
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

struct Program {
    problem: Problem,
    weights: Vec<VariableId>,
    nodes: Vec<Vec<VariableId>>,
}

impl Program {
    fn new(net: &Net, question: Question) -> Program {
        let mut problem = Problem::new();
        let weights = net
            .counters
            .iter()
            .map(|counter| {
                problem.add_variable(match (counter.counted, question) {
                    (Counted::Handshake, _) => Bounds::free(),
                    (Counted::Messages(_), Question::AllBuffers) if !net.is_settled(counter) => {
                        Bounds::at_least(1)
                    }
                    (
                        Counted::Messages(own),
                        Question::OneBuffer(asked) | Question::OneBufferAfter(asked, _),
                    ) if own == asked => Bounds::at_least(1),
                    // A buffer's own room says no more than its capacity, which needs no potential.
                    (Counted::Room(own), Question::OneBuffer(asked) | Question::OneBufferAfter(asked, _))
                        if own == asked =>
                    {
                        Bounds::fixed(0)
                    }
                    (Counted::Starts(own), Question::Starts(asked)) if own == asked => Bounds::at_least(1),
                    (Counted::Starts(_), _) | (Counted::Room(_), Question::NeverThere(_)) => Bounds::fixed(0),
                    _ => Bounds::non_negative(),
                })
            })
            .collect();
        let mut nodes: Vec<Vec<VariableId>> = Vec::with_capacity(net.components.len());
        for component in &net.components {
            nodes.push((0..component.nodes).map(|_| problem.add_variable(Bounds::non_negative())).collect());
        }
        if let Question::OneBufferAfter(_, transition) = question {
            // Whoever executes it comes first; of the others nothing is known but that they have some node.
            for step in net.transition(transition).moves.iter().take(1) {
                if let (Some(_), Some(to)) = (step.from, step.to) {
                    for (node, &variable) in nodes[step.component.0 as usize].iter().enumerate() {
                        if node != to.0 as usize {
                            problem.set_bounds(variable, Bounds::free());
                        }
                    }
                }
            }
        }
        Program { problem, weights, nodes }
    }

    fn add_transition(&mut self, net: &Net, id: TransitionId, question: Question) {
        let terms = self.change_terms(net, id);
        let right = if question == Question::Termination { -1 } else { 0 };
        self.problem.add_constraint(terms, Relation::AtMost, right);
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

    fn exclude(&mut self, net: &Net, exit: Exit) {
        let mut terms: Vec<(VariableId, i32)> =
            self.initial_total(net).into_iter().map(|(variable, number)| (variable, -number)).collect();
        terms.push((self.nodes[exit.component.0 as usize][exit.node.0 as usize], 1));
        terms.extend(exit.taken.map(|counter| (self.weights[counter.0 as usize], 1)));
        self.problem.add_constraint(terms, Relation::AtLeast, 1);
    }

    fn minimise_initial_total(&mut self, net: &Net) {
        let terms = self.initial_total(net);
        self.problem.set_objective(Sense::Minimise, terms);
    }

    fn initial_total(&self, net: &Net) -> Vec<(VariableId, i32)> {
        let mut terms: Vec<(VariableId, i32)> = Vec::new();
        for (component, values) in net.components.iter().zip(&self.nodes) {
            terms.extend(
                component.initial.iter().map(|&(node, number)| (values[node.0 as usize], number as i32)),
            );
        }
        terms.extend(
            net.counters.iter().zip(&self.weights).map(|(counter, &weight)| (weight, counter.initial as i32)),
        );
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
