//! Progress of fair runs by potentials: what is proved, and what no certificate says.

use certificate::Certificate;
use certificate::check::check;
use certificate::potential::Proof;
use certificate::verdict::{Capacities, Fairness};
use proofs::{Fact, Nobody, ProgressOptions, progress};
use system::automaton::System;
use system::read_text;

fn proved(system: &System, fairness: Fairness) -> Option<Certificate> {
    let options = ProgressOptions { capacities: Capacities::Any, fairness, ..ProgressOptions::default() };
    let nobody = Nobody::default();
    progress(system, &options, &nobody);
    nobody.facts().into_iter().find_map(|fact| match fact {
        Fact::FairProgress(certificate) => Some((*certificate).clone()),
        Fact::LivelockFree(_) => panic!("it was asked for fair runs"),
        _ => None,
    })
}

/// Under which fairness it is proved.
fn holds(text: &str) -> [bool; 2] {
    let system = read_text(text).expect("a model");
    [Fairness::Weak, Fairness::Strong].map(|fairness| proved(&system, fairness).is_some())
}

/// The same claims and proofs for runs that are fair in another way.
fn said_of(certificate: &Certificate, system: &System, runs: Fairness) -> Certificate {
    let Certificate { capacities, claims, mut proofs, .. } = certificate.clone();
    for proof in &mut proofs {
        if let Proof::FairProgress { fairness, .. } = proof {
            *fairness = runs;
        }
    }
    Certificate::new(system, capacities, claims, proofs)
}

const SPINNER: &str = "chan q = [2] of { byte }; chan r = [1] of { byte }; chan log = [3] of { byte }; bit x;
    active proctype Client() { do :: q!1; r?_; progress: skip od }
    active proctype Server() { do :: q?_; r!1 od }
    active proctype Spinner() { do :: x = 1 - x :: log!1; log?_ od }";

#[test]
fn who_can_always_move_is_not_starved_by_who_spins() {
    assert_eq!(holds(SPINNER), [true, true]);
    let system = read_text(SPINNER).expect("a model");
    let weakly = proved(&system, Fairness::Weak).expect("a proof");
    assert!(check(&system, &said_of(&weakly, &system, Fairness::Weak)).is_ok());
    assert!(check(&system, &said_of(&weakly, &system, Fairness::Strong)).is_ok());
    assert!(check(&system, &said_of(&weakly, &system, Fairness::None)).is_err());
}

const FLICKERS: &str = "bit x;
    active proctype P() { do :: x == 1 -> progress: skip od }
    active proctype Q() { do :: x = 1; x = 0 od }";

/// At every capacity: room where somebody waits to send, a message where somebody waits for any.
const ROOM: &str = "chan c = [1] of { byte };
    active proctype P() { do :: c!1; progress: skip od }
    active proctype Q() { do :: c!2; c?_ od }";
const MESSAGE: &str = "chan c = [1] of { byte };
    active proctype P() { do :: c?_; progress: skip od }
    active proctype Q() { do :: c!2; c?_ od }";

#[test]
fn who_can_move_again_and_again_is_not_starved_if_runs_are_strongly_fair() {
    for text in [FLICKERS, ROOM, MESSAGE] {
        assert_eq!(holds(text), [false, true], "{text}");
        let system = read_text(text).expect("a model");
        let strongly = proved(&system, Fairness::Strong).expect("a proof");
        assert!(check(&system, &said_of(&strongly, &system, Fairness::Strong)).is_ok(), "{text}");
        assert!(check(&system, &said_of(&strongly, &system, Fairness::Weak)).is_err(), "{text}");
    }
}

#[test]
fn who_could_move_only_where_nobody_looks_may_be_starved() {
    for text in [
        "bit x; active proctype P() { do :: x == 1 -> progress: skip od }
            active proctype Q() { do :: atomic { x = 1; x = 0 } od }",
        "bit x; active proctype P() { do :: x == 1 -> progress: skip od }
            active proctype Q() { do :: d_step { x = 1; x = 0 } od }",
        "chan c = [1] of { byte }; active proctype P() { do :: c?1 -> progress: skip od }
            active proctype Q() { do :: c!2; c?_ od }",
        "chan c = [1] of { byte }; bit x; active proctype P() provided (x == 1) { do :: c!1 -> progress: skip od }
            active proctype Q() { do :: c!2; c?_ od }",
    ] {
        assert_eq!(holds(text), [false, false], "{text}");
    }
}
