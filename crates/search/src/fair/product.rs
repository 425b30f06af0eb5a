//! The product of a state space and the automaton of a negated formula.
//!
//! Nodes are pairs of a state and an automaton's state; the automaton reads the propositions of the state that a move
//! leaves. Breadth first, so that counterexamples are short, later by turns depth first, so that long loops are found too;
//! whenever the product has grown much, what was explored so far is asked for a fair accepting component ([`super::decide`]), so that one is found without exploring everything.
//! A component of the explored part is one of the whole, so what is found early is as real as what is found at the end.

use super::decide::{Component, Graph, GraphEdge, find_component};
use super::space::{Expansion, Problem, Space, StateNumber};
use crate::budget::{Account, Budget, bytes_of_small};
use crate::options::Limits;
use crate::report::StopReason;
use foldhash::{HashMap, HashMapExt};
use omega::{Automaton, BitSet, Fairness, Letter, MarkSet, ProcessSet, StateId, TypedIndex};
use std::collections::VecDeque;
use std::ops::Range;
use system::clock::Instant;
use system::control::{Control, Status};
use system::interpreter::RuntimeError;

/// The size at which the product is first asked for a counterexample.
const FIRST_LOOK: usize = 256;
/// So many nodes are expanded from one end before the other end has its turn.
const BREADTH: usize = 2048;

/// What was found.
#[derive(Clone, Debug)]
pub enum Found {
    /// Some run violates the formula: these nodes can be visited again and again, accepting and fairly.
    Component(Component),
    /// Some run violates it whatever follows: this is the node of its last state.
    BadPrefix(u32),
    /// Everything was explored and there is no such run.
    Nothing,
    /// A limit was reached.
    Stopped(StopReason),
}

/// The explored part of a state space; several products can share it.
pub struct Explored<S> {
    /// Where the states come from.
    pub space: S,
    /// For each expanded state what is known; indexed by state number.
    states: Vec<Option<Known>>,
    moves: Vec<KnownMove>,
    letters: Numbered<Letter>,
    sets: Numbered<ProcessSet>,
    changes: Numbered<Vec<(u32, bool)>>,
    expanded: u64,
    /// There once it is searched.
    account: Option<Account>,
    /// The first thing that went wrong.
    pub problem: Option<(StateNumber, Problem)>,
}

#[derive(Clone, Copy)]
struct Known {
    enabled: u32,
    first_move: u32,
    moves: u32,
}

/// A move as it is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
struct KnownMove {
    target: u32,
    actors: u32,
    changes: u32,
    letter: u32,
}

/// The product and how far it was explored.
pub struct Product<'a> {
    automaton: &'a Automaton,
    /// The automaton's states from which everything is accepted, if a way to one of them is enough.
    universal: BitSet<StateId>,
    /// The first node in which the automaton can go to such a state.
    bad_prefix: Option<u32>,
    nodes: Vec<(u32, u32)>,
    numbers: HashMap<(u32, u32), u32>,
    /// The first so many nodes are initial.
    initial: u32,
    /// Which edges leave each node; none before it is expanded.
    ranges: Vec<Range<usize>>,
    /// Nodes that are not expanded yet, in the order in which they were met.
    pending: VecDeque<u32>,
    expanded: usize,
    edges: Vec<GraphEdge>,
    marks: Numbered<MarkSet>,
    /// The automaton's moves by letter and state.
    automaton_moves: HashMap<(u32, u32), Vec<(u32, u32)>>,
    /// There once it is searched.
    account: Option<Account>,
}

/// In which order nodes are expanded. The search goes through these by turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// In the order in which they were met, so that what is near is found.
    Broad,
    /// The last met first, so that long loops close before everything at their depth is met; of several successors always the
    /// last, which mostly is the same process's: alone it comes back to where it was.
    DeepWithOne,
    /// The same with another process each time, as fair loops want it.
    DeepByTurns,
}

/// Values by number, each kept once.
pub struct Numbered<T> {
    values: Vec<T>,
    numbers: HashMap<T, u32>,
    /// Of what the values have beside themselves.
    bytes: usize,
}

/// A value whose bytes can be told.
pub trait Weighed {
    /// Bytes of memory beside the value itself.
    fn bytes_beside(&self) -> usize;
}

impl<I: TypedIndex> Weighed for BitSet<I> {
    fn bytes_beside(&self) -> usize {
        self.bytes()
    }
}

