//! `parity`: compares Plimsoll with SPIN. Exit code 1 if anything differs.

mod survey;

use clap::{Parser, Subcommand};
use omega::Fairness;
use parity::campaign::{self, Plan};
use parity::cycles::Answers;
use parity::dependencies;
use parity::everything;
use parity::formulas::Comparable;
use parity::graph::{Comparison, Settings};
use parity::input::{self, EXAMPLES};
use parity::output::Compared;
use parity::reference::Limits;
use parity::spin::{Compiler, Workplace};
use parity::steps::Followed;
use parity::together;
use parity::trails::{self, Told, Trail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use system::interpreter::Capacities;

#[derive(Parser)]
#[command(name = "parity", about = "Compares Plimsoll with SPIN, model by model")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Control flow: state numbers, edges, atomic, labels
    Automata {
        /// Models; SPIN's examples if there are none
        models: Vec<PathBuf>,
    },
    /// Whole state graphs: states, transitions, errors
    Graph {
        /// Models; SPIN's examples if there are none
        models: Vec<PathBuf>,
        /// Seconds for each model and each side
        #[arg(long, default_value_t = 60)]
        seconds: u32,
        /// Most states of the reference
        #[arg(long, default_value_t = 3_000_000)]
        states: u64,
    },
    /// Acceptance cycles, non-progress cycles, never claims: the verdicts
    Cycles {
        /// Models; SPIN's examples if there are none
        models: Vec<PathBuf>,
        /// Seconds for each question and each side
        #[arg(long, default_value_t = 60)]
        seconds: u32,
    },
    /// Temporal formulas: the verdict of every `ltl` block, and under weak fairness where every run is infinite
    Formulas {
        /// Models; SPIN's examples if there are none
        models: Vec<PathBuf>,
        /// Seconds for each question and each side
        #[arg(long, default_value_t = 60)]
        seconds: u32,
    },
    /// Random formulas over random models; those that differ are made small
    RandomFormulas {
        /// How many pairs of a model and a formula
        #[arg(long, default_value_t = 2000)]
        pairs: u64,
        /// Gives the models
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// How many at a time
        #[arg(long, default_value_t = 2)]
        threads: usize,
    },
    /// Random formulas over random models under every fairness: the engine against the slowest decision there is
    Fairness {
        /// How many models
        #[arg(long, default_value_t = 5000)]
        count: u64,
        /// Gives the models
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Most states of a model
        #[arg(long, default_value_t = 300)]
        states: usize,
    },
    /// Random protocols with formulas: what is proved for every capacity is violated with none
    Capacities {
        /// How many pairs of a model and a formula
        #[arg(long, default_value_t = 5000)]
        pairs: u64,
        /// Gives the pairs
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Weakly fair runs without progress: SPIN's `-DNP -l -f`
    FairProgress {
        /// Models; SPIN's examples if there are none and no random ones are asked for
        models: Vec<PathBuf>,
        /// Random models on which both have an answer
        #[arg(long)]
        random: Option<u64>,
        /// Gives the models
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Seconds for each side
        #[arg(long, default_value_t = 10)]
        seconds: u32,
    },
    /// Random runs: SPIN finds the same steps at every state
    Steps {
        /// Models; SPIN's examples if there are none
        models: Vec<PathBuf>,
        /// How many steps for each model
        #[arg(long, default_value_t = 1000)]
        steps: usize,
        /// Gives the runs
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Deterministic runs: SPIN prints the same, line by line
    Output {
        /// Models; SPIN's examples if there are none
        models: Vec<PathBuf>,
        /// So many random models as well, which print everything
        #[arg(long, default_value_t = 0)]
        random: u64,
        /// Gives the random models
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Counterexamples as trails: `spin -t` replays ours and we replay SPIN's, to the same end
    Trails {
        /// Models; those of `models/` and SPIN's examples if there are none
        models: Vec<PathBuf>,
        /// Seconds for each model and each side
        #[arg(long, default_value_t = 10)]
        seconds: u32,
    },
    /// Random models, in the way of `graph`; those that differ are made small
    Random {
        /// How many
        #[arg(long, default_value_t = 2000)]
        count: u64,
        /// Gives the models
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// How many at a time
        #[arg(long, default_value_t = 2)]
        threads: usize,
        /// Stop after so many differences
        #[arg(long, default_value_t = 5)]
        differences: usize,
    },
    /// What `plimsoll check` says, against each question asked alone: what one decides the other must decide
    Alone {
        /// Models; SPIN's examples if there are none
        models: Vec<PathBuf>,
        /// For each way of asking
        #[arg(long, default_value_t = 5)]
        seconds: u32,
    },
    /// What `plimsoll check` says, against what SPIN's users see; with the time of each answer
    Verdicts {
        /// Models; SPIN's examples if there are none
        models: Vec<PathBuf>,
        /// Seconds for each model and each side
        #[arg(long, default_value_t = 20)]
        seconds: u32,
        /// Random models instead
        #[arg(long, conflicts_with = "models")]
        random: Option<u64>,
        /// Gives the random models
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Cycles and their dependencies: counts by strategy, the verdicts by cycles beside the portfolio's, each dependency tried on states
    Dependencies {
        /// Models; those of `models/` and SPIN's examples with channels if there are none, and none at all with `-`
        models: Vec<PathBuf>,
        /// Seconds for each model and each route
        #[arg(long, default_value_t = 5)]
        seconds: u32,
        /// Random models that are surveyed as well
        #[arg(long, default_value_t = 0)]
        random: u64,
        /// Gives the random models
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Most states that dependencies are tried on
        #[arg(long, default_value_t = 5_000)]
        states: usize,
    },
    /// Buffers and progress: what is proved, against the largest occupancy that search finds with buffers without limit
    Buffers {
        /// Models; SPIN's examples if there are none
        models: Vec<PathBuf>,
        /// Seconds for each model and each side
        #[arg(long, default_value_t = 10)]
        seconds: u32,
    },
    /// The search in memory, against the search on disk and by one to four processes: states, transitions, errors, peaks, digests
    Together {
        /// Models; those of `models/` and SPIN's examples if there are none
        models: Vec<PathBuf>,
        /// Seconds for each search in memory; the others may take longer
        #[arg(long, default_value_t = 20)]
        seconds: u64,
        /// Most states
        #[arg(long, default_value_t = 3_000_000)]
        states: u64,
    },
    /// Everything that must agree, on every random model: engines, reduction, threads, cycles, formulas, fairness, counters, proofs, any
    /// number of processes, and SPIN for some of them. Contradictions are made small
    All {
        /// How many seeds
        #[arg(long, default_value_t = 1000)]
        count: u64,
        /// The first seed: a run can be gone on with
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Every so many models SPIN is asked too; 0 for never
        #[arg(long, default_value_t = 0)]
        spin_every: u64,
        /// How many models at a time
        #[arg(long, default_value_t = 1)]
        threads: usize,
        /// Only comparisons whose name contains this
        #[arg(long)]
        only: Option<String>,
        /// Stop after so many contradictions
        #[arg(long, default_value_t = 20)]
        contradictions: usize,
    },
    /// The random model of one seed
    Show {
        /// As `all` has it
        #[arg(long)]
        everywhere: bool,
        /// As the comparison of any number has it
        #[arg(long, conflicts_with = "everywhere")]
        uncounted: bool,
        /// As `random` prints it
        seed: u64,
    },
}

fn main() -> ExitCode {
    let equal = match Arguments::parse().command {
        Command::Automata { models } => automata(&or_examples(models)),
        Command::Graph { models, seconds, states } => graph(&or_examples(models), seconds, states),
        Command::Together { models, seconds, states } => {
            let extent = together::Extent { states, time: Duration::from_secs(seconds) };
            compare_together(&or_all(models), &extent)
        }
        Command::Cycles { models, seconds } => cycles(&or_examples(models), seconds),
        Command::Formulas { models, seconds } => formulas(&or_examples(models), seconds),
        Command::RandomFormulas { pairs, seed, threads } => random_formulas(pairs, seed, threads),
        Command::Fairness { count, seed, states } => fairness(count, seed, states),
        Command::Capacities { pairs, seed } => capacities(pairs, seed),
        Command::FairProgress { random: Some(count), seed, .. } => {
            show_fair_progress(&parity::fair_progress::random(count, seed))
        }
        Command::FairProgress { models, seconds, .. } => fair_progress(&or_examples(models), seconds),
        Command::Steps { models, steps, seed } => follow(&or_examples(models), steps, seed),
        Command::Output { models, random, seed } => output(&or_examples(models), random, seed),
        Command::Trails { models, seconds } => trails(&or_all(models), seconds),
        Command::Random { count, seed, threads, differences } => {
            random(&Plan { count, seed, threads, most_differences: differences })
        }
        Command::Alone { models, seconds } => alone(&or_examples(models), seconds),
        Command::Buffers { models, seconds } => buffers(&or_examples(models), seconds),
        Command::Verdicts { random: Some(count), seed, .. } => random_verdicts(count, seed),
        Command::Verdicts { models, seconds, .. } => verdicts(&or_examples(models), seconds),
        Command::Dependencies { models, seconds, random, seed, states } => {
            let limits = dependencies::Limits {
                cycles: 1_000,
                time: Duration::from_secs(u64::from(seconds)),
                states,
                only_what_holds: false,
            };
            // Somebody who asks for random models only says so with a model that is none.
            let surveyed = models == [PathBuf::from("-")] || survey::models(&models, &limits);
            let only_what_holds = dependencies::Limits { only_what_holds: true, ..limits };
            survey::random(seed, random, &only_what_holds) && surveyed
        }
        Command::All { count, seed, spin_every, threads, only, contradictions } => {
            let most_contradictions = contradictions;
            everything(&everything::Plan { count, seed, spin_every, threads, only, most_contradictions })
        }
        Command::Show { seed, everywhere, uncounted } => {
            let model = match (everywhere, uncounted) {
                (true, _) => parity::generate::everywhere(seed),
                (_, true) => parity::generate::uncounted(seed),
                _ => parity::generate::model(seed),
            };
            print!("{}", model.text());
            true
        }
    };
    if equal { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn everything(plan: &everything::Plan) -> bool {
    let started = std::time::Instant::now();
    let tally = everything::run(plan, &|line| println!("{line}"));
    println!("{:>36} {:>8} {:>10} {:>8}", "comparison", "models", "answers", "seconds");
    for (name, (models, answers, seconds)) in &tally.by_comparison {
        println!("{name:>36} {models:>8} {answers:>10} {seconds:>8.1}");
    }
    for (code, count) in &tally.refused {
        println!("not read {count}: {code}");
    }
    let found = tally.contradictions.len();
    let mut by_name: BTreeMap<&str, u64> = BTreeMap::new();
    tally.contradictions.iter().for_each(|c| *by_name.entry(c.comparison).or_default() += 1);
    by_name.iter().for_each(|(name, count)| println!("contradicted {count}: {name}"));
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "all: seeds {} to {}: {} models in {seconds:.0} s, {found} contradictions",
        plan.seed,
        plan.seed + plan.count - 1,
        tally.models
    );
    found == 0
}

fn trails(models: &[PathBuf], seconds: u32) -> bool {
    let mut sums = [[0; 3]; 2];
    for path in models {
        let (Ok(workplace), Ok(system)) = (Workplace::of_file(path), input::read_file(path)) else {
            continue;
        };
        let name = path.strip_prefix(EXAMPLES).unwrap_or(path).display();
        let time = Duration::from_secs(u64::from(seconds));
        let told = [
            trails::ours_by_spin(&system, &workplace, time),
            trails::spins_by_us(&system, &workplace, seconds),
        ];
        for (way, told) in told.iter().enumerate() {
            let who = ["ours", "SPIN's"][way];
            for Told { question, trail } in told {
                let (word, why) = match trail {
                    Trail::Replayed => ("equal", ""),
                    Trail::NotComparable(why) => ("left out", why.as_str()),
                    Trail::Lost(why) => ("LOST", why.as_str()),
                };
                sums[way][["equal", "left out", "LOST"].iter().position(|w| *w == word).unwrap_or(0)] += 1;
                println!("{word:<10} {name}: {who}, {question} {why}");
            }
        }
    }
    let [[ours, our_rest, ours_lost], [theirs, their_rest, theirs_lost]] = sums;
    println!(
        "trails: ours replayed by SPIN {ours}, left out {our_rest}, lost {ours_lost}; \
         SPIN's replayed by us {theirs}, left out {their_rest}, lost {theirs_lost}"
    );
    ours_lost + theirs_lost == 0
}

fn or_examples(models: Vec<PathBuf>) -> Vec<PathBuf> {
    if models.is_empty() { input::models_below(Path::new(EXAMPLES)) } else { models }
}

/// Our own models and SPIN's examples.
fn or_all(models: Vec<PathBuf>) -> Vec<PathBuf> {
    if !models.is_empty() {
        return models;
    }
    let mut models = input::models_below(Path::new("models"));
    models.extend(input::models_below(Path::new(EXAMPLES)));
    models
}

fn compare_together(models: &[PathBuf], extent: &together::Extent) -> bool {
    let mut tally = Tally::default();
    for path in models {
        let system = match input::read_file(path) {
            Ok(system) => system,
            Err(errors) => {
                let why = format!("we refuse it: {}", errors.first().map_or("", |error| error));
                tally.note(path, Comparison::NotCompared(why));
                continue;
            }
        };
        for capacities in [Capacities::Declared, Capacities::Unbounded] {
            tally.note(path, together::compare(&system, capacities, extent));
        }
    }
    tally.show("together")
}

fn automata(models: &[PathBuf]) -> bool {
    let mut tally = Tally::default();
    for path in models {
        let outcome = compare_automata(path);
        tally.note(path, outcome);
    }
    tally.show("automata")
}

fn compare_automata(path: &Path) -> Comparison {
    let workplace = match Workplace::of_file(path) {
        Ok(w) => w,
        Err(e) => return Comparison::NotCompared(e.to_string()),
    };
    let system = input::read_file(path);
    let spin = workplace
        .generate()
        .and_then(|()| workplace.compile("table", Compiler::Quick, &["-DNOREDUCE"]))
        .and_then(|()| parity::automata::spin_automata(&workplace, "./table"));
    match (system, spin) {
        (Ok(system), Ok(spin)) => {
            let differences = parity::automata::differences(&system, &spin);
            let states = system.automata.iter().map(|a| a.locations.len() as u64).sum();
            let transitions = system.automata.iter().map(|a| a.edges.len() as u64).sum();
            if differences.is_empty() {
                Comparison::Equal { states, transitions }
            } else {
                Comparison::Different(differences)
            }
        }
        (Err(ours), Ok(_)) => Comparison::Different(ours),
        (Err(_), Err(theirs)) => Comparison::NotCompared(format!("both refuse it: {}", theirs.trim())),
        (Ok(_), Err(theirs)) => Comparison::NotCompared(format!("SPIN refuses it: {}", theirs.trim())),
    }
}

fn settings(seconds: u32, states: u64) -> Settings {
    Settings {
        limits: Limits { states, time: Duration::from_secs(u64::from(seconds)), atomic_steps: 100_000 },
        compiler: Compiler::Gcc("-O1"),
        seconds,
        depth: 1_000_000,
        table: 22,
    }
}

fn cycles(models: &[PathBuf], seconds: u32) -> bool {
    let settings = settings(seconds, 3_000_000);
    let mut tally = Tally::default();
    for path in models {
        let (Ok(workplace), Ok(system)) = (Workplace::of_file(path), input::read_file(path)) else {
            tally.note(path, Comparison::NotCompared("it cannot be read".to_string()));
            continue;
        };
        let name = path.strip_prefix(EXAMPLES).unwrap_or(path).display();
        for question in parity::cycles::questions(&system) {
            match parity::cycles::compare(&system, &workplace, question, &settings) {
                Answers::Equal(answer) => {
                    tally.equal += 1;
                    println!("equal      {name}: {question:?} {answer}");
                }
                Answers::Different(ours, theirs) => {
                    let difference = format!("{question:?} {ours}, SPIN {theirs}");
                    tally.note(path, Comparison::Different(vec![difference]));
                }
                Answers::NotCompared(why) => {
                    tally.note(path, Comparison::NotCompared(format!("{question:?}: {why}")));
                }
            }
        }
    }
    tally.show("cycles")
}

fn formulas(models: &[PathBuf], seconds: u32) -> bool {
    /// So many states are walked through to see whether every run is infinite.
    const MOST_STATES: usize = 200_000;
    let settings = settings(seconds, 3_000_000);
    let mut tally = Tally::default();
    for path in models {
        // A model that cannot be read is no matter of formulas.
        let (Ok(workplace), Ok(system)) = (Workplace::of_file(path), input::read_file(path)) else {
            continue;
        };
        if system.model.formulas.is_empty() {
            continue;
        }
        if let Err(why) = parity::formulas::prepare(&workplace, &settings) {
            tally.note(path, Comparison::NotCompared(why));
            continue;
        }
        let comparable = parity::formulas::comparable(&system, MOST_STATES);
        let fairness: &[Fairness] = match comparable {
            Comparable::WithFairness => &[Fairness::None, Fairness::Weak],
            _ => &[Fairness::None],
        };
        let name = path.strip_prefix(EXAMPLES).unwrap_or(path).display();
        for formula in &system.model.formulas {
            for &fairness in fairness {
                let asked = format!("ltl {} {fairness:?}", formula.name);
                match parity::formulas::compare(&system, &workplace, formula, fairness, &settings) {
                    Answers::Equal(violated) => {
                        tally.equal += 1;
                        println!("equal      {name}: {asked} violated: {violated} ({comparable:?})");
                    }
                    Answers::Different(ours, theirs) => {
                        let difference = format!("{asked} violated: {ours}, SPIN {theirs}");
                        tally.note(path, Comparison::Different(vec![difference]));
                    }
                    Answers::NotCompared(why) => {
                        tally.note(path, Comparison::NotCompared(format!("{asked}: {why}")));
                    }
                }
            }
        }
    }
    tally.show("formulas")
}

fn random_formulas(pairs: u64, seed: u64, threads: usize) -> bool {
    let tally = parity::formulas::random(pairs, seed, threads);
    for (seed, differences, model) in &tally.different {
        let (small, left) = parity::formulas::shrink_difference(model);
        println!("DIFFERENT  model {seed}: {}", differences.join("; "));
        println!("made small: {}\n{}", left.join("; "), small.text());
    }
    println!(
        "random formulas: seed {seed}: {} pairs, {} of them under weak fairness, {} violated, {} not compared, {} models \
         different",
        tally.pairs,
        tally.fair_pairs,
        tally.violated,
        tally.skipped,
        tally.different.len()
    );
    tally.different.is_empty()
}

fn capacities(pairs: u64, seed: u64) -> bool {
    let tally = parity::capacities::random(pairs, seed);
    for (seed, what) in &tally.wrong {
        println!("WRONG  pair {seed}: {what}");
    }
    println!(
        "every capacity: seed {seed}: {} pairs, {} proved by a certificate; of every fifth {} proved and {} violated; held against {} \
         searches; of changed certificates {} refused, {} hold; of {} pairs for any number of processes {} proved; \
         progress of fair runs proved of {}; {} wrong",
        tally.pairs,
        tally.certified,
        tally.searched,
        tally.violated,
        tally.compared,
        tally.refused,
        tally.changed,
        tally.counted,
        tally.of_any,
        tally.fairly_free,
        tally.wrong.len()
    );
    tally.wrong.is_empty()
}

fn fair_progress(models: &[PathBuf], seconds: u32) -> bool {
    let settings = settings(seconds, 200_000);
    let mut tally = parity::fair_progress::Tally::default();
    for path in models {
        if let (Ok(system), Ok(workplace)) = (input::read_file(path), Workplace::of_file(path)) {
            let name = path.display().to_string();
            parity::fair_progress::compare(&name, &system, &workplace, &settings, &mut tally);
        }
    }
    show_fair_progress(&tally)
}

fn show_fair_progress(tally: &parity::fair_progress::Tally) -> bool {
    for difference in &tally.different {
        println!("DIFFERENT  {difference}");
    }
    println!(
        "fair progress: {} without a livelock, {} with one, {} not compared, {} different",
        tally.free,
        tally.livelocks,
        tally.open,
        tally.different.len()
    );
    tally.different.is_empty()
}

fn fairness(count: u64, seed: u64, states: usize) -> bool {
    let mut all = parity::fair_reference::Agreement::default();
    for number in seed..seed + count {
        let model = parity::generate::model_with_formulas(number, 3);
        let one = parity::fair_reference::compare(&model.text(), states);
        if !one.differences.is_empty() {
            let differs = |candidate: &parity::generate::tree::ModelTree| {
                !parity::fair_reference::compare(&candidate.text(), states).differences.is_empty()
            };
            let small = parity::shrink::shrink(&model, &differs);
            println!(
                "DIFFERENT  model {number}: {}\nmade small:\n{}",
                one.differences.join("; "),
                small.text()
            );
        }
        all.add(one);
    }
    println!(
        "fairness: seed {seed}: {count} models, {} verdicts compared, {} of them violated, {} differ between fairness \
         conditions, {} not decided, {} different",
        all.compared,
        all.violated,
        all.sensitive,
        all.undecided,
        all.differences.len()
    );
    all.differences.is_empty()
}

fn graph(models: &[PathBuf], seconds: u32, states: u64) -> bool {
    let settings = settings(seconds, states);
    let mut tally = Tally::default();
    for path in models {
        let outcome = match (Workplace::of_file(path), input::read_file(path)) {
            (Ok(workplace), Ok(system)) => parity::graph::compare(&system, &workplace, &settings),
            (Ok(_), Err(errors)) => Comparison::NotCompared(format!("we refuse it: {}", errors.join("; "))),
            (Err(e), _) => Comparison::NotCompared(e.to_string()),
        };
        tally.note(path, outcome);
    }
    tally.show("graph")
}

fn follow(models: &[PathBuf], steps: usize, seed: u64) -> bool {
    let mut tally = Tally::default();
    for path in models {
        let outcome = match (Workplace::of_file(path), input::read_file(path)) {
            (Ok(workplace), Ok(system)) => parity::steps::follow(&system, &workplace, steps, seed),
            (Ok(_), Err(errors)) => Followed::NotCompared(format!("we refuse it: {}", errors.join("; "))),
            (Err(e), _) => Followed::NotCompared(e.to_string()),
        };
        let name = path.strip_prefix(EXAMPLES).unwrap_or(path).display();
        match outcome {
            Followed::Equal { steps, runs } => {
                tally.equal += 1;
                println!("equal      {name}: {steps} steps in {runs} runs");
            }
            Followed::Different(differences) => tally.note(path, Comparison::Different(differences)),
            Followed::NotCompared(why) => tally.note(path, Comparison::NotCompared(why)),
        }
    }
    tally.show("steps")
}

fn output(models: &[PathBuf], random: u64, seed: u64) -> bool {
    let mut tally = Tally::default();
    let texts = (seed..seed + random).map(|seed| (PathBuf::from(format!("random {seed}")), Some(seed)));
    for (path, seed) in models.iter().map(|path| (path.clone(), None)).chain(texts) {
        let found = match seed {
            Some(seed) => {
                let text = parity::output::model(seed);
                (Workplace::of_text(&text), input::read_text("model.pml", &text))
            }
            None => (Workplace::of_file(&path), input::read_file(&path)),
        };
        match found {
            (Ok(workplace), Ok(system)) => match parity::output::compare(&workplace, &system) {
                Compared::Equal(lines) => {
                    tally.equal += 1;
                    let name = path.strip_prefix(EXAMPLES).unwrap_or(&path).display();
                    println!("equal      {name}: {lines} lines");
                }
                Compared::Different { line, ours, spin } => {
                    let difference = format!("line {line}: {ours}, SPIN {spin}");
                    tally.note(&path, Comparison::Different(vec![difference]));
                }
                Compared::Not(why) => tally.note(&path, Comparison::NotCompared(why)),
            },
            (Ok(_), Err(errors)) => {
                let why = format!("we refuse it: {}", errors.join("; "));
                tally.note(&path, Comparison::NotCompared(why));
            }
            (Err(e), _) => tally.note(&path, Comparison::NotCompared(e.to_string())),
        }
    }
    // Every random model is deterministic: one that is not compared is one that somebody misread.
    tally.show("output") && u64::from(tally.equal) >= random
}

fn verdicts(models: &[PathBuf], seconds: u32) -> bool {
    let settings = settings(seconds, 3_000_000);
    let mut tally = Tally::default();
    for path in models {
        let (Ok(workplace), Ok(system)) = (Workplace::of_file(path), input::read_file(path)) else {
            tally.note(path, Comparison::NotCompared("it cannot be read".to_string()));
            continue;
        };
        let name = path.strip_prefix(EXAMPLES).unwrap_or(path).display();
        for pair in parity::verdicts::compare(&system, &workplace, &settings, &[]) {
            let theirs = match &pair.theirs {
                Ok(true) => "an error".to_string(),
                Ok(false) => "no error".to_string(),
                Err(why) => why.clone(),
            };
            let line = format!("{}: {} in {:.3} s, SPIN: {theirs}", pair.question, pair.ours, pair.seconds);
            if pair.contradicts() {
                tally.note(path, Comparison::Different(vec![line]));
            } else if pair.is_decided() {
                tally.equal += 1;
                println!("equal      {name}: {line}");
            } else {
                tally.note(path, Comparison::NotCompared(line));
            }
        }
    }
    tally.show("verdicts")
}

fn random_verdicts(count: u64, seed: u64) -> bool {
    let tally = parity::verdicts::random(count, seed);
    for (seed, differences, model) in &tally.different {
        let small = parity::verdicts::shrink_difference(model);
        println!("DIFFERENT  model {seed}: {}\nmade small:\n{}", differences.join("; "), small.text());
    }
    let different = tally.different.len();
    println!(
        "verdicts: seed {seed}: {count} random models, {} equal, {} not compared, {different} models different",
        tally.equal, tally.open
    );
    different == 0
}

/// A table with a block for each model that has buffers.
fn buffers(models: &[PathBuf], seconds: u32) -> bool {
    let (mut count, mut bounds, mut reached, mut contradicted) = (0, 0, 0, 0);
    let mut verdicts: BTreeMap<String, u64> = BTreeMap::new();
    for path in models {
        let Ok(system) = input::read_file(path) else { continue };
        if !parity::occupancy::has_buffers(&system) {
            continue;
        }
        let row = parity::occupancy::judge(&system, Duration::from_secs(seconds.into()));
        count += 1;
        bounds += row.compared.0;
        reached += row.compared.1;
        let word = |text: &str| text.split([' ', ':']).next().unwrap_or_default().to_string();
        *verdicts.entry(format!("buffers {}", word(&row.buffers))).or_default() += 1;
        if !row.progress.is_empty() {
            *verdicts.entry(format!("progress {}", word(&row.progress))).or_default() += 1;
        }
        let name = path.strip_prefix(EXAMPLES).unwrap_or(path).display();
        println!("{name} ({:.2} s; searched: {})", row.seconds, row.searched);
        println!("  buffers   {}", row.buffers);
        for line in row.bounds.chunks(8) {
            println!("            {}", line.join("   "));
        }
        for refinement in &row.refinements {
            println!("            {refinement}");
        }
        if !row.progress.is_empty() {
            println!("  progress  {}", row.progress);
        }
        for contradiction in &row.contradictions {
            contradicted += 1;
            println!("  CONTRADICTION {contradiction}");
        }
    }
    for (verdict, count) in &verdicts {
        println!("{count:>6} {verdict}");
    }
    println!(
        "buffers: {count} models, {bounds} bounds compared, {reached} reached, {contradicted} contradicted"
    );
    contradicted == 0
}

fn alone(models: &[PathBuf], seconds: u32) -> bool {
    let (mut count, mut decided, mut wrong) = (0, 0, 0);
    let mut ratios: Vec<f64> = Vec::new();
    for path in models {
        let time = Duration::from_secs(seconds.into());
        let Some(rows) = parity::alone::compare(path, time) else { continue };
        count += 1;
        let name = path.strip_prefix(EXAMPLES).unwrap_or(path).display();
        for row in rows {
            let Some((way, word, alone)) = row.alone else { continue };
            decided += 1;
            let (said, together) = row.together;
            ratios.push((together - 0.1).max(0.0) / alone.max(0.001));
            if row.is_wrong(time) {
                wrong += 1;
                println!(
                    "DIFFERENT  {name}: {}: {said}, but {way} says {word} after {alone:.3} s",
                    row.question
                );
            } else if together > 3.0 * alone + 0.1 {
                println!("SLOW       {name}: {}: {together:.3} s, {way} {alone:.3} s", row.question);
            }
        }
    }
    ratios.sort_by(f64::total_cmp);
    let within = ratios.iter().filter(|ratio| **ratio <= 3.0).count();
    println!(
        "alone: {count} models, {decided} questions decided alone, {wrong} not so among all others; {within} within 3 times and 0.1 s"
    );
    wrong == 0
}

fn random(plan: &Plan) -> bool {
    let tally = campaign::run(plan, &|tally| {
        if let Some((seed, differences, _)) = tally.different.last() {
            eprintln!("model {seed} differs: {}", differences.join("; "));
        }
    });
    for (why, count) in &tally.skipped {
        println!("not compared {count}: {why}");
    }
    for (seed, differences, model) in &tally.different {
        let (small, outcome) = campaign::shrink_difference(model);
        println!("DIFFERENT  model {seed}: {}", differences.join("; "));
        println!("made small: {outcome:?}\n{}", small.text());
    }
    println!(
        "random: seed {}: {} equal ({} states in all), {} equal with a runtime error, {} different",
        plan.seed,
        tally.equal,
        tally.states,
        tally.runtime_errors,
        tally.different.len()
    );
    tally.different.is_empty()
}

#[derive(Default)]
struct Tally {
    equal: u32,
    different: u32,
    not_compared: u32,
}

impl Tally {
    fn note(&mut self, path: &Path, outcome: Comparison) {
        let name = path.strip_prefix(EXAMPLES).unwrap_or(path).display();
        match outcome {
            Comparison::Equal { states, transitions } => {
                self.equal += 1;
                println!("equal      {name}: {states} states, {transitions} transitions");
            }
            Comparison::EqualRuntimeError => {
                self.equal += 1;
                println!("equal      {name}: runtime error");
            }
            Comparison::Different(differences) => {
                self.different += 1;
                println!("DIFFERENT  {name}");
                for line in differences.iter().take(12) {
                    println!("             {line}");
                }
            }
            Comparison::NotCompared(why) => {
                self.not_compared += 1;
                println!("not compared {name}: {}", why.lines().next().unwrap_or(""));
            }
        }
    }

    fn show(&self, what: &str) -> bool {
        println!(
            "{what}: {} equal, {} different, {} not compared",
            self.equal, self.different, self.not_compared
        );
        self.different == 0
    }
}
