//! The folder of a search: files of states, the values that their numbers stand for, and one page that says what belongs to it.
//!
//! Everything new is written beside what is there; then the page is replaced in one move. Whatever interrupts that (Ctrl-C, a crash,
//! the power), the old page and all that it names are whole; what it does not name is rubbish and goes with the next page.

use super::page::{self, Heading};
use super::values::{ValueEntry, ValuesFile};
use super::{Kind, Run, Trouble};
use crate::packed::components::Components;
use crate::packed::knowledge::Seen;
use crate::packed::layout::{Field, Layout};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

const SCHEMA: &str = "plimsoll-disk/1";
/// The name of the page.
pub const PAGE: &str = "search.json";
const VALUES: &str = "values";
/// The name of a file of states ends so: nothing else is ever removed.
const ENDING: &str = ".states";

/// What a search on disk has come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// What it is about.
    #[serde(flatten)]
    pub heading: Heading,
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
    values: ValuesFile,
}

impl Folder {
    /// An empty folder for a new search. One with a search in it is not touched.
    pub fn create(path: &Path, model: &str, question: &str) -> Result<Folder, Trouble> {
        let heading = Heading::begin(&path.join(PAGE), SCHEMA, model, question)?;
        let page = Page { heading, ..Page::default() };
        let values = ValuesFile::create(&path.join(VALUES))?;
        Ok(Folder { path: path.to_path_buf(), page, values })
    }

    /// The folder of a search that goes on.
    pub fn open(path: &Path, model: &str, question: &str) -> Result<Folder, Trouble> {
        let page: Page = page::read(&path.join(PAGE))?;
        page.heading.demand(&path.join(PAGE), SCHEMA, model, question)?;
        let values = ValuesFile::of(&path.join(VALUES), page.value_bytes);
        Ok(Folder { path: path.to_path_buf(), page, values })
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
        self.values.append(components)?;
        self.page.value_bytes = self.values.bytes();
        self.page.words = layout.words();
        self.page.fields = layout.fields().map(|(_, field)| (field.word, field.shift, field.width)).collect();
        page::write(&self.file(PAGE), &self.page)?;
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

    /// Gives all values their numbers again.
    pub fn restore_values(&mut self, components: &mut Components) -> Result<(), Trouble> {
        self.values.restore(|number, ValueEntry { component, kind, value }| {
            (components.restore(component, kind, &value)? == number).then_some(())
        })
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
