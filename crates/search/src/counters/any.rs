//! Any number of processes: counts beyond a cutoff become "many" (the paper's section 5, definition 8).
//!
//! A state stands for all counted states that agree with it up to the cutoff, in every instance of the system. Every run of
//! every instance has a run here, so what holds here holds for all; the reverse is not so. Three things make it sharper than
//! the paper's abstraction:
//! - **counting variables** ([`super::variable`]) are linked to the counts: while moves are explored, a weight is found for each local state such
//!   that the variable is always the weighted sum of the counts, plus a term that depends on the rest of the state. Each
//!   move is checked against it, so it is an invariant of all instances, and states that contradict it are left out;
//! - in an instance every count is finite, so no run takes processes away from a local state again and again without
//!   bringing some back: the moves say which counts they change, and the decision leaves out one-sided ones;
//! - a variable that is linked cannot wrap as long as there are few enough processes, and how many that is is reported.

use super::space::{Counted, CounterSpace, Folded, LocalState, Representative};
use super::variable::CountingVariable;
use crate::fair::explicit::{Ways, actors_of, chains, encode_process, encode_rest};
use crate::fair::interner::Writer;
use crate::fair::space::{Expansion, Move, Problem, Space, StateNumber};
use omega::{Letter, ProcessSet, PropositionId, TypedIndex};
use promela::model::{BinaryOp, Expr, ExprKind, RemoteProcess, UnaryOp};
use std::collections::{BTreeMap, HashMap};
use system::interpreter::{RuntimeError, Step};
use system::state::State;

/// A variable with its link to the counts.
struct Linked {
    variable: CountingVariable,
    /// Whether the variable is the weighted sum. Once refuted, never again.
    holds: bool,
    weights: HashMap<LocalState, i64>,
    /// The rest of the sum, by everything else in the state.
    terms: HashMap<Vec<u8>, i64>,
}

/// States that stand for any number of processes.
pub struct AnySpace<'s> {
    inner: CounterSpace<'s>,
    cutoff: u32,
    variables: Vec<Linked>,
    /// The initial numbers that are covered, one list for each proctype whose number is not given.
    starts: Vec<(LocalState, Vec<u32>)>,
    /// A link was refuted: what was explored before relied on it, so everything must be explored again.
    refuted: bool,
    /// Some move creates counted processes.
    creates: bool,
}

