//! The graph of a small model in the plainest form, and what it says to every question: to hold all engines against.
//!
//! States are compared as wholes, an `atomic` sequence is one move, every step is asked of the step semantics. Nothing is left out and
//! nothing is remembered; questions about infinite runs are asked of strongly connected components.

use certificate::verdict::ProgressReading;
use omega::{Automaton, Formula, Letter, PropositionId, StateId, TypedIndex};
use omega::{TranslationLimits, translate_to_buchi};
use petgraph::graph::{DiGraph, NodeIndex};
use promela::model::Ltl;
use search::fair::Property;
use std::collections::HashMap;
use system::automaton::System;
use system::interpreter::{Capacities, Interpreter, Step};
use system::progress::{ProgressAt, ProgressStatements};
use system::state::State;

/// Processes as bits.
pub type Processes = u32;

/// Steps in a row within one `atomic`, at the most.
const MOST_ATOMIC_STEPS: u32 = 200;

/// Ways through the `atomic` sequences of one state, at the most.
const MOST_WAYS: usize = 10_000;

/// A way from a state to the next that is no matter of an `atomic` sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// Where it leads.
    pub target: usize,
    /// Who acts.
    pub actors: Processes,
    /// A statement with a `progress…` label is executed.
    pub progress: bool,
}

/// All states of a model and their moves.
pub struct Plain<'s> {
    interpreter: Interpreter<'s>,
    marked: ProgressStatements,
    /// The states; the first is the initial one.
    pub states: Vec<State>,
    /// For each state where it leads.
    pub moves: Vec<Vec<Move>>,
    /// For each state who can move.
    pub enabled: Vec<Processes>,
}

/// Why there is no graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsuitable {
    /// More states than wanted, or an `atomic` without end.
    TooLarge,
    /// A run ends in a runtime error.
    RuntimeError,
}

