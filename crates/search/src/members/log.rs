//! The log of a search by several members, in a folder that all of them see.
//!
//! Each member writes the levels that are complete into files of its own, in its own numbering, and now and then a **trailer**: everything up
//! to this level is here, and these are my figures. A commit counts when the trailers of all members are there, so what was written by some
//! of them before a crash is as if it had never been. Those who come after it are another **generation**, with as many members as there are; it
//! says on which commit of which generation it stands, so that nothing that a straggler of an older one still writes can matter.

use super::numbering::{FieldNumbers, Numbering};
use super::owners::Ownership;
use super::share::Interruption;
use super::{Failure, Figures, joined};
use crate::disk::Trouble;
use crate::disk::page::{self, Heading};
use crate::disk::run::{RunReader, RunWriter};
use crate::disk::values::ValuesFile;
use crate::packed::components::Components;
use crate::packed::digest::StatesDigest;
use crate::packed::layout::{Layout, MOST_WORDS};
use crate::report::StopReason;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

const SCHEMA: &str = "plimsoll-cluster/2";
const PAGE: &str = "cluster.json";
const GENERATION: &str = "generation.json";
const VALUES: &str = "values";

/// The folder of a search by several members.
#[derive(Clone, Debug)]
pub struct SharedFolder {
    path: PathBuf,
    page: Heading,
}

/// Members that search together, until one of them is lost or the search ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generation {
    /// They are counted from 1.
    pub number: u32,
    /// How many members there are, and which states belong to whom.
    pub ownership: Ownership,
    /// On which commit of which generation it stands.
    base: Option<(u32, u32)>,
}

/// What a member says when it commits.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Trailer {
    /// The level that is complete and not expanded.
    depth: u64,
    /// Files since the last commit.
    files: Vec<LogFile>,
    /// Bytes of the file of values that count.
    value_bytes: u64,
    /// Levels since the last commit, and how many states of each are here.
    levels: Vec<(u64, u64)>,
    /// Everything before the level was expanded.
    figures: Figures,
    /// There is nothing left to expand, for any member.
    complete: bool,
}

/// A file of states.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LogFile {
    file: String,
    words: usize,
    fields: Vec<FieldNumbers>,
    /// The first and the last level.
    levels: (u64, u64),
    bytes: u64,
}

impl SharedFolder {
    /// An empty folder for a new search. One with a search in it is not touched.
    pub fn create(path: &Path, model: &str, question: &str) -> Result<SharedFolder, Trouble> {
        let page = Heading::begin(&path.join(PAGE), SCHEMA, model, question)?;
        page::write(&path.join(PAGE), &page)?;
        Ok(SharedFolder { path: path.to_path_buf(), page })
    }

    /// The folder of a search that goes on.
    pub fn open(path: &Path, model: &str, question: &str) -> Result<SharedFolder, Trouble> {
        let page: Heading = page::read(&path.join(PAGE))?;
        page.demand(&path.join(PAGE), SCHEMA, model, question)?;
        Ok(SharedFolder { path: path.to_path_buf(), page })
    }

    /// Stands in all files of the search.
    pub fn key(&self) -> u64 {
        self.page.key
    }

    /// Begins a generation on what the ones before have committed.
    pub fn begin_generation(&self, ownership: Ownership) -> Result<Generation, Trouble> {
        let newest = self.newest()?;
        let base = match newest {
            0 => None,
            newest => self.last_commit(newest)?,
        };
        let mut number = newest + 1;
        // Whoever begins at the same time has the next number.
        while let Err(error) = fs::create_dir(self.place_of_generation(number)) {
            match error.kind() {
                io::ErrorKind::AlreadyExists => number += 1,
                _ => return Err(Trouble::of(&self.path, error)),
            }
        }
        let generation = Generation { number, ownership, base };
        page::write(&self.place_of_generation(number).join(GENERATION), &generation)?;
        Ok(generation)
    }

    /// A generation that was begun.
    pub fn generation(&self, number: u32) -> Result<Generation, Trouble> {
        page::read(&self.place_of_generation(number).join(GENERATION))
    }

    /// Where a member has its files.
    pub fn place(&self, generation: u32, member: usize) -> PathBuf {
        self.place_of_generation(generation).join(format!("m{member:04}"))
    }

    /// What a generation begins with; `None`: the initial state.
    pub fn before(&self, generation: &Generation) -> Result<Option<Chain>, Trouble> {
        generation.base.map(|(number, commit)| self.chain_to(number, commit)).transpose()
    }

    /// What a generation has come to.
    pub fn chain(&self, generation: &Generation) -> Result<Option<Chain>, Trouble> {
        let last = self.last_commit(generation.number)?;
        last.map(|(number, commit)| self.chain_to(number, commit)).transpose()
    }

    fn place_of_generation(&self, number: u32) -> PathBuf {
        self.path.join(format!("g{number:06}"))
    }

