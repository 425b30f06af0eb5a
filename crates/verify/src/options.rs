//! What to ask, and how much it may cost.

use certificate::verdict::{Capacities as ProofCapacities, Fairness, ProgressReading};
use proofs::Budgets;
use search::fair::{Counters, FairOptions, Numbers, ProcessNumber};
use search::{Control, Engine, ErrorPolicy, SearchOptions, SearchReport};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use system::automaton::System;
use system::capacities::{Capacities, CapacityReading};
use system::clock::Instant;
use system::interpreter::RuntimeError;
use system::progress::ProgressAt;

/// What to ask, and how much it may cost.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Which questions.
    pub questions: Questions,
    /// How large buffers are when searching for errors, and for claims.
    pub capacities: Capacities,
    /// How large buffers are when proving.
    pub proof_capacities: ProofCapacities,
    /// How large buffers are for formulas.
    pub formula_capacities: CapacityReading,
    /// Which runs count for formulas, claims and progress.
    pub fairness: Fairness,
    /// Whether processes that nothing tells apart are counted.
    pub counters: Counters,
    /// Other numbers of processes than the model says, for formulas.
    pub processes: Vec<ProcessNumber>,
    /// For any number of processes, the largest number in one local state that is tried to be counted exactly.
    pub cutoff: u32,
    /// What counts as progress.
    pub progress: ProgressReading,
    /// Which statements are progress.
    pub progress_at: ProgressAt,
    /// Wall clock time for everything.
    pub time: Option<Duration>,
    /// When the time began; without it, with the check. Reading the model is part of what a person waits for.
    pub started: Option<Instant>,
    /// Bytes for all searches together.
    pub memory: Option<usize>,
    /// What a person is told that the limit was, where a part of it went elsewhere; without it, `memory`.
    pub memory_limit: Option<usize>,
    /// Go on for certificates and for tight bounds as long as there is time, although a search has decided what was asked.
    pub thorough: bool,
    /// Threads of a search.
    pub threads: usize,
    /// Whether engines work beside each other.
    pub engines: Engines,
    /// How to search.
    pub search: SearchKnobs,
    /// How hard to try to prove.
    pub budgets: Budgets,
}

/// Whether engines work beside each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engines {
    /// Each in a thread of its own.
    AtOnce,
    /// One after the other, all on the thread of the caller, searches too.
    InTurns,
}

impl Default for Engines {
    /// At once, where there are threads.
    fn default() -> Engines {
        if cfg!(target_family = "wasm") { Engines::InTurns } else { Engines::AtOnce }
    }
}

/// Which questions to ask, as far as the model makes them askable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Questions {
    /// All buffers, and each.
    pub buffers: bool,
    /// Progress.
    pub progress: bool,
    /// Invalid end states.
    pub deadlock: bool,
    /// Assertions and runtime errors.
    pub assertions: bool,
    /// `trace` and `notrace`.
    pub event_trace: bool,
    /// Never claims and acceptance labels of processes.
    pub claims: bool,
    /// The model's formulas.
    pub formulas: FormulaChoice,
}

/// Which formulas.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FormulaChoice {
    /// None.
    None,
    /// All of the model.
    All,
    /// Those with these names.
    Named(Vec<String>),
}

impl FormulaChoice {
    /// Whether the formula with a name is one of them.
    pub fn includes(&self, name: &str) -> bool {
        match self {
            FormulaChoice::None => false,
            FormulaChoice::All => true,
            FormulaChoice::Named(names) => names.iter().any(|wanted| wanted == name),
        }
    }
}

/// Whether states may be left out that matter for no property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coverage {
    /// Every statement is a step and every state is visited.
    Full,
    /// Of independent statements one order is tried.
    Reduced,
    /// Everything while that is not too much; then anew, reduced.
    FullWhileSmall,
}

/// How the search for errors works.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchKnobs {
    /// Whether states may be left out.
    pub coverage: Coverage,
    /// When to stop because of errors.
    pub errors: ErrorPolicy,
    /// Exact or lossy.
    pub engine: Engine,
    /// Stored states at the most.
    pub states: Option<u64>,
    /// Where a search for errors goes on when memory ends.
    pub disk: Option<search::Disk>,
    /// Who searches for errors, if not this process alone.
    pub explorer: Option<Explorer>,
}

impl CheckOptions {
    /// The proctypes of which any number of processes is asked for, by name, ascending; `None` if other numbers are given.
    pub fn any_number(&self, system: &System) -> Option<Vec<String>> {
        let name = |process: &ProcessNumber| match process.number {
            Numbers::Any => Some(system.model.proctypes[process.proctype.0 as usize].name.clone()),
            Numbers::Exactly(_) => None,
        };
        let names: Option<BTreeSet<String>> = self.processes.iter().map(name).collect();
        names.map(|names| names.into_iter().collect())
    }
}

/// Somebody who searches states. It leaves nothing out.
#[derive(Clone)]
pub struct Explorer(Arc<Explore>);

type Explore =
    dyn Fn(&System, &SearchOptions, &Control<'_>) -> Result<SearchReport, RuntimeError> + Send + Sync;

impl Explorer {
    /// The search is done by this.
    pub fn new(
        explore: impl Fn(&System, &SearchOptions, &Control<'_>) -> Result<SearchReport, RuntimeError>
        + Send
        + Sync
        + 'static,
    ) -> Explorer {
        Explorer(Arc::new(explore))
    }

    /// Searches.
    pub fn explore(
        &self,
        system: &System,
        options: &SearchOptions,
        control: &Control<'_>,
    ) -> Result<SearchReport, RuntimeError> {
        (self.0)(system, options, control)
    }
}

impl fmt::Debug for Explorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Explorer")
    }
}

/// The same one.
impl PartialEq for Explorer {
    fn eq(&self, other: &Explorer) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Explorer {}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions {
            questions: Questions::all(),
            capacities: Capacities::Declared,
            proof_capacities: ProofCapacities::Any,
            formula_capacities: CapacityReading::Declared,
            fairness: Fairness::None,
            counters: Counters::Auto,
            processes: Vec::new(),
            cutoff: FairOptions::default().cutoff,
            progress: ProgressReading::Transition,
            progress_at: ProgressAt::Labels,
            time: Some(Duration::from_secs(60)),
            started: None,
            memory: None,
            memory_limit: None,
            thorough: false,
            threads: 1,
            engines: Engines::default(),
            search: SearchKnobs::default(),
            budgets: Budgets::default(),
        }
    }
}

impl Default for SearchKnobs {
    fn default() -> SearchKnobs {
        SearchKnobs {
            coverage: Coverage::FullWhileSmall,
            errors: ErrorPolicy::All,
            engine: Engine::Fast,
            states: None,
            disk: None,
            explorer: None,
        }
    }
}

impl Questions {
    /// Everything.
    pub fn all() -> Questions {
        Questions {
            buffers: true,
            progress: true,
            deadlock: true,
            assertions: true,
            event_trace: true,
            claims: true,
            formulas: FormulaChoice::All,
        }
    }

    /// Nothing.
    pub fn none() -> Questions {
        Questions {
            buffers: false,
            progress: false,
            deadlock: false,
            assertions: false,
            event_trace: false,
            claims: false,
            formulas: FormulaChoice::None,
        }
    }
}
