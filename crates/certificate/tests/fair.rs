//! Progress in fair runs: proofs that are false, each refused by one condition of R41 to R44, beside proofs that are true.
//!
//! In most of them P waits, and whatever P does is progress; Q goes on for ever. That P never moves again must be shown to be unfair.

mod common;

use certificate::check::Rule;
use certificate::claims::{GroupId, Node, NodeId, Point, SlotValues, Tracker, TrackerId};
use certificate::potential::{
    Blocked, Component, Next, Potential, Progress, ProgressStatement, Proof, Stage, TrackerWeight,
};
use certificate::verdict::Fairness;
use common::{Draft, automaton, before, potential, set};
use std::collections::HashMap;

/// A model, of which nothing is claimed but where processes never come: where no statement leads.
fn draft(text: &str) -> Draft {
    let mut draft = Draft::of(text);
    for group in &mut draft.claims.groups {
        let automaton = &draft.system.automata[group.automaton as usize];
        let leads = |location: u32| automaton.edges.iter().any(|edge| edge.target.0 == location);
        let comes = |location: u32| location == automaton.initial.0 || leads(location);
        group.nodes.retain(|node| !matches!(node.point, Point::At(location) if !comes(location)));
    }
    draft
}

/// "Every run that is so fair executes statements of these processes again and again."
fn progress_of(draft: &Draft, names: &[&str], fairness: Fairness, potential: Potential, next: Next) -> Proof {
    let mut statements = Vec::new();
    for (index, automaton) in (0..).zip(&draft.system.automata) {
        if names.contains(&automaton.name.as_str()) {
            let edges = 0..automaton.edges.len() as u32;
            statements.extend(edges.map(|edge| ProgressStatement { automaton: index, edge, inside: None }));
        }
    }
    let stage = Stage { potential, next };
    Proof::FairProgress { progress: Progress::At(statements), fairness, stage }
}

/// P is idle, for this reason never blocked.
fn idle(draft: &Draft, blocked: Blocked) -> Option<Rule> {
    let next = Next::Idle { groups: vec![draft.id("P")], blocked };
    draft.refused(vec![progress_of(draft, &["P"], Fairness::Weak, Potential::default(), next)])
}

fn split(draft: &Draft, name: &str, parts: Vec<Blocked>) -> Blocked {
    Blocked::Split { component: Component::Group(draft.id(name)), parts }
}

/// "It would weigh more than there is."
fn excluded(potential: Potential) -> Blocked {
    Blocked::Excluded { potential }
}

fn nothing() -> Blocked {
    excluded(Potential::default())
}

/// The statement at which a process stands.
fn stands_before(draft: &Draft, name: &str, node: &Node, text: &str) -> bool {
    node.point == Point::At(before(&draft.system, name, text).0)
}

/// P is blocked in one place only, where this is said.
fn idle_there(draft: &Draft, potential: Potential) -> Option<Rule> {
    idle(draft, split(draft, "P", vec![excluded(potential)]))
}

#[test]
fn who_can_move_is_not_idle_for_ever() {
    let draft = draft("byte x; active proctype P() { do :: x = 1 od } active proctype Q() { do :: skip od }");
    assert_eq!(idle(&draft, split(&draft, "P", vec![])), None);
}

/// Q fills the buffer, empties it and fills it again: whenever it is full P cannot send. What Q waits for says nothing, for Q does not wait.
#[test]
fn who_is_not_idle_is_not_blocked() {
    let draft = draft(
        "chan c = [1] of { byte }; active proctype P() { c!1; do :: skip od } active proctype Q() { do :: c!2; c?_ od }",
    );
    let weigh = |name: &str, node: &Node| match name {
        "P" => i64::from(stands_before(&draft, "P", node, "c!1")),
        _ => i64::from(stands_before(&draft, "Q", node, "c!2")),
    };
    let potential = draft.weigh(&[(0, 0, 1)], weigh);
    let receiving = |node: &Node| stands_before(&draft, "Q", node, "c?_");
    let nodes = &draft.claims.groups[draft.id("Q").index()].nodes;
    let parts =
        nodes.iter().map(|node| if receiving(node) { nothing() } else { excluded(potential.clone()) });
    let of_q = split(&draft, "Q", parts.collect());
    assert_eq!(idle(&draft, split(&draft, "P", vec![of_q])), Some(Rule::NotBlocked));
}

