//! A global that several processes test: each follows it in its own nodes, and a component of its own makes them agree.

mod common;

use common::{bounds_of, bounds_with, progress_of, system_of};
use proofs::{BoundsOptions, Budgets};

/// A message is passed on by whoever is not at home. As long as nobody moves, one of the two keeps it.
fn passing_on(mover: &str) -> String {
    format!(
        "chan toA = [1] of {{byte}}; chan toB = [1] of {{byte}}; byte home;
         active proctype A() {{ do :: toA?1; if :: home == 0 -> skip :: home != 0 -> toB!1 fi od }}
         active proctype B() {{ do :: toB?1; if :: home == 1 -> skip :: home != 1 -> toA!1 fi od }}
         active proctype User() {{ do :: true -> progress: toA!1 od }}
         active proctype Mover() {{ do :: true -> {mover} home = 1 - home od }}"
    )
}

#[test]
fn two_processes_that_test_a_global_agree_on_its_value() {
    let report = progress_of(&passing_on("progress_move:"));
    let Some(certificate) = report.livelock_free() else { panic!("{:?}", report.stopped) };
    assert_eq!(certificate.claims.trackers.len(), 1);
}

/// Where moving is no progress, the message may be passed on for ever.
#[test]
fn a_global_that_changes_is_no_reason() {
    let report = progress_of(&passing_on(""));
    assert!(report.livelock_free().is_none());
}

/// One value for all of a run is no value for all runs: whoever is at home may be flooded before it moves away.
#[test]
fn what_piles_up_at_one_value_is_there_at_the_next() {
    let report = bounds_of(
        "chan c = [1] of {byte}; bool mode;
         active proctype P() { do :: mode == 0 -> c!1 :: mode == 0 -> mode = 1 :: mode == 1 -> mode = 0 od }
         active proctype Q() { do :: mode == 1 -> c?1 :: mode == 0 -> skip od }",
    );
    assert!(report.all_bounded().is_none());
}

/// Whoever knows of a global multiplies what a write of it may do: cells that look at all the others must not ask for the memory of the
/// product (a game of life did).
#[test]
fn a_crowd_that_looks_at_each_other_is_given_up_before_it_is_built() {
    let cell = |me: usize| {
        let others: Vec<String> = (0..5).filter(|other| *other != me).map(|o| format!("g[{o}]")).collect();
        format!(
            "active proctype C{me}() {{
               byte n;
               do :: n = {}; if :: n == 3 -> g[{me}] = 1 :: n != 3 -> g[{me}] = 0 fi :: g[{me}] -> c!1 od
             }}",
            others.join(" + ")
        )
    };
    let cells: Vec<String> = (0..5).map(cell).collect();
    let system = system_of(&format!("chan c = [1] of {{bit}}; bit g[5] = 1; {}", cells.join("\n")));
    let budgets = Budgets { refinements: 6, nodes: 4_000, transitions: 500, ..Budgets::default() };
    let report = bounds_with(&system, &BoundsOptions { budgets, ..BoundsOptions::default() });
    assert!(report.all_bounded().is_none());
}

/// Packets find their way from node to node, and whoever takes one out tells its source by an array that all write: a node looks at its own element only.
#[test]
fn who_writes_to_any_element_need_not_know_all() {
    let mesh = |told: &str| {
        format!(
            "chan q[4] = [4] of {{ byte, byte }}; bool free[4] = true;
             proctype Node(byte me) {{
               byte d, s, to;
               do
               :: free[me] -> select(to : 0 .. 3); free[me] = false; q[me]!to,me
               :: q[me]?d,s ->
                  if
                  :: d == me -> {told}
                  :: d != me && (d % 2) != (me % 2) -> q[me ^ 1]!d,s
                  :: d != me && (d % 2) == (me % 2) -> q[me ^ 2]!d,s
                  fi
               od
             }}
             init {{ atomic {{ run Node(0); run Node(1); run Node(2); run Node(3) }} }}"
        )
    };
    let system = system_of(&mesh("free[s] = true"));
    let found = bounds_with(&system, &BoundsOptions::default());
    assert!(found.all_bounded().is_some(), "{:?}", found.stopped);
    // Where two may send for each that arrives, there are more all the time.
    let budgets = Budgets { refinements: 4, nodes: 10_000, transitions: 5_000, ..Budgets::default() };
    let system = system_of(&mesh("free[s] = true; free[me] = true"));
    let found = bounds_with(&system, &BoundsOptions { budgets, ..BoundsOptions::default() });
    assert!(found.all_bounded().is_none());
}
