//! The engines, each as a stage that reads and publishes facts on the board.
//!
//! Where there are threads all of them begin at once (`at_once.rs`), so that nothing waits for a budget of something else to end; where there is
//! only one they take turns (`in_turns.rs`), in this order: who waits for what another one finds out comes after it. What decides most for least is given the
//! most: states without limits to buffers are searched from the first millisecond, beside the first potentials.

use crate::answer::{Answer, Counterexample, Figures, Question};
use crate::board::Board;
use crate::facts::Graph;
use crate::options::CheckOptions;
use crate::supervisor::{Event, half_way};
use crate::temporal::RuntimeErrors;
use crate::{buffers, fullness, progress, rules, safety, temporal};
use certificate::potential::{Progress as Claimed, ProgressStatement};
use certificate::pump::{ConfirmedPump, PumpQuestion};
use certificate::verdict::{Capacities as ProofCapacities, Fairness, ProgressReading, Verdict};
use proofs::{Board as _, BoundsOptions, FormulaOptions, ProgressOptions, SeenValues, Wanted};
use search::pumps::{self, PumpOptions, lassos};
use search::{
    Cause, Engine, ErrorPolicy, Limits, Outcome, Properties, Reduction, SearchOptions, SearchReport,
    StopReason, Terminated,
};
use std::cell::Cell;
use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use system::automaton::System;
use system::capacities::{Capacities, CapacityReading};
use system::code::slice::without_what_nobody_needs;
use system::interpreter::{RuntimeError, Step};
use system::progress::{ProgressAt, ProgressStatements};
use system::state::ChannelId;

/// States of a first look, which tells provers what values variables have. What takes longer is searched without what decides nothing.
pub const FIRST_LOOK: u64 = 4_000;
/// States that are looked at for runtime errors beside a proof that does not speak of them.
const LOOK_FOR_ERRORS: u64 = 20_000;
/// States among which a pump is looked for where nothing else would end the search.
const STATES_FOR_A_PUMP: u64 = 5_000;
/// How much larger each turn is than the last where several ways to search take turns.
const LARGER_EACH_TIME: u64 = 8;
/// Bytes for a search without limits to buffers, if nobody gave any.
const MEMORY: usize = 1 << 30;

/// An engine at work.
pub struct Stage {
    /// For whose sake it works first of all.
    pub question: Question,
    /// What else it may decide.
    pub also: Option<Question>,
    /// Its share of the memory, beside the shares of the others.
    pub share: usize,
    /// The work, with bytes of memory for it.
    pub work: Work,
}

/// What a stage does. It may be asked again, if its turn was over too soon.
pub type Work = Box<dyn Fn(&Board, Option<usize>) + Send>;

impl Stage {
    /// Works. An engine that fails must not take the other answers with it.
    pub fn run(&self, board: &Board, memory: Option<usize>) {
        if std::panic::catch_unwind(AssertUnwindSafe(|| (self.work)(board, memory))).is_err() {
            board.update(|facts| facts.failed.push(self.question.clone()));
        }
    }
}

