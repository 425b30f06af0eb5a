//! Breadth-first search by executing: states are their values, and nothing is remembered.
//!
//! Numbering the values of components and remembering steps pays where both come again. Where nearly every step makes a value that was never there before (a hash
//! of what happened, a clock, a board, a table of records) each is numbered, each gets a row, and nobody asks for it twice. There a state is best what it is to
//! `pan`: its variables side by side ([`shape`]), once, in a list that is the queue as well ([`set`]). A step is executed on the state at hand, what it has changed is
//! written into a copy of its words, and it is taken back ([`system::interpreter::Undo`]).
//!
//! What cannot be taken back (starting, ending, rendezvous, `timeout`, escapes, whatever fails or violates something) is executed on a copy, by the same semantics.
//!
//! One thread does it all. Where steps are computed several get nothing done either: what is computed is numbered under one lock.
//!
//! [`pays`] says when, by what a search has computed so far. It begins anew then, and if something turns out not to be made for this (a loop inside of an `atomic`
//! sequence, too little memory for states of full size) the other search goes on instead: what is found is the same.

mod set;
mod shape;
mod ways;

use crate::budget::MemoryEnds;
use crate::explore::breadth::{Explored, Found, FoundAt, Plan};
use crate::explore::expand::{Heard, LONG_CHAIN, Shared, copy_state, lock};
use crate::options::ErrorPolicy;
use crate::packed::digest::Changing;
use crate::packed::knowledge::{Knowledge, cause_of_end_state, cause_of_error, cause_of_violation};
use crate::report::{Cause, Counts, MOST_VALUES, StopReason};
use set::{Set, hash_of};
use shape::{Item, Misfit, Shapes};
use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;
use system::automaton::{AutomatonId, EdgeId, LocationId};
use system::clock::Instant;
use system::control::{Control, Status};
use system::interpreter::{Partners, Step, Undo};
use system::state::{Pid, Process, State};
use ways::{Goal, steps_to};

/// Successors that are collected before they are looked up: enough to hide the way to memory.
const BATCH: usize = 32;
/// After so many states it is looked at the limits.
const ROUND: u32 = 1 << 10;

/// A step that is computed, found a place for and hardly ever asked again takes as long as executing so many. Not more: much is new at first.
const COMPUTED_OFTEN: u64 = 2;

/// Why the other search is to go on instead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GivenUp;

impl From<Misfit> for GivenUp {
    fn from(_: Misfit) -> GivenUp {
        GivenUp
    }
}

impl From<MemoryEnds> for GivenUp {
    fn from(_: MemoryEnds) -> GivenUp {
        GivenUp
    }
}

/// Whether the states of a model can be written so at all, as far as can be said beforehand.
pub fn suits(shared: &Shared<'_>) -> bool {
    let features = &shared.interpreter.system().model.features;
    shared.reducer.is_none()
        && !features.priorities
        && !features.last
        && shared.interpreter.system().event_trace.is_none()
}

/// Whether executing all steps costs less than remembering them, if of so many steps that were made lately (the second number) so many were computed.
pub fn pays((computed, made): (u64, u64)) -> bool {
    computed.saturating_mul(COMPUTED_OFTEN) >= made
}

