//! Searching on disk, when memory ends.
//!
//! Memory holds a filter that tells which states were **surely** not seen before, the new states of one round, and a batch of suspects: states
//! that the filter may have seen. New states are expanded in the order in which they are found; when their part of memory is full they go to
//! the disk, sorted: a **round** ends, and everything up to there is committed ([`folder`]). Suspects go to the disk as well, and are held against
//! all states in one pass when there are many of them or nothing else is left to do (delayed duplicate detection: Munagala and Ranade,
//! "I/O-complexity of graph algorithms", 1999; Stern and Dill, "Using magnetic disk instead of main memory in the Murφ verifier", 1998). What was
//! suspected wrongly is new after all, and expanded later. So every state is expanded once, all files are read and written from
//! their beginning to their end, and the number of passes depends on how many states there are, not on how deep the graph is: a search by
//! levels, each held against all levels before, would read the disk once for each level.
//!
//! Nothing is claimed by a search that met trouble with a file ([`Trouble`]); one that was interrupted goes on with the last round that was
//! committed. Executions are found by walking back from round to round ([`walk`]).

mod filter;
pub mod folder;
mod merge;
pub mod page;
pub mod run;
pub mod values;
mod walk;

use crate::explore::breadth::Explored;
use crate::explore::expand::{Arrival, Expander, LayoutIsFull, Shared, Sink, lock};
use crate::explore::memo::RowMemory;
use crate::explore::repack::Repacking;
use crate::options::{Disk, ErrorPolicy, Limits};
use crate::packed::components::ComponentId;
use crate::packed::digest::{PackedDigest, StatesDigest};
use crate::packed::layout::{Layout, MOST_WORDS};
use crate::report::{Counts, DiskFigures, StopReason};
use filter::{Filter, hash};
use folder::Folder;
use merge::Merged;
use run::{MEMORY_OF_A_READER, RunReader, RunWriter};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use system::clock::Instant;
use system::control::{Control, Status};

/// What stops a search on disk.
#[derive(Debug)]
pub enum Trouble {
    /// The operating system says no.
    Io {
        /// About which file.
        path: PathBuf,
        /// What it says.
        error: io::Error,
    },
    /// A file is not what was written.
    Damaged {
        /// Which.
        path: PathBuf,
        /// In words.
        what: &'static str,
    },
    /// A file is of another search.
    Foreign {
        /// Which.
        path: PathBuf,
    },
    /// There is a search in the folder already.
    InUse {
        /// Which folder.
        path: PathBuf,
    },
    /// The folder holds another search than the one that is to go on.
    Other {
        /// Which folder.
        path: PathBuf,
        /// In words.
        what: String,
    },
}

impl Trouble {
    /// What the operating system says.
    pub fn of(path: &Path, error: io::Error) -> Trouble {
        Trouble::Io { path: path.to_path_buf(), error }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Io { path, error } if error.kind() == io::ErrorKind::StorageFull => {
                write!(f, "the disk of `{}` is full", path.display())
            }
            Trouble::Io { path, error } => write!(f, "`{}`: {error}", path.display()),
            Trouble::Damaged { path, what } => write!(f, "`{}` is damaged: {what}", path.display()),
            Trouble::Foreign { path } => write!(f, "`{}` belongs to another search", path.display()),
            Trouble::InUse { path } => {
                write!(f, "`{}` holds a search already: go on with `--resume`, or empty it", path.display())
            }
            Trouble::Other { path, what } => write!(f, "`{}` {what}", path.display()),
        }
    }
}

/// A file of states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Its name.
    file: String,
    /// In which round they were found.
    round: u32,
    /// When they are expanded.
    kind: Kind,
    /// How many.
    states: u64,
    /// How many of them, from the first on, were expanded.
    expanded: u64,
    /// Bytes of the file.
    bytes: u64,
}

/// When the states of a file are expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    /// In the round in which they were found.
    Done,
    /// In a later one.
    Open,
    /// In a later one: they were suspects until the end of the round.
    Late,
}

