//! Numbers: integers that stay in a range. In most models here a watcher sends if `x > 3`, and the certificate says that it never does, since `x` is a number from 0 to 3.

mod common;

use certificate::Certificate;
use certificate::check::{Rule, check};
use certificate::claims::{
    KnownRange, LinearInvariant, NodeId, Number, NumberId, NumberTerm, ObjectPlace, Point,
};
use certificate::potential::{Next, NumberWeight, Potential, Progress, Proof, Stage};
use certificate::values::Interval;
use common::{Draft, after, before, bound, watch_all_states};

/// A watcher beside these declarations and this process.
fn watched(declarations: &str, process: &str) -> Draft {
    let text = format!(
        "chan c = [4] of {{ byte }};\n{declarations}\n{process}\nactive proctype W() {{ do :: x > 3 -> c!1 od }}"
    );
    Draft::of(&text).never("W", "c!1")
}

fn global(draft: &Draft, name: &str) -> NumberTerm {
    NumberTerm { place: ObjectPlace::Global { slot: draft.slot(name) }, subtracted: false }
}

/// The variable is a number in this range.
fn number(draft: Draft, name: &str, (low, high): (i32, i32)) -> Draft {
    let terms = vec![global(&draft, name)];
    draft.with(|claims| claims.numbers.push(Number { terms, range: Interval { low, high }, known: vec![] }))
}

/// While `P` stands at the point, the first number is in this range.
fn known_at(mut draft: Draft, point: Point, (low, high): (i32, i32)) -> Draft {
    let group = draft.id("P");
    let node = draft.group("P").nodes.iter().position(|node| node.point == point).expect("a node") as u32;
    let range = Interval { low, high };
    draft.with(|claims| claims.numbers[0].known.push(KnownRange { group, node: NodeId(node), range }))
}

/// The same before the statement.
fn known(draft: Draft, text: &str, range: (i32, i32)) -> Draft {
    let point = Point::At(before(&draft.system, "P", text).0);
    known_at(draft, point, range)
}

/// By which rule it is refused that `x` never leaves 0..3; `None` if that is accepted (and then true in all states).
fn judged(declarations: &str, process: &str) -> Option<Rule> {
    of_draft(number(watched(declarations, process), "x", (0, 3)))
}

fn of_draft(draft: Draft) -> Option<Rule> {
    let refused = draft.refused(draft.empty(0));
    if refused.is_none() {
        let certificate =
            Certificate::new(&draft.system, draft.capacities, draft.claims.clone(), draft.empty(0));
        watch_all_states(&draft.system, &certificate, 20_000);
    }
    refused
}

const KEPT: Option<Rule> = Some(Rule::NumberKept);
const FORM: Option<Rule> = Some(Rule::NumberForm);

#[test]
fn what_keeps_to_the_range_is_accepted() {
    assert_eq!(judged("int x", "active proctype P() { do :: x = 2 :: x = 0 od }"), None);
    assert_eq!(judged("int x", "active proctype P() { do :: d_step { x < 3 -> x++ } :: x = 0 od }"), KEPT);
}

#[test]
fn what_leaves_the_range_is_refused() {
    for body in ["x = 4", "x = -1", "do :: x++ od", "do :: x-- od", "x = x + 4", "x = 3; x = x - 4"] {
        assert_eq!(judged("int x", &format!("active proctype P() {{ {body} }}")), KEPT, "{body}");
    }
}

#[test]
fn the_start_is_in_the_range() {
    assert_eq!(judged("int x = 4", "active proctype P() { x = 2 }"), Some(Rule::NumberStarts));
    let draft = number(watched("int x", "active proctype P() { x = 2 }"), "x", (0, 3));
    assert_eq!(of_draft(known(draft, "x = 2", (1, 2))), Some(Rule::NumberStarts));
}

/// A guard in one statement, the assignment in the next: what is known between them.
fn counter(kind: &str, body: &str, guard: &str, at: (i32, i32)) -> Option<Rule> {
    let process = format!("active{kind} proctype P() {{ do :: {body} :: x = 0 od }}");
    let draft = number(watched("int x; chan d = [1] of { byte }", &process), "x", (0, 3));
    let point = Point::At(after(&draft.system, "P", guard).0);
    of_draft(known_at(draft, point, at))
}

