//! Breadth-first search over packed states, in batches, by one or several threads.
//!
//! States are dealt out to the threads by a hash; each thread has its own set of states and expands its own part of the
//! current level. A round has two halves: every thread expands some of its states, keeps the successors that are its
//! own and puts the others aside; then every thread takes in what the others have put aside for it. Between the
//! halves only the coordinator runs, so nothing is shared but [`Knowledge`](crate::knowledge::Knowledge), and the
//! numbers of states and transitions do not depend on timing.

use crate::ancestry::Ancestry;
use crate::carry::Carried;
use crate::expand::{Direction, Shared, lock};
use crate::layout::{Layout, MOST_WORDS};
use crate::options::{Control, ErrorPolicy, Limits, Progress};
use crate::report::{BitStateFigures, Counts, StopReason};
use crate::scout::scout;
use crate::worker::Worker;
use std::time::Instant;

/// What a breadth-first search found; traces are not made yet.
#[derive(Debug)]
pub struct Explored {
    /// Why it ended early, if it did.
    pub stopped: Option<StopReason>,
    /// Figures.
    pub counts: Counts,
    /// Errors by cause.
    pub found: Vec<Found>,
    /// How much was probably missed.
    pub bit_state: Option<BitStateFigures>,
}

/// Errors with one cause.
#[derive(Clone, Debug)]
pub struct Found {
    /// Number of the cause.
    pub cause: u32,
    /// How often.
    pub count: u64,
    /// How many moves the state is away from the initial one, whose expansion showed the first one.
    pub depth: u64,
    /// Where that state is.
    pub place: FoundAt,
}

/// Where a state is.
#[derive(Clone, Debug)]
pub enum FoundAt {
    /// Numbers of its parts.
    State(Vec<u32>),
    /// Which way to take from the initial state.
    Way(Vec<Direction>),
}

/// Explores everything that is reachable from the initial state. With `ancestry`, one thread is used and parents are kept.
pub fn explore(
    shared: &Shared<'_>,
    initial: &[u32],
    policy: ErrorPolicy,
    limits: &Limits,
    threads: usize,
    control: &Control<'_>,
    mut ancestry: Option<&mut Ancestry>,
) -> Explored {
    let started = Instant::now();
    // Parents are counted one after another.
    let threads = if ancestry.is_some() { 1 } else { threads.max(1) };
    let mut carried = Carried::initial(initial, threads);
    let mut scouted = WORTH_SCOUTING / 8;
    loop {
        let states = carried.base.counts.states;
        if states >= 8 * scouted && ancestry.is_none() {
            scouted = states;
            let memory = carried.workers.take_memory();
            let memory =
                scout(shared, initial, (states / 4).max(8 * WORTH_SCOUTING), memory, (limits, control));
            carried.workers.share_memory(memory);
        }
        let layout = Layout::plan(&lock(&shared.knowledge).parts);
        let Some(layout) = layout else {
            return too_large(carried);
        };
        let run = Run { shared, policy, limits, control, started };
        let parents = ancestry.as_deref_mut();
        let ended = match layout.words() {
            1 => run.resume::<1>(carried, layout, parents),
            2 => run.resume::<2>(carried, layout, parents),
            4 => run.resume::<4>(carried, layout, parents),
            16 => run.resume::<16>(carried, layout, parents),
            MOST_WORDS => run.resume::<MOST_WORDS>(carried, layout, parents),
            _ => return too_large(carried),
        };
        match ended {
            Ended::Finished(explored) => return explored,
            Ended::NeedsLayout(next) => carried = next,
        }
    }
}

fn too_large(carried: Carried) -> Explored {
    let stopped = Some(StopReason::StateTooLarge);
    Explored { stopped, counts: carried.base.counts, found: carried.found, bit_state: None }
}

/// A layout that is too small for this many states, or eight times as many as the last time, is a reason to look ahead.
const WORTH_SCOUTING: u64 = 1 << 12;
/// Below this many states in a level threads cost more than they bring.
const WORTH_THREADS: usize = 1 << 12;

/// What was counted under earlier layouts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Base {
    /// All figures.
    pub counts: Counts,
    /// Arrivals at states, the initial one included.
    pub arrivals: u64,
}

enum Ended {
    Finished(Explored),
    NeedsLayout(Carried),
}

struct Run<'r, 's> {
    shared: &'r Shared<'s>,
    policy: ErrorPolicy,
    limits: &'r Limits,
    control: &'r Control<'r>,
    started: Instant,
}

