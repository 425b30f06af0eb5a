//! Files of states: sorted, without repetitions, each state written as its difference from the one before.
//!
//! A file is a head, blocks and an end. A block stands for itself (its first state is a difference from nothing) and carries a checksum of
//! what it holds; the end says how many states there are. So a file that was cut off, changed, or made by somebody else is noticed wherever
//! it is read, and nothing is concluded from it. A file may hold several levels of a search, each of them sorted, one after another.

use super::Trouble;
use crate::packed::layout::MOST_WORDS;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 16] = b"plimsoll-states1";
/// Bytes of a block, roughly.
const BLOCK: usize = 1 << 16;
/// Bytes that a reader takes, roughly: what comes from the disk, and a block of it.
pub const MEMORY_OF_A_READER: usize = 2 * BLOCK;
/// Bytes of a file's head: what it is, whose it is, words of a state.
const HEAD: usize = 16 + 8 + 4;
/// Bytes before a block: its length, how many states, the checksum.
const BLOCK_HEAD: usize = 12;

/// What a block without bytes says.
#[derive(Clone, Copy)]
enum Mark {
    /// The file ends, with so many states.
    End = 0,
    /// A level begins.
    Level = 1,
}

/// Writes a file of states.
pub struct RunWriter {
    file: BufWriter<File>,
    path: PathBuf,
    block: Vec<u8>,
    in_block: u32,
    before: [u64; MOST_WORDS],
    words: usize,
    states: u64,
    bytes: u64,
}

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// How many states.
    pub states: u64,
    /// How many bytes.
    pub bytes: u64,
}

impl RunWriter {
    /// A new file of the search with this key, for states of so many words.
    pub fn create(path: &Path, key: u64, words: usize) -> Result<RunWriter, Trouble> {
        let file = File::create(path).map_err(|error| Trouble::of(path, error))?;
        let mut writer = RunWriter {
            file: BufWriter::with_capacity(BLOCK, file),
            path: path.to_path_buf(),
            block: Vec::with_capacity(BLOCK + 16 * words),
            in_block: 0,
            before: [0; MOST_WORDS],
            words,
            states: 0,
            bytes: 0,
        };
        let mut head = MAGIC.to_vec();
        head.extend(key.to_le_bytes());
        head.extend((words as u32).to_le_bytes());
        writer.put(&head)?;
        Ok(writer)
    }

    /// Adds a state, which is larger than the one before.
    pub fn push(&mut self, state: &[u64]) -> Result<(), Trouble> {
        debug_assert!(self.in_block == 0 || state > &self.before[..self.words], "states are sorted");
        write_state(&mut self.block, &mut self.before[..self.words], state);
        self.in_block += 1;
        self.states += 1;
        if self.block.len() >= BLOCK { self.end_block() } else { Ok(()) }
    }

    /// The states that come now are of this level, and sorted for themselves.
    pub fn begin_level(&mut self, level: u64) -> Result<(), Trouble> {
        if self.in_block > 0 {
            self.end_block()?;
        }
        self.put_mark(Mark::Level, level)
    }

    /// Ends the file and waits until it is on the disk.
    pub fn finish(mut self) -> Result<Written, Trouble> {
        if self.in_block > 0 {
            self.end_block()?;
        }
        self.put_mark(Mark::End, self.states)?;
        let RunWriter { file, path, states, bytes, .. } = self;
        let file = file.into_inner().map_err(|error| Trouble::of(&path, error.into_error()))?;
        file.sync_all().map_err(|error| Trouble::of(&path, error))?;
        Ok(Written { states, bytes })
    }

    /// A block without bytes, and a number.
    fn put_mark(&mut self, mark: Mark, number: u64) -> Result<(), Trouble> {
        let number = number.to_le_bytes();
        let mut bytes = 0u32.to_le_bytes().to_vec();
        bytes.extend((mark as u32).to_le_bytes());
        bytes.extend(crc32fast::hash(&number).to_le_bytes());
        bytes.extend(number);
        self.put(&bytes)
    }

    fn end_block(&mut self) -> Result<(), Trouble> {
        let mut head = (self.block.len() as u32).to_le_bytes().to_vec();
        head.extend(self.in_block.to_le_bytes());
        head.extend(crc32fast::hash(&self.block).to_le_bytes());
        self.put(&head)?;
        let block = std::mem::take(&mut self.block);
        let written = self.put(&block);
        self.block = block;
        self.block.clear();
        self.in_block = 0;
        self.before = [0; MOST_WORDS];
        written
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|error| Trouble::of(&self.path, error))
    }
}