#[test]
fn nobody_is_seen_while_an_atomic_sequence_goes_on_for_ever() {
    let tried = |of_q: &str| {
        let draft = draft(&format!(
            "byte x; active proctype P() {{ do :: x = 1 od }} active proctype Q() {{ {of_q} }}"
        ));
        idle(&draft, split(&draft, "P", vec![]))
    };
    assert_eq!(tried("do :: atomic { skip; skip } od"), None);
    assert_eq!(tried("atomic { do :: skip; skip od }"), Some(Rule::TakesNoPart));
}

/// Each of two is blocked again and again, never both: the one waits for `x` to be 1, the other for 0, and both know what it is.
#[test]
fn several_who_are_moved_along_are_blocked_at_moments_of_their_own() {
    let draft = draft(
        "byte x; active proctype P() { do :: x == 1 od } active proctype R() { do :: x == 0 od }
         active proctype Q() { do :: x = 1; x = 0 od }",
    );
    let draft = draft.claim("x", &[0, 1]).listing("P", "x", &[0, 1]).listing("R", "x", &[0, 1]);
    let slot = draft.slot("x");
    let weigh = |name: &str, node: &Node| match name {
        "P" => i64::from(common::listed(node, slot) == Some(0)),
        "R" => i64::from(common::listed(node, slot) == Some(1)),
        _ => 0,
    };
    let of_r = split(&draft, "R", vec![excluded(draft.weigh(&[], weigh))]);
    let blocked = split(&draft, "P", vec![of_r]);
    let next = Next::Idle { groups: vec![draft.id("P"), draft.id("R")], blocked };
    let proof = progress_of(&draft, &["P", "R"], Fairness::Weak, Potential::default(), next);
    assert_eq!(draft.refused(vec![proof]), Some(Rule::TakesNoPart));
}

/// One who is moved along stands somewhere at each moment.
#[test]
fn one_who_is_moved_along_may_be_idle() {
    let draft = draft(
        "byte x; active proctype P() { do :: x < 2 -> skip od } active proctype Q() { do :: x = 1; x = 0 od }",
    );
    let draft = draft.claim("x", &[0, 1]).listing("P", "x", &[0, 1]);
    assert_eq!(idle(&draft, split(&draft, "P", vec![])), None);
}

/// Q's statement is also P's.
#[test]
fn who_receives_in_a_rendezvous_takes_part() {
    let draft = draft(
        "chan r = [0] of { byte }; byte x; active proctype P() { do :: r?1 :: skip; x = 1 od }
         active proctype Q() { do :: r!1 od }",
    );
    let edge = draft.system.automata[0].edges.iter().position(|edge| edge.text.contains("x = 1"));
    let edge = edge.expect("P has it") as u32;
    let skip = draft.system.automata[0].edges.iter().position(|edge| edge.text.contains("skip"));
    let skip = skip.expect("P has it") as u32;
    let mut at: Vec<_> =
        [edge, skip].map(|edge| ProgressStatement { automaton: 0, edge, inside: None }).to_vec();
    at.sort();
    let next = Next::Idle { groups: vec![GroupId(0)], blocked: split(&draft, "P", vec![]) };
    let stage = Stage { potential: Potential::default(), next };
    let proof = Proof::FairProgress { progress: Progress::At(at), fairness: Fairness::Weak, stage };
    assert_eq!(draft.refused(vec![proof]), Some(Rule::TakesNoPart));
}

const NEVER_STARTED: &str = "byte x; proctype W() { do :: x = 1 od }
    active proctype Q() { do :: skip :: x == 7 -> run W() od }
    active proctype P() { do :: (x == 7) od }";

#[test]
fn who_is_not_there_is_not_idle() {
    let draft = draft(NEVER_STARTED).claim("x", &[0, 1]).never("Q", "run W");
    let next = Next::Idle { groups: vec![draft.id("W")], blocked: split(&draft, "W", vec![]) };
    let proof = progress_of(&draft, &["P", "W"], Fairness::Weak, Potential::default(), next);
    assert_eq!(draft.refused(vec![proof]), Some(Rule::TakesNoPart));
}

/// There is at most one W, and there is none: what it would weigh does not count, unless it would weigh less than nothing.
#[test]
fn who_is_perhaps_not_there_weighs_nothing() {
    let mut draft = draft(NEVER_STARTED).claim("x", &[0, 1]).never("Q", "run W");
    draft.group("W").at_most = Some(1);
    let next = |weight: i64| {
        let potential = draft.weigh(&[], |name, _| if name == "W" { weight } else { 0 });
        Next::Idle { groups: vec![draft.id("P")], blocked: split(&draft, "P", vec![excluded(potential)]) }
    };
    let once = draft.weigh(&[], |name, _| i64::from(name == "P"));
    let starts = Proof::Starts { group: draft.id("W"), at_most: 1, denominator: 1, potential: once };
    for weight in [1, -1] {
        let proof = progress_of(&draft, &["P"], Fairness::Weak, Potential::default(), next(weight));
        assert_eq!(draft.refused(vec![starts.clone(), proof]), Some(Rule::NotBlocked), "{weight}");
    }
}

