//! Acceptance cycles, non-progress cycles and never claims: verdicts compared with SPIN's, without fairness.

use crate::engines::{CycleQuestion, has_cycle};
use crate::graph::Settings;
use crate::spin::{Ending, Figures, Workplace};
use search::Reduction;
use system::automaton::System;

/// The answers to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answers {
    /// Both say the same.
    Equal(bool),
    /// They disagree: ours first.
    Different(bool, bool),
    /// One gave no answer; why.
    NotCompared(String),
}

/// The questions that make sense for a model.
pub fn questions(system: &System) -> Vec<CycleQuestion> {
    let mut questions = vec![CycleQuestion::Acceptance];
    let has_formulas = !system.model.formulas.is_empty();
    if system.claims.is_empty() && !has_formulas {
        // SPIN's own claim for this question takes the place of the model's.
        questions.push(CycleQuestion::NonProgress);
    } else if system.claims.len() == 1 && !has_formulas {
        questions.push(CycleQuestion::Claim);
    }
    questions
}

/// Asks SPIN, and our search with and without reduction.
pub fn compare(
    system: &System,
    workplace: &Workplace,
    question: CycleQuestion,
    settings: &Settings,
) -> Answers {
    if question != CycleQuestion::Acceptance && system.model.features.number_of_processes {
        return Answers::NotCompared("SPIN counts the claim as a process in `_nr_pr`".to_string());
    }
    let theirs = match ask_spin(workplace, question, settings) {
        Ok(answer) => answer,
        Err(why) => return Answers::NotCompared(why),
    };
    for reduction in [Reduction::Full, Reduction::Reduced] {
        match has_cycle(system, question, reduction, &settings.limits) {
            Ok(ours) if ours == theirs => {}
            Ok(ours) => return Answers::Different(ours, theirs),
            Err(why) => return Answers::NotCompared(why),
        }
    }
    Answers::Equal(theirs)
}

fn ask_spin(workplace: &Workplace, question: CycleQuestion, settings: &Settings) -> Result<bool, String> {
    let (binary, define, flag) = match question {
        CycleQuestion::Acceptance => ("acceptance", "-DNOCLAIM", "-a"),
        CycleQuestion::NonProgress => ("progress", "-DNP", "-l"),
        CycleQuestion::Claim => ("claim", "-DNOFAIR", "-a"),
    };
    if !workplace.folder().join("pan.c").is_file() {
        workplace.generate()?;
    }
    workplace.compile(binary, settings.compiler, &["-DNOREDUCE", define])?;
    let (depth, table) = (format!("-m{}", settings.depth), format!("-w{}", settings.table));
    // Without assertions and end states, which are asked for elsewhere.
    let arguments = [flag, "-n", "-A", "-E", depth.as_str(), table.as_str()];
    let run =
        workplace.run(&format!("./{binary}"), &arguments, settings.seconds).map_err(|e| e.to_string())?;
    match run.ending {
        Ending::TimedOut => return Err(format!("SPIN needs more than {} s", settings.seconds)),
        Ending::Crashed => return Err("the verifier crashed".to_string()),
        Ending::Exited(_) => {}
    }
    let figures = Figures::parse(&run.output).ok_or("the verifier stopped")?;
    let expected = |m: &String| {
        m.contains("acceptance cycle") || m.contains("non-progress cycle") || m.contains("claim violated")
    };
    match (figures.errors, figures.messages.iter().any(expected)) {
        (0, _) if figures.depth_exceeded => Err("deeper than SPIN's stack".to_string()),
        (0, _) => Ok(false),
        (_, true) => Ok(true),
        (_, false) => Err(format!("another error: {:?}", figures.messages)),
    }
}
