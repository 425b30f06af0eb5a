//! One search by several members, each with its own memory, that tell each other what they find.
//!
//! Every state has one owner, by the values of a few of its components, which are the same whatever numbers somebody has given to them
//! ([`owners`]); they are chosen so that most steps lead to a state of the same member ([`locality`]). A member expands its own states, keeps the successors that it owns, and sends the others as packed words in its *own*
//! numbering, together with the values that the receiver has not had yet ([`parcel`]); the receiver translates by arrays
//! ([`numbering`]). The search goes by levels: when all members have expanded their part of a level and received everything that was sent, the next
//! one begins. What a level holds goes into a log ([`log`]), so that whoever comes later, as many as they are, goes on where the last
//! level was complete; and executions are found by walking from level to level backwards ([`walk`]).
//!
//! How parcels travel, and who knows when a level is complete, is not decided here.

mod cause;
mod locality;
mod log;
mod numbering;
mod owners;
mod parcel;
mod share;
mod walk;

pub use crate::disk::Trouble;
pub use cause::FoundCause;
pub use log::{Chain, Generation, SharedFolder};
pub use owners::Ownership;
pub use parcel::{Garbled, MOST_BYTES};

use crate::budget::MemoryEnds;
use crate::explore::expand::{Shared, lock};
use crate::explore::memo::RowMemory;
use crate::explore::witness;
use crate::options::{ErrorPolicy, SearchOptions};
use crate::packed::components::ComponentId;
use crate::packed::digest::StatesDigest;
use crate::packed::knowledge::Seen;
use crate::packed::layout::{Layout, MOST_WORDS};
use crate::report::{ChannelPeak, Counts, MOST_VALUES, Observed, Outcome, SearchReport, StopReason};
use log::LevelLog;
use numbering::Numbering;
use promela::model::ChannelTypeId;
use serde::{Deserialize, Serialize};
use share::{AnyShare, Interruption, Share};
use std::collections::BTreeMap;
use std::path::Path;
use system::automaton::{AutomatonId, System};
use system::control::Control;
use system::interpreter::RuntimeError;
use system::state::ChannelId;

/// What a member stands on: the model, what is asked of it, and what was learned.
pub struct Ground<'s> {
    shared: Shared<'s>,
    initial: Vec<u32>,
    options: SearchOptions,
}

impl<'s> Ground<'s> {
    /// For a search of all states. The error is that of a model without an initial state.
    pub fn new(system: &'s System, options: &SearchOptions) -> Result<Ground<'s>, RuntimeError> {
        let (shared, initial) = crate::prepare(system, options, None)?;
        Ok(Ground { shared, initial, options: options.clone() })
    }

    /// What tells searches apart that would not have the same states.
    pub fn question(&self) -> String {
        crate::question(&self.options)
    }

    /// Which states belong to whom, if there are so many members: what a look at some states and steps recommends.
    pub fn ownership(&self, members: usize) -> Ownership {
        locality::choose(self, members)
    }

    /// The model.
    pub fn system(&self) -> &'s System {
        self.shared.interpreter.system()
    }
}

/// Figures of a member, or of all together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// States.
    pub states: u64,
    /// Arrivals at states, the initial one included.
    pub arrivals: u64,
    /// Steps that ended inside of an `atomic`.
    pub atomic_steps: u64,
    /// Errors.
    pub found: Vec<FoundCause>,
    /// States that were sent to other members.
    pub sent: u64,
    /// Bytes of the parcels that were sent.
    pub sent_bytes: u64,
    /// Bytes for states.
    pub state_memory: u64,
    /// Bytes in all.
    pub memory: u64,
    /// What was seen on the way.
    seen: Seen,
    /// Channel, type, most messages.
    peaks: Vec<(u32, u32, u32)>,
    /// Automaton, slot, values.
    locals: Vec<(u32, u32, Vec<i32>)>,
    /// What stands for its states, if that was asked for.
    digest: Option<String>,
}

