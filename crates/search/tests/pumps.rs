//! Directed searches: pumps, fullest states, lassos; and what an exploration sees beside its states.

use certificate::potential::Progress;
use certificate::pump::{ConfirmedPump, PumpQuestion};
use certificate::trace::{Trace, replay};
use certificate::verdict::ProgressReading;
use promela::{NoIncludes, Options};
use search::lassos::{LassoOptions, LassoOutcome, Unclear};
use search::pumps::{DirectedOutcome, PumpOptions, PumpReport};
use search::{
    Cause, Control, Engine, ErrorPolicy, Limits, Outcome, Properties, SearchOptions, SearchReport,
    StopReason, Terminated, explore, fullest, lassos, pumps,
};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use system::automaton::{AutomatonId, System};
use system::interpreter::Capacities;
use system::progress::{ProgressAt, ProgressPlace};
use system::state::{ChannelId, Pid};

fn system(text: &str) -> System {
    let (model, diagnostics) = promela::read("test.pml", text, &Options::default(), &NoIncludes);
    let errors = diagnostics.iter().filter(|d| d.severity == promela::diagnostic::Severity::Error);
    assert_eq!(errors.count(), 0, "{diagnostics:?}");
    system::lower::lower(model).0
}

/// So that a test that fails ends.
fn a_minute() -> Limits {
    let deadline = Some(Instant::now() + Duration::from_secs(60));
    Limits { deadline, memory: Some(1 << 30), states: None }
}

/// Pumps until each of these buffers has one.
fn pumps_of(text: &str, question: PumpQuestion, buffers: &[u32]) -> (PumpReport, Vec<ConfirmedPump>) {
    let system = system(text);
    let open: RefCell<BTreeSet<ChannelId>> = RefCell::new(buffers.iter().map(|&id| ChannelId(id)).collect());
    let mut found = Vec::new();
    let options = PumpOptions {
        question,
        is_open: &|channel| open.borrow().contains(&channel),
        suspicious: &BTreeSet::new,
        limits: a_minute(),
    };
    let report = pumps::find(&system, &options, &Control::none(), &mut |pump| {
        pump.grows.iter().for_each(|channel| {
            open.borrow_mut().remove(channel);
        });
        found.push(pump);
        ControlFlow::Continue(())
    });
    let Ok(report) = report else { panic!("no initial state") };
    (report, found)
}

#[test]
fn each_buffer_that_grows_has_a_pump_of_its_own() {
    let text = "chan c = [1] of { byte }; chan d = [1] of { byte }; chan e = [1] of { byte };
        active proctype floods() { do :: c!1 od }
        active proctype passes_on() { byte x; do :: c?x; d!x od }
        active proctype asks() { e!1; e?_ }";
    let (report, found) = pumps_of(text, PumpQuestion::Unbounded, &[0, 1]);
    assert_eq!(report.outcome, DirectedOutcome::Reached);
    let grows: BTreeSet<u32> = found.iter().flat_map(|pump| &pump.grows).map(|channel| channel.0).collect();
    assert_eq!(grows, BTreeSet::from([0, 1]));
}

#[test]
fn where_nothing_is_open_nothing_is_found() {
    let text = "chan c = [1] of { byte }; active proctype floods() { do :: c!1 od }";
    let (report, found) = pumps_of(text, PumpQuestion::Unbounded, &[]);
    assert_eq!(report.outcome, DirectedOutcome::Reached);
    assert!(found.is_empty());
}

#[test]
fn finitely_many_states_have_no_pump_and_the_search_ends() {
    let text = "chan c = [1] of { byte }; chan d = [1] of { byte };
        active proctype asks() { do :: c!1; d?_ od }
        active proctype answers() { do :: c?_; d!1 od }";
    let (report, found) = pumps_of(text, PumpQuestion::Unbounded, &[0, 1]);
    assert_eq!(report.outcome, DirectedOutcome::Exhausted);
    assert!(found.is_empty());
}

#[test]
fn a_long_loop_is_found_where_those_who_would_empty_the_buffer_stand_still() {
    // Once round takes 250 steps of the counter, beside which a dozen processes could do this and that.
    let text = "chan out = [1] of { byte };
        active proctype counts() { byte n; do :: n < 250 -> n++ :: else -> n = 0; out!1 od }
        active proctype takes() { do :: out?_ od }
        active [12] proctype idles() { byte k; do :: k++ od }";
    let (report, found) = pumps_of(text, PumpQuestion::Unbounded, &[0]);
    assert_eq!(report.outcome, DirectedOutcome::Reached);
    let steps = found[0].trace.steps.len() - found[0].repeat_from;
    assert!(steps > 250, "{steps}");
    assert!(found[0].trace.steps.iter().all(|step| step.process == 0));
}