/// The stages that have something to do for what is asked. Their shares of memory are fixed: what one of them can answer must not depend on
/// how far the others have come.
pub fn stages(board: &Board) -> Vec<Stage> {
    let (system, options) = (&board.system, &board.options);
    let mut stages: Vec<Stage> = Vec::new();
    let (buffers, progress) = (board.asks_for_buffers(), options.questions.progress);
    let for_any_capacity = options.proof_capacities == ProofCapacities::Any;
    if buffers || progress {
        let question = if buffers { Question::Buffers } else { Question::Progress };
        let also = (buffers && progress).then_some(Question::Progress);
        stages.push(Stage { question, also, share: 2, work: Box::new(all_states) });
    }
    let mut add = |question: Question, share: usize, work: Work| {
        stages.push(Stage { question, also: None, share, work });
    };
    if buffers {
        add(Question::Buffers, 0, Box::new(bounds));
        add(Question::Buffers, 1, Box::new(fullness::look));
        if for_any_capacity {
            add(Question::Buffers, 1, Box::new(growing_buffers));
        }
    }
    if progress {
        add(Question::Progress, 0, Box::new(livelock_freedom));
        let counts_all_runs = options.fairness == Fairness::None;
        if counts_all_runs {
            add(Question::Progress, 1, Box::new(lasso));
        } else {
            add(Question::Progress, 2, Box::new(fair_progress));
            add(Question::Progress, 0, Box::new(fair_livelock_freedom));
        }
        if for_any_capacity {
            add(Question::Progress, 1, Box::new(growing_without_progress));
        }
    }
    for (place, formula) in temporal::formulas(system, options).into_iter().cloned().enumerate() {
        let question = Question::Formula(formula.name.clone());
        if options.formula_capacities == CapacityReading::Any && options.any_number(system).is_some() {
            let name = formula.name.clone();
            let work = move |board: &Board, _| formula_potentials(board, &name);
            add(question.clone(), 0, Box::new(work));
        }
        let has_no_limits =
            matches!(options.formula_capacities, CapacityReading::Any | CapacityReading::Unbounded);
        if has_no_limits && options.processes.is_empty() {
            let name = formula.name.clone();
            let work = move |board: &Board, memory| growing_against(board, &name, memory);
            add(question.clone(), 1, Box::new(work));
        }
        let work = move |board: &Board, memory| {
            let options = CheckOptions { memory, ..board.options.clone() };
            let is_decided = || !board.wants(Wanted::Formula(&formula.name));
            let lane = board.lane().enter(&board.timed, place);
            let lane = Cell::new(Some(lane));
            let answered = |answer| {
                board.answered(vec![answer]);
                drop(lane.take());
                board.wait_for_other_formulas();
            };
            let (system, timed) = (&board.system, &board.timed);
            let answer = temporal::formula(system, &options, &formula, timed, &is_decided, &answered);
            board.answered(vec![answer]);
        };
        add(question, 2, Box::new(work));
    }
    for never in temporal::claims(system, options) {
        let work = move |board: &Board, memory| {
            let options = CheckOptions { memory, ..board.options.clone() };
            board.answered(vec![temporal::claim(&board.system, &options, never, &board.timed)]);
        };
        add(never.question(system), 2, Box::new(work));
    }
    if let Some(first) = safety::questions(system, options).first().cloned() {
        let as_much_as_all_others = stages.iter().map(|stage| stage.share).sum::<usize>().max(1);
        let (share, work) = (as_much_as_all_others, Box::new(errors));
        stages.insert(0, Stage { question: first, also: None, share, work });
    }
    stages
}

/// Everything that is wrong at the end of a finite run, with the capacities that the search was asked for.
fn errors(board: &Board, memory: Option<usize>) {
    let options = CheckOptions { memory, ..board.options.clone() };
    let mut safety = safety::search(&board.system, &options, &board.timed, &|met| board.answered(met));
    let answers = std::mem::take(&mut safety.answers);
    let graph = safety.graph.take();
    board.update(|facts| {
        // With other capacities than the declared ones a buffer may hold what a proof about those does not speak of.
        let counts = board.options.proof_capacities == ProofCapacities::Any
            || board.options.capacities == Capacities::Declared;
        if counts {
            facts.add_peaks(board.options.capacities, &safety.peaks);
        }
        graph.into_iter().for_each(|graph| facts.add_graph(graph));
        facts.safety = Some(safety);
    });
    board.answered(answers);
}

/// All states with buffers as the proofs have them: a first look, then more each time.
///
/// If processes come and go for ever, a search that keeps the dead never ends, and one that does not may: they take turns.
fn all_states(board: &Board, memory: Option<usize>) {
    look_at_all_states(board, memory);
    board.update(|facts| facts.all_states_ended = true);
}

