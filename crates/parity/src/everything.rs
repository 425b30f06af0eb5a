//! Every comparison on every model: `parity all`.
//!
//! A comparison asks one question of two who must agree, on one model, and says how much it compared and what cannot both be true. Those
//! within this program are asked about every model; SPIN, which takes a hundred times as long, about some of them. What contradicts
//! is made small with that comparison alone.

use crate::campaign;
use crate::dependencies;
use crate::engines;
use crate::fair_reference;
use crate::formulas;
use crate::generate::{self, tree::ModelTree};
use crate::graph::Comparison as WithSpin;
use crate::input;
use crate::plain::{Plain, Unsuitable};
use crate::reference::{self, Exploration, Extent};
use crate::shrink::shrink;
use crate::soundness;
use crate::spin::Compiler;
use crate::verdicts;
use certificate::trace::{replay, violations_at_end};
use certificate::verdict::{Capacities as ProofCapacities, ProgressReading, StopReason, Verdict};
use omega::Fairness;
use promela::model::{Expr, ProctypeId};
use search::fair::{
    Counters, FairOptions, FairReport, Method, Numbers, Patience, ProcessNumber, Property, check_formula,
    with_processes,
};
use search::{
    Cause, Control, Disk, ErrorPolicy, Outcome, Properties, Reduction, SearchOptions, SearchReport, Steps,
};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use system::automaton::{Action, AutomatonId, LocationId, System};
use system::code::slice::without_what_nobody_needs;
use system::interpreter::{Capacities, Interpreter};
use verify::{CheckOptions, Question, Questions, check};

/// Most states of the plain graph; larger models are asked only what a part of the states can answer.
const MOST_STATES: usize = 600;
/// Most states of a model whose formulas are decided by trying every set of processes.
const MOST_FAIR_STATES: usize = 120;
/// Most states of each exploration that proofs are held against.
const MOST_PROOF_STATES: usize = 400;
/// What an engine may take that should need a moment: limits of states end it, and on a busy machine an answer that comes late is not another answer.
const TIME: Duration = Duration::from_secs(120);

/// A comparison that takes longer, in seconds, is told of.
const SLOW: f64 = 10.0;

/// What one comparison found on one model.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// How many answers were compared.
    pub compared: u64,
    /// What cannot both be true, a sentence each.
    pub contradictions: Vec<String>,
}

/// A question that two must answer alike.
#[derive(Clone, Copy)]
pub struct Comparison {
    /// As it is shown.
    pub name: &'static str,
    /// Which models it is asked about.
    models: Models,
    ask: fn(&Case<'_>) -> Finding,
}

/// Where the models of a comparison come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Models {
    /// [`generate::everywhere`]
    Everywhere,
    /// [`generate::uncounted`]
    Uncounted,
    /// [`generate::everywhere`], if SPIN can be asked about it.
    Spin,
}

/// All comparisons, the cheap ones first.
pub const COMPARISONS: [Comparison; 16] = [
    Comparison { name: "engine and reference", models: Models::Everywhere, ask: engine_and_reference },
    Comparison { name: "two threads and one", models: Models::Everywhere, ask: two_threads_and_one },
    Comparison { name: "steps", models: Models::Everywhere, ask: steps_remembered_and_executed },
    Comparison { name: "disk and memory", models: Models::Everywhere, ask: disk_and_memory },
    Comparison { name: "reduced and full", models: Models::Everywhere, ask: reduced_and_full },
    Comparison { name: "slice and whole", models: Models::Everywhere, ask: slice_and_whole },
    Comparison { name: "cycles", models: Models::Everywhere, ask: cycles },
    Comparison { name: "formulas", models: Models::Everywhere, ask: formulas_about_all_runs },
    Comparison { name: "fairness and counters", models: Models::Everywhere, ask: fairness_and_counters },
    Comparison { name: "portfolio", models: Models::Everywhere, ask: portfolio },
    Comparison { name: "bounds and progress", models: Models::Everywhere, ask: bounds_and_progress },
    Comparison { name: "dependencies", models: Models::Everywhere, ask: cycle_dependencies },
    Comparison { name: "any number", models: Models::Uncounted, ask: any_number },
    Comparison { name: "SPIN: graph, automata, cycles", models: Models::Spin, ask: spin_graph },
    Comparison { name: "SPIN: verdicts", models: Models::Spin, ask: spin_verdicts },
    Comparison { name: "SPIN: formulas", models: Models::Spin, ask: spin_formulas },
];

