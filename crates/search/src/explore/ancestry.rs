//! How a state was reached, without keeping states.
//!
//! A search that found an error is run again, up to the state with the error, with eight more bytes for each state: the number
//! of its parent in the order in which states were found, and which of the parent's successors it is. States are
//! expanded in the order in which they were found, so counting is enough to know whose successors they are.

use crate::budget::{Account, Budget};
use crate::explore::expand::{Direction, Way};
use crate::packed::components::ComponentId;
use crate::packed::layout::Layout;
use std::sync::Arc;

/// Parents of states, up to some targets.
#[derive(Debug)]
pub struct Ancestry {
    parents: Vec<u32>,
    ordinals: Vec<u32>,
    /// States that were expanded before this batch.
    expanded: usize,
    targets: Vec<Target>,
    missing: usize,
    account: Account,
}

#[derive(Debug)]
struct Target {
    numbers: Vec<u32>,
    found: Option<usize>,
}

impl Ancestry {
    /// For states that are given by the numbers of their components.
    pub fn of(targets: impl Iterator<Item = Vec<u32>>, budget: &Arc<Budget>) -> Ancestry {
        let targets: Vec<Target> = targets.map(|numbers| Target { numbers, found: None }).collect();
        let (missing, account) = (targets.len(), Account::new(budget));
        Ancestry { parents: vec![0], ordinals: vec![0], expanded: 0, missing, targets, account }
    }

    /// Notes how many bytes there are by now.
    pub fn note_bytes(&mut self) {
        self.account.set((self.parents.len() + self.ordinals.len()) * 4);
    }

    /// The targets, packed.
    pub fn targets<const N: usize>(&self, layout: &Layout) -> Vec<[u64; N]> {
        let number = |target: &Target, component: ComponentId| {
            target.numbers.get(component.0 as usize).copied().unwrap_or(0)
        };
        self.targets.iter().map(|target| layout.pack(|component| number(target, component))).collect()
    }

    /// Whether all targets were reached.
    pub fn is_satisfied(&self) -> bool {
        self.missing == 0
    }

    /// A new state: a successor of a state of the current batch.
    pub fn note_new(&mut self, source_in_batch: usize, ordinal: usize) {
        self.parents.push((self.expanded + source_in_batch) as u32);
        self.ordinals.push(ordinal as u32);
    }

    /// A batch is done; `targets` are in the order of [`Ancestry::targets`].
    pub fn note_expanded<const N: usize>(&mut self, states: &[[u64; N]], targets: &[[u64; N]]) {
        for (target, packed) in self.targets.iter_mut().zip(targets) {
            if target.found.is_none()
                && let Some(index) = states.iter().position(|state| state == packed)
            {
                target.found = Some(self.expanded + index);
                self.missing -= 1;
            }
        }
        self.expanded += states.len();
    }

    /// Which successor to take in each state, from the initial one on, to reach a target; `None` if it was not reached.
    pub fn directions(&self, target: usize) -> Option<Vec<Direction>> {
        let mut at = self.targets[target].found?;
        let mut directions = Vec::new();
        while at != 0 {
            directions.push((Way::ExpandFully, self.ordinals[at]));
            at = self.parents[at] as usize;
        }
        directions.reverse();
        Some(directions)
    }
}
