//! Answers on remembered steps, depth first: about all runs, where states may be left out, and about weakly fair ones.

use super::check::{Question, interpreter_of, refused, unknown};
use super::numbers::at_most;
use super::packed::PackedSpace;
use super::path::{Executable, Execution};
use super::product::{Explored, Product};
use super::remembered::{Answered, Outcome, Sought, find_run, in_words};
use super::report::{
    Counterexample, FairOptions, FairReport, Method, Patience, Remedy, Representation, VacuousPremise,
};
use crate::cycles::{self, CycleOutcome, First, Runs, Wanted};
use crate::explore::expand::Shared;
use crate::monitor::Monitor;
use crate::options::{Limits, Properties, Reduction};
use crate::prepare_with;
use certificate::verdict::{Evidence, ProgressReading, StopReason, Unknown, Verdict};
use omega::{Automaton, BitSet, Fairness, Formula, StateId};
use std::ops::Range;
use system::clock::Instant;
use system::control::Control;
use system::interpreter::{RuntimeError, Step};

/// How many states are searched at least and at most for a shorter run than the one that was found quickly.
const STATES_NEARBY: Range<u64> = 500..5_000;
/// States that are searched at most to find out which fairness would help, after a run without fairness was found quickly.
const STATES_FOR_REMEDIES: u64 = 200_000;
/// How many there are for each state in which that run was found.
const STATES_FOR_REMEDIES_EACH: u64 = 4;
/// Nodes up to which a proof by a reduced search is confirmed by a search through everything.
const NODES_IN_FULL: u64 = 20_000;
/// Of the time for a question about fair runs, the question about all runs has one part in so many.
const SHARE_FOR_ALL_RUNS: u32 = 3;

