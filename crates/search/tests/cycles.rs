//! Searches for cycles on small models, with SPIN's verdicts.

use certificate::trace::replay;
use certificate::verdict::ProgressReading;
use promela::{NoIncludes, Options};
use search::{
    Cause, Control, ErrorGroup, ErrorPolicy, Outcome, Properties, Reduction, SearchOptions, StopReason,
    explore,
};
use system::automaton::System;

fn system(text: &str) -> System {
    let (model, diagnostics) = promela::read("test.pml", text, &Options::default(), &NoIncludes);
    assert!(
        diagnostics.iter().all(|d| d.severity != promela::diagnostic::Severity::Error),
        "{diagnostics:?}"
    );
    system::lower::lower(model).0
}

fn errors(text: &str, properties: Properties) -> Vec<ErrorGroup> {
    let system = system(text);
    let options = SearchOptions { properties, ..SearchOptions::full() };
    let Ok(report) = explore(&system, &options, &Control::none()) else { panic!("no initial state") };
    // One error is enough, and in small models every cycle is near.
    let expected = match report.errors.is_empty() {
        true => Outcome::Complete,
        false => Outcome::Stopped(StopReason::Error),
    };
    assert_eq!(report.outcome, expected);
    for error in &report.errors {
        assert!(replay(&system, &error.trace).is_ok());
    }
    // With moves left out it is the same, near the beginning and after everything else.
    let causes = |errors: &[ErrorGroup]| errors.iter().map(|error| error.cause.clone()).collect::<Vec<_>>();
    for errors in [ErrorPolicy::First, ErrorPolicy::All] {
        let options = SearchOptions { reduction: Reduction::Reduced, errors, ..options.clone() };
        let reduced = explore(&system, &options, &Control::none()).expect("an initial state");
        assert_eq!(causes(&reduced.errors), causes(&report.errors), "{text}");
    }
    report.errors
}

fn liveness() -> Properties {
    Properties { end_states: false, ..Properties::safety() }
}

fn non_progress(text: &str, reading: ProgressReading) -> Vec<ErrorGroup> {
    errors(text, Properties { non_progress: Some(reading), ..liveness() })
}

fn acceptance(text: &str) -> Vec<ErrorGroup> {
    errors(text, Properties { acceptance: true, ..liveness() })
}

fn claim(text: &str) -> Vec<ErrorGroup> {
    errors(text, Properties { acceptance: true, claim: Some(0), ..liveness() })
}

#[test]
fn a_loop_through_a_progress_label_is_progress() {
    let text = "byte x; active proctype A() { do :: x == 0 -> progress: x = 1 :: x == 1 -> x = 0 od }";
    assert!(non_progress(text, ProgressReading::State).is_empty());
    assert!(non_progress(text, ProgressReading::Transition).is_empty());
}

#[test]
fn a_loop_beside_a_progress_label_is_a_lasso() {
    let text = "byte x; active proctype A() { do :: x == 0 -> progress: x = 1 :: x == 1 -> x = 0 :: x == 0 -> x = 0 od }";
    for reading in [ProgressReading::State, ProgressReading::Transition] {
        let errors = non_progress(text, reading);
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].cause, Cause::NonProgressCycle);
        assert_eq!((errors[0].trace.steps.len(), errors[0].trace.loop_start), (2, Some(0)));
    }
}

#[test]
fn waiting_at_a_progress_label_is_progress_to_spin_and_none_to_the_papers() {
    let text = "
        byte x, y;
        active proctype Waits() { progress: x == 1 }
        active proctype Runs() { do :: y = 1 - y; y == y od }
    ";
    assert!(non_progress(text, ProgressReading::State).is_empty());
    assert_eq!(non_progress(text, ProgressReading::Transition).len(), 1);
}

