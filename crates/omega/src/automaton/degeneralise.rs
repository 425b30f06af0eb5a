//! From several acceptance sets on edges to one set of accepting states.
//!
//! The usual counter of the sets visited so far, with three savings: the counter exists only inside accepting
//! components (a run that leaves one starts anew), it may jump over several sets on one edge, and a component is
//! entered on a level that it already has, if it has one (Babiak, Badie, Duret-Lutz, Křetínský, Strejček,
//! "Compositional approach to suspension and other improvements to LTL translation", SPIN 2013, section 5).

use std::collections::HashMap;

use crate::automaton::reduce::{reduce_state_based, trim};
use crate::automaton::{Automaton, Edge, single_mark};
use crate::index::{MarkId, MarkSet, StateId, TypedIndex};

/// An equivalent automaton with one acceptance set, which consists of all edges that leave the accepting states.
pub fn degeneralise(automaton: &Automaton) -> Automaton {
    let trimmed = trim(automaton);
    // Below two sets there is only one order.
    let orders: &[Order] =
        if trimmed.mark_count() < 2 { &[Order::Ascending] } else { &[Order::Ascending, Order::Descending] };
    orders
        .iter()
        .map(|&order| reduce_state_based(&count_levels(&trimmed, order)))
        .min_by_key(|candidate| (candidate.state_count(), candidate.edge_count()))
        .expect("there is at least one order")
}

/// In which order the sets are waited for. Any is right; which gives the smaller automaton depends.
#[derive(Clone, Copy)]
enum Order {
    Ascending,
    Descending,
}

fn count_levels(automaton: &Automaton, order: Order) -> Automaton {
    let levels = automaton.mark_count();
    let waiting_order: Vec<MarkId> = match order {
        Order::Ascending => (0..levels).map(MarkId::from_position).collect(),
        Order::Descending => (0..levels).rev().map(MarkId::from_position).collect(),
    };
    let components = automaton.components();
    let mut component_of = vec![0; automaton.state_count()];
    let mut kinds = Vec::with_capacity(components.len());
    for (index, component) in components.iter().enumerate() {
        for state in component {
            component_of[state.position()] = index;
        }
        kinds.push(kind_of(automaton, component));
    }
    let mut copies = Copies { numbers: HashMap::new(), list: Vec::new(), known_levels: HashMap::new() };
    let entry_level = |copies: &Copies, state: StateId| match kinds[component_of[state.position()]] {
        ComponentKind::Rejecting => 0,
        ComponentKind::AllAccepting => levels,
        ComponentKind::Mixed => copies.known_levels.get(&state).copied().unwrap_or(0),
    };
    let level = entry_level(&copies, automaton.initial());
    let initial = copies.intern(automaton.initial(), level);
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    while edges.len() < copies.list.len() {
        let (state, level) = copies.list[edges.len()];
        let accepting = level == levels && kinds[component_of[state.position()]] != ComponentKind::Rejecting;
        let marks = if accepting { single_mark(0) } else { MarkSet::new() };
        let mut outgoing = Vec::new();
        // Edges inside the component first, so that other edges can be sent to copies that are needed anyway.
        let (inner, outer): (Vec<&Edge>, Vec<&Edge>) = automaton
            .edges(state)
            .iter()
            .partition(|edge| component_of[edge.target.position()] == component_of[state.position()]);
        for edge in inner {
            let next = match kinds[component_of[state.position()]] {
                ComponentKind::Rejecting => 0,
                ComponentKind::AllAccepting => levels,
                ComponentKind::Mixed => {
                    let start = if level == levels { 0 } else { level };
                    let jumped =
                        waiting_order[start..].iter().take_while(|&&mark| edge.marks.contains(mark)).count();
                    start + jumped
                }
            };
            let target = copies.intern(edge.target, next);
            outgoing.push(Edge { target, label: edge.label.clone(), marks: marks.clone() });
        }
        for edge in outer {
            let next = entry_level(&copies, edge.target);
            let target = copies.intern(edge.target, next);
            outgoing.push(Edge { target, label: edge.label.clone(), marks: marks.clone() });
        }
        edges.push(outgoing);
    }
    Automaton::new(initial, 1, edges).expect("the copies are closed under successors")
}

struct Copies {
    numbers: HashMap<(StateId, usize), StateId>,
    list: Vec<(StateId, usize)>,
    known_levels: HashMap<StateId, usize>,
}

impl Copies {
    fn intern(&mut self, state: StateId, level: usize) -> StateId {
        let fresh = StateId::from_position(self.list.len());
        let number = *self.numbers.entry((state, level)).or_insert(fresh);
        if number == fresh {
            self.list.push((state, level));
            // The highest known level is the best to enter on: it is nearest to acceptance.
            let known = self.known_levels.entry(state).or_insert(level);
            *known = (*known).max(level);
        }
        number
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ComponentKind {
    /// No run that stays here is accepting.
    Rejecting,
    /// Every run that stays here is accepting, since every edge is in every set.
    AllAccepting,
    /// It depends on the edges taken.
    Mixed,
}

fn kind_of(automaton: &Automaton, component: &[StateId]) -> ComponentKind {
    let all = automaton.all_marks();
    let mut seen = MarkSet::new();
    let mut every = true;
    let mut inner_edges = 0;
    for &state in component {
        for edge in automaton.edges(state) {
            if component.binary_search(&edge.target).is_ok() {
                inner_edges += 1;
                every &= edge.marks == all;
                seen.union_with(&edge.marks);
            }
        }
    }
    match (inner_edges > 0 && seen == all, every) {
        (false, _) => ComponentKind::Rejecting,
        (true, true) => ComponentKind::AllAccepting,
        (true, false) => ComponentKind::Mixed,
    }
}
