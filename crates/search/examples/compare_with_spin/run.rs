//! Running SPIN and Plimsoll, each as a program of its own, and what they say.

use certificate::verdict::ProgressReading;
use search::{Control, ErrorPolicy, Outcome, Properties, Reduction, SearchOptions, StopReason, Traces};
use std::path::PathBuf;
use std::process::Command;

/// What is asked of Plimsoll.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Question {
    Safety,
    Reduced,
    Acceptance(Reduction),
    NonProgress(Reduction),
}

const QUESTIONS: [Question; 6] = [
    Question::Safety,
    Question::Reduced,
    Question::Acceptance(Reduction::Full),
    Question::Acceptance(Reduction::Reduced),
    Question::NonProgress(Reduction::Full),
    Question::NonProgress(Reduction::Reduced),
];

/// What a run says.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Processor time.
    pub seconds: f64,
    pub states: u64,
    pub transitions: u64,
    pub errors: u64,
    pub bytes_per_state: f64,
}

/// A verifier that SPIN has made of a model.
pub struct Pan {
    folder: PathBuf,
    /// Processor time of `spin` and `gcc`.
    pub preparing: f64,
}

/// Options of a verifier that fit its model.
pub struct Fit(Vec<String>);

impl Pan {
    /// Generates and compiles the verifier.
    pub fn make(text: &str, level: &str, defines: &[&str]) -> Result<Pan, String> {
        let number = text
            .bytes()
            .chain(defines.concat().bytes())
            .fold(0u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3).rotate_left(5));
        let folder =
            std::env::temp_dir().join(format!("compare-with-spin-{}-{number:x}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        std::fs::write(folder.join("model.pml"), text).map_err(|error| error.to_string())?;
        let mut pan = Pan { folder, preparing: 0.0 };
        let (spin, _) = pan.timed(&["spin", level, "-a", "model.pml"])?;
        let compile = ["gcc", "-O2", "-w", "-DMEMLIM=12000", "-o", "pan", "pan.c"];
        let (gcc, _) = pan.timed(&[&compile[..], defines].concat())?;
        pan.preparing = spin + gcc;
        Ok(pan)
    }

    /// A table with a place for each of so many states, and a stack that is just deep enough.
    pub fn fit(&self, states: u64, options: &[&str]) -> Result<Fit, String> {
        let table = states.max(1 << 16).next_power_of_two().ilog2();
        let mut depth = 10_000;
        loop {
            let own = [format!("-w{table}"), format!("-m{depth}")];
            let fit = Fit(options.iter().map(ToString::to_string).chain(own).collect());
            let (_, printed) = self.output(&fit)?;
            if !printed.contains("max search depth too small") || depth > 100_000_000 {
                return Ok(fit);
            }
            depth *= 4;
        }
    }

    /// Runs it.
    pub fn run(&self, fit: &Fit) -> Result<Figures, String> {
        let (seconds, printed) = self.output(fit)?;
        let number = |marker: &str| -> f64 {
            let line = printed.lines().find(|line| line.contains(marker)).unwrap_or("");
            line.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0.0)
        };
        let errors = printed.lines().find_map(|line| line.split_once("errors:"));
        let megabytes = match number("actual memory usage for states") {
            0.0 => number("equivalent memory usage"),
            megabytes => megabytes,
        };
        let states = number("states, stored");
        Ok(Figures {
            seconds,
            states: states as u64,
            transitions: number("transitions (=") as u64,
            errors: errors.and_then(|(_, count)| count.trim().parse().ok()).unwrap_or(0),
            bytes_per_state: megabytes * 1048576.0 / states.max(1.0),
        })
    }

    fn output(&self, Fit(options): &Fit) -> Result<(f64, String), String> {
        let mut command = vec!["./pan"];
        command.extend(options.iter().map(String::as_str));
        self.timed(&command)
    }

    fn timed(&self, command: &[&str]) -> Result<(f64, String), String> {
        timed(command, Some(&self.folder))
    }
}

