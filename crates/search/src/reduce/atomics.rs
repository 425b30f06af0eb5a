//! How far an `atomic` gets: where it may have to wait for others, and where it surely does not.
//!
//! An `atomic` that has to wait gives up exclusive control, so whatever others do to a channel that it waits for changes what is one
//! step and what are two. Often it cannot have to wait: it begins with `nempty(c)` or `nfull(c)`, and the first receive
//! from or send to any channel after that is the one on `c`. As long as the process goes on without waiting nobody else moves,
//! so what the guard has found is still true there. This is computed for each location as the greatest fixed point of the
//! facts that hold on all ways to it: a guard adds facts, a receive ends all that a channel is not empty (other names may
//! be the same channel), a send all that one is not full, and a place where the process may have to wait ends all.

use crate::reduce::Footprints;
use promela::model::{BinaryOp, ChannelRef, Expr, ExprKind, Frame, ReceiveArgument};
use system::automaton::{Action, Automaton, EdgeId, LocationId, System};
use system::code::footprint::{Channels, Footprint};
use system::interpreter::Capacities;

/// For each automaton: where an `atomic` may have to wait.
#[derive(Debug)]
pub struct Atomics {
    may_wait: Vec<Vec<bool>>,
    certain: Vec<Vec<bool>>,
}

/// What a guard finds out about a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fact {
    NotEmpty(Variable),
    NotFull(Variable),
}

/// A variable of type `chan` that is no array and that the automaton does not write.
type Variable = (Frame, u32);

/// A set of facts, by their places in the list of an automaton.
type Facts = u64;

const MOST_FACTS: usize = Facts::BITS as usize;

impl Atomics {
    /// Looks at all automata. With rendezvous, where control goes from one process to another, nothing is certain.
    pub fn of(system: &System, capacities: Capacities, footprints: &Footprints) -> Atomics {
        let rendezvous = capacities == Capacities::Fixed(0)
            || system.model.channel_types.iter().any(|channel_type| channel_type.capacity == 0);
        let automata = system.automata.iter().zip(&footprints.edges);
        let flows: Vec<Flow> =
            automata.map(|(automaton, footprints)| Flow::of(automaton, footprints, rendezvous)).collect();
        let may_wait = system.automata.iter().zip(&flows).map(|(automaton, flow)| {
            let locations = (0..automaton.locations.len()).map(|index| LocationId(index as u32));
            locations.map(|location| flow.may_wait(automaton, location)).collect()
        });
        let certain = system.automata.iter().zip(&flows).map(|(automaton, flow)| {
            let edges = (0..automaton.edges.len()).map(|index| EdgeId(index as u32));
            edges.map(|edge| flow.is_certain(automaton, edge)).collect()
        });
        Atomics { may_wait: may_wait.collect(), certain: certain.collect() }
    }

    /// Whether a process with exclusive control may arrive at the location and have to wait there.
    pub fn may_wait(&self, automaton: usize, location: LocationId) -> bool {
        self.may_wait[automaton][location.0 as usize]
    }

    /// Whether the statement is a send or a receive that an `atomic` surely need not wait for.
    pub fn is_certain(&self, automaton: usize, edge: EdgeId) -> bool {
        self.certain[automaton][edge.0 as usize]
    }
}

struct Flow<'f> {
    footprints: &'f [Footprint],
    inside: Vec<bool>,
    known: Vec<Fact>,
    held: Vec<Facts>,
}

