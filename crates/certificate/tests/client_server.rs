//! The client/server of Ciclo's figure 1, with a certificate written by hand.

mod common;

use certificate::Certificate;
use certificate::check::{Checked, Refusal, Rule, check, check_unsealed};
use certificate::claims::{GroupId, ObjectId};
use certificate::potential::{BufferBound, Next, Potential, Proof, Stage};
use certificate::values::Values;
use certificate::verdict::Capacities;
use common::{
    any_pid, at_with, bound, broken, claims, global_channel, plain_group, potential, set, symbol, system,
};
use serde_json::Value;
use system::automaton::{Action, System};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/client-server.pml");

fn model_text() -> String {
    std::fs::read_to_string(MODEL).expect("the model is there")
}

/// Group 0 is `init` with `i` tracked, 1 and 2 the clients, 3 the server; objects are ts[0], ts[1], tc[0], tc[1].
fn certificate_for(system: &System) -> Certificate {
    let [req, ack, rel] = ["req", "ack", "rel"].map(|name| symbol(system, name));
    let objects = vec![
        global_channel(0, &[&[req], &[rel]]),
        global_channel(1, &[&[req], &[rel]]),
        global_channel(2, &[&[ack]]),
        global_channel(3, &[&[ack]]),
    ];
    let globals = (0..4).map(|object| Values::channel(certificate::claims::ObjectId(object))).collect();
    let mut init = plain_group(system, ":init:", Some(1), set(&[0]), vec![set(&[0, 1, 2])]);
    init.nodes = [(0, 0), (1, 0), (3, 0), (0, 1), (1, 1), (3, 1), (0, 2), (2, 2), (4, 2)]
        .map(|(location, i)| at_with(location, 0, &[i]))
        .to_vec();
    let groups = vec![
        init,
        plain_group(system, "client", Some(1), any_pid(), vec![set(&[0])]),
        plain_group(system, "client", Some(1), any_pid(), vec![set(&[1])]),
        plain_group(system, "server", Some(1), any_pid(), vec![]),
    ];
    let mut proofs = Vec::new();
    for client in [0, 1] {
        // Its node before the client starts holds what it and the server will weigh.
        let init = |first: i64, second: i64| {
            let before_second = if client == 0 { second } else { first + second };
            let mut nodes = vec![(0, 0, first + second), (0, 1, first + second)];
            nodes.extend([(0, 2, before_second), (0, 3, before_second), (0, 4, before_second)]);
            nodes.extend([(0, 5, second), (0, 6, second), (0, 7, second)]);
            nodes
        };
        let server = |weights: [i64; 5]| {
            let order = if client == 0 { [0, 1, 2, 3, 4] } else { [0, 2, 1, 4, 3] };
            (0..5).map(|i| (3, i, weights[order[i as usize]])).collect::<Vec<_>>()
        };
        let client_nodes = |weights: [i64; 3]| (0..3).map(|i| (client + 1, i, weights[i as usize])).collect();
        let all = |parts: [Vec<(u32, u32, i64)>; 3]| parts.concat();
        proofs.push(bound(
            client,
            2,
            potential(
                &[(client, 0, 1), (client, 1, 1), (client + 2, 0, 2)],
                &all([init(1, 1), client_nodes([1, 0, 2]), server([1, 2, 1, 0, 1])]),
            ),
        ));
        proofs.push(bound(
            client + 2,
            1,
            potential(
                &[(client, 0, 1), (client + 2, 0, 1)],
                &all([init(1, 0), client_nodes([1, 0, 1]), server([0, 1, 0, 0, 0])]),
            ),
        ));
        let before = if client == 0 { 2 } else { 5 };
        proofs.push(starts(client + 1, before));
    }
    proofs.push(starts(3, 8));
    Certificate::new(system, Capacities::Any, claims(objects, globals, groups), proofs)
}

/// At most one process of the group, because `init` starts it once, leaving its first `before` nodes.
fn starts(group: u32, before: u32) -> Proof {
    let nodes: Vec<(u32, u32, i64)> = (0..before).map(|node| (0, node, 1)).collect();
    Proof::Starts { group: GroupId(group), at_most: 1, denominator: 1, potential: potential(&[], &nodes) }
}

