//! One search for everything that is wrong at the end of a finite run.

use crate::answer::{Answer, Counterexample, Figures, Question, Reading, Searched, UnreachedStatement};
use crate::consistency;
use crate::facts::Graph;
use crate::options::{CheckOptions, Coverage};
use crate::stages::FIRST_LOOK;
use crate::supervisor::{Event, Timed};
use crate::words;
use certificate::trace::{ReplayError, replay, violations_at_end};
use certificate::verdict::{Evidence, StopReason, Verdict};
use promela::source::Span;
use search::{
    BitStateFigures, Cause, ChannelPeak, ClusterFigures, Counts, DiskFigures, ErrorGroup, Limits, Outcome,
    Properties, Reduction, SearchOptions, SearchReport,
};
use std::collections::HashMap;
use system::automaton::{Action, AutomatonId, LocationId, System};
use system::clock::Instant;
use system::code::slice::without_what_nobody_needs;
use system::interpreter::{RuntimeError, Violation};

/// What a search for errors gives.
#[derive(Debug)]
pub struct Safety {
    pub answers: Vec<Answer>,
    pub unreached: Option<Vec<UnreachedStatement>>,
    pub counts: Option<Counts>,
    pub peaks: Vec<ChannelPeak>,
    /// Of several processes.
    pub cluster: Option<ClusterFigures>,
    /// On disk.
    pub disk: Option<DiskFigures>,
    /// All states, if they were all searched.
    pub graph: Option<Graph>,
}

/// The questions that such a search answers, as far as they are asked and the model makes them askable.
pub fn questions(system: &System, options: &CheckOptions) -> Vec<Question> {
    let mut questions = Vec::new();
    if options.questions.deadlock {
        questions.push(Question::Deadlock);
    }
    if options.questions.assertions {
        questions.extend([Question::Assertions, Question::RuntimeErrors]);
    }
    if options.questions.event_trace && system.event_trace.is_some() {
        questions.push(Question::EventTrace);
    }
    questions
}

/// Searches for deadlocks, failing assertions, runtime errors and departures from the event trace. Tells of errors that are met long before the
/// end.
pub fn search(
    system: &System,
    options: &CheckOptions,
    control: &Timed,
    tell: &dyn Fn(Vec<Answer>),
) -> Safety {
    let hunt = Hunt { system, options, control, questions: questions(system, options) };
    if hunt.questions.contains(&Question::Assertions) && !asserts_anything(system) {
        // That is so whether the search comes back in time or not.
        tell(vec![nothing_asserted(options)]);
    }
    let resumes = options.search.disk.as_ref().is_some_and(|disk| disk.resume);
    let (explored, in_full) = match options.search.coverage {
        _ if resumes => (hunt.explore(Reduction::Full, hunt.limits(), hunt.disk()), None),
        Coverage::Full => (hunt.explore(Reduction::Full, hunt.limits(), hunt.disk()), None),
        Coverage::Reduced => match hunt.rest() {
            Reduction::Full => (hunt.explore(Reduction::Full, hunt.limits(), hunt.disk()), None),
            Reduction::Reduced => hunt.reduced(),
        },
        Coverage::FullWhileSmall => (hunt.full_while_small(tell), None),
    };
    let questions = hunt.questions.iter().cloned();
    match explored {
        Ok(report) => Safety {
            answers: questions
                .map(|question| {
                    let small = answer(system, options, question.clone(), &report);
                    let Some(full) = &in_full else { return small };
                    let large = answer(system, options, question, full);
                    agreed(small, &large, full)
                })
                .collect(),
            unreached: unreached(&report),
            counts: Some(report.counts),
            graph: graph(options, &report),
            cluster: report.cluster.filter(|cluster| cluster.processes > 0),
            disk: report.disk.filter(|disk| disk.trouble.is_none()),
            peaks: report.channels,
        },
        Err(error) => Safety {
            answers: questions
                .map(|question| without_initial_state(system, options, question, &error))
                .collect(),
            unreached: None,
            counts: None,
            peaks: Vec::new(),
            cluster: None,
            disk: None,
            graph: None,
        },
    }
}

/// A search. The error is that of a model without an initial state.
type Explored = Result<SearchReport, RuntimeError>;

/// What is looked for in a model, and how far to go for it.
struct Hunt<'a> {
    system: &'a System,
    options: &'a CheckOptions,
    control: &'a Timed,
    questions: Vec<Question>,
}

