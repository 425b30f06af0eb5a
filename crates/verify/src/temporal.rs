//! Formulas, never claims and acceptance labels.

use crate::answer::{
    Answer, AnyNumber, Counterexample, Figures, Question, Reading, Searched, with_formula_alone,
};
use crate::options::CheckOptions;
use crate::safety::stop_reason;
use crate::stages::FIRST_LOOK;
use crate::supervisor::{Event, Timed, half_way};
use crate::{buffers, every_capacity, progress, words};
use certificate::Certificate;
use certificate::prefix::judge_prefix;
use certificate::pump::ConfirmedPump;
use certificate::verdict::{Evidence, Fairness, StopReason, Unknown, Verdict};
use promela::model::{Expr, LtlFormula, ProctypeId};
use search::fair::{self, Counters, FairOptions, FairReport, Property, Representation};
use search::monitor::Monitor;
use search::{
    Cause, Engine, ErrorGroup, ErrorPolicy, Limits, Outcome, Properties, Reduction, SearchOptions,
    SearchReport,
};
use std::sync::Arc;
use system::automaton::{Action, System};
use system::capacities::{Capacities, CapacityReading};
use system::code::slice::without_what_nobody_needs;
use system::interpreter::RuntimeError;

/// The formulas that are asked for.
pub fn formulas<'s>(system: &'s System, options: &CheckOptions) -> Vec<&'s LtlFormula> {
    let wanted = |formula: &&LtlFormula| options.questions.formulas.includes(&formula.name);
    system.model.formulas.iter().filter(wanted).collect()
}

/// What is asked for and cannot be understood has no answer.
pub fn refused(system: &System, options: &CheckOptions) -> Vec<Answer> {
    let refused = system.model.refused_formulas.iter();
    let asked = refused.filter(|formula| options.questions.formulas.includes(&formula.name));
    asked
        .map(|formula| {
            let reading = Reading {
                capacities: options.formula_capacities,
                progress: None,
                fairness: Some(options.fairness),
            };
            let line = system.model.sources.line_column(system.model.sources.visible_span(formula.span)).line;
            let reason = StopReason::Unsupported { what: format!("the formula in line {line} is refused") };
            Answer::unknown(Question::Formula(formula.name.clone()), reading, reason, formula.why.as_str())
        })
        .collect()
}

/// Does every run satisfy the formula? `is_decided`: somebody else has found out. `answered` is told of the answer before its reasons are looked for,
/// and comes back when it is time for that.
pub fn formula(
    system: &System,
    options: &CheckOptions,
    formula: &LtlFormula,
    control: &Timed,
    is_decided: &(dyn Fn() -> bool + Sync),
    answered: &dyn Fn(Answer),
) -> Answer {
    let alone = (system.model.formulas.len() > 1)
        .then(|| with_formula_alone(system, &formula.name))
        .filter(|alone| alone.fingerprint() != system.fingerprint());
    let left = alone.is_some().then(|| formula.name.clone());
    let system = alone.as_ref().unwrap_or(system);
    let subject = Subject::Formula(formula, left);
    let mut asked = Asked { system, sliced: false, subject, options, control, is_decided };
    let Some(capacities) = options.formula_capacities.of_runs() else {
        return every_capacity::answer(&asked);
    };
    let propositions = Property::new(&formula.formula).propositions;
    let slice = without_what_nobody_needs(system, &propositions.iter().collect::<Vec<&Expr>>());
    let slice = slice.filter(|_| options.processes.is_empty());
    let decided = slice.as_ref().and_then(|slice| asked.decided_by_slice(capacities, formula, &slice.system));
    let report = match (decided, &slice) {
        (Some(Decided { report, sliced }), Some(slice)) => {
            asked = if sliced { Asked { system: &slice.system, sliced, ..asked } } else { asked };
            report
        }
        _ => asked.without_reasons(capacities, formula, None),
    };
    if matches!(report.verdict, Verdict::Unknown(_)) {
        return asked.answer(report, capacities);
    }
    answered(asked.answer(report.clone(), capacities));
    // What is decided is no reason to stop.
    let asked = Asked { is_decided: &|| false, ..asked };
    asked.answer(asked.with_reasons(capacities, formula, report), capacities)
}

