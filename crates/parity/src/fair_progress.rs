//! Progress of fair runs held against SPIN's `-DNP -l -f`.

use crate::formulas::{Comparable, comparable};
use crate::generate;
use crate::graph::Settings;
use crate::input;
use crate::reference::Limits as ReferenceLimits;
use crate::spin::{Compiler, Workplace};
use crate::verdicts;
use certificate::verdict::{ProgressReading, Verdict};
use search::fair::{FairOptions, check_progress};
use search::{Control, Limits};
use std::time::Duration;
use system::automaton::System;
use system::clock::Instant;
use system::progress::ProgressAt;

/// What random models, or given ones, came to where only fair runs count.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Both say that there is no livelock.
    pub free: u64,
    /// Both say that there is one.
    pub livelocks: u64,
    /// One of the two was not asked or has no answer.
    pub open: u64,
    /// Models about which they cannot both be right.
    pub different: Vec<String>,
}

impl Tally {
    fn add(&mut self, name: &str, ours: Option<bool>, theirs: Result<bool, String>) {
        match (ours, theirs) {
            (Some(true), Ok(true)) => self.livelocks += 1,
            (Some(false), Ok(false)) => self.free += 1,
            (None, _) | (_, Err(_)) => self.open += 1,
            (Some(ours), Ok(theirs)) => self.different.push(format!("{name}: {ours}, SPIN: {theirs}")),
        }
    }
}

/// Random models under weak fairness.
pub fn random(count: u64, seed: u64) -> Tally {
    let mut tally = Tally::default();
    let mut number = seed;
    while tally.free + tally.livelocks + (tally.different.len() as u64) < count && number < seed + 20 * count
    {
        let mut model = generate::model(number);
        model.formulas.clear();
        let text = model.text();
        number += 1;
        if let (Ok(system), Ok(workplace)) = (input::read_text("model.pml", &text), Workplace::of_text(&text))
        {
            let settings = Settings {
                limits: ReferenceLimits { states: 20_000, time: Duration::from_secs(3), atomic_steps: 300 },
                compiler: Compiler::Quick,
                seconds: 5,
                depth: 50_000,
                table: 16,
            };
            let name = format!("model {}", number - 1);
            compare(&name, &system, &workplace, &settings, &mut tally);
        }
    }
    tally
}

/// One model. Where SPIN's fairness is another ([`comparable`]) nobody is asked.
pub fn compare(name: &str, system: &System, workplace: &Workplace, settings: &Settings, tally: &mut Tally) {
    let has_claim = !system.claims.is_empty() || !system.model.formulas.is_empty();
    let is_comparable = comparable(system, settings.limits.states as usize) == Comparable::WithFairness;
    if has_claim || !is_comparable || system.model.features.number_of_processes {
        tally.open += 1;
        return;
    }
    let options = FairOptions {
        fairness: omega::Fairness::Weak,
        diagnose: false,
        limits: Limits {
            states: Some(settings.limits.states),
            memory: Some(1 << 30),
            deadline: Some(Instant::now() + settings.limits.time),
        },
        ..FairOptions::default()
    };
    let report =
        check_progress(system, &ProgressAt::Labels, ProgressReading::State, &options, &Control::none());
    let ours = match report.verdict {
        Verdict::Proved(_) => Some(false),
        Verdict::Violated(_) => Some(true),
        Verdict::Unknown(_) => None,
    };
    if ours.is_some() {
        tally.add(name, ours, verdicts::fair_non_progress(workplace, settings));
    } else {
        tally.open += 1;
    }
}
