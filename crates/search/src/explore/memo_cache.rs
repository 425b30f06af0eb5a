//! A hash map from a row and a key to an entry, for rows whose keys are too many for a list.
//!
//! Open addressing over one array, so that a look-up is one visit to memory. Entries are never 0, which marks a free slot.

/// The map.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    slots: Vec<Slot>,
    length: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u64,
    row: u32,
    entry: u32,
}

impl Cache {
    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
    }

    /// Bytes that it takes, more than there are, to add so many entries: what is full is copied to a place of twice the size.
    pub fn bytes_to_grow(&self, entries: usize) -> usize {
        if (self.length + entries) * 2 >= self.slots.len() { 2 * self.bytes() } else { 0 }
    }

    /// The entry, or 0.
    #[inline(always)]
    pub fn get(&self, row: u32, key: u64) -> u32 {
        let mask = self.slots.len().wrapping_sub(1);
        if self.slots.is_empty() {
            return 0;
        }
        let mut place = hash(row, key) & mask;
        loop {
            let slot = &self.slots[place];
            if slot.entry == 0 || (slot.key == key && slot.row == row) {
                return slot.entry;
            }
            place = (place + 1) & mask;
        }
    }

    /// Sets an entry, which is not 0.
    pub fn insert(&mut self, row: u32, key: u64, entry: u32) {
        debug_assert_ne!(entry, 0);
        if self.length * 2 >= self.slots.len() {
            let larger = (self.slots.len() * 2).max(64);
            let old = std::mem::replace(&mut self.slots, vec![Slot::default(); larger]);
            old.into_iter().filter(|slot| slot.entry != 0).for_each(|slot| self.place(slot));
        }
        if self.get(row, key) == 0 {
            self.length += 1;
        }
        self.place(Slot { key, row, entry });
    }

    /// Calls `visit` with the row, the key and the entry of all.
    pub fn for_each(&self, mut visit: impl FnMut(u32, u64, u32)) {
        for slot in self.slots.iter().filter(|slot| slot.entry != 0) {
            visit(slot.row, slot.key, slot.entry);
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Cache::default();
    }

    fn place(&mut self, new: Slot) {
        let mask = self.slots.len() - 1;
        let mut place = hash(new.row, new.key) & mask;
        while self.slots[place].entry != 0
            && (self.slots[place].key, self.slots[place].row) != (new.key, new.row)
        {
            place = (place + 1) & mask;
        }
        self.slots[place] = new;
    }
}

#[inline(always)]
fn hash(row: u32, key: u64) -> usize {
    let mixed =
        (key ^ u64::from(row).wrapping_mul(0xA24B_AED4_963E_E407)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 32)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_gives_back_what_was_put_in() {
        let mut cache = Cache::default();
        assert_eq!(cache.get(1, 1), 0);
        for key in 0..5000u64 {
            cache.insert((key % 7) as u32, key << 40, key as u32 + 1);
        }
        for key in 0..5000u64 {
            assert_eq!(cache.get((key % 7) as u32, key << 40), key as u32 + 1);
            assert_eq!(cache.get((key % 7) as u32 + 7, key << 40), 0);
        }
        cache.insert(3, 3 << 40, 9);
        assert_eq!((cache.get(3, 3 << 40), cache.len()), (9, 5000));
    }
}
