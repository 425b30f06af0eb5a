//! Wrong use and wrong input: a message that says what would be right, exit code 2, never a panic.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn plimsoll(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.env("XDG_CACHE_HOME", folder.join("cache")).env_remove("COLUMNS");
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
        expected("error: cannot read `nothing.pml`: there is no such file")
    );
    assert_eq!(
        complaint(here, &["check", "models"]),
        expected("error: there are no models in `models` (*.pml, *.prom, *.promela, *.spin)")
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
    std::fs::write(here.join("words.pml"), "mtype = { a, b }\n").expect("written");
    assert_eq!(
        complaint(here, &["check", "words.pml"]),
        (Some(2), "error[E0130]: no process ever starts".to_string())
    );
    assert_eq!(
        complaint(here, &["check", "empty.pml"]),
        (Some(2), "error[E0130]: no process ever starts".to_string())
    );
    assert_eq!(
        complaint(here, &["check", "binary.pml"]),
        (Some(2), "error: `binary.pml` is no text, so it is no model".to_string())
    );
}

/// A small model whose progress is violated, and its buffers proved.
const IDLE: &str = "chan c = [2] of { byte };
active proctype P() { do :: c!1; c?1 :: c!2; progress: c?2 od }
";

#[test]
fn what_cannot_be_written_does_not_keep_back_what_was_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::write(here.join("idle.pml"), IDLE).expect("written");
    for option in ["--trace", "--traces", "--html"] {
        let output = plimsoll(here, &["check", "idle.pml", option, "/proc/none/x"]);
        let (said, wrong) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(2), "{option}");
        assert!(said.contains("1 violated, 3 proved"), "{option}: {said}");
        assert!(wrong.starts_with("error: cannot ") && wrong.contains("/proc/none/x"), "{option}: {wrong}");
    }
}

#[test]
fn what_is_not_written_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::write(here.join("idle.pml"), IDLE).expect("written");
    assert_eq!(
        complaint(here, &["bounds", "idle.pml", "--trace", "t.json"]),
        (Some(0), "note: `t.json` is not written: there is no counterexample".to_string())
    );
    assert_eq!(
        complaint(here, &["progress", "idle.pml", "--certificate", "c.json"]),
        (Some(1), "note: `c.json` is not written: nothing was proved by a certificate".to_string())
    );
    assert!(!here.join("t.json").exists() && !here.join("c.json").exists());
}

#[test]
fn a_file_of_another_kind_is_called_by_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::write(here.join("idle.pml"), IDLE).expect("written");
    std::fs::write(here.join("other.pml"), IDLE.replace("c!2", "c!3")).expect("written");
    plimsoll(here, &["progress", "idle.pml", "--trace", "t.json"]);
    plimsoll(here, &["bounds", "idle.pml", "--certificate", "c.json"]);
    let expected = |text: &str| (Some(2), format!("error: {text}"));
    let of = |command: &str, file: &str| complaint(here, &[command, file, "idle.pml"]);
    assert_eq!(
        of("certify", "t.json"),
        expected("`t.json` is no certificate but a trace: plimsoll replay shows it")
    );
    assert_eq!(
        of("replay", "c.json"),
        expected("`c.json` is no trace but a certificate: plimsoll certify checks it")
    );
    for (command, file) in [("certify", "certificate"), ("replay", "trace")] {
        assert_eq!(
            of(command, "other.pml"),
            expected(&format!("`other.pml` is no {file} (the {file} comes first, then the model)"))
        );
    }
    assert_eq!(
        complaint(here, &["replay", "t.json", "other.pml"]),
        expected("the trace does not replay: the trace belongs to another model")
    );
    let other = complaint(here, &["certify", "c.json", "other.pml"]);
    let refused = "refused: rule R1 (the certificate is of this schema, sealed, and for this model): the certificate is for another \
                   model, or another version of this one";
    assert_eq!(other, (Some(2), refused.to_string()));
    let trace = std::fs::read_to_string(here.join("t.json")).expect("read");
    let edited = trace.replacen("\"edge\": 0", "\"edge\": 99", 1);
    assert_ne!(edited, trace);
    std::fs::write(here.join("t.json"), edited).expect("written");
    let (code, text) = of("replay", "t.json");
    assert_eq!(code, Some(2));
    assert!(text.starts_with("error: the trace does not replay: the state before step "), "{text}");
}

