//! Which states were surely not seen before (Bloom, "Space/time trade-offs in hash coding with allowable errors", 1970; here with all bits of
//! a state in one line of the cache).

/// Sets of eight words: what a processor fetches at once.
const LINE: usize = 8;
/// Bits that a state sets.
const BITS: u32 = 6;

/// Remembers states, and takes some for others that it has seen; never the other way round.
pub struct Filter {
    lines: Vec<[u64; LINE]>,
}

impl Filter {
    /// A filter of at most so many bytes.
    pub fn new(bytes: usize) -> Filter {
        let lines = (bytes / (8 * LINE)).max(1);
        Filter { lines: vec![[0; LINE]; lines] }
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.lines[..])
    }

    /// Adds a state. True if it was surely not there.
    pub fn insert<const N: usize>(&mut self, state: &[u64; N]) -> bool {
        let hash = hash(state);
        let line = (u128::from(hash) * self.lines.len() as u128) >> 64;
        let line = &mut self.lines[line as usize];
        let mut bits = mixed(hash, 0xD6E8_FEB8_6659_FD93);
        let mut is_new = false;
        for _ in 0..BITS {
            let (word, bit) = ((bits >> 6) as usize % LINE, bits & 63);
            is_new |= line[word] >> bit & 1 == 0;
            line[word] |= 1 << bit;
            bits >>= 9;
        }
        is_new
    }
}

/// A number that looks random.
pub fn hash<const N: usize>(state: &[u64; N]) -> u64 {
    state.iter().fold(0x243F_6A88_85A3_08D3, |hash, &word| mixed(hash ^ word, 0x9E37_79B9_7F4A_7C15))
}

fn mixed(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ (a >> 32)).wrapping_mul(u128::from(b));
    (product as u64) ^ ((product >> 64) as u64).wrapping_add(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_inserted_is_never_called_new() {
        let mut filter = Filter::new(1 << 12);
        let states: Vec<[u64; 2]> = (0..5_000u64).map(|n| [n, n * n]).collect();
        for state in &states {
            filter.insert(state);
        }
        assert!(states.iter().all(|state| !filter.insert(state)));
    }

    #[test]
    fn with_room_few_states_are_taken_for_others() {
        let mut filter = Filter::new(2 << 20);
        let taken_for_others = (0..1_000_000u64).filter(|&n| !filter.insert(&[n << 20])).count();
        assert!(taken_for_others < 20_000, "{taken_for_others} of a million, with 16 bits each");
    }
}