impl<'a> Hunt<'a> {
    fn limits(&self) -> Limits {
        let (states, memory) = (self.options.search.states, self.options.memory);
        Limits { states, memory, deadline: self.control.deadline() }
    }

    /// What a search does that has all there is of time and memory.
    fn rest(&self) -> Reduction {
        if search::reduction_pays(self.system) { Reduction::Reduced } else { Reduction::Full }
    }

    /// Where the last search goes on when memory ends.
    fn disk(&self) -> Option<&'a search::Disk> {
        self.options.search.disk.as_ref()
    }

    /// A reduced search, and the search of all states that confirms what it proves, if that is small.
    fn reduced(&self) -> (Explored, Option<SearchReport>) {
        let reduced = self.explore(Reduction::Reduced, self.limits(), self.disk());
        let is_proof = |report: &&SearchReport| report.proves() && report.reduction == Reduction::Reduced;
        let proof = reduced.as_ref().ok().filter(is_proof).filter(|_| !self.control.is_over());
        let in_full = proof.and_then(|report| {
            let limits = tiny(self.limits(), report.counts.states);
            let report = self.explore(Reduction::Full, limits, None).ok()?;
            (report.outcome == Outcome::Complete && !report.meets_limit()).then_some(report)
        });
        (reduced, in_full)
    }

    /// A search of all states, unless there are too many: then a reduced one.
    fn full_while_small(&self, tell: &dyn Fn(Vec<Answer>)) -> Explored {
        let mut explored = self.explore_at_a_glance();
        if self.is_cut(&explored) {
            self.look_in_depth(tell);
            explored = self.explore_slice(Reduction::Full, small(self.limits()), None);
        }
        match &explored {
            Ok(report) if self.is_cut(&explored) && self.leaves_open(report) => {
                self.tell_errors(report, tell);
                more_telling(explored, self.explore_slice(self.rest(), self.limits(), self.disk()))
            }
            _ => explored.map(|report| self.ended(report)),
        }
    }

    /// Whether some question has no answer yet: an error that answers one says nothing about the others.
    fn leaves_open(&self, report: &SearchReport) -> bool {
        self.answers(report).any(|answer| matches!(answer.verdict, Verdict::Unknown(_)))
    }

    fn answers(&self, report: &SearchReport) -> impl Iterator<Item = Answer> {
        self.questions.iter().map(|asked| answer(self.system, self.options, asked.clone(), report))
    }

    fn tell_errors(&self, report: &SearchReport, tell: &dyn Fn(Vec<Answer>)) {
        tell(self.answers(report).filter(|answer| answer.counterexample().is_some()).collect());
    }

    /// A first look at the model, and at what is left of it where much may decide nothing.
    fn explore_at_a_glance(&self) -> Explored {
        let limits = glance(self.limits());
        if without_what_nobody_needs(self.system, &[]).is_none() {
            return self.explore(Reduction::Full, limits, None);
        }
        let states = limits.states.map(|states| states.min(FIRST_LOOK));
        let explored = self.explore(Reduction::Full, Limits { states, ..limits }, None);
        match self.is_cut(&explored) {
            true => self.explore_slice(Reduction::Full, limits, None),
            false => explored,
        }
    }

    /// A search that came to the end of its share when the time was over was ended by the time.
    fn ended(&self, report: SearchReport) -> SearchReport {
        use search::StopReason::{Deadline, Memory, States};
        let is_late = self.control.deadline().is_some_and(|deadline| Instant::now() >= deadline);
        match report.outcome {
            Outcome::Stopped(States(_) | Memory(_)) if is_late => {
                SearchReport { outcome: Outcome::Stopped(Deadline), ..report }
            }
            _ => report,
        }
    }

    /// What lies deep is met by depth-first search long before a search by levels comes there.
    fn look_in_depth(&self, tell: &dyn Fn(Vec<Answer>)) {
        // Few states may be large ones: a share of the time in which they can be gone through.
        let limits = Limits { states: glance(self.limits()).states, ..small(self.limits()) };
        if let Ok(report) = self.explore(Reduction::Reduced, limits, None) {
            self.tell_errors(&report, tell);
        }
    }

    /// Whether a search ended only because it had no more room, and there is time for another.
    fn is_cut(&self, explored: &Explored) -> bool {
        use search::StopReason::{Deadline, Memory, States};
        // Ended processes may pile up where every order is tried, and nowhere else.
        let is_cut = |report: &SearchReport| {
            matches!(report.outcome, Outcome::Stopped(Deadline | Memory(_) | States(_)))
                || report.meets_limit()
        };
        explored.as_ref().is_ok_and(is_cut) && !self.control.is_over()
    }

    fn explore(&self, reduction: Reduction, limits: Limits, disk: Option<&search::Disk>) -> Explored {
        self.explore_with(reduction, limits, disk, false)
    }

    /// The same without what decides nothing. What is on disk, or at other processes, is the model itself: somebody else may go on with it.
    fn explore_slice(&self, reduction: Reduction, limits: Limits, disk: Option<&search::Disk>) -> Explored {
        let is_alone = disk.is_none() && self.options.search.explorer.is_none();
        self.explore_with(reduction, limits, disk, is_alone)
    }

    fn explore_with(
        &self,
        reduction: Reduction,
        limits: Limits,
        disk: Option<&search::Disk>,
        slice: bool,
    ) -> Explored {
        let Hunt { options, control, questions, .. } = self;
        // Who can go on elsewhere leaves room for what no account knows: the program's own pages, and what an allocator rounds up.
        let most = disk.map_or(usize::MAX, |_| control.memory_left() / 8 * 7);
        let limits = Limits { memory: limits.memory.map(|bytes| bytes.min(most)), ..limits };
        let main = questions.first().cloned().unwrap_or(Question::Deadlock);
        let watcher =
            |status: search::Status| control.supervisor.tell(Event::Searching(main.clone(), status));
        let search_options = SearchOptions {
            capacities: options.capacities,
            reduction,
            properties: Properties {
                assertions: questions.contains(&Question::Assertions),
                end_states: questions.contains(&Question::Deadlock),
                event_trace: questions.contains(&Question::EventTrace),
                ..Properties::none()
            },
            errors: options.search.errors,
            limits,
            threads: options.threads,
            engine: options.search.engine,
            slice,
            disk: disk.cloned(),
            ..SearchOptions::full()
        };
        let cancelled = || control.supervisor.is_cancelled();
        let search_control = search::Control::none().watched_by(&watcher).cancelled_by(&cancelled);
        let memory_left = || control.memory_left();
        let search_control = match disk {
            Some(_) => search_control.with_memory_left(&memory_left),
            None => search_control,
        };
        match &options.search.explorer {
            Some(explorer) => explorer.explore(self.system, &search_options, &search_control),
            None => search::explore(self.system, &search_options, &search_control),
        }
    }
}