#[test]
fn what_proves_nothing_is_no_certificate() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::write(here.join("idle.pml"), IDLE).expect("written");
    plimsoll(here, &["bounds", "idle.pml", "--certificate", "c.json"]);
    let good = std::fs::read_to_string(here.join("c.json")).expect("read");
    let certify = |text: &str| {
        std::fs::write(here.join("x.json"), text).expect("written");
        complaint(here, &["certify", "x.json", "idle.pml"])
    };
    assert_eq!(certify("[]"), (Some(2), "error: `x.json` is an empty list: it proves nothing".to_string()));
    let mut empty: serde_json::Value = serde_json::from_str(&good).expect("JSON");
    first_of(&mut empty)["proofs"] = serde_json::json!([]);
    let (code, text) = certify(&empty.to_string());
    assert_eq!((code, text.starts_with("refused: rule R")), (Some(2), true), "{text}");
    first_of(&mut empty)["surprise"] = 1.into();
    let (code, text) = certify(&empty.to_string());
    assert_eq!((code, text.contains("unknown field `surprise`")), (Some(2), true), "{text}");
    let (code, text) = certify(&good.replace("plimsoll-certificate/2", "plimsoll-certificate/1"));
    assert_eq!(
        (code, text.contains("rule R1 ") && text.contains("needs Plimsoll 0.1")),
        (Some(2), true),
        "{text}"
    );
    let (code, text) = certify(&good.replace("plimsoll-certificate/2", "plimsoll-certificate/77"));
    assert_eq!((code, text.contains("needs a newer Plimsoll")), (Some(2), true), "{text}");
    let forged = good.replacen("\"weight\":1", "\"weight\":2", 1);
    assert_ne!(forged, good);
    assert_eq!(certify(&forged).0, Some(2), "its seal does not fit");
}

fn first_of(certificates: &mut serde_json::Value) -> &mut serde_json::Value {
    if certificates.is_array() { &mut certificates[0] } else { certificates }
}

#[test]
fn the_states_of_a_proof_by_search_are_counted_again() {
    const MODEL: &str =
        "byte n; active [2] proctype P() { do :: n < 3 -> n++; assert(n < 5) :: n > 0 -> n-- od }";
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::write(here.join("m.pml"), MODEL).expect("written");
    std::fs::write(here.join("other.pml"), MODEL.replace("n < 3", "n < 2")).expect("written");
    let output = plimsoll(here, &["search", "m.pml", "--full", "--format", "json"]);
    let answers: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let certify = |answers: &Value, model: &str| {
        std::fs::write(here.join("a.json"), answers.to_string()).expect("written");
        let output = plimsoll(here, &["certify", "a.json", model]);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, text) = certify(&answers, "m.pml");
    assert_eq!((code, text.starts_with("confirmed: ")), (Some(0), true), "{text}\n{answers}");
    assert_eq!(certify(&answers, "other.pml").0, Some(2));
    for (field, value) in [("states", Value::from(7)), ("digest", "00".repeat(16).into())] {
        let mut changed = answers.clone();
        changed["results"].as_array_mut().expect("a list").iter_mut().for_each(|r| r[field] = value.clone());
        assert_eq!(certify(&changed, "m.pml").0, Some(1), "{field}");
    }
    let mut none = answers.clone();
    none["results"] = Value::Array(Vec::new());
    assert_eq!(certify(&none, "m.pml").0, Some(2));
}

#[test]
fn rubbish_is_refused_within_memory_and_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::write(here.join("idle.pml"), IDLE).expect("written");
    let rubbish = [
        "[1".to_string() + &",1".repeat(10_000_000) + "]",
        "[".repeat(20_000_000),
        "\u{0}".repeat(20_000_000),
        "{\"schema\":\"plimsoll-certificate/2\",\"claims\":[".to_string() + &"{\"a\":[]},".repeat(2_000_000),
    ];
    for text in rubbish {
        std::fs::write(here.join("x.json"), &text).expect("written");
        let too_large = complaint(here, &["certify", "x.json", "idle.pml", "--memory", "100M"]);
        assert_eq!((too_large.0, too_large.1.contains("too much for the memory")), (Some(2), true));
        let started = std::time::Instant::now();
        assert_eq!(complaint(here, &["certify", "x.json", "idle.pml", "--time", "20s"]).0, Some(2));
        assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
    }
}

#[test]
fn progress_at_a_place_that_is_not_there_is_no_question() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::write(here.join("idle.pml"), IDLE).expect("written");
    let at = |place: &str| complaint(here, &["progress", "idle.pml", "--progress-at", place]);
    assert_eq!(at("77"), (Some(2), "error: no statement begins on line 77".to_string()));
    assert_eq!(at("there"), (Some(2), "error: there is no label `there`".to_string()));
    assert_eq!(at("progress").0, Some(1));
}

