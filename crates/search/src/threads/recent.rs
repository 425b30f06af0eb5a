//! States that a thread has met of late.
//!
//! Three of four successors are known already, and many of those were met a moment ago: two processes that move in either order meet in
//! the same state. Asking a small list that is always near costs less than asking the table.

/// A list with one place for each hash: the last state with that hash that was met.
#[derive(Debug)]
pub struct RecentStates<const N: usize> {
    places: Vec<[u64; N]>,
}

impl<const N: usize> RecentStates<N> {
    /// 4,096 states of one word, fewer of more.
    const BITS: u32 = match N {
        1 | 2 => 12,
        4 => 11,
        _ => 8,
    };

    /// Whether a state is there; it is afterwards.
    #[inline(always)]
    pub fn has_met(&mut self, state: &[u64; N]) -> bool {
        let place = &mut self.places[Self::place(state)];
        let met = place == state;
        *place = *state;
        met
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        *self = RecentStates::default();
    }

    #[inline(always)]
    fn place(state: &[u64; N]) -> usize {
        let mut mixed = 0u64;
        for &word in state {
            mixed = (mixed.rotate_left(29) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        (mixed >> (64 - Self::BITS)) as usize
    }
}

impl<const N: usize> Default for RecentStates<N> {
    fn default() -> Self {
        // A place holds states with its own hash only; a state that has another one stands for none.
        let zero = [0; N];
        let mut other = zero;
        while Self::place(&other) == Self::place(&zero) {
            other[0] += 1;
        }
        let mut places = vec![zero; 1 << Self::BITS];
        places[Self::place(&zero)] = other;
        RecentStates { places }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_met_before_it_comes() {
        let mut recent = RecentStates::<2>::default();
        let states = (0..5_000u64).map(|number| [number / 7, number * number]);
        for state in states.clone() {
            assert!(!recent.has_met(&state), "{state:?}");
            assert!(recent.has_met(&state));
        }
        recent.clear();
        assert!(states.into_iter().all(|state| !recent.has_met(&state)));
    }
}
