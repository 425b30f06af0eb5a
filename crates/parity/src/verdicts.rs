//! The verdicts of the whole portfolio (`plimsoll check`) held against SPIN's, question by question.
//!
//! SPIN runs as its users run it: statements merged, partial-order reduction on. A question that one of the two leaves open says
//! nothing; a `PROVED` where SPIN has an error, or a `VIOLATED` where SPIN went through everything and has none, is a difference.

use crate::graph::Settings;
use crate::spin::{Ending, Figures, Workplace};
use certificate::verdict::ProgressReading;
use system::automaton::System;
use verify::{CheckOptions, Control, FormulaChoice, Question, Questions, check};

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

/// Asks the portfolio everything that SPIN can be asked too, then SPIN.
///
/// Progress is asked in SPIN's reading: by state.
pub fn compare(system: &System, workplace: &Workplace, settings: &Settings) -> Vec<Pair> {
    let questions = Questions { buffers: false, formulas: FormulaChoice::None, ..Questions::all() };
    let options = CheckOptions {
        questions,
        progress: ProgressReading::State,
        time: Some(settings.limits.time),
        ..CheckOptions::default()
    };
    let report = check(system, &options, &Control::none());
    let claimed = !system.claims.is_empty() || !system.model.formulas.is_empty();
    report
        .answers
        .iter()
        .filter_map(|answer| {
            let run = run_of(&answer.question, claimed)?;
            let theirs = if system.claims.len() > 1 {
                Err("several claims".to_string())
            } else {
                ask(workplace, &run, settings)
            };
            let ours = answer.verdict.word();
            Some(Pair { question: answer.question.to_string(), ours, theirs, seconds: answer.seconds })
        })
        .collect()
}

/// How SPIN is asked one question: the verifier, its options, and the words of the error that is the answer "yes".
struct SpinRun {
    binary: &'static str,
    defines: &'static [&'static str],
    flags: &'static [&'static str],
    errors: &'static [&'static str],
}

fn run_of(question: &Question, claimed: bool) -> Option<SpinRun> {
    const SAFETY: &[&str] = &["-DSAFETY", "-DNOCLAIM"];
    let run = match question {
        Question::Deadlock => {
            SpinRun { binary: "safety", defines: SAFETY, flags: &["-A"], errors: &["invalid end state"] }
        }
        Question::Assertions => {
            SpinRun { binary: "safety", defines: SAFETY, flags: &["-E"], errors: &["assertion violated"] }
        }
        Question::AcceptanceCycles => SpinRun {
            binary: "acceptance",
            defines: &["-DNOCLAIM"],
            flags: &["-a", "-A", "-E"],
            errors: &["acceptance cycle"],
        },
        // SPIN's own claim for this question takes the place of the model's.
        Question::Progress if !claimed => SpinRun {
            binary: "progress",
            defines: &["-DNP"],
            flags: &["-l", "-A", "-E"],
            errors: &["non-progress cycle"],
        },
        Question::Claim(_) => SpinRun {
            binary: "claim",
            defines: &["-DNOFAIR"],
            flags: &["-a", "-A", "-E"],
            errors: &["acceptance cycle", "claim violated"],
        },
        _ => return None,
    };
    Some(run)
}

fn ask(workplace: &Workplace, run: &SpinRun, settings: &Settings) -> Result<bool, String> {
    if !workplace.folder().join("pan.c").is_file() {
        let spin = workplace.run("spin", &["-a", workplace.model()], 20).map_err(|e| e.to_string())?;
        if !workplace.folder().join("pan.c").is_file() {
            return Err(format!("SPIN refuses it: {}", spin.output.lines().next().unwrap_or("")));
        }
    }
    if !workplace.folder().join(run.binary).is_file() {
        workplace.compile(run.binary, settings.compiler, run.defines)?;
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
