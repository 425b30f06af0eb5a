//! Each condition of an ample set by itself: a model in which it decides, beside one in which it does not.

use super::*;
use crate::reduce::ended::may_die_first;
use promela::Options;

fn system(text: &str) -> System {
    let (model, diagnostics) = promela::read("model.pml", text, &Options::default(), &promela::NoIncludes);
    let error = diagnostics.iter().find(|d| d.severity == promela::diagnostic::Severity::Error);
    assert!(error.is_none(), "{text}: {error:?}");
    system::lower::lower(model).0
}

fn reduces(text: &str) -> bool {
    Reducer::for_errors(&system(text), Capacities::Declared).is_some()
}

/// Whether the moves of process 0 are enough at the start, when it is known what all can do there.
fn is_ample(text: &str) -> bool {
    let system = system(text);
    let interpreter = Interpreter::new(&system, Capacities::Declared);
    let state = interpreter.initial_state().expect("an initial state");
    let reducer = Reducer::for_errors(&system, Capacities::Declared).expect("can be reduced");
    ample_at(&reducer, &interpreter, &state)
}

fn ample_at(reducer: &Reducer, interpreter: &Interpreter<'_>, state: &State) -> bool {
    ample_of(reducer, interpreter, state, Pid(0))
}

fn ample_of(reducer: &Reducer, interpreter: &Interpreter<'_>, state: &State, pid: Pid) -> bool {
    let phase = phase_of(reducer, state);
    for other in 0..state.processes.len() as u32 {
        reducer.note_uses(interpreter, state, Pid(other), phase);
    }
    reducer.begin();
    reducer.is_ample(interpreter, state, pid, phase)
}

fn phase_of(reducer: &Reducer, state: &State) -> Phase {
    let may_start = |process: &Process| reducer.may_start(process.automaton, process.location);
    if state.processes.iter().any(may_start) { Phase::Births } else { Phase::Settled }
}

#[test]
fn where_every_step_matters_nothing_is_left_out() {
    assert!(reduces("active proctype A() { skip }"));
    assert!(reduces("active proctype A() { skip }\nnever { do :: true od }"));
    for text in [
        "byte g; active proctype A() { g = _last }",
        "active proctype A() { do :: enabled(1) -> skip od } active proctype B() { skip }",
        "byte g; active proctype A() { g = pc_value(1) } active proctype B() { skip }",
        "active proctype A() priority 2 { skip } active proctype B() { skip }",
        "active proctype A() { skip } never { do :: np_ od }",
        "chan c = [1] of { byte }; active proctype A() { c!1 } trace { c!1 }",
    ] {
        assert!(!reduces(text), "{text}");
    }
}

/// Any step of another process to a receive may decide whether such an `else`, or what is left for an escape, can be executed.
#[test]
fn an_else_or_an_unless_that_asks_who_waits_at_a_rendezvous_forbids_reduction() {
    let model = |capacity: &str, body: &str| {
        format!(
            "chan r = [{capacity}] of {{ byte }}; chan b = [1] of {{ byte }};
             active proctype A() {{ {body} }} active proctype B() {{ byte n; n = 1; r?n }}"
        )
    };
    assert!(!reduces(&model("0", "if :: r!1 :: else fi")));
    assert!(!reduces(&model("0", "chan p; p = r; if :: p!1 :: else fi")));
    assert!(reduces(&model("0", "if :: b!1 :: else fi")));
    assert!(reduces(&model("1", "if :: r!1 :: else fi")));
    assert!(reduces(&model("1", "chan p; p = r; if :: p!1 :: else fi")));
    assert!(reduces(&model("0", "r!1")));
    // What an `unless` leaves when its escape is such a send is no better.
    assert!(!reduces(&model("0", "{ skip } unless { r!1 }")));
    assert!(!reduces(&model("0", "chan p; p = r; { skip } unless { p!1 }")));
    assert!(!reduces(&model("0", "{ { skip } unless { r!1 } } unless { false }")));
    assert!(reduces(&model("0", "byte y; { r!1 } unless { y == 1 }")));
    assert!(reduces(&model("1", "{ skip } unless { r!1 }")));
}

