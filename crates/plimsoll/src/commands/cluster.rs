//! `plimsoll cluster MODEL`

use super::search::ErrorArguments;
use crate::ask::{self, OutputArguments};
use crate::exit;
use crate::files;
use crate::input::{self, ModelArguments};
use crate::limits::{LimitArguments, parse_time};
use crate::watch::interrupted;
use clap::Args;
use cluster::hosts;
use cluster::{Plan, explore};
use search::{Control, ErrorPolicy, Limits, Outcome, Properties, SearchOptions, StopReason};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;
use verify::{Coverage, Explorer};

/// Search the states with several processes: on one machine, or on many
///
/// Every process keeps its share of the states, and what it finds for another one it sends there. All of them see one folder (--disk), where
/// each writes down the levels that are complete: when a process is lost the others stop with UNKNOWN, and --resume goes on from there,
/// with as many processes as there are. Asks for deadlocks, assertions, runtime errors and event traces, and how full buffers get; cycles and formulas
/// need one machine.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll cluster models/perf-peterson.pml -DN=3 --processes 2\n  \
    plimsoll cluster big.pml --processes 4 --disk /data/run --time none\n  \
    plimsoll cluster big.pml --processes 3 --resume /data/run --time none\n  \
    plimsoll cluster big.pml --hosts hosts.txt --index 0 --disk /shared/run\n\n\
    A file of hosts has an address (host:port) on each line, and each machine its own --index. Without \
    --hosts the file is named by PLIMSOLL_HOSTS, without --index the number comes from PLIMSOLL_INDEX, \
    SLURM_PROCID or JOB_COMPLETION_INDEX: docs/cluster.md has a job for SLURM and one for Kubernetes.")]
pub struct Arguments {
    #[command(flatten)]
    pub model: ModelArguments,

    /// So many processes, all on this machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512), conflicts_with_all = ["hosts", "index"])]
    processes: Option<u16>,

    /// A file with the addresses of all processes, one on each line
    #[arg(long, value_name = "FILE")]
    hosts: Option<PathBuf>,

    /// Which of them this process is, from 0 on; the first one says what all have found
    #[arg(long, value_name = "I")]
    index: Option<usize>,

    /// A folder that all processes see, for a new search; with --processes it may be left out
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    disk: Option<PathBuf>,

    /// Go on with the search of this folder, with the same model and the same questions
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,

    /// How long to wait until all processes are there
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    wait: Duration,

    /// How often what was found is committed; what came later is searched again after a loss
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_duration)]
    commit: Duration,

    /// The error that is reached with the fewest steps; without it all errors are counted, grouped by cause
    #[arg(long)]
    shortest: bool,

    #[command(flatten)]
    errors: ErrorArguments,

    #[command(flatten)]
    pub limits: LimitArguments,

    #[command(flatten)]
    pub output: OutputArguments,
}

pub fn run(arguments: &Arguments) -> u8 {
    match arguments.take_part() {
        Ok(code) => code,
        Err(message) => {
            complain_line!("error: {message}");
            exit::ERROR
        }
    }
}

impl Arguments {
    fn take_part(&self) -> Result<u8, String> {
        match self.processes {
            Some(processes) => self.start(usize::from(processes)),
            None => {
                let (plan, index) = self.plan_of_hosts()?;
                Ok(if index == 0 { self.first(plan) } else { self.other(&plan) })
            }
        }
    }

    fn plan_of_hosts(&self) -> Result<(Plan, usize), String> {
        let named = self.hosts.clone().or_else(|| std::env::var_os(hosts::HOSTS_VARIABLE).map(PathBuf::from));
        let file = named.ok_or("who takes part? Say --processes N, or --hosts FILE and --index I")?;
        let text = std::fs::read_to_string(&file)
            .map_err(|error| format!("cannot read `{}`: {error}", file.display()))?;
        let hosts = hosts::parse(&text).map_err(|error| format!("`{}`: {error}", file.display()))?;
        let from_environment = || hosts::index_of_environment(|name| std::env::var(name).ok());
        let index = self.index.or_else(from_environment).ok_or("which process is this? Say --index I")?;
        if index >= hosts.len() {
            return Err(format!(
                "there is no process {index}: `{}` has {} hosts",
                file.display(),
                hosts.len()
            ));
        }
        let folder = self.disk.as_ref().or(self.resume.as_ref());
        let folder = folder.ok_or("name a folder that all processes see: --disk DIR, or --resume DIR")?;
        Ok((self.plan(hosts, index, folder), index))
    }

    fn plan(&self, hosts: Vec<String>, index: usize, folder: &Path) -> Plan {
        Plan {
            hosts,
            index,
            folder: folder.to_path_buf(),
            resume: self.resume.is_some(),
            wait: self.wait,
            commit_every: self.commit,
        }
    }

