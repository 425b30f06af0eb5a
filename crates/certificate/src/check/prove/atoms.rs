//! What a transition says about a proposition before and after it.
//!
//! An atom is a proposition without `&&`, `||` and `!` outermost. Some can be followed: expressions over global variables, where a process of one group stands, how
//! much is in one buffer, how many processes stand at a label. Whatever cannot be followed may be true or false at every moment, which is sound: then
//! there are more runs to exclude.

use super::super::environment::Environment;
use super::super::explore::Explorer;
use super::super::guard::mirrored;
use super::super::refusal::Refusal;
use super::super::transition::{Move, Tokens, Transition};
use super::evaluates;
use crate::claims::{GroupId, NodeId, ObjectId, ObjectPlace, Point};
use crate::potential::Component;
use crate::values::Values;
use promela::model::{BinaryOp, ChannelRef, Expr, ExprKind, Frame, Place, RemoteProcess, Scalar};
use system::automaton::Automaton;

/// An atom that can be followed, or not.
pub enum Atom<'a> {
    /// An expression over these global slots that always has a value.
    Globals {
        /// The expression.
        expr: &'a Expr,
        /// The slots.
        slots: Vec<u32>,
    },
    /// The one process of a group stands at a location with this number.
    At {
        /// The group.
        group: GroupId,
        /// SPIN's number of the location; `None` if there is no such label.
        number: Option<u32>,
    },
    /// A number compares like this with another.
    Counted {
        /// What is counted.
        what: Counted,
        /// How it is compared.
        operator: BinaryOp,
        /// With what.
        with: i64,
    },
    /// Whatever it is.
    Unknown,
}

/// What an atom counts.
pub enum Counted {
    /// Messages in a buffer that is one channel.
    Messages(ObjectId),
    /// Processes of these groups at a location with this number.
    Standing(Vec<GroupId>, Option<u32>),
}

/// Which values of an atom before and after a transition go together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pairs(u8);

impl Pairs {
    const NONE: Pairs = Pairs(0);
    const ALL: Pairs = Pairs(0b1111);

    fn bit(before: bool, after: bool) -> u8 {
        match (before, after) {
            (false, false) => 0b0001,
            (false, true) => 0b0010,
            (true, false) => 0b0100,
            (true, true) => 0b1000,
        }
    }

    fn allow(&mut self, before: bool, after: bool) {
        self.0 |= Pairs::bit(before, after);
    }

    /// Whether it may be so before and so after.
    pub fn contains(self, before: bool, after: bool) -> bool {
        self.0 & Pairs::bit(before, after) != 0
    }
}

/// Global slots that an expression reads, if it always has a value and reads nothing else. (A formula has no variables of its own, and one with an
/// index that is a constant outside of its array has no value at the start, R39.) What channel a variable holds is not followed: nobody asks.
pub fn global_slots(expr: &Expr) -> Option<Vec<u32>> {
    let mut slots = Vec::new();
    collect(expr, &mut slots).then_some(slots)
}

fn collect(expr: &Expr, slots: &mut Vec<u32>) -> bool {
    match &expr.kind {
        ExprKind::Constant { .. } => true,
        ExprKind::Read(place) => match constant_slot(place) {
            Some(slot) if place.scalar != Scalar::Chan => {
                slots.push(slot);
                true
            }
            _ => false,
        },
        ExprKind::Unary(_, a) => collect(a, slots),
        ExprKind::Binary(BinaryOp::Divide | BinaryOp::Remainder, ..) => false,
        ExprKind::Binary(_, a, b) => collect(a, slots) && collect(b, slots),
        ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().all(|part| collect(part, slots)),
        _ => false,
    }
}

/// The slot of a global place whose indices are constants within their range.
fn constant_slot(place: &Place) -> Option<u32> {
    let mut slot = place.base;
    for index in &place.indices {
        let ExprKind::Constant { value, .. } = index.value.kind else { return None };
        let value = u32::try_from(value).ok().filter(|&value| value < index.length)?;
        slot = slot.checked_add(value.checked_mul(index.stride)?)?;
    }
    (place.frame == Frame::Global).then_some(slot)
}