fn look_at_all_states(board: &Board, memory: Option<usize>) {
    let capacities = rules::searched_capacities(board.options.proof_capacities);
    let most = board.options.search.states.unwrap_or(u64::MAX);
    let mut ways = match board.system.code.starts_processes() {
        true => vec![Terminated::Kept, Terminated::TakenAway],
        false => vec![Terminated::Kept],
    };
    let mut states = FIRST_LOOK;
    loop {
        let is_last = states >= most;
        let mut next = Vec::new();
        for &terminated in &ways {
            let limits = Limits { states: Some(states.min(most)), ..limits(board, memory) };
            // The first look tells provers what values variables have; whoever looks for longer does without those that decide nothing.
            let slice = states > FIRST_LOOK;
            match search_all(board, capacities, terminated, limits, slice) {
                Searched::Everything => return,
                Searched::EnoughForNow => next.push(terminated),
                Searched::ToAnEnd => {}
            }
        }
        if is_last || next.is_empty() || board.is_closed(&board.closed().both) {
            return;
        }
        // Without another way that waits for its turn there is nothing to come back for.
        states = if next.len() > 1 { states.saturating_mul(LARGER_EACH_TIME) } else { most };
        ways = next;
    }
}

/// What a search of all states came to.
enum Searched {
    Everything,
    /// More states are worth a look.
    EnoughForNow,
    /// More states would not help.
    ToAnEnd,
}

fn search_all(
    board: &Board,
    capacities: Capacities,
    terminated: Terminated,
    limits: Limits,
    slice: bool,
) -> Searched {
    // Loops without the dead may be no loops of the model, but where there are none the model has none.
    let reading = board.options.questions.progress.then_some(board.options.progress);
    let non_progress = reading.filter(|_| terminated == Terminated::TakenAway);
    let options = SearchOptions {
        capacities,
        reduction: Reduction::Full,
        properties: Properties { non_progress, ..Properties::none() },
        errors: ErrorPolicy::All,
        limits,
        threads: 1,
        engine: Engine::Fast,
        slice,
        progress: board.options.progress_at.clone(),
        terminated,
        disk: None,
        ..SearchOptions::full()
    };
    let report = watched(board, &board.closed().both, Question::Buffers, |control| {
        search::explore(&board.system, &options, control)
    });
    let Ok(report) = report else {
        // There is no first state.
        board.update(|facts| facts.seen = Some(SeenValues::default()));
        return Searched::ToAnEnd;
    };
    match report.outcome {
        _ if publish_states(board, capacities, terminated, &report) => Searched::Everything,
        Outcome::Stopped(StopReason::States(_)) => Searched::EnoughForNow,
        _ => Searched::ToAnEnd,
    }
}

/// Publishes what a search saw; whether it saw everything.
fn publish_states(
    board: &Board,
    capacities: Capacities,
    terminated: Terminated,
    report: &SearchReport,
) -> bool {
    let reading = board.options.questions.progress.then_some(board.options.progress);
    let figures = Figures::of(report);
    let is_all = report.outcome == Outcome::Complete && !report.meets_limit();
    board.update(|facts| {
        if terminated == Terminated::Kept || is_all {
            facts.add_peaks(capacities, &report.channels);
        }
        if facts.seen.is_none() {
            facts.seen = Some(report.observed.locals.clone());
            facts.first_look_was_all = is_all;
        }
        if is_all {
            let peaks = report.channels.clone();
            // Without the dead there are fewer states than anybody could count again.
            let digest = report.digest.filter(|_| terminated == Terminated::Kept);
            facts.add_graph(Graph { capacities, figures, peaks, digest });
            if terminated == Terminated::TakenAway && reading.is_some() && report.untraced.is_empty() {
                facts.progress_searched.get_or_insert(figures);
            }
        } else {
            facts.searched = Some(figures);
        }
    });
    is_all
}

/// Fair runs without progress, state by state.
fn fair_progress(board: &Board, memory: Option<usize>) {
    let options = CheckOptions { memory, ..board.options.clone() };
    let is_decided = || board.is_closed(&board.closed().progress);
    let answer = temporal::fair_progress(&board.system, &options, &board.timed, &is_decided);
    board.update(|facts| facts.fair_progress = Some(answer));
}