impl Figures {
    /// Puts the figures of two members together.
    fn join(&mut self, other: &Figures) {
        self.states += other.states;
        self.arrivals += other.arrivals;
        self.atomic_steps += other.atomic_steps;
        self.sent += other.sent;
        self.sent_bytes += other.sent_bytes;
        self.state_memory += other.state_memory;
        self.memory += other.memory;
        other.found.iter().for_each(|found| cause::add(&mut self.found, found.clone()));
        for &(channel, channel_type, peak) in &other.peaks {
            match self.peaks.iter_mut().find(|known| known.0 == channel) {
                Some(known) => known.2 = known.2.max(peak),
                None => self.peaks.push((channel, channel_type, peak)),
            }
        }
        for (automaton, slot, values) in &other.locals {
            let known = self.locals.iter_mut().find(|known| (known.0, known.1) == (*automaton, *slot));
            match known {
                Some((_, _, known)) => {
                    known.extend(values);
                    known.sort_unstable();
                    known.dedup();
                    known.truncate(MOST_VALUES + 1);
                }
                None => self.locals.push((*automaton, *slot, values.clone())),
            }
        }
    }
}

/// What a member has to say at the end of a level, beside the states that it sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// States of the level that was expanded.
    pub level: u64,
    /// All states.
    pub states: u64,
    /// Arrivals.
    pub arrivals: u64,
    /// Different errors.
    pub found: u64,
    /// Bytes of memory.
    pub memory: u64,
}

/// One member of a search.
pub struct Member<'a, 's> {
    ground: &'a Ground<'s>,
    share: Option<Box<dyn AnyShare + 'a>>,
    common: Common,
    log: LevelLog,
    depth: u64,
    /// States of the level.
    level: u64,
    at_level: AtLevel,
}

/// What was counted when the level was complete that is expanded now: what a commit speaks of.
#[derive(Default)]
struct AtLevel {
    states: u64,
    arrivals: u64,
    atomic_steps: u64,
    found: Vec<(u32, u64, u64)>,
    state_memory: u64,
}

/// What a member has whatever its layout is.
#[derive(Default)]
struct Common {
    index: usize,
    ownership: Ownership,
    arrivals: u64,
    atomic_steps: u64,
    found: Vec<(u32, u64, u64)>,
    /// What was found before this member began.
    base: Figures,
    depth: u64,
    /// How many layouts there were.
    layouts: u32,
    /// By member: the numbers that it uses.
    theirs: Vec<Numbering>,
    /// By member: what it was told of ours.
    told: Vec<parcel::Told>,
    /// Parcels that are to be sent.
    outgoing: Vec<(usize, Vec<u8>)>,
    sent: u64,
    sent_bytes: u64,
    /// The most bytes of memory that were seen.
    memory: u64,
}

/// Why a member cannot go on.
#[derive(Debug)]
pub enum Failure {
    /// It has no room for states.
    Stopped(StopReason),
    /// A file is not as it should be.
    Disk(Trouble),
    /// What came from another member makes no sense.
    Garbled(Garbled),
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Failure {
        Failure::Disk(trouble)
    }
}

impl<'a, 's> Member<'a, 's> {
    /// A member with a place for its log. It knows the states of a chain, as far as they are its own; without one, the initial state.
    pub fn new(
        ground: &'a Ground<'s>,
        (index, ownership): (usize, &Ownership),
        place: &Path,
        key: u64,
        chain: Option<&Chain>,
    ) -> Result<Member<'a, 's>, Failure> {
        let log = LevelLog::create(place, key)?;
        let members = ownership.members();
        let common = Common {
            index,
            ownership: ownership.clone(),
            theirs: (0..members).map(|_| Numbering::default()).collect(),
            told: (0..members).map(|_| parcel::Told::default()).collect(),
            ..Common::default()
        };
        let at_level = AtLevel::default();
        let mut member = Member { ground, share: None, common, log, depth: 0, level: 0, at_level };
        match chain {
            Some(chain) => member.load(chain)?,
            None => member.begin()?,
        }
        Ok(member)
    }

