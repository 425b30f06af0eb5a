//! Safety searches on small models: exact figures (SPIN's, where it was asked), and the fast engine against the obvious one.

use certificate::trace::replay;
use promela::{NoIncludes, Options};
use search::{
    Cause, Control, Engine, ErrorPolicy, Limits, Outcome, Reduction, SearchOptions, SearchReport, Steps,
    StopReason, explore,
};
use std::collections::BTreeSet;
use system::automaton::System;
use system::interpreter::Capacities;

fn system(text: &str) -> System {
    let (model, diagnostics) = promela::read("test.pml", text, &Options::default(), &NoIncludes);
    let errors = diagnostics.iter().filter(|d| d.severity == promela::diagnostic::Severity::Error);
    assert_eq!(errors.count(), 0, "{diagnostics:?}");
    let (system, diagnostics) = system::lower::lower(model);
    let errors = diagnostics.iter().filter(|d| d.severity == promela::diagnostic::Severity::Error);
    assert_eq!(errors.count(), 0, "{diagnostics:?}");
    system
}

fn all_errors() -> SearchOptions {
    SearchOptions { errors: ErrorPolicy::All, ..SearchOptions::full() }
}

fn run(system: &System, options: &SearchOptions) -> SearchReport {
    let Ok(report) = explore(system, options, &Control::none()) else { panic!("no initial state") };
    for group in &report.errors {
        let replayed = replay(system, &group.trace);
        let is_runtime_error = matches!(group.cause, Cause::Statement { assertion: false, .. });
        assert!(replayed.is_ok() || is_runtime_error, "{replayed:?}");
    }
    report
}

fn figures(report: &SearchReport) -> (u64, u64, u64, u64) {
    (report.counts.states, report.counts.transitions(), report.counts.atomic_steps, report.error_count())
}

/// Runs all engines on the full graph, compares them in everything, and gives states, transitions, atomic steps, errors.
fn full(text: &str) -> (u64, u64, u64, u64) {
    let system = system(text);
    let fast = run(&system, &all_errors());
    assert_eq!(fast.outcome, Outcome::Complete);
    for options in [
        SearchOptions { engine: Engine::Reference, ..all_errors() },
        SearchOptions { threads: 2, ..all_errors() },
        SearchOptions { threads: 3, ..all_errors() },
        SearchOptions { steps: Steps::Executed, ..all_errors() },
        SearchOptions { steps: Steps::Executed, threads: 2, ..all_errors() },
        SearchOptions { steps: Steps::Directly, ..all_errors() },
        SearchOptions { steps: Steps::ByReads, ..all_errors() },
        SearchOptions { steps: Steps::ByReads, threads: 2, ..all_errors() },
        SearchOptions { steps: Steps::ByMasks, ..all_errors() },
        SearchOptions { steps: Steps::ByVariables, ..all_errors() },
        SearchOptions { steps: Steps::ByVariables, threads: 2, ..all_errors() },
    ] {
        let other = run(&system, &options);
        assert_eq!(figures(&other), figures(&fast));
        assert_eq!(other.outcome, fast.outcome);
        assert_eq!(other.counts.depth, fast.counts.depth);
        assert_eq!(other.unreached, fast.unreached);
        assert_eq!(other.channels, fast.channels);
        let causes = |report: &SearchReport| {
            let mut causes: Vec<_> =
                report.errors.iter().map(|group| (group.cause.clone(), group.count)).collect();
            causes.sort();
            causes
        };
        assert_eq!(causes(&other), causes(&fast));
        let lengths = |report: &SearchReport| {
            let mut lengths: Vec<_> =
                report.errors.iter().map(|group| (group.cause.clone(), group.trace.steps.len())).collect();
            lengths.sort();
            lengths
        };
        if fast.counts.atomic_steps == 0 {
            assert_eq!(lengths(&other), lengths(&fast));
        }
    }
    let reduced = run(&system, &SearchOptions { reduction: Reduction::Reduced, ..all_errors() });
    assert_eq!(reduced.outcome, Outcome::Complete);
    assert!(reduced.counts.states <= fast.counts.states);
    assert_eq!(reduced.errors.is_empty(), fast.errors.is_empty());
    let kinds = |report: &SearchReport| {
        let mut kinds: Vec<_> =
            report.errors.iter().map(|group| std::mem::discriminant(&group.cause)).collect();
        kinds.dedup();
        kinds.len()
    };
    assert_eq!(kinds(&reduced), kinds(&fast));
    assert_eq!(reduced.unreached, fast.unreached);
    figures(&fast)
}