#[test]
fn a_guard_is_known_until_somebody_else_may_write() {
    assert_eq!(counter("", "x < 3 -> x++", "x < 3", (0, 2)), None);
    assert_eq!(counter("", "3 > x -> x++", "3 > x", (0, 2)), None);
    assert_eq!(counter("", "x + 1 < 4 -> x++", "< 4", (0, 2)), None);
    assert_eq!(counter("", "!(x >= 3) -> x++", "x >= 3", (0, 2)), None);
    assert_eq!(counter("", "x != 3 -> x++", "x != 3", (0, 2)), None);
    assert_eq!(counter("", "(x < 3 && x > 0) -> x++", "x < 3", (1, 2)), None);
    assert_eq!(counter("", "(x < 1 || x == 2) -> x++", "x < 1", (0, 2)), None);
    // Too much is known, or the guard says something else.
    assert_eq!(counter("", "x < 3 -> x++", "x < 3", (0, 1)), KEPT);
    assert_eq!(counter("", "x <= 3 -> x++", "x <= 3", (0, 2)), KEPT);
    assert_eq!(counter("", "(x < 3 || x == 3) -> x++", "x < 3", (0, 2)), KEPT);
    assert_eq!(counter("", "len(d) < 3 -> x++", "len(d)", (0, 2)), KEPT);
    assert_eq!(counter("", "x < 3 -> x = x + 2", "x < 3", (0, 2)), KEPT);
    // Another process of the proctype counts between looking and counting.
    assert_eq!(counter(" [2]", "x < 3 -> x++", "x < 3", (0, 2)), KEPT);
}

#[test]
fn only_an_atomic_sequence_that_does_not_give_way_is_alone() {
    assert_eq!(counter(" [2]", "atomic { x < 3 -> x++ }", "x < 3", (0, 2)), None);
    assert_eq!(
        counter(" [2]", "atomic { x < 3 -> assert(true); x++ }", "x < 3", (0, 2)),
        KEPT,
        "not known at `x++`"
    );
    // It waits for a message between them.
    let waits = "active [2] proctype P() { do :: atomic { x < 3 -> d?1; x++ } :: x = 0 :: d!1 od }";
    for (first, second) in [("x < 3", "d?1"), ("d?1", "x++")] {
        let draft = number(watched("int x; chan d = [1] of { byte }", waits), "x", (0, 3));
        let (first, second) = (after(&draft.system, "P", first), before(&draft.system, "P", second));
        let mut points = vec![first.0, second.0, before(&draft.system, "P", "x++").0];
        points.sort_unstable();
        points.dedup();
        let draft = points.into_iter().fold(draft, |draft, at| known_at(draft, Point::At(at), (0, 2)));
        assert_eq!(of_draft(draft), KEPT);
    }
    // Who sends in a rendezvous hands control over.
    let hands = "active [2] proctype P() { do :: atomic { x < 3 -> r!1; x++ } :: x = 0 od }
        active proctype R() { do :: r?1 od }";
    let draft = number(watched("int x; chan r = [0] of { byte }", hands), "x", (0, 3));
    let mut points = [before(&draft.system, "P", "r!1").0, before(&draft.system, "P", "x++").0];
    points.sort_unstable();
    assert_eq!(of_draft(points.into_iter().fold(draft, |d, at| known_at(d, Point::At(at), (0, 2)))), KEPT);
    // A `provided` clause may stop it in the middle.
    let held =
        "active [2] proctype P() provided (y == 0) { do :: atomic { x < 3 -> x++ } :: x = 0 :: y = 1 od }
        active proctype V() { do :: y = 0; x = 3 od }";
    let draft = number(watched("int x; bit y", held), "x", (0, 3));
    assert_eq!(of_draft(known(draft, "x++", (0, 2))), KEPT);
    // Somebody jumps into the middle.
    let jumps = "active [2] proctype P() { do :: atomic { x < 3 -> in: x++ } :: goto in :: x = 0 od }";
    let draft = number(watched("int x", jumps), "x", (0, 3));
    assert_eq!(of_draft(known(draft, "x++", (0, 2))), KEPT);
}

