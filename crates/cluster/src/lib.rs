//! One search by several processes, on one machine or on many.
//!
//! What a member of such a search does with states is in [`search::members`]; here is how members find each other ([`hosts`]), how they make
//! sure that nobody else takes part ([`handshake`]), what they tell each other ([`letter`]), and when a level is complete ([`drive`]): the data
//! flow is timely's (Murray et al., "Naiad: a timely dataflow system", 2013), where the timestamp of what is sent is the level that it
//! was found from, and a level is complete when the frontier has passed it.
//!
//! Invariants:
//! - only what all members of a generation have committed counts, and a search is complete only if they all say so in their last commit;
//! - a process that is lost ends its generation: the others stop with a word, and nothing is claimed ([`StopReason::Cluster`]);
//! - whatever is received is data: it is measured, compared with its checksum, and translated; nothing of it is executed.

mod drive;
mod handshake;
pub mod hosts;
mod letter;
mod wire;

pub use handshake::Secret;
pub use wire::is_about_a_connection;

use drive::{Drive, Ended};
use handshake::{Handshake, Joined};
use search::members::{Failure, Ground, Member, SharedFolder, Trouble, report};
use search::report::ClusterFigures;
use search::{Control, Outcome, SearchOptions, SearchReport, StopReason};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use system::automaton::System;
use system::interpreter::RuntimeError;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::{Allocator, Hooks};
use timely::worker::Worker;
use wire::Losses;

/// Where a process stands among those that search together.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Addresses of all processes, `host:port`.
    pub hosts: Vec<String>,
    /// Which of them this is.
    pub index: usize,
    /// The folder that all of them see.
    pub folder: PathBuf,
    /// Whether it holds a search that goes on.
    pub resume: bool,
    /// How long to wait until all processes are there.
    pub wait: Duration,
    /// How often what was found is committed.
    pub commit_every: Duration,
}

/// Why a process does not take part, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl From<Trouble> for Refusal {
    fn from(trouble: Trouble) -> Refusal {
        Refusal(trouble.to_string())
    }
}

/// Searches all states together with the others. The first process reports what all have found; what the others report is their part of it.
/// The error is that of a model without an initial state. `tell` hears of processes that were refused.
pub fn explore(
    system: &System,
    options: &SearchOptions,
    plan: &Plan,
    control: &Control<'_>,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<SearchReport, RuntimeError> {
    let ground = Ground::new(system, options)?;
    let searched = Together { ground: &ground, options, plan, control, tell }.run();
    Ok(searched.unwrap_or_else(|Refusal(trouble)| nothing(trouble)))
}

/// The report of a search that has nothing to say but what went wrong.
fn nothing(trouble: String) -> SearchReport {
    let cluster = ClusterFigures { trouble: Some(trouble), ..ClusterFigures::default() };
    SearchReport { cluster: Some(cluster), ..SearchReport::of(Outcome::Stopped(StopReason::Cluster)) }
}

struct Together<'t, 's> {
    ground: &'t Ground<'s>,
    options: &'t SearchOptions,
    plan: &'t Plan,
    control: &'t Control<'t>,
    tell: &'t (dyn Fn(&str) + Sync),
}