#[test]
fn counterexamples_of_many_models_are_kept_of_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::create_dir(here.join("models")).expect("made");
    let waits = "active proctype P() { chan c = [1] of { byte }; c?1 }\n";
    std::fs::write(here.join("models/a-fine.pml"), "active proctype P() { skip }\n").expect("written");
    std::fs::write(here.join("models/b-waits.pml"), waits).expect("written");
    std::fs::write(here.join("models/c-asserts.pml"), "byte x;\nactive proctype P() { assert(x == N) }\n")
        .expect("written");
    // A model that comes again with other macros takes nothing away from what it showed before.
    let config = "models = [\"models\"]\n[[model]]\npath = \"models/c-asserts.pml\"\ndefine = [\"N=1\"]\n\
                  [[model]]\npath = \"models/c-asserts.pml\"\ndefine = [\"N=0\"]\n";
    std::fs::write(here.join("plimsoll.toml"), config).expect("written");
    let said = |arguments: &[&str]| String::from_utf8(plimsoll(here, arguments).stdout).expect("text");
    assert!(said(&["check"]).ends_with("\nto see how: plimsoll replay MODEL\n"));
    assert!(said(&["replay"]).starts_with("b-waits.pml: deadlock: "));
    assert!(said(&["replay", "models/b-waits.pml"]).contains("c?1"));
    assert!(said(&["replay", "models/c-asserts.pml"]).contains("assertion violated"));
    let (code, none) = complaint(here, &["replay", "models/a-fine.pml"]);
    assert_eq!(code, Some(2));
    assert!(none.starts_with("error: no counterexample of `models/a-fine.pml` is kept"), "{none}");
    let one = said(&["check", "models/a-fine.pml", "models/b-waits.pml"]);
    assert!(one.ends_with("\nto see how: plimsoll replay models/b-waits.pml\n"), "{one}");
    let quiet = said(&["check", "models/a-fine.pml", "models/b-waits.pml", "--quiet"]);
    assert!(!quiet.contains("to see how"), "{quiet}");
    // What is mended shows nothing any more.
    std::fs::write(here.join("models/b-waits.pml"), waits.replace("c?1", "c!1")).expect("written");
    let mended = said(&["check", "models/a-fine.pml", "models/b-waits.pml"]);
    assert!(!mended.contains("to see how"), "{mended}");
    assert_eq!(complaint(here, &["replay", "models/b-waits.pml"]).0, Some(2));
}

#[test]
fn what_goes_wrong_is_annotated_where_it_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let annotated = |text: &str| {
        std::fs::write(here.join("m.pml"), text).expect("written");
        String::from_utf8(plimsoll(here, &["check", "m.pml", "--format", "github"]).stdout).expect("text")
    };
    let at_the_start = annotated("byte i = 3, a[3];\nactive proctype p() {\n\ta[i] == 1\n}\n");
    assert!(at_the_start.starts_with("::error file=m.pml,line=3,title=errors VIOLATED::"), "{at_the_start}");
    // The last step is not the wrong one.
    let later = annotated("byte i = 3, a[3];\nactive proctype p() {\n\ti = 7;\n\ta[i] == 1\n}\n");
    assert!(later.starts_with("::error file=m.pml,line=4,title=errors VIOLATED::"), "{later}");
}

#[test]
fn several_models_become_a_folder_of_pages_with_an_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::write(here.join("idle.pml"), IDLE).expect("written");
    std::fs::write(here.join("fine.pml"), "active proctype p() { skip }").expect("written");
    let output = plimsoll(here, &["check", "idle.pml", "fine.pml", "--html", "pages"]);
    assert_eq!(output.status.code(), Some(1));
    let index = std::fs::read_to_string(here.join("pages/index.html")).expect("an index");
    for (file, name) in [("001-idle-pml.html", "idle.pml"), ("002-fine-pml.html", "fine.pml")] {
        assert!(index.contains(&format!("<a href=\"{file}\">{name}</a>")), "{index}");
        assert!(here.join("pages").join(file).is_file(), "{file}");
    }
    let page = std::fs::read_to_string(here.join("pages/001-idle-pml.html")).expect("a page");
    let place = |what: &str| page.find(what).unwrap_or_else(|| panic!("{what} is missing"));
    assert!(place("class=\"violation\"") < place("id=\"buffers\""), "violations come first");
}