const COUNTERS: &str = "
    byte x, y;
    active proctype A() { do :: x < 3 -> x++ :: x == 3 -> break od; assert(y <= 2) }
    active proctype B() { do :: y < 3 -> y++ :: y == 3 -> break od }
";

const BUFFERS: &str = "
    chan c = [2] of { byte, bit };
    active proctype Sender() { byte i; do :: i < 4 -> c!i,1; i++ :: else -> break od }
    active proctype Receiver() { byte v; bit b; do :: c?v,b -> assert(v < 3) od }
";

const RENDEZVOUS: &str = "
    chan c = [0] of { byte };
    byte got;
    active [2] proctype Sender() { c!_pid; c!_pid + 10 }
    active [2] proctype Receiver() { byte v; end: do :: c?v -> got = v od }
";

const ATOMIC: &str = "
    byte n; chan c = [1] of { byte };
    active [2] proctype P() { byte v; do :: atomic { n < 4 -> n++; c!n; v = n } :: c?v; skip od }
";

const CREATION: &str = "
    byte n;
    proctype Child(byte depth) {
        chan own = [1] of { byte };
        own!depth; n++;
        if :: depth > 0 -> run Child(depth - 1) :: else fi
    }
    init { run Child(2); run Child(1); _nr_pr == 1; assert(n == 5) }
";

/// Processes with variables, of several types, one of which takes the place of another.
const TAKING_TURNS: &str = "
    byte rounds;
    proctype Late(byte from) { byte own[3]; own[1] = from; rounds = 1 - rounds; own[2] = own[1] + rounds; assert(own[2] > 0) }
    proctype Later(byte x; byte y) { byte z; z = x + y; rounds = 1 - rounds }
    active proctype Count() {
        byte n, m, k = 1;
        do
        :: n < 9 -> n++
        :: n == 9 && m < 5 -> n = k; m++
        :: n == 9 && m == 5 -> n = 0; m = 0
        od
    }
    active proctype Start() { do :: _nr_pr == 2 -> run Late(2) :: _nr_pr == 2 -> run Later(1, 2) od }
";

/// A process with many local states, hardly any of whose steps reads more than one variable.
const COUNTING: &str = "
    active proctype Count() {
        byte n, m, k = 1;
        do
        :: n < 80 -> n++
        :: n == 80 && m < 80 -> n = k; m++
        :: n == 80 && m == 80 -> n = 0; m = 0
        od
    }
";

const TIMEOUT: &str = "
    chan c = [1] of { byte }; byte tries;
    active proctype Sender() { c!1; do :: timeout -> tries++; if :: tries < 3 -> c!1 :: else -> break fi od }
    active proctype Loser() { byte v; do :: c?v :: tries == 3 -> break od }
";

const UNLESS: &str = "
    byte x; bit stop;
    active proctype P() { { do :: x < 5 -> x++ od } unless { stop -> x = 9 } }
    active proctype Q() { stop = 1 }
";

const D_STEP: &str = "
    byte a[4]; byte i;
    active [2] proctype P() { byte k; do :: d_step { i < 4 -> k = i; a[k] = _pid + 1; i++ } :: i == 4 -> break od }
";

const WIDE: &str = "
    int a[40]; int step; bit b;
    active proctype Fills() { do :: step < 300 -> a[step % 40] = a[(step + 7) % 40] + step * 7; step++ :: else -> break od }
    active proctype Toggles() { do :: b == 0 -> b = 1 :: b == 1 -> b = 0 :: a[3] > 2000 -> break od }
";

