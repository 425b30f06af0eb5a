//! The folder of a search: files of states, the values that their numbers stand for, and one page that says what belongs to it.
//!
//! Everything new is written beside what is there; then the page is replaced in one move. Whatever interrupts that (Ctrl-C, a crash,
//! the power), the old page and all that it names are whole; what it does not name is rubbish and goes with the next page.

use super::run::{read_number, write_number};
use super::{Kind, Run, Trouble};
use crate::packed::components::{Component, ComponentId, Components};
use crate::packed::knowledge::Seen;
use crate::packed::layout::{Field, Layout};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use system::state::{ChannelId, Pid};

const SCHEMA: &str = "plimsoll-disk/1";
const PAGE: &str = "search.json";
const VALUES: &str = "values";
/// The name of a file of states ends so: nothing else is ever removed.
const ENDING: &str = ".states";

/// What a search on disk has come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// The form of this page.
    pub schema: String,
    /// Fingerprint of the model.
    pub model: String,
    /// What is asked of it.
    pub question: String,
    /// Stands in all files of the search.
    pub key: u64,
    /// Words of a state.
    pub words: usize,
    /// Word, first bit and width of each component's field.
    pub fields: Vec<(u32, u32, u32)>,
    /// All states.
    pub runs: Vec<Run>,
    /// States that may have been seen before: files, and how many each has.
    pub suspects: Vec<(String, u64)>,
    /// How often new states were put on the disk.
    pub round: u32,
    /// Numbers the files.
    pub next_file: u64,
    /// Bytes of the file of values that count.
    pub value_bytes: u64,
    /// Arrivals at states, the initial one included.
    pub arrivals: u64,
    /// Steps that ended inside of an `atomic`.
    pub atomic_steps: u64,
    /// Errors: how often, the numbers of the state, and which of its problems it is.
    pub found: Vec<(u64, Vec<u32>, usize)>,
    /// What was seen on the way.
    pub seen: Seen,
}

/// The folder of a search.
pub struct Folder {
    path: PathBuf,
    /// What is on the page.
    pub page: Page,
    /// How many values of each component are in the file.
    kept: Vec<usize>,
}

impl Folder {
    /// An empty folder for a new search. One with a search in it is not touched.
    pub fn create(path: &Path, model: &str, question: &str) -> Result<Folder, Trouble> {
        fs::create_dir_all(path).map_err(|error| Trouble::of(path, error))?;
        if path.join(PAGE).exists() {
            return Err(Trouble::InUse { path: path.to_path_buf() });
        }
        let page = Page {
            schema: SCHEMA.to_string(),
            model: model.to_string(),
            question: question.to_string(),
            key: key_of(path, model),
            ..Page::default()
        };
        File::create(path.join(VALUES)).map_err(|error| Trouble::of(path, error))?;
        Ok(Folder { path: path.to_path_buf(), page, kept: Vec::new() })
    }

    /// The folder of a search that goes on.
    pub fn open(path: &Path, model: &str, question: &str) -> Result<Folder, Trouble> {
        let file = path.join(PAGE);
        let text = fs::read_to_string(&file).map_err(|error| Trouble::of(&file, error))?;
        let damaged = |what| Trouble::Damaged { path: file.clone(), what };
        let (page, checksum) = text.split_once('\n').ok_or_else(|| damaged("it ends too early"))?;
        if format!("{:08x}\n", crc32fast::hash(page.as_bytes())) != checksum {
            return Err(damaged("its checksum is wrong"));
        }
        let page: Page = serde_json::from_str(page).map_err(|_| damaged("it is no page of a search"))?;
        let other = |what: String| Trouble::Other { path: path.to_path_buf(), what };
        if page.schema != SCHEMA {
            return Err(other(format!("has the form `{}`, not `{SCHEMA}`", page.schema)));
        }
        if page.model != model {
            return Err(other("belongs to another model".to_string()));
        }
        if page.question != question {
            return Err(other(format!("was begun with {}, not with {question}", page.question)));
        }
        Ok(Folder { path: path.to_path_buf(), page, kept: Vec::new() })
    }

    /// The path of a file.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// A name that no file has.
    pub fn new_name(&mut self) -> String {
        self.page.next_file += 1;
        format!("{:06}{ENDING}", self.page.next_file)
    }

    /// Everything that is found in the folder from now on.
    pub fn commit(&mut self, components: &Components, layout: &Layout) -> Result<(), Trouble> {
        self.append_values(components)?;
        self.page.words = layout.words();
        self.page.fields = layout.fields().map(|(_, field)| (field.word, field.shift, field.width)).collect();
        let text = serde_json::to_string(&self.page).unwrap_or_default();
        let checksum = crc32fast::hash(text.as_bytes());
        let (new, page) = (self.file("search.new"), self.file(PAGE));
        let write = || {
            let mut file = File::create(&new)?;
            write!(file, "{text}\n{checksum:08x}\n")?;
            file.sync_all()?;
            fs::rename(&new, &page)?;
            File::open(&self.path)?.sync_all()
        };
        write().map_err(|error| Trouble::of(&page, error))?;
        self.remove_what_is_not_named();
        Ok(())
    }

