//! Processes that are started: their numbers, their first values, their groups, how many there are. Each test has a certificate that is false.

mod common;

use certificate::check::Rule;
use certificate::claims::{Claims, GroupId};
use certificate::potential::{Next, Progress, Proof, Stage};
use common::{Draft, any_pid, before, bound, is_at, potential, set};

/// `c` is the buffer that is said to stay empty; `y` is 0.
fn model(text: &str) -> Draft {
    Draft::of(&format!("chan c = [4] of {{ byte }}; byte y; {text}")).claim("y", &[0])
}

fn says_that_it_never_sends(draft: Draft, proctype: &str) -> Option<Rule> {
    let draft = draft.never(proctype, "c!1");
    draft.refused(draft.empty(0))
}

/// What `run` starts may have any number but 0.
#[test]
fn a_process_may_have_another_number_than_the_first() {
    let text = "proctype Q() { (_pid == 2); c!1; (y == 9) } init { run Q(); run Q(); (y == 9) }";
    let claimed = |pid| {
        let mut draft = model(text);
        draft.group("Q").pid = pid;
        says_that_it_never_sends(draft, "Q")
    };
    assert_eq!(claimed(set(&[1])), Some(Rule::Started));
    assert_eq!(claimed(any_pid()), Some(Rule::Arrives));
}

/// The first values of a new process, wherever they come from, are among those that are claimed.
#[test]
fn a_new_process_begins_with_its_first_values() {
    let begins = |declaration: &str, value: i32, slot: usize| {
        let text = format!(
            "byte g = 3; typedef T {{ byte m; byte n = 4; byte k[2] = 5 }}
             proctype Q() {{ {declaration}; (y == 9) }} init {{ g = 3; run Q(); (y == 9) }}"
        );
        let mut draft = model(&text).claim("g", &[3]);
        draft.group("Q").slots[slot] = set(&[value]);
        draft.refused(draft.empty(0))
    };
    for (declaration, values) in [
        ("byte x", &[0][..]),
        ("byte x = 3", &[3]),
        ("byte x = g + 1", &[4]),
        ("byte x[3] = 2", &[2, 2, 2]),
        ("byte x[3] = { 1, 2 }", &[1, 2, 2]),
        ("T t[2]", &[0, 4, 5, 5, 0, 4, 5, 5]),
    ] {
        // Whatever is assigned later is claimed as well: nothing is.
        for (slot, &value) in values.iter().enumerate() {
            assert_eq!(begins(declaration, value, slot), None, "{declaration}, slot {slot}");
            assert_eq!(
                begins(declaration, value + 1, slot),
                Some(Rule::Started),
                "{declaration}, slot {slot}"
            );
        }
    }
}

/// A channel variable that begins with a number begins with the channel of that number, of which nothing is known.
#[test]
fn a_number_that_a_channel_variable_begins_with_is_not_overlooked() {
    let text = "proctype Q(byte n) { chan v = n; v!1; (y == 9) } init { run Q(1); (y == 9) }";
    let mut draft = model(text).claim_local("Q", &[1]);
    draft.group("Q").slots[1] = set(&[0]);
    assert_eq!(draft.refused(draft.empty(0)), Some(Rule::Understood));
}

/// Three groups of `Q`: by the first that fits a process is named. `Q(1, 1)` is none of the last.
#[test]
fn a_process_belongs_to_the_first_group_that_fits() {
    let text = "proctype Q(byte a; byte b) { (y == 9) }
        init { byte i; byte j; if :: i = 1 :: skip fi; if :: j = 1 :: skip fi; run Q(i, j); (y == 9) }";
    let draft = model(text);
    let (init, q) = (draft.id(":init:").index(), draft.id("Q").index());
    let with_groups = |at_most: Option<u32>| {
        let mut draft = model(text);
        let all = draft.claims.groups[q].clone();
        let fits = |a: &[i32], b: &[i32]| {
            let mut group = all.clone();
            group.slots = vec![set(a), set(b)];
            group
        };
        draft.claims.groups[init].slots = vec![set(&[0, 1]), set(&[0, 1])];
        draft.claims.groups[q] = fits(&[0], &[0]);
        let mut second = fits(&[1], &[1]);
        second.at_most = at_most;
        draft.claims.groups.extend([second, fits(&[0, 1], &[0, 1])]);
        draft
    };
    let none_starts =
        Proof::Starts { group: GroupId(2), at_most: 0, denominator: 1, potential: potential(&[], &[]) };
    assert_eq!(with_groups(None).refused(model(text).empty(0)), None);
    assert_eq!(with_groups(Some(0)).refused(vec![none_starts]), Some(Rule::NothingGrows));
}

/// One at the start, another one later.
#[test]
fn how_many_there_are_at_the_start_is_not_how_many_there_are() {
    let text = "active proctype Q() { (y == 9) } init { run Q(); (y == 9) }";
    let with = |at_most| {
        let mut draft = model(text);
        draft.group("Q").at_most = Some(at_most);
        draft.group("Q").pid = common::set(&[0]).union(&any_pid());
        draft.refused(draft.empty(0))
    };
    assert_eq!(with(1), Some(Rule::SizesShown));
    assert_eq!(with(2), Some(Rule::SizesShown));
    // Two at the start, and one is claimed.
    let mut draft = model("active [2] proctype Q() { (y == 9) }");
    draft.group("Q").at_most = Some(1);
    assert_eq!(draft.refused(draft.empty(0)), Some(Rule::SizesShown));
}

const STARTS_TWO: &str = "active proctype Q() { (y == 9) } init { run Q(); run Q(); (y == 9) }";

