//! How often a cycle can be repeated on its own before a condition in it fails.
//!
//! Integers wrap as SPIN's do, so nothing is argued in unbounded integers. Where the variables that decide take few values together, all
//! of them are tried: the cycle is a function on them, and either some value comes back (then the cycle may go on for ever) or the
//! longest chain is the count. Otherwise one variable that grows or shrinks by a constant is compared with a constant: a linear
//! ranking function, valid only if no value on the way leaves the variable's type.

use std::collections::{BTreeMap, BTreeSet};

use promela::model::{BinaryOp, Expr, ExprKind, Frame, Scalar};
use system::automaton::Action;

use super::variables::{Cell, cells_of, globally_modified, influences};
use super::{ArcId, Catalogue, CycleId, WorldValues};
use crate::values::evaluate::{Environment, evaluate};
use crate::values::sets::Values;

/// How often a cycle can be repeated on its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Iterations {
    /// At most so often.
    AtMost(u64),
    /// Nothing is known, or it may go on for ever.
    Unknown,
}

/// Combinations of values that are tried one by one.
const MOST_COMBINATIONS: u64 = 20_000;

/// How often the cycle can be repeated, uninterrupted, while the condition at `at` stays true. Only for conditions that the cycle
/// determines locally.
pub(super) fn iterations(
    catalogue: &Catalogue,
    values: &WorldValues,
    cycle: CycleId,
    at: ArcId,
    shared: &BTreeSet<u32>,
) -> Iterations {
    let data = catalogue.cycle(cycle);
    let Some(condition) = super::condition(&catalogue.arc(data.process, at).action) else {
        return Iterations::Unknown;
    };
    if !catalogue.arc(data.process, at).is_arithmetic {
        return Iterations::Unknown;
    }
    let cells = influences(catalogue, cycle, at);
    if cells.is_empty() || !cells.is_disjoint(&globally_modified(catalogue, cycle, shared)) {
        return Iterations::Unknown;
    }
    // The cycle from the condition on, so that one round is: test, then do.
    let start = data.arcs.iter().position(|&a| a == at).unwrap_or(0);
    let mut arcs: Vec<&Action> = data.arcs.iter().map(|&a| &catalogue.arc(data.process, a).action).collect();
    arcs.rotate_left(start);
    let process = &catalogue.processes[data.process];
    let point = catalogue.arc(data.process, at).from;
    let domain = |cell: &Cell| match cell {
        (Frame::Local, slot) => process.locals[point as usize][*slot as usize].clone(),
        (Frame::Global, slot) => values.globals[*slot as usize].clone(),
    };
    let domains: Vec<(Cell, Values)> = cells.iter().map(|c| (*c, domain(c))).collect();
    let combinations = domains.iter().fold(1u64, |n, (_, v)| n.saturating_mul(v.count().max(1)));
    if combinations <= MOST_COMBINATIONS {
        by_trial(&domains, &arcs, condition)
    } else {
        by_ranking(&domains, &arcs, condition)
    }
}

/// One value for each cell that matters; everything else is unknown.
struct Valuation<'v> {
    values: &'v BTreeMap<Cell, i32>,
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
            Values::Set(set) => set.clone(),
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

