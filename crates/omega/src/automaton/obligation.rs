//! Minimal deterministic automata for obligations.
//!
//! Most properties that people write (safety, guarantee, and combinations of them) are obligations: they have a weak
//! deterministic Büchi automaton, and a unique minimal one, which is often smaller than what a tableau leaves and
//! splits fewer ways in a product. The construction is that of Dax, Eisinger and Klaedtke ("Mechanizing the powerset
//! construction for restricted classes of ω-automata", ATVA 2007): determinise by subsets, find out for each
//! component by one word whether it accepts, minimise (Löding), and then *check* the result. The check decides, so
//! nothing depends on whether the formula was an obligation.

use std::collections::HashMap;

use crate::automaton::cube::Cube;
use crate::automaton::emptiness::{find_accepted_word, intersection};
use crate::automaton::reduce::trim;
use crate::automaton::{Automaton, Edge, single_mark};
use crate::component::strongly_connected_components;
use crate::formula::lasso::Lasso;
use crate::index::{BitSet, Letter, MarkSet, NodeId, PropositionId, StateId, TypedIndex};

/// The most propositions: letters are enumerated.
const MAXIMUM_PROPOSITIONS: usize = 6;

/// Beyond this number of subsets the construction is given up; such automata gain nothing from it.
const MAXIMUM_SUBSETS: usize = 256;

/// The minimal weak deterministic automaton of a language, given with its complement; nothing if the language has
/// none, or it would be too large.
pub(crate) fn minimal_weak_automaton(automaton: &Automaton, complement: &Automaton) -> Option<Automaton> {
    let propositions = propositions_of(automaton)?;
    let letters = letters_over(&propositions);
    let subsets = Subsets::new(automaton, &letters)?;
    let accepting = subsets.accepting_states(automaton, &letters);
    let (class_of, class_count) = minimise(&subsets.successors, &accepting);
    let weak = |flip: bool| {
        let mut edges: Vec<Option<Vec<Edge>>> = vec![None; class_count];
        for (position, class) in class_of.iter().enumerate() {
            if edges[*class].is_some() {
                continue;
            }
            let marks = if accepting[position] != flip { single_mark(0) } else { MarkSet::new() };
            let outgoing = subsets.successors[position].iter().zip(&letters).map(|(&target, letter)| Edge {
                target: StateId::from_position(class_of[target]),
                label: minterm(letter, &propositions),
                marks: marks.clone(),
            });
            edges[*class] = Some(outgoing.collect());
        }
        let edges = edges.into_iter().map(Option::unwrap_or_default).collect();
        Automaton::new(StateId::from_position(class_of[0]), 1, edges)
            .expect("classes of successors are classes")
            .canonicalised()
    };
    let candidate = weak(false);
    let is_right = find_accepted_word(&intersection(&candidate, complement)).is_none()
        && find_accepted_word(&intersection(&weak(true), automaton)).is_none();
    is_right.then(|| trim(&candidate))
}

fn propositions_of(automaton: &Automaton) -> Option<Vec<PropositionId>> {
    let mut used = Letter::new();
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            used.union_with(edge.label.positive());
            used.union_with(edge.label.negative());
        }
    }
    (used.len() <= MAXIMUM_PROPOSITIONS).then(|| used.iter().collect())
}

fn letters_over(propositions: &[PropositionId]) -> Vec<Letter> {
    (0..1u32 << propositions.len())
        .map(|bits| {
            propositions
                .iter()
                .enumerate()
                .filter(|(index, _)| bits >> index & 1 == 1)
                .map(|(_, &proposition)| proposition)
                .collect()
        })
        .collect()
}

fn minterm(letter: &Letter, propositions: &[PropositionId]) -> Cube {
    let negative =
        propositions.iter().copied().filter(|&proposition| !letter.contains(proposition)).collect();
    Cube::new(letter.clone(), negative).expect("a proposition is in the letter or not")
}

/// The deterministic automaton of the reachable sets of states; set 0 is the initial one.
struct Subsets {
    sets: Vec<BitSet<StateId>>,
    /// By set, then by letter.
    successors: Vec<Vec<usize>>,
}