impl<T> Weighed for Vec<T> {
    fn bytes_beside(&self) -> usize {
        self.capacity() * size_of::<T>()
    }
}

impl<T: Clone + Eq + std::hash::Hash + Weighed> Numbered<T> {
    pub(super) fn new() -> Self {
        Numbered { values: Vec::new(), numbers: HashMap::new(), bytes: 0 }
    }

    /// Bytes of memory in use, also while a table is copied to a larger place.
    fn memory(&self) -> usize {
        let places = self.values.capacity() * size_of::<T>();
        places + self.bytes + 3 * self.numbers.capacity() * (size_of::<(T, u32)>() + 1) * 8 / 7
    }

    pub(super) fn number(&mut self, value: &T) -> u32 {
        if let Some(&number) = self.numbers.get(value) {
            return number;
        }
        let number = self.values.len() as u32;
        self.values.push(value.clone());
        self.numbers.insert(value.clone(), number);
        self.bytes += 2 * bytes_of_small(value.bytes_beside());
        number
    }

    /// The value with this number.
    pub fn get(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.values.len()
    }
}

impl<S: Space> Explored<S> {
    /// Nothing yet.
    pub fn new(space: S) -> Explored<S> {
        let mut explored = Explored {
            space,
            states: Vec::new(),
            moves: Vec::new(),
            letters: Numbered::new(),
            sets: Numbered::new(),
            changes: Numbered::new(),
            expanded: 0,
            account: None,
            problem: None,
        };
        explored.changes.number(&Vec::new());
        explored
    }

    /// How many states were expanded.
    pub fn states(&self) -> u64 {
        self.expanded
    }

    /// How many moves they have.
    pub fn transitions(&self) -> u64 {
        self.moves.len() as u64
    }

    /// The sets of processes by number.
    pub fn sets(&self) -> &Numbered<ProcessSet> {
        &self.sets
    }

    /// Who is enabled in a state that was expanded.
    pub fn enabled(&self, state: StateNumber) -> ProcessSet {
        match self.states.get(state.0 as usize) {
            Some(Some(known)) => self.sets.get(known.enabled).clone(),
            _ => ProcessSet::new(),
        }
    }

    /// The changes of hidden quantities by number.
    pub fn changes(&self) -> &Numbered<Vec<(u32, bool)>> {
        &self.changes
    }

    fn known(&mut self, state: u32) -> Known {
        if let Some(Some(known)) = self.states.get(state as usize) {
            return *known;
        }
        let Expansion { letter, enabled, moves, problem } = self.space.expand(StateNumber(state));
        if let Some(problem) = problem
            && (self.problem.is_none() || problem == Problem::MemoryEnds)
        {
            self.problem = Some((StateNumber(state), problem));
        }
        let first_move = self.moves.len();
        let of_state = self.letters.number(&letter);
        for step in &moves {
            let letter = match step.letter.is_empty() {
                true => of_state,
                false => {
                    let mut both = letter.clone();
                    step.letter.iter().for_each(|proposition| both.insert(proposition));
                    self.letters.number(&both)
                }
            };
            let known = KnownMove {
                letter,
                target: step.target.0,
                actors: self.sets.number(&step.actors),
                changes: self.changes.number(&step.changes),
            };
            if !self.moves[first_move..].contains(&known) {
                self.moves.push(known);
            }
        }
        let known = Known {
            enabled: self.sets.number(&enabled),
            first_move: u32::try_from(first_move).expect("the limit on transitions is below 2^32"),
            moves: (self.moves.len() - first_move) as u32,
        };
        if self.states.len() <= state as usize {
            self.states.resize(state as usize + 1, None);
        }
        self.states[state as usize] = Some(known);
        self.expanded += 1;
        known
    }

    /// Bytes of memory in use, also while a table is copied to a larger place.
    pub fn memory(&self) -> usize {
        self.space.memory()
            + self.states.capacity() * size_of::<Option<Known>>()
            + self.moves.capacity() * size_of::<KnownMove>()
            + self.letters.memory()
            + self.sets.memory()
            + self.changes.memory()
    }
}