#[test]
fn processes_that_count_are_divided_into_their_variables_and_nothing_else_changes() {
    for text in [TAKING_TURNS, COUNTING] {
        let system = system(text);
        let slow = run(&system, &SearchOptions { engine: Engine::Reference, ..all_errors() });
        for steps in [Steps::Measured, Steps::ByVariables] {
            for threads in [1, 2] {
                let fast = run(&system, &SearchOptions { steps, threads, ..all_errors() });
                assert_eq!(figures(&fast), figures(&slow));
                assert_eq!(fast.digest, slow.digest);
                assert_eq!(fast.observed.locals, slow.observed.locals);
                assert_eq!(fast.unreached, slow.unreached);
                // One for each local state would be 13,043. Of counting what is measured says that executing all is better still.
                let may_be_all = steps == Steps::Measured && text == COUNTING;
                assert!(may_be_all || fast.counts.computed_steps < 10_000, "{}", fast.counts.computed_steps);
            }
        }
    }
}

#[test]
fn states_of_many_words_are_counted_exactly() {
    assert_eq!(full(WIDE), SPIN_WIDE);
}

#[test]
fn several_threads_count_what_one_counts() {
    let counter = |name: &str| {
        format!(
            "byte {name}; active proctype P{name}() {{ do :: {name} < 20 -> {name}++ :: {name} == 20 -> break od }}"
        )
    };
    let system = system(&["a", "b", "c", "d"].map(counter).concat());
    let one = run(&system, &all_errors());
    // Enough states in a level that every thread has work.
    for threads in [2, 3, 5] {
        let several = run(&system, &SearchOptions { threads, ..all_errors() });
        assert_eq!(figures(&several), figures(&one));
        assert_eq!(several.counts.depth, one.counts.depth);
    }
    assert!(one.counts.states > 1_000_000);
}

#[test]
fn several_threads_count_what_one_counts_where_states_have_several_words() {
    let counter = |name: &str| {
        format!(
            "byte {name}; active proctype P{name}() {{ do :: {name} < 7 -> {name}++ :: {name} == 7 -> {name} = 0 od }}"
        )
    };
    let bits = "bit f[30], g[30], h[30]; byte i;
        active proctype Sets() { do :: i < 30 -> f[i] = 1; g[i] = 1; h[i] = 1; i++ :: else -> break od }";
    let system = system(&(["a", "b", "c"].map(counter).concat() + bits));
    let one = run(&system, &all_errors());
    for threads in [2, 3] {
        let several = run(&system, &SearchOptions { threads, ..all_errors() });
        assert_eq!(figures(&several), figures(&one));
        assert_eq!(several.counts.depth, one.counts.depth);
    }
    // SPIN says the same. A counter is before or inside one of its two options; `Sets` has five places in each of 30 rounds.
    assert_eq!(one.counts.states, 16 * 16 * 16 * (30 * 5 + 3));
}

#[test]
fn counts_are_those_of_spin() {
    // spin -o3 -a; gcc -DSAFETY -DNOREDUCE -DNOCLAIM; pan -n -c0
    assert_eq!(full(COUNTERS), SPIN[0]);
    assert_eq!(full(BUFFERS), SPIN[1]);
    assert_eq!(full(RENDEZVOUS), SPIN[2]);
    assert_eq!(full(ATOMIC), SPIN[3]);
    assert_eq!(full(CREATION), SPIN[4]);
    assert_eq!(full(TIMEOUT), SPIN[5]);
    assert_eq!(full(UNLESS), SPIN[6]);
    assert_eq!(full(D_STEP), SPIN[7]);
}

const SPIN_WIDE: (u64, u64, u64, u64) = (5734, 11459, 0, 0);

/// States, transitions, atomic steps, errors, in the order of the models above.
const SPIN: [(u64, u64, u64, u64); 8] = [
    (82, 146, 0, 3),
    (62, 102, 0, 4),
    (130, 245, 0, 0),
    (55, 101, 98, 4),
    (192, 333, 0, 0),
    (21, 23, 0, 0),
    (48, 75, 0, 0),
    (41, 61, 0, 0),
];