    fn begin(&mut self) -> Result<(), Failure> {
        self.settle()?;
        let initial = self.ground.initial.clone();
        if let Some(share) = &mut self.share
            && share.owner_of(&initial) == self.common.index
        {
            self.common.arrivals = 1;
            let added = share.add_numbers(&initial);
            added.map_err(|_| Failure::Stopped(self.memory_ends()))?;
        }
        self.close_level();
        self.log_level()
    }

    fn load(&mut self, chain: &Chain) -> Result<(), Failure> {
        let mut logs = chain.logs(&mut lock(&self.ground.shared.knowledge).components)?;
        self.settle()?;
        self.depth = chain.depth();
        for log in &mut logs {
            let Some(share) = &mut self.share else { break };
            log.for_each(0..=chain.depth(), |level, numbering, words| {
                share.add_logged(numbering, words, level == chain.depth()).map(|()| true)
            })?;
        }
        if self.common.index == 0 {
            let base = chain.figures();
            lock(&self.ground.shared.knowledge).restore(&base.seen);
            self.common.base = Figures { states: 0, state_memory: 0, memory: 0, digest: None, ..base };
        }
        self.close_level();
        self.common.depth = self.depth;
        Ok(())
    }

    /// Makes a share under a layout in which everything fits, for the states of the one before.
    fn settle(&mut self) -> Result<(), Failure> {
        let (states, memory) = match self.share.take() {
            Some(mut share) => {
                share.flush(&mut self.common);
                self.common.atomic_steps += share.atomic_steps();
                let (states, memory) = share.suspend();
                (Some(states), memory)
            }
            None => (None, RowMemory::default()),
        };
        self.common.layouts += 1;
        let shared = &self.ground.shared;
        let layout = Layout::plan(&lock(&shared.knowledge).components);
        let layout = layout.ok_or(Failure::Stopped(StopReason::StateTooLarge))?;
        let who = (self.common.index, &self.common.ownership);
        let settled: Result<Box<dyn AnyShare + 'a>, MemoryEnds> = match layout.words() {
            1 => Share::<1>::settle(shared, layout, memory, states, who),
            2 => Share::<2>::settle(shared, layout, memory, states, who),
            4 => Share::<4>::settle(shared, layout, memory, states, who),
            16 => Share::<16>::settle(shared, layout, memory, states, who),
            MOST_WORDS => Share::<MOST_WORDS>::settle(shared, layout, memory, states, who),
            _ => return Err(Failure::Stopped(StopReason::StateTooLarge)),
        };
        self.share = Some(settled.map_err(|MemoryEnds| Failure::Stopped(self.memory_ends()))?);
        Ok(())
    }

    fn memory_ends(&self) -> StopReason {
        StopReason::Memory(self.ground.shared.budget.limit().unwrap_or(0))
    }

    /// The level that is expanded, or is to be.
    pub fn depth(&self) -> u64 {
        self.depth
    }

    /// Expands some states of the level; whether there are more.
    pub fn expand(&mut self, states: usize) -> Result<bool, Failure> {
        loop {
            let Some(share) = &mut self.share else { return Ok(false) };
            match share.expand(states, &mut self.common) {
                Ok(has_more) => return Ok(has_more),
                Err(Interruption::LayoutIsFull) => self.settle()?,
                Err(_) => return Err(Failure::Stopped(self.memory_ends())),
            }
        }
    }

    /// Makes parcels of everything that waits to be sent.
    pub fn flush(&mut self) {
        if let Some(share) = &mut self.share {
            share.flush(&mut self.common);
        }
    }

    /// Parcels that are to be sent, each with its receiver.
    pub fn outgoing(&mut self) -> std::vec::Drain<'_, (usize, Vec<u8>)> {
        self.common.outgoing.drain(..)
    }

    /// Takes a parcel of another member.
    pub fn take(&mut self, from: usize, parcel: &[u8]) -> Result<(), Failure> {
        let garbled = |what: &'static str| Failure::Garbled(Garbled { from, what });
        let parcel = parcel::open(parcel).map_err(garbled)?;
        let shared = &self.ground.shared;
        let theirs = self.common.theirs.get_mut(from).ok_or_else(|| garbled("there is no such member"))?;
        theirs
            .learn(parcel.values, &mut lock(&shared.knowledge).components)
            .ok_or_else(|| garbled("a value is none"))?;
        if let Some((fields, words)) = &parcel.layout {
            theirs.set_layout(fields.clone(), *words).ok_or_else(|| garbled("its layout is none"))?;
        }
        let fits = |share: &(dyn AnyShare + 'a)| share.fits(&lock(&shared.knowledge).components);
        if !self.share.as_deref().is_some_and(fits) {
            self.settle()?;
        }
        let memory_ends = self.memory_ends();
        let Some(share) = &mut self.share else { return Ok(()) };
        let numbering = &mut self.common.theirs[from];
        share.take(numbering, self.common.layouts, &parcel).map_err(|interruption| match interruption {
            Interruption::Garbled => Failure::Garbled(Garbled { from, what: "a state is none" }),
            _ => Failure::Stopped(memory_ends),
        })
    }

    /// What it has to say of the level.
    pub fn count(&self) -> Count {
        let states = self.share.as_ref().map_or(0, |share| share.states());
        let (common, base) = (&self.common, &self.common.base);
        Count {
            level: self.level,
            states,
            arrivals: common.arrivals + base.arrivals,
            found: (common.found.len() + base.found.len()) as u64,
            memory: self.ground.shared.budget.used() as u64,
        }
    }

    /// The level is complete, for all members: what was found is the next one, and goes into the log.
    pub fn begin_next_level(&mut self) -> Result<(), Failure> {
        self.depth += 1;
        self.common.depth = self.depth;
        self.close_level();
        self.log_level()
    }

    fn close_level(&mut self) {
        let Some(share) = &mut self.share else { return };
        self.common.memory = self.common.memory.max(self.ground.shared.budget.used() as u64);
        share.close_level();
        self.level = share.level();
        self.at_level = AtLevel {
            states: share.states(),
            arrivals: self.common.arrivals,
            atomic_steps: self.common.atomic_steps + share.atomic_steps(),
            found: self.common.found.clone(),
            state_memory: share.bytes() as u64,
        };
    }

    fn log_level(&mut self) -> Result<(), Failure> {
        let Some(share) = &mut self.share else { return Ok(()) };
        Ok(share.log_level(self.depth, self.common.layouts, &mut self.log)?)
    }

    /// Commits what is in the log. It counts when all members have done so.
    pub fn commit(&mut self) -> Result<(), Failure> {
        self.write_trailer(None, false)
    }

    /// Commits for the last time. `complete`: there are no more states, of any member.
    pub fn finish(mut self, complete: bool) -> Result<(), Failure> {
        let shared = &self.ground.shared;
        let digest = match self.share.take() {
            Some(share) if complete && shared.budget.allows(share.bytes_to_go_through()) => {
                Some(share.digest(&lock(&shared.knowledge).components).to_string())
            }
            _ => None,
        };
        self.write_trailer(digest, complete)
    }

    fn write_trailer(&mut self, digest: Option<String>, complete: bool) -> Result<(), Failure> {
        let figures = Figures { digest, ..self.figures() };
        let knowledge = lock(&self.ground.shared.knowledge);
        Ok(self.log.commit(&knowledge.components, self.depth, &figures, complete)?)
    }

    /// Figures of the level. What was seen since then is true as well, and only ever more.
    fn figures(&self) -> Figures {
        let knowledge = lock(&self.ground.shared.knowledge);
        let at_level = &self.at_level;
        let own = Figures {
            states: at_level.states,
            arrivals: at_level.arrivals,
            atomic_steps: at_level.atomic_steps,
            found: cause::records(&at_level.found, |cause| knowledge.cause(cause).clone()),
            sent: self.common.sent,
            sent_bytes: self.common.sent_bytes,
            state_memory: at_level.state_memory,
            memory: self.common.memory.max(self.ground.shared.budget.used() as u64),
            seen: Seen::default(),
            peaks: knowledge
                .peaks(self.ground.system())
                .into_iter()
                .map(|peak| (peak.channel.0, peak.channel_type.0, peak.peak))
                .collect(),
            locals: knowledge
                .observed()
                .locals
                .into_iter()
                .map(|((automaton, slot), values)| (automaton.0, slot, values.into_iter().collect()))
                .collect(),
            digest: None,
        };
        let mut figures = self.common.base.clone();
        figures.join(&own);
        // What was restored is in there.
        figures.seen = knowledge.seen();
        figures
    }
}

