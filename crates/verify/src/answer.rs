//! Questions, answers, and what comes with them.

use certificate::trace::Trace;
use certificate::verdict::{Evidence, Fairness, ProgressReading, StopReason, Unknown, Verdict};
use promela::model::ProctypeId;
use search::{ChannelPeak, ClusterFigures, Counts, DiskFigures, SearchReport, StatesDigest};
use std::borrow::Cow;
use std::fmt;
use system::automaton::{AutomatonId, EdgeId, System};
use system::capacities::CapacityReading;

/// What is asked.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Question {
    /// Is every buffer bounded?
    Buffers,
    /// How full does one buffer get?
    Buffer(String),
    /// Does every infinite run make progress again and again?
    Progress,
    /// Is there a state in which nothing can move and not everybody is done?
    Deadlock,
    /// Does every `assert` hold?
    Assertions,
    /// Does the model ever do what no model may do (an index out of range, a division by zero, …)?
    RuntimeErrors,
    /// Does every run follow the `trace`, or none complete the `notrace`?
    EventTrace,
    /// Does no run satisfy a never claim?
    Claim(String),
    /// Is there no run that passes an `accept…` label of a process again and again?
    AcceptanceCycles,
    /// Does every run satisfy a formula?
    Formula(String),
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Question::Buffers => write!(f, "buffers"),
            Question::Buffer(name) => write!(f, "buffer {name}"),
            Question::Progress => write!(f, "progress"),
            Question::Deadlock => write!(f, "deadlock"),
            Question::Assertions => write!(f, "assertions"),
            Question::RuntimeErrors => write!(f, "errors"),
            Question::EventTrace => write!(f, "trace"),
            Question::Claim(name) => write!(f, "claim {name}"),
            Question::AcceptanceCycles => write!(f, "acceptance"),
            Question::Formula(name) => write!(f, "ltl {name}"),
        }
    }
}

/// The answer to one question.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What was asked.
    pub question: Question,
    /// What is true, with the evidence or the execution that shows it.
    pub verdict: Verdict<Counterexample>,
    /// Under which reading of the model.
    pub reading: Reading,
    /// What the verdict means for this model, in words.
    pub meaning: String,
    /// Wall clock time of the work.
    pub seconds: f64,
    /// For a buffer: the most messages that it holds.
    pub bound: Option<Bound>,
    /// How much was searched.
    pub figures: Option<Figures>,
    /// If a search proves it, what kind of search; `None`: one of all states.
    pub searched: Option<Searched>,
    /// Which numbers of processes a proof is for, if for more than the model's.
    pub any_number: Option<AnyNumber>,
    /// What else is worth knowing: a line each.
    pub notes: Vec<String>,
    /// What only somebody wants to know who looks closer: how a proof was found, every place of an error. A line each.
    pub details: Vec<String>,
    /// What to try next; only if unknown.
    pub hints: Vec<String>,
}

/// The most messages that a buffer holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bound {
    /// It never holds more.
    pub at_most: u64,
    /// Some run reaches it.
    pub tight: bool,
}

/// What a proof by search rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Searched {
    /// All states, and what stands for the set of them, if somebody can count them again.
    Complete(Option<StatesDigest>),
    /// So many states, which stand for all others.
    Reduced {
        /// The search of all states came to the same answer: how many there are, and what stands for the set of them if somebody can
        /// count them again.
        in_full: Option<(u64, Option<StatesDigest>)>,
    },
    /// States that stand for any number of processes.
    Abstraction,
}

/// For which numbers of processes something is proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnyNumber {
    /// Any number of these proctypes, at least one of each,
    pub proctypes: Vec<String>,
    /// and at most so many of them together; `None`: without limit.
    pub together_at_most: Option<u64>,
}

/// How much was searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Figures {
    /// Stored states.
    pub states: u64,
    /// Arrivals at states.
    pub transitions: u64,
    /// Whether they are states of the model without what decides nothing.
    pub sliced: bool,
}

