//! The models with formulas, asked for every capacity: what their headers say is never contradicted, and most of it is found out.

use certificate::verdict::{Fairness, Verdict};
use std::path::Path;
use std::time::Duration;
use system::capacities::CapacityReading;
use system::read_text;
use verify::{CheckOptions, FormulaChoice, Question, Questions, Supervisor, check};

/// `answered: holds under weak fairness` in the comment at the top.
fn truths(text: &str) -> Vec<(String, bool, Fairness)> {
    let header = text.split("*/").next().unwrap_or_default();
    let lines = header.lines().skip_while(|line| !line.contains("For any capacity:")).skip(1);
    let truth = |line: &str| {
        let (name, rest) = line.trim().split_once(": ")?;
        let fairness = match rest {
            _ if rest.ends_with("under weak fairness") => Fairness::Weak,
            _ if rest.ends_with("under strong fairness") => Fairness::Strong,
            _ => Fairness::None,
        };
        Some((name.to_string(), rest.starts_with("holds"), fairness))
    };
    lines.filter_map(truth).collect()
}

#[test]
fn models_with_formulas_are_decided_for_every_capacity() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/formulas");
    let (mut models, mut decided_models, mut wrong) = (0, 0, Vec::new());
    let mut open = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the models") {
        let path = entry.expect("a model").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let system = read_text(&text).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        let truths = truths(&text);
        assert!(!truths.is_empty(), "{name} says nothing");
        models += 1;
        let mut all = true;
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
            if !truths.iter().any(|(_, _, asked)| *asked == fairness) {
                continue;
            }
            let options = CheckOptions {
                questions: Questions { formulas: FormulaChoice::All, ..Questions::none() },
                formula_capacities: CapacityReading::Any,
                fairness,
                time: Some(Duration::from_secs(20)),
                ..CheckOptions::default()
            };
            let report = check(&system, &options, &Supervisor::none());
            for (formula, holds, _) in truths.iter().filter(|(_, _, asked)| *asked == fairness) {
                let answer = report.answer(&Question::Formula(formula.clone())).expect("an answer");
                match (&answer.verdict, holds) {
                    (Verdict::Proved(_), true) | (Verdict::Violated(_), false) => {}
                    (Verdict::Unknown(_), _) => {
                        all = false;
                        open.push(format!("{name}: {formula}"));
                    }
                    _ => wrong.push(format!("{name}: {formula} {fairness:?}: {:?}", answer.verdict.word())),
                }
            }
        }
        decided_models += usize::from(all);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(models >= 30 && decided_models >= 28, "{decided_models} of {models}; open: {open:?}");
}