#[test]
fn inside_a_d_step_a_guard_holds_until_the_assignment_and_no_longer() {
    let of = |body: &str, ranges: &[(i32, i32)]| {
        let process = format!("active [2] proctype P() {{ do :: d_step {{ {body} }} :: x = 0 od }}");
        let draft = number(watched("int x", &process), "x", (0, 3));
        let edge = draft.system.automata[0]
            .edges
            .iter()
            .position(|edge| matches!(edge.action, system::automaton::Action::DStep(_)));
        let edge = edge.expect("a d_step") as u32;
        let steps = (1..).zip(ranges);
        of_draft(
            steps.fold(draft, |draft, (step, range)| known_at(draft, Point::Inside { edge, step }, *range)),
        )
    };
    assert_eq!(of("x < 3 -> x++", &[(0, 2)]), None);
    assert_eq!(of("x < 2 -> x++; x++", &[(0, 1), (1, 2)]), None);
    assert_eq!(of("x < 3 -> x++; x++", &[(0, 2), (0, 2)]), KEPT);
}

#[test]
fn a_value_that_comes_from_elsewhere_may_be_anything() {
    let bodies = ["d?x", "d?<x>", "d??x", "x = len(d)", "x = y", "x = (y -> 9 : x)", "select(x : 0 .. 9)"];
    for body in bodies {
        let process = format!("active proctype P() {{ do :: d!9 :: {body} od }}");
        assert_eq!(judged("byte x, y = 7; chan d = [2] of { byte }", &process), KEPT, "{body}");
    }
    let rendezvous = "active proctype P() { r!9 } active proctype Q() { r?x }";
    assert_eq!(judged("byte x; chan r = [0] of { byte }", rendezvous), KEPT);
    assert_eq!(judged("byte x", "active proctype P() { for (x : 0 .. 9) { skip } }"), KEPT);
    assert_eq!(judged("byte x; inline up() { x = x + 4 }", "active proctype P() { up() }"), KEPT);
}

#[test]
fn only_one_element_is_written_if_the_index_is_constant() {
    let of = |body: &str| {
        let text = format!(
            "chan c = [4] of {{ byte }}; int a[2]; byte i;
            active proctype P() {{ {body}; i == 7 }} active proctype W() {{ do :: a[0] > 3 -> c!1 od }}"
        );
        of_draft(number(Draft::of(&text).never("W", "c!1"), "a[0]", (0, 3)))
    };
    assert_eq!(of("a[1] = 9"), None);
    assert_eq!(of("a[0] = 9"), KEPT);
    assert_eq!(of("i = 1; a[i] = 9"), KEPT);
}

#[test]
fn else_is_the_negation_of_the_conditions_before_it() {
    let of = |options: &str, at: (i32, i32)| {
        let process = format!("active proctype P() {{ do :: if {options} :: else -> x++ fi :: x = 0 od }}");
        let draft = number(watched("int x; chan d = [1] of { byte }", &process), "x", (0, 3));
        of_draft(known(draft, "x++", at))
    };
    assert_eq!(of(":: x > 2 -> skip", (0, 2)), None);
    assert_eq!(of(":: x > 3 -> skip", (0, 2)), KEPT);
    assert_eq!(of(":: d?1 -> skip", (0, 2)), KEPT);
}

#[test]
fn an_escape_leaves_what_was_known_behind() {
    let process =
        "active proctype P() { do :: { x < 3 -> skip; x++ } unless { d?1; x = x + 4 } :: x = 0 :: d!1 od }";
    let draft = number(watched("int x; chan d = [1] of { byte }", process), "x", (0, 3));
    let mut points: Vec<u32> = ["skip", "x++"].map(|text| before(&draft.system, "P", text).0).into();
    points.sort_unstable();
    assert_eq!(of_draft(points.into_iter().fold(draft, |d, at| known_at(d, Point::At(at), (0, 2)))), KEPT);
}