/// What is known of runs that end in a runtime error: a proof by potentials does not speak of them, and a formula has no value there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RuntimeErrors {
    /// There are none, whatever the capacities.
    Excluded,
    /// None was met.
    Perhaps,
    /// There is one: this error.
    Met(String),
}

/// A run in which buffers grow for ever and that does not satisfy a formula.
pub fn by_pump(options: &CheckOptions, name: &str, pump: &ConfirmedPump) -> Answer {
    let fairness = Some(options.fairness);
    let reading = Reading { capacities: CapacityReading::Unbounded, progress: None, fairness };
    let count = pump.trace.steps.len().saturating_sub(pump.repeat_from);
    let meaning =
        format!("a run that repeats {} for ever, filling buffers, does not satisfy it", words::steps(count));
    let verdict = Verdict::Violated(buffers::counterexample(pump));
    Answer::new(Question::Formula(name.to_string()), verdict, reading, meaning)
}

/// What potentials say about a formula.
pub fn by_potentials(
    options: &CheckOptions,
    name: &str,
    proof: Option<(Arc<Certificate>, RuntimeErrors)>,
    stopped: proofs::Stopped,
) -> Answer {
    let question = Question::Formula(name.to_string());
    let fairness = Some(options.fairness);
    let reading = Reading { capacities: CapacityReading::Any, progress: None, fairness };
    let refined = match stopped.refinements.is_empty() {
        true => None,
        false => Some(format!("refined: {}", stopped.refinements.join("; "))),
    };
    let unknown = |reason: StopReason| {
        let unknown = Unknown { reason, findings: stopped.findings.clone() };
        let meaning = "neither a proof nor a run against it was found";
        Answer::new(question.clone(), Verdict::Unknown(unknown), reading, meaning)
    };
    let (certificate, meaning) = match proof {
        None => return unknown(stopped.reason.clone()),
        Some((_, RuntimeErrors::Met(error))) => {
            let what = format!("a run that ends in an error: {error}");
            return unknown(StopReason::Unsupported { what });
        }
        Some((certificate, errors)) => {
            let of = match certificate.any_number.is_empty() {
                true => String::new(),
                false => format!(" of any number of {}", certificate.any_number.join(" and ")),
            };
            let unless = match errors {
                RuntimeErrors::Excluded => "",
                _ => ", unless it ends in a runtime error",
            };
            (certificate, format!("{}{of} satisfies it{unless}", runs(options)))
        }
    };
    let proctypes = certificate.any_number.clone();
    let evidence = Evidence::Certificate(certificate);
    let mut answer = Answer::new(question, Verdict::Proved(evidence), reading, meaning);
    answer.any_number = (!proctypes.is_empty()).then_some(AnyNumber { proctypes, together_at_most: None });
    answer.details.extend(refined);
    answer
}

/// Does every fair run that goes on for ever make progress again and again? `is_decided`: somebody else has found out.
pub fn fair_progress(
    system: &System,
    options: &CheckOptions,
    control: &Timed,
    is_decided: &(dyn Fn() -> bool + Sync),
) -> Answer {
    let capacities = CapacityReading::from(options.proof_capacities);
    let asked = Asked { system, sliced: false, subject: Subject::Progress, options, control, is_decided };
    match capacities.of_runs() {
        Some(capacities) => asked.answer(asked.search(capacities, options.search.states), capacities),
        None => every_capacity::answer(&asked),
    }
}

/// What all runs that count must do.
pub enum Subject<'q> {
    /// Satisfy the formula; its name, if the model's others were left out.
    Formula(&'q LtlFormula, Option<String>),
    /// Make progress again and again if they go on for ever.
    Progress,
}