/// Memory of a search that has no limit.
const MEMORY: usize = 2 << 30;
/// States that are kept at hand to recognise most repetitions at once, if memory is not short.
const RECENT: usize = 1 << 16;
/// A round ends after this time, so that little is lost when something happens.
const ROUND: Duration = Duration::from_secs(60);
/// Expansions between two looks at the limits.
const LOOK: u64 = 1 << 10;
/// Files that are held against suspects in one pass, if memory is not short.
const AT_ONCE: usize = 128;
/// Bits to spare in a state: another layout is another order of all states, and differences of one state from the next take little more for them.
const SPARE_BITS: u32 = 16;
/// Bytes of the filter for each state that it is to know before it is made anew, and larger.
const FILTERED: usize = 4;
/// What is wrong with a file that ends too early.
const FEWER_STATES: &str = "it has fewer states than were written";
/// Suspects that are worth a pass over all states, if these are few.
const WORTH_A_PASS: u64 = 1 << 20;

/// Bytes for a search on disk: what the limits allow, and no more than the program may still take. At least a quarter of its share, since the
/// search in memory has given all of that back.
pub fn memory(limits: &Limits, control: &Control<'_>) -> usize {
    let share = limits.memory.unwrap_or(MEMORY);
    control.memory_left().map_or(share, |left| left.clamp(share / 4, share))
}

/// Explores everything that is reachable from the initial state, on disk. `question` tells searches apart that would not have the same states.
pub fn explore(
    shared: &Shared<'_>,
    initial: &[u32],
    disk: &Disk,
    question: &str,
    policy: ErrorPolicy,
    limits: &Limits,
    control: &Control<'_>,
) -> (Explored, DiskFigures) {
    let model = shared.interpreter.system().fingerprint();
    let folder = match disk.resume {
        true => Folder::open(&disk.folder, model, question),
        false => Folder::create(&disk.folder, model, question),
    };
    let searched = folder.and_then(|folder| {
        let started = Instant::now();
        let memory = limits.memory.unwrap_or(MEMORY);
        let found = Vec::new();
        let mut search = Search { shared, initial, policy, limits, control, folder, started, memory, found };
        search.run()
    });
    searched.unwrap_or_else(|trouble| {
        (
            Explored::nothing(StopReason::Disk),
            DiskFigures { trouble: Some(trouble.to_string()), ..DiskFigures::default() },
        )
    })
}

struct Search<'r, 's> {
    shared: &'r Shared<'s>,
    initial: &'r [u32],
    policy: ErrorPolicy,
    limits: &'r Limits,
    control: &'r Control<'r>,
    folder: Folder,
    started: Instant,
    /// Bytes that may be taken.
    memory: usize,
    found: Vec<Problem>,
}

/// Errors with one cause.
struct Problem {
    cause: u32,
    count: u64,
    /// The state whose expansion shows it.
    numbers: Vec<u32>,
    /// Which of the problems of that expansion it is.
    place: usize,
}

enum Ended {
    Finished(Box<(Explored, DiskFigures)>),
    NeedsLayout(RowMemory),
}

/// Why a round ended.
enum RoundEnd {
    Full,
    NeedsLayout,
    Stopped(StopReason),
}

impl Search<'_, '_> {
    fn run(&mut self) -> Result<(Explored, DiskFigures), Trouble> {
        let mut restored = None;
        if !self.folder.page.runs.is_empty() {
            let mut knowledge = lock(&self.shared.knowledge);
            self.folder.restore_values(&mut knowledge.components)?;
            knowledge.restore(&self.folder.page.seen);
            restored = Some(self.folder.layout());
        }
        let mut memory = RowMemory::default();
        loop {
            let layout = restored
                .take()
                .or_else(|| Layout::plan_with_spare(&lock(&self.shared.knowledge).components, SPARE_BITS));
            let Some(layout) = layout else { return Ok(self.report(Some(StopReason::StateTooLarge), None)) };
            let ended = match layout.words() {
                1 => self.go_on::<1>(layout, memory),
                2 => self.go_on::<2>(layout, memory),
                4 => self.go_on::<4>(layout, memory),
                16 => self.go_on::<16>(layout, memory),
                MOST_WORDS => self.go_on::<MOST_WORDS>(layout, memory),
                _ => return Ok(self.report(Some(StopReason::StateTooLarge), None)),
            };
            match ended? {
                Ended::Finished(explored) => return Ok(*explored),
                Ended::NeedsLayout(known) => memory = known,
            }
        }
    }