#[test]
fn a_pump_may_add_a_process_each_time() {
    let text = "chan c = [1] of { byte };
        proctype sends() { c!1 }
        init { do :: run sends() od }";
    let (report, found) = pumps_of(text, PumpQuestion::Unbounded, &[0]);
    assert_eq!(report.outcome, DirectedOutcome::Reached);
    assert!(found[0].more_processes > 0);
}

#[test]
fn what_a_livelock_repeats_makes_no_progress() {
    let text = "chan c = [1] of { byte }; chan d = [1] of { byte };
        active proctype P() { do :: progress: c!1 :: d!1 od }";
    let (report, found) = pumps_of(text, PumpQuestion::Livelock(Progress::Labels), &[1]);
    assert_eq!(report.outcome, DirectedOutcome::Reached);
    assert_eq!(found[0].grows, [ChannelId(1)]);
    let always = "chan c = [1] of { byte }; active proctype P() { byte n; do :: progress: c!1; n++ od }";
    let system = system(always);
    let options = PumpOptions {
        question: PumpQuestion::Livelock(Progress::Labels),
        is_open: &|_| true,
        suspicious: &BTreeSet::new,
        limits: Limits { states: Some(10_000), ..a_minute() },
    };
    let mut count = 0;
    let report = pumps::find(&system, &options, &Control::none(), &mut |_| {
        count += 1;
        ControlFlow::Break(())
    });
    assert!(matches!(report, Ok(PumpReport { outcome: DirectedOutcome::Stopped(_), .. })));
    assert_eq!(count, 0);
}

#[test]
fn suspicious_statements_lead_to_a_pump_among_many_others() {
    let text = "chan c = [1] of { byte }; bool on;
        active [8] proctype noise() { byte n; do :: n++ :: n-- od }
        active proctype P() { byte n; do :: n < 9 -> n++ :: n == 9 -> c!1; n = 8 od }";
    let system = system(text);
    let edges = |name: &str| {
        let automaton = system.automata.iter().position(|automaton| automaton.name == name);
        AutomatonId(automaton.expect("a proctype") as u32)
    };
    let sender = edges("P");
    let all = 0..system.automaton(sender).edges.len() as u32;
    let all: BTreeSet<_> = all.map(|edge| (sender, system::automaton::EdgeId(edge))).collect();
    let options = PumpOptions {
        question: PumpQuestion::Unbounded,
        is_open: &|_| true,
        suspicious: &|| all.clone(),
        limits: a_minute(),
    };
    let mut found = Vec::new();
    let report = pumps::find(&system, &options, &Control::none(), &mut |pump| {
        found.push(pump);
        ControlFlow::Break(())
    });
    assert!(matches!(report, Ok(PumpReport { outcome: DirectedOutcome::Reached, .. })));
    assert_eq!(found[0].grows, [ChannelId(0)]);
}

#[test]
fn a_run_goes_straight_to_the_fullest_state_past_clocks_that_have_nothing_to_do_with_it() {
    let sends = "; c!1".repeat(20);
    let text = format!(
        "chan c = [2] of {{ byte }};\nactive proctype sender() {{ skip{sends} }}\n\
         active [4] proctype clock() {{ byte n; do :: n++ od }}\n"
    );
    let system = system(&text);
    let unbounded = Capacities::Unbounded;
    let found = fullest::find(&system, unbounded, ChannelId(0), 20, &a_minute(), &Control::none());
    let Ok(found) = found else { panic!("no initial state") };
    assert_eq!((found.outcome, found.messages), (DirectedOutcome::Reached, 20));
    let trace = Trace::new(&system, unbounded, &found.steps, None);
    let Ok(replayed) = replay(&system, &trace) else { panic!("it does not replay") };
    assert_eq!(replayed.state_before(found.steps.len()).channels[0].contents.len(), 20);
    let aside = found.steps.iter().filter(|step| step.process != Pid(0)).count();
    assert!(aside <= 4, "{aside} steps of the clocks");
}

#[test]
fn the_fullest_state_is_known_where_all_states_are() {
    let text = "chan c = [5] of { byte }; active proctype P() { do :: c!1; c!2; c?_; c?_ od }";
    let found =
        fullest::find(&system(text), Capacities::Declared, ChannelId(0), 5, &a_minute(), &Control::none());
    let Ok(found) = found else { panic!("no initial state") };
    assert_eq!((found.outcome, found.messages, found.steps.len()), (DirectedOutcome::Exhausted, 2, 2));
}