/// Whether an `atomic` sequence that sends to nobody is left, or goes on, is decided by whoever steps to a receive.
#[test]
fn a_step_to_a_receive_is_not_enough_where_an_atomic_may_find_nobody_to_send_to() {
    let model = |capacity: &str, own: &str, body: &str| {
        format!(
            "chan r = [{capacity}] of {{ byte }}; chan b = [1] of {{ byte }}; byte g;
             active proctype A() {{ byte n; {own} }} active proctype B() {{ byte n; {body} }}"
        )
    };
    assert!(!is_ample(&model("0", "n = 1; r?n", "atomic { g = 1; r!1 }")));
    assert!(!is_ample(&model("0", "n = 1; d_step { r?n; n = 2 }", "atomic { g = 1; r!1 }")));
    assert!(!is_ample(&model("0", "atomic { n = 1; n = 2 }; r?n", "atomic { g = 1; r!1 }")));
    assert!(!is_ample(&model("0", "n = 1; r?n", "chan p; atomic { p = r; p!1 }")));
    assert!(!is_ample(&model("0", "n = 1; r?n", "atomic { r?n; r!1 }")));
    assert!(is_ample(&model("0", "n = 1; n = 2; r?n", "atomic { g = 1; r!1 }")));
    assert!(is_ample(&model("0", "n = 1; b?n", "atomic { g = 1; r!1 }")));
    assert!(is_ample(&model("0", "n = 1; r?n", "atomic { r!1; g = 1 }")));
    assert!(is_ample(&model("0", "n = 1; r?n", "atomic { g = 1; b!1 }")));
    assert!(is_ample(&model("1", "n = 1; r?n", "atomic { g = 1; r!1 }")));
}

#[test]
fn a_move_is_enough_where_nobody_else_has_to_do_with_it() {
    let declared = "byte f, g, h, v[2]; chan c = [2] of { byte }; chan d = [2] of { byte };
        chan e = [2] of { byte };";
    let others = "active proctype B() { byte n; if :: g == 5 -> g = 1 :: d!1 :: f = 2 :: v[1] = 3 fi }";
    let cases: &[(bool, &str)] = &[
        (true, "byte n; n = 1"),
        (true, "h = 1"),
        (true, "c!1"),
        // Others read or write it.
        (false, "g = 1"),
        (false, "byte n; n = f"),
        (true, "byte n; n = g"),
        (false, "d!1"),
        // An empty channel may be filled.
        (false, "c?1"),
        (false, "byte n; n = len(c)"),
        (true, "skip; skip"),
        // Escapes and `d_step`s are left to the full search.
        (false, "byte n; { n = 1; n = 2 } unless { h == 3 }"),
        (false, "byte n; d_step { n = 1; n = 2 }"),
        // Who starts or asks for processes is seen by all.
        (false, "run P()"),
        (false, "byte n; n = _nr_pr"),
        // What cannot become executable before the process moves does not matter.
        (true, "byte n; if :: n == 1 && g == 1 :: n == 0 -> n = 2 fi"),
        (true, "byte n; if :: f == 1 && n == 1 :: n == 0 -> n = 2 fi"),
        (false, "byte n; if :: f == 1 || n == 1 :: n == 0 -> n = 2 fi"),
        // An error is a move, and a receive that finds nothing is no false condition.
        (false, "byte n; if :: f / n == 1 :: n == 0 -> n = 2 fi"),
        (false, "byte n; if :: c?1 :: n == 0 -> n = 2 fi"),
        // An index that the `atomic` sets itself is not known before.
        (true, "byte n; atomic { h = 1; v[n] = 1 }"),
        (false, "byte n; atomic { n = 1; v[n] = 1 }"),
        // One move of an `atomic` is all of it.
        (true, "atomic { h = 1; h = 2 }"),
        (true, "atomic { nfull(c); c!1 }"),
        // The guard of an `atomic` has asked for room, for this channel, for one message, and on every way there.
        (true, "atomic { nfull(c); h = 1; c!1 }"),
        (true, "atomic { nfull(c) && h == 0; c!1 }"),
        (false, "atomic { nfull(c); c!1; c!1 }"),
        (false, "atomic { nfull(e); c!1 }"),
        (false, "atomic { nfull(c); c!!1 }"),
        (false, "atomic { if :: nfull(c) :: h == 0 fi; c!1 }"),
        (false, "chan k = c; atomic { nfull(k); k!1 }; k = e"),
        (false, "atomic { nfull(c); again: c!1 }; goto again"),
        (false, "atomic { h = 1; g = 2 }"),
        (false, "atomic { h = 1; h = 2; g = 2 }"),
        (false, "atomic { h = 1; c!1 }"),
        (false, "atomic { h = 1; c?1 }"),
        (false, "atomic { h = 1; nfull(c) }"),
        (false, "atomic { h = 1; nempty(c) }"),
        (false, "atomic { h = 1; timeout }"),
        (false, "atomic { h = 1; run P() }"),
        (false, "byte n; atomic { h = 1; n = _nr_pr }"),
        (false, "byte n; atomic { h = 1; d_step { n = 1; n = 2 } }"),
        (false, "byte n; atomic { h = 1; { n = 1 } unless { n == 3 } }"),
        (true, "byte n; atomic { h = 1; do :: n < 2 -> n++ :: else -> break od; h = 2 }; g = 1"),
    ];
    for (expected, body) in cases {
        let text = format!("{declared} active proctype A() {{ {body} }} {others} proctype P() {{ skip }}");
        assert_eq!(is_ample(&text), *expected, "{body}");
    }
    // With rendezvous, where control goes from one process to another, no guard has asked for long.
    let text = "chan c = [2] of { byte }; chan r = [0] of { byte }; active proctype A() { atomic { nfull(c); c!1 } }";
    assert!(!is_ample(text) && is_ample(&text.replace("[0]", "[1]")));
    // Where the location or the variables of a process are looked at, its moves are not put first.
    for other in ["A@there", "A:n == 1"] {
        let text = format!(
            "active proctype A() {{ byte n; there: n = 1; n = 2 }} active proctype B() {{ {other} }}"
        );
        assert!(!is_ample(&text), "{other}");
    }
    assert!(!is_ample("active proctype A() provided (true) { byte n; n = 1 } active proctype B() { skip }"));
}

