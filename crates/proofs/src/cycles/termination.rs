//! How often a cycle can be repeated on its own before a condition in it fails.
//!
//! Integers wrap as SPIN's do, so nothing is argued in unbounded integers. Where the variables that decide take few values together, all
//! of them are tried: the cycle is a function on them, and either some value comes back (then the cycle may go on for ever) or the
//! longest chain is the count. Otherwise one variable that grows or shrinks by a constant is compared with a constant: a linear
//! ranking function, valid only if no value on the way leaves the variable's type.

use std::collections::{BTreeMap, BTreeSet};

use promela::model::{BinaryOp, Expr, ExprKind, Frame, Place, Scalar};
use system::automaton::Action;

use super::variables::{Cell, cells_of, globally_modified, influences, reads};
use super::{ArcId, Catalogue, CycleId, WorldValues};
use crate::evaluate::{Environment, evaluate};
use crate::values::Values;

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
    if !is_plain(condition) {
        return Iterations::Unknown;
    }
    let cells = influences(catalogue, cycle, condition);
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

/// Only arithmetic on variables: nothing that looks at channels or other processes.
fn is_plain(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Constant { .. } | ExprKind::Pid => true,
        ExprKind::Read(place) => place.scalar != Scalar::Chan && place.indices.iter().all(|i| is_plain(&i.value)),
        ExprKind::Unary(_, a) => is_plain(a),
        ExprKind::Binary(_, a, b) => is_plain(a) && is_plain(b),
        ExprKind::Conditional(c, a, b) => is_plain(c) && is_plain(a) && is_plain(b),
        _ => false,
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
        Values::range(0, 255)
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
            let slots = crate::evaluate::slots_of(place, &environment);
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

fn by_ranking(domains: &[(Cell, Values)], arcs: &[&Action], condition: &Expr) -> Iterations {
    let [(cell, values)] = domains else { return Iterations::Unknown };
    let (Some((low, high)), Some((scalar, step))) = (values.bounds(), constant_step(*cell, arcs)) else {
        return Iterations::Unknown;
    };
    let Some((relation, constant)) = comparison(*cell, condition) else { return Iterations::Unknown };
    let (least, largest) = scalar.range();
    let (low, high, step, constant) = (i64::from(low), i64::from(high), step, i64::from(constant));
    // The values at which the condition holds, and the distance to where it fails, in the direction of the step.
    let distance = match relation {
        BinaryOp::Less if step > 0 => constant - low,
        BinaryOp::LessEqual if step > 0 => constant + 1 - low,
        BinaryOp::Greater if step < 0 => high - constant,
        BinaryOp::GreaterEqual if step < 0 => high + 1 - constant,
        BinaryOp::Equal if step != 0 => return Iterations::AtMost(1),
        _ => return Iterations::Unknown,
    };
    let last = match relation {
        BinaryOp::Less => constant - 1,
        BinaryOp::LessEqual | BinaryOp::GreaterEqual => constant,
        _ => constant + 1,
    };
    if last + step > i64::from(largest) || last + step < i64::from(least) {
        return Iterations::Unknown;
    }
    let size = step.unsigned_abs();
    Iterations::AtMost(u64::try_from(distance).unwrap_or(0).div_ceil(size))
}

/// The sum of what the cycle adds to a variable, if it does nothing else to it.
fn constant_step(cell: Cell, arcs: &[&Action]) -> Option<(Scalar, i64)> {
    let mut sum = 0i64;
    let mut scalar = None;
    for action in arcs {
        let Action::Assign { place, value } = action else { continue };
        if !cells_of(place).contains(&cell) {
            continue;
        }
        if !place.indices.is_empty() {
            return None;
        }
        scalar = Some(place.scalar);
        let is_self = |e: &Expr| matches!(&e.kind, ExprKind::Read(p) if same_place(p, place));
        let number = |e: &Expr| match e.kind {
            ExprKind::Constant { value, .. } => Some(i64::from(value)),
            _ => None,
        };
        sum += match &value.kind {
            ExprKind::Binary(BinaryOp::Add, a, b) if is_self(a) => number(b)?,
            ExprKind::Binary(BinaryOp::Add, a, b) if is_self(b) => number(a)?,
            ExprKind::Binary(BinaryOp::Subtract, a, b) if is_self(a) => -number(b)?,
            _ => return None,
        };
    }
    scalar.map(|s| (s, sum))
}

fn same_place(a: &Place, b: &Place) -> bool {
    a.frame == b.frame && a.base == b.base && a.indices.is_empty() && b.indices.is_empty()
}

/// `cell relation constant`, turned round if need be.
fn comparison(cell: Cell, condition: &Expr) -> Option<(BinaryOp, i32)> {
    let ExprKind::Binary(op, a, b) = &condition.kind else { return None };
    let constant = |e: &Expr| match e.kind {
        ExprKind::Constant { value, .. } => Some(value),
        _ => None,
    };
    let is_cell = |e: &Expr| reads(e) == BTreeSet::from([cell]) && matches!(e.kind, ExprKind::Read(_));
    if is_cell(a) {
        return constant(b).map(|c| (*op, c));
    }
    let turned = match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        op => *op,
    };
    if is_cell(b) { constant(a).map(|c| (turned, c)) } else { None }
}
