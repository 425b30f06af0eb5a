//! A buffer whose only sender looks at its length, and those where looking is not enough.

mod common;

use certificate::Certificate;
use certificate::check::{Rule, check};
use certificate::claims::{GroupId, NodeId, ObjectId};
use certificate::potential::{KnownLength, Next, Potential, Proof, Stage};
use certificate::values::Values;
use certificate::verdict::Capacities;
use common::{before, broken, claims, global_channel, plain_group, set, system};
use system::automaton::System;

fn model(guard: &str) -> String {
    format!(
        "chan c = [2] of {{ byte }};\nchan d = [2] of {{ byte }};
         active proctype P() {{ do :: {guard} -> c!1 od }}
         active proctype Q() {{ do :: c?1 :: d?1 od }}"
    )
}

/// The same with a choice of which the last option sends.
fn choosing(options: &str) -> String {
    model("true").replace("do :: true -> c!1 od", &format!("do {options} -> c!1 od"))
}

/// Group 0 is `P`, 1 is `Q`; while `P` is about to send, `c` holds at most `before_send`.
fn certificate_for(system: &System, at_most: u64, before_send: u64) -> Certificate {
    let objects = vec![global_channel(0, &[&[1]]), global_channel(1, &[&[1]])];
    let globals = (0..2).map(|object| Values::channel(ObjectId(object))).collect();
    let sender = plain_group(system, "P", Some(1), set(&[0]), vec![]);
    let receiver = plain_group(system, "Q", Some(1), set(&[1]), vec![]);
    let claims = claims(objects, globals, vec![sender, receiver]);
    let node = NodeId(before(system, "P", "c!1").0);
    let known = vec![KnownLength { node, at_most: before_send }];
    let proof = Proof::Guarded { object: ObjectId(0), at_most, sender: GroupId(0), known };
    Certificate::new(system, Capacities::Any, claims, vec![proof])
}

fn is_accepted(guard: &str, at_most: u64, before_send: u64) -> bool {
    is_accepted_of(&model(guard), at_most, before_send)
}

fn is_accepted_of(text: &str, at_most: u64, before_send: u64) -> bool {
    let system = system(text);
    let certificate = certificate_for(&system, at_most, before_send);
    let accepted = check(&system, &certificate).is_ok();
    if accepted {
        assert!(common::watch_all_states(&system, &certificate, 1_000) > 1);
    }
    accepted
}

#[test]
fn the_only_sender_looks_at_the_length() {
    assert!(is_accepted("len(c) < 2", 2, 1));
    assert!(is_accepted("2 > len(c)", 2, 1));
    assert!(is_accepted("len(c) <= 1", 2, 1));
    assert!(is_accepted("!(len(c) >= 2)", 2, 1));
    assert!(is_accepted("len(c) < 2 && true", 2, 1));
    assert!(is_accepted("(len(c) == 0 || len(c) == 1)", 2, 1));
    assert!(is_accepted("empty(c)", 1, 0));
}

#[test]
fn a_number_that_is_too_small_is_refused() {
    assert!(!is_accepted("len(c) < 2", 1, 0));
    assert!(!is_accepted("len(c) < 2", 2, 0));
    assert!(!is_accepted("len(c) <= 2", 2, 1));
    assert!(!is_accepted("empty(c)", 0, 0));
}

#[test]
fn a_guard_that_says_nothing_about_the_buffer_is_no_guard() {
    assert!(!is_accepted("len(d) < 2", 2, 1));
    assert!(!is_accepted("len(c) < 2 || true", 2, 1));
    assert!(!is_accepted("len(c) != 2", 2, 1));
    assert!(!is_accepted("len(c) > 1", 2, 1));
    assert!(!is_accepted("nempty(c)", 2, 1));
    assert!(!is_accepted("nfull(c)", 2, 1));
}

/// Both see one message, and both send.
#[test]
fn somebody_else_may_send_between_the_look_and_the_send() {
    let system = system(
        "chan c = [2] of { byte };\nchan d = [2] of { byte };
         active proctype P() { do :: len(c) < 2 -> c!1 od }
         active proctype Q() { do :: len(c) < 2 -> c!1 :: c?1 od }",
    );
    assert_eq!(broken(check(&system, &certificate_for(&system, 2, 1))), Some(Rule::OnlySender));
}

