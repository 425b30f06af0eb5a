//! All moves of a packed state, out of remembered steps.

mod chains;
mod compute;
mod executed;
mod recorder;
mod sequences;
mod sites;
mod values;

pub use executed::Heard;
pub use recorder::Recorder;
pub use values::copy as copy_state;

use crate::budget::Budget;
use crate::explore::memo::{
    AMPLE, LAST_OF_LIST, Lookup, MARKED, Marks, MoveInfo, RowMemory, SPECIAL, TransitionMemo, TreeRows,
};
use crate::options::{Properties, Steps};
use crate::packed::components::{ComponentId, Components};
use crate::packed::knowledge::{Knowledge, cause_of_end_state};
use crate::packed::layout::{Field, Layout};
use crate::reduce::{Phase, Reducer};
use crate::threads::shared_memo::{MemoEntry, SharedMemo};
use chains::Link;
use compute::{Computation, Stamps};
use executed::Execution;
use sequences::Sequence;
use sites::{SAMPLED_OF, Sites};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use system::automaton::{AutomatonId, LocationId};
use system::interpreter::{Interpreter, Partners, Step};
use system::progress::{ProgressAt, ProgressStatements, location_is_progress};
use system::state::{Pid, State};

/// What a search needs to know about the model and what it learns, shared by its threads.
#[derive(Debug)]
pub struct Shared<'s> {
    /// The semantics.
    pub interpreter: Interpreter<'s>,
    /// What is checked.
    pub properties: Properties,
    /// Which statements are progress.
    pub progress: ProgressStatements,
    /// How they were named; it says as well which places are progress.
    pub progress_at: ProgressAt,
    /// How steps are made.
    pub steps: Steps,
    /// Whether the set of all states gets a number that stands for it.
    pub digest: bool,
    /// Which moves are enough; `None`: all moves of all states.
    pub reducer: Option<Reducer>,
    /// Bytes of memory that the remembered steps of a thread may take.
    pub budget_for_steps: usize,
    /// What was learned.
    pub knowledge: Mutex<Knowledge>,
    /// Memory that was taken, and may be taken.
    pub budget: Arc<Budget>,
}

/// Told of the moves of a state.
pub trait Sink<const N: usize> {
    /// Whether [`Arrival::marks`] is to be filled in. Costs time for every move that has some.
    const NEEDS_MARKS: bool;
    /// A move (or a chain of them) arrives at a state that is to be stored. `arrival.last` is its last step.
    fn arrive(&mut self, state: [u64; N], arrival: Arrival);
    /// Something is wrong with a move (or a chain of them), or with the state itself (`arrival` is `None`).
    fn problem(&mut self, cause: u32, arrival: Option<Arrival>);
}

/// How a state was arrived at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// [`crate::explore::memo::Move::info`] of the last step.
    pub last: u32,
    /// The place in [`Expander::log`] of the step before it, if there is one and the log is kept.
    pub before: u32,
    /// Labels met on the way.
    pub marks: Marks,
}

/// Those who have taken part in steps.
pub(super) type Actors = Arc<BTreeSet<Pid>>;

/// A step on the way to an arrival.
#[derive(Clone, Debug)]
pub struct Logged {
    /// The place of the step before it.
    before: u32,
    /// As [`Arrival::last`].
    info: u32,
    /// Who has taken part up to and with this step.
    actors: Actors,
}

/// There is no step before it.
pub const NO_STEP: u32 = u32::MAX;

/// The layout has no room for a value that was computed. The state must be expanded again under a new layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LayoutIsFull;

/// Whether something moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expansion {
    /// Yes, and nobody is put off for ever: these are all moves, or first somebody dies. A cycle in which somebody dies also
    /// starts somebody, and where that happens all moves are made.
    Moved,
    /// Yes, and these moves are enough, provided that one of them leads away from the execution so far.
    Reduced,
    /// No process can move.
    DeadEnd,
}

/// Which successor of a state.
pub type Direction = (Way, u32);