/// One stage that shows that all buffers are bounded: the sum of the two potentials for `ts`.
fn all_bounded(certificate: &Certificate) -> Proof {
    let mut messages = Vec::new();
    let mut nodes: Vec<(u32, u32, i64)> = Vec::new();
    for proof in [&certificate.proofs[0], &certificate.proofs[3]] {
        let Proof::Bound { cases, .. } = proof else { panic!("a bound") };
        messages.extend(cases[0].potential.messages.iter().map(|m| (m.object.0, m.class.0, m.weight)));
        for entry in &cases[0].potential.nodes {
            match nodes.iter_mut().find(|n| (n.0, n.1) == (entry.group.0, entry.node.0)) {
                Some(found) => found.2 += entry.weight,
                None => nodes.push((entry.group.0, entry.node.0, entry.weight)),
            }
        }
    }
    Proof::AllBounded { stage: Stage { potential: potential(&messages, &nodes), next: Next::Closed } }
}

#[test]
fn the_bounds_of_the_figure_are_accepted() {
    let system = system(&model_text());
    let certificate = certificate_for(&system);
    let checked = check(&system, &certificate);
    assert_eq!(checked, Ok(Checked { nodes: 20, transitions: 21, proofs: 7 }));
}

#[test]
fn the_sum_of_the_potentials_shows_that_all_buffers_are_bounded() {
    let system = system(&model_text());
    let mut certificate = certificate_for(&system);
    certificate.proofs.push(all_bounded(&certificate));
    certificate.seal();
    assert!(check(&system, &certificate).is_ok());
}

#[test]
fn json_and_back_is_the_same_certificate() {
    let system = system(&model_text());
    let certificate = certificate_for(&system);
    let text = serde_json::to_string_pretty(&certificate).unwrap();
    let read: Certificate = serde_json::from_str(&text).unwrap();
    assert_eq!(read, certificate);
    assert!(check(&system, &read).is_ok());
}

#[test]
fn a_changed_statement_is_refused() {
    let text = model_text();
    let certificate = certificate_for(&system(&text));
    for (old, new) in
        [("ts[id]!rel", "ts[id]!req"), ("i < 2", "i < 3"), ("[1] of", "[2] of"), ("i = 0", "i = 1")]
    {
        let changed = system(&text.replacen(old, new, 1));
        assert_eq!(broken(check(&changed, &certificate)), Some(Rule::Identity), "{old} -> {new}");
    }
}

/// Even if somebody computes the fingerprints anew, the statement itself is found.
#[test]
fn a_changed_statement_under_a_new_seal_is_named() {
    let text = model_text();
    let changed = system(&text.replacen("tc[id]?ack; ts[id]!rel", "tc[id]?ack; ts[id]!req", 1));
    let mut certificate = certificate_for(&system(&text));
    certificate.model = changed.fingerprint().to_string();
    certificate.seal();
    // A request weighs as much as a release; the potential for tc[0] sees the difference.
    let refusal = check(&changed, &certificate).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "rule R29 (no transition makes the potential grow): \
         `ts[id]!req` of client (line 28) changes the potential of proof 1 by 1"
    );
    let flood = system(&text.replacen("tc[id]?ack; ts[id]!rel", "ts[id]!rel; ts[id]!rel", 1));
    certificate.model = flood.fingerprint().to_string();
    certificate.seal();
    assert_eq!(broken(check(&flood, &certificate)), Some(Rule::NothingGrows));
}

