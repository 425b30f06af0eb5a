//! Integer variables with a weight of their own, instead of nodes split by their values: counters, windows, credits.
//!
//! A number ([`certificate::claims::Number`]) is a variable that is counted up or down and compared somewhere, or the sum or difference of two that are compared with each other.
//! Its range is found by what guards say, node by node: the least fixed point of intervals, whose ends are taken from the guards and what is added after them, so that it is reached soon.
//! Often a guard bounds one side only: a semaphore is taken if it is positive, and given back without a look. The other side is then what is conserved: a potential which no
//! transition increases and that weighs the number. It becomes a linear invariant of the certificate.
//!
//! In the net a number is one counter or two: how far it is above its least value, and below its largest. Neither is ever negative. What a statement says about a number is read by the
//! checker ([`read_numbers`]), so that what is claimed is what will be accepted.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use certificate::check::{NumberReading, NumberStep, Range, Write, read_numbers};
use certificate::claims::{Claims, GroupId, KnownRange, NodeId, Number, NumberTerm, ObjectPlace};
use certificate::values::Interval;
use promela::model::{BinaryOp, Expr, ExprKind, Frame, Place, Scalar, UnaryOp};
use system::automaton::{Action, EdgeId};

use crate::net::build::{Abstraction, Origin};
use crate::net::{ComponentId, Counted, Counter, CounterId, Net, Tokens, Transition};
use crate::potential::{Answer, Potential, Programs, Question};
use crate::values::analysis::Analysis;
use crate::values::world::GroupKey;

/// In larger nets nobody looks for numbers.
const MOST_TRANSITIONS: usize = 5_000;
/// More variables that look like numbers are not tried.
const MOST_NUMBERS: usize = 24;
/// No range is larger; it is as far from 0 on both sides, so that the other sign fits, too.
const ALL: Range = Range { low: -(i32::MAX as i64), high: i32::MAX as i64 };

/// Numbers, a net that counts them, and what shows their ranges.
pub struct Numbers {
    /// For the certificate.
    pub claimed: Vec<Number>,
    /// The net with counters for them.
    pub net: Net,
    /// Potentials that no transition increases, by which numbers cannot leave their ranges.
    pub invariants: Vec<Potential>,
}

/// A transition with one of the statements that it stands for.
struct Expanded {
    transition: Transition,
    steps: Vec<NumberStep>,
}

/// What is known of a number: always, and while a process stands in a node (nothing where nobody does).
struct Found {
    term: Vec<NumberTerm>,
    index: usize,
    range: Range,
    nodes: Vec<Vec<Option<Range>>>,
}

impl Found {
    fn has_low(&self) -> bool {
        self.range.low > ALL.low
    }

    fn has_high(&self) -> bool {
        self.range.high < ALL.high
    }
}

/// Looks for numbers whose ranges can be shown; `None` if there are none.
pub fn find(
    analysis: &Analysis<'_>,
    abstraction: &Abstraction,
    mut claims: Claims,
    cancelled: &dyn Fn() -> bool,
) -> Option<Numbers> {
    if abstraction.net.transitions.len() > MOST_TRANSITIONS {
        return None;
    }
    let terms = candidates(analysis);
    if terms.is_empty() || terms.len() > MOST_NUMBERS {
        return None;
    }
    let range = Interval { low: ALL.low as i32, high: ALL.high as i32 };
    claims.numbers =
        terms.iter().map(|terms| Number { terms: terms.clone(), range, known: Vec::new() }).collect();
    let reading = read_numbers(analysis.system, &claims, cancelled).ok()?;
    let expanded = expand(abstraction, &reading, terms.len());
    let ranges = Ranges { net: &abstraction.net, expanded: &expanded, reading: &reading };
    let found = terms.into_iter().enumerate().map(|(index, term)| ranges.of(index, term));
    let mut found: Vec<Found> = found.filter(|found| found.has_low() || found.has_high()).collect();
    loop {
        if found.is_empty() || cancelled() {
            return None;
        }
        let net = with_counters(&abstraction.net, &expanded, &mut found, &reading);
        let mut programs = Programs::default();
        let mut invariants: Vec<Potential> = Vec::new();
        let mut lost = BTreeSet::new();
        let mut claimed = Vec::new();
        for (position, number) in found.iter().enumerate() {
            let mut range = number.range;
            if !(number.has_low() && number.has_high()) {
                let counted = Counted::Number { number: position as u32, above: number.has_low() };
                let counter =
                    net.counter_ids().find(|(_, counter)| counter.counted == counted).map(|(id, _)| id);
                let answer = counter
                    .map(|counter| (counter, programs.find(&net, Question::Number(counter), cancelled)));
                let Some((counter, Answer::Found(potential))) = answer else {
                    lost.insert(position);
                    continue;
                };
                let width = most_of(&net, &potential, counter);
                match i64::try_from(width).ok().filter(|width| *width < ALL.high) {
                    Some(width) if number.has_low() => range.high = range.low + width,
                    Some(width) => range.low = range.high - width,
                    None => {
                        lost.insert(position);
                    }
                }
                invariants.push(potential);
            }
            claimed.extend(claim(number, range));
        }
        if lost.is_empty() && claimed.len() == found.len() {
            return Some(Numbers { claimed, net, invariants });
        }
        if lost.is_empty() {
            return None;
        }
        let mut position = 0..;
        found.retain(|_| !position.next().is_some_and(|position| lost.contains(&position)));
    }
}