/// How the state was expanded that a successor is counted among.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// By [`Expander::expand`].
    Expand,
    /// By [`Expander::expand_fully`].
    ExpandFully,
}

/// Expands states; one for each thread.
#[derive(Debug)]
pub struct Expander<'a, 's, const N: usize> {
    shared: &'a Shared<'s>,
    layout: Layout,
    process_fields: Vec<Field>,
    rows: TransitionMemo<N>,
    /// What other expanders have computed; `None` if there are no others.
    shared_memo: Option<&'a SharedMemo<N>>,
    /// How many entries of the shared memo it has read.
    shared_read: usize,
    /// Steps inside chains, each with the place of the one before it; only if asked for.
    pub log: Vec<Logged>,
    /// Whether to keep the log.
    pub keep_log: bool,
    /// Steps that ended inside an `atomic`.
    pub atomic_steps: u64,
    /// Whether a long chain came back to where it was: an `atomic` that may go round for ever.
    pub chain_came_back: bool,
    chain: Vec<Link<N>>,
    computation: Computation<N>,
    execution: Execution<N>,
    /// States inside of a sequence that was executed last.
    inside: usize,
    sites: Sites,
    /// Whether the rest of an `atomic` sequence may be remembered as a whole.
    has_whole_sequences: bool,
    /// Where that pays.
    sequences: Sites,
    sequence: Sequence<N>,
    /// Where processes stand, by pid and number of their local state.
    standing: Vec<Vec<Option<Standing>>>,
    /// Whether processes may be started after the state that is expanded; asked only where moves are left out.
    phase: Phase,
    stamps: Stamps,
    recorder: Recorder,
    touched: Vec<ComponentId>,
}

/// Where a process stands.
#[derive(Clone, Copy, Debug)]
struct Standing {
    location: LocationId,
    /// It may be the receiving side of a rendezvous, or there may be more to ask.
    may_receive: bool,
    /// It may come to a statement that starts a process; asked only where moves are left out.
    may_start: bool,
}

/// Moves that are not followed.
struct Unseen;

impl<const N: usize> Sink<N> for Unseen {
    const NEEDS_MARKS: bool = false;

    fn arrive(&mut self, _state: [u64; N], _arrival: Arrival) {}

    fn problem(&mut self, _cause: u32, _arrival: Option<Arrival>) {}
}

/// Keeps arrivals back and passes problems on.
struct Arrivals<'k, S, const N: usize> {
    states: Vec<([u64; N], Arrival)>,
    sink: &'k mut S,
}

impl<S: Sink<N>, const N: usize> Sink<N> for Arrivals<'_, S, N> {
    const NEEDS_MARKS: bool = S::NEEDS_MARKS;

    fn arrive(&mut self, state: [u64; N], arrival: Arrival) {
        self.states.push((state, arrival));
    }

    fn problem(&mut self, cause: u32, arrival: Option<Arrival>) {
        self.sink.problem(cause, arrival);
    }
}

/// Whether rows may be decision trees. What was judged about a set of moves, that it is enough, rests on more than they have read.
fn tree_rows(shared: &Shared<'_>) -> TreeRows {
    match (&shared.reducer, shared.steps) {
        (Some(_), _) | (None, Steps::ByMasks) => TreeRows::Never,
        (None, Steps::ByReads | Steps::ByVariables) => TreeRows::Always,
        (None, Steps::Measured | Steps::Executed | Steps::Directly) => TreeRows::WhereMasksAreWide,
    }
}

/// With more processes than this a rendezvous is looked up for all partners at once.
const MOST_FOR_PAIRS: usize = 256;
/// Chains longer than this remember where they were: an `atomic` may loop.
pub const LONG_CHAIN: usize = 4096;

