//! What a model is expected to do, and whether it does: lines `expect: deadlock PROVED` in a model's comments or in a configuration.
//!
//! Answers are compared in the form that machines read (`plimsoll/1`), so answers that were kept from another run count as well.

use serde_json::Value;

/// One expectation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    /// As it is written: `buffers PROVED`.
    pub text: String,
    /// The question that it is about: `buffers`, `ltl p0`, `buffer ts[0]`.
    pub question: String,
    fairness: Option<String>,
    expected: Expected,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Expected {
    Verdict(String),
    /// A buffer holds so many messages in some run, and never more.
    Bound(u64),
    /// Figures that others compare.
    Figures,
}

/// What became of one model's expectations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comparison {
    /// Questions whose answers are as expected.
    pub met: Vec<String>,
    /// What is not: a line each.
    pub wrong: Vec<String>,
    /// What is not known: a line each.
    pub open: Vec<String>,
}

/// Questions without a name.
const PLAIN: [&str; 7] = ["buffers", "progress", "deadlock", "assertions", "errors", "trace", "acceptance"];
/// Questions with one.
const NAMED: [&str; 3] = ["ltl", "claim", "buffer"];
const VERDICTS: [&str; 3] = ["PROVED", "VIOLATED", "UNKNOWN"];

impl Expectation {
    /// Reads `deadlock PROVED`, `ltl p0 PROVED`, `ltl p0 fairness=weak PROVED`, `bound ts[0] 2`.
    pub fn parse(text: &str) -> Result<Expectation, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let number = |word: &str| word.parse::<u64>().ok();
        let text = words.join(" ");
        let make = |question: String, fairness: Option<&str>, expected: Expected| {
            let fairness = fairness.map(str::to_string);
            Ok(Expectation { text: text.clone(), question, fairness, expected })
        };
        let verdict = |word: &str| Expected::Verdict(word.to_string());
        match words[..] {
            [question, word] if PLAIN.contains(&question) && VERDICTS.contains(&word) => {
                make(question.to_string(), None, verdict(word))
            }
            [kind, name, word] if NAMED.contains(&kind) && VERDICTS.contains(&word) => {
                make(format!("{kind} {name}"), None, verdict(word))
            }
            [kind, name, fairness, word]
                if NAMED.contains(&kind) && fairness.starts_with("fairness=") && VERDICTS.contains(&word) =>
            {
                let fairness = fairness.trim_start_matches("fairness=");
                make(format!("{kind} {name}"), Some(fairness), verdict(word))
            }
            ["bound", name, most] if number(most).is_some() => {
                make(format!("buffer {name}"), None, Expected::Bound(number(most).unwrap_or(0)))
            }
            ["states", _, "transitions", _] | ["errors", _, "atomic-steps", _] => {
                make(words[0].to_string(), None, Expected::Figures)
            }
            _ => Err(format!(
                "`expect: {text}` is not understood: write `expect: deadlock PROVED`, `expect: ltl NAME VIOLATED` or `expect: bound NAME 2`"
            )),
        }
    }

    /// The lines of a model's comments that say what to expect, or what is wrong with them.
    pub fn all_in(model: &str) -> Vec<Result<Expectation, String>> {
        let mut found = Vec::new();
        for (index, line) in model.lines().enumerate() {
            let text = line.trim_start_matches(['/', '*', ' ', '\t']);
            let Some(text) = text.strip_prefix("expect: ") else { continue };
            let text = text.trim_end().trim_end_matches("*/");
            found.push(Expectation::parse(text).map_err(|wrong| format!("line {}: {wrong}", index + 1)));
        }
        found
    }
}

impl Comparison {
    /// Holds the answers about a model against what is expected of it.
    pub fn of(expected: &[Result<Expectation, String>], model: &Value) -> Comparison {
        let mut comparison = Comparison::default();
        for expectation in expected {
            match expectation {
                Ok(expectation) => comparison.judge(expectation, model),
                Err(message) => comparison.wrong.push(message.clone()),
            }
        }
        comparison
    }

    fn judge(&mut self, expectation: &Expectation, model: &Value) {
        let Expectation { text, question, fairness, expected } = expectation;
        let results = model["results"].as_array().map_or(&[][..], Vec::as_slice);
        // What was not asked is not compared: not every command asks everything.
        let Some(result) = results.iter().find(|result| result["question"] == question.as_str()) else {
            return;
        };
        let asked = result["reading"]["fairness"].as_str().unwrap_or("none");
        if fairness.as_ref().is_some_and(|fairness| fairness != asked) {
            return;
        }
        let found = result["verdict"].as_str().unwrap_or("UNKNOWN");
        let meaning = result["meaning"].as_str().unwrap_or("");
        let unlike = |found: &str| format!("expected {text}, found {found}: {meaning}");
        match expected {
            Expected::Figures => {}
            Expected::Verdict(word) if word == "UNKNOWN" || word == found => self.met.push(question.clone()),
            Expected::Verdict(_) if found == "UNKNOWN" => self.open.push(unlike(found)),
            Expected::Verdict(_) => self.wrong.push(unlike(found)),
            Expected::Bound(most) => match (result["bound"].as_u64(), result["tight"].as_bool()) {
                (Some(bound), _) if bound == *most => {}
                (Some(bound), tight) if bound < *most || tight == Some(true) => {
                    self.wrong.push(format!("expected {text}, found at most {bound}"));
                }
                _ if found == "VIOLATED" => self.wrong.push(unlike(found)),
                _ => self.open.push(unlike(found)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn compared(lines: &str) -> (usize, usize, usize) {
        let model = json!({ "results": [
            { "question": "deadlock", "verdict": "VIOLATED", "meaning": "stuck", "reading": {} },
            { "question": "progress", "verdict": "UNKNOWN", "meaning": "", "reading": {} },
            { "question": "buffer c", "verdict": "PROVED", "bound": 2, "tight": true, "reading": {} },
            { "question": "ltl p", "verdict": "PROVED", "meaning": "", "reading": { "fairness": "weak" } },
        ] });
        let comparison = Comparison::of(&Expectation::all_in(lines), &model);
        (comparison.met.len(), comparison.wrong.len(), comparison.open.len())
    }

    #[test]
    fn what_is_expected_is_read_from_comments_and_compared() {
        assert_eq!(compared("// expect: deadlock VIOLATED\n"), (1, 0, 0));
        assert_eq!(compared("/* about it\n   expect: deadlock PROVED */\n"), (0, 1, 0));
        assert_eq!(compared("// expect: progress PROVED\n"), (0, 0, 1));
        assert_eq!(compared("// expect: progress UNKNOWN\n"), (1, 0, 0));
        assert_eq!(compared("// expect: bound c 2\n// expect: bound c 3\n"), (0, 1, 0));
        assert_eq!(compared("// expect: ltl p fairness=strong VIOLATED\n"), (0, 0, 0));
        assert_eq!(compared("// expect: ltl p fairness=weak VIOLATED\n"), (0, 1, 0));
    }

    #[test]
    fn what_nobody_understands_is_wrong() {
        assert_eq!(compared("// expect: bufers PROVED\n"), (0, 1, 0));
        assert_eq!(compared("// expect: deadlock YES\n"), (0, 1, 0));
    }
}
