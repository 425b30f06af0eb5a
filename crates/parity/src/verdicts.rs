//! The verdicts of the whole portfolio (`plimsoll check`) held against SPIN's, question by question.
//!
//! SPIN runs as its users run it: statements merged, partial-order reduction on. A question that one of the two leaves open says
//! nothing; a `PROVED` where SPIN has an error, or a `VIOLATED` where SPIN went through everything and has none, is a difference.

use crate::generate::{self, tree::ModelTree};
use crate::graph::Settings;
use crate::input;
use crate::reference::Limits;
use crate::shrink::shrink;
use crate::spin::{Compiler, Ending, Figures, Workplace};
use certificate::verdict::{Capacities as ProofCapacities, ProgressReading, Verdict};
use std::time::Duration;
use system::automaton::System;
use verify::{CheckOptions, FormulaChoice, Question, Questions, Supervisor, check};

/// What both say about one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// As `check` names it.
    pub question: String,
    /// `PROVED`, `VIOLATED`, `UNKNOWN`.
    pub ours: &'static str,
    /// Whether SPIN finds an error, or why it gave no answer.
    pub theirs: Result<bool, String>,
    /// How long our side took.
    pub seconds: f64,
}

impl Pair {
    /// Whether the two cannot both be right.
    pub fn contradicts(&self) -> bool {
        matches!((self.ours, &self.theirs), ("PROVED", Ok(true)) | ("VIOLATED", Ok(false)))
    }

    /// Whether both have an answer.
    pub fn is_decided(&self) -> bool {
        self.ours != "UNKNOWN" && self.theirs.is_ok()
    }
}

/// Asks the portfolio everything that SPIN can be asked too, then SPIN, whose verifier is compiled with `defines`.
///
/// Progress is asked in SPIN's reading: by state, with the buffers as declared.
pub fn compare(system: &System, workplace: &Workplace, settings: &Settings, defines: &[&str]) -> Vec<Pair> {
    let questions = Questions { buffers: false, formulas: FormulaChoice::None, ..Questions::all() };
    let options = CheckOptions {
        questions,
        progress: ProgressReading::State,
        proof_capacities: ProofCapacities::Declared,
        time: Some(settings.limits.time),
        ..CheckOptions::default()
    };
    let report = check(system, &options, &Supervisor::none());
    let claimed = !system.claims.is_empty() || !system.model.formulas.is_empty();
    let ends_in_an_error = report
        .answer(&Question::RuntimeErrors)
        .is_some_and(|answer| matches!(answer.verdict, Verdict::Violated(_)));
    report
        .answers
        .iter()
        .filter_map(|answer| {
            let run = run_of(&answer.question, claimed)?;
            let theirs = if system.claims.len() > 1 {
                Err("several claims".to_string())
            } else if run.has_claim && system.model.features.number_of_processes {
                Err("SPIN counts the claim as a process in `_nr_pr`".to_string())
            } else if run.flags.contains(&"-A") && ends_in_an_error {
                Err("SPIN goes on behind an invalid index where it ignores assertions".to_string())
            } else {
                ask(workplace, &run, settings, defines)
            };
            let ours = answer.verdict.word();
            Some(Pair { question: answer.question.to_string(), ours, theirs, seconds: answer.seconds })
        })
        .collect()
}

/// What random models came to.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Questions that both have answered alike.
    pub equal: u64,
    /// Questions that one of the two left open.
    pub open: u64,
    /// Seeds of models with what cannot both be right.
    pub different: Vec<(u64, Vec<String>, ModelTree)>,
}

/// Asks everything about random models, SPIN without its reduction, which is not always sound.
pub fn random(count: u64, seed: u64) -> Tally {
    let mut tally = Tally::default();
    for seed in seed..seed + count {
        let model = generate::model(seed);
        let pairs = compare_model(&model, Compiler::Quick);
        let decided = pairs.iter().filter(|pair| pair.is_decided()).count();
        tally.equal += decided as u64;
        tally.open += (pairs.len() - decided) as u64;
        let wrong = contradictions(&pairs);
        if !wrong.is_empty() {
            tally.equal -= wrong.len() as u64;
            tally.different.push((seed, wrong, model));
        }
    }
    tally
}

/// The smallest model about which the two cannot both be right.
pub fn shrink_difference(model: &ModelTree) -> ModelTree {
    shrink(model, &|candidate| !contradictions(&compare_model(candidate, Compiler::Quick)).is_empty())
}

