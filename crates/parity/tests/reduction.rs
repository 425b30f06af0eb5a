//! What a reduced search leaves out is never missed: random models, and traps in which it would be if one condition were forgotten.
//!
//! Small and quick on purpose, so that the conditions can be taken away one by one (cargo-mutants) to see that each is noticed here.

use parity::engines::search;
use parity::everything::Comparison;
use parity::generate::everywhere;
use parity::input::read_text;
use parity::reference::Limits;
use search::{Cause, ErrorPolicy, Properties, Reduction, SearchReport};
use std::time::Duration;
use system::automaton::System;

const LIMITS: Limits = Limits { states: 600, time: Duration::from_secs(60), atomic_steps: 200 };

fn explore(system: &System, reduction: Reduction) -> SearchReport {
    search(system, reduction, Properties::safety(), ErrorPolicy::All, &LIMITS)
        .expect("there is an initial state")
}

#[test]
fn random_models_have_the_same_errors_when_reduced() {
    let comparisons =
        ["reduced and full", "cycles", "formulas"].map(|name| Comparison::named(name).expect("it exists"));
    for seed in 0..250 {
        let model = everywhere(seed);
        for comparison in comparisons {
            let found = comparison.contradictions(&model);
            assert!(found.is_empty(), "seed {seed}, {}: {found:?}\n{}", comparison.name, model.text());
        }
    }
}

#[test]
fn there_is_something_to_leave_out() {
    let smaller = (0..250).filter(|&seed| {
        let Ok(system) = read_text("model.pml", &everywhere(seed).text()) else { return false };
        let full = explore(&system, Reduction::Full).counts.states;
        full <= LIMITS.states && explore(&system, Reduction::Reduced).counts.states < full
    });
    let smaller = smaller.count();
    assert!(smaller > 60, "only {smaller} of 250 models are smaller when reduced");
}

