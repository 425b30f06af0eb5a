//! Numbers of the claims: what a guard says about them, what a statement does to them, and whether they stay in their ranges.
//!
//! A number is what Promela computes for `a`, `a + b` or `a - b`: a sum modulo 2^32, between -2^31 and 2^31 - 1. So adding `e` to an `int` adds `e` to the number
//! modulo 2^32, whatever the variables are; and if the number plus `e` is in its range, then it is exactly that much more. A smaller type cuts what is stored in
//! it: there it must be known that the value fits.

use super::environment::Environment;
use super::evaluate::{mirrored, negated};
use super::explore::{Explorer, Half};
use super::refusal::Refusal;
use super::rule::{Broken, Rule};
use super::start::Configuration;
use super::statement::Outcome;
use super::structure;
use super::transition::{Actor, Assembler, Tokens, Transition};
use crate::claims::{Claims, GroupId, NodeId, Number, NumberId, NumberTerm, ObjectPlace, Point};
use crate::potential::Component;
use crate::values::{Interval, Values};
use promela::model::{BinaryOp, Expr, ExprKind, Frame, Place, ReceiveArgument, Scalar, UnaryOp};
use std::collections::BTreeMap;
use system::automaton::{Action, Automaton, Edge, LocationId, System};

/// All integers from `low` to `high`; none if that is less.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Range {
    /// The least.
    pub low: i64,
    /// The largest.
    pub high: i64,
}

impl Range {
    /// What a variable of 32 bits holds.
    pub const INT: Range = Range { low: i32::MIN as i64, high: i32::MAX as i64 };

    /// One integer.
    pub fn one(value: i64) -> Range {
        Range { low: value, high: value }
    }

    /// Whether there is no such integer.
    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// What is in both.
    pub fn meet(self, other: Range) -> Range {
        Range { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// The least range with both.
    pub fn hull(self, other: Range) -> Range {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other,
            (_, true) => self,
            _ => Range { low: self.low.min(other.low), high: self.high.max(other.high) },
        }
    }

    /// Every sum.
    pub fn plus(self, other: Range) -> Range {
        Range { low: self.low.saturating_add(other.low), high: self.high.saturating_add(other.high) }
    }

    /// Every integer with the other sign.
    pub fn negated(self) -> Range {
        Range { low: self.high.saturating_neg(), high: self.low.saturating_neg() }
    }

    /// Whether all of it is in the other.
    pub fn is_in(self, other: Range) -> bool {
        self.is_empty() || (other.low <= self.low && self.high <= other.high)
    }

    fn signed(self, subtracted: bool) -> Range {
        if subtracted { self.negated() } else { self }
    }
}

impl From<Interval> for Range {
    fn from(interval: Interval) -> Self {
        Range { low: interval.low.into(), high: interval.high.into() }
    }
}

/// What a statement does to a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Write {
    /// Nothing.
    Nothing,
    /// It adds something in the range.
    Add(Range),
    /// It makes it something in the range.
    Set(Range),
}

/// A number and a statement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NumberStep {
    /// The number.
    pub number: NumberId,
    /// Where it is when the statement is executed.
    pub before: Range,
    /// What the statement does.
    pub write: Write,
}

impl NumberStep {
    /// Whether the number may change.
    pub fn is_write(&self) -> bool {
        self.write != Write::Nothing
    }

    /// Where the number is afterwards if it was there before.
    pub fn after(&self, before: Range) -> Range {
        match self.write {
            Write::Nothing => before,
            Write::Add(by) => before.plus(by),
            Write::Set(range) => range,
        }
    }

    /// By how much the number may change.
    pub fn by(&self) -> Range {
        match self.write {
            Write::Nothing => Range::one(0),
            Write::Add(by) => by,
            Write::Set(range) => range.plus(self.before.negated()),
        }
    }
}