/// A linear ranking function: the tested variable, or the one that it is set from in each round, grows or shrinks by a constant.
fn by_ranking(domains: &[(Cell, Values)], arcs: &[&Action], condition: &Expr) -> Iterations {
    let Some((tested, relation, constant)) = comparison(condition) else { return Iterations::Unknown };
    let Some(after) = after_one_round(domains, arcs) else { return Iterations::Unknown };
    let Some(&(base, offset, kept_in)) = after.get(&tested) else { return Iterations::Unknown };
    let Some(&(same, step, scalar)) = after.get(&base) else { return Iterations::Unknown };
    let Some(values) = domains.iter().find(|(cell, _)| *cell == base).map(|(_, v)| v) else {
        return Iterations::Unknown;
    };
    // A copy in a narrower variable would be cut.
    if same != base || step == 0 || kept_in != scalar {
        return Iterations::Unknown;
    }
    let (least, largest) = (i64::from(scalar.range().0), i64::from(scalar.range().1));
    // If the tested variable is another one, the first round says nothing of the one that counts: it may even have wrapped.
    let (first, low, high, constant) = if base == tested {
        let Some((low, high)) = values.bounds() else { return Iterations::Unknown };
        (0, i64::from(low), i64::from(high), i64::from(constant))
    } else {
        (1, least, largest, i64::from(constant) - offset)
    };
    let (distance, last) = match relation {
        BinaryOp::Less if step > 0 => (constant - low, constant - 1),
        BinaryOp::LessEqual if step > 0 => (constant + 1 - low, constant),
        BinaryOp::Greater if step < 0 => (high - constant, constant + 1),
        BinaryOp::GreaterEqual if step < 0 => (high + 1 - constant, constant),
        BinaryOp::Equal => return Iterations::AtMost(first + 1),
        _ => return Iterations::Unknown,
    };
    // The last value at which the condition holds must not wrap past the one at which it fails.
    if last + step > largest || last + step < least {
        return Iterations::Unknown;
    }
    Iterations::AtMost(first + u64::try_from(distance).unwrap_or(0).div_ceil(step.unsigned_abs()))
}

/// What each variable is after a round, as another variable (before the round) plus a constant; `None` if it is something else.
fn after_one_round(
    domains: &[(Cell, Values)],
    arcs: &[&Action],
) -> Option<BTreeMap<Cell, (Cell, i64, Scalar)>> {
    let mut now: BTreeMap<Cell, (Cell, i64)> = domains.iter().map(|(cell, _)| (*cell, (*cell, 0))).collect();
    let mut scalars: BTreeMap<Cell, Scalar> = BTreeMap::new();
    for action in arcs {
        let Action::Assign { place, value } = action else { continue };
        let cells = cells_of(place);
        if !cells.iter().any(|c| now.contains_key(c)) {
            continue;
        }
        let [cell] = cells.as_slice() else { return None };
        let (from, added) = sum_of(value)?;
        let &(base, offset) = now.get(&from)?;
        now.insert(*cell, (base, offset + added));
        scalars.insert(*cell, place.scalar);
    }
    now.into_iter()
        .map(|(cell, (base, offset))| {
            // A variable that the round does not assign cannot count; its type does not matter then.
            Some((cell, (base, offset, scalars.get(&cell).copied().unwrap_or(Scalar::Int))))
        })
        .collect()
}

/// `variable`, `variable + constant`, `variable - constant`.
fn sum_of(e: &Expr) -> Option<(Cell, i64)> {
    let cell = |e: &Expr| match &e.kind {
        ExprKind::Read(p) if p.indices.is_empty() => Some((p.frame, p.base)),
        _ => None,
    };
    let number = |e: &Expr| match e.kind {
        ExprKind::Constant { value, .. } => Some(i64::from(value)),
        _ => None,
    };
    match &e.kind {
        ExprKind::Binary(BinaryOp::Add, a, b) => match (cell(a), number(b)) {
            (Some(c), Some(n)) => Some((c, n)),
            _ => Some((cell(b)?, number(a)?)),
        },
        ExprKind::Binary(BinaryOp::Subtract, a, b) => Some((cell(a)?, -number(b)?)),
        _ => cell(e).map(|c| (c, 0)),
    }
}

/// `variable relation constant`, turned round if need be.
fn comparison(condition: &Expr) -> Option<(Cell, BinaryOp, i32)> {
    let ExprKind::Binary(op, a, b) = &condition.kind else { return None };
    let constant = |e: &Expr| match e.kind {
        ExprKind::Constant { value, .. } => Some(value),
        _ => None,
    };
    let variable = |e: &Expr| match &e.kind {
        ExprKind::Read(p) if p.indices.is_empty() => Some((p.frame, p.base)),
        _ => None,
    };
    if let (Some(cell), Some(c)) = (variable(a), constant(b)) {
        return Some((cell, *op, c));
    }
    let turned = match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        op => *op,
    };
    Some((variable(b)?, turned, constant(a)?))
}
