//! Every message against `docs/messages.md`: those in the sources, and what is printed about models.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What the guide says is not to be said.
fn unsaid() -> Vec<String> {
    let guide = std::fs::read_to_string(root().join("docs/messages.md")).expect("the guide");
    let (_, table) = guide.split_once("| not | but |").expect("a table");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    rows.filter(|left| !left.starts_with("---")).map(str::to_string).collect()
}

/// Texts between quotes of a source file, without its comments and tests.
fn literals(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or(source);
    let mut out = Vec::new();
    let mut letters = code.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        match letter {
            '/' if letters.peek() == Some(&'/') => {
                letters.by_ref().find(|&c| c == '\n');
            }
            '"' if before != '\'' => {
                let mut text = String::new();
                while let Some(c) = letters.next() {
                    match c {
                        '"' => break,
                        '\\' => {
                            text.push('\\');
                            text.extend(letters.next());
                        }
                        c => text.push(c),
                    }
                }
                out.push(text);
            }
            _ => {}
        }
        before = letter;
    }
    out
}

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
            out.push(path);
        }
    }
}

#[test]
fn no_message_in_the_sources_says_what_the_guide_says_is_not_to_be_said() {
    let unsaid = unsaid();
    assert!(unsaid.len() > 10, "{unsaid:?}");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(root().join("crates")).expect("crates").flatten() {
        sources(&entry.path().join("src"), &mut files);
    }
    assert!(files.len() > 80, "{}", files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source");
        for literal in literals(&text) {
            if let Some(words) = unsaid.iter().find(|words| literal.contains(words.as_str())) {
                panic!("{}: `{literal}` says `{words}`", file.display());
            }
        }
    }
}

/// What is printed about a model in so many columns.
fn printed(arguments: &[&str], columns: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(arguments)
        .current_dir(root())
        .env("COLUMNS", columns)
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .expect("plimsoll runs");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Models that are answered at once, of every kind of answer; and one that is wrong, and two with warnings.
const MODELS: [&str; 10] = [
    "models/client-server-progress.pml",
    "models/perf-philosophers.pml",
    "models/sleep-wakeup.pml",
    "models/leader-election.pml",
    "models/fair-readers-writers.pml",
    "models/iboc-figure-08.pml",
    "models/garp-leave-all.pml",
    "spec/wrong/unused-names.pml",
    "spec/wrong/several-errors-in-one-run.pml",
    "models/snooping-cache.pml",
];

#[test]
fn whatever_is_printed_is_as_wide_as_it_may_be_and_keeps_to_the_guide() {
    let unsaid = unsaid();
    for model in MODELS {
        for columns in [80, 120] {
            for words in [
                &["check", model, "--time", "1s"][..],
                &["check", model, "--time", "1s", "-v"],
                &["check", model, "--time", "1s", "--quiet", "--unreached"],
                &["simulate", model, "--steps", "30", "--chart"],
                &["replay"],
                &["replay", "--chart"],
                &["graph", model],
                &["cycles", model, "--time", "1s"],
                &["deps", model, "--time", "1s"],
            ] {
                let text = printed(words, &columns.to_string());
                for line in text.lines() {
                    let shown = line.chars().count();
                    // A line of the model is shown as it is.
                    let is_source = line
                        .trim_start()
                        .split_once(" | ")
                        .is_some_and(|(number, _)| number.chars().all(|c| c.is_ascii_digit() || c == ' '));
                    assert!(shown <= columns || is_source, "{words:?} in {columns}: {shown}: {line}");
                    if let Some(words) = unsaid.iter().find(|words| says(line, words)) {
                        panic!("{model}: `{line}` says `{words}`");
                    }
                    assert!(!has_a_long_number(line), "{words:?}: thousands are not set apart: {line}");
                }
            }
        }
    }
}

#[test]
fn the_other_commands_keep_to_the_width_and_the_guide_too() {
    let unsaid = unsaid();
    let certificate = Path::new(env!("CARGO_TARGET_TMPDIR")).join("of-some-width.json");
    let certificate = certificate.to_str().expect("a path");
    let mut lines = 0;
    for model in MODELS {
        let _ = std::fs::remove_file(certificate);
        for words in [
            &["search", model, "--time", "1s"][..],
            &["bounds", model, "-v", "--time", "1s", "--certificate", certificate],
            &["certify", certificate, model],
            &["progress", model, "--time", "1s"],
            &["ltl", model, "--time", "1s"],
            &["simulate", model, "--steps", "60"],
        ] {
            let text = printed(words, "72");
            lines += keep_to_the_width(&text, 72, &unsaid, &words.join(" "));
        }
    }
    let codes = printed(&["explain"], "72");
    keep_to_the_width(&codes, 72, &unsaid, "explain");
    for code in codes.lines().filter_map(|line| line.split_whitespace().next()) {
        lines += keep_to_the_width(&printed(&["explain", code], "80"), 80, &unsaid, code);
    }
    assert!(lines > 2_000, "{lines}");
}

#[test]
fn whoever_goes_step_by_step_reads_lines_that_fit() {
    let unsaid = unsaid();
    for model in ["models/client-server-progress.pml", "models/perf-philosophers.pml"] {
        printed(&["check", model], "72");
        for words in [&["simulate", "-i", model][..], &["replay", "-i", model]] {
            let text = typed(words, "help\n1\nn\n1\ns\nl\nt\nwatch 1 + 1\nbreak 1\nbreaks\nc\nb\nq\n", "72");
            // What is typed is not seen in a pipe, so a prompt stands before what answers it.
            let answers = text.lines().map(without_prompts).collect::<Vec<&str>>().join("\n");
            assert!(keep_to_the_width(&answers, 72, &unsaid, &words.join(" ")) > 30, "{text}");
        }
    }
}

/// A line without `12> ` and `12/27> ` before it.
fn without_prompts(line: &str) -> &str {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == '/');
    match rest.strip_prefix("> ") {
        Some(answer) if rest.len() < line.len() => without_prompts(answer),
        _ => line,
    }
}