/// A run that goes round without progress, from the first state on: a first look, then everything.
fn lasso(board: &Board, memory: Option<usize>) {
    let all = limits(board, memory);
    let first = Limits { states: Some(all.states.map_or(FIRST_LOOK, |most| most.min(FIRST_LOOK))), ..all };
    let mut has_seen_all = find_lasso(board, first);
    board.update(|facts| facts.looked_for_lassos = true);
    if !has_seen_all && !board.is_closed(&board.closed().progress) {
        has_seen_all = excludes_lassos(board, Limits { deadline: half_way(all.deadline), ..all });
    }
    if !has_seen_all && !board.is_closed(&board.closed().progress) {
        find_lasso(board, all);
    }
}

/// Looks for lassos without what decides nothing: where there are none the model has none. One that there is may be a run of the model that never comes
/// round, since something counts on; the judge of pumps knows whether that matters.
fn excludes_lassos(board: &Board, limits: Limits) -> bool {
    let Some(slice) = without_what_nobody_needs(&board.system, &[]) else { return false };
    match look_for_lassos(board, &slice.system, limits) {
        Ok(lassos::LassoOutcome::None { states, transitions, unclear: None }) => {
            let figures = Figures { states, transitions, sliced: true };
            board.update(|facts| {
                facts.progress_searched.get_or_insert(figures);
            });
            true
        }
        Ok(lassos::LassoOutcome::Lasso(trace)) => {
            let steps: Vec<Step> = trace.steps.iter().map(|&step| step.into()).collect();
            let (way, round) = steps.split_at(trace.loop_start.unwrap_or(0).min(steps.len()));
            let question = PumpQuestion::Livelock(claimed_progress(board));
            ConfirmedPump::judge(&board.system, &question, way, round)
                .is_ok_and(|pump| publish_without_progress(board, buffers::counterexample(&pump)))
        }
        _ => false,
    }
}

fn look_for_lassos(
    board: &Board,
    system: &System,
    limits: Limits,
) -> Result<lassos::LassoOutcome, RuntimeError> {
    let options = lassos::LassoOptions {
        capacities: rules::searched_capacities(board.options.proof_capacities),
        progress: board.options.progress_at.clone(),
        reading: board.options.progress,
        limits,
    };
    watched(board, &board.closed().progress, Question::Progress, |control| {
        lassos::find(system, &options, control)
    })
}

/// Publishes what a search for lassos finds; whether a larger one would find no more.
fn find_lasso(board: &Board, limits: Limits) -> bool {
    match look_for_lassos(board, &board.system, limits) {
        Ok(lassos::LassoOutcome::Lasso(trace)) => {
            publish_without_progress(board, Counterexample::Lasso(*trace))
        }
        Ok(lassos::LassoOutcome::None { states, transitions, unclear }) => {
            if unclear.is_none() {
                let figures = Figures { states, transitions, sliced: false };
                board.update(|facts| {
                    facts.progress_searched.get_or_insert(figures);
                });
            }
            true
        }
        Ok(lassos::LassoOutcome::Stopped(StopReason::States(_))) => false,
        Ok(lassos::LassoOutcome::Stopped(_)) | Err(_) => true,
    }
}

/// Potentials for buffers.
fn bounds(board: &Board, _: Option<usize>) {
    let options =
        BoundsOptions { capacities: board.options.proof_capacities, budgets: board.options.budgets };
    let stopped = proofs::bounds(&board.system, &options, board);
    board.update(|facts| facts.bounds_stopped = Some(stopped));
}

/// Potentials for progress of all runs.
fn livelock_freedom(board: &Board, _: Option<usize>) {
    let stopped = progress_potentials(board, Fairness::None);
    board.update(|facts| facts.progress_stopped = Some(stopped));
}

/// Potentials for progress of fair runs.
fn fair_livelock_freedom(board: &Board, _: Option<usize>) {
    progress_potentials(board, board.options.fairness);
}

fn progress_potentials(board: &Board, fairness: Fairness) -> proofs::Stopped {
    let options = ProgressOptions {
        capacities: board.options.proof_capacities,
        progress: board.options.progress_at.clone(),
        fairness,
        budgets: board.options.budgets,
    };
    proofs::progress(&board.system, &options, board)
}

