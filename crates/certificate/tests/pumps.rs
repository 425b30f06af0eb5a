//! Pumps that are real, and those that only look so.

mod common;

use certificate::potential::Progress;
use certificate::pump::{Pump, PumpQuestion, PumpRefusal, check_pump};
use certificate::verdict::Fairness;
use common::{steps_named, system};
use system::interpreter::{Capacities, Interpreter, Step};
use system::state::{ChannelId, Pid};

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

/// That the step is refused, and the reason that is given.
fn doubted(text: &str, prefix: usize, names: &[&str], at: usize, because: &str) {
    match unbounded(text, prefix, names) {
        Err(PumpRefusal::MayChangeItsMind { step, what }) => {
            assert!(step == at && what.contains(because), "{text}: step {step}: {what}");
        }
        other => panic!("{text}: {other:?}"),
    }
}

/// That only channel 0 grows, by one message.
fn grows(text: &str, prefix: usize, names: &[&str]) {
    assert_eq!(unbounded(text, prefix, names), Ok(vec![(ChannelId(0), 1)]), "{text}");
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
    let text = "chan c = [1] of { byte };\nbyte x;\nactive proctype P() { do :: c!1; x++; x < 9 od }";
    let names = ["P: c!1", "P: x", "P: x < 9"];
    assert_eq!(unbounded(text, 0, &names), Err(PumpRefusal::NotTheSameControl));
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

const BUFFER: &str = "chan c = [9] of { byte };\nchan d = [9] of { byte };\nchan r = [0] of { byte };\n";

/// A model with the buffers `c` and `d` and the rendezvous channel `r`.
fn model(text: &str) -> String {
    format!("{BUFFER}{text}")
}

#[test]
fn a_refusal_names_its_rule() {
    let refusal = unbounded("chan c = [1] of { byte }; active proctype P() { c!1; c!1 }", 0, &["P: c!1"]);
    let text = refusal.unwrap_err().to_string();
    assert!(text.starts_with("rule P5: control states or variables differ"), "{text}");
}

#[test]
fn a_pump_of_another_schema_is_refused() {
    let system = system("chan c = [1] of { byte };\nactive proctype P() { do :: c!1 od }");
    let mut pump = Pump::new(&system, &[], &steps_named(&system, Capacities::Unbounded, &["P: c!1"]));
    pump.schema = "plimsoll-pump/1".into();
    let refusal = check_pump(&system, &pump, &PumpQuestion::Unbounded);
    assert_eq!(refusal, Err(PumpRefusal::Schema("plimsoll-pump/1".into())));
}

#[test]
fn nothing_repeated_is_no_livelock() {
    let text = "active proctype P() { do :: skip od }";
    let labels = PumpQuestion::Livelock(Progress::Labels);
    assert_eq!(pump(text, 0, &[], &labels), Err(PumpRefusal::NothingRepeated));
}

#[test]
fn every_step_of_prefix_and_repetition_must_be_possible() {
    let system = system("chan c = [1] of { byte };\nactive proctype P() { c!1; do :: c!2; c!3 od }");
    let steps = steps_named(&system, Capacities::Unbounded, &["P: c!1", "P: c!2", "P: c!3"]);
    let [first, second, third] = steps[..] else { panic!("{steps:?}") };
    let check = |prefix: &[_], repeated: &[_]| {
        check_pump(&system, &Pump::new(&system, prefix, repeated), &PumpQuestion::Unbounded)
    };
    assert!(check(&[first], &[second, third]).is_ok());
    let impossible = |step| Err(PumpRefusal::NotEnabled { step });
    assert_eq!(check(&[third], &[second, third]), impossible(0));
    assert_eq!(check(&[first], &[second, second]), impossible(2));
    assert_eq!(check(&[first, second], &[third, third]), impossible(3));
}

#[test]
fn a_repetition_that_violates_an_assertion_is_none() {
    let text = "chan c = [1] of { byte };\nactive proctype P() { do :: c!1; assert(false) od }";
    let refusal = unbounded(text, 0, &["P: c!1", "P: assert"]);
    assert!(matches!(refusal, Err(PumpRefusal::Fails { step: 1, .. })), "{refusal:?}");
}

/// Every Q sends at most one message to a channel of its own, which dies with it.
#[test]
fn a_channel_that_dies_with_its_process_does_not_grow() {
    let text = "active proctype P() { do :: run Q() od }
        proctype Q() { chan d = [1] of { byte }; if :: d!1 :: skip fi }";
    let names = ["P: run Q", "Q: skip", "Q: -end-", "P: run Q", "Q: d!1"];
    doubted(text, 2, &names, 2, "a process dies");
}

/// The first round sends 2, 1, 3 for 1, 2; the second finds 1, 3.
#[test]
fn the_second_repetition_finds_another_message_behind_the_first() {
    let text = "chan c = [1] of { byte };\nactive proctype P() { c!1; do :: c?1; c!2; c?2; c!1; c!3 od }";
    let names = ["P: c!1", "P: c?1", "P: c!2", "P: c?2", "P: c!1", "P: c!3"];
    assert_eq!(unbounded(text, 1, &names), Err(PumpRefusal::OtherMessages(ChannelId(0))));
}

#[test]
fn the_second_repetition_finds_what_the_first_left_before_what_it_sends() {
    let text = "chan c = [1] of { byte };\nactive proctype P() { do :: c!1; c?1; c!2 od }";
    let names = ["P: c!1", "P: c?1", "P: c!2"];
    assert_eq!(unbounded(text, 0, &names), Err(PumpRefusal::OtherMessages(ChannelId(0))));
}

/// Everything that is looked at is in `d`, which does not grow, but holds another message.
#[test]
fn a_channel_that_holds_as_much_but_not_the_same() {
    let text = model("active proctype P() { d!1; do :: d?1; d!2; c!1 od }");
    let names = ["P: d!1", "P: d?1", "P: d!2", "P: c!1"];
    assert_eq!(unbounded(&text, 1, &names), Err(PumpRefusal::OtherMessages(ChannelId(1))));
}

#[test]
fn a_copying_receive_takes_nothing() {
    grows(&model("active proctype P() { c!1; do :: c?<1>; c!1 od }"), 1, &["P: c!1", "P: c?<1>", "P: c!1"]);
}

#[test]
fn messages_are_counted_not_their_fields() {
    let text = "chan c = [1] of { byte, byte };\nactive proctype P() { do :: c!1,2 od }";
    grows(text, 0, &["P: c!1,2"]);
}

#[test]
fn a_process_that_stands_elsewhere_afterwards() {
    let text = model("active proctype P() { c!1; c!1 }\nactive proctype Q() { false }");
    assert_eq!(unbounded(&text, 0, &["P: c!1"]), Err(PumpRefusal::NotTheSameControl));
}

/// Steps of processes by their numbers.
fn unbounded_by_number(
    text: &str,
    prefix: usize,
    names: &[(u32, &str)],
) -> Result<Vec<(ChannelId, u64)>, PumpRefusal> {
    let system = system(text);
    let interpreter = Interpreter::new(&system, Capacities::Unbounded);
    let mut state = interpreter.initial_state().expect("an initial state");
    let mut steps = Vec::new();
    for (pid, text) in names {
        let mut enabled = Vec::new();
        interpreter.steps(&state, &mut enabled).expect("no runtime error");
        let fits = |step: &&Step| {
            let automaton = system.automaton(state.processes[*pid as usize].automaton);
            step.process.0 == *pid && automaton.edge(step.edge).text.contains(text)
        };
        let step = *enabled.iter().find(fits).unwrap_or_else(|| panic!("{text} is not enabled"));
        interpreter.execute(&mut state, step, &(), &mut ()).expect("no runtime error");
        steps.push(step);
    }
    let pump = Pump::new(&system, &steps[..prefix], &steps[prefix..]);
    check_pump(&system, &pump, &PumpQuestion::Unbounded).map(|pumped| pumped.growing)
}

/// Equal processes take each other's part, unless a channel of their own tells them apart.
#[test]
fn processes_that_change_places() {
    let text = "chan c = [9] of { byte };\nactive [2] proctype A() { do :: c!1; skip od }";
    let steps = [(0, "c!1"), (1, "c!1"), (0, "skip")];
    assert_eq!(unbounded_by_number(text, 1, &steps), Ok(vec![(ChannelId(0), 1)]));
    let text = "chan c = [9] of { byte };
        active [2] proctype A() { chan d = [1] of { byte }; d!0; do :: c!1; skip od }";
    let steps = [(0, "d!0"), (1, "d!0"), (0, "c!1"), (1, "c!1"), (0, "skip")];
    assert_eq!(unbounded_by_number(text, 3, &steps), Err(PumpRefusal::NotTheSameControl));
}

#[test]
fn what_is_left_over_has_no_channel_of_its_own() {
    let text = model(
        "active proctype P() { do :: run Q(); c!1 od }\nproctype Q() { chan e = [1] of { byte }; e?1 }",
    );
    assert_eq!(unbounded(&text, 0, &["P: run Q", "P: c!1"]), Err(PumpRefusal::NotTheSameControl));
}

/// The part of who moves alone can be taken by nobody else.
#[test]
fn nobody_is_inside_an_atomic_sequence_when_parts_are_handed_on() {
    let text = model("active proctype P() { atomic { do :: run Q(); c!1 od } }\nproctype Q() { false }");
    let names = ["P: run Q", "P: c!1", "P: run Q", "P: c!1"];
    assert_eq!(unbounded(&text, 2, &names), Err(PumpRefusal::NotTheSameControl));
}

#[test]
fn progress_of_either_side_of_a_rendezvous_is_progress() {
    let labels = PumpQuestion::Livelock(Progress::Labels);
    for (sender, receiver) in [("progress: r!1", "r?1"), ("r!1", "progress: r?1")] {
        let text = model(&format!(
            "active proctype P() {{ do :: {sender} od }}\nactive proctype Q() {{ do :: {receiver} od }}"
        ));
        assert_eq!(pump(&text, 0, &["P: r!1"], &labels), Err(PumpRefusal::Progress { step: 0 }), "{text}");
    }
    let text = model("active proctype P() { do :: r!1 od }\nactive proctype Q() { do :: r?1 od }");
    assert_eq!(pump(&text, 0, &["P: r!1"], &labels), Ok(vec![]));
}

#[test]
fn progress_inside_of_a_d_step_is_progress_of_who_executes_it() {
    let labels = PumpQuestion::Livelock(Progress::Labels);
    let text = model("active proctype P() { do :: d_step { c!1; progress: c?1 } od }");
    assert_eq!(pump(&text, 0, &["P: "], &labels), Err(PumpRefusal::Progress { step: 0 }));
    let text = model("active proctype P() { do :: d_step { c!1; c?1 } od }");
    assert_eq!(pump(&text, 0, &["P: "], &labels), Ok(vec![]));
}

/// The receiver would rather take a message of `c`, once there is one.
#[test]
fn the_receiver_of_a_rendezvous_may_go_another_way() {
    let text = model(
        "active proctype P() { do :: r!1; c!1 od }
         active proctype Q() { do :: { r?1 } unless { c?1 } od }",
    );
    doubted(&text, 0, &["P: r!1", "P: c!1"], 0, "tried before it");
}

#[test]
fn priorities_are_beyond_pumps() {
    let text = model("active proctype P() priority 2 { do :: c!1 od }");
    doubted(&text, 0, &["P: c!1"], 0, "the model uses priorities");
}

#[test]
fn an_atomic_sequence_that_gives_way_while_processes_grow_in_number() {
    let text = model(
        "bool go;
         active proctype P() { do :: atomic { skip; go; go = false } od }
         active proctype Q() { do :: c!1; run R(); go = true od }
         proctype R() { false }",
    );
    let names = ["P: skip", "Q: c!1", "Q: run R", "Q: go", "P: go", "P: go"];
    doubted(&text, 0, &names, 1, "who else is there");
}

/// Q is blocked as long as `c` is empty, whatever it would do at a `timeout`.
#[test]
fn a_timeout_that_is_not_asked_for_hides_no_look() {
    let text = model(
        "active proctype P() { do :: timeout -> c!1 od }
         active proctype Q() { (timeout || nempty(c)); false }",
    );
    doubted(&text, 0, &["P: timeout", "P: c!1"], 0, "`timeout`");
    let text = model(
        "active proctype P() { do :: c!1 od }
         active proctype Q() { atomic { skip; (timeout || nempty(c)); false } }",
    );
    doubted(&text, 1, &["Q: skip", "P: c!1"], 1, "gives way, which depends on what channels hold");
}

#[test]
fn a_timeout_while_processes_grow_in_number() {
    let text = model("active proctype P() { do :: timeout -> run Q(); c!1 od }\nproctype Q() { false }");
    doubted(&text, 0, &["P: timeout", "P: run Q", "P: c!1"], 0, "`timeout`");
}

#[test]
fn a_provided_clause_that_looks_at_what_grows() {
    let text = model("active proctype P() provided (len(c) < 3) { do :: c!1 od }");
    doubted(&text, 0, &["P: c!1"], 0, "`provided`");
}

/// A rendezvous inside of a `d_step` is an error, so nothing there depends on who is left over.
#[test]
fn a_d_step_while_processes_grow_in_number() {
    let round = |body: &str| {
        model(&format!("byte x;\nactive proctype P() {{ do :: {body} od }}\nproctype Q() {{ r?1 }}"))
    };
    grows(&round("d_step { skip; c!1 }; run Q()"), 0, &["P: ", "P: run Q"]);
    let text = round("d_step { if :: x == 5 :: else fi; skip }; run Q(); c!1");
    grows(&text, 0, &["P: ", "P: run Q", "P: c!1"]);
}

#[test]
fn a_process_that_is_started_with_what_a_channel_holds() {
    let started = |declared: &str| {
        model(&format!(
            "active proctype P() {{ do :: run Q(); c!1 od }}\nproctype Q() {{ {declared}; false }}"
        ))
    };
    let names = ["P: run Q", "P: c!1"];
    for declared in ["byte n = len(c)", "bool b = c?[1]"] {
        doubted(&started(declared), 0, &names, 0, "whose variables begin");
    }
    for declared in ["byte n", "byte n = 1", "byte n[2] = { 0, 1 }"] {
        grows(&started(declared), 0, &names);
    }
}

#[test]
fn a_d_step_that_begins_with_else() {
    let text = model("active proctype P() { do :: c?1 -> break :: d_step { else -> c!1 } od }");
    doubted(&text, 0, &["P: "], 0, "tried before it");
    let text = model("active proctype P() { do :: c?1 -> break :: d_step { skip; c!1 } od }");
    grows(&text, 0, &["P: "]);
}

/// Whatever else could be done instead does not matter to who does not ask for it.
#[test]
fn only_an_else_or_a_lower_rank_depends_on_the_statements_before_it() {
    grows(&model("active proctype P() { do :: c?1 :: c!1 od }"), 0, &["P: c!1"]);
    // The body of an `unless` comes after its escape.
    let text = model("active proctype P() { do :: d!1; { c?1 -> break } unless { d?1; c!1 } od }");
    grows(&text, 0, &["P: d!1", "P: d?1", "P: c!1"]);
}

#[test]
fn an_else_beside_a_rendezvous_that_nobody_ever_joins() {
    let others =
        ["active proctype Q() { r?2 }", "active proctype Q() { false }", "active proctype Q() { d?1 }"];
    for other in others {
        let text = model(&format!("active proctype P() {{ do :: r!1 -> break :: else -> c!1 od }}\n{other}"));
        grows(&text, 0, &["P: else", "P: c!1"]);
    }
    let text = model(
        "byte x;
         active proctype P() { do :: x == 5 -> break :: else -> run Q(); c!1 od }
         proctype Q() { r?1 }",
    );
    grows(&text, 0, &["P: else", "P: run Q", "P: c!1"]);
}

#[test]
fn an_argument_that_looks_at_what_grows() {
    let text = model("active proctype P() { do :: c!(len(c) > 5) od }");
    doubted(&text, 0, &["P: c!"], 0, "how much a channel holds");
}

/// The index is looked up when the message is gone: `c` is empty then the first time, and not the second.
#[test]
fn an_index_that_looks_at_the_channel_from_which_is_received() {
    let text = model("byte a[2];\nactive proctype P() { c!1; do :: c?a[c?[1]]; a[0] = 0; c!1; c!1 od }");
    doubted(&text, 1, &["P: c!1", "P: c?", "P: a", "P: c!1", "P: c!1"], 1, "how much a channel holds");
}

#[test]
fn inside_of_a_d_step_nothing_looks_at_what_grows() {
    let round = |body: &str| model(&format!("active proctype P() {{ c!1; do :: d_step {{ {body} }} od }}"));
    let cases = [
        ("skip; c!!1", "`!!`"),
        ("c!1; c!1; c??1", "`??`"),
        ("c!1; c?<1>", "a copying receive"),
        ("c?1; if :: c?1 :: else -> c!1; c!1 fi", "a choice inside"),
        ("c!1; if :: len(c) == 2 :: else fi", "how much a channel holds"),
        ("c!1; if :: len(c) == 2 && len(d) == 0 :: else fi", "how much a channel holds"),
        // It sends nothing, so it is the looks that count.
        ("if :: len(c) == 1 :: else fi; skip", "how much a channel holds"),
        ("skip; if :: len(c) == 1 :: else fi", "how much a channel holds"),
        ("skip; if :: len(d) == 0 && len(c) == 1 :: else fi", "how much a channel holds"),
    ];
    for (body, because) in cases {
        if body.contains("c!") {
            doubted(&round(body), 1, &["P: c!1", "P: "], 1, because);
        } else {
            let text = round(body).replace(" od", "; c!1 od");
            doubted(&text, 1, &["P: c!1", "P: ", "P: c!1"], 1, because);
        }
    }
    grows(&round("c?1; c!1; c!1"), 1, &["P: c!1", "P: "]);
}

/// What is not executable beside an `else` may become so in many ways.
#[test]
fn an_else_beside_what_may_become_executable() {
    let names = ["P: d!3", "P: c!2", "P: else", "P: c!1"];
    let beside = |first: &str, other: &str| {
        model(&format!(
            "byte x;\nactive proctype P() {{ d!3; c!2; do :: {first} -> break :: else -> c!1 od }}\n{other}"
        ))
    };
    for first in [
        "c??1",
        "d?eval(len(c))",
        "d_step { d?eval(len(c)); skip }",
        "d_step { if :: x == 5 :: d?eval(len(c)) fi; skip }",
        "timeout",
        "c??[1]",
    ] {
        doubted(&beside(first, ""), 2, &names, 2, "tried before it");
    }
    doubted(&beside("r!len(c)", "active proctype Q() { r?3 }"), 2, &names, 2, "tried before it");
    for receiver in [
        "active proctype Q() { r?eval(len(c)) }\nactive proctype R() { false }",
        "active proctype R() { false }\nactive proctype Q() { r?eval(len(c)) }",
        "active proctype Q() { if :: x == 9 :: r?eval(len(c)) fi }",
        "active proctype Q() { d_step { r?eval(len(c)); skip } }",
        "active proctype Q() { d_step { if :: r?eval(len(c)) :: false fi; skip } }",
    ] {
        doubted(&beside("r!3", receiver), 2, &names, 2, "tried before it");
    }
    // An empty channel does not stay so.
    let text = model("active proctype P() { do :: d_step { c?1; skip } -> break :: else -> c!1 od }");
    doubted(&text, 0, &["P: else", "P: c!1"], 0, "tried before it");
    let text = model("active proctype P() { do :: c?[1] -> break :: else -> c!1 od }");
    doubted(&text, 0, &["P: else", "P: c!1"], 0, "tried before it");
}

#[test]
fn a_guard_on_one_of_two_channels_that_grow() {
    let text = model("active proctype P() { do :: len(d) < 5 -> c!1; d!1 od }");
    doubted(&text, 0, &["P: len(d)", "P: c!1", "P: d!1"], 0, "how much a channel holds");
    let text = model("active proctype P() { do :: len(c) < 5 -> c!1; d!1 od }");
    doubted(&text, 0, &["P: len(c)", "P: c!1", "P: d!1"], 0, "how much a channel holds");
}

/// A flood, who is flooded, and somebody who waits for what never comes.
const FLOOD: &str = "chan c = [1] of { byte };\nbyte x;\nbyte y;
    active proctype P() { do :: c!1; x = 1; x = 0 od }
    active proctype Q() { do :: c?_; taken: skip od }
    active proctype R() { do :: y == 1 -> skip od }
    ltl taken { [] <> (Q@taken) }
    ltl untaken { [] !(Q@taken) }
    ltl blinks { [] <> (x == 1) }
    ltl small { [] (len(c) <= 1) }
    ltl grown { <> [] (len(c) > 2) }
    ltl third { X X (x == 1) }
    ltl till { (x == 0) U (Q@taken) }
    ltl meanwhile { (x == 0) W (Q@taken) }
    ltl frees { (Q@taken) V (x == 0) }";

fn against(formula: &str, fairness: Fairness, prefix: usize, names: &[&str]) -> Result<(), PumpRefusal> {
    let question = PumpQuestion::Violates(formula.to_string(), fairness);
    pump(FLOOD, prefix, names, &question).map(|growing| assert_eq!(growing, [(ChannelId(0), 1)]))
}

const FLOODS: [&str; 3] = ["P: c!1", "P: x = 1", "P: x = 0"];

#[test]
fn a_run_that_repeats_its_end_violates_what_the_definitions_say() {
    let flooded = |formula| against(formula, Fairness::None, 0, &FLOODS);
    for violated in ["taken", "till", "meanwhile", "frees"] {
        assert_eq!(flooded(violated), Ok(()), "{violated}");
    }
    for satisfied in ["untaken", "blinks", "third", "nowhere"] {
        assert_eq!(flooded(satisfied), Err(PumpRefusal::NoViolation), "{satisfied}");
    }
}

#[test]
fn a_proposition_that_looks_at_what_grows_counts_where_more_makes_no_difference() {
    let twice = [FLOODS, FLOODS].concat();
    let many = [FLOODS; 5].concat();
    assert_eq!(against("small", Fairness::None, 3, &twice), Err(PumpRefusal::NoViolation));
    assert_eq!(against("small", Fairness::None, 12, &many), Ok(()));
    // It is true, and after three rounds it is seen to be: there is nothing to show.
    assert_eq!(against("grown", Fairness::None, 12, &many), Err(PumpRefusal::NoViolation));
}

#[test]
fn a_pump_is_fair_if_whoever_stands_still_cannot_move() {
    // Q could move all the time.
    let starved = Err(PumpRefusal::NotFair(Pid(1)));
    assert_eq!(against("taken", Fairness::Weak, 0, &FLOODS), starved);
    // Twice as many are sent as taken; R waits for what does not come.
    let served = ["P: c!1", "P: x = 1", "P: x = 0", "P: c!1", "Q: c?_", "Q: skip", "P: x = 1", "P: x = 0"];
    assert_eq!(against("untaken", Fairness::Weak, 0, &served), Ok(()));
    assert_eq!(against("untaken", Fairness::Strong, 0, &served), Ok(()));
    assert_eq!(against("taken", Fairness::Strong, 0, &served), Err(PumpRefusal::NoViolation));
}

#[test]
fn who_can_move_now_and_then_is_starved_only_by_strong_fairness() {
    let text = "chan c = [1] of { byte };\nbyte x;
        active proctype P() { do :: c!1; x = 1; x = 0 od }
        active proctype Q() { x == 1 }";
    let fairly = |fairness| PumpQuestion::FairLivelock(Progress::Labels, fairness);
    let weakly = pump(text, 0, &FLOODS, &fairly(Fairness::Weak));
    assert_eq!(weakly, Ok(vec![(ChannelId(0), 1)]));
    let strongly = pump(text, 0, &FLOODS, &fairly(Fairness::Strong));
    assert_eq!(strongly, Err(PumpRefusal::NotFair(Pid(1))));
    // Who waits for what grows will not wait for ever, and who could meet somebody is not looked at closer.
    let waits = text.replace("x == 1 }", "c?2 }");
    assert_eq!(pump(&waits, 0, &FLOODS, &fairly(Fairness::Weak)), Err(PumpRefusal::NotFair(Pid(1))));
    let meets = text.replace("x == 1 }", "d?_ }").replace("byte x;", "byte x; chan d = [0] of { byte };");
    assert_eq!(pump(&meets, 0, &FLOODS, &fairly(Fairness::Weak)), Err(PumpRefusal::NotFair(Pid(1))));
}

/// A formula about a model whose steps are repeated from the first on.
fn shows(
    text: &str,
    formula: &str,
    fairness: Fairness,
    prefix: usize,
    names: &[&str],
) -> Result<(), PumpRefusal> {
    let text = format!("{text}\nltl asked {{ {formula} }}");
    pump(&text, prefix, names, &PumpQuestion::Violates("asked".into(), fairness)).map(|_| ())
}

#[test]
fn every_operator_of_a_formula_has_its_meaning() {
    // `x` is 0, 0, 1, and so on.
    for (formula, violated) in [
        ("! (<> (x == 1))", true),
        ("! (<> (x == 2))", false),
        ("(<> (x == 1)) && (<> (x == 2))", true),
        ("(<> (x == 2)) && (<> (x == 1))", true),
        ("(<> (x == 1)) && (<> (x == 0))", false),
        ("(<> (x == 2)) || ([] (x == 0))", true),
        ("(<> (x == 2)) || (<> (x == 1))", false),
        ("(<> (x == 1)) || (<> (x == 2))", false),
        ("(<> (x == 1)) -> (<> (x == 2))", true),
        ("(<> (x == 2)) -> (<> (x == 2))", false),
        ("(<> (x == 1)) -> (<> (x == 1))", false),
        ("(<> (x == 1)) <-> (<> (x == 2))", true),
        ("(<> (x == 1)) <-> ([] <> (x == 1))", false),
        ("(x < 2) U (x == 2)", true),
        ("(x < 2) W (x == 2)", false),
        ("(x == 2) V (x < 2)", false),
        ("(x == 0) V (x == 1)", true),
        ("(x == 0) V (x == 0)", false),
    ] {
        let expected = if violated { Ok(()) } else { Err(PumpRefusal::NoViolation) };
        assert_eq!(shows(FLOOD, formula, Fairness::None, 0, &FLOODS), expected, "{formula}");
    }
}

/// Each is true of the run, and false of its first moments again and again.
#[test]
fn what_grows_makes_a_proposition_true_at_last() {
    let text =
        model("chan e = [9] of { byte };\nbyte x;\nactive proctype P() { do :: c!1; e!1; x = 1; x = 0 od }");
    let names = ["P: c!1", "P: e!1", "P: x = 1", "P: x = 0"];
    let formulas = [
        "<> (len(c) + x > 5)",
        "<> (x + len(c) > 5)",
        "<> (5 < len(c) + x)",
        "<> (5 < x + len(c))",
        "<> (len(c) > 5)",
        "<> (5 < len(c))",
        "<> (len(e) > 5)",
        "<> (-len(c) < -5)",
        "<> [] (c?[1])",
        "<> [] (e?[1])",
        "<> (c??[1] && len(d) == 0 && x == 0)",
    ];
    for formula in formulas {
        assert_eq!(
            shows(&text, formula, Fairness::None, 0, &names),
            Err(PumpRefusal::NoViolation),
            "{formula}"
        );
    }
    // What does not grow may be looked at, and so may the front of what is not empty.
    for formula in ["<> (d?[1])", "<> (len(d) > 0)", "<> (d??[1])", "<> (len(d) + x > 5)"] {
        assert_eq!(shows(&text, formula, Fairness::None, 0, &names), Ok(()), "{formula}");
    }
    let twice = [names, names].concat();
    assert_eq!(shows(&text, "<> (c?[2])", Fairness::None, 4, &twice), Ok(()));
    assert_eq!(shows(&text, "<> (c?[2])", Fairness::None, 0, &names), Err(PumpRefusal::NoViolation));
    assert_eq!(shows(&text, "<> (c??[2])", Fairness::None, 4, &twice), Err(PumpRefusal::NoViolation));
}

#[test]
fn a_formula_is_asked_at_moments_that_are_seen() {
    let hidden = model("byte x;\nactive proctype P() { do :: atomic { c!1; x = 1; x = 0 } od }");
    let names = ["P: c!1", "P: x = 1", "P: x = 0"];
    assert_eq!(shows(&hidden, "[] (x == 0)", Fairness::None, 0, &names), Err(PumpRefusal::NoViolation));
    assert_eq!(shows(&hidden, "<> (x == 1)", Fairness::None, 0, &names), Ok(()));
    // Who has to wait inside of an atomic sequence is seen.
    let waits = model(
        "byte x, y;\nactive proctype P() { do :: atomic { x = 1; y == 1; x = 0; y = 0 } od }
         active proctype Q() { do :: c!1; y = 1 od }",
    );
    let names = ["P: x = 1", "Q: c!1", "Q: y = 1", "P: y == 1", "P: x = 0", "P: y = 0"];
    assert_eq!(shows(&waits, "[] (x == 0)", Fairness::None, 0, &names), Ok(()));
    // That may be all that is seen of it.
    let glimpse = waits.replace("c!1; y = 1", "atomic { x == 1 -> x = 2 }; c!1; y = 1");
    let names =
        ["P: x = 1", "Q: x == 1", "Q: x = 2", "Q: c!1", "Q: y = 1", "P: y == 1", "P: x = 0", "P: y = 0"];
    assert_eq!(shows(&glimpse, "<> (x == 1)", Fairness::None, 0, &names), Err(PumpRefusal::NoViolation));
    let endless = model("byte x;\nactive proctype P() { atomic { do :: c!1 od } }");
    let refused = shows(&endless, "<> (x == 1)", Fairness::None, 1, &["P: c!1", "P: c!1"]);
    assert_eq!(refused, Err(PumpRefusal::NothingIsSeen));
}

#[test]
fn who_only_receives_in_a_rendezvous_moves_too() {
    let text = model("active proctype P() { do :: c!1; r!1 od }\nactive proctype Q() { do :: r?1 od }");
    let question = PumpQuestion::FairLivelock(Progress::Labels, Fairness::Weak);
    assert_eq!(pump(&text, 0, &["P: c!1", "P: r!1"], &question), Ok(vec![(ChannelId(0), 1)]));
}

#[test]
fn a_repetition_in_which_processes_come_and_go_is_not_called_fair() {
    let text = model("active proctype P() { do :: run W(); c!1; (_nr_pr == 1) od }\nproctype W() { skip }");
    let names = ["P: run W", "P: c!1", "W: skip", "W: -end-", "P: _nr_pr"];
    let fairly = |fairness| pump(&text, 0, &names, &PumpQuestion::FairLivelock(Progress::Labels, fairness));
    assert_eq!(fairly(Fairness::Weak), Err(PumpRefusal::NotFair(Pid(1))));
    assert_eq!(fairly(Fairness::Strong), Err(PumpRefusal::NotFair(Pid(1))));
}

/// How many there are is odd again and again; that it is more than one does not make it stay what it is.
#[test]
fn only_a_comparison_stays_beyond_a_number() {
    let text = model("active proctype P() { do :: c!1 od }");
    let names = ["P: c!1", "P: c!1", "P: c!1"];
    let asked = |formula: &str| shows(&text, formula, Fairness::None, 2, &names);
    assert_eq!(asked("[] <> (len(c) & 1)"), Err(PumpRefusal::NoViolation));
    assert_eq!(asked("[] <> (len(c) <= 1)"), Ok(()));
}

/// P moves because nothing else can: that is a moment at which `timeout` is true.
#[test]
fn a_formula_that_asks_for_timeout_is_not_decided() {
    let text = model("active proctype P() { do :: timeout -> c!1 od }");
    let refused = shows(&text, "<> timeout", Fairness::None, 0, &["P: timeout", "P: c!1"]);
    assert_eq!(refused, Err(PumpRefusal::NoViolation));
}

/// What has no value, what is nobody's, and who is able to move as soon as `c` holds enough.
#[test]
fn a_formula_without_a_value_that_stays_is_not_decided() {
    let text = model(
        "byte x;\nactive proctype P() { do :: c!1; x = 1; x = 0 od }\nactive proctype Q() { (len(c) > 3) }",
    );
    let tried = |formula: &str| shows(&text, formula, Fairness::None, 0, &["P: c!1", "P: x = 1", "P: x = 0"]);
    assert_eq!(tried("[] (x == 1)"), Ok(()));
    for formula in ["[] (_pid == 1)", "[] (10 / x > 20)", "<> enabled(1)"] {
        assert_eq!(tried(formula), Err(PumpRefusal::NoViolation), "{formula}");
    }
}

/// Q can move at every `timeout`, once `c` holds enough.
#[test]
fn who_looks_at_what_grows_when_time_is_out_is_not_called_unable() {
    let text = "chan c = [9] of { byte };\nactive proctype P() { do :: timeout -> c!1 od }
        active proctype Q() { (timeout && len(c) > 5) }";
    let fairly = |fairness| {
        let question = PumpQuestion::FairLivelock(Progress::Labels, fairness);
        pump(text, 0, &["P: timeout", "P: c!1"], &question).map(|_| ())
    };
    assert_eq!(fairly(Fairness::Weak), Ok(()));
    assert_eq!(fairly(Fairness::Strong), Err(PumpRefusal::NotFair(Pid(1))));
}

/// Where somebody cannot be asked whether it can move nobody is called unable.
#[test]
fn an_error_beside_the_repetition_makes_it_doubtful_who_is_able() {
    let fairly = |others: &str| {
        let text =
            format!("chan c = [9] of {{ byte }};\nbyte x;\nactive proctype P() {{ do :: c!1 od }}\n{others}");
        let question = PumpQuestion::FairLivelock(Progress::Labels, Fairness::Weak);
        pump(&text, 0, &["P: c!1"], &question).map(|_| ())
    };
    assert_eq!(fairly("active proctype Q() { x == 1 }"), Ok(()));
    assert_eq!(fairly("active proctype Q() { 10 / x > 1 }"), Err(PumpRefusal::NotFair(Pid(1))));
    let both = "active proctype Q() { x == 1 }\nactive proctype R() { 10 / x > 1 }";
    assert_eq!(fairly(both), Err(PumpRefusal::NotFair(Pid(1))));
}

/// The two change places with every repetition, so what is true of the first in one is true of the second in the next.
#[test]
fn who_hands_on_its_part_violates_no_formula() {
    let text = "chan c = [9] of { byte };
        active [2] proctype A() { do :: c!1; there: skip od } ltl asked { [] <> (! A[0]@there) }";
    let system = system(text);
    let interpreter = Interpreter::new(&system, Capacities::Unbounded);
    let mut state = interpreter.initial_state().expect("an initial state");
    let mut steps = Vec::new();
    for pid in [0, 1, 0] {
        let mut enabled = Vec::new();
        interpreter.steps(&state, &mut enabled).expect("no runtime error");
        let step = *enabled.iter().find(|step| step.process.0 == pid).expect("it can move");
        interpreter.execute(&mut state, step, &(), &mut ()).expect("no runtime error");
        steps.push(step);
    }
    let pump = Pump::new(&system, &steps[..1], &steps[1..]);
    assert!(check_pump(&system, &pump, &PumpQuestion::Unbounded).is_ok());
    for question in [
        PumpQuestion::Violates("asked".into(), Fairness::None),
        PumpQuestion::FairLivelock(Progress::Labels, Fairness::Weak),
    ] {
        assert_eq!(check_pump(&system, &pump, &question), Err(PumpRefusal::NotTheSameControl));
    }
}

/// The channel is gone with its process, and its name is left.
#[test]
fn a_formula_about_a_channel_that_is_gone_has_no_value() {
    let text = "chan c = [9] of { byte };\nchan v = c;
        active proctype P() { run Worker(); do :: c!1 od }
        proctype Worker() { chan own = [1] of { byte }; v = own }";
    let names = ["P: run Worker", "Worker: v = own", "Worker: -end-", "P: c!1"];
    assert_eq!(shows(text, "<> (len(v) > 5)", Fairness::None, 3, &names), Err(PumpRefusal::NoViolation));
}