pub(crate) fn contradictions(pairs: &[Pair]) -> Vec<String> {
    let wrong = pairs.iter().filter(|pair| pair.contradicts());
    wrong.map(|pair| format!("{}: {}, SPIN: {:?}", pair.question, pair.ours, pair.theirs)).collect()
}

pub(crate) fn compare_model(model: &ModelTree, compiler: Compiler) -> Vec<Pair> {
    let text = model.text();
    let limits = Limits { states: 20_000, time: Duration::from_secs(3), atomic_steps: 300 };
    let settings = Settings { limits, compiler, seconds: 5, depth: 50_000, table: 16 };
    match (input::read_text("model.pml", &text), Workplace::of_text(&text)) {
        (Ok(system), Ok(workplace)) => compare(&system, &workplace, &settings, &["-DNOREDUCE"]),
        _ => Vec::new(),
    }
}

/// How SPIN is asked one question: the verifier, its options, and the words of the error that is the answer "yes".
struct SpinRun {
    binary: &'static str,
    defines: &'static [&'static str],
    flags: &'static [&'static str],
    errors: &'static [&'static str],
    has_claim: bool,
}

fn run_of(question: &Question, claimed: bool) -> Option<SpinRun> {
    let safety = SpinRun {
        binary: "safety",
        defines: &["-DSAFETY", "-DNOCLAIM"],
        flags: &[],
        errors: &[],
        has_claim: false,
    };
    let run = match question {
        Question::Deadlock => SpinRun { flags: &["-A"], errors: &["invalid end state"], ..safety },
        Question::Assertions => SpinRun { flags: &["-E"], errors: &["assertion violated"], ..safety },
        Question::AcceptanceCycles => SpinRun {
            binary: "acceptance",
            defines: &["-DNOCLAIM"],
            flags: &["-a", "-A", "-E"],
            errors: &["acceptance cycle"],
            has_claim: false,
        },
        // SPIN's own claim for this question takes the place of the model's.
        Question::Progress if !claimed => SpinRun {
            binary: "progress",
            defines: &["-DNP"],
            flags: &["-l", "-A", "-E"],
            errors: &["non-progress cycle"],
            has_claim: true,
        },
        Question::Claim(_) => SpinRun {
            binary: "claim",
            defines: &["-DNOFAIR"],
            flags: &["-a", "-A", "-E"],
            errors: &["acceptance cycle", "claim violated"],
            has_claim: true,
        },
        _ => return None,
    };
    Some(run)
}

/// Whether SPIN finds a weakly fair run without progress.
pub fn fair_non_progress(workplace: &Workplace, settings: &Settings) -> Result<bool, String> {
    let run = SpinRun {
        binary: "fair",
        defines: &["-DNP"],
        flags: &["-l", "-f", "-A", "-E"],
        errors: &["non-progress cycle"],
        has_claim: true,
    };
    ask(workplace, &run, settings, &["-DNOREDUCE"])
}

fn ask(workplace: &Workplace, run: &SpinRun, settings: &Settings, defines: &[&str]) -> Result<bool, String> {
    if !workplace.folder().join("pan.c").is_file() {
        let spin = workplace.run("spin", &["-a", workplace.model()], 20).map_err(|e| e.to_string())?;
        if !workplace.folder().join("pan.c").is_file() {
            return Err(format!("SPIN refuses it: {}", spin.output.lines().next().unwrap_or("")));
        }
    }
    if !workplace.folder().join(run.binary).is_file() {
        workplace.compile(run.binary, settings.compiler, &[run.defines, defines].concat())?;
    }
    let (depth, table) = (format!("-m{}", settings.depth), format!("-w{}", settings.table));
    let mut arguments = vec!["-n", depth.as_str(), table.as_str()];
    arguments.extend(run.flags);
    let program = format!("./{}", run.binary);
    let done = workplace.run(&program, &arguments, settings.seconds).map_err(|e| e.to_string())?;
    match done.ending {
        Ending::TimedOut => return Err(format!("SPIN needs more than {} s", settings.seconds)),
        Ending::Crashed => return Err("the verifier crashed".to_string()),
        Ending::Exited(_) => {}
    }
    let figures = Figures::parse(&done.output).ok_or("the verifier stopped")?;
    let is_the_answer = |message: &String| run.errors.iter().any(|error| message.starts_with(error));
    match figures.messages.iter().any(is_the_answer) {
        true => Ok(true),
        false if figures.errors > 0 => Err(format!("another error: {:?}", figures.messages)),
        false if figures.depth_exceeded => Err("deeper than SPIN's stack".to_string()),
        false => Ok(false),
    }
}