/// Two processes of one group may both have looked.
#[test]
fn the_sender_must_be_one_process() {
    let system = system(
        "chan c = [2] of { byte };\nchan d = [2] of { byte };
         active [2] proctype P() { do :: len(c) < 2 -> c!1 od }
         active proctype Q() { do :: c?1 :: d?1 od }",
    );
    let mut certificate = certificate_for(&system, 2, 1);
    certificate.claims.groups[0].at_most = Some(2);
    certificate.claims.groups[0].pid = set(&[0, 1]);
    certificate.claims.groups[1].pid = set(&[2]);
    certificate.seal();
    assert_eq!(broken(check(&system, &certificate)), Some(Rule::OnlySender));
}

/// What one proof bounds needs no weight in another; without that proof it does.
#[test]
fn a_guarded_buffer_is_settled() {
    let system = system(&model("len(c) < 2").replace(":: d?1", ""));
    let mut certificate = certificate_for(&system, 2, 1);
    certificate.claims.objects[1].classes.clear();
    let stage = Stage { potential: Potential::default(), next: Next::Closed };
    certificate.proofs.push(Proof::AllBounded { stage });
    certificate.seal();
    assert!(check(&system, &certificate).is_ok(), "{:?}", check(&system, &certificate));
    certificate.proofs.remove(0);
    certificate.seal();
    assert!(check(&system, &certificate).is_err());
}

/// What a guard says is neither more nor less than what follows from it.
#[test]
fn a_combination_of_looks_says_what_follows_from_it() {
    assert!(!is_accepted("(len(c) == 0 || len(c) == 1)", 1, 0));
    assert!(!is_accepted("(len(c) == 1 || len(c) == 0)", 1, 0));
    assert!(!is_accepted("(len(c) < 2 || true)", 2, 1));
    assert!(is_accepted("len(c) < 3 && len(c) < 2", 2, 1));
    assert!(is_accepted("len(c) < 2 && len(c) < 3", 2, 1));
    assert!(is_accepted("1 >= len(c)", 2, 1));
    assert!(!is_accepted("1 < len(c)", 2, 1) && !is_accepted("1 <= len(c)", 2, 1));
    assert!(!is_accepted("empty(d)", 1, 0) && !is_accepted("len(d) < 2", 2, 1));
}

#[test]
fn an_else_says_that_the_looks_before_it_failed() {
    let accepted = |options: &str, at_most| is_accepted_of(&choosing(options), at_most, at_most - 1);
    assert!(accepted(":: len(c) >= 2 :: else", 2));
    assert!(accepted(":: len(c) > 1 :: len(c) > 3 :: else", 2));
    assert!(accepted(":: nempty(c) :: else", 1));
    assert!(!accepted(":: empty(c) :: else", 1));
    assert!(!accepted(":: nempty(d) :: else", 1));
    assert!(!accepted(":: len(c) < 2 :: else", 2));
    assert!(!accepted(":: len(d) >= 2 :: else", 2));
}

/// Looking at the one or the other is not looking at the buffer.
#[test]
fn a_look_at_one_of_two_channels_is_no_look_at_the_buffer() {
    let looks = |at: &str| {
        let text = format!(
            "chan c = [4] of {{ byte }}; chan d = [4] of {{ byte }};
             active proctype P() {{ chan v; do :: v = c :: v = d :: len({at}) < 1 -> c!1 od }}"
        );
        let mut draft = common::Draft::of(&text);
        draft.group("P").slots[0] = set(&[0]).union(&common::channel(0)).union(&common::channel(1));
        let node = NodeId(before(&draft.system, "P", "c!1").0);
        let known = vec![KnownLength { node, at_most: 0 }];
        draft.refused(vec![Proof::Guarded { object: ObjectId(0), at_most: 1, sender: GroupId(0), known }])
    };
    assert_eq!(looks("c"), None);
    assert_eq!(looks("v"), Some(Rule::LengthKept));
}
