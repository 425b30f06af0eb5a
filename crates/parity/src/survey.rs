//! The table of `parity dependencies`.

use parity::dependencies::{self, Comparison, Limits, Portfolio, Survey};
use parity::input::{self, EXAMPLES};
use std::path::{Path, PathBuf};
use system::interpreter::Capacities;

/// Surveys models, a line each; without any, those of `models/` and SPIN's examples with channels. Whether nothing is wrong.
pub fn models(models: &[PathBuf], limits: &Limits) -> bool {
    let found = if models.is_empty() { ours_and_spins() } else { models.to_vec() };
    println!(
        "{:<44} {:>6} {:>7} {:>5}  {:>5} {:>5} {:>5} {:>8}  {:>5} {:>5}  {:>5}  {:<24} progress",
        "model", "cycles", "vectors", "types", "MC", "ND", "PC", "improved", "SC", "FC", "tried", "buffers"
    );
    let mut tally = Tally::default();
    for path in &found {
        let name = path.strip_prefix(EXAMPLES).unwrap_or(path).display().to_string();
        let system = match input::read_file(path) {
            // Without channels there is nothing that cycles could say of each other but by shared variables.
            Ok(system) if models.is_empty() && system.model.channel_types.is_empty() => continue,
            Ok(system) => system,
            Err(errors) => {
                println!("{name:<44} refused: {}", errors.first().map_or("", String::as_str));
                continue;
            }
        };
        match dependencies::survey(&system, limits) {
            Ok(survey) => {
                println!("{}", row(&name, &survey));
                survey.wrong.iter().for_each(|wrong| println!("WRONG      {name}: {wrong}"));
                tally.add(&survey);
            }
            Err(why) => {
                tally.skipped += 1;
                println!("{name:<44} {why}");
            }
        }
    }
    tally.show()
}

/// Surveys random models: what the route over cycles proves against search, and its dependencies against the states. Whether nothing is
/// wrong.
pub fn random(seed: u64, count: u64, limits: &Limits) -> bool {
    let mut tally = Tally::default();
    let mut contradicted = 0;
    for number in seed..seed + count {
        let model = parity::generate::model(number);
        let survey_of = |text: &str| {
            let system = input::read_text("random.pml", text).ok()?;
            let mut survey = dependencies::survey(&system, limits).ok()?;
            let more = dependencies::try_dependencies(&system, Capacities::Fixed(1), limits.states).ok()?;
            survey.tried += more.tried;
            survey.wrong.extend(more.refuted);
            Some(survey)
        };
        let Some(survey) = survey_of(&model.text()) else {
            tally.skipped += 1;
            continue;
        };
        tally.add(&survey);
        if !survey.wrong.is_empty() {
            contradicted += 1;
            let is_wrong = |candidate: &parity::generate::tree::ModelTree| {
                survey_of(&candidate.text()).is_some_and(|survey| !survey.wrong.is_empty())
            };
            let small = parity::shrink::shrink(&model, &is_wrong);
            println!("WRONG      model {number}: {}", survey.wrong.join("; "));
            println!("made small:\n{}", small.text());
        }
    }
    if count == 0 {
        return true;
    }
    println!("random models: seed {seed}, {count} of them, {contradicted} contradicted");
    tally.show()
}

fn ours_and_spins() -> Vec<PathBuf> {
    let mut models = input::models_below(Path::new("models"));
    let theirs = input::models_below(Path::new(EXAMPLES));
    if theirs.is_empty() {
        println!("skipped: SPIN's examples are not installed in {EXAMPLES}");
    }
    models.extend(theirs);
    models
}

fn row(name: &str, survey: &Survey) -> String {
    let (cycles, vectors, types) = survey.sizes;
    let counts = &survey.counts;
    let [mc, nd, pc, improved] = counts.conditions.map(|c| c.size);
    format!(
        "{name:<44} {cycles:>6} {vectors:>7} {types:>5}  {mc:>5} {nd:>5} {pc:>5} {improved:>8}  {:>5} {:>5}  {:>5}  {:<24} {}",
        counts.senders.size,
        counts.fastened.size,
        survey.tried,
        both(&survey.buffers),
        both(&survey.progress)
    )
}

fn both(comparison: &Comparison) -> String {
    let by_cycles = if comparison.by_cycles { "holds" } else { "-" };
    let portfolio = match comparison.portfolio {
        Portfolio::Certificate => "certificate",
        Portfolio::Searched => "searched",
        Portfolio::Violated => "VIOLATED",
        Portfolio::Unknown => "-",
        Portfolio::NotAsked => "not asked",
    };
    format!("{by_cycles:<5} / {portfolio}")
}

#[derive(Default)]
struct Tally {
    models: usize,
    skipped: usize,
    tried: usize,
    wrong: usize,
    buffers: Proved,
    progress: Proved,
}

/// Who proves how much.
#[derive(Default)]
struct Proved {
    both: usize,
    cycles_only: usize,
    portfolio_only: usize,
    refuted: usize,
    neither: usize,
}

impl Tally {
    fn add(&mut self, survey: &Survey) {
        self.models += 1;
        self.tried += survey.tried;
        self.wrong += survey.wrong.len();
        self.buffers.add(&survey.buffers);
        self.progress.add(&survey.progress);
    }

    fn show(&self) -> bool {
        for (name, proved) in [("buffers", &self.buffers), ("progress", &self.progress)] {
            println!(
                "{name}: proved by both {}, only by cycles {}, only by the portfolio {}; violated {}, proved by neither {}",
                proved.both, proved.cycles_only, proved.portfolio_only, proved.refuted, proved.neither
            );
        }
        println!(
            "dependencies: {} models ({} too large), {} dependencies tried on states, {} wrong",
            self.models, self.skipped, self.tried, self.wrong
        );
        self.wrong == 0
    }
}

impl Proved {
    fn add(&mut self, comparison: &Comparison) {
        let counter = match (comparison.by_cycles, comparison.portfolio) {
            (_, Portfolio::NotAsked) => return,
            (_, Portfolio::Violated) => &mut self.refuted,
            (true, Portfolio::Certificate | Portfolio::Searched) => &mut self.both,
            (false, Portfolio::Certificate | Portfolio::Searched) => &mut self.portfolio_only,
            (true, Portfolio::Unknown) => &mut self.cycles_only,
            (false, Portfolio::Unknown) => &mut self.neither,
        };
        *counter += 1;
    }
}
