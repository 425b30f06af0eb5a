//! Runs the specification: every Markdown file under `spec/` is a test, and so is the page about the papers, `docs/papers.md`.
//!
//! Within a file, a fenced block ```` ```promela name.pml ```` (or `hoa`, `toml`, `text`) is a file that is written into a fresh folder, and a block
//! ```` ```console ```` is a dialogue: each line `$ plimsoll …` is run in that folder and must print exactly the lines that
//! follow it (standard output, then standard error). `[..]` stands for any text within a line, a line `...` for any number of
//! lines, `< name` gives a file to read, and `$ echo $?` asks for the exit code of the command before. Files of `models/` are there as `models/name.pml`.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    collect(&root.join("spec"), &mut files);
    files.push(root.join("docs/papers.md"));
    files.sort();
    let trials = files
        .into_iter()
        .map(|file| {
            let within = file.strip_prefix(root.join("spec")).or_else(|_| file.strip_prefix(&root));
            let name = within.unwrap_or(&file).display().to_string();
            let root = root.clone();
            Trial::test(name, move || run(&root, &file).map_err(Failed::from))
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, out);
        } else if path.extension().is_some_and(|e| e == "md") {
            out.push(path);
        }
    }
}

fn run(root: &Path, file: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let models = std::fs::canonicalize(root.join("models")).map_err(|e| e.to_string())?;
    std::os::unix::fs::symlink(models, folder.path().join("models")).map_err(|e| e.to_string())?;
    let mut commands = 0;
    for block in blocks(&text) {
        match block.info.split_whitespace().collect::<Vec<_>>()[..] {
            ["promela" | "hoa" | "toml" | "text", name] => {
                let path = folder.path().join(name);
                let parent = path.parent().unwrap_or(folder.path());
                std::fs::create_dir_all(parent).map_err(|e| e.to_string())?;
                std::fs::write(&path, block.body.join("\n") + "\n").map_err(|e| e.to_string())?;
            }
            ["console"] => commands += dialogue(folder.path(), &block)?,
            _ => {}
        }
    }
    if commands == 0 {
        return Err("the file runs no command".to_string());
    }
    Ok(())
}

struct Block<'t> {
    info: &'t str,
    line: usize,
    body: Vec<&'t str>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut out = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in text.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                open = Some(Block { info: info.trim(), line: number + 1, body: Vec::new() })
            }
            (Some(_), Some(_)) => out.extend(open.take()),
            (Some(block), None) => block.body.push(line),
            (None, None) => {}
        }
    }
    out
}

fn dialogue(folder: &Path, block: &Block) -> Result<usize, String> {
    let mut commands = 0;
    let mut exit_code = 0;
    let mut position = 0;
    while position < block.body.len() {
        let line = block.line + 1 + position;
        let Some(command) = block.body[position].strip_prefix("$ ") else {
            return Err(format!("line {line}: expected a command"));
        };
        position += 1;
        let end = block.body[position..].iter().position(|l| l.starts_with("$ "));
        let end = end.map_or(block.body.len(), |e| position + e);
        let expected = &block.body[position..end];
        position = end;
        commands += 1;
        let actual = if command == "echo $?" {
            exit_code.to_string()
        } else {
            let (code, output) = execute(folder, command)?;
            exit_code = code;
            output
        };
        let actual: Vec<&str> = actual.lines().collect();
        if !matches(expected, &actual) {
            let (expected, actual) = (expected.join("\n"), actual.join("\n"));
            return Err(format!(
                "line {line}: $ {command}\n--- expected\n{expected}\n--- printed\n{actual}\n---"
            ));
        }
    }
    Ok(commands)
}

fn execute(folder: &Path, command: &str) -> Result<(i32, String), String> {
    let (command, input) = match command.split_once(" < ") {
        Some((command, input)) => (command, Some(input)),
        None => (command, None),
    };
    let words = words(command);
    if words.first().map(String::as_str) != Some("plimsoll") {
        return Err(format!("only plimsoll can be run, not `{command}`"));
    }
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(&words[1..])
        .current_dir(folder)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env_remove("COLUMNS")
        .stdin(stdin(folder, input)?)
        .output()
        .map_err(|e| e.to_string())?;
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Ok((output.status.code().unwrap_or(-1), text))
}

/// What a command reads: a file of the folder, or nothing.
fn stdin(folder: &Path, input: Option<&str>) -> Result<Stdio, String> {
    match input {
        Some(name) => std::fs::File::open(folder.join(name)).map(Stdio::from).map_err(|e| e.to_string()),
        None => Ok(Stdio::null()),
    }
}

/// Splits at blanks; single quotes keep them.
fn words(command: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut quoted = false;
    for c in command.chars() {
        match c {
            '\'' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => out.push(String::new()),
            c => out.last_mut().expect("never empty").push(c),
        }
    }
    out.retain(|w| !w.is_empty());
    out
}

fn matches(expected: &[&str], actual: &[&str]) -> bool {
    match expected.split_first() {
        None => actual.is_empty(),
        Some((&"...", rest)) => (0..=actual.len()).any(|skip| matches(rest, &actual[skip..])),
        Some((line, rest)) => {
            actual.first().is_some_and(|a| line_matches(line.trim_end(), a.trim_end()))
                && matches(rest, &actual[1..])
        }
    }
}

fn line_matches(expected: &str, actual: &str) -> bool {
    let mut pieces = expected.split("[..]");
    let first = pieces.next().unwrap_or("");
    let Some(mut rest) = actual.strip_prefix(first) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else { return rest.is_empty() };
    for piece in middle {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}