impl<'f> Flow<'f> {
    fn of(automaton: &Automaton, footprints: &'f [Footprint], rendezvous: bool) -> Flow<'f> {
        let mut inside = vec![false; automaton.locations.len()];
        for edge in automaton.edges.iter().filter(|edge| edge.atomic) {
            inside[edge.target.0 as usize] = true;
        }
        let mut known: Vec<Fact> = Vec::new();
        for edge in automaton.edges.iter().filter(|_| !rendezvous) {
            for fact in facts_of(&edge.action) {
                let (Fact::NotEmpty(variable) | Fact::NotFull(variable)) = fact;
                if known.len() < MOST_FACTS && !known.contains(&fact) && !is_written(footprints, variable) {
                    known.push(fact);
                }
            }
        }
        let mut flow = Flow { footprints, inside, known, held: vec![Facts::MAX; automaton.locations.len()] };
        flow.held[automaton.initial.0 as usize] = 0;
        loop {
            let mut changed = false;
            for (edge, footprint) in automaton.edges.iter().zip(footprints) {
                let kept = match edge.atomic && edge.escape == 0 {
                    true if flow.may_wait(automaton, edge.source) => flow.after(0, &edge.action, footprint),
                    true => flow.after(flow.held[edge.source.0 as usize], &edge.action, footprint),
                    false => 0,
                };
                let held = &mut flow.held[edge.target.0 as usize];
                changed |= *held & kept != *held;
                *held &= kept;
            }
            if !changed {
                return flow;
            }
        }
    }

    fn may_wait(&self, automaton: &Automaton, location: LocationId) -> bool {
        let goes_on =
            |edge: EdgeId| !self.footprints[edge.0 as usize].may_block || self.is_certain(automaton, edge);
        self.inside[location.0 as usize] && !automaton.location(location).edges.iter().copied().any(goes_on)
    }

    fn is_certain(&self, automaton: &Automaton, edge: EdgeId) -> bool {
        let edge = automaton.edge(edge);
        let needed = match &edge.action {
            Action::Send { channel, sorted: false, .. } => variable_of(channel).map(Fact::NotFull),
            Action::Receive { channel, random: false, arguments, .. } => {
                let takes_any = !arguments.iter().any(|a| matches!(a, ReceiveArgument::Match(_)));
                variable_of(channel).filter(|_| takes_any).map(Fact::NotEmpty)
            }
            _ => None,
        };
        let held = self.held[edge.source.0 as usize];
        needed.is_some_and(|fact| held & self.facts(|&known| known == fact) != 0)
    }

    fn after(&self, before: Facts, action: &Action, footprint: &Footprint) -> Facts {
        let used = |channels: &Channels| channels.others || !channels.known.is_empty();
        let found = facts_of(action);
        let mut facts = before | self.facts(|fact| found.contains(fact));
        if used(&footprint.sends) {
            facts &= !self.facts(|fact| matches!(fact, Fact::NotFull(_)));
        }
        if used(&footprint.receives) {
            facts &= !self.facts(|fact| matches!(fact, Fact::NotEmpty(_)));
        }
        facts
    }

    fn facts(&self, wanted: impl Fn(&Fact) -> bool) -> Facts {
        let wanted = self.known.iter().enumerate().filter(|(_, fact)| wanted(fact));
        wanted.fold(0, |facts, (index, _)| facts | 1 << index)
    }
}

fn facts_of(action: &Action) -> Vec<Fact> {
    let Action::Condition(guard) = action else { return Vec::new() };
    let fact = |kind: &ExprKind| match kind {
        ExprKind::NotEmpty(channel) => variable_of(channel).map(Fact::NotEmpty),
        ExprKind::NotFull(channel) => variable_of(channel).map(Fact::NotFull),
        _ => None,
    };
    conjuncts(guard).into_iter().filter_map(|conjunct| fact(&conjunct.kind)).collect()
}

/// The components of a condition that must all hold.
fn conjuncts(condition: &Expr) -> Vec<&Expr> {
    match &condition.kind {
        ExprKind::Binary(BinaryOp::And, left, right) => [conjuncts(left), conjuncts(right)].concat(),
        _ => vec![condition],
    }
}

fn variable_of(channel: &ChannelRef) -> Option<Variable> {
    let place = &channel.place;
    place.indices.is_empty().then_some((place.frame, place.base))
}

fn is_written(footprints: &[Footprint], (frame, slot): Variable) -> bool {
    footprints.iter().any(|footprint| match frame {
        Frame::Global => footprint.writes.contains(slot),
        Frame::Local => footprint.local_writes.contains(slot),
    })
}