impl Drop for Pan {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Processor time of a command, and what it printed.
fn timed(command: &[&str], folder: Option<&PathBuf>) -> Result<(f64, String), String> {
    let mut shell = Command::new("bash");
    shell.args(["-c", "TIMEFORMAT='%3U %3S'; time \"$@\"", "bash"]).args(command);
    if let Some(folder) = folder {
        shell.current_dir(folder);
    }
    let output = shell.output().map_err(|error| format!("{command:?}: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let times = said.lines().last().unwrap_or("").split_whitespace();
    let times: Vec<f64> = times.filter_map(|time| time.parse().ok()).collect();
    match times[..] {
        [user, system] => Ok((user + system, String::from_utf8_lossy(&output.stdout).into_owned())),
        _ => Err(format!("{command:?}: {said}")),
    }
}

/// Runs Plimsoll as a program of its own.
pub fn ours(text: &str, question: Question, threads: usize) -> Result<Figures, String> {
    let file = std::env::temp_dir().join(format!("compare-with-spin-{}.pml", std::process::id()));
    std::fs::write(&file, text).map_err(|error| error.to_string())?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let (program, path) = (program.display().to_string(), file.display().to_string());
    let (question, threads) = (format!("{question:?}"), threads.to_string());
    let ran = timed(&[&program, "--one", &path, &question, &threads], None);
    let _ = std::fs::remove_file(&file);
    let (seconds, printed) = ran?;
    let words: Vec<f64> = printed.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [states, transitions, errors, bytes_per_state] = words[..] else {
        return Err(printed);
    };
    let (states, transitions, errors) = (states as u64, transitions as u64, errors as u64);
    Ok(Figures { seconds, states, transitions, errors, bytes_per_state })
}

/// The program's other side: reads a model, searches it and prints the figures.
pub fn one(arguments: &[String]) -> Result<(), String> {
    let [file, question, threads] = arguments else { return Err("a file, a question, threads".to_string()) };
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let (model, diagnostics) = promela::read(file, &text, &promela::Options::default(), &promela::NoIncludes);
    if let Some(error) = diagnostics.iter().find(|d| d.severity == promela::diagnostic::Severity::Error) {
        return Err(format!("{error:?}"));
    }
    let (system, _) = system::lower::lower(model);
    let question = QUESTIONS.into_iter().find(|other| format!("{other:?}") == *question);
    let safety = Properties { end_states: true, ..Properties::safety() };
    let all = SearchOptions {
        threads: threads.parse().unwrap_or(1),
        errors: ErrorPolicy::All,
        // SPIN writes none with `-c0`.
        traces: Traces::OfTheFirst,
        // SPIN makes none.
        digest: false,
        ..SearchOptions::full()
    };
    let options = match question.ok_or("no such question")? {
        Question::Safety => all,
        Question::Reduced => SearchOptions { reduction: Reduction::Reduced, ..all },
        // Of cycles the first is enough, as it is for SPIN.
        Question::Acceptance(reduction) => SearchOptions {
            properties: Properties { acceptance: true, ..safety },
            errors: ErrorPolicy::First,
            reduction,
            ..all
        },
        Question::NonProgress(reduction) => SearchOptions {
            properties: Properties { non_progress: Some(ProgressReading::State), ..safety },
            errors: ErrorPolicy::First,
            reduction,
            ..all
        },
    };
    let report =
        search::explore(&system, &options, &Control::none()).map_err(|error| format!("{error:?}"))?;
    let is_answered = match report.outcome {
        Outcome::Complete => true,
        Outcome::Stopped(reason) => options.errors == ErrorPolicy::First && reason == StopReason::Error,
    };
    if !is_answered {
        return Err(format!("{:?}", report.outcome));
    }
    let counts = &report.counts;
    println!(
        "{} {} {} {}",
        counts.states,
        counts.transitions(),
        report.errors.len() + report.untraced.len(),
        counts.bytes_per_state()
    );
    Ok(())
}
