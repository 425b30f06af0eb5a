//! Errors as members tell each other of them.

use crate::report::Cause;
use serde::{Deserialize, Serialize};
use system::automaton::{AutomatonId, EdgeId, LocationId};

/// Errors with one cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoundCause {
    /// What is wrong.
    #[serde(with = "Record")]
    pub cause: Cause,
    /// How often.
    pub count: u64,
    /// The first level that has a state whose expansion shows it.
    pub depth: u64,
}

/// A cause in plain numbers. Cycles have none: they are not looked for here.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Record {
    Statement { automaton: u32, edge: Option<u32>, message: String, assertion: bool, limit: bool },
    InvalidEndState { locations: Vec<(u32, u32)> },
    EventTrace { message: String },
    Other,
}

impl Record {
    fn serialize<S: serde::Serializer>(cause: &Cause, serializer: S) -> Result<S::Ok, S::Error> {
        let record = match cause.clone() {
            Cause::Statement { automaton, edge, message, assertion, limit } => Record::Statement {
                automaton: automaton.0,
                edge: edge.map(|edge| edge.0),
                message,
                assertion,
                limit,
            },
            Cause::InvalidEndState { locations } => Record::InvalidEndState {
                locations: locations.iter().map(|(automaton, location)| (automaton.0, location.0)).collect(),
            },
            Cause::EventTrace { message } => Record::EventTrace { message },
            Cause::ClaimCompleted | Cause::AcceptanceCycle | Cause::NonProgressCycle => Record::Other,
        };
        Serialize::serialize(&record, serializer)
    }

    fn deserialize<'d, D: serde::Deserializer<'d>>(deserializer: D) -> Result<Cause, D::Error> {
        let record: Record = Deserialize::deserialize(deserializer)?;
        Ok(match record {
            Record::Statement { automaton, edge, message, assertion, limit } => Cause::Statement {
                automaton: AutomatonId(automaton),
                edge: edge.map(EdgeId),
                message,
                assertion,
                limit,
            },
            Record::InvalidEndState { locations } => Cause::InvalidEndState {
                locations: locations
                    .into_iter()
                    .map(|(automaton, location)| (AutomatonId(automaton), LocationId(location)))
                    .collect(),
            },
            Record::EventTrace { message } => Cause::EventTrace { message },
            Record::Other => {
                return Err(serde::de::Error::custom("no cause of an error at the end of a run"));
            }
        })
    }
}

/// Adds errors to those that are known.
pub fn add(known: &mut Vec<FoundCause>, found: FoundCause) {
    match known.iter_mut().find(|known| known.cause == found.cause) {
        Some(known) => {
            known.count += found.count;
            known.depth = known.depth.min(found.depth);
        }
        None => known.push(found),
    }
}

/// Out of numbers of causes, counts and levels.
pub fn records(found: &[(u32, u64, u64)], cause_of: impl Fn(u32) -> Cause) -> Vec<FoundCause> {
    found.iter().map(|&(cause, count, depth)| FoundCause { cause: cause_of(cause), count, depth }).collect()
}