/// What a run of `parity all` does.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How many seeds.
    pub count: u64,
    /// The first of them.
    pub seed: u64,
    /// Every so many models SPIN is asked too; 0 for never.
    pub spin_every: u64,
    /// How many models at a time.
    pub threads: usize,
    /// Only comparisons whose name contains this.
    pub only: Option<String>,
    /// Stop after so many contradictions.
    pub most_contradictions: usize,
}

/// A contradiction, made small.
#[derive(Clone, Debug)]
pub struct Contradiction {
    /// Of the model.
    pub seed: u64,
    /// Which comparison.
    pub comparison: &'static str,
    /// What cannot both be true, of the model as it was.
    pub sentences: Vec<String>,
    /// The small model, and what it still contradicts.
    pub small: (String, Vec<String>),
}

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Models that were read.
    pub models: u64,
    /// Models that are not read, by the code of the error.
    pub refused: BTreeMap<String, u64>,
    /// For each comparison: models with something to compare, answers compared, seconds.
    pub by_comparison: BTreeMap<&'static str, (u64, u64, f64)>,
    /// What contradicts.
    pub contradictions: Vec<Contradiction>,
}

/// Asks everything. `tell` hears of each contradiction, and every so often where the work is.
pub fn run(plan: &Plan, tell: &(dyn Fn(&str) + Sync)) -> Tally {
    let next = AtomicU64::new(0);
    let tally = Mutex::new(Tally::default());
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..plan.threads.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let enough = lock(&tally).contradictions.len() >= plan.most_contradictions;
                    if index >= plan.count || enough {
                        break;
                    }
                    one_seed(plan, plan.seed + index, index, &tally, tell);
                    if (index + 1).is_multiple_of(1_000) {
                        let rate = (index + 1) as f64 / started.elapsed().as_secs_f64();
                        let done = index + 1;
                        let found = lock(&tally).contradictions.len();
                        tell(&format!(
                            "{done} of {} seeds, {rate:.1} a second, {found} contradictions",
                            plan.count
                        ));
                    }
                }
            });
        }
    });
    tally.into_inner().unwrap_or_else(|e| e.into_inner())
}

fn one_seed(plan: &Plan, seed: u64, index: u64, tally: &Mutex<Tally>, tell: &(dyn Fn(&str) + Sync)) {
    let asks_spin = plan.spin_every > 0 && index.is_multiple_of(plan.spin_every);
    let is_wanted = |c: &&Comparison| plan.only.as_ref().is_none_or(|only| c.name.contains(only.as_str()));
    for models in [Models::Everywhere, Models::Uncounted] {
        let model = match models {
            Models::Everywhere | Models::Spin => generate::everywhere(seed),
            Models::Uncounted => generate::uncounted(seed),
        };
        let is_asked = |c: &&Comparison| {
            let spin = models == Models::Everywhere && asks_spin && !model.beyond_spin;
            c.models == models || c.models == Models::Spin && spin
        };
        let asked: Vec<&Comparison> = COMPARISONS.iter().filter(is_wanted).filter(is_asked).collect();
        if asked.is_empty() {
            continue;
        }
        let text = model.text();
        let system = match input::read_text("model.pml", &text) {
            Ok(system) => system,
            Err(errors) => {
                let first = errors.first().map_or("", String::as_str);
                let code = first.split(": ").nth(1).unwrap_or(first).to_string();
                *lock(tally).refused.entry(code).or_default() += 1;
                continue;
            }
        };
        lock(tally).models += u64::from(models == Models::Everywhere);
        let case = Case::new(&model, &system);
        for comparison in asked {
            let began = Instant::now();
            let finding = comparison.judge(&case);
            let seconds = began.elapsed().as_secs_f64();
            if seconds > SLOW {
                tell(&format!("SLOW       model {seed}, {}: {seconds:.0} s", comparison.name));
            }
            {
                let mut tally = lock(tally);
                let entry = tally.by_comparison.entry(comparison.name).or_default();
                entry.0 += u64::from(finding.compared > 0);
                entry.1 += finding.compared;
                entry.2 += seconds;
            }
            if !finding.contradictions.is_empty() {
                let found = made_small(seed, comparison, &model, finding.contradictions);
                tell(&found.in_words());
                lock(tally).contradictions.push(found);
            }
        }
    }
}