/// The report of all members together, out of their logs, with executions that show the errors.
pub fn report(
    ground: &Ground<'_>,
    chain: &Chain,
    stopped: Option<StopReason>,
    control: &Control<'_>,
) -> Result<SearchReport, Trouble> {
    let shared = &ground.shared;
    let system = ground.system();
    let figures = chain.figures();
    lock(&shared.knowledge).restore(&figures.seen);
    // Only a generation whose last level was committed by all of its members has seen everything.
    let is_complete = stopped.is_none() && chain.is_complete();
    let mut outcome = match stopped {
        None if is_complete => Outcome::Complete,
        None => Outcome::Stopped(StopReason::Cluster),
        Some(reason) => Outcome::Stopped(reason),
    };
    let options = &ground.options;
    let mut found: Vec<FoundCause> = figures.found.clone();
    found.sort_by(|a, b| (a.depth, &a.cause).cmp(&(b.depth, &b.cause)));
    found.truncate(if options.errors == ErrorPolicy::All { usize::MAX } else { 1 });
    let mut errors = Vec::new();
    if !found.is_empty() {
        let ways = walk::ways(ground, chain, &found, control)?;
        for group in witness::traces(shared, &ground.initial, &ways, options, control) {
            match group {
                Ok(group) => errors.push(group),
                Err(reason) => outcome = Outcome::Stopped(reason),
            }
        }
    }
    let (unreached, traffic) = {
        let knowledge = lock(&shared.knowledge);
        (knowledge.unreached(system), knowledge.traffic().clone())
    };
    let mut channels: Vec<ChannelPeak> = figures
        .peaks
        .iter()
        .map(|&(channel, channel_type, peak)| {
            let (channel, channel_type) = (ChannelId(channel), ChannelTypeId(channel_type));
            ChannelPeak { channel, channel_type, peak }
        })
        .collect();
    channels.sort_by_key(|peak| peak.channel.0);
    let locals: BTreeMap<_, _> = figures
        .locals
        .iter()
        .map(|(automaton, slot, values)| ((AutomatonId(*automaton), *slot), values.iter().copied().collect()))
        .collect();
    let counts = Counts {
        states: figures.states,
        matched: figures.arrivals.saturating_sub(figures.states),
        atomic_steps: figures.atomic_steps,
        // The last level is empty: nobody would know otherwise that it is the last.
        depth: chain.depth().saturating_sub(u64::from(is_complete)),
        state_memory: figures.state_memory as usize,
        memory: figures.memory as usize,
        computed_steps: figures.seen.computed_steps,
        product_nodes: 0,
    };
    Ok(SearchReport {
        counts,
        channels,
        observed: Observed { locals, traffic },
        unreached,
        errors,
        digest: if is_complete { chain.digest() } else { None },
        ..SearchReport::of(outcome)
    })
}

/// Numbers of components as a packed state takes them.
fn number_in(numbers: &[u32]) -> impl Fn(ComponentId) -> u32 + '_ {
    |component| numbers.get(component.0 as usize).copied().unwrap_or(0)
}

/// Sums up digests as they are written down.
fn joined(digests: impl Iterator<Item = Option<String>>) -> Option<StatesDigest> {
    digests
        .map(|digest| StatesDigest::read(&digest?))
        .try_fold(StatesDigest::default(), |sum, digest| Some(sum.joined(digest?)))
}