/// Follows atoms along transitions.
pub struct Follower<'e, 'a> {
    explorer: &'e Explorer<'a>,
    tokens: &'e [Tokens],
    nobody: Values,
}

impl<'e, 'a> Follower<'e, 'a> {
    /// Prepares.
    pub fn new(explorer: &'e Explorer<'a>, tokens: &'e [Tokens]) -> Self {
        Follower { explorer, tokens, nobody: Values::none() }
    }

    /// What a proposition is.
    pub fn atom<'x>(&self, expr: &'x Expr) -> Atom<'x> {
        if let Some(slots) = global_slots(expr) {
            // Of a hidden variable no node says anything, and an evaluation does not, either.
            let hidden = |slot: &u32| self.explorer.system.global_slots[*slot as usize].hidden;
            return if slots.iter().any(hidden) { Atom::Unknown } else { Atom::Globals { expr, slots } };
        }
        let compared = match &expr.kind {
            ExprKind::Empty(channel) => self.messages(channel).map(|what| (what, BinaryOp::Equal, 0)),
            ExprKind::NotEmpty(channel) => self.messages(channel).map(|what| (what, BinaryOp::NotEqual, 0)),
            ExprKind::Binary(operator, left, right) if operator.is_comparison() => {
                match (&left.kind, &right.kind) {
                    (_, ExprKind::Constant { value, .. }) => {
                        self.counted(left).map(|what| (what, *operator, i64::from(*value)))
                    }
                    (ExprKind::Constant { value, .. }, _) => {
                        self.counted(right).map(|what| (what, mirrored(*operator), i64::from(*value)))
                    }
                    _ => None,
                }
            }
            _ => self.counted(expr).map(|what| (what, BinaryOp::NotEqual, 0)),
        };
        if let Some((what, operator, with)) = compared {
            return Atom::Counted { what, operator, with };
        }
        self.place(expr).unwrap_or(Atom::Unknown)
    }

    fn counted(&self, expr: &Expr) -> Option<Counted> {
        match &expr.kind {
            ExprKind::Len(channel) => self.messages(channel),
            ExprKind::RemoteLabel { proctype: RemoteProcess::All(proctype), label, .. } => {
                let claims = self.explorer.claims;
                let of_type = |(_, group): &(GroupId, &crate::claims::Group)| group.automaton == proctype.0;
                let groups = (0..).map(GroupId).zip(&claims.groups).filter(of_type).map(|(id, _)| id);
                let automaton = self.explorer.system.automata.get(proctype.0 as usize)?;
                Some(Counted::Standing(groups.collect(), number_of(automaton, label)))
            }
            _ => None,
        }
    }

    /// The buffer, if it is always the same one channel. (A variable that always holds one holds it at the start, so it is a global one; of a
    /// rendezvous channel nothing would ever change.)
    fn messages(&self, channel: &ChannelRef) -> Option<Counted> {
        let slot = constant_slot(&channel.place)?;
        let values = self.explorer.claims.globals.get(slot as usize)?;
        let [object] = values.channels[..] else { return None };
        let is_global =
            matches!(self.explorer.claims.objects[object.index()].place, ObjectPlace::Global { .. });
        let is_one = values.integers.is_empty() && is_global && !self.explorer.is_rendezvous(object);
        is_one.then_some(Counted::Messages(object))
    }

    /// `P@label`, if it is always the same process.
    fn place<'x>(&self, expr: &Expr) -> Option<Atom<'x>> {
        let ExprKind::RemoteLabel { proctype: RemoteProcess::Proctype(proctype), pid, label } = &expr.kind
        else {
            return None;
        };
        let claims = self.explorer.claims;
        let of_type =
            (0..).map(GroupId).zip(&claims.groups).filter(|(_, group)| group.automaton == proctype.0);
        let groups: Vec<GroupId> = match pid {
            None => of_type.map(|(id, _)| id).collect(),
            Some(pid) => {
                let ExprKind::Constant { value, .. } = pid.kind else { return None };
                of_type
                    .filter(|(_, group)| group.pid.single_integer() == Some(value))
                    .map(|(id, _)| id)
                    .collect()
            }
        };
        let [group] = groups[..] else { return None };
        let automaton = self.explorer.automaton(group);
        (self.tokens[group.index()] == Tokens::One)
            .then(|| Atom::At { group, number: number_of(automaton, label) })
    }

    /// Which values go together before and after the transition.
    pub fn pairs(&self, atom: &Atom<'_>, transition: &Transition) -> Result<Pairs, Refusal> {
        match atom {
            Atom::Unknown => Ok(Pairs::ALL),
            Atom::Globals { expr, slots } => {
                let stays = slots.iter().all(|&slot| self.stays(slot, transition));
                let before = self.values(expr, slots, transition, |step| step.from)?;
                let after = self.values(expr, slots, transition, |step| step.to)?;
                let mut pairs = Pairs::NONE;
                for was in [false, true].into_iter().filter(|&was| may_be(&before, was)) {
                    for is in [false, true].into_iter().filter(|&is| may_be(&after, is)) {
                        if was == is || !stays {
                            pairs.allow(was, is);
                        }
                    }
                }
                Ok(pairs)
            }
            Atom::At { group, number } => {
                let mut pairs = Pairs::NONE;
                match moves_of(transition, Component::Group(*group)) {
                    None => {
                        pairs.allow(false, false);
                        pairs.allow(true, true);
                    }
                    Some(step) => {
                        let stands = |node| self.stands(*group, node, *number);
                        for was in both_or(stands(step.from)) {
                            both_or(stands(step.to)).into_iter().for_each(|is| pairs.allow(was, is));
                        }
                    }
                }
                Ok(pairs)
            }
            Atom::Counted { what, operator, with } => {
                let Some((change, least)) = self.change(what, transition) else { return Ok(Pairs::ALL) };
                let holds = |number: i64| compares(*operator, number, *with);
                let mut pairs = Pairs::NONE;
                // Only around the number that it is compared with does anything change.
                let around = change.saturating_abs().saturating_add(1);
                let low = with.saturating_sub(around).max(least);
                let high = with.saturating_add(around).max(low);
                for number in [least].into_iter().chain(low..=high) {
                    let next = number.saturating_add(change);
                    if next >= 0 {
                        pairs.allow(holds(number), holds(next));
                    }
                }
                Ok(pairs)
            }
        }
    }

    /// By how much the transition changes a number, and the least that it is before; `None` if that is not known.
    fn change(&self, what: &Counted, transition: &Transition) -> Option<(i64, i64)> {
        match what {
            Counted::Messages(object) => {
                let message = transition.message.filter(|message| message.object == *object);
                let change = message.map_or(0, |message| i64::from(message.change));
                Some((change, if change < 0 { 1 } else { 0 }))
            }
            Counted::Standing(groups, number) => {
                let is_meant =
                    |component: Component| groups.iter().any(|group| component == Component::Group(*group));
                // Who is moved along, however many they are, stays at its location.
                let (mut before, mut after) = (0i64, 0i64);
                for step in transition.moves.iter().filter(|step| is_meant(step.component)) {
                    let Component::Group(group) = step.component else { continue };
                    before = before.saturating_add(i64::from(self.stands(group, step.from, *number)?));
                    after = after.saturating_add(i64::from(self.stands(group, step.to, *number)?));
                }
                for (places, count) in [(&transition.end, &mut before), (&transition.start, &mut after)] {
                    if let Some((group, node)) = *places
                        && groups.contains(&group)
                    {
                        *count = count.saturating_add(i64::from(self.stands(group, node, *number)?));
                    }
                }
                Some((after.saturating_sub(before), before))
            }
        }
    }

    /// Whether a process in the node stands at the location with the number; `None` inside a `d_step`, where nobody looks, so that any answer would do.
    fn stands(&self, group: GroupId, node: NodeId, number: Option<u32>) -> Option<bool> {
        let node = &self.explorer.claims.groups[group.index()].nodes[node.index()];
        match node.point {
            Point::At(location) => {
                let location = &self.explorer.automaton(group).locations[location as usize];
                Some(number == Some(location.number))
            }
            Point::Inside { .. } => None,
        }
    }

    /// All values of an expression, with what the nodes of the transition say of its slots.
    fn values(
        &self,
        expr: &Expr,
        slots: &[u32],
        transition: &Transition,
        side: impl Fn(&Move) -> NodeId,
    ) -> Result<Values, Refusal> {
        let claims = self.explorer.claims;
        let mut environment = Environment::new(&[], &claims.globals, &self.nobody);
        for &slot in slots {
            let mut values = environment.get(Frame::Global, slot);
            for step in &transition.moves {
                if let Some(known) = self.known(step.component, side(step), slot) {
                    values = values.intersection(&known);
                }
            }
            environment.set(Frame::Global, slot, values);
        }
        evaluates(self.explorer, &environment, expr)
    }

    /// What a node of a component says of a global slot.
    fn known(&self, component: Component, node: NodeId, slot: u32) -> Option<Values> {
        let claims = self.explorer.claims;
        match component {
            Component::Group(group) => {
                let globals = &claims.groups[group.index()].nodes[node.index()].globals;
                globals.iter().find(|entry| entry.slot == slot).map(|entry| entry.values.clone())
            }
            Component::Tracker(tracker) => {
                let tracker = claims.trackers.get(tracker.index())?;
                let position = tracker.slots.iter().position(|own| *own == slot)?;
                tracker.nodes[node.index()].get(position).cloned()
            }
        }
    }

    /// Whether the transition leaves a global slot as it is: some component always says what is in it, and does not move, or stays where only one
    /// value is possible. (Who writes a slot moves its trackers, R17, and those who list it, R18.)
    fn stays(&self, slot: u32, transition: &Transition) -> bool {
        let claims = self.explorer.claims;
        let trackers = (0..).map(crate::claims::TrackerId).zip(&claims.trackers);
        let trackers = trackers
            .filter(|(_, tracker)| tracker.slots.contains(&slot))
            .map(|(id, _)| Component::Tracker(id));
        let lists = |(id, group): &(GroupId, &crate::claims::Group)| {
            let lists = |node: &crate::claims::Node| node.globals.iter().any(|entry| entry.slot == slot);
            self.tokens[id.index()] == Tokens::One && group.nodes.iter().all(lists)
        };
        let groups = (0..).map(GroupId).zip(&claims.groups).filter(lists).map(|(id, _)| Component::Group(id));
        trackers.chain(groups).any(|component| match moves_of(transition, component) {
            None => true,
            Some(step) => {
                let one = self.known(component, step.from, slot).is_some_and(|known| known.count() == 1);
                step.from == step.to && one
            }
        })
    }
}