fn made_small(
    seed: u64,
    comparison: &Comparison,
    model: &ModelTree,
    sentences: Vec<String>,
) -> Contradiction {
    let until = Instant::now() + Duration::from_secs(120);
    let small = shrink(model, &|candidate| {
        Instant::now() < until && !comparison.contradictions(candidate).is_empty()
    });
    let left = comparison.contradictions(&small);
    Contradiction { seed, comparison: comparison.name, sentences, small: (small.text(), left) }
}

impl Contradiction {
    /// As it is printed.
    pub fn in_words(&self) -> String {
        format!(
            "CONTRADICTION  model {}, {}: {}\nmade small: {}\n{}",
            self.seed,
            self.comparison,
            self.sentences.join("; "),
            self.small.1.join("; "),
            self.small.0
        )
    }
}

impl Comparison {
    /// The comparison with this name.
    pub fn named(name: &str) -> Option<&'static Comparison> {
        COMPARISONS.iter().find(|comparison| comparison.name == name)
    }

    /// Asks; whoever breaks down while answering contradicts.
    fn judge(&self, case: &Case<'_>) -> Finding {
        match catch_unwind(AssertUnwindSafe(|| (self.ask)(case))) {
            Ok(finding) => finding,
            Err(panic) => {
                let words = panic.downcast_ref::<String>().cloned();
                let words = words.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
                let sentence = format!("panicked: {}", words.unwrap_or_default());
                Finding { compared: 1, contradictions: vec![sentence] }
            }
        }
    }

    /// What contradicts in one model.
    pub fn contradictions(&self, model: &ModelTree) -> Vec<String> {
        match input::read_text("model.pml", &model.text()) {
            Ok(system) => self.judge(&Case::new(model, &system)).contradictions,
            Err(_) => Vec::new(),
        }
    }
}

/// A model, and what is found out about it once for all comparisons.
struct Case<'a> {
    tree: &'a ModelTree,
    system: &'a System,
    plain: OnceCell<Result<Plain<'a>, Unsuitable>>,
    explored: OnceCell<Exploration>,
    full: OnceCell<Option<SearchReport>>,
}

impl<'a> Case<'a> {
    fn new(tree: &'a ModelTree, system: &'a System) -> Case<'a> {
        let (plain, explored, full) = Default::default();
        Case { tree, system, plain, explored, full }
    }

    /// Where there are so many ways to ask and each model need not be asked in all, the way of this model.
    fn turn(&self, ways: usize) -> usize {
        self.tree.text().len() % ways
    }

    /// The plain graph.
    fn plain(&self) -> Result<&Plain<'a>, Unsuitable> {
        let made = self.plain.get_or_init(|| Plain::new(self.system, Capacities::Declared, MOST_STATES));
        made.as_ref().map_err(|&why| why)
    }

    /// What the reference counts; nothing of a model that is too large.
    fn reference(&self) -> Option<&Exploration> {
        let explored = self.explored.get_or_init(|| {
            let interpreter = Interpreter::new(self.system, Capacities::Declared);
            reference::explore(&interpreter, &limits())
        });
        (explored.extent == Extent::Complete).then_some(explored)
    }

    /// The search through everything.
    fn full(&self) -> Option<&SearchReport> {
        let report = self.full.get_or_init(|| self.search(Reduction::Full, Properties::safety()));
        report.as_ref()
    }

    /// A search for everything that is wrong; nothing if there is no initial state.
    fn search(&self, reduction: Reduction, properties: Properties) -> Option<SearchReport> {
        engines::search(self.system, reduction, properties, ErrorPolicy::All, &limits()).ok()
    }
}

