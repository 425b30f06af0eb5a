//! States that a directed search has reached, each with how it was reached.

use super::ground::{Found, Ground};
use crate::budget::{Account, Budget, MemoryEnds};
use crate::explore::expand::LayoutIsFull;
use crate::packed::layout::{Field, Layout, MOST_WORDS};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::sync::Arc;
use system::automaton::{AutomatonId, EdgeId};
use system::interpreter::Step;
use system::state::{ChannelId, Pid};

/// The number of a state in its tree.
pub type Id = u32;

/// Which states come first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Those that were reached first.
    Breadth,
    /// Those in which this buffer holds the most messages.
    Fullest(ChannelId),
    /// Those in which all buffers together hold the fewest messages, so that nothing waits behind a buffer that is filled for ever.
    Emptiest,
}

/// What a search looks at.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Scope {
    /// Who moves; `None`: everybody.
    pub moving: Option<BTreeSet<Pid>>,
    /// Buffers that are left out of the state: they are empty in every state, whatever is sent to them.
    pub left_out: BTreeSet<ChannelId>,
    /// Moves that count; `None`: all. Others are not made: every statement of a move is among these.
    pub along: Option<BTreeSet<(AutomatonId, EdgeId)>>,
    /// Which moves may be repeated: those without progress in this reading.
    pub reading: Reading,
}

/// Where progress is seen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Reading {
    /// A marked statement is executed.
    #[default]
    ByStatement,
    /// A process stands at a marked place.
    ByState,
}

/// How a state was reached.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// From which state; the first state is its own parent.
    pub parent: Id,
    /// By which of its moves; of a root, what its planter calls it.
    pub ordinal: u32,
    /// How many moves lead to it from the first.
    pub depth: u32,
    /// The move may be repeated.
    pub repeatable: bool,
}

/// A move from one state to another.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// From this state
    pub from: Id,
    /// to this one,
    pub to: Id,
    /// by this move.
    pub ordinal: u32,
    /// It may be repeated.
    pub repeatable: bool,
    /// A buffer that is left out has got messages.
    pub fills: bool,
}

/// The states of a directed search.
pub struct Tree {
    scope: Scope,
    order: Order,
    /// One state after another, each of as many words as the layout has.
    words: Vec<u64>,
    stride: usize,
    /// Open addressing, a power of two long: the number of a state plus one, or 0 where none is.
    index: Vec<u32>,
    origins: Vec<Origin>,
    open: BinaryHeap<(i64, Reverse<Id>)>,
    /// All moves, if they are kept.
    edges: Option<Vec<Edge>>,
    account: Account,
}

/// What an expansion brought.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grown {
    /// Moves of one state, which took as long as so many moves of a small one.
    By(u64),
    /// Nothing is left to expand.
    Exhausted,
}

impl Grown {
    /// What it cost, in moves.
    pub fn cost(self) -> u64 {
        match self {
            Grown::By(cost) => cost,
            Grown::Exhausted => 1,
        }
    }
}

/// Messages that take as long as a move, and as much memory as a state, roughly: whatever a full buffer holds is kept for each state that holds
/// something else, so whoever floods a buffer must not be charged by states alone.
const MESSAGES_OF_A_MOVE: u64 = 16;

impl Tree {
    /// A tree without states. Its first one is added under the first layout.
    pub fn new(scope: Scope, order: Order, keeps_edges: bool, budget: &Arc<Budget>) -> Tree {
        Tree {
            scope,
            order,
            words: Vec::new(),
            stride: 1,
            index: vec![0; 64],
            origins: Vec::new(),
            open: BinaryHeap::new(),
            edges: keeps_edges.then(Vec::new),
            account: Account::new(budget),
        }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.origins.len()
    }

    /// What it looks at.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// How a state was reached.
    pub fn origin(&self, id: Id) -> Origin {
        self.origins[id as usize]
    }

    /// All moves so far; none if they are not kept.
    pub fn edges(&self) -> &[Edge] {
        self.edges.as_deref().unwrap_or_default()
    }

    /// Puts on account what it takes, and what the index will take when it grows: that is filled at once, and nobody can be told then.
    fn note_memory(&self) {
        let edges = self.edges.as_ref().map_or(0, |edges| edges.len() * size_of::<Edge>());
        self.account.set(
            self.words.len() * 8
                + 2 * self.index.len() * 4
                + self.origins.len() * size_of::<Origin>()
                + self.open.len() * size_of::<(i64, Reverse<Id>)>()
                + edges,
        );
    }

    /// Packs all states anew, in place: a layout never has fewer words than the one before.
    pub fn repack(&mut self, old: &Layout, new: &Layout) -> Result<(), MemoryEnds> {
        let moved: Vec<(Field, Field)> = old
            .fields()
            .filter(|(_, from)| from.width > 0)
            .map(|(component, from)| (from, new.field(component)))
            .collect();
        let (old, new) = (old.words(), new.words());
        if !self.account.allows(self.origins.len() * (new - old) * 8) {
            return Err(MemoryEnds);
        }
        self.words.resize(self.origins.len() * new, 0);
        for id in (0..self.origins.len()).rev() {
            let mut after = [0; MOST_WORDS];
            for (from, to) in &moved {
                let number = (self.words[id * old + from.word as usize] & from.mask()) >> from.shift;
                if to.width > 0 {
                    after[to.word as usize] |= number << to.shift;
                }
            }
            self.words[id * new..(id + 1) * new].copy_from_slice(&after[..new]);
        }
        self.stride = new;
        self.rebuild_index(self.index.len());
        self.note_memory();
        Ok(())
    }

