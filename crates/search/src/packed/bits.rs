//! Picking scattered bits out of a word.

/// The bits of `value` that `mask` selects, moved together at the low end.
#[inline(always)]
pub fn extract(value: u64, mask: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    // SAFETY: the instruction exists, because the program is compiled for processors that have it.
    return unsafe { std::arch::x86_64::_pext_u64(value, mask) };
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    extract_by_runs(value, mask)
}

/// The same without the instruction: one round for each run of ones in the mask, and masks are made of a few fields.
#[inline(always)]
#[cfg_attr(all(target_arch = "x86_64", target_feature = "bmi2"), allow(dead_code))]
fn extract_by_runs(value: u64, mask: u64) -> u64 {
    let mut rest = mask;
    let mut result = 0;
    let mut filled = 0;
    while rest != 0 {
        let start = rest.trailing_zeros();
        let length = (rest >> start).trailing_ones();
        let run = (value >> start) & (u64::MAX >> (64 - length));
        result |= run << filled;
        filled += length;
        rest &= !((u64::MAX >> (64 - length)) << start);
    }
    result
}

/// The bits of a state that a mask selects, side by side; at most 64 in all.
#[inline(always)]
pub fn extract_words<const N: usize>(state: &[u64; N], mask: &[u64; N]) -> u64 {
    let mut key = 0u64;
    for word in 0..N {
        if N == 1 {
            return extract(state[0], mask[0]);
        }
        if mask[word] != 0 {
            // At most 64 bits in all are selected, so a shift by 64 can only meet a key that is still 0.
            key = key.unbounded_shl(mask[word].count_ones()) | extract(state[word], mask[word]);
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selected_bits_move_together_in_their_order() {
        assert_eq!(extract_by_runs(0b1011_0110, 0b1111_0000), 0b1011);
        assert_eq!(extract_by_runs(0b1011_0110, 0b1001_0110), 0b1111);
        assert_eq!(extract_by_runs(u64::MAX, u64::MAX), u64::MAX);
        assert_eq!(extract_by_runs(0x1234_5678_9ABC_DEF0, 0xFF00_0000_0000_00FF), 0x12F0);
        assert_eq!(extract_by_runs(5, 0), 0);
        for mask in [0x8000_0000_0000_0001, 0x00FF_00F0_0F00_1003, u64::MAX << 3] {
            assert_eq!(extract(0xDEAD_BEEF_1234_5678, mask), extract_by_runs(0xDEAD_BEEF_1234_5678, mask));
        }
    }
}