impl Finding {
    fn compare<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, one: (&str, T), other: (&str, T)) {
        self.compared += 1;
        if one.1 != other.1 {
            let sentence = format!("{what}: {} {:?}, {} {:?}", one.0, one.1, other.0, other.1);
            self.contradictions.push(sentence);
        }
    }

    /// The search through everything finds the same when it works in `another` way.
    fn same_graph(&mut self, case: &Case<'_>, another: &str, change: impl Fn(&mut SearchOptions)) {
        let (Some(_), Some(usual)) = (case.reference(), case.full()) else { return };
        let mut options =
            engines::options(Reduction::Full, Properties::safety(), ErrorPolicy::All, &limits());
        change(&mut options);
        let Ok(other) = search::explore(case.system, &options, &Control::none()) else { return };
        if usual.outcome != Outcome::Complete || other.outcome != Outcome::Complete {
            return;
        }
        let counts = |report: &SearchReport| {
            let counts = report.counts;
            (counts.states, counts.matched, counts.atomic_steps)
        };
        let causes = |report: &SearchReport| -> BTreeMap<String, u64> {
            report.errors.iter().map(|group| (format!("{:?}", group.cause), group.count)).collect()
        };
        // Which states there are beside a runtime error depends on the order.
        if !has_runtime_error(usual) {
            self.compare("figures", ("usually", counts(usual)), (another, counts(&other)));
            self.compare("states", ("usually", &usual.digest), (another, &other.digest));
            self.compare("errors", ("usually", causes(usual)), (another, causes(&other)));
        }
        self.replay(case.system, &other);
    }

    /// Every run that is shown is one.
    fn replay(&mut self, system: &System, report: &SearchReport) {
        if report.outcome == Outcome::Stopped(search::StopReason::TraceNotConfirmed) {
            self.contradictions.push("a run is found that does not replay".to_string());
        }
        for group in &report.errors {
            self.compared += 1;
            let shown = match group.cause {
                Cause::Statement { assertion: false, .. } => continue,
                Cause::Statement { .. } | Cause::EventTrace { .. } => {
                    violations_at_end(system, &group.trace).map(|violations| !violations.is_empty())
                }
                _ => replay(system, &group.trace).map(|_| true),
            };
            match shown {
                Ok(true) => {}
                Ok(false) => self.contradictions.push(format!("{:?}: the run violates nothing", group.cause)),
                Err(error) => self.contradictions.push(format!("{:?}: {error}", group.cause)),
            }
        }
    }
}

fn limits() -> reference::Limits {
    reference::Limits { states: MOST_STATES as u64, time: TIME, atomic_steps: 200 }
}

fn engine_and_reference(case: &Case<'_>) -> Finding {
    let mut finding = Finding::default();
    let (Some(reference), Some(full)) = (case.reference(), case.full()) else { return finding };
    finding.compared += 1;
    finding.contradictions = engines::differences(reference, &engines::as_exploration(full));
    finding.replay(case.system, full);
    finding
}

fn two_threads_and_one(case: &Case<'_>) -> Finding {
    let mut finding = Finding::default();
    finding.same_graph(case, "two threads", |options| options.threads = 2);
    finding
}

/// With hardly any memory everything goes to the disk, which takes its time: some models only.
fn disk_and_memory(case: &Case<'_>) -> Finding {
    let mut finding = Finding::default();
    if case.turn(8) != 0 {
        return finding;
    }
    let Ok(folder) = tempfile::tempdir() else { return finding };
    finding.same_graph(case, "on disk", |options| {
        options.limits.memory = Some(1);
        options.disk = Some(Disk { folder: folder.path().to_path_buf(), resume: false });
    });
    finding
}

/// Small models are explored before a measurement says how their steps are best taken, so every way is asked for by name.
fn steps_remembered_and_executed(case: &Case<'_>) -> Finding {
    let mut finding = Finding::default();
    for steps in [Steps::Executed, Steps::Directly, Steps::ByReads, Steps::ByMasks, Steps::ByVariables] {
        finding.same_graph(case, &format!("{steps:?}"), |options| options.steps = steps);
    }
    finding
}