/// Each has an assertion that can fail, by an order of steps that a reduction might leave out.
const TRAPS: &[(&str, &str)] = &[
    (
        "a step to a receive lets somebody escape who could do something else before",
        "byte done; chan c = [0] of { bit }; active proctype A() { bit b; skip; c?b }
         active proctype B() { { done = 1 } unless { c!1 }; assert(done == 0) }",
    ),
    (
        "the argument of a run is read when the process starts",
        "byte g; proctype P(byte v) { assert(v == 1) }
         active proctype A() { byte n; n = 1; run P(g) } active proctype B() { byte n; n = 1; g = 1 }",
    ),
    (
        "the index in the argument of a run is read too",
        "byte a[3], k; proctype P(byte v) { assert(v == 0) }
         active proctype A() { byte n; n = 1; run P(a[k]) } active proctype B() { k = 2 } active proctype C() { a[2] = 5 }",
    ),
    (
        "what a local variable begins with is read when its process starts",
        "byte g; proctype P() { byte v = g; assert(v == 1) }
         active proctype A() { run P() } active proctype B() { g = 1 }",
    ),
    (
        "a length that a local variable begins with is read when its process starts",
        "chan c = [2] of { byte }; proctype P() { byte v = len(c); assert(v == 1) }
         active proctype A() { run P() } active proctype B() { c!1 }",
    ),
    (
        "a d_step writes where its index points when it is used",
        "bit a[2]; active proctype A() { byte i; d_step { i = 1; a[i] = 1 } }
         active proctype B() { byte x; x = a[1]; assert(x == 0) }",
    ),
    (
        "a d_step sends where its index points when it is used",
        "chan c[2] = [2] of { byte }; active proctype A() { byte i; d_step { i = 1; c[i]!7 } }
         active proctype B() { byte x; c[1]!5; c[1]?x; assert(x == 5) }",
    ),
    (
        "a d_step sends to the channel that it chose itself",
        "chan c = [2] of { byte }; chan d = [2] of { byte }; active proctype A() { chan v = c; d_step { v = d; v!7 } }
         active proctype B() { byte x; d!5; d?x; assert(x == 5) }",
    ),
    (
        "the second field of a receive goes where the first says",
        "bit a[2]; chan c = [2] of { byte, byte }; active proctype A() { byte i; c!1,1; c?i,a[i] }
         active proctype B() { byte x; x = a[1]; assert(x == 1) }",
    ),
    (
        "a run inside an assertion starts a process",
        "byte g; proctype P() { g = 1 } active proctype A() { byte n; n = 1; assert(run P()) }
         active proctype B() { byte n; n = g; assert(n == 0) }",
    ),
    (
        "a send and the question whether there is room depend on each other",
        "chan c = [1] of { byte }; active proctype A() { byte n; n = 1; c!1 }
         active proctype B() { byte n; n = 1; if :: full(c) -> assert(false) :: nfull(c) -> skip fi }",
    ),
    (
        "a receive and the question what comes first depend on each other",
        "chan c = [2] of { byte }; active proctype A() { byte n; n = 1; c!1; c!2 }
         active proctype B() { byte n; n = 1; c?_ } active proctype C() { c?[2] -> assert(false) }",
    ),
    (
        "two who send to one channel depend on each other",
        "chan c = [2] of { byte }; active proctype A() { byte n; n = 1; c!1 } active proctype B() { byte n; n = 1; c!2 }
         active proctype C() { byte x; c?x; assert(x == 1) }",
    ),
    (
        "two who receive from one channel depend on each other",
        "chan c = [2] of { byte }; active proctype A() { byte x; c!1; c!2; c?x; assert(x == 1) }
         active proctype B() { byte n; n = 1; c?_ }",
    ),
    (
        "else looks at what the guards beside it look at",
        "byte g; active proctype A() { byte n; n = 1; if :: g == 1 -> skip :: else -> assert(false) fi }
         active proctype B() { byte n; n = 1; g = 1 }",
    ),
    (
        "an escape looks at what others write",
        "byte g, h; active proctype A() { byte n; { n = 1; n = 2; n = 3; h = 1 } unless { g == 1 -> assert(h == 1) } }
         active proctype B() { byte n; n = 1; g = 1 }",
    ),
    (
        "a provided clause looks at what others write",
        "byte g, h; active proctype A() provided (g == 0) { byte n; n = 1; h = 1 }
         active proctype B() { byte n; n = 1; g = 1; n = h; assert(n == 1); g = 0 }",
    ),
    (
        "timeout waits for everybody",
        "byte g; active proctype A() { byte n; n = 1; g = 1 }
         active proctype B() { timeout; assert(g == 0) }",
    ),
    (
        "how many processes there are is changed by whoever starts one or ends",
        "proctype P() { skip } active proctype A() { byte n; n = 1; run P() }
         active proctype B() { byte n; n = 1; n = _nr_pr; assert(n == 2) }",
    ),
    (
        "where another process stands is changed by its every step",
        "active proctype A() { byte n; n = 1; there: n = 2; n = 3 }
         active proctype B() { byte n; n = 1; assert(!A@there) }",
    ),
    (
        "a channel that came in a message is somebody else's",
        "chan mail = [1] of { chan }; chan c = [2] of { byte }; active proctype A() { byte x; mail!c; c!1; c?x; assert(x == 1) }
         active proctype B() { chan v; mail?v; v!2 }",
    ),
    (
        "the channel of a process that another was given is shared",
        "proctype P(chan v) { byte n; n = 1; v!2 } active proctype A() { chan own = [2] of { byte }; byte x; run P(own); own!1; own?x; assert(x == 1) }",
    ),
    (
        "both sides of a rendezvous move",
        "chan c = [0] of { byte }; byte g; active proctype A() { byte n; n = 1; c!1 } active proctype B() { byte x; c?x; g = 1 }
         active proctype C() { byte n; n = g; assert(n == 0) }",
    ),
    (
        "inside of an atomic sequence the first read counts as well as the last",
        "byte g, h; active proctype A() { byte n, m; atomic { n = g; m = h }; assert(!(n == 0 && m == 1)) }
         active proctype B() { byte n; n = 1; h = 1; g = 1 }",
    ),
    (
        "an atomic sequence that blocks lets others in between",
        "byte g, h; active proctype A() { atomic { h = 1; g == 1; h = 2 } }
         active proctype B() { byte n; n = 1; n = h; g = 1; assert(n == 0) }",
    ),
    (
        "an element is another one when its index changes",
        "byte a[2], i; active proctype A() { byte n; n = 1; a[i] = 1 } active proctype B() { byte n; n = 1; i = 1 }
         active proctype C() { byte n; n = a[1]; assert(n == 0) }",
    ),
];

#[test]
fn no_trap_is_fallen_into() {
    let mut wrong = Vec::new();
    for (name, text) in TRAPS {
        let system = read_text("trap.pml", text).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        for reduction in [Reduction::Full, Reduction::Reduced] {
            let report = explore(&system, reduction);
            let is_violated =
                report.errors.iter().any(|g| matches!(g.cause, Cause::Statement { assertion: true, .. }));
            if !is_violated {
                wrong.push(format!("{reduction:?}: {name}: {:?}", report.outcome));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