/// Each statement in turn does nothing, or leads elsewhere. The certificate for the model as it was is refused because of the
/// fingerprint; with a new one it is refused because of the statement, or the changed model has the bounds, too.
#[test]
fn each_statement_changed_in_turn_is_refused_or_the_bounds_still_hold() {
    let original = system(&model_text());
    let certificate = certificate_for(&original);
    let mut changes = Vec::new();
    for (automaton, of) in original.automata.iter().enumerate() {
        for edge in 0..of.edges.len() {
            let mut idle = original.clone();
            idle.automata[automaton].edges[edge].action = Action::Skip;
            changes.push(idle);
            for target in 0..of.locations.len() as u32 {
                let mut elsewhere = original.clone();
                if std::mem::replace(&mut elsewhere.automata[automaton].edges[edge].target.0, target)
                    != target
                {
                    changes.push(elsewhere);
                }
            }
        }
    }
    let mut refused = 0;
    let total = changes.len();
    for changed in changes {
        assert_eq!(broken(check(&changed, &certificate)), Some(Rule::Identity));
        let mut resealed = certificate.clone();
        resealed.model = changed.fingerprint().to_string();
        resealed.seal();
        match check(&changed, &resealed) {
            Err(_) => refused += 1,
            // The monitor fails if a bound does not hold in some state.
            Ok(_) => assert!(common::watch_all_states(&changed, &resealed, 10_000) > 0),
        }
    }
    assert_eq!((total, refused), (69, 41));
}

/// Every place in a JSON value where a number, a string or an element can be changed.
fn mutations(value: &Value) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    match value {
        Value::Number(number) => {
            for change in [-1, 1] {
                found.push((String::new(), Value::from(number.as_i64().unwrap() + change)));
            }
        }
        Value::String(text) => found.push((String::new(), Value::from(format!("{text}x")))),
        Value::Null => found.push((String::new(), Value::from(1))),
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                let mut without = elements.clone();
                without.remove(index);
                found.push((format!("/{index} removed"), Value::Array(without)));
                for (path, changed) in mutations(element) {
                    let mut with = elements.clone();
                    with[index] = changed;
                    found.push((format!("/{index}{path}"), Value::Array(with)));
                }
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                for (path, changed) in mutations(field) {
                    let mut with = fields.clone();
                    with.insert(key.clone(), changed);
                    found.push((format!("/{key}{path}"), Value::Object(with)));
                }
            }
        }
        Value::Bool(_) => {}
    }
    found
}

#[test]
fn any_one_change_is_refused() {
    let system = system(&model_text());
    let mut certificate = certificate_for(&system);
    certificate.proofs.push(all_bounded(&certificate));
    certificate.seal();
    let mutated = mutations(&serde_json::to_value(&certificate).unwrap());
    assert!(mutated.len() > 500, "{}", mutated.len());
    for (path, value) in mutated {
        if let Ok(changed) = serde_json::from_value::<Certificate>(value)
            && changed != certificate
        {
            assert!(check(&system, &changed).is_err(), "{path}");
        }
    }
}

/// With the seal computed anew, what is still accepted must be true: a larger weight at a node that is still covered by the
/// bound, an unused claim that says less.
#[test]
fn a_change_under_a_new_seal_is_refused_or_still_true() {
    let system = system(&model_text());
    let certificate = certificate_for(&system);
    let mut accepted = Vec::new();
    let mut refused = 0;
    for (path, value) in mutations(&serde_json::to_value(&certificate).unwrap()) {
        let Ok(mut changed) = serde_json::from_value::<Certificate>(value) else {
            refused += 1;
            continue;
        };
        if changed == certificate {
            continue;
        }
        changed.schema = certificate.schema.clone();
        changed.model = certificate.model.clone();
        changed.seal();
        if changed == certificate {
            continue;
        }
        match check(&system, &changed) {
            Err(_) => refused += 1,
            Ok(_) => {
                let exact = [(0, 2), (1, 2), (2, 1), (3, 1)];
                for proof in &changed.proofs {
                    if let Proof::Bound { object, at_most, .. } = proof {
                        assert!(exact.contains(&(object.0, *at_most)), "{path}: {object:?} <= {at_most}");
                    }
                }
                accepted.push(path);
            }
        }
    }
    println!("{refused} refused, {} accepted: {accepted:#?}", accepted.len());
    assert!(refused > 10 * accepted.len());
}

#[test]
fn an_empty_potential_shows_nothing() {
    let system = system(&model_text());
    let mut certificate = certificate_for(&system);
    certificate.proofs = vec![bound(0, 0, Potential::default())];
    for group in &mut certificate.claims.groups[1..] {
        group.at_most = None;
    }
    certificate.seal();
    assert_eq!(broken(check(&system, &certificate)), Some(Rule::WeighsEnough));
}

