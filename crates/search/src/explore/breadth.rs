//! Breadth-first search over packed states, in batches, by one or several threads.
//!
//! All threads share one set of states and take chunks of the current level as they go; each keeps what it finds for the
//! next level, and remembers steps for itself. A round ends when the level is done, after a while, or when somebody finds no room;
//! between rounds only the coordinator runs, makes room and looks at the limits. A state is new for exactly one of the
//! threads that reach it, so the numbers of states and transitions do not depend on timing. Which of several errors
//! is found first may.

use crate::explore::ancestry::Ancestry;
use crate::explore::expand::{Direction, Expander, Shared, lock};
use crate::explore::repack::{SettledStates, Suspended};
use crate::explore::scout::scout;
use crate::explore::{direct, dividing};
use crate::options::{ErrorPolicy, Limits};
use crate::packed::digest::StatesDigest;
use crate::packed::layout::{Layout, MOST_WORDS};
use crate::packed::store::Store;
use crate::packed::table::Users;
use crate::report::{BitStateFigures, Counts, StopReason};
use crate::threads::level::Level;
use crate::threads::shared_memo::SharedMemo;
use crate::threads::team::for_each_member;
use crate::threads::worker::{Round, RoundEnd, Worker};
use system::automaton::AutomatonId;
use system::clock::Instant;
use system::control::{Control, Status};
use system::interpreter::Step;

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
    /// What stands for the set of all states.
    pub digest: Option<StatesDigest>,
}

impl Explored {
    /// Of a search that did not begin.
    pub fn nothing(stopped: StopReason) -> Explored {
        let (counts, found) = (Counts::default(), Vec::new());
        Explored { stopped: Some(stopped), counts, found, bit_state: None, digest: None }
    }
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
    /// Numbers of its components.
    State(Vec<u32>),
    /// Which way to take from the initial state.
    Way(Vec<Direction>),
    /// These steps lead there and show what is wrong.
    Steps(Vec<Step>),
    /// There is no way, and why.
    OutOfReach(StopReason),
}

/// How to explore.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'l> {
    /// Which errors are wanted.
    pub policy: ErrorPolicy,
    /// When to give up.
    pub limits: &'l Limits,
    /// By how many.
    pub threads: usize,
    /// Whether it may turn out that frames are better divided.
    pub may_divide: bool,
    /// Whether it may turn out that steps are better executed than remembered.
    pub may_execute: bool,
}

/// Another way that is better by what was measured: then it is best to begin anew.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Better {
    /// With the frames of these types divided.
    Divided(Vec<AutomatonId>),
    /// By executing all steps.
    Executed,
}

/// What was measured when it was judged last.
#[derive(Clone, Copy, Debug)]
struct Judged {
    /// With so many states it is measured again.
    next: u64,
    /// With so many it is judged again whether frames are better divided.
    divide: u64,
    /// Steps that were computed, and that were made, up to then.
    computed: u64,
    made: u64,
}

/// Explores everything that is reachable from the initial state. With `ancestry`, one thread is used and parents are kept. An error is a better way.
pub fn explore(
    shared: &Shared<'_>,
    initial: &[u32],
    plan: Plan<'_>,
    control: &Control<'_>,
    mut ancestry: Option<&mut Ancestry>,
) -> Result<Explored, Better> {
    let Plan { limits, threads, may_divide, may_execute, .. } = plan;
    let started = Instant::now();
    // Parents are counted one after another.
    let threads = if ancestry.is_some() { 1 } else { threads.max(1) };
    let mut suspended = Suspended::initial(initial);
    let mut scouted = WORTH_SCOUTING / 8;
    let next = if may_divide || may_execute { WORTH_JUDGING } else { u64::MAX };
    let mut judged = Judged { next, divide: WORTH_JUDGING, computed: 0, made: 0 };
    loop {
        let states = suspended.base.counts.states;
        if states >= 8 * scouted && ancestry.is_none() {
            scouted = states;
            let memory = std::mem::take(&mut suspended.memory);
            // Looking ahead costs no more than the search has cost so far.
            suspended.memory = scout(shared, initial, states, memory, (limits, control));
        }
        let layout = Layout::plan(&lock(&shared.knowledge).components);
        let Some(layout) = layout else {
            return Ok(too_large(suspended));
        };
        let mut run = Run { shared, plan: Plan { threads, ..plan }, control, started, judged };
        let parents = ancestry.as_deref_mut();
        let ended = match layout.words() {
            1 => run.resume::<1>(suspended, layout, parents),
            2 => run.resume::<2>(suspended, layout, parents),
            4 => run.resume::<4>(suspended, layout, parents),
            16 => run.resume::<16>(suspended, layout, parents),
            MOST_WORDS => run.resume::<MOST_WORDS>(suspended, layout, parents),
            _ => return Ok(too_large(suspended)),
        };
        match ended {
            Ended::Finished(explored) => return Ok(explored),
            Ended::NeedsLayout(next) => suspended = next,
            Ended::Better(way) => return Err(way),
        }
        judged = run.judged;
    }
}

