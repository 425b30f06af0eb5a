//! Counters, windows and credits: integer variables with weights of their own.

mod common;

use common::{Found, bounds_of, progress_of};

/// All buffers are bounded, by a certificate that weighs a number, and these by so much.
fn bounded(text: &str, bounds: &[(&str, u64)]) {
    let found = bounds_of(text);
    let certificate = found.all_bounded().unwrap_or_else(|| panic!("no proof: {text}\n{:?}", found.stopped));
    assert!(!certificate.claims.numbers.is_empty(), "{text}");
    for (name, at_most) in bounds {
        assert_eq!(found.bound(name), Some(*at_most), "{name} of {text}");
    }
}

fn numbers_of(found: &Found) -> usize {
    found.certificates().map(|certificate| certificate.claims.numbers.len()).sum()
}

#[test]
fn a_counter_that_guards_sends_bounds_them() {
    let receiver = "active proctype R() { do :: q?_ od }";
    bounded(
        &format!(
            "int i; chan q = [4] of {{ byte }}; active [3] proctype S() {{ do :: atomic {{ i < 700 -> i++ }}; q!1 od }} {receiver}"
        ),
        &[("q", 700)],
    );
    bounded(
        &format!(
            "chan q = [4] of {{ byte }}; active proctype S() {{ int i; do :: i < 700 -> q!1; i++ :: i >= 700 -> (false) od }} {receiver}"
        ),
        &[("q", 700)],
    );
}

#[test]
fn credits_are_given_back() {
    let receiver = "active proctype R() { do :: q?_ -> credit++ od }";
    for sender in [
        "active [2] proctype S() { do :: atomic { credit > 0 -> credit-- }; q!1 od }",
        "active [2] proctype S() { do :: d_step { credit > 0 -> credit-- }; q!1 od }",
        "active proctype S() { do :: credit > 0 -> credit--; q!1 od }",
        "active proctype S() { do :: if :: credit <= 0 -> skip :: else -> credit--; q!1 fi od }",
        "active proctype S() { do :: credit >= 3 -> credit = credit - 3; q!1; q!1; q!1 od }",
    ] {
        bounded(&format!("int credit = 300; chan q = [4] of {{ byte }}; {sender} {receiver}"), &[("q", 300)]);
    }
}

/// Both variables wrap, their difference does not. (There are never more than 4 acknowledgements either, but just after one is sent nobody knows where the sender stands.)
#[test]
fn a_window_is_a_difference() {
    let rest = "active proctype R() { do :: data?_ -> acks!0 od } active proctype K() { do :: acks?_ -> acked++ od }";
    let channels = "chan data = [4] of { byte }; chan acks = [4] of { byte };";
    bounded(
        &format!(
            "int sent, acked; {channels} active proctype S() {{ do :: sent - acked < 4 -> data!0; sent++ od }} {rest}"
        ),
        &[("data", 4), ("acks", 5)],
    );
    bounded(
        &format!(
            "int sent, acked; {channels} active proctype S() {{ do :: d_step {{ sent - acked < 500 -> sent++ }}; data!0 od }} {rest}"
        ),
        &[("data", 500), ("acks", 500)],
    );
    // Of smaller types the difference jumps when one of them wraps.
    let found = bounds_of(&format!(
        "byte sent, acked; {channels} active proctype S() {{ do :: sent - acked < 4 -> data!0; sent++ od }} {rest}"
    ));
    assert_eq!(numbers_of(&found), 0);
}

/// A worker is counted after it has started, and counted down after it was heard of: between the two steps the count says less than is there, and yet it is never less than 0.
#[test]
fn who_is_counted_later_is_counted() {
    let workers = |heard: &str| {
        format!(
            "chan results = [3] of {{ byte }}; chan jobs = [1] of {{ byte }};
             proctype Job(byte n) {{ byte x; jobs?x; results!n }}
             active proctype Main() {{
               int running; byte x, item;
               do
               :: running < 3 -> run Job(1); jobs!item; item = (item + 1) % 100; running++
               :: results?x -> {heard}
               od
             }}"
        )
    };
    bounded(&workers("running--"), &[]);
    let found = bounds_of(&workers("running--"));
    let number = found.all_bounded().and_then(|certificate| certificate.claims.numbers.first());
    let range = number.expect("a number").range;
    assert_eq!((range.low, range.high), (0, 3));
    // Whoever is counted down twice makes room for two.
    let found = bounds_of(&workers("running--; if :: running > 0 -> running-- :: else fi"));
    assert!(found.all_bounded().is_none());
}

#[test]
fn a_loop_that_counts_comes_to_an_end() {
    let found = progress_of(
        "int i; active proctype P() { do :: i < 1000 -> i++ :: i >= 1000 -> progress: i = 0 od }",
    );
    let certificate = found.livelock_free().expect("a proof");
    assert_eq!(certificate.claims.numbers.len(), 1);
}

#[test]
fn who_is_interrupted_between_looking_and_counting_is_not_believed() {
    for sender in [
        "do :: n > 0 -> n--; q!1 od",
        "do :: atomic { n > 0 -> d?_; n-- }; q!1 :: d!1 od",
        "do :: n--; q!1 :: n > 0 -> skip od",
    ] {
        let found = bounds_of(&format!(
            "int n = 300; chan q = [4] of {{ byte }}; chan d = [1] of {{ byte }}; active [2] proctype S() {{ {sender} }}"
        ));
        assert_ne!(found.bound("q"), Some(300), "{sender}");
    }
}