/// The most that a counter can be if no transition makes the potential grow: what it is at the start, or what a statement that makes it more leaves there. Whoever executes
/// that stands somewhere and may take a message, and what these weigh is no part of the counter.
fn most_of(net: &Net, potential: &Potential, counter: CounterId) -> i128 {
    let weight = i128::from(potential.weights[counter.0 as usize]).max(1);
    let total = potential.initial_total(net);
    let mut most = i128::from(net.counters[counter.0 as usize].initial);
    for transition in &net.transitions {
        let own = transition.effect.iter().filter(|(id, _)| *id == counter);
        let more: i128 = own.map(|&(_, by)| i128::from(by)).sum();
        if more <= 0 {
            continue;
        }
        let stands = transition.moves.iter().filter_map(|step| {
            Some(i128::from(potential.nodes[step.component.0 as usize][step.from?.0 as usize]))
        });
        let taken = transition.effect.iter().filter(|(id, by)| {
            *by < 0 && matches!(net.counters[id.0 as usize].counted, Counted::Messages(_))
        });
        let taken = taken.map(|&(id, by)| -i128::from(by) * i128::from(potential.weights[id.0 as usize]));
        let left = total - stands.sum::<i128>() - taken.sum::<i128>();
        // Otherwise it is never executed.
        if left >= 0 {
            most = most.max(left.div_euclid(weight) + more);
        }
    }
    most
}

/// The variables, and pairs of them, that are compared, if they are counted up or down.
fn candidates(analysis: &Analysis<'_>) -> BTreeSet<Vec<NumberTerm>> {
    let mut counted: BTreeSet<ObjectPlace> = BTreeSet::new();
    let mut compared: BTreeSet<Vec<(ObjectPlace, i32)>> = BTreeSet::new();
    for (index, group) in analysis.world.group_indices() {
        let flow = &analysis.flows[group.automaton.0 as usize];
        let stays = matches!(group.key, GroupKey::Initial(..))
            && group
                .nodes
                .iter()
                .all(|node| flow.arcs(node.key.point).iter().all(|arc| arc.target.is_some()));
        let place = |place: &Place| constant_place(analysis, place, GroupId(index.0), stays);
        for arc in flow.leaving.iter().flatten() {
            match arc.action {
                Action::Assign { place: to, value } => {
                    let is_it =
                        |expr: &Expr| matches!(&expr.kind, ExprKind::Read(from) if place(from) == place(to));
                    if let ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) = &value.kind
                        && (is_it(left) || is_it(right))
                    {
                        counted.extend(place(to));
                    }
                }
                Action::Condition(condition) => compare(condition, &place, &mut compared),
                _ => {}
            }
        }
    }
    let mut found = BTreeSet::new();
    for sum in compared {
        let kept: Vec<(ObjectPlace, i32)> =
            sum.into_iter().filter(|(place, _)| counted.contains(place)).collect();
        let Some(&(_, sign)) = kept.first() else { continue };
        if kept.len() <= 2 && kept.iter().all(|(_, times)| times.abs() == 1) {
            found.insert(
                kept.iter().map(|&(place, times)| NumberTerm { place, subtracted: times != sign }).collect(),
            );
        }
    }
    found
}