/// What wraps does not grow by one each time: a potential that counts on it is refused.
#[test]
fn what_wraps_does_not_count() {
    for (kind, rule) in [
        ("byte", Rule::NothingGrows),
        ("short", Rule::NothingGrows),
        ("int", Rule::NumberKept),
        ("unsigned x : 3; int", Rule::NothingGrows),
    ] {
        let (kind, name) = match kind.strip_suffix("; int") {
            Some(_) => ("unsigned", "x : 3"),
            None => (kind, "x"),
        };
        let draft = Draft::of(&format!(
            "chan c = [4] of {{ byte }}; {kind} {name}; active proctype P() {{ do :: c!1; x++ :: x > 9 -> skip od }}"
        ));
        let slot = draft.slot("x");
        let (low, high) = draft.system.global_slots[slot as usize].scalar.range();
        let draft = number(draft, "x", (low, high));
        let here = before(&draft.system, "P", "x++").0;
        let mut potential = draft.weigh(&[(0, 0, 1)], |_, node| i64::from(node.point != Point::At(here)));
        potential.numbers.push(NumberWeight { number: NumberId(0), weight: -1 });
        let at_most = u64::try_from(i64::from(high) + 1).expect("small");
        assert_eq!(draft.refused(vec![bound(0, at_most, potential)]), Some(rule), "{kind}");
    }
}

/// The same with a guard against wrapping is a proof: as many messages as `x` counts, one more on the way.
#[test]
fn what_is_counted_is_bounded() {
    let draft = Draft::of(
        "chan c = [4] of { byte }; byte x; active proctype P() { do :: x < 9 -> c!1; x++ od } active proctype Q() { do :: c?_ od }",
    );
    let draft = number(draft, "x", (0, 9));
    let mut points: Vec<u32> = ["c!1", "x++"].map(|text| before(&draft.system, "P", text).0).into();
    points.sort_unstable();
    let here = before(&draft.system, "P", "x++").0;
    let draft = points.into_iter().fold(draft, |d, at| known_at(d, Point::At(at), (0, 8)));
    let weigh = |weight: i64, at_most: u64| {
        let mut potential =
            draft.weigh(&[(0, 0, 1)], |name, node| i64::from(name == "P" && node.point != Point::At(here)));
        potential.numbers.push(NumberWeight { number: NumberId(0), weight });
        draft.refused(vec![bound(0, at_most, potential)])
    };
    assert_eq!(weigh(-1, 10), None);
    assert_eq!(weigh(-1, 9), Some(Rule::Figure));
    assert_eq!(weigh(1, 10), Some(Rule::NothingGrows));
    assert_eq!(weigh(0, 10), Some(Rule::Exists));
}

#[test]
fn a_number_is_of_integers_that_are_always_there() {
    let local = |text: &str| {
        let draft = watched("int x", text);
        let group = draft.id("P");
        let terms = vec![NumberTerm { place: ObjectPlace::Local { group, slot: 0 }, subtracted: false }];
        let range = Interval { low: 0, high: 255 };
        let draft = draft.with(|claims| claims.numbers.push(Number { terms, range, known: vec![] }));
        number(draft, "x", (0, 3))
    };
    let refused = |text: &str| of_draft(local(text));
    assert_eq!(refused("active proctype P() { byte i; do :: i = 1 - i :: i == 7 -> x = 1 od }"), None);
    // Two of them, one that ends, one that is started.
    assert_eq!(refused("active [2] proctype P() { byte i; do :: i = 1 - i :: i == 7 -> x = 1 od }"), FORM);
    assert_eq!(refused("active proctype P() { byte i; do :: i = 1 - i :: i == 7 -> break od }"), FORM);
    assert_eq!(
        refused("proctype P() { byte i; do :: i = 1 - i :: i == 7 -> x = 1 od } init { run P() }"),
        FORM
    );
    // A channel, a symbolic name, what nothing reads, two variables in no order, a range of nothing.
    let of = |terms: &dyn Fn(&Draft) -> Vec<NumberTerm>, (low, high): (i32, i32)| {
        let draft = watched(
            "int x; mtype = { m }; mtype y = m; byte unread",
            "active proctype P() { y == m; unread = 1 }",
        );
        let terms = terms(&draft);
        of_draft(draft.with(|claims| {
            claims.numbers.push(Number { terms, range: Interval { low, high }, known: vec![] })
        }))
    };
    for name in ["c", "y", "unread"] {
        assert_eq!(of(&|draft| vec![global(draft, name)], (0, 255)), FORM, "{name}");
    }
    assert_eq!(of(&|draft| vec![global(draft, "x"), global(draft, "x")], (0, 3)), FORM);
    assert_eq!(of(&|_| vec![], (0, 3)), FORM);
    assert_eq!(of(&|draft| vec![NumberTerm { subtracted: true, ..global(draft, "x") }], (0, 3)), FORM);
    assert_eq!(of(&|draft| vec![global(draft, "x")], (3, 0)), FORM);
}

