//! What to try next when something is unknown.

use crate::answer::{Answer, Question};
use crate::words;
use certificate::verdict::{StopReason, Verdict};

/// What to try next; nothing if the question is answered.
pub fn hints(answer: &Answer) -> Vec<String> {
    let Verdict::Unknown(unknown) = &answer.verdict else { return Vec::new() };
    let mut hints = Vec::new();
    match &unknown.reason {
        StopReason::TimeLimit { .. } => hints.push("give it more time: --time 10m".to_string()),
        StopReason::MemoryLimit { .. } => {
            hints.push("give it more memory: --memory 8G".to_string());
            if matches!(answer.question, Question::Deadlock | Question::Assertions | Question::RuntimeErrors)
            {
                hints.push("look for errors in a part of the states: plimsoll search --bitstate".to_string());
            }
        }
        StopReason::StateLimit { .. } => hints.push("allow more states: --states N".to_string()),
        StopReason::NotNeeded => hints.push("go on after the first error: --all".to_string()),
        StopReason::RefinementsExhausted | StopReason::RefinementLimit { .. } => {
            if matches!(answer.question, Question::Buffers | Question::Progress) {
                if !unknown.findings.is_empty() {
                    hints.push("look at these cycles: can they really go on together?".to_string());
                }
                hints.push("ask for the capacities that the model declares: --capacity declared".to_string());
            }
        }
        StopReason::CertificateRefused { .. } | StopReason::ReplayFailed { .. } => {
            hints.push("this is a defect of Plimsoll: please report it with the model".to_string());
        }
        _ => {}
    }
    hints
}

/// Why the work ended, for people.
pub fn reason(reason: &StopReason) -> String {
    match reason {
        StopReason::TimeLimit { seconds } => format!("time limit of {seconds} s"),
        StopReason::MemoryLimit { bytes } => format!("memory limit of {}", words::bytes(*bytes)),
        StopReason::StateLimit { states } => format!("limit of {} states", words::grouped(*states)),
        StopReason::CycleLimit { cycles } => format!("limit of {} cycles", words::grouped(*cycles)),
        StopReason::RefinementsExhausted => "every refinement was tried".to_string(),
        StopReason::RefinementLimit { refinements } => format!("limit of {refinements} refinements"),
        StopReason::Unsupported { what } => what.clone(),
        StopReason::CertificateRefused { refusal } => format!("the checker refused the proof: {refusal}"),
        StopReason::ReplayFailed { what } => format!("the counterexample does not replay: {what}"),
        StopReason::Contradiction { what } => format!("this is a defect, please report it: {what}"),
        StopReason::Cancelled => "interrupted".to_string(),
        StopReason::NotNeeded => "another error was found first".to_string(),
        other => format!("{other:?}"),
    }
}
