//! One case: read it, and look at everything that came out.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use promela::diagnostic::{Diagnostic, Severity};
use promela::model::Model;
use promela::source::Span;
use promela::{IncludeLoader, Options};

/// How many includes of a case find a file.
const MOST_INCLUDES: u32 = 20;

/// What came of a case.
#[derive(Debug)]
pub enum Outcome {
    /// Nothing wrong with the front end.
    Fine {
        /// It is a model without errors.
        accepted: bool,
    },
    /// A panic, or something untrue in the answer. Failures with the same text count as the same.
    Failed(String),
}

/// Reads the text and checks the answer.
pub fn run(text: &str) -> Outcome {
    let mut options = Options::default();
    options.defines.push(("N".to_owned(), "3".to_owned()));
    let result = catch_unwind(AssertUnwindSafe(|| {
        let includes = Itself { text, rest: Cell::new(MOST_INCLUDES) };
        let (model, diagnostics) = promela::read("case.pml", text, &options, &includes);
        let complaint = diagnostics.iter().find_map(|diagnostic| complaint(&model, diagnostic));
        (complaint, !diagnostics.iter().any(|d| d.severity == Severity::Error))
    }));
    match result {
        Ok((None, accepted)) => Outcome::Fine { accepted },
        Ok((Some(complaint), _)) => Outcome::Failed(complaint),
        Err(payload) => Outcome::Failed(panic_message(payload.as_ref())),
    }
}

/// Every include is the case itself, a few times; more is what the preprocessor's own tests are for.
struct Itself<'a> {
    text: &'a str,
    rest: Cell<u32>,
}

impl IncludeLoader for Itself<'_> {
    fn load(&self, name: &str, _included_from: &str) -> Result<(String, String), String> {
        match self.rest.get() {
            0 => Err("no such file".to_owned()),
            rest => {
                self.rest.set(rest - 1);
                Ok((name.to_owned(), self.text.to_owned()))
            }
        }
    }
}

/// What is wrong with a diagnostic: every place must exist and every message say something.
fn complaint(model: &Model, diagnostic: &Diagnostic) -> Option<String> {
    let code = diagnostic.code;
    if diagnostic.message.is_empty() {
        return Some(format!("code {code} says nothing"));
    }
    let spans = std::iter::once(diagnostic.span).chain(diagnostic.related.iter().map(|label| label.span));
    spans.filter_map(|span| span_complaint(model, span)).map(|what| format!("code {code}: {what}")).next()
}

fn span_complaint(model: &Model, span: Span) -> Option<&'static str> {
    let sources = &model.sources;
    let chain = sources.expansion_chain(span);
    let places = chain.iter().flat_map(|expansion| [expansion.used_at, expansion.defined_at]);
    for place in std::iter::once(span).chain(places) {
        if place.file.0 as usize >= sources.files().count() {
            return Some("a place is in no file");
        }
        let text = &sources.file(place.file).text;
        let (start, end) = (place.start as usize, place.end as usize);
        if start > end {
            return Some("a place ends before it begins");
        }
        if !text.is_char_boundary(start) || !text.is_char_boundary(end) {
            return Some("a place is outside of its file, or inside of a character");
        }
        sources.line_column(place);
    }
    sources.visible_line(span);
    None
}

fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    format!("panic: {}", text.unwrap_or_else(|| "without a message".to_owned()))
}
