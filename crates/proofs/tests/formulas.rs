//! Formulas by potentials: what is proved, and what no certificate says.

use certificate::Certificate;
use certificate::check::check;
use certificate::potential::{Blocked, Next, Potential, Proof, Stage};
use certificate::verdict::{Capacities, Fairness};
use proofs::{Budgets, Fact, FormulaOptions, Nobody, formula};
use system::automaton::System;
use system::read_text;

fn proved(system: &System, name: &str, fairness: Fairness) -> Option<Certificate> {
    proved_of_any(system, name, fairness, &[])
}

fn proved_of_any(
    system: &System,
    name: &str,
    fairness: Fairness,
    any_number: &[&str],
) -> Option<Certificate> {
    let options = FormulaOptions {
        capacities: Capacities::Any,
        name: name.to_string(),
        fairness,
        any_number: any_number.iter().map(|name| name.to_string()).collect(),
        budgets: Budgets::default(),
    };
    let nobody = Nobody::default();
    formula(system, &options, &nobody);
    nobody.facts().into_iter().find_map(|fact| match fact {
        Fact::Formula { certificate, .. } => Some((*certificate).clone()),
        _ => None,
    })
}

fn holds(text: &str, fairness: Fairness) -> bool {
    proved(&read_text(text).expect("a model"), "p", fairness).is_some()
}

const SERVED: &str = "chan q = [2] of { byte }; chan r = [1] of { byte }; chan log = [3] of { byte };
    active proctype Client() { do :: log!1; q!1; wait: r?_ od }
    active proctype Server() { do :: q?_ -> ANSWER od }
    ltl p { FORMULA }";

fn served(answer: &str, formula: &str) -> String {
    SERVED.replace("ANSWER", answer).replace("FORMULA", formula)
}

#[test]
fn every_request_is_answered_although_a_buffer_grows_for_ever() {
    assert!(holds(&served("r!1", "[] (Client@wait -> <> !Client@wait)"), Fairness::None));
}

#[test]
fn a_request_that_may_be_forgotten_is_not_answered() {
    for answer in ["if :: r!1 :: skip fi", "skip", "r?_"] {
        let text = served(answer, "[] (Client@wait -> <> !Client@wait)");
        assert!(!holds(&text, Fairness::None), "{answer}");
        assert!(!holds(&text, Fairness::Strong), "{answer}");
    }
}

#[test]
fn a_run_that_ends_at_a_full_buffer_is_a_run() {
    // With unbounded buffers the client waits again and again; at capacity 1 it stops at the second `log!1`.
    assert!(!holds(&served("r!1", "[] <> Client@wait"), Fairness::None));
}

#[test]
fn precedence_and_absence() {
    let never = "chan t = [1] of { byte }; bit a, b;
        active proctype P() { do :: t!1; a = 1; a = 0; t?_ od }
        active proctype Q() { do :: t!1; b = 1; b = 0; t?_ od }
        ltl p { [] !(a == 1 && b == 1) }";
    // One room is all that keeps them apart: with more there are both.
    assert!(!holds(never, Fairness::None));
    let token = "chan t = [1] of { byte }; chan u = [1] of { byte }; bit a, b;
        active proctype P() { do :: t!1; u?_; a = 1; a = 0 od }
        active proctype Q() { do :: t?_; b = 1; b = 0; u!1 od }
        ltl p { [] !(a == 1 && b == 1) }";
    assert!(holds(token, Fairness::None));
    let order = "chan t = [1] of { byte }; bit sent, got;
        active proctype P() { sent = 1; t!1; do :: skip od }
        active proctype Q() { t?_; got = 1; do :: skip od }
        ltl p { (got == 0) W (sent == 1) }";
    assert!(holds(order, Fairness::None));
    let other_way = order.replace("sent = 1; t!1", "t!1; sent = 1");
    assert!(!holds(&other_way, Fairness::None));
}

const BESIDE_A_SPINNER: &str = "chan q = [2] of { byte }; chan r = [1] of { byte }; bit x;
    active proctype Client() { do :: q!1; wait: r?_ od }
    active proctype Server() { do :: q?_ -> r!1 od }
    active proctype Spinner() { do :: x = 1 - x od }
    ltl p { [] (Client@wait -> <> !Client@wait) }";

#[test]
fn fairness_lets_nobody_spin_while_others_wait() {
    assert!(!holds(BESIDE_A_SPINNER, Fairness::None));
    assert!(holds(BESIDE_A_SPINNER, Fairness::Weak));
    assert!(holds(BESIDE_A_SPINNER, Fairness::Strong));
}

