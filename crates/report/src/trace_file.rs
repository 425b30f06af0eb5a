//! Counterexamples as files: the trace, and beside it what it shows.

use certificate::trace::Trace;
use promela::model::{Proctype, ProctypeId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use system::automaton::System;
use verify::{Answer, Counterexample};

/// A trace as it is written. The additions are for people and for the drawing of loops; replaying needs the trace alone.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceFile {
    /// The execution.
    #[serde(flatten)]
    pub trace: Trace,
    /// Which question it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// What is wrong, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shows: Option<String>,
    /// The step with which a part begins that can be repeated for ever with more messages each time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat_from: Option<usize>,
    /// How many processes of which proctype start by themselves, where that is not what the model says.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub processes: BTreeMap<String, u32>,
    /// The formula that is left where the model is read without its others: what only these read is no part of the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// The capacity of each declaration of channels, in their order, where these are not what the model says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rooms: Vec<u32>,
    /// What was added to the model when it was asked: a formula reads variables that would otherwise be no part of the state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<AddedText>,
    /// How the model was read that it is an execution of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ModelSource>,
}

/// How a model was read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ModelSource {
    /// Its file.
    pub path: String,
    /// Macros that were defined before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defines: Vec<(String, String)>,
    /// Macros that were undefined before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undefines: Vec<String>,
    /// Folders with files that it includes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include_folders: Vec<String>,
}

/// Text that is read as if it stood at the end of the model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AddedText {
    /// What messages call it.
    pub name: String,
    /// The text.
    pub text: String,
}

impl TraceFile {
    /// The counterexample of a violated answer.
    pub fn of(system: &System, answer: &Answer) -> Option<TraceFile> {
        let counterexample = answer.counterexample()?;
        let repeat_from = match counterexample {
            Counterexample::Pump { repeat_from, .. } => Some(*repeat_from),
            _ => None,
        };
        let formula = match counterexample {
            Counterexample::Instance { formula, .. } => formula.clone(),
            _ => None,
        };
        let processes = match counterexample {
            Counterexample::Instance { processes, .. } => processes
                .iter()
                .map(|(id, number)| (system.model.proctypes[id.0 as usize].name.clone(), *number))
                .collect(),
            _ => BTreeMap::new(),
        };
        let rooms = match counterexample {
            Counterexample::Instance { rooms, .. } => rooms.clone(),
            _ => Vec::new(),
        };
        Some(TraceFile {
            processes,
            formula,
            rooms,
            trace: counterexample.trace().clone(),
            question: Some(answer.question.to_string()),
            shows: Some(answer.meaning.clone()),
            repeat_from,
            added: Vec::new(),
            source: None,
        })
    }

    /// A run of which nothing is known but itself.
    pub fn plain(trace: Trace) -> TraceFile {
        TraceFile {
            trace,
            question: None,
            shows: None,
            repeat_from: None,
            processes: BTreeMap::new(),
            formula: None,
            rooms: Vec::new(),
            added: Vec::new(),
            source: None,
        }
    }

    /// The system that the trace is an execution of.
    pub fn system(&self, system: System) -> System {
        let system = match &self.formula {
            Some(name) => verify::with_formula_alone(&system, name),
            None => system,
        };
        let proctypes = system.model.proctypes.iter().enumerate();
        let number = |(index, proctype): (usize, &Proctype)| {
            self.processes.get(&proctype.name).map(|&number| (ProctypeId(index as u32), number))
        };
        let numbers: Vec<_> = proctypes.filter_map(number).collect();
        system.with_active(numbers).with_capacities(&self.rooms)
    }

    /// The step with which a part begins that goes on for ever.
    pub fn repeats_from(&self) -> Option<usize> {
        self.repeat_from.or(self.trace.loop_start)
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// From JSON.
    pub fn from_json(text: &str) -> Result<TraceFile, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }
}