fn lasso(text: &str, capacities: Capacities, reading: ProgressReading) -> LassoOutcome {
    let options = LassoOptions { capacities, progress: ProgressAt::Labels, reading, limits: a_minute() };
    let Ok(outcome) = lassos::find(&system(text), &options, &Control::none()) else {
        panic!("no initial state")
    };
    outcome
}

const ALL: [Capacities; 2] = [Capacities::Declared, Capacities::Unbounded];
const READINGS: [ProgressReading; 2] = [ProgressReading::Transition, ProgressReading::State];

#[test]
fn a_run_that_stays_in_the_middle_of_an_atomic_sequence_is_a_lasso_by_statement() {
    let stuck = "byte x; active proctype P() { progress: atomic { x = 1; do :: x = 2 od } }";
    for capacities in [Capacities::Unbounded, Capacities::Declared] {
        let outcome = lasso(stuck, capacities, ProgressReading::Transition);
        assert!(matches!(outcome, LassoOutcome::Lasso(_)), "{outcome:?}");
    }
}

#[test]
fn a_run_that_stays_in_an_atomic_sequence_may_make_progress_there() {
    let busy = "byte x; active proctype P() { atomic { x = 1; do :: x = 2; progress: x = 3 od } }";
    let outcome = lasso(busy, Capacities::Declared, ProgressReading::Transition);
    assert!(matches!(outcome, LassoOutcome::None { unclear: None, .. }), "{outcome:?}");
}

#[test]
fn a_failing_guard_hides_no_run_that_stays_in_an_atomic_sequence() {
    let text = "byte x, z; active proctype F() { 1 / z == 0 } active proctype P() { atomic { x = 1; do :: x = 2 od } }";
    let outcome = lasso(text, Capacities::Declared, ProgressReading::Transition);
    assert!(matches!(outcome, LassoOutcome::Lasso(_)), "{outcome:?}");
}

#[test]
fn a_short_lasso_does_not_wait_for_a_large_graph() {
    // The graph of the counters is out of reach.
    let text = "int a, b, d, e; active proctype P() { do :: skip; skip :: a++ :: b++ :: d++ :: e++ od }";
    for (capacities, reading) in ALL.into_iter().zip(READINGS) {
        let outcome = lasso(text, capacities, reading);
        assert!(matches!(outcome, LassoOutcome::Lasso(_)), "{outcome:?}");
    }
}

#[test]
fn a_lasso_is_found_beside_a_buffer_that_is_filled_for_ever() {
    let text = "chan c = [1] of { byte };
        active [3] proctype floods() { progress: do :: c!1 od }
        active proctype waits() { do :: skip; skip od }";
    for reading in READINGS {
        let outcome = lasso(text, Capacities::Unbounded, reading);
        match (&outcome, reading) {
            (LassoOutcome::Lasso(_), ProgressReading::Transition) => {}
            // Whoever stands at a mark all the time makes progress all the time.
            (LassoOutcome::Stopped(StopReason::Memory(_) | StopReason::Deadline), ProgressReading::State) => {
            }
            _ => panic!("{reading:?} {outcome:?}"),
        }
    }
}