/// Of a search that was cut off and the one after it, the one that says more: if neither came to an end, that which came further, and what
/// ended it is what ended the last.
fn more_telling(cut: Explored, last: Explored) -> Explored {
    match (cut, last) {
        (Ok(before), Ok(after))
            if matches!(after.outcome, Outcome::Stopped(_))
                && after.errors.is_empty()
                && after.counts.states < before.counts.states =>
        {
            Ok(SearchReport { outcome: after.outcome, disk: after.disk, ..before })
        }
        (_, last) => last,
    }
}

/// The share of a search for everything, before a reduced one has its turn: a third of the time, half of the memory.
fn small(limits: Limits) -> Limits {
    const STATES: u64 = 5_000_000;
    let now = Instant::now();
    Limits {
        states: Some(limits.states.unwrap_or(STATES).min(STATES)),
        memory: limits.memory.map(|bytes| bytes / 2),
        deadline: limits.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / 3),
    }
}

/// The share of a first look, in which most models are done: a tenth of the time.
fn glance(limits: Limits) -> Limits {
    const STATES: u64 = 20_000;
    let now = Instant::now();
    Limits {
        states: Some(limits.states.unwrap_or(STATES).min(STATES)),
        deadline: limits.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / 10),
        ..small(limits)
    }
}

/// The share of a search of all states that confirms one that left out some and kept so many.
fn tiny(limits: Limits, kept: u64) -> Limits {
    const STATES: u64 = 20_000;
    // Whoever waits for an answer should not notice.
    let most = STATES.min(50 * kept);
    let limits = small(limits);
    Limits { states: limits.states.map(|states| states.min(most)), ..limits }
}

/// The answer of a reduced search, which that of all states must be as well.
fn agreed(mut reduced: Answer, in_full: &Answer, report: &SearchReport) -> Answer {
    match (&reduced.verdict, &in_full.verdict) {
        (Verdict::Proved(_), Verdict::Violated(_)) => {
            consistency::withdraw(
                &mut reduced,
                "the search of all states finds what the reduced one does not",
            );
        }
        (Verdict::Proved(Evidence::Search { .. }), Verdict::Proved(_)) => {
            reduced.searched =
                Some(Searched::Reduced { in_full: Some((report.counts.states, report.digest)) });
        }
        _ => {}
    }
    reduced
}

