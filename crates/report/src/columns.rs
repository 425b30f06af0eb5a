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

/// Breaks a text at blanks, but not between `(line` and its number, nor inside of short brackets; a word that is longer than a whole line is
/// broken where the line ends.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut rows: Vec<String> = Vec::new();
    let mut used = 0;
    for word in words_that_stay_together(text, width) {
        let columns = shown(&word);
        match rows.last_mut() {
            Some(row) if used + 1 + columns <= width => {
                row.push(' ');
                row.push_str(&word);
                used += 1 + columns;
            }
            // A coloured word would lose its end of the colour.
            _ if columns <= width || columns < word.chars().count() => {
                rows.push(word);
                used = columns;
            }
            _ => {
                let letters: Vec<char> = word.chars().collect();
                for piece in letters.chunks(width) {
                    rows.push(piece.iter().collect());
                    used = piece.len();
                }
            }
        }
    }
    rows
}

/// How many columns a text takes: its letters, without what switches colours.
fn shown(text: &str) -> usize {
    let mut pieces = text.split("\x1b[");
    let first = pieces.next().map_or(0, |piece| piece.chars().count());
    // `94m` and then what is shown in it.
    first
        + pieces.map(|piece| piece.split_once('m').map_or(0, |(_, text)| text.chars().count())).sum::<usize>()
}

/// Words, with `(line 7)` and `[declared capacities]` as one each unless the brackets take more than half of the width.
fn words_that_stay_together(text: &str, width: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut rest = text;
    loop {
        let brackets = match rest {
            text if text.starts_with("(line ") => Some((')', width)),
            text if text.starts_with('[') => Some((']', width / 2)),
            _ => None,
        };
        let whole = brackets.and_then(|(closing, longest)| {
            let end = rest.find(closing)?;
            // What follows the bracket without a blank belongs to it.
            let end = rest[end..].find(' ').map_or(rest.len(), |blank| end + blank);
            (rest[..end].chars().count() <= longest).then_some(end)
        });
        let end = whole.or_else(|| rest.find(' ')).unwrap_or(rest.len());
        out.push(rest[..end].to_string());
        match rest[end..].strip_prefix(' ') {
            Some(behind) => rest = behind,
            None => return out,
        }
    }
}

/// Writes a text behind an indentation; what does not fit goes on below, a little deeper, or behind the number that the text begins with.
pub fn indented(out: &mut String, indent: &str, text: &str, width: usize) {
    const DEEPER: usize = 2;
    let head = head(text);
    let (head, body) = text.split_at(head);
    let deeper = if head.ends_with(": ") { head.chars().count() } else { head.chars().count() + DEEPER };
    let room = width.saturating_sub(indent.chars().count() + deeper).max(1);
    let mut rows = wrap(body, room).into_iter();
    // The first row has the room that the others leave empty; few texts need it.
    let first = match shown(text) <= room + deeper {
        true => {
            rows = Vec::new().into_iter();
            body.to_string()
        }
        false => rows.next().unwrap_or_default(),
    };
    let _ = writeln!(out, "{indent}{head}{first}");
    for row in rows {
        let _ = writeln!(out, "{indent}{:deeper$}{row}", "");
    }
}

/// How long the blanks are with which a text begins, and the number of a step behind them: `  12: `
fn head(text: &str) -> usize {
    let blanks = text.len() - text.trim_start_matches(' ').len();
    let digits = text[blanks..].bytes().take_while(|&byte| byte.is_ascii_digit() || byte == b',').count();
    match digits > 0 && text[blanks + digits..].starts_with(": ") {
        true => blanks + digits + 2,
        false => blanks,
    }
}

/// The same for lines that are laid out already: each that is too long is broken at blanks and goes on deeper than it began.
pub fn fitted(text: &str, width: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        if shown(line) <= width {
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
        assert_eq!(wrap("a  b ", 7), ["a  b "]);
    }

    #[test]
    fn a_line_stays_with_its_number_and_short_brackets_stay_whole() {
        assert_eq!(wrap("waits at `a` (line 18), and", 19), ["waits at `a`", "(line 18), and"]);
        assert_eq!(wrap("for ever [any capacity] now", 28), ["for ever [any capacity] now"]);
        assert_eq!(wrap("it goes on for ever [any capacity]", 30), ["it goes on for ever", "[any capacity]"]);
        // What is long is broken like everything else.
        assert_eq!(wrap("in [one two three four]", 14), ["in [one two", "three four]"]);
        assert_eq!(wrap("[] (x) [never closed", 30), ["[] (x) [never closed"]);
    }

    #[test]
    fn lines_that_are_too_long_go_on_deeper_and_the_others_stay() {
        assert_eq!(fitted("  one two three\nshort\n", 9), "  one\n    two\n    three\nshort\n");
        let deep = fitted(&format!("{}far to the right of everything", " ".repeat(60)), 40);
        assert!(deep.lines().all(|line| line.chars().count() <= 40), "{deep}");
    }

    #[test]
    fn colours_take_no_room() {
        let coloured = "  \x1b[1m\x1b[94m= \x1b[0m\x1b[1mhelp\x1b[0m: one two";
        assert_eq!(shown(coloured), "  = help: one two".len());
        assert_eq!(fitted(coloured, 17), coloured);
        assert_eq!(fitted(coloured, 16), "  \x1b[1m\x1b[94m= \x1b[0m\x1b[1mhelp\x1b[0m: one\n    two");
    }

    #[test]
    fn a_step_that_is_too_long_goes_on_behind_its_number() {
        let mut out = String::new();
        indented(&mut out, "  ", "   9: client(1) `ask!1` (line 7)", 20);
        assert_eq!(out, "     9: client(1)\n        `ask!1`\n        (line 7)\n");
        assert_eq!(fitted("  12: one two three", 12), "  12: one\n      two\n      three");
    }

    #[test]
    fn what_is_cut_shows_that_it_is() {
        assert_eq!((shortened("abcdef", 4), shortened("abcd", 4)), ("abc…".into(), "abcd".into()));
        assert_eq!(shortened_path("a/deep/model.pml", 10), "…model.pml");
    }
}