#[test]
fn a_blind_write_is_remembered_with_the_old_value() {
    // `x = 1` reads nothing: remembered without the old value of x it would flip the wrong bits.
    let text = "byte x; active proctype A() { do :: x = 1 :: x = 2 :: x = 0 :: x == 5 od }";
    assert_eq!(full(text), (3, 10, 0, 0));
}

#[test]
fn the_first_error_is_the_nearest() {
    let system = system("byte x; active proctype A() { do :: x++; assert(x != 3) od }");
    let report = run(&system, &SearchOptions::full());
    assert_eq!(report.outcome, Outcome::Stopped(StopReason::Error));
    assert_eq!(report.errors.len(), 1);
    assert_eq!(report.errors[0].trace.steps.len(), 6);
    assert!(!report.proves());
}

#[test]
fn a_limit_is_never_a_proof() {
    let system = system("int x; active proctype A() { do :: x >= 0 -> x++ od }");
    let limits = Limits { states: Some(1000), ..Limits::default() };
    let report = run(&system, &SearchOptions { limits, ..SearchOptions::full() });
    assert_eq!(report.outcome, Outcome::Stopped(StopReason::States(1000)));
    assert!(!report.proves());
}

#[test]
fn a_cancelled_search_says_so() {
    let system = system("int x; active proctype A() { do :: x >= 0 -> x++ od }");
    let Ok(report) = explore(&system, &SearchOptions::full(), &Control::none().cancelled_by(&|| true)) else {
        panic!()
    };
    assert_eq!(report.outcome, Outcome::Stopped(StopReason::Cancelled));
}

#[test]
fn unbounded_buffers_of_a_finite_system_have_exact_maxima() {
    let system = system(BUFFERS);
    let options = SearchOptions { capacities: Capacities::Unbounded, ..all_errors() };
    let report = run(&system, &options);
    assert_eq!(report.outcome, Outcome::Complete);
    assert_eq!(report.channels.iter().map(|channel| channel.peak).collect::<Vec<_>>(), [4]);
    let reference = run(&system, &SearchOptions { engine: Engine::Reference, ..options });
    assert_eq!(figures(&report), figures(&reference));
}

/// Every step computes which elements of an array it looks at.
const SLIDING_TILES: &str = "
byte board[6]; byte hole;
active proctype Player() {
    byte i;
    d_step { for (i : 0 .. 5) { board[i] = i }; i = 0 }
    do
    :: atomic { hole % 3 > 0 -> board[hole] = board[hole-1]; hole = hole - 1; board[hole] = 0 }
    :: atomic { hole % 3 < 2 -> board[hole] = board[hole+1]; hole = hole + 1; board[hole] = 0 }
    :: atomic { hole >= 3 -> board[hole] = board[hole-3]; hole = hole - 3; board[hole] = 0 }
    :: atomic { hole < 3 -> board[hole] = board[hole+3]; hole = hole + 3; board[hole] = 0 }
    od
}
active proctype Watch() {
    byte sum, i;
    do
    :: d_step { for (i : 0 .. 5) { sum = (sum * 3 + board[i]) % 16 }; i = 0 }
    :: d_step { sum > 12 && board[sum % 6] == 0 -> sum = 0; assert(board[hole] == 0) }
    od
}";