    fn trailer_path(&self, generation: u32, member: usize, commit: u32) -> PathBuf {
        self.place(generation, member).join(trailer_name(commit))
    }

    /// The newest generation that has a page; 0 if there is none.
    fn newest(&self) -> Result<u32, Trouble> {
        let entries = fs::read_dir(&self.path).map_err(|error| Trouble::of(&self.path, error))?;
        let has_page = |number: &u32| self.place_of_generation(*number).join(GENERATION).exists();
        let numbers = entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.strip_prefix('g')?.parse::<u32>().ok());
        Ok(numbers.filter(has_page).max().unwrap_or(0))
    }

    /// The last commit of a generation, or the one that it stands on.
    fn last_commit(&self, number: u32) -> Result<Option<(u32, u32)>, Trouble> {
        let generation = self.generation(number)?;
        let is_there = |commit: u32| {
            (0..generation.ownership.members())
                .all(|member| self.trailer_path(number, member, commit).exists())
        };
        let commits = (1..).take_while(|&commit| is_there(commit)).last();
        Ok(commits.map(|commit| (number, commit)).or(generation.base))
    }

    fn chain_to(&self, number: u32, commit: u32) -> Result<Chain, Trouble> {
        let mut links = Vec::new();
        let mut at = Some((number, commit));
        while let Some((number, commit)) = at {
            let generation = self.generation(number)?;
            at = generation.base;
            let trailers: Result<Vec<Vec<Trailer>>, Trouble> = (0..generation.ownership.members())
                .map(|member| {
                    (1..=commit)
                        .map(|commit| page::read(&self.trailer_path(number, member, commit)))
                        .collect()
                })
                .collect();
            links.push(Link { generation, trailers: trailers? });
        }
        links.reverse();
        let chain = Chain { folder: self.clone(), links };
        let is_level = chain.last().all(|trailer| trailer.depth == chain.depth());
        match is_level {
            true => Ok(chain),
            false => {
                let path = self.place_of_generation(number);
                Err(Trouble::Damaged { path, what: "its members have committed different levels" })
            }
        }
    }
}

fn trailer_name(commit: u32) -> String {
    format!("{commit:06}.json")
}

/// What was committed, by all generations up to one.
pub struct Chain {
    folder: SharedFolder,
    links: Vec<Link>,
}

/// The part of one generation: trailers by member and commit.
struct Link {
    generation: Generation,
    trailers: Vec<Vec<Trailer>>,
}

impl Chain {
    fn last(&self) -> impl Iterator<Item = &Trailer> {
        self.links.last().into_iter().flat_map(|link| &link.trailers).filter_map(|trailers| trailers.last())
    }

    /// The last level: it is complete and not expanded.
    pub fn depth(&self) -> u64 {
        self.last().map(|trailer| trailer.depth).max().unwrap_or(0)
    }

    /// Whether there is nothing left to do.
    pub fn is_complete(&self) -> bool {
        self.last().all(|trailer| trailer.complete)
    }

    /// How many generations there were.
    pub fn generations(&self) -> u64 {
        self.links.last().map_or(0, |link| u64::from(link.generation.number))
    }

    /// Bytes of the files of states.
    pub fn bytes(&self) -> u64 {
        let trailers = self.links.iter().flat_map(|link| link.trailers.iter().flatten());
        trailers.flat_map(|trailer| &trailer.files).map(|file| file.bytes).sum()
    }

    /// States of each level, all members together.
    pub fn levels(&self) -> Vec<u64> {
        let mut levels = Vec::new();
        let trailers = self.links.iter().flat_map(|link| link.trailers.iter().flatten());
        for &(level, states) in trailers.flat_map(|trailer| &trailer.levels) {
            let level = level as usize;
            if levels.len() <= level {
                levels.resize(level + 1, 0);
            }
            levels[level] += states;
        }
        levels
    }

    /// The figures of each member of the last generation.
    pub fn by_member(&self) -> Vec<&Figures> {
        self.last().map(|trailer| &trailer.figures).collect()
    }

    /// The figures of all members together.
    pub fn figures(&self) -> Figures {
        let mut all = Figures::default();
        for trailer in self.last() {
            all.join(&trailer.figures);
            all.seen.join(&trailer.figures.seen);
        }
        all
    }

    /// What stands for all states.
    pub(super) fn digest(&self) -> Option<StatesDigest> {
        joined(self.last().map(|trailer| trailer.figures.digest.clone()))
    }

    /// All logs, in numbers that are turned into ours. All values are known afterwards.
    pub(super) fn logs(&self, components: &mut Components) -> Result<Vec<Log>, Trouble> {
        let mut logs = Vec::new();
        for Link { generation, trailers } in &self.links {
            for (member, trailers) in trailers.iter().enumerate() {
                let Some(last) = trailers.last() else { continue };
                let place = self.folder.place(generation.number, member);
                let mut numbering = Numbering::default();
                ValuesFile::of(&place.join(VALUES), last.value_bytes)
                    .restore(|number, entry| numbering.learn_entry(number, entry, components))?;
                let files = trailers.iter().flat_map(|trailer| trailer.files.iter().cloned()).collect();
                logs.push(Log { place, key: self.folder.key(), numbering, files });
            }
        }
        Ok(logs)
    }
}