/// A variable with a value at its declaration gets it each time that the declaration is reached.
#[test]
fn a_declaration_in_a_loop_is_an_assignment() {
    let text = "active proctype P() { int n; do :: n < 2 -> int i = 9; i = i - n; n = i - 8 od }";
    let draft = watched("int x", text);
    let slot = draft.system.automata[0].slots.iter().position(|slot| slot.name == "i").expect("i") as u32;
    let terms =
        vec![NumberTerm { place: ObjectPlace::Local { group: draft.id("P"), slot }, subtracted: false }];
    let range = Interval { low: 0, high: 3 };
    let draft = draft.with(|claims| claims.numbers.push(Number { terms, range, known: vec![] }));
    let refused = of_draft(number(draft, "x", (0, 3)));
    assert!(matches!(refused, Some(Rule::NumberKept | Rule::NumberStarts)), "{refused:?}");
}

#[test]
fn numbers_are_not_claimed_of_any_number_of_processes() {
    let draft = number(watched("int x", "active [2] proctype P() { do :: x = 2 od }"), "x", (0, 3));
    let mut claims = draft.claims.clone();
    for group in &mut claims.groups {
        group.pid = certificate::check::every_pid();
    }
    let group = draft.id("P");
    claims.groups[group.index()].at_most = None;
    let mut certificate = Certificate::new(&draft.system, draft.capacities, claims, draft.empty(0));
    certificate.any_number = vec!["P".into()];
    certificate.seal();
    assert_eq!(common::broken(check(&draft.system, &certificate)), Some(Rule::AnyNumber));
}

/// The first number weighs this much, too.
fn and_number(mut potential: Potential, weight: i64) -> Potential {
    potential.numbers.push(NumberWeight { number: NumberId(0), weight });
    potential
}

/// A local variable of the only process of a proctype.
fn local(draft: &Draft, proctype: &str, name: &str) -> NumberTerm {
    let group = draft.id(proctype);
    let automaton = &draft.system.automata[draft.claims.groups[group.index()].automaton as usize];
    let slot = automaton.slots.iter().position(|slot| slot.name == name).expect("the variable exists") as u32;
    NumberTerm { place: ObjectPlace::Local { group, slot }, subtracted: false }
}

/// Beside what a statement writes stands what another process claims of its own variable: all of that, whatever its node says.
#[test]
fn a_variable_of_another_process_is_anything_that_is_claimed_of_it() {
    let of = |claimed: &[i32], high: i32| {
        let text = "chan c = [4] of { byte }; int x; active proctype P() { byte i; do :: i = 2 - i od }
            active proctype Q() { do :: x = 0 :: x == 9 -> x = 0 od } active proctype W() { do :: x > 3 -> c!1 od }";
        let draft = Draft::of(text).claim("x", &[0]).claim_local("P", claimed).never("W", "c!1");
        let terms = vec![global(&draft, "x"), local(&draft, "P", "i")];
        let range = Interval { low: 0, high };
        of_draft(draft.with(|claims| claims.numbers.push(Number { terms, range, known: vec![] })))
    };
    assert_eq!(of(&[0, 2], 2), None);
    assert_eq!(of(&[0, 2], 1), KEPT);
    // That less is claimed of it is refused as what it is.
    assert_eq!(of(&[0], 0), Some(Rule::ValuesClaimed));
}