impl Run<'_, '_> {
    /// Goes on with a search under a new layout, until it ends or the layout is too small.
    fn resume<const N: usize>(
        &self,
        carried: Carried,
        layout: Layout,
        mut ancestry: Option<&mut Ancestry>,
    ) -> Ended {
        let base = carried.base;
        let Carried { mut found, mut depth, .. } = carried;
        let mut counts = base.counts;
        let mut workers = carried.workers.settle::<N>(self.shared, &layout, ancestry.as_deref());
        let mut stopped = None;
        let mut last_report = Instant::now();
        loop {
            let waiting: usize = workers.iter().map(Worker::waiting).sum();
            if waiting == 0 {
                if workers.iter().all(Worker::is_done) {
                    break;
                }
                depth += 1;
                workers.iter_mut().for_each(Worker::next_level);
                continue;
            }
            let parallel = workers.len() > 1 && waiting > WORTH_THREADS;
            let full = match ancestry.as_deref_mut() {
                Some(ancestry) => workers[0].expand_round(Some(ancestry)),
                None => for_each_worker(&mut workers, parallel, |worker| worker.expand_round(None)),
            };
            if workers.len() > 1 {
                exchange(&mut workers);
                for_each_worker(&mut workers, parallel, |worker| {
                    worker.take_in();
                    false
                });
            }
            for worker in &mut workers {
                merge(&mut found, &mut worker.found, depth);
            }
            let memory = self.tally(&workers, &base, &mut counts, depth);
            stopped = self.reason_to_stop(&counts, memory, &found, ancestry.as_deref());
            if stopped.is_some() {
                break;
            }
            if last_report.elapsed().as_millis() > 100 {
                last_report = Instant::now();
                self.report(&counts, memory, workers.iter().map(Worker::waiting).sum(), depth);
            }
            if full {
                return Ended::NeedsLayout(Carried::new(workers, counts, found, depth));
            }
        }
        self.tally(&workers, &base, &mut counts, depth);
        Ended::Finished(Explored { stopped, counts, found, bit_state: None })
    }

    fn tally<const N: usize>(
        &self,
        workers: &[Worker<'_, '_, N>],
        base: &Base,
        counts: &mut Counts,
        depth: u64,
    ) -> usize {
        counts.states = workers.iter().map(|worker| worker.stored() as u64).sum();
        let arrivals = base.arrivals + workers.iter().map(|worker| worker.arrivals).sum::<u64>();
        counts.matched = arrivals - counts.states;
        counts.atomic_steps =
            base.counts.atomic_steps + workers.iter().map(Worker::atomic_steps).sum::<u64>();
        counts.depth = depth;
        counts.state_memory = workers.iter().map(Worker::state_bytes).sum();
        let knowledge = lock(&self.shared.knowledge);
        counts.computed_steps = knowledge.computed_steps;
        let memory = workers.iter().map(Worker::bytes).sum::<usize>() + knowledge.parts.bytes();
        counts.memory = counts.memory.max(memory);
        memory
    }

    fn reason_to_stop(
        &self,
        counts: &Counts,
        memory: usize,
        found: &[Found],
        ancestry: Option<&Ancestry>,
    ) -> Option<StopReason> {
        if ancestry.is_some_and(Ancestry::is_satisfied) {
            return Some(StopReason::Error);
        }
        if self.policy != ErrorPolicy::All && !found.is_empty() && ancestry.is_none() {
            return Some(StopReason::Error);
        }
        if self.control.is_cancelled() {
            return Some(StopReason::Cancelled);
        }
        if let Some(limit) = self.limits.states.filter(|&limit| counts.states > limit) {
            return Some(StopReason::States(limit));
        }
        if let Some(limit) = self.limits.memory.filter(|&limit| memory > limit) {
            return Some(StopReason::Memory(limit));
        }
        self.limits.deadline.filter(|&deadline| Instant::now() > deadline).map(|_| StopReason::Deadline)
    }

    fn report(&self, counts: &Counts, memory: usize, waiting: usize, depth: u64) {
        self.control.report(Progress {
            states: counts.states,
            transitions: counts.transitions(),
            depth,
            waiting: waiting as u64,
            memory,
            rate: counts.states as f64 / self.started.elapsed().as_secs_f64().max(1e-9),
        });
    }
}

/// Runs a piece of work on every worker; true if one of them says so.
fn for_each_worker<'a, 's, const N: usize>(
    workers: &mut [Worker<'a, 's, N>],
    parallel: bool,
    work: impl Fn(&mut Worker<'a, 's, N>) -> bool + Sync,
) -> bool {
    let Some((first, others)) = workers.split_first_mut() else { return false };
    if !parallel {
        let any = work(first);
        return others.iter_mut().fold(any, |any, worker| work(worker) | any);
    }
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = others.iter_mut().map(|worker| scope.spawn(move || work(worker))).collect();
        let any = work(first);
        threads.into_iter().fold(any, |any, thread| match thread.join() {
            Ok(result) => result | any,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })
}

/// Hands over what the workers have put aside for each other.
fn exchange<const N: usize>(workers: &mut [Worker<'_, '_, N>]) {
    for from in 0..workers.len() {
        for to in 0..workers.len() {
            if from != to {
                let mut letters = std::mem::take(&mut workers[from].outboxes[to]);
                workers[to].inbox.append(&mut letters);
                workers[from].outboxes[to] = letters;
            }
        }
    }
}

fn merge(found: &mut Vec<Found>, new: &mut Vec<Found>, depth: u64) {
    for mut group in new.drain(..) {
        group.depth = depth;
        match found.iter_mut().find(|known| known.cause == group.cause) {
            Some(known) => known.count += group.count,
            None => found.push(group),
        }
    }
}
