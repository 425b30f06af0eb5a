//! Pumps between a state and one of its ancestors: the same control, the same variables or such that do not matter, and longer queues.

use super::ground::Ground;
use super::judge::Judge;
use super::tree::{Id, Tree, hash};
use crate::budget::{Account, Budget};
use crate::explore::expand::LayoutIsFull;
use foldhash::quality::FixedState;
use std::collections::HashMap;
use std::sync::Arc;
use system::state::ChannelId;

/// What a state and its ancestor must have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alike {
    /// The same processes, each where it was.
    SameProcesses,
    /// Processes may take each other's part, and some may be left over: a weaker kind of pump.
    MoreProcesses,
    /// The same processes at the same places; variables may differ, and what channels hold. Whether that matters the judge says.
    SamePlaces,
}

/// Compares the states of a tree with their ancestors, as the tree grows.
pub struct Ancestors {
    alike: Alike,
    /// States that were compared.
    compared: Id,
    /// For each control (hashed) the fewest moves that lead to a state with it: no ancestor above has it.
    highest: HashMap<u64, u32, FixedState>,
    grown: Vec<(ChannelId, u32)>,
    roles: (Vec<u32>, Vec<u32>),
    account: Account,
}

impl Ancestors {
    /// Nothing is compared yet.
    pub fn new(alike: Alike, budget: &Arc<Budget>) -> Ancestors {
        let (highest, grown, roles) = (HashMap::default(), Vec::new(), Default::default());
        Ancestors { alike, compared: 0, highest, grown, roles, account: Account::new(budget) }
    }

    /// Compares the next state of a tree, and has judged what may be a pump. Roots are states of the tree that they were planted from, if there
    /// is one, and called by their numbers there. What it cost, in moves; `None` if all states were compared.
    pub fn compare_next<const N: usize>(
        &mut self,
        ground: &mut Ground<'_, '_, N>,
        tree: &Tree,
        judge: &mut Judge<'_>,
        planted_from: Option<&Tree>,
    ) -> Result<Option<u64>, LayoutIsFull> {
        let id = self.compared;
        if id as usize >= tree.len() {
            return Ok(None);
        }
        let state: [u64; N] = tree.state(id);
        let common = self.in_common(ground, &state);
        let (signature, depth) = (hash(&common) as u64, tree.origin(id).depth);
        let highest = self.highest.entry(signature).or_insert(depth);
        *highest = depth.min(*highest);
        let highest = *highest;
        // Also while the map is copied to a larger place.
        self.account.set(3 * self.highest.capacity() * (size_of::<(u64, u32)>() + 1) * 8 / 7);
        let mut compared = 0;
        let mut cost = 1;
        let mut at = id;
        while !judge.is_done {
            let origin = tree.origin(at);
            if origin.parent == at || !origin.repeatable || origin.depth <= highest {
                break;
            }
            at = origin.parent;
            compared += 1;
            let before: [u64; N] = tree.state(at);
            if self.in_common(ground, &before) != common
                || !ground.growth(&before, &state, self.alike == Alike::SamePlaces, &mut self.grown)
                || !judge.wants(self.grown.iter().map(|(channel, _)| *channel))
                || !self.may_hand_on(ground, &before, &state)
                || !judge.is_worth_while((
                    self.alike as u8,
                    signature,
                    depth - tree.origin(at).depth,
                    &self.grown,
                    self.difference(ground, &before, &state),
                ))
            {
                continue;
            }
            let mut prefix = match planted_from {
                Some(other) => other.path(ground, None, tree.root(at))?,
                None => Vec::new(),
            };
            prefix.extend(tree.path(ground, None, at)?);
            cost += judge.judge(&prefix, &tree.path(ground, Some(at), id)?);
        }
        self.compared += 1;
        Ok(Some(cost + compared / COMPARISONS_OF_A_MOVE))
    }

    fn in_common<const N: usize>(&self, ground: &mut Ground<'_, '_, N>, state: &[u64; N]) -> [u64; N] {
        match self.alike {
            Alike::SameProcesses => ground.control(state),
            Alike::MoreProcesses => ground.variables(state),
            Alike::SamePlaces => [ground.places(state); N],
        }
    }

    /// Candidates in which other variables differ are of another kind.
    fn difference<const N: usize>(
        &self,
        ground: &Ground<'_, '_, N>,
        before: &[u64; N],
        after: &[u64; N],
    ) -> u64 {
        match self.alike {
            Alike::SameProcesses | Alike::MoreProcesses => 0,
            Alike::SamePlaces => ground.difference(before, after),
        }
    }

    /// Whether each process of the first state has one in the second that can take its part.
    fn may_hand_on<const N: usize>(
        &mut self,
        ground: &mut Ground<'_, '_, N>,
        before: &[u64; N],
        after: &[u64; N],
    ) -> bool {
        if self.alike != Alike::MoreProcesses {
            return true;
        }
        let (wanted, there) = &mut self.roles;
        ground.processes(before, wanted);
        ground.processes(after, there);
        // Both are sorted.
        let mut there = there.iter();
        wanted.iter().all(|role| there.any(|other| other == role))
    }
}

/// Comparisons that take as long as a move, roughly.
const COMPARISONS_OF_A_MOVE: u64 = 16;
