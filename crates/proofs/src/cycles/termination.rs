//! How often a cycle can be repeated on its own before a condition in it fails.
//!
//! Integers wrap as SPIN's do, so nothing is argued in unbounded integers. Where the variables that decide take few values together, all
//! of them are tried: the cycle is a function on them, and either some value comes back (then the cycle may go on for ever) or the
//! longest chain is the count. Otherwise a linear ranking function is looked for: a sum of variables that the condition bounds and that
//! every round brings nearer to the bound by a constant, valid only if no value on the way leaves its variable's type.

use std::collections::{BTreeMap, BTreeSet};

use promela::model::{Expr, Frame, Scalar};
use system::automaton::Action;

use super::condition::conjuncts;
use super::linear_form::{Bound, Relation, comparison, linear};
use super::variables::{Cell, cells_of, computed_from, globally_modified, influences};
use super::{Arc, ArcId, Catalogue, CycleId, WorldValues};
use crate::values::evaluate::{Environment, evaluate};
use crate::values::sets::Values;

/// How often a cycle can be repeated on its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Iterations {
    /// At most so often.
    AtMost(u64),
    /// Finitely often, but how often hangs on a value that the model does not bound.
    Ends,
    /// Nothing is known, or it may go on for ever.
    Unknown,
}

/// Combinations of values that are tried one by one.
const MOST_COMBINATIONS: u64 = 20_000;

/// The statements of a cycle that decide how often a condition in it stays true, from the condition on. Cycles with equal ones go on for
/// equally long.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Course {
    process: usize,
    at: ArcId,
    assignments: Vec<ArcId>,
}

impl Course {
    /// `None` if the cycle does not determine the condition locally.
    pub(super) fn of(
        catalogue: &Catalogue,
        cycle: CycleId,
        at: ArcId,
        shared: &BTreeSet<u32>,
    ) -> Option<Course> {
        let data = catalogue.cycle(cycle);
        if !catalogue
            .arc(data.process, at)
            .condition
            .as_ref()
            .is_some_and(|condition| condition.is_arithmetic)
        {
            return None;
        }
        let cells = influences(catalogue, cycle, at);
        if cells.is_empty() || !cells.is_disjoint(&globally_modified(catalogue, cycle, shared)) {
            return None;
        }
        // The cycle from the condition on, so that one round is: test, then do.
        let start = data.arcs.iter().position(|&a| a == at).unwrap_or(0);
        let mut assignments = data.arcs.clone();
        assignments.rotate_left(start);
        assignments.retain(|&arc| {
            let arc = catalogue.arc(data.process, arc);
            match &arc.action {
                Action::Assign { place, .. } => {
                    !arc.writes.is_disjoint(&cells) || cells_of(place).iter().any(|cell| cells.contains(cell))
                }
                _ => false,
            }
        });
        Some(Course { process: data.process, at, assignments })
    }

    /// How often the cycle can be repeated, uninterrupted, while the condition stays true.
    pub(super) fn iterations(&self, catalogue: &Catalogue, values: &WorldValues) -> Iterations {
        let process = &catalogue.processes[self.process];
        let tested = catalogue.arc(self.process, self.at);
        let Some(condition) = &tested.condition else { return Iterations::Unknown };
        let arcs: Vec<&Arc> = self.assignments.iter().map(|&arc| catalogue.arc(self.process, arc)).collect();
        let actions: Vec<&Action> = arcs.iter().map(|arc| &arc.action).collect();
        let cells = computed_from(condition.reads.clone(), &arcs);
        let domain = |cell: &Cell| match cell {
            (Frame::Local, slot) => process.locals[tested.from as usize][*slot as usize].clone(),
            (Frame::Global, slot) => values.globals[*slot as usize].clone(),
        };
        let domains: Vec<(Cell, Values)> = cells.iter().map(|c| (*c, domain(c))).collect();
        let combinations = domains.iter().fold(1u64, |n, (_, v)| n.saturating_mul(v.count().max(1)));
        if combinations <= MOST_COMBINATIONS {
            by_trial(&domains, &actions, &condition.expr)
        } else {
            by_ranking(&domains, &actions, &condition.expr)
        }
    }
}

/// One value for each cell that matters; everything else is unknown.
pub(super) struct Valuation<'v> {
    pub(super) values: &'v BTreeMap<Cell, i32>,
}

impl Environment for Valuation<'_> {
    fn slot(&self, frame: Frame, slot: u32) -> Values {
        self.values.get(&(frame, slot)).map_or_else(Values::all, |&v| Values::single(v))
    }
    fn pid(&self) -> Values {
        Values::range(0, system::limits::Limits::WIDE.processes as i32)
    }
    fn length(&self, _: &Values) -> Values {
        Values::range(0, i32::MAX)
    }
    fn is_one_channel(&self, _: i32) -> bool {
        false
    }
}