    /// Files that the page does not name. If one cannot be removed it takes room, nothing else.
    fn remove_what_is_not_named(&self) {
        let named: HashSet<&str> = self
            .page
            .runs
            .iter()
            .map(|run| &*run.file)
            .chain(self.page.suspects.iter().map(|(file, _)| &**file))
            .collect();
        let Ok(entries) = fs::read_dir(&self.path) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            if name.ends_with(ENDING) && !named.contains(name) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Adds the values that are not in the file yet.
    fn append_values(&mut self, components: &Components) -> Result<(), Trouble> {
        self.kept.resize(components.len(), 0);
        let mut block = Vec::new();
        for component in components.ids() {
            let index = component.0 as usize;
            for number in self.kept[index]..components.values(component) {
                write_number(&mut block, u64::from(component.0));
                write_kind(&mut block, components.kind(component));
                let value = components.value(component, number as u32);
                write_number(&mut block, value.len() as u64);
                value.iter().for_each(|&value| write_number(&mut block, u64::from(value as u32)));
            }
            self.kept[index] = components.values(component);
        }
        if block.is_empty() {
            return Ok(());
        }
        let path = self.file(VALUES);
        let append = || {
            let mut file = OpenOptions::new().write(true).open(&path)?;
            // Behind what counts there may be what was written before a crash.
            file.set_len(self.page.value_bytes)?;
            file.seek(SeekFrom::End(0))?;
            file.write_all(&(block.len() as u64).to_le_bytes())?;
            file.write_all(&crc32fast::hash(&block).to_le_bytes())?;
            file.write_all(&block)?;
            file.sync_all()
        };
        append().map_err(|error| Trouble::of(&path, error))?;
        self.page.value_bytes += 12 + block.len() as u64;
        Ok(())
    }

    /// Gives all values their numbers again.
    pub fn restore_values(&mut self, components: &mut Components) -> Result<(), Trouble> {
        let path = self.file(VALUES);
        let damaged = |what| Trouble::Damaged { path: path.clone(), what };
        let mut bytes = Vec::new();
        let file = File::open(&path).map_err(|error| Trouble::of(&path, error))?;
        file.take(self.page.value_bytes)
            .read_to_end(&mut bytes)
            .map_err(|error| Trouble::of(&path, error))?;
        if bytes.len() as u64 != self.page.value_bytes {
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
            self.restore_block(block, components).ok_or_else(|| damaged("a value has another number"))?;
            rest = tail;
        }
        Ok(())
    }

    fn restore_block(&mut self, block: &[u8], components: &mut Components) -> Option<()> {
        let mut position = 0;
        while position < block.len() {
            let component = ComponentId(u32::try_from(read_number(block, &mut position)?).ok()?);
            let kind = read_kind(block, &mut position)?;
            let length = read_number(block, &mut position)?;
            let value: Option<Vec<i32>> = (0..length)
                .map(|_| read_number(block, &mut position).map(|value| value as u32 as i32))
                .collect();
            let index = component.0 as usize;
            if self.kept.len() <= index {
                self.kept.resize(index + 1, 0);
            }
            let number = components.restore(component, kind, &value?)?;
            if number as usize != self.kept[index] {
                return None;
            }
            self.kept[index] += 1;
        }
        Some(())
    }

    /// The layout of all states.
    pub fn layout(&self) -> Layout {
        let fields = self.page.fields.iter().map(|&(word, shift, width)| Field { word, shift, width });
        Layout::restored(fields.collect(), self.page.words)
    }

    /// Files of states, of one kind or of all.
    pub fn runs(&self, wanted: impl Fn(&Run) -> bool) -> Vec<PathBuf> {
        self.page.runs.iter().filter(|run| wanted(run)).map(|run| self.file(&run.file)).collect()
    }

    /// How many states there are.
    pub fn states(&self) -> u64 {
        self.page.runs.iter().map(|run| run.states).sum()
    }

    /// How many of them wait for their turn.
    pub fn waiting(&self) -> u64 {
        let open = self.page.runs.iter().filter(|run| run.kind != Kind::Done);
        open.map(|run| run.states - run.expanded).sum()
    }

    /// Bytes of all files of states.
    pub fn bytes(&self) -> u64 {
        self.page.runs.iter().map(|run| run.bytes).sum()
    }
}

/// A number that another search hardly has.
fn key_of(path: &Path, model: &str) -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let text = format!("{} {model} {:?} {}", path.display(), now, std::process::id());
    u64::from(crc32fast::hash(text.as_bytes())) << 32
        | u64::from(crc32fast::hash(text.to_uppercase().as_bytes()))
}

fn write_kind(block: &mut Vec<u8>, kind: Component) {
    let numbers = match kind {
        Component::Shape => [0, 0, 0],
        Component::Last => [1, 0, 0],
        Component::EventTrace => [2, 0, 0],
        Component::Globals { first, count } => [3, first, count],
        Component::Process(pid) => [4, pid.0, 0],
        Component::Channel(id) => [5, id.0, 0],
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