/// A variable that nothing reads any more is 0 again: what was paid for with it is paid for with nothing.
#[test]
fn a_dead_variable_is_reset() {
    let draft =
        Draft::of("chan c = [4] of { byte }; active proctype P() { byte i; do :: i = 1; i == 1 -> c!1 od }");
    let terms = vec![local(&draft, "P", "i")];
    let first = before(&draft.system, "P", "i = 1").0;
    let second = before(&draft.system, "P", "i == 1").0;
    let range = Interval { low: 0, high: 1 };
    let draft = draft.with(|claims| claims.numbers.push(Number { terms, range, known: vec![] }));
    let edges = &draft.system.automata[0].edges;
    assert!(edges.iter().any(|edge| edge.text.contains("i == 1") && edge.dead == [0]), "{edges:?}");
    // It is 0 wherever nothing reads it.
    let draft = known_at(draft, Point::At(first), (0, 0));
    let rest = before(&draft.system, "P", "c!1").0;
    let mut points = [(second, (1, 1)), (rest, (0, 0))];
    points.sort_unstable();
    let mut draft = points.into_iter().fold(draft, |d, (at, range)| known_at(d, Point::At(at), range));
    draft.claims.numbers[0].known.sort_by_key(|known| known.node);
    assert_eq!(of_draft_bound(&draft), Some(Rule::NothingGrows));
    // That it stays 1 is refused.
    let node = draft.group("P").nodes.iter().position(|node| node.point == Point::At(rest)).expect("a node");
    let known = draft.claims.numbers[0].known.iter_mut().find(|known| known.node.index() == node);
    known.expect("known").range = Interval { low: 1, high: 1 };
    assert_eq!(of_draft_bound(&draft), KEPT);
}

/// "At most one message: whoever sets `i` pays for the next."
fn of_draft_bound(draft: &Draft) -> Option<Rule> {
    let first = before(&draft.system, "P", "i = 1").0;
    let potential = draft.weigh(&[(0, 0, 1)], |_, node| i64::from(node.point != Point::At(first)));
    draft.refused(vec![bound(0, 1, and_number(potential, -1))])
}

#[test]
fn every_way_to_write_an_element_is_seen() {
    let arrays = "byte a[2], i; chan d = [2] of { byte }; proctype Z() { skip }";
    let of = |body: &str| {
        let text = format!(
            "chan c = [4] of {{ byte }}; {arrays}
            active proctype P() {{ do :: empty(d) -> d!9 :: i = 1 - i :: {body} od }} active proctype W() {{ do :: a[0] > 3 -> c!1 od }}"
        );
        of_draft(number(Draft::of(&text).never("W", "c!1"), "a[0]", (0, 3)))
    };
    let bodies = [
        "d?a[i]",
        "d?<a[i]>",
        "d??a[i]",
        "d?a[0]",
        "a[i]++",
        "a[1 - i] = 9",
        "d_step { i == 0 -> a[i] = 9 }",
        "atomic { i == 0 -> a[i] = 9 }",
        "a[0] = run Z()",
        "a[i] = run Z()",
    ];
    for body in bodies {
        assert_eq!(of(body), KEPT, "{body}");
    }
    // Others do not write it.
    for body in ["d?a[1]", "d?eval(a[0])", "a[1] = 1 - i", "d?[9] -> skip"] {
        assert_eq!(of(body), None, "{body}");
    }
}

#[test]
fn elements_of_a_process_are_written_by_a_computed_index() {
    let of = |body: &str, high: i32| {
        let text = format!(
            "chan c = [4] of {{ byte }}; typedef T {{ byte k; byte a[2] }};
            active proctype P() {{ T t[2]; byte i; do :: i = 1 - i :: t[0].a[1] > 3 -> c!1 :: {body} od }}"
        );
        let draft = Draft::of(&text).never("P", "c!1");
        let terms = vec![local(&draft, "P", "t[0].a[1]")];
        let range = Interval { low: 0, high };
        of_draft(draft.with(|claims| claims.numbers.push(Number { terms, range, known: vec![] })))
    };
    for body in ["t[i].a[1] = 9", "t[0].a[i] = 9", "t[i].a[i] = 9", "t[0].a[1] = 9"] {
        assert_eq!(of(body, 3), KEPT, "{body}");
    }
    assert_eq!(of("t[1].a[1] = 9", 3), None);
    assert_eq!(of("t[0].k = 9", 3), None);
}