/// Fails at a line that is too wide or says what is not to be said; returns how many there are.
fn keep_to_the_width(text: &str, columns: usize, unsaid: &[String], what: &str) -> usize {
    for line in text.lines() {
        let shown = line.chars().count();
        assert!(shown <= columns, "{what} in {columns}: {shown}: {line}");
        if let Some(words) = unsaid.iter().find(|words| says(line, words)) {
            panic!("{what}: `{line}` says `{words}`");
        }
    }
    text.lines().count()
}

/// What is printed to somebody who types this.
fn typed(arguments: &[&str], input: &str, columns: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(arguments)
        .current_dir(root())
        .env("COLUMNS", columns)
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("plimsoll runs");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("typed");
    String::from_utf8(child.wait_with_output().expect("it ends").stdout).expect("text")
}

/// What a line shows, without what switches its colours.
fn without_colours(line: &str) -> String {
    let mut pieces = line.split("\x1b[");
    let first = pieces.next().unwrap_or_default().to_string();
    pieces.fold(first, |out, piece| out + piece.split_once('m').map_or("", |(_, text)| text))
}

#[test]
fn errors_in_colour_are_as_wide_as_they_may_be() {
    let mut seen = 0;
    for entry in std::fs::read_dir(root().join("spec/wrong")).expect("wrong models").flatten() {
        let model = format!("spec/wrong/{}", entry.file_name().to_string_lossy());
        let text = printed(&["check", &model, "--color", "always", "--time", "1s", "--no-keep"], "80");
        for line in text.lines().map(without_colours) {
            seen += 1;
            let (before, _) = line.split_once(" | ").unwrap_or(("model", ""));
            let is_source = before.chars().all(|c| c.is_ascii_digit() || c == ' ');
            assert!(line.chars().count() <= 80 || is_source, "{model}: {line}");
        }
    }
    assert!(seen > 500, "{seen}");
}

