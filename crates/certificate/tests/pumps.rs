//! Pumps that are real, and those that only look so.

mod common;

use certificate::potential::Progress;
use certificate::pump::{Pump, PumpQuestion, PumpRefusal, check_pump};
use common::{steps_named, system};
use system::interpreter::Capacities;
use system::state::ChannelId;

/// Checks the pump whose steps have these names, the first `prefix` of them before the repetition.
fn pump(
    text: &str,
    prefix: usize,
    names: &[&str],
    question: &PumpQuestion,
) -> Result<Vec<(ChannelId, u64)>, PumpRefusal> {
    let system = system(text);
    let steps = steps_named(&system, Capacities::Unbounded, names);
    let pump = Pump::new(&system, &steps[..prefix], &steps[prefix..]);
    check_pump(&system, &pump, question).map(|pumped| pumped.growing)
}

fn unbounded(text: &str, prefix: usize, names: &[&str]) -> Result<Vec<(ChannelId, u64)>, PumpRefusal> {
    pump(text, prefix, names, &PumpQuestion::Unbounded)
}

fn mind(step: usize) -> impl Fn(Result<Vec<(ChannelId, u64)>, PumpRefusal>) -> bool {
    move |result| matches!(result, Err(PumpRefusal::MayChangeItsMind { step: at, .. }) if at == step)
}

#[test]
fn a_flooder() {
    let text = "chan c = [1] of { byte };\nactive proctype P() { do :: c!1 od }";
    assert_eq!(unbounded(text, 0, &["P: c!1"]), Ok(vec![(ChannelId(0), 1)]));
}

#[test]
fn a_process_that_sends_two_for_one() {
    let text = "chan c = [1] of { byte };\nactive proctype P() { c!1; do :: c?1; c!1; c!1 od }";
    let names = ["P: c!1", "P: c?1", "P: c!1", "P: c!1"];
    assert_eq!(unbounded(text, 1, &names), Ok(vec![(ChannelId(0), 1)]));
}

#[test]
fn what_is_sent_is_not_what_is_received_next_time() {
    let text = "chan c = [1] of { byte };\nactive proctype P() { c!1; do :: c?1; c!2; c!2 od }";
    let names = ["P: c!1", "P: c?1", "P: c!2", "P: c!2"];
    assert_eq!(unbounded(text, 1, &names), Err(PumpRefusal::OtherMessages(ChannelId(0))));
}

#[test]
fn a_buffer_that_is_emptied_cannot_be_repeated() {
    let text = "chan c = [1] of { byte };\nchan d = [1] of { byte };
        active proctype P() { c!1; c!1; do :: c?1; d!1 od }";
    let names = ["P: c!1", "P: c!1", "P: c?1", "P: d!1"];
    assert_eq!(unbounded(text, 2, &names), Err(PumpRefusal::Shrinks(ChannelId(0))));
}

#[test]
fn a_variable_that_differs_is_not_the_same_state() {
    let text = "chan c = [1] of { byte };\nbyte x;\nactive proctype P() { do :: c!1; x++ od; assert(x) }";
    assert_eq!(unbounded(text, 0, &["P: c!1", "P: x"]), Err(PumpRefusal::NotTheSameControl));
}

/// The atomic sequence gives way the first time because `d` is empty. The second time it is not, and Q does not run.
#[test]
fn an_atomic_sequence_that_gives_way_because_a_receive_blocks() {
    let text = "chan d = [1] of { byte };
        active proctype P() { do :: atomic { skip; d?1 } od }
        active proctype Q() { do :: d!1; d!1 od }";
    let names = ["P: skip", "Q: d!1", "Q: d!1", "P: d?1"];
    assert!(mind(1)(unbounded(text, 0, &names)));
}

#[test]
fn an_atomic_sequence_that_gives_way_because_of_a_variable() {
    let text = "chan d = [1] of { byte };\nbool go;
        active proctype P() { do :: atomic { skip; go; go = false } od }
        active proctype Q() { do :: d!1; go = true od }";
    let names = ["P: skip", "Q: d!1", "Q: go", "P: go", "P: go"];
    assert_eq!(unbounded(text, 0, &names), Ok(vec![(ChannelId(0), 1)]));
}

#[test]
fn an_else_beside_a_receive() {
    let text = "chan c = [1] of { byte };\nactive proctype P() { do :: c?2 :: else -> c!1 od }";
    assert!(mind(0)(unbounded(text, 0, &["P: else", "P: c!1"])));
}

#[test]
fn a_guard_on_the_length() {
    let text = "chan c = [9] of { byte };\nactive proctype P() { do :: len(c) < 5 -> c!1 od }";
    assert!(mind(0)(unbounded(text, 0, &["P: len(c)", "P: c!1"])));
}

/// The first time everybody waits. The second time Q can receive, and there is no `timeout`.
#[test]
fn a_timeout_that_waits_for_a_channel_that_grows() {
    let text = "chan c = [9] of { byte };
        active proctype P() { do :: timeout -> c!1 od }
        active proctype Q() { do :: c?1 od }";
    assert!(mind(0)(unbounded(text, 0, &["P: timeout", "P: c!1"])));
}