impl<'a> Product<'a> {
    /// The product with nothing explored but where it begins.
    pub fn new<S: Space>(
        automaton: &'a Automaton,
        explored: &mut Explored<S>,
    ) -> Result<Product<'a>, RuntimeError> {
        let initial = explored.space.initial()?;
        let nodes: Vec<(u32, u32)> = initial.iter().map(|state| (state.0, automaton.initial().0)).collect();
        let numbers = nodes.iter().zip(0..).map(|(&node, number)| (node, number)).collect();
        let count = nodes.len();
        Ok(Product {
            automaton,
            universal: BitSet::new(),
            bad_prefix: None,
            nodes,
            numbers,
            initial: count as u32,
            ranges: vec![0..0; count],
            pending: (0..count as u32).collect(),
            expanded: 0,
            edges: Vec::new(),
            marks: Numbered::new(),
            automaton_moves: HashMap::new(),
            account: None,
        })
    }

    /// The same, where a way to one of these states of the automaton, from which everything is accepted, is enough.
    pub fn ending_at(self, universal: BitSet<StateId>) -> Product<'a> {
        Product { universal, ..self }
    }

    /// Goes on until a counterexample is found, everything is explored, or a limit is reached.
    pub fn search<S: Space>(
        &mut self,
        explored: &mut Explored<S>,
        fairness: Fairness,
        limits: &Limits,
        control: &Control<'_>,
    ) -> Found {
        let account = explored.account.take().unwrap_or_else(|| {
            let budget = explored.space.budget().cloned();
            Account::new(&budget.unwrap_or_else(|| Budget::new(limits.memory)))
        });
        self.account.get_or_insert_with(|| Account::new(account.budget()));
        explored.account = Some(account);
        let mut next_look = self.expanded.max(FIRST_LOOK);
        let started = Instant::now();
        if let Some(node) = self.bad_prefix {
            return Found::BadPrefix(node);
        }
        if self.expanded > 0
            && let Some(component) = self.find(explored, fairness)
        {
            return Found::Component(component);
        }
        while self.expanded < self.nodes.len() {
            if let Some(reason) = self.reason_to_stop(explored, limits, control, started) {
                return match self.find(explored, fairness) {
                    Some(component) => Found::Component(component),
                    None => Found::Stopped(reason),
                };
            }
            self.expand(explored);
            if let Some(node) = self.bad_prefix {
                return Found::BadPrefix(node);
            }
            if self.expanded == next_look && self.expanded < self.nodes.len() {
                if let Some(component) = self.find(explored, fairness) {
                    return Found::Component(component);
                }
                next_look = next_look * 5 / 2;
            }
        }
        match self.find(explored, fairness) {
            Some(component) => Found::Component(component),
            None => Found::Nothing,
        }
    }

    /// The state and the automaton's state of a node.
    pub fn node(&self, node: u32) -> (StateNumber, StateId) {
        let (state, automaton) = self.nodes[node as usize];
        (StateNumber(state), StateId(automaton))
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// A shortest way from an initial node to one of these, through what was explored.
    pub fn way_to(&self, wanted: impl Fn(u32) -> bool) -> Option<Vec<u32>> {
        const UNSEEN: u32 = u32::MAX;
        let mut parents = vec![UNSEEN; self.nodes.len()];
        let mut queue: VecDeque<u32> = (0..self.initial).collect();
        queue.iter().for_each(|&node| parents[node as usize] = node);
        while let Some(node) = queue.pop_front() {
            if wanted(node) {
                let mut way = vec![node];
                let mut at = node;
                while parents[at as usize] != at {
                    at = parents[at as usize];
                    way.push(at);
                }
                way.reverse();
                return Some(way);
            }
            for edge in self.edges(node) {
                if parents[edge.target as usize] == UNSEEN {
                    parents[edge.target as usize] = node;
                    queue.push_back(edge.target);
                }
            }
        }
        None
    }

    /// The edges that leave a node.
    pub fn edges(&self, node: u32) -> &[GraphEdge] {
        &self.edges[self.ranges[node as usize].clone()]
    }

    /// The sets of acceptance marks by number.
    pub fn marks(&self) -> &Numbered<MarkSet> {
        &self.marks
    }

    fn expand<S: Space>(&mut self, explored: &mut Explored<S>) {
        let Some(node) = self.next() else { return };
        let (state, automaton_state) = self.nodes[node as usize];
        let known = explored.known(state);
        let automaton = self.automaton;
        let marks = &mut self.marks;
        let (first_edge, known_nodes) = (self.edges.len(), self.nodes.len());
        for index in known.first_move..known.first_move + known.moves {
            let step = explored.moves[index as usize];
            let onward = self.automaton_moves.entry((step.letter, automaton_state)).or_insert_with(|| {
                let moves = automaton.moves(StateId(automaton_state), explored.letters.get(step.letter));
                moves.into_iter().map(|(target, set)| (target.0, marks.number(set))).collect()
            });
            for &(target, marks) in onward.iter() {
                if self.universal.contains(StateId(target)) {
                    self.bad_prefix.get_or_insert(node);
                }
                let key = (step.target, target);
                let target = *self.numbers.entry(key).or_insert_with(|| {
                    self.nodes.push(key);
                    self.ranges.push(0..0);
                    self.nodes.len() as u32 - 1
                });
                self.edges.push(GraphEdge { target, marks, actors: step.actors, changes: step.changes });
            }
        }
        self.ranges[node as usize] = first_edge..self.edges.len();
        self.expanded += 1;
        let met = self.nodes.len() - known_nodes;
        let turn = match self.phase() {
            Phase::DeepByTurns if met > 0 => (node as usize).wrapping_mul(0x9E37_79B9) % met,
            Phase::Broad | Phase::DeepWithOne | Phase::DeepByTurns => 0,
        };
        self.pending.extend((0..met).map(|offset| (known_nodes + (offset + turn) % met) as u32));
    }

    fn next(&mut self) -> Option<u32> {
        match self.phase() {
            Phase::Broad => self.pending.pop_front(),
            Phase::DeepWithOne | Phase::DeepByTurns => self.pending.pop_back(),
        }
    }

    fn phase(&self) -> Phase {
        match self.expanded / BREADTH % 4 {
            0 | 2 => Phase::Broad,
            1 => Phase::DeepWithOne,
            _ => Phase::DeepByTurns,
        }
    }

    fn find<S: Space>(&self, explored: &mut Explored<S>, fairness: Fairness) -> Option<Component> {
        let enabled: Vec<u32> = self
            .nodes
            .iter()
            .map(|&(state, _)| {
                explored.states.get(state as usize).copied().flatten().map_or(0, |known| known.enabled)
            })
            .collect();
        let graph = Graph {
            enabled: &enabled,
            ranges: &self.ranges,
            edges: &self.edges,
            marks: &self.marks,
            sets: &explored.sets,
            changes: &explored.changes,
        };
        find_component(&graph, &self.automaton.all_marks(), fairness)
    }

    fn reason_to_stop<S: Space>(
        &self,
        explored: &Explored<S>,
        limits: &Limits,
        control: &Control<'_>,
        started: Instant,
    ) -> Option<StopReason> {
        if let Some(limit) = limits.states.filter(|&limit| explored.expanded >= limit) {
            return Some(StopReason::States(limit));
        }
        if explored.moves.len() > u32::MAX as usize - (1 << 16)
            || self.nodes.len() > u32::MAX as usize - (1 << 16)
        {
            return Some(StopReason::States(explored.expanded));
        }
        let memory_ends = limits.memory.map(StopReason::Memory);
        if let Some((_, Problem::MemoryEnds)) = explored.problem {
            return memory_ends;
        }
        if !self.expanded.is_multiple_of(16) {
            return None;
        }
        let accounts = self.account.as_ref().zip(explored.account.as_ref())?;
        accounts.0.set(self.memory());
        accounts.1.set(explored.memory());
        let budget = accounts.0.budget();
        if budget.is_over() {
            return memory_ends;
        }
        if !self.expanded.is_multiple_of(1024) {
            return None;
        }
        if control.is_cancelled() {
            return Some(StopReason::Cancelled);
        }
        if limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(StopReason::Deadline);
        }
        if self.expanded.is_multiple_of(1 << 17) {
            let seconds = started.elapsed().as_secs_f64().max(1e-9);
            control.report(Status {
                states: explored.expanded,
                transitions: explored.transitions(),
                depth: 0,
                waiting: (self.nodes.len() - self.expanded) as u64,
                memory: budget.used(),
                rate: explored.expanded as f64 / seconds,
                together: None,
            });
        }
        None
    }

    /// Bytes of memory in use: of the product, also while a table is copied to a larger place, and of a look for components.
    fn memory(&self) -> usize {
        const NUMBER: usize = size_of::<((u32, u32), u32)>() + 1;
        const LOOK: usize = 48;
        self.nodes.capacity() * size_of::<(u32, u32)>()
            + self.nodes.len() * LOOK
            + self.edges.len() * size_of::<u32>()
            + 3 * self.numbers.capacity() * NUMBER * 8 / 7
            + self.ranges.capacity() * size_of::<Range<usize>>()
            + self.pending.capacity() * 4
            + self.edges.capacity() * size_of::<GraphEdge>()
    }
}
