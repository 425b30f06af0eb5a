//! Intersection, emptiness and equivalence of automata.

use std::collections::{HashMap, VecDeque};

use crate::automaton::{Automaton, Edge};
use crate::formula::lasso::Lasso;
use crate::index::{Letter, MarkId, MarkSet, StateId, TypedIndex};

/// The automaton that accepts what both accept: the reachable part of the product.
pub fn intersection(left: &Automaton, right: &Automaton) -> Automaton {
    let shift = left.mark_count();
    let start = (left.initial(), right.initial());
    let mut numbers = HashMap::from([(start, StateId(0))]);
    let mut pairs = vec![start];
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    while edges.len() < pairs.len() {
        let (first, second) = pairs[edges.len()];
        let mut outgoing = Vec::new();
        for one in left.edges(first) {
            for other in right.edges(second) {
                let Some(label) = one.label.and(&other.label) else { continue };
                let pair = (one.target, other.target);
                let target = *numbers.entry(pair).or_insert_with(|| {
                    pairs.push(pair);
                    StateId::from_position(pairs.len() - 1)
                });
                let mut marks = one.marks.clone();
                marks.union_with(
                    &other.marks.iter().map(|mark| MarkId::from_position(mark.position() + shift)).collect(),
                );
                outgoing.push(Edge { target, label, marks });
            }
        }
        edges.push(outgoing);
    }
    Automaton::new(StateId(0), shift + right.mark_count(), edges)
        .expect("the product is closed under successors")
}

/// A word that the automaton accepts, or nothing if it accepts none.
pub fn find_accepted_word(automaton: &Automaton) -> Option<Lasso> {
    let reachable = shortest_paths(automaton, automaton.initial(), |_| true);
    for component in automaton.components() {
        if !reachable.contains_key(&component[0]) && component[0] != automaton.initial() {
            continue;
        }
        let inside = |state: StateId| component.binary_search(&state).is_ok();
        let mut seen = MarkSet::new();
        let mut has_cycle = false;
        for &state in &component {
            for edge in automaton.edges(state).iter().filter(|edge| inside(edge.target)) {
                has_cycle = true;
                seen.union_with(&edge.marks);
            }
        }
        if !has_cycle || seen != automaton.all_marks() {
            continue;
        }
        let entry = component[0];
        let prefix = path_letters(automaton, &reachable, automaton.initial(), entry);
        let cycle = accepting_cycle(automaton, entry, inside);
        return Lasso::new(prefix, cycle);
    }
    None
}

/// A word on which exactly one of two languages contains it, where each language is given by an automaton and an
/// automaton for its complement (so no complementation is needed: an LTL formula and its negation give both).
/// Nothing means that the languages are equal.
///
/// The complements are trusted only as far as they go: [`Difference::NotComplementary`] reports a word that shows that
/// an automaton and its alleged complement overlap.
pub fn find_difference(
    left: (&Automaton, &Automaton),
    right: (&Automaton, &Automaton),
) -> Option<Difference> {
    if let Some(word) = find_accepted_word(&intersection(left.0, right.1)) {
        return Some(Difference::OnlyLeft(word));
    }
    if let Some(word) = find_accepted_word(&intersection(right.0, left.1)) {
        return Some(Difference::OnlyRight(word));
    }
    for (automaton, complement) in [left, right] {
        if let Some(word) = find_accepted_word(&intersection(automaton, complement)) {
            return Some(Difference::NotComplementary(word));
        }
    }
    None
}

/// How two languages differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// The left automaton accepts it, and so does the right complement.
    OnlyLeft(Lasso),
    /// The right automaton accepts it, and so does the left complement.
    OnlyRight(Lasso),
    /// An automaton and its alleged complement both accept it.
    NotComplementary(Lasso),
}

/// For each state that can be reached by at least one edge through states that `inside` admits: the last edge of a
/// shortest path.
fn shortest_paths(
    automaton: &Automaton,
    start: StateId,
    inside: impl Fn(StateId) -> bool,
) -> HashMap<StateId, (StateId, usize)> {
    let mut last = HashMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(state) = queue.pop_front() {
        for (index, edge) in automaton.edges(state).iter().enumerate() {
            if inside(edge.target) && !last.contains_key(&edge.target) {
                last.insert(edge.target, (state, index));
                queue.push_back(edge.target);
            }
        }
    }
    last
}

fn path_letters(
    automaton: &Automaton,
    last: &HashMap<StateId, (StateId, usize)>,
    start: StateId,
    end: StateId,
) -> Vec<Letter> {
    let mut letters = Vec::new();
    let mut state = end;
    while state != start {
        let (before, index) = last[&state];
        letters.push(automaton.edges(before)[index].label.smallest_letter());
        state = before;
    }
    letters.reverse();
    letters
}

/// A closed walk from `entry` inside an accepting component that takes an edge of every acceptance set.
fn accepting_cycle(automaton: &Automaton, entry: StateId, inside: impl Fn(StateId) -> bool) -> Vec<Letter> {
    let mut letters = Vec::new();
    let mut missing = automaton.all_marks();
    let mut current = entry;
    loop {
        // The nearest edge with a missing mark; when none is missing, the nearest edge that leads home.
        let done = missing.is_empty();
        let paths = shortest_paths(automaton, current, &inside);
        let mut queue = VecDeque::from([current]);
        let mut seen = std::collections::HashSet::from([current]);
        let mut found = None;
        'search: while let Some(state) = queue.pop_front() {
            for edge in automaton.edges(state).iter().filter(|edge| inside(edge.target)) {
                let wanted = if done { edge.target == entry } else { edge.marks.intersects(&missing) };
                if wanted {
                    found = Some((state, edge));
                    break 'search;
                }
                if seen.insert(edge.target) {
                    queue.push_back(edge.target);
                }
            }
        }
        let (state, edge) =
            found.expect("in a strongly connected accepting component every edge can be reached");
        letters.extend(path_letters(automaton, &paths, current, state));
        letters.push(edge.label.smallest_letter());
        missing.subtract(&edge.marks);
        current = edge.target;
        if missing.is_empty() && current == entry {
            return letters;
        }
    }
}
