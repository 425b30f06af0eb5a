//! Proofs of formulas that are false, each beside one that is true.

mod common;

use certificate::Certificate;
use certificate::check::{Rule, check, watch};
use certificate::claims::{
    Claims, Group, GroupId, MessageClass, NodeId, Object, Point, SlotValues, Tracker, TrackerId,
};
use certificate::potential::{Blocked, Component, Next, Potential, Proof, Stage, TrackerWeight};
use certificate::values::Values;
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
    let text = "chan c = [1] of { byte }; chan r = [0] of { byte }; chan w[2] = [1] of { byte }; chan t = [1] of { byte, byte }; chan v; byte d; byte a[2]; bit x, y;
        active proctype P() { byte z; GUARD; y = 1; here: do :: skip od } active proctype Q() { do :: x = 1 - x od } ltl p { <> (y == 1) }";
    let system = system(&text.replace("GUARD", guard));
    let mut claims = sketch(&system, Style::Nothing);
    for (slot, values) in system.global_slots.iter().zip(&mut claims.globals) {
        match slot.name.as_str() {
            "x" | "y" => *values = set(&[0, 1]),
            "v" => *values = set(&[0]).union(&channel(0)),
            _ if slot.scalar != promela::model::Scalar::Chan => *values = set(&[0]),
            _ => {}
        }
    }
    let mut proof = proof(Fairness::Weak, Next::Idle { groups: vec![GroupId(0)], blocked: nowhere() });
    y_is_set_once(&system, &mut claims, &mut proof);
    refusal(&system, claims, proof)
}