/// Enough of XML to tell whether a drawing is one: every element that opens closes, and there is one root.
#[test]
fn graphs_as_svg_are_one_drawing_with_names_that_occur_once() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("two.pml"), format!("{IDLE} active proctype Q() {{ c!3 }}"))
        .expect("written");
    let output = plimsoll(folder.path(), &["graph", "two.pml", "--format", "svg"]);
    let drawing = String::from_utf8(output.stdout).expect("text");
    let (mut open, mut roots) = (Vec::new(), 0);
    for tag in drawing.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').expect("a tag ends");
        let name = tag.split([' ', '/']).find(|word| !word.is_empty()).expect("a name");
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed.to_string()), "{drawing}");
        } else if !tag.ends_with('/') {
            roots += usize::from(open.is_empty());
            open.push(name.to_string());
        }
    }
    assert_eq!((open.len(), roots), (0, 1), "{drawing}");
    let ids: Vec<&str> = drawing.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let once: std::collections::BTreeSet<&&str> = ids.iter().collect();
    assert_eq!(ids.len(), once.len(), "{ids:?}");
}

/// The commands of the examples that each command's help shows.
#[test]
fn the_examples_of_every_help_work_as_they_stand() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    std::os::unix::fs::symlink(models.canonicalize().expect("there"), here.join("models")).expect("linked");
    let commands =
        ["check", "search", "bounds", "progress", "ltl", "replay", "certify", "graph", "cycles", "deps"];
    let mut tried = 0;
    for command in commands {
        // A line that ends with a backslash goes on with the next, as in a shell.
        let help = help_in_80_columns(Some(command)).replace(" \\\n", " ");
        let (_, examples) = help.split_once("Examples:\n").expect("examples");
        let examples = examples.lines().take_while(|line| line.starts_with("  "));
        for example in examples {
            let example = example.trim();
            assert!(example.starts_with("plimsoll "), "{command}: an example is broken: {example}");
            // Whole folders take long, and what stands in parentheses is said to the reader.
            if example.contains("models/ ") || example.contains("--interactive") {
                continue;
            }
            let typed = example.split(['|', '>']).next().unwrap_or(example);
            let typed =
                typed.split("    (").next().and_then(|typed| typed.split("  (").next()).unwrap_or(typed);
            let typed = if example.contains("'[]") { example } else { typed };
            let mut words = words(typed);
            if ["check", "search", "bounds", "progress", "ltl"].contains(&words[1].as_str()) {
                words.extend(["--time".to_string(), "2s".to_string()]);
            }
            let words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
            let output = plimsoll(here, &words);
            let wrong = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{example}: {wrong}");
            // What one example writes the next one reads.
            if let Some((_, file)) = example.split_once("> ") {
                std::fs::write(here.join(file), &output.stdout).expect("written");
            }
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
}

fn help_in_80_columns(command: Option<&str>) -> String {
    let mut asked = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    let help = asked.arg("help").args(command).env("COLUMNS", "80").output().expect("plimsoll runs");
    String::from_utf8(help.stdout).expect("text")
}

#[test]
fn help_fits_80_columns_and_examples_stand_on_lines_of_their_own() {
    let commands = help_in_80_columns(None);
    let (_, commands) = commands.split_once("Commands:\n").expect("a list of commands");
    let names = commands.lines().take_while(|line| !line.is_empty());
    let names: Vec<&str> = names.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    assert!(names.contains(&"check") && names.contains(&"cluster"), "{names:?}");
    for name in names.into_iter().filter(|name| !name.is_empty() && *name != "help") {
        let help = help_in_80_columns(Some(name));
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{name}: {help}");
        let Some((_, examples)) = help.split_once("Examples:\n") else { continue };
        let mut goes_on = false;
        for line in examples.lines().take_while(|line| line.starts_with("  ")) {
            let is_command = line.starts_with("  plimsoll ");
            assert!(is_command || goes_on, "{name}: an example is torn: {line}");
            goes_on = line.ends_with('\\');
        }
    }
}

#[test]
fn the_synopsis_of_the_manual_is_the_usage_of_the_help() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = |words: &[&str]| {
        String::from_utf8(plimsoll(folder.path(), words).stdout).expect("text").replace("\\-", "-")
    };
    let synopsis = |page: &str| {
        let (_, after) = page.split_once(".SH SYNOPSIS\n").expect("a synopsis");
        after.lines().next().expect("a line").to_string()
    };
    assert_eq!(synopsis(&page(&["man"])), "plimsoll [OPTIONS] <COMMAND>");
    assert_eq!(synopsis(&page(&["man", "check"])), "plimsoll check [OPTIONS] [MODEL]...");
    assert_eq!(synopsis(&page(&["man", "certify"])), "plimsoll certify [OPTIONS] <FILE> <MODEL>");
    let page = page(&["man", "ltl"]);
    assert!(page.contains(".SH EXAMPLES\n.nf\n  plimsoll ltl models/"), "{page}");
    assert!(page.contains("--capacity any \\e\n      --formula"), "{page}");
}

