//! The same question put to SPIN, with the options that suit it best: its reduction (`-a`, with `-f` for weak fairness), `gcc -O2`.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long SPIN's verifier may run.
const MOST_SECONDS: u64 = 20;
/// SPIN's own limit.
const MOST_PROCESSES: u32 = 255;

/// What SPIN needed and found, in the words of a table; `-` if it cannot be asked.
pub fn ask(
    path: &str,
    formula: &str,
    fairness: &str,
    numbers: &[(String, String)],
    defines: &[(String, String)],
) -> String {
    let processes: Option<u32> = numbers.iter().map(|(_, number)| number.parse::<u32>().ok()).sum();
    match processes {
        Some(processes) if processes <= MOST_PROCESSES && fairness != "strong" => {
            let verifier = Verifier { path, formula, fairness, numbers, defines, processes };
            verifier.run().unwrap_or_else(|why| why)
        }
        _ => "-".to_string(),
    }
}

/// Whether what is needed to ask SPIN is here.
pub fn is_installed() -> bool {
    ["spin", "gcc"].iter().all(|program| {
        let version = if *program == "spin" { "-V" } else { "--version" };
        let run = Command::new(program).arg(version).stdout(Stdio::null()).stderr(Stdio::null()).status();
        run.is_ok_and(|status| status.success())
    })
}

struct Verifier<'a> {
    path: &'a str,
    formula: &'a str,
    fairness: &'a str,
    numbers: &'a [(String, String)],
    defines: &'a [(String, String)],
    processes: u32,
}

impl Verifier<'_> {
    fn run(&self) -> Result<String, String> {
        let folder = Folder::new()?;
        let mut text = std::fs::read_to_string(self.path).map_err(|error| error.to_string())?;
        for (proctype, number) in self.numbers {
            text = with_number(&text, proctype, number)
                .ok_or(format!("no `active [..] proctype {proctype}`"))?;
        }
        std::fs::write(folder.0.join("model.pml"), text).map_err(|error| error.to_string())?;
        let defines = self.defines.iter().map(|(name, value)| format!("-D{name}={value}"));
        let mut generate: Vec<String> = vec!["-a".to_string()];
        generate.extend(defines);
        generate.push("model.pml".to_string());
        folder.finish("spin", &generate)?;
        // SPIN has room for four processes in each; with less it gives no answer.
        let fair_words = format!("-DNFAIR={}", self.processes / 4 + 3);
        let compile = ["-O2", "-w", "-DVECTORSZ=16384", "-DMEMLIM=3000", &fair_words, "-o", "pan", "pan.c"];
        folder.finish("gcc", &compile.map(str::to_string))?;
        let mut arguments = vec!["-a", "-n", "-m2000000", "-N", self.formula];
        if self.fairness == "weak" {
            arguments.push("-f");
        }
        let started = Instant::now();
        let child =
            Command::new("./pan").args(arguments).current_dir(&folder.0).stdout(Stdio::piped()).spawn();
        let child = child.map_err(|error| error.to_string())?;
        let Some(output) = within(child, Duration::from_secs(MOST_SECONDS)) else {
            return Ok(format!("more than {MOST_SECONDS} s"));
        };
        let seconds = started.elapsed().as_secs_f64();
        let found = if output.contains("out of memory") || output.contains("MEMLIM") {
            "out of memory"
        } else if output.contains("acceptance cycle") || output.contains("assertion violated") {
            "VIOLATED"
        } else if output.contains("max search depth too small") {
            "deeper than its stack"
        } else if output.contains("errors: 0") {
            "no error"
        } else {
            "no answer"
        };
        Ok(format!("{seconds:.3} s {found}"))
    }
}

/// The text with another number of active processes of a proctype.
fn with_number(text: &str, proctype: &str, number: &str) -> Option<String> {
    let head = text.find(&format!("proctype {proctype}("))?;
    let open = text[..head].rfind("active [")? + "active [".len();
    let close = open + text[open..head].find(']')?;
    Some(format!("{}{number}{}", &text[..open], &text[close..]))
}

/// What a program prints, or nothing if it takes longer; then it is ended.
fn within(mut child: Child, limit: Duration) -> Option<String> {
    let started = Instant::now();
    while started.elapsed() < limit {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(Duration::from_millis(2)),
            Ok(Some(_)) => {
                let output = child.wait_with_output().ok()?;
                return Some(String::from_utf8_lossy(&output.stdout).into_owned());
            }
            Err(_) => break,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

/// A folder that is gone when it is no longer needed.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, String> {
        let path = std::env::temp_dir().join(format!("plimsoll-fairness-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|error| error.to_string())?;
        Ok(Folder(path))
    }

    fn finish(&self, program: &str, arguments: &[String]) -> Result<(), String> {
        let output = Command::new(program).args(arguments).current_dir(Path::new(&self.0)).output();
        match output {
            Ok(output) if output.status.success() => Ok(()),
            Ok(_) => Err(format!("{program} fails")),
            Err(error) => Err(format!("{program}: {error}")),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