/// P pays for its place with processes that it starts, any number of them as far as is known.
#[test]
fn any_number_of_processes_may_weigh_any_amount_less() {
    let draft = draft(
        "byte x; proctype W() { do :: x == 7 od } active proctype P() { byte z; z = run W(); do :: x == 1 od }
         active proctype Q() { do :: skip od }",
    );
    let draft = draft.claim("x", &[0]);
    let paid = draft.weigh(&[], |name, node| match name {
        "P" => i64::from(stands_before(&draft, "P", node, "x == 1")),
        "W" => -1,
        _ => 0,
    });
    assert_eq!(idle_there(&draft, paid.clone()), Some(Rule::NotBlocked));
    // The same if there is at most one.
    let draft = draft.with(|claims| claims.groups[0].at_most = Some(1));
    let once =
        draft.weigh(&[], |name, node| i64::from(name == "P" && stands_before(&draft, "P", node, "run W")));
    let starts = Proof::Starts { group: draft.id("W"), at_most: 1, denominator: 1, potential: once };
    let blocked = split(&draft, "P", vec![excluded(paid)]);
    let next = Next::Idle { groups: vec![draft.id("P")], blocked };
    let proof = progress_of(&draft, &["P"], Fairness::Weak, Potential::default(), next);
    assert_eq!(draft.refused(vec![starts, proof]), Some(Rule::NotBlocked));
}

#[test]
fn what_excludes_does_not_grow() {
    let draft =
        draft("byte x; active proctype P() { skip; do :: x == 1 od } active proctype Q() { do :: skip od }");
    let draft = draft.claim("x", &[0]);
    let weigh = |name: &str, node: &Node| match name {
        "P" => i64::from(stands_before(&draft, "P", node, "x == 1")),
        _ => 0,
    };
    assert_eq!(idle_there(&draft, draft.weigh(&[], weigh)), Some(Rule::NotBlocked));
}

/// Q never leaves the loop.
#[test]
fn where_somebody_stands_is_not_where_it_weighs_most() {
    let draft = draft(
        "byte x; active proctype P() { do :: x == 1 od } active proctype Q() { do :: skip :: x == 7 -> break od; do :: x == 8 od }",
    );
    let draft = draft.claim("x", &[0]);
    let loops = |node: &Node| stands_before(&draft, "Q", node, "skip");
    let heavy = draft.weigh(&[], |name, node| if name == "Q" && !loops(node) { 5 } else { 0 });
    assert_eq!(idle_there(&draft, heavy), Some(Rule::NotBlocked));
    // Q can always move, and stands somewhere all the same.
    let light = draft.weigh(&[], |name, _| if name == "Q" { -1 } else { 0 });
    assert_eq!(idle_there(&draft, light), Some(Rule::NotBlocked));
}

#[test]
fn a_tracker_is_not_where_it_weighs_most() {
    let draft =
        draft("byte x; active proctype P() { do :: x == 1 od } active proctype Q() { do :: skip od }");
    let draft = draft.claim("x", &[0, 2]).with(|claims| {
        claims.trackers = vec![Tracker { slots: vec![0], nodes: vec![vec![set(&[0])], vec![set(&[2])]] }];
    });
    for weights in [[0, 5], [-1, -1], [1, 1]] {
        let nodes = (0..).map(NodeId).zip(weights).filter(|(_, weight)| *weight != 0);
        let trackers =
            nodes.map(|(node, weight)| TrackerWeight { tracker: TrackerId(0), node, weight }).collect();
        let potential = Potential { trackers, ..Potential::default() };
        assert_eq!(idle_there(&draft, potential), Some(Rule::NotBlocked), "{weights:?}");
    }
}

