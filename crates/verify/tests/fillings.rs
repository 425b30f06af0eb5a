//! A plot shows what the bound says: the run behind it reaches a bound that is tight.

use promela::{IncludeLoader, Options};
use system::automaton::System;
use verify::{CheckOptions, Control, Question, Questions, check, fillings};

struct NoIncludes;

impl IncludeLoader for NoIncludes {
    fn load(&self, name: &str, _: &str) -> Result<(String, String), String> {
        Err(format!("no {name}"))
    }
}

fn system(text: &str) -> System {
    let (model, diagnostics) = promela::read("model.pml", text, &Options::default(), &NoIncludes);
    assert!(
        diagnostics.iter().all(|d| d.severity != promela::diagnostic::Severity::Error),
        "{diagnostics:?}"
    );
    system::lower::lower(model).0
}

/// The clocks make so many states that a short search in all directions does not get far.
const CLOCKS: &str = "
chan c = [2] of { byte };
active proctype sender() { c!1; c!2; c!3; c!4; c!5; c!6 }
active [3] proctype clock() { byte n; do :: n++ od }
";

#[test]
fn a_run_goes_straight_to_a_bound_that_is_known_to_be_tight() {
    let system = system(CLOCKS);
    let questions = Questions { buffers: true, ..Questions::none() };
    let report = check(&system, &CheckOptions { questions, ..CheckOptions::default() }, &Control::none());
    let answer = report.answer(&Question::Buffer("c".to_string())).expect("an answer about c");
    let bound = answer.bound.expect("c is bounded");
    assert_eq!(bound.at_most, 6);
    let filling = fillings(&system, &report).into_iter().find(|f| f.buffer == "c").expect("a filling");
    if bound.tight {
        assert_eq!(filling.messages, [0, 1, 2, 3, 4, 5, 6]);
    }
}