fn reduced_and_full(case: &Case<'_>) -> Finding {
    let mut finding = Finding::default();
    let (Some(_), Some(full)) = (case.reference(), case.full()) else { return finding };
    let Some(reduced) = case.search(Reduction::Reduced, Properties::safety()) else { return finding };
    finding.replay(case.system, &reduced);
    if full.outcome != Outcome::Complete || reduced.outcome != Outcome::Complete {
        return finding;
    }
    // What comes after a runtime error is no run, so which others there are depends on the order.
    finding.compare(
        "a runtime error",
        ("full", has_runtime_error(full)),
        ("reduced", has_runtime_error(&reduced)),
    );
    if has_runtime_error(full) {
        return finding;
    }
    let asserted = |report: &SearchReport| -> BTreeSet<Cause> {
        let causes = report.errors.iter().map(|group| group.cause.clone());
        causes.filter(|cause| matches!(cause, Cause::Statement { .. })).collect()
    };
    finding.compare("violated assertions", ("full", asserted(full)), ("reduced", asserted(&reduced)));
    let (of_full, of_reduced) = (Deadlocks::of(case.system, full), Deadlocks::of(case.system, &reduced));
    finding.compare(
        "where processes stand in deadlock",
        ("full", of_full.places.keys().collect::<Vec<_>>()),
        ("reduced", of_reduced.places.keys().collect()),
    );
    if !of_full.some_have_ended {
        let counts = |deadlocks: &Deadlocks| deadlocks.places.clone();
        finding.compare("states that deadlock", ("full", counts(&of_full)), ("reduced", counts(&of_reduced)));
    }
    let traced =
        |report: &SearchReport| report.errors.iter().any(|g| matches!(g.cause, Cause::EventTrace { .. }));
    finding.compare("a violated trace", ("full", traced(full)), ("reduced", traced(&reduced)));
    finding.compare(
        "no more states",
        ("reduced", reduced.counts.states <= full.counts.states),
        ("expected", true),
    );
    finding
}

/// The system without what decides nothing goes the same ways: the same errors, the same places, channels as full as before; and with
/// what a formula looks at, the same verdict on it, fairly or not.
fn slice_and_whole(case: &Case<'_>) -> Finding {
    let mut finding = Finding::default();
    let (Some(_), Some(whole)) = (case.reference(), case.full()) else { return finding };
    let options = engines::options(Reduction::Full, Properties::safety(), ErrorPolicy::All, &limits());
    let options = SearchOptions { slice: true, ..options };
    let Ok(slice) = search::explore(case.system, &options, &Control::none()) else { return finding };
    if slice.sliced && whole.outcome == Outcome::Complete {
        finding.replay(case.system, &slice);
        let causes = |report: &SearchReport| -> BTreeSet<Cause> {
            report.errors.iter().map(|group| group.cause.clone()).collect()
        };
        finding.compare("errors", ("whole", causes(whole)), ("slice", causes(&slice)));
        finding.compare("peaks", ("whole", &whole.channels), ("slice", &slice.channels));
        finding.compare("never executed", ("whole", &whole.unreached), ("slice", &slice.unreached));
    }
    let Ok(plain) = case.plain() else { return finding };
    let plain_slice = |expressions: &[&Expr]| without_what_nobody_needs(case.system, expressions);
    if let Some(slice) = plain_slice(&[])
        && let Ok(slice) = Plain::new(&slice.system, Capacities::Declared, MOST_STATES)
    {
        let accepts = (plain.has_acceptance_cycle(), slice.has_acceptance_cycle());
        finding.compare("acceptance cycles", ("whole", accepts.0), ("slice", accepts.1));
        for reading in [ProgressReading::State, ProgressReading::Transition] {
            let stalls = |plain: &Plain<'_>| plain.has_loop_without_progress(reading);
            let what = format!("loops without progress, {reading:?}");
            finding.compare(&what, ("whole", stalls(plain)), ("slice", stalls(&slice)));
        }
    }
    for formula in &case.system.model.formulas {
        let propositions = Property::new(&formula.formula).propositions;
        let Some(slice) = plain_slice(&propositions.iter().collect::<Vec<&Expr>>()) else { continue };
        let Ok(slice) = Plain::new(&slice.system, Capacities::Declared, MOST_STATES) else { continue };
        let violated = |plain: &Plain<'_>, fairness| plain.product(&formula.formula)?.is_violated(fairness);
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            if fairness != Fairness::None && plain.states.len() > MOST_FAIR_STATES {
                continue;
            }
            let what = format!("{} violated, fairness {fairness:?}", formula.name);
            let verdicts = (violated(plain, fairness), violated(&slice, fairness));
            finding.compare(&what, ("whole", verdicts.0), ("slice", verdicts.1));
        }
    }
    finding
}