/// The slot of an integer variable that is part of the state; a local one only where its process is always there.
fn constant_place(
    analysis: &Analysis<'_>,
    place: &Place,
    group: GroupId,
    stays: bool,
) -> Option<ObjectPlace> {
    let mut slot = place.base;
    for index in &place.indices {
        let ExprKind::Constant { value, .. } = index.value.kind else { return None };
        slot += u32::try_from(value).ok().filter(|value| *value < index.length)? * index.stride;
    }
    let is_integer = !matches!(place.scalar, Scalar::Chan | Scalar::Mtype(_));
    match place.frame {
        Frame::Global if is_integer && !analysis.system.global_slots[slot as usize].hidden => {
            Some(ObjectPlace::Global { slot })
        }
        Frame::Local if is_integer && stays => Some(ObjectPlace::Local { group, slot }),
        _ => None,
    }
}

/// The sums of variables that are compared somewhere in a condition.
fn compare(
    expr: &Expr,
    place: &dyn Fn(&Place) -> Option<ObjectPlace>,
    found: &mut BTreeSet<Vec<(ObjectPlace, i32)>>,
) {
    let mut sum = BTreeMap::new();
    match &expr.kind {
        ExprKind::Unary(UnaryOp::Not, operand) => return compare(operand, place, found),
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
            compare(left, place, found);
            return compare(right, place, found);
        }
        ExprKind::Binary(operator, left, right) if operator.is_comparison() => {
            add(left, 1, place, &mut sum);
            add(right, -1, place, &mut sum);
        }
        _ => add(expr, 1, place, &mut sum),
    }
    found.insert(sum.into_iter().filter(|(_, times)| *times != 0).collect());
}

fn add(
    expr: &Expr,
    sign: i32,
    place: &dyn Fn(&Place) -> Option<ObjectPlace>,
    sum: &mut BTreeMap<ObjectPlace, i32>,
) {
    match &expr.kind {
        ExprKind::Read(read) => {
            if let Some(place) = place(read) {
                *sum.entry(place).or_default() += sign;
            }
        }
        ExprKind::Binary(operator @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
            add(left, sign, place, sum);
            add(right, if *operator == BinaryOp::Add { sign } else { -sign }, place, sum);
        }
        ExprKind::Unary(UnaryOp::Negate, operand) => add(operand, -sign, place, sum),
        _ => {}
    }
}

type Statement = (u32, u32, EdgeId, Option<(u32, u32)>);

/// Every transition once for each statement that it stands for, with what that does to numbers.
fn expand(abstraction: &Abstraction, reading: &NumberReading, numbers: usize) -> Vec<Expanded> {
    let mut read: HashMap<Statement, Vec<NumberStep>> = HashMap::new();
    for (actor, steps) in &reading.steps {
        let key = (actor.group.0, actor.node.0, actor.edge, actor.inside);
        match read.get_mut(&key) {
            Some(known) => {
                known.iter_mut().zip(steps).for_each(|(known, step)| *known = either(*known, *step))
            }
            None => {
                read.insert(key, steps.clone());
            }
        }
    }
    let mut expanded = Vec::new();
    for transition in &abstraction.net.transitions {
        let of = |origin: &Origin| {
            read.get(&(origin.group.0, origin.node.0, origin.edge, origin.inside))
                .cloned()
                .unwrap_or_default()
        };
        let more = abstraction.merged.get(&transition.origin).into_iter().flatten();
        let all = std::iter::once(&abstraction.origins[transition.origin as usize]).chain(more).map(of);
        let all: HashSet<Vec<NumberStep>> = all.filter(|steps| steps.len() == numbers).collect();
        let mut all: Vec<Vec<NumberStep>> = all.into_iter().collect();
        all.sort_unstable();
        // What the checker does not see does not happen.
        expanded.extend(all.into_iter().map(|steps| Expanded { transition: transition.clone(), steps }));
    }
    expanded
}

/// One statement with two outcomes.
fn either(one: NumberStep, other: NumberStep) -> NumberStep {
    let write = match (one.write, other.write) {
        (a, b) if a == b => a,
        (Write::Add(a), Write::Add(b)) => Write::Add(a.hull(b)),
        (Write::Set(a), Write::Set(b)) => Write::Set(a.hull(b)),
        _ => Write::Set(one.after(one.before).hull(other.after(other.before))),
    };
    NumberStep { before: one.before.hull(other.before), write, ..one }
}

