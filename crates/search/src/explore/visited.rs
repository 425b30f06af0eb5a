//! Which states a depth-first search has visited: exactly, or (on request) as bits of hashes.

use crate::packed::bit_table::BitTable;
use crate::packed::layout::{Field, Layout};
use crate::packed::nodes::{CLOSED, Nodes};
use foldhash::quality::FixedState;
use std::collections::HashSet;

/// The states that were visited.
#[derive(Debug)]
pub enum VisitedStates<const N: usize> {
    /// All of them; those that are not closed are the execution so far.
    Exact(Nodes<N>),
    /// Some bits for each: a state may be taken for others.
    Bits {
        /// The bits. They do not depend on the layout.
        table: BitTable,
        /// How states become hashes.
        hasher: StateHasher,
        /// The execution so far, exactly; only kept if somebody asks for it.
        on_stack: Option<HashSet<[u64; N], FixedState>>,
    },
}

impl<const N: usize> VisitedStates<N> {
    /// Whether a state was visited (or, as bits, may have been).
    #[inline(always)]
    pub fn contains(&self, state: &[u64; N]) -> bool {
        match self {
            VisitedStates::Exact(states) => states.order(&(*state, 0)).is_some(),
            VisitedStates::Bits { table, hasher, .. } => table.contains(hasher.hash(state)),
        }
    }

    /// Whether a state is part of the execution so far.
    pub fn is_on_stack(&self, state: &[u64; N]) -> bool {
        match self {
            VisitedStates::Exact(states) => states.order(&(*state, 0)).is_some_and(|order| order != CLOSED),
            VisitedStates::Bits { on_stack, .. } => {
                on_stack.as_ref().is_some_and(|states| states.contains(state))
            }
        }
    }

    /// The execution goes to a state.
    #[inline(always)]
    pub fn enter(&mut self, state: &[u64; N]) {
        match self {
            VisitedStates::Exact(states) => {
                states.add(&(*state, 0));
            }
            VisitedStates::Bits { table, hasher, on_stack } => {
                table.add(hasher.hash(state));
                if let Some(on_stack) = on_stack {
                    on_stack.insert(*state);
                }
            }
        }
    }

    /// The execution goes back from the state that it has come to.
    #[inline(always)]
    pub fn leave(&mut self, state: &[u64; N]) {
        match self {
            VisitedStates::Exact(states) => states.close_last(),
            VisitedStates::Bits { on_stack, .. } => {
                if let Some(on_stack) = on_stack {
                    on_stack.remove(state);
                }
            }
        }
    }

    /// How many states were visited.
    pub fn len(&self) -> u64 {
        match self {
            VisitedStates::Exact(states) => states.len() as u64,
            VisitedStates::Bits { table, .. } => table.added(),
        }
    }

    /// Bytes of memory for them.
    pub fn bytes(&self) -> usize {
        match self {
            VisitedStates::Exact(states) => states.bytes(),
            VisitedStates::Bits { table, .. } => table.bytes(),
        }
    }

    /// Bytes for knowing what the execution so far is, beside those for the states; also while they are copied to a larger place.
    pub fn stack_bytes(&self) -> usize {
        match self {
            VisitedStates::Bits { on_stack: Some(on_stack), .. } => on_stack.capacity() * 3 * (8 * N + 1),
            _ => 0,
        }
    }
}

/// Hashes states by the numbers of their components, so that the hash of a state is the same under every layout.
#[derive(Debug)]
pub struct StateHasher {
    fields: Vec<(Field, u64)>,
}

impl StateHasher {
    /// For states in a layout.
    pub fn new(layout: &Layout) -> StateHasher {
        let fields = layout.fields().filter(|(_, field)| field.width > 0);
        StateHasher { fields: fields.map(|(component, field)| (field, factor(component.0))).collect() }
    }

    /// The hash of a state: a sum of numbers times factors that look random. A component that is 0 adds nothing, so that components which
    /// came later do not change the hashes of older states.
    #[inline(always)]
    pub fn hash<const N: usize>(&self, state: &[u64; N]) -> u64 {
        let add = |sum: u64, &(field, factor): &(Field, u64)| {
            sum.wrapping_add(u64::from(field.get(state)).wrapping_mul(factor))
        };
        self.fields.iter().fold(0, add)
    }
}

/// An odd number for each component, by a generator whose consecutive outputs look independent (Steele's SplitMix).
fn factor(component: u32) -> u64 {
    let mut x = (u64::from(component) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (x ^ (x >> 31)) | 1
}
