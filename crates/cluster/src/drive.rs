//! The levels of a search, driven by timely.
//!
//! Each process has one worker. Everything that it sends while it expands a level carries the level in its timestamp, so when the frontier
//! has passed the level, everything that was found from it has arrived, everywhere. Every process ends its part of a level with a word to
//! all; so when the level is complete everybody has heard the same words, and comes to the same decision without another question.
//!
//! Timely keeps letters back until there are many of them or the timestamp changes. Whoever waits for an answer to what was kept back waits
//! for ever, so a timestamp also has the number of the mail within the level, and changes with every mail.

use crate::letter::{Body, Bytes, Figures, Letter, Stop, Word};
use crate::wire::Losses;
use crate::{Plan, reason_of};
use search::members::{Failure, Member};
use search::{Control, ErrorPolicy, SearchOptions, Status, StopReason};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};
use system::control::Together;
use timely::dataflow::InputHandle;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::operators::probe::Handle;
use timely::dataflow::operators::{Input, Probe};
use timely::worker::Worker;

/// States that are expanded between two looks at what has arrived.
const CHUNK: usize = 1 << 12;
/// Parcels on their way to one process: with more, it is waited for. Nothing else keeps a slow process from drowning.
const ON_THEIR_WAY: u32 = 64;
/// How long to wait for something to happen.
const NAP: Duration = Duration::from_millis(50);
/// How often processes say where they are.
const PULSE: Duration = Duration::from_millis(500);

/// How a search ended.
pub struct Ended {
    /// Why it ended early, if it did.
    pub stopped: Option<StopReason>,
    /// What went wrong, in words.
    pub trouble: Option<String>,
    /// Bytes that went over all connections.
    pub wire_bytes: u64,
}

impl Ended {
    /// A process was lost.
    pub fn lost(trouble: String) -> Ended {
        Ended { stopped: Some(StopReason::Cluster), trouble: Some(trouble), wire_bytes: 0 }
    }
}

/// What a drive needs to know.
pub struct Drive<'d> {
    pub plan: &'d Plan,
    pub options: &'d SearchOptions,
    pub control: &'d Control<'d>,
    pub losses: &'d Losses,
}

/// Bits of a timestamp for the number of a mail; the level is above.
const MAIL_BITS: u32 = 32;

/// The flow of letters.
struct Flow<'w> {
    worker: &'w mut Worker,
    input: InputHandle<u64, timely::container::CapacityContainerBuilder<Vec<Letter>>>,
    probe: Handle<u64>,
    /// Letters that have arrived, and of which level.
    inbox: Rc<RefCell<Vec<(u64, Letter)>>>,
}

/// One process among the others.
struct Post<'p> {
    index: u32,
    flow: Flow<'p>,
    /// By process: parcels that it has not taken yet.
    on_their_way: Vec<u32>,
    /// By process: parcels of it that were taken and not yet said to be.
    taken: Vec<u32>,
    /// By process: where it is.
    figures: Vec<Figures>,
    /// By process: its word about the level.
    words: Vec<Option<Word>>,
    last_pulse: Instant,
}

/// What the words of all come to.
enum Decision {
    GoOn {
        commit: bool,
    },
    /// There are no states left.
    Complete,
    /// `left_some`: the next level is not complete.
    Stop {
        reason: StopReason,
        trouble: Option<String>,
        left_some: bool,
    },
}