/// What statements say about numbers, for whoever looks for ranges: plain data, nothing of which is trusted when the claims are checked.
pub struct NumberReading {
    /// Each statement of each node, once for each of its outcomes.
    pub steps: Vec<(Actor, Vec<NumberStep>)>,
    /// For each group and node whether nobody else moves while a process stands there.
    pub exclusive: Vec<Vec<bool>>,
    /// For each number its value at the start.
    pub at_first: Vec<i64>,
}

/// Reads all statements.
pub fn read_numbers(
    system: &System,
    claims: &Claims,
    cancelled: &dyn Fn() -> bool,
) -> Result<NumberReading, Refusal> {
    let channel_types = structure::well_formed(system, claims)?;
    well_formed(system, claims)?;
    let explorer = Explorer::new(system, claims, &channel_types, cancelled);
    let halves = explorer.halves()?;
    let steps = halves.iter().map(|half: &Half<'_>| (half.actor(), half.numbers.clone())).collect();
    let beginning = Configuration::initial(system, claims)?;
    let at_first = claims.numbers.iter().map(|number| value(number, &beginning).unwrap_or(0)).collect();
    Ok(NumberReading { steps, exclusive: exclusive_nodes(&explorer), at_first })
}

/// R46: variables that exist, of a type for integers, part of the state; ranges that say something, in order.
pub fn well_formed(system: &System, claims: &Claims) -> Result<(), Refusal> {
    for (index, number) in claims.numbers.iter().enumerate() {
        let terms = &number.terms;
        let sorted = terms.windows(2).all(|pair| pair[0].place < pair[1].place)
            && number.known.windows(2).all(|p| (p[0].group, p[0].node) < (p[1].group, p[1].node));
        let form =
            matches!(terms.len(), 1 | 2) && terms.iter().take(1).all(|first| !first.subtracted) && sorted;
        let variables = terms.iter().all(|term| is_integer(system, claims, term.place));
        let whole = Range::from(number.range);
        let known = number.known.iter().all(|known| {
            let group = claims.groups.get(known.group.index());
            let range = Range::from(known.range);
            group.is_some_and(|group| known.node.index() < group.nodes.len())
                && !range.is_empty()
                && range.is_in(whole)
                && range != whole
        });
        Rule::NumberForm.demand(form && variables && known && !whole.is_empty(), || {
            format!("number {index} is not in order, or of no integer variable, or in no range")
        })?;
    }
    Ok(())
}

fn is_integer(system: &System, claims: &Claims, place: ObjectPlace) -> bool {
    let slot = match place {
        ObjectPlace::Global { slot } => system.global_slots.get(slot as usize),
        ObjectPlace::Local { group, slot } => claims
            .groups
            .get(group.index())
            .and_then(|group| system.automata[group.automaton as usize].slots.get(slot as usize)),
    };
    slot.is_some_and(|slot| !slot.hidden && !matches!(slot.scalar, Scalar::Chan | Scalar::Mtype(_)))
}

/// R46: a local variable is that of the only process of its group, which is there from the start and for ever.
pub fn are_always_there(claims: &Claims, tokens: &[Tokens]) -> Result<(), Refusal> {
    for (index, term) in
        claims.numbers.iter().enumerate().flat_map(|(i, n)| n.terms.iter().map(move |t| (i, t)))
    {
        let ObjectPlace::Local { group, .. } = term.place else { continue };
        Rule::NumberForm.demand(tokens[group.index()] == Tokens::One, || {
            format!("number {index}: group {} has not always exactly one process", group.0)
        })?;
    }
    Ok(())
}

/// R47: the values at the start, in their ranges.
pub fn at_start(
    explorer: &Explorer,
    beginning: &Configuration,
    processes: &[(GroupId, Vec<NodeId>)],
) -> Result<Vec<i64>, Refusal> {
    let mut values = Vec::new();
    for (index, number) in explorer.claims.numbers.iter().enumerate() {
        let value = value(number, beginning).unwrap_or(0);
        let nodes =
            processes.iter().flat_map(|(group, nodes)| nodes.iter().map(|node| Some((*group, *node))));
        let mut ranges = nodes.chain([None]).map(|at| Range::from(number.range_at(at)));
        Rule::NumberStarts.demand(ranges.all(|range| Range::one(value).is_in(range)), || {
            format!("number {index} is {value} at the start, which is not in its range")
        })?;
        values.push(value);
    }
    Ok(values)
}

/// The value of a number in a state; `None` if the process is not there.
pub fn value(number: &Number, configuration: &Configuration) -> Option<i64> {
    let state = &configuration.state;
    let mut sum: i32 = 0;
    for term in &number.terms {
        let value = match term.place {
            ObjectPlace::Global { slot } => *state.globals.get(slot as usize)?,
            ObjectPlace::Local { group, slot } => {
                let process = configuration.groups.iter().position(|of| *of == group)?;
                *state.processes.get(process)?.locals.get(slot as usize)?
            }
        };
        sum = if term.subtracted { sum.wrapping_sub(value) } else { sum.wrapping_add(value) };
    }
    Some(sum.into())
}

/// For each group and node whether nobody else moves while a process stands there: inside a `d_step`; or at a place to which only statements lead that keep
/// exclusive control, and from which a statement leads that is always executable. (A process that sends in a rendezvous loses control; so does one that has to wait.)
pub fn exclusive_nodes(explorer: &Explorer) -> Vec<Vec<bool>> {
    let model = &explorer.system.model;
    let of_group = |(id, group): (GroupId, &crate::claims::Group)| {
        let automaton = explorer.automaton(id);
        let held = model.proctypes[group.automaton as usize].provided.is_some() || model.features.priorities;
        let is_exclusive = |location: u32| {
            let arrivals = |edge: &&Edge| edge.target.0 == location && !matches!(edge.action, Action::End);
            let keeps = |edge: &Edge| edge.atomic && !matches!(edge.action, Action::Send { .. });
            let goes_on = |action: &Action| {
                matches!(
                    action,
                    Action::Skip | Action::Assign { .. } | Action::Assert(_) | Action::Printf { .. }
                )
            };
            !held
                && automaton.initial != LocationId(location)
                && automaton.edges.iter().filter(arrivals).all(keeps)
                && automaton.edges_from(LocationId(location)).all(|(_, edge)| goes_on(&edge.action))
                && automaton.edges_from(LocationId(location)).next().is_some()
        };
        let nodes = group.nodes.iter().map(|node| match node.point {
            Point::Inside { .. } => true,
            Point::At(location) => is_exclusive(location),
        });
        nodes.collect()
    };
    (0..).map(GroupId).zip(&explorer.claims.groups).map(of_group).collect()
}

/// Two halves of a rendezvous as one step; `None` if what they know contradicts. R48: only one of them changes a number.
pub fn together(one: &[NumberStep], other: &[NumberStep]) -> Result<Option<Vec<NumberStep>>, Broken> {
    let mut steps = Vec::with_capacity(one.len());
    for (one, other) in one.iter().zip(other) {
        let write = match (one.write, other.write) {
            (Write::Nothing, write) | (write, Write::Nothing) => write,
            _ => {
                let what = format!("both sides change number {} at once", one.number.0);
                return Err(Broken { rule: Rule::NumberKept, what });
            }
        };
        let before = one.before.meet(other.before);
        if before.is_empty() {
            return Ok(None);
        }
        steps.push(NumberStep { number: one.number, before, write });
    }
    Ok(Some(steps))
}

/// A statement of a process, and what is known before it.
struct Reader<'e, 'a> {
    explorer: &'e Explorer<'a>,
    group: GroupId,
    node: NodeId,
    environment: &'e Environment<'a>,
}

impl<'a> Explorer<'a> {
    /// What a statement does to all numbers; `None` if it cannot be executed, since its guard asks for something out of their ranges.
    pub fn number_steps(
        &self,
        (group, node): (GroupId, NodeId),
        before: &Environment<'a>,
        outcome: &Outcome<'a>,
    ) -> Result<Option<Vec<NumberStep>>, Refusal> {
        if self.claims.numbers.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let reader = Reader { explorer: self, group, node, environment: before };
        let mut steps = Vec::with_capacity(self.claims.numbers.len());
        let writes = reader.writes(outcome);
        for (id, number) in (0..).map(NumberId).zip(&self.claims.numbers) {
            let before = reader.guarded(number, outcome);
            if before.is_empty() {
                return Ok(None);
            }
            steps.push(NumberStep { number: id, before, write: reader.write(number, &writes, outcome) });
        }
        Ok(Some(steps))
    }

    /// The statement of an outcome.
    fn action(&self, group: GroupId, outcome: &Outcome<'a>) -> (&'a Automaton, &'a Action) {
        let automaton = self.automaton(group);
        let action = match (&automaton.edge(outcome.edge).action, outcome.inside) {
            (Action::DStep(body), Some((node, choice))) => {
                &body.nodes[node as usize].choices[choice as usize].action
            }
            (action, _) => action,
        };
        (automaton, action)
    }
}

/// What happens to one variable.
#[derive(Clone, Copy)]
enum SlotWrite {
    Add(Range),
    Set,
}

/// A sum of variables, each so many times, and a constant; modulo 2^32.
type Linear = (BTreeMap<ObjectPlace, i64>, i64);

impl<'a> Reader<'_, 'a> {
    /// Where the number is before the statement, if the statement can be executed.
    fn guarded(&self, number: &Number, outcome: &Outcome<'a>) -> Range {
        let mut range = Range::from(number.range_at(Some((self.group, self.node))));
        let sum = self.sum(&number.terms, |place| self.slot(place));
        if sum.is_in(Range::INT) {
            range = range.meet(sum);
        }
        let (automaton, action) = self.explorer.action(self.group, outcome);
        match action {
            Action::Condition(condition) => self.narrow(number, range, condition, true),
            // None of those before it is executable; what comes after it may be.
            Action::Else if outcome.inside.is_none() => {
                let source = automaton.edge(outcome.edge).source;
                let before = automaton.edges_from(source).take_while(|(id, _)| *id != outcome.edge);
                before.fold(range, |range, (_, edge)| match &edge.action {
                    Action::Condition(condition) => self.narrow(number, range, condition, false),
                    _ => range,
                })
            }
            _ => range,
        }
    }

    /// What is left of the range where the expression is true (or false).
    fn narrow(&self, number: &Number, range: Range, expr: &Expr, truth: bool) -> Range {
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, operand) => self.narrow(number, range, operand, !truth),
            ExprKind::Binary(operator @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let first = self.narrow(number, range, left, truth);
                // `a && b` is true, or `a || b` false, only if both sides are.
                match (*operator == BinaryOp::And) == truth {
                    true => self.narrow(number, first, right, truth),
                    false => first.hull(self.narrow(number, range, right, truth)),
                }
            }
            ExprKind::Binary(operator, left, right) if operator.is_comparison() => {
                let operator = if truth { Some(*operator) } else { negated(*operator) };
                match operator {
                    Some(operator) => self.compare(number, range, (operator, left, right)),
                    None => range,
                }
            }
            _ => {
                let operator = if truth { BinaryOp::NotEqual } else { BinaryOp::Equal };
                match self.as_number(number, range, expr) {
                    Some(found) => within(range, found, (operator, Range::one(0))),
                    None => range,
                }
            }
        }
    }

    fn compare(
        &self,
        number: &Number,
        range: Range,
        (operator, left, right): (BinaryOp, &Expr, &Expr),
    ) -> Range {
        if let (Some(found), Some(other)) = (self.as_number(number, range, left), self.values(right)) {
            return within(range, found, (operator, other));
        }
        if let (Some(found), Some(other), Some(operator)) =
            (self.as_number(number, range, right), self.values(left), mirrored(operator))
        {
            return within(range, found, (operator, other));
        }
        // Both sides and their difference are what they are without wrapping, so they may be subtracted.
        let (Some(left), Some(right)) = (self.linear(left), self.linear(right)) else { return range };
        let exact = |(sum, constant): &Linear| {
            let mut all = Range::one(*constant);
            for (&place, &times) in sum {
                let Range { low, high } = self.slot(place);
                let (one, other) = (low.saturating_mul(times), high.saturating_mul(times));
                all = all.plus(Range { low: one.min(other), high: one.max(other) });
            }
            all.is_in(Range::INT)
        };
        let difference = add(left.clone(), &right, -1);
        let is_exact =
            exact(&left) && exact(&right) && self.sum(&number.terms, |p| self.slot(p)).is_in(Range::INT);
        match matches(number, &difference).filter(|_| is_exact) {
            Some(found) => within(range, found, (operator, Range::one(0))),
            None => range,
        }
    }

    /// Whether the expression is the number, or what it is subtracted from, and a constant that is added; without wrapping.
    fn as_number(&self, number: &Number, range: Range, expr: &Expr) -> Option<(bool, i64)> {
        let (subtracted, constant) = matches(number, &self.linear(expr)?)?;
        let all = range.signed(subtracted).plus(Range::one(constant));
        all.is_in(Range::INT).then_some((subtracted, constant))
    }

    fn linear(&self, expr: &Expr) -> Option<Linear> {
        Some(match &expr.kind {
            ExprKind::Constant { value, .. } => (BTreeMap::new(), i64::from(*value)),
            ExprKind::Read(place) => (BTreeMap::from([(self.place(place)?, 1)]), 0),
            ExprKind::Unary(UnaryOp::Negate, operand) => {
                add((BTreeMap::new(), 0), &self.linear(operand)?, -1)
            }
            ExprKind::Binary(BinaryOp::Add, left, right) => add(self.linear(left)?, &self.linear(right)?, 1),
            ExprKind::Binary(BinaryOp::Subtract, left, right) => {
                add(self.linear(left)?, &self.linear(right)?, -1)
            }
            _ => {
                let values = self.values(expr)?;
                (values.low == values.high).then_some((BTreeMap::new(), values.low))?
            }
        })
    }

    /// The one slot that a place is, if its indices are constants.
    fn place(&self, place: &Place) -> Option<ObjectPlace> {
        let mut slot = place.base;
        let hidden =
            |slot: u32| self.explorer.system.global_slots.get(slot as usize).is_none_or(|slot| slot.hidden);
        for index in &place.indices {
            let ExprKind::Constant { value, .. } = index.value.kind else { return None };
            let value = u32::try_from(value).ok().filter(|value| *value < index.length)?;
            slot = slot.checked_add(value.checked_mul(index.stride)?)?;
        }
        // What nothing reads is no part of the state: nobody knows what it holds.
        let is_shown = place.frame == Frame::Local || !hidden(slot);
        is_shown.then(|| self.at(place.frame, slot))
    }

    fn at(&self, frame: Frame, slot: u32) -> ObjectPlace {
        match frame {
            Frame::Global => ObjectPlace::Global { slot },
            Frame::Local => ObjectPlace::Local { group: self.group, slot },
        }
    }

    /// All values of an expression, if they are numbers.
    fn values(&self, expr: &Expr) -> Option<Range> {
        hull(&self.explorer.evaluator().evaluate(self.environment, expr).ok()?)
    }

    /// Where a variable is: by its claims, and by the number that it is.
    fn slot(&self, place: ObjectPlace) -> Range {
        let claims = self.explorer.claims;
        let values = match place {
            ObjectPlace::Global { slot } => self.environment.get(Frame::Global, slot),
            ObjectPlace::Local { group, slot } if group == self.group => {
                self.environment.get(Frame::Local, slot)
            }
            ObjectPlace::Local { group, slot } => claims.groups[group.index()].slots[slot as usize].clone(),
        };
        let own = claims.numbers.iter().filter(|n| n.terms.len() == 1 && n.terms[0].place == place);
        let at = Some((self.group, self.node));
        own.fold(hull(&values).unwrap_or(Range::INT), |range, number| range.meet(number.range_at(at).into()))
    }

    fn sum(&self, terms: &[NumberTerm], slot: impl Fn(ObjectPlace) -> Range) -> Range {
        terms.iter().fold(Range::one(0), |sum, term| sum.plus(slot(term.place).signed(term.subtracted)))
    }

    /// What the statement does to variables of the process and to global ones.
    fn writes(&self, outcome: &Outcome<'a>) -> BTreeMap<ObjectPlace, SlotWrite> {
        let (automaton, action) = self.explorer.action(self.group, outcome);
        let mut writes = BTreeMap::new();
        match action {
            Action::Assign { place, value } => match self.place(place) {
                Some(slot) => {
                    writes.insert(slot, self.assignment(place.scalar, slot, value));
                }
                None => self.any_of(automaton, place, &mut writes),
            },
            Action::Receive { arguments, .. } => {
                for argument in arguments {
                    if let ReceiveArgument::Store(place) = argument {
                        self.any_of(automaton, place, &mut writes);
                    }
                }
            }
            _ => {}
        }
        if let Some(Point::At(_)) = outcome.target {
            let dead = automaton.edge(outcome.edge).dead.iter();
            writes.extend(dead.map(|&slot| (self.at(Frame::Local, slot), SlotWrite::Set)));
        }
        writes
    }

    /// One of the slots of a variable is written.
    fn any_of(&self, automaton: &Automaton, place: &Place, writes: &mut BTreeMap<ObjectPlace, SlotWrite>) {
        let model = &self.explorer.system.model;
        let all = match (self.place(place), place.frame) {
            (Some(slot), _) => {
                writes.insert(slot, SlotWrite::Set);
                return;
            }
            (None, Frame::Global) => self.explorer.system.global_slots.len(),
            (None, Frame::Local) => automaton.slots.len(),
        };
        let variables = match place.frame {
            Frame::Global => &model.globals,
            Frame::Local => {
                let proctype = self.explorer.claims.groups[self.group.index()].automaton;
                &model.proctypes[proctype as usize].locals
            }
        };
        let own = variables.get(place.variable.0 as usize);
        let slots = own.map_or((0, all), |own| (own.slot, own.slots as usize));
        let slots = (slots.0..).take(slots.1).map(|slot| self.at(place.frame, slot));
        writes.extend(slots.map(|slot| (slot, SlotWrite::Set)));
    }

    /// `x = x + e`, if what is stored is not cut.
    fn assignment(&self, scalar: Scalar, slot: ObjectPlace, value: &Expr) -> SlotWrite {
        let is_it =
            |expr: &Expr| matches!(&expr.kind, ExprKind::Read(place) if self.place(place) == Some(slot));
        let by = match &value.kind {
            ExprKind::Binary(BinaryOp::Add, left, right) if is_it(left) => self.values(right),
            ExprKind::Binary(BinaryOp::Add, left, right) if is_it(right) => self.values(left),
            ExprKind::Binary(BinaryOp::Subtract, left, right) if is_it(left) => {
                self.values(right).map(Range::negated)
            }
            _ => None,
        };
        let (low, high) = scalar.range();
        let fits = |by: &Range| {
            let all = Range::from(Interval { low, high });
            all == Range::INT || self.slot(slot).plus(*by).is_in(all)
        };
        by.filter(fits).map_or(SlotWrite::Set, SlotWrite::Add)
    }

    fn write(
        &self,
        number: &Number,
        writes: &BTreeMap<ObjectPlace, SlotWrite>,
        outcome: &Outcome<'a>,
    ) -> Write {
        let written = number.terms.iter().filter_map(|term| Some((term, *writes.get(&term.place)?)));
        match written.collect::<Vec<_>>()[..] {
            [] => Write::Nothing,
            [(term, SlotWrite::Add(by))] => Write::Add(by.signed(term.subtracted)),
            _ => Write::Set(self.sum(&number.terms, |place| {
                let (frame, slot) = match place {
                    ObjectPlace::Global { slot } => (Frame::Global, slot),
                    ObjectPlace::Local { slot, .. } => (Frame::Local, slot),
                };
                match writes.contains_key(&place) {
                    true => hull(&outcome.environment.get(frame, slot)).unwrap_or(Range::INT),
                    false => self.slot(place),
                }
            })),
        }
    }
}

