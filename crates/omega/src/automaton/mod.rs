//! Transition-based generalised Büchi automata.
//!
//! An [`Automaton`] reads an infinite word of letters (sets of propositions) from its initial state. Each edge carries
//! a [`Cube`] that the letter must satisfy and the acceptance sets it belongs to; a run is accepting if it takes edges
//! of every set again and again. With no sets every infinite run is accepting. A plain Büchi automaton is one with a
//! single set; [`Automaton::is_state_based`] says whether that set consists of all edges that leave some states.

pub mod cube;
pub mod degeneralise;
pub mod emptiness;
mod obligation;
pub mod reduce;
pub mod translate;

use crate::automaton::cube::{Cube, is_covered, minimise_cover};
use crate::component::strongly_connected_components;
use crate::formula::lasso::Lasso;
use crate::index::{BitSet, Letter, MarkId, MarkSet, NodeId, StateId, TypedIndex};

/// One way on from a state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// Where it leads.
    pub target: StateId,
    /// What the letter must satisfy.
    pub label: Cube,
    /// The acceptance sets that the edge belongs to.
    pub marks: MarkSet,
}

/// A transition-based generalised Büchi automaton.
///
/// Invariants: there is an initial state; every edge leads to a state; every mark is below `mark_count`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    initial: StateId,
    mark_count: usize,
    edges: Vec<Vec<Edge>>,
}

/// Why something is not an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AutomatonError {
    /// The initial state is not one of the states.
    NoInitialState,
    /// An edge of this state leads nowhere.
    DanglingEdge(StateId),
    /// An edge of this state is in an acceptance set that does not exist.
    UnknownMark(StateId),
}

impl std::fmt::Display for AutomatonError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AutomatonError::NoInitialState => formatter.write_str("the initial state does not exist"),
            AutomatonError::DanglingEdge(state) => {
                write!(formatter, "an edge of state {} leads to a state that does not exist", state.0)
            }
            AutomatonError::UnknownMark(state) => {
                write!(formatter, "an edge of state {} is in an acceptance set that does not exist", state.0)
            }
        }
    }
}

impl std::error::Error for AutomatonError {}

impl Automaton {
    /// An automaton from its parts: `edges[s]` are the edges of state `s`.
    pub fn new(
        initial: StateId,
        mark_count: usize,
        edges: Vec<Vec<Edge>>,
    ) -> Result<Automaton, AutomatonError> {
        if initial.position() >= edges.len() {
            return Err(AutomatonError::NoInitialState);
        }
        let all_marks = MarkSet::first(mark_count);
        for (position, outgoing) in edges.iter().enumerate() {
            let state = StateId::from_position(position);
            for edge in outgoing {
                if edge.target.position() >= edges.len() {
                    return Err(AutomatonError::DanglingEdge(state));
                }
                if !edge.marks.is_subset(&all_marks) {
                    return Err(AutomatonError::UnknownMark(state));
                }
            }
        }
        Ok(Automaton { initial, mark_count, edges })
    }

    /// The automaton that accepts nothing: one state without edges.
    pub fn empty() -> Automaton {
        Automaton { initial: StateId(0), mark_count: 0, edges: vec![Vec::new()] }
    }

    /// The automaton that accepts every word.
    pub fn universal() -> Automaton {
        let edge = Edge { target: StateId(0), label: Cube::top(), marks: MarkSet::new() };
        Automaton { initial: StateId(0), mark_count: 0, edges: vec![vec![edge]] }
    }

    /// The state in which every run starts.
    pub fn initial(&self) -> StateId {
        self.initial
    }

    /// The number of acceptance sets.
    pub fn mark_count(&self) -> usize {
        self.mark_count
    }

    /// All acceptance sets.
    pub fn all_marks(&self) -> MarkSet {
        MarkSet::first(self.mark_count)
    }

    /// The number of states.
    pub fn state_count(&self) -> usize {
        self.edges.len()
    }

