//! Colours by meaning: what each piece of the text is, names by what they name.

use super::pieces::{Pieces, bytes};
use crate::place::Encoding;
use crate::reading::Reading;
use lsp_types::{SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokensLegend};
use promela::lexer::{Piece, PieceKind};
use promela::names::{NameKind, Role};
use promela::source::FileId;
use promela::token::Keyword;
use std::collections::HashMap;
use std::ops::Range;

/// The kinds, in the order of their numbers.
const KINDS: [SemanticTokenType; 15] = [
    SemanticTokenType::KEYWORD,
    SemanticTokenType::TYPE,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::ENUM,
    SemanticTokenType::STRUCT,
    SemanticTokenType::CLASS,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::MACRO,
    SemanticTokenType::new("label"),
    SemanticTokenType::NUMBER,
    SemanticTokenType::STRING,
    SemanticTokenType::COMMENT,
];

/// What the numbers mean.
pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: KINDS.to_vec(),
        token_modifiers: vec![SemanticTokenModifier::DECLARATION, SemanticTokenModifier::MODIFICATION],
    }
}

/// The tokens of a file.
pub fn tokens(reading: &Reading, file: FileId, encoding: Encoding) -> Vec<SemanticToken> {
    let text = &reading.sources().file(file).text;
    let pieces = Pieces::of(text);
    let names: HashMap<u32, (u32, u32)> = reading
        .mentions_in(file)
        .iter()
        .filter(|mention| mention.kind != NameKind::File)
        .map(|mention| {
            let modifiers = match mention.role {
                Role::Declared => 1,
                Role::Written => 2,
                _ => 0,
            };
            (mention.span.start, (kind_of(mention.kind), modifiers))
        })
        .collect();
    let mut out = Out { text, encoding, line: 0, line_start: 0, at: 0, last: (0, 0), tokens: Vec::new() };
    let mut comments = pieces.comments().into_iter().peekable();
    let mut directive = false;
    for piece in pieces.all() {
        while let Some(comment) = comments.next_if(|comment| comment.start < piece.span.start as usize) {
            out.push(comment, (14, 0));
        }
        if piece.kind == PieceKind::Hash && piece.first_on_line {
            directive = true;
            out.push(bytes(piece), (10, 0));
        } else if std::mem::take(&mut directive) {
            out.push(bytes(piece), (10, 0));
        } else if let Some(kind) = kind(&pieces, piece, &names) {
            out.push(bytes(piece), kind);
        }
    }
    comments.for_each(|comment| out.push(comment, (14, 0)));
    out.tokens
}

fn kind(pieces: &Pieces<'_>, piece: &Piece, names: &HashMap<u32, (u32, u32)>) -> Option<(u32, u32)> {
    match piece.kind {
        PieceKind::Name(_) => {
            if let Some(&found) = names.get(&piece.span.start) {
                return Some(found);
            }
            match pieces.keyword(piece)? {
                Keyword::Bit
                | Keyword::Bool
                | Keyword::Byte
                | Keyword::Chan
                | Keyword::Int
                | Keyword::Mtype
                | Keyword::Pid
                | Keyword::Short
                | Keyword::Unsigned => Some((1, 0)),
                Keyword::True | Keyword::False => Some((12, 0)),
                _ => Some((0, 0)),
            }
        }
        PieceKind::Number(_) | PieceKind::Character(_) => Some((12, 0)),
        PieceKind::String(_) => Some((13, 0)),
        _ => None,
    }
}

fn kind_of(kind: NameKind) -> u32 {
    match kind {
        NameKind::Variable => 2,
        NameKind::TextParameter => 3,
        NameKind::Field => 4,
        NameKind::Symbol => 5,
        NameKind::SymbolSet => 6,
        NameKind::Typedef => 7,
        NameKind::Proctype => 8,
        NameKind::Inline => 9,
        NameKind::Macro => 10,
        NameKind::Label | NameKind::Property => 11,
        NameKind::File => 13,
    }
}

struct Out<'t> {
    text: &'t str,
    encoding: Encoding,
    line: u32,
    line_start: usize,
    /// How far lines are counted.
    at: usize,
    last: (u32, u32),
    tokens: Vec<SemanticToken>,
}

impl Out<'_> {
    /// One token for each line: many editors know no others.
    fn push(&mut self, mut range: Range<usize>, kind: (u32, u32)) {
        while let Some(newline) = self.text[range.clone()].find('\n') {
            self.push_in_line(range.start..range.start + newline, kind);
            range.start += newline + 1;
        }
        self.push_in_line(range, kind);
    }

    fn push_in_line(&mut self, range: Range<usize>, (token_type, modifiers): (u32, u32)) {
        for (at, _) in self.text[self.at..range.start].match_indices('\n') {
            self.line += 1;
            self.line_start = self.at + at + 1;
        }
        self.at = range.start;
        let length = self.encoding.columns(self.text[range.clone()].trim_end_matches('\r'));
        if length == 0 {
            return;
        }
        let column = self.encoding.columns(&self.text[self.line_start..range.start]);
        let (line, before) = self.last;
        let delta_line = self.line - line;
        let delta_start = if delta_line == 0 { column - before } else { column };
        self.last = (self.line, column);
        self.tokens.push(SemanticToken {
            delta_line,
            delta_start,
            length,
            token_type,
            token_modifiers_bitset: modifiers,
        });
    }
}
