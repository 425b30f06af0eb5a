//! One question from beginning to end.

use super::claim::{automaton_of_accept_labels, automaton_of_claim};
use super::confirm::{Requirement, confirm};
use super::explicit::ExplicitSpace;
use super::formula::Property;
use super::numbers::{any_number, at_most, many};
use super::packed::PackedSpace;
use super::path::{Executable, Execution, Run, run_through, run_to};
use super::product::{Explored, Found, Product};
use super::report::{
    Counterexample, Counters, FairOptions, FairReport, Method, Numbers, Remedy, Representation, Starving,
    VacuousPremise, with_processes,
};
use super::space::Problem;
use crate::counters::{Stuttering, symmetry};
use crate::cycles::Runs;
use crate::explore::witness::confirms_cycle;
use crate::monitor::Monitor;
use crate::options::{Limits, Properties};
use crate::prepare_with;
use certificate::formula::unanswerable;
use certificate::prefix::PrefixJudge;
use certificate::trace::Trace;
use certificate::verdict::{Evidence, ProgressReading, StopReason, Unknown, Verdict};
use omega::{
    Automaton, BinaryOperator, BitSet, Fairness, Formula, StateId, TranslationLimits, translate_negation,
};
use promela::model::{Ltl, LtlFormula, Model, ProctypeId};
use promela::print::formula_text;
use system::automaton::System;
use system::control::Control;
use system::interpreter::{Interpreter, SPIN_PROCESS_LIMIT, Step};
use system::progress::{ProgressAt, ProgressStatements};

/// States up to which reasons are looked for where the verdict was found slowly.
const STATES_FOR_REASONS: u64 = 200_000;

/// Whether every run (or every fair run) of a system satisfies a formula.
///
/// The formula must be one of `system.model.formulas`: what a formula reads must have been known when the model was
/// lowered, because variables that nothing reads are no part of the state.
pub fn check_formula(
    system: &System,
    formula: &LtlFormula,
    options: &FairOptions,
    control: &Control<'_>,
) -> FairReport {
    let property = Property::new(&formula.formula);
    if !system.model.formulas.iter().any(|known| known.formula == formula.formula) {
        return refused(options, "a formula that the model was not lowered with");
    }
    match translate_negation(&property.formula, TranslationLimits::default()) {
        Ok(automaton) => {
            let asked = Asked { formula: Some(&formula.formula), property: &property, automaton: &automaton };
            decide(system, asked, options, control)
        }
        Err(error) => refused(options, &error.to_string()),
    }
}

/// The reasons of a verdict that [`check_formula`] gave without them. They may take longer than the verdict, and somebody may wait for another one.
pub fn diagnose_formula(
    system: &System,
    formula: &LtlFormula,
    report: FairReport,
    options: &FairOptions,
    control: &Control<'_>,
) -> FairReport {
    match report.representation {
        // All runs were searched, or those that are weakly fair, whichever count.
        Representation::WithFormula { .. } if options.processes.is_empty() => {
            let property = Property::new(&formula.formula);
            let Ok(automaton) = translate_negation(&property.formula, TranslationLimits::default()) else {
                return report;
            };
            let prefixes = BadPrefixes::new(&system.model, &formula.formula, &automaton);
            let question = Question {
                system,
                formula: Some(&formula.formula),
                property: &property,
                automaton: &automaton,
                prefixes: prefixes.as_ref(),
                options,
            };
            question.diagnosed(report, &options.limits, control)
        }
        _ if report.is_decided() && report.states <= STATES_FOR_REASONS => {
            let options = FairOptions { diagnose: true, ..options.clone() };
            let again = check_formula(system, formula, &options, control);
            if again.is_decided() { again } else { report }
        }
        _ => report,
    }
}

/// Whether no run (or no fair run) of a system is one that a never claim of the model accepts or follows to its end.
pub fn check_claim(
    system: &System,
    claim: usize,
    options: &FairOptions,
    control: &Control<'_>,
) -> FairReport {
    match automaton_of_claim(system, claim) {
        Ok((property, automaton)) => {
            let asked = Asked { formula: None, property: &property, automaton: &automaton };
            decide(system, asked, options, control)
        }
        Err(what) => refused(options, &what),
    }
}

