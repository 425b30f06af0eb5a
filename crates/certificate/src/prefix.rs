//! Bad prefixes: finite runs after which nothing that follows can satisfy a formula any more.
//!
//! `[] (x < 50)` is violated the moment `x` is 50, whether the run ever comes back to where it was or not. So a finite run is enough, and the judge finds
//! out by itself that it is: it makes the automaton of the runs that *satisfy* the formula ([`Violations`] of the negation, of which every such run is
//! accepted), reads the moments of the run with it, and looks whether it could still accept anything from one of the states that it may be in.
//! If not, no continuation satisfies the formula. Nothing of this has to do with how the run was found.
//!
//! The *moments* are the states in which no `atomic` sequence is under way, from the initial state, which a claim reads before anybody moves, to the last one. A
//! proposition that has no value at some moment, as `x / y` where `y` is 0, is taken to be either: `y == 0 || x / y > 1` has a value there.
//!
//! **Fairness.** A bad prefix violates the formula under every fairness, because every finite run has a fair continuation: let always that process move which
//! can and whose last move is longest ago. A process that can move again and again comes to the front of that queue and moves, so the run is strongly
//! fair, and with that weakly; it does not matter whether there are finitely many states. If it ends, by itself or in a runtime error, nobody waits for
//! ever; and in an `atomic` that never ends nobody else can move.

use crate::formula::{ViolationEdge, Violations, unanswerable};
use crate::trace::{ReplayError, Trace, replay};
use promela::model::{Ltl, Model};
use std::collections::BTreeSet;
use std::fmt;
use system::automaton::System;
use system::interpreter::Interpreter;
use system::state::State;

/// What tells whether prefixes are bad for a formula.
#[derive(Clone, Debug)]
pub struct PrefixJudge {
    /// The automaton of the runs that satisfy it.
    satisfying: Violations,
}

/// Why a run does not show that a formula is violated.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum PrefixRefusal {
    /// There is no formula of that name.
    NoFormula,
    /// The formula is too large for the judge, or asks what no state tells.
    NoJudge,
    /// The trace has a loop: it is judged as a whole.
    Loop,
    /// It is no execution of the model.
    NoRun(ReplayError),
    /// Some continuation could still satisfy the formula.
    MaySatisfy,
}

impl PrefixJudge {
    /// For a formula of the model; `None` if it is too large, or cannot be answered state by state.
    pub fn new(model: &Model, formula: &Ltl) -> Option<PrefixJudge> {
        let negation = Ltl::Not(Box::new(formula.clone()));
        let satisfying = Violations::of(model, &negation)?;
        unanswerable(&model.features, &satisfying.propositions)
            .is_none()
            .then_some(PrefixJudge { satisfying })
    }

    /// Whether no continuation of a run without a loop satisfies the formula.
    pub fn judge(&self, system: &System, trace: &Trace) -> Result<(), PrefixRefusal> {
        if trace.loop_start.is_some() {
            return Err(PrefixRefusal::Loop);
        }
        let replay = replay(system, trace).map_err(PrefixRefusal::NoRun)?;
        let interpreter = trace.interpreter(system);
        let mut states = BTreeSet::from([0]);
        let mut enabled = Vec::new();
        for step in 0..=trace.steps.len() {
            let state = replay.state_before(step);
            let (how, _) = interpreter.steps_beside_errors(state, &mut enabled);
            if state.exclusive.is_some() && !how.released {
                continue;
            }
            let moment = self.moment(&interpreter, state);
            let edges = states.iter().flat_map(|&at| &self.satisfying.edges[at as usize]);
            states = edges.filter(|edge| moment.allows(edge)).map(|edge| edge.target).collect();
        }
        match states.iter().any(|&at| self.satisfying.accepts_something(at)) {
            true => Err(PrefixRefusal::MaySatisfy),
            false => Ok(()),
        }
    }

    fn moment(&self, interpreter: &Interpreter<'_>, state: &State) -> Moment {
        let mut moment = Moment::default();
        for (bit, proposition) in self.satisfying.propositions.iter().enumerate() {
            match interpreter.evaluate(state, None, proposition) {
                Ok(0) => moment.false_ones |= 1 << bit,
                Ok(_) => moment.true_ones |= 1 << bit,
                Err(_) => {}
            }
        }
        moment
    }
}

/// Which propositions hold and which do not, as bits; neither if they have no value.
#[derive(Default)]
struct Moment {
    true_ones: u32,
    false_ones: u32,
}

impl Moment {
    fn allows(&self, edge: &ViolationEdge) -> bool {
        edge.holds & self.false_ones == 0 && edge.fails & self.true_ones == 0
    }
}

/// Judges a run without a loop that is to violate the formula with this name.
pub fn judge_prefix(system: &System, formula: &str, trace: &Trace) -> Result<(), PrefixRefusal> {
    let known = system.model.formulas.iter().find(|known| known.name == formula);
    let known = known.ok_or(PrefixRefusal::NoFormula)?;
    let judge = PrefixJudge::new(&system.model, &known.formula).ok_or(PrefixRefusal::NoJudge)?;
    judge.judge(system, trace)
}

impl fmt::Display for PrefixRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrefixRefusal::NoFormula => write!(f, "there is no such formula"),
            PrefixRefusal::NoJudge => {
                write!(f, "the formula is too large to be judged on a run without a loop")
            }
            PrefixRefusal::Loop => write!(f, "the run has a loop"),
            PrefixRefusal::NoRun(error) => write!(f, "{error}"),
            PrefixRefusal::MaySatisfy => write!(f, "what follows could still satisfy the formula"),
        }
    }
}

impl std::error::Error for PrefixRefusal {}
