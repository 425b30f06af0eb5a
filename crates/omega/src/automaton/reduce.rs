//! Makes automata smaller without changing what they accept.
//!
//! Three reductions, repeated while they help: states from which nothing is accepted go; acceptance sets that say
//! nothing new go (component by component, since a run ends up in one); and states and edges that another state or
//! edge of the same automaton can stand in for go (direct simulation).

use crate::automaton::cube::{Cube, is_covered};
use crate::automaton::{Automaton, Edge};
use crate::index::{BitSet, MarkId, MarkSet, StateId, TypedIndex};

/// An equivalent automaton that is no larger.
pub fn reduce(automaton: &Automaton) -> Automaton {
    let mut current = simplify_acceptance(&trim(automaton)).canonicalised();
    loop {
        let mut next = current.clone();
        for outside in [OutsideMarks::None, OutsideMarks::All] {
            next = simplify_acceptance(&trim(&simulate(&next, outside))).canonicalised();
        }
        if size(&next) >= size(&current) {
            return current;
        }
        current = next;
    }
}

/// As [`reduce`], for an automaton with one acceptance set made of all edges that leave certain states; keeps that
/// form.
pub fn reduce_state_based(automaton: &Automaton) -> Automaton {
    let mut current = restore_state_based(&trim(automaton)).canonicalised();
    loop {
        let mut next = current.clone();
        for outside in [OutsideMarks::None, OutsideMarks::All] {
            next = restore_state_based(&trim(&simulate(&next, outside))).canonicalised();
        }
        if size(&next) >= size(&current) {
            return current;
        }
        current = next;
    }
}

/// The states that can reach an accepting component, and the initial state.
pub fn trim(automaton: &Automaton) -> Automaton {
    let components = automaton.components();
    let mut productive = vec![false; automaton.state_count()];
    // Components come successors first, so what they can reach is known.
    for component in &components {
        let reaches = component
            .iter()
            .any(|&state| automaton.edges(state).iter().any(|edge| productive[edge.target.position()]));
        if reaches || is_accepting(automaton, component) {
            for state in component {
                productive[state.position()] = true;
            }
        }
    }
    if !productive[automaton.initial().position()] {
        return Automaton::empty();
    }
    let mut trimmed = automaton.clone();
    for (position, outgoing) in trimmed.edges_mut().iter_mut().enumerate() {
        outgoing.retain(|edge| productive[position] && productive[edge.target.position()]);
    }
    trimmed.canonicalised()
}

fn size(automaton: &Automaton) -> (usize, usize, usize, usize) {
    (
        automaton.state_count(),
        automaton.mark_count(),
        automaton.edge_count(),
        automaton.states().flat_map(|s| automaton.edges(s)).map(|edge| edge.label.literal_count()).sum(),
    )
}

/// Whether the component contains a cycle that visits all acceptance sets.
fn is_accepting(automaton: &Automaton, component: &[StateId]) -> bool {
    let mut seen = MarkSet::new();
    let mut inner_edges = 0;
    for edge in inner_edges_of(automaton, component) {
        inner_edges += 1;
        seen.union_with(&edge.marks);
    }
    inner_edges > 0 && seen == automaton.all_marks()
}

fn inner_edges_of<'a>(automaton: &'a Automaton, component: &'a [StateId]) -> impl Iterator<Item = &'a Edge> {
    component
        .iter()
        .flat_map(|&state| automaton.edges(state))
        .filter(|edge| component.binary_search(&edge.target).is_ok())
}

/// For each state, the number of its component, successors first.
fn component_numbers(automaton: &Automaton, components: &[Vec<StateId>]) -> Vec<usize> {
    let mut number = vec![0; automaton.state_count()];
    for (index, component) in components.iter().enumerate() {
        for state in component {
            number[state.position()] = index;
        }
    }
    number
}

/// Fewer acceptance sets. Afterwards edges between components have no marks, nor have edges of rejecting components.
fn simplify_acceptance(automaton: &Automaton) -> Automaton {
    let components = automaton.components();
    let number = component_numbers(automaton, &components);
    let accepting: Vec<bool> =
        components.iter().map(|component| is_accepting(automaton, component)).collect();
    let useful: Vec<Vec<MarkId>> = components
        .iter()
        .enumerate()
        .map(
            |(index, component)| {
                if accepting[index] { useful_marks(automaton, component) } else { Vec::new() }
            },
        )
        .collect();
    // Numbers are kept where that costs nothing, because equal numbers let simulation compare components.
    let mut union: Vec<MarkId> = useful.iter().flatten().copied().collect();
    union.sort();
    union.dedup();
    let needed = useful.iter().map(Vec::len).max().unwrap_or(0);
    let renumber = union.len() > needed;
    let has_rejecting_cycle = components
        .iter()
        .enumerate()
        .any(|(index, component)| !accepting[index] && inner_edges_of(automaton, component).next().is_some());
    let mark_count = needed.max(usize::from(has_rejecting_cycle));
    let mut simplified = automaton.clone();
    for (position, outgoing) in simplified.edges_mut().iter_mut().enumerate() {
        let component = number[position];
        for edge in outgoing {
            let inner = number[edge.target.position()] == component;
            if !inner || !accepting[component] {
                edge.marks = MarkSet::new();
                continue;
            }
            let names = if renumber { &useful[component] } else { &union };
            let here = &useful[component];
            edge.marks = (0..mark_count)
                .filter(|&new| match names.get(new) {
                    Some(old) => !here.contains(old) || edge.marks.contains(*old),
                    // A set that this component does not need is visited by all its edges.
                    None => true,
                })
                .map(MarkId::from_position)
                .collect();
        }
    }
    simplified.set_mark_count(mark_count);
    simplified
}