/// P pays for its place with a message that it sends, and nobody knows that the buffer is empty, for it is not.
#[test]
fn a_message_that_may_be_there_does_not_weigh_less_than_nothing() {
    let text = "chan c = [9] of { byte }; chan d = [9] of { byte }; byte x;
        active proctype P() { if :: c!1 :: skip; c!1 fi; do :: WAITS od } active proctype Q() { do :: skip od }";
    // That one buffer is known to be empty says nothing of another.
    for (guard, of_d) in [("x == 1", 0), ("x == 1", 1), ("d?_", 0), ("d?_", 1)] {
        let draft = draft(&text.replace("WAITS", guard));
        let draft = if guard == "d?_" { draft } else { draft.claim("x", &[0]) };
        let stuck = |node: &Node| stands_before(&draft, "P", node, guard);
        let weigh = |name: &str, node: &Node| i64::from(name == "P" && stuck(node));
        let potential = draft.weigh(&[(0, 0, -1), (1, 0, of_d)], weigh);
        // Where `skip` is an option P is not blocked; where it waits to send after that it is not, either.
        let waits = draft.weigh(&[(0, 0, 1)], |name, node| i64::from(name == "P" && !stuck(node)));
        let nodes = &draft.claims.groups[draft.id("P").index()].nodes;
        let initial = draft.system.automata[0].initial.0;
        let places = nodes.iter().filter(|node| node.point != Point::At(initial));
        let parts = places.map(|node| excluded(if stuck(node) { potential.clone() } else { waits.clone() }));
        let refused = idle(&draft, split(&draft, "P", parts.collect()));
        assert_eq!(refused, Some(Rule::NotBlocked), "{guard} {of_d}");
    }
}

/// The message with which the buffer is full need not be the heaviest.
#[test]
fn what_fills_a_buffer_may_be_what_weighs_least() {
    let draft = draft(
        "chan c = [1] of { byte }; active proctype P() { do :: c!1 od } active proctype Q() { do :: skip od }",
    );
    let draft = draft.classes(0, &[&[1], &[2]]);
    assert_eq!(idle_there(&draft, potential(&[(0, 1, 5)], &[])), Some(Rule::NotBlocked));
    // Whatever fills it is heavy, and there is none of it, as long as P stands still.
    let quiet = draft.with(|claims| claims.objects[0].classes.truncate(1));
    assert_eq!(idle_there(&quiet, potential(&[(0, 0, 1)], &[])), Some(Rule::NotBlocked));
}

/// P cannot be asked whether it can move: so it is not because the buffer is full that it does not.
#[test]
fn who_cannot_be_asked_knows_nothing_of_buffers() {
    let draft = draft(
        "chan c = [1] of { byte }; byte d; active proctype P() { if :: c!1 :: (10 / d > 2) fi; do :: skip od }
         active proctype Q() { do :: skip od }",
    );
    // As far as is known, the other statement may be false.
    let draft = draft.claim("d", &[0, 5]).classes(0, &[&[1]]);
    let weigh = |name: &str, node: &Node| i64::from(name == "P" && stands_before(&draft, "P", node, "c!1"));
    assert_eq!(idle_there(&draft, draft.weigh(&[(0, 0, 1)], weigh)), Some(Rule::NotBlocked));
}

/// Q fills one buffer after the other: each of two is blocked before a full one again and again, never both at once.
#[test]
fn what_several_know_of_buffers_that_are_used_is_not_true_at_once() {
    let draft = draft(
        "chan c = [1] of { byte }; chan d = [1] of { byte };
         active proctype P() { c!1; do :: skip od } active proctype R() { d!1; do :: skip od }
         active proctype Q() { do :: c!2; c?_; d!2; d?_ od }",
    );
    // One message at a time, beside those that P and R have not sent yet.
    let weigh = |name: &str, node: &Node| {
        let sends: &[&str] = match name {
            "P" => &["c!1"],
            "R" => &["d!1"],
            _ => &["c!2", "d!2"],
        };
        i64::from(sends.iter().any(|text| stands_before(&draft, name, node, text)))
    };
    let full = draft.weigh(&[(0, 0, 1), (1, 0, 1)], weigh);
    let blocked = split(&draft, "P", vec![split(&draft, "R", vec![excluded(full)])]);
    let next = Next::Idle { groups: vec![draft.id("P"), draft.id("R")], blocked };
    let proof = progress_of(&draft, &["P", "R"], Fairness::Weak, Potential::default(), next);
    assert_eq!(draft.refused(vec![proof]), Some(Rule::NotBlocked));
}

/// One waits for the buffer to be filled, the other for it to be emptied, and Q does both for ever.
#[test]
fn a_buffer_that_is_used_is_empty_and_full_at_different_moments() {
    let of_q = |body: &str| {
        let draft = draft(&format!(
            "chan c = [1] of {{ byte }}; byte x; active proctype P() {{ do :: c?_ od }}
             active proctype R() {{ do :: c!1 od }} active proctype Q() {{ do :: {body} od }}"
        ));
        let blocked = split(&draft, "P", vec![split(&draft, "R", vec![nothing()])]);
        let next = Next::Idle { groups: vec![draft.id("P"), draft.id("R")], blocked };
        draft.refused(vec![progress_of(&draft, &["P", "R"], Fairness::Weak, Potential::default(), next)])
    };
    assert_eq!(of_q("c!2; c?_"), Some(Rule::NotBlocked));
    assert_eq!(of_q("x = 1 - x"), None);
}

