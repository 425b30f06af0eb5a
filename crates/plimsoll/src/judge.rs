//! Whether answers are good enough: against what a model is expected to do, and against an earlier run.

use crate::exit;
use crate::input;
use clap::Args;
use promela::suggest::closest;
use report::baseline::Baseline;
use report::expect::{Comparison, Expectation};
use serde_json::Value;
use std::path::PathBuf;
use system::automaton::System;

/// What answers are held against.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Builds")]
pub struct JudgeArguments {
    /// What is as the model expects (`// expect: deadlock VIOLATED`) is a success; without it only what is not is a failure
    #[arg(long)]
    pub expect: bool,

    /// Answers of an earlier run (--format json): only what became worse is a failure
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
}

/// The same, read.
pub struct Judge {
    /// What is as expected is a success.
    pub expect: bool,
    baseline: Option<Baseline>,
}

/// What came out.
pub struct Judged {
    /// What is not as it should be: a line each.
    pub lines: Vec<String>,
    /// Against what was expected.
    pub comparison: Comparison,
    /// The exit code.
    pub code: u8,
}

impl JudgeArguments {
    /// Reads the baseline, if there is one.
    pub fn read(&self) -> Result<Judge, String> {
        let read = |path: &PathBuf| {
            let text = input::read_text(path).map_err(|wrong| match path.exists() {
                true => wrong,
                false => format!("{wrong} (plimsoll check --format json writes one)"),
            })?;
            Baseline::read(&text).map_err(|wrong| format!("`{}` is no baseline: {wrong}", path.display()))
        };
        Ok(Judge { expect: self.expect, baseline: self.baseline.as_ref().map(read).transpose()? })
    }
}

/// What the comments of a model say to expect, and what else is expected of it. Of what the model does not have nothing can be expected:
/// a name that is mistyped would be met by every model.
pub fn expectations(system: &System, more: &[Expectation]) -> Vec<Result<Expectation, String>> {
    let text = system.model.sources.files().next().map_or("", |(_, file)| &file.text);
    let all = Expectation::all_in(text).into_iter().chain(more.iter().cloned().map(Ok));
    all.map(|expectation| expectation.and_then(|expectation| there(system, expectation))).collect()
}

fn there(system: &System, expectation: Expectation) -> Result<Expectation, String> {
    let channels: Vec<String> = verify::channel_names(system).into_iter().flatten().collect();
    let formulas = || system.model.formula_names();
    let wrong = |kind: &str, name: &str, known: Option<&str>| {
        let text = &expectation.text;
        let meant = known.map_or(String::new(), |known| format!(": did you mean `{known}`?"));
        Err(format!("`expect: {text}`: there is no {kind} `{name}`{meant}"))
    };
    match expectation.question.split_once(' ') {
        Some(("ltl", name)) if !formulas().any(|known| known == name) => {
            wrong("formula", name, closest(name, formulas()))
        }
        Some(("buffer", name)) if !channels.iter().any(|known| known == name) => {
            wrong("buffer", name, closest(name, channels.iter().map(String::as_str)))
        }
        _ => Ok(expectation),
    }
}

impl Judge {
    /// Judges the answers about one model, whose exit code would be `code`.
    pub fn judge(
        &self,
        name: &str,
        model: &Value,
        expected: &[Result<Expectation, String>],
        code: u8,
    ) -> Judged {
        let comparison = Comparison::of(expected, model);
        let mut lines: Vec<String> = comparison.wrong.clone();
        if self.expect {
            lines.extend(comparison.open.iter().cloned());
        }
        let mut code = match (self.expect, &self.baseline) {
            (_, Some(baseline)) => {
                let worse = baseline.worse(name, model);
                let violated = worse.iter().any(|(_, now)| now == "VIOLATED");
                let code = match (worse.is_empty(), violated) {
                    (true, _) => exit::PROVED,
                    (false, true) => exit::VIOLATED,
                    (false, false) => exit::UNKNOWN,
                };
                lines.extend(worse.into_iter().map(|(line, _)| line));
                code
            }
            (true, None) => beside(&comparison, model),
            (false, None) => code,
        };
        if !comparison.wrong.is_empty() {
            code = exit::VIOLATED;
        }
        Judged { lines, comparison, code }
    }
}

/// The exit code of what nobody expected.
fn beside(comparison: &Comparison, model: &Value) -> u8 {
    let has = |word: &str| {
        model["results"].as_array().into_iter().flatten().any(|result| {
            let question = result["question"].as_str().unwrap_or("");
            let is_met = comparison.met.iter().any(|met| met == question);
            result["verdict"] == word && !is_met && !question.starts_with("buffer ")
        })
    };
    match (has("VIOLATED"), has("UNKNOWN") || !comparison.open.is_empty()) {
        (true, _) => exit::VIOLATED,
        (false, true) => exit::UNKNOWN,
        (false, false) => exit::PROVED,
    }
}
