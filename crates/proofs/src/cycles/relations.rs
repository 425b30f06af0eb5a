//! Whether a cycle can send a message that satisfies a condition on its fields: Post(p) ∧ B[x ← d] (the study, section 5).
//!
//! The way to the send that is taken without an interruption is followed, each variable as a sum of what variables held at its beginning
//! and of what came in on the way. Conditions on the way and the condition on the message become linear inequalities over those; if
//! no numbers satisfy them all, the message is never sent. What cannot be said in this form is left out, and what may wrap is something
//! new, so that more may be satisfied than really is, never less.

use std::collections::{BTreeMap, BTreeSet};

use linear::{Bounds, Limits, Outcome, Problem, VariableId, solve};
use promela::model::{Expr, Frame, ReceiveArgument, Scalar};
use system::automaton::Action;

use super::condition::conjuncts;
use super::linear_form::{Relation, comparison, interval, linear};
use super::variables::{Cell, cells_of};
use super::{ArcId, Catalogue, CycleId, Process, WorldValues};
use crate::values::sets::Values;

/// A condition on what a receive stores.
pub(super) struct OnMessage<'m> {
    pub arguments: &'m [ReceiveArgument],
    pub test: &'m Expr,
}

/// Whether the send at `at` may put a message that satisfies the condition, in a round of the cycle. `fields` are values that the fields of
/// its messages may have, each within its type.
pub(super) fn may_send(
    catalogue: &Catalogue,
    values: &WorldValues,
    shared: &BTreeSet<u32>,
    (cycle, at): (CycleId, ArcId),
    fields: &[Values],
    wanted: &OnMessage<'_>,
) -> bool {
    let process = &catalogue.processes[catalogue.cycle(cycle).process];
    let Action::Send { arguments: sent, .. } = &process.arcs[at.0 as usize].action else { return true };
    let mut known =
        Known { process, values, shared, cells: BTreeMap::new(), symbols: Vec::new(), rows: Vec::new() };
    for id in uninterrupted_way(process, &catalogue.cycle(cycle).arcs, at) {
        let arc = &process.arcs[id.0 as usize];
        if let Some(condition) = arc.condition.as_ref().filter(|condition| condition.is_arithmetic) {
            known.assume(&condition.expr, arc.from);
        }
        known.execute(&arc.action, &arc.writes, (arc.from, arc.to));
    }
    let here = process.arcs[at.0 as usize].from;
    let mut stored: BTreeMap<Cell, Sum> = BTreeMap::new();
    for ((argument, expr), field) in wanted.arguments.iter().zip(sent).zip(fields) {
        let ReceiveArgument::Store(place) = argument else { continue };
        let [cell] = cells_of(place)[..] else { continue };
        let (Some((low, high)), Some(sum)) = (field.bounds(), known.sum(expr, here)) else { continue };
        // Not cut, neither by the type of the field nor by that of the variable.
        let (least, largest) = known.interval(&sum);
        let (first, last) = place.scalar.range();
        if least >= i64::from(low.max(first)) && largest <= i64::from(high.min(last)) {
            stored.insert(cell, sum);
        }
    }
    known.cells = stored;
    known.assume_known(wanted.test);
    known.is_possible()
}

/// The statements before one of a cycle that are executed right before it, one after the other: back to the first point that can also be
/// come to by another way.
fn uninterrupted_way(process: &Process, cycle: &[ArcId], at: ArcId) -> Vec<ArcId> {
    let position = cycle.iter().position(|&arc| arc == at).unwrap_or(0);
    let entering = |point: u32| process.arcs.iter().filter(|arc| arc.to == point).count();
    let mut way: Vec<ArcId> = Vec::new();
    for back in 1..cycle.len() {
        let arc = cycle[(position + cycle.len() - back) % cycle.len()];
        // The point between this statement and the next one has no other way in, so this statement came before.
        if entering(process.arcs[arc.0 as usize].to) > 1
            || process.starts_at.contains(&process.arcs[arc.0 as usize].to)
        {
            break;
        }
        way.push(arc);
    }
    way.reverse();
    way
}

/// A sum of symbols with factors, and a constant.
#[derive(Clone, Default)]
struct Sum {
    terms: BTreeMap<usize, i64>,
    constant: i64,
}

impl Sum {
    fn add(&mut self, factor: i64, other: &Sum) {
        for (symbol, n) in &other.terms {
            *self.terms.entry(*symbol).or_default() += factor * n;
        }
        self.constant += factor * other.constant;
    }
}

/// What is known at a point of the way.
struct Known<'c> {
    process: &'c Process,
    values: &'c WorldValues,
    /// Globals that others may change at any time: every look at one is something new.
    shared: &'c BTreeSet<u32>,
    cells: BTreeMap<Cell, Sum>,
    /// The least and the largest value of each symbol.
    symbols: Vec<(i64, i64)>,
    /// Sums that are at most nothing, or nothing.
    rows: Vec<(Sum, Relation)>,
}

