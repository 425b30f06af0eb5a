//! What decides nothing about the repeated part of a pump may be other after each repetition; whatever decides anything may not.

mod common;

use certificate::potential::Progress;
use certificate::pump::{Pump, PumpQuestion, PumpRefusal, Pumped, check_pump};
use certificate::verdict::Fairness;
use common::{steps_named, system};
use system::interpreter::{Capacities, Interpreter};
use system::state::ChannelId;

fn judged(text: &str, prefix: usize, names: &[&str], question: &PumpQuestion) -> Result<Pumped, PumpRefusal> {
    let system = system(text);
    let steps = steps_named(&system, Capacities::Unbounded, names);
    check_pump(&system, &Pump::new(&system, &steps[..prefix], &steps[prefix..]), question)
}

fn unbounded(text: &str, prefix: usize, names: &[&str]) -> Result<Pumped, PumpRefusal> {
    judged(text, prefix, names, &PumpQuestion::Unbounded)
}

/// The flood of `c` by the first process, which goes round once, the first way each time.
fn once_round(text: &str) -> Result<Pumped, PumpRefusal> {
    let system = system(text);
    let interpreter = Interpreter::new(&system, Capacities::Unbounded);
    let mut state = interpreter.initial_state().expect("it starts");
    let (mut steps, mut enabled) = (Vec::new(), Vec::new());
    while steps.is_empty() || state.processes[0].location != system.automata[0].initial {
        interpreter.steps_beside_errors(&state, &mut enabled);
        let step = *enabled.iter().find(|step| step.process.0 == 0).unwrap_or_else(|| panic!("{text}"));
        interpreter.execute(&mut state, step, &(), &mut ()).expect("nothing fails");
        steps.push(step);
        assert!(steps.len() < 20, "{text}");
    }
    check_pump(&system, &Pump::new(&system, &[], &steps), &PumpQuestion::Unbounded)
}

/// The same of a process that sends and does this, with others beside it.
fn flood(also: &str, others: &str) -> Result<Pumped, PumpRefusal> {
    once_round(&format!(
        "chan c = [1] of {{ byte }}; chan d[3] = [1] of {{ byte }}; int x, y, a[3]; typedef T {{ int n; int m }}; T t[2];
         active proctype P() {{ int own; do :: c!1; {also} od }} {others}"
    ))
}

#[test]
fn a_counter_at_which_the_repetition_does_not_look() {
    for (also, others) in [
        ("x++", ""),
        ("own++", ""),
        ("x++; y = x; a[1] = y", ""),
        ("x++; printf(\"%d\", x)", ""),
        ("a[0]++; (a[1] == 0)", ""),
        ("t[1].n++; (t[1].m == 0 && t[0].n == 0)", ""),
        ("d_step { x++; y = x }", ""),
        ("x++; if :: y == 0 -> skip :: x > 5 -> skip fi", ""),
        ("x++; y = x * 3 - 1", ""),
        ("x++; y = (x > 4 -> x : 0)", ""),
        // Others may look, as long as they do not move.
        ("x++", "active proctype Q() { x == 5; assert(x < 9) }"),
        ("x++", "active proctype Q() provided (x < 7) { skip }"),
        ("x++", "never { do :: x == 3 -> break :: else od }"),
    ] {
        let pumped = flood(also, others);
        assert!(pumped.is_ok(), "{also}: {pumped:?}");
    }
}

#[test]
fn a_counter_that_decides_something_is_another_state() {
    for (also, others) in [
        ("x++; (x > 0)", ""),
        ("own++; (own > 0)", ""),
        ("x++; !(x > 3 && y == 0)", ""),
        ("x++; assert(x < 9)", ""),
        ("d_step { x++; x > 0; y = 0 }", ""),
        ("d_step { x++; assert(x < 9) }", ""),
        ("x++; if :: x > 9 -> skip :: else -> skip fi", ""),
        ("x++; if :: d_step { x > 9; y = 0 } :: else -> skip fi", ""),
        ("x++; d_step { if :: x > 9 -> y = 0 :: else -> skip fi }", ""),
        ("x++; { skip } unless { x > 9 }", ""),
        ("x++; y = a[x]", ""),
        ("x++; a[x] = 0", ""),
        ("x++; y = 1 / x", ""),
        ("x++; y = x % 2", ""),
        ("x++; printf(\"%d\", 3 / x)", ""),
        ("x++; y = (x && 1 / (y + 1))", ""),
        ("x++; y = (x > 4 -> a[own] : 0)", ""),
        ("x++; y = (x > 4 -> 1 : 0); (y < 2)", ""),
        ("x++; d[x]!1; d[x]?_", ""),
        ("x++; len(d[x]) == 0", ""),
        ("d[0]!1; x++; d[0]?eval(x)", ""),
        ("d[0]!1; x++; d[0]?[eval(x)]; d[0]?_", ""),
        ("d[0]!1; x++; d[0]?<eval(x)>; d[0]?_", ""),
        ("x++; d[0]!x; d[0]?1", ""),
        ("x++; d[0]!!x; d[0]?_", ""),
        ("x++; d[0]!x; d[0]?y; (y == 1)", ""),
        ("x++; y = x; (y > 0)", ""),
        ("x++; y = x; a[0] = y; a[2] = a[0]; (a[2] > 0)", ""),
        ("t[0].n++; y = t[x].n; (y > 0)", ""),
        ("a[0]++; y = 0; (a[y] > 0)", ""),
        ("x++", "active proctype Q() { x == 5 } trace { do :: c!1 od }"),
    ] {
        let refused = flood(also, others);
        let what = format!("{also} {others}: {refused:?}");
        assert!(matches!(refused, Err(PumpRefusal::NotTheSameControl)), "{what}");
    }
}