    /// Goes on under a layout, until the search ends or the layout is too small.
    fn go_on<const N: usize>(&mut self, layout: Layout, memory: RowMemory) -> Result<Ended, Trouble> {
        self.settle::<N>(&layout)?;
        let mut expander = {
            let knowledge = lock(&self.shared.knowledge);
            Expander::<N>::new(self.shared, layout.clone(), &knowledge.components, memory)
        };
        self.restore_found(&mut expander)?;
        let mut filter = self.filter::<N>()?;
        loop {
            let mut stopped = self.reason_to_stop();
            while stopped.is_none() && self.folder.waiting() > 0 {
                if filter.bytes() < self.bytes_to_filter::<N>() / 2 {
                    filter = self.filter::<N>()?;
                }
                match self.round(&mut expander, &mut filter)? {
                    RoundEnd::Full => {}
                    RoundEnd::NeedsLayout => return Ok(Ended::NeedsLayout(expander.into_memory())),
                    RoundEnd::Stopped(reason) => stopped = Some(reason),
                }
                let suspects: u64 = self.folder.page.suspects.iter().map(|(_, states)| states).sum();
                if stopped.is_none() && suspects > WORTH_A_PASS.max(self.folder.states() / 2) {
                    self.clear_suspects::<N>(&layout)?;
                }
            }
            if stopped.is_none() && !self.folder.page.suspects.is_empty() {
                self.clear_suspects::<N>(&layout)?;
                continue;
            }
            let digest = match stopped {
                None => Some(self.digest::<N>(&layout)?),
                Some(_) => None,
            };
            let found = walk::ways(self, &mut expander)?;
            let (explored, figures) = self.report(stopped, digest);
            return Ok(Ended::Finished(Box::new((Explored { found, ..explored }, figures))));
        }
    }

    /// Brings what is on disk into a layout; at the beginning, the initial state.
    fn settle<const N: usize>(&mut self, layout: &Layout) -> Result<(), Trouble> {
        if self.folder.page.runs.is_empty() {
            let run = self.write(&mut [self.initial_state::<N>(layout)], 0, Kind::Open)?;
            self.folder.page.runs.extend(run);
            self.folder.page.arrivals = 1;
            return self.commit(layout);
        }
        let old = self.folder.layout();
        if old.fields().eq(layout.fields()) && old.words() == layout.words() {
            return Ok(());
        }
        let repacking = Repacking::new(&old, layout);
        let (mut runs, room) = (Vec::new(), self.room::<N>());
        for run in self.folder.page.runs.clone() {
            let mut reader = self.read(&run.file)?;
            // Those that were expanded stay together: another layout is another order.
            for (were_expanded, part) in [(true, run.expanded), (false, run.states - run.expanded)] {
                let mut left = part;
                while left > 0 {
                    let mut states = Vec::new();
                    while left > 0
                        && states.len() < room
                        && let Some(state) = reader.next()?
                    {
                        states.push(repacking.repack::<N>(state));
                        left -= 1;
                    }
                    if states.is_empty() {
                        let path = self.folder.file(&run.file);
                        return Err(Trouble::Damaged { path, what: FEWER_STATES });
                    }
                    let repacked = self.write(&mut states, run.round, run.kind)?;
                    let expanded = |new: &Run| if were_expanded { new.states } else { 0 };
                    runs.extend(repacked.map(|new| Run { expanded: expanded(&new), ..new }));
                }
            }
        }
        let mut suspects = Vec::new();
        for (file, _) in self.folder.page.suspects.clone() {
            let mut reader = self.read(&file)?;
            let mut states = Vec::new();
            while let Some(state) = reader.next()? {
                states.push(repacking.repack::<N>(state));
            }
            suspects.extend(self.write(&mut states, 0, Kind::Done)?.map(|run| (run.file, run.states)));
        }
        (self.folder.page.runs, self.folder.page.suspects) = (runs, suspects);
        self.commit(layout)
    }