/// Splits at blanks; single quotes keep them.
fn words(command: &str) -> Vec<String> {
    let pieces = command.split('\'').enumerate();
    let words = pieces.flat_map(|(index, piece)| match index % 2 {
        0 => piece.split_whitespace().map(str::to_string).collect(),
        _ => vec![piece.to_string()],
    });
    words.collect()
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
fn what_cannot_be_printed_is_said_and_is_no_success() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("fine.pml"), "init { skip }").expect("written");
    for arguments in [&["check", "fine.pml"][..], &["check", "fine.pml", "--format", "json"], &["man"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a disk that is full");
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        let output =
            command.current_dir(folder.path()).args(arguments).stdout(full).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(said, "error: cannot write the output: there is no room on the disk\n", "{arguments:?}");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn what_a_system_refuses_is_said_in_our_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::write(here.join("fine.pml"), "init { skip }").expect("written");
    std::fs::write(here.join("includes.pml"), "#include \"parts.h\"\ninit { skip }").expect("written");
    let expected = |text: &str| (Some(2), text.to_string());
    assert_eq!(
        complaint(here, &["check", "-q", "fine.pml", "--html", "nowhere/page.html"]),
        expected("error: cannot write `nowhere/page.html`: there is no such folder")
    );
    assert_eq!(
        complaint(here, &["check", "fine.pml/x.pml"]),
        expected("error: cannot read `fine.pml/x.pml`: what should be a folder is a file")
    );
    assert_eq!(
        complaint(here, &["check", "*.prom"]),
        expected(
            "error: cannot read `*.prom`: there is no such file (name the folder to check all models in it)"
        )
    );
    assert_eq!(
        complaint(here, &["check", "fine.pml", "--baseline", "answers.json"]),
        expected(
            "error: cannot read `answers.json`: there is no such file (plimsoll check --format json writes one)"
        )
    );
    assert_eq!(
        complaint(here, &["check", "includes.pml"]),
        expected(
            "error[P0005]: cannot include `parts.h`: there is no such file beside this one, nor in a folder named by -I"
        )
    );
}

#[test]
fn a_limit_is_said_in_a_unit_that_shows_it() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("fine.pml"), "init { skip }").expect("written");
    let output = plimsoll(folder.path(), &["check", "fine.pml", "--memory", "2K"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("memory limit of 2 kB"), "{said}");
    assert_eq!(output.status.code(), Some(3));
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

/// Two models in a folder, of which a table is made; `cached` stands where there would be a time.
#[test]
fn answers_are_known_again_whatever_memory_is_free_and_only_for_the_same_question() {
    const MODEL: &str = "byte x; active proctype p() { do :: x = 1 - x od }
active proctype q() { do :: skip od }
ltl f { [] <> (x == 1) }
";
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::create_dir(here.join("models")).expect("made");
    for name in ["a.pml", "b.pml"] {
        std::fs::write(here.join("models").join(name), MODEL).expect("written");
    }
    let asked = |options: &[&str]| {
        let output = plimsoll(here, &[&["check", "models", "--cache"][..], options].concat());
        let text = String::from_utf8(output.stdout).expect("text");
        (text.matches("cached").count(), text.matches("VIOLATED").count())
    };
    assert_eq!(asked(&[]), (0, 2));
    assert_eq!(asked(&[]), (2, 2), "free memory changes from run to run");
    assert_eq!(asked(&["--memory", "1G", "--time", "50s"]), (2, 2), "limits change nothing that is decided");
    assert_eq!(asked(&["--fair", "weak"]), (0, 0), "fair runs are another question");
    assert_eq!(asked(&["--fair", "weak"]), (2, 0));
    std::fs::write(here.join("models/a.pml"), MODEL.replace("x == 1", "x == 2")).expect("written");
    assert_eq!(asked(&[]), (1, 2), "another model");
}

/// Models that are too much for the time that they get, by the name of what there is much of.
fn huge_models() -> Vec<(&'static str, String)> {
    let many = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let statement = |i: usize| {
        let (least, add) = (i % 250, i % 7);
        format!("x = x + {add}; if :: x > {least} -> y = y - 1 :: else -> c!x fi;\n")
    };
    let label = |i: usize| {
        let (least, other) = (i % 250, i * 7919 % 20_000);
        format!("L{i}: x = x + 1; if :: x > {least} -> goto L{other} :: else fi;\n")
    };
    let start = "byte x; int y; chan c = [2] of { byte };\nactive proctype P() {\n";
    vec![
        ("statements", format!("{start}{}}}\n", many(150_000, &statement))),
        ("labels", format!("{start}{}}}\n", many(20_000, &label))),
        (
            "processes",
            "byte x; active [4000] proctype P() { byte v; do :: v = x; x = v + 1 od }\n".to_string(),
        ),
    ]
}

/// The clock is generous, because other tests run beside this one; without limits some of these take minutes.
#[test]
fn every_command_ends_in_time_whatever_the_model_and_says_so_in_the_form_that_was_asked_for() {
    let here = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (name, text) in huge_models() {
        let path = here.join(format!("huge-{name}.pml"));
        std::fs::write(&path, text).expect("a file");
        let model = path.to_str().expect("a path");
        for command in [
            &["check"][..],
            &["search"],
            &["bounds"],
            &["bounds", "--by", "cycles", "--format", "json"],
            &["progress"],
            &["check", "--format", "json"],
            &["simulate", "--quiet"],
            &["graph"],
            &["cycles"],
            &["deps"],
        ] {
            let started = std::time::Instant::now();
            let words: Vec<&str> = [command, &[model, "--no-warnings", "--time", "1s"]].concat();
            let output = plimsoll(here, &words);
            let seconds = started.elapsed().as_secs_f64();
            assert!(seconds < 15.0, "{name}, {command:?}: {seconds} s");
            assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{name}, {command:?}: {output:?}");
            if command.contains(&"json") {
                let document: Result<serde_json::Value, _> = serde_json::from_slice(&output.stdout);
                assert!(document.is_ok_and(|document| document["schema"].is_string()), "{name}, {command:?}");
            }
        }
        std::fs::remove_file(&path).expect("it is there");
    }
}

/// The page shows runs that fill each buffer, and looks for them when the time may be over.
#[test]
fn a_page_that_takes_longer_than_the_time_keeps_no_verdict_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = "chan c[20] = [2] of { byte }; byte n; active [3] proctype p() { byte i; do
        :: c[i]!n; n++ :: i = (i + 1) % 20 :: c[i]?n od }";
    std::fs::write(folder.path().join("full.pml"), model).expect("written");
    let output = plimsoll(folder.path(), &["check", "full.pml", "--time", "400ms", "--html", "page.html"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("\n  buffers    "), "{text}");
    let page = std::fs::read_to_string(folder.path().join("page.html")).expect("a page");
    assert!(page.contains("c[19]"), "{page}");
}