/// A channel that a process looks at, or that decides how far it gets, is nobody's alone.
#[test]
fn a_channel_is_looked_at_in_many_ways() {
    let ample = |other: &str| {
        is_ample(&format!(
            "chan c = [2] of {{ byte }}; active proctype A() {{ c!1 }} active proctype B() {{ {other} }}"
        ))
    };
    assert!(ample("c?1"));
    assert!(ample("if :: c?1 :: c?2 fi"));
    assert!(ample("nempty(c) -> c?1"));
    assert!(!ample("len(c) == 1 -> c?1"));
    assert!(!ample("c?[1] -> c?1"));
    assert!(!ample("if :: c?1 :: else fi"));
    assert!(!ample("{ skip; skip } unless { c?1 }"));
    assert!(!ample("if :: c?1 :: d_step { skip; skip } fi"));
    assert!(!is_ample(
        "byte g; chan c = [2] of { byte }; active proctype A() { g = 1 }
         active proctype B() provided (g == 0) { skip }"
    ));
}

/// Once somebody relied on being alone, whoever comes in later is noticed, in whatever order.
#[test]
fn what_was_relied_on_and_turns_out_wrong_begins_the_search_again() {
    let used = Use::Write(3);
    let broken = |work: &dyn Fn(&mut Ledger)| {
        let mut learned = Ledger::default();
        work(&mut learned);
        learned.broken
    };
    let one = |pid| Users::One(User::Number(Pid(pid)));
    assert!(!broken(&|learned| {
        learned.note(used, one(0));
        learned.rely(used, one(0));
        learned.note(used, one(0));
        learned.note(Use::Read(3), one(1));
    }));
    assert!(broken(&|learned| {
        learned.rely(used, one(0));
        learned.note(used, one(1));
    }));
    assert!(broken(&|learned| {
        learned.rely(used, one(0));
        learned.note(used, Users::Many);
    }));
    assert!(broken(&|learned| {
        learned.note(used, one(1));
        learned.rely(used, one(0));
    }));
    assert!(broken(&|learned| {
        learned.note(used, one(0));
        learned.note(used, one(1));
        learned.rely(used, one(0));
    }));
    // Two who rely on nobody else being there exclude each other's use.
    for user in [one(0), one(1), Users::Many] {
        assert!(broken(&|learned| {
            learned.rely(used, one(0));
            learned.rely(used, one(1));
            learned.note(used, user);
        }));
    }
    // It stays broken.
    assert!(broken(&|learned| {
        learned.rely(used, one(0));
        learned.note(used, one(1));
        learned.note(used, one(0));
        learned.rely(Use::Read(9), one(0));
    }));
}

#[test]
fn what_is_learned_decides_only_after_a_new_beginning() {
    let system = system("byte g; active proctype A() { g = 1 } active proctype B() { skip; g = 2 }");
    let interpreter = Interpreter::new(&system, Capacities::Declared);
    let mut state = interpreter.initial_state().expect("an initial state");
    let reducer = Reducer::for_errors(&system, Capacities::Declared).expect("can be reduced");
    assert!(ample_at(&reducer, &interpreter, &state) && !reducer.is_broken());
    let mut steps = Vec::new();
    interpreter.steps(&state, &mut steps).expect("no error");
    let skip = steps.iter().find(|step| step.process == Pid(1)).expect("B moves");
    interpreter.execute(&mut state, *skip, &(), &mut ()).expect("no error");
    reducer.note_uses(&interpreter, &state, Pid(1), Phase::Settled);
    assert!(reducer.is_broken());
    reducer.begin();
    assert!(!reducer.is_broken() && !reducer.is_ample(&interpreter, &state, Pid(0), Phase::Settled));
}

