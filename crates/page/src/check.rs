//! A model checked: the answers as the command line writes them with `--format json`, and its page.

use certificate::verdict::Fairness;
use editor::reading::{Reading, Settings};
use promela::model::ProctypeId;
use report::{html, json};
use search::fair::{Numbers, ProcessNumber};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use verify::{CheckOptions, Engines, Event, Supervisor};

/// A model, and how much its answers may cost.
#[derive(Clone, Deserialize, Debug)]
#[serde(default, rename_all = "camelCase")]
pub struct Check {
    /// What it is called.
    pub name: String,
    /// What it says.
    pub text: String,
    /// How long it may take.
    pub seconds: f64,
    /// How much memory it may take.
    pub megabytes: usize,
    /// How many states a search may keep.
    pub states: Option<u64>,
    /// Go on for certificates as long as there is time.
    pub thorough: bool,
    /// Which runs count for formulas.
    pub fairness: Runs,
    /// Proctypes of which there may be any number, for formulas.
    pub any_number: Vec<String>,
}

/// Which runs count.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Debug, Default)]
#[serde(rename_all = "lowercase")]
pub enum Runs {
    /// All.
    #[default]
    All,
    /// Weakly fair ones.
    Weak,
    /// Strongly fair ones.
    Strong,
}

impl Default for Check {
    fn default() -> Check {
        Check {
            name: "model.pml".to_string(),
            text: String::new(),
            seconds: 30.0,
            megabytes: 1024,
            states: None,
            thorough: false,
            fairness: Runs::All,
            any_number: Vec::new(),
        }
    }
}

impl Check {
    fn options(&self, reading: &Reading) -> CheckOptions {
        let memory = Some(self.megabytes.clamp(16, 3 << 10) << 20);
        let proctypes = reading.model.proctypes.iter().enumerate();
        let any = proctypes.filter(|(_, proctype)| self.any_number.contains(&proctype.name));
        let mut options = CheckOptions {
            fairness: match self.fairness {
                Runs::All => Fairness::None,
                Runs::Weak => Fairness::Weak,
                Runs::Strong => Fairness::Strong,
            },
            processes: any
                .map(|(index, _)| ProcessNumber { proctype: ProctypeId(index as u32), number: Numbers::Any })
                .collect(),
            time: Duration::try_from_secs_f64(self.seconds).ok(),
            memory,
            memory_limit: memory,
            thorough: self.thorough,
            // Also where there are threads: a page and whoever compares with it ask the same engines in the same order.
            engines: Engines::InTurns,
            ..CheckOptions::default()
        };
        options.search.states = self.states;
        options
    }
}

/// Checks a model. What happens meanwhile is told in lines of JSON: `question` with `states`, or with its `verdict`.
pub fn check(asked: &Check, tell: fn(&str)) -> Value {
    let reading = Reading::new(&asked.name, &asked.text, &Settings::default(), &|_| None);
    if !reading.is_usable() {
        let message = "there are errors in the model";
        return json::unusable(&asked.name, message, Some(reading.sources()), &reading.diagnostics);
    }
    let watcher = move |event: Event| tell(&told(&event).to_string());
    let supervisor = Supervisor::none().watched_by(Arc::new(watcher));
    let report = verify::check(reading.system(), &asked.options(&reading), &supervisor);
    let fillings = verify::fillings(reading.system(), &report);
    json!({
        "answers": json::model(&asked.name, reading.system(), &report, &[]),
        "page": html::page(&asked.name, reading.system(), &report, &fillings, None),
    })
}

fn told(event: &Event) -> Value {
    match event {
        Event::Searching(question, status) => {
            json!({ "question": question.to_string(), "states": status.states })
        }
        Event::Answered(question, verdict) => {
            json!({ "question": question.to_string(), "verdict": verdict })
        }
        Event::Started(question) => json!({ "question": question.to_string() }),
        _ => Value::Null,
    }
}