impl Known<'_> {
    fn fresh(&mut self, values: &Values) -> Sum {
        let (low, high) = values.bounds().unwrap_or((i32::MIN, i32::MAX));
        self.symbols.push((i64::from(low), i64::from(high)));
        Sum { terms: BTreeMap::from([(self.symbols.len() - 1, 1)]), constant: 0 }
    }

    fn domain(&self, (frame, slot): Cell, point: u32) -> Values {
        match frame {
            Frame::Local => self.process.locals[point as usize][slot as usize].clone(),
            Frame::Global => self.values.globals[slot as usize].clone(),
        }
    }

    fn read(&mut self, cell: Cell, point: u32) -> Sum {
        let is_shared = cell.0 == Frame::Global && self.shared.contains(&cell.1);
        match self.cells.get(&cell).cloned() {
            Some(sum) if !is_shared => sum,
            _ => {
                let sum = self.fresh(&self.domain(cell, point));
                self.cells.insert(cell, sum.clone());
                sum
            }
        }
    }

    fn interval(&self, sum: &Sum) -> (i64, i64) {
        sum.terms.iter().fold((sum.constant, sum.constant), |(low, high), (symbol, factor)| {
            let (a, b) = (self.symbols[*symbol].0 * factor, self.symbols[*symbol].1 * factor);
            (low + a.min(b), high + a.max(b))
        })
    }

    /// Looks at the variables of an expression, each once, and says what they are.
    fn look(&mut self, expr: &Expr, point: u32) -> BTreeMap<Cell, Sum> {
        let mut cells: BTreeSet<Cell> = BTreeSet::new();
        expr.visit_places(&mut |place| cells.extend(cells_of(place)));
        cells.into_iter().map(|cell| (cell, self.read(cell, point))).collect()
    }

    /// The value of an expression; `None` if it is no sum or a part of it may wrap.
    fn sum(&mut self, expr: &Expr, point: u32) -> Option<Sum> {
        // What the analysis calls a channel is not its number.
        let mut holds_channel = false;
        expr.visit_places(&mut |place| holds_channel |= place.scalar == Scalar::Chan);
        if holds_channel {
            return None;
        }
        let sums = self.look(expr, point);
        let intervals = sums.iter().map(|(cell, sum)| (*cell, self.interval(sum))).collect();
        interval(expr, &intervals)?;
        let (terms, constant) = linear(expr)?;
        let mut total = Sum { terms: BTreeMap::new(), constant };
        for (cell, factor) in terms {
            total.add(factor, sums.get(&cell)?);
        }
        Some(total)
    }

    /// A condition that holds here.
    fn assume(&mut self, expr: &Expr, point: u32) {
        let sums = self.look(expr, point);
        self.assume_with(expr, &sums);
    }

    /// A condition on cells of which everything is known already; what it says of others is left out.
    fn assume_known(&mut self, expr: &Expr) {
        let sums = self.cells.clone();
        self.assume_with(expr, &sums);
    }

    fn assume_with(&mut self, expr: &Expr, sums: &BTreeMap<Cell, Sum>) {
        let intervals = sums.iter().map(|(cell, sum)| (*cell, self.interval(sum))).collect();
        for (part, truth) in conjuncts(expr, true) {
            let Some(bound) = comparison(part, truth, &intervals) else { continue };
            let mut row = Sum { terms: BTreeMap::new(), constant: -bound.constant };
            for (cell, factor) in &bound.terms {
                row.add(*factor, &sums[cell]);
            }
            row.terms.retain(|_, factor| *factor != 0);
            self.narrow(&row, bound.relation);
            self.rows.push((row, bound.relation));
        }
    }

    /// A row about one symbol bounds it: what is made of it later may then be known not to wrap.
    fn narrow(&mut self, row: &Sum, relation: Relation) {
        let terms: Vec<(usize, i64)> = row.terms.iter().map(|(symbol, factor)| (*symbol, *factor)).collect();
        if let [(symbol, factor)] = terms[..] {
            let (low, high) = &mut self.symbols[symbol];
            if factor > 0 || relation == Relation::Equal {
                *high = (*high).min((-row.constant * factor.signum()).div_euclid(factor.abs()));
            }
            if factor < 0 || relation == Relation::Equal {
                *low = (*low).max(-(row.constant * factor.signum()).div_euclid(factor.abs()));
            }
        }
    }

    fn execute(&mut self, action: &Action, writes: &BTreeSet<Cell>, (from, to): (u32, u32)) {
        if let Action::Assign { place, value } = action
            && let [cell] = cells_of(place)[..]
            && let Some(sum) = self.sum(value, from)
        {
            let (least, largest) = self.interval(&sum);
            if least >= i64::from(place.scalar.range().0) && largest <= i64::from(place.scalar.range().1) {
                self.cells.insert(cell, sum);
                return;
            }
        }
        for &cell in writes {
            let sum = self.fresh(&self.domain(cell, to));
            self.cells.insert(cell, sum);
        }
    }

    /// Whether some numbers satisfy everything that is known.
    fn is_possible(&self) -> bool {
        let mut problem = Problem::new();
        let variables: Vec<VariableId> = self
            .symbols
            .iter()
            .map(|&(low, high)| problem.add_variable(Bounds::between(low, high)))
            .collect();
        for (row, relation) in &self.rows {
            let terms: Vec<(VariableId, i64)> =
                row.terms.iter().map(|(symbol, factor)| (variables[*symbol], *factor)).collect();
            let relation = match relation {
                Relation::AtMost => linear::Relation::AtMost,
                Relation::Equal => linear::Relation::Equal,
            };
            problem.add_constraint(terms, relation, -row.constant);
        }
        !matches!(solve(&problem, &Limits::none()), Outcome::Infeasible(_))
    }
}