impl Question<'_> {
    /// Searches runs, all or only weakly fair ones, on remembered steps.
    pub(super) fn answer_quickly(
        &self,
        runs: Runs,
        limits: &Limits,
        control: &Control<'_>,
    ) -> Option<FairReport> {
        let options = self.options;
        let universal = self.prefixes.map(|prefixes| &prefixes.universal);
        let sought = self.sought(self.automaton, universal, runs);
        let answered = match self.find_run(sought, &self.property.formula, limits, control) {
            Ok(answered) => answered,
            Err(error) => {
                let what = format!("the model has no initial state: {}", error.kind);
                return Some(refused(options, &what));
            }
        };
        let mut report = FairReport {
            representation: Representation::WithFormula { reduced: answered.reduced },
            states: answered.nodes,
            transitions: answered.edges,
            nodes: answered.nodes,
            automaton_states: self.automaton.state_count(),
            ..FairReport::unknown(options, StopReason::NotNeeded)
        };
        report.verdict = match answered.outcome {
            Outcome::CannotAsk => return None,
            Outcome::Run(execution) => self.judged(&interpreter_of(self.system, options), &execution),
            Outcome::Nothing => {
                let in_full =
                    answered.reduced.then(|| self.searched_in_full(answered.nodes, limits, control));
                match in_full.flatten() {
                    Some(Err(what)) => unknown(StopReason::ReplayFailed { what }),
                    confirmed => {
                        report.in_full = confirmed.and_then(Result::ok);
                        let (states, transitions) = (answered.nodes, answered.edges);
                        Verdict::Proved(Evidence::Search { states, transitions })
                    }
                }
            }
            Outcome::Unclear(what) => unknown(StopReason::Unsupported { what }),
            Outcome::Stopped(reason) => unknown(reason.of_verdict()),
        };
        if options.diagnose {
            report = self.diagnosed(report, limits, control);
        }
        Some(report)
    }

    /// Looks through everything for what a search that kept so many nodes did not find, if everything is little: how many nodes there are, or
    /// what is wrong.
    fn searched_in_full(
        &self,
        kept: u64,
        limits: &Limits,
        control: &Control<'_>,
    ) -> Option<Result<u64, String>> {
        let (reduction, patience) = (Reduction::Full, Patience::Straight);
        let options = FairOptions { reduction, patience, ..self.options.clone() };
        // Whoever waits for an answer should not notice.
        let limits = at_most(limits, NODES_IN_FULL.min(50 * kept));
        let sought = self.sought(self.automaton, None, Runs::All);
        let answered = find_run(self.system, sought, &options, &limits, control).ok()?;
        match answered.outcome {
            Outcome::Nothing => Some(Ok(answered.nodes)),
            Outcome::Run(execution) => {
                let judged = self.judged(&interpreter_of(self.system, &options), &execution);
                let what = "a search through everything finds a run that the reduced one does not";
                matches!(judged, Verdict::Violated(_)).then(|| Err(what.to_string()))
            }
            Outcome::Unclear(_) | Outcome::Stopped(_) | Outcome::CannotAsk => None,
        }
    }

    /// The answer about fair runs on remembered steps, if there is one. All runs come first, since states may be left out where fairness does not matter: if none
    /// of them violates what is asked, no fair one does; and a run that does may happen to be fair, or be finite, as every finite run has a
    /// fair continuation. Then come weakly fair runs, which are all that count, or more than those that are strongly fair.
    pub(super) fn answer_fairly(&self, limits: &Limits, control: &Control<'_>) -> Option<FairReport> {
        let now = Instant::now();
        let share = |deadline: Instant| now + deadline.saturating_duration_since(now) / SHARE_FOR_ALL_RUNS;
        let less = Limits { deadline: limits.deadline.map(share), ..*limits };
        match self.answer_quickly(Runs::All, &less, control) {
            Some(report) if report.is_decided() => Some(report),
            // Depth first there is no room for weakly fair runs either; what is near is found state by state.
            Some(report) if ends_for_want_of_room(&report) => None,
            Some(_) | None => self.answer_by_weakly_fair_runs(limits, control),
        }
    }

    fn answer_by_weakly_fair_runs(&self, limits: &Limits, control: &Control<'_>) -> Option<FairReport> {
        let report = self.answer_quickly(Runs::WeaklyFair, limits, control)?;
        match &report.verdict {
            // The run that was found is not fair enough.
            Verdict::Unknown(Unknown { reason: StopReason::ReplayFailed { .. }, .. }) => None,
            Verdict::Unknown(_) | Verdict::Proved(_) | Verdict::Violated(_) => Some(report),
        }
    }

    /// The reasons of a verdict that was found on remembered steps: premises that never happen; or a shorter run, if there is one nearby, and which fairness would
    /// help. To look for them takes about as long as to look for the verdict did.
    pub(super) fn diagnosed(
        &self,
        mut report: FairReport,
        limits: &Limits,
        control: &Control<'_>,
    ) -> FairReport {
        let length = match &report.verdict {
            Verdict::Violated(found) => found.trace.steps.len(),
            Verdict::Proved(_) => {
                report.vacuous = self.vacuous_quickly(&report, limits, control);
                return report;
            }
            Verdict::Unknown(_) => return report,
        };
        let nearby = report.nodes.clamp(STATES_NEARBY.start, STATES_NEARBY.end);
        let shorter = self.run_nearby(&at_most(limits, nearby), control);
        if let Some(found) = shorter.filter(|found| found.trace.steps.len() < length) {
            report.verdict = Verdict::Violated(found);
        }
        let states = report.nodes.saturating_mul(STATES_FOR_REMEDIES_EACH);
        let states = states.clamp(STATES_NEARBY.end, STATES_FOR_REMEDIES);
        if let Verdict::Violated(found) = &report.verdict {
            report.remedies = self.remedies_quickly(found, &at_most(limits, states), control);
        }
        report
    }

    /// Premises that never happen, in the runs that count; or, where all runs satisfied the formula, in all.
    fn vacuous_quickly(
        &self,
        report: &FairReport,
        limits: &Limits,
        control: &Control<'_>,
    ) -> Vec<VacuousPremise> {
        let limits = at_most(limits, report.nodes * 2 + 1000);
        let runs = match report.representation {
            Representation::WithFormula { reduced: true } => Runs::All,
            _ => self.runs(),
        };
        self.vacuous_premises(|automaton, stricter| {
            let answered = self.find_run(self.sought(automaton, None, runs), stricter, &limits, control);
            answered.is_ok_and(|answered| matches!(answered.outcome, Outcome::Nothing))
        })
    }

    /// The nearest run that counts, state by state.
    fn run_nearby(&self, limits: &Limits, control: &Control<'_>) -> Option<Counterexample> {
        let interpreter = interpreter_of(self.system, self.options);
        let (shared, initial) = prepare_with(interpreter, Properties::none(), limits, 1, None).ok()?;
        let propositions = Monitor::of_propositions(&self.property.propositions);
        let mut explored = Explored::new(PackedSpace::new(&shared, &initial, &propositions, limits)?);
        let mut product = self.ending(Product::new(self.automaton, &mut explored).ok()?);
        let fairness = self.options.fairness;
        let found = product.search(&mut explored, fairness, limits, control);
        let run = self.run_of(&product, &explored, &found, fairness)?;
        let execution = explored.space.execution(&run, fairness)?;
        match self.judged(&interpreter, &execution) {
            Verdict::Violated(found) => Some(found),
            Verdict::Proved(_) | Verdict::Unknown(_) => None,
        }
    }

    /// Whether more fairness makes the formula hold, which a run violates. A finite run has a fair continuation, whatever fairness that is.
    fn remedies_quickly(
        &self,
        found: &Counterexample,
        limits: &Limits,
        control: &Control<'_>,
    ) -> Vec<Remedy> {
        let interpreter = interpreter_of(self.system, self.options);
        let steps: Vec<Step> = found.trace.steps.iter().map(|&step| step.into()).collect();
        let mut holds = None;
        let mut remedies = Vec::new();
        for fairness in self.stronger_fairness() {
            let options = FairOptions { fairness, diagnose: false, ..self.options.clone() };
            let question = Question { options: &options, ..*self };
            if question.judged_as(&interpreter, &steps, found.trace.loop_start).is_ok() {
                holds = Some(false);
            } else if holds != Some(true) {
                // What holds under weak fairness holds under strong fairness.
                let report = question
                    .answer_by_weakly_fair_runs(limits, control)
                    .unwrap_or_else(|| question.answer_state_by_state(limits, control));
                holds = match report.verdict {
                    Verdict::Proved(_) => Some(true),
                    Verdict::Violated(_) => Some(false),
                    Verdict::Unknown(_) => None,
                };
            }
            remedies.push(Remedy { fairness, holds });
        }
        remedies
    }

    /// The runs that count, or more than these.
    fn runs(&self) -> Runs {
        match self.options.fairness {
            Fairness::None => Runs::All,
            Fairness::Weak | Fairness::Strong => Runs::WeaklyFair,
        }
    }

    /// Whether a run that counts, or counts under weak fairness, goes on for ever without progress, depth first on remembered steps; `None` if that search cannot tell.
    pub(super) fn progress_quickly(
        &self,
        shared: &Shared<'_>,
        initial: &[u32],
        reading: ProgressReading,
        control: &Control<'_>,
    ) -> Option<FairReport> {
        let FairOptions { method, limits, .. } = self.options;
        if *method == Method::Computed {
            return None;
        }
        let monitor = Monitor::of_everything();
        let (progress, runs) = (Some(reading), self.runs());
        let wanted = Wanted { monitor: &monitor, progress, runs, first: First::Oldest };
        let (nodes, edges, verdict) = match cycles::find(shared, initial, wanted, limits, control) {
            CycleOutcome::Lasso { steps, loop_start, nodes } => {
                let run = Execution { steps, loop_start: Some(loop_start) };
                (nodes, nodes, self.judged(&shared.interpreter, &run))
            }
            CycleOutcome::None { nodes, edges, unclear: None } => {
                let all = Evidence::Search { states: nodes, transitions: edges };
                (nodes, edges, Verdict::Proved(all))
            }
            CycleOutcome::None { nodes, edges, unclear: Some(unclear) } => {
                let what = in_words(&unclear);
                (nodes, edges, unknown(StopReason::Unsupported { what }))
            }
            CycleOutcome::Stopped { reason, nodes } => (nodes, 0, unknown(reason.of_verdict())),
            CycleOutcome::Completed { .. } | CycleOutcome::GuardFails | CycleOutcome::TooManyProcesses => {
                return None;
            }
        };
        let is_fair_enough =
            !matches!(&verdict, Verdict::Unknown(Unknown { reason: StopReason::ReplayFailed { .. }, .. }));
        is_fair_enough.then_some(FairReport {
            verdict,
            states: nodes,
            transitions: edges,
            nodes,
            automaton_states: self.automaton.state_count(),
            ..FairReport::unknown(self.options, StopReason::NotNeeded)
        })
    }

    /// Looks for a run that an automaton accepts, which is that of the negation of a formula or of the claim.
    fn find_run(
        &self,
        sought: Sought<'_>,
        formula: &Formula,
        limits: &Limits,
        control: &Control<'_>,
    ) -> Result<Answered, RuntimeError> {
        let reduction = if self.sees_stuttering(formula) { Reduction::Full } else { self.options.reduction };
        let options = FairOptions { reduction, ..self.options.clone() };
        find_run(self.system, sought, &options, limits, control)
    }

    fn sought<'a>(
        &'a self,
        automaton: &'a Automaton,
        universal: Option<&'a BitSet<StateId>>,
        runs: Runs,
    ) -> Sought<'a> {
        Sought { propositions: &self.property.propositions, automaton, universal, runs }
    }
}

fn ends_for_want_of_room(report: &FairReport) -> bool {
    let Verdict::Unknown(Unknown { reason, .. }) = &report.verdict else { return false };
    matches!(reason, StopReason::MemoryLimit { .. } | StopReason::StateLimit { .. })
}