impl Together<'_, '_> {
    fn run(&self) -> Result<SearchReport, Refusal> {
        let plan = self.plan;
        let until = Instant::now() + plan.wait;
        let model = self.ground.system().fingerprint();
        let question = self.ground.question();
        let begun = match plan.index {
            0 => {
                let folder = match plan.resume {
                    true => SharedFolder::open(&plan.folder, model, &question)?,
                    false => SharedFolder::create(&plan.folder, model, &question)?,
                };
                Some((folder.begin_generation(self.ground.ownership(plan.hosts.len()))?, folder))
            }
            _ => None,
        };
        let secret = match plan.index {
            0 => Secret::of_folder(&plan.folder)?,
            _ => Secret::wait_for(&plan.folder, until)?,
        };
        let context = format!("{model}\n{question}\n{}", plan.hosts.join("\n"));
        let handshake = Handshake {
            hosts: &plan.hosts,
            index: plan.index,
            secret: &secret,
            context: &context,
            until,
            tell: self.tell,
            is_cancelled: &|| self.control.is_cancelled(),
        };
        let Joined { sockets, generation } =
            handshake.join(begun.as_ref().map(|(generation, _)| generation.number))?;
        let (generation, folder) = match begun {
            Some(begun) => begun,
            None => {
                let folder = SharedFolder::open(&plan.folder, model, &question)?;
                (folder.generation(generation)?, folder)
            }
        };
        let losses = Arc::new(Losses::default());
        let sockets = wire::watched(sockets, &losses);
        let before = folder.before(&generation)?;
        let own = folder.place(generation.number, plan.index);
        let who = (plan.index, &generation.ownership);
        let member = Member::new(self.ground, who, &own, folder.key(), before.as_ref());
        let hooks = Hooks::default();
        let local = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
        let networking = initialize_networking_from_sockets(local, sockets, plan.index, 1, hooks);
        let (mut builders, guard) = networking.map_err(|error| Refusal(format!("the network: {error}")))?;
        let Some(builder) = builders.pop() else { return Err(Refusal("the network".to_string())) };
        let drive = Drive { plan, options: self.options, control: self.control, losses: &losses };
        // A connection that breaks is a panic of timely's, on purpose: nobody can go on.
        let driven = catch_unwind(AssertUnwindSafe(|| {
            let now = Some(Instant::now());
            let mut worker = Worker::new(Default::default(), Allocator::Tcp(builder.build()), now);
            let ended = drive.run(&mut worker, member);
            while worker.has_dataflows() {
                worker.step_or_park(None);
            }
            ended
        }));
        let ended = match driven {
            Ok(ended) => {
                drop(guard);
                ended
            }
            Err(defect) => {
                // Its threads have ended, or will with the program.
                std::mem::forget(guard);
                match losses.first() {
                    Some((peer, why)) => Ended::lost(format!(
                        "process {peer} ({}) was lost: {why}",
                        plan.hosts.get(peer).map_or("?", |host| host)
                    )),
                    None => std::panic::resume_unwind(defect),
                }
            }
        };
        self.report(&folder, &generation, ended)
    }

    fn report(
        &self,
        folder: &SharedFolder,
        generation: &search::members::Generation,
        ended: Ended,
    ) -> Result<SearchReport, Refusal> {
        let Ended { stopped, trouble, wire_bytes } = ended;
        let trouble = trouble.map(|trouble| match folder.chain(generation) {
            Ok(Some(_)) => {
                format!("{trouble}; what was committed is kept: --resume {}", self.plan.folder.display())
            }
            _ => trouble,
        });
        if self.plan.index > 0 {
            let mut report = nothing(String::new());
            report.outcome = stopped.map_or(Outcome::Complete, Outcome::Stopped);
            report.cluster = Some(ClusterFigures { trouble, ..ClusterFigures::default() });
            return Ok(report);
        }
        let Some(chain) = folder.chain(generation)? else {
            return Err(Refusal(trouble.unwrap_or_else(|| "nothing was committed".to_string())));
        };
        let mut report = report(self.ground, &chain, stopped, self.control)?;
        let figures = chain.figures();
        report.cluster = Some(ClusterFigures {
            processes: self.plan.hosts.len() as u64,
            generations: chain.generations(),
            levels: chain.levels(),
            shares: chain.by_member().iter().map(|figures| figures.states).collect(),
            memory: chain.by_member().iter().map(|figures| figures.memory).collect(),
            sent: figures.sent,
            wire_bytes,
            log_bytes: chain.bytes(),
            trouble,
        });
        Ok(report)
    }
}

/// Why a member cannot go on, in words or as a reason.
fn reason_of(failure: Failure, hosts: &[String], folder: &Path) -> (StopReason, Option<String>) {
    match failure {
        Failure::Stopped(reason) => (reason, None),
        Failure::Disk(trouble) => (StopReason::Cluster, Some(trouble.to_string())),
        Failure::Garbled(garbled) => {
            let host = hosts.get(garbled.from).map_or("?", |host| host);
            let what = format!(
                "process {} ({host}) sent what makes no sense: {} (the search in `{}` can go on without it)",
                garbled.from,
                garbled.what,
                folder.display()
            );
            (StopReason::Cluster, Some(what))
        }
    }
}