fn by_trial(domains: &[(Cell, Values)], arcs: &[&Action], condition: &Expr) -> Iterations {
    let mut valuations: Vec<BTreeMap<Cell, i32>> = vec![BTreeMap::new()];
    for (cell, values) in domains {
        let values: Vec<i32> = match values {
            Values::Set(set) => set.to_vec(),
            Values::Range(low, high) => (*low..=*high).collect(),
        };
        valuations = valuations
            .iter()
            .flat_map(|v| {
                values.iter().map(move |&value| {
                    let mut v = v.clone();
                    v.insert(*cell, value);
                    v
                })
            })
            .collect();
    }
    // The number of rounds from each valuation, computed once; a valuation that is met again on its own way never ends.
    let mut rounds: BTreeMap<BTreeMap<Cell, i32>, u64> = BTreeMap::new();
    let mut most = 0;
    for start in valuations {
        let mut way: Vec<BTreeMap<Cell, i32>> = Vec::new();
        let mut on_way: BTreeSet<BTreeMap<Cell, i32>> = BTreeSet::new();
        let mut at = start;
        let mut count = loop {
            if let Some(&known) = rounds.get(&at) {
                break known;
            }
            if !on_way.insert(at.clone()) || way.len() as u64 > MOST_COMBINATIONS {
                return Iterations::Unknown;
            }
            match one_round(&at, arcs, condition) {
                Round::Unreadable => return Iterations::Unknown,
                Round::Fails => {
                    rounds.insert(at, 0);
                    break 0;
                }
                Round::To(next) => {
                    way.push(at);
                    at = next;
                }
            }
        };
        for valuation in way.into_iter().rev() {
            count += 1;
            rounds.insert(valuation, count);
        }
        most = most.max(count);
    }
    Iterations::AtMost(most)
}

enum Round {
    Fails,
    To(BTreeMap<Cell, i32>),
    Unreadable,
}

fn one_round(at: &BTreeMap<Cell, i32>, arcs: &[&Action], condition: &Expr) -> Round {
    match evaluate(condition, &Valuation { values: at }).as_single() {
        Some(0) => return Round::Fails,
        Some(_) => {}
        None => return Round::Unreadable,
    }
    let mut now = at.clone();
    for action in arcs {
        if let Action::Assign { place, value } = action {
            if !cells_of(place).iter().any(|c| now.contains_key(c)) {
                continue;
            }
            let environment = Valuation { values: &now };
            let slots = crate::values::evaluate::slots_of(place, &environment);
            let value = evaluate(value, &environment).truncate(place.scalar).as_single();
            match (slots.as_slice(), value) {
                ([slot], Some(value)) => {
                    now.insert((place.frame, *slot), value);
                }
                _ => return Round::Unreadable,
            }
        }
    }
    Round::To(now)
}

/// A linear ranking function: a linear expression that the condition bounds from above and that every round makes larger by the same. Of
/// several conditions that must all hold, one is enough.
fn by_ranking(domains: &[(Cell, Values)], arcs: &[&Action], condition: &Expr) -> Iterations {
    let Some(round) = Summary::of(domains, arcs) else { return Iterations::Unknown };
    let ways = conjuncts(condition, true)
        .into_iter()
        .filter_map(|(expr, truth)| comparison(expr, truth, &round.values));
    ways.map(|bound| round.least(&bound).unwrap_or(Iterations::Unknown)).min().unwrap_or(Iterations::Unknown)
}

/// What one round does to the variables that decide.
struct Summary {
    values: BTreeMap<Cell, (i64, i64)>,
    /// Each variable afterwards: as which variable was before, and how much more.
    after: BTreeMap<Cell, (Cell, i64)>,
    /// Everything that is stored on the way: the variable before the round, what is added, and where it is stored.
    stores: Vec<(Cell, i64, Scalar)>,
}

impl Summary {
    /// `None` if some variable becomes something else than a variable plus a constant.
    fn of(domains: &[(Cell, Values)], arcs: &[&Action]) -> Option<Summary> {
        let values: BTreeMap<Cell, (i64, i64)> = domains
            .iter()
            .map(|(cell, values)| {
                values.bounds().map(|(low, high)| (*cell, (i64::from(low), i64::from(high))))
            })
            .collect::<Option<_>>()?;
        let mut summary = Summary {
            after: values.keys().map(|&cell| (cell, (cell, 0))).collect(),
            values,
            stores: Vec::new(),
        };
        for action in arcs {
            let Action::Assign { place, value } = action else { continue };
            let cells = cells_of(place);
            if !cells.iter().any(|cell| summary.after.contains_key(cell)) {
                continue;
            }
            let [cell] = cells.as_slice() else { return None };
            let (terms, added) = linear(value)?;
            let [(from, 1)] = terms.into_iter().collect::<Vec<_>>()[..] else { return None };
            let &(base, offset) = summary.after.get(&from)?;
            let offset = offset.checked_add(added)?;
            summary.after.insert(*cell, (base, offset));
            summary.stores.push((base, offset, place.scalar));
        }
        Some(summary)
    }

