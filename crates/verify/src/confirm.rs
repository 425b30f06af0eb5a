//! The last gate: nothing is called proved or violated that does not pass here once more.

use crate::answer::{Answer, Counterexample, Question};
use crate::hints;
use crate::options::CheckOptions;
use crate::progress::{is_marked, stands_at_progress};
use crate::temporal;
use certificate::Certificate;
use certificate::claims::{Claims, ObjectId, ObjectPlace};
use certificate::potential::{Progress, Proof};
use certificate::prefix::judge_prefix;
use certificate::pump::{Pump, PumpQuestion, check_pump};
use certificate::trace::{ReplayError, Trace, replay, violations_at_end};
use certificate::verdict::{Evidence, Fairness, ProgressReading, StopReason, Unknown, Verdict};
use search::fair::Property;
use search::fair::confirm::{Requirement, confirm as confirm_run};
use std::collections::HashMap;
use std::sync::Arc;
use system::automaton::System;
use system::interpreter::{Interpreter, Step, Violation};
use system::progress::{ProgressAt, ProgressStatements};

/// Where answers pass. Certificates have been accepted by the checker before they were published; here it is seen that they say what is
/// answered.
pub(crate) struct Gate<'a> {
    system: &'a System,
    options: &'a CheckOptions,
    checked: Vec<CertifiedBounds>,
}

/// What a certificate says of single buffers.
struct CertifiedBounds {
    certificate: Arc<Certificate>,
    /// The least bound of each buffer, by name.
    bounds: HashMap<String, u64>,
}

impl<'a> Gate<'a> {
    /// Nothing has passed yet.
    pub fn new(system: &'a System, options: &'a CheckOptions) -> Gate<'a> {
        Gate { system, options, checked: Vec::new() }
    }

    /// The answer, if its evidence holds; otherwise `UNKNOWN` with the reason.
    pub fn confirm(&mut self, mut answer: Answer) -> Answer {
        let refused = match &answer.verdict {
            Verdict::Proved(evidence) => self.evidence_holds(&answer, evidence),
            Verdict::Violated(counterexample) => {
                counterexample_holds(self.system, self.options, &answer.question, counterexample)
                    .map_err(|what| StopReason::ReplayFailed { what })
            }
            Verdict::Unknown(_) => Ok(()),
        };
        if let Err(reason) = refused {
            answer.verdict = Verdict::Unknown(Unknown { reason, findings: Vec::new() });
            answer.bound = None;
            answer.meaning = "an answer was found that did not pass its check".to_string();
        }
        answer.hints = hints::hints(&answer);
        answer
    }

    fn evidence_holds(&mut self, answer: &Answer, evidence: &Evidence) -> Result<(), StopReason> {
        let Evidence::Certificate(certificate) = evidence else { return Ok(()) };
        let known = self.checked.iter().position(|checked| Arc::ptr_eq(&checked.certificate, certificate));
        let checked = match known {
            Some(position) => &self.checked[position],
            None => {
                self.checked.push(self.bounds_of(certificate));
                &self.checked[self.checked.len() - 1]
            }
        };
        let has = |is_it: fn(&Proof) -> bool| certificate.proofs.iter().any(is_it);
        let all_bounded = |proof: &Proof| matches!(proof, Proof::AllBounded { .. });
        let livelock_free = |proof: &Proof| matches!(proof, Proof::LivelockFree { .. });
        let is_unmarked = !is_marked(self.system, self.options);
        let speaks_of_it = match &answer.question {
            // A proof of progress where nothing is progress is a proof that every run ends.
            Question::Buffers => has(all_bounded) || (is_unmarked && has(livelock_free)),
            Question::Progress => certificate.proofs.iter().any(|proof| match proof {
                Proof::LivelockFree { .. } => true,
                Proof::FairProgress { fairness, .. } => *fairness <= self.options.fairness,
                _ => false,
            }),
            Question::Formula(name) => certificate.proofs.iter().any(|proof| {
                let Proof::Formula { formula, fairness, .. } = proof else { return false };
                // What all runs do fair ones do, and what weakly fair ones do strongly fair ones do.
                let numbers = self.options.any_number(self.system);
                formula == name
                    && *fairness <= self.options.fairness
                    && numbers.is_some_and(|names| names.iter().all(|n| certificate.any_number.contains(n)))
            }),
            Question::Buffer(name) => match (answer.bound, checked.bounds.get(name)) {
                (Some(bound), Some(at_most)) => *at_most <= bound.at_most,
                (None, Some(_)) => true,
                (bound, None) => bound.is_none() && (has(all_bounded) || (is_unmarked && has(livelock_free))),
            },
            _ => false,
        };
        let refusal = "the certificate proves something else".to_string();
        if speaks_of_it { Ok(()) } else { Err(StopReason::CertificateRefused { refusal }) }
    }

    fn bounds_of(&self, certificate: &Arc<Certificate>) -> CertifiedBounds {
        let mut bounds: HashMap<String, u64> = HashMap::new();
        let mut add = |object: ObjectId, at_most: u64| {
            let name = buffer_name(self.system, &certificate.claims, object);
            bounds.entry(name).and_modify(|least| *least = at_most.min(*least)).or_insert(at_most);
        };
        for proof in &certificate.proofs {
            match proof {
                Proof::Bound { object, at_most, .. } | Proof::Guarded { object, at_most, .. } => {
                    add(*object, *at_most)
                }
                Proof::Bounds { buffers, .. } => buffers.iter().for_each(|b| add(b.object, b.at_most)),
                _ => {}
            }
        }
        CertifiedBounds { certificate: Arc::clone(certificate), bounds }
    }
}

