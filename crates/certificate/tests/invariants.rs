//! Bars: what weighs more than there ever is, is never there. Two credits go round between a sender and a receiver.

mod common;

use certificate::Certificate;
use certificate::check::{Rule, check};
use certificate::claims::{LinearInvariant, ObjectId};
use certificate::potential::{Potential, Proof};
use certificate::values::Values;
use certificate::verdict::Capacities;
use common::{at_with, before, bound, broken, claims, global_channel, plain_group, potential, set, system};
use serde_json::Value;
use system::automaton::System;

/// `left` never becomes 3, but no statement shows that: it grows with each message in `back`.
const CREDITS: &str = "chan there = [2] of { byte };\nchan back = [2] of { byte };
    active proctype P() { byte left = 2; do :: left > 0 -> there!1; left-- :: back?1; left++ od }
    active proctype Q() { do :: there?1; back!1 od }";

/// The weights of all nodes of `P`, and what they claim: location, value of `left`, weight.
fn places(system: &System) -> Vec<(u32, i32, i64)> {
    let [choice, send, less, more] =
        ["left > 0", "there!1", "left--", "left++"].map(|text| before(system, "P", text).0);
    vec![
        (choice, 0, 0),
        (choice, 1, 1),
        (choice, 2, 2),
        (send, 1, 1),
        (send, 2, 2),
        (less, 1, 0),
        (less, 2, 1),
        (more, 0, 1),
        (more, 1, 2),
        (more, 2, 3),
    ]
}

fn conserved(system: &System) -> Potential {
    let places = places(system);
    let own = places.iter().enumerate().map(|(node, &(.., weight))| (0, node as u32, weight));
    let answer = before(system, "Q", "back!1").0;
    let nodes: Vec<_> = own.chain([(1, answer, 1)]).collect();
    potential(&[(0, 0, 1), (1, 0, 1)], &nodes)
}

fn certificate_for(system: &System) -> Certificate {
    let objects = vec![global_channel(0, &[&[1]]), global_channel(1, &[&[1]])];
    let globals = (0..2).map(|object| Values::channel(ObjectId(object))).collect();
    let mut sender = plain_group(system, "P", Some(1), set(&[0]), vec![set(&[0, 1, 2])]);
    sender.nodes = places(system).iter().map(|&(location, left, _)| at_with(location, 0, &[left])).collect();
    let receiver = plain_group(system, "Q", Some(1), set(&[1]), vec![]);
    let mut claims = claims(objects, globals, vec![sender, receiver]);
    claims.invariants.push(LinearInvariant { total: 2, potential: conserved(system) });
    let proofs = vec![bound(0, 2, conserved(system)), bound(1, 2, conserved(system))];
    Certificate::new(system, Capacities::Any, claims, proofs)
}

fn resealed(mut certificate: Certificate, change: impl Fn(&mut Certificate)) -> Certificate {
    change(&mut certificate);
    certificate.seal();
    certificate
}

#[test]
fn a_value_that_would_need_more_than_there_is_does_not_occur() {
    let system = system(CREDITS);
    let certificate = certificate_for(&system);
    assert!(
        check(&system, &certificate).is_ok(),
        "{:?}\n{}",
        check(&system, &certificate),
        common::print(&system)
    );
    assert!(common::watch_all_states(&system, &certificate, 1_000) > 5);
}

#[test]
fn without_the_bar_the_claims_are_not_kept() {
    let system = system(CREDITS);
    let changed = resealed(certificate_for(&system), |certificate| certificate.claims.invariants.clear());
    assert_eq!(broken(check(&system, &changed)), Some(Rule::ValuesClaimed));
}

/// A total that is too small would exclude what does occur.
#[test]
fn the_total_is_what_there_is_at_the_start() {
    let system = system(CREDITS);
    for total in [-1, 0, 1, 3] {
        let changed = resealed(certificate_for(&system), |certificate| {
            certificate.claims.invariants[0].total = total;
        });
        assert!(check(&system, &changed).is_err(), "{total}");
    }
}

/// Where the receiver gives two for one, credits are not conserved, and `left` does become 3. An invariant that no longer holds must not
/// hide the statement that breaks it.
#[test]
fn a_bar_whose_potential_grows_is_refused() {
    let generous = system(&CREDITS.replace("there?1; back!1", "there?1; back!1; back!1"));
    let changed = certificate_for(&generous);
    assert_eq!(broken(check(&generous, &changed)), Some(Rule::InvariantKept));
}

#[test]
fn a_negative_weight_shows_nothing() {
    let system = system(CREDITS);
    let changed = resealed(certificate_for(&system), |certificate| {
        let invariant = &mut certificate.claims.invariants[0];
        invariant.potential =
            potential(&[(0, 0, -1), (1, 0, -1)], &[(0, 0, 2), (0, 1, 1), (0, 3, 1), (0, 5, 2), (0, 6, 1)]);
        invariant.total = 0;
    });
    assert!(check(&system, &changed).is_err());
}

/// Every place in a JSON value where a number can be changed.
fn mutations(value: &Value) -> Vec<(String, Value)> {
    match value {
        Value::Number(number) => {
            let number = number.as_i64().expect("integers only");
            [-1, 1].map(|change| (String::new(), Value::from(number + change))).to_vec()
        }
        Value::Array(elements) => {
            let changed = elements.iter().enumerate().flat_map(|(index, element)| {
                mutations(element).into_iter().map(move |(path, changed)| {
                    let mut with = elements.clone();
                    with[index] = changed;
                    (format!("[{index}]{path}"), Value::from(with))
                })
            });
            changed.collect()
        }
        Value::Object(fields) => {
            let changed = fields.iter().flat_map(|(key, field)| {
                mutations(field).into_iter().map(move |(path, changed)| {
                    let mut with = fields.clone();
                    with.insert(key.clone(), changed);
                    (format!(".{key}{path}"), Value::from(with))
                })
            });
            changed.collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn any_one_number_changed_is_refused_and_under_a_new_seal_refused_or_still_true() {
    let system = system(CREDITS);
    let certificate = certificate_for(&system);
    let mutated = mutations(&serde_json::to_value(&certificate).unwrap());
    let (mut refused, mut accepted) = (0, Vec::new());
    for (path, value) in mutated {
        let Ok(changed) = serde_json::from_value::<Certificate>(value) else { continue };
        assert!(check(&system, &changed).is_err(), "{path}");
        let changed = resealed(changed, |_| {});
        match check(&system, &changed) {
            Err(_) => refused += 1,
            Ok(_) => {
                for proof in &changed.proofs {
                    assert!(matches!(proof, Proof::Bound { at_most: 2, .. }), "{path}");
                }
                common::watch_all_states(&system, &changed, 1_000);
                accepted.push(path);
            }
        }
    }
    assert!(refused > 5 * accepted.len(), "{refused} refused, accepted: {accepted:#?}");
}