#[test]
fn a_timeout_that_does_not_depend_on_what_grows() {
    let text = "chan c = [9] of { byte };\nchan d = [9] of { byte };
        active proctype P() { do :: timeout -> c!1 od }
        active proctype Q() { do :: d?1 od }";
    assert_eq!(unbounded(text, 0, &["P: timeout", "P: c!1"]), Ok(vec![(ChannelId(0), 1)]));
}

#[test]
fn no_channel_is_full_without_limits() {
    let text = "chan c = [9] of { byte };\nactive proctype P() { do :: nfull(c) -> c!1 :: full(c) od }";
    assert_eq!(unbounded(text, 0, &["P: nfull(c)", "P: c!1"]), Ok(vec![(ChannelId(0), 1)]));
}

#[test]
fn what_does_not_grow_may_be_looked_at() {
    let text = "chan c = [9] of { byte };\nchan d = [9] of { byte };
        active proctype P() { d!!2; do :: len(d) < 2 && d?[2] -> c!len(d); d??2; d!!2 od }";
    let names = ["P: d!!2", "P: len(d)", "P: c!len(d)", "P: d??2", "P: d!!2"];
    assert_eq!(unbounded(text, 1, &names), Ok(vec![(ChannelId(0), 1)]));
}

#[test]
fn a_d_step_may_look_at_what_does_not_grow() {
    let text = "chan c = [9] of { byte };\nchan d = [9] of { byte };
        active proctype P() { do :: d_step { if :: len(d) == 0 :: else -> skip fi } c!1 od }";
    assert_eq!(unbounded(text, 0, &["P: ", "P: c!1"]), Ok(vec![(ChannelId(0), 1)]));
    let text = text.replace("len(d)", "len(c)");
    assert!(mind(0)(unbounded(&text, 0, &["P: ", "P: c!1"])));
}

/// What comes first in a channel from which nothing is taken stays what it is; an empty channel does not stay empty.
#[test]
fn the_front_of_a_channel_that_grows_stays_unless_there_is_none() {
    let text = "chan c = [9] of { byte };
        active proctype P() { c!2; do :: c?1 :: nempty(c) && !c?[1] -> c!1 :: else -> c!1 od }";
    let stays = ["P: c!2", "P: nempty(c)", "P: c!1"];
    assert_eq!(unbounded(text, 1, &stays), Ok(vec![(ChannelId(0), 1)]));
    let text = "chan c = [9] of { byte };
        active proctype P() { if :: skip :: c!2 fi; do :: c?1 :: else -> c!1 od }";
    assert_eq!(unbounded(text, 1, &["P: c!2", "P: else", "P: c!1"]), Ok(vec![(ChannelId(0), 1)]));
    assert!(mind(1)(unbounded(text, 1, &["P: skip", "P: else", "P: c!1"])));
    let text = "chan c = [9] of { byte };\nactive proctype P() { do :: empty(c) -> c!1 od }";
    assert!(mind(0)(unbounded(text, 0, &["P: empty(c)", "P: c!1"])));
}

/// Only the first message is known to stay.
#[test]
fn a_random_poll_of_a_channel_that_grows() {
    let text = "chan c = [9] of { byte };
        active proctype P() { c!2; do :: c??[1] -> break :: else -> c!1 od }";
    assert!(mind(1)(unbounded(text, 1, &["P: c!2", "P: else", "P: c!1"])));
}

#[test]
fn sorted_sends_and_random_receives() {
    let text = "chan c = [9] of { byte };\nactive proctype P() { do :: c!!1 od }";
    assert!(mind(0)(unbounded(text, 0, &["P: c!!1"])));
    let text = "chan c = [9] of { byte };\nactive proctype P() { do :: c!1; c!1; c??1 od }";
    assert!(mind(2)(unbounded(text, 0, &["P: c!1", "P: c!1", "P: c??1"])));
}

#[test]
fn an_escape_that_may_be_taken_when_there_are_more_messages() {
    let text = "chan c = [9] of { byte };\nactive proctype P() { do :: { c!1 } unless { c?1 } od }";
    assert!(mind(0)(unbounded(text, 0, &["P: c!1"])));
}

/// The receiver of a rendezvous decides whether the send is executable, and it may look at channels, too.
#[test]
fn an_else_beside_a_rendezvous_whose_receiver_looks_at_what_grows() {
    let receivers =
        ["active proctype Q() { r?eval(len(c)) }", "active proctype Q() provided (len(c) > 2) { r?3 }"];
    for receiver in receivers {
        let text = format!(
            "chan c = [9] of {{ byte }};\nchan r = [0] of {{ byte }};
             active proctype P() {{ do :: r!3 -> break :: else -> c!1 od }}\n{receiver}"
        );
        assert!(mind(0)(unbounded(&text, 0, &["P: else", "P: c!1"])), "{receiver}");
    }
}