#[test]
fn who_can_move_does_so_if_the_run_is_fair() {
    for guard in [
        "c!1 :: skip",
        "c?_ :: skip",
        "r?_ :: skip",
        "c!d :: skip",
        "w[d]!1 :: skip",
        "c?eval(d) :: skip",
        "c?<z> :: skip",
        "d_step { d == 0 -> skip } :: skip",
        "d_step { c!1; c?_ } :: skip",
        "c?[1] :: skip",
        "(len(c) < 3) :: skip",
        "(d == 1 -> 10 / d : 1)",
        "(d == 0 -> 1 : 10 / d)",
    ] {
        assert_eq!(waiting(&format!("if :: {guard} fi")), None, "{guard}");
    }
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
    for guard in [
        "c!(10 / d) :: skip",
        "t!(10 / d),1 :: skip",
        "t!1,(10 / d) :: skip",
        "c?eval(10 / d) :: skip",
        "c?[eval(10 / d)] :: skip",
        "v!1 :: skip",
        "v?_ :: skip",
        "v?[1] :: skip",
        "(len(v) < 3) :: skip",
        "w[d - 1]!1 :: skip",
        "w[d + 2]?_ :: skip",
        "(a[d + 2] == 0) :: skip",
        "(a[10 / d] == 0) :: skip",
        "r?<z> :: skip",
        "d_step { (10 / d > 2) -> skip } :: skip",
        "d_step { if :: d == 1 :: (10 / d > 2) fi; skip } :: skip",
        "d_step { r!1; skip } :: skip",
        "(10 / d > 2 || d == 0)",
        "(d == 0 && 10 / d > 2) :: skip",
        "(1 < 10 / d) :: skip",
        "(!(10 / d > 2)) :: skip",
        "(-(10 / d) < 2) :: skip",
        "(P[10 / d]@here) :: skip",
        "((10 / d > 2) -> 1 : 1)",
        "(d == 0 -> 10 / d : 1)",
        "(d == 1 -> 1 : 10 / d)",
        "(enabled(1)) :: skip",
    ] {
        assert_eq!(waiting(&format!("if :: {guard} fi")), Some(Rule::EveryPlace), "{guard}");
    }
    // That nobody else can move is not so.
    assert_eq!(waiting("timeout"), Some(Rule::EveryPlace));
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

/// What P does inside of an `atomic` sequence is not seen unless it waits there.
#[test]
fn a_moment_inside_of_an_atomic_sequence_may_be_skipped() {
    for (body, refused) in [
        ("atomic { x = 1; x = 0 }", Some(Rule::NothingLeft)),
        ("atomic { skip; x = 1; x = 0 }", Some(Rule::NothingLeft)),
        ("x = 1; x = 0", None),
    ] {
        let formula = if body.contains("skip") { "[] <> (x == 1)" } else { "[] (x == 0 -> X (x == 1))" };
        let system =
            system(&format!("byte x; active proctype P() {{ do :: {body} od }} ltl p {{ {formula} }}"));
        let mut claims = sketch(&system, Style::Nothing);
        let between = common::before(&system, "P", "x = 0").0;
        for node in &mut claims.groups[0].nodes {
            let value = i32::from(node.point == Point::At(between));
            node.globals = vec![SlotValues { slot: 0, values: set(&[value]) }];
        }
        assert_eq!(in_parts(&system, claims), refused, "{body}");
    }
}

/// How much the claims say of the first global number.
#[derive(Clone, Copy, Debug)]
enum Style {
    Nothing,
    /// A tracker follows it.
    Tracked,
    /// Every process knows what it is.
    Listed,
    /// Only the last process does.
    ListedByLast,
    /// Only the last process does, and not where it begins.
    ListedInPart,
    /// A tracker follows it that tells nothing apart.
    TrackedCoarsely,
    /// A tracker follows it together with the next one, if there is one.
    TrackedInPairs,
}

const STYLES: [Style; 7] = [
    Style::Nothing,
    Style::Tracked,
    Style::Listed,
    Style::ListedByLast,
    Style::ListedInPart,
    Style::TrackedCoarsely,
    Style::TrackedInPairs,
];
/// Those that always know what the number is.
const KNOWING: [Style; 4] = [Style::Tracked, Style::Listed, Style::ListedByLast, Style::TrackedInPairs];

/// Claims for a model whose numbers are at most 3, whose messages are at most 3, one class each.
fn sketch(system: &System, style: Style) -> Claims {
    let (mut objects, mut globals, mut numbers) = (vec![], vec![], Vec::new());
    for (index, slot) in (0..).zip(&system.global_slots) {
        if slot.scalar == promela::model::Scalar::Chan && slot.name != "v" {
            globals.push(channel(objects.len() as u32));
            objects.push(match slot.name.as_str() {
                "t" => {
                    let class = MessageClass { fields: vec![set(&[0, 1, 2, 3]); 2] };
                    Object { classes: vec![class], ..global_channel(index, &[]) }
                }
                _ => global_channel(index, &[&[0], &[1], &[2], &[3]]),
            });
        } else {
            globals.push(set(&[0, 1, 2, 3]));
            numbers.extend((!slot.hidden).then_some(index));
        }
    }
    let mut groups = Vec::new();
    for (id, of) in system.process_automata() {
        let pids: Vec<i32> = active(system, id.0);
        let started = pids.is_empty();
        let slots = of.slots.iter().map(|_| set(&[0, 1, 2, 3])).collect();
        let at_most = if started { None } else { Some(pids.len() as u32) };
        let pid = if started { common::any_pid() } else { set(&pids) };
        groups.push(plain_group(system, &of.name, at_most, pid, slots));
        let group = groups.last_mut().expect("it was just put there");
        for (edge, body) in (0..).zip(&of.edges) {
            if let system::automaton::Action::DStep(body) = &body.action {
                let steps = (0..body.nodes.len() as u32).map(|step| Point::Inside { edge, step });
                group.nodes.extend(steps.map(|point| certificate::claims::Node { point, ..common::at(0) }));
            }
        }
    }
    let mut claims = claims(objects, globals, groups);
    let Some(&slot) = numbers.first() else { return claims };
    let count = claims.groups.len();
    let split = |group: &mut Group| {
        let values = (0..4).map(|value| vec![SlotValues { slot, values: set(&[value]) }]);
        let knowing = |node: &certificate::claims::Node| {
            let node = node.clone();
            values.clone().map(move |globals| certificate::claims::Node { globals, ..node.clone() })
        };
        group.nodes = group.nodes.iter().flat_map(knowing).collect();
    };
    match style {
        Style::Nothing => {}
        Style::Tracked => claims
            .trackers
            .push(Tracker { slots: vec![slot], nodes: (0..4).map(|value| vec![set(&[value])]).collect() }),
        Style::TrackedCoarsely => {
            claims.trackers.push(Tracker { slots: vec![slot], nodes: vec![vec![set(&[0, 1, 2, 3])]] })
        }
        Style::TrackedInPairs => {
            let slots: Vec<u32> = numbers.into_iter().take(2).collect();
            let mut nodes = vec![vec![]];
            for _ in &slots {
                let with =
                    |node: Vec<Values>| (0..4).map(move |value| [&node[..], &[set(&[value])]].concat());
                nodes = nodes.into_iter().flat_map(with).collect();
            }
            claims.trackers.push(Tracker { slots, nodes });
        }
        Style::ListedInPart => {
            let group = &mut claims.groups[count - 1];
            let begins = system.automata[group.automaton as usize].initial.0;
            let (first, mut others): (Vec<_>, Vec<_>) =
                group.nodes.drain(..).partition(|node| node.point == Point::At(begins));
            std::mem::swap(&mut group.nodes, &mut others);
            split(group);
            group.nodes.extend(first);
        }
        Style::Listed => claims.groups.iter_mut().for_each(split),
        Style::ListedByLast => claims.groups.iter_mut().skip(count - 1).for_each(split),
    }
    claims
}

/// The numbers of the processes of a proctype at the start.
fn active(system: &System, of: u32) -> Vec<i32> {
    let interpreter =
        system::interpreter::Interpreter::new(system, system::interpreter::Capacities::Unbounded);
    let state = interpreter.initial_state().expect("there is one");
    let pids = (0..).zip(&state.processes).filter(|(_, process)| process.automaton.0 == of);
    pids.map(|(pid, _)| pid).collect()
}

/// What is said of "`p` holds, for nothing is to be shown".
fn lazy(text: &str, style: Style) -> Option<Rule> {
    let system = system(text);
    refusal(&system, sketch(&system, style), proof(Fairness::None, Next::Closed))
}

/// Where the monitor begins, how many nodes it has, and its moves.
fn monitor(system: &System, claims: &Claims) -> (NodeId, u32, Vec<(NodeId, NodeId)>) {
    let certificate =
        Certificate::new(system, Capacities::Any, claims.clone(), vec![proof(Fairness::None, Next::Closed)]);
    let watch = watch(system, &certificate, ("p", Fairness::None), &|| false).expect("claims that hold");
    let component = Component::Tracker(TrackerId(claims.trackers.len() as u32));
    let moves = watch.transitions.iter().flat_map(|transition| &transition.moves);
    let moves = moves.filter(|(of, ..)| *of == component).map(|&(_, from, to)| (from, to)).collect();
    let &(nodes, first) = watch.trackers.last().expect("a monitor");
    (first, nodes as u32, moves)
}

/// The same, where the monitor stays for ever in one part of its nodes after the other.
fn divided(text: &str, style: Style) -> Option<Rule> {
    let system = system(text);
    let claims = sketch(&system, style);
    in_parts(&system, claims)
}

fn in_parts(system: &System, claims: Claims) -> Option<Rule> {
    in_parts_with(system, claims, (closed(), nowhere()))
}

fn closed() -> Stage {
    Stage { potential: Potential::default(), next: Next::Closed }
}

/// Each part is treated like this, and so are runs that end.
fn in_parts_with(system: &System, claims: Claims, (part, of_ends): (Stage, Blocked)) -> Option<Rule> {
    let (_, nodes, moves) = monitor(system, &claims);
    let nodes = nodes as usize;
    let mut reaches = vec![vec![false; nodes]; nodes];
    moves.iter().for_each(|(from, to)| reaches[from.index()][to.index()] = true);
    for middle in 0..nodes {
        for from in 0..nodes {
            for to in 0..nodes {
                reaches[from][to] |= reaches[from][middle] && reaches[middle][to];
            }
        }
    }
    let earlier = |node: usize| (0..node).any(|other| reaches[node][other] && reaches[other][node]);
    let count = (0..nodes).filter(|&node| reaches[node][node] && !earlier(node)).count();
    let component = Component::Tracker(TrackerId(claims.trackers.len() as u32));
    let next = Next::Split { component, parts: vec![part; count.max(1)] };
    let mut proof = proof(Fairness::None, next);
    if let Proof::Formula { ends, .. } = &mut proof {
        *ends = of_ends;
    }
    refusal(system, claims, proof)
}

/// Each is false, so a proof that shows nothing is refused, whatever is known of the first number.
#[test]
fn what_a_proposition_says_changes_with_what_it_speaks_of() {
    let false_ones = [
        "byte x; active proctype P() { do :: x = 1; x = 0 od } ltl p { [] (x == 0) }",
        "byte x; active proctype P() { do :: x = 1; x = 0 od } ltl p { <> [] (x == 0) }",
        "byte x; active proctype P() { do :: x = 1; x = 0 od } ltl p { [] (x == 0 -> X (x == 0)) }",
        "byte x; active proctype P() { do :: x = 1; x = 0 od } ltl p { x == 1 }",
        "byte x, y; active proctype P() { do :: y = 1; y = 0 od } active proctype Q() { do :: x = 2 od } ltl p { [] (x + y < 3) }",
        "byte x; active proctype P() { do :: skip od } active proctype Q() { x = 1; do :: x == 1 od } ltl p { [] (x == 0) }",
        "byte x; active proctype P() { do :: skip od } proctype Worker() { x = 2; (false) } active proctype Q() { run Worker(); (false) } ltl p { [] (x < 2) }",
        "byte x; active proctype P() { do :: x = 1; there: skip od } ltl p { [] (! P@there) }",
        "byte x; active proctype P() { do :: x = 1; there: skip od } ltl p { [] (! P[0]@there) }",
        "byte x; active proctype P() { do :: x = 1; there: skip od } ltl p { [] (P[*]@there == 0) }",
        "byte x; active proctype P() { there: do :: x = 1; skip od } ltl p { [] (P@there) }",
        "chan r = [0] of { byte }; byte x; active proctype P() { do :: r!1 :: skip od } active proctype Q() { r?1; there: (false) } ltl p { [] (! Q@there) }",
        "byte x; active [2] proctype P() { do :: x = 1; there: skip od } ltl p { [] (P[*]@there < 2) }",
        "byte x; active proctype P() { do :: skip od } proctype Worker() { there: (false) } active proctype Q() { run Worker(); (false) } ltl p { [] (Worker[*]@there == 0) }",
        "byte x; active proctype P() { do :: skip od } proctype Worker() { there: skip } active proctype Q() { run Worker(); (false) } ltl p { <> [] (Worker[*]@there == 1) }",
        "byte x; chan c = [2] of { byte }; active proctype P() { do :: c!1; c?1 od } ltl p { [] (len(c) == 0) }",
        "byte x; chan c = [2] of { byte }; active proctype P() { do :: c!1; c?1 od } ltl p { [] (1 > len(c)) }",
        "byte x; chan c = [2] of { byte }; active proctype P() { do :: c!1; c?1 od } ltl p { <> [] (len(c) > 0) }",
        "byte x; chan c = [2] of { byte }; active proctype P() { do :: c!1; c!2; c?1; c?2 od } ltl p { [] (len(c) <= 1) }",
        "byte x; chan c = [2] of { byte }; active proctype P() { do :: c!1; c!2; c?1; c?2 od } ltl p { [] (len(c) != 2) }",
        "byte x; chan c = [2] of { byte }; active proctype P() { do :: c!1; c!2; c?1; c?2 od } ltl p { [] (len(c) + 1 < 3) }",
        "byte x; active proctype P() { do :: atomic { x = 1; x = 0 } od } ltl p { <> (x == 1) }",
        "byte x; active proctype P() { do :: d_step { x = 1; x = 0 } od } ltl p { <> (x == 1) }",
        "byte x; chan r = [0] of { byte }; active proctype P() { do :: r!1 :: skip od } active proctype Q() { do :: atomic { r?1; x = 1; x = 0 } od } ltl p { <> (x == 1) }",
        "byte x; active proctype P() { do :: x = 1 od } active proctype Q() { do :: skip od } ltl p { [] (_last == 0) }",
        // Only one of the numbers changes; only the last changes.
        "byte x, y; active proctype P() { do :: y = 1; y = 0 od } ltl p { [] (x + y == 0) }",
        "byte x, y; active proctype P() { do :: y = 1; y = 0 od } active proctype Q() { do :: x == 0 -> x = 1 :: x == 1 -> x = 0 od } ltl p { [] (y == 0) }",
        "byte x, y; active proctype P() { do :: x = 1; x = 0 od } active proctype Q() { do :: skip; y == 1 od } ltl p { [] (x == 0) }",
        // One slot of an array, and operators.
        "byte a[2]; active proctype P() { do :: a[0] == 0 -> a[1] = 1; a[1] = 0 od } ltl p { [] (a[1] == 0) }",
        "byte x; active proctype P() { do :: x = 1; x = 0 od } ltl p { [] (-x == 0) }",
        // What is put off although it is there now may be put off for ever.
        "byte x; active proctype P() { do :: x = 1; x = 0 od } ltl p { <> (! ((<> (x == 1)) && (X (<> (x == 1))))) }",
        // Whoever knows the number may be any number of processes, or none.
        "byte x; active proctype P() { run W(); do :: x = 1; x = 0 od } proctype W() { (x == 7) } ltl p { [] (x == 0) }",
        // Moments that are not seen, and those that are.
        "byte x; active proctype P() { do :: atomic { x = 1; x = 0 } od } ltl p { [] (x == 0 -> X (x == 1)) }",
        "byte x; active proctype P() { do :: atomic { x = 1; skip; x = 0 } od } ltl p { [] (x == 0 -> X (x == 1)) }",
        "byte x; active proctype P() { do :: d_step { x = 1; x = 0 } od } ltl p { [] (x == 0 -> X (x == 1)) }",
        "byte x; active proctype P() { do :: atomic { x = 1; x = 0 }; x = 2 od } ltl p { [] (x == 2 -> X (x == 1)) }",
        // Others move, and it stays what it is.
        "byte x; active proctype P() { (x == 7); there: do :: x == 8 od } active proctype Q() { do :: skip od } ltl p { <> (P@there) }",
        "byte x; active proctype P() { here: do :: x == 7 od } active proctype Q() { do :: skip od } ltl p { <> (! P@here) }",
        "byte x; chan c = [2] of { byte }; active proctype P() { do :: skip :: c!1; c?1 od } ltl p { <> (len(c) > 0) }",
        // The last message is taken, the last process leaves.
        "byte x; chan c = [2] of { byte }; active proctype P() { do :: c!1; c?1 od } ltl p { [] (len(c) > 0 -> X (len(c) > 0)) }",
        "byte x; active proctype P() { do :: x = 1; there: skip od } ltl p { [] (P[*]@there > 0 -> X (P[*]@there > 0)) }",
        "byte x; active proctype P() { do :: x = 1; there: skip od } active proctype Q() { do :: skip od } ltl p { [] (P[*]@there > 0 -> X (P[*]@there > 0)) }",
        // What another buffer holds does not count, nor is every operator a comparison.
        "byte x; chan c = [2] of { byte }; chan d = [2] of { byte }; active proctype P() { do :: d!1; d?1 od } ltl p { <> (len(c) > 0) }",
        "byte x; chan c = [2] of { byte }; active proctype P() { do :: c!1; c?1 od } ltl p { <> (len(c) / 5) }",
        // Who is started elsewhere does not count.
        "byte x; proctype P() { there: (x == 7) } proctype W() { (x == 8) } active proctype Q() { do :: run W() od } ltl p { <> (P[*]@there > 0) }",
    ];
    for text in false_ones {
        for style in STYLES {
            assert_eq!(lazy(text, style), Some(Rule::NothingLeft), "{style:?} {text}");
            assert_eq!(divided(text, style), Some(Rule::NothingLeft), "divided: {style:?} {text}");
        }
    }
}

#[test]
fn what_nothing_changes_needs_no_more_than_to_be_followed() {
    for (text, styles) in [
        ("byte x; active proctype P() { do :: x = 1; x = 0 od } ltl p { [] (x < 4) }", &STYLES[..]),
        ("byte x; active proctype P() { do :: skip od } ltl p { [] (x == 0) }", &KNOWING[..]),
        ("byte x; active proctype P() { do :: x = 1; x = 0 od } ltl p { <> (x == 0) }", &STYLES),
        ("byte x; active proctype P() { do :: skip od; there: skip } ltl p { [] (P[*]@there == 0) }", &[]),
        ("byte x; active proctype P() { here: do :: skip od } ltl p { [] (P@here) }", &STYLES),
        (
            "byte x; chan c = [2] of { byte }; active proctype P() { do :: skip od } ltl p { [] (len(c) == 0) }",
            &STYLES,
        ),
        (
            "byte x; chan c = [2] of { byte }; active proctype P() { do :: skip od } ltl p { [] (0 == len(c)) }",
            &STYLES,
        ),
    ] {
        for &style in styles {
            assert_eq!(lazy(text, style), None, "{style:?} {text}");
        }
    }
}

#[test]
fn a_formula_that_is_too_large_or_has_no_value_at_the_start_is_refused() {
    for formula in [
        "[] (10 / x > 0)",
        "[] (x == 0 || x == 1 || x == 2 || x == 3 || x == 4 || x == 5 || x == 6 || x == 7 || x == 8)",
    ] {
        let text = format!("byte x; active proctype P() {{ do :: x = 0 od }} ltl p {{ {formula} }}");
        assert_eq!(lazy(&text, Style::Nothing), Some(Rule::AboutFormula), "{formula}");
    }
    // Of these limits each is the only one that is passed: 16 formulas to put off, 256 states.
    let next = |count: usize| "X ".repeat(count);
    let untils =
        |count: usize| (0..count).map(|each| format!("[] ({} (x < 4))", next(each))).collect::<Vec<_>>();
    let chains =
        |count: usize| (0..count).map(|each| format!("({} (x != {each}))", next(60))).collect::<Vec<_>>();
    for (parts, refused) in [
        (untils(16), Rule::NothingLeft),
        (untils(17), Rule::AboutFormula),
        (chains(4), Rule::NothingLeft),
        (chains(5), Rule::AboutFormula),
    ] {
        let formula = parts.join(" && ");
        let text = format!("byte x; active proctype P() {{ do :: x = 0 od }} ltl p {{ {formula} }}");
        assert_eq!(lazy(&text, Style::Nothing), Some(refused), "{}", parts.len());
    }
    let endless = "byte x; active proctype P() { atomic { do :: x = 1 :: x = 0 od } } ltl p { <> (x == 1) }";
    assert_eq!(lazy(endless, Style::Nothing), Some(Rule::AboutFormula));
}

/// Time is out from the start, for nobody can move, or only because of that: each formula is false at once.
#[test]
fn a_formula_that_asks_for_timeout_is_refused() {
    for of_p in ["(x == 7)", "do :: timeout -> x = 1; x = 0 od"] {
        for formula in ["! timeout", "! (timeout || x == 5)", "(timeout + 1 == 1)", "[] (x < 4 && ! timeout)"]
        {
            let text = format!("byte x; active proctype P() {{ {of_p} }} ltl p {{ {formula} }}");
            assert_eq!(lazy(&text, Style::Nothing), Some(Rule::AboutFormula), "{of_p}: {formula}");
        }
    }
}

/// What no state says by itself: whose number, whose priority, where a claim stands; and whether somebody can move who waits until time is out.
#[test]
fn a_formula_that_no_state_answers_is_refused() {
    let tried = |formula: &str, of_p: &str| {
        let text = format!(
            "byte x; active proctype P() {{ {of_p} }} active proctype Q() {{ (x == 7) }} ltl p {{ {formula} }}"
        );
        lazy(&text, Style::Nothing)
    };
    for formula in ["(_pid == 0)", "(_priority == 0)", "(x == _pid)"] {
        assert_eq!(tried(formula, "x = 0"), Some(Rule::AboutFormula), "{formula}");
    }
    // Time is out, so P can move.
    for formula in ["! enabled(0)", "(enabled(0) + 1 == 1)"] {
        assert_eq!(tried(formula, "timeout -> (x == 7)"), Some(Rule::AboutFormula), "{formula}");
    }
    assert_eq!(tried("! enabled(0)", "(x == 7)"), None);
}

/// Each equivalence asks for its sides twice, as they are and denied; forty of them, one inside of the other, do so no more often.
#[test]
fn equivalences_inside_of_equivalences_take_no_time() {
    let formula = (0..40).fold("(x == 1)".to_string(), |inner, _| format!("((x == 0) <-> {inner})"));
    let text = format!("byte x; active proctype P() {{ x = 0; (false) }} ltl p {{ {formula} }}");
    assert_eq!(lazy(&text, Style::Nothing), Some(Rule::AboutFormula));
}

/// There are very many ways to violate it, and each contradicts itself: they are counted, not followed to the last.
#[test]
fn a_formula_with_too_many_contradictions_is_too_large() {
    let tried = |count: usize| {
        let choices = (1..=count).map(|each| format!("({0} (x == 1) || {0} (x == 2))", "X ".repeat(each)));
        let choices = choices.collect::<Vec<_>>().join(" && ");
        let formula = format!("! (((x == 0) && !(x == 0)) && ({choices}))");
        lazy(
            &format!("byte x; active proctype P() {{ do :: x = 0 od }} ltl p {{ {formula} }}"),
            Style::Nothing,
        )
    };
    assert_eq!(tried(3), None);
    assert_eq!(tried(40), Some(Rule::AboutFormula));
}

/// P waits, then `y` is 1 for ever. Nobody else is there: "no run ends before that".
fn alone(statement: &str, declaration: &str) -> Option<Rule> {
    let text = "chan c = [1] of { byte }; chan r = [0] of { byte }; byte x, y; DECLARED
        active proctype P() CLAUSE { byte z; if :: STATEMENT fi; y = 1; do :: x = y od } ltl p { <> (y == 1) }";
    let (declared, clause) =
        if declaration.contains("proctype") { (declaration, "") } else { ("", declaration) };
    let text = text.replace("STATEMENT", statement).replace("DECLARED", declared).replace("CLAUSE", clause);
    let system = system(&text);
    let mut claims = sketch(&system, Style::Nothing);
    let mut proof = proof(Fairness::None, Next::Closed);
    y_is_set_once(&system, &mut claims, &mut proof);
    refusal(&system, claims, proof)
}

/// P knows `y`, which it sets once, and comes down until then.
fn y_is_set_once(system: &System, claims: &mut Claims, proof: &mut Proof) {
    let group = claims.groups.iter().position(|group| group.automaton == automaton(system, "P"));
    let group = group.expect("there is P");
    let y = system.global_slots.iter().position(|slot| slot.name == "y").expect("there is y") as u32;
    let (before, after) = (common::before(system, "P", "y = 1").0, common::after(system, "P", "y = 1").0);
    let mut weights = Vec::new();
    for (index, node) in (0..).zip(&mut claims.groups[group].nodes) {
        let (is_set, weight) = match node.point {
            Point::At(location) if location == after => (1, 0),
            Point::At(location) => (0, 10 * steps_to(system, "P", before, location) + 1),
            Point::Inside { step, .. } => (0, 9 - i64::from(step)),
        };
        node.globals = vec![SlotValues { slot: y, values: set(&[is_set]) }];
        weights.push((group as u32, index, weight));
    }
    if let Proof::Formula { stage, .. } = proof {
        stage.potential = potential(&[], &weights);
    }
}

/// How many statements are between two places of a process, one after the other.
fn steps_to(system: &System, name: &str, to: u32, from: u32) -> i64 {
    let automaton = &system.automata[automaton(system, name) as usize];
    let (mut at, mut steps) = (from, 0);
    while at != to && steps < automaton.edges.len() as i64 {
        let Some(edge) = automaton.edges.iter().find(|edge| edge.source.0 == at) else { break };
        (at, steps) = (edge.target.0, steps + 1);
    }
    steps
}

#[test]
fn what_is_always_executable_lets_no_run_end() {
    for statement in [
        "skip",
        "x = 1",
        "assert(true)",
        "printf(\"\")",
        "(x < 4)",
        "x == 1 :: else",
        "timeout",
        "c?1 :: skip",
    ] {
        assert_eq!(alone(statement, ""), None, "{statement}");
    }
}

#[test]
fn who_may_be_blocked_for_ever_may_be() {
    let statements = [
        "(x == 1)",
        "c!1",
        "c?1",
        "c?[1]",
        "r!1",
        "r?1",
        "(len(c) > 0)",
        "(timeout && x == 1)",
        "d_step { x == 1 -> skip }",
        "(x < 4 && nempty(c))",
        "c?z :: x == 1 :: r!1",
    ];
    for statement in statements {
        assert_eq!(alone(statement, ""), Some(Rule::EveryPlace), "{statement}");
    }
    assert_eq!(alone("skip", "provided (x == 1)"), Some(Rule::EveryPlace));
    assert_eq!(alone("skip", "priority 3"), Some(Rule::EveryPlace));
}

/// P waits to send, Q waits for something, and then for what P does next. Where P has sent nothing Q has received nothing; that both wait at the
/// beginning is excluded by nothing but what is known of buffers.
fn two_waiting(waits: &str, channels: &str) -> Option<Rule> {
    let text = "CHANNELS byte x, y; active proctype P() { c!1; y = 1; do :: x = y od }
        active proctype Q() { byte z; WAITS; (y == 1); (x == 7) } ltl p { <> (y == 1) }";
    let system = system(&text.replace("CHANNELS", channels).replace("WAITS", waits));
    let mut claims = sketch(&system, Style::Nothing);
    claims.groups[1].nodes.retain(|node| node.point != Point::At(ending(&system)));
    let mut proof = proof(Fairness::None, Next::Closed);
    y_is_set_once(&system, &mut claims, &mut proof);
    let Proof::Formula { stage, ends, .. } = &mut proof else { return None };
    let initial = |name: &str| system.automata[automaton(&system, name) as usize].initial.0;
    let nodes = (0..).zip(&claims.groups[1].nodes);
    let heights: Vec<(u32, i64)> = nodes
        .map(|(index, node)| match node.point {
            Point::At(location) if location == initial("Q") => (index, 2),
            Point::At(location) if location == common::before(&system, "Q", "y == 1").0 => (index, 1),
            _ => (index, 0),
        })
        .collect();
    let comes_down = heights.iter().map(|&(index, height)| (1, index, height)).collect::<Vec<_>>();
    stage.potential.nodes.extend(potential(&[], &comes_down).nodes);
    let mut weights = vec![(0, initial("P"), 1)];
    weights.extend(heights.iter().filter(|(_, height)| *height < 2).map(|&(index, _)| (1, index, 1)));
    let messages: Vec<_> = (0..claims.objects[0].classes.len() as u32).map(|class| (0, class, 1)).collect();
    let after = Blocked::Excluded { potential: potential(&messages, &weights) };
    let at_first = Blocked::Excluded { potential: Potential::default() };
    let case = |height| if height == 2 { at_first.clone() } else { after.clone() };
    let parts = heights.iter().map(|&(_, height)| case(height)).collect();
    let of_q = Blocked::Split { component: Component::Group(GroupId(1)), parts };
    *ends = Blocked::Split { component: Component::Group(GroupId(0)), parts: vec![of_q] };
    refusal(&system, claims, proof)
}

/// Where Q would end, which it does not: nobody makes `x` 7.
fn ending(system: &System) -> u32 {
    common::after(system, "Q", "x == 7").0
}

const ONE_BUFFER: &str = "chan c = [1] of { byte };";

#[test]
fn a_buffer_is_not_empty_and_full_at_once() {
    assert_eq!(two_waiting("c?z", ONE_BUFFER), None);
    assert_eq!(two_waiting("c??_", ONE_BUFFER), None);
    assert_eq!(two_waiting("if :: c?0 :: c?1 :: c?2 :: c?3 fi", ONE_BUFFER), None);
}

#[test]
fn who_waits_for_something_else_says_nothing_of_a_buffer() {
    for waits in ["c?1", "if :: c?0 :: c?1 :: c?3 fi", "c?eval(x)", "c!2", "(x == 1)"] {
        assert_eq!(two_waiting(waits, ONE_BUFFER), Some(Rule::NotBlocked), "{waits}");
    }
    assert_eq!(
        two_waiting("d?_", "chan c = [1] of { byte }; chan d = [1] of { byte };"),
        Some(Rule::NotBlocked)
    );
}

/// P waits for what Q would have to do, which does nothing but spin; or does it, too.
fn idle(groups: &[u32], blocked: Blocked, fairness: Fairness) -> Option<Rule> {
    let text = "byte x, y; active proctype P() { if :: x == 1 :: else fi; y = 1; do :: x = y od }
        active proctype Q() { do :: x = 1; x = 2 od } active proctype R() { skip } ltl p { <> (y == 1) }";
    let system = system(text);
    let mut claims = sketch(&system, Style::Nothing);
    let mut proof =
        proof(fairness, Next::Idle { groups: groups.iter().copied().map(GroupId).collect(), blocked });
    y_is_set_once(&system, &mut claims, &mut proof);
    refusal(&system, claims, proof)
}

#[test]
fn only_who_is_there_and_does_nothing_is_idle() {
    assert_eq!(idle(&[0], nowhere(), Fairness::Weak), None);
    assert_eq!(idle(&[0], nowhere(), Fairness::Strong), None);
    assert_eq!(idle(&[0], nowhere(), Fairness::None), Some(Rule::TakesNoPart));
    // Q moves, R may have ended.
    assert_eq!(idle(&[1], nowhere(), Fairness::Weak), Some(Rule::TakesNoPart));
    assert_eq!(idle(&[0, 1], nowhere(), Fairness::Weak), Some(Rule::TakesNoPart));
    assert_eq!(idle(&[2], nowhere(), Fairness::Weak), Some(Rule::TakesNoPart));
    for groups in [&[][..], &[0, 0], &[3], &[1, 0]] {
        assert_eq!(idle(groups, nowhere(), Fairness::Weak), Some(Rule::Exists), "{groups:?}");
    }
}

#[test]
fn a_receiver_in_a_rendezvous_is_not_idle() {
    let text = "chan r = [0] of { byte }; byte x, y; active proctype P() { do :: r?1 :: y == 3 -> y = 1 od }
        active proctype Q() { do :: r!1 od } ltl p { <> (y == 1) }";
    let system = system(text);
    let idle = Next::Idle { groups: vec![GroupId(0)], blocked: nowhere() };
    let refused = refusal(&system, sketch(&system, Style::Nothing), proof(Fairness::Weak, idle));
    assert_eq!(refused, Some(Rule::TakesNoPart));
}

/// With very many processes there are very many channels, and their numbers are larger than those that the model itself can have.
#[test]
fn the_number_of_a_channel_depends_on_how_many_processes_there_are() {
    let tried = |of_t: &str| {
        let system = system(&format!(
            "int k; chan c = [1] of {{ byte }}; active proctype T() {{ {of_t} }} ltl p {{ [] (k < 256) }}"
        ));
        let any = Values::interval(0, 65_535);
        let mut objects = vec![global_channel(1, &[&[1]])];
        let slots = system.automata[0].slots.iter().map(|_| channel(1)).collect::<Vec<_>>();
        if !slots.is_empty() {
            let place = certificate::claims::ObjectPlace::Local { group: GroupId(0), slot: 0 };
            objects.push(certificate::claims::Object { place, classes: vec![] });
        }
        let group = plain_group(&system, "T", None, any, slots);
        let claims = claims(objects, vec![Values::interval(0, 255), channel(0)], vec![group]);
        let mut proof = proof(Fairness::None, Next::Closed);
        if let Proof::Formula { ends, .. } = &mut proof {
            *ends = Blocked::Split { component: Component::Tracker(TrackerId(0)), parts: vec![] };
        }
        let mut certificate = Certificate::new(&system, Capacities::Any, claims, vec![proof]);
        certificate.any_number = vec!["T".into()];
        certificate.seal();
        broken(check(&system, &certificate))
    };
    assert_eq!(tried("k = c; do :: skip od"), None);
    assert_eq!(tried("chan own = [1] of { byte }; k = own; do :: skip od"), Some(Rule::AnyNumber));
}

/// "Only the first node of the monitor is reached": all others weigh this, beside what messages and nodes of groups weigh.
fn unreached(system: &System, claims: &Claims, heavy: i64, others: Potential) -> Potential {
    let (first, count, _) = monitor(system, claims);
    let tracker = TrackerId(claims.trackers.len() as u32);
    let heavy_ones = (0..count).map(NodeId).filter(|node| *node != first);
    let trackers = heavy_ones.map(|node| TrackerWeight { tracker, node, weight: heavy }).collect();
    Potential { trackers, ..others }
}

fn excluding(system: &System, claims: Claims, unreached: Vec<Potential>) -> Option<Rule> {
    let stage = Stage { potential: Potential::default(), next: Next::Closed };
    let (formula, fairness) = ("p".into(), Fairness::None);
    refusal(system, claims, Proof::Formula { formula, fairness, unreached, stage, ends: nowhere() })
}

/// Before and after the statement of P.
fn around(system: &System, text: &str) -> (u32, u32) {
    (common::before(system, "P", text).0, common::after(system, "P", text).0)
}

/// P would write what it must not only after a message that nobody sends.
#[test]
fn what_weighs_more_than_there_is_is_not_reached() {
    let system = system(
        "chan c = [1] of { byte }; byte x; active proctype P() { skip; do :: c!1; c?1 :: x == 0 :: c?2 -> x = 1 od } ltl p { [] (x == 0) }",
    );
    let claims = sketch(&system, Style::Tracked);
    let ((begins, _), (writes, _)) = (around(&system, "skip"), around(&system, "x = 1"));
    let tried = |heavy, at_first| {
        let nodes = [(0, begins, at_first), (0, writes, heavy)];
        let potential = unreached(&system, &claims, heavy, potential(&[(0, 2, heavy)], &nodes));
        excluding(&system, claims.clone(), vec![potential])
    };
    assert_eq!(tried(1, 0), None);
    assert_eq!(tried(2, 1), None);
    // It must be more.
    assert_eq!(tried(1, 1), Some(Rule::NothingLeft));
    assert_eq!(tried(1, 2), Some(Rule::NothingLeft));
}

/// What pays for a node of the monitor must be there at the start, and weigh something.
#[test]
fn nothing_that_excludes_weighs_less_than_nothing_or_grows() {
    let written = system("byte x; active proctype P() { x = 1; do :: skip od } ltl p { [] (x == 0) }");
    let claims = sketch(&written, Style::Tracked);
    let (before, after) = around(&written, "x = 1");
    let tried = |nodes: &[(u32, u32, i64)]| {
        excluding(&written, claims.clone(), vec![unreached(&written, &claims, 1, potential(&[], nodes))])
    };
    assert_eq!(tried(&[]), Some(Rule::Unreached));
    assert_eq!(tried(&[(0, after, -1)]), Some(Rule::Unreached));
    // P pays, and then there is as much at the start; or the monitor has it from the beginning.
    assert_eq!(tried(&[(0, before, 1)]), Some(Rule::NothingLeft));
    let (first, ..) = monitor(&written, &claims);
    let mut everywhere = unreached(&written, &claims, 1, Potential::default());
    let tracker = TrackerId(claims.trackers.len() as u32);
    everywhere.trackers.push(TrackerWeight { tracker, node: first, weight: 1 });
    everywhere.trackers.sort();
    assert_eq!(excluding(&written, claims.clone(), vec![everywhere]), Some(Rule::NothingLeft));
    let sent = system(
        "chan c = [1] of { byte }; active proctype P() { do :: c!1 :: skip od } ltl p { [] (len(c) == 0) }",
    );
    let claims = sketch(&sent, Style::Nothing);
    for other in [0, 1] {
        let messages = [(0, 0, other), (0, 1, -1), (0, 2, other)];
        let potential = unreached(&sent, &claims, 1, potential(&messages, &[]));
        assert_eq!(excluding(&sent, claims.clone(), vec![potential]), Some(Rule::Unreached));
    }
}

/// Any number of processes are moved along to where they weigh more, by so much that nobody knows.
#[test]
fn what_any_number_of_processes_gain_is_not_known() {
    let system = system(
        "byte x; active proctype P() { x = 1; do :: skip od } active [2] proctype W() { (x == 7) } ltl p { [] (x == 0) }",
    );
    let mut claims = sketch(&system, Style::ListedByLast);
    claims.trackers = sketch(&system, Style::Tracked).trackers;
    let heavier = (0..).zip(&claims.groups[1].nodes);
    let heavier: Vec<(u32, u32, i64)> = heavier
        .filter(|(_, node)| common::listed(node, 0).is_some_and(|value| value > 0))
        .map(|(index, _)| (1, index, 1))
        .collect();
    assert!(!heavier.is_empty());
    let potential = unreached(&system, &claims, 1, potential(&[], &heavier));
    assert_eq!(excluding(&system, claims, vec![potential]), Some(Rule::Unreached));
}

/// Nodes that nothing leads to are excluded at first; that a process stands in a node with the same number is another matter.
#[test]
fn what_begins_where_the_monitor_never_is_may_grow_and_nothing_else() {
    let system =
        system("byte x; active proctype P() { skip; skip; x = 1; do :: skip od } ltl p { [] (x == 0) }");
    let claims = sketch(&system, Style::Tracked);
    let (first, count, moves) = monitor(&system, &claims);
    let never =
        (0..count).map(NodeId).filter(|node| *node != first && !moves.iter().any(|(_, to)| to == node));
    let never: Vec<NodeId> = never.collect();
    let tracker = TrackerId(claims.trackers.len() as u32);
    let weights = never.iter().map(|&node| TrackerWeight { tracker, node, weight: 1 });
    let at_first = Potential { trackers: weights.collect(), ..Potential::default() };
    let (writes, _) = around(&system, "x = 1");
    for node in never {
        let mut claims = claims.clone();
        let nodes = &mut claims.groups[0].nodes;
        let at = nodes.iter().position(|node| node.point == Point::At(writes)).expect("P is there");
        assert!(node.index() < nodes.len());
        nodes.swap(at, node.index());
        let potential = unreached(&system, &claims, 1, potential(&[], &[]));
        let refused = excluding(&system, claims, vec![at_first.clone(), potential]);
        assert_eq!(refused, Some(Rule::Unreached), "{node:?}");
    }
}

/// Q says something of `x` only where it never is, or says something of another variable: P writes `x` all the same.
#[test]
fn who_does_not_always_know_a_variable_does_not_say_that_it_stays() {
    let system = system(
        "byte x, y; active proctype P() { do :: x = 1; x = 0 od } active proctype Q() { do :: y == 7; y == 8 od } ltl p { [] (x == 0) }",
    );
    let listed = |slot, value| vec![SlotValues { slot, values: set(&[value]) }];
    let mut claims = sketch(&system, Style::Nothing);
    claims.globals = vec![set(&[0, 1, 3]), set(&[0])];
    let between = common::before(&system, "P", "x = 0").0;
    for node in &mut claims.groups[0].nodes {
        node.globals = listed(0, i32::from(node.point == Point::At(between)));
    }
    let never = common::before(&system, "Q", "y == 8").0;
    let of_q = |of_node: &dyn Fn(Point) -> Vec<SlotValues>| {
        let mut claims = claims.clone();
        claims.groups[1].nodes.iter_mut().for_each(|node| node.globals = of_node(node.point));
        refusal(&system, claims, proof(Fairness::None, Next::Closed))
    };
    let in_part = |point| if point == Point::At(never) { listed(0, 3) } else { vec![] };
    assert_eq!(of_q(&in_part), Some(Rule::NothingLeft));
    assert_eq!(of_q(&|_| listed(1, 0)), Some(Rule::NothingLeft));
}

/// Two processes of a proctype, each with a group of its own.
#[test]
fn a_place_is_that_of_the_process_with_the_number() {
    let tried = |formula: &str| {
        let text = "byte x; active [2] proctype P() { if :: _pid == 1 -> x = 1 :: else -> (x == 7) fi; there: do :: skip od } ltl p { FORMULA }";
        let system = system(&text.replace("FORMULA", formula));
        let mut claims = sketch(&system, Style::Nothing);
        let mut second = claims.groups[0].clone();
        (claims.groups[0].pid, claims.groups[0].at_most) = (set(&[0]), Some(1));
        (second.pid, second.at_most) = (set(&[1]), Some(1));
        claims.groups.push(second);
        claims.globals[0] = set(&[0, 1]);
        let stays = common::before(&system, "P", "x == 7").0;
        let begins = system.automata[0].initial.0;
        claims.groups[0].nodes.retain(|node| [Point::At(begins), Point::At(stays)].contains(&node.point));
        refusal(&system, claims, proof(Fairness::None, Next::Closed))
    };
    assert_eq!(tried("[] (! P[0]@there)"), None);
    for formula in ["[] (! P[1]@there)", "[] (P[*]@there == 0)", "[] (P[*]@there < 1)"] {
        assert_eq!(tried(formula), Some(Rule::NothingLeft), "{formula}");
    }
}

/// "No run ends without `y` being 1", because of this.
fn ending_with(text: &str, ends: Blocked, change: impl Fn(&System, &mut Claims)) -> Option<Rule> {
    let system = system(text);
    let mut claims = sketch(&system, Style::Nothing);
    let mut proof = proof(Fairness::None, Next::Closed);
    change(&system, &mut claims);
    y_is_set_once(&system, &mut claims, &mut proof);
    if let Proof::Formula { ends: of_proof, stage, .. } = &mut proof {
        *of_proof = ends;
        // Each message can be taken once.
        for (object, of_object) in (0..).zip(&claims.objects) {
            let is_buffer = system.model.channel_types[object as usize].capacity > 0;
            let classes = 0..if is_buffer { of_object.classes.len() as u32 } else { 0 };
            let weights: Vec<_> = classes.map(|class| (object, class, 1)).collect();
            stage.potential.messages.extend(potential(&weights, &[]).messages);
        }
    }
    refusal(&system, claims, proof)
}

fn excluded() -> Blocked {
    Blocked::Excluded { potential: Potential::default() }
}

fn of_group(group: u32, parts: Vec<Blocked>) -> Blocked {
    Blocked::Split { component: Component::Group(GroupId(group)), parts }
}

#[test]
fn nobody_meets_itself() {
    let text = "chan r = [0] of { byte }; byte x, y; active proctype P() { byte z; if :: r!1 :: r?z fi; y = 1; do :: x = y od } ltl p { <> (y == 1) }";
    assert_eq!(ending_with(text, of_group(0, vec![excluded()]), |_, _| {}), Some(Rule::NotBlocked));
}

#[test]
fn a_run_may_end_somewhere_else_than_where_it_begins() {
    let text = "byte x; active proctype P() { x = 1; do :: x == 7 od } ltl p { [] (x == 0) }";
    let system = system(text);
    let claims = sketch(&system, Style::Tracked);
    let (before, _) = around(&system, "x = 1");
    let mut proof = proof(Fairness::None, Next::Closed);
    if let Proof::Formula { stage, .. } = &mut proof {
        stage.potential = potential(&[], &[(0, before, 1)]);
    }
    assert_eq!(refusal(&system, claims, proof), Some(Rule::EveryPlace));
}

const NEVER_STARTED: &str =
    "chan c = [1] of { byte }; byte x, y; active proctype P() { c!1; c!1; y = 1; do :: x = y od }
    proctype W() { do :: BODY od } active proctype Q() { do :: x == 7; run W() od } ltl p { <> (y == 1) }";

/// W would take what P sends; but there is none.
#[test]
fn who_is_not_there_keeps_no_run_from_ending() {
    let takes = NEVER_STARTED.replace("BODY", "c?_");
    let never_runs = |system: &System, claims: &mut Claims| {
        let runs = common::before(system, "Q", "run W").0;
        claims.groups[2].nodes.retain(|node| node.point != Point::At(runs));
    };
    let of_w = || of_group(1, vec![excluded()]);
    let blocked = of_group(0, vec![of_w(), of_w()]);
    assert_eq!(ending_with(&takes, blocked, never_runs), Some(Rule::EveryPlace));
    for component in [Component::Group(GroupId(3)), Component::Tracker(TrackerId(1))] {
        let blocked = Blocked::Split { component, parts: vec![] };
        assert_eq!(ending_with(&takes, blocked, never_runs), Some(Rule::Exists), "{component:?}");
    }
    // There is no place for it at all, and that says nothing.
    let nowhere_to_be = |system: &System, claims: &mut Claims| {
        never_runs(system, claims);
        claims.groups[1].nodes.clear();
    };
    assert_eq!(ending_with(&takes, nowhere(), nowhere_to_be), Some(Rule::EveryPlace));
}

/// P pays for where it is blocked with a process that it starts, which is blocked, too.
#[test]
fn who_is_there_when_a_run_ends_weighs_what_it_weighs() {
    let text = "byte x, y; active proctype P() { byte z; z = run W(); (x == 1); y = 1; do :: x = y od } proctype W() { do :: x == 7 od } ltl p { <> (y == 1) }";
    let system = system(text);
    let waits = common::before(&system, "P", "x == 1").0;
    let of_w = (0..system.automata[1].locations.len() as u32).map(|node| (1, node, -1));
    let weights: Vec<(u32, u32, i64)> = of_w.chain([(0, waits, 1)]).collect();
    let paid = Blocked::Excluded { potential: potential(&[], &weights) };
    let all = |_: &System, claims: &mut Claims| {
        let slots = claims.groups[0].slots.iter_mut();
        slots.for_each(|values| *values = Values::interval(0, 255));
    };
    assert_eq!(ending_with(text, of_group(0, vec![paid]), all), Some(Rule::NotBlocked));
}

/// Two fields, of which a receive asks for the first; one class of messages that are not all the same.
#[test]
fn a_receive_that_asks_for_something_says_nothing_of_a_buffer() {
    let merged = |fields: usize| {
        move |_: &System, claims: &mut Claims| {
            let class = MessageClass { fields: vec![set(&[0, 1, 2, 3]); fields] };
            claims.objects[0].classes = vec![class];
        }
    };
    for (fields, waits, sends) in
        [(2, "c?1,z", "c!2,2"), (2, "c?z,1", "c!2,2"), (1, "c?eval(x)", "c!2"), (1, "c?1", "c!2")]
    {
        let of = ["byte", "byte, byte"][fields - 1];
        let text = format!(
            "chan c = [1] of {{ {of} }}; byte x, y; active proctype P() {{ {sends}; {sends}; y = 1; do :: x = y od }}
             active proctype Q() {{ byte z; do :: {waits} od }} ltl p {{ <> (y == 1) }}"
        );
        let of_q = || of_group(1, vec![excluded()]);
        let blocked = of_group(0, vec![of_q(), of_q()]);
        assert_eq!(ending_with(&text, blocked.clone(), merged(fields)), Some(Rule::NotBlocked), "{waits}");
        let takes_all = text.replace(waits, if fields == 2 { "c?z,_" } else { "c?z" });
        assert_eq!(ending_with(&takes_all, blocked, merged(fields)), None, "{waits}");
    }
}

/// The monitor weighs what it weighs where it stands when a run ends.
#[test]
fn the_monitor_counts_where_everybody_is_blocked() {
    let system = system("byte x; active proctype P() { x = 1; do :: x == 7 od } ltl p { [] (x == 0) }");
    let (begins, _) = around(&system, "x = 1");
    let (waits, _) = around(&system, "x == 7");
    let mut claims = sketch(&system, Style::Listed);
    let is_met = |node: &certificate::claims::Node| match common::listed(node, 0) {
        Some(0) => node.point == Point::At(begins),
        Some(1) => node.point == Point::At(waits),
        _ => false,
    };
    claims.groups[0].nodes.retain(is_met);
    let place = |location: u32| {
        let at = claims.groups[0].nodes.iter().position(|node| node.point == Point::At(location));
        at.expect("P is there") as u32
    };
    let mut proof = proof(Fairness::None, Next::Closed);
    let paid = unreached(&system, &claims, -1, potential(&[], &[(0, place(waits), 1)]));
    if let Proof::Formula { stage, ends, .. } = &mut proof {
        stage.potential = potential(&[], &[(0, place(begins), 1)]);
        *ends = of_group(0, vec![Blocked::Excluded { potential: paid }]);
    }
    assert_eq!(refusal(&system, claims, proof), Some(Rule::NotBlocked));
}

/// What is excluded are nodes of the monitor, not nodes of processes with the same numbers.
#[test]
fn a_process_stands_where_the_monitor_never_is() {
    let system = system("byte x; active proctype P() { x = 1; do :: skip od } ltl p { [] (x == 0) }");
    let (begins, _) = around(&system, "x = 1");
    let (loops, _) = around(&system, "skip");
    let mut claims = sketch(&system, Style::Listed);
    let all = claims.groups[0].nodes.clone();
    let node = |location: u32, value: i32| {
        let fits = |node: &&certificate::claims::Node| {
            node.point == Point::At(location) && common::listed(node, 0) == Some(value)
        };
        all.iter().find(fits).expect("it is there").clone()
    };
    claims.groups[0].nodes = vec![node(begins, 0), node(begins, 2), node(begins, 3), node(loops, 1)];
    let (first, count, moves) = monitor(&system, &claims);
    let never: Vec<NodeId> = (0..count)
        .map(NodeId)
        .filter(|node| *node != first && !moves.iter().any(|(_, to)| to == node))
        .collect();
    assert_eq!(never, [NodeId(3)]);
    let tracker = TrackerId(claims.trackers.len() as u32);
    let weights = never.iter().map(|&node| TrackerWeight { tracker, node, weight: 1 });
    let potential = Potential { trackers: weights.collect(), ..Potential::default() };
    assert_eq!(excluding(&system, claims, vec![potential]), Some(Rule::NothingLeft));
}

/// Nodes with these values of the first two global numbers.
fn knowing(point: Point, values: &[i32]) -> certificate::claims::Node {
    let globals = (0..).zip(values).map(|(slot, &value)| SlotValues { slot, values: set(&[value]) });
    certificate::claims::Node { point, globals: globals.collect(), ..common::at(0) }
}

/// Where the `d_step` of a process begins, and after its first statement.
fn inside(system: &System, name: &str) -> (u32, Point) {
    let automaton = &system.automata[automaton(system, name) as usize];
    let is_one = |edge: &system::automaton::Edge| matches!(edge.action, system::automaton::Action::DStep(_));
    let edge = automaton.edges.iter().position(is_one).expect("there is a `d_step`");
    (automaton.edges[edge].source.0, Point::Inside { edge: edge as u32, step: 1 })
}

/// `y` is 1 only while P waits in the middle of its atomic sequence, and P is the first to move then.
#[test]
fn who_has_waited_inside_of_an_atomic_sequence_is_seen() {
    let system = system(
        "byte y, z; active proctype P() { do :: atomic { z = 1; y == 1; d_step { y = 0; z = 0 } } od }
         active proctype Q() { do :: d_step { (z == 1 && y == 0) -> y = 1 } od } ltl p { [] (y == 0) }",
    );
    let mut claims = sketch(&system, Style::Nothing);
    let at = |text: &str| Point::At(common::before(&system, "P", text).0);
    let (leaves, inside_p) = inside(&system, "P");
    let (asks, inside_q) = inside(&system, "Q");
    let nodes = [(at("z = 1"), [0, 0]), (at("y == 1"), [0, 1]), (at("y == 1"), [1, 1])];
    claims.groups[0].nodes = nodes.iter().map(|(point, values)| knowing(*point, values)).collect();
    claims.groups[0].nodes.extend([knowing(Point::At(leaves), &[1, 1]), knowing(inside_p, &[0, 1])]);
    let nodes = [[0, 0], [0, 1], [1, 1]].map(|values| knowing(Point::At(asks), &values));
    claims.groups[1].nodes = nodes.into_iter().chain([knowing(inside_q, &[0, 1])]).collect();
    // No run ends: where P waits although `y` is 1, both would have to know of it.
    let ones = (0..).zip(&claims.groups[0].nodes).filter(|(_, node)| common::listed(node, 0) == Some(1));
    let ones: Vec<(u32, u32, i64)> = ones.map(|(index, _)| (0, index, -1)).collect();
    let (_, count, _) = monitor(&system, &claims);
    let tracker = TrackerId(0);
    let seen = (0..count).step_by(2).map(|node| TrackerWeight { tracker, node: NodeId(node), weight: 1 });
    let agree = Potential { trackers: seen.collect(), ..potential(&[], &ones) };
    let ends = of_group(0, vec![Blocked::Excluded { potential: agree }]);
    assert_eq!(in_parts_with(&system, claims, (closed(), ends)), Some(Rule::NothingLeft));
}

/// What is 1 inside of a `d_step` only is never seen to be 1. (Where the `d_step` cannot be executed, as far as is known, it is seen.)
#[test]
fn nobody_is_seen_inside_of_a_d_step() {
    let system = system(
        "byte x; active proctype P() { do :: d_step { x = 1; x = 0 } :: else -> x = 1; x = 0 od } ltl p { <> (x == 1) }",
    );
    let mut claims = sketch(&system, Style::Nothing);
    let (begins, inside) = inside(&system, "P");
    let otherwise = common::after(&system, "P", "else").0;
    let seen =
        system.automata[0].edges.iter().find(|edge| edge.source.0 == otherwise).map(|edge| edge.target.0);
    let seen = Point::At(seen.expect("it goes on"));
    let nodes = [(Point::At(begins), 0), (Point::At(otherwise), 0), (inside, 1), (seen, 1)];
    claims.groups[0].nodes = nodes.iter().map(|(point, value)| knowing(*point, &[*value])).collect();
    let leaves = Stage { potential: potential(&[], &[(0, 0, 1), (0, 2, 1)]), next: Next::Closed };
    assert_eq!(in_parts_with(&system, claims, (leaves, nowhere())), Some(Rule::NothingLeft));
}

/// Where a proposition has no value it may be anything.
#[test]
fn a_proposition_without_a_value_may_be_true_or_false() {
    let lazy = |draft: &common::Draft| draft.refused(vec![proof(Fairness::None, Next::Closed)]);
    let divided = |of_p: &str| {
        let text = format!(
            "byte x = 1; active proctype P() {{ {of_p}; do :: skip od }} ltl p {{ [] (10 / x > 3) }}"
        );
        common::Draft::of(&text).claim("x", &[0, 1])
    };
    assert_eq!(lazy(&divided("x = 0")), Some(Rule::NothingLeft));
    let followed = |first: &str, of_p: &str, may_be: &[Values]| {
        let text = format!(
            "chan c = [1] of {{ byte }}; chan d = [1] of {{ byte }}; chan v = {first}; chan none;
             active proctype P() {{ do :: {of_p} od }} ltl p {{ [] (len(v) == 0) }}"
        );
        let draft = common::Draft::of(&text);
        let v = draft.slot("v") as usize;
        let values = may_be.iter().cloned().reduce(|all, one| all.union(&one)).expect("some");
        let none = draft.slot("none") as usize;
        lazy(&draft.with(|claims| {
            claims.globals[v] = values;
            claims.globals[none] = set(&[0]);
        }))
    };
    assert_eq!(followed("c", "d!1; d?1", &[channel(0)]), None);
    assert_eq!(followed("c", "c!1; c?1", &[channel(0)]), Some(Rule::NothingLeft));
    // It is `d`, and may be `c`.
    assert_eq!(followed("d", "d!1; d?1", &[channel(0), channel(1)]), Some(Rule::NothingLeft));
    // There is none any more.
    assert_eq!(followed("c", "v = none", &[channel(0), set(&[0])]), Some(Rule::NothingLeft));
}

/// `P@there` is the first process, whatever groups there are; and whoever is started is somewhere.
#[test]
fn a_place_is_that_of_one_process_that_is_always_there() {
    let text = "byte x; active [2] proctype P() { if :: _pid == 0 -> x = 1 :: else -> (x == 7) fi; there: do :: skip od } ltl p { [] (! P@there) }";
    let system = system(text);
    let mut claims = sketch(&system, Style::Nothing);
    let mut second = claims.groups[0].clone();
    (claims.groups[0].pid, claims.groups[0].at_most) = (set(&[1]), Some(1));
    (second.pid, second.at_most) = (set(&[0]), Some(1));
    claims.groups.push(second);
    claims.globals[0] = set(&[0, 1]);
    let stays = common::before(&system, "P", "x == 7").0;
    let begins = system.automata[0].initial.0;
    claims.groups[0].nodes.retain(|node| [Point::At(begins), Point::At(stays)].contains(&node.point));
    assert_eq!(refusal(&system, claims, proof(Fairness::None, Next::Closed)), Some(Rule::NothingLeft));
    let started = common::Draft::of(
        "active proctype Q() { run Worker(); do :: skip od } proctype Worker() { there: do :: skip od } ltl p { [] (! Worker@there) }",
    );
    assert_eq!(started.refused(vec![proof(Fairness::None, Next::Closed)]), Some(Rule::NothingLeft));
}

/// P asks for a copy of what is handed over in a rendezvous, or of what is in a buffer: which is not known.
#[test]
fn a_copy_from_one_of_two_channels_may_be_an_error() {
    let tried = |may_be: Values| {
        let text = "chan c = [1] of { byte }; chan r = [0] of { byte }; bit x, y; active proctype P() { byte z; chan e = c; if :: e?<z> :: skip fi; y = 1; do :: skip od }
            active proctype Q() { do :: x = 1 - x od } ltl p { <> (y == 1) }";
        let system = system(text);
        let mut claims = sketch(&system, Style::Nothing);
        claims.globals = vec![channel(0), channel(1), set(&[0, 1]), set(&[0, 1])];
        claims.groups[0].slots = vec![set(&[0, 1, 2, 3]), set(&[0]).union(&may_be)];
        let mut proof = proof(Fairness::Weak, Next::Idle { groups: vec![GroupId(0)], blocked: nowhere() });
        y_is_set_once(&system, &mut claims, &mut proof);
        let begins = Point::At(system.automata[0].initial.0);
        for node in claims.groups[0].nodes.iter_mut().filter(|node| node.point == begins) {
            node.locals = vec![SlotValues { slot: 1, values: may_be.clone() }];
        }
        refusal(&system, claims, proof)
    };
    assert_eq!(tried(channel(0)), None);
    assert_eq!(tried(channel(0).union(&channel(1))), Some(Rule::EveryPlace));
}

/// There is at most one W, and none: no place for it keeps no run from ending.
#[test]
fn who_is_perhaps_not_there_keeps_no_run_from_ending() {
    let system = system(&NEVER_STARTED.replace("BODY", "c?_"));
    let mut claims = sketch(&system, Style::Nothing);
    let runs = common::before(&system, "Q", "run W").0;
    claims.groups[2].nodes.retain(|node| node.point != Point::At(runs));
    claims.groups[1].nodes.clear();
    claims.groups[1].at_most = Some(1);
    let mut proof = proof(Fairness::None, Next::Closed);
    y_is_set_once(&system, &mut claims, &mut proof);
    if let Proof::Formula { stage, .. } = &mut proof {
        let messages: Vec<_> = (0..4).map(|class| (0, class, 1)).collect();
        stage.potential.messages = potential(&messages, &[]).messages;
    }
    // Something that is always there weighs as much as one start.
    let always: Vec<_> = (0..claims.groups[0].nodes.len() as u32).map(|node| (0, node, 1)).collect();
    let starts =
        Proof::Starts { group: GroupId(1), at_most: 1, denominator: 1, potential: potential(&[], &always) };
    let certificate = Certificate::new(&system, Capacities::Any, claims, vec![starts, proof]);
    assert_eq!(broken(check(&system, &certificate)), Some(Rule::EveryPlace));
}

/// A Worker begins where a P would stand at the label, as far as numbers of locations go; it is no P.
#[test]
fn whoever_is_started_counts_for_its_own_proctype_only() {
    let tried = |counted: &str| {
        let draft = common::Draft::of(&format!(
            "byte x; proctype P() {{ there: (x == 7) }} proctype Worker() {{ there: (x == 8) }}
             active proctype Q() {{ byte z; do :: z = run Worker() od }} ltl p {{ <> ({counted}[*]@there > 0) }}"
        ));
        let draft = draft.claim("x", &[0]).stuck("P").stuck("Worker");
        in_parts(&draft.system, draft.claims)
    };
    assert_eq!(tried("Worker"), None);
    assert_eq!(tried("P"), Some(Rule::NothingLeft));
}