/// Whether there is no run (or no fair run) in which processes stand at `accept…` labels again and again.
pub fn check_accept_labels(system: &System, options: &FairOptions, control: &Control<'_>) -> FairReport {
    match automaton_of_accept_labels(system) {
        Some((property, automaton)) => {
            let asked = Asked { formula: None, property: &property, automaton: &automaton };
            decide(system, asked, options, control)
        }
        None => refused(options, "accept labels in a model that has none"),
    }
}

/// Whether no run (or no fair run) goes on for ever without progress. Runs that end are no livelocks.
pub fn check_progress(
    system: &System,
    progress: &ProgressAt,
    reading: ProgressReading,
    options: &FairOptions,
    control: &Control<'_>,
) -> FairReport {
    let again_and_again =
        Formula::globally(Formula::eventually(Formula::proposition(super::packed::PROGRESS)));
    let automaton = match translate_negation(&again_and_again, TranslationLimits::default()) {
        Ok(automaton) => automaton,
        Err(error) => return refused(options, &error.to_string()),
    };
    let property = Property { formula: Formula::True, propositions: Vec::new() };
    let (property, automaton) = (&property, &automaton);
    let question = Question { system, formula: None, property, automaton, prefixes: None, options };
    let interpreter = interpreter_of(system, options);
    let prepared = prepare_with(interpreter, Properties::none(), &options.limits, 1, None);
    let (mut shared, initial) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => {
            return refused(options, &format!("the model has no initial state: {}", error.kind));
        }
    };
    shared.progress = ProgressStatements::new(system, progress);
    shared.progress_at = progress.clone();
    let options = FairOptions { diagnose: false, ..options.clone() };
    let question = Question { options: &options, ..question };
    let mut report = match question.progress_quickly(&shared, &initial, reading, control) {
        Some(report) => report,
        None => {
            let propositions = Monitor::of_propositions(&[]);
            let Some(space) = PackedSpace::new(&shared, &initial, &propositions, &options.limits) else {
                return refused(&options, "states that are too large");
            };
            let space = space.noting_progress(reading);
            question.answer(space, interpreter, Representation::Explicit, &options.limits, control)
        }
    };
    if let Verdict::Violated(found) = &report.verdict
        && !confirms_cycle(system, &found.trace, &Monitor::of_everything(), Some(reading), progress)
    {
        let what = "the loop makes progress".to_string();
        report.verdict = unknown(StopReason::ReplayFailed { what });
    }
    report
}

/// What is asked, whatever the system.
#[derive(Clone, Copy)]
struct Asked<'q> {
    formula: Option<&'q Ltl>,
    property: &'q Property,
    automaton: &'q Automaton,
}

pub(super) fn refused(options: &FairOptions, what: &str) -> FairReport {
    FairReport::unknown(options, StopReason::Unsupported { what: what.to_string() })
}