/// Finds ranges.
struct Ranges<'a> {
    net: &'a Net,
    expanded: &'a [Expanded],
    reading: &'a NumberReading,
}

impl Ranges<'_> {
    /// The least ranges with ends among the thresholds that all statements keep.
    fn of(&self, index: usize, term: Vec<NumberTerm>) -> Found {
        let at_first = Range::one(self.reading.at_first[index]);
        let thresholds = self.thresholds(index);
        let groups = self.reading.exclusive.len();
        let mut nodes: Vec<Vec<Option<Range>>> =
            self.reading.exclusive.iter().map(|nodes| vec![None; nodes.len()]).collect();
        for (component, own) in self.net.components.iter().zip(&mut nodes) {
            component.initial.iter().for_each(|(node, _)| own[node.0 as usize] = Some(at_first));
        }
        let mut range = at_first;
        let mut changed = true;
        while std::mem::take(&mut changed) {
            let mut grow = |known: &mut Option<Range>, by: Range| {
                let all = known.map_or(by, |known| known.hull(by)).meet(ALL);
                if *known != Some(all) && !by.is_empty() {
                    *known = Some(snapped(all, &thresholds));
                    changed = true;
                }
            };
            for Expanded { transition, steps } in self.expanded {
                let step = steps[index];
                let Some(own) = transition.moves.first() else { continue };
                let here = own.from.and_then(|from| nodes[own.component.0 as usize][from.0 as usize]);
                let before = here.map(|here| here.meet(step.before)).filter(|before| !before.is_empty());
                let Some(before) = before else { continue };
                let after = step.after(before);
                let mut always = Some(range);
                grow(&mut always, after);
                range = always.unwrap_or(range);
                for (position, taken) in transition.moves.iter().enumerate() {
                    let component = taken.component.0 as usize;
                    let Some(to) = taken.to.filter(|_| component < groups) else { continue };
                    let carried =
                        taken.from.filter(|_| position > 0).map(|from| nodes[component][from.0 as usize]);
                    let after = match carried {
                        None => after,
                        Some(Some(there)) if !there.meet(before).is_empty() => step.after(there.meet(before)),
                        Some(_) => continue,
                    };
                    grow(&mut nodes[component][to.0 as usize], after);
                }
                if step.is_write() {
                    self.those_who_stay(own.component, &mut nodes, |there| {
                        let both = there.meet(before);
                        if !both.is_empty() {
                            let mut known = Some(*there);
                            grow(&mut known, step.after(both));
                            *there = known.unwrap_or(*there);
                        }
                    });
                }
            }
        }
        Found { term, index, range, nodes }
    }

    /// Everybody who may stand in a node while a process of the component moves.
    fn those_who_stay(
        &self,
        mover: ComponentId,
        nodes: &mut [Vec<Option<Range>>],
        mut stays: impl FnMut(&mut Range),
    ) {
        for (component, nodes) in nodes.iter_mut().enumerate() {
            let alone = self.net.components[component].tokens == Tokens::AtMostOne;
            if alone && component == mover.0 as usize {
                continue;
            }
            for (node, known) in nodes.iter_mut().enumerate() {
                if let Some(known) = known.as_mut().filter(|_| !self.reading.exclusive[component][node]) {
                    stays(known);
                }
            }
        }
    }

    /// Ends of ranges: what guards compare with, and that much more or less as is added somewhere.
    fn thresholds(&self, index: usize) -> Vec<i64> {
        let mut ends = BTreeSet::from([self.reading.at_first[index]]);
        let mut added = BTreeSet::from([0]);
        for step in self.expanded.iter().map(|expanded| expanded.steps[index]) {
            ends.extend([step.before.low, step.before.high]);
            match step.write {
                Write::Nothing => {}
                Write::Add(by) => added.extend([by.low, by.high]),
                Write::Set(to) => ends.extend([to.low, to.high]),
            }
        }
        let sums = ends.iter().flat_map(|end| added.iter().map(move |by| end.saturating_add(*by)));
        let inside = sums.filter(|sum| ALL.low < *sum && *sum < ALL.high);
        let all: BTreeSet<i64> = inside.chain([ALL.low, ALL.high]).collect();
        all.into_iter().collect()
    }
}