    fn initial_state<const N: usize>(&self, layout: &Layout) -> [u64; N] {
        layout.pack(|component: ComponentId| self.initial.get(component.0 as usize).copied().unwrap_or(0))
    }

    /// Bytes of a filter for the states that there are and those of a round. Few states in much memory would touch all of it, again under each layout.
    fn bytes_to_filter<const N: usize>(&self) -> usize {
        let states = (self.folder.states() as usize).saturating_add(self.room::<N>());
        states.saturating_mul(FILTERED).min(self.memory / 8 * 3)
    }

    /// A filter that knows all states, suspects included.
    fn filter<const N: usize>(&self) -> Result<Filter, Trouble> {
        let mut filter = Filter::new(self.bytes_to_filter::<N>());
        let page = &self.folder.page;
        let files = page.runs.iter().map(|run| &run.file).chain(page.suspects.iter().map(|(file, _)| file));
        for file in files {
            let mut reader = self.read(file)?;
            while let Some(state) = reader.next()? {
                filter.insert(&words::<N>(state));
            }
        }
        Ok(filter)
    }

    /// Expands states until the new ones fill their memory.
    fn round<const N: usize>(
        &mut self,
        expander: &mut Expander<'_, '_, N>,
        filter: &mut Filter,
    ) -> Result<RoundEnd, Trouble> {
        let began = Instant::now();
        let mut input = Input::new(self);
        let room = self.room::<N>();
        // All at once: growing would take twice the memory. A little is kept for the last expansion.
        let (mut new, mut own): (Vec<[u64; N]>, usize) = (Vec::with_capacity(room), 0);
        let mut suspects: Vec<[u64; N]> = Vec::with_capacity(room);
        let is_full = |states: &Vec<[u64; N]>| states.len() >= room - room / 16;
        // The initial state was seen, so it may stand wherever nothing else does.
        let recently = RECENT.min(room / 4);
        let mut recent = vec![self.initial_state::<N>(expander.layout()); recently];
        let mut successors = Successors::default();
        let atomic_steps = expander.atomic_steps;
        let mut expansions = 0;
        let mut end = RoundEnd::Full;
        loop {
            let from_input = input.next::<N>(self)?;
            let Some(state) = from_input.or_else(|| new.get(own).copied()) else { break };
            let before = expander.atomic_steps;
            if let Err(LayoutIsFull) = expander.expand_fully(&state, &mut successors) {
                // As if this state had not been touched.
                expander.atomic_steps = before;
                input.put_back(from_input.is_some());
                successors.clear();
                end = RoundEnd::NeedsLayout;
                break;
            }
            own += usize::from(from_input.is_none());
            self.note_problems(expander.layout(), &state, &successors.problems);
            self.folder.page.arrivals += successors.states.len() as u64;
            for successor in &successors.states {
                let known = &mut recent[hash(successor) as usize % recently];
                if known == successor {
                    continue;
                }
                *known = *successor;
                match filter.insert(successor) {
                    true => new.push(*successor),
                    false => suspects.push(*successor),
                }
            }
            successors.clear();
            if is_full(&suspects) {
                self.spill(&mut suspects)?;
            }
            expansions += 1;
            if expansions % LOOK == 0 || (self.policy != ErrorPolicy::All && !self.found.is_empty()) {
                self.tell(filter, new.len() as u64, own as u64 + input.taken);
                if let Some(reason) = self.reason_to_stop_with(new.len() as u64) {
                    end = RoundEnd::Stopped(reason);
                    break;
                }
                if began.elapsed() > ROUND {
                    break;
                }
            }
            if is_full(&new) {
                break;
            }
        }
        input.note(self);
        self.folder.page.atomic_steps += expander.atomic_steps - atomic_steps;
        self.folder.page.round += 1;
        let round = self.folder.page.round;
        self.spill(&mut suspects)?;
        let (done, open) = new.split_at_mut(own);
        let done = self.write(done, round, Kind::Done)?.map(|run| Run { expanded: run.states, ..run });
        let open = self.write(open, round, Kind::Open)?;
        self.folder.page.runs.extend(done.into_iter().chain(open));
        let layout = expander.layout().clone();
        self.commit(&layout)?;
        Ok(end)
    }