impl Figures {
    /// Of a search for errors, or of all states.
    pub fn of(report: &SearchReport) -> Figures {
        let (states, transitions) = (report.counts.states, report.counts.transitions());
        Figures { states, transitions, sliced: report.sliced }
    }
}

/// Under which reading a verdict holds; what does not matter for the question is `None`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// How large buffers are.
    pub capacities: CapacityReading,
    /// What counts as progress.
    pub progress: Option<ProgressReading>,
    /// Which runs count.
    pub fairness: Option<Fairness>,
}

/// An execution that shows a violation; it was replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Counterexample {
    /// At the end of a finite run something is wrong.
    Run {
        /// The run.
        trace: Trace,
        /// What is wrong at its end.
        problem: String,
    },
    /// A run with a loop at its end goes on for ever.
    Lasso(Trace),
    /// The same, of the model with other numbers of processes that start by themselves, with other capacities, or without its other
    /// formulas: what only these read is no part of the state.
    Instance {
        /// The run.
        trace: Trace,
        /// How many of which proctype.
        processes: Vec<(ProctypeId, u32)>,
        /// The only formula that is left; `None`: all are.
        formula: Option<String>,
        /// The capacity of each declaration of channels, in their order; empty: as declared.
        rooms: Vec<u32>,
    },
    /// The steps from `repeat_from` on can be repeated for ever, with more messages each time.
    Pump {
        /// The way, and the repeated part once.
        trace: Trace,
        /// The step with which the repeated part begins.
        repeat_from: usize,
        /// The channels that grow, by their number.
        grows: Vec<u32>,
        /// How many processes each repetition adds. If it is not 0, the run is one only where their number has no limit.
        more_processes: u64,
    },
}

/// A statement that no run executes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnreachedStatement {
    /// Of which proctype.
    pub automaton: AutomatonId,
    /// The statement.
    pub edge: EdgeId,
}

/// All answers about a model.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// In the order in which they are shown.
    pub answers: Vec<Answer>,
    /// Statements that no run executes, if all states were searched.
    pub unreached: Option<Vec<UnreachedStatement>>,
    /// Figures of the search for errors, if there was one.
    pub search: Option<Counts>,
    /// How full channels got in that search.
    pub peaks: Vec<ChannelPeak>,
    /// Figures of its processes, if there were several.
    pub cluster: Option<ClusterFigures>,
    /// Figures of its files, if it went on on disk.
    pub disk: Option<DiskFigures>,
    /// Wall clock time of everything.
    pub seconds: f64,
    /// Somebody ended the work.
    pub interrupted: bool,
}

/// How many answers of which kind there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// `PROVED`
    pub proved: usize,
    /// `VIOLATED`
    pub violated: usize,
    /// `UNKNOWN`
    pub unknown: usize,
    /// `PROVED` because there is nothing to prove: the model has no assertions, no buffers, …
    pub nothing: usize,
}

impl Reading {
    /// Only the capacities matter.
    pub fn of(capacities: CapacityReading) -> Reading {
        Reading { capacities, progress: None, fairness: None }
    }
}

impl Counterexample {
    /// The execution.
    pub fn trace(&self) -> &Trace {
        match self {
            Counterexample::Run { trace, .. }
            | Counterexample::Lasso(trace)
            | Counterexample::Instance { trace, .. }
            | Counterexample::Pump { trace, .. } => trace,
        }
    }

    /// The system that it is an execution of: the model's, or one with other numbers of processes or other capacities.
    pub fn system<'s>(&self, system: &'s System) -> Cow<'s, System> {
        match self {
            Counterexample::Instance { processes, formula, rooms, .. } => {
                let alone = formula.as_ref().map(|name| with_formula_alone(system, name));
                let instance = search::fair::with_processes(alone.as_ref().unwrap_or(system), processes);
                Cow::Owned(instance.with_capacities(rooms))
            }
            _ => Cow::Borrowed(system),
        }
    }

    /// The step with which a part begins that goes on for ever.
    pub fn repeats_from(&self) -> Option<usize> {
        match self {
            Counterexample::Run { .. } => None,
            Counterexample::Lasso(trace) | Counterexample::Instance { trace, .. } => trace.loop_start,
            Counterexample::Pump { repeat_from, .. } => Some(*repeat_from),
        }
    }
}