impl<'a, 's, const N: usize> Expander<'a, 's, N> {
    /// An expander for states in the given layout; `memory` is what is already known.
    pub fn new(shared: &'a Shared<'s>, layout: Layout, components: &Components, memory: RowMemory) -> Self {
        let process_fields = (0..components.process_slots() as u32)
            .filter_map(|pid| components.process(Pid(pid)))
            .map(|component| layout.field(component))
            .collect();
        Expander {
            shared,
            process_fields,
            rows: TransitionMemo::new(
                memory,
                &layout,
                shared.budget_for_steps,
                tree_rows(shared),
                &shared.budget,
            ),
            computation: Computation::new(shared, components, &layout),
            execution: Execution::default(),
            inside: 0,
            layout,
            shared_memo: None,
            shared_read: 0,
            log: Vec::new(),
            keep_log: false,
            atomic_steps: 0,
            chain_came_back: false,
            chain: Vec::new(),
            sites: Sites::of_steps(),
            has_whole_sequences: shared.reducer.is_none() && !matches!(shared.steps, Steps::ByMasks),
            sequences: Sites::of_sequences(),
            sequence: Sequence::default(),
            standing: Vec::new(),
            phase: Phase::Births,
            stamps: Stamps::default(),
            recorder: Recorder::new(shared.interpreter.system(), components.has_divided()),
            touched: Vec::new(),
        }
    }

    /// From now on it has others to learn from.
    pub fn share(&mut self, shared_memo: &'a SharedMemo<N>) {
        self.shared_memo = Some(shared_memo);
    }

    /// Another expander that knows the same.
    pub fn fork(&self) -> Self {
        Expander {
            shared: self.shared,
            layout: self.layout.clone(),
            process_fields: self.process_fields.clone(),
            rows: self.rows.clone(),
            shared_memo: self.shared_memo,
            shared_read: self.shared_read,
            log: Vec::new(),
            keep_log: false,
            atomic_steps: 0,
            chain_came_back: false,
            chain: Vec::new(),
            computation: self.computation.clone(),
            execution: Execution::default(),
            inside: 0,
            sites: self.sites.clone(),
            has_whole_sequences: self.has_whole_sequences,
            sequences: self.sequences.clone(),
            sequence: Sequence::default(),
            standing: self.standing.clone(),
            phase: Phase::Births,
            stamps: Stamps::default(),
            recorder: self.recorder.another(),
            touched: Vec::new(),
        }
    }

    /// Learns what others have computed meanwhile. True if there was something.
    pub fn catch_up(&mut self) -> bool {
        let Some(shared_memo) = self.shared_memo else { return false };
        let (rows, layout) = (&mut self.rows, &self.layout);
        let read = self.shared_read;
        self.shared_read = shared_memo.read(read, |entry| {
            let MemoEntry { line, number, state, touched, moves, ample } = entry;
            rows.remember(*line, *number, state, layout, touched, moves, *ample);
        });
        self.shared_read > read
    }