/// The least range with ends among the thresholds that contains the range.
fn snapped(range: Range, thresholds: &[i64]) -> Range {
    let low = thresholds.partition_point(|end| *end <= range.low).saturating_sub(1);
    let high = thresholds.partition_point(|end| *end < range.high);
    Range { low: thresholds[low], high: thresholds.get(high).copied().unwrap_or(ALL.high) }
}

/// The net with a counter for each known end of each number. Numbers that cannot be counted are taken out.
fn with_counters(plain: &Net, expanded: &[Expanded], found: &mut Vec<Found>, reading: &NumberReading) -> Net {
    let changes = |number: &Found| -> Option<Vec<(i32, i32)>> {
        let of = |Expanded { transition, steps }: &Expanded| {
            let mut step = steps[number.index];
            let own = transition.moves.first()?;
            let here = own.from.and_then(|from| number.nodes[own.component.0 as usize][from.0 as usize]);
            step.before = here.unwrap_or(number.range).meet(step.before);
            let by = if step.before.is_empty() { Range::one(0) } else { step.by() };
            let up = if number.has_low() { i32::try_from(by.high).ok()? } else { 0 };
            let down = if number.has_high() { i32::try_from(by.low.checked_neg()?).ok()? } else { 0 };
            Some((up, down))
        };
        expanded.iter().map(of).collect()
    };
    let counted: Vec<Option<Vec<(i32, i32)>>> = found.iter().map(changes).collect();
    let mut is_counted = counted.iter().map(Option::is_some);
    found.retain(|_| is_counted.next().unwrap_or(false));
    let mut net = plain.clone();
    net.transitions = expanded.iter().map(|expanded| expanded.transition.clone()).collect();
    for (position, (number, changes)) in found.iter().zip(counted.into_iter().flatten()).enumerate() {
        let at_first = reading.at_first[number.index];
        let ends = [
            (true, number.has_low(), at_first - number.range.low),
            (false, number.has_high(), number.range.high - at_first),
        ];
        for (above, _, distance) in ends.into_iter().filter(|(_, is_known, _)| *is_known) {
            let id = CounterId(net.counters.len() as u32);
            let counted = Counted::Number { number: position as u32, above };
            let Ok(initial) = u32::try_from(distance) else { continue };
            net.counters.push(Counter { counted, initial });
            for (transition, (up, down)) in net.transitions.iter_mut().zip(&changes) {
                let by = if above { *up } else { *down };
                if by != 0 {
                    transition.effect.push((id, by));
                }
            }
        }
    }
    net
}

/// A number for the certificate, if its range fits.
fn claim(number: &Found, range: Range) -> Option<Number> {
    let interval = |range: Range| {
        Some(Interval { low: i32::try_from(range.low).ok()?, high: i32::try_from(range.high).ok()? })
    };
    let mut known = Vec::new();
    for (group, nodes) in (0..).map(GroupId).zip(&number.nodes) {
        for (node, there) in (0..).map(NodeId).zip(nodes) {
            let there =
                there.map(|there| there.meet(range)).filter(|there| !there.is_empty() && *there != range);
            if let Some(there) = there {
                known.push(KnownRange { group, node, range: interval(there)? });
            }
        }
    }
    Some(Number { terms: number.term.clone(), range: interval(range)?, known })
}

/// What the potential is at the start by the words of a certificate, in which numbers count from 0 and not from the ends of their ranges.
pub fn claimed_total(net: &Net, claimed: &[Number], potential: &Potential) -> i128 {
    let ends =
        net.counters.iter().zip(&potential.weights).filter_map(|(counter, &weight)| match counter.counted {
            Counted::Number { number, above } => {
                let range = claimed.get(number as usize)?.range;
                Some(i128::from(weight) * if above { i128::from(range.low) } else { -i128::from(range.high) })
            }
            _ => None,
        });
    potential.initial_total(net) + ends.sum::<i128>()
}

/// By how much more the weighed numbers are, at the least, while a process stands in the node than they are at all times.
pub fn gained_at(
    claimed: &[Number],
    weights: &[certificate::potential::NumberWeight],
    at: (GroupId, NodeId),
) -> i128 {
    let gain = |weight: &certificate::potential::NumberWeight| {
        let number = claimed.get(weight.number.index())?;
        let least = |range: Interval| {
            let times = |value: i32| i128::from(weight.weight) * i128::from(value);
            times(range.low).min(times(range.high))
        };
        Some(least(number.range_at(Some(at))) - least(number.range))
    };
    weights.iter().filter_map(gain).sum()
}
