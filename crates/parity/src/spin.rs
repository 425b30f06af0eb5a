//! SPIN as a black box: `spin -a`, gcc, and the verifier `pan` that comes out, each under a time limit.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// A folder with a model in it, and whatever SPIN leaves beside it.
pub struct Workplace {
    folder: TempDir,
    model: String,
}

/// How a verifier is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// As fast as possible: tcc, which takes a twentieth of gcc's time, if it is installed.
    Quick,
    /// gcc with this option.
    Gcc(&'static str),
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this exit code.
    Exited(i32),
    /// It was stopped at its time limit.
    TimedOut,
    /// By a signal: pan divides by zero as its processor does.
    Crashed,
}

/// A program's output and end.
#[derive(Clone, Debug)]
pub struct Run {
    /// Standard output and error.
    pub output: String,
    /// How it ended.
    pub ending: Ending,
}

/// The figures that a verifier prints.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Figures {
    /// States, stored.
    pub stored: u64,
    /// States, matched.
    pub matched: u64,
    /// Atomic steps.
    pub atomic_steps: u64,
    /// The number of errors.
    pub errors: u64,
    /// The search ran into its depth limit, so the figures say nothing.
    pub depth_exceeded: bool,
    /// What was wrong, without repetitions: the text after `pan:N:`.
    pub messages: Vec<String>,
}

impl Workplace {
    /// A copy of the model's folder: models include their neighbours.
    pub fn of_file(path: &Path) -> io::Result<Workplace> {
        let folder = TempDir::new()?;
        let beside = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        for entry in std::fs::read_dir(beside)? {
            let entry = entry?;
            // What an earlier run of SPIN left there is not part of the model.
            let is_left_over = entry.file_name().to_string_lossy().starts_with("pan.");
            if entry.file_type()?.is_file() && !is_left_over {
                std::fs::copy(entry.path(), folder.path().join(entry.file_name()))?;
            }
        }
        let model = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Workplace { folder, model })
    }

    /// A folder with just this text.
    pub fn of_text(text: &str) -> io::Result<Workplace> {
        let folder = TempDir::new()?;
        std::fs::write(folder.path().join("model.pml"), text)?;
        Ok(Workplace { folder, model: "model.pml".to_string() })
    }

    /// The model's file in the folder.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Where everything is.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// `spin -o3 -a`: the verifier's source, without statement merging. The error is what SPIN says.
    pub fn generate(&self) -> Result<(), String> {
        let run = self.run("spin", &["-o3", "-a", &self.model], 20).map_err(|e| e.to_string())?;
        if run.ending == Ending::Exited(0) && self.folder().join("pan.c").is_file() {
            Ok(())
        } else {
            Err(run.output)
        }
    }

    /// Compiles the verifier.
    pub fn compile(&self, binary: &str, compiler: Compiler, options: &[&str]) -> Result<(), String> {
        let (program, optimise) = match compiler {
            Compiler::Quick if has_tcc() => ("tcc", "-w"),
            Compiler::Quick => ("gcc", "-O0"),
            Compiler::Gcc(optimise) => ("gcc", optimise),
        };
        let mut arguments = vec!["-w", optimise, "-o", binary];
        arguments.extend(options);
        arguments.push("pan.c");
        let run = self.run(program, &arguments, 120).map_err(|e| e.to_string())?;
        if run.ending == Ending::Exited(0) { Ok(()) } else { Err(run.output) }
    }

    /// Runs a program inside the folder, for at most so many seconds.
    pub fn run(&self, program: &str, arguments: &[&str], seconds: u32) -> io::Result<Run> {
        let done = Command::new("timeout")
            .arg("-k1")
            .arg(seconds.to_string())
            .arg(program)
            .args(arguments)
            .current_dir(self.folder())
            .stdin(Stdio::null())
            .output()?;
        let mut output = String::from_utf8_lossy(&done.stdout).into_owned();
        // What is said of errors begins a line, whatever was printed last.
        if !done.stderr.is_empty() && !output.is_empty() && !output.ends_with('\n') {
            output.push('\n');
        }
        output.push_str(&String::from_utf8_lossy(&done.stderr));
        let ending = match done.status.code() {
            Some(124 | 137) => Ending::TimedOut,
            // `timeout` reports a child that a signal ended as 128 + its number.
            Some(code) if code > 128 => Ending::Crashed,
            Some(code) => Ending::Exited(code),
            None => Ending::Crashed,
        };
        Ok(Run { output, ending })
    }
}

