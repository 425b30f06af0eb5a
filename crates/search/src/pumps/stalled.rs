//! Pumps whose buffers grow because those who should empty them stand still.
//!
//! Let nobody receive from a buffer. Then what it holds makes no difference to anybody, so it may be left out of the state; and if the rest
//! is finite, a loop of what is left that sends to the buffer is found although it is long. To keep the rest small, only those
//! processes move that the senders of the buffer depend on: who sends to it, who sends to those, and so on. Buffers that
//! none of them empties are left out of the state, too.
//!
//! Who talks to whom is known from steps that were computed so far only, and somebody may look at a buffer without receiving. So what is found
//! here is a guess like every other, which the checker judges.

use super::ground::Ground;
use super::judge::Judge;
use super::tree::{Edge, Id, Scope, Tree};
use crate::explore::expand::LayoutIsFull;
use crate::report::Traffic;
use omega::component::for_each_component;
use omega::{NodeId, TypedIndex};
use std::collections::{BTreeSet, HashMap, VecDeque};
use system::interpreter::Step;
use system::state::{ChannelId, Pid};

impl Traffic {
    /// Those on whom the senders of a channel depend, and they themselves; and those who start processes, without whom there is nobody.
    fn feeders(&self, channel: ChannelId) -> BTreeSet<Pid> {
        let senders_of = |channel: ChannelId| {
            self.sent.iter().filter(move |(_, other)| *other == channel).map(|(pid, _)| *pid)
        };
        let mut feeders = BTreeSet::new();
        let mut queue: Vec<Pid> = senders_of(channel).collect();
        while let Some(pid) = queue.pop() {
            if feeders.insert(pid) {
                let from = self.received.iter().filter(|(other, from)| *other == pid && *from != channel);
                queue.extend(from.flat_map(|(_, from)| senders_of(*from)));
            }
        }
        feeders.union(&self.starters).copied().collect()
    }

    /// The channels that none of these empties, and this one.
    fn not_emptied_by(&self, channel: ChannelId, moving: &dyn Fn(Pid) -> bool) -> BTreeSet<ChannelId> {
        let is_emptied =
            |channel: ChannelId| self.received.iter().any(|(pid, from)| *from == channel && moving(*pid));
        let channels = self.sent.iter().map(|(_, channel)| *channel);
        channels.filter(|&other| other == channel || !is_emptied(other)).collect()
    }

    /// What to look at for pumps in which nobody empties a channel; nothing where nobody was seen to fill it.
    pub fn stalled_scopes(&self, channel: ChannelId) -> Vec<Scope> {
        if !self.sent.iter().any(|(_, other)| *other == channel) {
            return Vec::new();
        }
        let feeders = self.feeders(channel);
        let left_out = self.not_emptied_by(channel, &|pid| feeders.contains(&pid));
        let everybody = Scope { left_out: self.not_emptied_by(channel, &|_| true), ..Scope::default() };
        vec![Scope { moving: Some(feeders), left_out, ..Scope::default() }, everybody]
    }
}

/// Looks for loops that send to a buffer that is left out, each time when the tree has grown to twice its size.
pub struct Loops {
    /// States with which to look again.
    look_at: usize,
    /// Loops that are judged the next time.
    most: usize,
}

impl Loops {
    /// Nothing was looked at yet.
    pub fn new() -> Loops {
        Loops { look_at: FIRST_LOOK, most: FIRST_LOOPS }
    }

    /// Whether it is time to look.
    pub fn are_due(&self, tree: &Tree) -> bool {
        tree.len() >= self.look_at
    }

