//! What packages, the action and the hook are made of: the files that they name are there, and their commands do what they promise.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn plimsoll(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll")).args(arguments).output().expect("it runs");
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// What `packaging/prepare` makes of this program.
fn prepared() -> (tempfile::TempDir, BTreeSet<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let script = root().join("packaging/prepare");
    let output =
        Command::new(script).arg(env!("CARGO_BIN_EXE_plimsoll")).arg(folder.path()).output().expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let entries = std::fs::read_dir(folder.path()).expect("a folder");
    let names = entries.map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned());
    let names = names.collect();
    (folder, names)
}

/// Whether a name is one of a package's: itself, or by `*.1`.
fn is_among(names: &BTreeSet<String>, wanted: &str) -> bool {
    match wanted.strip_prefix('*') {
        Some(ending) => names.iter().any(|name| name.ends_with(ending)),
        None => names.contains(wanted),
    }
}

#[test]
fn every_command_has_a_manual_page_and_every_shell_its_completions() {
    let (folder, names) = prepared();
    let help = plimsoll(&["--help"]);
    let commands = help.split("Commands:\n").nth(1).and_then(|text| text.split("\n\n").next());
    let commands =
        commands.expect("commands").lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let mut expected: BTreeSet<String> = commands
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .map(|command| format!("plimsoll-{command}.1"))
        .collect();
    assert!(expected.len() > 12, "{expected:?}");
    expected.extend(["plimsoll.1", "plimsoll.bash", "plimsoll.zsh", "plimsoll.fish"].map(str::to_string));
    assert_eq!(names, expected);
    for name in &names {
        let text = std::fs::read_to_string(folder.path().join(name)).expect("text");
        let wanted = if name.ends_with(".1") { ".SH SYNOPSIS" } else { "simulate" };
        assert!(text.contains(wanted), "{name}");
    }
    let bash = Command::new("bash").arg("-n").arg(folder.path().join("plimsoll.bash")).output();
    assert!(bash.expect("bash").status.success());
}

#[test]
fn the_debian_package_takes_files_that_are_there() {
    let (_folder, names) = prepared();
    let manifest: toml::Table = text("crates/plimsoll/Cargo.toml").parse().expect("TOML");
    let package = manifest["package"].as_table().expect("a package");
    // Without it the package has no first line.
    assert!(package["description"].as_str().is_some_and(|text| text.len() < 80 && !text.ends_with('.')));
    let assets = package["metadata"]["deb"]["assets"].as_array().expect("assets");
    let mut prepared = 0;
    for asset in assets {
        let source = asset[0].as_str().expect("a path");
        match source.strip_prefix("../../packaging/made/") {
            Some(name) => {
                assert!(is_among(&names, name), "{source}");
                prepared += 1;
            }
            None if source == "target/release/plimsoll" => {}
            None => assert!(root().join("crates/plimsoll").join(source).is_file(), "{source}"),
        }
    }
    // Manual pages and three shells.
    assert_eq!(prepared, 4);
}

#[test]
fn the_container_copies_files_that_are_there() {
    let (_folder, names) = prepared();
    let file = text("packaging/Containerfile");
    let instructions = ["FROM", "COPY", "WORKDIR", "RUN", "ENTRYPOINT"];
    let mut copied = 0;
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let instruction = words.next().expect("an instruction");
        assert!(instructions.contains(&instruction), "{line}");
        if let ("COPY", Some("--from=build"), Some(source)) = (instruction, words.next(), words.next()) {
            let made = source.strip_prefix("/source/").expect("made by the build");
            let known = match made.strip_prefix("packaging/made/") {
                Some(name) => is_among(&names, name),
                None => made == "target/release/plimsoll",
            };
            assert!(known, "{line}");
            copied += 1;
        }
    }
    assert_eq!(copied, 3);
    // The compiler is one that the crates can be built with.
    let workspace: toml::Table = text("Cargo.toml").parse().expect("TOML");
    let version = workspace["workspace"]["package"]["rust-version"].as_str().expect("a version");
    assert!(file.contains(&format!("library/rust:{version}-slim AS build")), "{version}");
    // What is built outside is not sent to the build.
    assert!(text(".dockerignore").lines().any(|line| line == "target"));
}