    /// The number of edges, each with one cube.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// The number of edges when edges with equal ends and marks, whose cubes form a disjunction, count as one. This
    /// is the number of `goto`s of the never claim.
    pub fn transition_count(&self) -> usize {
        self.edges
            .iter()
            .map(|outgoing| {
                let mut ends: Vec<_> = outgoing.iter().map(|edge| (edge.target, &edge.marks)).collect();
                ends.sort();
                ends.dedup();
                ends.len()
            })
            .sum()
    }

    /// The states, in order.
    pub fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.edges.len()).map(StateId::from_position)
    }

    /// The edges that leave a state.
    pub fn edges(&self, state: StateId) -> &[Edge] {
        &self.edges[state.position()]
    }

    /// The moves that a search needs to follow from a state under a letter: of several edges to one target, those
    /// whose marks are not a subset of another's. (The conjunction of n formulas `[]<>p` has 2^n edges, of which a
    /// letter allows many but only one is needed.)
    pub fn moves(&self, state: StateId, letter: &Letter) -> Vec<(StateId, &MarkSet)> {
        let mut moves: Vec<(StateId, &MarkSet)> = Vec::new();
        for edge in self.edges(state).iter().filter(|edge| edge.label.accepts(letter)) {
            let is_better =
                |(target, marks): &(StateId, &MarkSet)| *target == edge.target && edge.marks.is_subset(marks);
            if moves.iter().any(is_better) {
                continue;
            }
            moves.retain(|(target, marks)| *target != edge.target || !marks.is_subset(&edge.marks));
            moves.push((edge.target, &edge.marks));
        }
        moves
    }

    /// Whether membership in an acceptance set is a matter of the state that is left, for all edges and sets.
    pub fn is_state_based(&self) -> bool {
        self.edges.iter().all(|outgoing| outgoing.windows(2).all(|pair| pair[0].marks == pair[1].marks))
    }

    /// The acceptance sets that all edges of the state belong to (all sets, if it has no edges).
    pub fn state_marks(&self, state: StateId) -> MarkSet {
        let mut common = self.all_marks();
        for edge in self.edges(state) {
            common.intersect_with(&edge.marks);
        }
        common
    }

    /// Whether no state has two edges that one letter satisfies.
    pub fn is_deterministic(&self) -> bool {
        self.edges.iter().all(|outgoing| {
            outgoing.iter().enumerate().all(|(position, first)| {
                outgoing[position + 1..].iter().all(|second| !first.label.is_compatible(&second.label))
            })
        })
    }

    /// The strongly connected components, successors before predecessors; each in ascending order of states.
    pub fn components(&self) -> Vec<Vec<StateId>> {
        let components = strongly_connected_components(self.edges.len(), |node, successors| {
            successors.extend(self.edges[node.position()].iter().map(|edge| NodeId(edge.target.0)));
        });
        components
            .into_iter()
            .map(|component| component.into_iter().map(|node| StateId(node.0)).collect())
            .collect()
    }

    /// The states from which every word is accepted: those that can be followed for ever, whatever is read, each time along an edge of all
    /// acceptance sets, and those from which every letter leads to one. There may be others; a never claim calls such a state `accept_all`.
    pub fn universal_states(&self) -> BitSet<StateId> {
        let all = self.all_marks();
        let always_leads_to = |state: StateId, wanted: &BitSet<StateId>, marks: &MarkSet| {
            let edges = self.edges(state).iter();
            let onward = edges.filter(|edge| wanted.contains(edge.target) && marks.is_subset(&edge.marks));
            is_covered(&Cube::top(), onward.map(|edge| &edge.label))
        };
        let mut universal: BitSet<StateId> = self.states().collect();
        loop {
            let fewer: BitSet<StateId> =
                universal.iter().filter(|&state| always_leads_to(state, &universal, &all)).collect();
            if fewer == universal {
                break;
            }
            universal = fewer;
        }
        let none = MarkSet::new();
        loop {
            let more =
                |&state: &StateId| !universal.contains(state) && always_leads_to(state, &universal, &none);
            let Some(state) = self.states().find(more) else { return universal };
            universal.insert(state);
        }
    }

    /// Whether some run over the word is accepting.
    pub fn accepts(&self, word: &Lasso) -> bool {
        self.accepts_from(self.initial, word)
    }

    /// Whether some run over the word that starts in the given state is accepting.
    pub fn accepts_from(&self, start: StateId, word: &Lasso) -> bool {
        let positions = word.position_count();
        let node = |state: StateId, position: usize| state.position() * positions + position;
        let moves = |node: NodeId| {
            let (state, position) = (node.position() / positions, node.position() % positions);
            let letter: &Letter = word.letter(position);
            let next = word.successor(position);
            self.edges[state]
                .iter()
                .filter(|edge| edge.label.accepts(letter))
                .map(move |edge| (edge.target.position() * positions + next, &edge.marks))
        };
        let total = self.edges.len() * positions;
        let mut reachable = vec![false; total];
        let mut pending = vec![node(start, 0)];
        reachable[pending[0]] = true;
        while let Some(current) = pending.pop() {
            for (target, _) in moves(NodeId::from_position(current)) {
                if !std::mem::replace(&mut reachable[target], true) {
                    pending.push(target);
                }
            }
        }
        let components = strongly_connected_components(total, |node, successors| {
            successors.extend(moves(node).map(|(target, _)| NodeId::from_position(target)));
        });
        components.iter().filter(|component| reachable[component[0].position()]).any(|component| {
            let members: BitSet<NodeId> = component.iter().copied().collect();
            let mut seen = MarkSet::new();
            let mut inner_edges = 0;
            for &member in component {
                for (target, marks) in moves(member) {
                    if members.contains(NodeId::from_position(target)) {
                        inner_edges += 1;
                        seen.union_with(marks);
                    }
                }
            }
            inner_edges > 0 && seen == self.all_marks()
        })
    }

    /// The same automaton with only the states that are reachable, numbered in the order of a breadth-first search
    /// over sorted edges, with edges sorted and the cubes between two states minimised.
    pub fn canonicalised(&self) -> Automaton {
        let mut tidy: Vec<Vec<Edge>> = self.edges.iter().map(|outgoing| merge_labels(outgoing)).collect();
        let mut order = vec![self.initial];
        let mut number = vec![None; self.edges.len()];
        number[self.initial.position()] = Some(StateId(0));
        let mut next = 0;
        while next < order.len() {
            for edge in &tidy[order[next].position()] {
                let slot = &mut number[edge.target.position()];
                if slot.is_none() {
                    *slot = Some(StateId::from_position(order.len()));
                    order.push(edge.target);
                }
            }
            next += 1;
        }
        let edges = order
            .iter()
            .map(|state| {
                let mut outgoing = std::mem::take(&mut tidy[state.position()]);
                for edge in &mut outgoing {
                    edge.target =
                        number[edge.target.position()].expect("targets of reachable states are reachable");
                }
                outgoing.sort();
                outgoing
            })
            .collect();
        Automaton { initial: StateId(0), mark_count: self.mark_count, edges }
    }

    pub(crate) fn edges_mut(&mut self) -> &mut Vec<Vec<Edge>> {
        &mut self.edges
    }

    pub(crate) fn set_mark_count(&mut self, count: usize) {
        self.mark_count = count;
    }

    pub(crate) fn set_initial(&mut self, state: StateId) {
        self.initial = state;
    }
}