fn decide(system: &System, asked: Asked<'_>, options: &FairOptions, control: &Control<'_>) -> FairReport {
    let Asked { formula, property, automaton } = asked;
    if let Some(what) = unanswerable(&system.model.features, &property.propositions) {
        return refused(options, what);
    }
    if let Some(processes) = exact_numbers(system, options) {
        let changed = with_processes(system, &processes);
        let plain = FairOptions { processes: Vec::new(), ..options.clone() };
        let mut report = decide(&changed, asked, &plain, control);
        if let Verdict::Violated(found) = &mut report.verdict {
            found.processes = processes;
        }
        return report;
    }
    let prefixes = formula.and_then(|formula| BadPrefixes::new(&system.model, formula, automaton));
    let question = Question { system, formula, property, automaton, prefixes: prefixes.as_ref(), options };
    let stuttering =
        if question.sees_stuttering(&property.formula) { Stuttering::Seen } else { Stuttering::Unseen };
    let symmetry = symmetry(system, property, stuttering);
    let counts = match options.counters {
        Counters::Off => false,
        Counters::On => true,
        Counters::Auto => symmetry.pays(),
    };
    let mut report = if options.processes.iter().any(|process| process.number == Numbers::Any) {
        any_number(&question, &symmetry, control)
    } else if counts && symmetry.proctypes().is_empty() {
        refused(options, "nothing to count: every process can be told apart")
    } else if counts {
        many(&question, &symmetry, control)
    } else {
        question.answer_by_name(&options.limits, control)
    };
    report.leaves_out_crowds = match report.representation {
        Representation::Explicit | Representation::WithFormula { .. } => false,
        Representation::Counted { .. } => symmetry.forgets(system),
        Representation::AnyNumber { .. } => symmetry.creates(),
    };
    report.told_apart = symmetry.told_apart;
    report
}

/// The step semantics for a system, with room for all of its active processes.
pub(crate) fn interpreter_of<'s>(system: &'s System, options: &FairOptions) -> Interpreter<'s> {
    let active: usize = system.model.proctypes.iter().map(|proctype| proctype.active as usize).sum();
    let interpreter = Interpreter::new(system, options.capacities);
    if active > SPIN_PROCESS_LIMIT { interpreter.with_process_limit(active) } else { interpreter }
}

/// Other numbers of processes than the model has, if there are any and all are given.
fn exact_numbers(system: &System, options: &FairOptions) -> Option<Vec<(ProctypeId, u32)>> {
    let mut changed = Vec::new();
    for process in &options.processes {
        match process.number {
            Numbers::Exactly(number) => changed.push((process.proctype, number)),
            Numbers::Any => return None,
        }
    }
    let differs = changed.iter().any(|&(id, number)| system.model.proctypes[id.0 as usize].active != number);
    differs.then_some(changed)
}

/// What is asked, in every form in which it is needed.
pub(crate) struct Question<'q> {
    pub system: &'q System,
    /// In the words of the model, if it is a formula.
    pub formula: Option<&'q Ltl>,
    pub property: &'q Property,
    pub automaton: &'q Automaton,
    /// Finite runs that are enough, if there can be any and they can be judged.
    pub prefixes: Option<&'q BadPrefixes>,
    pub options: &'q FairOptions,
}

/// Finite runs after which nothing satisfies a formula: where they end, and who judges them.
pub(crate) struct BadPrefixes {
    /// The states of the automaton of the negation from which everything is accepted.
    pub(super) universal: BitSet<StateId>,
    judge: PrefixJudge,
}

impl BadPrefixes {
    fn new(model: &Model, formula: &Ltl, automaton: &Automaton) -> Option<BadPrefixes> {
        let universal = automaton.universal_states();
        if universal.is_empty() {
            return None;
        }
        Some(BadPrefixes { universal, judge: PrefixJudge::new(model, formula)? })
    }
}