/// The name under which the prover asks for a buffer.
fn buffer_name(system: &System, claims: &Claims, object: ObjectId) -> String {
    match claims.objects[object.index()].place {
        ObjectPlace::Global { slot } => system.global_slots[slot as usize].name.clone(),
        ObjectPlace::Local { group, slot } => {
            let claimed = &claims.groups[group.index()];
            let automaton = &system.automata[claimed.automaton as usize];
            let slot = &automaton.slots[slot as usize].name;
            match claimed.pid.single_integer() {
                Some(pid) => format!("{}[{pid}]:{slot}", automaton.name),
                None => format!("{}#{}:{slot}", automaton.name, group.0),
            }
        }
    }
}

fn counterexample_holds(
    system: &System,
    options: &CheckOptions,
    question: &Question,
    counterexample: &Counterexample,
) -> Result<(), String> {
    match (question, counterexample) {
        (Question::Buffers | Question::Buffer(_), Counterexample::Pump { .. }) => {
            pump_holds(system, counterexample, &PumpQuestion::Unbounded)
        }
        (Question::Progress, Counterexample::Pump { repeat_from, .. }) => {
            // Progress is asked for below, in the reading that counts.
            let question = match options.fairness {
                Fairness::None => PumpQuestion::Livelock(Progress::At(Vec::new())),
                fairness => PumpQuestion::FairLivelock(Progress::At(Vec::new()), fairness),
            };
            pump_holds(system, counterexample, &question)?;
            has_no_progress(system, options, counterexample, *repeat_from)
        }
        (Question::Formula(name), Counterexample::Pump { .. }) => {
            let question = PumpQuestion::Violates(name.clone(), options.fairness);
            pump_holds(system, counterexample, &question)
        }
        (Question::Progress, Counterexample::Lasso(trace)) => {
            let start = trace.loop_start.ok_or("the run has no loop")?;
            if start >= trace.steps.len() {
                return Err("the loop is empty".to_string());
            }
            has_no_progress(system, options, counterexample, start)?;
            is_fair(system, trace, options.fairness)
        }
        (Question::Progress, Counterexample::Instance { trace, .. }) => {
            let start = trace.loop_start.ok_or("the run has no loop")?;
            let system = counterexample.system(system);
            has_no_progress(&system, options, counterexample, start)?;
            is_fair(&system, trace, options.fairness)
        }
        (Question::Deadlock, Counterexample::Run { trace, .. }) => deadlocks(system, trace),
        (Question::Assertions, Counterexample::Run { trace, .. }) => {
            ends_with(system, trace, |violation| matches!(violation, Violation::AssertionFailed { .. }))
        }
        (Question::EventTrace, Counterexample::Run { trace, .. }) => deadlocks(system, trace).or_else(|_| {
            ends_with(system, trace, |violation| !matches!(violation, Violation::AssertionFailed { .. }))
        }),
        (Question::RuntimeErrors, Counterexample::Run { trace, .. }) => fails(system, trace),
        (Question::Formula(name), Counterexample::Run { trace, .. } | Counterexample::Lasso(trace)) => {
            violates_formula(system, name, trace, options.fairness)
        }
        (Question::Formula(name), Counterexample::Instance { trace, .. }) => {
            violates_formula(&counterexample.system(system), name, trace, options.fairness)
        }
        (Question::Claim(_) | Question::AcceptanceCycles, Counterexample::Lasso(trace))
        | (Question::Claim(_), Counterexample::Run { trace, .. }) => {
            replay(system, trace).map(|_| ()).map_err(|error| error.to_string())
        }
        (Question::Claim(_), Counterexample::Instance { trace, .. }) => {
            replay(&counterexample.system(system), trace).map(|_| ()).map_err(|error| error.to_string())
        }
        _ => Err("this is no counterexample for the question".to_string()),
    }
}

fn pump_holds(
    system: &System,
    counterexample: &Counterexample,
    question: &PumpQuestion,
) -> Result<(), String> {
    let Counterexample::Pump { trace, repeat_from, grows, more_processes } = counterexample else {
        return Err("this is no pump".to_string());
    };
    let steps: Vec<Step> = trace.steps.iter().map(|&step| step.into()).collect();
    let (prefix, repeated) = steps.split_at_checked(*repeat_from).ok_or("nothing is repeated")?;
    let pump = Pump::new(system, prefix, repeated);
    let pumped = check_pump(system, &pump, question).map_err(|refusal| refusal.to_string())?;
    if !grows.iter().all(|channel| pumped.growing.iter().any(|(id, _)| id.0 == *channel)) {
        Err("other buffers grow than it says".to_string())
    } else if *more_processes != pumped.more_processes {
        Err("other numbers of processes are left behind than it says".to_string())
    } else {
        Ok(())
    }
}