#[test]
fn nothing_is_said_about_infinite_runs_if_one_may_stay_in_an_atomic() {
    // By state the label does not count, since nobody ever stands there: between the steps of an `atomic` there is no state.
    let text = "active proctype P() { bit x; x = 1; atomic { skip; progress: x = 1 - x; goto progress } }";
    for reading in [ProgressReading::State, ProgressReading::Transition] {
        let properties = Properties { non_progress: Some(reading), ..Properties::none() };
        let options = SearchOptions { properties, ..SearchOptions::full() };
        let report = explore(&system(text), &options, &Control::none()).expect("it can be begun");
        assert_eq!(report.outcome, Outcome::Stopped(StopReason::EndlessAtomic));
    }
}

#[test]
fn a_deadlock_is_no_cycle_without_progress() {
    assert!(non_progress("byte x; active proctype A() { x == 1 }", ProgressReading::State).is_empty());
    assert!(non_progress("active proctype A() { skip }", ProgressReading::State).is_empty());
}

#[test]
fn an_accept_label_on_a_cycle_is_found() {
    let text = "byte x; active proctype A() { do :: x == 0 -> x = 1 :: x == 1 -> accept: x = 0 od }";
    let errors = acceptance(text);
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].cause, Cause::AcceptanceCycle);
    assert!(errors[0].trace.loop_start.is_some());
    assert!(acceptance("byte x; active proctype A() { accept: x = 1; do :: x == 1 od }").is_empty());
}

#[test]
fn being_stuck_at_an_accept_label_is_an_acceptance_cycle() {
    // SPIN calls it "accept stutter".
    let errors = acceptance("byte x; active proctype A() { accept: x == 1 }");
    assert_eq!(errors.len(), 1);
    assert_eq!((errors[0].trace.steps.len(), errors[0].trace.loop_start), (0, Some(0)));
}

#[test]
fn a_never_claim_runs_in_lock_step() {
    let model = "byte x; active proctype A() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }";
    let always_again = format!(
        "{model} never {{ do :: true :: x != 2 -> goto accept_all od; accept_all: do :: x != 2 od }}"
    );
    assert!(claim(&always_again).is_empty());
    let sometimes_two = format!("{model} never {{ do :: x == 2 -> break :: else od }}");
    let errors = claim(&sometimes_two);
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].cause, Cause::ClaimCompleted);
    assert_eq!(errors[0].trace.steps.len(), 4);
    let again_and_again = format!(
        "{model} never {{ T0: do :: x == 2 -> goto accept :: true od; accept: do :: true -> goto T0 od }}"
    );
    let errors = claim(&again_and_again);
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].cause, Cause::AcceptanceCycle);
}

#[test]
fn a_claim_goes_on_where_the_system_has_stopped() {
    let model = "byte x; active proctype A() { x = 1 }";
    let finally_one =
        format!("{model} never {{ do :: true :: x == 1 -> goto accept od; accept: do :: x == 1 od }}");
    let errors = claim(&finally_one);
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].trace.loop_start, Some(errors[0].trace.steps.len()));
}

/// Each has a run that is found only if a process is not put off for ever while another goes round by itself.
#[test]
fn nobody_is_put_off_for_ever_by_one_who_goes_round() {
    let round = "active proctype R() { byte n; do :: n = 1 - n od }";
    let accepted = "active proctype A() { byte m; m = 1; m = 2; accept: do :: m = 1 - m od }";
    for text in [format!("{round} {accepted}"), format!("{accepted} {round}")] {
        assert_eq!(acceptance(&text).len(), 1);
    }
    // Who stands at the label makes the round of the other one progress until he leaves.
    let leaves = "active proctype A() { byte m; progress: m = 2; (m == 3) }";
    for text in [format!("{round} {leaves}"), format!("{leaves} {round}")] {
        assert_eq!(non_progress(&text, ProgressReading::State).len(), 1);
        assert_eq!(non_progress(&text, ProgressReading::Transition).len(), 1);
    }
    let stays = "active proctype A() { byte m; m = 1; progress: (m == 2) }";
    for text in [format!("{round} {stays}"), format!("{stays} {round}")] {
        assert_eq!(non_progress(&text, ProgressReading::State).len(), 1, "before it comes there");
        assert!(acceptance(&text).is_empty());
    }
    let from_the_beginning = format!("{round} active proctype A() {{ byte m; progress: (m == 2) }}");
    assert!(non_progress(&from_the_beginning, ProgressReading::State).is_empty());
}