fn answer(system: &System, options: &CheckOptions, question: Question, report: &SearchReport) -> Answer {
    let reading = Reading::of(options.capacities.into());
    let figures = Figures::of(report);
    let matching: Vec<&ErrorGroup> =
        report.errors.iter().filter(|group| belongs(&group.cause, &question)).collect();
    let mut answer = match matching.first() {
        Some(group) => {
            let mut answer = violated(system, question, reading, group);
            let count: u64 = matching.iter().map(|group| group.count).sum();
            if count > 1 {
                let together = alike(system, &matching);
                let places = if together.len() == 1 { "place" } else { "places" };
                let (times, number) = (words::grouped(count), words::grouped(together.len() as u64));
                answer.notes.push(format!("{times} times in all, in {number} {places}"));
                let told = |&(group, count): &(&ErrorGroup, u64)| {
                    let times = words::counted(count as usize, "time");
                    format!("{times}: {}", said(system, group).1)
                };
                answer.details.extend(together.iter().map(told));
            }
            answer
        }
        None if question == Question::Assertions && !asserts_anything(system) => nothing_asserted(options),
        None => match stopped(report, options).or_else(|| limited(report)) {
            None => {
                let evidence = Evidence::Search { states: figures.states, transitions: figures.transitions };
                let all = match report.reduction {
                    Reduction::Full => words::all_states(figures.states),
                    Reduction::Reduced => {
                        format!("{} searched, {}", words::states(figures.states), words::STANDING)
                    }
                };
                let mut answer = Answer::new(question, Verdict::Proved(evidence), reading, all);
                answer.searched = Some(match report.reduction {
                    Reduction::Full => Searched::Complete(report.digest),
                    Reduction::Reduced => Searched::Reduced { in_full: None },
                });
                answer
            }
            Some(reason) => {
                let meaning = words::nothing_wrong(figures.states);
                let mut answer = Answer::unknown(question, reading, reason, meaning);
                answer.notes.extend(report.bit_state.map(|bits| coverage(&bits, figures.states)));
                answer
            }
        },
    };
    answer.figures = Some(figures);
    let ends_runs =
        |group: &ErrorGroup| matches!(group.cause, Cause::Statement { assertion: false, limit: false, .. });
    if matches!(answer.verdict, Verdict::Proved(Evidence::Search { .. }))
        && report.errors.iter().any(ends_runs)
    {
        answer.notes.push("up to the first runtime error of a run, not beyond it".to_string());
    }
    if let Some(disk) = report.disk.as_ref().filter(|disk| disk.trouble.is_none()) {
        let bytes = words::bytes(disk.bytes);
        answer.notes.push(format!("on disk: {bytes} of states, written in {} rounds", disk.rounds));
    }
    answer
}

/// The answer about the assertions of a model that has none.
fn nothing_asserted(options: &CheckOptions) -> Answer {
    let meaning = "the model asserts nothing";
    let evidence = Evidence::Nothing(meaning.to_string());
    let reading = Reading::of(options.capacities.into());
    Answer::new(Question::Assertions, Verdict::Proved(evidence), reading, meaning)
}

/// How much of what it met a search that keeps bits has visited.
fn coverage(bits: &BitStateFigures, states: u64) -> String {
    let percent = 100.0 * bits.coverage(states);
    // Never rounded up to all of them.
    let percent = (percent * 100.0).floor().min(9999.0) / 100.0;
    let mut note = format!(
        "an estimated {percent:.2} % of the states met ({} for bits, {:.1} % of them set, {} for each state)",
        words::bytes(bits.bytes as u64),
        100.0 * bits.fill,
        bits.bits_per_state
    );
    if bits.too_deep > 0 {
        note += &format!("; {} times too deep for the memory", words::grouped(bits.too_deep));
    }
    note
}