/// A difference of two elements, of which one is written and nobody knows which.
#[test]
fn one_of_two_elements_is_written() {
    let of = |high: i32| {
        let text = "chan c = [4] of { byte }; byte a[2], i; active proctype P() { do :: i = 1 - i :: a[i] = 1 :: a[i] = 0 od }
            active proctype W() { do :: a[0] > 3 -> c!1 od }";
        let draft = Draft::of(text).claim("a[0]", &[0, 1]).claim("a[1]", &[0, 1]).never("W", "c!1");
        let subtracted = NumberTerm { subtracted: true, ..global(&draft, "a[1]") };
        let terms = vec![global(&draft, "a[0]"), subtracted];
        let range = Interval { low: -1, high };
        of_draft(draft.with(|claims| claims.numbers.push(Number { terms, range, known: vec![] })))
    };
    assert_eq!(of(1), None);
    assert_eq!(of(0), KEPT);
}

#[test]
fn only_one_side_of_a_rendezvous_writes_a_number() {
    let of = |is_reset: bool| {
        let mut draft = Draft::of(
            "chan c = [4] of { byte }; chan r = [0] of { byte }; int x;
            active proctype P() { byte i; do :: i = 1 - i :: r!1 :: r!0 od } active proctype Q() { do :: r?x od }
            active proctype W() { do :: x > 3 -> c!1 od }",
        );
        // No model has it: what is sent does not count as the last look at a variable.
        for edge in draft.system.automata[0].edges.iter_mut().filter(|edge| edge.text.contains("r!")) {
            edge.dead = if is_reset { vec![0] } else { vec![] };
        }
        let draft = draft.claim("x", &[0, 1]).classes(1, &[&[0, 1]]).claim_local("P", &[0, 1]);
        let draft = draft.never("W", "c!1");
        let terms = vec![global(&draft, "x"), local(&draft, "P", "i")];
        let range = Interval { low: 0, high: 2 };
        let draft = draft.with(|claims| claims.numbers.push(Number { terms, range, known: vec![] }));
        draft.refused(draft.empty(0))
    };
    assert_eq!(of(false), None);
    assert_eq!(of(true), KEPT);
}

/// What goes on and on while a number comes down comes to an end; not if the number wraps, is reset, or nobody knows that it comes down.
#[test]
fn a_loop_that_counts_ends_unless_it_wraps() {
    let of = |kind: &str, body: &str, range: Option<(i32, i32)>, weight: i64| {
        let draft = Draft::of(&format!("{kind} x; active proctype P() {{ x == 0; do :: {body} od }}"));
        let (low, high) = draft.system.global_slots[0].scalar.range();
        let draft = number(draft, "x", range.unwrap_or((low, high)));
        let begins = draft.system.automata[0].initial.0;
        let at_first = draft.weigh(&[], |_, node| i64::from(node.point == Point::At(begins)));
        let potential = and_number(at_first, weight);
        let stage = Stage { potential, next: Next::Closed };
        draft.refused(vec![Proof::LivelockFree { progress: Progress::At(vec![]), stage }])
    };
    assert_eq!(of("byte", "d_step { x < 9 -> x++ }", Some((0, 9)), -1), KEPT, "not known inside");
    for kind in ["bit", "byte", "short"] {
        assert_eq!(of(kind, "x++", None, -1), Some(Rule::StageKept), "{kind}");
        assert_eq!(of(kind, "x--", None, 1), Some(Rule::StageKept), "{kind}");
    }
    assert_eq!(of("int", "x++", None, -1), KEPT);
    assert_eq!(of("int", "x--", None, 1), KEPT);
    // It goes down as it should, and the other way.
    let counted = |weight: i64| {
        let draft = Draft::of("byte x; active proctype P() { do :: x < 9 -> x++ od }");
        let draft = known(number(draft, "x", (0, 9)), "x++", (0, 8));
        let looks = before(&draft.system, "P", "x < 9").0;
        let potential = draft.weigh(&[], |_, node| i64::from(node.point == Point::At(looks)));
        let stage = Stage { potential: and_number(potential, 2 * weight), next: Next::Closed };
        draft.refused(vec![Proof::LivelockFree { progress: Progress::At(vec![]), stage }])
    };
    assert_eq!(counted(-1), None);
    assert_eq!(counted(1), Some(Rule::StageKept));
}