/// Potentials for a formula.
fn formula_potentials(board: &Board, name: &str) {
    let options = FormulaOptions {
        capacities: ProofCapacities::Any,
        name: name.to_string(),
        fairness: board.options.fairness,
        any_number: board.options.any_number(&board.system).unwrap_or_default(),
        budgets: board.options.budgets,
    };
    let stopped = proofs::formula(&board.system, &options, board);
    let certificate = board.facts().formulas.get(name).cloned();
    let proof = certificate.map(|certificate| (certificate, runtime_errors(board)));
    let answer = temporal::by_potentials(&board.options, name, proof, stopped);
    board.answered(vec![answer]);
}

/// Whether a run may end in a runtime error, of which a proof of a formula does not speak: what a first look at the states says.
fn runtime_errors(board: &Board) -> RuntimeErrors {
    let mut are_excluded = false;
    for capacities in [Capacities::Unbounded, Capacities::Fixed(1), Capacities::Declared] {
        let limits = Limits { states: Some(LOOK_FOR_ERRORS), ..limits(board, None) };
        let options =
            SearchOptions { capacities, properties: Properties::none(), limits, ..SearchOptions::full() };
        let question = Question::RuntimeErrors;
        let found = watched(board, &board.timed.abandoned, question, |control| {
            search::explore(&board.system, &options, control)
        });
        let Ok(report) = found else { return RuntimeErrors::Perhaps };
        if let Some(Cause::Statement { message, .. }) = report.errors.first().map(|group| &group.cause) {
            return RuntimeErrors::Met(message.clone());
        }
        are_excluded |= report.outcome == Outcome::Complete
            && report.untraced.is_empty()
            && board.reach(capacities) == CapacityReading::Any;
    }
    // With other numbers of processes there may be other errors.
    if are_excluded && board.options.processes.is_empty() {
        RuntimeErrors::Excluded
    } else {
        RuntimeErrors::Perhaps
    }
}

/// Runs in which buffers grow for ever, one for each buffer that has no bound yet.
fn growing_buffers(board: &Board, memory: Option<usize>) {
    let is_open = |channel: ChannelId| {
        let facts = board.facts();
        let is_it = |buffer: &&proofs::BufferName| buffer.channel == Some(channel.0);
        let buffers = board.buffers(&facts);
        let buffer = buffers.iter().find(is_it);
        let wants_a_pump = |buffer: &proofs::BufferName| {
            !facts.bounds.contains_key(&buffer.name)
                && facts.pump_of(buffer).is_none_or(|pump| pump.more_processes > 0)
        };
        facts.all_bounded.is_none() && buffer.is_none_or(wants_a_pump)
    };
    let question = PumpQuestion::Unbounded;
    let hunt = Hunt { question, is_open: &is_open, most: None, for_whom: Question::Buffers };
    find_pumps(board, memory, hunt, &|| board.is_closed(&board.closed().bounds), |pump| {
        board.update(|facts| facts.add_pump(pump));
        ControlFlow::Continue(())
    });
}