/// Explores everything that is reachable from the initial state. So many errors get ways that show them.
pub fn explore(
    shared: &Shared<'_>,
    Plan { policy, limits, .. }: Plan<'_>,
    traced: usize,
    control: &Control<'_>,
) -> Result<Explored, GivenUp> {
    let mut knowledge = lock(&shared.knowledge);
    let knowledge = &mut *knowledge;
    let initial = shared.interpreter.initial_state().map_err(|_| GivenUp)?;
    let mut search = Search {
        hand: Hand { state: initial.clone(), words: Vec::new(), shape: None },
        successors: Successors::new(shared),
        set: Set::new(&shared.budget),
        digest: shared.digest.then(Changing::default),
        seen: Vec::new(),
        suited: Vec::new(),
        undo: Undo::default(),
        onward: Vec::new(),
        waiting: Vec::new(),
        later: Vec::new(),
        found: Vec::new(),
        depth: 0,
    };
    search.successors.arrive(&initial, knowledge)?;
    search.add_successors()?;
    let mut counts = Counts::default();
    let (mut at, mut level_end, mut until_look) = (0, search.set.words().len(), ROUND);
    let (started, mut last_report) = (Instant::now(), Instant::now());
    let mut stopped = None;
    while at < search.set.words().len() {
        at += search.expand(at, knowledge)?;
        if at == level_end || search.successors.list.len() >= BATCH {
            search.add_successors()?;
        }
        if at == level_end && at < search.set.words().len() {
            level_end = search.set.words().len();
            search.depth += 1;
        }
        until_look -= 1;
        if until_look == 0 {
            until_look = ROUND;
            counts.states = search.set.len() as u64;
            stopped = if control.is_cancelled() {
                Some(StopReason::Cancelled)
            } else if let Some(limit) = limits.states.filter(|&limit| counts.states > limit) {
                Some(StopReason::States(limit))
            } else if limits.deadline.is_some_and(|deadline| Instant::now() > deadline) {
                Some(StopReason::Deadline)
            } else if control.memory_left() == Some(0) {
                return Err(GivenUp);
            } else {
                None
            };
            if last_report.elapsed().as_millis() > 100 {
                last_report = Instant::now();
                let successors = &search.successors;
                control.report(Status {
                    states: counts.states,
                    transitions: successors.arrivals + successors.atomic_steps,
                    depth: search.depth,
                    waiting: (search.set.words().len() - at) as u64,
                    memory: shared.budget.used(),
                    rate: counts.states as f64 / started.elapsed().as_secs_f64().max(1e-9),
                    together: None,
                });
            }
        }
        if policy != ErrorPolicy::All && !search.found.is_empty() {
            stopped = Some(StopReason::Error);
        }
        if stopped.is_some() {
            search.add_successors()?;
            break;
        }
    }
    let limit = limits.states.filter(|&limit| search.set.len() as u64 > limit);
    stopped = stopped.or(limit.map(StopReason::States));
    let found = search.found_with_ways(traced, knowledge);
    let Search { successors, set, digest, seen, depth, .. } = search;
    for (automaton, slots) in seen.into_iter().enumerate() {
        for (slot, values) in slots.into_iter().enumerate() {
            knowledge.note_values(AutomatonId(automaton as u32), slot as u32, &values);
        }
    }
    knowledge.computed_steps += successors.steps;
    let counts = Counts {
        states: set.len() as u64,
        matched: successors.arrivals - set.len() as u64,
        atomic_steps: successors.atomic_steps,
        depth,
        state_memory: set.bytes(),
        memory: shared.budget.used(),
        computed_steps: knowledge.computed_steps,
        product_nodes: 0,
    };
    let digest = digest.filter(|_| stopped.is_none()).map(|digest| digest.digest());
    Ok(Explored { stopped, counts, found, bit_state: None, digest })
}

struct Search<'a, 's> {
    hand: Hand,
    successors: Successors<'a, 's>,
    set: Set,
    digest: Option<Changing>,
    /// Values of local variables, by automaton and slot.
    seen: Vec<Vec<Vec<i32>>>,
    /// By automaton and location: whether what can be done there can be taken back.
    suited: Vec<Vec<Option<bool>>>,
    undo: Undo,
    /// Statements that lead on inside of sequences.
    onward: Vec<EdgeId>,
    /// States of a sequence whose statements are not all done: how much had changed there, and where its statements begin.
    waiting: Vec<(usize, usize)>,
    /// Steps that cannot be taken back, and where they begin.
    later: Vec<(State, Step)>,
    /// Errors by cause, each with the number of the first state with it.
    found: Vec<(Found, u32)>,
    depth: u64,
}

/// The state at hand.
struct Hand {
    state: State,
    words: Vec<u64>,
    /// The number of its shape; `None` if `words` are not those of the state.
    shape: Option<u16>,
}

/// A state inside of an `atomic` sequence, which waits for its turn.
struct Inside {
    state: State,
    exclusive: Pid,
}