/// A question about all runs that count, with all that it takes to ask it.
pub struct Asked<'q> {
    /// The model.
    pub system: &'q System,
    /// Whether that is the model without what decides nothing.
    pub sliced: bool,
    /// What is asked.
    pub subject: Subject<'q>,
    /// What else was asked for.
    pub options: &'q CheckOptions,
    /// When to stop.
    pub control: &'q Timed,
    /// Whether somebody else has found out.
    pub is_decided: &'q (dyn Fn() -> bool + Sync),
}

/// A report that decides, and whether it is of the model without what decides nothing.
struct Decided {
    report: FairReport,
    sliced: bool,
}

impl Asked<'_> {
    /// The verdict on a formula alone, within limits that may be narrower than those that were asked for.
    fn without_reasons(
        &self,
        capacities: Capacities,
        formula: &LtlFormula,
        narrower: Option<Limits>,
    ) -> FairReport {
        asked_fairly(&self.question(), self.options, self.control, self.is_decided, |options, control| {
            let limits = narrower.unwrap_or(options.limits);
            let options = FairOptions { capacities, limits, diagnose: false, ..options.clone() };
            fair::check_formula(self.system, formula, &options, control)
        })
    }

    /// A first look at the model; if that does not decide, an answer by its slice, in half of the time. A run of the slice that does not satisfy the
    /// formula may go round where the model's does not, so such runs are looked for in the model; but a finite run of the slice is one of the model.
    fn decided_by_slice(
        &self,
        capacities: Capacities,
        formula: &LtlFormula,
        slice: &System,
    ) -> Option<Decided> {
        let (memory, deadline) = (self.options.memory, self.control.deadline());
        let states = self.options.search.states;
        let most = Some(states.map_or(FIRST_LOOK, |most| most.min(FIRST_LOOK)));
        let first =
            self.without_reasons(capacities, formula, Some(Limits { states: most, memory, deadline }));
        match &first.verdict {
            Verdict::Unknown(Unknown { reason: StopReason::StateLimit { .. }, .. }) => {}
            _ => return Some(Decided { report: first, sliced: false }),
        }
        let limits = Limits { states, memory, deadline: half_way(deadline) };
        let subject = Subject::Formula(formula, None);
        let asked = Asked { system: slice, sliced: true, subject, ..*self };
        let mut report = asked.without_reasons(capacities, formula, Some(limits));
        match &mut report.verdict {
            Verdict::Proved(_) => Some(Decided { report, sliced: true }),
            Verdict::Violated(found) if found.trace.loop_start.is_none() => {
                found.trace.model = self.system.fingerprint().to_string();
                let holds = judge_prefix(self.system, &formula.name, &found.trace).is_ok();
                holds.then_some(Decided { report, sliced: false })
            }
            Verdict::Violated(_) | Verdict::Unknown(_) => None,
        }
    }

    /// The same verdict, with its reasons.
    fn with_reasons(&self, capacities: Capacities, formula: &LtlFormula, report: FairReport) -> FairReport {
        asked_fairly(&self.question(), self.options, self.control, self.is_decided, |options, control| {
            let options = FairOptions { capacities, ..options.clone() };
            fair::diagnose_formula(self.system, formula, report, &options, control)
        })
    }

    /// The question.
    pub fn question(&self) -> Question {
        match self.subject {
            Subject::Formula(formula, _) => Question::Formula(formula.name.clone()),
            Subject::Progress => Question::Progress,
        }
    }

    /// For these capacities, and for the runs that count.
    pub fn reading(&self, capacities: CapacityReading) -> Reading {
        let progress = match self.subject {
            Subject::Formula(..) => None,
            Subject::Progress => Some(self.options.progress),
        };
        Reading { capacities, progress, fairness: Some(self.options.fairness) }
    }

    /// Searches the model with buffers of one size, up to so many states.
    pub fn search(&self, capacities: Capacities, states: Option<u64>) -> FairReport {
        self.search_in(self.system, capacities, states)
    }

    /// The same of a variant of the model.
    pub fn search_in(&self, system: &System, capacities: Capacities, states: Option<u64>) -> FairReport {
        let (options, decided) = (self.options, self.is_decided);
        asked_fairly(&self.question(), options, self.control, decided, |fair_options, control| {
            let limits = Limits { states, ..fair_options.limits };
            let fair_options = FairOptions { capacities, limits, ..fair_options.clone() };
            match self.subject {
                Subject::Formula(formula, _) => fair::check_formula(system, formula, &fair_options, control),
                Subject::Progress => {
                    let CheckOptions { progress, progress_at, .. } = self.options;
                    fair::check_progress(system, progress_at, *progress, &fair_options, control)
                }
            }
        })
    }

    /// The answer that a search with these capacities gives.
    pub fn answer(&self, report: FairReport, capacities: Capacities) -> Answer {
        let (meaning, left) = match &self.subject {
            Subject::Formula(_, left) => (meaning(self.system, self.options, &report), left.clone()),
            Subject::Progress => (meaning_of_progress(self.system, self.options, &report), None),
        };
        let reading = self.reading(capacities.into());
        let mut answer =
            answer_of(self.system, self.options, self.question(), reading, meaning, report, left);
        if let Some(figures) = &mut answer.figures {
            figures.sliced = self.sliced;
        }
        answer
    }
}

