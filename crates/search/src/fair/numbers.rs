//! Many processes, or any number of them.
//!
//! A large number is first searched a little, exactly, because counterexamples are mostly near; then an abstraction that covers
//! every number is asked for a proof; and if that fails the exact search goes on. For any number, small instances
//! are searched for counterexamples, and the abstraction is refined until it proves or the budget is spent.

use super::check::{Question, interpreter_of, unknown};
use super::product::{Explored, Found, Product};
use super::report::{Counters, FairOptions, FairReport, Numbers, Representation, with_processes};
use crate::counters::{AnySpace, CounterSpace, Symmetry, WatchSpace, counting_variables};
use crate::options::Limits;
use certificate::verdict::{Evidence, StopReason, Unknown, Verdict};
use promela::model::ProctypeId;
use system::automaton::System;
use system::control::Control;
use system::interpreter::Interpreter;

/// States of the first exact search of all processes, and of each instance for any number.
const EXACT_STATES: u64 = 20_000;
/// How many more there are in the next one.
const MORE_EACH_TURN: u64 = 8;
/// States of a try of an abstraction, in the first round and in the second.
const ABSTRACT_STATES: [u64; 2] = [2_000, 20_000];
/// The instances that are searched for a counterexample before and after a proof for any number is tried.
const SMALL_INSTANCES: std::ops::RangeInclusive<u32> = 1..=3;
const LARGER_INSTANCES: std::ops::RangeInclusive<u32> = 4..=6;

/// A given number of processes: counted and, unless only that is wanted, by name, in turns.
///
/// There are fewer states when processes are counted, and each takes several times as long: steps are not remembered, and nothing is left out. Which
/// of the two is less nobody knows beforehand, so each has more states in its turn than in the one before, and names are a turn ahead: where
/// counting does not make states that much fewer, it has looked at a small part of them.
pub(super) fn many(question: &Question<'_>, symmetry: &Symmetry, control: &Control<'_>) -> FairReport {
    let (system, options) = (question.system, question.options);
    let interpreter = interpreter_of(system, options);
    let exact = |states: u64| {
        let representation = Representation::Counted { proctypes: symmetry.proctypes() };
        let space = CounterSpace::new(interpreter, question.property, symmetry);
        question.answer(space, interpreter, representation, &at_most(&options.limits, states), control)
    };
    // Where each has but two places there are as many states as subsets.
    let at_least = 1u64.checked_shl(symmetry.active(system)).unwrap_or(u64::MAX);
    let mut is_worth_naming = options.counters == Counters::Auto;
    let mut by_name = |states: u64| {
        if !is_worth_naming || states < at_least {
            return None;
        }
        let report = question.answer_by_name(&at_most(&options.limits, states), control);
        is_worth_naming = is_cut(&report) && options.limits.states.is_none_or(|limit| states < limit);
        Some(report).filter(FairReport::is_decided)
    };
    let total: u64 =
        symmetry.proctypes().iter().map(|id| u64::from(system.model.proctypes[id.0 as usize].active)).sum();
    let several: Vec<ProctypeId> = symmetry
        .proctypes()
        .into_iter()
        .filter(|id| system.model.proctypes[id.0 as usize].active > 1)
        .collect();
    let mut abstract_states = ABSTRACT_STATES.into_iter();
    let mut states = EXACT_STATES;
    if let Some(report) = by_name(states) {
        return report;
    }
    loop {
        if let Some(report) = by_name(states.saturating_mul(MORE_EACH_TURN)) {
            return report;
        }
        let report = exact(states);
        if !is_cut(&report) || options.limits.states.is_some_and(|limit| limit <= states) {
            return report;
        }
        if let Some(budget) = abstract_states.next() {
            let cover = Cover::Given(total);
            let proof = proof_for_any_number(question, system, symmetry, &several, cover, budget, control);
            if let Ok(report) = proof {
                return report;
            }
        }
        states = states.saturating_mul(MORE_EACH_TURN);
    }
}

/// Whether there are more states than were to be searched.
fn is_cut(report: &FairReport) -> bool {
    match &report.verdict {
        Verdict::Unknown(unknown) => matches!(unknown.reason, StopReason::StateLimit { .. }),
        Verdict::Proved(_) | Verdict::Violated(_) => false,
    }
}

