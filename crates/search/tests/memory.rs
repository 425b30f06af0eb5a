//! Limits on memory are kept by searches under fairness and by those that go straight for something: the largest resident size is at most a
//! twentieth above. Each is measured in a process of its own, so that it finds no memory that another has left behind.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

use certificate::pump::PumpQuestion;
use certificate::verdict::{ProgressReading, StopReason as Reason, Verdict};
use omega::Fairness;
use search::fair::{Counters, FairOptions, Method, check_formula};
use search::lassos::{LassoOptions, LassoOutcome};
use search::pumps::{DirectedOutcome, PumpOptions};
use search::{Control, Limits, StopReason, fullest, lassos, pumps};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use system::automaton::System;
use system::interpreter::Capacities;
use system::progress::ProgressAt;
use system::state::ChannelId;

fn system(text: &str) -> System {
    let (model, diagnostics) = promela::read("test.pml", text, &Default::default(), &promela::NoIncludes);
    let errors = diagnostics.iter().filter(|d| d.severity == promela::diagnostic::Severity::Error);
    assert_eq!(errors.count(), 0, "{diagnostics:?}");
    system::lower::lower(model).0
}

const LIMIT: usize = 32 << 20;

fn limits() -> Limits {
    Limits { memory: Some(LIMIT), ..Limits::default() }
}

type Model = (&'static str, &'static str);

/// Every state has another value of a large array.
const LARGE_VALUES: Model = (
    "large values",
    "
    int a[60]; byte turn; chan c = [4] of { int };
    active [2] proctype P() {
        byte i;
        do
        :: a[i % 60] = a[(i + 7) % 60] * 3 + turn + 1; turn++
        :: i++; a[59]++
        :: progress: a[3] = a[3] + turn
        :: a[5] == 123456789 -> c!1
        od
    }
    ltl f { [] <> (a[5] != 123456789) }",
);

/// Many states of small values: what is kept for each state counts.
const SMALL_VALUES: Model = (
    "small values",
    "
    byte a, b, d, e; chan c = [4] of { byte };
    active [2] proctype P() {
        do
        :: a < 250 -> a++
        :: b < 250 -> b++
        :: d < 250 -> d++
        :: e < 250 -> e++
        :: a + b + d + e == 1000 -> c!1
        od
    }
    ltl f { [] <> (a + b + d + e < 1000 || c ?? [1] || len(c) == 0) }",
);

const BOTH: [Model; 2] = [LARGE_VALUES, SMALL_VALUES];

fn kilobytes(field: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find(|line| line.starts_with(field)).expect("a field");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
}

/// Tells a process of this test which model it is to be measured with.
const MEASURED: &str = "MEASURED";

/// Whether what is done takes no more memory than the limit allows; it must come to the limit.
fn keeps_the_limit(test: &str, models: &[Model], doing: impl Fn(&System) -> bool) {
    let Ok(model) = std::env::var(MEASURED) else {
        let this = std::env::current_exe().expect("a test has a program");
        for (name, _) in models {
            let mut command = std::process::Command::new(&this);
            let output = command.args([test, "--exact"]).env(MEASURED, name).output().expect("it starts");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        }
        return;
    };
    unsafe extern "C" {
        fn mallopt(parameter: i32, value: i32) -> i32;
    }
    const M_TRIM_THRESHOLD: i32 = -1;
    const M_MMAP_THRESHOLD: i32 = -3;
    // SAFETY: as in the program: it changes when the allocator gives memory back, nothing else.
    unsafe {
        mallopt(M_MMAP_THRESHOLD, 1 << 18);
        mallopt(M_TRIM_THRESHOLD, 1 << 21);
    }
    let (name, text) = models.iter().find(|(name, _)| *name == model).expect("one of these");
    let system = system(text);
    let (before, program) = (kilobytes("VmRSS:"), kilobytes("RssFile:"));
    assert!(doing(&system), "{name}: it does not come to the limit");
    // Pages of the program itself come in as they are first run: nobody has taken them.
    let taken = kilobytes("VmHWM:") - before - (kilobytes("RssFile:") - program);
    println!("{name}: {taken} KB");
    assert!(taken * 1024 <= LIMIT / 100 * 105, "{name}: {taken} KB");
}

fn comes_to_the_limit(system: &System, options: FairOptions) -> bool {
    let options = FairOptions { fairness: Fairness::Weak, limits: limits(), ..options };
    let report = check_formula(system, &system.model.formulas[0], &options, &Control::none());
    let is_full = |reason: &Reason| matches!(reason, Reason::MemoryLimit { .. });
    matches!(report.verdict, Verdict::Unknown(unknown) if is_full(&unknown.reason))
}

#[test]
fn fair_runs_on_remembered_steps() {
    // With small values a search for all runs comes first whose tables are still so small that the allocator keeps them.
    keeps_the_limit("fair_runs_on_remembered_steps", &[LARGE_VALUES], |system| {
        comes_to_the_limit(system, FairOptions { counters: Counters::Off, ..FairOptions::default() })
    });
}

#[test]
fn fair_runs_of_counted_processes() {
    keeps_the_limit("fair_runs_of_counted_processes", &BOTH, |system| {
        comes_to_the_limit(system, FairOptions { counters: Counters::On, ..FairOptions::default() })
    });
}

#[test]
fn fair_runs_step_by_step() {
    keeps_the_limit("fair_runs_step_by_step", &BOTH, |system| {
        let (method, counters) = (Method::Computed, Counters::Off);
        comes_to_the_limit(system, FairOptions { method, counters, ..FairOptions::default() })
    });
}

#[test]
fn pumps_that_are_not_there() {
    keeps_the_limit("pumps_that_are_not_there", &BOTH, |system| {
        let options = PumpOptions {
            question: PumpQuestion::Unbounded,
            is_open: &|_| true,
            suspicious: &BTreeSet::new,
            limits: limits(),
        };
        let found = pumps::find(system, &options, &Control::none(), &mut |_| ControlFlow::Continue(()));
        let outcome = found.expect("it has a first state").outcome;
        outcome == DirectedOutcome::Stopped(StopReason::Memory(LIMIT))
    });
}

#[test]
fn lassos_that_are_not_there() {
    keeps_the_limit("lassos_that_are_not_there", &BOTH, |system| {
        let options = LassoOptions {
            capacities: Capacities::Unbounded,
            progress: ProgressAt::Labels,
            reading: ProgressReading::Transition,
            limits: limits(),
        };
        let found = lassos::find(system, &options, &Control::none()).expect("it has a first state");
        matches!(found, LassoOutcome::Stopped(StopReason::Memory(LIMIT)))
    });
}

#[test]
fn a_fullest_state_that_is_not_there() {
    keeps_the_limit("a_fullest_state_that_is_not_there", &BOTH, |system| {
        let control = Control::none();
        let found = fullest::find(system, Capacities::Declared, ChannelId(0), 4, &limits(), &control);
        let outcome = found.expect("it has a first state").outcome;
        outcome == DirectedOutcome::Stopped(StopReason::Memory(LIMIT))
    });
}