/// Errors as a person would group them, the first of each kind with how often it is met: deadlocks are the same if processes of the same proctypes
/// wait at the same statements, whichever of them and wherever the others ended.
fn alike<'r>(system: &System, groups: &[&'r ErrorGroup]) -> Vec<(&'r ErrorGroup, u64)> {
    let waiting = |cause: &Cause| match cause {
        Cause::InvalidEndState { locations } => {
            let waits = |&&(automaton, location): &&(AutomatonId, LocationId)| {
                !system.automaton(automaton).location(location).end
            };
            let mut waiting: Vec<_> = locations.iter().filter(waits).copied().collect();
            waiting.sort_unstable();
            Some(waiting)
        }
        _ => None,
    };
    let mut together: Vec<(&ErrorGroup, u64)> = Vec::new();
    let mut known = HashMap::new();
    for &group in groups {
        let kind = waiting(&group.cause).ok_or_else(|| group.cause.clone());
        let index = *known.entry(kind).or_insert(together.len());
        match together.get_mut(index) {
            Some((_, count)) => *count += group.count,
            None => together.push((group, group.count)),
        }
    }
    together
}

fn belongs(cause: &Cause, question: &Question) -> bool {
    matches!(
        (cause, question),
        (Cause::InvalidEndState { .. }, Question::Deadlock)
            | (Cause::Statement { assertion: true, .. }, Question::Assertions)
            | (Cause::Statement { assertion: false, .. }, Question::RuntimeErrors)
            | (Cause::EventTrace { .. }, Question::EventTrace)
    )
}

/// Where the statement is that is to blame, if the last step is not: a `d_step` has many, and a guard without a value stops a run before
/// its step.
fn blamed(system: &System, group: &ErrorGroup) -> Option<Span> {
    let Cause::Statement { automaton, edge, assertion, .. } = group.cause else { return None };
    let is_one = |edge| !matches!(system.automaton(automaton).edge(edge).action, Action::DStep(_));
    if edge.is_some_and(is_one) {
        return None;
    }
    if assertion {
        let violations = violations_at_end(system, &group.trace).ok()?;
        return violations.iter().find_map(|violation| match violation {
            Violation::AssertionFailed { span } => Some(*span),
            _ => None,
        });
    }
    match replay(system, &group.trace) {
        Err(ReplayError::Failed { error, .. }) => Some(error.span),
        Ok(replay) => {
            let state = replay.state_before(group.trace.steps.len());
            let met = group.trace.interpreter(system).steps(state, &mut Vec::new());
            met.err().map(|error| error.span)
        }
        Err(_) => None,
    }
}

/// What is wrong, with and without how long it takes to come there.
fn said(system: &System, group: &ErrorGroup) -> (String, String) {
    let after = words::after(group.trace.steps.len());
    match &group.cause {
        Cause::InvalidEndState { .. } => {
            let waiting = replay(system, &group.trace)
                .ok()
                .map(|replay| words::who_waits(system, replay.state_before(group.trace.steps.len())));
            let waiting = waiting.unwrap_or_default();
            let meaning = match group.trace.steps.len() {
                0 => format!("nothing can move {after}: {waiting}"),
                _ => format!("{after} nothing can move: {waiting}"),
            };
            (meaning, format!("deadlock: {waiting}"))
        }
        Cause::Statement { automaton, edge, message, limit, .. } => {
            let place = match blamed(system, group) {
                Some(span) => words::statement_around(system, *automaton, span),
                None => edge.map_or_else(
                    || system.automaton(*automaton).name.clone(),
                    |edge| words::statement(system, *automaton, edge),
                ),
            };
            let message = if *limit { format!("{message} ({SPINS_LIMIT})") } else { message.clone() };
            (format!("{message} {after}: {place}"), format!("{message}: {place}"))
        }
        Cause::EventTrace { message } => (format!("{message}, {after}"), message.clone()),
        other => (format!("{other:?}"), format!("{other:?}")),
    }
}

fn violated(system: &System, question: Question, reading: Reading, group: &ErrorGroup) -> Answer {
    let (meaning, problem) = said(system, group);
    let counterexample = Counterexample::Run { trace: group.trace.clone(), problem };
    Answer::new(question, Verdict::Violated(counterexample), reading, meaning)
}

/// The error is that of a model whose first state cannot be set up: no run, so no trace.
fn without_initial_state(
    system: &System,
    options: &CheckOptions,
    question: Question,
    error: &RuntimeError,
) -> Answer {
    let reading = Reading::of(options.capacities.into());
    let place = words::line(system, error.span);
    let meaning = format!("the model has no initial state: {} ({place})", error.kind);
    match question {
        Question::RuntimeErrors => {
            let trace = certificate::trace::Trace::new(system, options.capacities, &[], None);
            let counterexample = Counterexample::Run { trace, problem: meaning.clone() };
            Answer::new(question, Verdict::Violated(counterexample), reading, meaning)
        }
        question => {
            let reason = StopReason::Unsupported { what: "the model has no initial state".to_string() };
            Answer::unknown(question, reading, reason, meaning)
        }
    }
}