/// Whether some run of the automaton over the word is accepting.
pub fn accepts_lasso(automaton: &Automaton, word: &Lasso) -> bool {
    automaton.accepts(word)
}

/// The edges with, for each target and marks, a minimal union of cubes. An edge whose marks are a subset of those of
/// another edge to the same target is not needed where the other applies, which the cover takes into account.
fn merge_labels(outgoing: &[Edge]) -> Vec<Edge> {
    let mut ends: Vec<(StateId, MarkSet)> =
        outgoing.iter().map(|edge| (edge.target, edge.marks.clone())).collect();
    ends.sort_by_key(|(target, marks)| (*target, std::cmp::Reverse(marks.len()), marks.clone()));
    ends.dedup();
    let mut result: Vec<Edge> = Vec::new();
    for (target, marks) in ends {
        let cubes: Vec<Cube> = outgoing
            .iter()
            .filter(|edge| edge.target == target && edge.marks == marks)
            .map(|edge| edge.label.clone())
            .collect();
        let better: Vec<Cube> = result
            .iter()
            .filter(|edge| edge.target == target && marks.is_subset(&edge.marks))
            .map(|edge| edge.label.clone())
            .collect();
        let useful: Vec<Cube> = cubes.into_iter().filter(|cube| !is_covered(cube, &better)).collect();
        result.extend(minimise_cover(&useful).into_iter().map(|label| Edge {
            target,
            label,
            marks: marks.clone(),
        }));
    }
    result
}

