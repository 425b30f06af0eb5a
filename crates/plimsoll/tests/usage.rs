//! Wrong use and wrong input: a message that says what would be right, exit code 2, never a panic.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn plimsoll(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.current_dir(folder).args(arguments).output().expect("plimsoll runs")
}

/// Exit code and the first line of the standard error.
fn complaint(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = plimsoll(folder, arguments);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), text.lines().next().unwrap_or("").to_string())
}

#[test]
fn what_is_not_there_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::create_dir(here.join("models")).expect("made");
    let expected = |text: &str| (Some(2), text.to_string());
    assert_eq!(
        complaint(here, &["check", "nothing.pml"]),
        expected("error: cannot read `nothing.pml`: No such file or directory (os error 2)")
    );
    assert_eq!(
        complaint(here, &["check", "models"]),
        expected("error: there are no models there (*.pml, *.prom, *.promela, *.spin)")
    );
    assert_eq!(
        complaint(here, &["explain", "E9999"]),
        expected("error: there is no code `E9999`; `plimsoll explain` lists them all")
    );
    assert_eq!(
        complaint(here, &["check", "x.pml", "--time", "soon"]),
        expected(
            "error: invalid value 'soon' for '--time <TIME>': `soon` is no time; write 500ms, 30s, 5m, 1h or none"
        )
    );
}

#[test]
fn empty_and_binary_files_are_no_models() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::write(here.join("empty.pml"), "").expect("written");
    std::fs::write(here.join("binary.pml"), (0..=255u8).cycle().take(5_000).collect::<Vec<u8>>())
        .expect("written");
    assert_eq!(
        complaint(here, &["check", "empty.pml"]),
        (Some(2), "error[E0130]: no process ever starts".to_string())
    );
    let (code, first) = complaint(here, &["check", "binary.pml"]);
    assert_eq!(code, Some(2));
    assert!(first.starts_with("error[L"), "{first}");
}

#[test]
fn of_a_thousand_diagnostics_a_hundred_are_shown_and_all_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let twice = "int x;\n".repeat(1_000) + "init { skip }\n";
    std::fs::write(folder.path().join("twice.pml"), twice).expect("written");
    let output = plimsoll(folder.path(), &["check", "twice.pml"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    let shown = text.lines().filter(|l| l.starts_with("error[") || l.starts_with("warning[")).count();
    assert_eq!(shown, 100, "{text}");
    assert!(text.contains(" more\n") && text.ends_with("twice.pml: 999 errors\n"), "{text}");
}

#[test]
fn a_reader_that_goes_away_is_no_reason_to_panic() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("wrong.pml"), "@".repeat(100_000)).expect("written");
    for (arguments, code) in [(["check", "wrong.pml"], 2), (["man", "check"], 0)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        command.current_dir(folder.path()).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("plimsoll runs");
        drop((child.stdout.take(), child.stderr.take()));
        assert_eq!(child.wait().expect("it ends").code(), Some(code), "{arguments:?}");
    }
}

#[test]
fn programs_are_told_what_is_wrong_with_a_model_in_the_form_that_they_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("wrong.pml"), "init { y = 1 }\n").expect("written");
    let asked = |format: &str| {
        let output = plimsoll(folder.path(), &["check", "wrong.pml", "--format", format]);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stdout).expect("text")
    };
    let sarif: Value = serde_json::from_str(&asked("sarif")).expect("JSON");
    let result = &sarif["runs"][0]["results"][0];
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!((result["level"].as_str(), region["startLine"].as_u64()), (Some("error"), Some(1)));
    let json: Value = serde_json::from_str(&asked("json")).expect("JSON");
    assert!(json.to_string().contains(result["ruleId"].as_str().expect("a code")), "{json}");
    assert!(asked("github").starts_with("::error file=wrong.pml,line=1"), "{}", asked("github"));
}