#[test]
fn the_rest_of_an_atomic_sequence_as_a_whole_is_what_its_steps_are() {
    // Choices, an assertion that fails on the way, waiting in the middle.
    let choices = "
        byte a[3], n; chan c = [1] of { byte };
        active [2] proctype P() {
            byte i, v;
            do :: atomic {
                select (i : 0 .. 2); a[i] = (a[i] + 1) % 3; assert(a[0] + a[1] < 4 || n == 0);
                if :: c!i :: n = 1 - n fi;
                a[(i + 1) % 3] = a[i]; c?v; a[v] = 0; i = 0; v = 0
            } od
        }";
    // Control goes over to whoever receives.
    let handing_over = "
        chan r = [0] of { byte }; byte n, m;
        active [2] proctype S() { do :: atomic { n < 3 -> n++; r!n; m = n; r!m } :: atomic { n == 3 -> n = 0 } od }
        active proctype R() { byte v; do :: atomic { r?v -> m = v; m++; r?v; v = 0 } od }";
    // Processes are started and die, and an index is outside.
    let starting = "
        byte a[4], n;
        proctype C(byte k) { atomic { a[k] = k; n++; a[n + k] = 1 } }
        init { atomic { run C(1); a[0] = n; run C(2); a[0]++; run C(1) }; a[n] = 2 }";
    // More steps than are remembered at once, and choices at the end.
    let long = "
        byte i, x;
        active [2] proctype P() {
            do :: atomic {
                i = 0; do :: i < 90 -> i++ :: i == 90 -> break od;
                if :: x = (x + 1) % 5 :: x = 0 :: x > 2 fi; i = _pid
            } od
        }";
    // More moves than are remembered at once.
    let wide = "
        byte x, y, z;
        active proctype P() { do :: atomic { select (x : 0 .. 9); select (y : 0 .. 9); z = (x + y) % 7; x = 0 } od }
        active proctype Q() { do :: z > 3 -> y = z :: z <= 3 -> z = 5 od }";
    for text in [choices, handing_over, starting, long, wide] {
        let (states, _, atomic_steps, _) = full(text);
        assert!(states > 3 && atomic_steps > 3, "{text}");
    }
}

#[test]
fn steps_that_look_at_computed_elements_are_made_alike_by_all_engines() {
    assert_eq!(full(SLIDING_TILES), (5_761, 19_383, 40_320, 0));
}

#[test]
fn a_statement_that_no_state_executes_is_reported() {
    let system = system("byte x; active proctype A() { if :: x == 1 -> x = 5 :: x == 0 -> skip fi }");
    let report = run(&system, &all_errors());
    let texts: Vec<_> =
        report.unreached.iter().map(|u| system.automaton(u.automaton).edge(u.edge).text.as_str()).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
}

#[test]
fn an_index_outside_its_array_is_an_error_with_a_trace() {
    let system = system("byte a[3]; byte i; active proctype A() { do :: a[i] = 1; i++ od }");
    let report = run(&system, &SearchOptions::full());
    assert_eq!(report.errors.len(), 1);
    assert!(matches!(&report.errors[0].cause, Cause::Statement { assertion: false, .. }));
}

/// There is nothing to leave out, so nothing is judged; and whoever does not ask for everything is led into the depth.
#[test]
fn of_one_process_alone_nothing_is_left_out_and_its_errors_are_found_in_depth() {
    let text = "byte at[4]; byte n;
        active proctype Alone() {
            do
            :: n < 100 -> n++; at[n % 4] = n
            :: n > 0 && at[n % 4] == n -> at[n % 4] = 0; assert(n != 97)
            :: n == 100 -> break
            od;
            (n == 0)
        }";
    let system = system(text);
    let all = run(&system, &all_errors());
    let reduced = run(&system, &SearchOptions { reduction: Reduction::Reduced, ..all_errors() });
    assert_eq!((reduced.outcome, figures(&reduced)), (all.outcome, figures(&all)));
    let causes = |report: &SearchReport| {
        let causes = report.errors.iter().map(|group| (format!("{:?}", group.cause), group.count));
        causes.collect::<BTreeSet<_>>()
    };
    assert_eq!(causes(&reduced), causes(&all));
    assert_eq!(causes(&all).len(), 2, "the assertion and the deadlock");
    let nearest =
        SearchOptions { reduction: Reduction::Reduced, errors: ErrorPolicy::Shortest, ..all_errors() };
    assert_eq!(run(&system, &nearest).errors[0].trace.steps.len(), 3 * 97 + 3);
}

#[test]
fn a_process_that_loops_locally_does_not_hide_the_others() {
    // Reduction alone would follow the loop for ever and never see the assertion.
    let text = "active proctype Loop() { bit b; do :: b = 1 - b od } active proctype Q() { byte v; v = 1; assert(v == 0) }";
    let system = system(text);
    let report = run(&system, &SearchOptions { reduction: Reduction::Reduced, ..all_errors() });
    assert_eq!(report.errors.len(), 1);
    assert_eq!(full(text).3, 2);
}