/// The run is fair, by the definitions.
fn is_fair(system: &System, trace: &Trace, fairness: Fairness) -> Result<(), String> {
    if fairness == Fairness::None {
        return Ok(());
    }
    let nothing = Property { formula: omega::Formula::False, propositions: Vec::new() };
    let requirement = Requirement::Satisfy(&nothing.formula);
    goes_round(system, trace, &nothing, requirement, fairness)
}

/// The formula is false on the run by the definitions and the run is fair; or it has no loop, and nothing that follows satisfies the formula.
fn violates_formula(system: &System, name: &str, trace: &Trace, fairness: Fairness) -> Result<(), String> {
    if trace.loop_start.is_none() {
        return judge_prefix(system, name, trace).map_err(|refusal| refusal.to_string());
    }
    let formula = system.model.formulas.iter().find(|formula| formula.name == name);
    let property = Property::new(&formula.ok_or("there is no such formula")?.formula);
    goes_round(system, trace, &property, Requirement::Satisfy(&property.formula), fairness)
}

/// The run goes round fairly, and not as is required.
fn goes_round(
    system: &System,
    trace: &Trace,
    property: &Property,
    requirement: Requirement<'_>,
    fairness: Fairness,
) -> Result<(), String> {
    let active: usize = system.model.proctypes.iter().map(|proctype| proctype.active as usize).sum();
    let interpreter = Interpreter::new(system, trace.capacities);
    let interpreter = interpreter.with_process_limit(interpreter.process_limit().max(active * 2));
    let steps: Vec<Step> = trace.steps.iter().map(|&step| step.into()).collect();
    let start = trace.loop_start.ok_or("the run has no loop")?;
    confirm_run(&interpreter, property, requirement, &steps, start, temporal::fairness(fairness)).map(|_| ())
}

/// What is repeated makes no progress: in SPIN's reading nobody stands at a label, in the papers' none is left.
fn has_no_progress(
    system: &System,
    options: &CheckOptions,
    counterexample: &Counterexample,
    start: usize,
) -> Result<(), String> {
    match options.progress {
        ProgressReading::State if stands_at_progress(system, &options.progress_at, counterexample) => {
            Err("a process stands at a progress label".to_string())
        }
        ProgressReading::State => Ok(()),
        ProgressReading::Transition => {
            no_progress_from(system, &options.progress_at, counterexample.trace(), start)
        }
    }
}

/// The run replays, and no step from `start` on is progress.
fn no_progress_from(
    system: &System,
    progress_at: &ProgressAt,
    trace: &Trace,
    start: usize,
) -> Result<(), String> {
    let replay = replay(system, trace).map_err(|error| error.to_string())?;
    let marked = ProgressStatements::new(system, progress_at);
    let interpreter = Interpreter::new(system, trace.capacities);
    for (index, step) in trace.steps.iter().enumerate().skip(start) {
        let before = replay.state_before(index);
        if marked.is_made_by(&interpreter, before, (*step).into()) {
            return Err(format!("step {} is progress", index + 1));
        }
    }
    Ok(())
}

fn deadlocks(system: &System, trace: &Trace) -> Result<(), String> {
    let replay = replay(system, trace).map_err(|error| error.to_string())?;
    let interpreter = Interpreter::new(system, trace.capacities);
    let last = replay.state_before(trace.steps.len());
    let mut steps = Vec::new();
    interpreter.steps(last, &mut steps).map_err(|error| error.kind.to_string())?;
    if !steps.is_empty() {
        return Err("something can still move at the end".to_string());
    }
    if interpreter.is_valid_end_state(last) && interpreter.event_trace_is_complete(last) {
        return Err("the end is a valid one".to_string());
    }
    Ok(())
}

fn ends_with(system: &System, trace: &Trace, wanted: fn(&Violation) -> bool) -> Result<(), String> {
    let violations = violations_at_end(system, trace).map_err(|error| error.to_string())?;
    if violations.iter().any(wanted) { Ok(()) } else { Err("the last step violates nothing".to_string()) }
}

fn fails(system: &System, trace: &Trace) -> Result<(), String> {
    let last = trace.steps.len();
    match replay(system, trace) {
        Err(ReplayError::Failed { step, .. }) if step + 1 == last => Ok(()),
        Err(ReplayError::NoInitialState(_)) if last == 0 => Ok(()),
        Err(error) => Err(error.to_string()),
        Ok(replay) => {
            let interpreter = Interpreter::new(system, trace.capacities);
            let fails = interpreter.steps(replay.state_before(last), &mut Vec::new()).is_err();
            if fails { Ok(()) } else { Err("the last step is no error".to_string()) }
        }
    }
}