/// Asks the engine that knows fairness and counters.
fn asked_fairly(
    question: &Question,
    options: &CheckOptions,
    control: &Timed,
    is_decided: &(dyn Fn() -> bool + Sync),
    ask: impl FnOnce(&FairOptions, &search::Control<'_>) -> FairReport,
) -> FairReport {
    let fair_options = FairOptions {
        fairness: fairness(options.fairness),
        capacities: options.capacities,
        limits: Limits {
            states: options.search.states,
            memory: options.memory,
            deadline: control.deadline(),
        },
        counters: options.counters,
        processes: options.processes.clone(),
        cutoff: options.cutoff,
        ..FairOptions::default()
    };
    let watcher =
        |progress: search::Status| control.supervisor.tell(Event::Searching(question.clone(), progress));
    let cancelled = || control.supervisor.is_cancelled() || is_decided();
    let search_control = search::Control::none().watched_by(&watcher).cancelled_by(&cancelled);
    let mut report = ask(&fair_options, &search_control);
    if let Verdict::Unknown(unknown) = &mut report.verdict
        && unknown.reason == StopReason::Cancelled
        && let Some(reason) = control.cut_short()
    {
        // Nobody wants to know any more because the time is over.
        unknown.reason = reason;
    }
    report
}

fn answer_of(
    system: &System,
    options: &CheckOptions,
    question: Question,
    reading: Reading,
    meaning: String,
    report: FairReport,
    formula: Option<String>,
) -> Answer {
    let mut notes = notes(system, options, &report);
    let searched_as = match report.representation {
        Representation::WithFormula { reduced: true } => {
            Some(Searched::Reduced { in_full: report.in_full.map(|states| (states, None)) })
        }
        Representation::AnyNumber { .. } => Some(Searched::Abstraction),
        _ => None,
    };
    let any_number = match (&report.representation, &report.verdict) {
        (Representation::AnyNumber { proctypes, together, .. }, Verdict::Proved(_)) => Some(AnyNumber {
            proctypes: proctypes.iter().map(|&id| name_of(system, id).to_string()).collect(),
            together_at_most: *together,
        }),
        _ => None,
    };
    let verdict = match report.verdict {
        Verdict::Proved(evidence) => Verdict::Proved(evidence),
        Verdict::Violated(found) if found.processes.is_empty() && formula.is_none() => {
            let trace = found.trace;
            Verdict::Violated(match trace.loop_start {
                Some(_) => Counterexample::Lasso(trace),
                None => Counterexample::Run { trace, problem: "the formula is violated".to_string() },
            })
        }
        Verdict::Violated(found) => {
            let (trace, processes) = (found.trace, found.processes);
            Verdict::Violated(Counterexample::Instance { trace, processes, formula, rooms: Vec::new() })
        }
        Verdict::Unknown(mut unknown) => {
            match &mut unknown.reason {
                StopReason::TimeLimit { seconds } => {
                    *seconds = options.time.map_or(0, |time| time.as_secs());
                }
                StopReason::MemoryLimit { bytes } => {
                    *bytes = options.memory_limit.map_or(*bytes, |limit| limit as u64);
                }
                _ => {}
            }
            Verdict::Unknown(unknown)
        }
    };
    let mut answer = Answer::new(question, verdict, reading, meaning);
    answer.figures = Some(Figures { states: report.states, transitions: report.transitions, sliced: false });
    answer.any_number = any_number;
    answer.searched = searched_as;
    answer.notes.append(&mut notes);
    answer
}

/// What else is to be said: premises that never happen, who starves, which fairness would help, who could not be counted.
fn notes(system: &System, options: &CheckOptions, report: &FairReport) -> Vec<String> {
    let mut notes = Vec::new();
    for premise in &report.vacuous {
        notes.push(format!("holds only because `{}` never happens", premise.premise));
    }
    if let Verdict::Violated(found) = &report.verdict {
        notes.extend(starving(system, found));
    }
    notes.extend(report.remedies.chunk_by(|one, next| one.holds == next.holds).map(|alike| {
        let words = alike.iter().map(|remedy| match remedy.fairness {
            omega::Fairness::None => "no",
            omega::Fairness::Weak => "weak",
            omega::Fairness::Strong => "strong",
        });
        let fairness = words.collect::<Vec<&str>>().join(" and ");
        match alike[0].holds {
            Some(true) => format!("under {fairness} fairness it holds"),
            Some(false) => format!("under {fairness} fairness it fails too"),
            None => format!("whether it holds under {fairness} fairness was not found out"),
        }
    }));
    if report.leaves_out_crowds && matches!(report.verdict, Verdict::Proved(_)) {
        notes.push("leaves out runs that end because there are too many processes at once".to_string());
    }
    let wanted_counters = options.counters == Counters::On || !options.processes.is_empty();
    if wanted_counters {
        notes.extend(report.told_apart.iter().map(|reason| format!("not counted: {reason}")));
    }
    notes
}

/// Who could move in the loop of a counterexample and never does, in one line for each fairness that would forbid it.
fn starving(system: &System, found: &fair::Counterexample) -> Vec<String> {
    const MOST_NAMES: usize = 4;
    let name = |starving: &fair::Starving| {
        format!("{}({})", system.automata[starving.kind.0 as usize].name, starving.process.0)
    };
    let of = |fairness: omega::Fairness| -> Vec<&fair::Starving> {
        found.starving.iter().filter(|starving| starving.forbidden_by == fairness).collect()
    };
    let line = |starving: Vec<&fair::Starving>, when: &str| {
        let shown = starving.iter().take(MOST_NAMES).map(|one| name(one)).collect::<Vec<_>>().join(", ");
        let others = starving.len().saturating_sub(MOST_NAMES);
        let others = if others == 0 {
            String::new()
        } else {
            format!(" and {} others", words::grouped(others as u64))
        };
        let verb = if starving.len() == 1 { "does" } else { "do" };
        (!starving.is_empty())
            .then(|| format!("in the loop {shown}{others} could move {when} and never {verb}"))
    };
    let always = line(of(omega::Fairness::Weak), "all the time");
    let now_and_then = line(of(omega::Fairness::Strong), "now and then");
    [always, now_and_then].into_iter().flatten().collect()
}

/// What is watched for acceptance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Acceptance {
    /// The never claim with this index.
    Claim(usize),
    /// The `accept…` labels of processes.
    Labels,
}

