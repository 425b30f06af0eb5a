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
    let mut out = Out { text, encoding, at: 0, place: (0, 0), last: (0, 0), tokens: Vec::new() };
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
    /// How far lines and columns are counted: nobody counts a line from its beginning for each of its tokens.
    at: usize,
    /// The line and the column there.
    place: (u32, u32),
    /// Those of the last token.
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
        let passed = &self.text[self.at..range.start];
        let (line, column) = self.place;
        let (whole, rest) =
            passed.rsplit_once('\n').map_or((None, passed), |(whole, rest)| (Some(whole), rest));
        let columns = self.encoding.columns(rest);
        self.place = match whole {
            Some(whole) => (line + 1 + whole.matches('\n').count() as u32, columns),
            None => (line, column + columns),
        };
        self.at = range.start;
        let length = self.encoding.columns(self.text[range.clone()].trim_end_matches('\r'));
        if length == 0 {
            return;
        }
        let (line, column) = self.place;
        let (last_line, last_column) = std::mem::replace(&mut self.last, self.place);
        let delta_line = line - last_line;
        let delta_start = if delta_line == 0 { column - last_column } else { column };
        self.tokens.push(SemanticToken {
            delta_line,
            delta_start,
            length,
            token_type,
            token_modifiers_bitset: modifiers,
        });
    }
}
