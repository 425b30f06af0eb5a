//! `plimsoll certify ANSWERS MODEL`: proofs by search, whose states are counted again by the slow engine.
//!
//! The evidence of a complete search is the number of states and a digest of the set of them. The reference engine, which packs, merges
//! and remembers nothing, comes to the same two or the proof is refused. What holds in each state is not asked again, and
//! not said.

use crate::exit;
use crate::files;
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Write;
use system::automaton::System;
use system::interpreter::Capacities;

/// Bytes that a state of the slow engine may take, with its place among the others.
const STATE: u64 = 2048;

/// A proof that rests on a search of all states.
struct Searched {
    question: String,
    capacities: Capacities,
    states: u64,
    digest: String,
}

/// Counts the states of every proof by search in the answers; `room` is the memory for it.
pub fn run(system: &System, answers: &Value, room: Option<usize>) -> u8 {
    if answers["fingerprint"].as_str() != Some(system.fingerprint()) {
        complain_line!("error: the answers are about another model, or another version of this one");
        return exit::ERROR;
    }
    let results = answers["results"].as_array().map_or(&[][..], Vec::as_slice);
    let proofs: Vec<Searched> = results.iter().filter_map(searched).collect();
    if proofs.is_empty() {
        complain_line!(
            "error: no proof in these answers rests on a search of all states; --certificate writes certificates"
        );
        return exit::ERROR;
    }
    let mut out = String::new();
    let mut known: HashMap<(Capacities, u64), Option<(u64, String)>> = HashMap::new();
    let mut code = exit::PROVED;
    for proof in &proofs {
        let Searched { question, capacities, states, digest } = proof;
        let key = (*capacities, *states);
        if room.is_some_and(|room| states.saturating_mul(STATE) > room as u64) {
            let _ = writeln!(
                out,
                "not confirmed: {question}: {states} states are too many for the memory (--memory)"
            );
            code = exit::UNKNOWN;
            continue;
        }
        let counted = known.entry(key).or_insert_with(|| {
            let counted = search::count_slowly(system, *capacities, *states, &search::Control::none());
            counted.ok().flatten().map(|(states, digest)| (states, digest.to_string()))
        });
        if counted.as_ref() != Some(&(*states, digest.clone())) {
            files::print_fitted(&out);
            complain_line!("refused: {question}: the slow engine does not come to these {states} states");
            return exit::VIOLATED;
        }
        let _ = writeln!(out, "confirmed: {question}: there are these {states} states and no others");
    }
    out.push_str(
        "  They were found again by the slow engine. What holds in each of them is the word of the search.\n",
    );
    files::print_fitted(&out);
    code
}

/// What a result says, if it is a proof that rests on all states.
fn searched(result: &Value) -> Option<Searched> {
    if result["verdict"] != "PROVED" {
        return None;
    }
    let figures = match result["evidence"].as_str()? {
        "complete search" => result,
        "reduced search" => &result["in_full"],
        _ => return None,
    };
    Some(Searched {
        question: result["question"].as_str()?.to_string(),
        capacities: match result["reading"]["capacities"].as_str()? {
            "declared" => Capacities::Declared,
            // What is proved for every capacity by a search is proved by one without limits.
            "unbounded" | "any" => Capacities::Unbounded,
            size => Capacities::Fixed(size.parse().ok()?),
        },
        states: figures["states"].as_u64()?,
        digest: figures["digest"].as_str()?.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn result(capacities: &str) -> Value {
        json!({ "question": "buffers", "verdict": "PROVED", "evidence": "complete search", "states": 94,
            "digest": "1f", "reading": { "capacities": capacities } })
    }

    #[test]
    fn what_a_search_proves_for_every_capacity_is_counted_again_without_limits() {
        let read =
            |capacities| searched(&result(capacities)).map(|searched| (searched.capacities, searched.states));
        assert_eq!(read("any"), Some((Capacities::Unbounded, 94)));
        assert_eq!(read("declared"), Some((Capacities::Declared, 94)));
        assert_eq!(read("3"), Some((Capacities::Fixed(3), 94)));
        assert_eq!(read("none"), None);
    }

    #[test]
    fn states_of_model_and_formula_without_a_digest_cannot_be_counted_again() {
        let mut result = result("declared");
        result["evidence"] = json!("reduced search");
        result["in_full"] = json!({ "states": 100 });
        assert!(searched(&result).is_none());
    }
}
