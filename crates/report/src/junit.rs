//! Answers as test results, in the XML form that build servers read: a suite for each model, a case for each question.

use crate::chart::escape;
use crate::expect::Comparison;
use serde_json::Value;
use std::fmt::Write;

/// Test results of several models.
#[derive(Clone, Debug, Default)]
pub struct Junit {
    suites: String,
    totals: Totals,
}

#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    tests: usize,
    failures: usize,
    errors: usize,
    seconds: f64,
}

impl Junit {
    /// Adds the answers about a model, in the form that machines read. An answer that was expected is no failure.
    pub fn add(&mut self, name: &str, model: &Value, comparison: &Comparison) {
        let mut totals = Totals { seconds: model["seconds"].as_f64().unwrap_or(0.0), ..Totals::default() };
        let mut cases = String::new();
        let results = model["results"].as_array().map_or(&[][..], Vec::as_slice);
        for result in results {
            let text = |field: &str| result[field].as_str().unwrap_or("").to_string();
            let (question, verdict, meaning) = (text("question"), text("verdict"), text("meaning"));
            // A buffer is part of the answer about all buffers.
            if question.starts_with("buffer ") {
                continue;
            }
            let expected = comparison.met.contains(&question);
            let wrong = match verdict.as_str() {
                "VIOLATED" if !expected => {
                    totals.failures += 1;
                    Some(("failure", format!("{meaning}\n{}", text("counterexample"))))
                }
                "UNKNOWN" if !expected => {
                    totals.errors += 1;
                    Some(("error", format!("{meaning}\nstopped by: {}", text("reason"))))
                }
                _ => None,
            };
            totals.tests += 1;
            let seconds = result["seconds"].as_f64().unwrap_or(0.0);
            case(&mut cases, name, &question, seconds, wrong.map(|(tag, text)| (tag, verdict, text)));
        }
        for (tag, lines) in [("failure", &comparison.wrong), ("error", &comparison.open)] {
            for (index, line) in lines.iter().enumerate() {
                totals.tests += 1;
                match tag {
                    "failure" => totals.failures += 1,
                    _ => totals.errors += 1,
                }
                let title = format!("expectation {}", index + 1);
                case(&mut cases, name, &title, 0.0, Some((tag, "expectation".to_string(), line.clone())));
            }
        }
        self.suite(name, totals, &cases);
    }

    /// Adds a model that cannot be used.
    pub fn add_unusable(&mut self, name: &str, message: &str) {
        let mut cases = String::new();
        case(&mut cases, name, "model", 0.0, Some(("error", "model".to_string(), message.to_string())));
        self.suite(name, Totals { tests: 1, errors: 1, ..Totals::default() }, &cases);
    }

    /// The whole document.
    pub fn document(&self) -> String {
        let attributes = attributes(&self.totals);
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"plimsoll\" {attributes}>\n{}</testsuites>\n",
            self.suites
        )
    }

    fn suite(&mut self, name: &str, totals: Totals, cases: &str) {
        let attributes = attributes(&totals);
        let _ = write!(
            self.suites,
            "  <testsuite name=\"{}\" {attributes}>\n{cases}  </testsuite>\n",
            in_xml(name)
        );
        self.totals.tests += totals.tests;
        self.totals.failures += totals.failures;
        self.totals.errors += totals.errors;
        self.totals.seconds += totals.seconds;
    }
}

fn attributes(totals: &Totals) -> String {
    let Totals { tests, failures, errors, seconds } = totals;
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.3}\"")
}

fn case(out: &mut String, model: &str, name: &str, seconds: f64, wrong: Option<(&str, String, String)>) {
    let (model, name) = (in_xml(model), in_xml(name));
    let _ = write!(out, "    <testcase classname=\"{model}\" name=\"{name}\" time=\"{seconds:.3}\"");
    match wrong {
        None => out.push_str("/>\n"),
        Some((tag, kind, text)) => {
            let first = in_xml(text.lines().next().unwrap_or(""));
            let _ = writeln!(
                out,
                ">\n      <{tag} type=\"{kind}\" message=\"{first}\">{}</{tag}>\n    </testcase>",
                in_xml(text.trim_end())
            );
        }
    }
}

/// Text that XML 1.0 allows.
fn in_xml(text: &str) -> String {
    let allowed = |c: &char| *c >= ' ' || matches!(c, '\n' | '\t');
    escape(&text.chars().filter(allowed).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_violated_fails_unless_it_was_expected() {
        let model = json!({ "seconds": 0.5, "results": [
            { "question": "deadlock", "verdict": "VIOLATED", "meaning": "a < b & \"c\"", "seconds": 0.1 },
            { "question": "progress", "verdict": "UNKNOWN", "meaning": "no answer yet", "reason": "time limit", "seconds": 0.1 },
            { "question": "buffers", "verdict": "PROVED", "meaning": "bounded", "seconds": 0.1 },
            { "question": "buffer c", "verdict": "PROVED", "meaning": "bounded", "seconds": 0.1 },
        ] });
        let mut junit = Junit::default();
        junit.add("m.pml", &model, &Comparison::default());
        let text = junit.document();
        assert!(text.contains("tests=\"3\" failures=\"1\" errors=\"1\""), "{text}");
        assert!(text.contains("message=\"a &lt; b &amp; &quot;c&quot;\""), "{text}");
        let met = Comparison { met: vec!["deadlock".into(), "progress".into()], ..Comparison::default() };
        let mut junit = Junit::default();
        junit.add("m.pml", &model, &met);
        assert!(junit.document().contains("failures=\"0\" errors=\"0\""), "{}", junit.document());
    }
}