impl<'s> Plain<'s> {
    /// Explores everything.
    pub fn new(system: &'s System, capacities: Capacities, most: usize) -> Result<Plain<'s>, Unsuitable> {
        let interpreter = Interpreter::new(system, capacities);
        let initial = interpreter.initial_state().map_err(|_| Unsuitable::RuntimeError)?;
        let mut numbers: HashMap<State, usize> = HashMap::from([(initial.clone(), 0)]);
        let marked = ProgressStatements::new(system, &ProgressAt::Labels);
        let mut plain =
            Plain { interpreter, marked, states: vec![initial], moves: Vec::new(), enabled: Vec::new() };
        while plain.moves.len() < plain.states.len() {
            if plain.states.len() > most {
                return Err(Unsuitable::TooLarge);
            }
            let state = plain.states[plain.moves.len()].clone();
            let mut steps = Vec::new();
            plain.interpreter.steps(&state, &mut steps).map_err(|_| Unsuitable::RuntimeError)?;
            let mut enabled = 0;
            let mut arrivals = Vec::new();
            for &step in &steps {
                enabled |= participants(step)?;
                plain.follow(&state, step, (0, false), MOST_ATOMIC_STEPS, &mut arrivals)?;
            }
            let mut moves = Vec::new();
            for (after, actors, progress) in arrivals {
                let target = *numbers.entry(after.clone()).or_insert_with(|| {
                    plain.states.push(after);
                    plain.states.len() - 1
                });
                moves.push(Move { target, actors, progress });
            }
            plain.moves.push(moves);
            plain.enabled.push(enabled);
        }
        Ok(plain)
    }

    /// Where a step leads: on to the end of an `atomic` sequence, or to where it blocks.
    fn follow(
        &self,
        state: &State,
        step: Step,
        (acted, progress): (Processes, bool),
        patience: u32,
        out: &mut Vec<(State, Processes, bool)>,
    ) -> Result<(), Unsuitable> {
        let acted = acted | participants(step)?;
        let progress = progress || self.marked.is_made_by(&self.interpreter, state, step);
        let mut after = state.clone();
        self.interpreter.execute(&mut after, step, &(), &mut ()).map_err(|_| Unsuitable::RuntimeError)?;
        if after.exclusive.is_none() {
            out.push((after, acted, progress));
            return Ok(());
        }
        let mut steps = Vec::new();
        let enabled = self.interpreter.steps(&after, &mut steps).map_err(|_| Unsuitable::RuntimeError)?;
        if enabled.released || steps.is_empty() {
            after.exclusive = None;
            out.push((after, acted, progress));
            return Ok(());
        }
        // Ways through `atomic` sequences multiply.
        let patience =
            patience.checked_sub(1).filter(|_| out.len() < MOST_WAYS).ok_or(Unsuitable::TooLarge)?;
        steps.into_iter().try_for_each(|step| self.follow(&after, step, (acted, progress), patience, out))
    }

    /// Whether some run goes on for ever and makes progress only finitely often.
    pub fn has_loop_without_progress(&self, reading: ProgressReading) -> bool {
        !self.components(&|at, step| self.is_without_progress(reading, at, step)).is_empty()
    }

    fn is_without_progress(&self, reading: ProgressReading, at: usize, step: &Move) -> bool {
        let stands = |at: usize| self.stands(at, |location| location.progress);
        match reading {
            ProgressReading::State => !stands(at) && !stands(step.target),
            ProgressReading::Transition => !step.progress,
        }
    }

    /// What runs can do without progress; whatever goes on for ever there is accepted.
    pub fn without_progress(&self, reading: ProgressReading) -> Product {
        let everybody = self.enabled.iter().fold(0, |all, enabled| all | enabled);
        let of_state = |(at, moves): (usize, &Vec<Move>)| {
            let left = moves.iter().filter(|step| self.is_without_progress(reading, at, step));
            left.map(|step| (step.target, step.actors, true)).collect()
        };
        let moves = self.moves.iter().enumerate().map(of_state).collect();
        Product { enabled: self.enabled.clone(), moves, everybody }
    }

    /// Whether some run passes a state again and again, or ends in one, in which somebody stands at an `accept…` label: a run that has
    /// ended stays where it is.
    pub fn has_acceptance_cycle(&self) -> bool {
        let components = self.components(&|_, _| true);
        let ends = (0..self.states.len()).filter(|&at| self.moves[at].is_empty());
        let mut again = components.into_iter().flatten().chain(ends);
        again.any(|at| self.stands(at, |location| location.accept))
    }

    /// States in which nothing can move and somebody is not at a valid end.
    pub fn invalid_end_states(&self) -> usize {
        let is_invalid = |at: &usize| {
            let state = &self.states[*at];
            let ends_well =
                self.interpreter.is_valid_end_state(state) && self.interpreter.event_trace_is_complete(state);
            self.moves[*at].is_empty() && !state.processes.is_empty() && !ends_well
        };
        (0..self.states.len()).filter(is_invalid).count()
    }

    fn stands(&self, at: usize, is: impl Fn(&system::automaton::Location) -> bool) -> bool {
        let system = self.interpreter.system();
        let mut processes = self.states[at].processes.iter();
        processes.any(|process| is(system.automaton(process.automaton).location(process.location)))
    }

    /// The strongly connected components with at least one of the moves that count.
    fn components(&self, counts: &dyn Fn(usize, &Move) -> bool) -> Vec<Vec<usize>> {
        let mut graph = DiGraph::<(), ()>::with_capacity(self.states.len(), self.states.len());
        self.states.iter().for_each(|_| {
            graph.add_node(());
        });
        for (at, moves) in self.moves.iter().enumerate() {
            for step in moves.iter().filter(|step| counts(at, step)) {
                graph.add_edge(NodeIndex::new(at), NodeIndex::new(step.target), ());
            }
        }
        let components = petgraph::algo::tarjan_scc(&graph).into_iter();
        let has_cycle =
            |members: &Vec<NodeIndex>| members.len() > 1 || graph.find_edge(members[0], members[0]).is_some();
        components.filter(has_cycle).map(|members| members.iter().map(|n| n.index()).collect()).collect()
    }

    /// The product with the automaton of a formula's negation; nothing if a proposition cannot be evaluated somewhere.
    pub fn product(&self, formula: &Ltl) -> Option<Product> {
        let property = Property::new(formula);
        let mut letters = Vec::new();
        for state in &self.states {
            let mut letter = Letter::new();
            for (index, proposition) in property.propositions.iter().enumerate() {
                if self.interpreter.evaluate(state, None, proposition).ok()? != 0 {
                    letter.insert(PropositionId::from_position(index));
                }
            }
            letters.push(letter);
        }
        let negation = Formula::not(property.formula);
        let automaton = translate_to_buchi(&negation, TranslationLimits::default()).ok()?;
        Some(self.product_with(&letters, &automaton))
    }

    fn product_with(&self, letters: &[Letter], automaton: &Automaton) -> Product {
        let mut numbers: HashMap<(usize, StateId), usize> = HashMap::from([((0, automaton.initial()), 0)]);
        let mut nodes = vec![(0, automaton.initial())];
        let everybody = self.enabled.iter().fold(0, |all, enabled| all | enabled);
        let mut product = Product { enabled: Vec::new(), moves: Vec::new(), everybody };
        while product.moves.len() < nodes.len() {
            let (state, claim) = nodes[product.moves.len()];
            let mut moves = Vec::new();
            // A run that has ended stays where it is.
            let staying = [Move { target: state, actors: 0, progress: false }];
            let steps = if self.moves[state].is_empty() { &staying[..] } else { &self.moves[state] };
            for (next_claim, marks) in automaton.moves(claim, &letters[state]) {
                for step in steps {
                    let key = (step.target, next_claim);
                    let target = *numbers.entry(key).or_insert_with(|| {
                        nodes.push(key);
                        nodes.len() - 1
                    });
                    // A plain automaton without any acceptance set accepts whatever it can read.
                    moves.push((target, step.actors, automaton.all_marks().is_subset(marks)));
                }
            }
            product.enabled.push(self.enabled[state]);
            product.moves.push(moves);
        }
        product
    }
}

/// The runs of a system that violate a formula, or make no progress.
pub struct Product {
    /// For each node who is enabled.
    pub enabled: Vec<Processes>,
    /// For each node where it leads, who acts, and whether the move is accepting.
    pub moves: Vec<Vec<(usize, Processes, bool)>>,
    /// All processes that ever move.
    pub everybody: Processes,
}

/// The processes of a step as bits.
fn participants(step: Step) -> Result<Processes, Unsuitable> {
    let bit = |pid: u32| if pid < 16 { Ok(1 << pid) } else { Err(Unsuitable::TooLarge) };
    let partner = step.partner.map_or(Ok(0), |partner| bit(partner.process.0))?;
    Ok(bit(step.process.0)? | partner)
}