/// The acceptance sets of the component that the others do not imply.
fn useful_marks(automaton: &Automaton, component: &[StateId]) -> Vec<MarkId> {
    let edges: Vec<&Edge> = inner_edges_of(automaton, component).collect();
    let members: Vec<BitSet<StateId>> = (0..automaton.mark_count())
        .map(|mark| {
            let mark = MarkId::from_position(mark);
            (0..edges.len())
                .filter(|&index| edges[index].marks.contains(mark))
                .map(StateId::from_position)
                .collect()
        })
        .collect();
    (0..members.len())
        .filter(|&mark| {
            members[mark].len() < edges.len()
                && !members.iter().enumerate().any(|(other, set)| {
                    other != mark
                        && set.is_subset(&members[mark])
                        && (other < mark || !members[mark].is_subset(set))
                })
        })
        .map(MarkId::from_position)
        .collect()
}

/// Which marks to give to edges that leave their component. A run takes finitely many of them, so any will do; the
/// choice decides what simulation can compare.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OutsideMarks {
    None,
    All,
}

/// Beyond these sizes the quadratic simulation relation is not worth its time (it takes seconds).
const SIMULATION_STATE_LIMIT: usize = 600;
const SIMULATION_EDGE_LIMIT: usize = 2_000;

/// The quotient by mutual direct simulation, without the edges that another edge of the same state can stand in for.
///
/// A class of states is represented by the member whose component comes first in the order "successors first", with
/// that member's edges only. So no edge of the quotient goes back to an earlier component than it did before, and an
/// edge that left its component cannot become part of a cycle, whatever marks it has been given here.
fn simulate(automaton: &Automaton, outside: OutsideMarks) -> Automaton {
    let count = automaton.state_count();
    if count > SIMULATION_STATE_LIMIT || automaton.edge_count() > SIMULATION_EDGE_LIMIT {
        return automaton.clone();
    }
    let components = automaton.components();
    let number = component_numbers(automaton, &components);
    let mut adjusted = automaton.clone();
    let all = automaton.all_marks();
    for (position, outgoing) in adjusted.edges_mut().iter_mut().enumerate() {
        for edge in outgoing {
            if number[edge.target.position()] != number[position] {
                edge.marks = if outside == OutsideMarks::All { all.clone() } else { MarkSet::new() };
            }
        }
    }
    let above = simulation(&adjusted);
    let representative: Vec<StateId> = adjusted
        .states()
        .map(|state| {
            above[state.position()]
                .iter()
                .filter(|other| above[other.position()].contains(state))
                .min_by_key(|other| (number[other.position()], *other))
                .expect("every state simulates itself")
        })
        .collect();
    let mut quotient = adjusted.clone();
    for outgoing in quotient.edges_mut() {
        for edge in outgoing.iter_mut() {
            edge.target = representative[edge.target.position()];
        }
        outgoing.sort();
        outgoing.dedup();
        prune_edges(outgoing, &above);
    }
    quotient.set_initial(representative[automaton.initial().position()]);
    quotient.canonicalised()
}

/// Removes, one by one, edges that the remaining ones can stand in for.
fn prune_edges(outgoing: &mut Vec<Edge>, above: &[BitSet<StateId>]) {
    let mut index = outgoing.len();
    while index > 0 {
        index -= 1;
        let edge = &outgoing[index];
        let others: Vec<&Cube> = outgoing
            .iter()
            .enumerate()
            .filter(|(other, candidate)| *other != index && can_replace(candidate, edge, above))
            .map(|(_, candidate)| &candidate.label)
            .collect();
        if is_covered(&edge.label, others) {
            outgoing.remove(index);
        }
    }
}

fn can_replace(candidate: &Edge, edge: &Edge, above: &[BitSet<StateId>]) -> bool {
    edge.marks.is_subset(&candidate.marks) && above[edge.target.position()].contains(candidate.target)
}

/// For each state, the states that directly simulate it: letter by letter they can take an edge with at least the
/// same marks to a state that again simulates.
fn simulation(automaton: &Automaton) -> Vec<BitSet<StateId>> {
    let count = automaton.state_count();
    let mut above: Vec<BitSet<StateId>> = vec![BitSet::first(count); count];
    loop {
        let mut changed = false;
        for state in automaton.states() {
            let candidates: Vec<StateId> = above[state.position()].iter().collect();
            for candidate in candidates {
                if candidate == state {
                    continue;
                }
                let simulates = automaton.edges(state).iter().all(|edge| {
                    let matching = automaton
                        .edges(candidate)
                        .iter()
                        .filter(|other| can_replace(other, edge, &above))
                        .map(|other| &other.label);
                    is_covered(&edge.label, matching)
                });
                if !simulates {
                    above[state.position()].remove(candidate);
                    changed = true;
                }
            }
        }
        if !changed {
            return above;
        }
    }
}

/// Gives all edges of a state the same marks again after edges between components were given others.
fn restore_state_based(automaton: &Automaton) -> Automaton {
    let components = automaton.components();
    let number = component_numbers(automaton, &components);
    let mut restored = automaton.clone();
    restored.set_mark_count(1);
    let all = restored.all_marks();
    let accepting: Vec<bool> =
        components.iter().map(|component| is_accepting(automaton, component)).collect();
    for (position, outgoing) in restored.edges_mut().iter_mut().enumerate() {
        let marked = accepting[number[position]]
            && outgoing
                .iter()
                .any(|edge| number[edge.target.position()] == number[position] && edge.marks == all);
        for edge in outgoing {
            edge.marks = if marked { all.clone() } else { MarkSet::new() };
        }
    }
    restored
}