/// A label between steps that matter to nobody else is seen, whatever is left out.
#[test]
fn a_label_between_local_steps_is_seen() {
    let other = "active proctype R() { byte n; n = 1; n = 2 }";
    let accepted = "active proctype A() { byte m; do :: m = 1; accept: m = 2; m = 3 od }";
    assert_eq!(acceptance(&format!("{other} {accepted}")).len(), 1);
    let progress = "active proctype A() { byte m; do :: m = 1; progress: m = 2; m = 3 od }";
    for reading in [ProgressReading::State, ProgressReading::Transition] {
        assert!(non_progress(&format!("{other} {progress}"), reading).is_empty());
    }
    let atomic = "active proctype A() { byte m; do :: atomic { m = 1; progress: m = 2; m = 3 } od }";
    assert!(non_progress(&format!("{other} {atomic}"), ProgressReading::Transition).is_empty());
}

/// A process may stay where it has only to end, and there may be a label.
#[test]
fn who_can_only_end_may_stay_at_a_label() {
    let text =
        "active proctype R() { byte n; do :: n = 1 - n od } active proctype A() { skip; accept: skip }";
    assert_eq!(acceptance(text).len(), 1);
}

/// A random model whose cycle was lost when moves were left out.
#[test]
fn an_acceptance_cycle_among_atomics_that_wait_is_not_lost() {
    let text = r#"
        unsigned g0 : 3
        bit g1[2] = {0, 1}
        chan c0 = [0] of { bool }
        active [2] proctype P0() {
          short l0;
          skip;
          {
            atomic {
              c0?_;
              atomic {
                c0!0;
                here1:
                l0 = (g1[0] > 0);
                c0!(g1[1] & 1) ^ 2
              }
            }
          } unless {
            g0 == 1;
            g1[g0 & 1] = 2
          };
          do
          ::
            !g0;
            g1[0] = (g0 == g1[1] -> 1 : g1[1])
          ::
            else
          od
        }
        active proctype P1() {
          pid l0[2] = {0, 1};
          pid l1 = 1;
          end3:
          atomic {
            l0[0] == 2;
            l1 = (g1[0] << 1) & 3;
            atomic {
              g0 = g1[0];
              goto end3;
              g0
            };
            end2:
            c0!(g1[g0 & 1] + 0) % 3
          }
        }
        active proctype P2() {
          unsigned l0 : 2 = 1;
          chan own = [1] of { short };
          d_step {
            l0 = (g1[1] + 0) % 3;
            l0 = g0;
            l0 = 1;
            g1[0] = (l0 & 1) ^ 2
          };
          do
          ::
            l0 >= l0;
            atomic {
              assert(own??[eval(g1[1])]);
              end4:
              l0 = (g1[g0 & 1] << 1) & 3
            }
          od
        }
        init {
          short l0;
          pid l1;
          l1 = 2;
          c0!2;
          skip;
          end5:
          c0!g1[g0 & 1];
          accept6:
          do
          ::
            (g1[1] == 0 && g0 == 2);
            c0!1
          ::
            l0 != 2;
            if
            ::
              l0 == 2;
              g1[0] = 2
            ::
              g1[1] > 2;
              g1[1] = 0
            ::
              else
            fi
          ::
            l1 <= 2;
            l0 = 0
          ::
            else;
            g1[1] = l1
          od
        }"#;
    let properties = Properties { acceptance: true, ..Properties::none() };
    let causes: Vec<Cause> = errors(text, properties).into_iter().map(|error| error.cause).collect();
    assert_eq!(causes, [Cause::AcceptanceCycle]);
}