#[test]
fn every_loop_has_an_edge_that_leads_back() {
    let count = |body: &str| {
        let system = system(&format!("byte g; active proctype A() {{ {body} }}"));
        edges_that_lead_back(&system.automata[0]).iter().filter(|back| **back).count()
    };
    assert_eq!(count("g = 1; g = 2"), 0);
    assert_eq!(count("if :: g = 1 :: g = 2 fi; g = 3"), 0);
    assert_eq!(count("do :: g = 1 od"), 1);
    assert_eq!(count("do :: g = 1 :: g = 2; g = 3 od"), 2);
    assert_eq!(count("do :: g = 1; do :: g = 2 :: break od od"), 2);
}

/// Proctypes of which there is never more than one process.
#[test]
fn who_is_the_only_one_of_a_proctype() {
    let only = |text: &str| {
        let system = system(text);
        let interpreter = Interpreter::new(&system, Capacities::Declared);
        Births::of(&system, &Footprints::of(&interpreter)).only_one
    };
    assert_eq!(
        only("active proctype A() { skip; do :: skip od } active [2] proctype B() { skip }"),
        [true, false]
    );
    assert_eq!(only("active proctype A() { run P() } proctype P() { skip }"), [true, true]);
    assert_eq!(only("active proctype A() { run P(); run P() } proctype P() { skip }"), [true, false]);
    assert_eq!(only("active proctype A() { run P() } active proctype P() { skip }"), [true, false]);
    assert_eq!(only("active [2] proctype A() { run P() } proctype P() { skip }"), [false, false]);
    assert_eq!(only("active proctype A() { do :: run P() od } proctype P() { skip }"), [true, false]);
    assert_eq!(
        only("active proctype A() { do :: run P(); break :: skip od } proctype P() { skip }"),
        [true, true]
    );
    assert_eq!(
        only("active proctype A() { run P() } proctype P() { run Q() } proctype Q() { skip }"),
        [true; 3]
    );
    assert_eq!(only("active proctype A() { run P() } proctype P() { run P() }"), [true, false]);
    assert_eq!(
        only("active proctype A() { run P() } proctype P() { run Q() } proctype Q() { run P() }"),
        [true, false, false]
    );
}

/// The first process is the oldest, so it dies last; others keep their numbers only if they never end.
#[test]
fn those_who_keep_their_numbers() {
    let stay = |text: &str| {
        let system = system(text);
        let interpreter = Interpreter::new(&system, Capacities::Declared);
        those_who_stay(&system, &Footprints::of(&interpreter))
    };
    let text =
        "active proctype A() { skip } active [2] proctype B() { skip } active proctype C() { do :: skip od }";
    assert_eq!(stay(text), [true, false, false, true]);
}

/// Numbers are used again where ended processes go first: what such a process uses is many's.
#[test]
fn a_process_whose_number_is_used_again_is_many() {
    let users = |text: &str| {
        let system = system(text);
        let interpreter = Interpreter::new(&system, Capacities::Declared);
        let mut state = interpreter.initial_state().expect("an initial state");
        let mut steps = Vec::new();
        interpreter.steps(&state, &mut steps).expect("no error");
        interpreter.execute(&mut state, steps[0], &(), &mut ()).expect("no error");
        let reducer = Reducer::for_errors(&system, Capacities::Declared).expect("reduces");
        let user = |pid: u32| reducer.user(&state.processes[pid as usize], Pid(pid), Phase::Births);
        (user(0), user(1), reducer.user(&state.processes[1], Pid(1), Phase::Settled))
    };
    let one = |pid| Users::One(User::Number(Pid(pid)));
    let again = "active proctype A() { do :: run P() od } proctype P() { skip }";
    assert_eq!(users(again), (one(0), Users::Many, one(1)));
    let once = "active proctype A() { run P() } proctype P() { skip }";
    assert_eq!(users(once), (one(0), Users::One(User::OnlyOne(AutomatonId(1))), one(1)));
    // Where numbers matter none is used again before its time.
    let numbered = "byte g; active proctype A() { do :: run P() od } proctype P() { g = _pid }";
    assert_eq!(users(numbered), (one(0), one(1), one(1)));
}