/// All numbers of a set, from the least to the largest; `None` if there are channels, or nothing.
fn hull(values: &Values) -> Option<Range> {
    values.hull().filter(|_| values.channels.is_empty()).map(Range::from)
}

/// The first sum and so many times the second.
fn add(mut one: Linear, other: &Linear, times: i64) -> Linear {
    for (place, by) in &other.0 {
        let entry = one.0.entry(*place).or_insert(0);
        *entry = entry.saturating_add(by.saturating_mul(times));
    }
    one.0.retain(|_, by| *by != 0);
    (one.0, one.1.saturating_add(other.1.saturating_mul(times)))
}

/// Whether the sum is the number (`false`) or the number with the other sign, and the constant beside it.
fn matches(number: &Number, (sum, constant): &Linear) -> Option<(bool, i64)> {
    let is_it = |negated: bool| {
        sum.len() == number.terms.len()
            && number.terms.iter().all(|term| {
                let expected = if term.subtracted == negated { 1 } else { -1 };
                sum.get(&term.place) == Some(&expected)
            })
    };
    [false, true].into_iter().find(|negated| is_it(*negated)).map(|negated| (negated, *constant))
}

/// The part of the range in which the number (or the number with the other sign) and a constant are so compared with something in the other range.
fn within(range: Range, (negated, constant): (bool, i64), (operator, other): (BinaryOp, Range)) -> Range {
    let value = range.signed(negated).plus(Range::one(constant));
    let mut left = value;
    match operator {
        BinaryOp::Less => left.high = left.high.min(other.high.saturating_sub(1)),
        BinaryOp::LessEqual => left.high = left.high.min(other.high),
        BinaryOp::Greater => left.low = left.low.max(other.low.saturating_add(1)),
        BinaryOp::GreaterEqual => left.low = left.low.max(other.low),
        BinaryOp::Equal => left = left.meet(other),
        BinaryOp::NotEqual if other.low == other.high && value.low == other.low => {
            left.low = value.low.saturating_add(1);
        }
        BinaryOp::NotEqual if other.low == other.high && value.high == other.high => {
            left.high = value.high.saturating_sub(1);
        }
        _ => {}
    }
    left.plus(Range::one(constant.saturating_neg())).signed(negated)
}