impl<'s> AnySpace<'s> {
    /// Counts are exact up to `cutoff`; `any` says which proctypes have any number (from one on) of active processes.
    pub fn new(
        inner: CounterSpace<'s>,
        cutoff: u32,
        variables: Vec<CountingVariable>,
        unlinked: &[usize],
    ) -> AnySpace<'s> {
        let variables = variables
            .into_iter()
            .map(|variable| Linked {
                holds: !unlinked.contains(&variable.slot),
                variable,
                weights: HashMap::new(),
                terms: HashMap::new(),
            })
            .collect();
        AnySpace { inner, cutoff, variables, starts: Vec::new(), refuted: false, creates: false }
    }

    /// Covers every number, from one on, of active processes of a proctype that has some.
    pub fn cover_any_number(&mut self, automaton: u32) -> Result<(), RuntimeError> {
        let initial = self.inner.initial_counted()?;
        for &local in initial.counts.keys() {
            if self.inner.locals.process(&self.inner.interpreter, local).automaton.0 == automaton {
                self.starts.push((local, (1..=self.cutoff + 1).collect()));
            }
        }
        Ok(())
    }

    /// The slots of variables whose link was refuted while exploring; not empty means: explore again without.
    pub fn refuted(&self) -> Option<Vec<usize>> {
        let broken = self.variables.iter().filter(|linked| !linked.holds).map(|linked| linked.variable.slot);
        self.refuted.then(|| broken.collect())
    }

    /// Whether the numbers of processes grow.
    pub fn creates(&self) -> bool {
        self.creates
    }

    /// The largest number of counted processes, all proctypes together and those of a given number among them, for which no linked
    /// variable leaves its range; `None` if there is no limit.
    pub fn largest_number(&self) -> Option<u64> {
        let limits = self.variables.iter().filter(|linked| linked.holds).filter_map(|linked| {
            let steepest = linked.weights.values().map(|weight| weight.unsigned_abs()).max().unwrap_or(0);
            let offset = linked.terms.values().map(|term| term.unsigned_abs()).max().unwrap_or(0);
            let (least, most) = linked.variable.scalar.range();
            // A weight below zero could take an unsigned variable below zero: then nothing but the sign of the sum is known.
            let room = if least < 0 { (most as u64).min(least.unsigned_abs().into()) } else { most as u64 };
            (steepest > 0).then(|| room.saturating_sub(offset) / steepest)
        });
        limits.min()
    }

    fn is_many(&self, count: u32) -> bool {
        count > self.cutoff
    }

    /// What the counts say about a linked variable: its smallest and largest possible value.
    fn bounds(&self, linked: &Linked, counts: &BTreeMap<LocalState, u32>, term: i64) -> (i64, i64) {
        let (mut low, mut high) = (Some(term), Some(term));
        for (local, &count) in counts {
            let weight = linked.weights.get(local).copied().unwrap_or(0);
            let least = weight * i64::from(count);
            low = low.map(|sum| sum + least).filter(|_| !(self.is_many(count) && weight < 0));
            high = high.map(|sum| sum + least).filter(|_| !(self.is_many(count) && weight > 0));
        }
        (low.unwrap_or(i64::MIN), high.unwrap_or(i64::MAX))
    }

    /// Everything in a state but the counts and the counting variables.
    fn rest(&self, shared: &State) -> Vec<u8> {
        let mut writer = Writer::default();
        for (slot, &value) in shared.globals.iter().enumerate() {
            if !self.variables.iter().any(|linked| linked.variable.slot == slot) {
                writer.signed(value);
            }
        }
        shared.processes.iter().for_each(|process| encode_process(process, &mut writer));
        encode_rest(shared, &mut writer);
        writer.bytes
    }

    /// Checks the links on a move, giving weights and terms to what is new.
    fn check_links(&mut self, before: &Counted, folded: &Folded) {
        let (old, new) = (self.rest(&before.shared), self.rest(&folded.shared));
        for linked in self.variables.iter_mut().filter(|linked| linked.holds) {
            let slot = linked.variable.slot;
            let change = i64::from(folded.shared.globals[slot]) - i64::from(before.shared.globals[slot]);
            let term = linked.terms.get(&old).copied().unwrap_or(0);
            // change = Σ weight·net + new term - old term. New local states take the change, new terms what is left.
            let mut known = -term;
            let mut unknown: Vec<(LocalState, i64)> = Vec::new();
            for (&local, &net) in &folded.net {
                match linked.weights.get(&local) {
                    Some(weight) => known += weight * net,
                    None => unknown.push((local, net)),
                }
            }
            let new_term = linked.terms.get(&new).copied();
            let missing =
                change - known - new_term.unwrap_or(if unknown.is_empty() { change - known } else { term });
            match unknown.split_first() {
                None => {
                    let fits = new_term.is_none_or(|term| known + term == change);
                    linked.terms.entry(new.clone()).or_insert(change - known);
                    linked.holds &= fits;
                    self.refuted |= !fits;
                }
                Some((&(first, net), others)) => {
                    linked.terms.entry(new.clone()).or_insert(term);
                    others.iter().for_each(|&(local, _)| {
                        linked.weights.insert(local, 0);
                    });
                    let fits = missing % net == 0;
                    linked.weights.insert(first, missing / net);
                    linked.holds &= fits;
                    self.refuted |= !fits;
                }
            }
        }
    }

    /// The values that a variable may have after a move.
    fn values_after(&self, linked: &Linked, before: i32, after: i32) -> Vec<i32> {
        let variable = &linked.variable;
        let change = after - before;
        let is_above = before == variable.above();
        let is_below = before == variable.below();
        let class = |value: i32| value.clamp(variable.below(), variable.above());
        let everything = || (variable.below()..=variable.above()).collect();
        match (is_above, is_below) {
            // Beyond its range a variable that is linked to nothing may wrap to anything.
            (true, _) if change > 0 && !linked.holds => everything(),
            (_, true) if change < 0 && !linked.holds => everything(),
            (true, _) => (class(after.min(variable.above()))..=variable.above()).collect(),
            (_, true) => (variable.below()..=class(after.max(variable.below()))).collect(),
            _ => vec![class(after)],
        }
    }

    /// The states that a move may lead to.
    fn successors(&mut self, before: &Counted, folded: &Folded) -> Vec<Counted> {
        let many = self.cutoff + 1;
        let mut states = vec![Counted {
            shared: folded.shared.clone(),
            buried: folded.buried,
            counts: before.counts.clone(),
        }];
        for (&local, &net) in &folded.net {
            let count = before.counts.get(&local).copied().unwrap_or(0);
            let sum = i64::from(count) + net;
            let options: Vec<u32> = if self.is_many(count) && net < 0 {
                (sum.max(0) as u32..=many).collect()
            } else {
                vec![sum.clamp(0, i64::from(many)) as u32]
            };
            let with = |state: &Counted, count: u32| {
                let mut state = state.clone();
                match count {
                    0 => state.counts.remove(&local),
                    _ => state.counts.insert(local, count),
                };
                state
            };
            states = states
                .iter()
                .flat_map(|state| options.iter().map(|&count| with(state, count)).collect::<Vec<_>>())
                .collect();
        }
        let rest = self.rest(&folded.shared);
        for linked in &self.variables {
            let slot = linked.variable.slot;
            let options = self.values_after(linked, before.shared.globals[slot], folded.shared.globals[slot]);
            let term = linked.terms.get(&rest).copied().unwrap_or(0);
            let mut next = Vec::new();
            for state in &states {
                let bounds = self.bounds(linked, &state.counts, term);
                for &value in
                    options.iter().filter(|&&value| !linked.holds || linked.variable.admits(value, bounds))
                {
                    let mut state = state.clone();
                    state.shared.globals[slot] = value;
                    next.push(state);
                }
            }
            states = next;
        }
        states
    }

    /// Whether variables that stand for many values are looked at, on the way through a chain, only where all of those look alike.
    fn stays_beyond(&self, representative: &State, steps: &[Step]) -> bool {
        let above =
            |linked: &&Linked| representative.globals[linked.variable.slot] == linked.variable.above();
        let below =
            |linked: &&Linked| representative.globals[linked.variable.slot] == linked.variable.below();
        if steps.len() < 2 || !self.variables.iter().any(|linked| above(&linked) || below(&linked)) {
            return true;
        }
        let interpreter = self.inner.interpreter.with_process_limit(usize::MAX);
        let mut state = representative.clone();
        for &step in steps {
            if interpreter.execute(&mut state, step, &(), &mut ()).is_err() {
                return false;
            }
            let uniform = |linked: &Linked| {
                let value = state.globals[linked.variable.slot];
                (!above(&linked) || value > linked.variable.high)
                    && (!below(&linked) || value < linked.variable.low)
            };
            if !self.variables.iter().all(uniform) {
                return false;
            }
        }
        true
    }

    /// Whether a chain of steps involves all who stand for many, so that what follows depends on how many they are. A single step
    /// that ends no `atomic` sequence needs two of them at most, and two there are.
    fn may_go_on_with_more(&self, state: &Counted, representative: &Representative, steps: &[Step]) -> bool {
        if !representative.uses_up(steps, |local| self.is_many(state.counts[&local])) {
            return false;
        }
        let &[step] = steps else { return true };
        let interpreter = self.inner.interpreter.with_process_limit(usize::MAX);
        let mut after = representative.state.clone();
        interpreter.execute(&mut after, step, &(), &mut ()).is_err() || after.exclusive.is_some()
    }

    fn letter(&self, counted: &Counted, representative: &State) -> Result<Letter, Problem> {
        let mut letter = Letter::new();
        for (index, proposition) in self.inner.property.propositions.iter().enumerate() {
            match self.range(counted, representative, proposition).map_err(Problem::Error)? {
                (0, 0) => {}
                (low, high) if low > 0 || high < 0 => {
                    letter.insert(PropositionId::from_position(index));
                }
                _ => {
                    let what = "a number of processes beyond the cutoff".to_string();
                    return Err(Problem::Inexpressible(what));
                }
            }
        }
        Ok(letter)
    }

    /// The smallest and the largest value that an expression may have, each number of processes that is beyond the cutoff being any
    /// from there on.
    fn range(
        &self,
        counted: &Counted,
        representative: &State,
        expr: &Expr,
    ) -> Result<(i64, i64), RuntimeError> {
        let of = |inner: &Expr| self.range(counted, representative, inner);
        let asks = crate::fair::formula::mentions(expr, &mut |kind| {
            matches!(kind, ExprKind::RemoteLabel { proctype: RemoteProcess::All(_), .. })
        });
        if !asks {
            let value = i64::from(self.inner.interpreter.evaluate(representative, None, expr)?);
            return Ok((value, value));
        }
        Ok(match &expr.kind {
            ExprKind::RemoteLabel { proctype: RemoteProcess::All(id), label, .. } => {
                let (sum, many) = self.inner.count_at(counted, *id, label, self.cutoff);
                (sum.into(), if many { ENDLESS } else { sum.into() })
            }
            ExprKind::Unary(UnaryOp::Negate, inner) => {
                let (low, high) = of(inner)?;
                (-high, -low)
            }
            ExprKind::Unary(UnaryOp::Not, inner) => match of(inner)? {
                (0, 0) => (1, 1),
                (low, high) if low > 0 || high < 0 => (0, 0),
                _ => (0, 1),
            },
            ExprKind::Binary(operator, left, right) => range_of_binary(*operator, of(left)?, of(right)?),
            _ => (-ENDLESS, ENDLESS),
        })
    }
}

