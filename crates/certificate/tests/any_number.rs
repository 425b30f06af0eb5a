//! Any number of processes (R45): certificates that are true of one process of each and not of two, each refused by one condition.

mod common;

use certificate::Certificate;
use certificate::check::{Rule, check, every_pid};
use certificate::potential::{Blocked, Component, Next, Potential, Proof, Stage};
use certificate::verdict::{Capacities, Fairness};
use common::{Draft, broken};

/// "Every run satisfies `p`, whatever number of processes of these there are", for nothing is to be shown.
fn lazy(draft: &Draft, names: &[&str]) -> Option<Rule> {
    refused(draft, names, vec![nothing_to_show(draft)])
}

fn nothing_to_show(draft: &Draft) -> Proof {
    let stage = Stage { potential: Potential::default(), next: Next::Closed };
    let monitor = certificate::claims::TrackerId(draft.claims.trackers.len() as u32);
    let ends = Blocked::Split { component: Component::Tracker(monitor), parts: vec![] };
    Proof::Formula { formula: "p".into(), fairness: Fairness::None, unreached: vec![], stage, ends }
}

fn refused(draft: &Draft, names: &[&str], proofs: Vec<Proof>) -> Option<Rule> {
    let mut certificate = Certificate::new(&draft.system, Capacities::Any, draft.claims.clone(), proofs);
    certificate.any_number = names.iter().map(|name| name.to_string()).collect();
    certificate.seal();
    broken(check(&draft.system, &certificate))
}

/// Every group has all numbers of processes; of the groups of P there are any number of processes.
fn crowd(text: &str) -> Draft {
    Draft::of(text).with(|claims| {
        claims.groups.iter_mut().for_each(|group| group.pid = every_pid());
        claims.groups[0].at_most = None;
    })
}

/// P, and somebody else, and a formula that is true of all of them.
fn plain(of_p: &str, others: &str) -> String {
    format!("byte x, y; active proctype P() {{ {of_p} }} {others} ltl p {{ [] (x < 256) }}")
}

const SPIN: &str = "do :: skip od";

#[test]
fn any_number_of_processes_that_nothing_tells_apart() {
    for (of_p, others) in [
        (SPIN, ""),
        ("byte z = 1; do :: x = z od", ""),
        ("do :: d_step { x = 1; x = 0 } od", "active proctype Q() { do :: x == 1 od }"),
        (SPIN, "proctype W() { do :: skip od } active proctype Q() { run W(); do :: skip od }"),
    ] {
        assert_eq!(lazy(&crowd(&plain(of_p, others)), &["P"]), None, "{of_p}");
    }
}

#[test]
fn whatever_looks_at_numbers_of_processes_is_refused() {
    for (of_p, others) in [
        ("do :: x = _pid od", ""),
        ("do :: (_pid == 0) od", ""),
        ("do :: d_step { x = _pid; x = 0 } od", ""),
        ("do :: d_step { x = 0; x = _pid } od", ""),
        ("byte z = _pid; do :: x = z od", ""),
        ("do :: x = _nr_pr od", ""),
        (SPIN, "active proctype Q() { do :: (_nr_pr > 2) od }"),
        (SPIN, "active proctype R() { there: do :: skip od } active proctype Q() { do :: (R@there) od }"),
        (SPIN, "active proctype Q() provided (_pid == 0) { do :: skip od }"),
        (SPIN, "active proctype Q() provided (_nr_pr < 3) { do :: skip od }"),
        (SPIN, "proctype W() { do :: skip od } active proctype Q() { x = run W(); do :: skip od }"),
        (SPIN, "proctype W(byte n) { do :: skip od } active proctype Q() { run W(_pid); do :: skip od }"),
        (SPIN, "active proctype Q() priority 2 { do :: skip od }"),
        (SPIN, "active proctype Q() { do :: (enabled(0)) od }"),
        (SPIN, "active proctype Q() { do :: (pc_value(0) == 1) od }"),
        (SPIN, "active proctype Q() { do :: (_last == 0) od }"),
    ] {
        let draft = crowd(&plain(of_p, others));
        assert_eq!(lazy(&draft, &["P"]), Some(Rule::AnyNumber), "{of_p} {others}");
    }
}