#[test]
fn an_atomic_that_waits_for_a_message_is_seen_waiting_by_reduced_search() {
    // If the send were tried first and alone, the receiver would never stand in the middle of its `atomic`.
    let text = "
        chan c = [1] of { byte }; bit inside;
        active proctype Sender() { c!1 }
        active proctype Receiver() { byte m; atomic { inside = 1; c?m; inside = 0 } }
        active proctype Watcher() { assert(!inside) }";
    assert_eq!(full(text).3, 2);
}

#[test]
fn an_atomic_that_finds_nobody_to_send_to_is_seen_waiting_by_reduced_search() {
    // While the second one has not come to its receive the first one waits inside of its `atomic`, and the message that it would have
    // sent there comes from elsewhere. If all came to their receives first, nobody would ever wait.
    let text = "
        chan c = [0] of { bit };
        active [2] proctype P() { skip; atomic { c?_; c!0 } }
        active proctype Sender() { c!0; c!0; assert(false) }";
    let system = system(text);
    let asserted = |options: &SearchOptions| {
        let errors = run(&system, options).errors;
        errors.iter().any(|error| matches!(error.cause, Cause::Statement { assertion: true, .. }))
    };
    assert!(asserted(&all_errors()));
    assert!(asserted(&SearchOptions { reduction: Reduction::Reduced, ..all_errors() }));
}

#[test]
fn a_process_that_another_looks_at_inside_an_index_is_not_moved_ahead_of_it() {
    let text = "
        byte a[2];
        active proctype Watched() { byte x; x = 1; here: x = 2; x = 3 }
        active proctype Watcher() { a[Watched@here] = 1; assert(a[1] == 0) }";
    assert_eq!(full(text).3, 3);
}

#[test]
fn an_atomic_that_has_asked_for_a_message_does_not_wait() {
    let text = "
        chan c = [1] of { byte }; bit inside;
        active proctype Sender() { byte n; do :: n < 3 -> c!n; n++ :: n == 3 -> break od }
        active proctype Receiver() { byte m, n; do :: atomic { n < 3 && nempty(c) -> inside = 1; c?m; inside = 0; n++ } :: n == 3 -> break od }
        active proctype Watcher() { assert(!inside) }";
    assert_eq!(full(text).3, 0);
    let reduced = run(&system(text), &SearchOptions { reduction: Reduction::Reduced, ..all_errors() });
    // Those who have ended die first; each at its turn they would be 31.
    assert_eq!(reduced.counts.states, 20);
}

#[test]
fn two_receives_after_one_guard_may_have_to_wait() {
    let text = "
        chan c = [2] of { byte }; bit inside;
        active proctype Sender() { c!1; c!2 }
        active proctype Receiver() { byte m; atomic { nempty(c) -> inside = 1; c?m; c?m; inside = 0 } }
        active proctype Watcher() { assert(!inside) }";
    assert_eq!(full(text).3, 2);
}

#[test]
fn a_guard_that_others_can_make_false_is_not_put_first() {
    // Both may find the one message; whoever comes second waits for ever.
    let text = "
        chan c = [1] of { byte };
        active proctype Sender() { c!1 }
        active proctype First() { byte m; nempty(c) -> c?m }
        active proctype Second() { byte m; nempty(c) -> c?m }";
    assert_ne!(full(text).3, 0);
}

#[test]
fn an_option_that_a_message_makes_executable_is_not_forgotten() {
    let text = "
        chan a = [1] of { byte }; chan b = [1] of { byte };
        active proctype Sender() { byte n; n = 1; b!1 }
        active proctype Other() { a!1 }
        active proctype Receiver() { byte m; if :: a?m :: nempty(b) -> assert(false) fi }";
    assert_eq!(full(text).3, 2);
}