/// P and R wait for messages of two buffers, and Q keeps one in the one or in the other: each is empty again and again, never both.
#[test]
fn two_buffers_that_are_used_are_empty_at_different_moments() {
    let of_q = |body: &str| {
        let draft = draft(&format!(
            "chan c = [9] of {{ byte }}; chan d = [9] of {{ byte }}; byte x;
             active proctype P() {{ if :: c!1; c?_; do :: skip od :: else -> do :: skip od fi }}
             active proctype R() {{ d?_; do :: skip od }} active proctype Q() {{ do :: {body} od }}"
        ));
        // Who waits has put one message there, or will take one.
        let takes = |name: &str, node: &Node, text: &str| {
            let mut edges = draft.system.automata[automaton(&draft.system, name) as usize].edges.iter();
            edges.any(|edge| edge.text.contains(text) && node.point == Point::At(edge.source.0))
        };
        let weigh = |name: &str, node: &Node| i64::from(takes(name, node, "c?_") || takes(name, node, "d?_"));
        let potential = draft.weigh(&[(0, 0, -1), (1, 0, -1)], weigh);
        let blocked = split(&draft, "P", vec![split(&draft, "R", vec![excluded(potential)])]);
        let next = Next::Idle { groups: vec![draft.id("P"), draft.id("R")], blocked };
        draft.refused(vec![progress_of(&draft, &["P", "R"], Fairness::Weak, Potential::default(), next)])
    };
    assert_eq!(of_q("d!1; c?_; c!1; d?_"), Some(Rule::NotBlocked));
    assert_eq!(of_q("x = 1 - x"), None);
}

#[test]
fn the_wrong_number_of_idle_groups_or_parts_is_refused() {
    let draft = draft("byte x; active proctype P() { do :: x = 1 od } active proctype Q() { do :: skip od }");
    let tried = |groups: &[u32], component: Component| {
        let groups = groups.iter().copied().map(GroupId).collect();
        let next = Next::Idle { groups, blocked: Blocked::Split { component, parts: vec![] } };
        draft.refused(vec![progress_of(&draft, &["P"], Fairness::Weak, Potential::default(), next)])
    };
    assert_eq!(tried(&[0, 9], Component::Group(GroupId(0))), Some(Rule::Exists));
    // P has a place here, so that what is split is looked at.
    let waits =
        self::draft("byte x; active proctype P() { do :: x == 1 od } active proctype Q() { do :: skip od }");
    for component in
        [Component::Group(GroupId(2)), Component::Group(GroupId(9)), Component::Tracker(TrackerId(0))]
    {
        let blocked = Blocked::Split { component, parts: vec![] };
        assert_eq!(idle(&waits, blocked), Some(Rule::Exists), "{component:?}");
    }
    assert_eq!(idle(&waits, split(&waits, "P", vec![])), Some(Rule::EveryPlace));
}

// R44: strong fairness.

/// How many steps it is from each place of a process to the statement, which comes round again and again.
fn steps_before(draft: &Draft, name: &str, text: &str) -> HashMap<Point, i64> {
    let automaton = &draft.system.automata[automaton(&draft.system, name) as usize];
    let source = before(&draft.system, name, text).0;
    let mut steps = HashMap::from([(source, 0i64)]);
    for _ in &automaton.edges {
        for edge in automaton.edges.iter().filter(|edge| !edge.text.contains(text)) {
            if edge.source.0 != source
                && let Some(&next) = steps.get(&edge.target.0)
            {
                steps.insert(edge.source.0, next + 1);
            }
        }
    }
    steps.into_iter().map(|(location, steps)| (Point::At(location), steps)).collect()
}

/// What is left without this statement of Q comes to an end, says the potential.
fn ends_without(draft: &Draft, text: &str) -> Stage {
    let steps = steps_before(draft, "Q", text);
    let weigh = |name: &str, node: &Node| match name {
        // In the middle of a `d_step` more is left than at its end.
        "Q" => steps.get(&node.point).copied().unwrap_or(1),
        _ => 0,
    };
    Stage { potential: draft.weigh(&[], weigh), next: Next::Closed }
}

fn closed() -> Stage {
    Stage { potential: Potential::default(), next: Next::Closed }
}