    /// Puts suspects on the disk.
    fn spill<const N: usize>(&mut self, suspects: &mut Vec<[u64; N]>) -> Result<(), Trouble> {
        suspects.sort_unstable();
        suspects.dedup();
        let run = self.write(suspects, 0, Kind::Done)?;
        self.folder.page.suspects.extend(run.map(|run| (run.file, run.states)));
        suspects.clear();
        Ok(())
    }

    /// Holds the suspects against all states: those that are none of them are new.
    fn clear_suspects<const N: usize>(&mut self, layout: &Layout) -> Result<(), Trouble> {
        let key = self.folder.page.heading.key;
        let mut suspects: Vec<PathBuf> =
            self.folder.page.suspects.iter().map(|(file, _)| self.folder.file(file)).collect();
        // All into one, some at a time, and then less and less of it.
        let at_once = (self.memory / 8 / MEMORY_OF_A_READER).clamp(4, AT_ONCE);
        while suspects.len() > at_once {
            let some: Vec<PathBuf> = suspects.drain(..at_once).collect();
            suspects.push(self.difference::<N>(&some, &[], key)?.1);
        }
        let visited = self.folder.runs(|_| true);
        let mut left = (0, PathBuf::new());
        for (place, some) in visited.chunks(at_once).enumerate() {
            let from = if place == 0 { suspects.clone() } else { vec![left.1.clone()] };
            left = self.difference::<N>(&from, some, key)?;
        }
        if left.0 > 0 {
            let round = self.folder.page.round;
            let name = left.1.file_name().map(|name| name.to_string_lossy().into_owned());
            let bytes = std::fs::metadata(&left.1).map_or(0, |file| file.len());
            let file = name.unwrap_or_default();
            self.folder.page.runs.push(Run {
                file,
                round,
                kind: Kind::Late,
                states: left.0,
                expanded: 0,
                bytes,
            });
        }
        self.folder.page.suspects.clear();
        self.commit(layout)
    }

    /// What is in some files and not in others, as a new file.
    fn difference<const N: usize>(
        &mut self,
        of: &[PathBuf],
        without: &[PathBuf],
        key: u64,
    ) -> Result<(u64, PathBuf), Trouble> {
        let mut states = Merged::<N>::open(of.iter().map(|path| &**path), key)?;
        let mut others = Merged::<N>::open(without.iter().map(|path| &**path), key)?;
        let name = self.folder.new_name();
        let path = self.folder.file(&name);
        let mut writer = RunWriter::create(&path, key, N)?;
        let mut other = others.next()?;
        while let Some(state) = states.next()? {
            while other.is_some_and(|other| other < state) {
                other = others.next()?;
            }
            if other != Some(state) {
                writer.push(&state)?;
            }
        }
        Ok((writer.finish()?.states, path))
    }

