//! Feeds the front end with mutilated models and heaps of tokens, and watches it for panics, hangs and places that do not
//! exist.
//!
//!     cargo run --release --manifest-path fuzz/Cargo.toml -- --seconds 600 models
//!
//! Case `n` of seed `s` is always the same text, so that a crash that takes the process with it (a stack overflow) is
//! found again with `--seed s --from n --trace` and shown with `--print` instead of `--trace`. Cases that fail are written to `fuzz/artifacts`, and `--replay FILE`
//! runs one of them.

mod check;
mod fragments;
mod generate;
mod random;
mod shrink;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use check::Outcome;
use generate::Seeds;

/// A front end that needs longer than this for a case of a few kilobytes hangs.
const LONGEST: Duration = Duration::from_secs(10);
const ARTIFACTS: &str = "fuzz/artifacts";
/// As much as the main thread of a program has.
const STACK: usize = 8 << 20;

struct Settings {
    seconds: u64,
    runs: u64,
    seed: u64,
    from: u64,
    trace: bool,
    print: bool,
    replay: Option<PathBuf>,
    folders: Vec<PathBuf>,
}

fn main() -> ExitCode {
    let settings = match settings() {
        Ok(settings) => settings,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || match &settings.replay {
        Some(path) => replay(path),
        None => fuzz(&settings),
    });
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        _ => ExitCode::from(1),
    }
}

fn settings() -> Result<Settings, String> {
    let mut settings = Settings {
        seconds: 60,
        runs: u64::MAX,
        seed: 1,
        from: 0,
        trace: false,
        print: false,
        replay: None,
        folders: Vec::new(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        let mut number = || value().and_then(|text| text.parse().map_err(|_| format!("{text} is no number")));
        match argument.as_str() {
            "--seconds" => settings.seconds = number()?,
            "--runs" => settings.runs = number()?,
            "--seed" => settings.seed = number()?,
            "--from" => settings.from = number()?,
            "--trace" => settings.trace = true,
            "--print" => settings.print = true,
            "--replay" => settings.replay = Some(value()?.into()),
            _ if argument.starts_with('-') => return Err(format!("unknown option {argument}")),
            _ => settings.folders.push(argument.into()),
        }
    }
    Ok(settings)
}

fn replay(path: &Path) -> ExitCode {
    let Ok(bytes) = fs::read(path) else {
        eprintln!("cannot read {}", path.display());
        return ExitCode::from(2);
    };
    let start = Instant::now();
    let outcome = check::run(&String::from_utf8_lossy(&bytes));
    println!("{outcome:?} in {:?}", start.elapsed());
    match outcome {
        Outcome::Fine { .. } => ExitCode::SUCCESS,
        Outcome::Failed(_) => ExitCode::from(1),
    }
}

fn fuzz(settings: &Settings) -> ExitCode {
    let seeds = Seeds::load(&settings.folders);
    if settings.print {
        print!("{}", seeds.case(settings.seed, settings.from));
        return ExitCode::SUCCESS;
    }
    println!("{} seed models, seed {}", seeds.len(), settings.seed);
    // The message of each panic comes back with the outcome; the default hook would only print it twice.
    std::panic::set_hook(Box::new(|_| {}));
    let watchdog = Watchdog::start(settings.seed);
    let start = Instant::now();
    let mut failures: Vec<String> = Vec::new();
    let (mut runs, mut accepted) = (0u64, 0u64);
    let mut number = settings.from;
    while runs < settings.runs && start.elapsed().as_secs() < settings.seconds {
        if settings.trace {
            eprintln!("{number}");
        }
        let text = seeds.case(settings.seed, number);
        watchdog.begin(number);
        let begun = Instant::now();
        match check::run(&text) {
            Outcome::Fine { accepted: yes } => accepted += u64::from(yes),
            Outcome::Failed(message) => report(&text, number, &message, &mut failures),
        }
        watchdog.end();
        if settings.trace {
            eprintln!("{number} {} bytes, {:?}", text.len(), begun.elapsed());
        }
        runs += 1;
        number += 1;
        if runs.is_multiple_of(50_000) {
            println!(
                "{runs} runs, {accepted} accepted, {} kinds of failures, {:?}",
                failures.len(),
                start.elapsed()
            );
        }
    }
    println!("{runs} runs, {accepted} accepted, {} kinds of failures, {:?}", failures.len(), start.elapsed());
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// Shrinks and keeps the first case of each failure.
fn report(text: &str, number: u64, message: &str, failures: &mut Vec<String>) {
    if failures.iter().any(|known| known == message) {
        return;
    }
    failures.push(message.to_owned());
    let small = shrink::shrink(text, |text| matches!(check::run(text), Outcome::Failed(m) if m == message));
    let path = Path::new(ARTIFACTS).join(format!("failure-{}-{number}.pml", failures.len()));
    let written = fs::create_dir_all(ARTIFACTS).and_then(|()| fs::write(&path, &small));
    println!("case {number}: {message}\n  {} bytes in {} ({written:?})", small.len(), path.display());
}

/// Ends the process when a case hangs, and says which one.
struct Watchdog {
    /// Number of the case plus one, or zero between cases.
    running: Arc<AtomicU64>,
}

impl Watchdog {
    fn start(seed: u64) -> Self {
        let running = Arc::new(AtomicU64::new(0));
        let watched = running.clone();
        std::thread::spawn(move || {
            let mut last = (0, Instant::now());
            loop {
                std::thread::sleep(Duration::from_millis(200));
                let now = watched.load(Ordering::Relaxed);
                if now != last.0 {
                    last = (now, Instant::now());
                } else if now != 0 && last.1.elapsed() > LONGEST {
                    println!("case {} of seed {seed} runs for more than {LONGEST:?}", now - 1);
                    std::process::exit(1);
                }
            }
        });
        Watchdog { running }
    }

    fn begin(&self, number: u64) {
        self.running.store(number + 1, Ordering::Relaxed);
    }

    fn end(&self) {
        self.running.store(0, Ordering::Relaxed);
    }
}