/// Larger than any number of processes, and small enough to be added a few times.
const ENDLESS: i64 = 1 << 48;

fn range_of_binary(operator: BinaryOp, left: (i64, i64), right: (i64, i64)) -> (i64, i64) {
    let truth = |certain: bool, possible: bool| (i64::from(certain), i64::from(possible));
    let certain = |(low, high): (i64, i64)| low > 0 || high < 0;
    let possible = |range: (i64, i64)| range != (0, 0);
    let bounded = |low: i64, high: i64| (low.max(-ENDLESS), high.min(ENDLESS));
    let overlap = left.0 <= right.1 && right.0 <= left.1;
    let same = left.0 == left.1 && left == right;
    match operator {
        BinaryOp::Add => bounded(left.0 + right.0, left.1 + right.1),
        BinaryOp::Subtract => bounded(left.0 - right.1, left.1 - right.0),
        BinaryOp::Less => truth(left.1 < right.0, left.0 < right.1),
        BinaryOp::LessEqual => truth(left.1 <= right.0, left.0 <= right.1),
        BinaryOp::Greater => truth(left.0 > right.1, left.1 > right.0),
        BinaryOp::GreaterEqual => truth(left.0 >= right.1, left.1 >= right.0),
        BinaryOp::Equal => truth(same, overlap),
        BinaryOp::NotEqual => truth(!overlap, !same),
        BinaryOp::And => truth(certain(left) && certain(right), possible(left) && possible(right)),
        BinaryOp::Or => truth(certain(left) || certain(right), possible(left) || possible(right)),
        _ => (-ENDLESS, ENDLESS),
    }
}