impl Acceptance {
    /// The question that it answers.
    pub fn question(self, system: &System) -> Question {
        match self {
            Acceptance::Claim(index) => Question::Claim(system.model.claims[index].name.clone()),
            Acceptance::Labels => Question::AcceptanceCycles,
        }
    }
}

/// Never claims, and the labels of processes if there are any and no claim has a word about them.
pub fn claims(system: &System, options: &CheckOptions) -> Vec<Acceptance> {
    if !options.questions.claims {
        return Vec::new();
    }
    let mut all: Vec<Acceptance> = (0..system.model.claims.len()).map(Acceptance::Claim).collect();
    let labelled = system.process_automata().any(|(_, a)| a.locations.iter().any(|l| l.accept));
    if labelled && all.is_empty() {
        all.push(Acceptance::Labels);
    }
    all
}

/// Is there no run that the claim accepts?
pub fn claim(system: &System, options: &CheckOptions, watched: Acceptance, control: &Timed) -> Answer {
    let question = watched.question(system);
    let reading =
        Reading { capacities: options.capacities.into(), progress: None, fairness: Some(Fairness::None) };
    let fairly = options.fairness != Fairness::None || !options.processes.is_empty();
    match watched {
        Acceptance::Claim(index) if fairly => {
            let reading = Reading { fairness: Some(options.fairness), ..reading };
            let report = asked_fairly(&question, options, control, &|| false, |fair_options, control| {
                fair::check_claim(system, index, fair_options, control)
            });
            let meaning = meaning_of_claim(system, options, &report);
            return answer_of(system, options, question, reading, meaning, report, None);
        }
        Acceptance::Labels if fairly => {
            let reading = Reading { fairness: Some(options.fairness), ..reading };
            let report = asked_fairly(&question, options, control, &|| false, |fair_options, control| {
                fair::check_accept_labels(system, fair_options, control)
            });
            let meaning = meaning_of_labels(system, options, &report);
            return answer_of(system, options, question, reading, meaning, report, None);
        }
        Acceptance::Claim(_) | Acceptance::Labels => {}
    }
    let search_options = SearchOptions {
        capacities: options.capacities,
        reduction: Reduction::Full,
        properties: Properties {
            claim: match watched {
                Acceptance::Claim(index) => Some(index),
                Acceptance::Labels => None,
            },
            acceptance: true,
            ..Properties::none()
        },
        errors: ErrorPolicy::All,
        limits: Limits {
            states: options.search.states,
            memory: options.memory,
            deadline: control.deadline(),
        },
        threads: 1,
        engine: Engine::Fast,
        ..SearchOptions::full()
    };
    let asked = question.clone();
    let watcher =
        |progress: search::Status| control.supervisor.tell(Event::Searching(asked.clone(), progress));
    let cancelled = || control.supervisor.is_cancelled();
    let search_control = search::Control::none().watched_by(&watcher).cancelled_by(&cancelled);
    // What is near the beginning is found before anything else is searched.
    let monitor = match watched {
        Acceptance::Claim(index) => Monitor::of_claim(system, index),
        Acceptance::Labels => Some(Monitor::of_accept_labels()),
    };
    let nearby = Limits { states: Some(NODES_NEARBY), ..search_options.limits };
    let nearby = SearchOptions { limits: nearby, ..search_options.clone() };
    let near = monitor.and_then(|monitor| {
        let cause = Cause::AcceptanceCycle;
        search::check_monitor(system, &nearby, &search_control, &monitor, cause).ok()?.ok()?
    });
    if let Some(group) = near {
        return accepted(system, watched, question, reading, &group);
    }
    let explored = explore_labels(system, watched, &search_options, &search_control);
    let report = match explored {
        Ok(explored) => explored,
        Err(error) => {
            let what = format!("the model has no initial state: {}", error.kind);
            return Answer::unknown(question, reading, StopReason::Unsupported { what }, "not looked for");
        }
    };
    let figures = Figures::of(&report);
    let found = report
        .errors
        .iter()
        .find(|group| matches!(group.cause, Cause::AcceptanceCycle | Cause::ClaimCompleted));
    let mut answer = match found {
        Some(group) => accepted(system, watched, question, reading, group),
        // A run that ends in a runtime error might have gone on: then nothing is proved.
        None if report.outcome == Outcome::Complete && report.errors.is_empty() => {
            let evidence = Evidence::Search { states: figures.states, transitions: figures.transitions };
            let searched = match report.reduction {
                Reduction::Full => words::all_states(figures.states),
                Reduction::Reduced => {
                    format!("{} searched, {}", words::states(figures.states), words::STANDING)
                }
            };
            let meaning = match watched {
                Acceptance::Claim(_) => format!("no run satisfies it: {searched}"),
                Acceptance::Labels => {
                    format!("no run passes an accept label again and again: {searched}")
                }
            };
            let mut answer = Answer::new(question, Verdict::Proved(evidence), reading, meaning);
            answer.searched =
                (report.reduction == Reduction::Reduced).then_some(Searched::Reduced { in_full: None });
            answer
        }
        None => {
            let reason = match report.outcome {
                Outcome::Stopped(reason) => stop_reason(reason, options),
                Outcome::Complete => StopReason::Unsupported { what: "some runs end in errors".to_string() },
            };
            Answer::unknown(question, reading, reason, words::nothing_wrong(figures.states))
        }
    };
    answer.figures = Some(figures);
    answer
}

