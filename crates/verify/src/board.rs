//! The blackboard: engines read and publish facts here, and learn which questions are still open.
//!
//! Nobody owns a question. A question is closed when no fact can improve its answer any more, or when nobody can wait any longer; whoever
//! works for it notices. Whoever stops the work, and when, finds here all that was found until then.

use crate::answer::Question;
use crate::facts::Facts;
use crate::lane::Lane;
use crate::options::{CheckOptions, Engines};
use crate::supervisor::{Event, Supervisor, Timed};
use crate::{progress, rules, temporal, walks};
use certificate::Certificate;
use certificate::verdict::{Evidence, Verdict};
use proofs::{BufferName, Fact, SeenValues, Wanted};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use system::automaton::System;
use system::capacities::CapacityReading;
use system::clock::Instant;
use system::interpreter::Capacities;

/// Nobody waits longer than this for more than an answer.
const MOST_PATIENCE: Duration = Duration::from_secs(3);
/// How long provers may go on after a search has decided their question: a certificate says more than a search, but is not worth
/// a wait that a person would notice; and at least half as long as the search took.
const FOR_A_CERTIFICATE: Duration = Duration::from_millis(400);
/// How long it may take at least to find out which bounds are tight.
const FOR_TIGHTNESS: Duration = Duration::from_millis(1000);

/// How long engines go on, once one buffer was seen to grow for ever, for the sake of buffers of which nothing is known: that it is full says nothing
/// about the others.
const FOR_EVERY_BUFFER: Duration = Duration::from_secs(10);

/// How long the reasons of a verdict on a formula wait for verdicts on others, at least, and how many times as long as the verdict took.
const FOR_OTHER_FORMULAS: Duration = Duration::from_secs(1);
const TIMES_AS_LONG: u32 = 2;

/// How often to look whether somebody asked to stop.
pub(crate) const GLANCE: Duration = Duration::from_millis(20);

/// What all engines see.
pub struct Board {
    /// The model.
    pub system: System,
    /// What was asked.
    pub options: CheckOptions,
    /// When everything ends in any case.
    pub timed: Timed,
    facts: Mutex<Facts>,
    news: Condvar,
    began: Instant,
    closed: Closed,
    /// Whether the model has channels that are buffers.
    has_buffers: bool,
    /// Whether something is marked as progress.
    is_marked: bool,
    first_decided: Mutex<Decided>,
    /// Whether the model can notice that a send waits, if somebody asked.
    waits_are_noticed: OnceLock<bool>,
    /// What provers have analysed.
    analyses: proofs::Analyses,
    /// What walks at random have seen, if a prover asked for it.
    walked: OnceLock<SeenValues>,
    lane: Lane,
}

/// Which questions are closed: flags that searches look at while they work.
#[derive(Debug, Default)]
pub struct Closed {
    /// Whether all buffers are bounded.
    pub all_bounded: AtomicBool,
    /// How full any buffer gets.
    pub bounds: AtomicBool,
    /// Progress.
    pub progress: AtomicBool,
    /// Both buffers and progress: what a search of all states serves.
    pub both: AtomicBool,
}

/// When something was decided first, by anybody.
#[derive(Debug, Default)]
struct Decided {
    buffers: Option<Instant>,
    progress: Option<Instant>,
}

impl Board {
    /// An empty board.
    pub fn new(system: &System, options: &CheckOptions, supervisor: Supervisor, began: Instant) -> Board {
        let grace = crate::check::GRACE;
        let budget = options.time.map(|time| time.saturating_sub(grace.min(time / 10)));
        let timed = Timed {
            supervisor,
            everything_ends: budget.map(|time| began + time),
            turn: (options.engines == Engines::InTurns).then(Arc::default),
            abandoned: Arc::default(),
            seconds: options.time.map_or(0.0, |time| time.as_secs_f64()),
            memory: options.memory_limit,
            has_disk: options.search.disk.is_some(),
            takes_too_much_since: Arc::default(),
            memory_is_over: Arc::default(),
        };
        let threads = if options.engines == Engines::InTurns { 1 } else { options.threads };
        Board {
            has_buffers: system.model.channel_types.iter().any(|channel| channel.capacity > 0),
            is_marked: progress::is_marked(system, options),
            system: system.clone(),
            options: CheckOptions { threads, ..options.clone() },
            timed,
            facts: Mutex::default(),
            news: Condvar::new(),
            began,
            closed: Closed::default(),
            first_decided: Mutex::default(),
            waits_are_noticed: OnceLock::new(),
            analyses: proofs::Analyses::default(),
            walked: OnceLock::new(),
            lane: Lane::default(),
        }
    }