impl Drive<'_> {
    /// Searches until there are no states left, or somebody stops. A member that could not begin says so to the others.
    pub fn run(&self, worker: &mut Worker, begun: Result<Member<'_, '_>, Failure>) -> Ended {
        let mut post = Post::new(worker, self.plan);
        let began = Instant::now();
        // Without a member this process only tells the others why, and commits nothing.
        let (mut member, mut failed) = (None, None);
        match member_that_has_begun(begun) {
            Ok(begun) => member = Some(begun),
            Err(failure) => failed = Some(self.stop_of(failure)),
        }
        let mut level = member.as_ref().map_or(0, Member::depth);
        let mut committed = Instant::now();
        let mut last_look = Instant::now();
        let decision = loop {
            post.flow.begin(level);
            let mut has_more = true;
            while has_more
                && failed.is_none()
                && let Some(member) = &mut member
            {
                if last_look.elapsed() > NAP {
                    last_look = Instant::now();
                    failed = self.reason_to_stop();
                    self.tell(&mut post, member, began);
                }
                match post.is_waited_for() {
                    true => post.wait(),
                    false => match member.expand(CHUNK) {
                        Ok(more) => has_more = more,
                        Err(failure) => failed = Some(self.stop_of(failure)),
                    },
                }
                post.send_parcels(member);
                post.flow.worker.step();
                failed = failed.or(self.take(&mut post, Some(member), level));
            }
            if let Some(member) = &mut member {
                member.flush();
                post.send_parcels(member);
            }
            let figures = member.as_ref().map(|member| Figures::of(member.count(), self.losses.bytes()));
            let commit = self.plan.index == 0 && committed.elapsed() >= self.plan.commit_every;
            let left_some = has_more && failed.is_some();
            post.say(Word { figures: figures.unwrap_or_default(), stop: failed.clone(), left_some, commit });
            post.flow.begin(level + 1);
            while post.flow.is_at(level) {
                post.wait();
                failed = failed.or(self.take(&mut post, member.as_mut(), level));
                if let Some(member) = &member {
                    self.tell(&mut post, member, began);
                }
            }
            failed = failed.or(self.take(&mut post, member.as_mut(), level));
            level += 1;
            let commit = match self.decide(&mut post) {
                Decision::GoOn { commit } => commit,
                end => break end,
            };
            // Who failed after its word has not the whole of the next level, so it commits nothing any more.
            let begun = member.take().filter(|_| failed.is_none()).map(|mut member| {
                member.begin_next_level()?;
                if commit {
                    member.commit()?;
                }
                Ok(member)
            });
            match begun.transpose() {
                Ok(begun) => member = begun,
                Err(failure) => failed = Some(self.stop_of(failure)),
            }
            if commit {
                committed = Instant::now();
            }
        };
        let has_all = failed.is_none() || matches!(decision, Decision::Stop { left_some: true, .. });
        let (stopped, trouble) = self.finish(member.filter(|_| has_all), decision);
        let wire_bytes = post.figures.iter().map(|figures| figures.wire_bytes).sum();
        // When this has passed, everybody has committed.
        post.flow.begin(level + 1);
        while post.flow.is_at(level) {
            post.wait();
        }
        post.flow.input.close();
        Ended { stopped, trouble, wire_bytes }
    }

    /// Writes the last commit.
    fn finish(
        &self,
        member: Option<Member<'_, '_>>,
        decision: Decision,
    ) -> (Option<StopReason>, Option<String>) {
        let (stopped, mut trouble, begins_next) = match decision {
            Decision::Complete | Decision::GoOn { .. } => (None, None, false),
            Decision::Stop { reason, trouble, left_some } => (Some(reason), trouble, !left_some),
        };
        let finished = member.map_or(Ok(()), |mut member| {
            if begins_next {
                member.begin_next_level()?;
            }
            member.finish(stopped.is_none())
        });
        if let Err(failure) = finished {
            trouble = trouble.or(reason_of(failure, &self.plan.hosts, &self.plan.folder).1);
        }
        (stopped, trouble)
    }

    fn stop_of(&self, failure: Failure) -> Stop {
        let (reason, trouble) = reason_of(failure, &self.plan.hosts, &self.plan.folder);
        Stop::of(reason, trouble)
    }

    fn reason_to_stop(&self) -> Option<Stop> {
        if self.control.is_cancelled() {
            return Some(Stop::Cancelled);
        }
        self.options.limits.deadline.filter(|&deadline| Instant::now() > deadline).map(|_| Stop::Deadline)
    }

    /// Takes what has arrived. What belongs to a later level waits: others may be there already.
    fn take(&self, post: &mut Post<'_>, member: Option<&mut Member<'_, '_>>, level: u64) -> Option<Stop> {
        let letters = std::mem::take(&mut *post.flow.inbox.borrow_mut());
        let mut member = member;
        let mut failed = None;
        for (time, letter) in letters {
            let sender = letter.from as usize;
            if sender >= post.words.len() {
                continue;
            }
            match letter.body {
                Body::Taken(parcels) => {
                    post.on_their_way[sender] = post.on_their_way[sender].saturating_sub(parcels);
                }
                Body::Pulse(figures) => post.figures[sender] = figures,
                _ if time > level => post.flow.inbox.borrow_mut().push((time, letter)),
                Body::Parcel(Bytes(parcel)) => {
                    if let (None, Some(member)) = (&failed, &mut member) {
                        failed = member.take(sender, &parcel).err().map(|failure| self.stop_of(failure));
                    }
                    post.taken[sender] += 1;
                }
                Body::Word(word) => {
                    post.figures[sender] = word.figures;
                    post.words[sender] = Some(word);
                }
            }
        }
        post.say_what_was_taken();
        failed
    }

    /// Everybody has heard the same words, and decides the same.
    fn decide(&self, post: &mut Post<'_>) -> Decision {
        let words: Vec<Word> = post.words.iter_mut().filter_map(Option::take).collect();
        let trouble = |what: &str| Decision::Stop {
            reason: StopReason::Cluster,
            trouble: Some(what.to_string()),
            left_some: true,
        };
        if words.len() < self.plan.hosts.len() {
            return trouble("a process has ended a level without a word");
        }
        let left_some = words.iter().any(|word| word.left_some);
        if let Some(stop) = words.iter().find_map(|word| word.stop.clone()) {
            let reason = stop.reason();
            let trouble = match stop {
                Stop::Trouble(trouble) => Some(trouble),
                _ => None,
            };
            return Decision::Stop { reason, trouble, left_some };
        }
        let sum = |figure: fn(&Figures) -> u64| words.iter().map(|word| figure(&word.figures)).sum::<u64>();
        if sum(|figures| figures.level) == 0 {
            return Decision::Complete;
        }
        let limit = self.options.limits.states.filter(|&limit| sum(|figures| figures.states) > limit);
        let stop = |reason| Decision::Stop { reason, trouble: None, left_some };
        match limit {
            Some(limit) => stop(StopReason::States(limit)),
            None if self.options.errors != ErrorPolicy::All && sum(|figures| figures.found) > 0 => {
                stop(StopReason::Error)
            }
            None => Decision::GoOn { commit: words.iter().any(|word| word.commit) },
        }
    }

    /// Says where this process is, and where all are.
    fn tell(&self, post: &mut Post<'_>, member: &Member<'_, '_>, began: Instant) {
        let own = Figures::of(member.count(), self.losses.bytes());
        post.pulse(own);
        if self.plan.index > 0 {
            return;
        }
        let sum = |figure: fn(&Figures) -> u64| post.figures.iter().map(figure).sum::<u64>();
        let states = sum(|figures| figures.states);
        let largest = post.figures.iter().map(|figures| figures.states).max().unwrap_or(0);
        self.control.report(Status {
            states,
            transitions: sum(|figures| figures.arrivals),
            depth: member.depth(),
            waiting: sum(|figures| figures.level),
            memory: sum(|figures| figures.memory) as usize,
            rate: states as f64 / began.elapsed().as_secs_f64().max(1e-9),
            together: Some(Together {
                processes: self.plan.hosts.len() as u32,
                wire_bytes: sum(|figures| figures.wire_bytes),
                largest_share: largest as f64 / states.max(1) as f64,
            }),
        });
    }
}

