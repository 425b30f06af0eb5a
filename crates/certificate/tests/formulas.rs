//! Proofs of formulas that are false, each beside one that is true.

mod common;

use certificate::Certificate;
use certificate::check::{Rule, check};
use certificate::claims::{Claims, Group, GroupId, Point, SlotValues};
use certificate::potential::{Blocked, Component, Next, Potential, Proof, Stage};
use certificate::verdict::{Capacities, Fairness};
use common::{automaton, broken, channel, claims, global_channel, plain_group, potential, set, system};
use system::automaton::System;

/// "Nobody can be blocked there."
fn nowhere() -> Blocked {
    Blocked::Split { component: Component::Group(GroupId(0)), parts: vec![] }
}

/// "Every run satisfies `p`", and nothing is left if this follows.
fn proof(fairness: Fairness, next: Next) -> Proof {
    let stage = Stage { potential: Potential::default(), next };
    Proof::Formula { formula: "p".into(), fairness, unreached: vec![], stage, ends: nowhere() }
}

fn refusal(system: &System, claims: Claims, proof: Proof) -> Option<Rule> {
    broken(check(system, &Certificate::new(system, Capacities::Any, claims, vec![proof])))
}

/// One process of each of these, with nothing known of them.
fn groups(system: &System, names: &[&str]) -> Vec<Group> {
    let group = |(pid, name): (i32, &&str)| plain_group(system, name, Some(1), set(&[pid]), vec![]);
    (0..).zip(names).map(group).collect()
}

/// P waits, Q goes on for ever; that P does not move is not fair unless it cannot.
fn waiting(guard: &str) -> Option<Rule> {
    let text = "byte d; byte a[2]; bit x, y; active proctype P() { GUARD; y = 1; do :: skip od }
        active proctype Q() { do :: x = 1 - x od } ltl p { <> (y == 1) }";
    let system = system(&text.replace("GUARD", guard));
    let globals = system.global_slots.iter().map(|slot| match slot.name.as_str() {
        "x" | "y" => set(&[0, 1]),
        _ => set(&[0]),
    });
    let mut claims = claims(vec![], globals.collect(), groups(&system, &["P", "Q"]));
    // P has not moved while `y` is 0.
    let location = common::after(&system, "P", "y = 1").0;
    let y = system.global_slots.iter().position(|slot| slot.name == "y").expect("there is y") as u32;
    for node in &mut claims.groups[0].nodes {
        let moved = node.point == Point::At(location);
        let values = if moved { set(&[1]) } else { set(&[0]) };
        node.globals = vec![SlotValues { slot: y, values }];
    }
    let next = Next::Idle { groups: vec![GroupId(0)], blocked: nowhere() };
    let before = common::before(&system, "P", "y = 1").0;
    let start = system.automata[automaton(&system, "P") as usize].initial.0;
    let mut proof = proof(Fairness::Weak, next);
    if let Proof::Formula { stage, .. } = &mut proof {
        stage.potential = potential(&[], &[(0, start, 2), (0, before, 1)]);
    }
    refusal(&system, claims, proof)
}

#[test]
fn who_can_move_does_so_if_the_run_is_fair() {
    assert_eq!(waiting("(d == 0)"), None);
    assert_eq!(waiting("(a[d] == 0)"), None);
    assert_eq!(waiting("(d == 1 || 10 / (d + 1) > 2)"), None);
}

/// The others go on, and it stands still for ever: that is a fair run, and none that ends in an error.
#[test]
fn who_cannot_be_asked_whether_it_can_move_does_not_move() {
    for guard in
        ["(10 / d > 2)", "(a[d - 1] == 0)", "(d == 1 || 10 % d > 2)", "if :: (10 / d > 2) :: else fi"]
    {
        assert_eq!(waiting(guard), Some(Rule::EveryPlace), "{guard}");
    }
}

const HANDED_ON: &str = "chan a = [0] of { byte }; chan b = [0] of { byte }; bit x;
    active proctype P() { do :: atomic { b?1; a!1 } od }
    active proctype Q() { do :: atomic { a?1; x = 1; b!1 } od }
    active proctype R() { b!1; (false) }
    ltl p { <> (x == 1) }";

/// No state is seen any more while each of two processes hands control on to the other inside of `atomic` sequences.
#[test]
fn an_atomic_sequence_of_two_processes_that_goes_on_for_ever_is_refused() {
    let tried = |text: &str| {
        let system = system(text);
        let objects = (0..2).map(|slot| global_channel(slot, &[&[1]])).collect();
        let claims =
            claims(objects, vec![channel(0), channel(1), set(&[0, 1])], groups(&system, &["P", "Q", "R"]));
        refusal(&system, claims, proof(Fairness::None, Next::Closed))
    };
    assert_eq!(tried(HANDED_ON), Some(Rule::AboutFormula));
    // Where one of them ends its sequence before it receives there is a moment.
    for (from, to) in [("atomic { b?1; a!1 }", "b?1; a!1"), ("b!1 }", "skip }; b!1"), ("= [0]", "= [1]")] {
        assert_eq!(tried(&HANDED_ON.replace(from, to)), Some(Rule::NothingLeft), "{to}");
    }
}

/// How long a buffer is compared with a large number takes no longer than with a small one.
#[test]
fn a_length_is_compared_with_the_largest_number_there_is() {
    let text =
        "chan c = [2] of { byte }; active proctype P() { do :: c!1 od } ltl p { [] (len(c) <= 2147483647) }";
    let system = system(text);
    let claims = claims(vec![global_channel(0, &[&[1]])], vec![channel(0)], groups(&system, &["P"]));
    let begun = std::time::Instant::now();
    assert_eq!(refusal(&system, claims, proof(Fairness::None, Next::Closed)), Some(Rule::NothingLeft));
    assert!(begun.elapsed().as_secs() < 5);
}
