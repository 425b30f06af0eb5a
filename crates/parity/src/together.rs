//! One search in memory, held against the same search on disk and by one to four processes: states, transitions, errors, peaks, what was
//! seen, and the digest of all states.
//!
//! Processes are threads here, each with a memory and connections of its own; that they are real processes is tried by the tests of the
//! program.

use crate::graph::Comparison;
use cluster::{Plan, hosts};
use search::report::MOST_VALUES;
use search::{Cause, Control, Disk, ErrorPolicy, Limits, Outcome, SearchOptions, SearchReport, StopReason};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};
use system::automaton::System;
use system::interpreter::Capacities;

/// How large a search may be.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Most states.
    pub states: u64,
    /// For the search in memory; the others have more, because they do more.
    pub time: Duration,
}

/// Processes that search together.
const PROCESSES: [usize; 4] = [1, 2, 3, 4];
/// How much longer than the search in memory the others may take, at the least.
const PATIENCE: Duration = Duration::from_secs(60);
const TIMES_LONGER: u32 = 20;
/// Models with more states are not searched with a single byte of memory: it takes a pass over the disk for each level.
const SMALL: u64 = 500;
/// Bytes for each state with which there are many rounds and some suspects.
const LITTLE: usize = 4;

/// Compares all ways to search a model with buffers of these capacities.
pub fn compare(system: &System, capacities: Capacities, extent: &Extent) -> Comparison {
    let options = |time: Duration| SearchOptions {
        errors: ErrorPolicy::All,
        capacities,
        limits: Limits {
            states: Some(extent.states),
            memory: Some(4 << 30),
            deadline: Some(Instant::now() + time),
        },
        ..SearchOptions::full()
    };
    let began = Instant::now();
    let alone = match search::explore(system, &options(extent.time), &Control::none()) {
        Ok(report) => report,
        Err(error) => return Comparison::NotCompared(format!("it has no initial state: {}", error.kind)),
    };
    if let Outcome::Stopped(reason) = alone.outcome {
        return Comparison::NotCompared(format!("the search in memory stopped: {reason:?}"));
    }
    let time = PATIENCE.max(began.elapsed() * TIMES_LONGER);
    let states = alone.counts.states;
    let mut different = Vec::new();
    let mut not_compared = Vec::new();
    let mut judge = |way: String, report: Result<SearchReport, String>, has_levels: bool| match report {
        Ok(report) if report.outcome == Outcome::Stopped(StopReason::Deadline) => {
            not_compared.push(format!("{way} needs more than {} s", time.as_secs()));
        }
        Ok(report) => different.extend(
            differences(&alone, &report, has_levels)
                .into_iter()
                .map(|difference| format!("{way}: {difference}")),
        ),
        Err(error) => different.push(format!("{way}: {error}")),
    };
    // Either goes to the disk at once.
    let little = LITTLE * states as usize;
    for memory in if states <= SMALL { vec![1, little] } else { vec![little] } {
        judge(format!("on disk with {memory} bytes"), on_disk(system, options(time), memory), false);
    }
    for processes in PROCESSES {
        judge(format!("{processes} processes"), by_processes(system, &options(time), processes), true);
    }
    if !different.is_empty() {
        return Comparison::Different(different);
    }
    match not_compared.is_empty() {
        true => Comparison::Equal { states, transitions: states + alone.counts.matched },
        false => Comparison::NotCompared(not_compared.join("; ")),
    }
}

fn on_disk(system: &System, options: SearchOptions, memory: usize) -> Result<SearchReport, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let disk = Disk { folder: folder.path().to_path_buf(), resume: false };
    let limits = Limits { memory: Some(memory), ..options.limits };
    let options = SearchOptions { limits, disk: Some(disk), ..options };
    let report =
        search::explore(system, &options, &Control::none()).map_err(|error| error.kind.to_string())?;
    match &report.disk {
        Some(figures) if figures.trouble.is_none() => Ok(report),
        Some(figures) => Err(figures.trouble.clone().unwrap_or_default()),
        None => Err("it did not go to the disk".to_string()),
    }
}

fn by_processes(system: &System, options: &SearchOptions, processes: usize) -> Result<SearchReport, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let hosts = hosts::of_this_machine(processes).map_err(|error| error.to_string())?;
    let report = std::thread::scope(|scope| {
        let start = |index: usize| {
            let plan = Plan { index, ..plan(&hosts, folder.path()) };
            scope.spawn(move || cluster::explore(system, options, &plan, &Control::none(), &|_| {}))
        };
        let processes: Vec<_> = (0..processes).map(start).collect();
        let mut reports = processes.into_iter().map(|process| process.join());
        let first = reports.next();
        reports.for_each(drop);
        first
    });
    let report = match report {
        Some(Ok(Ok(report))) => report,
        Some(Ok(Err(error))) => return Err(error.kind.to_string()),
        Some(Err(_)) | None => return Err("a process panicked".to_string()),
    };
    match report.cluster.as_ref().map(|figures| figures.trouble.clone()) {
        Some(None) => Ok(report),
        trouble => Err(trouble.flatten().unwrap_or_default()),
    }
}

fn plan(hosts: &[String], folder: &Path) -> Plan {
    let (wait, commit_every) = (Duration::from_secs(60), Duration::from_millis(50));
    Plan { hosts: hosts.to_vec(), index: 0, folder: folder.to_path_buf(), resume: false, wait, commit_every }
}

/// In what a search differs from the one in memory.
fn differences(alone: &SearchReport, other: &SearchReport, has_levels: bool) -> Vec<String> {
    let mut different = Vec::new();
    let mut check = |what: &str, alone: String, other: String| {
        if alone != other {
            different.push(format!("{what} {other}, in memory {alone}"));
        }
    };
    check("outcome", format!("{:?}", alone.outcome), format!("{:?}", other.outcome));
    check("states", alone.counts.states.to_string(), other.counts.states.to_string());
    check("arrivals", alone.counts.matched.to_string(), other.counts.matched.to_string());
    check("atomic steps", alone.counts.atomic_steps.to_string(), other.counts.atomic_steps.to_string());
    check("digest", format!("{:?}", alone.digest), format!("{:?}", other.digest));
    check("peaks", peaks(alone), peaks(other));
    check("errors", errors(alone), errors(other));
    check("unreached", format!("{:?}", alone.unreached), format!("{:?}", other.unreached));
    check("observed", observed(alone), observed(other));
    if has_levels {
        check("depth", alone.counts.depth.to_string(), other.counts.depth.to_string());
    }
    different
}

/// Where there are many values, which of them are listed depends on who comes first.
fn observed(report: &SearchReport) -> String {
    let mut observed = report.observed.clone();
    observed.locals.values_mut().filter(|values| values.len() > MOST_VALUES).for_each(BTreeSet::clear);
    format!("{observed:?}")
}

fn peaks(report: &SearchReport) -> String {
    let peaks: Vec<_> = report.channels.iter().map(|peak| (peak.channel, peak.peak)).collect();
    format!("{peaks:?}")
}

fn errors(report: &SearchReport) -> String {
    let mut errors: Vec<(&Cause, u64)> =
        report.errors.iter().map(|group| (&group.cause, group.count)).collect();
    errors.sort();
    format!("{errors:?}")
}