/// A run in which buffers grow for ever and nobody makes progress. One that goes round is easier to read, if there is one nearby.
fn growing_without_progress(board: &Board, memory: Option<usize>) {
    let fairness = board.options.fairness;
    if fairness == Fairness::None {
        board.wait_for(|facts| facts.looked_for_lassos);
    }
    let claimed = claimed_progress(board);
    let question = match fairness {
        Fairness::None => PumpQuestion::Livelock(claimed),
        _ => PumpQuestion::FairLivelock(claimed, fairness),
    };
    // Without fairness the search is closed by a proof or a lasso; fair runs are looked at with capacities, too, which may take for ever.
    let most = (fairness != Fairness::None).then_some(STATES_FOR_A_PUMP);
    let hunt = Hunt { question, is_open: &|_| true, most, for_whom: Question::Progress };
    let is_closed = || board.is_closed(&board.closed().progress);
    find_pumps(board, memory, hunt, &is_closed, |pump| {
        match publish_without_progress(board, buffers::counterexample(&pump)) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
}

/// What counts as progress, as certificates say it.
fn claimed_progress(board: &Board) -> Claimed {
    let marked = ProgressStatements::new(&board.system, &board.options.progress_at);
    match &board.options.progress_at {
        ProgressAt::Labels => Claimed::Labels,
        ProgressAt::Places(_) => Claimed::At(marked.iter().map(ProgressStatement::from).collect()),
    }
}

/// A run in which buffers grow for ever and that does not satisfy a formula.
fn growing_against(board: &Board, name: &str, memory: Option<usize>) {
    let question = PumpQuestion::Violates(name.to_string(), board.options.fairness);
    let for_whom = Question::Formula(name.to_string());
    let hunt = Hunt { question, is_open: &|_| true, most: Some(STATES_FOR_A_PUMP), for_whom };
    let is_closed = || !board.wants(Wanted::Formula(name));
    find_pumps(board, memory, hunt, &is_closed, |pump| {
        board.answered(vec![temporal::by_pump(&board.options, name, &pump)]);
        ControlFlow::Break(())
    });
}

/// What pumps are looked for.
struct Hunt<'h> {
    question: PumpQuestion,
    is_open: &'h dyn Fn(ChannelId) -> bool,
    /// Among so many states.
    most: Option<u64>,
    for_whom: Question,
}

fn find_pumps(
    board: &Board,
    memory: Option<usize>,
    hunt: Hunt<'_>,
    is_closed: &(dyn Fn() -> bool + Sync),
    mut found: impl FnMut(ConfirmedPump) -> ControlFlow<()>,
) {
    let limits = limits(board, memory);
    let states = hunt.most.map(|most| limits.states.map_or(most, |states| states.min(most)));
    let options = PumpOptions {
        question: hunt.question,
        is_open: hunt.is_open,
        suspicious: &|| board.facts().suspicious.clone(),
        limits: Limits { states: states.or(limits.states), ..limits },
    };
    // The error is that of a model without an initial state, which has no buffers that grow.
    let _ = watched_until(board, is_closed, hunt.for_whom, |control| {
        pumps::find(&board.system, &options, control, &mut found)
    });
}

/// Publishes a run without progress by statement; in SPIN's reading it is none if somebody stands at a label again and again.
fn publish_without_progress(board: &Board, run: Counterexample) -> bool {
    let counts = board.options.progress == ProgressReading::Transition
        || !progress::stands_at_progress(&board.system, &board.options.progress_at, &run);
    if counts {
        board.update(|facts| {
            facts.without_progress.get_or_insert(run);
        });
    }
    counts
}

/// Runs a search that tells where it is and stops when nobody wants to know any more.
fn watched<T>(
    board: &Board,
    closed: &AtomicBool,
    question: Question,
    work: impl FnOnce(&search::Control<'_>) -> T,
) -> T {
    watched_until(board, &|| closed.load(Ordering::Relaxed), question, work)
}

fn watched_until<T>(
    board: &Board,
    is_closed: &(dyn Fn() -> bool + Sync),
    question: Question,
    work: impl FnOnce(&search::Control<'_>) -> T,
) -> T {
    let watcher = |progress: search::Status| {
        board.timed.supervisor.tell(Event::Searching(question.clone(), progress));
    };
    work(&search::Control::none().watched_by(&watcher).cancelled_by(is_closed))
}

fn limits(board: &Board, memory: Option<usize>) -> Limits {
    let memory = Some(memory.unwrap_or(MEMORY));
    Limits { states: board.options.search.states, memory, deadline: board.timed.deadline() }
}

impl Board {
    fn answered(&self, mut answers: Vec<Answer>) {
        // Whoever has another turn may know more then.
        answers.retain(|answer| {
            !matches!(answer.verdict, Verdict::Unknown(_)) || !self.timed.has_another_turn()
        });
        for answer in &answers {
            // Reasons that come later are no news.
            if !self.facts().decided.contains_key(&answer.question) {
                let word = answer.verdict.word();
                self.timed.supervisor.tell(Event::Answered(answer.question.clone(), word));
            }
        }
        self.update(|facts| {
            let seconds = self.elapsed().as_secs_f64();
            for answer in answers {
                facts.decided.entry(answer.question.clone()).or_insert(seconds);
                facts.add_answer(answer);
            }
        });
    }

    fn is_closed(&self, flag: &AtomicBool) -> bool {
        flag.load(std::sync::atomic::Ordering::Relaxed)
    }
}