/// Credits: what is left, what is under way and what comes back is never more than two.
fn credits(change: impl FnOnce(&mut LinearInvariant)) -> Option<Rule> {
    let draft = Draft::of(
        "chan c = [4] of { byte }; byte k = 2; active proctype P() { do :: k > 0 -> k--; c!1 od }
        active proctype Q() { do :: c?_ -> k++ od }",
    );
    let draft = known(number(draft, "k", (0, 2)), "k--", (1, 2));
    let sends = before(&draft.system, "P", "c!1").0;
    let returns = before(&draft.system, "Q", "k++").0;
    let weigh = |draft: &Draft| {
        let owes = |name: &str, point: Point| match name {
            "P" => point == Point::At(sends),
            _ => point == Point::At(returns),
        };
        and_number(draft.weigh(&[(0, 0, 1)], |name, node| i64::from(owes(name, node.point))), 1)
    };
    let potential = weigh(&draft);
    let mut invariant = LinearInvariant { total: 2, potential: potential.clone() };
    change(&mut invariant);
    let draft = draft.with(|claims| claims.invariants.push(invariant));
    draft.refused(vec![bound(0, 2, potential)])
}

#[test]
fn what_an_invariant_leaves_bounds_a_number() {
    assert_eq!(credits(|_| ()), None);
    // More than it is at the start, less; the message, or who has it, or the number weighs nothing.
    assert_eq!(credits(|invariant| invariant.total = 3), KEPT);
    assert_eq!(credits(|invariant| invariant.total = 1), Some(Rule::InvariantTotal));
    assert_eq!(credits(|invariant| invariant.potential.messages.clear()), Some(Rule::InvariantKept));
    assert_eq!(credits(|invariant| invariant.potential.nodes.clear()), KEPT);
    assert_eq!(credits(|invariant| invariant.potential.numbers.clear()), KEPT);
    // Twice the number: that is no invariant of the model.
    assert_eq!(credits(|invariant| invariant.potential.numbers[0].weight = 2), Some(Rule::InvariantKept));
}

/// An invariant that weighs a number weighs messages and nodes not less than nothing: else it says nothing about the number alone.
#[test]
fn invariants_with_numbers_weigh_nothing_else_less_than_nothing() {
    // As many messages as `x` counts: `x` less the messages never grows, and `x` does. The certificate says that `x` is never above 3.
    let of = |messages: &[(u32, u32, i64)], at_guard: i64, elsewhere: i64| {
        let draft = Draft::of(
            "chan c = [4] of { byte }; chan e = [4] of { byte }; byte x;
            active proctype P() { do :: c!1; x < 200 -> x++ :: x > 3 -> e!1 od }",
        );
        let draft = known(number(draft.never("P", "e!1"), "x", (0, 3)), "x++", (0, 2));
        let points = ["x < 200", "x++"].map(|text| Point::At(before(&draft.system, "P", text).0));
        let weigh = |point: Point| if points.contains(&point) { at_guard } else { elsewhere };
        let potential = and_number(draft.weigh(messages, |_, node| weigh(node.point)), 1);
        let invariant = LinearInvariant { total: elsewhere, potential };
        let draft = draft.with(|claims| claims.invariants.push(invariant));
        draft.refused(draft.empty(1))
    };
    assert_eq!(of(&[(0, 0, -3)], 3, 0), Some(Rule::InvariantWeights));
    assert_eq!(of(&[(0, 0, -1)], 1, 0), Some(Rule::InvariantWeights));
    assert_eq!(of(&[], 0, 0), Some(Rule::InvariantKept));
    assert_eq!(of(&[], 1, 0), Some(Rule::InvariantKept));
    assert_eq!(of(&[], -2, -3), Some(Rule::InvariantWeights));
}

#[test]
fn a_value_at_the_start_is_computed() {
    let declared = "byte n = 3; byte x = n + 1";
    assert_eq!(judged(declared, "active proctype P() { x = n }"), Some(Rule::NumberStarts));
    let local_of = |text: &str, high: i32| {
        let draft = watched("int x; byte n = 3", text);
        let terms = vec![local(&draft, "P", "i")];
        let range = Interval { low: 0, high };
        let draft = draft.with(|claims| claims.numbers.push(Number { terms, range, known: vec![] }));
        of_draft(number(draft, "x", (0, 3)))
    };
    let text = "active proctype P() { byte i = n + 1; do :: i == 4 -> x = 0 od }";
    let refused = local_of(text, 3);
    assert!(matches!(refused, Some(Rule::NumberStarts | Rule::NumberKept)), "{refused:?}");
}
