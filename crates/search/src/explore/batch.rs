//! Adding states to the store, a batch at a time, so that memory has time to answer.

use crate::packed::store::{Leaves, Store};
use crate::packed::table::{NoRoom, Users};

/// Adds states to a store; one for each thread.
#[derive(Debug, Default)]
pub struct BatchInserter<const N: usize> {
    hashes: Vec<u64>,
    leaves: Vec<Leaves<N>>,
    /// Which states of the last batch were new. If there was no room for all, those that were new so far.
    pub new: Vec<u32>,
}

/// Where the states of a batch come from: each source with the place where its successors end.
pub type Sources<'b, const N: usize> = (&'b [[u64; N]], &'b [usize]);

impl<const N: usize> BatchInserter<N> {
    /// Adds states. If there is no room for all, they are to be added again after room was made.
    #[inline(always)]
    pub fn insert(
        &mut self,
        store: &Store<N>,
        users: Users,
        states: &[[u64; N]],
        sources: Option<Sources<'_, N>>,
    ) -> Result<(), NoRoom> {
        self.new.clear();
        self.look_up_leaves(store, states, sources)?;
        let flat = store.is_flat();
        self.hashes.clear();
        for (index, state) in states.iter().enumerate() {
            let leaves = if flat { [0; N] } else { self.leaves[index] };
            self.hashes.push(store.hash(state, &leaves)?);
        }
        store.insert_hashes(users, states, &self.hashes, &mut self.new)
    }

    /// Numbers of the words of all states, out of those of their sources where these are known.
    #[inline(always)]
    fn look_up_leaves(
        &mut self,
        store: &Store<N>,
        states: &[[u64; N]],
        sources: Option<Sources<'_, N>>,
    ) -> Result<(), NoRoom> {
        if store.is_flat() {
            return Ok(());
        }
        self.leaves.clear();
        let Some((sources, ends)) = sources else {
            states.iter().for_each(|state| store.prefetch_leaves(state, &[1; N]));
            for state in states {
                self.leaves.push(store.leaves(state)?);
            }
            return Ok(());
        };
        let mut begin = 0;
        for (source, &end) in sources.iter().zip(ends) {
            store.prefetch_leaves(source, &[1; N]);
            for state in &states[begin..end] {
                let changed = std::array::from_fn(|word| state[word] ^ source[word]);
                store.prefetch_leaves(state, &changed);
            }
            begin = end;
        }
        let mut begin = 0;
        for (source, &end) in sources.iter().zip(ends) {
            let known = store.leaves(source)?;
            for state in &states[begin..end] {
                let changed = std::array::from_fn(|word| state[word] ^ source[word]);
                self.leaves.push(store.leaves_after(state, &changed, &known)?);
            }
            begin = end;
        }
        Ok(())
    }
}
