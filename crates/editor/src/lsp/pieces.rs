//! A text as the front end's own lexer cuts it, before any macro is expanded: what layout, colours and the place of the cursor ask about.

use promela::lexer::{Interner, Piece, PieceKind, lex};
use promela::source::FileId;
use promela::token::{Keyword, Punct};
use std::ops::Range;

/// The pieces of a text.
pub struct Pieces<'t> {
    text: &'t str,
    pieces: Vec<Piece>,
    interner: Interner,
}

impl<'t> Pieces<'t> {
    /// Cuts a text.
    pub fn of(text: &'t str) -> Pieces<'t> {
        let mut interner = Interner::default();
        let pieces = lex(text, FileId::default(), &mut interner, &mut Vec::new());
        Pieces { text, pieces, interner }
    }

    /// The whole text.
    pub fn source(&self) -> &'t str {
        self.text
    }

    /// All pieces but the end.
    pub fn all(&self) -> &[Piece] {
        let end = self.pieces.len().saturating_sub(1);
        &self.pieces[..end]
    }

    /// How a piece is spelled.
    pub fn text(&self, piece: &Piece) -> &'t str {
        &self.text[bytes(piece)]
    }

    /// The keyword that a piece is.
    pub fn keyword(&self, piece: &Piece) -> Option<Keyword> {
        match piece.kind {
            PieceKind::Name(symbol) => self.interner.keyword(symbol),
            _ => None,
        }
    }

    /// Whether a piece is a name that is no keyword.
    pub fn is_name(&self, piece: &Piece) -> bool {
        matches!(piece.kind, PieceKind::Name(_)) && self.keyword(piece).is_none()
    }

    /// How many pieces end at or before a byte.
    pub fn before(&self, offset: usize) -> usize {
        self.all().partition_point(|piece| piece.span.end as usize <= offset)
    }

    /// The comments between the pieces; nothing but blanks and they stand there.
    pub fn comments(&self) -> Vec<Range<usize>> {
        let mut comments = Vec::new();
        let mut end = if self.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        for piece in &self.pieces {
            comments_within(self.text, end..piece.span.start as usize, &mut comments);
            end = piece.span.end as usize;
        }
        comments
    }

    /// Whether the other text says the same to the front end: the same pieces, with ends of lines and blanks between the same ones.
    pub fn says_the_same(&self, other: &Pieces<'_>) -> bool {
        let same = |(own, others): (&Piece, &Piece)| {
            self.text(own) == other.text(others)
                && own.first_on_line == others.first_on_line
                && own.after_newline == others.after_newline
                && (own.first_on_line || own.after_space == others.after_space)
        };
        self.all().len() == other.all().len() && self.all().iter().zip(other.all()).all(same)
    }
}

/// The bytes of a piece.
pub fn bytes(piece: &Piece) -> Range<usize> {
    piece.span.start as usize..piece.span.end as usize
}

/// Whether a piece is this operator.
pub fn is(piece: &Piece, punct: Punct) -> bool {
    piece.kind == PieceKind::Punct(punct)
}

/// The comments of a gap between two pieces.
fn comments_within(text: &str, gap: Range<usize>, comments: &mut Vec<Range<usize>>) {
    let mut at = gap.start;
    while at < gap.end {
        let rest = &text[at..gap.end];
        if rest.starts_with("//") {
            let mut end = rest.find('\n').unwrap_or(rest.len());
            // A backslash before the end of the line draws the next one in.
            while end < rest.len() && rest[..end].trim_end_matches([' ', '\t', '\r']).ends_with('\\') {
                end = rest[end + 1..].find('\n').map_or(rest.len(), |next| end + 1 + next);
            }
            comments.push(at..at + end);
            at += end;
        } else if let Some(inside) = rest.strip_prefix("/*") {
            let end = inside.find("*/").map_or(rest.len(), |end| end + 4);
            comments.push(at..at + end);
            at += end;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
}