/// The last script of the action.
fn script_of_the_action() -> String {
    let action = text("action.yml");
    let (_, script) = action.rsplit_once("run: |\n").expect("a script");
    script.lines().map(|line| format!("{}\n", line.trim_start())).collect()
}

struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    fn new() -> Repository {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("models")).expect("made");
        Repository { folder }
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).expect("written");
    }

    /// A script as a build runs it: with the program on the path, and stopping at what fails.
    fn build(&self, script: &str, models: &str, options: &str) -> Output {
        let program = Path::new(env!("CARGO_BIN_EXE_plimsoll")).parent().expect("a folder");
        let path = std::env::join_paths(
            [program.to_path_buf()]
                .into_iter()
                .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
        );
        Command::new("bash")
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
            .current_dir(self.folder.path())
            .env("PATH", path.expect("a path"))
            .env("XDG_CACHE_HOME", self.folder.path().join("cache"))
            .env("MODELS", models)
            .env("OPTIONS", options)
            .env("JUNIT", "plimsoll.xml")
            .output()
            .expect("bash runs")
    }

    fn action(&self, models: &str) -> (Option<i32>, String, String) {
        let output = self.build(&script_of_the_action(), models, "--expect");
        let junit = std::fs::read_to_string(self.folder.path().join("plimsoll.xml")).unwrap_or_default();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), junit)
    }
}

const STUCK: &str = "// expect: deadlock PROVED
chan a = [1] of { byte };
active proctype p() { a?1 }
";

const MENDED: &str = "// expect: deadlock PROVED
chan a = [1] of { byte };
active proctype p() { end: a?1 }
";

#[test]
fn the_action_is_red_for_what_is_not_as_expected_and_green_when_it_is_mended() {
    let repository = Repository::new();
    repository.write("models/p.pml", STUCK);
    repository.write("models/q.pml", "active proctype q() { skip }\n");
    let (code, said, junit) = repository.action("models/");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("2 models") && said.contains("1 violated"), "{said}");
    // The annotation stands at the line that waits.
    assert!(said.lines().any(|line| line.starts_with("::error file=models/p.pml,line=3")), "{said}");
    assert!(junit.contains("<failure") && junit.contains("models/p.pml"), "{junit}");

    repository.write("models/p.pml", MENDED);
    let (code, said, junit) = repository.action("models/");
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("::error") && said.contains("proved"), "{said}");
    assert!(!junit.contains("<failure"), "{junit}");
}

#[test]
fn the_action_without_models_does_what_the_file_says_and_is_red_without_it() {
    let repository = Repository::new();
    repository.write("models/p.pml", MENDED);
    let (code, _, _) = repository.action("");
    assert_eq!(code, Some(2));
    repository.write("plimsoll.toml", "models = [\"models\"]\n");
    let (code, said, junit) = repository.action("");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("models/p.pml") && junit.contains("models/p.pml"), "{said}{junit}");
    // A model that is no model is not overlooked.
    repository.write("models/r.pml", "active proctype r() { x = 1 }\n");
    let (code, said, _) = repository.action("");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("::error file=models/r.pml,line=1"), "{said}");
}

#[test]
fn the_hook_stops_a_commit_whose_model_is_not_as_expected() {
    let hooks = text(".pre-commit-hooks.yaml");
    let entry = hooks.lines().find_map(|line| line.trim().strip_prefix("entry: ")).expect("an entry");
    let repository = Repository::new();
    repository.write("models/p.pml", STUCK);
    let hook = |files: &str| repository.build(&format!("{entry} {files}"), "", "");
    let output = hook("models/p.pml");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("expected deadlock PROVED, found VIOLATED"), "{said}");
    repository.write("models/p.pml", MENDED);
    assert_eq!(hook("models/p.pml").status.code(), Some(0));
    repository.write("models/q.pml", "active proctype q() { skip }\n");
    assert_eq!(hook("models/p.pml models/q.pml").status.code(), Some(0));
}