#[test]
fn the_potential_in_words() {
    let system = system(&model_text());
    let lines = certificate::words::words(&system, &certificate_for(&system));
    assert_eq!(lines[0], "This holds whatever the capacities of the buffers are.");
    assert_eq!(lines[1], "Each `req` in `ts[0]` weighs 1.");
    assert_eq!(lines[3], "Each `ack` in `tc[0]` weighs 2.");
    assert!(lines.contains(&"client(0) before `ts[id]!rel` (line 28) weighs 2.".to_string()), "{lines:#?}");
    assert!(lines.contains(&"So `ts[0]` never holds more than 2.".to_string()));
}

/// All states of the model, each reached by a run that the monitor watches.
#[test]
fn the_claims_hold_in_every_reachable_state() {
    let system = system(&model_text());
    let certificate = certificate_for(&system);
    let states = common::watch_all_states(&system, &certificate, 10_000);
    assert!(states > 20, "{states}");
}

/// One potential for all four buffers: the sum of those for `ts`. It shows less than a potential for each.
#[test]
fn one_potential_bounds_many_buffers_and_says_exactly_what_it_shows() {
    let system = system(&model_text());
    let mut certificate = certificate_for(&system);
    let Proof::AllBounded { stage } = all_bounded(&certificate) else { panic!("a stage") };
    let bounds = |numbers: [u64; 4]| {
        let buffers =
            (0..4).zip(numbers).map(|(object, at_most)| BufferBound { object: ObjectId(object), at_most });
        Proof::Bounds { buffers: buffers.collect(), potential: stage.potential.clone() }
    };
    let checked = |certificate: &mut Certificate, proof: Proof| {
        certificate.proofs.push(proof);
        certificate.seal();
        let result = check(&system, certificate).map(|_| ());
        certificate.proofs.pop();
        result
    };
    // An acknowledgement weighs twice as much as a request.
    assert_eq!(checked(&mut certificate, bounds([4, 4, 2, 2])), Ok(()));
    for wrong in [[3, 4, 2, 2], [5, 4, 2, 2], [4, 4, 1, 2], [4, 4, 2, 3]] {
        let result = checked(&mut certificate, bounds(wrong));
        assert_eq!(broken(result), Some(Rule::Figure), "{wrong:?}");
    }
    let mut twice = bounds([4, 4, 2, 2]);
    let Proof::Bounds { buffers, .. } = &mut twice else { panic!("bounds") };
    buffers[1] = buffers[0];
    assert_eq!(broken(checked(&mut certificate, twice.clone())), Some(Rule::Exists));
    let Proof::Bounds { potential: light, .. } = &mut twice else { panic!("bounds") };
    light.messages.remove(0);
    assert!(checked(&mut certificate, twice).is_err());
}

#[test]
fn a_check_that_is_stopped_says_so_and_accepts_nothing() {
    let system = system(&model_text());
    let certificate = certificate_for(&system);
    assert_eq!(certificate::check::check_unless(&system, &certificate, &|| true), Err(Refusal::Cancelled));
}

#[test]
fn who_has_just_made_a_certificate_need_not_seal_it_to_have_it_checked() {
    let text = model_text();
    let own = system(&text);
    let mut certificate = certificate_for(&own);
    certificate.seal = String::new();
    assert!(matches!(check(&own, &certificate), Err(Refusal::Broken { rule: Rule::Identity, .. })));
    assert_eq!(
        check_unsealed(&own, &certificate, &|| false),
        Ok(Checked { nodes: 20, transitions: 21, proofs: 7 })
    );
    let other = system(&text.replacen("[1] of", "[2] of", 1));
    let refused = check_unsealed(&other, &certificate, &|| false);
    assert!(matches!(refused, Err(Refusal::Broken { rule: Rule::Identity, .. })));
    certificate.proofs.clear();
    let refused = check_unsealed(&own, &certificate, &|| false);
    assert!(matches!(refused, Err(Refusal::Broken { rule: Rule::SaysSomething, .. })));
}
