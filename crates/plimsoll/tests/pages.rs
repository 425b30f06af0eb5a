//! What a page of `--html` draws, measured and held against what it says beside it.

use std::path::Path;
use std::process::Command;

/// What stands between two texts.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    Some(rest.split_once(after)?.0)
}

/// All numbers behind a letter of a path.
fn numbers_behind(path: &str, letter: char) -> Vec<f64> {
    let parts = path.split(letter).skip(1);
    let end = |part: &str| part.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(part.len());
    parts.map(|part| part[..end(part)].parse().expect("a number")).collect()
}

/// How many messages a height of a plot stands for, read off its own axis.
fn messages_at(plot: &str, height: f64) -> f64 {
    let marks = plot.split("text-anchor=\"end\">").skip(1).zip(plot.split("<text x=\"20\" y=\"").skip(1));
    let marks: Vec<(f64, f64)> = marks
        .filter_map(|(label, place)| {
            let label: f64 = label.split('<').next()?.parse().ok()?;
            let height: f64 = place.split('"').next()?.parse().ok()?;
            Some((label, height - 4.0))
        })
        .collect();
    let (first, last) = (marks[0], marks[marks.len() - 1]);
    assert!(marks.len() > 1 && first.0 == 0.0, "an axis has marks: {plot}");
    (first.1 - height) / (first.1 - last.1) * last.0
}

/// The most messages that the curve of a plot shows.
fn top_of_the_curve(plot: &str) -> f64 {
    let path = between(plot, "class=\"filling\" d=\"", "\"").expect("a curve");
    let highest = numbers_behind(path, 'V').into_iter().fold(f64::INFINITY, f64::min);
    messages_at(plot, highest)
}

/// The messages that a plot's line of a bound stands at.
fn line_of_the_bound(plot: &str) -> Option<f64> {
    let line = between(plot, "<line class=\"bound\"", "/>")?;
    let heights: Vec<f64> =
        ["y1", "y2"].iter().filter_map(|y| between(line, &format!("{y}=\""), "\"")?.parse().ok()).collect();
    assert!(heights.len() == 2 && heights[0] == heights[1], "{line}");
    Some(messages_at(plot, heights[0]))
}

/// The most messages that the words for a screen reader name.
fn told_of(plot: &str) -> Option<f64> {
    first_number(between(plot, "at most ", "\"")?)
}

fn first_number(text: &str) -> Option<f64> {
    text.split_whitespace().find_map(|word| word.trim_matches(['.', ',', ';']).parse().ok())
}

#[test]
fn what_a_plot_shows_is_what_its_text_says() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let folder = tempfile::tempdir().expect("a folder");
    let (mut bounded, mut tight, mut open, mut lines) = (0, 0, 0, 0);
    for name in ["client-server-progress.pml", "alternating-bit.pml", "client-server.pml"] {
        let page = folder.path().join("page.html");
        let output = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(["check", "--no-keep", "--time", "60s", "--html"])
            .args([&page, &models.join(name)])
            .output()
            .expect("plimsoll runs");
        assert!(output.status.code().is_some_and(|code| code != 2), "{name}: {output:?}");
        let page = std::fs::read_to_string(&page).expect("a page");
        for card in page.split("<article class=\"card\">").skip(1) {
            let Some(plot) = between(card, "<svg class=\"plot\"", "</svg>") else { continue };
            let said = between(card, "<p>", "</p>").expect("what is known");
            let shown = top_of_the_curve(plot);
            let is = |number: f64| (shown - number).abs() < 0.05;
            assert!(told_of(plot).is_some_and(is), "{name}: {plot}, but the curve reaches {shown}");
            if let Some(line) = line_of_the_bound(plot) {
                let most = said.strip_prefix("at most ").and_then(first_number);
                assert!(
                    most.is_some_and(|most| (line - most).abs() < 0.05),
                    "{name}: {said}, the line: {line}"
                );
                lines += 1;
            }
            let caption = between(card, "<figcaption>", "</figcaption>").expect("a caption");
            if let Some(seen) = caption.split_once("with ").and_then(|(_, rest)| first_number(rest)) {
                assert!(is(seen), "{name}: {caption}, but the curve reaches {shown}");
            }
            match said.strip_prefix("at most ").and_then(first_number) {
                Some(most) if said.contains("some run reaches it") => {
                    assert!(is(most), "{name}: {said}, but the curve reaches {shown}");
                    tight += 1;
                }
                Some(most) => {
                    assert!(shown < most + 0.05, "{name}: {said}, but the curve reaches {shown}");
                    bounded += 1;
                }
                None if said.contains(" seen") => {
                    let seen = said.split_once("; ").and_then(|(_, rest)| first_number(rest));
                    assert!(seen.is_some_and(is), "{name}: {said}, but the curve reaches {shown}");
                    open += 1;
                }
                None => open += 1,
            }
        }
    }
    assert!(tight >= 4 && lines >= tight, "{tight} tight, {bounded} bounded, {open} open, {lines} lines");
}

#[test]
fn the_index_of_a_folder_has_a_line_for_models_that_cannot_be_used_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::create_dir(here.join("models")).expect("made");
    std::fs::write(here.join("models/fine.pml"), "active proctype p() { skip }").expect("written");
    std::fs::write(here.join("models/wrong.pml"), "active proctype p() { y = 1 }").expect("written");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["check", "models", "--html", "pages"])
        .current_dir(here)
        .env("XDG_CACHE_HOME", here.join("cache"))
        .output()
        .expect("plimsoll runs");
    assert_eq!(output.status.code(), Some(2));
    let index = std::fs::read_to_string(here.join("pages/index.html")).expect("an index");
    assert!(index.contains("<h1>2 models</h1>"), "{index}");
    assert!(index.contains(">models/fine.pml</a>"), "{index}");
    let row = index.lines().find(|line| line.contains("wrong.pml")).expect("a row");
    assert!(row.contains("error[E0101]: `y` is not declared"), "{row}");
}