/// Where processes that have not ended stand in states that deadlock, and how many states each is.
///
/// A process that can only end may do so earlier when reduced. So where some have ended and wait for younger ones to die first,
/// one state stands for several; where none has, all states are there.
struct Deadlocks {
    places: BTreeMap<Vec<(AutomatonId, LocationId)>, u64>,
    some_have_ended: bool,
}

impl Deadlocks {
    fn of(system: &System, report: &SearchReport) -> Deadlocks {
        let has_ended = |&(automaton, location): &(AutomatonId, LocationId)| {
            let mut edges = system.automaton(automaton).edges_from(location);
            edges.any(|(_, edge)| edge.action == Action::End)
        };
        let mut deadlocks = Deadlocks { places: BTreeMap::new(), some_have_ended: false };
        for group in &report.errors {
            if let Cause::InvalidEndState { locations } = &group.cause {
                deadlocks.some_have_ended |= locations.iter().any(has_ended);
                let living = locations.iter().filter(|place| !has_ended(place)).copied().collect();
                *deadlocks.places.entry(living).or_default() += group.count;
            }
        }
        deadlocks
    }
}

fn has_runtime_error(report: &SearchReport) -> bool {
    report.errors.iter().any(|group| matches!(group.cause, Cause::Statement { assertion: false, .. }))
}

fn cycles(case: &Case<'_>) -> Finding {
    let mut finding = Finding::default();
    let Ok(plain) = case.plain() else { return finding };
    let progress = |reading| Properties { non_progress: Some(reading), ..Properties::none() };
    let questions = [
        ("acceptance", plain.has_acceptance_cycle(), Properties { acceptance: true, ..Properties::none() }),
        (
            "no progress by state",
            plain.has_loop_without_progress(ProgressReading::State),
            progress(ProgressReading::State),
        ),
        (
            "no progress by transition",
            plain.has_loop_without_progress(ProgressReading::Transition),
            progress(ProgressReading::Transition),
        ),
    ];
    for (what, truth, properties) in questions {
        for reduction in [Reduction::Full, Reduction::Reduced] {
            let Some(report) = case.search(reduction, properties) else { continue };
            finding.replay(case.system, &report);
            let found = report
                .errors
                .iter()
                .any(|g| matches!(g.cause, Cause::AcceptanceCycle | Cause::NonProgressCycle));
            if found || report.outcome == Outcome::Complete {
                let who = if reduction == Reduction::Full { "full" } else { "reduced" };
                finding.compare(what, (who, found), ("plain graph", truth));
            }
        }
    }
    finding
}

/// The verdict as "it is violated"; nothing if there is none, which is a contradiction if a run was found that is none.
fn heard(finding: &mut Finding, what: &str, system: &System, report: &FairReport) -> Option<bool> {
    match &report.verdict {
        Verdict::Proved(_) => Some(false),
        Verdict::Violated(found) => {
            let instance = with_processes(system, &found.processes);
            if let Err(error) = replay(&instance, &found.trace) {
                finding.contradictions.push(format!("{what}: {error}"));
            }
            Some(true)
        }
        Verdict::Unknown(unknown) => {
            if matches!(unknown.reason, StopReason::ReplayFailed { .. }) {
                finding.contradictions.push(format!("{what}: {unknown:?}"));
            }
            None
        }
    }
}

fn fair_options() -> FairOptions {
    let limits =
        search::Limits { states: Some(1_500), memory: Some(1 << 30), deadline: Some(Instant::now() + TIME) };
    FairOptions { limits, diagnose: false, ..FairOptions::default() }
}