/// States up to which nothing is left out where labels of processes are asked for.
const STATES_IN_FULL: u64 = 20_000;

/// A search of all states; or, where only labels are looked at and there are many states, of some that stand for the others.
fn explore_labels(
    system: &System,
    watched: Acceptance,
    options: &SearchOptions,
    control: &search::Control<'_>,
) -> Result<SearchReport, RuntimeError> {
    let is_larger = options.limits.states.is_none_or(|limit| limit > STATES_IN_FULL);
    if watched != Acceptance::Labels || !is_larger || !search::reduction_pays(system) {
        return search::explore(system, options, control);
    }
    let limits = Limits { states: Some(STATES_IN_FULL), ..options.limits };
    let in_full = search::explore(system, &SearchOptions { limits, ..options.clone() }, control)?;
    if in_full.outcome != Outcome::Stopped(search::StopReason::States(STATES_IN_FULL)) {
        return Ok(in_full);
    }
    let reduced = SearchOptions { reduction: Reduction::Reduced, ..options.clone() };
    search::explore(system, &reduced, control)
}

/// Pairs of a state and a place of the claim that are looked at before everything else.
const NODES_NEARBY: u64 = 1 << 14;

fn accepted(
    system: &System,
    watched: Acceptance,
    question: Question,
    reading: Reading,
    group: &ErrorGroup,
) -> Answer {
    let trace = group.trace.clone();
    let count = trace.steps.len();
    let (counterexample, meaning) = match trace.loop_start {
        Some(start) => {
            let length = words::steps(count.saturating_sub(start));
            (Counterexample::Lasso(trace), format!("a run that goes round in {length} for ever is accepted"))
        }
        None => {
            let asserts = match watched {
                Acceptance::Claim(index) => {
                    let claim = system.automaton(system.claims[index]);
                    claim.edges.iter().any(|edge| matches!(edge.action, Action::Assert(_)))
                }
                Acceptance::Labels => false,
            };
            let (problem, what) = match asserts {
                false => ("the never claim is completed", "completes it"),
                true => (
                    "the never claim is completed, or an assertion inside of it fails",
                    "completes it, or fails an assertion inside of it",
                ),
            };
            let meaning = format!("{} {what}", run_of_steps(count));
            (Counterexample::Run { trace, problem: problem.to_string() }, meaning)
        }
    };
    Answer::new(question, Verdict::Violated(counterexample), reading, meaning)
}