/// Any number of processes of some proctypes.
pub(super) fn any_number(question: &Question<'_>, symmetry: &Symmetry, control: &Control<'_>) -> FairReport {
    let (system, options) = (question.system, question.options);
    let mut any: Vec<ProctypeId> = Vec::new();
    let mut given: Vec<(ProctypeId, u32)> = Vec::new();
    for process in &options.processes {
        match process.number {
            Numbers::Any => any.push(process.proctype),
            Numbers::Exactly(number) => given.push((process.proctype, number)),
        }
    }
    if let Some(id) = any.iter().find(|id| !symmetry.counted[id.0 as usize]) {
        let name = &system.model.proctypes[id.0 as usize].name;
        let what = format!("any number of {name}, whose processes can be told apart");
        return FairReport::unknown(options, StopReason::Unsupported { what });
    }
    let instance = |number: u32| {
        let numbers: Vec<(ProctypeId, u32)> =
            given.iter().copied().chain(any.iter().map(|&id| (id, number))).collect();
        let changed = with_processes(system, &numbers);
        let options = FairOptions { processes: Vec::new(), ..options.clone() };
        let question = Question { system: &changed, options: &options, ..*question };
        let interpreter = interpreter_of(&changed, &options);
        let space = CounterSpace::new(interpreter, question.property, symmetry);
        let representation = Representation::Counted { proctypes: symmetry.proctypes() };
        let limits = at_most(&options.limits, EXACT_STATES);
        let mut report = question.answer(space, interpreter, representation, &limits, control);
        if let Verdict::Violated(found) = &mut report.verdict {
            found.processes = numbers;
        }
        report
    };
    let mut findings = Vec::new();
    for number in SMALL_INSTANCES {
        let report = instance(number);
        if matches!(report.verdict, Verdict::Violated(_)) {
            return report;
        }
        findings.push(format!("{} with {number} of each", report.verdict.word()));
    }
    let one_each: Vec<(ProctypeId, u32)> =
        given.iter().copied().chain(any.iter().map(|&id| (id, 1))).collect();
    let changed = with_processes(system, &one_each);
    for budget in ABSTRACT_STATES {
        match proof_for_any_number(question, &changed, symmetry, &any, Cover::Any, budget, control) {
            Ok(report) => return report,
            Err(tried) => findings.extend(tried),
        }
    }
    for number in LARGER_INSTANCES {
        let report = instance(number);
        if matches!(report.verdict, Verdict::Violated(_)) {
            return report;
        }
        findings.push(format!("{} with {number} of each", report.verdict.word()));
    }
    let mut report = FairReport::unknown(options, StopReason::RefinementsExhausted);
    report.verdict = Verdict::Unknown(Unknown { reason: StopReason::RefinementsExhausted, findings });
    report
}

/// What a proof shall cover.
#[derive(Clone, Copy)]
enum Cover {
    /// Every number of processes.
    Any,
    /// As many as there are, this many counted ones.
    Given(u64),
}

/// Tries the abstractions, each with so many states; the error is what was tried.
fn proof_for_any_number(
    question: &Question<'_>,
    system: &System,
    symmetry: &Symmetry,
    several: &[ProctypeId],
    cover: Cover,
    budget: u64,
    control: &Control<'_>,
) -> Result<FairReport, Vec<String>> {
    let mut tried = Vec::new();
    let uncovered: &[ProctypeId] = match cover {
        Cover::Any => several,
        Cover::Given(_) => &[],
    };
    let is_enough = |report: &FairReport| match (&report.verdict, &report.representation, cover) {
        (Verdict::Proved(_), Representation::AnyNumber { together: Some(most), .. }, Cover::Given(total)) => {
            total <= *most
        }
        (Verdict::Proved(_), ..) => true,
        _ => false,
    };
    for cutoff in 1..=question.options.cutoff {
        let report = abstract_search(question, system, symmetry, uncovered, cutoff, budget, control);
        if is_enough(&report) {
            return Ok(report);
        }
        if let Verdict::Unknown(Unknown { reason, .. }) = &report.verdict {
            let why = match reason {
                StopReason::StateLimit { states } => format!("more than {states} states"),
                StopReason::TimeLimit { .. } => "the time was over".to_string(),
                StopReason::MemoryLimit { .. } => "the memory was used up".to_string(),
                StopReason::Unsupported { what } => what.clone(),
                _ => "no proof".to_string(),
            };
            tried.push(format!("counted up to {cutoff} in one place: {why}"));
        }
    }
    let report = watch_search(question, system, symmetry, several, budget, control);
    if is_enough(&report) {
        return Ok(report);
    }
    tried.push("one process watched among any others: no proof".to_string());
    Err(tried)
}