impl<'a> Assembler<'_, 'a> {
    /// R48: the transitions that numbers allow, with what the linear invariants say of them; each keeps every number in its range, and in those of
    /// the nodes in which processes stand afterwards.
    pub fn keeps_numbers(&self, transitions: Vec<Transition>) -> Result<Vec<Transition>, Refusal> {
        let exclusive = exclusive_nodes(self.explorer);
        let mut kept = Vec::with_capacity(transitions.len());
        for mut transition in transitions {
            if !self.by_invariants(&mut transition) {
                continue;
            }
            if let Err(broken) = self.stays_in_range(&transition, &exclusive) {
                self.explorer.refuse(transition.actor.group, transition.actor.edge, broken)?;
            }
            kept.push(transition);
        }
        Ok(kept)
    }

    /// Narrows numbers by what invariants leave for them beside those who take part; whether anything is left.
    fn by_invariants(&self, transition: &mut Transition) -> bool {
        for invariant in self.explorer.invariants.iter().filter(|invariant| !invariant.numbers.is_empty()) {
            let mut rest = i128::from(invariant.total);
            let movers = transition.moves.iter().filter_map(|step| match step.component {
                Component::Group(group) => Some((group, step.from)),
                Component::Tracker(_) => None,
            });
            for node in movers.chain(transition.end) {
                rest = rest.saturating_sub(invariant.nodes.get(&node).copied().unwrap_or(0).into());
            }
            if let Some(message) = transition.message.filter(|message| message.change < 0) {
                let weight = invariant.messages.get(&(message.object, message.class));
                rest = rest.saturating_sub(weight.copied().unwrap_or(0).into());
            }
            let least = |weight: i64, range: Range| {
                let times = |value: i64| i128::from(weight).saturating_mul(value.into());
                times(range.low).min(times(range.high))
            };
            for own in &invariant.numbers {
                let others = invariant.numbers.iter().filter(|other| other.number != own.number);
                let others = others
                    .filter_map(|n| Some(least(n.weight, transition.numbers.get(n.number.index())?.before)));
                let room = rest.saturating_sub(others.fold(0, i128::saturating_add));
                let Some(step) = transition.numbers.get_mut(own.number.index()) else { continue };
                let most = room.checked_div_euclid(i128::from(own.weight).saturating_abs());
                let Some(most) = most.and_then(|most| i64::try_from(most).ok()) else { continue };
                match own.weight > 0 {
                    true => step.before.high = step.before.high.min(most),
                    false => step.before.low = step.before.low.max(most.saturating_neg()),
                }
                if step.before.is_empty() {
                    return false;
                }
            }
        }
        true
    }

    /// R48 for one transition: of the number itself, of who arrives or is started, and of those who stand where they stood.
    fn stays_in_range(&self, transition: &Transition, exclusive: &[Vec<bool>]) -> Result<(), Broken> {
        let movers = [Some(transition.actor.group), transition.partner.map(|partner| partner.group)];
        let moves = |group: GroupId| movers.contains(&Some(group));
        for step in &transition.numbers {
            let number = &self.explorer.claims.numbers[step.number.index()];
            let stays = |before: Range, allowed: Interval| {
                let after = step.after(before);
                let holds = before.is_empty() || after.is_in(allowed.into());
                let what = || {
                    let (low, high, number) = (after.low, after.high, step.number.0);
                    format!("number {number} may be {low} to {high} afterwards, not only {allowed:?}")
                };
                if holds { Ok(()) } else { Err(Broken { rule: Rule::NumberKept, what: what() }) }
            };
            stays(step.before, number.range)?;
            if number.known.is_empty() {
                continue;
            }
            for (taken, is_one) in
                transition.moves.iter().map(|m| (m, true)).chain(transition.many.iter().map(|m| (m, false)))
            {
                let Component::Group(group) = taken.component else { continue };
                let before = match is_one && moves(group) {
                    true => step.before,
                    false => step.before.meet(number.range_at(Some((group, taken.from))).into()),
                };
                stays(before, number.range_at(Some((group, taken.to))))?;
            }
            if transition.start.is_some() {
                stays(step.before, number.range_at(transition.start))?;
            }
            // Those who stand where they stood.
            for known in number.known.iter().filter(|_| step.is_write()) {
                let alone = self.tokens[known.group.index()] != Tokens::Any && moves(known.group);
                if !alone && !exclusive[known.group.index()][known.node.index()] {
                    stays(step.before.meet(known.range.into()), known.range)?;
                }
            }
        }
        Ok(())
    }
}