    /// Starts all processes on this machine, of which this one is the first.
    fn start(&self, processes: usize) -> Result<u8, String> {
        let named = self.disk.as_ref().or(self.resume.as_ref());
        let own = std::env::temp_dir().join(format!("plimsoll-cluster-{}", std::process::id()));
        let folder = named.map_or(own.as_path(), PathBuf::as_path);
        files::make_folder(folder)?;
        let hosts =
            hosts::of_this_machine(processes).map_err(|error| format!("cannot listen here: {error}"))?;
        let file = folder.join("hosts");
        files::write(&file, &(hosts.join("\n") + "\n"))?;
        let mut limits = self.limits.clone();
        limits.memory = self.limits.memory.or_else(|| Some(self.limits.memory()? / processes));
        let program = std::env::current_exe().map_err(|error| format!("cannot find myself: {error}"))?;
        let mut others: Vec<Child> = Vec::new();
        let mut failed = None;
        for index in 1..processes {
            let mut command = Command::new(&program);
            command.args(arguments_without_processes(std::env::args_os().skip(1)));
            command.arg("--hosts").arg(&file).arg("--index").arg(index.to_string());
            if named.is_none() {
                command.arg("--disk").arg(folder);
            }
            if self.limits.memory.is_none()
                && let Some(bytes) = limits.memory
            {
                command.arg("--memory").arg(bytes.to_string());
            }
            match command.stdin(Stdio::null()).stdout(Stdio::null()).spawn() {
                Ok(child) => others.push(child),
                Err(error) => {
                    failed = Some(format!("cannot start another process: {error}"));
                    break;
                }
            }
        }
        let code = match failed {
            None => {
                let plan = self.plan(hosts, 0, folder);
                self.first_with(plan, &limits)
            }
            Some(ref message) => {
                complain_line!("error: {message}");
                exit::ERROR
            }
        };
        for mut child in others {
            // Whoever was left alone notices it, but need not be waited for.
            if code == exit::ERROR || failed.is_some() {
                let _ = child.kill();
            }
            let _ = child.wait();
        }
        if named.is_none() {
            let _ = std::fs::remove_dir_all(folder);
        }
        Ok(code)
    }

    /// The first process says what all have found.
    fn first(&self, plan: Plan) -> u8 {
        self.first_with(plan, &self.limits)
    }

    fn first_with(&self, plan: Plan, limits: &LimitArguments) -> u8 {
        let mut options = self.errors.options();
        limits.apply(&mut options);
        options.search.coverage = Coverage::Full;
        options.search.errors = self.error_policy();
        options.search.explorer = Some(Explorer::new(move |system, options, control| {
            explore(system, options, &plan, control, &tell)
        }));
        ask::about_one_model(&self.model, &options, &self.output)
    }

    fn error_policy(&self) -> ErrorPolicy {
        if self.shortest { ErrorPolicy::Shortest } else { ErrorPolicy::All }
    }

    /// The others say only what went wrong.
    fn other(&self, plan: &Plan) -> u8 {
        let system = match input::load_quietly(&self.model.reading, &self.model.model) {
            Ok(system) => system,
            Err(unusable) => {
                complain_line!("error: process {}: {}", plan.index, unusable.message);
                return exit::ERROR;
            }
        };
        let options = SearchOptions {
            capacities: self.errors.capacity,
            properties: Properties {
                assertions: !self.errors.no_assertions,
                end_states: !self.errors.no_deadlock,
                event_trace: system.event_trace.is_some(),
                ..Properties::none()
            },
            errors: self.error_policy(),
            limits: Limits {
                states: self.limits.states,
                memory: self.limits.memory(),
                deadline: self.limits.time.end(),
            },
            ..SearchOptions::full()
        };
        let flag = interrupted();
        let cancelled = || flag.load(Ordering::Relaxed);
        let control = Control::none().cancelled_by(&cancelled);
        let Ok(report) = explore(&system, &options, plan, &control, &tell) else { return exit::PROVED };
        if let Some(trouble) = report.cluster.and_then(|figures| figures.trouble) {
            complain_line!("process {}: {trouble}", plan.index);
        }
        match report.outcome {
            Outcome::Complete | Outcome::Stopped(StopReason::Error) => exit::PROVED,
            Outcome::Stopped(_) => exit::UNKNOWN,
        }
    }
}

/// Somebody was refused.
fn tell(what: &str) {
    complain_line!("cluster: {what}");
}

/// What another process is started with: everything but how many there are.
fn arguments_without_processes(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut skips_next = false;
    for argument in arguments {
        let is_it = argument == "--processes";
        let is_whole = argument.to_str().is_some_and(|text| text.starts_with("--processes="));
        if !is_it && !is_whole && !skips_next {
            kept.push(argument);
        }
        skips_next = is_it;
    }
    kept
}

fn parse_duration(text: &str) -> Result<Duration, String> {
    parse_time(text)?.limit.ok_or_else(|| "there has to be a limit".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_process_is_started_with_everything_but_their_number() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        for text in ["cluster m.pml --processes 3 -DN=2", "cluster --processes=3 m.pml -DN=2"] {
            assert_eq!(arguments_without_processes(words(text).into_iter()), words("cluster m.pml -DN=2"));
        }
    }
}
