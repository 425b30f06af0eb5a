//! Commands: the engines asked, their answers shown, a simulation told.

use super::super::checks::{Asked, Check, Checked, was_stopped};
use super::super::verdicts::{CHECK, PROVE, SIMULATE, Verdicts};
use super::Server;
use crate::place::{name_of, uri_of};
use crate::run::Run;
use lsp_server::{Notification, Request, RequestId};
use lsp_types::{MessageType, Uri};
use serde_json::{Value, json};
use system::simulate::{Dice, Halt};

/// Steps of a simulation that is only told about.
const MOST_STEPS: usize = 10_000;

impl Server {
    pub(super) fn command(&mut self, params: lsp_types::ExecuteCommandParams) -> Result<Value, String> {
        let text = |index: usize| params.arguments.get(index).and_then(Value::as_str);
        let uri = text(0).ok_or("the command needs the URI of a text")?;
        let uri: Uri = uri.parse().map_err(|_| format!("`{uri}` is no URI"))?;
        let name = name_of(&uri);
        let asked = text(1).map_or(Asked::Everything, |question| Asked::One(question.to_string()));
        match params.command.as_str() {
            CHECK => self.check(&name, asked, false)?,
            PROVE => self.check(&name, asked, true)?,
            SIMULATE => {
                let told = self.simulate(&name)?;
                self.tell(MessageType::INFO, told);
            }
            other => return Err(format!("`{other}` is not known here")),
        }
        Ok(Value::Null)
    }

    /// Asks the engines about a text; what they say is shown when they say it.
    pub(super) fn check(&mut self, name: &str, asked: Asked, thorough: bool) -> Result<(), String> {
        let reading = self.reading(name).ok_or_else(|| format!("`{name}` is not open"))?;
        if !reading.is_usable() {
            return Err("there are errors in the model".into());
        }
        self.checks += 1;
        let what = (name.to_string(), reading);
        let check =
            Check::start(self.checks, what, (asked, thorough), self.settings.limits(), self.answers.clone());
        if let Some(document) = self.documents.get_mut(name) {
            document.check = Some(check);
        }
        Ok(())
    }

    pub(super) fn checked(&mut self, checked: Checked) {
        let Checked { name, number, reading, report } = checked;
        let Some(document) = self.documents.get_mut(&name) else { return };
        // The text has changed, or something else was asked since.
        if document.check.as_ref().is_none_or(|check| check.number != number) {
            return;
        }
        document.check = None;
        let Some(report) = report.filter(|report| !was_stopped(report)) else { return };
        match &mut document.verdicts {
            Some(verdicts) => verdicts.add(report),
            verdicts => *verdicts = Some(Verdicts { reading, report }),
        }
        let summary = document.verdicts.as_ref().map(|verdicts| verdicts.report.summary());
        self.say_problems(&name);
        if let (Some(summary), Some(uri)) = (summary, uri_of(&name)) {
            // For whoever shows it: the editor's status line, tests.
            let counts = json!({
                "uri": uri, "proved": summary.proved, "violated": summary.violated, "unknown": summary.unknown,
            });
            self.send(Notification::new("plimsoll/checked".into(), counts));
        }
        if self.refreshes_lenses {
            let id = RequestId::from(format!("lenses {number}"));
            self.send(Request::new(id, "workspace/codeLens/refresh".into(), ()));
        }
    }

    fn simulate(&mut self, name: &str) -> Result<String, String> {
        let reading = self.reading(name).ok_or_else(|| format!("`{name}` is not open"))?;
        if !reading.is_usable() {
            return Err("there are errors in the model".into());
        }
        let mut run = Run::begin(reading.system().clone())?;
        let mut dice = Dice::new(1);
        while run.steps().len() < MOST_STEPS && run.failure().is_none() {
            let choices = run.choices(run.last());
            if choices.is_empty() {
                break;
            }
            run.take(choices[dice.roll(choices.len())]);
        }
        let after = verify::after(run.steps().len());
        let violated = run.steps().iter().flat_map(|taken| &taken.violations).next();
        Ok(match (run.failure().or(violated.map(String::as_str)), run.halt()) {
            (Some(problem), _) => format!("{after}: {problem}"),
            (None, Some(Halt::Finished)) => format!("finished {after}"),
            (None, Some(Halt::Deadlock)) => format!("deadlock {after}: nothing can move"),
            (None, Some(Halt::Error(error))) => format!("error {after}: {}", error.kind),
            (None, None) => format!("stopped {after}"),
        })
    }
}