#[test]
fn no_lasso_is_missed_that_an_exploration_finds() {
    let models = [
        "chan c = [2] of { byte }; chan d = [2] of { byte };
         active proctype A() { do :: c!1; d?_ :: progress: c!2; d?_ od }
         active proctype B() { byte x; do :: c?x; d!x od }",
        "chan c = [2] of { byte }; active proctype A() { progress: do :: c!1; c?_ od }",
        "bool b; active proctype A() { do :: b = !b; progress: skip od } active proctype B() { b; !b }",
        "active proctype A() { byte n; do :: n < 5 -> n++ :: else -> break od }",
    ];
    for (text, capacities, reading) in
        models.iter().flat_map(|text| ALL.map(|c| (*text, c))).flat_map(|(t, c)| READINGS.map(|r| (t, c, r)))
    {
        let properties = Properties { non_progress: Some(reading), ..Properties::none() };
        let errors = ErrorPolicy::All;
        let options = SearchOptions { capacities, properties, errors, ..SearchOptions::full() };
        let Ok(report) = explore(&system(text), &options, &Control::none()) else {
            panic!("no initial state")
        };
        assert_eq!(report.outcome, Outcome::Complete);
        match lasso(text, capacities, reading) {
            LassoOutcome::Lasso(_) => assert_eq!(report.errors.len(), 1, "{text}"),
            LassoOutcome::None { states, unclear: None, .. } => {
                assert!(report.errors.is_empty(), "{text}");
                assert_eq!(states, report.counts.states);
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn progress_may_be_named_by_line() {
    let text = "bool b;\nactive proctype A() {\n  do\n  :: b = true\n  :: b = false\n  od\n}";
    let run = |lines: &[u32]| {
        let progress = ProgressAt::Places(lines.iter().map(|&line| ProgressPlace::Line(line)).collect());
        let reading = ProgressReading::Transition;
        let options =
            LassoOptions { capacities: Capacities::Declared, progress, reading, limits: a_minute() };
        lassos::find(&system(text), &options, &Control::none())
    };
    assert!(matches!(run(&[4]), Ok(LassoOutcome::Lasso(_))));
    assert!(matches!(run(&[4, 5]), Ok(LassoOutcome::None { unclear: None, .. })));
}

#[test]
fn runs_that_end_in_an_error_or_by_state_stay_in_an_atomic_are_unclear() {
    let fails = "byte a[2]; byte i; active proctype P() { do :: i < 3 -> a[i] = 1; i++ :: else -> break od }";
    for capacities in ALL {
        let outcome = lasso(fails, capacities, ProgressReading::Transition);
        assert!(
            matches!(outcome, LassoOutcome::None { unclear: Some(Unclear::Error(_)), .. }),
            "{outcome:?}"
        );
        let endless = "bool b; active proctype P() { atomic { do :: b = !b od } }";
        let outcome = lasso(endless, capacities, ProgressReading::State);
        assert!(
            matches!(outcome, LassoOutcome::None { unclear: Some(Unclear::EndlessAtomic), .. }),
            "{outcome:?}"
        );
    }
}

fn unbounded(text: &str, terminated: Terminated) -> SearchReport {
    let options = SearchOptions {
        capacities: Capacities::Unbounded,
        properties: Properties::none(),
        errors: ErrorPolicy::All,
        terminated,
        limits: a_minute(),
        ..SearchOptions::full()
    };
    let Ok(report) = explore(&system(text), &options, &Control::none()) else { panic!("no initial state") };
    report
}

fn peaks(report: &SearchReport) -> Vec<u32> {
    report.channels.iter().map(|channel| channel.peak).collect()
}

#[test]
fn a_buffer_is_fullest_in_the_middle_of_a_step() {
    let text = "chan c = [5] of { byte }; chan r = [0] of { byte };
        active proctype P() { d_step { c!1; c!2; c?<_>; c!3; c?_; c?_; c?_ } r!1 }
        active proctype Q() { r?_ }";
    assert_eq!(peaks(&unbounded(text, Terminated::Kept)), [3, 0]);
    let options = SearchOptions { engine: Engine::Reference, ..SearchOptions::full() };
    let Ok(report) = explore(&system(text), &options, &Control::none()) else { panic!("no initial state") };
    assert_eq!(peaks(&report), [3, 0]);
}

#[test]
fn a_step_that_fails_has_filled_the_buffer_before() {
    let text = "chan c = [5] of { byte }; byte a[1]; byte i = 1;
        active proctype P() { d_step { c!1; c!2; c?_; a[i] = 1 } }";
    let report = unbounded(text, Terminated::Kept);
    assert_eq!(peaks(&report), [2]);
    assert!(!report.proves());
}

#[test]
fn who_talks_to_whom_and_which_values_there_are_is_seen() {
    let text = "chan c = [5] of { byte };
        active proctype sends() { byte n; do :: n < 3 -> n++; c!n :: else -> break od; n = 0 }
        active proctype takes() { byte x; do :: c?x od }
        init { run sends() }";
    let observed = unbounded(text, Terminated::Kept).observed;
    assert_eq!(observed.traffic.starters, BTreeSet::from([Pid(2)]));
    assert_eq!(observed.traffic.received, BTreeSet::from([(Pid(1), ChannelId(0))]));
    assert_eq!(observed.traffic.sent, BTreeSet::from([(Pid(0), ChannelId(0)), (Pid(3), ChannelId(0))]));
    assert_eq!(observed.locals[&(AutomatonId(0), 0)], BTreeSet::from([0, 1, 2, 3]));
}

#[test]
fn without_terminated_processes_a_server_that_starts_workers_for_ever_has_few_states() {
    // The first worker never ends, so that none of those after it dies.
    let text = "chan c = [1] of { byte }; chan done = [1] of { byte };
        proctype worker(byte n) { if :: n == 0 -> false :: else -> c!n; done!1 fi }
        init { byte x; run worker(0); do :: run worker(1); c?x; done?_ od }";
    let kept = unbounded(text, Terminated::Kept);
    assert!(kept.meets_limit());
    let away = unbounded(text, Terminated::TakenAway);
    assert_eq!((away.outcome, away.meets_limit()), (Outcome::Complete, false));
    assert!(away.proves() && away.counts.states < 100, "{:?}", away.counts);
    assert_eq!(peaks(&away), [1, 1]);
}

#[test]
fn without_terminated_processes_peaks_are_those_of_the_model_and_rendezvous_and_atomics_stay() {
    let text = "chan c = [1] of { byte }; chan r = [0] of { byte }; chan d = [1] of { byte };
        proctype ends_at_once() { skip }
        proctype hands_over(byte n) { r!n }
        proctype takes() { byte x; atomic { r?x; c!x; c!x; r?x }; d!x }
        active proctype last() { byte x; c?x; c?x; d?x }
        init { atomic { run hands_over(1); run ends_at_once(); run takes(); run hands_over(2) } c!5 }";
    let (kept, away) = (unbounded(text, Terminated::Kept), unbounded(text, Terminated::TakenAway));
    assert_eq!((kept.outcome, away.outcome), (Outcome::Complete, Outcome::Complete));
    assert_eq!(peaks(&kept), peaks(&away));
    assert!(away.counts.states < kept.counts.states);
    assert_eq!(kept.observed.locals, away.observed.locals);
}

#[test]
fn terminated_processes_stay_where_somebody_could_notice() {
    let text = "byte most; chan c = [1] of { byte };
        proctype P() { skip }
        init { run P(); run P(); most = _nr_pr; c!1 }";
    let (kept, away) = (unbounded(text, Terminated::Kept), unbounded(text, Terminated::TakenAway));
    assert_eq!(kept.counts.states, away.counts.states);
    assert_eq!(kept.digest, away.digest);
}

#[test]
fn without_terminated_processes_nothing_has_a_trace() {
    let text = "byte a[1]; byte i = 1; proctype P() { skip } init { run P(); a[i] = 1 }";
    let away = unbounded(text, Terminated::TakenAway);
    assert!(away.errors.is_empty() && !away.proves());
    assert!(matches!(away.untraced[..], [Cause::Statement { assertion: false, .. }]));
    let loops = "proctype P() { skip } init { run P(); do :: skip od }";
    let options = SearchOptions {
        properties: Properties { non_progress: Some(ProgressReading::Transition), ..Properties::none() },
        terminated: Terminated::TakenAway,
        ..SearchOptions::full()
    };
    let Ok(report) = explore(&system(loops), &options, &Control::none()) else { panic!("no initial state") };
    assert_eq!((report.outcome, &report.untraced[..]), (Outcome::Complete, &[Cause::NonProgressCycle][..]));
}

#[test]
fn on_our_models_lassos_and_explorations_agree() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    let files = std::fs::read_dir(folder).expect("the folder of models");
    let paths = files.map(|file| file.expect("a file").path());
    let mut compared = 0;
    for path in paths.filter(|path| path.extension().is_some_and(|extension| extension == "pml")) {
        let text = std::fs::read_to_string(&path).expect("a model");
        let (model, _) = promela::read("test.pml", &text, &Options::default(), &NoIncludes);
        let system = system::lower::lower(model).0;
        for (capacities, reading) in ALL.into_iter().flat_map(|c| READINGS.map(|r| (c, r))) {
            // Large models say nothing here, and need not take long.
            let deadline = Some(Instant::now() + Duration::from_millis(100));
            let limits = Limits { states: Some(5_000), deadline, memory: None };
            let properties = Properties { non_progress: Some(reading), ..Properties::none() };
            let errors = ErrorPolicy::All;
            let options = SearchOptions { capacities, properties, errors, limits, ..SearchOptions::full() };
            let Ok(report) = explore(&system, &options, &Control::none()) else { continue };
            let options = LassoOptions { capacities, progress: ProgressAt::Labels, reading, limits };
            let Ok(outcome) = lassos::find(&system, &options, &Control::none()) else { continue };
            assert!(!matches!(outcome, LassoOutcome::Stopped(StopReason::TraceNotConfirmed)));
            if report.outcome != Outcome::Complete {
                continue;
            }
            compared += 1;
            let has_cycle = report.errors.iter().any(|group| group.cause == Cause::NonProgressCycle);
            match outcome {
                LassoOutcome::Lasso(_) => assert!(has_cycle, "{path:?} {capacities:?} {reading:?}"),
                LassoOutcome::None { .. } => assert!(!has_cycle, "{path:?} {capacities:?} {reading:?}"),
                LassoOutcome::Stopped(_) => compared -= 1,
            }
        }
    }
    assert!(compared > 50, "{compared}");
}
