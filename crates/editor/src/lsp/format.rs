//! Layout: how far lines are indented, and nothing else.
//!
//! In Promela the end of a line can be a semicolon, so lines are never joined or broken; blanks inside a line are the author's, because
//! a macro may make a string of them. What is left is the white space at the beginnings and ends of lines and empty lines. The result is
//! read again and thrown away unless it says the same.

use super::pieces::{Pieces, bytes, is};
use promela::lexer::{Piece, PieceKind};
use promela::token::{Keyword, Punct};
use std::ops::Range;

/// What one step of indentation is.
#[derive(Clone, Debug)]
pub struct Indent(String);

impl Indent {
    /// A tab.
    pub fn tab() -> Indent {
        Indent("\t".into())
    }

    /// So many blanks.
    pub fn blanks(count: usize) -> Indent {
        Indent(" ".repeat(count.clamp(1, 16)))
    }
}

/// The width of `:: `: what follows in later lines of an option stands under its first statement.
const OPTION: &str = "   ";
/// More empty lines than this in a row are too many.
const MOST_EMPTY_LINES: usize = 2;

/// The text with its lines indented; as it is where that would change what it says.
pub fn format(text: &str, indent: &Indent) -> String {
    let pieces = Pieces::of(text);
    let formatted = Layout::new(&pieces, indent).run();
    if Pieces::of(&formatted).says_the_same(&pieces) { formatted } else { text.to_string() }
}

/// What is open at some place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Open {
    /// `{`, `(`, `[`
    Bracket,
    /// `do` or `if`
    Options,
    /// An option of it.
    Option,
}

struct Layout<'a, 't> {
    pieces: &'a Pieces<'t>,
    indent: &'a Indent,
    open: Vec<Open>,
    /// What was open at each `#if`, to which `#else` goes back.
    conditionals: Vec<Vec<Open>>,
    comments: Vec<Range<usize>>,
}

impl<'a, 't> Layout<'a, 't> {
    fn new(pieces: &'a Pieces<'t>, indent: &'a Indent) -> Self {
        let comments = pieces.comments();
        Layout { pieces, indent, open: Vec::new(), conditionals: Vec::new(), comments }
    }

    fn run(mut self) -> String {
        let text = self.pieces.source();
        let all = self.pieces.all();
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut out = String::with_capacity(text.len());
        let (mut start, mut next, mut empty_lines) = (0, 0, 0);
        while start < text.len() {
            let end = text[start..].find('\n').map_or(text.len(), |end| start + end);
            let first = next;
            while all.get(next).is_some_and(|piece| (piece.span.start as usize) < end) {
                next += 1;
            }
            let line = &all[first..next];
            // A line that begins inside of a comment or a piece is not ours to move, and directives stand where their author wants them.
            let within = self.begins_within(start, first);
            let directive = line.first().is_some_and(|p| p.kind == PieceKind::Hash && p.first_on_line);
            let content = text[start..end].trim_end();
            if within || directive {
                empty_lines = 0;
                out.push_str(content);
                if directive {
                    self.obey(line);
                }
            } else if content.trim_start().is_empty() {
                empty_lines += 1;
            } else {
                empty_lines = 0;
                let indentation = self.indentation(line.first());
                out.push_str(&indentation);
                out.push_str(content.trim_start());
            }
            if !directive && !self.continues_directive(first) {
                line.iter().for_each(|piece| self.pass(piece));
            }
            if end < text.len() && empty_lines <= MOST_EMPTY_LINES {
                out.push_str(newline);
            }
            start = end + 1;
        }
        out.truncate(out.trim_end().len());
        if !out.is_empty() {
            out.push_str(newline);
        }
        out
    }

    /// Whether a line begins in the middle of a comment, of a piece, or of a directive that goes on.
    fn begins_within(&self, start: usize, first: usize) -> bool {
        let comment = self.comments.partition_point(|comment| comment.end <= start);
        let in_comment = self.comments.get(comment).is_some_and(|comment| comment.start < start);
        let before = first.checked_sub(1).map(|before| bytes(&self.pieces.all()[before]).end);
        in_comment || before.is_some_and(|end| end > start) || self.continues_directive(first)
    }