/// All certificates that differ from this one in one number of a potential, or lack one.
fn changed(certificate: &Certificate) -> Vec<Certificate> {
    fn potentials<'p>(stage: &'p mut Stage, found: &mut Vec<&'p mut Potential>) {
        found.push(&mut stage.potential);
        match &mut stage.next {
            Next::Closed => {}
            Next::Split { parts, .. } | Next::Starved { parts, .. } => {
                parts.iter_mut().for_each(|part| potentials(part, found));
            }
            Next::Idle { blocked: own, .. } => blocked(own, found),
        }
    }
    fn blocked<'p>(case: &'p mut Blocked, found: &mut Vec<&'p mut Potential>) {
        match case {
            Blocked::Excluded { potential } => found.push(potential),
            Blocked::Split { parts, .. } => parts.iter_mut().for_each(|part| blocked(part, found)),
        }
    }
    fn all(certificate: &mut Certificate) -> Vec<&mut Potential> {
        let mut found = Vec::new();
        for proof in &mut certificate.proofs {
            if let Proof::Formula { unreached, stage, ends, .. } = proof {
                found.extend(unreached.iter_mut());
                potentials(stage, &mut found);
                blocked(ends, &mut found);
            }
        }
        found
    }
    let mut changed = Vec::new();
    for number in 0..all(&mut certificate.clone()).len() {
        let entries = {
            let mut copy = certificate.clone();
            let potential = &all(&mut copy)[number];
            potential.messages.len() + potential.nodes.len() + potential.trackers.len()
        };
        for entry in 0..entries {
            for by in [-2, -1, 1, 2] {
                let mut copy = certificate.clone();
                {
                    let mut potentials = all(&mut copy);
                    let potential = &mut potentials[number];
                    let messages = potential.messages.iter_mut().map(|entry| &mut entry.weight);
                    let nodes = potential.nodes.iter_mut().map(|entry| &mut entry.weight);
                    let trackers = potential.trackers.iter_mut().map(|entry| &mut entry.weight);
                    if let Some(weight) = messages.chain(nodes).chain(trackers).nth(entry) {
                        *weight += by;
                    }
                }
                changed.push(copy);
            }
        }
    }
    changed
}

/// The same claims and proofs, sealed for another model.
fn for_model(certificate: &Certificate, system: &System) -> Certificate {
    let Certificate { capacities, claims, proofs, .. } = certificate.clone();
    Certificate::new(system, capacities, claims, proofs)
}

#[test]
fn a_certificate_is_refused_for_a_model_that_violates_the_formula_whatever_is_changed_in_it() {
    let answered = "[] (Client@wait -> <> !Client@wait)";
    let good = read_text(&served("r!1", answered)).expect("a model");
    let genuine = proved(&good, "p", Fairness::None).expect("a proof");
    assert!(check(&good, &genuine).is_ok());
    let bad = [
        served("if :: r!1 :: skip fi", answered),
        served("r!1", "[] <> Client@wait"),
        served("r!1", "[] (Client@wait -> [] Client@wait)"),
        served("r!1", "<> [] Client@wait"),
    ];
    let mut tried = 0;
    for text in bad {
        let system = read_text(&text).expect("a model");
        for certificate in changed(&genuine).iter().chain([&genuine]) {
            tried += 1;
            assert!(check(&system, &for_model(certificate, &system)).is_err(), "{text}");
        }
    }
    assert!(tried > 100, "{tried}");
}

#[test]
fn a_proof_for_fair_runs_is_none_for_all_runs() {
    let system = read_text(BESIDE_A_SPINNER).expect("a model");
    let fair = proved(&system, "p", Fairness::Weak).expect("a proof");
    let mut all = fair.clone();
    for proof in &mut all.proofs {
        if let Proof::Formula { fairness, .. } = proof {
            *fairness = Fairness::None;
        }
    }
    assert!(check(&system, &for_model(&fair, &system)).is_ok());
    assert!(check(&system, &for_model(&all, &system)).is_err());
}

const CLIENTS: &str = "chan request = [2] of { byte }; chan reply = [2] of { byte };
    active [3] proctype Client() { do :: request!1; reply?_ od }
    active proctype Server() { do :: request?_; serving: reply!1 od }
    ltl p { [] (Server@serving -> <> !Server@serving) }";

#[test]
fn whatever_the_number_of_clients_the_server_is_not_kept_waiting() {
    let system = read_text(CLIENTS).expect("a model");
    let certificate = proved_of_any(&system, "p", Fairness::None, &["Client"]).expect("a proof");
    assert_eq!(certificate.any_number, ["Client"]);
    assert!(check(&system, &certificate).is_ok());
    let words = certificate::words::words(&system, &certificate).join("\n");
    assert!(words.contains("any number of processes of `Client`, at least one"), "{words}");
    // The same for two or for twenty.
    for number in ["[2]", "[20]"] {
        let other = read_text(&CLIENTS.replace("[3]", number)).expect("a model");
        let mut same = certificate.clone();
        same.model = other.fingerprint().to_string();
        same.seal();
        assert!(check(&other, &same).is_ok());
    }
}

#[test]
fn what_depends_on_the_number_of_clients_is_not_proved_for_any() {
    let text = "byte x; active proctype Client() { x++; do :: skip od } ltl p { [] (x <= 1) }";
    let system = read_text(text).expect("a model");
    let of_one = proved(&system, "p", Fairness::None).expect("a proof");
    assert!(proved_of_any(&system, "p", Fairness::None, &["Client"]).is_none());
    let mut of_any = of_one.clone();
    of_any.any_number = vec!["Client".to_string()];
    for group in &mut of_any.claims.groups {
        group.pid = certificate::check::every_pid();
        group.at_most = None;
    }
    of_any.seal();
    assert!(check(&system, &of_any).is_err());
}

#[test]
fn who_looks_at_numbers_of_processes_has_a_number() {
    let told = CLIENTS.replace("request!1", "request!_pid");
    let system = read_text(&told).expect("a model");
    assert!(proved_of_any(&system, "p", Fairness::None, &["Client"]).is_none());
    for formula in ["[] (Client[*]@first <= 3)", "[] !(Client[0]@first && Client[1]@first)"] {
        let asks = CLIENTS.replace("do :: request!1", "first: do :: request!1");
        let asks = asks.replace("[] (Server@serving -> <> !Server@serving)", formula);
        let system = read_text(&asks).expect("a model");
        assert!(proved_of_any(&system, "p", Fairness::None, &["Client"]).is_none(), "{formula}");
    }
}
