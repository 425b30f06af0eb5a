//! The values that the numbers in packed states stand for, as bytes: in a file beside files of states, and on their way to somebody else.

use super::Trouble;
use super::run::{read_number, write_number};
use crate::packed::components::{Component, ComponentId, Components};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use system::state::{ChannelId, Pid};

/// A value of a component, in the numbering of whoever wrote it: values of one component come in the order of their numbers.
pub struct ValueEntry {
    /// Which component.
    pub component: ComponentId,
    /// What it is.
    pub kind: Component,
    /// Its value.
    pub value: Vec<i32>,
}

/// Writes the values that a reader has not had yet. `told` is how many of each component it had, and has all afterwards.
pub fn write_new(bytes: &mut Vec<u8>, components: &Components, told: &mut Vec<usize>) {
    told.resize(components.len(), 0);
    for component in components.ids() {
        let index = component.0 as usize;
        for number in told[index]..components.values(component) {
            write_number(bytes, u64::from(component.0));
            write_kind(bytes, components.kind(component));
            let value = components.value(component, number as u32);
            write_number(bytes, value.len() as u64);
            value.iter().for_each(|&value| write_number(bytes, u64::from(value as u32)));
        }
        told[index] = components.values(component);
    }
}

/// Reads what [`write_new`] wrote: `visit` is told each value's number among those of its component. `None` if that makes no sense, to the
/// reader or to `visit`. `had` is how many of each component there were, and are.
pub fn read_new(
    bytes: &[u8],
    had: &mut Vec<usize>,
    mut visit: impl FnMut(u32, ValueEntry) -> Option<()>,
) -> Option<()> {
    let mut position = 0;
    while position < bytes.len() {
        let component = u32::try_from(read_number(bytes, &mut position)?).ok()?;
        let kind = read_kind(bytes, &mut position)?;
        let length = read_number(bytes, &mut position)?;
        let value: Option<Vec<i32>> =
            (0..length).map(|_| read_number(bytes, &mut position).map(|value| value as u32 as i32)).collect();
        let index = component as usize;
        // Components are as old as their numbers say.
        if index > had.len() {
            return None;
        }
        if had.len() == index {
            had.push(0);
        }
        visit(had[index] as u32, ValueEntry { component: ComponentId(component), kind, value: value? })?;
        had[index] += 1;
    }
    Some(())
}

/// A file of values, which grows.
pub struct ValuesFile {
    path: PathBuf,
    /// How many bytes of it count.
    bytes: u64,
    /// How many values of each component are in it.
    kept: Vec<usize>,
}

impl ValuesFile {
    /// A new one.
    pub fn create(path: &Path) -> Result<ValuesFile, Trouble> {
        File::create(path).map_err(|error| Trouble::of(path, error))?;
        Ok(ValuesFile::of(path, 0))
    }

    /// One that is there, of which so many bytes count. Before anything is added it is to be restored.
    pub fn of(path: &Path, bytes: u64) -> ValuesFile {
        ValuesFile { path: path.to_path_buf(), bytes, kept: Vec::new() }
    }

    /// How many bytes of it count.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds the values that are not in the file yet, and waits until they are on the disk.
    pub fn append(&mut self, components: &Components) -> Result<(), Trouble> {
        let mut block = Vec::new();
        write_new(&mut block, components, &mut self.kept);
        if block.is_empty() {
            return Ok(());
        }
        let append = || {
            let mut file = OpenOptions::new().write(true).open(&self.path)?;
            // Behind what counts there may be what was written before a crash.
            file.set_len(self.bytes)?;
            file.seek(SeekFrom::End(0))?;
            file.write_all(&(block.len() as u64).to_le_bytes())?;
            file.write_all(&crc32fast::hash(&block).to_le_bytes())?;
            file.write_all(&block)?;
            file.sync_all()
        };
        append().map_err(|error| Trouble::of(&self.path, error))?;
        self.bytes += 12 + block.len() as u64;
        Ok(())
    }

    /// Calls `visit` with every value and its number, and refuses the file if it says `None`.
    pub fn restore(&mut self, mut visit: impl FnMut(u32, ValueEntry) -> Option<()>) -> Result<(), Trouble> {
        let damaged = |what| Trouble::Damaged { path: self.path.clone(), what };
        let mut bytes = Vec::new();
        let file = File::open(&self.path).map_err(|error| Trouble::of(&self.path, error))?;
        file.take(self.bytes).read_to_end(&mut bytes).map_err(|error| Trouble::of(&self.path, error))?;
        if bytes.len() as u64 != self.bytes {
            return Err(damaged("it ends too early"));
        }
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let (head, tail) = rest.split_at_checked(12).ok_or_else(|| damaged("it ends too early"))?;
            let mut length = [0; 8];
            length.copy_from_slice(&head[..8]);
            let length = usize::try_from(u64::from_le_bytes(length)).unwrap_or(usize::MAX);
            let (block, tail) = tail.split_at_checked(length).ok_or_else(|| damaged("it ends too early"))?;
            if crc32fast::hash(block).to_le_bytes() != head[8..] {
                return Err(damaged("its checksum is wrong"));
            }
            read_new(block, &mut self.kept, &mut visit)
                .ok_or_else(|| damaged("a value has another number"))?;
            rest = tail;
        }
        Ok(())
    }
}

fn write_kind(block: &mut Vec<u8>, kind: Component) {
    let numbers = match kind {
        Component::Shape => [0, 0, 0],
        Component::Last => [1, 0, 0],
        Component::EventTrace => [2, 0, 0],
        Component::Globals { first, count } => [3, first, count],
        Component::Process(pid) => [4, pid.0, 0],
        Component::Channel(id) => [5, id.0, 0],
        // Frames are not divided where values go to disk: nobody reads this.
        Component::Locals { pid, first, .. } => [6, pid.0, first],
    };
    numbers.into_iter().for_each(|number| write_number(block, u64::from(number)));
}

fn read_kind(block: &[u8], position: &mut usize) -> Option<Component> {
    let mut number = || read_number(block, position).and_then(|number| u32::try_from(number).ok());
    let (kind, first, second) = (number()?, number()?, number()?);
    match kind {
        0 => Some(Component::Shape),
        1 => Some(Component::Last),
        2 => Some(Component::EventTrace),
        3 => Some(Component::Globals { first, count: second }),
        4 => Some(Component::Process(Pid(first))),
        5 => Some(Component::Channel(ChannelId(first))),
        _ => None,
    }
}