impl CountingVariable {
    /// Whether a kept value can stand for one within the bounds.
    fn admits(&self, value: i32, (low, high): (i64, i64)) -> bool {
        if value == self.above() {
            high >= i64::from(self.above())
        } else if value == self.below() {
            low <= i64::from(self.below())
        } else {
            (low..=high).contains(&i64::from(value))
        }
    }
}

impl Space for AnySpace<'_> {
    fn initial(&mut self) -> Result<Vec<StateNumber>, RuntimeError> {
        let many = self.cutoff + 1;
        let mut counted = self.inner.initial_counted()?;
        counted.counts.values_mut().for_each(|count| *count = (*count).min(many));
        let rest = self.rest(&counted.shared);
        for linked in &mut self.variables {
            linked.terms.insert(rest.clone(), counted.shared.globals[linked.variable.slot].into());
            counted.counts.keys().for_each(|&local| {
                linked.weights.insert(local, 0);
            });
        }
        let mut states = vec![counted];
        for (local, numbers) in &self.starts {
            let with = |state: &Counted, number: u32| {
                let mut state = state.clone();
                state.counts.insert(*local, number);
                state
            };
            states = states
                .iter()
                .flat_map(|state| numbers.iter().map(|&number| with(state, number)).collect::<Vec<_>>())
                .collect();
        }
        Ok(states.iter().map(|state| self.inner.number(state)).collect())
    }

    fn expand(&mut self, number: StateNumber) -> Expansion {
        let state = self.inner.state(number);
        // Where presence matters, one more than is counted exactly stands for each that are many.
        let copies = if self.inner.depends_on_others { u32::MAX } else { 1 };
        let representative = self.inner.representative(&state, copies);
        let mut expansion = match self.letter(&state, &representative.state) {
            Ok(letter) => Expansion { letter, ..Expansion::default() },
            Err(problem) => return Expansion::without_meaning(problem),
        };
        let mut ends = Vec::new();
        let interpreter = self.inner.interpreter.with_process_limit(usize::MAX);
        let result = chains(&interpreter, &representative.state, Ways::All, &mut |after, steps| {
            ends.push((after.clone(), steps.to_vec()));
        });
        expansion.enabled = representative.actors(&result.enabled);
        expansion.problem = expansion.problem.or(result.problem);
        for (after, steps) in ends {
            let folded = self.inner.fold(&state, &representative, &after);
            self.creates |= folded.created > 0;
            if after.processes.len() > representative.state.processes.len() + folded.created {
                let what = "processes that are created and told apart while others are counted in any number";
                expansion.problem.get_or_insert(Problem::Inexpressible(what.to_string()));
            }
            if !self.stays_beyond(&representative.state, &steps) {
                let what = "a variable that counts is changed several times in one atomic sequence";
                expansion.problem.get_or_insert(Problem::Inexpressible(what.to_string()));
            }
            if self.inner.depends_on_others && self.may_go_on_with_more(&state, &representative, &steps) {
                let what = "an atomic sequence that meets more processes than are counted exactly";
                expansion.problem.get_or_insert(Problem::Inexpressible(what.to_string()));
            }
            self.check_links(&state, &folded);
            let mut changes: Vec<(u32, bool)> =
                folded.net.iter().map(|(local, &net)| (local.0 * 2, net > 0)).collect();
            for (index, linked) in self.variables.iter().enumerate().filter(|(_, linked)| linked.holds) {
                let slot = linked.variable.slot;
                let change = folded.shared.globals[slot] - state.shared.globals[slot];
                if change != 0 {
                    changes.push((index as u32 * 2 + 1, change > 0));
                }
            }
            let actors = representative.actors(&actors_of(&steps));
            for next in self.successors(&state, &folded) {
                let target = self.inner.number(&next);
                let step =
                    Move { target, actors: actors.clone(), changes: changes.clone(), letter: Letter::new() };
                if !expansion.moves.contains(&step) {
                    expansion.moves.push(step);
                }
            }
        }
        if result.ends {
            expansion.moves.push(Move {
                target: number,
                actors: ProcessSet::new(),
                changes: Vec::new(),
                letter: Letter::new(),
            });
        }
        expansion
    }

    fn states(&self) -> usize {
        self.inner.states()
    }

    fn memory(&self) -> usize {
        self.inner.memory()
    }
}