/// What comes after the state at hand, and how much of it there was.
struct Successors<'a, 's> {
    shared: &'a Shared<'s>,
    shapes: Shapes,
    /// Where the words of each begin, its hash, and the number of the state that it comes after.
    list: Vec<(usize, u32, u32)>,
    words: Vec<u64>,
    inside: Vec<Inside>,
    /// To execute on.
    scratch: Option<State>,
    /// Steps of a process.
    of_process: Vec<Step>,
    /// Causes of what is wrong with the state at hand.
    problems: Vec<u32>,
    arrivals: u64,
    atomic_steps: u64,
    steps: u64,
    /// States inside of sequences since the state at hand.
    followed: usize,
    /// The number of the state at hand.
    origin: u32,
}

impl<'a, 's> Successors<'a, 's> {
    fn new(shared: &'a Shared<'s>) -> Self {
        Successors {
            shared,
            shapes: Shapes::default(),
            list: Vec::new(),
            words: Vec::new(),
            inside: Vec::new(),
            scratch: None,
            of_process: Vec::new(),
            problems: Vec::new(),
            arrivals: 0,
            atomic_steps: 0,
            steps: 0,
            followed: 0,
            origin: 0,
        }
    }

    /// Takes in a state.
    fn arrive(&mut self, state: &State, knowledge: &mut Knowledge) -> Result<(), GivenUp> {
        let (number, is_new) = self.shapes.number(state, &self.shared.interpreter)?;
        if is_new {
            // Its processes and channels are known from now on.
            knowledge.components.encode(state, &mut Vec::new());
        }
        let begin = self.words.len();
        self.shapes.shape(number).append(number, state, &mut self.words)?;
        self.arrived(begin);
        Ok(())
    }

    /// The words from there on are a state.
    #[inline(always)]
    fn arrived(&mut self, begin: usize) -> u32 {
        self.arrivals += 1;
        let hash = hash_of(&self.words[begin..]);
        self.list.push((begin, hash, self.origin));
        hash
    }

    /// A state inside of a sequence is met.
    #[inline(always)]
    fn enter(&mut self) -> Result<(), GivenUp> {
        self.atomic_steps += 1;
        self.followed += 1;
        // It may go round for ever.
        if self.followed > LONG_CHAIN { Err(GivenUp) } else { Ok(()) }
    }

    /// Executes a step on a copy.
    fn execute(&mut self, before: &State, step: Step, knowledge: &mut Knowledge) -> Result<(), GivenUp> {
        let Shared { interpreter, properties, .. } = self.shared;
        let mut after = self.scratch.take().unwrap_or_else(|| before.clone());
        copy_state(before, &mut after);
        let outcome = interpreter.execute(&mut after, step, &(), &mut knowledge.watch);
        for violation in knowledge.watch.take_violations() {
            if properties.include(&violation) {
                let cause = cause_of_violation(before, step, &violation);
                self.problems.push(knowledge.number_of(cause));
            }
        }
        knowledge.note_executed(before, step);
        match (outcome, after.exclusive.take()) {
            (Err(error), _) => {
                let cause = cause_of_error(before, Some(step), &error);
                self.problems.push(knowledge.number_of(cause));
            }
            (Ok(()), Some(exclusive)) => {
                self.enter()?;
                self.inside.push(Inside { state: after.clone(), exclusive });
            }
            (Ok(()), None) => self.arrive(&after, knowledge)?,
        }
        self.scratch = Some(after);
        Ok(())
    }
}

impl Search<'_, '_> {
    /// Looks up what has arrived.
    fn add_successors(&mut self) -> Result<(), MemoryEnds> {
        let Successors { list, words, .. } = &mut self.successors;
        let mut ends = list.iter().skip(1).map(|(begin, ..)| *begin).chain([words.len()]);
        for &(begin, hash, origin) in list.iter() {
            let end = ends.next().unwrap_or(words.len());
            self.set.insert(&words[begin..end], hash, origin)?;
        }
        list.clear();
        words.clear();
        Ok(())
    }