fn starved_by(draft: &Draft, fairness: Fairness, progress: &[&str], parts: Vec<Stage>) -> Option<Rule> {
    let next = Next::Starved { group: draft.id("P"), parts };
    draft.refused(vec![progress_of(draft, progress, fairness, Potential::default(), next)])
}

fn starved(draft: &Draft, parts: Vec<Stage>) -> Option<Rule> {
    starved_by(draft, Fairness::Strong, &["P"], parts)
}

/// P waits before this, Q does that again and again.
fn two(of_p: &str, of_q: &str) -> Draft {
    let text = "chan c = [1] of { byte }; chan e = [1] of { byte }; byte x, d;
        active proctype P() CLAUSE { do :: WAITS od } active proctype Q() { do :: DOES od }";
    let (clause, of_p) = of_p.split_once('|').unwrap_or(("", of_p));
    let text = text.replace("CLAUSE", clause).replace("WAITS", of_p).replace("DOES", of_q);
    let draft = draft(&text).claim("x", &[0, 1]).claim("d", &[0]);
    let tracked = draft.slot("x");
    // What nobody looks at is no part of the state.
    let is_read = !draft.system.global_slots[tracked as usize].hidden;
    draft.with(|claims| {
        let nodes = vec![vec![set(&[0])], vec![set(&[1])]];
        claims.trackers.extend(is_read.then_some(Tracker { slots: vec![tracked], nodes }));
    })
}

/// P waits in one place; without this statement of Q what is left ends.
fn starves(of_p: &str, of_q: &str, without: &str) -> Option<Rule> {
    let draft = two(of_p, of_q);
    starved(&draft, vec![ends_without(&draft, without)])
}

#[test]
fn who_can_move_again_and_again_moves() {
    assert_eq!(starves("x == 1", "x = 1; x = 0", "x = 1"), None);
    assert_eq!(starves("c?_", "c!1; c?_", "c!1"), None);
    assert_eq!(starves("c!1", "c!1; c?_", "c?_"), None);
    assert_eq!(starves("x == 1", "atomic { skip; x = 1 }; x = 0", "x = 1"), None);
    // Whatever Q does, P can move.
    let draft = two("skip", "x = 1; x = 0");
    assert_eq!(starved(&draft, vec![]), None);
}

#[test]
fn who_cannot_move_at_any_moment_does_not() {
    for (of_p, of_q, without) in [
        ("x == 1", "skip", "skip"),
        ("x == 1", "x = 0", "x = 0"),
        ("c?_", "skip", "skip"),
        ("c?_", "e!1; e?_", "e!1"),
        ("c?_", "e!1; e?_", "e?_"),
        ("c!1", "e!1; e?_", "e!1"),
        ("c!1", "e!1; e?_", "e?_"),
        ("timeout", "skip", "skip"),
        // No moment is seen in between.
        ("x == 1", "atomic { x = 1; x = 0 }", "x = 1"),
        ("x == 1", "atomic { x = 1; skip; x = 0 }", "x = 1"),
        ("x == 1", "d_step { x = 1; x = 0 }", ""),
        ("c?_", "d_step { c!1; c?_ }", ""),
        ("c!1", "d_step { c?_; c!2 }", ""),
        // Others keep it from moving.
        ("provided (d == 1)|x == 1", "x = 1; x = 0", "x = 1"),
        ("priority 1|x == 1", "x = 1; x = 0", "x = 1"),
        // It cannot be asked whether it can move.
        ("x == 1 :: (10 / d > 2)", "x = 1; x = 0", "x = 1"),
        ("(x == 1 && 10 / d > 2)", "x = 1; x = 0", "x = 1"),
    ] {
        let refused = starves(of_p, of_q, without);
        // Either it is still allowed, or the potential that should end what is left grows with it.
        let is_left = matches!(refused, Some(Rule::NothingLeft | Rule::StageKept));
        assert!(is_left, "{of_p} beside {of_q}: {refused:?}");
    }
}

#[test]
fn only_strong_fairness_serves_who_can_move_now_and_then() {
    let draft = two("x == 1", "x = 1; x = 0");
    let tried = |fairness| starved_by(&draft, fairness, &["P"], vec![ends_without(&draft, "x = 1")]);
    assert_eq!(tried(Fairness::Strong), None);
    assert_eq!(tried(Fairness::Weak), Some(Rule::AbleAgain));
    assert_eq!(tried(Fairness::None), Some(Rule::AbleAgain));
}