/// Reads a file of states.
pub struct RunReader {
    file: BufReader<File>,
    path: PathBuf,
    block: Vec<u8>,
    position: usize,
    left_in_block: u32,
    begins_block: bool,
    /// The state before, which the next one is larger than.
    last: Option<[u64; MOST_WORDS]>,
    state: [u64; MOST_WORDS],
    words: usize,
    states: u64,
    level: u64,
    has_ended: bool,
}

impl RunReader {
    /// A file of the search with this key, of states of so many words.
    pub fn open(path: &Path, key: u64, words: usize) -> Result<RunReader, Trouble> {
        let file = File::open(path).map_err(|error| Trouble::of(path, error))?;
        let mut reader = RunReader {
            file: BufReader::with_capacity(BLOCK, file),
            path: path.to_path_buf(),
            block: Vec::new(),
            position: 0,
            left_in_block: 0,
            begins_block: true,
            last: None,
            state: [0; MOST_WORDS],
            words,
            states: 0,
            level: 0,
            has_ended: false,
        };
        let head = reader.take::<HEAD>()?;
        if &head[..16] != MAGIC {
            return Err(reader.damaged("it is no file of states"));
        }
        if head[16..24] != key.to_le_bytes() {
            return Err(Trouble::Foreign { path: path.to_path_buf() });
        }
        match number_at(&head, 24) as usize == words && (1..=MOST_WORDS).contains(&words) {
            true => Ok(reader),
            false => Err(reader.damaged("its states have another size")),
        }
    }

    /// The next state, in rising order; `None` after the last one.
    pub fn next(&mut self) -> Result<Option<&[u64]>, Trouble> {
        while self.left_in_block == 0 {
            if self.has_ended || !self.next_block()? {
                return Ok(None);
            }
        }
        self.left_in_block -= 1;
        if std::mem::take(&mut self.begins_block) {
            self.state = [0; MOST_WORDS];
        }
        let state = &mut self.state[..self.words];
        if let Err(what) = read_state(&self.block, &mut self.position, state) {
            return Err(self.damaged(what));
        }
        if self.last.is_some_and(|last| last[..self.words] >= self.state[..self.words]) {
            return Err(self.damaged("its states are not in order"));
        }
        self.last = Some(self.state);
        self.states += 1;
        if self.left_in_block == 0 && self.position != self.block.len() {
            return Err(self.damaged("a block holds more than its states"));
        }
        Ok(Some(&self.state[..self.words]))
    }

    /// The level of the state that was read last, where there are levels.
    pub fn level(&self) -> u64 {
        self.level
    }

    fn next_block(&mut self) -> Result<bool, Trouble> {
        let head = self.take::<BLOCK_HEAD>()?;
        let (length, states, checksum) = (number_at(&head, 0), number_at(&head, 4), number_at(&head, 8));
        if length == 0 {
            let number = self.take::<8>()?;
            if crc32fast::hash(&number) != checksum || states > Mark::Level as u32 {
                return Err(self.damaged("its end is not where it should be"));
            }
            let number = u64::from_le_bytes(number);
            if states == Mark::Level as u32 {
                (self.level, self.last) = (number, None);
                return Ok(true);
            }
            let has_more = matches!(self.file.read(&mut [0]), Ok(1..));
            if number != self.states || has_more {
                return Err(self.damaged("its end is not where it should be"));
            }
            self.has_ended = true;
            return Ok(false);
        }
        if length as usize > 4 * BLOCK || states == 0 {
            return Err(self.damaged("a block has no size that there is"));
        }
        self.block.resize(length as usize, 0);
        let read = self.file.read_exact(&mut self.block);
        read.map_err(|error| cut_off(&self.path, error))?;
        if crc32fast::hash(&self.block) != checksum {
            return Err(self.damaged("the checksum of a block is wrong"));
        }
        (self.position, self.left_in_block, self.begins_block) = (0, states, true);
        Ok(true)
    }

    fn take<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], Trouble> {
        let mut bytes = [0; LENGTH];
        match self.file.read_exact(&mut bytes) {
            Ok(()) => Ok(bytes),
            Err(error) => Err(cut_off(&self.path, error)),
        }
    }

    fn damaged(&self, what: &'static str) -> Trouble {
        Trouble::Damaged { path: self.path.clone(), what }
    }
}