#[test]
fn what_is_not_as_expected_is_as_wide_as_it_may_be() {
    let model = Path::new(env!("CARGO_TARGET_TMPDIR")).join("not-as-expected.pml");
    let long = "// expect: assertions PROVED\nbyte number_of_those_inside;\n\
        active proctype worker_with_a_long_name() { assert(number_of_those_inside == 1) }\n";
    std::fs::write(&model, long).expect("a model");
    let text = printed(&["check", model.to_str().expect("a path"), "--no-keep"], "80");
    assert!(text.contains("expected assertions PROVED, found VIOLATED"), "{text}");
    let wide = text.lines().find(|line| line.chars().count() > 80 && !line.ends_with(".pml"));
    assert_eq!(wide, None, "{text}");
}

#[test]
fn what_is_wrong_with_a_command_line_is_as_wide_as_it_may_be() {
    let model = "models/perf-philosophers.pml";
    for wrong in [
        &["chek", model][..],
        &["check", model, "--time", "abc"],
        &["check", model, "--format", "yaml"],
        &["check", model, "--memory", "much", "--threads", "many"],
        &["ltl", model, "--processes", "P"],
        &["replay", "nothing.json", model],
    ] {
        let text = printed(wrong, "60");
        assert!(text.contains("error: "), "{text}");
        let wide = text.lines().find(|line| line.chars().count() > 60);
        assert_eq!(wide, None, "{text}");
    }
}

#[test]
fn what_is_wrong_at_the_start_is_not_wrong_after_no_steps() {
    let model = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrong-at-the-start.pml");
    let text = "byte i = 3, a[3];\nactive proctype p() { a[i] == 1; assert(a[0] == 1) }\n";
    std::fs::write(&model, text).expect("a model");
    let model = model.to_str().expect("a path");
    for words in [&["check", model][..], &["search", model], &["simulate", model], &["replay", model]] {
        let text = printed(words, "80");
        assert!(text.contains("at the start"), "{words:?}: {text}");
        assert!(!text.contains("0 steps"), "{words:?}: {text}");
    }
}

#[test]
fn what_there_is_to_say_of_a_search_is_said_once() {
    let model = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sliced.pml");
    let text = "byte a, n; chan c = [2] of { byte };\n\
        active [2] proctype p() { byte i; do :: i++ :: a++; assert(a < 256) :: c!i :: c?n od }\n";
    std::fs::write(&model, text).expect("a model");
    let text = printed(&["check", model.to_str().expect("a path"), "--time", "20s", "--no-keep"], "80");
    assert_eq!(text.matches("what decides nothing here").count(), 1, "{text}");
}

/// Names that the guide lets keep their capital letters, verdicts among them.
fn names_with_capitals() -> Vec<String> {
    let guide = std::fs::read_to_string(root().join("docs/messages.md")).expect("the guide");
    let rules =
        guide.lines().filter(|line| line.starts_with("- A verdict is") || line.starts_with("- Names keep"));
    rules.flat_map(|line| line.split('`').skip(1).step_by(2)).map(str::to_string).collect()
}

/// What is wrong with a message by the guide, if anything: `said` is all behind `error: `.
fn against_the_guide(said: &str, names: &[String]) -> Option<String> {
    // What stands between backquotes is the model's, or for the reader to fill in.
    let own: String = said.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let capital = own
        .split(|c: char| !c.is_alphanumeric())
        .find(|word| word.starts_with(|c: char| c.is_uppercase()) && !names.iter().any(|name| name == word));
    if let Some(word) = capital {
        return Some(format!("`{word}` has a capital letter"));
    }
    own.ends_with('.').then(|| "it ends with a full stop".to_string())
}

/// The message of a line, behind what says of which kind it is.
fn message(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches(['|', '=', ' ']);
    let (kind, said) = line.split_once(": ")?;
    let kind = kind.split('[').next()?;
    ["error", "warning", "note", "help", "hint"].contains(&kind).then_some(said)
}