/// The move of a component with one token.
fn moves_of(transition: &Transition, component: Component) -> Option<&Move> {
    transition.moves.iter().find(|step| step.component == component)
}

fn both_or(known: Option<bool>) -> Vec<bool> {
    known.map_or(vec![false, true], |known| vec![known])
}

fn may_be(values: &Values, truth: bool) -> bool {
    match truth {
        true => super::super::evaluate::may_be_true(values),
        false => values.contains(0),
    }
}

/// SPIN's number of the location that a label names.
fn number_of(automaton: &Automaton, label: &str) -> Option<u32> {
    automaton.labels.iter().find(|(name, _)| name == label).map(|(_, number)| *number)
}

fn compares(operator: BinaryOp, left: i64, right: i64) -> bool {
    match operator {
        BinaryOp::Less => left < right,
        BinaryOp::LessEqual => left <= right,
        BinaryOp::Greater => left > right,
        BinaryOp::GreaterEqual => left >= right,
        BinaryOp::Equal => left == right,
        _ => left != right,
    }
}

#[cfg(test)]
mod tests {
    use super::{BinaryOp, compares};

    #[test]
    fn numbers_compare_as_they_should() {
        for (operator, expected) in [
            (BinaryOp::Less, [true, false, false]),
            (BinaryOp::LessEqual, [true, true, false]),
            (BinaryOp::Greater, [false, false, true]),
            (BinaryOp::GreaterEqual, [false, true, true]),
            (BinaryOp::Equal, [false, true, false]),
            (BinaryOp::NotEqual, [true, false, true]),
        ] {
            assert_eq!([1, 2, 3].map(|left| compares(operator, left, 2)), expected, "{operator:?}");
        }
    }
}