/// A start weighs `denominator`; `init` before it starts twice that.
fn starts(claimed: u32, at_most: u64, denominator: i64, (first, second): (i64, i64)) -> Option<Rule> {
    let mut draft = model(STARTS_TWO);
    draft.group("Q").pid = set(&[0]).union(&any_pid());
    draft.group("Q").at_most = Some(claimed);
    let begin = draft.system.automata[1].initial.0;
    let runs: Vec<u32> = draft.system.automata[1]
        .edges
        .iter()
        .filter(|e| e.text.contains("run"))
        .map(|e| e.source.0)
        .collect();
    let potential = draft.weigh(&[], |name, node| match name {
        ":init:" if is_at(node, begin) => first,
        ":init:" if is_at(node, runs[1]) => second,
        _ => 0,
    });
    draft.refused(vec![Proof::Starts { group: draft.id("Q"), at_most, denominator, potential }])
}

#[test]
fn a_figure_of_starts_is_exactly_what_is_shown() {
    assert_eq!(starts(3, 3, 1, (2, 1)), None);
    assert_eq!(starts(3, 3, 2, (4, 2)), None);
    assert_eq!(starts(3, 3, 2, (5, 3)), None, "rounded down");
    assert_eq!(starts(2, 2, 1, (2, 1)), Some(Rule::Figure));
    assert_eq!(starts(1, 1, 1, (2, 1)), Some(Rule::Figure));
    assert_eq!(starts(4, 4, 1, (2, 1)), Some(Rule::Figure));
    assert_eq!(starts(2, 3, 1, (2, 1)), Some(Rule::SizesShown), "the claim says less than the proof");
    assert_eq!(starts(2, 2, 1, (1, 1)), Some(Rule::NothingGrows));
    assert_eq!(starts(1, 1, 1, (0, 0)), Some(Rule::NothingGrows));
    assert_eq!(starts(1, 1, 0, (0, 0)), Some(Rule::WeighsEnough));
    assert_eq!(starts(1, 1, -1, (0, 0)), Some(Rule::WeighsEnough));
    assert_eq!(starts(3, 3, 1, (3, -1)), Some(Rule::NotNegative));
}

#[test]
fn the_group_that_is_counted_exists() {
    let draft = model("active proctype P() { (y == 9) }");
    let potential = potential(&[], &[]);
    let proof = Proof::Starts { group: GroupId(7), at_most: 0, denominator: 1, potential };
    assert_eq!(draft.refused(vec![proof]), Some(Rule::Exists));
}

/// A process that is started weighs what its first node weighs, and what ends weighs nothing any more.
#[test]
fn a_start_adds_a_weight_and_an_end_takes_it_away() {
    let draft = model("proctype Q() { c!1; (y == 9) } init { run Q(); (y == 9) }");
    let send = before(&draft.system, "Q", "c!1").0;
    let run = before(&draft.system, ":init:", "run").0;
    let weights = |first: i64| {
        draft.weigh(&[(0, 0, 1)], |name, node| match name {
            "Q" => i64::from(is_at(node, send)),
            _ => first * i64::from(is_at(node, run)),
        })
    };
    assert_eq!(draft.refused(vec![bound(0, 0, weights(0))]), Some(Rule::NothingGrows));
    assert_eq!(draft.refused(vec![bound(0, 1, weights(1))]), None);
    // Every run ends, because every statement takes something away, the last one too.
    let draft = model("proctype Q() { skip } init { run Q() }");
    let ends = |last: i64| {
        let places = |name: &str, text: &str| before(&draft.system, name, text).0;
        let (skip, end, run, init) =
            (places("Q", "skip"), places("Q", "-end-"), places(":init:", "run"), places(":init:", "-end-"));
        let weigh = |name: &str, node: &_| match name {
            "Q" if is_at(node, skip) => 2,
            "Q" if is_at(node, end) => last,
            ":init:" if is_at(node, run) => 4,
            ":init:" if is_at(node, init) => 1,
            _ => 0,
        };
        let stage = Stage { potential: draft.weigh(&[], weigh), next: Next::Closed };
        draft.refused(vec![Proof::LivelockFree { progress: Progress::At(vec![]), stage }])
    };
    assert_eq!(ends(1), None);
    assert_eq!(ends(0), Some(Rule::NothingLeft));
    assert_eq!(ends(2), Some(Rule::NothingLeft));
}

/// What is claimed of variables, numbers and places of the processes that are there at the start.
#[test]
fn a_process_that_is_there_at_the_start_is_where_it_is() {
    let text = "byte z = 1; active proctype P() { byte x = 3; (z == 1 && x == 3); c!1; (y == 9) }";
    let spoilt = |spoil: &dyn Fn(&mut Claims)| {
        let draft = model(text).claim("z", &[1]).claim_local("P", &[0, 3]).with(spoil);
        draft.refused(draft.empty(0))
    };
    assert_eq!(spoilt(&|claims| claims.groups[0].slots[0] = set(&[0])), Some(Rule::HoldsAtStart));
    assert_eq!(spoilt(&|claims| claims.globals[1] = set(&[5])), Some(Rule::HoldsAtStart));
    assert_eq!(spoilt(&|claims| claims.groups[0].pid = set(&[1])), Some(Rule::PlacedAtStart));
    // It is said to stand at another place, from which it does nothing.
    let wait =
        before(&common::system(&format!("chan c = [4] of {{ byte }}; byte y; {text}")), "P", "y == 9").0;
    let elsewhere = |claims: &mut Claims| claims.groups[0].nodes.retain(|node| is_at(node, wait));
    assert_eq!(spoilt(&elsewhere), Some(Rule::PlacedAtStart));
    let draft = model(text).claim("z", &[0, 1]).stuck("P").listing("P", "z", &[0]);
    assert_eq!(draft.refused(draft.empty(0)), Some(Rule::PlacedAtStart));
}