#[test]
fn every_diagnostic_keeps_to_the_rules_of_the_guide() {
    let names = names_with_capitals();
    assert!(names.len() > 5, "{names:?}");
    let mut read = 0;
    for entry in std::fs::read_dir(root().join("spec/wrong")).expect("wrong models").flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "pml") {
            continue;
        }
        let model = path.to_str().expect("a path");
        // Wide enough for every message to stand on one line.
        let text = printed(&["check", model, "--time", "1s", "--warnings"], "400");
        for said in text.lines().filter_map(message) {
            read += 1;
            if let Some(wrong) = against_the_guide(said, &names) {
                panic!("{model}: `{said}`: {wrong}");
            }
        }
    }
    assert!(read > 100, "{read} messages");
}

#[test]
fn the_rules_of_the_guide_refuse_what_breaks_them() {
    let names = names_with_capitals();
    let wrong = |said| against_the_guide(said, &names);
    assert_eq!(wrong("`X` is not declared: write `byte X`"), None);
    assert_eq!(wrong("SPIN reads it otherwise, and the verdict would be UNKNOWN"), None);
    assert!(wrong("The name is not declared").is_some());
    assert!(wrong("this is WRONG").is_some());
    assert!(wrong("`x` is not declared.").is_some());
}

/// Whether a line says something, and not as a part of a larger number or word.
fn says(line: &str, words: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == ',' || c == '.';
    line.match_indices(words).any(|(at, found)| {
        let before = line[..at].chars().next_back().is_some_and(is_part);
        let after = line[at + found.len()..].chars().next().is_some_and(|c| c.is_ascii_alphanumeric());
        !before && !after
    })
}

/// Five digits in a row that count something: a number before a word.
fn has_a_long_number(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.any(|word| word.len() >= 5 && word.chars().all(|c| c.is_ascii_digit()))
}

/// On a telephone, or beside an editor: no columns, but everything is there and nothing is torn.
#[test]
fn forty_columns_are_enough_for_the_answers() {
    for model in MODELS {
        for words in [&["check", model, "--time", "1s"][..], &["replay"]] {
            let text = printed(words, "40");
            for line in text.lines() {
                let is_source = line.contains(" | ");
                assert!(line.chars().count() <= 40 || is_source, "{words:?}: {line}");
            }
        }
    }
    let text = printed(&["check", "models/perf-philosophers.pml"], "40");
    let is_whole = |line: &str| line.starts_with("    after ") && line.ends_with(" steps nothing can move");
    assert!(text.lines().any(is_whole), "{text}");
}

#[test]
fn the_folder_table_fits_too() {
    for columns in [40, 80, 120] {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["perf-philosophers.pml", "client-server-progress.pml", "iboc-figure-08.pml"] {
            std::fs::copy(root().join("models").join(name), folder.path().join(name)).expect("copied");
        }
        let wrong =
            folder.path().join("wrong-and-with-a-very-long-name-that-does-not-fit-anywhere-at-all.pml");
        std::fs::write(wrong, "active proctype p() { undeclared_variable_with_a_long_name = 1 }")
            .expect("written");
        let unexpected = "// expect: assertions PROVED\nbyte number_of_those_inside;\n\
            active proctype worker_with_a_long_name() { assert(number_of_those_inside == 1) }\n";
        std::fs::write(folder.path().join("not-as-expected.pml"), unexpected).expect("written");
        let models = folder.path().to_str().expect("a path");
        let text = printed(&["check", models, "--time", "2s"], &columns.to_string());
        assert!(text.contains("VIOLATED"), "{text}");
        assert!(text.contains("expected assertions PROVED"), "{text}");
        for line in text.lines() {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
    }
}

#[test]
fn colours_are_used_where_they_are_wanted() {
    let model = "models/perf-philosophers.pml";
    let has_colours = |arguments: &[&str]| printed(arguments, "80").contains("\x1b[");
    assert!(has_colours(&["check", model, "--color", "always"]));
    assert!(has_colours(&["--color", "always", "check", model]));
    assert!(!has_colours(&["check", model]));
    assert!(!has_colours(&["check", model, "--color", "never"]));
}
