//! What a pump shows beside that it goes on for ever: that its run violates a formula, and that it is fair.
//!
//! The **moments** of a run are the states in which no `atomic` sequence is under way. What the run does at each of them is what it does at
//! the same point of every later repetition, but that growing channels hold more. So its moments are those of the way, then those of the repeated part again
//! and again, if no proposition looks at how much grows (P9); and whether a formula is true of such a sequence is a matter of the definitions, no automaton
//! is needed. It is fair if whoever never moves is, at some moment of the repetition (strongly: at all of them), unable to, for a reason
//! that does not grow (P10).

use super::mind::Looks;
use super::{PumpRefusal, Runner};
use crate::formula::unanswerable;
use crate::verdict::Fairness;
use promela::model::{ChannelRef, Expr, ExprKind, Ltl};
use system::interpreter::Step;
use system::state::{ChannelId, Pid, State};

/// The moments of a run, and where those of the repeated part begin.
pub(super) struct Moments<'r, 's> {
    runner: &'r Runner<'s>,
    growing: &'r [(ChannelId, u64)],
    states: Vec<State>,
    repeated_from: usize,
}

impl<'r, 's> Moments<'r, 's> {
    /// Of a run that the runner has seen to be one.
    pub(super) fn new(
        runner: &'r Runner<'s>,
        growing: &'r [(ChannelId, u64)],
        (prefix, repeated): (&[Step], &[Step]),
    ) -> Result<Self, PumpRefusal> {
        let mut moments = Moments { runner, growing, states: Vec::new(), repeated_from: 0 };
        let fails = |step, what: String| PumpRefusal::Fails { step, what };
        let initial = runner.interpreter.initial_state();
        let mut state = initial.map_err(|error| fails(0, error.kind.to_string()))?;
        let mut enabled = Vec::new();
        for (index, &step) in prefix.iter().chain(repeated).enumerate() {
            if index == prefix.len() {
                moments.repeated_from = moments.states.len();
            }
            let (how, _) = runner.interpreter.steps_beside_errors(&state, &mut enabled);
            if state.exclusive.is_none() || how.released {
                moments.states.push(state.clone());
            }
            runner.advance(&mut state, index, step)?;
        }
        match moments.repeated().is_empty() {
            true => Err(PumpRefusal::NothingIsSeen),
            false => Ok(moments),
        }
    }

    fn repeated(&self) -> &[State] {
        &self.states[self.repeated_from..]
    }

    /// P9: no proposition looks at what grows, and the formula is false.
    pub(super) fn violate(&self, name: &str) -> Result<(), PumpRefusal> {
        let formulas = &self.runner.system.model.formulas;
        let known = formulas.iter().find(|formula| formula.name == name);
        let formula = &known.ok_or(PumpRefusal::NoViolation)?.formula;
        let features = &self.runner.system.model.features;
        let mut stays = true;
        formula.visit_propositions(&mut |proposition| {
            stays &= unanswerable(features, std::slice::from_ref(proposition)).is_none();
            stays &= self.repeated().iter().all(|state| self.keeps_its_value(state, proposition));
        });
        match stays && !self.truth(formula)?.first().copied().unwrap_or(true) {
            true => Ok(()),
            false => Err(PumpRefusal::NoViolation),
        }
    }

    /// Whether a formula is true from each moment on.
    fn truth(&self, formula: &Ltl) -> Result<Vec<bool>, PumpRefusal> {
        let both = |a: &Ltl, b: &Ltl, of: fn(bool, bool) -> bool| {
            let (a, b) = (self.truth(a)?, self.truth(b)?);
            Ok(a.into_iter().zip(b).map(|(a, b)| of(a, b)).collect())
        };
        let always = |truth: bool| vec![truth; self.states.len()];
        Ok(match formula {
            Ltl::Proposition(expr) => {
                let holds = |state| self.runner.interpreter.evaluate(state, None, expr);
                let values: Result<Vec<bool>, _> =
                    self.states.iter().map(|state| holds(state).map(|value| value != 0)).collect();
                values.map_err(|_| PumpRefusal::NoViolation)?
            }
            Ltl::Not(a) => self.truth(a)?.into_iter().map(|a| !a).collect(),
            Ltl::And(a, b) => both(a, b, |a, b| a && b)?,
            Ltl::Or(a, b) => both(a, b, |a, b| a || b)?,
            Ltl::Implies(a, b) => both(a, b, |a, b| !a || b)?,
            Ltl::Equivalent(a, b) => both(a, b, |a, b| a == b)?,
            Ltl::Next(a) => {
                let a = self.truth(a)?;
                (0..a.len()).map(|at| a[self.next(at)]).collect()
            }
            Ltl::Eventually(a) => self.until(&always(true), &self.truth(a)?, false),
            Ltl::Always(a) => self.until(&self.truth(a)?, &always(false), true),
            Ltl::Until(a, b) => self.until(&self.truth(a)?, &self.truth(b)?, false),
            Ltl::WeakUntil(a, b) => self.until(&self.truth(a)?, &self.truth(b)?, true),
            Ltl::Release(a, b) => {
                // `a V b` is `b W (a && b)`.
                let (a, b) = (self.truth(a)?, self.truth(b)?);
                let released: Vec<bool> = a.iter().zip(&b).map(|(a, b)| *a && *b).collect();
                self.until(&b, &released, true)
            }
        })
    }