fn cut_off(path: &Path, error: io::Error) -> Trouble {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            Trouble::Damaged { path: path.to_path_buf(), what: "it ends too early" }
        }
        _ => Trouble::of(path, error),
    }
}

fn number_at(bytes: &[u8], place: usize) -> u32 {
    u32::from_le_bytes([bytes[place], bytes[place + 1], bytes[place + 2], bytes[place + 3]])
}

/// Writes a state as its difference from the one before, which it becomes.
pub fn write_state(bytes: &mut Vec<u8>, before: &mut [u64], state: &[u64]) {
    let changed = (0..state.len()).filter(|&word| state[word] != before[word]);
    if state.len() > 1 {
        write_number(bytes, changed.clone().fold(0u64, |mask, word| mask | 1 << word));
    } else if state == before {
        write_number(bytes, 0);
    }
    for (place, word) in changed.enumerate() {
        // What decides the order grows; of the rest, the bits that differ are few.
        let difference = match place {
            0 => state[word].wrapping_sub(before[word]),
            _ => state[word] ^ before[word],
        };
        write_number(bytes, difference);
    }
    before.copy_from_slice(state);
}

/// What [`write_state`] wrote: changes the state before to it. The error is in words.
pub fn read_state(bytes: &[u8], position: &mut usize, state: &mut [u64]) -> Result<(), &'static str> {
    const CUT_OFF: &str = "a number is cut off";
    let mask = match state.len() {
        1 => 1,
        _ => read_number(bytes, position).ok_or(CUT_OFF)?,
    };
    if mask >> (state.len() - 1) > 1 {
        return Err("a state has more words than there are");
    }
    let mut is_first = true;
    for word in (0..state.len()).filter(|&word| mask >> word & 1 == 1) {
        let difference = read_number(bytes, position).ok_or(CUT_OFF)?;
        state[word] = match std::mem::take(&mut is_first) {
            true => state[word].wrapping_add(difference),
            false => state[word] ^ difference,
        };
    }
    Ok(())
}

/// Seven bits a byte, the low ones first.
pub fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// What [`write_number`] wrote.
pub fn read_number(bytes: &[u8], position: &mut usize) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*position)?;
        *position += 1;
        number |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states() -> Vec<[u64; 2]> {
        let mut states: Vec<[u64; 2]> =
            (0..40_000u64).map(|n| [n / 7, n.wrapping_mul(0x9E37_79B9_7F4A_7C15)]).collect();
        states.extend([[0, 0], [u64::MAX, 0], [u64::MAX, u64::MAX]]);
        states.sort_unstable();
        states.dedup();
        states
    }

    fn written(path: &Path) {
        let mut writer = RunWriter::create(path, 7, 2).expect("a file");
        states().iter().for_each(|state| writer.push(state).expect("room"));
        assert_eq!(writer.finish().expect("room").states, states().len() as u64);
    }

    fn read(path: &Path) -> Result<Vec<[u64; 2]>, Trouble> {
        let mut reader = RunReader::open(path, 7, 2)?;
        let mut states = Vec::new();
        while let Some(state) = reader.next()? {
            states.push([state[0], state[1]]);
        }
        Ok(states)
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run");
        written(&path);
        assert_eq!(read(&path).expect("it is whole"), states());
    }

    #[test]
    fn a_file_that_was_cut_or_changed_anywhere_is_never_read_to_its_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run");
        written(&path);
        let whole = std::fs::read(&path).expect("read");
        for cut in (0..whole.len()).step_by(997).chain([whole.len() - 1]) {
            std::fs::write(&path, &whole[..cut]).expect("written");
            assert!(read(&path).is_err(), "cut after {cut} bytes");
            let mut changed = whole.clone();
            changed[cut] ^= 1 << (cut % 8);
            std::fs::write(&path, &changed).expect("written");
            assert!(read(&path).is_err(), "changed at {cut}");
        }
        let mut longer = whole;
        longer.push(0);
        std::fs::write(&path, &longer).expect("written");
        assert!(read(&path).is_err());
    }

    #[test]
    fn a_file_of_another_search_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run");
        written(&path);
        assert!(matches!(RunReader::open(&path, 8, 2), Err(Trouble::Foreign { .. })));
    }
}