#[test]
fn every_place_in_which_somebody_may_starve_is_treated() {
    let draft = two("x == 1", "x = 1; x = 0");
    assert_eq!(starved(&draft, vec![]), Some(Rule::AbleAgain));
    let part = ends_without(&draft, "x = 1");
    assert_eq!(starved(&draft, vec![part.clone(), part.clone()]), Some(Rule::AbleAgain));
    let waits = two("timeout", "skip");
    assert_eq!(starved(&waits, vec![]), Some(Rule::AbleAgain));
    for group in [2, 9] {
        let next = Next::Starved { group: GroupId(group), parts: vec![] };
        let proof = progress_of(&draft, &["P"], Fairness::Strong, Potential::default(), next);
        assert_eq!(draft.refused(vec![proof]), Some(Rule::Exists));
    }
}

#[test]
fn nobody_starves_while_an_atomic_sequence_goes_on_for_ever() {
    let draft = draft(
        "byte x; active proctype P() { do :: x == 1 od } active proctype Q() { atomic { do :: x = 1; x = 0 od } }",
    );
    let draft = draft.claim("x", &[0, 1]);
    assert_eq!(starved(&draft, vec![closed()]), Some(Rule::AbleAgain));
}

/// P moves, and what it does is no progress.
#[test]
fn who_acts_does_not_starve() {
    let draft = draft(
        "byte x; active proctype P() { do :: x == 0 od } active proctype Q() { do :: skip; (x == 1) od }",
    );
    let draft = draft.claim("x", &[0]).listing("P", "x", &[0]);
    assert_eq!(starved_by(&draft, Fairness::Strong, &["Q"], vec![closed()]), Some(Rule::AbleAgain));
}

/// Where P stands changes with `x`: for each of its nodes something lets it move, but not while it is there.
#[test]
fn who_is_moved_along_is_treated_once() {
    let draft = draft(
        "byte x, z, w; active proctype P() { do :: (x == 0 && z == 1) || (x == 1 && w == 1) od }
         active proctype Q() { do :: x = 1; z = 1; z = 0; x = 0; w = 1; w = 0 od }",
    );
    let mut draft = draft.listing("P", "x", &[0, 1]);
    for name in ["x", "z", "w"] {
        draft = draft.claim(name, &[0, 1]);
        let slot = draft.slot(name);
        let nodes = vec![vec![set(&[0])], vec![set(&[1])]];
        draft.claims.trackers.push(Tracker { slots: vec![slot], nodes });
    }
    draft.claims.trackers.sort_by_key(|tracker| tracker.slots.clone());
    let parts = vec![ends_without(&draft, "z = 1"), ends_without(&draft, "w = 1")];
    assert_eq!(starved(&draft, parts), Some(Rule::AbleAgain));
}

/// It is not enough that P could move from some node in which it does not stand.
#[test]
fn what_lets_move_from_another_node_does_not_count() {
    let draft =
        draft("byte x; active proctype P() { do :: x == 1 od } active proctype Q() { x = 0; do :: skip od }");
    let draft = draft.claim("x", &[0, 1]).listing("P", "x", &[0, 1]);
    let first = Stage {
        potential: draft
            .weigh(&[], |name, node| i64::from(name == "Q" && stands_before(&draft, "Q", node, "x = 0"))),
        next: Next::Closed,
    };
    assert_eq!(starved(&draft, vec![first]), Some(Rule::NothingLeft));
}

/// Any message may be there beside those that the classes of the certificate tell apart.
#[test]
fn a_message_of_another_class_than_is_waited_for_lets_nobody_move() {
    let draft = two("c?2", "c!1; c?1");
    let draft = draft.classes(0, &[&[1], &[2]]);
    let refused = starved(&draft, vec![ends_without(&draft, "c!1")]);
    assert!(matches!(refused, Some(Rule::NothingLeft | Rule::StageKept)), "{refused:?}");
}

/// It counts where P is moved to: not that it is moved, nor from where.
#[test]
fn who_is_moved_along_moves_on_only_from_where_it_is_moved_to() {
    let starves = |of_p: &str, of_q: &str, without: &str| {
        let draft = two(of_p, of_q).listing("P", "x", &[0, 1]);
        starved(&draft, vec![ends_without(&draft, without)])
    };
    assert_eq!(starves("x == 1", "x = 1; x = 0", "x = 1"), None);
    for (of_p, of_q, without) in [
        ("(x == 1 && d == 1)", "x = 1; x = 0", "x = 1"),
        ("(x == 1 && d == 1)", "x = 1; x = 0", "x = 0"),
        // P is where it could move only while nobody sees it.
        ("x == 1", "atomic { x = 1; x = 0 }", "x = 0"),
    ] {
        let refused = starves(of_p, of_q, without);
        assert!(matches!(refused, Some(Rule::NothingLeft | Rule::StageKept)), "{of_q}: {refused:?}");
    }
}