#[test]
fn who_may_die_first() {
    let may = |text: &str| may_die_first(&system(text));
    let with =
        |declared: &str, a: &str, p: &str| format!("{declared} active proctype A() {{ {a} }} proctype P({p}");
    assert!(may(&with("", "run P(1)", "byte n) { skip }")));
    assert!(!may("active proctype A() { skip }"), "nobody is started");
    assert!(!may(&with("byte g;", "g = run P(1)", "byte n) { skip }")), "a number is kept");
    assert!(!may(&with("", "run P(1)", "byte n) { n = _pid }")), "a number is looked at");
    let chan = "chan e = [1] of { byte };";
    assert!(may(&with("", &format!("{chan} run P(e)"), "chan f) { f!1 }")), "a channel goes to a child");
    assert!(may(&with("", "run P(1)", "byte n) { chan f = [1] of { byte }; chan k; k = f; k!1 }")));
    assert!(!may(&with("chan g;", "run P(1)", "byte n) { chan f = [1] of { byte }; g = f }")), "to a global");
    assert!(
        !may(&with("chan g = [1] of { chan };", "run P(1)", "byte n) { chan f = [1] of { byte }; g!f }")),
        "sent"
    );
    assert!(!may(&with("chan g = [1] of { chan };", "run P(1)", "byte n) { chan f; g?f }")), "received");
    assert!(!may(&with("", &format!("{chan} run P(e)"), "byte n) { n = 1 }")), "a channel becomes a number");
    assert!(!may(&with("", "run P(1)", "chan f) { f!1 }")), "a number becomes a channel");
    assert!(!may(&with("", "run P(1)", "byte n) { chan f; f = n; f!1 }")), "and there, too");
    assert!(!may(&with("", "run P(1)", "byte n) { chan f = n; f!1 }")), "and there");
    assert!(
        !may(&with("", &format!("{chan} chan k = e; (k == e); run P(e)"), "chan f) { f!1 }")),
        "compared"
    );
    assert!(
        !may(&with("", "run P(1)", "byte n) { chan f = [1] of { byte }; d_step { n = f; n = 0 } }")),
        "inside of a d_step"
    );
    assert!(
        !may(&with("", "run P(1)", "byte n) { chan f = [1] of { byte }; byte k = f; k = 0 }")),
        "as a first value"
    );
    assert!(may(&with("", &format!("{chan} chan k = e; run P(k)"), "chan f) { f!1 }")), "from the beginning");
    assert!(may(&with("byte g;", "run P(1); g = 1", "byte n) { g = n }")), "other variables do not matter");
    let bytes = "chan g = [1] of { byte };";
    assert!(may(&with(bytes, "run P(1); g!1", "byte n) { g?n }")), "nor do other messages");
    let both = "chan g = [1] of { byte, chan };";
    assert!(!may(&with(both, "run P(1)", "byte n) { chan f; g?n,f }")), "received beside something else");
    assert!(
        !may(&with("chan g = [1] of { chan };", "run P(1)", "byte n) { chan f; d_step { g?f } }")),
        "received inside of a d_step"
    );
    assert!(!may(
        "chan g = [1] of { byte }; active proctype A() provided (g == 1) { run P() } proctype P() { skip }"
    ));
}

/// A condition on the variables and processes of a model that does not itself ask for it.
fn proposition(text: &str, condition: &str) -> Expr {
    let system = system(&format!("{text} active proctype Watch() {{ {condition} }}"));
    let watch = system.automata.iter().find(|automaton| automaton.name == "Watch").expect("it exists");
    match &watch.edges[0].action {
        Action::Condition(expr) => expr.clone(),
        other => panic!("{condition}: {other:?}"),
    }
}