/// The runs that count.
pub fn runs(options: &CheckOptions) -> &'static str {
    match options.fairness {
        Fairness::None => "every run",
        Fairness::Weak => "every weakly fair run",
        Fairness::Strong => "every strongly fair run",
    }
}

fn meaning(system: &System, options: &CheckOptions, report: &FairReport) -> String {
    let runs = runs(options);
    match &report.verdict {
        Verdict::Proved(_) => format!("{runs} satisfies it: {}", searched(system, report)),
        Verdict::Violated(found) if found.trace.loop_start.is_none() => {
            let run = run_of_steps(found.trace.steps.len());
            format!("{run} does not satisfy it, whatever follows")
        }
        Verdict::Violated(found) => format!("{} does not satisfy it", run_of(found)),
        Verdict::Unknown(_) => nothing_wrong(report),
    }
}

fn meaning_of_progress(system: &System, options: &CheckOptions, report: &FairReport) -> String {
    match &report.verdict {
        Verdict::Proved(_) => {
            format!("{} goes on for ever without progress: {}", no_run(options), searched(system, report))
        }
        Verdict::Violated(found) => {
            format!("{}, without progress", progress::goes_round_fairly(system, &found.trace))
        }
        Verdict::Unknown(_) => nothing_wrong(report),
    }
}