/// Why the search proves nothing; `None` if it does.
fn stopped(report: &SearchReport, options: &CheckOptions) -> Option<StopReason> {
    match report.outcome {
        Outcome::Complete => None,
        Outcome::Stopped(search::StopReason::Disk) => {
            let trouble = report.disk.as_ref().and_then(|disk| disk.trouble.clone());
            Some(StopReason::Unsupported { what: trouble.unwrap_or_else(|| "the disk".to_string()) })
        }
        Outcome::Stopped(search::StopReason::Cluster) => {
            let trouble = report.cluster.as_ref().and_then(|cluster| cluster.trouble.clone());
            Some(StopReason::Unsupported { what: trouble.unwrap_or_else(|| "the cluster".to_string()) })
        }
        Outcome::Stopped(reason) => Some(stop_reason(reason, options)),
    }
}

const SPINS_LIMIT: &str = "a limit of SPIN's, not of the model";

/// Where runs could not go on because of a limit nothing is known of what comes after it.
fn limited(report: &SearchReport) -> Option<StopReason> {
    let what = format!("some runs come to more processes or channels than SPIN allows: {SPINS_LIMIT}");
    report.meets_limit().then_some(StopReason::Unsupported { what })
}

pub fn stop_reason(reason: search::StopReason, options: &CheckOptions) -> StopReason {
    match reason {
        search::StopReason::Memory(share) => {
            StopReason::MemoryLimit { bytes: options.memory_limit.unwrap_or(share) as u64 }
        }
        search::StopReason::Deadline => {
            StopReason::TimeLimit { seconds: options.time.map_or(0, |time| time.as_secs()) }
        }
        other => other.of_verdict(),
    }
}

fn has_all_states(report: &SearchReport) -> bool {
    report.outcome == Outcome::Complete && report.reduction == Reduction::Full
}

/// The graph, if all of it was searched and no run ended at a limit of SPIN's.
fn graph(options: &CheckOptions, report: &SearchReport) -> Option<Graph> {
    let is_all = has_all_states(report) && !report.meets_limit();
    let figures = Figures::of(report);
    let (peaks, digest) = (report.channels.clone(), report.digest);
    is_all.then_some(Graph { capacities: options.capacities, figures, peaks, digest })
}

/// Only a complete search of everything knows what is never executed.
fn unreached(report: &SearchReport) -> Option<Vec<UnreachedStatement>> {
    let everything = has_all_states(report);
    everything.then(|| {
        report
            .unreached
            .iter()
            .map(|unreached| UnreachedStatement { automaton: unreached.automaton, edge: unreached.edge })
            .collect()
    })
}

fn asserts_anything(system: &System) -> bool {
    fn asserts(action: &Action) -> bool {
        match action {
            Action::Assert(_) => true,
            Action::DStep(body) => {
                body.nodes.iter().flat_map(|node| &node.choices).any(|choice| asserts(&choice.action))
            }
            _ => false,
        }
    }
    system.automata.iter().flat_map(|automaton| &automaton.edges).any(|edge| asserts(&edge.action))
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::{Control, StopReason};

    fn explored(states: u64, reduction: Reduction) -> Explored {
        let text = "byte x, y; active proctype P() { do :: x + y < 600 -> x++ od }
            active proctype Q() { do :: x + y < 600 -> y++ od }";
        let system = system::read_text(text).expect("a model");
        let limits = Limits { states: Some(states), ..Limits::default() };
        let options = SearchOptions { limits, reduction, ..SearchOptions::full() };
        search::explore(&system, &options, &Control::none())
    }

    #[test]
    fn of_two_searches_that_were_cut_off_the_one_that_came_further_tells() {
        let told = more_telling(explored(30_000, Reduction::Full), explored(40, Reduction::Reduced));
        let report = told.expect("an initial state");
        assert_eq!(report.reduction, Reduction::Full);
        assert!(report.counts.states >= 30_000, "{}", report.counts.states);
        assert_eq!(report.outcome, Outcome::Stopped(StopReason::States(40)));
    }

    #[test]
    fn a_search_that_came_to_its_end_tells_whatever_another_saw() {
        let all = explored(1 << 20, Reduction::Reduced);
        let states = all.as_ref().map(|report| report.counts.states).expect("an initial state");
        let report = more_telling(explored(30_000, Reduction::Full), all).expect("the same");
        assert_eq!(report.counts.states, states);
        assert_eq!(report.outcome, Outcome::Complete);
    }
}