impl Question<'_> {
    /// Searches with every process by its name.
    pub fn answer_by_name(&self, limits: &Limits, control: &Control<'_>) -> FairReport {
        let quickly = match (self.options.method, self.options.fairness) {
            (Method::Computed, _) => None,
            (Method::Remembered, Fairness::None) => self.answer_quickly(Runs::All, limits, control),
            (Method::Remembered, _) => self.answer_fairly(limits, control),
        };
        quickly.unwrap_or_else(|| self.answer_state_by_state(limits, control))
    }

    /// Searches an exact space.
    pub fn answer<S: Executable>(
        &self,
        space: S,
        interpreter: Interpreter<'_>,
        representation: Representation,
        limits: &Limits,
        control: &Control<'_>,
    ) -> FairReport {
        let options = self.options;
        let mut explored = Explored::new(space);
        let mut report = FairReport { representation, ..FairReport::unknown(options, StopReason::NotNeeded) };
        report.automaton_states = self.automaton.state_count();
        let mut product = match Product::new(self.automaton, &mut explored) {
            Ok(product) => product,
            Err(error) => {
                let what = format!("the model has no initial state: {}", error.kind);
                report.verdict = unknown(StopReason::Unsupported { what });
                return report;
            }
        };
        product = self.ending(product);
        let found = product.search(&mut explored, options.fairness, limits, control);
        report.states = explored.states();
        report.transitions = explored.transitions();
        report.nodes = product.node_count() as u64;
        report.verdict = match &found {
            Found::Nothing => match &explored.problem {
                None => Verdict::Proved(Evidence::Search {
                    states: report.states,
                    transitions: report.transitions,
                }),
                Some((_, problem)) => unknown(StopReason::Unsupported { what: in_words(problem) }),
            },
            Found::Stopped(reason) => unknown(reason.of_verdict()),
            Found::BadPrefix(_) | Found::Component(_) => {
                let run = self.run_of(&product, &explored, &found, options.fairness);
                let execution = run.and_then(|run| explored.space.execution(&run, options.fairness));
                match execution {
                    None => unknown(match explored.space.without_execution() {
                        Some(what) => StopReason::Unsupported { what: what.to_string() },
                        None => StopReason::ReplayFailed { what: "the loop is no execution".to_string() },
                    }),
                    Some(execution) => match (self.judged(&interpreter, &execution), &explored.problem) {
                        // Whoever can only begin an `atomic` without end arrives nowhere, and is not known to be able to move: so
                        // what looks fair may not be.
                        (Verdict::Unknown(_), Some((_, problem @ Problem::EndlessAtomic))) => {
                            unknown(StopReason::Unsupported { what: in_words(problem) })
                        }
                        (judged, _) => judged,
                    },
                }
            }
        };
        if options.diagnose {
            match &report.verdict {
                Verdict::Violated(_) => {
                    report.remedies = self.remedies(&mut product, &mut explored, limits, control);
                }
                Verdict::Proved(_) => {
                    let limits = at_most(limits, explored.states() * 2 + 1000);
                    report.vacuous = self.vacuous_premises(|automaton, _| {
                        let Ok(mut product) = Product::new(automaton, &mut explored) else { return false };
                        let found = product.search(&mut explored, options.fairness, &limits, control);
                        matches!(found, Found::Nothing) && explored.problem.is_none()
                    });
                }
                Verdict::Unknown(_) => {}
            }
        }
        report
    }

    /// The product that ends where a finite run is enough.
    pub(super) fn ending<'p>(&self, product: Product<'p>) -> Product<'p> {
        match self.prefixes {
            Some(prefixes) => product.ending_at(prefixes.universal.clone()),
            None => product,
        }
    }

    /// The run that was found, if one was.
    pub(super) fn run_of<S: Executable>(
        &self,
        product: &Product<'_>,
        explored: &Explored<S>,
        found: &Found,
        fairness: Fairness,
    ) -> Option<Run> {
        match found {
            Found::Component(component) => {
                run_through(product, explored, self.automaton, component, fairness)
            }
            Found::BadPrefix(node) => run_to(product, explored, *node),
            Found::Nothing | Found::Stopped(_) => None,
        }
    }

    /// Searches the states of the semantics one by one.
    pub(super) fn answer_state_by_state(&self, limits: &Limits, control: &Control<'_>) -> FairReport {
        let interpreter = interpreter_of(self.system, self.options);
        let representation = Representation::Explicit;
        if self.options.method == Method::Remembered
            && let Ok((shared, initial)) = prepare_with(interpreter, Properties::none(), limits, 1, None)
        {
            let propositions = Monitor::of_propositions(&self.property.propositions);
            if let Some(space) = PackedSpace::new(&shared, &initial, &propositions, limits) {
                return self.answer(space, interpreter, representation, limits, control);
            }
        }
        let space = ExplicitSpace::new(interpreter, self.property);
        self.answer(space, interpreter, representation, limits, control)
    }

    /// Whether runs may be told apart that differ only in how often a state is repeated, if this is the formula or the claim takes its place.
    pub(super) fn sees_stuttering(&self, formula: &Formula) -> bool {
        self.formula.is_none() || formula.uses_next()
    }

    /// The verdict on an execution that should not exist. Where it has no loop and the automaton is content only with more, it may have ended, and stand still.
    pub(super) fn judged(
        &self,
        interpreter: &Interpreter<'_>,
        execution: &Execution,
    ) -> Verdict<Counterexample> {
        let judged = self.judged_as(interpreter, &execution.steps, execution.loop_start);
        let judged = match (&judged, execution.loop_start) {
            (Err(_), None) => {
                let end = Some(execution.steps.len());
                self.judged_as(interpreter, &execution.steps, end).or(judged)
            }
            _ => judged,
        };
        match judged {
            Err(what) => unknown(StopReason::ReplayFailed { what }),
            Ok(found) => Verdict::Violated(found),
        }
    }

    pub(super) fn judged_as(
        &self,
        interpreter: &Interpreter<'_>,
        steps: &[Step],
        loop_start: Option<usize>,
    ) -> Result<Counterexample, String> {
        let fairness = self.options.fairness;
        let mut trace = Trace::new(self.system, self.options.capacities, steps, loop_start);
        trace.process_limit = process_limit(interpreter);
        let starving = match loop_start {
            Some(start) => {
                starving(confirm(interpreter, self.property, self.requirement(), steps, start, fairness)?)
            }
            None => {
                self.judged_without_loop(&trace)?;
                Vec::new()
            }
        };
        Ok(Counterexample { trace, processes: Vec::new(), starving })
    }

    fn judged_without_loop(&self, trace: &Trace) -> Result<(), String> {
        let prefixes = self.prefixes.ok_or("a run without a loop does not answer this")?;
        prefixes.judge.judge(self.system, trace).map_err(|refusal| refusal.to_string())
    }

    /// What a run must do.
    fn requirement(&self) -> Requirement<'_> {
        match self.formula {
            Some(_) => Requirement::Satisfy(&self.property.formula),
            None => Requirement::NotBeAccepted(self.automaton),
        }
    }

    pub(super) fn stronger_fairness(&self) -> impl Iterator<Item = Fairness> + use<> {
        let asked = self.options.fairness;
        [Fairness::Weak, Fairness::Strong].into_iter().filter(move |&more| more > asked)
    }

    /// Whether more fairness makes the formula hold. The explored part is used again.
    fn remedies<S: Executable>(
        &self,
        product: &mut Product<'_>,
        explored: &mut Explored<S>,
        limits: &Limits,
        control: &Control<'_>,
    ) -> Vec<Remedy> {
        let mut remedies: Vec<Remedy> = Vec::new();
        for fairness in self.stronger_fairness() {
            // What holds under weak fairness holds under strong fairness.
            let holds = if remedies.last().is_some_and(|before| before.holds == Some(true)) {
                Some(true)
            } else {
                match product.search(explored, fairness, limits, control) {
                    Found::Component(_) | Found::BadPrefix(_) => Some(false),
                    Found::Nothing if explored.problem.is_none() => Some(true),
                    Found::Nothing | Found::Stopped(_) => None,
                }
            };
            remedies.push(Remedy { fairness, holds });
        }
        remedies
    }

    /// The premises of implications that can be followed by anything without making the formula false: `holds` tells whether
    /// a formula holds, given with the automaton of its negation.
    pub(super) fn vacuous_premises(
        &self,
        mut holds: impl FnMut(&Automaton, &Formula) -> bool,
    ) -> Vec<VacuousPremise> {
        let mut vacuous = Vec::new();
        let premises = self.formula.map_or(Vec::new(), |formula| premises(&self.system.model, formula));
        for (index, premise) in premises.into_iter().enumerate() {
            let mut countdown = index;
            let stricter = without_conclusion(&self.property.formula, &mut countdown);
            let Ok(automaton) = translate_negation(&stricter, TranslationLimits::default()) else { continue };
            if holds(&automaton, &stricter) {
                vacuous.push(VacuousPremise { premise });
            }
        }
        vacuous
    }
}