/// The log of one member of one generation.
pub struct Log {
    place: PathBuf,
    key: u64,
    numbering: Numbering,
    files: Vec<LogFile>,
}

impl Log {
    /// Our layout is another one from now on.
    pub fn forget_routes(&mut self) {
        self.numbering.forget_routes();
    }

    /// Calls `visit` with the states of some levels, until it says that it is enough; whether it did.
    pub fn for_each(
        &mut self,
        levels: RangeInclusive<u64>,
        mut visit: impl FnMut(u64, &mut Numbering, &[u64]) -> Result<bool, Interruption>,
    ) -> Result<bool, Failure> {
        for file in &self.files {
            if file.levels.1 < *levels.start() || file.levels.0 > *levels.end() {
                continue;
            }
            let path = self.place.join(&file.file);
            let no_sense = || Trouble::Damaged { path: path.clone(), what: "its states make no sense" };
            self.numbering.set_layout(file.fields.clone(), file.words).ok_or_else(no_sense)?;
            let mut reader = RunReader::open(&path, self.key, file.words)?;
            let mut words = [0; MOST_WORDS];
            while let Some(state) = reader.next()? {
                words[..state.len()].copy_from_slice(state);
                let level = reader.level();
                if level > *levels.end() {
                    break;
                }
                if level < *levels.start() {
                    continue;
                }
                match visit(level, &mut self.numbering, &words[..file.words]) {
                    Ok(true) => {}
                    Ok(false) => return Ok(true),
                    Err(Interruption::Garbled) => return Err(no_sense().into()),
                    Err(_) => return Err(Failure::Stopped(StopReason::Memory(0))),
                }
            }
        }
        Ok(false)
    }
}

/// Writes the log of a member.
pub struct LevelLog {
    place: PathBuf,
    key: u64,
    values: ValuesFile,
    /// How often it has committed.
    commits: u32,
    /// Numbers the files.
    next_file: u32,
    /// The file that is written, and the number of its layout.
    open: Option<(u32, RunWriter, LogFile)>,
    files: Vec<LogFile>,
    levels: Vec<(u64, u64)>,
}

impl LevelLog {
    /// A new one.
    pub fn create(place: &Path, key: u64) -> Result<LevelLog, Trouble> {
        fs::create_dir_all(place).map_err(|error| Trouble::of(place, error))?;
        let values = ValuesFile::create(&place.join(VALUES))?;
        let (files, levels) = (Vec::new(), Vec::new());
        let place = place.to_path_buf();
        Ok(LevelLog { place, key, values, commits: 0, next_file: 1, open: None, files, levels })
    }

    /// Adds a level, which is sorted. Layouts have numbers.
    pub fn write_level<const N: usize>(
        &mut self,
        depth: u64,
        states: &[[u64; N]],
        (layout, number): (&Layout, u32),
    ) -> Result<(), Trouble> {
        self.levels.push((depth, states.len() as u64));
        if states.is_empty() {
            return Ok(());
        }
        if self.open.as_ref().is_some_and(|(of, ..)| *of != number) {
            self.close()?;
        }
        let (_, writer, file) = match &mut self.open {
            Some(open) => open,
            none => {
                let name = format!("{:06}.states", self.next_file);
                self.next_file += 1;
                let writer = RunWriter::create(&self.place.join(&name), self.key, N)?;
                let fields = layout.fields().map(|(_, field)| (field.word, field.shift, field.width));
                let fields = fields.collect();
                let file = LogFile { file: name, words: N, fields, levels: (depth, depth), bytes: 0 };
                none.insert((number, writer, file))
            }
        };
        file.levels.1 = depth;
        writer.begin_level(depth)?;
        states.iter().try_for_each(|state| writer.push(state))
    }

    fn close(&mut self) -> Result<(), Trouble> {
        if let Some((_, writer, file)) = self.open.take() {
            let bytes = writer.finish()?.bytes;
            self.files.push(LogFile { bytes, ..file });
        }
        Ok(())
    }

    /// Commits everything up to a level.
    pub fn commit(
        &mut self,
        components: &Components,
        depth: u64,
        figures: &Figures,
        complete: bool,
    ) -> Result<(), Trouble> {
        self.close()?;
        self.values.append(components)?;
        self.commits += 1;
        let trailer = Trailer {
            depth,
            files: std::mem::take(&mut self.files),
            value_bytes: self.values.bytes(),
            levels: std::mem::take(&mut self.levels),
            figures: figures.clone(),
            complete,
        };
        page::write(&self.place.join(trailer_name(self.commits)), &trailer)
    }
}