impl Figures {
    /// Reads what a verifier printed.
    pub fn parse(output: &str) -> Option<Figures> {
        let mut figures = Figures::default();
        let mut complete = false;
        for line in output.lines() {
            let text = line.trim();
            let number = || text.split_whitespace().next().and_then(count);
            if let Some((_, errors)) = text.split_once("errors: ") {
                figures.errors = count(errors.trim())?;
            } else if text.ends_with("states, stored") {
                figures.stored = number()?;
            } else if text.contains("states, matched") {
                figures.matched = number()?;
            } else if text.ends_with("atomic steps") {
                figures.atomic_steps = number()?;
                complete = true;
            } else if text.contains("max search depth too small") {
                figures.depth_exceeded = true;
            } else if let Some(message) = error_message(text)
                // An index out of range is checked by an assertion of SPIN's own, which is none of the model's.
                && let message = message.trim_start_matches("assertion violated - ").to_string()
                && !figures.messages.contains(&message)
            {
                figures.messages.push(message);
            }
        }
        complete.then_some(figures)
    }
}

fn has_tcc() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| Command::new("tcc").arg("-v").output().is_ok_and(|o| o.status.success()))
}

/// `pan:3: invalid end state (at depth 7)` says `invalid end state`.
fn error_message(line: &str) -> Option<String> {
    let rest = line.strip_prefix("pan:")?;
    let (number, message) = rest.split_once(": ")?;
    number.parse::<u64>().ok()?;
    let end = message.rfind(" (at depth").unwrap_or(message.len());
    Some(message[..end].trim().to_string())
}

/// A number as C's `%9.8g` prints it.
fn count(text: &str) -> Option<u64> {
    match text.parse::<u64>() {
        Ok(n) => Some(n),
        Err(_) => text.parse::<f64>().ok().map(|x| x.round() as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_what_the_verifier_prints() {
        let output = "pan:1: assertion violated (x==1) (at depth 3)\npan:2: invalid end state (at depth 9)\n\
            pan:5: invalid end state (at depth 4)\n\
            State-vector 36 byte, depth reached 9, errors: 5\n       12 states, stored\n        3 states, matched\n\
            \x20      15 transitions (= stored+matched)\n        7 atomic steps\n";
        let figures = Figures::parse(output).expect("complete");
        let expected = Figures {
            stored: 12,
            matched: 3,
            atomic_steps: 7,
            errors: 5,
            depth_exceeded: false,
            messages: vec!["assertion violated (x==1)".to_string(), "invalid end state".to_string()],
        };
        assert_eq!(figures, expected);
    }

    #[test]
    fn an_index_out_of_range_is_no_assertion_of_the_model() {
        let output = "pan:1: assertion violated - invalid array index (at depth 3)\n\
            State-vector 36 byte, depth reached 9, errors: 1\n       12 states, stored\n        3 states, matched\n\
            \x20      15 transitions (= stored+matched)\n        7 atomic steps\n";
        let figures = Figures::parse(output).expect("complete");
        assert_eq!(figures.messages, ["invalid array index"]);
    }

    #[test]
    fn output_of_a_verifier_that_did_not_finish_gives_no_figures() {
        assert_eq!(Figures::parse("pan:1: invalid end state (at depth 9)\n"), None);
    }
}