#[test]
fn a_variable_of_another_process_is_looked_at_with_what_it_is_compared() {
    let text = "chan c = [1] of { byte }; int x; active proctype Q() { int z = 1; false }
        active proctype P() { do :: c!1; x++; (Q:z == x) od }";
    let refused = unbounded(text, 0, &["P: c!1", "P: x", "P: x"]);
    assert_eq!(refused, Err(PumpRefusal::NotTheSameControl));
}

/// The fourth time the first process is asked for an element that is not there, and does not move.
#[test]
fn who_is_asked_on_the_way_must_not_fail() {
    let text = |guard: &str, others: &str| {
        format!(
            "chan c = [1] of {{ byte }}; chan r = [0] of {{ byte }}; chan d[3] = [1] of {{ byte }}; int x, y, a[3];
             active proctype P() {{ do :: c!1; x++ :: {guard} -> skip od }} {others}"
        )
    };
    assert!(once_round(&text("x == 7", "")).is_ok());
    for guard in
        ["a[x] == 1", "y != 0 && 1 / (x - 3) == 1", "d[x]?_", "d[0]?eval(a[x])", "d_step { a[x] == 1 }"]
    {
        assert_eq!(once_round(&text(guard, "")), Err(PumpRefusal::NotTheSameControl), "{guard}");
    }
    let other = "active proctype Q() { r?eval(a[x]) }";
    assert_eq!(once_round(&text("x == 7", other)), Err(PumpRefusal::NotTheSameControl));
}

#[test]
fn who_moves_looks_at_its_provided_clause() {
    let text = |clause: &str| {
        format!(
            "chan c = [1] of {{ byte }}; int x, y;
             active proctype P() provided ({clause}) {{ do :: c!1; x++ od }}"
        )
    };
    assert!(once_round(&text("y < 9")).is_ok());
    assert_eq!(once_round(&text("x < 9")), Err(PumpRefusal::NotTheSameControl));
}

/// That nobody else can move, or that an `atomic` sequence waits, depends on what everybody looks at.
#[test]
fn where_everybody_waits_everything_decides() {
    let timeout = |guard: &str| {
        format!(
            "chan c = [1] of {{ byte }}; int x, y;
             active proctype P() {{ do :: timeout -> c!1; x++ od }}
             active proctype Q() {{ {guard} }}"
        )
    };
    let names = ["P: timeout", "P: c!1", "P: x"];
    assert!(unbounded(&timeout("y == 5"), 0, &names).is_ok());
    assert_eq!(unbounded(&timeout("x == 5"), 0, &names), Err(PumpRefusal::NotTheSameControl));
    let atomic = |guard: &str| {
        format!(
            "chan c = [1] of {{ byte }}; int x, y; bool go;
             active proctype P() {{ do :: c!1; x++; go = true od }}
             active proctype Q() {{ do :: atomic {{ skip; go; go = false }} od }}
             active proctype R() {{ {guard} }}"
        )
    };
    let names = ["Q: skip", "P: c!1", "P: x", "P: go", "Q: go", "Q: go"];
    assert!(unbounded(&atomic("y == 5"), 0, &names).is_ok());
    assert_eq!(unbounded(&atomic("x == 5"), 0, &names), Err(PumpRefusal::NotTheSameControl));
}

#[test]
fn a_local_counter_does_not_make_it_another_process() {
    let text = "chan c = [1] of { byte }; active proctype P() { int n; do :: c!1; n++ :: n == 7 od }
        active proctype Q() { int n; n == 3 }";
    let pumped = unbounded(text, 0, &["P: c!1", "P: n"]).expect("a pump");
    assert_eq!((pumped.growing, pumped.more_processes), (vec![(ChannelId(0), 1)], 0));
}

