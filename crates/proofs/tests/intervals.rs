//! A variable with many values of which only a few sorts matter: those between the constants that it is compared with.

mod common;

use common::{bounds_of, progress_of};

/// One request at a time: whoever has asked has a stamp, which is not 0. `stamp`: how it comes by one.
fn stamped(clock: &str, stamp: &str) -> String {
    format!(
        "chan ask = [1] of {{ byte }}; chan answer = [1] of {{ bit }};
         active proctype Client() {{
           {clock} clock = 0, mine = 0;
           do
           :: mine == 0 -> {stamp}; mine = clock; ask!mine
           :: mine != 0 -> progress: answer?1; mine = 0
           od
         }}
         active proctype Server() {{ byte t; do :: ask?t -> answer!1 od }}"
    )
}

#[test]
fn a_clock_is_asked_only_whether_it_is_0() {
    for (clock, stamp) in [
        ("byte", "clock = (clock < 200 -> clock + 1 : 200)"),
        ("byte", "clock = (clock < 200 -> clock + 1 : 1)"),
        ("short", "clock = (clock >= 30000 -> 1 : clock + 1)"),
        ("int", "clock = (clock + 1) % 5000 + 1"),
    ] {
        let text = stamped(clock, stamp);
        let found = bounds_of(&text);
        let certificate = found.all_bounded().unwrap_or_else(|| panic!("{text}\n{:?}", found.stopped));
        assert_eq!(found.bound("ask"), Some(1), "{text}");
        assert_eq!(found.bound("answer"), Some(1), "{text}");
        // The values are not told apart one by one.
        let nodes: usize = certificate.claims.groups.iter().map(|group| group.nodes.len()).sum();
        assert!(nodes < 40, "{nodes} nodes: {text}");
        assert!(progress_of(&text).livelock_free().is_some(), "{text}");
    }
}

/// A stamp that may be 0 keeps nobody from asking again.
#[test]
fn a_clock_that_may_be_0_is_no_reason() {
    for (clock, stamp) in [
        ("byte", "clock++"),
        ("byte", "clock = (clock + 1) % 200"),
        ("short", "clock = (clock < 200 -> clock + 1 : 0)"),
    ] {
        let text = stamped(clock, stamp);
        assert!(bounds_of(&text).all_bounded().is_none(), "{text}");
    }
}