fn formulas_about_all_runs(case: &Case<'_>) -> Finding {
    let mut finding = Finding::default();
    let Ok(plain) = case.plain() else { return finding };
    for formula in &case.system.model.formulas {
        let Some(truth) = plain.product(&formula.formula).and_then(|p| p.is_violated(Fairness::None)) else {
            continue;
        };
        for (method, reduction, patience) in [
            (Method::Computed, Reduction::Full, Patience::Straight),
            (Method::Remembered, Reduction::Full, Patience::Straight),
            (Method::Remembered, Reduction::Reduced, Patience::Straight),
            (Method::Remembered, Reduction::Reduced, Patience::ShortSearchesFirst),
        ] {
            let options =
                FairOptions { method, reduction, patience, counters: Counters::Off, ..fair_options() };
            let report = check_formula(case.system, formula, &options, &Control::none());
            let what = format!("{} {method:?} {reduction:?} {patience:?}", formula.name);
            if let Some(found) = heard(&mut finding, &what, case.system, &report) {
                finding.compare(&what, ("violated", found), ("plain graph", truth));
            }
        }
    }
    finding
}

fn fairness_and_counters(case: &Case<'_>) -> Finding {
    let plain = match case.plain() {
        Ok(plain) if plain.states.len() <= MOST_FAIR_STATES => plain,
        _ => return Finding::default(),
    };
    let agreement = fair_reference::compare_with(case.system, plain);
    Finding { compared: agreement.compared, contradictions: agreement.differences }
}

/// What the portfolio says to everything at once, with the buffers as declared; in one reading of progress or the other.
fn portfolio(case: &Case<'_>) -> Finding {
    let mut finding = Finding::default();
    let Some(full) = case.full().filter(|full| full.outcome == Outcome::Complete) else { return finding };
    let plain = case.plain().ok();
    let is = |wanted: fn(&Cause) -> bool| Some(full.errors.iter().any(|group| wanted(&group.cause)));
    let runtime_error = has_runtime_error(full);
    let progress = [ProgressReading::State, ProgressReading::Transition][case.turn(2)];
    let options = CheckOptions {
        questions: Questions { buffers: false, ..Questions::all() },
        proof_capacities: ProofCapacities::Declared,
        progress,
        time: Some(soundness::TIME),
        budgets: budgets(),
        search: soundness::SHORT_SEARCH,
        ..CheckOptions::default()
    };
    for answer in &check(case.system, &options, &verify::Supervisor::none()).answers {
        let truth = match &answer.question {
            Question::RuntimeErrors => Some(runtime_error),
            // Which other errors there are beside a runtime error depends on what comes after it.
            _ if runtime_error => None,
            Question::Deadlock => is(|cause| matches!(cause, Cause::InvalidEndState { .. })),
            Question::Assertions => is(|cause| matches!(cause, Cause::Statement { assertion: true, .. })),
            Question::EventTrace => is(|cause| matches!(cause, Cause::EventTrace { .. })),
            Question::AcceptanceCycles => plain.map(Plain::has_acceptance_cycle),
            Question::Progress => plain.map(|plain| plain.has_loop_without_progress(progress)),
            Question::Formula(name) => {
                let formula = case.system.model.formulas.iter().find(|formula| formula.name == *name);
                plain
                    .zip(formula)
                    .and_then(|(plain, formula)| plain.product(&formula.formula))
                    .and_then(|product| product.is_violated(Fairness::None))
            }
            _ => None,
        };
        let what = format!("{} ({progress:?})", answer.question);
        let said = match &answer.verdict {
            Verdict::Proved(_) => false,
            Verdict::Violated(_) => true,
            Verdict::Unknown(unknown) => {
                if is_a_defect(&unknown.reason) {
                    finding.contradictions.push(format!("{what}: {unknown:?}"));
                }
                continue;
            }
        };
        if let Some(truth) = truth {
            finding.compare(&what, ("violated", said), ("plain graph", truth));
        }
    }
    finding
}

/// An answer was found and did not pass its own check.
pub(crate) fn is_a_defect(reason: &StopReason) -> bool {
    matches!(reason, StopReason::ReplayFailed { .. } | StopReason::CertificateRefused { .. })
}

fn budgets() -> proofs::Budgets {
    proofs::Budgets { refinements: 2, nodes: 500, ..proofs::Budgets::default() }
}

