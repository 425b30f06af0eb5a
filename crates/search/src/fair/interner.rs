//! Byte strings by number, each kept once. States are written into bytes ([`Writer`]) and read back ([`Reader`]).

use foldhash::fast::FixedState;
use std::hash::BuildHasher;

/// A set of byte strings, numbered in the order in which they came.
#[derive(Default)]
pub struct Interner {
    bytes: Vec<u8>,
    /// Where each string ends; the next begins there.
    ends: Vec<usize>,
    /// Open addressing, a power of two long: a number plus one, or 0 where nothing is.
    table: Vec<u32>,
    hasher: FixedState,
}

impl Interner {
    /// The number of a string, which is added if it is new.
    pub fn intern(&mut self, key: &[u8]) -> u32 {
        if (self.ends.len() + 1) * 4 > self.table.len() * 3 {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut at = self.hasher.hash_one(key) as usize & mask;
        loop {
            match self.table[at] {
                0 => break,
                entry if self.get(entry - 1) == key => return entry - 1,
                _ => at = (at + 1) & mask,
            }
        }
        let number = u32::try_from(self.ends.len()).expect("the limit on states is below 2^32");
        self.bytes.extend_from_slice(key);
        self.ends.push(self.bytes.len());
        self.table[at] = number + 1;
        number
    }

    /// The string with this number.
    pub fn get(&self, number: u32) -> &[u8] {
        let index = number as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    /// How many strings there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes of memory in use, also while the table is copied to a larger place.
    pub fn memory(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * 8 + 3 * self.table.capacity() * 4
    }

    fn grow(&mut self) {
        let size = (self.table.len() * 2).max(64);
        self.table = vec![0; size];
        for number in 0..self.ends.len() as u32 {
            let mut at = self.hasher.hash_one(self.get(number)) as usize & (size - 1);
            while self.table[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.table[at] = number + 1;
        }
    }
}

/// Writes numbers, small ones in few bytes.
#[derive(Default)]
pub struct Writer {
    /// What was written.
    pub bytes: Vec<u8>,
}

impl Writer {
    /// A number without a sign.
    pub fn unsigned(&mut self, mut value: u32) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// A number with a sign.
    pub fn signed(&mut self, value: i32) {
        self.unsigned(((value << 1) ^ (value >> 31)) as u32);
    }
}

/// Reads what a [`Writer`] wrote, in the same order.
pub struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    /// From the beginning.
    pub fn new(bytes: &'b [u8]) -> Reader<'b> {
        Reader { bytes, at: 0 }
    }

    /// A number without a sign.
    pub fn unsigned(&mut self) -> u32 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.bytes[self.at];
            self.at += 1;
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return value;
            }
            shift += 7;
        }
    }

    /// A number with a sign.
    pub fn signed(&mut self) -> i32 {
        let value = self.unsigned();
        (value >> 1) as i32 ^ -((value & 1) as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_have_one_number_across_growth() {
        let mut interner = Interner::default();
        for round in 0..2 {
            for value in 0..1000u32 {
                assert_eq!(interner.intern(&value.to_le_bytes()), value, "round {round}");
            }
        }
        assert_eq!(interner.len(), 1000);
        assert_eq!(interner.get(700), 700u32.to_le_bytes());
    }

    #[test]
    fn numbers_come_back() {
        let values = [0, 1, -1, 63, 64, -64, -65, i32::MAX, i32::MIN, 8191, 8192];
        let mut writer = Writer::default();
        values.iter().for_each(|&value| writer.signed(value));
        writer.unsigned(u32::MAX);
        let mut reader = Reader::new(&writer.bytes);
        assert_eq!(values.map(|_| reader.signed()), values);
        assert_eq!(reader.unsigned(), u32::MAX);
    }
}