/// Does something with a reducer for a formula over the condition, if there is one.
fn with_formula<T>(
    text: &str,
    condition: &str,
    proviso: Proviso,
    work: impl FnOnce(&Reducer, &Interpreter<'_>, &State) -> T,
) -> Option<T> {
    let system = system(text);
    let interpreter = Interpreter::new(&system, Capacities::Declared);
    let initial = interpreter.initial_state().expect("an initial state");
    let propositions = [proposition(text, condition)];
    let reducer = Reducer::for_formula(&interpreter, &initial, &propositions, Capacities::Declared, proviso)?;
    assert_eq!(reducer.proviso(), proviso);
    Some(work(&reducer, &interpreter, &initial))
}

#[test]
fn a_formula_keeps_the_moves_that_it_sees_and_those_that_close_loops() {
    let text = "byte g; active proctype A() { byte n; do :: n = 1; there: n = 2; n = 3 od }";
    let count = |condition: &str, proviso| {
        with_formula(text, condition, proviso, |reducer, _, _| {
            reducer.never_ample[0].iter().filter(|never| **never).count()
        })
        .expect("can be reduced")
    };
    assert_eq!(count("(g == 1)", Proviso::ByStates), 0);
    assert_eq!(count("(g == 1)", Proviso::ByControlFlow), 1);
    assert_eq!(count("(A@there)", Proviso::ByStates), 2);
}

#[test]
fn processes_that_a_formula_counts_do_not_die_first() {
    let text = "byte g; active proctype A() { do :: run P() od } proctype P() { skip }";
    let dies_first = |condition| {
        with_formula(text, condition, Proviso::ByStates, |reducer, _, _| reducer.dies_first).expect("reduces")
    };
    assert!(dies_first("(g == 1)"));
    assert!(!dies_first("(_nr_pr == 1)"));
}

/// What a formula asks of a process by its number, of unknown channels or of the moment cannot be told beforehand.
#[test]
fn a_formula_that_looks_at_what_cannot_be_told_forbids_reduction() {
    let text = "byte g; chan c = [1] of { byte }; chan k; chan v[2] = [1] of { byte };
        active proctype A() { byte n; k = c; do :: n = 1; there: n = 2; c!1; v[g]!1; k!1 od }";
    let can = |condition: &str| with_formula(text, condition, Proviso::ByStates, |_, _, _| ()).is_some();
    assert!(can("(g == 1)") && can("(len(c) == 1)") && can("(A@there)") && can("(A:n == 1)"));
    for proposition in ["(timeout)", "(_pid == 1)", "(len(k) == 1)"] {
        assert!(!can(proposition), "{proposition}");
    }
}

/// To the reducer a formula is one more process that reads and looks.
#[test]
fn what_a_formula_looks_at_is_not_changed_by_an_ample_move() {
    let ample = |body: &str, condition: &str| {
        let text = format!("byte g, h; chan c = [1] of {{ byte }}; active proctype A() {{ byte n; {body} }}");
        with_formula(&text, condition, Proviso::ByStates, ample_at).expect("can be reduced")
    };
    assert!(ample("h = 1", "(g == 1)") && !ample("g = 1", "(g == 1)"));
    assert!(ample("c!1", "(g == 1)") && !ample("c!1", "(len(c) == 1)"));
    assert!(ample("n = 1; n = 2", "(g == 1)") && !ample("n = 1; n = 2", "(A:n == 1)"));
    assert!(ample("atomic { h = 1; n = 2; n = 3 }", "(g == 1)"));
    assert!(!ample("atomic { h = 1; n = 2; there: n = 3 }", "(A@there)"));
    assert!(ample("n = 1; n = 2; there: n = 3", "(A@there)") && !ample("n = 1; there: n = 2", "(A@there)"));
}

/// Whether the moves of a process are enough after so many steps, each of the youngest that can move.
fn is_ample_after(text: &str, steps: usize, pid: u32) -> bool {
    let system = system(text);
    let interpreter = Interpreter::new(&system, Capacities::Declared);
    let mut state = interpreter.initial_state().expect("an initial state");
    for _ in 0..steps {
        let mut enabled = Vec::new();
        interpreter.steps(&state, &mut enabled).expect("no error");
        let step = enabled.into_iter().max_by_key(|step| step.process.0).expect("a step");
        interpreter.execute(&mut state, step, &(), &mut ()).expect("no error");
    }
    let reducer = Reducer::for_errors(&system, Capacities::Declared).expect("can be reduced");
    ample_of(&reducer, &interpreter, &state, Pid(pid))
}

#[test]
fn a_channel_is_stable_if_there_is_a_message_to_receive_or_room_to_send() {
    let after_a_send = |capacity: u32, next: &str| {
        let text =
            format!("chan c = [{capacity}] of {{ byte, byte }}; active proctype A() {{ c!1,1; {next} }}");
        is_ample_after(&text, 1, 0)
    };
    assert!(after_a_send(2, "c?1,1") && after_a_send(1, "c?1,1"));
    assert!(after_a_send(2, "c!2,2") && !after_a_send(1, "c!2,2"));
    assert!(!is_ample("chan r = [0] of { byte }; active proctype A() { r!1 } active proctype B() { r?1 }"));
    // An `atomic` that may have to wait is no single move, even if it need not wait now.
    let text = "chan c = [2] of { byte }; byte h; active proctype A() { c!1; atomic { h = 1; nempty(c) } }";
    assert!(!is_ample_after(text, 1, 0));
}

#[test]
fn who_can_only_end_goes_first_unless_somebody_notices() {
    let again = "active proctype A() { do :: run P() od } proctype P() { skip }";
    assert!(is_ample_after(again, 2, 1));
    let once = "active proctype A() { run P(); run P() } proctype P() { skip }";
    assert!(is_ample_after(once, 2, 1));
    // Whoever is started next would have another number.
    let numbered = "active proctype A() { run P(); run P() } proctype P() { byte n; n = _pid }";
    assert!(!is_ample_after(numbered, 2, 1));
    // Nobody is started next.
    let last = "byte g; active proctype A() { run P(); (false) } proctype P() { g = _pid }";
    assert!(is_ample_after(last, 2, 1));
    let counted = "active proctype A() { run P(); (_nr_pr == 1) } proctype P() { skip }";
    assert!(!is_ample_after(counted, 2, 1));
    let watched = "proctype P() { skip; there: skip } active proctype A() { run P(); (P@there) }";
    assert!(!is_ample_after(watched, 3, 1));
}

/// Whoever knows a channel that dies would use one that is gone.
#[test]
fn who_can_only_end_waits_for_those_who_use_its_channels() {
    let text = |other: &str| {
        format!(
            "chan mail = [1] of {{ chan }}; active proctype A() {{ chan k; run P(); mail?k; {other} }}
             proctype P() {{ chan own = [1] of {{ byte }}; mail!own }}"
        )
    };
    // P is started, gives its channel away, and A takes it.
    let after = |other: &str| {
        let system = system(&text(other));
        let interpreter = Interpreter::new(&system, Capacities::Declared);
        let mut state = interpreter.initial_state().expect("an initial state");
        for pid in [0, 1, 0] {
            let mut steps = Vec::new();
            interpreter.steps(&state, &mut steps).expect("no error");
            let step = steps.into_iter().find(|step| step.process == Pid(pid)).expect("a step");
            interpreter.execute(&mut state, step, &(), &mut ()).expect("no error");
        }
        let reducer = Reducer::for_errors(&system, Capacities::Declared).expect("reduces");
        ample_of(&reducer, &interpreter, &state, Pid(1))
    };
    assert!(after("k = mail"));
    assert!(!after("k!1") && !after("k?1") && !after("len(k) == 1"));
}

#[test]
fn either_side_of_a_rendezvous_may_close_a_loop() {
    let closes = |sender: &str, receiver: &str| {
        let text = format!(
            "chan r = [0] of {{ byte }}; active proctype A() {{ {sender} }} active proctype B() {{ {receiver} }}"
        );
        let system = system(&text);
        let interpreter = Interpreter::new(&system, Capacities::Declared);
        let state = interpreter.initial_state().expect("an initial state");
        let reducer = Reducer::for_errors(&system, Capacities::Declared).expect("reduces");
        let mut steps = Vec::new();
        interpreter.steps(&state, &mut steps).expect("no error");
        reducer.closes_loop(&state, steps[0])
    };
    assert!(!closes("r!1; skip", "r?1; skip"));
    assert!(closes("do :: r!1 od", "r?1; skip"));
    assert!(closes("r!1; skip", "do :: r?1 od"));
}

/// Whatever has the number is asked, of whatever type it is; and a name must mean the same channel for ever.
#[test]
fn a_formula_may_ask_by_number_and_not_by_a_name_that_changes() {
    let text = "chan c = [1] of { byte }; chan k = [1] of { byte };
        active proctype A() { byte n; n = 1; there: n = 2; n = 3 }
        active proctype B() { byte n; n = 1; n = 2; n = 3; k = c; k!1 }";
    let seen = |condition: &str| {
        with_formula(text, condition, Proviso::ByStates, |reducer, _, _| {
            [0, 1].map(|automaton| reducer.never_ample[automaton].contains(&true))
        })
    };
    assert_eq!(seen("(A@there)"), Some([true, false]));
    assert_eq!(seen("(A[0]@there)"), Some([true, true]));
    assert_eq!(seen("(len(c) == 1)"), Some([false, false]));
    assert_eq!(seen("(len(k) == 1)"), None);
}

/// Whether an `atomic` of the first process need not wait for the statement with this text.
fn is_certain(body: &str, statement: &str) -> bool {
    let text = format!(
        "chan c = [2] of {{ byte }}; chan d = [2] of {{ byte }}; chan w = [2] of {{ byte, byte }}; byte g; byte x; byte y; byte z;
         active proctype A() {{ chan v = c; {body} }} active proctype B() {{ do :: c?g :: c!1 :: d!1 :: w!1,1 :: g = 1 - g od }}"
    );
    let system = system(&text);
    let interpreter = Interpreter::new(&system, Capacities::Declared);
    let atomics = Atomics::of(&system, Capacities::Declared, &Footprints::of(&interpreter));
    let edges = &system.automata[0].edges;
    let edge = edges.iter().position(|edge| edge.text == statement);
    atomics.is_certain(0, EdgeId(edge.unwrap_or_else(|| panic!("{statement} of {body}")) as u32))
}

/// What a guard has found out holds as long as nobody else moves and the process itself does not use it up.
#[test]
fn an_atomic_is_sure_of_what_its_guard_has_found() {
    for (body, statement) in [
        ("atomic { nempty(c); c?x }", "c?x"),
        ("atomic { nfull(c); c!1 }", "c!1"),
        ("atomic { nempty(c) && g == 1; y = 1; c?x }", "c?x"),
        ("atomic { nempty(v); v?x }", "v?x"),
        ("atomic { nempty(c) && nfull(d); d!2; c?x }", "c?x"),
        ("atomic { nempty(w); w?x,y }", "w?x,y"),
        // One of the options can always be taken.
        ("atomic { nempty(c); if :: g == 1 -> skip :: z++ fi; c?x }", "c?x"),
        // What is found twice is found.
        ("atomic { nempty(c); if :: nempty(c) -> skip :: z++ fi; c?x }", "c?x"),
    ] {
        assert!(is_certain(body, statement), "{body}");
    }
    for (body, statement) in [
        // Nobody has asked, or about something else.
        ("atomic { skip; c?x }", "c?x"),
        ("atomic { nempty(d); c?x }", "c?x"),
        ("atomic { nfull(c); c?x }", "c?x"),
        ("atomic { nempty(c); (g == 1); skip }", "(g == 1)"),
        // The message that is there may be another one.
        ("atomic { nempty(c); c?1 }", "c?1"),
        ("atomic { nempty(w); w?1,y }", "w?1,y"),
        ("atomic { nempty(c); c??x }", "c??x"),
        // It is used up.
        ("atomic { nempty(c); c?x; c?y }", "c?y"),
        ("atomic { nempty(c); d?x; c?y }", "c?y"),
        ("atomic { nfull(c); c!2; c!1 }", "c!1"),
        // Others move in between.
        ("nempty(c); atomic { c?x; y = 1 }", "c?x"),
        ("nempty(c); c?x", "c?x"),
        ("atomic { nempty(c); (g == 1); c?x }", "c?x"),
        ("atomic { nempty(c); d!2; c?x }", "c?x"),
        // The variable is another channel by then.
        ("atomic { nempty(v); v = d; v?x }", "v?x"),
        // It is used up when the loop comes round.
        ("atomic { nempty(c); do :: y = 1; c?x :: break od }", "c?x"),
        ("atomic { nempty(c); do :: z++; c?x :: break od }; z = 1", "c?x"),
    ] {
        assert!(!is_certain(body, statement), "{body}");
    }
}

/// More than can be remembered is forgotten.
#[test]
fn an_atomic_with_very_many_guards_is_sure_of_the_first() {
    let channels: String = (0..70).map(|n| format!("chan q{n} = [1] of {{ byte }}; ")).collect();
    let options: String = (0..70).map(|n| format!(":: atomic {{ nempty(q{n}); q{n}?x }} ")).collect();
    let system = system(&format!("{channels} byte x; active proctype A() {{ do {options} od }}"));
    let interpreter = Interpreter::new(&system, Capacities::Declared);
    let atomics = Atomics::of(&system, Capacities::Declared, &Footprints::of(&interpreter));
    let receives = (0..).zip(&system.automata[0].edges).filter(|(_, edge)| edge.text.contains("?x"));
    let certain = receives.filter(|(id, _)| atomics.is_certain(0, EdgeId(*id))).count();
    assert_eq!(certain, 64);
    let same = "atomic { nempty(c); c?x };".repeat(70);
    assert!(is_certain(&format!("{same} atomic {{ nempty(d); d?y }}"), "d?y"), "each is remembered once");
}

/// With a rendezvous control goes from one process to another.
#[test]
fn an_atomic_is_sure_of_nothing_where_a_channel_may_be_a_rendezvous() {
    let system =
        system("chan c = [2] of { byte }; byte x; active proctype A() { atomic { nempty(c); c?x } }");
    let edges = 0..system.automata[0].edges.len() as u32;
    let certain = |capacities: Capacities| {
        let footprints = Footprints::of(&Interpreter::new(&system, capacities));
        let atomics = Atomics::of(&system, capacities, &footprints);
        edges.clone().filter(|&edge| atomics.is_certain(0, EdgeId(edge))).count()
    };
    assert_eq!((certain(Capacities::Declared), certain(Capacities::Fixed(0))), (1, 0));
}

#[test]
fn a_reduction_that_leaves_out_hardly_anything_is_given_up() {
    use crate::options::{Properties, Reduction, SearchOptions};
    let searched = |text: &str| {
        let (reduction, properties) = (Reduction::Reduced, Properties::none());
        let options = SearchOptions { reduction, properties, ..SearchOptions::full() };
        let report = crate::explore(&system(text), &options, &crate::Control::none()).expect("a start");
        (report.counts.states, report.reduction)
    };
    let process = |name: &str, more: &str, limit: &str| {
        format!("active proctype {name}() {{ do :: atomic {{ {limit} -> {more}++ }} od }}\n")
    };
    let shared =
        |top| process("P", "x", &format!("x + y < {top}")) + &process("Q", "y", &format!("x + y < {top}"));
    // Pairs whose sum is at most the top: few are searched as they were begun, many are not.
    assert_eq!(searched(&format!("byte x, y; {}", shared(50))), (51 * 52 / 2, Reduction::Reduced));
    assert_eq!(searched(&format!("byte x, y; {}", shared(100))), (101 * 102 / 2, Reduction::Full));
    let own = process("P", "x", "x < 200") + &process("Q", "y", "y < 200") + &process("R", "z", "z < 200");
    let (states, reduction) = searched(&format!("byte x, y, z; {own}"));
    assert_eq!(reduction, Reduction::Reduced);
    assert!(states < 1_000, "{states}");
}