    fn write<const N: usize>(
        &mut self,
        states: &mut [[u64; N]],
        round: u32,
        kind: Kind,
    ) -> Result<Option<Run>, Trouble> {
        if states.is_empty() {
            return Ok(None);
        }
        states.sort_unstable();
        let file = self.folder.new_name();
        let mut writer = RunWriter::create(&self.folder.file(&file), self.folder.page.heading.key, N)?;
        for state in states.iter() {
            writer.push(state)?;
        }
        let written = writer.finish()?;
        Ok(Some(Run { file, round, kind, states: written.states, expanded: 0, bytes: written.bytes }))
    }

    fn read(&self, file: &str) -> Result<RunReader, Trouble> {
        RunReader::open(&self.folder.file(file), self.folder.page.heading.key, self.folder.page.words)
    }

    fn commit(&mut self, layout: &Layout) -> Result<(), Trouble> {
        let knowledge = lock(&self.shared.knowledge);
        self.folder.page.found = self
            .found
            .iter()
            .map(|problem| (problem.count, problem.numbers.clone(), problem.place))
            .collect();
        self.folder.page.seen = knowledge.seen();
        self.folder.commit(&knowledge.components, layout)
    }

    /// How many states of a round, and how many suspects, fit into memory.
    fn room<const N: usize>(&self) -> usize {
        // A third of what is left for each of them: values may have become many.
        let left = self.control.memory_left().map_or(usize::MAX, |left| left / 3);
        ((self.memory / 8).min(left) / size_of::<[u64; N]>()).max(1 << 10)
    }

    fn note_problems<const N: usize>(&mut self, layout: &Layout, state: &[u64; N], problems: &[u32]) {
        for (place, &cause) in problems.iter().enumerate() {
            match self.found.iter_mut().find(|known| known.cause == cause) {
                Some(known) => known.count += 1,
                None => {
                    let numbers = layout.fields().map(|(_, field)| field.get(state)).collect();
                    self.found.push(Problem { cause, count: 1, numbers, place });
                }
            }
        }
    }

    /// Errors of a search that goes on: what they are is seen by expanding their states again.
    fn restore_found<const N: usize>(&mut self, expander: &mut Expander<'_, '_, N>) -> Result<(), Trouble> {
        if !self.found.is_empty() {
            return Ok(());
        }
        for (count, numbers, place) in self.folder.page.found.clone() {
            let mut successors = Successors::default();
            let state = expander.layout().pack::<N>(|c| numbers.get(c.0 as usize).copied().unwrap_or(0));
            let expanded = expander.expand_fully(&state, &mut successors);
            let (Ok(_), Some(&cause)) = (expanded, successors.problems.get(place)) else {
                let path = self.folder.file(folder::PAGE);
                return Err(Trouble::Damaged { path, what: "an error that it names is none" });
            };
            self.found.push(Problem { cause, count, numbers, place });
        }
        Ok(())
    }

    /// What stands for the set of all states.
    fn digest<const N: usize>(&mut self, layout: &Layout) -> Result<StatesDigest, Trouble> {
        let knowledge = lock(&self.shared.knowledge);
        let mut digest = PackedDigest::new(&knowledge.components, layout);
        for run in &self.folder.page.runs {
            let mut reader = self.read(&run.file)?;
            while let Some(state) = reader.next()? {
                digest.add(&words::<N>(state));
            }
        }
        Ok(digest.digest())
    }

    fn reason_to_stop(&self) -> Option<StopReason> {
        self.reason_to_stop_with(0)
    }

    fn reason_to_stop_with(&self, new: u64) -> Option<StopReason> {
        if self.policy != ErrorPolicy::All && !self.found.is_empty() {
            return Some(StopReason::Error);
        }
        if self.control.is_cancelled() {
            return Some(StopReason::Cancelled);
        }
        if let Some(limit) = self.limits.states.filter(|&limit| self.folder.states() + new > limit) {
            return Some(StopReason::States(limit));
        }
        self.limits.deadline.filter(|&deadline| Instant::now() > deadline).map(|_| StopReason::Deadline)
    }