    /// Whether a piece belongs to a directive that began in an earlier line.
    fn continues_directive(&self, first: usize) -> bool {
        let all = self.pieces.all();
        let Some(piece) = all.get(first) else { return false };
        if piece.first_on_line {
            return false;
        }
        let begin = all[..first].iter().rposition(|piece| piece.first_on_line);
        begin.is_some_and(|begin| all[begin].kind == PieceKind::Hash)
    }

    fn indentation(&self, first: Option<&Piece>) -> String {
        let mut open = &self.open[..];
        if let Some(first) = first {
            let closes_bracket = [Punct::RightBrace, Punct::RightParen, Punct::RightBracket];
            if closes_bracket.iter().any(|&punct| is(first, punct)) {
                open = self.without(Open::Bracket);
            } else if matches!(self.pieces.keyword(first), Some(Keyword::Od | Keyword::Fi)) {
                open = self.without(Open::Options);
            } else if is(first, Punct::DoubleColon) && open.last() == Some(&Open::Option) {
                open = &open[..open.len() - 1];
            }
        }
        let step = |open: &Open| match open {
            Open::Bracket => self.indent.0.as_str(),
            Open::Options => "",
            Open::Option => OPTION,
        };
        open.iter().map(step).collect()
    }

    /// What is open outside of the innermost of a kind; if none is, everything that is open.
    fn without(&self, closed: Open) -> &[Open] {
        self.open.iter().rposition(|&open| open == closed).map_or(&self.open[..], |at| &self.open[..at])
    }

    fn pass(&mut self, piece: &Piece) {
        match piece.kind {
            PieceKind::Punct(Punct::LeftBrace | Punct::LeftParen | Punct::LeftBracket) => {
                self.open.push(Open::Bracket);
            }
            PieceKind::Punct(Punct::RightBrace | Punct::RightParen | Punct::RightBracket) => {
                self.open = self.without(Open::Bracket).to_vec();
            }
            PieceKind::Punct(Punct::DoubleColon) => {
                if self.open.last() == Some(&Open::Options) {
                    self.open.push(Open::Option);
                }
            }
            _ => match self.pieces.keyword(piece) {
                Some(Keyword::Do | Keyword::If) => self.open.push(Open::Options),
                Some(Keyword::Od | Keyword::Fi) => self.open = self.without(Open::Options).to_vec(),
                _ => {}
            },
        }
    }

    /// Branches of a conditional each begin with what was open before it.
    fn obey(&mut self, line: &[Piece]) {
        match line.get(1).map(|word| self.pieces.text(word)) {
            Some("if" | "ifdef" | "ifndef") => self.conditionals.push(self.open.clone()),
            Some("else" | "elif") => {
                if let Some(before) = self.conditionals.last() {
                    self.open = before.clone();
                }
            }
            Some("endif") => {
                self.conditionals.pop();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stand_under_their_word_and_statements_under_the_first() {
        let text = "active proctype P() {\nbyte x;\n      do\n:: x < 3 ->\nx++;\nif\n:: x == 2 -> skip\n:: else\nfi\n:: else -> break  \nod\n}\n\n\n\n\n";
        let expected = "active proctype P() {\n\tbyte x;\n\tdo\n\t:: x < 3 ->\n\t   x++;\n\t   if\n\t   :: x == 2 -> skip\n\t   :: else\n\t   fi\n\t:: else -> break\n\tod\n}\n";
        assert_eq!(format(text, &Indent::tab()), expected);
        assert_eq!(format(expected, &Indent::tab()), expected);
    }

    #[test]
    fn comments_and_directives_stay_where_they_are() {
        let text = "/* a\n     b */\n#define TWO(a) { a; \\\n      a }\ninit {\n#if 1\nskip\n#else\nskip\n#endif\n}\n";
        let expected = "/* a\n     b */\n#define TWO(a) { a; \\\n      a }\ninit {\n#if 1\n  skip\n#else\n  skip\n#endif\n}\n";
        assert_eq!(format(text, &Indent::blanks(2)), expected);
    }
}
