//! How a state was reached, without keeping states.
//!
//! A search that found an error is run again, up to the state with the error, with six more bytes for each state: the number
//! of its parent in the order in which states were found, and which of the parent's successors it is. States are
//! expanded in the order in which they were found, so counting is enough to know whose successors they are.

use crate::parts::PartId;

/// Parents of states, up to a target.
#[derive(Debug)]
pub struct Ancestry {
    parents: Vec<u32>,
    ordinals: Vec<u32>,
    /// States that were expanded before this batch.
    expanded: usize,
    target: Vec<u32>,
    found: Option<usize>,
}

impl Ancestry {
    /// For a state that is given by the numbers of its parts.
    pub fn of(target: &[u32]) -> Ancestry {
        Ancestry { parents: vec![0], ordinals: vec![0], expanded: 0, target: target.to_vec(), found: None }
    }

    /// The number of a part of the target.
    pub fn target_number(&self, part: PartId) -> u32 {
        self.target.get(part.0 as usize).copied().unwrap_or(0)
    }

    /// Whether the target was reached.
    pub fn is_satisfied(&self) -> bool {
        self.found.is_some()
    }

    /// A new state: a successor of a state of the current batch.
    pub fn note_new(&mut self, source_in_batch: usize, ordinal: usize) {
        self.parents.push((self.expanded + source_in_batch) as u32);
        self.ordinals.push(ordinal as u32);
    }

    /// A batch is done.
    pub fn note_expanded<const N: usize>(&mut self, states: &[[u64; N]], target: &[u64; N]) {
        if self.found.is_none()
            && let Some(index) = states.iter().position(|state| state == target)
        {
            self.found = Some(self.expanded + index);
        }
        self.expanded += states.len();
    }

    /// Which successor to take in each state, from the initial one on, to reach the target; `None` if it was not reached.
    pub fn directions(&self) -> Option<Vec<u32>> {
        let mut at = self.found?;
        let mut directions = Vec::new();
        while at != 0 {
            directions.push(self.ordinals[at]);
            at = self.parents[at] as usize;
        }
        directions.reverse();
        Some(directions)
    }
}