    /// The moment after one.
    fn next(&self, at: usize) -> usize {
        match at.checked_add(1) {
            Some(next) if next < self.states.len() => next,
            _ => self.repeated_from,
        }
    }

    /// `a U b`, or `a W b` where it may go on for ever: a fixed point, which going back through the repeated part twice finds.
    fn until(&self, a: &[bool], b: &[bool], for_ever: bool) -> Vec<bool> {
        let mut holds = vec![for_ever; self.states.len()];
        for _ in 0..2 {
            for at in (0..self.states.len()).rev() {
                holds[at] = b[at] || (a[at] && holds[self.next(at)]);
            }
        }
        holds
    }

    /// Whether a proposition has the same value at this point of every repetition.
    fn keeps_its_value(&self, state: &State, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Unary(_, a) => self.keeps_its_value(state, a),
            ExprKind::Binary(operator, a, b) => {
                let (a, b) = (&**a, &**b);
                let compared = match (&a.kind, &b.kind) {
                    (ExprKind::Len(channel), ExprKind::Constant { value, .. })
                    | (ExprKind::Constant { value, .. }, ExprKind::Len(channel)) => Some((channel, *value)),
                    _ => None,
                };
                // Where there are more messages than it is compared with, more of them make no difference.
                let is_beyond = compared
                    .filter(|_| operator.is_comparison())
                    .is_some_and(|(channel, value)| self.holds_more_than(state, channel, value));
                is_beyond || (self.keeps_its_value(state, a) && self.keeps_its_value(state, b))
            }
            _ => {
                let mut stays = true;
                expr.visit(&mut |part| stays &= self.part_stays(state, part));
                stays
            }
        }
    }

    /// The same for one operator, whatever its operands are.
    fn part_stays(&self, state: &State, expr: &Expr) -> bool {
        let does_not_grow = |channel| self.channel(state, channel).is_some_and(|id| !self.grows(id));
        match &expr.kind {
            ExprKind::Len(channel) | ExprKind::Poll { channel, random: true, .. } => does_not_grow(channel),
            ExprKind::Empty(channel) | ExprKind::NotEmpty(channel) | ExprKind::Poll { channel, .. } => {
                does_not_grow(channel) || self.holds_more_than(state, channel, 0)
            }
            ExprKind::Timeout
            | ExprKind::Enabled(_)
            | ExprKind::Run { .. }
            | ExprKind::Full(_)
            | ExprKind::NotFull(_) => false,
            _ => true,
        }
    }

    fn channel(&self, state: &State, channel: &ChannelRef) -> Option<ChannelId> {
        let read = Expr { kind: ExprKind::Read(channel.place.clone()), span: channel.place.span };
        let number = self.runner.interpreter.evaluate(state, None, &read).ok()?;
        let index = u32::try_from(number).ok()?.checked_sub(1)?;
        ((index as usize) < state.channels.len()).then_some(ChannelId(index))
    }

    /// Whether a channel holds more messages than this, and what is in front of them stays.
    fn holds_more_than(&self, state: &State, channel: &ChannelRef, number: i32) -> bool {
        let held = self.channel(state, channel).map(|id| self.runner.messages(state, id.0 as usize).len());
        held.is_some_and(|held| i64::try_from(held).is_ok_and(|held| held > i64::from(number)))
    }

    fn grows(&self, id: ChannelId) -> bool {
        self.growing.iter().any(|(growing, _)| *growing == id)
    }

    /// P10: whoever never moves in the repetition is unable to, again and again (strongly: always).
    pub(super) fn are_fair(&self, repeated: &[Step], fairness: Fairness) -> Result<(), PumpRefusal> {
        if fairness == Fairness::None {
            return Ok(());
        }
        let number = self.repeated().first().map_or(0, |state| state.processes.len());
        let unfair = |pid: Pid| Err(PumpRefusal::NotFair(pid));
        if self.repeated().iter().any(|state| state.processes.len() != number) {
            return unfair(Pid(number as u32));
        }
        for pid in (0..number as u32).map(Pid) {
            let moves =
                |step: &Step| step.process == pid || step.partner.is_some_and(|other| other.process == pid);
            if repeated.iter().any(moves) {
                continue;
            }
            let mut moments = self.repeated().iter();
            let cannot = |state: &State| self.is_unable(state, pid);
            let is_fair = match fairness {
                Fairness::None | Fairness::Weak => moments.any(cannot),
                Fairness::Strong => moments.all(cannot),
            };
            if !is_fair {
                return unfair(pid);
            }
        }
        Ok(())
    }

    /// Whether a process cannot move, and not at the same point of any repetition: no channel that grows has to do with it. (In a
    /// rendezvous others have, too.)
    fn is_unable(&self, state: &State, pid: Pid) -> bool {
        let runner = self.runner;
        let meets = runner.system.model.channel_types.iter().any(|channel| channel.capacity == 0);
        let mut steps = Vec::new();
        let (how, error) = runner.interpreter.steps_beside_errors(state, &mut steps);
        let is_idle = error.is_none() && !steps.iter().any(|step| step.process == pid);
        let looks = Looks::default();
        // If it could not be asked, there would be an error above.
        let _ = runner.interpreter.steps_of(state, pid, how.timeout, &looks, &mut Vec::new());
        let looks_at_more = looks.channels.borrow().iter().any(|id| self.grows(*id));
        is_idle && !looks_at_more && !meets
    }
}