/// The marks of one set.
pub(crate) fn single_mark(mark: usize) -> MarkSet {
    std::iter::once(MarkId::from_position(mark)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::translate::{TranslationLimits, translate};
    use crate::formula::PropositionTable;
    use crate::formula::parse::{Syntax, parse_formula};

    #[test]
    fn of_many_edges_to_one_target_a_search_follows_the_best() {
        let mut table = PropositionTable::new();
        let formula = parse_formula("[]<>p && []<>q && []<>r", Syntax::LtlBlock, &mut table).unwrap();
        let automaton = translate(&formula, TranslationLimits::default()).unwrap();
        assert_eq!((automaton.state_count(), automaton.mark_count(), automaton.edge_count()), (1, 3, 8));
        for letter in 0..8u64 {
            let moves = automaton.moves(automaton.initial(), &Letter::from_low_word(letter));
            assert_eq!(moves.len(), 1);
            assert_eq!(moves[0].1.len(), letter.count_ones() as usize);
        }
    }

    #[test]
    fn a_state_is_universal_if_nothing_that_follows_is_rejected() {
        let count = |text: &str| {
            let formula = parse_formula(text, Syntax::LtlBlock, &mut PropositionTable::new()).unwrap();
            let automaton = translate(&formula, TranslationLimits::default()).unwrap();
            let universal = automaton.universal_states();
            (automaton.state_count(), universal.len(), universal.contains(automaton.initial()))
        };
        assert_eq!(count("true"), (1, 1, true));
        assert_eq!(count("<>p"), (2, 1, false));
        assert_eq!(count("<>(p && X q)"), (3, 1, false));
        assert_eq!(count("p U q"), (2, 1, false));
        assert_eq!(count("X X true"), (1, 1, true));
        assert_eq!(count("p"), (2, 1, false));
        for never in ["[]p", "[]<>p", "<>[]p", "[](p -> <>q)", "<>p && []<>q", "false"] {
            assert_eq!(count(never).1, 0, "{never}");
        }
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let edge =
            |target, mark| Edge { target: StateId(target), label: Cube::top(), marks: single_mark(mark) };
        let build = |initial, edges| Automaton::new(StateId(initial), 1, edges);
        assert_eq!(build(1, vec![vec![]]), Err(AutomatonError::NoInitialState));
        assert_eq!(build(0, vec![vec![edge(1, 0)]]), Err(AutomatonError::DanglingEdge(StateId(0))));
        assert_eq!(build(0, vec![vec![edge(0, 1)]]), Err(AutomatonError::UnknownMark(StateId(0))));
        assert!(build(0, vec![vec![edge(0, 0)]]).is_ok());
    }

    #[test]
    fn obligations_become_deterministic() {
        for text in ["<>r -> (!p U r)", "[](q -> []p)", "<>p", "[]!q || <>(q && <>p)"] {
            let formula = parse_formula(text, Syntax::LtlBlock, &mut PropositionTable::new()).unwrap();
            assert!(translate(&formula, TranslationLimits::default()).unwrap().is_deterministic(), "{text}");
        }
    }
}