    /// How often the bound can hold, one round after the other.
    fn least(&self, bound: &Bound) -> Option<Iterations> {
        let kept = |cell: &Cell| self.after.get(cell).is_some_and(|(base, _)| base == cell);
        if bound.terms.keys().all(kept) { self.direct(bound) } else { self.copied(bound) }
    }

    /// Every variable of the bound is itself plus a constant after a round.
    fn direct(&self, bound: &Bound) -> Option<Iterations> {
        let growth = bound.terms.iter().try_fold(0i64, |sum, (cell, factor)| {
            sum.checked_add(self.after.get(cell)?.1.checked_mul(*factor)?)
        })?;
        if growth == 0 || (growth < 0 && bound.relation == Relation::AtMost) {
            return None;
        }
        // Where the bound holds, nothing that is stored may leave the type of what it is stored in.
        let mut least = 0i64;
        let mut is_known = true;
        for (cell, factor) in &bound.terms {
            let (low, high) = self.values[cell];
            let at = if *factor > 0 { low } else { high };
            is_known &= !is_end_of_wide_type(at);
            least = least.checked_add(at.checked_mul(*factor)?)?;
        }
        for &(base, offset, scalar) in &self.stores {
            let Some(factor) = bound.terms.get(&base) else { continue };
            let (mut low, mut high) = self.values[&base];
            let others = least.checked_sub(if *factor > 0 { low } else { high }.checked_mul(*factor)?)?;
            let room = bound.constant.checked_sub(others)?;
            if *factor > 0 {
                high = high.min(room.div_euclid(*factor));
            } else {
                low = low.max(-room.div_euclid(-*factor));
            }
            let (first, last) = scalar.range();
            if low <= high && (low + offset < i64::from(first) || high + offset > i64::from(last)) {
                return None;
            }
        }
        match bound.relation {
            Relation::Equal => Some(Iterations::AtMost(1)),
            Relation::AtMost => {
                let room = bound.constant.checked_sub(least)?.checked_add(1)?;
                let rounds = u64::try_from(room).unwrap_or(0).div_ceil(growth.unsigned_abs());
                Some(if is_known { Iterations::AtMost(rounds) } else { Iterations::Ends })
            }
        }
    }

    /// The variable of the bound is set from another one in each round, and that one counts. The first round says nothing of it.
    fn copied(&self, bound: &Bound) -> Option<Iterations> {
        let [(&tested, &factor)] = bound.terms.iter().collect::<Vec<_>>()[..] else { return None };
        let &(base, offset) = self.after.get(&tested)?;
        let &(same, step) = self.after.get(&base)?;
        let stores: Vec<(Cell, i64, Scalar)> =
            self.stores.iter().copied().filter(|(from, ..)| *from == base).collect();
        // A copy in a narrower variable would be cut.
        let is_copied_whole =
            stores.iter().all(|(_, _, scalar)| Some(scalar) == stores.first().map(|s| &s.2));
        // What is tested in the next round is what the other variable will be then, plus this. If it is more, both must have been
        // stored without wrapping, in the first round too.
        let ahead = offset.checked_sub(step)?;
        let (low, high) = *self.values.get(&base)?;
        let never_wraps = stores.iter().all(|(_, offset, scalar)| {
            low + offset >= i64::from(scalar.range().0) && high + offset <= i64::from(scalar.range().1)
        });
        if same != base || factor.abs() != 1 || !is_copied_whole || !(ahead == 0 || never_wraps) {
            return None;
        }
        let of_base = Summary {
            values: BTreeMap::from([(base, (low, high))]),
            after: BTreeMap::from([(base, (base, step))]),
            stores,
        };
        let constant = bound.constant.checked_sub(ahead.checked_mul(factor)?)?;
        let terms = BTreeMap::from([(base, factor)]);
        match of_base.direct(&Bound { terms, relation: bound.relation, constant })? {
            Iterations::AtMost(rounds) => Some(Iterations::AtMost(rounds + 1)),
            other => Some(other),
        }
    }
}

/// A value that only the width of an integer gives says nothing: the papers read integers as unbounded.
fn is_end_of_wide_type(value: i64) -> bool {
    [Scalar::Short, Scalar::Int]
        .iter()
        .any(|scalar| value == i64::from(scalar.range().0) || value == i64::from(scalar.range().1))
}