impl Subsets {
    fn new(automaton: &Automaton, letters: &[Letter]) -> Option<Subsets> {
        let initial: BitSet<StateId> = std::iter::once(automaton.initial()).collect();
        let mut numbers = HashMap::from([(initial.clone(), 0)]);
        let mut sets = vec![initial];
        let mut successors: Vec<Vec<usize>> = Vec::new();
        while successors.len() < sets.len() {
            if sets.len() > MAXIMUM_SUBSETS {
                return None;
            }
            let members: Vec<StateId> = sets[successors.len()].iter().collect();
            let row = letters
                .iter()
                .map(|letter| {
                    let next: BitSet<StateId> = members
                        .iter()
                        .flat_map(|&state| automaton.edges(state))
                        .filter(|edge| edge.label.accepts(letter))
                        .map(|edge| edge.target)
                        .collect();
                    *numbers.entry(next).or_insert_with_key(|next| {
                        sets.push(next.clone());
                        sets.len() - 1
                    })
                })
                .collect();
            successors.push(row);
        }
        Some(Subsets { sets, successors })
    }

    /// Which sets to call accepting: those in components of which a sample cycle is accepted, and the sets that lie on
    /// no cycle as makes the minimal automaton canonical (Löding, "Efficient minimization of deterministic weak
    /// ω-automata", 2001: the largest colouring that fits, where even colours accept).
    fn accepting_states(&self, automaton: &Automaton, letters: &[Letter]) -> Vec<bool> {
        let components = strongly_connected_components(self.sets.len(), |node, list| {
            list.extend(self.successors[node.position()].iter().map(|&target| NodeId::from_position(target)));
        });
        let top = 2 * self.sets.len();
        let mut colour = vec![top; self.sets.len()];
        // Successors come first, so their colours are final.
        for component in components {
            let inside = |position: usize| component.binary_search(&NodeId::from_position(position)).is_ok();
            let bound = component
                .iter()
                .flat_map(|node| &self.successors[node.position()])
                .filter(|&&target| !inside(target))
                .map(|&target| colour[target])
                .min()
                .unwrap_or(top);
            let entry = component[0].position();
            let chosen = match self.sample_cycle(entry, inside) {
                None => bound,
                Some(word) => {
                    let letters = word.iter().map(|&index| letters[index].clone()).collect();
                    let word = Lasso::new(Vec::new(), letters).expect("a cycle is not empty");
                    let accepts = self.sets[entry].iter().any(|state| automaton.accepts_from(state, &word));
                    if (bound % 2 == 0) == accepts { bound } else { bound - 1 }
                }
            };
            for node in &component {
                colour[node.position()] = chosen;
            }
        }
        colour.into_iter().map(|colour| colour % 2 == 0).collect()
    }

    /// The letters of a shortest cycle through `entry` inside its component.
    fn sample_cycle(&self, entry: usize, inside: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
        let mut arrived_by: HashMap<usize, (usize, usize)> = HashMap::new();
        let mut queue = std::collections::VecDeque::from([entry]);
        while let Some(position) = queue.pop_front() {
            for (letter, &target) in self.successors[position].iter().enumerate() {
                if !inside(target) || arrived_by.contains_key(&target) {
                    continue;
                }
                arrived_by.insert(target, (position, letter));
                if target == entry {
                    let mut word = Vec::new();
                    let mut at = entry;
                    loop {
                        let (before, letter) = arrived_by[&at];
                        word.push(letter);
                        at = before;
                        if at == entry {
                            word.reverse();
                            return Some(word);
                        }
                    }
                }
                queue.push_back(target);
            }
        }
        None
    }
}

/// Moore's refinement: the class of each state, and the number of classes.
fn minimise(successors: &[Vec<usize>], accepting: &[bool]) -> (Vec<usize>, usize) {
    let mut class_of: Vec<usize> = accepting.iter().map(|&accepts| usize::from(accepts)).collect();
    let mut class_count = 0;
    loop {
        let mut classes: HashMap<(usize, Vec<usize>), usize> = HashMap::new();
        let mut refined = Vec::with_capacity(class_of.len());
        for (position, row) in successors.iter().enumerate() {
            let signature = (class_of[position], row.iter().map(|&target| class_of[target]).collect());
            let fresh = classes.len();
            refined.push(*classes.entry(signature).or_insert(fresh));
        }
        class_of = refined;
        if classes.len() == class_count {
            return (class_of, class_count);
        }
        class_count = classes.len();
    }
}