impl FairReport {
    pub(crate) fn unknown(options: &FairOptions, reason: StopReason) -> FairReport {
        FairReport {
            verdict: unknown(reason),
            fairness: options.fairness,
            representation: Representation::Explicit,
            states: 0,
            transitions: 0,
            nodes: 0,
            in_full: None,
            automaton_states: 0,
            vacuous: Vec::new(),
            remedies: Vec::new(),
            told_apart: Vec::new(),
            leaves_out_crowds: false,
        }
    }

    /// Whether it is an answer.
    pub(crate) fn is_decided(&self) -> bool {
        !matches!(self.verdict, Verdict::Unknown(_))
    }
}

pub(crate) fn unknown(reason: StopReason) -> Verdict<Counterexample> {
    Verdict::Unknown(Unknown { reason, findings: Vec::new() })
}

/// The limit of an interpreter, if it is not SPIN's.
fn process_limit(interpreter: &Interpreter<'_>) -> Option<u32> {
    let limit = interpreter.process_limit();
    (limit != SPIN_PROCESS_LIMIT).then_some(limit as u32)
}

pub(crate) fn in_words(problem: &Problem) -> String {
    match problem {
        Problem::Error(error) => format!("a run that ends in an error: {}", error.kind),
        Problem::EndlessAtomic => "an atomic sequence that can run for ever".to_string(),
        Problem::Inexpressible(what) => what.clone(),
        Problem::MemoryEnds => "more states than fit into memory".to_string(),
    }
}