fn too_large(suspended: Suspended) -> Explored {
    let stopped = Some(StopReason::StateTooLarge);
    Explored { stopped, counts: suspended.base.counts, found: suspended.found, bit_state: None, digest: None }
}

/// A layout that is too small for this many states, or eight times as many as the last time, is a reason to look ahead.
const WORTH_SCOUTING: u64 = 1 << 12;
/// After this many states it is judged whether another way is better: executing each time there are twice as many, by what was measured since the last time;
/// dividing each time there are four times as many.
const WORTH_JUDGING: u64 = 1 << 12;
/// Below this many states in a level threads cost more than they bring.
const WORTH_THREADS: usize = 1 << 12;
/// States that a thread expands in a round, roughly.
const ROUND: usize = 1 << 15;

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
    NeedsLayout(Suspended),
    Better(Better),
}

struct Run<'r, 's> {
    shared: &'r Shared<'s>,
    plan: Plan<'r>,
    control: &'r Control<'r>,
    started: Instant,
    judged: Judged,
}

impl Run<'_, '_> {
    /// Goes on with a search under a new layout, until it ends or the layout is too small.
    fn resume<const N: usize>(
        &mut self,
        suspended: Suspended,
        layout: Layout,
        mut ancestry: Option<&mut Ancestry>,
    ) -> Ended {
        let Suspended { states, memory, base, mut found, mut depth } = suspended;
        let mut counts = base.counts;
        let budget = &self.shared.budget;
        let settled = states.settle::<N>(&layout, self.plan.threads, budget);
        let Ok(SettledStates { mut store, mut level, next }) = settled else {
            let stopped = budget.limit().map(StopReason::Memory);
            return Ended::Finished(Explored { stopped, counts, found, bit_state: None, digest: None });
        };
        let targets: Vec<[u64; N]> =
            ancestry.as_deref().map_or_else(Vec::new, |known| known.targets(&layout));
        let bits = layout.bits();
        let shared_memo = SharedMemo::new(budget);
        let mut first = {
            let knowledge = lock(&self.shared.knowledge);
            let mut expander = Expander::new(self.shared, layout, &knowledge.components, memory);
            if self.plan.threads > 1 {
                expander.share(&shared_memo);
            }
            Worker::new(expander, knowledge.components.len() as u32)
        };
        first.next = next;
        let mut workers = vec![first];
        let mut stopped = None;
        let mut last_report = Instant::now();
        loop {
            if level.waiting() == 0 {
                if workers.iter().all(|worker| worker.next.is_empty()) {
                    break;
                }
                depth += 1;
                level = Level::new(workers.iter_mut().flat_map(|worker| worker.next.take()).collect());
            }
            let several = self.plan.threads > 1 && level.waiting() > WORTH_THREADS;
            while several && workers.len() < self.plan.threads {
                workers.push(workers[0].fork());
            }
            let team = if several { &mut workers[..] } else { &mut workers[..1] };
            let users = if several { Users::Several } else { Users::One };
            level.begin_round(ROUND * team.len());
            let round = Round { level: &level, store: &store, users, targets: &targets };
            let ends = match ancestry.as_deref_mut() {
                Some(ancestry) => vec![team[0].expand_round(&round, Some(ancestry))],
                None => for_each_member(team, |worker| worker.expand_round(&round, None)),
            };
            let mut memory_ends = false;
            for worker in team {
                while worker.is_pending() && !memory_ends {
                    memory_ends = store.make_room(self.plan.threads).is_err();
                    let round = Round { level: &level, store: &store, users: Users::One, targets: &targets };
                    worker.finish_pending(&round, ancestry.as_deref_mut());
                }
            }
            level.end_round(workers.iter_mut().filter_map(Worker::take_unfinished));
            for worker in &mut workers {
                merge(&mut found, &mut worker.found, depth);
            }
            if let Some(ancestry) = ancestry.as_deref_mut() {
                ancestry.note_bytes();
            }
            self.tally(&workers, &store, &base, &mut counts, depth);
            stopped = self.reason_to_stop(&counts, &found, ancestry.as_deref());
            let is_over = || budget.is_over() || self.control.memory_left() == Some(0);
            if stopped.is_none() && (memory_ends || is_over()) {
                stopped = budget.limit().map(StopReason::Memory);
            }
            if stopped.is_some() {
                break;
            }
            if counts.states >= self.judged.next
                && let Some(better) = self.judge(&counts, bits)
            {
                return Ended::Better(better);
            }
            if last_report.elapsed().as_millis() > 100 {
                last_report = Instant::now();
                self.report(&counts, level.waiting(), depth);
            }
            if ends.contains(&RoundEnd::LayoutIsFull) {
                let next = workers.iter_mut().flat_map(|worker| worker.next.take()).collect();
                workers.truncate(1);
                let known = workers.swap_remove(0).into_memory();
                return Ended::NeedsLayout(Suspended::new(known, (store, level), next, counts, found, depth));
            }
        }
        self.tally(&workers, &store, &base, &mut counts, depth);
        // What is stored as numbers of pairs is turned into lists of pairs, which take no more room than there was for them.
        let has_room = budget.allows(store.bytes_of_lists());
        // Whoever looks for parents has all else from the search before.
        let wanted = self.shared.digest && ancestry.is_none();
        let digest = (stopped.is_none() && wanted && has_room).then(|| {
            let knowledge = lock(&self.shared.knowledge);
            let threads = if store.len() > WORTH_THREADS { self.plan.threads } else { 1 };
            StatesDigest::of_store(store, workers[0].layout(), &knowledge.components, threads)
        });
        Ended::Finished(Explored { stopped, counts, found, bit_state: None, digest })
    }