    /// What is known now.
    pub fn facts(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Which questions are closed.
    pub fn closed(&self) -> &Closed {
        &self.closed
    }

    /// Adds to what is known. What comes after everybody has gone is not taken.
    pub fn update(&self, add: impl FnOnce(&mut Facts)) {
        let mut facts = self.facts();
        if self.timed.is_abandoned() {
            return;
        }
        add(&mut facts);
        let [buffers, progress] = self.close(&facts);
        let seconds = self.began.elapsed().as_secs_f64();
        let mut news = Vec::new();
        for (question, is_decided) in [(Question::Buffers, buffers), (Question::Progress, progress)] {
            if is_decided && !facts.decided.contains_key(&question) {
                news.push(question.clone());
                facts.decided.insert(question, seconds);
            }
        }
        for question in news {
            if let Some(word) = self.verdict(&facts, &question) {
                self.timed.supervisor.tell(Event::Answered(question, word));
            }
        }
        drop(facts);
        self.news.notify_all();
    }

    /// The verdict on a question that is decided, if an answer to it will be shown.
    fn verdict(&self, facts: &Facts, question: &Question) -> Option<&'static str> {
        let (is_asked, is_violated) = match question {
            Question::Buffers => {
                (self.asks_for_buffers(), facts.all_bounded.is_none() && !facts.pumps.is_empty())
            }
            _ => {
                let fairly = facts.fair_progress.as_ref().map(|answer| &answer.verdict);
                let is_violated = matches!(fairly, Some(Verdict::Violated(_)));
                (self.options.questions.progress, facts.without_progress.is_some() || is_violated)
            }
        };
        let is_shown =
            is_asked && (*question == Question::Buffers || !is_violated || progress::is_asked_for(self));
        is_shown.then_some(if is_violated { "VIOLATED" } else { "PROVED" })
    }

    /// Waits until something is published, or for this long.
    pub fn wait(&self, at_most: Duration) {
        let facts = self.facts();
        let (facts, _) = self.news.wait_timeout(facts, at_most).unwrap_or_else(PoisonError::into_inner);
        self.close(&facts);
    }