fn starving(confirmed: super::confirm::Confirmed) -> Vec<Starving> {
    let always = &confirmed.always_enabled;
    let now_and_then = confirmed.again_and_again_enabled.iter().filter(|pid| !always.contains(pid));
    let weak = always.iter().map(|&process| (process, Fairness::Weak));
    weak.chain(now_and_then.map(|&process| (process, Fairness::Strong)))
        .filter_map(|(process, forbidden_by)| {
            let kind = *confirmed.kinds.get(process.0 as usize)?;
            Some(Starving { process, kind, forbidden_by })
        })
        .collect()
}

/// The premises of a formula's implications, from left to right as [`without_conclusion`] counts them. Those under a negation
/// count too: there, a weaker formula results, which then simply fails.
fn premises(model: &Model, formula: &Ltl) -> Vec<String> {
    let both = |left: &Ltl, right: &Ltl| [premises(model, left), premises(model, right)].concat();
    match formula {
        Ltl::Proposition(_) => Vec::new(),
        Ltl::Not(inner) | Ltl::Next(inner) | Ltl::Always(inner) | Ltl::Eventually(inner) => {
            premises(model, inner)
        }
        Ltl::Implies(left, right) => [vec![formula_text(model, left)], both(left, right)].concat(),
        Ltl::And(left, right)
        | Ltl::Or(left, right)
        | Ltl::Equivalent(left, right)
        | Ltl::Until(left, right)
        | Ltl::WeakUntil(left, right)
        | Ltl::Release(left, right) => both(left, right),
    }
}

/// The formula with the conclusion of the implication number `countdown` replaced by `false`.
fn without_conclusion(formula: &Formula, countdown: &mut usize) -> Formula {
    match formula {
        Formula::True | Formula::False | Formula::Proposition(_) => formula.clone(),
        Formula::Unary(operator, inner) => Formula::unary(*operator, without_conclusion(inner, countdown)),
        Formula::Binary(BinaryOperator::Implies, left, _) if *countdown == 0 => {
            *countdown = usize::MAX;
            Formula::implies((**left).clone(), Formula::False)
        }
        Formula::Binary(operator, left, right) => {
            if *operator == BinaryOperator::Implies {
                *countdown -= 1;
            }
            let left = without_conclusion(left, countdown);
            Formula::binary(*operator, left, without_conclusion(right, countdown))
        }
    }
}