/// The abstraction that watches one process of each proctype of any number: a proof, or unknown.
fn watch_search(
    question: &Question<'_>,
    system: &System,
    symmetry: &Symmetry,
    any: &[ProctypeId],
    budget: u64,
    control: &Control<'_>,
) -> FairReport {
    let options = question.options;
    let mut report = FairReport::unknown(options, StopReason::RefinementsExhausted);
    report.automaton_states = question.automaton.state_count();
    let single: Vec<(ProctypeId, u32)> = any.iter().map(|&id| (id, 1)).collect();
    let changed = with_processes(system, &single);
    let interpreter = Interpreter::new(&changed, options.capacities);
    // Only those of any number are watched; the others are told apart, each with its number.
    let mut only = symmetry.clone();
    only.counted
        .iter_mut()
        .enumerate()
        .for_each(|(index, counted)| *counted = any.contains(&ProctypeId(index as u32)));
    let inner = CounterSpace::new(interpreter, question.property, &only);
    let Some(space) = WatchSpace::new(inner, budget as usize * 4) else { return report };
    let mut explored = Explored::new(space);
    let Ok(mut product) = Product::new(question.automaton, &mut explored) else { return report };
    let found = product.search(&mut explored, options.fairness, &options.limits, control);
    report.states = explored.states();
    report.transitions = explored.transitions();
    report.nodes = product.node_count() as u64;
    let (proctypes, beside) = (any.to_vec(), Vec::new());
    report.representation = Representation::AnyNumber { proctypes, cutoff: None, together: None, beside };
    if matches!(found, Found::Nothing) && explored.problem.is_none() {
        report.verdict =
            Verdict::Proved(Evidence::Search { states: report.states, transitions: report.transitions });
    }
    report
}

/// One try of the abstraction: a proof, or unknown. A link between a variable and the counts that turns out wrong is given up and
/// the search begins again.
fn abstract_search(
    question: &Question<'_>,
    system: &System,
    symmetry: &Symmetry,
    any: &[ProctypeId],
    cutoff: u32,
    budget: u64,
    control: &Control<'_>,
) -> FairReport {
    let options = question.options;
    let interpreter = Interpreter::new(system, options.capacities).with_process_limit(usize::MAX);
    let variables = counting_variables(system, question.property);
    let mut report = FairReport::unknown(options, StopReason::RefinementsExhausted);
    report.automaton_states = question.automaton.state_count();
    let mut unlinked: Vec<usize> = Vec::new();
    for _ in 0..=variables.len() {
        let inner = CounterSpace::new(interpreter, question.property, symmetry);
        let mut space = AnySpace::new(inner, cutoff, variables.clone(), &unlinked);
        if any.iter().any(|id| space.cover_any_number(id.0).is_err()) {
            return report;
        }
        let mut explored = Explored::new(space);
        let Ok(mut product) = Product::new(question.automaton, &mut explored) else { return report };
        let limits = at_most(&options.limits, budget);
        let found = product.search(&mut explored, options.fairness, &limits, control);
        if let Some(refuted) = explored.space.refuted() {
            unlinked = refuted;
            continue;
        }
        report.states = explored.states();
        report.transitions = explored.transitions();
        report.nodes = product.node_count() as u64;
        // The counts of all counted processes make one sum, also of those whose number is given.
        let mut beside = Vec::new();
        if !any.is_empty() {
            let counted = symmetry.proctypes().into_iter().filter(|id| !any.contains(id));
            let number = |id: ProctypeId| (id, system.model.proctypes[id.0 as usize].active);
            beside = counted.map(number).filter(|&(_, number)| number > 0).collect();
        }
        let given: u64 = beside.iter().map(|&(_, number)| u64::from(number)).sum();
        let most = explored.space.largest_number();
        let creates = explored.space.creates();
        // Which numbers the processes come to nobody knows, but there are never more at once than a run can have: beyond, it ends.
        let crowd = system::limits::Limits::WIDE.processes as u64;
        let may_count_too_many = creates && most.is_some_and(|most| most < crowd);
        let together = most
            .map(|most| if creates { most.min(crowd) } else { most })
            .map(|most| most.saturating_sub(given));
        report.representation = Representation::AnyNumber {
            proctypes: if any.is_empty() { symmetry.proctypes() } else { any.to_vec() },
            cutoff: Some(cutoff),
            together,
            beside,
        };
        report.verdict = match (found, &explored.problem) {
            // There is at least one of each.
            (Found::Nothing, None) if together.is_some_and(|most| most < any.len() as u64) => {
                unknown(StopReason::RefinementsExhausted)
            }
            (Found::Nothing, None) if may_count_too_many => {
                let what = "processes are created, and a variable that counts them has a range".to_string();
                unknown(StopReason::Unsupported { what })
            }
            (Found::Nothing, None) => {
                Verdict::Proved(Evidence::Search { states: report.states, transitions: report.transitions })
            }
            (Found::Nothing, Some((_, problem))) => {
                unknown(StopReason::Unsupported { what: super::check::in_words(problem) })
            }
            (Found::Stopped(reason), _) => unknown(reason.of_verdict()),
            (Found::Component(_) | Found::BadPrefix(_), _) => unknown(StopReason::RefinementsExhausted),
        };
        return report;
    }
    report
}

/// The limits with a limit on states.
pub(super) fn at_most(limits: &Limits, states: u64) -> Limits {
    Limits { states: Some(limits.states.map_or(states, |limit| limit.min(states))), ..*limits }
}