/// Each round the process takes one message and sends two with the next numbers. What is in them matters only if it is looked at.
#[test]
fn messages_with_numbers_at_which_nobody_looks() {
    let text = |received: &str| {
        format!(
            "chan c = [1] of {{ int, bit }};
             active proctype P() {{ int n, m; bit b; c!n,0; do :: c?{received}; n++; c!n,0; c!n,0 od }}"
        )
    };
    let names = ["P: c!n", "P: c?", "P: n", "P: c!n", "P: c!n"];
    let all = [("m,b", true), ("_,b", true), ("m,0", true), ("0,b", false), ("eval(m),b", false)];
    for (received, is_pump) in all {
        let pumped = unbounded(&text(received), 1, &names);
        assert_eq!(pumped.is_ok(), is_pump, "{received}: {pumped:?}");
    }
    // The other field of the same messages.
    let alternating = "chan c = [1] of { int, bit };
        active proctype P() { int n; bit b, e; c!n,e; do :: c?_,b; (b == 0); n++; e = 1 - e; c!n,e; c!n,e; e = 1 - e od }";
    let names = ["P: c!n", "P: c?", "P: b", "P: n", "P: e", "P: c!n", "P: c!n", "P: e"];
    assert_eq!(unbounded(alternating, 1, &names), Err(PumpRefusal::OtherMessages(ChannelId(0))));
}

/// What is sent over a channel that is assigned may come out of any.
#[test]
fn fields_of_a_channel_that_may_be_any_decide_for_all() {
    let text = |guard: &str| {
        format!(
            "chan c = [1] of {{ byte }}; chan e = [1] of {{ int }};
             active proctype P() {{ int n, m; chan any; any = e; do :: c!1; n++; any!n; e?m; ({guard}) od }}"
        )
    };
    let names = ["P: any", "P: c!1", "P: n", "P: any!n", "P: e?m", "P: 0"];
    assert!(unbounded(&text("0 == 0"), 1, &names).is_ok());
    let names = ["P: any", "P: c!1", "P: n", "P: any!n", "P: e?m", "P: m"];
    assert_eq!(unbounded(&text("m > 0"), 1, &names), Err(PumpRefusal::NotTheSameControl));
}

/// A buffer that does not grow holds another number after each round.
#[test]
fn what_does_not_grow_may_hold_other_numbers_too() {
    let text = |received: &str| {
        format!(
            "chan c = [1] of {{ byte }}; chan d = [1] of {{ int }};
             active proctype P() {{ int n; d!n; do :: n++; d?{received}; d!n; c!1 od }}"
        )
    };
    let names = ["P: d!n", "P: n", "P: d?", "P: d!n", "P: c!1"];
    assert!(unbounded(&text("_"), 1, &names).is_ok());
    let compared = unbounded(&text("0"), 1, &names);
    assert_eq!(compared, Err(PumpRefusal::OtherMessages(ChannelId(1))));
}

/// A run that never comes round to the same state, and makes no progress all the same.
#[test]
fn a_round_that_only_counts_is_a_run_without_progress() {
    let text = |guard: &str| {
        format!("int x; active proctype P() {{ do :: {guard} x++ :: x > 9 -> progress: x = 0 od }}")
    };
    let nothing = PumpQuestion::Livelock(Progress::Labels);
    let pumped = judged(&text(""), 0, &["P: x"], &nothing).expect("a run without progress");
    assert_eq!(pumped.growing, vec![]);
    let refused = judged(&text("x < 9 ->"), 0, &["P: x < 9", "P: x"], &nothing);
    assert_eq!(refused, Err(PumpRefusal::NotTheSameControl));
    // Nothing grows, and that was asked for.
    assert_eq!(unbounded(&text(""), 0, &["P: x"]), Err(PumpRefusal::NothingGrows));
    // Who is asked to be fair has its own reasons to look.
    let fair = PumpQuestion::FairLivelock(Progress::Labels, Fairness::Weak);
    assert_eq!(judged(&text(""), 0, &["P: x"], &fair), Err(PumpRefusal::NotTheSameControl));
}

/// With more processes each time who takes whose part is told by what decides something.
#[test]
fn a_process_with_another_number_may_take_the_part_of_the_one_before() {
    let text = |guard: &str| {
        format!(
            "chan c = [1] of {{ byte }};
             active proctype P() {{ int n; do :: n++; run W(n) od }}
             proctype W(int own) {{ int twice = own + own; c!1; {guard} false }}"
        )
    };
    let plain = ["P: n", "P: run", "W: c!1", "P: n", "P: run", "W: c!1"];
    assert!(unbounded(&text(""), 3, &plain).is_ok());
    let looks = ["P: n", "P: run", "W: c!1", "W: own", "P: n", "P: run", "W: c!1", "W: own"];
    assert_eq!(unbounded(&text("(own > 0);"), 4, &looks), Err(PumpRefusal::NotTheSameControl));
    let looks = ["P: n", "P: run", "W: c!1", "W: twice", "P: n", "P: run", "W: c!1", "W: twice"];
    assert_eq!(unbounded(&text("(twice > 0);"), 4, &looks), Err(PumpRefusal::NotTheSameControl));
}