    /// Waits until something is known that somebody else finds out soon, or until that makes no sense any more: as long as it is this one's
    /// turn nobody else finds out anything.
    pub fn wait_for(&self, is_known: impl Fn(&Facts) -> bool) {
        if self.timed.turn().is_some() {
            return;
        }
        let mut facts = self.facts();
        while !is_known(&facts) && facts.failed.is_empty() && !self.timed.is_over() {
            (facts, _) = self.news.wait_timeout(facts, GLANCE).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until the formulas that were asked for have answers: the reasons of one are less than the verdict on another. Not for ever, since there may
    /// be one that takes as long as there is time.
    pub fn wait_for_other_formulas(&self) {
        let most = FOR_OTHER_FORMULAS.max(TIMES_AS_LONG * self.elapsed());
        let until = Instant::now() + most;
        let asked = temporal::formulas(&self.system, &self.options);
        self.wait_for(|facts| {
            let is_answered = |name: &str| {
                let mut answers = facts.answers.iter();
                answers.any(|answer| matches!(&answer.question, Question::Formula(own) if own == name))
            };
            Instant::now() >= until || asked.iter().all(|formula| is_answered(&formula.name))
        });
    }

    /// Where those who search for the sake of a formula enter one after the other.
    pub fn lane(&self) -> &Lane {
        &self.lane
    }

    /// How long the work has taken so far.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Ends all work.
    pub fn close_everything(&self) {
        self.timed.abandoned.store(true, Ordering::Relaxed);
        self.close(&self.facts());
        self.news.notify_all();
    }

    /// Whether the model has buffers and somebody asks about them.
    pub fn asks_for_buffers(&self) -> bool {
        self.options.questions.buffers && self.has_buffers
    }

    /// The buffers by name.
    pub fn buffers(&self, facts: &Facts) -> Vec<BufferName> {
        facts.buffers.clone().unwrap_or_else(|| crate::buffers::declared(&self.system))
    }

    /// Sees which questions nothing can improve; whether buffers and progress are decided.
    fn close(&self, facts: &Facts) -> [bool; 2] {
        let over = self.timed.everything_is_over();
        let now = Instant::now();
        let mut decided = self.first_decided.lock().unwrap_or_else(PoisonError::into_inner);
        let graph =
            rules::graph(&self.system, facts, rules::searched_capacities(self.options.proof_capacities));

        let by_proof = facts.all_bounded.is_some() || !facts.pumps.is_empty();
        if (by_proof || graph.is_some()) && decided.buffers.is_none() {
            decided.buffers = Some(now);
        }
        let all_bounded = over
            || !self.asks_for_buffers()
            || by_proof
            || (graph.is_some() && self.is_late(decided.buffers, FOR_A_CERTIFICATE));
        let is_closed = |buffer: &BufferName| {
            facts.certified_bound(buffer).is_some_and(|(bound, _)| bound.tight)
                || facts.pump_of(buffer).is_some_and(|pump| pump.more_processes == 0)
                || ((graph.is_some() || facts.pump_of(buffer).is_some())
                    && self.is_late(decided.buffers, FOR_A_CERTIFICATE))
        };
        let bounds = over
            || !self.asks_for_buffers()
            || (facts.buffers.is_some() && self.buffers(facts).iter().all(is_closed))
            || (facts.is_beyond_search && facts.bounds_stopped.is_some())
            || self.is_late(decided.buffers, self.patience_with_buffers(facts));

        let fairly = facts.fair_progress.as_ref().map(|answer| &answer.verdict);
        let by_search = facts.progress_searched.is_some() || matches!(fairly, Some(Verdict::Proved(_)));
        let by_proof = facts.without_progress.is_some()
            || matches!(fairly, Some(Verdict::Violated(_)))
            || self.livelock_free(facts);
        if (by_search || by_proof) && decided.progress.is_none() {
            decided.progress = Some(now);
        }
        let progress = over
            || !self.options.questions.progress
            || by_proof
            || (by_search && self.is_late(decided.progress, FOR_A_CERTIFICATE));

        let set = |flag: &AtomicBool, value: bool| flag.fetch_or(value, Ordering::Relaxed);
        set(&self.closed.all_bounded, all_bounded);
        set(&self.closed.bounds, bounds && all_bounded);
        set(&self.closed.progress, progress);
        set(&self.closed.both, bounds && all_bounded && progress);
        [decided.buffers.is_some(), decided.progress.is_some()]
    }

    /// A proof that labelled statements are executed implies that somebody stands before them, if none is hidden.
    pub fn livelock_free(&self, facts: &Facts) -> bool {
        self.progress_certificate(facts).is_some()
    }

    /// Why every infinite run that counts makes progress: what all runs do fair ones do.
    pub fn progress_certificate<'f>(&self, facts: &'f Facts) -> Option<&'f Arc<Certificate>> {
        let found = facts.livelock_free.as_ref().or(facts.fairly_livelock_free.as_ref());
        found.filter(|_| !progress::is_hidden(&self.system, &self.options))
    }

    /// Whether nobody should wait any longer for something that was decided then. Where engines take turns, time goes by without those who
    /// could improve it: the patience is with each of them, see [`Board::patience`].
    fn is_late(&self, decided: Option<Instant>, patience: Duration) -> bool {
        let is_over = |at: Instant| at.elapsed() > self.at_least(patience, at);
        self.timed.turn.is_none() && !self.options.thorough && decided.is_some_and(is_over)
    }