    /// Makes all moves of the state that begins there, and tells how long it is.
    fn expand(&mut self, at: usize, knowledge: &mut Knowledge) -> Result<usize, GivenUp> {
        let words = self.read(at);
        knowledge.watch.begin_step();
        self.successors.followed = 0;
        let processes = self.hand.state.processes.len() as u32;
        let mut moved = self.moves(0..processes, knowledge)?;
        let shared = self.successors.shared;
        if !moved && shared.interpreter.system().model.features.timeout {
            for pid in 0..processes {
                moved |= self.moves_on_copies(Pid(pid), true, knowledge)?;
            }
        }
        let state = &self.hand.state;
        if !moved && shared.properties.end_states && !shared.interpreter.is_valid_end_state(state) {
            let cause = cause_of_end_state(state);
            self.successors.problems.push(knowledge.number_of(cause));
        }
        if !self.successors.inside.is_empty() {
            self.follow(knowledge)?;
        }
        if !self.successors.problems.is_empty() {
            self.note_problems();
        }
        self.successors.origin += 1;
        Ok(words)
    }

    /// Goes on from the states inside of sequences.
    #[cold]
    #[inline(never)]
    fn follow(&mut self, knowledge: &mut Knowledge) -> Result<(), GivenUp> {
        while let Some(Inside { state, exclusive }) = self.successors.inside.pop() {
            let (number, is_new) =
                self.successors.shapes.number(&state, &self.successors.shared.interpreter)?;
            if is_new {
                knowledge.components.encode(&state, &mut Vec::new());
            }
            self.hand.state = state;
            self.hand.words.clear();
            let shape = self.successors.shapes.shape(number);
            shape.append(number, &self.hand.state, &mut self.hand.words)?;
            self.hand.shape = Some(number);
            if !self.moves(exclusive.0..exclusive.0 + 1, knowledge)? {
                // Blocked: control is given up, and this is a state like any other.
                self.successors.arrive(&self.hand.state, knowledge)?;
            }
            // Nothing was noted about it.
            self.hand.shape = None;
        }
        Ok(())
    }

    /// Makes the state that begins there the one at hand, and tells how long it is.
    fn read(&mut self, at: usize) -> usize {
        let Search {
            hand: Hand { state, words: was, shape: at_hand }, successors, set, digest, seen, ..
        } = self;
        let number = Shapes::number_in(set.words()[at]);
        let shape = successors.shapes.shape(number);
        let words = &set.words()[at..at + shape.words()];
        if *at_hand == Some(number) {
            shape.read_changes(was, words, state, |item, was, is| {
                if let Item::Local(pid, slot) = item {
                    note_value(seen, shape.automaton(pid), slot, is);
                }
                if let Some(digest) = digest {
                    match item {
                        Item::Global(slot) => digest.global(slot, was, is),
                        Item::Location(pid) | Item::Local(pid, _) => digest.process(pid),
                        Item::Channel(id) => digest.channel(id),
                    }
                }
            });
            was.copy_from_slice(words);
        } else {
            shape.read_all(words, state);
            for process in &state.processes {
                for (slot, &value) in process.locals.iter().enumerate() {
                    note_value(seen, process.automaton, slot as u32, value);
                }
            }
            digest.iter_mut().for_each(|digest| digest.begin(state));
            was.clear();
            was.extend_from_slice(words);
            *at_hand = Some(number);
        }
        digest.iter_mut().for_each(|digest| digest.add(state));
        words.len()
    }

    /// Makes the moves of a process by executing on copies; false if there are none.
    fn moves_on_copies(
        &mut self,
        pid: Pid,
        timeout: bool,
        knowledge: &mut Knowledge,
    ) -> Result<bool, GivenUp> {
        let Search { hand: Hand { state, .. }, successors, .. } = self;
        let mut steps = std::mem::take(&mut successors.of_process);
        steps.clear();
        let interpreter = &successors.shared.interpreter;
        let found = interpreter.steps_with(state, pid, timeout, Partners::All, &(), &mut steps);
        for &step in &steps {
            successors.execute(state, step, knowledge)?;
        }
        let moved = !steps.is_empty() || found.is_err();
        successors.of_process = steps;
        if let Err(error) = found {
            successors.problems.push(knowledge.number_of(cause_of_error(state, None, &error)));
        }
        Ok(moved)
    }

