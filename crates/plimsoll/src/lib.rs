//! Plimsoll for programs that embed it: from the text of a model to answers about it, in one call.
//!
//! ```
//! use plimsoll::{CheckOptions, Question, Verdict};
//!
//! let source = "
//!     chan requests = [2] of { byte };
//!     chan answers = [2] of { byte };
//!     active proctype client() { do :: requests!1; answers?1 od }
//!     active proctype server() { do :: requests?1; answers!1 od }
//! ";
//! let report = plimsoll::check(source, &CheckOptions::default())?;
//!
//! let buffers = report.answer(&Question::Buffers).expect("it was asked");
//! assert!(matches!(buffers.verdict, Verdict::Proved(_)));
//! assert_eq!(buffers.meaning, "every buffer is bounded, whatever its capacity");
//! let requests = report.answer(&Question::Buffer("requests".into())).expect("it has such a buffer");
//! assert_eq!(requests.bound.map(|bound| bound.at_most), Some(1));
//! # Ok::<(), plimsoll::NoModel>(())
//! ```
//!
//! What is proved comes with a certificate that anybody can check again, and what is violated with a run:
//!
//! ```
//! use plimsoll::{CheckOptions, Question, Questions, Verdict, certificate};
//!
//! let flood = "chan c = [4] of { byte }; active proctype sender() { do :: c!1 od }";
//! let system = plimsoll::read(flood)?;
//! let questions = Questions { buffers: true, ..Questions::none() };
//! let report = plimsoll::check(flood, &CheckOptions { questions, ..CheckOptions::default() })?;
//!
//! let answer = report.answer(&Question::Buffers).expect("it was asked");
//! let Verdict::Violated(counterexample) = &answer.verdict else { panic!("{}", answer.meaning) };
//! let run = certificate::trace::replay(&system, counterexample.trace()).expect("it is a run");
//! assert_eq!(run.steps.len(), counterexample.trace().steps.len());
//! # Ok::<(), plimsoll::NoModel>(())
//! ```
//!
//! A text that is no model is refused with what is wrong, and where:
//!
//! ```
//! let refused = plimsoll::check("active proctype P() { x = 1 }", &Default::default()).unwrap_err();
//! assert!(refused.to_string().contains("`x`"), "{refused}");
//! ```
//!
//! Work is watched and stopped through a [`Supervisor`]: whatever was found until then is in the report.
//!
//! Deliberately absent: files, terminals, exit codes; they belong to the program of the same name.

use promela::diagnostic::{Diagnostic, Severity};
use promela::source::SourceMap;
use report::diagnostic::{Colour, render};
use std::fmt;
use system::automaton::System;

pub use certificate;
pub use certificate::verdict::{Evidence, StopReason, Unknown, Verdict};
pub use verify::{
    Answer, Bound, CheckOptions, CheckReport, Counterexample, Event, Figures, Question, Questions, Reading,
    Summary, Supervisor,
};

/// Why a text is no model.
#[derive(Clone, Debug)]
pub struct NoModel {
    /// What is wrong, and what is only odd.
    pub diagnostics: Vec<Diagnostic>,
    sources: Box<SourceMap>,
}

impl fmt::Display for NoModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(render(&self.sources, &self.diagnostics, Colour::Plain).trim_end())
    }
}

impl std::error::Error for NoModel {}

/// Reads a model that is all in one text.
pub fn read(source: &str) -> Result<System, NoModel> {
    let options = promela::Options::default();
    let (model, diagnostics) = promela::read("model.pml", source, &options, &promela::NoIncludes);
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(NoModel { diagnostics, sources: Box::new(model.sources) });
    }
    Ok(system::lower::lower(model).0)
}

/// Asks everything that the options want and the model makes askable.
pub fn check(source: &str, options: &CheckOptions) -> Result<CheckReport, NoModel> {
    check_with(source, options, &Supervisor::none())
}

/// The same, watched and perhaps stopped by somebody.
pub fn check_with(
    source: &str,
    options: &CheckOptions,
    supervisor: &Supervisor,
) -> Result<CheckReport, NoModel> {
    Ok(verify::check(&read(source)?, options, supervisor))
}