    /// A state.
    pub fn state<const N: usize>(&self, id: Id) -> [u64; N] {
        let mut state = [0; N];
        state.copy_from_slice(&self.words[id as usize * N..(id as usize + 1) * N]);
        state
    }

    /// Adds the first state.
    pub fn plant<const N: usize>(&mut self, ground: &mut Ground<'_, '_, N>) -> Result<(), LayoutIsFull> {
        self.stride = N;
        if self.origins.is_empty() {
            let (state, _) = ground.without(&self.scope.left_out, ground.initial())?;
            self.add(ground, state, Origin { parent: 0, ordinal: 0, depth: 0, repeatable: false });
        }
        Ok(())
    }

    /// Adds a state from which the search is to go on as from the first. What the planter calls it leads him back to it.
    pub fn plant_at<const N: usize>(&mut self, ground: &mut Ground<'_, '_, N>, state: [u64; N], called: u32) {
        self.stride = N;
        let parent = self.origins.len() as Id;
        self.add(ground, state, Origin { parent, ordinal: called, depth: 0, repeatable: false });
    }

    /// Expands the next state.
    pub fn grow<const N: usize>(&mut self, ground: &mut Ground<'_, '_, N>) -> Result<Grown, LayoutIsFull> {
        let Some(&(_, Reverse(from))) = self.open.peek() else { return Ok(Grown::Exhausted) };
        let depth = self.origin(from).depth + 1;
        let state = self.state(from);
        ground.expand(state, &self.scope)?;
        // Before what it leads to comes in, which may come before it.
        self.open.pop();
        for index in 0..ground.found.len() {
            let Found { state, ordinal, repeatable, fills } = ground.found[index];
            let origin = Origin { parent: from, ordinal, depth, repeatable };
            let (to, _) = self.add(ground, state, origin);
            if let Some(edges) = &mut self.edges {
                edges.push(Edge { from, to, ordinal, repeatable, fills });
            }
        }
        self.note_memory();
        Ok(Grown::By(1 + ground.all_messages(&state) / MESSAGES_OF_A_MOVE))
    }

    /// The steps of one move of a state.
    pub fn steps<const N: usize>(
        &self,
        ground: &mut Ground<'_, '_, N>,
        from: Id,
        ordinal: u32,
    ) -> Result<Vec<Step>, LayoutIsFull> {
        ground.steps(self.state(from), &self.scope, ordinal)
    }

    /// The steps from an ancestor of a state to it, or from the root that it grew from.
    pub fn path<const N: usize>(
        &self,
        ground: &mut Ground<'_, '_, N>,
        ancestor: Option<Id>,
        to: Id,
    ) -> Result<Vec<Step>, LayoutIsFull> {
        let mut pieces = Vec::new();
        let mut at = to;
        while Some(at) != ancestor && self.origin(at).parent != at {
            let Origin { parent, ordinal, .. } = self.origin(at);
            pieces.push(self.steps(ground, parent, ordinal)?);
            at = parent;
        }
        pieces.reverse();
        Ok(pieces.concat())
    }

    /// What the planter calls the root that a state grew from.
    pub fn root(&self, mut id: Id) -> u32 {
        while self.origin(id).parent != id {
            id = self.origin(id).parent;
        }
        self.origin(id).ordinal
    }

    fn add<const N: usize>(
        &mut self,
        ground: &mut Ground<'_, '_, N>,
        state: [u64; N],
        origin: Origin,
    ) -> (Id, bool) {
        if self.origins.len() * 2 >= self.index.len() {
            self.rebuild_index(self.index.len() * 2);
        }
        let mut place = hash(&state) & (self.index.len() - 1);
        while self.index[place] != 0 {
            let id = self.index[place] - 1;
            if self.words[id as usize * N..(id as usize + 1) * N] == state {
                return (id, false);
            }
            place = (place + 1) & (self.index.len() - 1);
        }
        let id = self.origins.len() as Id;
        self.index[place] = id + 1;
        self.words.extend_from_slice(&state);
        self.origins.push(origin);
        let priority = match self.order {
            Order::Breadth => 0,
            Order::Fullest(channel) => i64::from(ground.messages_of(&state, channel)),
            Order::Emptiest => -(ground.all_messages(&state) as i64),
        };
        self.open.push((priority, Reverse(id)));
        (id, true)
    }

    fn rebuild_index(&mut self, size: usize) {
        // First the old one goes: there is no memory for both.
        self.index = Vec::new();
        self.index = vec![0; size];
        for (id, state) in self.words.chunks(self.stride).enumerate() {
            let mut place = hash(state) & (size - 1);
            while self.index[place] != 0 {
                place = (place + 1) & (size - 1);
            }
            self.index[place] = id as u32 + 1;
        }
    }
}

/// A hash of the words of a state.
pub fn hash(state: &[u64]) -> usize {
    let mut mixed = 0xA24B_AED4_963E_E407u64;
    for &word in state {
        let product = u128::from(mixed ^ word) * u128::from(0x9E37_79B9_7F4A_7C15u64);
        mixed = (product >> 64) as u64 ^ product as u64;
    }
    mixed as usize
}