/// The model with one of its formulas only. What a formula reads is part of the state, so one that nobody asks for would cost states.
pub fn with_formula_alone(system: &System, name: &str) -> System {
    let mut model = system.model.clone();
    model.formulas.retain(|formula| formula.name == name);
    system::lower::lower(model).0
}

impl Answer {
    /// An answer with nothing beside its verdict.
    pub fn new(
        question: Question,
        verdict: Verdict<Counterexample>,
        reading: Reading,
        meaning: impl Into<String>,
    ) -> Answer {
        let (meaning, seconds) = (meaning.into(), 0.0);
        let (notes, details, hints) = (Vec::new(), Vec::new(), Vec::new());
        Answer {
            question,
            verdict,
            reading,
            meaning,
            seconds,
            bound: None,
            figures: None,
            searched: None,
            any_number: None,
            notes,
            details,
            hints,
        }
    }

    /// An `UNKNOWN` with its reason.
    pub fn unknown(
        question: Question,
        reading: Reading,
        reason: StopReason,
        meaning: impl Into<String>,
    ) -> Answer {
        let unknown = Unknown { reason, findings: Vec::new() };
        Answer::new(question, Verdict::Unknown(unknown), reading, meaning)
    }

    /// What a proof rests on, in two words; nothing if there is no proof.
    pub fn rests_on(&self) -> Option<&'static str> {
        let Verdict::Proved(evidence) = &self.verdict else { return None };
        Some(match (evidence, self.searched) {
            (Evidence::Certificate(_), _) => "certificate",
            (Evidence::Nothing(_), _) => "nothing to prove",
            (Evidence::Search { .. }, Some(Searched::Reduced { .. })) => "reduced search",
            (Evidence::Search { .. }, Some(Searched::Abstraction)) => "abstraction",
            (Evidence::Search { .. }, Some(Searched::Complete(_)) | None) => "complete search",
        })
    }

    /// The certificate, if that is what proves it.
    pub fn certificate(&self) -> Option<&certificate::Certificate> {
        match &self.verdict {
            Verdict::Proved(Evidence::Certificate(certificate)) => Some(certificate),
            _ => None,
        }
    }

    /// The execution that shows the violation.
    pub fn counterexample(&self) -> Option<&Counterexample> {
        match &self.verdict {
            Verdict::Violated(counterexample) => Some(counterexample),
            _ => None,
        }
    }
}

impl CheckReport {
    /// How many answers of which kind there are; a buffer is part of the answer about all buffers and does not count.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        for answer in self.answers.iter().filter(|a| !matches!(a.question, Question::Buffer(_))) {
            match answer.verdict {
                Verdict::Proved(Evidence::Nothing(_)) => summary.nothing += 1,
                Verdict::Proved(_) => summary.proved += 1,
                Verdict::Violated(_) => summary.violated += 1,
                Verdict::Unknown(_) => summary.unknown += 1,
            }
        }
        summary
    }

    /// Whether two answers contradicted each other, so that neither counts.
    pub fn is_contradictory(&self) -> bool {
        let contradicts = |answer: &Answer| match &answer.verdict {
            Verdict::Unknown(unknown) => matches!(unknown.reason, StopReason::Contradiction { .. }),
            _ => false,
        };
        self.answers.iter().any(contradicts)
    }

    /// The answer to a question.
    pub fn answer(&self, question: &Question) -> Option<&Answer> {
        self.answers.iter().find(|answer| answer.question == *question)
    }
}
