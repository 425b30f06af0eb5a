//! What is asked about infinite runs, and the answers.

use crate::cycles::product::Unclear;
use crate::cycles::{self, CycleOutcome, First, Runs, Wanted};
use crate::explore::expand::Shared;
use crate::explore::witness;
use crate::monitor::Monitor;
use crate::options::{ErrorPolicy, Properties, Reduction, SearchOptions};
use crate::reduce::{self, Labels, Reducer};
use crate::report::{Cause, ErrorGroup, Outcome, SearchReport, StopReason};
use crate::takes_away_terminated;
use certificate::trace::Trace;
use certificate::verdict::ProgressReading;
use system::automaton::System;
use system::control::Control;

/// A question about infinite runs.
pub struct CycleQuestion {
    /// Is there a run that this accepts (`None`: it cannot be made)
    pub monitor: Option<Monitor>,
    /// and, if given, that makes progress only finitely often?
    pub progress: Option<ProgressReading>,
    /// What is wrong if there is.
    pub cause: Cause,
    /// Whether nothing but labels of processes is looked at.
    pub is_about_labels: bool,
}

/// A run that is not as it should be.
pub enum Violated {
    /// With its trace.
    Shown(ErrorGroup),
    /// Of a search without terminated processes, whose steps are not those of the model.
    Untraced(Cause),
}

/// Whether a question was answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answered {
    /// It was: the report says how.
    Yes,
    /// The search ended early: the outcome says why.
    Not,
}

/// The questions about infinite runs that the properties ask. Without `accept…` labels there is nothing to stand at, so that is not asked.
pub fn questions(system: &System, properties: &Properties) -> Vec<CycleQuestion> {
    let mut questions = Vec::new();
    let has_labels = || {
        let mut automata = system.process_automata();
        automata.any(|(_, automaton)| automaton.locations.iter().any(|location| location.accept))
    };
    if let Some(claim) = properties.claim {
        let monitor = Monitor::of_claim(system, claim).map(|mut monitor| {
            if !properties.acceptance {
                // Only its completion is asked for: no cycle belongs to a set that nothing belongs to.
                monitor.locations.iter_mut().flat_map(|l| &mut l.edges).for_each(|edge| edge.marks = 0);
                monitor.process_labels_accept = false;
            }
            monitor
        });
        let cause = Cause::AcceptanceCycle;
        questions.push(CycleQuestion { monitor, progress: None, cause, is_about_labels: false });
    } else if properties.acceptance && has_labels() {
        let (monitor, cause) = (Some(Monitor::of_accept_labels()), Cause::AcceptanceCycle);
        questions.push(CycleQuestion { monitor, progress: None, cause, is_about_labels: true });
    }
    if let Some(reading) = properties.non_progress {
        let (monitor, cause) = (Some(Monitor::of_everything()), Cause::NonProgressCycle);
        questions.push(CycleQuestion { monitor, progress: Some(reading), cause, is_about_labels: true });
    }
    questions
}

impl CycleQuestion {
    /// Asks it, and writes the answer into a report. Moves are left out as the options and the question allow.
    pub fn ask(
        &self,
        shared: &mut Shared<'_>,
        initial: &[u32],
        options: &SearchOptions,
        control: &Control<'_>,
        report: &mut SearchReport,
    ) -> Answered {
        shared.reducer = self.reducer(shared, options);
        if shared.reducer.is_some() {
            report.reduction = Reduction::Reduced;
        }
        let (nodes, answer) = self.answer(shared, initial, options, control);
        report.counts.product_nodes += nodes;
        match answer {
            Ok(None) => {}
            Ok(Some(Violated::Shown(error))) => report.errors.push(error),
            Ok(Some(Violated::Untraced(cause))) => report.untraced.push(cause),
            Err(reason) => {
                report.outcome = Outcome::Stopped(reason);
                return Answered::Not;
            }
        }
        Answered::Yes
    }

    /// What tells which moves are enough, if some are left out.
    fn reducer(&self, shared: &Shared<'_>, options: &SearchOptions) -> Option<Reducer> {
        let system = shared.interpreter.system();
        let is_wanted = options.reduction == Reduction::Reduced && options.errors != ErrorPolicy::Shortest;
        if !self.is_about_labels
            || !is_wanted
            || !reduce::pays(system)
            || takes_away_terminated(system, options)
        {
            return None;
        }
        let labels = match self.progress {
            None => Labels::Accept,
            Some(ProgressReading::State) => Labels::ProgressStates(&shared.progress_at),
            Some(ProgressReading::Transition) => Labels::ProgressStatements(&shared.progress),
        };
        Reducer::for_labels(system, labels, options.capacities)
    }

    /// How many nodes were visited, and a run that is not as it should be, or `None` if there is none.
    pub fn answer(
        &self,
        shared: &Shared<'_>,
        initial: &[u32],
        options: &SearchOptions,
        control: &Control<'_>,
    ) -> (u64, Result<Option<Violated>, StopReason>) {
        let Some(monitor) = &self.monitor else { return (0, Err(StopReason::ClaimNotSupported)) };
        let progress = self.progress;
        let system = shared.interpreter.system();
        let error = |trace: Trace, cause: Cause, confirmed: bool| match confirmed {
            true => Ok(Some(Violated::Shown(ErrorGroup { cause, count: 1, trace }))),
            false => Err(StopReason::TraceNotConfirmed),
        };
        let wanted = Wanted { monitor, progress, runs: Runs::All, first: First::Oldest };
        match cycles::find(shared, initial, wanted, &options.limits, control) {
            // Whoever stays in an `atomic` sequence for ever passes no state of the product: it says nothing about that run.
            CycleOutcome::None { nodes, unclear: Some(Unclear::EndlessAtomic), .. } => {
                (nodes, Err(StopReason::EndlessAtomic))
            }
            // A run that ends in an error is no infinite one; the error itself is the safety search's to report.
            CycleOutcome::None { nodes, unclear: None | Some(Unclear::Error(_)), .. } => (nodes, Ok(None)),
            CycleOutcome::Lasso { nodes, .. } if takes_away_terminated(system, options) => {
                (nodes, Ok(Some(Violated::Untraced(self.cause.clone()))))
            }
            CycleOutcome::Lasso { steps, loop_start, nodes } => {
                let trace = Trace::new(system, options.capacities, &steps, Some(loop_start));
                let confirmed =
                    witness::confirms_cycle(system, &trace, monitor, progress, &shared.progress_at);
                (nodes, error(trace, self.cause.clone(), confirmed))
            }
            CycleOutcome::Completed { steps, nodes } => {
                let trace = Trace::new(system, options.capacities, &steps, None);
                let confirmed = certificate::trace::replay(system, &trace).is_ok();
                (nodes, error(trace, Cause::ClaimCompleted, confirmed))
            }
            CycleOutcome::GuardFails | CycleOutcome::TooManyProcesses => {
                (0, Err(StopReason::ClaimNotSupported))
            }
            CycleOutcome::Stopped { reason, nodes } => (nodes, Err(reason)),
        }
    }
}