    /// Has loops judged. What it cost, in moves.
    pub fn look<const N: usize>(
        &mut self,
        ground: &mut Ground<'_, '_, N>,
        tree: &Tree,
        judge: &mut Judge<'_>,
    ) -> Result<u64, LayoutIsFull> {
        let graph = LoopGraph::of(tree);
        let mut cost = tree.edges().len() as u64 / 4;
        let mut judged = 0;
        for edge in tree.edges().iter().filter(|edge| edge.fills && graph.is_inside(edge)) {
            if judged >= self.most || judge.is_done {
                break;
            }
            let filled = ground.filled(tree.state(edge.from), tree.scope(), edge.ordinal)?;
            let kind = (graph.component[edge.from as usize], &filled, tree.scope());
            if !judge.wants(filled.iter().copied()) || !judge.is_worth_while(kind) {
                continue;
            }
            judged += 1;
            let Some(repeated) = graph.way_round(ground, tree, edge)? else { continue };
            let prefix = tree.path(ground, None, edge.from)?;
            cost += judge.judge(&prefix, &repeated) + graph.component.len() as u64 / 4;
        }
        self.look_at = 2 * tree.len().max(self.look_at);
        self.most *= 2;
        Ok(cost)
    }
}

/// States of the first look.
const FIRST_LOOK: usize = 64;
/// Loops of the first look that are judged.
const FIRST_LOOPS: usize = 8;

/// The moves of a tree that may be repeated, as a graph.
pub struct LoopGraph {
    /// The first move of each state among those of the tree, where they lie side by side.
    first: Vec<u32>,
    /// The strongly connected component of each state.
    component: Vec<u32>,
}

impl LoopGraph {
    /// The graph of a tree that keeps its edges.
    pub fn of(tree: &Tree) -> LoopGraph {
        let mut first = vec![u32::MAX; tree.len()];
        for (index, edge) in tree.edges().iter().enumerate().rev() {
            first[edge.from as usize] = index as u32;
        }
        let mut graph = LoopGraph { first, component: vec![0; tree.len()] };
        let mut component = std::mem::take(&mut graph.component);
        let mut count = 0;
        let successors = |state: NodeId, list: &mut Vec<NodeId>| {
            list.extend(graph.moves(tree, state.0).map(|(_, edge)| NodeId(edge.to)));
        };
        for_each_component(tree.len(), successors, |members| {
            count += 1;
            members.iter().for_each(|member| component[member.position()] = count);
        });
        graph.component = component;
        graph
    }

    /// Bytes that it takes to make the graph of a tree.
    pub fn bytes_of(tree: &Tree) -> usize {
        const STATE: usize = 40;
        tree.len() * STATE + tree.edges().len() * size_of::<NodeId>()
    }

    /// The moves of a state that may be repeated, with their places among all moves of the tree.
    fn moves<'t>(&self, tree: &'t Tree, state: Id) -> impl Iterator<Item = (usize, &'t Edge)> + use<'t> {
        let first = (self.first[state as usize] as usize).min(tree.edges().len());
        let of_it = tree.edges()[first..].iter().take_while(move |edge| edge.from == state);
        (first..).zip(of_it).filter(|(_, edge)| edge.repeatable)
    }

    /// Whether a move belongs to a loop of moves that may be repeated.
    pub fn is_inside(&self, edge: &Edge) -> bool {
        edge.repeatable && self.component[edge.from as usize] == self.component[edge.to as usize]
    }

    /// The steps of a move and of the shortest way back to where it begins.
    pub fn way_round<const N: usize>(
        &self,
        ground: &mut Ground<'_, '_, N>,
        tree: &Tree,
        edge: &Edge,
    ) -> Result<Option<Vec<Step>>, LayoutIsFull> {
        let (from, to) = (edge.to, edge.from);
        let mut came: HashMap<Id, u32> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front().filter(|&at| at != to) {
            for (index, &Edge { to: next, .. }) in self.moves(tree, at) {
                let is_new = next != from && !came.contains_key(&next);
                if is_new && self.component[next as usize] == self.component[to as usize] {
                    came.insert(next, index as u32);
                    queue.push_back(next);
                }
            }
        }
        let mut back = Vec::new();
        let mut at = to;
        while at != from {
            let Some(&index) = came.get(&at) else { return Ok(None) };
            back.push(tree.edges()[index as usize]);
            at = tree.edges()[index as usize].from;
        }
        back.push(*edge);
        let mut steps = Vec::new();
        for Edge { from, ordinal, .. } in back.iter().rev() {
            steps.extend(tree.steps(ground, *from as Id, *ordinal)?);
        }
        Ok(Some(steps))
    }
}