/// P could move from where it was, which nobody saw, and Q knows that `x` was 1: only from where it is now does it count.
#[test]
fn who_could_move_only_before_anybody_looks_is_not_let_move() {
    let draft =
        two("x == 1", "atomic { x = 1; x = 0 }").listing("P", "x", &[0, 1]).listing("Q", "x", &[0, 1]);
    let slot = draft.slot("x");
    let weigh = |name: &str, node: &Node| match (name, stands_before(&draft, "Q", node, "x = 0")) {
        ("Q", true) if common::listed(node, slot) == Some(0) => 2,
        ("Q", false) => 1,
        _ => 0,
    };
    let without = Stage { potential: draft.weigh(&[], weigh), next: Next::Closed };
    assert_eq!(starved(&draft, vec![without]), Some(Rule::StageKept));
}

/// P waits for `d`, as far as is known for `c` or `d`; only `c` is used.
#[test]
fn who_waits_for_one_of_two_channels_says_nothing_of_either() {
    let starves = |first: &str, waits: &str, may_be: &[u32], without: &str| {
        let text = "chan c = [1] of { byte }; chan d = [1] of { byte };
            active proctype P() { chan e = FIRST; do :: WAITS od } active proctype Q() { do :: c!1; c?_ od }";
        let mut draft = draft(&text.replace("FIRST", first).replace("WAITS", waits));
        let channels = may_be.iter().map(|&object| common::channel(object));
        draft.group("P").slots[0] = channels.reduce(|all, one| all.union(&one)).expect("some");
        starved(&draft, vec![ends_without(&draft, without)])
    };
    for (waits, without) in [("e?_", "c!1"), ("e!1", "c?_")] {
        assert_eq!(starves("c", waits, &[0], without), None, "{waits}");
        let refused = starves("d", waits, &[0, 1], without);
        assert!(matches!(refused, Some(Rule::NothingLeft | Rule::StageKept)), "{waits}: {refused:?}");
    }
}

/// Each W has a channel of its own, and all of these are one object: what Q does with the one does not let P move that waits for another.
#[test]
fn an_object_of_several_channels_is_not_one_buffer() {
    let starves = |owners: u32, waits: &str, without: &str| {
        let text = "chan q = [2] of { chan }; active [OWNERS] proctype W() { chan own = [1] of { byte }; q!own; do :: false od }
            active proctype P() { chan e; if :: q?e; do :: WAITS od :: else -> do :: skip od fi }
            active proctype Q() { chan f; q?f; do :: f!1; f?_ od }";
        let text = text.replace("OWNERS", &owners.to_string()).replace("WAITS", waits);
        let mut draft = draft(&text);
        let (own, none) = (common::channel(1), set(&[0]));
        draft.claims.objects[0].classes[0].fields = vec![own.clone()];
        for name in ["P", "Q"] {
            draft.group(name).slots[0] = own.union(&none);
        }
        let at = before(&draft.system, "P", waits).0;
        for node in draft.group("P").nodes.iter_mut().filter(|node| node.point == Point::At(at)) {
            node.locals = vec![SlotValues { slot: 0, values: own.clone() }];
        }
        let steps = steps_before(&draft, "Q", without);
        let weigh = |name: &str, node: &Node| match name {
            "Q" => steps.get(&node.point).copied().unwrap_or(0),
            "W" => i64::from(stands_before(&draft, "W", node, "q!own")),
            _ => 0,
        };
        let stage = Stage { potential: draft.weigh(&[], weigh), next: Next::Closed };
        starved(&draft, vec![stage])
    };
    for (waits, without) in [("e?_", "f!1"), ("e!1", "f?_")] {
        assert_eq!(starves(1, waits, without), None, "{waits}");
        let refused = starves(2, waits, without);
        assert!(matches!(refused, Some(Rule::NothingLeft | Rule::StageKept)), "{waits}: {refused:?}");
    }
}

#[test]
fn what_is_split_exists() {
    let draft = draft("byte x; active proctype P() { do :: x == 1 od }").claim("x", &[0]);
    for component in [Component::Tracker(TrackerId(0)), Component::Group(GroupId(1))] {
        let next = Next::Split { component, parts: vec![closed()] };
        let proof = progress_of(&draft, &["P"], Fairness::None, Potential::default(), next);
        assert_eq!(draft.refused(vec![proof]), Some(Rule::Exists), "{component:?}");
    }
}