#[test]
fn a_channel_of_a_process_of_any_proctype_is_refused() {
    let draft =
        crowd(&plain(SPIN, "active proctype Q() { chan own = [1] of { byte }; do :: own!1; own?_ od }"));
    assert_eq!(lazy(&draft, &["P"]), Some(Rule::AnyNumber));
}

#[test]
fn the_proctypes_exist_in_order_and_start_by_themselves() {
    let text = plain(
        SPIN,
        "active proctype Q() { do :: skip od } proctype W() { do :: skip od } active proctype R() { run W(); do :: skip od }",
    );
    let tried = |names: &[&str], crowded: &[usize]| {
        let draft =
            crowd(&text).with(|claims| crowded.iter().for_each(|&group| claims.groups[group].at_most = None));
        lazy(&draft, names)
    };
    assert_eq!(tried(&["P"], &[]), None);
    assert_eq!(tried(&["P", "Q"], &[1]), None);
    for names in [&["Q", "P"][..], &["P", "P"], &["P", "Z"], &["Z"]] {
        assert_eq!(tried(names, &[1]), Some(Rule::Exists), "{names:?}");
    }
    assert_eq!(tried(&["W"], &[]), Some(Rule::AnyNumber));
    assert_eq!(tried(&["P", "W"], &[]), Some(Rule::AnyNumber));
}

#[test]
fn groups_have_all_numbers_of_processes_and_no_size() {
    let text = plain(SPIN, "active proctype Q() { do :: skip od }");
    assert_eq!(lazy(&crowd(&text), &["P"]), None);
    for group in [0, 1] {
        let draft = crowd(&text)
            .with(|claims| claims.groups[group].pid = common::any_pid().union(&common::set(&[0])));
        assert_eq!(lazy(&draft, &["P"]), Some(Rule::AnyNumber), "{group}");
    }
    let sized = crowd(&text).with(|claims| claims.groups[0].at_most = Some(1));
    assert_eq!(lazy(&sized, &["P"]), Some(Rule::AnyNumber));
    // With two proctypes the size of either counts.
    let second = crowd(&text);
    assert_eq!(lazy(&second, &["P", "Q"]), Some(Rule::AnyNumber));
    // "At most one is ever started": of one of each that is so.
    let draft = crowd(&text);
    let potential = Potential::default();
    let starts = Proof::Starts { group: draft.id("P"), at_most: 1, denominator: 1, potential };
    assert_eq!(refused(&draft, &["P"], vec![nothing_to_show(&draft), starts]), Some(Rule::AnyNumber));
}

/// With one process there is one at its first label.
#[test]
fn a_formula_does_not_ask_how_many_there_are() {
    let tried = |formula: &str| {
        let text = format!(
            "byte x; active proctype P() {{ begin: do :: x == 7; there: skip od }}
             active proctype Q() {{ byte z = 1; first: do :: skip :: x == 8; begin: z = 0 od }} ltl q {{ [] (P[*]@begin < 9) }} ltl p {{ {formula} }}"
        );
        let draft = crowd(&text).claim("x", &[0]);
        lazy(&draft, &["P"])
    };
    for formula in [
        "[] (P[*]@begin < 2)",
        "[] (P[*]@begin == 1)",
        "[] (x == 0 && P[*]@begin < 2)",
        "[] (P[*]@begin < 2 && x == 0)",
        "(P[*]@begin < 2) U (x == 0)",
        "[] (_nr_pr == 2 || x == 0)",
        "[] (P[0]@begin || x == 0)",
        "(Q[1]:z == 1)",
    ] {
        assert_eq!(tried(formula), Some(Rule::AnyNumber), "{formula}");
    }
    for formula in
        ["[] (P[*]@there == 0)", "[] (Q[*]@first > 0)", "[] (Q[*]@begin < 9)", "[] (Q@first)", "[] (x == 0)"]
    {
        assert_eq!(tried(formula), None, "{formula}");
    }
}