/// The digest of the packed engine, with one thread and several, and that of the engine that packs nothing.
#[test]
fn two_engines_agree_on_what_stands_for_all_states() {
    let texts = [
        "byte x; active [2] proctype P() { do :: x < 3 -> x++ :: x > 0 -> x-- od }",
        "chan c = [2] of { byte, bit }; active proctype P() { do :: c!1,0 :: c!2,1 od } active proctype Q() { byte v; do :: c?v,_ od }",
        "proctype P(byte n) { chan d = [1] of { byte }; d!n; d?n } init { run P(1); run P(2) }",
        "int a[5]; active proctype P() { byte i; do :: i < 4 -> a[i] = i + 1; i++ :: i == 4 -> break od } active proctype Q() { a[2] == 3; _nr_pr > 0 }",
        "byte x; active proctype P() { x == _last } active proctype Q() { x = 1 }",
    ];
    let mut digests = Vec::new();
    for text in texts {
        let system = system(text);
        let found = |threads: usize| {
            let options = SearchOptions { threads, errors: ErrorPolicy::All, ..SearchOptions::full() };
            let report = explore(&system, &options, &Control::none()).expect("an initial state");
            (report.counts.states, report.digest.expect("few states"))
        };
        let slowly = search::count_slowly(&system, Capacities::Declared, 1 << 20, &Control::none());
        assert_eq!(slowly.expect("an initial state"), Some(found(1)), "{text}");
        assert_eq!(found(1), found(2), "{text}");
        let (states, digest) = found(1);
        let too_few = search::count_slowly(&system, Capacities::Declared, states - 1, &Control::none());
        assert_eq!(too_few.expect("an initial state"), None);
        digests.push(digest);
    }
    digests.sort_by_key(ToString::to_string);
    digests.dedup();
    assert_eq!(digests.len(), texts.len(), "other states have another digest");
}

/// Hardly any two histories have the same number: every step makes a value that was never there before. Errors of three kinds, messages, and somebody who comes and goes.
const HISTORIES: &str = "
    int past = 1; byte written; chan c = [2] of { byte, short }; short least;
    proctype Reader() { short x; byte who; c?who, x; if :: x < least -> least = x :: else fi }
    active [3] proctype Writer() {
        do
        :: atomic { written < 9 -> past = (past * 31 + _pid + 1) % 1000003; written++ }
        :: atomic { written == 8 && past % 64 == 3 -> written++; c!_pid, past - 40000; run Reader() }
        :: written == 7 && past % 128 == 1 -> assert(past % 3 != 0)
        :: written == 9 && past % 128 == 5 -> past = past / (least + 1 - least % 2)
        od
    }";

#[test]
fn a_search_whose_steps_never_come_again_executes_them_and_finds_what_others_find() {
    let system = system(HISTORIES);
    let slow = run(&system, &SearchOptions { engine: Engine::Reference, ..all_errors() });
    assert!(slow.counts.states > 20_000 && slow.errors.len() >= 2, "{:?}", slow.counts);
    for steps in [Steps::Measured, Steps::Directly] {
        for threads in [1, 2] {
            let fast = run(&system, &SearchOptions { steps, threads, ..all_errors() });
            assert_eq!(figures(&fast), figures(&slow));
            assert_eq!(fast.counts.depth, slow.counts.depth);
            assert_eq!(fast.digest, slow.digest);
            assert_eq!(fast.observed.locals.keys().count(), slow.observed.locals.keys().count());
            assert_eq!(fast.observed.traffic, slow.observed.traffic);
            assert_eq!(fast.unreached, slow.unreached);
            assert_eq!(fast.channels, slow.channels);
            let made = fast.counts.transitions() + fast.counts.atomic_steps;
            // The initial state is an arrival without a step.
            assert!(fast.counts.computed_steps + 1 >= made, "nothing is remembered: {:?}", fast.counts);
        }
    }
}

#[test]
fn an_atomic_sequence_that_goes_round_for_ever_is_left_to_a_search_that_notices() {
    let system = system("
        byte x; short y;
        active proctype Counter() { do :: y < 90 -> y = y * 2 + 1 :: y > 4 -> y = y - 4 :: atomic { y == 3 -> x = 1; do :: x = 3 - x od } od }");
    let remembered = run(&system, &all_errors());
    let executed = run(&system, &SearchOptions { steps: Steps::Directly, ..all_errors() });
    assert_eq!(executed.outcome, Outcome::Complete);
    assert_eq!(figures(&executed), figures(&remembered));
    assert_eq!(executed.digest, remembered.digest);
}