#[test]
fn whoever_waits_in_one_of_two_circles_is_told_of_both() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let text = "chan ab = [0] of { byte }; chan ba = [0] of { byte }; bool one, two;
        active proctype a() { ab!1; ba?_ } active proctype b() { ba!1; ab?_ }
        active proctype c() { one; two = 1 } active proctype d() { two; one = 1 }";
    std::fs::write(here.join("circles.pml"), text).expect("written");
    let told = plimsoll(here, &["check", "circles.pml", "--no-keep"]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    for circle in ["a(0) -> b(1) -> a(0)", "c(2) -> d(3) -> c(2)"] {
        assert!(told.contains(&format!("waiting in a circle: {circle}")), "{told}");
    }
}

#[test]
fn the_first_violated_formulas_show_how_and_the_others_that_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let formulas: String =
        (0..6).map(|number| format!("ltl f{number} {{ <> [] (x != {number}) }}\n")).collect();
    let text = format!("byte x; active proctype p() {{ do :: x = (x + 1) % 6 od }}\n{formulas}");
    std::fs::write(here.join("formulas.pml"), text).expect("written");
    let told = |detail: &[&str]| {
        let output = plimsoll(here, &[&["check", "formulas.pml", "--no-keep"], detail].concat());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let usual = told(&[]);
    assert_eq!(usual.matches("  ltl f").count(), 6, "{usual}");
    assert_eq!(usual.matches("repeated:").count(), 3, "{usual}");
    let everything = told(&["-v"]);
    assert_eq!(everything.matches("repeated:").count(), 6, "{everything}");
}
