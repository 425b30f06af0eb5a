//! Buffers whose only sender looks at their length.

mod common;

use common::bounds_of;

#[test]
fn a_look_before_each_send_bounds_the_buffer_and_potentials_the_rest() {
    let report = bounds_of(
        "chan c = [4] of {byte}; chan d = [1] of {byte}; chan e = [1] of {byte};
         active proctype P() { do :: len(c) < 3 -> c!1 :: d!1; e?1 od }
         active proctype Q() { do :: c?1 :: d?1; e!1 od }",
    );
    assert!(report.all_bounded().is_some());
    assert_eq!(report.bound("c"), Some(3));
    assert_eq!(report.bound("d"), Some(1));
    assert_eq!(report.bound("e"), Some(1));
}

#[test]
fn an_else_beside_a_look_is_a_look() {
    let report = bounds_of(
        "chan c = [4] of {byte};
         active proctype P() { do :: if :: len(c) >= 2 -> skip :: else -> c!1; c!1 fi od }
         active proctype Q() { do :: c?1 od }",
    );
    assert_eq!(report.bound("c"), Some(3));
}

#[test]
fn a_buffer_of_an_array_is_looked_at_by_its_own_sender() {
    let report = bounds_of(
        "chan c[2] = [4] of {byte};
         proctype P(byte me) { do :: len(c[me]) < 2 -> c[me]!1 od }
         active proctype Q() { do :: c[0]?1 :: c[1]?1 od }
         init { atomic { run P(0); run P(1) } }",
    );
    assert!(report.all_bounded().is_some());
    assert_eq!(report.bound("c[0]"), Some(2));
    assert_eq!(report.bound("c[1]"), Some(2));
}

/// Each of the two may have looked when the other sends: 3 are reached.
#[test]
fn two_senders_that_look_may_send_one_too_many() {
    for two in
        ["active [2] proctype P()", "active proctype R() { do :: len(c) < 2 -> c!1 od } active proctype P()"]
    {
        let report = bounds_of(&format!(
            "chan c = [4] of {{byte}};
             {two} {{ do :: len(c) < 2 -> c!1 od }}
             active proctype Q() {{ do :: c?1 od }}"
        ));
        assert!(report.bound("c").is_none_or(|bound| bound >= 3), "{two}");
        assert!(report.all_bounded().is_none(), "{two}");
    }
}

#[test]
fn a_look_at_another_buffer_bounds_nothing() {
    let report = bounds_of(
        "chan c = [4] of {byte}; chan d = [4] of {byte};
         active proctype P() { do :: len(d) < 2 -> c!1 od }
         active proctype Q() { do :: c?1 od }",
    );
    assert!(report.all_bounded().is_none());
    assert_eq!(report.bound("c"), None);
}