    /// The layout of its states.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Where its memory comes from.
    #[inline(always)]
    pub fn budget(&self) -> &'a Arc<Budget> {
        &self.shared.budget
    }

    /// What it knows, to be used under another layout.
    pub fn into_memory(self) -> RowMemory {
        self.rows.into_memory(&self.layout)
    }

    /// Bytes of memory for remembered steps.
    pub fn bytes(&self) -> usize {
        self.rows.bytes()
    }

    /// The steps that lead to an arrival, from a state that was expanded with the log kept.
    pub fn steps_to(&self, arrival: Arrival) -> Vec<Step> {
        let mut steps = Vec::new();
        self.visit_steps_back(arrival, &mut |step| steps.push(step));
        steps.reverse();
        steps
    }

    /// Calls `visit` for each of these steps, the last one first.
    pub fn visit_steps_back(&self, arrival: Arrival, visit: &mut impl FnMut(Step)) {
        let (mut info, mut before) = (arrival.last, arrival.before);
        loop {
            self.rows.info(info).step.into_iter().for_each(&mut *visit);
            if before == NO_STEP {
                break;
            }
            let logged = &self.log[before as usize];
            (before, info) = (logged.before, logged.info);
        }
    }

    /// Gives the moves of a state to the sink: all, or those that are enough. On an error the sink may have been told a part.
    #[inline(always)]
    pub fn expand<S: Sink<N>>(&mut self, state: &[u64; N], sink: &mut S) -> Result<Expansion, LayoutIsFull> {
        let Some(reducer) = &self.shared.reducer else { return self.expand_fully(state, sink) };
        self.phase = self.phase_of(reducer, state);
        match self.expand_ample(state, sink)? {
            Some(expansion) => Ok(expansion),
            None => self.expand_fully(state, sink),
        }
    }

    /// Gives all moves of a state to the sink.
    #[inline(always)]
    pub fn expand_fully<S: Sink<N>>(
        &mut self,
        state: &[u64; N],
        sink: &mut S,
    ) -> Result<Expansion, LayoutIsFull> {
        let start = Arrival { last: 0, before: NO_STEP, marks: Marks::default() };
        if let Some(reducer) = &self.shared.reducer {
            self.phase = self.phase_of(reducer, state);
            return self.merging(sink, |this, arrivals| this.expand_free(state, start, arrivals));
        }
        let expansion = self.expand_free(state, start, sink)?;
        if !self.chain.is_empty() {
            self.follow_chains(sink)?;
        }
        Ok(expansion)
    }

    /// Gives the moves of some processes to the sink; what the others could do counts where it matters that nothing can move.
    pub fn expand_some<S: Sink<N>>(
        &mut self,
        state: &[u64; N],
        may_move: impl Fn(Pid) -> bool,
        sink: &mut S,
    ) -> Result<Expansion, LayoutIsFull> {
        let start = Arrival { last: 0, before: NO_STEP, marks: Marks::default() };
        let mut moved = false;
        let asks_for_timeout = self.shared.interpreter.system().model.features.timeout;
        for timeout in [false, true] {
            if moved || (timeout && !asks_for_timeout) {
                break;
            }
            for pid in 0..self.process_fields.len() as u32 {
                let number = self.process_fields[pid as usize].get(state);
                if number == 0 {
                    break;
                }
                if may_move(Pid(pid)) {
                    moved |= self.moves_of(state, pid, number, timeout, start, sink)?;
                } else {
                    let chains = self.chain.len();
                    moved |= self.moves_of(state, pid, number, timeout, start, &mut Unseen)?;
                    self.chain.truncate(chains);
                }
            }
        }
        self.follow_chains(sink)?;
        Ok(if moved { Expansion::Moved } else { Expansion::DeadEnd })
    }

    /// The number of a process's local state; 0 if there is no such process.
    #[inline(always)]
    pub fn process_number(&self, pid: usize, state: &[u64; N]) -> u32 {
        self.process_fields.get(pid).map_or(0, |field| field.get(state))
    }

    /// Whether a process stands at a place that is progress.
    pub fn stands_at_progress(&self, state: &[u64; N]) -> bool {
        let knowledge = lock(&self.shared.knowledge);
        let mut processes = (0..knowledge.components.process_slots() as u32).map(Pid);
        processes.any(|pid| {
            let number = self.process_number(pid.0 as usize, state);
            let place = knowledge
                .components
                .process(pid)
                .and_then(|component| knowledge.components.place(component, number));
            place.is_some_and(|(automaton, location)| self.shared.is_progress(automaton, location))
        })
    }

    /// Evaluates something in a state by the semantics, and appends the components that it looked at.
    pub fn observe<T>(
        &mut self,
        state: &[u64; N],
        touched: &mut Vec<ComponentId>,
        evaluate: impl FnOnce(&Interpreter<'_>, &State, &Recorder) -> T,
    ) -> T {
        let knowledge = lock(&self.shared.knowledge);
        self.computation.values.decode(&knowledge.components, &self.layout, state);
        self.recorder.clear();
        let values = self.computation.values.state();
        let result = evaluate(&self.shared.interpreter, values, &self.recorder);
        self.recorder.components(&knowledge.components, values, touched);
        result
    }

    /// The values of a state.
    pub fn decode(&mut self, state: &[u64; N]) -> &State {
        let knowledge = lock(&self.shared.knowledge);
        self.computation.values.decode(&knowledge.components, &self.layout, state);
        self.computation.values.state()
    }

    /// Moves of a state in which nobody has exclusive control.
    #[inline(always)]
    fn expand_free<S: Sink<N>>(
        &mut self,
        state: &[u64; N],
        arrival: Arrival,
        sink: &mut S,
    ) -> Result<Expansion, LayoutIsFull> {
        self.sample(state, None);
        match self.moves_of_all(state, false, arrival, sink)? {
            true => Ok(Expansion::Moved),
            false => self.expand_stuck(state, arrival, sink),
        }
    }

    /// Moves of all processes.
    #[inline(always)]
    fn moves_of_all<S: Sink<N>>(
        &mut self,
        state: &[u64; N],
        timeout: bool,
        arrival: Arrival,
        sink: &mut S,
    ) -> Result<bool, LayoutIsFull> {
        let mut moved = false;
        for pid in 0..self.process_fields.len() {
            let number = self.process_fields[pid].get(state);
            if number == 0 {
                break;
            }
            moved |= self.moves_of(state, pid as u32, number, timeout, arrival, sink)?;
        }
        Ok(moved)
    }

    /// Of every few states, notes what is remembered about them: of one process, or of all.
    #[inline(always)]
    fn sample(&mut self, state: &[u64; N], only: Option<Pid>) {
        self.sites.is_sampling = self.sites.until_sample == 0;
        if self.sites.is_sampling {
            self.sites.until_sample = SAMPLED_OF;
            self.note_sample(state, only);
        }
        self.sites.until_sample -= 1;
    }

    #[cold]
    #[inline(never)]
    fn note_sample(&mut self, state: &[u64; N], only: Option<Pid>) {
        if self.shared.reducer.is_some() {
            return;
        }
        for pid in 0..self.process_fields.len() as u32 {
            let number = self.process_fields[pid as usize].get(state);
            if only.is_none_or(|only| only.0 == pid)
                && let Some(Standing { location, .. }) = self.standing(Pid(pid), number)
            {
                let line = process_line(pid, false);
                let found = self.rows.look_up(line, number, state);
                self.sites.note(line, location, found != Lookup::Unknown);
            }
        }
    }

    /// Where a process stands that has a local state with this number; `None` if there is none.
    #[inline(always)]
    fn standing(&mut self, pid: Pid, number: u32) -> Option<Standing> {
        match self.standing.get(pid.0 as usize).and_then(|known| known.get(number as usize)) {
            Some(&standing) => standing,
            None => self.learn_standing(pid, number),
        }
    }

    #[cold]
    #[inline(never)]
    fn learn_standing(&mut self, pid: Pid, number: u32) -> Option<Standing> {
        let system = self.shared.interpreter.system();
        let knowledge = lock(&self.shared.knowledge);
        let component = knowledge.components.process(pid)?;
        if self.standing.len() <= pid.0 as usize {
            self.standing.resize_with(pid.0 as usize + 1, Vec::new);
        }
        let known = &mut self.standing[pid.0 as usize];
        let unknown = known.len() as u32..knowledge.components.values(component) as u32;
        known.extend(unknown.map(|number| {
            let (automaton, location) = knowledge.components.place(component, number)?;
            let mut edges = system.automaton(automaton).edges_from(location);
            // Whether one may run at all may be an error to ask.
            let may_receive = system.model.features.priorities
                || system.model.proctypes[automaton.0 as usize].provided.is_some()
                || edges.any(|(edge, _)| system.code.may_receive(automaton, edge));
            let reducer = self.shared.reducer.as_ref();
            let may_start = reducer.is_some_and(|reducer| reducer.may_start(automaton, location));
            Some(Standing { location, may_receive, may_start })
        }));
        known.get(number as usize).copied().flatten()
    }

    /// Whether processes may be started after a state.
    fn phase_of(&mut self, reducer: &Reducer, state: &[u64; N]) -> Phase {
        let may_start = !reducer.is_always_settled()
            && (0..self.process_fields.len()).any(|pid| {
                let number = self.process_fields[pid].get(state);
                number != 0
                    && self.standing(Pid(pid as u32), number).is_some_and(|standing| standing.may_start)
            });
        if may_start { Phase::Births } else { Phase::Settled }
    }

    /// The number of the rows of a process. What is enough once nobody is started any more may not be before.
    #[inline(always)]
    fn line(&self, pid: u32, timeout: bool) -> u32 {
        match self.phase {
            // Nothing else uses these lines where moves are left out.
            Phase::Settled if !timeout => sequence_line(pid),
            Phase::Settled | Phase::Births => process_line(pid, timeout),
        }
    }

    /// If some process has moves that are enough, gives those and no others.
    fn expand_ample<S: Sink<N>>(
        &mut self,
        state: &[u64; N],
        sink: &mut S,
    ) -> Result<Option<Expansion>, LayoutIsFull> {
        let arrival = Arrival { last: 0, before: NO_STEP, marks: Marks::default() };
        let Some((pid, number, place)) = self.ample_moves(state)? else { return Ok(None) };
        if let Some((next, info)) = self.single_plain_move(state, place) {
            let arrival = self.step_on(arrival, info);
            self.chain.push(Link { state: next, exclusive: None, arrival });
            let dies = self.rows.info(info).dies;
            self.follow_chains(sink)?;
            return Ok(Some(if dies { Expansion::Moved } else { Expansion::Reduced }));
        }
        let moves = |this: &mut Self, arrivals: &mut Arrivals<'_, S, N>| {
            this.moves_of(state, pid, number, false, arrival, arrivals)
        };
        let moved = self.merging(sink, moves)?;
        Ok(moved.then_some(Expansion::Reduced))
    }

    /// Makes moves and goes on from where they arrive, as long as a single move is enough there.
    fn merging<S: Sink<N>, T>(
        &mut self,
        sink: &mut S,
        moves: impl FnOnce(&mut Self, &mut Arrivals<'_, S, N>) -> Result<T, LayoutIsFull>,
    ) -> Result<T, LayoutIsFull> {
        let mut arrivals = Arrivals { states: Vec::new(), sink };
        let outcome = moves(self, &mut arrivals)?;
        self.follow_chains(&mut arrivals)?;
        let Arrivals { states, sink } = arrivals;
        // The last link is followed first.
        for (state, arrival) in states.into_iter().rev() {
            let arrival = self.step_on(arrival, arrival.last);
            self.chain.push(Link { state, exclusive: None, arrival });
        }
        self.follow_chains(sink)?;
        Ok(outcome)
    }

    /// The process, its local state and its list of moves, if these are enough; a single move if there is a choice, so that
    /// processes branch as late as they can.
    fn ample_moves(&mut self, state: &[u64; N]) -> Result<Option<(u32, u32, u32)>, LayoutIsFull> {
        let mut branching = None;
        for pid in 0..self.process_fields.len() as u32 {
            let number = self.process_fields[pid as usize].get(state);
            if number == 0 {
                break;
            }
            let mut found = self.rows.look_up(self.line(pid, false), number, state);
            if found == Lookup::Unknown {
                found = self.compute(state, Pid(pid), number, false, Partners::None)?;
            }
            if let Lookup::Moves(place) = found {
                let info = self.rows.at(place).info;
                if info & AMPLE != 0 && info & LAST_OF_LIST != 0 {
                    return Ok(Some((pid, number, place)));
                }
                if info & AMPLE != 0 {
                    branching.get_or_insert((pid, number, place));
                }
            }
        }
        // A computation may have thrown away what was remembered; places found before it are then no longer good.
        Ok(branching.filter(|&(pid, number, place)| {
            self.rows.look_up(self.line(pid, false), number, state) == Lookup::Moves(place)
        }))
    }

    /// The only move of a list, if it just arrives: the state in between is of no interest to anybody.
    fn single_plain_move(&self, state: &[u64; N], place: u32) -> Option<([u64; N], u32)> {
        let first = self.rows.at(place);
        let single = first.info & LAST_OF_LIST != 0 && first.info & SPECIAL == 0;
        single.then(|| (flip(state, &first.change), first.info))
    }

    #[cold]
    #[inline(never)]
    fn expand_stuck<S: Sink<N>>(
        &mut self,
        state: &[u64; N],
        arrival: Arrival,
        sink: &mut S,
    ) -> Result<Expansion, LayoutIsFull> {
        let asks_for_timeout = self.shared.interpreter.system().model.features.timeout;
        if asks_for_timeout && self.moves_of_all(state, true, arrival, sink)? {
            return Ok(Expansion::Moved);
        }
        if self.shared.properties.end_states {
            let interpreter = self.shared.interpreter;
            let state = self.decode(state);
            if !interpreter.is_valid_end_state(state) || !interpreter.event_trace_is_complete(state) {
                let cause = cause_of_end_state(state);
                let number = lock(&self.shared.knowledge).number_of(cause);
                sink.problem(number, None);
            }
        }
        Ok(Expansion::DeadEnd)
    }

    /// Moves of one process. Chains that it enters are left in `self.chain`.
    #[inline(always)]
    fn moves_of<S: Sink<N>>(
        &mut self,
        state: &[u64; N],
        pid: u32,
        number: u32,
        timeout: bool,
        arrival: Arrival,
        sink: &mut S,
    ) -> Result<bool, LayoutIsFull> {
        let line = self.line(pid, timeout);
        let (sites, standing) = (&self.sites, &self.standing);
        // Where hardly anything is found looking for it costs as much as executing it.
        let is_executed = || {
            let standing = standing.get(pid as usize).and_then(|known| known.get(number as usize));
            standing.copied().flatten().is_some_and(|standing| sites.executes(line, standing.location))
        };
        let mut found = self.rows.look_up_unless(line, number, state, is_executed);
        if found == Lookup::Unknown {
            found = self.compute(state, Pid(pid), number, timeout, Partners::None)?;
        }
        let Lookup::Moves(mut place) = found else { return Ok(false) };
        let mut moved = false;
        let mut offers = false;
        loop {
            let step = *self.rows.at(place);
            let next = flip(state, &step.change);
            if step.info & (if S::NEEDS_MARKS { SPECIAL | MARKED } else { SPECIAL }) == 0 {
                moved = true;
                sink.arrive(next, Arrival { last: step.info, ..arrival });
            } else {
                let info = self.rows.info(step.info);
                if !info.arrives && info.problem.is_none() {
                    offers = true;
                } else {
                    moved = true;
                    self.special(next, step.info, info, arrival, sink);
                }
            }
            if step.info & LAST_OF_LIST != 0 {
                break;
            }
            place += 1;
        }
        if offers {
            moved |= self.rendezvous(state, pid, number, timeout, arrival, sink)?;
        }
        Ok(moved)
    }

    #[inline(never)]
    fn special<S: Sink<N>>(
        &mut self,
        next: [u64; N],
        last: u32,
        info: MoveInfo,
        arrival: Arrival,
        sink: &mut S,
    ) {
        let arrival = Arrival {
            last,
            before: arrival.before,
            marks: Marks { progress: arrival.marks.progress || info.marks.progress },
        };
        self.atomic_steps += u64::from(info.inner);
        if let Some(cause) = info.problem {
            sink.problem(cause, Some(arrival));
        }
        if !info.arrives {
            return;
        }
        match info.exclusive {
            None => sink.arrive(next, arrival),
            Some(exclusive) => {
                self.atomic_steps += 1;
                let arrival = self.step_on(arrival, last);
                self.chain.push(Link { state: next, exclusive: Some(exclusive), arrival });
            }
        }
    }

    /// The way so far, with a step more that does not arrive.
    fn step_on(&mut self, arrival: Arrival, info: u32) -> Arrival {
        let progress = arrival.marks.progress || self.rows.info(info).marks.progress;
        let before = if self.keep_log {
            self.note(arrival.before, info)
        } else {
            // Any value but NO_STEP: there is a step before.
            0
        };
        Arrival { last: info, before, marks: Marks { progress } }
    }

    /// Adds a step to the log, behind another.
    fn note(&mut self, before: u32, info: u32) -> u32 {
        let mut actors =
            if before == NO_STEP { Actors::default() } else { self.log[before as usize].actors.clone() };
        if let Some(step) = self.rows.info(info).step {
            let partner = step.partner.map(|partner| partner.process);
            for pid in [Some(step.process), partner].into_iter().flatten() {
                if !actors.contains(&pid) {
                    Arc::make_mut(&mut actors).insert(pid);
                }
            }
        }
        self.log.push(Logged { before, info, actors });
        self.log.len() as u32 - 1
    }

    /// Rendezvous of a process with each other one.
    #[inline(never)]
    fn rendezvous<S: Sink<N>>(
        &mut self,
        state: &[u64; N],
        sender: u32,
        number: u32,
        timeout: bool,
        arrival: Arrival,
        sink: &mut S,
    ) -> Result<bool, LayoutIsFull> {
        let mut moved = false;
        for receiver in 0..self.process_fields.len() as u32 {
            let standing = self.standing(Pid(receiver), self.process_fields[receiver as usize].get(state));
            if receiver == sender || standing.is_none_or(|standing| !standing.may_receive) {
                continue;
            }
            let line = pair_line(sender, receiver, timeout);
            let mut found = self.rows.look_up(line, number, state);
            if self.sites.is_sampling
                && let Some(Standing { location, .. }) = self.standing(Pid(sender), number)
            {
                self.sites.note(line, location, found != Lookup::Unknown);
            }
            if found == Lookup::Unknown {
                found = self.compute(state, Pid(sender), number, timeout, Partners::Only(Pid(receiver)))?;
            }
            let Lookup::Moves(mut place) = found else { continue };
            loop {
                let step = *self.rows.at(place);
                let next = flip(state, &step.change);
                moved = true;
                let info = self.rows.info(step.info);
                self.special(next, step.info, info, arrival, sink);
                if step.info & LAST_OF_LIST != 0 {
                    break;
                }
                place += 1;
            }
        }
        Ok(moved)
    }
}