    /// Makes the moves of processes on the state at hand, and on what their sequences lead through, up to one with which that does not go. Tells which that is,
    /// and whether something moved before. All is taken back.
    fn moves_in_place(
        &mut self,
        pids: Range<u32>,
        knowledge: &mut Knowledge,
    ) -> Result<(u32, bool), GivenUp> {
        let Search { hand, successors, set, suited, undo, onward, waiting, later, .. } = self;
        let Hand { state, words, shape: Some(number) } = hand else { return Ok((pids.start, false)) };
        let shared = successors.shared;
        let is_violated = Cell::new(false);
        let Knowledge { executed, watch, .. } = &mut *knowledge;
        let mut heard = Heard { watch, properties: &shared.properties, is_violated: &is_violated };
        let mut stepper = shared.interpreter.stepper(state, undo, Pid(pids.start), &mut heard);
        let mut moved = false;
        let mut done = pids.end;
        for pid in pids.map(Pid) {
            stepper.turn_to(pid);
            onward.clear();
            let Process { automaton, location, .. } = stepper.state().processes[pid.0 as usize];
            if !is_suited(shared, suited, automaton, location) {
                done = pid.0;
                break;
            }
            if stepper.enabled(onward).is_err() {
                // A rendezvous is offered there, or something fails, and is likely to again.
                suited[automaton.0 as usize][location.0 as usize] = Some(false);
                done = pid.0;
                break;
            }
            if onward.is_empty() {
                continue;
            }
            moved = true;
            waiting.push((0, 0));
            let edges = shared.interpreter.system().automaton(automaton);
            let executed = &mut executed[automaton.0 as usize];
            while let Some(&(changes, first)) = waiting.last() {
                if onward.len() == first {
                    waiting.pop();
                    continue;
                }
                let Some(edge) = onward.pop() else { break };
                stepper.take_back(changes);
                let outcome = stepper.execute(edge);
                if outcome.is_err() || is_violated.replace(false) {
                    stepper.take_back(changes);
                    later.push((stepper.state().clone(), Step { process: pid, edge, partner: None }));
                    continue;
                }
                successors.steps += 1;
                executed[edge.0 as usize] = true;
                if edges.edge(edge).atomic {
                    successors.enter()?;
                    let (begin, location) = (onward.len(), stepper.location());
                    let suits = is_suited(shared, suited, automaton, location);
                    if !suits || stepper.enabled(onward).is_err() {
                        suited[automaton.0 as usize][location.0 as usize] = Some(false);
                        onward.truncate(begin);
                        successors.inside.push(Inside { state: stepper.state().clone(), exclusive: pid });
                        continue;
                    }
                    if onward.len() > begin {
                        waiting.push((stepper.undo().len(), begin));
                        continue;
                    }
                }
                // Out of the sequence; or it is blocked, and control is given up.
                let begin = successors.words.len();
                successors.words.extend_from_slice(words);
                let next = &mut successors.words[begin..];
                let shape = successors.shapes.shape(*number);
                for touched in stepper.undo().touched() {
                    shape.put(next, touched, pid, stepper.state())?;
                }
                set.prefetch(successors.arrived(begin));
            }
            stepper.take_back(0);
        }
        drop(stepper);
        while let Some((before, step)) = later.pop() {
            successors.execute(&before, step, knowledge)?;
        }
        Ok((done, moved))
    }

    /// Makes the moves of processes; false if there are none.
    fn moves(&mut self, pids: Range<u32>, knowledge: &mut Knowledge) -> Result<bool, GivenUp> {
        let (mut pid, mut moved) = (pids.start, false);
        while pid < pids.end {
            let (next, has_moved) = self.moves_in_place(pid..pids.end, knowledge)?;
            moved |= has_moved;
            if next < pids.end {
                moved |= self.moves_on_copies(Pid(next), false, knowledge)?;
            }
            pid = next + 1;
        }
        Ok(moved)
    }