    /// How long to wait for more about buffers: for sharper bounds, or for any answer at all.
    fn patience_with_buffers(&self, facts: &Facts) -> Duration {
        let capacities = rules::searched_capacities(self.options.proof_capacities);
        let is_answered =
            |buffer: &BufferName| facts.certified_bound(buffer).is_some() || facts.pump_of(buffer).is_some();
        let all_answered = facts.all_bounded.is_some()
            || rules::graph(&self.system, facts, capacities).is_some()
            || self.buffers(facts).iter().all(is_answered);
        if all_answered { FOR_TIGHTNESS } else { FOR_EVERY_BUFFER }
    }

    /// Whoever decided something in a long time may take longer to improve it.
    fn at_least(&self, patience: Duration, decided: Instant) -> Duration {
        patience.max(MOST_PATIENCE.min((decided - self.began) / 2))
    }

    /// How long a stage may still improve the answer to a question that is decided; nothing, if it is not.
    pub fn patience(&self, question: &Question) -> Option<Duration> {
        let facts = self.facts();
        let decided = self.first_decided.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, patience) = match question {
            Question::Buffers => (decided.buffers?, self.patience_with_buffers(&facts)),
            Question::Progress => (decided.progress?, FOR_A_CERTIFICATE),
            _ => return None,
        };
        (!self.options.thorough).then(|| self.at_least(patience, at))
    }

    /// For which capacities something holds that was searched with these.
    pub fn reach(&self, capacities: Capacities) -> CapacityReading {
        let are_noticed = || system::blocking::is_noticed(&self.system);
        rules::reach(capacities, *self.waits_are_noticed.get_or_init(are_noticed))
    }

    /// Whether something is marked as progress.
    pub fn is_marked(&self) -> bool {
        self.is_marked
    }
}

impl proofs::Board for Board {
    fn wants(&self, what: Wanted<'_>) -> bool {
        if self.timed.is_over() {
            return false;
        }
        let flag = match what {
            Wanted::AllBounded => &self.closed.all_bounded,
            Wanted::SomeBound => &self.closed.bounds,
            Wanted::Progress => &self.closed.progress,
            Wanted::Formula(name) => {
                let facts = self.facts();
                let mut answers = facts.answers.iter();
                return !answers.any(|answer| {
                    let is_it = matches!(&answer.question, Question::Formula(own) if own == name);
                    is_it
                        && match answer.verdict {
                            Verdict::Unknown(_) => false,
                            Verdict::Proved(Evidence::Search { .. }) => !self.options.thorough,
                            Verdict::Proved(_) | Verdict::Violated(_) => true,
                        }
                });
            }
            Wanted::Bound(name) => {
                let facts = self.facts();
                let buffers = self.buffers(&facts);
                let Some(buffer) = buffers.iter().find(|buffer| buffer.name == name) else { return true };
                let is_tight = facts.certified_bound(buffer).is_some_and(|(bound, _)| bound.tight);
                return !is_tight && facts.pump_of(buffer).is_none();
            }
        };
        !flag.load(Ordering::Relaxed)
    }

    /// Waits for the first look, which is short, and walks on from there, unless it has seen everything: what a prover tries must not depend on
    /// who comes first.
    fn seen(&self) -> Option<SeenValues> {
        // Only where buffers or progress are asked for does somebody look.
        if !self.asks_for_buffers() && !self.options.questions.progress {
            return None;
        }
        self.wait_for(|facts| facts.seen.is_some());
        let mut seen = self.facts().seen.clone()?;
        let walked = self.walked.get_or_init(|| {
            let capacities = rules::searched_capacities(self.options.proof_capacities);
            if !self.facts().first_look_was_all {
                walks::look(&self.system, capacities, &|| self.timed.is_over(), &mut seen);
            }
            seen
        });
        Some(walked.clone())
    }

    fn is_searched(&self) -> bool {
        let capacities = rules::searched_capacities(self.options.proof_capacities);
        rules::graph(&self.system, &self.facts(), capacities).is_some()
    }

    fn publish(&self, fact: Fact) {
        self.update(|facts| facts.add(fact));
    }

    fn analyses(&self) -> &proofs::Analyses {
        &self.analyses
    }
}