    fn tell(&self, filter: &Filter, new: u64, taken: u64) {
        let states = self.folder.states() + new;
        self.control.report(Status {
            states,
            transitions: self.folder.page.arrivals,
            depth: u64::from(self.folder.page.round),
            waiting: (self.folder.waiting() + new).saturating_sub(taken),
            memory: self.shared.budget.used() + filter.bytes() + self.memory / 4,
            rate: states as f64 / self.started.elapsed().as_secs_f64().max(1e-9),
            together: None,
        });
    }

    fn report(&self, stopped: Option<StopReason>, digest: Option<StatesDigest>) -> (Explored, DiskFigures) {
        let page = &self.folder.page;
        let states = self.folder.states();
        let counts = Counts {
            states,
            matched: page.arrivals.saturating_sub(states),
            atomic_steps: page.atomic_steps,
            state_memory: self.memory / 8 * 3,
            memory: self.memory,
            computed_steps: page.seen.computed_steps,
            ..Counts::default()
        };
        let figures =
            DiskFigures { bytes: self.folder.bytes(), rounds: u64::from(page.round), trouble: None };
        (Explored { stopped, counts, found: Vec::new(), bit_state: None, digest }, figures)
    }
}

/// The states on disk that wait for their turn.
struct Input {
    /// Files, how many of their states were expanded, and how many there are.
    files: Vec<(String, u64, u64)>,
    /// Which of them is being read.
    at: usize,
    reader: Option<RunReader>,
    /// States that were taken from all of them.
    taken: u64,
}

impl Input {
    fn new(search: &Search<'_, '_>) -> Input {
        let open = search.folder.page.runs.iter().filter(|run| run.expanded < run.states);
        let files = open.map(|run| (run.file.clone(), run.expanded, run.states)).collect();
        Input { files, at: 0, reader: None, taken: 0 }
    }

    fn next<const N: usize>(&mut self, search: &Search<'_, '_>) -> Result<Option<[u64; N]>, Trouble> {
        while let Some((file, expanded, states)) = self.files.get_mut(self.at) {
            if expanded == states {
                (self.at, self.reader) = (self.at + 1, None);
                continue;
            }
            let reader = match &mut self.reader {
                Some(reader) => reader,
                none => {
                    let reader = none.insert(search.read(file)?);
                    for _ in 0..*expanded {
                        reader.next()?;
                    }
                    reader
                }
            };
            let Some(state) = reader.next()? else {
                let path = search.folder.file(file);
                return Err(Trouble::Damaged { path, what: FEWER_STATES });
            };
            *expanded += 1;
            self.taken += 1;
            return Ok(Some(words(state)));
        }
        Ok(None)
    }

    /// The state that was taken last was not expanded.
    fn put_back(&mut self, was_taken: bool) {
        if was_taken && let Some((_, expanded, _)) = self.files.get_mut(self.at) {
            *expanded -= 1;
        }
    }

    /// What was taken counts as expanded.
    fn note(self, search: &mut Search<'_, '_>) {
        for (file, expanded, _) in self.files {
            if let Some(run) = search.folder.page.runs.iter_mut().find(|run| run.file == file) {
                run.expanded = expanded;
            }
        }
    }
}

/// What an expansion leads to.
#[derive(Default)]
pub struct Successors<const N: usize> {
    /// Its successors, in the order of the moves.
    pub states: Vec<[u64; N]>,
    /// Causes of errors.
    pub problems: Vec<u32>,
}

impl<const N: usize> Successors<N> {
    /// Forgets them.
    pub fn clear(&mut self) {
        self.states.clear();
        self.problems.clear();
    }
}

impl<const N: usize> Sink<N> for Successors<N> {
    const NEEDS_MARKS: bool = false;

    fn arrive(&mut self, state: [u64; N], _arrival: Arrival) {
        self.states.push(state);
    }

    fn problem(&mut self, cause: u32, _arrival: Option<Arrival>) {
        self.problems.push(cause);
    }
}

fn words<const N: usize>(state: &[u64]) -> [u64; N] {
    let mut words = [0; N];
    words.copy_from_slice(&state[..N]);
    words
}