fn bounds_and_progress(case: &Case<'_>) -> Finding {
    let reading = soundness::ALL_READINGS[case.turn(4)];
    soundness::judge(case.system, MOST_PROOF_STATES, &budgets(), reading)
}

fn cycle_dependencies(case: &Case<'_>) -> Finding {
    let mut finding = Finding::default();
    for capacities in [Capacities::Declared, Capacities::Fixed(1)] {
        if let Ok(tries) = dependencies::try_dependencies(case.system, capacities, MOST_PROOF_STATES) {
            finding.compared += tries.tried as u64;
            finding.contradictions.extend(tries.refuted);
        }
    }
    finding
}

/// What is said of any number of processes of a proctype, held against one to seven of them.
fn any_number(case: &Case<'_>) -> Finding {
    let mut finding = Finding::default();
    let system = case.system;
    for formula in &system.model.formulas {
        let fairness = [Fairness::None, Fairness::Weak, Fairness::Strong][case.turn(3)];
        let ask = |number: Numbers, counters: Counters| {
            let processes = vec![ProcessNumber { proctype: ProctypeId(0), number }];
            let options = FairOptions { fairness, counters, processes, ..fair_options() };
            check_formula(system, formula, &options, &Control::none())
        };
        let of_any = format!("{} {fairness:?} for any number", formula.name);
        let report = ask(Numbers::Any, Counters::Auto);
        let any = heard(&mut finding, &of_any, system, &report);
        if let Verdict::Violated(found) = &report.verdict {
            let number = found.processes.iter().find(|(id, _)| *id == ProctypeId(0)).map(|(_, n)| *n);
            finding.compared += 1;
            if let Some(number) = number {
                let what = format!("{} {fairness:?} for {number}", formula.name);
                let one = ask(Numbers::Exactly(number), Counters::Off);
                if heard(&mut finding, &what, system, &one) == Some(false) {
                    finding.contradictions.push(format!("{what}: proved, and violated for any number"));
                }
            }
        }
        // The small numbers for each model, the larger ones by turns.
        for number in [1, 2, 3, 4 + case.turn(4) as u32] {
            let what = format!("{} {fairness:?} for {number}", formula.name);
            let counted = heard(&mut finding, &what, system, &ask(Numbers::Exactly(number), Counters::On));
            let named = if number <= 2 {
                heard(&mut finding, &what, system, &ask(Numbers::Exactly(number), Counters::Off))
            } else {
                None
            };
            if let (Some(counted), Some(named)) = (counted, named) {
                finding.compare(&what, ("violated when counted", counted), ("when named", named));
            }
            if let (Some(false), Some(one)) = (any, counted.or(named)) {
                finding.compare(&what, ("violated", one), ("for any number", false));
            }
        }
    }
    finding
}

fn spin_graph(case: &Case<'_>) -> Finding {
    let plain_tree = ModelTree { formulas: Vec::new(), ..case.tree.clone() };
    match campaign::compare_model(&plain_tree, Compiler::Quick) {
        WithSpin::Equal { .. } | WithSpin::EqualRuntimeError => {
            Finding { compared: 1, contradictions: Vec::new() }
        }
        WithSpin::Different(contradictions) => Finding { compared: 1, contradictions },
        WithSpin::NotCompared(_) => Finding::default(),
    }
}

fn spin_verdicts(case: &Case<'_>) -> Finding {
    let plain_tree = ModelTree { formulas: Vec::new(), ..case.tree.clone() };
    let pairs = verdicts::compare_model(&plain_tree, Compiler::Quick);
    let compared = pairs.iter().filter(|pair| pair.is_decided()).count() as u64;
    Finding { compared, contradictions: verdicts::contradictions(&pairs) }
}

fn spin_formulas(case: &Case<'_>) -> Finding {
    // SPIN's verifier does not keep assertions and `accept…` labels apart from what a formula says.
    let text = case.tree.text();
    if text.contains("assert") || text.contains("accept") {
        return Finding::default();
    }
    let one = formulas::compare_model(case.tree, Compiler::Quick);
    Finding { compared: one.pairs, contradictions: one.differences }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}
