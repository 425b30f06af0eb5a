//! Texts that fit: nothing is wider than it may be, and nothing breaks in the middle of a word that could have been kept whole.

use std::fmt::Write;

/// Columns of a text that nobody looks at in a terminal: a file, a pipe, a log.
pub const PLAIN: usize = 100;
/// A line that is longer than this is hard to read, however wide the terminal.
pub const WIDEST: usize = 120;
/// Below this nothing can be laid out.
const NARROWEST: usize = 40;

/// What a terminal of so many columns is used as.
pub fn usable(terminal: usize) -> usize {
    terminal.clamp(NARROWEST, WIDEST)
}

/// Breaks a text at blanks; a word that is longer than a whole line is broken where the line ends.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut rows: Vec<String> = Vec::new();
    let mut used = 0;
    for word in text.split(' ') {
        let letters: Vec<char> = word.chars().collect();
        match rows.last_mut() {
            Some(row) if used + 1 + letters.len() <= width => {
                row.push(' ');
                row.push_str(word);
                used += 1 + letters.len();
            }
            _ if letters.len() <= width => {
                rows.push(word.to_string());
                used = letters.len();
            }
            _ => {
                for piece in letters.chunks(width) {
                    rows.push(piece.iter().collect());
                    used = piece.len();
                }
            }
        }
    }
    rows
}

/// Writes a text behind an indentation; what does not fit goes on below, a little deeper.
pub fn indented(out: &mut String, indent: &str, text: &str, width: usize) {
    const DEEPER: usize = 2;
    let room = width.saturating_sub(indent.chars().count() + DEEPER).max(1);
    let mut rows = wrap(text, room).into_iter();
    // The first row has the room that the others leave empty; few texts need it.
    let first = match text.chars().count() <= room + DEEPER {
        true => {
            rows = Vec::new().into_iter();
            text.to_string()
        }
        false => rows.next().unwrap_or_default(),
    };
    let _ = writeln!(out, "{indent}{first}");
    for row in rows {
        let _ = writeln!(out, "{indent}{:DEEPER$}{row}", "");
    }
}

/// The same for lines that are laid out already: each that is too long is broken at blanks and goes on deeper than it began.
pub fn fitted(text: &str, width: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        if line.chars().count() <= width {
            out.push_str(line);
            out.push('\n');
            continue;
        }
        let body = line.trim_start_matches(' ');
        // A text that begins near the right border would be torn to pieces.
        let indent = (line.len() - body.len()).min(width / 2);
        indented(&mut out, &" ".repeat(indent), body, width);
    }
    if !text.ends_with('\n') {
        out.pop();
    }
    out
}

/// Cuts a text that is too long, and says so: `abcd…`
pub fn shortened(text: &str, width: usize) -> String {
    match text.chars().count() <= width {
        true => text.to_string(),
        false => text.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// The same for paths, whose end says more than their beginning: `…/deep/model.pml`
pub fn shortened_path(path: &str, width: usize) -> String {
    let length = path.chars().count();
    match length <= width {
        true => path.to_string(),
        false => ['…'].into_iter().chain(path.chars().skip(length + 1 - width.max(1))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_broken_at_blanks_and_words_only_where_they_have_to_be() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("a incomprehensibilities b", 7), ["a", "incompr", "ehensib", "ilities", "b"]);
        assert_eq!(wrap("", 7), [""]);
    }

    #[test]
    fn lines_that_are_too_long_go_on_deeper_and_the_others_stay() {
        assert_eq!(fitted("  one two three\nshort\n", 9), "  one\n    two\n    three\nshort\n");
        let deep = fitted(&format!("{}far to the right of everything", " ".repeat(60)), 40);
        assert!(deep.lines().all(|line| line.chars().count() <= 40), "{deep}");
    }

    #[test]
    fn what_is_cut_shows_that_it_is() {
        assert_eq!((shortened("abcdef", 4), shortened("abcd", 4)), ("abc…".into(), "abcd".into()));
        assert_eq!(shortened_path("a/deep/model.pml", 10), "…model.pml");
    }
}