/// A member whose log stands: whatever happens, there is a commit.
fn member_that_has_begun<'a, 's>(member: Result<Member<'a, 's>, Failure>) -> Result<Member<'a, 's>, Failure> {
    let mut member = member?;
    member.commit()?;
    Ok(member)
}

impl<'w> Flow<'w> {
    fn new(worker: &'w mut Worker) -> Flow<'w> {
        let inbox = Rc::new(RefCell::new(Vec::new()));
        let arrived = Rc::clone(&inbox);
        let (input, probe) = worker.dataflow::<u64, _, _>(|scope| {
            let (input, letters) = scope.new_input::<Vec<Letter>>();
            let pact = Exchange::new(|letter: &Letter| u64::from(letter.to));
            let kept = letters.unary::<timely::container::CapacityContainerBuilder<Vec<Letter>>, _, _, _>(
                pact,
                "inbox",
                move |_, _| {
                    move |input, _| {
                        input.for_each(|time, letters| {
                            let level = *time.time() >> MAIL_BITS;
                            arrived.borrow_mut().extend(letters.drain(..).map(|letter| (level, letter)));
                        });
                    }
                },
            );
            let (probe, _) = kept.probe();
            (input, probe)
        });
        Flow { worker, input, probe, inbox }
    }

    /// What is sent from now on belongs to a level; it may have begun already.
    fn begin(&mut self, level: u64) {
        let now = *self.input.time();
        self.input.advance_to(now.max(level << MAIL_BITS));
    }

    /// Whether somebody may still send something of a level, or of one before.
    fn is_at(&self, level: u64) -> bool {
        self.probe.less_than(&((level + 1) << MAIL_BITS))
    }

    /// Sends what waits to be sent.
    fn dispatch(&mut self) {
        let now = *self.input.time();
        self.input.advance_to(now + 1);
    }
}

impl<'p> Post<'p> {
    fn new(worker: &'p mut Worker, plan: &Plan) -> Post<'p> {
        let processes = plan.hosts.len();
        Post {
            index: plan.index as u32,
            flow: Flow::new(worker),
            on_their_way: vec![0; processes],
            taken: vec![0; processes],
            figures: vec![Figures::default(); processes],
            words: vec![None; processes],
            last_pulse: Instant::now(),
        }
    }

    fn send(&mut self, to: usize, body: Body) {
        self.flow.input.send(Letter { to: to as u32, from: self.index, body });
    }

    fn send_parcels(&mut self, member: &mut Member<'_, '_>) {
        let parcels: Vec<(usize, Vec<u8>)> = member.outgoing().collect();
        if parcels.is_empty() {
            return;
        }
        for (to, parcel) in parcels {
            self.on_their_way[to] += 1;
            self.send(to, Body::Parcel(Bytes(parcel)));
        }
        self.flow.dispatch();
    }

    /// Says to all that the level is expanded.
    fn say(&mut self, word: Word) {
        for to in 0..self.words.len() {
            match to == self.index as usize {
                true => {
                    self.figures[to] = word.figures;
                    self.words[to] = Some(word.clone());
                }
                false => self.send(to, Body::Word(word.clone())),
            }
        }
    }

    fn say_what_was_taken(&mut self) {
        let mut has_said = false;
        for to in 0..self.taken.len() {
            // Some at a time.
            if self.taken[to] >= ON_THEIR_WAY / 4 {
                let taken = std::mem::take(&mut self.taken[to]);
                self.send(to, Body::Taken(taken));
                has_said = true;
            }
        }
        if has_said {
            self.flow.dispatch();
        }
    }

    /// Says to the first process where this one is, now and then.
    fn pulse(&mut self, own: Figures) {
        self.figures[self.index as usize] = own;
        if self.index > 0 && self.last_pulse.elapsed() > PULSE {
            self.last_pulse = Instant::now();
            self.send(0, Body::Pulse(own));
            self.flow.dispatch();
        }
    }

    /// Whether somebody has not taken what was sent to it.
    fn is_waited_for(&self) -> bool {
        self.on_their_way.iter().any(|&parcels| parcels > ON_THEIR_WAY)
    }

    /// Lets things happen.
    fn wait(&mut self) {
        self.flow.worker.step_or_park(Some(NAP));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_arrives_while_its_level_goes_on() {
        let arrived = timely::execute(timely::Config::process(2), |worker| {
            let from = worker.index() as u32;
            let mut flow = Flow::new(worker);
            flow.begin(7);
            flow.input.send(Letter { to: 1 - from, from, body: Body::Taken(3) });
            flow.dispatch();
            // Nobody goes on to the next level before.
            for _ in 0..60_000 {
                if !flow.inbox.borrow().is_empty() {
                    break;
                }
                flow.worker.step_or_park(Some(Duration::from_millis(1)));
            }
            assert!(flow.is_at(7));
            flow.inbox.take().into_iter().map(|(level, letter)| (level, letter.from)).collect::<Vec<_>>()
        });
        let arrived: Vec<_> = arrived.expect("workers").join().into_iter().map(Result::unwrap).collect();
        assert_eq!(arrived, [vec![(7, 1)], vec![(7, 0)]]);
    }
}