    /// Whether another way is better than this one, with a layout of so many bits.
    fn judge(&mut self, counts: &Counts, bits: u32) -> Option<Better> {
        let (computed, made) = (counts.computed_steps, counts.transitions() + counts.atomic_steps);
        let since = (computed.saturating_sub(self.judged.computed), made.saturating_sub(self.judged.made));
        let is_first = self.judged.made == 0;
        self.judged = Judged { next: 2 * counts.states, computed, made, ..self.judged };
        if self.plan.may_divide && counts.states >= self.judged.divide {
            self.judged.divide = 4 * counts.states;
            let these = dividing::better_divided(self.shared, counts, bits);
            if !these.is_empty() {
                return Some(Better::Divided(these));
            }
        }
        // At first nothing is known, and everything is computed.
        (self.plan.may_execute && !is_first && direct::pays(since)).then_some(Better::Executed)
    }

    fn tally<const N: usize>(
        &self,
        workers: &[Worker<'_, '_, N>],
        store: &Store<N>,
        base: &Base,
        counts: &mut Counts,
        depth: u64,
    ) {
        counts.states = store.len() as u64;
        let arrivals = base.arrivals + workers.iter().map(|worker| worker.arrivals).sum::<u64>();
        // Where there was no room some states were added of a batch whose arrivals are not counted.
        counts.matched = arrivals.saturating_sub(counts.states);
        counts.atomic_steps =
            base.counts.atomic_steps + workers.iter().map(Worker::atomic_steps).sum::<u64>();
        counts.depth = depth;
        counts.state_memory = store.bytes();
        let knowledge = lock(&self.shared.knowledge);
        counts.computed_steps = knowledge.computed_steps;
        drop(knowledge);
        counts.memory = counts.memory.max(self.shared.budget.used());
    }

    fn reason_to_stop(
        &self,
        counts: &Counts,
        found: &[Found],
        ancestry: Option<&Ancestry>,
    ) -> Option<StopReason> {
        if ancestry.is_some_and(Ancestry::is_satisfied) {
            return Some(StopReason::Error);
        }
        if self.plan.policy != ErrorPolicy::All && !found.is_empty() && ancestry.is_none() {
            return Some(StopReason::Error);
        }
        if self.control.is_cancelled() {
            return Some(StopReason::Cancelled);
        }
        if let Some(limit) = self.plan.limits.states.filter(|&limit| counts.states > limit) {
            return Some(StopReason::States(limit));
        }
        self.plan.limits.deadline.filter(|&deadline| Instant::now() > deadline).map(|_| StopReason::Deadline)
    }

    fn report(&self, counts: &Counts, waiting: usize, depth: u64) {
        self.control.report(Status {
            states: counts.states,
            transitions: counts.transitions(),
            depth,
            waiting: waiting as u64,
            memory: self.shared.budget.used(),
            rate: counts.states as f64 / self.started.elapsed().as_secs_f64().max(1e-9),
            together: None,
        });
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