#[test]
fn an_escape_by_a_rendezvous_whose_receiver_looks_at_what_grows() {
    let text = "chan c = [9] of { byte };\nchan r = [0] of { byte };
        active proctype P() { { do :: c!1 od } unless { r!3 } }\nactive proctype Q() { r?eval(len(c)) }";
    assert!(mind(0)(unbounded(text, 0, &["P: c!1"])));
}

#[test]
fn a_livelock_that_makes_no_progress_and_nothing_grow() {
    let text = "chan c = [1] of { byte };
        active proctype P() { do :: c!1; c?1 od }
        active proctype Q() { progress: do :: skip od }";
    let labels = PumpQuestion::Livelock(Progress::Labels);
    assert_eq!(pump(text, 0, &["P: c!1", "P: c?1"], &labels), Ok(vec![]));
    let with_progress = ["P: c!1", "Q: skip", "P: c?1"];
    assert_eq!(pump(text, 0, &with_progress, &labels), Err(PumpRefusal::Progress { step: 1 }));
    assert_eq!(unbounded(text, 0, &["P: c!1", "P: c?1"]), Err(PumpRefusal::NothingGrows));
}

#[test]
fn a_pump_for_another_model_is_refused() {
    let first = system("chan c = [1] of { byte };\nactive proctype P() { do :: c!1 od }");
    let second = system("chan c = [1] of { byte };\nactive proctype P() { do :: c!2 od }");
    let pump = Pump::new(&first, &[], &steps_named(&first, Capacities::Unbounded, &["P: c!1"]));
    let text = serde_json::to_string(&pump).unwrap();
    assert_eq!(serde_json::from_str::<Pump>(&text).unwrap(), pump);
    assert_eq!(check_pump(&second, &pump, &PumpQuestion::Unbounded), Err(PumpRefusal::OtherModel));
}

/// Each process leaves the next one behind in its place (IBOC, figure 10).
#[test]
fn processes_that_create_each_other_may_take_each_others_part() {
    let text = "chan c = [1] of { byte };
        active proctype P() { c!1; run Q() }
        proctype Q() { run P() }";
    let names = ["P: c!1", "P: run Q", "Q: run P"];
    assert_eq!(unbounded(text, 0, &names), Ok(vec![(ChannelId(0), 1)]));
    let system = system(text);
    let steps = steps_named(&system, Capacities::Unbounded, &names);
    let pumped = check_pump(&system, &Pump::new(&system, &[], &steps), &PumpQuestion::Unbounded).unwrap();
    assert_eq!(pumped.more_processes, 2);
}

#[test]
fn what_a_repetition_leaves_over_may_wait_for_ever() {
    let text = "chan c = [1] of { byte };\nchan d = [1] of { byte };
        active proctype P() { do :: run Q(); c!1 od }
        proctype Q() { d?1 }";
    assert_eq!(unbounded(text, 0, &["P: run Q", "P: c!1"]), Ok(vec![(ChannelId(0), 1)]));
}

#[test]
fn a_process_that_looks_at_its_number_cannot_be_replaced() {
    let text = "chan c = [1] of { byte };
        active proctype P() { if :: _pid < 3 -> c!1; run Q() :: else fi }
        proctype Q() { run P() }";
    let names = ["P: ", "P: c!1", "P: run Q", "Q: run P"];
    assert_eq!(unbounded(text, 0, &names), Err(PumpRefusal::NotTheSameControl));
}

#[test]
fn the_number_of_a_process_in_a_variable_tells_processes_apart() {
    let text = "chan c = [1] of { byte };\nbyte last;
        active proctype P() { do :: last = run Q(); c!1; last = 0 od }
        proctype Q() { false }";
    assert_eq!(unbounded(text, 0, &["P: last", "P: c!1", "P: last"]), Err(PumpRefusal::NotTheSameControl));
}

/// The first time nobody waits for `r`. The second time the process that was left over does.
#[test]
fn an_else_beside_a_rendezvous_with_what_is_left_over() {
    let text = "chan c = [1] of { byte };\nchan r = [0] of { byte };
        active proctype P() { do :: if :: r!1 -> goto over :: else fi; run Q(); c!1 od; over: skip }
        proctype Q() { r?1 }";
    assert!(mind(0)(unbounded(text, 0, &["P: else", "P: run Q", "P: c!1"])));
}

/// SPIN stops at 255 processes, so this is no run that goes on for ever there.
#[test]
fn processes_that_only_grow_in_number_are_no_livelock() {
    let text = "chan c = [1] of { byte };
        active proctype P() { do :: run Q(); c!1 od }
        active proctype R() { progress: do :: skip od }
        proctype Q() { false }";
    let labels = PumpQuestion::Livelock(Progress::Labels);
    let names = ["P: run Q", "P: c!1"];
    assert_eq!(pump(text, 0, &names, &labels), Err(PumpRefusal::NotTheSameControl));
    assert_eq!(unbounded(text, 0, &names), Ok(vec![(ChannelId(0), 1)]));
}
