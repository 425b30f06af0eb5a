//! A model without buffers is asked nothing about them, whatever else it is.

use certificate::verdict::{Evidence, Verdict};
use promela::{IncludeLoader, Options};
use verify::{CheckOptions, Control, Question, Questions, check};

struct NoIncludes;

impl IncludeLoader for NoIncludes {
    fn load(&self, name: &str, _: &str) -> Result<(String, String), String> {
        Err(format!("no {name}"))
    }
}

#[test]
fn a_rendezvous_is_no_buffer() {
    let text =
        "chan c = [0] of { byte };\nactive proctype P() { c!1 }\nactive proctype Q() { byte x; c?x }\n";
    let (model, _) = promela::read("model.pml", text, &Options::default(), &NoIncludes);
    let system = system::lower::lower(model).0;
    let questions = Questions { buffers: true, ..Questions::none() };
    let report = check(&system, &CheckOptions { questions, ..CheckOptions::default() }, &Control::none());
    let answer = report.answer(&Question::Buffers).expect("an answer");
    let expected = Evidence::Nothing("the model has no buffers".to_string());
    assert!(matches!(&answer.verdict, Verdict::Proved(evidence) if *evidence == expected), "{answer:?}");
}