impl Shared<'_> {
    /// Whether it is progress to stand there.
    pub fn is_progress(&self, automaton: AutomatonId, location: LocationId) -> bool {
        let system = self.interpreter.system();
        location_is_progress(system, &self.progress_at, system.automaton(automaton), location)
    }
}

/// Locks what threads share. A thread that panicked has left whole values behind, so its lock is as good as any.
pub fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[inline(always)]
fn flip<const N: usize>(state: &[u64; N], change: &[u64; N]) -> [u64; N] {
    let mut next = *state;
    for word in 0..N {
        next[word] ^= change[word];
    }
    next
}

/// The number of the rows of a process. Of five lines three belong to a process and two to a pair.
#[inline(always)]
fn process_line(pid: u32, timeout: bool) -> u32 {
    5 * pid + u32::from(timeout)
}

/// The number of the rows for the rest of an `atomic` sequence of a process.
#[inline(always)]
fn sequence_line(pid: u32) -> u32 {
    5 * pid + 2
}

/// The number of the rows for rendezvous between two processes: small for small numbers.
fn pair_line(sender: u32, receiver: u32, timeout: bool) -> u32 {
    let larger = sender.max(receiver);
    let pair = larger * larger + if sender > receiver { sender + receiver } else { sender };
    5 * pair + 3 + u32::from(timeout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_processes_or_pairs_share_rows() {
        let mut lines = HashSet::new();
        assert!((0..300).all(|pid| lines.insert(sequence_line(pid))));
        for timeout in [false, true] {
            for sender in 0..300 {
                assert!(lines.insert(process_line(sender, timeout)));
                for receiver in (0..300).filter(|&receiver| receiver != sender) {
                    assert!(lines.insert(pair_line(sender, receiver, timeout)));
                }
            }
        }
    }
}