    /// Counts what is wrong with the state at hand when it was expanded.
    #[cold]
    fn note_problems(&mut self) {
        for cause in self.successors.problems.drain(..) {
            match self.found.iter_mut().find(|(group, _)| group.cause == cause) {
                Some((group, _)) => group.count += 1,
                None => {
                    let place = FoundAt::OutOfReach(StopReason::TraceNotConfirmed);
                    let group = Found { cause, count: 1, depth: self.depth, place };
                    self.found.push((group, self.successors.origin));
                }
            }
        }
    }

    /// What was found, some of it with the steps that show it.
    fn found_with_ways(&self, traced: usize, knowledge: &mut Knowledge) -> Vec<Found> {
        if self.found.is_empty() {
            return Vec::new();
        }
        let begins = self.begins(self.found.iter().take(traced).map(|(_, number)| *number));
        let state_of = |number: u32| {
            let words = &self.set.words()[begins[&number]..];
            let mut state = self.hand.state.clone();
            self.successors.shapes.shape(Shapes::number_in(words[0])).read_all(words, &mut state);
            state
        };
        let interpreter = &self.successors.shared.interpreter;
        let way_to = |number: u32, cause: &Cause| {
            let mut numbers = vec![number];
            while let Some(&number @ 1..) = numbers.last() {
                numbers.push(self.set.origin(number));
            }
            let (mut state, mut steps) = (state_of(0), Vec::new());
            for &number in numbers.iter().rev().skip(1) {
                let next = state_of(number);
                steps.extend(steps_to(interpreter, &state, Goal::State(&next))?);
                state = next;
            }
            steps.extend(steps_to(interpreter, &state, Goal::Cause(cause))?);
            Some(steps)
        };
        let mut found = Vec::new();
        for (place, (group, number)) in self.found.iter().enumerate() {
            let mut group = group.clone();
            if place < traced {
                group.place = match way_to(*number, knowledge.cause(group.cause)) {
                    Some(steps) => FoundAt::Steps(steps),
                    None => {
                        let mut numbers = Vec::new();
                        knowledge.components.encode(&state_of(*number), &mut numbers);
                        FoundAt::State(numbers)
                    }
                };
            }
            found.push(group);
        }
        found
    }

    /// Where some states begin, and those that they were met from.
    fn begins(&self, numbers: impl Iterator<Item = u32>) -> HashMap<u32, usize> {
        let mut begins = HashMap::new();
        for mut number in numbers {
            while begins.insert(number, 0).is_none() && number > 0 {
                number = self.set.origin(number);
            }
        }
        let mut at = 0;
        for number in 0..self.set.len() as u32 {
            if let Some(begin) = begins.get_mut(&number) {
                *begin = at;
            }
            at += self.successors.shapes.shape(Shapes::number_in(self.set.words()[at])).words();
        }
        begins
    }
}

/// Whether what a process can do there can be taken back, as far as is known.
#[inline]
fn is_suited(
    shared: &Shared<'_>,
    suited: &mut Vec<Vec<Option<bool>>>,
    automaton: AutomatonId,
    location: LocationId,
) -> bool {
    let (index, place) = (automaton.0 as usize, location.0 as usize);
    if let Some(&Some(known)) = suited.get(index).and_then(|suited| suited.get(place)) {
        return known;
    }
    if suited.len() <= index {
        suited.resize_with(index + 1, Vec::new);
    }
    if suited[index].len() <= place {
        suited[index].resize(place + 1, None);
    }
    *suited[index][place].insert(shared.interpreter.can_take_back(automaton, location))
}

fn note_value(seen: &mut Vec<Vec<Vec<i32>>>, automaton: AutomatonId, slot: u32, value: i32) {
    let (automaton, slot) = (automaton.0 as usize, slot as usize);
    if seen.len() <= automaton {
        seen.resize_with(automaton + 1, Vec::new);
    }
    if seen[automaton].len() <= slot {
        seen[automaton].resize_with(slot + 1, Vec::new);
    }
    let values = &mut seen[automaton][slot];
    if values.len() <= MOST_VALUES && !values.contains(&value) {
        values.push(value);
    }
}