fn meaning_of_claim(system: &System, options: &CheckOptions, report: &FairReport) -> String {
    match &report.verdict {
        Verdict::Proved(_) => format!("{} satisfies it: {}", no_run(options), searched(system, report)),
        Verdict::Violated(found) => format!("{} is accepted", run_of(found)),
        Verdict::Unknown(_) => nothing_wrong(report),
    }
}

fn meaning_of_labels(system: &System, options: &CheckOptions, report: &FairReport) -> String {
    match &report.verdict {
        Verdict::Proved(_) => {
            let searched = searched(system, report);
            format!("{} passes an accept label again and again: {searched}", no_run(options))
        }
        Verdict::Violated(found) => format!("{} is accepted", run_of(found)),
        Verdict::Unknown(_) => nothing_wrong(report),
    }
}

fn no_run(options: &CheckOptions) -> &'static str {
    match options.fairness {
        Fairness::None => "no run",
        Fairness::Weak => "no weakly fair run",
        Fairness::Strong => "no strongly fair run",
    }
}

fn searched(system: &System, report: &FairReport) -> String {
    match &report.representation {
        Representation::AnyNumber { proctypes, together, beside, cutoff } => {
            let names: Vec<&str> = proctypes.iter().map(|&id| name_of(system, id)).collect();
            let beside: Vec<String> =
                beside.iter().map(|&(id, number)| format!("{number} {}", name_of(system, id))).collect();
            let limit = together.map_or(String::new(), |most| {
                let together = if names.len() > 1 { ", together" } else { "" };
                let beside = match beside.is_empty() {
                    true => String::new(),
                    false => format!(" beside the {}", beside.join(" and the ")),
                };
                format!("{together} up to {}{beside}", words::grouped(most))
            });
            let cutoff = cutoff.map_or(String::new(), |most| format!(", counted up to {most} in one place"));
            format!("for any number of {}{limit}{cutoff}", names.join(" and "))
        }
        Representation::WithFormula { reduced: false } if report.states == 1 => {
            "there is only one state of model and formula".to_string()
        }
        Representation::WithFormula { reduced: false } => {
            format!("all {} states of model and formula searched", words::grouped(report.states))
        }
        Representation::WithFormula { reduced: true } => {
            let states = words::states(report.states);
            format!("{states} of model and formula searched, {}", words::STANDING)
        }
        Representation::Explicit | Representation::Counted { .. } => words::all_states(report.states),
    }
}

fn name_of(system: &System, id: ProctypeId) -> &str {
    &system.model.proctypes[id.0 as usize].name
}

fn run_of_steps(count: usize) -> String {
    match count {
        0 => "the state at the start".to_string(),
        _ => format!("a run of {}", words::steps(count)),
    }
}

fn run_of(found: &fair::Counterexample) -> String {
    let count = found.trace.steps.len();
    let start = found.trace.loop_start.unwrap_or(count);
    if start >= count {
        format!("a run that ends {}", words::after(count))
    } else {
        format!("a run that goes round in {} for ever", words::steps(count - start))
    }
}

fn nothing_wrong(report: &FairReport) -> String {
    words::nothing_wrong(report.states)
}

/// The same word in the two crates.
pub fn fairness(fairness: Fairness) -> omega::Fairness {
    match fairness {
        Fairness::None => omega::Fairness::None,
        Fairness::Weak => omega::Fairness::Weak,
        Fairness::Strong => omega::Fairness::Strong,
    }
}
