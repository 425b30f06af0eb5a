//! A trace under limits that the model does not have shows nothing of the model.

mod common;

use certificate::trace::{ReplayError, Trace, replay};
use common::{steps_named, system};
use system::interpreter::Capacities;

#[test]
fn a_trace_with_fewer_processes_than_spin_allows_is_refused() {
    let system = system("proctype Q() { skip } init { run Q() }");
    let steps = steps_named(&system, Capacities::Declared, &[":init:: run Q"]);
    let mut trace = Trace::new(&system, Capacities::Declared, &steps, None);
    assert!(replay(&system, &trace).is_ok());
    // With room for one process, `run` is an error that the model does not have.
    trace.process_limit = Some(1);
    assert_eq!(replay(&system, &trace), Err(ReplayError::OtherLimits));
    trace.process_limit = Some(1000);
    assert!(replay(&system, &trace).is_ok());
}

#[test]
fn a_trace_with_buffers_without_room_is_refused() {
    let system = system("chan c = [1] of { byte }; active proctype P() { c!1 } active proctype Q() { c?_ }");
    let mut trace = Trace::new(&system, Capacities::Declared, &[], None);
    trace.capacities = Capacities::Fixed(0);
    assert_eq!(replay(&system, &trace), Err(ReplayError::OtherLimits));
}

#[test]
fn a_system_does_not_stay_for_ever_where_something_can_be_executed() {
    let system = system("byte x; active proctype P() { x = 1; (x == 2) }");
    let steps = steps_named(&system, Capacities::Declared, &["P: x = 1"]);
    let stays = |taken: usize| {
        let trace = Trace::new(&system, Capacities::Declared, &steps[..taken], Some(taken));
        replay(&system, &trace).map(|_| ())
    };
    assert_eq!(stays(0), Err(ReplayError::LoopIsOpen));
    assert_eq!(stays(1), Ok(()));
}
